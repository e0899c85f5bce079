/** Whose frames are on the backtrace of a kernel panic: those of panicking itself, and what led there. */

import { type KnowledgeRow, knownPanic, ownMessage, panics } from "../knowledge/mod.ts";
import type { CrashReport, ReportFrame } from "../report.ts";
import { headOf } from "../text.ts";
import { sourceOf } from "./panic_words.ts";
import { isNearest } from "../nearest.ts";

/** Panics that a process or the watchdog's driver asked for: their backtrace is that of the asking. XNU,
 * bsd/kern/kern_shutdown.c: panic_kernel; Apple, watchdogd and IOWatchdog. */
const asked = /^(?:userspace (?:watchdog timeout|panic)|watchdog timeout)\b/;

/** What the CPU met, of which the message is the kernel's own. */
const met =
  /^(?:no message$|Kernel trap at|Unresolved kernel trap|Double fault|0x\d{3,4} - |\d{1,2}=)|\b(?:exception|abort|fault)\b/i;

/** The row of a panic: of its words, of the project or file whose source raised it, or for a check that nothing more is known of;
 * `null` for others. */
export function panicRow(report: CrashReport): KnowledgeRow | null {
  const message = report.panic?.message ?? "";
  const row = knownPanic(message);
  if (row !== null || message === "") return row;
  const source = sourceOf(report);
  const place = source === null
    ? null
    : (source.project === null ? null : knownPanic(`Sources/${source.project}`)) ??
      knownPanic(source.place);
  return place ?? (met.test(message) ? null : ownMessage);
}

/** Whether the backtrace of a panic is not that of what failed. */
export function isElsewhere(report: CrashReport): boolean {
  const owner = /lock owner active on CPU (0x[0-9a-f]{1,4}|\d{1,4})\b/i
    .exec(report.panic?.message ?? "")?.[1];
  const cpu = /\bpanic\(cpu (\d{1,4}) caller/.exec(headOf(report.text))?.[1];
  // The CPU that waited for another's lock.
  if (owner !== undefined && cpu !== undefined && Number(owner) !== Number(cpu)) return true;
  return panicRow(report)?.backtrace !== undefined;
}

/** Panics by which somebody restarts a machine that holds its buttons: nothing of the kernel failed. */
const restarts: ReadonlySet<string> = new Set(["btn_rst", "forced reset"]);

/** Whether a panic is that of somebody who restarted the machine by its buttons. */
export function isRestart({ panic }: CrashReport): boolean {
  const row = panic === null ? null : knownPanic(panic.message);
  return row !== null && restarts.has(row.key);
}

/** Whether a panic was asked for, so that its backtrace does not show what failed. */
export function isAskedFor(report: CrashReport): boolean {
  return report.panic !== null && (asked.test(report.panic.message) || isRestart(report));
}

/** Whether a panic's text goes on after its backtrace: the kernel lists the extensions that are in it, before it names the
 * process. XNU, libkern/c++/OSKext.cpp: printKextsInBacktrace. */
export function isWholeBacktrace({ text, panic }: CrashReport): boolean {
  if (panic !== null && panic.extensions.length > 0) return true;
  const begin = Math.max(0, text.indexOf("(cpu "));
  return /(?:^[ \t>]{0,8}|\\n)(?:(?:BSD process|Process) name corresponding|last (?:started|loaded) kext at|loaded kexts:|Mac OS version:)/m
    .test(text.slice(begin, begin + (1 << 15)));
}

/** The address of the instruction that met a fault; `null` where neither the message nor the registers have it. */
function trapAt({ text, panic }: CrashReport): bigint | null {
  const message = panic?.message ?? "";
  const at = /(?:Kernel trap at |\bat pc |(?:Data|Inst) access .{0,40}\bPC=)(0x[0-9a-f]{8,16})/i
    .exec(message)?.[1] ??
    // Kernels of PowerPC, and those of 32 bits, have it beside the other registers.
    (/^0x\d{3} - |kernel trap ?\(cpu \d/i.test(message)
      ? /\b(?:PC=|EIP: )(0x[0-9a-f]{8})\b/i.exec(text.slice(0, 1 << 14))?.[1]
      : undefined);
  return at === undefined ? null : BigInt(at);
}

/** Functions of the kernel that panicking consists of besides, on Intel: XNU, osfmk/kern/debug.c, osfmk/i386. */
const besides =
  /^_?(?:panic_trap|DebuggerTrapWithState|Debugger|handle_debugger_trap|kdp_\w{1,20}|kernel_trap|return_from_trap|trap_from_kernel|hndl_alltraps|lo_alltraps|hndl_double_fault)$/;

function isPanicking(name: string): boolean {
  return panics.test(name) || besides.test(name);
}

/** What ARM's kernel meets a fault by, and the kernel's address sanitizer: XNU, osfmk/arm64/sleh.c, san/memory. */
const trapping =
  /^_?(?:[sf]leh_\w{1,40}|handle_(?:kernel_\w{1,40}|uncategorized|breakpoint|[ps]c?p?_align|abort\w{0,20})|kasan_[\w.]{1,60}|__asan_\w{1,60})$/;

/** Most frames that panicking takes. */
const PANIC_DEPTH = 16;

/** Index of the frame that met the fault or called panic(); 0 where the report does not tell. */
export function panicEnd(report: CrashReport): number {
  const { text, threads } = report;
  const frames = threads[0]?.frames ?? [];
  const at = trapAt(report);
  const places = at === null ? [] : [at];
  for (
    const [, caller] of text.slice(0, 1 << 17).matchAll(
      /\(cpu \d{1,4} caller (0x[0-9a-f]{1,16})\)/gi,
    )
  ) {
    if (places.length < 8) places.push(BigInt(caller));
  }
  for (const place of places) {
    const found = frames.findIndex(({ address }) => address === place);
    if (found >= 0) return found;
  }
  // A hook within it, as of a hackintosh's extensions, is no cause.
  return frames.slice(0, PANIC_DEPTH).findLastIndex(({ symbol }) =>
    symbol !== null && isPanicking(symbol)
  ) + 1;
}

/** The CPU's traps within the kernel, on Intel and ARM: XNU, osfmk/x86_64/idt64.s, osfmk/arm64/sleh.c. */
const traps = /^_?(?:kernel_trap|trap_from_kernel|hndl_alltraps|handle_kernel_abort)$/;

/** Functions of panicking that a trap calls; within them the kernel stops itself by another trap: XNU, osfmk/kern/debug.c. */
const begun = /^_?panic(?:_trap|_with_\w{1,40}|_trap_to_debugger)?$/;

/** Tells that a panic whose message is missing came from a trap of the CPU; `null` for others. */
export function trapWords({ panic, threads }: CrashReport): string | null {
  if (panic?.message !== "") return null;
  const names = (threads[0]?.frames ?? []).slice(0, PANIC_DEPTH).map(({ symbol }) => symbol ?? "");
  const from = names.findLastIndex((name) => begun.test(name));
  // ARM's kernel panics of a trap by a function of its own.
  const isTrap = names.some((name) => /^_?panic_with_thread_kernel_state$/.test(name)) ||
    (from >= 0 && names.slice(from).some((name) => traps.test(name)));
  return isTrap
    ? "The CPU met a trap within the kernel, as by an access to a bad address; the message says which."
    : null;
}

/** From here on the name of a C function may be that of the nearest one: the kernel's static functions have none. */
const MAX_NAMED = 0x300;

/** A message that begins with the function that asked for the panic: `mp_rv_action() entry: …` */
const ownFunction = /^(\w{3,60})\(\):? /;

/** Most functions that are named, beside those by which memory is allocated and freed. */
const MAX_CALLS = 4;
const allocating =
  /^_?(?:zcram|z(?:alloc|free)\w{0,20}|k(?:alloc|free|heap_\w{1,20})\w{0,20}|_?(?:MALLOC|FREE)|(?:in|de)flate(?:End|Init2?_?))$/;

/** Tells the functions that led to a panic, innermost first, where the backtrace names them, or the extension that it was
 * in; `null` for others. */
export function panicWords(report: CrashReport): string | null {
  const path = panicPath(report);
  if (path === null) return null;
  return trapAt(report) !== null || trapWords(report) !== null
    ? `It was in ${path}.`
    : `The panic was raised in ${path}.`;
}

function panicPath(report: CrashReport): string | null {
  const frames = report.threads[0]?.frames ?? [];
  const from = panicEnd(report);
  if (isAskedFor(report)) return null;
  const at = trapAt(report) ?? (from > 0 ? frames[from]?.address : null) ??
    null;
  const owner = at === null
    ? undefined
    : report.images.find(({ base, size }) => at >= base && at < base + size);
  if (owner !== undefined && (from === 0 || frames[from]?.symbol === null)) {
    return `${owner.name} + 0x${(at! - owner.base).toString(16)}`;
  }
  if (from === 0) return null;
  // A part of a function that stands apart has the name of the one before it, which may be one of panicking.
  let begin = from;
  const isOfTrap = (name: string): boolean => isPanicking(name) || trapping.test(name);
  while (begin < frames.length && isOfTrap(frames[begin].symbol ?? "")) begin++;
  const names: string[] = [];
  let calls = 0;
  for (const frame of frames.slice(begin)) {
    const name = calls < MAX_CALLS ? nameOf(frame) : null;
    if (name === null) break;
    const { offset } = frame;
    const isFarther = names.length === 0 && offset !== null && offset > MAX_NAMED &&
      !name.includes("(") && !allocating.test(frame.symbol ?? "");
    names.push(
      isFarther
        ? `${name} + 0x${offset.toString(16)}, or a function behind it that has no name`
        : name,
    );
    // Who asked for memory, or gave it back, says more.
    if (!allocating.test(frame.symbol ?? "")) calls++;
  }
  // The message names another one, so that those names are but near.
  const own = ownFunction.exec(report.panic?.message ?? "")?.[1];
  const isOther = own !== undefined && names.every((name) => !name.startsWith(own));
  return names.length === 0 || isOther
    ? null
    : `${names[0]}${names.length === 1 ? "" : `, called by ${names.slice(1).join(", ")}`}`;
}

/** A function, and the extension that it is in; `null` where the backtrace does not name it. */
function nameOf(frame: ReportFrame): string | null {
  const { symbol, offset, image, imageName } = frame;
  // A return to the first byte of a function is one from what is before it.
  if (symbol === null || offset === null || offset === 0 || isNearest(frame)) return null;
  if (isPanicking(symbol)) return null;
  const owner = image?.name ?? imageName;
  const isKernel = owner === null || /^(?:mach_kernel|kernel|kernelcache)$/.test(owner);
  const name = symbol.replace(/^_/, "");
  return isKernel ? name : `${name} (${owner})`;
}

/** Functions by which a process calls the kernel: XNU, iokit/Kernel/IOUserClient.cpp, osfmk/x86_64/idt64.s,
 * bsd/dev/arm/systemcalls.c; of several on a stack the first says the most. */
const fromUser: readonly (readonly [RegExp, string])[] = [
  [
    /^_{0,2}(?:is_io_connect_(?:async_)?method\w{0,40}|iokit_user_client_trap)$|IOUserClient\w{0,8}(?:::|\d{1,2})externalMethod/,
    "A process's call of a driver, by IOKit's user client,",
  ],
  [/^_?(?:unix_syscall(?:64)?|hndl_unix_scall(?:64)?|handle_svc)$/, "A system call of a process"],
  [
    /^_?(?:mach_call_munger(?:64)?|hndl_mach_scall(?:64)?)$/,
    "A process's call of the kernel (a Mach trap)",
  ],
];

/** Functions by which the kernel is interrupted, or does work of its own. */
const interrupts =
  /^_?(?:hndl_allintrs|lo_allintrs|interrupt|fleh_irq|fleh_fiq|sleh_irq|sleh_fiq|call_continuation)$/;

/** Tells that a call from user space led to a panic, as its backtrace names it; `null` for others. */
export function userCall(report: CrashReport): string | null {
  if (isAskedFor(report)) return null;
  const frames = (report.threads[0]?.frames ?? []).slice(panicEnd(report));
  if (frames.some(({ symbol }) => symbol !== null && interrupts.test(symbol))) return null;
  for (const [functions, words] of fromUser) {
    const frame = frames.find((frame) =>
      frame.symbol !== null && functions.test(frame.symbol) && !isNearest(frame)
    );
    if (frame === undefined) continue;
    const isNamed = (report.panic?.task ?? null) !== null;
    return `${words} led there${isNamed ? "" : "; which process is not in the report"}.`;
  }
  return null;
}
