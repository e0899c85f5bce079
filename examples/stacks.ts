/**
 * Prints the named frames of each thread of a process.
 *
 *     deno task machpause run examples/stacks.ts <pid|name>
 *
 * For the demo process on Linux it prints:
 *
 *     main  wait_for_event ← run_loop ← main
 *     demo.lock  lock_acquire ← account_update ← worker_lock
 *     demo.spin  spin_inner ← spin_outer ← worker_spin
 *     demo.deep  deep_bottom ← descend ×200 ← worker_deep
 *     demo.leaf  leaf_count ← worker_leaf
 *     demo.queue  queue_wait ← queue_pop ← worker_queue
 *     demo.relay  park ← relay_again ← relay_back ← relay_out ← worker_relay
 */
import { attach, escapeText } from "@machpause/machpause";

/** Names, with a count for those that repeat. */
function fold(names: readonly string[]): string[] {
  const folded: { name: string; count: number }[] = [];
  for (const name of names) {
    if (folded.at(-1)?.name === name) folded.at(-1)!.count++;
    else folded.push({ name, count: 1 });
  }
  return folded.map(({ name, count }) => count === 1 ? name : `${name} ×${count}`);
}

if (Deno.args.length === 0) {
  console.error("usage: stacks.ts <pid|name>");
  Deno.exit(2);
}
using target = attach(Deno.args[0]);
for (const thread of target.snapshot().threads) {
  const frames = thread.backtrace().filter((frame) => !frame.isSystem);
  const names = frames.flatMap((frame) => frame.symbol?.name ?? []);
  const name = thread.index === 0 ? "main" : thread.name;
  console.log(`${escapeText(name)}  ${fold(names).map(escapeText).join(" ← ")}`);
}
