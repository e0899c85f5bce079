import { FormatError, MemoryReadError, TargetGoneError } from "../errors.ts";
import { log } from "../log.ts";
import type { OpenFile } from "../file_system.ts";
import { type ByteSource, Image, type LoadedImage, type MemoryReader } from "../macho/walking.ts";
import { type ListedImage, readImageInfosHead, readImageList } from "./dyld.ts";
import type { DyldInfo, Region } from "./kernel.ts";
import type { ElfImage } from "../elf/mod.ts";
import { mappedFiles, openMapped } from "./mapped_file.ts";
import type { Memory } from "./memory.ts";
import type { Symbolizer } from "../symbols/walking.ts";

/** What an {@linkcode ImageList} is read from. */
export interface ImageSource {
  readonly memory: Memory;
  dyldInfo(): DyldInfo;
  /** All regions with the files they map; empty where only dyld's list counts. */
  mappedRegions(): Region[];
  /** Reads the images themselves, where that is not {@linkcode memory}. */
  readonly reader?: MemoryReader;
  /** Opens a file that the target has mapped; throws when it cannot. Without it, mapped files have no symbols. */
  openFile?(path: string): OpenFile;
  /** Opens a mapped file by its place, instead; `null` when it cannot. */
  openAt?(path: string, address: bigint, size: number): ByteSource | null;
  /** Makes the symbolizer of a list of images. */
  symbols(images: readonly LoadedImage[]): Symbolizer;
}

/** Dyld changes its list in microseconds. This is how often it is read before giving up. */
const changeAttempts = 20;

/** How dyld's list is compared with the one that was read: the same, another one, or being changed by dyld,
 * which sets `infoArray` to null meanwhile (`<mach-o/dyld_images.h>`). */
export type ListState = "current" | "changed" | "changing";

/** The images of a target, kept up to date. An image that stays keeps its object, and with it what was
 * read of its symbols. */
export class ImageList {
  /** The damage found so far, each once. */
  readonly warnings: string[] = [];
  readonly #source: ImageSource;
  readonly #reader: MemoryReader;
  #key = "";
  #machO: LoadedImage[] = [];
  #files: ElfImage[] = [];
  #images: readonly LoadedImage[] = [];
  #symbols: Symbolizer | undefined;
  #hasConcurrency: boolean | undefined;

  constructor(source: ImageSource) {
    this.#source = source;
    // Symbols are read late, when the target may be gone.
    this.#reader = source.reader ?? {
      read(address, length) {
        try {
          return source.memory.read(address, length);
        } catch (error) {
          if (error instanceof TargetGoneError) throw new MemoryReadError(address, length);
          throw error;
        }
      },
    };
  }

  /** The {@linkcode ImageInfosHead.key} of the list that was read; empty before. */
  get key(): string {
    return this.#key;
  }

  /** All images, dyld's first and in its order. A change of the list makes another array. */
  get images(): readonly LoadedImage[] {
    return this.#images;
  }

  /** Whether the program uses Swift's concurrency, so that its threads may run async functions. */
  get hasSwiftConcurrency(): boolean {
    return this.#hasConcurrency ??= this.#machO.some(({ name }) =>
      name === "libswift_Concurrency.dylib"
    );
  }

  /** The symbolizer of {@linkcode images}. */
  get symbols(): Symbolizer {
    return this.#symbols ??= this.#source.symbols(this.#images);
  }

  /** Compares dyld's list with the one that was read, by its head alone. */
  get state(): ListState {
    const info = this.#source.dyldInfo();
    if (info.address === 0n) return this.#key === "" ? "changed" : "current";
    const head = readImageInfosHead(this.#source.memory, info);
    // What is damaged is reported when it is read.
    if (typeof head === "string" || head.key === this.#key) return "current";
    return head.infoArray === 0n && head.count > 0 ? "changing" : "changed";
  }

  /** Reads dyld's list again if it has changed.
   *
   * @param attempts how often it is read while dyld is changing it
   */
  refresh(attempts = changeAttempts): void {
    const info = this.#source.dyldInfo();
    if (info.address === 0n) {
      if (this.#key === "") this.#setMachO([], "none");
      return;
    }
    for (let attempt = 0; attempt < attempts; attempt++) {
      const head = readImageInfosHead(this.#source.memory, info);
      if (typeof head === "string") {
        this.#warn(head);
        if (this.#key === "") this.#setMachO([], "damaged");
        return;
      }
      if (head.key === this.#key) return;
      if (head.infoArray === 0n && head.count > 0) {
        log.dyld?.("dyld is changing its list of images: reading it again");
        continue;
      }
      const found: string[] = [];
      const listed = readImageList(this.#source.memory, info, head, (text) => found.push(text));
      // dyld frees the array and its paths when it changes the list.
      const after = readImageInfosHead(this.#source.memory, info);
      if (typeof after !== "string" && after.key !== head.key && attempt < attempts - 1) {
        log.dyld?.("dyld has changed its list of images meanwhile: reading it again");
        continue;
      }
      for (const text of found) this.#warn(text);
      const known = new Map(this.#machO.map((image) => [identity(image), image]));
      log.dyld?.(
        `dyld_all_image_infos at 0x${info.address.toString(16)} lists ${listed.length} images; ` +
          `${listed.filter((entry) => !known.has(identity(entry))).length} are new`,
      );
      this.#setMachO(
        listed.flatMap((entry) => known.get(identity(entry)) ?? this.#open(entry) ?? []),
        head.key,
      );
      return;
    }
    this.#warn("dyld is changing its list of images: the one before is shown");
  }

  /** Reads which other files are mapped. */
  refreshFiles(): void {
    const { memory, openFile, openAt } = this.#source;
    const before = this.#images;
    this.#files = mappedFiles(
      this.#source.mappedRegions(),
      this.#machO,
      this.#files,
      openAt ?? ((path, address, size) => openMapped({ path, address, size, openFile, memory })),
    );
    if (this.#files.length > 0) log.dyld?.(`${this.#files.length} other files are mapped as code`);
    const images = [...this.#machO, ...this.#files];
    if (images.length === before.length && images.every((image, at) => image === before[at])) {
      return;
    }
    this.#images = images;
    this.#symbols = undefined;
  }

  #setMachO(images: LoadedImage[], key: string): void {
    this.#machO = images;
    this.#hasConcurrency = undefined;
    this.#key = key;
    this.refreshFiles();
  }

  #open({ address, path }: ListedImage): Image | undefined {
    try {
      return Image.fromMemory(this.#reader, address, path);
    } catch (error) {
      if (!(error instanceof FormatError || error instanceof MemoryReadError)) throw error;
      this.#warn(`image ${path} at 0x${address.toString(16)}: ${error.message}`);
    }
  }

  #warn(text: string): void {
    if (this.warnings.includes(text)) return;
    this.warnings.push(text);
    log.dyld?.(text);
  }
}

function identity(image: { readonly path: string } & ({ address: bigint } | LoadedImage)): string {
  return `${"address" in image ? image.address : image.loadAddress} ${image.path}`;
}
