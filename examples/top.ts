/**
 * Shows what uses processor time: each second the stacks that ran in most of a hundred snapshots.
 *
 *     deno task machpause run examples/top.ts <pid|name> [seconds]
 *
 * For the demo process on Linux it prints, each second:
 *
 *     demo.leaf  leaf_count ← worker_leaf
 *     demo.spin  spin_inner ← spin_outer ← worker_spin
 */
import { attach, escapeText } from "@machpause/machpause";

const looks = 100;
/** The least share of the snapshots in which a stack that is shown ran. */
const least = 0.3;

if (Deno.args.length === 0) {
  console.error("usage: top.ts <pid|name> [seconds]");
  Deno.exit(2);
}
using target = attach(Deno.args[0]);
const seconds = Number(Deno.args[1] ?? 1);
for (let second = 0; second < seconds; second++) {
  if (second > 0) console.log();
  const running = new Map<string, number>();
  for (let look = 0; look < looks; look++) {
    for (const thread of target.snapshot().threads) {
      if (thread.state !== "running") continue;
      const frames = thread.backtrace().filter((frame) => !frame.isSystem);
      const names = frames.flatMap((frame) => frame.function ?? []);
      const name = thread.index === 0 ? "main" : thread.name;
      const line = `${escapeText(name)}  ${names.map(escapeText).join(" ← ")}`;
      running.set(line, (running.get(line) ?? 0) + 1);
    }
    await new Promise((resolve) => setTimeout(resolve, 1000 / looks));
  }
  const busy = [...running].filter(([, count]) => count >= looks * least);
  for (const [line] of busy.sort(([a], [b]) => a < b ? -1 : 1)) console.log(line);
}
