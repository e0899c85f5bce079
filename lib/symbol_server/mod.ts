/** A symbol server: Mozilla's `/symbolicate/v5`, and samply's `/source/v1` and `/asm/v1`, as a function
 * from a request's bytes to JSON, and HTTP around it.
 *
 * @module
 */
export { type Handler, handlerFor, type Page, randomToken, type Site } from "./http.ts";
export { defaultLimits, type ServerLimits } from "./limits.ts";
export { type ServerAnswer, SymbolServer, type SymbolServerOptions } from "./server.ts";
export type { SourceReader } from "./source.ts";
