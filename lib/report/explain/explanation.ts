/** What an explanation consists of, and how its parts are put together. */

import { demangle } from "../../symbols/demangle/demangle.ts";
import { imageOf, imageTitle, isSystemFrame, titleOf } from "../images.ts";
import type { KnowledgeRow } from "../knowledge/mod.ts";
import { isNearest } from "../nearest.ts";
import { type CrashReport, fieldValue, type ReportFrame, type ReportThread } from "../report.ts";
import { isUnderRosetta } from "./cpu.ts";
import { simulatorOf } from "./platform.ts";
import { isApples, isOfProcess, isOutside, isSystemProgram } from "./program.ts";
import { sentence, unique } from "./words.ts";

/** What a report means. The texts quote the report, so they are not safe to print raw. */
export interface Explanation {
  /** One line: what crashed, and how. */
  readonly headline: string;
  /** What happened, in sentences, the most specific first. */
  readonly happened: readonly string[];
  /** The crashed thread, or the main thread of a report about a hang; `null` when there is none. */
  readonly thread: ReportThread | null;
  /** The innermost frame of the program's own code on the stack that shows what happened; `null` when there
   * is none, or when no stack shows it. */
  readonly firstOwn: ReportFrame | null;
  /** The functions that led there, outermost first, as far as they have names: the program's, then what the
   * innermost of them called; `…` for those that are left out. Empty when no stack shows it. */
  readonly path: readonly string[];
  /** Usual causes, the most likely first. */
  readonly causes: readonly string[];
  /** What to do, in order. */
  readonly check: readonly string[];
  /** The rows of the knowledge table that this is based on. */
  readonly rows: readonly KnowledgeRow[];
}

/** What a report tells that is not of a crash. */
export interface Findings {
  readonly headline: string;
  readonly happened: readonly string[];
  readonly rows: readonly KnowledgeRow[];
}

export function finished(
  report: CrashReport,
  what: string,
  happened: readonly string[],
  rows: readonly KnowledgeRow[],
  thread: ReportThread | null,
  firstOwn: ReportFrame | null,
  path: readonly string[] = [],
): Explanation {
  const { process, model, osVersion } = report;
  const said = happened.length > 0 ? happened : [emptyWords(report)];
  const cpu = report.codeType === "PPC" ? "PowerPC" : null;
  const system = [model, osVersion, cpu].filter((text) => text !== null).join(", ");
  const on = [
    system === "" ? null : `on ${system}`,
    isUnderRosetta(report) ? "under Rosetta" : null,
    simulatorOf(report),
  ]
    .filter((text) => text !== null).join(", ");
  const version = process.version === null || /^\?\?\?/.test(process.version)
    ? ""
    : ` ${process.version}`;
  const name = process.name ?? (report.panic === null ? nameByMain(report) : null);
  const who = name === null ? "" : `${name}${version}: `;
  const causes: string[] = [];
  const check: string[] = [];
  const hasObjects = usesObjects(report);
  for (const row of rows) {
    // The first row that has causes is the most specific.
    if (causes.length === 0) causes.push(...row.causes);
    const next = hasObjects
      ? fitting(row.next, thread, firstOwn)
      : withoutZombies(fitting(row.next, thread, firstOwn));
    const isSaid = onlySanitizer.test(next) &&
      check.some((text) => /Address Sanitizer|zombie objects/.test(text));
    if (next !== "" && !isSaid && !check.includes(next)) check.push(next);
  }
  return {
    headline: `${who}${what}${on === "" ? "" : `, ${on}`}`,
    happened: unique(said.map(withReadableNames)),
    thread,
    firstOwn,
    path,
    causes,
    check: [...check.slice(0, 2), ...symbolAdvice(report, firstOwn)],
    rows,
  };
}

/** The program's name by the image that its main() is in, where a copy does not have it otherwise. */
function nameByMain({ threads, decidingStack }: CrashReport): string | null {
  for (const frames of [decidingStack, ...threads.slice(0, 1).map(({ frames }) => frames)]) {
    const main = frames.findLast(({ symbol }) => symbol === "main" || symbol === "_main");
    if (main === undefined || isSystemFrame(main)) continue;
    const title = titleOf(main);
    if (title !== "" && !/^\?+$|\.dylib$/.test(title)) return title;
  }
  return null;
}

/** Mangled names of Swift, C++ and Rust in a text. */
const mangled = /(?<![\w$])_{0,2}(?:_ZT?[NKSV\d]|\$[sSe]\d|T(?:t[CVOP]|F|0)\w)[\w$.]{3,1000}/g;

/** A text whose mangled names are readable. */
function withReadableNames(text: string): string {
  return text.length > 1 << 16 || !/_Z|\$[sSe]\d|_T/.test(text)
    ? text
    : text.replace(mangled, (name) => demangle(name));
}

/** What to do where the deciding function of the program has no name. Nobody but their makers has symbols of Apple's programs
 * and of what the program does not bring along. */
function symbolAdvice(report: CrashReport, own: ReportFrame | null): string[] {
  if (own === null || (own.symbol !== null && !isNearest(own))) return [];
  const image = imageOf(own);
  const isApple = image !== null && (image.name.startsWith("com.apple.") ||
    (isApples(report) && isOfProcess(own, report)));
  if (image === null || isApple || imageTitle(image).startsWith("<")) return [];
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

/** Whether a program may have objects of Objective-C, by its bundle or what is on its stack. */
function usesObjects({ process, decidingStack, images, arch }: CrashReport): boolean {
  return decidingStack.length === 0 || arch === null || arch.startsWith("arm") ||
    /\.(?:app|appex|xpc)\//.test(process.path ?? ".app/") ||
    images.some((image) => frameworks.test(imageTitle(image))) ||
    decidingStack.some((frame) =>
      /^[-+]\[|^_*(?:\d{1,3}[-+]\[|objc_|swift_|NS[A-Z]|CF[A-Z]|\$s)/.test(frame.symbol ?? "") ||
      frameworks.test(titleOf(frame)) || /^lib(?:objc|swift)/.test(titleOf(frame))
    );
}

/** Frameworks whose objects are Objective-C's. */
const frameworks =
  /^(?:com\.apple\.)?(?:CoreFoundation|Foundation|AppKit|UIKit|UIKitCore|SwiftUI)$/;

/** Advice without what finds objects that were freed, where there are none. */
function withoutZombies(next: string): string {
  return next.replace(
    /zombie objects or Address Sanitizer|Address Sanitizer or zombie objects/,
    "Address Sanitizer",
  );
}

/** Advice that speaks of functions on a stack, as far as the report has one. */
function fitting(next: string, thread: ReportThread | null, own: ReportFrame | null): string {
  if (own !== null || next === "") return next;
  if (thread === null || thread.frames.length === 0) return ofStack.test(next) ? "" : next;
  return next.replace("; the first frame of yours on its backtrace led to it", "")
    .replace(/the first frame of yours/, "the calling function")
    .replace(/^The first frame of yours/, "The calling function");
}

/** Advice that says no more than another one with more words. */
const onlySanitizer = /^Run with (?:zombie objects or )?Address Sanitizer\.$/;

/** Advice that only a stack can be held against. */
const ofStack =
  /\bthe function that trapped|function at the top|the top frame|first frame of yours|the calling frame|[Tt]he heaviest stack|^See the (?:caller|frames|function)/;

/** What a hang's report or a spindump says of how long its process did not answer; `null` when it does not say it did. */
export function silence({ fields }: CrashReport): string | null {
  for (const { name, value } of fields) {
    if (name === "Note" && /^Unresponsive\b/.test(value)) return sentence(value);
    if (name !== "Duration" && name !== "Duration Sampled") continue;
    const words = /\((?:process was )?(unresponsive for \d{1,9} seconds? before sampling)\)/.exec(
      value,
    );
    if (words !== null) return sentence(words[1]);
  }
  return null;
}

/** What a report is that says nothing of what happened. */
export function emptyWords(report: CrashReport): string {
  const { threads, exception, images, process, bugType, body } = report;
  const silent = threads.length === 0 && exception === null ? silence(report) : null;
  if (silent !== null) return `${silent} What it was doing was cut off.`;
  if (threads.length === 0 && exception === null && body !== null && bugType !== null) {
    return `A report of Apple's kind ${bugType}, which has neither an exception nor a stack.`;
  }
  if (threads.length === 0 && exception === null && images.length > 0 && process.name === null) {
    return "Only the end of the report is there: what happened was cut off.";
  }
  if (threads.length === 0 && exception === null && images.length > 0) {
    return "The report names neither an exception nor a stack.";
  }
  if (threads.length === 0 && exception !== null) return "The report only names the exception.";
  if (threads.length === 0) {
    return "Only the header of the report is there: what happened was cut off.";
  }
  return "The report has stacks, but does not say what happened.";
}
