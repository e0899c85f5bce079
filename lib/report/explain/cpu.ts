/** What the CPU says of an exception: by registers, trap numbers and the instruction. */

import { nearAddress, register } from "../fault.ts";
import { imageOf, imageTitle, titleOf } from "../images.ts";
import { instructionBytes } from "../instruction_bytes.ts";
import { checkNumber, foreignCode, isAtBeginning, refusedKind } from "./instruction.ts";
import { isMobile } from "./platform.ts";
import { abortsAfter } from "./stack.ts";
import { type CpuFamily, type KnowledgeRow, known } from "../knowledge/mod.ts";
import { type CrashReport, fieldValue, type ReportFrame, type ReportThread } from "../report.ts";

/** How memory was used. */
export type Access = "read" | "write" | "execute";

/** The instruction set, for rows that are limited to one; by the exception's code or the system where the report does not
 * name it. */
export function cpuOf(report: CrashReport): CpuFamily | undefined {
  const { arch, crashedThread, exception } = report;
  if (arch !== null) return arch.startsWith("arm") ? "arm" : "intel";
  const code = /\bEXC_(ARM|I386)_/.exec(exception?.subtype ?? "")?.[1];
  if (code !== undefined) return code === "ARM" ? "arm" : "intel";
  // Only PowerPC has such a register: the program counter of what an exception interrupted.
  if (register(crashedThread, "srr0") !== null) return "powerpc";
  return isMobile(report) ? "arm" : undefined;
}

/** `ESR_ELx.EC`: a `brk` instruction, and aborts of instructions and of data, from user space and not; Arm Architecture
 * Reference Manual, D24.2.40. */
const breakpointClass = 0x3cn;
/** `ESR_ELx` of an instruction that is undefined: no class, "unknown reason", and that it was one of 32 bits. */
const undefinedInstruction = 0x0200_0000n;
const instructionAborts: readonly bigint[] = [0x20n, 0x21n];
const dataAborts: readonly bigint[] = [0x24n, 0x25n];

/** How the address was used, as far as the CPU says. */
export function accessOf(report: CrashReport): Access | null {
  return registerAccess(report.crashedThread) ?? pageAccess(report);
}

/** The access in a sentence; `null` where it is not known, and for that of the next instruction, which the address says.
 *
 * @param isCopying whether a function made it that copies memory
 */
export function accessWords(access: Access | null, isCopying = false): string | null {
  if (access !== "write" && access !== "read") return null;
  const to = access === "write" ? "to where it was copied or set" : "of what was copied";
  return `It was a ${access}${isCopying ? `, ${to}` : ""}.`;
}

/** By ARM's exception syndrome, or PowerPC's. */
function registerAccess(thread: ReportThread | null): Access | null {
  const esr = register(thread, "esr");
  if (esr === null) {
    // PowerPC's data storage exception; XNU, osfmk/ppc/proc_reg.h.
    const dsisr = register(thread, "dsisr");
    if (dsisr === null || (dsisr & 0x4800_0000n) === 0n) return null;
    return (dsisr & 0x0200_0000n) !== 0n ? "write" : "read";
  }
  const kind = (esr >> 26n) & 0x3fn;
  if (instructionAborts.includes(kind)) return "execute";
  // Data aborts say whether it was a write, but for those of instructions that clean caches, as after code was made.
  if ((esr & 0x100n) !== 0n) return null;
  return dataAborts.includes(kind) ? (esr & 0x40n) !== 0n ? "write" : "read" : null;
}

/** Images whose own checks have the number that elsewhere is that of a failed authentication: WebKit,
 * Source/WTF/wtf/Assertions.h: WTF_FATAL_CRASH_CODE. */
const webKit = /^(?:com\.apple\.)?(?:JavaScriptCore|WebCore|WebKit|WebKitLegacy|WebGPU|bmalloc)$/;

/** What the number of the `brk` instruction tells that the CPU met; `null` where it met none, or its number tells nothing. */
export function trapWords(thread: ReportThread | null): string | null {
  const esr = register(thread, "esr");
  if (esr === null || ((esr >> 26n) & 0x3fn) !== breakpointClass) return null;
  const number = esr & 0xffffn;
  const hex = `0x${number.toString(16)}`;
  const top = thread?.frames[0];
  const image = top === undefined ? null : imageOf(top);
  const row =
    (image !== null && webKit.test(imageTitle(image)) ? known("trap", `${hex} in WebKit`) : null) ??
      known("trap", hex);
  return row === null ? null : `It is brk ${number < 10n ? number : hex}${row.meaning}.`;
}

/** Whether the CPU met another `brk` instruction than the compiler's trap: no check of the code itself need have failed. */
export function isOtherTrap(thread: ReportThread | null): boolean {
  const esr = register(thread, "esr");
  return esr !== null && ((esr >> 26n) & 0x3fn) === breakpointClass && (esr & 0xffffn) !== 1n;
}

/** What the number in an Intel CPU's trap tells: Clang's sanitizer has the same numbers in both CPUs' traps; `null` for other
 * traps. */
export function checkWords(report: CrashReport): string | null {
  const number = report.exception?.type === "EXC_BAD_INSTRUCTION" ? checkNumber(report) : null;
  const row = number === null ? null : known("trap", `0x55${number.toString(16).padStart(2, "0")}`);
  return row === null ? null : `It is ud1 ${number}${row.meaning}.`;
}

/** Whether the trap of a failed check ended a process, by its exception or instruction. */
export function isCheck(report: CrashReport): boolean {
  const { exception, crashedThread } = report;
  if (exception === null) return false;
  if (exception.type === "EXC_BREAKPOINT") return /SIGTRAP/.test(exception.signal ?? "SIGTRAP");
  // Other reporters have the signal only.
  if (exception.type === "SIGTRAP") return true;
  const kind = refusedKind(report);
  return exception.type === "EXC_BAD_INSTRUCTION" &&
    (kind === "trap" || kind === null && isSwift(crashedThread?.frames[0]?.symbol ?? ""));
}

/** Whether a name is one of Swift's functions: `Type.method(label:)`, mangled or not. */
export function isSwift(symbol: string): boolean {
  return /^_?\$s|^_T|\((?:\w+:)*\)$/.test(symbol) && /^[\w$]|^@objc /.test(symbol) &&
    !symbol.includes("::") &&
    (symbol.includes(".") || (symbol.startsWith("_") && !symbol.endsWith("()")));
}

/** What a stack tells on which a signal handler ran, where a copy has no exception. */
export function interruption(first: number, stack: readonly ReportFrame[]): string | null {
  if (first === 0) return null;
  const words = "A signal was handled; the frames after _sigtramp are those that it interrupted.";
  // On Intel CPUs the system's walk often has 0 there, whatever the interrupted instruction was.
  const isLost = stack[first]?.address === 0n && stack[first].symbol === null &&
    stack.length > first + 1;
  return isLost
    ? `${words} The innermost of them is at the address 0: a null function pointer was called, or the system's walk lost the instruction.`
    : words;
}

/** What the registers say of the CPU's exception, where a copy has no more. */
export function pageFault(report: CrashReport): string | null {
  return armFault(report.crashedThread) ?? intelFault(report) ?? nearFault(report);
}

/** By the memory that the report has around an address: it is that of an access that failed. */
export function nearFault(report: CrashReport): string | null {
  const address = nearAddress(report);
  return address === null
    ? null
    : `The report shows the memory near 0x${
      address.toString(16)
    }: it was an access to that address that failed.`;
}

/** By ARM's exception syndrome: `esr: 0x92000007 (Data Abort) byte read Translation fault`. */
function armFault(thread: ReportThread | null): string | null {
  const syndrome = thread?.registers.find(({ name }) => name === "esr");
  if (syndrome === undefined) return null;
  const kind = (syndrome.value >> 26n) & 0x3fn;
  if (kind === breakpointClass) {
    const trap = trapWords(thread);
    return `The CPU met a trap instruction.${trap === null ? "" : ` ${trap}`}`;
  }
  if (syndrome.value === undefinedInstruction) {
    const top = thread?.frames[0];
    const image = top?.image ?? null;
    const isHeader = image !== null && top!.address === image.base && image.size > 0n;
    return `The CPU met an instruction that it does not know${
      isHeader
        ? `: it was sent to the first bytes of ${imageTitle(image)}, which are a header and no code`
        : ""
    }.`;
  }
  const access = accessWords(registerAccess(thread));
  const address = register(thread, "far");
  if (access === null || address === null) return null;
  return syndrome.note === null
    ? `The CPU met a data abort at 0x${address.toString(16)}. ${access}`
    : `The CPU met an exception at 0x${address.toString(16)}: ${syndrome.note}.`;
}

/** How a page was used, by the error code of an Intel CPU's page fault, where its words agree; Intel, Software Developer's
 * Manual, volume 3, "Interrupt 14". */
function pageAccess(report: CrashReport): Access | null {
  const { crashedThread } = report;
  const trap = fieldValue(report, "trap number")?.trim() ??
    register(crashedThread, "trap")?.toString();
  if (trap !== "14") return null;
  // A text has it in hexadecimal, JSON among the registers.
  const error = fieldValue(report, "error code") ?? register(crashedThread, "err")?.toString(16) ??
    "";
  const match =
    /^(?:0x)?([0-9a-f]{1,8})(?: \(.{1,40} user (data read|data write|instruction read)\))?\s*$/
      .exec(error);
  const code = match === null ? 0 : parseInt(match[1], 16);
  // Only the lowest bits are defined; a fault of the process itself has the user's bit.
  if (match === null || code >= 0x20 || (code & 4) === 0) return null;
  const access = (code & 0x10) !== 0 ? "execute" : (code & 2) !== 0 ? "write" : "read";
  return match[2] !== undefined && match[2] !== pageUses[access] ? null : access;
}

/** How an access is called after the error code. */
const pageUses: Readonly<Record<Access, string>> = {
  read: "data read",
  write: "data write",
  execute: "instruction read",
};

/** By what the lines after the registers of an Intel CPU say of a page fault. */
function intelFault(report: CrashReport): string | null {
  const words = /\(([a-z ]{4,80})\)/.exec(fieldValue(report, "error code") ?? "")?.[1];
  const address = register(report.crashedThread, "cr2");
  if (fieldValue(report, "trap number") !== "14" || words === undefined || address === null) {
    return null;
  }
  return `The CPU met a page fault at 0x${address.toString(16)}: ${words}.`;
}

/** An instruction that the CPU does not have: by the bytes at the program counter, where the report has
 * them; under Rosetta it is likely. */
export function untranslated(report: CrashReport): { row: KnowledgeRow; text: string } | null {
  const { exception } = report;
  if (exception?.type !== "EXC_BAD_INSTRUCTION") return null;
  const foreign = foreignCode(report);
  if (foreign !== null) {
    const [image] = [report.crashedThread?.frames[0]].map((frame) =>
      frame === undefined ? null : imageOf(frame)
    );
    const where = image === null ? "" : `, in ${imageTitle(image)}`;
    const start = isAtBeginning(report)
      ? " It is where that code begins: most likely none of the program had run."
      : "";
    return {
      row: known("exception", "EXC_BAD_INSTRUCTION of another CPU")!,
      text: `The instructions there are ${foreign} machine code${where}, which this process${
        foreign === "ARM's" ? ", one of Intel's," : ", one of ARM's,"
      } cannot run.${start}`,
    };
  }
  const translated = isUnderRosetta(report);
  const kind = refusedKind(report);
  if (kind === "avx") {
    const row = known(
      "exception",
      translated ? "EXC_BAD_INSTRUCTION Rosetta AVX" : "EXC_BAD_INSTRUCTION AVX",
    )!;
    return {
      row,
      text: "The instruction is a vector instruction (AVX), which is not supported here.",
    };
  }
  if (kind === "bmi" || kind === "sse") {
    const name = kind === "bmi" ? "BMI" : "such as SSE4";
    return {
      row: known("exception", "EXC_BAD_INSTRUCTION of newer CPUs")!,
      text: `The instruction is one of newer CPUs (${name}), which is not supported here.`,
    };
  }
  if (!translated || kind === "trap") return null;
  const row = known("exception", "EXC_BAD_INSTRUCTION Rosetta")!;
  return { row, text: row.meaning };
}

/** Whether a process of Intel's code ran on Apple silicon. */
export function isUnderRosetta({ codeType, body, crashedThread }: CrashReport): boolean {
  return /Translated/i.test(codeType ?? "") || body?.translated === true ||
    // A copy without the header has its frames.
    (codeType === null && crashedThread?.frames.some(isRosettas) === true);
}

/** Where Rosetta's own code is. */
export const ROSETTA = "/usr/libexec/rosetta/runtime";

/** Whether a frame is of Rosetta's own code. */
export function isRosettas(frame: ReportFrame): boolean {
  return frame.image?.path === ROSETTA || titleOf(frame) === "libRosettaRuntime";
}

/** `mov w0, #0` and all others have a bit here: the architecture keeps it for instructions that are none. */
const UNDEFINED = 0x1_0000n;

/** Whether a program jumped to text: what an ARM CPU refused is no instruction. */
export function jumpedToText(report: CrashReport): boolean {
  return report.exception?.type === "EXC_BAD_INSTRUCTION" && report.arch === "arm64" &&
    textAtCounter(report) !== null;
}

/** What the instruction is that an ARM CPU refused: the second code has it; XNU, osfmk/arm64/sleh.c:
 * handle_uncategorized. */
export function refusedWords(report: CrashReport): string | null {
  const { exception, arch } = report;
  const [kind, instruction] = exception?.codes ?? [];
  if (exception?.type !== "EXC_BAD_INSTRUCTION" || !arch?.startsWith("arm")) return null;
  // A handler aborted after it: the code is not always the CPU's.
  if (abortsAfter(exception)) return null;
  if (kind !== 1n || instruction === undefined || instruction >> 32n !== 0n) return null;
  // LLVM, ARM: the `trap` intrinsic, in both instruction sets; newer kernels make a breakpoint of it.
  if (arch !== "arm64") {
    return instruction === 0xdefen || instruction === 0xe7ff_defen
      ? `The instruction was 0x${
        instruction.toString(16)
      }, the compiler's trap, as of a failed check.`
      : null;
  }
  const hex = `0x${instruction.toString(16).padStart(8, "0")}`;
  const text = textAtCounter(report);
  if (text !== null) {
    return `The instruction was ${hex}, and its bytes and those after it are text ("${text}"): it is data, to which the program jumped.`;
  }
  // Arm Architecture Reference Manual, C4.1.66 "Reserved" and C6.2 "MRS", "MSR (register)".
  if (instruction < UNDEFINED) {
    return instruction === 0n
      ? "The instruction was 0: no code, but zeros."
      : `The instruction was ${hex}: udf, one that is never defined.`;
  }
  const system = instruction & 0xfff0_0000n;
  if (system !== 0xd530_0000n && system !== 0xd510_0000n) return `The instruction was ${hex}.`;
  const bits = (low: bigint, count: bigint): bigint => (instruction >> low) & ((1n << count) - 1n);
  const name = `S${2n + bits(19n, 1n)}_${bits(16n, 3n)}_C${bits(12n, 4n)}_C${bits(8n, 4n)}_${
    bits(5n, 3n)
  }`;
  return system === 0xd530_0000n
    ? `The instruction was ${hex}: mrs, a read of the system register ${name}, which the program may not read.`
    : `The instruction was ${hex}: msr, a write to the system register ${name}, which the program may not write.`;
}

/** Fewest bytes of text at the program counter: code of several instructions is none. */
const MIN_TEXT = 16;

/** What stands at the program counter, by the bytes that the report has of it, if that is text and no code; `null` for
 * others. */
function textAtCounter(report: CrashReport): string | null {
  const bytes = String.fromCharCode(...instructionBytes(report)?.at ?? []);
  if (bytes.length < MIN_TEXT || !/^[\x20-\x7e\0\n\t]+$/.test(bytes)) return null;
  const first = [...bytes.slice(0, 4)].reduceRight(
    (sum, c) => sum << 8n | BigInt(c.charCodeAt(0)),
    0n,
  );
  const word = /^[\x20-\x7e]{3,40}/.exec(bytes)?.[0];
  return word === undefined || first !== report.exception?.codes[1] ? null : word;
}
