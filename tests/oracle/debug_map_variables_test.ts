/** Variables and globals from object files, through the debug map, are those from the dSYM that dsymutil makes of
 * them: by name, type, place and value. */
import { assert, assertEquals } from "@std/assert";
import { inlineText } from "../../lib/values/text.ts";
import { openCore, type Variable } from "../../mod.ts";
import { type Build, build, coreOf } from "./variables/programs.ts";

const builds: readonly Build[] = [
  { arch: "x86_64", source: "types.cpp", optimization: "-O2", dwarf: 5 },
  { arch: "arm64", source: "types.c", optimization: "-O0", dwarf: 4 },
  { arch: "arm64", source: "types.m", optimization: "-O1", dwarf: 5 },
];

function shown(variable: Variable): string {
  const { kind, place, declaration } = variable;
  const where = place.kind === "memory" ? place.address : place.kind;
  return `${kind} ${where} ${declaration?.line} ${inlineText(variable)}`;
}

/** What a core's frames and images have. */
function everything(path: string): { readonly frames: string[][]; readonly globals: string[] } {
  using core = openCore(path);
  const frames = core.threads.map((thread) => {
    const [frame] = thread.backtrace({ limit: 1 });
    return frame.variables.map(shown);
  });
  return { frames, globals: [...core.globals()].map(shown).sort() };
}

for (const options of builds) {
  const { arch, source, optimization, dwarf } = options;
  Deno.test(`${source} for ${arch} at ${optimization}, DWARF ${dwarf}: variables through the debug map`, async () => {
    const folder = await Deno.makeTempDir();
    try {
      const path = await build(options, folder);
      const core = `${folder}/core`;
      await Deno.writeFile(core, await coreOf(path, arch, 4));
      const expected = everything(core);
      await Deno.remove(`${path}.dSYM`, { recursive: true });
      const found = everything(core);
      console.log(`${expected.frames.flat().length} variables, ${expected.globals.length} globals`);
      assert(expected.frames.flat().length > 100 && expected.globals.length > 0);
      assertEquals(found.globals, expected.globals);
      assertEquals(found.frames, expected.frames);
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  });
}
