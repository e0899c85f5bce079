import { FormatError, MemoryReadError } from "../errors.ts";
import type { CoreSegment, NotedFile, NotedImage } from "../macho/cores.ts";
import {
  type AddressRange,
  FILE_TYPE,
  fillFrom,
  Image,
  type LoadedImage,
  MAGIC,
} from "../macho/walking.ts";
import type { Binaries } from "./core_binaries.ts";
import type { CoreMemory, ReadBinary } from "./core_memory.ts";
import { readImageInfosHead, readImageList } from "./dyld.ts";
import { ElfImage } from "../elf/mod.ts";
import type { OpenFile } from "../file_system.ts";
import { openInParts, PlacedImage } from "./mapped_file.ts";
import type { Memory } from "./memory.ts";
import { type Binary, imageOf } from "../symbols/walking.ts";

/** The smallest page of any system. Headers begin at a page. */
const pageSize = 4096n;
/** Maximum number of pages searched for headers, besides the first of each segment. */
const maxPages = 16384;
/** Maximum number of segments searched. */
const maxSegments = 1 << 16;
/** `VM_PROT_WRITE`. */
const write = 2;
/** Maximum number of images named in one warning. */
const maxNames = 5;

/** Where images are found. */
export interface CoreImageSource {
  /** All memory that can be read. */
  readonly memory: Memory;
  /** The memory in the core itself. */
  readonly core: CoreMemory;
  readonly segments: readonly CoreSegment[];
  /** The images in the notes; empty when there are none. */
  readonly noted: readonly NotedImage[];
  readonly files: readonly NotedFile[];
  readonly binaries: Binaries;
  /** Opens a file on this machine; throws when it cannot. */
  openFile(path: string): OpenFile;
  readonly cpuType: number;
  /** Name of the process, for an executable without a path; `null` when not known. */
  readonly name: string | null;
  warn(text: string): void;
}

/** A segment and the image it belongs to. */
interface Place {
  readonly start: bigint;
  readonly end: bigint;
  readonly name: string;
  readonly owner: { readonly image: { path: string; uuid: string | null }; binary?: Binary | null };
}

/** The images of a core, and the parts of them that are not in it. */
export class CoreImages {
  readonly images: readonly LoadedImage[];
  readonly #source: CoreImageSource;
  /** Sorted by address before use. */
  readonly #places: Place[] = [];
  #sorted = true;
  readonly #absent: string[] = [];
  #elf: readonly ElfImage[] = [];
  /** Sorted by address; made at first use. */
  #regions: readonly CoreSegment[] | undefined;

  /** Finds the images: in the notes, else in dyld's list in memory, else by their headers. */
  constructor(source: CoreImageSource) {
    this.#source = source;
    source.core.fallback = this.#readBinary;
    const noted = source.noted.length > 0 ? source.noted : this.#discover();
    const images = noted.flatMap((entry) => this.#make(entry) ?? []);
    this.#elf = source.files.map(({ path, ranges, buildId }) =>
      new ElfImage(
        path,
        ranges,
        () => buildId === null ? null : openInParts(path, source.openFile),
        buildId ?? undefined,
      )
    );
    this.images = [...images, ...this.#elf];
    if (this.#absent.length > 0) {
      const names = this.#absent.slice(0, maxNames).join(", ");
      const more = this.#absent.length > maxNames
        ? `, and ${this.#absent.length - maxNames} more`
        : "";
      source.warn(
        `neither in the core nor found by UUID: ${names}${more}; ` +
          "name the folders of the binaries with --symbols",
      );
    }
  }

  /** Makes the image of an entry; `undefined` when the entry says too little. */
  #make(entry: NotedImage): LoadedImage | undefined {
    const { memory, core, binaries, warn } = this.#source;
    const path = entry.path ?? "";
    let { loadAddress } = entry;
    let found: Binary | null = null;
    if (loadAddress === null || !core.has(loadAddress)) {
      found = this.#find(binaries, path, entry.uuid);
      loadAddress ??= found === null ? null : linkedAddress(found.image) + (entry.slide ?? 0n);
      if (loadAddress === null) {
        warn(`the image ${path} has no address, and no binary with its UUID was found`);
        return undefined;
      }
      if (found === null) return this.#absentImage(path, entry, loadAddress);
      // The header is read from the binary.
      this.#place(imageOf(found.bytes, loadAddress, path), entry, found);
    }
    try {
      const image = this.#named(Image.fromMemory(memory, loadAddress, path));
      if (entry.uuid !== null && image.uuid !== entry.uuid) {
        warn(`${path}: a note says UUID ${entry.uuid}, its header ${image.uuid ?? "none"}`);
      }
      if (found === null) this.#place(image, entry);
      return image;
    } catch (error) {
      if (!(error instanceof FormatError || error instanceof MemoryReadError)) throw error;
      warn(`image ${path} at 0x${loadAddress.toString(16)}: ${error.message}`);
      return this.#absentImage(path, entry, loadAddress);
    }
  }

  /** Names an image without a path by its install name, or by the process's name. */
  #named(image: Image): Image {
    if (image.path !== "") return image;
    const path = image.installName ??
      (image.fileType === FILE_TYPE.MH_EXECUTE ? this.#source.name : null);
    return path === null ? image : Image.fromMemory(this.#source.memory, image.loadAddress, path);
  }

  #find(binaries: Binaries, path: string, uuid: string | null): Binary | null {
    if (uuid === null) return null;
    const { binary, other } = binaries.find(path, uuid);
    if (binary === null && other !== null) {
      this.#source.warn(`${path} is not used: its UUID is ${other}, the core's is ${uuid}`);
    }
    return binary;
  }

  /** Remembers where an image's segments are, to read what of them is not in the core. */
  #place(image: Image, { segments }: NotedImage, binary?: Binary): void {
    const owner = { image, ...(binary === undefined ? {} : { binary }) };
    const noted = new Map(segments.map(({ name, address }) => [name, address]));
    for (const { name, address, size, maxProtection, fileSize } of image.segments) {
      if (maxProtection === 0 && fileSize === 0) continue;
      const start = noted.get(name) ?? address;
      this.#places.push({ start, end: start + BigInt(size), name, owner });
    }
    this.#sorted = false;
  }

  readonly #readBinary: ReadBinary = (address, into, isUnwritten) => {
    let done = 0;
    while (done < into.length) {
      const part = into.subarray(done);
      const got = this.#readSegment(address + BigInt(done), part, isUnwritten);
      if (got === 0) break;
      done += got;
    }
    return done;
  };

  /** Reads in one segment. What dyld or the program writes is not what the file has: its pointers are not
   * relocated there, and its variables have their first values. */
  #readSegment(address: bigint, into: Uint8Array, isUnwritten: boolean): number {
    const place = this.#placeOf(address);
    if (place === undefined) return this.#readElf(address, into);
    const { binary } = place.owner;
    const found = binary === undefined ? this.#binaryOf(place) : binary;
    const segment = found?.image.segments.find(({ name }) => name === place.name);
    if (found === null || segment === undefined) return 0;
    if ((segment.initialProtection & write) !== 0 && !isUnwritten) return 0;
    const inside = Number(address - place.start);
    const room = Math.min(into.length, segment.size - inside);
    if (room <= 0) return 0;
    const inFile = segment.fileSize - inside;
    if (inFile <= 0) {
      into.fill(0, 0, room);
      return room;
    }
    const part = into.subarray(0, Math.min(room, inFile));
    return fillFrom(found.bytes, segment.fileOffset + inside, part);
  }

  /** Reads in one segment of an ELF file. What is relocated is in segments that can be written. */
  #readElf(address: bigint, into: Uint8Array): number {
    const image = this.#elf.find(({ ranges }) =>
      ranges.some(({ start, end }) => address >= start && address < end)
    );
    const segment = image?.segmentAt(address) ?? null;
    if (segment === null || (segment.initialProtection & write) !== 0) return 0;
    const inside = Number(address - segment.address);
    const room = Math.min(into.length, segment.fileSize - inside);
    if (room <= 0) return 0;
    return fillFrom(image!.file!, segment.fileOffset + inside, into.subarray(0, room));
  }

  #placeOf(address: bigint): Place | undefined {
    if (!this.#sorted) {
      this.#places.sort((a, b) => a.start < b.start ? -1 : a.start > b.start ? 1 : 0);
      this.#sorted = true;
    }
    let low = 0;
    let high = this.#places.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#places[middle].start <= address) low = middle + 1;
      else high = middle;
    }
    const place = this.#places[low - 1];
    return place !== undefined && address < place.end ? place : undefined;
  }

  /** Searches once for the binary of an image. */
  #binaryOf({ owner }: Place): Binary | null {
    const { path, uuid } = owner.image;
    const binary = this.#find(this.#source.binaries, path, uuid);
    owner.binary = binary;
    if (binary === null) {
      this.#source.warn(
        `${path}: not all of it is in the core, and ` +
          (uuid === null
            ? "it has no UUID to find its binary by"
            : `no binary with its UUID ${uuid} was found: name its folder with --symbols`),
      );
    }
    return binary;
  }

  /** An image known only by a note. A segment ends where the core's region does, or where the image's
   * next segment begins. */
  #absentImage(path: string, entry: NotedImage, loadAddress: bigint): PlacedImage {
    this.#absent.push(`${path}${entry.uuid === null ? "" : ` (${entry.uuid})`}`);
    const starts = entry.segments.filter(({ name }) => name !== "__PAGEZERO")
      .map(({ address }) => address);
    if (!starts.includes(loadAddress)) starts.push(loadAddress);
    starts.sort((a, b) => a < b ? -1 : a > b ? 1 : 0);
    const ranges = starts.map((start, index): AddressRange => {
      const region = this.#regionAt(start);
      const next = starts[index + 1];
      let end = region === undefined ? next ?? start + pageSize : region.address + region.size;
      if (next !== undefined && next < end) end = next;
      return { start, end };
    });
    return new PlacedImage(path, entry.uuid, loadAddress, ranges);
  }

  /** The core's region that holds `address`. */
  #regionAt(address: bigint): CoreSegment | undefined {
    this.#regions ??= this.#source.segments.toSorted((a, b) =>
      a.address < b.address ? -1 : a.address > b.address ? 1 : 0
    );
    let low = 0;
    let high = this.#regions.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#regions[middle].address <= address) low = middle + 1;
      else high = middle;
    }
    const region = this.#regions[low - 1];
    return region !== undefined && address < region.address + region.size ? region : undefined;
  }

  /** The images in dyld's list, wherever it is; else those whose headers are found. */
  #discover(): NotedImage[] {
    const headers = this.#headers();
    for (const address of this.#imageInfosAddresses(headers)) {
      const listed = this.#listed(address);
      if (listed.length > 0) return listed.map(({ address, path }) => entryOf(address, path));
    }
    return headers.map(({ loadAddress }) => entryOf(loadAddress, null));
  }

  /** Addresses where `dyld_all_image_infos` may be: in dyld's section for it, at its symbol, or at the
   * start of a region that holds its own address, as our loader publishes it. */
  *#imageInfosAddresses(headers: readonly Image[]): Generator<bigint> {
    const { memory, segments } = this.#source;
    for (const image of headers) {
      if (image.fileType !== FILE_TYPE.MH_DYLINKER) continue;
      for (const { sections } of image.segments) {
        for (const { name, address } of sections) if (name === "__all_image_info") yield address;
      }
      this.#place(image, entryOf(image.loadAddress, null));
      for (const { address } of image.findSymbols("dyld_all_image_infos")) yield address;
    }
    const own = memory.pointerSize === 8 ? 104n : 56n;
    for (const { address } of segments.slice(0, maxSegments)) {
      const pointer = memory.readUpTo(address + own, memory.pointerSize);
      if (pointer.length < memory.pointerSize) continue;
      if (memory.readPointer(address + own) === address && address !== 0n) yield address;
    }
  }

  #listed(address: bigint): { address: bigint; path: string }[] {
    const { memory, cpuType, warn } = this.#source;
    const info = { address, size: 0n, is64: memory.pointerSize === 8, cpuType, pid: 0 };
    const head = readImageInfosHead(memory, info);
    if (typeof head === "string" || head.infoArray === 0n) return [];
    return readImageList(memory, info, head, warn);
  }

  /** The images whose headers are in the core, at the start of a page. */
  #headers(): Image[] {
    const { memory, core, segments } = this.#source;
    const images: Image[] = [];
    const magic = memory.pointerSize === 8 ? MAGIC.MH_MAGIC_64 : MAGIC.MH_MAGIC;
    const first = new Uint8Array(4);
    const view = new DataView(first.buffer);
    const look = (address: bigint): void => {
      if (!core.has(address) || core.readInto(address, first) < 4) return;
      if (view.getUint32(0, true) !== magic) return;
      try {
        const image = Image.fromMemory(memory, address, "");
        if (image.cpuType === this.#source.cpuType) images.push(image);
      } catch (error) {
        if (!(error instanceof FormatError || error instanceof MemoryReadError)) throw error;
      }
    };
    const looked = segments.slice(0, maxSegments);
    for (const { address } of looked) look(address);
    let pages = maxPages;
    for (const { address, size, fileSize } of looked) {
      const bytes = BigInt(fileSize) < size ? BigInt(fileSize) : size;
      for (
        let at = address + pageSize;
        at < address + bytes && pages > 0;
        at += pageSize, pages--
      ) {
        look(at);
      }
    }
    const main = (image: Image): number => image.fileType === FILE_TYPE.MH_EXECUTE ? 0 : 1;
    return images.sort((a, b) => main(a) - main(b));
  }
}

function entryOf(loadAddress: bigint, path: string | null): NotedImage {
  return { path, uuid: null, loadAddress, slide: null, segments: [], executing: null };
}

/** The address that an image was linked for, if it is placed at 0. */
function linkedAddress(image: Image): bigint {
  return image.loadAddress - image.slide;
}
