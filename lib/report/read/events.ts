/** Reading the events that crash services keep: Sentry's (`docs/sdk/data-model/event-payloads`, and the entries
 * of its web service) and Bugsnag's (`docs/error-reporting-api`). */

import type { ReportException, ReportImage, ReportThread } from "../drafts.ts";
import { exceptionName, signalName } from "../codes.ts";
import { archOfCodeType } from "../images.ts";
import {
  arrayAt,
  bigintAt,
  isObject,
  type JsonObject,
  type JsonValue,
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
  withBuild,
} from "./parts.ts";

/** `values` of a member, or the member itself where it is a list. */
function valuesAt(object: JsonObject, key: string): JsonObject[] {
  const inner = objectAt(object, key);
  return inner === null ? objectsAt(object, key) : objectsAt(inner, "values");
}

/** Whether a JSON document is an event of Sentry's. */
export function isSentry(value: JsonObject): boolean {
  if (arrayAt(objectAt(value, "exception") ?? {}, "values").length > 0) return true;
  if (arrayAt(objectAt(value, "threads") ?? {}, "values").length > 0) return true;
  return objectsAt(value, "entries").some((entry) =>
    /^(?:exception|threads)$/.test(textAt(entry, "type") ?? "")
  );
}

/** Reads an event of Sentry's. Its frames are outermost first. */
export function readSentry(
  file: string,
  text: string,
  event: JsonObject,
  warnings: string[],
): CrashReport {
  // The web service has the interfaces as entries.
  const members: Record<string, JsonValue> = { ...event };
  for (const entry of objectsAt(event, "entries")) {
    const type = textAt(entry, "type");
    if (type !== null && /^(?:exception|threads|debugmeta|message)$/.test(type)) {
      members[type === "debugmeta" ? "debug_meta" : type] ??= entry.data;
    }
  }
  const meta = objectAt(members, "debug_meta") ?? {};
  const images = objectsAt(meta, "images").map(sentryImage);
  const maker = new FrameMaker(images);
  const values = valuesAt(members, "exception");
  // The last one was not caught; the others led to it.
  const raised = values.at(-1) ?? null;
  const stack = raised === null ? null : objectAt(raised, "stacktrace");
  const threadId = raised === null
    ? null
    : textAt(raised, "thread_id") ?? textAt(raised, "threadId");
  const listed = valuesAt(members, "threads").slice(0, 2000);
  const threads = listed.map((thread, index): ReportThread => {
    const id = textAt(thread, "id");
    const crashed = thread.crashed === true;
    const own = objectAt(thread, "stacktrace") ??
      (stack !== null && (crashed || (id !== null && id === threadId)) ? stack : null);
    return threadOf(/^\d{1,6}$/.test(id ?? "") ? Number(id) : index, {
      ...nameOrQueue(textAt(thread, "name")),
      crashed,
      frames: maker.stack(sentryFrames(own)),
      registers: registersAt(objectAt(own ?? {}, "registers")),
    });
  });
  const mechanism = objectAt(raised ?? {}, "mechanism") ?? {};
  const exception = raised === null ? null : sentryException(raised, mechanism);
  const isNative = exception?.type != null || exception?.signal != null;
  if (stack !== null && !threads.some(({ crashed }) => crashed)) {
    threads.unshift(threadOf(0, {
      crashed: true,
      frames: maker.stack(sentryFrames(stack)),
      registers: registersAt(objectAt(stack, "registers")),
    }));
  }
  const contexts = objectAt(members, "contexts") ?? {};
  const os = objectAt(contexts, "os") ?? {};
  const device = objectAt(contexts, "device") ?? {};
  const app = objectAt(contexts, "app") ?? {};
  const arch = textAt(device, "arch") ?? images[0]?.arch ?? null;
  const version = textAt(app, "app_version");
  const build = textAt(app, "app_build");
  const main = images.find(({ path }) => /\.app\/(?:Contents\/MacOS\/)?[^/]+$/.test(path ?? ""));
  const mechanismType = textAt(mechanism, "type");
  const kind = events.get(mechanismType ?? "") ?? null;
  if (kind === null && mechanism.handled === true) {
    warnings.push(caughtItself);
  }
  const osBuild = textAt(os, "build");
  const system = systemName(textAt(os, "name"), textAt(os, "version"));
  return new CrashReport({
    ...noHeader,
    format: "json",
    file,
    text,
    process: {
      ...noProcess,
      name: textAt(app, "app_name") ?? main?.name ?? null,
      path: main?.path ?? null,
      identifier: textAt(app, "app_identifier"),
      version: withBuild(version, build),
      launched: textAt(app, "app_start_time"),
    },
    arch: archOfCodeType(arch),
    codeType: arch,
    model: textAt(device, "model"),
    osVersion: system && withBuild(system, osBuild),
    fields: kind === null ? [] : [{ name: "Event", value: kind }],
    date: textAt(members, "timestamp") ?? textAt(members, "dateCreated"),
    incident: textAt(members, "event_id") ?? textAt(members, "eventID"),
    exception,
    information: values.toReversed().flatMap((value) =>
      sentryMessage(value, isNative && value === raised, mechanismType)
    ).slice(0, 8),
    threads,
    lastException: stack !== null && !isNative && isLanguage(mechanismType)
      ? maker.stack(sentryFrames(stack))
      : null,
    images,
    warnings,
  });
}

/** Mechanisms of what is no crash, and the `Event` that reports of resources have for them. */
const events: ReadonlyMap<string, string> = new Map([
  ["AppHang", "hang"],
  ["mx_hang_diagnostic", "hang"],
  ["mx_cpu_exception", "cpu usage"],
  ["mx_disk_write_exception", "disk writes"],
]);

/** Mechanisms by which exceptions of Objective-C and C++ are reported. */
function isLanguage(mechanism: string | null): boolean {
  return mechanism === "nsexception" || mechanism === "NSException" ||
    mechanism === "cpp_exception" || mechanism === "UncaughtExceptionHandler";
}

function sentryImage(image: JsonObject): ReportImage {
  return imageOf(
    textAt(image, "code_file") ?? textAt(image, "name"),
    bigintAt(image, "image_addr"),
    {
      size: bigintAt(image, "image_size"),
      uuid: textAt(image, "debug_id") ?? textAt(image, "uuid"),
      arch: textAt(image, "arch"),
    },
  );
}

function sentryFrames(stacktrace: JsonObject | null): FrameParts[] {
  return objectsAt(stacktrace ?? {}, "frames").slice(-10_000).toReversed().map((frame) => ({
    address: bigintAt(frame, "instruction_addr") ?? bigintAt(frame, "instructionAddr"),
    base: bigintAt(frame, "image_addr"),
    image: textAt(frame, "package"),
    symbol: textAt(frame, "function"),
    start: bigintAt(frame, "symbol_addr") ?? bigintAt(frame, "symbolAddr"),
    file: textAt(frame, "filename") ?? textAt(frame, "abs_path") ?? textAt(frame, "absPath"),
    line: lineAt(frame, "lineno") ?? lineAt(frame, "lineNo"),
    column: lineAt(frame, "colno") ?? lineAt(frame, "colNo"),
  }));
}

function sentryException(raised: JsonObject, mechanism: JsonObject): ReportException | null {
  const meta = objectAt(mechanism, "meta") ?? {};
  const mach = objectAt(meta, "mach_exception");
  const signal = objectAt(meta, "signal");
  const written = textAt(raised, "type");
  const given = textAt(mach ?? {}, "name") ?? exceptionName(numberAt(mach ?? {}, "exception"));
  const type = given ?? (/^EXC_[A-Z_]{3,30}$/.test(written ?? "") ? written : null);
  const signalText = textAt(signal ?? {}, "name") ?? signalName(numberAt(signal ?? {}, "number")) ??
    (/^SIG[A-Z]{2,6}$/.test(written ?? "") ? written : null);
  const kind = textAt(mechanism, "type");
  // What the SDK found without an exception: that the system ended it, or that it did not answer.
  const own = kind !== null && /^(?:AppHang|watchdog_termination)$/.test(kind) ? kind : null;
  if (type === null && signalText === null && own === null) return null;
  // EXC_CRASH and SIGABRT are how an uncaught exception ends; the exception says more.
  const data = objectAt(mechanism, "data") ?? {};
  const address = bigintAt(data, "relevant_address") ??
    addressIn(textAt(raised, "value") ?? "");
  const code = bigintAt(mach ?? {}, "code");
  const codeName = textAt(mach ?? {}, "code_name");
  const isAccess = type === "EXC_BAD_ACCESS";
  return {
    ...noException,
    type: type ?? own,
    signal: signalText,
    codes: code === null
      ? []
      : [code, (isAccess ? address : bigintAt(mach ?? {}, "subcode")) ?? 0n],
    subtype: codeName !== null && isAccess && address !== null
      ? `${codeName} at 0x${address.toString(16)}`
      : isAccess
      ? /\b(KERN_[A-Z_]{3,30} at 0x[0-9a-fA-F]{1,16})\b/.exec(textAt(raised, "value") ?? "")?.[1] ??
        codeName
      : codeName,
  };
}

function addressIn(text: string): bigint | null {
  const found = / at (0x[0-9a-fA-F]{1,16})\b/.exec(text)?.[1];
  return found === undefined ? null : BigInt(found);
}

function sentryMessage(
  value: JsonObject,
  isNative: boolean,
  mechanism: string | null,
): string[] {
  const type = textAt(value, "type");
  const said = textAt(value, "value");
  if (isNative || type === null) return said === null || said === type ? [] : [said];
  if (isLanguage(mechanism)) {
    return mechanism === "cpp_exception"
      ? [`terminating with uncaught exception of type ${type}${said === null ? "" : `: ${said}`}`]
      : [uncaughtLine(type, said)];
  }
  return [said === null ? type : `${type}: ${said}`];
}

/** Whether a JSON document is an event of Bugsnag's. */
export function isBugsnag(value: JsonObject): boolean {
  return objectsAt(value, "exceptions").some((exception) =>
    Object.hasOwn(exception, "errorClass") || Object.hasOwn(exception, "error_class")
  );
}

/** Reads an event of Bugsnag's. Its frames are innermost first. */
export function readBugsnag(
  file: string,
  text: string,
  event: JsonObject,
  warnings: string[],
): CrashReport {
  const exceptions = objectsAt(event, "exceptions");
  const [raised = {}] = exceptions;
  const listed = objectsAt(event, "threads").slice(0, 2000);
  const stacks = [...exceptions, ...listed].map((entry) => objectsAt(entry, "stacktrace"));
  const images = bugsnagImages(stacks);
  const maker = new FrameMaker(images);
  const name = textAt(raised, "errorClass") ?? textAt(raised, "error_class");
  const message = textAt(raised, "message");
  const error = objectAt(objectAt(event, "metaData") ?? {}, "error") ?? {};
  const mach = objectAt(error, "mach") ?? {};
  const type = /^EXC_[A-Z_]{3,30}$/.test(name ?? "") ? name : textAt(mach, "exception_name");
  const signal = /^SIG[A-Z]{2,6}$/.test(name ?? "")
    ? name
    : textAt(objectAt(error, "signal") ?? {}, "name");
  const address = bigintAt(error, "address") ?? addressIn(message ?? "");
  const codeName = textAt(mach, "code_name") ??
    /\b(KERN_[A-Z_]{3,30})\b/.exec(message ?? "")?.[1] ?? null;
  // What the SDK found without an exception.
  const isHang = name === "App Hang";
  const isMemory = name === "Out Of Memory";
  const isProcessor = type !== null || signal !== null || isMemory;
  const threads = listed.map((thread, index) => {
    const id = textAt(thread, "id");
    return threadOf(/^\d{1,6}$/.test(id ?? "") ? Number(id) : index, {
      ...nameOrQueue(textAt(thread, "name")),
      crashed: thread.errorReportingThread === true,
      frames: maker.stack(objectsAt(thread, "stacktrace").map(bugsnagParts)),
    });
  });
  const stack = maker.stack(objectsAt(raised, "stacktrace").map(bugsnagParts));
  if (!threads.some(({ crashed }) => crashed) && stack.length > 0) {
    threads.unshift(threadOf(0, { crashed: true, frames: stack }));
  }
  const app = objectAt(event, "app") ?? {};
  const device = objectAt(event, "device") ?? {};
  const version = textAt(app, "version");
  const build = textAt(app, "bundleVersion");
  const osBuild = textAt(objectAt(device, "runtimeVersions") ?? {}, "osBuild");
  const os = systemName(textAt(device, "osName"), textAt(device, "osVersion"));
  const isCocoa = (textAt(raised, "type") ?? "cocoa") === "cocoa";
  const arch = textAt(app, "binaryArch");
  if (event.unhandled === false) {
    warnings.push(caughtItself);
  }
  const isUncaught = !isProcessor && !isHang && isCocoa && stack.length > 0 &&
    /^[A-Za-z_][\w.:<>]{0,200}$/.test(name ?? "") && event.unhandled !== false;
  return new CrashReport({
    ...noHeader,
    format: "json",
    file,
    text,
    process: {
      ...noProcess,
      name: textAt(objectAt(objectAt(event, "metaData") ?? {}, "app") ?? {}, "name"),
      identifier: textAt(app, "id"),
      version: withBuild(version, build),
    },
    arch: archOfCodeType(arch),
    codeType: arch,
    model: textAt(device, "modelNumber") ?? textAt(device, "model"),
    osVersion: os && withBuild(os, osBuild),
    date: textAt(device, "time"),
    fields: isHang ? [{ name: "Event", value: "hang" }] : [],
    exception: isProcessor
      ? {
        ...noException,
        type: isMemory ? "memory_termination" : type,
        signal,
        subtype: codeName === null || address === null
          ? codeName
          : `${codeName} at 0x${address.toString(16)}`,
      }
      : null,
    information: exceptions.slice(0, 8).flatMap((exception) => {
      const name = textAt(exception, "errorClass") ?? textAt(exception, "error_class");
      const said = textAt(exception, "message");
      if (name === null || (isProcessor && exception === raised)) {
        return said === null ? [] : [said];
      }
      if (isUncaught) return [uncaughtLine(name, said)];
      return [said === null ? name : `${name}: ${said}`];
    }),
    threads,
    lastException: isUncaught ? stack : null,
    images,
    warnings,
  });
}

/** The images that frames name with their load addresses. */
function bugsnagImages(stacks: readonly (readonly JsonObject[])[]): ReportImage[] {
  const images = new Map<bigint, ReportImage>();
  for (const stack of stacks) {
    for (const frame of stack) {
      const base = bigintAt(frame, "machoLoadAddress");
      const path = textAt(frame, "machoFile");
      if (base === null || path === null || images.has(base)) continue;
      images.set(base, imageOf(path, base, { uuid: textAt(frame, "machoUUID") }));
    }
  }
  return [...images.values()];
}

function bugsnagParts(frame: JsonObject): FrameParts {
  return {
    address: bigintAt(frame, "frameAddress"),
    base: bigintAt(frame, "machoLoadAddress"),
    image: textAt(frame, "machoFile"),
    symbol: textAt(frame, "method"),
    start: bigintAt(frame, "symbolAddress"),
    file: textAt(frame, "file"),
    line: lineAt(frame, "lineNumber"),
    column: lineAt(frame, "columnNumber"),
  };
}

/** The events in a payload of Bugsnag's; the document itself where it is one. */
export function eventsIn(value: JsonObject): JsonObject[] {
  const events = objectsAt(value, "events");
  const inner = objectAt(value, "event");
  return events.length > 0 ? events : inner !== null && isObject(inner) ? [inner] : [value];
}
