/** A stackshot as tasks, threads and frames. */
import { type Arch, type ArchName, archs } from "../arch/mod.ts";
import { escape } from "../escape.ts";
import { hex } from "../hex.ts";
import type { LoadedImage } from "../macho/mod.ts";
import type { AddressInfo, MissingSymbols, Symbolizer } from "../symbols/mod.ts";
import type { StackshotData, TaskData } from "./data.ts";
import {
  type FindImage,
  kernelArch,
  kernelImages,
  sharedCacheImages,
  taskArch,
  userImages,
  usesLayout,
} from "./images.ts";
import { plain, type StackshotCode, StackshotThread, unknownJson } from "./thread.ts";
import { taskFlagWords, turnstileWords, waitWords } from "./words.ts";

/** What a stackshot needs from other modules. */
export interface StackshotServices {
  /** Makes the lookups over a list of images. */
  symbols(images: readonly LoadedImage[]): Symbolizer;
  /** Finds images' files; without it frames have no names. */
  readonly findImage?: FindImage;
}

/** The architecture for frames of an unknown one; only the address width matters. */
function archOr(name: ArchName | null, is64: boolean): Arch {
  return archs[name ?? (is64 ? "x86_64" : "i386")];
}

/** A task of a stackshot.
 *
 * @example
 * ```ts
 * import { openStackshot } from "@machpause/machpause";
 *
 * using stackshot = await openStackshot("hang.kcdata");
 * for (const task of stackshot.tasks) console.log(`${task}: ${task.flags.join(", ")}`);
 * ```
 */
export class StackshotTask {
  /** Its decoded data. */
  readonly data: TaskData;
  /** Architecture of its code; `null` when neither the task nor the kernel records one. */
  readonly arch: ArchName | null;
  /** In the kernel's order. */
  readonly threads: readonly StackshotThread[];
  readonly #stackshot: Stackshot;
  #images: readonly LoadedImage[] | undefined;
  #own: Symbolizer | undefined;

  /** A task of `stackshot`.
   *
   * @ignore
   */
  constructor(stackshot: Stackshot, data: TaskData, kernel: StackshotCode) {
    this.#stackshot = stackshot;
    this.data = data;
    this.arch = taskArch(stackshot.data, data);
    const is64 = (data.flags & 1n) !== 0n || data.threads.some(({ user64 }) => user64);
    const arch = archOr(this.arch, is64);
    const user = { arch, resolver: this };
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

  /** Process name; empty when not known. Not safe to print raw. */
  get name(): string {
    return this.data.name;
  }

  /** Its flags, in words. */
  get flags(): readonly string[] {
    return taskFlagWords(this.data.flags);
  }

  /** The images of its own, and the shared cache when that is not laid out. Without their files a
   * stackshot has their UUIDs alone, and their ends are guessed. */
  get images(): readonly LoadedImage[] {
    return this.#images ??= this.#stackshot.ownImages(this.data);
  }

  /** Resolves an address in user space. */
  resolve(address: bigint): AddressInfo {
    this.#own ??= this.#stackshot.symbolsOver(this.images);
    const own = this.#own.resolve(address);
    return own.image === null && usesLayout(this.#stackshot.data, this.data)
      ? this.#stackshot.sharedCache.resolve(address)
      : own;
  }

  /** Images that were looked up and have no debug information. */
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
      for (
        const frame of [
          ...thread.kernelBacktrace().activations,
          ...thread.backtrace().activations,
        ]
      ) {
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

/** A stackshot: the user and kernel stacks of all threads of one task, or of all tasks, at one moment.
 *
 * @example
 * ```ts
 * import { openStackshot } from "@machpause/machpause";
 *
 * using stackshot = await openStackshot("hang.kcdata");
 * console.log(`${stackshot}`, stackshot.date); // stackshot of 12 tasks, 40 threads …
 * ```
 */
export class Stackshot implements Disposable {
  /** The decoded data. */
  readonly data: StackshotData;
  /** In the kernel's order. */
  readonly tasks: readonly StackshotTask[];
  readonly #services: StackshotServices;
  readonly #close: () => void;
  #kernel: Symbolizer | undefined;
  #sharedCache: Symbolizer | undefined;

  /** Wraps decoded data.
   *
   * @param close is called once, when the stackshot is disposed
   * @ignore
   */
  constructor(data: StackshotData, services: StackshotServices, close: () => void = () => {}) {
    this.data = data;
    this.#services = services;
    this.#close = close;
    const is64 = data.tasks.some(({ threads }) => threads.some(({ kernel64 }) => kernel64));
    const kernel: StackshotCode = {
      arch: archOr(kernelArch(data), is64),
      resolver: { resolve: (address) => this.kernel.resolve(address) },
    };
    this.tasks = data.tasks.map((task) => new StackshotTask(this, task, kernel));
  }

  /** Its form. */
  get form(): StackshotData["form"] {
    return this.data.form;
  }

  /** Damage that was found. Not safe to print raw. */
  get warnings(): readonly string[] {
    return this.data.warnings;
  }

  /** Resolver for the kernel and its extensions. */
  get kernel(): Symbolizer {
    return this.#kernel ??= this.symbolsOver(kernelImages(this.data, this.#services.findImage));
  }

  /** Resolver for the images of the system's shared cache; empty when they are not listed. */
  get sharedCache(): Symbolizer {
    return this.#sharedCache ??= this.symbolsOver(
      sharedCacheImages(this.data, this.#services.findImage),
    );
  }

  /** The images of a task's own. */
  ownImages(task: TaskData): LoadedImage[] {
    return userImages(this.data, task, this.#services.findImage);
  }

  /** Resolver for a list of images. */
  symbolsOver(images: readonly LoadedImage[]): Symbolizer {
    return this.#services.symbols(images);
  }

  /** When it was taken; `null` when not recorded. */
  get date(): Date | null {
    const { time } = this.data;
    // The largest time that a Date can hold.
    if (time === null || time > 8_640_000_000_000_000_000n) return null;
    return new Date(Number(time / 1000n));
  }

  /** Closes the image files. */
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
