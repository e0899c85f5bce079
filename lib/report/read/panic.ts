/** Reading the text of a kernel panic: of `.panic` files, of the `panicString` of JSON reports, and as people
 * paste it. XNU's `osfmk/kern/debug.c` and `osfmk/arm64/machine_routines.c` write it. */

import type { ReportFrame, ReportImage, ReportThread } from "../drafts.ts";
import { macVersion } from "../codes.ts";
import { archOfCodeType, imageFinder, normalUuid } from "../images.ts";
import type { JsonObject } from "../json.ts";
import { panics } from "../knowledge/mod.ts";
import { CrashReport } from "../report.ts";
import { Lines } from "../text.ts";

/** What every panic begins with; copies may have lost the first word, and viewers have the message on the next line. */
const beginning =
  /(?:panic ?|^|\n)\(cpu (\d{1,4}) caller (0x(?:[0-9a-fA-F]{1,16}|<\w{1,12}>))\)(?:: ?|(?=[ \t]*(?:\r?\n|$)))/;

const MAX_FRAMES = 512;

/** A kernel's backtrace that somebody pasted without its message, as a panic whose message is missing; other reports as
 * they are. */
export function withoutMessage(report: CrashReport): CrashReport {
  const frames = report.threads.length === 1 ? report.threads[0].frames : [];
  const ofKernel = ({ imageName }: ReportFrame): boolean =>
    imageName !== null && /^(?:mach_)?kernel(?:\.\w{1,20})?$/.test(imageName);
  const isPanic = report.exception === null && report.panic === null &&
    frames.some((frame) => panics.test(frame.symbol ?? "") && ofKernel(frame));
  if (!isPanic) return report;
  const extensions = new Set(
    frames.flatMap((frame) => frame.imageName === null || ofKernel(frame) ? [] : [frame.imageName]),
  );
  return new CrashReport({
    ...report,
    panic: { message: "", task: null, extensions: [...extensions] },
  });
}

/** What old kernels of iOS and PowerPC write in place of `panic(cpu …`, or before it. */
const oldBeginning =
  /^(?:kernel abort type \d|Debugger message: (?!panic\b)\S|Unresolved kernel trap ?\(cpu \d)/;

/** Lines of a panic's text after its message. */
const later =
  /^[ \t>]{0,12}(?:kernel abort type \d|Unresolved kernel trap ?\(cpu \d|Debugger message: \S|Panicked (?:task|thread)\b.{0,20}0x|Kernel (?:Extensions|loadable modules) in backtrace\b|Panicked thread:|BSD process name corresponding to current thread:|System uptime in nanoseconds: \d|last (?:loaded|started|unloaded) kext at \d|Debugger message: panic\b|Backtrace \(CPU \d{1,3}\), |(?:0xf{5}[\da-f]{11} : 0xf{5}[\da-f]{11}\b.{0,300}\n[ \t>]{0,40}){2}|(?:lr: 0xf{5}[\da-f]{11} {1,4}fp: 0xf{5}[\da-f]{11}\b.{0,300}\n[ \t>]{0,40}){2})/m;

/** Whether a text has a panic near its beginning. */
export function isPanic(text: string, from = 0): boolean {
  const head = text.slice(from, from + (1 << 14));
  const at = head.indexOf("(cpu ");
  return at >= 0 && beginning.test(head.slice(Math.max(0, at - 8), at + 60));
}

/** Whether a text is a piece of a panic's, from which the message was cut off. */
export function isPanicPiece(text: string, from: number): boolean {
  return later.test(text.slice(from, from + (1 << 14)));
}

/** Reads the text of a panic. */
export function readPanic(
  file: string,
  whole: string,
  text: string,
  documents: { readonly header: JsonObject | null; readonly body: JsonObject | null },
  from: number,
  warnings: string[],
): CrashReport {
  const panic = parsePanic(text.slice(from));
  return new CrashReport({
    format: documents.body === null ? "panic" : "ips",
    file,
    text: whole,
    bugType: null,
    fields: panic.fields,
    sections: [],
    process: {
      name: null,
      pid: null,
      path: null,
      identifier: null,
      version: null,
      parent: null,
      role: null,
      launched: null,
    },
    arch: archOfCodeType(panic.images.length > 0 && /ARM64/.test(text) ? "ARM-64" : null),
    codeType: /_PPC\b/.test(kernelOf(panic)) ? "PPC" : null,
    model: panic.model,
    osVersion: systemOf(panic),
    date: panic.date,
    incident: null,
    exception: null,
    termination: null,
    information: [panic.message],
    threads: panic.threads,
    lastException: null,
    images: panic.images,
    header: documents.header,
    body: documents.body,
    panic: { message: panic.message, task: panic.task, extensions: panic.extensions },
    warnings,
  });
}

/** The kernel's version line: `Darwin Kernel Version 8.8.0: … root:xnu-792.12.6.obj~1/RELEASE_PPC`. */
function kernelOf({ fields }: ParsedPanic): string {
  return fields.find(({ name, value }) =>
    name === "Kernel version" || value.startsWith("Darwin Kernel Version ")
  )?.value ?? "";
}

/** The system by its build and its kernel. Builds of macOS begin with the kernel's major version; those of Apple's other
 * systems do not. */
export function systemOf(panic: ParsedPanic): string | null {
  const { osVersion } = panic;
  const kernel = kernelOf(panic);
  const [, darwin, major] = /^Darwin Kernel Version ((\d{1,2})[\d.]{0,10})/.exec(kernel) ?? [];
  const mac = macVersion(Number(major));
  if (mac === null) {
    // Without the kernel's line the build tells, where it is called a Mac's.
    const major = panic.isMac
      ? /^(\d{1,2})[A-Z]\d{1,5}[a-z]?$/.exec(osVersion ?? "")?.[1]
      : undefined;
    const named = major === undefined ? null : macVersion(Number(major));
    return named === null ? osVersion : `${named} (${osVersion})`;
  }
  if (osVersion === null) {
    return /_(?:PPC|I386|X86_64)\b/.test(kernel) ? `${mac} (Darwin ${darwin})` : null;
  }
  const [, build, letter] = /^(\d{1,2})([A-Z])\d{1,5}[a-z]?$/.exec(osVersion) ?? [];
  // The builds of bridgeOS have the letter P; the chip is an A10's sibling.
  if (letter === "P" && /_ARM64_T8010\b/.test(kernel)) return `bridgeOS (${osVersion})`;
  if (build === major) return `${mac} (${osVersion})`;
  // From iOS 8 to 18 and from 26 on, whose builds have the letters to H; iPadOS has the same.
  const isMobile = /_ARM/.test(kernel) && letter <= "H" && Number(build) >= 12 &&
    Number(build) + 2 === Number(major);
  return isMobile
    ? `iOS ${Number(build) - (Number(build) < 23 ? 4 : -3)} (${osVersion})`
    : osVersion;
}

/** The parts of a panic's text. */
export interface ParsedPanic {
  readonly message: string;
  readonly task: string | null;
  readonly extensions: readonly string[];
  readonly threads: ReportThread[];
  readonly images: ReportImage[];
  readonly fields: { name: string; value: string }[];
  readonly model: string | null;
  readonly osVersion: string | null;
  /** Whether the version is said to be a Mac's. */
  readonly isMac: boolean;
  readonly date: string | null;
}

/** `0xffffff92250a31d0 : 0xffffff800786e166 mach_kernel : _panic + 0xe2` */
const intelFrame =
  /^(0x[0-9a-fA-F]{1,16}) : (0x[0-9a-fA-F]{1,16})(?:[ \t]+(\S{1,200}) : (\S{1,200})(?: \+ (0x[0-9a-fA-F]{1,16}))?)?/;
/** All of a backtrace of PowerPC: `Backtrace: 0x450C4630 0x00348ED8` */
const oldBacktrace = /^Backtrace:((?: 0x[0-9A-F]{8}){1,64})$/i;
/** A line of one that goes on over several. */
const oldAddresses = /^(?:0x[0-9A-F]{8}(?: |$)){1,16}$/i;
const MAX_OLD_FRAMES = 64;
/** What 32-bit kernels of iOS write above such lines. */
const addressesTitle = /^Panicked thread: 0x[0-9a-f]{1,16}, backtrace: 0x[0-9a-f]{1,16}$/i;
/** `lr: 0xfffffe002b6c1e4c  fp: 0xfffffe60ffb3b5c0`; people write the function behind it, `//_kdp_trap+0x20`. */
const armFrame =
  /^lr:[ \t]*(0x[0-9a-fA-F]{1,16})[ \t]+(?:- )?fp:[ \t]*0x[0-9a-fA-F]{1,16}(?:[ \t]+\/\/[ \t]*_?(\w[\w.:~]{0,200})\+(0x[0-9a-f]{1,8}))?/;
/** The same behind a message. */
const addedName = /\s{2,20}\/\/_?\w[\w.:~]{0,200}\+0x[0-9a-f]{1,8}(?=\s|$)/;
/** `com.apple.driver.AppleMuxControl(3.21.14)[UUID]@0xffffff7f89030000->0xffffff7f89043fff` */
const extension =
  /^([\w.-]{3,200})\(([^)]{0,60})\)(?:\[([0-9A-Fa-f-]{32,36})\])? ?@(0x[0-9a-fA-F]{1,16})->(0x[0-9a-fA-F]{1,16})/;
/** The same of older kernels, which tell only where it begins: `com.apple.driver.AppleAirPort(3.4.4)@0x797000` */
const beginOnly = /^([\w.-]{3,200})\(([^)]{0,60})\)@(0x[0-9a-fA-F]{1,8})$/;
const MAX_BEGINS = 64;
/** No module of those kernels is larger. */
const MAX_MODULE = 0x200000n;

/** What viewers of panics show of the thread that panicked, with the functions:
 * `03: kernelcache 0xfffffe000a4e1648 (slide 0xa740000) _kfree_size_invalid_panic + 0x30` */
const namedFrame =
  /^\d{1,3}: (\S{1,100}) (0x[0-9a-f]{1,16}) \(slide (0x[0-9a-f]{1,16})\) (\S{1,400}) \+ (0x[0-9a-f]{1,8})$/;

/** Where a message ends, at the place in the source that raised it. */
const sourceEnd = / ?@[\w./+-]{1,200}\.(?:[chmsy]|cc|cpp|hpp|mm):\d{1,6}$/;
/** Lines that a mail is wrapped to, and most of them that a message takes then. */
const MIN_WRAPPED = 55;
const MAX_WRAPPED = 100;
const MOST_WRAPPED = 5;

/** A message that was wrapped over lines of about the same length, up to its place in the source; `null` for others. */
function wrapped(lines: Lines, at: number, line: string, rest: string): string | null {
  if (line.length < MIN_WRAPPED || line.length > MAX_WRAPPED || sourceEnd.test(rest)) return null;
  let whole = rest.trimEnd();
  for (let next = at + 1; next < lines.length && next <= at + MOST_WRAPPED; next++) {
    const more = lines.line(next).trim().replace(/^> ?/, "");
    if (more === "" || more.length > MAX_WRAPPED || /^[A-Z][\w ]{2,60}:/.test(more)) return null;
    whole += ` ${more}`;
    if (sourceEnd.test(more)) return whole;
    if (more.length < MIN_WRAPPED - 15) return null;
  }
  return null;
}

interface PanicFrame {
  readonly address: bigint;
  readonly image: string | null;
  readonly symbol: string | null;
  readonly offset: number | null;
}

/** Line ends as JSON has them, before what follows a panic's message. */
const escaped =
  /\\n(?:service|Debugger message|OS version|Memory ID|Panicked|Backtrace|Kernel version|Panic app vers|(?:\\t|\s){0,8}x0: )/;

/** A message that goes on with what has lines of its own, as in a copy without line ends, and what begins these. */
const joined =
  /\(cpu \d{1,4} caller 0x[0-9a-f]{1,16}\):.{1,2000}? (?:Debugger message: panic |CR0: 0x|Backtrace \(CPU \d|Panicked task 0x|BSD process name |x0: 0x)/;
const lineBegins =
  / +(?=(?:Debugger message: |Memory ID: |OS release type: |OS version: |Mac OS version: |Kernel version: |Kernel UUID: |Kernel slide: |Kernel text base: |__HIB text base: |System model name: |System uptime in nano|Boot args: |Panicked (?:task|thread)[: ]|Backtrace \(CPU \d|Backtrace: |BSD process name |Process name corresponding |last (?:loaded|started|unloaded) kext |loaded kexts:|Kernel Extensions in backtrace:|CR0: 0x|RAX: 0x|RSP: 0x|R8: {1,2}0x|R12: 0x|RFL: 0x|Fault CR2: 0x|x\d{1,2}: {1,2}0x|lr: {1,2}0x|esr: 0x|service: |0xf{5}[\da-f]{11} : 0x|com\.[\w.-]{3,100}\([\w.]{1,40}\)\[))/g;

/** Parses the text of a panic. Takes linear time: each line is looked at once by anchored patterns. */
export function parsePanic(written: string): ParsedPanic {
  // A piece of the JSON that has the text has its line ends as escapes.
  const text = escaped.test(written.slice(0, 1 << 14))
    ? written.replaceAll("\\n", "\n").replaceAll("\\t", "\t").replaceAll("\\/", "/")
      .replaceAll('\\"', '"')
    : written;
  const lines = new Lines(
    joined.test(text.slice(0, 1 << 14)) ? text.replace(lineBegins, "\n") : text,
  );
  let message = "";
  // Without its beginning a text is read from its first line.
  let begun = !isPanic(text);
  let task: string | null = null;
  let model: string | null = null;
  let osVersion: string | null = null;
  /** The system that wrote the file, which need not be the one that panicked. */
  let writer: string | null = null;
  let isMac = false;
  let date: string | null = null;
  const extensions: string[] = [];
  const images: ReportImage[] = [];
  const fields: { name: string; value: string }[] = [];
  const frames: PanicFrame[] = [];
  /** Those that a viewer shows of the thread that panicked. */
  const named: PanicFrame[] = [];
  let isPanicked = false;
  /** Where modules begin whose end is not told. */
  const begins: { base: bigint; name: string; version: string | null }[] = [];
  let inExtensions = false;
  /** Whether the lines are those of a backtrace of addresses alone. */
  let inAddresses = false;
  let pending: ((value: string) => void) | null = null;
  for (let at = 0; at < lines.length; at++) {
    const line = lines.line(at).trim().replace(/^> ?/, "");
    if (line === "") continue;
    if (!begun) {
      const match = beginning.exec(line.slice(0, 400));
      if (match !== null) {
        let rest = line.slice(match.index + match[0].length);
        // Mail and comments break long lines.
        const next = at + 1 < lines.length ? lines.line(at + 1).trim() : "";
        const isOpen = rest.endsWith(",") ||
          (rest.includes('"') && /^[^"]*"[^"]*$/.test(rest) && /"@\//.test(next)) ||
          (/[a-z\d]$/.test(rest) && /^[a-z(]/.test(next) && !/^[\w. ]{1,60}[:=]/.test(next));
        rest = wrapped(lines, at, line, rest) ??
          (isOpen && next !== "" ? `${rest} ${lines.line(at + 1).trim()}` : rest);
        if (rest === "" && /^[A-Za-z"]/.test(next)) {
          rest = next;
          at++;
        }
        message = messageOf(rest.replace(addedName, ""));
        if (message === "" && hasMore(lines, at + 1)) message = "no message";
        begun = true;
      } else if (date === null && /^\w{3} \w{3} [ \d]\d \d\d:\d\d:\d\d \d{4}$/.test(line)) {
        date = line;
      } else {
        // What iOS writes before the text.
        const written = /^(Hardware Model|OS Version):[ \t]{1,20}(\S.{0,60})$/.exec(line);
        // Its members, of which a copy lost the braces.
        const member = /^"(build|product|date)"\s{0,4}:\s{0,4}"([^"]{1,60})",?$/.exec(line);
        if (written?.[1] === "OS Version") osVersion ??= written[2];
        else if (written !== null) model ??= written[2];
        else if (member?.[1] === "build") writer ??= member[2];
        else if (member?.[1] === "product") model ??= member[2];
        else if (member !== null) date ??= member[2];
      }
      continue;
    }
    if (message === "" && oldBeginning.test(line)) {
      message = line.replace(/^(?:Debugger message|Unresolved kernel trap ?\(cpu \d{1,3}\)): /, "")
        .slice(0, 1000);
      continue;
    }
    if (pending !== null) {
      pending(line);
      pending = null;
      continue;
    }
    if (/^Thread: \d/.test(line)) isPanicked = line.endsWith("(Panicked)");
    const viewed = isPanicked ? namedFrame.exec(line) : null;
    if (viewed !== null && named.length < MAX_FRAMES) {
      const [, image, address, slide, symbol, offset] = viewed;
      named.push({
        address: BigInt(address) + BigInt(slide),
        image,
        symbol,
        offset: Number(offset),
      });
      continue;
    }
    const intel = intelFrame.exec(line);
    const arm = intel === null ? armFrame.exec(line) : null;
    if (intel !== null || arm !== null) {
      if (frames.length < MAX_FRAMES) {
        frames.push({
          address: BigInt(intel?.[2] ?? arm![1]),
          image: intel?.[3] ?? null,
          symbol: intel?.[4] ?? arm?.[2] ?? null,
          offset: (intel?.[5] ?? arm?.[3]) === undefined ? null : Number(intel?.[5] ?? arm?.[3]),
        });
      }
      inExtensions = false;
      continue;
    }
    const isAddress = oldAddresses.test(line);
    inAddresses = line === "Backtrace:" || addressesTitle.test(line) || (inAddresses && isAddress);
    const old = inAddresses
      ? isAddress ? line : null
      : frames.length === 0
      ? oldBacktrace.exec(line)?.[1] ?? null
      : null;
    if (old !== null && frames.length < MAX_OLD_FRAMES) {
      for (const word of old.trim().split(" ").slice(0, MAX_OLD_FRAMES)) {
        frames.push({
          address: BigInt(word),
          image: null,
          symbol: null,
          offset: null,
        });
      }
      continue;
    }
    if (/^Kernel (?:Extensions|loadable modules) in backtrace\b/i.test(line)) {
      inExtensions = true;
      continue;
    }
    if (inExtensions || (frames.length > 0 && extension.test(line))) {
      const match = extension.exec(line.replace(/^dependency: /, ""));
      if (match !== null) {
        const [, name, version, uuid, start, end] = match;
        images.push({
          name,
          path: null,
          uuid: normalUuid(uuid ?? ""),
          arch: null,
          base: BigInt(start),
          size: BigInt(end) - BigInt(start) + 1n,
          version,
          identifier: name,
          marked: false,
        });
        if (!line.startsWith("dependency:")) extensions.push(name);
        continue;
      }
      // Copies may lack where extensions are.
      const bare =
        /^([A-Za-z][\w-]{0,40}(?:\.[\w-]{1,80}){2,8})(?:\([\w.]{1,30}\))?(?:@0x[0-9a-f]{1,16})?$/i
          .exec(line);
      const begin = beginOnly.exec(line.replace(/^dependency: /, ""));
      if (begin !== null && begins.length < MAX_BEGINS) {
        const [, name, version, base] = begin;
        begins.push({ base: BigInt(base), name, version });
      }
      if (bare !== null) {
        extensions.push(bare[1]);
        continue;
      }
      // Older kernels say of what an extension depends on only where it begins.
      if (line.startsWith("dependency:")) continue;
      inExtensions = false;
    }
    const colon = line.indexOf(":");
    if (colon <= 0 || colon > 60) continue;
    const name = line.slice(0, colon).trim();
    const value = line.slice(colon + 1).trim();
    // Somebody may have marked the line.
    if (/^\*{0,2}BSD process name corresponding to current thread/.test(name)) {
      task = value.replace(/\*{1,2}$/, "");
    } else if (/^\*{0,2}Process name corresponding to current thread/.test(name)) {
      task = value.replace(/ \(0x[0-9a-f]+\)$/, "");
    } else if (/^Panicked task/i.test(name)) {
      const match = /pid (\d{1,7}): (\S.{0,100})$/.exec(value.slice(-200));
      if (match !== null) task = `${match[2]} [${match[1]}]`;
    } else if (/^(?:Mac )?OS version$/i.test(name)) {
      isMac ||= name.startsWith("Mac");
      if (value === "") pending = (next) => osVersion ??= next;
      else if (value !== "Not set yet") osVersion ??= value;
    } else if (name === "Kernel version" && value === "") {
      pending = (next) => fields.push({ name, value: next });
    } else if (/^System model name$/i.test(name)) model ??= value.replace(/ \(.*$/, "");
    if (value !== "" && fields.length < 100) fields.push({ name, value });
  }
  // Of what an extension depends on the list has all, whether or not it is in the backtrace.
  for (const { base, name, version } of begins) {
    if (!extensions.includes(name)) continue;
    let end = base + MAX_MODULE;
    for (const other of begins) if (other.base > base && other.base < end) end = other.base;
    images.push({
      name,
      path: null,
      uuid: null,
      arch: null,
      base,
      size: end - base,
      version,
      identifier: name,
      marked: false,
    });
  }
  const find = imageFinder(images);
  const shown = named.length > 0 && frames.every(({ symbol }) => symbol === null) ? named : frames;
  const backtrace = shown.map((frame, index): ReportFrame => ({
    index,
    address: frame.address,
    image: find(frame.address),
    imageName: frame.image ?? find(frame.address)?.name ?? null,
    symbol: frame.symbol,
    offset: frame.offset,
    file: null,
    line: null,
    column: null,
    inlined: false,
    span: null,
  }));
  const threads: ReportThread[] = backtrace.length === 0 ? [] : [{
    index: 0,
    id: null,
    name: "kernel backtrace",
    queue: null,
    crashed: true,
    frames: backtrace,
    registers: [],
    flavor: null,
    process: null,
    tree: [],
  }];
  if (writer !== null && writer.includes(osVersion ?? "")) osVersion = writer;
  return { message, task, extensions, threads, images, fields, model, osVersion, isMac, date };
}

/** Whether a text has something from a line on. */
function hasMore(lines: Lines, from: number): boolean {
  for (let at = from; at < lines.length; at++) if (lines.line(at).trim() !== "") return true;
  return false;
}

/** The message without its quotes and the source file that follows it. */
function messageOf(line: string): string {
  const text = line.replace(/@[\w/. -]{1,300}:\d{1,6}$/, "").replace(
    /, registers:(?:\\n" "CR0:.*)?$/,
    "",
  )
    .trim();
  const quoted = text.startsWith('"')
    ? text.slice(1, text.lastIndexOf('"') > 0 ? text.lastIndexOf('"') : undefined)
    : text;
  // Some of the kernel's messages end with a line feed, which the report escapes.
  return quoted.trim().replace(/(?:\\n)+$/, "").slice(0, 1000);
}
