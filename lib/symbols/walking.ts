/** The part of this folder's face that is loaded at every start: what unwinding a target takes. It holds
 * no demangler but the recognition of mangled names; `mod.ts` brings Swift's.
 *
 * @module
 */
export { dladdr, unknownAddress } from "./address_info.ts";
export type {
  AddressInfo,
  DebugSection,
  DlInfo,
  FoundSymbol,
  MissingSymbols,
  Resolver,
} from "./address_info.ts";
export type { SourceFrame, SourceLocation } from "../dwarf/mod.ts";
export { type Binary, imageOf, imagesIn } from "./binaries.ts";
export { ImageMap } from "./image_map.ts";
export { Symbolizer } from "./symbolizer.ts";
export { DebugProvider } from "./debug_provider.ts";
export type { DebugInfo, DwarfPlace } from "./debug_info.ts";
export { type SymbolFile, SymbolFiles, type SymbolOptions } from "./symbol_files.ts";
export {
  demangle,
  hasDemanglers,
  isMangled,
  isNamed,
  mangledPart,
  mayContain,
  missedNames,
  swiftDeclarationName,
  swiftTypeName,
  swiftTypeTree,
} from "./demangle/demangle.ts";
