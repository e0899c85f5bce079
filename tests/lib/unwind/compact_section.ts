/** Builds `__unwind_info` sections byte by byte, as `<mach-o/compact_unwind_encoding.h>` lays them
 * out. */

/** A function's start, from the load address, and its encoding. */
export type Entry = readonly [start: number, encoding: number];

/** A second-level page. */
export interface PageSpec {
  readonly kind: "regular" | "compressed";
  readonly entries: readonly Entry[];
}

/** A whole section. */
export interface SectionSpec {
  /** Encodings that compressed pages have in common; all others go into the pages. */
  readonly common?: readonly number[];
  readonly personalities?: readonly number[];
  readonly pages: readonly PageSpec[];
  /** Where the last function ends. */
  readonly end: number;
}

const u16 = (value: number): number[] => [value & 0xff, value >>> 8];
const u32 = (value: number): number[] => [...u16(value & 0xffff), ...u16(value >>> 16)];

function pageBytes({ kind, entries }: PageSpec, common: readonly number[]): number[] {
  if (kind === "regular") {
    return [
      ...u32(2),
      ...u16(8),
      ...u16(entries.length),
      ...entries.flatMap((e) => e.flatMap(u32)),
    ];
  }
  const own = [...new Set(entries.map(([, encoding]) => encoding))]
    .filter((encoding) => !common.includes(encoding));
  const all = [...common, ...own];
  const words = entries.map(([start, encoding]) =>
    (all.indexOf(encoding) << 24 | start - entries[0][0]) >>> 0
  );
  return [
    ...u32(3),
    ...[12, entries.length, 12 + 4 * entries.length, own.length].flatMap(u16),
    ...[...words, ...own].flatMap(u32),
  ];
}

/** The section's bytes. */
export function buildUnwindInfo(spec: SectionSpec): Uint8Array<ArrayBuffer> {
  const { common = [], personalities = [], pages, end } = spec;
  const personalityOffset = 28 + 4 * common.length;
  const indexOffset = personalityOffset + 4 * personalities.length;
  const areas = indexOffset + 12 * (pages.length + 1);
  const bodies = pages.map((page) => pageBytes(page, common));
  let at = areas;
  const index = pages.flatMap((page, number) => {
    const words = [page.entries[0][0], at, areas];
    at += bodies[number].length;
    return words;
  });
  const header = [1, 28, common.length, personalityOffset, personalities.length, indexOffset];
  const words = [...header, pages.length + 1, ...common, ...personalities, ...index, end, 0, areas];
  return new Uint8Array([...words.flatMap(u32), ...bodies.flat()]);
}
