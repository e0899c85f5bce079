/** Searches the memory of a target. */
import type { Memory, Region } from "../../mod.ts";

/** Bytes read at a time. */
const chunkSize = 1 << 20;

/** The event loop runs this often: a signal must be able to end the search. */
const turnMilliseconds = 20;

/** What to search, and how to stop. */
export interface FindOptions {
  /** Where to look. */
  readonly start: bigint;
  readonly end: bigint;
  /** Maximum number of results. */
  readonly limit: number;
  /** Ends the search; the results so far are returned. */
  readonly signal: AbortSignal;
  /** Gets the bytes searched, the bytes in all, and the number of results. */
  onProgress(done: bigint, total: bigint, found: number): void;
}

/** The results of a search. */
export interface Found {
  /** Ascending. */
  readonly addresses: readonly bigint[];
  /** Whether everything was searched. */
  readonly complete: boolean;
  /** Number of bytes searched. */
  readonly searched: bigint;
}

/** The offset of `pattern` in `bytes`, from `from` on; -1 if it is not there. */
function indexOfBytes(bytes: Uint8Array, pattern: Uint8Array, from: number): number {
  const last = bytes.length - pattern.length;
  for (let at = from; (at = bytes.indexOf(pattern[0], at)) >= 0 && at <= last; at++) {
    let same = 1;
    while (same < pattern.length && bytes[at + same] === pattern[same]) same++;
    if (same === pattern.length) return at;
  }
  return -1;
}

/** Searches all readable regions; skips what cannot be read. */
export async function findBytes(
  memory: Memory,
  regions: readonly Region[],
  pattern: Uint8Array,
  options: FindOptions,
): Promise<Found> {
  const spans: { start: bigint; end: bigint }[] = [];
  for (const { address, size, protection } of regions) {
    if ((protection & 1) === 0) continue;
    const start = address > options.start ? address : options.start;
    const end = address + size < options.end ? address + size : options.end;
    if (start >= end) continue;
    // A match may begin in one region and end in the next.
    const last = spans.at(-1);
    if (last?.end === start) last.end = end;
    else spans.push({ start, end });
  }
  const total = spans.reduce((sum, { start, end }) => sum + end - start, 0n);
  const addresses: bigint[] = [];
  let done = 0n;
  let turn = performance.now();
  for (const { start, end } of spans) {
    for (let address = start; address < end;) {
      const left = end - address;
      const overlap = pattern.length - 1;
      const length = Number(
        left < BigInt(chunkSize + overlap) ? left : BigInt(chunkSize + overlap),
      );
      const bytes = memory.readUpTo(address, length);
      for (let at = 0; (at = indexOfBytes(bytes, pattern, at)) >= 0; at++) {
        addresses.push(address + BigInt(at));
        if (addresses.length >= options.limit) {
          return { addresses, complete: false, searched: done };
        }
      }
      // Past a page that cannot be read the next one may be readable.
      const step = bytes.length < length
        ? Math.min(length, Math.max(4096, bytes.length - overlap))
        : Math.min(length, chunkSize);
      address += BigInt(step);
      done += BigInt(step);
      if (performance.now() - turn > turnMilliseconds) {
        options.onProgress(done, total, addresses.length);
        await new Promise((resolve) => setTimeout(resolve));
        if (options.signal.aborted) return { addresses, complete: false, searched: done };
        turn = performance.now();
      }
    }
  }
  return { addresses, complete: true, searched: total };
}
