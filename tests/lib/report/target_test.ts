/** Reports made of targets: written in both forms, read back, stripped of names and named again. */
import { assert, assertEquals } from "@std/assert";
import { files } from "../../../ffi/mod.ts";
import {
  CrashReport,
  readReport,
  type ReportFrame,
  reportOf,
  ReportSymbolFiles,
  symbolicateReport,
  writeReport,
} from "../../../lib/report/mod.ts";
import { SymbolFiles } from "../../../lib/symbols/mod.ts";
import { debugIdOf } from "../../../lib/hex.ts";
import { attach, openCore } from "../../../mod.ts";
import { buildCore, recordedParts } from "../target/core_builder.ts";
import { chains, startDemo } from "../target/demo.ts";
import { essence } from "./fixtures.ts";
import { runs, testPrograms } from "../../machine.ts";

const demos = new URL("../../../examples/demo/", import.meta.url).pathname;

/** A report as the system would have written it: without any name. */
function nameless(report: CrashReport): CrashReport {
  const bare = new CrashReport({
    ...report,
    format: "sample",
    threads: report.threads.map((thread) => ({
      ...thread,
      frames: thread.frames.filter(({ inlined }) => !inlined).map((frame) => ({
        ...frame,
        symbol: null,
        offset: null,
        file: null,
        line: null,
        column: null,
      })),
    })),
  });
  return readReport(writeReport(bare, "crash"), "nameless");
}

/** The names of each thread's frames in the demo's images, and their offsets. */
function named(report: CrashReport): unknown {
  return report.threads.map(({ name, frames }) => [
    name,
    frames.filter(({ image }) => image !== null && /demo|libworkers/.test(image.name)).map((
      frame,
    ) => frame.inlined ? `${frame.symbol} [inlined]` : `${frame.symbol} + ${frame.offset}`),
  ]);
}

function check(report: CrashReport, folder: string): void {
  for (const form of ["crash", "ips"] as const) {
    const again = readReport(writeReport(report, form), form);
    assertEquals(again.warnings, []);
    assertEquals(essence(again), essence(report), form);
    const back = readReport(writeReport(again, form === "ips" ? "crash" : "ips"), "back");
    assertEquals(essence(back), essence(report), `${form} and back`);
  }
  const bare = nameless(report);
  assert(bare.stacks.every((stack) => stack.every(({ symbol }) => symbol === null)));
  using symbols = new ReportSymbolFiles(files, new SymbolFiles(files, [`${demos}${folder}`]));
  const { report: again, missing } = symbolicateReport(bare, symbols);
  assertEquals(named(again), named(report));
  assert(missing.every(({ image }) => !/^(?:demo|libworkers\.dylib)$/.test(image.name)));
  // What is in the text is what is in the objects.
  assertEquals(named(readReport(again.text, "text")), named(report));
  const ips = readReport(writeReport(bare, "ips"), "ips");
  const inJson = symbolicateReport(ips, symbols).report;
  assertEquals(named(readReport(inJson.text, "json")), named(report));
}

for (const arch of ["arm64", "armv7"] as const) {
  // A recording is the same on every processor: the emulated one would only be slower.
  const ignore = testPrograms !== undefined;
  Deno.test({ name: `${arch}: a recorded core as a report`, ignore }, async () => {
    const path = await Deno.makeTempFile();
    try {
      await Deno.writeFile(path, buildCore(recordedParts(arch), { noted: true }));
      using core = openCore(path, { symbols: [`${demos}${arch}`] });
      const report = reportOf(core, core.threads, {
        date: new Date(Date.UTC(2024, 1, 3, 4, 5, 6)),
        osVersion: "macOS 14.3 (23D56)",
        model: "Mac14,2",
        incident: "9e107d9d-372b-46bd-8bd1-9a1e5d3c7b2f",
      });
      assertEquals(report.arch, arch);
      assertEquals(report.date, "2024-02-03 04:05:06.0000 +0000");
      const names = report.threads.map(({ name }) => name ?? "main");
      assertEquals(names.toSorted(), [...chains.keys()].toSorted());
      for (const [index, thread] of report.threads.entries()) {
        const chain = chains.get(names[index])!;
        const own = thread.frames.filter(({ image }) => /demo|libworkers/.test(image?.name ?? ""));
        assertEquals<unknown>(own.filter(({ inlined }) => !inlined).map(({ symbol }) => symbol), [
          ...chain.map(([, symbol]) => symbol),
        ]);
      }
      check(report, arch);
    } finally {
      await Deno.remove(path);
    }
  });
}

for (const arch of ["x86_64", "i386", "arm64", "armv7"]) {
  Deno.test(
    { name: `${arch}: a paused process and a snapshot as reports`, ignore: !runs(arch) },
    async () => {
      using target = await startDemo(arch);
      try {
        {
          using _pause = target.pause();
          const report = reportOf(target, target.threads, { crashedThread: 1 });
          assertEquals(report.crashedThread?.index, 1);
          assert(report.crashedThread!.registers.length > 8);
          check(report, arch);
        }
        const { threads } = target.snapshot();
        const report = reportOf(target, threads);
        assertEquals(report.exception?.note, "SIMULATED (this is NOT a crash)");
        assertEquals(report.threads.length, chains.size);
        check(report, arch);
      } finally {
        target.kill();
      }
    },
  );
}

Deno.test({
  name: "ELF images in a report: all of each, and what its build ID is to Breakpad",
  ignore: Deno.build.os !== "linux",
  fn: async () => {
    const child = new Deno.Command("sleep", { args: ["1000"] }).spawn();
    try {
      using target = attach(child.pid);
      let frames: ReportFrame[] = [];
      while (!frames.some(({ symbol }) => /nanosleep/.test(symbol ?? ""))) {
        frames = [...reportOf(target, target.snapshot().threads).threads[0].frames];
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      const [{ image, address }] = frames;
      const { base, size, uuid, path } = image!;
      assert(address >= base && address < base + size, `${address} in ${base} + ${size}`);
      const file = await Deno.readFile(path!);
      // A note: the sizes of name and description, NT_GNU_BUILD_ID, "GNU".
      const head = [4, 0, 0, 0, 20, 0, 0, 0, 3, 0, 0, 0, 0x47, 0x4e, 0x55, 0];
      const at = file.findIndex((_, at) => head.every((byte, index) => file[at + index] === byte));
      assertEquals(uuid, debugIdOf(file.slice(at + head.length, at + head.length + 20)));
    } finally {
      child.kill("SIGKILL");
      await child.status;
    }
  },
});
