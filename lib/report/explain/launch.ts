/** When in its life a process ended: while it was loaded, or how long after its launch. */

import type { CrashReport, ReportFrame } from "../report.ts";
import { isLaunching } from "./telling.ts";

/** What the dynamic linker was doing, by the note that it leaves for crash reports; dyld 2, src/dyld.cpp and
 * ImageLoader.cpp: CRSetCrashLogMessage2. */
interface Loading {
  /** Such as `loading dependent libraries`. */
  readonly what: string;
  /** The file that it worked on; `null` when that is not there. */
  readonly path: string | null;
}

/** Reads `dyld: launch, loading dependent libraries` with the path on the line after it. */
function loadingOf({ information }: CrashReport): Loading | null {
  const at = information.findIndex((text) => text.startsWith("dyld: launch, "));
  if (at < 0) return null;
  const next = information[at + 1] ?? "";
  return {
    what: information[at].slice(14).trim(),
    path: /^\/[^\n]{1,1000}$/.test(next) ? next : null,
  };
}

/** Whether a text is the path in the dynamic linker's note. */
export function isLoadedPath(report: CrashReport, text: string): boolean {
  return loadingOf(report)?.path === text;
}

/** Tells that a process ended while its program was loaded; `null` when nothing says so. */
export function launchWords(
  report: CrashReport,
  texts: readonly string[],
  stack: readonly ReportFrame[],
): string | null {
  if (isTooOld(report)) {
    return "The program is for 32 bits, which macOS 10.15 and later do not run.";
  }
  const loading = loadingOf(report);
  const path = loading?.path == null ? "" : ` (${loading.path})`;
  if (loading?.what === "running initializers") {
    // Those of libSystem run before all others.
    return /\/libSystem\.B\.dylib$/.test(loading.path ?? "")
      ? `It was at launch, while initializers ran${path}: none of the program's own code had run.`
      : `It was at launch, while initializers ran${path}: main() had not begun.`;
  }
  if (loading !== null) {
    return `It was at launch, while the dynamic linker was ${loading.what}${path}: none of the program's code had run.`;
  }
  return isLaunching(report, stack) || endedLoading(report, texts, stack)
    ? "It was at launch: none of the program's code had run."
    : null;
}

/** Whether a program for 32-bit Intel was started where none runs; Apple, "32-bit app compatibility with macOS". */
function isTooOld({ codeType, osVersion }: CrashReport): boolean {
  return /^X86(?: \(Native\))?$/i.test(codeType?.trim() ?? "") &&
    /^(?:Mac )?OS X 10\.1[5-9]|^macOS (?:10\.1[5-9]|1[1-9]|2\d)\b/.test(osVersion ?? "");
}

/** Whether the dynamic linker ended a process at its launch, by its message. */
function endedLoading(
  { termination, information }: CrashReport,
  texts: readonly string[],
  stack: readonly ReportFrame[],
): boolean {
  if (texts.some((text) => text.includes("terminated at launch"))) return true;
  const isMissing = (termination?.namespace === "DYLD" && termination.code === 1n) ||
    texts.some((text) =>
      /^(?:DYLD, |Dyld Message: |dyld(?:\[\d{1,9}\])?: )?Library not loaded: /.test(text) ||
      // Said so only at launch: later it begins with what was bound. Classes are never bound later.
      /^dyld(?:\[\d{1,9}\])?: Symbol not found: |^(?:DYLD, |Dyld Message: )?Symbol not found: _OBJC_(?:META)?CLASS_\$_/
        .test(
          text,
        )
    );
  // What is bound when it is first called, and what the program itself loads, is missed later.
  return isMissing &&
    !texts.some((text) => /lazy symbol binding|missing symbol called/.test(text)) &&
    !information.some((text) => text.startsWith("dyld: in dl")) &&
    !stack.some(({ symbol }) =>
      symbol !== null && /^(?:dlopen|dyld_stub_binder|main$)/.test(symbol)
    );
}

/** Seconds after its launch in which it may matter that a process was started. */
const EARLY = 60;

/** Seconds from a process's launch to its end; `null` where the report does not tell both to fractions. */
export function age(report: CrashReport): number | null {
  const { process, date } = report;
  const begun = timeOf(process.launched);
  const ended = timeOf(date);
  if (begun === null || ended === null) return null;
  return isWhole(report) ? Math.floor(ended) - Math.floor(begun) : ended - begun;
}

/** Whether both times have their seconds again in place of fractions, as iOS 9 and watchOS 2 write them. */
function isWhole({ process, date }: CrashReport): boolean {
  return [process.launched, date].every((time) => /:(\d\d)\.\1 /.test(time ?? ""));
}

/** Tells how long after its launch a process ended, if that was soon. */
export function ageWords(report: CrashReport): string | null {
  const seconds = age(report);
  if (seconds === null || seconds < 0 || seconds >= EARLY) return null;
  const words = isWhole(report)
    // Both may be nearly a second later.
    ? seconds < 2 ? `less than ${seconds + 1}` : `about ${seconds}`
    : seconds < 0.1
    ? "less than 0.1"
    : seconds.toFixed(1);
  return `It was ${words} s after the launch.`;
}

/** Seconds of `2022-01-07 10:26:59.5847 +0800`; `null` for other forms, and for those without a fraction. */
function timeOf(text: string | null): number | null {
  const match = /^(\d{4})-(\d\d)-(\d\d) (\d\d):(\d\d):(\d\d)(\.\d{1,9}) ([+-])(\d\d)(\d\d)$/.exec(
    text?.trim() ?? "",
  );
  if (match === null) return null;
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number);
  const east = (Number(match[9]) * 60 + Number(match[10])) * (match[8] === "-" ? -60 : 60);
  return Date.UTC(year, month - 1, day, hour, minute, second) / 1000 + Number(match[7]) - east;
}
