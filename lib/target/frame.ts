import type { Arch, Registers } from "../arch/mod.ts";
import { escape } from "../escape.ts";
import type { LoadedImage, Symbol as ImageSymbol } from "../macho/mod.ts";
import {
  type AddressInfo,
  demangle,
  type Resolver,
  type SourceFrame,
  type SourceLocation,
} from "../symbols/walking.ts";

/** How a frame was found.
 *
 * @example
 * ```ts
 * import { attach, type Via } from "@machpause/machpause";
 *
 * using target = await attach("MyApp");
 * const doubtful: Via = "scan";
 * const frames = target.threads[0].backtrace({ scan: true });
 * console.log(frames.filter(({ via }) => via !== doubtful).join("\n"));
 * ```
 */
export type Via =
  | "context"
  | "link-register"
  | "frame-pointer"
  | "compact-unwind"
  | "cfi"
  | "prologue"
  | "scan";

/** Why a walk ended.
 *
 * - `null-record`: the outermost frame record, whose caller is nobody; the normal end
 * - `outside-stack`: the frame pointer leads out of the thread's stack
 * - `misaligned`: the frame pointer is not a multiple of the pointer size
 * - `not-rising`: the record's caller is not further up the stack: a loop, or damage
 * - `unreadable`: the record lies in the stack's bounds but could not be read or was not captured
 * - `limit`: as many frames as were asked for
 * - `no-state`: the thread's registers could not be had
 *
 * @example
 * ```ts
 * import { attach, type StopReason } from "@machpause/machpause";
 *
 * using target = await attach("MyApp");
 * const whole: StopReason = "null-record";
 * for (const thread of target.threads) {
 *   const { stopped } = thread.backtrace();
 *   if (stopped !== whole) console.log(`${thread}: ${stopped}`);
 * }
 * ```
 */
export type StopReason =
  | "null-record"
  | "outside-stack"
  | "misaligned"
  | "not-rising"
  | "unreadable"
  | "limit"
  | "no-state";

/** What the frames of one walk have in common.
 *
 * @example
 * ```ts
 * import { type FrameContext } from "@machpause/machpause";
 *
 * declare const context: FrameContext; // of a walk
 * console.log(context.registersOf(1).get("fp"), context.ruleOf(1));
 * ```
 */
export interface FrameContext {
  /** Of the thread. */
  readonly arch: Arch;
  /** Tells what their addresses mean. */
  readonly resolver: Resolver;
  /** Whether a frame's address is that of an instruction to be executed, not of one to return to. */
  isExact(index: number): boolean;
  /** The rule that led to a frame from the one it called, in words; `null` for the innermost. */
  ruleOf(index: number): string | null;
  /** The registers whose values are known in a frame, by its index. */
  registersOf(index: number): Registers;
}

/** Which of the functions at its address a frame shows, and under which number. */
interface Shown {
  readonly index: number;
  /** In the frames of the answer; -1 for the function that has the activation. */
  readonly depth: number;
  readonly info: AddressInfo;
}

const noFrames: readonly Frame[] = [];

/** One function's activation on a thread's stack, or a call that was inlined into it.
 *
 * Stack addresses are kept as numbers, and what an address means is looked up when it is asked
 * for: a walk is much more often long than read to its end.
 *
 * @example
 * ```ts
 * import { attach } from "@machpause/machpause";
 *
 * using target = await attach("MyApp");
 * const [frame] = target.threads[0].backtrace();
 * console.log(frame.function, frame.offset, frame.source?.file, frame.source?.line);
 * ```
 */
export class Frame {
  /** 0 is the innermost. */
  readonly index: number;
  /** The address of the next instruction this frame will execute: the pc of the innermost
   * frame, a return address in its callers. Pointer authentication and the Thumb bit removed. */
  readonly address: bigint;
  /** How it was found. */
  readonly via: Via;
  readonly #context: FrameContext;
  /** The walk's number of the activation. */
  readonly #activation: number;
  readonly #sp: number | bigint;
  readonly #fp: number | bigint;
  readonly #returnAddress: bigint;
  readonly #depth: number;
  #info: AddressInfo | undefined;

  /** One frame of a walk.
   *
   * @param index of the activation in the walk
   * @param sp the stack pointer in this frame
   * @param fp the frame pointer in this frame
   * @param returnAddress where this frame returns to; 0 when that is not known
   * @param shown where inlined calls are counted too
   */
  constructor(
    context: FrameContext,
    index: number,
    address: bigint,
    sp: number | bigint,
    fp: number | bigint,
    returnAddress: bigint,
    via: Via,
    shown?: Shown,
  ) {
    this.#context = context;
    this.#activation = index;
    this.index = shown === undefined ? index : shown.index;
    this.address = address;
    this.#sp = sp;
    this.#fp = fp;
    this.#returnAddress = returnAddress;
    this.via = via;
    this.#depth = shown === undefined ? -1 : shown.depth;
    this.#info = shown === undefined ? undefined : shown.info;
  }

  /** Whether it shows a call that was inlined: it has no activation of its own, and shares that of the
   * next one that has. */
  get inlined(): boolean {
    return this.#depth >= 0;
  }

  /** The stack pointer. In a caller: where it will be once the call has returned. */
  get sp(): bigint {
    return BigInt(this.#sp);
  }

  /** The frame pointer. */
  get fp(): bigint {
    return BigInt(this.#fp);
  }

  /** Where this frame returns to; `null` when that is not known or it returns to nobody. */
  get returnAddress(): bigint | null {
    return this.#returnAddress === 0n ? null : this.#returnAddress;
  }

  /** An address inside the instruction that this frame is executing: `address` itself in the
   * innermost frame, one inside the call in its callers. Functions and lines are looked up
   * with it, since a call may be its function's last instruction. */
  get lookupAddress(): bigint {
    return this.#context.isExact(this.#activation)
      ? this.address
      : this.address - this.#context.arch.callBias;
  }

  #resolve(): AddressInfo {
    return this.#info ??= this.#context.resolver.resolve(this.lookupAddress);
  }

  /** The image that holds the code; `null` when no known one does. */
  get image(): LoadedImage | null {
    return this.#resolve().image;
  }

  /** The function's symbol; `null` when there is none, as for an inlined call. */
  get symbol(): ImageSymbol | null {
    return this.inlined ? null : this.#resolve().symbol;
  }

  /** What debug information says of the function; `null` without any. */
  get #function(): SourceFrame | null {
    return this.#resolve().frames.at(this.#depth) ?? null;
  }

  /** The function's name, mangled as the linker knows it and without Mach-O's underscore; `null` when
   * it is not known. Not safe to print raw. */
  get function(): string | null {
    // DWARF may know a line of what it knows no function of.
    return this.symbol?.name ?? (this.#function?.function || null);
  }

  /** Bytes from the symbol's start, or from the image's load address where there is no symbol,
   * to `address`. */
  get offset(): number {
    const { image, symbol, offset } = this.#resolve();
    const bytes = this.inlined && symbol !== null && image !== null
      ? Number(this.lookupAddress - image.loadAddress)
      : offset;
    return this.#context.isExact(this.#activation)
      ? bytes
      : bytes + Number(this.#context.arch.callBias);
  }

  /** File, line and column of this very function; `null` when they are not known. Where calls are
   * inlined here, that is where the outermost of them was made. */
  get source(): SourceLocation | null {
    return this.#function?.location ?? null;
  }

  /** The calls inlined into this function where it executes, innermost first, as frames: they are
   * numbered from this frame's index on. */
  get inlines(): readonly Frame[] {
    return this.inlined ? noFrames : this.#inlines(this.index);
  }

  #inlines(first: number): readonly Frame[] {
    const { frames } = this.#resolve();
    if (frames.length < 2) return noFrames;
    return Array.from(frames.slice(0, -1), (_, depth) => this.#show(first + depth, depth));
  }

  #show(index: number, depth: number): Frame {
    return new Frame(
      this.#context,
      this.#activation,
      this.address,
      this.#sp,
      this.#fp,
      this.#returnAddress,
      this.via,
      { index, depth, info: this.#resolve() },
    );
  }

  /** The calls inlined here and this frame itself, numbered from `first` on. */
  expand(first: number): readonly Frame[] {
    const inlines = this.#inlines(first);
    const index = first + inlines.length;
    return [...inlines, index === this.index ? this : this.#show(index, -1)];
  }

  /** The rule that led here from the frame that this one called, in words, as in
   * `CFA = rbp + 16; rip = [CFA - 8]; rbp = [CFA - 16]`, CFA being where this frame's stack pointer
   * is; `null` for the innermost. */
  get rule(): string | null {
    return this.#context.ruleOf(this.#activation);
  }

  /** The registers whose values are known in this frame. */
  get registers(): Registers {
    return this.#context.registersOf(this.#activation);
  }

  /** As in `2  demo  0x0000000100003f50  main + 32`; control characters are escaped. */
  toString(): string {
    const { pointerSize } = this.#context.arch;
    const address = `0x${this.address.toString(16).padStart(pointerSize * 2, "0")}`;
    const image = this.image === null ? "???" : escape(this.image.name);
    return `${this.index}  ${image}  ${address}  ${this.describe()}`;
  }

  /** The function, the offset in it and the line, as in `main + 34 at demo.c:12:3`; escaped. A
   * function without a name is known by where it begins, as in `demo:function_5d8+0x24`.
   *
   * @param name how the function's name is shown; a Swift name demangled, when left out
   * @param imageSaid leaves the image's name out
   */
  describe(name?: (mangled: string) => string, imageSaid = false): string {
    const { source } = this;
    return this.#place(name ?? demangle, imageSaid) +
      (source === null ? "" : ` at ${describeLocation(source)}`) +
      (this.inlined ? " [inlined]" : "");
  }

  /** Bytes from the symbol, or the function's start; `null` for an inlined call and where neither is
   * known. */
  get #functionOffset(): bigint | null {
    if (this.inlined) return null;
    const { symbol, functionStart } = this.#resolve();
    const start = symbol?.address ?? functionStart;
    return start === null ? null : this.address - start;
  }

  #place(name: (mangled: string) => string, imageSaid: boolean): string {
    const known = this.function;
    const { image, functionStart } = this.#resolve();
    const offset = this.#functionOffset;
    if (known !== null) return escape(name(known)) + (offset === null ? "" : ` + ${offset}`);
    if (image === null) return "";
    const said = imageSaid ? "" : escape(image.name);
    if (functionStart === null || offset === null) {
      return `${said} + 0x${this.offset.toString(16)}`.trimStart();
    }
    const start = (functionStart - image.loadAddress).toString(16);
    return `${imageSaid ? "" : `${said}:`}function_${start}+0x${offset.toString(16)}`;
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
      via: this.via,
    };
  }
}

/** A file's name without its folders, the line and the column, as in `demo.c:12:3`; escaped. */
export function describeLocation({ file, line, column }: SourceLocation): string {
  const name = file.slice(file.lastIndexOf("/") + 1);
  return `${escape(name)}:${line}${column > 0 ? `:${column}` : ""}`;
}

/** The frames of one thread, innermost first, and why there are no more: its activations, and
 * {@linkcode Backtrace.expanded} also the calls inlined into them.
 *
 * @example
 * ```ts
 * import { attach } from "@machpause/machpause";
 *
 * using target = await attach("MyApp");
 * const backtrace = target.threads[0].backtrace();
 * console.log(`${backtrace}`); // a line a frame
 * if (backtrace.stopped !== "null-record") console.log(`cut short: ${backtrace.stopped}`);
 * ```
 */
export class Backtrace extends Array<Frame> {
  /** What `map` and its kin make: only a walk makes a Backtrace. */
  static override get [Symbol.species](): ArrayConstructor {
    return Array;
  }

  /** Why the walk ended. */
  stopped: StopReason = "no-state";
  #expanded: readonly Frame[] | undefined;

  /** The activations, each after the calls that were inlined where it executes, numbered from 0: what
   * debuggers show. The first time, debug information is looked for. */
  get expanded(): readonly Frame[] {
    if (this.#expanded === undefined) {
      const frames: Frame[] = [];
      for (const frame of this) {
        for (const shown of frame.expand(frames.length)) frames.push(shown);
      }
      this.#expanded = frames;
    }
    return this.#expanded;
  }

  /** A line a frame, inlined calls among them. */
  override toString(): string {
    return this.expanded.join("\n");
  }

  /** As {@linkcode toString}. */
  [Symbol.for("Deno.customInspect")](): string {
    return this.toString();
  }
}
