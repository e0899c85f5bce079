import { MemoryReadError } from "../errors.ts";
import type { DyldInfo } from "./kernel.ts";
import type { Memory } from "./memory.ts";

/** Where the fields of `struct dyld_all_image_infos` (`<mach-o/dyld_images.h>`) lie. */
interface Layout {
  readonly pointerSize: 4 | 8;
  readonly infoArray: number;
  readonly libSystemInitialized: number;
  readonly dyldImageLoadAddress: number;
  readonly infoArrayChangeTimestamp: number;
  readonly dyldPath: number;
  readonly size: number;
}

const layout64: Layout = {
  pointerSize: 8,
  infoArray: 8,
  libSystemInitialized: 25,
  dyldImageLoadAddress: 32,
  infoArrayChangeTimestamp: 184,
  dyldPath: 192,
  size: 200,
};

const layout32: Layout = {
  pointerSize: 4,
  infoArray: 8,
  libSystemInitialized: 17,
  dyldImageLoadAddress: 20,
  infoArrayChangeTimestamp: 104,
  dyldPath: 112,
  size: 116,
};

/** The version that added `dyldImageLoadAddress`. */
const versionWithDyld = 2;
/** The version that added `infoArrayChangeTimestamp` and `dyldPath`. */
const versionWithTimestamp = 15;
/** Far above any version and any process's number of images. Beyond these the structure is damaged. */
const versionLimit = 1000;
const countLimit = 1 << 16;

/** The head of `dyld_all_image_infos`, which shows whether the list has changed. */
export interface ImageInfosHead {
  readonly count: number;
  /** The address of the array; 0 while dyld is changing it. */
  readonly infoArray: bigint;
  readonly dyldAddress: bigint;
  readonly dyldPathAddress: bigint;
  /** Whether the program's own code may have started to run. */
  readonly initialized: boolean;
  /** Two lists with the same key are equal. */
  readonly key: string;
}

/** Reads the head of `dyld_all_image_infos`.
 *
 * @returns the head, or in words why what is there cannot be one
 */
export function readImageInfosHead(memory: Memory, info: DyldInfo): ImageInfosHead | string {
  const layout = info.is64 ? layout64 : layout32;
  const where = `dyld_all_image_infos at 0x${info.address.toString(16)}`;
  const bytes = memory.readUpTo(info.address, layout.size);
  if (bytes.length < layout.size) return `${where} cannot be read`;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const pointer = (offset: number) =>
    layout.pointerSize === 8
      ? view.getBigUint64(offset, true)
      : BigInt(view.getUint32(offset, true));
  const version = view.getUint32(0, true);
  const count = view.getUint32(4, true);
  if (version === 0 || version > versionLimit) return `${where} is damaged: version ${version}`;
  if (count > countLimit) return `${where} is damaged: it counts ${count} images`;
  const dated = version >= versionWithTimestamp;
  const infoArray = pointer(layout.infoArray);
  const dyldAddress = version >= versionWithDyld ? pointer(layout.dyldImageLoadAddress) : 0n;
  const timestamp = dated ? view.getBigUint64(layout.infoArrayChangeTimestamp, true) : 0n;
  return {
    count,
    infoArray,
    dyldAddress,
    initialized: version >= versionWithDyld && bytes[layout.libSystemInitialized] !== 0,
    dyldPathAddress: dated ? pointer(layout.dyldPath) : 0n,
    key: `${count} ${infoArray} ${dyldAddress} ${timestamp}`,
  };
}

/** An image that dyld lists. */
export interface ListedImage {
  readonly address: bigint;
  readonly path: string;
}

/** Reads dyld's list, the program first, dyld itself last.
 *
 * @param warn is told what could not be read; the rest is still returned
 */
export function readImageList(
  memory: Memory,
  info: DyldInfo,
  head: ImageInfosHead,
  warn: (text: string) => void,
): ListedImage[] {
  const { pointerSize } = info.is64 ? layout64 : layout32;
  const entrySize = 3 * pointerSize;
  const bytes = memory.readUpTo(head.infoArray, head.count * entrySize);
  const entries = Math.floor(bytes.length / entrySize);
  if (entries < head.count) {
    warn(`dyld lists ${head.count} images, but only ${entries} entries can be read`);
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const pointer = (offset: number) =>
    pointerSize === 8 ? view.getBigUint64(offset, true) : BigInt(view.getUint32(offset, true));
  const images: ListedImage[] = [];
  for (let index = 0; index < entries; index++) {
    const address = pointer(index * entrySize);
    if (address === 0n) continue;
    images.push({
      address,
      path: readPath(memory, pointer(index * entrySize + pointerSize), warn),
    });
  }
  if (head.dyldAddress !== 0n && !images.some(({ address }) => address === head.dyldAddress)) {
    const path = head.dyldPathAddress === 0n
      ? "/usr/lib/dyld"
      : readPath(memory, head.dyldPathAddress, warn);
    images.push({ address: head.dyldAddress, path });
  }
  return images;
}

/** What {@linkcode readImageList} and opening the images will read, so that it can be read at once: first the
 * list, then what it points to.
 *
 * @param headerSize bytes of each image
 */
export function* imageListRanges(
  memory: Memory,
  info: DyldInfo,
  head: ImageInfosHead,
  headerSize: number,
): Generator<{ readonly address: bigint; readonly length: number }[]> {
  const { pointerSize } = info.is64 ? layout64 : layout32;
  const entrySize = 3 * pointerSize;
  const length = head.count * entrySize;
  yield [{ address: head.infoArray, length }];
  const bytes = memory.readUpTo(head.infoArray, length);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const pointer = (offset: number) =>
    pointerSize === 8 ? view.getBigUint64(offset, true) : BigInt(view.getUint32(offset, true));
  const ranges = [{ address: head.dyldPathAddress, length: 1 }];
  if (head.dyldAddress !== 0n) ranges.push({ address: head.dyldAddress, length: headerSize });
  for (let at = 0; at + entrySize <= bytes.length; at += entrySize) {
    ranges.push({ address: pointer(at), length: headerSize });
    ranges.push({ address: pointer(at + pointerSize), length: 1 });
  }
  yield ranges.filter(({ address }) => address !== 0n);
}

function readPath(memory: Memory, address: bigint, warn: (text: string) => void): string {
  if (address === 0n) return "";
  try {
    return memory.readCString(address);
  } catch (error) {
    if (!(error instanceof MemoryReadError)) throw error;
    warn(`the path of an image, at 0x${address.toString(16)}, cannot be read`);
    return "";
  }
}
