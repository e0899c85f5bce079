/** Places of types by name, in the tables of a dSYM, against llvm-dwarfdump; and DWARF 4's type units. */
import { assert, assertEquals } from "@std/assert";
import { DwarfInfo, DwarfSections } from "../../lib/dwarf/mod.ts";
import { AT, EntryReader, TAG, typeTables } from "../../lib/dwarf/variables.ts";
import { dwarfPlaces, readElf } from "../../lib/elf/mod.ts";
import { bytesSource, Image } from "../../lib/macho/mod.ts";
import { build } from "./variables/programs.ts";
import { run } from "./run.ts";

async function infoOf(path: string): Promise<DwarfInfo> {
  const file = bytesSource(await Deno.readFile(path), path);
  const image = Image.fromSource(file);
  const sections = DwarfSections.find(file, image.segments.flatMap(({ sections }) => sections))!;
  return DwarfInfo.open(sections, { base: image.loadAddress });
}

const types: ReadonlySet<string> = new Set([
  ...["base_type", "typedef", "structure_type", "class_type", "union_type", "enumeration_type"],
  ...["unspecified_type", "pointer_type"],
]);

for (const dwarf of [4, 5] as const) {
  Deno.test(`the places of types by name, DWARF ${dwarf}, are llvm-dwarfdump's`, async () => {
    const folder = await Deno.makeTempDir();
    try {
      const options = { arch: "arm64", source: "types.cpp", optimization: "-O0", dwarf } as const;
      const path = await build(options, folder);
      const dsym = `${path}.dSYM/Contents/Resources/DWARF/${path.slice(path.lastIndexOf("/") + 1)}`;
      const section = dwarf === 4 ? "--apple-types" : "--debug-names";
      const dump = await run("llvm-dwarfdump-19", [section, dsym]);
      assert(dump.length > 1000);
      const { reader } = await infoOf(dsym);
      const tables = typeTables(reader.sections)!;
      const names = new Set(
        [...dump.matchAll(/String: 0x[\da-f]+ "(.*)"/g)].map(([, name]) => name),
      );
      assert(names.size > 10, `${names.size}`);
      let found = 0;
      for (const name of names) {
        // Each entry with its tag: `0x00000123: DW_TAG_structure_type`.
        const places = (await run("llvm-dwarfdump-19", [`--find=${name}`, dsym]))
          .matchAll(/^0x([\da-f]+): +DW_TAG_(\w+)/gm);
        const expected = new Set(
          [...places].filter(([, , tag]) => types.has(tag)).map(([, place]) => parseInt(place, 16)),
        );
        const own = tables.places(name).sort((a, b) => a - b);
        assertEquals(own, [...expected].sort((a, b) => a - b), name);
        found += own.length;
      }
      assert(found > 10);
      assertEquals(tables.places("no such type"), []);
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  });
}

Deno.test("the types of DWARF 4's type units are found by their signatures", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const source = "struct S { int a; struct T { short b[3]; } t; }; S s; S::T t; int main() {}";
    await Deno.writeTextFile(`${folder}/a.cpp`, source);
    const options = ["-gdwarf-4", "-fdebug-types-section", "-target", "x86_64-linux-gnu"];
    const path = `${folder}/a.so`;
    const link = ["-shared", "-nostdlib", "-fuse-ld=/usr/bin/ld.lld-19", "-fPIC"];
    await run("clang-19", [...options, ...link, `${folder}/a.cpp`, "-o", path]);
    const file = bytesSource(await Deno.readFile(path), "a.so");
    const info = DwarfInfo.open(DwarfSections.find(file, dwarfPlaces(readElf(file)))!, {
      base: 0n,
    });
    const entries = new EntryReader(info);
    const variables = info.units.flatMap((unit) => {
      const root = entries.root(unit.offset + unit.entries)!;
      return [...entries.children(root)].filter(({ tag }) => tag === TAG.variable);
    });
    const shown = variables.map((variable) => {
      const declared = variable.referenced(AT.type)!;
      const type = declared.referenced(AT.signature) ?? declared;
      return [variable.name, type.name, type.number(AT.byte_size)];
    });
    assertEquals(shown, [["s", "S", 12], ["t", "T", 6]]);
    assertEquals(info.warnings, []);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
