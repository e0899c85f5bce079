/** Writing a report: unchanged, or converted to the other format. */

import { isJetsam, isLowMemory } from "../jetsam.ts";
import { type CrashReport, isSample } from "../report.ts";
import { crashText } from "./text.ts";
import { ipsText } from "./ips.ts";

/** A report that the form it was to be written in cannot hold: it would be read as another one.
 *
 * @example
 * ```ts
 * import { readReport, ReportFormError, writeReport } from "@machpause/machpause/report";
 *
 * const report = readReport(await Deno.readFile("panic-full.ips"), "panic-full.ips");
 * try {
 *   console.log(writeReport(report, "crash"));
 * } catch (error) {
 *   if (!(error instanceof ReportFormError)) throw error;
 *   console.log(error.held); // a kernel panic
 * }
 * ```
 */
export class ReportFormError extends Error {
  /** The class name, set here so that minifying keeps it. */
  override readonly name: string = "ReportFormError";
  /** The form that was asked for. */
  readonly form: "crash" | "ips";
  /** What the report holds that has no place in the form, with an article. */
  readonly held: string;

  /** Creates the error of a report.
   *
   * @param file that the report was read from
   * @param held what has no place in the form, with an article
   */
  constructor(file: string, form: "crash" | "ips", held: string) {
    super(`${file}: ${form === "crash" ? "crash text" : ".ips"} has no place for ${held}`);
    this.form = form;
    this.held = held;
  }
}

/** What a report is about that only its own format holds; `null` for what both forms have. */
function heldAlone(report: CrashReport): string | null {
  if (report.panic !== null) return "a kernel panic";
  // A report of a target has stacks alone, and JSON with trees tells in words what they are of.
  if (isSample(report) && report.threads.some(({ tree }) => tree.length > 0)) {
    return "a call tree with its counts";
  }
  if (isJetsam(report) || isLowMemory(report)) return "a list of processes and their memory";
  return null;
}

/** A report as crash text or `.ips`. A report that was read in that format is returned unchanged;
 * `encodeReport` then restores it to the byte. Of another one, what its fields and stacks say is written: what
 * only the format that it came in has, such as the metadata of another reporter, is left out.
 *
 * @example
 * ```ts
 * import { readReport, writeReport } from "@machpause/machpause/report";
 *
 * const report = readReport(await Deno.readFile("MyApp.ips"), "MyApp.ips");
 * await Deno.writeTextFile("MyApp.crash", writeReport(report, "crash"));
 * ```
 * @throws ReportFormError when the report is one that the form cannot hold: a kernel panic, what `sample` or
 * `spindump` counted, a list of processes that the kernel ended for memory
 */
export function writeReport(report: CrashReport, form: "crash" | "ips"): string {
  if (report.format === form) return report.text;
  // A translated text is followed by its JSON.
  if (form === "ips" && report.embedded !== null) return fullReportText(report.text);
  const held = heldAlone(report);
  if (held !== null) throw new ReportFormError(report.file, form, held);
  return form === "crash" ? crashText(report) : ipsText(report);
}

/** The JSON after a translated text. */
function fullReportText(text: string): string {
  return text.slice(text.indexOf("{", text.indexOf("\nFull Report")));
}
