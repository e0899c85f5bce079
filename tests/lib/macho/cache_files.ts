/** Files of a dyld shared cache with the local symbols of one image, laid out as `dyld_cache_format.h` of dyld
 * has them. */
import { uuidBytes } from "../../../lib/hex.ts";

export const OTHER = "4C4C44B5-5555-3144-A1F5-000000000001";
export const CACHE = "4C4C44B5-5555-3144-A1F5-000000000002";
export const SYMBOLS = "4C4C44B5-5555-3144-A1F5-000000000003";
const start = 0x1_8000_0000n;

/** A local symbol, at an offset from its image's header. */
export interface Local {
  readonly name: string;
  readonly address: bigint;
}

/** Where things are in these files. */
const IMAGES_TEXT = 0x200;
export const LOCALS = 0x400;

export function header(uuid: string, fields: (view: DataView) => void): Uint8Array<ArrayBuffer> {
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
export function putLocals(
  bytes: Uint8Array<ArrayBuffer>,
  locals: readonly Local[],
  isSplit: boolean,
): void {
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
export function putImages(bytes: Uint8Array<ArrayBuffer>, image: string): void {
  const view = new DataView(bytes.buffer);
  view.setBigUint64(0x88, BigInt(IMAGES_TEXT), true);
  view.setBigUint64(0x90, 2n, true);
  [{ uuid: OTHER, offset: 0x1_0000n }, { uuid: image, offset: imageOffset }].forEach(
    ({ uuid, offset }, index) => {
      bytes.set(uuidBytes(uuid), IMAGES_TEXT + 32 * index);
      view.setBigUint64(IMAGES_TEXT + 32 * index + 16, start + offset, true);
    },
  );
}

export function splitCache(
  image: string,
  locals: readonly Local[],
): { cache: Uint8Array<ArrayBuffer>; symbols: Uint8Array<ArrayBuffer> } {
  const cache = header(CACHE, () => {});
  cache.set(uuidBytes(SYMBOLS), 0x190);
  putImages(cache, image);
  const symbols = header(SYMBOLS, (view) => {
    view.setBigUint64(0x48, BigInt(LOCALS), true);
    view.setBigUint64(0x50, 0x400n, true);
  });
  putLocals(symbols, locals, true);
  return { cache, symbols };
}
