/** Files that are read whole. Their paths come from people, and from files that strangers wrote: what is at
 * a path may be larger than memory, a FIFO that nobody writes to, or a device that never ends. */
import { files } from "../ffi/files.ts";
import { UserError } from "./errors.ts";

/** Maximum size of a file that is read whole, in bytes, by what it is. */
export const MAX_SIZE = { report: 256 << 20, source: 64 << 20, commands: 16 << 20 } as const;

/** What the file `-` is called. */
export const STANDARD_INPUT = "standard input";

/** A file that is not read because of what it is. */
export class InputError extends UserError {}

function tooLarge(path: string, limit: number): InputError {
  return new InputError(`${path} is too large: at most ${limit >> 20} MiB are read`);
}

/** Reads a plain file.
 *
 * @param limit in bytes
 * @throws InputError when it is not a plain file, or larger
 * @throws Error the system's, when it does not exist or may not be read
 */
export function readPlainFile(path: string, limit: number): Uint8Array<ArrayBuffer> {
  // Opening a FIFO would wait for somebody to write into it.
  const { isFile, isDirectory } = Deno.statSync(path);
  if (isDirectory) throw new InputError(`${path} is a folder`);
  if (!isFile) throw new InputError(`${path} is not a plain file`);
  using file = files.open(path);
  if (file.size > limit) throw tooLarge(path, limit);
  return file.read(0, file.size) as Uint8Array<ArrayBuffer>;
}

/** Reads a file to its end: a plain one, or what a shell makes of `<(command)`; `-` is standard input. It can be
 * interrupted while it waits.
 *
 * @param limit in bytes
 * @throws InputError when there are more
 * @throws Error the system's, when it does not exist or may not be read
 */
export async function readInput(path: string, limit: number): Promise<Uint8Array<ArrayBuffer>> {
  if (path === "-") return await readToEnd(Deno.stdin, STANDARD_INPUT, limit);
  const { isFile, isBlockDevice } = await Deno.stat(path);
  if (isFile) return readPlainFile(path, limit);
  if (isBlockDevice) throw new InputError(`${path} is a block device`);
  using file = await Deno.open(path);
  return await readToEnd(file, path, limit);
}

async function readToEnd(
  file: { read(piece: Uint8Array): Promise<number | null> },
  name: string,
  limit: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  for (;;) {
    const piece = new Uint8Array(1 << 16);
    const got = await file.read(piece);
    if (got === null) break;
    size += got;
    if (size > limit) throw tooLarge(name, limit);
    pieces.push(piece.subarray(0, got));
  }
  return new Uint8Array(await new Blob(pieces).arrayBuffer());
}

/** Whether a plain file is an SQLite database, by its first bytes (SQLite, "Database File Format", 1.3). */
export function isDatabase(path: string): boolean {
  if (!Deno.statSync(path).isFile) return false;
  using file = files.open(path);
  return new TextDecoder("latin1").decode(file.read(0, 16)) === "SQLite format 3\0";
}
