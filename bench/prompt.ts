/** From the start of the command to a prompt without a target, and out again, against LLDB. */
import { compare, machpause, rows } from "./measure.ts";

/** Prints a Markdown table. */
export async function bench(): Promise<void> {
  const empty = await Deno.makeTempFile({ suffix: ".ts" });
  const { command, args } = machpause("", [], "");
  // A prompt wants a terminal: script(1) gives each of them one.
  const onTerminal = (words: readonly string[]) => [
    "-c",
    `printf 'quit\\n' | script -qec '${words.join(" ")}' /dev/null`,
  ];
  try {
    const timings = await compare([
      {
        name: "`machpause`, then `quit`",
        command: "sh",
        args: onTerminal([command, ...args]),
        proof: "(machpause",
      },
      {
        name: "`lldb-19 -b -o quit`",
        command: "sh",
        args: onTerminal(["lldb-19", "-b", "-o", "quit"]),
        proof: "quit",
      },
      {
        name: "`deno run` of an empty file",
        command: "sh",
        args: onTerminal([command, "run", empty]),
        proof: "",
      },
    ], 9);
    console.log("| command | median | range | ratio |\n|---|---|---|---|");
    console.log(rows(timings));
  } finally {
    await Deno.remove(empty);
  }
}

if (import.meta.main) await bench();
