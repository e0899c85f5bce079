/** Local symbols in the files of the shared cache, laid out as `dyld_cache_format.h` of dyld has them. */
import { assertEquals, assertThrows } from "@std/assert";
import { FormatError } from "../../../lib/errors.ts";
import { uuidBytes } from "../../../lib/hex.ts";
import { bytesSource, Image, isSharedCache, SharedCacheSymbols } from "../../../lib/macho/mod.ts";
import { buildImage } from "./build_image.ts";
import {
  CACHE,
  header,
  LOCALS,
  OTHER,
  putImages,
  putLocals,
  splitCache,
  SYMBOLS,
} from "./cache_files.ts";

const IMAGE = "4C4C44B5-5555-3144-A1F5-3D9A0A2B6C3D";
const locals = [
  { name: "_helper", address: 0x1040n },
  { name: "-[Thing doIt]", address: 0x1080n },
];

const source = (bytes: Uint8Array, name = "dyld_shared_cache_arm64e") => bytesSource(bytes, name);

/** An image of the cache as it is in a process: of its two functions one is exported. */
function cachedImage(): Image {
  const bytes = buildImage({
    flags: 0x80000000,
    sections: [{ segment: "__TEXT", name: "__text", offset: 0x1000, size: 0x1000 }],
    symbols: [{ name: "_exported", offset: 0x1000, type: 0x0f }],
    functionStarts: [0x1000, 0x1040, 0x1080],
    exports: [{ name: "_exported", offset: 0x1000 }],
    uuid: uuidBytes(IMAGE),
  });
  const base = 0x1_9000_0000n;
  return Image.fromMemory(
    {
      read: (address, length) => {
        const at = Number(address - base);
        return bytes.slice(at, at + length);
      },
    },
    base,
    "/usr/lib/libthing.dylib",
  );
}

Deno.test("local symbols of an image, by its UUID, in a split cache and in an older one", () => {
  const { cache, symbols } = splitCache(IMAGE, locals);
  const whole = header(CACHE, (view) => {
    view.setUint32(0x10, 0x138, true);
    view.setBigUint64(0x48, BigInt(LOCALS), true);
    view.setBigUint64(0x50, 0x400n, true);
  });
  putImages(whole, IMAGE);
  putLocals(whole, locals, false);

  const split = new SharedCacheSymbols(source(cache));
  assertEquals([split.symbolsUuid, split.has(IMAGE), split.has(CACHE)], [SYMBOLS, true, false]);
  assertEquals(split.open(source(symbols, "dyld_shared_cache_arm64e.symbols")), true);
  const older = new SharedCacheSymbols(source(whole));
  assertEquals([older.symbolsUuid, older.open()], [CACHE, true]);

  for (const symbols of [split, older]) {
    assertEquals(symbols.columns(OTHER), null);
    const image = cachedImage();
    const names = () =>
      [0x1010n, 0x1050n, 0x1090n].map((offset) => {
        const match = image.symbolAt(image.loadAddress + offset);
        return match && [match.symbol?.name ?? null, match.offset];
      });
    assertEquals(names(), [["exported", 0x10], [null, 0x10], [null, 0x10]]);
    image.addLocalSymbols(symbols.columns(IMAGE)!);
    assertEquals(names(), [["exported", 0x10], ["helper", 0x10], ["-[Thing doIt]", 0x10]]);
  }
});

Deno.test("a file of local symbols of another cache is refused", () => {
  const { cache, symbols } = splitCache(IMAGE, locals);
  symbols.set(uuidBytes(OTHER), 0x58);
  const split = new SharedCacheSymbols(source(cache));
  assertEquals(split.open(source(symbols)), false);
  assertEquals(split.columns(IMAGE), null);
  assertEquals(isSharedCache(cache), true);
  assertThrows(() => new SharedCacheSymbols(source(new Uint8Array(0x200))), FormatError, "cache");
});

Deno.test("damaged cache files end in a FormatError or without symbols", () => {
  const { cache, symbols } = splitCache(IMAGE, locals);
  for (let at = 0; at < 0x800; at++) {
    for (const file of [cache, symbols]) {
      const was = file[at];
      file[at] ^= 0xff;
      try {
        const read = new SharedCacheSymbols(source(cache));
        if (read.open(source(symbols))) void read.columns(IMAGE)?.count;
      } catch (error) {
        if (!(error instanceof FormatError)) throw error;
      }
      file[at] = was;
    }
  }
});
