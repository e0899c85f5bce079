/** Reads reports and summarizes them, for `crash --group`. */
import type { SafeText } from "../../../lib/escape.ts";
import { readReports, type ReportSummary, summarizeReport } from "../../../lib/report/mod.ts";
import { fileError } from "../../errors.ts";
import { MAX_SIZE, readPlainFile } from "../../input.ts";
import type { Values } from "../../options.ts";
import { explain } from "../../view/output.ts";
import { NoReportError, reportsOf } from "./kind.ts";
import type { crashOptions } from "./options.ts";
import { type CrashSymbols, isOfFile, openCrashSymbols, rangesOf } from "./read.ts";

/** The options of `crash` that summaries depend on. */
export type SummaryOptions = Pick<
  Values<typeof crashOptions>,
  "symbols" | "localBinaries" | "mine" | "begin" | "end"
>;

/** A report's summary, or why a file has none. */
export type SummaryOrError = ReportSummary | {
  readonly error: SafeText;
  /** The file, when it could be read and is no report. */
  readonly noReport: string | null;
};

/** Summarizes reports with the same symbols. */
export class Summarizer implements Disposable {
  readonly #symbols: CrashSymbols;
  readonly #options: SummaryOptions;

  private constructor(symbols: CrashSymbols, options: SummaryOptions) {
    this.#symbols = symbols;
    this.#options = options;
  }

  /** Opens the symbols. */
  static async open(options: SummaryOptions): Promise<Summarizer> {
    return new Summarizer(await openCrashSymbols(options), options);
  }

  /** Reads a file and summarizes its reports. */
  summarize(file: string): SummaryOrError[] {
    try {
      const bytes = readPlainFile(file, MAX_SIZE.report);
      const reports = reportsOf(bytes, file, () => readReports(bytes, file));
      return reports.map((report) =>
        summarizeReport(report, {
          symbols: this.#symbols,
          attribution: (report) => ({
            mine: this.#options.mine ?? [],
            origins: this.#symbols,
            ranges: rangesOf(report, this.#symbols, this.#options),
          }),
        })
      );
    } catch (error) {
      if (!isOfFile(error)) throw error;
      const noReport = error instanceof NoReportError ? file : null;
      return [{ error: explain(fileError(error, file)), noReport }];
    }
  }

  [Symbol.dispose](): void {
    this.#symbols[Symbol.dispose]();
  }
}
