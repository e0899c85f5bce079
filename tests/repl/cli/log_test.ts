/** `--log` and `MACHPAUSE_LOG`. */
import { assertEquals, assertFalse, assertMatch, assertStringIncludes } from "@std/assert";
import { enableLog, log } from "../../../lib/log.ts";
import { root } from "../terminal.ts";

const program = new URL("repl/main.ts", root).pathname;

async function machpause(
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<{ code: number; stdout: string; stderr: string }> {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", program, ...args],
    stdin: "null",
    env: { MACHPAUSE_LOG: "", ...env },
  }).output();
  const decoder = new TextDecoder();
  return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}

/** Runs a line at the prompt that logs. */
const logging = ["-e", "(await import(`${root}lib/log.ts`)).log.symbols?.('tried \\x1b[2J')"];
logging[1] = logging[1].replace("${root}", root.href);

Deno.test("a line has the time, the subsystem, and nothing that a terminal would act on", async () => {
  for (
    const [args, env] of [
      [["--log=symbols"], {}],
      [["--log", "unwind,symbols"], {}],
      [["--log", "all"], {}],
      [[], { MACHPAUSE_LOG: "symbols" }],
    ] as const
  ) {
    const { code, stderr } = await machpause([...args, ...logging], env);
    assertEquals(code, 0, stderr);
    assertMatch(stderr, /^\d+\.\d ms symbols: tried \\x1b\[2J$/m);
    assertFalse(stderr.includes("\x1b"));
  }
});

Deno.test("off, and for other subsystems, nothing is written", async () => {
  for (const args of [[], ["--log=remote"]]) {
    assertEquals((await machpause([...args, ...logging])).stderr, "");
  }
});

Deno.test("a name that is no subsystem's: exit code 2, and the names there are", async () => {
  for (
    const [args, env, from] of [
      [["--log=symbols,nosuch"], {}, "--log"],
      [[], { MACHPAUSE_LOG: "nosuch" }, "MACHPAUSE_LOG"],
    ] as const
  ) {
    const { code, stdout, stderr } = await machpause([...args, "-e", "1"], env);
    assertEquals([code, stdout], [2, ""]);
    assertStringIncludes(stderr, `machpause: ${from}: there is no log of "nosuch"`);
    assertStringIncludes(stderr, "symbols, unwind");
  }
});

Deno.test("the help names it", async () => {
  assertMatch((await machpause(["bt", "--help"])).stdout, /--log .*symbols.*MACHPAUSE_LOG/);
});

Deno.test("a subsystem that is off costs no line", () => {
  const lines: string[] = [];
  let made = 0;
  const line = () => `line ${++made}`;
  log.unwind?.(line());
  assertEquals(made, 0);
  try {
    enableLog(["unwind"], (subsystem, milliseconds, text) => {
      lines.push(`${subsystem} ${text} ${milliseconds > 0}`);
    });
    log.unwind?.(line());
    log.ffi?.(line());
  } finally {
    delete log.unwind;
  }
  assertEquals([made, lines], [1, ["unwind line 1 true"]]);
});
