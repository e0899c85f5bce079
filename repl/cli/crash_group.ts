/** `machpause crash --group`: many reports, sorted by what crashed. Reports are read one by one, by a few
 * workers where there are many, and of each only its summary is kept until it is counted. */

import { escape } from "../../lib/escape.ts";
import { type CrashOptions, filesIn } from "./crash.ts";
import type { CrashSummary, SummaryOptions, SummaryOrError } from "../view/crash_summary.ts";
import { complain, print } from "../view/output.ts";
import { type Style, styleFor } from "../view/style.ts";

/** From so many files on workers are worth their start. */
const FEW = 64;
/** Files that a worker is given at a time. */
const BATCH = 32;
const MAX_WORKERS = 4;
/** So many different versions, devices and systems are told apart in a group. */
const MAX_KINDS = 32;

/** Reports of one signature. */
export interface CrashGroup {
  readonly id: string;
  readonly parts: readonly string[];
  count: number;
  /** Milliseconds since 1970. */
  first: number | null;
  last: number | null;
  readonly versions: Map<string, number>;
  readonly models: Map<string, number>;
  readonly systems: Map<string, number>;
  /** Whose crash it is: owner and library. */
  readonly verdicts: Map<string, number>;
  /** One of the reports. */
  readonly example: string;
}

/** Counts summaries. */
export class CrashGroups {
  readonly #groups = new Map<string, CrashGroup>();
  /** Reports that were counted. */
  count = 0;

  /** Counts one. */
  add(summary: CrashSummary): void {
    const { id, parts, file, time } = summary;
    let group = this.#groups.get(id);
    if (group === undefined) {
      group = {
        id,
        parts,
        count: 0,
        first: null,
        last: null,
        versions: new Map(),
        models: new Map(),
        systems: new Map(),
        verdicts: new Map(),
        example: file,
      };
      this.#groups.set(id, group);
    }
    this.count++;
    group.count++;
    if (time !== null) {
      group.first = group.first === null ? time : Math.min(group.first, time);
      group.last = group.last === null ? time : Math.max(group.last, time);
    }
    tally(group.versions, summary.version);
    tally(group.models, summary.model);
    tally(group.systems, summary.system);
    tally(group.verdicts, summary.verdict);
  }

  /** The most frequent first. */
  get sorted(): CrashGroup[] {
    return [...this.#groups.values()].sort((a, b) => b.count - a.count || (a.id < b.id ? -1 : 1));
  }
}

function tally(counts: Map<string, number>, key: string | null): void {
  if (key === null) return;
  const known = counts.has(key) || counts.size < MAX_KINDS ? key : "others";
  counts.set(known, (counts.get(known) ?? 0) + 1);
}

/** Runs the command. */
export async function groupCrashes(
  paths: readonly string[],
  options: CrashOptions,
): Promise<number> {
  const groups = new CrashGroups();
  let failed = 0;
  const take = (summary: SummaryOrError): void => {
    if ("error" in summary) {
      failed++;
      complain(`warning: ${summary.error}`);
    } else {
      groups.add(summary);
    }
  };
  await summarize(filesIn(paths), {
    symbols: options.symbols ?? [],
    mine: options.mine ?? [],
    ...(options.begin === undefined ? {} : { begin: options.begin }),
    ...(options.end === undefined ? {} : { end: options.end }),
  }, take);
  if (options.json === true) {
    const { safeJson } = await import("../view/json.ts");
    for (const group of groups.sorted) print(safeJson(groupJson(group)) + "\n");
  } else {
    const style = styleFor(Deno.stdout);
    const lines = groups.sorted.flatMap((group) => [...groupLines(group, style), ""]);
    const damaged = failed === 0 ? "" : `, ${failed} not read`;
    lines.push(`${groups.count} reports, ${groups.sorted.length} signatures${damaged}`);
    print(lines.join("\n") + "\n");
  }
  return groups.count === 0 ? 1 : 0;
}

/** Gives files to workers as they are ready for more. */
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
    const { Summarizer } = await import("../view/crash_summary.ts");
    using summarizer = await Summarizer.open(options);
    for (const file of first) take(summarizer.summarize(file));
    return;
  }
  const count = Math.max(1, Math.min(MAX_WORKERS, navigator.hardwareConcurrency));
  const left = [first.slice(0, BATCH), first.slice(BATCH)];
  const next = (): string[] => left.shift() ?? batch(BATCH);
  await Promise.all(Array.from({ length: count }, () => work(next, options, take)));
}

/** One worker, until there are no more files. */
function work(
  next: () => string[],
  options: SummaryOptions,
  take: (summary: SummaryOrError) => void,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const worker = new Worker(new URL("./crash_worker.ts", import.meta.url), { type: "module" });
  const end = (): void => {
    worker.terminate();
    resolve();
  };
  worker.onmessage = ({ data }: MessageEvent<readonly SummaryOrError[]>) => {
    for (const summary of data) take(summary);
    const files = next();
    if (files.length === 0) end();
    else worker.postMessage(files);
  };
  worker.onerror = (event) => {
    event.preventDefault();
    worker.terminate();
    reject(new Error(event.message));
  };
  worker.postMessage(options);
  return promise;
}

function day(time: number | null): string | null {
  return time === null ? null : new Date(time).toISOString();
}

function counts(map: ReadonlyMap<string, number>): { name: string; count: number }[] {
  return [...map].map(([name, count]) => ({ name, count })).sort((a, b) => b.count - a.count);
}

/** The stable form of `crash --group --json`, one object a line. */
export function groupJson(group: CrashGroup): Record<string, unknown> {
  return {
    id: group.id,
    parts: group.parts,
    count: group.count,
    first: day(group.first),
    last: day(group.last),
    versions: counts(group.versions),
    models: counts(group.models),
    systems: counts(group.systems),
    verdicts: counts(group.verdicts),
    example: group.example,
  };
}

/** A group as some lines. */
export function groupLines(group: CrashGroup, style: Style): string[] {
  const [title = "no exception", ...frames] = group.parts;
  const [first, last] = [day(group.first)?.slice(0, 10), day(group.last)?.slice(0, 10)];
  const when = first === undefined ? "" : first === last ? `  ${first}` : `  ${first} to ${last}`;
  const lines = [
    `${style("heading", `${group.count}×`)}  ${style("name", escape(title))}${when}  ` +
    style("quiet", group.id),
  ];
  for (const frame of frames) lines.push(`    ${escape(frame.slice(0, 300))}`);
  for (
    const [name, map] of [
      ["whose", group.verdicts],
      ["versions", group.versions],
      ["devices", group.models],
      ["systems", group.systems],
    ] as const
  ) {
    const list = counts(map).slice(0, 6).map(({ name, count }) => `${escape(name)} ${count}×`);
    if (list.length > 0) {
      lines.push(`  ${name}: ${list.join(", ")}${map.size > 6 ? ", …" : ""}`);
    }
  }
  lines.push(`  for one: ${escape(group.example)}`);
  return lines;
}
