/** Images that were loaded somewhere else: their files, placed at the addresses they had there. */

import { archOfCpuType } from "../arch/mod.ts";
import { FormatError } from "../errors.ts";
import { archOfMachine, ElfImage, isElf, linkedAddress, readElf } from "../elf/mod.ts";
import { archName, Image, type LoadedImage } from "../macho/mod.ts";
import type { Files, OpenFile } from "../file_system.ts";
import { type Binary, imagesIn } from "./binaries.ts";
import { readTableHead } from "./table_head.ts";
import { TableImage } from "./table_image.ts";

/** A file of an image, and where the image was loaded. */
export interface ImageFile {
  /** A Mach-O file, a dSYM bundle, its file, a symbol table file, or an ELF file. */
  readonly path: string;
  /** The architecture, such as `arm64e`, as `lipo` names it. It may be left out when the file has one. */
  readonly arch?: string;
  /** Where the image's header was in memory. With neither this nor `slide`, the address that the image
   * was linked for. */
  readonly loadAddress?: bigint;
  /** The load address minus the address that the image was linked for. */
  readonly slide?: bigint;
}

/** The images of some files, whose files are open. */
export interface FileImages extends Disposable {
  /** In the order of the files. */
  readonly images: readonly LoadedImage[];
  /** The paths that are symbol table files, for a search by UUID. */
  readonly tables: readonly string[];
}

/** Opens the files of images.
 *
 * @example
 * ```ts
 * import { files } from "@machpause/machpause";
 * import { ImageMap, openImages } from "@machpause/machpause/symbols";
 *
 * using opened = openImages(files, [{ path: "MyApp.dSYM", loadAddress: 0x104a3c000n }]);
 * console.log(new ImageMap(opened.images).at(0x104a3f721n)?.name);
 * ```
 * @throws FormatError when one is no image, or does not have the architecture
 * @throws FileError when a file does not exist or may not be read
 */
export function openImages(
  files: Files,
  specs: readonly ImageFile[],
): FileImages {
  if (!Array.isArray(specs) || !specs.every((spec) => typeof spec?.path === "string")) {
    throw new TypeError("the files of images are a list: write [{ path: … }]");
  }
  const open: OpenFile[] = [];
  const close = (): void => open.splice(0).forEach((file) => file[Symbol.dispose]());
  try {
    const tables: string[] = [];
    const images = specs.map((spec): LoadedImage => {
      for (const path of bundled(files, spec.path)) {
        const file = files.open(path);
        open.push(file);
        const table = readTableHead(file);
        if (table !== null) {
          tables.push(path);
          return new TableImage(path, table, spec);
        }
        if (isElf(file.read(0, 4))) return elfImage(file, spec);
        const { bytes, image } = choose([...imagesIn(file)], spec, path);
        const linked = image.loadAddress - image.slide;
        const loadAddress = spec.loadAddress ?? linked + (spec.slide ?? 0n);
        return Image.fromSource(bytes, { loadAddress });
      }
      throw new FormatError(spec.path, 0, "a dSYM bundle with a file in it");
    });
    return { images, tables, [Symbol.dispose]: close };
  } catch (error) {
    close();
    throw error;
  }
}

/** An ELF file where it was loaded. Without an address, it is placed where it was linked for. */
function elfImage(file: OpenFile, { arch, loadAddress, slide = 0n }: ImageFile): ElfImage {
  const elf = readElf(file);
  const own = archOfMachine(elf);
  if (arch !== undefined && arch !== own) {
    throw new FormatError(file.name, 18, `an image for ${arch}; there is ${own ?? "another"}`);
  }
  return ElfImage.fromSource(file, loadAddress ?? linkedAddress(elf.segments) + slide);
}

/** The file itself, or those of a dSYM bundle. */
export function* bundled(files: Files, path: string): Iterable<string> {
  const inside = [...files.walk(`${path.replace(/\/$/, "")}/Contents/Resources/DWARF`)];
  if (inside.length > 0) yield* inside;
  else yield path;
}

function choose(images: readonly Binary[], { arch }: ImageFile, path: string): Binary {
  if (images.length === 0) {
    throw new FormatError(path, 0, "a Mach-O image, a dSYM, an ELF file, or a symbol table file");
  }
  const names = images.map(({ image }) => archName(image.cpuType, image.cpuSubtype));
  if (arch === undefined) {
    if (images.length === 1) return images[0];
    throw new FormatError(path, 0, `one architecture; there are ${names.join(", ")}: say which`);
  }
  const exact = names.indexOf(arch);
  if (exact >= 0) return images[exact];
  // The plain name of a CPU also selects the slice of a variant, such as armv7s or arm64e.
  const kin = images.filter(({ image }) => archOfCpuType(image.cpuType)?.name === arch);
  if (kin.length === 1) return kin[0];
  throw new FormatError(path, 0, `an image for ${arch}; there is ${names.join(", ")}`);
}
