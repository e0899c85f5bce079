/** Samples of a target that can only be looked at while all of it is stopped, such as one over the wire. The
 * schedule is kept here, and each sample is a stop of the whole target. */

import { until } from "../clock.ts";
import { TargetGoneError } from "../errors.ts";
import type { DispatchQueue } from "./dispatch.ts";
import type { Backtrace } from "./frame.ts";
import type { CapturedThread } from "./kernel.ts";
import {
  checkSampleOptions,
  type Sample,
  type SampledThread,
  type SampleOptions,
  type StackNode,
  StackTree,
  threadsToSample,
} from "./sampling.ts";
import type { Thread } from "./thread.ts";

/** Stops the target, shows its threads, and lets it run.
 *
 * @param see gets the threads, the main thread first, and what was captured of each
 * @returns how long it was stopped, in microseconds
 */
export type StopToSee = (
  see: (threads: readonly Thread[], captured: readonly CapturedThread[]) => void,
) => number;

/** A thread, as it was seen last. */
interface Known {
  readonly state: Uint8Array;
  readonly stack: StackNode | null;
  readonly queue: DispatchQueue | null;
  readonly backtrace: Backtrace;
  /** The look that saw it. */
  look: number;
}

/** Samples a target by stopping it. Nothing tells the processor time of its threads: one whose registers are
 * as they were in the look before waits, and another one runs. A look before the first sample is what that
 * is compared with.
 *
 * What is due while an earlier sample is taken is lost, and counted.
 *
 * @throws RangeError for a rate or duration that is none
 * @throws TargetGoneError when the target has ended before the first look
 */
export async function* pausedSamples(
  stop: StopToSee,
  options: SampleOptions,
): AsyncGenerator<Sample, void> {
  checkSampleOptions(options);
  const { rate = 100, duration, offCpu = false, signal } = options;
  const wanted = threadsToSample(options);
  const period = 1000 / rate;
  const count = duration === undefined ? Infinity : Math.max(1, Math.round(duration * rate));
  const tree = new StackTree();
  const known = new Map<bigint, Known>();
  const isWanted = ({ id, name }: Thread) =>
    wanted.length === 0 || wanted.includes(id) || wanted.includes(name);
  let look = 0;
  const seen = (thread: Thread, { state }: CapturedThread): SampledThread => {
    const { id, name, index } = thread;
    const last = known.get(id);
    const isSame = last !== undefined && last.state.length === state.length &&
      last.state.every((byte, at) => byte === state[at]);
    const { stack, queue, backtrace } = isSame ? last : walked(thread, tree);
    known.set(id, { state, stack, queue, backtrace, look });
    return {
      id,
      name,
      queue,
      isMain: index === 0,
      state: isSame ? "waiting" : "running",
      cpuTime: null,
      weight: 1,
      stack,
      backtrace: () => backtrace,
    };
  };
  const take = (): { threads: SampledThread[]; stopped: number } | undefined => {
    look++;
    const threads: SampledThread[] = [];
    try {
      const stopped = stop((all, captured) => {
        for (const [index, thread] of all.entries()) {
          if (isWanted(thread)) threads.push(seen(thread, captured[index]));
        }
      });
      for (const [id, thread] of known) if (thread.look !== look) known.delete(id);
      return { threads, stopped };
    } catch (error) {
      // A target that ends while it is sampled gave what it had.
      if (error instanceof TargetGoneError && look > 1) return undefined;
      throw error;
    }
  };
  if (signal?.aborted) return;
  take();
  const began = performance.now() + period;
  let lost = 0;
  for (let tick = 0; tick < count;) {
    const due = began + tick * period;
    await until(due, signal);
    if (signal?.aborted) return;
    const at = performance.now();
    const taken = take();
    if (taken === undefined) return;
    yield {
      time: at - began,
      late: at - due,
      stoppedMicroseconds: taken.stopped,
      lost,
      lostStacks: 0,
      threads: offCpu ? taken.threads : taken.threads.filter(({ state }) => state === "running"),
    };
    // The last one is taken however late it is: nothing is lost after it.
    const passed = Math.min(Math.ceil((performance.now() - began) / period), count - 1);
    const next = Math.max(tick + 1, passed);
    lost = next - tick - 1;
    tick = next;
  }
}

/** Where a thread is. */
function walked(thread: Thread, tree: StackTree): Omit<Known, "state" | "look"> {
  const backtrace = thread.backtrace();
  let stack: StackNode | null = null;
  for (const { address, lookupAddress } of [...backtrace.activations].reverse()) {
    stack = tree.child(stack, { address, exact: address === lookupAddress });
  }
  return { stack, queue: thread.queue, backtrace };
}
