/** Code that a runtime makes is named as the runtime itself does. The runtime is V8, of Deno. */
import { assert, assertEquals } from "@std/assert";
import { attach } from "../../ffi/processes.ts";
import { isRoot, onLinux } from "../machine.ts";

/** Says who its callers are, by V8, and waits. */
const program = `
  function leaf() {
    console.log(JSON.stringify(new Error().stack.match(/(?<=at )\\\\w+(?= \\\\()/g)));
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  }
  function middle() { leaf(); return 1; }
  function outer() { return middle() + 1; }
  outer();
`.replaceAll("\\\\", "\\");

/** V8 would write a log into the working directory too. */
const flags =
  "--v8-flags=--perf-basic-prof,--interpreted-frames-native-stack,--no-logfile-per-isolate,--logfile=+";

interface Running extends AsyncDisposable {
  readonly child: Deno.ChildProcess;
  /** The functions' names as V8 has them, the innermost first. */
  readonly names: readonly string[];
}

async function run(command: string, args: readonly string[]): Promise<Running> {
  const child = new Deno.Command(command, {
    args: [...args, Deno.execPath(), "eval", flags, program],
    stdout: "piped",
    env: { NO_COLOR: "1" },
  }).spawn();
  const reader = child.stdout.getReader();
  const { value } = await reader.read();
  return {
    child,
    names: JSON.parse(new TextDecoder().decode(value)),
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await child.status;
      await reader.cancel();
    },
  };
}

/** The names of the program's functions in a backtrace. */
function shown(pid: number): string[] {
  using target = attach(pid);
  const names = [...target.snapshot().threads[0].backtrace()].map((frame) => frame.function ?? "");
  return names.flatMap((name) => /^JS:\W*(leaf|middle|outer) /.exec(name)?.[1] ?? []);
}

Deno.test({
  name: "functions that V8 compiles have the names that it tells perf, from a file of its user",
  ignore: !onLinux,
  async fn() {
    await using running = await run("env", []);
    const { child: { pid }, names } = running;
    const path = `/tmp/perf-${pid}.map`;
    try {
      assertEquals(names, ["leaf", "middle", "outer"]);
      assertEquals(shown(pid), names);
      using target = attach(pid);
      const place = target.snapshot().threads[0].backtrace().activations
        .find((frame) => frame.function?.includes("middle"))!;
      const info = target.resolve(place.address);
      assertEquals([info.image?.path, info.symbol?.name], [path, place.function]);
      // perf's own answer: the line of the file that holds the address.
      const lines = (await Deno.readTextFile(path)).trimEnd().split("\n").map((text) => {
        const [start, size, ...name] = text.split(" ");
        return { start: BigInt(`0x${start}`), size: BigInt(`0x${size}`), name: name.join(" ") };
      });
      const line = lines.findLast(({ start, size }) =>
        place.address >= start && place.address < start + size
      );
      assertEquals(line?.name, place.function);
      assertEquals([info.functionStart, info.symbol?.size], [line?.start, Number(line?.size)]);
      if (isRoot) {
        // Anybody may have written it: it would lie about this process.
        await Deno.chown(path, 1, null);
        assertEquals(shown(pid), []);
        await Deno.chown(path, 0, null);
      }
      await Deno.rename(path, `${path}.moved`);
      await Deno.symlink(`${path}.moved`, path);
      assertEquals(shown(pid), []);
    } finally {
      for (const name of [path, `${path}.moved`]) {
        await Deno.remove(name).catch(() => {});
      }
    }
  },
});

/** Whether a process may have namespaces of its own here: as root, mostly not inside of a container. */
function mayUnshare(): boolean {
  const args = ["-m", "-p", "-f", "mount", "-t", "tmpfs", "none", "/tmp"];
  return new Deno.Command("unshare", { args, stderr: "null" }).outputSync().success;
}

Deno.test({
  name: "a process in a container has the file that is there, by its pid there",
  ignore: !onLinux || !mayUnshare(),
  async fn() {
    const script = 'mount -t tmpfs none /tmp && exec "$@"';
    await using running = await run("unshare", [
      ...["-m", "-p", "-f", "--kill-child", "sh", "-c", script, "sh"],
    ]);
    const { child: { pid } } = running;
    const [inside] = (await Deno.readTextFile(`/proc/${pid}/task/${pid}/children`)).split(" ");
    assert(await Deno.stat(`/proc/${inside}/root/tmp/perf-1.map`));
    assertEquals(shown(Number(inside)), ["leaf", "middle", "outer"]);
  },
});
