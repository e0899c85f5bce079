/** What else took part in a crash: other threads, libraries that were put into the program, and for whom a service worked. */

import { imageTitle, isSystemFrame, isSystemImage, titleOf } from "../images.ts";
import { type Engine, engines, known } from "../knowledge/mod.ts";
import { oncePerText } from "../remember.ts";
import type { CrashReport, ReportFrame, ReportImage, ReportThread } from "../report.ts";
import { isIdleStack, isMainThread, mainThread, waitOf } from "./hang.ts";
import { ownLock } from "./locks.ts";
import { shortName } from "./names.ts";
import { isMobile } from "./platform.ts";
import {
  isApples,
  isInterpreter,
  isOfProcess,
  isOutside,
  isPlugIn,
  isPreview,
  isSystemProgram,
  isTweak,
  responsibleOf,
} from "./program.ts";
import { endedBy, frameOwner, frameTitle, functionOf, isTrampoline } from "./stack.ts";
import type { Crash, Story } from "./story.ts";
import { lacksCrashed, onlyWaits } from "./telling.ts";
import { sentence, threadWords } from "./words.ts";

/** Tells what other threads did at that moment, where it bears on the crash, and what was put into the program. */
export function tellOthers(crash: Crash, story: Story): void {
  if (crash.outside) return;
  if (crash.crashed === null) {
    if (lacksCrashed(crash.report)) tellHandled(crash, story);
    return;
  }
  tellClient(crash, story);
  tellTweaks(crash, story);
  tellPlugIns(crash, story);
  tellCaller(crash, story);
  tellExit(crash, story);
  tellWorkers(crash, story);
  tellApply(crash, story);
  tellEngine(crash, story);
  tellConversion(crash, story);
  tellCloser(crash, story);
  tellSharers(crash, story);
  tellMessaged(crash, story);
  tellHandled(crash, story);
  tellCrowd(crash, story);
  tellCopies(crash, story);
}

/** Most frames between a call of a program's function and what made it, as by an invocation. */
const MAX_INVOKING = 4;

/** Tells of a library that is none of Apple's and called a function of a program of the system by its name, as a tool that was
 * put into it for debugging does: nobody else makes such a call. */
function tellCaller({ report, stack, reading }: Crash, story: Story): void {
  const own = stack[reading.first];
  // The applications of phones that come with the system, which bring no such libraries along.
  const isPhones = isMobile(report) && isApples(report) &&
    report.process.path?.startsWith("/Applications/") === true;
  if (!(isSystemProgram(report) || isPhones) || isInterpreter(report)) return;
  if (own === undefined || !isOfProcess(own, report)) return;
  const between = stack.slice(reading.first + 1, reading.first + 1 + MAX_INVOKING);
  const at = between.findIndex((frame) =>
    !isSystemFrame(frame) && !isOfProcess(frame, report) && titleOf(frame).endsWith(".dylib")
  );
  if (at < 1 || !between.slice(0, at).some(({ symbol }) => symbol === "-[NSInvocation invoke]")) {
    return;
  }
  const name = titleOf(between[at]);
  story.add(
    known("message", "call by a library that was put in"),
    `${name}, which is none of Apple's by its name, made the call that led to it: the program itself need not call that function, or not with such values.`,
  );
}

/** Tells whose work it is that dispatch_apply() divides among threads: that of the thread that waits for its end. */
function tellApply({ report, crashed, stack }: Crash, story: Story): void {
  if (crashed?.queue == null || crashed.frames !== stack) return;
  if (!stack.some(({ symbol }) => symbol === "_dispatch_apply_invoke")) return;
  const waiting = report.threads.filter(({ queue, frames }) =>
    queue === crashed.queue && frames !== stack &&
    frames.some(({ symbol }) => waitsForApply.test(symbol ?? ""))
  );
  if (waiting.length !== 1) return;
  const [thread] = waiting;
  const { frames } = thread;
  const from = frames.findLastIndex(({ symbol }) => ofApply.test(symbol ?? ""));
  const callers = frames.slice(from + 1).filter((frame) => functionOf(frame, null) !== null);
  const [caller] = callers;
  if (caller === undefined) return;
  const own = callers.find((frame) =>
    frameOwner(frame, functionOf(frame, null)) === "program" && frame.symbol !== "main"
  );
  story.tell(
    `Thread ${thread.index} waits for such work on the same queue: ${
      frameTitle(caller)
    } divided it${
      own === undefined || own === caller ? "" : `, on the way from ${frameTitle(own)}`
    }.`,
  );
}

/** libdispatch, src/apply.c. */
const waitsForApply = /^_dispatch_apply_invoke_and_wait$/;
const ofApply = /^_?dispatch_apply/;

/** Paths of a library's own files: a program and a plug-in may have its name. */
const ofLibrary = /\.(?:dylib|so)$|\/([^/]{1,80})\.framework\/(?:Versions\/[^/]{1,20}\/)?\1$/;

/** Tells of a library that is on the stack twice, from two files: what one copy set up the other does not have. */
function tellCopies({ stack }: Crash, story: Story): void {
  const seen = new Map<string, ReportImage>();
  for (const { image } of stack) {
    if (image === null || isSystemImage(image) || !ofLibrary.test(image.path ?? "")) continue;
    const name = imageTitle(image);
    const other = seen.get(name);
    if (other === undefined) seen.set(name, image);
    else if (other.base !== image.base && other.path !== image.path) {
      story.tell(
        `Two copies of ${name} are loaded, and the stack has both: ${image.path} called on into ${other.path}. What one of them set up the other does not have.`,
      );
      return;
    }
  }
}

/** Tells which other thread a signal had interrupted, where the crashed one has none: what the signal was for may have been
 * first. */
function tellHandled({ report, crashed, stack }: Crash, story: Story): void {
  if (stack.some(isTrampoline)) return;
  const found = report.threads.filter((thread) =>
    thread !== crashed && thread.frames.findIndex(isTrampoline) > 0
  );
  if (found.length !== 1) return;
  const [{ frames }] = found;
  const at = frames.findIndex(isTrampoline);
  const handler = functionOf(frames[at - 1], null);
  const failed = frames.slice(at + 1).find((frame) => functionOf(frame, null) !== null);
  if (handler === null || failed === undefined) return;
  story.tell(
    sentence(
      `${threadWords(found[0])} was in a handler of a signal (${
        shortName(handler)
      }), which had interrupted ${frameTitle(failed)} or what it called`,
    ),
  );
}

/** Threads from which on a process has more than pools begin, and those at one place that are a crowd. */
const MANY = 64;
const CROWD = 48;

/** Tells where most threads were of a process that had very many, as where requests pile up. */
function tellCrowd({ report }: Crash, story: Story): void {
  const { threads } = report;
  if (threads.length < MANY) return;
  const counts = new Map<string, number>();
  for (const { frames } of threads) {
    for (const [at, frame] of frames.entries()) {
      const symbol = functionOf(frame, frames[at - 1] ?? null);
      if (symbol === null || frameOwner(frame, symbol) !== "program") continue;
      const name = shortName(symbol);
      counts.set(name, (counts.get(name) ?? 0) + 1);
      break;
    }
  }
  for (const [name, count] of counts) {
    if (count >= CROWD && count * 2 > threads.length) {
      story.tell(`Of the ${threads.length} threads, ${count} were in ${name}.`);
    }
  }
}

/** Functions that fail by the object or block that they are passed. */
const uses =
  /^(?:_?objc_(?:msgSend\w{0,20}|retain\w{0,40}|release\w{0,20}|autorelease\w{0,20})|object_getClass|objc_object::release\(\)|CFRetain|CFRelease|free|_?platform_mem(?:move|set)\S{0,20})$/;

/** Tells which one other thread may have had the fault, where the report calls one the crashed one that only waited. */
function tellMessaged({ report, crashed, stack }: Crash, story: Story): void {
  const { exception } = report;
  if (!/^SIG(?:SEGV|BUS)\b/.test(exception?.signal ?? "") || !onlyWaits(report, stack)) return;
  const found = report.threads.filter((thread) =>
    thread !== crashed && uses.test(thread.frames[0]?.symbol ?? "")
  );
  if (found.length !== 1) return;
  const [inner, ...rest] = found[0].frames;
  const caller = rest.find((frame) => functionOf(frame, inner) !== null)?.symbol ?? null;
  story.tell(
    sentence(
      `${threadWords(found[0])} was in ${shortName(inner.symbol!)}${
        caller === null ? "" : `, called by ${shortName(caller)}`
      }: if the fault was there, as by an object that was already deallocated, the report names the wrong thread`,
    ),
  );
}

/** Tells which other threads ran the program's code, where a library's lock was in a wrong state. */
function tellSharers({ report, crashed }: Crash, story: Story): void {
  const row = known("message", ownLock)!;
  if (!story.rows.some(({ causes }) => causes === row.causes)) return;
  const workers = workersOf(report, crashed);
  if (workers.length === 0) return;
  story.tell(`Other threads that ran the program's code at that moment: ${listed(workers)}.`);
}

/** Tells which thread closed a descriptor at that moment, where libdispatch found one gone that it watched. */
function tellCloser({ report, crashed }: Crash, story: Story): void {
  if (!story.rows.some(({ key }) => key === "Unexpected EV_VANISHED")) return;
  const closers = report.threads.filter((thread) =>
    thread !== crashed &&
    /^_{0,2}(?:guarded_)?close(?:_np|_nocancel)?$/.test(thread.frames[0]?.symbol ?? "")
  );
  if (closers.length !== 1) return;
  const [closer] = closers;
  const calls = closer.frames.filter((frame, at) =>
    at > 0 && !isSystemFrame(frame) && functionOf(frame, null) !== null
  ).slice(0, MAX_NAMED).map(({ symbol }) => shortName(symbol!));
  story.tell(
    `At that moment ${threadWords(closer)} was closing a descriptor${
      calls.length === 0 ? "" : `, called by ${calls.join(", called by ")}`
    }: it may be the one that was watched.`,
  );
}

/** Functions by which the process's static objects are destroyed as it ends, also where a library is unloaded, and those
 * by which an application quits. */
const ends = /^(?:__cxa_finalize(?:_ranges)?|exit)$/;
const unloads = /\bdlclose\b/;
const quits = /^-\[NSApplication terminate:\]$/;

/** Tells that the main thread was ending the process while the crashed one still worked. */
function tellExit({ report, crashed }: Crash, story: Story): void {
  const main = mainThread(report);
  if (main === null || main === crashed) return;
  const names = main.frames.map((frame, at) => functionOf(frame, main.frames[at - 1] ?? null));
  const exit = names.findLastIndex((name) => name !== null && ends.test(name));
  const quit = names.findIndex((name) => name !== null && quits.test(name));
  const isUnloading = names[exit] !== "exit" &&
    names.some((name) => name !== null && unloads.test(name));
  if ((exit < 0 && quit < 0) || isUnloading) return;
  const by = quit < 0 ? "" : ", from -[NSApplication terminate:]";
  if (exit < 0) {
    story.tell(
      "At that moment the main thread was quitting the program (-[NSApplication terminate:]).",
    );
    return;
  }
  const first = names.findIndex((name) => name !== null && ends.test(name));
  const name = first < 1 ? null : names[first - 1];
  const destroyer = name !== null && !isSystemFrame(main.frames[first - 1])
    ? `: it was in ${shortName(name)}`
    : "";
  story.tell(
    `At that moment the main thread was ending the process by exit()${by}, which destroys static objects while other threads still run${destroyer}.`,
  );
  const row = known("address", "ending")!;
  const at = story.rows.findIndex(({ kind, key }) => kind === "address" && mayBeGone.has(key));
  if (endedBy(report) === "access" && at >= 0) story.rows[at] = row;
}

/** Classes of addresses that a destroyed object leaves. */
const mayBeGone: ReadonlySet<string> = new Set([
  "null",
  "nothing",
  "tiny",
  "far",
  "number",
  "unknown",
  "noncanonical",
  "protected elsewhere",
  "readable",
]);

/** Most threads that are looked at. */
const MAX_THREADS = 500;

/** Tells which other threads still ran the program's code, where the crashed one was ending the process by exit(). */
function tellWorkers({ report, crashed, stack }: Crash, story: Story): void {
  const names = stack.map((frame, at) => functionOf(frame, stack[at - 1] ?? null));
  if (
    !names.some((name) => name !== null && ends.test(name)) ||
    names.some((name) => name !== null && unloads.test(name))
  ) return;
  const workers = workersOf(report, crashed);
  if (workers.length === 0) {
    tellOrder(report, story);
    return;
  }
  story.tell(`The process was ending while other threads still ran its code: ${listed(workers)}.`);
  if (endedBy(report) !== "access") return;
  const row = known("address", "ending beside others")!;
  // What the region is says little of what made the pointer bad.
  if (story.rows.every(({ kind, key }) => kind !== "address" || mayBeGone.has(key))) {
    const isPlain = story.rows.every(({ kind }) => kind !== "message" && kind !== "frame");
    if (isPlain) story.rows.unshift(row);
  }
}

/** The first of some threads, in a list. */
function listed(workers: readonly string[]): string {
  const more = workers.length - MAX_WORKERS;
  return `${workers.slice(0, MAX_WORKERS).join("; ")}${more > 0 ? `; and ${more} more` : ""}`;
}

/** The threads that ran the program's code beside the crashed one, and what of it. */
function workersOf(report: CrashReport, crashed: ReportThread | null): string[] {
  const workers: string[] = [];
  for (const thread of report.threads.slice(0, MAX_THREADS)) {
    if (thread === crashed || isIdleStack(thread.frames) || waitOf(thread.frames) !== null) {
      continue;
    }
    const at = thread.frames.findIndex((frame, index) =>
      (!isSystemFrame(frame) || isOfProcess(frame, report)) &&
      functionOf(frame, thread.frames[index - 1] ?? null) !== null
    );
    // What only waits, in whatever way, touches nothing.
    if (
      at < 0 ||
      thread.frames.slice(0, at + 1).some(({ symbol }) => symbol === null || waits.test(symbol))
    ) continue;
    const inner = functionOf(thread.frames[0], null);
    const name = shortName(thread.frames[at].symbol!);
    workers.push(
      `${threadWords(thread)}, in ${name}${
        at === 0 || inner === null ? "" : `, which had called ${shortName(inner)}`
      }`,
    );
  }
  return workers;
}

/** Offers the order in which exit() destroys as a cause, where nothing says more. */
function tellOrder(report: CrashReport, story: Story): void {
  const { rows, happened } = story;
  const isAccess = endedBy(report) === "access";
  const isOpen = isAccess
    ? rows.every(({ kind, key }) =>
      kind === "address" ? mayBeGone.has(key) : kind !== "message" && kind !== "frame"
    )
    : endedBy(report) === "abort" && rows.every(({ causes }) => causes.length === 0) &&
      !happened.some((text) => text.includes("It says: "));
  if (!isOpen) return;
  const row = known("address", "ending in order")!;
  if (isAccess) rows.unshift(row);
  else rows.push({ ...row, next: rows.length > 0 ? "" : row.next });
}

/** Names of functions that may wait. */
const waits =
  /wait|sleep|poll|select|lock|kevent|mach_msg|semaphore|psynch|recv|accept|read$|_read|workq|join|yield|swtch/i;

/** Most threads that are named. */
const MAX_WORKERS = 3;

/** Frames of a crashed stack, from the innermost that counts, in which it is in an engine that is not JavaScript's. */
const ENGINE_DEPTH = 8;

/** Tells that two threads were in the same kind of engine, which takes one at a time. */
function tellEngine(crash: Crash, story: Story): void {
  const { report, crashed, stack, reading, uncaught } = crash;
  if (crashed === null) return;
  const isOwn = isConverting(crashed, stack);
  if (!isOwn && !stack.some(({ symbol }) => symbol !== null && enginesOf(symbol) !== noEngines)) {
    return;
  }
  const ended = endedBy(report);
  const isFault = uncaught === null && (ended === "access" || ended === "trap");
  const near = stack.slice(reading.first, reading.first + ENGINE_DEPTH);
  const engine =
    engines.find((each) =>
      each.inside !== undefined
        ? isUsing(each, stack)
        : isFault && isUsing(each, each.isInnermost === true ? near.slice(0, 1) : near) &&
          hasBase(each, stack)
    ) ?? (isOwn ? engines[0] : undefined);
  if (engine === undefined) return;
  // What it does by itself is as it should be.
  const lacks = isFault && !isPermitted(engine, crashed) &&
    stack.some((frame) => frameOwner(frame, functionOf(frame, null)) === "program");
  if (lacks) {
    story.tell(
      sentence(
        `${threadWords(crashed)} was in ${engine.title}, and no call of ${
          engine.permits!.title
        } is on its stack: ${engine.rule}`,
      ),
    );
  }
  // What makes an error of JavaScript uses the run-time all the while, also where it only asks for its parts.
  const others = report.threads.slice(0, MAX_THREADS).filter((thread) =>
    thread !== crashed && !isIdleStack(thread.frames) &&
    (engine.inside === undefined
      ? isWorkingIn(engine, thread) && (lacks || engine.permits === undefined ||
        !isPermitted(engine, thread))
      : isUsing(engine, thread.frames) || isConverting(thread))
  );
  if (others.length === 0) {
    if (isFault && ofMain.test(engine.rule)) tellAside(engine, crashed, story);
    return;
  }
  const other = others.find((thread) => isConverting(thread)) ??
    // Others need not have the same run-time.
    others.find(({ queue }) => moduleQueue.test(queue ?? "")) ?? others[0];
  const { index, frames } = other;
  const at = frames.findIndex((frame) => isOf(engine, frame));
  // What it asks of the system meanwhile says nothing.
  const user = at >= 0
    ? frames.find((frame) => titleOf(frame) === titleOf(frames[at]))
    : frames.find(({ symbol }) => symbol !== null && converts.test(symbol));
  const symbol = user?.symbol ?? null;
  const caller = engine.isInterface === true ? callerOf(frames, report) : null;
  story.tell(
    sentence(
      `${threadWords(other)} ${
        at >= 0 ? `ran code of ${engine.title} too` : "used a run-time of JavaScript too"
      }${symbol === null ? "" : `, in ${shortName(symbol)}`}${
        caller === null || caller === symbol ? "" : `, called by ${shortName(caller)}`
      }${lacks ? "" : `: ${engine.rule}`}; whether both used the same one is not in the report`,
    ),
  );
  // A thread of the library's own, on which nothing of the program ran, is as it should be.
  if (caller !== null && (isOfMain(crashed) || isOfMain(other))) {
    tellInterface(engine, other, story);
  }
  if (engine.inside === undefined || !isOwn && !isConverting(other)) return;
  if (!isOwn) {
    story.tell(
      frames.some(({ symbol }) => symbol !== null && converts.test(symbol))
        ? `Thread ${index} made an error of JavaScript of an Objective-C exception that a native module had raised.`
        : `Thread ${index} made an error of JavaScript on the queue of native modules: so does React Native of an Objective-C exception that a native module raised.`,
    );
  }
  // What was met afterwards is what two threads left.
  if (isFault) story.rows.splice(0, story.rows.length, known("message", nativeModule)!);
}

/** The function of the program that led to what a thread does: its own rather than that of a library that it brings. */
function callerOf(frames: readonly ReportFrame[], report: CrashReport): string | null {
  const own = frames.filter((frame, at) => {
    const symbol = functionOf(frame, frames[at - 1] ?? null);
    return symbol !== null && symbol !== "main" && frameOwner(frame, symbol) === "program";
  });
  const found = own.find((frame) => isOfProcess(frame, report)) ?? own[0];
  return found?.symbol ?? null;
}

function isOfMain(thread: ReportThread): boolean {
  return isMainThread(thread) || thread.index === 0;
}

/** Gives two threads in one user interface as the first cause, where the address says nothing that excludes it. */
function tellInterface({ title }: Engine, other: ReportThread, { rows }: Story): void {
  const at = rows.findIndex(({ kind, key }) => kind === "address" && mayBeGone.has(key));
  if (at < 0 || rows.findIndex(({ causes }) => causes.length > 0) !== at) return;
  const row = known("address", "two threads in an interface")!;
  const told = (text: string): string => text.replace("TITLE", title);
  rows[at] = {
    ...rows[at],
    causes: [...row.causes.map(told), ...rows[at].causes],
    next: row.next.replace("THREAD", `thread ${other.index}`),
  };
}

/** Rules of libraries that only the main thread may use. */
const ofMain = /^w(?:idget|indow)s are to be used from the main thread$/;

/** Tells of a thread that used the widgets of a library for user interfaces, and is not the main one. What is in AppKit is told
 * by its functions. */
function tellAside(
  { title, rule }: Engine,
  crashed: ReportThread,
  { rows, happened }: Story,
): void {
  const isAside = crashed.index > 0 && !isMainThread(crashed) && crashed.isNumbered !== false;
  const at = rows.findIndex(({ kind, key }) => kind === "address" && mayBeGone.has(key));
  if (!isAside || title.startsWith("AppKit")) return;
  happened.push(sentence(`${threadWords(crashed)} was in ${title}: ${rule}`));
  if (at < 0 || rows.findIndex(({ causes }) => causes.length > 0) !== at) return;
  const row = known("address", "an interface aside")!;
  rows[at] = {
    ...rows[at],
    causes: [...row.causes.map((text) => text.replace("TITLE", title)), ...rows[at].causes],
    next: row.next,
  };
}

/** The key of the row for a native module's exception beside the thread that runs JavaScript. */
const nativeModule = "JavaScript on the thread of a native module";

/** React Native makes errors of JavaScript of Objective-C exceptions on the thread of the module that raised them:
 * RCTTurboModule.mm, performVoidMethodInvocation. */
const converts = /^facebook::react::(?:TurboModuleConvertUtils::)?convertNSExceptionToJSError\b/;

/** Tells of a thread of native modules that reads the call stack of an exception, as React Native does to make an error of
 * JavaScript of it, where the names of its own functions are missing. */
function tellConversion({ report, crashed, stack, uncaught }: Crash, story: Story): void {
  if (uncaught !== null || endedBy(report) !== "access") return;
  const engine = engines.find((each) =>
    stack.slice(0, ENGINE_DEPTH).some((frame) =>
      isOf(each, frame) || each.inside?.test(frame.symbol ?? "") === true
    )
  );
  if (engine?.inside === undefined) return;
  const other = report.threads.find((thread) =>
    thread !== crashed && moduleQueue.test(thread.queue ?? "") && !isConverting(thread) &&
    thread.frames.slice(0, 12).some(({ symbol }) => symbol !== null && readsSymbols.test(symbol))
  );
  if (other === undefined) return;
  const { symbol } = other.frames.find(({ symbol }) =>
    symbol !== null && readsSymbols.test(symbol)
  )!;
  story.tell(
    sentence(
      `${threadWords(other)} read the call stack of an Objective-C exception, in ${
        shortName(symbol!)
      }: so does React Native where a native module raised one, to make an error of JavaScript of it; if it did, it used the run-time of ${engine.title} on that thread: ${engine.rule}`,
    ),
  );
  story.rows.splice(0, story.rows.length, known("message", nativeModule)!);
}

/** The queue of React Native on which native modules' methods run: RCTTurboModuleManager.mm. */
const moduleQueue = /^com\.(?:meta|facebook)\.react\.turbomodulemanager\.queue$/;

/** What reads an exception's call stack with names. */
const readsSymbols = /^-\[(?:_NSCallStackArray objectAtIndex:|NSException callStackSymbols)\]/;

/** What makes an error of JavaScript. Hermes, API/jsi/jsi/jsi.h. */
const makesError = /^facebook::jsi::JSError::(?:JSError|setValue)\(/;

/** Whether a thread makes an error of JavaScript of a native module's exception; where the function's name is missing, by the
 * queue of native modules, on which nothing else makes one. */
function isConverting(
  { queue, frames }: ReportThread,
  stack: readonly ReportFrame[] = frames,
): boolean {
  if (stack.some(({ symbol }) => symbol !== null && converts.test(symbol))) return true;
  const at = stack.findLastIndex(({ symbol }) => symbol !== null && makesError.test(symbol));
  return at >= 0 && moduleQueue.test(queue ?? "") && stack[at + 1]?.symbol === null;
}

function isOf(engine: Engine, { symbol }: ReportFrame): boolean {
  return symbol !== null && enginesOf(symbol).includes(engine);
}

/** The engines that a function is of. */
const enginesOf: (symbol: string) => readonly Engine[] = oncePerText((symbol) => {
  const found = engines.filter(({ uses }) => uses.test(symbol));
  return found.length === 0 ? noEngines : found;
});
const noEngines: readonly Engine[] = [];

function isUsing(engine: Engine, frames: readonly ReportFrame[]): boolean {
  return frames.some((frame) => isOf(engine, frame));
}

function hasBase({ base }: Engine, frames: readonly ReportFrame[]): boolean {
  return base === undefined ||
    frames.some(({ symbol }) => symbol !== null && base.test(symbol));
}

/** Whether a thread works in an engine: one that waits may have its lock taken by another one, as it has to be. */
function isWorkingIn(engine: Engine, { frames }: ReportThread): boolean {
  const wait = waitOf(frames);
  return isUsing(engine, frames.slice(0, engine.isInnermost === true ? 1 : ENGINE_DEPTH)) &&
    hasBase(engine, frames) && (wait === null || wait.waitReason === "files") &&
    // AppKit animates its own views from a thread of its own.
    !frames.some(({ symbol }) => /^[-+]\[NSUIHeartBeat /.test(symbol ?? ""));
}

/** Whether a thread uses an engine as it has to, as far as its stack can tell. */
function isPermitted({ permits }: Engine, thread: ReportThread): boolean {
  return permits === undefined || isMainThread(thread) || thread.index === 0 ||
    thread.queue?.startsWith("NSManagedObjectContext") === true ||
    thread.frames.some(({ symbol }) => symbol !== null && permits.names.test(symbol));
}

/** Most libraries that are named. */
const MAX_NAMED = 4;

/** Tells of libraries on the stack that a jailbreak put into the program. */
function tellTweaks({ report, stack }: Crash, story: Story): void {
  const names = new Set<string>();
  for (const frame of stack) {
    if (isTweak(frame, report)) names.add(titleOf(frame));
  }
  if (names.size === 0) return;
  story.tell(
    `On the stack are libraries that a jailbreak put into the program: ${
      [...names].slice(0, MAX_NAMED).join(", ")
    }.`,
  );
}

/** Tells of plug-ins on the stack that called the program's own code, which is what decides then. */
function tellPlugIns({ report, stack }: Crash, story: Story): void {
  const own = stack.findIndex((frame) =>
    frameOwner(frame, frame.symbol) === "program" && !isOutside(frame, report)
  );
  if (own < 0) return;
  const names = new Set<string>();
  for (const [at, frame] of stack.entries()) {
    if (!isOutside(frame, report) || !(isApples(report) || isPlugIn(frame))) continue;
    if (at < own) return;
    if (!isSystemFrame(frame)) names.add(titleOf(frame));
  }
  if (names.size === 0) return;
  story.tell(
    `Further out on the stack is code that the program does not bring along: ${
      [...names].slice(0, MAX_NAMED).join(", ")
    }.`,
  );
}

/** Tells for which program a service of the system worked: the one that the system holds responsible; or that a process
 * shows a program's previews. */
function tellClient({ report }: Crash, story: Story): void {
  if (isPreview(report)) {
    story.tell(
      "The process shows previews for Xcode: code of the program that they are of runs in it.",
    );
  }
  const client = responsibleOf(report);
  if (client === null || !/\.xpc\//.test(report.process.path ?? "")) return;
  if (isSystemProgram(report) && story.happened.length > 0) {
    story.tell(`It is a service of the system, which worked for ${client}.`);
  }
}
