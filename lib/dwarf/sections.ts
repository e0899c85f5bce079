/** The sections that DWARF is in, of which only what is asked for is read. */
import { FormatError } from "../errors.ts";
import { Budget } from "./budget.ts";
import { inflate } from "./zlib.ts";

/** Where bytes come from: a file, or a part of one. */
export interface DwarfSource {
  /** For messages. Not safe to print raw. */
  readonly name: string;
  /** Bytes. */
  readonly size: number;
  /** The bytes at `offset`: fewer than `length` only where the source ends.
   *
   * @param into of at least `length` bytes: may be filled and a part of it returned, or ignored
   */
  read(offset: number, length: number, into?: Uint8Array): Uint8Array;
}

/** Which section is where in a file. */
export interface DwarfSectionPlace {
  /** Such as `__debug_info`. */
  readonly name: string;
  /** `__DWARF` for those that count. */
  readonly segmentName: string;
  /** Bytes from the source's start. */
  readonly fileOffset: number;
  /** Bytes. */
  readonly size: number;
}

/** `ZLIB`, big endian. */
const ZLIB = 0x5a4c4942;
/** What a name in a Mach-O section header is cut to. */
const NAME_LENGTH = 16;

/** One section. */
export class DwarfSection {
  /** Such as `__debug_info`. */
  readonly name: string;
  /** Bytes. */
  readonly size: number;
  readonly #source: DwarfSource;
  readonly #offset: number;

  /** Names a part of a source; it ends where the source does at the latest. */
  constructor(name: string, source: DwarfSource, offset: number, size: number) {
    this.name = name;
    this.#source = source;
    this.#offset = offset;
    this.size = Math.max(0, Math.min(size, source.size - offset));
  }

  /** The bytes at an offset, fewer at the section's end.
   *
   * @param into may be filled and returned in part
   */
  read(offset: number, length: number, into?: Uint8Array): Uint8Array {
    const wanted = Math.min(length, this.size - offset);
    if (!(offset >= 0 && wanted > 0)) return new Uint8Array();
    return this.#source.read(this.#offset + offset, wanted, into);
  }

  /** All of the bytes at an offset.
   *
   * @throws {FormatError} when fewer are there
   */
  take(offset: number, length: number, into?: Uint8Array): Uint8Array {
    const bytes = this.read(offset, length, into);
    if (bytes.length < length) {
      throw new FormatError(this.name, offset, `${length} bytes, and here are ${bytes.length}`);
    }
    return bytes;
  }
}

/** The sections of one image. */
export class DwarfSections {
  /** For messages. Not safe to print raw. */
  readonly name: string;
  readonly #source: DwarfSource;
  readonly #places: ReadonlyMap<string, DwarfSectionPlace>;
  readonly #sections = new Map<string, DwarfSection>();
  /** For all that is read of the image. */
  readonly budget: Budget;
  /** What the file says that sections have, and does not hold. */
  readonly missing: readonly string[];
  /** Told which sections cannot be decompressed, and are taken to be empty. */
  warn: ((text: string) => void) | undefined;

  private constructor(source: DwarfSource, places: ReadonlyMap<string, DwarfSectionPlace>) {
    this.name = source.name;
    this.#source = source;
    this.#places = places;
    let size = 0;
    const missing: string[] = [];
    for (const place of places.values()) {
      const held = Math.max(0, Math.min(place.size, source.size - place.fileOffset));
      if (held < place.size) {
        missing.push(`${place.name}: ${held} of ${place.size} bytes are there`);
      }
      size += held;
    }
    this.missing = missing;
    // Sections may overlap.
    this.budget = new Budget(Math.min(size, source.size));
  }

  /** Finds the sections of an image; `null` when it has no DWARF units.
   *
   * @param source from the Mach-O header on
   * @param sections of all segments
   */
  static find(
    source: DwarfSource,
    sections: Iterable<DwarfSectionPlace>,
  ): DwarfSections | null {
    const places = new Map<string, DwarfSectionPlace>();
    for (const place of sections) {
      if (place.segmentName === "__DWARF" && !places.has(place.name)) {
        places.set(place.name, place);
      }
    }
    if (!places.has("__debug_info") && !places.has("__zdebug_info")) return null;
    return new DwarfSections(source, places);
  }

  /** A section, empty when there is none of the name.
   *
   * @param name in full and without what they all begin with, such as `str_offsets`
   * @throws {FormatError} when it is that of the units, and cannot be decompressed
   */
  get(name: string): DwarfSection {
    let section = this.#sections.get(name);
    if (section === undefined) {
      section = this.#open(name);
      this.#sections.set(name, section);
    }
    return section;
  }

  #open(name: string): DwarfSection {
    const plain = `__debug_${name}`;
    const place = this.#places.get(plain.slice(0, NAME_LENGTH));
    if (place !== undefined) {
      return new DwarfSection(plain, this.#source, place.fileOffset, place.size);
    }
    const compressed = this.#places.get(`__zdebug_${name}`.slice(0, NAME_LENGTH));
    if (compressed === undefined) return new DwarfSection(plain, this.#source, 0, 0);
    const { fileOffset, size } = compressed;
    const length = Math.max(0, Math.min(size, this.#source.size - fileOffset));
    let bytes: Uint8Array = new Uint8Array();
    try {
      bytes = inflateSection(this.#source.read(fileOffset, length), plain, this.budget);
    } catch (error) {
      if (!(error instanceof FormatError) || name === "info") throw error;
      this.warn?.(`${plain} left out: ${error.message}`);
    }
    const source = {
      name: this.name,
      size: bytes.length,
      read: (offset: number, length: number) => bytes.subarray(offset, offset + length),
    };
    return new DwarfSection(plain, source, 0, bytes.length);
  }
}

/** The contents of a compressed section, a `__zdebug_…`: `ZLIB`, the length, big endian, and a zlib
 * stream. What does not begin like that is returned as it is.
 *
 * @param name for messages
 * @param budget the image's; for a section that is alone it may be left out
 * @throws {FormatError} when it is damaged, or says that it has too many bytes
 */
export function inflateSection(
  bytes: Uint8Array,
  name: string,
  budget: Budget = new Budget(bytes.length),
): Uint8Array {
  if (bytes.length < 12) return bytes;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (view.getUint32(0) !== ZLIB) return bytes;
  const inflated = view.getUint32(4) * 2 ** 32 + view.getUint32(8);
  budget.inflate(inflated, bytes.length, name);
  return inflate(bytes.subarray(12), inflated, name);
}

/** The smallest and the largest read of a window. */
const MIN_READ = 1 << 12;
const MAX_READ = 1 << 20;

/** A part of a section that moves to where it is needed. Reading on from where it ends doubles it,
 * so that what is read front to back is read in few and large parts, and what is not in small ones. */
export class Window {
  /** What is in memory. */
  bytes: Uint8Array = new Uint8Array();
  /** The section's offset of the first of {@linkcode bytes}. */
  start = 0;
  readonly section: DwarfSection;
  #next = MIN_READ;
  #buffer: Uint8Array = new Uint8Array();

  constructor(section: DwarfSection) {
    this.section = section;
  }

  /** Where the byte at `offset` is in {@linkcode bytes}, with `length` bytes there from it on; -1
   * when the section does not have them. */
  at(offset: number, length: number): number {
    const index = offset - this.start;
    if (index >= 0 && index + length <= this.bytes.length) return index;
    return this.#move(offset, length);
  }

  #move(offset: number, length: number): number {
    const { section } = this;
    if (!(offset >= 0 && length <= section.size - offset)) return -1;
    const index = offset - this.start;
    const onwards = index >= 0 && index <= this.bytes.length;
    this.#next = onwards ? Math.min(this.#next * 2, MAX_READ) : MIN_READ;
    const wanted = Math.max(this.#next, length);
    if (this.#buffer.length < wanted) this.#buffer = new Uint8Array(wanted);
    this.bytes = section.read(offset, wanted, this.#buffer);
    this.start = offset;
    return this.bytes.length < length ? -1 : 0;
  }
}
