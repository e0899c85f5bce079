/** Naming the frames of reports.
 *
 * @module
 */
export { type FindDebug, ReportSymbolFiles, type ReportSymbolOptions } from "./files.ts";
export { type FunctionInfo, imageLookup } from "./lookup.ts";
export type { ImageLookup, MissingReportSymbols, ReportSymbols } from "./lookups.ts";
export {
  type SymbolicatedReport,
  type SymbolicateOptions,
  symbolicateReport,
} from "./symbolicate.ts";
