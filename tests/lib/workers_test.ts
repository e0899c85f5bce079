import { assert, assertEquals, assertLess, assertRejects } from "@std/assert";
import { runWorkers, type Work } from "../../lib/workers.ts";

/** Adds the first message to each later one; throws for -1. */
const source = `let base;
onmessage = ({ data }) => {
  if (base === undefined) base = data;
  else if (data === -1) throw new Error("minus one");
  else postMessage(base + data);
};`;
const url = `data:text/javascript,${encodeURIComponent(source)}`;

/** How many threads of this process, but the main one, have something to do. */
function busyThreads(): number {
  return [...Deno.readDirSync("/proc/self/task")].filter(({ name }) => {
    if (Number(name) === Deno.pid) return false;
    try {
      return /^State:\tR/m.test(Deno.readTextFileSync(`/proc/self/task/${name}/status`));
    } catch {
      return false; // it has ended
    }
  }).length;
}

/** Runs tasks; the answers by task, and how many workers were started. */
async function run(
  tasks: Iterable<number>,
  options: Partial<Work<number, number>> = {},
): Promise<{ answers: number[]; started: number }> {
  const answers: number[] = [];
  let started = 0;
  await runWorkers<number, number>({
    start: () => {
      started++;
      return new Worker(url, { type: "module" });
    },
    opening: 100,
    tasks,
    workers: 2,
    take: (answer, task) => answers[task] = answer,
    ...options,
  });
  return { answers, started };
}

Deno.test("every task is answered, whatever the number of workers", async () => {
  const tasks = Array.from({ length: 25 }, (_, index) => index);
  const expected = tasks.map((task) => task + 100);
  for (const workers of [1, 2, 5]) {
    assertEquals(await run(tasks, { workers }), { answers: expected, started: workers });
  }
});

Deno.test("no worker without a task for it", async () => {
  assertEquals(await run([]), { answers: [], started: 0 });
  assertEquals(await run([1], { workers: 4 }), { answers: [101], started: 1 });
});

Deno.test("tasks are taken as workers are ready, not all at once", async () => {
  let taken = 0;
  const lead: number[] = [];
  let answered = 0;
  const tasks = function* () {
    for (let task = 0; task < 20; task++) {
      taken++;
      yield task;
    }
  }();
  await run(tasks, { workers: 2, ahead: 2, take: () => lead.push(taken - ++answered) });
  assert(Math.max(...lead) <= 2 * 2, lead.join());
});

Deno.test("what a worker throws, what take throws and an abort end the work", async () => {
  await assertRejects(() => run([1, -1, 2]), Error, "minus one");
  const refuse = () => {
    throw new RangeError("refused");
  };
  await assertRejects(() => run([1], { take: refuse }), RangeError, "refused");
  await assertRejects(() => run([1], { signal: AbortSignal.abort(new Error("enough")) }), Error);
  const controller = new AbortController();
  const take = () => controller.abort(new Error("enough"));
  await assertRejects(
    () => run(Array(50).fill(1), { signal: controller.signal, take }),
    Error,
    "enough",
  );
});

const ignore = Deno.build.os !== "linux";
Deno.test("a worker that does not answer is ended when the work is", { ignore }, async () => {
  const source = "onmessage = ({ data }) => { if (data === 1) for (;;); };";
  const controller = new AbortController();
  const start = () =>
    new Worker(`data:text/javascript,${encodeURIComponent(source)}`, { type: "module" });
  const working = run([1, 1], { start, signal: controller.signal });
  while (busyThreads() < 2) await new Promise((resolve) => setTimeout(resolve, 10));
  controller.abort(new Error("enough"));
  const began = performance.now();
  await assertRejects(() => working, Error, "enough");
  assertLess(performance.now() - began, 1000);
  // A busy thread is running or waiting for a processor, whatever else the machine does. Deno stops a busy
  // worker's code two seconds after terminate().
  for (let tries = 0; busyThreads() > 0; tries++) {
    assertLess(tries, 1000);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
});
