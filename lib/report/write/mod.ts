/** Writing a report: unchanged, or converted to the other format. */

import type { CrashReport } from "../report.ts";
import { crashText } from "./text.ts";
import { ipsText } from "./ips.ts";

export { reportOf, type TargetReportOptions } from "./from_target.ts";

/** A report as crash text or `.ips`. A report that was read in that format is returned unchanged;
 * `encodeReport` then restores it to the byte.
 *
 * @example
 * ```ts
 * import { readReport, writeReport } from "@machpause/machpause/report";
 *
 * const report = readReport(await Deno.readFile("MyApp.ips"), "MyApp.ips");
 * await Deno.writeTextFile("MyApp.crash", writeReport(report, "crash"));
 * ```
 */
export function writeReport(report: CrashReport, form: "crash" | "ips"): string {
  if (report.format === form) return report.text;
  // A translated text is followed by its JSON.
  if (form === "ips" && report.embedded !== null) return fullReportText(report.text);
  return form === "crash" ? crashText(report) : ipsText(report);
}

/** The JSON after a translated text. */
function fullReportText(text: string): string {
  return text.slice(text.indexOf("{", text.indexOf("\nFull Report")));
}
