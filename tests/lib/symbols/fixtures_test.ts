/** The demo program's images, as built: the functions of its known call chains are there, each with
 * its name, on every architecture. */

import { assert, assertEquals } from "@std/assert";
import { CPU_TYPE, Image, type Section } from "../../../lib/macho/mod.ts";
import { Symbolizer } from "../../../lib/symbols/mod.ts";

const fixtures = new URL("../../../examples/demo/", import.meta.url);

const architectures = {
  x86_64: CPU_TYPE.X86_64,
  "x86_64-chained": CPU_TYPE.X86_64,
  arm64: CPU_TYPE.ARM64,
  armv7: CPU_TYPE.ARM,
  i386: CPU_TYPE.I386,
};

type Chains = Record<string, [image: string, name: string, count?: number][]>;

async function load(folder: string, name: string, loadAddress?: bigint): Promise<Image> {
  const bytes = await Deno.readFile(new URL(`${folder}/${name}`, fixtures));
  return Image.fromFile(bytes, name, { loadAddress });
}

async function chains(): Promise<Chains> {
  return JSON.parse(await Deno.readTextFile(new URL("chains.json", fixtures))).chains;
}

function textOf({ segments }: Image): Section {
  return segments.flatMap(({ sections }) => sections).find(({ name }) => name === "__text")!;
}

for (const [folder, cpuType] of Object.entries(architectures)) {
  Deno.test(`${folder}: every function of the chains is found, and found again by address`, async () => {
    const demo = await load(folder, "demo");
    const workers = await load(folder, "libworkers.dylib", 0x2000_0000n);
    assertEquals([demo.cpuType, workers.cpuType], [cpuType, cpuType]);
    assertEquals([demo.warnings, workers.warnings], [[], []]);
    assert(demo.uuid !== null && workers.uuid !== null && demo.uuid !== workers.uuid);
    assert(demo.dylibs.some(({ name }) => name.endsWith("libworkers.dylib")));
    const symbolizer = new Symbolizer([demo, workers]);
    for (const frames of Object.values(await chains())) {
      for (const [imageName, name] of frames) {
        const [{ image, symbol }] = symbolizer.lookup(name);
        assertEquals(image.name, imageName);
        assertEquals(symbol.name, name);
        assert(symbol.size > 0);
        for (const offset of [0, 1, symbol.size >> 1, symbol.size - 1]) {
          const found = symbolizer.resolve(symbol.address + BigInt(offset));
          assertEquals([found.image?.name, found.symbol?.name, found.offset], [
            imageName,
            name,
            offset,
          ]);
        }
        assert(symbolizer.resolve(symbol.address + BigInt(symbol.size)).symbol?.name !== name);
      }
    }
    assertEquals([demo.warnings, workers.warnings], [[], []]);
  });
}

for (const folder of ["x86_64", "arm64"]) {
  Deno.test(`${folder}, stripped: exported names or none, never a neighbour's`, async () => {
    for (const name of ["demo", "libworkers.dylib"]) {
      const whole = await load(folder, name);
      const stripped = await load(`${folder}-stripped`, name);
      const text = textOf(whole);
      assertEquals(textOf(stripped).vmAddress, text.vmAddress);
      assertEquals(textOf(stripped).size, text.size);
      let named = 0;
      let nameless = 0;
      for (let offset = 0; offset < text.size; offset += 4) {
        const address = text.address + BigInt(offset);
        const truth = whole.symbolAt(address);
        const found = stripped.symbolAt(address);
        assertEquals(found?.offset, truth?.offset);
        if (found?.symbol) {
          assertEquals(found.symbol.name, truth?.symbol?.name);
          named++;
        } else {
          nameless++;
        }
      }
      assert(nameless > 0, "stripping took some names");
      assert(named > 0 || stripped.symbols.count <= 1, "exported names stay");
    }
  });
}
