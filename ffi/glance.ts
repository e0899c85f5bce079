/** Looking at a thread of Linux without stopping it. */
import type { ArchName } from "../lib/arch/mod.ts";
import type { Glance, GlanceAt } from "../lib/hang/mod.ts";

/** The system calls that wait for events: `epoll_wait`, `epoll_pwait`, `epoll_pwait2`, `poll`, `ppoll`, `select`,
 * `pselect6` and those of them with 64-bit times. From Linux's tables: `arch/x86/entry/syscalls/syscall_64.tbl` and
 * `syscall_32.tbl`, `arch/arm/tools/syscall.tbl`, `include/uapi/asm-generic/unistd.h`. */
const eventCalls: Readonly<Record<ArchName, ReadonlySet<string>>> = {
  x86_64: new Set(["232", "281", "441", "7", "271", "23", "270"]),
  i386: new Set(["256", "319", "441", "168", "309", "414", "82", "142", "308", "413"]),
  arm64: new Set(["22", "441", "73", "72"]),
  armv7: new Set(["252", "346", "441", "168", "336", "414", "142", "335", "413"]),
};

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
 * (`Documentation/filesystems/proc.rst` of Linux).
 *
 * @param arch of the process
 * @returns `undefined` where the system has no such files
 */
export function procGlance(arch: ArchName): (GlanceAt & Disposable) | undefined {
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
    if (place === undefined) return undefined;
    const running = place === "running";
    const { ran } = opened;
    return {
      running,
      // Of an idle thread, which most looks find, nobody asks it.
      get ran() {
        return Number.parseInt(ran.read() ?? "0");
      },
      place: running ? null : place,
      stackPointer: running ? null : BigInt(place.split(" ").at(-2) ?? "0"),
      isForEvents: !running && eventCalls[arch].has(place.slice(0, place.indexOf(" "))),
    };
  };
  return Object.assign(glance, { [Symbol.dispose]: close });
}
