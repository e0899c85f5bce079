/** Arguments and options of commands: what is read, and what is refused. */
import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { commands } from "../../../repl/commands/mod.ts";
import { addressOf } from "../../../repl/commands/address.ts";
import { parseArguments } from "../../../repl/commands/parse.ts";
import { UserError } from "../../../repl/errors.ts";
import { held } from "../../../repl/prompt/open.ts";
import { Session } from "../../../repl/prompt/session.ts";
import { plain } from "../../../repl/view/style.ts";
import { fakeTarget } from "../fake_target.ts";
import { run } from "./run.ts";

/** The arguments of a line. */
function parsed(line: string) {
  const { command, args } = commands.parse(line)!;
  return parseArguments(command, args);
}

function paused(): { session: Session; kernel: ReturnType<typeof fakeTarget>["kernel"] } {
  const { target, kernel } = fakeTarget();
  const session = new Session(plain);
  session.open(held(target));
  session.pause();
  return { session, kernel };
}

Deno.test("an option has the same names as on the command line", () => {
  for (const name of ["--limit 3", "--count 3", "-c 3", "--limit=3"]) {
    assertEquals(parsed(`bt all ${name}`), { words: ["all"], options: { limit: 3 } }, name);
  }
  assertEquals(parsed("bt --no-demangle -u").options, { demangle: false, unique: true });
  assertEquals(parsed("savecore a.core --style dirty").options, { style: "dirty" });
  assertEquals(parsed("image lookup -rn lock").options, { regex: true, name: "lock" });
  assertEquals(parsed("launch ./a --flag -c"), { words: ["./a", "--flag", "-c"], options: {} });
});

Deno.test("unknown options, missing values and surplus words are errors", () => {
  const wrong: Readonly<Record<string, string>> = {
    "bt --nosuch": "`bt` has no option --nosuch; it has --unique, --by, --limit, --scan",
    "pause --now": "`pause` has no option --now",
    "bt --limit": "--limit needs a value",
    "bt --limit 0": "a whole number from 1 on",
    "bt --limit x": "a whole number from 1 on",
    "bt 1 2": "too many arguments: 2; usage: bt [N|all]",
    "thread 1 2": "too many arguments: 2; usage: thread [N]",
    "frame 1 2": "too many arguments",
    "pause now": "too many arguments: now; usage: pause",
    "x/2gx $sp 8": "too many arguments: 8",
    "register write rax 1 2": "too many arguments: 2",
    "memory read": "`memory read` needs <address>, as in `memory read sp 8 --as pointer`",
    "savecore a --style pink": "it is one of stacks, locals, dirty, full",
    "savecore a pink": "it is one of stacks, locals, dirty, full",
    "theme pink": "there is no theme pink",
    "memory read sp --size 3": "it is one of 1, 2, 4, 8",
  };
  for (const [line, message] of Object.entries(wrong)) {
    assertThrows(() => parsed(line), UserError, message, line);
  }
});

Deno.test("an address expression may take several words", () => {
  const words: Readonly<Record<string, string[]>> = {
    "x/2gx $sp + 8": ["/2gx", "$sp + 8"],
    "memory read $sp + 8 4": ["$sp + 8", "4"],
    "memory read $sp+8 4": ["$sp+8", "4"],
    "memory read $rax* 2": ["$rax* 2"],
    "memory read ($sp + 8) * 2 16": ["($sp + 8) * 2", "16"],
    "disassemble main+16 main + 32": ["main+16", "main + 32"],
    "disassemble ns::f(int, char)": ["ns::f(int, char)"],
    "disassemble f -[View draw]": ["f", "-[View draw]"],
    "lookup -[View draw]": ["-[View draw]"],
    "memory write $sp + 8 -1 2": ["$sp + 8", "-1", "2"],
    "memory write &errno 7": ["&errno", "7"],
  };
  for (const [line, expected] of Object.entries(words)) {
    assertEquals(parsed(line).words, expected, line);
  }
});

Deno.test("the values of address expressions", () => {
  const { session } = paused();
  const sp = session.frame.registers.get("rsp")!;
  const values: Readonly<Record<string, bigint>> = {
    "$sp + 8": sp + 8n,
    "$sp+8": sp + 8n,
    "sp - 8": sp - 8n,
    "$rsp*2": sp * 2n,
    "2 + 3 * 4": 14n,
    "(2 + 3) * 4": 20n,
    "1 << 4 | 1": 17n,
    "0xff & ~0xf": 0xf0n,
    "7 / 2 + 7 % 2": 4n,
    "take": 0x4000n,
    "&take": 0x4000n,
    "take+16": 0x4010n,
    "&take + 0x10": 0x4010n,
    "-1": 0xffff_ffff_ffff_ffffn,
    "0 - 1": 0xffff_ffff_ffff_ffffn,
    "6 ^ 3": 5n,
  };
  for (const [text, value] of Object.entries(values)) {
    assertEquals(addressOf(session, text), value, text);
  }
  const wrong: Readonly<Record<string, string>> = {
    "$sp +": "not complete",
    "(1 + 2": "not complete",
    "1 + nosuch": "nosuch is no number",
    "&nosuch": "no symbol is named nosuch",
    "&sp": "no symbol is named sp",
    "1 2": "2 was not expected",
    "1 / 0": "division by zero",
    "1 << 100": "shift by 100",
    "": "not complete",
  };
  for (const [text, message] of Object.entries(wrong)) {
    assertThrows(() => addressOf(session, text), UserError, message, text);
  }
});

Deno.test("memory is shown at the address that was typed, not at its first word", async () => {
  const { session, kernel } = paused();
  const view = new DataView(kernel.memory.buffer);
  view.setBigUint64(0x3008, 0x1122n, true);
  assertEquals(await run(session, "x/gx $sp + 8"), ["0x0000000000103008  0x0000000000001122"]);
  await assertRejects(() => run(session, "x/gx $sp 8"), UserError, "too many arguments");
  await assertRejects(() => run(session, "images nosuch"), UserError, "no image is named nosuch");
});
