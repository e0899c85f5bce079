/** What to do, as far as it fits the report: the program, who can build it, and what the report has told already. */

import { imageOf, imageTitle, titleOf } from "../images.ts";
import { type KnowledgeRow, knownFrame } from "../knowledge/mod.ts";
import { isNearest } from "../nearest.ts";
import { type CrashReport, fieldValue, type ReportFrame, type ReportThread } from "../report.ts";
import { shortName } from "./names.ts";
import { isApples, isOfProcess, isOutside, isSystemProgram } from "./program.ts";
import { capitalized } from "./words.ts";

/** Most pieces of advice that come from rows. */
const MAX_ADVICE = 2;

/** The advice of rows as far as it fits, and what to do for names that are missing.
 *
 * @param happened what was told
 * @param own the program's deciding frame
 */
export function adviceOf(
  report: CrashReport,
  rows: readonly KnowledgeRow[],
  happened: readonly string[],
  thread: ReportThread | null,
  own: ReportFrame | null,
): string[] {
  const check: string[] = [];
  const isOutOfReach = isAppleAlone(report, own);
  const unfit = [
    ...cannotBuild(report, own) ? [ofTools] : [],
    ...quotes(happened) ? [ofMessage] : [],
  ];
  const hasObjects = usesObjects(report) && !isOfCxx(report);
  for (const row of rows) {
    const able = isOutOfReach && !forOwner.test(row.next) ? "" : row.next;
    const fit = fitting(withoutClauses(able, unfit), thread, own)
      .replace(/^Read (?:the|its) message(?:, on stderr where the report has none)?\.$/, elsewhere)
      .replace(", on stderr where the report has none", " on stderr")
      .replace(
        "The calling frame has the assertion; where the report has no text of it, stderr has.",
        "Look for the assertion's text on stderr.",
      );
    const next = hasObjects ? fit : withoutZombies(fit);
    const isSaid = onlySanitizer.test(next) &&
      check.some((text) => /Address Sanitizer|zombie objects/.test(text));
    if (next !== "" && !isSaid && !check.includes(next)) check.push(next);
  }
  return [...check.slice(0, MAX_ADVICE), ...symbolAdvice(report, own)];
}

/** What to do about a message that is not in the report. */
const elsewhere = "Look for its message on stderr or in the system's log.";

/** What also who cannot change a program can do about it. */
const forOwner =
  /codesign|[Uu]pdates? |[Ii]nstall|[Rr]estart|[Ff]ree space|\b(?:disk|volume|device|hardware|firmware|display|GPU|extension|log|stderr|settings|permissions|DYLD_\w{2,40}|JetsamEvent|entitlements|mounted|libraries)\b|crash report|[Aa]pple Diagnostics|another version|session of a person|[Nn]othing:/;

/** What is done with a program that is built for it, or run in a debugger. */
const ofTools =
  /[Zz]ombie|Address Sanitizer|Guard Malloc|API validation|[Bb]reak on |memory graph|Instruments|-Wformat|ConcurrencyDebug|RUST_BACKTRACE|dSYM/;

/** What sends to a message that the report has, and that is quoted. */
const ofMessage =
  /^(?:[Rr]ead (?:its|the) (?:message|reason|condition|error's text|words after it|termination(?:'s)? \w+|crash reason|panic's message)|[Tt]he message (?:has|names|says)\b|[Rr]ead (?:class and \w+|the condition) in the (?:exception's )?reason|[Ss]ee the reason\b|[Rr]ead the assertion's text|[Tt]he calling frame has the assertion|where the report has no text of it)/;

/** Advice without clauses of some kinds; empty where none is left. */
export function withoutClauses(next: string, unfit: readonly RegExp[]): string {
  if (next === "" || unfit.length === 0) return next;
  const clauses = next.replace(/\.$/, "").split(/; |\. (?=[A-Z])/);
  const fit = clauses.filter((clause) => !unfit.some((kind) => kind.test(clause)));
  if (fit.length === clauses.length) return next;
  return fit.length === 0 ? "" : `${capitalized(fit.join("; "))}.`;
}

/** Whether a message, or an exception's reason, was told. */
function quotes(happened: readonly string[]): boolean {
  return happened.some((text) =>
    /\bIt says: |\bexception was not caught: \S.{0,200}?, \S|\bexception was not caught: [^;]{20}/
      .test(text)
  );
}

/** Whether all that a report can be about is Apple's: the program, and the function that decides. */
function isAppleAlone(report: CrashReport, own: ReportFrame | null): boolean {
  return (isSystemProgram(report) || isApples(report)) &&
    (own === null || isOfProcess(own, report) || own.imageName?.startsWith("com.apple.") === true);
}

/** Whether nobody can run a program with the tools for what was built by Xcode: Apple's, and managed code, for which there
 * are none. */
function cannotBuild(report: CrashReport, own: ReportFrame | null): boolean {
  return isSystemProgram(report) || isApples(report) || isManaged(report, own);
}

/** Functions of run-times on a stack whose callers and callees are managed code, and how that is named. */
const managed =
  /^(?:mono_(?:jit|runtime|interp|llvm|aot|handle)|mono_\w{1,60}_internal$|wrapper_(?:managed|runtime|delegate|native|stelemref)|xamarin_|plt_|aot_wrapper_|JavaCalls::|JVM_|CallDescrWorker|MethodDesc::|v8::internal::|node::|_kDart|System_[A-Z]\w{0,60}_|UIKit_UI\w{1,60}_)/;

/** Frames in which they are looked for. */
const MANAGED_DEPTH = 16;

/** Whether the deciding code is that of a run-time of its own: compiled while it runs, or before by its own compiler. */
function isManaged({ decidingStack, process }: CrashReport, own: ReportFrame | null): boolean {
  if (/^(?:java|dotnet|node|mono)$/.test(process.name ?? "")) return true;
  if (own?.symbol != null && managed.test(own.symbol)) return true;
  // A native library that such a program brings along can be built for them.
  if (own?.symbol != null && titleOf(own) !== process.name) return false;
  return decidingStack.slice(0, MANAGED_DEPTH).some(({ symbol }) =>
    symbol !== null && managed.test(symbol)
  );
}

/** Advice without what finds objects that were freed, where there are none. */
function withoutZombies(next: string): string {
  return next.replace(
    /zombie objects or Address Sanitizer|Address Sanitizer or zombie objects/,
    "Address Sanitizer",
  );
}

/** Advice that speaks of functions on a stack, as far as the report has one. */
function fitting(next: string, thread: ReportThread | null, own: ReportFrame | null): string {
  if (next === "") return next;
  // What a run-time calls compiled code by uses no object itself.
  const isPassage = own?.symbol != null && knownFrame(own.symbol)?.role === "raise";
  if (own !== null && !isPassage) {
    // Its name says more than its place.
    return own.symbol === null || isNearest(own) ? next : next.replace(
      /\b[Tt]he first frame of yours/,
      `${shortName(own.symbol)} (frame ${own.index})`,
    );
  }
  if (thread === null || thread.frames.length === 0) return ofStack.test(next) ? "" : next;
  return next.replace("; the first frame of yours on its backtrace led to it", "")
    .replace(/the first frame of yours/, "the calling function")
    .replace(/^The first frame of yours/, "The calling function");
}

/** Advice that says no more than another one with more words. */
const onlySanitizer = /^Run with (?:zombie objects or )?Address Sanitizer\.$/;

/** Advice that only a stack can be held against. */
const ofStack =
  /\bthe top frame|first frame of yours|the calling frame|^See the (?:caller|frames|function)/;

/** Frames of a stack by which it is told what kind of object was used. */
const INNERMOST = 4;

/** Functions of Objective-C and Swift, and those that work on their objects. */
const usesObject = /^[-+]\[|^_*(?:\d{1,3}[-+]\[|objc_|swift_|NS[A-Z]|CF[A-Z]|\$s)/;

/** Whether a member of C++ was innermost, and nothing of Objective-C or Swift near it: its objects leave no zombies. */
function isOfCxx({ decidingStack }: CrashReport): boolean {
  const near = decidingStack.slice(0, INNERMOST);
  return /^[^[$]{1,200}::/.test(near[0]?.symbol ?? "") &&
    !near.some((frame) =>
      usesObject.test(frame.symbol ?? "") ||
      /^lib(?:objc|swift)|^(?:com\.apple\.)?(?:Core)?Foundation$/.test(titleOf(frame))
    );
}

/** Whether a program may have objects of Objective-C, by its bundle or what is on its stack. */
function usesObjects({ process, decidingStack, images, arch }: CrashReport): boolean {
  return decidingStack.length === 0 || arch === null || arch.startsWith("arm") ||
    /\.(?:app|appex|xpc)\//.test(process.path ?? ".app/") ||
    images.some((image) => frameworks.test(imageTitle(image))) ||
    decidingStack.some((frame) =>
      usesObject.test(frame.symbol ?? "") ||
      frameworks.test(titleOf(frame)) || /^lib(?:objc|swift)/.test(titleOf(frame))
    );
}

/** Frameworks whose objects are Objective-C's. */
const frameworks =
  /^(?:com\.apple\.)?(?:CoreFoundation|Foundation|AppKit|UIKit|UIKitCore|SwiftUI)$/;

/** What to do where the deciding function of the program has no name. Nobody but their makers has symbols of Apple's programs
 * and of what the program does not bring along. */
function symbolAdvice(report: CrashReport, own: ReportFrame | null): string[] {
  if (own === null || (own.symbol !== null && !isNearest(own))) return [];
  const image = imageOf(own);
  const isApple = image !== null && (image.name.startsWith("com.apple.") ||
    (isApples(report) && isOfProcess(own, report)));
  if (image === null || isApple || imageTitle(image).startsWith("<")) return [];
  // Managed code has other symbols.
  if (/\.(?:dll|exe|jar)$/i.test(imageTitle(image))) return [];
  const isOthers = isOutside(own, report);
  // What a resource report of the system names without a path is mostly the system's.
  const isEvent = fieldValue(report, "event") !== null;
  if (isOthers && image.path === null && isEvent && isSystemProgram(report)) return [];
  const title = imageTitle(image);
  const isNamed = report.decidingStack.some((frame) =>
    // What a program begins with keeps its name.
    frame.symbol !== null && frame.symbol !== "main" && titleOf(frame) === title &&
    !isNearest(frame)
  );
  const why = isNamed
    ? "not all of its functions have names here"
    : "its functions have no names here";
  return [
    isOthers
      ? `Who makes ${title} can symbolicate the report with its dSYM: ${why}.`
      : `Symbolicate the report with the dSYM of ${title}: ${why}.`,
  ];
}
