/** What one image says about its functions' frames. */

import type { Arch } from "../arch/mod.ts";
import { CallFrameInfo, inflateSection, openFrameTable, type UnwindRow } from "../dwarf/mod.ts";
import { FormatError } from "../errors.ts";
import { log } from "../log.ts";
import { ElfImage } from "../elf/mod.ts";
import {
  type CodeImage,
  Image,
  type LoadedImage,
  type Section,
  SECTION_TYPE,
  type SymbolMatch,
} from "../macho/walking.ts";
import type { FoundBy, UnwindImages } from "./frame.ts";
import type {
  CallerState,
  FunctionCode,
  FunctionRows,
  InstructionRow,
  InstructionSet,
} from "./instruction_set.ts";
import { findRun, isHaskell } from "./haskell.ts";
import { type Extent, InnerLabels } from "./inner_labels.ts";
import { instructionSets } from "./instruction_sets.ts";
import { signalRow, SIGTRAMP } from "./signal.ts";
import { UnwindInfo } from "./unwind_info.ts";

/** How to get from a frame at one address to its caller. */
export interface Plan {
  /** How the caller is found. */
  readonly foundBy: FoundBy;
  readonly row: UnwindRow;
  /** Where the caller's own frame is looked up; left out where it is that of its body. */
  readonly caller?: CallerState;
}

interface FrameSection {
  readonly info: CallFrameInfo;
  readonly kind: "eh_frame" | "debug_frame";
}

/** The section with the table of Go's functions, in Darwin's images and in ELF's. */
const GO_TABLE = /^(__|\.data\.rel\.ro\.|\.)gopclntab$/;

const nothing: ReadonlySet<number> = new Set();

/** Length of a direct call, in bytes, where there is a link register. */
const CALL_LENGTH = 4n;

/** The plans of one image, each made at its first use and kept: images outlive pauses. */
export class ImagePlans {
  readonly #image: CodeImage;
  readonly #arch: Arch;
  readonly #instructionSet: InstructionSet;
  readonly #bodies = new Map<number, Plan | null>();
  readonly #innermost = new Map<number, Plan | null>();
  readonly #analyzed = new Map<number, Plan | null>();
  readonly #returns = new Map<number, boolean>();
  readonly #calling = new Map<number, Plan | null>();
  /** By the offsets of functions. */
  readonly #overwritten = new Map<number, ReadonlySet<number>>();
  /** Whether it is a Go program. Go's functions preserve no registers. */
  #isGo: boolean | undefined;
  #compact: UnwindInfo | null | undefined;
  #cfi: readonly FrameSection[] | undefined;
  /** The `__debug_frame` of the image's dSYM; `null` when none was found. */
  #debugFrame: CallFrameInfo | null | undefined;
  #labels: InnerLabels | null | undefined;
  #exceptionIndex: FunctionRows | null | undefined;
  #debugImages: UnwindImages | undefined;
  /** GHC's `StgRun()`, at its jump; `null` where the image has none. */
  #haskellRun: FunctionCode | null | undefined;
  /** The generation of the debug information in which {@linkcode #debugFrame} was looked for. */
  #debugGeneration = -1;

  constructor(image: CodeImage, arch: Arch) {
    this.#image = image;
    this.#arch = arch;
    this.#instructionSet = instructionSets[arch.name];
  }

  /** Uses the image's dSYM too, and looks for it again when there may be more than before. The
   * plans that were made without it are dropped. */
  lookIn(images: UnwindImages): void {
    const { debugGeneration = 0 } = images;
    if (images.debugSection === undefined || debugGeneration <= this.#debugGeneration) return;
    this.#debugGeneration = debugGeneration;
    if (this.#debugFrame != null) return;
    this.#debugImages = images;
    this.#debugFrame = undefined;
    this.#bodies.clear();
    this.#innermost.clear();
  }

  /** The plan for a caller at `address`, inside its call: by the image's unwind information for the
   * function, or without any by its instructions; `null` when neither helps. */
  at(address: bigint): Plan | null {
    const offset = Number(address - this.#image.loadAddress);
    let plan = this.#bodies.get(offset);
    if (plan === undefined) {
      plan = this.#find(address, offset) ?? planBy(this.#arch, this.#analyze(address));
      plan = this.#signalPlan(address, plan) ?? plan;
      this.#bodies.set(offset, plan);
    }
    return plan;
  }

  /** The plan for an innermost frame that is about to execute the instruction at `address`. In a
   * prologue and an epilogue, where unwind information may be wrong, the instructions come first.
   */
  innermostAt(address: bigint): Plan | null {
    const offset = Number(address - this.#image.loadAddress);
    let plan = this.#innermost.get(offset);
    if (plan === undefined) {
      const found = this.#find(address, offset);
      // Compilers for Linux describe every instruction, as its ABIs demand; those for Darwin do not.
      const isExact = found?.foundBy === "cfi" && this.#image instanceof ElfImage;
      const analyzed = isExact ? null : this.#analyze(address);
      const isFound = found !== null && (analyzed === null || analyzed.agrees(found.row));
      plan = isFound ? inLinkRegister(this.#arch, found) : planBy(this.#arch, analyzed);
      if (isFound && analyzed?.caller !== undefined) plan = { ...plan!, caller: analyzed.caller };
      plan = this.#signalPlan(address, plan) ?? plan;
      this.#innermost.set(offset, plan);
    }
    return plan;
  }

  /** The plan for the caller of an innermost frame that is in a part of the caller that was outlined;
   * `null` for other callers. Unwind information says nothing of what such a part does.
   *
   * @param state where the caller's frame is looked up, if the callee says that
   */
  callerAt(returnAddress: bigint, state: CallerState | undefined): Plan | null {
    if (state === "return") return this.innermostAt(returnAddress);
    const offset = Number(returnAddress - this.#image.loadAddress);
    const { restoresLink } = this.#instructionSet;
    const restores = state !== "call" && restoresLink !== undefined &&
      restoresLink(this.#readCode, returnAddress, this.#image.isThumb(returnAddress) ?? false);
    if (state !== "call" && !restores) return null;
    if (state === "either") return this.innermostAt(returnAddress);
    let plan = this.#calling.get(offset);
    if (plan === undefined) {
      plan = planBy(this.#arch, this.#analyze(returnAddress - CALL_LENGTH, true));
      this.#calling.set(offset, plan);
    }
    return plan;
  }

  /** The address at which to look up the plan for an innermost frame: after the instructions that
   * will be skipped because their condition fails.
   *
   * @param state of its thread
   */
  nextExecuted(pc: bigint, state: Uint8Array): bigint {
    const { nextExecuted } = this.#instructionSet;
    if (nextExecuted === undefined) return pc;
    const thumb = this.#image.isThumb(pc) ?? false;
    return nextExecuted(pc, state, thumb, this.#readCode);
  }

  /** The plan by the function's instructions alone, for where the others fail; `null` when they
   * make no sense. */
  byInstructions(address: bigint): Plan | null {
    const offset = Number(address - this.#image.loadAddress);
    let plan = this.#analyzed.get(offset);
    if (plan === undefined) {
      plan = planBy(this.#arch, this.#analyze(address));
      this.#analyzed.set(offset, plan);
    }
    return plan;
  }

  /** The plan for a frame of `_sigtramp`; `null` in other functions.
   *
   * @param own for the frame of `_sigtramp` itself
   */
  #signalPlan(address: bigint, own: Plan | null): Plan | null {
    const symbol = this.#image.symbolAt(address)?.symbol;
    if (symbol?.name !== SIGTRAMP) return null;
    const executed = this.#readCode(symbol.address, Number(address - symbol.address));
    const context = this.#instructionSet.signalContext(own?.row.cfa ?? null, executed);
    return context && { foundBy: "signal", row: signalRow(this.#arch, context) };
  }

  /** Whether the instructions of the function at `pc` can be read. Then the link register needs no
   * guess. */
  canRead(pc: bigint): boolean {
    return this.#image.symbolAt(pc) !== null && this.#image.read(pc, 2) !== null;
  }

  /** The code from one address up to another; `null` where it cannot all be read. */
  codeBetween(start: bigint, end: bigint): Uint8Array | null {
    return this.#readCode(start, Number(end - start));
  }

  /** Whether a call may return to `address`: it is in code, and after a call as far as the code can
   * be read. */
  isReturnAddress(address: bigint): boolean {
    const offset = Number(address - this.#image.loadAddress);
    let answer = this.#returns.get(offset);
    if (answer === undefined) {
      const call = address - this.#arch.callBias;
      const executable = 4;
      const segment = this.#image.segmentAt(call);
      const thumb = this.#image.isThumb(call);
      // Where nothing tells which code it is, it may be either.
      answer = segment !== null && (segment.initialProtection & executable) !== 0 &&
          (thumb === null ? [false, true] : [thumb]).some((thumb) =>
            this.#instructionSet.isAfterCall(this.#readCode, address, thumb) !== false
          ) || this.isHandlersReturn(address);
      this.#returns.set(offset, answer);
    }
    return answer;
  }

  /** Whether `address` is the first instruction of what a signal's handler returns to on Linux, as `__restore_rt`.
   * Nothing called the handler there: the kernel put the address on the stack. Its call-frame information begins
   * a byte before it, for those that look up what is before a return address. */
  isHandlersReturn(address: bigint): boolean {
    const call = address - this.#arch.callBias;
    return this.#find(call, Number(call - this.#image.loadAddress))?.row.signalFrame === true &&
      [false, true].every((thumb) =>
        this.#instructionSet.isAfterCall(this.#readCode, address, thumb) === false
      );
  }

  /** Whether the function at `address` leaves a callee-saved register as its caller had it, where the
   * function's row says nothing of the register.
   *
   * @param register its DWARF number
   */
  preserves(address: bigint, register: number): boolean {
    return !this.#overwrittenAt(address).has(register) && !this.#isSpilled(address, register);
  }

  /** Whether a register that Swift passes values in is in a slot that unwind information does not tell of:
   * one that the function need not preserve, keeps there, and uses for other things. */
  #isSpilled(address: bigint, register: number): boolean {
    if (!this.#instructionSet.swiftRegisters.has(register)) return false;
    return this.byInstructions(address)?.row.registers.get(register)?.kind === "offset";
  }

  /** Whether the function at `address` obeys a calling convention with callee-saved registers. What obeys
   * none is known by one that it overwrites without having saved it, other than those in which Swift passes
   * values; or by both of its neighbours, for what leaves them alone may call what does not. */
  hasCalleeSaved(address: bigint): boolean {
    this.#isGo ??= this.#image.segments.some(({ sections }) =>
      sections.some(({ name }) => GO_TABLE.test(name))
    );
    if (this.#isGo || !this.#savesRegisters(address)) return false;
    const match = this.#image.symbolAt(address);
    if (match === null) return true;
    const { start, end } = this.#functionAt(address, match);
    return end === null || this.#savesRegisters(start - 1n) || this.#savesRegisters(end);
  }

  /** Whether the function at `address` overwrites no callee-saved register but those. */
  #savesRegisters(address: bigint): boolean {
    const { swiftRegisters } = this.#instructionSet;
    return [...this.#overwrittenAt(address)].every((register) =>
      swiftRegisters.has(register) || register === this.#arch.fp.dwarf
    );
  }

  /** Whether the caller's frame pointer is lost in the function at `address`, whose row says nothing of it:
   * it obeys no calling convention with callee-saved registers, and overwrites this one. What unwind
   * information describes keeps it. */
  losesFramePointer(address: bigint): boolean {
    return !this.#isDescribed(address) && !this.preserves(address, this.#arch.fp.dwarf!) &&
      !this.hasCalleeSaved(address);
  }

  #overwrittenAt(address: bigint): ReadonlySet<number> {
    const match = this.#image.symbolAt(address);
    if (match === null || this.#analyzeStub(address) !== null) return nothing;
    const bounds = this.#functionAt(address, match);
    const start = Number(bounds.start - this.#image.loadAddress);
    let overwritten = this.#overwritten.get(start);
    if (overwritten === undefined) {
      const whole = this.#innerLabels()?.functionOf(bounds) ?? bounds;
      overwritten = this.#instructionSet.overwritten(this.#codeOf(whole, address));
      this.#overwritten.set(start, overwritten);
    }
    return overwritten;
  }

  readonly #readCode = (address: bigint, length: number) => this.#image.read(address, length);

  #analyze(pc: bigint, isCalling = false): InstructionRow | null {
    const match = this.#image.symbolAt(pc);
    // Stubs have no symbols, but ld64 gives all of `__stub_helper` one: ` stub helpers`.
    const stub = this.#analyzeStub(pc);
    if (match === null || stub !== null) return stub;
    const bounds = this.#functionAt(pc, match);
    const jumpedFrom = this.#jumpedFrom(bounds);
    if (jumpedFrom === "unknown") return null;
    if (jumpedFrom !== null) {
      return this.#instructionSet.analyze({ ...this.#codeOf(bounds, pc), jumpedFrom });
    }
    const analyze = (extent: Extent) =>
      this.#instructionSet.analyze({ ...this.#codeOf(extent, pc), isCalling });
    const own = analyze(bounds);
    const whole = this.#innerLabels()?.functionOf(bounds) ?? bounds;
    // Outlined parts of several functions are jumped to as well.
    if (whole.start === bounds.start && whole.end === bounds.end || own?.caller) return own;
    const found = analyze(whole);
    return found === null || found.isGuess && own?.isGuess === false ? own : found;
  }

  #codeOf({ start, end }: Extent, pc: bigint): FunctionCode {
    return {
      functionStart: start,
      functionEnd: end,
      pc,
      thumb: this.#image.isThumb(pc) ?? false,
      readCode: this.#readCode,
    };
  }

  /** Whether the function at `address` is jumped to and never called, so that it returns nowhere: made of
   * Haskell by GHC. */
  isJumpedTo(address: bigint): boolean {
    const match = this.#image.symbolAt(address);
    return match !== null && this.#jumpedFrom(this.#functionAt(address, match)) !== null;
  }

  /** The function whose frame another one runs in, at its jump, or `"unknown"`; `null` for what is called: all
   * but the code that GHC makes of Haskell. */
  #jumpedFrom(bounds: Extent): FunctionCode | "unknown" | null {
    const { haskell } = this.#instructionSet;
    const section = haskell === undefined ? null : this.#image.sectionAt(bounds.start);
    if (section === null || this.#isDescribed(bounds.start)) return null;
    const start = section.address;
    const range = { start, end: start + BigInt(section.size), read: this.#readCode };
    const run = (): FunctionCode | null => {
      if (this.#haskellRun === undefined) {
        const pc = findRun(haskell!, range);
        const match = pc === null ? null : this.#image.symbolAt(pc);
        this.#haskellRun = match && this.#codeOf(this.#functionAt(pc!, match), pc!);
      }
      return this.#haskellRun;
    };
    return isHaskell(haskell!, bounds, range, () => run() !== null) ? run() ?? "unknown" : null;
  }

  /** The labels of an image in Darwin's format; in ELF's, symbols tell what they are. An image without
   * unwind information says nothing of where assembly is, unless that is seen by the kind of its code. */
  #innerLabels(): InnerLabels | null {
    if (this.#labels === undefined) {
      const { exits, beginsFunction } = this.#instructionSet;
      const isDescribed = this.#unwindInfo() !== null || this.#callFrameInfo().length > 0;
      const isAsked = isDescribed || beginsFunction !== undefined;
      this.#labels = isAsked && this.#image instanceof Image
        ? new InnerLabels(
          this.#image,
          { exits, beginsFunction },
          (address) => this.#isDescribed(address),
        )
        : null;
    }
    return this.#labels;
  }

  #isDescribed(address: bigint): boolean {
    const { loadAddress } = this.#image;
    const entry = this.#unwindInfo()?.encodingAt(Number(address - loadAddress)) ?? null;
    return entry !== null && entry.encoding !== 0 ||
      this.#callFrameInfo().some(({ info }) => info.rangeAt(address, loadAddress) !== null);
  }

  /** The bounds of the function at `pc`. In an image without function starts, a symbol may be that
   * of a function before, whose neighbour's symbol was stripped; unwind information shows both. */
  #functionAt(pc: bigint, { offset, size }: SymbolMatch): Extent {
    const place = Number(pc - this.#image.loadAddress);
    let start = place - offset;
    let end = size === null ? Infinity : start + size;
    const { loadAddress, hasFunctionStarts } = this.#image;
    if (!hasFunctionStarts) {
      const entry = this.#unwindInfo()?.encodingAt(place) ?? null;
      const ranges = [
        entry && { start: entry.functionStart, end: entry.functionEnd },
        ...this.#callFrameInfo().map(({ info }) => info.rangeAt(pc, loadAddress)),
      ];
      for (const range of ranges) {
        if (range === null) continue;
        start = Math.max(start, range.start);
        end = Math.min(end, range.end);
      }
    }
    return {
      start: loadAddress + BigInt(start),
      end: end === Infinity ? null : loadAddress + BigInt(end),
    };
  }

  /** The analysis of a stub or a stub helper; `null` for other code. */
  #analyzeStub(pc: bigint): InstructionRow | null {
    const section = this.#image.sectionAt(pc);
    const isHelper = section?.name === "__stub_helper";
    if (section?.type !== SECTION_TYPE.S_SYMBOL_STUBS && !isHelper) return null;
    const row = this.#instructionSet.stubRow(this.#readCode, pc, isHelper);
    return row && { row, isGuess: false, agrees: () => false };
  }

  #find(address: bigint, offset: number): Plan | null {
    const entry = this.#unwindInfo()?.encodingAt(offset) ?? null;
    let fde: number | undefined;
    if (entry !== null && entry.encoding !== 0) {
      const row = this.#instructionSet.compactRow(entry.encoding, {
        functionStart: entry.functionStart,
        readCode: (at, length) => this.#readCode(this.#image.loadAddress + BigInt(at), length),
      });
      if (row !== null && !("dwarf" in row)) return { foundBy: "compact-unwind", row };
      fde = row?.dwarf || undefined;
    }
    for (const { info, kind } of this.#callFrameInfo()) {
      const row = info.rowAt(address, kind === "eh_frame" ? fde : undefined);
      if (row === null) continue;
      return { foundBy: "cfi", row };
    }
    const row = this.#debugFrameInfo()?.rowAt(address) ?? null;
    if (row !== null) return { foundBy: "cfi", row };
    const atCall = this.#exceptions()?.rowAt(offset) ?? null;
    return atCall && { foundBy: "exception-index", row: atCall };
  }

  #exceptions(): FunctionRows | null {
    if (this.#exceptionIndex === undefined) {
      const { openExceptionIndex } = this.#instructionSet;
      const contents = openExceptionIndex && this.#contents("__TEXT", "__ARM.exidx");
      const { loadAddress } = this.#image;
      this.#exceptionIndex = contents
        ? openExceptionIndex!(
          contents.bytes,
          Number(contents.section.address - loadAddress),
          (at, length) => this.#readCode(loadAddress + BigInt(at), length),
        )
        : null;
    }
    return this.#exceptionIndex;
  }

  #contents(segmentName: string, name: string): { section: Section; bytes: Uint8Array } | null {
    for (const { sections } of this.#image.segments) {
      const section = sections.find((s) => s.segmentName === segmentName && s.name === name);
      if (section === undefined) continue;
      const bytes = this.#image.read(section.address, section.size);
      if (bytes !== null) return { section, bytes };
    }
    return null;
  }

  #unwindInfo(): UnwindInfo | null {
    if (this.#compact === undefined) {
      const section = this.#contents("__TEXT", "__unwind_info");
      this.#compact = section === null ? null : UnwindInfo.parse(section.bytes, this.#warn);
    }
    return this.#compact;
  }

  #callFrameInfo(): readonly FrameSection[] {
    if (this.#cfi === undefined) {
      const found: FrameSection[] = [];
      for (
        const [segmentName, name, kind] of [
          ["__TEXT", "__eh_frame", "eh_frame"],
          ["__DWARF", "__debug_frame", "debug_frame"],
          ["__DWARF", "__zdebug_frame", "debug_frame"],
        ] as const
      ) {
        const contents = this.#contents(segmentName, name);
        if (contents === null) continue;
        const bytes = name === "__zdebug_frame" ? this.#inflate(contents.bytes) : contents.bytes;
        if (bytes === null) continue;
        found.push({ info: this.#parse(bytes, contents.section.address, kind), kind });
      }
      this.#cfi = found;
    }
    return this.#cfi;
  }

  #debugFrameInfo(): CallFrameInfo | null {
    if (this.#debugFrame === undefined) {
      const section = this.#debugImages?.debugSection?.(this.#image, "__debug_frame") ?? null;
      this.#debugFrame = section && this.#parse(section.bytes, section.address, "debug_frame");
      log.unwind?.(
        `${this.#image.path}: ${section === null ? "no" : `${section.bytes.length} bytes of`} ` +
          "__debug_frame in its debug information",
      );
    }
    return this.#debugFrame;
  }

  #parse(bytes: Uint8Array, address: bigint, kind: FrameSection["kind"]): CallFrameInfo {
    const header = kind === "eh_frame" ? this.#contents("__TEXT", "__eh_frame_hdr") : null;
    const table = header &&
      openFrameTable(header.bytes, Number(header.section.address - address));
    return CallFrameInfo.parse(bytes, {
      address,
      slide: this.#image.slide,
      pointerSize: this.#arch.pointerSize,
      kind,
      ...table === null ? {} : { table },
      // Only Darwin has them swapped.
      swapEspEbp: this.#instructionSet.swapEspEbp === true && kind === "eh_frame" &&
        this.#image instanceof Image,
      warn: this.#warn,
    });
  }

  #inflate(bytes: Uint8Array): Uint8Array | null {
    try {
      return inflateSection(bytes, "__zdebug_frame");
    } catch (error) {
      if (!(error instanceof FormatError)) throw error;
      this.#warn(error.message);
      return null;
    }
  }

  readonly #warn = (text: string): void => {
    const { warnings } = this.#image;
    if (!warnings.includes(text)) warnings.push(text);
  };
}

/** The plan by what instruction analysis found; `null` when that is nothing. */
function planBy(arch: Arch, analyzed: InstructionRow | null): Plan | null {
  if (analyzed === null) return null;
  const { row, caller } = analyzed;
  return inLinkRegister(arch, { foundBy: "prologue", row, ...caller && { caller } });
}

/** The plan, named after the link register where the return address is still in it. */
function inLinkRegister({ lr }: Arch, plan: Plan): Plan {
  const { row } = plan;
  const rule = row.registers.get(row.returnAddress);
  const isInLink = lr !== null && row.returnAddress === lr.dwarf &&
    (rule === undefined || rule.kind === "same");
  return isInLink ? { ...plan, foundBy: "link-register" } : plan;
}

const plansByImage = new WeakMap<LoadedImage, ImagePlans>();

/** The plans of an image; `null` for one whose code cannot be read.
 *
 * @param images may have the image's debug information
 */
export function plansOf(
  image: LoadedImage | null,
  arch: Arch,
  images: UnwindImages,
): ImagePlans | null {
  const isCode = image instanceof Image || (image instanceof ElfImage && image.isReadable);
  if (!isCode) return null;
  let plans = plansByImage.get(image);
  if (plans === undefined) {
    plans = new ImagePlans(image, arch);
    plansByImage.set(image, plans);
  }
  plans.lookIn(images);
  return plans;
}
