/** The terminal that lines are edited on. */
import { safe, type SafeText } from "../../lib/escape.ts";
import { type Key, KeyReader } from "./keys.ts";

/** After this time an Escape character is the Escape key, and not the beginning of a sequence. */
const escapeMilliseconds = 40;

/** Makes the terminal mark what is pasted, or not (xterm's bracketed paste). */
const bracketedPaste = { on: safe`\x1b[?2004h`, off: safe`\x1b[?2004l` };

/** Standard input in raw mode, as keys. */
export class TerminalInput {
  readonly #write: (text: SafeText) => void;
  readonly #reader = new KeyReader();
  #raw = false;

  constructor(write: (text: SafeText) => void) {
    this.#write = write;
  }

  /** Takes the terminal, or restores it. */
  set raw(on: boolean) {
    if (this.#raw === on) return;
    try {
      // The mode first: it fails where the terminal is gone, before anything is written.
      Deno.stdin.setRaw(on);
      this.#raw = on;
      this.#write(on ? bracketedPaste.on : bracketedPaste.off);
    } catch {
      // There is nothing to restore.
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
