/** Which command a line means: names of other debuggers, beginnings of names, typing errors, code. */
import { assert, assertEquals, assertThrows } from "@std/assert";
import { commands, defineCommand, splitWords } from "../../../repl/commands/mod.ts";
import * as api from "../../../mod.ts";
import { globalNames, sessionGlobals } from "../../../repl/prompt/global_names.ts";
import { UserError } from "../../../repl/errors.ts";

/** The command of a line and its arguments, on one line. */
function meant(line: string): string | undefined {
  const parsed = commands.parse(line);
  return parsed && [parsed.command.name, ...parsed.args].join(" | ");
}

Deno.test("the names that LLDB and gdb have", () => {
  const lines: Readonly<Record<string, string>> = {
    "thread list": "threads",
    "info threads": "threads",
    "thread backtrace all": "bt | all",
    "thread apply all bt": "bt | all",
    "thread apply all bt 2": "bt | all | --limit | 2",
    "thread select 2": "thread | 2",
    "t 2": "thread | 2",
    "f 1": "frame | 1",
    "frame select 3": "frame | 3",
    "register read rip": "registers | rip",
    "info registers": "registers",
    "register write rax 1": "register write | rax | 1",
    "memory read $sp": "memory read | $sp",
    "memory $sp 32": "memory read | $sp | 32",
    "memory write 0x10 1": "memory write | 0x10 | 1",
    "memory find 1": "memory find | 1",
    "memory region 0x10": "regions | 0x10",
    "x/8gx $sp": "x | /8gx | $sp",
    "x /2i pc": "x | /2i | pc",
    "image list": "images",
    "image lookup -a 0x10": "lookup | -a | 0x10",
    "image lookup -r -n lock": "lookup | -r | -n | lock",
    "dis -c 4": "disassemble | -c | 4",
    "di": "disassemble",
    "disas /r work -c 2": "disassemble | -c | 2 | --bytes | work",
    "disassemble /r --count 2": "disassemble | --count | 2 | --bytes",
    "disas work,+8 -c 2": "disassemble | -c | 2 | --start | work | --end | work + 8",
    "process status": "status",
    "process detach": "detach",
    "process interrupt": "pause",
    "process continue": "resume",
    "c": "resume",
    "source list": "source",
    "source list -n main": "source | -n | main",
    "process attach -p 12": "attach | -p | 12",
    "target create --core a.core": "core | a.core",
    "where": "bt",
    "info sharedlibrary": "images",
  };
  for (const [line, command] of Object.entries(lines)) assertEquals(meant(line), command, line);
});

Deno.test("beginnings of words, where they are of one command only", () => {
  const lines: Readonly<Record<string, string>> = {
    "re r": "registers",
    "reg read pc": "registers | pc",
    "th list": "threads",
    "thr b all": "bt | all",
    "im li": "images",
    "disas": "disassemble",
    "mem find 3": "memory find | 3",
    "pau": "pause",
    "frame var x": "frame variable | x",
    "thread sel 2": "thread | 2",
    "thread li": "threads",
  };
  for (const [line, command] of Object.entries(lines)) assertEquals(meant(line), command, line);
  assertThrows(() => commands.parse("reg 1"), UserError, "may be");
  // LLDB's name for it, and no abbreviation of another command.
  assertEquals(meant("v"), "frame variable");
  assertEquals(commands.parse("sel")?.doubtful, "self");
  assertEquals(commands.parse("pau")?.doubtful, undefined);
  assertEquals(commands.parse("thread susp 1")?.doubtful, "thread suspend");
  assertEquals(meant("thread res 1"), "thread resume | 1");
  // LLDB's lets the whole target run.
  assertEquals(meant("thread continue 1"), undefined);
  // What runs another command for threads is answered, and is not `thread`.
  assertEquals(meant("thread apply 1 2 bt"), undefined);
  // One letter, and words of the language, are code.
  for (const line of ["z", "do {", "const aa = {", "if (a) {", "let x"]) {
    assertEquals(meant(line), undefined, line);
    assertEquals(commands.suggestions(line), [], line);
  }
});

Deno.test("code is code, also where it begins with a command's name", () => {
  for (
    const line of [
      ...["thread.name", "threads.length", "frame = 1", "c = 3", "quit = () => 1", "thread ?? 1"],
      ...["threads [0]", "x => x", "let bt = 1", "1 + 1", "await target.snapshot()", "help()"],
      ...["if (x) y", "new Map()", "nosuch", "threads.map((t) => t.name)"],
    ]
  ) assertEquals(meant(line), undefined, line);
});

Deno.test("a variable of a short command's name is meant when it stands alone", () => {
  const global = globalThis as Record<string, unknown>;
  assertEquals(meant("c"), "resume");
  global.c = 1;
  global.x = 2;
  try {
    assertEquals(meant("c"), undefined);
    assertEquals(meant("c + 1"), undefined);
    assertEquals(meant("x"), undefined);
    assertEquals(meant("x/2"), undefined);
    assertEquals(meant("x/2i pc"), "x | /2i | pc");
  } finally {
    delete global.c;
    delete global.x;
  }
});

Deno.test("paths are arguments, not divisions", () => {
  assertEquals(meant("core /tmp/a.core"), "core | /tmp/a.core");
  assertEquals(meant("launch ./a --flag 'b c'"), "launch | ./a | --flag | b c");
  assertEquals(meant(".load ~/steps"), ".load | ~/steps");
});

Deno.test("words, quoted or not", () => {
  assertEquals(splitWords(`a "b c" 'd "e"' f"g h"i "\\"\\\\"`), [
    "a",
    "b c",
    'd "e"',
    "fg hi",
    '"\\',
  ]);
  assertEquals(splitWords(`"not closed`), ["not closed"]);
  assertEquals(splitWords("  "), []);
});

Deno.test("typing errors: the nearest name", () => {
  assertEquals(commands.suggestions("regsiters"), ["registers"]);
  assertEquals(commands.suggestions("thraed 1"), ["thread"]);
  assertEquals(commands.suggestions("disasemble pc"), ["disassemble"]);
  assertEquals(commands.suggestions("image lokup -a 1"), ["image lookup"]);
  assertEquals(commands.suggestions("xyzzy"), []);
  assertEquals(commands.subcommands("register"), ["register read", "register write"]);
  assertEquals(commands.subcommands("image")[0], "image list");
});

Deno.test("every name is one command's; every command has help and an example of itself", () => {
  const names = commands.entries.map(({ name }) => name);
  assertEquals(new Set(names).size, names.length);
  for (const { name, help, example } of commands.commands) {
    assert(help.length > 5 && help.length < 80, name);
    assert(example !== undefined, name);
    assertEquals(commands.parse(example)?.command.name, name, example);
  }
});

Deno.test("the globals that are names of commands, too, are known before the API is loaded", () => {
  const own: readonly string[] = sessionGlobals;
  const shared = commands.commands.map(({ name }) => name).filter((name) =>
    name in api || own.includes(name)
  );
  assertEquals([...globalNames].sort(), [...new Set([...shared, ...own])].sort());
});

Deno.test("a command of one's own", () => {
  const seen: string[][] = [];
  defineCommand("greet all", { help: "says hello", run: (...args) => void seen.push(args) });
  assertEquals(meant('greet all "you there"'), "greet all | you there");
  defineCommand("greet all", { run: () => 1 });
  assertEquals(commands.entries.filter(({ name }) => name === "greet all").length, 1);
  assertThrows(() => defineCommand("bt", { run: () => 1 }), UserError, "taken");
  assertThrows(() => defineCommand("a.b", { run: () => 1 }), UserError, "no name");
  assertThrows(() => defineCommand("a", {} as never), UserError, "run");
});
