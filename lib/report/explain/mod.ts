/** What a report means, and whose code failed.
 *
 * @module
 */
export { describeAddress } from "./address.ts";
export {
  attributeReport,
  type Attribution,
  type AttributionJson,
  attributionJson,
  type OwnedFrameJson,
} from "./attribution.ts";
export type { AttributionOptions, CodeRange, OwnedFrame, Owner } from "./owner.ts";
export { explainReport } from "./explain.ts";
export { type Explanation, type ExplanationJson, explanationJson } from "./explanation.ts";
export { isIdle, waitOf } from "./hang.ts";
export { eventOf as reportEvent } from "./kinds.ts";
export { frameNumber } from "./words.ts";
export { readableName, shortName } from "./names.ts";
export type { Absent } from "./telling.ts";
