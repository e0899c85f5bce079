/** One Mach-O image: in a file, or in memory where dyld mapped it. */

import { FormatError, MemoryReadError } from "../errors.ts";
import type { RawText } from "../escape.ts";
import { hex } from "../hex.ts";
import { type ByteSource, bytesSource, part } from "./bytes.ts";
import { FILE_TYPE, MH_DYLIB_IN_CACHE, SECTION_TYPE } from "./constants.ts";
import { readFat } from "./fat.ts";
import { type MachHeader, MAX_HEADER_SIZE, parseHeader } from "./header.ts";
import { ImageSymbols } from "./image_symbols.ts";
import type { NameSearch } from "./name_search.ts";
import {
  type BuildVersion,
  type DylibReference,
  type LoadCommand,
  type ParsedCommands,
  parseLoadCommands,
  type SectionCommand,
} from "./load_commands.ts";
import {
  boundedMemory,
  fileSource,
  type ImageSource,
  memorySource,
  readAvailable,
} from "./source.ts";
import type { NamesFound, SymbolColumns, SymbolTable } from "./symbol_table.ts";
import type {
  AddressRange,
  CodeImage,
  ImageSymbol,
  MemoryReader,
  Section,
  Segment,
  SymbolMatch,
} from "./types.ts";

/** Maximum size of load commands in memory: more than any image has. It limits what a damaged
 * header costs. */
const MAX_COMMANDS_SIZE = 4 << 20;

/** Maximum size of one {@linkcode Image.read}: more than any section that is read as a whole. */
const MAX_READ = 1 << 28;
/** Maximum size of load commands in a file. A core has one command per region. */
const MAX_FILE_COMMANDS = 64 << 20;

/** Options of {@linkcode Image.fromFile}. */
export interface ImageFileOptions {
  /** `CPU_TYPE_*` of the slice of a universal file; by default the first slice. */
  readonly arch?: number;
  /** The address of the header; by default the one it was linked for. */
  readonly loadAddress?: bigint;
}

/** One Mach-O image.
 *
 * @example
 * ```ts
 * import { Image } from "@machpause/machpause/macho";
 *
 * const image = Image.fromFile(await Deno.readFile("libworkers.dylib"), "libworkers.dylib");
 * console.log(image.uuid, image.findSymbols("worker_main"));
 * ```
 */
export class Image implements CodeImage {
  /** The path's last component. */
  readonly name: RawText;
  /** As given by dyld or the caller. */
  readonly path: RawText;
  /** `CPU_TYPE_*`. */
  readonly cpuType: number;
  /** `CPU_SUBTYPE_*`, with the capability bits. */
  readonly cpuSubtype: number;
  /** `MH_EXECUTE` and so on. */
  readonly fileType: number;
  /** `MH_*` flags. */
  readonly flags: number;
  /** Bytes. */
  readonly pointerSize: 4 | 8;
  /** From `LC_UUID`: upper case, `8-4-4-4-12`. */
  readonly uuid: string | null;
  /** Address of the Mach-O header. */
  readonly loadAddress: bigint;
  /** The load address minus the address that the header was linked for. */
  readonly slide: bigint;
  /** In the file's order. */
  readonly segments: readonly Segment[];
  /** The addresses of the image, in ascending order and without overlaps. */
  readonly ranges: readonly AddressRange[];
  /** All load commands, including unknown ones. */
  readonly loadCommands: readonly LoadCommand[];
  /** The dylibs that the image loads, in the order of its load commands. */
  readonly dylibs: readonly DylibReference[];
  /** The install name of a dylib; `null` for other images. */
  readonly installName: RawText | null;
  /** From `LC_SOURCE_VERSION`, such as `1.2.3`. */
  readonly sourceVersion: string | null;
  /** The platform and the oldest system version that the image was built for. */
  readonly buildVersion: BuildVersion | null;
  /** Damage, one line each; damaged parts are left out. Reading the symbols may add lines. */
  readonly warnings: string[];

  readonly #commands: ParsedCommands;
  readonly #source: ImageSource;
  /** The address that the header was linked for. */
  readonly #linkedAddress: bigint;
  readonly #symbolReader: ImageSymbols;

  private constructor(
    path: string,
    header: MachHeader,
    commands: ParsedCommands,
    loadAddress: bigint | undefined,
    source: (segments: readonly Segment[]) => ImageSource,
    warnings: string[],
  ) {
    this.path = path;
    this.name = path.slice(path.lastIndexOf("/") + 1);
    this.cpuType = header.cpuType;
    this.cpuSubtype = header.cpuSubtype;
    this.fileType = header.fileType;
    this.flags = header.flags;
    this.pointerSize = header.pointerSize;
    this.warnings = warnings;
    this.uuid = commands.uuid;
    this.loadCommands = commands.commands;
    this.dylibs = commands.dylibs;
    this.installName = commands.installName;
    this.sourceVersion = commands.sourceVersion;
    this.buildVersion = commands.buildVersion;
    this.#commands = commands;
    this.#linkedAddress = linkedAddress(commands, header.fileType, warnings);
    this.loadAddress = loadAddress ?? this.#linkedAddress;
    this.slide = this.loadAddress - this.#linkedAddress;
    this.segments = this.#placeSegments(commands);
    this.ranges = this.#placeRanges();
    this.#source = source(this.segments);
    this.#symbolReader = new ImageSymbols(this, this.#linkedAddress, this.#source, commands);
  }

  /** Reads an image in memory. Header and load commands are read now, in two reads; parts of
   * `__LINKEDIT` are read when symbols are first needed.
   *
   * @param reader of the target's memory
   * @param loadAddress of the image's header
   * @param path of the image according to dyld
   * @throws {MemoryReadError} when the header cannot be read
   * @throws {FormatError} when there is no Mach-O header
   */
  static fromMemory(reader: MemoryReader, loadAddress: bigint, path: string): Image {
    const memory = boundedMemory(reader);
    const warnings: string[] = [];
    const header = parseHeader(memory.read(loadAddress, MAX_HEADER_SIZE), path);
    if (header.commandsSize > MAX_COMMANDS_SIZE) {
      throw new FormatError(path, 20, `load commands of at most ${MAX_COMMANDS_SIZE} bytes`);
    }
    // The parser reports what could not be read.
    const bytes = readAvailable(memory, loadAddress + BigInt(header.size), header.commandsSize);
    const commands = parseLoadCommands(bytes, header, warnings);
    const source = (segments: readonly Segment[]): ImageSource => memorySource(reader, segments);
    return new Image(path, header, commands, loadAddress, source, warnings);
  }

  /** Reads an image from the bytes of a file, or one image of a universal file.
   *
   * @param bytes of the whole file; kept, not copied
   * @param path of the image, also named in errors
   * @throws {FormatError} when there is no Mach-O header, or no slice of that architecture
   */
  static fromFile(bytes: Uint8Array, path: string, options: ImageFileOptions = {}): Image {
    return Image.fromSource(bytesSource(bytes, path), options);
  }

  /** Reads an image from a file, or one image of a universal file. Only the needed parts of the
   * file are read.
   *
   * @param file to be kept open as long as the image is used; its name is the image's path and is
   * named in errors
   * @throws {FormatError} when there is no Mach-O header, or no slice of that architecture
   */
  static fromSource(file: ByteSource, options: ImageFileOptions = {}): Image {
    const path = file.name;
    const slices = readFat(file) ?? [{ cpuType: 0, offset: 0, size: file.size }];
    const { arch } = options;
    const slice = slices.find(({ cpuType }) =>
      arch === undefined || cpuType === 0 || cpuType === arch
    );
    if (slice === undefined) {
      throw new FormatError(path, 8, `an image for CPU type ${hex(arch!)}`);
    }
    const image = part(file, slice.offset, slice.size);
    const header = parseHeader(image.read(0, MAX_HEADER_SIZE), path);
    if (arch !== undefined && header.cpuType !== arch) {
      throw new FormatError(path, slice.offset + 4, `an image for CPU type ${hex(arch)}`);
    }
    const warnings: string[] = [];
    // The parser reports what is beyond the end of the file.
    const commandBytes = image.read(header.size, Math.min(header.commandsSize, MAX_FILE_COMMANDS));
    const commands = parseLoadCommands(commandBytes, header, warnings);
    const source = (segments: readonly Segment[]): ImageSource => fileSource(image, segments);
    return new Image(path, header, commands, options.loadAddress, source, warnings);
  }

  /** The symbols. They are read and sorted at first use. */
  get symbols(): SymbolTable {
    return this.#symbolReader.all;
  }

  /** The names of symbols that begin with `prefix`, with or without their leading underscore, for
   * completion.
   *
   * @param limit maximum number of names
   */
  symbolNames(prefix: string, limit: number): NamesFound {
    return this.#symbolReader.startingWith(prefix, limit);
  }

  /** See {@linkcode CodeImage.hasFunctionStarts}. */
  get hasFunctionStarts(): boolean {
    return this.#symbolReader.hasFunctionStarts;
  }

  /** Whether `address` is in one of the image's segments. */
  contains(address: bigint): boolean {
    return this.ranges.some(({ start, end }) => address >= start && address < end);
  }

  /** The segment that holds `address`. */
  segmentAt(address: bigint): Segment | null {
    return this.segments.find((segment) => holds(segment, address)) ?? null;
  }

  /** The section that holds `address`. */
  sectionAt(address: bigint): Section | null {
    return this.segmentAt(address)?.sections.find((section) => holds(section, address)) ?? null;
  }

  /** Bytes from the load address to `address`. */
  toOffset(address: bigint): number {
    return Number(address - this.loadAddress);
  }

  /** The image's bytes at a slid address, read at each call; `null` when some cannot be read. */
  read(address: bigint, length: number): Uint8Array | null {
    if (length > MAX_READ) return null;
    try {
      return this.#source.read(address, length);
    } catch (error) {
      if (error instanceof MemoryReadError) return null;
      throw error;
    }
  }

  /** The symbol that contains `address`; `null` when none is known. */
  symbolAt(address: bigint): SymbolMatch | null {
    return this.#symbolReader.symbolAt(Number(address - this.loadAddress));
  }

  /** See {@linkcode CodeImage.isThumb}. */
  isThumb(address: bigint): boolean | null {
    return this.#symbolReader.isThumb(Number(address - this.loadAddress));
  }

  /** The symbols that begin at offsets from the load address from `start` up to, not including, `end`,
   * ascending: of several at one offset the preferred one. */
  symbolsBetween(start: number, end: number): Iterable<ImageSymbol> {
    return this.#symbolReader.between(start, end);
  }

  /** Whether the image is one of the dyld shared cache. */
  get inSharedCache(): boolean {
    return (this.flags & MH_DYLIB_IN_CACHE) !== 0 && this.#source.relocated;
  }

  /** The symbols with exactly this name, with or without the leading underscore. In an image of the
   * dyld shared cache only exported symbols are found. */
  findSymbols(name: string): ImageSymbol[] {
    return this.#symbolReader.find(name);
  }

  /** Adds the symbols that the builder of the shared cache stripped from this image.
   *
   * @param columns of {@linkcode SharedCacheSymbols.columns}
   * @ignore
   */
  addLocalSymbols(columns: SymbolColumns): void {
    this.#symbolReader.addLocals(columns);
  }

  /** The symbols that {@linkcode findSymbols} does not look for in an image of the dyld shared
   * cache.
   *
   * @param search of the name, for all images of a target
   * @ignore
   */
  searchSymbols(search: NameSearch): ImageSymbol[] {
    return this.#symbolReader.search(search);
  }

  /** Such as `0x100000000 demo 8A6E…`. */
  toString(): string {
    return `${hex(this.loadAddress)} ${this.name}${this.uuid ? ` ${this.uuid}` : ""}`;
  }

  /** As in `bt --json`. */
  toJSON(): unknown {
    return {
      name: this.name,
      path: this.path,
      uuid: this.uuid,
      loadAddress: hex(this.loadAddress),
      slide: hex(this.slide),
    };
  }

  /** The form that `console.log` prints. */
  [Symbol.for("Deno.customInspect")](): string {
    return `Image(${this})`;
  }

  /** Moves the segments to their addresses in memory. */
  #placeSegments(commands: ParsedCommands): Segment[] {
    // 32-bit addresses wrap around. Damaged ones must stay in range.
    const bits = this.pointerSize * 8;
    const place = (vmAddress: bigint): bigint => BigInt.asUintN(bits, vmAddress + this.slide);
    const section = (command: SectionCommand): Section => ({
      name: command.name,
      segmentName: command.segmentName,
      address: place(command.vmAddress),
      vmAddress: command.vmAddress,
      size: toSize(command.size),
      fileOffset: command.fileOffset,
      flags: command.flags,
      type: command.flags & SECTION_TYPE.MASK,
    });
    return commands.segments.map((command) => ({
      name: command.name,
      address: place(command.vmAddress),
      vmAddress: command.vmAddress,
      size: toSize(command.size),
      fileOffset: toSize(command.fileOffset),
      fileSize: toSize(command.fileSize),
      initialProtection: command.initialProtection,
      maxProtection: command.maxProtection,
      sections: command.sections.map(section),
    }));
  }

  /** The addresses of the image: its segments, without those that only reserve addresses
   * (`__PAGEZERO`), and without the `__LINKEDIT` that all images of the shared cache have in
   * common. */
  #placeRanges(): AddressRange[] {
    const inCache = (this.flags & MH_DYLIB_IN_CACHE) !== 0;
    const ranges: { start: bigint; end: bigint }[] = [];
    const limit = 1n << BigInt(this.pointerSize * 8);
    const placed = this.segments.filter(({ name, size, fileSize, maxProtection }) =>
      size > 0 && !(inCache && name === "__LINKEDIT") &&
      !(name === "__PAGEZERO" || (maxProtection === 0 && fileSize === 0))
    ).sort((a, b) => a.address < b.address ? -1 : a.address > b.address ? 1 : 0);
    for (const { address: start, size } of placed) {
      const sum = start + BigInt(size);
      const end = sum < limit ? sum : limit;
      const last = ranges.at(-1);
      if (last !== undefined && start <= last.end) {
        if (end > last.end) last.end = end;
      } else {
        ranges.push({ start, end });
      }
    }
    return ranges;
  }
}

/** The address that the Mach-O header was linked for: that of the segment with the first bytes of
 * the file. */
function linkedAddress(commands: ParsedCommands, fileType: number, warnings: string[]): bigint {
  const text = commands.segments.find(({ name }) => name === "__TEXT");
  if (text !== undefined) return text.vmAddress;
  if (fileType !== FILE_TYPE.MH_OBJECT && fileType !== FILE_TYPE.MH_CORE) {
    warnings.push("there is no __TEXT segment: the slide is not known");
  }
  return commands.segments.find(({ fileOffset, fileSize }) => fileOffset === 0n && fileSize > 0n)
    ?.vmAddress ?? 0n;
}

function holds({ address, size }: { address: bigint; size: number }, at: bigint): boolean {
  return at >= address && at < address + BigInt(size);
}

/** A size as a number. One above 2^53 is damage, and larger than any address space either way. */
function toSize(value: bigint): number {
  return value > Number.MAX_SAFE_INTEGER ? Number.MAX_SAFE_INTEGER : Number(value);
}
