/** Addresses to images, symbols and source positions. */

export { ImageMap } from "./image_map.ts";
export { Symbolizer } from "./symbolizer.ts";
export type { SourceProvider } from "./source.ts";
export {
  demangle,
  type Demangler,
  type DemangleStyle,
  needsLibrary,
  useDemangler,
} from "./demangle/mod.ts";
