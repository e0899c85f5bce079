/** What a log says before an exception or a stack, where it names what that is about. */

import { imageOf, imageTitle, isSystemFrame, titleOf } from "../images.ts";
import type { CrashReport, ReportFrame } from "../report.ts";
import { ofSystem } from "./message.ts";
import { frameOwner } from "./stack.ts";
import { unique } from "./words.ts";

/** Lines of a log, and how sure it is that they are about the same thing. */
export interface SaidBefore {
  readonly lines: readonly string[];
  /** Whether one names two things of the reason, such as a class and its method. */
  readonly isSure: boolean;
}

/** Characters of a text in which an exception or a stack is looked for. */
const MAX_SEARCHED = 1 << 16;
/** Characters before an exception that are looked through, and the longest line that is quoted. */
const MAX_BEFORE = 4000;
const MAX_QUOTED = 300;
/** Most lines that are quoted. */
const MAX_LINES = 2;
/** Frames whose classes and libraries are looked for. */
const STACK_DEPTH = 12;

/** Where the exception, or the stack, begins in a console's text. */
const begins =
  /Terminating app due to|^\**\s{0,4}(?:First throw|Call stack at)|^(?:\* )?thread #\d|stop reason = |^[ \t]{0,8}Exception Type:|^Thread \d{1,4} Crashed|^[ \t]{0,8}"?0\s{1,8}\S{2,60}\s{1,40}0x[0-9a-f]{6}/m;

/** How texts begin that have nothing before the report: nearly all. */
const atOnce = /^\s{0,100}(?:\{|(?:Process|Incident Identifier):)/;

/** How a line of a log begins, which prose does not. */
const ofLog =
  /^\s{0,8}(?:\d{4}-\d\d-\d\d\b|\d\d:\d\d:\d\d\b|[A-Z][a-z]{2} {1,2}\d{1,2} \d\d:|flutter: |\[[\w.: -]{2,60}\]|<(?:Error|Warning|Fault|Notice)>|\*{0,3} ?(?:WARNING|ERROR|FATAL|Warning|Error|warning|error)\b ?\*{0,3}(?::| [A-Z])|CoreData: |[\w.-]{2,60}\[\d{1,8}[:\]])/;

/** Words of warnings and errors. */
const warns = /\b(?:warning|error|unsupported|fault)\b/i;

/** A line that is only the title of a warning. */
const title = /^\W{0,8}(?:flutter: )?\W{0,8}(?:WARNING|ERROR|Warning|Error)\W{0,12}$/;

/** The time, and the process, before the words of a log's line. */
const prefix =
  /^(?:\d{4}-\d\d-\d\d[ T])?\d\d:\d\d[\d:.,]{0,14}(?:[+-]\d{4})?[| ]{0,3}(?:\S{1,60}\[\d{1,9}(?::[0-9a-f]{1,9})?\]:? )?/;

/** The warnings and errors that a log has before an exception or a stack, and that name what it names; `null` without one.
 *
 * @param reason the exception's; `null` where only the stack tells
 */
export function saidBefore(
  report: CrashReport,
  reason: string | null,
  stack: readonly ReportFrame[],
): SaidBefore | null {
  const head = report.text.slice(0, MAX_SEARCHED);
  if (atOnce.test(head)) return null;
  const end = begins.exec(head)?.index ?? -1;
  if (end <= 0) return null;
  const ofNode = reason === null ? nodeError(head.slice(0, end)) : null;
  if (ofNode !== null) return { lines: [ofNode], isSure: false };
  const lines = head.slice(Math.max(0, end - MAX_BEFORE), end).split("\n");
  // What the cut left of a line, and the exception's own line.
  const from = end > MAX_BEFORE ? 1 : 0;
  const last = head[end - 1] === "\n" ? lines.length : lines.length - 1;
  const strong = reason === null ? [] : namedIn(reason);
  const methods = reason === null ? [] : methodsIn(reason);
  const parts = partsOn(report, stack);
  const found: string[] = [];
  let isSure = false;
  for (let at = from; at < last; at++) {
    const line = lines[at].trim();
    if (line.length > MAX_QUOTED || !warns.test(line) || !ofLog.test(line)) continue;
    if (/unrecognized selector|^\d{1,3}\s+\S+\s+0x/.test(line)) continue;
    // Its words are on the line after it.
    const bare = line.replace(prefix, "");
    const below = title.test(bare) ? belowTitle(lines.slice(at + 1, last)) : [];
    const said = [bare, ...below].join(" ");
    if (reason !== null && (said.includes(reason) || reason.includes(said))) continue;
    const words = new Set(said.split(/[^\w$]+/));
    const has = (name: string): boolean =>
      /^[\w$]+$/.test(name) ? words.has(name) : said.includes(name);
    const names = strong.filter(has).length;
    const isMethod = methods.some((name) => words.has(name));
    const tag = /\[([\w.-]{4,60})\]|^flutter: (\w{4,60}):/.exec(said);
    const isPart = tag !== null && parts.includes(plain(tag[1] ?? tag[2])) ||
      below.length > 0 && parts.some((part) => part.length >= MIN_PART && words.has(part));
    // A method's class is named by many lines.
    const isOf = methods.length > 0 ? names > 0 && isMethod : names > 0;
    if (!isOf && !isPart) continue;
    isSure ||= methods.length > 0 ? isOf : names > 1;
    found.push(said.length > MAX_BLOCK ? `${said.slice(0, MAX_BLOCK)}…` : said);
    at += below.length;
  }
  const quoted = unique(found).slice(-MAX_LINES);
  return quoted.length === 0 ? null : { lines: quoted, isSure };
}

/** The error that ended a program of Node.js, such as a child of the process, in what was printed before a report; `null` without
 * one. Node.js, src/node_errors.cc: its version is the last line. */
function nodeError(text: string): string | null {
  if (!/^Node\.js v\d/m.test(text)) return null;
  const line = /^(?:Uncaught )?(\w{0,40}Error(?: \[[A-Z_]{3,60}\])?: \S.{0,299})$/m.exec(text)?.[1];
  return line === undefined ? null : `Node.js: ${line}`;
}

/** Most lines below a warning's title that are its own, and characters that are quoted of them. */
const MAX_BELOW = 3;
const MAX_BLOCK = 500;
/** Letters of a library's name from which on a warning that has it as a word is about it. */
const MIN_PART = 5;

/** The words of a warning below its title, up to what another line of the log says. */
function belowTitle(lines: readonly string[]): string[] {
  const below: string[] = [];
  for (const line of lines.slice(0, 2 * MAX_BELOW)) {
    const words = line.trim().replace(prefix, "").replace(/^flutter: /, "");
    if (below.length === MAX_BELOW || line.length > MAX_QUOTED) break;
    if (words === "") continue;
    if (below.length > 0 && ofLog.test(line.trim())) break;
    below.push(words);
  }
  return below;
}

/** The classes of a program, the quoted values and the files that a reason names. */
function namedIn(reason: string): string[] {
  const text = reason.slice(0, 2000);
  const names: string[] = [];
  for (const [, name] of text.matchAll(/(?<![\w$])([A-Z_][\w$]{4,80})(?![\w$])/g)) {
    if (/[a-z\d][A-Z]|\w_\w/.test(name) && !ofSystem(name) && !/Exception$/.test(name)) {
      names.push(name);
    }
  }
  for (
    const [, value] of text.matchAll(
      /(?<=^|[\s(=:<])['"\u2018\u201c]([^'"\u2018\u2019\u201c\u201d\n]{5,80})['"\u2019\u201d]/g,
    )
  ) {
    if (!/^NS|^\W*$|^\d{1,8}$/.test(value) && !ofSystem(value)) names.push(value);
  }
  for (
    const [, key] of text.matchAll(
      /\bfor (?:the )?key(?: path)? ['"]?([A-Za-z_][\w.]{4,80}?)['".]?(?=\s|$)/g,
    )
  ) {
    names.push(key);
  }
  for (
    const [file] of text.matchAll(
      /[\w@+-]{2,80}\.(?:xib|nib|storyboardc?|plist|sqlite|json|dylib|framework|bundle|momd?|xcdatamodeld?|mlmodelc?|ttf|otf|wav|mp3|caf|mov|js|jsbundle)\b/g,
    )
  ) names.push(file);
  return unique(names);
}

/** The parts of the selector that a reason of an unrecognized one names. */
function methodsIn(reason: string): string[] {
  const selector = /[-+]\[[\w.$]{3,100} (\w[\w:]{2,200})\]: unrecognized selector/.exec(reason)
    ?.[1];
  return selector === undefined
    ? []
    : selector.split(":").slice(0, 1).filter((part) => part.length > 2);
}

/** The libraries that a program brings along and its classes on a stack, in letters alone. */
function partsOn(report: CrashReport, stack: readonly ReportFrame[]): string[] {
  const names: string[] = [];
  for (const frame of stack.slice(0, STACK_DEPTH)) {
    if (isSystemFrame(frame) || frameOwner(frame, frame.symbol) !== "program") continue;
    const image = imageOf(frame);
    if (image !== null && titleOf(frame) !== report.process.name) names.push(imageTitle(image));
    const type = /^[-+]\[(\w{4,100})|^(?:static )?(\w{4,100})[.:]/.exec(frame.symbol ?? "");
    const name = type?.[1] ?? type?.[2];
    if (name !== undefined && /[a-z\d][A-Z]/.test(name)) names.push(name);
  }
  return names.filter((name) => !/^(?:Runner|App|Flutter|UnityFramework|React|hermes)$/.test(name))
    .map(plain);
}

function plain(name: string): string {
  return name.toLowerCase().replace(/[^a-z\d]/g, "");
}
