/** Stackshots: the stacks of all threads of a task or of the whole system, captured by the kernel.
 *
 * @module
 */
export * from "./api.ts";
export { imageFinder } from "./find.ts";
export type { FindImage } from "./images.ts";
export { readStackshot } from "./read.ts";
export type { StackshotServices } from "./stackshot.ts";
