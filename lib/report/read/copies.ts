/** Names of functions from another copy of the same report in one file, as somebody symbolicated it. */

import type { ReportFrame, ReportThread } from "../drafts.ts";
import { CrashReport } from "../report.ts";

/** Addresses that two stacks have in common before they are taken for one. */
const MIN_SAME = 3;

/** Whether a frame has a function's name. */
export function isNamed(
  { symbol, imageName }: Pick<ReportFrame, "symbol" | "imageName">,
): boolean {
  return symbol !== null && symbol !== imageName &&
    !/^<(?:redacted|deduplicated_symbol)>$/.test(symbol);
}

/** The reports of a file, each with the names that the one before or after it has of the same addresses, where both are of
 * the same end. */
export function nameFromNeighbours(reports: readonly CrashReport[]): CrashReport[] {
  return reports.map((report, at) => {
    let named = report;
    for (const other of [reports[at + 1], reports[at - 1]]) {
      if (other !== undefined && isSame(named, other)) named = nameFrom(named, other);
    }
    return named;
  });
}

/** Whether two reports are of one end of a process. */
function isSame(one: CrashReport, other: CrashReport): boolean {
  if (one.incident !== null && other.incident !== null && one.incident !== other.incident) {
    return false;
  }
  const stack = one.decidingStack;
  if (stack.every(isNamed) || !other.decidingStack.some(isNamed)) return false;
  const addresses = new Set(other.decidingStack.map(({ address }) => address));
  return stack.filter(({ address }) => address !== 0n && addresses.has(address)).length >= MIN_SAME;
}

function nameFrom(report: CrashReport, other: CrashReport): CrashReport {
  const names = new Map<string, ReportFrame>();
  for (const frame of other.stacks.flat()) {
    const key = keyOf(frame);
    if (isNamed(frame) && !frame.inlined && !names.has(key)) names.set(key, frame);
  }
  const fill = (frames: readonly ReportFrame[]): ReportFrame[] =>
    frames.map((frame) => {
      const known = isNamed(frame) ? undefined : names.get(keyOf(frame));
      if (known === undefined) return frame;
      const { symbol, offset, file, line, column } = known;
      return { ...frame, symbol, offset, file, line, column };
    });
  const threads: ReportThread[] = report.threads.map((thread) => ({
    ...thread,
    frames: fill(thread.frames),
  }));
  const { lastException } = report;
  return new CrashReport({
    ...report,
    threads,
    lastException: lastException === null ? null : fill(lastException),
  });
}

/** A frame's place in its process. */
function keyOf({ address, image, imageName }: ReportFrame): string {
  return `${address} ${imageName ?? image?.name ?? ""}`;
}

/** A place that somebody looked up. */
export type SymbolicatedPlace = Pick<ReportFrame, "symbol" | "imageName" | "file" | "line">;

/** Characters of a text in which the output of atos is looked for. */
const PROBED = 1 << 20;
/** Lines between the command and its output. */
const MAX_BETWEEN = 12;

/** What somebody had atos look up in the same text: its command has the addresses, and its output a line for each. */
export function namesByAtos(text: string): ReadonlyMap<bigint, SymbolicatedPlace> {
  const places = new Map<bigint, SymbolicatedPlace>();
  if (!text.includes("atos ")) return places;
  const lines = text.slice(0, PROBED).split(/\r?\n/);
  for (let at = 0; at < lines.length; at++) {
    const given =
      /(?:^|[\s$%`])atos (?:.{0,1000}? )?-l (?:0x)?[0-9a-fA-F]{1,16}((?:[ ,]{1,4}0x[0-9a-fA-F]{1,16}){1,512})/
        .exec(lines[at]);
    if (given === null) continue;
    const addresses = given[1].match(/0x[0-9a-fA-F]{1,16}/g)!.map(BigInt);
    let first = at + 1;
    while (first < lines.length && first - at <= MAX_BETWEEN && looked(lines[first]) === null) {
      first++;
    }
    const found = lines.slice(first, first + addresses.length).map(looked);
    // As many as were asked for, and no more.
    if (found.length < addresses.length || found.some((place) => place === null)) continue;
    if (looked(lines[first + addresses.length] ?? "") !== null) continue;
    for (const [index, address] of addresses.entries()) {
      if (found[index]!.symbol !== null) places.set(address, found[index]!);
    }
  }
  return places;
}

/** A line of the output of atos; `null` for others. An address that it does not know stays one. */
function looked(line: string): SymbolicatedPlace | null {
  const match =
    /^[ \t>]{0,8}(\S.{0,1000}?) \(in ([^()]{1,120})\) (?:\(([^()]{1,300}):(\d{1,9})\)|\+ (?:0x[0-9a-f]{1,12}|\d{1,12}))$/
      .exec(line);
  if (match === null) return null;
  const [, name, imageName, file = null, number] = match;
  return {
    symbol: /^0x[0-9a-f]{1,16}$/.test(name) ? null : name,
    imageName,
    file,
    line: number === undefined || Number(number) === 0 ? null : Number(number),
  };
}
