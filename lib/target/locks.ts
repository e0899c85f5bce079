/** Mutexes that threads wait for, and the threads that hold them. */
import type { Target } from "./target.ts";
import type { Thread } from "./thread.ts";

/** The byte offset of the holder's thread id in libpthread's `_pthread_mutex` of 64-bit programs, and the
 * size of what is read of one. */
const HOLDER = 24;
const SIZE = 32;

/** Where a blocked thread has the address it waits for, and that address' offset in the mutex: the first
 * argument of Darwin's `__psynch_mutexwait`, and of Linux's futex call, which our loader waits with. */
const places: readonly { readonly register: string; readonly inside: bigint }[] = [
  { register: "x0", inside: 0n },
  { register: "rdi", inside: 0n },
  { register: "rdi", inside: 8n },
];

/** Whether a word is `_PTHREAD_MUTEX_SIG` ("MUTZ") or that of a mutex that was used, as libpthread's
 * `internal.h` has them. */
function isMutex(signature: number): boolean {
  return signature >>> 8 === 0x32aaab || signature === 0x4d55545a;
}

/** The thread that holds the mutex which `thread` waits for; `undefined` where it waits for none. */
function holderOf(
  target: Pick<Target, "memory">,
  thread: Thread,
  threads: readonly Thread[],
): Thread | undefined {
  if (thread.state === "running") return undefined;
  for (const { register, inside } of places) {
    const address = thread.registers.get(register);
    if (address === undefined || address < inside) continue;
    const bytes = target.memory.readUpTo(address - inside, SIZE);
    if (bytes.length < SIZE) continue;
    const view = new DataView(bytes.buffer, bytes.byteOffset, SIZE);
    if (!isMutex(view.getUint32(0, true))) continue;
    const id = view.getBigUint64(HOLDER, true);
    const holder = threads.find((other) => other.id === id && other !== thread);
    if (holder !== undefined) return holder;
  }
  return undefined;
}

/** Which thread waits for which, through a mutex. The target must not run meanwhile. */
export function lockWaits(
  target: Pick<Target, "memory">,
  threads: readonly Thread[],
): Map<Thread, Thread> {
  return new Map(threads.flatMap((thread) => {
    const holder = holderOf(target, thread, threads);
    return holder === undefined ? [] : [[thread, holder] as const];
  }));
}

/** The circles of threads that wait for each other. */
export function deadlocks(waits: ReadonlyMap<Thread, Thread>): Thread[][] {
  const found: Thread[][] = [];
  const done = new Set<Thread>();
  for (const start of waits.keys()) {
    const path: Thread[] = [];
    let at: Thread | undefined = start;
    while (at !== undefined && !done.has(at) && !path.includes(at)) {
      path.push(at);
      at = waits.get(at);
    }
    if (at !== undefined && path.includes(at)) found.push(path.slice(path.indexOf(at)));
    for (const thread of path) done.add(thread);
  }
  return found;
}
