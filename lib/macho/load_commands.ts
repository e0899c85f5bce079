/** The load commands after the header, from `<mach-o/loader.h>`. */

import type { RawText } from "../escape.ts";
import { formatUuid, hex } from "../hex.ts";
import { LC, PLATFORM_NAMES } from "./constants.ts";
import type { MachHeader } from "./header.ts";
import { cString } from "./strings.ts";

/** A load command and the place of its bytes. */
export interface LoadCommand {
  /** `LC_*`. */
  readonly command: number;
  /** Bytes from the Mach-O header. */
  readonly offset: number;
  /** Bytes, from `offset`. */
  readonly size: number;
}

/** A part of a file. */
export interface FileRange {
  /** Bytes from the Mach-O header. */
  readonly offset: number;
  /** Bytes. */
  readonly size: number;
}

/** A section, as linked. */
export interface SectionCommand {
  readonly name: string;
  readonly segmentName: string;
  readonly vmAddress: bigint;
  readonly size: bigint;
  readonly fileOffset: number;
  readonly flags: number;
}

/** `segment_command` and `segment_command_64`, with their sections. */
export interface SegmentCommand {
  readonly name: string;
  readonly vmAddress: bigint;
  readonly size: bigint;
  readonly fileOffset: bigint;
  readonly fileSize: bigint;
  readonly initialProtection: number;
  readonly maxProtection: number;
  readonly sections: readonly SectionCommand[];
}

/** `symtab_command`. */
export interface SymtabCommand {
  readonly symbolsOffset: number;
  readonly symbolCount: number;
  readonly stringsOffset: number;
  /** Bytes. */
  readonly stringsSize: number;
}

/** A dylib that the image loads. */
export interface DylibReference {
  /** The install name. */
  readonly name: RawText;
  /** `LC_LOAD_DYLIB`, `LC_LOAD_WEAK_DYLIB`, … */
  readonly command: number;
}

/** The platform and the oldest system version that an image runs on. */
export interface BuildVersion {
  /** Such as `macos`; `platform 99` for an unknown one. */
  readonly platform: string;
  /** Such as `11.0`. */
  readonly minimum: string;
  /** Such as `11.3`; `null` when unknown. */
  readonly sdk: string | null;
}

/** The contents of the load commands, as far as symbols and frames need them. */
export interface ParsedCommands {
  readonly commands: readonly LoadCommand[];
  readonly segments: readonly SegmentCommand[];
  readonly uuid: string | null;
  readonly installName: RawText | null;
  readonly dylibs: readonly DylibReference[];
  readonly symtab: SymtabCommand | null;
  readonly functionStarts: FileRange | null;
  readonly exportTrie: FileRange | null;
  readonly chainedFixups: FileRange | null;
  /** Such as `1.2.3`, without trailing zero parts. */
  readonly sourceVersion: string | null;
  readonly buildVersion: BuildVersion | null;
}

const SEGMENT_SIZE = { 4: 56, 8: 72 } as const;
const SECTION_SIZE = { 4: 68, 8: 80 } as const;

/** Minimum size of load commands, where it is more than the eight bytes of all. */
const minimumSizes: ReadonlyMap<number, number> = new Map([
  [LC.SEGMENT, SEGMENT_SIZE[4]],
  [LC.SEGMENT_64, SEGMENT_SIZE[8]],
  [LC.SYMTAB, 24],
  [LC.UUID, 24],
  [LC.LOAD_DYLIB, 24],
  [LC.ID_DYLIB, 24],
  [LC.LOAD_WEAK_DYLIB, 24],
  [LC.REEXPORT_DYLIB, 24],
  [LC.LAZY_LOAD_DYLIB, 24],
  [LC.LOAD_UPWARD_DYLIB, 24],
  [LC.FUNCTION_STARTS, 16],
  [LC.DYLD_EXPORTS_TRIE, 16],
  [LC.DYLD_CHAINED_FIXUPS, 16],
  [LC.DYLD_INFO, 48],
  [LC.DYLD_INFO_ONLY, 48],
  [LC.SOURCE_VERSION, 16],
  [LC.BUILD_VERSION, 24],
  [LC.VERSION_MIN_MACOSX, 16],
  [LC.VERSION_MIN_IPHONEOS, 16],
  [LC.VERSION_MIN_TVOS, 16],
  [LC.VERSION_MIN_WATCHOS, 16],
]);

/** The platforms of the old version commands. */
const minimumVersionPlatforms: ReadonlyMap<number, string> = new Map([
  [LC.VERSION_MIN_MACOSX, "macos"],
  [LC.VERSION_MIN_IPHONEOS, "ios"],
  [LC.VERSION_MIN_TVOS, "tvos"],
  [LC.VERSION_MIN_WATCHOS, "watchos"],
]);

/** `xxxx.yy.zz` in 16, 8 and 8 bits. The last part is left out when it is zero. */
function packedVersion(value: number): string {
  const patch = value & 0xff;
  return `${value >>> 16}.${(value >>> 8) & 0xff}${patch === 0 ? "" : `.${patch}`}`;
}

/** A.B.C.D.E in 24, 10, 10, 10 and 10 bits. */
function packedSourceVersion(value: bigint): string {
  const parts = [Number(value >> 40n)];
  for (const shift of [30n, 20n, 10n, 0n]) parts.push(Number((value >> shift) & 0x3ffn));
  while (parts.length > 2 && parts.at(-1) === 0) parts.pop();
  return parts.join(".");
}

/** Reads the load commands. Damaged ones are left out.
 *
 * @param bytes of all load commands, without the header before them
 * @param header that precedes them
 * @param warnings receives damage, one line each
 */
export function parseLoadCommands(
  bytes: Uint8Array,
  header: MachHeader,
  warnings: string[],
): ParsedCommands {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const commands: LoadCommand[] = [];
  const segments: SegmentCommand[] = [];
  const dylibs: DylibReference[] = [];
  let uuid: string | null = null;
  let installName: string | null = null;
  let symtab: SymtabCommand | null = null;
  let functionStarts: FileRange | null = null;
  let exportTrie: FileRange | null = null;
  let chainedFixups: FileRange | null = null;
  let sourceVersion: string | null = null;
  let buildVersion: BuildVersion | null = null;

  const u32 = (offset: number): number => view.getUint32(offset, true);
  const linkedit = (at: number): FileRange => ({ offset: u32(at + 8), size: u32(at + 12) });
  const dylibName = (at: number, size: number): string => {
    const offset = u32(at + 8);
    return offset < 8 || offset >= size ? "" : cString(bytes.subarray(at + offset, at + size));
  };

  let at = 0;
  for (let index = 0; index < header.commandCount; index++) {
    if (at + 8 > bytes.length) {
      warnings.push(
        `load command ${index} of ${header.commandCount} is past the end of the load commands`,
      );
      break;
    }
    const command = u32(at);
    const size = u32(at + 4);
    if (size < 8 || size > bytes.length - at) {
      warnings.push(`load command ${index} claims ${size} bytes; ${bytes.length - at} are left`);
      break;
    }
    commands.push({ command, offset: header.size + at, size });
    if (size < (minimumSizes.get(command) ?? 8)) {
      warnings.push(
        `load command ${index} (${hex(command)}) is too short: ${size} bytes`,
      );
      at += size;
      continue;
    }
    switch (command) {
      case LC.SEGMENT:
        segments.push(parseSegment(bytes, view, at, size, 4, warnings));
        break;
      case LC.SEGMENT_64:
        segments.push(parseSegment(bytes, view, at, size, 8, warnings));
        break;
      case LC.SYMTAB:
        symtab = {
          symbolsOffset: u32(at + 8),
          symbolCount: u32(at + 12),
          stringsOffset: u32(at + 16),
          stringsSize: u32(at + 20),
        };
        break;
      case LC.UUID:
        uuid = formatUuid(bytes.subarray(at + 8, at + 24));
        break;
      case LC.ID_DYLIB:
        installName = dylibName(at, size);
        break;
      case LC.LOAD_DYLIB:
      case LC.LOAD_WEAK_DYLIB:
      case LC.REEXPORT_DYLIB:
      case LC.LAZY_LOAD_DYLIB:
      case LC.LOAD_UPWARD_DYLIB:
        dylibs.push({ name: dylibName(at, size), command });
        break;
      case LC.FUNCTION_STARTS:
        functionStarts = linkedit(at);
        break;
      case LC.DYLD_EXPORTS_TRIE:
        exportTrie = linkedit(at);
        break;
      case LC.DYLD_CHAINED_FIXUPS:
        chainedFixups = linkedit(at);
        break;
      case LC.DYLD_INFO:
      case LC.DYLD_INFO_ONLY:
        // The last pair of dyld_info_command: export_off, export_size.
        exportTrie ??= { offset: u32(at + 40), size: u32(at + 44) };
        break;
      case LC.SOURCE_VERSION:
        sourceVersion = packedSourceVersion(view.getBigUint64(at + 8, true));
        break;
      case LC.BUILD_VERSION: {
        const platform = u32(at + 8);
        buildVersion = {
          platform: PLATFORM_NAMES[platform] ?? `platform ${platform}`,
          minimum: packedVersion(u32(at + 12)),
          sdk: u32(at + 16) === 0 ? null : packedVersion(u32(at + 16)),
        };
        break;
      }
      case LC.VERSION_MIN_MACOSX:
      case LC.VERSION_MIN_IPHONEOS:
      case LC.VERSION_MIN_TVOS:
      case LC.VERSION_MIN_WATCHOS:
        buildVersion ??= {
          platform: minimumVersionPlatforms.get(command)!,
          minimum: packedVersion(u32(at + 8)),
          sdk: u32(at + 12) === 0 ? null : packedVersion(u32(at + 12)),
        };
        break;
    }
    at += size;
  }
  return {
    commands,
    segments,
    uuid,
    installName,
    dylibs,
    symtab,
    functionStarts,
    exportTrie,
    chainedFixups,
    sourceVersion,
    buildVersion,
  };
}

/** Reads the `segment_command` of `size` bytes at `at`. */
function parseSegment(
  bytes: Uint8Array,
  view: DataView,
  at: number,
  size: number,
  pointerSize: 4 | 8,
  warnings: string[],
): SegmentCommand {
  const word = (offset: number): bigint =>
    pointerSize === 8 ? view.getBigUint64(offset, true) : BigInt(view.getUint32(offset, true));
  const name = cString(bytes.subarray(at + 8, at + 24));
  // After the four words: maxprot, initprot, nsects, flags.
  const afterWords = at + 24 + 4 * pointerSize;
  const headerSize = SEGMENT_SIZE[pointerSize];
  const sectionSize = SECTION_SIZE[pointerSize];
  let sectionCount = view.getUint32(afterWords + 8, true);
  const room = Math.floor((size - headerSize) / sectionSize);
  if (sectionCount > room) {
    warnings.push(`a segment claims ${sectionCount} sections and has room for ${room}`);
    sectionCount = room;
  }
  const sections: SectionCommand[] = [];
  for (let index = 0; index < sectionCount; index++) {
    const section = at + headerSize + index * sectionSize;
    // After the names and two words: offset, align, reloff, nreloc, flags.
    const fields = section + 32 + 2 * pointerSize;
    sections.push({
      name: cString(bytes.subarray(section, section + 16)),
      segmentName: cString(bytes.subarray(section + 16, section + 32)),
      vmAddress: word(section + 32),
      size: word(section + 32 + pointerSize),
      fileOffset: view.getUint32(fields, true),
      flags: view.getUint32(fields + 16, true),
    });
  }
  return {
    name,
    vmAddress: word(at + 24),
    size: word(at + 24 + pointerSize),
    fileOffset: word(at + 24 + 2 * pointerSize),
    fileSize: word(at + 24 + 3 * pointerSize),
    maxProtection: view.getInt32(afterWords, true),
    initialProtection: view.getInt32(afterWords + 4, true),
    sections,
  };
}
