/** A report in a few sentences: what happened, where, and what to check. */

import { decodeException, subtypeName } from "../codes.ts";
import { faultAddress, register } from "../fault.ts";
import { isSystemImage } from "../images.ts";
import {
  type KnowledgeRow,
  known,
  knownFrame,
  knownMessage,
  knownTermination,
} from "../knowledge/mod.ts";
import { describeAddress } from "./address.ts";
import type { CrashReport, ReportFrame, ReportImage, ReportThread } from "../report.ts";

/** What a report means. Its texts hold what the report says, so they are not safe to print raw. */
export interface Explanation {
  /** In one line: what crashed, and how. */
  readonly headline: string;
  /** What happened, in sentences, the most telling first. */
  readonly happened: readonly string[];
  /** The thread that crashed; `null` when the report does not say. */
  readonly thread: ReportThread | null;
  /** The first frame of the program's own code: of where an uncaught exception was thrown, else of the
   * crashed thread; `null` when there is none. */
  readonly firstOwn: ReportFrame | null;
  /** Likely causes, the most likely first. */
  readonly causes: readonly string[];
  /** What to do, first things first. */
  readonly check: readonly string[];
  /** The rows of {@linkcode knowledge} that this rests on. */
  readonly rows: readonly KnowledgeRow[];
}

/** Says what a report means.
 *
 * @param mine whether an image is the reader's own; what is not the system's when left out
 *
 * @example
 * ```ts
 * import { crashReports } from "@machpause/machpause";
 *
 * const { explainReport, readReport } = await crashReports();
 * const report = readReport(await Deno.readFile("MyApp.ips"), "MyApp.ips");
 * const { headline, happened, check } = explainReport(report);
 * console.log(headline, happened, check);
 * ```
 */
export function explainReport(
  report: CrashReport,
  mine: (image: ReportImage) => boolean = (image) => !isSystemImage(image),
): Explanation {
  const { exception, termination } = report;
  const thread = report.crashedThread;
  const information: readonly string[] = report.information;
  const happened: string[] = [];
  const rows: KnowledgeRow[] = [];
  const add = (row: KnowledgeRow | null, text?: string): void => {
    if (row === null || rows.includes(row)) return;
    rows.push(row);
    happened.push(text ?? row.meaning);
  };

  // Messages say most, then why the system ended it, then frames, then the bare exception.
  for (const message of messages(report)) {
    const row = knownMessage(message);
    if (row !== null) add(row, `${row.meaning} It says: ${message}`);
    else if (information.includes(message)) happened.push(`It says: ${message}`);
  }
  if (termination !== null) {
    const { namespace, code } = termination;
    const row = code === null || namespace === "SIGNAL" ? null : knownTermination(namespace, code);
    add(row, row === null ? undefined : sentence(row.meaning));
    if (namespace !== null && namespace !== "SIGNAL") {
      if (row === null) add(known("namespace", namespace.toUpperCase()));
      const [reason] = termination.reasons;
      if (reason !== undefined) happened.push(`It says: ${reason}`);
    }
  }
  for (const code of exception?.codes ?? []) {
    if (code > 0xffffn) add(knownTermination(null, code));
  }
  for (const row of telltales(report)) add(row);
  const decoded = exception === null ? null : decodeException(exception);
  if (decoded !== null) happened.push(sentence(decoded));
  // EXC_CRASH says nothing that its signal does not say better.
  const signal = /^SIG[A-Z]+/.exec(exception?.signal ?? "")?.[0];
  const specific = rows.length > 0;
  if (exception?.type === "EXC_CRASH" && signal !== undefined) {
    if (!specific) add(known("signal", signal));
  } else if (exception?.type != null) {
    add(known("exception", exception.type));
  }
  if (exception !== null) {
    const subtype = subtypeName(exception, report.arch);
    const row = subtype === null ? null : known("subtype", subtype);
    const address = faultAddress(report);
    const at = address === null ? "" : ` at 0x${address.toString(16)}`;
    add(row, row === null ? undefined : `${subtype}${at}: ${row.meaning}.`);
    if (address !== null) {
      for (const words of describeAddress(report, address)) {
        happened.push(`The address: ${words}.`);
      }
    }
    const access = exception.type === "EXC_CRASH" ? null : accessWords(thread);
    if (access !== null) happened.push(access);
    if (exception.type === null && signal !== undefined) add(known("signal", signal));
  }
  const deep = recursion(thread);
  if (deep !== null) happened.unshift(deep);

  const causes: string[] = [];
  const check: string[] = [];
  for (const row of rows) {
    for (const cause of row.causes) if (!causes.includes(cause)) causes.push(cause);
    if (!check.includes(row.next)) check.push(row.next);
  }
  return {
    headline: headline(report),
    happened,
    thread,
    firstOwn: firstOwn(report, mine),
    causes: causes.slice(0, 6),
    check: check.slice(0, 4),
    rows,
  };
}

function sentence(text: string): string {
  const begun = text.slice(0, 1).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(begun) ? begun : `${begun}.`;
}

function headline(report: CrashReport): string {
  const { process, exception, termination } = report;
  const name = process.name ?? "a process";
  const version = process.version === null ? "" : ` ${process.version}`;
  const on = [report.model, report.osVersion].filter((text) => text !== null).join(", ");
  const what = exception?.type != null
    ? `${exception.type}${exception.signal === null ? "" : ` (${exception.signal})`}`
    : report.format === "sample" || report.format === "spindump"
    ? `${report.format}, ${report.threads.length} threads`
    : report.bugType === "288"
    ? "stackshot"
    : "no exception";
  const ended = termination?.namespace == null || termination.namespace === "SIGNAL"
    ? ""
    : `, ended by ${termination.namespace}` +
      (termination.code === null ? "" : ` 0x${termination.code.toString(16)}`);
  return `${name}${version}: ${what}${ended}${on === "" ? "" : `, on ${on}`}`;
}

/** Everything that was left for the report in words. */
function messages(report: CrashReport): string[] {
  const list = [...report.information];
  if (report.exception?.message != null) list.push(report.exception.message);
  if (report.exception?.note != null) list.push(report.exception.note);
  for (const reason of report.termination?.reasons ?? []) list.push(reason);
  return list.slice(0, 50);
}

/** The rows of the first frames, by which many a crash is known; the innermost first. */
function telltales(report: CrashReport): KnowledgeRow[] {
  const rows: KnowledgeRow[] = [];
  const frames = report.crashedThread?.frames ?? [];
  for (const frame of frames.slice(0, 12)) {
    const row = frame.symbol === null ? null : knownFrame(frame.symbol);
    // What objc_msgSend means below the top is nothing.
    const topOnly = row !== null &&
      /^(?:objc_|swift_re|swift_unknown|swift_task|os_unfair)/.test(row.key);
    if (row !== null && (!topOnly || frame.index === 0)) rows.push(row);
    if (rows.length >= 3) break;
  }
  // That abort() was called says less than who called it.
  return rows.sort((a, b) => Number(isVague(a)) - Number(isVague(b)));
}

function isVague({ key }: KnowledgeRow): boolean {
  return key === "abort" || key === "__pthread_kill";
}

/** `ESR_ELx.EC` of a `brk` instruction. */
const breakpointClass = 0x3cn;
/** What compilers mean by the number of a `brk`: LLVM's trap, and the four keys of a pointer whose
 * authentication failed (`AArch64PointerAuth`). */
const breakpoints: Readonly<Record<number, string>> = {
  0x1: "brk 1 is a trap of the compiler's: a failed Swift check, or __builtin_trap().",
  0xc470: "brk 0xc470: a pointer's authentication failed (key IA).",
  0xc471: "brk 0xc471: a pointer's authentication failed (key IB).",
  0xc472: "brk 0xc472: a pointer's authentication failed (key DA).",
  0xc473: "brk 0xc473: a pointer's authentication failed (key DB).",
};

/** What the CPU says of the access. */
function accessWords(thread: ReportThread | null): string | null {
  const esr = register(thread, "esr");
  if (esr !== null && ((esr >> 26n) & 0x3fn) === breakpointClass) {
    const words = breakpoints[Number(esr & 0xffffn)];
    if (words !== undefined) return words;
  }
  const note = thread?.registers.find(({ name }) => name === "esr")?.note;
  if (note != null) return `The CPU says: ${note.replace(/[()]/g, "")}.`;
  if (esr !== null && Number((esr >> 26n) & 0x3fn) === 0x24) {
    return (esr & 0x40n) !== 0n ? "It was writing." : "It was reading.";
  }
  return null;
}

/** A stack on which the same function stands again and again. */
function recursion(thread: ReportThread | null): string | null {
  const frames = thread?.frames ?? [];
  if (frames.length < 400) return null;
  const counts = new Map<string, { frame: ReportFrame; count: number }>();
  for (const frame of frames) {
    const key = frame.symbol ?? `0x${frame.address.toString(16)}`;
    const entry = counts.get(key);
    if (entry === undefined) counts.set(key, { frame, count: 1 });
    else entry.count++;
  }
  const most = [...counts.values()].sort((a, b) => b.count - a.count)[0];
  if (most.count < frames.length / 10) return null;
  const name = most.frame.symbol ?? `code at 0x${most.frame.address.toString(16)}`;
  return `${name} is on the stack ${most.count} times in ${frames.length} frames: ` +
    "recursion without end, until the stack was full.";
}

function firstOwn(
  report: CrashReport,
  mine: (image: ReportImage) => boolean,
): ReportFrame | null {
  const stacks = [
    report.lastException ?? [],
    (report.crashedThread ?? report.threads[0])?.frames ?? [],
  ];
  for (const frames of stacks) {
    const found = frames.find(({ image }) => image !== null && mine(image));
    if (found !== undefined) return found;
  }
  return null;
}
