/** Which stack of a report tells what happened, if any does. */

import { known, knownTermination } from "../knowledge/mod.ts";
import type { CrashReport, ReportFrame } from "../report.ts";
import { activityOf, isIdleStack, mainThread } from "./hang.ts";
import { eventOf, isJetsam } from "./kinds.ts";

/** The stack that tells what happened; that of a hang or sample is the main thread's busiest. */
export function tellingStack(report: CrashReport): readonly ReportFrame[] {
  if (isSampled(report)) {
    const thread = mainThread(report);
    return thread === null ? [] : activityOf(thread).busiest;
  }
  return lacksCrashed(report) ? [] : report.decidingStack;
}

/** Whether a report names a crashed thread that its copy does not have. */
export function lacksCrashed(report: CrashReport): boolean {
  if (report.crashedThread !== null || (report.lastException?.length ?? 0) > 0) return false;
  return report.fields.some(({ name, value }) =>
    /^(?:Triggered by Thread|Crashed Thread)$/i.test(name) && /^\d/.test(value)
  );
}

/** Whether a report has samples of a process that went on. */
function isSampled(report: CrashReport): boolean {
  return report.format === "sample" || report.format === "spindump" || eventOf(report) !== null;
}

/** Whether a report's stacks show no cause: those of panics, of processes ended for memory or heat, and of
 * threads that had nothing to do. */
export function decidesNothing(report: CrashReport, stack: readonly ReportFrame[]): boolean {
  if (isJetsam(report)) return true;
  if (report.bugType !== null && known("report", report.bugType) !== null) return true;
  const { termination, exception } = report;
  const namespace = termination?.namespace ?? null;
  if (namespace?.toUpperCase() === "JETSAM") return true;
  const codes = [...exception?.codes ?? [], ...termination?.code == null ? [] : [termination.code]];
  for (const code of codes) {
    const row = code > 0xffffn ? knownTermination(null, code) : null;
    if (row !== null && blameless.test(row.key)) return true;
  }
  if (eventOf(report) === "sleep wake failure" || (isSampled(report) && stack.length === 0)) {
    return true;
  }
  return stack.length > 0 && !isFault(exception?.type ?? null) && isIdleStack(stack);
}

/** Thermal kills, forced quits, stackshots, VoIP restarts. */
export const blameless = /0xc00010ff|0xdeadfa11|0xbaaaaaad|0xbad22222/;

/** Exceptions that the crashed thread itself raised, whatever it seems to wait for. */
function isFault(type: string | null): boolean {
  return /^EXC_(?:BAD_ACCESS|BAD_INSTRUCTION|BREAKPOINT|ARITHMETIC|GUARD|SYSCALL)$/.test(
    type ?? "",
  );
}
