/**
 * Counts the round trips that looking at a process over the gdb remote protocol takes: the stub of this
 * machine is started for it.
 *
 *     deno task machpause run examples/wire.ts <pid|name>
 *
 * For the demo process on Linux, which lldb-server attaches to, it prints:
 *
 *     remote x86_64: 7 threads, 2 images with a UUID
 *     main ← run_loop ← wait_for_event
 *     at most 40 round trips: true
 */
import { attach, enableLog, escapeText } from "@machpause/machpause";
import { attachRemote } from "@machpause/machpause/remote";

let trips = 0;
enableLog(["remote"], (_subsystem, _milliseconds, line) => {
  trips = Number(/(\d+) round trips/.exec(line)?.[1] ?? trips);
});

if (Deno.args.length === 0) {
  console.error("usage: wire.ts <pid|name>");
  Deno.exit(2);
}
using process = attach(Deno.args[0]);
const via = Deno.build.os === "darwin" ? "debugserver" : "lldb-server";
{
  using target = await attachRemote({ via, pid: process.pid });
  const { threads, images, mainThread } = target.snapshot();
  const machO = images.filter(({ uuid }) => uuid !== null);
  console.log(
    `${target.kind} ${target.arch.name}: ${threads.length} threads, ` +
      `${machO.length} images with a UUID`,
  );
  const frames = mainThread.backtrace().filter((frame) => !frame.isSystem);
  const names = frames.flatMap(({ symbol }) => symbol?.name ?? []).reverse();
  console.log(names.map(escapeText).join(" ← "));
} // the stub lets go of it
console.log(`at most 40 round trips: ${trips <= 40}`);
