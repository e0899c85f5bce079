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
import { readerOfVariables } from "./frame.ts";
import { type FrameNeeds, frameNeeds } from "./save_core_frames.ts";
import type { Files, FileSink } from "../file_system.ts";
import { createNamed } from "../named_sink.ts";
import type { CopiedMemory } from "./copied_memory.ts";
import type { CapturedThread, DyldInfo, Region } from "./kernel.ts";
import { ElfImage } from "../elf/mod.ts";
import type { Crash } from "./core_exception.ts";
import { Memory, type ReadInto } from "./memory.ts";
import type { Pause } from "./pause.ts";
import { type AsyncContexts, readContexts } from "../unwind/mod.ts";
import {
  corePage,
  type CorePart,
  type CoreStyle,
  coreStyles,
  planCore,
  planImages,
} from "./save_core_plan.ts";
import {
  CopiedParts,
  readableParts,
  readParts,
  type ReadPartsOptions,
  sizeOf,
  writePages,
} from "./save_core_reader.ts";
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
  readonly readInto: ReadInto;
  /** The parts of a region that have contents. */
  readonly present: (region: Region) => readonly AddressRange[];
  /** The threads of a pause that is over, over the memory that was copied in it. Without it everything is read
   * while the target is paused: it can be read at no other time.
   *
   * @param readInto reads what was copied
   * @param copied what variables are in and lead to
   */
  readonly threadsOf?: (
    captured: readonly CapturedThread[],
    readInto: ReadInto,
    copied: CopiedMemory | undefined,
  ) => readonly Thread[];
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

/** Memory up to this size is copied, and written after the target runs again, so that the pause does not wait for
 * the disk. More is written as it is read. */
const keptLimit = 64 << 20;

/** How often the target is paused again to copy what its variables lead to. */
const moreAttempts = 2;

/** Saves a core. The target is paused only while the memory is copied that has to be of one moment: what does not
 * change, and which of it the frames take, is found from the copy. */
export async function saveCore(
  origin: CoreOrigin,
  path: string,
  options: SaveCoreOptions,
): Promise<SavedCore> {
  const { style = "stacks", signal } = options;
  if (!coreStyles.includes(style)) {
    throw new RangeError(
      `a core of style ${JSON.stringify(style)}: it is ${coreStyles.join(", ")}`,
    );
  }
  signal?.throwIfAborted();
  // Errors of the file system must come before the pause.
  using sink = createNamed(origin.files, path);
  // Immediately: the caller that aborts may be about to end the program.
  const remove = () => sink[Symbol.dispose]();
  signal?.addEventListener("abort", remove);
  try {
    origin.prepare();
    const locals = style === "locals" ? await localsOf(origin, options) : null;
    let pausedMicroseconds = 0;
    for (let left = moreAttempts;; left--) {
      const stop = new CoreStop(origin, sink, { ...options, style }, locals);
      const pause = origin.pause();
      try {
        await stop.copy();
      } finally {
        pause.resume();
        pausedMicroseconds += pause.pausedMicroseconds;
      }
      if (!stop.isWhole() && left > 0) continue;
      await stop.write();
      sink.commit();
      const { contents, warnings } = stop;
      const threads = contents.threads.length;
      return { path, style, bytes: sink.length, threads, pausedMicroseconds, warnings };
    }
  } finally {
    signal?.removeEventListener("abort", remove);
  }
}

/** Finds the memory of variables. */
interface Locals {
  /** Copies it while the target is paused: the pages that are known, or, of threads, what is found then. */
  copy(threads: readonly Thread[] | undefined): {
    readonly copied: CopiedMemory;
    readonly isWhole: boolean;
  };
  /** Notes the pages that a copy lacks.
   *
   * @returns whether it lacks none
   */
  hasAll(threads: readonly Thread[]): boolean;
  /** The most that it copies, in bytes. */
  readonly bytes: number;
}

/** Reads debug information before the pause, and by it the pages that are to be copied. */
async function localsOf(
  { memory, threads }: CoreOrigin,
  { localsLevels: levels = 2, localsBytes: bytes = 16 << 20 }: SaveCoreOptions,
): Promise<Locals> {
  await Promise.all([import("./variables.ts"), import("../symbols/demangle/mod.ts")]);
  const { copy, follow, missing } = readerOfVariables();
  const options = { levels, bytes };
  let { pages } = follow(threads(), memory, options).copied;
  return {
    bytes,
    copy: (threads) =>
      threads === undefined ? copy(pages, memory, options) : follow(threads, memory, options),
    hasAll(threads) {
      const missed = missing(threads, memory, options);
      pages = [...pages, ...missed.pages];
      return missed.isWhole && missed.pages.length === 0;
    },
  };
}

/** One pause of a target for its core, and what follows from it. */
class CoreStop {
  /** What could not be read or was left out. */
  readonly warnings: string[] = [];
  readonly #origin: CoreOrigin;
  readonly #sink: FileSink;
  readonly #options: SaveCoreOptions & { readonly style: CoreStyle };
  readonly #locals: Locals | null;
  readonly #copied = new CopiedParts();
  #contents: CoreContents | undefined;
  #held: ReturnType<Locals["copy"]> | undefined;
  #threads: readonly Thread[] | undefined;
  /** What frames take, once it is known. */
  #needs: FrameNeeds | undefined;
  #isWritten = false;

  constructor(
    origin: CoreOrigin,
    sink: FileSink,
    options: SaveCoreOptions & { readonly style: CoreStyle },
    locals: Locals | null,
  ) {
    this.#origin = origin;
    this.#sink = sink;
    this.#options = options;
    this.#locals = locals;
  }

  /** What the core says about the target. */
  get contents(): CoreContents {
    return this.#contents!;
  }

  readonly #warn = (text: string): void => void this.warnings.push(text);

  get #reading(): ReadPartsOptions {
    const { onProgress, signal } = this.#options;
    return { readInto: this.#origin.readInto, warn: this.#warn, onProgress, signal };
  }

  /** Copies what has to be of one moment, while the target is paused. What is too large to be kept is written. */
  async copy(): Promise<void> {
    const { readInto, threadsOf } = this.#origin;
    const contents = this.#contents = this.#origin.contents();
    for (const warning of contents.warnings) this.#warn(warning);
    const stacks = contents.captured.reduce((sum, { stack }) => sum + stack.length, 0);
    const room = keptLimit - (this.#locals?.bytes ?? 0);
    const mayBeLater = threadsOf !== undefined && stacks <= room;
    this.#held = this.#locals?.copy(mayBeLater ? undefined : contents.threads);
    const planned = this.#plan();
    if (mayBeLater && sizeOf(planned) <= keptLimit) {
      return await this.#copied.add(readableParts(planned, readInto, this.#warn), this.#reading);
    }
    const needs = this.#needs = frameNeeds({ ...contents, readInto });
    const images = this.#planImages(needs, contents.memory, planned);
    const all = [...planned, ...images].sort((a, b) => a.start < b.start ? -1 : 1);
    const parts = readableParts(all, readInto, this.#warn);
    if (sizeOf(parts) <= keptLimit) return await this.#copied.add(parts, this.#reading);
    this.#sink.write(this.#head(needs, parts));
    await readParts(parts, (piece) => writePages(piece, this.#sink), this.#reading);
    this.#isWritten = true;
  }

  /** Whether all of what variables lead to was copied, as far as can be told once the target runs again. */
  isWhole(): boolean {
    const held = this.#held;
    if (held === undefined) return true;
    let { isWhole } = held;
    if (this.#needs === undefined) {
      this.#threads = this.#origin.threadsOf!(
        this.contents.captured,
        this.#copied.readInto,
        held.copied,
      );
      isWhole &&= this.#locals!.hasAll(this.#threads);
    }
    if (!isWhole) this.#warn("not all that variables lead to is in it");
    return isWhole || this.#isWritten;
  }

  /** Finds what frames take of the images, reads it, and writes the core. */
  async write(): Promise<void> {
    if (this.#isWritten) return;
    const { contents } = this;
    let needs = this.#needs;
    if (needs === undefined) {
      // Nothing of what is read of images now changes while they are loaded.
      const memory = new Memory(this.#origin.readInto, contents.arch.pointerSize);
      memory.caching = true;
      const { readInto } = this.#copied;
      const threads = this.#threads ??
        this.#origin.threadsOf!(contents.captured, readInto, this.#held?.copied);
      needs = frameNeeds({ ...contents, memory, threads, readInto });
      const images = this.#planImages(needs, memory, this.#copied.parts);
      await this.#copied.add(readableParts(images, this.#origin.readInto, this.#warn), {
        ...this.#reading,
        before: sizeOf(this.#copied.parts),
      });
    }
    this.#options.signal?.throwIfAborted();
    this.#sink.write(this.#head(needs, this.#copied.parts));
    this.#copied.write(this.#sink);
  }

  #plan(): CorePart[] {
    const { contents } = this;
    const { readInto, present } = this.#origin;
    const { style, sharedCache = false } = this.#options;
    const contexts: AsyncContexts = new Map();
    for (const thread of contents.captured) readContexts(contents.arch, thread, readInto, contexts);
    return planCore({
      ...contents,
      ...{ style, sharedCache, present, warn: this.#warn },
      contexts: [
        ...Array.from(contexts, ([start, { length }]) => ({ start, end: start + BigInt(length) })),
        ...contents.queues,
        ...this.#held?.copied.ranges ?? [],
      ],
      images: machOImages(contents),
      stacks: contents.threads.map(({ registers }, index) => ({
        registers,
        end: contents.captured[index].stackEnd,
      })),
    });
  }

  #planImages({ ranges }: FrameNeeds, memory: Memory, planned: readonly CorePart[]): CorePart[] {
    const { contents } = this;
    const { style } = this.#options;
    const images = machOImages(contents);
    const { regions } = contents;
    return planImages({ style, regions, images, memory, warn: this.#warn }, ranges, planned);
  }

  #head(needs: FrameNeeds, parts: readonly CorePart[]): Uint8Array {
    return encodeHead(this.contents, needs, parts, this.#warn);
  }
}

function machOImages({ images }: CoreContents): Image[] {
  return images.filter((image) => image instanceof Image);
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
