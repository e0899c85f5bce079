/** Reports as plain objects for JSON: the stable form of `crash --json`. */

import type { ArchName } from "../arch/mod.ts";
import { hex } from "../hex.ts";
import {
  attributeReport,
  type Attribution,
  type AttributionJson,
  attributionJson,
  explainReport,
  type ExplanationJson,
  explanationJson,
} from "./explain/mod.ts";
import { frameJson, type ReportFrameJson } from "./frame_json.ts";
import { type ReportSignature, reportSignature } from "./group/signature.ts";
import {
  type CrashReport,
  onReportJson,
  type ReportException,
  type ReportField,
  type ReportFormat,
  type ReportImage,
  type ReportProcess,
  type ReportSection,
  type ReportTermination,
  type ReportThread,
} from "./report.ts";
import type { MissingReportSymbols } from "./symbolicate/mod.ts";

/** An image in {@linkcode ReportJson}. */
export interface ReportImageJson
  extends Pick<ReportImage, "name" | "path" | "uuid" | "arch" | "version" | "identifier"> {
  /** `"0x…"`. */
  readonly loadAddress: string;
  /** Not known of a report. */
  readonly slide: null;
  /** In bytes, `"0x…"`; `null` when not said. */
  readonly size: string | null;
}

/** A thread in {@linkcode ReportJson}, as a thread of a target is by its `toJSON`: what only that has is `null`. */
export interface ReportThreadJson
  extends Pick<ReportThread, "index" | "name" | "queue" | "crashed" | "process"> {
  /** `null` when not said. */
  readonly id: number | null;
  /** Innermost first. */
  readonly frames: readonly ReportFrameJson[];
  /** `"0x…"` by their names. */
  readonly registers: Readonly<Record<string, string>>;
  /** Not known of a report. */
  readonly state: null;
  /** Not known of a report. */
  readonly cpuUsage: null;
  /** Not known of a report. */
  readonly queueSerial: null;
  /** Not known of a report. */
  readonly queueKind: null;
  /** Not known of a report. */
  readonly queueTargets: readonly [];
  /** Not known of a report. */
  readonly qos: null;
  /** Why the walk ended, which a report does not say. */
  readonly stopped: null;
}

/** A report as a plain object, of which `JSON.stringify` makes text: addresses and codes are `"0x…"`, what
 * is not known is `null` and never left out, and keys are stable. Its texts are the report's: escape them
 * before they are shown. */
export interface ReportJson {
  /** Name of the file it was read from. */
  readonly file: string;
  /** Input format. */
  readonly format: ReportFormat;
  /** See {@linkcode CrashReport.bugType}. */
  readonly bugType: string | null;
  /** The process, as `toJSON` of a target has it. */
  readonly target: {
    readonly kind: "report";
    readonly pid: number | null;
    readonly name: string | null;
    readonly arch: ArchName | null;
  };
  /** The process. */
  readonly process: ReportProcess;
  /** See {@linkcode CrashReport.model}. */
  readonly model: string | null;
  /** See {@linkcode CrashReport.osVersion}. */
  readonly osVersion: string | null;
  /** When it happened, as written; `null` when not said. */
  readonly date: string | null;
  /** The incident's identifier; `null` when not said. */
  readonly incident: string | null;
  /** `null` when the report has none. */
  readonly exception: Omit<ReportException, "codes"> & { readonly codes: readonly string[] } | null;
  /** `null` when the report does not say. */
  readonly termination: Omit<ReportTermination, "code"> & { readonly code: string | null } | null;
  /** See {@linkcode CrashReport.information}. */
  readonly information: readonly string[];
  /** See {@linkcode explainReport}. */
  readonly explanation: ExplanationJson;
  /** See {@linkcode attributeReport}. */
  readonly attribution: AttributionJson;
  /** What makes two reports the same crash. */
  readonly signature: ReportSignature;
  /** Images whose symbols were looked for and not found, and how many frames they would name. */
  readonly missing: readonly {
    readonly name: string;
    readonly uuid: string | null;
    readonly frames: number;
    readonly crashedFrames: number;
  }[];
  /** Number of the thread that the report is about; `null` when not said. */
  readonly crashedThread: number | null;
  /** In the report's order. */
  readonly images: readonly ReportImageJson[];
  /** In the report's order. */
  readonly threads: readonly ReportThreadJson[];
  /** Backtrace of an uncaught exception, innermost first; `null` when there is none. */
  readonly lastException: readonly ReportFrameJson[] | null;
  /** Header fields in the report's order. */
  readonly fields: readonly ReportField[];
  /** Titled parts other than threads and images. */
  readonly sections: readonly ReportSection[];
  /** Damage and parts that were not understood. */
  readonly warnings: readonly string[];
}

/** What {@linkcode reportJson} tells besides the report. */
export interface ReportJsonOptions {
  /** As {@linkcode symbolicateReport} found it; left out, none is told. */
  readonly missing?: readonly MissingReportSymbols[];
  /** Whose crash it is; left out, {@linkcode attributeReport} is asked, by the report alone. */
  readonly attribution?: Attribution;
}

function imageJson(image: ReportImage): ReportImageJson {
  const { name, path, uuid, base, size, arch, version, identifier } = image;
  return {
    name,
    path,
    uuid,
    loadAddress: hex(base),
    slide: null,
    size: size === 0n ? null : hex(size),
    arch,
    version,
    identifier,
  };
}

function threadJson(thread: ReportThread): ReportThreadJson {
  return {
    index: thread.index,
    id: thread.id === null ? null : Number(thread.id),
    name: thread.name,
    state: null,
    cpuUsage: null,
    queue: thread.queue,
    queueSerial: null,
    queueKind: null,
    queueTargets: [],
    qos: null,
    frames: thread.frames.map(frameJson),
    stopped: null,
    crashed: thread.crashed,
    process: thread.process,
    registers: Object.fromEntries(thread.registers.map(({ name, value }) => [name, hex(value)])),
  };
}

/** A report, its explanation, its signature and whose crash it is, as one plain object for JSON: what
 * `machpause crash --json` prints. Images and threads are as a snapshot of a target has them.
 *
 * @example
 * ```ts
 * import { readReport, reportJson } from "@machpause/machpause/report";
 *
 * const report = readReport(await Deno.readFile("MyApp.ips"), "MyApp.ips");
 * console.log(JSON.stringify(reportJson(report)));
 * ```
 * @param options of a report that was symbolicated, the answer of `symbolicateReport`
 */
export function reportJson(report: CrashReport, options: ReportJsonOptions = {}): ReportJson {
  const { missing = [], attribution = attributeReport(report) } = options;
  const { exception, termination } = report;
  return {
    file: report.file,
    format: report.format,
    bugType: report.bugType,
    target: {
      kind: "report",
      pid: report.process.pid,
      name: report.process.name,
      arch: report.arch,
    },
    process: report.process,
    model: report.model,
    osVersion: report.osVersion,
    date: report.date,
    incident: report.incident,
    exception: exception === null
      ? null
      : { ...exception, codes: exception.codes.map((code) => hex(code)) },
    termination: termination === null ? null : {
      ...termination,
      code: termination.code === null ? null : hex(termination.code),
    },
    information: report.information,
    explanation: explanationJson(explainReport(report)),
    attribution: attributionJson(attribution),
    signature: reportSignature(report),
    missing: missing.map(({ image, frames, crashedFrames }) => ({
      name: image.name,
      uuid: image.uuid,
      frames,
      crashedFrames,
    })),
    crashedThread: report.crashedThread?.index ?? null,
    images: report.images.map(imageJson),
    threads: report.threads.map(threadJson),
    lastException: report.lastException?.map(frameJson) ?? null,
    fields: report.fields,
    sections: report.sections,
    warnings: report.warnings,
  };
}

onReportJson(reportJson);
