/** What reads values, without the demanglers that Swift's types need: a command that loads them when they were
 * missed imports this.
 *
 * @module
 */
export { evaluate, type ExpressionScope, isPath, namedIn } from "./expression/evaluate.ts";
export { ExpressionError } from "./expression/tokens.ts";
export { FormatterTable } from "./formatters.ts";
export * from "./model.ts";
export {
  embeddedFormatters,
  MAX_SECTION,
  parsePrograms,
  parseSummaries,
} from "./formatters/embedded.ts";
export { builtInFormatters } from "./formatters/mod.ts";
export { isCString } from "./formatters/strings.ts";
export {
  type Activation,
  constantNamed,
  frameVariables,
  globalsOf,
  importedNamespaces,
  ModuleVariables,
  staticsOf,
  type ThreadPlace,
  unitGlobal,
} from "./frame_variables.ts";
export { named, plain, valueBehind, valueOf } from "./locals.ts";
export { absence, contentText, emptyText, inlineText } from "./text.ts";
export { shortTypeName } from "./type_names.ts";
export { searchType } from "./type_search.ts";
export { characterText, floatText, isQuadFloat, quoted, unsignedOf } from "./scalars.ts";
export {
  aliases,
  canonical,
  isCharacter,
  isPointer,
  isRecord,
  isReference,
  unqualified,
  voidType,
} from "./types.ts";
export { PlacedValue } from "./value.ts";
