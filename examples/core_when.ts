/**
 * Waits until a thread is in a function, and saves a core of that moment.
 *
 *     deno task machpause run examples/core_when.ts <pid|name> <function> [file]
 *
 * For `lock_acquire` in the demo process on Linux it prints:
 *
 *     demo.lock is in lock_acquire ← account_update ← worker_lock
 *     saved caught.core: 7 threads
 */
import { attach, escapeText, openCore } from "@machpause/machpause";

if (Deno.args.length < 2) {
  console.error("usage: core_when.ts <pid|name> <function> [file]");
  Deno.exit(2);
}
const [process, name, file = "caught.core"] = Deno.args;
using target = attach(process);
for (;;) {
  // The pause is kept, so that the core shows what was found.
  using _pause = target.pause();
  const caught = target.threads.find((thread) =>
    thread.backtrace().some((frame) => frame.function === name)
  );
  if (caught !== undefined) {
    const frames = caught.backtrace().filter((frame) => !frame.isSystem);
    const stack = frames.flatMap((frame) => frame.function ?? []);
    console.log(`${escapeText(caught.name)} is in ${stack.map(escapeText).join(" ← ")}`);
    await target.saveCore(file);
    break;
  }
  _pause[Symbol.dispose]();
  await new Promise((resolve) => setTimeout(resolve, 20));
}
using core = openCore(file);
console.log(`saved ${escapeText(file)}: ${core.threads.length} threads`);
