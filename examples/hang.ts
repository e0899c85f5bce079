/**
 * Says which threads do not get on: looks twice, and compares their stacks and the processor time
 * they used. What waits the same way both times is stuck or idle; what burns time in the same
 * functions is in a loop.
 *
 *     deno task machpause run examples/hang.ts <pid|name> [milliseconds between the looks]
 *
 * Of the demo process on Linux it prints:
 *
 *     demo.lock: waits in lock_acquire
 *     demo.spin: loops in spin_inner
 *     demo.deep: waits in deep_bottom
 *     demo.leaf: loops in leaf_count
 *     demo.queue: waits in queue_wait
 *     demo.relay: waits in park
 */
import { attach, escape, type Snapshot } from "@machpause/machpause";

/** By thread: the functions on its stack, and the nanoseconds it has run. */
function look(snapshot: Snapshot) {
  return new Map(snapshot.threads.map((thread) => {
    const frames = thread.backtrace();
    return [thread.id, {
      name: thread.name,
      functions: frames.flatMap((frame) => frame.symbol?.name ?? []),
      stack: frames.slice(1).map((frame) => frame.address).join(),
      time: thread.userTime + thread.systemTime,
    }];
  }));
}

using target = await attach(Deno.args[0]);
const before = look(target.snapshot());
await new Promise((resolve) => setTimeout(resolve, Number(Deno.args[1] ?? 1000)));
const mainThread = target.snapshot().mainThread.id;
for (const [id, now] of look(target.snapshot())) {
  const then = before.get(id);
  // A main thread that waits in its loop is how it should be.
  if (then === undefined || then.stack !== now.stack || id === mainThread) continue;
  const verb = now.time > then.time ? "loops" : "waits";
  console.log(`${escape(now.name)}: ${verb} in ${escape(now.functions[0] ?? "unknown code")}`);
}
