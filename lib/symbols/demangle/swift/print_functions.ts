/** Prints function types. */

import { childOf, fail, need, type Node } from "./node.ts";
import type { Printer } from "./printer.ts";

const conventions: Readonly<Record<string, string>> = {
  FunctionType: "",
  UncurriedFunctionType: "",
  NoEscapeFunctionType: "",
  AutoClosureType: "@autoclosure ",
  EscapingAutoClosureType: "@autoclosure ",
  ThinFunctionType: "@convention(thin) ",
};

const cConventions: Readonly<Record<string, string>> = {
  CFunctionPointer: "@convention(c",
  EscapingObjCBlock: "@escaping @convention(block",
  ObjCBlock: "@convention(block",
};

const differentiability: Readonly<Record<string, string>> = {
  f: "(_forward)",
  r: "(reverse)",
  l: "(_linear)",
  d: "",
};

/** Prints a function's type; in the simplified style, its argument labels. */
export function printFunctionType(
  p: Printer,
  labels: Node | null,
  node: Node,
  depth: number,
): void {
  const part = (kind: string) => childOf(node, kind);
  const print = (child: Node | null) => void (child && p.print(child, depth + 1));
  if (node.kind in cConventions) {
    p.say(cConventions[node.kind]);
    const type = part("ClangType");
    if (type) p.say(`, mangledCType: "${need(type.text)}"`);
    p.say(") ");
  } else {
    p.say(conventions[node.kind] ?? fail());
  }
  print(part("IsolatedAnyFunctionType"));
  print(part("GlobalActorFunctionType"));
  print(part("DifferentiableFunctionType"));
  print(part("NonIsolatedCallerFunctionType"));
  print(part("ConcurrentFunctionType"));
  printParameters(p, labels, need(part("ArgumentTuple")), depth);
  if (p.simplified) return;
  print(part("AsyncAnnotation"));
  print(part("ThrowsAnnotation") ?? part("TypedThrowsAnnotation"));
  p.say(" -> ");
  print(part("SendingResultFunctionType"));
  print(need(part("ReturnType")));
}

/** Prints `(label: Type, …)`, or `(label:…)` in the simplified style. */
export function printParameters(
  p: Printer,
  labels: Node | null,
  node: Node,
  depth: number,
): void {
  const parameters = need(node.children[0]?.children[0]);
  if (parameters.kind !== "Tuple") {
    p.say("(");
    if (p.simplified) p.say("_:");
    else p.print(parameters, depth + 1);
    p.say(")");
    return;
  }
  const labelled = labels !== null && labels.children.length > 0;
  p.say("(");
  for (const [index, parameter] of parameters.children.entries()) {
    if (index > 0 && !p.simplified) p.say(", ");
    if (labelled) p.say(need(labels.children[index]).text ?? "_", ":");
    else if (p.simplified) p.say(childOf(parameter, "TupleElementName")?.text ?? "_", ":");
    if (p.simplified) continue;
    if (labelled) p.say(" ");
    p.print(parameter, depth + 1);
  }
  p.say(")");
}

/** Prints the kind of differentiability. */
export function printDifferentiability(p: Printer, { text }: Node): void {
  p.say("@differentiable", need(differentiability[need(text)]));
}

const values = new Set(["ImplParameter", "ImplResult", "ImplYield", "ImplErrorResult"]);

/** Prints a function's type in the optimizer's form: attributes, parameters, results. */
export function printImplFunctionType(p: Printer, node: Node, depth: number): void {
  const pattern = childOf(node, "ImplPatternSubstitutions");
  const invocation = childOf(node, "ImplInvocationSubstitutions");
  const sending = childOf(node, "ImplSendingResult");
  for (const child of node.children) {
    if (values.has(child.kind) || [pattern, invocation, sending].includes(child)) continue;
    p.print(child, depth + 1);
    p.say(" ");
  }
  if (pattern) {
    p.say("@substituted ");
    p.print(pattern.children[0], depth + 1);
    p.say(" ");
  }
  const list = (wanted: boolean) => {
    let between = "(";
    for (const child of node.children) {
      if (!values.has(child.kind) || (child.kind === "ImplParameter") !== wanted) continue;
      p.say(between);
      between = ", ";
      p.print(child, depth + 1);
    }
    p.say(between === "(" ? "()" : ")");
  };
  list(true);
  p.say(sending ? " -> sending " : " -> ");
  list(false);
  for (const substitutions of [pattern?.children[1], invocation?.children[0]]) {
    if (substitutions === undefined) continue;
    p.say(" for <");
    p.children(substitutions, depth);
    p.say(">");
  }
}

/** Prints a parameter or result: convention, attributes, type. Several attributes are left out
 * together, as in Swift. */
export function printImplValue(p: Printer, { children }: Node, depth: number): void {
  p.print(children[0], depth + 1);
  p.say(" ");
  const attributes = children.slice(1, -1);
  const further = attributes.filter(({ kind }) => kind !== "ImplParameterResultDifferentiability");
  if (further.length < 2) { for (const attribute of attributes) p.print(attribute, depth + 1); }
  p.print(children.at(-1), depth + 1);
}

/** Prints a calling convention. */
export function printImplConvention(p: Printer, { children: [name, type] }: Node): void {
  p.say("@convention(", need(name.text));
  if (type) p.say(`, mangledCType: "${need(type.text)}"`);
  p.say(")");
}
