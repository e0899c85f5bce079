/** Pages of memory that does not change, read once for all images that share them. */

import type { MemoryReader } from "./types.ts";

/** Bytes of a page. A smaller page costs more reads; of a larger one nearly all is names of functions
 * that nobody asks for. */
const PAGE = 4096;

/** The most pages that are kept: 8 MiB. */
const MAX_PAGES = 2048;

const caches = new WeakMap<MemoryReader, PageCache>();

/** Reads memory by pages and keeps those used last. Hundreds of images of the dyld shared cache have one
 * string table in common, of which a backtrace needs a few hundred names. */
export class PageCache {
  readonly #memory: MemoryReader;
  /** By page number; the page used last is the map's last. */
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
   * @throws MemoryReadError when a page of them cannot be read
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
