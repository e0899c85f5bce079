import { MemoryReadError } from "../errors.ts";

/** The unit of caching: the smallest page of the supported systems, so that a cached page never extends
 * beyond one mapping. */
const pageSize = 4096;

/** Fills `into` from `address`, and returns how many bytes could be read. */
export type ReadInto = (address: bigint, into: Uint8Array) => number;

/** The memory of a target, by address.
 *
 * @example
 * ```ts
 * import { attach } from "@machpause/machpause";
 *
 * using target = attach("MyApp");
 * const { memory, images: [program] } = target;
 * console.log(memory.readU32(program.loadAddress).toString(16)); // feedfacf
 * ```
 */
export class Memory {
  /** Bytes of a pointer. */
  readonly pointerSize: 4 | 8;
  /** Whether it lacks some of what the target had, as in a core: what cannot be read may have been there. */
  readonly isPartial: boolean;
  readonly #readInto: ReadInto;
  readonly #writeAll: ((address: bigint, bytes: Uint8Array) => void) | undefined;
  #pages: Map<bigint, Uint8Array> | undefined;

  /** Reads and writes through two functions.
   *
   * @param readInto reads as much as it can
   * @param write writes all of it or throws; without it the memory is read-only
   * @param isPartial whether it lacks some of what the target had
   * @ignore
   */
  constructor(
    readInto: ReadInto,
    pointerSize: 4 | 8,
    write?: (address: bigint, bytes: Uint8Array) => void,
    isPartial = false,
  ) {
    this.isPartial = isPartial;
    this.#readInto = readInto;
    this.pointerSize = pointerSize;
    this.#writeAll = write;
  }

  /** While on, small reads are served from cached pages. It is only correct while nothing in the target
   * runs. Switching it either way empties the cache. */
  set caching(on: boolean) {
    this.#pages = on ? new Map() : undefined;
  }

  /** Reads exactly `length` bytes.
   *
   * @param into at least `length` bytes, which may be filled and returned in part
   * @throws MemoryReadError when any of them is unreadable
   */
  read(address: bigint, length: number, into?: Uint8Array): Uint8Array {
    const bytes = this.readUpTo(address, length, into);
    if (bytes.length < length) throw new MemoryReadError(address, length);
    return bytes;
  }

  /** Reads at most `length` bytes, up to the first one that is unreadable.
   *
   * @param into at least `length` bytes, which may be filled and returned in part
   */
  readUpTo(address: bigint, length: number, into?: Uint8Array): Uint8Array {
    if (!Number.isSafeInteger(length) || length < 0) {
      throw new RangeError(`a length of ${length} bytes`);
    }
    if (this.#pages !== undefined) {
      const page = address & ~BigInt(pageSize - 1);
      const start = Number(address - page);
      if (start + length <= pageSize) {
        const bytes = this.#page(page);
        if (bytes.length === pageSize) return bytes.slice(start, start + length);
      }
    }
    const bytes = into?.subarray(0, length) ?? new Uint8Array(length);
    return bytes.subarray(0, this.#readInto(address, bytes));
  }

  #page(address: bigint): Uint8Array {
    const pages = this.#pages!;
    let bytes = pages.get(address);
    if (bytes === undefined) {
      const into = new Uint8Array(pageSize);
      bytes = into.subarray(0, this.#readInto(address, into));
      pages.set(address, bytes);
    }
    return bytes;
  }

  /** Writes all of `bytes`.
   *
   * @throws MachError when any of it is not writable; what was written before stays
   */
  write(address: bigint, bytes: Uint8Array): void {
    if (this.#writeAll === undefined) throw new TypeError("this memory is read-only");
    try {
      this.#writeAll(address, bytes);
    } finally {
      if (this.#pages !== undefined) this.#pages = new Map();
    }
  }

  #view(address: bigint, length: number): DataView {
    const bytes = this.read(address, length);
    return new DataView(bytes.buffer, bytes.byteOffset, length);
  }

  /** One byte. */
  readU8(address: bigint): number {
    return this.#view(address, 1).getUint8(0);
  }

  /** Two bytes, little-endian. */
  readU16(address: bigint): number {
    return this.#view(address, 2).getUint16(0, true);
  }

  /** Four bytes, little-endian. */
  readU32(address: bigint): number {
    return this.#view(address, 4).getUint32(0, true);
  }

  /** Eight bytes, little-endian. */
  readU64(address: bigint): bigint {
    return this.#view(address, 8).getBigUint64(0, true);
  }

  /** A pointer, as it is in memory: pointer authentication is not removed. */
  readPointer(address: bigint): bigint {
    return this.pointerSize === 8 ? this.readU64(address) : BigInt(this.readU32(address));
  }

  /** The text up to the first zero byte, or to the end of what is readable.
   *
   * @param limit bytes at most
   * @throws MemoryReadError when not even the first byte is readable
   */
  readCString(address: bigint, limit = 4096): string {
    const parts: Uint8Array[] = [];
    let length = 0;
    while (length < limit) {
      // One page at a time: a string near the end of a mapping must not read what follows it.
      const at = address + BigInt(length);
      const ask = Math.min(limit - length, pageSize - Number(at & BigInt(pageSize - 1)));
      const bytes = this.readUpTo(at, ask);
      const end = bytes.indexOf(0);
      parts.push(end < 0 ? bytes : bytes.subarray(0, end));
      length += parts.at(-1)!.length;
      if (end >= 0 || bytes.length < ask) break;
    }
    if (length === 0 && this.readUpTo(address, 1).length === 0) {
      throw new MemoryReadError(address, 1);
    }
    const all = new Uint8Array(length);
    let at = 0;
    for (const part of parts) {
      all.set(part, at);
      at += part.length;
    }
    return new TextDecoder().decode(all);
  }
}
