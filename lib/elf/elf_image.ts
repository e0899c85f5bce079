/** One ELF image: a program or library of Linux, mapped into a target. */

import { escape, type RawText } from "../escape.ts";
import { FormatError } from "../errors.ts";
import { hex } from "../hex.ts";
import { log } from "../log.ts";
import {
  type AddressRange,
  type ByteSource,
  bytesSource,
  type CodeImage,
  type ImageSymbol,
  type NamesFound,
  part,
  type Section,
  type Segment,
  type SymbolMatch,
} from "../macho/walking.ts";
import {
  type ElfFile,
  type ElfSection,
  type ElfSegment,
  isElf,
  readElf,
  SECTION,
} from "./elf_file.ts";
import { ElfSymbols } from "./elf_symbols.ts";

const EM_ARM = 40;
/** Maximum size of one read: more than any section of unwind information or symbols. */
const MAX_READ = 1 << 28;
/** Maximum length of a section's name in Mach-O, which the readers of DWARF go by. */
const NAME_LENGTH = 16;

interface Contents {
  readonly file: ByteSource;
  readonly elf: ElfFile;
  /** The load address minus the lowest linked one. */
  readonly slide: bigint;
  readonly segments: readonly Segment[];
}

/** A mapped ELF file. Its contents are read from the file, at the first question that needs them.
 *
 * Sections have Mach-O's names (`.eh_frame` is `__TEXT,__eh_frame`, `.debug_info` is
 * `__DWARF,__debug_info`), so that one reader of DWARF serves both formats. */
export class ElfImage implements CodeImage {
  readonly path: RawText;
  readonly name: RawText;
  /** `null`: ELF files have a build ID instead. */
  readonly uuid = null;
  readonly loadAddress: bigint;
  readonly ranges: readonly AddressRange[];
  /** Functions end where their symbols say. */
  readonly hasFunctionStarts = false;
  /** The damage found so far, one line each. */
  readonly warnings: string[] = [];
  readonly #open: () => ByteSource | null;
  readonly #expected: string | undefined;
  #contents: Contents | null | undefined;
  #symbols: ElfSymbols | undefined;

  /** @param ranges all of the file's, at least one, in rising order
   * @param open the file; `null` when it cannot be read. Called once.
   * @param buildId that the file must have; by default any */
  constructor(
    path: string,
    ranges: readonly AddressRange[],
    open: () => ByteSource | null,
    buildId?: string,
  ) {
    this.path = path;
    this.name = path.slice(path.lastIndexOf("/") + 1);
    this.ranges = ranges;
    this.loadAddress = ranges[0].start;
    this.#open = open;
    this.#expected = buildId;
  }

  /** Places a file at an address.
   *
   * @throws {FormatError} when it is no ELF file
   */
  static fromSource(file: ByteSource, loadAddress = 0n): ElfImage {
    const { segments } = readElf(file);
    const base = linkedAddress(segments);
    const ranges = segments.map(({ vmAddress, size }) => ({
      start: vmAddress - base + loadAddress,
      end: vmAddress - base + loadAddress + BigInt(size),
    }));
    const start = { start: loadAddress, end: loadAddress };
    return new ElfImage(file.name, ranges.length > 0 ? ranges : [start], () => file);
  }

  /** The headers; `null` when the file is not there or is no ELF file. */
  get elf(): ElfFile | null {
    return this.#read()?.elf ?? null;
  }

  /** `NT_GNU_BUILD_ID`, in hexadecimal; `null` when there is none, or the file could not be read. */
  get buildId(): string | null {
    return this.#read()?.elf.buildId ?? null;
  }

  /** The file that the image was read from; `null` when it could not be read. */
  get file(): ByteSource | null {
    return this.#read()?.file ?? null;
  }

  get slide(): bigint {
    return this.#read()?.slide ?? this.loadAddress;
  }

  get segments(): readonly Segment[] {
    return this.#read()?.segments ?? [];
  }

  /** Whether the file is there and is ELF. */
  get isReadable(): boolean {
    return this.#read() !== null;
  }

  /** All symbols of the file, sorted at first use; none where it cannot be read. */
  get symbols(): ElfSymbols {
    return this.#symbols ??= this.#readSymbols();
  }

  symbolAt(address: bigint): SymbolMatch | null {
    const contents = this.#read();
    return contents && this.symbols.symbolAt(Number(address - contents.slide));
  }

  /** See {@linkcode CodeImage.isThumb}. */
  isThumb(address: bigint): boolean | null {
    return this.symbolAt(address)?.symbol?.thumb ?? null;
  }

  /** Names of symbols that begin with a prefix.
   *
   * @param limit maximum number of names
   */
  symbolNames(prefix: string, limit: number): NamesFound {
    return this.#read() === null
      ? { names: [], more: 0 }
      : this.symbols.startingWith(prefix, limit);
  }

  findSymbols(name: string): ImageSymbol[] {
    return this.#read() === null ? [] : this.symbols.find(name);
  }

  segmentAt(address: bigint): Segment | null {
    return this.segments.find((segment) => holds(segment, address)) ?? null;
  }

  sectionAt(address: bigint): Section | null {
    return this.segmentAt(address)?.sections.find((section) => holds(section, address)) ?? null;
  }

  read(address: bigint, length: number): Uint8Array | null {
    const segment = this.segmentAt(address);
    if (segment === null || length > MAX_READ) return null;
    const inside = Number(address - segment.address);
    if (inside + length > segment.fileSize) return null;
    const bytes = this.#read()!.file.read(segment.fileOffset + inside, length);
    return bytes.length === length ? bytes : null;
  }

  #read(): Contents | null {
    if (this.#contents === undefined) {
      this.#contents = null;
      try {
        const file = this.#open();
        if (file !== null && isElf(file.read(0, 4))) this.#contents = this.#place(file);
        if (this.#expected !== undefined && this.#contents !== null) this.#checkIdentity();
      } catch (error) {
        if (!(error instanceof FormatError)) throw error;
        this.warnings.push(error.message);
      }
      log.symbols?.(`${this.path}: ${this.#contents === null ? "not read" : "read"} as ELF`);
    }
    return this.#contents;
  }

  /** Another file may have got the path since. */
  #checkIdentity(): void {
    const { buildId } = this.#contents!.elf;
    if (buildId === this.#expected) return;
    this.#contents = null;
    this.warnings.push(`${this.path} is not used: its build ID is ${buildId ?? "missing"}`);
  }

  #place(file: ByteSource): Contents {
    const elf = readElf(file);
    const slide = this.loadAddress - linkedAddress(elf.segments);
    const section = (from: ElfSection): Section => ({
      ...machOName(from),
      address: from.vmAddress + slide,
      vmAddress: from.vmAddress,
      size: from.size,
      fileOffset: from.fileOffset,
      flags: 0,
      type: 0,
    });
    const mapped = elf.sections.filter(({ vmAddress, type }) =>
      type !== SECTION.NOBITS && vmAddress !== 0n
    ).map(section);
    const inside = ({ vmAddress: start, size }: ElfSegment): Section[] => {
      const end = start + BigInt(size);
      return mapped.filter(({ vmAddress }) => vmAddress >= start && vmAddress < end);
    };
    const segments = elf.segments.map((from): Segment => ({
      name: (from.flags & 1) !== 0 ? "__TEXT" : "__DATA",
      address: from.vmAddress + slide,
      vmAddress: from.vmAddress,
      size: from.size,
      fileOffset: from.fileOffset,
      fileSize: from.fileSize,
      initialProtection: protection(from.flags),
      maxProtection: protection(from.flags),
      sections: inside(from),
    }));
    // What is not mapped: debug information, in a segment of its own as dsymutil writes it.
    const loose = elf.sections.filter(({ vmAddress, type, compressed }) =>
      vmAddress === 0n && type !== SECTION.NOBITS && !compressed
    );
    const dwarf: Segment = {
      ...{ name: "__DWARF", address: 0n, vmAddress: 0n, size: 0, fileOffset: 0, fileSize: 0 },
      ...{ initialProtection: 0, maxProtection: 0 },
      sections: loose.map((from) => ({ ...section(from), address: from.vmAddress })),
    };
    return { file, elf, slide, segments: [...segments, dwarf] };
  }

  #readSymbols(): ElfSymbols {
    const contents = this.#read();
    if (contents === null) {
      const nothing = new Uint8Array();
      const none = { entries: nothing, names: bytesSource(nothing, this.path) };
      return new ElfSymbols(none, 8, this.loadAddress, false);
    }
    const { file, elf, slide } = contents;
    const { sections, pointerSize, machine } = elf;
    // The dynamic symbols are a part of all symbols, where those are not stripped.
    const table = sections.find(({ type }) => type === SECTION.SYMTAB) ??
      sections.find(({ type }) => type === SECTION.DYNSYM);
    const strings = table && sections[table.link];
    const isSane = strings !== undefined && Math.max(table!.size, strings.size) <= MAX_READ;
    return new ElfSymbols(
      {
        entries: isSane ? file.read(table!.fileOffset, table!.size) : new Uint8Array(),
        names: isSane
          ? part(file, strings.fileOffset, strings.size)
          : bytesSource(new Uint8Array(), file.name),
        ends: sections.map(({ vmAddress, size }) => Number(vmAddress) + size),
      },
      pointerSize,
      slide,
      machine === EM_ARM,
    );
  }

  /** Such as `0x7f0000000000 libc.so.6`. */
  toString(): string {
    return `${hex(this.loadAddress)} ${escape(this.path)}`;
  }

  /** The form of `bt --json`. */
  toJSON(): Record<string, unknown> {
    const { name, path, uuid, loadAddress } = this;
    return { name, path, uuid, loadAddress: hex(loadAddress), slide: hex(loadAddress) };
  }
}

/** The address that the first byte of the image was linked for. */
export function linkedAddress(segments: ElfFile["segments"]): bigint {
  let lowest: bigint | undefined;
  for (const { vmAddress } of segments) {
    if (lowest === undefined || vmAddress < lowest) lowest = vmAddress;
  }
  const page = 0x1000n;
  return lowest === undefined ? 0n : lowest - lowest % page;
}

/** A section's name and segment as Mach-O has them. */
export function machOName({ name }: ElfSection): { name: RawText; segmentName: RawText } {
  const isDebug = /^\.z?debug_/.test(name);
  return {
    name: `__${name.replace(/^\./, "")}`.slice(0, NAME_LENGTH),
    segmentName: isDebug ? "__DWARF" : "__TEXT",
  };
}

/** `VM_PROT_*` of `PF_*`, which has the bits the other way round. */
function protection(flags: number): number {
  return (flags & 1) << 2 | flags & 2 | (flags & 4) >> 2;
}

function holds({ address, size }: { address: bigint; size: number }, at: bigint): boolean {
  return at >= address && at < address + BigInt(size);
}
