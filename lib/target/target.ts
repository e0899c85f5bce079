/** What is looked at, and its state at one moment. */

import type { Arch } from "../arch/mod.ts";
import { escape, type RawText } from "../escape.ts";
import type { ImageSymbol, LoadedImage } from "../macho/mod.ts";
import type { FileSystem } from "../file_system.ts";
import type { Region } from "./kernel.ts";
import type { Memory } from "./memory.ts";
import type { Pause } from "./pause.ts";
import {
  type AddressInfo,
  DebugProvider,
  type DebugSection,
  dladdr,
  type DlInfo,
  type FoundSymbol,
  type MissingSymbols,
  SymbolFiles,
  type Symbolizer,
  type SymbolOptions,
} from "../symbols/walking.ts";
import { type FollowOptions, readerOfVariables, type VariableOrigin } from "./frame.ts";
import type { Variable } from "../values/mod.ts";
import type { Thread } from "./thread.ts";

/** What is debugged: a live task, a process over the wire, a core, or this process.
 *
 * @example
 * ```ts
 * import { attach, openCore, type Target } from "@machpause/machpause";
 *
 * function census(target: Target) {
 *   for (const { name, state } of target.threads) console.log(state, name);
 * }
 *
 * using core = openCore("MyApp.core");
 * census(core);
 * using target = attach("MyApp");
 * census(target);
 * ```
 */
export abstract class Target implements Disposable {
  /** Finds the debug information of its images. */
  protected readonly debug: DebugProvider;
  /** The folders that the user named. */
  protected readonly symbolFiles: SymbolFiles;

  /** Searches nothing yet. */
  constructor(system: FileSystem, { symbols = [] }: SymbolOptions) {
    this.symbolFiles = new SymbolFiles(system.files, symbols);
    this.debug = new DebugProvider(system, this.symbolFiles);
  }

  /** Its kind. */
  abstract readonly kind: "live" | "core" | "self" | "remote";
  /** Its architecture. */
  abstract readonly arch: Arch;
  /** The process identifier; `null` when there is none. */
  abstract readonly pid: number | null;
  /** Name of the process. */
  abstract readonly name: RawText;
  /** Its memory, by address. */
  abstract readonly memory: Memory;
  /** The images, those that dyld lists first and in its order. */
  abstract get images(): readonly LoadedImage[];
  /** The damage found so far. */
  abstract get warnings(): readonly string[];
  /** The threads, the main thread first. While paused, those of the pause. Otherwise those of a new
   * snapshot: one short stop at each call. */
  abstract get threads(): readonly Thread[];
  /** Whether this debugger has paused it. */
  abstract get paused(): boolean;
  /** Stops every thread until the pause is disposed. Pauses nest. */
  abstract pause(): Pause;
  /** Captures every thread's registers and stack in one short stop, and what variables lead to when that is
   * asked for.
   *
   * @throws TypeError when this process is to follow its own variables
   * @throws RangeError when it is to follow less than 0 levels
   */
  abstract snapshot(options?: SnapshotOptions): Snapshot;
  /** All regions of the address space, in rising order. */
  abstract regions(): Region[];
  /** Resolves addresses in the images as they are now. */
  protected abstract get symbols(): Symbolizer;
  /** Releases it; a live target continues to run. */
  abstract [Symbol.dispose](): void;

  /** The image that holds `address`; `null` when none does. */
  imageAt(address: bigint): LoadedImage | null {
    return this.symbols.imageAt(address);
  }

  /** What is known about `address`. */
  resolve(address: bigint): AddressInfo {
    return this.symbols.resolve(address);
  }

  /** The C-like view of {@linkcode resolve}; `null` when no image holds `address`. */
  dladdr(address: bigint): DlInfo | null {
    return dladdr(this.resolve(address), address);
  }

  /** The symbols with exactly that name, with or without its leading underscore.
   *
   * @param image where to look. Default: all images
   */
  lookup(name: string, image?: LoadedImage): FoundSymbol[] {
    return this.symbols.lookup(name, image && [image]);
  }

  /** All symbols of an image: its own, and those that only its debug information has.
   *
   * @ignore
   */
  symbolsOf(image: LoadedImage): Iterable<ImageSymbol> {
    return this.debug.symbolsOf(image);
  }

  /** A section of an image's debug information; `null` when none is found. */
  debugSection(image: LoadedImage, name: string): DebugSection | null {
    return this.debug.debugSection(image, name);
  }

  /** Rises when {@linkcode debugSection} may find more than before. */
  get debugGeneration(): number {
    return this.debug.generation;
  }

  /** The images that were looked up so far whose debug information is missing or incomplete. It can be
   * fetched by their UUIDs. */
  get missingSymbols(): readonly MissingSymbols[] {
    return this.debug.missing;
  }

  /** Whether it runs now. */
  protected abstract get isRunning(): boolean;

  /** What variables are read from.
   *
   * @ignore
   */
  get variableOrigin(): Pick<VariableOrigin, "memory" | "debug" | "isRunning" | "lookup"> {
    return {
      memory: this.memory,
      debug: this.debug,
      isRunning: () => this.isRunning,
      lookup: (name) => this.lookup(name).map(({ symbol }) => symbol.address),
    };
  }

  /** The variables outside of functions, read as they are asked for.
   *
   * @param image whose variables. Default: those of all images
   * @param name of the wanted ones, also without namespaces. Default: all
   * @param thread whose variables are meant where each thread has its own; without one, these are unavailable
   *
   * @example
   * ```ts
   * import { openCore } from "@machpause/machpause";
   *
   * using core = openCore("MyApp.core");
   * for (const { name, text } of core.globals(core.images[0])) console.log(name, text);
   * ```
   */
  globals(image?: LoadedImage, name?: RawText, thread?: Thread): Iterable<Variable> {
    return readerOfVariables().globals(this, image, name, thread?.handle ?? 0n);
  }

  /** Searches more folders for debug information. Frames that were taken before stay as they are.
   *
   * @param folders with dSYMs, binaries and symbol table files, searched by UUID
   */
  addSymbols(folders: readonly string[]): void {
    this.debug.addFolders(folders);
  }

  /** As in `MyApp (pid 123, arm64)`; control characters are escaped. */
  toString(): string {
    const pid = this.pid === null ? "" : `pid ${this.pid}, `;
    return `${escape(this.name)} (${pid}${this.arch.name})`;
  }

  /** As {@linkcode toString}, and whether it is paused. */
  [Symbol.for("Deno.customInspect")](): string {
    return `${this.toString()}${this.paused ? ", paused" : ""}`;
  }

  /** The `target` of `bt --json`. */
  toJSON(): Record<string, unknown> {
    return { kind: this.kind, pid: this.pid, name: this.name, arch: this.arch.name };
  }
}

/** What a snapshot copies besides registers and stacks. */
export interface SnapshotOptions {
  /** Copies what the variables of all frames lead to while the target is stopped: by their types, within the
   * given bytes and time. Debug information is read before the stop. Without it, what is not on a stack is
   * read when it is asked for, and its values say so (`isLater`).
   *
   * @example
   * ```ts
   * import { attach } from "@machpause/machpause";
   *
   * using target = attach("MyApp");
   * const { threads, followed } = target.snapshot({ follow: { levels: 2 } });
   * console.log(followed?.bytes, threads[0].backtrace()[0].locals.list);
   * ```
   */
  readonly follow?: FollowOptions;
  /** Called while the target is stopped, with its threads, to read what belongs to the same moment; again at
   * each stop that it takes. The last one counts.
   *
   * @ignore
   */
  readonly whileStopped?: (threads: readonly Thread[]) => void;
}

/** What a snapshot followed. */
export interface FollowedLocals {
  /** Number of bytes that were copied. */
  readonly bytes: number;
  /** Whether it is all that was asked for: no limit ended it. */
  readonly isWhole: boolean;
}

/** Every thread's registers and stack at one moment. Its threads are unwound while the target runs.
 *
 * @example
 * ```ts
 * import { attachSelf } from "@machpause/machpause";
 *
 * console.log(attachSelf().snapshot().mainThread.backtrace().join("\n"));
 * ```
 */
export class Snapshot {
  /** The target that was captured. */
  readonly target: Target;
  /** The main thread first. */
  readonly threads: readonly Thread[];
  /** The images at that moment. */
  readonly images: readonly LoadedImage[];
  /** How long the target was stopped. */
  readonly stoppedMicroseconds: number;
  /** What it copied of what variables lead to; `null` when it was not asked to. */
  readonly followed: FollowedLocals | null;

  /** Wraps what was captured.
   *
   * @ignore
   * @param threads the main thread first
   */
  constructor(
    target: Target,
    threads: readonly Thread[],
    images: readonly LoadedImage[],
    stoppedMicroseconds: number,
    followed: FollowedLocals | null = null,
  ) {
    this.target = target;
    this.threads = threads;
    this.images = images;
    this.stoppedMicroseconds = stoppedMicroseconds;
    this.followed = followed;
  }

  /** The thread that the process began with. */
  get mainThread(): Thread {
    return this.threads[0];
  }

  /** On one line. */
  toString(): string {
    return `${this.target}: ${this.threads.length} threads, stopped for ${this.stoppedMicroseconds} µs`;
  }

  /** As {@linkcode toString}. */
  [Symbol.for("Deno.customInspect")](): string {
    return this.toString();
  }

  /** The form of `bt --json`. */
  toJSON(): Record<string, unknown> {
    return {
      target: this.target.toJSON(),
      pausedMicroseconds: this.stoppedMicroseconds,
      images: this.images,
      threads: this.threads.map((thread) => {
        const frames = thread.backtrace();
        return { ...thread.toJSON(), frames, stopped: frames.stopped };
      }),
    };
  }
}
