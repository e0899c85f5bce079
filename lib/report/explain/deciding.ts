/** The frame of a stack that decides whose a crash is. */

import { isBaseLibrary, isSystemFrame, outsideOfCache, titleOf } from "../images.ts";
import { known, knownFrame } from "../knowledge/mod.ts";
import type { CrashReport, ReportFrame } from "../report.ts";
import { lacksState, wordsOf } from "./evidence.ts";
import { begunBefore, lockOf } from "./hang.ts";
import { isLibrary } from "./own_image.ts";
import { isMonos, type OwnedFrame } from "./owner.ts";
import { isBrought, isInstalled, isOfIdentifier, isOfProcess, isSystemProgram } from "./program.ts";
import { recursion } from "./recursion.ts";
import {
  callsScript,
  endedBy,
  frameOwner,
  functionOf,
  isPart,
  isRecorderFrame,
  isThunk,
  isTrampoline,
  isWrapper,
  passesOn,
  type StackReading,
  waitsForEvents,
} from "./stack.ts";
import { type Absent, absentFrom, graphicsAside, hasLeft } from "./telling.ts";

/** A stack with the owners of its frames. */
export interface OwnedStack {
  readonly report: CrashReport;
  readonly stack: readonly ReportFrame[];
  readonly frames: readonly OwnedFrame[];
  readonly reading: StackReading;
  /** Indices of the first frame that can decide, and after the last. */
  readonly begin: number;
  readonly end: number;
}

/** Which frame decides. */
export interface Deciding {
  /** Its place; -1 when there is none. */
  readonly at: number;
  readonly deciding: OwnedFrame | null;
  /** Whether it is one of the program's own. */
  readonly isOwn: boolean;
  /** Whether it is one of a framework that is linked into the program. */
  readonly isPart: boolean;
  /** Whether it filled a full stack. */
  readonly isDeep: boolean;
  /** Whether nothing but its address shows that it is not the system's. */
  readonly isAddress: boolean;
  /** What a stack without a function of the program lacks. */
  readonly lacking: Absent | null;
}

/** How assertions say that an argument must be there. */
const refused = /\b(?:cannot|can't|can not|must not|may not|should not) be (?:nil|null)\b/i;

/** Index of the program's function that called a library whose own assertion refused what it was passed: the library did what it
 * says it does; `null` where none did. */
export function refusedArgument(
  report: CrashReport,
  frames: readonly OwnedFrame[],
): number | null {
  if (!wordsOf(report).some((text) => refused.test(text))) return null;
  const handler = frames.findIndex(({ frame }) =>
    frame.symbol?.startsWith("-[NSAssertionHandler handleFailureIn") === true
  );
  const library = frames[handler + 1]?.library;
  if (handler < 0 || library == null) return null;
  const caller = frames.findIndex((frame, at) => at > handler && frame.library !== library);
  return caller > 0 && frames[caller].owner === "program" &&
      isLibrary(frames[caller].frame, report) === false
    ? caller
    : null;
}

/** The innermost frame that is neither the system's nor a run-time's; else one of a run-time. */
export function decidingOf(owned: OwnedStack): Deciding {
  const { report, stack, frames, begin, end } = owned;
  const recursing = recursingOf(owned);
  if (recursing >= 0) {
    return { ...none, at: recursing, deciding: frames[recursing], isOwn: true, isDeep: true };
  }
  const program = programOf(owned);
  const part = partOf(owned);
  const lacking = program >= 0 ? null : absentFrom(stack);
  if (part >= 0 && (program < 0 || (part < program && failedItself(owned, part)))) {
    const deciding: OwnedFrame = { ...frames[part], owner: "program" };
    return { ...none, at: part, deciding, isOwn: program >= 0, isPart: true, lacking };
  }
  if (program >= 0) return { ...none, at: program, deciding: frames[program], isOwn: true };
  if (onlyPasses(owned)) {
    return { ...none, lacking: hasLeft(report, stack) ? "thrower" : "passed" };
  }
  // Without any other code of the program the run-time's own library decides, or the image that the run-time's
  // function was compiled into.
  const ofRuntime = runtimeOf(owned, lacking);
  const ofProcess = ofRuntime >= 0
    ? ofRuntime
    : frames.findIndex(({ owner, frame }, index) =>
      index >= begin && index < end && owner === "system" && isOfProcess(frame, report)
    );
  const at = ofProcess < 0 && lacking === "images" ? outsideOfCache(report, stack) : ofProcess;
  const found = frames[at] ?? null;
  const isPrograms = found !== null &&
    ((frameOwner(found.frame, null) === "program" && !isSystemProgram(report)) ||
      isOfIdentifier(found.frame, report) ||
      (found.owner === "system" && (isInstalled(report) || isBrought(found.frame, report))));
  const deciding: OwnedFrame | null = isPrograms ? { ...found, owner: "program" } : found;
  return { ...none, at, deciding, isAddress: lacking === "images" && at >= 0, lacking };
}

/** That no frame decides. */
export const none: Deciding = {
  at: -1,
  deciding: null,
  isOwn: false,
  isPart: false,
  isDeep: false,
  isAddress: false,
  lacking: null,
};

/** Whether a frame is the program's, and may decide by its place. */
function isOwnFrame({ begin, end, frames }: OwnedStack, index: number): boolean {
  const { owner } = frames[index];
  return index >= begin && index < end && (owner === "mine" || owner === "program");
}

/** Index of the innermost frame of the program that does more than to pass something on, as far as the frames fit; -1 when
 * there is none. */
function innermostOwn(
  owned: OwnedStack,
  fits: (frame: ReportFrame) => boolean = () => true,
): number {
  const { report, stack, frames, reading } = owned;
  const isScripts = !lacksState(report, stack[reading.first]);
  return frames.findIndex(({ owner, frame }, index) =>
    isOwnFrame(owned, index) && !isBesideManaged(frames, index) &&
    (owner === "mine" || (!passesOn(stack, reading.first, index) && !isThunk(stack, index) &&
      !(isScripts && callsScript(stack, reading.first, index)))) &&
    fits(frame)
  );
}

/** Functions of the class library of .NET, as Mono's compiler names them in a program. */
const classLibrary = /^(?:mscorlib_|System_|Mono_[A-Z]|wrapper_)/;

/** Whether a frame is nameless code that called the class library in a program whose managed methods have names: one of those
 * that have it decides, as the nameless one may be the class library's, too. */
function isBesideManaged(frames: readonly OwnedFrame[], at: number): boolean {
  const { library } = frames[at];
  const isNameless = ({ frame }: OwnedFrame): boolean => functionOf(frame, null) === null;
  if (library === null || !isNameless(frames[at])) return false;
  let inner = at;
  let outer = at;
  while (frames[inner]?.library === library && isNameless(frames[inner])) inner--;
  while (frames[outer]?.library === library && isNameless(frames[outer])) outer++;
  return frames[inner]?.library === library && frames[outer]?.library === library &&
    classLibrary.test(frames[inner].frame.symbol ?? "");
}

/** Index of the program's frame that filled a full stack: what hit its end is not what filled it. */
function recursingOf(owned: OwnedStack): number {
  const { report, stack } = owned;
  const deep = stack === report.crashedThread?.frames ? recursion(report) : null;
  return deep?.full === true ? innermostOwn(owned, deep.repeats) : -1;
}

/** Index of the program's frame that decides. */
function programOf(owned: OwnedStack): number {
  const { report, stack, reading } = owned;
  // What ran a run loop within a function that then began again did more than to pass on what the loop called.
  if (begunBefore(stack) !== null) return stack.findIndex((_, index) => isOwnFrame(owned, index));
  // On a thread without a context of OpenGL its caller decides, not the library that passes the call on.
  const caller = graphicsAside(report, stack, reading.first) === null
    ? -1
    : innermostOwn(owned, (frame) => isLibrary(frame, report) === false);
  return caller < 0 ? innermostOwn(owned) : caller;
}

/** Index of the innermost frame of a framework that is linked into the program. */
function partOf({ report, stack, frames, begin, end }: OwnedStack): number {
  return frames.findIndex(({ owner, frame }, index) => {
    if (index < begin || index >= end || owner !== "runtime" || isSystemFrame(frame)) return false;
    if (waitsForEvents(stack, begin, index)) return false;
    if (isWithin(frames, begin, index)) return false;
    const symbol = functionOf(frame, stack[index - 1] ?? null);
    return isPart(symbol) ||
      // Mono's functions of C that have no row.
      (symbol !== null && knownFrame(symbol) === null &&
        /^(?!log_|mscorlib_|p_\d|wrapper_)(?:[a-z]|GC_|_wapi_)/.test(symbol) &&
        known("library", titleOf(frame)) === null && isMonos(frame, report)) ||
      // What calls such a library does it for itself, not for another one that it stands in for.
      (isWrapper(symbol) && isBaseLibrary(frames[index - 1]?.library ?? "libobjc."));
  });
}

/** Whether a frame is of a run-time's library of which other functions are further in. */
function isWithin(frames: readonly OwnedFrame[], begin: number, index: number): boolean {
  const { library } = frames[index];
  return library !== null && known("library", library) !== null &&
    frames.slice(begin, index).some(({ library: other, frame }) =>
      other === library && !isPart(functionOf(frame, null))
    );
}

/** Functions by which managed code calls native code, and Xamarin's for the system's classes. */
const bindings =
  /^(?:wrapper_(?:managed|native|delegate|runtime)|plt_|UIKit_UI|Foundation_NS|ObjCRuntime_|MonoTouch_(?:ObjCRuntime|UIKit|Foundation)_)/;

/** Whether a framework's function failed itself, and did not only pass on what was raised. */
function failedItself({ report, stack, reading, begin }: OwnedStack, part: number): boolean {
  // What only passes a call of managed code on failed by what that asked for.
  if (part > begin && bindings.test(stack[part].symbol ?? "")) return false;
  // Its own assertion is no less its own than its own access, also that of an accessor which it called.
  const inner = stack.slice(0, part).findLast(({ symbol }) =>
    !/^facebook::jsi::\w{1,20}::get[A-Z]/.test(symbol ?? "")
  );
  if (/^__assert(?:_rtn)?$/.test(inner?.symbol ?? "")) return true;
  // A lock of its own, for which the thread waits.
  if (lockOf(stack)?.at === part) return true;
  const ended = endedBy(report);
  // A copy may lack the exception: nothing on the stack raised one.
  return ended === "access" || (ended === null &&
    !reading.rows.some(({ row }) => row.role === "raise" || row.role === "vague"));
}

/** Whether the program's functions only passed an event of the system's on, and no run-time's did more before. */
function onlyPasses(owned: OwnedStack): boolean {
  const { stack, frames, reading, begin } = owned;
  const passed = frames.findIndex((_, index) =>
    isOwnFrame(owned, index) && passesOn(stack, reading.first, index)
  );
  return passed >= 0 &&
    !frames.slice(begin, passed).some(({ owner, frame }) =>
      owner === "runtime" && !isSystemFrame(frame) && !onlyRaises(frame)
    );
}

/** Index of the run-time's frame that decides where the program has none. */
function runtimeOf(
  { report, stack, frames, reading, begin, end }: OwnedStack,
  lacking: Absent | null,
): number {
  // What a run-time calls to end the process stands before the function that failed.
  const fatal =
    reading.rows.findLast(({ row, index }) =>
      row.role === undefined && row.needs !== "access" &&
      frameOwner(frames[index].frame, null) === "runtime" &&
      frames[index + 1]?.owner === "runtime" &&
      frames[index + 1].library === frames[index].library
    )?.index ?? -1;
  // A crash reporter recorded what others did, unless it made the wrong access itself.
  const isRecorders = endedBy(report) === "access" && !stack.some(isTrampoline);
  const isRuntime = ({ owner, frame }: OwnedFrame, index: number): boolean =>
    index >= begin && index < end && index > fatal && owner === "runtime" &&
    (!isRecorderFrame(frame) || (index === 0 && isRecorders)) &&
    !waitsForEvents(stack, begin, index);
  // A function that only raises, or a handler, decides where no other does, and not where a copy does not have its caller.
  const isCut = lacking === "outer" && endedBy(report) === "abort";
  const ofFunction = frames.findIndex((frame, index) =>
    isRuntime(frame, index) && !onlyRaises(frame.frame) &&
    // What ended the process for a caller that a copy does not have.
    !(isCut && isStop(frame.frame))
  );
  return ofFunction >= 0 || lacking === "outer" ? ofFunction : frames.findIndex(isRuntime);
}

/** Whether a frame's function only raises something, or handles what was raised; those of the C++ library are
 * compiled into the program. */
function onlyRaises(frame: ReportFrame): boolean {
  const { symbol } = frame;
  // Rust's panic handler, which newer compilers name by a crate of their own.
  if (symbol !== null && /(?:^|\d|::)rust_begin_unwind\b/.test(symbol)) return true;
  // Rust's library is compiled into programs as well: it has modules that C++'s has not.
  const isRust = symbol !== null &&
    /^std::(?:sys|sys_common|panicking|panic|process|rt)::/.test(symbol) &&
    frameOwner(frame, null) === "program";
  const role = symbol === null || (symbol.startsWith("std::") && !isRust)
    ? undefined
    : knownFrame(symbol)?.role;
  return role === "raise" || role === "vague" || role === "wrap";
}

/** Whether a function that is linked into the program ends a process for whoever calls it. */
function isStop(frame: ReportFrame): boolean {
  const row = frame.symbol === null || frameOwner(frame, null) !== "program"
    ? null
    : knownFrame(frame.symbol);
  return row !== null && row.role === undefined && (row.needs ?? "stop") === "stop";
}
