/** Expressions over the demo's variables at the prompt: `p`, its formats, `x`, and where TypeScript goes on. */
import { assertEquals } from "@std/assert";
import { runs } from "../../machine.ts";
import { root } from "../terminal.ts";

const program = new URL("repl/main.ts", root).pathname;

async function machpause(args: readonly string[]): Promise<{ stdout: string; stderr: string }> {
  const command = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", program, ...args],
    env: { NO_COLOR: "1" },
    stdin: "null",
  });
  const { stdout, stderr } = await command.output();
  const decoder = new TextDecoder();
  return { stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}

/** Each line with what is printed for it; addresses as 0x…. */
const session: readonly (readonly [line: string, ...printed: string[]])[] = [
  ["p depth", "(int) depth = 4"],
  ["print depth", "(int) depth = 4"],
  ["dv depth", "(int) depth = 4"],
  ["p depth * 10 + 2", "(int) 42"],
  ["p/x depth", "(int) depth = 0x00000004"],
  ["p/x depth * 64", "(int) 0x00000100"],
  ["p/t (char)depth", "(char) 0b00000100"],
  ["p/d -depth", "(int) -4"],
  ["p/u (unsigned char)-depth", "(unsigned char) 252"],
  ["p/o depth + 4", "(int) 010"],
  ["p/c depth + 61", "(int) 'A'"],
  ["p local[depth & 3]", "(volatile int) [0] = 4"],
  ["p sizeof local", "(unsigned long) 16"],
  ["p depth == 4 && local[1] > 4", "(bool) true"],
  ["p demo_argc", "(volatile unsigned int) demo_argc = 1"],
  ["p (char)demo_argc", "(char) '\\x01'"],
  ["p *(int *)&demo_argc + 1", "(int) 2"],
  ["p descend", "0x… descend"],
  // What is no expression of the program is TypeScript.
  ["p threads.length", "7"],
  ['p "depth".length', "5"],
  ["p [1, 2].map((n) => n * 2)", "[ 2, 4 ]"],
  ["p frame.locals.depth + 1", "5"],
  ["x/4wd local", "0x…  4  5  6  7"],
];

/** Each line with the error it gives. */
const errors: readonly (readonly [line: string, error: string])[] = [
  ["p descend(3)", "descend(…) would call a function: nothing is called in the target"],
  ["p depth = 3", "an expression writes nothing: `variable write` does, at `= 3`"],
  ["p depht", "there is no variable depht in this frame: did you mean depth?"],
  ["p local[9]", "local has no element 9: it has 4, at `[9]`"],
  ["p/q depth", "there is no format q: there are x d u o t c a f s"],
  ["v nosuch", "there is no variable nosuch in this frame: it has depth, local, below"],
  // `undefined` is hidden by sums and texts; code that asks for absence means it.
  [
    "frame.locals.dept + 1",
    "warning: there is no variable dept in this frame: did you mean depth?",
  ],
  [
    "`${frame.locals.nosuch}`",
    "warning: there is no variable nosuch in this frame: it has depth, local, below",
  ],
  [
    "frame.locals.nosuch.x",
    "TypeError: Cannot read properties of undefined (reading 'x'); " +
    "there is no variable nosuch in this frame: it has depth, local, below",
  ],
];

Deno.test({
  name: "expressions over the demo's variables",
  ignore: !runs("x86_64"),
  async fn() {
    const lines = [...session.map(([line]) => line)].flatMap((line) => ["-e", line]);
    const { stdout, stderr } = await machpause([
      ...["demo", "-e", "thread 3", "-e", "frame 5"],
      ...lines,
    ]);
    assertEquals(stderr, "");
    const printed = stdout.split("\n").map((line) => line.replaceAll(/\b0x[\da-f]{16}\b/g, "0x…"));
    const start = printed.findIndex((line) => line.startsWith("5  libworkers.dylib"));
    assertEquals(
      printed.slice(start + 1).filter((line) => line !== ""),
      session.flatMap(([, ...printed]) => printed),
    );
  },
});

Deno.test({
  name: "expressions that are wrong say why",
  ignore: !runs("x86_64"),
  async fn() {
    const lines = errors.flatMap(([line]) => ["-e", line]);
    for (const name of ["?.x", " ?? 1", " === undefined"]) {
      lines.push("-e", `frame.locals.no${name}`);
    }
    lines.push("-e", '"no" in frame.locals', "-e", "JSON.stringify(frame.locals).length");
    const { stderr } = await machpause(["demo", "-e", "thread 3", "-e", "frame 5", ...lines]);
    assertEquals(
      stderr.trim().split("\n").map((line) => line.replace(/^machpause: /, "")),
      errors.map(([, error]) => error),
    );
  },
});

Deno.test({
  name: "watch shows a value again and again while the target runs, and once while it does not",
  ignore: !runs("x86_64"),
  async fn() {
    const { stdout, stderr } = await machpause([
      ...["demo", "-e", "watch demo_argc", "-e", "resume"],
      ...["-e", "watch demo_progress[1] > 0 --seconds 0.05 --count 3"],
      ...["-e", "watch demo_progress[1] -s 0.2 -c 2", "-e", "watch nosuch"],
    ]);
    const lines = stdout.trim().split("\n");
    const at = lines.findIndex((line) => line.includes("demo_argc = 1  (the target is paused)"));
    assertEquals(lines.slice(at + 1, at + 4), ["(bool) true", "(bool) true", "(bool) true"]);
    const [first, second] = lines.slice(at + 4).map((line) => Number(/ = (\d+)$/.exec(line)?.[1]));
    assertEquals([first < second, stderr.includes("there is no variable nosuch")], [true, true]);
  },
});
