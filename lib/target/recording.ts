/** Recordings: the samples of a target as a profile. */

import type { Arch } from "../arch/mod.ts";
import type { RawText } from "../escape.ts";
import { type Profile, ProfileBuilder, SampleState } from "../profile/mod.ts";
import { demangle, hasDemanglers, isMangled } from "../symbols/walking.ts";
import { framesOfPlace, ProfileImages, pushFrames } from "../symbols/profile_frames.ts";
import type { RecordOptions, Sample, SampledThread, StackNode } from "./sampling.ts";
import type { CodeResolver } from "./thread.ts";

/** For how long a wait is counted before it is written down, in milliseconds: what is lost of one when the
 * recorder is killed. */
const longestWait = 1000;

/** What a recording is made of. */
export interface RecordingOrigin {
  readonly name: RawText;
  readonly pid: number | null;
  readonly arch: Arch;
  readonly resolver: CodeResolver;
  /** The operating system. */
  readonly os: string;
}

/** Puts samples into a profile as they come. */
export async function record(
  origin: RecordingOrigin,
  samples: AsyncIterable<Sample>,
  { rate = 100, builder = new ProfileBuilder(), onSample }: RecordOptions,
): Promise<Profile> {
  const { name, arch, os } = origin;
  builder.info = {
    product: name,
    arch: arch.name,
    os,
    startTime: Date.now(),
    interval: 1000 / rate,
    ...builder.info,
  };
  const recorder = new Recorder(builder, origin);
  const isFile = import.meta.url.startsWith("file:");
  // The demanglers are many modules, and not every program has mangled names.
  let demangles = isFile && hasDemanglers();
  for await (const sample of samples) {
    if (!demangles && recorder.hasMangled(sample)) {
      const { loadDemangler } = await import("../symbols/demangle/mod.ts");
      if (!isFile) await loadDemangler();
      demangles = true;
    }
    recorder.add(sample);
    onSample?.(sample);
  }
  recorder.flush();
  return builder.finish();
}

/** A thread that waits, and since when. */
interface Wait {
  readonly thread: number;
  readonly stack: number;
  readonly since: number;
  last: number;
  count: number;
}

/** Puts samples into a profile. Names and lines are looked up as the samples come, while the target has what
 * they are read from. */
class Recorder {
  readonly #builder: ProfileBuilder;
  readonly #origin: RecordingOrigin;
  readonly #process: number;
  readonly #stacks = new Map<StackNode, number>();
  readonly #frames = new Map<bigint, readonly number[]>();
  readonly #images: ProfileImages;
  readonly #cpuTimes = new Map<bigint, number>();
  readonly #waits = new Map<number, Wait>();
  readonly #rows = new Map<
    bigint,
    { readonly name: RawText; readonly label: RawText | null; readonly row: number }
  >();
  #lost = 0;

  /** A recorder.
   *
   * @param builder gets what is recorded
   */
  constructor(builder: ProfileBuilder, origin: RecordingOrigin) {
    this.#builder = builder;
    this.#origin = origin;
    this.#images = new ProfileImages(builder, origin.arch.name);
    this.#process = builder.process({ name: origin.name, pid: origin.pid });
  }

  /** How many samples were lost so far. */
  get lost(): number {
    return this.#lost;
  }

  /** Whether a sample has a mangled name on a stack that is new. */
  hasMangled({ threads }: Sample): boolean {
    return threads.some(({ stack }) => {
      for (let at = stack; at !== null && !this.#stacks.has(at); at = at.parent) {
        const { symbol, frames } = this.#origin.resolver.resolve(this.#lookupOf(at));
        if (symbol !== null && isMangled(symbol.name)) return true;
        if (frames.some(({ function: name }) => isMangled(name))) return true;
      }
      return false;
    });
  }

  /** Adds a sample. */
  add(sample: Sample): void {
    this.#lost += sample.lost;
    if (sample.lost > 0) this.#builder.info = { ...this.#builder.info, lost: this.#lost };
    for (const thread of sample.threads) this.#add(thread, sample.time);
  }

  /** Adds what is not written down yet. The recorder may go on. */
  flush(): void {
    for (const wait of this.#waits.values()) this.#end(wait);
    this.#waits.clear();
  }

  #add(thread: SampledThread, time: number): void {
    const { id, state, cpuTime, weight, stack: node } = thread;
    const row = this.#row(thread);
    const stack = node === null ? -1 : this.#stack(node);
    const wait = this.#waits.get(row);
    if (state !== "running") {
      if (wait?.stack === stack && time - wait.since < longestWait) {
        wait.last = time;
        wait.count += weight;
        return;
      }
      if (wait !== undefined) this.#end(wait);
      // What stands for several looks waited since the first of them.
      const since = Math.max(0, time - (weight - 1) * (this.#builder.info.interval ?? 0));
      this.#waits.set(row, { thread: row, stack, since, last: time, count: weight });
      return;
    }
    if (wait !== undefined) {
      this.#end(wait);
      this.#waits.delete(row);
    }
    const before = this.#cpuTimes.get(id);
    if (cpuTime !== null) this.#cpuTimes.set(id, cpuTime);
    this.#builder.sample(row, stack, time, {
      weight,
      state: SampleState.onCPU,
      ...(before === undefined || cpuTime === null ? {} : { cpu: Math.max(0, cpuTime - before) }),
    });
  }

  /** The row of a thread on the queue that it serves. Most stay the same from sample to sample. */
  #row({ id, name, queue, isMain }: SampledThread): number {
    const label = queue === null || queue.label === "" ? null : queue.label;
    const last = this.#rows.get(id);
    if (last !== undefined && last.name === name && last.label === label) return last.row;
    const row = this.#builder.thread({
      process: this.#process,
      id,
      name: name === "" ? null : name,
      queue: label,
      isMain,
    });
    this.#rows.set(id, { name, label, row });
    return row;
  }

  /** A wait is two samples: when it began, and when it was last seen, with the weight of all but the first. */
  #end({ thread, stack, since, last, count }: Wait): void {
    const state = SampleState.offCPU;
    this.#builder.sample(thread, stack, since, { state, cpu: 0 });
    if (count > 1) this.#builder.sample(thread, stack, last, { state, cpu: 0, weight: count - 1 });
  }

  #stack(node: StackNode): number {
    // From the innermost known caller on; a loop, since stacks may be very deep.
    const path: StackNode[] = [];
    let known = -1;
    for (let at: StackNode | null = node; at !== null; at = at.parent) {
      const index = this.#stacks.get(at);
      if (index !== undefined) {
        known = index;
        break;
      }
      path.push(at);
    }
    for (let at = path.length; at-- > 0;) {
      known = pushFrames(this.#builder, known, this.#framesOf(path[at]));
      this.#stacks.set(path[at], known);
    }
    return known;
  }

  /** The frames of an activation: the function that has it, then those inlined into it. */
  #framesOf(node: StackNode): readonly number[] {
    const lookup = this.#lookupOf(node);
    let frames = this.#frames.get(lookup);
    if (frames === undefined) {
      const info = this.#origin.resolver.resolve(lookup);
      const place = { address: lookup, image: this.#images.index(info.image), info };
      frames = framesOfPlace(this.#builder, place, demangle);
      this.#frames.set(lookup, frames);
    }
    return frames;
  }

  /** A return address may be that of the next function. */
  #lookupOf({ address, exact }: StackNode): bigint {
    return exact ? address : address - this.#origin.arch.callBias;
  }
}
