/** Who waits for whom: locks as the sources of libdispatch, XNU, libpthread and glibc lay them out. */
import { assertEquals } from "@std/assert";
import { type ArchName, archs } from "../../../lib/arch/mod.ts";
import { deadlocks, threadWaits } from "../../../lib/target/locks.ts";
import { Memory } from "../../../lib/target/memory.ts";
import type { Thread } from "../../../lib/target/mod.ts";

/** A target's memory, threads and locks. */
class Space {
  readonly #words = new Map<bigint, bigint>();
  readonly #arch: ArchName;
  readonly threads: Thread[] = [];
  readonly #sp: string;

  constructor(arch: ArchName) {
    this.#arch = arch;
    this.#sp = archs[arch].sp.name;
  }

  /** Writes eight bytes. */
  put(address: bigint, value: bigint): void {
    this.#words.set(address, value);
  }

  /** A thread with its port at slot 3 of its thread-specific data, and 4 KiB of stack.
   *
   * @param call the system call's arguments
   */
  thread(id: number, port: number, call: readonly bigint[] = [], state = "waiting"): Thread {
    const index = this.threads.length;
    const handle = 0x7000_0000n + BigInt(index) * 0x1_0000n;
    const sp = handle - 0x2000n;
    this.put(handle + 24n, BigInt(port));
    for (let at = sp; at < sp + 0x1000n; at += 8n) this.put(at, 0n);
    const names = this.#arch === "arm64" ? ["x0", "x1", "x2"] : ["rdi", "rsi", "rdx"];
    const registers = new Map<string, bigint>([[this.#sp, sp]]);
    call.forEach((value, at) => registers.set(names[at], value));
    const thread = { index, id: BigInt(id), handle, registers, state } as unknown as Thread;
    this.threads.push(thread);
    return thread;
  }

  /** `dispatch_sync_context_s` on a thread's stack: `dc_ctxt` is itself, `dc_other` the queue. */
  syncs(thread: Thread, queue: bigint): void {
    const context = thread.registers.get(this.#sp)! + 0x140n;
    this.put(context + 40n, context);
    this.put(context + 56n, queue);
  }

  /** `dispatch_queue_s`: `do_targetq` at 24, `dq_state` at 56, as macOS 26 has them. */
  queue(address: bigint, owner: number, target = 0n): void {
    this.put(address + 24n, target);
    // The upper half has the queue's flags; the lower the owner's port, and two bits of its own.
    this.put(address + 56n, 0x0020_0000_0000_0000n | BigInt((owner & ~3) >>> 0) | 1n);
  }

  waits(): [from: bigint, to: bigint, through: string][] {
    const memory = new Memory((address, into) => {
      for (let at = 0; at < into.length; at++) {
        const place = address + BigInt(at);
        const word = this.#words.get(place - place % 8n);
        if (word === undefined) return at;
        into[at] = Number(word >> (8n * (place % 8n)) & 0xffn);
      }
      return into.length;
    }, 8);
    return threadWaits({ memory, arch: archs[this.#arch] }, this.threads)
      .map(({ thread, holder, through }) => [thread.id, holder.id, through]);
  }
}

for (const arch of ["arm64", "x86_64"] as const) {
  Deno.test(`${arch}: dispatch_sync waits for the thread that runs on the queue, or on its target`, () => {
    const space = new Space(arch);
    const main = space.thread(1, 0x103, [0x0100_0001n, 0x5000n, 0n]);
    space.thread(2, 0xa07);
    const third = space.thread(3, 0xb0b);
    space.queue(0x6000_0000n, 0xa07);
    space.syncs(main, 0x6000_0000n);
    // A queue that is drained on the thread of another.
    space.queue(0x6000_1000n, 0, 0x6000_0000n);
    space.syncs(third, 0x6000_1000n);
    assertEquals(space.waits(), [[1n, 2n, "dispatch queue"], [3n, 2n, "dispatch queue"]]);
  });

  Deno.test(`${arch}: a queue that nobody runs on, or that runs here, is waited for by nobody`, () => {
    const space = new Space(arch);
    const main = space.thread(1, 0x103);
    const other = space.thread(2, 0xa07);
    space.queue(0x6000_0000n, 0);
    space.syncs(main, 0x6000_0000n);
    space.queue(0x6000_1000n, 0xa07);
    space.syncs(other, 0x6000_1000n);
    assertEquals(space.waits(), []);
    // A pointer to itself that is no context of a queue.
    space.syncs(main, 0xdead_0000n);
    assertEquals(space.waits(), []);
  });

  Deno.test(`${arch}: an unfair lock's word names its holder, as long as it is the one waited for`, () => {
    const space = new Space(arch);
    const lock = 0x5000n;
    // UL_UNFAIR_LOCK, with ULF_NO_ERRNO; the value has the waiters' bit.
    space.thread(1, 0x103, [0x0100_0002n, lock, 0xa06n]);
    space.thread(2, 0xa07);
    space.put(lock, 0xa06n);
    assertEquals(space.waits(), [[1n, 2n, "os_unfair_lock"]]);
    space.put(lock, 0n);
    assertEquals(space.waits(), []);
    // The upper half of a word: the lock is four bytes.
    const upper = new Space(arch);
    upper.thread(1, 0x103, [2n, lock + 4n, 0xa04n]);
    upper.thread(2, 0xa07);
    upper.put(lock, 0xa04n << 32n);
    assertEquals(upper.waits(), [[1n, 2n, "os_unfair_lock"]]);
  });

  Deno.test(`${arch}: a circle through a queue and a mutex is a deadlock`, () => {
    const space = new Space(arch);
    const main = space.thread(1, 0x103);
    // The worker waits for libpthread's mutex, which main holds.
    const mutex = 0x4000n;
    const worker = space.thread(2, 0xa07, [mutex]);
    space.put(mutex, 0x32aa_aba7n);
    for (const at of [8n, 16n]) space.put(mutex + at, 0n);
    space.put(mutex + 24n, 1n);
    space.queue(0x6000_0000n, 0xa07);
    space.syncs(main, 0x6000_0000n);
    assertEquals(space.waits(), [[1n, 2n, "dispatch queue"], [2n, 1n, "pthread mutex"]]);
    assertEquals(deadlocks([{ thread: main, holder: worker }, { thread: worker, holder: main }]), [[
      main,
      worker,
    ]]);
  });

  Deno.test(`${arch}: glibc's mutex: who waits in its futex, for another or for itself`, () => {
    const space = new Space(arch);
    const mutex = 0x4000n;
    // FUTEX_WAIT | FUTEX_PRIVATE_FLAG, while the word is 2.
    space.thread(11, 0, [mutex, 0x80n, 2n]);
    space.thread(12, 0);
    space.put(mutex, 2n);
    space.put(mutex + 8n, 12n);
    assertEquals(space.waits(), [[11n, 12n, "pthread mutex"]]);
    space.put(mutex + 8n, 11n);
    assertEquals(space.waits(), [[11n, 11n, "pthread mutex"]]);
    // Unlocked meanwhile, or another kind of futex.
    space.put(mutex, 1n);
    assertEquals(space.waits(), []);
  });
}

Deno.test("pthread_join of glibc waits for the thread whose descriptor has the word", () => {
  const space = new Space("x86_64");
  const tid = 0x7001_0000n + 0x2d0n;
  // FUTEX_WAIT_BITSET with the clock's flag.
  const main = space.thread(100, 0x103, [tid, 0x109n, 101n]);
  const worker = space.thread(101, 0xa07);
  assertEquals(worker.handle, 0x7001_0000n);
  space.put(tid, 101n);
  assertEquals(space.waits(), [[100n, 101n, "pthread_join"]]);
  // It has ended.
  space.put(tid, 0n);
  assertEquals(space.waits(), []);
  // A number elsewhere that is a thread's by chance.
  (main.registers as unknown as Map<string, bigint>).set("rdi", 0x5000_0000n);
  space.put(0x5000_0000n, 101n);
  assertEquals(space.waits(), []);
});

Deno.test("a thread that runs waits for nobody", () => {
  const space = new Space("arm64");
  space.thread(1, 0x103, [2n, 0x5000n, 0xa06n], "running");
  space.thread(2, 0xa07);
  space.put(0x5000n, 0xa06n);
  assertEquals(space.waits(), []);
});
