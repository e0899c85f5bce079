/** `machpause crash`: explains, symbolicates, attributes and converts reports. */
import { files as system } from "../../../ffi/files.ts";
import { escape, safe, safeJson, type SafeText } from "../../../lib/escape.ts";
import {
  encodeReport,
  explainReport,
  isSystemImage,
  type ReportImage,
  writeReport,
} from "../../../lib/report/mod.ts";
import { fileError, UserError } from "../../errors.ts";
import type { Values } from "../../options.ts";
import { checkFolders } from "../../prompt/open.ts";
import { explanationLines, type ReadCrash, safeLines } from "../../view/crash_show.ts";
import { complain, explain, print, printBytes, terminalSize } from "../../view/output.ts";
import { styleFor } from "../../view/style.ts";
import { lines, wrapped } from "../../view/text.ts";
import { reportFiles } from "../report_files.ts";
import type { crashOptions } from "./options.ts";
import { isOfFile, openCrashSymbols, readCrashes } from "./read.ts";

type CrashOptions = Values<typeof crashOptions>;

/** Runs the command.
 *
 * @param paths files, folders of files, and targets to make a report of
 * @throws UserError for a wrong combination of options
 */
export async function showCrashes(
  paths: readonly string[],
  options: CrashOptions,
): Promise<number> {
  const { json = false, ips = false, text = false, out } = options;
  if (Number(json) + Number(ips) + Number(text) > 1) {
    throw new UserError("--json, --ips and --text exclude each other", 2);
  }
  if ((options.begin === undefined) !== (options.end === undefined)) {
    throw new UserError("--begin and --end: both are needed", 2);
  }
  if (options.via !== undefined && options.group === true) {
    throw new UserError("--via and --group exclude each other: --group counts files", 2);
  }
  if (options.group === true) {
    if (ips || text || out !== undefined) throw new UserError("--group goes with --json only", 2);
    return await (await import("./group.ts")).groupCrashes(paths, options);
  }
  checkFolders(options.symbols ?? []);
  let code = 0;
  const files = [...reportFiles(paths, "hang.txt", (why) => {
    complain(why);
    code = 1;
  })];
  if (out !== undefined && files.length !== 1) {
    throw new UserError(`--out is for one report; there are ${files.length}`, 2);
  }
  using symbols = await openCrashSymbols(options);
  let shown = 0;
  for (const file of files) {
    let crashes: ReadCrash[];
    try {
      crashes = await readCrashes(file, symbols, options);
    } catch (error) {
      if (!isOfFile(error)) throw error;
      complain(explain(fileError(error, file)));
      code = 1;
      continue;
    }
    for (const crash of crashes) {
      await show(crash, options, shown++);
      for (const warning of crash.report.warnings) {
        complain(safe`warning: ${escape(file)}: ${escape(warning)}`);
      }
    }
  }
  return code;
}

async function show(crash: ReadCrash, options: CrashOptions, index: number): Promise<void> {
  const { json = false, ips = false, text = false, out } = options;
  const { report } = crash;
  if (json) {
    const { crashJson } = await import("../../view/crash_json.ts");
    emit(safe`${safeJson(crashJson(crash))}\n`, out);
    return;
  }
  if (ips || text) {
    const form = writeReport(report, ips ? "ips" : "crash");
    // Escaped on a terminal only: a file keeps the report's bytes.
    const kept = out !== undefined || !Deno.stdout.isTerminal();
    emit(kept ? encodeReport(form) : safeLines(form), out);
    return;
  }
  if (out !== undefined) {
    emit(encodeReport(report.text), out);
    return;
  }
  const mine = (image: ReportImage): boolean => !isSystemImage(image);
  const explanation = explanationLines(explainReport(report, mine), crash, styleFor(Deno.stdout));
  // People get crash text, not JSON.
  const isJson = report.format === "ips" || report.format === "json";
  const body = isJson ? writeReport(report, "crash") : report.text;
  const gap = index > 0 ? safe`\n` : safe``;
  // The explanation comes last: of a long report the end is what a terminal shows.
  const { columns } = Deno.stdout.isTerminal() ? terminalSize() : { columns: Infinity };
  const fitted = lines(explanation.flatMap((line) => wrapped(line, columns)));
  print(safe`${gap}${safeLines(body.trimEnd())}\n\n${fitted}`);
}

/** Writes to stdout, or to a file that appears complete or not at all. */
function emit(content: SafeText | Uint8Array, out: string | undefined): void {
  if (out === undefined) {
    if (typeof content === "string") print(content);
    else printBytes(content);
    return;
  }
  using sink = system.create(out, 0o666);
  sink.write(typeof content === "string" ? new TextEncoder().encode(content) : content);
  sink.commit();
}
