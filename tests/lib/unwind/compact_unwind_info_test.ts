/** The unwind section: sound ones, and every way of damaging them. */

import { assert, assertEquals } from "@std/assert";
import { type UnwindEntry, UnwindInfo } from "../../../lib/unwind/unwind_info.ts";
import { buildUnwindInfo, type Entry, type SectionSpec } from "./compact_section.ts";

const spec: SectionSpec = {
  common: [0x04000001, 0x02000000],
  personalities: [0x8000, 0x8008],
  pages: [
    {
      kind: "compressed",
      entries: [[0x1000, 0x02000000], [0x1010, 0x54000003], [0x1040, 0x04000001], [0x1100, 0]],
    },
    {
      kind: "regular",
      entries: [[0x2000, 0x04000f1f], [0x2004, 0x02001000], [0x3000, 0x03000018]],
    },
    { kind: "compressed", entries: [[0x900000, 0x04000001], [0x18fffff, 0x0400001f]] },
  ],
  end: 0x1900000,
};

/** The starts of pages end the entries before them. */
function entriesOf({ pages, end }: SectionSpec): UnwindEntry[] {
  const all: Entry[] = pages.flatMap(({ entries }) => entries);
  return all.map(([functionStart, encoding], index) => ({
    encoding,
    functionStart,
    functionEnd: all[index + 1]?.[0] ?? end,
  }));
}

function parse(bytes: Uint8Array): { info: UnwindInfo; warnings: string[] } {
  const warnings: string[] = [];
  return { info: UnwindInfo.parse(bytes, (message) => warnings.push(message)), warnings };
}

/** Asks for what must hold whatever the bytes are, and returns the entries. */
function explore(bytes: Uint8Array, places: Iterable<number>): UnwindEntry[] {
  const { info } = parse(bytes);
  const entries = [...info.entries()];
  assert(entries.length <= bytes.length / 4);
  let previous = 0;
  for (const { functionStart, functionEnd } of entries) {
    assert(functionStart >= previous && functionEnd >= functionStart);
    previous = functionEnd;
  }
  for (const place of places) {
    const found = info.encodingAt(place);
    if (found !== null) assert(found.functionStart <= place && place < found.functionEnd);
  }
  return entries;
}

const truth = entriesOf(spec);
const bytes = buildUnwindInfo(spec);
const places = truth.flatMap(({ functionStart: at }) => [at - 1, at, at + 1, at + 5]);

Deno.test("every entry is found, at its start, inside and at its last byte", () => {
  const { info, warnings } = parse(bytes);
  assertEquals([...info.entries()], truth);
  for (const entry of truth) {
    const { functionStart, functionEnd } = entry;
    for (const at of [functionStart, (functionStart + functionEnd) >>> 1, functionEnd - 1]) {
      assertEquals(info.encodingAt(at), entry);
    }
  }
  for (const at of [-1, 0, 0xfff, spec.end, spec.end + 1, 2 ** 40, NaN, Infinity, -Infinity]) {
    assertEquals(info.encodingAt(at), null);
  }
  assertEquals(warnings, []);
});

Deno.test("the section need not be aligned", () => {
  const shifted = new Uint8Array(bytes.length + 3);
  shifted.set(bytes, 3);
  assertEquals([...parse(shifted.subarray(3)).info.entries()], truth);
});

Deno.test("a section with a sentinel alone, or with nothing, has no entries", () => {
  for (const end of [0, 0x1000]) {
    const { info, warnings } = parse(buildUnwindInfo({ pages: [], end }));
    assertEquals([[...info.entries()], info.encodingAt(0), info.encodingAt(0x800)], [
      [],
      null,
      null,
    ]);
    assertEquals(warnings, []);
  }
  const nothing = bytes.slice(0, 28);
  new DataView(nothing.buffer).setUint32(24, 0, true);
  new DataView(nothing.buffer).setUint32(8, 0, true);
  const { info, warnings } = parse(nothing);
  assertEquals([[...info.entries()], info.encodingAt(0), warnings], [[], null, []]);
});

Deno.test("another version is told, and nothing is made of it", () => {
  const other = bytes.slice();
  other[0] = 2;
  const { info, warnings } = parse(other);
  assertEquals([[...info.entries()], warnings.length], [[], 1]);
});

Deno.test("a section cut anywhere keeps what is whole, and says that it was cut", () => {
  for (let length = 0; length < bytes.length; length++) {
    const cut = bytes.slice(0, length);
    const { info, warnings } = parse(cut);
    const found = [...info.entries()];
    for (const entry of found) {
      assertEquals(entry, truth.find((sound) => sound.functionStart === entry.functionStart));
    }
    assert(warnings.length > 0, `${length} bytes`);
    explore(cut, places);
  }
  // Of the last page's two entries the first is whole when the second is there to end it.
  const { info } = parse(bytes.slice(0, bytes.length - 4));
  assertEquals([...info.entries()].length, truth.length - 1);
});

Deno.test("a damaged page costs that page alone", () => {
  const damaged = bytes.slice();
  const view = new DataView(damaged.buffer);
  const index = view.getUint32(20, true);
  const page = view.getUint32(index + 12 + 4, true);
  view.setUint32(page, 7, true);
  const { info, warnings } = parse(damaged);
  assertEquals(warnings, []);
  assertEquals([...info.entries()], truth.filter((_, number) => number < 4 || number > 6));
  assertEquals(info.encodingAt(0x2001), null);
  assertEquals(warnings, [`unwind info: there is no page at 0x${page.toString(16)}`]);
});

Deno.test("entries out of order end their page, and the one before them is not trusted", () => {
  const damaged = bytes.slice();
  const view = new DataView(damaged.buffer);
  const page = view.getUint32(view.getUint32(20, true) + 12 + 4, true);
  view.setUint32(page + 8 + 2 * 8, 0x1ff0, true);
  const { info, warnings } = parse(damaged);
  assertEquals(info.encodingAt(0x2000)?.functionEnd, 0x2004);
  assertEquals(info.encodingAt(0x2004), null);
  assertEquals(info.encodingAt(0x3000), null);
  assertEquals(info.encodingAt(0x900000)?.encoding, 0x04000001);
  assertEquals(warnings.length, 1);
});

Deno.test("an encoding that is not there costs its entry alone", () => {
  const damaged = bytes.slice();
  const view = new DataView(damaged.buffer);
  const page = view.getUint32(view.getUint32(20, true) + 4, true);
  damaged[page + 12 + 4 + 3] = 200;
  const { info, warnings } = parse(damaged);
  assertEquals(info.encodingAt(0x1010), null);
  assertEquals(info.encodingAt(0x100f)?.functionStart, 0x1000);
  assertEquals(info.encodingAt(0x1040)?.functionStart, 0x1040);
  assertEquals(warnings.length, 1);
  assertEquals([...info.entries()].length, truth.length - 1);
});

Deno.test("counts and offsets beyond the section are told and cost nothing", () => {
  for (let field = 4; field < 28; field += 4) {
    for (const value of [0xffffffff, 0x80000000, bytes.length, bytes.length - 1]) {
      const damaged = bytes.slice();
      new DataView(damaged.buffer).setUint32(field, value, true);
      explore(damaged, places);
      // Personality functions are passed over, wherever they are.
      const harmless = field === 12 || field === 16;
      const { info, warnings } = parse(damaged);
      const found = [...info.entries()];
      for (const { functionStart, encoding } of found) {
        assertEquals(
          truth.find((entry) => entry.functionStart === functionStart)?.encoding,
          encoding,
        );
      }
      // Without the number of index entries, the sentinel tells where they end.
      const whole = harmless || field === 24;
      assertEquals(found.length === truth.length, whole, `${field}: ${value}`);
      assertEquals(warnings.length > 0, !harmless, `${field}: ${value}`);
    }
  }
});

Deno.test("any byte may be anything", () => {
  for (let at = 0; at < bytes.length; at++) {
    for (const value of [0, 1, 0x7f, 0x80, 0xff, bytes[at] ^ 1, bytes[at] ^ 0x40]) {
      const damaged = bytes.slice();
      damaged[at] = value;
      explore(damaged, places);
    }
  }
});

Deno.test("noise after a sound header", () => {
  let state = 1;
  const next = (): number => state = Math.imul(state, 1103515245) + 12345 >>> 0;
  for (let round = 0; round < 300; round++) {
    const noise = Uint8Array.from({ length: 64 + next() % 4000 }, () => next() >>> 16);
    // Small numbers make pages and arrays that overlap rather than lie outside.
    if (round % 2 === 0) noise.forEach((_, at) => at % 4 > 1 && (noise[at] = 0));
    const view = new DataView(noise.buffer);
    view.setUint32(0, 1, true);
    view.setUint32(20, 28, true);
    for (let at = 28; at + 4 < noise.length; at += 12) view.setUint32(at, at * 0x1000, true);
    explore(noise, Array.from({ length: 200 }, next));
  }
});

Deno.test("many index entries that share a page do not make the section endless", () => {
  const count = 60_000;
  const shared = new Uint8Array(28 + 12 * count + 12 + 4 * 65_535);
  const view = new DataView(shared.buffer);
  const page = 28 + 12 * count;
  [1, 28, 1, 0, 0, 28, count].forEach((word, at) => view.setUint32(4 * at, word, true));
  for (let at = 0; at < count; at++) {
    view.setUint32(28 + 12 * at, 0x10000 * at, true);
    view.setUint32(28 + 12 * at + 4, page, true);
  }
  view.setUint32(page, 3, true);
  [12, 65_535, 12, 0].forEach((half, at) => view.setUint16(page + 4 + 2 * at, half, true));
  for (let at = 0; at < 65_535; at++) view.setUint32(page + 12 + 4 * at, at, true);
  const { info, warnings } = parse(shared);
  assertEquals([...info.entries()].length, Math.floor(shared.length / 4));
  assertEquals(warnings, ["unwind info: more entries than the section has room for"]);
  assertEquals(info.encodingAt(0x30005)?.functionStart, 0x30005);
});
