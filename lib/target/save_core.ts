/** Writes a paused task as a Mach-O core. */
import { type Arch, writeRegister } from "../arch/mod.ts";
import {
  coreHeaderSize,
  type CoreSegment,
  encodeAddressableBits,
  encodeAllImageInfos,
  encodeCore,
  encodeProcessMetadata,
  NOTE_OWNER,
} from "../macho/cores.ts";
import { type AddressRange, Image, type LoadedImage, PLATFORM_NAMES } from "../macho/walking.ts";
import { CoreWriter } from "./save_core_writer.ts";
import { type FrameNeeds, frameNeeds } from "./save_core_frames.ts";
import type { Files } from "../file_system.ts";
import type { CapturedThread, DyldInfo, Region } from "./kernel.ts";
import { ElfImage } from "../elf/mod.ts";
import type { Crash } from "./core_exception.ts";
import type { Memory } from "./memory.ts";
import type { Pause } from "./pause.ts";
import { type AsyncContexts, readContexts } from "../unwind/mod.ts";
import {
  corePage,
  type CorePart,
  type CoreStyle,
  coreStyles,
  planCore,
  type PlanInput,
} from "./save_core_plan.ts";
import { readableParts, readParts } from "./save_core_reader.ts";
import type { Thread } from "./thread.ts";

/** How to save a core. */
export interface SaveCoreOptions {
  /** How much goes into it. Default: `stacks`. */
  readonly style?: CoreStyle;
  /** Whether a core of style `full` has all of the dyld shared cache, several gigabytes. Default: only what
   * backtraces with names take. */
  readonly sharedCache?: boolean;
  /** Of style `locals`: the levels of pointers that are followed. Default: 2. */
  readonly localsLevels?: number;
  /** Of style `locals`: how much memory of variables goes into it, in bytes. Default: 16 MiB. */
  readonly localsBytes?: number;
  /** Called with the number of bytes read so far, and of all. */
  readonly onProgress?: (done: number, total: number) => void;
  /** Aborts it: no file is left, and the target runs. */
  readonly signal?: AbortSignal;
}

/** A core that was saved. */
export interface SavedCore {
  /** Path of the file, as it was given. */
  readonly path: string;
  /** How much went into it. */
  readonly style: CoreStyle;
  /** Size of the file, holes included. Pages of zeros are holes, so it uses less of the disk. */
  readonly bytes: number;
  /** Number of threads in it. */
  readonly threads: number;
  /** How long the target was paused. */
  readonly pausedMicroseconds: number;
  /** What could not be read or was left out. */
  readonly warnings: readonly string[];
}

/** What a core needs from a live target. */
export interface CoreOrigin {
  /** Where the core is written. */
  readonly files: Files;
  /** Reads, while the target runs, what need not be read while it is paused. */
  prepare(): void;
  /** The threads of the running target. */
  threads(): readonly Thread[];
  /** The memory of the target, paused or not. */
  readonly memory: Memory;
  /** Pauses the target. */
  pause(): Pause;
  /** Describes the paused target. */
  contents(): CoreContents;
  /** Fills `into`, and returns how many bytes could be read. */
  readonly readInto: (address: bigint, into: Uint8Array) => number;
  /** The parts of a region that have contents. */
  readonly present: (region: Region) => readonly AddressRange[];
}

/** What a core says about a target. */
export interface CoreContents {
  readonly arch: Arch;
  readonly pid: number;
  readonly name: string;
  readonly memory: Memory;
  readonly images: readonly LoadedImage[];
  readonly threads: readonly Thread[];
  /** As captured, in the order of `threads`. */
  readonly captured: readonly CapturedThread[];
  /** The memory that says which dispatch queues the threads serve. */
  readonly queues: readonly AddressRange[];
  readonly dyldInfo: DyldInfo;
  readonly regions: readonly Region[];
  /** The crash at which the target is stopped. */
  readonly crash?: Crash | null;
  /** The damage found in images. */
  readonly warnings: readonly string[];
}

/** Memory up to this size is read completely, and written after the target runs again, so that the pause
 * does not wait for the disk. More is written as it is read. */
const keptLimit = 64 << 20;

/** Saves a core. The target is paused only while its memory is read. */
export async function saveCore(
  origin: CoreOrigin,
  path: string,
  options: SaveCoreOptions,
): Promise<SavedCore> {
  const { style = "stacks", sharedCache = false, onProgress, signal } = options;
  if (!coreStyles.includes(style)) {
    throw new RangeError(
      `a core of style ${JSON.stringify(style)}: it is ${coreStyles.join(", ")}`,
    );
  }
  signal?.throwIfAborted();
  // Errors of the file system must come before the pause.
  using writer = new CoreWriter(origin.files, path);
  origin.prepare();
  const locals = style === "locals" ? await localsOf(options) : null;
  // Debug information is read before the pause.
  locals?.(origin.threads(), origin.memory);
  const warnings: string[] = [];
  let threads: number;
  // Immediately: the caller that aborts may be about to end the program.
  const remove = () => writer[Symbol.dispose]();
  const pause = origin.pause();
  try {
    signal?.addEventListener("abort", remove);
    const contents = origin.contents();
    for (const warning of contents.warnings) warnings.push(warning);
    threads = contents.threads.length;
    const warn = (text: string) => void warnings.push(text);
    const needs = frameNeeds({ ...contents, readInto: origin.readInto });
    const held = locals?.(contents.threads, origin.memory);
    if (held?.isWhole === false) warn("not all that variables lead to is in it");
    const ranges = [...needs.ranges, ...held?.copied.ranges ?? []];
    const planned = plan(contents, origin, ranges, { style, sharedCache, warn });
    const parts = readableParts(planned, origin.readInto, warn);
    writer.keeping = sizeOf(parts) <= keptLimit;
    writer.write(encodeHead(contents, needs, parts, warn));
    await readParts(parts, writer, { readInto: origin.readInto, warn, onProgress, signal });
  } finally {
    signal?.removeEventListener("abort", remove);
    pause.resume();
  }
  writer.commit();
  return {
    path,
    style,
    bytes: writer.length,
    threads,
    pausedMicroseconds: pause.pausedMicroseconds,
    warnings,
  };
}

/** Finds the memory of variables. */
async function localsOf(
  { localsLevels: levels = 2, localsBytes: bytes = 16 << 20 }: SaveCoreOptions,
) {
  const [{ follow }] = await Promise.all([
    import("./variables.ts"),
    import("../symbols/demangle/mod.ts"),
  ]);
  return (threads: readonly Thread[], memory: Memory) => follow(threads, memory, { levels, bytes });
}

function machOImages({ images }: CoreContents): Image[] {
  return images.filter((image) => image instanceof Image);
}

function plan(
  contents: CoreContents,
  { readInto, present }: CoreOrigin,
  ranges: readonly AddressRange[],
  choices: Pick<PlanInput, "style" | "sharedCache" | "warn">,
): CorePart[] {
  const contexts: AsyncContexts = new Map();
  for (const thread of contents.captured) readContexts(contents.arch, thread, readInto, contexts);
  return planCore({
    ...contents,
    ...choices,
    present,
    contexts: [
      ...Array.from(contexts, ([start, { length }]) => ({ start, end: start + BigInt(length) })),
      ...contents.queues,
      ...ranges,
    ],
    images: machOImages(contents),
    stacks: contents.threads.map(({ registers }, index) => ({
      registers,
      end: contents.captured[index].stackEnd,
    })),
  });
}

/** `CPU_SUBTYPE_X86_64_ALL`, `_I386_ALL`, `_ARM64_ALL`, `_ARM_V7`, for when no image says. */
const subtypes: Readonly<Record<Arch["name"], number>> = { x86_64: 3, i386: 3, arm64: 0, armv7: 9 };

/** A thread's state in the architecture's flavor, with the registers that the thread shows. */
function stateOf(
  { index, registers }: Thread,
  arch: Arch,
  warn: (text: string) => void,
): Uint8Array {
  const state = new Uint8Array(arch.threadState.size);
  let known = false;
  for (const field of arch.threadState.registers) {
    const value = registers.get(field.name);
    if (value === undefined) continue;
    writeRegister(state, field, value);
    known = true;
  }
  if (!known) warn(`thread ${index}: its registers could not be had: they are all 0`);
  return state;
}

/** The exception state of a thread whose exception is known; nothing of others, as where it says nothing. */
function exceptionStateOf({ exception }: Thread, { exceptionState: flavor }: Arch) {
  if (exception === null) return [];
  const state = new Uint8Array(flavor.size);
  for (const field of flavor.registers) {
    writeRegister(state, field, exception.registers.get(field.name) ?? 0n);
  }
  return [{ flavor: flavor.number, state }];
}

/** The notes, each with a function that makes its payload, which may point into the file. */
function notesOf(
  contents: CoreContents,
  { symbols }: FrameNeeds,
): [owner: string, payload: (offset: number) => Uint8Array][] {
  const { arch, pid, name, captured, images, crash } = contents;
  const noted = machOImages(contents).map(({ path, uuid, loadAddress, segments }) => ({
    path: path === "" ? null : path,
    uuid,
    loadAddress,
    slide: null,
    segments: segments.filter(({ name, size }) => name !== "__PAGEZERO" && size > 0),
    executing: null,
  }));
  const threads = captured.map(({ info }) => ({
    id: info.id,
    name: info.name,
    runState: info.runState,
    cpuUsage: info.cpuUsage,
    handle: info.handle,
    dispatchQueueAddress: info.dispatchQueueAddress,
  }));
  const files = images.filter((image) => image instanceof ElfImage);
  const metadata = encodeProcessMetadata({
    ...{ pid, name, threads, files, symbols },
    crash: crash ?? undefined,
  });
  const bits = arch.addressMask.toString(2).length;
  return [
    [NOTE_OWNER.ALL_IMAGE_INFOS, (offset) => encodeAllImageInfos(noted, offset)],
    [NOTE_OWNER.PROCESS_METADATA, () => metadata],
    ...arch.name === "arm64"
      ? [
        [
          NOTE_OWNER.ADDRESSABLE_BITS,
          () => encodeAddressableBits({ low: bits, high: bits }),
        ] satisfies [string, () => Uint8Array],
      ]
      : [],
  ];
}

/** Header, load commands and notes, up to the first page of memory. */
function encodeHead(
  contents: CoreContents,
  needs: FrameNeeds,
  parts: readonly CorePart[],
  warn: (text: string) => void,
): Uint8Array {
  const { arch } = contents;
  const program = machOImages(contents).at(0);
  const notes = notesOf(contents, needs);
  const layout = {
    cpuType: arch.cpuType,
    cpuSubtype: program?.cpuSubtype ?? subtypes[arch.name],
    buildVersion: {
      platform: platformNumber(program?.buildVersion?.platform ?? "macos"),
      minimum: packedVersion(program?.buildVersion?.minimum ?? ""),
    },
    threads: contents.threads.map((thread) => [
      { flavor: arch.threadState.number, state: stateOf(thread, arch, warn) },
      ...exceptionStateOf(thread, arch),
    ]),
  };
  let end = coreHeaderSize({ ...layout, segments: parts, notes });
  const payloads = notes.map(([owner, payload]) => {
    const offset = align(end, 8);
    const bytes = payload(offset);
    end = offset + bytes.length;
    return { owner, offset, size: bytes.length, bytes };
  });
  const head = new Uint8Array(align(end, corePage));
  let fileOffset = head.length;
  const segments = parts.map(({ start, end, protection, maxProtection }): CoreSegment => {
    const fileSize = Number(end - start);
    const segment = {
      name: "",
      address: start,
      size: end - start,
      fileOffset,
      fileSize,
      initialProtection: protection,
      maxProtection,
    };
    fileOffset += fileSize;
    return segment;
  });
  if (arch.pointerSize === 4 && fileOffset > 0xffff_ffff) {
    throw new RangeError("a 32-bit core holds at most 4 GiB: save less, as with style dirty");
  }
  head.set(encodeCore({ ...layout, segments, notes: payloads }));
  for (const { offset, bytes } of payloads) head.set(bytes, offset);
  return head;
}

/** `PLATFORM_*` of a platform's name. */
function platformNumber(platform: string): number {
  const known = Object.entries(PLATFORM_NAMES).find(([, name]) => name === platform);
  return Number(known?.[0] ?? platform.replace(/\D/g, ""));
}

/** A version such as `11.3` in 16, 8 and 8 bits. */
function packedVersion(version: string): number {
  const [major = 0, minor = 0, patch = 0] = version.split(".").map(Number);
  return (major << 16 | minor << 8 | patch) >>> 0;
}

function align(value: number, unit: number): number {
  return Math.ceil(value / unit) * unit;
}

function sizeOf(parts: readonly CorePart[]): number {
  return parts.reduce((sum, { start, end }) => sum + Number(end - start), 0);
}
