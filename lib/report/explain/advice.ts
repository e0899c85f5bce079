/** What to do, as far as it fits the report: the program, who can build it, and what the report has told already. */

import { signalOf } from "../codes.ts";
import { faultAddress, programCounter } from "../fault.ts";
import { imageOf, imageTitle, titleOf } from "../images.ts";
import {
  excludedAdvice,
  type KnowledgeRow,
  known,
  knownFrame,
  knownVendor,
} from "../knowledge/mod.ts";
import { isNearest } from "../nearest.ts";
import { type CrashReport, isSample, type ReportFrame, type ReportThread } from "../report.ts";
import { managedCalls } from "./managed.ts";
import { shortName } from "./names.ts";
import { isEvidence } from "./evidence.ts";
import { exclusionOf } from "./facts.ts";
import { faultingThread, usedFor } from "./instruction.ts";
import { isApples, isOfProcess, isOutside, isPlugIn, isSystemProgram } from "./program.ts";
import { isMobile } from "./platform.ts";
import { recursion } from "./recursion.ts";
import { endedBy, readStack } from "./stack.ts";
import { capitalized, frameNumber } from "./words.ts";

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
  const { isCause, isIndirect } = nearness(report, thread, own);
  // Whoever loaded what refused to start only passed through.
  const forSymbols = rows.some(({ isOfSetup }) => isOfSetup !== undefined)
    ? []
    : isCause || isSample(report) || (own !== null && isOfProcess(own, report) && isCrash(report))
    ? symbolAdvice(report, own)
    : [];
  const advised = rows.filter(({ next }) => next !== "");
  if (advised.length === 0) return [...toolAdvice(report, own), ...forSymbols];
  const check: string[] = [];
  const isOutOfReach = isAppleAlone(report, own);
  const isExcluded = exclusionOf(report, happened, [
    ...cannotBuild(report, own) ? ["not built here" as const] : [],
    ...quotes(happened) ? ["quoted" as const] : [],
  ]);
  for (const row of advised) {
    const able = isOutOfReach && !forOwner.test(row.next) ? "" : row.next;
    const left = excludedAdvice.reduce(
      (next, row) =>
        row.instead !== undefined && row.words.test(next) && isExcluded(row)
          ? next.replace(row.words, row.instead)
          : next,
      able,
    );
    const next = fitting(
      elsewhere(
        withoutClauses(
          left,
          (clause) =>
            excludedAdvice.some((row) =>
              row.instead === undefined && row.words.test(clause) && isExcluded(row)
            ),
        ),
      ),
      report,
      thread,
      own,
      isCause && !isIndirect,
    );
    const isSaid = (onlySanitizer.test(next) &&
      check.some((text) => /Address Sanitizer|zombie objects/.test(text))) ||
      // What a function of the system was passed is what its instruction uses.
      (row.kind === "address" && check.includes("Check the pointer in the calling frame.")) ||
      // An object that was used is found by what freed it.
      (row.kind === "address" && row.key === "null" &&
        rows.some(({ kind, causes }) => kind === "frame" && causes.some(ofObject)));
    if (next !== "" && !isSaid && !check.includes(next)) check.push(next);
  }
  const most = check.slice(0, MAX_ADVICE).map((text) => placed(text, report));
  return [...(most.length === 0 ? toolAdvice(report, own) : most), ...forSymbols];
}

/** Xcode's tools that make something of a file: compilers, linkers, and those for resources. */
const tools =
  /^(?:swift-frontend|swiftc?|clang(?:\+\+)?|ld(?:-classic|64)?|ibtoold?|actool|momc|metal|dsymutil|SourceKitService|com\.apple\.dt\.SKAgent)$/;

/** What to do where such a tool failed by itself: who ran it can only change what it was given. */
function toolAdvice(report: CrashReport, own: ReportFrame | null): string[] {
  const { exception, process } = report;
  if (own === null || exception === null || !isApples(report)) return [];
  if (!tools.test(process.name ?? "") || !isOfProcess(own, report)) return [];
  return [
    "The build's log names what it worked on: another form of that, or another version of Xcode, may get past it; Apple takes reports of such crashes by its Feedback Assistant.",
  ];
}

/** Advice about the faulting instruction with where it is, and by which registers it got to the address, as far as the
 * report tells. */
function placed(next: string, report: CrashReport): string {
  const words = "the faulting instruction uses";
  if (!next.includes(words)) return next;
  const thread = faultingThread(report);
  // Inlined frames have the same address, and no place of their own.
  const frame = thread?.frames.find(({ inlined }) => !inlined);
  const counter = programCounter(thread);
  if (frame === undefined) return next;
  // Copies may begin further out.
  if (
    counter === null ? frame.index > 0 && !thread!.frames[0].inlined : counter !== frame.address
  ) {
    return next;
  }
  const { symbol, offset, image } = frame;
  const hasName = symbol !== null && symbol !== "<redacted>" && !isNearest(frame);
  const base = image?.base ?? 0n;
  if (!hasName && (base === 0n || frame.address < base)) return next;
  const place = !hasName
    ? `, at ${titleOf(frame)} + 0x${(frame.address - base).toString(16)},`
    : offset === null || offset === 0
    ? ` in ${shortName(symbol)}`
    : `, at ${shortName(symbol)} + ${offset},`;
  const address = faultAddress(report);
  const use = address === null ? null : usedFor(report, address);
  return next.replace(
    words,
    () => `the faulting instruction${place} uses${use === null ? "" : ` (${use.formula})`}`,
  );
}

/** Whether a cause is that of an object that was freed. */
function ofObject(cause: string): boolean {
  return cause.startsWith("an object that was released once too often");
}

/** How far the program's frame is from where its process ended. */
interface Nearness {
  /** Whether it is evidence of the cause. */
  readonly isCause: boolean;
  /** Whether what is linked into the program stands between: that was called with what failed, not the frame's function. */
  readonly isIndirect: boolean;
}

/** How far the program's frame is from where its process ended, by the stack that it is on. */
function nearness(
  report: CrashReport,
  thread: ReportThread | null,
  own: ReportFrame | null,
): Nearness {
  const stacks = [report.decidingStack, thread?.frames ?? [], report.lastException ?? []];
  const stack = own === null ? undefined : stacks.find((frames) => frames.includes(own));
  if (own === null || stack === undefined) return { isCause: false, isIndirect: false };
  const reading = readStack(stack);
  const begin = Math.max(reading.first, reading.handled);
  const at = stack.indexOf(own);
  return {
    isCause: isEvidence(report, stack, reading, begin, at) ||
      recursion(report)?.repeats(own) === true,
    isIndirect: stack.slice(begin, at).some((frame) =>
      frame.symbol !== null && titleOf(frame) === titleOf(own) &&
      (knownFrame(frame.symbol)?.role === "part" || knownVendor(frame.symbol) !== null)
    ),
  };
}

/** Whether a process ended by what it did: then names tell what it asked of what failed, also where that is further in. */
function isCrash(report: CrashReport): boolean {
  const { exception } = report;
  return endedBy(report) !== null &&
    signalOf(exception?.signal ?? exception?.type ?? null) !== "SIGKILL";
}

/** Advice about a message, for a report that does not have it. */
function elsewhere(next: string): string {
  return next
    .replace(
      /^Read (?:the|its) message(?:, on stderr where the report has none)?\.$/,
      "Look for its message on stderr or in the system's log.",
    )
    .replace(
      /^Read the message of the failed assertion\.$/,
      "Look for the message of the failed assertion on stderr or in the system's log.",
    )
    .replace(", on stderr where the report has none", " on stderr")
    .replace(
      "The calling frame has the assertion; where the report has no text of it, stderr has.",
      "Look for the assertion's text on stderr.",
    )
    .replace(
      /^Read the exception's reason(?: in the console)?(?=[.:;])/,
      "Look for the exception's reason in the console or the system's log",
    )
    .replace(
      /^(?:Read|Check) the (\w+(?:, \w+ or \w+)?) in the exception's reason(?=[.;])/,
      "Look for the exception's reason, which has the $1, in the console or the system's log",
    )
    .replace(
      "Read the assertion's text: it is the exception's reason, in the report or in the log.",
      "Look for the assertion's text, which is the exception's reason, in the console or the system's log.",
    )
    .replace(
      /^Read (class and \w+) in the exception's reason\b/,
      "Look for the exception's reason, which has $1, on stderr or in the system's log",
    );
}

/** What also who cannot change a program can do about it. */
const forOwner =
  /codesign|[Uu]pdates? |[Ii]nstall|[Rr]estart|[Ff]ree space|\b(?:disk|volume|device|hardware|firmware|display|GPU|extension|log|stderr|settings|permissions|DYLD_\w{2,40}|JetsamEvent|entitlements|mounted|libraries)\b|crash report|[Aa]pple Diagnostics|another version|session of a person|web pages|Web Inspector|[Nn]othing:/;

/** Advice without clauses of some kinds; empty where none is left. */
export function withoutClauses(next: string, isUnfit: (clause: string) => boolean): string {
  if (next === "") return next;
  const clauses = next.replace(/\.$/, "").split(/; |\. (?=[A-Z])/);
  const fit = clauses.filter((clause) => !isUnfit(clause));
  if (fit.length === clauses.length) return next;
  return fit.length === 0 ? "" : `${capitalized(fit.join("; ").replace(/^then /, ""))}.`;
}

/** Whether a message, or an exception's reason, was told. */
function quotes(happened: readonly string[]): boolean {
  return happened.some((text) =>
    !text.includes("; its reason is not in the report") &&
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
  // What Mono compiled ahead of time of an assembly.
  if (own !== null && /\.(?:dll|exe)\.dylib$/.test(titleOf(own))) return true;
  // A native library that such a program brings along can be built for them, the run-time not.
  if (
    own?.symbol != null && titleOf(own) !== process.name && known("library", titleOf(own)) === null
  ) return false;
  return decidingStack.slice(0, MANAGED_DEPTH).some(({ symbol }) =>
    symbol !== null && managed.test(symbol)
  );
}

/** Advice that speaks of functions on a stack, as far as the report has one. */
function fitting(
  next: string,
  report: CrashReport,
  thread: ReportThread | null,
  own: ReportFrame | null,
  isNear: boolean,
): string {
  if (next === "") return next;
  // Of what is further out it is not known that it is to blame.
  if (!isNear && thread !== null && thread.frames.length > 0) {
    return withoutClauses(
      next.replace("; the first frame of yours on its backtrace led to it", ""),
      (clause) => ofCaller.test(clause),
    );
  }
  // What a run-time calls compiled code by uses no object itself.
  const isPassage = own?.symbol != null && knownFrame(own.symbol)?.role === "raise";
  if (own !== null && !isPassage) {
    const number = frameNumber(report, own);
    const isSaid = number.endsWith(" backtrace");
    return (isSaid ? next.replace("frame of yours on its backtrace", "frame of yours") : next)
      .replace(
        /\b[Tt]he first frame of yours/,
        own.symbol === null || isNearest(own) ? number : `${shortName(own.symbol)} (${number})`,
      );
  }
  return ofStack.test(next) ? "" : next;
}

/** What speaks of the function that called what failed. */
const ofCaller = /\bfirst frame of yours|\bthe calling (?:frame|function)|^[Ss]ee the caller\b/;

/** Advice that says no more than another one with more words. */
const onlySanitizer = /^Run with (?:zombie objects or )?Address Sanitizer\.$/;

/** Advice that only a stack can be held against. */
const ofStack =
  /\bthe top frame|first frame of yours|the calling frame|^See the (?:caller|frames|function)/;

/** What to do where the deciding function of the program has no name. Nobody but their makers has symbols of Apple's programs
 * and of what the program does not bring along. */
function symbolAdvice(report: CrashReport, own: ReportFrame | null): string[] {
  if (own === null || (own.symbol !== null && !isNearest(own))) return [];
  // Its own stack has the names.
  if (managedCalls(report).length > 0) return [];
  const image = imageOf(own);
  const isApple = image !== null && (image.name.startsWith("com.apple.") ||
    ((isApples(report) || isSystemProgram(report)) && isOfProcess(own, report)) ||
    // What a program of a mobile system loads is of the system.
    (isSystemProgram(report) && image.path === null && isMobile(report)));
  if (image === null || isApple || imageTitle(image).startsWith("<")) return [];
  // Managed code has other symbols.
  if (/\.(?:dll|exe|jar)$/i.test(imageTitle(image))) return [];
  // Nobody but its maker has the symbols.
  if (isOutside(own, report)) {
    return isPlugIn(own)
      ? [
        `Update the plug-in, or run the program without it: only the maker of ${
          imageTitle(image)
        } has its symbols.`,
      ]
      : [];
  }
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
    `Symbolicate the report with the dSYM of ${title}${
      own.image?.uuid == null ? "" : ` (${own.image.uuid})`
    }: ${why}.`,
  ];
}
