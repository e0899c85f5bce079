/** Reading KSCrash's report, which Sentry's, Bugsnag's and others' SDKs save as well: its
 * `Sources/KSCrashRecording/include/KSCrashReportFields.h`, and what its `KSCrashReportFilterAppleFmt.m` makes
 * of it. */

import type { ReportException, ReportFrame, ReportThread } from "../drafts.ts";
import { exceptionName, signalName } from "../codes.ts";
import { archOfCodeType, baseName } from "../images.ts";
import { bigintAt, type JsonObject, numberAt, objectAt, textAt } from "../json.ts";
import { CrashReport, noException, noHeader, noProcess } from "../report.ts";
import {
  archOfCpu,
  FrameMaker,
  type FrameParts,
  imageOf,
  lineAt,
  objectsAt,
  registersAt,
  systemName,
  threadOf,
  uncaughtLine,
  withBuild,
} from "./parts.ts";

/** Whether a JSON document is a report of KSCrash. */
export function isKSCrash(value: JsonObject): boolean {
  const crash = objectAt(value, "crash");
  if (crash === null) return false;
  return objectAt(crash, "error") !== null || Array.isArray(crash.threads) ||
    objectAt(value, "report") !== null && Array.isArray(value.binary_images);
}

/** The document that a piece of KSCrash's report is a part of: its crash, a thread or the error; `null` for others. */
export function aroundKSCrash(value: JsonObject): JsonObject | null {
  const isThread = (thread: JsonObject): boolean => {
    const contents = objectAt(thread, "backtrace")?.contents;
    return Array.isArray(contents) && contents.length > 0;
  };
  if (Array.isArray(value.threads) && objectsAt(value, "threads").some(isThread)) {
    return { crash: value };
  }
  if (isThread(value)) return { crash: { threads: [value] } };
  const isError = textAt(value, "type") !== null && objectAt(value, "mach") !== null &&
    objectAt(value, "signal") !== null;
  return isError ? { crash: { error: value } } : null;
}

/** Reads KSCrash's report. */
export function readKSCrash(
  file: string,
  text: string,
  value: JsonObject,
  warnings: string[],
): CrashReport {
  const report = objectAt(value, "report") ?? {};
  // A minimal report is of the crash that writing another one met: KSCrash puts the other one into it, before version 1 it
  // was put into the other one.
  const isMinimal = textAt(report, "type") === "minimal";
  const within = objectAt(value, "recrash_report");
  const isWhole = within !== null && objectAt(within, "crash") !== null &&
    textAt(objectAt(within, "report") ?? {}, "type") !== "minimal";
  if (isMinimal && isWhole) {
    const { report: written, crash: handler, binary_images: images } = value;
    const whole = {
      binary_images: images,
      ...within,
      recrash_report: { report: written, crash: handler },
    };
    return readKSCrash(file, text, whole as JsonObject, warnings);
  }
  // Bugsnag's and Sentry's copies have members of the system elsewhere.
  const system = objectAt(value, "system") ?? objectAt(value, "system_atcrash") ?? {};
  const crash = objectAt(value, "crash") ?? {};
  const error = objectAt(crash, "error") ?? {};
  const infos: string[] = [];
  const images = objectsAt(value, "binary_images").map((image) => {
    for (const key of ["crash_info_message", "crash_info_message2"]) {
      const message = textAt(image, key);
      if (message !== null) infos.push(message.trimEnd());
    }
    return imageOf(textAt(image, "name"), bigintAt(image, "image_addr"), {
      size: bigintAt(image, "image_size"),
      uuid: textAt(image, "uuid"),
      arch: archOfCpu(numberAt(image, "cpu_type"), numberAt(image, "cpu_subtype")),
    });
  });
  const maker = new FrameMaker(images);
  const listed = objectsAt(crash, "threads");
  const alone = objectAt(crash, "crashed_thread");
  const threads = (listed.length > 0 || alone === null ? listed : [alone]).map((thread, index) =>
    readThread(thread, index, maker)
  );
  const type = textAt(error, "type");
  const raised = messageOf(error, type);
  const crashed = threads.find((thread) => thread.crashed) ?? null;
  // The stack of an exception is that of its call of objc_exception_throw.
  const isStack = crashed !== null && (type === "nsexception" || type === "cpp_exception") &&
    crashed.frames.length > 0 && !crashed.frames.some(({ symbol }) => symbol === "abort");
  const last = objectAt(crash, "last_exception_backtrace") ??
    objectAt(objectAt(error, "nsexception") ?? {}, "backtrace");
  const version = textAt(system, "CFBundleShortVersionString");
  const build = textAt(system, "CFBundleVersion");
  const parent = numberAt(system, "parent_process_id");
  const arch = archOfCpu(
    numberAt(system, "binary_cpu_type") ?? numberAt(system, "cpu_type"),
    numberAt(system, "binary_cpu_subtype") ?? numberAt(system, "cpu_subtype"),
  ) ?? textAt(system, "cpu_arch");
  const osBuild = textAt(system, "os_version");
  const os = systemName(textAt(system, "system_name"), textAt(system, "system_version"));
  const ended = textAt(error, "termination_reason");
  const memory = memoryWords(objectAt(error, "memory_termination"));
  const notes = [
    ...(raised === null ? [] : [raised]),
    ...(ended === null ? [] : [ended]),
    ...(memory === null ? [] : [memory]),
    ...(textAt(crash, "diagnosis") === null ? [] : [textAt(crash, "diagnosis")!]),
    ...infos,
  ];
  if (within !== null) {
    warnings.push("the reporter itself crashed while it wrote the report");
  }
  return new CrashReport({
    ...noHeader,
    format: "json",
    file,
    text,
    fields: isMinimal ? [{ name: "Report Type", value: "minimal" }] : [],
    sections: within === null ? [] : [handlerSection(within, maker)],
    process: {
      ...noProcess,
      name: textAt(system, "process_name") ?? textAt(report, "process_name"),
      pid: numberAt(system, "process_id"),
      path: textAt(system, "CFBundleExecutablePath"),
      identifier: textAt(system, "CFBundleIdentifier"),
      version: withBuild(version, build),
      parent: parent === null ? null : `[${parent}]`,
      launched: textAt(system, "app_start_time"),
    },
    arch: archOfCodeType(arch),
    codeType: arch,
    model: textAt(system, "machine") ?? textAt(system, "model"),
    osVersion: withBuild(os, osBuild),
    date: textAt(report, "timestamp"),
    incident: textAt(report, "id"),
    exception: readException(error, type),
    information: notes,
    threads,
    lastException: last !== null
      ? maker.stack(objectsAt(last, "contents").map(partsOf))
      : isStack
      ? crashed.frames
      : null,
    images,
    warnings,
  });
}

/** What KSCrash's text has of a crash that its handler met: KSCrashReportFilterAppleFmt.m, recrashReportString. */
function handlerSection(report: JsonObject, maker: FrameMaker): { name: string; lines: string[] } {
  const crash = objectAt(report, "crash") ?? {};
  const exception = readException(objectAt(crash, "error") ?? {}, null);
  const thread = objectAt(crash, "crashed_thread");
  const diagnosis = textAt(crash, "diagnosis");
  const lines: string[] = [];
  if (exception !== null) {
    const { type, signal, subtype } = exception;
    lines.push(
      `Exception Type:  ${type ?? signal}${type === null || signal === null ? "" : ` (${signal})`}`,
    );
    if (subtype !== null) lines.push(`Exception Codes: ${subtype}`);
  }
  if (thread !== null) {
    const { index, frames } = readThread(thread, 0, maker);
    if (numberAt(thread, "index") !== null) lines.push(`Crashed Thread:  ${index}`);
    for (const { symbol, offset, address, image, imageName } of frames.slice(0, HANDLER_FRAMES)) {
      const base = image?.base ?? 0n;
      const name = image === null ? imageName : baseName(image.path ?? image.name);
      if (symbol === null || name === null) continue;
      lines.push(
        `0   ${name}   0x${address.toString(16)} 0x${base.toString(16)} + ${
          address - base
        } (${symbol} + ${offset ?? 0})`,
      );
    }
  }
  if (diagnosis !== null) lines.push(`Recrash Diagnosis: ${diagnosis}`);
  return { name: "Handler crashed while reporting", lines };
}

/** Frames of a handler's crash that are kept. */
const HANDLER_FRAMES = 32;

function readThread(thread: JsonObject, index: number, maker: FrameMaker): ReportThread {
  const backtrace = objectAt(thread, "backtrace") ?? {};
  // Bugsnag's copy has registers at another depth.
  const registers = objectAt(thread, "registers");
  const frames: ReportFrame[] = maker.stack(objectsAt(backtrace, "contents").map(partsOf));
  return threadOf(numberAt(thread, "index") ?? index, {
    name: textAt(thread, "name"),
    queue: textAt(thread, "dispatch_queue"),
    crashed: thread.crashed === true,
    frames,
    registers: [
      ...registersAt(objectAt(registers ?? {}, "basic")),
      ...registersAt(objectAt(registers ?? {}, "exception")),
    ],
  });
}

function partsOf(frame: JsonObject): FrameParts {
  return {
    address: bigintAt(frame, "instruction_addr"),
    base: bigintAt(frame, "object_addr"),
    image: textAt(frame, "object_name"),
    symbol: textAt(frame, "symbol_name"),
    start: bigintAt(frame, "symbol_addr"),
    line: lineAt(frame, "line_of_code"),
  };
}

/** Kinds of errors that are neither an exception of the processor nor of a language. */
const ownKinds: ReadonlySet<string> = new Set([
  "deadlock",
  "hang",
  "memory_termination",
  "termination",
  "user reported",
]);

function readException(error: JsonObject, written: string | null): ReportException | null {
  // What its newer monitor of terminations has as the reason, an older one had as the type.
  const isMemory = written === "termination" &&
    /^memory_(?:limit|pressure)$/.test(textAt(error, "termination_reason") ?? "");
  const isReported = written === "user";
  const type = isMemory ? "memory_termination" : isReported ? "user reported" : written;
  // Older ones write EXC_CRASH and SIGABRT for what a program reported itself, which did not happen.
  const mach = isReported ? null : objectAt(error, "mach");
  const signal = isReported ? null : objectAt(error, "signal");
  const name = textAt(mach ?? {}, "exception_name") ??
    exceptionName(numberAt(mach ?? {}, "exception"));
  const code = bigintAt(mach ?? {}, "code");
  const codeName = textAt(mach ?? {}, "code_name") ??
    (mach === null ? textAt(signal ?? {}, "code_name") : null);
  const address = bigintAt(error, "address");
  const isAccess = name === "EXC_BAD_ACCESS" || name === null && codeName !== null;
  const signalText = textAt(signal ?? {}, "name") ?? signalName(numberAt(signal ?? {}, "signal"));
  if (name === null && signalText === null && type === null) return null;
  return {
    ...noException,
    type: name ?? (type !== null && ownKinds.has(type) ? type : null),
    signal: signalText,
    codes: name === null || code === null
      ? []
      : [code, (isAccess ? address : bigintAt(mach ?? {}, "subcode")) ?? 0n],
    subtype: codeName === null || !isAccess || address === null
      ? codeName
      : `${codeName} at 0x${address.toString(16)}`,
  };
}

/** How much memory a process used that was ended for it: bytes. */
function memoryWords(memory: JsonObject | null): string | null {
  const used = numberAt(memory ?? {}, "memory_footprint");
  const limit = numberAt(memory ?? {}, "memory_limit");
  const level = textAt(memory ?? {}, "memory_level");
  if (used === null || limit === null) return level;
  const megabytes = (bytes: number): string => `${Math.round(bytes / (1 << 20))} MB`;
  return `used ${megabytes(used)} of ${megabytes(limit)}${level === null ? "" : `, ${level}`}`;
}

/** What the error says in words. */
function messageOf(error: JsonObject, type: string | null): string | null {
  const exception = objectAt(error, "nsexception");
  const reason = textAt(error, "reason");
  if (type === "nsexception" || exception !== null) {
    const name = textAt(exception ?? {}, "name") ?? textAt(error, "exception_name");
    const why = textAt(exception ?? {}, "reason") ?? reason;
    return name === null ? why : uncaughtLine(name, why);
  }
  if (type === "cpp_exception") {
    const name = textAt(objectAt(error, "cpp_exception") ?? {}, "name");
    const typed = name === null ? "" : ` of type ${plainType(name)}`;
    return `terminating with uncaught exception${typed}${reason === null ? "" : `: ${reason}`}`;
  }
  const user = objectAt(error, "user_reported");
  if (type === "user" || user !== null) {
    const name = textAt(user ?? {}, "name");
    return name === null ? reason : `${name}${reason === null ? "" : `: ${reason}`}`;
  }
  return reason;
}

/** The name in a simple type's mangled one: `11MyException`, `N8facebook3jsi7JSErrorE`. */
function plainType(name: string): string {
  const inside = /^N(.{2,500})E$/.exec(name)?.[1] ?? name;
  const parts: string[] = [];
  for (let rest = inside; rest !== "";) {
    const digits = /^\d{1,3}/.exec(rest)?.[0];
    const end = digits === undefined ? 0 : digits.length + Number(digits);
    if (digits === undefined || end === digits.length || end > rest.length) return name;
    parts.push(rest.slice(digits.length, end));
    rest = rest.slice(end);
  }
  return parts.join("::");
}
