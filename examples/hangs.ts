/**
 * Waits until a thread hangs, the main thread unless another is named, and says what it did and whom it waits for.
 *
 *     deno task machpause run examples/hangs.ts <pid|name> [thread] [milliseconds]
 *
 * For the thread demo.lock of the demo process on Linux it prints:
 *
 *     demo.lock is blocked: lock_acquire ← account_update ← worker_lock
 *     it waits for thread 0 (pthread mutex)
 */
import { attach, escapeText } from "@machpause/machpause";
import { hangs } from "@machpause/machpause/hang";

if (Deno.args.length === 0) {
  console.error("usage: hangs.ts <pid|name> [thread] [milliseconds]");
  Deno.exit(2);
}
const [process, thread, limit = "250"] = Deno.args;
using target = attach(process);
for await (
  const hang of hangs(target, { ...thread === undefined ? {} : { thread }, limit: Number(limit) })
) {
  const functions = hang.signature.parts.slice(1).map((part) => part.replace(/^\S+ /, ""));
  console.log(
    `${escapeText(thread ?? "main")} is ${hang.kind}: ${functions.map(escapeText).join(" ← ")}`,
  );
  const wait = hang.waits.find((wait) => wait.thread === hang.thread);
  if (wait !== undefined) console.log(`it waits for thread ${wait.for} (${wait.through})`);
  break;
}
