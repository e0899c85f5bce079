/** The faulting address of a report, its registers and its VM region information. */

import { subtypeName } from "./codes.ts";
import { textAt } from "./json.ts";
import { type CrashReport, fieldValue, type ReportException, type ReportThread } from "./report.ts";
import { once } from "./remember.ts";
import { headOf } from "./text.ts";

/** Addresses below this are taken for a member of an object at null. */
export const NEAR_NULL = 0x10000n;

/** The faulting address of an EXC_BAD_ACCESS; `null` when there is none. */
export const faultAddress: (report: CrashReport) => bigint | null = once((report) => {
  const { exception } = report;
  if (exception === null) return null;
  if (!isAccess(exception.type) && !isCutFault(exception)) return null;
  if (isSentAgain(report)) return null;
  const subtype = subtypeName(exception, report.arch);
  if (subtype !== null && withoutAddress.has(subtype)) return null;
  // So Intel's kernel passes a general protection fault on; XNU, bsd/dev/i386/unix_signal.c: sendsig.
  if (subtype === "SEGV_NOOP" && /^(?:x86_64|i386)$/.test(report.arch ?? "")) return null;
  const written = /\bat (0x[0-9a-fA-F]{1,16})\b/.exec(exception.subtype ?? "")?.[1];
  if (written !== undefined) return BigInt(written);
  if (exception.codes.length >= 2) return exception.codes[1];
  const reported = /(?:#\d+ at|address:?) (0x[0-9a-fA-F]{1,16})\b/i.exec(exception.message ?? "")
    ?.[1];
  if (reported !== undefined) return BigInt(reported);
  // Of KSCrash's and Sentry's texts in Apple's form.
  const told = report.information.map(garbagePointer).find((pointer) => pointer !== null);
  if (told != null) return told;
  const thread = report.crashedThread;
  return nearAddress(report) ?? register(thread, "far") ?? register(thread, "cr2");
});

/** The pointer that KSCrash names in words; `null` where a text has none. */
export function garbagePointer(text: string): bigint | null {
  const found = /\bdereference garbage pointer (0x[0-9a-fA-F]{1,16})\b/.exec(text)?.[1];
  return found === undefined ? null : BigInt(found);
}

/** The subtype that Swift's own backtrace has on Intel's CPUs for null, and for an address that those do not report. */
export const unsureNull = "at 0x0";

/** Whether a text has such a backtrace. */
export function hasSwiftsNull(text: string): boolean {
  return text.includes("Program crashed: Bad pointer dereference at 0x0");
}

/** The address around which a report shows the memory, which is the exception's where it is not `cr2`'s: 0 has no
 * prefix, and is also there of a general protection fault. */
export function nearAddress({ text }: CrashReport): bigint | null {
  const near = /\bVM Regions Near (0x[0-9a-f]{1,16}):/i.exec(headOf(text))?.[1];
  return near === undefined ? null : BigInt(near);
}

/** Subtypes whose second code is no address that was used: that of a general protection fault is of an earlier fault, or
 * none; the others have the instruction that checked a pointer, and the stack pointer; XNU, osfmk/arm64/sleh.c:
 * handle_pac_fail, handle_sp_align. */
const withoutAddress: ReadonlySet<string> = new Set([
  "EXC_I386_GPFLT",
  "EXC_ARM_PAC_FAIL",
  "EXC_ARM_SP_ALIGN",
]);

/** `kill` and `__pthread_kill`: XNU, bsd/kern/syscalls.master. */
const kills: readonly bigint[] = [37n, 328n];

/** Whether the signal of a fault was sent by a call of the kernel, as by a handler that passes an earlier one on: ARM has the
 * call's number in x16. A crash reporter of the process then has neither the address nor the registers of the access. */
export function isSentAgain({ exception, crashedThread }: CrashReport): boolean {
  const top = crashedThread?.frames[0];
  if (top === undefined || !isFaultSignal(exception?.type ?? null)) {
    return false;
  }
  const name = top.image?.name ?? top.imageName ?? "";
  return name.startsWith("libsystem_kernel.") &&
    kills.includes(register(crashedThread, "x16") ?? 0n);
}

/** Whether a copy begins behind the exception's type, and has the subtype that only bad accesses have. */
export function isCutFault({ type, subtype }: ReportException): boolean {
  return type === null && /^KERN_(?:INVALID_ADDRESS|PROTECTION_FAILURE) at /.test(subtype ?? "");
}

/** Whether an exception's type, or the signal that other crash reporters have in its place, is that of a bad access. */
export function isAccess(type: string | null): boolean {
  return type === "EXC_BAD_ACCESS" || isFaultSignal(type);
}

/** Whether other crash reporters have an exception's signal in place of its type. */
function isFaultSignal(type: string | null): boolean {
  return type === "SIGSEGV" || type === "SIGBUS";
}

/** A register of a thread by name; `null` when it is not in the report. */
export function register(thread: ReportThread | null, ...names: string[]): bigint | null {
  for (const name of names) {
    const found = thread?.registers.find((register) => register.name === name);
    if (found !== undefined) return found.value;
  }
  return null;
}

/** The stack pointer of a thread; `null` when it is not in the report. */
export function stackPointer(thread: ReportThread | null): bigint | null {
  // PowerPC's calling convention has it in r1.
  return register(thread, "sp", "rsp", "esp") ??
    (register(thread, "srr0") === null ? null : register(thread, "r1"));
}

/** Whether the system says that it could not walk the stack of the process. */
export const lacksBacktrace: (report: CrashReport) => boolean = once((
  { body, text, threads },
) =>
  // It stands in place of frames, in texts alone.
  body === null && (threads.length === 0 || threads.some(({ frames }) => frames.length === 0)) &&
  text.includes("Backtrace not available")
);

/** The program counter of a thread; `null` when it is not in the report. */
export function programCounter(thread: ReportThread | null): bigint | null {
  return register(thread, "pc", "rip", "eip", "srr0");
}

/** The text of `VM Region Info`; `null` when the report has none. */
export function regionInfo(report: CrashReport): string | null {
  if (report.body !== null) {
    return textAt(report.body, "vmRegionInfo") ?? textAt(report.body, "vmregioninfo");
  }
  const value = fieldValue(report, "vm region info");
  if (value !== null) return value;
  const section = report.sections.find(({ name }) => /^VM Regions? (?:Info|Near)/i.test(name));
  return section === undefined ? null : section.lines.join("\n");
}
