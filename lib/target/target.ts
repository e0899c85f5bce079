import type { Arch } from "../arch/mod.ts";
import { escape } from "../escape.ts";
import type { LoadedImage } from "../macho/mod.ts";
import type { Files } from "../file_system.ts";
import type { Region } from "./kernel.ts";
import type { Memory } from "./memory.ts";
import type { Pause } from "./pause.ts";
import {
  type AddressInfo,
  type DebugSection,
  dladdr,
  type DlInfo,
  type FoundSymbol,
  type MissingSymbols,
  type SymbolFiles,
  type Symbolizer,
} from "../symbols/walking.ts";
import type { Snapshot } from "./snapshot.ts";
import type { Thread, Walk } from "./thread.ts";

/** What a target needs of the layers above it.
 *
 * @example
 * ```ts
 * import { CoreTarget, type Files, type Services, Symbolizer, walk } from "@machpause/machpause";
 *
 * declare const files: Files; // the file system
 * const services: Services = { walk, files, symbols: (images) => new Symbolizer(images) };
 * using core = new CoreTarget(files.open("MyApp.core"), services);
 * console.log(core.threads.length);
 * ```
 */
export interface Services {
  /** Steps from frame to frame. */
  readonly walk: Walk;
  /** Makes the lookups over a list of images. */
  symbols(images: readonly LoadedImage[]): Symbolizer;
  /** Where cores are read and written. */
  readonly files: Files;
  /** Folders in which binaries and debug information are looked for. */
  readonly symbolFiles?: SymbolFiles;
  /** Closes what was opened for this target alone. */
  [Symbol.dispose]?(): void;
}

/** What is being looked at: a live task, a core, this very process.
 *
 * @example
 * ```ts
 * import { attach, openCore, type Target } from "@machpause/machpause";
 *
 * function census(target: Target) {
 *   for (const { name, state } of target.threads) console.log(state, name);
 * }
 *
 * using core = await openCore("MyApp.core");
 * census(core);
 * using target = await attach("MyApp");
 * census(target);
 * ```
 */
export abstract class Target implements Disposable {
  /** What it is. */
  abstract readonly kind: "live" | "core" | "self";
  /** What its code is written for. */
  abstract readonly arch: Arch;
  /** The process identifier; `null` when there is none. */
  abstract readonly pid: number | null;
  /** Of the process; not safe to print raw. */
  abstract readonly name: string;
  /** By address. */
  abstract readonly memory: Memory;
  /** Images, those that dyld lists first and in its order. */
  abstract get images(): readonly LoadedImage[];
  /** What was found damaged or unreadable so far, in words. */
  abstract get warnings(): readonly string[];
  /** The threads, the main thread first. While paused, those of the pause; otherwise those of a
   * fresh snapshot: one short stop each time it is asked for. */
  abstract get threads(): readonly Thread[];
  /** Whether it is paused by us. */
  abstract get paused(): boolean;
  /** Stops every thread until the pause is disposed. Pauses nest. */
  abstract pause(): Pause;
  /** Captures every thread's registers and stack in one short stop. */
  abstract snapshot(): Snapshot;
  /** All regions of the address space, in rising order. */
  abstract regions(): Region[];
  /** The lookups over the images as they are now. */
  protected abstract get symbols(): Symbolizer;
  /** Lets it go: it runs on. */
  abstract [Symbol.dispose](): void;

  /** What is at `address`. */
  resolve(address: bigint): AddressInfo {
    return this.symbols.resolve(address);
  }

  /** The image and the symbol that hold `address`; `null` when no image does. */
  dladdr(address: bigint): DlInfo | null {
    return dladdr(this.resolve(address), address);
  }

  /** The symbols of that name, with or without its leading underscore, in all images. */
  lookup(name: string): FoundSymbol[] {
    return this.symbols.lookup(name);
  }

  /** A section of an image's debug information; `null` when none is found. */
  debugSection(image: LoadedImage, name: string): DebugSection | null {
    return this.symbols.debugSection(image, name);
  }

  /** The images of frames that were asked about, of which no debug information was found though there
   * is some to be had: by their UUIDs it can be fetched. */
  get missingSymbols(): readonly MissingSymbols[] {
    return this.symbols.missing;
  }

  /** Looks for debug information in more folders too. Threads and frames that were had before stay as they
   * are.
   *
   * @param folders with dSYMs, binaries and symbol table files, searched by UUID
   */
  addSymbols(folders: readonly string[]): void {
    this.symbols.addFolders(folders);
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
