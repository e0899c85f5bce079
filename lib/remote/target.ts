import { type Arch, readRegister, register, writeRegister } from "../arch/mod.ts";
import { MachError, MemoryReadError, TargetGoneError } from "../errors.ts";
import type { RawText } from "../escape.ts";
import type { FileSystem } from "../file_system.ts";
import { withHex } from "../json_form.ts";
import { log } from "../log.ts";
import type { Image, LoadedImage, MemoryReader } from "../macho/walking.ts";
import type { Profile } from "../profile/mod.ts";
import { Symbolizer, type SymbolOptions } from "../symbols/walking.ts";
import {
  type CapturedThread,
  type CodeResolver,
  type CopiedMemory,
  type CoreOrigin,
  DispatchReader,
  followTime,
  Memory,
  Pause,
  preparationTime,
  readerOfVariables,
  type ReadInto,
  type RecordOptions,
  type Region,
  resolverOf,
  type Sample,
  type SampleOptions,
  type SaveCoreOptions,
  type SavedCore,
  Snapshot,
  type SnapshotOptions,
  Target,
  Thread,
  type ThreadContext,
} from "../target/walking.ts";
import { RemoteError } from "./error.ts";
import { RemoteImages } from "./images.ts";
import { Pages } from "./pages.ts";
import { readRegions } from "./regions.ts";
import { threadPointers } from "./registers.ts";
import type { ByteStream } from "./stream.ts";
import { Stub, type StubOptions } from "./stub.ts";
import type { Wanted } from "./stub_memory.ts";
import type { StopReply } from "./stop_reply.ts";
import { bareThread, type StubThread } from "./threads.ts";

/** Bytes of each stack that are read at once, and where each packet costs a round trip. Most stacks are not
 * deeper. */
const stackPiece = 1 << 13;
const costlyStackPiece = 1 << 12;
/** Bytes below its stack pointer that a leaf function may use, by the System V ABI for x86-64 and
 * Apple's for arm64. */
const redZone = 128n;
/** Pages read at once where one is missing, of memory and of images. */
const memoryAhead = 4;
const imageAhead = 16;

/** Room for `dyld_all_image_infos` up to its last field that is compared. */
const infosSize = 256;

/** `KERN_PROTECTION_FAILURE`, `KERN_FAILURE`, `KERN_TERMINATED`. */
const protectionFailure = 2;
const failure = 5;
const threadTerminated = 37;

/** How a {@linkcode RemoteTarget} is made. */
export interface RemoteOptions extends SymbolOptions, StubOptions {
  /** Name of the process, where the stub does not say it. */
  readonly name?: string;
  /** Whether the stub has started the program for this target, so that {@linkcode RemoteTarget.kill} may end
   * it. */
  readonly launched?: boolean;
  /** Whether it stays stopped until it is first looked at: a recording of a program begins with its first
   * instruction. */
  readonly hold?: boolean;
  /** Called when the target stops, and when it runs again.
   *
   * @param detachesAlone whether the stub lets the target run when the connection is lost
   */
  readonly onStop?: (isStopped: boolean, detachesAlone: boolean) => void;
  /** Called when the target has been let go. */
  readonly onDispose?: () => void;
}

/** A process that a stub holds: debugserver, lldb-server, gdbserver or another one that speaks the gdb
 * remote protocol. It has the same objects as a live target.
 *
 * The protocol reads memory only while the target is stopped, so reading memory or images of a running one
 * stops it for the time of the read. A snapshot is unwound before the target runs again.
 *
 * @example
 * ```ts
 * import { attachRemote } from "@machpause/machpause/remote";
 *
 * using target = await attachRemote("127.0.0.1:1234");
 * using pause = target.pause();
 * for (const thread of target.threads) console.log(`${thread}\n${thread.backtrace()}`);
 * ```
 */
export class RemoteTarget extends Target {
  /** See {@linkcode Target.kind}. */
  readonly kind = "remote";
  /** See {@linkcode Target.arch}. */
  readonly arch: Arch;
  /** See {@linkcode Target.pid}; `null` when the stub does not say. */
  readonly pid: number | null;
  /** See {@linkcode Target.name}. */
  readonly name: RawText;
  /** See {@linkcode Target.memory}. */
  readonly memory: Memory;
  /** Whether the stub lets the target run on when this process ends without a word. */
  readonly detachesAlone: boolean;
  readonly #stub: Stub;
  readonly #system: FileSystem;
  readonly #options: RemoteOptions;
  readonly #images: RemoteImages;
  /** What does not change while the images stay. */
  readonly #imagePages: Pages;
  /** Of the present stop; dropped when the target runs. */
  #pages: Pages;
  #regions: readonly Region[] | undefined;
  /** The parts of images that are not writable, in rising order, and the images they are of. */
  #constant: readonly { readonly start: bigint; readonly end: bigint }[] = [];
  #constantOf: readonly LoadedImage[] | undefined;
  #pauses = 0;
  #threads: readonly Thread[] = [];
  #captured: readonly CapturedThread[] = [];
  readonly #handles = new WeakMap<readonly CapturedThread[], ReadonlyMap<bigint, bigint>>();
  /** The captured threads in whose states the frame pointer was put in place. */
  #inCall: Set<bigint> = new Set();
  /** How often threads are suspended one by one. */
  readonly #suspended = new Map<bigint, number>();
  /** It has failed, and stays stopped until a pause of it ends. */
  #failed = false;
  #stopText: string | undefined;
  #filesChecked = false;
  #dispatch: DispatchReader | undefined;
  #disposed = false;

  /** Attaches to the process of a stub. It runs when this returns, unless it had failed before.
   *
   * @param stream is closed when the target is disposed, and when this throws
   * @throws RemoteError when there is no stub, or no process
   * @ignore
   */
  constructor(stream: ByteStream, system: FileSystem, options: RemoteOptions = {}) {
    super(system, options);
    this.#system = system;
    this.#options = options;
    const stub = this.#stub = new Stub(stream, options, options.onStop);
    try {
      this.arch = stub.arch;
      this.pid = stub.pid === 0 ? null : stub.pid;
      this.detachesAlone = stub.detachesAlone;
      this.#pages = this.#newPages();
      this.#imagePages = new Pages(
        (ranges) => this.#stopped(() => stub.memory.read(ranges)),
        imageAhead,
      );
      this.memory = new Memory(
        this.#readInto,
        this.arch.pointerSize,
        (address, bytes) => this.#write(address, bytes),
      );
      this.#images = new RemoteImages({
        stub,
        fetch: (ranges) => this.#pages.fetch(ranges),
        memory: this.memory,
        reader: this.#reader,
        files: system.files,
        stopped: (work) => this.#stopped(work),
        regions: () => this.#regions ??= readRegions(stub),
        symbols: (images) => new Symbolizer(images, this.debug),
      });
      this.#images.refresh();
      const [program] = this.#images.images;
      // On Linux a stub names our loader, and not the program that it has loaded.
      const isMachO = program !== undefined && "segments" in program;
      this.name = options.name || (isMachO && program.name) || stub.programName ||
        program?.name || "";
      if (stub.isFault(stub.firstStop.signal)) this.#fail(stub.firstStop);
      else if (options.hold !== true) this.#run();
    } catch (error) {
      this.debug[Symbol.dispose]();
      letGo(stub);
      throw error;
    }
  }

  /** The target has stopped by itself, and stays so. */
  #fail({ signal, reason, thread }: StopReply): void {
    this.#failed = true;
    const where = thread === undefined ? "" : ` in thread 0x${thread.toString(16)}`;
    const why = reason === "" ? "" : ` (${reason})`;
    this.#stopText = `the target has stopped by itself, by signal ${signal}${where}${why}: ` +
      "it stays stopped until a pause of it ends";
  }

  #newPages(): Pages {
    return new Pages((ranges) => this.#stub.memory.read(ranges), memoryAhead);
  }

  readonly #readInto = (address: bigint, into: Uint8Array): number => {
    this.#checkOpen();
    this.#stub.checkAlive();
    return this.#stopped(() => this.#pages.readInto(address, into));
  };

  /** Reads of images: what cannot change is read once. */
  readonly #reader: MemoryReader = {
    read: (address, length, into) => {
      const bytes = into?.subarray(0, length) ?? new Uint8Array(length);
      let done = 0;
      try {
        done = this.#isConstant(address, length)
          ? this.#imagePages.readInto(address, bytes)
          : this.#readInto(address, bytes);
      } catch (error) {
        // Symbols are often read when the target is gone, or disposed of.
        const isGone = error instanceof TargetGoneError || error instanceof RemoteError;
        if (!isGone && !this.#disposed) throw error;
      }
      if (done < length) throw new MemoryReadError(address, length);
      return bytes;
    },
  };

  #isConstant(address: bigint, length: number): boolean {
    const { images } = this.#images;
    if (images !== this.#constantOf) {
      this.#constantOf = images;
      this.#imagePages.clear();
      this.#constant = images.flatMap((image) => "segments" in image ? constantParts(image) : [])
        .sort((a, b) => a.start < b.start ? -1 : a.start > b.start ? 1 : 0);
    }
    const ranges = this.#constant;
    let low = 0;
    let high = ranges.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (ranges[middle].start <= address) low = middle + 1;
      else high = middle;
    }
    const range = ranges[low - 1];
    return range !== undefined && address + BigInt(length) <= range.end;
  }

  /** Does something while the target is stopped; it runs again if it did. */
  #stopped<T>(work: () => T): T {
    if (!this.#stub.running) return work();
    log.remote?.("stopped for a read");
    this.#stub.stop();
    this.#pages = this.#newPages();
    try {
      return work();
    } finally {
      if (this.#stub.usable) this.#run();
    }
  }

  #run(): void {
    // A snapshot may still use the pages of its stop.
    this.#pages = this.#newPages();
    this.#stub.resume();
  }

  #checkOpen(): void {
    if (this.#disposed) throw new TypeError(`${this} was disposed`);
  }

  /** Takes what the stub reports while the target runs: a signal that has stopped it is delivered, and it
   * runs on. The owner has to call this regularly.
   *
   * @throws TargetGoneError when it has ended
   */
  attend(): void {
    this.#checkOpen();
    const stop = this.#stub.attend();
    if (stop === undefined) return;
    this.#pages = this.#newPages();
    this.#fail(stop);
  }

  /** How the process has ended, such as `it exited with code 1`; `undefined` while it runs, and where the
   * stub did not say. */
  get ended(): string | undefined {
    return this.#stub.ended;
  }

  /** See {@linkcode Target.images}. */
  get images(): readonly LoadedImage[] {
    this.#checkOpen();
    if (this.#stub.running) this.#stopped(() => this.#images.refresh());
    return this.#images.images;
  }

  /** See {@linkcode Target.symbols}. */
  protected get symbols(): Symbolizer {
    return this.#images.symbols;
  }

  /** See {@linkcode Target.warnings}. */
  get warnings(): readonly string[] {
    const { warnings } = this.#images;
    return this.#stopText === undefined ? warnings : [this.#stopText, ...warnings];
  }

  /** See {@linkcode Target.paused}. */
  get paused(): boolean {
    return this.#pauses > 0;
  }

  /** See {@linkcode Target.variableOrigin}. */
  protected get isRunning(): boolean {
    return this.#stub.running;
  }

  /** See {@linkcode Target.threads}. */
  get threads(): readonly Thread[] {
    return this.paused ? this.#threads : this.snapshot().threads;
  }

  /** See {@linkcode Target.pause}. */
  pause(): Pause {
    this.#checkOpen();
    let began: number | undefined;
    if (this.#pauses === 0) {
      began = performance.now();
      this.#begin();
    }
    this.#pauses++;
    return new Pause(() => {
      if (this.#pauses === 0 || --this.#pauses > 0) return;
      this.#threads = [];
      this.#captured = [];
      this.#failed = false;
      this.#stopText = undefined;
      if (this.#stub.usable) this.#run();
    }, began);
  }

  /** Stops the target and captures its threads. */
  #begin(): void {
    this.debug.locate();
    this.#stub.stop();
    try {
      this.#pages = this.#newPages();
      this.#filesChecked = false;
      const captured = this.#capture();
      this.#images.refresh();
      this.#captured = captured;
      this.#threads = this.#makeThreads(captured);
    } catch (error) {
      if (this.#stub.usable && !this.#failed) this.#run();
      throw error;
    }
  }

  /** See {@linkcode Target.snapshot}. The stacks are walked before the target runs again. */
  snapshot({ follow: options, whileStopped }: SnapshotOptions = {}): Snapshot {
    this.#checkOpen();
    if (this.paused && options === undefined && whileStopped === undefined) {
      return new Snapshot(this, this.#threads, this.images, 0);
    }
    const follow = options && readerOfVariables().follow;
    // Debug information is read before the stop that counts.
    const milliseconds = options?.preparation ?? preparationTime;
    follow?.(this.snapshot().threads, this.memory, { ...options!, milliseconds });
    const began = performance.now();
    const isStopping = !this.paused;
    if (isStopping) this.#begin();
    let threads = this.#threads;
    const { images } = this.#images;
    let followed: Snapshot["followed"] = null;
    try {
      whileStopped?.(threads);
      for (const thread of threads) this.#walk(thread);
      if (follow !== undefined) {
        const found = follow(threads, this.memory, { milliseconds: followTime, ...options! });
        threads = this.#makeThreads(this.#captured, found.copied);
        followed = { bytes: found.copied.bytes, isWhole: found.isWhole };
        for (const thread of threads) void thread.queue;
      }
    } finally {
      if (isStopping) this.#end();
    }
    const microseconds = Math.round((performance.now() - began) * 1000);
    return new Snapshot(this, threads, images, isStopping ? microseconds : 0, followed);
  }

  /** Ends a stop that {@linkcode #begin} began. A target that has stopped by itself stays so. */
  #end(): void {
    this.#threads = [];
    this.#captured = [];
    if (this.#stub.usable && !this.#failed) this.#run();
  }

  /** Reads what a backtrace needs: the stack, and the unwind information and symbols of the images. */
  #walk(thread: Thread): void {
    const { images } = this.symbols;
    for (const { address } of thread.backtrace().activations) images.at(address)?.symbolAt(address);
    void thread.queue;
  }

  /** Reads the registers and the upper part of the stack of each thread. */
  #capture(): CapturedThread[] {
    const { sp, addressMask, pointerSize } = this.arch;
    const threads = this.#stub.threads();
    const main = threads.findIndex(({ id }) => id === BigInt(this.pid ?? 0));
    if (main > 0) threads.unshift(...threads.splice(main, 1));
    const states = this.#stub.registers.states(threads);
    const pointers = states.map((state) =>
      state.length === 0
        ? 0n
        : readRegister(state, sp) & (pointerSize === 8 ? addressMask : 0xffff_ffffn)
    );
    const ends = this.#stackEnds(pointers);
    const piece = this.#stub.connection.pipelines ? stackPiece : costlyStackPiece;
    const stacks = pointers.map((pointer, index) => {
      const address = pointer > redZone ? pointer - redZone : 0n;
      const room = ends[index] === 0n ? piece : Number(ends[index] - address);
      return { address, length: pointer === 0n ? 0 : Math.min(room, piece) };
    });
    // dyld's list is compared at every stop.
    const infos = { address: this.#images.dyldInfo.address, length: infosSize };
    this.#pages.fetch([
      ...stacks,
      ...infos.address === 0n ? [] : [infos],
      ...this.#callSites(states),
    ]);
    this.#inCall = new Set();
    for (const [index, state] of states.entries()) {
      if (this.#placeFramePointer(state)) this.#inCall.add(threads[index].id);
    }
    return threads.map((thread, index) => {
      const { address, length } = stacks[index];
      const stack = new Uint8Array(length);
      return {
        info: infoOf(thread, this.#suspended.get(thread.id) ?? 0),
        state: states[index],
        stackAddress: address,
        stack: stack.subarray(0, this.#pages.readInto(address, stack)),
        stackEnd: ends[index],
      };
    });
  }

  /** The code around the program counters, where it tells whether a system call has taken the register of
   * the frame pointer. */
  #callSites(states: readonly Uint8Array[]): Wanted[] {
    const { linuxCall, pc } = this.arch;
    if (linuxCall === undefined || this.#stub.system === "darwin") return [];
    const { code, instructionSize } = linuxCall;
    // A thread that was interrupted is at the instruction, which will be restarted, or behind it.
    return states.flatMap((state) => {
      const at = state.length === 0 ? 0n : readRegister(state, pc);
      return at < BigInt(instructionSize)
        ? []
        : [{ address: at - BigInt(instructionSize), length: code.length + instructionSize }];
    });
  }

  /** Puts the frame pointer into the state of a thread in one of our loader's calls, as the live target has
   * it.
   *
   * @returns whether it is in one
   */
  #placeFramePointer(state: Uint8Array): boolean {
    const [site] = this.#callSites([state]);
    if (site === undefined) return false;
    const bytes = new Uint8Array(site.length);
    const { length } = bytes.subarray(0, this.#pages.readInto(site.address, bytes));
    const { code, instructionSize } = this.arch.linuxCall!;
    const isCall = (at: number) => code.every((byte, nth) => bytes[at + nth] === byte);
    if (length < site.length || !(isCall(0) || isCall(instructionSize))) return false;
    writeRegister(state, this.arch.fp, readRegister(state, this.arch.sp));
    return true;
  }

  /** The ends of the regions that hold stack pointers; 0 where they are not known. */
  #stackEnds(pointers: readonly bigint[]): bigint[] {
    if (this.#stub.system !== "darwin") {
      const ends = pointers.map((pointer) => this.#regionEnd(pointer));
      if (!ends.includes(0n)) return ends;
      // A thread may have been started after the regions were read.
      this.#regions = readRegions(this.#stub);
      return pointers.map((pointer) => this.#regionEnd(pointer));
    }
    const asked = pointers.filter((pointer) => pointer !== 0n);
    const regions = this.#stub.memory.regionsAt(asked);
    const ends = new Map(asked.map((pointer, index) => {
      const region = regions[index];
      const isHeld = region !== undefined && region.protection !== undefined &&
        region.start <= pointer;
      return [pointer, isHeld ? region.end : 0n];
    }));
    return pointers.map((pointer) => ends.get(pointer) ?? 0n);
  }

  #regionEnd(pointer: bigint): bigint {
    const regions = this.#regions ??= readRegions(this.#stub);
    let low = 0;
    let high = regions.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (regions[middle].address <= pointer) low = middle + 1;
      else high = middle;
    }
    const region = regions[low - 1];
    const end = region === undefined ? 0n : region.address + region.size;
    return pointer < end ? end : 0n;
  }

  #makeThreads(captured: readonly CapturedThread[], copied?: CopiedMemory): Thread[] {
    const pages = this.#pages;
    // Pages that were read in this stop stay readable after it.
    const readInto: ReadInto = (address, into) =>
      pages.readInto(address, into, this.#pages === pages && !this.#stub.running);
    const dispatch = this.#dispatch = new DispatchReader({
      arch: this.arch,
      images: () => this.#images.images,
      readInto,
    }, captured);
    const context: ThreadContext = {
      arch: this.arch,
      resolver: this.#resolver(),
      variables: {
        ...this.variableOrigin,
        isRunning: () => copied !== undefined || this.#pages !== pages || this.#stub.running,
        copied,
      },
      readInto,
      dispatch,
      handleOf: (id) => this.#handlesOf(captured).get(id) ?? 0n,
      control: {
        suspend: (id) => this.#suspend(id),
        resume: (id) => this.#resume(id),
        setRegister: (id, name, value) => this.#setRegister(id, name, value),
      },
    };
    return captured.map((thread, index) => new Thread(context, index, thread));
  }

  /** The thread pointers of a capture, asked for when a variable of a thread's own is looked at. A thread keeps its
   * pointer, so a later stop has the same. */
  #handlesOf(captured: readonly CapturedThread[]): ReadonlyMap<bigint, bigint> {
    let handles = this.#handles.get(captured);
    if (handles !== undefined) return handles;
    handles = new Map();
    const register = this.#stub.system === "darwin" ? undefined : threadPointers[this.arch.name];
    if (register !== undefined && !this.#disposed && this.#stub.usable) {
      const ids = captured.map(({ info }) => info.id);
      try {
        const values = this.#stopped(() => this.#stub.registers.pointers(ids, register));
        handles = new Map(ids.map((id, index) => [id, values[index]]));
      } catch (error) {
        if (!(error instanceof TargetGoneError)) throw error;
      }
    }
    this.#handles.set(captured, handles);
    return handles;
  }

  /** Resolves in the images as they are at this stop. When an address is in none, it looks once for newly
   * mapped files. */
  #resolver(): CodeResolver {
    const refresh = (): Symbolizer | null => {
      if (this.#filesChecked || this.#stub.running || this.#stub.system === "darwin") return null;
      this.#filesChecked = true;
      this.#regions = undefined;
      this.#images.refreshFiles();
      return this.#images.symbols;
    };
    return resolverOf(this.debug, this.#images.symbols, refresh);
  }

  #suspend(id: bigint): void {
    this.#checkOpen();
    const count = this.#suspended.get(id) ?? 0;
    if (count === 0) {
      this.#stopped(() => {
        if (this.#stub.hold(id)) return;
        throw new MachError("thread_suspend", threadTerminated, "the thread has ended");
      });
    }
    this.#suspended.set(id, count + 1);
  }

  #resume(id: bigint): void {
    this.#checkOpen();
    const count = this.#suspended.get(id);
    if (count === undefined) throw new MachError("thread_resume", failure, "suspend() it first");
    if (count > 1) {
      this.#suspended.set(id, count - 1);
      return;
    }
    this.#stopped(() => this.#stub.unhold(id));
    this.#suspended.delete(id);
  }

  #setRegister(id: bigint, name: string, value: bigint): Uint8Array {
    const field = register(this.arch.threadState, name);
    if (!this.paused) throw new TypeError("pause() the target before writing its registers");
    if (field === this.arch.fp && this.#inCall.has(id)) {
      throw new MachError(
        "thread_set_state",
        failure,
        `the thread is in a system call, whose number is in ${name}`,
      );
    }
    if (!this.#stub.registers.write(id, name, value)) {
      throw new MachError("thread_set_state", failure, `the stub does not write ${name}`);
    }
    if (field === this.arch.pc && this.#inCall.delete(id)) {
      // The thread leaves its system call, and the code that it goes to needs the frame pointer.
      const { state } = this.#captured.find(({ info }) => info.id === id)!;
      this.#stub.registers.write(id, this.arch.fp.name, readRegister(state, this.arch.fp));
    }
    const [state] = this.#stub.registers.states([bareThread(id)]);
    this.#placeFramePointer(state);
    const wanted = BigInt.asUintN(field.size * 8, value);
    if (state.length === 0 || readRegister(state, field) !== wanted) {
      throw new MachError("thread_set_state", failure, `the system keeps ${name} as it is`);
    }
    return state;
  }

  #write(address: bigint, bytes: Uint8Array): void {
    this.#checkOpen();
    this.#stopped(() => {
      const isWritten = this.#stub.memory.write(address, bytes);
      this.#pages.clear();
      this.#imagePages.clear();
      if (!isWritten) {
        throw new MachError("mach_vm_write", protectionFailure, "the stub did not write all of it");
      }
    });
  }

  /** See {@linkcode Target.regions}. */
  regions(): Region[] {
    this.#checkOpen();
    return this.#stopped(() => readRegions(this.#stub)).map(withHex);
  }

  /** Samples the target by stopping it: the protocol has no other way. Each sample is a stop of the whole target
   * for some round trips. The protocol does not tell which threads run: one whose registers are as they were
   * at the sample before waits. What was due while an earlier sample was taken is in
   * {@linkcode Sample.lost}.
   *
   * @throws RangeError for a rate or duration that is none
   * @throws TargetGoneError when it has ended before the first sample
   * @throws RemoteError when the connection is lost
   */
  async *samples(options: SampleOptions = {}): AsyncGenerator<Sample, void> {
    this.#checkOpen();
    const { pausedSamples } = await import("../target/recordings.ts");
    yield* pausedSamples((see) => this.#stopToSee(see), options);
  }

  /** Samples the target, as {@linkcode RemoteTarget.samples} does, and makes a profile of it.
   *
   * @example
   * ```ts
   * import { attachRemote } from "@machpause/machpause/remote";
   *
   * using target = await attachRemote("127.0.0.1:1234");
   * const profile = await target.record({ rate: 20, duration: 5 });
   * console.log(`${profile.threads.length} threads, ${profile.lost} samples lost`);
   * ```
   * @throws RangeError for a rate or duration that is none
   * @throws TargetGoneError when it has ended before the first sample
   * @throws RemoteError when the connection is lost
   */
  async record(options: RecordOptions = {}): Promise<Profile> {
    this.#checkOpen();
    const { record } = await import("../target/recordings.ts");
    const { name, pid, arch } = this;
    const os = this.#stub.system === "darwin" ? "macOS" : "Linux";
    // The list of images is compared at every stop.
    const refresh = () => this.symbols === resolved ? null : resolved = this.symbols;
    let resolved = this.symbols;
    const origin = { name, pid, arch, os, resolver: resolverOf(this.debug, resolved, refresh) };
    return await record(origin, this.samples(options), options);
  }

  /** Stops the target for a sample. */
  #stopToSee(
    see: (threads: readonly Thread[], captured: readonly CapturedThread[]) => void,
  ): number {
    this.#checkOpen();
    if (this.paused) throw new TypeError("resume() the target: what is paused is not sampled");
    const began = performance.now();
    this.#begin();
    try {
      see(this.#threads, this.#captured);
    } finally {
      this.#end();
    }
    return Math.round((performance.now() - began) * 1000);
  }

  /** Saves a Mach-O core, as a live target's `saveCore` does. The target is paused while its memory is
   * read.
   *
   * @param file the path to write
   * @throws TargetGoneError when the target ends meanwhile
   * @throws RemoteError when the connection is lost
   * @throws DOMException the signal's reason when it was aborted
   */
  async saveCore(file: string, options: SaveCoreOptions = {}): Promise<SavedCore> {
    this.#checkOpen();
    const { saveCore } = await import("../target/saving.ts");
    const origin: CoreOrigin = {
      files: this.#system.files,
      prepare: () => void this.images,
      threads: () => this.snapshot().threads,
      memory: this.memory,
      pause: () => this.pause(),
      contents: () => ({
        arch: this.arch,
        pid: this.pid ?? 0,
        name: this.name,
        memory: this.memory,
        images: this.images,
        threads: this.#threads,
        captured: this.#captured.map(({ info, ...rest }) => ({
          ...rest,
          info: { ...info, handle: this.#handlesOf(this.#captured).get(info.id) ?? 0n },
        })),
        dyldInfo: this.#images.dyldInfo,
        regions: this.regions(),
        warnings: this.warnings,
        queues: this.#dispatch?.ranges ?? [],
      }),
      readInto: this.#readInto,
      present: ({ address, size }) => [{ start: address, end: address + size }],
    };
    return await saveCore(origin, file, options);
  }

  /** Ends the process, if it was launched with this target.
   *
   * @throws TypeError when it was attached to
   */
  kill(): void {
    if (this.#options.launched !== true) {
      throw new TypeError("only a launched target can be killed");
    }
    if (!this.#disposed && this.#stub.usable) this.#stub.kill();
  }

  /** Lets the target run, detaches the stub from it and closes the connection. */
  [Symbol.dispose](): void {
    if (this.#disposed) return;
    this.#disposed = true;
    this.#pauses = 0;
    this.#threads = [];
    this.#captured = [];
    this.debug[Symbol.dispose]();
    letGo(this.#stub);
    this.#options.onDispose?.();
  }
}

/** Detaches. What fails is logged: the connection is closed in any case. */
function letGo(stub: Stub): void {
  try {
    stub.detach();
  } catch (error) {
    if (!(error instanceof RemoteError || error instanceof TargetGoneError)) throw error;
    log.remote?.(`not detached: ${error.message}`);
  } finally {
    stub[Symbol.dispose]();
  }
}

/** What is known of a thread: the protocol tells neither its times nor what it waits for. */
function infoOf(
  { id, name, queueAddress }: StubThread,
  suspendCount: number,
): CapturedThread["info"] {
  return {
    id,
    handle: 0n,
    dispatchQueueAddress: queueAddress,
    userTime: 0n,
    systemTime: 0n,
    cpuUsage: 0,
    runState: 0,
    flags: 0,
    suspendCount,
    priority: 0,
    name,
  };
}

/** The parts of an image that nothing writes to. */
function constantParts(image: LoadedImage): { start: bigint; end: bigint }[] {
  const writable = 2;
  return (image as Image).segments
    .filter(({ initialProtection, size }) => (initialProtection & writable) === 0 && size > 0)
    .map(({ address, size }) => ({ start: address, end: address + BigInt(size) }));
}
