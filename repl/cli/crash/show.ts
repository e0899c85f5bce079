/** `machpause crash`: explains, symbolicates, attributes and converts reports. */
import { escape, safe, safeJson, type SafeText } from "../../../lib/escape.ts";
import {
  crashText,
  encodeReport,
  explainReport,
  isSystemImage,
  ReportFormError,
  reportJson,
  sameLibrary,
  writeReport,
} from "../../../lib/report/explaining.ts";
import type { ReportImage } from "../../../lib/report/mod.ts";
import { fileError, UserError } from "../../errors.ts";
import { STANDARD_INPUT } from "../../input.ts";
import type { Values } from "../../options.ts";
import { checkFolders } from "../../prompt/open.ts";
import { explanationLines, type ReadCrash, safeLines } from "../../view/crash_show.ts";
import { complain, explain, print, printBytes, terminalSize } from "../../view/output.ts";
import { isStdout, outputTo } from "../../view/output_file.ts";
import { styleFor } from "../../view/style.ts";
import { lines, wrapped } from "../../view/text.ts";
import { isTried, reportFiles, strayWords } from "../report_files.ts";
import type { crashOptions } from "./options.ts";
import { NoReportError } from "./kind.ts";
import { isOfFile, isTarget, openCrashSymbols, readCrashes } from "./read.ts";

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
  const { json = false, ips = false, text = false, brief = false, out } = options;
  if (paths.length === 0) {
    throw new UserError("crash what? Name reports, folders of them, or - for standard input", 2);
  }
  if (Number(json) + Number(ips) + Number(text) + Number(brief) > 1) {
    throw new UserError("--json, --ips, --text and --brief exclude each other", 2);
  }
  if (brief && out !== undefined) {
    throw new UserError("--brief and --out exclude each other: --out writes the report", 2);
  }
  if ((options.begin === undefined) !== (options.end === undefined)) {
    throw new UserError("--begin and --end: both are needed", 2);
  }
  if (options.via !== undefined && options.group === true) {
    throw new UserError("--via and --group exclude each other: --group counts files", 2);
  }
  if (options.group === true) {
    if (ips || text || brief || out !== undefined) {
      throw new UserError("--group goes with --json only", 2);
    }
    return await (await import("./group.ts")).groupCrashes(paths, options);
  }
  if (options.args === true && !paths.some((path) => isTarget(path, options))) {
    throw new UserError("--args is for processes and cores: reports have no arguments", 2);
  }
  checkFolders(options.symbols ?? []);
  let code = 0;
  const fail = (why: SafeText): void => {
    complain(why);
    code = 1;
  };
  const files = [
    ...reportFiles(
      paths,
      "hang.txt",
      fail,
      (folder) => fail(safe`no reports in ${escape(folder)}`),
    ),
  ];
  if (out !== undefined && files.length !== 1) {
    throw new UserError(`--out is for one report; there are ${files.length}`, 2);
  }
  using symbols = await openCrashSymbols(options);
  let shown = 0;
  const strays: string[] = [];
  const unmet = new Set(options.begin === undefined ? options.mine : []);
  for (const file of files) {
    let crashes: ReadCrash[];
    try {
      crashes = await readCrashes(file, symbols, options);
    } catch (error) {
      if (!isOfFile(error)) throw error;
      if (error instanceof NoReportError && isTried(file, paths)) strays.push(file);
      else fail(explain(fileError(error, file)));
      continue;
    }
    const name = escape(file === "-" ? STANDARD_INPUT : file);
    const warned = new Set<string>();
    for (const [index, crash] of crashes.entries()) {
      const place = crashes.length === 1 ? safe`` : safe` (${index + 1} of ${crashes.length})`;
      const isOne = files.length === 1 && crashes.length === 1;
      const warn = (): void => {
        for (const warning of [...crash.report.warnings, ...lackOf(crash, options)]) {
          // Reports of one file have the same ones.
          if (warned.has(warning)) continue;
          warned.add(warning);
          complain(safe`warning: ${name}: ${escape(warning)}`);
        }
      };
      try {
        show(crash, options, shown, isOne ? null : safe`${name}${place}`, warn);
      } catch (error) {
        if (!(error instanceof ReportFormError)) throw error;
        fail(explain(error));
        continue;
      }
      shown++;
      for (const mine of unmet) if (isMet(mine, crash)) unmet.delete(mine);
    }
  }
  if (strays.length > 0) complain(safe`warning: ${strayWords(strays)}`);
  if (shown === 0) return 1;
  for (const mine of unmet) {
    complain(
      safe`warning: --mine ${
        escape(mine)
      }: no image has that name, nor has the archive or source file of a function on the stacks, as far as there are symbols`,
    );
  }
  return code;
}

/** Most images that are told of whose symbols were not where they were looked for. */
const MOST_LACKING = 3;

/** That folders with symbols were named which have none of an image of the reader's in the crashed thread. */
function lackOf({ missing }: ReadCrash, { symbols = [] }: CrashOptions): string[] {
  if (symbols.length === 0) return [];
  return missing.flatMap(({ image, crashedFrames }) =>
    image.uuid === null || crashedFrames === 0 || isSystemImage(image)
      ? []
      : [`no symbols of ${image.name} (${image.uuid}) in ${symbols.join(", ")}`]
  ).slice(0, MOST_LACKING);
}

/** Whether a library that was asked for takes part in a report. */
function isMet(mine: string, { report, attribution }: ReadCrash): boolean {
  return attribution.frames.some(({ owner }) => owner === "mine") ||
    report.images.some(({ name, path }) =>
      sameLibrary(mine, name) || sameLibrary(mine, path ?? name)
    );
}

/** The forms of a report, and what each is called. */
const forms = { json: safe`JSON`, ips: safe`.ips`, text: safe`crash text` } as const;

/** The form that options ask for, or the ending of the file that is written; `null` for the report as it was read. */
function formOf({ json, ips, text, out = "" }: CrashOptions): keyof typeof forms | null {
  if (json === true) return "json";
  if (ips === true) return "ips";
  if (text === true) return "text";
  const ending = /\.(?:(json)|(ips)|crash)$/i.exec(out);
  if (ending === null) return null;
  return ending[1] !== undefined ? "json" : ending[2] !== undefined ? "ips" : "text";
}

/** Prints a report, or writes it.
 *
 * @param index of the report among all that are printed
 * @param title what tells it from the others; `null` for the only one
 * @param warn prints the warnings, before the explanation: its end is what a terminal shows
 */
function show(
  crash: ReadCrash,
  options: CrashOptions,
  index: number,
  title: SafeText | null,
  warn: () => void,
): void {
  const { report } = crash;
  const form = formOf(options);
  if (form !== null || options.out !== undefined) warn();
  const out = isStdout(options.out) ? undefined : options.out;
  // Escaped on a terminal only: a file keeps the report's characters.
  const asIs = out !== undefined || !Deno.stdout.isTerminal();
  if (form === "json") {
    emit(safe`${safeJson(reportJson(report, crash))}\n`, out, form);
    return;
  }
  if (form !== null) {
    const written = writeReport(report, form === "ips" ? "ips" : "crash");
    const lineFed = form === "text" ? written.replace(/\r\n?/g, "\n") : written;
    emit(asIs ? encodeReport(lineFed) : safeLines(lineFed), out, form);
    return;
  }
  if (options.out !== undefined) {
    emit(asIs ? encodeReport(report.text) : safeLines(report.text), out, form);
    return;
  }
  const mine = (image: ReportImage): boolean => !isSystemImage(image);
  const style = styleFor(Deno.stdout);
  const explanation = explanationLines(explainReport(report, mine), crash, style);
  // People get crash text, not JSON.
  const isJson = report.format === "ips" || report.format === "json";
  const body = isJson ? crashText(report) : report.text;
  const gap = index > 0 ? safe`\n` : safe``;
  const heading = title === null ? safe`` : safe`${style("heading", safe`== ${title} ==`)}\n\n`;
  // The explanation comes last: of a long report the end is what a terminal shows.
  const { columns } = Deno.stdout.isTerminal() ? terminalSize() : { columns: Infinity };
  const fitted = lines(explanation.flatMap((line) => wrapped(line, columns)));
  const shown = options.brief === true ? safe`` : safe`${safeLines(body.trimEnd())}\n\n`;
  print(safe`${gap}${heading}${shown}`);
  warn();
  print(fitted);
}

/** Writes to stdout, or to a file that appears complete or not at all.
 *
 * @param form of the content; `null` for a report as it was read
 */
function emit(
  content: SafeText | Uint8Array,
  out: string | undefined,
  form: keyof typeof forms | null,
): void {
  if (out === undefined) {
    if (typeof content === "string") print(content);
    else printBytes(content);
    return;
  }
  using sink = outputTo(out);
  sink.write(typeof content === "string" ? new TextEncoder().encode(content) : content);
  sink.commit();
  print(
    safe`${escape(out)}: the report, ${
      form === null ? safe`in its own form` : safe`as ${forms[form]}`
    }\n`,
  );
}
