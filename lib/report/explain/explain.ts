/** A report in a few sentences: what happened, whose code it was, and what to check. */

import { withJson } from "../../json_form.ts";
import { isSystemImage } from "../images.ts";
import { isJetsam } from "../jetsam.ts";
import { objectAt } from "../json.ts";
import { known } from "../knowledge/mod.ts";
import { type CrashReport, isSample, type ReportImage } from "../report.ts";
import { explainCrash } from "./crash.ts";
import { type Explanation, explanationJson, type Findings, finished } from "./explanation.ts";
import { explainJetsam, explainLowMemory } from "./jetsam.ts";
import {
  eventOf,
  explainEvent,
  explainStackshot,
  frontWords,
  namedProcess,
  namedWords,
} from "./kinds.ts";
import { explainPanic } from "./panic.ts";
import { explainSampled, isHeadless } from "./sampled.ts";
import { isLive, isPaused, isSnapshot } from "./telling.ts";
import { endedTaskWords, reasonOf, terminationRow } from "./termination.ts";
import { count, sentence } from "./words.ts";

/** Explains a report.
 *
 * @param mine whether an image is the reader's own; by default those that are not the system's
 *
 * @example
 * ```ts
 * import { explainReport, readReport } from "@machpause/machpause/report";
 *
 * const report = readReport(await Deno.readFile("MyApp.ips"), "MyApp.ips");
 * const { headline, happened, check } = explainReport(report);
 * console.log(headline, happened, check);
 * ```
 */
export function explainReport(
  report: CrashReport,
  mine: (image: ReportImage) => boolean = (image) => !isSystemImage(image),
): Explanation {
  return withJson(explained(report, mine), explanationJson);
}

function explained(report: CrashReport, mine: (image: ReportImage) => boolean): Explanation {
  const whole = ({ headline, happened, rows }: Findings): Explanation =>
    finished(report, headline, happened, rows, null, null);
  if (report.panic !== null) return whole(explainPanic(report));
  if (isJetsam(report)) return whole(explainJetsam(report));
  const memory = explainLowMemory(report);
  if (memory !== null) return whole(memory);
  const event = eventOf(report);
  if (event !== null) {
    const { headline, happened, rows } = explainEvent(report, event);
    return explainSampled(report, headline, happened, rows, mine);
  }
  // Why a service was ended says more than that it was.
  const isEnded = report.bugType === "409" && report.termination !== null;
  const kind = report.bugType === null || isEnded ? null : known("report", report.bugType);
  if (kind !== null || isStackshot(report)) {
    const reason = reasonOf(report);
    // One is also taken where a watchdog ends a process.
    const ended = terminationRow(report);
    if (ended !== null && ended.kind === "termination" && !ended.key.endsWith("0xbaaaaaad")) {
      const code = ended.key.slice(ended.key.indexOf(":") + 1).split(" ")[0];
      const told = [
        `A stackshot of the whole system, taken when a process was ended (${code}): ${
          sentence(ended.meaning)
        }`,
        ...(reason === null ? [] : [
          `It says: ${reason}`,
          ...endedTaskWords(ended, reason),
          ...namedWords(report, namedProcess(report, reason), null),
        ]),
        ...frontWords(report),
      ];
      return whole({ headline: "stackshot", happened: told, rows: [ended] });
    }
    const found = explainStackshot(report, reason);
    const code = report.exception?.codes[0] ?? 0xbaaaaaadn;
    const own = code > 0xffffn && code !== 0xbaaaaaadn
      ? [`Its exception code is 0x${code.toString(16)}.`]
      : [];
    return whole({ ...found, happened: [...found.happened, ...own] });
  }
  if (isSample(report)) {
    const threads = threadCount(report);
    const kind = isHeadless(report) ? `part of a ${report.format}` : report.format;
    const title = threads === 0 ? kind : `${kind}, ${count(threads, "thread")}`;
    return explainSampled(report, title, [], [], mine);
  }
  if (isLive(report)) {
    const told =
      "The process made this report of itself while it ran (PLCrashReporter's live report): nothing crashed.";
    return explainSampled(report, "live report", [told], [], mine);
  }
  if (isSnapshot(report)) {
    const { meaning } = known("message", "SIMULATED (this is NOT a crash)")!;
    return explainSampled(report, "not a crash", [meaning], [], mine);
  }
  if (isPaused(report)) {
    const told = "A debugger paused the process: nothing crashed.";
    return explainSampled(report, "paused by a debugger", [told], [], mine);
  }
  return explainCrash(report, mine);
}

/** Number of threads of a sample, which has a row for each queue that a thread worked for, and for a queue of several threads. */
function threadCount({ threads }: CrashReport): number {
  const ids = new Set(threads.map(({ id }) => id).filter((id) => id !== null));
  return ids.size === 0 ? threads.length : ids.size;
}

/** Whether a report without its kind is a stackshot, by its table of the system's processes or its code. */
function isStackshot({ exception, body, bugType }: CrashReport): boolean {
  if (bugType === null && objectAt(body ?? undefined, "processByPid") !== null) return true;
  return exception?.codes.includes(0xbaaaaaadn) === true && exception.type === null;
}
