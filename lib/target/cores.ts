/** The part of this folder's face that is about cores.
 *
 * @module
 */
export { CoreTarget, type CoreTargetOptions } from "./core.ts";
