/** Types: nominal and bound, builtin, tuples and packs, metatypes, protocol compositions, boxes. */

import {
  boundKinds,
  declNames,
  fail,
  need,
  type Node,
  nominals,
  requirements,
  withoutArguments,
} from "./node.ts";
import { popFunctionType } from "./functions.ts";
import type { State } from "./state.ts";
import { builtinTypes, metatypeRepresentations } from "./tables.ts";

/** Maximum nesting of declarations. */
const deepest = 512;

/** The largest builtin integer, in bits. */
const widest = 4096;

/** The declaration of a type: its name and its context. */
export function nominal(s: State, kind: string): Node {
  const name = s.pop(declNames);
  return s.substitutable(s.type(s.node(kind, s.popContext(), name)));
}

/** `B`. */
export function builtinType(s: State): Node {
  const letter = s.next();
  const name = (text: string) => s.type(s.leaf("BuiltinTypeName", `Builtin.${text}`));
  if (letter in builtinTypes) return name(builtinTypes[letter]);
  if (letter === "T") return s.type(s.node("BuiltinTupleType"));
  if (letter === "V") {
    const element = s.pop("Type");
    return s.type(s.node("BuiltinFixedArray", s.pop("Type"), element));
  }
  const size = s.number() - 1;
  if (size <= 0 || size > widest) fail();
  if (letter === "i") return name(`Int${size}`);
  if (letter === "f") return name(`FPIEEE${size}`);
  if (letter !== "v") fail();
  const element = need(s.popTypeChild().text);
  return element.startsWith("Builtin.") ? name(`Vec${size}x${element.slice(8)}`) : fail();
}

/** `t`. */
export function tuple(s: State): Node {
  return s.type(s.list(
    "Tuple",
    s.popList(() => {
      const variadic = s.pop("VariadicMarker");
      const label = s.pop("Identifier");
      const parts = [need(s.pop("Type"))];
      if (label) parts.unshift(s.leaf("TupleElementName", need(label.text)));
      if (variadic) parts.unshift(variadic);
      return s.list("TupleElement", parts);
    }),
  ));
}

/** A pack of types. */
export function pack(s: State, kind: string): Node {
  return s.type(s.list(kind, s.popList(() => s.pop("Type"))));
}

/** `E`: an extension: the extended type, the module, and the conditions. */
export function extension(s: State): Node {
  const signature = s.popSignature();
  const module = s.popModule();
  const type = s.popTypeChild();
  if (!nominals.has(type.kind)) fail();
  return signature
    ? s.node("Extension", module, type, signature)
    : s.node("Extension", module, type);
}

/** Generic arguments: one list for each declaration, the innermost first. */
export interface BoundGenerics {
  /** Nodes of kind `TypeList`. */
  readonly lists: readonly Node[];
  /** Conformances declared outside of the modules of both type and protocol. */
  readonly conformances: Node | null;
}

/** Pops generic arguments. */
export function popBoundGenerics(s: State): BoundGenerics {
  const conformances = popRetroactiveConformances(s);
  const lists: Node[] = [];
  do lists.push(s.list("TypeList", s.popTypes())); while (s.pop("FirstElementMarker"));
  if (!s.pop("EmptyList")) fail();
  return { lists, conformances };
}

/** Pops retroactive conformances, if there are any. */
export function popRetroactiveConformances(s: State): Node | null {
  const list: Node[] = [];
  for (let next; (next = s.pop("RetroactiveConformance"));) list.push(next);
  return list.length > 0 ? s.list("TypeList", list.reverse()) : null;
}

/** `G`. */
export function boundGenericType(s: State): Node {
  const { lists, conformances } = popBoundGenerics(s);
  const type = s.popTypeChild();
  if (!nominals.has(type.kind)) fail();
  const bound = bind(s, type, lists, 0, 0);
  if (conformances) bound.children.push(conformances);
  return s.substitutable(s.type(bound));
}

/** Binds arguments to a declaration and to its contexts. */
function bind(s: State, node: Node, lists: readonly Node[], at: number, depth: number): Node {
  if (at >= lists.length || depth > deepest || node.children.length === 0) fail();
  const takes = !withoutArguments.has(node.kind);
  const list = lists[at];
  const next = takes ? at + 1 : at;
  if (next < lists.length) {
    const context = node.children[0];
    let parent: Node;
    if (context.kind === "Extension") {
      const [module, type, ...signature] = context.children;
      parent = s.node("Extension", module, bind(s, need(type), lists, next, depth + 1));
      parent.children.push(...signature);
    } else {
      parent = bind(s, context, lists, next, depth + 1);
    }
    node = s.list(node.kind, [parent, ...node.children.slice(1)]);
  }
  if (!takes || list.children.length === 0) return node;
  if (node.kind === "Function" || node.kind === "Constructor") {
    return s.node("BoundGenericFunction", node, list);
  }
  return s.node(need(boundKinds[node.kind]), s.type(node), list);
}

/** Pops a protocol, as a type. */
export function popProtocol(s: State): Node {
  const type = s.pop("Type");
  if (type) return type.children[0]?.kind === "Protocol" ? type : fail();
  const name = s.pop(declNames);
  return s.type(s.node("Protocol", s.popContext(), name));
}

function popProtocolList(s: State): Node {
  return s.node("ProtocolList", s.list("TypeList", s.popList(() => popProtocol(s))));
}

/** `p`. */
export function protocolComposition(s: State): Node {
  return s.type(popProtocolList(s));
}

/** `X` and a letter: types that only wrap another. */
const wrappers: Readonly<Record<string, string>> = {
  o: "Unowned",
  u: "Unmanaged",
  w: "Weak",
  b: "SILBoxType",
  D: "DynamicSelf",
  p: "ExistentialMetatype",
};

/** `X` and a letter: function types. */
const functionKinds: Readonly<Record<string, string>> = {
  E: "NoEscapeFunctionType",
  A: "EscapingAutoClosureType",
  f: "ThinFunctionType",
  K: "AutoClosureType",
  U: "UncurriedFunctionType",
  L: "EscapingObjCBlock",
  B: "ObjCBlock",
  C: "CFunctionPointer",
};

/** `XS` and a letter: syntactic sugar, which debuggers keep. */
const sugared: Readonly<Record<string, string>> = {
  q: "SugaredOptional",
  a: "SugaredArray",
  p: "SugaredParen",
};

/** `X`. */
export function specialType(s: State): Node {
  const letter = s.next();
  if (letter in wrappers) return s.type(s.node(wrappers[letter], s.pop("Type")));
  if (letter in functionKinds) return popFunctionType(s, functionKinds[letter]);
  switch (letter) {
    case "z":
      return s.accept("B")
        ? popFunctionType(s, "ObjCBlock", true)
        : s.accept("C")
        ? popFunctionType(s, "CFunctionPointer", true)
        : fail();
    case "g":
    case "G": {
      const type = s.pop("Type");
      const signature = letter === "G" ? s.popSignature() : null;
      return signature
        ? s.node("ExtendedExistentialTypeShape", signature, type)
        : s.node("ExtendedExistentialTypeShape", type);
    }
    case "M":
    case "m": {
      const how = s.leaf("MetatypeRepresentation", need(metatypeRepresentations[s.next()]));
      return s.type(
        s.node(letter === "M" ? "Metatype" : "ExistentialMetatype", how, s.pop("Type")),
      );
    }
    case "P": {
      const list: Node[] = [];
      let first;
      do {
        first = s.pop("FirstElementMarker");
        list.push(need(s.pop(requirements)));
      } while (!first);
      const conditions = s.list("ConstrainedExistentialRequirementList", list.reverse());
      return s.type(s.node("ConstrainedExistential", s.pop("Type"), conditions));
    }
    case "c": {
      const superclass = s.pop("Type");
      return s.type(s.node("ProtocolListWithClass", popProtocolList(s), superclass));
    }
    case "l":
      return s.type(s.node("ProtocolListWithAnyObject", popProtocolList(s)));
    case "X":
    case "x":
      return box(s, letter === "X");
    case "Y":
      return nominal(s, "OtherNominalType");
    case "Z": {
      const types = s.popTypeList();
      const name = s.pop("Identifier");
      return s.node("AnonymousContext", name, s.popContext(), types);
    }
    case "e":
      return s.type(s.node("ErrorType"));
    case "S":
      return sugar(s);
    default:
      return fail();
  }
}

function sugar(s: State): Node {
  const letter = s.next();
  if (letter in sugared) return s.type(s.node(sugared[letter], s.pop("Type")));
  const kind = letter === "A"
    ? "SugaredInlineArray"
    : letter === "D"
    ? "SugaredDictionary"
    : fail();
  const second = s.pop("Type");
  return s.type(s.node(kind, s.pop("Type"), second));
}

/** A box of fields. Fields that are `inout` are mutable. */
function box(s: State, generic: boolean): Node {
  const signature = generic ? need(s.popSignature()) : null;
  const substitutions = generic ? s.popTypeList() : null;
  const fields = s.popTypeList().children.map((type) => {
    const inner = type.children[0];
    return inner.kind === "InOut"
      ? s.node("SILBoxMutableField", s.type(inner.children[0]))
      : s.node("SILBoxImmutableField", type);
  });
  const layout = s.list("SILBoxLayout", fields);
  return s.type(
    signature
      ? s.node("SILBoxTypeWithLayout", layout, signature, substitutions)
      : s.node("SILBoxTypeWithLayout", layout),
  );
}

/** `$`: an integer as a generic argument. */
export function integerType(s: State): Node {
  return s.type(
    s.accept("n") ? s.leaf("NegativeInteger", -s.number()) : s.leaf("Integer", s.number()),
  );
}
