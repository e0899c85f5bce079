/** Long output of the command line, through a pager. */
import type { SafeText } from "../../lib/escape.ts";
import { print, printBytes, terminalSize } from "./output.ts";

/** Whether long output is paged: on a terminal, unless `PAGER` is `cat` or empty. */
function pages(): boolean {
  if (!Deno.stdout.isTerminal() || !Deno.stdin.isTerminal()) return false;
  const pager = Deno.env.get("PAGER");
  return Deno.env.get("TERM") !== "dumb" && (pager === undefined || !/^(?:cat)?\s*$/.test(pager));
}

/** A piece of output: bytes are of text that was escaped. */
type Piece = SafeText | Uint8Array;

const encoder = new TextEncoder();

function bytesOf(piece: Piece): Uint8Array {
  return typeof piece === "string" ? encoder.encode(piece) : piece;
}

function lineCount(bytes: Uint8Array): number {
  let count = 0;
  for (let at = bytes.indexOf(0x0a); at >= 0; at = bytes.indexOf(0x0a, at + 1)) count++;
  return count;
}

/** Prints piece by piece. What is longer than the terminal goes through `$PAGER`, or `less -FRX`, which is
 * started when a screen is full. Dispose it to print the rest, and wait for the pager. */
export class PagedOutput implements AsyncDisposable {
  readonly #pages: boolean;
  readonly #rows = terminalSize().rows;
  /** What was printed before the pager was needed. */
  readonly #held: Uint8Array[] = [];
  #lines = 0;
  #child: Deno.ChildProcess | undefined;
  #writer: WritableStreamDefaultWriter<Uint8Array> | undefined;
  #ended = false;

  /** @param wanted whether the output may be paged, if this is a terminal */
  constructor(wanted = true) {
    this.#pages = wanted && pages();
  }

  /** Prints a piece.
   *
   * @returns whether somebody reads on */
  async print(piece: Piece): Promise<boolean> {
    if (!this.#pages) {
      if (typeof piece === "string") print(piece);
      else printBytes(piece);
      return true;
    }
    const bytes = bytesOf(piece);
    if (this.#writer !== undefined) return await this.#write(bytes);
    this.#held.push(bytes);
    this.#lines += lineCount(bytes);
    if (this.#lines < this.#rows) return true;
    this.#start();
    if (this.#writer === undefined) return true;
    for (const held of this.#held) await this.#write(held);
    return !this.#ended;
  }

  async #write(bytes: Uint8Array): Promise<boolean> {
    // Whoever leaves the pager early does not read the rest.
    if (!this.#ended) await this.#writer!.write(bytes).catch(() => this.#ended = true);
    return !this.#ended;
  }

  #start(): void {
    const pager = Deno.env.get("PAGER")?.trim() || "less -FRX";
    try {
      // `PAGER` may have arguments, and may be a command of the shell.
      const child = new Deno.Command("/bin/sh", { args: ["-c", pager], stdin: "piped" }).spawn();
      // Ctrl-C is the pager's while it runs.
      Deno.addSignalListener("SIGINT", ignore);
      this.#child = child;
      this.#writer = child.stdin.getWriter();
    } catch {
      this.#printHeld();
    }
  }

  #printHeld(): void {
    for (const held of this.#held.splice(0)) printBytes(held);
    this.#lines = 0;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child === undefined) return this.#printHeld();
    try {
      await this.#writer!.close().catch(() => {});
      const { code } = await this.#child.status;
      // The shell's answers where there is no such program.
      if (code === 126 || code === 127) this.#printHeld();
    } finally {
      Deno.removeSignalListener("SIGINT", ignore);
    }
  }
}

const ignore = (): void => {};

/** Prints a text; one that is longer than the terminal through the pager. */
export async function printPaged(text: SafeText): Promise<void> {
  await using output = new PagedOutput();
  await output.print(text);
}
