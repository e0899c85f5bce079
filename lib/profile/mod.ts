/** Profiles: what they hold, how they are built, and what they say in sum. Files are read and written by
 * `formats.ts`, which is loaded where that is done.
 *
 * @module
 */
export * from "./builder.ts";
export * from "./model.ts";
export { type PushFrame, rebuilt } from "./rebuild.ts";
export { MAX_DEPTH, threadTitle } from "./titles.ts";
export * from "./tree.ts";
