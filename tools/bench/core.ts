/** `bt` of core files, the whole command, against LLDB: of the demo, of a process with 101 threads, and
 * of the same with 20 GB of memory, as a sparse file. */
import {
  captureParts,
  type Parts,
  partsOf,
  writeSparse,
} from "../../tests/lib/target/core_builder.ts";
import { startMachO } from "./crowd.ts";
import { command, compare, entry, rows } from "./measure.ts";

async function crowd(): Promise<Parts> {
  using target = await startMachO();
  try {
    return captureParts(target);
  } finally {
    target.kill();
  }
}

/** Prints Markdown tables. */
export async function bench(): Promise<void> {
  const directory = await Deno.makeTempDir();
  try {
    const small = await partsOf("x86_64");
    const large = await crowd();
    const cores: [what: string, parts: Parts, free: number, ours: string, theirs: string][] = [
      ["7 threads", small, 0, "thread 6", "thread #7"],
      ["101 threads", large, 0, "thread 100", "thread #101"],
      ["7 threads, 20 GB", small, 20 * 2 ** 30, "thread 6", "thread #7"],
      ["101 threads, 20 GB", large, 20 * 2 ** 30, "thread 100", "thread #101"],
    ];
    const contenders = cores.map(([what, parts, free, ours, theirs], index) => {
      const file = `${directory}/${index}.core`;
      writeSparse(file, parts, free);
      const lldb = ["-b", "-o", `target create --core ${file}`, "-o", "bt all"];
      return [
        command(
          `\`machpause bt core:FILE\`, ${what}`,
          Deno.execPath(),
          ["run", "-A", entry, "bt", `core:${file}`],
          ours,
        ),
        command(
          `\`lldb-19 -b -o 'target create --core FILE' -o 'bt all'\`, ${what}`,
          "lldb-19",
          lldb,
          theirs,
        ),
      ];
    });
    const timings = await compare(contenders.flat(), 9);
    for (let at = 0; at < timings.length; at += 2) {
      console.log("| command | median | range | ratio |\n|---|---|---|---|");
      console.log(rows(timings.slice(at, at + 2)) + "\n");
    }
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

if (import.meta.main) await bench();
