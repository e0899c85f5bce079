/** The terminal that lines are edited on. */
import { type Key, KeyReader } from "./keys.ts";

/** So long after an Escape character nothing belongs to it any more. */
const escapeMilliseconds = 40;

/** Asks the terminal to mark what is pasted, and to leave that. */
const bracketedPaste = { on: "\x1b[?2004h", off: "\x1b[?2004l" };

/** Standard input in raw mode, as keys. */
export class TerminalInput {
  readonly #write: (text: string) => void;
  readonly #reader = new KeyReader();
  #raw = false;

  constructor(write: (text: string) => void) {
    this.#write = write;
  }

  /** Takes the terminal, or gives it back as it was. */
  set raw(on: boolean) {
    if (this.#raw === on) return;
    try {
      // Its mode first: a terminal that is gone is not to be written to.
      Deno.stdin.setRaw(on);
      this.#raw = on;
      this.#write(on ? bracketedPaste.on : bracketedPaste.off);
    } catch {
      // It is gone: there is nothing to give back.
      this.#raw = false;
    }
  }

  /** Reads keys until the terminal is gone. */
  async read(take: (keys: readonly Key[]) => void): Promise<void> {
    const decoder = new TextDecoder();
    const bytes = new Uint8Array(16384);
    let timer: ReturnType<typeof setTimeout> | undefined;
    for (;;) {
      const count = await Deno.stdin.read(bytes).catch(() => null);
      clearTimeout(timer);
      if (count === null) return;
      take(this.#reader.read(decoder.decode(bytes.subarray(0, count), { stream: true })));
      if (this.#reader.waiting) {
        timer = setTimeout(() => take(this.#reader.read("", true)), escapeMilliseconds);
      }
    }
  }

  /** Stops the program, as Ctrl-Z does elsewhere, until it is continued. */
  suspend(continued: () => void): void {
    if (Deno.build.os === "windows") return;
    this.raw = false;
    const listener = () => {
      Deno.removeSignalListener("SIGCONT", listener);
      this.raw = true;
      continued();
    };
    Deno.addSignalListener("SIGCONT", listener);
    Deno.kill(Deno.pid, "SIGTSTP");
  }
}

/** How large the terminal is. */
export function terminalSize(): { columns: number; rows: number } {
  try {
    const { columns, rows } = Deno.consoleSize();
    // One that does not say is as large as terminals used to be.
    return { columns: columns || 80, rows: rows || 24 };
  } catch {
    return { columns: 80, rows: 24 };
  }
}
