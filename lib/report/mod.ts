/** Reports of crashes, hangs and resource use: read, explained, symbolicated, attributed, grouped and
 * written.
 *
 * @module
 */
export { decodeGuard, decodeResource } from "./codes.ts";
export * from "./explain/mod.ts";
export { faultAddress } from "./fault.ts";
export {
  type ReportGroup,
  ReportGroups,
  type ReportSummary,
  type SummarizeOptions,
  summarizeReport,
} from "./group/groups.ts";
export { type ReportSignature, reportSignature, reportTime } from "./group/signature.ts";
export { isSystemImage, programImage } from "./images.ts";
export type { JsonObject, JsonValue } from "./json.ts";
export * from "./knowledge/mod.ts";
export { type CodeOrigin, type CodeOrigins, unitOrigins, type UnitSource } from "./origins.ts";
export { readReport, readReports } from "./read/mod.ts";
export {
  type CallTreeNode,
  CrashReport,
  type FrameSpan,
  type ReportException,
  type ReportField,
  type ReportFormat,
  type ReportFrame,
  type ReportImage,
  type ReportPanic,
  type ReportParts,
  type ReportProcess,
  type ReportRegister,
  type ReportSection,
  type ReportTermination,
  type ReportThread,
  type Span,
} from "./report.ts";
export {
  type FindDebug,
  type FunctionInfo,
  type ImageLookup,
  imageLookup,
  type MissingReportSymbols,
  ReportSymbolFiles,
  type ReportSymbolOptions,
  type ReportSymbols,
  type SymbolicatedReport,
  type SymbolicateOptions,
  symbolicateReport,
} from "./symbolicate/mod.ts";
export { decodeReport, encodeReport } from "./text.ts";
export { reportOf, type TargetReportOptions, writeReport } from "./write/mod.ts";
