/** Memory that was copied while its target was stopped. */
import type { AddressRange } from "../macho/walking.ts";
import type { ValueMemory } from "../values/mod.ts";

/** The smallest page of the supported systems. A page is in one mapping. */
const PAGE = 4096;

/** Pages of a target's memory, copied while it was stopped.
 *
 * Until it is {@linkcode freeze frozen}, what is read is copied first. */
export class CopiedMemory implements ValueMemory {
  readonly pointerSize: 4 | 8;
  readonly #memory: ValueMemory;
  readonly #pages = new Map<bigint, Uint8Array>();
  readonly #limit: number;
  #bytes = 0;
  #isFrozen = false;
  #isFull = false;

  /** Copies nothing yet.
   *
   * @param limit maximum number of bytes
   */
  constructor(memory: ValueMemory, limit: number) {
    this.#memory = memory;
    this.#limit = limit;
    this.pointerSize = memory.pointerSize;
  }

  /** Number of bytes that were copied. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Whether something was not copied for want of room. */
  get isFull(): boolean {
    return this.#isFull;
  }

  /** The pages that were looked at, in the order of the looks. */
  get pages(): readonly bigint[] {
    return [...this.#pages.keys()];
  }

  /** Copies pages.
   *
   * @returns whether there was room and time for all
   */
  take(pages: Iterable<bigint>, milliseconds: number): boolean {
    const deadline = performance.now() + milliseconds;
    for (const page of pages) {
      if (performance.now() >= deadline) return false;
      if (!this.#pages.has(page) && this.#copy(page) === undefined) return false;
    }
    return true;
  }

  /** What was copied, in rising order. */
  get ranges(): AddressRange[] {
    const ranges: { start: bigint; end: bigint }[] = [];
    const pages = [...this.#pages].filter(([, { length }]) => length > 0)
      .sort(([a], [b]) => a < b ? -1 : 1);
    for (const [start, { length }] of pages) {
      const last = ranges.at(-1);
      const end = start + BigInt(length);
      if (last?.end === start) last.end = end;
      else ranges.push({ start, end });
    }
    return ranges;
  }

  /** Copies nothing more: from now on {@linkcode readUpTo} knows what was copied alone. */
  freeze(): void {
    this.#isFrozen = true;
  }

  /** Whether all bytes at an address were looked at while the target was stopped. */
  has(address: bigint, length: number): boolean {
    const last = address + BigInt(Math.max(length, 1)) - 1n;
    for (let page = startOf(address); page <= last; page += BigInt(PAGE)) {
      const bytes = this.#pages.get(page);
      if (bytes === undefined) return false;
      if (bytes.length < PAGE) return true; // Nothing after it is read.
    }
    return true;
  }

  /** At most `length` bytes, up to the first that is unreadable. */
  readUpTo(address: bigint, length: number): Uint8Array {
    const into = new Uint8Array(length);
    let at = 0;
    while (at < length) {
      const next = address + BigInt(at);
      const page = startOf(next);
      const bytes = this.#pages.get(page) ?? this.#copy(page);
      if (bytes === undefined) {
        // No room is left. What is looked at next still has to be right.
        if (this.#isFrozen) break;
        const rest = this.#memory.readUpTo(next, length - at);
        into.set(rest, at);
        at += rest.length;
        break;
      }
      const part = bytes.subarray(Number(next - page), Number(next - page) + length - at);
      into.set(part, at);
      at += part.length;
      if (bytes.length < PAGE) break;
    }
    return into.subarray(0, at);
  }

  #copy(page: bigint): Uint8Array | undefined {
    if (this.#isFrozen) return undefined;
    if (this.#bytes + PAGE > this.#limit) {
      this.#isFull = true;
      return undefined;
    }
    const bytes = this.#memory.readUpTo(page, PAGE);
    this.#pages.set(page, bytes);
    this.#bytes += bytes.length;
    return bytes;
  }
}

/** Memory of a running target, of which pages are read that should have been copied. */
export class MissedMemory implements ValueMemory {
  readonly pointerSize: 4 | 8;
  readonly #memory: ValueMemory;
  readonly #pages = new Set<bigint>();

  constructor(memory: ValueMemory) {
    this.#memory = memory;
    this.pointerSize = memory.pointerSize;
  }

  /** The pages that were read, in the order of the reads. */
  get pages(): readonly bigint[] {
    return [...this.#pages];
  }

  /** At most `length` bytes, up to the first that is unreadable. They lead to what may have to be copied too. */
  readUpTo(address: bigint, length: number): Uint8Array {
    const end = address + BigInt(length);
    // A function has no size.
    const first = length === 0 ? end : startOf(address);
    for (let page = first; page < end; page += BigInt(PAGE)) this.#pages.add(page);
    return this.#memory.readUpTo(address, length);
  }
}

function startOf(address: bigint): bigint {
  return address - address % BigInt(PAGE);
}
