/** From the start of the command to a prompt without a target, on a terminal, against LLDB. */
import { compileHelper, Terminal } from "../tests/repl/terminal.ts";
import { command, compare, entry, rows } from "./measure.ts";

/** Prints a Markdown table. */
export async function bench(): Promise<void> {
  const directory = await Deno.makeTempDir();
  try {
    const empty = `${directory}/empty.ts`;
    await Deno.writeTextFile(empty, "");
    const helper = await compileHelper(directory);
    const timings = await compare([
      {
        name: "`machpause`, until its prompt is shown",
        async run() {
          await using terminal = await Terminal.start(helper, Deno.execPath(), [
            "run",
            "-A",
            entry,
          ]);
          await terminal.until("> ");
        },
      },
      command("`lldb-19 -b -o quit`", "lldb-19", ["-b", "-o", "quit"], "quit"),
      command("`deno run` of an empty file", Deno.execPath(), ["run", "-A", empty], ""),
    ], 9);
    console.log("| command | median | range | ratio |\n|---|---|---|---|");
    console.log(rows(timings));
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

if (import.meta.main) await bench();
