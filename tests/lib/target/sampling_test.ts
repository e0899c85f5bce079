/** Samples of kernels that lose some, and of a thread whose stack is known at each. */
import { assert, assertEquals } from "@std/assert";
import { archs } from "../../../lib/arch/mod.ts";
import type {
  SampleVisitor,
  Sampling,
  SamplingOptions,
  ThreadInfo,
} from "../../../lib/target/mod.ts";
import type { StackRecord } from "../../../lib/target/kernel.ts";
import { samples } from "../../../lib/target/sampling.ts";

const unused = new Proxy({}, {
  get() {
    throw new Error("no thread is looked at");
  },
}) as never;

/** A sampling of which every sample takes so many periods. */
class SlowSampling implements Sampling {
  /** How many samples there are so far. */
  available = Infinity;
  /** Stacks for which there is no room, of each sample. */
  stacksLost = 0;
  readonly counts = { samples: 0, missed: 0, dropped: 0, omitted: 0 };
  readonly #options: SamplingOptions;
  readonly #periods: number;
  readonly #ended = Promise.withResolvers<Error | null>();
  #tick = 0;
  #taken = 0;

  constructor(options: SamplingOptions, periods: number) {
    this.#options = options;
    this.#periods = periods;
  }

  get ended(): Promise<Error | null> {
    return this.#ended.promise;
  }

  read(visitor: SampleVisitor): boolean {
    if (this.#options.count > 0 && this.#taken === this.#options.count) this.stop();
    if (this.#tick < 0 || this.#taken >= this.available) return false;
    const time = this.#tick * this.#options.periodNanoseconds;
    visitor.tick({ time, late: 0, stopped: 0, threads: 0, stacks: 0 });
    this.#tick += this.#periods;
    this.#taken++;
    this.counts.missed += this.#periods - 1;
    this.counts.dropped += this.stacksLost;
    return true;
  }

  stop(): void {
    this.#tick = -1;
    this.#ended.resolve(null);
  }
}

async function timesOf(periods: number): Promise<number[]> {
  const origin = {
    ...{ arch: archs.x86_64, task: 1, pid: 1, resolver: unused, dispatch: unused },
    kernel: {
      sample: (_task: number, options: SamplingOptions) => new SlowSampling(options, periods),
    },
  };
  const times: number[] = [];
  for await (const { time } of samples(origin, { rate: 100, duration: 0.1 })) times.push(time);
  return times;
}

Deno.test("samples end when the duration is over, however many were lost", async () => {
  assertEquals(await timesOf(1), [0, 10, 20, 30, 40, 50, 60, 70, 80, 90]);
  assertEquals(await timesOf(3), [0, 30, 60, 90]);
  assertEquals(await timesOf(40), [0, 400]);
});

Deno.test("what was seen before a program begins is not in its samples, and its time begins with it", async () => {
  let sampling: SlowSampling | undefined;
  const origin = {
    ...{ arch: archs.x86_64, task: 1, pid: 1, resolver: unused, dispatch: unused },
    kernel: {
      sample(_task: number, options: SamplingOptions) {
        sampling = new SlowSampling(options, 2);
        sampling.available = 7;
        return sampling;
      },
    },
    begin() {
      sampling!.available = Infinity;
      sampling!.stacksLost = 7;
      return Promise.resolve({ cpuTime: 0 });
    },
  };
  const seen: [time: number, samples: number, stacks: number][] = [];
  for await (const { time, lost, lostStacks } of samples(origin, { rate: 100, duration: 0.1 })) {
    seen.push([time, lost - lostStacks, lostStacks]);
  }
  // Stacks that are lost are no samples: of one sample there may be many.
  assertEquals(seen, [[0, 1, 7], [20, 1, 7], [40, 1, 7], [60, 1, 7], [80, 1, 7], [100, 1, 7]]);
});

const info: Omit<ThreadInfo, "id"> = {
  ...{ handle: 0n, dispatchQueueAddress: 0n, userTime: 0n, systemTime: 0n, cpuUsage: 0 },
  ...{ runState: 1, flags: 0, suspendCount: 0, priority: 0, name: "" },
};

/** A thread whose functions have frame records, on a stack that ends at `end`. */
class ModelThread {
  static readonly end = 0x7fff_0000;
  readonly bytes = new Uint8Array(8192);
  readonly #view = new DataView(this.bytes.buffer);
  readonly #random: () => number;
  /** The return addresses and the addresses of the records, outermost first. */
  readonly #calls: { readonly returnAddress: number; readonly record: number }[] = [];
  pc = 0x1000;
  sp = ModelThread.end;
  fp = 0;
  /** The copy that the reader has, from this address on. */
  #sent = new Uint8Array(8192);
  #sentFrom = ModelThread.end;

  constructor(random: () => number) {
    this.#random = random;
  }

  get depth(): number {
    return this.#calls.length;
  }

  /** The addresses of its activations, innermost first. */
  get addresses(): bigint[] {
    return [this.pc, ...this.#calls.toReversed().map(({ returnAddress }) => returnAddress)]
      .map(BigInt);
  }

  #put(address: number, value: number): void {
    const at = this.bytes.length - (ModelThread.end - address);
    this.#view.setBigUint64(at, BigInt(value), true);
  }

  call(): void {
    const returnAddress = 0x1000 + Math.floor(this.#random() * 64) * 16;
    const record = this.sp - 16;
    this.#put(record + 8, returnAddress);
    this.#put(record, this.fp);
    this.#calls.push({ returnAddress, record });
    this.fp = record;
    this.sp = record - 8 * Math.floor(this.#random() * 16);
  }

  return(): void {
    const { record } = this.#calls.pop()!;
    this.sp = record + 16;
    this.fp = this.#calls.at(-1)?.record ?? 0;
  }

  /** Changes a word that is of no record. */
  work(index: number): void {
    const { record } = this.#calls[index];
    const low = this.#calls[index + 1]?.record ?? this.sp - 16;
    if (record - low > 16) this.#put(record - 8, Math.floor(this.#random() * 0x7fff_ffff));
  }

  /** As `mp_sample` writes it. */
  record(): StackRecord {
    const start = this.bytes.length - (ModelThread.end - this.sp);
    const isSent = (at: number) =>
      at >= this.bytes.length - (ModelThread.end - this.#sentFrom) &&
      this.bytes.subarray(at, at + 8).every((byte, index) => byte === this.#sent[at + index]);
    const ranges: { offset: number; bytes: Uint8Array }[] = [];
    for (let at = start; at < this.bytes.length; at += 8) {
      if (isSent(at)) continue;
      const last = ranges.at(-1);
      const near = last !== undefined && at - start - last.offset - last.bytes.length <= 64;
      const offset = near ? last.offset : at - start;
      if (near) ranges.pop();
      ranges.push({ offset, bytes: this.bytes.slice(start + offset, at + 8) });
    }
    this.#sent = this.bytes.slice();
    this.#sentFrom = this.sp;
    const { threadState, pc, sp, fp } = archs.x86_64;
    const state = new Uint8Array(threadState.size);
    const view = new DataView(state.buffer);
    for (const [register, value] of [[pc, this.pc], [sp, this.sp], [fp, this.fp]] as const) {
      view.setBigUint64(register.offset, BigInt(value), true);
    }
    return {
      ...{ threadId: 1n, cpuTime: 1, handle: 0n, dispatchQueueAddress: 0n, runState: 1, ticks: 1 },
      stackAddress: BigInt(this.sp),
      stackSize: ModelThread.end - this.sp,
      stackEnd: BigInt(ModelThread.end),
      state,
      ranges,
    };
  }
}

Deno.test("a walk that ends at what is as it was gives what a whole one gives", async () => {
  let seed = 7;
  const random = () => (seed = (seed * 48271) % 0x7fff_ffff) / 0x7fff_ffff;
  const thread = new ModelThread(random);
  for (let depth = 0; depth < 30; depth++) thread.call();
  const rounds = 600;
  let round = 0;
  const expected: bigint[][] = [];
  let lookups = 0;
  const ended = Promise.withResolvers<Error | null>();
  const sampling: Sampling = {
    ended: ended.promise,
    counts: { samples: 0, missed: 0, dropped: 0, omitted: 0 },
    read(visitor) {
      if (round === rounds) {
        sampling.stop();
        return false;
      }
      if (round === 0) visitor.thread({ ...info, id: 1n });
      // Now and then the thread goes on in other functions; mostly it works in those that it is in.
      const levels = round % 3 > 0 ? 2 : Math.floor(random() * thread.depth);
      for (let level = 0; level < levels; level++) thread.return();
      for (let level = 0; level < levels; level++) thread.call();
      if (thread.depth > 2 && random() < 0.1) thread.return();
      if (thread.depth < 34 && random() < 0.1) thread.call();
      for (let works = 0; works < 3; works++) thread.work(Math.floor(random() * thread.depth));
      thread.work(0);
      thread.pc = 0x1000 + Math.floor(random() * 1024);
      expected.push(thread.addresses);
      visitor.stack(thread.record());
      visitor.tick({ time: 1e7 * round++, late: 0, stopped: 0, threads: 1, stacks: 1 });
      return true;
    },
    stop: () => ended.resolve(null),
  };
  const origin = {
    ...{ arch: archs.x86_64, task: 1, pid: 1, dispatch: unused },
    resolver: {
      imageAt() {
        lookups++;
        return null;
      },
      resolve: () => unused,
      debugSection: () => null,
      debugGeneration: 0,
    },
    kernel: { sample: () => sampling },
  };
  const found: bigint[][] = [];
  for await (const { threads: [{ stack }] } of samples(origin, { rate: 100 })) {
    const addresses: bigint[] = [];
    for (let node = stack; node !== null; node = node.parent) addresses.push(node.address);
    found.push(addresses);
  }
  assertEquals(found, expected);
  // A whole walk looks up each activation more than once.
  const activations = expected.reduce((sum, { length }) => sum + length, 0);
  assert(lookups < activations, `${lookups} for ${activations}`);
});
