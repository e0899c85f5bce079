/** `image --symbols` of a dylib with 300,000 symbols, written to a file, against `llvm-nm -n`. */
import { compare, type Contender, entry, rows } from "./measure.ts";

const SYMBOLS = 300_000;

async function run(program: string, ...args: string[]): Promise<void> {
  const { success, stderr } = await new Deno.Command(program, { args, stdout: "null" }).output();
  if (!success) throw new Error(`${program}: ${new TextDecoder().decode(stderr)}`);
}

/** Links a dylib of that many functions, with names as long as C++ has them, some local. */
export async function build(directory: string): Promise<string> {
  const lines: string[] = [".text"];
  for (let index = 0; index < SYMBOLS; index++) {
    // Not in the order of their addresses' names, and not all alike.
    const name = `__ZN4demo7package${(index * 7919) % SYMBOLS}E8functionNS_5stateE${index}`;
    if (index % 3 !== 0) lines.push(`.globl ${name}`);
    lines.push(`${name}:`, "ret");
  }
  const source = `${directory}/many.s`;
  await Deno.writeTextFile(source, lines.join("\n") + "\n");
  await run(
    "clang-19",
    "-target",
    "x86_64-apple-macos11",
    "-c",
    source,
    "-o",
    `${directory}/many.o`,
  );
  const dylib = `${directory}/many.dylib`;
  await run(
    ...["ld64.lld-19", "-arch", "x86_64", "-platform_version", "macos", "11", "11", "-dylib"] as [
      string,
      ...string[],
    ],
    ...["-undefined", "dynamic_lookup", `${directory}/many.o`, "-o", dylib],
  );
  return dylib;
}

/** A command whose output goes to a file, which must have a line for each symbol. */
function toFile(name: string, output: string, program: string, args: string[]): Contender {
  return {
    name,
    async run() {
      // A shell connects the file, as a person would have it.
      const { success } = await new Deno.Command("sh", {
        args: ["-c", 'out=$1; shift; exec "$@" > "$out"', "sh", output, program, ...args],
        stderr: "inherit",
      }).output();
      if (!success) throw new Error(`${name} failed`);
    },
  };
}

/** Prints a Markdown table. */
export async function bench(): Promise<void> {
  const directory = await Deno.makeTempDir();
  try {
    const dylib = await build(directory);
    const ours = `${directory}/ours`;
    const theirs = `${directory}/theirs`;
    const timings = await compare([
      toFile("`machpause image --symbols`", ours, Deno.execPath(), [
        ...["run", "-A", entry, "image", "--symbols", dylib],
      ]),
      toFile("`llvm-nm-19 -n`", theirs, "llvm-nm-19", ["-n", dylib]),
    ], 9);
    const [mine, nms] = await Promise.all([ours, theirs].map((file) => Deno.readTextFile(file)));
    if (mine !== nms) throw new Error("the two do not print the same");
    const count = mine.split("\n").length - 1;
    if (count < SYMBOLS) throw new Error(`${count} symbols`);
    console.log(`${count} lines, the same from both.\n`);
    console.log("| command | median | range | ratio |\n|---|---|---|---|");
    console.log(rows(timings));
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

if (import.meta.main) await bench();
