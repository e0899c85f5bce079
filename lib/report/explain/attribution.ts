/** Attribution: whether a crash is the program's, one of its libraries' or the system's. */

import { withJson } from "../../json_form.ts";
import { frameJson, type ReportFrameJson } from "../frame_json.ts";
import { imageOf, titleOf } from "../images.ts";
import {
  callTime,
  collected,
  fullHeap,
  known,
  knownFrame,
  knownVendor,
  partThreads,
  thrownScript,
} from "../knowledge/mod.ts";
import { type CrashReport, isSample, type ReportFrame } from "../report.ts";
import { culpritOf, systemAbsent, whyAbsent, whyNone } from "./absent.ts";
import { isCopying } from "./copying.ts";
import { type Deciding, decidingOf, type OwnedStack, refusedArgument } from "./deciding.ts";
import { bridgedArgument, isEvidence, lacksState, scriptBetween } from "./evidence.ts";
import { begunBefore } from "./hang.ts";
import { makerOfDeciding, noMaker } from "./maker.ts";
import { managedOwner, methodOfProgram, methodsAround, scriptCalls } from "./managed.ts";
import { isLibrary } from "./own_image.ts";
import { type AttributionOptions, isMonos, type OwnedFrame, type Owner, ownerOf } from "./owner.ts";
import { isInKernel } from "./panic.ts";
import {
  isAskedFor,
  isElsewhere,
  isRestart,
  isWholeBacktrace,
  panicEnd,
  trapWords,
} from "./panic_stack.ts";
import {
  isApples,
  isBrought,
  isOutside,
  isPlugIn,
  isSamePath,
  isSystemProgram,
  isTweak,
} from "./program.ts";
import { hiddenRecursion, overflows, partialRecursion, recursion } from "./recursion.ts";
import { isSignalled } from "./signalled.ts";
import {
  endedBy,
  entryOf,
  functionOf,
  linkedTitle,
  ownHandler,
  reachesBase,
  readStack,
  type StackReading,
} from "./stack.ts";
import {
  type Absent,
  decidesNothing,
  hasLeft,
  isCompiledCode,
  isHeapDamage,
  isMallocStop,
  isManaged,
  isPoolRelease,
  isPythons,
  isReporterCrash,
  isScriptError,
  isUnmapped,
  isUnplaced,
  raisesAgain,
  tellingStack,
  usesResource,
} from "./telling.ts";
import { scriptOfPage } from "./web_page.ts";

/** Result of {@linkcode attributeReport}. */
export interface Attribution {
  /** Owner of the deciding frame; `system` when all frames of a whole stack are the system's. */
  readonly verdict: Owner;
  /** What the report lacks where no function of the program decides; `null` when it lacks none. */
  readonly absent: Absent | null;
  /** Library or image of the deciding frame; `null` without one. Not safe to print raw. */
  readonly library: string | null;
  /** Whether the deciding frame's image is outside of the program's bundle or folder, such as a plug-in of the
   * system's or an injected library. */
  readonly isOutside: boolean;
  /** Whether that image, by its folder, is a plug-in that programs of others load, as an Audio Unit. */
  readonly isPlugIn: boolean;
  /** Whether a jailbreak put the deciding frame's image into the program. */
  readonly isTweak: boolean;
  /** Whether the deciding frame's image is another than the program's executable, as far as their names tell: a
   * library, a framework or a plug-in; `null` where the report does not name the program. */
  readonly isLibrary: boolean | null;
  /** The framework or run-time that the deciding function is of, by its name, where it is linked into the program;
   * `null` for others. */
  readonly part: string | null;
  /** Whether the deciding frame is of a program of Apple's that does not come with the system, such as Xcode. */
  readonly isApple: boolean;
  /** Whether the deciding frame is evidence: what ended the process is in it, or in what it called directly. Else it is
   * only the innermost one on the stack that is not the system's. */
  readonly isEvidence: boolean;
  /** Whose code the deciding function is by its name or its source file's folder, where it is linked into the program: a
   * library, or a crate of Rust; `null` when they do not tell. Not safe to print raw. */
  readonly maker: string | null;
  /** Whether it is the source file that tells of the maker. */
  readonly isOfFile: boolean;
  /** Whether the maker is that of the function that called the deciding one, which is a template. */
  readonly isOfCaller: boolean;
  /** The language of the script that led to the deciding frame, where an interpreter is on the stack; `null` for
   * others. */
  readonly script: string | null;
  /** Whether it was a collector of garbage that made the access: what damaged the memory need not be on the stack. */
  readonly isCollector: boolean;
  /** Whether what led to a run-time's function is code in no image, as what it compiles. */
  readonly isCompiled: boolean;
  /** The innermost frame that is not the system's; `null` when there is none. */
  readonly deciding: OwnedFrame | null;
  /** Frames of the library further out than the deciding frame. */
  readonly involved: readonly OwnedFrame[];
  /** Number of frames before the deciding frame. */
  readonly passed: number;
  /** The deciding stack, innermost first. */
  readonly frames: readonly OwnedFrame[];
}

/** Attributes a report. The innermost frame decides that is neither the system's nor a language run-time's.
 * The stack is that of an uncaught exception, else the crashed thread's. Idle stacks, and those of processes
 * that were ended for memory or heat, decide nothing.
 *
 * @example
 * ```ts
 * import { attributeReport, readReport } from "@machpause/machpause/report";
 *
 * const report = readReport(await Deno.readFile("MyApp.ips"), "MyApp.ips");
 * const { verdict, library } = attributeReport(report, { mine: ["CaptchaSDK"] });
 * console.log(verdict, library);
 * ```
 */
export function attributeReport(
  report: CrashReport,
  options: AttributionOptions = {},
): Attribution {
  return withJson(attributed(report, options), attributionJson);
}

function attributed(report: CrashReport, options: AttributionOptions): Attribution {
  const found = attribute(report, options);
  if (!/^(?:stack|compiled|outer|gap)$/.test(found.absent ?? "")) return found;
  // Mono lists the managed methods beside the native stack.
  const own = methodOfProgram(methodsAround(report));
  return own === null ? found : {
    ...found,
    verdict: "unknown",
    absent: "managed beside",
    library: own.place === null ? own.name : `${own.name}, ${own.place}`,
  };
}

/** Whose a function of C without a row is that Mono's library or Xamarin's has: Xamarin's own ones have its name further out. */
function monosTitle(frames: readonly OwnedFrame[], at: number): string {
  const { library } = frames[at];
  const isXamarins = frames.slice(at, at + 4).some(({ frame, library: other }) =>
    other === library && frame.symbol?.startsWith("xamarin_") === true
  );
  return isXamarins ? "Xamarin or Mono" : "Mono";
}

function attribute(report: CrashReport, options: AttributionOptions): Attribution {
  if (report.panic !== null) return ofPanic(report);
  const stack = tellingStack(report);
  const isService = usesResource(report) && isSystemProgram(report);
  const frames = stack.map((frame, at) => {
    const owned = ownerOf(frame, stack[at - 1] ?? null, report, options);
    // Of the libraries that a service of the system loads some reports have only the name.
    return isService && owned.owner === "program" && isNamedOnly(frame, report)
      ? { ...owned, owner: "system" as const }
      : owned;
  });
  if (usesResource(report) && scriptOfPage(report) !== null) {
    return { ...undecided, absent: "page", frames };
  }
  if (isSignalled(report, stack)) {
    // What may not be caught has a reason in a whole report, which says whether the stack shows anything.
    const isUnsaid = report.termination === null &&
      /^SIGKILL\b/.test(report.exception?.signal ?? "");
    const absent = report.stacks.length === 0 ? "stack" : isUnsaid ? "sender" : "signal";
    return { ...undecided, verdict: "none", absent, frames };
  }
  if (isUnmapped(report)) return { ...undecided, verdict: "none", absent: "launch", frames };
  if (decidesNothing(report, stack)) {
    return { ...undecided, verdict: "none", absent: whyNone(report, stack), frames };
  }
  // The handler, of which not even the name is known, only ended the process for a signal that was sent.
  const handler = endedBy(report) === "access" ? null : ownHandler(stack);
  if (handler?.isWaiting === true && functionOf(stack[handler.at], null) === null) {
    return { ...undecided, verdict: "none", absent: "wait", frames };
  }
  // The thread that met a limit of memory need not be what used it.
  if (
    report.exception?.type === "EXC_RESOURCE" && /^MEMORY\b/.test(report.exception.subtype ?? "")
  ) return { ...undecided, absent: isSystemProgram(report) ? "part" : "resource", frames };
  const reading = readStack(stack);
  const managed = managedOwner(report);
  if (managed !== null) {
    const absent = managed.isLibrary ? "managed library" : "managed own";
    return { ...undecided, verdict: "program", absent, library: managed.name, frames };
  }
  const [script] = scriptCalls(report);
  if (script !== undefined) {
    const library = script.name === null ? script.place : `${script.name}, ${script.place}`;
    return { ...undecided, verdict: "program", absent: "javascript", library, frames };
  }
  if (raisesAgain(report, reading)) {
    return isScriptError(report, reading)
      ? { ...undecided, verdict: "program", absent: "javascript error", frames }
      : { ...undecided, absent: "again", frames };
  }
  if (isManaged(stack, reading) || isThrown(frames, report, reading)) {
    return { ...undecided, verdict: "program", absent: "managed", frames };
  }
  if (isPythons(reading)) return { ...undecided, verdict: "program", absent: "python", frames };
  if (isReporterCrash(report, stack)) return { ...undecided, absent: "reporter", frames };
  const begin = Math.max(reading.first, reading.handled);
  // What runs a run loop within a call did not call what the loop called then, but it let that call a function again
  // which had not ended.
  const called = begunBefore(stack) !== null
    ? -1
    : stack.findIndex(({ symbol }, index) =>
      index >= begin && symbol?.startsWith("__CFRUNLOOP_IS_CALLING_OUT_TO_") === true
    );
  const end = called < 0 ? entryOf(stack) : Math.min(called, entryOf(stack));
  const asked = refusedArgument(report, frames);
  const owned: OwnedStack = { report, stack, frames, reading, begin: asked ?? begin, end };
  const found = decidingOf(owned);
  const { at, deciding, isOwn, isPart, isAddress } = found;
  const hidden = stack === report.crashedThread?.frames ? hiddenRecursion(report) : null;
  if (hidden !== null) {
    return { ...undecided, absent: hidden.isCompiled ? "hidden compiled" : "hidden", frames };
  }
  const isHeap = isHeapDamage(report, reading) && !overflows(report);
  if (isHeap || isMallocStop(report, reading)) {
    return {
      ...undecided,
      absent: isHeap ? "heap" : "malloc",
      library: deciding?.library ?? null,
      deciding,
      passed: at < 0 ? 0 : at - begin,
      frames,
    };
  }
  const setup = reading.rows.find(({ row }) => row.isOfSetup !== undefined)?.row.isOfSetup;
  if (endedBy(report) !== "access" && setup !== undefined && !isSample(report)) {
    return { ...undecided, absent: setup === true ? "setup" : "settings", frames };
  }
  if (
    reading.rows.some(({ row }) =>
      row.meaning === fullHeap || (row.meaning === thrownScript && endedBy(report) === "abort")
    )
  ) {
    return { ...undecided, verdict: "program", absent: "javascript unseen", frames };
  }
  // What filled the stack is further out than a copy goes.
  if (
    stack === report.crashedThread?.frames && !reachesBase(stack) && overflows(report) &&
    recursion(report) === null && !isCopying(report) && partialRecursion(report) === null
  ) return { ...undecided, absent: "hidden", frames };
  const beside = deciding === null ? null : partBeside(report, deciding, stack);
  if (beside !== null) {
    return {
      ...undecided,
      absent: "nameless",
      library: beside,
      deciding,
      passed: Math.max(at, 0),
      frames,
    };
  }
  if (isOwn && isPoolRelease(report, stack, reading)) {
    return { ...undecided, absent: "pool", frames };
  }
  if (isCalledByManaged(report, owned, found)) {
    return { ...undecided, absent: "managed nameless", frames };
  }
  if (isCompiledCode(report, stack, begin)) return { ...undecided, absent: "compiled", frames };
  // What main() called is in no image that is known.
  if (
    deciding?.frame.symbol === "main" && deciding.owner === "program" &&
    stack.slice(begin, at).some((frame) => isUnplaced(report, stack, frame))
  ) return { ...undecided, absent: "some images", frames };
  const near = isOwn ? unplacedBefore(owned, at) : -1;
  if (near >= 0) {
    return {
      ...undecided,
      absent: "unplaced",
      deciding: frames[near],
      passed: near,
      frames,
    };
  }
  const module = deciding === null ? swiftModule(report) : null;
  if (module !== null) {
    return { ...undecided, verdict: "program", absent: "module", library: module, frames };
  }
  // What is left on the stack need not have called what raised it.
  const isLeft = deciding?.owner === "program" && hasLeft(report, stack);
  if (isLeft && !isOwn) return { ...undecided, absent: "thrower", frames };
  // A panic of Rust that may not go on has left what it began in, unless that is the function itself.
  const isUnwound = isOwn && endedBy(report) !== "access" &&
    stack.slice(0, at).some(({ symbol }) => cannotUnwind.test(symbol ?? ""));
  const isPassedNil = isOwn && deciding?.owner === "program" &&
    (endedBy(report) === "trap" || report.exception === null) &&
    bridgedArgument(stack) !== null &&
    stack[at - 1]?.symbol?.includes("_unconditionallyBridge") === true;
  const absent = isPassedNil
    ? "argument"
    : isUnwound
    ? "unwound"
    : isLeft
    ? "left"
    : isOwn
    ? null
    : whyAbsent(owned, found);
  const isSystems = absent === null || systemAbsent.has(absent);
  return {
    verdict: isAddress || isLeft || isUnwound || isPassedNil
      ? "unknown"
      : deciding?.owner ?? (isSystems ? "system" : "unknown"),
    absent,
    library: absent === "generated"
      ? frames.slice(0, reading.first).find(({ owner }) => owner === "runtime")?.library ?? null
      : absent === "culprit"
      ? culpritOf(report)
      : deciding?.library ?? null,
    isOutside: deciding !== null && isOutside(deciding.frame, report),
    isPlugIn: deciding !== null && isOutside(deciding.frame, report) && isPlugIn(deciding.frame),
    isTweak: deciding !== null && isTweak(deciding.frame, report),
    isLibrary: deciding !== null && isLibrary(deciding.frame, report),
    part: isPart
      ? knownFrame(frames[at].frame.symbol!)?.framework ??
        (isMonos(frames[at].frame, report) ? monosTitle(frames, at) : null)
      : deciding?.owner === "program" && frames[at].owner === "runtime"
      ? linkedTitle(frames[at].frame)
      : null,
    isApple: deciding !== null && isOfApples(deciding, report),
    isEvidence: deciding !== null &&
      (found.isDeep || isEvidence(report, stack, reading, begin, at)),
    ...deciding === null || isPart || isUnwound ? noMaker : makerOfDeciding(frames, at, report),
    isCollector: deciding !== null && endedBy(report) !== "abort" &&
      // Where memory is short a collector stops the process on purpose.
      !reading.rows.some(({ row }) => row.role === "raise" || row.role === "vague") &&
      isCollecting(stack, reading.first, at),
    isCompiled: deciding?.owner === "runtime" &&
      stack.slice(at + 1).some((frame) => imageOf(frame) === null && frame.symbol === null),
    script: lacksState(report, stack[reading.first]) ? null : scriptBetween(
      stack,
      // The interpreter itself may be further in than what decides of it.
      deciding === null || deciding.owner === "runtime" ? begin : at,
      deciding === null ? owned.end : Math.min(owned.end, at + SCRIPT_DEPTH),
    ),
    deciding,
    involved: deciding?.owner === "mine"
      ? []
      : frames.filter(({ owner }, index) => owner === "mine" && index > at),
    passed: Math.max(at, 0),
    frames,
  };
}

/** Index of the innermost frame before the deciding one that may be of the same image, or of another one of the program, where
 * the report lists no images and has only its address: how far the program goes is not known then. -1 without one. */
function unplacedBefore({ report, stack, begin }: OwnedStack, at: number): number {
  if (report.images.length > 0) return -1;
  const { address } = stack[at];
  return stack.findIndex((frame, index) => {
    if (index < begin || index >= at || frame.symbol !== null || frame.cached === true) {
      return false;
    }
    // Who wrote that knew the images.
    const { span } = frame;
    if (span !== null && report.text.slice(span.start, span.end).includes("???")) return false;
    const distance = frame.address < address ? address - frame.address : frame.address - address;
    return distance < NEAR_IMAGE && isUnplaced(report, stack, frame);
  });
}

/** A program and what is loaded beside it take up less. */
const NEAR_IMAGE = 1n << 28n;

/** Whether a report has only the name of a frame's image, which is not the program itself. */
function isNamedOnly(frame: ReportFrame, { process }: CrashReport): boolean {
  const image = imageOf(frame);
  return image !== null && image.path === null && image.name !== process.name;
}

/** Whether a frame is of the bundle of a program of Apple's, or of that program itself. */
function isOfApples({ owner, frame }: OwnedFrame, report: CrashReport): boolean {
  if (owner !== "program" || !isApples(report)) return false;
  if (isBrought(frame, report)) return true;
  const image = imageOf(frame);
  const own = report.process.path;
  if (image === null || image.path === null || own === null) {
    return isLibrary(frame, report) === false;
  }
  const bundle = /^.{1,1000}?\.app\//.exec(own)?.[0];
  return isSamePath(image.path, own) || (bundle !== undefined && image.path.startsWith(bundle));
}

/** Whether the functions up to the deciding one are of a collector of garbage. */
function isCollecting(stack: readonly ReportFrame[], first: number, at: number): boolean {
  return stack.slice(first, at + 1).some((frame, index) => {
    const symbol = functionOf(frame, stack[first + index - 1] ?? null);
    return symbol !== null && callTime(symbol).occasion?.meaning === collected;
  });
}

/** Whether a run-time of managed code ended the process for what that code threw: what raises it was called by that code, which
 * has no names. */
function isThrown(
  frames: readonly OwnedFrame[],
  report: CrashReport,
  { rows }: StackReading,
): boolean {
  const thrown = rows.find(({ row }) => row.throwsManaged === true)?.index;
  if (thrown === undefined || endedBy(report) === "access") return false;
  const caller = frames.slice(thrown).find(({ owner }) => owner !== "runtime");
  // What handles an exception runs on top of what raised it.
  return caller !== undefined && imageOf(caller.frame) === null && caller.frame.symbol === null &&
    !frames.slice(0, thrown).some(({ owner }) => owner === "program" || owner === "mine");
}

/** Mono's functions that its compiled code calls to throw an exception (Mono, mono/mini/exceptions-*.c). */
const throwsForManaged = /^mono_(?:x86|amd64|arm|arm64)_(?:re)?throw_(?:corlib_)?exception$/;

/** Whether a run-time of managed code ended the process without names that say why, and was called by code without names, as
 * that which it compiles has none. */
function isCalledByManaged(
  report: CrashReport,
  { stack, reading }: OwnedStack,
  { at, deciding, isPart }: Deciding,
): boolean {
  // What Mono throws for code without names is managed code's.
  if (isPart && throwsForManaged.test(deciding?.frame.symbol ?? "")) {
    return stack[at + 1] !== undefined && imageOf(stack[at + 1]) === null &&
      stack[at + 1].symbol === null;
  }
  if (deciding?.owner !== "runtime" || endedBy(report) !== "abort") return false;
  const { library } = deciding;
  if (library === null || known("library", library)?.throwsManaged !== true) return false;
  if (reading.rows.some(({ row }) => row.role === undefined)) return false;
  const next = stack.slice(at).find((frame) => titleOf(frame) !== library);
  return next !== undefined && imageOf(next) === null && next.symbol === null;
}

/** What is linked into the program, and may be what a function of it without a name is of: by the thread or queue that it is
 * on, or by what Mono itself says of a signal; `null` for others. */
function partBeside(
  report: CrashReport,
  { owner, frame }: OwnedFrame,
  stack: readonly ReportFrame[],
): string | null {
  const hasNoName = owner === "program" && functionOf(frame, null) === null;
  // It has the engine and what IL2CPP made of the program's own methods.
  if (hasNoName && titleOf(frame) === "UnityFramework") return "Unity";
  const isNameless = hasNoName && isLibrary(frame, report) !== true;
  if (!isNameless) return null;
  const own = report.threads.find(({ frames }) => frames === stack) ?? report.crashedThread;
  const found = partThreads.find(({ name, title, isWhole }) =>
    (isWhole === true ? report.threads : [own]).some((thread) =>
      name.test(thread?.name ?? "") || name.test(thread?.queue ?? "")
    ) && !report.images.some((image) => image.name.startsWith(`lib${title.toLowerCase()}`))
  );
  if (found !== undefined) return found.title;
  const between = titleAround(stack, stack.indexOf(frame));
  if (between !== null) return between;
  // Xamarin's functions are called by its own classes.
  const inner = stack[stack.indexOf(frame) - 1];
  if (inner !== undefined && titleOf(inner) === titleOf(frame)) {
    if (/^(?:xamarin|monotouch)_(?:release|retain|get)_/.test(inner.symbol ?? "")) return "Mono";
  }
  return report.text.slice(0, MONO_LOG).includes(" while executing native code") ||
      report.information.some((text) => text.startsWith("Unhandled managed exception: "))
    ? "Mono"
    : null;
}

/** What is linked into the program whose functions are on both sides of one without a name in the same image; `null` where
 * they are not, or of different ones. */
function titleAround(stack: readonly ReportFrame[], at: number): string | null {
  const title = titleOf(stack[at]);
  const nearest = (step: number): string | null => {
    for (let index = at + step; stack[index] !== undefined; index += step) {
      if (titleOf(stack[index]) !== title) return null;
      const symbol = functionOf(stack[index], stack[index - 1] ?? null);
      if (symbol !== null) {
        return knownFrame(symbol)?.framework ?? knownVendor(symbol)?.meaning ?? null;
      }
    }
    return null;
  };
  const inner = nearest(-1);
  return inner !== null && inner === nearest(1) ? inner : null;
}

/** Characters of a log in which Mono's words are looked for. */
const MONO_LOG = 1 << 16;

/** Frames in which an interpreter is looked for. */
const SCRIPT_DEPTH = 64;

/** Rust, library/core/src/panicking.rs: panic_cannot_unwind */
const cannotUnwind =
  /^core::panicking::panic_(?:cannot_unwind|in_cleanup)\b|9panicking\d\dpanic_(?:cannot_unwind|in_cleanup)/;

/** An attribution that no frame decides. */
const undecided = {
  verdict: "unknown",
  library: null,
  isOutside: false,
  isPlugIn: false,
  isTweak: false,
  isLibrary: false,
  part: null,
  isApple: false,
  isEvidence: false,
  ...noMaker,
  script: null,
  isCollector: false,
  isCompiled: false,
  deciding: null,
  involved: [],
  passed: 0,
} as const;

/** Modules of Swift and of the system, whose messages do not say whose the fault is. */
const systemModule =
  /^(?:Swift\w{0,20}|_\w{1,60}|Foundation\w{0,20}|Combine|Dispatch|Observation|Network|UIKit\w{0,10}|AppKit|CoreData|XCTest|RealityKit|Charts|RegexBuilder|Synchronization)$/;

/** The module that a fatal message of Swift's names by its file; `null` without one. Swift, stdlib/public/stubs/Assert.cpp:
 * `Module/File.swift:12: Fatal error: …`, and before Swift 5.4 `Fatal error: …: file Module/File.swift, line 12`. */
function swiftModule({ information }: CrashReport): string | null {
  for (const text of information) {
    const head = text.slice(0, 4000);
    const module =
      /^(\w{1,100})\/[^/:\n]{1,200}\.swift:\d{1,7}: (?:Fatal error|Assertion failed|Precondition failed)/
        .exec(head)?.[1] ??
        /^[Ff]atal error: [^\n]{0,3000}?: file (\w{1,100})\/[^/,\n]{1,200}\.swift, line \d/.exec(
          head,
        )?.[1];
    if (module !== undefined && !systemModule.test(module)) return module;
  }
  return null;
}

/** Functions of the kernel that may stand between an extension and where it failed. */
const KERNEL_DEPTH = 2;

/** A panic is attributed to the innermost kernel extension that is not Apple's. */
function ofPanic(report: CrashReport): Attribution {
  const frames = (report.threads[0]?.frames ?? []).map((frame): OwnedFrame => {
    const name = frame.image?.name ?? frame.imageName;
    const isApple = name === null || /^(?:mach_kernel|kernel|com\.apple\.)/.test(name);
    return {
      frame,
      owner: isApple ? "system" : "program",
      library: name,
      unit: null,
      by: name === null ? "none" : isApple ? "image" : "extension",
    };
  });
  const isAsked = isAskedFor(report);
  const from = panicEnd(report);
  const isOther = isElsewhere(report);
  const deciding = isAsked || isOther
    ? null
    : frames.find(({ owner }, at) => at >= from && owner === "program") ?? null;
  const isKernels = isInKernel(report);
  const at = deciding === null ? -1 : frames.indexOf(deciding);
  return {
    ...undecided,
    verdict: deciding !== null
      ? "program"
      : isKernels || frames.some(({ owner, library }) => owner === "system" && library !== null)
      ? "system"
      : "unknown",
    absent: deciding !== null
      ? null
      : isRestart(report)
      ? "restart"
      : isAsked
      ? "asked"
      : isOther
      ? "elsewhere"
      : frames.length === 0
      ? "stack"
      : !isKernels && frames.every(({ library }) => library === null)
      ? "images"
      : isWholeBacktrace(report)
      ? "extension"
      : "extension cut",
    library: deciding?.library ?? null,
    // What the kernel did for it, and not for another extension. Without its message a panic that is no fault may be one
    // whose backtrace does not show what failed.
    isEvidence: deciding !== null &&
      (report.panic?.message !== "" || trapWords(report) !== null) && at - from <= KERNEL_DEPTH &&
      frames.slice(from, at).every(({ library }) => !library?.startsWith("com.apple.")),
    deciding,
    passed: Math.max(at, 0),
    frames,
  };
}

/** A frame and whose it is, in `ReportJson`. */
export interface OwnedFrameJson
  extends ReportFrameJson, Pick<OwnedFrame, "owner" | "library" | "unit" | "by"> {}

/** Whose crash it is, in `ReportJson`. */
export interface AttributionJson extends Pick<Attribution, "verdict" | "library" | "isEvidence"> {
  /** See {@linkcode Attribution.deciding}. */
  readonly deciding: OwnedFrameJson | null;
  /** See {@linkcode Attribution.involved}. */
  readonly involved: readonly OwnedFrameJson[];
}

function ownedJson(owned: OwnedFrame): OwnedFrameJson {
  return {
    ...frameJson(owned.frame),
    owner: owned.owner,
    library: owned.library,
    unit: owned.unit,
    by: owned.by,
  };
}

/** An attribution's form. */
export function attributionJson(
  { verdict, library, isEvidence, deciding, involved }: Attribution,
): AttributionJson {
  return {
    ...{ verdict, library, isEvidence },
    deciding: deciding === null ? null : ownedJson(deciding),
    involved: involved.map(ownedJson),
  };
}
