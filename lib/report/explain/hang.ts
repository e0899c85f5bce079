/** What threads were doing that did not crash: idle, blocked or busy. */

import { imageOf, imageTitle, isBaseLibrary, isKernelFrame, titleOf } from "../images.ts";
import { type KnowledgeRow, known, type WaitReason } from "../knowledge/mod.ts";
import { isNearest } from "../nearest.ts";
import { heaviestNode, heaviestRoot } from "../read/call_tree.ts";
import { once, oncePerText } from "../remember.ts";
import type { CallTreeNode, CrashReport, ReportFrame, ReportThread } from "../report.ts";
import { frameOwner, frameTitle, functionOf, isCutLoop, isTrampoline } from "./stack.ts";
import { percent } from "./words.ts";

/** Innermost frames of a main thread in which its event loop is looked for. */
const MAIN_DEPTH = 40;
/** Frames above a waiting system call that belong to it. */
const WAIT_DEPTH = 6;

/** System calls by which a thread waits for several kinds of things, and which of them the functions around tell. */
const uses =
  /^(?:__ulock_wait2?|__semwait_signal(?:_nocancel)?|semaphore_(?:timed)?wait\w{0,20}|kevent_id)$/;
/** Frames behind such a call in which those functions are. */
const USE_DEPTH = 6;

/** Libraries of Darwin whose functions wait by system calls: without one, a thread in them works. */
const callers = /^(?:libsystem_(?:c|platform|pthread)\b|libdispatch\b|libc\+\+)/;

/** What a wait is for, by the functions of the system around its call. */
function useOf(frames: readonly ReportFrame[], at: number, row: KnowledgeRow): KnowledgeRow {
  for (const frame of frames.slice(at + 1, at + 1 + USE_DEPTH)) {
    const symbol = functionOf(frame, null);
    if (symbol === null) continue;
    if (frameOwner(frame, symbol) === "program") break;
    const name = symbol.replace(/^(std::)__1::/, "$1").replace(/[(<].*$/, "");
    const found = known("wait", `by ${name}`) ?? known("wait", name);
    if (found !== null && !uses.test(symbol)) return found;
  }
  return row;
}

/** A lock that a thread waits for, by the function that takes it. */
export interface AwaitedLock {
  /** Such as `an NSLock`; `null` for a mutex that no function with a name takes. */
  readonly title: string | null;
  /** Whether the thread that holds it may take it again. */
  readonly isRecursive: boolean;
  /** Whether a thread that holds it is ended when it takes it again, so that it does not wait for itself. */
  readonly findsItself: boolean;
  /** The function that takes it; `null` without a title. */
  readonly symbol: string | null;
  /** Index of that function's frame; -1 without a title. */
  readonly at: number;
}

/** A function that takes a lock. */
interface LockFunction {
  readonly name: RegExp;
  /** What it takes; `$&` stands for its name. */
  readonly title: string;
  readonly isRecursive: boolean;
  /** Whether it may take the lock by whatever wait, so that the call below it says less. */
  readonly byAny?: true;
  /** See {@linkcode AwaitedLock}. */
  readonly findsItself?: true;
}

/** Functions that take locks: those that others take theirs by come last. */
const locks: readonly LockFunction[] = [
  // JavaScriptCore, runtime/JSLock.cpp; Titanium's copy of it
  {
    name: /^JSC::JSLock(?:::(?:lock|grabAllLocks)\b|Holder::JSLockHolder\b)/,
    title: "JavaScriptCore's lock, which the one thread has that uses the engine (JSC::JSLock)",
    isRecursive: true,
    byAny: true,
  },
  {
    name: /^TI::(JS|Ti)Lock::(?:lock\b|\1Lock\b)/,
    title: "the lock of Titanium's JavaScript engine (TI::JSLock or TI::TiLock)",
    isRecursive: true,
    byAny: true,
  },
  // Mono, mono/metadata/loader.c, domain.c and image.c
  {
    name: /^mono_loader_lock$/,
    title: "the lock of Mono's loader (mono_loader_lock)",
    isRecursive: true,
    byAny: true,
  },
  {
    name: /^(?:mono_(?!os_|mutex)\w{1,40}_lock|sgen_gc_lock|mono_gc_lock)$/,
    title: "a lock of Mono's run-time ($&)",
    isRecursive: true,
    byAny: true,
  },
  // SQLite, src/mutex.c
  {
    name: /^(?:sqlite3_mutex_enter|pthreadMutexEnter)$/,
    title: "a mutex of SQLite",
    isRecursive: true,
  },
  {
    name: /^-\[NSPersistentStoreCoordinator(?:\(\w{1,60}\))? lock\]$/,
    title: "the lock of a persistent store coordinator",
    isRecursive: true,
  },
  {
    name: /^-\[NSManagedObjectContext(?:\(\w{1,60}\))? lock\]$/,
    title: "the lock of a managed object context",
    isRecursive: true,
  },
  {
    name: /^-\[NSRecursiveLock lock(?:BeforeDate:)?\]$/,
    title: "an NSRecursiveLock",
    isRecursive: true,
  },
  { name: /^-\[NSLock lock(?:BeforeDate:)?\]$/, title: "an NSLock", isRecursive: false },
  { name: /^-\[NSConditionLock lock\w*:?\]$/, title: "an NSConditionLock", isRecursive: false },
  {
    name: /^objc_sync_enter$/,
    title: "the lock of an object (@synchronized)",
    isRecursive: true,
  },
  {
    name: /^_?os_unfair_lock_lock\w{0,40}$/,
    title: "an os_unfair_lock",
    isRecursive: false,
    findsItself: true,
  },
  {
    name: /^std::(?:__1::)?recursive_mutex::lock\(/,
    title: "a std::recursive_mutex",
    isRecursive: true,
  },
  { name: /^std::(?:__1::)?mutex::lock\(/, title: "a std::mutex", isRecursive: false },
  // WebKit, Source/WTF/wtf/Lock.cpp and LockAlgorithm.h
  {
    name: /^WTF::(?:Lock|LockBase|WordLock|LockAlgorithm<.{1,200}>)::lockSlow\b/,
    title: "a lock of WebKit's (WTF::Lock)",
    isRecursive: false,
    byAny: true,
  },
];

/** Frames behind the wait in which the function that takes the lock is. */
const LOCK_DEPTH = 8;

/** The lock that a stack waits for; `null` for other stacks. */
export function lockOf(frames: readonly ReportFrame[]): AwaitedLock | null {
  const reason = waitOf(frames)?.waitReason;
  if (reason === undefined || reason === "event") return null;
  const isLock = reason === "mutex" || reason === "lock";
  const names = frames.slice(0, LOCK_DEPTH).map((frame, at) =>
    withoutOffset(functionOf(frame, frames[at - 1] ?? null))
  );
  for (const { name, title, isRecursive, byAny, findsItself = false } of locks) {
    if (!isLock && byAny !== true) continue;
    const at = names.findIndex((symbol) => symbol !== null && name.test(symbol));
    if (at < 0 || (byAny === true && !names.slice(0, at).every(onlyLocks))) continue;
    const symbol = names[at]!;
    return { title: title.replace("$&", symbol), isRecursive, findsItself, symbol, at };
  }
  return reason === "mutex"
    ? { title: null, isRecursive: false, findsItself: false, symbol: null, at: -1 }
    : null;
}

/** A name without the offset that Apple's reporter puts inside abbreviated ones. */
function withoutOffset(symbol: string | null): string | null {
  return symbol?.includes("+ ") === true ? symbol.replace(/\+ \d{1,12} (?=\()/, "") : symbol;
}

/** Whether a function further in than one that takes a run-time's lock may only be a part of that: others of the run-time wait
 * for something else. */
function onlyLocks(symbol: string | null): boolean {
  return symbol === null || !/^(?:JSC::|TI::|mono_|sgen_)/.test(symbol) ||
    (/lock|mutex/i.test(symbol) && !symbol.includes("Acquire"));
}

/** Whether a function takes a lock of a run-time, in whatever wait it stands. */
const takesLock: (symbol: string) => boolean = oncePerText((symbol) =>
  locks.some(({ name, byAny }) => byAny === true && name.test(symbol))
);

/** A handler of a signal that waits for the lock which the function that it interrupted was taking. */
export interface SelfWait {
  /** The function by which the signal was handled; `null` without a name. */
  readonly handler: string | null;
  /** The function that was interrupted while it took the lock. */
  readonly interrupted: string | null;
}

/** Functions that systems call for a signal, by their names. */
const handlers = /(?:^|_)(?:signal_handler|sig_?handler|suspend_handler)(?:\(|$)/i;
/** Frames of an interrupted stack in which the lock's function is. */
const INTERRUPTED_DEPTH = 6;

/** What a thread's handler of a signal waits for that the thread itself was taking; `null` for other stacks. */
export function selfWaitOf(frames: readonly ReportFrame[]): SelfWait | null {
  const lock = lockOf(frames);
  if (lock === null || lock.symbol === null) return null;
  const names = frames.slice(0, SELF_DEPTH).map((frame) => functionOf(frame, null));
  const from = names.findIndex((symbol, index) =>
    index > lock.at && (isTrampoline(frames[index]) || (symbol !== null && handlers.test(symbol)))
  );
  if (from < 0) return null;
  const again = names.findIndex((symbol, index) =>
    index > from && index <= from + INTERRUPTED_DEPTH && symbol === lock.symbol
  );
  if (again < 0) return null;
  const handler = isTrampoline(frames[from]) ? names[from - 1] ?? null : names[from];
  return { handler, interrupted: names[again + 1] ?? null };
}

/** Frames in which such a handler is looked for. */
const SELF_DEPTH = 80;

/** Functions that make what a class has one of, under a lock of their own. */
const makesOne =
  /^\+\[|(?:^|::|[ .])\w{0,40}(?:[Ss]ingleton|[Ss]hared|[gG]etInstance|instance)\w{0,40}(?:\(|$)/;

/** The function that waits for a mutex of its own, where the stack has it a second time further out, and a run loop between: what
 * that loop ran called it again before it had ended, so that the thread waits for itself; `null` for other stacks. */
export function begunBefore(frames: readonly ReportFrame[]): ReportFrame | null {
  if (waitOf(frames)?.waitReason !== "mutex") return null;
  const at = frames.findIndex((frame) => !isKernelFrame(frame) && !isBaseLibrary(titleOf(frame)));
  const symbol = at < 0 ? null : functionOf(frames[at], frames[at - 1] ?? null);
  if (symbol === null || !makesOne.test(symbol)) return null;
  const again = frames.findIndex((frame, index) => index > at && frame.symbol === symbol);
  const hasLoop = frames.slice(at, Math.max(at, again)).some(({ symbol }) =>
    symbol !== null && runFunction.test(symbol)
  );
  return hasLoop ? frames[at] : null;
}

/** Waits that say what they are for, whoever called them. */
const ofItself: ReadonlySet<WaitReason> = new Set(["mutex", "rwlock", "lock", "files"]);
/** Frames of the system behind a wait in which what it is for is looked for. */
const AWAITED_DEPTH = 16;
/** Frames behind a wait for events in which the event loop is looked for that called it. */
const LOOP_DEPTH = 128;

/** The wait that a stack is in, innermost first; `null` when it runs. */
export const waitOf: (frames: readonly ReportFrame[]) => KnowledgeRow | null = once((frames) => {
  const row = callOf(frames);
  const reason = row?.waitReason;
  if (row === null || reason === undefined || ofItself.has(reason)) return row;
  const awaited = awaitedOf(frames);
  if (awaited !== null) return awaited;
  // A loop of messages that runs within another is looked at by itself.
  return reason === "event" && !row.key.startsWith("mach_msg") && isHeld(frames)
    ? { ...row, meaning: `blocked, ${row.meaning}`, waitReason: "other" }
    : row;
});

/** Functions of clients of servers, between their calls and the wait. */
const ofClient =
  /^(?:pqWait|pqWaitTimed|pqSocketCheck|pqSocketPoll|pqReadData|pqsecure_read|vio_\w{1,40}|my_net_read|net_read_\w{1,40})$/;

/** The row for what a function waits for, whatever functions it calls. */
const waitFor = oncePerText((symbol) => known("wait", `for ${symbol}`));

/** What the functions of the system wait for that called a wait: of those for the same the outermost has the name, and one
 * further out that is for something else is told as well. */
function awaitedOf(frames: readonly ReportFrame[]): KnowledgeRow | null {
  let inner: KnowledgeRow | null = null;
  let outer: KnowledgeRow | null = null;
  let name = "";
  let caller = "";
  for (const frame of frames.slice(0, AWAITED_DEPTH)) {
    if (isKernelFrame(frame)) continue;
    const symbol = functionOf(frame, null);
    if (symbol !== null && isEventLoop(symbol)) break;
    // Also of a library that the program brings along.
    const row = symbol === null ? null : waitFor(symbol);
    if (row === null) {
      if (frameOwner(frame, symbol) === "program" && !ofClient.test(symbol ?? "")) break;
      continue;
    }
    if (outer === null && (inner === null || row.meaning === inner.meaning)) {
      inner = row;
      name = symbol!;
    } else {
      outer = row;
      caller = symbol!;
    }
  }
  if (inner === null) return null;
  const meaning = `${inner.meaning} (${name})`;
  if (outer === null) return { ...inner, meaning };
  return { ...inner.causes.length > 0 ? inner : outer, meaning: `${meaning}, for ${caller}` };
}

/** Whether code of the program that an event loop called waits for events of its own: the loop does not go on meanwhile. */
function isHeld(frames: readonly ReportFrame[]): boolean {
  let isOwn = false;
  for (const [at, frame] of frames.slice(0, LOOP_DEPTH).entries()) {
    const symbol = functionOf(frame, frames[at - 1] ?? null);
    if (
      symbol === null
        ? titleOf(frame) === "GraphicsServices"
        : mainLoops.test(symbol) || symbol.startsWith("__CFRunLoop")
    ) return isOwn;
    if (!isKernelFrame(frame) && frameOwner(frame, symbol) === "program") isOwn = true;
  }
  return false;
}

/** Whether a stack is that of a thread of the kernel that waits: such a one has left its stack, and begins anew by the function
 * that it named when it was blocked. XNU, osfmk/kern/sched_prim.c: thread_block. */
function isContinuation(frames: readonly ReportFrame[]): boolean {
  return frames.length > 0 && /_continue$/.test(frames[0].symbol ?? "") &&
    frames.every(isKernelFrame);
}

/** Functions of graphics drivers that wait for the processor; spindumps have the kernel's part of a stack. */
const ofGraphics = /EventMachine\w{0,20}::(?:waitForStamp|finishStamp|finishAllStamps)\b/;

/** Whether a thread waits in the kernel for the graphics processor. */
function isInGraphics(frames: readonly ReportFrame[]): boolean {
  for (const frame of frames) {
    if (!isKernelFrame(frame)) return false;
    if (frame.symbol !== null && ofGraphics.test(frame.symbol)) return true;
  }
  return false;
}

/** The wait that the innermost functions of a stack are in. */
function callOf(frames: readonly ReportFrame[]): KnowledgeRow | null {
  if (isContinuation(frames)) return known("wait", "continuation of the kernel");
  if (isInGraphics(frames)) return known("wait", "kernel: graphics");
  let seen = 0;
  for (let at = 0; at < frames.length && seen < WAIT_DEPTH; at++) {
    const frame = frames[at];
    if (isKernelFrame(frame)) continue;
    const symbol = functionOf(frame, null);
    if (symbol === null) {
      if (seen === 0 && isLoopByImages(frames.slice(at))) return known("wait", "mach_msg_trap");
      if (frameOwner(frame, null) !== "system") return null;
      seen++;
      continue;
    }
    // A worker thread's entry is a wait only where nothing was called from it.
    const row = (symbol === "start_wqthread" ? seen > 0 : callers.test(titleOf(frame)))
      ? null
      : known("wait", symbol);
    if (frameOwner(frame, symbol) === "program") return null;
    if (row !== null) {
      if (symbol.startsWith("mach_msg")) return messageWait(frames, at, row);
      return uses.test(symbol) ? useOf(frames, at, row) : row;
    }
    // The functions of the system below it have no names: it called the kernel to wait.
    if (seen > 0 && takesLock(symbol) && isKernelLibrary(frames[0])) {
      return known("wait", "lock function");
    }
    if (frameOwner(frame, symbol) !== "system") return null;
    seen++;
  }
  return null;
}

/** Whether a frame without a name is one of the library that calls the kernel. */
function isKernelLibrary(frame: ReportFrame): boolean {
  return functionOf(frame, null) === null && /^libsystem_kernel\b/.test(titleOf(frame));
}

/** The share of a thread's samples, one in so many, from which on a stack is told of. */
const MIN_SHARE = 50;
/** Frames after a Mach message call in which its purpose shows. */
const PURPOSE_DEPTH = 8;

/** Loops that wait for messages as their work. */
const messageLoops =
  /^(?:__CFRunLoop|CFRunLoop|_CFRunLoop|mach_msg_server|_dispatch_mgr|_pthread_wqthread|start_wqthread|GSEvent|_DPSNextEvent|RunCurrentEventLoop|CGXRunOneServicesPass)/;

/** Words in names of functions that may receive messages as their work, such as `MachServer::runServerThread`. */
const receives = /[Ss]erver|[Ll]isten|[Rr]eceive|WaitFor(?:Message|Event)|Loop|loop\b|[Pp]ump/;

/** The wait of a Mach message call: of an event loop, or for a reply of another process. */
function messageWait(
  frames: readonly ReportFrame[],
  at: number,
  row: KnowledgeRow,
): KnowledgeRow | null {
  const callers = frames.slice(at + 1, at + 1 + PURPOSE_DEPTH)
    .filter(({ symbol }) => symbol === null || !/^mach_msg/.test(symbol));
  // It runs a run loop until the reply is there.
  if (callers.some(({ symbol }) => symbol === "CFMessagePortSendRequest")) {
    return known("wait", "mach_msg reply");
  }
  // The function that calls it decides: a run loop that is further out called that function.
  const caller = callers[0]?.symbol ?? null;
  if (caller !== null) {
    return messageLoops.test(caller)
      ? row
      : known("wait", receives.test(caller) ? "mach_msg unnamed" : "mach_msg reply");
  }
  if (callers.some(({ symbol }) => symbol !== null && messageLoops.test(symbol))) return row;
  const named = callers.filter(({ symbol }) => symbol !== null);
  if (named.length > 0) return known("wait", "mach_msg reply");
  // Without callers, as in a copy that ends there, either may be.
  return isLoopByImages(frames) ? row : known("wait", "mach_msg unnamed");
}

/** Whether the images alone show the event loop of a main thread that waits: the kernel's calls, two frames or
 * more of Core Foundation, and the framework that runs the loop: of services that is Foundation, behind the three functions
 * of the loop. */
function isLoopByImages(frames: readonly ReportFrame[]): boolean {
  const names = frames.slice(0, WAIT_DEPTH + PURPOSE_DEPTH).map((frame) => {
    const image = imageOf(frame);
    return image === null ? "" : imageTitle(image).replace(/^com\.apple\./, "");
  });
  const at = names.findIndex((name) => name !== "libsystem_kernel.dylib");
  const end = names.findIndex((name, index) => index > at && name !== "CoreFoundation");
  return at >= 1 && at <= 2 && names[at] === "CoreFoundation" && end - at >= 2 &&
    (/^(?:GraphicsServices|HIToolbox)$/.test(names[end]) ||
      names[end] === "Foundation" && end - at === 3);
}

/** Functions between a main thread's event loop and the start of its thread. */
const outside =
  /^(?:_?start|main|_?thread_start|_pthread_|NSApplicationMain|UIApplicationMain|-\[NSApplication run\])/;

/** The wait of a main thread. Its own waits for events are those of its event loop: one that a function of the program
 * called, such as a look-up of a name, holds the loop up. */
function mainWaitOf(frames: readonly ReportFrame[]): KnowledgeRow | null {
  const row = waitOf(frames);
  if (row === null || !isIdle(row)) return row;
  const busy = (meaning: string): KnowledgeRow => ({ ...row, meaning, waitReason: "unknown" });
  if (row.key.startsWith("mach_msg")) {
    if (isCutLoop(frames)) {
      return busy("in a run loop; which function runs it was cut off from the stack");
    }
    if (isNested(frames)) return busy(`in a run loop of the program's own, ${row.meaning}`);
    const runner = loopRunner(frames);
    return runner !== null
      ? busy(`in a run loop that ${placeOf([runner])} runs within another, ${row.meaning}`)
      : isQuitting(frames)
      ? busy("in a run loop that is run while the program quits")
      : row;
  }
  const at = frames.findIndex(({ symbol }) => symbol !== null && known("wait", symbol) === row);
  for (const frame of frames.slice(at + 1)) {
    const symbol = functionOf(frame, null);
    if (symbol === null) continue;
    if (messageLoops.test(symbol) || outside.test(symbol)) return row;
    const owner = frameOwner(frame, symbol);
    if (owner === "program" || owner === "unknown") {
      return busy(`blocked, ${row.meaning}`);
    }
  }
  return row;
}

/** Functions by which a program runs a run loop until something happens. */
const runsLoop = /^(?:CFRunLoopRun(?:InMode)?$|-\[NSRunLoop(?:\(NSRunLoop\))? run)/;
/** Functions that run a main thread's loop, and those that the system runs for dialogs and menus. */
const mainLoops =
  /^(?:GSEventRun|UIApplicationMain|-\[UIApplication _run\]|_DPSNextEvent|ReceiveNextEvent|_?BlockUntilNextEvent|RunCurrentEventLoop|-\[NSApplication |NSApplicationMain)/;

/** Whether a function runs an event loop, or is called by one for each event. */
export function isEventLoop(symbol: string): boolean {
  return messageLoops.test(symbol) || mainLoops.test(symbol);
}

/** Whether a main thread waits in a run loop that a function of the program runs, within the main loop or while the program
 * is launched: until it ends, the thread answers nothing. */
export function isNested(frames: readonly ReportFrame[]): boolean {
  let isRun = false;
  let isOwn = false;
  for (const [at, frame] of frames.entries()) {
    const symbol = functionOf(frame, frames[at - 1] ?? null);
    if (symbol !== null && mainLoops.test(symbol)) return isOwn;
    if (symbol !== null && runsLoop.test(symbol)) isRun = true;
    else if (isRun && frameOwner(frame, symbol) === "program") isOwn = true;
  }
  return false;
}

/** Core Foundation's and Foundation's functions that run a run loop. */
const runFunction = /^(?:_?CFRunLoopRun|-\[NSRunLoop)/;
/** Functions that run a loop as a program's own: those of main threads, and of services. */
const ownLoops =
  /^(?:_?xpc_|main$|_?start|RunApplicationEventLoop|RunEventLoop|ReceiveNext|__CFRun)/;

/** The function of the system that runs a run loop within that of a main thread until what it waits for has happened, such
 * as the end of another process; `null` where a thread waits in its own. */
function loopRunner(frames: readonly ReportFrame[]): ReportFrame | null {
  let at = frames.findIndex(({ symbol }) => symbol !== null && runFunction.test(symbol));
  if (at < 0) return null;
  while (at < frames.length && runFunction.test(frames[at].symbol ?? "")) at++;
  const runner = frames[at];
  const symbol = runner === undefined ? null : functionOf(runner, frames[at - 1]);
  if (
    symbol === null || mainLoops.test(symbol) || messageLoops.test(symbol) ||
    ownLoops.test(symbol) || outside.test(symbol) || frameOwner(runner, symbol) !== "system"
  ) return null;
  const isWithin = frames.slice(at + 1).some(({ symbol }) =>
    symbol !== null && (mainLoops.test(symbol) || runFunction.test(symbol))
  );
  return isWithin ? runner : null;
}

/** Whether a main thread waits in a run loop that AppKit runs before it ends the program. */
function isQuitting(frames: readonly ReportFrame[]): boolean {
  for (const [at, frame] of frames.entries()) {
    const symbol = functionOf(frame, frames[at - 1] ?? null);
    if (symbol === "-[NSApplication terminate:]") return true;
    // A dialog waits for the user.
    if (symbol?.startsWith("-[NSApplication runModal")) return false;
  }
  return false;
}

/** Whether a wait is that of a thread with nothing to do. */
export function isIdle(row: KnowledgeRow | null): boolean {
  return row?.waitReason === "event";
}

/** A stack that waits in its run loop or for work. */
export const isIdleStack: (frames: readonly ReportFrame[]) => boolean = once((frames) =>
  isIdle(waitOf(frames)) && !isNested(frames) && !isQuitting(frames) &&
  loopRunner(frames) === null && !isCutLoop(frames)
);

/** A stack of a main thread that waits in its own event loop, not in one that a function of the program called. */
export function isIdleMain(frames: readonly ReportFrame[]): boolean {
  return isIdle(mainWaitOf(frames));
}

/** The main thread of a report's process; `null` when the report has no threads. */
export function mainThread({ threads }: Pick<CrashReport, "threads">): ReportThread | null {
  return threads.find(isMainThread) ?? threads[0] ?? null;
}

/** Whether a thread is a process's main one, by its names. */
export function isMainThread({ queue, name }: ReportThread): boolean {
  return queue === "com.apple.main-thread" || queue === "apple.main-thread" ||
    name === "com.apple.main-thread" || /^main$/i.test(name ?? "");
}

/** Most threads of a process that are looked at. */
const MAX_LOOKED_AT = 500;

/** The share of a process's samples that a thread has at least which is looked at for what the process did. */
const MIN_OF_BUSY = 10;

/** The thread of a process that computed the most, as far as samples tell; else its main thread. */
export function busyThread(threads: readonly ReportThread[]): ReportThread | null {
  let best: ReportThread | null = null;
  let most = 0;
  const looked = threads.slice(0, MAX_LOOKED_AT);
  const all = Math.max(0, ...looked.map(samplesOf));
  for (const thread of looked) {
    // What was there for some moments only says nothing of the process.
    if (samplesOf(thread) * MIN_OF_BUSY < all) continue;
    const { busiest, samples } = activityOf(thread);
    if (busiest.length === 0 || waitOf(busiest) !== null || samples <= most) continue;
    best = thread;
    most = samples;
  }
  return best ?? mainThread({ threads });
}

/** Waits for something that another thread of the process does. */
const forThread: ReadonlySet<WaitReason> = new Set([
  "condition",
  "semaphore",
  "lock",
  "join",
  "queue",
]);

/** Whether a thread only waited for what another one was to do. */
export function waitsForThread(thread: ReportThread): boolean {
  const { busiest, samples } = activityOf(thread);
  return forThread.has(waitOf(busiest)?.waitReason ?? "unknown") &&
    samples * 10 >= samplesOf(thread) * 9;
}

/** How often a thread was sampled. */
export function samplesOf({ tree }: ReportThread): number {
  return tree.reduce((sum, { count }) => sum + count, 0);
}

/** The thread that a sample of one process is about: its main thread, or, where that only waited for another one, the only
 * other one that computed all the time. */
export function sampledThread(report: CrashReport): ReportThread | null {
  const main = mainThread(report);
  if (main === null || report.format !== "sample" || !waitsForThread(main)) return main;
  const working = report.threads.slice(0, MAX_LOOKED_AT).filter((thread) => {
    const { busiest, samples } = activityOf(thread);
    return thread !== main && busiest.length > 0 && waitOf(busiest) === null &&
      samples * 10 >= samplesOf(main) * 9;
  });
  return working.length === 1 ? working[0] : main;
}

/** Most branches of a call tree that are compared. */
const MAX_BRANCHES = 1 << 10;

/** The calls that all samples of a thread have in common, innermost first. What one function calls at several places is
 * several branches. */
export function trunkOf({ tree }: ReportThread): ReportFrame[] {
  let total = 0;
  for (const { count } of tree) total += count;
  const trunk: ReportFrame[] = [];
  let level: readonly CallTreeNode[] = tree;
  while (level.length > 0 && level.length < MAX_BRANCHES) {
    const { frame } = level[0];
    let sum = 0;
    for (const { count } of level) sum += count;
    const isOne = level.every(({ frame: { symbol, address, offset } }) =>
      symbol === null
        ? address === frame.address && offset === frame.offset
        : symbol === frame.symbol
    );
    if (sum < total || !isOne) break;
    trunk.push(frame);
    level = level.flatMap(({ children }) => children);
  }
  return trunk.reverse();
}

/** The calls that most of the samples of a thread went through, innermost first. */
function mostlyOf(thread: ReportThread): ReportFrame[] {
  const total = samplesOf(thread);
  const path: ReportFrame[] = [];
  let level: readonly CallTreeNode[] = thread.tree;
  for (;;) {
    const next = level.find(({ count }) => count * 2 > total);
    if (next === undefined) return path.reverse();
    path.push(next.frame);
    level = next.children;
  }
}

/** What a thread was doing, over the samples of its call tree or at one moment. */
export interface Activity {
  /** In a sentence without its subject, as in `idle in 98 of 100 samples: waiting for an event`. */
  readonly words: string;
  readonly idle: boolean;
  /** The most frequent stack that was not idle, innermost first; empty when nine of ten samples were idle. */
  readonly busiest: readonly ReportFrame[];
  /** Number of samples with that stack. */
  readonly samples: number;
}

/** Tells what a thread was doing. */
export const activityOf: (thread: ReportThread) => Activity = once((thread) => {
  if (thread.tree.length === 0 && thread.frames.length === 0) {
    return { words: "not in the report", idle: false, busiest: [], samples: 0 };
  }
  const isMain = isMainThread(thread);
  const wait = isMain ? mainWaitOf : waitOf;
  if (thread.tree.length === 0) {
    const row = wait(thread.frames);
    const idle = isIdle(row);
    return {
      words: row === null
        ? nameOf(thread.frames[0]) === null
          ? namelessWords(thread.frames)
          : titleOf(thread.frames[0]).startsWith("libsystem_kernel")
          ? `in a call of the kernel (${nameOf(thread.frames[0])})`
          : "running"
        : idle
        ? `idle, ${row.meaning}`
        : row.meaning,
      idle,
      busiest: idle ? [] : thread.frames,
      samples: 1,
    };
  }
  const single = isLinear(thread) ? heaviestOf(thread) : null;
  if (single !== null) return single;
  let idle = 0;
  let idleRow: KnowledgeRow | null = null;
  /** Samples by the function that ran. */
  const functions = new Map<string, number>();
  let best: { own: number; path: ReportFrame[] } = { own: 0, path: [] };
  /** Another stack that has as many samples. */
  let tied: Link | null = null;
  const total = samplesOf(thread);
  // Iterative: trees may be deeper than the call stack allows.
  let collected = 0;
  const left: { node: CallTreeNode; path: Link; collects: boolean }[] = thread.tree.map((node) => ({
    node,
    path: { frame: node.frame, outer: null },
    collects: false,
  }));
  for (let item = left.pop(); item !== undefined; item = left.pop()) {
    const { node, path } = item;
    const collects = item.collects || collecting.test(node.frame.symbol ?? "");
    if (collects && !item.collects) collected += node.count;
    let own = node.count;
    for (const child of node.children) {
      own -= child.count;
      left.push({ node: child, path: { frame: child.frame, outer: path }, collects });
    }
    if (own <= 0) continue;
    const frames = unlink(path, isMain ? MAIN_DEPTH : WAIT_DEPTH + 4);
    const row = wait(frames);
    if (isIdle(row)) {
      idle += own;
      idleRow ??= row;
      continue;
    }
    const name = placeOf(frames);
    functions.set(name, (functions.get(name) ?? 0) + own);
    if (own > best.own) {
      best = { own, path: unlink(path, Infinity) };
      tied = null;
    } else if (own === best.own) tied ??= path;
  }
  // Where no stack has most of the samples, the heaviest branch from the root on tells more than the end that has most.
  const isUnwalked = best.path.length === 1 && thread.tree.length > 1;
  // A few samples at waits are no rest of it: what computes calls the kernel by the same functions.
  const isAtWork = idle === 0 || (thread.name === "heaviest stack" && idle * 2 < total);
  if (isAtWork && collected === 0 && (best.own * 2 <= total || isUnwalked)) {
    const branch = heaviestOf(thread);
    if (branch !== null) return branch;
  }
  // The nodes of a tree are numbered from its root.
  const busiest = best.path.map((frame, index) => ({ ...frame, index }));
  const share = (count: number): string =>
    `${count} of ${total} samples (${percent(count, total)})`;
  const parts: string[] = [];
  if (idle > 0 && idleRow !== null) parts.push(`idle in ${share(idle)}, ${idleRow.meaning}`);
  // A few samples in passing say nothing of what it did.
  if (best.own > 0 && best.own * MIN_SHARE >= total) {
    const row = wait(best.path);
    const place = placeOf(best.path);
    // A function may have been the innermost one on several stacks, as one that calls itself.
    const most = Math.max(best.own, functions.get(place) ?? 0);
    parts.push(
      row === null
        ? `${parts.length > 0 ? "else " : ""}${
          most * 2 > total - idle
            ? "mostly"
            : tied === null && !isExceeded(functions, place, most)
            ? "most often"
            : "among others"
        } in ${place}${imagesOf(best.path)}: ${share(most)}${
          tied === null ? "" : asOften(unlink(tied, MAIN_DEPTH), wait)
        }`
        : `${row.meaning} in ${share(best.own)}${waitsIn(best.path, row)}${calledBy(best.path)}`,
    );
  }
  // No stack has many samples: what they have in common tells, and the function that had most.
  const isSpread = parts.length === 0 && total > 0;
  if (isSpread) {
    const [name, count] = [...functions].reduce((most, entry) => entry[1] > most[1] ? entry : most);
    parts.push(`in many functions, most often in ${name}: ${share(count)}`);
  }
  if (collected * MIN_SHARE >= total && collected > 0) {
    parts.push(`garbage collection in ${share(collected)}`);
  }
  const words = parts.length === 0 ? "not sampled" : parts.join("; ");
  if (isSpread) {
    const trunk = mostlyOf(thread).map((frame, index) => ({ ...frame, index }));
    return { words, idle: false, busiest: trunk, samples: total };
  }
  return {
    words,
    idle: idle * 2 >= total,
    // A few samples of a thread with nothing to do blame nobody.
    busiest: idle * 10 >= total * 9 || best.own * MIN_SHARE < total ? [] : busiest,
    samples: best.own,
  };
});

/** What the heaviest stack of a resource report or a hang shows, where samples left it on the way: at each call the
 * branch with the most samples goes on, and the others are not in it. So what is left is only known of its end;
 * spindump(8). `null` for other threads. */
function heaviestOf(thread: ReportThread): Activity | null {
  const { name, tree } = thread;
  const root = heaviestRoot(tree);
  if (name !== "heaviest stack" || root === null) return null;
  const total = samplesOf(thread);
  const path: ReportFrame[] = [];
  let node = root;
  let half = node;
  /** The deepest one with a name that as many samples went through. */
  let named: CallTreeNode | null = null;
  /** The deepest one with a third of all samples. */
  let third = node;
  /** Most samples that left it at one call: no other function has more. */
  let left = 0;
  for (;;) {
    path.push(node.frame);
    if (node.count * 2 > total) {
      if (nameOf(node.frame) !== null) named = node;
      else if (node.count < half.count) named = null;
      half = node;
    }
    if (node.count * 3 >= total) third = node;
    const next = heaviestNode(node.children);
    if (next === null) break;
    left = Math.max(left, node.count - next.count);
    node = next;
  }
  if (node.count === total) return null;
  const busiest = path.reverse().map((frame, index) => ({ ...frame, index }));
  const row = waitOf(busiest);
  const share = ({ count }: CallTreeNode): string =>
    `${count} of ${total} samples (${percent(count, total)})`;
  const end = row === null
    ? `in ${placeOf(busiest)}${imagesOf(busiest)}: ${share(node)}`
    : `${row.meaning} in ${share(node)}${waitsIn(busiest, row)}${calledBy(busiest)}`;
  // A sample or two at its end say nothing of what all of them did.
  if (half !== node && (node.count === 1 || node.count * MIN_END < total)) {
    const at = busiest.findIndex(({ address, symbol }) =>
      address === half.frame.address && symbol === half.frame.symbol
    );
    const common = busiest.slice(at).map((frame, index) => ({ ...frame, index }));
    const end = third !== half && !isLinear(thread)
      ? `; the largest branch below it, with ${third.count} of them, is in ${
        placeOf([third.frame])
      }`
      : `, and at its end is ${node.count === 1 ? "a single one" : `${node.count} of them`}`;
    const words = `${share(half)} went through ${placeOf([(named ?? half).frame])}${
      total < FEW ? ": so few samples show little" : end
    }`;
    return { words, idle: false, busiest: common, samples: half.count };
  }
  const words = half === node || node.count > left
    ? row === null ? `${half === node ? "mostly" : "most often"} ${end}` : end
    : `${share(half)} went through ${placeOf([(named ?? half).frame])}; its end is ${end}`;
  return { words, idle: false, busiest, samples: node.count };
}

/** Whether a call tree has one branch only. */
function isLinear({ tree }: ReportThread): boolean {
  let level: readonly CallTreeNode[] = tree;
  while (level.length === 1) level = level[0].children;
  return level.length === 0;
}

/** Samples of which so few say little. */
const FEW = 10;
/** The share of a heaviest stack's samples that its end has at least, if it is told. */
const MIN_END = 10;

/** Whether a function has, over all stacks, more samples than one stack of another function. */
function isExceeded(functions: ReadonlyMap<string, number>, name: string, most: number): boolean {
  for (const [other, count] of functions) if (other !== name && count > most) return true;
  return false;
}

/** Another stack of as many samples, at the end of a sentence. */
function asOften(
  frames: readonly ReportFrame[],
  wait: (frames: readonly ReportFrame[]) => KnowledgeRow | null,
): string {
  const row = wait(frames);
  return `, and as often ${row === null ? `in ${placeOf(frames)}` : row.meaning}`;
}

/** Functions that run-times collect garbage in: V8, src/heap/heap.cc; JavaScriptCore, heap/Heap.cpp; Mono, sgen-gc.c. */
const collecting =
  /^(?:v8::internal::(?:Heap::(?:CollectGarbage|PerformGarbageCollection)|MarkCompactCollector::CollectGarbage|Scavenger\w{0,20}::CollectGarbage)|JSC::Heap::(?:collect|runCurrentPhase)\w{0,30}|sgen_perform_collection)\b/;

interface Link {
  readonly frame: ReportFrame;
  readonly outer: Link | null;
}

/** The innermost frames of a linked path. */
function unlink(path: Link, most: number): ReportFrame[] {
  const frames: ReportFrame[] = [];
  for (let link: Link | null = path; link !== null && frames.length < most; link = link.outer) {
    frames.push(link.frame);
  }
  return frames;
}

/** The innermost function of a stack that is not the kernel's. */
function placeOf(frames: readonly ReportFrame[]): string {
  return frameTitle(frames.find((frame) => !isKernelFrame(frame)) ?? frames[0]);
}

/** A frame's function; `null` where its name is only that of the nearest one. */
function nameOf(frame: ReportFrame): string | null {
  return isNearest(frame) ? null : frame.symbol;
}

/** What is said of a thread of which nothing is known. */
export const nameless = "in code without a name";

/** Where a thread was whose innermost function has no name: its image and those that called it tell more than nothing. */
function namelessWords(frames: readonly ReportFrame[]): string {
  const title = titleOf(frames[0]);
  if (title === "") return nameless;
  const place = title.startsWith("libsystem_kernel") ? "a call of the kernel" : title;
  return `in ${place} (the report has no name of the function)${imagesOf(frames)}`;
}

/** The images of a stack without names, innermost first. */
function imagesOf(frames: readonly ReportFrame[]): string {
  if (frames[0] === undefined || nameOf(frames[0]) !== null) return "";
  const names: string[] = [];
  for (const frame of frames) {
    const name = titleOf(frame);
    if (name !== "" && !names.includes(name)) names.push(name);
  }
  return names.length < 2 ? "" : `, called through ${names.slice(1, 5).join(", ")}`;
}

/** Functions of the system that wait on behalf of others, beside those of its base libraries. */
const onBehalf = /^(?:-\[NS\w{0,40}Lock |-\[NSCondition|-\[NSOperation |objc_sync_|std::)/;

/** The function of a framework of the system that a wait for a lock or the like is for. */
function waitsIn(frames: readonly ReportFrame[], { waitReason }: KnowledgeRow): string {
  if (waitReason === "event" || waitReason === "unknown") return "";
  for (const frame of frames) {
    if (isKernelFrame(frame)) continue;
    const symbol = functionOf(frame, null);
    const owner = frameOwner(frame, symbol);
    if (owner !== "system" || symbol === null || messageLoops.test(symbol)) return "";
    if (!isBaseLibrary(titleOf(frame)) && !onBehalf.test(symbol)) {
      return `, in ${placeOf([frame])}`;
    }
  }
  return "";
}

/** The program's function that waits. */
function calledBy(frames: readonly ReportFrame[]): string {
  const frame = frames.find((frame) => frameOwner(frame, frame.symbol) === "program");
  if (frame === undefined) return "";
  // An image without a name.
  if (nameOf(frame) === null && titleOf(frame).startsWith("<")) return "";
  return `, called by ${nameOf(frame) === null ? `code of ${titleOf(frame)}` : placeOf([frame])}`;
}

/** What a spindump says that a thread was blocked by. */
export interface Blocker {
  /** As in `blocked by turnstile waiting for Shop [77] thread 0x2b after 2 hops`. */
  readonly words: string;
  /** The thread that it waited for, if the report has it. */
  readonly thread: ReportThread | null;
}

/** Characters of a thread's call tree in which its blocker is looked for. */
const MAX_TREE_TEXT = 1 << 20;

/** What blocked a thread in most of the samples of which a spindump says it; `null` when it does not. */
export function blockerOf(
  { format, text, threads }: CrashReport,
  thread: ReportThread,
): Blocker | null {
  if (format !== "spindump" || thread.id === null || !text.includes(" (blocked by ")) return null;
  const title = new RegExp(`^ {1,8}Thread 0x${thread.id.toString(16)}\\b`, "m").exec(text);
  if (title === null) return null;
  const from = title.index + title[0].length;
  const rest = text.slice(from, from + MAX_TREE_TEXT);
  const end = rest.search(/^ {1,8}(?:Thread 0x[0-9a-f]|Binary Images:)|^Process: /m);
  let best = 0;
  let words: string | null = null;
  for (
    const [, count, blocker] of rest.slice(0, end < 0 ? undefined : end)
      .matchAll(
        /^[ *]{1,400}(\d{1,9}) {1,4}\S.{0,600} \((blocked by [^()]{1,200})\)(?: \d[\d, -]{0,80})? ?$/gm,
      )
  ) {
    if (Number(count) <= best) continue;
    best = Number(count);
    words = blocker;
  }
  if (words === null) return null;
  const id = /\bthread (0x[0-9a-f]{1,16})\b/.exec(words)?.[1];
  const other = id === undefined ? null : threads.find((other) => other.id === BigInt(id)) ?? null;
  return {
    words: words.replace(/ \[unique pid \d{1,9}\]/, ""),
    thread: other === thread ? null : other,
  };
}
