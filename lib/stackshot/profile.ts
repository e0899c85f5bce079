/** Stackshots as a profile: each is one sample of every thread. */

import type { RawText } from "../escape.ts";
import { FormatError } from "../errors.ts";
import {
  MAX_DEPTH,
  type Profile,
  ProfileBuilder,
  type SampleParts,
  SampleState,
} from "../profile/mod.ts";
import type { Resolver } from "../symbols/mod.ts";
import { framesOfPlace, ProfileImages, pushFrames } from "../symbols/profile_frames.ts";
import type { Backtrace } from "../target/mod.ts";
import type { Stackshot, StackshotTask } from "./stackshot.ts";
import type { StackshotThread } from "./thread.ts";

/** Which tasks are in the profile, and how they are named. */
export interface StackshotProfileOptions {
  /** Only the process with this identifier. */
  readonly pid?: number;
  /** Makes names readable; without it they stay mangled. */
  readonly demangle?: (name: string) => string;
}

/** Makes a profile of stackshots of one system: a series, in any order, or a single one. Kernel frames are
 * inside of those in user space. The CPU time of a sample is what the thread used since the stackshot
 * before.
 *
 * @example
 * ```ts
 * import { openStackshot } from "@machpause/machpause";
 * import { profileOfStackshots } from "@machpause/machpause/stackshot";
 *
 * using first = await openStackshot("1.kcdata", { symbols: ["./symbols"] });
 * using second = await openStackshot("2.kcdata", { symbols: ["./symbols"] });
 * const profile = profileOfStackshots([first, second]);
 * console.log(profile.threads.length, profile.interval);
 * ```
 * @throws FormatError for several stackshots of which one has no time
 */
export function profileOfStackshots(
  stackshots: readonly Stackshot[],
  options: StackshotProfileOptions = {},
): Profile {
  const timed = stackshots.map((stackshot) => ({ stackshot, time: millisecondsOf(stackshot) }));
  const untimed = timed.find(({ time }) => time === null);
  if (stackshots.length > 1 && untimed !== undefined) {
    throw new FormatError(
      untimed.stackshot.data.source,
      0,
      "a stackshot with its time, as part of a series",
    );
  }
  timed.sort((one, other) => (one.time ?? 0) - (other.time ?? 0));
  const first = timed[0];
  const start = first?.time ?? 0;
  const end = timed.at(-1)?.time ?? 0;
  const data = first?.stackshot.data;
  const maker = new StackshotProfile(
    new ProfileBuilder({
      arch: first?.stackshot.tasks.find(({ arch }) => arch !== null)?.arch ?? null,
      os: data?.osVersion ?? null,
      startTime: first?.stackshot.date?.getTime() ?? null,
      interval: timed.length > 1 ? (end - start) / (timed.length - 1) : 0,
    }),
    options.demangle ?? ((name) => name),
  );
  for (const { stackshot, time } of timed) {
    for (const task of stackshot.tasks) {
      if (options.pid === undefined || task.pid === options.pid) {
        maker.task(task, stackshot.kernel, (time ?? 0) - start);
      }
    }
  }
  return maker.builder.finish();
}

/** When it was taken, on a clock that does not jump. */
function millisecondsOf({ data, date }: Stackshot): number | null {
  const { absoluteTime, timebase } = data;
  if (absoluteTime === null || timebase.denom === 0) return date?.getTime() ?? null;
  return Number(absoluteTime) * timebase.numer / timebase.denom / 1e6;
}

class StackshotProfile {
  readonly builder: ProfileBuilder;
  readonly #readable: (name: RawText) => RawText;
  readonly #processes = new Map<bigint, number>();
  readonly #mains = new Map<number, bigint>();
  readonly #images: ProfileImages;
  /** The CPU time of each thread at its last sample, in nanoseconds. */
  readonly #used = new Map<bigint, bigint>();

  constructor(builder: ProfileBuilder, readable: (name: RawText) => RawText) {
    this.builder = builder;
    this.#images = new ProfileImages(builder);
    this.#readable = readable;
  }

  task(task: StackshotTask, kernel: Resolver, time: number): void {
    const { uniqueId, pid } = task.data;
    let process = this.#processes.get(uniqueId);
    if (process === undefined) {
      process = this.builder.process({
        name: task.name === "" ? null : task.name,
        pid: pid < 0 ? null : pid,
      });
      this.#processes.set(uniqueId, process);
    }
    for (const thread of task.threads) {
      const row = this.#row(thread, process);
      const user = this.#push(-1, thread.backtrace(MAX_DEPTH), task);
      const stack = this.#push(user, thread.kernelBacktrace(MAX_DEPTH), kernel);
      this.builder.sample(row, stack, time, this.#parts(thread));
    }
  }

  #row({ id, name, data }: StackshotThread, process: number): number {
    // The kernel lists threads in the order of their creation.
    if (!this.#mains.has(process)) this.#mains.set(process, id);
    return this.builder.thread({
      process,
      id,
      name: name === "" ? null : name,
      queue: data.queueLabel === "" ? null : data.queueLabel,
      isMain: this.#mains.get(process) === id,
    });
  }

  #parts({ id, state, data }: StackshotThread): SampleParts {
    const used = data.userTime + data.systemTime;
    const before = this.#used.get(id);
    this.#used.set(id, used);
    return {
      state: state === "running" ? SampleState.onCPU : SampleState.offCPU,
      ...before === undefined || used < before ? {} : { cpu: Number(used - before) / 1000 },
    };
  }

  #push(prefix: number, backtrace: Backtrace, resolver: Resolver): number {
    let stack = prefix;
    for (const { lookupAddress: address } of backtrace.activations.toReversed()) {
      const info = resolver.resolve(address);
      const place = { address, image: this.#images.index(info.image), info };
      stack = pushFrames(this.builder, stack, framesOfPlace(this.builder, place, this.#readable));
    }
    return stack;
  }
}
