/** Unit tables made by hand and by chance, and what they say looked up the plain way. */

import type { UnitTable } from "../../../lib/dwarf/mod.ts";
import type { SourceFrame } from "../../../mod.ts";
import type { RawText } from "../../../lib/escape.ts";

/** A function or inlined call. */
export interface ScopeInput {
  /** Its index in the list; -1 for a function. */
  readonly parent: number;
  readonly name: string | null;
  readonly ranges: readonly (readonly [low: number, high: number])[];
  readonly call?: readonly [file: number, line: number, column: number];
}

/** Rows, and where the last one's bytes end. */
export interface SequenceInput {
  readonly rows: readonly (readonly [offset: number, file: number, line: number, column: number])[];
  readonly high: number;
}

/** What a table is made from. */
export interface UnitInput {
  readonly scopes: readonly ScopeInput[];
  readonly sequences: readonly SequenceInput[];
  /** By number from 0. */
  readonly files: readonly string[];
}

/** The columns of a unit. */
export function unitTable({ scopes, sequences, files }: UnitInput): UnitTable {
  const names = [...new Set(scopes.map(({ name }) => name))];
  const ranges = scopes.flatMap(({ ranges }) => ranges);
  const rows = sequences.flatMap(({ rows }) => rows);
  const sums = (counts: readonly number[]) => {
    let sum = 0;
    return Uint32Array.from([0, ...counts.map((count) => sum += count)]);
  };
  return {
    unit: 0,
    name: "unit.c",
    directory: "/src",
    language: 12,
    scopeCount: scopes.length,
    scopeParent: Int32Array.from(scopes, ({ parent }) => parent),
    scopeFunction: Uint32Array.from(scopes, ({ name }) => names.indexOf(name)),
    functionCount: names.length,
    scopePlace: new Uint32Array(scopes.length),
    scopeCallFile: Uint32Array.from(scopes, ({ call }) => call?.[0] ?? 0xffffffff),
    scopeCallLine: Uint32Array.from(scopes, ({ call }) => call?.[1] ?? 0),
    scopeCallColumn: Uint32Array.from(scopes, ({ call }) => call?.[2] ?? 0),
    scopeRanges: sums(scopes.map(({ ranges }) => ranges.length)),
    rangeCount: ranges.length,
    rangeLow: Float64Array.from(ranges, ([low]) => low),
    rangeHigh: Float64Array.from(ranges, ([, high]) => high),
    sequenceCount: sequences.length,
    sequenceRows: sums(sequences.map(({ rows }) => rows.length)),
    sequenceHigh: Float64Array.from(sequences, ({ high }) => high),
    rowCount: rows.length,
    rowOffset: Float64Array.from(rows, ([offset]) => offset),
    rowFile: Uint32Array.from(rows, ([, file]) => file),
    rowLine: Uint32Array.from(rows, ([, , line]) => line),
    rowColumn: Uint32Array.from(rows, ([, , , column]) => column),
    // What begins with `Z` has a linkage name, too.
    functionName: (number) => rawOrNull(names[number]?.replace(/^Z/, "")),
    linkageName: (number) => {
      const name = names[number] ?? null;
      return rawOrNull(name?.startsWith("Z") ? name : null);
    },
    symbolName: (number) => {
      const name = names[number] ?? null;
      if (name === null) return null;
      const bytes = new TextEncoder().encode(name);
      return { bytes, start: 0, end: bytes.length };
    },
    file: (number) => rawOrNull(files[number]),
  };
}

function rawOrNull(text: string | null | undefined): RawText | null {
  return text == null ? null : text;
}

/** The frames at an offset, by the rules that debuggers have: of all scopes that hold it the last, and
 * the last row at or below it of the sequence that holds it. */
export function plainFrames(
  { scopes, sequences, files }: UnitInput,
  offset: number,
): SourceFrame[] {
  const place = (file: number, line: number, column: number) =>
    files[file] === undefined ? null : { file: files[file], line, column };
  const sequence = sequences.find(({ rows, high }) => rows[0][0] <= offset && offset < high);
  const row = sequence?.rows.findLast(([at]) => at <= offset);
  let location = row === undefined ? null : place(row[1], row[2], row[3]);
  let at = scopes.findLastIndex(({ ranges }) =>
    ranges.some(([low, high]) => low <= offset && offset < high)
  );
  if (at < 0) return row === undefined ? [] : [{ function: "", location, inlined: false }];
  const frames: SourceFrame[] = [];
  for (; at >= 0; at = scopes[at].parent) {
    const { name, parent, call } = scopes[at];
    frames.push({ function: name ?? "", location, inlined: parent >= 0 });
    location = call === undefined ? null : place(...call);
  }
  return frames;
}

/** Numbers that look like chance and are the same in every run. */
export function chance(seed: number): (below: number) => number {
  let state = seed | 0;
  return (below) => {
    // mulberry32
    state = (state + 0x6d2b79f5) | 0;
    let word = Math.imul(state ^ (state >>> 15), state | 1);
    word ^= word + Math.imul(word ^ (word >>> 7), word | 61);
    return ((word ^ (word >>> 14)) >>> 0) % below;
  };
}

/** A unit of some functions from `base` on, as compilers make them and as they do not.
 *
 * @param unit code is aligned to so many bytes
 * @param wild whether ranges leave those that they should be in, and overlap
 */
export function randomUnit(
  random: (below: number) => number,
  base: number,
  unit: number,
  wild: boolean,
): UnitInput {
  const files = ["/src/a.c", "/src/b.h", "/src/dir/é.h"];
  const scopes: ScopeInput[] = [];
  const sequences: SequenceInput[] = [];
  let at = base;
  const name = () => random(20) === 0 ? null : `${random(3) === 0 ? "Z" : ""}f${random(12)}`;
  const call = (): Pick<ScopeInput, "call"> =>
    random(8) === 0 ? {} : { call: [random(4), random(5000), random(90)] };
  const inline = (parent: number, low: number, high: number, depth: number) => {
    let from = low;
    while (from < high && random(4) > 0 && depth < 6) {
      const start = from + random(6) * unit;
      const end = Math.min(start + (1 + random(12)) * unit, wild ? Infinity : high);
      if (start >= end) break;
      const ranges: [number, number][] = [[start, end]];
      const again = end + random(4) * unit;
      if (random(3) === 0 && again + unit <= high) ranges.push([again, again + unit]);
      const scope = scopes.push({ parent, name: name(), ranges, ...call() }) - 1;
      inline(scope, start, end, depth + 1);
      from = wild ? start : ranges.at(-1)![1];
    }
  };
  for (let count = 1 + random(6); count > 0; count--) {
    const size = (1 + random(60)) * unit;
    const scope = scopes.push({ parent: -1, name: name(), ranges: [[at, at + size]] }) - 1;
    inline(scope, at, at + size, 0);
    if (random(6) > 0) {
      const rows: [number, number, number, number][] = [];
      let place = at + (random(5) === 0 ? unit : 0);
      for (; place < at + size; place += random(4) * unit) {
        rows.push([place, random(4), random(10) === 0 ? 0 : 100 + random(300), random(200)]);
        if (rows.length > 200) break;
      }
      const high = random(5) === 0 ? at + size + 3 * unit : at + size;
      if (rows.length > 0) sequences.push({ rows, high });
    }
    at += size + random(4) * unit * (random(2) * 4);
    if (sequences.length > 0) at = Math.max(at, sequences.at(-1)!.high);
    if (wild && random(4) === 0) at -= Math.min(at - base, unit * random(20));
    if (sequences.length > 0) at = Math.max(at, sequences.at(-1)!.high);
  }
  return { scopes, sequences, files };
}
