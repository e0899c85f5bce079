/** How what differentiation makes is printed. */

import { childOf, need, type Node } from "./node.ts";
import type { Printer } from "./printer.ts";

function respects(
  p: Printer,
  parameters: Node | undefined,
  results: Node | undefined,
  depth: number,
) {
  p.say(" with respect to parameters ");
  p.print(parameters, depth + 1);
  p.say(" and results ");
  p.print(results, depth + 1);
}

/** A derivative, or its entry in a table of methods. */
export function printDerivative(p: Printer, node: Node, depth: number): void {
  const at = node.children.findIndex(({ kind }) => kind === "AutoDiffFunctionKind");
  const of = node.children.slice(0, at);
  const [kind, parameters, results] = node.children.slice(at);
  if (node.kind === "AutoDiffDerivativeVTableThunk") p.say("vtable thunk for ");
  p.print(kind, depth + 1);
  p.say(" of ");
  const signature = of.at(-1)?.kind === "DependentGenericSignature" ? of.pop() : undefined;
  for (const part of of) p.print(part, depth + 1);
  if (p.simplified) return;
  respects(p, parameters, results, depth);
  if (!signature) return;
  p.say(" with ");
  p.print(signature, depth + 1);
}

/** A thunk that moves `self`. */
export function printSelfReordering(p: Printer, node: Node, depth: number): void {
  const [from, to] = node.children;
  p.say("autodiff self-reordering reabstraction thunk for ");
  if (p.simplified) {
    p.print(from, depth + 1);
    return;
  }
  p.print(need(childOf(node, "AutoDiffFunctionKind")), depth + 1);
  const signature = childOf(node, "DependentGenericSignature");
  if (signature) {
    p.print(signature, depth + 1);
    p.say(" ");
  }
  p.say(" from ");
  p.print(from, depth + 1);
  p.say(" to ");
  p.print(to, depth + 1);
}

/** A thunk for fewer parameters. */
export function printSubset(p: Printer, { children }: Node, depth: number): void {
  const [kind, parameters, results, toParameters] = children.slice(-4);
  const from = children.slice(0, -4);
  const to = from.length > 1 ? from.pop() : undefined;
  p.say("autodiff subset parameters thunk for ");
  p.print(kind, depth + 1);
  p.say(" from ");
  for (const part of from) p.print(part, depth + 1);
  if (p.simplified) return;
  respects(p, parameters, results, depth);
  p.say(" to parameters ");
  p.print(toParameters, depth + 1);
  if (!to) return;
  p.say(" of type ");
  p.print(to, depth + 1);
}

const kinds: Readonly<Record<string, string>> = {
  f: "forward-mode",
  r: "reverse-mode",
  d: "normal",
  l: "linear",
};

/** The record of a function's derivatives. */
export function printWitness(p: Printer, { children }: Node, depth: number): void {
  const at = children.findIndex(({ kind }) => kind === "Index");
  const [kind, parameters, results, signature] = children.slice(at);
  p.say(need(kinds[need(kind.text)]), " differentiability witness for ");
  for (const part of children.slice(0, at)) p.print(part, depth + 1);
  respects(p, parameters, results, depth);
  if (!signature) return;
  p.say(" with ");
  p.print(signature, depth + 1);
}
