/** Reading the exceptions that Measure's SDK records, alone or as events of a session: measure-sh/measure,
 * `ios/Sources/MeasureSDK/Swift/Exception` and `docs/api/sdk`. Numbers are hexadecimal without `0x`. */

import type { ReportImage, ReportThread } from "../drafts.ts";
import { archOfCodeType } from "../images.ts";
import { isObject, type JsonObject, numberAt, objectAt, textAt } from "../json.ts";
import { CrashReport, noException, noHeader, noProcess } from "../report.ts";
import {
  caughtItself,
  FrameMaker,
  type FrameParts,
  imageOf,
  lineAt,
  objectsAt,
  systemName,
  threadOf,
  uncaughtLine,
  withBuild,
} from "./parts.ts";

/** Most events of a session that are looked at. */
const MAX_EVENTS = 10_000;

/** What Measure records: an exception, and the event around it where there is one. */
export interface Recorded {
  readonly exception: JsonObject;
  readonly event: JsonObject;
}

/** The exceptions in a JSON document; empty when it is not Measure's. */
export function recordedIn(value: JsonObject): Recorded[] {
  if (isRecorded(value)) return [{ exception: value, event: {} }];
  const events = Array.isArray(value.events) ? objectsAt(value, "events") : [value];
  return events.slice(0, MAX_EVENTS).flatMap((event) => {
    const exception = objectAt(event, "exception");
    return exception !== null && isRecorded(exception) ? [{ exception, event }] : [];
  });
}

/** Whether an object is an exception as Measure has it. */
function isRecorded(value: JsonObject): boolean {
  if (!Array.isArray(value.exceptions) || !Object.hasOwn(value, "handled")) return false;
  const [first] = value.exceptions;
  return isObject(first) && Array.isArray(first.frames);
}

/** A number as Measure writes it; `null` when it is none. */
function hexAt(object: JsonObject, key: string): bigint | null {
  const text = textAt(object, key) ?? "";
  return /^(?:0x)?[0-9a-fA-F]{1,16}$/.test(text) ? BigInt(`0x${text.replace(/^0x/, "")}`) : null;
}

/** Reads an exception. */
export function readMeasure(
  file: string,
  text: string,
  { exception: recorded, event }: Recorded,
  warnings: string[],
): CrashReport {
  const images = objectsAt(recorded, "binary_images").map(imageIn);
  const maker = new FrameMaker(images);
  // Several exceptions are one and its causes; the first ended the program.
  const [raised] = objectsAt(recorded, "exceptions");
  const parts = objectsAt(raised, "frames").map(partsOf);
  // What the program caught has the stack of the SDK that records it.
  const begin = recorded.handled === true ? parts.findIndex(({ image }) => image !== "Measure") : 0;
  const frames = maker.stack(parts.slice(Math.max(0, begin)));
  const data = objectAt(event, "attribute") ?? {};
  const type = nonEmpty(textAt(raised, "type"));
  const signal = nonEmpty(textAt(raised, "signal"));
  const message = nonEmpty(textAt(raised, "message"));
  const isMach = type === null || /^EXC_/.test(type);
  // The backtrace of an exception begins where it was made, that of a thread where it ended.
  const isOwn = !isMach && frames[0]?.imageName !== "libsystem_kernel.dylib";
  const crashed = threadOf(numberAt(raised, "thread_sequence") ?? 0, {
    name: null,
    queue: nonEmpty(textAt(data, "thread_name")),
    crashed: true,
    frames,
  });
  const others = objectsAt(recorded, "threads").slice(0, 2000).map((thread, at): ReportThread =>
    threadOf(numberAt(thread, "sequence") ?? at + 1, {
      frames: maker.stack(objectsAt(thread, "frames").map(partsOf)),
    })
  );
  if (recorded.handled === true) {
    warnings.push(caughtItself);
  }
  const arch = images[0]?.arch ?? textAt(data, "device_cpu_arch");
  const main = images.find(({ path }) => /\.app\/(?:Contents\/MacOS\/)?[^/]+$/.test(path ?? ""));
  return new CrashReport({
    ...noHeader,
    format: "json",
    file,
    text,
    process: {
      ...noProcess,
      name: main?.name ?? null,
      path: main?.path ?? null,
      identifier: textAt(data, "app_unique_id"),
      version: withBuild(textAt(data, "app_version"), textAt(data, "app_build")),
    },
    arch: archOfCodeType(arch),
    codeType: arch,
    model: textAt(data, "device_model"),
    osVersion: systemName(textAt(data, "os_name"), textAt(data, "os_version")),
    date: textAt(event, "timestamp"),
    incident: textAt(event, "id"),
    // The SDK stops at a trap to record what the program caught.
    exception: recorded.handled === true || (isMach && type === null && signal === null)
      ? null
      : { ...noException, type: isMach ? type : null, signal },
    information: recorded.handled === true
      ? [recordedError(objectAt(recorded, "error"))]
      : isMach
      ? message === null ? [] : [message]
      : [uncaughtLine(type, message)],
    threads: isOwn ? others : [crashed, ...others],
    lastException: isOwn ? frames : null,
    images,
    warnings,
  });
}

/** What the program recorded of an error that it caught. */
function recordedError(error: JsonObject | null): string {
  const said = error === null ? [] : ["domain", "code", "numcode", "message"].flatMap((key) => {
    const value = textAt(error, key);
    return value === null || value === "" ? [] : [value];
  });
  return `an error that the program caught and recorded${
    said.length === 0 ? "" : `: ${said.join(", ")}`
  }`;
}

function nonEmpty(text: string | null): string | null {
  return text === null || text.trim() === "" ? null : text;
}

function imageIn(image: JsonObject): ReportImage {
  const start = hexAt(image, "start_addr");
  const end = hexAt(image, "end_addr");
  return imageOf(textAt(image, "path") ?? textAt(image, "name"), start, {
    size: start === null || end === null || end < start ? null : end - start + 1n,
    uuid: textAt(image, "uuid"),
    arch: textAt(image, "arch"),
  });
}

function partsOf(frame: JsonObject): FrameParts {
  const name = nonEmpty(textAt(frame, "method_name"));
  const owner = nonEmpty(textAt(frame, "class_name"));
  // What is called its symbol's address is the frame's own, and its offset that in the image or in the function.
  return {
    address: hexAt(frame, "symbol_address"),
    base: hexAt(frame, "binary_address"),
    image: nonEmpty(textAt(frame, "binary_name")) ?? packageOf(frame),
    symbol: name === null || owner === null ? name : `${owner}.${name}`,
    offset: name === null ? null : numberAt(frame, "offset"),
    file: nonEmpty(textAt(frame, "file_name")),
    line: lineAt(frame, "line_num"),
    column: lineAt(frame, "col_num"),
  };
}

/** The package of a frame of Dart. */
function packageOf(frame: JsonObject): string | null {
  return /^(?:package|dart):([\w.]{1,100})/.exec(textAt(frame, "module_name") ?? "")?.[1] ?? null;
}
