/** Reading the text that Breakpad's `minidump_stackwalk` and Crashpad's tools print: its
 * `src/processor/stackwalk_common.cc`. */

import type { ReportFrame, ReportImage, ReportRegister, ReportThread } from "../drafts.ts";
import { archOfCodeType } from "../images.ts";
import { CrashReport } from "../report.ts";
import { Lines } from "../text.ts";

/** Whether a text is Breakpad's. */
export function isBreakpad(text: string, from: number): boolean {
  const head = text.slice(from, from + (1 << 14));
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

/** Reads Breakpad's text. */
export function readBreakpad(
  file: string,
  text: string,
  from: number,
  warnings: string[],
): CrashReport {
  const lines = new Lines(text, from);
  const fields: { name: string; value: string }[] = [];
  const threads: (Omit<ReportThread, "frames" | "registers"> & {
    frames: ReportFrame[];
    registers: ReportRegister[];
  })[] = [];
  const images: ReportImage[] = [];
  let inModules = false;
  for (let at = 0; at < lines.length; at++) {
    const line = lines.line(at);
    const trimmed = line.trim();
    if (trimmed === "") continue;
    const title = /^Thread (\d{1,7})(?: \((crashed)\))?/.exec(line);
    if (title !== null) {
      threads.push({
        index: Number(title[1]),
        id: null,
        name: null,
        queue: null,
        crashed: title[2] !== undefined,
        frames: [],
        registers: [],
        flavor: null,
        process: null,
        tree: [],
      });
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
      const base = BigInt(module[1]);
      images.push({
        name,
        path: null,
        uuid: null,
        arch: null,
        base,
        size: BigInt(module[2]) - base + 1n,
        version: version === undefined || version === "???" ? null : version,
        identifier: null,
        marked: false,
      });
      continue;
    }
    const frame = thread === undefined ? null : frameLine.exec(line);
    if (frame !== null && thread !== undefined) {
      thread.frames.push(frameOf(Number(frame[1]), frame[2]));
      continue;
    }
    if (thread !== undefined && /^\s{4,}\w{2,5} = 0x/.test(line)) {
      for (const [, name, value] of trimmed.matchAll(/\b([a-z]\w{0,7}) = (0x[0-9a-fA-F]{1,16})/g)) {
        // The first frame's are those at the crash; the others are recovered.
        if (thread.frames.length === 1) {
          thread.registers.push({ name, value: BigInt(value), note: null });
          if (/^(?:pc|rip|eip)$/.test(name)) {
            thread.frames[0] = { ...thread.frames[0], address: BigInt(value) };
          }
        }
      }
      continue;
    }
    const colon = trimmed.indexOf(":");
    if (thread === undefined && colon > 0) {
      fields.push({ name: trimmed.slice(0, colon), value: trimmed.slice(colon + 1).trim() });
    }
  }
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
      type,
      signal: null,
      codes: [],
      subtype: subtype === null ? null : `${subtype}${code === null ? "" : ` at ${code}`}`,
      message: null,
      note: null,
    },
    termination: null,
    information: value("Assertion") === null ? [] : [value("Assertion")!],
    threads: threads.map((thread) => ({
      ...thread,
      frames: thread.frames.map((frame) => ({
        ...frame,
        image: frame.imageName === null ? null : byName.get(frame.imageName) ?? null,
      })),
      flavor: thread.registers.length === 0 ? null : "Thread State",
    })),
    lastException: null,
    images,
    header: null,
    body: null,
    warnings,
  });
}

function frameOf(index: number, text: string): ReportFrame {
  const blank: ReportFrame = {
    index,
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
      ...blank,
      ...at,
      imageName: place.slice(0, bang),
      symbol: plus < 0 ? named : named.slice(0, plus),
      offset: plus < 0 ? null : Number(named.slice(plus + 3)),
    };
  }
  const plus = place.lastIndexOf(" + 0x");
  if (plus > 0) return { ...blank, imageName: place.slice(0, plus) };
  return /^0x[0-9a-fA-F]{1,16}$/.test(place)
    ? { ...blank, address: BigInt(place) }
    : { ...blank, symbol: place };
}
