/** The part of this folder's face that saves cores. Most targets are never saved.
 *
 * @module
 */
export { saveCore } from "./save_core.ts";
