/** Mozilla's symbolication API over folders with binaries, dSYMs and symbol table files. */

import type { FileSystem } from "../file_system.ts";
import { RequestError } from "./errors.ts";
import { defaultLimits, type ServerLimits } from "./limits.ts";
import { Modules } from "./modules.ts";
import { readJobs, readJson } from "./request.ts";
import type { SourceReader } from "./source.ts";

/** A response: an HTTP status and JSON. */
export interface ServerAnswer {
  /** The HTTP status. */
  readonly status: number;
  /** The body. */
  readonly json: string;
}

/** What a {@linkcode SymbolServer} serves. */
export interface SymbolServerOptions {
  /** Folders that files are found in by UUID. Nothing else is opened. */
  readonly symbols: readonly string[];
  /** Reads the source files that debug information names; without it none are sent. */
  readonly source?: SourceReader;
  /** Bounds of requests. */
  readonly limits?: Partial<ServerLimits>;
}

/** Answers requests. It keeps no state but open files, so any number of them can answer beside each other.
 *
 * @example
 * ```ts
 * import { openSymbolServer } from "@machpause/machpause/symbol-server";
 *
 * using server = openSymbolServer({ symbols: ["./dsyms"] });
 * const { status } = await server.answer("/symbolicate/v5", new TextEncoder().encode('{"jobs":[]}'));
 * console.log(status, server.limits.frames);
 * ```
 */
export class SymbolServer implements Disposable {
  /** Bounds of requests. */
  readonly limits: ServerLimits;
  readonly #modules: Modules;
  readonly #source: SourceReader | null;
  #busy = 0;

  /** Reads nothing yet. */
  constructor(system: FileSystem, { symbols, source, limits }: SymbolServerOptions) {
    this.limits = { ...defaultLimits, ...limits };
    this.#modules = new Modules(system, symbols, this.limits.open);
    this.#source = source ?? null;
  }

  /** Answers a request.
   *
   * @param path such as `/symbolicate/v5`
   * @param body JSON
   * @param signal ends the work; the answer is then an error
   */
  async answer(path: string, body: Uint8Array, signal?: AbortSignal): Promise<ServerAnswer> {
    if (this.#busy >= this.limits.requests) return failure("too many requests at once", 503);
    this.#busy++;
    try {
      return { status: 200, json: await this.#answer(path, body, signal) };
    } catch (error) {
      if (error instanceof RequestError) return failure(error.message, error.status);
      if (signal?.aborted) return failure("the request took too long: ask for fewer frames", 503);
      throw error;
    } finally {
      this.#busy--;
    }
  }

  async #answer(path: string, body: Uint8Array, signal?: AbortSignal): Promise<string> {
    const { limits } = this;
    const modules = this.#modules;
    switch (path) {
      case "/symbolicate/v5": {
        const { symbolicate } = await import("./symbolicate.ts");
        return await symbolicate(readJobs(readJson(body, limits), limits), modules, limits, signal);
      }
      case "/source/v1": {
        const { source } = await import("./source.ts");
        return source(readJson(body, limits), modules, limits, this.#source);
      }
      case "/asm/v1": {
        const { asm } = await import("./asm.ts");
        return await asm(readJson(body, limits), modules, limits);
      }
      default:
        throw new RequestError("there is /symbolicate/v5, /source/v1 and /asm/v1", 404);
    }
  }

  /** Closes all files. */
  [Symbol.dispose](): void {
    this.#modules[Symbol.dispose]();
  }
}

function failure(error: string, status: number): ServerAnswer {
  return { status, json: JSON.stringify({ error }) };
}
