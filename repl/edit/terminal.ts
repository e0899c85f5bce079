/** The terminal that lines are edited on. */
import { procFields } from "../../ffi/procfs.ts";
import { safe, type SafeText } from "../../lib/escape.ts";
import { cells, clearStop, shared } from "./interrupt.ts";
import { type Key, KeyReader } from "./keys.ts";

/** After this time an Escape character is the Escape key, and not the beginning of a sequence. */
const escapeMilliseconds = 40;

/** Makes the terminal mark what is pasted, or not (xterm's bracketed paste). */
const bracketedPaste = { on: safe`\x1b[?2004h`, off: safe`\x1b[?2004l` };

/** What the keyboard's thread read. */
export interface Typed {
  readonly bytes: Uint8Array;
  /** The run that was going on; 0 for none. */
  readonly run: number;
}

/** Ctrl-C and Ctrl-\\. */
const interrupting: ReadonlySet<number> = new Set([0x03, 0x1c]);

/** Standard input in raw mode, as keys. */
export class TerminalInput {
  readonly #write: (text: SafeText) => void;
  readonly #reader = new KeyReader();
  #raw = false;
  #keyboard: Worker | undefined;
  #ended: (() => void) | undefined;
  #run = 0;

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

  /** Reads keys until the terminal is gone, or {@linkcode close} is called. */
  async read(take: (keys: readonly Key[]) => void): Promise<void> {
    const decoder = new TextDecoder();
    let timer: ReturnType<typeof setTimeout> | undefined;
    this.#keyboard = new Worker(new URL("./keyboard_worker.ts", import.meta.url), {
      type: "module",
    });
    const ended = Promise.withResolvers<void>();
    this.#ended = ended.resolve;
    this.#keyboard.onerror = (event) => ended.reject(new Error(event.message));
    this.#keyboard.onmessage = ({ data }: MessageEvent<Typed | null>) => {
      clearTimeout(timer);
      const bytes = data?.bytes ?? new Uint8Array();
      const interrupts = data === null ? 1 : bytes.filter((byte) => interrupting.has(byte)).length;
      Atomics.add(shared, cells.heard, interrupts);
      if (data === null) return ended.resolve();
      // What was typed ahead was meant to follow the code that was stopped.
      const interrupted = Atomics.load(shared, cells.interrupted);
      const follows = data.run !== 0 && data.run === interrupted &&
        data.run !== Atomics.load(shared, cells.run);
      if (!follows) {
        take(this.#reader.read(decoder.decode(bytes, { stream: true })));
        if (this.#reader.waiting) {
          timer = setTimeout(() => take(this.#reader.read("", true)), escapeMilliseconds);
        }
      }
      Atomics.add(shared, cells.taken, 1);
      Atomics.notify(shared, cells.taken);
    };
    Atomics.store(shared, cells.taken, 0);
    this.#keyboard.postMessage(shared.buffer);
    await ended.promise;
  }

  /** Reads no more. A read that waits goes on until a key is pressed. */
  close(): void {
    this.#keyboard?.terminate();
    this.#ended?.();
  }

  /** Runs something that Ctrl-C can stop even while it keeps this thread busy. Code that is no longer
   * waited for stops, too, until the next run begins. */
  async run(work: () => Promise<unknown>): Promise<void> {
    clearStop();
    Atomics.store(shared, cells.run, ++this.#run);
    try {
      await work();
    } finally {
      Atomics.store(shared, cells.run, 0);
    }
  }

  /** Stops the job, as Ctrl-Z does elsewhere, until a shell continues it. */
  suspend(continued: () => void): void {
    if (!canBeContinued()) return;
    this.raw = false;
    const listener = () => {
      Deno.removeSignalListener("SIGCONT", listener);
      this.raw = true;
      continued();
    };
    Deno.addSignalListener("SIGCONT", listener);
    // The whole process group. Not SIGTSTP: `deno task` catches that, and the shell would wait on.
    Deno.kill(0, "SIGSTOP");
  }
}

/** Whether a shell waits for this process group: POSIX's opposite of an orphaned one, whose SIGTSTP the
 * kernel ignores. */
function canBeContinued(): boolean {
  const own = jobOf(Deno.pid);
  let parent = own && jobOf(own.parent);
  while (parent !== undefined && parent.group === own!.group) parent = jobOf(parent.parent);
  return parent !== undefined && parent.session === own!.session;
}

/** The parent, the process group and the session of a process; of the session what tells it apart. */
function jobOf(pid: number): { parent: number; group: number; session: string } | undefined {
  try {
    if (Deno.build.os === "linux") {
      const fields = procFields(pid);
      if (fields === undefined) return undefined;
      const [, parent, group, session] = fields;
      return { parent: Number(parent), group: Number(group), session };
    }
    const { success, stdout } = new Deno.Command("ps", {
      args: ["-o", "ppid=,pgid=,tty=", "-p", `${pid}`],
    }).outputSync();
    if (!success) return undefined;
    const [parent, group, session] = new TextDecoder().decode(stdout).trim().split(/\s+/);
    return { parent: Number(parent), group: Number(group), session };
  } catch {
    return undefined;
  }
}
