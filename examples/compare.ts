/**
 * Compares two snapshots: which threads are new, have ended, have moved, or have not.
 *
 *     deno task machpause run examples/compare.ts <pid|name> [milliseconds between them]
 *
 * For the demo process on Linux it prints:
 *
 *     = demo.deep   deep_bottom
 *     ~ demo.leaf   leaf_count, at another instruction
 *     = demo.lock   lock_acquire
 *     = demo.queue  queue_wait
 *     = demo.relay  park
 *     ~ demo.spin   spin_inner, at another instruction
 *     = main        wait_for_event
 */
import { attach, escapeText, type Snapshot, type Thread } from "@machpause/machpause";

/** The parts of a thread that are compared. */
function known(thread: Thread) {
  const frames = thread.backtrace().filter((frame) => !frame.isSystem);
  return {
    name: thread.index === 0 ? "main" : thread.name || `thread ${thread.index}`,
    functions: frames.flatMap((frame) => frame.function ?? []),
    ran: thread.userTime + thread.systemTime,
    // In a system call the pc is always the instruction after it.
    moved: thread.state === "running",
  };
}

type Known = ReturnType<typeof known>;

function look(snapshot: Snapshot): Map<bigint, Known> {
  return new Map(snapshot.threads.map((thread) => [thread.id, known(thread)]));
}

function compare(before: Known | undefined, after: Known | undefined): [string, string] {
  if (before === undefined) return ["+", after!.functions[0] ?? "new"];
  if (after === undefined) return ["-", before.functions[0] ?? "gone"];
  const [from = "?", to = "?"] = [before.functions[0], after.functions[0]];
  if (before.functions.join() !== after.functions.join()) return ["~", `${from} → ${to}`];
  return after.moved && after.ran > before.ran ? ["~", `${to}, at another instruction`] : ["=", to];
}

if (Deno.args.length === 0) {
  console.error("usage: compare.ts <pid|name> [milliseconds between them]");
  Deno.exit(2);
}
using target = attach(Deno.args[0]);
const before = look(target.snapshot());
await new Promise((resolve) => setTimeout(resolve, Number(Deno.args[1] ?? 500)));
const after = look(target.snapshot());
const lines = [...new Set([...before.keys(), ...after.keys()])].map((id) => {
  const { name } = (after.get(id) ?? before.get(id))!;
  return { name, text: compare(before.get(id), after.get(id)) };
});
const width = Math.max(...lines.map(({ name }) => escapeText(name).length));
for (const { name, text: [sign, what] } of lines.sort((a, b) => a.name < b.name ? -1 : 1)) {
  console.log(`${sign} ${escapeText(name).padEnd(width)}  ${escapeText(what)}`);
}
