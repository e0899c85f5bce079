/** Prints declarations: `context.name` and a type, or `name of … in context`. */

import { childOf, fail, need, type Node } from "./node.ts";
import { printFunctionType } from "./print_functions.ts";
import type { Printer } from "./printer.ts";

/** How an entity's type is printed: not at all, after a colon, or as a function's. */
export type TypeShown = "none" | "colon" | "function";

/** The words of an entity. */
export interface EntityWords {
  /** Whether its second child is its name. */
  readonly named?: boolean;
  /** Printed in place of a name. */
  readonly name?: string;
  /** Printed in addition to the name: an accessor, or words such as `closure #`. */
  readonly extra?: string;
  /** Printed after `extra`. */
  readonly index?: number;
}

/** Their contexts are left out here, and printed after `of`. */
const initializers = new Set([
  "DefaultArgumentInitializer",
  "Initializer",
  "PropertyWrapperBackingInitializer",
  "PropertyWrappedFieldInitAccessor",
  "PropertyWrapperInitFromProjectedValue",
]);

const functionKinds = new Set([
  "FunctionType",
  "NoEscapeFunctionType",
  "UncurriedFunctionType",
  "CFunctionPointer",
  "ThinFunctionType",
]);

/** Prints an entity, or returns it where it cannot stand before a dot; the same for its context. */
export function printEntity(
  p: Printer,
  node: Node,
  depth: number,
  asContext: boolean,
  shown: TypeShown,
  words: EntityWords,
): Node | null {
  let entity = node, args: Node | null = null;
  if (node.kind === "BoundGenericFunction") [entity, args] = node.children;
  const local = words.named === true && entity.children[1]?.kind === "LocalDeclName";
  const manyWords = local || (words.extra?.includes(" ") ?? false);
  if (asContext && (shown !== "none" || manyWords)) return entity;

  let later: Node | null = null;
  const context = need(entity.children[0]);
  if (manyWords) {
    later = context;
  } else {
    const { length } = p.text;
    later = p.print(context, depth + 1, true);
    if (p.text.length !== length) p.say(".");
  }
  printName(p, entity, depth, manyWords, words);
  if (shown !== "none") printShownType(p, entity, args, depth, shown, manyWords);
  if (asContext || later === null) return later;
  p.say(initializers.has(entity.kind) ? " of " : " in ");
  p.print(later, depth + 1);
  return null;
}

function printName(
  p: Printer,
  entity: Node,
  depth: number,
  manyWords: boolean,
  { named = false, name = "", extra = "", index }: EntityWords,
): void {
  const besides = `${extra}${index ?? ""}`;
  if (!named && name === "") {
    p.say(besides);
    return;
  }
  const first = manyWords && extra !== "";
  if (first) p.say(besides, " of ");
  const { length } = p.text;
  if (name !== "") {
    p.say(name);
  } else {
    const own = need(entity.children[1]);
    if (own.kind !== "PrivateDeclName") p.print(own, depth + 1);
    const hidden = childOf(entity, "PrivateDeclName");
    if (hidden) p.print(hidden, depth + 1);
  }
  if (first || extra === "") return;
  if (p.text.length !== length) p.say(".");
  p.say(besides);
}

function printShownType(
  p: Printer,
  entity: Node,
  args: Node | null,
  depth: number,
  shown: TypeShown,
  manyWords: boolean,
): void {
  const type = need(need(childOf(entity, "Type")).children[0]);
  let callee = type;
  while (callee.kind === "DependentGenericType") callee = need(callee.children[1].children[0]);
  if (shown === "colon" || !functionKinds.has(callee.kind)) {
    if (p.simplified) return;
    p.say(" : ");
  } else if (manyWords || needsSpace(type)) {
    p.say(" ");
  }
  printType(p, entity, type, args, depth);
}

function printType(p: Printer, entity: Node, type: Node, args: Node | null, depth: number): void {
  const labels = childOf(entity, "LabelList");
  if (!labels && !args) {
    p.print(type, depth + 1);
    return;
  }
  if (args) {
    p.say("<");
    p.children(args, depth, ", ");
    p.say(">");
  }
  if (type.kind === "DependentGenericType") {
    const [signature, inner] = type.children;
    if (!args) p.print(signature, depth + 1);
    if (needsSpace(inner)) p.say(" ");
    type = need(inner.children[0]);
  }
  printFunctionType(p, labels, type, depth);
}

/** Whether a space is needed before a type. A type that begins with a bracket needs none. */
export function needsSpace(type: Node): boolean {
  if (type.kind === "Type") return needsSpace(type.children[0] ?? fail());
  return !["FunctionType", "NoEscapeFunctionType", "UncurriedFunctionType", "DependentGenericType"]
    .includes(type.kind);
}
