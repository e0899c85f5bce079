/** The demo process: a program whose threads each stay in a known function, or one that is deadlocked. */
import type { LiveTarget } from "../../mod.ts";
import { demoPath, demoPrograms } from "../../ffi/library.ts";
import { howEnded, launch } from "../../ffi/processes.ts";
import { UserError } from "../errors.ts";
import { cells, shared } from "../edit/interrupt.ts";
import { held, type Opened } from "./opened.ts";

/** Maximum time for the demo's threads to reach their functions; after that the demo is shown as it is. */
const settleMilliseconds = 5000;

/** The signals that end this process without an `unload` event, which would leave the demo behind. */
const signals = [["SIGHUP", 1], ["SIGINT", 2], ["SIGTERM", 15]] as const;

/** How long the listeners of signals stay after the demo was let go, in milliseconds: Ctrl-C ends it too, which may
 * be noticed before the signal is. */
const lingerMilliseconds = 200;

/** Starts the demo, an embedded program for both of the Mac's architectures. On Linux the Mach-O loader
 * runs it. It ends when the result is disposed, or with this process.
 *
 * @param name `demo`, or `deadlock`: its main thread and another one wait for each other's mutex
 * @throws UserError for another name
 * @throws FormatError on a machine that cannot run it
 */
export async function openDemo(name: string): Promise<Opened> {
  const program = demoPrograms.find((program) => program === name);
  if (program === undefined) throw new UserError("there are `demo` and `demo:deadlock`", 2);
  const target = await launch(await demoPath(program), [], { output: "null", killOnExit: true });
  const end = () => target.kill();
  addEventListener("unload", end);
  const listeners = signals.map(([name, number]) => ({
    name,
    listener: () => Deno.exit(128 + number),
  }));
  const listen = () => {
    for (const { name, listener } of listeners) Deno.addSignalListener(name, listener);
  };
  const ignore = () => {
    for (const { name, listener } of listeners) Deno.removeSignalListener(name, listener);
  };
  listen();
  try {
    await settle(target, `${program}_ready`);
  } catch (error) {
    end();
    throw error;
  }
  // If this process is killed, the keyboard's thread ends the demo.
  Atomics.store(shared, cells.child, target.pid);
  const opened = held(target, () => {
    Atomics.store(shared, cells.child, 0);
    removeEventListener("unload", end);
    Deno.unrefTimer(setTimeout(ignore, lingerMilliseconds));
    end();
  });
  return {
    ...opened,
    ended: () => howEnded(target),
    takeSignals() {
      ignore();
      return { [Symbol.dispose]: listen };
    },
  };
}

/** Waits until every worker is in its function, which the demo says in a variable of its own. */
async function settle(target: LiveTarget, variable: string): Promise<void> {
  const late = performance.now() + settleMilliseconds;
  let ready: bigint | undefined;
  while (performance.now() < late) {
    ready ??= target.lookup(variable)[0]?.symbol.address;
    if (ready !== undefined && target.memory.readU32(ready) !== 0) return;
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}
