/** The prompt inside another program. */
import { assertEquals, assertStringIncludes } from "@std/assert";
import { compileHelper, Terminal } from "../terminal.ts";

const program = new URL("fake_embedder.ts", import.meta.url).pathname;
const after = { paused: false, held: 0, pid: 7, threads: 2, left: [], self: true };

Deno.test("at a terminal: the program's target and variables, and afterwards all is as it was", async () => {
  const directory = await Deno.makeTempDir();
  try {
    const helper = await compileHelper(directory);
    await using terminal = await Terminal.start(helper, Deno.execPath(), ["run", "-A", program]);
    await terminal.until("paused) > ");
    assertStringIncludes(await terminal.enter("answer + target.pid", "paused) > "), "\n49\n");
    await terminal.type("quit\r");
    // It ends by itself: nothing waits for input any more.
    await terminal.until(JSON.stringify({ code: 0, ...after }));
    assertEquals(await terminal.end(), 0);
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
});

Deno.test("over lines of standard input; the answer says whether they failed", async () => {
  for (const [input, code] of [["answer\n", 0], ["nosuch\n", 1]] as const) {
    const child = new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", program],
      stdin: "piped",
      stdout: "piped",
      stderr: "null",
    }).spawn();
    const writer = child.stdin.getWriter();
    await writer.write(new TextEncoder().encode(input));
    await writer.close();
    const { stdout } = await child.output();
    const last = new TextDecoder().decode(stdout).trimEnd().split("\n").at(-1)!;
    assertEquals(JSON.parse(last), { code, ...after });
  }
});
