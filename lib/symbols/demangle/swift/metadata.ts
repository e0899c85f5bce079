/** `M` and `W`: metadata of types and conformances for the runtime. */

import { declNames, fail, need, type Node, nominals } from "./node.ts";
import { popAssociatedPath, popConformance } from "./generics.ts";
import type { State } from "./state.ts";
import { valueWitnesses } from "./tables.ts";
import { differentiabilityWitness } from "./thunks.ts";
import { popProtocol } from "./types.ts";

type Operand = "type" | "conformance" | "protocol" | "entity" | "any";

function popOperand(s: State, operand: Operand): Node | null {
  switch (operand) {
    case "type":
      return s.pop("Type");
    case "conformance":
      return popConformance(s);
    case "protocol":
      return popProtocol(s);
    case "entity":
      return s.popEntity();
    case "any":
      return s.pop();
  }
}

type Letters = Readonly<Record<string, readonly [kind: string, operand: Operand]>>;

const metadata: Letters = {
  a: ["TypeMetadataAccessFunction", "type"],
  A: ["ReflectionMetadataAssocTypeDescriptor", "conformance"],
  b: ["CanonicalSpecializedGenericTypeMetadataAccessFunction", "type"],
  B: ["ReflectionMetadataBuiltinDescriptor", "type"],
  c: ["ProtocolConformanceDescriptor", "conformance"],
  D: ["TypeMetadataDemanglingCache", "type"],
  f: ["FullTypeMetadata", "type"],
  F: ["ReflectionMetadataFieldDescriptor", "type"],
  g: ["OpaqueTypeDescriptorAccessor", "any"],
  h: ["OpaqueTypeDescriptorAccessorImpl", "any"],
  i: ["TypeMetadataInstantiationFunction", "type"],
  I: ["TypeMetadataInstantiationCache", "type"],
  j: ["OpaqueTypeDescriptorAccessorKey", "any"],
  J: ["NoncanonicalSpecializedGenericTypeMetadataCache", "any"],
  k: ["OpaqueTypeDescriptorAccessorVar", "any"],
  K: ["MetadataInstantiationCache", "any"],
  l: ["TypeMetadataSingletonInitializationCache", "type"],
  L: ["TypeMetadataLazyCache", "type"],
  m: ["Metaclass", "type"],
  M: ["CanonicalSpecializedGenericMetaclass", "type"],
  n: ["NominalTypeDescriptor", "type"],
  N: ["NoncanonicalSpecializedGenericTypeMetadata", "type"],
  o: ["ClassMetadataBaseOffset", "type"],
  p: ["ProtocolDescriptor", "protocol"],
  P: ["GenericTypeMetadataPattern", "type"],
  q: ["Uniquable", "any"],
  Q: ["OpaqueTypeDescriptor", "any"],
  r: ["TypeMetadataCompletionFunction", "type"],
  s: ["ObjCResilientClassStub", "type"],
  S: ["ProtocolSelfConformanceDescriptor", "protocol"],
  t: ["FullObjCResilientClassStub", "type"],
  u: ["MethodLookupFunction", "type"],
  U: ["ObjCMetadataUpdateFunction", "type"],
  V: ["PropertyDescriptor", "entity"],
  z: ["CanonicalPrespecializedGenericTypeCachingOnceToken", "type"],
};

/** `M`. */
export function metadataOperator(s: State): Node {
  const letter = s.next();
  if (letter in metadata) return s.node(metadata[letter][0], popOperand(s, metadata[letter][1]));
  if (letter === "C") {
    const type = s.popTypeChild();
    return nominals.has(type.kind)
      ? s.node("ReflectionMetadataSuperclassDescriptor", type)
      : fail();
  }
  return letter === "X" ? contextDescriptor(s) : fail();
}

/** `MX`: descriptors of contexts without a name. */
function contextDescriptor(s: State): Node {
  switch (s.next()) {
    case "E":
      return s.node("ExtensionDescriptor", s.popContext());
    case "M":
      return s.node("ModuleDescriptor", s.popModule());
    case "Y": {
      const discriminator = s.pop();
      return s.node("AnonymousDescriptor", s.popContext(), discriminator);
    }
    case "X":
      return s.node("AnonymousDescriptor", s.popContext());
    case "A": {
      const path = popAssociatedPath(s);
      return s.node("AssociatedTypeGenericParamRef", s.pop("Type"), path);
    }
    default:
      return fail();
  }
}

const witnesses: Letters = {
  C: ["EnumCase", "entity"],
  V: ["ValueWitnessTable", "type"],
  S: ["ProtocolSelfConformanceWitnessTable", "protocol"],
  P: ["ProtocolWitnessTable", "conformance"],
  p: ["ProtocolWitnessTablePattern", "conformance"],
  G: ["GenericProtocolWitnessTable", "conformance"],
  I: ["GenericProtocolWitnessTableInstantiationFunction", "conformance"],
  r: ["ResilientProtocolWitnessTable", "conformance"],
  a: ["ProtocolWitnessTableAccessor", "conformance"],
};

/** `W`. */
export function witnessOperator(s: State): Node {
  const letter = s.next();
  if (letter in witnesses) return s.node(witnesses[letter][0], popOperand(s, witnesses[letter][1]));
  switch (letter) {
    case "v": {
      const indirect = s.accept("i");
      if (!indirect && !s.accept("d")) fail();
      return s.node("FieldOffset", s.leaf("Directness", indirect ? 1 : 0), s.popEntity());
    }
    case "l":
    case "L": {
      const conformance = popConformance(s);
      const kind = letter === "l"
        ? "LazyProtocolWitnessTableAccessor"
        : "LazyProtocolWitnessTableCacheVariable";
      return s.node(kind, s.pop("Type"), conformance);
    }
    case "t": {
      const name = s.pop(declNames);
      return s.node("AssociatedTypeMetadataAccessor", popConformance(s), name);
    }
    case "T": {
      const protocol = need(s.pop("Type"));
      const path = popAssociatedPath(s);
      return s.node("AssociatedTypeWitnessTableAccessor", popConformance(s), path, protocol);
    }
    case "b": {
      const protocol = need(s.pop("Type"));
      return s.node("BaseWitnessTableAccessor", popConformance(s), protocol);
    }
    case "O":
      return outlined(s);
    case "Z":
    case "z": {
      const names: Node[] = [];
      while (s.pop("FirstElementMarker")) names.push(need(s.pop(declNames)));
      const list = s.list("GlobalVariableOnceDeclList", names.reverse());
      const kind = letter === "Z" ? "GlobalVariableOnceFunction" : "GlobalVariableOnceToken";
      return s.node(kind, s.popContext(), list);
    }
    case "J":
      return differentiabilityWitness(s);
    default:
      return fail();
  }
}

/** `WO` and a letter: operations on values that the compiler outlined. */
const outlinedKinds: Readonly<Record<string, string>> = {
  B: "OutlinedInitializeWithTake",
  C: "OutlinedInitializeWithCopy",
  D: "OutlinedAssignWithTake",
  F: "OutlinedAssignWithCopy",
  H: "OutlinedDestroy",
  y: "OutlinedCopy",
  e: "OutlinedConsume",
  r: "OutlinedRetain",
  s: "OutlinedRelease",
  b: "OutlinedInitializeWithTake",
  c: "OutlinedInitializeWithCopy",
  d: "OutlinedAssignWithTake",
  f: "OutlinedAssignWithCopy",
  h: "OutlinedDestroy",
  g: "OutlinedEnumGetTag",
  i: "OutlinedEnumTagStore",
  j: "OutlinedEnumProjectDataForLoad",
};

function outlined(s: State): Node {
  const letter = s.next();
  const kind = need(outlinedKinds[letter]);
  const index = letter === "i" || letter === "j" ? [s.numberNode()] : [];
  const signature = s.popSignature();
  return s.node(kind, s.pop("Type"), ...(signature ? [signature] : []), ...index);
}

/** `w`. */
export function valueWitness(s: State): Node {
  const name = need(valueWitnesses[s.next() + s.next()]);
  return s.node("ValueWitness", s.leaf("Identifier", name), s.pop("Type"));
}
