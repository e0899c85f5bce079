/** Attribution: whether a crash is the program's, one of its libraries' or the system's. */

import { demangle, isMangled } from "../../symbols/demangle/demangle.ts";
import {
  baseName,
  imageOf,
  imageTitle,
  isBaseLibrary,
  isKernelFrame,
  isSystemFrame,
  outsideOfCache,
  programImage,
  systemByAddresses,
  titleOf,
} from "../images.ts";
import {
  callTime,
  collected,
  companionOf,
  fullHeap,
  known,
  knownFrame,
  knownVendor,
  partThreads,
  thrownScript,
} from "../knowledge/mod.ts";
import { isJetsam, isLowMemory } from "../jetsam.ts";
import type { CodeOrigins } from "../origins.ts";
import { type CrashReport, fieldValue, type ReportFrame, type ReportImage } from "../report.ts";
import {
  isApples,
  isBrought,
  isInjected,
  isInstalled,
  isInterpreter,
  isOfIdentifier,
  isOfProcess,
  isOutside,
  isPlugIn,
  isSamePath,
  isSystemProgram,
  isTweak,
} from "./program.ts";
import { isCopying } from "./copying.ts";
import {
  bridgedArgument,
  delegateCaller,
  isEvidence,
  isOfBinding,
  lacksState,
  makerOfFile,
  scriptBetween,
} from "./evidence.ts";
import { isOwnKill, isSignalled } from "./signalled.ts";
import { jetsamReason } from "./jetsam.ts";
import { isIdleStack, lockOf } from "./hang.ts";
import { isInKernel } from "./panic.ts";
import { isAskedFor, isElsewhere, isRestart, isWholeBacktrace, panicEnd } from "./panic_stack.ts";
import { hiddenRecursion, overflows, partialRecursion, recursion } from "./recursion.ts";
import {
  callsScript,
  endedBy,
  entryOf,
  frameOwner,
  functionOf,
  isMonoFile,
  isOfMethod,
  isPart,
  isRecorderFrame,
  isThunk,
  isWrapper,
  linkedTitle,
  ownHandler,
  passesOn,
  reachesBase,
  readStack,
  type StackReading,
  waitsForEvents,
} from "./stack.ts";
import { scriptOfPage } from "./web_page.ts";
import { managedOwner, methodOfProgram, methodsAround, scriptCalls } from "./managed.ts";
import {
  type Absent,
  absentFrom,
  decidesNothing,
  graphicsAside,
  hasLeft,
  isBlameless,
  isCompiledCode,
  isGenerated,
  isHeapDamage,
  isLaunching,
  isMallocStop,
  isManaged,
  isPackaging,
  isPoolRelease,
  isPrivacy,
  isPrivacyAbort,
  isPythons,
  isReporterCrash,
  isScriptError,
  isSentSignal,
  isUnplaced,
  lacksSender,
  onlyWaits,
  raisesAgain,
  tellingStack,
  usesResource,
} from "./telling.ts";

/** A range of code, in bytes from the image's load address. */
export interface CodeRange {
  /** Image name; `null` for the program. */
  readonly image: string | null;
  /** Offset of the first byte. */
  readonly begin: number;
  /** Offset after the last byte. */
  readonly end: number;
}

/** Options of {@linkcode attributeReport}. */
export interface AttributionOptions {
  /** Names of static or dynamic libraries, with or without `lib`, `.a`, `.dylib` and `.framework`, or of
   * source folders. */
  readonly mine?: readonly string[];
  /** Code ranges that belong to the library. */
  readonly ranges?: readonly CodeRange[];
  /** Tells static libraries in an image apart. */
  readonly origins?: CodeOrigins;
}

/** Owner of a frame. `runtime` is a language run-time that only raises what the program did; as a verdict,
 * `none` means that the stacks show no cause. */
export type Owner = "mine" | "program" | "runtime" | "system" | "unknown" | "none";

/** A frame and its owner. */
export interface OwnedFrame {
  /** A frame of the deciding stack. */
  readonly frame: ReportFrame;
  /** Owner of its code. */
  readonly owner: Owner;
  /** Its library or image; `null` when not known. Not safe to print raw. */
  readonly library: string | null;
  /** Its object file or source file; `null` when not known. Not safe to print raw. */
  readonly unit: string | null;
  /** What the owner was determined by. */
  readonly by: "image" | "range" | "archive" | "unit" | "extension" | "none";
}

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
  const found = attribute(report, options);
  if (!/^(?:stack|compiled|outer)$/.test(found.absent ?? "")) return found;
  // Mono lists the managed methods beside the native stack.
  const own = methodOfProgram(methodsAround(report));
  return own === null ? found : {
    ...found,
    verdict: "unknown",
    absent: "managed beside",
    library: own.place === null ? own.name : `${own.name}, ${own.place}`,
  };
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
    const absent = report.stacks.length === 0 ? "stack" : "signal";
    return { ...undecided, verdict: "none", absent, frames };
  }
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
  // What runs a run loop within a call did not call what the loop called then.
  const called = stack.findIndex(({ symbol }, index) =>
    index >= begin && symbol?.startsWith("__CFRUNLOOP_IS_CALLING_OUT_TO_") === true
  );
  const end = called < 0 ? entryOf(stack) : Math.min(called, entryOf(stack));
  const owned: OwnedStack = { report, stack, frames, reading, begin, end };
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
  if (endedBy(report) !== "access" && setup !== undefined) {
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
    stack === report.crashedThread?.frames && overflows(report) && recursion(report) === null &&
    !isCopying(report) &&
    !reachesBase(stack) && partialRecursion(report) === null
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
  const isPassedNil = isOwn && deciding?.owner === "program" && endedBy(report) === "trap" &&
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
        (isMonos(frames[at].frame, report) ? "Mono" : null)
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

/** What tells whose code a function is. */
type Maker = Pick<Attribution, "maker" | "isOfCaller" | "isOfFile">;

/** That nothing does. */
const noMaker: Maker = { maker: null, isOfCaller: false, isOfFile: false };

/** Whose code the deciding function is, where that is not known by its image. */
function makerOfDeciding(frames: readonly OwnedFrame[], at: number, report: CrashReport): Maker {
  const named = isLibrary(frames[at].frame, report) === false
    ? makerOf(frames, at)
    : makerOfLibrary(frames, at, report);
  if (named.maker !== null) return { ...named, isOfFile: false };
  const maker = makerOfFile(frames[at].frame.file);
  return { maker, isOfCaller: false, isOfFile: maker !== null };
}

/** Whose code a function that is linked into the program is, by its name; that of a template, by its caller's. */
function makerOf(
  frames: readonly OwnedFrame[],
  at: number,
): Pick<Attribution, "maker" | "isOfCaller"> {
  const maker = makerOfFrame(frames, at);
  const next = frames[at + 1];
  if (
    maker !== null || next === undefined || next.library !== frames[at].library ||
    !/^\w{1,60}</.test(frames[at].frame.symbol ?? "")
  ) return { maker, isOfCaller: false };
  return { maker: makerOfFrame(frames, at + 1), isOfCaller: true };
}

/** Whose library it is, by its file's name; else whose the function is, where the image may be the program's. */
function makerOfLibrary(
  frames: readonly OwnedFrame[],
  at: number,
  report: CrashReport,
): Pick<Attribution, "maker" | "isOfCaller"> {
  // Unity's library has what IL2CPP made of the program's own methods, too.
  const { frame } = frames[at];
  if (
    isOfMethod(frame.symbol ?? "") ||
    (titleOf(frame) === "UnityFramework" && functionOf(frame, null) === null)
  ) return { maker: null, isOfCaller: false };
  const sdk = known("sdk", titleOf(frames[at].frame).replace(/\.framework$/, ""));
  if (sdk !== null) {
    // It may have further libraries in it, of which the function's name tells.
    const symbol = functionOf(frames[at].frame, null);
    const inner = symbol === null ? null : knownVendor(symbol);
    return { maker: (inner ?? sdk).meaning, isOfCaller: false };
  }
  return isLibrary(frames[at].frame, report) === true
    ? { maker: null, isOfCaller: false }
    : makerOf(frames, at);
}

function makerOfFrame(frames: readonly OwnedFrame[], at: number): string | null {
  const { frame } = frames[at];
  const symbol = functionOf(frame, null);
  if (symbol === null) return null;
  const vendor = knownVendor(symbol)?.meaning ?? null;
  if (vendor !== null) return vendor;
  const companion = companionOf(symbol, frames.map(({ frame }) => frame.symbol));
  if (companion !== null) return companion;
  const crate = crateOf(frame.symbol!);
  if (crate === null || titleOf(frame).replaceAll("-", "_").includes(crate)) return null;
  // The program's own crate is among those that called it, and may have another name than the program.
  const isCalled = frames.slice(at + 1).some(({ frame: { symbol } }) => {
    const other = symbol === null ? null : crateOf(symbol) ?? crateOfMain(symbol);
    return other !== null && other !== crate;
  });
  return isCalled ? `the crate ${crate}` : null;
}

/** The crate of the program's main function in Rust. */
function crateOfMain(symbol: string): string | null {
  return /^([a-z]\w{0,60})::main$/.exec(symbol)?.[1] ?? null;
}

/** The crate of a function of Rust: the first part of its path, or of the type's whose trait it implements. */
function crateOf(symbol: string): string | null {
  // Newer names have no hash, but mangling of their own.
  const isNewer = /^_{1,2}R[A-Z]/.test(symbol) && isMangled(symbol);
  if (
    !isNewer && !/::h[0-9a-f]{1,16}$/.test(symbol.slice(-24)) && !symbol.includes("::{{")
  ) return null;
  const name = isNewer ? demangle(symbol) : symbol;
  const crate = /^(?:_?(?:<|\$LT\$))?([a-z]\w{0,60})::/.exec(name)?.[1] ?? null;
  return crate === null || /^(?:std|core|alloc)$/.test(crate) ? null : crate;
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

/** Characters of a log in which Mono's words are looked for. */
const MONO_LOG = 1 << 16;

/** Frames in which an interpreter is looked for. */
const SCRIPT_DEPTH = 64;

/** Rust, library/core/src/panicking.rs: panic_cannot_unwind */
const cannotUnwind = /^core::panicking::panic_(?:cannot_unwind|in_cleanup)\b/;

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

/** A stack with the owners of its frames. */
interface OwnedStack {
  readonly report: CrashReport;
  readonly stack: readonly ReportFrame[];
  readonly frames: readonly OwnedFrame[];
  readonly reading: StackReading;
  /** Indices of the first frame that can decide, and after the last. */
  readonly begin: number;
  readonly end: number;
}

/** Which frame decides. */
interface Deciding {
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

/** The innermost frame that is neither the system's nor a run-time's; else one of a run-time. */
function decidingOf(owned: OwnedStack): Deciding {
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
const none: Deciding = {
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
  // Its own assertion is no less its own than its own access.
  if (part > 0 && /^__assert(?:_rtn)?$/.test(stack[part - 1].symbol ?? "")) return true;
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
  const isRuntime = ({ owner, frame }: OwnedFrame, index: number): boolean =>
    index >= begin && index < end && index > fatal && owner === "runtime" &&
    !isRecorderFrame(frame) && !waitsForEvents(stack, begin, index);
  // A function that only raises, or a handler, decides where no other does, and not where a copy does not have its caller.
  const isCut = lacking === "outer" && endedBy(report) === "abort";
  const ofFunction = frames.findIndex((frame, index) =>
    isRuntime(frame, index) && !onlyRaises(frame.frame) &&
    // What ended the process for a caller that a copy does not have.
    !(isCut && isStop(frame.frame))
  );
  return ofFunction >= 0 || lacking === "outer" ? ofFunction : frames.findIndex(isRuntime);
}

/** Why nobody is to blame for what a report shows. */
function whyNone(report: CrashReport, stack: readonly ReportFrame[]): Absent | null {
  if (isPackaging(report)) return "packaging";
  if (isJetsam(report) || isLowMemory(report)) {
    return jetsamReason(report) === "per-process-limit" ? "limit" : "memory";
  }
  if (new Set(report.threads.map(({ process }) => process)).size > 1) return "processes";
  if (isBlameless(report)) return "blameless";
  if (isOwnKill(report)) return "sender";
  if (onlyWaits(report, stack)) return "wait";
  if (isSentSignal(report, stack)) return "sent";
  // Of a process that waited, what led to its end is on another thread, which a copy may lack.
  return report.format === "crash" && report.threads.length === 1 && isIdleStack(stack) &&
      report.termination?.namespace !== "SIGNAL" && !usesResource(report) && !isBlameless(report)
    ? "threads"
    : report.stacks.length === 0
    ? "stack"
    : null;
}

/** Why no function of the program decides. */
function whyAbsent(
  { report, stack, reading }: OwnedStack,
  { deciding, isAddress, lacking }: Deciding,
): Absent | null {
  if (isPrivacy(report) || isPrivacyAbort(stack, reading.first)) return "description";
  if (usesResource(report) && deciding === null) {
    return isSystemProgram(report) ? "part" : "resource";
  }
  if (isPoolRelease(report, stack, reading)) return "pool";
  if (deciding === null && report.exception?.type === "EXC_CRASH" && lacksSender(stack)) {
    return "sender";
  }
  if (isGenerated(stack, reading.first)) return "generated";
  if (lacking === "outer" && deciding === null && isRecording(stack)) return "recorder";
  if (lacking === "stack" && culpritOf(report) !== null) return "culprit";
  if (
    lacking === "stack" && report.exception !== null && isSystemProgram(report) &&
    !isInterpreter(report) && !isInjected(report)
  ) {
    return "system's";
  }
  if (isAddress) return isSystemProgram(report) ? "system's" : "address";
  if (isOfBinding(stack)) return "bound";
  const words = [...report.information, report.exception?.message ?? ""].join("\n");
  if (deciding === null && delegateCaller(words, stack) !== null) return "delegate";
  if (lacking !== "thrower" && isLaunching(report, stack)) return "launch";
  if (
    lacking === "images" && reachesBase(stack) && systemByAddresses(report, stack) === "libraries"
  ) return "addresses";
  if (
    lacking === "outer" && (isSystemProgram(report) || isApples(report)) &&
    !stack.some((frame) => imageOf(frame) === null)
  ) return "own";
  if (lacking === null && deciding === null && isSystemProgram(report)) return "part";
  // One of a program of the system's was found.
  if (lacking === "outer" && deciding?.owner === "system") return null;
  return lacking;
}

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

/** Whether a stack's own code is only that of a crash reporter in the process. */
function isRecording(stack: readonly ReportFrame[]): boolean {
  return stack.some(isRecorderFrame);
}

/** The library that Cr4shed suspects; `null` where it names none. */
function culpritOf(report: CrashReport): string | null {
  const value = fieldValue(report, "culprit")?.trim() ?? "";
  return /^[\w. +-]{1,100}\.dylib$/.test(value) ? value : null;
}

/** What is lacked where the system's code alone was there. */
const systemAbsent: ReadonlySet<Absent> = new Set(["part", "launch", "addresses", "passed"]);

/** Whether a frame's function only raises something, or handles what was raised; those of the C++ library are
 * compiled into the program. */
function onlyRaises(frame: ReportFrame): boolean {
  const { symbol } = frame;
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

/** Whether a frame's image is not that of the program. Older systems cut the names of processes, and name images by their
 * bundles. */
function isLibrary(frame: ReportFrame, report: CrashReport): boolean | null {
  const image = imageOf(frame);
  if (image === null || isOfIdentifier(frame, report)) return false;
  const { name, path, identifier } = report.process;
  const title = imageTitle(image);
  if (image.path !== null && path !== null && isSamePath(image.path, path)) return false;
  if (isDartCode(image, report)) return false;
  if (
    /\.(?:dylib|so|bundle|node|jnilib|framework|plugin|xctest|vst3?|clap|mxo|chug|component|aaxplugin|audiounit|appex|prefPane|qlgenerator|mdimporter|saver|osax)$/i
      .test(title)
  ) {
    return !/\.(?:debug|preview-thunk)\.dylib$/.test(title);
  }
  if (
    image.path !== null && /\.(?:framework|bundle|plugin|xpc|appex)\/[^.]{1,200}$/i.test(image.path)
  ) {
    return title !== name;
  }
  // The simulator starts its apps by a program of its own.
  if (name === "SimulatorTrampoline") return false;
  // Of an image without a name it is not known whose it is, where the program has one.
  if (title.startsWith("<") && name !== null && hasImage(report, name)) return null;
  if (image.name === "???" || title.startsWith("<")) return false;
  const executable = entryImage(report);
  if (executable !== null) {
    if (executable === title) return false;
    if (name === null) return true;
  }
  // Go's packages begin with a domain, those of the program's own module too, but for main.
  if (
    name === null && /^[a-z\d-]{1,60}\.[a-z.]{2,40}\/[\w.~/-]{1,200}\.\S/.test(frame.symbol ?? "")
  ) {
    return null;
  }
  // Without a header the name is that of a log.
  if (name === null || (path === null && identifier === null)) {
    if (name === null && isCalledByDelegate(frame, report)) return true;
    // Of a program that is not named any of its images may be the library of another.
    return title === name || isDelegates(frame, report) ? false : null;
  }
  // Named by its bundle, where the header has only the program's name.
  if (title.endsWith(`.${name}`)) return false;
  const own = [name, identifier, path === null ? null : baseName(path)];
  return !own.some((text) =>
    text !== null && text.length > 0 && (text.startsWith(title) || title.startsWith(text) ||
      image.name === text)
  );
}

/** Whether an image of a report has a name. */
function hasImage({ images, stacks }: CrashReport, name: string): boolean {
  return images.some((image) => imageTitle(image) === name) ||
    stacks[0]?.some((frame) => titleOf(frame) === name) === true;
}

/** Whether an image is the framework into which Flutter compiles the program's own Dart code. */
function isDartCode(
  { path, name }: Pick<ReportImage, "path" | "name">,
  { images }: CrashReport,
): boolean {
  return path?.endsWith("/Frameworks/App.framework/App") === true && name === "App" &&
    images.some((other) => other.name === "Flutter");
}

/** Whether the application's delegate, which is the program's, called a frame from another image than the frame's own. */
function isCalledByDelegate(frame: ReportFrame, { stacks }: CrashReport): boolean {
  const title = titleOf(frame);
  const stack = stacks.find((stack) => stack.includes(frame)) ?? [];
  const delegate = stack.find(isDelegate);
  return delegate !== undefined && titleOf(delegate) !== title &&
    stack.indexOf(delegate) > stack.indexOf(frame);
}

/** Whether the application's delegate is of the same image as a frame. */
function isDelegates(frame: ReportFrame, { stacks }: CrashReport): boolean {
  const title = titleOf(frame);
  return stacks.some((stack) =>
    stack.some((other) => titleOf(other) === title && isDelegate(other))
  );
}

/** Whether a frame is of an application's delegate, which is the program's own. */
function isDelegate(frame: ReportFrame): boolean {
  return frame.symbol !== null && /\b(?:App|Scene)Delegate\b/.test(frame.symbol) &&
    imageOf(frame) !== null && frameOwner(frame, null) === "program";
}

/** Stacks in which the program's main function is looked for, and the frames at their outer ends. */
const ENTRY_STACKS = 8;
const ENTRY_DEPTH = 4;

/** The name of the image that has the program's main function. */
function entryImage({ stacks }: CrashReport): string | null {
  for (const stack of stacks.slice(0, ENTRY_STACKS)) {
    const begin = Math.max(0, stack.length - ENTRY_DEPTH);
    for (let at = begin; at < stack.length; at++) {
      const frame = stack[at];
      const caller = stack[at + 1];
      // The loader calls nothing else of a program from the outermost frame of a stack.
      const isEntry = frame.symbol === null
        ? caller !== undefined && at + 2 === stack.length &&
          /^(?:dyld|libdyld\.dylib)$/.test(titleOf(caller))
        : /^(?:main|_start|start)$/.test(frame.symbol);
      if (!isEntry) continue;
      const image = imageOf(frame);
      if (image !== null && !isSystemFrame(frame) && frameOwner(frame, null) === "program") {
        return imageTitle(image);
      }
    }
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
    // What the kernel did for it, and not for another extension.
    isEvidence: deciding !== null && at - from <= KERNEL_DEPTH &&
      frames.slice(from, at).every(({ library }) => !library?.startsWith("com.apple.")),
    deciding,
    passed: Math.max(at, 0),
    frames,
  };
}

function ownerOf(
  frame: ReportFrame,
  previous: ReportFrame | null,
  report: CrashReport,
  { mine = [], ranges = [], origins }: AttributionOptions,
): OwnedFrame {
  const { image } = frame;
  const none = { frame, library: null, unit: null };
  const named = imageOf(frame);
  if (named === null) {
    const owned = frameOwner(frame, functionOf(frame, previous));
    return owned === "program"
      ? { ...none, unit: frame.file, owner: owned, by: "none" }
      : { ...none, owner: "unknown", by: "none" };
  }
  const whole = { frame, library: imageTitle(named), unit: null, by: "image" as const };
  const path = named.path ?? named.name;
  if (mine.some((name) => sameLibrary(name, path) || sameLibrary(name, named.name))) {
    return { ...whole, owner: "mine" };
  }
  if (isSystemFrame(frame) || isKernelFrame(frame)) return { ...whole, owner: "system" };
  // A copy without the list of images has the path of the program alone.
  if (named.path === null && isSystemProgram(report) && isOfProcess(frame, report)) {
    return { ...whole, owner: "system" };
  }
  const owned = frameOwner(frame, functionOf(frame, previous));
  if (owned === "runtime" || isMonos(frame, report)) return { ...whole, owner: "runtime" };
  if (image === null) return { ...whole, owner: "program" };
  const offset = Number(BigInt.asIntN(64, frame.address - image.base));
  const range = ranges.find((range) =>
    (range.image === null
      ? image === programImage(report)
      : sameLibrary(range.image, image.name)) &&
    offset >= range.begin && offset < range.end
  );
  if (range !== undefined) {
    return { ...none, owner: "mine", library: mine[0] ?? null, by: "range" };
  }
  // A return address may be the first one of the next function.
  const { archive, unit } = origins?.originAt(image, frame.index === 0 ? offset : offset - 1) ??
    { archive: null, unit: frame.file };
  const isMine = mine.some((name) =>
    (archive !== null && sameLibrary(name, archive)) || (unit !== null && inFolder(name, unit))
  );
  const owner = isMine ? "mine" : "program";
  if (archive !== null) return { frame, owner, library: baseName(archive), unit, by: "archive" };
  if (isMine) return { frame, owner, library: mine[0] ?? null, unit, by: "unit" };
  return { ...whole, owner, unit };
}

/** Source files of Mono's run-time, and of the collector in it, that have names as those of others; Mono, mono/metadata,
 * mono/mini, mono/io-layer and libgc. */
const monoFiles =
  /(?:^|\/)(?:object|class|loader|domain|appdomain|assembly|icall|marshal|threads|threadpool[\w-]{0,20}|tpool-\w{2,10}|gc|monitor|mini|driver(?:\.g)?|jit-icalls|reflection|exception|mono-[\w-]{2,40}|goutput|hazard-pointer|lock-free-(?:alloc|queue|array-queue)|mempool|metadata|runtime|pthread_support|misc|malloc|mallocx|mark|mark_rts|reclaim|alloc|finalize|allchblk|handles|events|wait|mutexes|semaphores|sockets|critical-sections)\.c$|(?:^|\/)handles-private\.h$|(?:^|\/)(?:runtime|monotouch-\w{2,20}|xamarin-support)\.m$/;

/** Functions by which managed code calls Mono, those of its layer over the system's handles, and .NET's class library as it was
 * compiled ahead of time, with the entries by which it is called. */
const monoNames =
  /^(?:GC_|_wapi_|ves_icall_|mscorlib__|System(?:_\w{2,20})?__System_|(?:p_\d{1,10}_plt_)?System_[A-Z])/;

/** Functions by whose names they are Mono's or Xamarin's. */
const ofMono = /^(?:mono|monoeg|monotouch|xamarin|sgen|_wapi)_|^native_to_managed_trampoline_/;

/** Static functions that the system's code calls: of Xamarin's run-time (xamarin-macios, runtime/runtime.m), and those that Mono's
 * threads begin with (Mono, mono/metadata/threads.c, mono/mini/debugger-agent.c). */
const ofXamarin =
  /^(?:inner_start_thread|start_wrapper(?:_internal)?|debugger_thread|frame_commands|get_(?:raw_)?gchandle\w{0,24}|get_flags(?:_safe)?|set_gchandle\w{0,24}|exception_handler|pump_gc|is_user_type|get_managed_object_for_ptr\w{0,6}|invoke_objc_method_implementation|gc_(?:toggleref_callback|register_toggleref|event_callback))$/;

/** Frames between a static function of Mono's and one that has its prefix. */
const MONO_DEPTH = 12;

/** The name of a function, without arguments, as those of C++ have them that are in no class. */
function plainName(frame: ReportFrame): string | null {
  return functionOf(frame, null)?.replace(/\([^()]{0,200}\)$/, "") ?? null;
}

/** Whether a function is one of Mono's, or of the collector that is linked into it: by its source file or its name and by
 * others of Mono's on the same stack, or as a function of C that Mono's called, or that called its asserts: the run-time calls
 * code of others by managed code alone. */
function isMonos(frame: ReportFrame, { stacks }: CrashReport): boolean {
  const { symbol, file, index, image, imageName } = frame;
  const name = plainName(frame);
  if (name === null) return false;
  if (!/^[a-zA-Z_]\w{1,200}$/.test(name) || name === "main") return false;
  // Its assemblies' code is none of the run-time's own.
  if (isMonoFile(file) && file!.endsWith(".c")) return true;
  const isPlain = /^_?[a-z][a-z0-9]{0,30}(?:_[a-z0-9]{1,30})+$/.test(name);
  const isKnown = monoNames.test(name) || monoFiles.test(file ?? "") || ofXamarin.test(name);
  if (!isKnown && !isPlain) return false;
  // Frames of managed methods that a log has in between are not of the stack.
  const isIt = (other: ReportFrame) => other.index === index && other.symbol === symbol;
  const stack = stacks.find((frames) => frames.some(isIt)) ?? [];
  const at = stack.findIndex(isIt);
  const isBeside = (other: ReportFrame | undefined): other is ReportFrame =>
    other !== undefined && other.image === image && other.imageName === imageName;
  const isMono = (other: ReportFrame | undefined): boolean =>
    isBeside(other) && ofMono.test(other.symbol ?? "");
  if (isKnown) {
    return stack.some((other) => isMono(other) || (isBeside(other) && isMonoFile(other.file)));
  }
  if (/^(?:monoeg|_wapi)_/.test(stack[at - 1]?.symbol ?? "") && isMono(stack[at - 1])) {
    return true;
  }
  // Its caller's callers, as far as they are such functions too.
  for (const caller of stack.slice(at + 1, at + 1 + MONO_DEPTH)) {
    if (!isBeside(caller)) return false;
    const called = plainName(caller) ?? "";
    if (/_pinvoke_|icall/.test(called)) return false;
    if (ofMono.test(called)) return true;
    if (ofXamarin.test(called)) return stack.some(isMono);
    if (!/^_?[a-z][a-z0-9_]{1,100}$/.test(called)) return false;
  }
  return false;
}

/** A library's name without the usual prefix and suffixes. */
function stem(path: string): string {
  return baseName(path).replace(/\.(?:framework|dylib|tbd|a|o|m|mm|c|cc|cpp|cxx|swift)$/i, "")
    .replace(/^lib/, "")
    .toLowerCase();
}

/** Whether a name matches a library at a path, or the framework that contains it. */
export function sameLibrary(name: string, path: string): boolean {
  return stem(name) === stem(path) ||
    path.toLowerCase().includes(`/${stem(name)}.framework/`);
}

/** Whether a source or object file is in a folder with that name. */
function inFolder(name: string, path: string): boolean {
  return `/${path.toLowerCase()}`.includes(`/${stem(name)}/`) || stem(path) === stem(name);
}
