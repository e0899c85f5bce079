/** Reading what Mono prints when a signal meets native code: `mono_dump_native_crash_info` in its
 * `mono/mini/mini-posix.c` and `mini-exceptions.c`. */

import type { ReportFrame, ReportThread } from "../drafts.ts";
import { baseName } from "../images.ts";
import { CrashReport, noException, noHeader } from "../report.ts";
import { Lines } from "../text.ts";

const got =
  /^\s{0,8}Got a (SIG[A-Z]{2,6}|segv|abrt|ill|bus|trap|fpe) while executing (?:native|managed) code/m;

/** Whether a text is Mono's. Older versions print frames as Apple does, which are not read here. */
export function isMono(text: string, from: number): boolean {
  const head = text.slice(from, from + (1 << 14));
  if (!got.test(head)) return false;
  // Unity's may have nothing but the managed stack.
  return /^\s{0,8}0x[0-9a-fA-F]{4,16} - \S/m.test(head) ||
    (/^\s{0,8}Managed Stacktrace:/m.test(head) &&
      !/^\s{0,8}\d{1,3}\s{1,8}\S.{0,80}\s0x/m.test(head));
}

/** `0x104c2e38c - /path/App.app/App : mono_handle_native_crash` */
const nativeFrame = /^\s{0,8}(0x[0-9a-fA-F]{4,16}) - (\S.{0,1000}?)(?: : (\S.{0,1000})?)?$/;
/** `at Foo.Bar:baz (int) <0x0002b>`, `at (wrapper managed-to-native) Foo.Bar:baz ()` */
const managedFrame = /^\s{1,12}at (\S.{0,1000})$/;

/** Functions have no such distance between their frames: `dladdr` names the nearest exported one. */
const MAX_FUNCTION = 1n << 14n;

/** Reads Mono's text. */
export function readMono(
  file: string,
  text: string,
  from: number,
  warnings: string[],
): CrashReport {
  const lines = new Lines(text, from);
  const frames: ReportFrame[] = [];
  const managed: string[] = [];
  for (let at = 0; at < lines.length; at++) {
    const line = lines.line(at).trimEnd();
    const native = nativeFrame.exec(line);
    if (native !== null) {
      const [, address, path, symbol] = native;
      frames.push({
        index: frames.length,
        address: BigInt(address),
        image: null,
        imageName: path === "Unknown" ? null : baseName(path),
        symbol: symbol === undefined || symbol.trim() === "" || symbol === "(null)" ? null : symbol,
        offset: null,
        file: null,
        line: null,
        column: null,
        inlined: false,
        span: null,
      });
      continue;
    }
    const call = managedFrame.exec(line)?.[1];
    if (call !== undefined && !call.startsWith("<unknown>") && managed.length < 64) {
      managed.push(call.replace(/ <(?:IL )?0x[0-9a-fx, ]{1,40}>$/, ""));
    }
  }
  const named = withoutNearest(frames);
  // Before the trampoline come the frames of Mono's handler; without it nothing tells where they end.
  const trampoline = trampolineOf(named);
  if (trampoline >= 0) named[trampoline] = { ...named[trampoline], symbol: "_sigtramp" };
  const thread: ReportThread = {
    index: 0,
    id: null,
    name: null,
    queue: null,
    crashed: trampoline >= 0,
    frames: named,
    registers: [],
    flavor: null,
    process: null,
    tree: [],
  };
  const word = got.exec(text.slice(from, from + (1 << 14)))![1];
  const signal = word.startsWith("SIG") ? word : `SIG${word.toUpperCase()}`;
  return new CrashReport({
    ...noHeader,
    format: "crash",
    file,
    text,
    fields: trampoline >= 0 || frames.length === 0 ? [] : [{ name: "Crashed Thread", value: "0" }],
    sections: managed.length === 0 ? [] : [{ name: MANAGED_STACK, lines: managed }],
    exception: { ...noException, signal },
    information: [`Got a ${signal} while executing native code.`],
    threads: frames.length === 0 ? [] : [thread],
    warnings,
  });
}

/** Index of the frame of the kernel's trampoline for signals; -1 when there is none. Where the system's names are hidden,
 * it is the one of its library after the frames of Mono's handler. */
function trampolineOf(frames: readonly ReportFrame[]): number {
  const named = frames.findIndex(({ symbol }) => symbol === "_sigtramp");
  if (named >= 0) return named;
  const first = frames.findIndex(({ imageName }) => imageName?.startsWith("libsystem_") === true);
  const isHidden = frames[first]?.imageName === "libsystem_platform.dylib" &&
    (frames[first].symbol ?? "<redacted>") === "<redacted>";
  return first > 0 && isHidden ? first : -1;
}

/** Drops names that stand for code too far apart to be of one function. */
function withoutNearest(frames: readonly ReportFrame[]): ReportFrame[] {
  const ranges = new Map<string, { low: bigint; high: bigint }>();
  for (const { symbol, address } of frames) {
    if (symbol === null) continue;
    const range = ranges.get(symbol);
    if (range === undefined) ranges.set(symbol, { low: address, high: address });
    else {
      if (address < range.low) range.low = address;
      if (address > range.high) range.high = address;
    }
  }
  return frames.map((frame) => {
    const range = frame.symbol === null ? undefined : ranges.get(frame.symbol);
    return range === undefined || range.high - range.low <= MAX_FUNCTION
      ? frame
      : { ...frame, symbol: null };
  });
}

/** Characters of a log in which Mono's words are looked for. */
const MAX_LOG = 1 << 16;

/** A line of a system's log: what is before its words, with the process, and these. */
const logged =
  /^\s{0,40}(?:[A-Z][a-z]{2}\s{1,2}\d{1,2}\s[\d:]{8} \S{1,60} |\d{4}-\d\d-\d\d [\d:.]{8,16} )(\S[^<>\n]{0,200}?\[\d{1,9}(?::[0-9a-f]{1,9})?\]):? {0,2}(?:<\w{1,12}>: )?(.*)$/;

/** What its assertions print; Mono, mono/eglib/glib.h: g_assert, g_assert_not_reached. */
const assertion =
  /(?:^|[\s"])(\* Assertion(?: at [^\s,]{1,200}:\d{1,6}, condition [`'][^\r\n]{1,200}?' not met|: should not be reached at [^\s,]{1,200}:\d{1,6}))/;

/** What Mono says in a log of its own end, or a library before it: these alone say more than that there was a signal. */
const telling =
  /^(?:error|critical): (?!Stacktrace|Native )|\]: unrecognized selector sent to (?:instance|class) 0x/;

/** What Mono says in a log before a report, of why it ended the process: the line before its stack trace, and that a signal met
 * native code. Empty where it says neither. */
export function saidByMono(text: string): string[] {
  const head = text.slice(0, MAX_LOG);
  // Searching for words first is faster: nearly all texts are others.
  const asserted = head.includes("* Assertion") ? assertion.exec(head)?.[1] : undefined;
  if (asserted !== undefined) return [asserted];
  if (head.includes("Unhandled managed exception: ")) {
    const said = /\bUnhandled managed exception: (\S[^\r\n]{2,300})/.exec(head)?.[1];
    if (said !== undefined) return [`Unhandled managed exception: ${said.trim()}`];
  }
  if (!head.includes(" while executing native code")) return [];
  const met = /\bGot an? (?:SIG[A-Z]{2,6}|[a-z]{3,6}) while executing native code\b/.exec(head);
  if (met === null) return [];
  const unhandled =
    /^.{0,200}?\bUnhandled (?:managed )?[Ee]xception:[ \t]{0,8}(?:\r?\n)?[ \t]{0,8}(?!\d{1,3}\s|at )(\S[^\r\n]{2,300})/m
      .exec(
        head.slice(0, met.index),
      );
  if (unhandled !== null) return [`Unhandled managed exception: ${unhandled[1].trim()}`];
  const isAbort = /SIGABRT|abrt/.test(met[0]);
  const before = new Map<string, string>();
  /** What the line before says, whoever wrote it. */
  let last = "";
  let isLogged = false;
  for (const line of head.slice(0, met.index).split("\n")) {
    const match = logged.exec(line.trimEnd());
    // Mono's lines may have lost their prefixes.
    const [, process, written] = match ?? ["", "", line];
    const entry = written.trim();
    if (entry === "") continue;
    if (/^(?:critical: )?(?:Stacktrace|Native stacktrace):$/.test(entry)) {
      const said = match === null ? last : before.get(process) ?? "";
      // What a program logged before a signal need not have to do with it.
      const isTelling = said !== "" && said.length <= 300 &&
        ((isAbort && isLogged) || telling.test(said));
      const words = said.replace(/^(?:error|critical): /, "");
      // Of its own abort() the signal says no more.
      return isTelling ? isAbort ? [words] : [words, `${met[0]}.`] : [`${met[0]}.`];
    }
    before.set(process, entry);
    last = entry;
    isLogged = match !== null;
  }
  return [`${met[0]}.`];
}

/** The section that has them. */
export const MANAGED_STACK = "Managed Stacktrace";

/** Methods of a managed stack that are kept. */
const MOST_METHODS = 64;

/** The managed methods of the thread that a signal met, innermost first, as Mono lists them before the native stack. Empty where it
 * has none, and where what it printed before is the stack of an exception. */
export function managedMethods(text: string): string[] {
  const head = text.slice(0, MAX_LOG);
  // Older versions print no more where they have no native stack.
  const native = head.includes("Native stacktrace:")
    ? /^.{0,120}\bNative stacktrace:\s*$/m.exec(head)
    : null;
  if (native === null) return [];
  const lines = head.slice(0, native.index).split("\n");
  const methods: string[] = [];
  for (let at = lines.length - 1; at >= 0; at--) {
    const line = lines[at].trimEnd();
    const words = (logged.exec(line)?.[2] ?? line).replace(/^\s{0,8}(?:critical|error):\s?/, "");
    if (words.trim() === "" || /^(?:critical|error):$/.test(words.trim())) continue;
    const call = /^\s{0,12}at (\S.{0,1000})$/.exec(words)?.[1];
    if (call === undefined) {
      // The stack of an exception has no such title.
      if (!/^\s*Stacktrace:$/.test(words)) {
        return methods.length > 0 && hasOffsets(methods) ? methods.reverse() : [];
      }
      break;
    }
    if (!call.startsWith("<unknown>")) methods.push(call);
  }
  return methods.reverse().slice(0, MOST_METHODS);
}

/** Whether methods are written as in the stack of a thread: an exception's have no offsets in native code. */
function hasOffsets(methods: readonly string[]): boolean {
  return methods.some((method) => /<(?:IL )?0x[0-9a-f]/.test(method));
}
