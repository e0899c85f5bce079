/** The images in Mach-O files, by their headers alone. */

import { FormatError, MemoryReadError } from "../errors.ts";
import {
  type ByteSource,
  Image,
  isMachO,
  type MemoryReader,
  part,
  readFat,
} from "../macho/walking.ts";

/** One architecture's image in an open file. */
export interface Binary {
  /** From its Mach-O header on. */
  readonly bytes: ByteSource;
  /** Placed at address 0. */
  readonly image: Image;
}

/** Reads the image whose header is at offset 0, as if it were loaded at `loadAddress`.
 *
 * @throws FormatError when there is none
 * @throws MemoryReadError when it is cut short
 */
export function imageOf(bytes: ByteSource, loadAddress: bigint, path: string): Image {
  const reader: MemoryReader = {
    read(address, length, into) {
      const offset = Number(address - loadAddress);
      const read = offset < 0 ? new Uint8Array() : bytes.read(offset, length, into);
      if (read.length < length) throw new MemoryReadError(address, length);
      return read;
    },
  };
  return Image.fromMemory(reader, loadAddress, path);
}

/** The images in a file. Only headers are read, and damaged images are left out.
 *
 * @param file whose name is the path
 */
export function* imagesIn(file: ByteSource): Generator<Binary> {
  for (const { offset, size } of slicesOf(file)) {
    const bytes = part(file, offset, size);
    // Most files of a folder are not images, and an error for each would be slow.
    if (!isMachO(bytes.read(0, 4))) continue;
    try {
      yield { bytes, image: imageOf(bytes, 0n, file.name) };
    } catch (error) {
      if (!(error instanceof FormatError || error instanceof MemoryReadError)) throw error;
    }
  }
}

function slicesOf(file: ByteSource): readonly { offset: number; size: number }[] {
  try {
    return readFat(file) ?? [{ offset: 0, size: file.size }];
  } catch (error) {
    // Java class files have the magic number of universal files.
    if (error instanceof FormatError) return [];
    throw error;
  }
}
