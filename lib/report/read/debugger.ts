/** Lines that debuggers print when a process stops, and Swift's own backtraces. */

import { type FrameLine, noPlace, parseSource } from "./crash_lines.ts";
import type { ReportException } from "../drafts.ts";
import { noException } from "../report.ts";

/** The exception in a debugger's words: `code=1, address=0x10`, `code=EXC_I386_GPFLT`. */
export function stopOf(type: string, words: string): ReportException {
  const named = /\bcode=([A-Z]\w{3,40})/.exec(words)?.[1] ?? null;
  const code = /\bcode=(0x[0-9a-fA-F]{1,16}|\d{1,20})\b/.exec(words)?.[1];
  const address = /\b(?:address|subcode)=(0x[0-9a-fA-F]{1,16}|\d{1,20})\b/.exec(words)?.[1];
  return {
    ...noException,
    type,
    codes: code === undefined
      ? []
      : [BigInt(code), ...(address === undefined ? [] : [BigInt(address)])],
    subtype: named ?? (/^RESOURCE_TYPE_(\w{2,20})/.exec(words)?.[1] ?? null),
    message: words.startsWith("RESOURCE_TYPE_") ? words.replace(/\)? \(/, ", ") : null,
  };
}

/** A thread that a debugger stopped in. */
export interface DebuggerStop {
  readonly index: number;
  readonly name: string | null;
  readonly queue: string | null;
  /** Whether a process would have ended there: not at a breakpoint or step. */
  readonly crashed: boolean;
  readonly exception: ReportException | null;
  /** What a run-time reported to the debugger; `null` when it did not. */
  readonly message: string | null;
}

/** LLVM, lldb/source/Target/StopInfo.cpp, and what run-times tell the debugger. */
const stopReason =
  /^(?:(EXC_[A-Z_]{3,30})(?: \(?(.{1,200}?)\)?)?|signal (SIG[A-Z]{2,6})(?:: .{1,200})?|((?:Fatal error|Fatal access conflict|Precondition failed|Assertion failed|Simultaneous accesses|Swift runtime failure|abort with payload|hit program assert).{0,400})|(?:Exception: )?"(\S[^"]{0,400})"\.?|Program received signal:? {1,4}["\u201c]?((?:SIG|EXC_)[A-Z_]{2,30})["\u201d]?\.?)$/;

/** A reason for which a process stopped that would have ended it. */
export interface CrashStop {
  /** `null` where only a message tells. */
  readonly exception: ReportException | null;
  /** What a run-time reported to the debugger; `null` when it did not. */
  readonly message: string | null;
}

/** Reads a debugger's reason for a stop: `EXC_BAD_ACCESS (code=1, address=0x18)`, `signal SIGABRT`, `Fatal error: …`, or
 * the reason of an Objective-C exception in quotes; `null` for a breakpoint or a step. */
export function parseStopReason(reason: string): CrashStop | null {
  const match = stopReason.exec(reason.trim());
  if (match === null) return ofCore(reason.trim());
  const [, type, words = "", signal, message = null, quoted, received] = match;
  if (type !== undefined) return { exception: stopOf(type, words), message };
  if (quoted !== undefined) {
    return { exception: null, message: `Terminating due to uncaught exception: ${quoted}` };
  }
  const name = signal ?? received;
  if (name === undefined) return { exception: null, message };
  if (/^SIG(?:STOP|TSTP|INT|CONT|CHLD|WINCH)$/.test(name)) return null;
  const exception = name.startsWith("EXC_")
    ? { ...noException, type: name }
    : { ...noException, signal: name };
  return { exception, message };
}

/** The exception class that LLDB reads from a core file's registers: lldb/source/Plugins/Process/mach-core/ThreadMachCore.cpp;
 * Arm, DDI 0487, ESR_EL1. */
function ofCore(reason: string): CrashStop | null {
  const abort = /^ESR_EC_([DI])ABORT_EL0 \(fault address: (0x[0-9a-fA-F]{1,16})\)$/.exec(reason);
  if (abort !== null) {
    return {
      exception: { ...noException, type: "EXC_BAD_ACCESS", subtype: `at ${abort[2]}` },
      message: null,
    };
  }
  return /^ESR_EC_BRK/.test(reason)
    ? { exception: { ...noException, type: "EXC_BREAKPOINT" }, message: null }
    : null;
}

/** Reads LLDB's `* thread #1, queue = 'com.apple.main-thread', stop reason = EXC_BAD_ACCESS (code=1,
 * address=0x18)`; `null` when it is another line. */
export function parseDebuggerThread(line: string): DebuggerStop | null {
  const match = /^(?:\* )?thread #(\d{1,6})(?:: tid = \w{1,20})?(?:,|$)/.exec(line);
  if (match === null || line.length > 2000) return null;
  const reason = /, stop reason = (.{1,600})$/.exec(line)?.[1];
  const stop = reason === undefined ? null : parseStopReason(reason);
  return {
    index: Number(match[1]),
    name: /, name = '([^']{1,200})'/.exec(line)?.[1] ?? null,
    queue: /, queue = '([^']{1,200})'/.exec(line)?.[1] ?? null,
    crashed: stop !== null,
    exception: stop?.exception ?? null,
    message: stop?.message ?? null,
  };
}

/** Reads gdb's `Program received signal EXC_BAD_ACCESS, Could not access memory.`; `null` when it is another
 * line. */
export function parseReceivedSignal(line: string): ReportException | null {
  const match =
    /^(?:Program|Thread \S{1,20}(?: "[^"]{1,80}")?) received signal(?: |: {1,4})["\u201c]?(EXC_[A-Z_]{3,30}|SIG[A-Z]{2,6})["\u201d]?[,.]/
      .exec(line);
  if (match === null) return null;
  return match[1].startsWith("EXC_")
    ? { ...noException, type: match[1] }
    : { ...noException, signal: match[1] };
}

/** A frame as LLDB, gdb and Xcode print it: `#0 0x0000000101ed6266 in -[Foo bar] at Foo.m:331`, `frame #1: 0x1042
 * MyApp`-[Foo bar](self=0x1) at Foo.m:331:5`. */
const debuggerFrame =
  /^(?:\* )?(?:frame )?#(\d{1,4})[:\s]{1,4}(?:(0x[0-9a-fA-F]{1,16}) (?:in |([^`]{1,100})`)|([\w.+-]{1,100})`)(\S.{0,1000})$/;
/** One in no image: what a run-time compiled, or nothing. */
const addressFrame = /^(?:\* )?frame #(\d{1,4}): (0x[0-9a-fA-F]{1,16})$/;
/** The arguments' values after a function's name. */
const argumentValues = / ?\((?:\w{1,60}=.{0,800}|)\)$/;

/** The same before an offset, where empty parentheses are of the name. */
const givenValues = / ?\(\w{1,60}=.{0,800}\)$/;

/** The arguments' values within the name of a method: `-[Cart(self=0x1, _cmd="add:") add:]`. */
const methodValues =
  /^([-+]\[[\w$]{1,200}(?:\([\w$]{1,80}\))?)\((?:self|_cmd)=.{0,1000}\) ([\w$:]{1,300}\])/;

/** The image that a name has within: ``in UIKit`-[UIView draw]``, `___lldb_unnamed_function12$$Driver`. Names that LLDB makes
 * where there are none, with a number, are no names: LLVM, lldb/source/Symbol/Symbol.cpp. */
function imageWithin(
  symbol: string,
): { readonly image: string | null; readonly name: string | null } {
  const [, before = null, rest = symbol] = /^([\w.+ -]{1,100})`(\S.{0,1000})$/.exec(symbol) ?? [];
  // Other languages' names have more of that sign.
  const [, named = rest, behind = null] =
    /^([^$]{0,600})\$\$([A-Za-z][\w.+-]{0,80}?)(?: ?\(\))?$/.exec(rest) ?? [];
  return {
    image: before ?? behind,
    name: named === "" || /^_{2,3}lldb_unnamed_(?:function|symbol)/.test(named) ? null : named,
  };
}

/** Reads a frame line of a debugger; `null` when it is another line. */
export function parseDebuggerFrame(line: string): FrameLine | null {
  // What LLDB says of optimized code, and of calls that the compiler made jumps.
  const written = line.length > 1200
    ? ""
    : line.trim().replace(/(?: \[(?:opt|artificial)\])+$/, "");
  const match = debuggerFrame.exec(written);
  if (match === null) {
    const [, number, place] = addressFrame.exec(written) ?? [];
    return number === undefined ? null : {
      index: Number(number),
      imageName: null,
      address: BigInt(place),
      placeAt: line.length,
      ...noPlace,
    };
  }
  // LLDB's frame-format may leave the address out.
  const [, index, address = "0x0", module, alone = null, text] = match;
  const imageName = module ?? alone;
  const at = text.lastIndexOf(" at ");
  const source = at < 0 ? null : parseSource(text.slice(at + 4));
  const named = source === null ? text : text.slice(0, at);
  // gdb: `objc_msgSend () from /usr/lib/libobjc.A.dylib`.
  const from = / \(.{0,800}\) from (\S{1,300})$/.exec(named);
  const whole = from === null ? named : named.slice(0, from.index);
  const plus = / \+ (\d{1,9})$/.exec(whole);
  const bare = plus === null
    ? whole.replace(argumentValues, "")
    : whole.slice(0, plus.index).replace(givenValues, "");
  const called = bare.replace(methodValues, "$1 $2");
  // The function that was inlined stands behind the one that has it.
  const inlining = called.lastIndexOf(" [inlined] ");
  const symbol = inlining < 0 ? called : called.slice(inlining + 11);
  const inner = / \+ (\d{1,9})$/.exec(symbol);
  const { image, name } = imageWithin(inner === null ? symbol : symbol.slice(0, inner.index));
  return {
    index: Number(index),
    imageName: imageName ?? image ?? from?.[1].split("/").at(-1) ?? null,
    address: BigInt(address),
    placeAt: line.length,
    symbol: name,
    offset: plus === null && inner === null ? null : Number((inner ?? plus)![1]),
    base: null,
    image: null,
    file: source?.file ?? null,
    line: source?.line ?? null,
    column: source?.column ?? null,
    inlined: inlining >= 0,
  };
}

/** The exception in a line such as `*** Program crashed: Bad pointer dereference at 0x4 ***`, with which Swift's
 * own backtrace begins; `null` when it is another line. */
export function parseSwiftCrash(line: string): ReportException | null {
  const match = /\bProgram crashed: (\w[\w -]{2,60}?)(?: at (0x[0-9a-fA-F]{1,16}))?(?: \*\*\*)?$/
    .exec(line);
  if (match === null) return null;
  const [, what, address] = match;
  const type = swiftCrashes.get(what.toLowerCase());
  if (type === undefined) return { ...noException, message: what };
  if (type.startsWith("SIG")) return { ...noException, signal: type };
  return type === "EXC_BAD_ACCESS" && address !== undefined
    ? { ...noException, type, subtype: `KERN_INVALID_ADDRESS at ${address}` }
    : { ...noException, type };
}

/** Swift, stdlib/public/libexec/swift-backtrace and docs/Backtracing.rst. */
const swiftCrashes: ReadonlyMap<string, string> = new Map([
  ["bad pointer dereference", "EXC_BAD_ACCESS"],
  ["bus error", "SIGBUS"],
  ["system trap", "EXC_BREAKPOINT"],
  ["illegal instruction", "EXC_BAD_INSTRUCTION"],
  ["aborted", "SIGABRT"],
  ["floating point exception", "SIGFPE"],
  ["quit", "SIGQUIT"],
]);

const swiftFrame =
  /^\s{0,8}(\d{1,4})\s{1,40}((?:\[[a-z]{2,12}\]\s{1,30}){0,4})(0x[0-9a-fA-F]{1,16})(?: (\S.{0,1000}?)(?: \+ (\d{1,9}))?(?: in (\S{1,200})(?: at (\S.{0,400}))?)?)?$/;

/** A frame of code in the program's own files, where Swift's writer leaves the address out. */
const swiftPlace =
  /^\s{0,8}(\d{1,4})\s{1,40}((?:\[[a-z]{2,12}\]\s{1,30}){0,4})()(\S.{0,1000}?)(?: \+ (\d{1,9}))? in (\S{1,200}) at (\/.{0,400}:\d{1,7}(?::\d{1,7})?)$/;

/** Reads a frame of Swift's own backtrace: `1 [ra] 0x1041c3f10 level4() + 8 in crash at /src/crash.swift:8:3`;
 * `null` when it is another line. */
export function parseSwiftFrame(line: string): FrameLine | null {
  const match = line.length > 2000 ? null : swiftFrame.exec(line) ?? swiftPlace.exec(line);
  if (match === null) return null;
  const [, index, marks, address, symbol = null, offset, imageName = null, place] = match;
  const source = place === undefined ? null : parseSource(place);
  return {
    index: Number(index),
    imageName,
    address: address === "" ? 0n : BigInt(address),
    placeAt: line.length,
    symbol: symbol === "<unknown>" ? null : symbol,
    offset: offset === undefined ? null : Number(offset),
    base: null,
    image: null,
    file: source?.file ?? null,
    line: source?.line ?? null,
    column: source?.column ?? null,
    inlined: marks.includes("[inlined]"),
  };
}
