import { assert, assertEquals, assertFalse, assertStringIncludes } from "@std/assert";
import { writeRegister } from "../../../lib/arch/mod.ts";
import { buildCore, coreFile, recordedParts } from "../../lib/target/core_builder.ts";
import { startDemo } from "../../lib/target/demo.ts";
import { runs } from "../../machine.ts";

const entry = new URL("../../../repl/main.ts", import.meta.url).pathname;

Deno.test(
  { name: "unwind tells how a frame was found", ignore: !runs("x86_64-frameless") },
  async () => {
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
  },
);

Deno.test("a thread that has lost its registers: its callers are shown with --scan, and marked", async () => {
  const parts = recordedParts("arm64");
  const { arch } = parts;
  const threads = parts.threads.map((thread) => {
    if (thread.name !== "demo.lock") return thread;
    const state = thread.state!.slice();
    writeRegister(state, arch.pc, 0x10n);
    writeRegister(state, arch.lr!, 0n);
    writeRegister(state, arch.fp, 0x40n);
    return { ...thread, state };
  });
  using file = await coreFile(buildCore({ ...parts, threads }));
  const index = threads.findIndex(({ name }) => name === "demo.lock");
  const run = async (...args: string[]) => {
    const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", entry, ...args],
    }).output();
    assertEquals(code, 0, new TextDecoder().decode(stderr));
    return new TextDecoder().decode(stdout);
  };
  const spec = `core:${file.path}`;
  for (const command of ["bt", "snapshot"]) {
    for (const scan of [[], ["--scan"]]) {
      const { threads } = JSON.parse(await run(command, spec, "--json", ...scan));
      const { frames, stopped } = threads[index];
      const vias = frames.map(({ via }: { via: string }) => via);
      if (scan.length === 0) assertEquals([vias, stopped], [["context"], "outside-stack"]);
      else {
        assert(vias.includes("scan"));
        assert(frames.some(({ symbol }: { symbol: string }) => symbol === "worker_lock"));
      }
    }
  }
  const prompt = (line: string) => run("core", file.path, "--eval", line);
  assertFalse((await prompt(`bt ${index}`)).includes("worker_lock"));
  assertStringIncludes(await prompt(`bt ${index} --scan`), "worker_lock");
  assertStringIncludes(await prompt("bt all --scan"), "worker_lock");
});
