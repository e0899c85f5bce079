import { type Arch, readRegister, Registers } from "../arch/mod.ts";
import {
  Backtrace,
  type BacktraceOptions,
  Frame,
  type FrameContext,
  type StopReason,
  type WalkInput,
} from "../target/mod.ts";
import type { LoadedImage } from "../macho/mod.ts";
import { StackReader } from "./stack_reader.ts";

/** Stack addresses at or above this are not kept as numbers; no user stack is there. */
const addressLimit = 0x20_0000_0000_0000n;

/** Walks a thread's stack by its frame records, innermost frame first.
 *
 * Each record is a pair of pointers: the caller's frame pointer, then the return address; the
 * frame pointer register holds the address of the innermost one (Apple's "ARM64 Function Calling
 * Conventions", the i386 and x86-64 System V ABIs). The bounds and the order that Apple's own
 * `backtrace()` asks of records hold here too, so the walk ends on any memory.
 *
 * @example
 * ```ts
 * import { walk } from "./mod.ts";
 * import { x86_64 } from "../arch/mod.ts";
 * import { Symbolizer } from "../symbols/mod.ts";
 *
 * const frames = walk({
 *   arch: x86_64,
 *   resolver: new Symbolizer([]),
 *   state: new Uint8Array(0),
 *   stackAddress: 0n,
 *   stack: new Uint8Array(0),
 *   stackEnd: 0n,
 *   readInto: undefined,
 * }, {});
 * console.log(frames.stopped); // no-state
 * ```
 */
export function walk(input: WalkInput, options: BacktraceOptions): Backtrace {
  const frames = new Backtrace();
  const { limit = Infinity } = options;
  if (!(limit >= 0)) throw new RangeError(`a limit of ${limit} frames`);
  frames.stopped = input.state.length < input.arch.threadState.size
    ? "no-state"
    : walkRecords(input, limit, frames);
  return frames;
}

function walkRecords(input: WalkInput, limit: number, frames: Backtrace): StopReason {
  const { arch, state } = input;
  const context: FrameContext = {
    arch,
    resolver: input.resolver,
    registers: Registers.fromState(arch, state),
  };
  if (limit === 0) return "limit";
  const { addressMask, pointerSize } = arch;
  const wide = pointerSize === 8;
  const mask = BigInt.asUintN(pointerSize * 8, addressMask);
  const stack = new StackReader(input);
  // arm64e's kernel signs these two as well as the pc; in 32 bits the mask takes off the Thumb bit.
  const stackMask = wide ? mask : 0xffff_ffffn;
  const spValue = readRegister(state, arch.sp) & stackMask;
  const fpValue = readRegister(state, arch.fp) & stackMask;
  const pc = readRegister(state, arch.pc) & mask;

  let record = stackAddress(fpValue);
  let reason = check(record, stack, arch);
  if (reason === undefined && fpValue < spValue) reason = "outside-stack";
  const link = arch.lr === null ? 0n : readRegister(state, arch.lr) & mask;
  const firstReturn = reason === undefined ? readReturn(stack, record!, arch) & mask : 0n;
  const kept = link !== 0n && keepsLinkRegister(input, pc, link, firstReturn);

  frames.push(new Frame(context, 0, pc, spValue, fpValue, kept ? link : firstReturn, "context"));
  if (kept) {
    if (frames.length >= limit) return "limit";
    frames.push(new Frame(context, 1, link, spValue, fpValue, firstReturn, "link-register"));
  }

  let returnAddress = firstReturn;
  while (reason === undefined) {
    if (returnAddress === 0n) return "null-record";
    if (frames.length >= limit) return "limit";
    const at = record!;
    const callerSp = at + arch.frameRecord.size;
    const caller = wide ? stackAddress(stack.u64(at)) : stack.u32(at);
    reason = caller !== undefined && caller !== 0 && caller < callerSp
      ? "not-rising"
      : check(caller, stack, arch);
    const next = reason === undefined ? readReturn(stack, caller!, arch) & mask : 0n;
    frames.push(
      new Frame(
        context,
        frames.length,
        returnAddress,
        callerSp,
        caller ?? stack.u64(at),
        next,
        "frame-pointer",
      ),
    );
    record = caller;
    returnAddress = next;
  }
  return reason;
}

/** A stack address as a number; `undefined` when it is beyond any stack. */
function stackAddress(value: bigint): number | undefined {
  return value < addressLimit ? Number(value) : undefined;
}

/** Tells why there is no record at `address`; `undefined` when there is one and it is readable. */
function check(
  address: number | undefined,
  stack: StackReader,
  arch: Arch,
): StopReason | undefined {
  if (address === 0) return "null-record";
  if (address === undefined) return "outside-stack";
  if (address % arch.pointerSize !== 0) return "misaligned";
  if (stack.end !== 0 && address + arch.frameRecord.size > stack.end) return "outside-stack";
  return stack.cover(address, arch.frameRecord.size) ? undefined : "unreadable";
}

function readReturn(stack: StackReader, record: number, arch: Arch): bigint {
  const at = record + arch.frameRecord.returnAddress;
  return arch.pointerSize === 8 ? stack.u64(at) : BigInt(stack.u32(at));
}

/** Tells whether the link register names a caller that no frame record names.
 *
 * It does until a function has stored it: in a leaf function and in a prologue. Once stored, the
 * record at the frame pointer has the same address; and once the function has called something,
 * the link register points back into the function itself.
 */
function keepsLinkRegister(
  input: WalkInput,
  pc: bigint,
  link: bigint,
  firstReturn: bigint,
): boolean {
  if (link === firstReturn) return false;
  const call = link - input.arch.callBias;
  const caller = input.resolver.resolve(call).image;
  if (caller === null) return false;
  if (caller !== input.resolver.resolve(pc).image) return true;
  const callerStart = functionStart(caller, call);
  const ownStart = functionStart(caller, pc);
  if (callerStart === undefined || ownStart === undefined) return false;
  // At its first instruction a function has called nothing yet, so it was called by itself.
  return callerStart !== ownStart || pc === ownStart;
}

function functionStart(image: LoadedImage, address: bigint): bigint | undefined {
  const match = image.symbolAt(address);
  return match === null ? undefined : address - BigInt(match.offset);
}
