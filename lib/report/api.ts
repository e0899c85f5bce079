/** Crash reports, and reports of hangs and of resource use: read, explained, symbolicated, attributed,
 * grouped and written.
 *
 * @example
 * ```ts
 * import { explainReport, readReport } from "@machpause/machpause/report";
 *
 * const report = readReport(await Deno.readFile("MyApp.ips"), "MyApp.ips");
 * const { headline, happened, check } = explainReport(report);
 * console.log(headline, happened, check);
 * ```
 *
 * @module
 */
export {
  type Absent,
  attributeReport,
  type Attribution,
  type AttributionJson,
  type AttributionOptions,
  type CodeRange,
  explainReport,
  type Explanation,
  type ExplanationJson,
  type OwnedFrame,
  type OwnedFrameJson,
  type Owner,
} from "./explain/mod.ts";
export {
  type NameCount,
  type ReportGroup,
  type ReportGroupJson,
  ReportGroups,
  type ReportSummary,
  type SummarizeOptions,
  summarizeReport,
} from "./group/groups.ts";
export { type ReportSignature, reportSignature } from "./group/signature.ts";
export type { JsonObject, JsonValue } from "./json.ts";
export {
  type CpuFamily,
  type FrameNeed,
  type FrameRole,
  knowledge,
  type KnowledgeKind,
  type KnowledgeRow,
  type PanicBacktrace,
  type WaitReason,
} from "./knowledge/mod.ts";
export type { CodeOrigin, CodeOrigins, UnitSource } from "./origins.ts";
export { profileOfReport, type ProfileSymbols, symbolicateProfile } from "./profile.ts";
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
export type { ReportFrameJson } from "./frame_json.ts";
export {
  type ReportImageJson,
  type ReportJson,
  reportJson,
  type ReportJsonOptions,
  type ReportThreadJson,
} from "./report_json.ts";
export {
  type FindDebug,
  type FunctionInfo,
  type ImageLookup,
  type MissingReportSymbols,
  ReportSymbolFiles,
  type ReportSymbolOptions,
  type ReportSymbols,
  type SymbolicatedReport,
  type SymbolicateOptions,
  symbolicateReport,
} from "./symbolicate/mod.ts";
export { encodeReport } from "./text.ts";
export { reportOf, type TargetReportOptions } from "./write/from_target.ts";
export { ReportFormError, writeReport } from "./write/mod.ts";
