/** The data of a symbol table file, in blocks with checksums. */

import { FormatError } from "../../errors.ts";
import type { ByteSource } from "../../macho/mod.ts";
import type { MstHeader } from "./layout.ts";
import { xxh32 } from "./xxh32.ts";

/** Access to the blocks of the data by number. All but the last have the size that the header gives. */
export interface Blocks {
  /** A block; throws {@linkcode FormatError} if it is damaged. */
  block(number: number): Uint8Array;
}

/** The places of a block and of its checksum. */
export interface BlockPlace {
  /** Offset in the file. */
  readonly offset: number;
  readonly size: number;
  /** The block of checksums with that of this block, and the offset in it. */
  readonly sumBlock: number;
  readonly sumAt: number;
}

/** Finds and checks blocks. */
export class BlockMap {
  readonly header: MstHeader;
  readonly #file: string;
  readonly #size: number;

  constructor(header: MstHeader, file: string) {
    this.header = header;
    this.#file = file;
    this.#size = 2 ** header.blockShift;
  }

  /** Number of blocks of data. */
  get count(): number {
    return Math.ceil(this.header.data.size / this.#size);
  }

  place(number: number): BlockPlace {
    const { data } = this.header;
    const start = number * this.#size;
    const sum = 4 * number;
    const sumBlock = Math.floor(sum / this.#size);
    return {
      offset: data.offset + start,
      size: Math.min(this.#size, data.size - start),
      sumBlock,
      sumAt: sum - sumBlock * this.#size,
    };
  }

  /** The place of a block of checksums. */
  sumPlace(number: number): { readonly offset: number; readonly size: number } {
    const { sums } = this.header;
    const start = number * this.#size;
    return { offset: sums.offset + start, size: Math.min(this.#size, sums.size - start) };
  }

  /** Checks a block of checksums. */
  checkSums(number: number, bytes: Uint8Array): void {
    const { offset, size } = this.sumPlace(number);
    this.#check(bytes, offset, size, number, this.header.roots[number]);
  }

  /** Checks a block of data. */
  check(number: number, bytes: Uint8Array, sums: Uint8Array): void {
    const { offset, size, sumAt } = this.place(number);
    const view = new DataView(sums.buffer, sums.byteOffset, sums.length);
    this.#check(bytes, offset, size, number, view.getUint32(sumAt, true));
  }

  #check(bytes: Uint8Array, offset: number, size: number, seed: number, sum: number): void {
    if (bytes.length !== size) {
      throw new FormatError(this.#file, offset + bytes.length, "more: the file is cut short");
    }
    if (xxh32(bytes, seed) !== sum) {
      throw new FormatError(this.#file, offset, `${size} bytes of the right checksum`);
    }
  }
}

/** Keeps a limited number of blocks in memory. The oldest is dropped first. */
export class BlockCache {
  readonly #blocks = new Map<number, Uint8Array>();
  readonly #room: number;

  constructor(room: number) {
    this.#room = room;
  }

  get(number: number): Uint8Array | undefined {
    return this.#blocks.get(number);
  }

  set(number: number, bytes: Uint8Array): void {
    if (this.#blocks.size >= this.#room) {
      const [oldest] = this.#blocks.keys();
      this.#blocks.delete(oldest);
    }
    this.#blocks.set(number, bytes);
  }
}

/** Maximum number of blocks kept of a local file: 8 MiB. With fewer, garbage takes more memory than they save. */
const LOCAL_ROOM = 512;
/** Maximum number of blocks of checksums kept. Each covers 64 MiB of data. */
const SUMS_ROOM = 64;

/** Blocks of a local file, read on demand. */
export class LocalBlocks implements Blocks {
  readonly #map: BlockMap;
  readonly #source: ByteSource;
  readonly #blocks = new BlockCache(LOCAL_ROOM);
  readonly #sums = new BlockCache(SUMS_ROOM);

  constructor(map: BlockMap, source: ByteSource) {
    this.#map = map;
    this.#source = source;
  }

  block(number: number): Uint8Array {
    const kept = this.#blocks.get(number);
    if (kept !== undefined) return kept;
    const bytes = this.read(number);
    this.#blocks.set(number, bytes);
    return bytes;
  }

  /** Reads and checks a block without keeping it. */
  read(number: number): Uint8Array {
    const { offset, size, sumBlock } = this.#map.place(number);
    const bytes = this.#source.read(offset, size);
    this.#map.check(number, bytes, this.#sumsOf(sumBlock));
    return bytes;
  }

  #sumsOf(number: number): Uint8Array {
    let bytes = this.#sums.get(number);
    if (bytes === undefined) {
      const { offset, size } = this.#map.sumPlace(number);
      bytes = this.#source.read(offset, size);
      this.#map.checkSums(number, bytes);
      this.#sums.set(number, bytes);
    }
    return bytes;
  }
}
