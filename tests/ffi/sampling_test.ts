/** Sampling processes whose use of the CPU is known: they count it themselves. */
import { assert, assertEquals, assertRejects } from "@std/assert";
import { attach, type Sample, TargetGoneError } from "../../mod.ts";
import {
  framesOf,
  functionName,
  functionWeights,
  type Profile,
  totalWeight,
} from "../../lib/profile/mod.ts";
import { JournaledBuilder, readJournal } from "../../lib/profile/journal.ts";
import { onLinux } from "../machine.ts";
import { Program, until } from "./program.ts";

const burners = ["burn_most", "burn_some", "burn_little"];

/** The passes that each has made, as the program counts them: the same CPU time for each. */
function spent(target: ReturnType<typeof attach>, program: Program): number[] {
  return burners.map((_, index) =>
    Number(target.memory.readU64(program.numbers[0] + BigInt(index * 8)))
  );
}

/** The shares of three numbers. */
function shares(values: readonly number[]): number[] {
  const sum = values.reduce((sum, value) => sum + value, 0);
  return values.map((value) => value / sum);
}

/** The weight of each burner in a profile, callees included. */
function burnt(profile: Profile): number[] {
  const rows = functionWeights(profile);
  return burners.map((name) =>
    rows.find((row) => functionName(profile, row.function) === name)?.total ?? 0
  );
}

/** How many draws the samples of a profile are worth. A thread that waited for a CPU is one draw, however
 * many samples it stands for: Kish's effective sample size. */
function drawsOf({ threads }: Profile): number {
  const weights = threads.flatMap(({ samples }) => [...samples.weight]);
  const sum = weights.reduce((sum, weight) => sum + weight, 0);
  return sum ** 2 / weights.reduce((sum, weight) => sum + weight ** 2, 0);
}

/** Fails when shares differ by more than chance explains: five standard deviations of so many draws. */
function assertShares(found: readonly number[], expected: readonly number[], draws: number): void {
  for (const [index, share] of expected.entries()) {
    const allowed = 5 * Math.sqrt(share * (1 - share) / draws);
    const text = `${found} for ${expected}, of ${draws} samples`;
    assert(Math.abs(found[index] - share) <= allowed, text);
  }
}

const options = { ignore: !onLinux };

Deno.test("a recording has the shares that the program counts", options, async () => {
  await using program = await Program.start("burn", "20");
  using target = attach(program.pid);
  const before = spent(target, program);
  const profile = await target.record({ rate: 250, duration: 2 });
  const after = spent(target, program);
  const expected = shares(after.map((value, index) => value - before[index]));
  const found = burnt(profile);
  const seen = found.reduce((sum, value) => sum + value, 0);
  assertShares(shares(found), expected, drawsOf(profile));
  // Threads that wait are not in it.
  const [thread, ...others] = profile.threads.filter(({ samples }) => samples.length > 0);
  assertEquals([thread.name, others], ["burner", []]);
  // One sample for each period of its CPU time, whatever else the machine has to do, and wherever it was.
  const due = thread.samples.cpu.reduce((sum, cpu) => sum + (cpu || 0), 0) / 4000;
  const taken = thread.samples.length;
  const text = `${taken} samples, ${seen} of them burn, for ${due} periods; ${profile.lost} lost`;
  assert(seen > 0 && taken > due / 2 - profile.lost - 10 && taken < due + 10, text);
  // Every stack is whole: the chain of calls that the source has.
  for (let index = 0; index < thread.samples.length; index++) {
    const names = framesOf(profile, thread.samples.stack[index])
      .map((frame) => functionName(profile, profile.frames.function[frame]));
    const outer = names.indexOf("work");
    assert(outer >= 0, `${names}`);
    const at = names.findIndex((name) => burners.includes(name));
    if (at < 0) continue;
    const depth = 11 + burners.indexOf(names[at]);
    assertEquals(names.slice(at + 1, outer), Array(depth).fill("deep"));
  }
});

Deno.test("threads that waited until now are seen as soon as they run", options, async () => {
  const folder = await Deno.makeTempDir();
  try {
    // One after the other runs for 30 ms of CPU time, once.
    await Deno.writeTextFile(
      `${folder}/turns.c`,
      `#include <pthread.h>
      #include <semaphore.h>
      #include <stdio.h>
      #include <time.h>
      enum { COUNT = 24 };
      static sem_t turns[COUNT + 1];
      static long now(void) {
        struct timespec time;
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
        return time.tv_sec * 1000000 + time.tv_nsec / 1000;
      }
      static void *run(void *turn) {
        sem_wait(turn);
        for (volatile unsigned i = 0; i % 100000 || now() < 30000; i++);
        sem_post((sem_t *)turn + 1);
        return sem_wait(turn), turn;
      }
      int main(void) {
        pthread_t thread;
        for (int i = 0; i <= COUNT; i++) sem_init(&turns[i], 0, 0);
        for (int i = 0; i < COUNT; i++) pthread_create(&thread, 0, run, &turns[i]);
        getchar();
        sem_post(&turns[0]);
        sem_wait(&turns[COUNT]);
      }`,
    );
    const { success, stderr } = await new Deno.Command("cc", {
      args: ["-O1", "-pthread", `${folder}/turns.c`, "-o", `${folder}/turns`],
    }).output();
    assert(success, new TextDecoder().decode(stderr));
    const child = new Deno.Command(`${folder}/turns`, { stdin: "piped" }).spawn();
    using target = attach(child.pid);
    const input = child.stdin.getWriter();
    let looks = 0;
    const profile = await target.record({
      rate: 200,
      async onSample() {
        if (++looks === 20) await input.close();
      },
    });
    await child.status;
    const seen = profile.threads.map(({ samples }) => samples.length).filter((count) => count > 0);
    const text = `${seen}, ${profile.lost} lost`;
    assert(seen.length >= 20, text);
    // Six each, of which the first may come too early for the kernel's account.
    const sum = seen.reduce((sum, count) => sum + count, 0);
    assert(sum + profile.lost >= 24 * 6 * 0.6 && sum <= 24 * 9, text);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("with offCpu every thread is in the samples, once in each", options, async () => {
  await using program = await Program.start("burn", "5");
  using target = attach(program.pid);
  const builder = new JournaledBuilder();
  const moments: Sample[] = [];
  const profile = await target.record({
    rate: 100,
    duration: 0.5,
    offCpu: true,
    builder,
    onSample: (sample) => moments.push(sample),
  });
  // Fewer when some were lost; the time is kept.
  assert(moments.length <= 50, `${moments.length} samples`);
  assert(moments.at(-1)!.time >= 490, `the last one after ${moments.at(-1)!.time} ms`);
  assertEquals(profile.threads.length, 7);
  for (const { samples, name } of profile.threads) {
    const sum = samples.weight.reduce((sum, weight) => sum + weight, 0);
    // On a busy machine a thread may wait for a CPU before it is seen first, and when the samples end.
    assert(sum >= 1 && sum <= 50, `${name}: ${sum}`);
  }
  assertEquals(profile.threads.filter(({ isMain }) => isMain).length, 1);
  const waiting = functionWeights(profile).filter(({ self }) => self > 0)
    .map((row) => functionName(profile, row.function));
  assert(waiting.some((name) => /pause/.test(name)), `${waiting}`);
  // The journal tells the same.
  const again = readJournal("x", new TextEncoder().encode(builder.take()));
  assertEquals(totalWeight(again), totalWeight(profile));
  assertEquals([again.frames, again.stacks, again.functions, again.images, again.strings], [
    ...[profile.frames, profile.stacks, profile.functions, profile.images, profile.strings],
  ]);
});

Deno.test(
  "samples end with their target, by a signal, and when they are left",
  options,
  async () => {
    const program = await Program.start("burn");
    using target = attach(program.pid);
    for await (const { threads, time } of target.samples({ rate: 200, threads: ["burner"] })) {
      for (const thread of threads) assertEquals(thread.name, "burner");
      if (time > 30) break;
    }
    for (const wrong of [{ rate: 0 }, { rate: NaN }, { rate: 1e6 }, { duration: -1 }]) {
      await assertRejects(() => target.record(wrong), RangeError);
    }
    const abort = new AbortController();
    let count = 0;
    for await (const _ of target.samples({ signal: abort.signal })) {
      if (++count === 3) abort.abort();
    }
    assert(count >= 3);
    let last: Sample | undefined;
    for await (const sample of target.samples({ rate: 100 })) {
      if (last === undefined) program.signal("SIGKILL");
      last = sample;
    }
    assert(last !== undefined);
    await program[Symbol.asyncDispose]();
    await assertRejects(() => target.record(), TargetGoneError);
  },
);

Deno.test(
  "two samplings of one target do not disturb each other, nor a pause",
  options,
  async () => {
    await using program = await Program.start("burn");
    using target = attach(program.pid);
    using other = attach(program.pid);
    const counts = await Promise.all([
      target.record({ rate: 100, duration: 0.5 }),
      other.record({ rate: 100, duration: 0.5 }),
      (async () => {
        for (let round = 0; round < 10; round++) {
          other.snapshot();
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
      })(),
    ]);
    for (const profile of counts.slice(0, 2)) assert(totalWeight(profile as Profile) > 0);
    const before = spent(target, program)[0];
    await until(() => spent(target, program)[0] > before, "the target runs on");
  },
);

Deno.test(
  "stacks through a library that is loaded while they are taken are whole",
  options,
  async () => {
    const folder = await Deno.makeTempDir();
    try {
      // The library's function keeps no frame pointer: only its unwind information leads out of it.
      await Deno.writeTextFile(
        `${folder}/late.c`,
        `#include <time.h>
      static double now(void) {
        struct timespec time;
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
        return time.tv_sec + time.tv_nsec * 1e-9;
      }
      volatile unsigned late_sum;
      void late_burn(double seconds) {
        for (double end = now() + seconds; now() < end;)
          for (int i = 0; i < 100000; i++) late_sum += i;
      }`,
      );
      await Deno.writeTextFile(
        `${folder}/main.c`,
        `#include <dlfcn.h>
      #include <stdio.h>
      #include <stdlib.h>
      static void burn(const char *path, double seconds) {
        void *late = dlopen(path, RTLD_NOW);
        ((void (*)(double))dlsym(late, "late_burn"))(seconds);
      }
      int main(int count, char **arguments) {
        getchar();
        burn("${folder}/late.so", 0.3);
        burn("${folder}/later.so", atof(arguments[count - 1]));
        return 0;
      }`,
      );
      for (
        const args of [
          ["-O1", "-fomit-frame-pointer", "-shared", "-fPIC", "late.c", "-o", "late.so"],
          ["-O1", "-fomit-frame-pointer", "main.c", "-o", "main", "-ldl"],
        ]
      ) {
        const { success, stderr } = await new Deno.Command("cc", { args, cwd: folder }).output();
        assert(success, new TextDecoder().decode(stderr));
      }
      await Deno.copyFile(`${folder}/late.so`, `${folder}/later.so`);
      const isWhole = (names: readonly (string | null)[]) =>
        names.includes("main") && names.at(-1) === "_start";
      const child = new Deno.Command(`${folder}/main`, { args: ["0.2"], stdin: "piped" }).spawn();
      using target = attach(child.pid);
      const input = child.stdin.getWriter();
      let begun: Promise<void> | undefined;
      const profile = await target.record({
        rate: 200,
        onSample() {
          begun ??= input.close();
        },
      });
      await begun;
      await child.status;
      let [late, whole] = [0, 0];
      for (const { samples } of profile.threads) {
        for (let row = 0; row < samples.length; row++) {
          const names = framesOf(profile, samples.stack[row])
            .map((frame) => functionName(profile, profile.frames.function[frame]));
          if (!names.includes("late_burn")) continue;
          late++;
          if (isWhole(names)) whole++;
        }
      }
      assert(late > 0, "no sample in the library");
      assertEquals(whole, late);

      // What `watch` does: looks at one thread alone.
      const watched = new Deno.Command(`${folder}/main`, { args: ["600"], stdin: "piped" })
        .spawn();
      try {
        using other = attach(watched.pid);
        using asked = attach(watched.pid);
        asked.lookup("no_such_function");
        using probe = await other.probe();
        await watched.stdin.close();
        const look = () => [...probe!.look().backtrace()].map((frame) => frame.function);
        const maps = `/proc/${watched.pid}/maps`;
        const isMapped = (name: string) => Deno.readTextFileSync(maps).includes(`/${name}`);
        await until(
          () => look().includes("late_burn") || isMapped("later.so"),
          "a look at late.so",
        );
        await until(() => isMapped("later.so"), "dlopen of later.so");
        // What is mapped since is found without a stop.
        const [found] = asked.lookup("late_burn");
        assertEquals(asked.resolve(found.symbol.address).symbol?.name, "late_burn");
        await until(() => look().includes("late_burn"), "a look at later.so");
        assert(isWhole(look()), `${look()}`);
      } finally {
        watched.kill("SIGKILL");
        await watched.status;
      }
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
);
