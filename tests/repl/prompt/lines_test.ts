/** Lines from the command line, from pipes and from files; the startup file; colours. */
import { assert, assertEquals, assertFalse, assertMatch, assertStringIncludes } from "@std/assert";
import { root } from "../terminal.ts";
import { hasX86Loader } from "../../machine.ts";

const program = new URL("repl/main.ts", root).pathname;
const decoder = new TextDecoder();
const ignore = !hasX86Loader;

async function machpause(
  args: string[],
  { input = "", env = {} }: { input?: string; env?: Record<string, string> } = {},
): Promise<{ code: number; stdout: string; stderr: string }> {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", program, ...args],
    env: { XDG_CONFIG_HOME: "/dev/null", XDG_STATE_HOME: "/dev/null", ...env },
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(input)).catch(() => {});
  await writer.close().catch(() => {});
  const { code, stdout, stderr } = await child.output();
  return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}

Deno.test("-e: commands and TypeScript, one after the other; what fails shows in the exit code", async () => {
  assertEquals(await machpause(["-e", "1 + 1", "-e", "let a: number = 2\na * 3"]), {
    code: 0,
    stdout: "2\n6\n",
    stderr: "",
  });
  assertEquals(await machpause(["--eval", "nosuch", "-e", "'still run'"]), {
    code: 1,
    stdout: '"still run"\n',
    stderr: "machpause: ReferenceError: nosuch is not defined\n",
  });
  assertEquals(await machpause(["-e", "let a = 1\nlet b = a.c.d"]), {
    code: 1,
    stdout: "",
    stderr: "machpause: TypeError: Cannot read properties of undefined (reading 'd'); " +
      "line 2: let b = a.c.d\n",
  });
  for (const line of ["b main", "breakpoint set -n main", "next"]) {
    assertMatch((await machpause(["-e", line])).stderr, /^machpause: there are no breakpoints /);
  }
  assertEquals((await machpause(["-e", "let n = 1", "-e", "n"])).stdout, "1\n");
  assertEquals((await machpause(["-e", "f("])).stderr, "machpause: f( is incomplete\n");
  assertEquals((await machpause(["-e", "quit", "-e", "nosuch"])).code, 0);
  assertEquals((await machpause(["-e", "nosuch", "-e", "quit 4"])).code, 4);
  assertEquals((await machpause([], { input: "quit 4\nnosuch\n" })).code, 4);
  assertEquals(
    (await machpause(["-e", "sel"])).stderr,
    "machpause: sel is short for `self`, which changes the target: write it in full\n",
  );
  assertEquals(
    await machpause(["-e", "self", "-e", "images nosuch"]).then((
      { code, stderr },
    ) => [code, stderr]),
    [
      1,
      "machpause: no image is named nosuch: see `images`\n",
    ],
  );
  assertEquals((await machpause(["-e"])).code, 2);
});

Deno.test({
  name: "-e at a target, without a word more than what was asked for",
  ignore,
  async fn() {
    const { code, stdout, stderr } = await machpause([
      ...["demo", "-e", "thread 2", "-e", "memory write demo_progress 5 --yes"],
      ...["-e", "memory write demo_progress 6", "-e", "threads.length"],
    ]);
    assertEquals(code, 1);
    assertMatch(stdout, /^thread 2 {2}"demo\.spin" [^]*\n- 0x[^]*\n\+ 0x[\da-f]+ {2}05 [^]*\n7\n$/);
    assertMatch(
      stderr,
      /^machpause: write 1 byte at 0x[\da-f]+\? Nobody can be asked here: --yes answers yes\n$/,
    );
    const agreed = await machpause(["demo", "--yes", "-e", "memory write demo_progress 6"]);
    assertEquals([agreed.code, agreed.stderr], [0, ""]);
  },
});

Deno.test("lines from a pipe: no prompt, no colour, comments passed over", async () => {
  const { code, stdout, stderr } = await machpause([], {
    input: "# a comment\nself\nthreads.length > 0\n\nhelp bt\n#!bye\nquit\nnosuch\n",
  });
  assertEquals([code, stderr], [0, ""]);
  assertMatch(stdout, /^deno \(pid \d+, \w+\)\ntrue\nbt \[N\|all\][^\n]*\n/);
  assertFalse(stdout.includes(") > ") || stdout.includes("\x1b"));
});

Deno.test("--color and --theme, also before the command; NO_COLOR is heeded by auto alone", async () => {
  const help = (...args: string[]) => machpause([...args, "-e", "help bt"]);
  const coloured = async (result: ReturnType<typeof help>) =>
    (await result).stdout.includes("\x1b[");
  assertFalse(await coloured(help()));
  assert(await coloured(help("--color", "always")));
  assertStringIncludes(
    (await help("--color=always", "--theme", "dark")).stdout,
    "\x1b[1;97mbt\x1b[0m",
  );
  assertFalse(await coloured(help("--color", "always", "--theme", "none")));
  const both = await machpause(["--color=always", "-e", "help bt"], { env: { NO_COLOR: "1" } });
  assert(both.stdout.includes("\x1b["));
  assertEquals(await help("--color", "pink"), {
    code: 2,
    stdout: "",
    stderr: "machpause: there is no color pink: it is one of auto, always, never\n",
  });
  assertEquals((await help("--theme", "pink")).code, 2);
});

Deno.test("a startup file defines commands; what is wrong with it is said", async () => {
  const config = await Deno.makeTempDir();
  try {
    await Deno.mkdir(`${config}/machpause`);
    const file = `${config}/machpause/init.ts`;
    await Deno.writeTextFile(
      file,
      `defineCommand("hello", {
        help: "greets",
        complete: (word: string) => ["all", "nobody"].filter((name) => name.startsWith(word)),
        run: (who: string = "you") => \`hello \${who}\\x1b[2J\`,
      });
      defineCommand("three things", { run: async () => [1, 2, await Promise.resolve(3)] });`,
    );
    const env = { XDG_CONFIG_HOME: config };
    const input = 'hello\nhello "you two"\nthree things\nhelp hello\n';
    assertEquals(await machpause([], { input, env }), {
      code: 0,
      stdout: "hello you\\x1b[2J\nhello you two\\x1b[2J\n[ 1, 2, 3 ]\nhello\n  greets\n",
      stderr: "",
    });
    assertEquals((await machpause(["--no-init", "-e", "hello"], { env })).code, 1);
    await Deno.writeTextFile(file, "\nthrow new Error('broken')");
    const broken = await machpause(["-e", "1"], { env });
    assertEquals([broken.code, broken.stdout], [0, "1\n"]);
    assertMatch(broken.stderr, /^machpause: \S+init\.ts: broken\n$/);
  } finally {
    await Deno.remove(config, { recursive: true });
  }
});

Deno.test(".save writes what was typed, .load runs it again; modules too", async () => {
  const folder = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(
      `${folder}/steps`,
      "let a = 20\nfunction f() {\n  return a + 1\n}\nf()\n",
    );
    await Deno.writeTextFile(`${folder}/module.ts`, "globalThis.fromModule = 7 as number;\n");
    await Deno.writeTextFile(`${folder}/bad`, "history\nnosuch\n2\n");
    const run = await machpause([
      ...["-e", `.load ${folder}/steps`, "-e", "f() + 1", "-e", `.load ${folder}/module.ts`],
      ...["-e", "fromModule"],
    ]);
    assertEquals(run, { code: 0, stdout: "21\n22\n7\n", stderr: "" });
    const bad = await machpause(["-e", `.load ${folder}/bad`]);
    assertEquals([bad.code, bad.stdout], [1, "2\n"]);
    assertStringIncludes(bad.stderr, "parts of");
    assertStringIncludes((await machpause(["-e", ".load /nowhere"])).stderr, "there is no file");
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("a reader that goes away ends it quietly", async () => {
  const { stdout, stderr } = await new Deno.Command("sh", {
    args: [
      "-c",
      `"$0" run -A "$1" -e 'for (let i = 0; i < 1e5; i++) console.log(i)' -e help -e help | head -n 1`,
      Deno.execPath(),
      program,
    ],
    stdout: "piped",
    stderr: "piped",
  }).output();
  assertEquals(decoder.decode(stdout), "0\n");
  assertEquals(decoder.decode(stderr), "");
});
