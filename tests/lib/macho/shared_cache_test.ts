/** Local symbols in the files of the shared cache, laid out as `dyld_cache_format.h` of dyld has them. */
import { assertEquals, assertThrows } from "@std/assert";
import { FormatError } from "../../../lib/errors.ts";
import { uuidBytes } from "../../../lib/hex.ts";
import { bytesSource, Image, isSharedCache, SharedCacheSymbols } from "../../../lib/macho/mod.ts";
import { buildImage } from "./build_image.ts";

const IMAGE = "4C4C44B5-5555-3144-A1F5-3D9A0A2B6C3D";
const OTHER = "4C4C44B5-5555-3144-A1F5-000000000001";
const CACHE = "4C4C44B5-5555-3144-A1F5-000000000002";
const SYMBOLS = "4C4C44B5-5555-3144-A1F5-000000000003";
const start = 0x1_8000_0000n;

const locals = [
  { name: "_helper", address: 0x1040n },
  { name: "-[Thing doIt]", address: 0x1080n },
];

/** Where things are in these files. */
const IMAGES_TEXT = 0x200;
const LOCALS = 0x400;

function header(uuid: string, fields: (view: DataView) => void): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(0x1000);
  bytes.set(new TextEncoder().encode("dyld_v1  arm64e"));
  bytes.set(uuidBytes(uuid), 0x58);
  const view = new DataView(bytes.buffer);
  // mappingOffset: the header's size
  view.setUint32(0x10, 0x1c8, true);
  // sharedRegionStart
  view.setBigUint64(0xe0, start, true);
  fields(view);
  return bytes;
}

/** `dyld_cache_local_symbols_info` at {@linkcode LOCALS}, with `dyld_cache_local_symbols_entry_64` or, in
 * caches that are not split, `dyld_cache_local_symbols_entry`. */
function putLocals(bytes: Uint8Array<ArrayBuffer>, imageOffset: bigint, isSplit: boolean): void {
  const view = new DataView(bytes.buffer);
  const [nlists, strings, entries] = [0x40, 0x140, 0x240];
  const text = new TextEncoder().encode(`\0${locals.map(({ name }) => name).join("\0")}\0`);
  bytes.set(text, LOCALS + strings);
  [nlists, 1 + locals.length, strings, text.length, entries, 1]
    .forEach((value, index) => view.setUint32(LOCALS + 4 * index, value, true));
  let name = 1;
  locals.forEach((local, index) => {
    // The first entry is another image's.
    const at = LOCALS + nlists + 16 * (index + 1);
    view.setUint32(at, name, true);
    view.setUint16(at + 4, 0x010e, true);
    view.setBigUint64(at + 8, start + imageOffset + local.address, true);
    name += local.name.length + 1;
  });
  const at = LOCALS + entries;
  if (isSplit) view.setBigUint64(at, imageOffset, true);
  else view.setUint32(at, Number(imageOffset), true);
  view.setUint32(at + (isSplit ? 8 : 4), 1, true);
  view.setUint32(at + (isSplit ? 12 : 8), locals.length, true);
}

const imageOffset = 0x5_0000n;

/** `dyld_cache_image_text_info` of two images. */
function putImages(bytes: Uint8Array<ArrayBuffer>): void {
  const view = new DataView(bytes.buffer);
  view.setBigUint64(0x88, BigInt(IMAGES_TEXT), true);
  view.setBigUint64(0x90, 2n, true);
  [{ uuid: OTHER, offset: 0x1_0000n }, { uuid: IMAGE, offset: imageOffset }].forEach(
    ({ uuid, offset }, index) => {
      bytes.set(uuidBytes(uuid), IMAGES_TEXT + 32 * index);
      view.setBigUint64(IMAGES_TEXT + 32 * index + 16, start + offset, true);
    },
  );
}

function splitCache(): { cache: Uint8Array<ArrayBuffer>; symbols: Uint8Array<ArrayBuffer> } {
  const cache = header(CACHE, () => {});
  cache.set(uuidBytes(SYMBOLS), 0x190);
  putImages(cache);
  const symbols = header(SYMBOLS, (view) => {
    view.setBigUint64(0x48, BigInt(LOCALS), true);
    view.setBigUint64(0x50, 0x400n, true);
  });
  putLocals(symbols, imageOffset, true);
  return { cache, symbols };
}

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
  const { cache, symbols } = splitCache();
  const whole = header(CACHE, (view) => {
    view.setUint32(0x10, 0x138, true);
    view.setBigUint64(0x48, BigInt(LOCALS), true);
    view.setBigUint64(0x50, 0x400n, true);
  });
  putImages(whole);
  putLocals(whole, imageOffset, false);

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
  const { cache, symbols } = splitCache();
  symbols.set(uuidBytes(OTHER), 0x58);
  const split = new SharedCacheSymbols(source(cache));
  assertEquals(split.open(source(symbols)), false);
  assertEquals(split.columns(IMAGE), null);
  assertEquals(isSharedCache(cache), true);
  assertThrows(() => new SharedCacheSymbols(source(new Uint8Array(0x200))), FormatError, "cache");
});

Deno.test("damaged cache files end in a FormatError or without symbols", () => {
  const { cache, symbols } = splitCache();
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
