/** Reading what clients send to Backtrace (api.backtrace.io, "Submit Crash"): threads by their keys, and attributes. */

import { archOfCodeType } from "../images.ts";
import {
  arrayAt,
  bigintAt,
  isObject,
  type JsonObject,
  numberAt,
  objectAt,
  textAt,
} from "../json.ts";
import { CrashReport, noException, noHeader, noProcess } from "../report.ts";
import {
  caughtItself,
  FrameMaker,
  type FrameParts,
  imageOf,
  lineAt,
  nameOrQueue,
  objectsAt,
  registersAt,
  systemName,
  threadOf,
  uncaughtLine,
} from "./parts.ts";

/** Whether a JSON document is a report of Backtrace's: its threads have keys, and stacks of named functions. */
export function isBacktrace(value: JsonObject): boolean {
  return (textAt(value, "agent") !== null || textAt(value, "mainThread") !== null) &&
    threadsOf(value).some(([, thread]) => arrayAt(thread, "stack").length > 0);
}

/** Threads that are read. */
const MAX_THREADS = 2000;

function threadsOf(value: JsonObject): (readonly [string, JsonObject])[] {
  const listed = objectAt(value, "threads") ?? {};
  return Object.keys(listed).slice(0, MAX_THREADS).flatMap((key) => {
    const thread = listed[key];
    return isObject(thread) ? [[key, thread] as const] : [];
  });
}

/** Languages whose addresses are no places in memory. */
const managed = /^(?:csharp|c#|java|kotlin|javascript|nodejs|python|ruby|php|lua|dart)\b/i;

/** Reads a report of Backtrace's. Its frames are innermost first. */
export function readBacktrace(
  file: string,
  text: string,
  value: JsonObject,
  warnings: string[],
): CrashReport {
  const images = objectsAt(value, "modules").map((module) =>
    imageOf(
      textAt(module, "code_file") ?? textAt(module, "debug_file"),
      bigintAt(module, "start"),
      { size: bigintAt(module, "size"), uuid: uuidOf(textAt(module, "debug_identifier")) },
    )
  );
  const maker = new FrameMaker(images);
  const isManaged = managed.test(textAt(value, "lang") ?? "");
  const sources = objectAt(value, "sourceCode") ?? {};
  const listed = threadsOf(value);
  const main = textAt(value, "mainThread");
  const hasFault = listed.some(([, thread]) => thread.fault === true);
  const threads = listed.map(([key, thread], index) => {
    const stack = objectsAt(thread, "stack").slice(0, 10_000);
    return threadOf(/^\d{1,6}$/.test(key) ? Number(key) : index, {
      ...nameOrQueue(textAt(thread, "name")),
      crashed: hasFault ? thread.fault === true : key === main,
      frames: maker.stack(stack.map((frame) => partsOf(frame, sources, isManaged))),
      registers: registersAt(objectAt(stack[0] ?? {}, "registers")),
    });
  });
  const attributes = objectAt(value, "attributes") ?? {};
  const message = textAt(attributes, "error.message");
  const kind = textAt(attributes, "error.type");
  const classes = arrayAt(value, "classifiers").filter((each) => typeof each === "string");
  const type = classes.find((each) => /^EXC_[A-Z_]{3,30}$/.test(each)) ?? null;
  const signal = classes.find((each) => /^SIG[A-Z]{2,6}$/.test(each)) ?? null;
  const raised = classes.find((each) => each !== type && each !== signal && each !== kind) ?? null;
  if (kind === "Exception" || kind === "Message") warnings.push(caughtItself);
  const said = raised === null
    ? message
    : /^NS\w{1,60}Exception$/.test(raised) && kind !== "Exception"
    ? uncaughtLine(raised, message)
    : message === null
    ? raised
    : `${raised}: ${message}`;
  const arch = textAt(objectAt(value, "arch") ?? {}, "name") ?? textAt(attributes, "uname.machine");
  const seconds = numberAt(value, "timestamp");
  return new CrashReport({
    ...noHeader,
    format: "json",
    file,
    text,
    process: {
      ...noProcess,
      name: textAt(attributes, "application"),
      version: textAt(attributes, "application.version") ?? textAt(attributes, "version"),
    },
    arch: archOfCodeType(arch),
    codeType: arch,
    model: textAt(attributes, "device.model"),
    osVersion: systemName(
      textAt(attributes, "uname.sysname"),
      textAt(attributes, "uname.version"),
    ),
    date: seconds === null || seconds < 0 || seconds > MAX_SECONDS
      ? null
      : new Date(seconds * 1000).toISOString(),
    incident: textAt(value, "uuid"),
    sections: isManaged ? managedSections(listed, main, sources) : [],
    fields: kind === "Hang" ? [{ name: "Event", value: "hang" }] : [],
    exception: type === null && signal === null ? null : { ...noException, type, signal },
    information: said === null ? [] : [said],
    threads,
    images,
    warnings,
  });
}

/** The stack of managed code as a section, as others write it. */
function managedSections(
  threads: readonly (readonly [string, JsonObject])[],
  main: string | null,
  sources: JsonObject,
): { name: string; lines: string[] }[] {
  const [, thread] = threads.find(([, { fault }]) => fault === true) ??
    threads.find(([key]) => key === main) ?? [];
  const lines = objectsAt(thread ?? {}, "stack").slice(0, 64).flatMap((frame) => {
    const { symbol, file, line } = partsOf(frame, sources, true);
    if (symbol == null) return [];
    const call = symbol.includes("(") ? symbol : `${symbol} ()`;
    return [`  at ${call}${file == null || line == null ? "" : ` in ${file}:${line}`}`];
  });
  return lines.length === 0 ? [] : [{ name: "Managed Stack", lines }];
}

/** The year 3000. */
const MAX_SECONDS = 32_503_680_000;

/** An identifier of debug information without the age behind it. */
function uuidOf(text: string | null): string | null {
  return text === null ? null : /^[0-9A-Fa-f-]{32,36}/.exec(text)?.[0] ?? null;
}

function partsOf(frame: JsonObject, sources: JsonObject, isManaged: boolean): FrameParts {
  const id = textAt(frame, "sourceCode");
  const library = textAt(frame, "library");
  // Unity's client writes the source file as the library.
  const isSource = library !== null && /\.(?:cs|js|ts|java|kt|py|rb|lua)$/.test(library);
  return {
    address: isManaged ? null : bigintAt(frame, "address"),
    image: isSource ? null : library,
    symbol: textAt(frame, "funcName"),
    file: (id === null ? null : textAt(objectAt(sources, id) ?? {}, "path")) ??
      textAt(frame, "path") ?? (isSource ? library : null),
    line: lineAt(frame, "line"),
    column: lineAt(frame, "column"),
  };
}
