/** Debug maps: functions and lines from object files and archives are those that llvm-symbolizer has
 * from the dSYM which dsymutil makes of them. */
import { assert, assertEquals } from "@std/assert";
import { files } from "../../ffi/files.ts";
import { UnitLookup } from "../../lib/dwarf/mod.ts";
import { DebugMap } from "../../lib/macho/mod.ts";
import { DebugMapInfo } from "../../lib/symbols/mod.ts";
import { imagesIn } from "../../lib/symbols/mod.ts";
import { largeDylib } from "./large_dsym.ts";
import { chain, compareChains, everyOffset, openSubject, randomOffsets } from "./symbolizer.ts";

const fixtures = new URL("../fixtures/", import.meta.url).pathname;

/** Opens the debug map of a binary. */
function openMap(path: string): DebugMapInfo {
  const file = files.open(path);
  const [{ bytes, image }] = imagesIn(file);
  const map = DebugMap.read({
    bytes,
    loadCommands: image.loadCommands,
    pointerSize: image.pointerSize,
    linkedAddress: -image.slide,
  });
  assert(map !== null, `${path} has no debug map`);
  return new DebugMapInfo(map, {
    path: path,
    uuid: image.uuid,
    cpuType: image.cpuType,
    files,
  });
}

Deno.test("every address of the fixtures, object files and an archive's member", async () => {
  for (const arch of ["x86_64", "arm64"]) {
    const folder = `${fixtures}inlines/${arch}`;
    const dsym = `${folder}/dsym/inlines.dSYM/Contents/Resources/DWARF/inlines`;
    using map = openMap(`${folder}/inlines`);
    using subject = openSubject(dsym);
    const offsets = everyOffset(subject, 1);
    const { known, inlined } = await compareChains(
      subject,
      offsets,
      dsym,
      offsets.map((offset) => map.framesAt(offset)),
    );
    assert(known > 100 && inlined > 10, `${known} ${inlined}`);
    assertEquals(map.warnings, []);
  }
});

Deno.test("20,000 random addresses of twelve large object files, DWARF 4 and 5", async () => {
  const { dylib, dsym } = await largeDylib();
  using map = openMap(dylib);
  using subject = openSubject(dsym);
  const offsets = randomOffsets(subject, 20_000).sort((a, b) => a - b);
  const { known, inlined } = await compareChains(
    subject,
    offsets,
    dsym,
    offsets.map((offset) => map.framesAt(offset)),
  );
  assert(known > 19_000 && inlined > 5000, `${known} ${inlined}`);
  assertEquals(map.warnings, []);
});

Deno.test("the units as they lie in the image say the same as their object files", async () => {
  const { dylib, dsym } = await largeDylib();
  for (const path of [`${fixtures}inlines/x86_64/inlines`, dylib]) {
    using map = openMap(path);
    using subject = openSubject(
      path === dylib
        ? dsym
        : `${fixtures}inlines/x86_64/dsym/inlines.dSYM/Contents/Resources/DWARF/inlines`,
    );
    const offsets = path === dylib ? randomOffsets(subject, 2000) : everyOffset(subject, 1);
    const lookups = [...map.units()].map((unit) => UnitLookup.of(unit));
    let known = 0;
    for (const offset of offsets) {
      const wanted = chain(map.framesAt(offset));
      const found = lookups.map((lookup) => chain(lookup.framesAt(offset)))
        .filter((frames) => frames.length > 0);
      assertEquals(found, wanted.length > 0 ? [wanted] : [], `${path} 0x${offset.toString(16)}`);
      known += found.length;
    }
    assert(known > offsets.length / 2);
  }
});
