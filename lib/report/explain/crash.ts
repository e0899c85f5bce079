/** The explanation of a crash: each part tells what it knows, the most specific first. */

import {
  baseName,
  imageAt,
  imageOf,
  imageTitle,
  isBaseLibrary,
  isSystemFrame,
  titleOf,
} from "../images.ts";
import { signalName } from "../codes.ts";
import { known } from "../knowledge/mod.ts";
import type {
  CrashReport,
  ReportFrame,
  ReportImage,
  ReportTermination,
  ReportThread,
} from "../report.ts";
import { faultAddress, lacksBacktrace, programCounter } from "../fault.ts";
import { headOf } from "../text.ts";
import { interruption, isRosettas, nearFault, pageFault, ROSETTA } from "./cpu.ts";
import { crashedIndex, crashedTitle, isCalledMain } from "./crashed.ts";
import {
  tellAccess,
  tellCodes,
  tellKind,
  tellNotes,
  tellOwnAbort,
  tellOwnTrap,
} from "./exception.ts";
import { tellOthers } from "./others.ts";
import { emptyWords, type Explanation, finished } from "./explanation.ts";
import { graphicsDriver, tellFunction, tellPassedNull, tellStack } from "./function.ts";
import {
  activityOf,
  isIdleStack,
  lockOf,
  mainThread,
  nameless,
  selfWaitOf,
  waitOf,
} from "./hang.ts";
import { tellIsolation } from "./isolation.ts";
import { type UncaughtException, uncaughtException } from "./language.ts";
import { age, ageWords, launchWords } from "./launch.ts";
import { tellLock } from "./locks.ts";
import {
  managedCalls,
  managedPath,
  methodOfProgram,
  methodsAround,
  scriptCalls,
  scriptPath,
} from "./managed.ts";
import { allMessages, sanitizerPlace, tellMessages } from "./message.ts";
import { shortName } from "./names.ts";
import { occasionOf, queueRow } from "./occasion.ts";
import { callPath } from "./path.ts";
import { peerOf } from "./peers.ts";
import { isInjected, isOfProcess, isSystemProgram } from "./program.ts";
import {
  hiddenRecursion,
  hiddenWords,
  MANY,
  partialRecursion,
  recursion,
  sameCall,
} from "./recursion.ts";
import { saidBefore } from "./said_before.ts";
import {
  endedBy,
  frameOwner,
  frameTitle,
  functionOf,
  isBase,
  isMisplaced,
  ownFrame,
  readStack,
} from "./stack.ts";
import { type Crash, Story, unsaidReason } from "./story.ts";
import {
  absentFrom,
  decidesNothing,
  exceedsMemory,
  isKilled,
  isReporterCrash,
  isSentSignal,
  isWithinFork,
  lacksCrashed,
  onlyWaits,
  stops,
  tellingStack,
  tellingThread,
  touchedPage,
  usesResource,
} from "./telling.ts";
import {
  didNotAnswer,
  isUserFault,
  suspended,
  tellNamespace,
  tellTermination,
  tellWatchdog,
  terminationRow,
} from "./termination.ts";
import { raisedIn, tellThrowing, tellUncaught } from "./uncaught.ts";
import { capitalized, frameNumber, sentence, threadWords } from "./words.ts";

/** Explains the report of a process that ended. */
export function explainCrash(
  report: CrashReport,
  mine: (image: ReportImage) => boolean,
): Explanation {
  const crash = readCrash(report);
  const story = new Story();
  const { crashed, outside, uncaught, stack, reading } = crash;
  const { exception } = report;
  tellTermination(crash, story);
  const isForked = tellFork(crash, story);
  tellUncaught(crash, story);
  tellMessages(crash, story);
  tellMethods(crash, story);
  const before = outside || uncaught !== null ? null : saidBefore(report, null, stack);
  if (before !== null) story.tell(`Before it the log says: ${before.lines.join(" … ")}`);
  tellWatchdog(crash, story);
  tellNamespace(crash, story);
  if (!outside && isReporterCrash(report, stack)) {
    story.add(known("message", "crash reporter that crashed"));
  }
  tellCompiledDart(crash, story);
  tellArgument(crash, story);
  tellThrowing(crash, story);
  tellOwnAbort(crash, story);
  tellFunction(crash, story);
  tellLock(crash, story);
  tellIsolation(crash, story);
  tellRecursion(crash, story);
  tellOwnTrap(crash, story);
  const isDecoded = tellCodes(crash, story);
  tellAccess(crash, story);
  if (!outside && uncaught === null) tellPassedNull(crash, story);
  tellKind(crash, isDecoded, story);
  if (story.happened.some((text) => text.endsWith(unsaidReason))) {
    tellNotes(report, story);
  }
  tellChecker(crash, story);
  if (exception === null && story.happened.length === 0) {
    const trap = pageFault(report) ??
      (isMisplaced(stack) ? null : interruption(reading.first, stack));
    if (trap !== null) story.tell(trap);
  } else if ((exception?.type ?? null) === null && faultAddress(report) === null) {
    // The stack, or a handler's name, tells the rest.
    const near = nearFault(report);
    if (near !== null) story.tell(near);
  }
  tellAbsence(crash, story);
  tellRaisedAgain(crash, story);
  if (isMisplaced(stack)) {
    const caller = stack[1] === undefined ? null : functionOf(stack[1], stack[0]);
    // What happened comes first.
    if (story.happened.length === 0) story.tell(emptyWords(report));
    story.tell(
      `${capitalized(frameNumber(report, stack[0]))} is at 0x${
        stack[0].address.toString(16)
      }, which is ${
        stack[0].image === null
          ? "far from the other frames of its image"
          : "the begin of its image, where no function is"
      }: its name is most likely wrong, and ${
        caller === null ? "its caller" : shortName(caller)
      } called through a pointer that led there.`,
    );
  }
  tellStack(crash, story);
  const launch = outside ? null : launchWords(report, crash.texts, stack);
  tellOccasion(crash, launch, story);
  tellLaunch(crash, launch, story);
  tellNull(crash, story);
  tellOthers(crash, story);
  tellHandlerCrash(crash, story);
  const shown = isBacktraceIdle(crash.texts) ? null : crashed ??
    (exception === null && report.threads.length > 0 && !lacksCrashed(report)
      ? mainThread(report)
      : null);
  if (outside && !story.neverRan && shown !== null && shown.frames.length > 0) {
    const { words } = activityOf(shown);
    if (words !== nameless) story.tell(`Thread ${shown.index} at that moment: ${words}.`);
    tellAwaitedLock(report, shown, story);
    tellQueues(report, shown, story);
  }
  if (crash.peer !== null) story.tell(crash.peer.words);
  if (isInjected(report)) {
    story.tell("Another process had created a thread in this one, as what injects code does.");
  }
  // A driver's new-handler is called for whoever asks for memory.
  const isHandler = story.rows.some(({ key }) => key === "operator new failed");
  const driver = outside || uncaught !== null || isHandler
    ? null
    : graphicsDriver(stack, reading.first);
  if (!outside && stack[0] !== undefined && isRosettas(stack[0])) {
    story.tell(
      `It was in Rosetta itself, which translates programs for Intel's CPUs${
        report.images.length > 0 &&
          report.images.every(({ path }) => path === ROSETTA || path === "/usr/lib/dyld")
          ? ": none of the program's code had run"
          : ""
      }.`,
    );
  }
  if (driver !== null) {
    if (story.happened.length === 0) story.tell(emptyWords(report));
    story.tell(`It was in the graphics driver (${driver}).`);
  }
  if (isForked) {
    // What else is said is what the child met because of it.
    for (const [at, row] of story.rows.entries()) {
      if (at > 0 && row.kind === "message") story.rows[at] = { ...row, next: "" };
    }
  }
  const named = shown === crashed && shown !== null && shown.name === null && shown.queue === null
    ? { ...shown, name: crashedTitle(report) as ReportThread["name"] }
    : shown;
  const isBlank = outside && isIdleStack(stack) || decidesNothing(report, stack);
  const own = isBlank ? null : ownFrame(
    stack,
    mine,
    crash.deep?.full === true && stack === report.crashedThread?.frames ? crash.deep.repeats : null,
  );
  if (
    !outside && own === null && isSystemProgram(report) &&
    (absentFrom(stack) === "thrower" || usesResource(report))
  ) {
    story.tell("The program itself is one of the system's.");
  }
  const isWaiting = exception === null && story.rows.length === 0 && waitOf(stack) !== null;
  // A stack that somebody copied of a hang.
  if (
    isWaiting && shown !== null && shown.frames === stack && !isIdleStack(stack) &&
    !isRosettas(stack[0])
  ) {
    story.tell(`Thread ${shown.index}: ${activityOf(shown).words}.`);
  }
  const isAsked = isBlank && !touchedPage(report) &&
    (outside || !onlyWaits(report, stack) && !isSentSignal(report, stack));
  const path = isBacktraceIdle(crash.texts) || isAsked || isWaiting ? [] : callPath(
    stack,
    Math.max(reading.first, reading.handled),
    (frame) => isOfProcess(frame, report),
  );
  const sanitized = sanitizerPlace(crash.texts);
  if (sanitized !== null && path.length > 0) {
    // The system's stack ends in the sanitizer's handler of the signal.
    const last = `${sanitized.name} (${baseName(sanitized.place)})`;
    if (!path.some((step) => step.startsWith(`${sanitized.name} (`))) path.push(last);
  }
  const { happened, rows } = story;
  const managed = uncaught === null ? [] : managedPath(managedCalls(report));
  const calls = managed.length > 0 ? managed : scriptPath(scriptCalls(report));
  const shownPath = calls.length > 1 ? calls : path;
  // The name of a frame that is misplaced says nothing.
  const thread = named !== null && named.frames === stack && isMisplaced(stack)
    ? { ...named, frames: stack.slice(1) }
    : named;
  const told = finished(
    report,
    crashHeadline(report, uncaught),
    happened,
    rows,
    thread,
    own,
    shownPath,
  );
  return { ...told, raiser: uncaught === null ? null : raisedIn(report, uncaught) };
}

/** Methods that are told where none is known to be the program's. */
const METHODS = 3;

/** Tells the managed methods around the native code that a signal met. */
function tellMethods({ report, outside, uncaught }: Crash, story: Story): void {
  const calls = outside || uncaught !== null ? [] : methodsAround(report);
  // What began waits for events on most threads.
  if (calls.length === 0 || /[.:](?:(?:UI|NS)Application)?Main$/i.test(calls[0].name)) return;
  const own = methodOfProgram(calls);
  const path = managedPath(calls.slice(0, own === null ? METHODS : calls.indexOf(own) + 1));
  story.tell(`The managed methods on the thread, innermost last: ${path.join(" → ")}.`);
}

/** Functions of Swift by which a check ends a process, for whoever made it. */
const stopsFor = /^(?:Swift\.)?_(?:assertionFailure|fatalErrorMessage)\b/;

/** Tells of which library of the system a check of Swift is that has no message. */
function tellChecker(
  { report, outside, uncaught, texts, stack, reading }: Crash,
  story: Story,
): void {
  if (outside || uncaught !== null || endedBy(report) !== "trap" || isSystemProgram(report)) return;
  const isPlain = story.rows.every(({ kind, key }) =>
    kind === "exception" || kind === "signal" || stopsFor.test(key)
  );
  const isSwifts = story.rows.some(({ key }) =>
    / in (?:Swift|libswiftCore)$/.test(key) || stopsFor.test(key)
  );
  if (!isPlain || !isSwifts || texts.some((text) => text.includes("rror: "))) return;
  const frame = stack.slice(reading.first).find((each) => titleOf(each) !== "libswiftCore.dylib");
  const title = frame === undefined ? "" : titleOf(frame).replace(/^com\.apple\./, "");
  if (frame === undefined || !isSystemFrame(frame) || isBaseLibrary(title)) return;
  if (story.happened.some((text) => text.includes(`${title},`))) return;
  story.tell(`The check is one of ${title}, a library of the system.`);
  // What fails in the program's own code.
  for (const [at, row] of story.rows.entries()) story.rows[at] = { ...row, causes: [] };
  const row = known("message", `a check of ${title}`);
  if (row !== null) story.rows.push(row);
}

/** Namespaces of terminations that a process asks for itself. */
const ownEnds: ReadonlySet<string> = new Set(["DYLD", "OBJC", "LIBSYSTEM"]);

/** Reads what the parts of the explanation are worked out from. */
function readCrash(report: CrashReport): Crash {
  const texts = allMessages(report);
  const ended = terminationRow(report);
  const simulated = texts.some((text) => text.includes("SIMULATED (this is NOT a crash)"));
  const outside = ended !== null && !ownEnds.has(report.termination?.namespace ?? "") ||
    simulated ||
    isKilled(report);
  const uncaught = outside ? null : uncaughtException(report, texts);
  const stack = uncaught !== null && uncaught.stack.length > 0
    ? uncaught.stack
    : tellingStack(report);
  const reading = readStack(stack);
  return {
    report,
    crashed: tellingThread(report) ?? crashedThread(report),
    texts,
    ended,
    outside,
    uncaught,
    peer: didNotAnswer(report, ended, texts) ? peerOf(report.threads) : null,
    deep: outside ? null : recursion(report),
    stack,
    reading,
  };
}

/** Whether the dynamic linker itself says that the stack means nothing, as what it could not start was not at fault. */
function isBacktraceIdle(texts: readonly string[]): boolean {
  return texts.some((text) => text.includes("ignore backtrace"));
}

/** The function that stops a child of fork() where a class is used that a thread of its parent may have been initializing:
 * objc4, runtime/objc-initialize.mm. */
const forkedClass = /^performForkChildInitialize\b/;

/** A check of a lock that has no owner in the process, and functions in which a process is forked: libplatform, src/os/lock.c;
 * Libc, sys/fork.c; libpthread, src/pthread_atfork.c. */
const damagedLock = /^_os_unfair_lock_corruption_abort\b/;
const forking = /^(?:v?fork|_pthread_atfork_\w{2,20}_handlers|libSystem_atfork_\w{2,20})$/;
const LOCK_DEPTH = 8;

/** Who ends a process because of its file: XNU, bsd/sys/reason.h. */
const refusedBy: ReadonlySet<string> = new Set(["EXEC", "CODESIGNING"]);

/** Tells of a child of fork() that used what it may not.
 *
 * @returns whether it is one
 */
function tellFork({ report, texts, stack, reading }: Crash, story: Story): boolean {
  // The kernel notes it too of a program that exec() itself refused.
  if (refusedBy.has(report.termination?.namespace ?? "")) return false;
  const isLeft = stack.slice(0, LOCK_DEPTH).some(({ symbol }) => damagedLock.test(symbol ?? ""));
  if (
    isLeft && (texts.some((text) => text.includes("on child side of fork")) ||
      stack.some(({ symbol }) => forking.test(symbol ?? "")))
  ) story.add(known("message", "a lock in the child of a fork")!);
  const isThreaded = texts.some((text) => text.includes("multi-threaded process forked"));
  if (!isThreaded && !texts.some((text) => text.includes("crashed on child side of fork"))) {
    return false;
  }
  const frame = stack[reading.first];
  const isSystems = frame !== undefined && frameOwner(frame, functionOf(frame, null)) === "system";
  if (isThreaded) story.add(known("message", "*** multi-threaded process forked ***"));
  // The program's own functions may be called there, as by a daemon that has one thread.
  else if (isSystems) {
    const isClass = stack.some(({ symbol }) => forkedClass.test(symbol ?? ""));
    const what = isWithinFork(stack) ? "fork" : isClass ? "a class" : "a library";
    story.add(known("message", `${what} in the child of a fork`)!);
  }
  if (isSystems && endedBy(report) === "trap") {
    const row = known("message", "a trap of the system in the child of a fork")!;
    const image = imageOf(frame);
    story.add(
      row,
      image === null ? undefined : row.meaning.replace(
        "A library of the system",
        imageTitle(image).replace(/^com\.apple\./, ""),
      ),
    );
  }
  return isThreaded || isSystems;
}

function tellRecursion({ report, outside, deep }: Crash, story: Story): void {
  const hidden = outside ? null : hiddenRecursion(report);
  if (hidden !== null) {
    story.tell(hiddenWords(hidden, report.crashedThread!.frames));
    story.rows.unshift(known("address", hidden.isCompiled ? "recursion compiled" : "recursion")!);
  }
  const part = outside || hidden !== null || deep !== null ? null : partialRecursion(report);
  if (part !== null) {
    const { frames } = report.crashedThread!;
    story.tell(
      `The stack is full, and ${
        frameTitle(part.frame)
      } is on it ${part.count} times in the ${frames.length} frames that are there: most likely recursion filled it.`,
    );
  }
  const run = outside || hidden !== null || deep !== null || part !== null
    ? null
    : sameCall(report);
  if (run !== null) {
    story.tell(
      `Frames ${run.first.index} to ${run.last.index} are one and the same call, ${
        frameTitle(run.first)
      }: most likely a function that calls itself.`,
    );
  }
  if (deep === null) return;
  story.happened.unshift(deep.text);
  if (deep.full) story.rows.unshift(known("address", "recursion")!);
}

/** Names of threads that Flutter's engine runs Dart code on: flutter, shell/common/thread_host.cc. */
const dartThreads = /^(?:io\.flutter\.|\d{1,3}\.)ui$|^io\.flutter\.\d{1,3}\.ui$|^DartWorker$/;

/** What AppKit notes of the action that a control or menu item sent; `null` where it notes none. */
function actionWords({ information }: CrashReport): string | null {
  for (const text of information) {
    const match =
      /^Performing @selector\(([\w:]{1,200})\) from sender ([\w.]{1,200}) 0x[0-9a-f]{1,16}\s*$/m
        .exec(
          text.slice(0, 1000),
        );
    if (match !== null) return `The action was ${match[1]}, sent by ${match[2]}.`;
  }
  return null;
}

/** Tells that Dart code crashed, which Flutter compiles into a framework of the name App. */
function tellCompiledDart({ report, crashed, outside, stack, reading }: Crash, story: Story): void {
  const frame = stack[reading.first];
  if (outside || crashed === null || frame === undefined || endedBy(report) !== "access") return;
  if (titleOf(frame) !== "App" || frame.symbol !== null && !/^_?kDart/.test(frame.symbol)) return;
  const isFlutter = dartThreads.test(crashed.name ?? "") ||
    report.stacks.some((frames) => frames.some((other) => titleOf(other) === "Flutter")) ||
    report.images.some(({ name }) => name === "Flutter");
  if (isFlutter) story.add(known("address", "compiled Dart code"));
}

/** Frames of a debugger in which arguments are looked at. */
const ARGUMENT_DEPTH = 6;
/** Up to it a number is no address. */
const SMALL = 0x10000n;

/** Tells of an argument, in a debugger's words, that is the small number whose use as an address ended the process. */
function tellArgument({ report, outside }: Crash, story: Story): void {
  const address = faultAddress(report);
  if (outside || address === null || address <= 0n || address >= SMALL) return;
  const lines = headOf(report.text).matchAll(
    /frame #(\d{1,4}): (?:0x[0-9a-f]{1,16} )?[^`\n]{1,100}`(\S[^\n]{0,300}?)\(((?:\w{1,60}=[^\n]{1,400}))\)/g,
  );
  for (const [, index, name, list] of [...lines].slice(0, 64)) {
    if (Number(index) >= ARGUMENT_DEPTH) break;
    const found = [...list.matchAll(/(?:^|, )(\w{1,60})=(0x[0-9a-f]{1,16})\b/g)].find(
      ([, argument, value]) => argument !== "_cmd" && BigInt(value) === address,
    );
    if (found === undefined) continue;
    story.add(
      known("address", "number passed as a pointer"),
      `${name.trim()} (frame ${index}) was called with ${found[1]} = 0x${
        address.toString(16)
      }, which is a number and no object or address.`,
    );
    return;
  }
}

/** Tells which one of the other threads was ending the process, where the crashed one's stack is not there. */
function tellStopped({ threads }: CrashReport, story: Story): void {
  const found = threads.filter(({ frames }) =>
    frames.slice(0, STOP_DEPTH).some(({ symbol }) => stops.test(symbol ?? ""))
  );
  if (found.length !== 1) return;
  const [{ frames }] = found;
  const at = frames.findLastIndex(({ symbol }, index) =>
    index < STOP_DEPTH && stops.test(symbol ?? "")
  );
  const caller = frames[at + 1] === undefined ? null : functionOf(frames[at + 1], frames[at]);
  story.tell(
    sentence(
      `${threadWords(found[0])} was ending the process too, in ${shortName(frames[at].symbol!)}${
        caller === null ? "" : `, called by ${shortName(caller)}`
      }: which of them was first is not said`,
    ),
  );
}

/** Frames from the innermost on in which a function stands that ends the process. */
const STOP_DEPTH = 8;

/** Tells that the stack of the crashed thread is not there. */
function tellAbsence({ report, crashed, outside, uncaught }: Crash, story: Story): void {
  const waiter = report.crashedThread;
  if (waiter !== null && crashed !== null && waiter !== crashed && !outside) {
    story.tell(
      `Thread ${waiter.index}, which the report calls the crashed one, only waited; it was thread ${crashed.index} that stopped the program.`,
    );
  }
  const isBare = crashed !== null && crashed.frames.length === 0 && crashed.registers.length > 0;
  const isLacking = lacksCrashed(report);
  const named = crashedIndex(report);
  const absent = isLacking ? named : null;
  const title = crashedTitle(report);
  if (absent !== null) {
    const thread = threadWords({ index: absent, name: title, queue: null });
    if (story.happened.length === 0) story.tell(emptyWords(report));
    story.tell(
      outside
        ? `The stack of ${thread} is not in the report.`
        : sentence(`${thread} crashed; its stack is not in the report`),
    );
  } else if (
    crashed === null && uncaught !== null && named !== null &&
    !report.threads.some(({ index }) => index === named)
  ) {
    story.tell(
      `It was on ${
        threadWords({ index: named, name: title, queue: null })
      }, whose own stack is not in the report.`,
    );
  } else if (isBare && !isLacking) {
    story.tell(sentence(`${threadWords(crashed)} crashed; its stack is not in the report`));
  } else if (isLacking && report.threads.length > 0) {
    story.tell("The crashed thread is not in the report.");
  }
  if (isLacking) tellStopped(report, story);
  const counter = isBare ? counterWords(report, crashed) : null;
  if (counter !== null) story.tell(counter);
  const outer = report.threads.find(({ frames }) => (frames[0]?.index ?? 0) > MANY)?.frames[0];
  if ((isLacking || isBare) && outer !== undefined) {
    story.tell(
      `The frames of a stack whose end is there are numbered from ${outer.index} on: so deep a stack is most likely recursion that does not end.`,
    );
  }
}

/** Where a thread was whose stack is not there, by its registers; `null` where they do not tell. */
function counterWords({ images }: CrashReport, thread: ReportThread): string | null {
  const counter = programCounter(thread);
  const image = counter === null ? null : imageAt(images, counter);
  return image === null
    ? null
    : `By the registers it was in ${imageTitle(image)} + 0x${
      (counter! - image.base).toString(16)
    }.`;
}

/** Tells when it was, and where nothing could be walked, that the program was still being loaded. */
function tellOccasion(
  { report, outside, ended, crashed, stack, reading }: Crash,
  launch: string | null,
  story: Story,
): void {
  const { rows } = story;
  const began = outside ? null : queueRow(crashed);
  if (
    began !== null && began.next !== "" &&
    rows.every(({ kind, key }) => kind === "message" && key === "uncaught exception")
  ) {
    rows.splice(0, rows.length, began);
  }
  const isAside = outside && !touchedPage(report) && ended?.key !== suspended;
  // What passes on an error of JavaScript is not what it was in.
  const isPassed = scriptCalls(report).length > 0;
  const when = isAside || isPassed || launch !== null
    ? null
    : occasionOf(stack.slice(reading.first), crashed);
  // Of a stack that crashed it is the only thing that is known where the exception is not there.
  if (when !== null && story.happened.length === 0 && crashed !== null) {
    story.tell(emptyWords(report));
  }
  const caller = /^(?:in code of the program that (.{1,80}) called|called by (.{1,80}))$/.exec(
    when ?? "",
  )
    ?.slice(1).find((name) => name !== undefined);
  const isTold = caller !== undefined &&
    story.happened.some((text) => text.includes(` that ${caller} called`));
  if (when !== null && story.happened.length > 0 && !isTold) story.tell(`It was ${when}.`);
  const action = when === null ? null : actionWords(report);
  if (action !== null) story.tell(action);
  if (!lacksBacktrace(report)) return;
  // Without a stack nothing says what the address was for.
  const at = rows.findIndex(({ kind, key }) =>
    kind === "address" && (key === "unknown" || key === "tiny")
  );
  if (at >= 0) rows.splice(at, 1);
  if (report.process.name === "launchd" && /^\?/.test(report.process.version ?? "")) {
    story.tell(
      /\/launchd$/.test(report.process.path ?? "/launchd")
        ? "It still has launchd's name: it ended while its own program was loaded; which one that was is not in the report."
        : `It still has launchd's name: it ended while its own program (${
          baseName(report.process.path!)
        }) was loaded.`,
    );
  }
  // Which of them it is the report does not show.
  story.tell(
    (age(report) ?? 0) > LOADED
      ? "The system could not walk the stack, as one that is damaged."
      : "The system could not walk the stack, as of a process that ended before or while its program was loaded, or one that is damaged.",
  );
}

/** Seconds in which a program is loaded. */
const LOADED = 5;

/** Tells that a process ended at its start: before any of its code ran, or soon after. */
function tellLaunch({ report, stack }: Crash, launch: string | null, story: Story): void {
  if (story.neverRan) return;
  const words = launch ?? (story.happened.length > 0 ? ageWords(report) : null);
  if (words !== null) story.tell(words);
  else if (isBeforeLoop(report, stack)) {
    story.tell("No event loop is on the stack: it was in main(), as while an application starts.");
  }
}

/** Whether the main thread of an application of the system was in functions of its own that no framework called: those run
 * event loops from their beginning on. */
function isBeforeLoop(report: CrashReport, stack: readonly ReportFrame[]): boolean {
  if (stack.at(-1)?.symbol !== "start" || !isSystemProgram(report)) return false;
  const from = stack.findIndex((frame) => isOfProcess(frame, report));
  return from >= 0 &&
    stack.slice(0, from).every(({ symbol }) => symbol !== null && !isBase(symbol)) &&
    /\.app\/Contents\/MacOS\//.test(report.process.path ?? "") &&
    isCalledMain(report) &&
    stack.slice(from, -1).every((frame) =>
      isOfProcess(frame, report) || titleOf(frame).startsWith("libswift")
    );
}

/** Tells of another thread that has nothing where its next instruction should be, where the one that is called the crashed
 * one only waited. */
function tellNull({ report, crashed, stack }: Crash, story: Story): void {
  if (crashed === null || !isIdleStack(stack)) return;
  const lost = report.threads.filter((thread) =>
    thread !== crashed && thread.frames[0]?.address === 0n && thread.frames[0].index === 0 &&
    thread.frames[0].symbol === null && thread.frames.length > 1 && thread.frames[1].address !== 0n
  );
  if (lost.length !== 1) return;
  const [{ index }] = lost;
  story.tell(
    `The program counter of thread ${index} is 0: it called or returned to a null pointer.`,
  );
}

/** Tells that Go's run-time had taken a bad access first, and raised its signal again: the stack is that of raising it. */
function tellRaisedAgain({ report, crashed, outside, stack }: Crash, story: Story): void {
  const symbol = crashed?.frames[0]?.symbol ?? "";
  const isGo = /^runtime\.(?:raise(?:proc)?|dieFromSignal|crash)$/.test(symbol);
  if (outside || !isGo || endedBy(report) !== "access") return;
  if (stack.some((frame) => frameOwner(frame, functionOf(frame, null)) === "program")) return;
  story.tell(
    `Go's run-time had taken the signal and raised it again (${symbol}): the stack is not that of the fault, and the code that faulted is not in the report.`,
  );
  const row = known("frame", "raised again by Go")!;
  for (const [at, other] of story.rows.entries()) story.rows[at] = { ...other, next: "" };
  story.add(row, "");
}

/** Most functions of a crash reporter's own crash that are named. */
const HANDLER_CALLS = 6;

/** Tells that the crash reporter crashed itself while it wrote the report: KSCrash, KSCrashReportFilterAppleFmt.m. */
function tellHandlerCrash({ report }: Crash, story: Story): void {
  const section = report.format !== "json"
    ? undefined
    : report.sections.find(({ name }) => name === "Handler crashed while reporting");
  // JSON has no such line.
  const at = section !== undefined
    ? 0
    : report.body === null
    ? report.text.indexOf("\nHandler crashed while reporting:")
    : -1;
  if (at < 0) return;
  const part = section?.lines.join("\n") ?? report.text.slice(at, at + (1 << 14));
  const type = /^Exception Type: {1,8}(\S.{0,100})$/m.exec(part)?.[1].trim();
  const codes = /^Exception Codes: {1,8}(\S.{0,200})$/m.exec(part)?.[1].trim();
  const thread = /^Crashed Thread: {1,8}(\d{1,9})/m.exec(part)?.[1];
  const diagnosis = /^Recrash Diagnosis: {1,8}(\S.{0,300})$/m.exec(part)?.[1].trim();
  const calls: string[] = [];
  for (
    const [, image, symbol] of part.matchAll(
      /^\d{1,3} {1,4}(\S.{0,60}?) {2,60}0x[0-9a-f]{1,16} 0x[0-9a-f]{1,16} \+ \d{1,12} \((\S.{0,200}) \+ \d{1,9}\)$/gm,
    )
  ) {
    if (calls.length >= HANDLER_CALLS) break;
    const isOwn = image === report.process.name;
    calls.push(isOwn ? `${symbol} (${image})` : symbol);
    if (isOwn) break;
  }
  story.tell(
    `Then the crash handler itself crashed while it wrote the report${
      type === undefined ? "" : `: ${type}${codes === undefined ? "" : `, ${codes}`}`
    }${thread === undefined ? "" : `, on thread ${thread}`}${
      calls.length === 0 ? "" : `, in ${calls.join(", called by ")}`
    }.`,
  );
  if (diagnosis !== undefined) story.tell(`It says of that: ${diagnosis}`);
}

/** The crashed thread; the only one, where a copy has lost the rest and its title. */
function crashedThread(report: CrashReport): ReportThread | null {
  const { crashedThread, threads } = report;
  if (crashedThread !== null || lacksCrashed(report)) return crashedThread;
  const stated = crashedIndex(report);
  if (threads.length !== 1 || (stated !== null && stated !== threads[0].index)) return null;
  // One that waits for events raised nothing: the exception's own backtrace is another thread's.
  const waits = (report.lastException?.length ?? 0) > 0 && isIdleStack(threads[0].frames);
  return waits ? null : threads[0];
}

function crashHeadline(report: CrashReport, uncaught: UncaughtException | null): string {
  const { exception, termination } = report;
  const what = exception?.type != null && /^(?:0x)?[0-9a-f]{8}$/i.test(exception.type)
    // iOS had a number in place of the name, for what itself ended.
    ? exceptionNumber(report, exception.type)
    : exception?.type != null
    ? `${exception.type}${exception.signal === null ? "" : ` (${exception.signal})`}`
    : exception?.signal != null
    ? exception.signal
    : uncaught !== null
    ? `uncaught exception${uncaught.name === null ? "" : ` ${uncaught.name}`}`
    : null;
  const by = termination?.namespace == null || termination.namespace === "SIGNAL" ||
      isUserFault(report)
    ? null
    : `ended by ${termination.namespace}` +
      (termination.code === null ? "" : ` 0x${termination.code.toString(16)}`) +
      indicatorWords(termination);
  const parts = [what, by].filter((part) => part !== null);
  return parts.length > 0
    ? parts.join(", ")
    : statedEnd(report) ?? (isPrinted(report) ? "what was printed" : "exception not in the report");
}

/** What a report calls the code of the dynamic linker or of code signing, in parentheses; empty for others. */
function indicatorWords({ namespace, reasons }: ReportTermination): string {
  const [indicator = ""] = reasons;
  return /^(?:DYLD|CODESIGNING)$/.test(namespace ?? "") && /^[A-Z][A-Za-z ]{3,39}$/.test(indicator)
    ? ` (${indicator})`
    : "";
}

/** The headline of an exception that has a number in place of a name. */
function exceptionNumber(report: CrashReport, type: string): string {
  const code = report.exception?.codes[0];
  const number = code === undefined ? "" : `0x${code.toString(16)}`;
  return terminationRow(report) !== null
    ? `ended by the system${number === "" ? "" : ` (${number})`}`
    : `exception ${type}${number === "" ? "" : `, code ${number}`}`;
}

/** Fields that only reports have. */
const ofHeader =
  /^(?:Incident Identifier|Process|Exception Type|Crashed Thread|Triggered by Thread|Report Version|Date\/Time|Hardware Model|OS Version|Reason)$/i;

/** Whether a text is no report of the system's, which would have an exception, but what a process or a tool printed. */
function isPrinted(
  { format, fields, information, images, crashedThread, text }: CrashReport,
): boolean {
  return format === "crash" && images.length === 0 &&
    !(crashedThread !== null &&
      (crashedThread.registers.length > 0 || /^Thread \d{1,5} Crashed:/m.test(headOf(text)))) &&
    !fields.some(({ name }) => ofHeader.test(name)) &&
    information.length > 0;
}

/** What a report without an exception says of the end itself, in a few words; `null` where it does not. */
function statedEnd(report: CrashReport): string | null {
  const { termination, information } = report;
  if (exceedsMemory(report) && !information.some((text) => text.includes("(non-fatal)"))) {
    return "ended for the memory that it used";
  }
  if (information.some((text) => /^(?:low swap|memorystatus): killing/.test(text))) {
    return "ended for want of memory";
  }
  const signal = termination?.namespace === "SIGNAL" && termination.code !== null
    ? signalName(Number(termination.code))
    : null;
  if (signal !== null) return signal;
  return information.some((text) => /^dyld(?:\[\d{1,9}\])?: |^Dyld Message: /.test(text))
    ? "ended by dyld"
    : null;
}

/** Most threads of which it is told that they wait for the same lock. */
const MAX_WAITERS = 3;
/** Most threads that are looked at for it. */
const MAX_THREADS = 500;

/** Tells the lock that a thread waits for, and whether it waits for itself. */
/** Libraries that pass calls and messages on for others. */
const carries = /^lib[\w.+-]{1,60}\.dylib$|^(?:com\.apple\.)?(?:Core)?Foundation$/;
/** Most threads that are told of. */
const MAX_AT_WORK = 3;

/** Tells which threads were in what a dispatch queue had them do, where a process was ended whose thread in question was idle:
 * what did not end in time may be there. */
function tellQueues(report: CrashReport, shown: ReportThread, story: Story): void {
  if (!isIdleStack(shown.frames)) return;
  const found = report.threads.slice(0, MAX_THREADS).filter((thread) =>
    thread !== shown && thread.queue !== null &&
    !/^com\.apple\.(?:libdispatch-manager|main-thread)$/.test(thread.queue) &&
    thread.frames.length > 2 && !isIdleStack(thread.frames)
  );
  if (found.length === 0 || found.length > MAX_AT_WORK) return;
  for (const thread of found) {
    const { words } = activityOf(thread);
    // Without names the library says more.
    const frame = /without a name|has no name/.test(words)
      ? thread.frames.find((each) => !carries.test(titleOf(each)))
      : undefined;
    const doing = frame === undefined ? words : `in code of ${titleOf(frame)}`;
    story.tell(
      sentence(`${threadWords(thread)}, with work of its queue, at that moment: ${doing}`),
    );
  }
}

/** Tells of threads that were in the function, too, that took the mutex for which a thread waited: one may hold it. */
function tellAlsoIn(report: CrashReport, thread: ReportThread, story: Story): void {
  const taker = takerOf(thread.frames);
  if (taker === null) return;
  const others = report.threads.slice(0, MAX_THREADS).filter(({ frames }) =>
    frames !== thread.frames && frames.some((frame) => functionOf(frame, null) === taker)
  );
  const waits = others.filter(({ frames }) => takerOf(frames) === taker);
  const holds = others.filter((other) => !waits.includes(other));
  if (holds.length !== 1) return;
  story.tell(
    `Thread ${holds[0].index} was in ${
      shortName(taker)
    }, too, and did not wait there: it may hold the mutex.${
      waits.length === 0 ? "" : ` Thread ${waits[0].index} waited there, too.`
    }`,
  );
}

/** The function that took the mutex for which a thread waits; `null` without one that has a name and is not the system's. */
function takerOf(frames: readonly ReportFrame[]): string | null {
  const at = frames.findIndex((frame) => !isSystemFrame(frame));
  const inner = frames[at - 1]?.symbol ?? "";
  return at > 0 && /^_?pthread_mutex_lock\b/.test(inner) ? functionOf(frames[at], null) : null;
}

function tellAwaitedLock(report: CrashReport, thread: ReportThread, story: Story): void {
  const lock = lockOf(thread.frames);
  if (lock !== null && lock.title === null) tellAlsoIn(report, thread, story);
  if (lock === null || lock.title === null) return;
  const self = selfWaitOf(thread.frames);
  story.tell(
    self === null
      ? `It waited for ${lock.title}; which thread holds it is not in the report.`
      : `It waited for ${lock.title} in the handler of a signal${
        self.handler === null ? "" : ` (${shortName(self.handler)})`
      }, which had interrupted ${
        self.interrupted === null ? "a function" : shortName(self.interrupted)
      } while that took the same lock: most likely the thread waits for itself.`,
  );
  // A run-time has one of these.
  if (!/^mono_/.test(lock.symbol ?? "")) return;
  const others = report.threads.slice(0, MAX_THREADS).filter((other) =>
    other !== thread && lockOf(other.frames)?.symbol === lock.symbol
  ).slice(0, MAX_WAITERS).map(({ index }) => index);
  if (others.length === 1) story.tell(`Thread ${others[0]} waited for it, too.`);
  else if (others.length > 1) story.tell(`Threads ${others.join(", ")} waited for it, too.`);
}
