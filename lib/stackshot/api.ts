/** Stackshots: what every thread of a system was doing, in user space and in the kernel.
 *
 * @module
 */
export * from "./mod.ts";
