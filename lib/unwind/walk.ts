import { type Arch, readRegister, type Register, Registers } from "../arch/mod.ts";
import { evaluateExpression, type RegisterRule, type UnwindRow } from "../dwarf/mod.ts";
import type { LoadedImage } from "../macho/mod.ts";
import {
  Backtrace,
  type BacktraceOptions,
  Frame,
  type FrameContext,
  type StopReason,
  type Via,
  type WalkInput,
} from "../target/walking.ts";
import { describeRow } from "./describe.ts";
import { type Plan, plansOf } from "./plan.ts";
import { StackReader } from "./stack_reader.ts";

/** Stack addresses at or above this are not kept as numbers; no user stack is there. */
const addressLimit = 0x20_0000_0000_0000n;

/** So many times a walk may go on in another stack. */
const maxStacks = 8;

/** How far up a stack is scanned for one return address, in bytes. */
const scanLimit = 1 << 16;

/** Walks a thread's stack, innermost frame first.
 *
 * From each frame to its caller the walk goes by what the frame's image says: compact unwind
 * information, then call-frame information. Where there is none, or it leads nowhere sensible, it
 * goes by frame records: pairs of pointers, the caller's frame pointer, then the return address; the
 * frame pointer register holds the address of the innermost one (Apple's "ARM64 Function Calling
 * Conventions", the i386 and x86-64 System V ABIs). The bounds and the order that Apple's own
 * `backtrace()` asks of records hold for every step, so the walk ends on any memory.
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
  if (input.state.length >= input.arch.threadState.size) {
    frames.stopped = new Walker(input).walk(limit, options.scan ?? false, frames);
  }
  return frames;
}

/** One step from a frame to its caller. */
interface Step {
  readonly via: Via;
  /** What was followed. */
  readonly row: UnwindRow;
  /** The canonical frame address: the caller's stack pointer. */
  readonly cfa: number;
  /** The caller's frame pointer; a bigint where it is no stack address. */
  readonly fp: number | bigint;
  /** 0 where the caller is nobody. */
  readonly returnAddress: bigint;
}

class Walker implements FrameContext {
  readonly arch: Arch;
  readonly resolver: WalkInput["resolver"];
  readonly #input: WalkInput;
  readonly #stack: StackReader;
  readonly #mask: bigint;
  readonly #fpNumber: number;
  readonly #spNumber: number;
  /** By frame: the steps that led from each to its caller. */
  readonly #steps: Step[] = [];
  /** By frame. */
  readonly #pcs: bigint[] = [];
  #stacksLeft = maxStacks;
  #sp: number | bigint;
  #fp: number | bigint;

  constructor(input: WalkInput) {
    const { arch, state } = input;
    this.arch = arch;
    this.resolver = input.resolver;
    this.#input = input;
    this.#stack = new StackReader(input);
    this.#mask = BigInt.asUintN(arch.pointerSize * 8, arch.addressMask);
    this.#fpNumber = arch.fp.dwarf!;
    this.#spNumber = arch.sp.dwarf!;
    // arm64e's kernel may sign these two as well as the pc; in 32 bits the mask takes off the Thumb
    // bit, which no stack address has.
    const mask = arch.pointerSize === 8 ? this.#mask : 0xffff_ffffn;
    this.#sp = stackAddress(readRegister(state, arch.sp) & mask);
    this.#fp = stackAddress(readRegister(state, arch.fp) & mask);
  }

  walk(limit: number, scan: boolean, frames: Backtrace): StopReason {
    let pc = readRegister(this.#input.state, this.arch.pc) & this.#mask;
    let via: Via = "context";
    for (let index = 0; index < limit; index++) {
      this.#pcs.push(pc);
      const found = this.#step(index, pc);
      const step = typeof found === "string" && found !== "null-record" && scan
        ? this.#scan() ?? found
        : found;
      const returnAddress = typeof step === "string" ? 0n : step.returnAddress;
      frames.push(new Frame(this, index, pc, this.#sp, this.#fp, returnAddress, via));
      if (typeof step === "string") return step;
      this.#steps.push(step);
      if (returnAddress === 0n) return "null-record";
      this.#sp = step.cfa;
      this.#fp = step.fp;
      pc = returnAddress;
      via = step.via;
    }
    return "limit";
  }

  /** Whether a frame's address is that of an instruction to be executed, not of one to return to. */
  isExact(index: number): boolean {
    return index === 0 || this.#steps[index - 1].row.signalFrame;
  }

  /** The rule that led to a frame from the one it called, in words; `null` for the innermost. */
  ruleOf(index: number): string | null {
    return index === 0 ? null : describeRow(this.arch, this.#steps[index - 1].row);
  }

  /** The registers of a frame: those whose values are known to be what they were there. */
  registersOf(index: number): Registers {
    if (index === 0) return Registers.fromState(this.arch, this.#input.state);
    const values = new Map<string, bigint>();
    for (const { name, dwarf } of this.arch.threadState.registers) {
      const value = name === this.arch.pc.name
        ? this.#pcs[index]
        : dwarf === null
        ? undefined
        : this.#register(index, dwarf);
      if (value !== undefined) values.set(name, value);
    }
    return new Registers(values);
  }

  /** A register's value in a frame; `undefined` when it is lost. */
  #register(index: number, number: number): bigint | undefined {
    let wanted = number;
    for (let at = index; at > 0; at--) {
      const { row, cfa, fp, via } = this.#steps[at - 1];
      if (wanted === this.#spNumber && !row.registers.has(wanted)) return BigInt(cfa);
      if (wanted === this.#fpNumber) return BigInt(fp);
      const rule = row.registers.get(wanted);
      if (rule === undefined) {
        // A frame record tells of no register but its own two.
        if (via === "frame-pointer" || via === "scan" || !this.arch.calleeSaved.has(wanted)) {
          return undefined;
        }
      } else if (rule.kind === "register") {
        wanted = rule.register;
      } else if (rule.kind !== "same") {
        return this.#apply(rule, cfa, at - 1);
      }
    }
    const { state } = this.#input;
    const register = registerNumbered(this.arch, wanted);
    return register === undefined ? undefined : readRegister(state, register);
  }

  /** What a rule that says where a value is gives.
   *
   * @param index of the frame that the rule is of, not of its caller
   */
  #apply(rule: RegisterRule, cfa: number, index: number): bigint | undefined {
    switch (rule.kind) {
      case "offset":
        return this.#pointer(cfa + rule.offset);
      case "value-offset":
        return BigInt(cfa + rule.offset);
      case "expression": {
        const address = this.#evaluate(rule.bytes, index, cfa);
        return address === undefined || address >= addressLimit
          ? undefined
          : this.#pointer(Number(address));
      }
      case "value-expression":
        return this.#evaluate(rule.bytes, index, cfa);
      case "register":
        return this.#register(index, rule.register);
      default:
        return undefined;
    }
  }

  #evaluate(bytes: Uint8Array, index: number, cfa?: number): bigint | undefined {
    return evaluateExpression(bytes, {
      registers: (number) => this.#current(index, number),
      readMemory: (address, size) =>
        address < addressLimit && this.#stack.cover(Number(address), size)
          ? this.#stack.read(Number(address), size)
          : undefined,
      cfa: cfa === undefined ? undefined : BigInt(cfa),
      pointerSize: this.arch.pointerSize,
    });
  }

  /** A register of the frame that the walk has come to. */
  #current(index: number, number: number): bigint | undefined {
    if (number === this.#spNumber && index === this.#steps.length) return BigInt(this.#sp);
    if (number === this.#fpNumber && index === this.#steps.length) return BigInt(this.#fp);
    return this.#register(index, number);
  }

  #pointer(address: number): bigint | undefined {
    const { pointerSize } = this.arch;
    return address >= 0 && this.#stack.cover(address, pointerSize)
      ? this.#stack.read(address, pointerSize)
      : undefined;
  }

  /** The step from a frame to its caller, or why there is none. */
  #step(index: number, pc: bigint): Step | StopReason {
    const exact = this.isExact(index);
    let inside = exact ? pc : pc - this.arch.callBias;
    const { image } = this.resolver.resolve(inside);
    const plans = plansOf(image, this.arch, this.resolver);
    if (index === 0 && plans !== null) inside = plans.nextExecuted(pc, this.#input.state);
    const plan = exact ? plans?.innermostAt(inside) : plans?.at(inside);
    if (exact && image !== null && plan?.row.signalFrame !== true && isFunctionStart(image, pc)) {
      const step = this.#follow(index, { via: "prologue", row: entryRow(this.arch) });
      if (step !== undefined) return step;
    }
    if (plan !== undefined && plan !== null) {
      const step = this.#follow(index, plan) ?? this.#followOther(index, plan, inside);
      if (step !== undefined) return step;
    }
    return this.#stepByRecord(index, pc);
  }

  /** Where what an image says leads nowhere, goes by the function's instructions. */
  #followOther(index: number, { via }: Plan, inside: bigint): Step | undefined {
    if (via !== "compact-unwind" && via !== "cfi") return undefined;
    const { image } = this.resolver.resolve(inside);
    const plan = plansOf(image, this.arch, this.resolver)?.byInstructions(inside) ?? null;
    return plan === null ? undefined : this.#follow(index, plan);
  }

  /** Follows a plan; `undefined` when it leads nowhere that a caller could be. */
  #follow(index: number, { via, row }: Plan): Step | undefined {
    const base = row.cfa.kind === "expression"
      ? this.#evaluate(row.cfa.bytes, index)
      : this.#current(index, row.cfa.register);
    if (base === undefined || base >= addressLimit) return undefined;
    const cfa = Number(base) + (row.cfa.kind === "expression" ? 0 : row.cfa.offset);
    const outside = this.#stack.end !== 0 && cfa > this.#stack.end;
    // Only a function that has pushed nothing, and whose return address is in a register, has its
    // caller's stack pointer.
    const isLeaf = this.arch.lr !== null && this.isExact(index) && !row.signalFrame;
    const rises = cfa > this.#sp || (cfa === this.#sp && isLeaf);
    // A handler may run on a stack of its own.
    const leaves = (outside || !rises) && row.signalFrame && this.#stacksLeft > 0;
    if ((outside || !rises) && !leaves) return undefined;

    const rule = row.registers.get(row.returnAddress);
    if (rule?.kind === "undefined") {
      return { via, row, cfa, fp: this.#fp, returnAddress: 0n };
    }
    const value = rule === undefined || rule.kind === "same"
      ? this.#current(index, row.returnAddress)
      : this.#apply(rule, cfa, index);
    if (value === undefined) return undefined;
    const returnAddress = value & this.#mask;
    if (returnAddress !== 0n && !row.signalFrame && !this.#isReturnAddress(returnAddress)) {
      return undefined;
    }

    const fpRule = row.registers.get(this.#fpNumber);
    const fp = fpRule === undefined || fpRule.kind === "same"
      ? this.#fp
      : this.#apply(fpRule, cfa, index);
    if (fp === undefined) return undefined;
    if (leaves) {
      this.#stacksLeft--;
      this.#stack.forgetEnd();
    }
    return {
      via,
      row,
      cfa,
      fp: typeof fp === "number" ? fp : stackAddress(fp),
      returnAddress,
    };
  }

  /** Whether the address is in code, and after a call as far as that can be seen. */
  #isReturnAddress(address: bigint): boolean {
    const { image } = this.resolver.resolve(address - this.arch.callBias);
    return image !== null &&
      (plansOf(image, this.arch, this.resolver)?.isReturnAddress(address) ?? true);
  }

  /** The last resort: the first word up the stack that a call in an image returns to. */
  #scan(): Step | undefined {
    const { pointerSize } = this.arch;
    const start = Math.ceil(Number(this.#sp) / pointerSize) * pointerSize;
    for (let at = start; at < start + scanLimit; at += pointerSize) {
      const value = this.#pointer(at);
      if (value === undefined) return undefined;
      const returnAddress = value & this.#mask;
      const { image } = this.resolver.resolve(returnAddress - this.arch.callBias);
      const plans = plansOf(image, this.arch, this.resolver);
      if (returnAddress === 0n || !(plans?.isReturnAddress(returnAddress) ?? false)) continue;
      // Where it is the second word of a frame record, the first is the caller's frame pointer.
      const before = at === start ? undefined : this.#pointer(at - pointerSize);
      const cfa = at + pointerSize;
      const isRecord = before !== undefined && before >= BigInt(cfa) &&
        before < BigInt(this.#stack.end);
      return {
        via: "scan",
        row: returnRow(this.arch, cfa - Number(this.#sp)),
        cfa,
        fp: isRecord ? Number(before) : this.#fp,
        returnAddress,
      };
    }
  }

  #canRead(pc: bigint): boolean {
    return plansOf(this.resolver.resolve(pc).image, this.arch, this.resolver)?.canRead(pc) ?? false;
  }

  #stepByRecord(index: number, pc: bigint): Step | StopReason {
    const { arch } = this;
    const reason = this.#checkRecord(index);
    const at = this.#fp as number;
    const { pointerSize } = arch;
    const returnAddress = reason === undefined
      ? this.#stack.read(at + arch.frameRecord.returnAddress, pointerSize) & this.#mask
      : 0n;
    if (arch.lr !== null && this.isExact(index) && !this.#canRead(pc)) {
      const link = (this.#current(index, arch.lr.dwarf!) ?? 0n) & this.#mask;
      if (link !== 0n && keepsLinkRegister(this.#input, pc, link, returnAddress)) {
        return {
          via: "link-register",
          row: entryRow(arch),
          cfa: this.#sp as number,
          fp: this.#fp,
          returnAddress: link,
        };
      }
    }
    if (reason !== undefined) return reason;
    return {
      via: "frame-pointer",
      row: recordRow(arch),
      cfa: at + arch.frameRecord.size,
      fp: stackAddress(this.#stack.read(at, pointerSize)),
      returnAddress,
    };
  }

  /** Tells why there is no record at the frame pointer; `undefined` when there is one. */
  #checkRecord(index: number): StopReason | undefined {
    const fp = this.#fp;
    const { size } = this.arch.frameRecord;
    if (fp === 0) return "null-record";
    if (typeof fp === "bigint") return "outside-stack";
    if (index > 0 && fp < this.#sp) return "not-rising";
    if (fp % this.arch.pointerSize !== 0) return "misaligned";
    if (fp < this.#sp || (this.#stack.end !== 0 && fp + size > this.#stack.end)) {
      return "outside-stack";
    }
    return this.#stack.cover(fp, size) ? undefined : "unreadable";
  }
}

/** A stack address as a number; as it is when it is beyond any stack. */
function stackAddress(value: bigint): number | bigint {
  return value < addressLimit ? Number(value) : value;
}

function registerNumbered(arch: Arch, number: number): Register | undefined {
  return arch.threadState.registers.find(({ dwarf }) => dwarf === number);
}

const entryRows = new Map<string, UnwindRow>();

/** A function's first instruction: the call has been made, and nothing else. */
function entryRow(arch: Arch): UnwindRow {
  let row = entryRows.get(arch.name);
  if (row === undefined) {
    row = arch.lr === null ? returnRow(arch, arch.pointerSize) : {
      cfa: { kind: "register", register: arch.sp.dwarf!, offset: 0 },
      registers: new Map(),
      returnAddress: arch.lr.dwarf!,
      signalFrame: false,
    };
    entryRows.set(arch.name, row);
  }
  return row;
}

/** A return address on the stack, in the word below `size` bytes up from the stack pointer. */
function returnRow(arch: Arch, size: number): UnwindRow {
  const returnAddress = arch.lr === null ? arch.pc.dwarf! : arch.lr.dwarf!;
  return {
    cfa: { kind: "register", register: arch.sp.dwarf!, offset: size },
    registers: new Map([[returnAddress, { kind: "offset", offset: -arch.pointerSize }]]),
    returnAddress,
    signalFrame: false,
  };
}

const recordRows = new Map<string, UnwindRow>();

/** A function that has stored its frame record, in the terms of call-frame information. */
function recordRow(arch: Arch): UnwindRow {
  let row = recordRows.get(arch.name);
  if (row === undefined) {
    const { size, returnAddress } = arch.frameRecord;
    const column = arch.lr === null ? arch.pc.dwarf! : arch.lr.dwarf!;
    row = {
      cfa: { kind: "register", register: arch.fp.dwarf!, offset: size },
      registers: new Map([
        [arch.fp.dwarf!, { kind: "offset", offset: -size }],
        [column, { kind: "offset", offset: returnAddress - size }],
      ]),
      returnAddress: column,
      signalFrame: false,
    };
    recordRows.set(arch.name, row);
  }
  return row;
}

/** Tells whether the link register names a caller that no frame record names.
 *
 * It does until a function has stored it: in a leaf function and in a prologue. Once stored, the
 * record at the frame pointer has the same address; and once the function has called something,
 * the link register points back into the function itself, unless what it called returned without
 * the link register, as 32-bit code may: a guess, for code whose instructions cannot be read.
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
  return callerStart !== ownStart;
}

function functionStart(image: LoadedImage, address: bigint): bigint | undefined {
  const match = image.symbolAt(address);
  return match === null ? undefined : address - BigInt(match.offset);
}

function isFunctionStart(image: LoadedImage, pc: bigint): boolean {
  return functionStart(image, pc) === pc;
}
