/** Stackshots as a profile: each is a sample of every thread. */
import { assertEquals, assertThrows } from "@std/assert";
import { FormatError } from "../../../lib/errors.ts";
import { framesOf, SampleState } from "../../../lib/profile/mod.ts";
import {
  profileOfStackshots,
  readStackshot,
  Stackshot,
  type StackshotData,
} from "../../../lib/stackshot/mod.ts";
import { Symbolizer } from "../../../lib/symbols/mod.ts";
import { encodeKcdata } from "./kcdata_encoder.ts";
import { shot } from "./shot.ts";

const services = {
  symbols: (images: ConstructorParameters<typeof Symbolizer>[0] & []) => new Symbolizer(images),
};

const data = await readStackshot(encodeKcdata(shot), "made");

/** The stackshot as of so many milliseconds later, in which every thread has run for a part of them. */
function later(milliseconds: number, runs: number): Stackshot {
  const { numer, denom } = data.timebase;
  const ticks = BigInt(Math.round(milliseconds * 1e6 * denom / numer));
  const changed: StackshotData = {
    ...data,
    absoluteTime: data.absoluteTime! + ticks,
    tasks: data.tasks.map((task) => ({
      ...task,
      threads: task.threads.map((thread) => ({
        ...thread,
        state: runs > 0 ? 4 : 1,
        userTime: thread.userTime + BigInt(Math.round(runs * 1e6)),
      })),
    })),
  };
  return new Stackshot(changed, services);
}

Deno.test("a series of stackshots becomes a profile, in order of time", () => {
  const series = [later(30, 8), later(0, 0), later(10, 5)];
  const profile = profileOfStackshots(series);
  assertEquals(Math.round(profile.interval * 1000), 15_000);
  assertEquals(
    profile.processes.slice(0, 2),
    [{ name: "kernel_task", pid: 0 }, { name: "Worker", pid: 501 }],
  );
  const thread = profile.threads.find(({ id }) => id === 0x201n)!;
  assertEquals(
    [thread.name, thread.queue, thread.isMain, profile.processes[thread.process].name],
    ["main", "com.apple.main-thread", true, "Worker"],
  );
  const { samples } = thread;
  assertEquals([...samples.time].map((time) => Math.round(time * 1000)), [0, 10_000, 30_000]);
  assertEquals([...samples.cpu], [NaN, 5000, 3000]);
  assertEquals([...samples.state], [
    SampleState.offCPU,
    SampleState.onCPU,
    SampleState.onCPU,
  ]);
  // Kernel frames are inside of those in user space; all three samples have the same stack.
  assertEquals(new Set(samples.stack).size, 1);
  const addresses = framesOf(profile, samples.stack[0]).map((frame) =>
    profile.frames.address[frame]
  );
  const made = shot.tasks[1].threads[0];
  assertEquals(addresses[0], made.kernel![0].lr);
  assertEquals(addresses.length, made.kernel!.length + made.user!.length);
  assertEquals(addresses[made.kernel!.length], made.user![0].lr);
  // A caller is looked up inside of its call.
  assertEquals(addresses.at(-1), made.user!.at(-1)!.lr - 1n);
});

Deno.test("one process of a stackshot", () => {
  const profile = profileOfStackshots([later(0, 0)], { pid: 501 });
  assertEquals(profile.threads.map(({ id }) => id), [0x201n, 0x202n]);
  assertEquals(profile.interval, 0);
});

Deno.test("a series needs times", () => {
  const untimed = new Stackshot({ ...data, absoluteTime: null, time: null }, services);
  assertEquals(profileOfStackshots([untimed]).threads.length > 0, true);
  assertThrows(() => profileOfStackshots([untimed, later(0, 0)]), FormatError, "with its time");
});
