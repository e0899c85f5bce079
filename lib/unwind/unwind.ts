/** Unwinding a stack: from each frame to its caller. */

import { type Arch, readRegister, type Register, Registers } from "../arch/mod.ts";
import { evaluateExpression, type RegisterRule, type UnwindRow } from "../dwarf/mod.ts";
import { log } from "../log.ts";
import type { LoadedImage } from "../macho/mod.ts";
import { describeRow } from "./describe.ts";
import type {
  FoundBy,
  StopReason,
  UnwindImages,
  UnwindInput,
  UnwindOptions,
  UnwoundFrame,
  UnwoundStack,
} from "./frame.ts";
import {
  asyncParents,
  clearAsyncMark,
  contextRegister,
  hasOwnContext,
  readContext,
} from "./async.ts";
import { type ImagePlans, type Plan, plansOf } from "./image_plans.ts";
import type { CallerState } from "./instruction_set.ts";
import { StackReader } from "./stack_reader.ts";

/** Stack addresses at or above this are not kept as numbers; no user stack is there. */
const addressLimit = 0x20_0000_0000_0000n;

/** Maximum number of times that unwinding continues in another stack. */
const maxStacks = 8;

/** How far up a stack one return address is searched for, in bytes. */
const scanLimit = 1 << 16;

/** In place of a frame pointer that is not known. */
const lostFrame = 0n;

/** Less than the bytes of any async function before its epilogue. */
const shortestFunction = 24n;

/** Unwinds a stack, innermost frame first. It never throws for what the memory holds.
 *
 * A caller is found by what the frame's image says: compact unwind information, then call-frame
 * information. Where there is none, or its result makes no sense, it is found by the function's
 * instructions, then by frame records: pairs of pointers, the caller's frame pointer, then the
 * return address, of which the frame pointer register holds the innermost one's address (Apple's
 * "ARM64 Function Calling Conventions", the i386 and x86-64 System V ABIs). Every step must move
 * up the stack and stay in it, as Apple's own `backtrace()` demands of frame records, so unwinding
 * ends for any memory.
 *
 * @example
 * ```ts
 * import { Symbolizer } from "@machpause/machpause/symbols";
 * import { archs, unwind } from "@machpause/machpause/unwind";
 *
 * const { frames, stopped } = unwind({
 *   arch: archs.x86_64,
 *   images: new Symbolizer([]),
 *   state: new Uint8Array(0),
 *   stackAddress: 0n,
 *   stack: new Uint8Array(0),
 *   stackEnd: 0n,
 *   readInto: undefined,
 * });
 * console.log(frames.length, stopped); // 0 no-state
 * ```
 * @throws RangeError when the limit is negative or not a number
 */
export function unwind(input: UnwindInput, options: UnwindOptions = {}): UnwoundStack {
  const { limit = Infinity, scan = false } = options;
  if (!(limit >= 0)) throw new RangeError(`a limit of ${limit} frames`);
  if (input.state.length < input.arch.threadState.size) {
    return { frames: [], stopped: "no-state", registersOf: () => new Registers(new Map()) };
  }
  const unwinder = new Unwinder(input);
  unwinder.run(limit, scan);
  return unwinder;
}

/** One step from a frame to its caller. */
interface Step {
  readonly foundBy: FoundBy;
  /** The row that was followed. */
  readonly row: UnwindRow;
  /** The canonical frame address: the caller's stack pointer. */
  readonly cfa: number;
  /** The caller's frame pointer; a bigint where it is no stack address. */
  readonly fp: number | bigint;
  /** Where the frame has stored the caller's frame pointer, with the mark of a Swift async
   * function: `"register"` when it is still in the register, `undefined` in other functions. */
  readonly asyncRecord?: number | "register";
  /** 0 where there is no caller. */
  readonly returnAddress: bigint;
  /** Where the caller's own frame is looked up; left out where it is that of its body. */
  readonly caller?: CallerState;
}

/** A frame, of which more is learned when its caller is found. */
interface FoundFrame extends UnwoundFrame {
  exact: boolean;
  returnAddress: bigint;
  asyncContext?: bigint;
  asyncParents?: UnwoundStack;
}

class Unwinder implements UnwoundStack {
  readonly frames: FoundFrame[] = [];
  stopped: StopReason = "limit";
  lastFrameAddress?: number;
  readonly #arch: Arch;
  readonly #images: UnwindImages;
  readonly #input: UnwindInput;
  readonly #stack: StackReader;
  readonly #mask: bigint;
  readonly #fpNumber: number;
  readonly #spNumber: number;
  /** Most frames are in the image of the one before. */
  #lastImage: LoadedImage | null = null;
  #lastPlans: ImagePlans | null = null;
  #stacksLeft = maxStacks;
  /** Whether the frame's callee is a part of it that was outlined, which keeps the registers that it
   * needs. */
  #isOutlining = false;
  #sp: number | bigint;
  #fp: number | bigint;
  /** Of each frame, the registers that were shown. */
  readonly #shown: Map<number, bigint | undefined>[] = [];

  constructor(input: UnwindInput) {
    const { arch, state, images } = input;
    this.#arch = arch;
    this.#images = images;
    this.#input = input;
    this.#stack = new StackReader(input);
    this.#mask = BigInt.asUintN(arch.pointerSize * 8, arch.addressMask);
    this.#fpNumber = arch.fp.dwarf!;
    this.#spNumber = arch.sp.dwarf!;
    // arm64e's kernel may sign these two as well as the pc. In 32 bits the mask also removes the
    // Thumb bit, which no stack address has.
    const mask = arch.pointerSize === 8 ? this.#mask : 0xffff_ffffn;
    this.#sp = stackAddress(readRegister(state, arch.sp) & mask);
    const fp = readRegister(state, arch.fp);
    this.#fp = frameAddress(arch.pointerSize === 8 ? clearAsyncMark(fp) & mask : fp & mask);
  }

  run(limit: number, scan: boolean): void {
    const { isKnown } = this.#input;
    let pc = readRegister(this.#input.state, this.#arch.pc) & this.#mask;
    let step: Step | null = null;
    for (let index = 0; index < limit; index++) {
      const frame = {
        address: pc,
        sp: this.#sp,
        fp: this.#fp,
        returnAddress: 0n,
        foundBy: step === null ? "context" : step.foundBy,
        exact: step === null || step.row.signalFrame,
        row: step === null ? null : step.row,
      } as const;
      if (index > 0 && isKnown !== undefined && isKnown(frame)) return;
      this.frames.push(frame);
      const found = this.#step(index, pc, step?.caller);
      const next = typeof found === "string" && found !== "null-record" && scan
        ? this.#scan() ?? found
        : found;
      log.unwind?.(this.#describe(index, pc, next));
      if (typeof next === "string") {
        this.stopped = next;
        return;
      }
      if (next.asyncRecord !== undefined) this.#addAsync(index, next.asyncRecord);
      if (next.returnAddress === 0n) {
        this.stopped = "null-record";
        return;
      }
      step = next;
      // No call is before the instruction that a handler returns to.
      if (step.row.signalFrame && (this.#plansAt(pc)?.isHandlersReturn(pc) ?? false)) {
        this.frames[index].exact = true;
      }
      this.frames[index].returnAddress = pc = step.returnAddress;
      this.#sp = step.cfa;
      this.#fp = step.fp;
    }
    if (step !== null && !step.row.signalFrame) this.lastFrameAddress = step.cfa;
  }

  /** Follows the async context of a frame. It is in the word below the frame record (XNU's
   * `osfmk/kern/backtrace.c`), or before the frame is set up in the register in which it was
   * passed. In an epilogue that register may have another context, so there it is not used. */
  #addAsync(index: number, record: number | "register"): void {
    const context = this.frames[index].fp === record
      ? this.#pointer(record - this.#arch.pointerSize)
      : index === 0 && (record !== "register" || this.#isAtStart())
      ? contextRegister(this.#arch, this.#input.state)
      : undefined;
    if (context === undefined) return;
    const address = this.#ownContext(index, context & this.#mask);
    const { readInto } = this.#input;
    this.frames[index].asyncContext = address;
    this.frames[index].asyncParents = asyncParents(this.#arch, address, this.#images, readInto);
  }

  /** The innermost function's own context, where it is found to have that of the function that it waited for,
   * which resumes it: until it has read its own from there. */
  #ownContext(index: number, context: bigint): bigint {
    const { arch, images, readInto, state } = this.#input;
    const passed = index === 0 ? contextRegister(arch, state) : undefined;
    if (passed === undefined || (passed & this.#mask) !== context) return context;
    const awaited = readInto && readContext(arch, context, readInto);
    const { address } = this.frames[0];
    const image = images.imageAt(address);
    if (awaited === undefined || image === null) return context;
    if (awaited.resume !== functionStart(image, address)) return context;
    const executed = this.#plansOf(image)?.codeBetween(awaited.resume, address) ?? null;
    // A function that calls itself is resumed by another context of its own.
    return executed !== null && hasOwnContext(arch, executed) ? context : awaited.parent;
  }

  /** Whether the innermost frame is at its function's first instructions, where no epilogue can be.
   */
  #isAtStart(): boolean {
    const { address } = this.frames[0];
    const image = this.#images.imageAt(address);
    const start = image === null ? undefined : functionStart(image, address);
    return start !== undefined && address - start < shortestFunction;
  }

  /** A line of the log. */
  #describe(index: number, pc: bigint, found: Step | StopReason): string {
    const at = `frame ${index} at 0x${pc.toString(16)} in ${
      this.#images.imageAt(pc)?.name ?? "no image"
    }`;
    if (typeof found === "string") return `${at}: no caller: ${found}`;
    const { foundBy, row, returnAddress } = found;
    return `${at}: returns to 0x${returnAddress.toString(16)}, found by ${foundBy}: ` +
      describeRow(this.#arch, row);
  }

  registersOf(index: number): Registers {
    if (index === 0) return Registers.fromState(this.#arch, this.#input.state);
    const values = new Map<string, bigint>();
    for (const { name, dwarf } of this.#arch.threadState.registers) {
      const value = name === this.#arch.pc.name
        ? this.frames[index].address
        : dwarf === null
        ? undefined
        : this.#shownRegister(index, dwarf);
      if (value !== undefined) values.set(name, value);
    }
    return new Registers(values);
  }

  /** A register's value in a frame; `undefined` when it is lost. */
  #register(index: number, number: number): bigint | undefined {
    let wanted = number;
    for (let at = index; at > 0; at--) {
      const found = this.#inCallee(at, wanted);
      if (typeof found !== "number") return found;
      wanted = found;
    }
    return this.#atFirst(wanted);
  }

  /** As {@linkcode #register}, of a frame that is shown. A register that many functions preserve is followed
   * through each of them once, however many frames are shown. */
  #shownRegister(index: number, number: number): bigint | undefined {
    const passed: number[] = [];
    let value: number | bigint | undefined = number;
    let at = index;
    for (; typeof value === "number"; at--) {
      const known: Map<number, bigint | undefined> = this.#shown[at] ??= new Map();
      if (known.has(value)) {
        value = known.get(value);
        break;
      }
      passed.push(value);
      value = at === 0 ? this.#atFirst(value) : this.#inCallee(at, value, true);
    }
    for (let i = 0; i < passed.length; i++) this.#shown[index - i].set(passed[i], value);
    return value;
  }

  /** Where a frame's register is in the frame that it called: the number of a register there, or its value, or
   * `undefined` when it is lost.
   *
   * @param isShown whether it is not for unwinding but shown: then it is also lost where a function on the
   * way obeys no calling convention with such registers, though it may have it still
   */
  #inCallee(at: number, wanted: number, isShown = false): number | bigint | undefined {
    const { row, sp, fp, foundBy } = this.frames[at];
    const rule = row!.registers.get(wanted);
    if (wanted === this.#spNumber && rule === undefined) return BigInt(sp);
    if (wanted === this.#fpNumber) return fp === lostFrame ? undefined : BigInt(fp);
    const isRead = foundBy === "prologue" || foundBy === "link-register";
    const isCalleeSaved = this.#arch.calleeSaved.has(wanted);
    if (isShown && isCalleeSaved && (isRead || rule === undefined)) {
      if (!this.#hasCalleeSaved(at - 1)) return undefined;
    }
    if (rule === undefined) {
      // A frame record has no register but its own two.
      if (
        foundBy === "frame-pointer" || foundBy === "scan" ||
        !isCalleeSaved && !(at === 1 && this.#isOutlining)
      ) {
        return undefined;
      }
      return this.#isPreserved(at - 1, wanted) ? wanted : undefined;
    }
    if (rule.kind === "register") return rule.register;
    return rule.kind === "same" ? wanted : this.#apply(rule, sp as number, at - 1);
  }

  /** A register's value in the innermost frame. */
  #atFirst(number: number): bigint | undefined {
    const register = registerNumbered(this.#arch, number);
    return register === undefined ? undefined : readRegister(this.#input.state, register);
  }

  /** Whether the function of a frame leaves a callee-saved register as its caller had it, where its row
   * says nothing of the register. */
  #isPreserved(index: number, number: number): boolean {
    return this.#codeOf(index, (plans, inside) => plans.preserves(inside, number));
  }

  /** Whether the function of a frame obeys a calling convention with callee-saved registers. */
  #hasCalleeSaved(index: number): boolean {
    return this.#codeOf(index, (plans, inside) => plans.hasCalleeSaved(inside));
  }

  /** Asks about the function of a frame.
   *
   * @param otherwise what holds where its code cannot be read
   */
  #codeOf(
    index: number,
    ask: (plans: ImagePlans, inside: bigint) => boolean,
    otherwise = true,
  ): boolean {
    const { address, exact } = this.frames[index];
    const inside = exact ? address : address - this.#arch.callBias;
    const plans = this.#plansAt(inside);
    return plans === null ? otherwise : ask(plans, inside);
  }

  /** The value that a rule gives.
   *
   * @param index of the frame that has the rule, not of its caller
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
      pointerSize: this.#arch.pointerSize,
    });
  }

  /** A register of a frame, as unwinding goes on from it. */
  #current(index: number, number: number): bigint | undefined {
    if (number === this.#spNumber) return BigInt(this.frames[index].sp);
    if (number === this.#fpNumber) return BigInt(this.frames[index].fp);
    return this.#register(index, number);
  }

  #pointer(address: number): bigint | undefined {
    const { pointerSize } = this.#arch;
    return address >= 0 && this.#stack.cover(address, pointerSize)
      ? this.#stack.read(address, pointerSize)
      : undefined;
  }

  /** The plans of an image, or of none; `null` when its code cannot be read. */
  #plansOf(image: LoadedImage | null): ImagePlans | null {
    if (image !== this.#lastImage) {
      this.#lastImage = image;
      this.#lastPlans = plansOf(image, this.#arch, this.#images);
    }
    return this.#lastPlans;
  }

  /** The plans of the image at `address`; `null` when none holds it, or its code cannot be read. */
  #plansAt(address: bigint): ImagePlans | null {
    return this.#plansOf(this.#images.imageAt(address));
  }

  /** The step from a frame to its caller, or why there is none. */
  #step(index: number, pc: bigint, caller: CallerState | undefined): Step | StopReason {
    const { exact } = this.frames[index];
    let inside = exact ? pc : pc - this.#arch.callBias;
    const image = this.#images.imageAt(inside);
    const plans = this.#plansOf(image);
    if (index === 0 && plans !== null) inside = plans.nextExecuted(pc, this.#input.state);
    const outlining = index === 1 && !exact ? plans?.callerAt(pc, caller) ?? null : null;
    this.#isOutlining = outlining !== null;
    const plan = outlining ?? (exact ? plans?.innermostAt(inside) : plans?.at(inside));
    const isEntry = exact && image !== null && plan?.row.signalFrame !== true &&
      isFunctionStart(image, pc) && !isInside(this.#arch, plan ?? null) &&
      !(plans?.isJumpedTo(pc) ?? false);
    if (isEntry) {
      const step = this.#follow(index, { ...plan, foundBy: "prologue", row: entryRow(this.#arch) });
      if (step !== undefined) return step;
    }
    if (plan !== undefined && plan !== null) {
      const step = this.#follow(index, plan) ?? this.#followOther(index, plan, inside);
      if (step !== undefined) return step;
    }
    return this.#stepByRecord(index, pc);
  }

  /** Follows the plan by the function's instructions where what the image says makes no sense. */
  #followOther(index: number, { foundBy }: Plan, inside: bigint): Step | undefined {
    if (["prologue", "link-register"].includes(foundBy)) return undefined;
    log.unwind?.(`frame ${index}: ${foundBy} leads nowhere; its instructions are read`);
    const plan = this.#plansAt(inside)?.byInstructions(inside) ?? null;
    return plan === null ? undefined : this.#follow(index, plan);
  }

  /** Follows a plan; `undefined` when no caller can be where it leads. */
  #follow(index: number, { foundBy, row, caller }: Plan): Step | undefined {
    const base = row.cfa.kind === "expression"
      ? this.#evaluate(row.cfa.bytes, index)
      : this.#current(index, row.cfa.register);
    if (base === undefined || base >= addressLimit) return undefined;
    const cfa = Number(base) + (row.cfa.kind === "expression" ? 0 : row.cfa.offset);
    const outside = this.#stack.end !== 0 && cfa > this.#stack.end;
    // Only a function that has pushed nothing, and whose return address is in a register, has its
    // caller's stack pointer.
    const isLeaf = this.#arch.lr !== null && !row.signalFrame &&
      (this.frames[index].exact || this.#isOutlining);
    const rises = cfa > this.#sp || (cfa === this.#sp && isLeaf);
    // A signal handler may run on a stack of its own.
    const leaves = (outside || !rises) && row.signalFrame && this.#stacksLeft > 0;
    if ((outside || !rises) && !leaves) return undefined;

    const rule = row.registers.get(row.returnAddress);
    if (rule?.kind === "undefined") {
      return { foundBy, row, cfa, fp: this.#fp, returnAddress: 0n };
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
    const isLost = fpRule === undefined && !row.signalFrame
      ? this.#codeOf(index, (plans, inside) => plans.losesFramePointer(inside), false)
      : fpRule?.kind === "undefined";
    const isStored = fpRule !== undefined && fpRule.kind !== "same" && !isLost;
    const fp = isStored ? this.#apply(fpRule, cfa, index) : undefined;
    if (isStored && fp === undefined) return undefined;
    if (leaves) {
      this.#stacksLeft--;
      this.#stack.forgetEnd();
    }
    return {
      foundBy,
      row,
      cfa,
      fp: isLost
        ? this.#recordFor(index, returnAddress)
        : fp === undefined
        ? this.#fp
        : frameAddress(fp),
      asyncRecord: isLost
        ? undefined
        : fp === undefined
        ? this.#isMarkedLive(index) ? "register" : undefined
        : isMarked(fp) && fpRule?.kind === "offset"
        ? cfa + fpRule.offset
        : undefined,
      returnAddress,
      ...caller && { caller },
    };
  }

  /** The caller's frame pointer, where the frame pointer points to a record with the return address that
   * was found otherwise: libffi writes one into its caller's frame. */
  #recordFor(index: number, returnAddress: bigint): number | bigint {
    if (this.#checkRecord(index) !== undefined) return lostFrame;
    const at = this.#fp as number;
    const { frameRecord, pointerSize } = this.#arch;
    const stored = this.#stack.read(at + frameRecord.returnAddress, pointerSize) & this.#mask;
    return stored === returnAddress ? frameAddress(this.#stack.read(at, pointerSize)) : lostFrame;
  }

  /** Whether the innermost frame's register still has the caller's frame pointer with the mark. */
  #isMarkedLive(index: number): boolean {
    return index === 0 && this.#arch.pointerSize === 8 &&
      isMarked(readRegister(this.#input.state, this.#arch.fp));
  }

  /** Whether the address is in code, and after a call as far as that can be seen. */
  #isReturnAddress(address: bigint): boolean {
    const image = this.#images.imageAt(address - this.#arch.callBias);
    return image !== null &&
      (this.#plansOf(image)?.isReturnAddress(address) ?? true);
  }

  /** Finds the first word up the stack that a call in an image may return to. */
  #scan(): Step | undefined {
    const { pointerSize } = this.#arch;
    const start = Math.ceil(Number(this.#sp) / pointerSize) * pointerSize;
    for (let at = start; at < start + scanLimit; at += pointerSize) {
      const value = this.#pointer(at);
      if (value === undefined) return undefined;
      const returnAddress = value & this.#mask;
      const plans = this.#plansAt(returnAddress - this.#arch.callBias);
      if (returnAddress === 0n || !(plans?.isReturnAddress(returnAddress) ?? false)) continue;
      // If it is the second word of a frame record, the first is the caller's frame pointer.
      const before = at === start ? undefined : this.#pointer(at - pointerSize);
      const cfa = at + pointerSize;
      const fp = before === undefined ? 0 : frameAddress(before);
      const isRecord = typeof fp === "number" && fp >= cfa && fp < this.#stack.end;
      return {
        foundBy: "scan",
        row: returnRow(this.#arch, cfa - Number(this.#sp)),
        cfa,
        fp: isRecord ? fp : this.#fp,
        returnAddress,
      };
    }
  }

  #stepByRecord(index: number, pc: bigint): Step | StopReason {
    const arch = this.#arch;
    const reason = this.#checkRecord(index);
    const at = this.#fp as number;
    const { pointerSize } = arch;
    const returnAddress = reason === undefined
      ? this.#stack.read(at + arch.frameRecord.returnAddress, pointerSize) & this.#mask
      : 0n;
    if (
      arch.lr !== null && this.frames[index].exact && !(this.#plansAt(pc)?.canRead(pc) ?? false)
    ) {
      const link = (this.#current(index, arch.lr.dwarf!) ?? 0n) & this.#mask;
      if (link !== 0n && keepsLinkRegister(this.#input, pc, link, returnAddress)) {
        return {
          foundBy: "link-register",
          row: entryRow(arch),
          cfa: this.#sp as number,
          fp: this.#fp,
          returnAddress: link,
        };
      }
    }
    if (reason !== undefined) return reason;
    const fp = this.#stack.read(at, pointerSize);
    // Code without frame pointers keeps anything in that register. Two words that are neither a return address
    // in an image nor a way up the stack are no record; of generated code, which is in no image, they are.
    if (returnAddress !== 0n && this.#images.imageAt(returnAddress - arch.callBias) === null) {
      const wrong = this.#checkNext(frameAddress(fp), at);
      if (wrong !== undefined) return wrong;
    }
    return {
      foundBy: "frame-pointer",
      row: recordRow(arch),
      cfa: at + arch.frameRecord.size,
      fp: frameAddress(fp),
      asyncRecord: isMarked(fp) ? at : undefined,
      returnAddress,
    };
  }

  /** Why a record that is at `at` cannot have `fp` as its caller's; `undefined` where it can. */
  #checkNext(fp: number | bigint, at: number): StopReason | undefined {
    if (fp === 0) return undefined;
    if (typeof fp === "bigint") return "outside-stack";
    if (fp <= at) return "not-rising";
    if (fp % this.#arch.pointerSize !== 0) return "misaligned";
    return this.#stack.end !== 0 && fp > this.#stack.end ? "outside-stack" : undefined;
  }

  /** Why there is no record at the frame pointer; `undefined` when there is one. */
  #checkRecord(index: number): StopReason | undefined {
    const fp = this.#fp;
    const { size } = this.#arch.frameRecord;
    if (fp === 0) return "null-record";
    if (typeof fp === "bigint") return "outside-stack";
    if (index > 0 && fp < this.#sp) return "not-rising";
    if (fp % this.#arch.pointerSize !== 0) return "misaligned";
    if (fp < this.#sp || (this.#stack.end !== 0 && fp + size > this.#stack.end)) {
      return "outside-stack";
    }
    return this.#stack.cover(fp, size) ? undefined : "unreadable";
  }
}

/** A stack address as a number, or unchanged when it is beyond any stack. */
function stackAddress(value: bigint): number | bigint {
  return value < addressLimit ? Number(value) : value;
}

/** Whether a stored frame pointer is that of the caller of a Swift async function. */
function isMarked(fp: bigint): boolean {
  return fp >= addressLimit && clearAsyncMark(fp) !== fp;
}

/** A frame pointer, without the mark of Swift's async functions. */
function frameAddress(value: bigint): number | bigint {
  return stackAddress(value < addressLimit ? value : clearAsyncMark(value));
}

function registerNumbered(arch: Arch, number: number): Register | undefined {
  return arch.threadState.registers.find(({ dwarf }) => dwarf === number);
}

const entryRows = new Map<string, UnwindRow>();

/** The row at a function's first instruction, when only the call has been made. */
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

/** Whether a symbol's first instruction is not that of a function but of an epilogue that others jump
 * to, or of a part of a function. */
function isInside(arch: Arch, plan: Plan | null): boolean {
  const { cfa } = entryRow(arch);
  const isRead = plan?.foundBy === "prologue" || plan?.foundBy === "link-register";
  const found = isRead ? plan.row.cfa : cfa;
  return found.kind !== "register" || cfa.kind === "register" &&
      (found.register !== cfa.register || found.offset > cfa.offset);
}

/** The row for a return address on the stack, in the word that ends `size` bytes above the stack
 * pointer. */
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

/** The row of a function that has stored its frame record. */
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

/** Whether the link register holds a caller that no frame record holds: a guess, for code whose
 * instructions cannot be read.
 *
 * It does until the function has stored it: in a leaf function and in a prologue. Once it is
 * stored, the record at the frame pointer has the same address. Once the function has called
 * something, the link register points back into the function itself, unless the callee returned
 * without it, as 32-bit code may. */
function keepsLinkRegister(
  input: UnwindInput,
  pc: bigint,
  link: bigint,
  firstReturn: bigint,
): boolean {
  if (link === firstReturn) return false;
  const call = link - input.arch.callBias;
  const caller = input.images.imageAt(call);
  if (caller === null) return false;
  if (caller !== input.images.imageAt(pc)) return true;
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
