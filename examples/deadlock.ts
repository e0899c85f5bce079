/**
 * Finds threads that wait for what another thread holds, and circles of such threads.
 *
 *     deno task machpause run examples/deadlock.ts <pid|name>
 *
 * It knows the mutexes of libpthread and glibc, unfair locks and dispatch_sync(), in 64-bit programs.
 * For the demo process on Linux it prints:
 *
 *     demo.lock, in lock_acquire, waits for main, in wait_for_event
 *     no deadlock: no thread waits for itself through others
 */
import { attach, escapeText, type Thread } from "@machpause/machpause";
import { deadlocks, threadWaits } from "@machpause/machpause/hang";

/** A thread's name and innermost function. */
function describe(thread: Thread): string {
  const name = thread.index === 0 ? "main" : thread.name || `thread ${thread.index}`;
  const frames = thread.backtrace().filter((frame) => !frame.isSystem);
  const doing = frames.find((frame) => frame.function !== null)?.function;
  return `${escapeText(name)}, in ${escapeText(doing ?? "unknown code")}`;
}

if (Deno.args.length === 0) {
  console.error("usage: deadlock.ts <pid|name>");
  Deno.exit(2);
}
using target = attach(Deno.args[0]);
using _pause = target.pause();
const waits = threadWaits(target, target.threads);
for (const { thread, holder } of waits) {
  console.log(`${describe(thread)}, waits for ${describe(holder)}`);
}
const circles = deadlocks(waits);
for (const circle of circles) {
  console.log(`DEADLOCK: ${[...circle, circle[0]].map(describe).join(" → ")}`);
}
if (circles.length === 0) console.log("no deadlock: no thread waits for itself through others");
