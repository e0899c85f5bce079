import { type Arch, archOfCpuType, readRegister } from "../arch/mod.ts";
import { FormatError } from "../errors.ts";
import { escape, type RawText } from "../escape.ts";
import {
  type CoreCommands,
  type CoreNote,
  type CoreSegment,
  type FlavorState,
  localColumns,
  type MainBinary,
  NOTE_OWNER,
  type NotedImage,
  type NotedSymbol,
  parseAddressableBits,
  parseAllImageInfos,
  parseCore,
  parseKernelVersion,
  parseLoadBinary,
  parseMainBinary,
  parseProcessMetadata,
  type ProcessMetadata,
} from "../macho/cores.ts";
import { withHex } from "../json_form.ts";
import { FILE_TYPE, Image, type LoadedImage } from "../macho/walking.ts";
import { Binaries } from "./core_binaries.ts";
import {
  armExceptionState64V2,
  type Crash,
  readException,
  type ThreadException,
} from "./core_exception.ts";
import { DispatchReader } from "./dispatch.ts";
import { CoreImages } from "./core_images.ts";
import { CoreMemory } from "./core_memory.ts";
import type { FileSystem, OpenFile } from "../file_system.ts";
import type { CapturedThread, Region } from "./kernel.ts";
import { Memory } from "./memory.ts";
import { Pause } from "./pause.ts";
import { ImageMap, Symbolizer, type SymbolOptions } from "../symbols/walking.ts";
import { Snapshot, Target } from "./target.ts";
import { Thread, type ThreadContext } from "./thread.ts";

/** Size of the first read of a stack. Unwinding reads the rest from memory. */
const stackPiece = 1n << 14n;
/** Bytes below its stack pointer that a leaf function may use, by the System V ABI for x86-64 and
 * Apple's for arm64. */
const redZone = 128n;
/** `VM_PROT_READ | VM_PROT_WRITE`. */
const readWrite = 3;
/** Maximum number of warnings shown: one for each segment would hide those that matter. */
const maxWarnings = 100;

const noMetadata: ProcessMetadata = { pid: null, name: null, threads: [], files: [] };
const nothing = new Uint8Array(0);

/** Adds the names in a note to their images. */
function addNames(images: readonly LoadedImage[], symbols: readonly NotedSymbol[]): void {
  if (symbols.length === 0) return;
  const map = new ImageMap(images);
  const groups = new Map<Image, NotedSymbol[]>();
  for (const symbol of symbols) {
    const image = map.at(symbol.address);
    if (!(image instanceof Image)) continue;
    const group = groups.get(image);
    if (group === undefined) groups.set(image, [symbol]);
    else group.push(symbol);
  }
  for (const [image, own] of groups) {
    image.addLocalSymbols(localColumns(own, (address) => image.toOffset(address)));
  }
}

/** A core file. Nothing in it runs, so it is always paused, and a pause of it does nothing.
 *
 * @example
 * ```ts
 * import { openCore } from "@machpause/machpause";
 *
 * using core = openCore("MyApp.core");
 * console.log(core.threads.length, core.images.map(({ name }) => name));
 * ```
 */
export class CoreTarget extends Target {
  /** See {@linkcode Target.kind}. */
  readonly kind = "core";
  /** See {@linkcode Target.arch}. The address mask is the one that the core names. */
  readonly arch: Arch;
  /** See {@linkcode Target.pid}. */
  readonly pid: number | null;
  /** See {@linkcode Target.memory}. The parts of images that are not in the core are read from their
   * binaries. */
  readonly memory: Memory;
  /** See {@linkcode Target.paused}. */
  readonly paused = true;
  /** Path of the core file. */
  readonly path: RawText;
  /** The notes in the core, including those that are not understood. */
  readonly notes: readonly CoreNote[];
  /** The segments of the core: the regions of its address space, in the file's order. */
  readonly segments: readonly CoreSegment[];
  /** Version of the kernel; `null` when the core does not say. */
  readonly kernelVersion: RawText | null;
  /** The main binary, as the core names it; `null` when it does not. */
  readonly mainBinary: MainBinary | null;
  readonly #file: OpenFile;
  readonly #core: CoreMemory;
  readonly #commands: CoreCommands;
  readonly #metadata: ProcessMetadata;
  readonly #binaries: Binaries;
  readonly #openFile: (path: string) => OpenFile;
  readonly #warnings: string[];
  #name: string | undefined;
  #images: readonly LoadedImage[] | undefined;
  #symbols: Symbolizer | undefined;
  #threads: readonly Thread[] | undefined;
  #stackEnds: readonly { readonly start: bigint; readonly end: bigint }[] | undefined;
  #disposed = false;

  /** Reads the header, the load commands and the small notes.
   *
   * @param file is closed when the target is disposed, and when this throws
   * @throws FormatError when it is no core of a known CPU
   * @ignore
   */
  constructor(
    file: OpenFile,
    system: FileSystem,
    options: SymbolOptions = {},
  ) {
    super(system, options);
    this.#openFile = (path) => system.files.open(path);
    this.#file = file;
    this.path = file.name;
    try {
      this.#commands = parseCore(file);
      const arch = archOfCpuType(this.#commands.cpuType);
      if (arch === undefined || arch.pointerSize !== this.#commands.pointerSize) {
        throw new FormatError(file.name, 4, "the CPU type of armv7, arm64, i386 or x86_64");
      }
      const { segments, notes, cpuType } = this.#commands;
      this.#warnings = this.#commands.warnings;
      this.segments = segments;
      this.notes = notes;
      this.arch = { ...arch, addressMask: this.#addressMask(arch) };
      this.#metadata = this.#noted(NOTE_OWNER.PROCESS_METADATA, parseProcessMetadata) ?? noMetadata;
      this.kernelVersion = this.#noted(NOTE_OWNER.KERNEL_VERSION, parseKernelVersion);
      this.mainBinary = this.#noted(NOTE_OWNER.MAIN_BIN_SPEC, parseMainBinary);
      this.pid = this.#metadata.pid;
      this.#core = new CoreMemory(file, segments, arch.pointerSize);
      this.memory = new Memory(this.#readInto, arch.pointerSize, undefined, true);
      this.#binaries = new Binaries(system.files, this.symbolFiles, cpuType);
    } catch (error) {
      file[Symbol.dispose]();
      throw error;
    }
    this.memory.caching = true;
  }

  /** Parses the first note of an owner; `null` when there is none or it is damaged. */
  #noted<T>(owner: string, parse: (file: OpenFile, note: CoreNote) => T | null): T | null {
    const note = this.notes.find((note) => note.owner === owner);
    if (note === undefined) return null;
    const parsed = parse(this.#file, note);
    if (parsed === null) this.#warn(`the note "${owner}" is damaged`);
    return parsed;
  }

  #addressMask(arch: Arch): bigint {
    const bits = this.#noted(NOTE_OWNER.ADDRESSABLE_BITS, parseAddressableBits);
    if (bits === null || bits.low === 0 || arch.pointerSize === 4) return arch.addressMask;
    return (1n << BigInt(bits.low)) - 1n;
  }

  /** Finds the images before the first read that may need their binaries. */
  readonly #readInto = (address: bigint, into: Uint8Array): number => {
    if (this.#disposed) return 0;
    const got = this.#core.readInto(address, into);
    if (got === into.length || this.#images !== undefined) return got;
    void this.images;
    return this.#core.readInto(address, into);
  };

  #warn(text: string): void {
    if (this.#warnings.length > 10 * maxWarnings || this.#warnings.includes(text)) return;
    this.#warnings.push(text);
  }

  /** See {@linkcode Target.name}: from a note, else the program's name, else the file's. */
  get name(): RawText {
    return this.#name ??= this.#metadata.name || this.#programName() ||
      this.path.slice(this.path.lastIndexOf("/") + 1);
  }

  #programName(): string {
    if (this.#disposed) return "";
    const isProgram = (image: LoadedImage): boolean =>
      image instanceof Image && image.fileType === FILE_TYPE.MH_EXECUTE;
    return this.images.find(isProgram)?.name ?? "";
  }

  /** See {@linkcode Target.images}. */
  get images(): readonly LoadedImage[] {
    if (this.#images !== undefined) return this.#images;
    if (this.#disposed) throw new TypeError(`${escape(this.path)} was disposed`);
    // Finding the images reads memory, which must not start to find them again.
    this.#images = [];
    this.#images = new CoreImages({
      memory: this.memory,
      core: this.#core,
      segments: this.segments,
      noted: this.#notedImages(),
      files: this.#metadata.files,
      binaries: this.#binaries,
      openFile: this.#openFile,
      cpuType: this.#commands.cpuType,
      name: this.#metadata.name,
      warn: (text) => this.#warn(text),
    }).images;
    addNames(this.#images, this.#metadata.symbols ?? []);
    // Memory that was unreadable may now be readable.
    this.memory.caching = true;
    return this.#images;
  }

  #notedImages(): NotedImage[] {
    const images: NotedImage[] = [];
    for (const note of this.notes) {
      if (note.owner === NOTE_OWNER.ALL_IMAGE_INFOS) {
        for (const image of parseAllImageInfos(this.#file, note, this.#warnings)) {
          images.push(image);
        }
      } else if (note.owner === NOTE_OWNER.LOAD_BINARY) {
        const image = parseLoadBinary(this.#file, note);
        if (image === null) this.#warn(`the note "${note.owner}" is damaged`);
        else images.push(image);
      }
    }
    const { mainBinary } = this;
    // The main binary of a user process is dyld, and its list says more than this note.
    if (mainBinary !== null && mainBinary.type !== 2) {
      const { address, slide, uuid } = mainBinary;
      if (!images.some((image) => image.loadAddress === address)) {
        images.unshift({
          ...{ path: null, uuid, loadAddress: address, slide },
          ...{ segments: [], executing: null },
        });
      }
    }
    return images;
  }

  /** See {@linkcode Target.variableOrigin}. */
  protected get isRunning(): boolean {
    return false;
  }

  /** See {@linkcode Target.warnings}. */
  get warnings(): readonly string[] {
    const left = this.#warnings.length - maxWarnings;
    return left <= 0
      ? this.#warnings
      : [...this.#warnings.slice(0, maxWarnings), `${left} more things are damaged`];
  }

  /** See {@linkcode Target.symbols}. */
  protected get symbols(): Symbolizer {
    return this.#symbols ??= new Symbolizer(this.images, this.debug);
  }

  /** See {@linkcode Target.threads}. Threads without an id in the core are numbered from 1. */
  get threads(): readonly Thread[] {
    return this.#threads ??= this.#makeThreads();
  }

  /** The crash at which the process was stopped, where the core tells of it; machpause's cores do. */
  get crash(): Crash | null {
    return this.#metadata.crash ?? null;
  }

  /** The thread that crashed: of {@linkcode crash}, or by the exception states the first whose exception is a fault, preferably
   * at an address that cannot be read. `null` when there is none. */
  get crashedThread(): Thread | null {
    const told = this.threads.find(({ id }) => id === this.crash?.threadId);
    if (told !== undefined) return told;
    const faulty = this.threads.filter(({ exception }) => exception?.fault);
    return faulty.find(({ exception }) =>
      exception!.faultAddress !== null &&
      this.memory.readUpTo(exception!.faultAddress, 1).length === 0
    ) ?? faulty[0] ?? null;
  }

  #makeThreads(): Thread[] {
    const { threads } = this.#commands;
    let noted = this.#metadata.threads;
    if (noted.length !== threads.length && noted.length > 0) {
      this.#warn(
        `${noted.length} threads are named, ${threads.length} are there: names are left out`,
      );
      noted = [];
    }
    const ids = noted.map(({ id }) => id);
    const numbered = ids.includes(null) || new Set(ids).size < ids.length;
    const captured = threads.map((states, index) => {
      const { name = "", runState = null, cpuUsage = null } = noted[index] ?? {};
      const id = numbered ? null : ids[index] ?? null;
      const state = this.#threadState(states, index);
      const info = {
        id: id ?? BigInt(index + 1),
        handle: noted[index]?.handle ?? 0n,
        dispatchQueueAddress: noted[index]?.dispatchQueueAddress ?? 0n,
        userTime: 0n,
        systemTime: 0n,
        cpuUsage: cpuUsage ?? 0,
        runState: runState ?? 0,
        flags: 0,
        suspendCount: 0,
        priority: 0,
        name,
      };
      return this.#capture(info, state);
    });
    const context: ThreadContext = {
      arch: this.arch,
      resolver: this,
      readInto: this.#readInto,
      variables: this.variableOrigin,
      control: {
        suspend: refuse,
        resume: refuse,
        setRegister: refuse,
      },
      dispatch: new DispatchReader({
        arch: this.arch,
        images: () => this.images,
        readInto: this.#readInto,
      }, captured),
    };
    return captured.map((thread, index) =>
      new Thread(context, index, thread, this.#exception(threads[index]))
    );
  }

  /** The general registers of a thread; empty when it has none. */
  #threadState(states: readonly FlavorState[], index: number): Uint8Array {
    const { threadState } = this.arch;
    const found = states.find(({ flavor }) => flavor === threadState.number);
    if (found !== undefined && found.state.length >= threadState.size) {
      return found.state.subarray(0, threadState.size);
    }
    this.#warn(
      `thread ${index} has no whole ${threadState.name}; its flavors are ` +
        (states.map(({ flavor }) => flavor).join(", ") || "none"),
    );
    return nothing;
  }

  #exception(states: readonly FlavorState[]): ThreadException | null {
    const flavors = [this.arch.exceptionState];
    if (this.arch.name === "arm64") flavors.push(armExceptionState64V2);
    for (const { flavor, state } of states) {
      const known = flavors.find(({ number }) => number === flavor);
      if (known !== undefined) return readException(this.arch, known, state);
    }
    return null;
  }

  /** A thread whose stack is read when it is unwound. */
  #capture(info: CapturedThread["info"], state: Uint8Array): CapturedThread {
    const { sp, addressMask, pointerSize } = this.arch;
    const pointer = state.length === 0
      ? 0n
      : readRegister(state, sp) & (pointerSize === 8 ? addressMask : 0xffff_ffffn);
    const stackEnd = this.#stackEnd(pointer);
    const start = pointer > redZone ? pointer - redZone : 0n;
    const read = this.#readInto;
    let stack: Uint8Array | undefined;
    return {
      info,
      state,
      stackEnd,
      stackAddress: start,
      get stack() {
        if (stack !== undefined) return stack;
        const room = stackEnd > start ? stackEnd - start : 0n;
        const into = new Uint8Array(Number(room < stackPiece ? room : stackPiece));
        return stack = into.subarray(0, read(start, into));
      },
    };
  }

  /** The end of the region that holds a stack pointer; 0 when none does. A stack may be several
   * segments, one right after another. */
  #stackEnd(pointer: bigint): bigint {
    this.#stackEnds ??= this.#writableRanges();
    const ranges = this.#stackEnds;
    let low = 0;
    let high = ranges.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (ranges[middle].start <= pointer) low = middle + 1;
      else high = middle;
    }
    const range = ranges[low - 1];
    return range !== undefined && pointer < range.end ? range.end : 0n;
  }

  /** The writable ranges, adjacent ones joined. */
  #writableRanges(): { start: bigint; end: bigint }[] {
    const ranges: { start: bigint; end: bigint }[] = [];
    const limit = 1n << BigInt(this.arch.pointerSize * 8);
    for (const { address, size, protection } of this.regions()) {
      if ((protection & readWrite) !== readWrite) continue;
      const end = address + size < limit ? address + size : limit;
      const last = ranges.at(-1);
      if (last !== undefined && address <= last.end) {
        if (end > last.end) last.end = end;
      } else {
        ranges.push({ start: address, end });
      }
    }
    return ranges;
  }

  /** Does nothing, so that scripts for live targets work with cores. */
  pause(): Pause {
    return new Pause(() => {});
  }

  /** Captures and follows nothing: the threads, images and memory are as they are. */
  snapshot(): Snapshot {
    return new Snapshot(this, this.threads, this.images, 0);
  }

  /** The core's segments as regions, in rising order. */
  regions(): Region[] {
    return this.segments.map(({ address, size, fileOffset, initialProtection, maxProtection }) => ({
      address,
      size,
      offset: BigInt(fileOffset),
      protection: initialProtection,
      maxProtection,
      userTag: 0,
      shareMode: 0,
      depth: 0,
      path: "",
    })).map(withHex).sort((a, b) => a.address < b.address ? -1 : a.address > b.address ? 1 : 0);
  }

  /** Closes the core and the binaries. */
  [Symbol.dispose](): void {
    if (this.#disposed) return;
    this.#disposed = true;
    this.#binaries[Symbol.dispose]();
    this.debug[Symbol.dispose]();
    this.#file[Symbol.dispose]();
  }
}

function refuse(): never {
  throw new TypeError("the threads of a core do not run: they cannot be controlled");
}
