/** Reads the memory that goes into a core, piece by piece. */
import type { CoreWriter } from "./save_core_writer.ts";
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

/** How {@linkcode readParts} reads. */
export interface ReadPartsOptions {
  readonly readInto: ReadInto;
  readonly warn: (text: string) => void;
  readonly onProgress: ((done: number, total: number) => void) | undefined;
  readonly signal: AbortSignal | undefined;
}

/** Reads all parts into the writer, whole pages of zeros as holes. What cannot be read becomes zeros and
 * a warning. */
export async function readParts(
  parts: readonly CorePart[],
  writer: CoreWriter,
  { readInto, warn, onProgress, signal }: ReadPartsOptions,
): Promise<void> {
  const total = parts.reduce((sum, { start, end }) => sum + Number(end - start), 0);
  let done = 0;
  let turn = performance.now();
  const buffer = new Uint8Array(writer.keeping ? 0 : pieceSize);
  onProgress?.(0, total);
  for (const { start, end } of parts) {
    for (let at = start; at < end;) {
      const wanted = Math.min(pieceSize, Number(end - at));
      // Bytes kept for later must not be overwritten.
      const bytes = writer.keeping ? new Uint8Array(wanted) : buffer.subarray(0, wanted);
      const unreadable = fill(readInto, at, bytes);
      if (unreadable > 0) {
        warn(
          `0x${at.toString(16)}-0x${(at + BigInt(wanted)).toString(16)}: ` +
            `${unreadable} bytes cannot be read: they are zeros`,
        );
      }
      writePages(bytes, writer);
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

/** Writes pages that are not all zeros, and skips the others. */
function writePages(bytes: Uint8Array, writer: CoreWriter): void {
  const words = new Int32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
  const pageWords = corePage / 4;
  for (let at = 0; at < words.length;) {
    const zero = isZero(words, at);
    let end = at + pageWords;
    while (end < words.length && isZero(words, end) === zero) end += pageWords;
    if (zero) writer.skip((end - at) * 4);
    else writer.write(bytes.subarray(at * 4, end * 4));
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
