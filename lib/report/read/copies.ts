/** Names of functions from another copy of the same report in one file, as somebody symbolicated it. */

import type { ReportFrame, ReportThread } from "../drafts.ts";
import { CrashReport } from "../report.ts";

/** Addresses that two stacks have in common before they are taken for one. */
const MIN_SAME = 3;

/** Whether a frame has a function's name. */
function isNamed({ symbol, imageName }: ReportFrame): boolean {
  return symbol !== null && symbol !== imageName &&
    !/^<(?:redacted|deduplicated_symbol)>$/.test(symbol);
}

/** The reports of a file, each with the names that the one before or after it has of the same addresses, where both are of
 * the same end. */
export function nameFromNeighbours(reports: readonly CrashReport[]): CrashReport[] {
  return reports.map((report, at) => {
    let named = report;
    for (const other of [reports[at + 1], reports[at - 1]]) {
      if (other !== undefined && isSame(named, other)) named = nameFrom(named, other);
    }
    return named;
  });
}

/** Whether two reports are of one end of a process. */
function isSame(one: CrashReport, other: CrashReport): boolean {
  if (one.incident !== null && other.incident !== null && one.incident !== other.incident) {
    return false;
  }
  const stack = one.decidingStack;
  if (stack.every(isNamed) || !other.decidingStack.some(isNamed)) return false;
  const addresses = new Set(other.decidingStack.map(({ address }) => address));
  return stack.filter(({ address }) => address !== 0n && addresses.has(address)).length >= MIN_SAME;
}

function nameFrom(report: CrashReport, other: CrashReport): CrashReport {
  const names = new Map<string, ReportFrame>();
  for (const frame of other.stacks.flat()) {
    const key = keyOf(frame);
    if (isNamed(frame) && !frame.inlined && !names.has(key)) names.set(key, frame);
  }
  const fill = (frames: readonly ReportFrame[]): ReportFrame[] =>
    frames.map((frame) => {
      const known = isNamed(frame) ? undefined : names.get(keyOf(frame));
      if (known === undefined) return frame;
      const { symbol, offset, file, line, column } = known;
      return { ...frame, symbol, offset, file, line, column };
    });
  const threads: ReportThread[] = report.threads.map((thread) => ({
    ...thread,
    frames: fill(thread.frames),
  }));
  const { lastException } = report;
  return new CrashReport({
    ...report,
    threads,
    lastException: lastException === null ? null : fill(lastException),
  });
}

/** A frame's place in its process. */
function keyOf({ address, image, imageName }: ReportFrame): string {
  return `${address} ${imageName ?? image?.name ?? ""}`;
}
