/** The part of this folder's face that explaining a report takes: without what opens files of symbols, makes reports of
 * targets, profiles and groups.
 *
 * @module
 */
export { sameLibrary } from "./explain/owner.ts";
export {
  attributeReport,
  explainReport,
  frameNumber,
  readableName,
  shortName,
} from "./explain/mod.ts";
export { reportTime } from "./group/signature.ts";
export { isBaseLibrary, isSystemImage, programImage } from "./images.ts";
export { isNearest } from "./nearest.ts";
export { readReport, readReports } from "./read/mod.ts";
export { reportJson } from "./report_json.ts";
export { symbolicateReport } from "./symbolicate/symbolicate.ts";
export { encodeReport } from "./text.ts";
export { ReportFormError, writeReport } from "./write/mod.ts";
export { crashText } from "./write/text.ts";
