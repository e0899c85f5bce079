/** What a report's header says of the crashed thread. */

import { type CrashReport, fieldValue } from "../report.ts";

function crashedField(report: CrashReport): string {
  return fieldValue(report, "triggered by thread", "crashed thread") ?? "";
}

/** What the header says of the crashed thread after its number: its name, or the queue where it has none; `null` when it says
 * nothing. */
export function crashedTitle(report: CrashReport): string | null {
  const title = /^\d{1,9},?\s{1,8}(\S.{0,200})$/i.exec(crashedField(report))?.[1].replace(
    /^Dispatch queue:\s*/i,
    "",
  ).replace(/,?\s{1,8}Dispatch queue: .*$/i, "").trim();
  return title === undefined || title === "" ? null : title;
}

/** Whether the header calls the crashed thread the main one, by its queue. */
export function isCalledMain(report: CrashReport): boolean {
  return crashedTitle(report) === "com.apple.main-thread";
}

/** Number of the crashed thread, where only the header has it. */
export function crashedIndex(report: CrashReport): number | null {
  const digits = /^\d{1,9}/.exec(crashedField(report))?.[0];
  return digits === undefined ? null : Number(digits);
}
