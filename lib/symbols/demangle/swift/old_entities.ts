/** Declarations in the old mangling. */

import { fail, type Node } from "./node.ts";
import type { OldState } from "./old_state.ts";
import { demangleOldType, oldBoundGeneric, oldNominal, oldSignature } from "./old_types.ts";
import { accessors } from "./tables.ts";

/** A name; `L`: local; `P`: private. */
export function oldDeclName(s: OldState): Node {
  if (s.accept("L")) {
    const index = s.leaf("Number", s.number());
    return s.node("LocalDeclName", index, s.identifier());
  }
  if (s.accept("P")) {
    const discriminator = s.identifier();
    return s.node("PrivateDeclName", discriminator, s.identifier());
  }
  return s.identifier();
}

/** The context of a declaration. */
export function demangleOldContext(s: OldState): Node {
  return s.nested(context);
}

function context(s: OldState): Node {
  if (s.accept("E")) {
    const module = s.module();
    return s.node("Extension", module, demangleOldContext(s));
  }
  if (s.accept("e")) {
    const module = s.module();
    const signature = oldSignature(s);
    return s.node("Extension", module, demangleOldContext(s), signature);
  }
  if (s.accept("S")) return s.substitution();
  if (s.accept("s")) return s.leaf("Module", "Swift");
  if (s.accept("G")) return oldBoundGeneric(s);
  return /^[FIvPsZCVO]$/.test(s.peek()) ? demangleOldEntity(s) : s.module();
}

const basicKinds: Readonly<Record<string, string>> = {
  F: "Function",
  v: "Variable",
  I: "Initializer",
  i: "Subscript",
};

/** Entities that exist once per context, and whether they have a type. */
const nameless: Readonly<Record<string, readonly [kind: string, typed: boolean]>> = {
  D: ["Deallocator", false],
  Z: ["IsolatedDeallocator", false],
  d: ["Destructor", false],
  e: ["IVarInitializer", false],
  E: ["IVarDestroyer", false],
  C: ["Allocator", true],
  c: ["Constructor", true],
};

/** Accessors by letter, the same as in the new mangling with one exception. */
const oldAccessors: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    Object.entries(accessors).filter(([letters]) => /^([gGsmwWrM]|a[Oou]|l.)$/.test(letters)),
  ),
  ap: "NativePinningMutableAddressor",
};

/** A function, a variable, …, or a type. */
export function demangleOldEntity(s: OldState): Node {
  return s.nested(entity);
}

function entity(s: OldState): Node {
  const isStatic = s.accept("Z");
  if (!(s.peek() in basicKinds) || s.peek() === "") return oldNominal(s);
  const basic = basicKinds[s.next()];
  const node = member(s, basic, demangleOldContext(s));
  return isStatic ? s.node("Static", node) : node;
}

function member(s: OldState, basic: string, context: Node): Node {
  const letter = s.peek();
  if (letter in nameless && letter !== "") {
    const [kind, typed] = nameless[s.next()];
    return typed ? s.node(kind, context, demangleOldType(s)) : s.node(kind, context);
  }
  for (const [letters, kind] of Object.entries(oldAccessors)) {
    if (s.accept(letters)) return s.node(kind, storage(s, context));
  }
  if (s.accept("U")) return closure(s, "ExplicitClosure", context);
  if (s.accept("u")) return closure(s, "ImplicitClosure", context);
  if (basic === "Initializer") {
    if (s.accept("i")) return s.node("Initializer", context);
    if (!s.accept("A")) fail();
    return s.node("DefaultArgumentInitializer", context, s.leaf("Number", s.number()));
  }
  const name = oldDeclName(s);
  return s.node(basic, context, name, demangleOldType(s));
}

function closure(s: OldState, kind: string, context: Node): Node {
  const index = s.leaf("Number", s.number());
  return s.node(kind, context, index, demangleOldType(s));
}

/** A variable, or a subscript, which has the name `subscript` here. */
function storage(s: OldState, context: Node): Node {
  const name = oldDeclName(s);
  const type = demangleOldType(s);
  const own = name.kind === "PrivateDeclName" ? name.children[1] : name;
  if (own.text !== "subscript") return s.node("Variable", context, name, type);
  return own === name
    ? s.node("Subscript", context, type)
    : s.node("Subscript", context, type, s.node("PrivateDeclName", name.children[0]));
}
