/** What a report lacks where no function of the program decides. */

import { imageOf, systemByAddresses } from "../images.ts";
import { isJetsam, isLowMemory } from "../jetsam.ts";
import { type CrashReport, fieldValue, type ReportFrame } from "../report.ts";
import type { Deciding, OwnedStack } from "./deciding.ts";
import { delegateCaller, isOfBinding, wordsOf } from "./evidence.ts";
import { isIdleStack } from "./hang.ts";
import { jetsamReason } from "./jetsam.ts";
import { isApples, isInjected, isInterpreter, isSystemProgram } from "./program.ts";
import { isOwnKill } from "./signalled.ts";
import { hasGap, isRecorderFrame, reachesBase } from "./stack.ts";
import {
  type Absent,
  isBlameless,
  isGenerated,
  isLaunching,
  isPackaging,
  isPoolRelease,
  isPrivacy,
  isPrivacyAbort,
  isSentSignal,
  isWithinFork,
  lacksSender,
  onlyWaits,
  usesResource,
} from "./telling.ts";

/** Why nobody is to blame for what a report shows. */
export function whyNone(report: CrashReport, stack: readonly ReportFrame[]): Absent | null {
  if (isPackaging(report)) return "packaging";
  if (isJetsam(report) || isLowMemory(report)) {
    return jetsamReason(report) === "per-process-limit" ? "limit" : "memory";
  }
  if (new Set(report.threads.map(({ process }) => process)).size > 1) return "processes";
  if (isBlameless(report)) return "blameless";
  if (isOwnKill(report)) return "sender";
  if (onlyWaits(report, stack)) return "wait";
  if (isSentSignal(report, stack)) return "sent";
  if (isWithinFork(stack)) return "launch";
  // Of a process that waited, what led to its end is on another thread, which a copy may lack.
  return report.format === "crash" && report.threads.length === 1 && isIdleStack(stack) &&
      report.termination?.namespace !== "SIGNAL" && !usesResource(report) && !isBlameless(report)
    ? "threads"
    : report.stacks.length === 0
    ? "stack"
    : null;
}

/** Why no function of the program decides. */
export function whyAbsent(
  { report, stack, reading }: OwnedStack,
  { deciding, isAddress, lacking }: Deciding,
): Absent | null {
  if (isPrivacy(report) || isPrivacyAbort(stack, reading.first)) return "description";
  if (usesResource(report) && deciding === null) {
    return isSystemProgram(report) ? "part" : "resource";
  }
  if (isPoolRelease(report, stack, reading)) return "pool";
  if (deciding === null && report.exception?.type === "EXC_CRASH" && lacksSender(stack)) {
    return "sender";
  }
  if (isGenerated(stack, reading.first)) return "generated";
  // Who called the reporter has left the copy.
  if (
    deciding === null && isRecording(stack) &&
    (lacking === "outer" || stack.slice(-2).some(isRecorderFrame))
  ) return "recorder";
  if (lacking === "stack" && culpritOf(report) !== null) return "culprit";
  if (
    lacking === "stack" && report.exception !== null && isSystemProgram(report) &&
    !isInterpreter(report) && !isInjected(report)
  ) {
    return "system's";
  }
  if (isAddress) return isSystemProgram(report) ? "system's" : "address";
  if (isOfBinding(stack)) return "bound";
  const words = wordsOf(report).join("\n");
  if (deciding === null && delegateCaller(words, stack) !== null) return "delegate";
  if (lacking !== "thrower" && isLaunching(report, stack)) return "launch";
  if (
    lacking === "images" && reachesBase(stack) && systemByAddresses(report, stack) === "libraries"
  ) return "addresses";
  if (
    lacking === "outer" && (isSystemProgram(report) || isApples(report)) &&
    !stack.some((frame) => imageOf(frame) === null)
  ) return "own";
  if (lacking === null && deciding === null && isSystemProgram(report)) return "part";
  // One of a program of the system's was found.
  if (lacking === "outer" && deciding?.owner === "system") return null;
  return lacking === "outer" && deciding === null && hasGap(stack) ? "gap" : lacking;
}

/** Whether a stack's own code is only that of a crash reporter in the process. */
function isRecording(stack: readonly ReportFrame[]): boolean {
  return stack.some(isRecorderFrame);
}

/** The library that Cr4shed suspects; `null` where it names none. */
export function culpritOf(report: CrashReport): string | null {
  const value = fieldValue(report, "culprit")?.trim() ?? "";
  return /^[\w. +-]{1,100}\.dylib$/.test(value) ? value : null;
}

/** What is lacked where the system's code alone was there. */
export const systemAbsent: ReadonlySet<Absent> = new Set(["part", "launch", "addresses", "passed"]);
