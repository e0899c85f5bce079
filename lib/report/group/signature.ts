/** What makes two reports the same crash. */

import { demangle as demangled } from "../../symbols/demangle/mod.ts";
import { withoutRustCode } from "../explain/names.ts";
import { imageOf, imageTitle, isSystemFrame } from "../images.ts";
import { known, knownFrame } from "../knowledge/mod.ts";
import { isNearest } from "../nearest.ts";
import type { CrashReport, ReportFrame } from "../report.ts";

/** A report's signature: the same for the same crash in another process, on another device and, where
 * frames have names, in another build.
 */
export interface ReportSignature {
  /** 16 hexadecimal digits. */
  readonly id: string;
  /** The exception, then frames, innermost first. They hold the report's text: escape them. */
  readonly parts: readonly string[];
}

/** What makes names readable where nothing else is asked for. */
export const readable = (name: string): string => demangled(name);

/** Maximum number of frames of the program's own code in a signature. */
const OWN_FRAMES = 3;

/** Whether a frame is on every stack of some kind: it raises a signal or an exception, or waits. */
function isMachinery(symbol: string): boolean {
  const role = knownFrame(symbol)?.role;
  return role === "raise" || role === "vague" || role === "wrap" ||
    known("wait", symbol) !== null ||
    /^(?:mach_msg|swift_(?:runtime|unexpected)|closure #\d+ in .{0,80}_assertionFailure)/.test(
      symbol,
    );
}

/** Makes a report's signature: the exception; the system's function, where a known kind of crash is in it;
 * the first frames of the program's own code. Functions that raise exceptions, addresses, offsets, lines,
 * and what compilers add to names are left out. A report without frames that could be compared is told from
 * others by its incident, or else by its content.
 *
 * @example
 * ```ts
 * import { readReport, reportSignature } from "@machpause/machpause/report";
 *
 * const report = readReport(await Deno.readFile("MyApp.ips"), "MyApp.ips");
 * console.log(reportSignature(report).parts.join(" ← "));
 * ```
 * @param demangle makes names readable, as reports have them in different forms; left out, `demangle` of the
 * main module does
 */
export function reportSignature(
  report: CrashReport,
  demangle: (name: string) => string = readable,
): ReportSignature {
  const { exception, termination } = report;
  const parts: string[] = [];
  if (exception?.type != null) {
    parts.push(`${exception.type}${exception.signal === null ? "" : ` ${exception.signal}`}`);
  }
  if (termination?.namespace != null && termination.namespace !== "SIGNAL") {
    parts.push(`${termination.namespace} 0x${(termination.code ?? 0n).toString(16)}`);
  }
  if (report.panic !== null) parts.push(`panic ${withoutNumbers(report.panic.message)}`);
  const frames = frameParts(report.decidingStack, demangle);
  parts.push(...frames);
  // Reports that say nothing to compare are not the same crash for that.
  if (frames.length === 0 && report.panic === null) {
    parts.push(`only ${report.incident ?? hash(report.text)}`);
  }
  return { id: hash(parts.join("\n")), parts };
}

/** A signature of a stack that no exception is known of.
 *
 * @param head what comes before the frames
 */
export function stackSignature(
  head: readonly string[],
  stack: readonly ReportFrame[],
  demangle: (name: string) => string,
): ReportSignature {
  const parts = [...head, ...frameParts(stack, demangle)];
  return { id: hash(parts.join("\n")), parts };
}

function frameParts(
  stack: readonly ReportFrame[],
  demangle: (name: string) => string,
): string[] {
  const frames = stack.filter((frame) => {
    const { symbol } = frame;
    return imageOf(frame) !== null && !(symbol !== null && isMachinery(symbol));
  });
  const own = (frame: ReportFrame): boolean => !isSystemFrame(frame);
  const parts: string[] = [];
  const add = (frame: ReportFrame): void => {
    const part = framePart(frame, demangle);
    // Recursion counts once.
    if (part !== null && !parts.includes(part)) parts.push(part);
  };
  const [top] = frames;
  if (top !== undefined && !own(top) && top.symbol !== null && knownFrame(top.symbol) !== null) {
    add(top);
  }
  const mine = frames.filter(own);
  const left = mine.length > 0 ? mine : frames;
  const most = parts.length + OWN_FRAMES;
  for (const frame of left) {
    if (parts.length >= most) break;
    add(frame);
  }
  return parts;
}

/** The names of a frame's image and function; without a function, its offset, which is the same within a
 * build; `null` when the report has neither. */
function framePart(frame: ReportFrame, demangle: (name: string) => string): string | null {
  const name = imageTitle(imageOf(frame)!);
  if (frame.symbol !== null && frame.symbol !== "<redacted>" && !isNearest(frame)) {
    return `${name} ${normalSymbol(demangle(frame.symbol))}`;
  }
  if (frame.image === null) return null;
  return `${name} 0x${BigInt.asUintN(64, frame.address - frame.image.base).toString(16)}`;
}

/** A panic's message without addresses and numbers, which differ each time. */
function withoutNumbers(message: string): string {
  return message.replace(/0x[0-9a-fA-F]+|\d+/g, "#").slice(0, 200);
}

/** A function's name without what compilers add to it. */
export function normalSymbol(symbol: string): string {
  return withoutRustCode(symbol.slice(0, 1000))
    .replace(/^(?:specialized |partial apply for |merged |@objc |generic )+/g, "")
    .replace(/closure #\d+/g, "closure")
    .replace(/(_block_invoke)(?:[._]\d+)*/g, "$1")
    .replace(/\[abi:\w+\]/g, "")
    .replace(/\.(?:llvm|cold|part|isra|constprop|resume|destroy)\b[.\d]*/g, "");
}

/** The 64-bit FNV-1a hash, as 16 digits. */
function hash(text: string): string {
  let low = 0x84222325;
  let high = 0xcbf29ce4;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    for (const byte of code < 0x100 ? [code] : [code & 0xff, code >>> 8]) {
      low = (low ^ byte) >>> 0;
      // Times 0x100000001b3.
      const product = low * 0x1b3;
      high = (Math.imul(high, 0x1b3) + Math.floor(product / 2 ** 32) + (low << 8)) >>> 0;
      low = product >>> 0;
    }
  }
  return high.toString(16).padStart(8, "0") + low.toString(16).padStart(8, "0");
}

/** The time of a report's crash, in milliseconds since 1970; `null` when not said. */
export function reportTime(report: CrashReport): number | null {
  const match =
    /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(?:\.(\d{1,3})\d*)?(?:\s*([+-]\d\d):?(\d\d)|\s*Z)?/.exec(
      report.date ?? "",
    );
  if (match === null) return null;
  const [, day, time, fraction = "0", hours, minutes] = match;
  const zone = hours === undefined ? "Z" : `${hours}:${minutes}`;
  const value = Date.parse(`${day}T${time}.${fraction.padEnd(3, "0")}${zone}`);
  return Number.isNaN(value) ? null : value;
}
