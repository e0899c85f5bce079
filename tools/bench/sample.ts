/** Sampling a program of 101 threads, eight of which are busy: what it costs the program and the sampler, how
 * punctual it is, and whether the shares of three functions are found. Beside it perf, and gdb in a loop. */
import { attach, type LiveTarget } from "../../mod.ts";
import { readProfile } from "../../lib/profile/formats.ts";
import { functionName, functionWeights } from "../../lib/profile/mod.ts";
import { entry, median } from "./measure.ts";

/** Seconds for which each contender samples, and how often each has its turn. */
const seconds = 12;
const turns = 4;

const burners = ["burn_most", "burn_some", "burn_little"];

/** The program, and its own counts. */
interface Subject {
  readonly target: LiveTarget;
  /** Nanoseconds in each function, in the rounds that are measured; then rounds. */
  counts(): number[];
  /** Seconds for which each thread had a CPU, and for which it waited for one. */
  times(): ReadonlyMap<string, readonly [ran: number, delayed: number]>;
  [Symbol.dispose](): void;
}

async function start(idle: number, busy: number): Promise<Subject> {
  const folder = await Deno.makeTempDir();
  const program = `${folder}/burn`;
  const source = new URL("../../tests/ffi/programs/burn.c", import.meta.url).pathname;
  const flags = ["-g", "-O1", "-fno-omit-frame-pointer", "-fno-optimize-sibling-calls", "-pthread"];
  const { success, stderr } = await new Deno.Command("cc", {
    args: [...flags, source, "-o", program],
  }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  const child = new Deno.Command(program, { args: [`${idle}`, `${busy}`], stdout: "piped" })
    .spawn();
  const reader = child.stdout.getReader();
  const line = new TextDecoder().decode((await reader.read()).value);
  const address = BigInt(`0x${line.trim()}`);
  const target = attach(child.pid);
  return {
    target,
    counts: () =>
      [32n, 40n, 48n, 24n].map((offset) => Number(target.memory.readU64(address + offset))),
    times() {
      // In nanoseconds; /proc/PID/stat has hundredths of a second.
      const threads = `/proc/${child.pid}/task`;
      return new Map([...Deno.readDirSync(threads)].map(({ name }) => {
        const [ran, delayed] = Deno.readTextFileSync(`${threads}/${name}/schedstat`).split(" ");
        return [name, [Number(ran) / 1e9, Number(delayed) / 1e9]];
      }));
    },
    [Symbol.dispose]() {
      target[Symbol.dispose]();
      child.kill("SIGKILL");
      reader.cancel();
      Deno.removeSync(folder, { recursive: true });
    },
  };
}

/** What was measured while a contender sampled. */
interface Turn {
  /** Rounds of the program a second, and a second of its CPU time. */
  readonly rate: number;
  readonly perCpu: number;
  /** Rounds for each second in which a busy thread did not wait for a CPU that others had: as many as in a
   * second of an idle machine. */
  readonly corrected: number;
  /** Seconds of CPU time that the sampler used for each second. */
  readonly cost: number;
  /** Stops of threads for each second of the program's CPU time; NaN where the sampler does not tell. */
  readonly stops: number;
  /** What share of the CPU time each function had, as the program says; and as the sampler says. */
  readonly true: readonly number[];
  readonly found: readonly number[] | null;
  /** What else there is to say. */
  readonly note: string;
}

interface Contender {
  readonly name: string;
  /** Samples for some seconds. Gives the weight of each burner, where it tells, and a note. */
  readonly run: (pid: number) => Promise<{ weights: number[] | null; note: string }>;
}

/** Runs a command for its output, and adds its CPU time to what `spent` gives. */
let spent = 0;
async function timed(words: readonly string[]): Promise<string> {
  const quoted = words.map((word) => `'${word}'`).join(" ");
  const { stdout, stderr } = await new Deno.Command("bash", {
    args: ["-c", `TIMEFORMAT='cpu %U %S'; time ${quoted}`],
  }).output();
  const text = new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
  const [, user, system] = /^cpu ([\d.]+) ([\d.]+)$/m.exec(text) ?? ["", "NaN", "NaN"];
  spent += Number(user) + Number(system);
  return text;
}

const scratch = Deno.makeTempDirSync();

function machpause(rate: number): Contender {
  return {
    name: `machpause record --rate ${rate}`,
    async run(pid) {
      const path = `${scratch}/a.json.gz`;
      const words = [Deno.execPath(), "run", "-A", entry, "record", `${pid}`, "-o", path];
      const text = await timed([...words, "--duration", `${seconds}`, "--rate", `${rate}`]);
      const profile = await readProfile(await Deno.readFile(path), path);
      const rows = functionWeights(profile);
      const weights = burners.map((name) =>
        rows.find((row) => functionName(profile, row.function) === name)?.total ?? 0
      );
      return { weights, note: /[\d,]+ stacks?.*/.exec(text)?.[0] ?? text.trim() };
    },
  };
}

const perf: Contender = {
  name: "perf record -F 99 -g",
  async run(pid) {
    const path = `${scratch}/perf.data`;
    const words = ["perf", "record", "-F", "99", "-g", "-p", `${pid}`, "-o", path, "-q"];
    await timed([...words, "--", "sleep", `${seconds}`]);
    const before = spent;
    const report = ["perf", "report", "-i", path, "--stdio", "--no-children", "-g", "none"];
    const text = await timed([...report, "-F", "sample,sym"]);
    spent = before;
    const weights = burners.map((name) =>
      Number(new RegExp(String.raw`^\s*(\d+)\s+\[\.\] ${name}\b`, "m").exec(text)?.[1] ?? 0)
    );
    return { weights, note: `${weights.reduce((sum, weight) => sum + weight, 0)} samples` };
  },
};

const gdb: Contender = {
  name: "gdb in a loop",
  async run(pid) {
    const end = performance.now() + seconds * 1000;
    const weights = [0, 0, 0];
    let looks = 0;
    for (; performance.now() < end; looks++) {
      const text = await timed(["gdb", "-p", `${pid}`, "-batch", "-ex", "thread apply all bt 2"]);
      burners.forEach((name, index) => weights[index] += text.split(`${name} (`).length - 1);
    }
    return { weights, note: `${looks} looks` };
  },
};

const nothing: Contender = {
  name: "nothing",
  async run() {
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
    return { weights: null, note: "" };
  },
};

async function measure(subject: Subject, contender: Contender): Promise<Turn> {
  spent = 0;
  const [counts, times, began] = [subject.counts(), subject.times(), performance.now()];
  const { weights, note } = await contender.run(subject.target.pid);
  const wall = (performance.now() - began) / 1000;
  const delta = subject.counts().map((count, index) => count - counts[index]);
  const threads = [...subject.times()].map(([id, [ran, delayed]]) => {
    const [ranBefore, delayedBefore] = times.get(id) ?? [0, 0];
    return { ran: ran - ranBefore, delayed: delayed - delayedBefore };
  });
  const used = threads.reduce((sum, { ran }) => sum + ran, 0);
  const most = Math.max(...threads.map(({ ran }) => ran));
  // A busy thread runs, waits for a CPU, or is stopped.
  const free = threads.filter(({ ran }) => ran > most / 4)
    .reduce((sum, { delayed }) => sum + wall - delayed, 0);
  return {
    rate: delta[3] / wall,
    perCpu: delta[3] / used,
    corrected: delta[3] / free,
    stops: Number(/([\d,]+) stacks?/.exec(note)?.[1].replaceAll(",", "")) / used,
    cost: spent / wall,
    true: shares(delta.slice(0, 3)),
    found: weights && shares(weights),
    note,
  };
}

function shares(values: readonly number[]): number[] {
  const sum = values.reduce((sum, value) => sum + value, 0);
  return values.map((value) => value / sum);
}

function percent(value: number): string {
  return `${(value * 100).toFixed(1)} %`;
}

async function table(subject: Subject, contenders: readonly Contender[]): Promise<void> {
  const all = contenders.map((): Turn[] => []);
  for (let turn = 0; turn < turns; turn++) {
    for (const [index, contender] of contenders.entries()) {
      all[index].push(await measure(subject, contender));
    }
  }
  const best = (turns: readonly Turn[], value: (turn: Turn) => number) =>
    Math.max(...turns.map(value));
  console.log(
    "| sampler | rounds a second, best | rounds a CPU second, median | rounds a free second, median " +
      "| sampler's CPU, least to most | shares it finds | the program's own |\n|---|---|---|---|---|---|---|",
  );
  for (const [index, { name }] of contenders.entries()) {
    const own = all[index];
    const rate = best(own, ({ rate }) => rate) / best(all[0], ({ rate }) => rate) - 1;
    const perCpu = median(own.map(({ perCpu }) => perCpu)) /
        median(all[0].map(({ perCpu }) => perCpu)) - 1;
    const corrected = median(own.map(({ corrected }) => corrected)) /
        median(all[0].map(({ corrected }) => corrected)) - 1;
    const costs = own.map(({ cost }) => cost);
    const mean = (of: (turn: Turn) => readonly number[] | null) =>
      own[0].found === null
        ? ""
        : [0, 1, 2].map((at) => percent(median(own.map((turn) => of(turn)![at])))).join(", ");
    const sign = (value: number) => index === 0 ? "" : `${value > 0 ? "+" : ""}${percent(value)}`;
    console.log(
      `| ${name} | ${sign(rate)} | ${sign(perCpu)} | ${sign(corrected)} | ${
        percent(Math.min(...costs))
      } to ${percent(Math.max(...costs))} | ${mean(({ found }) => found)} | ${
        mean((turn) => turn.true)
      } |`,
    );
  }
  for (const [index, { name }] of contenders.entries()) {
    if (index === 0) continue;
    console.log(`\n${name}: ${all[index].map(({ note }) => note).join("; ")}.`);
    const lost = median(all[0].map(({ perCpu }) => perCpu)) /
        median(all[index].map(({ perCpu }) => perCpu)) - 1;
    const each = lost / median(all[index].map(({ stops }) => stops)) * 1e6;
    if (!Number.isNaN(each)) console.log(`A stop costs the program ${each.toFixed(0)} µs of CPU.`);
  }
}

/** How punctual samples are, and how long they stop a thread. */
async function punctuality(target: LiveTarget, rate: number): Promise<void> {
  const late: number[] = [];
  const stopped: number[] = [];
  let lost = 0;
  for await (const sample of target.samples({ rate, duration: seconds })) {
    late.push(sample.late * 1000);
    stopped.push(sample.stoppedMicroseconds);
    lost += sample.lost;
  }
  const at = (values: number[], part: number) =>
    Math.round(values.toSorted((a, b) => a - b)[Math.floor(values.length * part)]);
  console.log(
    `| ${rate} Hz | ${late.length} | ${lost} | ${at(late, 0.5)}, ${at(late, 0.99)} µs | ` +
      `${at(stopped, 0.1)}, ${at(stopped, 0.5)}, ${at(stopped, 0.9)} µs |`,
  );
}

/** Prints Markdown tables. */
export async function bench(): Promise<void> {
  const load = Deno.loadavg().map((value) => value.toFixed(1)).join(", ");
  console.log(`Load of the machine before: ${load}.\n`);
  {
    using subject = await start(92, 8);
    console.log("101 threads, eight of them busy:\n");
    await table(subject, [nothing, machpause(100), perf, gdb]);
  }
  using one = await start(10, 1);
  console.log("\nOne busy thread:\n");
  await table(one, [nothing, machpause(100), machpause(1000), perf]);
  const header = "samples | lost | late, median and 99th percentile | stopped: 10th, 50th, 90th";
  console.log(`\n| one busy thread | ${header} |\n|---|---|---|---|---|`);
  await punctuality(one.target, 100);
  await punctuality(one.target, 1000);
  using many = await start(92, 8);
  console.log(`\n| eight busy threads | ${header} |\n|---|---|---|---|---|`);
  await punctuality(many.target, 100);
  Deno.removeSync(scratch, { recursive: true });
}

if (import.meta.main) await bench();
