/** A cache of immutable memory by pages, shared by all images that map it. */

import type { MemoryReader } from "./types.ts";

/** Size of a page, in bytes. Smaller pages cost more reads; larger ones hold mostly names that are
 * not needed. */
const PAGE = 4096;

/** Maximum number of pages: 8 MiB. */
const MAX_PAGES = 2048;

const caches = new WeakMap<MemoryReader, PageCache>();

/** Reads memory by pages and keeps the most recently used. Hundreds of images of the dyld shared
 * cache share one string table, of which a backtrace needs a few hundred names. */
export class PageCache {
  readonly #memory: MemoryReader;
  /** By page number, in order of use; the most recently used is last. */
  readonly #pages = new Map<bigint, Uint8Array>();

  private constructor(memory: MemoryReader) {
    this.#memory = memory;
  }

  /** The cache of a target's memory: the same for all images that are read through `memory`. */
  static of(memory: MemoryReader): PageCache {
    let cache = caches.get(memory);
    if (cache === undefined) caches.set(memory, cache = new PageCache(memory));
    return cache;
  }

  /** The bytes at `address`.
   *
   * @throws MemoryReadError when one of their pages cannot be read
   */
  read(address: bigint, length: number): Uint8Array {
    const first = this.#rest(address);
    if (first.length >= length) return first.subarray(0, length);
    const bytes = new Uint8Array(length);
    let done = 0;
    for (let part = first; done < length; part = this.#rest(address + BigInt(done))) {
      bytes.set(part.subarray(0, length - done), done);
      done += part.length;
      if (done >= length) break;
    }
    return bytes;
  }

  /** The bytes from `address` to the end of its page. */
  #rest(address: bigint): Uint8Array {
    const number = address / BigInt(PAGE);
    const start = number * BigInt(PAGE);
    let page = this.#pages.get(number);
    if (page === undefined) {
      page = this.#memory.read(start, PAGE);
      const [oldest] = this.#pages.keys();
      if (this.#pages.size >= MAX_PAGES) this.#pages.delete(oldest);
    } else {
      this.#pages.delete(number);
    }
    this.#pages.set(number, page);
    return page.subarray(Number(address - start));
  }
}
