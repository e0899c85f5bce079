/** Why a process was ended from outside. */

import { faultAddress, regionInfo } from "../fault.ts";
import { titleOf } from "../images.ts";
import { textAt } from "../json.ts";
import {
  type KnowledgeRow,
  known,
  knownMessage,
  knownTermination,
  knownWatchdog,
  type WaitReason,
} from "../knowledge/mod.ts";
import { type CrashReport, fieldValue, type ReportFrame } from "../report.ts";
import { headOf } from "../text.ts";
import { accessOf } from "./cpu.ts";
import { isEventLoop, isIdleMain, lockOf, mainThread, selfWaitOf, waitOf } from "./hang.ts";
import { architectureRow, newerRow, packageRow, refusedRow, withoutAbsent } from "./message.ts";
import { symbolRow } from "./missing_symbol.ts";
import { shortName } from "./names.ts";
import { answers, hangs } from "./panic_words.ts";
import { isMobile, simulatorOf } from "./platform.ts";
import { regionWords } from "./region.ts";
import { frameOwner, functionOf } from "./stack.ts";
import type { Crash, Story } from "./story.ts";
import { isBadJump, lockingThread } from "./telling.ts";
import { threadWaits } from "./waits.ts";
import { sentence } from "./words.ts";

/** Tells what ended the process from outside. */
export function tellTermination(crash: Crash, story: Story): void {
  const { report, texts, ended } = crash;
  const { termination } = report;
  if (ended === null) return;
  const isSlow = ended.key === "*:0x8badf00d";
  // Older systems have the watchdog's words among the application's.
  const older = isSlow
    ? texts.find((text) => /\bfailed to \w{2,20} in time\b/.test(text))
    : undefined;
  const reason =
    (termination?.namespace === "DYLD"
      ? texts.find((text) => /Library not loaded|Symbol not found/.test(text))
      : undefined) ?? termination?.reasons[0] ?? older;
  // The reason says why the library is not loaded, which the code does not.
  const why = termination?.namespace === "DYLD" && texts.length > 0
    ? dyldRow(report, [...termination.reasons, ...texts].join("\n"))
    : null;
  if (why !== null && why.key !== "Library not loaded") story.add(why);
  else {
    const isBusy = isSlow || ended.key === suspended;
    const slow = isBusy ? slowness(crash) : {};
    // A main thread that has nothing to do has returned.
    const usual = isBusy && isIdleMain(mainThread(report)?.frames ?? []) ? "" : ended.next;
    const row = { ...ended, ...slow, next: (slow.next ?? "") === "" ? usual : slow.next! };
    story.add(
      row,
      sentence(
        wholeMeaning(ended, [...termination?.reasons ?? [], ...older === undefined ? [] : [older]]),
      ),
    );
  }
  if (reason !== undefined) story.tell(`It says: ${withoutAbsent(reason)}`);
  // The service, and how it answered, stand behind what happened.
  if (ended.key.startsWith("WATCHDOG:0x1")) {
    for (const more of (termination?.reasons ?? []).slice(1, 4)) {
      if (more !== reason) story.tell(`It says: ${more}`);
    }
    const { name } = report.process;
    if (name !== null) {
      for (const words of threadWaits(report, [name])) {
        story.tell(`By the stackshot in the report: ${words[0].toLowerCase()}${words.slice(1)}`);
      }
    }
  }
  const page = /^CODESIGNING:0x2(?: data| file)?$/.test(ended.key) ? faultAddress(report) : null;
  const region = page === null ? null : regionWords(report, page).words;
  if (page !== null) {
    story.tell(`The address was 0x${page.toString(16)}${region === null ? "" : `: ${region}`}.`);
  }
  const holder = lockingThread(report);
  if (holder !== null) {
    story.tell(`Thread ${holder.index} was in SQLite: most likely it held the lock.`);
  }
  if (ended.key.startsWith(ASSERTION)) {
    for (const words of taskWords(texts.join("\n").slice(0, 4000))) story.tell(words);
  }
  const share = watchdogWords(termination?.reasons.join(" ") ?? "");
  if (share !== null) story.tell(mainWaits(report) ? share.replace(didNotWait, mainWaited) : share);
  else if (isSlow) tellComputed(texts.join("\n").slice(0, 4000), story);
}

/** Whether a process was ended, or a report of it made, since its main thread did not answer. */
export function didNotAnswer(
  { exception, termination }: CrashReport,
  ended: KnowledgeRow | null,
  texts: readonly string[],
): boolean {
  return (ended !== null && unanswered.test(ended.key)) || ended?.key === suspended ||
    /^(?:WATCHDOG|HANGTRACER)$/i.test(termination?.namespace ?? "") ||
    exception?.type === "deadlock" ||
    texts.some((text) => /Application main thread deadlocked|SIMULATED \(this is NOT/.test(text));
}

/** Keys of the codes by which a process that does not answer is ended. */
const unanswered = /^\*:0x(?:8badf00d|deadfa11)$/;

/** The seconds are those of all its threads. */
const didNotWait = "it worked, by one thread or by several";
const mainWaited = "it worked, though its main thread waited at that moment";

/** Whether the main thread waited for something else than an event. */
function mainWaits(report: CrashReport): boolean {
  const reason = waitOf(mainThread(report)?.frames ?? [])?.waitReason;
  return reason !== undefined && reason !== "event" && reason !== "files" && reason !== "unknown";
}

/** Causes and advice for a main thread that did not answer, by what it did: it waited for a lock, for something else, or
 * worked. */
function slowness({ report, texts, peer }: Crash): Partial<Pick<KnowledgeRow, "causes" | "next">> {
  const frames = mainThread(report)?.frames ?? [];
  const text = [...report.termination?.reasons ?? [], ...texts].join("\n").slice(0, 8000);
  const words = watchdogWords(text) ?? computedWords(text) ?? "";
  const worked = words.includes(didNotWait);
  const self = selfWaitOf(frames);
  if (self !== null) return selfWait(frames);
  const lock = lockOf(frames);
  if (lock !== null && !(lock.title === null && worked)) {
    return {
      causes: [
        "another thread holds the lock: it waits for the main thread, or for something else, or works long under it",
        ...lock.isRecursive || lock.findsItself
          ? []
          : ["the main thread took the lock before, and waits for itself"],
        ...allWait(report)
          ? ["the lock was left locked, by a path that returned or threw without unlocking it"]
          : [],
      ],
      next: "Find what else takes the lock, and what it does until it releases it.",
    };
  }
  if (worked) {
    return {
      causes: mainWaits(report) ? [] : ["more work at once than there was time for"],
      next: mainAdvice(frames),
    };
  }
  if (peer !== null && peer.causes.length > 0) return { causes: peer.causes, next: peer.next };
  const awaited = waitOf(frames);
  if (awaited !== null && awaited.causes.length > 0) {
    return { causes: awaited.causes, next: awaited.next };
  }
  const next = mainAdvice(frames);
  const asleep = sleepOf(frames);
  if (asleep !== null) {
    return { causes: [`a call of ${asleep}() on the main thread`], next };
  }
  return / waited(?!, or)/.test(words) && !isIdleMain(frames)
    ? {
      next: next === "" && awaited?.meaning === FILE_LOCK
        ? "Find what else takes the file's lock, and how long it keeps it."
        : next,
      causes: [awaitedCause(awaited)],
    }
    : { next };
}

const ofLocks = "the main thread waited for a lock that another thread has";
const ofThreads = "the main thread waited for what another thread does";

/** What a main thread waited for, by the function in which it did. */
const awaitedWords: Readonly<Partial<Record<WaitReason, string>>> = {
  mutex: ofLocks,
  rwlock: ofLocks,
  lock: ofLocks,
  condition: ofThreads,
  semaphore: ofThreads,
  join: ofThreads,
  queue: ofThreads,
  reply: "the main thread waited for another process or the kernel",
  files: "the main thread waited for a file or the disk",
};

/** How the row of a wait for a file's lock says it. */
const FILE_LOCK = "blocked on a file lock";

/** What a main thread waited for, as far as the function tells. */
function awaitedCause(awaited: KnowledgeRow | null): string {
  const reason = awaited?.waitReason ?? "unknown";
  return awaitedWords[reason] ??
    (awaited?.meaning === FILE_LOCK
      ? `the main thread was ${FILE_LOCK}: another process, such as an extension of the app, or another thread has it`
      : reason === "other" && awaited!.meaning.startsWith("blocked on ")
      ? `the main thread was ${awaited!.meaning}`
      : "the main thread waited: for another thread or process, the network, a file, or a lock");
}

/** The function by which the program put its thread to sleep: nothing ends that but the time; `null` for other stacks. */
function sleepOf(frames: readonly ReportFrame[]): string | null {
  const at = frames.findLastIndex(({ symbol }, index) =>
    index < SLEEP_DEPTH &&
    /^(?:u?sleep|nanosleep|\+\[NSThread sleep(?:ForTimeInterval|UntilDate):\])$/.test(symbol ?? "")
  );
  const caller = at < 0 ? undefined : frames[at + 1];
  return caller === undefined || frameOwner(caller, functionOf(caller, frames[at])) !== "program"
    ? null
    : frames[at].symbol!;
}

/** Innermost frames that a sleep takes. */
const SLEEP_DEPTH = 6;

/** Most threads that are looked at. */
const MAX_THREADS = 500;

/** Whether no thread of a report works, so that whoever took a lock may have left it. */
function allWait(report: CrashReport): boolean {
  const main = mainThread(report);
  const others = report.threads.slice(0, MAX_THREADS).filter((thread) => thread !== main);
  return others.length > 0 && others.every(({ frames }) => waitOf(frames) !== null);
}

/** Causes and advice for a main thread whose handler of a signal waits for what the thread itself was taking. */
function selfWait(
  frames: readonly ReportFrame[],
): Partial<Pick<KnowledgeRow, "causes" | "next">> {
  // Mono, mono/mini/debugger-agent.c: it suspends threads by a signal.
  return frames.some(({ symbol }) => /^mono_debugger_agent_/.test(symbol ?? ""))
    ? {
      causes: [
        "Mono's debugger, which suspended the thread by a signal while that took the lock: a deadlock of the run-time's own, not of the program's code",
      ],
      next:
        "Run it without the debugger, or have the debugger stop it later; update Mono or Xamarin.",
    }
    : {
      causes: [
        "a handler of a signal that takes a lock, which the interrupted function takes as well",
      ],
      next: "Take no lock in a handler of a signal; see sigaction(2) for what it may call.",
    };
}

/** Frames within which what a main thread did is looked for. */
const MAIN_DEPTH = 24;

/** Members that end an object's life or its use. */
const ending =
  /^[-+]\[[^\]]{1,200} (?:dealloc|\.cxx_destruct|_?invalidate\w{0,40}:?)\]|::~\w|\.(?:__deallocating_)?deinit\b|\.invalidate\(/;

/** Libraries whose work has to be done on the main thread. */
const userInterface =
  /^(?:com\.apple\.)?(?:UIKit|UIKitCore|AppKit|SwiftUI|QuartzCore|WebKit|HIToolbox)$/;

/** Functions of a main thread's stack from its innermost to what called it for an event. */
function untilLoop(frames: readonly ReportFrame[]): (string | null)[] {
  const names = frames.slice(0, MAIN_DEPTH).map((frame) => functionOf(frame, null));
  const end = names.findIndex((name) => name !== null && isEventLoop(name));
  return end < 0 ? names : names.slice(0, end);
}

/** What to do about what a main thread did that did not answer, as far as its stack shows it: that of the user interface
 * has to stay on that thread, and so has the end of its objects. */
function mainAdvice(frames: readonly ReportFrame[]): string {
  if (isIdleMain(frames)) return "";
  const inner = untilLoop(frames);
  const reason = waitOf(frames)?.waitReason;
  const isWaiting = reason !== undefined && reason !== "files" && reason !== "unknown";
  const released = inner.find((name) => name !== null && ending.test(name));
  if (released != null) {
    return isWaiting
      ? `Find what the main thread waited for while it released an object, in ${
        shortName(released)
      }; stop what still uses the object before.`
      : "";
  }
  const at = inner.findIndex((name, index) => frameOwner(frames[index], name) === "program");
  const own = at < 0 ? null : inner[at];
  if (own === null) return "";
  const library = frames.slice(0, at).map(titleOf).findLast((title) => userInterface.test(title));
  const name = shortName(own);
  if (library !== undefined) {
    return `What ${name} had ${
      library.replace(/^com\.apple\./, "")
    } do has to stay on the main thread: see whether it does less there at once, or in parts.`;
  }
  return isWaiting
    ? `See what ${name} waits for on the main thread, and whether it has to.`
    : `See whether ${name} takes long: it ran on the main thread at that moment.`;
}

/** How long a background task was permitted, and how much the app computed meanwhile. */
function taskWords(text: string): string[] {
  const permitted = new Set(assertionsIn(text).map(({ seconds }) => seconds));
  const [first] = permitted;
  const computed = computedWords(text);
  return [
    ...(permitted.size === 1 && first !== null ? [`It was permitted ${first} s.`] : []),
    ...(computed === null ? [] : [computed]),
  ];
}

/** What the reason of a stackshot tells of the background tasks for which a process was ended. */
export function endedTaskWords(ended: KnowledgeRow, reason: string): string[] {
  return ended.key.startsWith(ASSERTION) ? taskWords(reason.slice(0, 4000)) : [];
}

function tellComputed(text: string, story: Story): void {
  const words = computedWords(text);
  if (words !== null) story.tell(words);
}

/** How much the app computed, where no watchdog's allowance stands beside it. */
function computedWords(text: string): string | null {
  const used =
    /Elapsed application CPU time \(seconds\): ([\d.]{1,12})[^%\n]{0,60}?, (\d{1,3})% CPU/.exec(
      text,
    );
  return used === null
    ? null
    : `The app computed for ${used[1]} s (${used[2]}% CPU)${
      Number(used[2]) < WAITING ? waitedWords(text) : ""
    }.`;
}

/** Percent of all CPUs together below which an app mostly waited. */
const WAITING = 5;

/** That an app that hardly computed waited, or, where others used the CPUs, may have got none. */
function waitedWords(text: string): string {
  const total = /Elapsed total CPU time \(seconds\): [\d.]{1,12}[^%]{0,60}?, (\d{1,3})% CPU/.exec(
    text,
  )?.[1];
  return total !== undefined && Number(total) > BUSY
    ? `: it waited, or got no CPU, of which the whole system used ${total}%`
    : ": it mostly waited";
}

/** Tells what a watchdog measured, where only a message says that one ended the process. */
export function tellWatchdog({ texts, ended }: Crash, story: Story): void {
  if (ended !== null) return;
  const reason = texts.find((text) => text.includes("exhausted "));
  const words = reason === undefined ? null : watchdogWords(reason);
  if (words !== null) story.tell(words);
}

function dyldRow(report: CrashReport, text: string): KnowledgeRow | null {
  return symbolRow(text, report) ?? newerRow(text, report) ?? architectureRow(text, report) ??
    refusedRow(text) ??
    (hasCopy(report, text)
      ? known("message", "Library not loaded: another copy is loaded")
      : isOfMac(report, text)
      ? known("message", "Library not loaded: a folder of macOS")
      : packageRow(text) ?? knownMessage(text));
}

/** Whether a mobile program, or one in its simulator, looked for a library where only macOS has some. */
function isOfMac(report: CrashReport, text: string): boolean {
  // A jailbreak installs that there.
  return /(?:^|\n)Library not loaded: '?\/Library\/Frameworks\/(?!CydiaSubstrate\.)/.test(text) &&
    (isMobile(report) || simulatorOf(report) !== null ||
      /\/[Cc]ontainers\/Bundle\/Application\//.test(report.process.path ?? ""));
}

/** Whether the program has its own copy of a library that was looked for in another folder. */
function hasCopy({ images }: CrashReport, text: string): boolean {
  const path = /(?:^|\n)Library not loaded: (\/(?!usr\/lib\/|System\/)\S{1,400})/.exec(text)?.[1];
  if (path === undefined) return false;
  const name = path.slice(path.lastIndexOf("/"));
  return images.some((image) =>
    image.path !== null && image.path !== path && image.path.endsWith(name) &&
    image.path.includes(".app/")
  );
}

/** How the meanings of the codes of a namespace begin, which are no sentences. */
const beginnings: readonly (readonly [string, string])[] = [
  ["JETSAM:", "the kernel ended the process: "],
  ["EXEC:", "the program could not be started: "],
];

/** A termination's meaning as a sentence, by the event that its reason names. */
function wholeMeaning({ key, meaning }: KnowledgeRow, reasons: readonly string[]): string {
  const begin = beginnings.find(([start]) => key.startsWith(start))?.[1];
  if (begin !== undefined) return begin + meaning;
  const text = key === "*:0x8badf00d" ? reasons.join(" ").slice(0, 4000) : "";
  const event = knownWatchdog(text);
  return event === null
    ? meaning
    : meaning.replace(/, as when it starts,.*$/, ` ${event.meaning}.`);
}

/** Tells the reason of a termination whose code is not known. */
export function tellNamespace({ report, ended }: Crash, story: Story): void {
  const { termination, exception } = report;
  if (
    ended !== null || termination === null || !namesAReason(termination.namespace) ||
    isBadJump(report) ||
    // The exception says more.
    (termination.namespace === "GUARD" && exception?.type === "EXC_GUARD")
  ) return;
  // Whose fault it is the exception's codes say.
  const row = isUserFault(report) ? null : known("namespace", termination.namespace!.toUpperCase());
  if (!story.rows.some(({ kind }) => kind === "message")) story.add(row);
  const [reason] = termination.reasons;
  if (reason !== undefined && !story.happened.some((text) => text.includes(reason))) {
    story.tell(`It says: ${reason}`);
  }
}

/** Whether a report is of a fault that code of the process only had reported: what stands as its termination is the fault's
 * own number. XNU, bsd/kern/kern_exit.c: abort_with_payload_internal ends no process for OS_REASON_IFLAG_USER_FAULT. */
export function isUserFault({ exception }: CrashReport): boolean {
  return exception?.type === "EXC_GUARD" &&
    exception.subtype?.startsWith("GUARD_TYPE_USER") === true;
}

/** The row for a termination code, in the termination itself or in the exception's codes. */
export function terminationRow(report: CrashReport): KnowledgeRow | null {
  const row = isBadJump(report) ? null : terminationCode(report);
  if (row?.key === "*:0xdead10cc" && namesLocked(report)) {
    return known("termination", "*:0xdead10cc named");
  }
  // Older systems have one code for all that took too long.
  if (row === null || !/^(?:\*|ASSERTIOND):0x8badf00d$/.test(row.key)) return row;
  const text = [
    ...report.information,
    ...report.termination?.reasons ?? [],
    reasonOf(report) ?? "",
  ].join("\n").slice(0, 16_000);
  return /beyond permitted time|permittedBackgroundDuration/.test(text) ? assertionRow(text) : row;
}

/** Whether a process was ended for files that it had locked, and these are named. */
function namesLocked({ information, termination }: CrashReport): boolean {
  const text = [...information, ...termination?.reasons ?? []].join("\n").slice(0, 16_000);
  return /\bsuspended with locked system files:\s{0,8}\/\S/.test(text);
}

/** How the keys of the rows for assertions begin. */
const ASSERTION = "ASSERTIOND:0x8badf00d assertion";

/** The key of the row for an app that was still at work when it was to be suspended. */
export const suspended = `${ASSERTION} suspend`;

/** Reasons and times of assertions, as `permittedBackgroundDuration: 10.000000 reason: suspend` and iOS 11's
 * `"name" (finishTask:180s)` have them. */
function assertionsIn(text: string): { reason: string | null; seconds: string | null }[] {
  const old =
    /permittedBackgroundDuration: {1,4}(\d{1,7})[\d.]{0,8}(?:\s{1,8}reason: {1,4}([\w-]{1,60}))?/g;
  const newer = /\bBKProcessAssertion: [^>\n]{1,400}? \(([A-Za-z][\w-]{1,60}):(\d{1,7})s\)/g;
  return [
    ...[...text.matchAll(old)].map(([, seconds, reason = null]) => ({ reason, seconds })),
    ...[...text.matchAll(newer)].map(([, reason, seconds]) => ({ reason, seconds })),
  ];
}

/** The row for assertions beyond their time, by what all of them were for. */
function assertionRow(text: string): KnowledgeRow | null {
  const found = assertionsIn(text).map(({ reason }) =>
    // A task that the app began itself, whatever it was woken for before.
    reason !== null && /^finishTask/.test(reason) ? "finishTask" : reason
  );
  const [reason = null] = found;
  const isOne = reason !== null && found.every((other) => other === reason);
  const names = [...text.matchAll(/\bBKProcessAssertion: [^>"\n]{1,60}"([^"\n]{1,200})"/g)];
  if (names.length > 0 && names.every(([, name]) => name.startsWith("File Coordination Claim"))) {
    return known("termination", `${ASSERTION} coordination`);
  }
  if (isOne && reason === "finishTask") return known("termination", ASSERTION);
  return (isOne ? known("termination", `${ASSERTION} ${reason}`) : null) ??
    known("termination", `${ASSERTION} other`);
}

/** What reports call codes: Apple, `indicator` of a termination. */
const indicators: ReadonlyMap<string, string> = new Map([
  ["Taskgated Invalid Signature", "CODESIGNING:0x1"],
  ["Launch Constraint Violation", "CODESIGNING:0x4"],
  ["Library missing", "DYLD:0x1"],
  ["Symbol missing", "DYLD:0x4"],
]);

/** The row for the code. */
function terminationCode(report: CrashReport): KnowledgeRow | null {
  const { termination, exception } = report;
  if (isUserFault(report)) return null;
  if (termination?.code != null && namesAReason(termination.namespace)) {
    const row = knownTermination(termination.namespace, termination.code);
    // The signal's name has why the kernel refused the file.
    if (row?.key === "EXEC:0x1" && /\bCODESIGNING\b/.test(exception?.signal ?? "")) {
      return known("termination", "EXEC:0x1 signature");
    }
    if (row?.key === "CODESIGNING:0x2" && isOwnMemory(report)) {
      return known("termination", "CODESIGNING:0x2 anonymous");
    }
    if (row?.key === "CODESIGNING:0x2" && isData(report)) {
      return known("termination", "CODESIGNING:0x2 data");
    }
    if (row?.key === "WATCHDOG:0x1" && isUnhealthy(termination.reasons)) {
      return known("termination", "WATCHDOG:0x1 unhealthy");
    }
    if (row?.key === "CODESIGNING:0x2" && isOfFile(report)) {
      return known("termination", "CODESIGNING:0x2 file");
    }
    if (row !== null) return row;
  }
  if (termination !== null && termination.code === null) {
    // Excerpts may have the reporter's words for a code only.
    const key = termination.reasons.map((text) => indicators.get(text.trim())).find(Boolean);
    if (key?.startsWith(`${termination.namespace?.toUpperCase()}:`)) {
      return known("termination", key);
    }
  }
  for (const code of exception?.codes ?? []) {
    const row = code > 0xffffn ? knownTermination(null, code) : null;
    if (row !== null) return row;
  }
  return null;
}

/** Whether a service answered that it is not well: one whose queues do not answer hangs, whatever it says beside. */
function isUnhealthy(reasons: readonly string[]): boolean {
  const text = reasons.join("\n").slice(0, 4000);
  return answers.test(text) && !hangs.test(text);
}

/** Whether an instruction was to be executed in a region that is not for code. */
function isData(report: CrashReport): boolean {
  const address = faultAddress(report);
  const region = address === null ? null : regionWords(report, address);
  return region?.type != null && !region.executable && accessOf(report) === "execute";
}

/** Whether the fault was in a region that a file is mapped in. */
function isOfFile(report: CrashReport): boolean {
  const address = faultAddress(report);
  const type = address === null ? null : regionWords(report, address).type;
  return type !== null && /^(?:mapped file|__[A-Z])/.test(type);
}

/** Whether the fault was in memory that the process filled itself, by the region that the report names. */
function isOwnMemory(report: CrashReport): boolean {
  // Lines that were wrapped are not of the field.
  const info = `${regionInfo(report) ?? ""}\n${headOf(report.text)}`;
  return /^[ \t]{0,80}-{2,4}>\s*(?:VM_ALLOCATE|JS JIT|MALLOC|Memory Tag|VM_MEMORY)/m.test(info);
}

function namesAReason(namespace: string | null): boolean {
  return namespace !== null && namespace.toUpperCase() !== "SIGNAL";
}

/** Why a stackshot was taken; `null` when it does not say. */
export function reasonOf(report: CrashReport): string | null {
  const written = fieldValue(report, "reason") ??
    (report.body === null ? null : textAt(report.body, "reason"));
  // Its lines are told as one.
  return written?.trim().replace(
    /([:;,.]?)\s{0,20}\n\s{0,200}/g,
    (_, mark) => mark === "" ? "; " : `${mark} `,
  ) ??
    null;
}

/** Whether the process waited or worked, by what a watchdog measured: `exhausted real (wall clock) time allowance of
 * 10.00 seconds … Elapsed application CPU time (seconds): 0.177`. */
function watchdogWords(reason: string): string | null {
  const text = reason.slice(0, 4000);
  const allowed = /exhausted (real \(wall clock\)|CPU) time allowance of ([\d.]{1,12}) seconds/
    .exec(text);
  if (allowed === null) return null;
  if (allowed[1] === "CPU") {
    return `It computed for the ${allowed[2]} s of CPU time that were allowed: ${didNotWait}.`;
  }
  const [, used, percent] =
    /Elapsed application CPU time \(seconds\): ([\d.]{1,12})(?:[^%\n|]{0,60}?, (\d{1,3})% CPU)?/
      .exec(
        text,
      ) ?? [];
  const seconds = Number(allowed[2]);
  if (used === undefined || !(seconds > 0)) return null;
  const share = Number(used) / seconds;
  // The seconds are those of all its threads, and may be of a longer time than was allowed, as the share says.
  const isLonger = share > 1 ||
    Number(percent ?? 0) > 0 && Number(used) * 100 > Number(percent) * seconds * MANY_CPUS;
  if (isLonger && percent !== undefined) {
    return `The app computed for ${used} s (${percent}% CPU): that is of all its threads${
      share > 1 ? "" : " and of a longer time"
    }, and does not say what its main thread did in the ${allowed[2]} s that were allowed.`;
  }
  const words = share < 0.25 ? waitedWords(text) : share > 0.75 ? `: ${didNotWait}` : "";
  return `Of the ${allowed[2]} s that were allowed it computed for ${used} s${words}.`;
}

/** More CPUs than devices with such a watchdog have. */
const MANY_CPUS = 12;

/** Percent of all CPUs from which on a process may have had to wait for one. */
const BUSY = 60;
