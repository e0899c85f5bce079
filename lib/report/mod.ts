/** Reports of crashes, hangs and resource use: read, explained, symbolicated, attributed, grouped and
 * written.
 *
 * @module
 */
export * from "./api.ts";
export { decodeGuard, decodeResource, exceptionName, signalName } from "./codes.ts";
export {
  describeAddress,
  frameNumber,
  isIdle,
  readableName,
  reportEvent,
  shortName,
  waitOf,
} from "./explain/mod.ts";
export { faultAddress } from "./fault.ts";
export { CountedGroup, nameCounts } from "./group/groups.ts";
export { reportTime, stackSignature } from "./group/signature.ts";
export { imageFinder, imageTitle, isSystemImage, programImage } from "./images.ts";
export { known, knownFrame, knownMessage, knownTermination } from "./knowledge/mod.ts";
export { isBaseLibrary } from "./images.ts";
export { isJetsam } from "./jetsam.ts";
export { isNearest } from "./nearest.ts";
export { unitOrigins } from "./origins.ts";
export { imageLookup } from "./symbolicate/mod.ts";
export { decodeReport, encodeReport } from "./text.ts";
export { exceptionOfCrash, reportImage } from "./write/from_target.ts";
export { madeReport } from "./write/made.ts";
export { crashText } from "./write/text.ts";
