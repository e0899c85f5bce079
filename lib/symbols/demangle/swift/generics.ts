/** Generic signatures and their requirements, associated and opaque types, conformances. */

import {
  conformances,
  dependentConformances,
  fail,
  need,
  type Node,
  requirements,
} from "./node.ts";
import type { State } from "./state.ts";
import { pack, popBoundGenerics, popProtocol } from "./types.ts";

/** Reads a reference to a generic parameter. */
export function genericParameter(s: State): Node {
  if (s.accept("d")) {
    const depth = s.number() + 1;
    return s.parameter(depth, s.number());
  }
  if (s.accept("z")) return s.parameter(0, 0);
  if (s.accept("s")) return s.node("ConstrainedExistentialSelf");
  return s.parameter(0, s.number() + 1);
}

/** `l` and `r`: a signature, with the number of parameters at each depth where it is not 1. */
export function genericSignature(s: State, hasCounts: boolean): Node {
  const counts: Node[] = [];
  const count = (value: number) => counts.push(s.leaf("DependentGenericParamCount", value));
  if (!hasCounts) count(1);
  else while (!s.accept("l")) count(s.accept("z") ? 0 : s.number() + 1);
  const list: Node[] = [];
  for (let next; (next = s.pop(requirements));) list.push(next);
  return s.list("DependentGenericSignature", [...counts, ...list.reverse()]);
}

type Constraint =
  | "marker"
  | "value"
  | "protocol"
  | "class"
  | "same"
  | "shape"
  | "layout"
  | "inverse";
type Subject = "parameter" | "simple" | "compound" | "substituted";

/** `R` and a letter: a requirement and its subject. Any other letter begins a generic parameter
 * that conforms to a protocol. */
const requirementLetters: Readonly<Record<string, readonly [Constraint, Subject]>> = {
  V: ["value", "parameter"],
  v: ["marker", "parameter"],
  c: ["class", "simple"],
  C: ["class", "compound"],
  b: ["class", "parameter"],
  B: ["class", "substituted"],
  t: ["same", "simple"],
  T: ["same", "compound"],
  s: ["same", "parameter"],
  S: ["same", "substituted"],
  m: ["layout", "simple"],
  M: ["layout", "compound"],
  l: ["layout", "parameter"],
  L: ["layout", "substituted"],
  p: ["protocol", "simple"],
  P: ["protocol", "compound"],
  Q: ["protocol", "substituted"],
  h: ["shape", "parameter"],
  i: ["inverse", "parameter"],
  I: ["inverse", "substituted"],
};

/** Layouts, with the number of numbers that follow each. */
const layouts: Readonly<Record<string, number>> = {
  U: 0,
  R: 0,
  N: 0,
  C: 0,
  D: 0,
  T: 0,
  B: 0,
  e: 1,
  m: 1,
  S: 1,
  E: 2,
  M: 2,
};

/** `R`. */
export function requirement(s: State): Node {
  const letter = s.peek();
  const known = letter !== "" && letter in requirementLetters;
  const [constraint, subjectKind] = known
    ? requirementLetters[s.next()]
    : ["protocol", "parameter"] as const;
  const inverse = constraint === "inverse" ? s.numberNode() : null;
  const subject = requirementSubject(s, subjectKind);
  switch (constraint) {
    case "marker":
      return s.node("DependentGenericParamPackMarker", subject);
    case "value":
      return s.node("DependentGenericParamValueMarker", subject, s.pop("Type"));
    case "protocol":
      return s.node("DependentGenericConformanceRequirement", subject, popProtocol(s));
    case "class":
      return s.node("DependentGenericConformanceRequirement", subject, s.pop("Type"));
    case "inverse":
      return s.node("DependentGenericInverseConformanceRequirement", subject, inverse);
    case "same":
      return s.node("DependentGenericSameTypeRequirement", subject, s.pop("Type"));
    case "shape":
      return s.node("DependentGenericSameShapeRequirement", subject, s.pop("Type"));
    case "layout": {
      const layout = s.leaf("Identifier", s.next());
      const numbers = Array.from({ length: need(layouts[layout.text!]) }, () => s.numberNode());
      return s.node("DependentGenericLayoutRequirement", subject, layout, ...numbers);
    }
  }
}

function requirementSubject(s: State, kind: Subject): Node {
  switch (kind) {
    case "parameter":
      return s.type(genericParameter(s));
    case "simple":
      return s.substitutable(associatedType(s, genericParameter(s)));
    case "compound":
      return s.substitutable(associatedTypes(s, genericParameter(s)));
    case "substituted":
      return need(s.pop("Type"));
  }
}

/** Pops the name of an associated type, with its protocol if there is one. */
export function popAssociatedName(s: State): Node {
  const protocol = s.pop("Type");
  if (protocol && protocol.children[0]?.kind !== "Protocol") fail();
  const name = s.pop("Identifier");
  return protocol
    ? s.node("DependentAssociatedTypeRef", name, protocol)
    : s.node("DependentAssociatedTypeRef", name);
}

/** Pops the names of nested associated types. */
export function popAssociatedPath(s: State): Node {
  const names: Node[] = [];
  let first;
  do {
    first = s.pop("FirstElementMarker");
    names.push(popAssociatedName(s));
  } while (!first);
  return s.list("AssocTypePath", names.reverse());
}

function associatedType(s: State, base: Node | null): Node {
  const name = popAssociatedName(s);
  return s.type(s.node("DependentMemberType", base ? s.type(base) : s.pop("Type"), name));
}

function associatedTypes(s: State, base: Node | null): Node {
  const path = popAssociatedPath(s);
  let type = base ? s.type(base) : need(s.pop("Type"));
  for (const name of path.children) type = s.type(s.node("DependentMemberType", type, name));
  return type;
}

/** `Q`: associated types, opaque types, packs. */
export function archetype(s: State): Node {
  const letter = s.next();
  switch (letter) {
    case "a": {
      const name = s.pop("Identifier");
      return s.substitutable(s.type(s.node("AssociatedTypeRef", s.popTypeChild(), name)));
    }
    case "O":
      return s.node("OpaqueReturnTypeOf", s.popContext());
    case "o": {
      const index = s.leaf("Index", s.number());
      const { lists, conformances } = popBoundGenerics(s);
      const of = s.node("OpaqueType", s.pop(), index, s.list("TypeList", lists.toReversed()));
      if (conformances) of.children.push(conformances);
      return s.substitutable(s.type(of));
    }
    case "r":
      return s.type(s.node("OpaqueReturnType"));
    case "R":
      return s.type(s.node("OpaqueReturnType", s.leaf("OpaqueReturnTypeIndex", s.number())));
    case "x":
      return s.substitutable(associatedType(s, null));
    case "X":
      return s.substitutable(associatedTypes(s, null));
    case "y":
      return s.substitutable(associatedType(s, genericParameter(s)));
    case "Y":
      return s.substitutable(associatedTypes(s, genericParameter(s)));
    case "z":
      return s.substitutable(associatedType(s, s.parameter(0, 0)));
    case "Z":
      return s.substitutable(associatedTypes(s, s.parameter(0, 0)));
    case "p": {
      const count = s.popTypeChild();
      return s.type(s.node("PackExpansion", s.popTypeChild(), count));
    }
    case "e": {
      const element = s.popTypeChild();
      return s.type(s.node("PackElement", element, s.leaf("PackElementLevel", s.number())));
    }
    case "P":
      return pack(s, "Pack");
    case "S":
      return pack(s, s.accept("d") ? "SILPackDirect" : s.accept("i") ? "SILPackIndirect" : fail());
    default:
      return fail();
  }
}

/** Pops the conformance of a type to a protocol, in the module that declares it. */
export function popConformance(s: State): Node {
  const signature = s.popSignature();
  const module = s.popModule();
  const protocol = popProtocol(s);
  let type = s.pop("Type"), behavior: Node | null = null;
  if (!type) {
    behavior = s.pop("Identifier");
    type = s.pop("Type");
  }
  const node = s.node("ProtocolConformance", s.generic(signature, type), protocol, module);
  if (behavior) node.children.push(behavior);
  return node;
}

/** `g`. */
export function retroactiveConformance(s: State): Node {
  const index = s.numberNode();
  return s.node("RetroactiveConformance", index, s.pop(conformances));
}

function popConformances(s: State): Node {
  return s.list("AnyProtocolConformanceList", s.popList(() => s.pop(conformances)));
}

/** A conformance index. It is off by one for compatibility with an old mistake, and 1 when unknown.
 */
function conformanceIndex(s: State): Node {
  const index = s.number();
  if (index === 0) fail();
  return index === 1 ? s.node("UnknownIndex") : s.leaf("Index", index - 2);
}

/** `HC`. */
function concreteConformance(s: State): Node {
  const conditions = popConformances(s);
  let reference = s.pop("ProtocolConformanceRefInTypeModule") ??
    s.pop("ProtocolConformanceRefInProtocolModule");
  if (!reference) {
    const module = s.popModule();
    reference = s.node("ProtocolConformanceRefInOtherModule", popProtocol(s), module);
  }
  return s.node("ConcreteProtocolConformance", s.pop("Type"), reference, conditions);
}

/** `H`: conformances as values, and the records that the runtime looks up. */
export function conformanceOperator(s: State): Node {
  switch (s.next()) {
    case "A": {
      const index = conformanceIndex(s);
      const protocol = popProtocol(s);
      const associated = s.node("DependentAssociatedConformance", s.pop("Type"), protocol);
      const nested = s.pop(dependentConformances);
      return s.node("DependentProtocolConformanceAssociated", nested, associated, index);
    }
    case "C":
      return concreteConformance(s);
    case "D": {
      const index = conformanceIndex(s);
      const protocol = popProtocol(s);
      return s.node("DependentProtocolConformanceRoot", s.pop("Type"), protocol, index);
    }
    case "I": {
      const index = conformanceIndex(s);
      const protocol = popProtocol(s);
      const nested = s.pop(dependentConformances);
      return s.node("DependentProtocolConformanceInherited", nested, protocol, index);
    }
    case "O": {
      const type = s.pop("Type");
      return s.node("DependentProtocolConformanceOpaque", s.pop(dependentConformances), type);
    }
    case "P":
      return s.node("ProtocolConformanceRefInTypeModule", popProtocol(s));
    case "p":
      return s.node("ProtocolConformanceRefInProtocolModule", popProtocol(s));
    case "X":
      return s.node("PackProtocolConformance", popConformances(s));
    case "c":
      return s.node("ProtocolConformanceDescriptorRecord", popConformance(s));
    case "n":
      return s.node("NominalTypeDescriptorRecord", s.pop("Type"));
    case "o":
      return s.node("OpaqueTypeDescriptorRecord", s.pop());
    case "r":
      return s.node("ProtocolDescriptorRecord", popProtocol(s));
    case "F":
      return s.node("AccessibleFunctionRecord");
    default:
      return fail();
  }
}
