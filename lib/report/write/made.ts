/** Reports composed from parts. */

import { CrashReport, type ReportParts, type Unbranded } from "../report.ts";
import { crashText } from "./text.ts";

/** Creates a report from parts; its text is crash text in Apple's layout. */
export function madeReport(parts: Omit<Unbranded<ReportParts>, "format" | "text">): CrashReport {
  const report = new CrashReport({ ...parts, format: "crash", text: "" });
  return new CrashReport({ ...report, text: crashText(report) });
}
