/** A pseudo-terminal for a program that is launched from the prompt: what it prints is read here, and can be
 * shown around the line that is being edited. A pipe would make most programs keep their output back. */
import { spawn } from "node:child_process";
import { closeSync, constants, openSync } from "node:fs";
import type { LaunchHooks } from "./launch.ts";

/** What is called of the C library; `ioctl` without the arguments that would be variadic. */
const symbols = {
  posix_openpt: { parameters: ["i32"], result: "i32" },
  grantpt: { parameters: ["i32"], result: "i32" },
  unlockpt: { parameters: ["i32"], result: "i32" },
  ptsname: { parameters: ["i32"], result: "pointer" },
  ioctl: { parameters: ["i32", "u64"], result: "i32" },
  close: { parameters: ["i32"], result: "i32" },
  read: { parameters: ["i32", "buffer", "usize"], result: "isize", nonblocking: true },
} as const;

/** The C library, and `FIOCLEX` of `<sys/filio.h>` and `<asm-generic/ioctls.h>`. */
const { library, FIOCLEX } = Deno.build.os === "darwin"
  ? { library: "/usr/lib/libSystem.B.dylib", FIOCLEX: 0x20006601n }
  : { library: "libc.so.6", FIOCLEX: 0x5451n };

/** What a shell runs to start a program with a terminal as its stdout and stderr. */
const openTerminal = 'exec "$@" 1<>"$0" 2>&1';

/** A pseudo-terminal that a program can be started on. */
export interface Pty {
  /** Starts a program whose stdout and stderr are the terminal. */
  readonly spawn: NonNullable<LaunchHooks["spawn"]>;
  /** Reads what is printed, until no program has the terminal open. */
  read(take: (text: string) => void): Promise<void>;
  /** Closes a terminal that is not read. */
  close(): void;
}

/** Opens a pseudo-terminal; `undefined` where the system has none to give. */
export function openPty(): Pty | undefined {
  let libc: Deno.DynamicLibrary<typeof symbols>["symbols"];
  try {
    libc = Deno.dlopen(library, symbols).symbols;
  } catch {
    return undefined;
  }
  const access = constants.O_RDWR | constants.O_NOCTTY;
  const master = libc.posix_openpt(access);
  if (master < 0) return undefined;
  // Programs that are started must not hold it open.
  libc.ioctl(master, FIOCLEX);
  const close = () => void libc.close(master);
  const name = libc.grantpt(master) === 0 && libc.unlockpt(master) === 0
    ? libc.ptsname(master)
    : null;
  if (name === null) {
    close();
    return undefined;
  }
  const path = Deno.UnsafePointerView.getCString(name);
  return {
    close,
    spawn(file, { args = [], env = {}, cwd }) {
      // Beside those that a program is given, Deno has it inherit copies of descriptors. On Linux a shell starts
      // every program anyway, and can open the terminal by its name; on Darwin dyld's variables would be lost in it.
      if (Deno.build.os === "linux") {
        return new Deno.Command("/bin/sh", {
          args: ["-c", openTerminal, path, `${file}`, ...args],
          ...{ stdin: "null", stdout: "null", stderr: "null", env },
          ...(cwd === undefined ? {} : { cwd }),
        }).spawn();
      }
      const slave = openSync(path, access);
      try {
        const child = spawn(file, [...args], {
          stdio: ["ignore", slave, slave],
          env: { ...Deno.env.toObject(), ...env },
          ...(cwd === undefined ? {} : { cwd: `${cwd}` }),
        });
        const status = new Promise<Deno.CommandStatus>((resolve, reject) => {
          child.once("error", reject);
          child.once("exit", (code, signal) =>
            resolve({
              success: code === 0,
              code: code ?? 0,
              signal: signal as Deno.Signal | null,
            }));
        });
        if (child.pid === undefined) {
          throw new Deno.errors.PermissionDenied(`${file} did not start`);
        }
        return {
          pid: child.pid,
          status,
          kill: (signal) => Deno.kill(child.pid!, signal ?? "SIGTERM"),
          unref: () => child.unref(),
        };
      } finally {
        closeSync(slave);
      }
    },
    async read(take) {
      const decoder = new TextDecoder();
      const buffer = new Uint8Array(4096);
      for (;;) {
        // 0 or EIO: nobody has the other side open.
        const got = Number(await libc.read(master, buffer, BigInt(buffer.length)));
        if (got <= 0) break;
        take(decoder.decode(buffer.subarray(0, got), { stream: true }));
      }
      close();
    },
  };
}
