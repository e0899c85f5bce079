/** The variables of callers' frames, inlined ones among them, against LLDB's on the same cores: values at
 * functions' entries, in registers that calls keep, and what calls have overwritten. */
import { assert, assertEquals } from "@std/assert";
import { type ArchName, archs } from "../../lib/arch/mod.ts";
import { launch, openCore } from "../../mod.ts";
import { buildCore, partsOf } from "../lib/target/core_builder.ts";
import { runs } from "../machine.ts";
import { compareFrames, lldb, type Tally } from "./variables/compare.ts";
import { run } from "./run.ts";

const here = new URL("./variables/", import.meta.url).pathname;
const sdk = new URL("../fixtures/sdk/", import.meta.url).pathname;
const demos = new URL("../../examples/demo/", import.meta.url).pathname;

/** Compares the frames of a core that both find; returns how many have variables. */
async function compareCore(core: string, program: string, tally: Tally): Promise<number> {
  const theirs = await lldb(core, program, true);
  using target = openCore(core);
  assertEquals(target.threads.length, theirs.length);
  let held = 0;
  target.threads.forEach((thread, index) => {
    const frames = [...thread.backtrace()];
    // The system's own code, without debug information, is walked by other rules: frames of it may be in
    // one of the stacks alone.
    let next = 0;
    const both = theirs[index].flatMap((frame) => {
      const at = frames.findIndex(({ address }, at) => at >= next && address === BigInt(frame.pc));
      if (at < 0) return [];
      next = at + 1;
      return [[frame, frames[at].variables] as const];
    });
    const own = both.map(([, variables]) => variables);
    held += own.filter(({ length }) => length > 0).length;
    compareFrames(both.map(([frame]) => frame), own, `thread ${index}`, tally);
  });
  return held;
}

function newTally(): Tally {
  return { compared: 0, differences: [], explained: new Map() };
}

for (const arch of Object.keys(archs) as ArchName[]) {
  Deno.test({
    name: `the variables of all frames of the demo on ${arch} are those of LLDB`,
    // Those of ARM are recorded.
    ignore: arch !== "arm64" && arch !== "armv7" && !runs(arch),
    async fn() {
      const core = await Deno.makeTempFile();
      try {
        await Deno.writeFile(core, buildCore(await partsOf(arch)));
        const tally = newTally();
        const frames = await compareCore(core, `${demos}${arch}/demo`, tally);
        console.log(
          `${tally.compared} values of ${frames} frames; ${JSON.stringify([...tally.explained])}`,
        );
        assertEquals([...new Set(tally.differences)].slice(0, 40), []);
        assert(frames > 200 && tally.compared > 1400);
        // The recording's main thread and demo.relay wait in code of the loader without unwind information.
        assertEquals(tally.explained.get("kept") ?? 0, arch === "arm64" ? 2 : 0);
      } finally {
        await Deno.remove(core);
      }
    },
  });
}

const whole = Deno.env.get("MACHPAUSE_ORACLE_BUILDS") === "all";
const builds = whole
  ? ["-O0", "-O1", "-O2", "-Os"].flatMap((level) => [[level, 4], [level, 5]] as const)
  : [["-O0", 4], ["-O2", 5]] as const;

for (const [level, dwarf] of builds) {
  Deno.test({
    name: `the variables of callers at ${level}, DWARF ${dwarf}, are those of LLDB`,
    ignore: !runs("x86_64"),
    async fn() {
      const folder = await Deno.makeTempDir();
      try {
        await run("clang-19", [
          ...["-target", "x86_64-apple-macos11", "-w", "-g", `-gdwarf-${dwarf}`, level],
          ...["-fno-stack-protector", "-fno-optimize-sibling-calls", "-nostdinc"],
          ...["-c", `${here}callers.c`, "-o", "callers.o"],
        ], folder);
        await run("ld64.lld-19", [
          ...["-arch", "x86_64", "-platform_version", "macos", "11.0", "11.0"],
          ...["-o", "callers", "callers.o", `${sdk}libSystem.tbd`],
        ], folder);
        await run("dsymutil-19", ["callers", "-o", "callers.dSYM"], folder);
        const program = `${folder}/callers`;
        const core = `${folder}/core`;
        {
          using target = await launch(program, [], { output: "null" });
          try {
            const [ready] = target.lookup("callers_ready");
            while (target.memory.readU32(ready.symbol.address) === 0) {
              await new Promise((resolve) => setTimeout(resolve, 10));
            }
            await target.saveCore(core, { style: "full" });
          } finally {
            target.kill();
          }
        }
        const tally = newTally();
        const frames = await compareCore(core, program, tally);
        console.log(
          `${tally.compared} values of ${frames} frames; ${JSON.stringify([...tally.explained])}`,
        );
        assertEquals(tally.differences, []);
        assert(frames >= 8);
      } finally {
        await Deno.remove(folder, { recursive: true });
      }
    },
  });
}
