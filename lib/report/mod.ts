/** Crash reports: read, explained, symbolicated, attributed, sorted and written.
 *
 * @module
 */
export { readReport } from "./read.ts";
export {
  type CallTreeNode,
  CrashReport,
  type ReportException,
  type ReportField,
  type ReportFormat,
  type ReportFrame,
  type ReportImage,
  type ReportParts,
  type ReportProcess,
  type ReportRegister,
  type ReportSection,
  type ReportTermination,
  type ReportThread,
  type Span,
} from "./report.ts";
export { decodeReport, encodeReport } from "./text.ts";
export type { JsonObject, JsonValue } from "./json.ts";
export * from "./stackshot/mod.ts";
