/** Looking at a thread of Linux without stopping it. */
import type { Glance, GlanceAt } from "../lib/hang/mod.ts";

const decoder = new TextDecoder();

/** Files of `/proc` that stay open: reading one again takes a microsecond. */
class ProcFile implements Disposable {
  readonly #file: Deno.FsFile;
  readonly #bytes = new Uint8Array(256);

  constructor(path: string) {
    this.#file = Deno.openSync(path);
  }

  /** Its first bytes; `undefined` when the thread has ended. */
  read(): string | undefined {
    try {
      this.#file.seekSync(0, Deno.SeekMode.Start);
      const length = this.#file.readSync(this.#bytes);
      return length === null ? undefined : decoder.decode(this.#bytes.subarray(0, length));
    } catch {
      return undefined;
    }
  }

  [Symbol.dispose](): void {
    this.#file.close();
  }
}

/** Glances at threads by `/proc/PID/task/TID`: `schedstat` has the processor time in nanoseconds, `syscall` the
 * system call that a thread waits in, with the stack pointer and the program counter, or `running`
 * (`Documentation/filesystems/proc.rst` of Linux). `undefined` where the system has no such files. */
export function procGlance(): (GlanceAt & Disposable) | undefined {
  if (Deno.build.os !== "linux") return undefined;
  let opened:
    | { readonly key: string; readonly ran: ProcFile; readonly place: ProcFile }
    | undefined;
  const close = () => {
    opened?.ran[Symbol.dispose]();
    opened?.place[Symbol.dispose]();
    opened = undefined;
  };
  const glance = (pid: number, thread: bigint): Glance | undefined => {
    const key = `/proc/${pid}/task/${thread}`;
    if (opened?.key !== key) {
      close();
      try {
        opened = {
          key,
          ran: new ProcFile(`${key}/schedstat`),
          place: new ProcFile(`${key}/syscall`),
        };
      } catch {
        return undefined;
      }
    }
    const place = opened.place.read()?.trim();
    const ran = opened.ran.read();
    if (place === undefined || ran === undefined) return undefined;
    const running = place === "running";
    return {
      running,
      ran: Number(ran.slice(0, ran.indexOf(" "))),
      place: running ? null : place,
      stackPointer: running ? null : BigInt(place.split(" ").at(-2) ?? "0"),
    };
  };
  return Object.assign(glance, { [Symbol.dispose]: close });
}
