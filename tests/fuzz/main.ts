/** Reads damaged files of every kind until told to stop:
 *
 *     deno task fuzz [--seconds N] [--seed N] [--reader NAME] [--case N]
 *
 * Each finding names a seed and a case; with `--reader`, `--seed` and `--case` that one file is read again
 * and left in the working directory.
 */
import { parseArgs } from "node:util";
import { readers } from "./readers.ts";
import { damaged, type Finding, processorTime, readCase } from "./run.ts";
import type { Job } from "./worker.ts";

/** A case that takes so much processor time does not end: milliseconds. */
const HANG = 20_000;
/** Nor does one that takes so long and waits for something: milliseconds. */
const BLOCKED = 600_000;

/** How many cases were read, and what was found. */
export interface Outcome {
  readonly cases: number;
  readonly findings: readonly Finding[];
  /** Whether a case did not end. Deno does not interrupt a worker that is busy: it goes on until this process
   * ends, and its processor time would be taken for that of other cases. */
  readonly hung: boolean;
}

/** Reads damaged files of one kind for some time.
 *
 * @param duration in milliseconds
 */
export async function fuzz(reader: string, seed: number, duration: number): Promise<Outcome> {
  const findings: Finding[] = [];
  let first = 0;
  let hung = false;
  const end = performance.now() + duration;
  while (!hung && performance.now() < end) {
    const progress = new Int32Array(new SharedArrayBuffer(8));
    const worker = new Worker(new URL("./worker.ts", import.meta.url), { type: "module" });
    const done = Promise.withResolvers<number>();
    worker.onmessage = ({ data }: MessageEvent<{ finding?: Finding; next?: number }>) => {
      if (data.finding !== undefined) findings.push(data.finding);
      if (data.next !== undefined) done.resolve(data.next);
    };
    worker.onerror = (event) => {
      event.preventDefault();
      findings.push({ reader, seed, case: progress[0], what: event.message });
      done.resolve(progress[0] + 1);
    };
    const job: Job = { reader, seed, first, duration: end - performance.now(), progress };
    worker.postMessage(job);
    let [seen, since, used] = [-1, performance.now(), processorTime()];
    const watch = setInterval(() => {
      const count = Atomics.load(progress, 1);
      if (count !== seen) [seen, since, used] = [count, performance.now(), processorTime()];
      const [waited, took] = [performance.now() - since, processorTime() - used];
      if (waited < BLOCKED && took < HANG || count === 0) return;
      const what = `does not end in ${Math.round(waited)} ms, of which it ran ${Math.round(took)}`;
      findings.push({ reader, seed, case: progress[0], what });
      hung = true;
      done.resolve(progress[0] + 1);
    }, 200);
    first = await done.promise;
    clearInterval(watch);
    worker.terminate();
  }
  return { cases: first, findings, hung };
}

async function main(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      seconds: { type: "string", default: "Infinity" },
      seed: { type: "string", default: `${Date.now() % 1_000_000}` },
      reader: { type: "string" },
      case: { type: "string" },
    },
  });
  const seed = Number(values.seed);
  const chosen = readers.filter(({ name }) =>
    values.reader === undefined || name === values.reader
  );
  if (chosen.length === 0) {
    console.error(`no reader ${values.reader}: ${readers.map(({ name }) => name).join(", ")}`);
    return 2;
  }
  if (values.case !== undefined) {
    const [reader] = chosen;
    const bytes = damaged(reader, await reader.seeds(), seed, Number(values.case));
    const path = `fuzz-${reader.name}-${seed}-${values.case}`;
    await Deno.writeFile(path, bytes);
    const what = await readCase(reader, bytes);
    console.log(`${path}: ${what ?? "read as it should be"}`);
    return what === null ? 0 : 1;
  }
  const end = performance.now() + Number(values.seconds) * 1000;
  let [count, total] = [0, 0];
  let stopped = false;
  for (let round = 0; !stopped && performance.now() < end; round++) {
    for (const { name } of chosen) {
      const slice = Math.min(60_000, Number(values.seconds) * 1000 / chosen.length);
      const { cases, findings, hung } = await fuzz(name, seed + round, slice);
      console.log(`${name}, seed ${seed + round}: ${cases} files, ${findings.length} findings`);
      for (const finding of findings.slice(0, 20)) {
        console.log(`  --case ${finding.case}: ${finding.what}`);
      }
      count += findings.length;
      total += cases;
      stopped = hung;
      if (stopped) break;
    }
  }
  console.log(
    `${total} files, ${count} findings, ${Math.round(processorTime() / 1000)} s of processor time`,
  );
  return count === 0 ? 0 : 1;
}

if (import.meta.main) Deno.exit(await main(Deno.args));
