import { assert, assertThrows } from "@std/assert";
import { FormatError } from "../../../lib/errors.ts";
import { DwarfInfo, DwarfSections } from "../../../lib/dwarf/mod.ts";
import { bytesSource, MachOFile } from "../../../lib/macho/mod.ts";
import { abbreviation, END_SEQUENCE, lines, open, setAddress, unit } from "./debug_sections.ts";
import { number, uleb } from "./section.ts";
import { processorTime } from "../../processor_time.ts";

const fixtures = new URL("../../fixtures/lines/", import.meta.url);

interface Place {
  readonly name: string;
  readonly fileOffset: number;
  readonly size: number;
}

/** A fixture's dSYM, and where its sections are. */
function load(directory: string) {
  const path = new URL(`${directory}/lines.dSYM/Contents/Resources/DWARF/lines`, fixtures);
  const bytes = Deno.readFileSync(path);
  const [image] = new MachOFile(bytesSource(bytes, directory)).images;
  const places = image.segments.flatMap(({ sections }) => sections)
    .filter(({ segmentName }) => segmentName === "__DWARF");
  return { bytes, places, base: image.image.loadAddress };
}

/** Reads everything; throws whatever is no FormatError. */
function readAll(bytes: Uint8Array, places: readonly Place[], base: bigint): void {
  const sections = DwarfSections.find(
    bytesSource(bytes, "damaged"),
    places.map((place) => ({ ...place, segmentName: "__DWARF" })),
  );
  if (sections === null) return;
  const info = DwarfInfo.open(sections, { base });
  for (const unit of info.units) {
    try {
      const table = info.table(unit);
      for (let number = 0; number < table.functionCount; number++) {
        table.linkageName(number);
        table.functionName(number);
      }
      for (let row = 0; row < table.rowCount; row++) table.file(table.rowFile[row]);
      check(table.scopeParent.subarray(0, table.scopeCount), (parent, at) => parent < at);
      check(table.scopeFunction.subarray(0, table.scopeCount), (at) => at < table.functionCount);
      check(table.scopeRanges.subarray(0, table.scopeCount + 1), (at) => at <= table.rangeCount);
      check(table.sequenceRows.subarray(0, table.sequenceCount + 1), (at) => at <= table.rowCount);
    } catch (error) {
      if (!(error instanceof FormatError)) throw error;
    }
  }
  info.framesOf(Array.from({ length: 200 }, (_, index) => index * 16));
  info.framesAt(0x500);
}

function check(
  column: Int32Array | Uint32Array,
  holds: (value: number, at: number) => boolean,
): void {
  column.forEach((value, at) => assert(holds(value, at)));
}

let seed = 1;
function random(limit: number): number {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
  return Math.floor(seed / 2 ** 32 * limit);
}

Deno.test("damaged bytes anywhere give an error or a warning, in bounded time", () => {
  for (const directory of ["arm64-dwarf4", "arm64-dwarf5", "x86_64-dwarf4", "i386"]) {
    const { bytes, places, base } = load(directory);
    const sections = places.filter(({ name, size }) => !name.startsWith("__apple") && size > 0);
    for (let round = 0; round < 400; round++) {
      const copy = bytes.slice();
      for (let count = 1 + random(4); count > 0; count--) {
        const { fileOffset, size } = sections[random(sections.length)];
        copy[fileOffset + random(size)] = [random(256), 0xff, 0, 0x80, 0x7f][random(5)];
      }
      const start = processorTime();
      readAll(copy, places, base);
      const took = processorTime() - start;
      assert(took < 3000, `${directory}, round ${round}: ${took} ms`);
    }
  }
});

Deno.test("sections that end early, and one in another's place", () => {
  for (const directory of ["arm64-dwarf5", "x86_64-dwarf4"]) {
    const { bytes, places, base } = load(directory);
    for (let round = 0; round < 150; round++) {
      const cut = places.map((place) =>
        random(4) === 0 ? { ...place, size: random(place.size) } : place
      );
      readAll(bytes, cut, base);
      const moved = places.map((place) =>
        random(4) === 0 ? { ...place, fileOffset: places[random(places.length)].fileOffset } : place
      );
      readAll(bytes, moved, base);
      readAll(bytes.subarray(0, random(bytes.length)), places, base);
    }
  }
});

/** Runs, and fails when it takes long. */
function soon(what: string, run: () => void): void {
  const start = processorTime();
  try {
    run();
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
  }
  const took = processorTime() - start;
  assert(took < 5000, `${what} took ${took} ms`);
}

const abbrev = [
  ...abbreviation(1, 0x11, true, [[0x10, 0x06]]),
  ...abbreviation(2, 0x2e, true, [[0x55, 0x06]]),
  ...abbreviation(3, 0x0b, true, []),
  ...abbreviation(4, 0x2e, false, [[0x31, 0x13], [0x11, 0x01], [0x12, 0x0b]]),
  0,
];

Deno.test("input made to take time and memory takes little of either", () => {
  soon("a hundred thousand functions with the same thousand ranges", () => {
    const list = [
      ...Array.from(
        { length: 1000 },
        (_, at) => [...number(at * 8 + 1, 8), ...number(at * 8 + 2, 8)],
      )
        .flat(),
      ...number(0, 16),
    ];
    const entries = new Array(100_000).fill([2, 0, 0, 0, 0, 0]).flat();
    const info = open({
      info: unit({ version: 4 }, [1, 0, 0, 0, 0, ...entries]),
      abbrev,
      ranges: list,
    });
    info.table(info.units[0]);
  });
  soon("a million blocks in each other", () => {
    const info = open({
      info: unit({ version: 4 }, [1, 0, 0, 0, 0, ...new Array(1_000_000).fill(3)]),
      abbrev,
    });
    assertThrows(() => info.table(info.units[0]), FormatError, "less deep");
  });
  soon("lengths of 2^63 everywhere", () => {
    const huge = [...new Array(8).fill(0xff), 0x7f];
    const info = open({
      info: unit({ version: 4 }, [1, 0, 0, 0, 0]),
      abbrev,
      line: lines({ version: 4 }, [
        ...[...setAddress(0), 2, ...huge, 1, 3, ...huge, 1, 4, ...huge, 5, ...huge, 1],
        ...[0, ...huge, 1, ...END_SEQUENCE],
      ]),
    });
    info.table(info.units[0]);
  });
  soon("names that lead from one to the next", () => {
    const count = 50_000;
    const entries = Array.from({ length: count }, (_, at) => [
      ...[4, ...number(16 + 14 * ((at + 1) % count), 4), ...number(at * 8, 8), 4],
    ]).flat();
    const info = open({ info: unit({ version: 4 }, [1, 0, 0, 0, 0, ...entries, 0]), abbrev });
    const table = info.table(info.units[0]);
    for (let number = 0; number < table.functionCount; number++) table.linkageName(number);
  });
  soon("a table of abbreviations with huge codes", () => {
    const codes = Array.from(
      { length: 20_000 },
      (_, at) => abbreviation(2 ** 30 + at * 2 ** 15, 0x34, false, []),
    ).flat();
    const info = open({
      info: unit({ version: 4 }, uleb(2 ** 30)),
      abbrev: [...codes, 0],
    });
    info.table(info.units[0]);
  });
  soon("many empty units", () => {
    const empty = unit({ version: 4 }, [1, 0, 0, 0, 0]);
    const info = open({ info: new Array(20_000).fill(empty).flat(), abbrev });
    info.framesAt(4);
  });
  soon("a name without an end", () => {
    const info = open({
      info: unit({ version: 4 }, [1, ...number(0, 4), ...new Array(1000).fill(0)]),
      abbrev: [...abbreviation(1, 0x11, false, [[0x03, 0x0e]]), 0],
      str: new Array(1_000_000).fill(0x61),
    });
    assert(info.table(info.units[0]).name!.length <= 65536);
  });
});
