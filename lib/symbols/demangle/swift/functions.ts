/** Function types, both in source form and in the optimizer's form (SIL), and argument labels. */

import { childOf, fail, need, type Node } from "./node.ts";
import type { State } from "./state.ts";
import { popBoundGenerics } from "./types.ts";

const isolations = new Set([
  "GlobalActorFunctionType",
  "IsolatedAnyFunctionType",
  "NonIsolatedCallerFunctionType",
]);
const throwing = new Set(["ThrowsAnnotation", "TypedThrowsAnnotation"]);

/** A C type, in C++ mangling. */
function clangType(s: State): Node {
  return s.leaf("ClangType", s.take(s.natural() || fail()));
}

/** Pops the parts of a function's type. The last one mangled is popped first. */
export function popFunctionType(s: State, kind: string, hasClangType = false): Node {
  const parts = [
    hasClangType ? clangType(s) : null,
    s.pop("SendingResultFunctionType"),
    s.pop(isolations),
    s.pop("DifferentiableFunctionType"),
    s.pop(throwing),
    s.pop("ConcurrentFunctionType"),
    s.pop("AsyncAnnotation"),
    popParameters(s, "ArgumentTuple"),
    popParameters(s, "ReturnType"),
  ];
  return s.type(s.list(kind, parts.filter((part) => part !== null)));
}

function popParameters(s: State, kind: string): Node {
  return s.node(kind, s.pop("EmptyList") ? s.type(s.node("Tuple")) : s.pop("Type"));
}

/** Pops the argument labels of a function of `type`; `null` when it takes no arguments. */
export function popLabels(s: State, type: Node | null): Node | null {
  if (!s.oldLabels && s.pop("EmptyList")) return s.node("LabelList");
  let callee = type?.children[0];
  if (callee?.kind === "DependentGenericType") callee = callee.children[1].children[0];
  if (callee?.kind !== "FunctionType" && callee?.kind !== "NoEscapeFunctionType") return null;
  const parameters = need(childOf(callee, "ArgumentTuple")).children[0].children[0];
  const isTuple = parameters.kind === "Tuple";
  const count = isTuple ? parameters.children.length : 1;
  if (count === 0) return null;
  if (s.oldLabels && !isTuple) return s.node("LabelList");
  const labels: Node[] = [];
  for (let at = 0; at < count; at++) {
    const label = s.oldLabels ? takeOldLabel(s, parameters.children[at]) : s.pop();
    if (label?.kind !== "Identifier" && label?.kind !== "FirstElementMarker") return null;
    labels.push(label);
  }
  if (!labels.some(({ kind }) => kind === "Identifier")) return s.node("LabelList");
  return s.list("LabelList", s.oldLabels ? labels : labels.reverse());
}

/** In Swift 4's first mangling (`_T0`) the label of an argument is part of its type. It is moved
 * out. */
function takeOldLabel(s: State, parameter: Node): Node {
  const at = parameter.children.findIndex(({ kind }) => kind === "TupleElementName");
  if (at < 0) return s.node("FirstElementMarker");
  const [label] = parameter.children.splice(at, 1);
  return s.leaf("Identifier", need(label.text));
}

/** `Y`: annotations of a function, a parameter or a result. */
export function typeAnnotation(s: State): Node {
  const letter = s.next();
  if (letter in marks) return s.node(marks[letter]);
  if (letter in annotations) return s.node(annotations[letter], s.popTypeChild());
  if (letter in modifiers) return s.type(s.node(modifiers[letter], s.popTypeChild()));
  return letter === "j" ? s.leaf("DifferentiableFunctionType", differentiability(s)) : fail();
}

const marks: Readonly<Record<string, string>> = {
  a: "AsyncAnnotation",
  A: "IsolatedAnyFunctionType",
  b: "ConcurrentFunctionType",
  C: "NonIsolatedCallerFunctionType",
  T: "SendingResultFunctionType",
};
const annotations: Readonly<Record<string, string>> = {
  c: "GlobalActorFunctionType",
  K: "TypedThrowsAnnotation",
};
const modifiers: Readonly<Record<string, string>> = {
  i: "Isolated",
  k: "NoDerivative",
  t: "CompileTimeLiteral",
  g: "ConstValue",
  u: "Sending",
};

/** Reads a kind of differentiability: `d`, `f`, `l` or `r`. */
export function differentiability(s: State): string {
  const letter = s.next();
  return /^[dflr]$/.test(letter) ? letter : fail();
}

const callees: Readonly<Record<string, string>> = {
  y: "@callee_unowned",
  g: "@callee_guaranteed",
  x: "@callee_owned",
  t: "@convention(thin)",
};
const conventions: Readonly<Record<string, string>> = {
  B: "block",
  C: "c",
  M: "method",
  O: "objc_method",
  K: "closure",
  W: "witness_method",
};
const coroutines: Readonly<Record<string, string>> = {
  A: "yield_once",
  I: "yield_once_2",
  G: "yield_many",
};
const parameterConventions: Readonly<Record<string, string>> = {
  i: "@in",
  c: "@in_constant",
  l: "@inout",
  b: "@inout_aliasable",
  n: "@in_guaranteed",
  X: "@in_cxx",
  x: "@owned",
  g: "@guaranteed",
  e: "@deallocating",
  y: "@unowned",
  v: "@pack_owned",
  p: "@pack_guaranteed",
  m: "@pack_inout",
};
const resultConventions: Readonly<Record<string, string>> = {
  r: "@out",
  o: "@owned",
  d: "@unowned",
  u: "@unowned_inner_pointer",
  a: "@autoreleased",
  k: "@pack_out",
  l: "@guaranteed_address",
  g: "@guaranteed",
  m: "@inout",
};
const parameterAttributes: readonly (readonly [string, string, string])[] = [
  ["w", "ImplParameterResultDifferentiability", "@noDerivative"],
  ["T", "ImplParameterSending", "sending"],
  ["I", "ImplParameterIsolated", "isolated"],
  ["L", "ImplParameterImplicitLeading", "sil_implicit_leading_param"],
];

/** Takes the next letter if the table has it, and returns its entry. */
function accepted(s: State, table: Readonly<Record<string, string>>): string | null {
  return s.peek() in table && s.peek() !== "" ? table[s.next()] : null;
}

/** `I`: a function's type in the optimizer's form. Its types are on the stack. */
export function implFunctionType(s: State): Node {
  const type = s.node("ImplFunctionType");
  const add = (...nodes: Node[]) => void type.children.push(...nodes);
  if (s.accept("s")) {
    const { lists, conformances } = popBoundGenerics(s);
    const pattern = s.node("ImplPatternSubstitutions", s.popSignature(), lists[0]);
    if (conformances) pattern.children.push(conformances);
    add(pattern);
  }
  if (s.accept("I")) {
    const { lists, conformances } = popBoundGenerics(s);
    if (lists.length !== 1) fail();
    const invocation = s.node("ImplInvocationSubstitutions", lists[0]);
    if (conformances) invocation.children.push(conformances);
    add(invocation);
  }
  let signature = s.popSignature();
  if (signature && s.accept("P")) {
    signature = s.renamed(signature, "DependentPseudogenericSignature");
  }
  if (s.accept("e")) add(s.node("ImplEscaping"));
  if (s.accept("A")) add(s.node("ImplErasedIsolation"));
  if (/^[dflr]$/.test(s.peek())) add(s.leaf("ImplDifferentiabilityKind", s.next()));
  add(s.leaf("ImplConvention", need(accepted(s, callees))));
  const withClangType = s.accept("zB") || s.accept("zC");
  if (withClangType) s.pos--;
  const convention = accepted(s, conventions);
  if (convention) {
    const name = s.leaf("ImplFunctionConventionName", convention);
    add(
      withClangType
        ? s.node("ImplFunctionConvention", name, clangType(s))
        : s.node("ImplFunctionConvention", name),
    );
  }
  const coroutine = accepted(s, coroutines);
  if (coroutine) add(s.leaf("ImplCoroutineKind", coroutine));
  if (s.accept("h")) add(s.leaf("ImplFunctionAttribute", "@Sendable"));
  if (s.accept("H")) add(s.leaf("ImplFunctionAttribute", "@async"));
  if (s.accept("T")) add(s.node("ImplSendingResult"));
  if (signature) add(signature);
  const values = implValues(s);
  add(...values);
  for (const value of values.reverse()) value.children.push(need(s.pop("Type")));
  return s.type(type);
}

/** Parameters, results, yields and the error, without their types. */
function implValues(s: State): Node[] {
  const values: Node[] = [];
  const value = (kind: string, convention: string | null): Node | null => {
    if (convention === null) return null;
    const node = s.node(kind, s.leaf("ImplConvention", convention));
    values.push(node);
    return node;
  };
  for (let node; (node = value("ImplParameter", accepted(s, parameterConventions)));) {
    for (const [letter, kind, text] of parameterAttributes) {
      if (s.accept(letter)) node.children.push(s.leaf(kind, text));
    }
  }
  for (let node; (node = value("ImplResult", accepted(s, resultConventions)));) {
    if (s.accept("w")) node.children.push(s.leaf(parameterAttributes[0][1], "@noDerivative"));
  }
  while (s.accept("Y")) need(value("ImplYield", accepted(s, parameterConventions)));
  if (s.accept("z")) need(value("ImplErrorResult", accepted(s, resultConventions)));
  return s.accept("_") ? values : fail();
}
