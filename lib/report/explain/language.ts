/** Uncaught exceptions of Objective-C, Swift, C++ and others. */

import { objectAt, textAt } from "../json.ts";
import { type CrashReport, fieldValue, type ReportFrame } from "../report.ts";
import {
  endOfTermination,
  functionOf,
  interrupted,
  isCatcher,
  isThrow,
  throwsCxx,
} from "./stack.ts";

/** An uncaught exception. */
export interface UncaughtException {
  readonly language: "Objective-C" | "C++" | "Objective-C or C++";
  /** Name or type, such as `NSRangeException`; `null` when not known. */
  readonly name: string | null;
  /** Reason; `null` when not known. */
  readonly reason: string | null;
  /** Where it was thrown, innermost first; empty when not known. */
  readonly stack: readonly ReportFrame[];
  /** Whether the stack that threw it is gone: it was caught and thrown again, or passed to a handler. */
  readonly isLost: boolean;
}

/** Looks for an uncaught exception: in messages, in the exception's own backtrace, on the stack. */
export function uncaughtException(
  report: CrashReport,
  messages: readonly string[],
): UncaughtException | null {
  const crashed = behindHandler(report.crashedThread?.frames ?? report.decidingStack);
  const whole = report.lastException ?? [];
  const last = behindHandler(whole);
  // What a signal's handler raised is not what the signal was for.
  if (last !== whole && !last.some(({ symbol }) => isThrow(symbol))) return null;
  const own = named(report) ?? fromMessages(messages) ?? typed(report);
  const said = own?.reason == null ? wrapped(report) ?? own : own;
  const found = (
    language: UncaughtException["language"],
    stack: readonly ReportFrame[],
    isLost = false,
  ): UncaughtException => ({
    ...{ name: null, reason: null, ...said, stack, isLost },
    // The stack may tell what the words do not.
    language: said === null || said.language === "Objective-C or C++" ? language : said.language,
  });
  if (said === null && messages.some((text) => ofOthers.test(text.slice(0, 4000)))) return null;
  if (last.length > 0) return found(said?.language ?? "Objective-C", last);
  const names = crashed.slice(0, 60).map((frame, at) => {
    const name = functionOf(frame, crashed[at - 1] ?? null);
    // Most names are none of those that are looked for.
    return name !== null && mayRaise.test(name) ? name : null;
  });
  const handled = endOfTermination(crashed);
  const has = (pattern: RegExp, from = 0): number =>
    names.findIndex((name, at) => at >= from && name !== null && pattern.test(name));
  const terminates = handled > 0 || has(/terminate_handler/) >= 0;
  const aborts = terminates || has(/^_?_?abort/) >= 0;
  const thrown = has(/^(?:objc_exception_throw|__exceptionPreprocess)\b/, handled);
  // It had caught what a call raised that was passed to the thread.
  if (thrown >= 0 && aborts && isCatcher(crashed[thrown + 1])) {
    return found("Objective-C", [], true);
  }
  // Other reporters give the exception's stack as that of the crashed thread.
  if (thrown >= 0 && (aborts || (thrown <= 1 && !isFault(report)))) {
    return found("Objective-C", crashed.slice(thrown));
  }
  const cxx = crashed.slice(0, 60).findIndex((frame, at) => at >= handled && throwsCxx(frame));
  if (cxx >= 0 && terminates) return found("C++", crashed.slice(cxx));
  const again = has(/^objc_exception_rethrow\b/) >= 0 ||
    has(/^[-+]\[NSApplication (?:_crashOnException|reportException|_showException):/) >= 0 ||
    has(/^__handleUncaughtException|^uncaughtErrorProc/) >= 0;
  if (again) return found("Objective-C", [], true);
  const rethrown = has(/^__cxa_rethrow\b/, handled);
  // In C++ the functions that catch and throw again are those that called the one that threw.
  if (rethrown >= 0 && terminates && said?.language === "C++") {
    return found("C++", crashed.slice(rethrown));
  }
  if (rethrown >= 0 && terminates) {
    return found("Objective-C or C++", [], true);
  }
  // Reporters have the last exception that they know of, also where an access ended the process.
  if (isFault(report) && crashed.length > 1 && !aborts && thrown < 0 && cxx < 0) return null;
  // The rest may be a call of std::terminate() without any exception, of which only a message tells.
  if (said !== null) {
    // Without names what raised it may be there.
    const isNamed = handled === 0 || crashed[handled - 1].symbol !== null;
    return { ...said, stack: [], isLost: terminates && isNamed };
  }
  // A copy may end behind the title of the exception's backtrace.
  const isCut = report.lastException !== null && crashed.length === 0 && messages.length === 0;
  return isCut ? found("Objective-C", [], true) : null;
}

/** Words of the functions that raise exceptions and end processes by them. */
const mayRaise =
  /terminate_handler|abort|^objc_exception_|^__exceptionP|NSApplication|[Uu]ncaught|^__cxa_rethrow/;

/** The functions that a signal interrupted, where its handler raised an exception; the whole stack where none did. */
function behindHandler(stack: readonly ReportFrame[]): readonly ReportFrame[] {
  const first = handlerThrows(stack);
  return first === 0 ? stack : stack.slice(first);
}

/** Index of the first function that a signal interrupted whose handler raised an exception; 0 where none did. */
export function handlerThrows(stack: readonly ReportFrame[]): number {
  const first = interrupted(stack);
  return first > 0 && stack.slice(0, first).some(({ symbol }) => isThrow(symbol)) ? first : 0;
}

/** Whether an exception of the CPU ended the process. */
function isFault({ exception }: CrashReport): boolean {
  return exception?.type != null && /^EXC_BAD_|^SIGSEGV|^SIGBUS/.test(exception.type);
}

/** The exception that Cr4shed has in place of a Mach exception's type. */
function typed(report: CrashReport): Named | null {
  const { exception } = report;
  const name = exception?.type ?? "";
  // Those of managed languages have no prefix.
  if (!/^[A-Z]{2}\w{0,80}Exception$/.test(name)) return null;
  const reason = fieldValue(report, "reason") ?? exception!.message;
  return { language: "Objective-C", name, reason };
}

type Named = Pick<UncaughtException, "language" | "name" | "reason">;

/** `exceptionReason` of an `.ips`: its members are named in no document of Apple's. */
function named(report: CrashReport): Named | null {
  const entry = objectAt(report.body ?? undefined, "exceptionReason");
  if (entry === null) return null;
  const reason = textAt(entry, "composed_message") ?? textAt(entry, "reason");
  return { language: "Objective-C", name: textAt(entry, "name") ?? textAt(entry, "type"), reason };
}

/** An Objective-C exception that .NET's run-time made one of its own of: macios, runtime/runtime.m,
 * xamarin_process_nsexception; src/Foundation/NSException. Its line may stand before a report, or behind. */
function wrapped({ text }: CrashReport): Named | null {
  const at = text.indexOf(WRAPPED);
  const line = at < 0 ? "" : text.slice(at + WRAPPED.length, at + WRAPPED.length + 4000);
  const match =
    /^\s{1,4}Name: (\S{1,200}?) ?Reason: ([^]{1,2000}?)(?=\s*(?:$|\n\s*Native stack|\n\s*\((?:ObjCRuntime|Foundation)\.|\n\s*\(?\d{1,3} {1,4}\S|\n\s*at |\r?\n\r?\n|\\n|"[,}\n]))/
      .exec(line);
  if (match === null) return null;
  const reason = match[2].trim();
  return {
    language: "Objective-C",
    name: match[1],
    reason: reason === "" || reason === "(null)" ? null : reason,
  };
}

/** How .NET's message of such an exception begins. */
const WRAPPED = "Objective-C exception thrown.";

/** What the Objective-C and C++ run-times and crash reporters write. All patterns are anchored or have no
 * repetition within a repetition, so they take linear time. */
function fromMessages(messages: readonly string[]): Named | null {
  const found = messages.map(fromMessage).filter((entry) => entry !== null);
  // The C++ run-time writes its line before or after that of the Objective-C run-time, which has the reason.
  const [first] = found;
  if (first === undefined) return null;
  if (first.name === null && first.reason === null) {
    return found.find(({ reason }) => reason !== null) ?? first;
  }
  // The reason may stand before the title that names the exception alone.
  const title = first.name === null
    ? found.find(({ name, reason }) => name !== null && reason === null)
    : undefined;
  return title === undefined ? first : { ...first, name: title.name };
}

function fromMessage(message: string): Named | null {
  const text = message.slice(0, 4000);
  const objc =
    /uncaught exception:? (?:'([A-Z]\w{3,80}Exception: .{1,2000}?(?=', reason:)|.{1,300}?)'(?=,? reason:|[^\w')]|$)|"([^"]{1,200})"|<?((?!of\b)[A-Z][\w.]{2,100})>?(?=,? reason|$))(?:,? reason:? ?)?/
      .exec(text);
  if (objc !== null) {
    return {
      language: "Objective-C",
      // React Native's has its reason.
      name: (objc[1] ?? objc[2] ?? objc[3]).replace(/^([A-Z]\w{3,80}Exception): .*$/, "$1"),
      reason: reasonIn(text, objc.index + objc[0].length),
    };
  }
  const typed =
    /terminat\w+ (?:due to|with) uncaught exception(?: of type ([^:\s][^:]{0,200}(?:::[^:\s]{1,100}){0,9}))?(?:: (.{1,2000}))?/
      .exec(text);
  if (typed !== null) {
    const [, type, what] = typed;
    // NSException is the class of most of them, not the name that says which it is.
    const isObjc = type !== undefined && /^_?NS\w*Exception\b/.test(type);
    const isEither = type !== undefined && /^[A-Z]{2,4}[A-Z][a-z]\w*Exception\b/.test(type);
    return {
      language: isObjc
        ? "Objective-C"
        : isEither || type === undefined
        ? "Objective-C or C++"
        : "C++",
      name: isObjc ? null : type?.trim() ?? null,
      reason: what ?? null,
    };
  }
  // React Native's, which calls the methods of native modules: React/Base/RCTModuleMethod.
  const invoked = /^Exception '(.{1,3000})' was thrown while invoking \S{1,200} on target \S/.exec(
    text,
  );
  if (invoked !== null) return { language: "Objective-C", name: null, reason: invoked[1] };
  const drawn = /^Exception thrown while executing UI block: (.{1,3000})/.exec(text);
  if (drawn !== null) return { language: "Objective-C", name: null, reason: drawn[1] };
  // Xcode's and its tools'.
  const own = /UNCAUGHT EXCEPTION \((\w{1,100})\): (.{1,2000})/.exec(text);
  if (own !== null) return { language: "Objective-C", name: own[1], reason: own[2] };
  const called = /terminate called (?:after )?throwing an (?:exception|instance of '([^']{1,200})')/
    .exec(
      text,
    );
  // Without a type it may be either.
  if (called !== null) {
    const language = called[1] === undefined ? "Objective-C or C++" : "C++";
    return { language, name: called[1] ?? null, reason: null };
  }
  // The type's name as C++ run-times have it, which Sentry and KSCrash write: `N8facebook3jsi7JSErrorE`.
  const info = /^N((?:\d{1,2}[A-Za-z_]\w{0,99}){1,9})E$/.exec(text);
  const names = info === null ? null : sourceNames(info[1]);
  if (names !== null) return { language: "C++", name: names.join("::"), reason: null };
  // Firebase Crashlytics; an error of Dart has a row of its own.
  const fatal =
    /^Fatal Exception: ((?:[^:\s]|::(?=\w)){1,200}|NativeScript encountered a fatal error)(?:: (.{1,2000}))?$/
      .exec(text);
  if (fatal !== null && !ofOthers.test(text)) {
    // Unity's wrapper of a C# exception is thrown as a C++ object.
    const language = /^Il2Cpp|::/.test(fatal[1]) ? "C++" : "Objective-C";
    return { language, name: fatal[1], reason: fatal[2] ?? null };
  }
  // AppKit's, where it crashes on exceptions.
  const crashing = /^(?:Crashing on exception|Terminating due to uncaught exception): (.{1,2000})/
    .exec(text);
  if (crashing !== null) return { language: "Objective-C", name: null, reason: crashing[1] };
  // `*** -[Foo bar]: message`, as Foundation begins reasons with.
  if (/^\*\*\* [-+]\[\w/.test(text) && !text.includes("message sent to deallocated instance")) {
    return { language: "Objective-C", name: null, reason: text.slice(4) };
  }
  if (/^[-+]\[(?:%s|[\w.]{1,100}) (?:%s|[\w:]{1,200})\]: unrecognized selector/.test(text)) {
    return { language: "Objective-C", name: "NSInvalidArgumentException", reason: text };
  }
  return null;
}

/** Crashlytics' titles of errors of Dart, .NET, Java and Kotlin, which are no exceptions of Objective-C. */
const ofOthers =
  /^Fatal Exception: (?:(?:[\w.]{1,100}\.)?FlutterError|System\.[A-Z]|(?:java|javax|kotlin|kotlinx|android|androidx|dalvik|com|org|io|net)\.[a-z\d.]{0,100}[A-Z])/;

/** The names in `8facebook3jsi7JSError`; `null` when the lengths do not fit. */
function sourceNames(text: string): string[] | null {
  const names: string[] = [];
  for (let rest = text; rest !== "";) {
    const digits = /^\d{1,2}/.exec(rest)?.[0];
    if (digits === undefined) return null;
    const end = digits.length + Number(digits);
    if (end > rest.length || end === digits.length) return null;
    names.push(rest.slice(digits.length, end));
    rest = rest.slice(end);
  }
  return names;
}

function reasonIn(text: string, from: number): string | null {
  const rest = text.slice(from).trim()
    // Other lines, joined to this one.
    .replace(
      /'\s{1,4}(?:abort\(\) called|terminating (?:with|due to)|\*\*\* First throw)[^]*$/,
      "'",
    );
  const quoted = rest.startsWith("'")
    ? rest.slice(1).replace(/'(?![),])[^']{0,20}$/, "")
    : rest.startsWith('"')
    ? rest.slice(1).replace(/"[^"]{0,20}$/, "")
    : rest;
  // JavaScript's stack is in the lines after it.
  const said = quoted.replace(/, stack:\s{0,4}$/, "").trim();
  return said === "" || said === "(null)" ? null : said;
}
