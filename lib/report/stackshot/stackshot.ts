/** A stackshot as tasks, threads and frames. */
import { type Arch, type ArchName, archs, Registers } from "../../arch/mod.ts";
import { escape } from "../../escape.ts";
import type { LoadedImage } from "../../macho/mod.ts";
import {
  Backtrace,
  Frame,
  type FrameContext,
  type MissingSymbols,
  type Resolution,
  type Resolver,
  type RunState,
  type StopReason,
  type Symbols,
} from "../../target/mod.ts";
import type { KcItem } from "./kcdata.ts";
import type { Change, RawFrame, StackshotData, TaskData, ThreadData } from "./data.ts";
import {
  type FindImage,
  kernelArch,
  kernelImages,
  sharedCacheImages,
  taskArch,
  userImages,
  usesLayout,
} from "./images.ts";
import {
  runState,
  taskFlagWords,
  threadFlagWords,
  truncated,
  turnstileWords,
  waitWords,
} from "./words.ts";

/** What a stackshot needs of the layers above it. */
export interface StackshotServices {
  /** Makes the lookups over a list of images. */
  symbols(images: readonly LoadedImage[]): Symbols;
  /** Finds images' files; without it frames have no names. */
  readonly findImage?: FindImage;
}

/** An architecture for frames' addresses where none is known: their width is all that counts. */
function archOr(name: ArchName | null, is64: boolean): Arch {
  return archs[name ?? (is64 ? "x86_64" : "i386")];
}

const noRegisters = new Registers(new Map());

function contextOf(arch: Arch, resolver: Resolver): FrameContext {
  return {
    arch,
    resolver,
    isExact: (index) => index === 0,
    ruleOf: () => null,
    registersOf: () => noRegisters,
  };
}

function backtraceOf(
  frames: readonly RawFrame[],
  context: FrameContext,
  mask: bigint,
  stopped: StopReason,
  limit: number,
): Backtrace {
  const backtrace = new Backtrace();
  const count = Math.min(frames.length, limit);
  for (let index = 0; index < count; index++) {
    const address = frames[index].address & mask;
    const frame = frames[index].frame ?? 0n;
    const returnAddress = index + 1 < frames.length ? frames[index + 1].address & mask : 0n;
    const via = index === 0 ? "context" : "frame-pointer";
    backtrace.push(new Frame(context, index, address, 0, frame, returnAddress, via));
  }
  backtrace.stopped = count < frames.length ? "limit" : stopped;
  return backtrace;
}

/** An item that nobody knows: what it is called, and its bytes in hexadecimal, as many as one would
 * look at. */
function unknownJson({ type, description, data }: KcItem): Record<string, unknown> {
  const shown = [...data.subarray(0, 64)].map((byte) => byte.toString(16).padStart(2, "0"));
  return {
    type: `0x${type.toString(16)}`,
    description,
    size: data.length,
    bytes: shown.join(""),
  };
}

/** A thread of a stackshot.
 *
 * Its frames were walked by the kernel, from frame record to frame record.
 */
export class StackshotThread {
  /** In its task; 0 is the first that the kernel listed. */
  readonly index: number;
  /** All that the stackshot says of it. */
  readonly data: ThreadData;
  /** What it waits for, in words; `null` when the stackshot does not say. Not safe to print raw. */
  readonly waiting: string | null;
  /** Whom it lends its priority meanwhile, in words; `null` when it is nobody known. */
  readonly turnstile: string | null;
  readonly #user: FrameContext;
  readonly #kernel: FrameContext;

  /** A thread.
   *
   * @param words about its waiting
   */
  constructor(
    index: number,
    data: ThreadData,
    words: { readonly waiting: string | null; readonly turnstile: string | null },
    user: FrameContext,
    kernel: FrameContext,
  ) {
    this.index = index;
    this.data = data;
    this.#user = user;
    this.#kernel = kernel;
    this.waiting = words.waiting;
    this.turnstile = words.turnstile;
  }

  /** System-wide unique. */
  get id(): bigint {
    return this.data.id;
  }

  /** As the program set it, and not safe to print raw; empty when it has none. */
  get name(): string {
    return this.data.name;
  }

  /** What it was doing. */
  get state(): RunState {
    return runState(this.data.state);
  }

  /** What else its flags say, in words. */
  get flags(): readonly string[] {
    return threadFlagWords(this.data.flags, this.data.state);
  }

  /** How it comes to be in a delta stackshot; `null` in any other. */
  get change(): Change | null {
    return this.data.change;
  }

  #stopped(which: bigint): StopReason {
    // Older kernels have one flag for both stacks.
    const { flags } = this.data;
    const one = truncated.kernel | truncated.user;
    return (flags & which) !== 0n || ((flags & truncated.any) !== 0n && (flags & one) === 0n)
      ? "unreadable"
      : "null-record";
  }

  /** The frames in the kernel, innermost first; none when it was in user space. Their addresses, and
   * those of the kernel's images, are from before the kernel's slide.
   *
   * @param limit at most so many
   */
  kernelBacktrace(limit = Infinity): Backtrace {
    const { kernelFrames } = this.data;
    const stopped = this.#stopped(truncated.kernel);
    return backtraceOf(kernelFrames, this.#kernel, allBits, stopped, limit);
  }

  /** The frames in user space, innermost first.
   *
   * @param limit at most so many
   */
  backtrace(limit = Infinity): Backtrace {
    const { arch } = this.#user;
    const stopped = this.#stopped(truncated.user);
    return backtraceOf(this.data.userFrames, this.#user, arch.addressMask, stopped, limit);
  }

  /** Swift's asynchronous callers; none when there are none.
   *
   * @param limit at most so many
   */
  asyncBacktrace(limit = Infinity): Backtrace {
    const { addressMask } = this.#user.arch;
    return backtraceOf(this.data.asyncFrames, this.#user, addressMask, "null-record", limit);
  }

  /** Where the kernel lets a thread without a kernel stack go on, as a frame; `null` when it has one. */
  get continuation(): Frame | null {
    const { continuation } = this.data;
    return continuation === 0n
      ? null
      : new Frame(this.#kernel, 0, continuation, 0, 0, 0n, "context");
  }

  /** As in `thread 3 "worker" waiting`; control characters are escaped. */
  toString(): string {
    const name = this.name === "" ? "" : ` "${escape(this.name)}"`;
    return `thread ${this.index}${name} ${this.state}`;
  }

  /** The form of `stackshot --json`: that of `bt --json`, with frames in the kernel before those in
   * user space, and more fields.
   *
   * @param limit frames of each stack at most
   */
  toJSON(limit?: number | string): Record<string, unknown> {
    const most = typeof limit === "number" ? limit : Infinity;
    const { data } = this;
    const kernel = this.kernelBacktrace(most);
    const user = this.backtrace(most);
    const frames: Record<string, unknown>[] = [];
    for (const [backtrace, isKernel] of [[kernel, true], [user, false]] as const) {
      for (const frame of backtrace) {
        for (const shown of frame.expand(frames.length)) {
          frames.push({ ...shown.toJSON(), kernel: isKernel });
        }
      }
    }
    const cpu = data.details.stackshot_cpu_times;
    return {
      index: this.index,
      id: Number(data.id),
      name: data.name === "" ? null : data.name,
      state: this.state,
      cpuUsage: null,
      userNanoseconds: Number(data.userTime),
      systemNanoseconds: Number(data.systemTime),
      runnableMicroseconds: cpu?.runnable_usec === undefined ? null : Number(cpu.runnable_usec),
      basePriority: data.basePriority,
      priority: data.priority,
      qos: data.qos,
      flags: this.flags,
      queue: data.queueLabel === "" ? null : data.queueLabel,
      queueSerial: data.queueSerial === 0n ? null : Number(data.queueSerial),
      waitEvent: data.waitEvent === 0n ? null : hex(data.waitEvent),
      waiting: this.waiting,
      turnstile: this.turnstile,
      continuation: this.continuation?.toJSON() ?? null,
      change: data.change,
      unknown: data.unknown.map(unknownJson),
      frames,
      asyncFrames: [...this.asyncBacktrace(most)].map((frame) => frame.toJSON()),
      asyncStart: data.asyncStart,
      stopped: user.length > 0 ? user.stopped : kernel.stopped,
    };
  }
}

const allBits = (1n << 64n) - 1n;
const hex = (value: bigint): string => `0x${value.toString(16)}`;

/** Values as JSON has them: 64-bit numbers as numbers where those are exact. */
function plain(value: unknown): unknown {
  if (typeof value === "bigint") {
    return value <= BigInt(Number.MAX_SAFE_INTEGER) && value >= 0n ? Number(value) : hex(value);
  }
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, plain(inner)]));
}

/** A task of a stackshot. */
export class StackshotTask {
  /** All that the stackshot says of it. */
  readonly data: TaskData;
  /** What its code is written for; `null` when neither it nor the kernel says. */
  readonly arch: ArchName | null;
  /** In the order that the kernel listed them. */
  readonly threads: readonly StackshotThread[];
  readonly #stackshot: Stackshot;
  #images: readonly LoadedImage[] | undefined;
  #own: Symbols | undefined;

  /** A task of `stackshot`. */
  constructor(stackshot: Stackshot, data: TaskData, kernel: FrameContext) {
    this.#stackshot = stackshot;
    this.data = data;
    this.arch = taskArch(stackshot.data, data);
    const is64 = (data.flags & 1n) !== 0n || data.threads.some(({ user64 }) => user64);
    const arch = archOr(this.arch, is64);
    const user = contextOf(arch, {
      resolve: (address) => this.resolve(address),
      demangle: (name) => stackshot.kernel.demangle?.(name) ?? name,
    });
    const { portLabels } = stackshot.data;
    const waits = new Map(data.waits.map((wait) => [wait.waiter, wait]));
    const turnstiles = new Map(data.turnstiles.map((turnstile) => [turnstile.waiter, turnstile]));
    this.threads = data.threads.map((thread, index) => {
      const wait = waits.get(thread.id);
      const turnstile = turnstiles.get(thread.id);
      const words = {
        waiting: wait === undefined ? null : waitWords(wait, portLabels),
        turnstile: turnstile === undefined ? null : turnstileWords(turnstile),
      };
      return new StackshotThread(index, thread, words, user, kernel);
    });
  }

  /** The process identifier; -1 when it is not known. */
  get pid(): number {
    return this.data.pid;
  }

  /** Of the process; not safe to print raw, empty when it is not known. */
  get name(): string {
    return this.data.name;
  }

  /** What its flags say, in words. */
  get flags(): readonly string[] {
    return taskFlagWords(this.data.flags);
  }

  /** The images of its own, and the shared cache when that is not laid out. Without their files a
   * stackshot has their UUIDs alone, and their ends are guessed. */
  get images(): readonly LoadedImage[] {
    return this.#images ??= this.#stackshot.ownImages(this.data);
  }

  /** What is known about an address in user space. */
  resolve(address: bigint): Resolution {
    this.#own ??= this.#stackshot.symbolsOver(this.images);
    const own = this.#own.resolve(address);
    return own.image === null && usesLayout(this.#stackshot.data, this.data)
      ? this.#stackshot.sharedCache.resolve(address)
      : own;
  }

  /** The images asked about so far whose debug information is missing. */
  get missing(): readonly MissingSymbols[] {
    return this.#own?.missing ?? [];
  }

  /** As in `MyApp (pid 123, arm64)`; control characters are escaped. */
  toString(): string {
    const { pid } = this.data;
    const name = this.name === "" ? "a task without a name" : escape(this.name);
    const about = [pid === -1 ? `unique id ${hex(this.data.uniqueId)}` : `pid ${pid}`];
    if (this.arch !== null) about.push(this.arch);
    return `${name} (${about.join(", ")})`;
  }

  /** The form of `stackshot --json`. `images` are its own and those others that a frame is in.
   *
   * @param limit frames of each stack at most
   */
  toJSON(limit?: number | string): Record<string, unknown> {
    const { data } = this;
    const images = new Set(this.images);
    for (const thread of this.threads) {
      for (const frame of [...thread.kernelBacktrace(), ...thread.backtrace()]) {
        if (frame.image !== null) images.add(frame.image);
      }
    }
    return {
      target: {
        kind: "stackshot",
        pid: data.pid === -1 ? null : data.pid,
        name: data.name === "" ? null : data.name,
        arch: this.arch,
      },
      uniqueId: hex(data.uniqueId),
      flags: this.flags,
      exiting: data.exiting,
      suspendCount: data.suspendCount,
      residentBytes: data.size === null ? null : Number(data.size),
      sharedCache: data.sharedCache === null ? null : data.sharedCache.uuid,
      donatingPids: data.donatingPids,
      change: data.change,
      details: plain(data.details),
      unknown: data.unknown.map(unknownJson),
      images: [...images].map(({ name, path, uuid, loadAddress, slide }) => ({
        name,
        path,
        uuid,
        loadAddress: hex(loadAddress),
        slide: slide < 0n ? `-${hex(-slide)}` : hex(slide),
      })),
      threads: this.threads.map((thread) => thread.toJSON(limit)),
    };
  }
}

/** A stackshot: what every thread of one task or of all was doing, in user space and in the kernel, at
 * one moment. */
export class Stackshot implements Disposable {
  /** All that was read. */
  readonly data: StackshotData;
  /** In the kernel's order. */
  readonly tasks: readonly StackshotTask[];
  readonly #services: StackshotServices;
  readonly #close: () => void;
  #kernel: Symbols | undefined;
  #sharedCache: Symbols | undefined;

  /** Over what was read.
   *
   * @param close is called once, when the stackshot is disposed
   */
  constructor(data: StackshotData, services: StackshotServices, close: () => void = () => {}) {
    this.data = data;
    this.#services = services;
    this.#close = close;
    const is64 = data.tasks.some(({ threads }) => threads.some(({ kernel64 }) => kernel64));
    const kernel = contextOf(archOr(kernelArch(data), is64), {
      resolve: (address) => this.kernel.resolve(address),
      demangle: (name) => this.kernel.demangle?.(name) ?? name,
    });
    this.tasks = data.tasks.map((task) => new StackshotTask(this, task, kernel));
  }

  /** Its form. */
  get form(): StackshotData["form"] {
    return this.data.form;
  }

  /** What was found damaged. Not safe to print raw. */
  get warnings(): readonly string[] {
    return this.data.warnings;
  }

  /** The lookups over the kernel and its extensions. */
  get kernel(): Symbols {
    return this.#kernel ??= this.symbolsOver(kernelImages(this.data, this.#services.findImage));
  }

  /** The lookups over the images of the system's shared cache; none when they are not listed. */
  get sharedCache(): Symbols {
    return this.#sharedCache ??= this.symbolsOver(
      sharedCacheImages(this.data, this.#services.findImage),
    );
  }

  /** The images of a task's own. */
  ownImages(task: TaskData): LoadedImage[] {
    return userImages(this.data, task, this.#services.findImage);
  }

  /** The lookups over a list of images. */
  symbolsOver(images: readonly LoadedImage[]): Symbols {
    return this.#services.symbols(images);
  }

  /** When it was taken; `null` when it does not say. */
  get date(): Date | null {
    const { time } = this.data;
    // Beyond this there is no date.
    if (time === null || time > 8_640_000_000_000_000_000n) return null;
    return new Date(Number(time / 1000n));
  }

  /** Closes the files of images. */
  [Symbol.dispose](): void {
    this.#close();
  }

  /** As in `stackshot of 12 tasks, 40 threads`. */
  toString(): string {
    const threads = this.tasks.reduce((sum, task) => sum + task.threads.length, 0);
    const count = (number: number, what: string) => `${number} ${what}${number === 1 ? "" : "s"}`;
    const form = this.form === "delta" ? "delta stackshot" : "stackshot";
    return `${form} of ${count(this.tasks.length, "task")}, ${count(threads, "thread")}`;
  }

  /** The form of `stackshot --json`.
   *
   * @param limit frames of each stack at most
   * @param tasks of those that are in it; all when left out
   */
  toJSON(
    limit?: number | string,
    tasks: readonly StackshotTask[] = this.tasks,
  ): Record<string, unknown> {
    const { data } = this;
    return {
      form: data.form,
      layout: data.layout,
      date: this.date?.toISOString() ?? null,
      absoluteTime: data.absoluteTime === null ? null : hex(data.absoluteTime),
      since: data.since === null ? null : hex(data.since),
      timebase: data.timebase,
      osVersion: data.osVersion,
      osBuild: data.osBuild,
      bootArgs: data.bootArgs,
      pageSize: data.pageSize,
      numbers: plain(data.numbers),
      sharedCache: data.sharedCache === null ? null : {
        uuid: data.sharedCache.uuid,
        slide: hex(data.sharedCache.slide),
        base: hex(data.sharedCache.base),
      },
      threadGroups: plain(data.threadGroups),
      coalitions: plain(data.coalitions),
      details: plain(data.details),
      unknown: data.unknown.map(unknownJson),
      unknownContainers: data.unknownContainers.map(({ type, id }) => ({
        type: `0x${type.toString(16)}`,
        id: hex(id),
      })),
      tasks: tasks.map((task) => task.toJSON(limit)),
      warnings: data.warnings,
    };
  }
}
