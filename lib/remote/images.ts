/** The images of a target over the wire: from dyld's structures in its memory, or from what the stub lists. */
import { ElfImage } from "../elf/mod.ts";
import { FormatError, MemoryReadError } from "../errors.ts";
import type { Files } from "../file_system.ts";
import {
  type AddressRange,
  type ByteSource,
  Image,
  type LoadedImage,
  type MemoryReader,
} from "../macho/walking.ts";
import type { Symbolizer } from "../symbols/walking.ts";
import {
  type DyldInfo,
  ImageList,
  imageListRanges,
  type Memory,
  PlacedImage,
  readImageInfosHead,
  type Region,
} from "../target/walking.ts";
import { headSize as fileHeadSize, openRemoteFile } from "./files.ts";
import type { Stub } from "./stub.ts";
import type { Wanted } from "./stub_memory.ts";

/** The name that our loader gives the file of its `dyld_all_image_infos`. */
const loaderInfos = "/memfd:dyld_all_image_infos";
/** Room for the header and load commands of most images, in bytes. */
const headerSize = 8192;
/** Maximum number of images in a stub's list. */
const maxImages = 1 << 14;
/** Maximum number of program headers of an ELF file. */
const maxProgramHeaders = 128;

/** What images are found in. */
export interface ImagesSource {
  readonly stub: Stub;
  /** Memory of the present stop, and reading it ahead in one batch. */
  readonly memory: Memory;
  fetch(ranges: readonly Wanted[]): void;
  /** Reads what does not change while an image is loaded. */
  readonly reader: MemoryReader;
  /** The files of this machine. */
  readonly files: Files;
  /** Does something while the target is stopped. */
  stopped<T>(work: () => T): T;
  /** All regions with the files they map; empty where they are not known. */
  regions(): readonly Region[];
  symbols(images: readonly LoadedImage[]): Symbolizer;
}

/** An image that a stub lists. */
interface Entry {
  readonly path: string;
  readonly uuid: string | null;
  readonly address: bigint;
  readonly ranges: readonly AddressRange[];
}

/** The images, kept up to date while the target is stopped. */
export class RemoteImages {
  readonly #source: ImagesSource;
  readonly #list: ImageList;
  readonly #warnings: string[] = [];
  #infos: bigint | undefined;
  #listedKey = "";
  #listed: readonly LoadedImage[] | undefined;
  #listedSymbols: Symbolizer | undefined;

  constructor(source: ImagesSource) {
    this.#source = source;
    this.#list = new ImageList({
      memory: source.memory,
      reader: source.reader,
      dyldInfo: () => this.dyldInfo,
      openAt: (path, address, size) => this.#openFile(path, address, size),
      mappedRegions: () => source.stub.system === "darwin" ? [] : [...source.regions()],
      symbols: (images) => source.symbols(images),
    });
  }

  /** All images. A change makes another array. */
  get images(): readonly LoadedImage[] {
    return this.#listed ?? this.#list.images;
  }

  /** The symbolizer of {@linkcode images}. */
  get symbols(): Symbolizer {
    if (this.#listed === undefined) return this.#list.symbols;
    return this.#listedSymbols ??= this.#source.symbols(this.#listed);
  }

  /** The damage found so far. */
  get warnings(): readonly string[] {
    return [...this.#list.warnings, ...this.#warnings];
  }

  /** See {@linkcode ImageList.hasSwiftConcurrency}. */
  get hasSwiftConcurrency(): boolean {
    return this.#list.hasSwiftConcurrency;
  }

  /** Where dyld's structures are. */
  get dyldInfo(): DyldInfo {
    const { stub } = this.#source;
    this.#infos ??= this.#findInfos();
    const { cpuType, pointerSize } = stub.arch;
    return { address: this.#infos, size: 0n, is64: pointerSize === 8, cpuType, pid: stub.pid };
  }

  #findInfos(): bigint {
    const { stub } = this.#source;
    if (stub.system === "darwin") return stub.imageInfosAddress();
    return this.#source.regions().find(({ path }) => path.startsWith(loaderInfos))?.address ?? 0n;
  }

  /** Reads what has changed. The target must be stopped. */
  refresh(): void {
    const { dyldInfo } = this;
    if (dyldInfo.address !== 0n) {
      this.#prefetch(dyldInfo);
      this.#list.refresh(1);
      if (this.#list.images.length > 0) {
        this.#listed = undefined;
        return;
      }
      // dyld has not started yet, and may publish its structures elsewhere.
      this.#infos = undefined;
    } else {
      this.#infos = undefined;
      this.#list.refresh(1);
      if (this.#list.images.length > 0) return;
    }
    this.#refreshListed();
  }

  /** Reads which other files are mapped: an address was in no image. */
  refreshFiles(): void {
    this.#list.refreshFiles();
  }

  /** Fetches what reading dyld's list needs, in a few batches. */
  #prefetch(info: DyldInfo): void {
    const { memory } = this.#source;
    const head = readImageInfosHead(memory, info);
    if (typeof head === "string" || head.key === this.#list.key || head.infoArray === 0n) return;
    for (const ranges of imageListRanges(memory, info, head, headerSize)) {
      this.#source.fetch(ranges);
    }
  }

  #refreshListed(): void {
    const entries = this.#entries();
    const key = entries.map(({ address, path }) => `${address} ${path}`).join("\n");
    if (this.#listed !== undefined && key === this.#listedKey) return;
    this.#source.fetch(entries.map(({ address }) => ({ address, length: headerSize })));
    this.#listedKey = key;
    this.#listed = entries.map((entry) => this.#open(entry));
    this.#listedSymbols = undefined;
  }

  /** Opens a mapped file. The heads of all are read at once, since others will be asked for next. */
  #openFile(path: string, address: bigint, size: number): ByteSource | null {
    const source = this.#source;
    return source.stopped(() => {
      source.fetch(
        this.images.flatMap((image) =>
          image instanceof ElfImage ? [{ address: image.loadAddress, length: fileHeadSize }] : []
        ),
      );
      return openRemoteFile(source, path, address, size);
    });
  }

  #entries(): Entry[] {
    const { stub } = this.#source;
    const listed = entriesOf(stub.loadedImages());
    if (listed.length > 0) return listed;
    const libraries = stub.libraries().map(({ path, base }) => {
      return { path, uuid: null, address: base, ranges: [] };
    });
    const program = stub.executable;
    const text = stub.offsets();
    if (program === "" || text === undefined) return libraries;
    return [{ path: program, uuid: null, address: text, ranges: [] }, ...libraries];
  }

  #open({ path, uuid, address, ranges }: Entry): LoadedImage {
    const { memory, reader, stub } = this.#source;
    try {
      const magic = memory.readUpTo(address, 4);
      if (magic[0] === 0x7f && magic[1] === 0x45) {
        const found = elfRanges(memory, address, stub.arch.pointerSize);
        if (found.length > 0) {
          const size = Number(found.at(-1)!.end - found[0].start);
          return new ElfImage(path, found, () => this.#openFile(path, found[0].start, size));
        }
      } else {
        return Image.fromMemory(reader, address, path);
      }
    } catch (error) {
      if (!(error instanceof FormatError || error instanceof MemoryReadError)) throw error;
      const text = `image ${path} at 0x${address.toString(16)}: ${error.message}`;
      if (!this.#warnings.includes(text)) this.#warnings.push(text);
    }
    const place = ranges.length > 0 ? ranges : [{ start: address, end: address + 4096n }];
    return new PlacedImage(path, uuid, address, place);
  }
}

/** Reads debugserver's list of images. */
function entriesOf(value: unknown): Entry[] {
  const images = (value as { images?: unknown } | undefined)?.images;
  if (!Array.isArray(images)) return [];
  const entries: Entry[] = [];
  for (const image of images.slice(0, maxImages)) {
    const { load_address, pathname, uuid, segments } = (image ?? {}) as Record<string, unknown>;
    if (typeof load_address !== "number" || !(load_address > 0)) continue;
    const address = BigInt(Math.trunc(load_address));
    entries.push({
      path: typeof pathname === "string" ? pathname : "",
      uuid: typeof uuid === "string" ? uuid.toUpperCase() : null,
      address,
      ranges: rangesOf(segments, address),
    });
  }
  return entries;
}

/** The places of an image's segments, whose addresses are as linked. */
function rangesOf(segments: unknown, address: bigint): AddressRange[] {
  if (!Array.isArray(segments)) return [];
  const parts: { name: unknown; start: bigint; size: bigint }[] = [];
  for (const segment of segments.slice(0, 256)) {
    const { name, vmaddr, vmsize } = (segment ?? {}) as Record<string, unknown>;
    if (typeof vmaddr !== "number" || typeof vmsize !== "number" || !(vmsize > 0)) continue;
    if (name === "__PAGEZERO" || !(vmaddr >= 0) || vmaddr + vmsize > 2 ** 64) continue;
    parts.push({ name, start: BigInt(Math.trunc(vmaddr)), size: BigInt(Math.trunc(vmsize)) });
  }
  const text = parts.find(({ name }) => name === "__TEXT");
  if (text === undefined) return [];
  const slide = address - text.start;
  const ranges = parts.map(({ start, size }) => ({
    start: start + slide,
    end: start + slide + size,
  }));
  ranges.sort((a, b) => a.start < b.start ? -1 : a.start > b.start ? 1 : 0);
  return ranges.filter(({ start }, index) => index === 0 || start >= ranges[index - 1].end);
}

/** The addresses of an ELF file's `PT_LOAD` segments, if its header is at `address`. */
function elfRanges(memory: Memory, address: bigint, pointerSize: 4 | 8): AddressRange[] {
  const wide = pointerSize === 8;
  const header = memory.readUpTo(address, 64);
  if (header.length < 64) return [];
  const view = new DataView(header.buffer, header.byteOffset, header.length);
  const at = wide ? view.getBigUint64(32, true) : BigInt(view.getUint32(28, true));
  const size = view.getUint16(wide ? 54 : 42, true);
  const count = Math.min(view.getUint16(wide ? 56 : 44, true), maxProgramHeaders);
  if (size < (wide ? 56 : 32)) return [];
  const bytes = memory.readUpTo(address + at, size * count);
  const table = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const isPosition = view.getUint16(16, true) === 3; // ET_DYN
  const ranges: AddressRange[] = [];
  for (let row = 0; row + size <= bytes.length; row += size) {
    if (table.getUint32(row, true) !== 1) continue; // PT_LOAD
    const vaddr = wide
      ? table.getBigUint64(row + 16, true)
      : BigInt(table.getUint32(row + 8, true));
    const length = wide
      ? table.getBigUint64(row + 40, true)
      : BigInt(table.getUint32(row + 20, true));
    const start = (isPosition ? address : 0n) + vaddr;
    const previous = ranges.at(-1);
    if (length > 0n && (previous === undefined || start >= previous.end)) {
      ranges.push({ start, end: start + length });
    }
  }
  return ranges;
}
