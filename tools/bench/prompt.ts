/** From the start of the command to its prompt on a terminal, against LLDB: without a target and with a
 * core; and how long Tab takes on an image with 300,000 symbols. */
import { partsOf, writeSparse } from "../../tests/lib/target/core_builder.ts";
import { compileHelper, Terminal } from "../../tests/repl/terminal.ts";
import { build as buildMany } from "./image.ts";
import { command, compare, type Contender, entry, median, rows } from "./measure.ts";

/** Runs until what is shown at the end of starting is there. */
function shown(
  name: string,
  helper: string,
  program: string,
  args: string[],
  until: string | RegExp,
): Contender {
  return {
    name,
    async run() {
      await using terminal = await Terminal.start(helper, program, args);
      await terminal.until(until);
    },
  };
}

/** Prints Markdown tables. */
export async function bench(): Promise<void> {
  const directory = await Deno.makeTempDir();
  try {
    const empty = `${directory}/empty.ts`;
    await Deno.writeTextFile(empty, "");
    const helper = await compileHelper(directory);
    const deno = Deno.execPath();
    const timings = await compare([
      shown("`machpause`, until its prompt is shown", helper, deno, ["run", "-A", entry], "> "),
      command("`lldb-19 -b -o quit`", "lldb-19", ["-b", "-o", "quit"], "quit"),
      command("`deno run` of an empty file", deno, ["run", "-A", empty], ""),
    ], 9);
    console.log("| command | median | range | ratio |\n|---|---|---|---|");
    console.log(rows(timings));

    const core = `${directory}/demo.core`;
    writeSparse(core, await partsOf("x86_64"), 0);
    const withCore = await compare([
      shown(
        "`machpause core FILE`, until its prompt is shown",
        helper,
        deno,
        ["run", "-A", entry, "core", core],
        "core) > ",
      ),
      shown(
        "`lldb-19 --core FILE`, until its prompt is shown",
        helper,
        "lldb-19",
        ["--core", core],
        // It shows a first prompt before it has read the core.
        /Core file [^]*was loaded[^]*\(lldb\)/,
      ),
    ], 9);
    console.log("\n| command | median | range | ratio |\n|---|---|---|---|");
    console.log(rows(withCore));

    const dylib = await buildMany(directory);
    const times = await completions(dylib);
    console.log("\n| Tab, 300,000 symbols | first | then |\n|---|---|---|");
    for (const [typed, first, then] of times) {
      console.log(`| \`${typed}\` | ${first.toFixed(0)} ms | ${then.toFixed(0)} ms |`);
    }
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

/** What Tab takes: in a new process, and once the symbols have been read. The middle of five each. */
async function completions(dylib: string): Promise<[typed: string, first: number, then: number][]> {
  const typed = [
    "lookup _ZN4demo7package12345",
    "lookup _ZN4demo7package1",
    "lookup _",
    "lookup nosuch",
  ];
  const results: [string, number, number][] = [];
  for (const text of typed) {
    const firsts: number[] = [];
    const thens: number[] = [];
    for (let run = 0; run < 5; run++) {
      const { success, stdout } = await new Deno.Command(Deno.execPath(), {
        args: ["run", "-A", import.meta.filename!, dylib, text],
        stderr: "inherit",
      }).output();
      if (!success) throw new Error("the completion failed");
      const [first, then] = JSON.parse(new TextDecoder().decode(stdout));
      firsts.push(first);
      thens.push(then);
    }
    results.push([text, median(firsts), median(thens)]);
  }
  return results;
}

/** Completes twice and prints what each took. */
async function completeTwice(dylib: string, text: string): Promise<void> {
  const [{ archs }, { Image }, { complete }, { Session }, { plain }, { files }] = await Promise.all(
    [
      import("../../lib/arch/mod.ts"),
      import("../../lib/macho/mod.ts"),
      import("../../repl/prompt/completion.ts"),
      import("../../repl/prompt/session.ts"),
      import("../../repl/view/style.ts"),
      import("../../ffi/mod.ts"),
    ],
  );
  const session = new Session(plain);
  const image = Image.fromSource(files.open(dylib));
  const target = { kind: "core", arch: archs.x86_64, images: [image], warnings: [], threads: [] };
  session.open({ target: target as never, [Symbol.dispose]() {} });
  const times: number[] = [];
  for (let time = 0; time < 2; time++) {
    const began = performance.now();
    const { candidates } = await complete(session, text, text.length);
    times.push(performance.now() - began);
    if (candidates.length === 0 && !text.endsWith("nosuch")) throw new Error("nothing was found");
  }
  console.log(JSON.stringify(times));
}

if (import.meta.main) {
  if (Deno.args.length === 2) await completeTwice(Deno.args[0], Deno.args[1]);
  else await bench();
}
