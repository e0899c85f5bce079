import type { AddressInfo } from "../../../lib/symbols/mod.ts";
import { assert, assertEquals, assertThrows } from "@std/assert";
import { files } from "../../../ffi/mod.ts";
import { FileError, openReportSymbols } from "../../../mod.ts";
import {
  readReport,
  type ReportImage,
  type ReportSymbols,
  symbolicateReport,
} from "../../../lib/report/mod.ts";
import { SymbolFiles } from "../../../lib/symbols/mod.ts";
import { essence, place, read, textOf } from "./fixtures.ts";

/** Symbols of one image: a function at `start`, in which something is inlined up to `inlinedEnd`. */
function symbolsOf(
  name: string,
  functions: { start: number; end: number; symbol: string; inlined?: string; file?: string }[],
): ReportSymbols & { asked: number[] } {
  const asked: number[] = [];
  return {
    asked,
    find: (image: ReportImage) =>
      image.name !== name ? null : {
        at(offset): AddressInfo | null {
          asked.push(offset);
          const found = functions.find(({ start, end }) => offset >= start && offset < end);
          if (found === undefined) return null;
          const { symbol, inlined, file } = found;
          const frame = (name: string, line: number, isInlined: boolean) => ({
            function: name,
            location: { file: `/src/${file}`, line, column: 5 },
            inlined: isInlined,
          });
          const frames = file === undefined ? [] : [
            ...inlined === undefined ? [] : [frame(inlined, 3, true)],
            frame(symbol, 40, false),
          ];
          return place(offset, symbol, offset - found.start, frames);
        },
      },
  };
}

/** The lines that only one of two texts has. */
function difference(before: string, after: string): { removed: string[]; added: string[] } {
  const [old, now] = [before.split("\n"), after.split("\n")];
  return {
    removed: old.filter((line) => !now.includes(line)),
    added: now.filter((line) => !old.includes(line)),
  };
}

Deno.test("in a text the last column changes and inlined calls are added, nothing else", () => {
  const before = read("ios104.crash");
  const symbols = symbolsOf("Weather Station", [
    { start: 0x4e00, end: 0x4f00, symbol: "_$forecast", inlined: "clouds", file: "sky.m" },
    { start: 0x5f00, end: 0x6000, symbol: "throwUp" },
    { start: 0x4a00, end: 0x4b00, symbol: "main", file: "main.m" },
  ]);
  const { report, named, missing } = symbolicateReport(before, symbols, {
    demangle: (name) => name === "_$forecast" ? "forecast()" : name,
  });
  assertEquals<unknown>(named, 3);
  assertEquals<unknown>(difference(before.text, report.text), {
    removed: [
      "(0x1836fcfd8 0x18295e538 0x1836fcf20",
      "0x100c45fa4 0x100c44e10)",
      "3   Weather Station               \t0x0000000100c44e10 0x100c40000 + 19984",
    ],
    added: [
      "0   CoreFoundation                \t0x00000001836fcfd8 0x1835f3000 + 1089496",
      "1   libobjc.A.dylib               \t0x000000018295e538 0x182956000 + 34104",
      "2   CoreFoundation                \t0x00000001836fcf20 0x1835f3000 + 1089312",
      "3   Weather Station               \t0x0000000100c45fa4 throwUp + 164",
      "4   Weather Station               \t0x0000000100c44e10 clouds (sky.m:3) [inlined]",
      "4   Weather Station               \t0x0000000100c44e10 forecast() + 16 (sky.m:40)",
      "3   Weather Station               \t0x0000000100c44e10 clouds (sky.m:3) [inlined]",
      "3   Weather Station               \t0x0000000100c44e10 forecast() + 16 (sky.m:40)",
    ],
  });
  // A return address is looked up in the call before it; what has a line already is not asked about.
  assertEquals<unknown>(symbols.asked, [0x5fa3, 0x4e0f]);
  const objects = report.threads[0].frames.slice(3, 5);
  assertEquals<unknown>(
    objects.map(({ index, symbol, file, line, column, inlined }) => [
      index,
      symbol,
      file,
      line,
      column,
      inlined,
    ]),
    [
      [3, "clouds", "/src/sky.m", 3, 5, true],
      [4, "forecast()", "/src/sky.m", 40, 5, false],
    ],
  );
  const again = readReport(report.text, "again");
  assertEquals<unknown>(again.warnings, []);
  assertEquals<unknown>(essence(again), essence(report));
  // The most useful first: those that the reader can have, of the crashed thread and of the exception.
  assertEquals<unknown>(
    missing.map(({ image, crashedFrames, frames }) => [image.name, crashedFrames, frames]),
    [
      ["Wetter Größe ☂", 0, 1],
      ["CoreFoundation", 2, 2],
      ["libsystem_kernel.dylib", 1, 3],
      ["UIKit", 1, 1],
      ["libobjc.A.dylib", 1, 1],
      ["libsystem_pthread.dylib", 1, 1],
    ],
  );
});

Deno.test("every line ending stays; without symbols nothing changes", () => {
  const text = textOf("ios104.crash").replaceAll("\n", "\r\n");
  const report = readReport(text, "x");
  const named = symbolicateReport(
    report,
    symbolsOf("Weather Station", [
      { start: 0, end: 0x8000, symbol: "all", inlined: "in", file: "a.c" },
    ]),
  ).report.text;
  assert(!/[^\r]\n/.test(named));
  assertEquals<unknown>(symbolicateReport(report, { find: () => null }).report.text, text);
});

Deno.test("a name that the report has stays where the symbols agree, and goes where they do not", () => {
  const text = textOf("macos12.crash");
  const offset = 0x7fff6a8f1ed9 - 0x7fff6a8db000;
  const agree = symbolicateReport(
    readReport(text, "x"),
    symbolsOf("libdyld.dylib", [
      { start: offset - 1, end: offset + 9, symbol: "start", file: "glue.c" },
    ]),
  ).report;
  assertEquals<unknown>(difference(text, agree.text).added, [
    "4   libdyld.dylib                 \t0x00007fff6a8f1ed9 start + 1 (glue.c:40)",
  ]);
  // A stripped program's nearest export is no function's name.
  const other = symbolicateReport(
    readReport(text, "x"),
    symbolsOf("libdyld.dylib", [
      { start: offset - 0x30, end: offset + 9, symbol: "start_slowly" },
    ]),
  ).report;
  assertEquals<unknown>(difference(text, other.text).added, [
    "4   libdyld.dylib                 \t0x00007fff6a8f1ed9 start_slowly + 48",
  ]);
});

Deno.test("in JSON members are added to frames, and inlined frames before them", () => {
  const before = read("macos309.ips");
  const { report, missing } = symbolicateReport(
    before,
    symbolsOf("Orchard", [
      {
        start: 15360,
        end: 15400,
        symbol: "Tree.grow()",
        inlined: "Branch.bud()",
        file: "Tree.swift",
      },
      { start: 14000, end: 15000, symbol: "Tree.plant()" },
    ]),
  );
  const changed = report.text.replace(
    '{"sourceFile":"Tree.swift","sourceLine":3,"symbol":"Branch.bud()","inline":true,"imageIndex":0,' +
      '"imageOffset":15388},{"imageOffset":15388,"imageIndex":0,"sourceFile":"Tree.swift",' +
      '"sourceLine":40,"symbol":"Tree.grow()","symbolLocation":28}',
    '{"imageOffset":15388,"imageIndex":0}',
  ).replace(
    '{"imageOffset":14592,"imageIndex":0,"symbol":"Tree.plant()","symbolLocation":592}',
    '{"imageOffset":14592,"imageIndex":0}',
  );
  assertEquals<unknown>(changed, before.text);
  const again = readReport(report.text, "again");
  assertEquals<unknown>(essence(again), essence(report));
  assertEquals<unknown>(
    again.crashedThread?.frames.slice(0, 3).map(({ symbol, inlined }) => [symbol, inlined]),
    [
      ["Branch.bud()", true],
      ["Tree.grow()", false],
      ["Tree.plant()", false],
    ],
  );
  assertEquals<unknown>(missing.map(({ image }) => image.name), ["Pome"]);
});

Deno.test("call trees: nameless nodes get names and lines", () => {
  const sample = symbolicateReport(
    read("sample.txt"),
    symbolsOf("com.example.ledger", [
      { start: 0x1200, end: 0x1300, symbol: "-[Book add:]", file: "Book.m" },
    ]),
  ).report;
  assertEquals<unknown>(difference(textOf("sample.txt"), sample.text).added, [
    "    +     ! 1500 -[Book add:]  (in Ledger) + 48  [0x10a3b5230]  Book.m:40",
  ]);
  assertEquals<unknown>(sample.threads[0].frames[0].symbol, "-[Book add:]");
  assertEquals<unknown>(readReport(sample.text, "again").threads[0].frames[0].line, 40);
  const dump = symbolicateReport(
    read("spindump.txt"),
    symbolsOf("com.example.mosaic", [
      { start: 0x3f00, end: 0x4000, symbol: "Mosaic.main()", file: "Mosaic.swift" },
    ]),
  ).report;
  assertEquals<unknown>(difference(textOf("spindump.txt"), dump.text).added, [
    "    200  Mosaic.main() + 52 (Mosaic.swift:40 in Mosaic + 16180) [0x104a3bf34]",
  ]);
  assertEquals<unknown>(readReport(dump.text, "again").threads[0].frames[2].file, "Mosaic.swift");
});

Deno.test("a frame that a signal interrupted is no return address", () => {
  const text = textOf("ios104.crash")
    .replace("0x0000000183147d0c abort + 140", "0x0000000183147d0c _sigtramp + 52");
  const symbols = symbolsOf("Weather Station", []);
  symbolicateReport(readReport(text, "x"), symbols);
  assertEquals<unknown>(symbols.asked, [0x5fa3, 0x4e0f, 0x4e10]);
});

Deno.test("lines and inlined calls out of a dSYM", () => {
  const folder = new URL("../../../examples/demo/arm64/", import.meta.url).pathname;
  const symbolFiles = new SymbolFiles(files, [folder]);
  using symbols = openReportSymbols([folder]);
  const [binary] = symbolFiles.named("demo").filter(({ kind }) => kind === "dsym");
  const digits = binary.uuid.replaceAll("-", "").toLowerCase();
  const image = {
    name: "demo",
    path: "/nowhere/demo",
    uuid: binary.uuid,
    arch: "arm64",
    base: 0x104000000n,
    size: 0x10000n,
    version: null,
    identifier: null,
    marked: false,
  } as ReportImage;
  const main = symbols.symbolOffset(image, "main");
  assert(main !== null && main > 0);
  const text = textOf("ios104.crash")
    .replace("8c1d2e3f4a5b6c7d8e9f0a1b2c3d4e5f", digits)
    .replace(
      "0x0000000100c44e10 0x100c40000 + 19984",
      `0x${(0x100c40000 + main + 8).toString(16).padStart(16, "0")} 0x100c40000 + ${main + 8}`,
    );
  const { report } = symbolicateReport(readReport(text, "x"), symbols);
  const frame = report.threads[0].frames[3];
  assertEquals<unknown>([frame.symbol, frame.offset], ["main", 8]);
  assert(frame.file?.endsWith("demo.c"), `${frame.file}`);
  assert(frame.line !== null && frame.line > 0);
  assertEquals(symbols.demangle?.("_ZN4Cart5closeEv"), "Cart::close()");
  assertThrows(() => openReportSymbols([`${folder}misspelt`]), FileError);
});
