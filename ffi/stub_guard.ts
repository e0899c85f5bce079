/** Detaches a stub when this process ends without a word, as by SIGKILL. Some stubs, such as a gdbserver
 * without `--once`, keep their target stopped when the connection is lost. */
import { libcPath } from "./socket.ts";

/** What watches this process. */
export interface StubGuard extends Disposable {
  /** Says whether the target is stopped: only then it has to be let go. */
  say(isStopped: boolean): void;
}

/** A shell that shares the connection. Its input ends when this process does; then it sends `D`, gdb's
 * request to detach, unless the target runs. It waits for the stub to read that. */
const script = `trap "" INT HUP TERM QUIT
while read s; do l=$s; done
if [ "$l" = s ]; then printf '$D#44'; sleep 1; fi`;

const symbols = {
  pipe: { parameters: ["buffer"], result: "i32" },
  write: { parameters: ["i32", "buffer", "usize"], result: "isize" },
  close: { parameters: ["i32"], result: "i32" },
  waitpid: { parameters: ["i32", "buffer", "i32"], result: "i32" },
  posix_spawn: {
    parameters: ["buffer", "buffer", "buffer", "pointer", "buffer", "buffer"],
    result: "i32",
  },
  posix_spawn_file_actions_init: { parameters: ["buffer"], result: "i32" },
  posix_spawn_file_actions_adddup2: { parameters: ["buffer", "i32", "i32"], result: "i32" },
  posix_spawn_file_actions_addclose: { parameters: ["buffer", "i32"], result: "i32" },
  posix_spawn_file_actions_destroy: { parameters: ["buffer"], result: "i32" },
} as const satisfies Deno.ForeignLibraryInterface;

/** Larger than `posix_spawn_file_actions_t` of any system. */
const fileActionsSize = 512;

const stopped = new TextEncoder().encode("s\n");
const running = new TextEncoder().encode("r\n");

/** A null-terminated array of C strings, and what it points to. */
function strings(texts: readonly string[]): { array: BigUint64Array; kept: Uint8Array[] } {
  const kept = texts.map((text) => new TextEncoder().encode(`${text}\0`));
  const array = new BigUint64Array(texts.length + 1);
  for (const [index, bytes] of kept.entries()) {
    array[index] = Deno.UnsafePointer.value(
      Deno.UnsafePointer.of(bytes as Uint8Array<ArrayBuffer>),
    );
  }
  return { array, kept };
}

/** Starts to watch.
 *
 * @param socket the connection's descriptor
 */
export function guardStub(socket: number): StubGuard {
  const libc = Deno.dlopen(libcPath, symbols).symbols;
  const ends = new Int32Array(2);
  if (libc.pipe(ends) !== 0) throw new Error("out of file descriptors");
  const [input, output] = ends;
  const actions = new Uint8Array(fileActionsSize);
  const pid = new Int32Array(1);
  const path = new TextEncoder().encode("/bin/sh\0");
  const words = strings(["sh", "-c", script]);
  const environment = strings(["PATH=/usr/bin:/bin"]);
  libc.posix_spawn_file_actions_init(actions);
  // The order matters: the descriptors may be 0 or 1 themselves only if this process has none of its own.
  libc.posix_spawn_file_actions_adddup2(actions, input, 0);
  libc.posix_spawn_file_actions_adddup2(actions, socket, 1);
  libc.posix_spawn_file_actions_addclose(actions, output);
  const code = libc.posix_spawn(pid, path, actions, null, words.array, environment.array);
  libc.posix_spawn_file_actions_destroy(actions);
  // The strings are alive until here.
  void [words.kept, environment.kept];
  libc.close(input);
  if (code !== 0) libc.close(output);
  let isOpen = code === 0;
  return {
    say(isStopped) {
      const line = isStopped ? stopped : running;
      if (isOpen) libc.write(output, line, BigInt(line.length));
    },
    [Symbol.dispose]() {
      if (!isOpen) return;
      isOpen = false;
      libc.write(output, running, BigInt(running.length));
      libc.close(output);
      libc.waitpid(pid[0], new Int32Array(1), 0);
    },
  };
}
