/** The part of this folder's face that samples targets. Most targets are never sampled.
 *
 * @module
 */
export { pausedSamples, type StopToSee } from "./paused_sampling.ts";
export { record } from "./recording.ts";
