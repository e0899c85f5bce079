import type { Arch, Registers } from "../arch/mod.ts";
import { escape } from "../escape.ts";
import type { LoadedImage, Symbol as ImageSymbol } from "../macho/mod.ts";
import type { Resolution, Resolver, SourceLocation } from "./resolution.ts";

/** How a frame was found. */
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
 */
export type StopReason =
  | "null-record"
  | "outside-stack"
  | "misaligned"
  | "not-rising"
  | "unreadable"
  | "limit"
  | "no-state";

/** What the frames of one walk have in common. */
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

/** One function's activation on a thread's stack.
 *
 * Stack addresses are kept as numbers, and what an address means is looked up when it is asked
 * for: a walk is much more often long than read to its end.
 */
export class Frame {
  /** 0 is the innermost. */
  readonly index: number;
  /** The address of the next instruction this frame will execute: the pc of the innermost
   * frame, a return address in its callers. Pointer authentication and the Thumb bit removed. */
  readonly address: bigint;
  /** How it was found. */
  readonly via: Via;
  /** An inline frame has no activation of its own; it shares that of the next one. */
  readonly inlined: boolean = false;
  readonly #context: FrameContext;
  readonly #sp: number | bigint;
  readonly #fp: number | bigint;
  readonly #returnAddress: bigint;
  #resolution: Resolution | undefined;

  /** One frame of a walk.
   *
   * @param sp the stack pointer in this frame
   * @param fp the frame pointer in this frame
   * @param returnAddress where this frame returns to; 0 when that is not known
   */
  constructor(
    context: FrameContext,
    index: number,
    address: bigint,
    sp: number | bigint,
    fp: number | bigint,
    returnAddress: bigint,
    via: Via,
  ) {
    this.#context = context;
    this.index = index;
    this.address = address;
    this.#sp = sp;
    this.#fp = fp;
    this.#returnAddress = returnAddress;
    this.via = via;
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
    return this.#context.isExact(this.index)
      ? this.address
      : this.address - this.#context.arch.callBias;
  }

  #resolve(): Resolution {
    return this.#resolution ??= this.#context.resolver.resolve(this.lookupAddress);
  }

  /** The image that holds the code; `null` when no known one does. */
  get image(): LoadedImage | null {
    return this.#resolve().image;
  }

  /** The function; `null` when its name is not known. */
  get symbol(): ImageSymbol | null {
    return this.#resolve().symbol;
  }

  /** Bytes from the symbol's start, or from the image's load address where there is no symbol,
   * to `address`. */
  get offset(): number {
    const { offset } = this.#resolve();
    return this.#context.isExact(this.index)
      ? offset
      : offset + Number(this.#context.arch.callBias);
  }

  /** File, line and column; `null` when they are not known. */
  get source(): SourceLocation | null {
    return this.#resolve().source;
  }

  /** The rule that led here from the frame that this one called, in words, as in
   * `CFA = rbp + 16; rip = [CFA - 8]; rbp = [CFA - 16]`, CFA being where this frame's stack pointer
   * is; `null` for the innermost. */
  get rule(): string | null {
    return this.#context.ruleOf(this.index);
  }

  /** The registers whose values are known in this frame. */
  get registers(): Registers {
    return this.#context.registersOf(this.index);
  }

  /** As in `2  demo  0x0000000100003f50  main + 32`; control characters are escaped. */
  toString(): string {
    const { pointerSize } = this.#context.arch;
    const address = `0x${this.address.toString(16).padStart(pointerSize * 2, "0")}`;
    const image = this.image === null ? "???" : escape(this.image.name);
    return `${this.index}  ${image}  ${address}  ${this.describe()}`;
  }

  /** The function and the offset in it, or the image and the offset in that; escaped. */
  describe(): string {
    const { image, symbol, offset, source } = this;
    const place = source === null
      ? ""
      : ` at ${escape(source.file)}:${source.line}${source.column > 0 ? `:${source.column}` : ""}`;
    if (symbol !== null) return `${escape(symbol.name)} + ${offset}${place}`;
    return image === null ? "" : `${escape(image.name)} + 0x${offset.toString(16)}${place}`;
  }

  /** As {@linkcode toString}. */
  [Symbol.for("Deno.customInspect")](): string {
    return this.toString();
  }

  /** The form of `bt --json`. */
  toJSON(): Record<string, unknown> {
    const { image, symbol, source } = this;
    return {
      index: this.index,
      address: `0x${this.address.toString(16)}`,
      image: image?.name ?? null,
      symbol: symbol?.name ?? null,
      offset: image === null ? null : this.offset,
      file: source?.file ?? null,
      line: source?.line ?? null,
      column: source?.column ?? null,
      inlined: this.inlined,
      via: this.via,
    };
  }
}

/** The frames of one thread, innermost first, and why there are no more. */
export class Backtrace extends Array<Frame> {
  /** What `map` and its kin make: only a walk makes a Backtrace. */
  static override get [Symbol.species](): ArrayConstructor {
    return Array;
  }

  /** Why the walk ended. */
  stopped: StopReason = "no-state";

  /** A line a frame. */
  override toString(): string {
    return this.join("\n");
  }

  /** As {@linkcode toString}. */
  [Symbol.for("Deno.customInspect")](): string {
    return this.toString();
  }
}
