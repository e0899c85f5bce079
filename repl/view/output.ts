/** Writing to the terminal. Only text that is safe to print gets here, checked by the compiler. */
import type { AttachError } from "../../lib/errors.ts";
import { escape, joinLines, safe, type SafeText } from "../../lib/escape.ts";
import { lines as asLines, wrapped } from "./text.ts";

const encoder = new TextEncoder();

/** Writes all of a text. When the reader has gone, the program ends quietly. */
export function write(
  stream: { writeSync(bytes: Uint8Array): number },
  text: SafeText,
): void {
  writeBytes(stream, encoder.encode(text));
}

function writeBytes(
  stream: { writeSync(bytes: Uint8Array): number },
  bytes: Uint8Array,
): void {
  for (let left = bytes; left.length > 0;) {
    try {
      left = left.subarray(stream.writeSync(left));
    } catch (error) {
      // A terminal whose window was closed answers EIO.
      const gone = error instanceof Deno.errors.BrokenPipe ||
        (error as { code?: string }).code === "EIO";
      if (gone) Deno.exit(0);
      if (!(error instanceof Deno.errors.WouldBlock)) throw error;
      // Another process made the shared terminal or pipe non-blocking, and it is full.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2);
    }
  }
}

/** Writes text to stdout. */
export function print(text: SafeText): void {
  write(Deno.stdout, text);
}

/** Writes bytes to stdout: text that was escaped and then encoded, or a file's contents where stdout is
 * not a terminal. */
export function printBytes(bytes: Uint8Array): void {
  writeBytes(Deno.stdout, bytes);
}

/** Writes lines to stdout. */
export function printLines(lines: readonly SafeText[]): void {
  if (lines.length > 0) print(asLines(lines));
}

/** An error as one line, without a full stop at its end. Where the reason is known that a process could not be
 * attached to, the call that failed says nothing more. */
export function explain(error: unknown): SafeText {
  const { name, reason, remedy } = (error ?? {}) as Partial<AttachError>;
  const text = name === "AttachError" && reason !== "other"
    ? remedy!
    : error instanceof Error
    ? builtin.has(error.name) || error.message === ""
      ? `${error.name}: ${error.message}`
      : error.message
    : String(error);
  return escape(joinLines(text.trim()).replace(/\.$/, ""));
}

/** Errors that come from a mistake in code: their name belongs to the message. */
const builtin: ReadonlySet<string> = new Set([
  "RangeError",
  "ReferenceError",
  "SyntaxError",
  "TypeError",
]);

/** Writes to stderr what went wrong; on a terminal, wrapped at words. */
export function complain(message: SafeText): void {
  const text = safe`machpause: ${message}`;
  const { columns } = Deno.stderr.isTerminal() ? terminalSize() : { columns: Infinity };
  write(Deno.stderr, asLines(wrapped(text, columns)));
}

/** The size of the terminal. */
export function terminalSize(): { columns: number; rows: number } {
  try {
    const { columns, rows } = Deno.consoleSize();
    // Some terminals do not know their size, and say 0.
    return { columns: columns || 80, rows: rows || 24 };
  } catch {
    return { columns: 80, rows: 24 };
  }
}
