/** Functions, variables, subscripts, accessors, closures, initializers and macros. */

import { declNames, fail, need, type Node } from "./node.ts";
import { popFunctionType, popLabels } from "./functions.ts";
import type { State } from "./state.ts";
import { accessors } from "./tables.ts";

/** A declaration in a context, with its labels if it takes arguments. */
function declaration(s: State, kind: string, type: Node | null, labels: Node | null): Node {
  const name = s.pop(declNames);
  const context = s.popContext();
  return labels ? s.node(kind, context, name, labels, type) : s.node(kind, context, name, type);
}

/** `F`. */
export function plainFunction(s: State): Node {
  const signature = s.popSignature();
  const type = popFunctionType(s, "FunctionType");
  const labels = popLabels(s, type);
  return declaration(s, "Function", s.generic(signature, type), labels);
}

function typedEntity(s: State, kind: string): Node {
  const type = s.pop("Type");
  return declaration(s, kind, type, popLabels(s, type));
}

/** The accessor; for `p`, the variable or subscript itself. */
function accessor(s: State, storage: Node): Node {
  let letter = s.next();
  if (letter === "p") return storage;
  if (letter === "a" || letter === "l") letter += s.next();
  return s.node(need(accessors[letter]), storage);
}

/** `v`. */
export function variable(s: State): Node {
  return accessor(s, typedEntity(s, "Variable"));
}

/** `i`. */
export function subscript(s: State): Node {
  const privateName = s.pop("PrivateDeclName");
  const type = s.pop("Type");
  const labels = popLabels(s, type);
  const node = s.node("Subscript", s.popContext());
  if (labels) node.children.push(labels);
  node.children.push(need(type));
  if (privateName) node.children.push(privateName);
  return accessor(s, node);
}

/** `f` and a letter: functions that exist once per context. */
const functionsOfContext: Readonly<Record<string, string>> = {
  D: "Deallocator",
  d: "Destructor",
  Z: "IsolatedDeallocator",
  E: "IVarDestroyer",
  e: "IVarInitializer",
  i: "Initializer",
  P: "PropertyWrapperBackingInitializer",
  F: "PropertyWrappedFieldInitAccessor",
  W: "PropertyWrapperInitFromProjectedValue",
};

/** `f`. */
export function functionEntity(s: State): Node {
  const letter = s.next();
  if (letter in functionsOfContext) return s.node(functionsOfContext[letter], s.popContext());
  switch (letter) {
    case "C":
    case "c": {
      const privateName = s.pop("PrivateDeclName");
      const type = s.pop("Type");
      const labels = popLabels(s, type);
      const node = s.node(letter === "C" ? "Allocator" : "Constructor", s.popContext());
      if (labels) node.children.push(labels);
      node.children.push(need(type));
      if (privateName) node.children.push(privateName);
      return node;
    }
    case "U":
    case "u": {
      const index = s.numberNode();
      const type = s.pop("Type");
      return s.node(
        letter === "U" ? "ExplicitClosure" : "ImplicitClosure",
        s.popContext(),
        index,
        type,
      );
    }
    case "A": {
      const index = s.numberNode();
      return s.node("DefaultArgumentInitializer", s.popContext(), index);
    }
    case "m":
      return typedEntity(s, "Macro");
    case "p":
      return typedEntity(s, "GenericTypeParamDecl");
    case "M":
      return macroExpansion(s);
    default:
      return fail();
  }
}

/** `fM` and a letter: the role of an attached macro. */
const attachedMacros: Readonly<Record<string, string>> = {
  a: "AccessorAttachedMacroExpansion",
  r: "MemberAttributeAttachedMacroExpansion",
  m: "MemberAttachedMacroExpansion",
  p: "PeerAttachedMacroExpansion",
  c: "ConformanceAttachedMacroExpansion",
  e: "ExtensionAttachedMacroExpansion",
  q: "PreambleAttachedMacroExpansion",
  b: "BodyAttachedMacroExpansion",
};

/** Macro expansions that can contain others. */
const expansions: ReadonlySet<string> = new Set([
  ...Object.values(attachedMacros).filter((kind) => !/^(Preamble|Body)/.test(kind)),
  "FreestandingMacroExpansion",
  "MacroExpansionLoc",
]);

function macroExpansion(s: State): Node {
  const letter = s.next();
  if (letter === "X") {
    const line = s.leaf("Index", s.number());
    const column = s.leaf("Index", s.number());
    const buffer = s.pop("Identifier");
    return s.node("MacroExpansionLoc", s.pop("Identifier"), buffer, line, column);
  }
  const attached = letter in attachedMacros;
  const kind = attached
    ? attachedMacros[letter]
    : letter === "f"
    ? "FreestandingMacroExpansion"
    : letter === "u"
    ? "MacroExpansionUniqueName"
    : fail();
  const macro = s.pop("Identifier");
  const discriminator = letter === "f" ? s.pop("PrivateDeclName") : null;
  const attachedTo = attached ? s.pop(declNames) : null;
  const context = s.pop(expansions) ?? s.popContext();
  const index = s.numberNode();
  const node = attachedTo
    ? s.node(kind, context, attachedTo, macro, index)
    : s.node(kind, context, macro, index);
  if (discriminator) node.children.push(discriminator);
  return node;
}
