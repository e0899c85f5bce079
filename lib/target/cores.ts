/** The part of this folder's face that is about cores.
 *
 * @module
 */
export { CoreTarget } from "./core.ts";
