/** Reads the memory that goes into a core, piece by piece. */
import type { FileSink } from "../file_system.ts";
import { corePage, type CorePart } from "./save_core_plan.ts";

/** Fills `into` from `address`, and returns how many bytes could be read. */
type ReadInto = (address: bigint, into: Uint8Array) => number;

/** Size of one read. */
const pieceSize = 1 << 20;

/** How long reading may take before the program checks whether it has to stop. */
const turnMilliseconds = 50;

/** The parts as far as they can be read. The core's header, which is written first, has their sizes. A
 * file that was truncated after it was mapped has an end that cannot be read. */
export function readableParts(
  parts: readonly CorePart[],
  readInto: ReadInto,
  warn: (text: string) => void,
): CorePart[] {
  const byte = new Uint8Array(1);
  const page = BigInt(corePage);
  const canRead = (address: bigint) => readInto(address, byte) === 1;
  return parts.flatMap((part) => {
    const { start } = part;
    if (!canRead(start)) {
      warn(`0x${start.toString(16)}-0x${part.end.toString(16)} cannot be read: it is left out`);
      return [];
    }
    if (canRead(part.end - 1n)) return [part];
    let readable = start;
    let end = part.end - page;
    while (end - readable > page) {
      const middle = readable + (end - readable) / page / 2n * page;
      if (canRead(middle)) readable = middle;
      else end = middle;
    }
    warn(`0x${end.toString(16)}-0x${part.end.toString(16)} cannot be read: it is left out`);
    return [{ ...part, end }];
  });
}

/** Parts whose memory was copied, in rising order. */
export class CopiedParts {
  readonly #parts: (CorePart & { readonly pieces: readonly Uint8Array[] })[] = [];

  /** The parts. */
  get parts(): readonly CorePart[] {
    return this.#parts;
  }

  /** Copies more parts, and merges them into those that there are. */
  async add(parts: readonly CorePart[], options: ReadPartsOptions): Promise<void> {
    let pieces: Uint8Array[] = [];
    const added = parts.map((part) => ({ ...part, pieces: [] as Uint8Array[] }));
    let at = -1;
    await readParts(parts, (bytes, index) => {
      if (index !== at) pieces = added[at = index].pieces;
      pieces.push(bytes);
    }, { ...options, keeps: true });
    for (const part of added) this.#parts.push(part);
    this.#parts.sort((a, b) => a.start < b.start ? -1 : 1);
  }

  /** Reads from the copies as from memory. */
  readonly readInto: ReadInto = (address, into) => {
    let done = 0;
    let index = this.#indexOf(address);
    for (; done < into.length && index < this.#parts.length; index++) {
      const { start, end, pieces } = this.#parts[index];
      const next = address + BigInt(done);
      if (next < start || next >= end) break;
      for (let at = Number(next - start); at < Number(end - start) && done < into.length;) {
        const piece = pieces[Math.floor(at / pieceSize)];
        const part = piece.subarray(at % pieceSize).subarray(0, into.length - done);
        into.set(part, done);
        at += part.length;
        done += part.length;
      }
    }
    return done;
  };

  /** The first part that ends after an address. */
  #indexOf(address: bigint): number {
    let low = 0;
    let high = this.#parts.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#parts[middle].end <= address) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Writes all of them, one after the other. */
  write(sink: FileSink): void {
    for (const { pieces } of this.#parts) {
      for (const piece of pieces) writePages(piece, sink);
    }
  }
}

/** How {@linkcode readParts} reads. */
export interface ReadPartsOptions {
  readonly readInto: ReadInto;
  readonly warn: (text: string) => void;
  readonly onProgress: ((done: number, total: number) => void) | undefined;
  readonly signal: AbortSignal | undefined;
  /** The number of bytes that were read before, of the same core. Default: 0. */
  readonly before?: number;
  /** Whether the pieces are kept. Otherwise they are all in one buffer. */
  readonly keeps?: boolean;
}

/** Reads all parts, in pieces. What cannot be read becomes zeros and a warning. */
export async function readParts(
  parts: readonly CorePart[],
  take: (piece: Uint8Array, part: number) => void,
  { readInto, warn, onProgress, signal, before = 0, keeps = false }: ReadPartsOptions,
): Promise<void> {
  const total = before + sizeOf(parts);
  let done = before;
  let turn = performance.now();
  const buffer = new Uint8Array(keeps ? 0 : pieceSize);
  if (before === 0) onProgress?.(0, total);
  for (const [index, { start, end }] of parts.entries()) {
    for (let at = start; at < end;) {
      const wanted = Math.min(pieceSize, Number(end - at));
      const bytes = keeps ? new Uint8Array(wanted) : buffer.subarray(0, wanted);
      const unreadable = fill(readInto, at, bytes);
      if (unreadable > 0) {
        warn(
          `0x${at.toString(16)}-0x${(at + BigInt(wanted)).toString(16)}: ` +
            `${unreadable} bytes cannot be read: they are zeros`,
        );
      }
      take(bytes, index);
      at += BigInt(wanted);
      done += wanted;
      onProgress?.(done, total);
      if (performance.now() - turn > turnMilliseconds) {
        await new Promise((resolve) => setTimeout(resolve));
        signal?.throwIfAborted();
        turn = performance.now();
      }
    }
  }
}

/** Reads what can be read of `bytes`, page by page where not all can. The rest is zero.
 *
 * @returns how many bytes could not be read
 */
function fill(readInto: ReadInto, address: bigint, bytes: Uint8Array): number {
  let done = readInto(address, bytes);
  let missing = 0;
  while (done < bytes.length) {
    const next = Math.min(bytes.length, (Math.floor(done / corePage) + 1) * corePage);
    bytes.fill(0, done, next);
    missing += next - done;
    done = next;
    if (done < bytes.length) done += readInto(address + BigInt(done), bytes.subarray(done));
  }
  return missing;
}

/** The size of some parts, in bytes. */
export function sizeOf(parts: readonly CorePart[]): number {
  return parts.reduce((sum, { start, end }) => sum + Number(end - start), 0);
}

/** Writes pages that are not all zeros, and skips the others. */
export function writePages(bytes: Uint8Array, sink: FileSink): void {
  const words = new Int32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
  const pageWords = corePage / 4;
  for (let at = 0; at < words.length;) {
    const zero = isZero(words, at);
    let end = at + pageWords;
    while (end < words.length && isZero(words, end) === zero) end += pageWords;
    if (zero) sink.skip((end - at) * 4);
    else sink.write(bytes.subarray(at * 4, end * 4));
    at = end;
  }
}

/** Whether the page at `start` is all zeros. */
function isZero(words: Int32Array, start: number): boolean {
  const end = start + corePage / 4;
  for (let at = start; at < end; at += 8) {
    const any = words[at] | words[at + 1] | words[at + 2] | words[at + 3] |
      words[at + 4] | words[at + 5] | words[at + 6] | words[at + 7];
    if (any !== 0) return false;
  }
  return true;
}
