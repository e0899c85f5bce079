/** The call path of a stack in a few names: from what began it to where it ended. */

import { baseName, imageOf, imageTitle, isBaseLibrary, isSystemFrame } from "../images.ts";
import { bareName, callTime, known, knownFrame, knownScript } from "../knowledge/mod.ts";
import { isNearest } from "../nearest.ts";
import { oncePerText } from "../remember.ts";
import type { ReportFrame } from "../report.ts";
import { shortName, withoutPrefixes } from "./names.ts";
import { isEvaluation } from "./occasion.ts";
import { MIN_LEFT } from "./recursion.ts";
import { entryOf, frameOwner, functionOf, hasGap, isBase, isPart, isTrampoline } from "./stack.ts";

/** Most functions of a path of which none is left out. */
const WHOLE = 16;
/** Outermost functions that are kept where a path is too long. */
const OUTER = 2;
/** Innermost functions of the program that are kept where a path is too long. */
const INNER = 4;
/** Functions of run-times that are kept of those that were compiled into the program. */
const OWN = 4;
/** Entries into other libraries that are kept beside them. */
const ENTRIES = 6;
/** Innermost and outermost functions of the system that are kept below those of the program, and the entries into other
 * libraries between. */
const CALLED = { inner: 3, outer: 2, entries: 5 } as const;
/** The same of a stack without any of the program, and the entries into other libraries that are kept between. */
const ALONE = { inner: 4, outer: 1, entries: 6 } as const;
/** Innermost and outermost frames in which functions of the program are looked for. */
const DEPTH = 2000;
const OUTER_DEPTH = 200;
/** Frames of the system in which the functions that say most are looked for. */
const SYSTEM_DEPTH = 24;

/** Names that say nothing of what a program did: entry points, and functions that compilers make. */
const tellsNothing =
  /^(?:main|_?start|__libc_start_(?:call_)?main(?:_impl)?|start_thread|__clone3?|clone3|(?:specialized )?static [\w.]{1,200}\.\$?main\(\)|\$main|__debug_main_executable_dylib_entry_point)$|^(?:-\[NSAssertionHandler |[-+]\[\w{1,60}(?:\(\w{1,60}\))? doesNotRecognizeSelector:\]|implicit closure|type metadata|reabstraction thunk|thunk for|__invoking___|__swift_|block_destroy_helper|__block_|objectdestroy|outlined |lazy protocol witness table |OUTLINED_FUNCTION_|std::(?:__\w{1,20}::)?(?:__function::|function<)|_ZNSt(?:3__\d{1,2})?10__function)/;

/** Functions of the system that only bring a call where it belongs: of event loops, notifications, ports and queues. */
const plumbing =
  /^(?:_{0,3}CFXRegistrationPost|__CFMachPortPerform|__CFRunLoop|-\[NSAppleEventManager dispatchRawAppleEvent|-\[\w{1,60}Application(?:\(\w{1,40}\))? _?nextEventMatching|-\[NSApplication\(NSAppleEventHandling\) _handleCoreEvent|_?ae?ProcessAppleEvent|AEProcessAppleEvent|aeDispatchAppleEvent|-\[FBSSerialQueue |__FBSSERIALQUEUE_IS|_dispatch_(?:continuation_(?:pop|invoke)|source_(?:latch|invoke)|mach_msg_async|kevent_|async_redirect)|__CFNOTIFICATIONCENTER_IS|_?xpc_(?:connection_|objc_main)|_?(?:NS|UI|UINS|NSViewService)ApplicationMain|-\[NSXPCSharedListener resume|_DPS)/;

/** Functions that bindings have for others, which they are named by: SWIG, Lib/python; Java's Native Interface. */
const bound = /^(?:_wrap_|Java_(?!com_sun_jna_))\w/;

/** Whether a binding is that of a function: `_wrap_Timer_start` of `Timer::start`. */
function isOf(symbol: string, name: string | null): boolean {
  const method = name === null ? null : /(\w{1,200})$/.exec(name.slice(-200))?.[1] ?? null;
  return method !== null && symbol.endsWith(`_${method}`);
}

/** The functions that led to where a stack ended, outermost first: those of the program, then what the innermost of
 * them called, then what the system did; `…` for those that are left out. Without functions of the program, the
 * innermost ones of the system. Empty where there are fewer than two.
 *
 * @param begin index of the innermost frame that tells something
 * @param isOfProcess whether a frame is of the process's own program, which may be one of Apple's
 */
export function callPath(
  stack: readonly ReportFrame[],
  begin: number,
  isOfProcess: (frame: ReportFrame) => boolean = () => false,
): string[] {
  const path = pathOf(stack, begin, isOfProcess, false);
  return path.length > 0 ? path : pathOf(stack, begin, isOfProcess, true);
}

/** The same.
 *
 * @param isAll whether also what the compiler made of libraries' templates tells, where the program has nothing else
 */
function pathOf(
  stack: readonly ReportFrame[],
  begin: number,
  isOfProcess: (frame: ReportFrame) => boolean,
  isAll: boolean,
): string[] {
  const end = Math.min(entryOf(stack), isCut(stack) ? stack.length - 1 : stack.length);
  const own: Step[] = [];
  let innermost = -1;
  let hasEntry = false;
  /** The program's own `main`. */
  let main: ReportFrame | null = null;
  /** The system's function that called the innermost ones of the program, and how many those are. */
  let caller: { step: Step; at: number } | null = null;
  for (let at = begin; at < end; at++) {
    // Of a stack that recursed only both ends are of use.
    if (at === begin + DEPTH && at < end - OUTER_DEPTH) {
      const { symbol, image } = stack[at - 1];
      const begun = at;
      at = end - OUTER_DEPTH;
      const isOne = stack.slice(begun, at).every((frame) =>
        frame.symbol === symbol && frame.image === image
      );
      // `NaN` is no count: where others are between, it is not known how often the function is there.
      if (own.length > 0) {
        own.at(-1)!.times += isOne ? at - begun : NaN;
        own.at(-1)!.end = at;
      }
    }
    const symbol = functionOf(stack[at], stack[at - 1] ?? null);
    const owned = frameOwner(stack[at], symbol);
    // What a script or Java called says what for.
    const isEntry: boolean = owned === "runtime" && !hasEntry && symbol !== null &&
      bound.test(symbol) && !isOf(symbol, own.at(-1)?.name ?? null);
    hasEntry ||= isEntry;
    const isOwn = owned === "runtime" &&
      (isEntry || isPart(symbol) || isEvaluation(stack[at]) ||
        (isAll && symbol !== null && isTemplate(symbol) && isOfProgram(stack[at])));
    const owner = isOwn || (owned === "system" && isOfProcess(stack[at])) ? "program" : owned;
    if (
      owner === "system" && caller === null && own.length > 0 && symbol !== null &&
      isTelling(symbol)
    ) {
      caller = { step: stepOf(stack[at], symbol, at), at: own.length };
    }
    if (owner !== "program") continue;
    if (innermost < 0) innermost = at;
    const last = own.at(-1);
    // The innermost function that is none of a run-time's.
    const isInnermost = !isOwn && own.every(({ offset }) => offset === null);
    if (symbol === null) {
      // Without names the libraries tell.
      const image = imageOf(stack[at]);
      if (image === null) continue;
      const title = imageTitle(image);
      if (/^\?+$/.test(title)) continue;
      if (isInnermost) own.push({ ...namelessStep(title, at), offset: placeOf(stack[at]) });
      else if (last?.image !== title) own.push(namelessStep(title, at));
      continue;
    }
    const bare = withoutPrefixes(symbol);
    if (bare === "main") main = stack[at];
    if (tellsNothing.test(bare) || isWitnessOf(bare, stack[at - 1]?.symbol ?? null)) continue;
    const step = stepOf(stack[at], bare, at);
    if (isInnermost) step.offset = "";
    if (
      last !== undefined && last.isNameless && last.offset === null && last.image === step.image
    ) own.pop();
    // A function and the compiler's entries to it have one name.
    if (last === undefined || last.name !== step.name || last.image !== step.image) own.push(step);
    else if (symbol === stack[at - 1]?.symbol) {
      last.times += stack[at].index - stack[at - 1].index > MIN_LEFT ? NaN : 1;
      last.end = at;
    } else last.place ??= step.place;
  }
  // Among functions with names, that of the innermost one without is where it is.
  if (own.some(({ isNameless }) => !isNameless)) {
    for (const step of own) if (step.isNameless) step.name += step.offset ?? "";
  }
  const inner = systemSteps(stack, begin, innermost < 0 ? end : innermost, own.length > 0);
  if (caller !== null && (own.length <= OUTER + INNER || caller.at < INNER)) {
    own.splice(caller.at, 0, caller.step);
  }
  const isWhole = own.length + inner.length <= WHOLE;
  const steps = isWhole
    ? [...own.reverse(), ...inner.reverse()]
    : [...shortened(own.reverse()), ...shortenedSystem(inner, innermost >= 0).reverse()];
  // A function that `main` called itself has no other way to it.
  if (steps.length === 1 && own.length === 1 && main !== null) {
    steps.unshift(stepOf(main, "main", stack.indexOf(main)));
  }
  if (steps.length < 2) return [];
  let image: string | null = null;
  return withGaps(stack, withoutRepeats(steps)).map((step) => {
    if (step === null) return "…";
    const { name, place, times, isNameless } = step;
    const parts = [
      ...step.image === image || step.image === null || isNameless ? [] : [step.image],
      ...place === null ? [] : [place],
    ];
    image = step.image;
    return `${name}${times > 1 ? ` (${times} times)` : ""}${
      parts.length === 0 ? "" : ` (${parts.join(", ")})`
    }`;
  });
}

/** The steps of a path, with `null` where the report leaves frames out between two of them. */
function withGaps(
  stack: readonly ReportFrame[],
  steps: readonly (Step | null)[],
): (Step | null)[] {
  const list: (Step | null)[] = [];
  for (const step of steps) {
    const outer = list.at(-1) ?? null;
    if (step !== null && outer !== null && hasGap(stack, step.end, outer.at)) list.push(null);
    list.push(step);
  }
  return list;
}

/** Whether a function is nothing that a row tells of but the C++ library's templates. */
function isTemplate(symbol: string): boolean {
  const row = knownFrame(symbol);
  return row === null || row.key === "std::__1::*";
}

/** Whether a frame is of the program, but for its function's name. */
function isOfProgram(frame: ReportFrame): boolean {
  return frameOwner(frame, null) === "program";
}

/** Whether the name of the outermost frame may be cut: the end of a copy, where other frames have offsets. */
function isCut(stack: readonly ReportFrame[]): boolean {
  const last = stack.at(-1);
  return last !== undefined && last.symbol !== null && stack.length > 1 && last.offset === null &&
    last.file === null &&
    !isNearest(last) &&
    stack.slice(0, -1).every(({ offset, symbol, inlined }) =>
      symbol === null || offset !== null || inlined
    );
}

/** The steps of a path that is too long: the outermost and innermost ones, and those that came into another library;
 * `null` for those between. */
function shortened(all: readonly Step[]): (Step | null)[] {
  if (all.length <= OUTER + INNER + 1) return [...all];
  const telling = all.filter(({ name }) => !passing.test(name));
  const steps = telling.length > OUTER + INNER ? telling : all;
  const kept = new Set<number>();
  for (let at = 0; at < OUTER; at++) kept.add(at);
  // What the program itself did says more than what its toolkit did of it.
  const own = steps.findLastIndex((step) => !step.isNameless && !isToolkits(step));
  if (own >= 0) kept.add(own);
  for (let at = steps.length - INNER; at < steps.length; at++) kept.add(at);
  for (const [at, { isKnown }] of steps.entries()) if (isKnown) kept.add(at);
  let left = ENTRIES;
  for (let at = steps.length - 1; at > 0 && left > 0; at--) {
    // What called a library of C that was compiled in says what it was called for.
    const isSame = partOf(steps[at]) === partOf(steps[at - 1]);
    const isInto = steps[at].image === steps[at - 1].image &&
      isPlain(steps[at].name) && steps[at - 1].name.includes("::");
    const entry = isInto ? at - 1 : at;
    if ((!isInto && isSame) || steps[entry].isNameless || kept.has(entry)) continue;
    kept.add(entry);
    left--;
  }
  const list: (Step | null)[] = [];
  for (const [at, step] of steps.entries()) {
    if (kept.has(at)) list.push(step);
    else if (list.at(-1) !== null) list.push(null);
  }
  return list;
}

/** Most steps of a part of a path that is looked for behind itself. */
const MAX_REPEATED = 6;

/** The steps of a path without parts of it that come again at once, as what interprets a script does for each of the
 * script's functions: what is left out between stands for them too. */
function withoutRepeats(steps: readonly (Step | null)[]): (Step | null)[] {
  const list: (Step | null)[] = [];
  for (const step of steps) {
    list.push(step);
    for (let length = 2; length <= MAX_REPEATED && length * 2 <= list.length; length++) {
      const begin = list.length - length;
      const part = list.slice(begin);
      if (!part.includes(null)) continue;
      if (part.every((step, at) => isSameStep(step, list[begin - length + at]))) {
        list.length = begin;
        break;
      }
    }
  }
  return list;
}

function isSameStep(one: Step | null, other: Step | null): boolean {
  return one === null || other === null
    ? one === other
    : one.name === other.name && one.image === other.image && one.place === other.place;
}

/** Functions by which Qt brings an event or a signal where it belongs: qtbase, qcoreapplication.cpp and qobject.cpp. */
const passing =
  /^(?:\w{1,60}::notify|QCoreApplication::(?:notifyInternal2?|sendEvent)|QApplicationPrivate::notify_helper|QMetaObject::activate|doActivate(?:<.{1,20}>)?|\w{1,60}::qt_(?:static_)?metacall)$/;

/** Whether a function is of a toolkit for user interfaces or the like that programs bring along. */
function isToolkits({ image, name }: Step): boolean {
  return /^(?:org\.qt-project\.|org\.python\.|(?:lib)?Qt\d?[A-Z]|libq(?:cocoa|t)|lib(?:wx_|gtk|gdk|glib|gobject|gio|python)|Python$|Electron Framework|QtWebEngine|Chromium|nwjs|CEF)/i
    .test(image ?? "") || /^Q[A-Z]\w{1,60}::/.test(name) || passing.test(name);
}

/** The part of a program that a function is of: its image, and there the outermost namespace of C++. */
function partOf({ image, name }: Step): string {
  return `${image}/${/^([a-z]\w{0,60})::/.exec(name)?.[1] ?? ""}`;
}

/** Whether a name is that of a function of C. */
function isPlain(name: string): boolean {
  return /^\w{1,100}$/.test(name);
}

/** A function of a path, which may be on the stack several times in a row. */
interface Step {
  /** Its place on the stack, and the outermost one of those in a row. */
  readonly at: number;
  end: number;
  name: string;
  readonly image: string | null;
  place: string | null;
  readonly isNameless: boolean;
  /** Whether it is known what it is for: a wait, a lock, a script, what raises or handles something. */
  readonly isKnown: boolean;
  /** Whether it is not of an image of the system. */
  readonly isOwn: boolean;
  /** Where the innermost function of the program is in its image; empty where it has a name, `null` for others. */
  offset: string | null;
  times: number;
}

function namelessStep(image: string, at: number): Step {
  return {
    ...{ at, end: at },
    ...{ name: image, image, place: null, isNameless: true, isKnown: false, isOwn: true },
    ...{ offset: null, times: 1 },
  };
}

/** Where a frame is in its image, as far as that is known. */
function placeOf({ address, image }: ReportFrame): string {
  if (address === 0n) return "";
  return image === null || address < image.base
    ? ` 0x${address.toString(16)}`
    : ` + 0x${(address - image.base).toString(16)}`;
}

/** Whether a function is the entry by which a protocol's method leads to the one that it called. */
function isWitnessOf(symbol: string, callee: string | null): boolean {
  const method = /^protocol witness for [\w.<>]{1,200}\.(\w{1,100}[(.])/.exec(symbol)?.[1];
  return method !== undefined && callee !== null && callee.includes(`.${method}`);
}

function stepOf(frame: ReportFrame, symbol: string, at: number): Step {
  const image = imageOf(frame);
  const { file, line } = frame;
  const place =
    file === null || file.startsWith("<") || line === 0 || file.endsWith("/<compiler-generated>")
      ? null
      : `${baseName(file)}${line === null ? "" : `:${line}`}`;
  return {
    ...{ at, end: at },
    name: shortName(symbol),
    image: image === null ? null : imageTitle(image),
    place,
    isNameless: false,
    isKnown: isKnown(frame, symbol),
    isOwn: !isSystemFrame(frame),
    offset: null,
    times: 1,
  };
}

/** Whether a function is one by which it is told what was done, so that a path is not told without it. */
function isKnown(frame: ReportFrame, symbol: string): boolean {
  return isKnownName(symbol) || isEvaluation(frame) || isTrampoline(frame);
}

const isKnownName = oncePerText((symbol) => {
  const name = bareName(symbol);
  const row = knownFrame(symbol);
  return (row !== null && row.role !== "part" && row.key !== "std::__1::*") ||
    ["", "by ", "for "].some((prefix) => known("wait", `${prefix}${name}`) !== null) ||
    knownScript(symbol) !== null;
});

/** Functions of the system and of run-times before the program's, innermost first: which one the program called, and which
 * ones tell where it ended. Those that raise, and those that run threads, tell nothing. */
function systemSteps(
  stack: readonly ReportFrame[],
  begin: number,
  end: number,
  hasOwn: boolean,
): Step[] {
  const steps: Step[] = [];
  const last = Math.min(end, hasOwn ? end : begin + SYSTEM_DEPTH);
  for (let at = begin; at < last; at++) {
    const symbol = functionOf(stack[at], stack[at - 1] ?? null);
    if (symbol === null) {
      // Of a library without names it is only told that it was called there.
      const image = hasOwn ? null : imageOf(stack[at]);
      const title = image === null ? "" : imageTitle(image);
      if (steps.length > 0 && isOfSystem(title) && steps.at(-1)!.image !== title) {
        steps.push(namelessStep(title, at));
      }
      continue;
    }
    if (isBase(symbol) || tellsNothing.test(withoutPrefixes(symbol))) continue;
    if (!hasOwn && steps.length > 0 && plumbing.test(symbol)) continue;
    // The occasion is told elsewhere.
    const { occasion, origin } = callTime(symbol);
    if (!hasOwn && (occasion !== null || origin !== null)) continue;
    const row = knownFrame(symbol);
    // Of the C++ library only what is compiled into others says nothing.
    const isLibrary = row?.key === "std::__1::*" && isSystemFrame(stack[at]);
    // What abort() itself called says nothing.
    if (/^_{0,2}abort$|^raise$/.test(symbol) && hasOwn) steps.length = 0;
    const raises = row?.role === "raise" || row?.role === "vague" || row?.role === "wrap";
    // A native method of Java is named for the one that it is.
    if (raises && !isLibrary && !symbol.startsWith("Java_")) continue;
    const step = stepOf(stack[at], symbol, at);
    if (steps.at(-1)?.isNameless === true && steps.at(-1)!.image === step.image) steps.pop();
    if (steps.at(-1)?.name !== step.name) steps.push(step);
  }
  return steps;
}

/** Whether a library without names says something by its own: not what all code is built on. */
function isOfSystem(title: string): boolean {
  return title !== "" && !/^\?+$/.test(title) && !isBaseLibrary(title) &&
    !/^(?:dyld|libdyld\.|libSystem\.|libxpc\.|CoreFoundation$|com\.apple\.CoreFoundation$)/.test(
      title,
    );
}

/** The same where a path is too long; `null` for those that are left out. */
function shortenedSystem(steps: readonly Step[], hasOwn: boolean): (Step | null)[] {
  const { inner, outer, entries } = hasOwn ? CALLED : ALONE;
  if (steps.length <= inner + outer + 1) return [...steps];
  let left: number = entries;
  const list: (Step | null)[] = [];
  for (const [at, step] of steps.entries()) {
    const isEntry = left > 0 && at >= inner && step.image !== steps[at + 1]?.image;
    // Between, code of run-times says something that was compiled into the program.
    if (
      at < inner || at >= steps.length - outer || step.isKnown || (step.isOwn && at < OWN)
    ) list.push(step);
    else if (isEntry) {
      list.push(step);
      left--;
    } else if (list.at(-1) !== null) list.push(null);
  }
  return list;
}

/** Whether a function of the system says what it called the program for, which is not said otherwise. */
function isTelling(symbol: string): boolean {
  if (isBase(symbol) || tellsNothing.test(symbol) || plumbing.test(symbol)) return false;
  if (symbol === "_CFXNotificationPost") return false;
  if (knownFrame(symbol) !== null) return false;
  const { occasion, origin } = callTime(symbol);
  return occasion === null && origin === null && !symbol.startsWith("_dispatch_") &&
    !symbol.startsWith("__CFRunLoop");
}
