import { assert, assertEquals, assertRejects } from "@std/assert";
import { runWorkers, type Work } from "../../lib/workers.ts";

/** Adds the first message to each later one; throws for -1. */
const source = `let base;
onmessage = ({ data }) => {
  if (base === undefined) base = data;
  else if (data === -1) throw new Error("minus one");
  else postMessage(base + data);
};`;
const url = `data:text/javascript,${encodeURIComponent(source)}`;

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

Deno.test("a worker that does not answer keeps neither the work nor the process from ending", async () => {
  const busy = "onmessage = ({ data }) => { if (data === 1) for (;;); };";
  // Deno does not interrupt a busy worker's code at terminate(): it ends with the process.
  const script = `
    import { runWorkers } from ${JSON.stringify(new URL("../../lib/workers.ts", import.meta.url))};
    try {
      await runWorkers({
        start: () =>
          new Worker("data:text/javascript,${encodeURIComponent(busy)}", { type: "module" }),
        ...{ opening: 0, tasks: [1, 1], workers: 2, take() {} },
        signal: AbortSignal.timeout(500),
      });
    } catch (error) {
      console.log(error.name);
      Deno.exit(1);
    }`;
  const file = await Deno.makeTempFile({ suffix: ".ts" });
  try {
    await Deno.writeTextFile(file, script);
    const { code, stdout } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--no-check", "--no-lock", file],
      signal: AbortSignal.timeout(20_000),
    }).output();
    assertEquals([code, new TextDecoder().decode(stdout)], [1, "TimeoutError\n"]);
  } finally {
    await Deno.remove(file);
  }
});
