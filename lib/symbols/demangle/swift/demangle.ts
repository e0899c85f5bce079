/** Swift's mangling since Swift 4 (`$s` and its predecessors): from a name to its tree. */

import { functionEntity, plainFunction, subscript, variable } from "./entities.ts";
import { implFunctionType, popFunctionType, popLabels, typeAnnotation } from "./functions.ts";
import {
  archetype,
  conformanceOperator,
  genericParameter,
  genericSignature,
  requirement,
  retroactiveConformance,
} from "./generics.ts";
import {
  identifier,
  localIdentifier,
  operatorIdentifier,
  standardSubstitution,
  substitutions,
} from "./identifiers.ts";
import { metadataOperator, valueWitness, witnessOperator } from "./metadata.ts";
import { fail, functionAttributes, need, type Node } from "./node.ts";
import { State, symbolicDigits, type SymbolicResolver } from "./state.ts";
import { thunk } from "./thunks.ts";
import {
  boundGenericType,
  builtinType,
  extension,
  integerType,
  nominal,
  protocolComposition,
  specialType,
  tuple,
} from "./types.ts";

/** Reads the rest of an operator after its first letter, and returns its node. */
type Operator = (s: State) => Node;

const mark = (kind: string): Operator => (s) => s.node(kind);
const modifier = (kind: string): Operator => (s) => s.type(s.node(kind, s.popTypeChild()));

const operators: Readonly<Record<string, Operator>> = {
  A: substitutions,
  B: builtinType,
  C: (s) => nominal(s, "Class"),
  D: typeMangling,
  E: extension,
  F: plainFunction,
  G: boundGenericType,
  H: conformanceOperator,
  I: implFunctionType,
  K: mark("ThrowsAnnotation"),
  L: localIdentifier,
  M: metadataOperator,
  N: (s) => s.node("TypeMetadata", s.pop("Type")),
  O: (s) => nominal(s, "Enum"),
  P: (s) => nominal(s, "Protocol"),
  Q: archetype,
  R: requirement,
  S: standardSubstitution,
  T: thunk,
  V: (s) => nominal(s, "Structure"),
  W: witnessOperator,
  X: specialType,
  Y: typeAnnotation,
  Z: (s) => s.node("Static", s.popEntity()),
  a: (s) => nominal(s, "TypeAlias"),
  c: (s) => popFunctionType(s, "FunctionType"),
  d: mark("VariadicMarker"),
  f: functionEntity,
  g: retroactiveConformance,
  h: modifier("Shared"),
  i: subscript,
  l: (s) => genericSignature(s, false),
  m: (s) => s.type(s.node("Metatype", s.pop("Type"))),
  n: modifier("Owned"),
  o: operatorIdentifier,
  p: protocolComposition,
  q: (s) => s.type(genericParameter(s)),
  r: (s) => genericSignature(s, true),
  s: (s) => s.leaf("Module", "Swift"),
  t: tuple,
  u: (s) => {
    const signature = need(s.popSignature());
    return need(s.generic(signature, s.pop("Type")));
  },
  v: variable,
  w: valueWitness,
  x: (s) => s.type(s.parameter(0, 0)),
  y: mark("EmptyList"),
  z: modifier("InOut"),
  _: mark("FirstElementMarker"),
  "$": integerType,
};

/** `D`: a type alone. */
function typeMangling(s: State): Node {
  const type = s.pop("Type");
  const labels = popLabels(s, type);
  return labels ? s.node("TypeMangling", labels, type) : s.node("TypeMangling", type);
}

/** A reference to something in the image: its address follows in hexadecimal digits. */
function symbolic(s: State, kind: number): Node {
  const address = BigInt(`0x${s.take(symbolicDigits)}`);
  return s.substitutable(need(s.resolve?.(kind, address)));
}

/** The tree of a name.
 *
 * @param name after the prefix
 * @param oldLabels whether the prefix was `_T0`
 * @param resolve for names of reflection metadata; without it, references in names are damage
 * @throws `damaged`
 */
export function demangleTree(
  name: string,
  oldLabels: boolean,
  resolve: SymbolicResolver | null = null,
): Node {
  const s = new State(name, oldLabels, resolve);
  let suffix: Node | null = null;
  while (!s.ended && !suffix) {
    const letter = s.next();
    if (letter === ".") {
      s.pos--;
      suffix = s.leaf("Suffix", s.rest());
    } else if (letter >= "0" && letter <= "9") {
      s.pos--;
      s.push(identifier(s));
    } else if (letter > "\0" && letter < " ") {
      s.push(symbolic(s, letter.charCodeAt(0)));
    } else {
      s.push((operators[letter] ?? fail())(s));
    }
  }
  return root(s, suffix);
}

/** Attributes of the symbol come first. A partial application contains what follows. */
function root(s: State, suffix: Node | null): Node {
  const top = s.node("Global");
  let parent = top;
  for (let attribute; (attribute = s.pop(functionAttributes));) {
    parent.children.push(attribute);
    if (attribute.kind.startsWith("PartialApply")) parent = attribute;
  }
  for (const node of s.stack) {
    parent.children.push(node.kind === "Type" ? need(node.children[0]) : node);
  }
  if (suffix) top.children.push(suffix);
  return top.children.length > 0 ? top : fail();
}
