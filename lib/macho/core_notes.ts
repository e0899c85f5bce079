/** The contents of a core's notes, as LLDB's `ObjectFileMachO.cpp` defines them. All offsets are
 * from the start of the core; all numbers are little-endian. */

import type { RawText } from "../escape.ts";
import { formatUuid, hex, uuidBytes } from "../hex.ts";
import type { ByteSource } from "./bytes.ts";
import type { CoreNote } from "./core.ts";
import { cString, rawText, StringTable } from "./strings.ts";
import { RANK, type SymbolColumns } from "./symbol_table.ts";
import type { AddressRange } from "./types.ts";

/** `note_command.data_owner` of the supported notes. */
export const NOTE_OWNER = {
  /** {@linkcode NotedImage}s. */
  ALL_IMAGE_INFOS: "all image infos",
  /** A single {@linkcode NotedImage}, such as firmware. */
  LOAD_BINARY: "load binary",
  /** {@linkcode MainBinary}. */
  MAIN_BIN_SPEC: "main bin spec",
  /** {@linkcode AddressableBits}. */
  ADDRESSABLE_BITS: "addrable bits",
  /** {@linkcode ProcessMetadata}, as JSON. */
  PROCESS_METADATA: "process metadata",
  /** The kernel's version, as text. */
  KERNEL_VERSION: "kern ver str",
} as const;

/** An image as notes describe it. */
export interface NotedImage {
  /** `null` when unknown. */
  readonly path: RawText | null;
  /** Upper case, `8-4-4-4-12`; `null` when unknown. */
  readonly uuid: string | null;
  /** The address of the Mach-O header; `null` if unknown. */
  readonly loadAddress: bigint | null;
  /** `null` when unknown. Always so in "all image infos". */
  readonly slide: bigint | null;
  /** The places of its segments; empty when unknown. */
  readonly segments: readonly { readonly name: string; readonly address: bigint }[];
  /** Whether a thread has frames in the image; `null` when unknown. */
  readonly executing: boolean | null;
}

/** The main binary of a process. */
export interface MainBinary {
  /** `1` a kernel, `2` a user process (its dyld), `3` firmware, `0` unknown. */
  readonly type: number;
  /** The address of the Mach-O header; `null` if unknown. */
  readonly address: bigint | null;
  /** `null` when unknown. */
  readonly slide: bigint | null;
  /** `null` when unknown. */
  readonly uuid: string | null;
  /** 0 when unknown. */
  readonly log2PageSize: number;
  /** `PLATFORM_*`; 0 when unknown. */
  readonly platform: number;
}

/** Number of low bits of a pointer that are its address. The rest is pointer authentication. */
export interface AddressableBits {
  /** In the lower half of the address space: user code. */
  readonly low: number;
  /** In the upper half. */
  readonly high: number;
}

/** What a core says of a thread besides its states. */
export interface NotedThread {
  /** Unique in the system; `null` when unknown. */
  readonly id: bigint | null;
  /** Empty for a thread without a name. */
  readonly name: RawText;
  /** `TH_STATE_*`; `null` when unknown. */
  readonly runState: number | null;
  /** In thousandths; `null` when unknown. */
  readonly cpuUsage: number | null;
  /** Address of its pthread's thread-specific data; 0 when unknown. */
  readonly handle: bigint;
  /** Address of the pointer to its dispatch queue; 0 when unknown. */
  readonly dispatchQueueAddress: bigint;
}

/** A mapped file that is not a Mach-O image. */
export interface NotedFile {
  readonly path: RawText;
  /** In ascending order. */
  readonly ranges: readonly AddressRange[];
  /** Of an ELF file, in hexadecimal; `null` when it has none. */
  readonly buildId: string | null;
}

/** What a core says of its process. LLDB writes and reads the threads' ids only, and keeps other
 * keys. */
export interface ProcessMetadata {
  /** `null` when unknown. */
  readonly pid: number | null;
  /** `null` when unknown. */
  readonly name: RawText | null;
  /** In the order of the `LC_THREAD`s. */
  readonly threads: readonly NotedThread[];
  /** Mapped files other than images, such as the host's libraries on Linux. */
  readonly files: readonly NotedFile[];
  /** Local functions of the shared cache that frames are in: their names are in no memory. */
  readonly symbols?: readonly NotedSymbol[];
  /** The crash at which the process was stopped. */
  readonly crash?: NotedCrash | undefined;
}

/** A crash in Mach's terms, as the debugger was told: exception states do not tell of a signal that was sent. */
export interface NotedCrash {
  readonly threadId: bigint;
  /** `EXC_*`; 0 for a signal that was sent. */
  readonly exception: number;
  readonly code: bigint;
  readonly subcode: bigint;
  readonly signal: number;
}

/** A function's name. */
export interface NotedSymbol {
  readonly address: bigint;
  readonly name: RawText;
}

const unspecified = 0xffff_ffff_ffff_ffffn;
const imagesHeaderSize = 24;
const imageSize = 48;
const segmentSize = 32;
/** Limits: a note beyond them is damaged. */
const MAX_IMAGES = 1 << 16;
const MAX_SEGMENTS = 1 << 20;
const MAX_PATH = 4096;
const MAX_TEXT = 16 << 20;

const encoder = new TextEncoder();

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
}

function known(value: bigint): bigint | null {
  return value === unspecified ? null : value;
}

function readUuid(bytes: Uint8Array): string | null {
  return bytes.every((byte) => byte === 0) ? null : formatUuid(bytes);
}

function readPath(source: ByteSource, offset: bigint): RawText | null {
  if (offset >= BigInt(source.size)) return null;
  return cString(source.read(Number(offset), Math.min(MAX_PATH, source.size - Number(offset))));
}

/** The images of an "all image infos" note.
 *
 * @param warnings receives damage, one line each
 */
export function parseAllImageInfos(
  source: ByteSource,
  note: CoreNote,
  warnings: string[],
): NotedImage[] {
  const damaged = (what: string): void => {
    warnings.push(`the note "all image infos" is damaged: ${what}`);
  };
  const head = source.read(note.offset, Math.min(note.size, imagesHeaderSize));
  if (head.length < imagesHeaderSize) {
    damaged(`${head.length} bytes`);
    return [];
  }
  const version = viewOf(head).getUint32(0, true);
  const count = viewOf(head).getUint32(4, true);
  const entries = viewOf(head).getBigUint64(8, true);
  if (version !== 1) {
    damaged(`version ${version}`);
    return [];
  }
  if (count > MAX_IMAGES || entries >= BigInt(source.size)) {
    if (count > 0) damaged(`${count} images at offset ${hex(entries)}`);
    return [];
  }
  const room = source.size - Number(entries);
  const bytes = source.read(Number(entries), Math.min(room, count * imageSize));
  const view = viewOf(bytes);
  const whole = Math.floor(bytes.length / imageSize);
  if (whole < count) damaged(`${whole} of ${count} images are in the file`);
  const images: NotedImage[] = [];
  // For all images together: in a damaged note all of them can point to the same segments.
  let segmentsLeft = Math.min(MAX_SEGMENTS, Math.floor(source.size / segmentSize));
  for (let at = 0; at < whole * imageSize; at += imageSize) {
    const segmentsOffset = view.getBigUint64(at + 32, true);
    const segmentCount = view.getUint32(at + 40, true);
    const executing = view.getUint32(at + 44, true);
    let segments: NotedImage["segments"] = [];
    if (segmentCount > segmentsLeft) damaged(`an image of ${segmentCount} segments`);
    else if (segmentsOffset < BigInt(source.size)) {
      const room = source.size - Number(segmentsOffset);
      const size = Math.min(room, segmentCount * segmentSize);
      segments = readSegments(source.read(Number(segmentsOffset), size));
      segmentsLeft -= segments.length;
    }
    images.push({
      path: readPath(source, view.getBigUint64(at, true)),
      uuid: readUuid(bytes.subarray(at + 8, at + 24)),
      loadAddress: known(view.getBigUint64(at + 24, true)),
      slide: null,
      segments,
      executing: executing === 1 ? true : executing === 2 ? false : null,
    });
  }
  return images;
}

function readSegments(bytes: Uint8Array): NotedImage["segments"] {
  const segments: { name: string; address: bigint }[] = [];
  for (let at = 0; at + segmentSize <= bytes.length; at += segmentSize) {
    segments.push({
      name: cString(bytes.subarray(at, at + 16)),
      address: viewOf(bytes).getBigUint64(at + 16, true),
    });
  }
  return segments;
}

/** The payload of an "all image infos" note.
 *
 * @param offset of the payload in the core
 */
export function encodeAllImageInfos(images: readonly NotedImage[], offset: number): Uint8Array {
  const paths = images.map(({ path }) => path === null ? null : encoder.encode(`${path}\0`));
  const segmentCount = images.reduce((sum, { segments }) => sum + segments.length, 0);
  const segmentsStart = imagesHeaderSize + images.length * imageSize;
  const pathsStart = segmentsStart + segmentCount * segmentSize;
  const size = paths.reduce((sum, path) => sum + (path?.length ?? 0), pathsStart);
  const bytes = new Uint8Array(size);
  const view = viewOf(bytes);
  view.setUint32(0, 1, true);
  view.setUint32(4, images.length, true);
  view.setBigUint64(8, BigInt(offset + imagesHeaderSize), true);
  view.setUint32(16, imageSize, true);
  let pathAt = pathsStart;
  let segmentAt = segmentsStart;
  images.forEach((image, index) => {
    const at = imagesHeaderSize + index * imageSize;
    const path = paths[index];
    view.setBigUint64(at, path === null ? unspecified : BigInt(offset + pathAt), true);
    if (path !== null) {
      bytes.set(path, pathAt);
      pathAt += path.length;
    }
    bytes.set(uuidBytes(image.uuid), at + 8);
    view.setBigUint64(at + 24, image.loadAddress ?? unspecified, true);
    const { segments } = image;
    view.setBigUint64(
      at + 32,
      segments.length === 0 ? unspecified : BigInt(offset + segmentAt),
      true,
    );
    view.setUint32(at + 40, segments.length, true);
    view.setUint32(at + 44, image.executing === null ? 0 : image.executing ? 1 : 2, true);
    for (const { name, address } of segments) {
      bytes.set(encoder.encode(name).subarray(0, 16), segmentAt);
      view.setBigUint64(segmentAt + 16, address, true);
      segmentAt += segmentSize;
    }
  });
  return bytes;
}

/** The image of a "load binary" note; `null` when it is damaged. */
export function parseLoadBinary(source: ByteSource, note: CoreNote): NotedImage | null {
  const bytes = source.read(note.offset, Math.min(note.size, 36 + MAX_PATH));
  if (bytes.length < 36 || viewOf(bytes).getUint32(0, true) !== 1) return null;
  return {
    path: cString(bytes.subarray(36)) || null,
    uuid: readUuid(bytes.subarray(4, 20)),
    loadAddress: known(viewOf(bytes).getBigUint64(20, true)),
    slide: known(viewOf(bytes).getBigUint64(28, true)),
    segments: [],
    executing: true,
  };
}

/** The payload of a "load binary" note. */
export function encodeLoadBinary({ path, uuid, loadAddress, slide }: NotedImage): Uint8Array {
  const name = encoder.encode(`${path ?? ""}\0`);
  const bytes = new Uint8Array(36 + name.length);
  viewOf(bytes).setUint32(0, 1, true);
  bytes.set(uuidBytes(uuid), 4);
  viewOf(bytes).setBigUint64(20, loadAddress ?? unspecified, true);
  viewOf(bytes).setBigUint64(28, slide ?? unspecified, true);
  bytes.set(name, 36);
  return bytes;
}

/** The main binary of a "main bin spec" note; `null` when it is damaged. Version 2 has a slide that
 * version 1 lacks. */
export function parseMainBinary(source: ByteSource, note: CoreNote): MainBinary | null {
  const bytes = source.read(note.offset, Math.min(note.size, 48));
  if (bytes.length < 4) return null;
  const view = viewOf(bytes);
  const version = view.getUint32(0, true);
  const afterAddress = version === 1 ? 16 : 24;
  if (version < 1 || version > 2 || bytes.length < afterAddress + 20) return null;
  return {
    type: view.getUint32(4, true),
    address: known(view.getBigUint64(8, true)),
    slide: version === 1 ? null : known(view.getBigUint64(16, true)),
    uuid: readUuid(bytes.subarray(afterAddress, afterAddress + 16)),
    log2PageSize: view.getUint32(afterAddress + 16, true),
    platform: version === 1 || bytes.length < 48 ? 0 : view.getUint32(44, true),
  };
}

/** The payload of a "main bin spec" note, version 2. */
export function encodeMainBinary(main: MainBinary): Uint8Array {
  const bytes = new Uint8Array(48);
  const view = viewOf(bytes);
  view.setUint32(0, 2, true);
  view.setUint32(4, main.type, true);
  view.setBigUint64(8, main.address ?? unspecified, true);
  view.setBigUint64(16, main.slide ?? unspecified, true);
  bytes.set(uuidBytes(main.uuid), 24);
  view.setUint32(40, main.log2PageSize, true);
  view.setUint32(44, main.platform, true);
  return bytes;
}

/** The widths of an "addrable bits" note, version 3 or 4; `null` when it is damaged. */
export function parseAddressableBits(source: ByteSource, note: CoreNote): AddressableBits | null {
  const bytes = source.read(note.offset, Math.min(note.size, 12));
  if (bytes.length < 8) return null;
  const view = viewOf(bytes);
  const version = view.getUint32(0, true);
  if (version !== 3 && (version !== 4 || bytes.length < 12)) return null;
  const low = view.getUint32(4, true);
  const high = version === 4 ? view.getUint32(8, true) : low;
  return low <= 64 && high <= 64 ? { low, high } : null;
}

/** The payload of an "addrable bits" note, version 4. */
export function encodeAddressableBits({ low, high }: AddressableBits): Uint8Array {
  const bytes = new Uint8Array(20);
  viewOf(bytes).setUint32(0, 4, true);
  viewOf(bytes).setUint32(4, low, true);
  viewOf(bytes).setUint32(8, high, true);
  return bytes;
}

/** The text of a "kern ver str" note; `null` when it is damaged. */
export function parseKernelVersion(source: ByteSource, note: CoreNote): string | null {
  const bytes = source.read(note.offset, Math.min(note.size, 1 << 16));
  if (bytes.length < 4 || viewOf(bytes).getUint32(0, true) !== 1) return null;
  return cString(bytes.subarray(4));
}

/** The payload of a "kern ver str" note. */
export function encodeKernelVersion(version: string): Uint8Array {
  const text = encoder.encode(`${version}\0`);
  const bytes = new Uint8Array(4 + text.length);
  viewOf(bytes).setUint32(0, 1, true);
  bytes.set(text, 4);
  return bytes;
}

/** The contents of a "process metadata" note; `null` when it is damaged. */
export function parseProcessMetadata(source: ByteSource, note: CoreNote): ProcessMetadata | null {
  if (note.size > MAX_TEXT) return null;
  const bytes = source.read(note.offset, note.size);
  // Some writers pad it with zeros.
  const length = bytes.findLastIndex((byte) => byte !== 0) + 1;
  let value: unknown;
  try {
    value = JSON.parse(rawText(bytes.subarray(0, length)));
  } catch {
    return null;
  }
  if (!isObject(value)) return null;
  const threads = Array.isArray(value.threads) ? value.threads : [];
  const files = Array.isArray(value.mapped_files) ? value.mapped_files : [];
  const symbols = Array.isArray(value.symbols) ? value.symbols : [];
  const crash = isObject(value.crash) ? readCrash(value.crash) : undefined;
  return {
    ...(crash === undefined ? {} : { crash }),
    pid: wholeNumber(value.pid),
    name: typeof value.name === "string" ? value.name : null,
    threads: threads.map((thread: unknown): NotedThread => {
      const fields = isObject(thread) ? thread : {};
      const id = wholeNumber(fields.thread_id);
      return {
        id: id === null || id === 0 ? null : BigInt(id),
        name: typeof fields.name === "string" ? fields.name : "",
        runState: wholeNumber(fields.run_state),
        cpuUsage: wholeNumber(fields.cpu_usage),
        handle: addressIn(fields.thread_handle),
        dispatchQueueAddress: addressIn(fields.dispatch_qaddr),
      };
    }),
    files: files.flatMap((file: unknown): NotedFile[] => {
      if (!isObject(file) || typeof file.path !== "string" || !Array.isArray(file.ranges)) {
        return [];
      }
      const ranges = file.ranges.flatMap(readRange);
      const buildId = typeof file.build_id === "string" ? file.build_id : null;
      return ranges.length === 0 ? [] : [{ path: file.path, ranges, buildId }];
    }),
    symbols: symbols.flatMap((symbol: unknown): NotedSymbol[] => {
      if (!isObject(symbol) || typeof symbol.name !== "string") return [];
      return [{ address: addressIn(symbol.address), name: symbol.name }];
    }),
  };
}

function readCrash(fields: Record<string, unknown>): NotedCrash | undefined {
  const [id, exception, signal] = [fields.thread_id, fields.exception, fields.signal].map(
    wholeNumber,
  );
  if (id === null || exception === null || signal === null) return undefined;
  const [code, subcode] = [addressIn(fields.code), addressIn(fields.subcode)];
  return { threadId: BigInt(id), exception, code, subcode, signal };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function wholeNumber(value: unknown): number | null {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : null;
}

/** `"0x…"`; 0 when it is none. */
function addressIn(value: unknown): bigint {
  return typeof value === "string" && /^0x[\da-f]{1,16}$/i.test(value) ? BigInt(value) : 0n;
}

/** `["0x…", "0x…"]`: the first address, and the one after the last. */
function readRange(value: unknown): AddressRange[] {
  if (!Array.isArray(value) || value.length !== 2) return [];
  if (!value.every((part) => typeof part === "string" && /^0x[\da-f]{1,16}$/i.test(part))) {
    return [];
  }
  const [start, end] = value.map((part: string) => BigInt(part));
  return start < end ? [{ start, end }] : [];
}

/** Symbols as local ones of an image.
 *
 * @param offsetOf an address, from the load address
 */
export function localColumns(
  symbols: readonly NotedSymbol[],
  offsetOf: (address: bigint) => number,
): SymbolColumns {
  const texts = symbols.map(({ name }) => encoder.encode(`${name}\0`));
  // Offset 0 means no name.
  const strings = new Uint8Array(1 + texts.reduce((sum, { length }) => sum + length, 0));
  const nameOffsets = new Uint32Array(symbols.length);
  let at = 1;
  for (const [index, text] of texts.entries()) {
    nameOffsets[index] = at;
    strings.set(text, at);
    at += text.length;
  }
  return {
    count: symbols.length,
    offsets: Float64Array.from(symbols, ({ address }) => offsetOf(address)),
    ranks: new Uint8Array(symbols.length).fill(RANK.LOCAL),
    thumb: new Uint8Array(symbols.length),
    nameOffsets,
    names: new StringTable(
      0,
      strings.length,
      (offset, size) => strings.subarray(offset, offset + size),
    ),
  };
}

/** The payload of a "process metadata" note. */
export function encodeProcessMetadata(
  { pid, name, threads, files, symbols = [], crash }: ProcessMetadata,
): Uint8Array {
  return encoder.encode(JSON.stringify({
    ...(pid === null ? {} : { pid }),
    ...(name === null ? {} : { name }),
    threads: threads.map((thread) => ({
      thread_id: Number(thread.id ?? 0n),
      ...(thread.name === "" ? {} : { name: thread.name }),
      ...(thread.runState === null ? {} : { run_state: thread.runState }),
      ...(thread.cpuUsage === null ? {} : { cpu_usage: thread.cpuUsage }),
      ...(thread.handle === 0n ? {} : { thread_handle: hex(thread.handle) }),
      ...(thread.dispatchQueueAddress === 0n
        ? {}
        : { dispatch_qaddr: hex(thread.dispatchQueueAddress) }),
    })),
    ...(crash === undefined ? {} : {
      crash: {
        thread_id: Number(crash.threadId),
        exception: crash.exception,
        code: hex(crash.code),
        subcode: hex(crash.subcode),
        signal: crash.signal,
      },
    }),
    ...(files.length === 0 ? {} : {
      mapped_files: files.map(({ path, ranges, buildId }) => ({
        path,
        ...(buildId === null ? {} : { build_id: buildId }),
        ranges: ranges.map(({ start, end }) => [hex(start), hex(end)]),
      })),
    }),
    ...(symbols.length === 0 ? {} : {
      symbols: symbols.map(({ address, name }) => ({ address: hex(address), name })),
    }),
  }));
}
