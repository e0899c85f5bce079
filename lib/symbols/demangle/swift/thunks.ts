/** `T`: thunks, and attributes of whole symbols. */

import { fail, need, type Node } from "./node.ts";
import { popAssociatedName, popAssociatedPath, popConformance } from "./generics.ts";
import {
  functionSpecialization,
  genericSpecialization,
  partialSpecialization,
} from "./specializations.ts";
import type { State } from "./state.ts";
import { popProtocol } from "./types.ts";

/** Letters of attributes. */
const attributes: Readonly<Record<string, string>> = {
  o: "ObjCAttribute",
  O: "NonObjCAttribute",
  D: "DynamicAttribute",
  d: "DirectMethodReferenceAttribute",
  E: "DistributedThunk",
  F: "DistributedAccessor",
  a: "PartialApplyObjCForwarder",
  A: "PartialApplyForwarder",
  m: "MergedFunction",
  X: "DynamicallyReplaceableFunctionVar",
  x: "DynamicallyReplaceableFunctionKey",
  I: "DynamicallyReplaceableFunctionImpl",
  u: "AsyncFunctionPointer",
  wb: "BackDeploymentThunk",
  wB: "BackDeploymentFallback",
  wc: "CoroFunctionPointer",
  wd: "DefaultOverride",
  wS: "HasSymbolQuery",
};

/** Thunks of an entity. */
const ofEntity: Readonly<Record<string, string>> = {
  TI: "SILThunkIdentity",
  c: "CurryThunk",
  j: "DispatchThunk",
  q: "MethodDescriptor",
  S: "ProtocolSelfConformanceWitness",
};

/** Specializations for types. */
const generic: Readonly<Record<string, string>> = {
  g: "GenericSpecialization",
  G: "GenericSpecializationNotReAbstracted",
  B: "GenericSpecializationInResilienceDomain",
  s: "GenericSpecializationPrespecialized",
  i: "InlinedGenericFunction",
};

/** `T`. */
export function thunk(s: State): Node {
  let letter = s.next();
  if (letter === "w" || letter === "T") letter += s.next();
  if (letter in attributes) return s.node(attributes[letter]);
  if (letter in ofEntity) return s.node(ofEntity[letter], s.popEntity());
  if (letter in generic) return genericSpecialization(s, generic[letter], []);
  switch (letter) {
    case "Q":
      return s.node("AsyncAwaitResumePartialFunction", s.numberNode());
    case "Y":
      return s.node("AsyncSuspendResumePartialFunction", s.numberNode());
    case "C":
      return s.node("CoroutineContinuationPrototype", s.pop("Type"));
    case "z":
    case "Z":
      return completionHandler(s, letter === "Z");
    case "V": {
      const base = s.popEntity();
      return s.node("VTableThunk", s.popEntity(), base);
    }
    case "W": {
      const entity = s.popEntity();
      return s.node("ProtocolWitness", popConformance(s), entity);
    }
    case "R":
      return reabstraction(s, "ReabstractionThunkHelper", 2);
    case "r":
      return reabstraction(s, "ReabstractionThunk", 2);
    case "y":
      return reabstraction(s, "ReabstractionThunkHelperWithSelf", 3);
    case "U": {
      const actor = need(s.pop("Type"));
      return s.node("ReabstractionThunkHelperWithGlobalActor", s.pop(), actor);
    }
    case "t": {
      const dropped: Node[] = [];
      do {
        const place = s.natural();
        dropped.push(s.leaf("DroppedArgument", place === null ? 0 : place + 1));
      } while (s.accept("t"));
      const kind = s.next();
      return /^[gGB]$/.test(kind) ? genericSpecialization(s, generic[kind], dropped) : fail();
    }
    case "p":
      return partialSpecialization(s, "GenericPartialSpecialization");
    case "P":
      return partialSpecialization(s, "GenericPartialSpecializationNotReAbstracted");
    case "f":
      return functionSpecialization(s);
    case "K":
    case "k":
      return keyPathAccessor(s, letter === "K");
    case "H":
    case "h":
      return keyPathOperator(s, letter === "H");
    case "l":
      return s.node("AssociatedTypeDescriptor", popAssociatedName(s));
    case "L":
      return s.node("ProtocolRequirementsBaseDescriptor", popProtocol(s));
    case "M":
      return s.node("DefaultAssociatedTypeMetadataAccessor", popAssociatedName(s));
    case "n":
    case "N": {
      const requirement = popProtocol(s);
      const path = popAssociatedPath(s);
      const kind = letter === "n"
        ? "AssociatedConformanceDescriptor"
        : "DefaultAssociatedConformanceAccessor";
      return s.node(kind, s.pop("Type"), path, requirement);
    }
    case "b": {
      const requirement = popProtocol(s);
      return s.node("BaseConformanceDescriptor", s.pop("Type"), requirement);
    }
    case "v": {
      const index = s.number();
      return s.leaf(s.accept("r") ? "OutlinedReadOnlyObject" : "OutlinedVariable", index);
    }
    case "e":
      return bridgedMethod(s);
    case "J":
      return derivative(s);
    default:
      return fail();
  }
}

function reabstraction(s: State, kind: string, types: number): Node {
  const signature = s.popSignature();
  const parts = Array.from({ length: types }, () => need(s.pop("Type")));
  return signature ? s.node(kind, signature, ...parts) : s.node(kind, ...parts);
}

function completionHandler(s: State, checked: boolean): Node {
  const flag = s.numberNode();
  const signature = s.popSignature();
  const result = s.pop("Type");
  const kind = checked ? "CheckedObjCAsyncCompletionHandlerImpl" : "ObjCAsyncCompletionHandlerImpl";
  const node = s.node(kind, s.pop("Type"), result, flag);
  if (signature) node.children.push(signature);
  return node;
}

function keyPathAccessor(s: State, getter: boolean): Node {
  const kind = s.accept("mu")
    ? "KeyPathUnappliedMethodThunkHelper"
    : s.accept("MA")
    ? "KeyPathAppliedMethodThunkHelper"
    : getter
    ? "KeyPathGetterThunkHelper"
    : "KeyPathSetterThunkHelper";
  const serialized = s.accept("q");
  const types = s.popTypes();
  if (types.length === 0) fail();
  const signature = s.popSignature();
  const node = signature ? s.node(kind, s.pop(), signature) : s.node(kind, s.pop());
  node.children.push(...types);
  if (serialized) node.children.push(s.node("IsSerialized"));
  return node;
}

function keyPathOperator(s: State, equality: boolean): Node {
  const serialized = s.accept("q");
  const signature = s.popSignature();
  const types = s.popTypes();
  if (s.stack.length > 0 || (types.length === 0 && !signature)) fail();
  const node = s.list(equality ? "KeyPathEqualsThunkHelper" : "KeyPathHashThunkHelper", types);
  if (signature) node.children.push(signature);
  if (serialized) node.children.push(s.node("IsSerialized"));
  return node;
}

function bridgedMethod(s: State): Node {
  let parameters = s.next();
  if (!/^[opam]$/.test(parameters)) fail();
  while (!s.accept("_")) parameters += /^[nbg]$/.test(s.peek()) ? s.next() : fail();
  return s.leaf("OutlinedBridgedMethod", parameters);
}

/** Pops the whole stack. */
function popAll(s: State): Node[] {
  return s.stack.splice(0);
}

/** Reads a subset of parameters or results: `S` for those in it, `U` for the others. */
function indexSubset(s: State): Node {
  let text = "";
  while (/^[SU]$/.test(s.peek())) text += s.next();
  return text === "" ? fail() : s.leaf("IndexSubset", text);
}

function expect(s: State, letter: string): void {
  if (!s.accept(letter)) fail();
}

function derivativeKind(s: State): Node {
  const letter = s.next();
  return /^[frdp]$/.test(letter) ? s.leaf("AutoDiffFunctionKind", letter) : fail();
}

/** `TJ`: functions made by differentiation. */
function derivative(s: State): Node {
  if (s.accept("O")) {
    const signature = s.popSignature();
    const to = s.pop("Type");
    const from = s.pop("Type");
    const types = signature ? [from, to, signature] : [from, to];
    return s.node("AutoDiffSelfReorderingReabstractionThunk", ...types, derivativeKind(s));
  }
  const subset = s.accept("S");
  const kind = subset
    ? "AutoDiffSubsetParametersThunk"
    : s.accept("V")
    ? "AutoDiffDerivativeVTableThunk"
    : "AutoDiffFunction";
  const parts = [...popAll(s), derivativeKind(s), indexSubset(s)];
  expect(s, "p");
  parts.push(indexSubset(s));
  expect(s, "r");
  if (subset) {
    parts.push(indexSubset(s));
    expect(s, "P");
  }
  return s.list(kind, parts);
}

/** `WJ`. */
export function differentiabilityWitness(s: State): Node {
  const signature = s.popSignature();
  const parts = popAll(s);
  const letter = s.next();
  parts.push(s.leaf("Index", /^[frdl]$/.test(letter) ? letter : fail()), indexSubset(s));
  expect(s, "p");
  parts.push(indexSubset(s));
  expect(s, "r");
  if (signature) parts.push(signature);
  return s.list("DifferentiabilityWitness", parts);
}
