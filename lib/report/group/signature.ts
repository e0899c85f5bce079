/** What makes two reports the same crash. */

import { isSystemImage } from "../images.ts";
import { knownFrame } from "../knowledge/mod.ts";
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

/** Maximum number of frames of the program's own code in a signature. */
const OWN_FRAMES = 3;

/** Functions that raise signals and exceptions: they are at the top of many different crashes. */
const machinery =
  /^(?:__pthread_kill|pthread_kill|raise|abort|__abort|abort_message|__abort_message|__kill|kill|_?_?cxa_throw|__cxa_rethrow|objc_exception_throw|objc_exception_rethrow|objc_terminate|_objc_terminate\(\)|__exceptionPreprocess|demangling_terminate_handler.*|std::__terminate.*|std::terminate\(\)|-\[NSException raise\]|\+\[NSException .*|CPPExceptionTerminate.*|_CFThrowFormattedException|__forwarding__.*|___forwarding___|_CF_forwarding_prep_0|-\[NSObject\(NSObject\) doesNotRecognizeSelector:\]|__assert_rtn|_assertionFailure.*|_fatalErrorMessage.*|swift_.*|closure #\d+ in (?:closure #\d+ in )*_assertionFailure.*|__semwait_signal|nanosleep|mach_msg.*|__psynch.*|_sigtramp)$/;

/** Makes a report's signature: the exception; the system's function, where a known kind of crash is in it;
 * the first frames of the program's own code. Functions that raise exceptions, addresses, offsets, lines,
 * and what compilers add to names are left out.
 *
 * @param demangle makes names readable: reports have them in different forms
 */
export function reportSignature(
  report: CrashReport,
  demangle: (name: string) => string = (name) => name,
): ReportSignature {
  const { exception, termination } = report;
  const parts: string[] = [];
  if (exception?.type != null) {
    parts.push(`${exception.type}${exception.signal === null ? "" : ` ${exception.signal}`}`);
  }
  if (termination?.namespace != null && termination.namespace !== "SIGNAL") {
    parts.push(`${termination.namespace} 0x${(termination.code ?? 0n).toString(16)}`);
  }
  for (const part of frameParts(report.decidingStack, demangle)) parts.push(part);
  return { id: hash(parts.join("\n")), parts };
}

function frameParts(
  stack: readonly ReportFrame[],
  demangle: (name: string) => string,
): string[] {
  const frames = stack.filter(({ symbol, image }) =>
    image !== null && !(symbol !== null && machinery.test(symbol.slice(0, 200)))
  );
  const own = (frame: ReportFrame): boolean => !isSystemImage(frame.image!);
  const parts: string[] = [];
  const add = (part: string): void => {
    // Recursion counts once.
    if (!parts.includes(part)) parts.push(part);
  };
  const [top] = frames;
  if (top !== undefined && !own(top) && top.symbol !== null && knownFrame(top.symbol) !== null) {
    add(framePart(top, demangle));
  }
  const mine = frames.filter(own);
  const left = mine.length > 0 ? mine : frames;
  const most = parts.length + OWN_FRAMES;
  for (const frame of left) {
    if (parts.length >= most) break;
    add(framePart(frame, demangle));
  }
  return parts;
}

/** The names of a frame's image and function; without a function, its offset, which is the same within a
 * build. */
function framePart(frame: ReportFrame, demangle: (name: string) => string): string {
  const image = frame.image!;
  const path = image.path ?? image.name;
  const name = path.slice(path.lastIndexOf("/") + 1);
  if (frame.symbol !== null && frame.symbol !== "<redacted>") {
    return `${name} ${normalSymbol(demangle(frame.symbol))}`;
  }
  return `${name} 0x${BigInt.asUintN(64, frame.address - image.base).toString(16)}`;
}

/** A function's name without what compilers add to it. */
export function normalSymbol(symbol: string): string {
  return symbol.slice(0, 1000)
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
