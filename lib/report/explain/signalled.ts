/** Ends by signals that somebody outside of the process sent. */

import { signalOf } from "../codes.ts";
import type { CrashReport, ReportFrame } from "../report.ts";
import { isKilled, isPackaging } from "./telling.ts";
import { terminationRow } from "./termination.ts";

/** Signals by which people and other processes end a process. */
const sent = /^SIG(?:KILL|TERM|QUIT|HUP|INT)$/;

/** Functions that send a signal to their own process. */
const sends = /^_{0,2}(?:(?:pthread_)?kill|raise|abort|\w{0,20}_with_payload)\b/;

/** Whether a process was ended by a signal from outside, of which no code says why: that is up to who sent it. */
export function isSignalled(report: CrashReport, stack: readonly ReportFrame[]): boolean {
  const { exception, termination, process } = report;
  const type = exception?.type ?? null;
  if (exception === null || (type !== null && !/^(?:EXC_CRASH|SIG)/.test(type))) return false;
  const namespace = termination?.namespace ?? null;
  if (namespace !== null && namespace !== "SIGNAL") return false;
  if (isOwnKill(report)) return false;
  if (exception.codes.some((code) => code > 0xffffn) || terminationRow(report) !== null) {
    return false;
  }
  if (isPackaging(report)) return false;
  if (stack.slice(0, 3).some(({ symbol }) => sends.test(symbol ?? ""))) return false;
  const signal = signalOf(exception.signal ?? type);
  if (signal !== null && sent.test(signal) && (type !== "EXC_CRASH" || isKilled(report))) {
    return true;
  }
  const pid = termination?.byPid ?? null;
  return type === "EXC_CRASH" && pid !== null && process.pid !== null && pid !== process.pid &&
    termination!.byProcess !== process.name && termination!.byProcess !== "exc handler";
}

/** Whether a process is named as what sent SIGKILL to itself. The call need not be on the stack that is called the crashed
 * one's: each thread may have made it. */
export function isOwnKill({ exception, termination, process }: CrashReport): boolean {
  return exception?.type === "EXC_CRASH" && /^SIGKILL\b/.test(exception.signal ?? "") &&
    termination?.namespace === "SIGNAL" && termination.code === 9n && process.pid !== null &&
    termination.byPid === process.pid && termination.byProcess === process.name;
}
