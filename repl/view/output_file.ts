/** Files that commands write. As everywhere, `-` is standard output, and never a file's name. */
import { files } from "../../ffi/files.ts";
import type { FileSink } from "../../lib/file_system.ts";
import { createNamed } from "../../lib/named_sink.ts";
import { UserError } from "../errors.ts";
import { printBytes } from "./output.ts";

/** Whether an option's value means standard output. */
export function isStdout(path: string | undefined): boolean {
  return path === "-";
}

/** Checks the name of what cannot be written to standard output.
 *
 * @param what it is, with an article
 * @throws UserError for `-`
 */
export function checkFile(path: string | undefined, what: string): void {
  if (!isStdout(path)) return;
  throw new UserError(`${what} is not written to standard output: name a file`, 2);
}

/** Checks an output before something long is begun.
 *
 * @throws UserError where it is standard output, and a terminal
 */
export function checkOutput(path: string): void {
  if (!isStdout(path) || !Deno.stdout.isTerminal()) return;
  throw new UserError("this is not for a terminal: redirect it, or name a file", 2);
}

/** Starts writing a file that others may read, or standard output: there the bytes are written when all are there, so that
 * what fails leaves nothing.
 *
 * @throws UserError where standard output is a terminal
 * @throws Error when the file cannot be made
 */
export function outputTo(path: string): FileSink {
  if (!isStdout(path)) return createNamed(files, path, 0o666);
  checkOutput(path);
  let parts: Uint8Array[] = [];
  let length = 0;
  const write = (bytes: Uint8Array) => {
    parts.push(bytes.slice());
    length += bytes.length;
  };
  return {
    get length() {
      return length;
    },
    write,
    skip: (size) => write(new Uint8Array(size)),
    commit() {
      for (const part of parts) printBytes(part);
      parts = [];
    },
    [Symbol.dispose]() {
      parts = [];
    },
  };
}
