/** Pauses a target, listens to a signal, and hangs. Arguments: a library, a pid, the signals it listens
 * to, and `pause`, `thread`, `arm` or `nothing`: what it holds meanwhile. A terminal is in raw mode
 * then. */
import { openKernel } from "../../../ffi/mod.ts";

const [library, pid, signals, what] = Deno.args;
const kernel = openKernel({ library });
for (const signal of signals.split(",")) Deno.addSignalListener(signal as Deno.Signal, () => {});
const task = kernel.taskForPid(Number(pid));
using _armed = what === "arm" ? kernel.watchdog.arm() : undefined;
if (what === "pause") kernel.taskSuspend(task);
if (what === "thread") kernel.threadSuspend(kernel.taskThreads(task)[1]);
if (Deno.stdin.isTerminal()) Deno.stdin.setRaw(true);
console.log("hangs");
let interrupts = 0;
for (;;) {
  if (kernel.watchdog.interrupts === interrupts) continue;
  interrupts = kernel.watchdog.interrupts;
  console.log(`${interrupts}`);
}
