/** Frames and backtraces: what unwinding found, with what is known about its addresses. */

import type { Arch, Registers } from "../arch/mod.ts";
import { escape, type RawText, safe, type SafeText } from "../escape.ts";
import { hex } from "../hex.ts";
import type { ImageSymbol, LoadedImage } from "../macho/mod.ts";
import type { Limits, Variable } from "../values/mod.ts";
import type { CopiedMemory } from "./copied_memory.ts";
import type { Memory } from "./memory.ts";
import {
  type AddressInfo,
  type DebugProvider,
  demangle,
  type Resolver,
  type SourceFrame,
  type SourceLocation,
} from "../symbols/walking.ts";
import { isSystemPath } from "../symbols/system_image.ts";
import {
  describeRow,
  type FoundBy,
  type StopReason,
  type UnwoundFrame,
  type UnwoundStack,
} from "../unwind/mod.ts";

/** What the frames of one stack have in common. */
interface FrameContext {
  readonly arch: Arch;
  readonly resolver: Resolver;
  readonly stack: UnwoundStack;
  readonly origin?: VariableOrigin;
}

/** What the variables of frames are read from, besides registers. */
export interface VariableOrigin {
  /** The target's memory. */
  readonly memory: Memory;
  /** Debug information of the target's images. */
  readonly debug: DebugProvider;
  /** Whether the target has run since the stack was captured: memory is read later. */
  readonly isRunning: () => boolean;
  /** The captured part of the stack, and its first address. */
  readonly stack: Uint8Array;
  readonly stackAddress: bigint;
  /** What was copied of what variables lead to while the target was stopped. */
  readonly copied?: CopiedMemory;
  /** Where the thread keeps its own variables: `thread_handle` of `<mach/thread_info.h>`. */
  readonly threadHandle: bigint;
  /** Writes a register of the thread; absent where that is not possible. */
  readonly setRegister?: (name: string, value: bigint) => void;
  /** The addresses of the symbols with a name. */
  readonly lookup: (name: string) => readonly bigint[];
  /** The images by address. */
  imageAt(address: bigint): LoadedImage | null;
}

/** A frame whose variables are asked for. */
export interface FrameState {
  readonly arch: Arch;
  readonly resolver: Resolver;
  readonly stack: UnwoundStack;
  readonly origin: VariableOrigin;
  /** Index of the activation in the stack. */
  readonly activation: number;
  /** Which of the functions at the address: 0 for the innermost inlined call, -1 for the function that has
   * the activation. */
  readonly level: number;
}

/** How far a snapshot follows variables while the target is stopped. */
export interface FollowOptions {
  /** Levels of pointers. 0: what the variables themselves are in. */
  readonly levels: number;
  /** Maximum number of bytes that are copied. Default: 16 MiB. */
  readonly bytes?: number;
  /** Maximum time of it while the target is stopped, in milliseconds. Default: 100 for a snapshot. */
  readonly milliseconds?: number;
  /** How long a snapshot may read debug information while the target runs, in milliseconds. Default: 10,000. */
  readonly preparation?: number;
}

/** {@linkcode FollowOptions.milliseconds} and {@linkcode FollowOptions.preparation} of a snapshot when left
 * out. */
export const followTime = 100;
export const preparationTime = 10_000;

/** A target, as far as its global variables are concerned. */
export interface VariableTarget {
  readonly arch: Arch;
  readonly memory: Memory;
  readonly images: readonly LoadedImage[];
  readonly variableOrigin: Pick<VariableOrigin, "memory" | "debug" | "isRunning" | "lookup">;
  imageAt(address: bigint): LoadedImage | null;
  resolve(address: bigint): AddressInfo;
}

/** A thread, as far as its frames are concerned. */
export interface Walkable {
  /** Its frames, innermost first. */
  backtrace(options: { readonly limit: number }): Iterable<Frame>;
}

/** Reads variables. */
export interface VariableReader {
  /** All of a frame, innermost scope first. */
  variables(frame: FrameState, limits: Partial<Limits>): readonly Variable[];
  /** The variables as ordinary values. */
  locals(variables: readonly Variable[]): Record<string, unknown>;
  /** The variables outside of functions: of one image or of all, of one name or all. */
  globals(
    target: VariableTarget,
    image: LoadedImage | undefined,
    name: RawText | undefined,
    threadHandle: bigint,
  ): Iterable<Variable>;
  /** Copies what the variables of threads are in and lead to. */
  follow(
    threads: readonly Walkable[],
    memory: Memory,
    options: FollowOptions,
  ): { readonly copied: CopiedMemory; readonly isWhole: boolean };
  /** Copies pages, by their addresses. */
  copy(
    pages: readonly bigint[],
    memory: Memory,
    options: FollowOptions,
  ): { readonly copied: CopiedMemory; readonly isWhole: boolean };
  /** What {@linkcode VariableReader.follow} would have copied, and the copy that the threads have lacks. */
  missing(
    threads: readonly Walkable[],
    memory: Memory,
    options: FollowOptions,
  ): { readonly pages: readonly bigint[]; readonly isWhole: boolean };
}

let variableReader: VariableReader | undefined;

/** Sets what reads variables. `variables.ts` does: this file is loaded at every start, that one is not. */
export function useVariables(reader: VariableReader): void {
  variableReader = reader;
}

/** What reads variables.
 *
 * @throws TypeError when it is not loaded
 */
export function readerOfVariables(): VariableReader {
  if (variableReader === undefined) throw new TypeError("what reads variables is not loaded");
  return variableReader;
}

/** Which of the functions at its address a frame shows, and under which number. */
interface Shown {
  readonly index: number;
  /** Index in the address's frames; -1 for the function that has the activation. */
  readonly depth: number;
  readonly info: AddressInfo;
}

const noFrames: readonly Frame[] = [];

/** The activation of a function on a thread's stack, or a call that was inlined into one.
 *
 * What its address means is looked up when it is first read.
 *
 * @example
 * ```ts
 * import { attach } from "@machpause/machpause";
 *
 * using target = attach("MyApp");
 * const [frame] = target.threads[0].backtrace();
 * console.log(frame.function, frame.offset, frame.source?.file, frame.source?.line);
 * ```
 */
export class Frame {
  /** Number in the backtrace; 0 is the innermost. Frames of {@linkcode Backtrace.activations} are numbered
   * without inlined calls. */
  readonly index: number;
  /** The next instruction to be executed in this frame: the pc of the innermost frame, a return address in
   * its callers. Pointer authentication and the Thumb bit are removed. */
  readonly address: bigint;
  /** How it was found. */
  readonly foundBy: FoundBy;
  readonly #context: FrameContext;
  readonly #unwound: UnwoundFrame;
  /** Index of the activation in the stack. */
  readonly #activation: number;
  readonly #depth: number;
  #info: AddressInfo | undefined;
  #variables: readonly Variable[] | undefined;
  #locals: Record<string, unknown> | undefined;

  /** A frame of a stack.
   *
   * @param activation its index in the stack
   * @ignore
   */
  constructor(context: FrameContext, activation: number, shown?: Shown) {
    const unwound = context.stack.frames[activation];
    this.#context = context;
    this.#unwound = unwound;
    this.#activation = activation;
    this.address = unwound.address;
    this.foundBy = unwound.foundBy;
    this.index = shown === undefined ? activation : shown.index;
    this.#depth = shown === undefined ? -1 : shown.depth;
    this.#info = shown === undefined ? undefined : shown.info;
  }

  /** Whether it shows an inlined call. Such a frame shares the activation of the next one that is not
   * inlined. */
  get inlined(): boolean {
    return this.#depth >= 0;
  }

  /** The stack pointer; in a caller, its value after the return. */
  get sp(): bigint {
    return BigInt(this.#unwound.sp);
  }

  /** The frame pointer. */
  get fp(): bigint {
    return BigInt(this.#unwound.fp);
  }

  /** The address of a Swift async function's context; `null` in other frames. */
  get asyncContext(): bigint | null {
    return this.#unwound.asyncContext ?? null;
  }

  /** The function that waits for this Swift async function, at the address where it resumes; `null` in
   * other frames, and in the task's first function. It has no activation, so it has no stack pointer. */
  get asyncParent(): Frame | null {
    const { arch, resolver, stack } = this.#context;
    const { foundBy, asyncParents } = this.#unwound;
    const next = foundBy === "async" ? this.#activation + 1 : 0;
    const parents = foundBy === "async" ? stack : asyncParents;
    return parents === undefined || next >= parents.frames.length
      ? null
      : new Frame({ arch, resolver, stack: parents }, next);
  }

  /** Where this frame returns to; `null` when that is not known or it has no caller. */
  get returnAddress(): bigint | null {
    return this.#unwound.returnAddress || null;
  }

  /** The address to look up functions and lines with: `address` itself in the innermost frame, one inside
   * the call in its callers, since a call may be its function's last instruction. */
  get lookupAddress(): bigint {
    const { address, exact } = this.#unwound;
    return exact ? address : address - this.#context.arch.callBias;
  }

  #resolve(): AddressInfo {
    return this.#info ??= this.#context.resolver.resolve(this.lookupAddress);
  }

  /** The image that holds the code; `null` when none does. */
  get image(): LoadedImage | null {
    return this.#resolve().image;
  }

  /** The function's symbol; `null` when there is none, as for an inlined call. */
  get symbol(): ImageSymbol | null {
    return this.inlined ? null : this.#resolve().symbol;
  }

  /** What debug information says about the function; `null` without any. */
  get #function(): SourceFrame | null {
    return this.#resolve().frames.at(this.#depth) ?? null;
  }

  /** The function's name, mangled as in the symbol table and without Mach-O's underscore; `null` when it is
   * not known. */
  get function(): RawText | null {
    // Debug information may have a line and no function.
    return this.symbol?.name ?? (this.#function?.function || null);
  }

  /** Whether the code comes with the system, and not with the program. */
  get isSystem(): boolean {
    const { image } = this;
    return image !== null && isSystemPath(image.path);
  }

  /** Bytes from the symbol's start, or from the image's load address where there is no symbol,
   * to `address`. */
  get offset(): number {
    const { image, symbol, offset } = this.#resolve();
    const bytes = this.inlined && symbol !== null && image !== null
      ? Number(this.lookupAddress - image.loadAddress)
      : offset;
    return this.#unwound.exact ? bytes : bytes + Number(this.#context.arch.callBias);
  }

  /** The position in this function; `null` when it is not known. Where calls are inlined, it is the position
   * of the outermost of them. It is read when it is first asked for, which has to be before the target is closed. */
  get source(): SourceLocation | null {
    return this.#function?.location ?? null;
  }

  /** The calls inlined into this function at its address, innermost first, numbered from this frame's index
   * on. */
  get inlines(): readonly Frame[] {
    return this.inlined ? noFrames : this.#inlines(this.index);
  }

  #inlines(first: number): readonly Frame[] {
    const info = this.#resolve();
    const length = info.inlineCount ?? Math.max(0, info.frames.length - 1);
    return length === 0
      ? noFrames
      : Array.from({ length }, (_, depth) => this.#show(first + depth, depth));
  }

  #show(index: number, depth: number): Frame {
    return new Frame(this.#context, this.#activation, { index, depth, info: this.#resolve() });
  }

  /** The calls inlined into this function at its address and then the frame itself, numbered from `first`
   * on. */
  expand(first: number): readonly Frame[] {
    const inlines = this.#inlines(first);
    const index = first + inlines.length;
    return [...inlines, index === this.index ? this : this.#show(index, -1)];
  }

  /** The arguments, locals and statics of the function, those of the innermost block first; an inlined call
   * has its own. Each says where it is and what it holds, or why that cannot be had. Empty without debug
   * information. They are read when they are asked for; in a snapshot what is not on the stack is read
   * later, and marked so.
   *
   * The prompt loads what reads them with its commands; a program has it with the main module.
   */
  get variables(): readonly Variable[] {
    return this.#variables ??= this.readVariables({});
  }

  /** As {@linkcode variables}, with other limits than the default ones on what is shown of each. */
  readVariables(limits: Partial<Limits>): readonly Variable[] {
    const { arch, resolver, stack, origin } = this.#context;
    const reader = readerOfVariables();
    if (origin === undefined || this.foundBy === "async") return [];
    const state = {
      arch,
      resolver,
      stack,
      origin,
      activation: this.#activation,
      level: this.#depth,
    };
    return reader.variables(state, limits);
  }

  /** The variables as ordinary values: numbers, objects with members, lists; a pointer has `deref()`. Of
   * several with one name, that of the innermost block. A name that the frame lacks is
   * `undefined`, and a member that a variable lacks an error. Assigning writes to the target.
   * `JSON.stringify` gives members and elements, text for what is no exact number, addresses of pointers,
   * and `{ unavailable }` with the reason where there is no value. The name `toJSON` is that conversion's:
   * a variable of that name is in {@linkcode variables}.
   *
   * @example
   * ```ts
   * import { openCore } from "@machpause/machpause";
   *
   * using core = openCore("MyApp.core");
   * const frames = core.threads.flatMap((thread) => [...thread.backtrace()]);
   * console.log(frames.filter(({ locals }) => "account" in locals).length);
   * ```
   */
  // deno-lint-ignore no-explicit-any
  get locals(): Record<string, any> {
    const { variables } = this;
    return this.#locals ??= readerOfVariables().locals(variables);
  }

  /** {@linkcode locals} with a type of your own, for the completion of an editor.
   *
   * @example
   * ```ts
   * import { openCore } from "@machpause/machpause";
   *
   * using core = openCore("MyApp.core");
   * const [frame] = core.threads[0].backtrace();
   * const { account } = frame.localsAs<{ account: { balance: number } }>();
   * console.log(account?.balance);
   * ```
   * @returns what the program has, whatever the type says: a name that it does not have is `undefined`
   */
  localsAs<Locals extends object>(): Partial<Locals> {
    return this.locals as Partial<Locals>;
  }

  /** The rule that led here from the frame that this one called, as in
   * `CFA = rbp + 16; rip = [CFA - 8]; rbp = [CFA - 16]`, where CFA is this frame's stack pointer; `null` for
   * the innermost. */
  get rule(): string | null {
    const { row } = this.#unwound;
    return row && describeRow(this.#context.arch, row);
  }

  /** The registers whose values are known in this frame. */
  get registers(): Registers {
    return this.#context.stack.registersOf(this.#activation);
  }

  /** As in `2  demo  0x0000000100003f50  main + 32`; control characters are escaped. */
  toString(): string {
    const address = hex(this.address, this.#context.arch.pointerSize * 2);
    const image = this.image === null ? "???" : escape(this.image.name);
    return `${this.index}  ${image}  ${address}  ${this.describe()}`;
  }

  /** The function, the offset in it and the line, as in `main + 34 at demo.c:12:3`; escaped. A function
   * without a name is shown by where it starts, as in `demo:function_5d8+0x24`; where that is not known either,
   * by the image, as in `demo + 0x5fc`. `[signal]` is behind the function to which a signal's handler returns.
   *
   * @param name makes the function's name readable; demangles it when left out
   * @param imageSaid leaves out the image's name where a function is shown
   */
  describe(name?: (mangled: string) => string, imageSaid = false): SafeText {
    const { source } = this;
    const place = this.#place(name ?? demangle, imageSaid);
    const located = source === null ? place : safe`${place} at ${describeLocation(source)}`;
    const called = this.inlined ? safe`${located} [inlined]` : located;
    if (this.foundBy === "async") return safe`${called} [async]`;
    return this.#isSignal ? safe`${called} [signal]` : called;
  }

  /** Whether it is the function that the kernel has a thread return to, or run, around a signal's handler: its caller
   * was interrupted. */
  get #isSignal(): boolean {
    const caller = this.#context.stack.frames[this.#activation + 1];
    return !this.inlined && caller?.row?.signalFrame === true;
  }

  /** Bytes from the symbol or the function's start; `null` for an inlined call and where neither is known. */
  get #functionOffset(): bigint | null {
    if (this.inlined) return null;
    const { symbol, functionStart } = this.#resolve();
    const start = symbol?.address ?? functionStart;
    return start === null ? null : this.address - start;
  }

  #place(name: (mangled: string) => string, imageSaid: boolean): SafeText {
    const known = this.function;
    const { image, functionStart } = this.#resolve();
    const offset = this.#functionOffset;
    if (known !== null) {
      const shown = escape(name(known));
      return offset === null ? shown : safe`${shown} + ${offset}`;
    }
    if (image === null) return safe``;
    const said = imageSaid ? undefined : escape(image.name);
    if (functionStart === null || offset === null) {
      return safe`${escape(image.name)} + ${hex(this.offset)}`;
    }
    const start = escape((functionStart - image.loadAddress).toString(16));
    const place = safe`function_${start}+${hex(offset)}`;
    return said === undefined ? place : safe`${said}:${place}`;
  }

  /** As {@linkcode toString}. */
  [Symbol.for("Deno.customInspect")](): string {
    return this.toString();
  }

  /** The form of `bt --json`. */
  toJSON(): Record<string, unknown> {
    const { image, source } = this;
    const offset = this.function === null ? this.offset : this.#functionOffset;
    return {
      index: this.index,
      address: `0x${this.address.toString(16)}`,
      image: image?.name ?? null,
      symbol: this.function,
      offset: image === null || offset === null ? null : Number(offset),
      file: source?.file ?? null,
      line: source?.line ?? null,
      column: source?.column ?? null,
      inlined: this.inlined,
      via: this.foundBy,
    };
  }
}

/** A file's name without its folders, the line and the column, as in `demo.c:12:3`; escaped. */
export function describeLocation({ file, line, column }: SourceLocation): SafeText {
  const name = escape(file.slice(file.lastIndexOf("/") + 1));
  return column > 0 ? safe`${name}:${line}:${column}` : safe`${name}:${line}`;
}

/** The frames of one thread, innermost first: those that printing it shows, with inlined calls among them.
 *
 * It is a list like an array. Debug information is read when a frame is first asked for, so that a script
 * can take backtraces while the target is paused and look at them after it runs again.
 *
 * @example
 * ```ts
 * import { attach } from "@machpause/machpause";
 *
 * using target = attach("MyApp");
 * const backtrace = target.threads[0].backtrace();
 * console.log(`${backtrace}`); // a line for each frame
 * if (backtrace.stopped !== "null-record") console.log(`cut short: ${backtrace.stopped}`);
 * ```
 */
export class Backtrace {
  /** Why there are no more frames. */
  readonly stopped: StopReason;
  readonly #context: FrameContext;
  #activations: readonly Frame[] | undefined;
  #shown: readonly Frame[] | undefined;

  static {
    // What an array has and this class does not, indexes among it, is looked up in the frames.
    const missing = new Proxy(Array.prototype, {
      get: (array, key, backtrace: Backtrace) =>
        isIndex(key) && #shown in backtrace
          ? backtrace.#frames[Number(key)]
          : Reflect.get(array, key, backtrace),
      has: (array, key) => isIndex(key) || key in array,
    });
    Object.setPrototypeOf(this.prototype, missing);
  }

  /** Wraps a stack.
   *
   * @param resolver looks up the frames' addresses
   * @param origin what variables are read from; without it there are none
   * @ignore
   */
  constructor(arch: Arch, resolver: Resolver, stack: UnwoundStack, origin?: VariableOrigin) {
    this.#context = { arch, resolver, stack, origin };
    this.stopped = stack.stopped;
  }

  /** The frames that have an activation on the stack. They need no debug information. */
  get activations(): readonly Frame[] {
    return this.#activations ??= this.#context.stack.frames.map((_, index) =>
      new Frame(this.#context, index)
    );
  }

  get #frames(): readonly Frame[] {
    if (this.#shown === undefined) {
      const frames: Frame[] = [];
      let isAsyncShown = false;
      for (const frame of this.activations) {
        for (const shown of frame.expand(frames.length)) frames.push(shown);
        // A task's functions all wait for its innermost one. As LLDB does, they come after that one.
        for (
          let parent = isAsyncShown ? null : frame.asyncParent;
          parent !== null;
          parent = parent.asyncParent
        ) {
          isAsyncShown = true;
          for (const shown of parent.expand(frames.length)) frames.push(shown);
        }
      }
      this.#shown = frames;
    }
    return this.#shown;
  }

  /** Number of frames. */
  get length(): number {
    return this.#frames.length;
  }

  /** The frames. */
  [Symbol.iterator](): ArrayIterator<Frame> {
    return this.#frames.values();
  }

  /** A line for each frame. */
  toString(): string {
    return this.#frames.join("\n");
  }

  /** As {@linkcode toString}. */
  [Symbol.for("Deno.customInspect")](): string {
    return this.toString();
  }

  /** The frames, in the form of `bt --json`. */
  toJSON(): readonly Frame[] {
    return this.#frames;
  }
}

/** Whether a property's key is an array index. */
function isIndex(key: string | symbol): key is string {
  return typeof key === "string" && /^\d+$/.test(key);
}

/** The frames as an array has them. */
export interface Backtrace extends ReadonlyArray<Frame> {}
