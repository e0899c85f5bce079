/** What a report means, and whose code failed.
 *
 * @module
 */
export { describeAddress } from "./address.ts";
export { attributeReport, type Attribution } from "./attribution.ts";
export type { AttributionOptions, CodeRange, OwnedFrame, Owner } from "./owner.ts";
export { explainReport } from "./explain.ts";
export type { Explanation } from "./explanation.ts";
export { isIdle, waitOf } from "./hang.ts";
export { eventOf as reportEvent } from "./kinds.ts";
export { frameNumber } from "./words.ts";
export { readableName, shortName } from "./names.ts";
export type { Absent } from "./telling.ts";
