/** Writing a report: as it was read, or converted to the other form. */

import type { CrashReport } from "../report.ts";
import { crashText } from "./text.ts";
import { ipsText } from "./ips.ts";

export { reportOf, type TargetReportOptions } from "./from_target.ts";

/** A report's text in one of the two forms that have all of it. A report that was read in that form is
 * given back as it was, to the byte once it goes through {@linkcode encodeReport}.
 *
 * @example
 * ```ts
 * import { crashReports } from "@machpause/machpause";
 *
 * const { readReport, writeReport } = await crashReports();
 * const report = readReport(await Deno.readFile("MyApp.ips"), "MyApp.ips");
 * await Deno.writeTextFile("MyApp.crash", writeReport(report, "crash"));
 * ```
 */
export function writeReport(report: CrashReport, form: "crash" | "ips"): string {
  if (report.format === form) return report.text;
  // A translated text has its JSON behind it.
  if (form === "ips" && report.embedded !== null) return fullReportText(report.text);
  return form === "crash" ? crashText(report) : ipsText(report);
}

/** The JSON behind a translated text. */
function fullReportText(text: string): string {
  return text.slice(text.indexOf("{", text.indexOf("\nFull Report")));
}
