/** A symbol server in your own program: Mozilla's symbolication API, and samply's for sources and code.
 *
 * @example
 * ```ts
 * import { handlerFor, openSymbolServer } from "@machpause/machpause/symbol-server";
 *
 * const server = openSymbolServer({ symbols: ["./dsyms"] }); // folders, searched by UUID
 * Deno.serve({ hostname: "127.0.0.1", port: 8000 }, handlerFor({ token: null, api: server }));
 * ```
 *
 * @module
 */
import { SymbolServer, type SymbolServerOptions } from "../lib/symbol_server/mod.ts";
import { fileSystem } from "./file_system.ts";
import { sourceReader } from "./source_reader.ts";

export {
  defaultLimits,
  type Handler,
  handlerFor,
  type Page,
  randomToken,
  type ServerAnswer,
  type ServerLimits,
  type Site,
  type SourceReader,
  type SymbolServer,
  type SymbolServerOptions,
} from "../lib/symbol_server/mod.ts";

/** What a symbol server of this machine's files serves. */
export interface OpenSymbolServerOptions extends SymbolServerOptions {
  /** Folders below which the source files that debug information names are sent; without them none are. */
  readonly sources?: readonly string[];
}

/** Opens a symbol server of files of this machine. It reads them when they are asked for, and keeps some open.
 *
 * @example
 * ```ts
 * import { openSymbolServer } from "@machpause/machpause/symbol-server";
 *
 * using server = openSymbolServer({ symbols: ["./dsyms"] });
 * const stacks = [[[0, 0x61c]]];
 * const job = { memoryMap: [["MyApp", "4C4C44A355553144A1B1C4B2B8A1D6F70"]], stacks };
 * const body = new TextEncoder().encode(JSON.stringify({ jobs: [job] }));
 * const { status, json } = await server.answer("/symbolicate/v5", body);
 * console.log(status, JSON.parse(json));
 * ```
 */
export function openSymbolServer(
  { sources = [], ...options }: OpenSymbolServerOptions,
): SymbolServer {
  const source = sources.length === 0 ? {} : { source: sourceReader(sources) };
  return new SymbolServer(fileSystem, { ...source, ...options });
}
