import { type Arch, type ArchName, armv7, i386, readRegister, x86_64 } from "../arch/mod.ts";
import { CallFrameInfo, inflateSection, type UnwindRow } from "../dwarf/mod.ts";
import { FormatError } from "../errors.ts";
import { Image, type LoadedImage, type Section, SECTION_TYPE } from "../macho/walking.ts";
import type { CodeResolver, Via } from "../target/mod.ts";
import type { AssemblyRow, AssemblyUnwinder } from "./instructions.ts";
import { unwindArm } from "./armv7/arm.ts";
import { unwindArm64 } from "./arm64/instructions.ts";
import { unwindX86 } from "./x86/instructions.ts";
import { isAfterCall } from "./calls.ts";
import { compactRow } from "./compact.ts";
import { isThumb, nextExecuted } from "./armv7/conditions.ts";
import { signalRow, SIGTRAMP } from "./signal.ts";
import { UnwindInfo } from "./unwind_info.ts";

/** How to step from a frame at one address to its caller. */
export interface Plan {
  readonly via: Via;
  readonly row: UnwindRow;
}

interface FrameSection {
  readonly info: CallFrameInfo;
  readonly kind: "eh_frame" | "debug_frame";
}

const unwinders: Readonly<Record<ArchName, AssemblyUnwinder>> = {
  armv7: unwindArm,
  arm64: unwindArm64,
  i386: unwindX86(i386),
  x86_64: unwindX86(x86_64),
};

const cpsr = armv7.threadState.registers.find(({ name }) => name === "cpsr")!;

/** What one image says about its functions' frames, and what was made of it. Nothing is read before
 * it is asked for, and nothing twice: images outlive pauses. */
export class ImagePlans {
  readonly #image: Image;
  readonly #arch: Arch;
  readonly #bodies = new Map<number, Plan | null>();
  readonly #innermost = new Map<number, Plan | null>();
  readonly #instructions = new Map<number, Plan | null>();
  readonly #returns = new Map<number, boolean>();
  #compact: UnwindInfo | null | undefined;
  #cfi: readonly FrameSection[] | undefined;
  #debugSection: CodeResolver["debugSection"];
  /** The `__debug_frame` of the image's dSYM; `null` when there is none. */
  #debugFrame: CallFrameInfo | null | undefined;

  constructor(image: Image, arch: Arch) {
    this.#image = image;
    this.#arch = arch;
  }

  /** Lets plans be made of the image's dSYM, too.
   *
   * @param resolver who finds it; the first that can is asked */
  lookIn(resolver: CodeResolver): void {
    if (this.#debugSection !== undefined || resolver.debugSection === undefined) return;
    this.#debugSection = resolver.debugSection.bind(resolver);
    this.#bodies.clear();
    this.#innermost.clear();
  }

  /** The plan for a caller at `address`, inside its call: what the image says of the function's
   * body, and where that is nothing, what its instructions add up to. `null` for neither. */
  at(address: bigint): Plan | null {
    const offset = Number(address - this.#image.loadAddress);
    let plan = this.#bodies.get(offset);
    if (plan === undefined) {
      plan = this.#find(address, offset) ?? planBy(this.#arch, this.#assembly(address));
      plan = this.#signalPlan(address, plan) ?? plan;
      this.#bodies.set(offset, plan);
    }
    return plan;
  }

  /** The plan for an innermost frame about to execute the instruction at `address`, which can stand
   * in a prologue or an epilogue: there the instructions come first. */
  innermostAt(address: bigint): Plan | null {
    const offset = Number(address - this.#image.loadAddress);
    let plan = this.#innermost.get(offset);
    if (plan === undefined) {
      const assembly = this.#assembly(address);
      plan = (assembly?.place === "body" ? this.#find(address, offset) : null) ??
        planBy(this.#arch, assembly) ?? this.#find(address, offset);
      plan = this.#signalPlan(address, plan) ?? plan;
      this.#innermost.set(offset, plan);
    }
    return plan;
  }

  /** Where the plan for an innermost frame is to be asked for: beyond what will be passed over because
   * its condition fails.
   *
   * @param state of its thread */
  nextExecuted(pc: bigint, state: Uint8Array): bigint {
    if (this.#arch.name !== "armv7") return pc;
    const flags = Number(readRegister(state, cpsr));
    // A state without them would have Thumb code read as ARM code.
    const thumb = this.#image.symbolAt(pc)?.symbol?.thumb ?? false;
    return isThumb(flags) === thumb ? nextExecuted(pc, flags, this.#readCode) : pc;
  }

  /** The plan that the function's instructions make, for where the others fail; `null` where they tell
   * nothing. */
  byInstructions(address: bigint): Plan | null {
    const offset = Number(address - this.#image.loadAddress);
    let plan = this.#instructions.get(offset);
    if (plan === undefined) {
      plan = planBy(this.#arch, this.#assembly(address));
      this.#instructions.set(offset, plan);
    }
    return plan;
  }

  /** The plan for a frame of `_sigtramp`; `null` in other functions. */
  #signalPlan(address: bigint, own: Plan | null): Plan | null {
    const symbol = this.#image.symbolAt(address)?.symbol;
    if (symbol?.name !== SIGTRAMP) return null;
    const before = this.#readCode(symbol.address, Number(address - symbol.address));
    // mov %r8, %rbx
    const isKept = before === null ||
      before.some((byte, at) =>
        byte === 0x4c && before[at + 1] === 0x89 && before[at + 2] === 0xc3
      );
    const row = signalRow(this.#arch, own?.row.cfa ?? null, isKept);
    return row && { via: "cfi", row };
  }

  /** Whether the function at `pc` can be read: then what its instructions do not tell, nothing does. */
  canRead(pc: bigint): boolean {
    return this.#image.symbolAt(pc) !== null && this.#image.read(pc, 2) !== null;
  }

  /** Whether a call returns to `address`: it is in code, after a call. Code that cannot be read may
   * hold one. */
  isReturnAddress(address: bigint): boolean {
    const offset = Number(address - this.#image.loadAddress);
    let answer = this.#returns.get(offset);
    if (answer === undefined) {
      const call = address - this.#arch.callBias;
      const executable = 4;
      const segment = this.#image.segmentAt(call);
      answer = segment !== null && (segment.initialProtection & executable) !== 0 &&
        isAfterCall(
            this.#arch,
            this.#readCode,
            address,
            this.#image.symbolAt(call)?.symbol?.thumb ?? false,
          ) !== false;
      this.#returns.set(offset, answer);
    }
    return answer;
  }

  readonly #readCode = (address: bigint, length: number) => this.#image.read(address, length);

  #assembly(pc: bigint): AssemblyRow | null {
    const match = this.#image.symbolAt(pc);
    const functionStart = match === null ? this.#stubStart(pc) : pc - BigInt(match.offset);
    if (functionStart === null) return null;
    const symbol = match?.symbol ?? null;
    return unwinders[this.#arch.name]({
      functionStart,
      functionEnd: symbol === null ? null : symbol.address + BigInt(symbol.size),
      pc,
      thumb: symbol?.thumb ?? false,
      readCode: this.#readCode,
    });
  }

  /** Where to begin to read a stub or a stub helper, which have no symbols; `null` for what is neither.
   * x86's use the stack, and are read from their section's start; ARM's do not, so any of their
   * instructions will do. */
  #stubStart(pc: bigint): bigint | null {
    const section = this.#image.sectionAt(pc);
    const isStub = section?.type === SECTION_TYPE.S_SYMBOL_STUBS ||
      section?.name === "__stub_helper";
    if (!isStub) return null;
    return this.#arch.lr === null ? section.address : pc;
  }

  #find(address: bigint, offset: number): Plan | null {
    const entry = this.#unwindInfo()?.encodingAt(offset) ?? null;
    let fde: number | undefined;
    if (entry !== null && entry.encoding !== 0) {
      const row = compactRow(this.#arch, entry.encoding, {
        functionStart: entry.functionStart,
        readCode: (at, length) => this.#readCode(this.#image.loadAddress + BigInt(at), length),
      });
      if (row !== null && !("dwarf" in row)) return { via: "compact-unwind", row };
      fde = row?.dwarf || undefined;
    }
    for (const { info, kind } of this.#callFrameInfo()) {
      const row = info.rowAt(address, kind === "eh_frame" ? fde : undefined);
      if (row === null) continue;
      return { via: "cfi", row };
    }
    const row = this.#debugFrameInfo()?.rowAt(address) ?? null;
    return row && { via: "cfi", row };
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
    if (this.#debugFrame === undefined && this.#debugSection !== undefined) {
      const section = this.#debugSection(this.#image, "__debug_frame");
      this.#debugFrame = section && this.#parse(section.bytes, section.address, "debug_frame");
    }
    return this.#debugFrame ?? null;
  }

  #parse(bytes: Uint8Array, address: bigint, kind: FrameSection["kind"]): CallFrameInfo {
    return CallFrameInfo.parse(bytes, {
      address,
      slide: this.#image.slide,
      pointerSize: this.#arch.pointerSize,
      kind,
      // In __eh_frame alone Darwin numbers the two the other way round.
      swapEspEbp: this.#arch.name === "i386" && kind === "eh_frame",
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

function planBy({ lr }: Arch, assembly: AssemblyRow | null): Plan | null {
  if (assembly === null) return null;
  const { row } = assembly;
  const rule = row.registers.get(row.returnAddress);
  const inLink = lr !== null && row.returnAddress === lr.dwarf &&
    (rule === undefined || rule.kind === "same");
  return { via: inLink ? "link-register" : "prologue", row };
}

const plansByImage = new WeakMap<LoadedImage, ImagePlans>();

/** The plans of an image; `null` for one that is no Mach-O image.
 *
 * @param resolver who can find the image's dSYM */
export function plansOf(
  image: LoadedImage | null,
  arch: Arch,
  resolver: CodeResolver,
): ImagePlans | null {
  if (!(image instanceof Image)) return null;
  let plans = plansByImage.get(image);
  if (plans === undefined) {
    plans = new ImagePlans(image, arch);
    plansByImage.set(image, plans);
  }
  plans.lookIn(resolver);
  return plans;
}
