/** Types in the old mangling. */

import { boundKinds, fail, need, type Node } from "./node.ts";
import { demangleOldContext, oldDeclName } from "./old_entities.ts";
import { oldImplFunctionType } from "./old_functions.ts";
import type { OldState } from "./old_state.ts";
import { builtinTypes, metatypeRepresentations } from "./tables.ts";

/** A type. */
export function demangleOldType(s: OldState): Node {
  return s.type(s.nested(bareType));
}

/** Letters of types that wrap one other type. */
const wrappers: Readonly<Record<string, string>> = {
  D: "DynamicSelf",
  M: "Metatype",
  PM: "ExistentialMetatype",
  Xb: "SILBoxType",
  Xo: "Unowned",
  Xu: "Unmanaged",
  Xw: "Weak",
};

/** Letters of function types. */
const functionKinds: Readonly<Record<string, string>> = {
  b: "ObjCBlock",
  c: "CFunctionPointer",
  F: "FunctionType",
  f: "UncurriedFunctionType",
  K: "AutoClosureType",
  Xf: "ThinFunctionType",
};

/** Letters of types that wrap a node which is not a type. */
const modifiers: Readonly<Record<string, string>> = { R: "InOut", k: "NoDerivative" };

const nominalKinds: Readonly<Record<string, string>> = {
  V: "Structure",
  O: "Enum",
  C: "Class",
  P: "Protocol",
};

function bareType(s: OldState): Node {
  let letter = s.next();
  if (letter === "") fail();
  if (letter === "X" || (letter === "P" && s.peek() === "M")) letter += s.next();
  if (letter in wrappers) return s.node(wrappers[letter], demangleOldType(s));
  if (letter in functionKinds) return functionType(s, functionKinds[letter]);
  if (letter in modifiers) return s.node(modifiers[letter], s.nested(bareType));
  if (letter !== "P" && letter in nominalKinds) return declared(s, nominalKinds[letter]);
  switch (letter) {
    case "B":
      return builtin(s);
    case "a":
      return declared(s, "TypeAlias");
    case "E":
      return s.accept("RR") ? s.node("ErrorType") : fail();
    case "G":
      return oldBoundGeneric(s);
    case "XB":
      return box(s);
    case "XM":
      return represented(s, "Metatype");
    case "XP":
      return s.accept("M") ? represented(s, "ExistentialMetatype") : protocolList(s);
    case "P":
      return protocolList(s);
    case "Q":
      if (s.accept("u")) return s.node("OpaqueReturnType");
      if (s.accept("U")) {
        return s.node("OpaqueReturnType", s.leaf("OpaqueReturnTypeIndex", s.number()));
      }
      return archetype(s);
    case "q":
      return dependentType(s);
    case "x":
      return s.parameter(0, 0);
    case "w":
      return associatedType(s);
    case "W":
      return associatedTypes(s);
    case "S":
      return s.substitution();
    case "T":
      return tuple(s, false);
    case "t":
      return tuple(s, true);
    case "u": {
      const signature = oldSignature(s);
      return s.node("DependentGenericType", signature, demangleOldType(s));
    }
    case "XF":
      return oldImplFunctionType(s);
    default:
      return fail();
  }
}

/** The size of a builtin type, with its `_`. */
function size(s: OldState): number {
  const value = need(s.natural());
  return s.accept("_") ? value : fail();
}

function builtin(s: OldState): Node {
  const name = (text: string) => s.leaf("BuiltinTypeName", `Builtin.${text}`);
  if (s.accept("f")) return name(`FPIEEE${size(s)}`);
  if (s.accept("i")) return name(`Int${size(s)}`);
  if (s.accept("v")) {
    const vector = `Vec${need(s.natural())}x`;
    if (s.accept("Bi")) return name(`${vector}Int${size(s)}`);
    if (s.accept("Bf")) return name(`${vector}FPIEEE${size(s)}`);
    return s.accept("Bp") ? name(`${vector}RawPointer`) : fail();
  }
  return /^[bBOoptw]$/.test(s.peek()) ? name(builtinTypes[s.next()]) : fail();
}

/** The declaration of a type: its context and its name. */
function declared(s: OldState, kind: string): Node {
  const context = demangleOldContext(s);
  return s.substitutable(s.node(kind, context, oldDeclName(s)));
}

/** A type's declaration, or a substitution. */
export function oldNominal(s: OldState): Node {
  if (s.accept("S")) return s.substitution();
  const letter = s.next();
  return letter !== "" && letter in nominalKinds ? declared(s, nominalKinds[letter]) : fail();
}

/** A protocol, as a type. */
export function oldProtocol(s: OldState): Node {
  return s.type(s.nested(bareProtocol));
}

function protocolIn(s: OldState, module: Node): Node {
  return s.substitutable(s.node("Protocol", module, oldDeclName(s)));
}

function bareProtocol(s: OldState): Node {
  if (s.accept("S")) {
    const node = s.substitution();
    if (node.kind === "Protocol") return node;
    return node.kind === "Module" ? protocolIn(s, node) : fail();
  }
  return s.accept("s") ? protocolIn(s, s.leaf("Module", "Swift")) : declared(s, "Protocol");
}

function protocolList(s: OldState): Node {
  return s.node("ProtocolList", s.list("TypeList", s.until(oldProtocol)));
}

/** A type with the generic arguments of its contexts and of itself, the outermost first. */
export function oldBoundGeneric(s: OldState): Node {
  return bind(s, oldNominal(s));
}

function bind(s: OldState, node: Node): Node {
  const parent = need(node.children[0]);
  if (!["Module", "Function", "Extension"].includes(parent.kind)) {
    const bound = s.nested(() => bind(s, parent));
    node = s.list(node.kind, [bound, ...node.children.slice(1)]);
  }
  const args = s.list("TypeList", s.until(demangleOldType));
  if (args.children.length === 0) return node;
  const kind = /^(Class|Structure|Enum)$/.test(node.kind) ? boundKinds[node.kind] : fail();
  return s.node(kind, s.type(node), args);
}

function represented(s: OldState, kind: string): Node {
  const how = s.leaf("MetatypeRepresentation", need(metatypeRepresentations[s.next()]));
  return s.node(kind, how, demangleOldType(s));
}

function box(s: OldState): Node {
  const signature = s.accept("G") ? oldSignature(s) : null;
  const layout = s.list(
    "SILBoxLayout",
    s.until(() => {
      const kind = s.accept("m")
        ? "SILBoxMutableField"
        : s.accept("i")
        ? "SILBoxImmutableField"
        : fail();
      return s.node(kind, demangleOldType(s));
    }),
  );
  if (!signature) return s.node("SILBoxTypeWithLayout", layout);
  const args = s.list("TypeList", s.until(demangleOldType));
  return s.node("SILBoxTypeWithLayout", layout, signature, args);
}

function tuple(s: OldState, variadic: boolean): Node {
  const elements = s.until(() => {
    const label = /^[0-9o]$/.test(s.peek()) ? [s.identifier("TupleElementName")] : [];
    return s.node("TupleElement", ...label, demangleOldType(s));
  });
  if (variadic) elements.at(-1)?.children.unshift(s.node("VariadicMarker"));
  return s.list("Tuple", elements);
}

function functionType(s: OldState, kind: string): Node {
  const parts: Node[] = [];
  if (s.accept("z")) parts.push(s.node("ThrowsAnnotation"));
  if (s.accept("y")) parts.push(s.node("ConcurrentFunctionType"));
  if (s.accept("Z")) parts.push(s.node("AsyncAnnotation"));
  if (s.accept("D")) parts.push(s.leaf("DifferentiableFunctionType", s.next()));
  if (s.accept("Y")) parts.push(s.node("GlobalActorFunctionType", demangleOldType(s)));
  const parameters = s.node("ArgumentTuple", demangleOldType(s));
  return s.list(kind, [...parts, parameters, s.node("ReturnType", demangleOldType(s))]);
}

function genericParameter(s: OldState): Node {
  if (s.accept("d")) {
    const depth = s.number() + 1;
    return s.parameter(depth, s.number());
  }
  return s.accept("x") ? s.parameter(0, 0) : s.parameter(0, s.number() + 1);
}

/** An associated type of `base`. */
function memberType(s: OldState, base: Node): Node {
  let name: Node;
  if (s.accept("S")) {
    name = s.substitution();
    if (name.kind !== "DependentAssociatedTypeRef") fail();
  } else {
    const protocol = s.accept("P") ? [oldProtocol(s)] : [];
    name = s.substitutable(s.node("DependentAssociatedTypeRef", s.identifier(), ...protocol));
  }
  return s.node("DependentMemberType", base, name);
}

function associatedType(s: OldState): Node {
  return memberType(s, s.type(genericParameter(s)));
}

function associatedTypes(s: OldState): Node {
  let base = genericParameter(s);
  while (!s.accept("_")) base = memberType(s, s.type(base));
  return base;
}

function dependentType(s: OldState): Node {
  return /^[d_0-9]$/.test(s.peek()) ? genericParameter(s) : memberType(s, demangleOldType(s));
}

function archetype(s: OldState): Node {
  const of = s.accept("Q")
    ? s.nested(archetype)
    : s.accept("S")
    ? s.substitution()
    : s.accept("s")
    ? s.leaf("Module", "Swift")
    : fail();
  return s.substitutable(s.node("AssociatedTypeRef", of, s.identifier()));
}

/** A generic signature: the number of parameters at each depth, then requirements. */
export function oldSignature(s: OldState, kind = "DependentGenericSignature"): Node {
  const parts: Node[] = [];
  while (!/^[Rr]$/.test(s.peek())) {
    parts.push(s.leaf("DependentGenericParamCount", s.accept("z") ? 0 : s.number() + 1));
  }
  if (parts.length === 0) parts.push(s.leaf("DependentGenericParamCount", 1));
  if (s.accept("R")) { while (!s.accept("r")) parts.push(requirement(s)); }
  else s.next();
  return s.list(kind, parts);
}

/** Layouts by the number of numbers that follow. */
const layouts: Readonly<Record<string, number>> = {
  U: 0,
  R: 0,
  N: 0,
  T: 0,
  B: 0,
  e: 1,
  m: 1,
  S: 1,
  E: 2,
  M: 2,
};

function requirement(s: OldState): Node {
  const subject = s.type(
    s.accept("w") ? associatedType(s) : s.accept("W") ? associatedTypes(s) : genericParameter(s),
  );
  if (s.accept("z")) {
    return s.node("DependentGenericSameTypeRequirement", subject, demangleOldType(s));
  }
  if (s.accept("l")) {
    const letter = s.next();
    const numbers = Array.from({ length: need(layouts[letter]) }, (_, index) => {
      if (index > 0 && !s.accept("_")) fail();
      return s.leaf("Number", need(s.natural()));
    });
    const layout = s.leaf("Identifier", letter);
    return s.node("DependentGenericLayoutRequirement", subject, layout, ...numbers);
  }
  return s.node("DependentGenericConformanceRequirement", subject, constraint(s));
}

/** A class or a protocol. A substitution may be either, or the module of a protocol. */
function constraint(s: OldState): Node {
  if (s.peek() === "C") return demangleOldType(s);
  if (!s.accept("S")) return oldProtocol(s);
  const node = s.substitution();
  if (node.kind === "Protocol" || node.kind === "Class") return s.type(node);
  return node.kind === "Module" ? s.type(protocolIn(s, node)) : fail();
}
