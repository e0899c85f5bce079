import { assert, assertEquals, assertLess, assertStringIncludes } from "@std/assert";
import { FormatError } from "../../../lib/errors.ts";
import { safeJson } from "../../../lib/escape.ts";
import {
  attributeReport,
  type CrashReport,
  encodeReport,
  explainReport,
  readReport,
  readReports,
  ReportFormError,
  reportJson,
  reportSignature,
  symbolicateReport,
  writeReport,
} from "../../../lib/report/mod.ts";
import { parseJson } from "../../../lib/report/json.ts";
import { edited, flushLines, Lines, searchFlush } from "../../../lib/report/text.ts";
import { explanationLines, safeLines } from "../../../repl/view/crash_show.ts";
import { plain } from "../../../repl/view/style.ts";
import { raw } from "../../repl/fake_target.ts";
import { bytesOf, essence, names, place, read, textOf } from "./fixtures.ts";
import { processorTime } from "../../processor_time.ts";

/** Does all that can be done with a report. */
function useAll(report: CrashReport): void {
  const symbolicated = symbolicateReport(report, {
    find: (image) =>
      image.name.length % 2 === 0 ? null : {
        at: (offset) =>
          place(offset, "found", offset % 64, [
            {
              function: "inner",
              location: { file: "/src/inner.c", line: 3, column: 1 },
              inlined: true,
            },
            {
              function: "found",
              location: { file: "/src/a.c", line: 7, column: 2 },
              inlined: false,
            },
          ]),
      },
  });
  const attribution = attributeReport(symbolicated.report, { mine: ["libfoo"] });
  const lines = explanationLines(
    explainReport(symbolicated.report),
    { report: symbolicated.report, attribution, missing: symbolicated.missing },
    plain,
  );
  for (const line of lines) assert(!raw.test(line), line);
  const body = safeLines(symbolicated.report.text).replaceAll("\t", " ");
  assert(!raw.test(body), "the report's text");
  const json = safeJson(reportJson(symbolicated.report, { ...symbolicated, attribution }));
  assert(!raw.test(json), "JSON");
  reportSignature(symbolicated.report);
  for (const form of ["crash", "ips"] as const) {
    try {
      writeReport(report, form);
      readReport(writeReport(symbolicated.report, form), "again");
    } catch (error) {
      if (!(error instanceof ReportFormError)) throw error;
    }
  }
}

Deno.test("mixed line endings, tabs for spaces: the same report", () => {
  for (const name of ["ios104.crash", "macos12.crash", "ios32.crash"]) {
    const truth = essence(read(name));
    const lines = textOf(name).split("\n");
    const endings = ["\n", "\r\n", "\r"];
    const mixed = lines.map((line, index) => line + endings[index % 3]).join("");
    assertEquals(essence(readReport(mixed, name)), truth, name);
    const tabs = textOf(name).replace(/^(\d+) +/gm, "$1\t").replace(/(: ) {2,}/g, "$1\t");
    assertEquals(essence(readReport(tabs, name)), truth, name);
    for (const text of [mixed, tabs]) {
      assertEquals(encodeReport(readReport(text, name).text), new TextEncoder().encode(text));
    }
  }
});

Deno.test("lines: every ending, and none lost", () => {
  const text = "a\r\nb\nc\rd\r\r\ne\n\rf";
  const lines = new Lines(text);
  const list = Array.from({ length: lines.length }, (_, at) => lines.line(at));
  assertEquals(list, ["a", "b", "c", "d", "", "e", "", "f"]);
  assertEquals(new Lines("").length, 0);
  assertEquals(new Lines("x\r").length, 1);
  assertEquals(
    edited("abcdef", [{ start: 4, end: 5, text: "E" }, { start: 1, end: 1, text: "-" }]),
    "a-bcdEf",
  );
});

Deno.test("a byte order mark, and a leading JSON header line", () => {
  const text = textOf("ios104.crash");
  assertEquals(essence(readReport("\ufeff" + text, "x")), essence(read("ios104.crash")));
  const header = '{"bug_type":"109","app_name":"Weather Station"}\n';
  const report = readReport(header + text, "x");
  assertEquals(report.bugType, "109");
  assertEquals(essence(report), essence(read("ios104.crash")));
});

Deno.test("a damaged JSON header line costs itself alone", () => {
  const report = readReport('{"bug_type":"109","app_na\n' + textOf("ios32.crash"), "x");
  assertEquals(report.threads[0].frames.length, 4);
  assertEquals<unknown>(report.warnings, ["the JSON header line is damaged"]);
});

Deno.test("a translated header is understood by what its values look like", () => {
  const words: [string, string][] = [
    ["Incident Identifier:", "事件标识符："],
    ["Hardware Model:", "硬件型号："],
    ["Process:", "进程："],
    ["Path:", "路径："],
    ["Identifier:", "标识符："],
    ["Code Type:", "代码类型："],
    ["Parent Process:", "父进程："],
    ["Date/Time:", "日期/时间："],
    ["OS Version:", "系统版本："],
    ["Exception Type:", "异常类型："],
    ["Exception Subtype:", "异常子类型："],
    ["Triggered by Thread:", "触发线程："],
    ["Thread 0 Crashed:", "线程 0 崩溃："],
    ["Binary Images:", "二进制映像："],
  ];
  let text = textOf("ios32.crash");
  for (const [english, chinese] of words) text = text.replace(english, chinese);
  const report = readReport(text, "x");
  const truth = read("ios32.crash");
  assertEquals(report.process.name, truth.process.name);
  assertEquals(report.process.parent, truth.process.parent);
  assertEquals(report.process.path, truth.process.path);
  assertEquals(report.exception, truth.exception);
  assertEquals(report.arch, truth.arch);
  assertEquals(report.model, truth.model);
  assertEquals(report.osVersion, truth.osVersion);
  assertEquals(report.crashedThread?.frames.length, 4);
  assertEquals(report.images.length, 3);
  assert(report.warnings.length > 5);
  assertEquals(report.text, text);
});

Deno.test("cut off anywhere, a report is read as far as it goes", () => {
  for (const name of names) {
    const bytes = bytesOf(name);
    let last = 0;
    for (let size = 0; size < bytes.length; size += 97) {
      let frames = 0;
      try {
        const report = readReport(bytes.slice(0, size), name);
        frames = report.stacks.reduce((sum, stack) => sum + stack.length, 0);
      } catch (error) {
        if (!(error instanceof FormatError)) throw error;
        assertEquals(last, 0, `${name}: at ${size} nothing is read any more`);
      }
      // In a tree the heaviest stack changes as it grows.
      if (!name.endsWith(".txt")) {
        assert(frames >= last - 1, `${name}: ${frames} of ${last} at ${size}`);
      }
      last = frames;
    }
    assert(last > 0, name);
  }
  const cut = readReport(bytesOf("macos309.ips").slice(0, -900), "x");
  assertEquals(cut.warnings.filter((text) => text.includes("cut off")).length, 1);
  assertEquals(cut.threads.length > 0, true);
});

Deno.test("400 threads, and recursion of 5,000 frames", () => {
  const text = textOf("ios104.crash");
  const frame = (index: number): string =>
    `${String(index).padEnd(3)} Weather Station               \t0x0000000100c44e10 ` +
    "recurse(int) + 16\n";
  const deep = Array.from({ length: 5000 }, (_, index) => frame(index)).join("");
  const threads = Array.from(
    { length: 397 },
    (_, index) =>
      `Thread ${index + 3}:\n${Array.from({ length: 30 }, (_, at) => frame(at)).join("")}\n`,
  ).join("");
  const large = text.replace(/(Thread 0 Crashed:\n)(?:\d.*\n)+/, `$1${deep}`)
    .replace("Thread 0 crashed with", `${threads}Thread 0 crashed with`);
  const began = processorTime();
  const report = readReport(large, "x");
  assertEquals(report.threads.length, 400);
  assertEquals(report.crashedThread?.frames.length, 5000);
  assertEquals(report.warnings, []);
  const { happened } = explainReport(report);
  assert(happened[0].includes("recurse(int) is on it 5000 times in 5000 frames"), happened[0]);
  assertEquals(reportSignature(report).parts.length, 3);
  const ips = readReport(writeReport(report, "ips"), "y");
  assertEquals(essence(ips), essence(report));
  useAll(report);
  assertLess(processorTime() - began, 5000);
});

Deno.test("texts made to be slow to read are read in time that grows with their size alone", () => {
  const long = 200_000;
  const head = "Process: x [1]\nPath: /x\nVersion: 1\n";
  const texts = [
    " ".repeat(long),
    "0".repeat(long),
    "0 ".repeat(long),
    "(".repeat(long),
    "0   a \t0x1 " + " (".repeat(long),
    "0   a \t0x1 " + ")".repeat(long),
    "0   a \t0x1 x + " + "1".repeat(long),
    "0x1 - 0x2 " + "<".repeat(long),
    "0x1 - 0x2 " + " /".repeat(long),
    "Thread 0 crashed with ARM Thread State:\n" + "x: ".repeat(long),
    "Last Exception Backtrace:\n(" + "0x1 ".repeat(long) + "x",
    "Last Exception Backtrace:\n" + " ".repeat(long) + "x",
    "Exception Type: " + "E".repeat(long),
    "Exception Type: EXC_A (" + "(".repeat(long),
    "Termination Reason: " + "a ".repeat(long),
    "Parent Process: " + " ".repeat(long) + "[" + "1".repeat(long),
    "Exception Codes: " + "0x1 ".repeat(long),
    ":".repeat(long) + "\n0 a 0x1",
    "a: b\n".repeat(long / 4),
    "a:\n\n".repeat(long / 4),
    "VM Region Info: --->" + " a".repeat(long),
  ];
  for (const [index, text] of texts.entries()) {
    const began = processorTime();
    try {
      const report = readReport(head + text, "x");
      explainReport(report);
      reportSignature(report);
    } catch (error) {
      if (!(error instanceof FormatError)) throw error;
    }
    assertLess(processorTime() - began, 3000, `text ${index}`);
  }
  const documents = [
    "[".repeat(long),
    '{"a":'.repeat(long),
    '"' + '\\"'.repeat(long),
    '"' + "\\".repeat(long) + '"',
    "1".repeat(long),
    "-".repeat(long),
    '{"threads":[' + "{},".repeat(long),
  ];
  for (const [index, text] of documents.entries()) {
    const began = processorTime();
    parseJson(text);
    assertLess(processorTime() - began, 3000, `document ${index}`);
  }
});

/** A small generator of numbers: the same each time. */
function random(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor(state / 2 ** 32 * below);
  };
}

for (const name of names) {
  Deno.test(`${name}: 300 mutations, no error but FormatError, nothing raw printed`, () => {
    const bytes = bytesOf(name);
    const pick = random(name.length * 7919);
    const tokens = [
      "\x1b[2J",
      "\u202e",
      "\r",
      "\n\n",
      '"',
      "{",
      "]",
      ":",
      "0x",
      "99999999999999999999",
    ]
      .map((text) => new TextEncoder().encode(text));
    let read = 0;
    for (let round = 0; round < 300; round++) {
      let mutant = bytes.slice();
      for (let count = 1 + pick(4); count > 0; count--) {
        const at = pick(mutant.length);
        const size = 1 + pick(60);
        const kind = pick(5);
        if (kind === 0) mutant[at] = pick(256);
        else if (kind === 1) {
          // A part is lost.
          mutant = Uint8Array.from([...mutant.subarray(0, at), ...mutant.subarray(at + size)]);
        } else if (kind === 2) {
          // A part is there twice.
          const part = mutant.subarray(at, at + size);
          mutant = Uint8Array.from([...mutant.subarray(0, at), ...part, ...mutant.subarray(at)]);
        } else if (kind === 3) {
          const token = tokens[pick(tokens.length)];
          mutant = Uint8Array.from([...mutant.subarray(0, at), ...token, ...mutant.subarray(at)]);
        } else if (pick(4) === 0) mutant = mutant.slice(0, at);
        if (mutant.length === 0) mutant = bytes.slice(0, 1);
      }
      let report: CrashReport;
      try {
        report = readReport(mutant, name);
      } catch (error) {
        if (!(error instanceof FormatError)) throw error;
        continue;
      }
      read++;
      assertEquals(encodeReport(report.text), mutant);
      useAll(report);
    }
    assert(read > 150, `${read} were read`);
  });
}

Deno.test("of a damaged report nothing is read that is of the one behind it, in a file of many", () => {
  const header = (name: string): string =>
    `{"app_name":"${name}","bug_type":"309","os_version":"macOS 14.1 (23B74)"}\n`;
  const oven = header("Oven") +
    '{\n"procName":"Oven",\n"exception":{"type":"EXC_CRASH","signal":"SIGABRT"},\n"threads":[]\n}\n';
  const [shop, other] = readReports(
    `${header("Shop")}{\n"procName":"Shop",\n"pid":7,\n"oops" oops\n${oven}`,
    "two.ips",
  );
  assertEquals(shop.process.name, "Shop");
  assertEquals(shop.exception, null);
  assertEquals(other.exception?.type, "EXC_CRASH");
});

Deno.test("a stack of which somebody left frames out has as many as its numbers tell", () => {
  const frames = Array.from({ length: 40 }, (_, at) => `${at} Shop 0x10000${1000 + at} visit + 16`);
  const text = `Process: Shop [1]
Exception Type: EXC_BAD_ACCESS (SIGSEGV)
Exception Codes: KERN_PROTECTION_FAILURE at 0x00007ffeefbffff8

VM Regions Near 0x7ffeefbffff8:
--> STACK GUARD 00007ffeec400000-00007ffeefc00000 [ 56.0M] ---/rwx SM=NUL  stack guard for thread 0

Thread 0 Crashed:
${frames.join("\n")}
...
511 Shop 0x1000011ff visit + 16
`;
  assertStringIncludes(
    explainReport(readReport(text, "x")).happened.join("\n"),
    "visit is on it 41 times in the 41 frames that are there of 512",
  );
});

Deno.test("lines that are not indented are found among those that are", () => {
  const text = " leaks\nProcess: Shop [1]\r\n\n  1 main\n\tleaks 2\nleaks 3\n   last";
  assertEquals(searchFlush(text, /leaks/y), text.indexOf("leaks 3"));
  assertEquals(searchFlush(text, /leaks/y, text.indexOf(" 3")), -1);
  assertEquals(searchFlush("", /leaks/y), -1);
  assertEquals(flushLines(text), "Process: Shop [1]\r\nleaks 3");
  assertEquals(flushLines("\n\n"), "");
});
