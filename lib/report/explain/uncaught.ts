/** What is told of an exception of a language that nobody caught. */

import {
  imageOf,
  imageTitle,
  isBaseLibrary,
  isSystemFrame,
  outsideOfCache,
  titleOf,
} from "../images.ts";
import {
  type KnowledgeRow,
  known,
  knownFrame,
  knownVendor,
  partThreads,
} from "../knowledge/mod.ts";
import type { CrashReport, ReportFrame } from "../report.ts";
import { crashedIndex, isCalledMain } from "./crashed.ts";
import { isMainThread } from "./hang.ts";
import { delegateCaller } from "./evidence.ts";
import type { UncaughtException } from "./language.ts";
import {
  isManagedName,
  type ManagedCall,
  managedCalls,
  scriptCalls,
  withoutStack,
} from "./managed.ts";
import { isDull, javaRow, messageRow, sameReason } from "./message.ts";
import { isOfProcess } from "./program.ts";
import { saidBefore } from "./said_before.ts";
import {
  endedBy,
  frameOwner,
  frameTitle,
  functionOf,
  isPart,
  isRethrow,
  rethrowOf,
  throwsCxx,
} from "./stack.ts";
import type { Crash, Story } from "./story.ts";
import { sentence, unique } from "./words.ts";

/** What is told of an exception that operator new threw: it throws no other than that there is no memory. ISO C++,
 * [new.delete.single]. */
function allocationRow(stack: readonly ReportFrame[]): KnowledgeRow | null {
  const at = stack.findIndex(throwsCxx);
  const asker = at < 0 ? null : stack[at + 1]?.symbol ?? null;
  return asker !== null && /^operator new(?:\[\])?\(/.test(asker)
    ? knownFrame("std::__throw_bad_alloc()")
    : null;
}

/** Types of the C++ library's exceptions that have a function of their own to be thrown by, and what they are mostly for;
 * libc++, include/stdexcept. */
const thrownTypes: ReadonlyMap<string, string> = new Map([
  [
    "out_of_range",
    "a position or key that is not there, as of at(), substr() or of a number in text",
  ],
  ["length_error", "a size that no container can have, as one below zero"],
  ["invalid_argument", "text that is no number where one was expected, as by stoi()"],
  ["bad_function_call", "an empty std::function that was called"],
  ["bad_optional_access", "the value of an empty std::optional that was taken"],
  ["bad_variant_access", "another member of a std::variant than it has"],
  ["bad_weak_ptr", "a std::shared_ptr made of an object that none owns any more"],
  ["bad_any_cast", "another type of a std::any than it has"],
  ["regex_error", "a regular expression that is not well-formed"],
]);

/** A row with the type that the name of a function of the C++ library says that it threw. */
function typedRow(row: KnowledgeRow, { symbol }: ReportFrame): KnowledgeRow {
  const type = row.key !== "std::__throw_*"
    ? undefined
    : /__throw_(\w{1,60}?)(?:_fmt)?\b/.exec(symbol ?? "")?.[1];
  const cause = type === undefined ? undefined : thrownTypes.get(type);
  return cause === undefined ? row : {
    ...row,
    meaning: `The C++ library threw a std::${type} that was not caught.`,
    causes: [cause],
  };
}

/** Whether a function without a name threw an exception itself, in a program into which Mono is linked. */
function isThrownByMono({ threads }: CrashReport, stack: readonly ReportFrame[]): boolean {
  const thrower = stack[stack.findIndex(({ symbol }) => symbol === "objc_exception_throw") + 1];
  return thrower !== undefined && thrower !== stack[0] && functionOf(thrower, null) === null &&
    frameOwner(thrower, null) === "program" &&
    partThreads.some((part) =>
      part.title === "Mono" && threads.some(({ name }) => part.name.test(name ?? ""))
    );
}

function withoutAddresses(text: string): string {
  return text.replace(/0x[0-9a-f]{4,16}/g, "0x");
}

/** Tells of an uncaught exception: its name and reason, and what raised it. */
export function tellUncaught({ report, uncaught, stack, reading }: Crash, story: Story): void {
  if (uncaught === null) return;
  const { language, name, reason } = uncaught;
  const what = name === null ? "" : `: ${name}`;
  const line = reason?.replace(/\s{0,40}\n\s{0,40}/g, " ").trim() ?? null;
  const said = line !== null && line.length > MAX_REASON ? `${line.slice(0, MAX_REASON)}…` : line;
  const why = said === null ? "" : `${what === "" ? ":" : ","} ${said}`;
  const isSaid = report.information.some((text) =>
    !isDull(text) && text.trim() !== "" && !sameReason(text, uncaught)
  );
  const lack = reason !== null || isSaid
    ? ""
    : name === null
    ? "; the report does not have its reason"
    : "; its reason is not in the report";
  if (isManagedName(name, reason)) {
    const whole = withoutStack(reason ?? "").replace(/\s{0,40}\n\s{0,40}/g, " ").trim();
    story.tell(
      sentence(
        `A .NET exception was not caught: ${
          whole.length > MAX_REASON ? `${whole.slice(0, MAX_REASON)}…` : whole
        }`,
      ),
    );
    story.tell("It was raised as an Objective-C exception.");
  } else {
    story.tell(sentence(`${articles[language]} exception was not caught${what}${why}${lack}`));
  }
  if (reason === null && isThrownByMono(report, stack)) {
    story.add(known("message", "an exception that Mono may have made")!);
  }
  const invoked = report.information.map((text) =>
    /^Exception '.{1,3000}' was thrown while invoking (\S{1,200}) on target (\S{1,200})/.exec(text)
  ).find((match) => match !== null);
  if (invoked != null) {
    story.tell(
      `React Native caught it while JavaScript called ${invoked[1]} of the native module ${
        invoked[2]
      }, and made a fatal error of it.`,
    );
  }
  const calls = managedCalls(report);
  const [thrower] = calls;
  if (thrower !== undefined) {
    const own = calls.find(({ isOwn }) => isOwn);
    const words = ({ name, place }: ManagedCall): string =>
      place === null ? name : `${name} (${place})`;
    story.tell(
      `${thrower.isInner ? "Its inner exception" : "It"} was thrown in ${words(thrower)}${
        own === undefined || own === thrower
          ? ""
          : `; the innermost method with a source file is ${words(own)}`
      }.`,
    );
  }
  const [script] = scriptCalls(report);
  if (script !== undefined) {
    story.tell(
      `JavaScript's own stack is in the reason: the error was thrown ${
        script.name === null ? "" : `in ${script.name} `
      }at ${script.place}.`,
    );
  }
  // The reason says more than the name.
  const typed = language !== "C++" || name === null || reason === null
    ? null
    : `${name}: ${reason}`;
  for (const text of [typed, reason, name]) {
    const row = text === null || story.rows.length > 0 ? null : javaRow(messageRow(text), report);
    if (row !== null) story.add(ofDelegate(offMainRelease(row, stack), reason, stack));
  }
  const before = saidBefore(report, reason, stack);
  if (before !== null) {
    story.tell(`Before it the log says: ${before.lines.join(" … ")}`);
    // It tells more of these names than what is common of others.
    const [row] = story.rows;
    if (row !== undefined && before.isSure) story.rows[0] = { ...row, causes: [], next: "" };
  }
  if (story.rows.length === 0) {
    const raiser = raiserOf(stack, report);
    // Further out are functions that only led to the one that raised it.
    const throwers = reading.rows.filter(({ row, index }) =>
      row.role === undefined && (raiser < 0 || index <= raiser ||
        (index <= raiser + HELPERS && titleOf(stack[index]) === titleOf(stack[raiser])))
    );
    // The function that asserted says more than that it did.
    const thrower = throwers.find(({ row }) => !row.key.startsWith("-[NSAssertionHandler")) ??
      throwers[0];
    // What called it says which call failed.
    const failed = thrower?.row.key.startsWith("std::__throw_system_error") === true
      ? throwers.find(({ index }) => index === thrower.index + 1)
      : undefined;
    // The reason tells which of the causes it was.
    const raised = failed ?? thrower;
    const row = raised === undefined
      ? allocationRow(stack)
      : typedRow(raised.row, stack[raised.index]);
    if (row !== null) {
      story.add(
        reason === null || row.causes.length < 2 ? row : { ...row, causes: [] },
        // The reason would tell; the function may have others.
        reason === null && row.needs === "raise" && row.meaning !== ""
          ? `By the function that raised it: ${row.meaning}`
          : undefined,
      );
    }
  }
  // Its type and stack are in the reason, and told.
  if (calls.length > 0) {
    story.rows.forEach((row, index) => {
      if (row.throwsManaged === true || row.key.startsWith("xamarin_")) {
        story.rows[index] = { ...row, next: "" };
      }
    });
  }
  const place = addressOutside(report, stack);
  if (place !== null) {
    story.tell(
      `The exception's backtrace has only addresses: the innermost outside of the system's libraries is 0x${
        place.toString(16)
      }, and the report does not list whose it is.`,
    );
  }
  const paths = /key value observers/.test(reason ?? "") ? observedPaths(report.text) : [];
  if (paths.length > 0) story.tell(`Observed key paths: ${paths.join(", ")}.`);
  // Its own stack says more than who made an Objective-C exception of a managed one.
  if (calls.length === 0) tellRaiser(report, uncaught, stack, reading.deciding, story);
  tellMutation(stack, story);
  // What a console has of several runs, in each of which the objects are elsewhere.
  const others = report.information.filter((text) =>
    text.startsWith("*** Terminating app due to uncaught exception ") && reason !== null &&
    !withoutAddresses(text).includes(withoutAddresses(reason)) && !reason.includes(text)
  );
  for (const text of unique(others).slice(0, 2)) {
    story.tell(
      sentence(
        `The text has another one: ${
          text.replace(/^.{1,60} exception '([^']{1,200})'(?:, reason:? ?'?)?/, "$1: ")
            .replace(/'$/, "")
        }`,
      ),
    );
  }
  // The stack that is there did not raise it.
  if (uncaught.isLost) {
    for (const [at, row] of story.rows.entries()) {
      if (ofRaiser.test(row.next)) story.rows[at] = { ...row, next: findRaiser };
    }
  }
  if (story.rows.length === 0) {
    const whole = uncaughtRow(language);
    // The stack that is there did not raise it.
    const row = uncaught.isLost
      ? { ...whole, next: whole.next.replace(/; the first frame of yours.*$/, ".") }
      : whole;
    story.rows.push(
      reason === null && !isSaid ? row : {
        ...row,
        next: "",
      },
    );
  }
}

/** Advice on the function that raised an exception, and what finds that where its stack is missing. */
const ofRaiser = /\bin the first frame of yours\b/;
const findRaiser = "Look for the exception's own backtrace, in the whole report or in the log.";

/** Most characters of a reason that are quoted: it may describe many objects. */
const MAX_REASON = 1000;

/** The row for a thing of the main thread that an object used while it was deallocated: no handler of the program's called
 * it. The given row for others. */
function offMainRelease(row: KnowledgeRow, stack: readonly ReportFrame[]): KnowledgeRow {
  const released = known("message", "off the main thread, while an object was deallocated")!;
  if (row.meaning !== released.meaning) return row;
  const at = stack.findIndex(({ symbol }) => /^-\[\S{1,200} dealloc\]$/.test(symbol ?? ""));
  const inner = stack.slice(0, at + 1);
  return at > 0 && inner.every((frame) => frameOwner(frame, frame.symbol) !== "program")
    ? released
    : row;
}

/** The row for a method that the delegate of one of the system's classes does not have. The given row for others. */
function ofDelegate(
  row: KnowledgeRow,
  reason: string | null,
  stack: readonly ReportFrame[],
): KnowledgeRow {
  const caller = delegateCaller(reason, stack);
  if (caller === null) return row;
  const found = known("message", "unrecognized selector of a delegate")!;
  // What stands in its place is no delegate.
  const isOther = /-\[(?:_{0,2}NS|__Swift|CA|UI|OS_)\w/.test(reason ?? "");
  return {
    ...found,
    meaning: found.meaning.replace("A class of the system", caller),
    causes: isOther ? found.causes.toReversed() : found.causes,
    next: isOther ? "Look for where the delegate is set, and for what keeps it alive." : found.next,
  };
}

/** Functions that are called where a collection was changed while it was enumerated: objc4, runtime/objc-class.mm. */
const mutations = /^(?:__NSFastEnumerationMutationHandler|objc_enumerationMutation)$/;

/** Tells that the exception was raised while another one was made: of a collection that was changed while it was
 * enumerated, whose message describes the collection. */
function tellMutation(stack: readonly ReportFrame[], story: Story): void {
  const raised = stack.findIndex(({ symbol }) => symbol === "objc_exception_throw");
  const first = stack.findIndex(({ symbol }) => mutations.test(symbol ?? ""));
  // What raises an exception itself is one frame from it.
  const describes = raised >= 0 &&
    stack.slice(raised + 1, first).some(({ symbol }) => /escription/.test(symbol ?? ""));
  if (first < 0 || !describes) return;
  const last = stack.findLastIndex(({ symbol }) => mutations.test(symbol ?? ""));
  const caller = stack[last + 1];
  const where = caller?.symbol == null ? "" : `, in ${frameTitle(caller)}`;
  story.rows.unshift(known("message", "was mutated while being enumerated")!);
  story.happened.unshift(
    `A collection was changed while it was enumerated${where}; while the message of that was made, which describes the collection, another exception was raised.`,
  );
}

/** The innermost address of a backtrace without any names or images that is none of the system's libraries; `null` for
 * other backtraces. */
function addressOutside(
  report: CrashReport,
  stack: readonly ReportFrame[],
): bigint | null {
  if (report.images.length > 0 || stack.length < 3) return null;
  if (stack.some((frame) => frame.symbol !== null || imageOf(frame) !== null)) return null;
  return stack[outsideOfCache(report, stack)]?.address ?? null;
}

/** Most functions of its own library that a function has raise an exception for it. */
const HELPERS = 2;

/** Index of the function that raised an exception: the first that is none of those that throw; -1 without one. */
function raiserOf(stack: readonly ReportFrame[], report: CrashReport): number {
  return stack.findIndex((frame, at) => {
    const symbol = functionOf(frame, stack[at - 1] ?? null);
    if (throwsCxx(frame)) return false;
    return symbol === null
      ? frameOwner(frame, null) !== "system" || isOfProcess(frame, report)
      : !raising(symbol);
  });
}

/** The function that raised an exception, on a backtrace of the exception's own; `null` where that does not show it. */
export function raisedIn(
  report: CrashReport,
  { isLost, stack }: UncaughtException,
): ReportFrame | null {
  const from = raiserOf(stack, report);
  const raiser = stack[from];
  if (isLost || raiser === undefined || report.lastException?.includes(raiser) !== true) {
    return null;
  }
  // Such a backtrace begins with what makes and what throws the exception.
  if (from < 2 && raiser.symbol === null) return null;
  // What has no name may be the function that raised it.
  return stack.slice(0, from).every(({ symbol }) => symbol !== null) ? raiser : null;
}

/** Tells which function raised an exception, where it says more than the reason. */
function tellRaiser(
  report: CrashReport,
  { isLost, reason, stack: own }: UncaughtException,
  stack: readonly ReportFrame[],
  deciding: number,
  story: Story,
): void {
  const from = raiserOf(stack, report);
  const raiser = stack[from];
  // What has no name may be the function that raised it.
  const hidden = stack.slice(0, Math.max(from, 0)).find((frame) =>
    frame.symbol === null && titleOf(frame) !== "" && !isBaseLibrary(titleOf(frame))
  );
  const caller = from < 0 || isLost ? undefined : stack.slice(from, deciding).find((frame) => {
    const image = imageOf(frame);
    return image !== null && !isBaseLibrary(imageTitle(image));
  });
  if (caller !== undefined && isSystemFrame(caller)) passOn(titleOf(caller), story);
  if (isLost) {
    const again = raisedAgain(report.decidingStack);
    story.tell(
      `The stack that raised it is not in the report${
        again === null ? "" : `: ${frameTitle(again)} only caught it and raised it again`
      }.`,
    );
    const module = again === null || !/\bperform\w{0,8}MethodInvocation\b/.test(again.symbol ?? "")
      ? null
      : known("message", "raised again by React Native");
    if (module !== null) story.add(module);
  } else if (
    // The last frame of a copy may be cut off within its name.
    raiser !== undefined && (raiser.symbol !== null || imageOf(raiser) !== null) &&
    hidden === undefined && from !== deciding && from < stack.length - 1 &&
    (reason === null || saysPlace(raiser)) && own.length > 0
  ) {
    const library = isOfProcess(raiser, report) ||
        /\.debug\.dylib$/.test(titleOf(raiser))
      ? vendorOf(raiser)
      : null;
    story.tell(
      `It was raised in ${frameTitle(raiser)}${library === null ? "" : `, a part of ${library}`}.`,
    );
    const aside = offMainThread(report, raiser);
    if (aside !== null) story.add(aside);
  } else if (hidden !== undefined && from !== deciding && reason === null && own.length > 0) {
    story.tell(`It was raised by ${titleOf(hidden)}${throughBase(stack, hidden)}.`);
  } else if (from >= 0 && from === deciding && own.length > 0) {
    // Without names only the framework is known that raised it.
    const by = stack.slice(0, from).find((frame) => {
      const image = imageOf(frame);
      return frame.symbol === null && image !== null && !isBaseLibrary(imageTitle(image));
    }) ?? namelessThrower(stack, from);
    if (by !== undefined) {
      const caller = by.symbol === null ? namelessCaller(stack, from) : null;
      story.tell(
        `It was raised by ${imageTitle(imageOf(by)!)}${
          // It also has the methods that raise for others.
          isBaseLibrary(imageTitle(imageOf(by)!))
            ? ", or through it by the function that called it"
            : throughBase(stack, by)}${
          caller === null ? "" : `, in code of the program that ${caller} called`
        }.`,
      );
    }
  }
}

/** That Foundation or Core Foundation, which the innermost function of a framework called, may have raised an exception itself:
 * their functions do so for their callers, and on their own account. */
function throughBase(stack: readonly ReportFrame[], frame: ReportFrame): string {
  const inner = stack[stack.indexOf(frame) - 1];
  const title = inner === undefined || inner.symbol !== null ? "" : titleOf(inner);
  return /^(?:com\.apple\.)?(?:Core)?Foundation$/.test(title)
    ? `, or by ${title.replace(/^com\.apple\./, "")}, which it called`
    : "";
}

/** The framework that a function is of which is linked into programs; `null` for others. */
function vendorOf({ symbol }: ReportFrame): string | null {
  if (symbol === null) return null;
  const row = knownFrame(symbol);
  return row?.framework ?? knownVendor(symbol)?.meaning ?? null;
}

/** Says in the advice that it is a framework that met what the program's function passed to it or set up. */
function passOn(framework: string, { rows }: Story): void {
  const [row] = rows;
  const where = " in the first frame of yours";
  if (row === undefined || !row.next.includes(where)) return;
  const name = framework.replace(/^com\.apple\./, "");
  rows[0] = {
    ...row,
    next: row.next.replace(where, ` in what the first frame of yours had ${name} do`),
  };
}

/** The function of the program that raised an exception again; `null` where the stack does not show it. */
function raisedAgain(stack: readonly ReportFrame[]): ReportFrame | null {
  const at = rethrowOf(stack);
  if (at < 0) return null;
  const next = stack.slice(at + 1).find(({ symbol }) => !isRethrow(symbol));
  return next !== undefined && imageOf(next) !== null &&
      (frameOwner(next, next.symbol) === "program" || isPart(functionOf(next, null)))
    ? next
    : null;
}

/** The frame of Core Foundation or Foundation that called what throws, on a stack without names. */
function namelessThrower(stack: readonly ReportFrame[], from: number): ReportFrame | undefined {
  const titles = stack.slice(0, from).map((frame) => frame.symbol === null ? titleOf(frame) : "");
  const thrown = titles.lastIndexOf("libobjc.A.dylib");
  return thrown < 0
    ? undefined
    : stack.slice(thrown + 1, from).findLast((frame) =>
      /^(?:Core)?Foundation$/.test(titleOf(frame))
    );
}

/** The framework that called the program, on a stack without names; `null` where only the base libraries did. */
function namelessCaller(stack: readonly ReportFrame[], from: number): string | null {
  const caller = stack.slice(from).find((frame) => isSystemFrame(frame));
  const title = caller === undefined || caller.symbol !== null ? "" : titleOf(caller);
  return title === "" || isBaseLibrary(title) || title.startsWith("lib") ? null : title;
}

const articles = {
  "Objective-C": "An Objective-C",
  "C++": "A C++",
  "Objective-C or C++": "An Objective-C or C++",
} as const;

const uncaughtRows: Readonly<Record<string, KnowledgeRow>> = {
  "Objective-C": {
    kind: "message",
    key: "uncaught exception",
    meaning: "An Objective-C exception was not caught.",
    causes: [],
    next:
      "Look for the exception's reason in the console or the system's log; the first frame of yours on its backtrace led to it.",
    source: 'Apple, "Addressing language exception crashes"',
  },
  "C++": {
    kind: "message",
    key: "uncaught C++ exception",
    meaning: "A C++ exception was not caught.",
    causes: [],
    next: "Find out what was thrown: break on __cxa_throw.",
    source: 'Apple, "Addressing language exception crashes"',
  },
};

function uncaughtRow(language: keyof typeof articles): KnowledgeRow {
  return uncaughtRows[language === "C++" ? "C++" : "Objective-C"];
}

function raising(symbol: string): boolean {
  if (symbol.startsWith("-[NSAssertionHandler handleFailureIn")) return true;
  const role = knownFrame(symbol)?.role;
  return role === "raise" || role === "vague";
}

/** Key paths in a list of observers. */
function observedPaths(text: string): string[] {
  const list = text.slice(0, 1 << 16).matchAll(
    /<NSKeyValueObservance .{1,120}?Key path: ([\w.]{1,100})/g,
  );
  return unique([...list].slice(0, 8).map(([, path]) => path));
}

/** Whether the function that raised an exception says more than its reason: those of the base libraries name
 * themselves in it. */
function saysPlace(raiser: ReportFrame): boolean {
  const image = imageOf(raiser);
  return image !== null &&
    !isBaseLibrary(imageTitle(image)) &&
    !/doesNotRecognizeSelector|<redacted>/.test(raiser.symbol ?? "<redacted>") &&
    isSystemFrame(raiser);
}

/** What other threads than the main one may use too: Apple, Cocoa Application Layer's thread safety; UIKit's images,
 * colors, fonts, paths, texts, documents, item providers and diffable data sources. */
const anywhere =
  /^[-+]\[_{0,2}(?:NS|UI)\w{0,40}(?:Diffable|OpenGL|RunningApplication|Image|Color|Font|BezierPath|Graphics|Document|ActivityItem|TextStorage|LayoutManager|TextContainer|Typesetter|AttributedString|String|BitmapImageRep|Sound|Cursor|Data|Coder|Pasteboard|Workspace|Predicate|Localized)|^(?:UI|NS)(?:Graphics|Image|Draw)/;

/** The row for an exception of the user interface that another thread than the main thread raised. */
function offMainThread(report: CrashReport, raiser: ReportFrame): KnowledgeRow | null {
  const image = imageOf(raiser);
  const thread = report.crashedThread;
  // A copy may have only the thread's number.
  const index = thread?.index ?? crashedIndex(report);
  if (image === null || index === null || index === 0) return null;
  if (thread === null ? isCalledMain(report) : isMainThread(thread)) return null;
  return /^(?:com\.apple\.)?(?:UIKit|UIKitCore|AppKit)$/.test(imageTitle(image)) &&
      raiser.symbol !== null && !anywhere.test(raiser.symbol)
    ? known("message", "user interface off the main thread")
    : null;
}

/** Functions between what threw an Objective-C exception and the search for what catches it. */
const MAX_THROWING = 6;

/** Tells of a crash that came while an Objective-C exception was thrown: what it was thrown for says more. */
export function tellThrowing({ report, uncaught, stack, reading }: Crash, story: Story): void {
  if (uncaught !== null || endedBy(report) !== "access") return;
  const top = stack.slice(reading.first, reading.first + MAX_THROWING);
  const search = top.findIndex(({ symbol }) => symbol === "_Unwind_RaiseException");
  const thrown = top.findIndex(({ symbol }) => symbol === "objc_exception_throw");
  const thrower = stack[reading.first + thrown + 1];
  if (search < 0 || thrown < search || thrower === undefined) return;
  const row = known("message", "crash while an exception was thrown")!;
  story.add(row, `${row.meaning} It was thrown in ${frameTitle(thrower)}.`);
}
