/** Stacks within JSON that services and loggers keep, whose members have no one form: text, beside what the
 * exception was. */

import { arrayAt, isObject, type JsonObject, type JsonValue, textAt } from "../json.ts";
import { aroundKSCrash } from "./kscrash.ts";

/** A line of a stack as Apple's functions give it. */
const frameLine = /^[ \t]{0,8}\d{1,3}[ \t]{1,8}\S.{0,80}?[ \t]{1,60}0x[0-9a-fA-F]{6,16}\b/gm;

/** Members in which services name an exception, and what it says. */
const names = ["type", "className", "exceptionType", "errorClass", "kind", "name", "_type"];
const messages = ["message", "reason", "exceptionReason", "value", "description", "_name"];

/** Values that are looked at, and how deep. */
const MOST = 20_000;
const DEEPEST = 12;

/** The text of a stack; `null` when a value has none. */
function stackText(value: JsonValue): string | null {
  const text = typeof value === "string"
    ? value
    : Array.isArray(value) && value.every((entry) => typeof entry === "string")
    ? value.join("\n")
    : "";
  return text.length < 1 << 20 && (text.match(frameLine)?.length ?? 0) > 1 ? text : null;
}

/** Finds the first stack in a document, and puts what is said beside it before it, as crash texts have it; `null` when there is
 * none. */
export function stackDocument(document: JsonObject): string | null {
  const open: { value: JsonObject; depth: number }[] = [{ value: document, depth: 0 }];
  let left = MOST;
  for (let at = 0; at < open.length && left > 0; at++) {
    const { value: parent, depth } = open[at];
    for (const key of Object.keys(parent)) {
      if (left-- <= 0) break;
      const value = parent[key];
      const stack = stackText(value);
      if (stack !== null) return asText(parent, stack);
      if (depth >= DEEPEST) continue;
      const inner = Array.isArray(value) ? value : [value];
      for (const entry of inner) if (isObject(entry)) open.push({ value: entry, depth: depth + 1 });
    }
  }
  return null;
}

function asText(parent: JsonObject, stack: string): string {
  // A whole text says itself what it is.
  if (/^(?:Exception Type|Thread \d{1,5} Crashed|Crashed:|Last Exception Backtrace)/m.test(stack)) {
    return stack;
  }
  const first = (keys: readonly string[], fits: RegExp): string | null => {
    for (const key of keys) {
      const text = textAt(parent, key);
      if (text !== null && fits.test(text)) return text.slice(0, 4000).replace(/\s*\n\s*/g, " ");
    }
    return null;
  };
  const name = first(names, /^(?:EXC_|SIG)[A-Z_]{2,30}\b|^[A-Z]\w{3,80}Exception$/);
  const message = first(messages, /\S/);
  const lines: string[] = [];
  const raised = /Exception$/.test(name ?? "");
  if (name !== null && !raised) lines.push(`Exception Type: ${name.split(/[ (]/, 1)[0]}`, "");
  const uncaught = /Terminating app due to uncaught exception/.test(message ?? "");
  if (uncaught) {
    lines.push("Application Specific Information:", `*** ${message!.replace(/^\*+ /, "")}`);
  } else if (raised) {
    lines.push(
      "Application Specific Information:",
      `*** Terminating app due to uncaught exception '${name}'` +
        (message === null ? "" : `, reason: '${message}'`),
    );
  } else if (message !== null) lines.push("Application Specific Information:", message);
  lines.push("", raised || uncaught ? "Last Exception Backtrace:" : "Thread 0 Crashed:", stack);
  return lines.join("\n");
}

/** Forms of frames in a list of nothing else, by members that only they have, and the document that such a list is a part of. */
const frameForms: readonly {
  readonly has: (frame: JsonObject) => boolean;
  readonly document: (frames: readonly JsonValue[]) => JsonObject;
}[] = [
  {
    // Apple's .ips
    has: (frame) => Object.hasOwn(frame, "imageOffset"),
    document: (frames) => ({ threads: [{ frames }] }),
  },
  {
    // KSCrash's
    has: (frame) => Object.hasOwn(frame, "object_name"),
    document: (contents) => ({ crash: { threads: [{ backtrace: { contents } }] } }),
  },
  {
    // Sentry's, outermost first
    has: (frame) =>
      ["instruction_addr", "instructionAddr"].some((key) => Object.hasOwn(frame, key)),
    document: (frames) => ({ threads: { values: [{ stacktrace: { frames } }] } }),
  },
  {
    // Backtrace's
    has: (frame) => Object.hasOwn(frame, "funcName"),
    document: (stack) => ({ agent: "a list", threads: { 0: { stack } } }),
  },
];

/** The document that a list of frames or of threads is a part of, and the text of one that has frames as lines; `null` for
 * others. */
export function listDocument(list: readonly JsonValue[]): JsonObject | string | null {
  const [first] = list;
  if (typeof first === "string") return stackText(list as JsonValue);
  if (!isObject(first)) return null;
  // Sentry's frames and KSCrash's lack some of these, as the outermost do.
  const form = frameForms.find(({ has }) => list.some((entry) => isObject(entry) && has(entry)));
  // Threads of an .ips.
  const isThreads = arrayAt(first, "frames").some((frame) =>
    frameForms[0].has(frame as JsonObject)
  );
  return isThreads
    ? { threads: list as JsonValue[] }
    : form?.document(list) ?? aroundKSCrash({ threads: list as JsonValue[] });
}
