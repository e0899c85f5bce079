/** Reads files of reports, for `collect`: each file by itself. */
import {
  type FileRecord,
  RECORD_FORMAT,
  RECORD_VERSION,
  reportsIn,
} from "../../../lib/collect/mod.ts";
import type { Values } from "../../options.ts";
import { fileError } from "../../errors.ts";
import { MAX_SIZE, readPlainFile } from "../../input.ts";
import { explain } from "../../view/output.ts";
import { type CrashSymbols, isOfFile, openCrashSymbols } from "../crash/read.ts";
import { reportsOf } from "../crash/kind.ts";
import type { collectOptions } from "./options.ts";

/** The options that a file's reports depend on. */
export type CollectorOptions = Pick<
  Values<typeof collectOptions>,
  "symbols" | "mine" | "localBinaries"
>;

/** Reads files with the same symbols. */
export class Collector implements Disposable {
  readonly #symbols: CrashSymbols;
  readonly #options: CollectorOptions;
  readonly #demangle: (name: string) => string;

  private constructor(
    symbols: CrashSymbols,
    options: CollectorOptions,
    demangle: (name: string) => string,
  ) {
    this.#symbols = symbols;
    this.#options = options;
    this.#demangle = demangle;
  }

  /** Opens the symbols. */
  static async open(options: CollectorOptions): Promise<Collector> {
    const [symbols, { demangle }, { loadDemangler }] = await Promise.all([
      openCrashSymbols(options),
      import("../../../lib/symbols/mod.ts"),
      import("../../../lib/symbols/demangle/mod.ts"),
    ]);
    await loadDemangler();
    return new Collector(symbols, options, demangle);
  }

  /** Reads a file. */
  async collect(path: string): Promise<FileRecord> {
    const record = {
      format: RECORD_FORMAT,
      formatVersion: RECORD_VERSION,
      path,
      size: 0,
      modified: 0,
      hash: "0".repeat(64),
    } as const;
    try {
      const state = fileState(path);
      const bytes = readPlainFile(path, MAX_SIZE.report);
      const counts = isHang(path) ? readCounts(path) : null;
      const all = counts === null
        ? bytes
        : new Uint8Array([...bytes, ...new TextEncoder().encode(counts)]);
      const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", all));
      const hash = Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
      const known = { ...record, ...state, hash };
      try {
        const reports = reportsOf(bytes, path, () =>
          reportsIn(bytes, path, counts, {
            symbols: this.#symbols,
            demangle: this.#demangle,
            attribution: () => ({ mine: this.#options.mine ?? [], origins: this.#symbols }),
          }));
        return { ...known, error: null, reports };
      } catch (error) {
        if (!isOfFile(error)) throw error;
        return { ...known, error: explain(error), reports: [] };
      }
    } catch (error) {
      if (!isOfFile(error)) throw error;
      return { ...record, error: explain(fileError(error, path)), reports: [] };
    }
  }

  [Symbol.dispose](): void {
    this.#symbols[Symbol.dispose]();
  }
}

/** Whether a file is a hang that `watch` kept; its counts are beside it. */
export function isHang(path: string): boolean {
  return /(?:^|\/)hang\.json$/.test(path);
}

function countsOf(path: string): string {
  return path.replace(/hang\.json$/, "counts.json");
}

function readCounts(path: string): string | null {
  try {
    return new TextDecoder().decode(readPlainFile(countsOf(path), MAX_SIZE.commands));
  } catch {
    return null;
  }
}

/** What tells whether a file has changed: size in bytes, and time in milliseconds since 1970. Those of a hang are
 * its counts', which are written last.
 *
 * @throws Error the system's, when there is none
 */
export function fileState(path: string): { readonly size: number; readonly modified: number } {
  const of = (file: string) => {
    const { size, mtime } = Deno.statSync(file);
    return { size, modified: mtime?.getTime() ?? 0 };
  };
  const own = of(path);
  if (!isHang(path)) return own;
  try {
    const counts = of(countsOf(path));
    return {
      size: own.size + counts.size,
      modified: Math.max(own.modified, counts.modified),
    };
  } catch {
    return own;
  }
}
