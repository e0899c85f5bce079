/** Reports that somebody wrote to do harm. */
import { assert, assertEquals, assertLess, assertStringIncludes } from "@std/assert";
import {
  attributeReport,
  explainReport,
  readReport,
  reportSignature,
  writeReport,
} from "../../../lib/report/mod.ts";
import { explanationLines } from "../../../repl/view/crash_show.ts";
import { plain } from "../../../repl/view/style.ts";
import { hostileCrash, hostileIps } from "../../fuzz/hostile.ts";
import { processorTime } from "../../processor_time.ts";

const decoder = new TextDecoder();
const ips = decoder.decode(hostileIps());

/** Does all that machpause does with a report; returns milliseconds. */
function readAll(text: string): number {
  const began = processorTime();
  const report = readReport(new TextEncoder().encode(text), "hostile");
  const attribution = attributeReport(report, { mine: ["toString"] });
  explanationLines(explainReport(report), { report, attribution, missing: [] }, plain);
  reportSignature(report);
  for (const form of ["crash", "ips"] as const) {
    if (report.panic === null) readReport(writeReport(report, form), "again");
  }
  return processorTime() - began;
}

Deno.test("names that every object has are names as any other", () => {
  for (const bytes of [hostileCrash(), hostileIps()]) {
    readAll(decoder.decode(bytes));
    const report = readReport(bytes, "hostile");
    const [thread] = report.threads;
    const registers = thread.registers.map(({ name }) => name);
    for (const name of ["constructor", "toString", "valueOf"]) assert(registers.includes(name));
    const text = writeReport(report, "crash");
    assertStringIncludes(text, "constructor: 0x0000000000000001");
    // A state of JSON has all of them as its own members.
    const again = readReport(writeReport(report, "ips"), "again");
    assertEquals(
      again.threads[0].registers.map(({ name }) => name).sort(),
      thread.registers.map(({ name }) => name).sort(),
    );
  }
});

Deno.test("blanks, lines and components of paths cost time in proportion", () => {
  const blanks = " ".repeat(200_000);
  const lines = "x\\n".repeat(200_000);
  const path = "/a".repeat(100_000);
  const put = (name: string, text: string) => ips.replace(`"${name}": "`, `"${name}": "${text}`);
  for (
    const text of [put("procName", `${blanks}x`), put("procName", lines), put("procName", path)]
  ) {
    assertLess(readAll(text), 5000);
  }
  assertLess(readAll(ips.replace('["__proto__","', `["${lines}","${blanks}`)), 5000);
  assertLess(readAll(ips.replaceAll('"path":"/long/', `"path":"${path}/long/`)), 8000);
  const text = decoder.decode(hostileCrash());
  for (
    const fill of [blanks, "x ".repeat(100_000), path, "\n".repeat(200_000), "(".repeat(200_000)]
  ) {
    assertLess(readAll(text.replace("line of constructor", `${fill}line`)), 5000);
    assertLess(readAll(text.replace("Exception Type:  ", `Exception Type:  ${fill}`)), 5000);
    assertLess(readAll(text.replace("Process:         ", `Process:         ${fill}`)), 5000);
  }
});

Deno.test("marks of quotes, and blank lines before what is looked for, cost time in proportion", () => {
  const text = decoder.decode(hostileCrash());
  for (const mark of [">", "> "]) {
    assertLess(readAll(text.replace("line of constructor", `${mark.repeat(200_000)}line`)), 5000);
  }
  const info = `0x123456789 is near\\n${"\\n".repeat(20_000)}`;
  const fault = ips.replace(
    /"exception": \{[^}]*\}/,
    `"exception": {"type": "EXC_BAD_ACCESS", "signal": "SIGSEGV", "codes": "0x1, 0x123456789",
        "subtype": "KERN_INVALID_ADDRESS at 0x0000000123456789"}, "vmRegionInfo": "${info}"`,
  );
  assertLess(readAll(fault.replace(/"termination": \{[^}]*\},/, "")), 1000);
  // Without a type of an exception it is looked for in words.
  const bare = `${"\n".repeat(16_000)}${text.slice(text.indexOf("Thread 0 name"))}`;
  assertLess(readAll(bare), 1000);
});

Deno.test("bytes of instructions that are no base64 are none", () => {
  for (const atPC of ["A", "AAAAA", "AAA=="]) {
    const stream = `"instructionByteStream": {"beforePC": "A", "atPC": "${atPC}"}, "asi"`;
    readAll(ips.replace('"asi"', stream));
  }
});

Deno.test("a name may be there more than once, and be __proto__", () => {
  const report = readReport(
    new TextEncoder().encode(
      ips.replace('"toString": 1', '"__proto__": {"threads": 2}, "toString": 1'),
    ),
    "hostile",
  );
  assertEquals(report.threads.length, 1);
});

Deno.test("a stack of many frames without names costs time in proportion", () => {
  const frames = "[0,1],".repeat(60_000);
  const text = '{"bug_type":"309"}\n{"procName":"a","threads":[{"triggered":true,"frames":[' +
    `${frames}[0,1]]}],"usedImages":[["x",1,"P"]]}`;
  assertLess(readAll(text), 5000);
});

Deno.test("a deep stack whose images are not known costs time in proportion", () => {
  const frames = Array.from(
    { length: 40_000 },
    (_, at) =>
      `${at + 1} ??? 0x000000010${(0x1000000 + at * 0x40).toString(16)} 0x0 + ${
        0x101000000 + at * 0x40
      }`,
  );
  const text = `Process: Shop [1]\nException Type: EXC_CRASH (SIGABRT)\n\nThread 0 Crashed:
0 libsystem_kernel.dylib 0x00000001a0001234 __pthread_kill + 8\n${frames.join("\n")}\n`;
  const report = readReport(text, "deep");
  const began = processorTime();
  assertEquals(attributeReport(report).absent, "some images");
  assertLess(processorTime() - began, 2500);
});
