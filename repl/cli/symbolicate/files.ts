/** Files and folders of which `symbolicate` makes out what is at addresses. */
import { fileSystem } from "../../../ffi/file_system.ts";
import { FormatError } from "../../../lib/errors.ts";
import { escape } from "../../../lib/escape.ts";
import type { LoadedImage } from "../../../lib/macho/mod.ts";
import { FileSymbolizer, type ImageFile, OpenedDwarf } from "../../../lib/symbols/mod.ts";
import { imagesIn, type SourceFrame } from "../../../lib/symbols/mod.ts";
import { UserError } from "../../errors.ts";
import { complain } from "../../view/output.ts";
import { each } from "./order.ts";
import type { Source } from "./source.ts";

const { files } = fileSystem;

function openFiles(images: readonly ImageFile[], symbols: readonly string[]): FileSymbolizer {
  try {
    return FileSymbolizer.open(fileSystem, images, symbols);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) {
      const missing = images.find(({ path }) => {
        try {
          Deno.statSync(path);
          return false;
        } catch {
          return true;
        }
      });
      throw new UserError(`there is no file ${missing?.path ?? images[0].path}`);
    }
    if (error instanceof FormatError) throw new UserError(error.message);
    throw error;
  }
}

/** More addresses at once are looked up in the order of the file, each of its units once. */
const FEW = 16;
/** More are worth the time that workers take to start. */
const MANY = 256;

/** Mach-O files, dSYMs and symbol table files.
 *
 * @throws UserError when there is no such file, or it is none of these
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

/** Reads many addresses' DWARF at once, each unit once. */
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
    symbolizer.prime(image, offsets, await framesOf(info, offsets));
  }
}

/** The functions at rising offsets. Those of a large file with DWARF are looked up by several workers. */
async function framesOf(
  info: OpenedDwarf,
  offsets: Float64Array,
): Promise<readonly (readonly SourceFrame[])[]> {
  if (offsets.length < MANY) return info.framesOf(offsets);
  const [{ bulkFrames }, { Progress }] = await Promise.all([
    import("../../../lib/symbols/index/bulk.ts"),
    import("../../view/progress.ts"),
  ]);
  using file = files.open(info.path);
  const image = [...imagesIn(file)].findIndex(({ image }) => image.uuid === info.uuid);
  using bar = new Progress("Symbolicating", (count) => `${Math.round(count)}`);
  const { frames, warnings } = await bulkFrames({
    path: info.path,
    image: Math.max(0, image),
    offsets,
    onProgress: (done, total) => bar.update(done, total),
  });
  for (const warning of warnings) complain(`warning: ${escape(warning)}`);
  return frames;
}
