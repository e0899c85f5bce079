/** Every variable of every frame, by name, type and value, against LLDB's `frame variable` on the same core:
 * programs in C, C++ and Objective-C at all levels of optimization, for every architecture. */
import { assert, assertEquals } from "@std/assert";
import type { ArchName } from "../../lib/arch/mod.ts";
import { openCore } from "../../mod.ts";
import { compareFrames, lldb, type Tally } from "./variables/compare.ts";
import { type Build, build, coreOf } from "./variables/programs.ts";

async function compareBuild(options: Build, tally: Tally): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    const path = await build(options, folder);
    const corePath = `${folder}/core`;
    await Deno.writeFile(corePath, await coreOf(path, options.arch, 8));
    const theirs = await lldb(corePath, path);
    using core = openCore(corePath);
    assertEquals(core.threads.length, theirs.length);
    core.threads.forEach((thread, index) => {
      const frames = [...thread.backtrace({ limit: 1 })];
      const { arch, source, optimization, dwarf } = options;
      const where = `${arch} ${source} ${optimization} dwarf${dwarf} ${
        frames[0].address.toString(16)
      }`;
      compareFrames(theirs[index], frames.map(({ variables }) => variables), where, tally);
    });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** LLVM 13's linker, the last one for armv7, fails on classes of Objective-C. */
const programs: Readonly<Record<ArchName, readonly string[]>> = {
  x86_64: ["types.c", "types.cpp", "types.m"],
  arm64: ["types.c", "types.cpp", "types.m"],
  i386: ["types.c", "types.cpp", "types.m"],
  armv7: ["types.c", "types.cpp"],
};

for (const [arch, sources] of Object.entries(programs) as [ArchName, string[]][]) {
  for (const source of sources) {
    Deno.test(`the variables of ${source} for ${arch} are those of LLDB, name by name and value by value`, async () => {
      const tally: Tally = { compared: 0, differences: [], explained: new Map() };
      const only = Deno.env.get("MACHPAUSE_ORACLE_BUILDS")?.split(",");
      for (const optimization of ["-O0", "-O1", "-O2", "-Os"]) {
        for (const dwarf of [4, 5] as const) {
          if (only !== undefined && !only.includes(`${optimization}${dwarf}`)) continue;
          await compareBuild({ arch, source, optimization, dwarf }, tally);
        }
      }
      console.log(
        `${tally.compared} values of ${arch} ${source}; ${JSON.stringify([...tally.explained])}`,
      );
      const different = new Set(
        tally.differences.map((text) => text.replace(/ [0-9a-f]{8} /, " ")),
      );
      assertEquals([...different].slice(0, 60), []);
      assert(tally.compared > 0);
    });
  }
}
