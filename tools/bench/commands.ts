/** Whole commands that make symbol tables or look addresses up: their time, processor time and memory. */
import { entry, median } from "./measure.ts";
import type { Subject } from "./subject.ts";

/** Addresses looked up. */
export const COUNT = 20_000;

/** A command to measure. */
export interface Command {
  readonly name: string;
  readonly program: string;
  readonly args: readonly string[];
  /** A file. */
  readonly stdin?: string;
  /** Where its output goes. */
  readonly stdout: string;
}

/** What one run took. */
export interface Run {
  /** Seconds. */
  readonly wall: number;
  /** Seconds of all processors, the system's included. */
  readonly cpu: number;
  /** The most memory that it had at a time, in bytes. */
  readonly memory: number;
}

/** Runs a command under GNU time, which tells the most memory of a process. */
export async function measure(
  { name, program, args, stdin = "/dev/null", stdout }: Command,
): Promise<Run> {
  const report = `${stdout}.time`;
  const { success, stderr } = await new Deno.Command("sh", {
    args: [
      "-c",
      'in=$1; out=$2; report=$3; shift 3; exec /usr/bin/time -o "$report" -f "%e %U %S %M" "$@" < "$in" > "$out"',
      ...["sh", stdin, stdout, report, program, ...args],
    ],
    stderr: "piped",
  }).output();
  if (!success) throw new Error(`${name} failed: ${new TextDecoder().decode(stderr)}`);
  const [wall, user, system, kilobytes] = (await Deno.readTextFile(report)).trim().split(" ")
    .map(Number);
  return { wall, cpu: user + system, memory: kilobytes * 1024 };
}

/** Runs commands in turn, once without counting, and prints a Markdown table. */
export async function compare(commands: readonly Command[], runs: number): Promise<void> {
  const taken: Run[][] = commands.map(() => []);
  for (let run = -1; run < runs; run++) {
    for (const [index, command] of commands.entries()) {
      const one = await measure(command);
      if (run >= 0) taken[index].push(one);
    }
  }
  const middles = taken.map((list): Run => ({
    wall: median(list.map(({ wall }) => wall)),
    cpu: median(list.map(({ cpu }) => cpu)),
    memory: median(list.map(({ memory }) => memory)),
  }));
  const range = (values: readonly number[]): string =>
    `${Math.min(...values).toFixed(2)} to ${Math.max(...values).toFixed(2)} s`;
  const columns = ["wall", "range", "ratio", "processors", "range", "ratio", "memory", "ratio"];
  console.log(`| command | ${columns.join(" | ")} |`);
  console.log(`|---${"|---".repeat(columns.length)}|`);
  for (const [index, { name }] of commands.entries()) {
    const { wall, cpu, memory } = middles[index];
    console.log(
      `| ${name} | ${wall.toFixed(2)} s | ${range(taken[index].map(({ wall }) => wall))} | ` +
        `${(wall / middles[0].wall).toFixed(2)} | ` +
        `${cpu.toFixed(2)} s | ${range(taken[index].map(({ cpu }) => cpu))} | ` +
        `${(cpu / middles[0].cpu).toFixed(2)} | ` +
        `${(memory / 1e6).toFixed(0)} MB | ${(memory / middles[0].memory).toFixed(2)} |`,
    );
  }
  console.log("");
}

/** Addresses in the subject's code, always the same. */
export async function addresses(
  file: string,
  { dwarf }: Subject,
  form: (address: string) => string,
) {
  const { stdout } = await new Deno.Command("llvm-size-19", { args: ["-A", "-d", dwarf] }).output();
  const [, size, start] = /^__text\s+(\d+)\s+(\d+)/m.exec(new TextDecoder().decode(stdout))!;
  let seed = 1;
  const lines = Array.from({ length: COUNT }, () => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    const address = Number(start) + 4 * Math.floor(seed / 2 ** 32 * Number(size) / 4);
    return form(`0x${address.toString(16)}`) + "\n";
  });
  await Deno.writeTextFile(file, lines.join(""));
}

/** Measures how a table is made, against gsymutil. */
export async function compareIndex(made: Subject, mst: string, gsym: string, runs: number) {
  await compare([{
    name: "`machpause index`",
    program: Deno.execPath(),
    args: ["run", "-A", entry, "index", made.dsym, "-o", mst, "--force"],
    stdout: `${mst}.out`,
  }, {
    name: "`llvm-gsymutil-19 --convert --num-threads=2`",
    program: "llvm-gsymutil-19",
    args: [`--convert=${made.dwarf}`, "--num-threads=2", `--out-file=${gsym}`],
    stdout: `${gsym}.out`,
  }], runs);
  const size = async (path: string) => (await Deno.stat(path)).size / 1e6;
  console.log(
    `The dSYM has ${(await size(made.dwarf)).toFixed(0)} MB, the table ` +
      `${(await size(mst)).toFixed(1)} MB, gsymutil's ${(await size(gsym)).toFixed(1)} MB.\n`,
  );
}

/** Throws unless all found the same functions, or any did not do the work. */
export async function sameFrames(plain: string, table: string, theirs: string): Promise<void> {
  const [without, withTable, llvm] = await Promise.all(
    [plain, table, theirs].map((path) => Deno.readTextFile(path)),
  );
  // Ours: `function (in image) (file:line)`; LLVM's: a line with the function, one with its place.
  const ours = (text: string) =>
    text.split("\n").filter((line) => line !== "").map((line) => line.split(" (")[0]);
  const functions = ours(without);
  const expected = llvm.split("\n\n").flatMap((one) =>
    one.split("\n").filter((line, index) => index % 2 === 0 && line !== "")
  );
  for (const [who, list] of [["with a table", ours(withTable)], ["LLVM", expected]] as const) {
    if (list.length < COUNT || list.join("\n") !== functions.join("\n")) {
      throw new Error(`other functions ${who}: ${list.length}, and ${functions.length}`);
    }
  }
  console.log(`${functions.length} functions, the same with and without a table and from LLVM.`);
}
