/**
 * Counts threads by stack: of a hundred threads, most wait in the same few places.
 *
 *     deno task machpause run examples/census.ts <pid|name>
 *
 * For the crowd process on Linux it prints:
 *
 *     100 threads: crowd.001, crowd.002, crowd.003, …
 *       crowd_rest ← crowd_down ← crowd_step ← crowd_down ← crowd_step ← …
 *     1 thread: main
 *       run_loop ← main
 */
import { attach, escapeText, type Thread } from "@machpause/machpause";

/** The first `count` texts, with `…` for the others. */
function some(texts: readonly string[], count: number, separator: string): string {
  const shown = texts.slice(0, count).map(escapeText);
  return [...shown, ...texts.length > count ? ["…"] : []].join(separator);
}

if (Deno.args.length === 0) {
  console.error("usage: census.ts <pid|name>");
  Deno.exit(2);
}
using target = attach(Deno.args[0]);
const groups = new Map<string, { stack: string[]; threads: Thread[] }>();
for (const thread of target.snapshot().threads) {
  const frames = thread.backtrace().filter((frame) => !frame.isSystem);
  const stack = frames.flatMap((frame) => frame.function ?? []);
  const key = stack.join("\n");
  const group = groups.get(key);
  if (group === undefined) groups.set(key, { stack, threads: [thread] });
  else group.threads.push(thread);
}
for (
  const { stack, threads } of [...groups.values()].sort((a, b) =>
    b.threads.length - a.threads.length
  )
) {
  const names = threads.map((thread) => thread.index === 0 ? "main" : thread.name).sort();
  const count = threads.length === 1 ? "1 thread" : `${threads.length} threads`;
  console.log(`${count}: ${some(names, 3, ", ")}`);
  console.log(`  ${some(stack, 5, " ← ") || "no names"}`);
}
