/** Memory read from a stub, kept by pages. */
import type { Wanted } from "./stub_memory.ts";

const pageSize = 4096;

/** Reads ranges in one batch; each result ends before the first byte that cannot be read. */
export type ReadRanges = (ranges: readonly Wanted[]) => Uint8Array[];

/** Maximum number of pages kept: 64 MiB. Beyond it all are dropped. */
const maxPages = 1 << 14;
/** Larger reads are not kept. */
const maxKept = 1 << 20;

/** Pages that were read. A page is read once. */
export class Pages {
  readonly #read: ReadRanges;
  readonly #ahead: number;
  /** By address. A short one is unreadable from its end on. */
  readonly #pages = new Map<bigint, Uint8Array>();

  /** @param ahead number of pages read at once where one is missing: they cost no further round trip */
  constructor(read: ReadRanges, ahead: number) {
    this.#read = read;
    this.#ahead = ahead;
  }

  /** Forgets all pages. */
  clear(): void {
    this.#pages.clear();
  }

  /** Reads the pages of ranges that were not read before, in one batch. */
  fetch(ranges: Iterable<Wanted>): void {
    const missing: bigint[] = [];
    const asked = new Set<bigint>();
    for (const { address, length } of ranges) {
      if (length <= 0) continue;
      const end = address + BigInt(length);
      for (let page = pageOf(address); page < end; page += BigInt(pageSize)) {
        if (asked.size >= maxPages) break;
        if (this.#pages.has(page) || asked.has(page)) continue;
        asked.add(page);
        missing.push(page);
      }
    }
    if (missing.length === 0) return;
    if (this.#pages.size + missing.length > maxPages) this.#pages.clear();
    const runs = runsOf(missing);
    for (const [index, bytes] of this.#read(runs).entries()) {
      const { address, length } = runs[index];
      for (let at = 0; at < length; at += pageSize) {
        // The reply does not say what follows an unreadable page.
        if (at > bytes.length) break;
        this.#pages.set(address + BigInt(at), bytes.subarray(at, at + pageSize));
      }
    }
  }

  /** Fills `into`, and returns how many bytes could be read.
   *
   * @param most whether pages that are missing may be read
   */
  readInto(address: bigint, into: Uint8Array, most = true): number {
    if (most && into.length > maxKept) {
      const [bytes] = this.#read([{ address, length: into.length }]);
      into.set(bytes);
      return bytes.length;
    }
    for (let done = 0; done < into.length;) {
      const from = address + BigInt(done);
      const page = pageOf(from);
      let bytes = this.#pages.get(page);
      if (bytes === undefined && most) {
        const length = Math.max(this.#ahead * pageSize, Number(from - page) + into.length - done);
        this.fetch([{ address: page, length }]);
        bytes = this.#pages.get(page);
      }
      if (bytes === undefined) return done;
      const part = bytes.subarray(Number(from - page), Number(from - page) + into.length - done);
      into.set(part, done);
      done += part.length;
      if (bytes.length < pageSize) return done;
    }
    return into.length;
  }
}

function pageOf(address: bigint): bigint {
  return address - address % BigInt(pageSize);
}

/** Joins pages that follow each other. */
function runsOf(pages: bigint[]): Wanted[] {
  pages.sort((a, b) => a < b ? -1 : a > b ? 1 : 0);
  const runs: { address: bigint; length: number }[] = [];
  for (const page of pages) {
    const last = runs.at(-1);
    if (last !== undefined && last.address + BigInt(last.length) === page) last.length += pageSize;
    else runs.push({ address: page, length: pageSize });
  }
  return runs;
}
