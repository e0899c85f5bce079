/** What an explanation consists of, and how its parts are put together. */

import { demangle } from "../../symbols/demangle/demangle.ts";
import { frameJson, type ReportFrameJson } from "../frame_json.ts";
import { isSystemFrame, titleOf } from "../images.ts";
import type { KnowledgeRow } from "../knowledge/mod.ts";
import type { CrashReport, ReportFrame, ReportThread } from "../report.ts";
import { headOf } from "../text.ts";
import { adviceOf } from "./advice.ts";
import { isUnderRosetta } from "./cpu.ts";
import { possibleCauses } from "./facts.ts";
import { simulatorOf } from "./platform.ts";
import { asRead } from "./unread.ts";
import { sentence, threadWords, unique } from "./words.ts";

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
  /** The function that raised an uncaught exception, where the report has a backtrace of that besides the threads';
   * `null` for others. */
  readonly raiser: ReportFrame | null;
  /** The functions that led there, outermost first, as far as they have names: the program's, then what the
   * innermost of them called; `…` for those that are left out. Empty when no stack shows it. */
  readonly path: readonly string[];
  /** Usual causes that the report does not exclude, the most likely first. */
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
  const { process, model } = report;
  // What could not be found out stands there as well: `??? ??? (Build ???)`.
  const osVersion = /^[?\s]{1,20}\(Build \?+\)$/.test(report.osVersion ?? "")
    ? null
    : report.osVersion;
  const said = happened.length > 0 ? happened : [emptyWords(report)];
  const cpu = report.codeType === "PPC" ? "PowerPC" : null;
  const system = [model, osVersion, cpu].filter((text) => text !== null).join(", ");
  const on = [
    system === "" ? null : `on ${system}`,
    isUnderRosetta(report) ? "under Rosetta" : null,
    simulatorOf(report),
  ]
    .filter((text) => text !== null).join(", ");
  // Of a text without a header it is the version of anything.
  const isHeadless = report.format === "crash" && process.name === null &&
    process.identifier === null &&
    process.path === null && report.codeType === null && report.osVersion === null;
  const isSystems = process.name === null && process.version !== null &&
    report.osVersion?.split(" ").includes(process.version) === true;
  const version =
    process.version === null || isHeadless || isSystems || /^(?:\?\?\?|0$)/.test(process.version)
      ? ""
      : ` ${process.version.replace(/ ?\( ?\)$/, "")}`;
  // The only process of such a report is the one that took its stacks.
  const name = stateOnly(rows)
    ? null
    : process.name || ((report.panic === null ? nameByMain(report) : null) ??
      process.identifier ?? nameByReason(report));
  const who = name === null ? version === "" ? "" : `version${version}: ` : `${name}${version}: `;
  // The first row that has causes is the most specific.
  const first = rows.find(({ causes, isCause }) => causes.length > 0 || isCause === true);
  const headed = asRead(report, [what, ...unique(said.map(withReadableNames))]);
  return {
    headline: `${who}${headed[0]}${on === "" ? "" : `, ${on}`}`,
    happened: headed.slice(1),
    thread,
    firstOwn,
    raiser: null,
    path,
    causes: possibleCauses(report, first?.causes ?? [], said),
    check: adviceOf(report, rows, said, thread, firstOwn),
    rows,
  };
}

/** Whether a report is of an event whose stacks only show the state at that moment. */
export function stateOnly(rows: readonly KnowledgeRow[]): boolean {
  return rows.some(({ key }) => key === "sleep wake failure");
}

/** The program's name by the image that its main() is in, where a copy does not have it otherwise. */
function nameByMain({ threads, decidingStack }: CrashReport): string | null {
  // Each of several processes has one.
  if (threads.some(({ process }) => process !== threads[0].process)) return null;
  for (const frames of [decidingStack, ...threads.slice(0, 1).map(({ frames }) => frames)]) {
    const main = frames.findLast(({ symbol }) => symbol === "main" || symbol === "_main");
    if (main === undefined || isSystemFrame(main)) continue;
    const title = titleOf(main);
    if (title !== "" && !/^\?+$|^<.*>$|\.dylib$/.test(title)) return title;
  }
  // Without names: the dynamic linker calls main() alone.
  for (const { frames } of threads) {
    const [main, linker] = frames.slice(-2);
    if (linker === undefined || !/^(?:dyld|libdyld\.dylib)$/.test(titleOf(linker))) continue;
    const title = titleOf(main).replace(/\.debug\.dylib$/, "");
    if (!isSystemFrame(main) && title !== "" && !/^\?+$|^<.*>$|\.dylib$/.test(title)) return title;
  }
  return null;
}

/** The program's name, or its bundle's identifier, as the reason of a termination has it: FrontBoard's and RunningBoard's words. */
function nameByReason({ termination }: CrashReport): string | null {
  const text = termination?.reasons.join("\n").slice(0, 4000) ?? "";
  return /\b(?:app|application|xpcservice)<([A-Za-z][\w.-]{1,100})[(>]/.exec(text)?.[1] ??
    /\btransgression: ([A-Za-z][\w.-]{1,100}) exhausted\b/.exec(text)?.[1] ?? null;
}

/** Mangled names of Swift, C++ and Rust in a text. */
const mangled = /(?<![\w$])_{0,2}(?:_ZT?[NKSV\d]|\$[sSe]\d|T(?:t[CVOP]|F|0)\w)[\w$.]{3,1000}/g;

/** A text whose mangled names are readable. */
function withReadableNames(text: string): string {
  return text.length > 1 << 16 || !/_Z|\$[sSe]\d|_T/.test(text)
    ? text
    : text.replace(mangled, (name) => demangle(name));
}

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
    return `A report of Apple's kind ${bugType}, in which neither an exception nor a stack was found.`;
  }
  if (threads.length === 0 && exception === null && images.length > 0 && process.name === null) {
    return "Only the end of the report is there: what happened was cut off.";
  }
  if (threads.length === 0 && exception === null && images.length > 0) {
    return "The report names neither an exception nor a stack.";
  }
  if (threads.length === 0 && exception !== null) return "The report only names the exception.";
  if (threads.length === 0 && report.information.some((text) => text === "abort() called")) {
    return "The process ended itself by abort(). Why, and where, was cut off.";
  }
  if (threads.length === 0) {
    return "Only the header of the report is there: what happened was cut off.";
  }
  const crashed = threads.find((thread) => thread.crashed);
  if (
    crashed !== undefined && /^[\s`>]{0,8}(?:#?\d{1,4}\.? )?Crashed: \S/m.test(headOf(report.text))
  ) {
    return sentence(`${threadWords(crashed)} crashed; by what is not in the report.`);
  }
  return "The report has stacks, but does not say what happened.";
}

/** What a report means, in `ReportJson`. */
export interface ExplanationJson
  extends Pick<Explanation, "headline" | "happened" | "causes" | "check" | "path"> {
  /** See {@linkcode Explanation.firstOwn}. */
  readonly firstOwn: ReportFrameJson | null;
}

/** An explanation's form. */
export function explanationJson(
  { headline, happened, causes, check, firstOwn, path }: Explanation,
): ExplanationJson {
  return {
    ...{ headline, happened, causes, check },
    firstOwn: firstOwn === null ? null : frameJson(firstOwn),
    path,
  };
}
