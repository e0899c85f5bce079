/** Crash reports: read, explained, symbolicated, attributed, sorted and written.
 *
 * @module
 */
export { readReport } from "./read/read.ts";
export {
  type CallTreeNode,
  CrashReport,
  type FrameSpan,
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
export { decodeReport, encodeReport } from "./read/text.ts";
export type { JsonObject, JsonValue } from "./read/json.ts";
export {
  type FoundPlace,
  type ImageLookup,
  type MissingSymbols as MissingReportSymbols,
  type ReportSymbols,
  type SymbolicatedReport,
  type SymbolicateOptions,
  symbolicateReport,
} from "./symbolicate.ts";
export { type FunctionInfo, imageLookup } from "./lookup.ts";
export { type FindDebug, ReportSymbolFiles, type ReportSymbolOptions } from "./symbol_source.ts";
export { unitOrigins, type UnitSource } from "./explain/unit_origins.ts";
export { explainReport, type Explanation, isSystemImage } from "./explain/explain.ts";
export { describeAddress, faultAddress } from "./explain/fault.ts";
export { decodeGuard, decodeResource } from "./read/decode.ts";
export {
  knowledge,
  known,
  knownFrame,
  knownMessage,
  knownTermination,
} from "./explain/knowledge.ts";
export type { KnowledgeKind, KnowledgeRow } from "./explain/knowledge_row.ts";
export {
  attributeReport,
  type Attribution,
  type AttributionOptions,
  type CodeOrigin,
  type CodeOrigins,
  type CodeRange,
  type OwnedFrame,
  type Owner,
  programImage,
} from "./explain/attribution.ts";
export { type ReportSignature, reportSignature, reportTime } from "./group/signature.ts";
export { reportOf, type TargetReportOptions } from "./write/from_target.ts";
export { writeReport } from "./write/write.ts";
export * from "../stackshot/mod.ts";
