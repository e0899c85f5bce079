/** The model of a report, the same for every input format. Members of type {@linkcode RawText} hold the
 * report's own text and must be escaped before they are shown. */

import type { ArchName } from "../arch/mod.ts";
import type { RawText } from "../escape.ts";
import type { JsonObject } from "./json.ts";

/** The input format: Apple's crash text, the two JSON documents of `.ips`, the output of `sample` or
 * `spindump`, the text of a kernel panic, or the JSON of another reporter. */
export type ReportFormat = "crash" | "ips" | "sample" | "spindump" | "panic" | "json";

/** A part of a report's text. */
export interface Span {
  /** Offset of the first UTF-16 code unit. */
  readonly start: number;
  /** Offset after the last. */
  readonly end: number;
}

/** The place of a frame in a report's text. */
export interface FrameSpan extends Span {
  /** Start of the last column of a crash text's frame; absent in other formats. */
  readonly place?: number;
}

/** A `Name: value` line of a report, or a member of its JSON documents. */
export interface ReportField {
  /** As written. */
  readonly name: RawText;
  /** Trimmed; continuation lines follow after a line feed. */
  readonly value: RawText;
}

/** A titled part of a report other than threads and images: application specific information, kernel
 * triage, VM regions. */
export interface ReportSection {
  /** Title without its colon. */
  readonly name: RawText;
  /** As written. */
  readonly lines: readonly RawText[];
}

/** A binary image that a report lists. */
export interface ReportImage {
  /** The file's or the bundle's name. */
  readonly name: RawText;
  /** `null` when not said. */
  readonly path: RawText | null;
  /** Upper case, `8-4-4-4-12`; `null` when not said. */
  readonly uuid: string | null;
  /** As written, such as `arm64e`; `null` when not said. */
  readonly arch: RawText | null;
  /** Load address. */
  readonly base: bigint;
  /** Size in bytes; 0 when not said. */
  readonly size: bigint;
  /** `null` when not said. */
  readonly version: RawText | null;
  /** The bundle's identifier; `null` when not said. */
  readonly identifier: RawText | null;
  /** Whether it has the `+` with which older texts mark images that are not Apple's. */
  readonly marked: boolean;
}

/** One line of a backtrace. */
export interface ReportFrame {
  /** Number in the report. */
  readonly index: number;
  /** The program counter in frame 0, a return address in the others. */
  readonly address: bigint;
  /** `null` when no image of the report holds it. */
  readonly image: ReportImage | null;
  /** The image's name in the frame itself; `null` when it has none. */
  readonly imageName: RawText | null;
  /** Function; `null` when the report has no name for it. */
  readonly symbol: RawText | null;
  /** Offset from the symbol in bytes; `null` when not said. */
  readonly offset: number | null;
  /** Source file; `null` when not said. */
  readonly file: RawText | null;
  /** From 1; `null` when not said. */
  readonly line: number | null;
  /** From 1; `null` when not said. */
  readonly column: number | null;
  /** Whether it is inlined into the next. */
  readonly inlined: boolean;
  /** Its place in the text: a line without its end, or a JSON object; `null` when it has none of its
   * own. */
  readonly span: FrameSpan | null;
  /** Whether its address is in the system's shared cache, where the report lists no images; absent otherwise. */
  readonly cached?: true;
  /** Whether its name is only that of the nearest function that has one, as others of its image show; absent otherwise. */
  readonly nearest?: true;
}

/** A register of a thread state. */
export interface ReportRegister {
  /** As written. */
  readonly name: RawText;
  /** Unsigned. */
  readonly value: bigint;
  /** The report's remark, such as `(Data Abort) byte read Translation fault`; `null` when it has none. */
  readonly note: RawText | null;
}

/** A node of the call trees of `sample` and `spindump`. */
export interface CallTreeNode {
  /** Number of samples. */
  readonly count: number;
  /** The function, at the first address that the line lists. */
  readonly frame: ReportFrame;
  /** Callees. */
  readonly children: readonly CallTreeNode[];
}

/** A thread of a report. */
export interface ReportThread {
  /** Number in the report. */
  readonly index: number;
  /** `false` where the report does not have the number. */
  readonly isNumbered?: false;
  /** System-wide unique identifier; `null` when not said. */
  readonly id: bigint | null;
  /** `null` when it has none. */
  readonly name: RawText | null;
  /** The dispatch queue; `null` when not said. */
  readonly queue: RawText | null;
  /** Whether it is the thread that the report is about. */
  readonly crashed: boolean;
  /** Innermost first. For a call tree, its heaviest stack. */
  readonly frames: readonly ReportFrame[];
  /** Registers; empty when the report has none. */
  readonly registers: readonly ReportRegister[];
  /** Title or flavor of the registers; `null` without registers. */
  readonly flavor: RawText | null;
  /** Its process, in a report of several processes; else `null`. */
  readonly process: RawText | null;
  /** Roots of its call tree; empty when the report has only stacks. */
  readonly tree: readonly CallTreeNode[];
}

/** The exception and its signal. */
export interface ReportException {
  /** Such as `EXC_BAD_ACCESS`; `null` when not said. */
  readonly type: RawText | null;
  /** Such as `SIGSEGV`; `null` when not said. */
  readonly signal: RawText | null;
  /** The raw codes; empty when not said. */
  readonly codes: readonly bigint[];
  /** As in `KERN_INVALID_ADDRESS at 0x0000000000000010`; `null` when not said. */
  readonly subtype: RawText | null;
  /** `null` when not said. */
  readonly message: RawText | null;
  /** `null` when not said. */
  readonly note: RawText | null;
}

/** The termination reason. */
export interface ReportTermination {
  /** Such as `SIGNAL` or `FRONTBOARD`; `null` when not said. */
  readonly namespace: RawText | null;
  /** `null` when not said. */
  readonly code: bigint | null;
  /** Indicator, reasons and details, such as `Abort trap: 6`. */
  readonly reasons: readonly RawText[];
  /** The process that ended it; `null` when not said. */
  readonly byProcess: RawText | null;
  /** `null` when not said. */
  readonly byPid: number | null;
}

/** The process that a report is about. `null` means that the report does not say. */
export interface ReportProcess {
  /** Name of the program. */
  readonly name: RawText | null;
  /** Process identifier. */
  readonly pid: number | null;
  /** Path of the executable. */
  readonly path: RawText | null;
  /** Bundle identifier. */
  readonly identifier: RawText | null;
  /** As in `1.2 (34)`. */
  readonly version: RawText | null;
  /** As in `launchd [1]`. */
  readonly parent: RawText | null;
  /** Such as `Foreground`. */
  readonly role: RawText | null;
  /** Launch time, as written. */
  readonly launched: RawText | null;
}

/** A kernel panic. */
export interface ReportPanic {
  /** The panic's message. */
  readonly message: RawText;
  /** The task that was running, such as `kernel_task [0]`; `null` when not said. */
  readonly task: RawText | null;
  /** Kernel extensions in the backtrace. */
  readonly extensions: readonly RawText[];
}

/** A type whose texts are not branded: what readers and writers build reports from. */
export type Unbranded<T> = T extends RawText ? string
  : T extends JsonObject | string ? T
  : T extends readonly (infer Element)[] ? readonly Unbranded<Element>[]
  : T extends object ? { readonly [Key in keyof T]: Unbranded<T[Key]> }
  : T;

/** The parts that a {@linkcode CrashReport} is constructed from. */
export type ReportParts =
  & Omit<
    CrashReport,
    "crashedThread" | "decidingStack" | "stacks" | "toJSON" | "embedded" | "panic" | "unread"
  >
  & Partial<Pick<CrashReport, "embedded" | "panic" | "unread">>;

/** A report. {@linkcode CrashReport.text} is the input unchanged, so that writing it back loses nothing;
 * the other members are its parsed content. `JSON.stringify` writes it as `reportJson` has it.
 *
 * @example
 * ```ts
 * import { readReport } from "@machpause/machpause/report";
 *
 * const report = readReport(await Deno.readFile("MyApp.crash"), "MyApp.crash");
 * console.log(report.exception?.type, report.crashedThread?.frames[0].symbol);
 * ```
 */
export class CrashReport {
  /** Input format. */
  readonly format: ReportFormat;
  /** Name of the file it was read from. */
  readonly file: RawText;
  /** The whole input. `encodeReport` restores bytes that are not UTF-8. */
  readonly text: RawText;
  /** Apple's number for the kind of report, such as `309`; `null` when not said. */
  readonly bugType: RawText | null;
  /** Header fields in the report's order, including unknown ones. */
  readonly fields: readonly ReportField[];
  /** Titled parts other than threads and images, in the report's order. */
  readonly sections: readonly ReportSection[];
  /** The process. */
  readonly process: ReportProcess;
  /** Architecture of its code; `null` when not said or unknown. */
  readonly arch: ArchName | null;
  /** As written, such as `ARM-64 (Native)`; `null` when not said. */
  readonly codeType: RawText | null;
  /** The device, such as `iPhone14,2`; `null` when not said. */
  readonly model: RawText | null;
  /** As in `iPhone OS 16.1 (20B82)`; `null` when not said. */
  readonly osVersion: RawText | null;
  /** When it happened, as written; `null` when not said. */
  readonly date: RawText | null;
  /** The incident's identifier; `null` when not said. */
  readonly incident: RawText | null;
  /** `null` when the report has none. */
  readonly exception: ReportException | null;
  /** `null` when the report does not say. */
  readonly termination: ReportTermination | null;
  /** Application specific information: assertion messages, exception reasons. */
  readonly information: readonly RawText[];
  /** In the report's order. */
  readonly threads: readonly ReportThread[];
  /** Backtrace of an uncaught exception, innermost first; `null` when there is none. */
  readonly lastException: readonly ReportFrame[] | null;
  /** In the report's order. */
  readonly images: readonly ReportImage[];
  /** The JSON header; `null` when there is none. */
  readonly header: JsonObject | null;
  /** The JSON body; `null` for a text. */
  readonly body: JsonObject | null;
  /** The JSON report that follows a translated text as its "Full Report"; its text is that of this whole
   * report. `null` when there is none. */
  readonly embedded: CrashReport | null;
  /** The kernel panic that it is about; `null` for other reports. */
  readonly panic: ReportPanic | null;
  /** Damage and parts that were not understood. */
  readonly warnings: readonly RawText[];
  /** Lines of a text that were not understood, trimmed, in its order: prose, what a program printed, titles with
   * damage. Lines of JSON, of samples and of panics are not among them. */
  readonly unread: readonly RawText[];
  readonly #crashed: ReportThread | null;

  /** Creates a report from its parts.
   *
   * @ignore
   */
  constructor(unbranded: Unbranded<ReportParts>) {
    const parts = unbranded as ReportParts;
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
    this.panic = parts.panic ?? null;
    this.warnings = parts.warnings;
    this.unread = parts.unread ?? [];
    this.#crashed = this.threads.find(({ crashed }) => crashed) ?? null;
  }

  /** The thread that the report is about; `null` when not said. */
  get crashedThread(): ReportThread | null {
    return this.#crashed;
  }

  /** The form of `crash --json`: see `reportJson`, which also has those of the threads, frames and images.
   *
   * @ignore
   */
  toJSON(): unknown {
    return formOf(this);
  }

  /** The stack that shows what happened: that of an uncaught exception, else the crashed thread's, else the
   * first thread's. */
  get decidingStack(): readonly ReportFrame[] {
    if (this.lastException !== null && this.lastException.length > 0) return this.lastException;
    return (this.crashedThread ?? this.threads[0])?.frames ?? [];
  }

  /** All backtraces: the exception's, then the threads'. */
  get stacks(): readonly (readonly ReportFrame[])[] {
    const threads = this.threads.map(({ frames }) => frames);
    return this.lastException === null ? threads : [this.lastException, ...threads];
  }
}

/** Most who read reports write no JSON, which takes the explanations. */
let formOf: (report: CrashReport) => unknown = () => {
  throw new TypeError("import report_json.ts");
};

/** Says what a report's form in JSON is. */
export function onReportJson(form: (report: CrashReport) => unknown): void {
  formOf = form;
}

/** A process without any information. */
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

/** An exception without any information. */
export const noException: ReportException = {
  type: null,
  signal: null,
  codes: [],
  subtype: null,
  message: null,
  note: null,
};

/** A frame without any information. */
export const noFrame: ReportFrame = {
  index: 0,
  address: 0n,
  image: null,
  imageName: null,
  symbol: null,
  offset: null,
  file: null,
  line: null,
  column: null,
  inlined: false,
  span: null,
};

/** A thread without any information. */
export const noThread: ReportThread = {
  index: 0,
  id: null,
  name: null,
  queue: null,
  crashed: false,
  frames: [],
  registers: [],
  flavor: null,
  process: null,
  tree: [],
};

/** Whether a report is what `sample` or `spindump` counted: the names of its stacks are all that it is about. */
export function isSample({ format }: CrashReport): boolean {
  return format === "sample" || format === "spindump";
}

/** The value of the first header field with one of the names, in lower case; `null` when there is none. */
export function fieldValue(
  { fields }: Pick<CrashReport, "fields">,
  ...names: readonly string[]
): string | null {
  for (const { name, value } of fields) {
    for (const each of names) {
      // Few names have the length, and there are many fields.
      if (each.length === name.length && each === name.toLowerCase()) return value;
    }
  }
  return null;
}

/** What a report lacks that begins without a header, such as lines of a console. */
export const noHeader = {
  bugType: null,
  fields: [],
  sections: [],
  process: noProcess,
  arch: null,
  codeType: null,
  model: null,
  osVersion: null,
  date: null,
  incident: null,
  termination: null,
  lastException: null,
  images: [],
  header: null,
  body: null,
};
