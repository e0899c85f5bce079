/** The part of this folder's face that is loaded where a thread is watched: what a stack waits for, its signature,
 * and how a hang becomes a report.
 *
 * @module
 */
export type { ReportFrame, ReportImage } from "./drafts.ts";
export { isIdle, waitOf } from "./explain/hang.ts";
export { type ReportSignature, stackSignature } from "./group/signature.ts";
export { imageFinder } from "./images.ts";
export type { CrashReport } from "./report.ts";
export { reportImage } from "./write/from_target.ts";
export { madeReport } from "./write/made.ts";
