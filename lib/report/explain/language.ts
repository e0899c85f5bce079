/** Uncaught exceptions of Objective-C, Swift, C++ and others. */

import { objectAt, textAt } from "../json.ts";
import type { CrashReport, ReportFrame } from "../report.ts";
import { functionOf } from "./stack.ts";

/** An uncaught exception. */
export interface UncaughtException {
  readonly language: "Objective-C" | "C++" | "Objective-C or C++";
  /** Name or type, such as `NSRangeException`; `null` when not known. */
  readonly name: string | null;
  /** Reason; `null` when not known. */
  readonly reason: string | null;
  /** Where it was thrown, innermost first; empty when not known. */
  readonly stack: readonly ReportFrame[];
}

/** Looks for an uncaught exception: in messages, in the exception's own backtrace, on the stack. */
export function uncaughtException(
  report: CrashReport,
  messages: readonly string[],
): UncaughtException | null {
  const crashed = report.crashedThread?.frames ?? report.decidingStack;
  const last = report.lastException ?? [];
  const said = named(report) ?? fromMessages(messages);
  if (last.length > 0) {
    return {
      language: said?.language ?? "Objective-C",
      name: null,
      reason: null,
      ...said,
      stack: last,
    };
  }
  const names = crashed.slice(0, 40).map((frame, at) => functionOf(frame, crashed[at - 1] ?? null));
  const has = (pattern: RegExp): number =>
    names.findIndex((name) => name !== null && pattern.test(name));
  const thrown = has(/^(?:objc_exception_(?:re)?throw|__exceptionPreprocess)\b/);
  const terminates = has(/^_?objc_terminate/) >= 0 ||
    has(/_crashOnException:|reportException:/) >= 0;
  const aborts = has(/terminate/) >= 0 || has(/^_?_?abort/) >= 0 ||
    has(/^-\[NSApplication _crashOnException/) >= 0;
  if (thrown >= 0 && aborts) {
    return {
      language: "Objective-C",
      name: null,
      reason: null,
      ...said,
      stack: crashed.slice(thrown),
    };
  }
  const cxx = has(/^__cxa_(?:re)?throw/);
  if (cxx >= 0 && has(/terminate/) >= 0) {
    return {
      language: "C++",
      name: null,
      reason: null,
      ...said,
      stack: crashed.slice(cxx),
    };
  }
  if (said !== null) return { ...said, stack: [] };
  // Whatever it was, libobjc only says that an exception was not caught; it may be of C++ too.
  if (terminates) return { language: "Objective-C or C++", name: null, reason: null, stack: [] };
  if (has(/^(?:demangling_terminate_handler|default_terminate_handler)/) >= 0) {
    return { language: "Objective-C or C++", name: null, reason: null, stack: [] };
  }
  return null;
}

type Named = Pick<UncaughtException, "language" | "name" | "reason">;

/** `exceptionReason` of an `.ips`: its members are named in no document of Apple's. */
function named(report: CrashReport): Named | null {
  const entry = objectAt(report.body ?? undefined, "exceptionReason");
  if (entry === null) return null;
  const reason = textAt(entry, "composed_message") ?? textAt(entry, "reason");
  return { language: "Objective-C", name: textAt(entry, "name") ?? textAt(entry, "type"), reason };
}

/** What the Objective-C and C++ run-times and crash reporters write. All patterns are anchored or have no
 * repetition within a repetition, so they take linear time. */
function fromMessages(messages: readonly string[]): Named | null {
  for (const message of messages) {
    const text = message.slice(0, 4000);
    const objc = /uncaught exception '([^']{1,200})'(?:, reason:? ?)?/.exec(text);
    if (objc !== null) {
      return {
        language: "Objective-C",
        name: objc[1],
        reason: reasonIn(text, objc.index + objc[0].length),
      };
    }
    const typed =
      /terminat\w+ (?:due to|with) uncaught exception(?: of type ([^:\s][^:]{0,200}(?:::[^:\s]{1,100}){0,9}))?(?:: (.{1,2000}))?/
        .exec(text);
    if (typed !== null) {
      const [, type, what] = typed;
      const isObjc = type !== undefined && /^(?:NS|_NS)?\w*Exception\b/.test(type) &&
        !type.includes("::");
      return {
        language: isObjc ? "Objective-C" : "C++",
        name: isObjc ? null : type?.trim() ?? null,
        reason: what ?? null,
      };
    }
    // AppKit's, where it crashes on exceptions.
    const crashing = /^(?:Crashing on exception|Terminating due to uncaught exception): (.{1,2000})/
      .exec(text);
    if (crashing !== null) return { language: "Objective-C", name: null, reason: crashing[1] };
    // `*** -[Foo bar]: message`, as Foundation begins reasons with.
    if (/^\*\*\* [-+]\[\w/.test(text)) {
      return { language: "Objective-C", name: null, reason: text.slice(4) };
    }
    if (/^[-+]\[[\w.]{1,100} [\w:]{1,200}\]: unrecognized selector/.test(text)) {
      return { language: "Objective-C", name: "NSInvalidArgumentException", reason: text };
    }
  }
  return null;
}

function reasonIn(text: string, from: number): string | null {
  const rest = text.slice(from).trim();
  const quoted = rest.startsWith("'") ? rest.slice(1).replace(/'[^']{0,20}$/, "") : rest;
  return quoted === "" || quoted === "(null)" ? null : quoted;
}
