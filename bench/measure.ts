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

/** A command to time. */
export interface Contender {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  /** Text that its output must have, or it did not do the work. */
  readonly proof: string;
}

/** Runs each contender once without counting, then all in turn, so that a change of the machine's
 * speed meets them alike.
 *
 * @throws Error when one fails or does not do its work
 */
export async function compare(contenders: readonly Contender[], runs: number): Promise<Timing[]> {
  const times = contenders.map((): number[] => []);
  for (let run = -1; run < runs; run++) {
    for (const [index, { name, command, args, proof }] of contenders.entries()) {
      const began = performance.now();
      const { code, stdout, stderr } = await new Deno.Command(command, {
        args: [...args],
        stdin: "null",
        stdout: "piped",
        stderr: "piped",
      }).output();
      const took = performance.now() - began;
      const decoder = new TextDecoder();
      const text = decoder.decode(stdout) + decoder.decode(stderr);
      if (code !== 0 || !text.includes(proof)) {
        throw new Error(`${name}: exit code ${code}, no ${JSON.stringify(proof)} in\n${text}`);
      }
      if (run >= 0) times[index].push(took);
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

/** The program's own command line, as a contender. */
export function machpause(name: string, args: readonly string[], proof: string): Contender {
  const entry = new URL("../repl/main.ts", import.meta.url).pathname;
  return { name, command: Deno.execPath(), args: ["run", "-A", entry, ...args], proof };
}
