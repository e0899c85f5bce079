import { assert, assertEquals, assertMatch } from "@std/assert";
import { root } from "../terminal.ts";
import { hasX86Loader } from "../../machine.ts";

const program = new URL("repl/main.ts", root).pathname;

/** Runs a script by its text, from a directory outside the checkout. */
async function run(script: string, args: string[] = [], command = ["run"]) {
  const directory = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(`${directory}/a script.ts`, script);
    const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", program, ...command, "a script.ts", ...args],
      cwd: directory,
      stdout: "piped",
      stderr: "piped",
    }).output();
    const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
    return { code, stdout: text(stdout), stderr: text(stderr) };
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

Deno.test("a script has the API as globals and as a module, and arguments of its own", async () => {
  const script = `
    import * as api from "@machpause/machpause";
    declare const attachSelf: typeof api.attachSelf;
    declare const attach: typeof api.attach;
    const target = await Promise.resolve(attachSelf());
    console.log(attachSelf === api.attachSelf, attach === api.attach, target.kind);
    console.log(JSON.stringify(Deno.args));
    setTimeout(() => console.log("later"), 50);
  `;
  const expected = { code: 0, stdout: 'true true self\n["--json","b c"]\nlater\n', stderr: "" };
  assertEquals(await run(script, ["--json", "b c"]), expected);
  assertEquals(await run(script, ["--json", "b c"], []), expected);
});

Deno.test("a script's exit code, and what it throws", async () => {
  assertEquals((await run("Deno.exit(7)")).code, 7);
  const thrown = await run("\nthrow new RangeError('far\\x1b[2J out')");
  assertEquals(thrown.code, 1);
  assertEquals(thrown.stderr, "machpause: a script.ts:2:7: RangeError: far\\x1b[2J out\n");
  const wrong = await run("const = 1");
  assertEquals(wrong.code, 1);
  assertMatch(wrong.stderr, /^machpause: a script\.ts: [^\n]+\n$/);
});

Deno.test({
  name: "a script that fails while its target is paused leaves it running",
  ignore: !hasX86Loader,
  async fn() {
    const path = new URL("examples/demo/x86_64/demo", root).pathname;
    const { code, stdout } = await run(`
      const target = await launch(${JSON.stringify(path)}, [], { output: "null" });
      target.pause();
      console.log(target.pid);
      throw new Error("no more");
    `);
    const pid = Number(stdout);
    assert(pid > 0, stdout);
    try {
      assertEquals(code, 1);
      assertMatch(await Deno.readTextFile(`/proc/${pid}/status`), /^State:\t[SR]/m);
    } finally {
      Deno.kill(pid, "SIGKILL");
    }
  },
});
