/** Symbolication at scale, whole commands: making a table, and looking addresses up with and without
 * one, against LLVM's tools. */
import { addresses, compare, compareIndex, COUNT, sameFrames } from "./commands.ts";
import { entry } from "./measure.ts";
import { copies } from "./subject.ts";

/** Prints the tables. */
export async function bench(): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    await compareAll(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function compareAll(folder: string): Promise<void> {
  const made = await copies(300);
  const deno = Deno.execPath();
  const ours = ["run", "-A", entry];
  const gsym = `${folder}/big.gsym`;
  const mst = `${folder}/big.mst`;
  const out = (name: string) => `${folder}/${name}.out`;
  console.log("Making a table of a large dSYM:\n");
  await compareIndex(made, mst, gsym, 3);
  const list = `${folder}/addresses`;
  const gsymList = `${folder}/gsym-addresses`;
  await addresses(list, made, (address) => address);
  await addresses(gsymList, made, (address) => `${address} ${gsym}`);
  console.log(`${COUNT} random addresses on stdin, all inlined calls, without a table:\n`);
  await compare([{
    name: "`machpause symbolicate -o DSYM -i`",
    program: deno,
    args: [...ours, "symbolicate", "-o", made.dsym, "-i"],
    stdin: list,
    stdout: out("ours"),
  }, {
    name: "`llvm-symbolizer-19 --obj=DSYM`",
    program: "llvm-symbolizer-19",
    args: [`--obj=${made.dwarf}`],
    stdin: list,
    stdout: out("symbolizer"),
  }], 3);
  console.log("One address, without a table:\n");
  const [first] = (await Deno.readTextFile(list)).split("\n");
  await compare([{
    name: "`machpause symbolicate -o DSYM -i ADDRESS`",
    program: deno,
    args: [...ours, "symbolicate", "-o", made.dsym, "-i", first],
    stdout: out("one"),
  }, {
    name: "`llvm-symbolizer-19 --obj=DSYM ADDRESS`",
    program: "llvm-symbolizer-19",
    args: [`--obj=${made.dwarf}`, first],
    stdout: out("symbolizer-one"),
  }], 9);
  console.log(`${COUNT} random addresses on stdin, all inlined calls, with the table:\n`);
  await compare([{
    name: "`machpause symbolicate -o MST -i`",
    program: deno,
    args: [...ours, "symbolicate", "-o", mst, "-i"],
    stdin: list,
    stdout: out("ours-table"),
  }, {
    name: "`llvm-gsymutil-19 --addresses-from-stdin`",
    program: "llvm-gsymutil-19",
    args: ["--addresses-from-stdin"],
    stdin: gsymList,
    stdout: out("gsym"),
  }, {
    name: "`deno run` of an empty file",
    program: deno,
    args: ["run", await emptyFile(folder)],
    stdout: out("empty"),
  }], 9);
  await sameFrames(out("ours"), out("ours-table"), out("symbolizer"));
}

async function emptyFile(folder: string): Promise<string> {
  await Deno.writeTextFile(`${folder}/empty.ts`, "");
  return `${folder}/empty.ts`;
}

if (import.meta.main) await bench();
