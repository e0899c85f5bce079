/** Samples of a running target: unwinds what `mp_sample` copied, after the target runs again. */

import type { Arch } from "../arch/mod.ts";
import { pause } from "../clock.ts";
import { TargetGoneError } from "../errors.ts";
import type { RawText } from "../escape.ts";
import { unwind, type UnwoundFrame, type UnwoundStack } from "../unwind/mod.ts";
import type { ProfileBuilder } from "../profile/mod.ts";
import { type DispatchQueue, DispatchReader, type DispatchSource } from "./dispatch.ts";
import { Backtrace } from "./frame.ts";
import type {
  CapturedThread,
  MachKernel,
  SampleTick,
  SampleVisitor,
  StackRecord,
  ThreadInfo,
} from "./kernel.ts";
import type { CodeResolver, RunState } from "./thread.ts";
import { Registers } from "../arch/mod.ts";

/** How often new samples are looked for, in milliseconds. Each look takes the CPU from a busy target for a
 * while, and finds its caches cold. */
const readInterval = 500;
/** The same, at first: a short program is to be there yet when its names are looked up. */
const firstInterval = 50;
/** How many looks are the first. */
const firstLooks = 20;
/** The same, while a program waits for the first one. */
const beginInterval = 2;

/** Maximum number of bytes copied of one stack. The outermost frames of a deeper one are not seen. */
const maxStack = 1 << 20;

/** From so many different stacks on, the tree of those seen starts again, so that a long watch needs no more
 * memory than a short one. */
const maxNodes = 1 << 20;

/** The least size of a copy of a stack, in bytes. */
const leastMirror = 1 << 14;

/** How to sample a target. */
export interface SampleOptions {
  /** Samples a second, from 0.1 to 10,000. Default: 100. */
  readonly rate?: number;
  /** For how many seconds. Default: until the iteration is left, `signal` is aborted or the target ends. */
  readonly duration?: number;
  /** The threads to sample, by their names as the system has them, or by their identifiers. Default: all. */
  readonly threads?: string | bigint | readonly (string | bigint)[];
  /** Whether threads that wait are sampled as well as those that run. */
  readonly offCpu?: boolean;
  /** Ends the sampling, without an error. */
  readonly signal?: AbortSignal;
}

/** How to record a target. */
export interface RecordOptions extends SampleOptions {
  /** What gets the samples. Default: a new one. Its `info` is filled in where it says nothing. */
  readonly builder?: ProfileBuilder;
  /** Called with each sample after it was recorded. */
  readonly onSample?: (sample: Sample) => void;
}

/** A place in a call tree: an activation and, by its parents, its callers. Equal stacks are the same object.
 *
 * @example
 * ```ts
 * import { attach, type StackNode } from "@machpause/machpause";
 *
 * using target = attach("MyApp");
 * const counts = new Map<StackNode | null, number>();
 * for await (const { threads } of target.samples({ duration: 5 })) {
 *   for (const { stack, weight } of threads) counts.set(stack, (counts.get(stack) ?? 0) + weight);
 * }
 * console.log("the most frequent stack was seen", Math.max(...counts.values()), "times");
 * ```
 */
export class StackNode {
  /** The caller's; `null` for an outermost function. */
  readonly parent: StackNode | null;
  /** The next instruction to be executed. */
  readonly address: bigint;
  /** Whether the address was not called from but interrupted. */
  readonly exact: boolean;
  /** Callees, by {@linkcode keyOf}.
   *
   * @ignore
   */
  readonly children: NodesByKey = new Map();

  /** A node.
   *
   * @ignore
   */
  constructor(parent: StackNode | null, address: bigint, exact: boolean) {
    this.parent = parent;
    this.address = address;
    this.exact = exact;
  }
}

type NodesByKey = Map<bigint, StackNode>;

/** Stacks that share their outer parts. */
export class StackTree {
  #outermost: NodesByKey = new Map();
  #nodes = 0;

  /** The node of a function that another has called; `null` for an outermost one. */
  child(parent: StackNode | null, frame: Pick<UnwoundFrame, "address" | "exact">): StackNode {
    if (parent === null && this.#nodes > maxNodes) {
      this.#outermost = new Map();
      this.#nodes = 0;
    }
    const nodes = parent?.children ?? this.#outermost;
    const key = keyOf(frame);
    let node = nodes.get(key);
    if (node === undefined) {
      node = new StackNode(parent, frame.address, frame.exact);
      nodes.set(key, node);
      this.#nodes++;
    }
    return node;
  }
}

/** An interrupted address is another place than a return to the same address. */
function keyOf({ address, exact }: Pick<UnwoundFrame, "address" | "exact">): bigint {
  return exact ? -address - 1n : address;
}

/** A thread in a sample. */
export interface SampledThread {
  /** Its identifier, unique in the system. */
  readonly id: bigint;
  /** The name that the target gave it; empty when it has none. */
  readonly name: RawText;
  /** The dispatch queue whose work it ran; `null` when there is none or it is not known. */
  readonly queue: DispatchQueue | null;
  /** Whether it is the thread that the target began with. */
  readonly isMain: boolean;
  /** What it was doing. */
  readonly state: RunState;
  /** User and system time since it began, in microseconds; `null` when not known, as over the wire. */
  readonly cpuTime: number | null;
  /** How many samples this one stands for. With `offCpu` it is more than 1 when the thread waited for a CPU and
   * so could not be looked at before; it has not run in between. */
  readonly weight: number;
  /** Where it was: its innermost activation. `null` when it could not be read. */
  readonly stack: StackNode | null;
  /** Where it was, with symbols. They are looked up when they are asked for. */
  backtrace(): Backtrace;
}

/** What was seen at one moment. */
export interface Sample {
  /** Milliseconds since the first sample. */
  readonly time: number;
  /** Milliseconds after it was due. */
  readonly late: number;
  /** The longest that a thread stood still for it. */
  readonly stoppedMicroseconds: number;
  /** Samples and stacks that were lost since the sample before. */
  readonly lost: number;
  /** How many of these are stacks, of samples that were taken: one sample may have lost several. */
  readonly lostStacks: number;
  /** The threads that ran; with `offCpu` also those that wait. Where more threads could run than there are CPUs,
   * each is in as many samples as it had CPU time for. With `offCpu` one that could run counts as
   * running, on Linux unless it has had no CPU since the sample before. */
  readonly threads: readonly SampledThread[];
}

/** What a target is sampled with. */
export interface SampleOrigin {
  readonly arch: Arch;
  readonly kernel: Pick<MachKernel, "sample">;
  readonly task: number;
  readonly pid: number;
  readonly resolver: CodeResolver;
  readonly dispatch: DispatchSource;
  /** Lets a program begin that waits at its start, once it is sampled. */
  readonly begin?: () => Promise<Beginning>;
}

/** What is known of the first thread of a program that has begun. What was seen of it before is not the program's. */
export interface Beginning {
  /** The CPU time that was used by then, in nanoseconds. */
  readonly cpuTime: number;
  /** Its name, where it had another one before. */
  readonly name?: RawText;
}

const runStates: readonly RunState[] = [
  "running",
  "stopped",
  "waiting",
  "uninterruptible",
  "halted",
];

/** `TH_STATE_WAITING` */
const waiting = 3;

/** @throws RangeError for a rate or duration that is none */
export function checkSampleOptions({ rate = 100, duration }: SampleOptions): void {
  if (!(rate >= 0.1 && rate <= 10_000)) throw new RangeError(`a rate of ${rate}: 0.1 to 10000`);
  if (duration !== undefined && !(duration > 0)) throw new RangeError(`a duration of ${duration}`);
}

/** The threads that are to be sampled; empty for all.
 *
 * @throws TypeError for what is neither a name nor an identifier
 */
export function threadsToSample({ threads = [] }: SampleOptions): readonly (string | bigint)[] {
  const wanted: readonly (string | bigint)[] = Array.isArray(threads) ? threads : [threads];
  for (const thread of wanted) {
    if (typeof thread !== "string" && typeof thread !== "bigint") {
      throw new TypeError(`threads are given by name, or by identifier (a bigint): not ${thread}`);
    }
  }
  return wanted;
}

/** How many samples are due. */
function countOf({ rate = 100, duration }: SampleOptions): number {
  return duration === undefined ? 0 : Math.max(1, Math.round(duration * rate));
}

/** Whether a sample, so many milliseconds after the first, is the last that was due in the duration. What was
 * lost is not made up for: that would take longer than was asked. */
export function isLastDue(time: number, options: SampleOptions): boolean {
  const count = countOf(options);
  return count > 0 && time >= (count - 1) * 1000 / (options.rate ?? 100);
}

/** Samples a target.
 *
 * @throws RangeError for a rate or duration that is none
 * @throws MachError when the target cannot be sampled
 * @throws TargetGoneError when it has ended before the first sample
 */
export async function* samples(
  origin: SampleOrigin,
  options: SampleOptions = {},
): AsyncGenerator<Sample, void> {
  checkSampleOptions(options);
  const { rate = 100, offCpu = false, signal } = options;
  const threads = threadsToSample(options);
  if (signal?.aborted) return;
  const sampling = origin.kernel.sample(origin.task, {
    flavor: origin.arch.threadState.number,
    stateSize: origin.arch.threadState.size,
    periodNanoseconds: 1e9 / rate,
    // What is seen before the program begins does not count.
    count: origin.begin === undefined ? countOf(options) : 0,
    maxStack,
    offCpu,
    ids: threads.filter((thread) => typeof thread === "bigint"),
    names: threads.filter((thread) => typeof thread === "string"),
  });
  let { begin } = origin;
  const sampler = new StackSampler(origin, offCpu, begin !== undefined);
  let end: Error | null | undefined;
  let wake = () => {};
  const stop = () => {
    sampling.stop();
    wake();
  };
  const ended = sampling.ended.then((error) => {
    end = error;
    wake();
  });
  signal?.addEventListener("abort", stop);
  let lost = { missed: 0, dropped: 0 };
  let looks = 0;
  let isEmpty = true;
  try {
    for (;;) {
      const isLast = end !== undefined;
      while (sampling.read(sampler)) {
        if (begin !== undefined) {
          while (sampling.read(sampler));
          lost = { ...sampling.counts };
          sampler.begin(await begin());
          begin = undefined;
          looks = 0;
          // It was there, however soon it ends.
          isEmpty = false;
          continue;
        }
        const { missed, dropped } = sampling.counts;
        isEmpty = false;
        const sample = sampler.take(missed - lost.missed, dropped - lost.dropped);
        const isDue = isLastDue(sample.time, options);
        if (isDue) sampling.stop();
        yield sample;
        if (isDue) return;
        lost = { missed, dropped };
      }
      if (isLast) break;
      const interval = looks++ < firstLooks ? firstInterval : readInterval;
      const woken = new Promise<void>((resolve) => {
        wake = resolve;
        if (end !== undefined) resolve();
      });
      // The call that samples keeps the event loop from ending.
      await Promise.race([pause(begin === undefined ? interval : beginInterval), woken]);
    }
  } finally {
    signal?.removeEventListener("abort", stop);
    sampling.stop();
    await ended;
  }
  // A target that ends while it is sampled gave what it had.
  if (end instanceof TargetGoneError && !isEmpty) return;
  if (end) throw end;
}

/** A thread, as it was seen last. */
interface KnownThread {
  info: ThreadInfo;
  queue: DispatchQueue | null;
  /** Its address, or that it has none; `undefined` until it was read. */
  queuePointer: bigint | undefined;
  name: RawText;
  /** The stack's bytes, at the end of the array. */
  mirror: Uint8Array;
  stackEnd: bigint;
  /** Whether all of it was copied, up to its end. */
  isWhole: boolean;
  state: Uint8Array;
  cpuTime: number;
  runState: number;
  /** The tick of the last record, and how many it stood for. */
  tick: number;
  weight: number;
  /** The last tick at which it waited for a CPU and could not be looked at. */
  queuedAt: number;
  unwound: UnwoundStack | undefined;
  /** Where the stack was read for each activation's caller. */
  reads: (readonly number[])[];
  /** The nodes of the activations. */
  nodes: StackNode[];
}

/** What has changed of a stack since the record before. */
interface Change {
  readonly isNone: boolean;
  /** The first activation of the walk before from which on all was read from what is as it was. */
  readonly keptFrom: number;
}

const none: Change = { isNone: true, keptFrom: 0 };
const all: Change = { isNone: false, keptFrom: Infinity };

/** Keeps the stacks of all threads as they were last seen, and unwinds what has changed of them. */
class StackSampler implements SampleVisitor {
  readonly #origin: SampleOrigin;
  readonly #offCpu: boolean;
  readonly #threads = new Map<bigint, KnownThread>();
  readonly #queues = new Map<bigint, DispatchQueue | null>();
  #main: bigint | undefined;
  readonly #tree = new StackTree();
  #ticks = 1;
  #tick: SampleTick | undefined;
  /** The threads with a record since the last tick. */
  #seen: KnownThread[] = [];
  /** The CPU time from which on a stack is the program's, in nanoseconds. */
  #begunAt: number;
  /** The first tick's; `undefined` before. */
  #start: number | undefined;

  /** @param isHeld whether the program waits for {@linkcode begin} */
  constructor(origin: SampleOrigin, offCpu: boolean, isHeld: boolean) {
    this.#origin = origin;
    this.#offCpu = offCpu;
    this.#begunAt = isHeld ? Infinity : 0;
    this.#start = isHeld ? undefined : 0;
  }

  /** The program has begun. */
  begin({ cpuTime, name }: Beginning): void {
    this.#begunAt = cpuTime;
    const main = this.#threads.get(this.#main!);
    if (main !== undefined && name !== undefined) main.name = name;
  }

  thread(info: ThreadInfo): void {
    // The kernel lists the first thread first.
    this.#main ??= info.id;
    const known = this.#threads.get(info.id);
    if (known !== undefined) {
      known.info = info;
      known.name = info.name || known.name;
      return;
    }
    this.#threads.set(info.id, {
      info,
      queue: null,
      queuePointer: undefined,
      name: info.name,
      mirror: new Uint8Array(leastMirror),
      stackEnd: 0n,
      isWhole: false,
      state: new Uint8Array(0),
      cpuTime: 0,
      runState: waiting,
      tick: 0,
      weight: 1,
      queuedAt: 0,
      unwound: undefined,
      reads: [],
      nodes: [],
    });
  }

  exit(id: bigint): void {
    this.#threads.delete(id);
  }

  queued(id: bigint): void {
    const thread = this.#threads.get(id);
    if (thread !== undefined) thread.queuedAt = this.#ticks;
  }

  stack(record: StackRecord): void {
    const thread = this.#threads.get(record.threadId);
    if (thread === undefined) return;
    const change = this.#copy(thread, record);
    if (record.cpuTime < this.#begunAt) return;
    const isSame = change.isNone && thread.unwound !== undefined &&
      areEqual(record.state, thread.state);
    if (thread.tick !== this.#ticks) this.#seen.push(thread);
    thread.cpuTime = record.cpuTime;
    thread.runState = record.runState;
    thread.tick = this.#ticks;
    thread.weight = record.ticks;
    if (isSame) return;
    thread.state = record.state.slice();
    this.#walk(thread, record, change.keptFrom);
    this.#readQueue(thread, record);
  }

  tick(tick: SampleTick): void {
    this.#tick = tick;
  }

  /** The sample whose tick was read last.
   *
   * @param missed samples that were not taken before it
   * @param lostStacks stacks that were taken and are not there
   */
  take(missed: number, lostStacks: number): Sample {
    const { time, late, stopped } = this.#tick!;
    this.#start ??= time;
    const threads: SampledThread[] = [];
    // Most threads of most programs wait.
    for (const thread of this.#offCpu ? this.#threads.values() : this.#seen) {
      const isNew = thread.tick === this.#ticks;
      const isWaiting = this.#offCpu && thread.unwound !== undefined &&
        thread.queuedAt !== this.#ticks;
      if (isNew || isWaiting) threads.push(this.#sampled(thread, isNew));
    }
    this.#seen = [];
    this.#ticks++;
    return {
      time: (time - this.#start) / 1e6,
      late: late / 1e6,
      stoppedMicroseconds: Math.round(stopped / 1000),
      lost: missed + lostStacks,
      lostStacks,
      threads,
    };
  }

  #sampled(thread: KnownThread, isNew: boolean): SampledThread {
    const { info, name, queue, unwound, nodes } = thread;
    const { arch, resolver } = this.#origin;
    return {
      id: info.id,
      name,
      queue,
      isMain: info.id === this.#main,
      state: isNew ? runStates[thread.runState - 1] ?? "stopped" : "waiting",
      cpuTime: thread.cpuTime / 1000,
      weight: isNew ? thread.weight : 1,
      stack: nodes[0] ?? null,
      backtrace: () => new Backtrace(arch, resolver, unwound ?? empty),
    };
  }

  /** Brings the copy of a stack up to date. */
  #copy(thread: KnownThread, { stackAddress, stackSize, stackEnd, ranges }: StackRecord): Change {
    const used = Number(stackEnd - stackAddress);
    const isSameStack = stackEnd === thread.stackEnd;
    const isWhole = stackSize === used;
    const wasWhole = thread.isWhole;
    thread.isWhole = isWhole;
    if (stackSize > 0 && (used > thread.mirror.length || stackEnd !== thread.stackEnd)) {
      let size = thread.mirror.length;
      while (size < used) size *= 2;
      const mirror = new Uint8Array(size);
      if (stackEnd === thread.stackEnd) mirror.set(thread.mirror, size - thread.mirror.length);
      thread.mirror = mirror;
    }
    thread.stackEnd = stackEnd;
    if (stackSize === 0) return all;
    const start = thread.mirror.length - used;
    const last = ranges.at(-1);
    const changedTo = last === undefined
      ? 0
      : Number(stackAddress) + last.offset + last.bytes.length;
    const keptFrom = !isSameStack
      ? Infinity
      : isWhole && wasWhole
      ? keptOf(thread, Number(stackAddress), changedTo, ranges)
      // A walk may have ended where no more was copied.
      : thread.unwound?.frames.findIndex(({ sp }) => sp >= changedTo) ?? -1;
    for (const { offset, bytes } of ranges) thread.mirror.set(bytes, start + offset);
    return ranges.length === 0
      ? none
      : { isNone: false, keptFrom: keptFrom < 0 ? Infinity : keptFrom };
  }

  /** Unwinds a stack down to the first activation that is as it was, and is followed by what is as it was. */
  #walk(thread: KnownThread, record: StackRecord, keptFrom: number): void {
    const { arch, resolver } = this.#origin;
    const { stackAddress, stackSize, stackEnd } = record;
    const start = thread.mirror.length - Number(stackEnd - stackAddress);
    const before = thread.unwound?.frames ?? [];
    let at = 1;
    let shared = -1;
    let reads: number[] = [];
    const ownReads: (readonly number[])[] = [reads];
    const unwound = unwind({
      arch,
      images: resolver,
      state: thread.state,
      stackAddress,
      stack: stackSize === 0 ? nothing : thread.mirror.subarray(start, start + stackSize),
      stackEnd,
      readInto: undefined,
      isKnown({ sp, fp, address }: UnwoundFrame): boolean {
        // Both go up the stack.
        while (at < before.length && before[at].sp < sp) at++;
        const other = before[at];
        const isSame = at >= keptFrom && other !== undefined && !other.exact &&
          other.sp === sp && other.fp === fp && other.address === address;
        if (isSame) shared = at;
        else ownReads.push(reads = []);
        return isSame;
      },
      onRead: (address) => void reads.push(address),
    });
    const own = unwound.frames;
    let node = shared < 0 ? null : thread.nodes[shared];
    const inner: StackNode[] = new Array(own.length);
    for (let index = own.length; index-- > 0;) {
      inner[index] = node = this.#tree.child(node, own[index]);
    }
    thread.nodes = shared < 0 ? inner : inner.concat(thread.nodes.slice(shared));
    thread.reads = shared < 0 ? ownReads : ownReads.concat(thread.reads.slice(shared));
    thread.unwound = shared < 0 ? unwound : new JoinedStack(
      own.concat(before.slice(shared)),
      thread.unwound!.stopped,
      arch,
      thread.state,
    );
  }

  /** Reads which queue the thread serves. The pointer to the queue is at the end of the stack; what a queue is
   * called does not change. */
  #readQueue(thread: KnownThread, record: StackRecord): void {
    const { dispatch, arch } = this.#origin;
    const info: ThreadInfo = {
      ...thread.info,
      handle: record.handle || thread.info.handle,
      dispatchQueueAddress: record.dispatchQueueAddress || thread.info.dispatchQueueAddress,
    };
    const address = info.dispatchQueueAddress;
    if (address === 0n && info.handle === 0n) return;
    const at = thread.mirror.length - Number(record.stackEnd - address);
    const isCopied = address !== 0n && address >= record.stackAddress &&
      address + BigInt(arch.pointerSize) <= record.stackAddress + BigInt(record.stackSize);
    let pointer: bigint | undefined;
    if (isCopied) {
      const view = new DataView(thread.mirror.buffer, thread.mirror.byteOffset + at);
      pointer = arch.pointerSize === 8
        ? view.getBigUint64(0, true)
        : BigInt(view.getUint32(0, true));
      if (pointer === thread.queuePointer) return;
    } else if (thread.queuePointer !== undefined) {
      return;
    }
    thread.queuePointer = pointer ?? 0n;
    const known = pointer === undefined ? undefined : this.#queues.get(pointer);
    if (known !== undefined) {
      thread.queue = known;
      return;
    }
    const start = thread.mirror.length - Number(record.stackEnd - record.stackAddress);
    const captured: CapturedThread = {
      info,
      state: thread.state,
      stackAddress: record.stackAddress,
      stack: record.stackSize === 0
        ? nothing
        : thread.mirror.subarray(start, start + record.stackSize),
      stackEnd: record.stackEnd,
    };
    const service = new DispatchReader(dispatch, [captured]).of(captured);
    thread.queue = service.queue;
    thread.name ||= service.name;
    if (pointer !== undefined) this.#queues.set(pointer, service.queue);
  }
}

/** {@linkcode Change.keptFrom}, before the copy is brought up to date. Most of a stack's words do not matter for the
 * walk: variables of outer functions change all the time.
 *
 * @param stackAddress of what was copied now, which the ranges are in
 * @param changedTo the end of the last range; 0 for none
 */
function keptOf(
  { reads, mirror, stackEnd }: KnownThread,
  stackAddress: number,
  changedTo: number,
  ranges: StackRecord["ranges"],
): number {
  const mirrorAddress = Number(stackEnd) - mirror.length;
  const isChanged = (address: number): boolean => {
    if (address >= changedTo) return false;
    const offset = address - stackAddress;
    if (offset < 0) return true;
    // The last range that begins below the end of the word.
    let low = 0, high = ranges.length;
    while (low < high) {
      const middle = low + high >> 1;
      if (ranges[middle].offset < offset + wordSize) low = middle + 1;
      else high = middle;
    }
    const range = ranges[low - 1];
    if (range === undefined || range.offset + range.bytes.length <= offset) return false;
    // Between two changes that are near each other a range has what is as it was.
    for (let byte = 0; byte < wordSize; byte++) {
      const at = offset + byte - range.offset;
      if (at < 0 || at >= range.bytes.length) return true;
      if (range.bytes[at] !== mirror[address + byte - mirrorAddress]) return true;
    }
    return false;
  };
  let from = reads.length;
  while (from > 0 && !reads[from - 1].some(isChanged)) from--;
  return from;
}

/** The largest number of bytes that the unwinder reads at once. */
const wordSize = 8;

function areEqual(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  for (let at = 0; at < a.length; at++) if (a[at] !== b[at]) return false;
  return true;
}

const nothing = new Uint8Array(0);

const noRegisters = new Registers(new Map());

const empty: UnwoundStack = { frames: [], stopped: "no-state", registersOf: () => noRegisters };

/** The new activations of a stack above those that are as they were. */
class JoinedStack implements UnwoundStack {
  readonly #arch: Arch;
  readonly #state: Uint8Array;

  constructor(
    readonly frames: readonly UnwoundFrame[],
    readonly stopped: UnwoundStack["stopped"],
    arch: Arch,
    state: Uint8Array,
  ) {
    this.#arch = arch;
    this.#state = state;
  }

  /** Those of the innermost frame alone: the others are not kept. */
  registersOf(index: number): Registers {
    return index === 0 ? Registers.fromState(this.#arch, this.#state) : noRegisters;
  }
}
