/**
 * Symbolicates the crash reports in a folder, and counts what crashes most: of each group one report with
 * functions, files and lines, and why it crashed.
 *
 *     deno task machpause run examples/crashes.ts <reports> <symbols>
 *
 * For three small reports of the program of the inlines fixture, and its dSYM, it prints:
 *
 *     2×  EXC_BAD_ACCESS SIGSEGV, inlines innermost, inlines middle, inlines outer  (1.0 2×)
 *       KERN_INVALID_ADDRESS at 0x10: nothing is mapped at the address.
 *       innermost  main.c:13  inlined
 *       middle  main.c:21  inlined
 *       outer  main.c:26
 *     1×  EXC_CRASH SIGABRT, inlines helper::Doubler<int>::call(int, int (*)(int)) const  (1.1 1×)
 *       The process ended itself with abort(). The report does not say why.
 *       helper::Doubler<int>::call(int, int (*)(int)) const  helper.cpp:11
 */
import { escapeText, openReportSymbols } from "@machpause/machpause";
import {
  explainReport,
  readReports,
  type ReportFrame,
  ReportGroups,
  summarizeReport,
  symbolicateReport,
} from "@machpause/machpause/report";

const [folder, ...dsyms] = Deno.args;
if (dsyms.length === 0) {
  console.error("usage: crashes.ts <reports> <symbols>");
  Deno.exit(2);
}
using symbols = openReportSymbols(dsyms);

/** The reports of a file. */
const reportsOf = (name: string) => readReports(Deno.readFileSync(`${folder}/${name}`), name);

/** A frame in one line. */
function line({ symbol, address, file, line, inlined }: ReportFrame): string {
  const name = symbol === null ? `0x${address.toString(16)}` : escapeText(symbol);
  const place = file === null
    ? ""
    : `  ${escapeText(file.slice(file.lastIndexOf("/") + 1))}:${line}`;
  return `${name}${place}${inlined ? "  inlined" : ""}`;
}

const groups = new ReportGroups();
for (const { name, isFile } of Deno.readDirSync(folder)) {
  if (!isFile || !/\.(?:ips|crash)$/.test(name)) continue;
  for (const report of reportsOf(name)) groups.add(summarizeReport(report, { symbols }));
}

for (const { count, parts, versions, example } of groups.sorted) {
  const list = [...versions].map(([version, times]) => `${version} ${times}×`).join(", ");
  console.log(`${count}×  ${escapeText(parts.join(", "))}  (${escapeText(list)})`);
  const { report } = symbolicateReport(reportsOf(example)[0], symbols);
  console.log(`  ${escapeText(explainReport(report).happened[0])}`);
  for (const frame of report.crashedThread?.frames ?? []) console.log(`  ${line(frame)}`);
}
