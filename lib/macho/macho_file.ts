/** A file of Mach-O images: a single image, a universal file with one image per architecture, or
 * the members of a static library. */

import { FormatError } from "../errors.ts";
import type { RawText } from "../escape.ts";
import { hex } from "../hex.ts";
import { ARCHIVE_MAGIC_SIZE, isArchive, readArchive } from "./archive.ts";
import { type ByteSource, part } from "./bytes.ts";
import { isFat, readFat } from "./fat.ts";
import { MachOSlice } from "./macho_slice.ts";
import { archName } from "./names.ts";

/** Options of {@linkcode MachOFile}. */
export interface MachOFileOptions {
  /** The architecture to read, named as by `lipo`, such as `arm64e`; by default all. */
  readonly arch?: string;
}

/** Maximum number of warnings. */
const MAX_WARNINGS = 100;

/** A file of Mach-O images.
 *
 * @example
 * ```ts
 * import { openImage } from "@machpause/machpause";
 *
 * using file = openImage("/usr/lib/dyld", { arch: "arm64e" });
 * for (const image of file.images) console.log(image.arch, image.kind, image.image.uuid);
 * ```
 */
export class MachOFile implements Disposable {
  /** As given by the caller. */
  readonly path: RawText;
  /** `fat` for a universal file, including one of archives. */
  readonly kind: "thin" | "fat" | "archive";
  /** In the file's order. Their load commands have been read. */
  readonly images: readonly MachOSlice[];
  /** Damaged parts, and members that are not images; both are left out. */
  readonly warnings: readonly string[];
  readonly #file: ByteSource & Partial<Disposable>;

  /** Reads the file's structure, and the header and load commands of each image.
   *
   * @param file closed together with this object, if it is disposable
   * @throws {FormatError} when there is no Mach-O image, or none for `arch`
   */
  constructor(file: ByteSource & Partial<Disposable>, options: MachOFileOptions = {}) {
    this.#file = file;
    this.path = file.name;
    const { arch } = options;
    const warnings: string[] = [];
    const warn = (message: string): void => {
      if (warnings.length < MAX_WARNINGS) warnings.push(message);
      else if (warnings.length === MAX_WARNINGS) warnings.push("and more of the like");
    };
    const images: MachOSlice[] = [];
    /** The other architectures, for the error. */
    const others = new Set<string>();
    let failure: FormatError | undefined;

    const add = (offset: number, size: number, member: string | null): void => {
      try {
        const image = new MachOSlice(file, offset, size, member);
        if (arch === undefined || image.arch === arch) images.push(image);
        else others.add(image.arch);
      } catch (error) {
        if (!(error instanceof FormatError)) throw error;
        failure ??= error;
        warn(`${member ?? `the image at ${hex(offset)}`}: ${error.message}`);
      }
    };
    const addArchive = (offset: number, size: number): void => {
      for (const member of readArchive(part(file, offset, size), warn)) {
        add(offset + member.offset, member.size, member.name);
      }
    };
    const startsArchive = (offset: number): boolean =>
      isArchive(file.read(offset, ARCHIVE_MAGIC_SIZE));

    const slices = readFat(file);
    this.kind = slices !== null ? "fat" : startsArchive(0) ? "archive" : "thin";
    if (slices === null) {
      if (this.kind === "archive") addArchive(0, file.size);
      else add(0, file.size, null);
    }
    for (const { cpuType, cpuSubtype, offset, size } of slices ?? []) {
      const name = archName(cpuType, cpuSubtype);
      if (arch !== undefined && name !== arch) {
        others.add(name);
      } else if (isFat(file.read(offset, 4))) {
        failure ??= new FormatError(file.name, offset, "an image, not another universal file");
        warn(`${name}: a universal file inside a universal file is not read`);
      } else if (startsArchive(offset)) {
        addArchive(offset, size);
      } else {
        add(offset, size, null);
      }
    }
    if (images.length === 0) {
      if (arch !== undefined && others.size > 0) {
        throw new FormatError(
          file.name,
          0,
          `an image for ${arch}; there is ${[...others].join(", ")}`,
        );
      }
      throw failure ?? new FormatError(file.name, 0, "a Mach-O image");
    }
    this.images = images;
    this.warnings = warnings;
  }

  /** Closes the file. */
  [Symbol.dispose](): void {
    this.#file[Symbol.dispose]?.();
  }

  /** Such as `libfoo.dylib: x86_64, arm64`. The path is not escaped. */
  toString(): string {
    return `${this.path}: ${[...new Set(this.images.map(({ arch }) => arch))].join(", ")}`;
  }

  /** The form that `console.log` prints. */
  [Symbol.for("Deno.customInspect")](): string {
    return `MachOFile(${this})`;
  }
}
