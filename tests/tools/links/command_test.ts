// What the program relies on of @cliffy/command; holds for the stand-in and for the real package.

import { Command, ValidationError } from "@cliffy/command";
import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";

/** A program as this one is: global and own options, arguments, a command that stops early. */
function program(seen: unknown[]) {
  return new Command()
    .name("tool")
    .version("1.2.3")
    .description("What it is for.\nAnd more.")
    .help({ colors: false })
    .noExit()
    .action(() => {
      seen.push(["root"]);
    })
    .command(
      "show",
      new Command()
        .description("Shows it.")
        .arguments("<target:string>")
        .option("--json", "As JSON.")
        .option("-l, --limit <frames:integer>", "At most so many.")
        .option("--dry-run", "Do nothing.")
        .example("Show it", "tool show it")
        .action((options, target) => {
          const limit: number | undefined = options.limit;
          const json: true | undefined = options.json;
          const name: string = target;
          seen.push(["show", { ...options, limit, json }, name]);
        }),
    )
    .command(
      "run",
      new Command()
        .description("Runs it.")
        .alias("exec")
        .arguments("<program:string> [args...:string]")
        .option("--json", "As JSON.")
        .stopEarly()
        .action((options, program, ...args) => {
          seen.push(["run", options, program, args]);
        }),
    );
}

async function parse(...args: string[]): Promise<unknown> {
  const seen: unknown[] = [];
  await program(seen).parse(args);
  assertEquals(seen.length, 1);
  return seen[0];
}

async function refusal(...args: string[]): Promise<string> {
  const error = await assertRejects(() => program([]).parse(args), ValidationError);
  assertEquals(error.exitCode, 2);
  return error.message;
}

/** What was printed by console.log meanwhile. */
async function printed(run: () => Promise<unknown>): Promise<string> {
  const log = console.log;
  let text = "";
  console.log = (...parts: unknown[]) => text += parts.join(" ") + "\n";
  try {
    await run();
  } finally {
    console.log = log;
  }
  return text;
}

Deno.test("options and arguments reach the action", async () => {
  const none = { json: undefined, limit: undefined };
  assertEquals(await parse(), ["root"]);
  assertEquals(await parse("show", "it"), ["show", none, "it"]);
  assertEquals(await parse("show", "it", "--json"), ["show", { ...none, json: true }, "it"]);
  assertEquals(await parse("show", "--limit", "3", "it"), ["show", { ...none, limit: 3 }, "it"]);
  assertEquals(await parse("show", "-l", "3", "it"), ["show", { ...none, limit: 3 }, "it"]);
  assertEquals(await parse("show", "it", "--limit=12"), ["show", { ...none, limit: 12 }, "it"]);
  assertEquals(await parse("show", "it", "--dry-run"), ["show", { ...none, dryRun: true }, "it"]);
});

Deno.test("a command that stops early leaves the rest alone", async () => {
  assertEquals(await parse("run", "a"), ["run", {}, "a", []]);
  assertEquals(await parse("exec", "a", "b"), ["run", {}, "a", ["b"]]);
  assertEquals(await parse("run", "--json", "a", "--json", "--what", "b"), [
    "run",
    { json: true },
    "a",
    ["--json", "--what", "b"],
  ]);
});

Deno.test("what is wrong is thrown, with exit code 2", async () => {
  assertStringIncludes(await refusal("shwo"), 'Unknown command "shwo".');
  assertStringIncludes(await refusal("show", "it", "--jsno"), 'Unknown option "--jsno".');
  assertStringIncludes(
    await refusal("show", "it", "--limit"),
    'Missing value for option "--limit".',
  );
  assertStringIncludes(
    await refusal("show", "it", "--limit", "--json"),
    'Option "--limit" must be of type "integer", but got "--json".',
  );
  assertStringIncludes(
    await refusal("show", "it", "--limit", "x"),
    'Option "--limit" must be of type "integer", but got "x".',
  );
  assertStringIncludes(
    await refusal("show", "it", "--json=yes"),
    'Option "--json" doesn\'t take a value, but got "yes".',
  );
  assertStringIncludes(await refusal("show"), "Missing argument(s): target");
  assertStringIncludes(await refusal("show", "a", "b"), "Too many arguments: b");
});

Deno.test("an error in the action passes through", async () => {
  const command = new Command().noExit().action(() => {
    throw new RangeError("mine");
  });
  await assertRejects(() => command.parse([]), RangeError, "mine");
});

Deno.test("help and version are printed, and nothing is run", async () => {
  const seen: unknown[] = [];
  const help = await printed(() => program(seen).parse(["--help"]));
  for (const part of ["Usage:", "tool", "1.2.3", "What it is for.", "show", "Shows it.", "exec"]) {
    assertStringIncludes(help, part);
  }
  const own = await printed(() => program(seen).parse(["show", "--help"]));
  for (
    const part of ["tool show <target>", "--limit", "<frames>", "At most so many.", "tool show it"]
  ) {
    assertStringIncludes(own, part);
  }
  assertStringIncludes(await printed(() => program(seen).parse(["-V"])), "1.2.3");
  assertEquals(seen, []);
});

Deno.test("an option that collects keeps all of its values", async () => {
  let seen: string[] | undefined;
  const command = new Command().noExit()
    .option("--folder <name:string>", "A folder.", { collect: true })
    .action(({ folder }) => {
      seen = folder;
    });
  await command.parse(["--folder", "a", "--folder=b"]);
  assertEquals(seen, ["a", "b"]);
  await command.parse([]);
  assertEquals(seen, undefined);
});

Deno.test("global options go before or after a command's name, and have an action of their own", async () => {
  const seen: unknown[] = [];
  const command = () =>
    new Command().noExit()
      .globalOption("--color <when:string>", "When.")
      .globalAction(({ color }) => void seen.push(color))
      .command(
        "show",
        new Command().arguments("<what:string>").action((_, what) => void seen.push(what)),
      );
  await command().parse(["--color", "never", "show", "it"]);
  await command().parse(["show", "--color=always", "that"]);
  await command().parse(["show", "other"]);
  assertEquals(seen, ["never", "it", "always", "that", undefined, "other"]);
});

Deno.test("a switch that begins with no- turns off what is on", async () => {
  const seen: (boolean | undefined)[] = [];
  const command = () =>
    new Command().noExit().option("--no-colour", "Without colour.").action(({ colour }) => {
      seen.push(colour);
    });
  await command().parse([]);
  await command().parse(["--no-colour"]);
  assertEquals(seen, [true, false]);
});
