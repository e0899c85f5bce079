/** Attaching over the gdb remote protocol.
 *
 * @module
 */
import { fileSystem } from "./file_system.ts";
import { RemoteError, type RemoteOptions, RemoteTarget } from "../lib/remote/mod.ts";
import { connectTo, type Socket } from "./socket.ts";
import { startStub, type StubName, stubNames } from "./stubs.ts";
import { guardStub, type StubGuard } from "./stub_guard.ts";

export {
  type ConnectionOptions,
  type Patience,
  RemoteError,
  type RemoteFailure,
  type RemoteOptions,
  RemoteTarget,
  type StubOptions,
} from "../lib/remote/mod.ts";
export { type StubName, stubNames } from "./stubs.ts";

/** Where a target is: the address of a stub, or a process of this machine and the stub to start for it. */
export type RemotePlace = string | { readonly via: StubName; readonly pid: number };

/** How long a connection may take, in milliseconds. */
const connectMilliseconds = 10_000;

/** How often a running target's stub is listened to, in milliseconds. A signal that it reports stops the
 * target until it is answered. */
const attendMilliseconds = 50;

/** Attaches to the process of a debugserver, lldb-server, gdbserver or another stub that speaks the gdb
 * remote protocol. The process runs when this returns, unless it had crashed before.
 *
 * @example
 * ```ts
 * import { attachRemote } from "@machpause/machpause/remote";
 *
 * using device = await attachRemote("127.0.0.1:1234");
 * console.log(device.snapshot().mainThread.backtrace().join("\n"));
 *
 * // On a Mac: neither root nor a signed Deno is needed.
 * using target = await attachRemote({ via: "debugserver", pid: 123 });
 * ```
 * @param place `HOST:PORT`, with or without `connect://` before it, or a pid and the stub to start. A stub that
 * holds no process, as an iPhone's at first, attaches to the one after a slash: `HOST:PORT/MyApp`, or a pid
 * @throws RemoteError when there is no stub, it holds no process, or it breaks the protocol
 */
export async function attachRemote(
  place: RemotePlace,
  options: RemoteOptions = {},
): Promise<RemoteTarget> {
  if (typeof place === "string") {
    const { host, port, ...named } = parsePlace(place);
    const socket = await connectTo(host, port, connectMilliseconds);
    return attachTo(socket, { ...options, ...named });
  }
  if (!isStubName(place?.via) || !Number.isInteger(place.pid)) {
    throw new TypeError("attachRemote() takes HOST:PORT, or { via, pid } with the name of a stub");
  }
  const stub = await startStub(place.via, place.pid);
  try {
    const onDispose = () => {
      stub.end();
      options.onDispose?.();
    };
    return attachTo(stub.socket, { ...options, onDispose });
  } catch (error) {
    stub.end();
    throw error;
  }
}

/** How a program is launched over the wire. */
export interface RemoteLaunchOptions extends RemoteOptions {
  /** The stub that starts it. */
  readonly via: StubName;
}

/** Starts a program by a stub of this machine. It runs when this returns, unless `hold` says otherwise, and when the
 * target is disposed; `kill()` ends it.
 *
 * Its stdin is empty. What it prints, on stdout or stderr, goes to this process's stdout, unless `onOutput`
 * takes it.
 *
 * @example
 * ```ts
 * import { launchRemote } from "@machpause/machpause/remote";
 *
 * using target = await launchRemote("./program", ["argument"], { via: "debugserver" });
 * console.log(target.snapshot().mainThread.backtrace().join("\n"));
 * target.kill();
 * ```
 * @throws RemoteError when there is no such stub, or it does not start the program
 * @throws Deno.errors.NotFound when there is no such program
 */
export async function launchRemote(
  program: string,
  args: readonly string[],
  options: RemoteLaunchOptions,
): Promise<RemoteTarget> {
  if (typeof program !== "string" || !Array.isArray(args) || !isStubName(options?.via)) {
    throw new TypeError("launchRemote() takes a program, a list of arguments, and { via }: a stub");
  }
  const { commandOf } = await import("./launch.ts");
  const { file, args: all } = await commandOf(program, args);
  const { onOutput = (bytes) => void Deno.stdout.writeSync(bytes) } = options;
  const name = program.slice(program.lastIndexOf("/") + 1);
  const launched = { command: [file, ...all], onOutput };
  const stub = await startStub(options.via, launched);
  try {
    return attachTo(stub.socket, {
      name,
      ...options,
      onOutput,
      launched: true,
      onDispose() {
        stub.end();
        options.onDispose?.();
      },
    });
  } catch (error) {
    stub.end();
    throw error;
  }
}

function isStubName(name: unknown): name is StubName {
  return (stubNames as readonly unknown[]).includes(name);
}

function attachTo(socket: Socket, options: RemoteOptions): RemoteTarget {
  let guard: StubGuard | undefined;
  let timer: ReturnType<typeof setInterval> | undefined;
  const end = () => {
    clearInterval(timer);
    guard?.[Symbol.dispose]();
    options.onDispose?.();
  };
  try {
    const target = new RemoteTarget(socket, fileSystem, {
      ...options,
      onStop(isStopped, detachesAlone) {
        options.onStop?.(isStopped, detachesAlone);
        if (detachesAlone) return;
        guard ??= guardStub(socket.descriptor);
        guard.say(isStopped);
      },
      onDispose: end,
    });
    timer = setInterval(() => {
      try {
        target.attend();
      } catch {
        // The next use of the target tells.
        clearInterval(timer);
      }
    }, attendMilliseconds);
    Deno.unrefTimer(timer as unknown as number);
    return target;
  } catch (error) {
    guard?.[Symbol.dispose]();
    throw error;
  }
}

/** Takes `HOST:PORT` apart, and `HOST:PORT/PROCESS`.
 *
 * @throws RemoteError when it is none
 */
function parsePlace(place: string): { host: string; port: number; process?: number | string } {
  const text = place.replace(/^(?:connect|tcp|gdb-remote):(?:\/\/)?/, "");
  const found = /^(?:\[([\da-fA-F:.%\w]+)\]|([^\s:/[\]]*)):(\d{1,5})(?:\/(.*))?$/.exec(text);
  const port = Number(found?.[3]);
  if (found === null || port === 0 || port > 65535) {
    throw new RemoteError("connect", `${place} is no address of a stub: write HOST:PORT`);
  }
  const [, sixth, host, , process = ""] = found;
  return {
    host: sixth ?? (host || "127.0.0.1"),
    port,
    ...(process === "" ? {} : { process: /^\d{1,10}$/.test(process) ? Number(process) : process }),
  };
}
