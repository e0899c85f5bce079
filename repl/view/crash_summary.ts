/** One report in a few words, for counting. */

import {
  attributeReport,
  CrashReport,
  readReport,
  reportSignature,
  reportTime,
  symbolicateReport,
} from "../../lib/report/mod.ts";
import { fileError, isOfFile, rangesOf } from "../cli/crash.ts";
import { type CrashSymbols, openCrashSymbols } from "./crash_symbols.ts";

/** How reports are summarized. */
export interface SummaryOptions {
  readonly symbols: readonly string[];
  readonly mine: readonly string[];
  readonly begin?: string;
  readonly end?: string;
}

/** What is counted of a report. */
export interface CrashSummary {
  readonly file: string;
  readonly id: string;
  readonly parts: readonly string[];
  readonly time: number | null;
  readonly version: string | null;
  readonly model: string | null;
  readonly system: string | null;
  readonly verdict: string;
}

/** What comes of a file: a summary, or why there is none, safe to print. */
export type SummaryOrError = CrashSummary | { readonly error: string };

/** Summarizes reports with the same symbols. */
export class Summarizer implements Disposable {
  readonly #symbols: CrashSymbols;
  readonly #options: SummaryOptions;
  readonly #demangle: (name: string) => string;

  private constructor(
    symbols: CrashSymbols,
    options: SummaryOptions,
    demangle: (name: string) => string,
  ) {
    this.#symbols = symbols;
    this.#options = options;
    this.#demangle = demangle;
  }

  /** Opens the symbols. */
  static async open(options: SummaryOptions): Promise<Summarizer> {
    const [symbols, { demangle }] = await Promise.all([
      openCrashSymbols(options.symbols),
      import("../../lib/symbols/mod.ts"),
    ]);
    return new Summarizer(symbols, options, demangle);
  }

  /** Reads a file and summarizes it. */
  summarize(file: string): SummaryOrError {
    try {
      return this.#summarize(file);
    } catch (error) {
      if (!isOfFile(error)) throw error;
      return { error: fileError(file, error) };
    }
  }

  #summarize(file: string): CrashSummary {
    const whole = readReport(Deno.readFileSync(file), file);
    // The other threads are not what is counted.
    const one = whole.crashedThread ?? whole.threads[0];
    const report = new CrashReport({ ...whole, threads: one === undefined ? [] : [one] });
    const { files, demangle } = this.#symbols;
    const named = symbolicateReport(report, files, { demangle, inPlace: false }).report;
    const { id, parts } = reportSignature(named, this.#demangle);
    const { verdict, library } = attributeReport(named, {
      mine: this.#options.mine,
      origins: files,
      ranges: rangesOf(named, this.#symbols, this.#options),
    });
    return {
      file,
      id,
      parts,
      time: reportTime(named),
      version: named.process.version,
      model: named.model,
      system: named.osVersion,
      verdict: library === null ? verdict : `${verdict} (${library})`,
    };
  }

  [Symbol.dispose](): void {
    this.#symbols[Symbol.dispose]();
  }
}
