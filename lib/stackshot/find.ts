/** The files of a stackshot's images. */
import { FormatError, MemoryReadError } from "../errors.ts";
import { type ByteSource, Image, type LoadedImage } from "../macho/mod.ts";
import type { Files } from "../file_system.ts";
import { imagesIn, type SymbolFiles } from "../symbols/walking.ts";
import type { FindImage } from "./images.ts";

/** A file that is open only while it is read: a system has more images than the limit of open files. */
function reopened(files: Files, path: string): ByteSource {
  using file = files.open(path);
  return {
    name: path,
    size: file.size,
    read(offset, length) {
      using file = files.open(path);
      return file.read(offset, length);
    },
  };
}

/** Finds images in folders by their UUIDs: binaries, and dSYMs where those are missing.
 *
 * @example
 * ```ts
 * import { files } from "@machpause/machpause";
 * import { SymbolFiles } from "@machpause/machpause/symbols";
 * import { imageFinder } from "./mod.ts";
 *
 * const find = imageFinder(files, new SymbolFiles(files, ["./symbols"]));
 * console.log(find("7E2C3A4D-0000-4000-8000-1234567890AB", 0x100000000n)?.path);
 * ```
 */
export function imageFinder(files: Files, symbolFiles: SymbolFiles): FindImage {
  const known = new Map<string, LoadedImage | null>();
  return (uuid, loadAddress) => {
    const key = `${uuid} ${loadAddress}`;
    let image = known.get(key);
    if (image === undefined) {
      image = find(files, symbolFiles, uuid, loadAddress);
      known.set(key, image);
    }
    return image;
  };
}

function find(
  files: Files,
  symbolFiles: SymbolFiles,
  uuid: string,
  loadAddress: bigint,
): LoadedImage | null {
  const found = symbolFiles.find(uuid).filter(({ kind }) => kind !== "table");
  const binariesFirst = [...found].sort((a, b) => a.kind < b.kind ? -1 : a.kind > b.kind ? 1 : 0);
  for (const { path } of binariesFirst) {
    try {
      for (const { bytes, image } of imagesIn(reopened(files, path))) {
        if (image.uuid === uuid) return Image.fromSource(bytes, { loadAddress });
      }
    } catch (error) {
      if (error instanceof FormatError || error instanceof MemoryReadError) continue;
      // A file that is gone or unreadable counts as not found.
      if (!(error instanceof Error) || error instanceof TypeError) throw error;
    }
  }
  return null;
}
