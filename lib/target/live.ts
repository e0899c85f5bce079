import type { RawText } from "../escape.ts";
import {
  type Arch,
  archOfCpuType,
  archOn,
  type Flavor,
  readRegister,
  register,
  writeRegister,
} from "../arch/mod.ts";
import { MachError, TargetGoneError } from "../errors.ts";
import { withHex } from "../json_form.ts";
import type { LoadedImage } from "../macho/mod.ts";
import type { Crash, ThreadException } from "./core_exception.ts";
import { DispatchReader } from "./dispatch.ts";
import { readImageInfosHead, readImageList } from "./dyld.ts";
import type { CopiedMemory } from "./copied_memory.ts";
import { followTime, preparationTime, readerOfVariables, type VariableReader } from "./frame.ts";
import { ImageList } from "./images.ts";
import type { Capture, CapturedThread, DyldInfo, MachKernel, Region } from "./kernel.ts";
import { Memory, type ReadInto } from "./memory.ts";
import { Pause } from "./pause.ts";
import type { ThreadProbe } from "./probe.ts";
import {
  type AddressInfo,
  type FoundSymbol,
  type Resolver,
  Symbolizer,
  type SymbolOptions,
} from "../symbols/walking.ts";
import { type AsyncContexts, contextReader, readContexts } from "../unwind/mod.ts";
import type { CoreOrigin, SaveCoreOptions, SavedCore } from "./save_core.ts";
import { Snapshot, type SnapshotOptions, Target } from "./target.ts";
import type { Beginning, RecordOptions, Sample, SampleOptions, SampleOrigin } from "./sampling.ts";
import type { Profile } from "../profile/mod.ts";
import type { FileSystem } from "../file_system.ts";
import { type CodeResolver, resolverOf, Thread, type ThreadControl } from "./thread.ts";

/** Maximum number of bytes captured of one stack. The rest of a deeper one is read from memory while the
 * target is paused. */
const maxStack = 1 << 20;

/** How often the target is stopped until dyld's list of images is the one that was read while it ran. */
const stopAttempts = 8;

/** How often what variables lead to is copied by what they led to before, until it is gone through in the stop. */
const copyAttempts = 2;

/** How long dyld gets to complete a change of its list, in milliseconds. It takes microseconds, unless the
 * thread that does it is not running. */
const changeTime = 1;

/** How often a target that is sampled is asked for new images, in milliseconds, while it has none: its code may
 * be made at run time, and then addresses are in no image. */
const imagesTime = 1000;

/** For how long the images of a program that has begun are looked for, in milliseconds. */
const loadingTime = 100;

/** How much longer than a look for images that found none the time until the next is, at least. */
const imagesRatio = 50;

/** What else threads are made of. */
interface ThreadParts {
  readonly contexts?: AsyncContexts;
  /** Reads what was copied of the memory while the target was stopped. */
  readonly readInto?: ReadInto;
  readonly copied?: CopiedMemory | undefined;
  /** The index of the first one. */
  readonly first?: number;
  readonly resolver?: CodeResolver;
}

/** Number of regions requested at once. */
const regionBatch = 512;

/** `KERN_FAILURE`. */
const failure = 5;
const terminated = 37;
/** `KERN_OPERATION_TIMED_OUT`. */
const operationTimedOut = 49;

/** All regions of a task, in rising order. */
export function readRegions(kernel: MachKernel, task: number, paths: boolean): Region[] {
  const regions: Region[] = [];
  let address = 0n;
  for (;;) {
    const batch = kernel.vmRegions(task, address, regionBatch, paths);
    for (const region of batch) regions.push(region);
    if (batch.length < regionBatch) return regions;
    address = batch.at(-1)!.address + batch.at(-1)!.size;
  }
}

/** The architecture of a task.
 *
 * @throws MachError when the task runs on a CPU that is not one of the four
 */
export function archOfTask(kernel: MachKernel, task: number): Arch {
  const info = kernel.taskDyldInfo(task);
  const cpuType = info.cpuType === 0 ? cpuTypeOfProgram(kernel, task, info) : info.cpuType;
  const arch = archOfCpuType(cpuType);
  if (arch === undefined) {
    throw new MachError(
      "task_info",
      failure,
      `CPU type 0x${(cpuType >>> 0).toString(16)} is none that machpause knows`,
    );
  }
  return archOn(arch, kernel.system);
}

/** The CPU type in the Mach-O header of a task's program, for where the system does not report one; 0
 * where it cannot be read either. */
function cpuTypeOfProgram(kernel: MachKernel, task: number, info: DyldInfo): number {
  if (info.address === 0n) return 0;
  const memory = new Memory(
    (address, into) => kernel.vmRead(task, address, into),
    info.is64 ? 8 : 4,
  );
  const head = readImageInfosHead(memory, info);
  if (typeof head === "string") return 0;
  const [program] = readImageList(
    memory,
    info,
    { ...head, count: Math.min(head.count, 1) },
    () => {},
  );
  const header = program === undefined ? new Uint8Array() : memory.readUpTo(program.address, 8);
  return header.length < 8 ? 0 : new DataView(header.buffer, header.byteOffset).getInt32(4, true);
}

/** Blocks this thread. */
function sleep(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}

/** Catches the crash of a program. Disposing of it lets the program die of its crash. */
export interface CrashSource extends Disposable {
  /** The crash; `undefined` as long as there is none. */
  poll(): Crash | undefined;
  /** What the exception state of the thread that crashed says; `null` of other threads.
   *
   * @param read reads a state of the thread
   */
  exceptionOf(
    id: bigint,
    arch: Arch,
    read: (flavor: Flavor) => Uint8Array,
  ): ThreadException | null;
}

/** How a {@linkcode LiveTarget} is made. */
export interface LiveOptions extends SymbolOptions {
  /** The process. */
  readonly pid: number;
  /** The name of the process, for display. */
  readonly name: RawText;
  /** Ends the process, where the target was launched. */
  readonly kill?: () => void;
  /** Called when the target begins and ceases to hold threads suspended one by one. */
  readonly onHold?: (target: LiveTarget, holds: boolean) => void;
  /** Catches its crash. It ends with the target. */
  readonly crashes?: CrashSource;
  /** By which path a file is opened here that the process has mapped. Default: its own. */
  readonly mappedFile?: (path: string) => string;
  /** Knows code that the process makes while it runs. */
  readonly generated?: Resolver;
  /** Lets a program begin that waits until it is sampled. Called once. */
  readonly begin?: () => Promise<Beginning>;
}

/** A running task, over a {@linkcode MachKernel}.
 *
 * @example
 * ```ts
 * import { attach, type LiveTarget } from "@machpause/machpause";
 *
 * using target: LiveTarget = attach("MyApp");
 * const { threads, stoppedMicroseconds } = target.snapshot();
 * console.log(`${threads.length} threads, stopped for ${stoppedMicroseconds} µs`);
 * ```
 */
export class LiveTarget extends Target {
  /** See {@linkcode Target.kind}. */
  readonly kind = "live";
  /** See {@linkcode Target.arch}. */
  readonly arch: Arch;
  /** See {@linkcode Target.pid}. */
  readonly pid: number;
  /** See {@linkcode Target.memory}. */
  readonly memory: Memory;
  /** The memory as symbols and variables read it, which may be when the target is gone or disposed of: then
   * there is nothing to read. */
  readonly #later: Memory;
  readonly #kernel: MachKernel;
  readonly #system: FileSystem;
  readonly #task: number;
  readonly #images: ImageList;
  readonly #options: LiveOptions;
  #name: RawText;
  /** The images among which the program was looked for last, and its path. */
  #listed: readonly LoadedImage[] = [];
  #program: RawText | undefined;
  readonly #suspended = new Map<bigint, { readonly port: number; count: number }>();
  #imagesChecked = false;
  #filesChecked = false;
  /** When a running target is next asked for new images, and how long after the last time, in milliseconds. */
  #imagesDue = 0;
  #imagesPause = 0;
  #pauses = 0;
  #token: number | undefined;
  #threads: readonly Thread[] = [];
  #captured: readonly CapturedThread[] = [];
  #dispatch: DispatchReader | undefined;
  #disposed = false;
  /** Whether the program waits for {@linkcode LiveOptions.begin}. */
  #isHeld: boolean;
  /** What is said of the threads that the last stop did not reach. */
  #unstoppable: readonly string[] = [];
  /** What is said of a process that has another architecture now. */
  #replaced: string | undefined;

  /** Opens the task.
   *
   * @throws MachError when the task cannot be had: no such process, no permission
   * @ignore
   */
  constructor(kernel: MachKernel, system: FileSystem, options: LiveOptions) {
    super(system, options);
    this.#kernel = kernel;
    this.#system = system;
    this.#options = options;
    this.pid = options.pid;
    this.#name = options.name;
    this.#isHeld = options.begin !== undefined;
    this.#task = kernel.taskForPid(options.pid);
    try {
      this.arch = archOfTask(kernel, this.#task);
    } catch (error) {
      kernel.portRelease(this.#task);
      throw error;
    }
    // A port's name that was released may come to be another task's.
    this.memory = new Memory(
      (address, into) => {
        this.#checkAlive();
        return kernel.vmRead(this.#task, address, into);
      },
      this.arch.pointerSize,
      (address, bytes) => {
        this.#checkAlive();
        kernel.vmWrite(this.#task, address, bytes);
      },
    );
    this.#later = new Memory(
      (address, into) => this.#readLater(address, into),
      this.arch.pointerSize,
      (address, bytes) => this.memory.write(address, bytes),
    );
    this.#images = new ImageList({
      memory: this.memory,
      reader: this.#later,
      dyldInfo: () => this.#dyldInfo(),
      mappedRegions: () => kernel.system === "linux" ? readRegions(kernel, this.#task, true) : [],
      openFile: (path) => system.files.open(options.mappedFile?.(path) ?? path),
      symbols: (images) => new Symbolizer(images, this.debug),
    });
  }

  /** See {@linkcode Target.name}. After `exec` it is that of the new program's file. */
  get name(): RawText {
    const { images } = this.#images;
    const path = images[0]?.path;
    if (images === this.#listed || path === undefined) return this.#name;
    this.#listed = images;
    if (this.#program === undefined) this.#program = path;
    else if (images.every((image) => image.path !== this.#program)) {
      this.#program = path;
      this.#name = path.slice(path.lastIndexOf("/") + 1);
    }
    return this.#name;
  }

  /** Where dyld's list is, of a program that has the architecture which was attached to.
   *
   * @throws TargetGoneError when the process has started one of another architecture. XNU makes another task of
   * such a process; on Linux it stays the same, and nothing that was known is true of it.
   */
  #dyldInfo(): DyldInfo {
    const info = this.#kernel.taskDyldInfo(this.#task);
    if (info.cpuType === 0) return info;
    const arch = archOfCpuType(info.cpuType);
    if (arch?.name === this.arch.name) return info;
    this.#replaced = `it has started a program for ${arch?.name ?? "another processor"} by exec: ` +
      `attach to pid ${this.pid} again`;
    throw new TargetGoneError(`${this}`, this.#replaced, true);
  }

  #readLater(address: bigint, into: Uint8Array): number {
    if (this.#disposed) return 0;
    try {
      const bytes = this.memory.readUpTo(address, into.length, into);
      if (bytes.buffer !== into.buffer) into.set(bytes);
      return bytes.length;
    } catch (error) {
      if (!(error instanceof TargetGoneError)) throw error;
      return 0;
    }
  }

  /** See {@linkcode Target.images}. */
  get images(): readonly LoadedImage[] {
    const list = this.#currentImages();
    // Nothing cheap shows whether ELF files were loaded since, and a running program loads them at any time.
    if (this.#mayHaveMapped) list.refreshFiles();
    return list.images;
  }

  /** While paused the list cannot change. Otherwise its head shows whether it has. */
  #currentImages(): ImageList {
    if (!this.paused || !this.#imagesChecked) {
      this.#checkAlive();
      this.#images.refresh();
      this.#imagesChecked = true;
    }
    return this.#images;
  }

  /** Whether dyld has loaded the program's libraries, so that its own code runs. */
  get initialized(): boolean {
    this.#checkAlive();
    const info = this.#dyldInfo();
    if (info.address === 0n) return false;
    const head = readImageInfosHead(this.memory, info);
    return typeof head !== "string" && head.initialized;
  }

  /** See {@linkcode Target.variableOrigin}. */
  protected get isRunning(): boolean {
    return !this.paused;
  }

  /** See {@linkcode Target.warnings}. */
  get warnings(): readonly string[] {
    const replaced = this.#replaced === undefined ? [] : [this.#replaced];
    return [...this.#images.warnings, ...this.#unstoppable, ...replaced];
  }

  /** See {@linkcode Target.symbols}. */
  protected get symbols(): Symbolizer {
    return this.#currentImages().symbols;
  }

  /** See {@linkcode Target.lookup}. */
  override lookup(name: string, image?: LoadedImage): FoundSymbol[] {
    const found = super.lookup(name, image);
    if (found.length > 0 || image !== undefined || !this.#mayHaveMapped) return found;
    const before = this.#images.symbols;
    this.#images.refreshFiles();
    return this.#images.symbols === before ? found : super.lookup(name);
  }

  /** See {@linkcode Target.resolve}. */
  override resolve(address: bigint): AddressInfo {
    let info = super.resolve(address);
    if (info.image === null && this.#mayHaveMapped) {
      // Most addresses that are asked for are data: looking each time would take long.
      this.#lookForImages();
      info = super.resolve(address);
    }
    const { generated } = this.#options;
    return info.image === null && generated !== undefined ? generated.resolve(address) : info;
  }

  /** Whether files may have been mapped that are not known yet: on Linux only a stop, or asking for the images,
   * reads which there are. */
  get #mayHaveMapped(): boolean {
    return !this.paused && this.#kernel.system === "linux";
  }

  /** See {@linkcode Target.paused}. */
  get paused(): boolean {
    return this.#token !== undefined;
  }

  /** See {@linkcode Target.threads}. */
  get threads(): readonly Thread[] {
    return this.paused ? this.#threads : this.snapshot().threads;
  }

  #capture(keepSuspended: boolean): Capture {
    this.#checkAlive();
    const capture = this.#captureAs(this.arch.threadState, keepSuspended);
    this.#unstoppable = capture.threads.flatMap(({ stateResult, info: { name } }, index) =>
      stateResult === operationTimedOut
        ? [`thread ${index}${name && ` (${name})`} could not be stopped: it waits in the kernel`]
        : []
    );
    return capture;
  }

  #captureAs({ number: flavor, size: stateSize }: Flavor, keepSuspended: boolean): Capture {
    try {
      return this.#kernel.snapshot(this.#task, { flavor, stateSize, maxStack, keepSuspended });
    } catch (error) {
      // Another architecture has no such registers.
      if (error instanceof MachError) this.#dyldInfo();
      throw error;
    }
  }

  /** See {@linkcode Target.pause}. */
  pause(): Pause {
    let began: number | undefined;
    if (this.#pauses === 0) {
      let left = stopAttempts;
      while (began === undefined) began = this.#stop(--left === 0);
    }
    this.#pauses++;
    return new Pause(() => {
      if (this.#pauses > 0 && --this.#pauses === 0) this.#resume();
    }, began);
  }

  /** Stops the target, with its list of images known. The list is read while the target runs, for it takes
   * many reads; while it is stopped the list is only compared.
   *
   * @param last whether a list that has changed meanwhile is read while the target is stopped
   * @returns when it was stopped; `undefined` when it runs again because the list has changed
   */
  #stop(last: boolean): number | undefined {
    this.#checkAlive();
    this.#images.refresh();
    void this.#images.symbols;
    this.debug.locate();
    const capture = this.#capture(true);
    this.#token = capture.token;
    this.#filesChecked = false;
    this.memory.caching = true;
    try {
      const { state } = this.#images;
      if (state !== "current") {
        if (!last) {
          this.#resume();
          if (state === "changing") sleep(changeTime);
          return undefined;
        }
        this.#images.refresh(1);
      }
      this.#imagesChecked = true;
      this.#threads = this.#makeThreads(capture.threads, true);
      this.#captured = capture.threads;
    } catch (error) {
      this.#resume();
      throw error;
    }
    return capture.stoppedSince;
  }

  /** Resumes the target, whatever pauses there are. A target that is gone needs no resuming. */
  #resume(): void {
    const token = this.#token;
    if (token === undefined) return;
    this.#token = undefined;
    this.#imagesChecked = false;
    this.#threads = [];
    this.#captured = [];
    this.#dispatch = undefined;
    this.memory.caching = false;
    try {
      this.#kernel.taskResume(token);
    } catch (error) {
      if (!(error instanceof TargetGoneError)) throw error;
    }
  }

  /** See {@linkcode Target.snapshot}. */
  snapshot(options: SnapshotOptions = {}): Snapshot {
    if (options.follow !== undefined || options.whileStopped !== undefined) {
      return this.#withMore(options);
    }
    const { capture, contexts } = this.#copy();
    this.#filesChecked = false;
    return new Snapshot(
      this,
      this.#makeThreads(capture.threads, false, { contexts }),
      this.#currentImages().images,
      Math.round(capture.stoppedNanoseconds / 1000),
    );
  }

  /** A snapshot with a copy of what variables lead to, and with what else is read in its stop.
   *
   * Which pages those are is found while the target runs; its stop only copies them. Afterwards the variables of
   * the copy are gone through. Where they lead to other pages by then, it is stopped again; at last they are gone
   * through in the stop. */
  #withMore({ follow: options, whileStopped }: SnapshotOptions): Snapshot {
    const reader = options && readerOfVariables();
    const running = { ...options!, milliseconds: options?.preparation ?? preparationTime };
    const stopped = { milliseconds: followTime, ...options! };
    let pages = reader?.follow(this.snapshot().threads, this.memory, running).copied.pages ?? [];
    for (let left = copyAttempts;; left--) {
      const pause = this.pause();
      let found: ReturnType<VariableReader["follow"]> | undefined;
      let captured: readonly CapturedThread[];
      const contexts: AsyncContexts = new Map();
      try {
        whileStopped?.(this.#threads);
        found = left > 0
          ? reader?.copy(pages, this.memory, stopped)
          : reader?.follow(this.#threads, this.memory, stopped);
        captured = this.#captured;
        if (this.#images.hasSwiftConcurrency) {
          for (const thread of captured) this.#readContexts(thread, contexts);
        }
      } finally {
        pause.resume();
      }
      const threads = this.#makeThreads(captured, false, { contexts, copied: found?.copied });
      let isWhole = found?.isWhole === true;
      if (reader !== undefined && isWhole && left > 0) {
        const missed = reader.missing(threads, this.memory, running);
        if (missed.pages.length > 0) {
          pages = [...pages, ...missed.pages];
          continue;
        }
        isWhole = missed.isWhole;
      }
      return new Snapshot(
        this,
        threads,
        this.#currentImages().images,
        pause.pausedMicroseconds,
        found === undefined ? null : { bytes: found.copied.bytes, isWhole },
      );
    }
  }

  #readContexts(thread: CapturedThread, contexts: AsyncContexts): void {
    const readInto = (address: bigint, into: Uint8Array) =>
      this.#kernel.vmRead(this.#task, address, into);
    readContexts(this.arch, thread, readInto, contexts);
  }

  /** Captures the threads in one short stop, and with them the async contexts of a program that uses Swift's
   * concurrency: they are not on the stacks, and a task's are used again once it has gone on. */
  #copy(): { capture: Capture; contexts: AsyncContexts | undefined } {
    if (this.#images.images.length === 0) {
      this.#checkAlive();
      this.#images.refresh();
    }
    if (!this.#images.hasSwiftConcurrency) {
      return { capture: this.#capture(false), contexts: undefined };
    }
    const capture = this.#capture(true);
    const contexts: AsyncContexts = new Map();
    try {
      for (const thread of capture.threads) this.#readContexts(thread, contexts);
    } finally {
      // Another pause may hold it.
      this.#kernel.taskResume(capture.token!);
    }
    const more = (performance.now() - capture.stoppedSince) * 1e6;
    const stoppedNanoseconds = Math.max(capture.stoppedNanoseconds, more);
    return { capture: { ...capture, stoppedNanoseconds, token: undefined }, contexts };
  }

  /** Holds on to one thread, to look at it alone while the others run on.
   *
   * @ignore
   * @param name of the thread; the main thread when left out
   * @returns `undefined` where no thread has that name
   */
  async probe(name?: string): Promise<ThreadProbe | undefined> {
    this.#checkAlive();
    const { ThreadProbe } = await import("./probe.ts");
    const named = name === undefined
      ? undefined
      : this.snapshot().threads.find((thread) => thread.name === name);
    if (name !== undefined && named === undefined) return undefined;
    const index = named?.index ?? 0;
    const port = named === undefined
      ? this.#firstThreadPort()
      : this.#threadPort("thread_info", named.id);
    if (port === undefined) return undefined;
    return new ThreadProbe({
      kernel: this.#kernel,
      task: this.#task,
      port,
      arch: this.arch,
      thread: (captured) =>
        this.#makeThreads([captured], false, {
          first: index,
          resolver: this.#runningResolver(),
        })[0],
    });
  }

  #makeThreads(
    captured: readonly CapturedThread[],
    paused: boolean,
    { contexts, readInto, copied, first = 0, resolver = this.#resolver() }: ThreadParts = {},
  ): Thread[] {
    const dispatch = new DispatchReader({
      arch: this.arch,
      images: () => this.#images.images,
      readInto: (address, into) =>
        this.#disposed ? 0 : this.#kernel.vmRead(this.#task, address, into),
    }, captured);
    if (paused) this.#dispatch = dispatch;
    const token = this.#token;
    const context = {
      arch: this.arch,
      resolver,
      variables: {
        ...this.variableOrigin,
        memory: this.#later,
        isRunning: () => !paused || this.#token !== token,
        copied,
      },
      readInto: paused
        ? (address: bigint, into: Uint8Array) =>
          this.paused ? this.#kernel.vmRead(this.#task, address, into) : 0
        : readInto ?? (contexts && contextReader(contexts)),
      control: this.#control,
      dispatch,
    };
    return captured.map((thread, index) =>
      new Thread(context, first + index, thread, paused ? this.#exceptionOf(thread) : null)
    );
  }

  /** The crash at which the program is stopped; `null` while there is none, and where it is not caught. The
   * program dies of it when the target is disposed of. */
  get crash(): Crash | null {
    return this.#disposed ? null : this.#options.crashes?.poll() ?? null;
  }

  #exceptionOf({ info: { id } }: CapturedThread): ThreadException | null {
    return this.#options.crashes?.exceptionOf(id, this.arch, ({ number, size }) => {
      const port = this.#threadPort("thread_set_state", id);
      try {
        return this.#kernel.threadGetState(port, number, size);
      } finally {
        this.#kernel.portRelease(port);
      }
    }) ?? null;
  }

  /** Resolves in the images as they are at this stop. On Linux, when an address is in none, it looks once
   * for newly mapped files. */
  #resolver(): CodeResolver {
    const refresh = (): Symbolizer | null => {
      if (this.#filesChecked || this.#kernel.system !== "linux") return null;
      this.#filesChecked = true;
      if (this.#disposed) return null;
      this.#images.refreshFiles();
      return this.#images.symbols;
    };
    return resolverOf(this.debug, this.symbols, refresh, this.#options.generated);
  }

  readonly #control: ThreadControl = {
    suspend: (id) => {
      const held = this.#suspended.get(id);
      const port = held?.port ?? this.#threadPort("thread_suspend", id);
      try {
        this.#kernel.threadSuspend(port);
      } catch (error) {
        if (held === undefined) this.#kernel.portRelease(port);
        // It may have ended since it was found, and the others not.
        if (error instanceof TargetGoneError) {
          this.#kernel.portRelease(this.#threadPort("thread_suspend", id));
        }
        throw error;
      }
      if (held !== undefined) held.count++;
      else if (this.#suspended.set(id, { port, count: 1 }).size === 1) {
        this.#options.onHold?.(this, true);
      }
    },
    resume: (id) => {
      const held = this.#suspended.get(id);
      if (held === undefined) {
        throw new MachError("thread_resume", failure, "suspend() it first");
      }
      this.#kernel.threadResume(held.port);
      if (--held.count === 0) {
        this.#suspended.delete(id);
        this.#kernel.portRelease(held.port);
        if (this.#suspended.size === 0) this.#options.onHold?.(this, false);
      }
    },
    setRegister: (id, name, value) => {
      const { threadState } = this.arch;
      const field = register(threadState, name);
      if (!this.paused) throw new TypeError("pause() the target before writing its registers");
      const port = this.#threadPort("thread_set_state", id);
      try {
        const state = this.#kernel.threadGetState(port, threadState.number, threadState.size);
        writeRegister(state, field, value);
        this.#kernel.threadSetState(port, threadState.number, state);
        const now = this.#kernel.threadGetState(port, threadState.number, threadState.size);
        if (readRegister(now, field) !== readRegister(state, field)) {
          throw new MachError("thread_set_state", failure, `the system keeps ${name} as it is`);
        }
        return now;
      } finally {
        this.#kernel.portRelease(port);
      }
    },
  };

  #firstThreadPort(): number | undefined {
    const [first, ...others] = this.#kernel.taskThreads(this.#task);
    for (const port of others) this.#kernel.portRelease(port);
    return first;
  }

  /** The port of a thread, which the caller must release. It is found by the thread's id: since a snapshot
   * others may have ended, and of one that is ending the system lists no port.
   *
   * @param call what is to be done with it
   */
  #threadPort(call: string, id: bigint): number {
    const ports = this.#kernel.taskThreads(this.#task);
    let found: number | undefined;
    for (const port of ports) {
      if (found === undefined && this.#idOf(port) === id) found = port;
      else this.#kernel.portRelease(port);
    }
    if (found === undefined) {
      // Where the process has ended too, this says so.
      for (const port of this.#kernel.taskThreads(this.#task)) this.#kernel.portRelease(port);
      throw new MachError(call, terminated, "the thread has ended");
    }
    return found;
  }

  /** A thread may exit between being listed and being asked. */
  #idOf(port: number): bigint | undefined {
    try {
      return this.#kernel.threadInfo(port).id;
    } catch (error) {
      if (error instanceof TargetGoneError) return undefined;
      throw error;
    }
  }

  /** See {@linkcode Target.regions}. */
  regions(): Region[] {
    this.#checkAlive();
    return readRegions(this.#kernel, this.#task, true).map(withHex);
  }

  /** Samples the target while it runs: where its threads are, many times a second. Each thread that is looked
   * at stands still for some microseconds; on Apple's systems the whole target does. Iterating ends with the target.
   *
   * The schedule is kept in a thread of its own. Samples are handed out a fifth of a second after they were
   * taken, at most. What is not taken from the iterator within some seconds is lost, and counted.
   *
   * @example
   * ```ts
   * import { attach } from "@machpause/machpause";
   *
   * using target = attach("MyApp");
   * const counts = new Map<string, number>();
   * for await (const { threads } of target.samples({ rate: 100, duration: 5 })) {
   *   for (const thread of threads) {
   *     const name = thread.backtrace()[0]?.function ?? "?";
   *     counts.set(name, (counts.get(name) ?? 0) + thread.weight);
   *   }
   * }
   * console.log(counts);
   * ```
   * @throws RangeError for a rate or duration that is none
   * @throws TargetGoneError when it has ended before the first sample
   * @throws MachError when the target cannot be sampled
   */
  async *samples(options: SampleOptions = {}): AsyncGenerator<Sample, void> {
    this.#checkAlive();
    // Most targets are never sampled, and each module costs time at the start.
    const { samples } = await import("./sampling.ts");
    this.debug.locate();
    const resolver = this.#lateResolver();
    const begin = this.#isHeld ? () => this.#begin() : undefined;
    // A program that waits has nothing to be read yet.
    if (begin === undefined) resolver();
    const origin: SampleOrigin = {
      arch: this.arch,
      kernel: this.#kernel,
      task: this.#task,
      pid: this.pid,
      ...(begin === undefined ? {} : { begin }),
      get resolver() {
        return resolver();
      },
      dispatch: {
        arch: this.arch,
        images: () => this.#images.images,
        readInto: (address, into) =>
          this.#disposed ? 0 : this.#kernel.vmRead(this.#task, address, into),
      },
    };
    yield* samples(origin, options);
    this.#noteReplaced();
  }

  /** Has {@linkcode warnings} tell of a program of another architecture, whose threads were not sampled. */
  #noteReplaced(): void {
    try {
      if (!this.#disposed) this.#dyldInfo();
    } catch (error) {
      if (!(error instanceof MachError || error instanceof TargetGoneError)) throw error;
    }
  }

  /** Samples the target and makes a profile of it, which `profileStream` writes in the formats of the Firefox
   * Profiler, speedscope, pprof and others. It ends after `duration`, when `signal` is aborted, or with the
   * target, and keeps what there is.
   *
   * @example
   * ```ts
   * import { attach } from "@machpause/machpause";
   *
   * using target = attach("MyApp");
   * const profile = await target.record({ rate: 100, duration: 5 });
   * console.log(`${profile.threads.length} threads, ${profile.lost} samples lost`);
   * ```
   * @throws RangeError for a rate or duration that is none
   * @throws TargetGoneError when it has ended before the first sample
   * @throws MachError when the target cannot be sampled
   */
  async record(options: RecordOptions = {}): Promise<Profile> {
    this.#checkAlive();
    const { record } = await import("./recording.ts");
    const { name, pid, arch } = this;
    const os = this.#kernel.system === "darwin" ? "macOS" : "Linux";
    const resolver = this.#lateResolver();
    const origin = {
      ...{ name, pid, arch, os },
      get resolver() {
        return resolver();
      },
    };
    return await record(origin, this.samples(options), options);
  }

  /** Lets the program begin that waits until it is sampled. */
  async #begin(): Promise<Beginning> {
    this.#isHeld = false;
    const beginning = await this.#options.begin!();
    this.#readLoading(1);
    return beginning;
  }

  /** Reads the images of a program that has just begun, less and less often: it may have ended when its first
   * samples are resolved. */
  #readLoading(pause: number): void {
    this.#imagesDue = 0;
    this.#lookForImages();
    if (pause < loadingTime && !this.#disposed) {
      setTimeout(() => this.#readLoading(2 * pause), pause);
    }
  }

  /** {@linkcode #runningResolver} from when it is first asked for: of a program that waits, what is there before
   * is not its own. */
  #lateResolver(): () => CodeResolver {
    let resolver: CodeResolver | undefined;
    return () => resolver ??= this.#runningResolver();
  }

  /** Resolves in the images as they are when an address is in none, while the target runs. */
  #runningResolver(): CodeResolver {
    try {
      this.#currentImages();
    } catch (error) {
      // It has ended: what was read of it while it ran serves. One that waited may have been too short for that.
      const isKnown = this.#images.key !== "" || this.#options.begin !== undefined;
      if (!(error instanceof TargetGoneError && isKnown) || error.isReplaced) throw error;
    }
    let { symbols } = this.#images;
    return resolverOf(this.debug, symbols, () => {
      this.#lookForImages();
      // Another resolver may have found them.
      const now = this.#images.symbols;
      return now === symbols ? null : symbols = now;
    }, this.#options.generated);
  }

  /** Looks for new images of a running target: while there are none, less and less often. */
  #lookForImages(): void {
    const began = performance.now();
    if (this.#disposed || began < this.#imagesDue) return;
    const before = this.#images.images;
    try {
      this.#images.refresh();
      this.#images.refreshFiles();
    } catch (error) {
      // It has ended: what is known of it serves for the rest.
      if (!(error instanceof MachError || error instanceof TargetGoneError)) throw error;
      return;
    }
    const now = performance.now();
    const isSame = this.#images.images === before;
    // What has loaded one library may load others.
    this.#imagesPause = isSame
      ? Math.max(imagesRatio * (now - began), Math.min(2 * this.#imagesPause, imagesTime))
      : imagesRatio / 5 * (now - began);
    this.#imagesDue = now + this.#imagesPause;
  }

  /** Saves a Mach-O core, which `openCore` and LLDB open. The target is paused while its memory is read,
   * and runs again before this returns, whatever happens; an earlier pause still holds. The file
   * appears under its name when it is complete, replacing one that was there. When it cannot be
   * completed there is no file.
   *
   * @example
   * ```ts
   * import { attach } from "@machpause/machpause";
   *
   * using target = attach("MyApp");
   * const { bytes, pausedMicroseconds } = await target.saveCore("MyApp.core", { style: "dirty" });
   * console.log(`${bytes} bytes, paused for ${pausedMicroseconds} µs`);
   * ```
   * @param file the path to write
   * @throws TargetGoneError when the target ends meanwhile
   * @throws DOMException the signal's reason when it was aborted
   */
  async saveCore(file: string, options: SaveCoreOptions = {}): Promise<SavedCore> {
    this.#checkAlive();
    // Most targets are never saved, and each module costs time at the start.
    const { saveCore } = await import("./save_core.ts");
    const origin: CoreOrigin = {
      files: this.#system.files,
      prepare: () => this.#readNames(),
      threads: () => this.snapshot().threads,
      memory: this.memory,
      pause: () => this.pause(),
      contents: () => ({
        arch: this.arch,
        pid: this.pid,
        name: this.name,
        memory: this.memory,
        images: this.images,
        threads: this.#threads,
        captured: this.#captured,
        crash: this.crash,
        queues: this.#dispatch?.ranges ?? [],
        dyldInfo: this.#dyldInfo(),
        regions: readRegions(this.#kernel, this.#task, false),
        warnings: this.warnings,
      }),
      readInto: (address, into) => this.#kernel.vmRead(this.#task, address, into),
      present: ({ address, size }) => {
        try {
          return this.#kernel.vmPresent(this.#task, address, size);
        } catch (error) {
          if (!(error instanceof MachError)) throw error;
          return [{ start: address, end: address + size }];
        }
      },
      threadsOf: (captured, readInto, copied) =>
        this.#makeThreads(captured, false, { readInto, copied }),
    };
    return await saveCore(origin, file, options);
  }

  /** Reads the images, and what most frames are named by, such as the shared cache's files. */
  #readNames(): void {
    for (const thread of this.snapshot().threads) {
      for (const frame of thread.backtrace({ limit: 1000 }).activations) void frame.symbol;
    }
  }

  /** Ends the process. Only a launched target can be ended. */
  kill(): void {
    const { kill } = this.#options;
    if (kill === undefined) throw new TypeError("only a launched target can be killed");
    kill();
  }

  #checkAlive(): void {
    if (this.#disposed) throw new TypeError(`${this} was disposed`);
  }

  /** Resumes everything that was suspended and releases the task. */
  [Symbol.dispose](): void {
    if (this.#disposed) return;
    this.#disposed = true;
    this.#pauses = 0;
    if (this.#isHeld) void this.#options.begin!();
    try {
      this.#resume();
      for (const { port, count } of this.#suspended.values()) {
        for (let left = count; left > 0; left--) {
          try {
            this.#kernel.threadResume(port);
          } catch (error) {
            if (!(error instanceof MachError || error instanceof TargetGoneError)) throw error;
          }
        }
        this.#kernel.portRelease(port);
      }
    } finally {
      if (this.#suspended.size > 0) this.#options.onHold?.(this, false);
      this.#suspended.clear();
      this.#options.crashes?.[Symbol.dispose]();
      this.debug[Symbol.dispose]();
      this.#kernel.portRelease(this.#task);
    }
  }
}
