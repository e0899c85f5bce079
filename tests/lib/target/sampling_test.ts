/** Samples of a kernel that loses some: the time that was asked for is kept. */
import { assertEquals } from "@std/assert";
import { archs } from "../../../lib/arch/mod.ts";
import type { SampleVisitor, Sampling, SamplingOptions } from "../../../lib/target/mod.ts";
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
      return Promise.resolve({ cpuTime: 0 });
    },
  };
  const seen: [time: number, lost: number][] = [];
  for await (const { time, lost } of samples(origin, { rate: 100, duration: 0.1 })) {
    seen.push([time, lost]);
  }
  assertEquals(seen, [[0, 1], [20, 1], [40, 1], [60, 1], [80, 1], [100, 1]]);
});
