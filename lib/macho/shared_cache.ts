/** Local symbols of the dyld shared cache, from its files on disk.
 *
 * The images of the cache have no local symbols: the cache builder moves them to a file beside the
 * cache, `dyld_shared_cache_arm64e.symbols`, or to the end of the cache itself before macOS 12 and
 * iOS 15. Format: `dyld_cache_format.h` of dyld. */

import { FormatError } from "../errors.ts";
import { formatUuid } from "../hex.ts";
import type { ByteSource } from "./bytes.ts";
import { StringTable } from "./strings.ts";
import type { SymbolColumns } from "./symbol_table.ts";
import { Nlists, nlistSize } from "./symtab.ts";

/** Offsets into `struct dyld_cache_header`. */
const HEADER = {
  mappingOffset: 0x10,
  localSymbolsOffset: 0x48,
  localSymbolsSize: 0x50,
  uuid: 0x58,
  imagesTextOffset: 0x88,
  imagesTextCount: 0x90,
  sharedRegionStart: 0xe0,
  symbolFileUuid: 0x190,
  end: 0x1a0,
} as const;

/** Bytes of `struct dyld_cache_image_text_info`. */
const IMAGE_TEXT_SIZE = 32;
/** Bytes of `struct dyld_cache_local_symbols_info`. */
const LOCAL_SYMBOLS_SIZE = 24;
/** More images than any cache has, and more symbols than any image: beyond them is damage. */
const MAX_IMAGES = 1 << 16;
const MAX_SYMBOLS = 1 << 22;

/** What the header of a cache file says. */
interface CacheHeader {
  readonly uuid: string;
  readonly view: DataView;
  /** The size of the header in this file: fields beyond it are missing in files of older systems.
   */
  readonly size: number;
}

/** Whether bytes are the start of a file of the dyld shared cache. */
export function isSharedCache(head: Uint8Array): boolean {
  return head.length >= 16 && new TextDecoder("latin1").decode(head.subarray(0, 7)) === "dyld_v1";
}

function readHeader(file: ByteSource): CacheHeader {
  const bytes = file.read(0, HEADER.end);
  if (!isSharedCache(bytes) || bytes.length < HEADER.end) {
    throw new FormatError(file.name, 0, "a dyld shared cache");
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  return {
    view,
    uuid: formatUuid(bytes.subarray(HEADER.uuid, HEADER.uuid + 16)),
    // The mappings follow the header.
    size: view.getUint32(HEADER.mappingOffset, true),
  };
}

function numberAt(view: DataView, offset: number): number {
  return Number(view.getBigUint64(offset, true));
}

/** An image of a cache. */
interface CachedImage {
  /** Where `__TEXT` is, from the cache's start. */
  readonly offset: number;
  /** Without the cache's slide. */
  readonly loadAddress: bigint;
}

/** The images of a cache by UUID, and their local symbols. */
export class SharedCacheSymbols {
  /** The UUID of the file with the local symbols; that of the cache itself when they are in it. */
  readonly symbolsUuid: string;
  readonly #cache: ByteSource;
  readonly #isSplit: boolean;
  readonly #images = new Map<string, CachedImage>();
  #locals: LocalSymbols | null | undefined;

  /** Reads which images there are.
   *
   * @param cache the first file of the cache, `dyld_shared_cache_arm64e`; the caller closes it
   * @throws FormatError when it is not a shared cache
   */
  constructor(cache: ByteSource) {
    this.#cache = cache;
    const { view, uuid, size } = readHeader(cache);
    this.#isSplit = size >= HEADER.end;
    const start = view.getBigUint64(HEADER.sharedRegionStart, true);
    const symbols = new Uint8Array(view.buffer, view.byteOffset + HEADER.symbolFileUuid, 16);
    this.symbolsUuid = this.#isSplit && symbols.some((byte) => byte !== 0)
      ? formatUuid(symbols)
      : uuid;
    const count = numberAt(view, HEADER.imagesTextCount);
    if (count > MAX_IMAGES) throw new FormatError(cache.name, HEADER.imagesTextCount, "images");
    const bytes = cache.read(numberAt(view, HEADER.imagesTextOffset), count * IMAGE_TEXT_SIZE);
    const infos = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    for (let at = 0; at + IMAGE_TEXT_SIZE <= bytes.length; at += IMAGE_TEXT_SIZE) {
      const loadAddress = infos.getBigUint64(at + 16, true);
      this.#images.set(formatUuid(bytes.subarray(at, at + 16)), {
        loadAddress,
        offset: Number(loadAddress - start),
      });
    }
  }

  /** Whether the image with that UUID is in the cache. */
  has(uuid: string): boolean {
    return this.#images.has(uuid);
  }

  /** Takes the file with the local symbols.
   *
   * @param symbols `dyld_shared_cache_arm64e.symbols`, or the cache file itself; the caller closes
   * it
   * @returns whether it is the one that belongs to this cache
   * @throws FormatError when it is not a file of a shared cache, or is damaged
   */
  open(symbols: ByteSource = this.#cache): boolean {
    const { view, uuid } = readHeader(symbols);
    if (uuid !== this.symbolsUuid) return false;
    const offset = numberAt(view, HEADER.localSymbolsOffset);
    const size = numberAt(view, HEADER.localSymbolsSize);
    this.#locals = size === 0 ? null : new LocalSymbols(symbols, offset, this.#isSplit);
    return this.#locals !== null;
  }

  /** The local symbols of an image; `null` when there are none.
   *
   * @param uuid of the image
   */
  columns(uuid: string): SymbolColumns | null {
    const image = this.#images.get(uuid);
    return image === undefined ? null : this.#locals?.columns(image) ?? null;
  }
}

/** `struct dyld_cache_local_symbols_info` and what it leads to. */
class LocalSymbols {
  readonly #file: ByteSource;
  readonly #nlistsOffset: number;
  readonly #stringsOffset: number;
  readonly #stringsSize: number;
  /** By an image's offset from the cache's start. */
  readonly #entries = new Map<number, { readonly first: number; readonly count: number }>();

  constructor(file: ByteSource, offset: number, isSplit: boolean) {
    this.#file = file;
    const head = file.read(offset, LOCAL_SYMBOLS_SIZE);
    if (head.length < LOCAL_SYMBOLS_SIZE) throw new FormatError(file.name, offset, "local symbols");
    const view = new DataView(head.buffer, head.byteOffset, head.length);
    const [nlists, , strings, stringsSize, entries, count] = Array.from(
      { length: 6 },
      (_, index) => view.getUint32(4 * index, true),
    );
    this.#nlistsOffset = offset + nlists;
    this.#stringsOffset = offset + strings;
    this.#stringsSize = stringsSize;
    if (count > MAX_IMAGES) throw new FormatError(file.name, offset + 20, "a number of images");
    // dyld_cache_local_symbols_entry_64 and, before caches were split,
    // dyld_cache_local_symbols_entry.
    const size = isSplit ? 16 : 12;
    const bytes = file.read(offset + entries, count * size);
    const rows = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    for (let at = 0; at + size <= bytes.length; at += size) {
      const dylibOffset = isSplit ? numberAt(rows, at) : rows.getUint32(at, true);
      const first = rows.getUint32(at + size - 8, true);
      this.#entries.set(dylibOffset, { first, count: rows.getUint32(at + size - 4, true) });
    }
  }

  /** The symbols of an image; `null` when there are none. */
  columns({ offset, loadAddress }: CachedImage): SymbolColumns | null {
    const entry = this.#entries.get(offset);
    if (entry === undefined || entry.count === 0) return null;
    const pointerSize = 8;
    const at = this.#nlistsOffset + entry.first * nlistSize(pointerSize);
    const size = Math.min(entry.count, MAX_SYMBOLS) * nlistSize(pointerSize);
    const nlists = new Nlists(
      this.#file.read(at, size),
      pointerSize,
      loadAddress,
      this.#stringsSize,
    );
    const columns = nlists.between(-Infinity, Infinity, false);
    const names = new StringTable(
      0,
      this.#stringsSize,
      (offset, size) => this.#file.read(this.#stringsOffset + offset, size),
      { atOnce: 0, chunk: 1 << 14 },
    );
    return { ...columns, names };
  }
}
