// Every example prints what its header says it does.

import { assert, assertEquals } from "@std/assert";
import { findStub } from "../../ffi/stubs.ts";
import { launch, type LiveTarget, openSymbolizer } from "../../mod.ts";
import { root } from "../repl/terminal.ts";
import { hasX86Loader } from "../machine.ts";

const examples = new URL("examples/", root);

/** The output in an example's header: the indented lines after "prints". */
function documented(source: string): string {
  const [, block] = /prints[^:\n]*:\n \*\n((?: \* {5}.*\n)+)/.exec(source)!;
  return block.replace(/^ \* {5}/gm, "");
}

/** Times, addresses and counters differ from one run to the next; that counters rise does not. */
function comparable(text: string): string {
  return text
    .replace(/\d+(?:\.\d+)? ms/g, "N ms")
    .replace(/0x[0-9a-f]+/g, "0xN")
    .replace(
      /^(\d+) → (\d+)$/gm,
      (_, from, to) => BigInt(to) > BigInt(from) ? "N → more" : "N → less",
    );
}

async function run(
  name: string,
  args: readonly string[],
  cwd: string,
): Promise<{ code: number; stdout: string; stderr: string }> {
  const program = new URL("repl/main.ts", root).pathname;
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", program, "run", new URL(name, examples).pathname, ...args],
    cwd,
  }).output();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return { code, stdout: text(stdout), stderr: text(stderr) };
}

/** What an example looks at in the process, by its header. */
const subjects: Readonly<Record<string, string>> = {
  "core_when.ts": "lock_acquire",
  "hangs.ts": "demo.lock",
  "watch.ts": "demo_progress",
};

const inlines = "tests/fixtures/inlines/x86_64/dsym/inlines.dSYM";

/** Writes reports of the inlines fixture, each of an address in it. */
async function writeReports(folder: string): Promise<void> {
  using symbolizer = openSymbolizer([{ path: new URL(inlines, root).pathname }]);
  const [{ uuid }] = symbolizer.images.images;
  const access =
    "Exception Type: EXC_BAD_ACCESS (SIGSEGV)\nException Codes: KERN_INVALID_ADDRESS at 0x10";
  const abort = "Exception Type: EXC_CRASH (SIGABRT)\nException Codes: 0x0, 0x0";
  for (
    const [name, version, exception, offset] of [
      ["1.crash", "1.0", access, 0x61c],
      ["2.crash", "1.0", access, 0x61c],
      ["3.crash", "1.1", abort, 0x651],
    ] as const
  ) {
    const base = 0x100_000_000 * Number(name[0]);
    const hex = (value: number) => `0x${value.toString(16).padStart(16, "0")}`;
    await Deno.writeTextFile(
      `${folder}/${name}`,
      `Process: inlines [7]
Version: ${version}
Code Type: X86-64

${exception}

Thread 0 Crashed:
0   inlines   ${hex(base + offset)} ${hex(base)} + ${offset}

Binary Images:
${hex(base)} - ${hex(base + 0xfff)} inlines x86_64 <${uuid}> /usr/local/bin/inlines
`,
    );
  }
}

/** Programs that examples look at, by what their headers call them. */
const programs = { demo: "demo_ready", crowd: "crowd_ready" };

/** Starts one; returns when its threads are where they stay. */
async function start(name: keyof typeof programs): Promise<LiveTarget> {
  const path = new URL(`examples/demo/x86_64/${name}`, root).pathname;
  const target = await launch(path, [], { output: "null" });
  const ready = target.lookup(programs[name])[0].symbol.address;
  while (target.memory.readU32(ready) === 0) {
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return target;
}

const hasLldbServer = await findStub("lldb-server", Deno.pid).then(() => true, () => false);

Deno.test({
  name: "every example prints what its header shows",
  ignore: !hasX86Loader,
  async fn(test) {
    const directory = await Deno.makeTempDir();
    const targets: Partial<Record<string, LiveTarget>> = {};
    try {
      const names = [...Deno.readDirSync(examples)].filter(({ isFile }) => isFile)
        .map(({ name }) => name).sort();
      assert(names.length >= 8);
      for (const name of names) {
        // One starts a stub, which has to be installed.
        const ignore = name === "wire.ts" && !hasLldbServer;
        const fn = async () => {
          const source = await Deno.readTextFile(new URL(name, examples));
          const args: string[] = [];
          if (/<pid\|name>/.test(source)) {
            const program = /the crowd process/.test(source) ? "crowd" : "demo";
            args.push(`${(targets[program] ??= await start(program)).pid}`);
          }
          if (/<image>/.test(source)) {
            const [, addresses] = /For (0x.*? and 0x\w+) in/s.exec(source)!;
            args.push(new URL(inlines, root).pathname, ...addresses.match(/0x\w+/g)!);
          }
          if (/<reports> <symbols>/.test(source)) {
            await writeReports(directory);
            args.push(directory, new URL(inlines, root).pathname);
          }
          if (subjects[name] !== undefined) args.push(subjects[name]);
          const { code, stdout, stderr } = await run(name, args, directory);
          assertEquals({ code, stderr }, { code: 0, stderr: "" });
          assertEquals(comparable(stdout), comparable(documented(source)));
          const usage = /examples\/(\S+ <.*)/.exec(source)?.[1];
          if (usage === undefined) return;
          const bare = await run(name, [], directory);
          assertEquals(bare, { code: 2, stdout: "", stderr: `usage: ${usage}\n` });
        };
        await test.step({ name, ignore, fn });
      }
    } finally {
      for (const target of Object.values(targets)) target!.kill();
      await Deno.remove(directory, { recursive: true });
    }
  },
});
