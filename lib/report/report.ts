/** A crash report as objects, whatever it was written as. */

import type { ArchName } from "../arch/mod.ts";
import type { JsonObject } from "./read/json.ts";

/** What a report was written as: Apple's crash text, the two JSON documents of `.ips`, what `sample`
 * and what `spindump` print.
 *
 * @example
 * ```ts
 * import { crashReports, type ReportFormat } from "@machpause/machpause";
 *
 * const { readReport } = await crashReports();
 * const format: ReportFormat = readReport(await Deno.readFile("MyApp.txt"), "MyApp.txt").format;
 * console.log(format === "sample" ? "a hang, perhaps" : format);
 * ```
 */
export type ReportFormat = "crash" | "ips" | "sample" | "spindump";

/** A part of a report's text.
 *
 * @example
 * ```ts
 * import { crashReports, type Span } from "@machpause/machpause";
 *
 * const { readReport } = await crashReports();
 * const report = readReport(await Deno.readFile("MyApp.crash"), "MyApp.crash");
 * const span: Span | null | undefined = report.threads[0].frames[0].span;
 * if (span) console.log(report.text.slice(span.start, span.end)); // 0   MyApp  0x0000000104a3f720 …
 * ```
 */
export interface Span {
  /** UTF-16 code units from the text's start. */
  readonly start: number;
  /** One beyond the last. */
  readonly end: number;
}

/** Where a report has a frame.
 *
 * @example
 * ```ts
 * import { crashReports, type FrameSpan } from "@machpause/machpause";
 *
 * const { readReport } = await crashReports();
 * const report = readReport(await Deno.readFile("MyApp.crash"), "MyApp.crash");
 * const span: FrameSpan | null = report.threads[0].frames[0].span;
 * if (span?.place !== undefined) console.log(report.text.slice(span.place, span.end));
 * ```
 */
export interface FrameSpan extends Span {
  /** Where the last column of a crash text's frame begins; left out elsewhere. */
  readonly place?: number;
}

/** A `Name: value` line of a report, or a member of its JSON header. None of it is safe to print
 * raw.
 *
 * @example
 * ```ts
 * import { crashReports } from "@machpause/machpause";
 *
 * const { readReport } = await crashReports();
 * const report = readReport(await Deno.readFile("MyApp.crash"), "MyApp.crash");
 * for (const { name, value } of report.fields) console.log(`${name}: ${value}`);
 * ```
 */
export interface ReportField {
  /** As written. */
  readonly name: string;
  /** As written, without what is around it; lines that continue it are added after a line feed. */
  readonly value: string;
}

/** A titled part of a report that is no thread and no image list: application specific information,
 * kernel triage, VM regions.
 *
 * @example
 * ```ts
 * import { crashReports } from "@machpause/machpause";
 *
 * const { readReport } = await crashReports();
 * const report = readReport(await Deno.readFile("MyApp.crash"), "MyApp.crash");
 * for (const { name, lines } of report.sections) console.log(name, lines.length);
 * ```
 */
export interface ReportSection {
  /** Without its colon. Not safe to print raw. */
  readonly name: string;
  /** As written. Not safe to print raw. */
  readonly lines: readonly string[];
}

/** A binary image that a report lists, or only names in its frames.
 *
 * @example
 * ```ts
 * import { crashReports } from "@machpause/machpause";
 *
 * const { readReport } = await crashReports();
 * const report = readReport(await Deno.readFile("MyApp.crash"), "MyApp.crash");
 * for (const { name, uuid, base } of report.images) console.log(base.toString(16), uuid, name);
 * ```
 */
export interface ReportImage {
  /** The file's or the bundle's name. Not safe to print raw. */
  readonly name: string;
  /** `null` when not said. Not safe to print raw. */
  readonly path: string | null;
  /** Upper case, `8-4-4-4-12`; `null` when not said. */
  readonly uuid: string | null;
  /** As written, such as `arm64e`; `null` when not said. */
  readonly arch: string | null;
  /** Where it was loaded. */
  readonly base: bigint;
  /** Bytes; 0 when not said. */
  readonly size: bigint;
  /** `null` when not said. Not safe to print raw. */
  readonly version: string | null;
  /** The bundle's identifier; `null` when not said. Not safe to print raw. */
  readonly identifier: string | null;
  /** Whether the report marks it as no part of the system: the `+` of older texts. */
  readonly marked: boolean;
}

/** One line of a backtrace.
 *
 * @example
 * ```ts
 * import { crashReports } from "@machpause/machpause";
 *
 * const { readReport } = await crashReports();
 * const report = readReport(await Deno.readFile("MyApp.crash"), "MyApp.crash");
 * for (const { index, image, symbol, offset } of report.crashedThread?.frames ?? []) {
 *   console.log(index, image?.name, symbol, offset);
 * }
 * ```
 */
export interface ReportFrame {
  /** As the report numbers it. */
  readonly index: number;
  /** Of the next instruction in frame 0, a return address in the others. */
  readonly address: bigint;
  /** `null` when no image of the report holds it. */
  readonly image: ReportImage | null;
  /** The image's name where the frame says one. Not safe to print raw. */
  readonly imageName: string | null;
  /** The function; `null` when the report does not name it. Not safe to print raw. */
  readonly symbol: string | null;
  /** Bytes from the symbol; `null` when not said. */
  readonly offset: number | null;
  /** Source file; `null` when not said. Not safe to print raw. */
  readonly file: string | null;
  /** From 1; `null` when not said. */
  readonly line: number | null;
  /** From 1; `null` when not said. */
  readonly column: number | null;
  /** Whether it is inlined into the next. */
  readonly inlined: boolean;
  /** Where the report has it: a line without its end, or a JSON object. `null` where it has it in no
   * place of its own. */
  readonly span: FrameSpan | null;
}

/** A register of a thread state.
 *
 * @example
 * ```ts
 * import { crashReports } from "@machpause/machpause";
 *
 * const { readReport } = await crashReports();
 * const report = readReport(await Deno.readFile("MyApp.crash"), "MyApp.crash");
 * const far = report.crashedThread?.registers.find(({ name }) => name === "far");
 * console.log(far?.value.toString(16), far?.note);
 * ```
 */
export interface ReportRegister {
  /** As written. Not safe to print raw. */
  readonly name: string;
  /** Unsigned. */
  readonly value: bigint;
  /** What the report says of the value, as in `(Data Abort) byte read Translation fault`. Not safe to
   * print raw. */
  readonly note: string | null;
}

/** A node of the call tree of `sample` and `spindump`: a function that was found on the stack so many
 * times.
 *
 * @example
 * ```ts
 * import { type CallTreeNode, crashReports } from "@machpause/machpause";
 *
 * const { readReport } = await crashReports();
 * const report = readReport(await Deno.readFile("sample.txt"), "sample.txt");
 * const show = ({ count, frame, children }: CallTreeNode, depth = 0): void => {
 *   console.log(" ".repeat(depth), count, frame.symbol);
 *   for (const child of children) show(child, depth + 1);
 * };
 * for (const root of report.threads[0].tree) show(root);
 * ```
 */
export interface CallTreeNode {
  /** How often. */
  readonly count: number;
  /** The function, the innermost address that was seen. */
  readonly frame: ReportFrame;
  /** What it called. */
  readonly children: readonly CallTreeNode[];
}

/** A thread of a report.
 *
 * @example
 * ```ts
 * import { crashReports } from "@machpause/machpause";
 *
 * const { readReport } = await crashReports();
 * const report = readReport(await Deno.readFile("MyApp.crash"), "MyApp.crash");
 * for (const { index, name, queue, frames } of report.threads) {
 *   console.log(index, name ?? queue, frames[0]?.symbol);
 * }
 * ```
 */
export interface ReportThread {
  /** As the report numbers it. */
  readonly index: number;
  /** System-wide unique; `null` when not said. */
  readonly id: bigint | null;
  /** `null` when it has none. Not safe to print raw. */
  readonly name: string | null;
  /** The dispatch queue; `null` when not said. Not safe to print raw. */
  readonly queue: string | null;
  /** Whether the report is about it. */
  readonly crashed: boolean;
  /** Innermost first. Of a call tree, its most frequent stack. */
  readonly frames: readonly ReportFrame[];
  /** Its registers; empty where the report has none. */
  readonly registers: readonly ReportRegister[];
  /** The title of the registers or their flavor; `null` without registers. */
  readonly flavor: string | null;
  /** The process it belongs to, where a report has several; else `null`. Not safe to print raw. */
  readonly process: string | null;
  /** The roots of its call tree; empty where frames are all there is. */
  readonly tree: readonly CallTreeNode[];
}

/** What the kernel or the program raised. None of it is safe to print raw.
 *
 * @example
 * ```ts
 * import { crashReports } from "@machpause/machpause";
 *
 * const { readReport } = await crashReports();
 * const { exception } = readReport(await Deno.readFile("MyApp.ips"), "MyApp.ips");
 * console.log(exception?.type, exception?.signal); // EXC_BAD_ACCESS SIGSEGV
 * ```
 */
export interface ReportException {
  /** Such as `EXC_BAD_ACCESS`; `null` when not said. */
  readonly type: string | null;
  /** Such as `SIGSEGV`; `null` when not said. */
  readonly signal: string | null;
  /** The raw codes; empty when not said. */
  readonly codes: readonly bigint[];
  /** As in `KERN_INVALID_ADDRESS at 0x0000000000000010`; `null` when not said. */
  readonly subtype: string | null;
  /** `null` when not said. */
  readonly message: string | null;
  /** `null` when not said. */
  readonly note: string | null;
}

/** Why the system ended the process. None of it is safe to print raw.
 *
 * @example
 * ```ts
 * import { crashReports } from "@machpause/machpause";
 *
 * const { readReport } = await crashReports();
 * const { termination } = readReport(await Deno.readFile("MyApp.ips"), "MyApp.ips");
 * console.log(termination?.namespace, termination?.code, termination?.reasons);
 * ```
 */
export interface ReportTermination {
  /** Such as `SIGNAL` or `FRONTBOARD`; `null` when not said. */
  readonly namespace: string | null;
  /** `null` when not said. */
  readonly code: bigint | null;
  /** As in `Abort trap: 6`, and all else the report says. */
  readonly reasons: readonly string[];
  /** Who ended it; `null` when not said. */
  readonly byProcess: string | null;
  /** `null` when not said. */
  readonly byPid: number | null;
}

/** The process that a report is about. None of it is safe to print raw; `null` is what the report does
 * not say.
 *
 * @example
 * ```ts
 * import { crashReports } from "@machpause/machpause";
 *
 * const { readReport } = await crashReports();
 * const { process } = readReport(await Deno.readFile("MyApp.ips"), "MyApp.ips");
 * console.log(process.name, process.pid, process.version);
 * ```
 */
export interface ReportProcess {
  /** Of its program. */
  readonly name: string | null;
  /** Its identifier. */
  readonly pid: number | null;
  /** Of its program's file. */
  readonly path: string | null;
  /** The bundle's. */
  readonly identifier: string | null;
  /** As in `1.2 (34)`. */
  readonly version: string | null;
  /** As in `launchd [1]`. */
  readonly parent: string | null;
  /** Such as `Foreground`. */
  readonly role: string | null;
  /** When it was started, as written. */
  readonly launched: string | null;
}

/** What a {@linkcode CrashReport} is made of.
 *
 * @example
 * ```ts
 * import { crashReports } from "@machpause/machpause";
 *
 * const { CrashReport, readReport, writeReport } = await crashReports();
 * const report = readReport(await Deno.readFile("MyApp.ips"), "MyApp.ips");
 * const threads = report.threads.filter(({ crashed }) => crashed);
 * console.log(writeReport(new CrashReport({ ...report, threads }), "crash"));
 * ```
 */
export type ReportParts =
  & Omit<CrashReport, "crashedThread" | "stacks" | "embedded">
  & Partial<Pick<CrashReport, "embedded">>;

/** A crash report. What it was read from is kept in {@linkcode CrashReport.text}, so that writing it
 * again loses nothing; the other members are what is understood of it.
 *
 * @example
 * ```ts
 * import { crashReports } from "@machpause/machpause";
 *
 * const { readReport } = await crashReports();
 * const report = readReport(await Deno.readFile("MyApp.crash"), "MyApp.crash");
 * console.log(report.exception?.type, report.crashedThread?.frames[0].symbol);
 * ```
 */
export class CrashReport {
  /** What it was written as. */
  readonly format: ReportFormat;
  /** Where it was read. Not safe to print raw. */
  readonly file: string;
  /** All of it, as it was read: see {@linkcode encodeReport} for bytes that are not UTF-8. Not safe to
   * print raw. */
  readonly text: string;
  /** The kind of report that the JSON header names, such as `309`; `null` when not said. */
  readonly bugType: string | null;
  /** The header, in the report's order; unknown ones too. */
  readonly fields: readonly ReportField[];
  /** The titled parts that are neither threads nor images, in the report's order. */
  readonly sections: readonly ReportSection[];
  /** Whose report it is. */
  readonly process: ReportProcess;
  /** What its code is written for; `null` when not said or not known. */
  readonly arch: ArchName | null;
  /** As written, such as `ARM-64 (Native)`; `null` when not said. Not safe to print raw. */
  readonly codeType: string | null;
  /** The device, such as `iPhone14,2`; `null` when not said. Not safe to print raw. */
  readonly model: string | null;
  /** As in `iPhone OS 16.1 (20B82)`; `null` when not said. Not safe to print raw. */
  readonly osVersion: string | null;
  /** When it happened, as written; `null` when not said. Not safe to print raw. */
  readonly date: string | null;
  /** The incident's identifier; `null` when not said. Not safe to print raw. */
  readonly incident: string | null;
  /** `null` when the report has none. */
  readonly exception: ReportException | null;
  /** `null` when the report does not say. */
  readonly termination: ReportTermination | null;
  /** What the program and its libraries left for the report: assertion messages, exceptions'
   * reasons. Not safe to print raw. */
  readonly information: readonly string[];
  /** In the report's order. */
  readonly threads: readonly ReportThread[];
  /** Where an uncaught exception was thrown, innermost first; `null` when there was none. */
  readonly lastException: readonly ReportFrame[] | null;
  /** In the report's order. */
  readonly images: readonly ReportImage[];
  /** The JSON header; `null` when there is none. */
  readonly header: JsonObject | null;
  /** The JSON body; `null` for a text. */
  readonly body: JsonObject | null;
  /** The same report as JSON, which a translated text has behind it as its "Full Report"; its text is the
   * whole of this one. `null` where there is none. */
  readonly embedded: CrashReport | null;
  /** What was damaged or not understood, in words. */
  readonly warnings: readonly string[];

  /** A report of known parts. */
  constructor(parts: ReportParts) {
    this.format = parts.format;
    this.file = parts.file;
    this.text = parts.text;
    this.bugType = parts.bugType;
    this.fields = parts.fields;
    this.sections = parts.sections;
    this.process = parts.process;
    this.arch = parts.arch;
    this.codeType = parts.codeType;
    this.model = parts.model;
    this.osVersion = parts.osVersion;
    this.date = parts.date;
    this.incident = parts.incident;
    this.exception = parts.exception;
    this.termination = parts.termination;
    this.information = parts.information;
    this.threads = parts.threads;
    this.lastException = parts.lastException;
    this.images = parts.images;
    this.header = parts.header;
    this.body = parts.body;
    this.embedded = parts.embedded ?? null;
    this.warnings = parts.warnings;
  }

  /** The thread that the report is about; `null` when it does not say. */
  get crashedThread(): ReportThread | null {
    return this.threads.find(({ crashed }) => crashed) ?? null;
  }

  /** All backtraces: the exception's, then the threads'. */
  get stacks(): readonly (readonly ReportFrame[])[] {
    const threads = this.threads.map(({ frames }) => frames);
    return this.lastException === null ? threads : [this.lastException, ...threads];
  }
}

/** A process of which nothing is known. */
export const noProcess: ReportProcess = {
  name: null,
  pid: null,
  path: null,
  identifier: null,
  version: null,
  parent: null,
  role: null,
  launched: null,
};

/** `ARM-64 (Native)`, `X86-64`, `arm64e` and so on, as an architecture's name; `null` when it is none
 * of the four. */
export function archOfCodeType(codeType: string | null): ArchName | null {
  const text = (codeType ?? "").toLowerCase().replaceAll("_", "-");
  if (text.startsWith("arm-64") || text.startsWith("arm64")) return "arm64";
  if (text.startsWith("arm")) return "armv7";
  if (text.startsWith("x86-64")) return "x86_64";
  if (text.startsWith("x86") || text.startsWith("i386")) return "i386";
  return null;
}

/** Larger than any image: the shared cache, which others are in. */
const WIDE = 1n << 29n;

/** The image that holds an address: of those that do, the one that begins last. */
export function imageFinder(
  images: readonly ReportImage[],
): (address: bigint) => ReportImage | null {
  const sorted = images.filter(({ size }) => size > 0n)
    .sort((a, b) => a.base < b.base ? -1 : a.base > b.base ? 1 : 0);
  const wide = sorted.filter(({ size }) => size >= WIDE);
  let last: ReportImage | null = null;
  return (address) => {
    if (last !== null && holds(last, address)) return last;
    let low = 0;
    let high = sorted.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (sorted[middle].base <= address) low = middle + 1;
      else high = middle;
    }
    const found = sorted[low - 1];
    if (found === undefined) return null;
    if (!holds(found, address)) return wide.findLast((image) => holds(image, address)) ?? null;
    // The next address may be in an image that is in the cache.
    if (found.size < WIDE) last = found;
    return found;
  };
}

function holds({ base, size }: ReportImage, address: bigint): boolean {
  return address >= base && address < base + size;
}

/** A UUID in upper case with its dashes, from one with or without them; `null` when it is none, or all
 * zero. */
export function normalUuid(text: string): string | null {
  const digits = text.replaceAll("-", "").toUpperCase();
  if (!/^[0-9A-F]{32}$/.test(digits) || /^0+$/.test(digits)) return null;
  return [
    digits.slice(0, 8),
    digits.slice(8, 12),
    digits.slice(12, 16),
    digits.slice(16, 20),
    digits.slice(20),
  ].join("-");
}
