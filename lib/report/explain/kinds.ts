/** Reports about something else than a crash: the use of resources, hangs, stackshots. */

import { baseName } from "../images.ts";
import {
  arrayAt,
  isObject,
  type JsonObject,
  numberAt,
  objectAt,
  parseJson,
  textAt,
} from "../json.ts";
import { type KnowledgeRow, known } from "../knowledge/mod.ts";
import { once } from "../remember.ts";
import { type CrashReport, fieldValue, type ReportThread } from "../report.ts";
import { headOf } from "../text.ts";
import { type Findings, stateOnly } from "./explanation.ts";
import { threadWaits } from "./waits.ts";
import { isOfPages, scriptOfPage } from "./web_page.ts";
import { isSystemProgram, withoutPid } from "./program.ts";

/** The `Event:` of a resource or hang report, in lower case, or the tool that made the report, such as `leaks`;
 * `null` for other reports. */
export const eventOf: (report: CrashReport) => string | null = once((report) => {
  const { format, threads, exception } = report;
  const event = fieldValue(report, "event");
  if (event !== null) return event.trim().toLowerCase();
  if (format !== "crash" || threads.length > 0 || exception !== null) return null;
  const tool = fieldValue(report, "analysis tool");
  return tool === null ? null : baseName(tool.trim()).toLowerCase();
});

/** Most programs that are named. */
const MAX_PROGRAMS = 6;

/** The programs that a report of the system's own samples has, those with most samples first. */
function sampledPrograms(text: string): string[] {
  const found = [
    ...text.matchAll(
      /^Powerstats for: {1,8}(\S.{0,100})\n(?:.{0,500}\n){0,12}?Num samples: {1,8}(\d{1,9})\b/gm,
    ),
  ].map(([, name, count]) => ({ name, count: Number(count) })).sort((a, b) => b.count - a.count);
  if (found.length === 0) return [];
  const named = found.slice(0, MAX_PROGRAMS).map(({ name, count }) => `${name} (${count})`);
  return [
    `Samples of each program: ${named.join(", ")}${found.length > MAX_PROGRAMS ? ", …" : ""}.`,
  ];
}

/** What `leaks` counted, and of what classes the leaked blocks are. */
function leakWords(text: string): string[] {
  const total = /^Process \d{1,9}: (\d{1,12} leaks? for \d{1,15} total leaked bytes)\.?$/m.exec(
    text,
  )
    ?.[1];
  const classes = new Map<string, number>();
  for (
    const [, name] of text.matchAll(/\bROOT (?:LEAK|CYCLE): <([^<>]{1,200}?) 0x[0-9a-f]{1,16}>/g)
  ) {
    if (classes.has(name) || classes.size < 100) classes.set(name, (classes.get(name) ?? 0) + 1);
  }
  const named = [...classes].slice(0, 6).map(([name, count]) => `${count} of ${name}`);
  return [
    ...(total === undefined ? [] : [`It found ${total}.`]),
    ...(named.length === 0 ? [] : [`Where they begin: ${named.join(", ")}.`]),
  ];
}

/** Lines of resource reports that say what was used and what the limit was: of several the first. */
const measures = /^(?:CPU|Wakeups|Writes|Hang duration|Footprint|CPU used|Duration)$/i;

/** What stands before the stacks of a machine that failed to wake in its firmware. */
function firmwareWords(head: string): string | null {
  // In a post it may begin a span of code.
  if (!/^[`*>_ ]{0,4}Sleep Wake failure in EFI\b/m.test(head)) return null;
  const code = /^[>* ]{0,4}Failure code::? {0,4}(0x[0-9a-f]{1,16}(?: 0x[0-9a-f]{1,16})?)/m.exec(
    head,
  )?.[1];
  return `It failed in EFI, the machine's firmware${
    code === undefined ? "" : `, with the code ${code}`
  }: the stacks have nothing to do with it.`;
}

/** The row of an event. Who reads of a program of the system cannot change what it does. */
export function eventRow(report: CrashReport, event: string): KnowledgeRow | null {
  const row = known("event", event);
  const ofSystem = isSystemProgram(report) && /^(?:cpu usage|wakeups|disk writes)$/.test(event)
    ? known("event", isOfPages(report) ? "resource of a web page" : "resource of the system")
    : null;
  return row === null || ofSystem === null ? row : { ...row, next: ofSystem.next };
}

/** Explains a report about the use of a resource, or about a hang. */
export function explainEvent(report: CrashReport, event: string): Findings {
  const row = eventRow(report, event);
  const happened: string[] = [];
  happened.push(row === null ? `The report is about: ${event}.` : row.meaning);
  const firmware = event === "sleep wake failure" ? firmwareWords(headOf(report.text)) : null;
  if (firmware !== null) happened.push(firmware);
  const measure = row !== null && stateOnly([row])
    ? undefined
    : report.fields.find(({ name, value }) => measures.test(name) && value !== "");
  const action = report.fields.find(({ name, value }) => name === "Action taken" && value !== "");
  const reason = report.fields.find(({ name, value }) => name === "Reason" && value !== "");
  // What other tools said is behind the stacks.
  if (reason !== undefined && headOf(report.text).includes(reason.value)) {
    happened.push(`It says: ${reason.value}`);
  }
  for (const field of [measure, action]) {
    if (field === undefined) continue;
    const isNone = field === action && field.value === "none";
    // How long it did not answer before is told by itself; a mail's wrapped line lacks the end.
    const isTold = report.threads.every(({ process }) => process === null);
    const value = isTold
      ? field.value.replace(/ \((?:process was )?unresponsive for [^()]{1,60}\)?$/, "")
      : field.value;
    happened.push(
      `${field.name}: ${value.replace(/\.$/, "")}${
        isNone ? ": the system did not end the process for it" : ""
      }.`,
    );
  }
  const script = scriptOfPage(report);
  if (script !== null) {
    happened.push(
      `${script.samples} of ${script.total} samples of the heaviest stack ran JavaScript of a page: WebCore had called JavaScriptCore.`,
    );
  }
  if (event === "leaks") happened.push(...leakWords(report.text));
  if (event === "powerstats") happened.push(...sampledPrograms(report.text));
  return {
    headline: event,
    happened,
    rows: row === null ? [] : [row],
  };
}

/** A process of a report of several, and the processor time that it used while it was sampled. */
export interface ProcessUse {
  /** As in `launchd [1]`. */
  readonly title: string;
  readonly seconds: number;
}

/** The processes of a spindump that computed, the busiest first. */
export function processUses(text: string): ProcessUse[] {
  const uses: ProcessUse[] = [];
  let title: string | null = null;
  for (const [, name, value] of text.matchAll(/^(Process|CPU Time): {2,20}(\S.{0,200})$/gm)) {
    if (name === "Process") title = value.trim();
    else if (title !== null) {
      const seconds = Number(/^<?(\d{1,9}(?:\.\d{1,6})?)(?:s\b|$)/.exec(value)?.[1] ?? 0);
      // spindump itself only took the samples.
      const counts = seconds > 0 && !title.startsWith("spindump [");
      if (counts && uses.length < 10_000) uses.push({ title, seconds });
      title = null;
    }
  }
  return uses.sort((a, b) => b.seconds - a.seconds);
}

/** The processes of a spindump of several that it says did not answer, with what it says of that. */
export function silentProcesses(text: string): { title: string; note: string }[] {
  const silent: { title: string; note: string }[] = [];
  let title: string | null = null;
  for (const [, name, value] of text.matchAll(/^(Process|Note): {2,20}(\S.{0,200})$/gm)) {
    if (name === "Process") title = value.trim();
    else if (title !== null && /^Unresponsive\b/.test(value) && silent.length < 100) {
      silent.push({ title, note: value.trim().replace(/^Unresponsive ?/, "") });
      title = null;
    }
  }
  return silent;
}

/** Seconds for which spindump computed while it took its samples; `null` where it is not among the processes. */
export function samplerTime(text: string): number | null {
  let most = 0;
  for (
    const [, seconds] of text.matchAll(
      /^Process: {2,20}spindump \[\d{1,9}\].*\n(?:(?!Process:)\S.{0,300}\n){0,20}?CPU Time: {2,20}<?(\d{1,9}(?:\.\d{1,6})?)(?:s\b|$)/gm,
    )
  ) most = Math.max(most, Number(seconds));
  return most > 0 ? most : null;
}

/** Kinds of reports that are no stackshots, by Apple's number. */
const otherKinds: ReadonlyMap<string, string> = new Map([
  ["115", "reset"],
  ["211", "analytics"],
  ["409", "watchdog of a service"],
]);

/** Lines of a reset's report that say what the hardware noted. */
const resetFields = /^(?:Reset count|Boot failure count|Boot faults|Boot stage)$/i;

/** Explains a report that is known by Apple's number, mostly a stackshot: who asked for it, where it says so. */
export function explainStackshot(report: CrashReport, reason: string | null): Findings {
  const row = (report.bugType === null ? null : known("report", report.bugType)) ??
    known("report", "188")!;
  const other = otherKinds.get(row.key);
  if (row.key === "211") {
    const counted = countedEnds(report.text);
    return {
      headline: other!,
      happened: [row.meaning, ...counted],
      rows: counted.length === 0 ? [row] : [{
        ...row,
        next:
          "Look for the reports themselves of what it counts: it has no stacks, which would show the cause.",
      }],
    };
  }
  if (other !== undefined) {
    const noted = report.fields.filter(({ name, value }) => resetFields.test(name) && value !== "")
      .map(({ name, value }) => `${name}: ${value}`).join(", ");
    const happened = [row.meaning, ...(noted === "" ? [] : [`${noted}.`])];
    const faults = fieldValue(report, "boot faults") ?? "";
    // The words that the hardware has for some causes are in brackets behind them.
    const causes = row.causes.filter((cause) => {
      const word = /\(([a-z]{3,12})(?:_[a-z]{1,12})?\)$/.exec(cause)?.[1];
      return word !== undefined && faults.includes(word);
    });
    return { headline: other, happened, rows: [causes.length === 0 ? row : { ...row, causes }] };
  }
  if (reason === null) return { headline: "stackshot", happened: [row.meaning], rows: [row] };
  const named = namedProcess(report, reason);
  const isAsked = /sysdiagnose|button|volume|key ?chord|manual|user init/i.test(reason);
  const asker = askerOf(report);
  const assertion = /^Power assertion timeout for "([^"]{1,200})"/.exec(reason)?.[1] ?? null;
  const pid = /\bpid (\d{1,7})\b/.exec(reason.slice(0, 1000))?.[1];
  const holder = named ?? (pid === undefined ? "a process" : `process ${pid}`);
  return {
    headline: "stackshot",
    happened: [
      row.meaning,
      ...(assertion === null ? [] : [
        `The power assertion "${assertion}", by which ${holder} kept the device awake, was not released in time${
          /\breleasing it\b/.test(reason) ? ": the system released it" : ""
        }.`,
      ]),
      `It says: ${reason}`,
      ...(asker === null ? [] : [`${asker} asked for it.`]),
      ...namedWords(report, named, asker),
      ...frontWords(report),
    ],
    rows: [{
      ...row,
      causes: [],
      next: assertion !== null
        ? `See what ${holder} keeps the device awake for, and whether it ends.`
        : isAsked
        ? ""
        : named !== null || asker !== null
        ? `See what ${named ?? asker} was waiting for.`
        : "See what the processes were waiting for.",
    }],
  };
}

/** The process by whose number the reason of a stackshot names it, as in `terminate [77]`, `Shop:77 has` or `pid 77`, with
 * its name from the report's processes; `null` where it names none that is there. */
export function namedProcess({ threads }: CrashReport, reason: string): string | null {
  const pid = /(?:\[|\bpid:? {0,2}|^[\w. -]{1,60}:)(\d{1,7})(?:\]|\b)/i.exec(reason.slice(0, 1000))
    ?.[1];
  if (pid === undefined) return null;
  return processOf(threads, pid);
}

/** The process of a number, as threads name it: `Shop [77]`; `null` where it has none there. */
function processOf(threads: readonly ReportThread[], pid: string): string | null {
  return threads.find(({ process }) => process?.endsWith(`[${pid}]`) === true)?.process ?? null;
}

/** Tells of the process that the reason of a stackshot names, or else of that which asked for it: who it is, and for which
 * threads others of it waited. */
export function namedWords(
  report: CrashReport,
  named: string | null,
  asker: string | null,
): string[] {
  const about = named ?? asker;
  return [
    ...(named === null ? [] : [`The process that this names is ${named}.`]),
    ...(about === null ? [] : threadWaits(report, [withoutPid(about)])),
  ];
}

/** Which processes were in front when a stackshot was taken. */
export function frontWords({ body, fields, threads }: CrashReport): string[] {
  const pids = [
    ...arrayAt(body ?? {}, "frontmostPids").map(String),
    ...fields.flatMap(({ name, value }) =>
      /^Frontmost process PID$/i.test(name) ? [value.trim()] : []
    ),
  ].slice(0, 8);
  // SpringBoard, which shows the others, is always among them.
  const front = pids.flatMap((pid) => processOf(threads, pid) ?? []).filter((title) =>
    !title.startsWith("SpringBoard [")
  );
  return front.length === 0
    ? []
    : [front.length === 1 ? `In front was ${front[0]}.` : `In front were ${front.join(", ")}.`];
}

/** Most lines of the system's analytics that are read, and most entries of a kind that are told. */
const MAX_LINES = 1 << 14;
const MAX_COUNTED = 6;

/** What the system's analytics count of crashes and of processes that were ended for memory: lines of JSON. */
function countedEnds(text: string): string[] {
  const crashes = new Map<string, number>();
  const ended = new Map<string, number>();
  for (const line of text.split("\n", MAX_LINES)) {
    const name = /"name" ?: ?"(StabilityCrashNumerator2|JetsamAggregation(?:V\d)?)"/.exec(line)
      ?.[1];
    if (name === undefined) continue;
    const message = objectAt(parsed(line) ?? {}, "message") ?? undefined;
    const count = numberAt(message, "Count");
    const program = textAt(message, "process") ?? textAt(message, "name");
    if (count === null || program === null) continue;
    if (name === "StabilityCrashNumerator2") {
      const version = textAt(message, "appVersion");
      const space = textAt(message, "terminationReasonNamespace");
      const code = textAt(message, "terminationReasonExceptionCode");
      const why = [space, code].filter((part) => part !== null && part !== "").join(" ");
      const title = `${program}${version === null ? "" : ` ${version}`}${
        why === "" ? "" : ` (${why})`
      }`;
      crashes.set(title, (crashes.get(title) ?? 0) + count);
    } else {
      // The same is counted under each version of the name.
      const title = `${program} (${textAt(message, "reason") ?? "?"})`;
      ended.set(title, Math.max(ended.get(title) ?? 0, count));
    }
  }
  const list = (counts: ReadonlyMap<string, number>): string => {
    const all = [...counts].sort(([, a], [, b]) => b - a);
    const told = all.slice(0, MAX_COUNTED).map(([title, count]) =>
      `${title}, ${count === 1 ? "once" : `${count} times`}`
    )
      .join("; ");
    return `${told}${all.length > MAX_COUNTED ? `; and ${all.length - MAX_COUNTED} more` : ""}`;
  };
  return [
    ...(crashes.size === 0 ? [] : [`It counts crashes of: ${list(crashes)}.`]),
    ...(ended.size === 0
      ? []
      : [`It counts processes that were ended for memory: ${list(ended)}.`]),
  ];
}

/** A line of JSON; `null` for what is none. */
function parsed(line: string): JsonObject | null {
  const { value } = parseJson(line);
  return isObject(value) ? value : null;
}

/** The process that asked for a stackshot, by its number and the table of processes. */
function askerOf({ body }: CrashReport): string | null {
  if (body === null) return null;
  const pid = numberAt(body, "pid");
  const table = objectAt(body, "processByPid");
  const entry = pid === null || table === null ? null : objectAt(table, String(pid));
  const name = entry === null ? null : textAt(entry, "procname");
  return name === null ? null : `${name} [${pid}]`;
}
