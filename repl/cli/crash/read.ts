/** Reads crash reports, and makes one of a target; finds their symbols. */
import { files } from "../../../ffi/files.ts";
import { escape } from "../../../lib/escape.ts";
import {
  attributeReport,
  programImage,
  readReport,
  readReports,
  symbolicateReport,
} from "../../../lib/report/explaining.ts";
import type {
  CodeRange,
  CrashReport,
  ReportImage,
  ReportSymbolFiles,
} from "../../../lib/report/mod.ts";
import { UserError } from "../../errors.ts";
import { InputError, MAX_SIZE, readInput, STANDARD_INPUT } from "../../input.ts";
import type { Values } from "../../options.ts";
import type { ReadCrash } from "../../view/crash_show.ts";
import { reportsOf } from "./kind.ts";
import type { crashOptions } from "./options.ts";

/** The options that attribution depends on. */
type Attributed = Pick<Values<typeof crashOptions>, "mine" | "begin" | "end">;

/** The symbols of reports. */
export type CrashSymbols =
  & Pick<ReportSymbolFiles, "find" | "demangle" | "originAt" | "symbolOffset" | "linkedAddress">
  & Disposable;

/** Where no symbols were named, what looks for them is not loaded. */
const noSymbols: CrashSymbols = {
  demangle: undefined,
  find: () => null,
  originAt: () => null,
  symbolOffset: () => null,
  linkedAddress: () => null,
  [Symbol.dispose]() {},
};

/** Opens folders of binaries, dSYMs and symbol table files. The files at the reports' own paths are opened for
 * reports of this machine, which is a Mac then, and with `--local-binaries`. */
export async function openCrashSymbols(
  { symbols: folders = [], localBinaries = false }: Pick<
    Values<typeof crashOptions>,
    "symbols" | "localBinaries"
  >,
): Promise<CrashSymbols> {
  if (folders.length === 0 && !localBinaries && Deno.build.os !== "darwin") return noSymbols;
  const { openReportSymbolsOver } = await import("../../../lib/report/symbolicate/open.ts");
  const isLocal = localBinaries ? () => true : (await import("./local.ts")).isOfThisMachine;
  return openReportSymbolsOver({ files }, folders, { isLocal });
}

/** Whether an error concerns one file only. */
export function isOfFile(error: unknown): boolean {
  if (error instanceof InputError) return true;
  return error instanceof Error && !(error instanceof UserError) &&
    (/^F(?:ormat|ile)Error$/.test(error.name) || error instanceof Deno.errors.NotFound ||
      error instanceof Deno.errors.PermissionDenied || error instanceof Deno.errors.NotCapable ||
      error instanceof Deno.errors.IsADirectory);
}

const target = /^(?:demo(?::\w+)?|self|pid:\d+|core:.+|(?:gdb-)?remote:.+|connect:\/\/.+)$/;

/** Whether a report is made of a target, not read from a file. */
export function isTarget(
  spec: string,
  { via }: Pick<Values<typeof crashOptions>, "via">,
): boolean {
  return via !== undefined || target.test(spec);
}

async function fileReports(
  path: string,
  { out }: Pick<Values<typeof crashOptions>, "out">,
): Promise<readonly CrashReport[]> {
  const bytes = await readInput(path, MAX_SIZE.report);
  const name = path === "-" ? STANDARD_INPUT : path;
  return reportsOf(
    bytes,
    name,
    () => out === undefined ? readReports(bytes, name) : [readReport(bytes, name)],
  );
}

/** Makes a report of a target, as of now. */
async function targetReport(
  spec: string,
  options: Values<typeof crashOptions>,
): Promise<CrashReport> {
  const [{ openTarget }, { reportOf }, { demangle }] = await Promise.all([
    import("../../prompt/open.ts"),
    import("../../../lib/report/mod.ts"),
    import("../../../mod.ts"),
  ]);
  const folders = spec.startsWith("core:") ? options.symbols : [];
  using opened = await openTarget(spec, folders, options.via);
  // Strings and what else arguments point to are of the moment of the stop.
  const isLive = options.args && opened.target.kind !== "self";
  const frameText = options.args
    ? (await import("../../view/named_variables.ts")).callText
    : undefined;
  const snapshot = opened.target.snapshot(isLive ? { follow: { levels: 1 } } : {});
  return reportOf(opened.target, snapshot.threads, {
    ...(spec.startsWith("core:") ? {} : { date: new Date() }),
    incident: crypto.randomUUID(),
    frameText,
    demangle: (name) => demangle(name),
  });
}

/** Reads the reports of a file, or makes one of a target; symbolicates and attributes them. */
export async function readCrashes(
  spec: string,
  symbols: CrashSymbols,
  options: Values<typeof crashOptions>,
): Promise<ReadCrash[]> {
  const reports = isTarget(spec, options)
    ? [await targetReport(spec, options)]
    : await fileReports(spec, options);
  return reports.map((report) => symbolicated(report, symbols, options));
}

function symbolicated(
  report: CrashReport,
  symbols: CrashSymbols,
  options: Attributed,
): ReadCrash {
  const named = symbolicateReport(report, symbols);
  const attribution = attributeReport(named.report, {
    mine: options.mine ?? [],
    origins: symbols,
    ranges: rangesOf(named.report, symbols, options),
  });
  return { ...named, attribution };
}

/** The code between two symbols or addresses of the program. An address is one that it was linked for,
 * or an offset in it. */
export function rangesOf(
  report: CrashReport,
  symbols: CrashSymbols,
  { begin, end }: Pick<Attributed, "begin" | "end">,
): CodeRange[] {
  const image = programImage(report);
  if (begin === undefined || end === undefined || image === null) return [];
  const [from, to] = [begin, end].map((place) => placeIn(image, place, symbols));
  if (to <= from) throw new UserError(`--end ${end} is not after --begin ${begin}`);
  return [{ image: null, begin: from, end: to }];
}

function placeIn(
  image: ReportImage,
  place: string,
  symbols: CrashSymbols,
): number {
  if (/^0x[0-9a-fA-F]{1,16}$/.test(place)) {
    const linked = symbols.linkedAddress(image) ?? 0x1_0000_0000n;
    const address = BigInt(place);
    return Number(address >= linked ? address - linked : address);
  }
  const offset = symbols.symbolOffset(image, place);
  if (offset === null) {
    throw new UserError(
      `there is no symbol ${place} in ${escape(image.name)}: give an address, or its binary's ` +
        "folder with --symbols",
    );
  }
  return offset;
}
