/** The properties of objects that are named at the prompt, found without running the user's code. */
import { Image } from "../../lib/macho/mod.ts";
import * as api from "../../mod.ts";
import { type Node, parse } from "acorn";
import { editDistance } from "../commands/table.ts";
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
    ...["offset", "rule", "variables", "locals"],
  ]],
  [api.Backtrace, ["activations"]],
  [api.Snapshot, ["mainThread"]],
  [Image, ["symbols"]],
  [api.Pause, ["active", "pausedMicroseconds"]],
];

/** A value that cannot be read without running code, but whose prototype is known. */
class Unknown {
  readonly prototype: object | null;
  /** The prototype of its elements, where it has some. */
  readonly element: object | undefined;
  constructor(prototype: object | null, element?: object) {
    this.prototype = prototype;
    this.element = element;
  }
}

/** A node of the syntax tree, whose fields depend on its type. */
// deno-lint-ignore no-explicit-any
type Tree = Node & Record<string, any>;

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
    const element = name === "threads" ? api.Thread.prototype : undefined;
    if (session.maybeTarget === undefined || !session.captured) {
      return new Unknown(answers[name], element);
    }
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
      return value.paused ? value.threads : new Unknown(Array.prototype, api.Thread.prototype);
    }
    return undefined;
  }
  if (value === session.maybeTarget && name === "threads") {
    return new Unknown(Array.prototype, api.Thread.prototype);
  }
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

/** What a call or a getter of the API gives, and the elements of what it gives. Nothing of it is run. */
const results: readonly (readonly [of: object, name: string, gives: object, element?: object])[] = [
  [api.Target.prototype, "threads", Array.prototype, api.Thread.prototype],
  [api.Target.prototype, "images", Array.prototype, Image.prototype],
  [api.Target.prototype, "snapshot", api.Snapshot.prototype],
  [api.Target.prototype, "pause", api.Pause.prototype],
  [api.Snapshot.prototype, "threads", Array.prototype, api.Thread.prototype],
  [api.Snapshot.prototype, "mainThread", api.Thread.prototype],
  [api.Thread.prototype, "backtrace", api.Backtrace.prototype, api.Frame.prototype],
  [api.Thread.prototype, "name", String.prototype],
  [api.Thread.prototype, "state", String.prototype],
  [api.Thread.prototype, "registers", api.Registers.prototype],
  [api.Frame.prototype, "registers", api.Registers.prototype],
  [api.Frame.prototype, "function", String.prototype],
  [api.Backtrace.prototype, "activations", Array.prototype, api.Frame.prototype],
];

/** Methods of arrays that give the same kind of array, and those that give one of its elements. */
const sameArray = /^(?:filter|slice|concat|toSorted|toReversed|sort|reverse|toSpliced|with)$/;
const oneElement = /^(?:find|findLast|at|pop|shift)$/;
/** Methods that call a function with each element. */
const withEach = /^(?:filter|map|find|findLast|findIndex|some|every|forEach|flatMap)$/;

/** The kind of what an expression gives, found without running it. */
function kindOf(session: Session, node: Tree, bound: ReadonlyMap<string, unknown>): unknown {
  switch (node.type) {
    case "Identifier":
      return bound.has(node.name) ? bound.get(node.name) : root(session, node.name);
    case "Literal":
      return node.value;
    case "TemplateLiteral":
      return "";
    case "ArrayExpression":
      return new Unknown(Array.prototype);
    case "ParenthesizedExpression":
    case "ChainExpression":
    case "AwaitExpression":
      return kindOf(session, node.expression ?? node.argument, bound);
    case "NewExpression": {
      const made = kindOf(session, node.callee, bound);
      return typeof made === "function" ? new Unknown(made.prototype) : undefined;
    }
    case "MemberExpression": {
      const owner = kindOf(session, node.object, bound);
      if (!node.computed) return memberOf(session, owner, node.property.name);
      if (owner instanceof Unknown) return owner.element && new Unknown(owner.element);
      return Array.isArray(owner) ? owner[Number(node.property.value) || 0] : undefined;
    }
    case "CallExpression": {
      if (node.callee.type !== "MemberExpression") return undefined;
      const owner = kindOf(session, node.callee.object, bound);
      const name: string = node.callee.property.name ?? "";
      const element = elementOf(owner);
      if (isArray(owner) && sameArray.test(name)) return new Unknown(Array.prototype, element);
      if (isArray(owner) && oneElement.test(name)) return element && new Unknown(element);
      if (isArray(owner) && /^(?:map|flatMap)$/.test(name)) return new Unknown(Array.prototype);
      if (typeof owner === "string" || prototypeOf(owner) === String.prototype) {
        return /^(?:split|match)$/.test(name) ? new Unknown(Array.prototype) : "";
      }
      return resultOf(owner, name);
    }
    default:
      return undefined;
  }
}

function prototypeOf(value: unknown): object | null {
  if (value instanceof Unknown) return value.prototype;
  return value === null || value === undefined ? null : Object.getPrototypeOf(Object(value));
}

function isArray(value: unknown): boolean {
  return Array.isArray(value) || prototypeOf(value) === Array.prototype;
}

function elementOf(value: unknown): object | undefined {
  if (value instanceof Unknown) return value.element;
  if (value instanceof api.Backtrace) return api.Frame.prototype;
  return Array.isArray(value) && value.length > 0
    ? Object.getPrototypeOf(Object(value[0]))
    : undefined;
}

/** What a method or getter of ours gives. */
function resultOf(owner: unknown, name: string): Unknown | undefined {
  const chain = prototypeOf(owner);
  const row = results.find(([of, given]) =>
    given === name && chain !== null &&
    (chain === of || Object.prototype.isPrototypeOf.call(of, chain))
  );
  return row && new Unknown(row[2], row[3]);
}

function memberOf(session: Session, owner: unknown, name: string): unknown {
  return property(session, owner, name) ?? resultOf(owner, name);
}

/** The expression that ends where `text` does: names, properties, calls, indices, and what is in brackets. */
function lastExpression(text: string): string {
  let at = text.length;
  for (;;) {
    const before = text.slice(0, at);
    const name = /(?:[\w$]+|\?\.|\.|!)$/.exec(before)?.[0];
    if (name !== undefined) {
      at -= name.length;
      continue;
    }
    const closing = before.at(-1);
    if (closing === ")" || closing === "]") {
      const open = matchingOpen(before);
      if (open < 0) return text.slice(at);
      at = open;
    } else if (closing === '"' || closing === "'" || closing === "`") {
      const open = before.lastIndexOf(closing, before.length - 2);
      return open < 0 ? text.slice(at) : text.slice(open);
    } else return text.slice(at);
  }
}

/** The index of the bracket that the last character closes; -1 where there is none. */
function matchingOpen(text: string): number {
  const open: Readonly<Record<string, string>> = { ")": "(", "]": "[", "}": "{" };
  const stack: string[] = [];
  for (let at = text.length - 1; at >= 0; at--) {
    const character = text[at];
    if (character in open) stack.push(open[character]);
    else if (/[([{]/.test(character)) {
      if (stack.pop() !== character) return -1;
      if (stack.length === 0) return at;
    }
  }
  return -1;
}

function parsed(expression: string): Tree | undefined {
  try {
    const source = expression.replace(/(?<=[\w$)\]])!(?=[.[(])/g, "");
    return (parse(`(${source})`, { ecmaVersion: "latest", sourceType: "module" }).body[0] as Tree)
      .expression;
  } catch {
    return undefined;
  }
}

/** The parameters of functions that are being typed as arguments of `filter`, `map` and their like. */
function parameters(session: Session, before: string): Map<string, unknown> {
  const bound = new Map<string, unknown>();
  const calls = /\.(\w+)\(\s*(?:async\s+)?\(?\s*([A-Za-z_$][\w$]*)[^()]*?\)?\s*=>/g;
  for (const match of before.matchAll(calls)) {
    if (!withEach.test(match[1])) continue;
    const owner = parsed(lastExpression(before.slice(0, match.index)));
    const element = owner && elementOf(kindOf(session, owner, bound));
    if (element !== undefined) bound.set(match[2], new Unknown(element));
  }
  return bound;
}

/** The names of the properties of the expression that ends where `before` does.
 *
 * @param before what was typed up to the dot
 * @param prefix the beginning of the names
 */
export function propertyNames(session: Session, before: string, prefix: string): readonly string[] {
  const bound = parameters(session, before);
  const node = parsed(lastExpression(before));
  return node === undefined ? [] : names(kindOf(session, node, bound), prefix);
}

/** A property that is named in code, and what it stands in. */
type Named = readonly [member: Tree, parent: Tree | undefined];

/** The properties that code names, the outermost of an expression last. */
function members(code: string): Named[] {
  const found: Named[] = [];
  const visit = (node: Tree, parent?: Tree): void => {
    for (const value of Object.values(node)) {
      for (const child of Array.isArray(value) ? value : [value]) {
        if (child !== null && typeof child === "object" && typeof child.type === "string") {
          visit(child, node);
        }
      }
    }
    if (node.type === "MemberExpression" && !node.computed) found.push([node, parent]);
  };
  try {
    visit(parse(code, { ecmaVersion: "latest", allowAwaitOutsideFunction: true }) as Tree);
  } catch {
    return [];
  }
  return found;
}

/** What is said of a property that does not exist in what was typed; `undefined` where all do, or it cannot
 * be known without running the code: `Thread has no nmae: did you mean name?` */
export function misspelt(session: Session, code: string): string | undefined {
  for (const [node] of members(code)) {
    const owner = kindOf(session, node.object, new Map());
    const prototype = prototypeOf(owner);
    const name: string = node.property.name ?? "";
    const known = names(owner, "");
    if (prototype === null || prototype === Object.prototype || known.includes(name)) continue;
    if (name in Object.prototype) continue;
    const near = known.map((other) => ({ other, distance: editDistance(name, other) }))
      .filter(({ other, distance }) => distance <= Math.max(1, Math.floor(other.length / 3)))
      .sort((a, b) => a.distance - b.distance).slice(0, 2)
      .map(({ other }) => `\`${other}\``).join(" or ");
    const { constructor } = prototype as { constructor?: { name?: string } };
    const isOurs = Object.values(api).includes(constructor as never) ||
      prototype === Image.prototype;
    if (near === "" && !isOurs) continue;
    return `${constructor?.name ?? "it"} has no \`${name}\`${near && `: did you mean ${near}?`}`;
  }
  return undefined;
}

/** The first variable that code reads of the selected frame's `locals` and that is not there: it counts as
 * `undefined`, which sums and comparisons hide. Code that asks whether it is there is not meant. */
export function missedVariable(session: Session, code: string): string | undefined {
  if (!code.includes(".") || session.maybeTarget === undefined || !session.captured) {
    return undefined;
  }
  for (const [node, parent] of members(code)) {
    if (isAsked(node, parent)) continue;
    const owner = kindOf(session, node.object, new Map());
    if (typeof owner !== "object" || owner === null || Object.getPrototypeOf(owner) !== null) {
      continue;
    }
    const name: string = node.property.name ?? "";
    const { locals } = session.frame;
    if (owner === locals && name !== "toJSON" && !(name in locals)) return name;
  }
  return undefined;
}

/** Whether a property's absence is asked for: `locals.a?.b`, `locals.a ?? 0`, `locals.a === undefined`. */
function isAsked(node: Tree, parent: Tree | undefined): boolean {
  switch (parent?.type) {
    case "MemberExpression":
    case "CallExpression":
      return parent.optional;
    case "LogicalExpression":
      return parent.left === node;
    case "ConditionalExpression":
      return parent.test === node;
    case "UnaryExpression":
      return parent.operator === "typeof" || parent.operator === "!";
    case "BinaryExpression": {
      const other = parent.left === node ? parent.right : parent.left;
      return other.name === "undefined" || other.type === "Literal" && other.value === null;
    }
    case "AssignmentExpression":
      return parent.left === node;
    default:
      return false;
  }
}
