/** Writing `.ips`: a JSON header line and a JSON body, with the members of Apple's "Interpreting the JSON
 * format of a crash report". */

import { archs } from "../../arch/mod.ts";
import { regionInfo } from "../fault.ts";
import { type JsonValue, stringifyJson } from "../json.ts";
import {
  type CrashReport,
  fieldValue,
  type ReportFrame,
  type ReportImage,
  type ReportThread,
  type Unbranded,
} from "../report.ts";

/** An integer for JSON: a number where that is exact. */
function integer(value: bigint): number | bigint {
  return value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : value;
}

/** An object without its `null` members. */
function present(entries: Record<string, JsonValue>): Record<string, JsonValue> {
  return Object.fromEntries(Object.entries(entries).filter(([, value]) => value !== null));
}

const cpuTypes = { armv7: "ARM", arm64: "ARM-64", i386: "X86", x86_64: "X86-64" } as const;

/** Splits `1.2 (34)`. */
function versionParts(version: string | null): { short: string | null; build: string | null } {
  const open = version?.lastIndexOf(" (") ?? -1;
  if (version === null || open < 0 || !version.endsWith(")")) {
    return { short: version, build: null };
  }
  return { short: version.slice(0, open), build: version.slice(open + 2, -1) };
}

/** Writes a report's two JSON documents from its parsed content. */
export function ipsText(report: CrashReport): string {
  const { process, exception, termination } = report;
  const { short, build } = versionParts(process.version);
  const system = versionParts(report.osVersion);
  const parent = versionParts(process.parent?.replace(/\[(\d+)\]$/, "($1)") ?? null);
  const header = present({
    ...report.header,
    app_name: process.name,
    timestamp: report.date,
    app_version: short,
    build_version: build,
    bundleID: process.identifier,
    bug_type: report.bugType ?? "309",
    os_version: report.osVersion,
    incident_id: report.incident,
    name: process.name,
  });

  const images: Unbranded<ReportImage>[] = [...report.images];
  const numbers = new Map<unknown, number>(images.map((image, index) => [image, index]));
  let absolute = images.findIndex(({ base, size, uuid, name }) =>
    base === 0n && size === 0n && uuid === null && name === "???"
  );
  const frame = (frame: ReportFrame): JsonValue => {
    let index = frame.image === null ? named(frame.imageName) : numbers.get(frame.image);
    let base = frame.image?.base ?? 0n;
    if (index === undefined || frame.address < base) {
      if (absolute < 0) absolute = images.push(noImage) - 1;
      index = absolute;
      base = 0n;
    }
    return present({
      imageOffset: integer(frame.address - base),
      symbol: frame.symbol,
      symbolLocation: frame.offset,
      sourceFile: frame.file,
      sourceLine: frame.line,
      sourceColumn: frame.column,
      inline: frame.inlined ? true : null,
      imageIndex: index,
    });
  };
  // A name without an image is kept as one at address 0.
  function named(name: string | null): number | undefined {
    if (name === null) return undefined;
    const known = numbers.get(name);
    if (known !== undefined) return known;
    const index = images.push({ ...noImage, name }) - 1;
    numbers.set(name, index);
    return index;
  }
  const faulting = report.threads.findIndex(({ crashed }) => crashed);
  const threads = report.threads.map((thread, position): JsonValue =>
    present({
      // Texts may have some threads only.
      index: thread.index === position ? null : thread.index,
      triggered: thread.crashed ? true : null,
      id: thread.id === null ? null : integer(thread.id),
      name: thread.name,
      queue: thread.queue,
      threadState: thread.registers.length === 0 ? null : threadState(report, thread),
      frames: thread.frames.map(frame),
    })
  );
  const lastException = report.lastException?.map(frame) ?? null;

  const body: Record<string, JsonValue> = present({
    procRole: process.role,
    version: 2,
    modelCode: report.model,
    osVersion: report.osVersion === null
      ? null
      : present({ train: system.short, build: system.build }),
    captureTime: report.date,
    incident: report.incident,
    pid: process.pid,
    cpuType: report.arch === null ? report.codeType : cpuTypes[report.arch],
    procLaunch: process.launched,
    procName: process.name,
    procPath: process.path,
    bundleInfo: present({
      CFBundleShortVersionString: short,
      CFBundleVersion: build,
      CFBundleIdentifier: process.identifier,
    }),
    parentProc: parent.short,
    parentPid: parent.build === null ? null : Number(parent.build),
    isSimulated: exception?.note?.startsWith("SIMULATED") === true ? 1 : null,
    isCorpse: exception?.note === "EXC_CORPSE_NOTIFY" ? 1 : null,
    // LLDB and others expect an exception and the UUIDs in every report.
    exception: exception === null ? { type: "" } : present({
      codes: exception.codes.length === 0
        ? null
        : exception.codes.map((code) => `0x${code.toString(16).padStart(16, "0")}`).join(", "),
      rawCodes: exception.codes.length === 0 ? null : exception.codes.map(integer),
      type: exception.type ?? "",
      signal: exception.signal,
      subtype: exception.subtype,
      message: exception.message,
      note: exception.note,
    }),
    termination: termination === null ? null : present({
      code: termination.code === null ? null : integer(termination.code),
      namespace: termination.namespace,
      indicator: termination.reasons[0] ?? null,
      details: termination.reasons.length > 1 ? termination.reasons.slice(1) : null,
      byProc: termination.byProcess,
      byPid: termination.byPid,
    }),
    asi: report.information.length === 0 ? null : {
      [process.name ?? "???"]: report.information,
    },
    vmRegionInfo: regionInfo(report),
    ...unknown(report),
    lastExceptionBacktrace: lastException,
    faultingThread: faulting < 0 ? null : faulting,
    threads,
    usedImages: images.map((image): JsonValue => usedImage(image, report)),
  });
  const members = Object.entries(body).map(([name, value]) =>
    `  ${JSON.stringify(name)} : ${stringifyJson(value)}`
  );
  return `${stringifyJson(header)}\n{\n${members.join(",\n")}\n}\n`;
}

const noImage: Unbranded<ReportImage> = {
  name: "???",
  path: null,
  uuid: null,
  arch: null,
  base: 0n,
  size: 0n,
  version: null,
  identifier: null,
  marked: false,
};

function usedImage(image: Unbranded<ReportImage>, report: CrashReport): JsonValue {
  const { base, size, uuid, path, name, version, identifier } = image;
  const absolute = base === 0n && size === 0n && uuid === null && name === "???";
  return present({
    source: absolute ? "A" : "P",
    arch: absolute ? null : image.arch ?? report.arch,
    base: integer(base),
    size: integer(size),
    uuid: uuid?.toLowerCase() ?? "00000000-0000-0000-0000-000000000000",
    path,
    name: absolute && name === "???" ? null : name,
    CFBundleShortVersionString: version,
    CFBundleIdentifier: identifier,
  });
}

/** Fields and sections of crash text without a JSON member of their own, under their own names. */
function unknown(report: CrashReport): Record<string, JsonValue> {
  const members: Record<string, JsonValue> = Object.create(null);
  if (report.format === "ips") return members;
  const key = fieldValue(report, "crashreporter key", "crash reporter key");
  if (key !== null) members.crashReporterKey = key;
  for (const { name, value } of report.fields) {
    if (!said.test(name) && !Object.hasOwn(members, name)) members[name] = value;
  }
  for (const { name, lines } of report.sections) {
    if (name !== "Application Specific Information" && !Object.hasOwn(members, name)) {
      members[name] = lines;
    }
  }
  return members;
}

/** Fields that have JSON members with other names. */
const said =
  /^(?:Incident Identifier|Crash ?Reporter Key|Hardware Model|Process|Path|Identifier|Version|Code Type|Role|Parent Process|Date\/Time|Launch Time|OS Version|Report Version|Exception .*|Termination .*|Terminating Process|Triggered by Thread|Crashed Thread|Bug Type|VM Region Info)$/i;

/** `threadState`, with numbered registers as an array when they are complete from 0 on. */
function threadState(report: CrashReport, thread: ReportThread): JsonValue {
  const letter = report.arch === "arm64" ? "x" : report.arch === "armv7" ? "r" : null;
  const state: Record<string, JsonValue> = Object.create(null);
  const list: JsonValue[] = [];
  for (const { name, value, note } of thread.registers) {
    const entry = present({ value: integer(value), description: note });
    if (letter !== null && name === `${letter}${list.length}`) list.push(entry);
    else if (!Object.hasOwn(state, name)) state[name] = entry;
  }
  if (list.length > 0 && letter !== null) state[letter] = list;
  const flavor = report.arch === null ? null : archs[report.arch].threadState.name;
  return { ...state, ...(flavor === null ? {} : { flavor }) };
}
