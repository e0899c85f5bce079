/** The data of a symbol table file in checked blocks. */

import { FormatError } from "../../errors.ts";
import type { ByteSource } from "../../macho/mod.ts";
import type { MstHeader } from "./layout.ts";
import { xxh32 } from "./xxh32.ts";

/** Blocks of the data, by number from 0. Each is as long as the header says, but for the last. */
export interface Blocks {
  /** Throws {@linkcode FormatError} for a damaged one. */
  block(number: number): Uint8Array;
}

/** Where a block is, and where its checksum. */
export interface BlockPlace {
  /** Bytes from the start of the file. */
  readonly offset: number;
  readonly size: number;
  /** The block of checksums which has this one's, and where in it. */
  readonly sumBlock: number;
  readonly sumAt: number;
}

/** Where blocks are, and whether they are what they should be. */
export class BlockMap {
  readonly header: MstHeader;
  readonly #file: string;
  readonly #size: number;

  constructor(header: MstHeader, file: string) {
    this.header = header;
    this.#file = file;
    this.#size = 2 ** header.blockShift;
  }

  /** Blocks of data. */
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

  /** Where a block of checksums is. */
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

/** Blocks kept in memory, at most so many: the oldest go first. */
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

/** Blocks to keep of a file that is at hand: 8 MiB. Fewer cost more memory, as garbage, than they save. */
const LOCAL_ROOM = 512;
/** Blocks of checksums, each for 64 MiB of data. */
const SUMS_ROOM = 64;

/** Blocks read when they are needed. */
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

  /** Reads and checks a block, and keeps it not. */
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
