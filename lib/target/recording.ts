/** Recordings: the samples of a target as a profile. */

import type { Arch } from "../arch/mod.ts";
import type { RawText } from "../escape.ts";
import { ElfImage } from "../elf/mod.ts";
import type { LoadedImage } from "../macho/mod.ts";
import { type Profile, ProfileBuilder, SampleState } from "../profile/mod.ts";
import { demangle, loadDemangler } from "../symbols/mod.ts";
import type { UnwoundFrame, UnwoundStack } from "../unwind/mod.ts";
import { Registers } from "../arch/mod.ts";
import { Backtrace, type Frame } from "./frame.ts";
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
  await loadDemangler();
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
  for await (const sample of samples) {
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
  readonly #images = new Map<LoadedImage, number>();
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
    this.#process = builder.process({ name: origin.name, pid: origin.pid });
  }

  /** How many samples were lost so far. */
  get lost(): number {
    return this.#lost;
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
      for (const frame of this.#framesOf(path[at])) known = this.#builder.stack(known, frame);
      this.#stacks.set(path[at], known);
    }
    return known;
  }

  /** The frames of an activation: the function that has it, then those inlined into it. */
  #framesOf({ address, exact }: StackNode): readonly number[] {
    const key = exact ? -address - 1n : address;
    let frames = this.#frames.get(key);
    if (frames === undefined) {
      const { arch, resolver } = this.#origin;
      const shown = [...new Backtrace(arch, resolver, single(address, exact))].reverse();
      frames = shown.map((frame, inlineDepth) => this.#frame(frame, inlineDepth));
      this.#frames.set(key, frames);
    }
    return frames;
  }

  #frame(frame: Frame, inlineDepth: number): number {
    const { image, source, lookupAddress: address, symbol } = frame;
    const name = frame.function;
    const of = this.#builder.function(name === null ? null : demangle(name), {
      ...(image === null ? {} : { image: this.#image(image) }),
      file: source?.file ?? null,
      address: inlineDepth > 0 ? 0n : symbol?.address ?? (name === null ? address : 0n),
    });
    return this.#builder.frame(of, {
      address,
      inlineDepth,
      line: source?.line ?? 0,
      column: source?.column ?? 0,
    });
  }

  #image(image: LoadedImage): number {
    let index = this.#images.get(image);
    if (index === undefined) {
      const { name, path, uuid, loadAddress } = image;
      const end = endOf(image);
      index = this.#builder.image({
        name,
        path,
        uuid: image instanceof ElfImage ? image.buildId : uuid,
        address: loadAddress,
        size: end > loadAddress ? end - loadAddress : 0n,
        arch: this.#origin.arch.name,
      });
      this.#images.set(image, index);
    }
    return index;
  }
}

/** Parts of an image that are further apart are not one piece: the images of the shared cache have a common
 * last part. */
const widestGap = 64n << 20n;

/** Where the code of an image ends. */
function endOf({ loadAddress, ranges }: LoadedImage): bigint {
  let end = loadAddress;
  for (const range of ranges) {
    if (range.start > end + widestGap) break;
    if (range.end > end) end = range.end;
  }
  return end;
}

/** A stack of one activation. */
function single(address: bigint, exact: boolean): UnwoundStack {
  const frame: UnwoundFrame = {
    address,
    exact,
    sp: 0,
    fp: 0,
    returnAddress: 0n,
    foundBy: exact ? "context" : "frame-pointer",
    row: null,
  };
  return { frames: [frame], stopped: "limit", registersOf: () => new Registers(new Map()) };
}
