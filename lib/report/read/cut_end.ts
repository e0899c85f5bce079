/** A frame, or an exception, at the end of a copy that was cut within its address. */

import { CrashReport, type ReportFrame } from "../report.ts";

/** A frame's line with nothing behind its address, and the address of one. */
const bare = /^\s{0,8}\d{1,4}\s{1,20}\S.{0,200}\s0x([0-9a-f]{0,15})$/i;
const address = /\s0x([0-9a-f]{1,16})\b/i;

/** A subtype whose address has the zeros before it that Apple writes, but neither 8 nor 16 digits. */
const cutSubtype = /^(.{1,60}) at 0x(?:|00[0-9a-f]{0,5}|00[0-9a-f]{7,13})$/i;

/** A report whose exception has no address, where the text ends within that. */
function withoutCutAccess(report: CrashReport): CrashReport {
  const { text, exception } = report;
  const words = cutSubtype.exec(exception?.subtype ?? "")?.[1];
  return words === undefined || !text.trimEnd().endsWith(exception!.subtype!)
    ? report
    : new CrashReport({ ...report, exception: { ...exception!, subtype: words, codes: [] } });
}

/** A report whose last frame, or exception, has no address, where the text ends within that: a frame's has fewer digits than
 * that of the frame before it. */
export function withoutCutAddress(whole: CrashReport): CrashReport {
  const report = whole.format === "crash" ? withoutCutAccess(whole) : whole;
  const { text, threads, lastException, format } = report;
  if (format !== "crash") return report;
  const end = text.trimEnd().length;
  // Only what stands last is looked at.
  const isCut = (frames: readonly ReportFrame[]): boolean => {
    const [before, last] = frames.slice(-2);
    if (last?.span == null || before.span === null || last.symbol !== null) return false;
    if (last.span.end < end || last.address === 0n) return false;
    const digits = bare.exec(text.slice(last.span.start, last.span.end).trimEnd())?.[1];
    const whole = address.exec(text.slice(before.span.start, before.span.end))?.[1];
    return digits !== undefined && whole !== undefined && digits.length < whole.length;
  };
  const without = (frames: readonly ReportFrame[]): ReportFrame[] => [
    ...frames.slice(0, -1),
    { ...frames.at(-1)!, address: 0n, image: null },
  ];
  const thread = threads.find(({ frames }) => isCut(frames));
  if (thread !== undefined) {
    return new CrashReport({
      ...report,
      threads: threads.map((each) =>
        each === thread ? { ...each, frames: without(each.frames) } : each
      ),
    });
  }
  return lastException !== null && isCut(lastException)
    ? new CrashReport({ ...report, lastException: without(lastException) })
    : report;
}
