/** One Mach-O image in a file, with everything that `otool`, `nm` and `dyld_info` show. Each part
 * is read at first use. */

import { FormatError, MemoryReadError } from "../errors.ts";
import type { RawText } from "../escape.ts";
import { hex } from "../hex.ts";
import { type ByteSource, part } from "./bytes.ts";
import {
  type ChainedFixups,
  chainedFixups,
  type ChainedImage,
  readChainedFixups,
} from "./chained_fixups.ts";
import { type CodeSignature, readCodeSignature } from "./code_signature.ts";
import { type FieldValue, loadCommandName, readCommandFields } from "./command_fields.ts";
import { LC } from "./constants.ts";
import { dyldFixups } from "./dyld_info.ts";
import { type ExportEntry, readExports } from "./exports.ts";
import type { Fixup } from "./fixups.ts";
import { parseFunctionStarts } from "./function_starts.ts";
import { type MachHeader, MAX_HEADER_SIZE, parseHeader } from "./header.ts";
import { Image } from "./image.ts";
import { type IndirectSymbol, readIndirectSymbols } from "./indirect_symbols.ts";
import { archName, fileTypeName, platformName, toolName } from "./names.ts";
import { type ObjcClass, readObjcMethods } from "./objc.ts";
import { pointerDecoder } from "./pointers.ts";
import { fileSource, type ImageSource } from "./source.ts";
import { readSwiftTypes, type SwiftType } from "./swift.ts";
import { SymbolList } from "./symbol_list.ts";
import { nlistSize } from "./symtab.ts";
import type { Segment } from "./types.ts";

/** A load command with its fields. */
export interface LoadCommandInfo {
  /** Such as `LC_SYMTAB`; `LC_0x…` for an unknown command. */
  readonly name: string;
  /** `LC_*`. */
  readonly command: number;
  /** Bytes from the Mach-O header. */
  readonly offset: number;
  /** Bytes. */
  readonly size: number;
  /** Named as in `<mach-o/loader.h>`; none for an unknown command. */
  readonly fields: Readonly<Record<string, FieldValue>>;
}

/** A dylib that the image loads. */
export interface DylibInfo {
  /** The install name. */
  readonly name: RawText;
  /** The load command, such as `LC_LOAD_WEAK_DYLIB`. */
  readonly command: string;
  /** Such as `1319.0.0`. */
  readonly currentVersion: string | null;
  /** Such as `1.0.0`. */
  readonly compatibilityVersion: string | null;
}

/** A platform that the image was built for. */
export interface BuildInfo {
  /** Such as `macos`. */
  readonly platform: string;
  /** The oldest system version, such as `11.0.0`. */
  readonly minimum: string | null;
  /** Such as `14.2.0`; `0.0.0` when the linker did not know it. */
  readonly sdk: string | null;
  /** The tools that built it. */
  readonly tools: readonly { readonly tool: string; readonly version: string | null }[];
}

/** The encrypted part of the file. */
export interface EncryptionInfo {
  /** Bytes from the Mach-O header. */
  readonly offset: number;
  /** Bytes. */
  readonly size: number;
  /** 0 when it is not encrypted, or no longer. */
  readonly id: number;
}

/** Data in a format of its owner (`LC_NOTE`). */
export interface NoteInfo {
  /** Such as `all image infos`. */
  readonly owner: RawText;
  /** Bytes from the Mach-O header. */
  readonly offset: bigint;
  /** Bytes. */
  readonly size: bigint;
}

/** An Objective-C method. */
export interface ObjcMethodInfo {
  /** Such as `-[Class method:]`. */
  readonly name: RawText;
  /** The address of the implementation, as linked. */
  readonly address: bigint;
}

/** A class or category, with its methods. */
export interface ObjcClassInfo {
  /** The name of the class. */
  readonly name: RawText;
  /** The name of the category; `null` for a class. */
  readonly category: RawText | null;
  /** `null` for none, and when unknown. */
  readonly superclass: RawText | null;
  /** The address of the `class_t` or `category_t`, as linked. */
  readonly address: bigint;
  /** Instance methods first. */
  readonly methods: readonly ObjcMethodInfo[];
}

/** Maximum number of warnings. */
const MAX_WARNINGS = 100;

/** One Mach-O image in a file, from {@linkcode MachOFile}.
 *
 * @example
 * ```ts
 * import { openImage } from "@machpause/machpause";
 * import { type MachOSlice } from "@machpause/machpause/macho";
 *
 * using file = openImage("/usr/lib/dyld");
 * const needs = (image: MachOSlice) => image.dylibs.map(({ name }) => name);
 * for (const image of file.images) console.log(image.arch, image.kind, needs(image));
 * ```
 */
export class MachOSlice {
  /** The file's path. */
  readonly path: RawText;
  /** The member's name, for an image in an archive. */
  readonly member: RawText | null;
  /** The offset of the Mach-O header, in bytes from the file's start. */
  readonly offset: number;
  /** Bytes. */
  readonly size: number;
  /** Such as `arm64e`. */
  readonly arch: string;
  /** The header's fields. */
  readonly header: MachHeader;
  /** The image for lookups of symbols and frames, at the address that it was linked for. */
  readonly image: Image;
  readonly #file: ByteSource;
  readonly #warnings: string[] = [];
  #source: ImageSource | undefined;
  #commands: LoadCommandInfo[] | undefined;
  #bound: Map<bigint, string> | undefined;

  /** Reads header and load commands.
   *
   * @param file that contains the image
   * @param offset of the Mach-O header, in bytes
   * @param size in bytes
   * @param member name of the archive's member
   * @throws {FormatError} when there is no Mach-O header
   * @ignore
   */
  constructor(file: ByteSource, offset: number, size: number, member: string | null = null) {
    this.path = file.name;
    this.member = member;
    this.offset = offset;
    this.#file = part(file, offset, size);
    this.size = this.#file.size;
    try {
      this.header = parseHeader(this.#file.read(0, MAX_HEADER_SIZE), file.name);
      this.image = Image.fromSource(this.#file);
    } catch (error) {
      if (!(error instanceof FormatError)) throw error;
      throw new FormatError(error.file, offset + error.offset, error.expected);
    }
    this.arch = archName(this.header.cpuType, this.header.cpuSubtype);
  }

  /** In upper case, `8-4-4-4-12`; `null` when it has none. */
  get uuid(): string | null {
    return this.image.uuid;
  }

  /** Damage in the parts read so far, one line each; damaged parts are left out. */
  get warnings(): readonly string[] {
    return [...this.image.warnings, ...this.#warnings];
  }

  /** `mach_header.filetype` in words, such as `dylib`. */
  get kind(): string {
    return fileTypeName(this.header.fileType);
  }

  /** The segments, with their sections, as linked. */
  get segments(): readonly Segment[] {
    return this.image.segments;
  }

  /** All load commands with their fields, in the file's order. */
  get loadCommands(): readonly LoadCommandInfo[] {
    return this.#commands ??= this.#readCommands();
  }

  /** The dylibs that the image loads. Their position here, from 1, is their ordinal. */
  get dylibs(): DylibInfo[] {
    const loads: number[] = [
      ...[LC.LOAD_DYLIB, LC.LOAD_WEAK_DYLIB, LC.REEXPORT_DYLIB],
      ...[LC.LAZY_LOAD_DYLIB, LC.LOAD_UPWARD_DYLIB],
    ];
    return this.loadCommands.filter(({ command }) => loads.includes(command))
      .map(({ name, fields }) => ({
        name: text(fields.name) ?? "",
        command: name,
        currentVersion: text(fields.current_version),
        compatibilityVersion: text(fields.compatibility_version),
      }));
  }

  /** The folders that `@rpath/…` stands for. */
  get rpaths(): RawText[] {
    return this.#fieldsOf(LC.RPATH).map(({ path }) => text(path) ?? "");
  }

  /** The platforms that the image was built for, and the tools. */
  get builds(): BuildInfo[] {
    const builds = this.#fieldsOf(LC.BUILD_VERSION).map((fields): BuildInfo => ({
      platform: platformName(number(fields.platform)),
      minimum: text(fields.minos),
      sdk: text(fields.sdk),
      tools: (fields.tools as Record<string, FieldValue>[]).map(({ tool, version }) => ({
        tool: toolName(number(tool)),
        version: text(version),
      })),
    }));
    for (const [command, platform] of oldVersionCommands) {
      for (const { version, sdk } of this.#fieldsOf(command)) {
        builds.push({ platform, minimum: text(version), sdk: text(sdk), tools: [] });
      }
    }
    return builds;
  }

  /** From `LC_ENCRYPTION_INFO`; `null` when there is none. */
  get encryption(): EncryptionInfo | null {
    const [fields] = [
      ...this.#fieldsOf(LC.ENCRYPTION_INFO_64),
      ...this.#fieldsOf(LC.ENCRYPTION_INFO),
    ];
    return fields === undefined ? null : {
      offset: number(fields.cryptoff),
      size: number(fields.cryptsize),
      id: number(fields.cryptid),
    };
  }

  /** The `LC_NOTE`s. */
  get notes(): NoteInfo[] {
    return this.#fieldsOf(LC.NOTE).map(({ data_owner, offset, size }) => ({
      owner: text(data_owner) ?? "",
      offset: typeof offset === "bigint" ? offset : 0n,
      size: typeof size === "bigint" ? size : 0n,
    }));
  }

  /** The symbol table; `null` when there is none. */
  symbols(): SymbolList | null {
    const [fields] = this.#fieldsOf(LC.SYMTAB);
    if (fields === undefined) return null;
    const size = number(fields.nsyms) * nlistSize(this.header.pointerSize);
    const table = this.#range("the symbol table", number(fields.symoff), size);
    const strings = this.#range(
      "the string table",
      number(fields.stroff),
      number(fields.strsize),
    );
    const sections = this.segments.flatMap(({ sections }) => sections);
    return new SymbolList(table, strings, this.header.pointerSize, sections);
  }

  /** The symbols of stubs and of symbol pointers.
   *
   * @param symbols the symbol table, if it has been read already
   */
  indirectSymbols(symbols: SymbolList | null = this.symbols()): IndirectSymbol[] {
    const [fields] = this.#fieldsOf(LC.DYSYMTAB);
    const count = number(fields?.nindirectsyms ?? null);
    if (fields === undefined || count === 0) return [];
    const table = this.#range(
      "the indirect symbols",
      number(fields.indirectsymoff),
      count * 4,
    );
    const sections: Record<string, FieldValue>[] = this.loadCommands.flatMap(({ fields }) =>
      (fields.sections ?? []) as Record<string, FieldValue>[]
    );
    return readIndirectSymbols(table, sections, this.header.pointerSize, symbols);
  }

  /** The starts of functions, ascending, as linked. The lowest bit is set for Thumb functions. */
  functionStarts(): bigint[] {
    const bytes = this.#linkedit("the function starts", LC.FUNCTION_STARTS);
    if (bytes === null) return [];
    const base = this.image.loadAddress;
    const limit = this.segments.reduce(
      (most, { vmAddress, size }) => Math.max(most, Number(vmAddress - base) + size),
      0,
    );
    const { offsets, complete } = parseFunctionStarts(bytes, limit);
    if (!complete) this.#warn("the function starts are damaged: some are left out");
    return Array.from(offsets, (offset) => base + BigInt(offset));
  }

  /** The names that other images can bind to. */
  exports(): ExportEntry[] {
    const bytes = this.#linkedit("the export trie", LC.DYLD_EXPORTS_TRIE) ??
      this.#dyldInfo("export", "the export trie");
    if (bytes === null) return [];
    const { entries, complete } = readExports(bytes);
    if (!complete) this.#warn("the export trie is damaged: some exports are left out");
    return entries;
  }

  /** The starts of fixup chains, and the symbols that they bind to; `null` when there are no
   * chains. */
  chains(): ChainedFixups | null {
    const bytes = this.#linkedit("the chained fixups", LC.DYLD_CHAINED_FIXUPS);
    return bytes === null ? null : readChainedFixups(bytes, (message) => this.#warn(message));
  }

  /** All changes that dyld makes to the image's pointers: from chains, and from the opcodes of
   * classic information. */
  *fixups(): IterableIterator<Fixup> {
    const image = this.#fixupImage();
    for (const kind of ["rebase", "bind", "weak-bind", "lazy-bind"] as const) {
      const opcodes = this.#dyldInfo(kind.replace("-", "_"), `the ${kind} opcodes`);
      if (opcodes !== null) yield* dyldFixups(opcodes, kind, image);
    }
    const chains = this.chains();
    if (chains !== null) yield* chainedFixups(chains, image);
  }

  /** The Objective-C classes and categories, with their methods. */
  objcClasses(): ObjcClassInfo[] {
    const found = this.#guard("the Objective-C metadata", () => {
      const source = this.#imageSource();
      const bound = (address: bigint) => this.#boundSymbol(address);
      const image = this.image;
      return readObjcMethods(
        {
          cpuType: image.cpuType,
          pointerSize: image.pointerSize,
          loadAddress: image.loadAddress,
          slide: image.slide,
          segments: image.segments,
          warnings: this.#warnings,
          contains: (address) => image.contains(address),
        },
        source,
        this.#chainedPayload(),
        bound,
      );
    });
    if (found === undefined || found === null) return [];
    const method = (row: number): ObjcMethodInfo => ({
      name: found.names.at(found.nameOffsets[row]),
      address: found.addresses[row],
    });
    return found.classes.map(({ firstMethod, methodCount, ...rest }: ObjcClass) => ({
      ...rest,
      methods: Array.from({ length: methodCount }, (_, index) => method(firstMethod + index)),
    }));
  }

  /** The Swift types and protocols that the image defines. */
  swiftTypes(): SwiftType[] {
    return this.#guard("the Swift types", () =>
      readSwiftTypes({
        pointerSize: this.header.pointerSize,
        segments: this.segments,
        source: this.#imageSource(),
        decode: pointerDecoder(this.image, false, this.#chainedPayload()),
        boundSymbol: (address) => this.#boundSymbol(address),
        warn: (message) => this.#warn(message),
      })) ?? [];
  }

  /** The contents of the code signature; `null` when there is none. Nothing is verified. */
  codeSignature(): CodeSignature | null {
    const bytes = this.#linkedit("the code signature", LC.CODE_SIGNATURE);
    return bytes === null ? null : readCodeSignature(bytes, (message) => this.#warn(message));
  }

  /** Such as `demo (arm64): executable`. The path is not escaped. */
  toString(): string {
    const name = this.member === null ? this.path : `${this.path}(${this.member})`;
    return `${name} (${this.arch}): ${this.kind}`;
  }

  /** The form that `console.log` prints. */
  [Symbol.for("Deno.customInspect")](): string {
    return `MachOSlice(${this})`;
  }

  #readCommands(): LoadCommandInfo[] {
    const commands = this.image.loadCommands;
    const start = this.header.size;
    const last = commands.at(-1);
    const bytes = this.#file.read(start, last === undefined ? 0 : last.offset + last.size - start);
    return commands.map(({ command, offset, size }) => ({
      name: loadCommandName(command),
      command,
      offset,
      size,
      fields: readCommandFields(bytes.subarray(offset - start, offset - start + size), command),
    }));
  }

  #fieldsOf(command: number): Readonly<Record<string, FieldValue>>[] {
    return this.loadCommands.filter((each) => each.command === command).map(({ fields }) => fields);
  }

  #warn(message: string): void {
    if (this.#warnings.length < MAX_WARNINGS) this.#warnings.push(message);
    else if (this.#warnings.length === MAX_WARNINGS) this.#warnings.push("and more of the like");
  }

  /** A range of the file, with a warning when it is incomplete. */
  #range(what: string, offset: number, size: number): Uint8Array {
    const bytes = this.#file.read(offset, size);
    if (bytes.length < size) {
      this.#warn(
        `${what}: at offset ${hex(this.offset + offset)}: ` +
          `${bytes.length} of ${size} bytes are there`,
      );
    }
    return bytes;
  }

  /** The payload of a `linkedit_data_command`; `null` when there is none. */
  #linkedit(what: string, command: number): Uint8Array | null {
    const [fields] = this.#fieldsOf(command);
    if (fields === undefined || number(fields.datasize) === 0) return null;
    return this.#range(what, number(fields.dataoff), number(fields.datasize));
  }

  /** One of the five parts of `dyld_info_command`. */
  #dyldInfo(name: string, what: string): Uint8Array | null {
    const [fields] = [...this.#fieldsOf(LC.DYLD_INFO_ONLY), ...this.#fieldsOf(LC.DYLD_INFO)];
    const size = number(fields?.[`${name}_size`] ?? null);
    if (fields === undefined || size === 0) return null;
    return this.#range(what, number(fields[`${name}_off`]), size);
  }

  #fixupImage(): ChainedImage {
    const { pointerSize } = this.header;
    return {
      pointerSize,
      segments: this.segments,
      linkedAddress: this.image.loadAddress,
      maxFixups: Math.floor(this.size / pointerSize) + 64,
      warn: (message) => this.#warn(message),
      readSegment: ({ fileOffset, fileSize }, offset, length) =>
        this.#file.read(fileOffset + offset, Math.min(length, fileSize - offset)),
    };
  }

  #imageSource(): ImageSource {
    return this.#source ??= fileSource(this.#file, this.segments);
  }

  #chainedPayload(): Uint8Array | null {
    return this.#linkedit("the chained fixups", LC.DYLD_CHAINED_FIXUPS);
  }

  /** The symbol that the pointer at `address` is bound to. */
  #boundSymbol(address: bigint): string | null {
    if (this.#bound === undefined) {
      this.#bound = new Map();
      for (const { address, symbol } of this.fixups()) {
        if (address !== null && symbol !== null) this.#bound.set(address, symbol);
      }
    }
    return this.#bound.get(address) ?? null;
  }

  /** Runs one part of the reading. A failure affects that part only. */
  #guard<T>(what: string, read: () => T): T | undefined {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof MemoryReadError) && !(error instanceof FormatError)) throw error;
      this.#warn(`${what} cannot be read: ${error.message}`);
      return undefined;
    }
  }
}

/** The commands with the oldest system version before there was `LC_BUILD_VERSION`. */
const oldVersionCommands: readonly (readonly [number, string])[] = [
  [LC.VERSION_MIN_MACOSX, "macos"],
  [LC.VERSION_MIN_IPHONEOS, "ios"],
  [LC.VERSION_MIN_TVOS, "tvos"],
  [LC.VERSION_MIN_WATCHOS, "watchos"],
];

function text(value: FieldValue): string | null {
  return typeof value === "string" ? value : null;
}

/** A number field, 0 when the command is too short to hold it. */
function number(value: FieldValue): number {
  return typeof value === "number" ? value : 0;
}
