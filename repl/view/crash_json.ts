/** The stable form of `crash --json`. */

import { hex } from "../../lib/hex.ts";
import {
  explainReport,
  type OwnedFrame,
  type ReportFrame,
  type ReportImage,
  reportSignature,
  type ReportThread,
} from "../../lib/report/mod.ts";
import type { ReadCrash } from "./crash_show.ts";

function imageJson(image: ReportImage): Record<string, unknown> {
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

/** The frames of `bt --json`; a frame's offset without a symbol is from the image. */
function frameJson(frame: ReportFrame): Record<string, unknown> {
  const { index, address, image, imageName, symbol, offset, file, line, column, inlined } = frame;
  return {
    index,
    address: hex(address),
    image: image?.name ?? imageName,
    symbol,
    offset: symbol !== null || image === null || address < image.base
      ? offset
      : Number(address - image.base),
    file,
    line,
    column,
    inlined,
    via: null,
  };
}

function threadJson(thread: ReportThread): Record<string, unknown> {
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

function ownedJson(owned: OwnedFrame): Record<string, unknown> {
  return {
    ...frameJson(owned.frame),
    owner: owned.owner,
    library: owned.library,
    unit: owned.unit,
    by: owned.by,
  };
}

/** One report as an object: the `images` and `threads` of `bt --json`, the other contents of the report,
 * and its explanation. */
export function crashJson({ report, missing, attribution }: ReadCrash): Record<string, unknown> {
  const { exception, termination } = report;
  const { headline, happened, firstOwn, path, causes, check } = explainReport(report);
  const { verdict, library, isEvidence, deciding, involved } = attribution;
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
    exception: exception === null ? null : { ...exception, codes: exception.codes.map(hex) },
    termination: termination === null ? null : {
      ...termination,
      code: termination.code === null ? null : hex(termination.code),
    },
    information: report.information,
    explanation: {
      headline,
      happened,
      causes,
      check,
      firstOwn: firstOwn === null ? null : frameJson(firstOwn),
      path,
    },
    attribution: {
      verdict,
      library,
      isEvidence,
      deciding: deciding === null ? null : ownedJson(deciding),
      involved: involved.map(ownedJson),
    },
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
