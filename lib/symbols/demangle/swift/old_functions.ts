/** Function types in the optimizer's form, in the old mangling. */

import { fail, need, type Node } from "./node.ts";
import type { OldState } from "./old_state.ts";
import { demangleOldType, oldSignature } from "./old_types.ts";

const callees: Readonly<Record<string, string>> = {
  t: "@convention(thin)",
  d: "@callee_unowned",
  g: "@callee_guaranteed",
  o: "@callee_owned",
};
const conventions: Readonly<Record<string, string>> = {
  b: "block",
  c: "c",
  m: "method",
  O: "objc_method",
  w: "witness_method",
};
const parameters: Readonly<Record<string, string>> = {
  d: "@unowned",
  g: "@guaranteed",
  e: "@deallocating",
  i: "@in",
  l: "@inout",
  o: "@owned",
};
const results: Readonly<Record<string, string>> = {
  a: "@autoreleased",
  d: "@unowned",
  D: "@unowned_inner_pointer",
  i: "@out",
  o: "@owned",
};

/** After `XF`. */
export function oldImplFunctionType(s: OldState): Node {
  const parts = [s.leaf("ImplConvention", need(callees[s.next()]))];
  if (s.accept("C")) {
    const name = s.leaf("ImplFunctionConventionName", need(conventions[s.next()]));
    parts.push(s.node("ImplFunctionConvention", name));
  }
  if (s.accept("h")) parts.push(s.leaf("ImplFunctionAttribute", "@Sendable"));
  if (s.accept("H")) parts.push(s.leaf("ImplFunctionAttribute", "@async"));
  if (s.accept("G")) parts.push(oldSignature(s));
  else if (s.accept("g")) parts.push(oldSignature(s, "DependentPseudogenericSignature"));
  if (!s.accept("_")) fail();
  const value = (kind: string, table: Readonly<Record<string, string>>) => {
    const convention = s.leaf("ImplConvention", need(table[s.next()]));
    return s.node(kind, convention, demangleOldType(s));
  };
  parts.push(...s.until(() => value("ImplParameter", parameters)));
  parts.push(...s.until(() => value(s.accept("z") ? "ImplErrorResult" : "ImplResult", results)));
  return s.list("ImplFunctionType", parts);
}
