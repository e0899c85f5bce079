/** Whose paths are opened: a report of somebody else may name any. */
import { assertEquals } from "@std/assert";
import { isOfThisMachine } from "../../../repl/cli/crash/local.ts";
import { readReport, ReportSymbolFiles, symbolicateReport } from "../../../lib/report/mod.ts";
import { DebugFinder, openDwarf, SymbolFiles } from "../../../lib/symbols/mod.ts";
import type { Files } from "../../../lib/file_system.ts";

const report = readReport(
  new TextEncoder().encode(`{"bug_type":"309"}
{"procName":"MyApp","cpuType":"ARM-64","faultingThread":0,"modelCode":"Mac14,7",
"osVersion":{"train":"macOS 14.4","build":"23E214"},
"threads":[{"triggered":true,"frames":[{"imageOffset":4096,"imageIndex":0}]}],
"usedImages":[{"base":4294967296,"size":65536,"arch":"arm64","name":"MyApp",
"uuid":"11112222-3333-4444-5555-666677778888","path":"/Users/me/MyApp.app/MyApp"}]}`),
  "MyApp.ips",
);

Deno.test("the paths of a report are opened only when it is of this machine", () => {
  const opened = (isLocal: boolean): string[] => {
    const paths: string[] = [];
    const seen = (path: string) => void paths.push(path);
    const files: Files = {
      open(path) {
        seen(path);
        throw new Error("nothing is there");
      },
      create() {
        throw new Error("nothing is written");
      },
      walk(path) {
        seen(path);
        return [];
      },
    };
    const folders = new SymbolFiles(files, ["/symbols"]);
    using finder = new DebugFinder({ files }, folders);
    using symbols = new ReportSymbolFiles(files, folders, {
      debug: finder,
      openDwarf,
      isLocal: () => isLocal,
    });
    symbolicateReport(report, symbols);
    return paths.filter((path) => path !== "/symbols");
  };
  assertEquals(opened(false), []);
  assertEquals(opened(true), [
    "/Users/me/MyApp.app/MyApp.dSYM",
    "/Users/me/MyApp.app.dSYM",
    "/Users/me/MyApp.app/MyApp",
  ]);
});

Deno.test("a report is of this machine by its build and model", () => {
  const machine = (
    build: string | null,
    model: string | null,
    os: "darwin" | "linux" = "darwin",
  ) => ({
    os,
    build: () => build,
    model: () => model,
  });
  assertEquals(isOfThisMachine(report, machine("23E214", "Mac14,7")), true);
  assertEquals(isOfThisMachine(report, machine("23E214", "Mac14,8")), false);
  assertEquals(isOfThisMachine(report, machine("23E224", "Mac14,7")), false);
  assertEquals(isOfThisMachine(report, machine(null, null)), false);
  assertEquals(isOfThisMachine(report, machine("23E214", "Mac14,7", "linux")), false);
  assertEquals(
    isOfThisMachine({ osVersion: "Mac OS X 10.15.7 (19H15)", model: null }, machine("19H15", "x")),
    true,
  );
});
