/** Samples as a profile: none is lost on the way. */
import { assertEquals } from "@std/assert";
import { archs } from "../../../lib/arch/mod.ts";
import { record } from "../../../lib/target/recordings.ts";
import type { Sample, SampledThread } from "../../../lib/target/walking.ts";

const unknown = new Proxy({}, {
  get() {
    throw new Error("nothing is looked up");
  },
}) as never;

async function recorded(
  looks: readonly (readonly [time: number, weight: number, runs: boolean])[],
) {
  async function* samples(): AsyncGenerator<Sample> {
    for (const [time, weight, runs] of looks) {
      const thread: SampledThread = {
        ...{ id: 5n, name: "t", queue: null, isMain: true, cpuTime: time * 1000, weight },
        ...{ state: runs ? "running" : "waiting", stack: null, backtrace: () => unknown },
      };
      yield { time, late: 0, stoppedMicroseconds: 1, lost: 0, lostStacks: 0, threads: [thread] };
    }
  }
  const origin = { name: "app", pid: 7, arch: archs.arm64, os: "macOS", resolver: unknown };
  const { threads: [{ samples: rows }] } = await record(origin, samples(), { rate: 100 });
  return Array.from(rows.time, (time, at) => [time, rows.weight[at]]);
}

Deno.test("a wait is two samples, and has the weight of all looks", async () => {
  assertEquals(await recorded([[0, 1, false], [10, 1, false], [20, 1, false]]), [[0, 1], [20, 2]]);
  // It waited for a processor before it could be looked at: the looks before count, from the first of them on.
  assertEquals(await recorded([[120, 13, false], [130, 1, false]]), [[0, 1], [130, 13]]);
  assertEquals(await recorded([[0, 1, true], [50, 5, false]]), [[0, 1], [10, 1], [50, 4]]);
  assertEquals(await recorded([[0, 1, true], [50, 5, true]]), [[0, 1], [50, 5]]);
});
