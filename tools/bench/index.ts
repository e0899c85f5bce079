/** How long it takes to make symbol tables of small dSYMs, against gsymutil. `symbolicate.ts` has a large one. */
import { addresses, compareIndex, measure, sameFrames } from "./commands.ts";
import { entry } from "./measure.ts";
import { copies, varied } from "./subject.ts";

/** Prints the tables. */
export async function bench(): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    await compareAll(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Measures how tables are made of a small dSYM, and of one whose units all differ. */
async function compareAll(folder: string): Promise<void> {
  const mst = `${folder}/small.mst`;
  console.log("Making a table of a small dSYM:\n");
  await compareIndex(await copies(10), mst, `${folder}/small.gsym`, 9);
  const different = await varied();
  console.log("Making a table of a dSYM whose units all differ:\n");
  await compareIndex(different, mst, `${folder}/small.gsym`, 7);
  const list = `${folder}/addresses`;
  await addresses(list, different, (address) => address);
  const outputs = ["table", "symbolizer"].map((name) => `${folder}/${name}.out`);
  const options = { name: "", stdin: list };
  await measure({
    ...options,
    program: Deno.execPath(),
    args: ["run", "-A", entry, "symbolicate", "-o", mst, "-i", "--no-demangle"],
    stdout: outputs[0],
  });
  await measure({
    ...options,
    program: "llvm-symbolizer-19",
    args: [`--obj=${different.dwarf}`, "--no-demangle"],
    stdout: outputs[1],
  });
  await sameFrames(outputs[0], outputs[0], outputs[1]);
}

if (import.meta.main) await bench();
