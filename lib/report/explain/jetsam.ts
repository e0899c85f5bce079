/** Processes that the kernel ended for memory: JetsamEvent reports, and the texts that iOS wrote before. */

import { isLowMemory, largestOf } from "../jetsam.ts";
import { arrayAt, isObject, type JsonObject, numberAt, objectAt, textAt } from "../json.ts";
import { type KnowledgeRow, known } from "../knowledge/mod.ts";
import type { CrashReport } from "../report.ts";
import type { Findings } from "./explanation.ts";

/** Most processes that are named for their size only. */
const MAX_OTHERS = 4;

/** Size of the pages of devices since the iPhone 6s. */
const NEWER_PAGE = 1 << 14;

/** Explains a JetsamEvent: who was ended, why, and how much memory it used. */
export function explainJetsam(report: CrashReport): Findings {
  const body: JsonObject = report.body ?? {};
  const status = objectAt(body, "memoryStatus");
  const pageSize = numberAt(status ?? undefined, "pageSize") ?? numberAt(body, "pageSize");
  // Pages have 4 or 16 KB.
  const ofSize = (pages: number, size: number): string =>
    `${Math.round(pages * size / (1 << 20))} MB`;
  const megabytes = (pages: number): string =>
    pageSize === null
      ? `${pages} pages (${ofSize(pages, NEWER_PAGE)} if they have 16 KB, as on newer devices)`
      : ofSize(pages, pageSize);
  const processes = arrayAt(body, "processes").filter(isObject);
  const killed = killedOf(body);
  const largest = textAt(body, "largestProcess");
  const rows: KnowledgeRow[] = [];
  const happened: string[] = [];
  for (const process of killed.slice(0, 4)) {
    const reason = textAt(process, "reason")!;
    const row = known("jetsam", reason);
    if (row !== null && !rows.includes(row)) rows.push(row);
    const pages = numberAt(process, "rpages");
    const peak = numberAt(process, "lifetimeMax");
    const states = arrayAt(process, "states").filter((state) => typeof state === "string");
    const used = pages === null
      ? ""
      : `, which used ${megabytes(pages)}${
        peak === null || peak <= pages || megabytes(peak) === megabytes(pages)
          ? ""
          : ` (at most ${megabytes(peak)})`
      }`;
    const state = states.length === 0 ? "" : `, ${states.join(", ")}`;
    happened.push(
      `The kernel ended ${nameOf(process)}${state}${used}: ${reason}` +
        (row === null ? "." : `, ${row.meaning}.`),
    );
    const whole = wholeOf(textAt(process, "name") ?? "", processes);
    if (whole !== null) {
      happened.push(`By its name it is a part of ${whole}, such as an extension.`);
    }
  }
  if (killed.length > 4) happened.push(`${killed.length - 4} more processes were ended.`);
  const left = killed.length === 0 ? looseKills(report.text) : [];
  if (killed.length === 0) {
    for (const { name, reason, pages } of left) {
      const row = known("jetsam", reason);
      if (row !== null && !rows.includes(row)) rows.push(row);
      happened.push(
        `The kernel ended ${name}${
          pages === null ? "" : `, which used ${megabytes(pages)}`
        }: ${reason}${row === null ? "" : `, ${row.meaning}`}.`,
      );
    }
    if (left.length === 0) {
      happened.push(
        processes.length === 0
          ? "Processes were ended for memory; which, and why, is not in the report: the list of processes is missing."
          : "Processes were ended for memory; which, and why, is not in the report: those that are left in it were not.",
      );
    }
  }
  const bySize = processes.toSorted((a, b) =>
    (numberAt(b, "rpages") ?? 0) - (numberAt(a, "rpages") ?? 0)
  );
  const big = bySize.find((process) => (numberAt(process, "rpages") ?? 0) > 0) ?? null;
  const bigName = largest ?? (big === null ? null : nameOf(big));
  // A single process is a piece of a report.
  if (largest !== null && killed.length === 0 && left.length === 0) {
    happened.push(`The largest process was ${largest}; that it was ended is not said.`);
  } else if (largest !== null && left.length > 0) {
    // Of a process that the copy leaves out nothing is known.
    const isLeft = left.every(({ name }) => name !== largest) && isListed(report.text, largest);
    happened.push(`The largest process was ${largest}${isLeft ? "; it was not ended" : ""}.`);
  } else if (bigName !== null && processes.length > 1) {
    const entry = bySize.find((process) => textAt(process, "name") === bigName) ?? null;
    const pages = entry === null ? null : numberAt(entry, "rpages");
    // It is the first that is taken for the one that was ended.
    const isLeft = entry !== null && textAt(entry, "reason") === null && killed.length > 0;
    happened.push(
      `The largest process was ${bigName}${pages === null ? "" : `, with ${megabytes(pages)}`}${
        isLeft ? "; it was not ended" : ""
      }.`,
    );
  }
  // Of the others that were not told of, for what used the memory.
  const told = [
    ...killed.slice(0, 4),
    bySize.find((process) => textAt(process, "name") === bigName) ?? big,
  ];
  const others = bySize.filter((process) =>
    (numberAt(process, "rpages") ?? 0) > 0 && !told.includes(process)
  ).slice(0, MAX_OTHERS);
  if (others.length > 0) {
    const list = others.map((process) =>
      `${textAt(process, "name") ?? "a process"} (${megabytes(numberAt(process, "rpages")!)})`
    ).join(", ");
    happened.push(`The largest of the others: ${list}.`);
  }
  const memory = objectAt(status ?? undefined, "memoryPages");
  const free = memory === null ? null : numberAt(memory, "free");
  if (free !== null) happened.push(`${megabytes(free)} were free.`);
  const first = killed[0] === undefined
    ? left[0]
    : { name: textAt(killed[0], "name") ?? "?", reason: textAt(killed[0], "reason") };
  return {
    headline: `${first?.name ?? "memory"}: JetsamEvent${
      first === undefined ? "" : `, ${first.reason}`
    }`,
    happened,
    rows: rows.length > 0 ? rows : [known("report", "298")!],
  };
}

/** The processes of a JetsamEvent that were ended: the one in front first, then by size. */
function killedOf(body: JsonObject): JsonObject[] {
  const isFront = (process: JsonObject): boolean =>
    arrayAt(process, "states").includes("frontmost");
  return arrayAt(body, "processes").filter(isObject).filter((process) =>
    textAt(process, "reason") !== null
  ).sort((a, b) =>
    Number(isFront(b)) - Number(isFront(a)) ||
    (numberAt(b, "rpages") ?? 0) - (numberAt(a, "rpages") ?? 0)
  );
}

/** Why the kernel ended the first process of a JetsamEvent, or of the text before; `null` where it ended none. */
export function jetsamReason(report: CrashReport): string | null {
  const { body, text } = report;
  if (body === null && isLowMemory(report)) return endedOf(text)[0]?.reason ?? null;
  const [first] = killedOf(body ?? {});
  if (first !== undefined) return textAt(first, "reason");
  return looseKills(text)[0]?.reason ?? null;
}

/** Letters and digits from which on one name in another is no accident. */
const MIN_NAME = 6;

/** The app that a process belongs to whose name is a bundle identifier, by an app's name in it: that of `org.shop.cart-app.Mail`
 * is `Cart App`. XNU cuts names after 32 characters: bsd/sys/proc_internal.h, proc_name_t. */
function wholeOf(name: string, processes: readonly JsonObject[]): string | null {
  if (!/^[\w-]{1,40}(?:\.[\w-]{1,60}){2,8}$/.test(name)) return null;
  const parts = name.split(".").slice(1).map(plain);
  for (const process of processes) {
    const other = textAt(process, "name") ?? "";
    const word = plain(other);
    if (word.length >= MIN_NAME && !other.includes(".") && parts.includes(word)) return other;
  }
  return null;
}

/** A name's letters and digits. */
function plain(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, "");
}

/** Processes with a reason in a text whose JSON is damaged. */
function looseKills(text: string): { name: string; reason: string; pages: number | null }[] {
  const found: { name: string; reason: string; pages: number | null }[] = [];
  for (
    let at = text.indexOf('"reason"');
    at >= 0 && found.length < 4;
    at = text.indexOf('"reason"', at + 1)
  ) {
    const begin = Math.max(text.lastIndexOf("{", at), at - 2000);
    const close = text.indexOf("}", at);
    const entry = text.slice(begin, close < 0 ? at + 2000 : Math.min(close, at + 2000));
    const reason = /"reason"\s{0,3}:\s{0,3}"([\w-]{1,60})"/.exec(entry)?.[1];
    const name = /"name"\s{0,3}:\s{0,3}"([^"]{1,100})"/.exec(entry)?.[1];
    const pages = /"rpages"\s{0,3}:\s{0,3}(\d{1,12})\b/.exec(entry)?.[1];
    if (reason !== undefined && name !== undefined) {
      found.push({ name, reason, pages: pages === undefined ? null : Number(pages) });
    }
  }
  return found;
}

/** Whether a text whose JSON is damaged has the entry of a process. */
function isListed(text: string, name: string): boolean {
  const quoted = JSON.stringify(name);
  for (let at = text.indexOf(quoted); at >= 0; at = text.indexOf(quoted, at + 1)) {
    if (/"name"\s{0,3}:\s{0,3}$/.test(text.slice(Math.max(0, at - 16), at))) return true;
  }
  return false;
}

/** Lines of processes of which the text of a low-memory report is searched. */
const MAX_TABLE = 1 << 16;

/** The processes that were ended, with a reason, the one in front first. */
function endedOf(
  text: string,
): { name: string; pages: string; reason: string; isFront: boolean }[] {
  const begin = largestOf(text)?.index ?? 0;
  return [
    ...text.slice(begin, begin + MAX_TABLE).matchAll(
      /^[ \t]{0,40}(\S.{0,60}?) <[0-9a-f-]{32,36}>[ \t]{1,20}(\d{1,9})\b[^[\n]{0,60}\[([\w-]{1,40})\](.{0,100})$/gm,
    ),
  ].map(([, name, pages, reason, states]) => ({
    ...{ name, pages, reason, isFront: states.includes("(frontmost)") },
  })).sort((a, b) => Number(b.isFront) - Number(a.isFront));
}

/** Explains the text that iOS wrote before its JetsamEvent reports were JSON: which processes were ended for memory;
 * `null` for other reports. */
export function explainLowMemory(report: CrashReport): Findings | null {
  if (!isLowMemory(report)) return null;
  const { text } = report;
  const largest = largestOf(text)!;
  const table = text.slice(largest.index, largest.index + MAX_TABLE);
  const ended = endedOf(text);
  const rows = [...new Set(ended.map(({ reason }) => known("jetsam", reason)))]
    .filter((row) => row !== null);
  const happened = ended.slice(0, 4).map(({ name, pages, reason, isFront }) => {
    const row = known("jetsam", reason);
    return `The kernel ended ${name}${isFront ? ", frontmost" : ""}, which used ${pages} pages: ` +
      `${reason}${row === null ? "" : `, ${row.meaning}`}.`;
  });
  if (ended.length > 4) happened.push(`${ended.length - 4} more processes were ended.`);
  const older = ended.length === 0 ? olderEnded(table) : [];
  for (const { name, pages, isActive } of older.slice(0, 4)) {
    const size = Math.round(pages * 4096 / 1024 / 1024);
    happened.push(
      `The system ended ${name}${
        isActive ? ", which was active, as the app in front is," : ""
      } for want of memory: it had ${pages} resident pages${
        size > 0 ? `, about ${size} MB` : ""
      } (jettisoned).`,
    );
  }
  if (older.length > 4) happened.push(`${older.length - 4} more processes were ended.`);
  const big = largest[1].trim();
  const first = ended[0]?.name ?? (older[0]?.isActive === true ? older[0].name : undefined);
  const isNamed = [...ended, ...older].some(({ name }) => name === big);
  // A copy may leave out its line.
  const isLeft = !isNamed && ended.length + older.length > 0 &&
    table.split("\n").some((line) => line.trimStart().startsWith(`${big} <`));
  if (happened.length === 0) {
    happened.push(
      /<[\w-]{32,36}>/.test(table)
        ? "Memory was short; no process is marked as ended for it."
        : "Memory was short. The list of processes is missing in the report: which were ended is not known.",
    );
  }
  happened.push(
    `The largest process was ${big}${isLeft ? "; it was not ended" : ""}.`,
  );
  return {
    headline: first === undefined ? "low memory" : `${first}: low memory`,
    happened,
    rows: rows.length > 0 ? rows : [known("report", "298")!],
  };
}

/** The processes that were ended, by the table that iPhone OS 3 to 5 wrote, which has states and no reasons: the active one
 * first, then by size. Its pages are of 4 KB. */
function olderEnded(table: string): { name: string; pages: number; isActive: boolean }[] {
  return [
    ...table.matchAll(
      /^[ \t]{0,40}(\S.{0,60}?) <[\w-]{32,36}>[ \t]{1,20}(\d{1,9})((?:[ \t]{1,10}\([a-z]{1,20}\)){1,4})[ \t]{0,10}$/gm,
    ),
  ].filter(([, , , states]) => states.includes("(jettisoned)")).map(([, name, pages, states]) => ({
    name,
    pages: Number(pages),
    isActive: /\((?:active|frontmost)\)/.test(states),
  })).sort((a, b) => Number(b.isActive) - Number(a.isActive) || b.pages - a.pages);
}

function nameOf(process: JsonObject): string {
  const pid = numberAt(process, "pid");
  return `${textAt(process, "name") ?? "a process"}${pid === null ? "" : ` [${pid}]`}`;
}
