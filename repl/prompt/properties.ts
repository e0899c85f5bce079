/** The properties of objects that are named at the prompt, found without running the user's code. */
import { Image } from "../../lib/macho/mod.ts";
import * as api from "../../mod.ts";
import type { Session } from "./session.ts";

/** The getters of the API that neither stop nor change the target. */
const harmless: readonly (readonly [type: unknown, names: readonly string[]])[] = [
  [api.Target, ["images", "warnings", "paused"]],
  [api.CoreTarget, ["threads", "crashedThread", "mainBinary", "kernelVersion", "segments"]],
  [api.Thread, [
    ...["id", "name", "state", "cpuUsage", "queue", "qos", "userTime", "systemTime"],
    ...["suspendCount", "priority", "registers"],
  ]],
  [api.Frame, [
    ...["image", "symbol", "source", "registers", "sp", "fp", "returnAddress", "lookupAddress"],
    ...["offset", "rule"],
  ]],
  [api.Backtrace, ["activations"]],
  [api.Snapshot, ["mainThread"]],
  [Image, ["symbols"]],
  [api.Pause, ["active", "pausedMicroseconds"]],
];

/** A value that cannot be read without running code, but whose prototype is known. */
class Unknown {
  readonly prototype: object | null;
  constructor(prototype: object | null) {
    this.prototype = prototype;
  }
}

/** The prototypes of the session's globals, for when nothing is captured. */
const answers: Readonly<Record<string, object>> = {
  threads: Array.prototype,
  thread: api.Thread.prototype,
  frame: api.Frame.prototype,
};

/** The value of a global; only its prototype where the target would have to be stopped for it. */
function root(session: Session, name: string): unknown {
  if (name === "target") return session.maybeTarget ?? new Unknown(null);
  if (Object.hasOwn(answers, name) && isSessionGetter(name)) {
    if (session.maybeTarget === undefined) return new Unknown(answers[name]);
    if (!session.captured) return new Unknown(answers[name]);
    try {
      return {
        threads: () => session.threads(),
        thread: () => session.thread,
        frame: () => session.frame,
      }
        [name as "threads"]();
    } catch {
      return new Unknown(answers[name]);
    }
  }
  const descriptor = Object.getOwnPropertyDescriptor(globalThis, name);
  return descriptor === undefined || "value" in descriptor
    ? descriptor?.value
    // Some of the runtime's own globals are getters that load a module.
    : name in globalThis && isNative(descriptor.get)
    ? (globalThis as Record<string, unknown>)[name]
    : undefined;
}

function isSessionGetter(name: string): boolean {
  return Object.getOwnPropertyDescriptor(globalThis, name)?.get !== undefined;
}

function isNative(get: (() => unknown) | undefined): boolean {
  return get !== undefined && !/prompt-\d+/.test(get.toString()) &&
    Object.hasOwn(Deno, "inspect") &&
    /\[native code\]/.test(Function.prototype.toString.call(get));
}

/** A property of a value; `undefined` where reading it runs the user's code. */
function property(session: Session, value: unknown, name: string): unknown {
  if (value instanceof Unknown) return undefined;
  if (value === null || value === undefined) return undefined;
  for (
    let at: unknown = Object(value);
    at !== null && at !== undefined;
    at = Object.getPrototypeOf(at)
  ) {
    const descriptor = Object.getOwnPropertyDescriptor(at, name);
    if (descriptor === undefined) continue;
    if ("value" in descriptor) return descriptor.value;
    const known = harmless.some(([type, names]) =>
      value instanceof (type as new () => unknown) && names.includes(name)
    );
    if (known) return (value as Record<string, unknown>)[name];
    if (value instanceof api.Target && name === "threads") {
      return value.paused ? value.threads : new Unknown(Array.prototype);
    }
    return undefined;
  }
  if (value === session.maybeTarget && name === "threads") return new Unknown(Array.prototype);
  return undefined;
}

/** The names of a value's properties that begin with `prefix`, its own first. */
function names(value: unknown, prefix: string): string[] {
  const found = new Set<string>();
  const start = value instanceof Unknown
    ? value.prototype
    : value === null || value === undefined
    ? null
    : Object(value);
  for (let at = start; at !== null && at !== undefined; at = Object.getPrototypeOf(at)) {
    if (at === Object.prototype) break;
    for (const name of Object.getOwnPropertyNames(at).sort()) {
      if (name.startsWith(prefix) && /^[A-Za-z_$][\w$]*$/.test(name)) found.add(name);
    }
  }
  found.delete("constructor");
  return [...found];
}

/** The names of the properties of what a path, such as `target.images[0]`, names.
 *
 * @param prefix the beginning of the names
 */
export function propertyNames(
  session: Session,
  path: string,
  prefix: string,
): readonly string[] {
  const [first, ...rest] = path.match(/[\w$]+/g) ?? [];
  let value = first === undefined ? undefined : root(session, first);
  for (const name of rest) value = property(session, value, name);
  return names(value, prefix);
}
