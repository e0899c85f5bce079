/** `machpause crash --group`: counts many reports by what crashed. */
import { safe, safeJson } from "../../../lib/escape.ts";
import { ReportGroups } from "../../../lib/report/mod.ts";
import { runWorkers } from "../../../lib/workers.ts";
import { fileError } from "../../errors.ts";
import type { Values } from "../../options.ts";
import { groupJson, groupLines } from "../../view/crash_group.ts";
import { complain, explain, print } from "../../view/output.ts";
import { styleFor } from "../../view/style.ts";
import { lines } from "../../view/text.ts";
import type { crashOptions } from "./options.ts";
import { filesIn } from "./read.ts";
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
  const groups = new ReportGroups();
  let failed = 0;
  const take = (summary: SummaryOrError): void => {
    if ("error" in summary) {
      failed++;
      complain(safe`warning: ${summary.error}`);
    } else {
      groups.add(summary);
    }
  };
  const { symbols, localBinaries, mine, begin, end } = options;
  const files = filesIn(
    paths,
    (folder, error) => take({ error: explain(fileError(error, folder)) }),
  );
  await summarize(files, {
    ...(localBinaries === undefined ? {} : { localBinaries }),
    ...(symbols === undefined ? {} : { symbols }),
    ...(mine === undefined ? {} : { mine }),
    ...(begin === undefined ? {} : { begin }),
    ...(end === undefined ? {} : { end }),
  }, take);
  const { count, sorted } = groups;
  if (options.json) {
    print(lines(sorted.map((group) => safeJson(groupJson(group)))));
  } else {
    const style = styleFor(Deno.stdout);
    const damaged = failed === 0 ? safe`` : safe`, ${failed} not read`;
    print(lines([
      ...sorted.flatMap((group) => [...groupLines(group, style), safe``]),
      safe`${count} reports, ${sorted.length} signatures${damaged}`,
    ]));
  }
  return count === 0 ? 1 : 0;
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
    for (const file of first) take(summarizer.summarize(file));
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
