/** Core files: `MH_CORE` of `<mach-o/loader.h>`, with the thread states of its `LC_THREAD`s and the
 * places of its memory and notes. The contents of the notes are in `core_notes.ts`.
 *
 * The `LC_SEGMENT`s of a core are the regions of its address space. As in every Mach-O file, bytes
 * past `fileSize` are zero. A segment with `fileSize` 0 is different: where it covers an image, its
 * bytes are those of the image's binary; elsewhere they are zero if the region was writable, and
 * unknown if it was not. */

import { FormatError } from "../errors.ts";
import type { RawText } from "../escape.ts";
import { hex } from "../hex.ts";
import type { ByteSource } from "./bytes.ts";
import { CPU_TYPE, FILE_TYPE, LC, MAGIC } from "./constants.ts";
import { type MachHeader, MAX_HEADER_SIZE, parseHeader } from "./header.ts";
import { cString } from "./strings.ts";

/** `LC_NOTE`. */
const LC_NOTE = 0x31;

/** `thread_state_flavor_t` of `<mach/i386/thread_status.h>` and `<mach/arm/thread_status.h>`: the
 * flavors that wrap others, and the exception state that has two forms. */
export const CORE_FLAVOR = {
  /** `x86_THREAD_STATE`: a header, then the 32-bit or the 64-bit state. */
  X86_THREAD_STATE: 7,
  /** `x86_EXCEPTION_STATE`: a header, then the 32-bit or the 64-bit state. */
  X86_EXCEPTION_STATE: 9,
  /** `ARM_THREAD_STATE`: plain, or after a header (`ARM_UNIFIED_THREAD_STATE`). */
  ARM_THREAD_STATE: 1,
  /** `ARM_THREAD_STATE32`: the same registers as `ARM_THREAD_STATE`. */
  ARM_THREAD_STATE32: 9,
  /** `ARM_THREAD_STATE64`. */
  ARM_THREAD_STATE64: 6,
  /** `ARM_EXCEPTION_STATE64`. */
  ARM_EXCEPTION_STATE64: 7,
  /** `ARM_EXCEPTION_STATE64_V2`: with a 64-bit syndrome. */
  ARM_EXCEPTION_STATE64_V2: 10,
} as const;

/** One flavor of a thread's state. */
export interface FlavorState {
  /** `thread_state_flavor_t`, never one that wraps others. */
  readonly flavor: number;
  /** As in the flavor's structure. */
  readonly state: Uint8Array;
}

/** A region of a core. */
export interface CoreSegment {
  /** Usually empty. */
  readonly name: RawText;
  /** In memory. */
  readonly address: bigint;
  /** Bytes in memory. */
  readonly size: bigint;
  /** Bytes from the start of the file. */
  readonly fileOffset: number;
  /** Bytes in the file, from the segment's start. */
  readonly fileSize: number;
  /** `VM_PROT_*`: 1 read, 2 write, 4 execute. */
  readonly initialProtection: number;
  /** `VM_PROT_*`: the maximum protection. */
  readonly maxProtection: number;
}

/** A note of a core: `note_command`. */
export interface CoreNote {
  /** At most 16 characters, such as `all image infos`. */
  readonly owner: RawText;
  /** Bytes from the start of the file. */
  readonly offset: number;
  /** Bytes. */
  readonly size: number;
}

/** The contents of a core. */
export interface CoreLayout {
  /** `CPU_TYPE_*`. */
  readonly cpuType: number;
  /** `CPU_SUBTYPE_*`, with the capability bits. */
  readonly cpuSubtype: number;
  /** In the file's order. */
  readonly segments: readonly CoreSegment[];
  /** The flavors of each thread, in the file's order. */
  readonly threads: readonly (readonly FlavorState[])[];
  /** In the file's order. */
  readonly notes: readonly CoreNote[];
  /** What the program was built for. LLDB derives the system's conventions from it, and cannot
   * unwind i386 without it. It is written only; readers take it from the images. */
  readonly buildVersion?: CoreBuildVersion;
}

/** `build_version_command`, without tools. */
export interface CoreBuildVersion {
  /** `PLATFORM_*`. */
  readonly platform: number;
  /** `xxxx.yy.zz` in 16, 8 and 8 bits. */
  readonly minimum: number;
}

/** What {@linkcode parseCore} reads. */
export interface CoreCommands extends CoreLayout {
  /** Bytes. */
  readonly pointerSize: 4 | 8;
  /** Damage, one line each; damaged parts are left out. */
  readonly warnings: string[];
}

/** Load commands are read in pieces of this many bytes, so that a damaged size does not cost
 * memory. */
const PIECE = 1 << 18;
/** Maximum size of an `LC_THREAD`: more than all flavors of any processor together. */
const MAX_THREAD_COMMAND = 1 << 16;

const SEGMENT_SIZE = { 4: 56, 8: 72 } as const;
const NOTE_SIZE = 40;
const BUILD_VERSION_SIZE = 24;

const encoder = new TextEncoder();

/** Reads a core's header and load commands.
 *
 * @throws {FormatError} when the file is not a core of a supported CPU
 *
 * @example
 * ```ts
 * import { bytesSource, parseCore } from "./mod.ts";
 *
 * const core = parseCore(bytesSource(await Deno.readFile("MyApp.core"), "MyApp.core"));
 * console.log(core.threads.length, core.notes.map(({ owner }) => owner));
 * ```
 */
export function parseCore(source: ByteSource): CoreCommands {
  const header = parseHeader(source.read(0, MAX_HEADER_SIZE), source.name);
  if (header.fileType !== FILE_TYPE.MH_CORE) {
    throw new FormatError(source.name, 12, "the file type of a core (4)");
  }
  const { cpuType, cpuSubtype, pointerSize } = header;
  const segments: CoreSegment[] = [];
  const threads: FlavorState[][] = [];
  const notes: CoreNote[] = [];
  const warnings: string[] = [];
  for (const { command, bytes, offset } of readCommands(source, header, warnings)) {
    switch (command) {
      case LC.SEGMENT:
      case LC.SEGMENT_64: {
        const width = command === LC.SEGMENT ? 4 : 8;
        if (bytes.length < SEGMENT_SIZE[width]) {
          warnings.push(`the segment at offset ${hex(offset)} is too short`);
          break;
        }
        const segment = parseSegment(bytes, width);
        checkSegment(segment, source, width, warnings);
        segments.push(segment);
        break;
      }
      case LC.THREAD:
      case LC.UNIXTHREAD:
        threads.push(parseThread(bytes, offset, cpuType, warnings));
        break;
      case LC_NOTE: {
        if (bytes.length < NOTE_SIZE) {
          warnings.push(`the note at offset ${hex(offset)} is too short`);
          break;
        }
        const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
        const note = {
          owner: cString(bytes.subarray(8, 24)),
          offset: Number(view.getBigUint64(24, true)),
          size: Number(view.getBigUint64(32, true)),
        };
        const room = Math.max(0, source.size - note.offset);
        if (note.size > room) {
          warnings.push(`the note ${JSON.stringify(note.owner)} is beyond the end of the file`);
        }
        notes.push({ ...note, size: Math.min(note.size, room) });
        break;
      }
    }
  }
  return { cpuType, cpuSubtype, pointerSize, segments, threads, notes, warnings };
}

interface Command {
  readonly command: number;
  /** The whole command; a large one of an unknown type may be truncated. */
  readonly bytes: Uint8Array;
  /** From the start of the file. */
  readonly offset: number;
}

/** The load commands, up to the first damaged one. */
function* readCommands(
  source: ByteSource,
  header: MachHeader,
  warnings: string[],
): Generator<Command> {
  const end = Math.min(header.size + header.commandsSize, source.size);
  let piece = new Uint8Array();
  let pieceStart = 0;
  /** Up to `length` bytes. */
  const at = (offset: number, length: number): Uint8Array => {
    if (offset < pieceStart || offset + length > pieceStart + piece.length) {
      pieceStart = offset;
      piece = new Uint8Array(source.read(offset, Math.min(PIECE, end - offset)));
    }
    return piece.subarray(offset - pieceStart, offset - pieceStart + length);
  };
  let offset = header.size;
  for (let index = 0; index < header.commandCount; index++) {
    const head = at(offset, 8);
    const which = `load command ${index} of ${header.commandCount}, at offset ${hex(offset)},`;
    if (head.length < 8) {
      warnings.push(`${which} is past the end of the load commands`);
      return;
    }
    const view = new DataView(head.buffer, head.byteOffset, 8);
    const command = view.getUint32(0, true);
    const size = view.getUint32(4, true);
    if (size < 8 || size > end - offset) {
      warnings.push(`${which} claims ${size} bytes; ${end - offset} are left`);
      return;
    }
    yield { command, bytes: at(offset, Math.min(size, MAX_THREAD_COMMAND)), offset };
    offset += size;
  }
}

function parseSegment(bytes: Uint8Array, width: 4 | 8): CoreSegment {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const word = (index: number): bigint =>
    width === 8
      ? view.getBigUint64(24 + index * 8, true)
      : BigInt(view.getUint32(24 + index * 4, true));
  const protections = 24 + 4 * width;
  return {
    name: cString(bytes.subarray(8, 24)),
    address: word(0),
    size: word(1),
    fileOffset: Number(word(2)),
    fileSize: Number(word(3)),
    maxProtection: view.getInt32(protections, true),
    initialProtection: view.getInt32(protections + 4, true),
  };
}

/** Warns about a segment that extends beyond the file or the address space. */
function checkSegment(
  { address, size, fileOffset, fileSize }: CoreSegment,
  source: ByteSource,
  width: 4 | 8,
  warnings: string[],
): void {
  const which = `the segment at ${hex(address)}`;
  if (address + size > 1n << BigInt(width * 8)) {
    warnings.push(`${which} claims ${hex(size)} bytes, beyond the address space`);
  }
  if (fileSize > 0 && fileOffset + fileSize > source.size) {
    const room = Math.max(0, source.size - fileOffset);
    warnings.push(
      `${which}: ${room} of its ${fileSize} bytes are in the file, which was cut short`,
    );
  }
}

/** The flavors of an `LC_THREAD`: each is a flavor, a count of 32-bit words, and the words. */
function parseThread(
  bytes: Uint8Array,
  offset: number,
  cpuType: number,
  warnings: string[],
): FlavorState[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const states: FlavorState[] = [];
  let at = 8;
  while (at + 8 <= bytes.length) {
    const flavor = view.getUint32(at, true);
    const size = view.getUint32(at + 4, true) * 4;
    // Zeros pad the command.
    if (flavor === 0 && size === 0) break;
    if (size > bytes.length - at - 8) {
      warnings.push(
        `the thread at offset ${hex(offset)}: flavor ${flavor} claims ${size} bytes, ` +
          `${bytes.length - at - 8} are left`,
      );
      break;
    }
    const state = bytes.slice(at + 8, at + 8 + size);
    states.push(unwrap(flavor, state, cpuType));
    at += 8 + size;
  }
  return states;
}

/** Takes the inner flavor out of a wrapping one. */
function unwrap(flavor: number, state: Uint8Array, cpuType: number): FlavorState {
  const isArm = cpuType === CPU_TYPE.ARM || cpuType === CPU_TYPE.ARM64;
  const holds = isArm
    // The plain one has 17 words.
    ? flavor === CORE_FLAVOR.ARM_THREAD_STATE && state.length > 17 * 4
    : flavor === CORE_FLAVOR.X86_THREAD_STATE || flavor === CORE_FLAVOR.X86_EXCEPTION_STATE;
  if (holds && state.length >= 8) {
    const view = new DataView(state.buffer, state.byteOffset, 8);
    const inner = { flavor: view.getUint32(0, true), size: view.getUint32(4, true) * 4 };
    if (inner.size <= state.length - 8) {
      return bare(inner.flavor, state.subarray(8, 8 + inner.size), isArm);
    }
  }
  return bare(flavor, state, isArm);
}

function bare(flavor: number, state: Uint8Array, isArm: boolean): FlavorState {
  return isArm && flavor === CORE_FLAVOR.ARM_THREAD_STATE32
    ? { flavor: CORE_FLAVOR.ARM_THREAD_STATE, state }
    : { flavor, state };
}

function threadCommandSize(states: readonly FlavorState[], pointerSize: 4 | 8): number {
  const size = states.reduce((sum, { state }) => sum + 8 + state.length, 8);
  return Math.ceil(size / pointerSize) * pointerSize;
}

function is64(cpuType: number): boolean {
  return cpuType === CPU_TYPE.X86_64 || cpuType === CPU_TYPE.ARM64;
}

/** Size of a core's header and load commands, in bytes: its contents may begin there. */
export function coreHeaderSize(
  { cpuType, segments, threads, notes, buildVersion }: {
    readonly cpuType: number;
    readonly buildVersion?: CoreBuildVersion;
    readonly segments: { readonly length: number };
    readonly threads: CoreLayout["threads"];
    readonly notes: { readonly length: number };
  },
): number {
  const pointerSize = is64(cpuType) ? 8 : 4;
  return (pointerSize === 8 ? 32 : 28) + segments.length * SEGMENT_SIZE[pointerSize] +
    threads.reduce((sum, states) => sum + threadCommandSize(states, pointerSize), 0) +
    notes.length * NOTE_SIZE + (buildVersion === undefined ? 0 : BUILD_VERSION_SIZE);
}

/** The header and load commands of a core: notes, threads, segments, in LLDB's order.
 *
 * @example
 * ```ts
 * import { bytesSource, CPU_TYPE, encodeCore, parseCore } from "./mod.ts";
 *
 * const layout = { cpuType: CPU_TYPE.ARM64, cpuSubtype: 0, segments: [], threads: [], notes: [] };
 * console.log(parseCore(bytesSource(encodeCore(layout), "core")).cpuType === CPU_TYPE.ARM64); // true
 * ```
 */
export function encodeCore(layout: CoreLayout): Uint8Array {
  const { cpuType, cpuSubtype, segments, threads, notes, buildVersion } = layout;
  const pointerSize = is64(cpuType) ? 8 : 4;
  const bytes = new Uint8Array(coreHeaderSize(layout));
  const view = new DataView(bytes.buffer);
  const headerSize = pointerSize === 8 ? 32 : 28;
  const words = [
    pointerSize === 8 ? MAGIC.MH_MAGIC_64 : MAGIC.MH_MAGIC,
    cpuType,
    cpuSubtype,
    FILE_TYPE.MH_CORE,
    segments.length + threads.length + notes.length + (buildVersion === undefined ? 0 : 1),
    bytes.length - headerSize,
    0,
  ];
  words.forEach((word, index) => view.setUint32(index * 4, word, true));
  let at = headerSize;
  if (buildVersion !== undefined) {
    const { platform, minimum } = buildVersion;
    [LC.BUILD_VERSION, BUILD_VERSION_SIZE, platform, minimum, 0, 0].forEach((word, index) =>
      view.setUint32(at + index * 4, word, true)
    );
    at += BUILD_VERSION_SIZE;
  }
  for (const { owner, offset, size } of notes) {
    view.setUint32(at, LC_NOTE, true);
    view.setUint32(at + 4, NOTE_SIZE, true);
    bytes.set(encoder.encode(owner).subarray(0, 16), at + 8);
    view.setBigUint64(at + 24, BigInt(offset), true);
    view.setBigUint64(at + 32, BigInt(size), true);
    at += NOTE_SIZE;
  }
  for (const states of threads) {
    const size = threadCommandSize(states, pointerSize);
    view.setUint32(at, LC.THREAD, true);
    view.setUint32(at + 4, size, true);
    let field = at + 8;
    for (const { flavor, state } of states) {
      view.setUint32(field, flavor, true);
      view.setUint32(field + 4, state.length / 4, true);
      bytes.set(state, field + 8);
      field += 8 + state.length;
    }
    at += size;
  }
  for (const segment of segments) {
    view.setUint32(at, pointerSize === 8 ? LC.SEGMENT_64 : LC.SEGMENT, true);
    view.setUint32(at + 4, SEGMENT_SIZE[pointerSize], true);
    bytes.set(encoder.encode(segment.name).subarray(0, 16), at + 8);
    const { address, size, fileOffset, fileSize } = segment;
    [address, size, BigInt(fileOffset), BigInt(fileSize)].forEach((word, index) => {
      if (pointerSize === 8) view.setBigUint64(at + 24 + index * 8, word, true);
      else view.setUint32(at + 24 + index * 4, Number(word), true);
    });
    const protections = at + 24 + 4 * pointerSize;
    view.setInt32(protections, segment.maxProtection, true);
    view.setInt32(protections + 4, segment.initialProtection, true);
    at += SEGMENT_SIZE[pointerSize];
  }
  return bytes;
}
