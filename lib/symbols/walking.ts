/** The part of this folder's face that walking a target takes: what is loaded at every start. Of
 * demanglers there is none in it; `mod.ts` brings Swift's.
 *
 * @module
 */
export { ImageMap } from "./image_map.ts";
export { Symbolizer } from "./symbolizer.ts";
export { DebugProvider } from "./debug_provider.ts";
export { readTableHead } from "./table_head.ts";
export { isMangled } from "./demangle/demangle.ts";
