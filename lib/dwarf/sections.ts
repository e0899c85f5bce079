/** The DWARF sections of an image, read on demand. */
import type { RawText } from "../escape.ts";
import { FormatError } from "../errors.ts";
import { Budget } from "./budget.ts";
import { decompressZstd, inflate } from "./zlib.ts";

/** A source of bytes: a file, or a part of one. */
export interface DwarfSource {
  /** For messages. */
  readonly name: RawText;
  /** Size in bytes. */
  readonly size: number;
  /** The bytes at `offset`; fewer than `length` only at the end of the source.
   *
   * @param into at least `length` bytes: an implementation may fill it and return a part of it
   */
  read(offset: number, length: number, into?: Uint8Array): Uint8Array;
}

/** The place of a section in a file. */
export interface DwarfSectionPlace {
  /** Such as `__debug_info`. */
  readonly name: string;
  /** `__DWARF` for DWARF sections. */
  readonly segmentName: string;
  /** Offset in the source. */
  readonly fileOffset: number;
  /** Size in bytes. */
  readonly size: number;
  /** Bytes of a pointer, when the section is compressed and begins with an `Elf32_Chdr` or `Elf64_Chdr`. */
  readonly compressed?: 4 | 8;
}

/** `ZLIB`, big endian. */
const ZLIB = 0x5a4c4942;
/** `ch_type`. */
const ELFCOMPRESS_ZLIB = 1;
const ELFCOMPRESS_ZSTD = 2;
/** Maximum length of a name in a Mach-O section header. Longer names are cut. */
const NAME_LENGTH = 16;

/** What a split file has not: the linker writes it, once it knows the addresses. */
const linkedSections: ReadonlySet<string> = new Set(["addr", "ranges"]);

/** The index of the last of some rising numbers that is not above a number. */
function lastUpTo(starts: readonly number[], number: number): number {
  let low = 0;
  let high = starts.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (starts[middle] <= number) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** One section. */
export class DwarfSection {
  /** Such as `__debug_info`. */
  readonly name: string;
  /** Size in bytes, as far as the source has them. */
  readonly size: number;
  /** The offset from which on units are DWARF 4's type units: those of `.debug_types` follow the others. */
  readonly types: number;
  readonly #source: DwarfSource;
  readonly #offset: number;

  /** Makes a section of a part of a source, cut at the end of the source. */
  constructor(
    name: string,
    source: DwarfSource,
    offset: number,
    size: number,
    types: number = Infinity,
  ) {
    this.types = types;
    this.name = name;
    this.#source = source;
    this.#offset = offset;
    this.size = Math.max(0, Math.min(size, source.size - offset));
  }

  /** The bytes at an offset; fewer at the end of the section.
   *
   * @param into may be filled and returned in part
   */
  read(offset: number, length: number, into?: Uint8Array): Uint8Array {
    const wanted = Math.min(length, this.size - offset);
    if (!(offset >= 0 && wanted > 0)) return new Uint8Array();
    return this.#source.read(this.#offset + offset, wanted, into);
  }

  /** Exactly `length` bytes at an offset.
   *
   * @throws {FormatError} when there are fewer
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
  /** For messages. */
  readonly name: RawText;
  readonly #source: DwarfSource;
  readonly #places: ReadonlyMap<string, readonly DwarfSectionPlace[]>;
  /** Of a split file: the sections of the linked one. */
  readonly #linked: DwarfSections | undefined;
  readonly #sections = new Map<string, DwarfSection>();
  /** Limits what reading the image costs. */
  readonly budget: Budget;
  /** Sections that the file does not contain completely, one line each. */
  readonly missing: readonly string[];
  /** Receives a line for each section that cannot be decompressed and is treated as empty. */
  warn: ((text: string) => void) | undefined;

  private constructor(
    source: DwarfSource,
    places: ReadonlyMap<string, readonly DwarfSectionPlace[]>,
    linked?: DwarfSections,
  ) {
    this.name = source.name;
    this.#source = source;
    this.#places = places;
    this.#linked = linked;
    let size = 0;
    const missing: string[] = [];
    for (const place of [...places.values()].flat()) {
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

  /** Finds the sections of an image; `null` if it has no DWARF units.
   *
   * @param source the image, from its Mach-O header
   * @param sections the sections of all segments
   * @param linked of a split file, the sections of the linked one: they have its addresses
   */
  static find(
    source: DwarfSource,
    sections: Iterable<DwarfSectionPlace>,
    linked?: DwarfSections,
  ): DwarfSections | null {
    const places = new Map<string, DwarfSectionPlace[]>();
    for (const place of sections) {
      if (place.segmentName !== "__DWARF") continue;
      const known = places.get(place.name);
      if (known === undefined) places.set(place.name, [place]);
      else known.push(place);
    }
    if (!places.has("__debug_info") && !places.has("__zdebug_info")) return null;
    return new DwarfSections(source, places, linked);
  }

  /** A section; empty if the image has none with the name.
   *
   * @param name full name without `__debug_`, such as `str_offsets`; with both underscores one that has another prefix
   * @throws {FormatError} when it is `info` and cannot be decompressed
   */
  get(name: string): DwarfSection {
    let section = this.#sections.get(name);
    if (section === undefined) {
      section = name === "info"
        ? this.#openUnits()
        : this.#linked !== undefined && linkedSections.has(name)
        ? this.#linked.get(name)
        : this.#open(name);
      this.#sections.set(name, section);
    }
    return section;
  }

  /** `.debug_info`, and `.debug_types` of DWARF 4 after it. An object file has several: one for each type unit
   * that the linker may find in others too. */
  #openUnits(): DwarfSection {
    const infos = this.#all("info");
    const parts = [...infos, ...this.#all("types")].filter(({ size }) => size > 0);
    if (parts.length < 2 && parts[0] === infos[0]) return infos[0];
    const starts: number[] = [];
    let size = 0;
    for (const part of parts) {
      starts.push(size);
      size += part.size;
    }
    const read = (offset: number, length: number, into?: Uint8Array): Uint8Array => {
      let at = lastUpTo(starts, offset);
      const head = parts[at].read(offset - starts[at], length, into);
      if (head.length === length || at + 1 === parts.length) return head;
      const whole = new Uint8Array(Math.min(length, size - offset));
      whole.set(head);
      for (let done = head.length; done < whole.length;) {
        const bytes = parts[++at].read(0, whole.length - done);
        if (bytes.length === 0) return whole.subarray(0, done);
        whole.set(bytes, done);
        done += bytes.length;
      }
      return whole;
    };
    const types = infos.reduce((sum, info) => sum + info.size, 0);
    return new DwarfSection(infos[0].name, { name: this.name, size, read }, 0, size, types);
  }

  /** All sections of a name; an empty one where there is none. */
  #all(name: string): DwarfSection[] {
    const places = this.#places.get(`__debug_${name}`) ?? [];
    return places.length < 2
      ? [this.#open(name)]
      : places.map((place) => this.#openAt(`__debug_${name}`, place));
  }

  #open(name: string): DwarfSection {
    const plain = name.startsWith("__") ? name : `__debug_${name}`;
    const place = this.#places.get(plain.slice(0, NAME_LENGTH))?.[0];
    if (place !== undefined) return this.#openAt(plain, place);
    const inflated = this.#places.get(`__zdebug_${name}`.slice(0, NAME_LENGTH))?.[0];
    return inflated === undefined
      ? new DwarfSection(plain, this.#source, 0, 0)
      : this.#inflated(plain, inflated);
  }

  #openAt(plain: string, place: DwarfSectionPlace): DwarfSection {
    return place.compressed === undefined
      ? new DwarfSection(plain, this.#source, place.fileOffset, place.size)
      : this.#inflated(plain, place);
  }

  #inflated(plain: string, place: DwarfSectionPlace): DwarfSection {
    const { fileOffset, size, compressed } = place;
    const length = Math.max(0, Math.min(size, this.#source.size - fileOffset));
    let bytes: Uint8Array = new Uint8Array();
    try {
      const held = this.#source.read(fileOffset, length);
      bytes = compressed === undefined
        ? inflateSection(held, plain, this.budget)
        : inflateElfSection(held, compressed, plain, this.budget);
    } catch (error) {
      if (!(error instanceof FormatError) || plain === "__debug_info") throw error;
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

/** The contents of a compressed section, `__zdebug_…`: `ZLIB`, the big-endian length and a zlib stream. Other
 * bytes are returned unchanged.
 *
 * @param name for messages
 * @param budget that of the image. Default: one for this section
 * @throws {FormatError} when it is damaged or too large
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

/** The contents of a compressed ELF section: `Elf32_Chdr` or `Elf64_Chdr`, and what zlib or zstd made.
 *
 * @throws {FormatError} when it is damaged, too large, or compressed by another method
 */
function inflateElfSection(
  bytes: Uint8Array,
  pointerSize: 4 | 8,
  name: string,
  budget: Budget,
): Uint8Array {
  const headerSize = pointerSize === 8 ? 24 : 12;
  if (bytes.length < headerSize) throw new FormatError(name, 0, "a compression header");
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const method = view.getUint32(0, true);
  if (method !== ELFCOMPRESS_ZLIB && method !== ELFCOMPRESS_ZSTD) {
    throw new FormatError(name, 0, `zlib or zstd, not method ${method}`);
  }
  const inflated = pointerSize === 8 ? Number(view.getBigUint64(8, true)) : view.getUint32(4, true);
  budget.inflate(inflated, bytes.length, name);
  const read = method === ELFCOMPRESS_ZLIB ? inflate : decompressZstd;
  return read(bytes.subarray(headerSize), inflated, name);
}

// Smallest and largest read of a window.
const MIN_READ = 1 << 12;
const MAX_READ = 1 << 20;

/** A movable window over a section. A move to its end doubles the size of the next read: sequential access
 * makes few large reads, random access small ones. */
export class Window {
  /** The bytes in memory. */
  bytes: Uint8Array = new Uint8Array();
  /** Offset of {@linkcode bytes} in the section. */
  start = 0;
  readonly section: DwarfSection;
  #next = MIN_READ;
  #buffer: Uint8Array = new Uint8Array();

  constructor(section: DwarfSection) {
    this.section = section;
  }

  /** The index in {@linkcode bytes} of the byte at `offset`, with at least `length` bytes from there; -1 if
   * the section does not have them. */
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
