/** What the functions of a crashed stack tell of what happened. */

import { signalOf, subtypeName } from "../codes.ts";
import { faultAddress, isAccess, NEAR_NULL, stackPointer } from "../fault.ts";
import { imageAt, imageOf, imageTitle, isSystemFrame, titleOf } from "../images.ts";
import {
  bareName,
  type KnowledgeRow,
  known,
  knownFrame,
  nilForValue,
  typeLookup,
} from "../knowledge/mod.ts";
import type { CrashReport, ReportFrame, ReportThread } from "../report.ts";
import { type AddressClass, classifyAddress, textOnStack } from "./address.ts";
import { accessOf } from "./cpu.ts";
import { bridgedArgument, checksIndex, isOfBinding, lacksState } from "./evidence.ts";
import { emptyWords } from "./explanation.ts";
import { isMainThread } from "./hang.ts";
import {
  abortsAfter,
  contextOf,
  type EndedBy,
  endedBy,
  endOfTermination,
  entryOf,
  frameOwner,
  frameTitle,
  functionOf,
  isTrampoline,
  isUnnamed,
  readStack,
  type StackReading,
  tells,
} from "./stack.ts";
import { isNearest } from "../nearest.ts";
import { readableName, shortName } from "./names.ts";
import { type Crash, type Story, unsaidReason } from "./story.ts";
import { graphicsAside, isPrivacyAbort } from "./telling.ts";
import { capitalized, frameNumber } from "./words.ts";

/** Whether the C++ run-time was looking for what catches an exception, and had not found that nothing does. What that search
 * failed in is no lack of a handler. */
function isUnwinding(stack: readonly ReportFrame[], thrower: number): boolean {
  return endOfTermination(stack) === 0 &&
    stack.slice(0, thrower).some(({ symbol }) => symbol?.startsWith("_Unwind_") === true);
}

/** What run-times of managed code say of an exception that nobody caught. */
const unhandled = /^A (?:\.NET|Mono|Mono or Xamarin|\.NET or Xamarin) exception was not handled\.$/;

/** Tells the row of the innermost function that says what happened. */
export function tellFunction(
  { report, outside, uncaught, deep, stack, reading }: Crash,
  story: Story,
): void {
  if (outside || uncaught !== null) return;
  const { exception } = report;
  // An access that only ran into a full stack says nothing of the object in hand.
  const fault = faultAddress(report);
  const isOverflow = fault !== null && classifyAddress(report, fault).kind === "stack" ||
    deep?.full === true;
  const ended = endedBy(report);
  if (isOverflow && ended === "access") return;
  // Where the memory itself is at fault, what used it is not.
  const isMedium = exception !== null &&
    /^(?:KERN_(?:CODESIGN|MEMORY)_ERROR$|FS pagein)/.test(
      subtypeName(exception, report.arch) ?? "",
    );
  // What refused to start says more than that it ended the process.
  const setup = ended === "access"
    ? undefined
    : reading.rows.find(({ row }) =>
      row.isOfSetup !== undefined && row.role === undefined && tells(row, ended)
    );
  const found = setup ??
    reading.rows.find(({ row, index }) =>
      (row.role === undefined || (row.role === "top" && !isOverflow && !isMedium)) &&
      tells(row, ended) &&
      // A check that failed further in is why it stopped.
      !(row.role === "top" && row.needs === "access" && ended === "trap" &&
        index > reading.first) &&
      // Any other address is one that was accessed.
      !(row.needs === "null" && fault !== null && fault !== 0n)
    ) ?? reading.rows.findLast(({ row, index }) =>
      row.role === "vague" && ended !== "access" &&
      !(row.key === "__cxa_throw" && isUnwinding(stack, index))
    );
  const nameless = ended === "access" && isNamelessRuntime(stack[reading.first])
    ? known("frame", "libobjc without names")
    : null;
  const within = ended === "abort" ? null : contextOf(stack, reading.first);
  // The check itself may have met what is no actor, and malloc its own damage.
  const isOther = within === "isolation"
    ? ended === "access"
    : within === "format" && titleOf(stack[reading.first]) === "libsystem_malloc.dylib";
  const context = isOther ? null : within;
  const isReleased = context !== "pool" || found?.row.role === "top" ||
    releasing.test(titleOf(stack[reading.first]));
  const contextRow = context === null || !isReleased ? null : known("frame", contextKeys[context]);
  const isBetter = found === undefined || found.row.role === "top" ||
    found.row.key.startsWith("_dispatch_assert_queue_fail");
  const telling = contextRow !== null && isBetter
    ? { row: contextRow, index: reading.first }
    : specialOf(report, stack, found?.index ?? reading.first, ended) ??
      (ended === "access" ? undefined : failedNew(stack, reading.first)) ??
      (nameless === null ? found : { row: nameless, index: reading.first });
  // It names the message alone.
  const named = contextRow === null || context === "format" || context === "isolation"
    ? -1
    : story.rows.findIndex(({ key }) => key === "objc_msgSend() selector name:");
  if (named >= 0) {
    const { meaning } = story.rows[named];
    const at = story.happened.findIndex((text) => text.startsWith(meaning));
    if (at >= 0) story.happened[at] = story.happened[at].replace(meaning, contextRow!.meaning);
    story.rows[named] = contextRow!;
  }
  const told =
    story.rows.some(({ kind, key, causes, isCause }) =>
      kind !== "frame" && (causes.length > 0 || isCause === true) &&
      !/^Sanitizer: (?:SEGV|BUS|ILL|TRAP|ABRT) on /.test(key)
    ) ||
    (telling?.row.role === "vague" && story.rows.length > 0);
  const vague = telling === undefined || telling.row.role === "vague";
  const framework = vague ? frameworkRow(stack, exception?.type ?? null) : null;
  // A handler called it after the exception that is told.
  const isAfter = telling?.row.key === "abort" && exception !== null && abortsAfter(exception);
  // Its message says the same, with type and reason.
  const isTwice = unhandled.test(telling?.row.meaning ?? "") &&
    story.rows.some(({ meaning }) => unhandled.test(meaning));
  if (telling !== undefined && !told && framework === null && !isAfter && !isTwice) {
    const row = elsewhere(report, stack[telling.index]) ?? telling.row;
    const isSilent = story.happened.length === 0 &&
      (row.key === "abort" || (abortsWithReason.test(row.key) && report.termination === null));
    const before = story.rows.length;
    story.add(row, isSilent ? `${row.meaning} ${unsaidReason}` : undefined);
    if (!isSilent && story.rows.length > before) tellUnsaid(report, row, story);
    if (row.meaning === nilForValue) tellArgument(stack, story);
    if (row.meaning === typeLookup) tellType(report, stack, telling.index, fault, story);
    if (row.key.startsWith("getSuperclassMetadata")) tellClass(report, stack, telling.index, story);
  }
  if (framework !== null && !told) {
    // Chromium's own line of the log says it.
    const isSaid = story.happened.some((text) => /:FATAL:\S/.test(text));
    const meaning = isSaid
      ? framework.row.meaning.replace(" The reason is not in the report.", "")
      : framework.row.meaning;
    story.add(framework.row, `${meaning} It is ${framework.name}.`);
  }
}

/** Tells that it was the system that passed nil to a method of the program. */
function tellArgument(stack: readonly ReportFrame[], story: Story): void {
  const argument = bridgedArgument(stack);
  if (argument === null) return;
  const { method, caller } = argument;
  story.tell(
    `Most likely it is an argument of ${shortName(method)}, which ${frameTitle(caller)} called.`,
  );
  const at = story.rows.findIndex(({ meaning }) => meaning === nilForValue);
  const row = known("message", "nil for a method's argument")!;
  story.rows[at] = { ...story.rows[at], causes: row.causes, next: row.next };
}

/** Functions that Swift's compiler makes to ask the run-time for a type, or for a type's conformance to a protocol, with the
 * name of that: Swift, docs/ABI/Mangling.rst, and lib/Demangling/NodePrinter.cpp. */
const accessors =
  /^(?:lazy protocol witness table (?:cache variable|accessor) for type (.{1,400}?) and conformance .|type metadata (?:accessor|completion function|instantiation function) for (.{1,400})$|(?:generic )?protocol witness table (?:accessor )?for (.{1,400}?)(?: : .{1,400}| in .{1,400})?$|(?:associated type witness table|base witness table) accessor for (.{1,400}?) in )/;

/** Frames in which such a function is looked for. */
const ACCESSOR_DEPTH = 24;

/** Tells which type it was that Swift's run-time looked up, and what of it was null. */
function tellType(
  report: CrashReport,
  stack: readonly ReportFrame[],
  first: number,
  fault: bigint | null,
  story: Story,
): void {
  const isNull = fault !== null && fault < NULL_USED &&
    /::(?:getTypeContextDescriptor|getGenericArgs)\b/.test(stack[first].symbol ?? "");
  if (isNull) story.tell("What it was given as a type's metadata is null.");
  for (const frame of stack.slice(first, first + ACCESSOR_DEPTH)) {
    const name = frame.symbol === null || isNearest(frame) ? "" : readableName(frame.symbol);
    const match = accessors.exec(name);
    const type = match?.slice(1).find((text) => text !== undefined);
    if (type !== undefined) {
      story.tell(
        `It was asked for ${
          name.includes("witness table") ? "a conformance of " : ""
        }the type ${type} (${frameNumber(report, frame)}, a function that the compiler made).`,
      );
      // A type that the system lacks is null where it is asked for; here what has the conformance is.
      const at = story.rows.findIndex(({ meaning }) => meaning === typeLookup);
      if (isNull && name.includes("witness table") && at >= 0) {
        const [absent, ...others] = story.rows[at].causes;
        story.rows[at] = { ...story.rows[at], causes: [others[0], absent, ...others.slice(1)] };
      }
      return;
    }
  }
  tellAsker(report, stack, first, story);
}

/** Tells whose code asked Swift's run-time for a type, where its function has no name that does, or is the system's. */
function tellAsker(
  report: CrashReport,
  stack: readonly ReportFrame[],
  first: number,
  story: Story,
): void {
  const asker = stack.slice(first, first + ACCESSOR_DEPTH)
    .find((frame) => !titleOf(frame).startsWith("libswiftCore"));
  if (asker === undefined || imageOf(asker) === null) return;
  if (functionOf(asker, null) !== null && !isSystemFrame(asker)) return;
  story.tell(`It was asked by code of ${titleOf(asker)} (${frameNumber(report, asker)}).`);
}

/** Tells which library a class is of that the run-time made ready: its own function, which the compiler made, asked for
 * that; Swift, docs/ABI/TypeMetadata.rst. */
function tellClass(
  report: CrashReport,
  stack: readonly ReportFrame[],
  first: number,
  story: Story,
): void {
  const title = titleOf(stack[first]);
  const at = stack.findIndex((frame, index) => index > first && titleOf(frame) !== title);
  const image = at < 0 || at > first + ACCESSOR_DEPTH ? null : imageOf(stack[at]);
  if (image === null) return;
  story.tell(`The class is of ${imageTitle(image)} (${frameNumber(report, stack[at])}).`);
}

/** Characters of a report in which a line of the console is looked for. */
const MAX_SEARCHED = 1 << 16;

/** How the lines begin that functions print before they end a process. */
const saidBy: readonly (readonly [string, RegExp])[] = [
  ["_objc_", /\bobjc(?:\[\d{1,9}\])?: ([^"\n]{5,200})/],
  [
    "get_numerous_trampoline",
    /\bRan out of trampolines of type \d{1,2}(?: in '[^'\n]{1,300}')?(?: \((?:limit )?\d{1,9}\))?/,
  ],
];

/** Tells that the message is not there of which a function's row speaks. */
function tellUnsaid(
  { text }: CrashReport,
  { key, next, meaning }: KnowledgeRow,
  story: Story,
): void {
  // The console's line is often copied along with the report.
  const pattern = saidBy.find(([prefix]) => key.startsWith(prefix))?.[1];
  const line = pattern?.exec(text.slice(0, MAX_SEARCHED)) ?? null;
  if (line !== null) {
    // A log before the report may have had it as the message.
    const isTold = story.happened.some((told) => told.includes(line[0]));
    return isTold ? undefined : story.tell(`It says: ${line[0]}`);
  }
  const isAssertion = next.includes("no text of it");
  if (!isAssertion && !/\b(?:message|panic's message|exception's (?:class|type))\b/.test(next)) {
    return;
  }
  if (meaning.includes("not in the report")) return;
  if (story.happened.some((text) => text.includes("It says: "))) return;
  // A copy may have it beside the report.
  if (isAssertion && /\bAssertion failed: /.test(text.slice(0, MAX_SEARCHED))) return;
  story.tell(
    isAssertion ? "Its text is not in the report." : "Its message is not in the report.",
  );
}

/** Frames of the C library at most between a failed access and what called it. */
const LIBRARY_DEPTH = 3;

/** Tells that a function of the C library was most likely passed null by the program's, where it met null. */
export function tellPassedNull({ report, stack, reading: { first } }: Crash, story: Story): void {
  const fault = faultAddress(report);
  if (fault === null || fault >= NULL_USED || story.rows.some(({ kind }) => kind === "frame")) {
    return;
  }
  let at = first;
  while (at < first + LIBRARY_DEPTH && isOfLibrary(stack[at])) at++;
  const [callee, caller] = [stack[at - 1], stack[at]];
  if (at === first || caller === undefined || isNearest(callee) || isNearest(caller)) return;
  const name = functionOf(caller, callee);
  if (callee.symbol === null || name === null || frameOwner(caller, name) !== "program") return;
  if (isSystemFrame(caller)) return;
  story.tell(
    `Most likely ${shortName(callee.symbol)}() was passed a null pointer by ${shortName(name)}.`,
  );
}

/** Whether a frame is of the C library. */
function isOfLibrary(frame: ReportFrame | undefined): boolean {
  return frame !== undefined &&
    /^libsystem_(?:c|platform|m)\.dylib$|^libSystem\.B\.dylib$/.test(titleOf(frame)) &&
    frame.symbol !== null &&
    !/^_*(?:sigtramp|pthread_|psynch|abort|exit|__cxa_finalize|free|malloc|dl)/.test(frame.symbol);
}

/** Functions by which a process gives the system the reason of its end. */
const abortsWithReason = /^(?:__)?abort_with_(?:payload|reason)/;

/** Tells of a stack that was overwritten, of objects that were being destroyed, and of the privacy system. */
export function tellStack(
  { report, outside, uncaught, crashed, stack, reading }: Crash,
  story: Story,
): void {
  if (outside) return;
  const { rows } = story;
  const { exception } = report;
  const written = crashed === null ? null : textOnStack(crashed.frames);
  if (written !== null) {
    story.tell(`The stack was overwritten: in place of a return address is the text "${written}".`);
    if (
      exception !== null && rows.every(({ kind, key }) => kind === "address" && key !== "beside")
    ) {
      rows.unshift(known("address", "beside")!);
    }
  }
  const strayed = crashed === null || written !== null ? null : strayFrame(crashed);
  if (strayed !== null) {
    story.tell(
      `${
        capitalized(frameNumber(report, strayed))
      } is no code, but a place on the stack itself: the stack was overwritten, or its frames could not be followed any further.`,
    );
  }
  const aside = uncaught !== null ? null : graphicsAside(report, stack, reading.first);
  if (aside !== null) {
    story.tell(`OpenGL was called on thread ${aside}, which is not the main one.`);
    rows.unshift(known("frame", "OpenGL on another thread")!);
  }
  const view = uncaught !== null || crashed === null ? null : viewAside(stack, reading, crashed);
  if (view !== null) {
    if (story.happened.length === 0) story.tell(emptyWords(report));
    story.tell(`${view.name} was called on ${view.thread}.`);
    rows.unshift(
      known(
        "message",
        view.name.endsWith(" dealloc]")
          ? "off the main thread, while an object was deallocated"
          : "user interface off the main thread",
      )!,
    );
  }
  const destroyed = uncaught !== null ? null : destroyedWords(stack, exception?.type ?? null);
  if (destroyed !== null) {
    story.tell(destroyed);
    if (
      exception !== null &&
      rows.every(({ kind }) =>
        kind === "address" || kind === "exception" || kind === "signal" || kind === "subtype"
      )
    ) {
      // Memory that was freed seldom holds null.
      const isNull = rows.some(({ key }) => key === "null" || key === "nothing");
      if (isNull) rows.splice(0, rows.length, known("address", "destroyed null")!);
      else rows.unshift(known("address", "destroyed")!);
    }
  }
  const outer = destroyed !== null || uncaught !== null || exception === null ||
      !isAccess(exception.type)
    ? null
    : outerDestructor(stack, reading.first);
  if (outer !== null) {
    story.tell(`Further out an object was being destroyed, in ${frameTitle(outer)}.`);
    const row = known("address", "destroyed further out")!;
    const at = rows.findIndex(({ kind, causes }) => kind === "address" && causes.length > 0);
    if (at >= 0) rows[at] = { ...rows[at], causes: [...rows[at].causes, ...row.causes] };
  }
  const privacy = isPrivacyAbort(stack, reading.first) ? known("namespace", "TCC") : null;
  if (privacy !== null && !rows.some(({ meaning }) => meaning.includes("private data"))) {
    story.tell(privacy.meaning);
    rows.unshift(privacy);
  }
  const code = uncaught === null ? stack[reading.first] : undefined;
  if (code !== undefined && isNowhere(report, code) && usedElsewhere(report, code)) {
    const alone = stack.length === 1 ? " Its stack has no other frame." : "";
    story.tell(
      "The code is in no image: it was made while the program ran, as by a just-in-time compiler, or " +
        `its library was unloaded.${alone}`,
    );
  }
  const unnamed = rows.some(({ kind }) => kind !== "signal" && kind !== "frame")
    ? null
    : unnamedTermination(report, stack);
  if (unnamed !== null) {
    const at = story.happened.findIndex((text) => text.endsWith(unsaidReason));
    story.happened.splice(at < 0 ? story.happened.length : at, at < 0 ? 0 : 1, unnamed);
  }
}

/** How far above the stack pointer an address is taken for one of the stack. */
const STACK_NEAR = 0x8_0000n;

/** The frame whose address is one of the stack itself; `null` where there is none. */
function strayFrame(thread: ReportThread): ReportFrame | null {
  const sp = stackPointer(thread);
  return sp === null ? null : thread.frames.find(({ address, symbol, image }, at) =>
    // Behind a signal's frame it is what the walk makes of that.
    at > 0 && symbol === null && thread.frames[at - 1].symbol !== "_sigtramp" &&
    (image === null || image.name === "???") && address >= sp &&
    address - sp < STACK_NEAR
  ) ?? null;
}

/** Classes of UIKit and WebKit whose methods are for the main thread only; Xcode's Main Thread Checker stops at them. */
const views =
  /^[-+]\[(?:WKWebView|UIView|UIViewController|UINavigationController|UIWindow|UITableView|UICollectionView|UIScrollView|UILabel|UIButton|UIImageView|UITextField|UITextView|UIAlertController)(?:\(\w{1,60}\))? |^-\[NSWindow(?:\(\w{1,60}\))? (?:_?init|_?order|makeKey|setFrame|setContentView|setStyleMask|setTitle|close)|^-\[NSOpenGLContext setView:\]/;

/** The method of a view that the program called on another thread than the main one; `null` for others. */
function viewAside(
  stack: readonly ReportFrame[],
  { first, deciding }: StackReading,
  thread: ReportThread,
): { name: string; thread: string } | null {
  const symbol = deciding <= first ? null : functionOf(stack[deciding - 1], null);
  if (symbol === null || !views.test(symbol) || isMainThread(thread)) return null;
  const title = thread.queue ?? thread.name;
  // A stack alone has no number that says which thread it is.
  if (thread.index === 0 && title === null) return null;
  return {
    name: symbol,
    thread: title === null
      ? `thread ${thread.index}`
      : `another thread than the main one (${title})`,
  };
}

/** Whether a frame is in no image of a report that has all of them. */
function isNowhere({ images }: CrashReport, frame: ReportFrame): boolean {
  return frame.symbol === null && frame.address !== 0n && imageOf(frame) === null &&
    images.some((image) => imageTitle(image) === "libsystem_kernel.dylib") &&
    imageAt(images, frame.address) === null;
}

/** Whether a frame's code used memory in another place than its own. */
function usedElsewhere(report: CrashReport, frame: ReportFrame): boolean {
  const address = faultAddress(report);
  const access = accessOf(report);
  return address !== null && address !== frame.address &&
    (access === "read" || access === "write");
}

/** Whether a frame is of the Objective-C run-time, whose functions have no names in reports of iOS: the commonest are
 * those that send a message to an object, retain or release it. */
function isNamelessRuntime(frame: ReportFrame | undefined): boolean {
  return frame !== undefined && isUnnamed(frame) && titleOf(frame) === "libobjc.A.dylib";
}

/** Images of graphics drivers. */
const drivers =
  /^(?:com\.apple\.(?:driver\.)?)?(?:AMDMTL|AMDRadeon|ATIRadeon|AppleIntel\w{1,40}(?:GL|MTL)|GeForce(?:GL|MTL|X)|AGX(?:GL|Metal)|AppleParavirtGPU)/;

/** Frames after the first in which a driver is looked for. */
const DRIVER_DEPTH = 6;

/** The graphics driver that the innermost functions are of; `null` for other stacks. */
export function graphicsDriver(stack: readonly ReportFrame[], first: number): string | null {
  for (const frame of stack.slice(first, first + DRIVER_DEPTH)) {
    const image = imageOf(frame);
    if (image === null || !isSystemFrame(frame)) return null;
    const title = imageTitle(image);
    if (drivers.test(title)) return title;
    if (!/^lib(?:system|objc|dispatch|GPUSupport)|GLEngine$/.test(title)) return null;
  }
  return null;
}

/** What the images of a stack without names tell that ended in abort(): an exception that was not caught goes from
 * the C library through that of C++ and, if it is Objective-C's, through libobjc. */
function unnamedTermination(
  { exception }: CrashReport,
  stack: readonly ReportFrame[],
): string | null {
  if (signalOf(exception?.signal ?? null) !== "SIGABRT") return null;
  const near = stack.slice(0, 12);
  const titles = near.map((frame) => {
    const image = imageOf(frame);
    return (frame.symbol !== null && frame.symbol !== "abort") || image === null
      ? ""
      : imageTitle(image);
  });
  const abi = titles.findIndex((title) => /^lib(?:c\+\+abi|stdc\+\+)\./.test(title));
  if (abi < 1 || !titles.slice(0, abi).every((title) => /^lib[Ss]ystem/.test(title))) return null;
  const objc = titles.slice(abi).some((title) => title.startsWith("libobjc."));
  return `The process ended itself by abort(), most likely for an exception that was not caught: the stack goes through ${
    titles[abi]
  }${objc ? " and libobjc" : ""}, and has no names there. What was thrown is not in the report.`;
}

/** Images of the functions that release objects. */
const releasing =
  /^(?:libobjc\.|libswiftCore\.|libdispatch\.|libsystem_blocks\.|(?:com\.apple\.)?CoreFoundation$)/;

/** Rows of contexts. */
const contextKeys = {
  pool: "an autorelease pool's release",
  observer: "an observer that is retained",
  format: "an argument of a format",
  isolation: "swift_task_isCurrentExecutor",
} as const;

/** Functions that look up methods, and make classes ready for it: for messages, but also while libraries are loaded. */
const lookups = /^(?:lookUpImpOrForward|cache_getImp|realizeClass|_ZL12realizeClass)/;

/** Frames between them and the function that sends a message. */
const LOOKUP_DEPTH = 6;

/** Functions in which Swift's run-time stops a process. */
const checks = /^(?:Swift\.)?_?(?:assertionFailure|fatalErrorMessage)\b/;

/** The checked access to an element of libc++'s containers and views. */
const ofElement =
  /^std::(?:__\w{1,20}::)?(?:array|vector|deque|span|bitset|basic_string(?:_view)?)<.{1,500}>::operator\[\]/;

/** The row of a function by what it was passed: NULL, or by a trap that the function itself has. */
function specialOf(
  report: CrashReport,
  stack: readonly ReportFrame[],
  index: number,
  ended: EndedBy,
): { row: KnowledgeRow; index: number } | undefined {
  const symbol = stack[index] === undefined
    ? null
    : functionOf(stack[index], stack[index - 1] ?? null);
  if (symbol !== null && /^(?:QMessageLogger::fatal|qt_message_fatal|qAbort)\b/.test(symbol)) {
    const starts = stack.slice(index, index + 6).some(({ symbol }) =>
      symbol !== null && /^(?:QGuiApplicationPrivate::createPlatformIntegration|init_platform)\b/
        .test(symbol)
    );
    if (starts) return { row: known("frame", "init_platform fatal")!, index };
    const isPython = stack.slice(index, index + 6).some(({ symbol }) =>
      /^pyqt\d_err_print\b/.test(symbol ?? "")
    );
    if (isPython) return { row: known("frame", "pyqt_err_print fatal")!, index };
    // The function that found it has one fatal message only.
    for (const { symbol } of stack.slice(index + 1, index + 4)) {
      const name = /^(QThread::~QThread|QWidgetPrivate::init|qt_assert)\b/.exec(symbol ?? "")?.[1];
      if (name !== undefined) return { row: known("frame", `${name} fatal`)!, index };
    }
    return undefined;
  }
  if (ended === "access" && report.exception !== null && usesOwnMemory(stack[0])) {
    return { row: known("frame", "a collection's own memory")!, index: 0 };
  }
  if (symbol !== null && /^g_logv?\b/.test(symbol)) {
    const allocates = stack.slice(index + 1, index + 4).some(({ symbol }) =>
      /^g_(?:malloc|realloc|try_malloc|slice_alloc)/.test(symbol ?? "")
    );
    if (allocates) return { row: known("frame", "g_malloc fatal")!, index };
  }
  if (
    symbol !== null && lookups.test(symbol) &&
    stack.slice(index + 1, index + LOOKUP_DEPTH).some(({ symbol }) =>
      /^_?objc_msgSend/.test(symbol ?? "")
    )
  ) return { row: known("frame", "objc_msgSend")!, index };
  if (symbol !== null && /^(?:swift::)?swift_Concurrency_fatalError/.test(symbol)) {
    const names = stack.slice(index, index + 6).map(({ symbol }) => symbol ?? "");
    if (names.some((name) => /^(?:swift::)?_?swift_task_dealloc/.test(name))) {
      const isLet = names.some((name) => name.startsWith("asyncLet_finish"));
      return {
        row: known("frame", isLet ? "asyncLet_finish freed" : "swift_task_dealloc")!,
        index,
      };
    }
  }
  if (
    symbol !== null && symbol.startsWith("WebKit::runInitializationCode") && ended === "trap" &&
    report.crashedThread !== null && report.crashedThread.index !== 0 &&
    !isMainThread(report.crashedThread)
  ) return { row: known("frame", "WebKit::runInitializationCode aside")!, index };
  const caller = stack[index + 1]?.symbol ?? "";
  if (symbol !== null && symbol.includes("__libcpp_verbose_abort") && ofElement.test(caller)) {
    return { row: known("frame", "std::__libcpp_verbose_abort of operator[]")!, index };
  }
  const asked = ended === "abort"
    ? stack.findIndex((frame, at) => at >= index && at < index + 4 && frame.symbol === "os_abort")
    : -1;
  if (asked >= 0 && stack[asked + 1]?.symbol?.startsWith("cfunction_") === true) {
    return { row: known("frame", "os_abort of Python")!, index: asked };
  }
  if (symbol !== null && checks.test(symbol) && ended !== "access") {
    const opens = stack.slice(index + 1, index + 4).some(({ symbol, file }) =>
      /\bstatic (?:NS|Foundation\.)?Bundle\.module\b/.test(symbol ?? "") ||
      /\bresource_bundle_accessor\.swift$/.test(file ?? "")
    );
    if (opens) return { row: known("frame", "Bundle.module fatal")!, index };
  }
  if (symbol !== null && checksIndex.test(symbol) && ended !== "access" && isOfBinding(stack)) {
    return { row: known("frame", "SwiftUI: a binding's element")!, index };
  }
  const fault = faultAddress(report);
  if (ended === "access" && fault !== null && fault < FLUTTER_USED && lacksEngine(stack, index)) {
    return { row: known("frame", "FlutterViewController without its engine")!, index };
  }
  if (symbol === null || ended === "abort") return undefined;
  // Core Foundation reads what kind of object it is first, functions for C strings the first character.
  const limit = ofCoreFoundation.test(symbol) ? KIND_READ : cStrings.test(symbol) ? 1n : NULL_USED;
  const word = ended === "trap" || (ended === null && /\.cold\.\d/.test(symbol))
    ? "stopped"
    : fault !== null && (fault < limit || lacksState(report, stack[index]))
    ? "null"
    : null;
  const key = `${bareName(symbol)} ${word}`;
  const row = word === null ? null : known("frame", key);
  // A prefix of another row is not meant.
  return row?.key === key ? { row, index } : undefined;
}

const cStrings = /^str(?:n?len|n?cmp|cpy|casecmp|str|dup)\b/;

/** What is used of Flutter's engine where it is null is below this. */
const FLUTTER_USED = 0x1000n;

/** Whether Flutter's view controller, which was just loaded, asked its engine for the thread that its view is drawn in time
 * with: by the functions' names, or without them where UIKit itself had called it. */
function lacksEngine(stack: readonly ReportFrame[], index: number): boolean {
  const near = stack.slice(index, index + 5);
  if (near.some(({ symbol }) => asksEngine.test(symbol ?? ""))) return true;
  const at = near.findIndex((frame) => titleOf(frame) !== "Flutter" || frame.symbol !== null);
  return at > 0 && loadsView.test(near[at].symbol ?? "");
}

const asksEngine =
  /^-\[(?:VSyncClient initWithTaskRunner:|FlutterViewController createTouchRateCorrectionVSyncClientIfNeeded\])/;
const loadsView = /^-\[UIViewController (?:_sendViewDidLoad|loadViewIfRequired)/;

/** Methods of collections that can be changed, which use memory of the collection's own: what is in it is used by others that they
 * call. */
const collections =
  /^(?:-\[__NS(?:Array|Dictionary|Set|OrderedSet)M \w|(?:Dictionary|Set)\._Variant\.|_Native(?:Dictionary|Set)\.|__Raw(?:Dictionary|Set)Storage\.find|Array\.(?:append|insert|remove|_create|_append|_make|reserveCapacity)\w{0,40}[(<])/;

/** Whether the innermost function of a stack is one of these. */
function usesOwnMemory(frame: ReportFrame | undefined): boolean {
  return frame !== undefined && frame.index === 0 && frame.symbol !== null && !isNearest(frame) &&
    collections.test(bareName(readableName(frame.symbol)));
}

/** Functions of Core Foundation for its objects, but for those that look into one at once. */
const ofCoreFoundation = /^_?CF(?!Bundle)/;

/** What they read of an object first is below this: the class, and its own kind. */
const KIND_READ = 0xcn;

/** Frames that a new-handler takes which ends the process. */
const HANDLER_FRAMES = 10;

/** The row of an allocation for which operator new found no memory, with the names of the handler that it called and of
 * what asked for it; `undefined` for other stacks. */
function failedNew(
  stack: readonly ReportFrame[],
  first: number,
): { row: KnowledgeRow; index: number } | undefined {
  const index = stack.findIndex(({ symbol }, at) =>
    at > first && at < first + HANDLER_FRAMES && symbol !== null &&
    /^operator new(?:\[\])?\(/.test(symbol)
  );
  if (index < 0) return undefined;
  // One that takes its place has an allocator of its own, which stops for other reasons too.
  if (!/^(?:|lib(?:std)?c\+\+.*)$/.test(titleOf(stack[index]))) return undefined;
  const handler = stack[index - 1];
  const name = functionOf(handler, stack[index - 2] ?? null);
  // Without a handler it throws, and where the system's allocator stopped the process, that says why.
  if (name === null || /^(?:std::|__cxa_|operator new)/.test(name)) return undefined;
  if (/^libsystem_|^libc\+\+/.test(titleOf(handler)) || /malloc/.test(name)) return undefined;
  const row = known("frame", "operator new failed")!;
  let asker = index + 1;
  while (/^std::/.test(stack[asker + 1]?.symbol ?? "")) asker++;
  const by = /^std::/.test(stack[asker]?.symbol ?? "") ? shortName(stack[asker].symbol!) : null;
  return {
    row: {
      ...row,
      meaning: `${row.meaning.replace("new-handler", `new-handler ${frameTitle(handler)}`)}${
        by === null ? "" : ` It was asked for memory by ${by}.`
      }`,
    },
    index,
  };
}

/** The row of a function for an access that was nowhere near null; `null` for functions of which that says nothing
 * more. */
function elsewhere(report: CrashReport, frame: ReportFrame | undefined): KnowledgeRow | null {
  const symbol = frame?.symbol ?? null;
  const fault = symbol === null ? null : faultAddress(report);
  if (fault === null || fault < NEAR_NULL) return null;
  const key = `${bareName(symbol!)} elsewhere`;
  const row = known("frame", key);
  // A prefix of another row is not meant.
  if (row?.key !== key) return null;
  // What was never the address of anything is not that of a string or buffer which is gone.
  if (!noPointers.has(classifyAddress(report, fault).kind)) return row;
  const { causes, next } = known("address", "data passed as a pointer")!;
  return { ...row, causes, next };
}

/** Classes of addresses that no memory had: the pointer itself is wrong. */
const noPointers: ReadonlySet<AddressClass> = new Set(["text", "noncanonical"]);

/** What is read of an object that is null is at these addresses. */
const NULL_USED = 0x40n;

/** The run-time or framework in whose code a process ended itself, where its functions have no names. */
function frameworkRow(
  stack: readonly ReportFrame[],
  type: string | null,
): { row: KnowledgeRow; name: string } | null {
  if (isAccess(type) || /^EXC_(?:GUARD|RESOURCE|ARITHMETIC)\b|^SIGFPE\b/.test(type ?? "")) {
    return null;
  }
  for (const [at, frame] of stack.slice(0, SHALLOW).entries()) {
    const image = imageOf(frame);
    if (image === null) return null;
    const name = imageTitle(image);
    const row = known("library", name);
    // A copy without the exception may be of an access.
    if (row !== null && type === null && at === 0) return null;
    // A handler of signals: what ended the process is further out.
    if (row !== null && stack.slice(at, at + SHALLOW).some(isTrampoline)) return null;
    if (row !== null) return row.next === "" ? null : { row, name };
    const symbol = functionOf(frame, stack[at - 1] ?? null);
    if (!isSystemFrame(frame) || (symbol !== null && knownFrame(symbol) === null)) return null;
  }
  return null;
}

/** Frames that raising a signal takes. */
const SHALLOW = 8;
/** Frames in which a destructor is looked for. */
const DESTROYING = 3;

/** Frames in which a destructor is looked for further out, and those that may be between those of one object. */
const OUTER_DEPTH = 64;
const BETWEEN = 3;
/** Classes whose objects only hold or guard something, so that they are destroyed all the time. */
const helpers =
  /(?:Lock|Locker|Guard|Scope|Scoped|Ptr|Pointer|Ref|Holder|Saver|Auto|Stack|String|Vector|Array|List|Map|Set|Event|Task|Function|Closure|Callback|Buffer|Iterator|Pool)/i;

/** The outermost destructor of the innermost object of C++ whose destruction led to where a stack ended; `null` without one. */
function outerDestructor(stack: readonly ReportFrame[], first: number): ReportFrame | null {
  const end = Math.min(entryOf(stack), first + OUTER_DEPTH);
  let found = -1;
  for (let at = first + DESTROYING; at < end; at++) {
    if (found >= 0 && at - found > BETWEEN) break;
    const symbol = functionOf(stack[at], stack[at - 1] ?? null);
    if (symbol === null || frameOwner(stack[at], symbol) !== "program") continue;
    const name = /(?:^|::)~(\w{1,200})\(/.exec(symbol.slice(0, 600))?.[1];
    if (name !== undefined && !helpers.test(name)) found = at;
  }
  return found < 0 ? null : stack[found];
}

/** What a stack tells that is within a C++ destructor; `null` for other stacks. Names of exported functions that are
 * only the nearest have large offsets, or none. */
function destroyedWords(stack: readonly ReportFrame[], type: string | null): string | null {
  if (type !== null && !isAccess(type)) return null;
  const { first } = readStack(stack);
  for (const [at, frame] of stack.slice(first, first + DESTROYING).entries()) {
    const symbol = functionOf(frame, stack[first + at - 1] ?? null);
    if (frameOwner(frame, symbol) === "system") return null;
    if (symbol === null || frame.offset === null || frame.offset > 4096) continue;
    const name = /(?:^|[\s:>])(~\w{1,200})\(/.exec(symbol.slice(0, 600))?.[1];
    if (name !== undefined) return `It was while an object was destroyed, in ${frameTitle(frame)}.`;
  }
  return null;
}
