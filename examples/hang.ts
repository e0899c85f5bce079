/**
 * Finds threads that make no progress: takes two snapshots and compares stacks and processor time.
 * A thread that waits in the same place both times is stuck or idle; one that uses processor time in
 * the same functions loops.
 *
 *     deno task machpause run examples/hang.ts <pid|name> [milliseconds between them]
 *
 * For the demo process on Linux it prints:
 *
 *     demo.lock: waits in lock_acquire
 *     demo.spin: loops in spin_inner
 *     demo.deep: waits in deep_bottom
 *     demo.leaf: loops in leaf_count
 *     demo.queue: waits in queue_wait
 *     demo.relay: waits in park
 */
import { attach, escapeText, type Snapshot } from "@machpause/machpause";

/** For each thread the functions on its stack and its processor time in nanoseconds. */
function look(snapshot: Snapshot) {
  return new Map(snapshot.threads.map((thread) => {
    const frames = thread.backtrace();
    return [thread.id, {
      name: thread.name,
      functions: frames.flatMap(({ isSystem, symbol }) => isSystem ? [] : symbol?.name ?? []),
      stack: frames.slice(1).map((frame) => frame.address).join(),
      time: thread.userTime + thread.systemTime,
    }];
  }));
}

if (Deno.args.length === 0) {
  console.error("usage: hang.ts <pid|name> [milliseconds between them]");
  Deno.exit(2);
}
using target = attach(Deno.args[0]);
const before = look(target.snapshot());
await new Promise((resolve) => setTimeout(resolve, Number(Deno.args[1] ?? 1000)));
const mainThread = target.snapshot().mainThread.id;
for (const [id, now] of look(target.snapshot())) {
  const then = before.get(id);
  // A main thread that waits in its run loop is healthy.
  if (then === undefined || then.stack !== now.stack || id === mainThread) continue;
  const verb = now.time > then.time ? "loops" : "waits";
  console.log(
    `${escapeText(now.name)}: ${verb} in ${escapeText(now.functions[0] ?? "unknown code")}`,
  );
}
