/** Assembles a symbol table file from its sections. */

import type { Arch } from "../../arch/mod.ts";
import {
  align,
  BLOCK_SHIFT,
  encodeHeader,
  headerSize,
  nameBytes,
  type Stretch,
  sumsSize,
} from "./layout.ts";
import { xxh32 } from "./xxh32.ts";

/** The image that a symbol table file describes. */
export interface MstIdentity {
  /** Upper case, `8-4-4-4-12`; `null` if the image has none. */
  readonly uuid: string | null;
  /** The image's architecture. */
  readonly arch: Arch;
  /** `CPU_SUBTYPE_*`. Default: 0. */
  readonly cpuSubtype?: number;
  /** The unslid address of `__TEXT`. Default: 0. */
  readonly imageBase?: bigint;
  /** Size of `__TEXT` in bytes. Default: 0. */
  readonly textSize?: number;
  /** The image's name, for display. Default: empty. */
  readonly name?: string;
}

/** Joins header, checksums and sections.
 *
 * @param contents the chunks of each section, in the order of the header
 * @returns the chunks of the file, in order
 */
export function assemble(
  identity: MstIdentity,
  functionCount: number,
  contents: readonly (readonly Uint8Array[])[],
): Uint8Array[] {
  let dataSize = 0;
  const places: Stretch[] = [];
  const chunks: Uint8Array[] = [];
  for (const section of contents) {
    let size = 0;
    for (const chunk of section) {
      size += chunk.length;
      chunks.push(chunk);
    }
    places.push({ offset: dataSize, size });
    dataSize += size;
    const padding = align(dataSize) - dataSize;
    if (padding > 0) chunks.push(new Uint8Array(padding));
    dataSize += padding;
  }
  const { name = "" } = identity;
  const sums = checksums(chunks, dataSize);
  const roots = checksums([sums], sums.length);
  const rootWords = new Uint32Array(roots.length / 4);
  const rootView = new DataView(roots.buffer, roots.byteOffset, roots.length);
  rootWords.forEach((_, index) => rootWords[index] = rootView.getUint32(4 * index, true));
  const sumsAt = headerSize(rootWords.length, nameBytes(name).length);
  const dataAt = align(sumsAt + sums.length);
  const header = encodeHeader({
    uuid: identity.uuid,
    arch: identity.arch,
    cpuSubtype: identity.cpuSubtype ?? 0,
    imageBase: identity.imageBase ?? 0n,
    textSize: identity.textSize ?? 0,
    name,
    functionCount,
    blockShift: BLOCK_SHIFT,
    sums: { offset: sumsAt, size: sums.length },
    data: { offset: dataAt, size: dataSize },
    roots: rootWords,
    sections: places.map(({ offset, size }) => ({ offset: dataAt + offset, size })),
  });
  return [header, sums, new Uint8Array(dataAt - sumsAt - sums.length), ...chunks]
    .filter(({ length }) => length > 0);
}

/** The checksum of each block of the joined chunks, with the block's number as seed. */
function checksums(chunks: readonly Uint8Array[], size: number): Uint8Array {
  const blockSize = 1 << BLOCK_SHIFT;
  const sums = new DataView(new ArrayBuffer(sumsSize(size, BLOCK_SHIFT)));
  const block = new Uint8Array(blockSize);
  let used = 0;
  let number = 0;
  const finish = (bytes: Uint8Array) => {
    sums.setUint32(4 * number, xxh32(bytes, number), true);
    number++;
  };
  for (const chunk of chunks) {
    let at = 0;
    while (at < chunk.length) {
      if (used === 0 && chunk.length - at >= blockSize) {
        finish(chunk.subarray(at, at + blockSize));
        at += blockSize;
        continue;
      }
      const taken = chunk.subarray(at, at + blockSize - used);
      block.set(taken, used);
      used += taken.length;
      at += taken.length;
      if (used < blockSize) continue;
      finish(block);
      used = 0;
    }
  }
  if (used > 0) finish(block.subarray(0, used));
  return new Uint8Array(sums.buffer);
}
