/** Cores on the command line and at the prompt. */
import { assert, assertEquals, assertFalse, assertMatch, assertStringIncludes } from "@std/assert";
import { writeRegister } from "../../../lib/arch/mod.ts";
import { buildCore, coreFile, recordedParts, type Variant } from "../../lib/target/core_builder.ts";

const program = new URL("../../../repl/main.ts", import.meta.url).pathname;
const symbols = new URL("../../../examples/demo/arm64", import.meta.url).pathname;
const decoder = new TextDecoder();
const hostile = "\x1b[2J\u202ename";

async function machpause(args: string[], input = "") {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", program, ...args],
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(input)).catch(() => {});
  await writer.close().catch(() => {});
  const { code, stdout, stderr } = await child.output();
  return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}

/** A core of the demo whose third thread crashed, with names that would take over a terminal. */
function crashed(variant: Variant = {}): Uint8Array {
  const demo = recordedParts("arm64");
  const { exceptionState } = demo.arch;
  const exception = new Uint8Array(exceptionState.size);
  const [far, esr] = exceptionState.registers;
  writeRegister(exception, far, 0x18n);
  writeRegister(exception, esr, 0x9200_0045n);
  const threads = demo.threads.map((thread, index) =>
    index === 2 ? { ...thread, exception } : index === 1 ? { ...thread, name: hostile } : thread
  );
  const notes = [{ owner: "\x1b]0;note\x07", bytes: new Uint8Array(3) }];
  return buildCore({ ...demo, threads }, { notes, ...variant });
}

Deno.test("bt and snapshot of a core say who crashed", async () => {
  using file = await coreFile(crashed());
  for (const command of ["bt", "snapshot"]) {
    const { code, stdout, stderr } = await machpause([command, `core:${file.path}`]);
    assertEquals({ code, stderr }, { code: 0, stderr: "" });
    assertStringIncludes(
      stdout,
      "demo (pid 123, arm64): 7 threads, thread 2 crashed: data abort, writing, at 0x18\n",
    );
    assertMatch(
      stdout,
      /thread 2 {2}"demo\.spin".*\n {2}data abort, writing, at 0x18 {2}\(far=0x18 /,
    );
    assertMatch(stdout, /libworkers\.dylib {2}0x[\da-f]{16} {2}spin_inner \+ 16/);
    assertFalse(stdout.includes("\x1b") || stdout.includes("\u202e"));
  }
});

Deno.test("bt --json of a core has the keys of any other", async () => {
  using file = await coreFile(crashed());
  const { stdout } = await machpause(["bt", `core:${file.path}`, "--json"]);
  const value = JSON.parse(stdout);
  assertEquals(Object.keys(value), ["target", "pausedMicroseconds", "images", "threads"]);
  assertEquals(value.target, { kind: "core", pid: 123, name: "demo", arch: "arm64" });
  assertEquals(value.pausedMicroseconds, 0);
  assertEquals(Object.keys(value.threads[2]), [
    ...["index", "id", "name", "state", "cpuUsage"],
    ...["queue", "queueSerial", "queueKind", "queueTargets", "qos", "frames", "stopped"],
  ]);
  assertEquals(value.threads[1].name, hostile);
  assertEquals(value.threads[2].frames[0].symbol, "spin_inner");
});

Deno.test("core --json tells what else the core says", async () => {
  using file = await coreFile(crashed());
  const { code, stdout } = await machpause(["core", file.path, "--json"]);
  const value = JSON.parse(stdout);
  assertEquals([code, value.crashedThread, value.kernelVersion, value.warnings], [0, 2, null, []]);
  assertEquals(value.threads[2].exception, {
    description: "data abort, writing",
    faultAddress: "0x18",
    registers: { far: "0x18", esr: "0x92000045", exception: "0x0" },
  });
  assertEquals(value.threads[0].exception, null);
  assertEquals(value.notes.length, 3);
  assertFalse(stdout.includes("\x1b"));
});

Deno.test("at the prompt the crashed thread is selected", async () => {
  using file = await coreFile(crashed());
  const input = `thread\nthreads\nnotes\nbt\nresume\nbt 1\ncore ${file.path}\nquit\n`;
  const { code, stdout, stderr } = await machpause(["core", file.path], input);
  assertEquals(code, 1);
  assertEquals(stderr, "machpause: a core does not run\n");
  assertStringIncludes(stdout, "demo (pid 123, arm64): 7 threads, 2 images\n");
  assertStringIncludes(stdout, "thread 2 crashed: data abort, writing, at 0x18\n");
  assertStringIncludes(stdout, '* thread 2  "demo.spin"');
  assertStringIncludes(stdout, "\\x1b]0;note\\x07");
  assertStringIncludes(stdout, "\\x1b[2J\\u{202e}name");
  assertFalse(stdout.includes("\x1b"));
  assertEquals(stdout.split("7 threads, 2 images").length, 3);
});

Deno.test("binaries that are missing are said, with the way out", async () => {
  using file = await coreFile(crashed({
    keep: ({ segment }) => segment === null ? "bytes" : "missing",
    image: (image) => ({ ...image, path: `/nowhere/${hostile}/${image.path!.split("/").at(-1)}` }),
  }));
  const without = await machpause(["bt", `core:${file.path}`]);
  assertEquals(without.code, 0);
  assertMatch(without.stderr, /^machpause: warning: neither in the core .* --symbols\n$/);
  assertFalse(without.stderr.includes("\x1b"));
  assertMatch(without.stdout, /libworkers\.dylib {2}0x[\da-f]{16} {2}libworkers\.dylib \+ 0x/);
  const folders = ["--symbols", new URL("./", import.meta.url).pathname, "--symbols", symbols];
  const found = await machpause(["bt", `core:${file.path}`, ...folders]);
  assertEquals(found.stderr, "");
  assertStringIncludes(found.stdout, "spin_inner + 16");
  const prompt = await machpause(["core", file.path], "bt\nbt\nquit\n");
  assertEquals(prompt.stdout.split("warning: ").length, 2);
  assert(prompt.stdout.includes("--symbols"));
});
