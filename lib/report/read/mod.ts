/** Reading a report of any kind. */

import { FormatError } from "../../errors.ts";
import { readCallTree } from "./call_tree.ts";
import { type NextReport, readCrashText } from "./crash_text.ts";
import { unreadLines } from "./titles.ts";
import { readIpsBody } from "./ips.ts";
import { isIssueText, readIssueText } from "./issue_text.ts";
import { isBacktrace, readBacktrace } from "./backtrace_io.ts";
import { isBreakpad, isMinidumpJson, readBreakpad, readMinidumpJson } from "./breakpad.ts";
import { eventsIn, isBugsnag, isSentry, readBugsnag, readSentry } from "./events.ts";
import { aroundKSCrash, isKSCrash, readKSCrash } from "./kscrash.ts";
import { readMeasure, recordedIn } from "./measure.ts";
import { isMetricKit, readMetricKit } from "./metrickit.ts";
import { isConsole, readConsole } from "./console.ts";
import { listDocument, stackDocument } from "./document.ts";
import { isMono, readMono } from "./mono.ts";
import {
  isPanic,
  isPanicPiece,
  type ParsedPanic,
  parsePanic,
  readPanic,
  systemOf,
  withoutMessage,
} from "./panic.ts";
import { nameFromNeighbours } from "./copies.ts";
import { withoutCutAddress } from "./cut_end.ts";
import { salvage } from "./salvage.ts";
import { readStackshotLists } from "./stackshot_text.ts";
import { unwrap } from "./unwrap.ts";
import {
  arrayAt,
  isObject,
  type JsonObject,
  objectAt,
  type ParsedJson,
  parseJson,
  textAt,
} from "../json.ts";
import { markCached } from "../images.ts";
import { markNearest } from "../nearest.ts";
import { CrashReport, type ReportFrame } from "../report.ts";
import { decodeReport, isBinary } from "../text.ts";
import { noThreads } from "./parts.ts";

/** Most further events of one document that are read. */
const MAX_EVENTS = 1000;

/** Maximum size; larger files are not reports. */
const MAX_SIZE = 256 << 20;

/** What is read, in errors. */
const anyReport = "a crash report, a sample, a spindump or a panic";

/** Reads a crash report: Apple's crash text, `.ips`, what `sample` or `spindump` print, and what other
 * reporters write: KSCrash, Sentry, Bugsnag, Measure, MetricKit, Breakpad. Damage costs what is damaged, with a
 * warning.
 *
 * @param file its bytes, or its text
 * @param name of its file: for errors, and `CrashReport.file`
 *
 * @example
 * ```ts
 * import { readReport } from "@machpause/machpause/report";
 *
 * const report = readReport(await Deno.readFile("MyApp.ips"), "MyApp.ips");
 * for (const thread of report.threads) console.log(thread.index, thread.frames.length);
 * ```
 * @throws FormatError when it is not a report
 */
export function readReport(file: Uint8Array | string, name: string): CrashReport {
  return readReports(file, name, 1)[0];
}

/** Reads all reports in a file: some people put several into one. See {@linkcode readReport}.
 *
 * @param most maximum number of reports
 *
 * @example
 * ```ts
 * import { readReports } from "@machpause/machpause/report";
 *
 * for (const { process } of readReports(await Deno.readFile("crashes.txt"), "crashes.txt")) {
 *   console.log(process.name);
 * }
 * ```
 * @throws FormatError when it has no report
 */
export function readReports(
  file: Uint8Array | string,
  name: string,
  most = Infinity,
): readonly CrashReport[] {
  if (file.length > MAX_SIZE) throw new FormatError(name, MAX_SIZE, "a report, which is smaller");
  if (typeof file !== "string" && isBinary(file)) throw new FormatError(name, 0, anyReport);
  const { text, undone } = unwrap(typeof file === "string" ? file : decodeReport(file));
  const reports: CrashReport[] = [];
  // Frames that are quoted in front of a report are not the one that was asked for.
  const isSought = (): boolean =>
    reports.length < most || (reports.length === most && isQuotation(reports[most - 1]));
  for (let rest = text; rest !== "" && isSought();) {
    const next: Following = { at: null, more: [] };
    const read = readOne(rest, name, next);
    const whole = read === null ? null : withoutCutAddress(read);
    const own = next.at === null ? rest : rest.slice(0, next.at);
    rest = next.at === null ? "" : rest.slice(next.at);
    if (whole === null) continue;
    const warnings = [...whole.warnings];
    if (undone.length > 0) {
      warnings.push(`copying had changed the text; put right: ${undone.join(", ")}`);
    }
    if ((rest !== "" || next.more.length > 0) && reports.length + 1 === most) {
      warnings.push("another report follows in the file: only the first is read");
    }
    const isChanged = own !== whole.text || warnings.length > whole.warnings.length;
    reports.push(isChanged ? new CrashReport({ ...whole, text: own, warnings }) : whole);
    for (const report of next.more) if (reports.length < most) reports.push(report);
  }
  const named = reports.length > 1 ? nameFromNeighbours(reports) : reports;
  const told = named.filter((report) =>
    !isQuotation(report) || !named.some((other) => isExcerpt(report, other))
  ).slice(0, most);
  for (const report of told) {
    markCached(report);
    markNearest(report);
  }
  if (told.length === 0) {
    const isPiece = /"(?:imageOffset|imageIndex|usedImages|vmSummary|procPath|bug_type)" ?:/.test(
      text.slice(0, 1 << 16),
    );
    throw new FormatError(
      name,
      0,
      isPiece
        ? "more of the .ips report that this is a piece of: its exception or a whole stack"
        : nameless.find(([pattern]) => pattern.test(text.slice(0, 1 << 16)))?.[1] ?? anyReport,
    );
  }
  return told;
}

/** Whether a report is some frames alone. */
function isQuotation(report: CrashReport): boolean {
  const { exception, termination, lastException, information, process, images, threads } = report;
  const count = threads.reduce((sum, { frames }) => sum + frames.length, 0);
  return exception === null && termination === null && lastException === null &&
    information.length === 0 && images.length === 0 && process.name === null &&
    report.header === null && count > 0 && count <= MAX_QUOTED;
}

/** Whether a quotation is of another report, as people put some frames in front of the whole. */
function isExcerpt(report: CrashReport, whole: CrashReport): boolean {
  if (report === whole || whole.exception === null) return false;
  const quoted = report.threads.flatMap(({ frames }) => frames);
  const key = ({ address, symbol }: ReportFrame): string => `${address} ${symbol}`;
  const known = new Set(whole.stacks.flatMap((frames) => frames.map(key)));
  return quoted.every((frame) => frame.address !== 0n && known.has(key(frame)));
}

/** Most frames of such a quotation. */
const MAX_QUOTED = 64;

/** What is known but does not tell what happened, and what would. */
const nameless: readonly (readonly [RegExp, string])[] = [
  [
    /^Spindump binary format$/m,
    "the text of this binary spindump, which `spindump -i FILE` writes on a Mac",
  ],
  [
    /^General Purpose Registers:/m,
    "a stack or a stop reason beside the registers that LLDB printed",
  ],
  [
    /^\s{1,20}Address: \S.{0,300}\n\s{1,20}Summary: /m,
    "a stack or a stop reason beside LLDB's answer of what is at an address",
  ],
  [
    /^\s{0,8}#\d\d abs [0-9a-f]{8,16} (?:virt|_kDart)/m,
    "names: this is a stack of Dart code without symbols, which flutter symbolize gives names",
  ],
];

/** What follows a report in its file. */
interface Following extends NextReport {
  /** The other reports of the same JSON document. */
  readonly more: CrashReport[];
}

function readOne(text: string, name: string, next: Following): CrashReport | null {
  const start = text.charCodeAt(0) === 0xfeff ? 1 : 0;
  const isJson = startsWithBrace(text, start);
  const listed = isJson ? null : readList(name, text, start, next);
  if (listed !== null) return listed;
  const quoted = isJson ? null : ipsInside(name, text, start, next);
  if (quoted !== null) return quoted;
  const further = isJson ? headerIn(text, start + 1) : -1;
  const report = isJson
    ? readJson(name, upTo(text, further), start, next)
    : readText(name, text, start, null, [], next);
  if (report !== null && !isEmpty(report)) {
    if (further > start) next.at = further;
    return report;
  }
  const inside = jsonInside(name, text, start, next);
  if (inside !== null) return inside;
  // A JSON header with something else behind it, such as analytics.
  return report !== null && report.header !== null && report.process.name === null ? null : report;
}

/** Reads a list in JSON of frames, of threads or of other tools' reports; `null` for others. */
function readList(
  name: string,
  text: string,
  from: number,
  next: Following,
): CrashReport | null {
  if (!/^\s*\[\s*["{]/.test(text.slice(from, from + 100))) return null;
  const parsed = parseJson(text, from);
  if (!Array.isArray(parsed.value) || parsed.damage !== null) return null;
  const document = listDocument(parsed.value);
  const warnings = ["only frames are in the file, and not what happened"];
  if (typeof document === "string") {
    const report = readText(name, document, 0, null, warnings);
    return report === null ? null : withoutSpans(report, text);
  }
  if (document !== null) {
    return readOthers(name, text, document, warnings)[0] ??
      readBody(name, text, null, document, parsed, warnings);
  }
  const [first = null, ...more] = parsed.value.slice(0, MAX_EVENTS).flatMap((entry) =>
    isObject(entry) ? readOthers(name, text, entry, []) : []
  );
  next.more.push(...more.slice(0, MAX_EVENTS));
  return first;
}

/** Whether nothing was understood but a header. */
function isEmpty(
  { threads, exception, lastException, panic, termination, images, information, body, bugType }:
    CrashReport,
): boolean {
  return information.length === 0 && threads.length === 0 && exception === null &&
    lastException === null && panic === null && bugType !== "115" &&
    termination === null && images.length === 0 && body === null;
}

/** Titles of a report's text, whose JSON is the same report once more. */
const ofText =
  /^[ \t>]{0,8}(?:Incident Identifier|Process|Exception Type|Crashed Thread|Date\/Time):|^Full Report$/m;

/** Most lines with a kind that are looked at for the first one of an `.ips`. */
const MAX_HEADERS = 64;

/** A whole `.ips` somewhere in a text, such as a chat or notes, which says more than the words around it; `null` without one. */
function ipsInside(
  name: string,
  text: string,
  from: number,
  next: Following,
): CrashReport | null {
  for (let at = headerIn(text, from); at > from; at = headerIn(text, at + 1)) {
    if (ofText.test(text.slice(from, at))) return null;
    const further = headerIn(text, at + 1);
    const report = readJson(name, upTo(text, further), at);
    if (report === null || isEmpty(report)) continue;
    const told = unreadLines(text.slice(from, at)).filter((words) => tells.test(words));
    if (further > at) next.at = further;
    return new CrashReport({ ...report, unread: [...told, ...report.unread] });
  }
  return null;
}

/** A text up to the report that follows, of which nothing is to be read for one that is damaged; -1 when there is none. */
function upTo(text: string, further: number): string {
  return further < 0 ? text : text.slice(0, further);
}

/** Offset of the next header of an `.ips` that its body follows, from an offset on; -1 when there is none. */
function headerIn(text: string, from: number): number {
  let at = from;
  for (let count = 0; count < MAX_HEADERS; count++) {
    const found = text.indexOf('"bug_type"', at);
    const feed = found < 0 ? -1 : text.indexOf("\n", found);
    if (feed < 0) return -1;
    at = feed;
    const line = text.lastIndexOf("\n", found) + 1;
    const begin = text.indexOf('{"', line);
    if (
      begin >= from && begin < found && text.slice(begin, feed).trimEnd().endsWith("}") &&
      startsWithBrace(text, feed)
    ) return begin;
  }
  return -1;
}

/** Lines of a log that tell what happened, which prose and code do not look like. */
const tells =
  /Terminating app due to uncaught exception '[A-Za-z]|terminating (?:with|due to) uncaught exception of type \w|^(?:\S{1,200}: )?Fatal error: \w|^thread '.{1,100}' .{0,20}panicked at |^Unhandled [Ee]xception[.:] ?\S|^(?:Fatal Exception: )?[\w.]{3,100}(?:Exception|Error): \S/;

/** A report in JSON after prose, in a Markdown block, or without its beginning. */
function jsonInside(
  name: string,
  text: string,
  from: number,
  next: Following,
): CrashReport | null {
  const brace = /(?<=^`{0,3})\{(?:"|\s{0,8}$)/m.exec(text.slice(from));
  if (brace !== null && brace.index > 0) {
    const report = readJson(name, text, from + brace.index, next);
    if (report !== null && !isEmpty(report)) {
      return withBefore(report, text, from, from + brace.index);
    }
  }
  const left = salvage(text, from);
  if (left === null) return null;
  return readBody(name, text, null, left.body, left, [
    "the JSON is damaged: only parts of it could be read",
  ]);
}

/** A report with the lines before it, which nothing was read of. */
function withBefore(
  report: CrashReport,
  text: string,
  from: number,
  to: number,
): CrashReport {
  const unread = [...unreadLines(text.slice(from, to)), ...report.unread];
  return new CrashReport({ ...report, unread });
}

/** A text, if it is a panic's. */
function panicIn(text: string | null): string | null {
  return text !== null && isPanic(text) ? text : null;
}

/** The report in a JSON body, whatever kind it is. */
function readBody(
  name: string,
  text: string,
  header: JsonObject | null,
  body: JsonObject,
  parsed: Pick<ParsedJson, "spans">,
  warnings: string[],
): CrashReport {
  const string = textAt(body, "macOSPanicString") ?? textAt(body, "panicString") ??
    panicIn(textAt(body, "string"));
  const report = readIpsBody(name, text, header, body, parsed, warnings);
  if (string === null) return report;
  // The bridge's own panic says what it saw of the Mac; the Mac's says more, where it is there.
  const other = textAt(body, "panicString");
  const said = isPanic(string) || other === null ? string : other;
  const panic = parsePanic(said);
  const { message, task, extensions } = panic;
  const own = otherSystem(report.osVersion, panic);
  return new CrashReport({
    ...report,
    fields: [...report.fields, ...panic.fields],
    threads: panic.threads,
    images: panic.images,
    model: report.model ?? panic.model,
    osVersion: own ?? report.osVersion ?? panic.osVersion,
    information: [message],
    panic: {
      message: message === "" && !/^\s*panic ?\(cpu [^)]{0,40}$/.test(said)
        ? said.slice(0, 1000).trim()
        : message,
      task,
      extensions,
    },
    warnings: [
      ...warnings.filter((text) => text !== noThreads),
      ...(own === null ? [] : [
        `the header's system, ${report.osVersion}, is that which wrote the file, not that which panicked`,
      ]),
    ],
  });
}

/** The system that panicked, where the file was written by another one; `null` if they are the same. */
function otherSystem(written: string | null, panic: ParsedPanic): string | null {
  const own = systemOf(panic);
  const build = /\((\w{4,12})\)$/;
  const [writer, panicked] = [written, own].map((text) => build.exec(text ?? "")?.[1]);
  return panic.isMac && writer !== undefined && panicked !== undefined && writer !== panicked
    ? own
    : null;
}

function startsWithBrace(text: string, from: number): boolean {
  let at = from;
  while (at < text.length && text.charCodeAt(at) <= 0x20) at++;
  // A tracker's markup begins with one as well: `{html}`, `{code:title=log}`.
  return text.charCodeAt(at) === 0x7b && !/^\{[a-z]{2,12}[}:|]/.test(text.slice(at, at + 16));
}

/** Reads the JSON that other tools write; empty when it is none of theirs. */
function readOthers(
  name: string,
  text: string,
  value: JsonObject,
  warnings: string[],
): readonly CrashReport[] {
  if (isMinidumpJson(value)) return [readMinidumpJson(name, text, value, warnings)];
  // Socorro's processed crash has it as a member.
  const dump = objectAt(value, "json_dump");
  if (dump !== null && isMinidumpJson(dump)) return [readMinidumpJson(name, text, dump, warnings)];
  const crash = isKSCrash(value) ? value : aroundKSCrash(value);
  if (crash !== null) return [readKSCrash(name, text, crash, warnings)];
  const recorded = recordedIn(value).slice(0, MAX_EVENTS);
  if (recorded.length > 0) {
    return recorded.map((entry) => readMeasure(name, text, entry, [...warnings]));
  }
  if (isMetricKit(value)) return readMetricKit(name, text, value, warnings);
  if (isBacktrace(value)) return [readBacktrace(name, text, value, warnings)];
  return eventsIn(value).flatMap((event) =>
    isBugsnag(event)
      ? [readBugsnag(name, text, event, [...warnings])]
      : isSentry(event)
      ? [readSentry(name, text, event, [...warnings])]
      : []
  );
}

function readJson(
  name: string,
  text: string,
  from: number,
  next: Following = { at: null, more: [] },
): CrashReport | null {
  const first = parseJson(text, from);
  if (!isObject(first.value)) return null;
  const warnings: string[] = [];
  const damage: string[] = [];
  noteDamage(first.damage, damage);
  const [other, ...more] = readOthers(name, text, first.value, damage);
  if (other !== undefined) {
    next.more.push(...more.slice(0, MAX_EVENTS));
    return other;
  }
  if (isBody(first.value)) {
    noteDamage(first.damage, warnings);
    if (first.damage === null) warnings.push("the JSON header line is missing");
    return readBody(name, text, null, first.value, first, warnings);
  }
  const piece = pieceOf(first.value);
  if (piece !== null) {
    noteDamage(first.damage, warnings);
    const [what] = Object.keys(piece);
    warnings.push(
      `only ${what === "threads" ? "a thread" : `the ${what}`} of an .ips report is there`,
    );
    return readBody(name, text, null, piece, first, warnings);
  }
  const inner = isReportHeader(first.value) ? null : stackDocument(first.value);
  if (inner !== null) {
    noteDamage(first.damage, warnings);
    const report = readText(name, inner, 0, null, warnings);
    if (report !== null) return withoutSpans(report, text);
  }
  const header: JsonObject = isCounter(first.value) ? { bug_type: "211" } : first.value;
  if (first.damage !== null) {
    // Only the rest of this line is lost.
    const feed = text.indexOf("\n", from);
    if (feed < 0) return null;
    warnings.push("the JSON header line is damaged");
    return continueAfter(name, text, feed + 1, header, warnings);
  }
  return continueAfter(name, text, first.end, header, warnings);
}

/** Whether a JSON document is a line of the system's analytics, whose first line is missing. */
function isCounter(value: JsonObject): boolean {
  return objectAt(value, "message") !== null && textAt(value, "name") !== null &&
    /^[0-9a-f-]{36}_\d{1,3}$/.test(textAt(value, "uuid") ?? "");
}

/** Whether a JSON document is the first line of an `.ips` report. */
function isReportHeader(value: JsonObject): boolean {
  return Object.hasOwn(value, "bug_type") || Object.hasOwn(value, "incident_id");
}

/** A report whose frames have no places in the text that it was found in. */
function withoutSpans(report: CrashReport, text: string): CrashReport {
  const bare = (frames: readonly ReportFrame[]): ReportFrame[] =>
    frames.map((frame) => ({ ...frame, span: null }));
  return new CrashReport({
    ...report,
    text,
    threads: report.threads.map((thread) => ({ ...thread, frames: bare(thread.frames) })),
    lastException: report.lastException === null ? null : bare(report.lastException),
    warnings: report.warnings.filter((warning) => warning !== noThreads),
  });
}

function continueAfter(
  name: string,
  text: string,
  from: number,
  header: JsonObject,
  warnings: string[],
): CrashReport | null {
  if (!startsWithBrace(text, from)) return readText(name, text, from, header, warnings);
  const body = parseJson(text, from);
  noteDamage(body.damage, warnings);
  if (!isObject(body.value)) return null;
  if (Object.keys(header).length === 0 && Object.keys(body.value).length === 0) return null;
  // What follows the damage may be whole again.
  const rest = body.damage === null ? null : salvage(text, from + body.damage.offset - from);
  const all = rest === null ? body.value : { ...rest.body, ...body.value };
  const spans = rest === null ? body.spans : new Map([...rest.spans, ...body.spans]);
  return readBody(name, text, header, all, { spans }, warnings);
}

function noteDamage(
  damage: { readonly offset: number; readonly expected: string } | null,
  warnings: string[],
): void {
  if (damage === null) return;
  warnings.push(
    `the JSON is damaged or cut off at offset 0x${damage.offset.toString(16)}: ` +
      `expected ${damage.expected}; what is before it is shown`,
  );
}

/** A body of what was copied of one, by the members that only that has: the value of its termination or of its exception, or
 * one of its threads; `null` for others. */
function pieceOf(value: JsonObject): JsonObject | null {
  if (isObject(value.termination)) return value;
  const has = (...keys: string[]): boolean => keys.every((key) => Object.hasOwn(value, key));
  const frames = arrayAt(value, "frames");
  if (frames.some((frame) => isObject(frame) && Object.hasOwn(frame, "imageOffset"))) {
    return { threads: [value] };
  }
  if (
    has("namespace") && (has("indicator") || has("reasons") || has("code", "flags")) &&
    textAt(value, "namespace") !== null
  ) return { termination: value };
  return has("type") && (has("rawCodes") || has("codes", "signal") || has("signal", "subtype")) &&
      /^EXC_[A-Z]/.test(textAt(value, "type") ?? "")
    ? { exception: value }
    : null;
}

/** Whether a JSON document is a report's body rather than its header. */
function isBody(value: JsonObject): boolean {
  // Others have threads by their numbers.
  if (Array.isArray(value.threads)) return true;
  return [
    "usedImages",
    "exception",
    "procName",
    "processByPid",
    "panicString",
    "memoryStatus",
  ].some((key) => Object.hasOwn(value, key));
}

/** The title between a translated text and its JSON. */
const fullTitle = /\n-+\r?\nFull Report\r?\n-+\r?\n\s*(?=\{)/;

/** Offsets of the JSON after a translated text; `null` when there is none. */
function fullReport(text: string, from: number): { start: number; json: number } | null {
  // indexOf is faster than searching for the pattern.
  const words = text.indexOf("\nFull Report", from);
  if (words < 0) return null;
  const line = text.lastIndexOf("\n", words - 1);
  const match = line < 0 ? null : fullTitle.exec(text.slice(line, words + 1000));
  return match === null || match.index !== 0
    ? null
    : { start: line + 1, json: line + match[0].length };
}

function withFull(report: CrashReport, full: { json: number } | null): CrashReport {
  if (full === null) return report;
  const embedded = readJson(report.file, report.text, full.json);
  if (embedded === null || embedded.format !== "ips") return report;
  return new CrashReport({ ...report, embedded });
}

/** A stackshot with its threads, which only their lists have. */
function withStackshot(report: CrashReport, from: number): CrashReport {
  if (report.threads.length > 0 || !report.exception?.codes.includes(0xbaaaaaadn)) return report;
  const lists = readStackshotLists(report.text, from);
  if (lists === null) return report;
  const warnings = report.warnings.filter((text) => text !== noThreads);
  return new CrashReport({ ...report, ...lists, warnings });
}

/** Offset of the system's whole report behind what a debugger printed of the same process, which says less; `null` when
 * there is none. */
function behindDebugger(text: string, from: number): number | null {
  const head = text.slice(from, from + 3000);
  if (!head.includes("(lldb) ") && !head.includes("* thread #")) return null;
  const begin =
    /^(?:Incident Identifier|Process|Date\/Time|OS Version|System Integrity Protection|Crashed Thread|Triggered by Thread|Exception Type): {1,20}\S/m
      .exec(text.slice(from, from + (1 << 18)));
  if (begin === null || begin.index === 0) return null;
  const at = from + begin.index;
  const rest = text.slice(at, at + (1 << 16));
  const type = rest.search(/^Exception Type:/m);
  return type >= 0 && /^Thread \d{1,5} Crashed/m.test(rest.slice(type)) ? at : null;
}

function readText(
  name: string,
  text: string,
  from: number,
  header: JsonObject | null,
  warnings: string[] = [],
  next: NextReport = { at: null },
): CrashReport | null {
  const whole = behindDebugger(text, from);
  if (whole !== null) {
    const report = readText(name, text, whole, header, warnings, next);
    return report === null ? null : withBefore(report, text, from, whole);
  }
  // Nearly all texts are crash texts, which say so soon; behind a call tree another tool's words do not count.
  const head = text.slice(from, from + 3000);
  const exception = head.indexOf("\nException Type:");
  if (exception < 0 || /^(?:Call graph:|Heaviest stack for )/m.test(head.slice(0, exception))) {
    if (isBreakpad(text, from)) return readBreakpad(name, text, from, warnings);
    if (isMono(text, from)) return readMono(name, text, from, warnings);
    if (isConsole(text, from)) return readConsole(name, text, from, warnings);
    if (exception < 0 && isIssueText(text, from)) return readIssueText(name, text, from, warnings);
    if (isPanic(text, from)) {
      return readPanic(name, text, text, { header, body: null }, from, warnings);
    }
    const tree = readCallTree(name, text, from, header);
    if (tree !== null) return tree;
    if (isPanicPiece(text, from)) {
      return readPanic(name, text, text, { header, body: null }, from, warnings);
    }
  }
  const full = fullReport(text, from);
  const read = readCrashText(name, text, from, header, warnings, full?.start, next);
  const report = withoutMessage(withStackshot(withFull(read, full), from));
  const { threads, images, lastException } = report;
  const empty = threads.length === 0 && images.length === 0 && lastException === null;
  if (!empty || report.exception !== null || report.termination?.namespace != null) return report;
  if (report.information.length > 0) return report;
  // A piece of a resource report's header says what was used, and the limit.
  const has = (pattern: RegExp): boolean => report.fields.some(({ name }) => pattern.test(name));
  if (has(/^event$/i) && has(/^(?:action taken|cpu|wakeups|writes|duration|steps)\b/i)) {
    return report;
  }
  // The text of a low-memory report.
  if (has(/^largest process$/i) && has(/^free pages$/i)) return report;
  // ResetCounter has nothing but lines of a header.
  if (report.bugType === "115") return report;
  // A header alone is a report that was cut off early.
  if (report.fields.some(({ name }) => name === "Report Version")) return report;
  const named = report.process.name !== null || report.incident !== null;
  return named && report.fields.length >= 3 ? report : null;
}
