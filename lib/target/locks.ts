/** What threads wait for that another thread holds: mutexes, unfair locks, dispatch queues; or for its end. */
import type { Target } from "./target.ts";
import type { Thread } from "./thread.ts";

/** What is needed of a target. It must not run meanwhile. */
type Stopped = Pick<Target, "memory" | "arch">;

/** A thread that waits for another. */
export interface ThreadWait {
  /** The one that waits. */
  readonly thread: Thread;
  /** The one that it waits for. */
  readonly holder: Thread;
  /** What that one holds; `pthread_join` where its end is waited for. */
  readonly through: "pthread mutex" | "os_unfair_lock" | "dispatch queue" | "pthread_join";
}

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

/** The registers of a system call's first three arguments, on both 64-bit processors. */
const callRegisters = [["x0", "x1", "x2"], ["rdi", "rsi", "rdx"]] as const;

/** Whether a word is `_PTHREAD_MUTEX_SIG` ("MUTZ") or that of a mutex that was used, as libpthread's
 * `internal.h` has them. */
function isMutex(signature: number): boolean {
  return signature >>> 8 === 0x32aaab || signature === 0x4d55545a;
}

/** The thread that holds the libpthread mutex which `thread` waits for. */
function mutexHolder(
  { memory }: Stopped,
  thread: Thread,
  threads: readonly Thread[],
): Thread | undefined {
  for (const { register, inside } of places) {
    const address = thread.registers.get(register);
    if (address === undefined || address < inside) continue;
    const bytes = memory.readUpTo(address - inside, SIZE);
    if (bytes.length < SIZE) continue;
    const view = new DataView(bytes.buffer, bytes.byteOffset, SIZE);
    if (!isMutex(view.getUint32(0, true))) continue;
    const id = view.getBigUint64(HOLDER, true);
    const holder = threads.find((other) => other.id === id && other !== thread);
    if (holder !== undefined) return holder;
  }
  return undefined;
}

/** glibc's `struct __pthread_mutex_s` (`sysdeps/nptl/bits/struct_mutex.h`): `__lock`, which the futex call waits for
 * while it is 2, `__count`, and the holder's thread id. */
const GLIBC_OWNER = 8;
const LOCKED_WITH_WAITERS = 2;
/** `FUTEX_WAIT` and `FUTEX_WAIT_BITSET` of `<linux/futex.h>`, without `FUTEX_PRIVATE_FLAG`. */
const futexWaits = [0n, 9n];

/** The word that a thread waits for in a futex call, while it has the value. */
function* futexWords(
  { arch }: Stopped,
  { registers }: Thread,
): Generator<{ readonly address: bigint; readonly value: number }> {
  if (arch.pointerSize !== 8) return;
  for (const names of callRegisters) {
    const [address, operation, value] = names.map((name) => registers.get(name));
    if (address === undefined || operation === undefined || value === undefined) continue;
    if (!futexWaits.includes(operation & 0x7fn)) continue;
    yield { address, value: Number(value & 0xffff_ffffn) };
  }
}

/** `pthread_join` of glibc waits for the `tid` of the thread's descriptor, which the kernel clears when the thread
 * has ended (`nptl/pthread_join_common.c`). On x86-64 the thread's pointer is that to its descriptor, on arm64 it is
 * at its end (`nptl/descr.h`). */
const DESCRIPTOR = 0x1000n;

/** The thread whose end `thread` waits for. */
function joined(
  target: Stopped,
  thread: Thread,
  threads: readonly Thread[],
): Thread | undefined {
  for (const { address, value } of futexWords(target, thread)) {
    const found = threads.find((other) => other.id === BigInt(value) && other !== thread);
    if (found === undefined || found.handle === 0n) continue;
    const inside = address - found.handle;
    if (inside < -DESCRIPTOR || inside >= DESCRIPTOR) continue;
    const word = readWord(target, address & ~7n);
    if (word === undefined) continue;
    const now = Number(address & 4n ? word >> 32n : word & 0xffff_ffffn);
    if (now === value) return found;
  }
  return undefined;
}

/** The thread that holds the glibc mutex which `thread` waits for; it may be that thread itself. */
function glibcHolder(
  target: Stopped,
  thread: Thread,
  threads: readonly Thread[],
): Thread | undefined {
  const { memory } = target;
  for (const { address, value } of futexWords(target, thread)) {
    if (value !== LOCKED_WITH_WAITERS) continue;
    const bytes = memory.readUpTo(address, GLIBC_OWNER + 4);
    if (bytes.length < GLIBC_OWNER + 4) continue;
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    if (view.getUint32(0, true) !== LOCKED_WITH_WAITERS) continue;
    const id = BigInt(view.getUint32(GLIBC_OWNER, true));
    const holder = threads.find((thread) => thread.id === id);
    if (holder !== undefined) return holder;
  }
  return undefined;
}

/** The slot of thread-specific data with the thread's own port: `_PTHREAD_TSD_SLOT_MACH_THREAD_SELF` of
 * libpthread's `private/pthread/tsd_private.h`. */
const PORT_SLOT = 3n;
/** Locks keep the holder's port name without its two lowest bits, which are set in every name (XNU,
 * `bsd/sys/ulock.h`; `DLOCK_OWNER_MASK` of libdispatch's `src/shims/lock.h`). */
const OWNER_MASK = 0xffff_fffc;

/** Threads by their port in the target, as locks name them. */
class Ports {
  readonly #target: Stopped;
  readonly #threads: readonly Thread[];
  #byPort: ReadonlyMap<number, Thread> | undefined;

  constructor(target: Stopped, threads: readonly Thread[]) {
    this.#target = target;
    this.#threads = threads;
  }

  /** The thread that a lock's word names. */
  holder(word: number): Thread | undefined {
    const owner = (word & OWNER_MASK) >>> 0;
    if (owner === 0) return undefined;
    this.#byPort ??= new Map(this.#threads.flatMap((thread) => {
      if (thread.handle === 0n) return [];
      const word = readWord(this.#target, thread.handle + PORT_SLOT * 8n);
      return word === undefined ? [] : [[Number(word & BigInt(OWNER_MASK >>> 0)), thread]];
    }));
    return this.#byPort.get(owner);
  }
}

/** Eight bytes of memory; `undefined` where they cannot be read. */
function readWord({ memory }: Stopped, address: bigint): bigint | undefined {
  const bytes = memory.readUpTo(address, 8);
  if (bytes.length < 8) return undefined;
  return new DataView(bytes.buffer, bytes.byteOffset, 8).getBigUint64(0, true);
}

/** `UL_UNFAIR_LOCK` of XNU's `bsd/sys/ulock.h`, and the bits of the operation in `__ulock_wait`. */
const UNFAIR_LOCK = 2n;
const ULOCK_OPERATION = 0xffn;

/** The thread that holds the unfair lock which `thread` waits for, in `__ulock_wait(operation, address, value,
 * timeout)`. The value is the lock's word. */
function unfairHolder(
  target: Stopped,
  thread: Thread,
  ports: Ports,
): Thread | undefined {
  const { registers } = thread;
  for (const names of callRegisters) {
    const [operation, address, value] = names.map((name) => registers.get(name));
    if (operation === undefined || address === undefined || value === undefined) continue;
    if ((operation & ULOCK_OPERATION) !== UNFAIR_LOCK) continue;
    const word = readWord(target, address & ~7n);
    if (word === undefined) continue;
    const now = Number(address & 4n ? word >> 32n : word & 0xffff_ffffn);
    if (((now ^ Number(value & 0xffff_ffffn)) & OWNER_MASK) !== 0) continue;
    const holder = ports.holder(now);
    if (holder !== undefined && holder !== thread) return holder;
  }
  return undefined;
}

/** `dispatch_sync_context_s` of libdispatch's `src/queue_internal.h`, on LP64: `dc_ctxt` points to the context
 * itself, and `dc_other` to the queue (`_dispatch_sync_f_slow`). It is on the waiting thread's stack. */
const CONTEXT_SELF = 40;
const CONTEXT_QUEUE = 56;
/** `dispatch_queue_s`: `do_targetq`, and `dq_state`, whose lower half has the holder's port. */
const QUEUE_TARGET = 24n;
const QUEUE_STATE = 56n;
/** Bytes of the stack from the innermost frame on in which the context is. */
const CONTEXT_DEPTH = 2048;
const MAX_TARGETS = 16;

/** The thread that runs on the queue which `thread` waits for in `dispatch_sync`. */
function queueHolder(
  target: Stopped,
  thread: Thread,
  ports: Ports,
): Thread | undefined {
  if (target.arch.pointerSize !== 8 || thread.handle === 0n) return undefined;
  const sp = thread.registers.get(target.arch.sp.name);
  if (sp === undefined) return undefined;
  const bytes = target.memory.readUpTo(sp, CONTEXT_DEPTH);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  for (let at = 0; at + CONTEXT_QUEUE + 8 <= bytes.length; at += 8) {
    if (view.getBigUint64(at + CONTEXT_SELF, true) !== sp + BigInt(at)) continue;
    let queue = view.getBigUint64(at + CONTEXT_QUEUE, true);
    for (let depth = 0; queue !== 0n && depth < MAX_TARGETS; depth++) {
      const state = readWord(target, queue + QUEUE_STATE);
      if (state === undefined) break;
      const holder = ports.holder(Number(state & 0xffff_ffffn));
      if (holder !== undefined) return holder === thread ? undefined : holder;
      queue = readWord(target, queue + QUEUE_TARGET) ?? 0n;
    }
  }
  return undefined;
}

/** Which thread waits for which, and through what: mutexes of libpthread and glibc, `os_unfair_lock`, and
 * `dispatch_sync()`, and glibc's `pthread_join()`, in 64-bit programs. The target must not run meanwhile.
 *
 * @example
 * ```ts
 * import { attach } from "@machpause/machpause";
 * import { deadlocks, threadWaits } from "@machpause/machpause/hang";
 *
 * using target = attach("MyApp");
 * using _pause = target.pause();
 * const waits = threadWaits(target, target.threads);
 * for (const { thread, holder, through } of waits) console.log(`${thread}`, through, `${holder}`);
 * console.log(deadlocks(waits).length, "deadlocks");
 * ```
 */
export function threadWaits(
  target: Pick<Target, "memory" | "arch">,
  threads: readonly Thread[],
): ThreadWait[] {
  const ports = new Ports(target, threads);
  return threads.flatMap((thread): ThreadWait[] => {
    if (thread.state === "running") return [];
    const found = (holder: Thread | undefined, through: ThreadWait["through"]): ThreadWait[] =>
      holder === undefined ? [] : [{ thread, holder, through }];
    for (
      const wait of [
        found(mutexHolder(target, thread, threads), "pthread mutex"),
        found(glibcHolder(target, thread, threads), "pthread mutex"),
        found(joined(target, thread, threads), "pthread_join"),
        found(unfairHolder(target, thread, ports), "os_unfair_lock"),
        found(queueHolder(target, thread, ports), "dispatch queue"),
      ]
    ) if (wait.length > 0) return wait;
    return [];
  });
}

/** The circles of threads that wait for each other.
 *
 * @example
 * ```ts
 * import { attach } from "@machpause/machpause";
 * import { deadlocks, threadWaits } from "@machpause/machpause/hang";
 *
 * using target = attach("MyApp");
 * using _pause = target.pause();
 * for (const circle of deadlocks(threadWaits(target, target.threads))) console.log(`${circle}`);
 * ```
 */
export function deadlocks(waits: readonly Pick<ThreadWait, "thread" | "holder">[]): Thread[][] {
  const holders = new Map(waits.map(({ thread, holder }) => [thread, holder]));
  const found: Thread[][] = [];
  const done = new Set<Thread>();
  for (const start of holders.keys()) {
    const path: Thread[] = [];
    let at: Thread | undefined = start;
    while (at !== undefined && !done.has(at) && !path.includes(at)) {
      path.push(at);
      at = holders.get(at);
    }
    if (at !== undefined && path.includes(at)) found.push(path.slice(path.indexOf(at)));
    for (const thread of path) done.add(thread);
  }
  return found;
}
