/** A remote symbol table file: on a web server, or in an object store. */

import type { RawText } from "../../escape.ts";
import { FormatError } from "../../errors.ts";
import type { SourceFrame } from "../../dwarf/mod.ts";
import { BlockCache, BlockMap, type Blocks } from "./blocks.ts";
import { HEADER_READ, headerSizeIn, type MstHeader, parseHeader } from "./layout.ts";
import { type MstFunction, MstLookup } from "./lookup.ts";
import { infoOf, type MstInfo } from "./mst_file.ts";

/** An asynchronous source of bytes at any offset, such as a file on a web server that answers range requests.
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
  /** The file's address, for messages. */
  readonly name: RawText;
  /** Size in bytes. */
  readonly size: number;
  /** The bytes at `offset`; fewer than `length` only at the end of the file. */
  read(offset: number, length: number): Promise<Uint8Array>;
}

/** Maximum number of blocks kept: 16 MiB. */
const ROOM = 1024;
const SUMS_ROOM = 64;
/** Maximum number of blocks per lookup. */
const MAX_BLOCKS = 1 << 12;

/** Opens a remote symbol table file. A lookup fetches the few blocks of 16 KiB that it needs, each once.
 *
 * @throws {FormatError} when it is not a symbol table file, has another version, is truncated, or its header
 * is damaged; and what the source throws
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

/** Reads at most `length` bytes of a stream and cancels the rest: a server may send more than it was asked for.
 *
 * @param stream for example the body of a response; `null` is empty
 * @returns fewer bytes if the stream ends early
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

/** A remote symbol table file. {@linkcode openRemoteMst} makes it.
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
  /** The file's address. */
  readonly path: RawText;
  /** The image that it describes. */
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

  /** The functions at an offset, innermost first; empty if none is known.
   *
   * @param offset offset from the image's base, the address of `__TEXT`
   * @throws {FormatError} when the file is damaged; and what the source throws
   */
  async framesAt(offset: number): Promise<readonly SourceFrame[]> {
    return await this.#blocks.run(() => this.#lookup.framesAt(offset));
  }

  /** The function at an offset, ignoring inlined calls; `null` if none is known.
   *
   * @throws {FormatError} when the file is damaged; and what the source throws
   */
  async functionAt(offset: number): Promise<MstFunction | null> {
    return await this.#blocks.run(() => this.#lookup.functionAt(offset));
  }
}

/** Thrown when a lookup needs a block that has not been fetched. */
class Missing {
  /** @ignore */
  constructor(readonly block: number) {}
}

/** Blocks of a remote file. A lookup that needs a missing block is interrupted and repeated when it has arrived. */
class RemoteBlocks implements Blocks {
  readonly #map: BlockMap;
  readonly #source: AsyncByteSource;
  readonly #kept = new BlockCache(ROOM);
  readonly #sums = new BlockCache(SUMS_ROOM);
  readonly #coming = new Map<number, Promise<Uint8Array>>();
  readonly #sumsComing = new Map<number, Promise<Uint8Array>>();
  /** The blocks that the current lookup has fetched: they must stay until it ends. */
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

/** Fetches a block, or joins a fetch of it that is under way. */
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
