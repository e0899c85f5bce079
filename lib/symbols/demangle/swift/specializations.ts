/** Functions that the optimizer specialized for certain types or arguments. */

import { fail, need, type Node } from "./node.ts";
import type { State } from "./state.ts";
import { specialized } from "./tables.ts";

/** The common beginning of all specializations. */
function specialization(s: State, kind: string): Node {
  s.accept("m"); // metatype parameters removed, before Swift 6.3
  const node = s.node(kind);
  if (s.accept("q")) node.children.push(s.node("IsSerialized"));
  if (s.accept("a")) node.children.push(s.node("AsyncRemoved"));
  if (s.accept("r")) node.children.push(s.node("RepresentationChanged"));
  const pass = s.next();
  node.children.push(s.leaf("SpecializationPassID", /^\d$/.test(pass) ? Number(pass) : fail()));
  return node;
}

/** For all generic parameters. */
export function genericSpecialization(s: State, kind: string, dropped: readonly Node[]): Node {
  const node = specialization(s, kind);
  node.children.push(...dropped);
  for (const type of s.popTypeList().children) {
    node.children.push(s.node("GenericSpecializationParam", type));
  }
  return node;
}

/** For some generic parameters: a signature remains. */
export function partialSpecialization(s: State, kind: string): Node {
  const node = specialization(s, kind);
  node.children.push(s.node("GenericSpecializationParam", s.pop("Type")));
  return node;
}

const parameterKind = "FunctionSignatureSpecializationParamKind";

/** `Tf`: facts about parameters and results. */
export function functionSpecialization(s: State): Node {
  const node = specialization(s, "FunctionSignatureSpecialization");
  if (node.children[0].kind === "RepresentationChanged") return node;
  while (!s.accept("_")) {
    node.children.push(parameter(s, "FunctionSignatureSpecializationParam"));
  }
  if (!s.accept("n")) node.children.push(parameter(s, "FunctionSignatureSpecializationReturn"));
  for (const child of node.children.toReversed()) {
    if (child.kind === "FunctionSignatureSpecializationParam") popOperands(s, child);
  }
  return node;
}

/** Pops the operands of a parameter's facts, which are on the stack in reverse order. */
function popOperands(s: State, node: Node): void {
  const operands: Node[] = [];
  for (const { kind, index } of node.children.toReversed()) {
    if (kind !== parameterKind) continue;
    switch (index) {
      case specialized.closure:
        for (let type; (type = s.pop("Type"));) operands.push(type);
        break;
      case specialized.keyPath:
        operands.push(need(s.pop("Type")), need(s.pop("Type")));
        break;
      case specialized.struct:
        operands.push(need(s.pop("Type")));
        continue;
      case specialized.function:
      case specialized.global:
      case specialized.string:
        break;
      default:
        continue;
    }
    operands.push(need(s.pop("Identifier")));
  }
  node.children.push(...operands.reverse());
}

const flags: Readonly<Record<string, number>> = {
  D: specialized.dead,
  G: specialized.ownedToGuaranteed,
  O: specialized.guaranteedToOwned,
  X: specialized.exploded,
};

/** Letters that stand for one kind, alone or with the listed flags. */
const plain: Readonly<Record<string, readonly [value: number, further: string]>> = {
  c: [specialized.closure, ""],
  e: [specialized.existentialToGeneric, "DGOX"],
  d: [specialized.dead, "GOX"],
  g: [specialized.ownedToGuaranteed, "X"],
  o: [specialized.guaranteedToOwned, "X"],
  x: [specialized.exploded, ""],
  i: [specialized.boxToValue, ""],
  s: [specialized.boxToStack, ""],
  r: [specialized.inoutToOut, ""],
};

function parameter(s: State, kind: string): Node {
  const node = s.node(kind);
  const is = (value: number) => void node.children.push(s.leaf(parameterKind, value));
  const letter = s.next();
  if (letter === "n") return node;
  if (letter in plain) {
    const [value, further] = plain[letter];
    let all: number = value;
    for (const flag of further) if (s.accept(flag)) all |= flags[flag];
    is(all);
  } else if (letter === "C") {
    is(specialized.previousClosure);
    node.children.push(payload(s, need(s.natural())));
  } else if (letter === "p") {
    while (constant(s, node, is));
  } else {
    fail();
  }
  return node;
}

function payload(s: State, value: string | number): Node {
  return s.leaf("FunctionSignatureSpecializationParamPayload", value);
}

const encodings: Readonly<Record<string, string>> = { b: "u8", w: "u16", c: "objc" };

/** Reads the constant that the parameter is; `false` at the end. */
function constant(s: State, node: Node, is: (value: number) => void): boolean {
  switch (s.next()) {
    case "S":
      is(specialized.struct);
      return true;
    case "f":
      is(specialized.function);
      return true;
    case "g":
      is(specialized.global);
      return true;
    case "k":
      is(specialized.keyPath);
      return true;
    case "i":
      is(specialized.integer);
      break;
    case "d":
      is(specialized.float);
      break;
    case "s":
      is(specialized.string);
      node.children.push(payload(s, need(encodings[s.next()])));
      return true;
    default:
      s.pos--;
      return false;
  }
  let digits = "";
  while (/^\d$/.test(s.peek())) digits += s.next();
  node.children.push(payload(s, digits || fail()));
  return true;
}
