/** What a function that copies or fills memory was passed, and the one that probes a stack, by the registers in which they keep
 * it. */

import { register } from "../fault.ts";
import { isNearest } from "../nearest.ts";
import type { CrashReport, ReportFrame } from "../report.ts";
import { cpuOf } from "./cpu.ts";
import { faultingThread } from "./instruction.ts";
import { innermost } from "./stack.ts";

/** Functions that copy or fill: they write to where they copy to, and read where they copy from. */
const copies =
  /^_{0,2}(?:platform_)?(mem(?:move|cpy|set)(?:_pattern(?:4|8|16))?|bzero)(?:\$VARIANT\$\w{1,20})?$/;

/** Nothing in a process is as large, and what a loop leaves behind zero is less. */
const HUGE = 1n << 40n;
const LEFT = 0x1000n;

function functionName(frame: ReportFrame | undefined): string | null {
  return frame === undefined || frame.symbol === null || isNearest(frame)
    ? null
    : /^_{0,2}(?:platform_)?(\w+)/.exec(copies.exec(frame.symbol)?.[0] ?? "")?.[1] ?? null;
}

/** Whether the innermost function copies or fills memory. */
export function isCopying(report: CrashReport): boolean {
  return functionName(innermost(report.crashedThread)) !== null;
}

/** A length that no copy can have. */
export interface WrongLength {
  readonly register: string;
  readonly value: bigint;
  /** The same as a number with a sign. */
  readonly signed: bigint;
}

/** The length that a copying function was passed, where it is negative or far too large. ARM's functions count it down in the
 * register that it was passed in; those of Intel may use that for what is left, so that only a negative one is
 * believed. XNU, osfmk/arm64/bcopy.s and bzero.s; osfmk/x86_64/bcopy.s. */
export function wrongLength(report: CrashReport): WrongLength | null {
  const thread = faultingThread(report);
  const name = functionName(innermost(thread));
  const cpu = cpuOf(report);
  if (
    name === null || cpu === undefined || cpu === "powerpc" || (cpu === "intel" && name === "bzero")
  ) return null;
  const title = cpu === "arm" ? "x2" : "rdx";
  const value = register(thread, title);
  if (value === null) return null;
  const signed = BigInt.asIntN(64, value);
  const isNegative = signed < -LEFT && (cpu === "arm" || signed > -HUGE);
  return isNegative || (cpu === "arm" && signed > HUGE) ? { register: title, value, signed } : null;
}

/** The same in a sentence. */
export function lengthWords({ register, value, signed }: WrongLength): string {
  const hex = `0x${value.toString(16)}`;
  return signed < 0n
    ? `The length that it was passed was negative: its register (${register}) has ${hex}, which is ${signed}.`
    : `The length that it was passed was far too large: its register (${register}) has ${hex}.`;
}

/** Whether the innermost function is the one that looks whether a function's local variables fit on the stack: libpthread,
 * src/pthread_asm.s. It reads the guard page on purpose where they do not. */
export function isProbing(report: CrashReport): boolean {
  return /^_{0,4}(?:thread_)?chkstk_darwin$/.test(innermost(report.crashedThread)?.symbol ?? "");
}
