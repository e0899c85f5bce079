/** When it was: what of the system had called the program. */

import { isBaseLibrary, titleOf } from "../images.ts";
import {
  callTime,
  handled,
  type KnowledgeRow,
  known,
  sourced,
  started,
  timed,
} from "../knowledge/mod.ts";
import { oncePerText } from "../remember.ts";
import type { ReportFrame, ReportThread } from "../report.ts";
import { brokenAt, frameOwner, functionOf, isUnnamed } from "./stack.ts";
import { capitalized } from "./words.ts";

/** Frames in which an occasion is looked for. */
const OCCASION_DEPTH = 256;

/** Most occasions that are told. */
const MOST = 3;

/** When it was, by the innermost functions of the system that call a program at a known time: the occasion, and those
 * that it was part of. Without any, what runs the thread's work. */
export function occasionOf(
  stack: readonly ReportFrame[],
  thread: ReportThread | null,
): string | null {
  const found: string[] = [];
  let origin: KnowledgeRow | null = null;
  let originAt = -1;
  let once: KnowledgeRow | null = null;
  let initializer = -2;
  let pump: string | null = null;
  const end = Math.min(brokenAt(stack) ?? stack.length, OCCASION_DEPTH);
  for (let at = 0; at < end && found.length < MOST; at++) {
    const symbol = functionOf(stack[at], null);
    if (symbol === null) continue;
    const builtin = builtinOf(symbol);
    if (builtin !== null) {
      if (!found.some((words) => words.includes("JavaScript"))) found.push(builtin);
      continue;
    }
    if (isEvaluation(stack[at])) {
      if (!found.includes(evaluating)) found.push(evaluating);
      continue;
    }
    if (at < IMPORT_DEPTH && isImport(stack[at])) {
      found.push("while Python loaded a native extension module");
      continue;
    }
    if (globals.test(symbol)) {
      // The copy may end before dispatch_once.
      once ??= known("origin", "_dispatch_once_callout");
      if (found.length === 0 && once !== null) found.push(once.meaning);
      if (found.length === 0 && pump !== null) found.push(pump);
      initializer = at;
      continue;
    }
    if (at === initializer + 1 && symbol.startsWith("_dispatch_client_callout")) continue;
    const handler = qtHandlerOf(symbol);
    if (handler !== null) {
      if (!found.some((words) => words.includes("Qt"))) {
        found.push(`while an event of Qt was handled (${handler})`);
      }
      continue;
    }
    pump ??= pumpOf(symbol);
    const time = callTime(symbol);
    const called = (time.occasion ?? time.origin)?.meaning;
    if (pump !== null && (called === timed || called === sourced)) continue;
    if (time.origin !== null && isOnce(time.origin)) {
      // It calls its block in the way that queues call theirs, on the thread that is there.
      if (once === null && found.length === 0 && callsProgram(stack, at)) {
        found.push(time.origin.meaning);
      }
      once ??= time.origin;
      if (origin !== null && originAt === at - 1 && isQueue(origin)) origin = null;
      continue;
    }
    if (time.occasion === null) {
      if (origin === null || isQueue(origin)) {
        const next = outerOrigin(origin, time.origin);
        if (next !== origin) originAt = at;
        origin = next;
      }
    } else if (!found.some((words) => words.startsWith(time.occasion!.meaning))) {
      found.push(time.occasion.meaning);
    }
    const { method } = time;
    if (
      method !== null && !found.includes(method.meaning) &&
      frameOwner(stack[at], symbol) === "program"
    ) found.push(method.meaning);
  }
  // The event that starts an application is none of its user interface.
  if (origin?.meaning === handled && found.some((words) => words.startsWith(started))) {
    origin = null;
  }
  const named = queueRow(thread)?.meaning ?? null;
  if (found.length === 0 && named !== null) return named;
  const isBare = found.every((words) => words === once?.meaning);
  if (origin !== null && (isBare || (found.length < MOST - 1 && !isQueue(origin)))) {
    const label = isQueue(origin) ? thread?.queue ?? null : null;
    let inner = originAt;
    while (inner > 0 && stack[inner].symbol?.startsWith("_dispatch_") === true) inner--;
    const isEmptied = isQueue(origin) && empties.test(stack[inner]?.symbol ?? "");
    found.push(
      isEmptied
        ? "while a thread of dispatch queues emptied its autorelease pool"
        : label === null
        ? origin.meaning
        : `in a block on the queue ${label}`,
    );
  }
  if (found.length === 0 && once !== null) found.push(once.meaning);
  if (found.length === 0 && pump !== null) found.push(pump);
  if (found.length === 0) return namelessOccasion(stack.slice(0, end), thread);
  const words = found.join(", ");
  if (!words.includes(beforeMain)) return words;
  // The initializers of a library that main() had loaded.
  if (stack.some(({ symbol }) => loads.test(symbol ?? ""))) {
    return words.replace(beforeMain, "while a library was loaded, ");
  }
  // A stack that is cut does not show what loaded it.
  return stack.some(({ symbol }) => starts.test(symbol ?? ""))
    ? words
    : words.replace(beforeMain, "");
}

/** Innermost frames of Python's own stack in which the loading of an extension is looked for. */
const IMPORT_DEPTH = 3;

/** Whether a line of Python's own stack loads a native module: CPython, Lib/importlib/_bootstrap_external.py and Lib/imp.py. */
function isImport({ symbol, file }: ReportFrame): boolean {
  return symbol === "create_module" && /^<frozen importlib\b/.test(file ?? "") ||
    symbol === "load_dynamic" && /\/imp\.py$/.test(file ?? "");
}

/** How it is told that a debugger had the program call something. */
const evaluating =
  "while a debugger had the process call a function, as for the value of a property";

/** Functions by which the agents of debuggers in a process have it call something: CoreCLR, debug/ee/funceval.cpp; OpenJDK,
 * jdk.jdwp.agent/invoker.c; LLDB's expressions; V8, src/inspector; WebKit, Source/JavaScriptCore/inspector. */
const evaluators =
  /^(?:mono_do_invoke_method|(?:Debugger::)?FuncEvalHijackWorker|FuncEvalHijack|DoNormalFuncEval|invoker_doInvoke|\$__lldb_expr|__lldb_expr|v8_inspector::V8(?:RuntimeAgentImpl::(?:evaluate|callFunctionOn)|DebuggerAgentImpl::evaluateOnCallFrame)|Inspector::InspectorRuntimeAgent::(?:evaluate|callFunctionOn))\b/;

/** Whether a function is a debugger's by which it has the process call something. That of Mono has the name of a function
 * of its verifier: Mono, mono/mini/debugger-agent.c, mono/metadata/verify.c. */
export function isEvaluation(frame: ReportFrame): boolean {
  const { symbol, file } = frame;
  if (symbol === null) return false;
  if (symbol === "do_invoke_method") return /(?:^|\/)debugger-agent\.c$/.test(file ?? "");
  return evaluators.test(symbol);
}

/** What Swift's compiler makes to initialize a global or static variable, which swift_once calls. */
const globals = /^(?:globalinit_\w|one-time initialization function for )/;

/** Whether what a function of libdispatch called is the program's. */
function callsProgram(stack: readonly ReportFrame[], at: number): boolean {
  let inner = at - 1;
  while (inner >= 0 && titleOf(stack[inner]) === "libdispatch.dylib") inner--;
  return inner >= 0 &&
    frameOwner(stack[inner], functionOf(stack[inner], stack[inner - 1] ?? null)) === "program";
}

/** What called the program where the system's functions have no names: libdispatch, which calls blocks only, or a
 * framework. */
function namelessOccasion(
  stack: readonly ReportFrame[],
  thread: ReportThread | null,
): string | null {
  const isProgram = (frame: ReportFrame, at: number): boolean =>
    frameOwner(frame, functionOf(frame, stack[at - 1] ?? null)) === "program";
  const inner = stack.findIndex(isProgram);
  if (inner < 0) return null;
  const at = stack.findIndex((frame, index) =>
    index > inner && frameOwner(frame, null) === "system"
  );
  if (at < 0 || !isUnnamed(stack[at]) || !stack.slice(inner, at).some(isUnnamed)) return null;
  const title = titleOf(stack[at]);
  if (title !== "libdispatch.dylib") {
    return isBaseLibrary(title) || /\.dylib$|^GraphicsServices$/.test(title)
      ? null
      : inner > 0
      ? `in code of the program that ${title.replace(/^com\.apple\./, "")} called`
      : `called by ${title.replace(/^com\.apple\./, "")}`;
  }
  const outer = stack.slice(at).find((frame) => titleOf(frame) !== title);
  const by = outer === undefined ? "" : titleOf(outer);
  if (/^(?:com\.apple\.)?CoreFoundation$/.test(by)) return "in a block on the main queue";
  if (!/^libsystem_(?:pthread|c)\.dylib$/.test(by)) return "in a block that libdispatch ran";
  const queue = thread?.queue ?? null;
  return queue === null || queue === "com.apple.main-thread"
    ? "in a block on a dispatch queue"
    : `in a block on the queue ${queue}`;
}

/** A function of JavaScript's own, by the name that engines give to what implements it: Hermes, lib/VM/JSLib;
 * JavaScriptCore, runtime/StringPrototype.cpp; V8, src/builtins. */
const builtins =
  /^(?:hermes::vm::([a-z]\w{2,20}?)Prototype|JSC::([a-z]\w{2,20}?)ProtoFunc|Builtins_([A-Z]\w{2,20}?)Prototype)([A-Z]\w{1,30}?)(?:\(|$)/;

function builtinOf(symbol: string): string | null {
  const first = symbol.charCodeAt(0);
  if (first !== 0x68 && first !== 0x4a && first !== 0x42) return null;
  const match = builtins.exec(symbol.slice(0, 120));
  if (match === null) return null;
  const type = match[1] ?? match[2] ?? match[3];
  const title = capitalized(type);
  return `in JavaScript's ${title}.prototype.${match[4][0].toLowerCase()}${match[4].slice(1)}`;
}

/** What an event loop of others does: the system's calls it by a timer or a source, which says nothing of the work. */
const pumpOf: (symbol: string) => string | null = oncePerText((symbol) => {
  if (symbol.startsWith("QCoreApplication::notify")) return "while an event of Qt was handled";
  return pumps.find(([functions]) => functions.test(symbol))?.[1] ?? null;
});

/** Functions of such loops: Chromium, base/task/common/task_annotator.cc; Flutter, fml/message_loop_impl.cc; WebKit,
 * wtf/RunLoop.cpp; JUCE, juce_events/native/juce_MessageQueue_mac.h. */
const pumps: readonly (readonly [RegExp, string])[] = [
  [/^base::(?:TaskAnnotator|MessagePump)/, "in a task of Chromium's message loop"],
  [/^fml::MessageLoop(?:Impl|Darwin)::/, "in a task of Flutter's message loop"],
  [/^WTF::RunLoop::performWork\b/, "in a task of WebKit's run loop"],
  [/^juce::MessageQueue::/, "in a callback of JUCE's message loop"],
];

/** Characters of a name in which a handler of Qt's is looked for. */
const MAX_HANDLER = 200;

/** Functions that Qt calls with an event, by the names that its documentation of QWidget and QObject gives. */
const qtHandlers =
  /^(?:\w+::){1,8}((?:action|change|close|contextMenu|custom|drag(?:Enter|Leave|Move)|drop|enter|focus(?:In|Out)|hide|inputMethod|key(?:Press|Release)|leave|mouse(?:DoubleClick|Move|Press|Release)|move|paint|resize|show|tablet|timer|wheel)Event)\(Q\w{1,30}Event ?\*\)/;

/** The event that a function handles for Qt; `null` for others. */
function qtHandlerOf(symbol: string): string | null {
  return symbol.includes("Event(Q")
    ? qtHandlers.exec(symbol.slice(0, MAX_HANDLER))?.[1] ?? null
    : null;
}

/** How what dyld and the Objective-C run-time do at the start is told. */
const beforeMain = "before main(), ";

/** Functions that load libraries later, and what is never on a stack before main(). */
const loads =
  /^(?:dlopen\w{0,30}|(?:dyld4::APIs::)?dlopen\b.{0,80}|main|_?CFBundleDlfcnLoadBundle|_CFBundleLoadExecutable\w{0,40}|-\[NSBundle load\w*:?\])$/;

/** Functions of dyld that are on a stack before main() only. */
const starts =
  /^(?:_?start|_dyld_start|dyldbootstrap::start|dyld::_main|dyld::initializeMainExecutable|dyld4::(?:start|prepare)|dyld3::)\b|^(?:dyld4::)?(?:APIs|RuntimeState)::runAllInitializers/;

/** The row of a thread's queue. */
export function queueRow(thread: ReportThread | null): KnowledgeRow | null {
  const queue = thread?.queue ?? thread?.name ?? null;
  return queue === null ? null : known("occasion", `queue ${queue}`);
}

/** Functions that empty an autorelease pool. */
const empties = /AutoreleasePoolPage(?:::|3)pop|^_?objc_autoreleasePoolPop$|autorelease_pool_pop/;

/** Of two origins the one that says more. */
function outerOrigin(inner: KnowledgeRow | null, outer: KnowledgeRow | null): KnowledgeRow | null {
  return inner === null || (outer !== null && !isQueue(outer)) ? outer : inner;
}

/** Whether an origin is that something is done once only. */
function isOnce({ key }: KnowledgeRow): boolean {
  return /^_?dispatch_once/.test(key);
}

/** Whether an origin is only that some dispatch queue ran a block. */
function isQueue({ key }: KnowledgeRow): boolean {
  return key.startsWith("_dispatch_") &&
    !/^_dispatch_(?:main_|apply_|source_(?:latch|handler)_)/.test(key);
}
