/** The ways to step from a frame to its caller.
 *
 * @module
 */
export { walk } from "./walk.ts";
