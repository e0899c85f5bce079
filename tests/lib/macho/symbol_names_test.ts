import { assert, assertEquals } from "@std/assert";
import { Image } from "../../../lib/macho/mod.ts";

const path = (name: string) => new URL(`../../../examples/demo/${name}`, import.meta.url).pathname;

for (const file of ["x86_64/libworkers.dylib", "armv7/demo", "x86_64-stripped/libworkers.dylib"]) {
  Deno.test(`names that begin so: ${file}`, async () => {
    const bytes = await Deno.readFile(path(file));
    const all = [...Image.fromFile(bytes, file).symbols].map(({ name, rawName }) => ({
      name,
      rawName,
    }));
    const image = Image.fromFile(bytes, file);
    assert(all.length > 3);
    for (const read of [false, true]) {
      // Once out of the symbol table alone, and once when all is read and sorted.
      if (read) assertEquals(image.symbols.count, all.length);
      for (const prefix of ["", "s", "spin_", "_spin", "_", "__", "nosuch", "w"]) {
        const expected = new Set(
          all.flatMap(({ name, rawName }) =>
            name.startsWith(prefix) ? [name] : rawName.startsWith(prefix) ? [rawName] : []
          ),
        );
        const { names, more } = image.symbolNames(prefix, 1000);
        assertEquals([new Set(names), more], [expected, 0], prefix);
        if (expected.size > 1) {
          const some = image.symbolNames(prefix, 1);
          assertEquals([some.names.length, some.more], [1, expected.size - 1]);
        }
      }
    }
  });
}
