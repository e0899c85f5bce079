/** Mach-O files, dSYMs and symbol table files as a source of `symbolicate`. */
import { fileSystem } from "../../../ffi/file_system.ts";
import { FormatError } from "../../../lib/errors.ts";
import { escape, safe } from "../../../lib/escape.ts";
import type { LoadedImage } from "../../../lib/macho/mod.ts";
import { FileSymbolizer, type ImageFile, OpenedDwarf } from "../../../lib/symbols/mod.ts";
import { imagesIn, type SourceFrame } from "../../../lib/symbols/mod.ts";
import { fileError, UserError } from "../../errors.ts";
import { exists } from "../../prompt/open.ts";
import { complain } from "../../view/output.ts";
import { each } from "./order.ts";
import type { Source } from "./resolve.ts";

const { files } = fileSystem;

function openFiles(images: readonly ImageFile[], symbols: readonly string[]): FileSymbolizer {
  try {
    return FileSymbolizer.open(fileSystem, images, symbols);
  } catch (error) {
    if (error instanceof FormatError) throw new UserError(error.message);
    throw fileError(error, (images.find(({ path }) => !exists(path)) ?? images[0]).path);
  }
}

/** More addresses are looked up in the order of the file, reading each unit once. */
const FEW = 16;
/** More addresses are worth the start of workers. */
const MANY = 256;

/** Opens files.
 *
 * @throws UserError for a file that does not exist, or has another format
 */
export function fileSource(
  images: readonly ImageFile[],
  symbols: readonly string[],
  areOffsets: boolean,
): Source {
  const symbolizer = openFiles(images, symbols);
  const base = areOffsets ? symbolizer.images.images[0].loadAddress : 0n;
  return {
    get missing() {
      return symbolizer.missing;
    },
    base,
    async each(addresses, prepare, tell) {
      // Beyond 2^64 it is in no image.
      const placed = base === 0n ? addresses : addresses.map((address) => base + address);
      if (placed.length > FEW) await prime(symbolizer, placed);
      await each(symbolizer, placed, prepare, tell);
    },
    [Symbol.dispose]: () => symbolizer[Symbol.dispose](),
  };
}

/** Looks up many addresses in the DWARF, reading each unit once. */
async function prime(symbolizer: FileSymbolizer, addresses: BigUint64Array): Promise<void> {
  const byImage = new Map<LoadedImage, number[]>();
  for (const image of symbolizer.images.images) {
    if (symbolizer.debugInfo(image) instanceof OpenedDwarf) byImage.set(image, []);
  }
  if (byImage.size === 0) return;
  for (const address of addresses) {
    const image = symbolizer.images.at(address);
    if (image !== null) byImage.get(image)?.push(Number(address - image.loadAddress));
  }
  for (const [image, found] of byImage) {
    if (found.length === 0) continue;
    const offsets = Float64Array.from(new Set(found)).sort();
    const info = symbolizer.debugInfo(image) as OpenedDwarf;
    // The workers read Mach-O files.
    const frames = image.uuid === null ? info.framesOf(offsets) : await framesOf(info, offsets);
    symbolizer.prime(image, offsets, frames);
  }
}

/** The functions at ascending offsets; for many offsets, by several workers. */
async function framesOf(
  info: OpenedDwarf,
  offsets: Float64Array,
): Promise<readonly (readonly SourceFrame[])[]> {
  if (offsets.length < MANY) return info.framesOf(offsets);
  const [{ bulkFrames }, { indexSystem }, { Progress }] = await Promise.all([
    import("../../../lib/symbols/index/bulk.ts"),
    import("../../../ffi/index_system.ts"),
    import("../../view/progress.ts"),
  ]);
  using file = files.open(info.path);
  const image = [...imagesIn(file)].findIndex(({ image }) => image.uuid === info.uuid);
  using bar = new Progress(safe`Symbolicating`, (count) => safe`${Math.round(count)}`);
  const { frames, warnings } = await bulkFrames({
    system: indexSystem,
    path: info.path,
    image: Math.max(0, image),
    offsets,
    onProgress: (done, total) => bar.update(done, total),
  });
  for (const warning of warnings) complain(safe`warning: ${escape(warning)}`);
  return frames;
}
