/** What is said of a launched program's crash, and its report. */
import { howEnded } from "../../ffi/processes.ts";
import { TargetGoneError } from "../../lib/errors.ts";
import { escape, escapeLines, safe, type SafeText } from "../../lib/escape.ts";
import {
  attributeReport,
  exceptionOfCrash,
  explainReport,
  isSystemImage,
  reportOf,
  writeReport,
} from "../../lib/report/mod.ts";
import type { Crash, LiveTarget } from "../../mod.ts";
import { explanationLines } from "../view/crash_show.ts";
import { shownFrames } from "../view/frames.ts";
import { backtraceLines } from "../view/render.ts";
import { wrapped } from "../view/text.ts";
import type { Session } from "./session.ts";

/** As LLDB says it: `EXC_BAD_ACCESS (code=1, address=0x8)`, `signal SIGABRT`. */
export function reasonOf(crash: Crash): SafeText {
  const { type, signal } = exceptionOfCrash(crash);
  if (crash.exception === 0) return safe`signal ${escape(signal!)}`;
  const isAccess = crash.exception === 1;
  // The CPU does not say which address it was.
  if (isAccess && crash.code === 13n) return safe`${escape(type!)} (code=EXC_I386_GPFLT)`;
  const subcode = `${isAccess ? "address" : "subcode"}=0x${crash.subcode.toString(16)}`;
  return safe`${escape(type!)} (code=${Number(crash.code)}, ${escape(subcode)})`;
}

/** Frames shown of the thread that crashed. */
const shownCount = 10;

/** What happened, and the stack of the thread that crashed. */
export function crashLines(session: Session): SafeText[] {
  const { crash, pointerSize, style, thread, title, ui } = session;
  if (crash === undefined) return [];
  const shown = shownFrames(thread, shownCount);
  const { columns } = ui.size();
  const what = safe`${title} crashed in thread ${thread.index}: ${reasonOf(crash)}`;
  return [
    ...wrapped(style("warning", what), columns),
    ...backtraceLines(thread, pointerSize, style, shownCount, shown, undefined, columns),
    ...ui.interactive
      ? [style("quiet", safe`(\`crash\` explains it; \`resume\` lets it die of it)`)]
      : [],
  ];
}

/** The report of the session's target as it is, and its explanation.
 *
 * @param brief whether the explanation alone is shown
 */
export async function reportLines(session: Session, brief = false): Promise<SafeText[]> {
  const { target } = session;
  const { demangle } = await import("../../lib/symbols/demangle/mod.ts");
  const threads = session.threads(true);
  const report = reportOf(target, threads, {
    ...(session.core === undefined ? { date: new Date() } : {}),
    incident: crypto.randomUUID(),
    demangle: (name) => demangle(name),
  });
  const explanation = explainReport(report, (image) => !isSystemImage(image));
  const attribution = attributeReport(report);
  const { columns } = session.ui.size();
  return [
    ...brief ? [] : [
      ...fitted(writeReport(report, "crash").trimEnd().split("\n"), columns).map(escapeLines),
      safe``,
    ],
    ...explanationLines(explanation, { report, attribution, missing: [] }, session.style),
  ];
}

/** Outermost and innermost frames that are shown of a stack which a report has whole. */
const ENDS = 256;
/** Frames that are left out at least. */
const LEAST = 1000;

/** The lines of a report as they are shown: registers as many a line as fit, and of a stack that overflowed both ends. */
export function fitted(lines: readonly string[], columns: number): string[] {
  const shown: string[] = [];
  for (let at = 0; at < lines.length; at++) {
    let end = at;
    while (/^\d+ /.test(lines[end] ?? "")) end++;
    if (end - at > 2 * ENDS + LEAST) {
      const left = end - at - 2 * ENDS;
      shown.push(...lines.slice(at, at + ENDS), `... ${left} frames are left out here ...`);
      shown.push(...lines.slice(end - ENDS, end));
      at = end - 1;
      continue;
    }
    const cells = lines[at].length > columns
      ? lines[at].match(/ +\w{1,6}: 0x[0-9a-f]+/g) ?? []
      : [];
    if (cells.length === 0 || cells.join("") !== lines[at]) {
      shown.push(lines[at]);
      continue;
    }
    const perLine = Math.max(1, Math.floor(columns / cells[0].length));
    for (let from = 0; from < cells.length; from += perLine) {
      shown.push(cells.slice(from, from + perLine).join(""));
    }
  }
  return shown;
}

/** How often a program is looked at that is waited for, in milliseconds. */
const interval = 20;

/** Waits until a launched program ends or crashes.
 *
 * @returns how it ended, in words; `undefined` when it crashed
 */
export async function awaitEnd(session: Session): Promise<string | undefined> {
  const target = session.target as LiveTarget;
  for (;;) {
    if (session.attendCrash() || session.crash !== undefined) return undefined;
    try {
      session.checkAlive();
    } catch (error) {
      if (!(error instanceof TargetGoneError)) throw error;
      return await howEnded(target);
    }
    await new Promise((resolve) => setTimeout(resolve, interval));
  }
}
