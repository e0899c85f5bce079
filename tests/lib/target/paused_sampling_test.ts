/** The schedule of samples that are stops, over stops that take a known time. */
import { assert, assertEquals, assertRejects } from "@std/assert";
import { TargetGoneError } from "../../../lib/errors.ts";
import { LiveTarget } from "../../../lib/target/mod.ts";
import { pausedSamples } from "../../../lib/target/recordings.ts";
import type { CapturedThread } from "../../../lib/target/walking.ts";
import { recordedKernel } from "./memory_kernel.ts";

const files = {
  open(): never {
    throw new Error("there are no files");
  },
  create(): never {
    throw new Error("there are no files");
  },
  walk: () => [],
};
using demo = new LiveTarget(recordedKernel("arm64"), { files }, { pid: 7, name: "demo" });
const { threads } = demo.snapshot();

/** The captured threads; those whose indexes are named have moved. */
function captured(look: number, moved: readonly number[]): CapturedThread[] {
  return threads.map((_, index) => ({
    state: Uint8Array.of(moved.includes(index) ? look : 0),
  } as unknown as CapturedThread));
}

Deno.test("samples by stops: what moved runs, and each that was due is there or counted as lost", async () => {
  let looks = 0;
  const found: { names: string[]; lost: number }[] = [];
  // The third sample takes as long as many.
  const stop = (see: (all: typeof threads, captured: CapturedThread[]) => void) => {
    see(threads, captured(looks, [2, 4]));
    if (++looks === 3) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 45);
    return 1000;
  };
  for await (const sample of pausedSamples(stop, { rate: 100, duration: 0.2 })) {
    assertEquals(sample.stoppedMicroseconds, 1000);
    assert(sample.late >= 0);
    assert(sample.threads.every(({ stack }) => stack !== null));
    assertEquals(sample.threads.map(({ cpuTime }) => cpuTime), [null, null]);
    found.push({ names: sample.threads.map(({ name }) => name), lost: sample.lost });
  }
  // The first look is what the first sample is compared with.
  assertEquals(looks, found.length + 1);
  const busy = [2, 4].map((index) => threads[index].name);
  for (const { names } of found) assertEquals(names, busy);
  const lost = found.reduce((sum, sample) => sum + sample.lost, 0);
  assertEquals(found.length + lost, 20);
  assert(lost >= 3, `${lost}`);
});

Deno.test("samples by stops: the named threads, off CPU too, until the target ends", async () => {
  let looks = 0;
  const stop = (see: (all: typeof threads, captured: CapturedThread[]) => void) => {
    if (++looks === 4) throw new TargetGoneError("it has ended");
    see(threads, captured(looks, []));
    return 0;
  };
  const wanted = [threads[1].name, threads[3].id];
  const states: string[][] = [];
  for await (const sample of pausedSamples(stop, { rate: 500, threads: wanted, offCpu: true })) {
    assertEquals(sample.threads.map(({ id }) => id), [threads[1].id, threads[3].id]);
    states.push(sample.threads.map(({ state }) => state));
  }
  assertEquals(states, [["waiting", "waiting"], ["waiting", "waiting"]]);
  await assertRejects(async () => void await pausedSamples(stop, { rate: 0 }).next(), RangeError);
});

Deno.test("samples by stops: threads are named one or many, and nothing else is taken", async () => {
  const stop = (see: (all: typeof threads, captured: CapturedThread[]) => void) => {
    see(threads, captured(0, []));
    return 0;
  };
  const { name, id } = threads[1];
  const seen = async (wanted: unknown) => {
    const options = { rate: 1000, duration: 0.001, offCpu: true, threads: wanted as string };
    const { value } = await pausedSamples(stop, options).next();
    return value?.threads.map((thread) => thread.name);
  };
  assertEquals(await seen(name), [name]);
  assertEquals(await seen(id), [name]);
  assertEquals(await seen([name, id]), [name]);
  // A name is a whole one.
  assertEquals(await seen(`${name} and more`), []);
  for (const wrong of [1, null, [null], { name }]) {
    await assertRejects(() => seen(wrong), TypeError, "threads are given by name");
  }
});

Deno.test("samples by stops: a target that had ended before the first look is said to be gone", async () => {
  const stop = (): number => {
    throw new TargetGoneError("pid 7", "it exited with code 1");
  };
  await assertRejects(
    async () => void await pausedSamples(stop, { duration: 1 }).next(),
    TargetGoneError,
    "exited with code 1",
  );
});
