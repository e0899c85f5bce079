/** Counting reports by what crashed. */
import { assert, assertEquals, assertNotEquals } from "@std/assert";
import {
  readReport,
  ReportGroups,
  reportSignature,
  type ReportSummary,
  summarizeReport,
} from "../../../lib/report/mod.ts";
import { textOf } from "./fixtures.ts";

function summary(id: string, more: Partial<ReportSummary> = {}): ReportSummary {
  return {
    file: `${id}.ips`,
    id,
    parts: [`EXC ${id}`],
    time: null,
    version: null,
    model: null,
    system: null,
    verdict: "program",
    ...more,
  };
}

Deno.test("groups by signature, the largest first; equal sizes by signature", () => {
  const groups = new ReportGroups();
  for (const id of ["b", "c", "a", "c"]) groups.add(summary(id));
  assertEquals(groups.count, 4);
  assertEquals(groups.sorted.map(({ id, count }) => [id, count]), [["c", 2], ["a", 1], ["b", 1]]);
});

Deno.test("first and last report, and what differs between them", () => {
  const groups = new ReportGroups();
  groups.add(summary("a", { file: "1", time: 2000, version: "1.0", model: "iPhone1,1" }));
  groups.add(summary("a", { file: "2", time: 1000, version: "1.1", verdict: "system" }));
  groups.add(summary("a", { file: "3", version: "1.1", system: "iOS 17" }));
  const [group] = groups.sorted;
  assertEquals([group.first, group.last, group.example], [1000, 2000, "1"]);
  assertEquals([...group.versions], [["1.0", 1], ["1.1", 2]]);
  assertEquals([...group.models], [["iPhone1,1", 1]]);
  assertEquals([...group.systems], [["iOS 17", 1]]);
  assertEquals([...group.verdicts], [["program", 2], ["system", 1]]);
});

Deno.test("as JSON a group keeps its counts", () => {
  const groups = new ReportGroups();
  groups.add(summary("a", { file: "1", time: 2000, version: "1.0" }));
  groups.add(summary("a", { file: "2", time: 1000, version: "1.1" }));
  groups.add(summary("a", { file: "3", version: "1.1" }));
  assertEquals(JSON.parse(JSON.stringify(groups.sorted)), [{
    id: "a",
    parts: ["EXC a"],
    count: 3,
    first: "1970-01-01T00:00:01.000Z",
    last: "1970-01-01T00:00:02.000Z",
    versions: [{ name: "1.1", count: 2 }, { name: "1.0", count: 1 }],
    models: [],
    systems: [],
    verdicts: [{ name: "program", count: 3 }],
    example: "1",
  }]);
});

Deno.test("a report is summarized without options: names are readable, nothing is looked up", () => {
  const text = textOf("ios109.ips")
    .replace(/closure #1 in AppDelegate.start\(\)/, "$$s9TideTable11AppDelegateC4stopyyF");
  const { id, parts, verdict } = summarizeReport(readReport(text, "x"));
  assert(parts.includes("Tide Table AppDelegate.stop()"), parts.join());
  assertEquals(id, reportSignature(readReport(text, "x")).id);
  assertEquals(verdict, "program (Tide Table)");
});

Deno.test("a report without frames has the signature of its content, not of its file's name", () => {
  const text = "Process:  Shop [1]\nException Type:  EXC_BAD_ACCESS (SIGSEGV)\n";
  const id = (text: string, name: string) => reportSignature(readReport(text, name)).id;
  assertEquals(id(text, "upload-1"), id(text, "upload-2"));
  assertNotEquals(id(text, "upload"), id(text.replace("Shop", "Cart"), "upload"));
});

Deno.test("the example does not depend on the order in which workers bring reports", () => {
  const files = ["b.ips", "a.ips", "c.ips"];
  for (const order of [files, files.toReversed(), files.toSorted()]) {
    const groups = new ReportGroups();
    for (const file of order) groups.add(summary("a", { file }));
    assertEquals(groups.sorted[0].example, "a.ips");
  }
});

Deno.test("memory is bounded: after 32 kinds the rest are others", () => {
  const groups = new ReportGroups();
  for (let build = 0; build < 100; build++) groups.add(summary("a", { version: `1.${build}` }));
  const { versions } = groups.sorted[0];
  assertEquals(versions.size, 33);
  assertEquals(versions.get("others"), 68);
});
