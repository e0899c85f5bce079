/** A symbol table file that is elsewhere: on a web server, in an object store. */

import { FormatError } from "../../errors.ts";
import type { SourceFrame } from "../../dwarf/mod.ts";
import { BlockCache, BlockMap, type Blocks } from "./blocks.ts";
import { HEADER_READ, headerSizeIn, type MstHeader, parseHeader } from "./layout.ts";
import { type MstFunction, MstLookup } from "./lookup.ts";
import { infoOf, type MstInfo } from "./mst_file.ts";

/** Something with bytes that can be had from any place, in a while: a file on a web server, by range
 * requests.
 *
 * @example
 * ```ts
 * import { type AsyncByteSource, openRemoteMst } from "@machpause/machpause/symbols";
 *
 * declare const blob: Blob; // from a form, say
 * const source: AsyncByteSource = {
 *   name: "MyApp.mst",
 *   size: blob.size,
 *   read: async (offset, length) =>
 *     new Uint8Array(await blob.slice(offset, offset + length).arrayBuffer()),
 * };
 * console.log((await openRemoteMst(source)).info.name);
 * ```
 */
export interface AsyncByteSource {
  /** For messages: the file's address. Not safe to print raw. */
  readonly name: string;
  /** Bytes. */
  readonly size: number;
  /** The bytes at `offset`: fewer than `length` only where the file ends. */
  read(offset: number, length: number): Promise<Uint8Array>;
}

/** Blocks to keep: 16 MiB. */
const ROOM = 1024;
const SUMS_ROOM = 64;
/** No lookup needs more blocks, one after another. */
const MAX_BLOCKS = 1 << 12;

/** Opens a symbol table file that is read by ranges. A lookup fetches the few blocks of 16 KiB that
 * it needs, each once.
 *
 * @throws {FormatError} when it is no symbol table file, of another version, cut short, or its header
 * damaged; and whatever the source throws
 *
 * @example
 * ```ts
 * import { openRemoteMst, readAtMost } from "@machpause/machpause/symbols";
 *
 * const url = "https://symbols.example/4C4C44B5-5555-3144-A1F5-3D9A0A2B6C3D-arm64.mst";
 * const size = Number((await fetch(url, { method: "HEAD" })).headers.get("content-length"));
 * const file = await openRemoteMst({
 *   name: url,
 *   size,
 *   async read(offset, length) {
 *     const range = `bytes=${offset}-${offset + length - 1}`;
 *     return await readAtMost((await fetch(url, { headers: { range } })).body, length);
 *   },
 * });
 * console.log(await file.framesAt(0x4b38));
 * ```
 */
export async function openRemoteMst(source: AsyncByteSource): Promise<RemoteMst> {
  const { name, size } = source;
  let bytes = await source.read(0, Math.min(HEADER_READ, size));
  const needed = headerSizeIn(bytes, name);
  if (needed > bytes.length) bytes = await source.read(0, Math.min(needed, size));
  return new RemoteMst(source, parseHeader(bytes, name, size));
}

/** Reads a stream up to a number of bytes, and cancels what is left of it: an answer may be of any length,
 * whatever was asked for.
 *
 * @param stream such as the body of a response; `null` has no bytes
 * @returns fewer bytes where the stream ends before
 *
 * @example
 * ```ts
 * import { readAtMost } from "@machpause/machpause/symbols";
 *
 * const { body } = await fetch("https://symbols.example/MyApp.mst");
 * const head = await readAtMost(body, 4096);
 * ```
 */
export async function readAtMost(
  stream: ReadableStream<Uint8Array> | null,
  length: number,
): Promise<Uint8Array> {
  if (stream === null) return new Uint8Array();
  const bytes = new Uint8Array(length);
  const reader = stream.getReader();
  let at = 0;
  while (at < length) {
    const { done, value } = await reader.read();
    if (done) break;
    bytes.set(value.subarray(0, length - at), at);
    at = Math.min(length, at + value.length);
  }
  await reader.cancel();
  return bytes.subarray(0, at);
}

/** A symbol table file that is elsewhere. Got from {@linkcode openRemoteMst}.
 *
 * @example
 * ```ts
 * import { openRemoteMst, type RemoteMst } from "@machpause/machpause/symbols";
 *
 * const bytes = await Deno.readFile("MyApp.mst");
 * const file: RemoteMst = await openRemoteMst({
 *   name: "MyApp.mst",
 *   size: bytes.length,
 *   read: (offset, length) => Promise.resolve(bytes.subarray(offset, offset + length)),
 * });
 * console.log(file.info.functionCount, await file.functionAt(0x4b38));
 * ```
 */
export class RemoteMst {
  /** Where it is. Not safe to print raw. */
  readonly path: string;
  /** What it says of itself. */
  readonly info: MstInfo;
  readonly #blocks: RemoteBlocks;
  readonly #lookup: MstLookup;

  /** For {@linkcode openRemoteMst}.
   *
   * @ignore
   */
  constructor(source: AsyncByteSource, header: MstHeader) {
    this.path = source.name;
    this.info = infoOf(header);
    this.#blocks = new RemoteBlocks(new BlockMap(header, source.name), source);
    this.#lookup = new MstLookup(header, this.#blocks, source.name);
  }

  /** The functions at an offset, innermost first; empty when none is known.
   *
   * @param offset bytes from the image's base, its `__TEXT` segment's address
   * @throws {FormatError} where the file is damaged; and whatever the source throws
   */
  async framesAt(offset: number): Promise<readonly SourceFrame[]> {
    return await this.#blocks.run(() => this.#lookup.framesAt(offset));
  }

  /** The function whose code is at an offset, and not what is inlined in it; `null` when none is
   * known.
   *
   * @throws {FormatError} where the file is damaged; and whatever the source throws
   */
  async functionAt(offset: number): Promise<MstFunction | null> {
    return await this.#blocks.run(() => this.#lookup.functionAt(offset));
  }
}

/** Thrown where a lookup needs a block that is not here yet. */
class Missing {
  /** @ignore */
  constructor(readonly block: number) {}
}

/** Blocks that are fetched. A lookup that wants one is broken off, and made again when it is here. */
class RemoteBlocks implements Blocks {
  readonly #map: BlockMap;
  readonly #source: AsyncByteSource;
  readonly #kept = new BlockCache(ROOM);
  readonly #sums = new BlockCache(SUMS_ROOM);
  readonly #coming = new Map<number, Promise<Uint8Array>>();
  readonly #sumsComing = new Map<number, Promise<Uint8Array>>();
  /** What the lookup that is running has fetched: whatever else goes, this must not. */
  #own = new Map<number, Uint8Array>();

  /** @ignore */
  constructor(map: BlockMap, source: AsyncByteSource) {
    this.#map = map;
    this.#source = source;
  }

  block(number: number): Uint8Array {
    const bytes = this.#own.get(number) ?? this.#kept.get(number);
    if (bytes === undefined) throw new Missing(number);
    this.#own.set(number, bytes);
    return bytes;
  }

  async run<T>(look: () => T): Promise<T> {
    const own = new Map<number, Uint8Array>();
    while (own.size < MAX_BLOCKS) {
      let missing: number;
      try {
        this.#own = own;
        return look();
      } catch (error) {
        if (!(error instanceof Missing)) throw error;
        missing = error.block;
      }
      own.set(missing, await this.#fetch(missing));
    }
    throw new FormatError(
      this.#source.name,
      0,
      `a file of which a lookup needs ${MAX_BLOCKS} blocks`,
    );
  }

  #fetch(number: number): Promise<Uint8Array> {
    const { offset, size, sumBlock } = this.#map.place(number);
    return shared(this.#coming, number, async () => {
      const [bytes, sums] = await Promise.all([
        this.#source.read(offset, size),
        this.#fetchSums(sumBlock),
      ]);
      this.#map.check(number, bytes, sums);
      this.#kept.set(number, bytes);
      return bytes;
    });
  }

  async #fetchSums(number: number): Promise<Uint8Array> {
    const kept = this.#sums.get(number);
    if (kept !== undefined) return kept;
    return await shared(this.#sumsComing, number, async () => {
      const { offset, size } = this.#map.sumPlace(number);
      const bytes = await this.#source.read(offset, size);
      this.#map.checkSums(number, bytes);
      this.#sums.set(number, bytes);
      return bytes;
    });
  }
}

/** What is being fetched already is not fetched twice. */
async function shared(
  coming: Map<number, Promise<Uint8Array>>,
  number: number,
  fetch: () => Promise<Uint8Array>,
): Promise<Uint8Array> {
  let promise = coming.get(number);
  if (promise === undefined) {
    promise = fetch();
    coming.set(number, promise);
  }
  try {
    return await promise;
  } finally {
    coming.delete(number);
  }
}
