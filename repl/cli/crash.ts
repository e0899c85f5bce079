/** `machpause crash`: reports explained, symbolicated, attributed, converted, grouped. */

import {
  attributeReport,
  type Attribution,
  type CodeRange,
  type CrashReport,
  encodeReport,
  explainReport,
  isSystemImage,
  programImage,
  readReport,
  type ReportImage,
  type SymbolicatedReport,
  symbolicateReport,
  writeReport,
} from "../../lib/report/mod.ts";
import { escape } from "../../lib/escape.ts";
import { explanationLines } from "../view/crash_show.ts";
import { type CrashSymbols, openCrashSymbols } from "../view/crash_symbols.ts";
import { UserError } from "../errors.ts";
import { complain, explain, print } from "../view/output.ts";
import { styleFor } from "../view/style.ts";

/** The options of `machpause crash`. */
export interface CrashOptions {
  readonly json?: boolean;
  readonly ips?: boolean;
  readonly text?: boolean;
  readonly group?: boolean;
  readonly out?: string;
  readonly symbols?: readonly string[];
  readonly mine?: readonly string[];
  readonly begin?: string;
  readonly end?: string;
}

/** A report and all that is said of it. */
export interface ReadCrash extends SymbolicatedReport {
  readonly attribution: Attribution;
}

/** Runs the command.
 *
 * @param paths files, folders of them, or targets that a report is to be made of
 * @throws UserError for a wrong combination of options
 */
export async function showCrashes(
  paths: readonly string[],
  options: CrashOptions,
): Promise<number> {
  const { json = false, ips = false, text = false, out } = options;
  if (Number(json) + Number(ips) + Number(text) > 1) {
    throw new UserError("--json, --ips and --text: one of them", 2);
  }
  if ((options.begin === undefined) !== (options.end === undefined)) {
    throw new UserError("--begin and --end: both are needed", 2);
  }
  if (options.group === true) {
    if (ips || text || out !== undefined) throw new UserError("--group goes with --json alone", 2);
    return await (await import("./crash_group.ts")).groupCrashes(paths, options);
  }
  for (const folder of options.symbols ?? []) {
    if (await Deno.stat(folder).catch(() => null) === null) {
      throw new UserError(`there is no folder ${folder} to look for symbols in`);
    }
  }
  const files = [...filesIn(paths)];
  if (out !== undefined && files.length !== 1) {
    throw new UserError(`--out is for one report; there are ${files.length}`, 2);
  }
  using symbols = await openCrashSymbols(options.symbols ?? []);
  let code = 0;
  let shown = 0;
  for (const file of files) {
    let crash: ReadCrash;
    try {
      crash = target.test(file)
        ? tellOf(await targetReport(file, options), symbols, options)
        : readCrash(file, symbols, options);
    } catch (error) {
      if (!isOfFile(error)) throw error;
      complain(fileError(file, error));
      code = 1;
      continue;
    }
    await show(crash, options, shown++);
    for (const warning of crash.report.warnings) {
      complain(`warning: ${escape(file)}: ${escape(warning)}`);
    }
  }
  return code;
}

/** Whether an error is about one file: the others are still shown. */
export function isOfFile(error: unknown): boolean {
  return error instanceof Error && !(error instanceof UserError) &&
    (error.name === "FormatError" || error instanceof Deno.errors.NotFound ||
      error instanceof Deno.errors.PermissionDenied || error instanceof Deno.errors.IsADirectory);
}

/** What went wrong with a file, safe to print. */
export function fileError(file: string, error: unknown): string {
  return error instanceof Deno.errors.NotFound
    ? `there is no file ${escape(file)}`
    : error instanceof Deno.errors.PermissionDenied
    ? `${escape(file)} may not be read`
    : explain(error);
}

/** The files that paths name: themselves, or all below a folder that look like reports. */
export function* filesIn(paths: readonly string[]): Generator<string> {
  for (const path of paths) {
    let isDirectory = false;
    try {
      isDirectory = Deno.statSync(path).isDirectory;
    } catch {
      // Whoever reads it says what is wrong with it.
    }
    if (isDirectory) yield* reportsIn(path);
    else yield path;
  }
}

/** The files below a folder that have a report's name, in order. */
function* reportsIn(folder: string): Generator<string> {
  const entries = [...Deno.readDirSync(folder)].sort((a, b) => a.name < b.name ? -1 : 1);
  for (const { name, isFile, isDirectory } of entries) {
    if (isDirectory) yield* reportsIn(`${folder}/${name}`);
    else if (isFile && /\.(?:crash|ips|synced|txt|panic|sample|spindump|diag|hang)$/i.test(name)) {
      yield `${folder}/${name}`;
    }
  }
}

/** Reads a report and says all there is to say of it. */
export function readCrash(
  file: string,
  symbols: CrashSymbols,
  options: Pick<CrashOptions, "mine" | "begin" | "end">,
): ReadCrash {
  return tellOf(readReport(Deno.readFileSync(file), file), symbols, options);
}

/** What is named like a target and no file. */
const target = /^(?:demo|self|pid:\d+|core:.+)$/;

/** Makes a report of a target, as of now. */
async function targetReport(spec: string, options: CrashOptions): Promise<CrashReport> {
  const [{ openTarget }, { reportOf }, { demangle }] = await Promise.all([
    import("../prompt/open.ts"),
    import("../../lib/report/mod.ts"),
    import("../../mod.ts"),
  ]);
  using opened = await openTarget(spec, spec.startsWith("core:") ? options.symbols ?? [] : []);
  const snapshot = opened.target.snapshot();
  return reportOf(opened.target, snapshot.threads, {
    ...(spec.startsWith("core:") ? {} : { date: new Date() }),
    incident: crypto.randomUUID(),
    demangle: (name) => demangle(name),
  });
}

function tellOf(
  report: CrashReport,
  symbols: CrashSymbols,
  options: Pick<CrashOptions, "mine" | "begin" | "end">,
): ReadCrash {
  const symbolicated = symbolicateReport(report, symbols.files, { demangle: symbols.demangle });
  const attribution = attributeReport(symbolicated.report, {
    mine: options.mine ?? [],
    origins: symbols.files,
    ranges: rangesOf(symbolicated.report, symbols, options),
  });
  return { ...symbolicated, attribution };
}

/** The code between two symbols or addresses of the program: addresses are those it was linked for, or
 * offsets in it. */
export function rangesOf(
  report: CrashReport,
  { files }: CrashSymbols,
  { begin, end }: Pick<CrashOptions, "begin" | "end">,
): CodeRange[] {
  const image = programImage(report);
  if (begin === undefined || end === undefined || image === null) return [];
  const [from, to] = [begin, end].map((place) => placeIn(image, place, files));
  if (to <= from) throw new UserError(`--end ${end} is not after --begin ${begin}`);
  return [{ image: null, begin: from, end: to }];
}

function placeIn(
  image: ReportImage,
  place: string,
  files: CrashSymbols["files"],
): number {
  if (/^0x[0-9a-fA-F]{1,16}$/.test(place)) {
    const linked = files.linkedAddress(image) ?? 0x1_0000_0000n;
    const address = BigInt(place);
    return Number(address >= linked ? address - linked : address);
  }
  const offset = files.symbolOffset(image, place);
  if (offset === null) {
    throw new UserError(
      `there is no symbol ${place} in ${escape(image.name)}: give an address, or its binary's ` +
        "folder with --symbols",
    );
  }
  return offset;
}

async function show(crash: ReadCrash, options: CrashOptions, index: number): Promise<void> {
  const { json = false, ips = false, text = false, out } = options;
  const { report } = crash;
  if (json) {
    const [{ crashJson }, { safeJson }] = await Promise.all([
      import("../view/crash_json.ts"),
      import("../view/json.ts"),
    ]);
    emit(safeJson(crashJson(crash)) + "\n", out);
    return;
  }
  if (ips || text) {
    const form = writeReport(report, ips ? "ips" : "crash");
    // A terminal gets it in safe letters; what is to be kept is kept as it is.
    const kept = out !== undefined || !Deno.stdout.isTerminal();
    emit(kept ? encodeReport(form) : safeLines(form), out);
    return;
  }
  if (out !== undefined) {
    emit(encodeReport(report.text), out);
    return;
  }
  const mine = (image: ReportImage): boolean => !isSystemImage(image);
  const lines = explanationLines(explainReport(report, mine), crash, styleFor(Deno.stdout));
  // JSON is for programs: people get the text.
  const body = report.format === "ips" ? writeReport(report, "crash") : report.text;
  const gap = index > 0 ? "\n" : "";
  emit(`${gap}${lines.join("\n")}\n\n${safeLines(body)}`, undefined);
}

/** Text whose lines are safe to print. Tabs stay: reports have their columns by them. */
export function safeLines(text: string): string {
  const lines = text.replace(/\r\n?/g, "\n").split("\n");
  return lines.map((line) => line.split("\t").map(escape).join("\t")).join("\n");
}

/** Writes to stdout, or to a file that appears whole. */
function emit(content: string | Uint8Array, out: string | undefined): void {
  if (out === undefined) {
    print(content);
    return;
  }
  const temporary = `${out}.${crypto.randomUUID().slice(0, 8)}.partial`;
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
  Deno.writeFileSync(temporary, bytes, { createNew: true });
  try {
    Deno.renameSync(temporary, out);
  } catch (error) {
    Deno.removeSync(temporary);
    throw error;
  }
}
