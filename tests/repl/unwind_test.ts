import { assertEquals, assertStringIncludes } from "@std/assert";
import { startDemo } from "../target/demo.ts";

const runnable = Deno.build.os === "linux" && Deno.build.arch === "x86_64";
const entry = new URL("../../repl/main.ts", import.meta.url).pathname;

Deno.test({ name: "unwind tells how a frame was found", ignore: !runnable }, async () => {
  using target = await startDemo("x86_64-frameless");
  try {
    const spin = target.threads.find(({ name }) => name === "demo.spin")!;
    const child = new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", entry, "attach", `${target.pid}`],
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    const writer = child.stdin.getWriter();
    await writer.write(
      new TextEncoder().encode(`pause\nthread ${spin.index}\nunwind\nup\nunwind\nquit\n`),
    );
    await writer.close();
    const { code, stdout, stderr } = await child.output();
    const text = new TextDecoder().decode(stdout);
    assertEquals([code, new TextDecoder().decode(stderr)], [0, ""]);
    // The innermost is where it is; a function that moved no stack pointer returns to [rsp].
    assertStringIncludes(text, "spin_inner");
    assertStringIncludes(text, "  found   context\n");
    assertStringIncludes(text, "CFA = rsp + 8; rip = [CFA - 8]\n");
    assertStringIncludes(text, "spin_outer");
  } finally {
    target.kill();
  }
});
