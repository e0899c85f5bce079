/** Which stack of a report tells what happened, if any does. */

import { faultAddress, NEAR_NULL } from "../fault.ts";
import {
  imageOf,
  imageTitle,
  isCompiled,
  isKernelFrame,
  isSystemFrame,
  systemByAddresses,
  titleOf,
} from "../images.ts";
import {
  callTime,
  heapDamage,
  heapMet,
  known,
  knownFrame,
  knownTermination,
  mallocStop,
} from "../knowledge/mod.ts";
import { demangle } from "../../symbols/demangle/demangle.ts";
import { isJetsam, isLowMemory } from "../jetsam.ts";
import { numberAt } from "../json.ts";
import { cutTree } from "../read/call_tree.ts";
import { once } from "../remember.ts";
import {
  type CrashReport,
  fieldValue,
  isSample,
  type ReportFrame,
  type ReportThread,
} from "../report.ts";
import { headOf } from "../text.ts";
import { crashedIndex } from "./crashed.ts";
import {
  activityOf,
  isIdleMain,
  isIdleStack,
  isMainThread,
  mainThread,
  sampledThread,
  samplesOf,
  waitOf,
} from "./hang.ts";
import { uncaughtException } from "./language.ts";
import { afterTrees, endsInKernel, endsInMost } from "./tree_end.ts";
import { eventOf } from "./kinds.ts";
import {
  contextOf,
  endedBy,
  endOfTermination,
  eventLoops,
  hasGap,
  isBase,
  isCatcher,
  isThrow,
  isTrampoline,
  isUnnamed,
  reachesBase,
  readStack,
  rethrowOf,
  type StackReading,
  tells,
} from "./stack.ts";

/** The stack that tells what happened; that of a hang or sample is the busiest of the thread that it is about. */
export function tellingStack(report: CrashReport): readonly ReportFrame[] {
  if (isSampled(report)) {
    const thread = sampledThread(report);
    return thread === null || isTreeCut(report, thread) ? [] : activityOf(thread).busiest;
  }
  return tellingThread(report)?.frames ?? (lacksCrashed(report) ? [] : report.decidingStack);
}

/** Functions in which a process is about to end itself, or did. */
export const stops = /^(?:_objc_trap|_objc_fatal|__abort_with_payload|__assert_rtn|abort)\b/;

/** The thread that tells what happened, where the report calls another one the crashed one; `null` for others. */
export function tellingThread(report: CrashReport): ReportThread | null {
  return lockingThread(report) ?? trappedThread(report);
}

/** Functions of SQLite that wait until another one gives a lock of the database up: SQLite, main.c and os_unix.c. */
const awaitsDatabase = /^(?:sqliteDefaultBusyCallback|unixSleep|sqlite3_sleep|sqlite3OsSleep)$/;

/** The thread that worked in SQLite, where a process was ended for a lock that it held while it was suspended. One that
 * waits for a lock itself need not hold any; of several it is not known which one did. */
export function lockingThread(
  { exception, termination, threads }: CrashReport,
): ReportThread | null {
  if (termination?.code !== 0xdead10ccn && exception?.codes.includes(0xdead10ccn) !== true) {
    return null;
  }
  const found = threads.filter(({ frames }) =>
    frames.some(({ symbol }) => symbol?.startsWith("sqlite3") === true) &&
    !frames.some(({ symbol }) => symbol !== null && awaitsDatabase.test(symbol)) &&
    ["files", "other", "unknown"].includes(waitOf(frames)?.waitReason ?? "unknown")
  );
  return found.length === 1 ? found[0] : null;
}

/** The thread that ended a process, where the report calls another one the crashed one, which only waited: a signal that is
 * sent to the process is taken by any of its threads; XNU, bsd/kern/kern_sig.c: psignal. `null` for others. */
function trappedThread(report: CrashReport): ReportThread | null {
  const { exception, crashedThread, threads, lastException } = report;
  if (exception?.type !== "EXC_CRASH" || crashedThread === null) return null;
  if ((lastException?.length ?? 0) > 0 || isKilled(report)) return null;
  if (!onlyWaits(report, crashedThread.frames)) return null;
  const found = threads.filter((thread) =>
    thread !== crashedThread && stops.test(thread.frames[0]?.symbol ?? "")
  );
  return found.length === 1 ? found[0] : null;
}

/** Whether a copy ends within the call tree of a thread, so that its innermost functions are not known. */
export function isTreeCut(report: CrashReport, thread: ReportThread): boolean {
  return thread === report.threads.at(-1) && !endsInKernel(thread) &&
    (report.warnings.includes(cutTree) && endsInMost(thread) || endsInLoop(report, thread) ||
      endsInUser(report, thread));
}

/** A line of a spindump's call tree with a function that a thread neither ran nor waited in, which stands behind it:
 * spindump(8). */
const passedThrough =
  /^[ ]{1,400}\d{1,9} {1,4}\S.{0,400} \[0x[0-9a-f]{1,16}\](?: \d[\d, -]{0,80})?$/;

/** Whether a copy of a spindump ends with such a line, which all samples of the thread went through. */
function endsInUser(report: CrashReport, thread: ReportThread): boolean {
  if (report.format !== "spindump" || thread.name === "heaviest stack") return false;
  let level = thread.tree;
  while (level.length === 1 && level[0].children.length > 0) level = level[0].children;
  if (level.length !== 1 || !isSystemFrame(level[0].frame)) return false;
  if (/^Microstackshots/i.test(fieldValue(report, "data source") ?? "")) return false;
  const end = report.text.slice(-2000).replace(/\s{1,40}`{3}\s{0,40}$/, "").trimEnd();
  return passedThrough.test(end.slice(end.lastIndexOf("\n") + 1));
}

/** Functions between an application's event loop and its run loop. */
const nextEvent =
  /^(?:-\[NSApplication(?:\(NSEvent\))? _?nextEventMatching|_DPSNextEvent|_?BlockUntilNextEvent|ReceiveNextEvent|RunCurrentEventLoop)/;

/** Whether the last function of a call tree is one that only calls others, such as an event loop: of a whole tree it is only
 * believed where it has all of the samples. */
function endsInLoop({ format, text }: CrashReport, thread: ReportThread): boolean {
  const { tree } = thread;
  let node = tree.at(-1);
  let isSingle = tree.length === 1;
  while (node !== undefined && node.children.length > 0) {
    isSingle &&= node.children.length === 1;
    node = node.children.at(-1);
  }
  const symbol = node?.frame.symbol ?? null;
  if (symbol === null) return false;
  if (isSingle && eventLoops.test(symbol)) return true;
  // They call others for nearly all that they do.
  if (
    nextEvent.test(symbol) && !afterTrees.test(text) && node!.count * 2 > samplesOf(thread)
  ) return true;
  return format === "sample" && isBase(symbol) && symbol !== "main" && !afterTrees.test(text);
}

/** Why a report does not tell which function of the program led to what happened.
 *
 * What it lacks:
 *
 * - `stack`: a stack
 * - `images`, `some images`: the images of all its frames, or of some
 * - `thrower`: the stack that threw the exception; `left`: what threw it has left the stack, on which functions of the
 *   program are
 * - `outer`: the outer frames of the stack; `gap`: some between the others
 * - `managed`: the functions of managed code, which threw; `managed nameless`: which most likely did, as it called a
 *   run-time that ended the process
 * - `managed beside`: the native stack does not decide, and the managed one has a method of the program's
 * - `extension`: in a panic, an extension that is not Apple's; `extension cut`: and the backtrace may not be whole
 * - `elsewhere`: in a panic, the backtrace that shows what failed
 * - `asked`: a process asked for the panic; `restart`: somebody restarted the machine by its buttons
 * - `processes`: there are several, of which only the first is looked at
 *
 * What else decides:
 *
 * - `packaging`: how the program was built, signed or installed
 * - `description`: its Info.plist lacks one of how private data is used
 * - `resource`: the process as a whole used too much of one
 * - `limit`: the kernel ended a process that was above its own limit of memory; `memory`: for other reasons
 * - `heap`: malloc found its heap damaged, by code that ran before; `malloc`: or a wrong pointer, which is not said
 * - `pool`: an autorelease pool released an object, whose owner is not on the stack
 * - `wait`: the crashed thread only waited when a signal ended the process; `sent`: it worked, and had no fault
 * - `signal`: a signal from outside ended the process
 * - `unwound`: a panic of Rust came to a function that it may not leave, and began there or in what has left the stack
 * - `bound`: an element of the program's collection, for which a binding of SwiftUI stood
 * - `delegate`: an object of the program's, which a class of the system called as its delegate
 * - `page`: the script of a web page, which the process runs
 * - `sender`: it sent the signal to itself, from a function that has left the stack
 * - `setup`: how the program was built, installed or started ended it; `settings`: what settings it has
 * - `argument`: a function of the system passed nil to a method of the program that takes none
 * - `blameless`: a code says that no code of the process need have led to its end
 * - `javascript error`: JavaScript did not catch an error, which was raised again; its functions are not on the stack
 * - `again`: what is on the stack only raised an earlier error again
 * - `launch`: none of the program's code had run
 * - `threads`: the only thread that it has waited for events
 *
 * What the stack is:
 *
 * - `hidden`: the frames that filled the stack are left out; `hidden compiled`: and are of what a run-time compiles
 * - `system's`: there is none, and the program is the system's
 * - `own`: the copy's stack and the program are the system's; `part`: the whole stack and the program
 * - `passed`: the program's functions on it only passed an event of the system's on
 * - `address`: no frame names its image; the innermost that is not in the system's shared cache is known
 * - `unplaced`: the innermost that may be the program's is in no image that is known, and near one of the program's
 * - `addresses`: no frame names its image, and all are in the system's libraries
 * - `generated`: the code that a signal interrupted is in no image, as what a run-time compiles
 * - `compiled`: the innermost code that is not the system's is such
 * - `recorder`: its own code is only a crash reporter's; `reporter`: which crashed while it recorded a crash
 * - `culprit`: there is none, and the reporter suspects a library
 * - `module`: no function of the program's is there, and a fatal message of Swift's names the module of its file
 * - `python`: code in Python did not catch an exception, and has left the stack
 * - `nameless`: a function without a name, of the program or of a run-time that is linked into it, as the thread or a message
 *   tells
 * - `javascript unseen`: the program's JavaScript filled its heap, or threw an error that nobody caught
 * - `managed own`, `managed library`: an exception of .NET has a stack of its own; `javascript`: an error of JavaScript has
 */
export type Absent =
  | "stack"
  | "images"
  | "some images"
  | "thrower"
  | "left"
  | "unwound"
  | "bound"
  | "delegate"
  | "page"
  | "outer"
  | "gap"
  | "extension"
  | "extension cut"
  | "elsewhere"
  | "asked"
  | "restart"
  | "packaging"
  | "description"
  | "resource"
  | "processes"
  | "own"
  | "part"
  | "heap"
  | "malloc"
  | "managed"
  | "managed nameless"
  | "managed own"
  | "managed beside"
  | "managed library"
  | "javascript"
  | "javascript unseen"
  | "nameless"
  | "python"
  | "reporter"
  | "pool"
  | "wait"
  | "sent"
  | "sender"
  | "setup"
  | "settings"
  | "argument"
  | "blameless"
  | "again"
  | "javascript error"
  | "signal"
  | "generated"
  | "compiled"
  | "address"
  | "unplaced"
  | "launch"
  | "addresses"
  | "recorder"
  | "culprit"
  | "system's"
  | "hidden"
  | "hidden compiled"
  | "module"
  | "limit"
  | "memory"
  | "threads"
  | "passed";

/** What a stack that has no function of the program lacks; `null` when it is whole. */
export function absentFrom(stack: readonly ReportFrame[]): Absent | null {
  if (stack.length === 0) return "stack";
  if (!stack.some((frame) => imageOf(frame) !== null)) return "images";
  if (!throwsOn(stack) && (endOfTermination(stack) > 0 || rethrowOf(stack) >= 0)) return "thrower";
  const outside = outsides(stack);
  if (hasGap(stack) || !reachesBase(stack)) {
    const unknown = outside.filter((isOutside) => isOutside).length;
    return unknown * 2 > stack.length ? "some images" : "outer";
  }
  // Beyond the outermost named function is only what started the thread.
  const named = stack.findLastIndex(({ symbol }) => symbol !== null);
  // A jump to null has left the image of its caller, which is there.
  const from = stack[0].address === 0n && stack.length > 1 ? 1 : 0;
  return stack.slice(0, named < 0 ? stack.length : named)
      .some((frame, at) => at >= from && outside[at] && !isNoAddress(frame))
    ? "some images"
    : null;
}

/** Which frames are in an image that is not known. What JavaScriptCore calls outside of all images it compiled itself: a
 * function of a library is in that library. */
function outsides(stack: readonly ReportFrame[]): boolean[] {
  /** Whether the caller that is known is of JavaScriptCore, or was compiled by it. */
  let isScript = false;
  return stack.toReversed().map((frame) => {
    const isMade = isCompiled(frame);
    if (!isMade && imageOf(frame) === null) return !isScript;
    isScript = isMade || titleOf(frame) === "JavaScriptCore";
    return false;
  }).reverse();
}

/** Whether an exception ended a process that whoever raised it did not catch, and its functions have left the stack: it was
 * raised again, or met a function that lets none through. */
export function hasLeft(report: CrashReport, stack: readonly ReportFrame[]): boolean {
  if (endedBy(report) === "access" || throwsOn(stack)) return false;
  const ended = endOfTermination(stack);
  const again = rethrowOf(stack);
  if (again >= 0) return !isOwnFailure(stack[again + 1]);
  // Without names it is not known whether what raised it is there.
  if (ended === 0 || stack[ended - 1].symbol === null) return false;
  return stack.slice(0, ended).some(({ symbol }) =>
    symbol?.startsWith("__clang_call_terminate") === true
  ) || uncaughtException(report, report.information)?.isLost === true;
}

/** Whether a function raised an exception again that a function of its own library had raised for it: a constructor of the
 * C++ library, which calls none of the program's. What called it is still on the stack. */
function isOwnFailure(frame: ReportFrame | undefined): boolean {
  return frame !== undefined && frame.symbol !== null &&
    /^lib(?:std)?c\+\+\./.test(titleOf(frame)) &&
    /(?:^|::)(\w+)(?:<.{0,400}>)?::\1\(/.test(demangle(frame.symbol).slice(0, 800));
}

/** Whether what raised the exception by which a process ended is on a stack. */
const throwsOn: (stack: readonly ReportFrame[]) => boolean = once((stack) => {
  const raised = stack.slice(endOfTermination(stack));
  const thrown = raised.findLastIndex(({ symbol }) => isThrow(symbol));
  return thrown >= 0 && !isCatcher(raised[thrown + 1]);
});

/** Whether a signal interrupted code of which nothing is known but addresses that are in no image, as what a run-time
 * compiles while it runs. */
export function isGenerated(stack: readonly ReportFrame[], first: number): boolean {
  return first > 0 && first < stack.length &&
    stack.slice(first).every((frame) => imageOf(frame) === null && frame.symbol === null);
}

/** Functions and images of run-times that compile while they run. */
const compilers =
  /^(?:lib(?:mono|jvm|coreclr|clrjit|julia|node)|mono(?:-sgen|develop)?$|node$|QtWebEngineCore$|JavaScriptCore$|(?:Electron|Chromium|Google Chrome) |com\.github\.[Ee]lectron\.framework$|com\.google\.Chrome\.framework$)/;
const compilerNames = /^(?:mono_|JavaCalls::|v8::internal::|JSC::|vmEntryTo|julia_)/;

/** Whether a frame is what stands for no address where the kernel of 32-bit Intel called a signal's handler; XNU,
 * bsd/dev/i386/unix_signal.c: sendsig. */
function isNoAddress({ address, symbol }: ReportFrame): boolean {
  return symbol === null && address >= 0xffff_f000n && address <= 0xffff_ffffn;
}

/** Whether a frame is of code in no image: not of what stands for no address where a signal's handler was called, nor of
 * Rosetta's own, at the begin of the stacks of programs that it translates. */
export function isUnplaced(
  { codeType }: CrashReport,
  stack: readonly ReportFrame[],
  frame: ReportFrame,
): boolean {
  const { address } = frame;
  if (imageOf(frame) !== null || address < 0x1000n) return false;
  if (isNoAddress(frame)) return false;
  return !(/Translated/i.test(codeType ?? "") && frame === stack[0] && stack.length > 1 &&
    isSystemFrame(stack[1]));
}

/** Whether the innermost code that is not the system's is in no image, and a run-time is on the stack that compiles while it
 * runs.
 *
 * @param begin index of the innermost frame that can decide
 */
export function isCompiledCode(
  report: CrashReport,
  stack: readonly ReportFrame[],
  begin: number,
): boolean {
  // Devices of iOS run no code that was made there.
  if (
    report.arch?.startsWith("arm") &&
    /^(?:i|iPhone |iPad|watch|tv|Apple TV )OS/.test(report.osVersion ?? "")
  ) return false;
  const at = stack.findIndex((frame, at) =>
    at >= begin &&
    (imageOf(frame) === null ? isUnplaced(report, stack, frame) : !isSystemFrame(frame)) &&
    !(frame.symbol !== null && knownFrame(frame.symbol)?.role === "raise")
  );
  const frame = stack[at];
  if (frame === undefined || imageOf(frame) !== null || frame.symbol !== null) return false;
  // What a program's own handler finds behind the signal's trampoline need be no code.
  if (at > 0 && isTrampoline(stack[at - 1]) && !/^EXC_/.test(report.exception?.type ?? "")) {
    return false;
  }
  // A jump to nowhere.
  if (frame.address === faultAddress(report)) return false;
  const rest = stack.slice(at + 1);
  const runtimes = rest.filter((other) =>
    compilers.test(titleOf(other)) || compilerNames.test(other.symbol ?? "")
  );
  // What Java compiles is called by its virtual machine alone.
  const caller = rest.find((other) => imageOf(other) !== null);
  return runtimes.length > 0 &&
    !(runtimes.every(isJavas) && caller !== undefined && !isSystemFrame(caller) &&
      !isJavas(caller));
}

function isJavas(frame: ReportFrame): boolean {
  return /^libjvm\b/.test(titleOf(frame)) || /^JavaCalls::/.test(frame.symbol ?? "");
}

/** Whether something ended a process whose thread only waits on the stack that is called the crashed one's. */
export function onlyWaits(
  { exception, format }: CrashReport,
  stack: readonly ReportFrame[],
): boolean {
  return format !== "sample" && format !== "spindump" && exception?.signal != null &&
    !exception.signal.startsWith("SIGKILL") && exception.codes.every((code) => code === 0n) &&
    isIdleStack(stack);
}

/** Whether a signal of a fault reached a process that had none, as far as the report shows: Apple's crash reporter writes zeros
 * as codes where a process ended by a signal and no exception of the CPU came before. Then the stack is that of where the
 * signal met the thread. */
export function isSentSignal(report: CrashReport, stack: readonly ReportFrame[]): boolean {
  const { exception, termination } = report;
  if (exception?.type !== "EXC_CRASH" || exception.codes.length === 0) return false;
  if (!/^SIG(?:SEGV|BUS|ILL|TRAP|FPE)\b/.test(exception.signal ?? "")) return false;
  if (exception.codes.some((code) => code !== 0n) || stack.length === 0) return false;
  if (termination?.namespace != null && termination.namespace !== "SIGNAL") return false;
  // A run-time with an exception port of its own takes the CPU's exceptions before the kernel makes signals of them.
  if (
    report.threads.some(({ frames }) =>
      frames.slice(0, 8).some(({ symbol }) =>
        /exception_?(?:thread|handler|server|port)/i.test(symbol ?? "")
      )
    )
  ) return false;
  const { first, rows } = readStack(stack);
  return first === 0 && rows.length === 0 && !stack.some(isTrampoline) &&
    !sends.test(stack[0].symbol ?? "kill") && saysNothing(report) &&
    uncaughtException(report, report.information) === null;
}

/** Whether a process sent a signal to itself from a function that is not on the stack: it was the last that the system's
 * function called which is there. */
export function lacksSender([top, caller]: readonly ReportFrame[]): boolean {
  if (!/^_{0,2}(?:(?:pthread_)?kill|raise)$/.test(top?.symbol ?? "")) return false;
  const symbol = caller?.symbol ?? null;
  return symbol !== null && (callTime(symbol).origin ?? callTime(symbol).occasion) !== null;
}

/** Whether the exception is one that was caught before and was only raised again on this stack. */
export function raisesAgain(report: CrashReport, { rows }: StackReading): boolean {
  const ended = endedBy(report);
  if (ended !== "abort" && ended !== null) return false;
  const queue = report.crashedThread?.queue ?? null;
  return rows.some(({ row }) => row.raisesAgain === true) ||
    (queue !== null && known("occasion", `queue ${queue}`)?.raisesAgain === true);
}

/** Functions of run-times that raise again an error which JavaScript did not catch: React Native's and NativeScript's. */
const raisesScripts =
  /^(?:-\[RCTExceptionsManager report|tns::NativeScriptException::|NativeScript::reportFatal)/;

/** Whether the error that was raised again is one of JavaScript: a run-time's own handler of those raised it. */
export function isScriptError(
  { information, lastException }: CrashReport,
  { rows }: StackReading,
): boolean {
  return rows.some(({ row }) => raisesScripts.test(row.key)) ||
    lastException?.some(({ symbol }) => raisesScripts.test(symbol ?? "")) === true ||
    information.some((text) => text.includes("Unhandled JS Exception"));
}

/** Functions that send a signal to their own process. */
const sends =
  /^_{0,2}(?:(?:pthread_)?kill|raise|abort|runtime\.(?:raise\w{0,8}|dieFromSignal|crash)|\w{0,20}_with_payload)\b/;

/** Whether nothing in words says why a process ended. */
function saysNothing({ information }: CrashReport): boolean {
  return !information.some((text) =>
    /fatal|assert|abort|fail|error|BUG IN|exception|terminat|panic|dyld/i.test(text)
  );
}

/** Functions of dyld, from which nothing of the program was called yet, at the outer end of a stack. */
const starts =
  /^(?:_dyld_start|_dyld_init|dyldbootstrap::start|dyld::_main|dyld4::prepare|dyld4::start|start)\b/;

/** Whether a process stands at its first instruction, that of the dynamic linker: neither that nor the program has run. */
export function isUnstarted(stack: readonly ReportFrame[]): boolean {
  const own = stack.filter((frame) => !isKernelFrame(frame));
  return own.length === 1 && own[0].offset === 0 && /^_dyld_start$/.test(own[0].symbol ?? "");
}

/** Functions of the dynamic linker, by the namespaces and classes that only it has: dyld. */
const ofLinker = /^(?:_dyld_start$|dyld[34]?::|dyldbootstrap::|ImageLoader\w{0,30}::)/;

/** The dynamic linker, and what it calls of the system. */
const linkerImages = /^(?:dyld|libsystem_(?:kernel|platform)\.dylib)$/;

/** Its functions that call initializers, which may be the program's. */
const initializes = /[iI]nitializ(?:er|ation|eMain)|::doModInit/;

/** Whether a sampled thread is in the dynamic linker, which has not yet called anything of the program. */
export function isLinking(stack: readonly ReportFrame[]): boolean {
  const start = stack.at(-1)?.symbol ?? "";
  return starts.test(start) && !isUnstarted(stack) &&
    stack.some(({ symbol }) => ofLinker.test(symbol ?? "")) &&
    stack.every((frame) => {
      const { symbol } = frame;
      if (initializes.test(symbol ?? "")) return false;
      return ofLinker.test(symbol ?? "") || isKernelFrame(frame) ||
        linkerImages.test(titleOf(frame));
    });
}

/** Whether a process ended while dyld loaded what its program needs, before any code of the program ran. */
export function isLaunching(report: CrashReport, stack: readonly ReportFrame[]): boolean {
  const { information, format } = report;
  if (isUnstarted(stack) || (format === "sample" && isLinking(stack))) return true;
  if (format !== "crash" && format !== "ips") return false;
  const isLoading = information.some((text) =>
    text.startsWith("dyld: launch, loading dependent libraries")
  );
  if (stack.length === 0) return isLoading;
  if (!stack.some((frame) => imageOf(frame) !== null)) {
    return systemByAddresses(report, stack) === "dyld" &&
      stack.slice(-3).some(({ symbol }) => starts.test(symbol ?? ""));
  }
  const isDyld = stack.every((frame) => {
    const image = imageOf(frame);
    return image !== null &&
      linkerImages.test(imageTitle(image));
  });
  return isDyld && (isLoading || stack.slice(-3).some(({ symbol }) => starts.test(symbol ?? "")));
}

/** Images of OpenGL. */
const openGl =
  /^(?:libGL\.dylib|libGLESv2|GLEngine|(?:com\.apple\.)?(?:OpenGL|OpenGLES|opengl)|libGFXShared\.dylib)/;

/** The thread on which OpenGL was called at a null pointer where it is not the main one: a thread has no context unless
 * one is made current there. `null` for others. */
export function graphicsAside(
  report: CrashReport,
  stack: readonly ReportFrame[],
  first: number,
): number | null {
  const { crashedThread } = report;
  const image = stack[first] === undefined ? null : imageOf(stack[first]);
  if (image === null || !openGl.test(imageTitle(image)) || endedBy(report) !== "access") {
    return null;
  }
  if (crashedThread === null || crashedThread.index === 0 || isMainThread(crashedThread)) {
    return null;
  }
  const address = faultAddress(report);
  return address !== null && address < NEAR_NULL ? crashedThread.index : null;
}

/** Whether a report names a crashed thread that its copy does not have. */
export function lacksCrashed(report: CrashReport): boolean {
  const { crashedThread, lastException, threads } = report;
  if (crashedThread !== null || (lastException?.length ?? 0) > 0) return false;
  if (crashedIndex(report) !== null) return true;
  const faulting = report.body === null ? null : numberAt(report.body, "faultingThread");
  if (faulting !== null && !threads.some(({ index }) => index === faulting)) return true;
  // A piece of a report: threads whose titles do not say that they crashed, or the outer part of a stack.
  if (report.format !== "crash" || report.exception !== null || threads.length === 0) return false;
  return threads.length > 1 || (threads[0].frames[0]?.index ?? 0) > 0 ||
    (!threads[0].crashed && readStack(threads[0].frames).rows.length === 0);
}

/** Whether a report has samples of a process that went on. */
function isSampled(report: CrashReport): boolean {
  return isSample(report) || eventOf(report) !== null || isLive(report) || isSnapshot(report) ||
    isPaused(report);
}

/** Whether a debugger's text is of a process that was only paused: LLDB, Target/StopInfo.cpp. */
export function isPaused(report: CrashReport): boolean {
  const { format, exception, crashedThread, threads, text } = report;
  if (
    format !== "crash" || exception !== null || crashedThread !== null || threads.length === 0
  ) return false;
  const head = headOf(text);
  if (/stop reason = signal SIG(?:STOP|INT)\b/.test(head)) return true;
  // Breakpoints are also set where something is thrown or reported, which ends the process then.
  return steps.test(head) && report.information.length === 0 && report.lastException === null &&
    !threads.some(({ frames }) =>
      frames.slice(0, 4).some(({ symbol }) => symbol !== null && breakpoints.test(symbol))
    );
}

/** Other reasons for which a debugger stops a process that goes on. */
const steps =
  /(?:stop reason = |^[ \t>]{0,8}Thread \d{1,4} ?(?:Queue ?: ?\S{1,200} \(\w{4,12}\))?: ?)(?:breakpoint |one-shot breakpoint|watchpoint |instruction step |step (?:in|over|out)\b)/m;
/** Functions at which people stop a process because it fails there. */
const breakpoints =
  /^(?:objc_exception_throw|__cxa_throw|malloc_error_break|abort|__abort|swift_willThrow|_swift_runtime_on_report|_assertionFailure|_fatalErrorMessage|UIViewAlertForUnsatisfiableConstraints|CGPostError|_NSLockError|sqlite3_log)\b/;

/** Whether a process made a report of itself while it went on, as monitors of hangs do: the thread that is called the
 * crashed one is that of the reporter. */
export function isLive({ crashedThread }: CrashReport): boolean {
  return crashedThread?.frames.slice(0, 2).some(({ symbol }) =>
    symbol !== null && /^-\[\w{0,20}PLCrashReporter generateLiveReport/.test(symbol)
  ) === true;
}

/** Whether a report is of a process as it was at a moment, without any exception: XNU and Apple's reporter note it. */
export function isSnapshot({ exception, threads }: CrashReport): boolean {
  return exception !== null && exception.type === null && exception.signal === null &&
    exception.note?.startsWith("SIMULATED") === true && threads.length > 0;
}

/** Whether another process or the system ended a process by a signal that no process gets for what it does itself. */
export function isKilled({ exception, termination, decidingStack }: CrashReport): boolean {
  if (exception?.type !== "EXC_CRASH") return false;
  if (!/^SIG(?:KILL|TERM|QUIT)\b/.test(exception.signal ?? "")) return false;
  // After abort_with_payload() the kernel ends a process by SIGKILL.
  const isAbort = termination?.namespace === "SIGNAL" && termination.code === 6n;
  return !isAbort && readStack(decidingStack).rows.length === 0;
}

/** Whether a report's stacks show no cause: those of panics, of processes ended for memory or heat, and of
 * threads that had nothing to do. */
export function decidesNothing(report: CrashReport, stack: readonly ReportFrame[]): boolean {
  if (isJetsam(report) || isLowMemory(report)) return true;
  if (report.bugType !== null && known("report", report.bugType) !== null) return true;
  const { termination, exception } = report;
  const namespace = termination?.namespace ?? null;
  if (namespace?.toUpperCase() === "JETSAM" || isPackaging(report)) return true;
  const isAsked = namespace === "SIGNAL" && !exception?.signal?.startsWith("SIGQUIT");
  if (isAsked && isKilled(report)) return true;
  if (isBlameless(report)) return true;
  if (eventOf(report) === "sleep wake failure") return true;
  if (isSampled(report) && stack.length === 0) {
    const thread = mainThread(report);
    return thread !== null && activityOf(thread).idle;
  }
  if (stack.length === 0) return false;
  if (isWithinFork(stack)) return true;
  if (isFault(exception?.type ?? null)) return isOfOtherThread(report, stack);
  if (isSentSignal(report, stack)) return true;
  const main = isSampled(report) ? sampledThread(report) : null;
  return main !== null && isMainThread(main) ? isIdleMain(stack) : isIdleStack(stack);
}

/** Whether a bad access is shown with the stack of a thread that waited in a call of the kernel: its instruction accesses
 * nothing, and a bad pointer that the kernel is passed is an error that the call returns. */
export function isOfOtherThread(
  { exception }: CrashReport,
  stack: readonly ReportFrame[],
): boolean {
  return exception?.type === "EXC_BAD_ACCESS" && stack.length > 2 &&
    /^libsystem_kernel(?:\.dylib)?$/.test(stack[0].imageName ?? "") &&
    /^(?:mach_msg2?_trap|kevent(?:_id|_qos)?|__workq_kernreturn|__select)$/.test(
      stack[0].symbol ?? "",
    ) &&
    isIdleStack(stack);
}

/** Whether a code says that a process was ended for what no thread of it need have done. */
export function isBlameless({ exception, termination }: CrashReport): boolean {
  const codes = [...exception?.codes ?? [], ...termination?.code == null ? [] : [termination.code]];
  return codes.some((code) => {
    const row = code > 0xffffn ? knownTermination(null, code) : null;
    return row !== null && blameless.test(row.key);
  });
}

/** Whether a process was ended because its Info.plist does not say what private data is used for. */
export function isPrivacy({ termination, information }: CrashReport): boolean {
  return termination?.namespace === "TCC" ||
    information.some((text) => text.includes("without a usage description"));
}

/** Whether the privacy system's framework ended a process, where the functions' names are hidden. */
export function isPrivacyAbort(stack: readonly ReportFrame[], first: number): boolean {
  for (const frame of stack.slice(first, first + 6)) {
    const image = imageOf(frame);
    if (image === null) return false;
    const title = imageTitle(image);
    if (title === "TCC") {
      return isUnnamed(frame) ||
        stack.some(({ symbol }) => symbol !== null && /CRASHING_DUE_TO_PRIVACY/.test(symbol));
    }
    if (!title.startsWith("libsystem_")) return false;
  }
  return false;
}

/** Whether a text without stacks says that the process used more memory than it may. */
export function exceedsMemory({ threads, information }: CrashReport): boolean {
  return threads.length === 0 &&
    information.some((text) =>
      /\] exceeded mem limit: |\(per-process-limit |^Terminated due to memory |because it is using too much memory$/
        .test(text)
    );
}

/** Whether a report is about a resource that the process as a whole used. */
export function usesResource(report: CrashReport): boolean {
  const { type = null, subtype = null } = report.exception ?? {};
  if (exceedsMemory(report)) return true;
  if (type === "EXC_RESOURCE" && /^(?:CPU|MEMORY|WAKEUPS|IO)/.test(subtype ?? "")) return true;
  const event = eventOf(report);
  return event === "cpu usage" || event === "wakeups" || event === "disk writes";
}

/** Whether an object was released by an autorelease pool: who released it once too often before is not on the
 * stack. */
export function isPoolRelease(
  report: CrashReport,
  stack: readonly ReportFrame[],
  { first, deciding }: StackReading,
): boolean {
  // A pool that an event loop empties has what all that it called left there, not what runs the loop.
  const isLoops = deciding < 0 ||
    stack.slice(first, deciding).some(({ symbol }) => symbol !== null && eventLoops.test(symbol));
  return isLoops && endedBy(report) !== "abort" && contextOf(stack, first) === "pool";
}

/** Whether malloc found its heap damaged: the code that did the damage ran before, and need not be on the stack. */
export function isHeapDamage(report: CrashReport, { rows }: StackReading): boolean {
  // A thread that only allocates is no proof.
  const isMoment = usesResource(report) || /^SIGKILL\b/.test(report.exception?.signal ?? "");
  const ended = endedBy(report);
  return (!isMoment &&
    rows.some(({ row }) =>
      (row.meaning === heapDamage || row.meaning === heapMet) && tells(row, ended)
    )) ||
    report.information.some((text) =>
      text.includes("malloc") || text.includes("error for object")
        ? /modified after being freed|orruption detected|corrupt(?:ed)? (?:tiny )?free ?list|free list is damaged|ncorrect guard value|integrity check failed|block header was damaged|Corruption (?:at|of) |cookie corrupted|free_list_(?:add|find_by|remove)_ptr|objects_in_use not zero|hash lookup failed|Duplicate entry in large|nvariant broken|not properly in table|dequeued from free list|block that is too small|dirty in madvise/
          .test(text)
        : false
    );
}

/** Whether malloc ended a process, and nothing says whether the pointer that it was passed was wrong or its heap
 * damaged before. */
export function isMallocStop({ information }: CrashReport, { rows }: StackReading): boolean {
  return rows.some(({ row }) => row.meaning === mallocStop) &&
    !rows.some(({ row }) => row.role === undefined) &&
    !information.some((text) => text.includes("malloc") || text.includes("error for object"));
}

/** Whether the run-time of .NET made an Objective-C exception of one that left managed code, whose functions are not on the
 * stack, or raised one again that an asynchronous method had caught. */
export function isManaged(stack: readonly ReportFrame[], { rows }: StackReading): boolean {
  return rows.some(({ row }) => row.key.startsWith("xamarin_process_")) ||
    // What was caught before is thrown again.
    stack.slice(0, MANAGED_DEPTH).some(({ symbol }) =>
      symbol?.startsWith("System_Runtime_ExceptionServices_ExceptionDispatchInfo_Throw") === true
    );
}

/** Whether PyQt ended the process for an exception that code in Python did not catch: that code has left the stack, and
 * what is on it only called it. */
export function isPythons({ rows }: StackReading): boolean {
  return rows.some(({ row }) => /^pyqt\d?_err_print/.test(row.key));
}

/** Frames in which Mono's functions that raise are looked for. */
const MANAGED_DEPTH = 32;

/** Functions in which crash reporters work on a crash, on a thread of their own. */
const recording =
  /^(?:[a-z]{2,16}_)?(?:ks|sentry)?(?:crash)?cm_handleException|^(?:[a-z]{2,16}_)?(?:ks|sentry)crash(?:report)?_(?:write|on)|^(?:FIR)?CLS(?:MachExceptionServer|Handler|ProcessRecord)|^plcrash_(?:writer|log_writer|async_)|PLCrashMachExceptionServer|^crash_callback$/;

/** Whether it is a crash reporter in the process that made the wrong access, while it recorded a crash: that one is not what
 * the report is of. A signal's handler has on its stack what the signal interrupted. */
export function isReporterCrash(report: CrashReport, stack: readonly ReportFrame[]): boolean {
  // KSCrash and Bugsnag write a report of this type for it.
  if (fieldValue(report, "report type") === "minimal") return true;
  return endedBy(report) === "access" && endOfTermination(stack) === 0 &&
    stack.some(({ symbol }) => symbol !== null && recording.test(symbol)) &&
    !stack.some(isTrampoline);
}

/** Whether a process jumped to an address where it has nothing: the kernel then has no page whose signature it could
 * check, and calls it invalid. */
export function isBadJump({ termination, exception, crashedThread }: CrashReport): boolean {
  const top = crashedThread?.frames[0];
  return termination?.namespace === "CODESIGNING" && termination.code === 2n &&
    exception?.type === "EXC_BAD_ACCESS" && exception.codes[0] === 1n &&
    (top === undefined ||
      exception.codes[1] === top.address && top.symbol === null && imageOf(top) === null);
}

/** Whether a process was ended because it touched a page whose signature does not hold: what it did at that moment is on
 * its stack. */
export function touchedPage({ exception, termination }: CrashReport): boolean {
  return exception?.type === "EXC_BAD_ACCESS" &&
    (/^CODESIGNING$/i.test(termination?.namespace ?? "") ||
      /Code Signature Invalid|CODESIGNING/.test(exception.signal ?? ""));
}

/** Functions by which the system's libraries are prepared in a child, before fork() returns there: Libc, sys/fork.c and
 * Libsystem, init.c. */
const preparing = /(?:^|::)_{0,2}(?:libSystem_atfork_child|\w{0,40}fork_child)(?:\(|$)/;

/** Whether a child ended within the fork() that made it: none of the program's code had run there. */
export function isWithinFork(stack: readonly ReportFrame[]): boolean {
  return stack.some(({ symbol }) =>
    symbol !== null && symbol.includes("fork_child") && preparing.test(symbol)
  );
}

/** Whether a process was ended because of how its program was built, signed or installed: its libraries could not
 * be loaded, or a signature does not hold. */
export function isPackaging(report: CrashReport): boolean {
  const { termination, exception, information, threads } = report;
  if (isBadJump(report)) return false;
  if (isEncrypted(report)) return false;
  if (/^(?:DYLD|CODESIGNING|EXEC)$/i.test(termination?.namespace ?? "")) return true;
  if (/Code Signature Invalid/.test(exception?.signal ?? "")) return true;
  if (termination?.namespace != null && termination.namespace !== "SIGNAL") return false;
  return [...information, ...termination?.reasons ?? []].some((text) =>
    /^(?:Dyld Message: |dyld(?:\[\d+\])?: |DYLD, )?(?:Library not loaded|Symbol not found): /
      .test(text) ||
    // What the system's log says of a signature.
    /^the system's log: /.test(text) ||
    /^(?:Sandbox registration failed|Registration error): The code signature is not valid/.test(
      text,
    )
  ) &&
    !threads.some(({ crashed, frames }) =>
      crashed && frames.some(({ symbol }) => symbol === "dlopen")
    );
}

/** Whether the system could not map or decrypt a library that is there, as dyld says: Apple, dyld, mach_o/Image.cpp. */
function isEncrypted({ information }: CrashReport): boolean {
  return information.some((text) => text.includes("mremap_encrypted() => "));
}

/** Whether that was while the program was loaded. */
export function isUnmapped(report: CrashReport): boolean {
  return isEncrypted(report) &&
    !report.stacks.some((stack) => stack.some(({ symbol }) => symbol === "dlopen"));
}

/** Thermal kills, forced quits, stackshots, VoIP restarts. */
export const blameless = /0xc00010ff|0xdeadfa11|0xbaaaaaad|0xbad22222|0xbaddd15c/;

/** Exceptions that the crashed thread itself raised, whatever it seems to wait for. */
function isFault(type: string | null): boolean {
  return /^EXC_(?:BAD_ACCESS|BAD_INSTRUCTION|BREAKPOINT|ARITHMETIC|GUARD|SYSCALL)$/.test(
    type ?? "",
  );
}
