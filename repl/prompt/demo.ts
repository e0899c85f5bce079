/** The demo process: a program whose threads each stay in a known function. */
import type { LiveTarget } from "../../mod.ts";
import { launch } from "../../ffi/processes.ts";
import { UserError } from "../errors.ts";
import { held, type Opened } from "./opened.ts";

/** The demo's sources and binaries. */
const directory = new URL("../../examples/demo/", import.meta.url);

/** Maximum time for the demo's threads to reach their functions; after that the demo is shown as it is. */
const settleMilliseconds = 5000;

/** The signals that end this process without an `unload` event, which would leave the demo behind. */
const signals = ([["SIGHUP", 1], ["SIGINT", 2], ["SIGTERM", 15]] as const).map((
  [name, number],
) => ({ name, listener: () => Deno.exit(128 + number) }));

/** Starts the demo. It ends when the result is disposed, or with this process.
 *
 * @throws UserError when there is no demo here
 */
export async function openDemo(): Promise<Opened> {
  if (directory.protocol !== "file:") {
    throw new UserError("the demo comes with the sources: run it from a checkout");
  }
  using program = Deno.build.os === "darwin" ? await compile() : built();
  const target = await launch(program.path, [], { output: "null" });
  const end = () => target.kill();
  addEventListener("unload", end);
  for (const { name, listener } of signals) Deno.addSignalListener(name, listener);
  try {
    await settle(target);
  } catch (error) {
    end();
    throw error;
  }
  return held(target, () => {
    removeEventListener("unload", end);
    for (const { name, listener } of signals) Deno.removeSignalListener(name, listener);
    end();
  });
}

/** A program that can be run until this is disposed. */
interface Program extends Disposable {
  readonly path: string;
}

/** The demo built for the Mach-O loader. */
function built(): Program {
  const path = decodeURIComponent(new URL("x86_64/demo", directory).pathname);
  return { path, [Symbol.dispose]() {} };
}

/** The demo compiled for this Mac. */
async function compile(): Promise<Program> {
  const path = Deno.makeTempDirSync({ prefix: "machpause-demo-" });
  const source = (name: string) => decodeURIComponent(new URL(name, directory).pathname);
  // A tail call would remove its caller from the stack.
  const flags = ["-g", "-O1", "-fno-omit-frame-pointer", "-fno-optimize-sibling-calls"];
  const library = `${path}/libworkers.dylib`;
  const name = "@rpath/libworkers.dylib";
  const steps = [
    ["-dynamiclib", "-install_name", name, "-o", library, source("workers.c")],
    ["-o", `${path}/demo`, source("demo.c"), library, "-rpath", "@loader_path"],
  ];
  try {
    for (const step of steps) {
      const { success, stderr } = await new Deno.Command("cc", { args: [...flags, ...step] })
        .output();
      if (!success) {
        const reason = new TextDecoder().decode(stderr).split("\n", 1)[0];
        throw new UserError(`the demo could not be compiled: ${reason}`);
      }
    }
  } catch (error) {
    Deno.removeSync(path, { recursive: true });
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    throw new UserError("the demo needs a C compiler: `xcode-select --install` installs one");
  }
  // A running program keeps its files open; only their names are removed.
  return {
    path: `${path}/demo`,
    [Symbol.dispose]: () => Deno.removeSync(path, { recursive: true }),
  };
}

/** Waits until every worker is in its function, which the demo says in a variable of its own. */
async function settle(target: LiveTarget): Promise<void> {
  const late = performance.now() + settleMilliseconds;
  let ready: bigint | undefined;
  while (performance.now() < late) {
    ready ??= target.lookup("demo_ready")[0]?.symbol.address;
    if (ready !== undefined && target.memory.readU32(ready) !== 0) return;
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}
