/** Groups of reports as text. */
import { escape, safe, type SafeText } from "../../lib/escape.ts";
import { nameCounts, type ReportGroup } from "../../lib/report/mod.ts";
import type { Style } from "./style.ts";
import { join } from "./text.ts";

/** Maximum number of names per line. */
const MOST = 6;

function iso(time: number | null): string | null {
  return time === null ? null : new Date(time).toISOString();
}

/** From this number of groups on, the largest are named again at the end, which is what a terminal shows. */
const MANY = 10;
/** Number of them. */
const LARGEST = 5;

/** What is said after all groups. */
export function summaryLines(sorted: readonly ReportGroup[], style: Style): SafeText[] {
  const lines: SafeText[] = [];
  const largest = sorted.length < MANY
    ? []
    : sorted.slice(0, LARGEST).filter(({ count }) => count > 1);
  if (largest.length > 0) {
    lines.push(style("heading", safe`The largest`));
    for (const { id, parts, count } of largest) {
      const [title, ...frames] = parts.map((part) => escape(part.slice(0, 120)));
      const stack = frames.length === 0 ? safe`` : safe`, ${join(frames, " ← ")}`;
      lines.push(safe`  ${count}×  ${style("quiet", escape(id))}  ${title ?? safe``}${stack}`);
    }
    lines.push(safe``);
  }
  if (sorted.length > 0) {
    lines.push(
      safe`The 16 digits are a signature: the same crash has the same in any report.`,
    );
  }
  return lines;
}

/** A group as some lines. */
export function groupLines(group: ReportGroup, style: Style): SafeText[] {
  const [title = "no exception", ...frames] = group.parts;
  const [first, last] = [group.first, group.last].map((time) => iso(time)?.slice(0, 10));
  const when = first === undefined ? "" : first === last ? `  ${first}` : `  ${first} to ${last}`;
  const lines = [
    safe`${style("heading", safe`${group.count}×`)}  ${style("name", escape(title))}${
      escape(when)
    }  ${style("quiet", escape(group.id))}`,
    ...frames.map((frame) => safe`    ${escape(frame.slice(0, 300))}`),
  ];
  for (
    const [name, map] of [
      [safe`whose`, group.verdicts],
      [safe`versions`, group.versions],
      [safe`devices`, group.models],
      [safe`systems`, group.systems],
    ] as const
  ) {
    const list = nameCounts(map).slice(0, MOST).map(({ name, count }) =>
      safe`${escape(name)} ${count}×`
    );
    if (list.length === 0) continue;
    lines.push(safe`  ${name}: ${join(list, ", ")}${map.size > MOST ? safe`, …` : safe``}`);
  }
  lines.push(safe`  for one: ${escape(group.example)}`);
  return lines;
}
