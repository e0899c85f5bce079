import { assertEquals } from "@std/assert";
import { root } from "../terminal.ts";

/** Runs `machpause demangle` and gives what it printed. */
async function run(args: readonly string[], input = ""): Promise<string> {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", new URL("repl/main.ts", root).pathname, "demangle", ...args],
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(input));
  await writer.close();
  const { code, stdout } = await child.output();
  assertEquals(code, 0);
  return new TextDecoder().decode(stdout);
}

Deno.test("machpause demangle: names", async () => {
  const names = ["$s4main3fooyySiF", "_ZN3foo3barEi", "main"];
  assertEquals(await run(names), "foo(_:)\nfoo::bar(int)\nmain\n");
  assertEquals(
    await run(["--full", "--json", ...names.slice(0, 1), "main"]),
    '{"name":"$s4main3fooyySiF","text":"main.foo(Swift.Int) -> ()"}\n{"name":"main","text":null}\n',
  );
});

Deno.test("machpause demangle: a text", async () => {
  assertEquals(
    await run([], "0 T _$s4main3fooyySiF, x\n\t__ZN3foo3barEi\x1b[2J main\nlast __TtC4main3Foo"),
    "0 T foo(_:), x\n\tfoo::bar(int)\\x1b[2J main\nlast Foo",
  );
  assertEquals(await run(["--json"], "main\n$s4main3fooyySiF\n").then((text) => text.split("\n")), [
    '{"name":"main","text":null}',
    '{"name":"$s4main3fooyySiF","text":"foo(_:)"}',
    "",
  ]);
});

Deno.test("machpause demangle: what a terminal would act on is shown in letters, as JSON too", async () => {
  const hostile = "_Zx\x1b[2J\x7f\u009b31m\u061c\u200e\u202e\u2066";
  assertEquals(
    await run([hostile]),
    String.raw`_Zx\x1b[2J\x7f\x9b31m\u{061c}\u{200e}\u{202e}\u{2066}` + "\n",
  );
  const json = await run(["--json", hostile]);
  assertEquals(
    json,
    String.raw`{"name":"_Zx\u001b[2J\u007f\u009b31m\u061c\u200e\u202e\u2066","text":null}` + "\n",
  );
  assertEquals(JSON.parse(json).name, hostile);
});
