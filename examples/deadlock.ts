/**
 * Finds threads that wait for a mutex, the threads that hold it, and circles of such threads.
 *
 *     deno task machpause run examples/deadlock.ts <pid|name>
 *
 * It reads the holder from libpthread's mutex, in 64-bit programs. For the demo process on Linux it
 * prints:
 *
 *     demo.lock, in lock_acquire, waits for main, in wait_for_event
 *     no deadlock: no thread waits for itself through others
 */
import { attach, escapeText, type LiveTarget, type Thread } from "@machpause/machpause";

/** The byte offset of the holder's thread id in libpthread's `_pthread_mutex`. */
const holderOffset = 24n;

/** The registers that hold the address a blocked thread waits for, and that address' offset in the mutex:
 * the first argument of `__psynch_mutexwait`, and of Linux's futex call. */
const waits = Deno.build.os === "darwin"
  ? { registers: ["x0", "rdi"], inside: 0n }
  : { registers: ["rdi"], inside: 8n };

/** The thread that holds the mutex which `thread` waits for. */
function holderOf(target: LiveTarget, thread: Thread, threads: readonly Thread[]) {
  if (thread.state === "running") return undefined;
  const address = waits.registers.map((name) => thread.registers.get(name)).find((value) => value);
  if (address === undefined) return undefined;
  // The signature is "MUTZ", inverted once the mutex has been used.
  const mutex = address - waits.inside;
  const bytes = target.memory.readUpTo(mutex, Number(holderOffset) + 8);
  if (bytes.length < Number(holderOffset) + 8) return undefined;
  const signature = target.memory.readU32(mutex);
  if (signature >>> 8 !== 0x32aaab && signature !== 0x4d55545a) return undefined;
  const holder = target.memory.readU64(mutex + holderOffset);
  return threads.find((other) => other.id === holder && other !== thread);
}

/** A thread's name and innermost function. */
function describe(thread: Thread): string {
  const name = thread.index === 0 ? "main" : thread.name || `thread ${thread.index}`;
  const frames = thread.backtrace().filter((frame) => !frame.isSystem);
  const doing = frames.find((frame) => frame.function !== null)?.function;
  return `${escapeText(name)}, in ${escapeText(doing ?? "unknown code")}`;
}

using target = attach(Deno.args[0]);
using _pause = target.pause();
const { threads } = target;
const waitsFor = new Map(threads.flatMap((thread) => {
  const holder = holderOf(target, thread, threads);
  return holder === undefined ? [] : [[thread, holder] as const];
}));

for (const [thread, holder] of waitsFor) {
  console.log(`${describe(thread)}, waits for ${describe(holder)}`);
}

/** Follows the threads that are waited for; the circle that they lead to, if any. */
function circleFrom(start: Thread): Thread[] {
  const seen: Thread[] = [];
  for (let at: Thread | undefined = start; at !== undefined; at = waitsFor.get(at)) {
    if (seen.includes(at)) return seen.slice(seen.indexOf(at));
    seen.push(at);
  }
  return [];
}

const stuck = new Set<Thread>();
for (const thread of waitsFor.keys()) {
  const circle = stuck.has(thread) ? [] : circleFrom(thread);
  if (circle.length > 0 && !circle.some((other) => stuck.has(other))) {
    console.log(`DEADLOCK: ${[...circle, circle[0]].map(describe).join(" → ")}`);
  }
  for (const other of circle) stuck.add(other);
}
if (stuck.size === 0) console.log("no deadlock: no thread waits for itself through others");
