/** Counts reports by what crashed. */
import { attributeReport, type AttributionOptions } from "../explain/mod.ts";
import { CrashReport } from "../report.ts";
import { type ReportSymbols, symbolicateReport } from "../symbolicate/mod.ts";
import { readable, reportSignature, reportTime } from "./signature.ts";

/** Maximum number of versions, devices, systems and verdicts that a group tells apart. */
const MAX_KINDS = 32;

/** What is counted of a report. Its texts are the report's: escape them before they are shown. */
export interface ReportSummary {
  /** The report's file. */
  readonly file: string;
  /** The signature's; see `reportSignature`. */
  readonly id: string;
  /** The signature's parts: the exception, then frames, innermost first. */
  readonly parts: readonly string[];
  /** Milliseconds since 1970; `null` when the report does not say. */
  readonly time: number | null;
  /** The program's version; `null` when the report does not say. */
  readonly version: string | null;
  /** The device's model; `null` when the report does not say. */
  readonly model: string | null;
  /** The system's version; `null` when the report does not say. */
  readonly system: string | null;
  /** Whose code crashed: the owner, and the library in parentheses. */
  readonly verdict: string;
}

/** How {@linkcode summarizeReport} names and attributes frames. */
export interface SummarizeOptions {
  /** Where symbols are looked up; left out, frames have the names that the report gives them. */
  readonly symbols?: ReportSymbols;
  /** Makes names readable; left out, `demangle` of the main module does. */
  readonly demangle?: (name: string) => string;
  /** What code is whose, by the symbolicated report; left out, the report alone tells. */
  readonly attribution?: (report: CrashReport) => AttributionOptions;
}

/** No symbols at all. */
const noSymbols: ReportSymbols = { find: () => null };

/** Summarizes a report. Only the thread that crashed is symbolicated.
 *
 * @example
 * ```ts
 * import { openReportSymbols } from "@machpause/machpause";
 * import { readReport, ReportGroups, summarizeReport } from "@machpause/machpause/report";
 *
 * using symbols = openReportSymbols(["./dsyms"]);
 * const groups = new ReportGroups();
 * for (const file of ["1.ips", "2.ips"]) {
 *   const report = readReport(await Deno.readFile(file), file);
 *   groups.add(summarizeReport(report, { symbols }));
 * }
 * console.log(JSON.stringify(groups.sorted));
 * ```
 */
export function summarizeReport(
  report: CrashReport,
  options: SummarizeOptions = {},
): ReportSummary {
  const { symbols = noSymbols, demangle = readable, attribution } = options;
  const thread = report.crashedThread ?? report.threads[0];
  const part = new CrashReport({ ...report, threads: thread === undefined ? [] : [thread] });
  const { report: named } = symbolicateReport(part, symbols, { demangle, inPlace: false });
  const { id, parts } = reportSignature(named, demangle);
  const { verdict, library } = attributeReport(named, attribution?.(named));
  return {
    file: report.file,
    id,
    parts,
    time: reportTime(named),
    version: named.process.version,
    model: named.model,
    system: named.osVersion,
    verdict: library === null ? verdict : `${verdict} (${library})`,
  };
}

/** How many of a group's reports have a name. */
export interface NameCount {
  /** As in the reports, or `others`. */
  readonly name: string;
  /** Number of reports. */
  readonly count: number;
}

/** A group as a plain object for JSON: what `machpause crash --group --json` prints. */
export interface ReportGroupJson extends Pick<ReportGroup, "id" | "parts" | "count" | "example"> {
  /** The earliest report, in ISO 8601; `null` when no report says. */
  readonly first: string | null;
  /** The latest. */
  readonly last: string | null;
  /** By the program's version, the most frequent first. */
  readonly versions: readonly NameCount[];
  /** By the device's model. */
  readonly models: readonly NameCount[];
  /** By the system's version. */
  readonly systems: readonly NameCount[];
  /** By whose code crashed. */
  readonly verdicts: readonly NameCount[];
}

/** Reports with the same signature. Maps count by name. */
export interface ReportGroup {
  /** The signature's. */
  readonly id: string;
  /** The signature's parts: the exception, then frames, innermost first. */
  readonly parts: readonly string[];
  /** How many reports there are. */
  readonly count: number;
  /** The earliest report, in milliseconds since 1970; `null` when no report says. */
  readonly first: number | null;
  /** The latest. */
  readonly last: number | null;
  /** By the program's version. */
  readonly versions: ReadonlyMap<string, number>;
  /** By the device's model. */
  readonly models: ReadonlyMap<string, number>;
  /** By the system's version. */
  readonly systems: ReadonlyMap<string, number>;
  /** By whose code crashed. */
  readonly verdicts: ReadonlyMap<string, number>;
  /** The file of one of the reports: the first by name, whatever order they came in. */
  readonly example: string;
  /** What `JSON.stringify` makes text of: lists for the maps, and dates. */
  toJSON(): ReportGroupJson;
}

function iso(time: number | null): string | null {
  return time === null ? null : new Date(time).toISOString();
}

/** Counts by name as a list, the most frequent first. */
export function nameCounts(map: ReadonlyMap<string, number>): NameCount[] {
  return [...map].map(([name, count]) => ({ name, count })).sort((a, b) =>
    b.count - a.count || (a.name < b.name ? -1 : 1)
  );
}

/** A group that reports are counted in. */
export class CountedGroup implements ReportGroup {
  count = 0;
  first: number | null = null;
  last: number | null = null;
  readonly versions: Map<string, number> = new Map();
  readonly models: Map<string, number> = new Map();
  readonly systems: Map<string, number> = new Map();
  readonly verdicts: Map<string, number> = new Map();

  constructor(readonly id: string, readonly parts: readonly string[], public example: string) {}

  toJSON(): ReportGroupJson {
    const { id, parts, count, first, last, versions, models, systems, verdicts, example } = this;
    return {
      id,
      parts,
      count,
      first: iso(first),
      last: iso(last),
      versions: nameCounts(versions),
      models: nameCounts(models),
      systems: nameCounts(systems),
      verdicts: nameCounts(verdicts),
      example,
    };
  }
}

/** Groups of reports. Memory grows with the number of groups, not of reports.
 *
 * @example
 * ```ts
 * import { ReportGroups, type ReportSummary } from "@machpause/machpause/report";
 *
 * declare const summaries: ReportSummary[];
 * const groups = new ReportGroups();
 * for (const summary of summaries) groups.add(summary);
 * console.log(groups.sorted[0].count);
 * ```
 */
export class ReportGroups {
  readonly #groups = new Map<string, CountedGroup>();
  #count = 0;

  /** Number of reports. */
  get count(): number {
    return this.#count;
  }

  /** Counts a report. */
  add({ id, parts, file, time, version, model, system, verdict }: ReportSummary): void {
    let group = this.#groups.get(id);
    if (group === undefined) {
      group = new CountedGroup(id, parts, file);
      this.#groups.set(id, group);
    }
    this.#count++;
    group.count++;
    if (file < group.example) group.example = file;
    if (time !== null) {
      group.first = group.first === null ? time : Math.min(group.first, time);
      group.last = group.last === null ? time : Math.max(group.last, time);
    }
    tally(group.versions, version);
    tally(group.models, model);
    tally(group.systems, system);
    tally(group.verdicts, verdict);
  }

  /** The groups, the largest first. */
  get sorted(): ReportGroup[] {
    return [...this.#groups.values()].sort((a, b) => b.count - a.count || (a.id < b.id ? -1 : 1));
  }
}

function tally(counts: Map<string, number>, key: string | null): void {
  if (key === null) return;
  const known = counts.has(key) || counts.size < MAX_KINDS ? key : "others";
  counts.set(known, (counts.get(known) ?? 0) + 1);
}
