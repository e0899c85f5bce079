/** Addresses to images, symbols and source positions. */

export { ImageMap } from "./image_map.ts";
export { type DlInfo, type FoundSymbol, type Resolution, Symbolizer } from "./symbolizer.ts";
export type { SourceFrame, SourceLocation, SourceProvider } from "./source.ts";
