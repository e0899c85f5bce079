/** `machpause crash --group`: counts many reports by what crashed. */
import { escape, safe, safeJson, type SafeText } from "../../../lib/escape.ts";
import { type ReportGroup, ReportGroups } from "../../../lib/report/mod.ts";
import { runWorkers } from "../../../lib/workers.ts";
import { UserError } from "../../errors.ts";
import { isDatabase } from "../../input.ts";
import type { Values } from "../../options.ts";
import { exists, isFolder } from "../../prompt/open.ts";
import { groupLines, summaryLines } from "../../view/crash_group.ts";
import { complain, print, terminalSize } from "../../view/output.ts";
import { styleFor } from "../../view/style.ts";
import { count as counted, lines, wrapped } from "../../view/text.ts";
import { isTried, reportFiles, strayWords } from "../report_files.ts";
import type { crashOptions } from "./options.ts";
import type { SummaryOptions, SummaryOrError } from "./summarize.ts";

/** From this number of files on, workers are worth their start. */
const FEW = 64;
/** Files that a worker gets at a time. */
const BATCH = 32;
const MAX_WORKERS = 4;

/** Runs the command. */
export async function groupCrashes(
  paths: readonly string[],
  options: Values<typeof crashOptions>,
): Promise<number> {
  if (paths.includes("-")) throw new UserError("--group counts files, not standard input", 2);
  if (paths.some(isLibrary)) return await groupLibrary(paths, options.json ?? false);
  const groups = new ReportGroups();
  let failed = 0;
  const strays: string[] = [];
  let hasMine = false;
  const take = (summary: SummaryOrError): void => {
    if ("error" in summary) {
      if (summary.noReport !== null && isTried(summary.noReport, paths)) {
        strays.push(summary.noReport);
        return;
      }
      failed++;
      complain(safe`warning: ${summary.error}`);
    } else {
      groups.add(summary);
      hasMine ||= summary.verdict.startsWith("mine");
    }
  };
  const { symbols, localBinaries, mine, begin, end } = options;
  const failedFolder = (error: SafeText): void => take({ error, noReport: null });
  const files = reportFiles(
    paths,
    "hang.txt",
    failedFolder,
    (folder) => failedFolder(safe`no reports in ${escape(folder)}`),
  );
  await summarize(files, {
    ...(localBinaries === undefined ? {} : { localBinaries }),
    ...(symbols === undefined ? {} : { symbols }),
    ...(mine === undefined ? {} : { mine }),
    ...(begin === undefined ? {} : { begin }),
    ...(end === undefined ? {} : { end }),
  }, take);
  const { count, sorted } = groups;
  printGroups(sorted, count, failed, options.json ?? false);
  if (strays.length > 0) complain(safe`warning: ${strayWords(strays)}`);
  if (mine !== undefined && count > 0 && !hasMine) {
    complain(safe`warning: --mine ${escape(mine.join(", "))}: it decides none of the reports`);
  }
  return count === 0 || failed > 0 ? 1 : 0;
}

function printGroups(
  sorted: readonly ReportGroup[],
  count: number,
  failed: number,
  json: boolean,
): void {
  if (json) {
    print(lines(sorted.map((group) => safeJson(group.toJSON()))));
    return;
  }
  const style = styleFor(Deno.stdout);
  const damaged = failed === 0 ? safe`` : safe`, ${failed} not read`;
  const { columns } = Deno.stdout.isTerminal() ? terminalSize() : { columns: Infinity };
  const text = [
    ...sorted.flatMap((group) => [...groupLines(group, style), safe``]),
    ...summaryLines(sorted, style),
    safe`${counted(count, "report")}, ${counted(sorted.length, "signature")}${damaged}`,
  ];
  print(lines(text.flatMap((line) => wrapped(line, columns))));
}

/** Whether a file is an SQLite database: what `collect` makes. */
function isLibrary(path: string): boolean {
  return exists(path) && !isFolder(path) && isDatabase(path);
}

/** The groups of a library. */
async function groupLibrary(paths: readonly string[], json: boolean): Promise<number> {
  const [path, ...others] = paths;
  if (others.length > 0) {
    throw new UserError("a library of reports is grouped alone: `collect` the others into it", 2);
  }
  const [{ openDatabase }, { ReportLibrary }] = await Promise.all([
    import("../../../ffi/sqlite.ts"),
    import("../../../lib/collect/mod.ts"),
  ]);
  using database = await openDatabase(path, { isReadOnly: true });
  const library = new ReportLibrary(database, path, { isReadOnly: true });
  const { reports, failed } = library.counts;
  printGroups([...library.groups()], reports, failed, json);
  return reports === 0 ? 1 : 0;
}

/** Summarizes files, many of them by several workers. */
async function summarize(
  files: Iterator<string>,
  options: SummaryOptions,
  take: (summary: SummaryOrError) => void,
): Promise<void> {
  const batch = (size: number): string[] => {
    const list: string[] = [];
    while (list.length < size) {
      const { value, done } = files.next();
      if (done) break;
      list.push(value);
    }
    return list;
  };
  const first = batch(FEW);
  if (first.length < FEW) {
    const { Summarizer } = await import("./summarize.ts");
    using summarizer = await Summarizer.open(options);
    for (const file of first) summarizer.summarize(file).forEach(take);
    return;
  }
  await runWorkers<readonly string[], readonly SummaryOrError[]>({
    start: () => new Worker(new URL("./summary_worker.ts", import.meta.url), { type: "module" }),
    opening: options,
    tasks: function* () {
      for (let at = 0; at < FEW; at += BATCH) yield first.slice(at, at + BATCH);
      for (let files; (files = batch(BATCH)).length > 0;) yield files;
    }(),
    workers: Math.max(1, Math.min(MAX_WORKERS, navigator.hardwareConcurrency)),
    take: (summaries) => summaries.forEach(take),
  });
}
