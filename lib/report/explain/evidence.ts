/** How far a frame shows whose a crash is: what stands between it and where its process ended. */

import { subtypeName } from "../codes.ts";
import { faultAddress } from "../fault.ts";
import { imageOf, isBaseLibrary, isSystemFrame, titleOf } from "../images.ts";
import { bareName, known, knownFrame, knownMessage, knownScript } from "../knowledge/mod.ts";
import { once } from "../remember.ts";
import { type CrashReport, fieldValue, isSample, type ReportFrame } from "../report.ts";
import { isRosettas } from "./cpu.ts";
import { sampledThread, waitOf } from "./hang.ts";
import { readableName } from "./names.ts";
import { mayBeCut } from "./tree_end.ts";
import { capitalized } from "./words.ts";
import {
  abortsAfter,
  endedBy,
  frameOwner,
  functionOf,
  isBehindGap,
  ownHandler,
  type StackReading,
} from "./stack.ts";

/** Functions of others that may stand between a function and where the process ended, so that it is still taken to have
 * asked for what failed: where it raised something, where it made a wrong access, and where the stack is but a moment's. */
const RAISED = 4;
const ACCESSED = 1;
const MOMENT = 0;
/** The same of the libraries that all others are built on. */
const BASE = 6;

/** Waits whose end is up to somebody else. */
const others: ReadonlySet<string | undefined> = new Set([
  ...["mutex", "rwlock", "lock", "condition", "semaphore", "join", "queue", "reply"],
]);

const ofOthers = /\b(?:pipe|socket|connection|child process|file lock)\b/;

/** A nil argument that what Swift's compiler made of a method for Objective-C could not convert. */
export interface BridgedArgument {
  /** The method, as Swift has it. */
  readonly method: string;
  /** The function of the system that called it. */
  readonly caller: ReportFrame;
}

/** The method of the program that a function of the system called with nil, where that was to be converted for Swift; `null` for
 * others, such as a result that is nil. */
export function bridgedArgument(stack: readonly ReportFrame[]): BridgedArgument | null {
  const at = stack.findIndex(({ symbol }) =>
    symbol !== null && /_unconditionallyBridgeFromObjectiveC/.test(symbol)
  );
  const [entry, caller] = [stack[at + 1], stack[at + 2]];
  if (at < 0 || entry?.symbol == null || caller?.symbol == null) return null;
  const name = readableName(entry.symbol);
  return name.startsWith("@objc ") && isSystemFrame(caller) && !entry.inlined
    ? { method: name.slice("@objc ".length), caller }
    : null;
}

/** Functions of the system that call those who observe something. */
const tellsObservers =
  /^(?:__CFNOTIFICATIONCENTER_IS_CALLING_OUT_TO_AN_OBSERVER__|NSKeyValueNotifyObserver)\b/;

/** Whether a frame is evidence of whose a crash is: what ended the process is in it, or in what it called directly. Further
 * out it is only the innermost one that is on the stack.
 *
 * @param begin index of the innermost frame that can decide
 */
export function isEvidence(
  report: CrashReport,
  stack: readonly ReportFrame[],
  { rows }: StackReading,
  begin: number,
  at: number,
): boolean {
  const { exception, arch } = report;
  // What could not be read in is the file's or the disk's.
  if (exception !== null && subtypeName(exception, arch) === "KERN_MEMORY_ERROR") return false;
  // Whoever used on another thread what is for the main one, however far out, need not have.
  if (isOffMain(report) && frameOwner(stack[at], functionOf(stack[at], null)) === "program") {
    return true;
  }
  // What it met came of what was done before.
  if (rows.some(({ row, index }) => row.isLater === true && index < at)) return false;
  // What a signal interrupted need not be what it was for.
  const handler = exception === null || abortsAfter(exception) ? null : ownHandler(stack);
  if (handler !== null && !handler.isWaiting && !handler.isForFaults) return false;
  const sampled = report.format === "sample" ? sampledThread(report) : null;
  if (
    sampled !== null && mayBeCut(report, sampled) &&
    frameOwner(stack[at], functionOf(stack[at], null)) === "program"
  ) return false;
  const ended = endedBy(report);
  const isUnsaid = ended === null && exception === null && stack !== report.lastException &&
    !rows.some(({ row }) => row.role === "raise" || row.role === "vague");
  // Of a copy that does not say what happened, a thread that waits failed in nothing.
  const isMoment = isOfMoment(report) ||
    (isUnsaid && waitOf(stack) !== null && !isRosettas(stack[0]));
  const wait = isMoment ? waitOf(stack) : null;
  if (wait !== null && (others.has(wait.waitReason) || ofOthers.test(wait.meaning))) return false;
  const raised = ended === "abort" || ended === "trap" || stack === report.lastException ||
    (ended === null && rows.some(({ row }) => row.role === "raise" || row.role === "vague"));
  // What a guard forbids the function did that called the kernel.
  const isRaised = raised && ended !== "access" && exception?.type !== "EXC_GUARD";
  let most = isMoment ? MOMENT : isRaised ? RAISED : ACCESSED;
  // What it overrides, or stands in for, does what it does for whoever called it.
  if (most > 1 && passesToSuper(stack, at)) most = 1;
  let left = most;
  let base = BASE;
  for (let index = begin; index < at; index++) {
    const frame = stack[index];
    const symbol = functionOf(frame, stack[index - 1] ?? null);
    const owner = frameOwner(frame, symbol);
    // A jump to nowhere is its caller's.
    if (isBehindGap(stack, index + 1)) return false;
    if (index === begin && isNowhere(report, frame)) continue;
    if (owner === "unknown") return false;
    // An observer is whoever's asked for what is told.
    if (symbol !== null && tellsObservers.test(symbol)) return false;
    if (symbol !== null && knownFrame(symbol) !== null) continue;
    if (frame.inlined || titleOf(frame) === titleOf(stack[at])) continue;
    if (isSystemFrame(frame) && isBaseLibrary(titleOf(frame)) && --base >= 0) continue;
    if (--left < 0) return false;
  }
  return true;
}

/** What a process left in words, and what its exception says. */
export function wordsOf({ information, exception }: CrashReport): string[] {
  return [...information, exception?.message ?? ""];
}

/** Whether a message says that something for the main thread only was used on another. */
const isOffMain = once((report: CrashReport) => {
  const { meaning } = known("message", "must be used from main thread only")!;
  return wordsOf(report).some((text) => knownMessage(text)?.meaning === meaning);
});

/** Whether a stack is that of a moment in which nothing failed: of a sample, of a process that used too much of something, or
 * that was ended from outside. */
function isOfMoment(report: CrashReport): boolean {
  const { exception, termination } = report;
  if (isSample(report)) return true;
  if (fieldValue(report, "event") !== null || exception?.type === "EXC_RESOURCE") return true;
  return /^SIGKILL\b/.test(exception?.signal ?? "") && termination?.code !== 6n;
}

/** Whether a frame is where a call went that led to no code. */
function isNowhere(report: CrashReport, frame: ReportFrame): boolean {
  return imageOf(frame) === null && frame.symbol === null &&
    (frame.address === faultAddress(report) || frame.address < 0x1000n);
}

/** Whether a method called that of the same name which it overrides. */
function passesToSuper(stack: readonly ReportFrame[], at: number): boolean {
  const own = selectorOf(stack[at]);
  return own !== null && at > 0 && selectorOf(stack[at - 1]) === own;
}

function selectorOf({ symbol }: ReportFrame): string | null {
  return symbol === null ? null : /^[-+]\[\S{1,200} ([\w:]{1,200})\]$/.exec(symbol)?.[1] ?? null;
}

/** The language of the innermost script whose interpreter is on a stack between two places; `null` without one. */
export function scriptBetween(
  stack: readonly ReportFrame[],
  begin: number,
  end: number,
): string | null {
  for (let index = begin; index < end; index++) {
    const symbol = functionOf(stack[index], stack[index - 1] ?? null);
    const row = symbol === null ? null : knownScript(symbol);
    if (row !== null) return row.meaning;
  }
  return null;
}

/** Functions of Python that read the thread's state first, and the size of that: CPython, Objects/frameobject.c and
 * Python/errors.c. */
const ofThreadState = /^_?Py(?:Frame_New\w{0,10}|Err_(?:Occurred|Restore|Fetch|SetObject))$/;
const STATE_READ = 0x100n;

/** Whether a frame is one of Python where the thread has no state, as where it does not hold the lock: what called Python
 * is why, and no script. */
export function lacksState(report: CrashReport, frame: ReportFrame | undefined): boolean {
  const symbol = frame?.symbol ?? null;
  const fault = symbol === null ? null : faultAddress(report);
  return fault !== null && fault < STATE_READ && ofThreadState.test(bareName(symbol!));
}

/** Swift's checks of an array's index. */
export const checksIndex = /^Array\.(?:_checkSubscript|_checkIndex|subscript\.)/;
/** Frames between such a check and what asked for the element. */
const ELEMENT_DEPTH = 8;

/** Whether an index was checked for a binding of SwiftUI that stands for an element of an array, which no function of the program
 * is between. */
export function isOfBinding(stack: readonly ReportFrame[]): boolean {
  const check = stack.slice(0, ELEMENT_DEPTH).findIndex(({ symbol }) =>
    checksIndex.test(symbol ?? "")
  );
  if (check < 0) return false;
  const inner = stack.slice(check, check + ELEMENT_DEPTH);
  const at = inner.findIndex((frame) =>
    /^SwiftUI(?:Core)?$/.test(titleOf(frame)) &&
    /^Binding(?:<A>)?\.subscript\.(?:getter|setter|modify|read)/.test(bareName(frame.symbol ?? ""))
  );
  return at > 0 && inner.slice(0, at).every((frame) => isSystemFrame(frame));
}

/** The class of the system that called a method of its delegate or data source which that does not have: the method's name
 * begins with the class's, without its prefix. Apple, Coding Guidelines for Cocoa: Delegate Methods. `null` for other
 * exceptions. */
export function delegateCaller(
  reason: string | null,
  stack: readonly ReportFrame[],
): string | null {
  const match =
    /-\[(?:%s|[\w.$]{1,200})(?:\([\w ]{1,80}\))? ([A-Za-z]\w{3,100}):[\w:]{0,300}\]: unrecognized selector/
      .exec(reason ?? "");
  if (match === null) return null;
  const at = stack.findLastIndex(({ symbol }) => forwards.test(symbol ?? ""));
  const caller = at < 0 ? undefined : stack[at + 1];
  if (caller === undefined || !isSystemFrame(caller)) return null;
  const name = /^(?:__\d{1,4})?[-+]\[(\w{1,100})/.exec(caller.symbol ?? "")?.[1] ?? "";
  const [, begin] = match;
  const title = /^(\w+?)(?:Did|Will|Should)[A-Z]/.exec(begin)?.[1] ?? begin;
  const bare = capitalized(title);
  return name.endsWith(bare) && /^_{0,2}[A-Z]{2,4}$/.test(name.slice(0, -bare.length))
    ? name
    : null;
}

/** Functions by which the Objective-C run-time asks what to do with a method that an object does not have. */
const forwards = /^_{1,3}(?:forwarding_{1,3}$|CF_forwarding_prep_\d|forwarding_prep_\d)/;

/** Folders in which package managers and people keep what others wrote, before its name. */
const folders =
  /(?:^|\/)(?:Pods|Carthage\/Checkouts|(?:SourcePackages|\.build)\/checkouts|node_modules|third[_-]?party|ThirdParty|3rd[_-]?party|\.cargo\/registry\/src\/[^/]{1,100}|pkg\/mod\/[\w.-]{1,80}\/[\w.-]{1,80})\/((?:@[\w.-]{1,80}\/)?[\w.+-]{1,80})\//g;

/** Whose code a source file is, by the folder that it is in; `null` where that does not tell. */
export function makerOfFile(file: string | null): string | null {
  if (file === null || file.length > 1000) return null;
  const name = [...file.matchAll(folders)].at(-1)?.[1];
  return name?.replace(/@v[\d.].{0,40}$|-\d{1,6}\.\d.{0,40}$/, "") ?? null;
}
