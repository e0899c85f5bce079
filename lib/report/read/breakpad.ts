/** Reading the text that Breakpad's `minidump_stackwalk` and Crashpad's tools print: its
 * `src/processor/stackwalk_common.cc`. */

import type { ReportFrame, ReportImage, ReportRegister, ReportThread } from "../drafts.ts";
import { archOfCodeType, baseName, normalUuid } from "../images.ts";
import { bigintAt, type JsonObject, numberAt, objectAt, textAt } from "../json.ts";
import { CrashReport, noException, noFrame, noThread } from "../report.ts";
import { Lines } from "../text.ts";
import { lineAt, objectsAt, registersAt } from "./parts.ts";

/** Whether a text is Breakpad's. */
export function isBreakpad(text: string, from: number): boolean {
  const head = text.slice(from, from + (1 << 14));
  if (isMachineReadable(head)) return true;
  // A copy may begin after the header.
  if (
    /^ {2,8}Found by: (?:given as instruction pointer|stack scanning|call frame info|previous frame)/m
      .test(head)
  ) {
    return !/^Exception Type:/m.test(head);
  }
  return head.includes("Crash reason:") && /^Crash reason:/m.test(head) &&
    /^Thread \d{1,7} ?(?:\(crashed\))?/m.test(head) &&
    !/^Exception Type:/m.test(head);
}

/** ` 0  Electron Framework!node::Abort() [node.cc : 12 + 0x5]`, ` 3  dyld + 0x1234`, ` 4  0x1234` */
const frameLine = /^ {0,3}(\d{1,5}) {1,4}(\S.{0,2000})$/;
const moduleLine = /^(0x[0-9a-fA-F]{1,16}) - (0x[0-9a-fA-F]{1,16}) {1,4}(\S.{0,300})$/;

type DraftThread = Omit<ReportThread, "frames" | "registers"> & {
  frames: ReportFrame[];
  registers: ReportRegister[];
};

function threadOf(index: number, crashed: boolean): DraftThread {
  return { ...noThread, index, crashed, frames: [], registers: [] };
}

/** What a text of Breakpad's says. */
interface Dump {
  readonly fields: { name: string; value: string }[];
  readonly threads: DraftThread[];
  readonly images: ReportImage[];
  /** Offsets of frames in images whose base is not known yet. */
  readonly offsets: Map<ReportFrame, bigint>;
}

/** Reads Breakpad's text. */
export function readBreakpad(
  file: string,
  text: string,
  from: number,
  warnings: string[],
): CrashReport {
  const dump = isMachineReadable(text.slice(from, from + (1 << 14)))
    ? readColumns(text, from)
    : readPrinted(text, from);
  return reportOf(file, text, dump, warnings);
}

function readPrinted(text: string, from: number): Dump {
  const lines = new Lines(text, from);
  const fields: { name: string; value: string }[] = [];
  const threads: DraftThread[] = [];
  const images: ReportImage[] = [];
  const offsets = new Map<ReportFrame, bigint>();
  let inModules = false;
  for (let at = 0; at < lines.length; at++) {
    const line = lines.line(at);
    const trimmed = line.trim();
    if (trimmed === "") continue;
    const title = /^Thread (\d{1,7})(?: \((crashed)\))?/.exec(line);
    if (title !== null) {
      threads.push(threadOf(Number(title[1]), title[2] !== undefined));
      continue;
    }
    if (/^Loaded modules:/.test(line)) {
      inModules = true;
      continue;
    }
    const thread = threads.at(-1);
    const module = inModules ? moduleLine.exec(trimmed) : null;
    if (module !== null) {
      const [name, version] = module[3].split(/ {2,}/);
      images.push(imageAt(name, version, BigInt(module[1]), BigInt(module[2])));
      continue;
    }
    const frame = frameLine.exec(line);
    if (frame !== null && (thread !== undefined || fields.length === 0)) {
      // A copy may begin inside of a stack.
      if (thread === undefined) threads.push(threadOf(0, false));
      threads.at(-1)!.frames.push(frameOf(Number(frame[1]), frame[2], offsets));
      continue;
    }
    if (thread !== undefined && /^\s{4,}\w{2,5} = 0x/.test(line)) {
      for (const [, name, value] of trimmed.matchAll(/\b([a-z]\w{0,7}) = (0x[0-9a-fA-F]{1,16})/g)) {
        // The first frame's are those at the crash; the others are recovered.
        if (thread.frames.length === 1) {
          thread.registers.push({ name, value: BigInt(value), note: null });
        }
        const frame = thread.frames.at(-1);
        if (/^(?:pc|rip|eip)$/.test(name) && frame !== undefined) {
          thread.frames[thread.frames.length - 1] = { ...frame, address: BigInt(value) };
        }
      }
      continue;
    }
    const colon = trimmed.indexOf(":");
    const field = fields.at(-1);
    if (thread === undefined && /^\s{6}/.test(line) && field?.name === "Operating system") {
      // Its version is on the next line.
      field.value += ` ${trimmed}`;
    } else if (thread === undefined && colon > 0) {
      fields.push({ name: trimmed.slice(0, colon), value: trimmed.slice(colon + 1).trim() });
    }
  }
  return { fields, threads, images, offsets };
}

/** Names of the columns that `minidump_stackwalk -m` prints, by the first one. */
const columns: ReadonlyMap<string, readonly string[]> = new Map([
  ["OS", ["Operating system"]],
  ["CPU", ["CPU"]],
  ["Crash", ["Crash reason", "Crash address", "Crashed Thread"]],
  ["Assertion", ["Assertion"]],
]);

/** Whether a text is that of `minidump_stackwalk -m`. */
function isMachineReadable(head: string): boolean {
  return /^Crash\|[^|\n]{1,200}\|0x[0-9a-fA-F]{1,16}\|/m.test(head) && /^\d{1,6}\|0\|/m.test(head);
}

/** Reads what `minidump_stackwalk -m` prints, `PrintProcessStateMachineReadable`: lines of columns between
 * bars. Those of frames are thread, frame, module, function, source file, line, offset. */
function readColumns(text: string, from: number): Dump {
  const lines = new Lines(text, from);
  const fields: { name: string; value: string }[] = [];
  const threads = new Map<number, DraftThread>();
  const images: ReportImage[] = [];
  const offsets = new Map<ReportFrame, bigint>();
  let crashed = -1;
  for (let at = 0; at < lines.length; at++) {
    const cells = lines.line(at).trim().split("|", 12);
    const names = columns.get(cells[0]);
    if (names !== undefined) {
      const [, first = "", ...others] = cells;
      // Name and version of the system are two columns.
      const values = cells[0] === "OS"
        ? [`${first} ${others[0] ?? ""}`.trim()]
        : [first, ...others];
      names.forEach((name, index) => {
        if ((values[index] ?? "") !== "") fields.push({ name, value: values[index] });
      });
      if (cells[0] === "Crash" && /^\d{1,6}$/.test(cells[3] ?? "")) crashed = Number(cells[3]);
      continue;
    }
    if (cells[0] === "Module" && cells.length >= 7) {
      const [, name, version, , , begin, end] = cells;
      if (!/^0x[0-9a-fA-F]{1,16}$/.test(begin) || !/^0x[0-9a-fA-F]{1,16}$/.test(end)) continue;
      images.push(imageAt(name, version, BigInt(begin), BigInt(end)));
      continue;
    }
    if (cells.length < 7 || !/^\d{1,6}$/.test(cells[0]) || !/^\d{1,6}$/.test(cells[1])) continue;
    const [number, index, module, symbol, source, line, offset] = cells;
    let thread = threads.get(Number(number));
    if (thread === undefined) {
      thread = threadOf(Number(number), Number(number) === crashed);
      threads.set(thread.index, thread);
    }
    const isHex = /^0x[0-9a-fA-F]{1,16}$/.test(offset);
    const frame: ReportFrame = {
      ...noFrame,
      index: Number(index),
      address: module === "" && isHex ? BigInt(offset) : 0n,
      imageName: module === "" ? null : module,
      symbol: symbol === "" ? null : symbol,
      // With a line the offset counts from the line's first instruction.
      offset: symbol === "" || line !== "" || !isHex ? null : Number(offset),
      file: source === "" ? null : sourcePath(source),
      line: /^\d{1,8}$/.test(line) ? Number(line) : null,
    };
    if (module !== "" && symbol === "" && isHex) offsets.set(frame, BigInt(offset));
    thread.frames.push(frame);
  }
  return { fields, threads: [...threads.values()], images, offsets };
}

/** Whether a JSON document is `minidump-stackwalk`'s. */
export function isMinidumpJson(value: JsonObject): boolean {
  return objectAt(value, "crash_info") !== null &&
    (Array.isArray(value.threads) || objectAt(value, "crashing_thread") !== null ||
      Array.isArray(value.modules));
}

/** Reads the JSON of `minidump-stackwalk`: rust-minidump, `minidump-processor/json-schema.md`. */
export function readMinidumpJson(
  file: string,
  text: string,
  value: JsonObject,
  warnings: string[],
): CrashReport {
  const info = objectAt(value, "crash_info") ?? {};
  const system = objectAt(value, "system_info") ?? {};
  const crashing = objectAt(value, "crashing_thread");
  const index = numberAt(crashing ?? {}, "threads_index") ?? numberAt(info, "crashing_thread") ??
    numberAt(value, "requesting_thread");
  const fields = [
    ["Operating system", [textAt(system, "os"), textAt(system, "os_ver")]],
    ["CPU", [textAt(system, "cpu_arch")]],
    ["Crash reason", [textAt(info, "type")]],
    ["Crash address", [textAt(info, "address")]],
    ["Crashed Thread", [index === null ? null : String(index)]],
    ["Assertion", [textAt(info, "assertion")]],
  ].flatMap(([name, parts]) => {
    const value = (parts as (string | null)[]).filter((part) => part !== null).join(" ");
    return value === "" ? [] : [{ name: name as string, value }];
  });
  const images = objectsAt(value, "modules").map((module) => {
    const base = bigintAt(module, "base_addr") ?? 0n;
    const end = bigintAt(module, "end_addr") ?? base;
    const name = textAt(module, "filename") ?? "???";
    const version = textAt(module, "version") ?? undefined;
    // A debug identifier is a UUID and an age.
    const uuid = normalUuid((textAt(module, "debug_id") ?? "").slice(0, 32));
    return { ...imageAt(baseName(name), version, base, end - 1n), uuid };
  });
  const listed = objectsAt(value, "threads").slice(0, 10_000);
  const own = crashing !== null && (index === null || index >= listed.length) ? [crashing] : [];
  const threads = [...own, ...listed].map((entry, at) => {
    const number = own.length > 0 && at === 0 ? index ?? 0 : at - own.length;
    const isCrashed = own.length > 0 ? at === 0 : number === index;
    const source = isCrashed && crashing !== null && objectsAt(entry, "frames").length === 0
      ? crashing
      : entry;
    const frames = objectsAt(source, "frames").flatMap((frame) => [
      ...objectsAt(frame, "inlines").map((inline) => ({
        ...jsonFrame(frame),
        symbol: textAt(inline, "function"),
        offset: null,
        file: pathAt(inline),
        line: lineAt(inline, "line"),
        inlined: true,
      })),
      jsonFrame(frame),
    ]);
    const [first] = objectsAt(crashing ?? source, "frames");
    return {
      ...threadOf(number, isCrashed),
      name: textAt(source, "thread_name"),
      frames: frames.map((frame, index) => ({ ...frame, index })),
      registers: isCrashed ? [...registersAt(objectAt(first ?? {}, "registers"))] : [],
    };
  });
  const mac = objectsAt(objectAt(value, "mac_crash_info") ?? {}, "records").flatMap((record) =>
    ["message", "message2"].flatMap((key) => textAt(record, key)?.trim() || [])
  );
  const report = reportOf(file, text, { fields, threads, images, offsets: new Map() }, warnings);
  const main = images[numberAt(value, "main_module") ?? 0];
  return new CrashReport({
    ...report,
    format: "json",
    process: { ...report.process, name: main?.name ?? null, pid: numberAt(value, "pid") },
    information: [...report.information, ...mac],
  });
}

/** A frame's place; its inlined ones have the same. */
function jsonFrame(frame: JsonObject): ReportFrame {
  const symbol = textAt(frame, "function");
  const offset = bigintAt(frame, "function_offset");
  return {
    ...noFrame,
    address: bigintAt(frame, "offset") ?? 0n,
    imageName: textAt(frame, "module"),
    symbol,
    offset: symbol === null || offset === null || offset >> 31n !== 0n ? null : Number(offset),
    file: pathAt(frame),
    line: lineAt(frame, "line"),
  };
}

function pathAt(object: JsonObject): string | null {
  const path = textAt(object, "file");
  return path === null ? null : sourcePath(path);
}

/** The path in `hg:hg.mozilla.org/mozilla-central:layout/generic/nsFrame.cpp:957a743c4ca2`. */
function sourcePath(source: string): string {
  return /^(?:hg|git|s3):[^:]{1,200}:([^:]{1,500}):[0-9a-f]{0,128}:?$/.exec(source)?.[1] ?? source;
}

function imageAt(
  name: string,
  version: string | undefined,
  base: bigint,
  last: bigint,
): ReportImage {
  return {
    name,
    path: null,
    uuid: null,
    arch: null,
    base,
    size: last < base ? 0n : last - base + 1n,
    version: version === undefined || version === "" || version === "???" ? null : version,
    identifier: null,
    marked: false,
  };
}

function reportOf(
  file: string,
  text: string,
  { fields, threads, images, offsets }: Dump,
  warnings: string[],
): CrashReport {
  const value = (name: string): string | null =>
    fields.find((field) => field.name === name)?.value ?? null;
  const reason = value("Crash reason");
  const [type = null, subtype = null] = reason?.split(" / ") ?? [];
  const address = value("Crash address");
  const code = address !== null && /^0x[0-9a-fA-F]{1,16}$/.test(address) ? address : null;
  const byName = new Map(images.map((image) => [image.name, image]));
  return new CrashReport({
    format: "crash",
    file,
    text,
    bugType: null,
    fields,
    sections: [],
    process: {
      name: images[0]?.name ?? null,
      pid: null,
      path: null,
      identifier: null,
      version: images[0]?.version ?? null,
      parent: null,
      role: null,
      launched: null,
    },
    arch: archOfCodeType(value("CPU")?.replace("amd64", "x86-64") ?? null),
    codeType: value("CPU"),
    model: null,
    osVersion: value("Operating system"),
    date: null,
    incident: null,
    exception: reason === null ? null : {
      ...noException,
      type,
      subtype: subtype === null ? null : `${subtype}${code === null ? "" : ` at ${code}`}`,
    },
    termination: null,
    information: value("Assertion") === null ? [] : [value("Assertion")!],
    threads: threads.map((thread) => ({
      ...thread,
      frames: thread.frames.map((frame) => {
        const image = frame.imageName === null ? null : byName.get(frame.imageName) ?? null;
        const offset = offsets.get(frame);
        const address = image === null || offset === undefined
          ? frame.address
          : image.base + offset;
        return { ...frame, address, image };
      }),
      flavor: thread.registers.length === 0 ? null : "Thread State",
    })),
    lastException: null,
    images,
    header: null,
    body: null,
    warnings,
  });
}

function frameOf(
  index: number,
  text: string,
  offsets: Map<ReportFrame, bigint>,
): ReportFrame {
  const source = / \[([^[\]]{1,300}) : (\d{1,8})(?: \+ 0x[0-9a-fA-F]{1,12})?\]$/.exec(
    text.slice(-340),
  );
  const place = source === null ? text : text.slice(0, text.length - source[0].length);
  const at = source === null ? {} : { file: source[1], line: Number(source[2]) };
  const bang = place.indexOf("!");
  if (bang > 0) {
    const named = place.slice(bang + 1);
    const plus = named.lastIndexOf(" + 0x");
    return {
      ...noFrame,
      index,
      ...at,
      imageName: place.slice(0, bang),
      symbol: plus < 0 ? named : named.slice(0, plus),
      offset: plus < 0 ? null : Number(named.slice(plus + 3)),
    };
  }
  const plus = place.lastIndexOf(" + 0x");
  if (plus > 0) {
    const frame = { ...noFrame, index, imageName: place.slice(0, plus) };
    const offset = place.slice(plus + 3);
    if (/^0x[0-9a-fA-F]{1,16}$/.test(offset)) offsets.set(frame, BigInt(offset));
    return frame;
  }
  return /^0x[0-9a-fA-F]{1,16}$/.test(place)
    ? { ...noFrame, index, address: BigInt(place) }
    : { ...noFrame, index, symbol: place };
}
