/** The dSYMs that the system's index knows. */

import type { FileSystem } from "../file_system.ts";
import { log } from "../log.ts";
import type { LoadedImage } from "../macho/walking.ts";
import { SymbolFiles } from "./symbol_files.ts";
import { isSystemPath } from "./system_image.ts";

/** Asks the system's index for dSYMs, for many images at once: on macOS each question starts a process. */
export class LocatedFiles {
  readonly #system: FileSystem;
  readonly #files: SymbolFiles;
  readonly #asked = new Set<string>();
  #expected: readonly LoadedImage[] = [];

  constructor(system: FileSystem) {
    this.#system = system;
    this.#files = new SymbolFiles(system.files, []);
  }

  /** The images of which any may be asked for, in place of those before. */
  expect(images: readonly LoadedImage[]): void {
    this.#expected = images;
  }

  /** Asks for the images that are expected, those that were asked for before excepted. */
  ask(): void {
    if (this.#system.locate !== undefined) this.#ask(this.#expected);
  }

  /** The paths of the dSYMs of an image; empty for the system's, which have none. When it was not asked for yet,
   * all that are expected are. */
  find(image: LoadedImage): readonly string[] {
    const { uuid } = image;
    if (this.#system.locate === undefined || !isAskedFor(image)) return [];
    if (!this.#asked.has(uuid!)) this.#ask([image, ...this.#expected]);
    return this.#files.find(uuid!).filter(({ kind }) => kind === "dsym").map(({ path }) => path);
  }

  #ask(images: readonly LoadedImage[]): void {
    const uuids = new Set<string>();
    for (const image of images) {
      if (isAskedFor(image) && !this.#asked.has(image.uuid!)) uuids.add(image.uuid!);
    }
    if (uuids.size === 0) return;
    for (const uuid of uuids) this.#asked.add(uuid);
    const paths = this.#system.locate!([...uuids]);
    log.symbols?.(`the system knows ${paths.length} files with one of ${uuids.size} UUIDs`);
    if (paths.length > 0) this.#files.add(paths);
  }
}

/** Whether an index can know the image's dSYM. */
function isAskedFor(image: LoadedImage): boolean {
  return image.uuid !== null && !isSystemPath(image.path);
}
