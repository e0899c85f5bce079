/** Words of explanations. */

import { once } from "../remember.ts";
import type { CrashReport, ReportFrame } from "../report.ts";

export function capitalized(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

export function sentence(text: string): string {
  const begun = capitalized(text);
  return /[.!?]$/.test(begun) ? begun : `${begun}.`;
}

export function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? "" : "s"}`;
}

/** A thread by its number, and its name or the queue that it serves: `thread 3 "com.example.worker"`. */
export function threadWords(
  { index, name, queue }: Readonly<Record<"name" | "queue", string | null>> & {
    readonly index: number;
  },
): string {
  const title = name ?? queue;
  return `thread ${index}${title === null ? "" : ` "${title}"`}`;
}

/** A frame by its number, with the stack where that is the exception's own, beside the thread's:
 * `frame 4 of the last exception backtrace`. */
export function frameNumber(report: CrashReport, frame: ReportFrame): string {
  const { lastException, crashedThread, threads } = report;
  const number = `frame ${frame.index}`;
  const other = (crashedThread ?? threads[0])?.frames[frame.index];
  const isAlone = other === undefined && threads.every(({ frames }) => frames.length === 0);
  if (isAlone || other?.address === frame.address || lastException?.includes(frame) !== true) {
    return number;
  }
  return `${number} of the ${
    isTitled(report) ? "last exception backtrace" : "exception's backtrace"
  }`;
}

/** Whether a report has Apple's title above an exception's backtrace. */
const isTitled = once(({ body, text }: CrashReport) =>
  body !== null || /last exception backtrace/i.test(text)
);

export function unique(texts: readonly string[]): string[] {
  return [...new Set(texts)];
}

/** A share in percent, which is never all or nothing where it is not. */
export function percent(count: number, total: number): string {
  const rounded = Math.round(100 * count / Math.max(1, total));
  if (rounded === 100 && count < total) return `${Math.floor(1000 * count / total) / 10}%`;
  return rounded === 0 && count > 0 ? "under 1%" : `${rounded}%`;
}

/** A size that only its order matters of: exact below a megabyte. */
export function sizeWords(bytes: bigint): string {
  const megabytes = Number(bytes >> 10n) / 1024;
  return megabytes < 1
    ? `${bytes} bytes`
    : megabytes < 1024
    ? `${Math.round(megabytes)} MB`
    : megabytes < 1 << 20
    ? `${(megabytes / 1024).toFixed(1)} GB`
    : `${(megabytes / (1 << 20)).toFixed(1)} TB`;
}
