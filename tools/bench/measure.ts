/** Timing of whole commands against each other. */

/** What one command took, over several runs. */
export interface Timing {
  readonly name: string;
  /** Milliseconds. */
  readonly median: number;
  readonly minimum: number;
  readonly maximum: number;
}

/** The middle of some numbers; of an even count, the mean of the two in the middle. */
export function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** Something to time. */
export interface Contender {
  readonly name: string;
  /** Does the work once; throws when it was not done. */
  run(): Promise<void>;
}

/** A command whose output must have `proof` in it, or it did not do the work. */
export function command(
  name: string,
  program: string,
  args: readonly string[],
  proof: string,
): Contender {
  return {
    name,
    async run() {
      const { code, stdout, stderr } = await new Deno.Command(program, {
        args: [...args],
        stdin: "null",
        stdout: "piped",
        stderr: "piped",
      }).output();
      const decoder = new TextDecoder();
      const text = decoder.decode(stdout) + decoder.decode(stderr);
      if (code !== 0 || !text.includes(proof)) {
        throw new Error(`${name}: exit code ${code}, no ${JSON.stringify(proof)} in\n${text}`);
      }
    },
  };
}

/** Runs each contender once without counting, then all in turn, so that a change of the machine's
 * speed meets them alike. */
export async function compare(contenders: readonly Contender[], runs: number): Promise<Timing[]> {
  const times = contenders.map((): number[] => []);
  for (let run = -1; run < runs; run++) {
    for (const [index, contender] of contenders.entries()) {
      const began = performance.now();
      await contender.run();
      if (run >= 0) times[index].push(performance.now() - began);
    }
  }
  return contenders.map(({ name }, index) => ({
    name,
    median: median(times[index]),
    minimum: Math.min(...times[index]),
    maximum: Math.max(...times[index]),
  }));
}

/** The rows of a Markdown table, and each one's ratio to the first. */
export function rows(timings: readonly Timing[]): string {
  return timings.map(({ name, median, minimum, maximum }) =>
    `| ${name} | ${median.toFixed(0)} ms | ${minimum.toFixed(0)} to ${maximum.toFixed(0)} ms | ` +
    `${(median / timings[0].median).toFixed(2)} |`
  ).join("\n");
}

/** The program's entry. */
export const entry: string = new URL("../../repl/main.ts", import.meta.url).pathname;
