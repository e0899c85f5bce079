/** A process in a fake kernel, on a clock that runs as fast as it is asked: the demo as it was recorded on arm64,
 * whose main thread is where a schedule says. */
import type { ThreadInfo } from "../../../lib/target/mod.ts";
import type { HangClock } from "../../../lib/hang/mod.ts";
import { LiveTarget } from "../../../lib/target/walking.ts";
import type { FileSystem } from "../../../lib/file_system.ts";
import { recordedKernel } from "../target/memory_kernel.ts";

/** Indexes of the recorded threads. */
export const recorded = {
  main: 0,
  lock: 1,
  spin: 2,
  deep: 3,
  leaf: 4,
  queue: 5,
  relay: 6,
} as const;

/** What the main thread does at one time. */
export interface Doing {
  /** Index of the recorded thread whose registers and stack it has. */
  readonly like: number;
  readonly running: boolean;
}

/** What it does at a time, in milliseconds. */
export type Schedule = (time: number) => Doing;

const noFiles: FileSystem = {
  files: {
    open: (path) => {
      throw new Deno.errors.NotFound(path);
    },
    create: () => {
      throw new Error("nothing is written");
    },
    walk: () => [],
  },
};

/** A clock without time between its ticks. It ends what waits for it when its time has come. */
export class FastClock implements HangClock {
  time = 0;
  readonly #end: number;
  readonly #stop: () => void;
  /** Called as time goes on. */
  tick = (): void => {};

  constructor(end: number, stop: () => void) {
    this.#end = end;
    this.#stop = stop;
  }

  now(): number {
    return this.time;
  }

  date(): number {
    return Date.UTC(2026, 0, 1) + this.time;
  }

  until(time: number): Promise<void> {
    this.time = time;
    this.tick();
    if (time >= this.#end) this.#stop();
    return done;
  }
}

const done = Promise.resolve();

/** A target in a fake kernel. */
export function simulated(clock: FastClock, schedule: Schedule): LiveTarget {
  const kernel = recordedKernel("arm64");
  const { snapshot, threadInfo } = kernel;
  const captured = kernel.snapshot(0, {
    flavor: 6,
    stateSize: 272,
    maxStack: 1 << 20,
    keepSuspended: false,
  }).threads;
  let ran = 0n;
  let last = 0;
  let before: number = recorded.main;
  const info = (base: ThreadInfo): ThreadInfo => {
    const { like, running } = schedule(clock.time);
    if (running) ran += BigInt(Math.round((clock.time - last) * 1e6));
    // To get from one wait into another takes some microseconds.
    else if (like !== before) ran += 5000n;
    last = clock.time;
    before = like;
    return { ...base, runState: running ? 1 : 3, userTime: ran };
  };
  clock.tick = () => void (kernel.log.length = 0);
  kernel.threadInfo = (thread) => {
    const base = threadInfo.call(kernel, thread);
    return thread === 0x200 ? info(base) : base;
  };
  kernel.threadGetState = (thread) => {
    const { like } = schedule(clock.time);
    return captured[thread === 0x200 ? like : thread - 0x200].state.slice();
  };
  kernel.snapshot = (task, options) => {
    const capture = snapshot.call(kernel, task, options);
    const { like } = schedule(clock.time);
    const [main, ...others] = capture.threads;
    return {
      ...capture,
      threads: [{ ...captured[like], info: info(main.info) }, ...others],
    };
  };
  return new LiveTarget(kernel, noFiles, { pid: 7, name: "simulated" });
}
