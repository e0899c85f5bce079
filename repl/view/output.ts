import { escape } from "../../lib/escape.ts";

const encoder = new TextEncoder();

/** Writes all of it. A reader that has gone ends the program, quietly: it wants no more. */
export function write(
  stream: { writeSync(bytes: Uint8Array): number },
  text: string | Uint8Array,
): void {
  let bytes = typeof text === "string" ? encoder.encode(text) : text;
  while (bytes.length > 0) {
    try {
      bytes = bytes.subarray(stream.writeSync(bytes));
    } catch (error) {
      // EIO is what a terminal answers whose window was closed.
      const gone = error instanceof Deno.errors.BrokenPipe ||
        (error as { code?: string }).code === "EIO";
      if (gone) Deno.exit(0);
      if (!(error instanceof Deno.errors.WouldBlock)) throw error;
      // Somebody made the terminal or pipe that we share with them non-blocking, and it is full.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2);
    }
  }
}

/** Writes text to stdout, encoded or not. Whatever in it came from a target has been escaped. */
export function print(text: string | Uint8Array): void {
  write(Deno.stdout, text);
}

/** Writes lines to stdout. */
export function printLines(lines: readonly string[]): void {
  if (lines.length > 0) print(lines.join("\n") + "\n");
}

/** What went wrong, in one line and safe to print. */
export function explain(error: unknown): string {
  const text = error instanceof Error
    ? builtin.has(error.name) || error.message === ""
      ? `${error.name}: ${error.message}`
      : error.message
    : String(error);
  return escape(text.trim().replace(/\s*\n\s*/g, "; "));
}

/** Errors whose message alone does not say that something is wrong with the code that ran. */
const builtin: ReadonlySet<string> = new Set([
  "RangeError",
  "ReferenceError",
  "SyntaxError",
  "TypeError",
]);

/** Says on stderr what went wrong. */
export function complain(message: string): void {
  write(Deno.stderr, `machpause: ${message}\n`);
}
