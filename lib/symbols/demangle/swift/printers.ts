/** Printers of the kinds of nodes for which a phrase is not enough. */

import { childOf, fail, need, type Node } from "./node.ts";
import { accessorNames, layoutNames, simpleTypes, specializationNames } from "./phrases.ts";
import { type EntityWords, needsSpace, printEntity, type TypeShown } from "./print_entities.ts";
import {
  printDifferentiability,
  printFunctionType,
  printImplConvention,
  printImplFunctionType,
  printImplValue,
  printParameters,
} from "./print_functions.ts";
import {
  printDerivative,
  printSelfReordering,
  printSubset,
  printWitness,
} from "./print_derivatives.ts";
import type { Printer } from "./printer.ts";
import { printFact, printPayload, printSpecialization } from "./print_specializations.ts";

type Print = (p: Printer, node: Node, depth: number, asContext: boolean) => Node | null | void;

function entity(
  shown: TypeShown | ((p: Printer, node: Node) => TypeShown),
  words: EntityWords | ((node: Node) => EntityWords),
): Print {
  return (p, node, depth, asContext) =>
    printEntity(
      p,
      node,
      depth,
      asContext,
      typeof shown === "string" ? shown : shown(p, node),
      typeof words === "function" ? words(node) : words,
    );
}

const declaration = entity("none", { named: true });
const only = (extra: string) => entity("none", { extra });

/** One set of words for members of a class, another for members of other types. */
function ofClass(shown: TypeShown, extra: string, otherwise: string): Print {
  return entity(shown, (node) => ({
    extra: need(node.children[0]).kind === "Class" ? extra : otherwise,
  }));
}

/** A closure, by its number. */
function closure(extra: string): Print {
  return entity(
    (p) => p.simplified ? "none" : "function",
    (node) => ({ extra, index: number(node.children[1]) + 1 }),
  );
}

function number(node: Node | undefined): number {
  return need(need(node).index);
}

/** The expansion of an attached macro: its subject, the macro, and a number. */
function attachedMacro(role: string): Print {
  return (p, node, depth, asContext) => {
    const [macro, index] = node.children.slice(2);
    return printEntity(p, node, depth, asContext, "none", {
      named: true,
      extra: `${role} macro @${need(need(macro).text)} expansion #`,
      index: number(index) + 1,
    });
  };
}

function numberedMacro(extra: string): Print {
  return entity("none", (node) => ({ named: true, extra, index: number(node.children[2]) + 1 }));
}

function accessor(extra: string): Print {
  return (p, node, depth, asContext) => {
    const storage = need(node.children[0]);
    if (storage.kind === "Variable") {
      return printEntity(p, storage, depth, asContext, "colon", { named: true, extra });
    }
    if (storage.kind !== "Subscript") fail();
    return printEntity(p, storage, depth, asContext, "colon", { name: "subscript", extra });
  };
}

function each(kinds: string, print: Print): Record<string, Print> {
  return Object.fromEntries(kinds.trim().split(/\s+/).map((kind) => [kind, print]));
}

function isSimple(type: Node): boolean {
  const inner = type.children[0];
  switch (type.kind) {
    case "Type":
      return isSimple(need(inner));
    case "ProtocolList":
      return need(inner).children.length <= 1;
    case "ProtocolListWithAnyObject":
      return need(need(inner).children[0]).children.length === 0;
    default:
      return simpleTypes.has(type.kind);
  }
}

function inParentheses(p: Printer, type: Node, depth: number): void {
  const simple = isSimple(type);
  if (!simple) p.say("(");
  p.print(type, depth + 1);
  if (!simple) p.say(")");
}

/** A type with arguments. Optionals, arrays and dictionaries use Swift's short forms. */
function boundGeneric(p: Printer, node: Node, depth: number): void {
  const [unbound, list] = node.children;
  const args = need(list).children;
  if (node.kind === "BoundGenericProtocol" && node.children.length === 2 && p.nesting === 0) {
    p.children(list, depth);
    p.say(" as ");
    p.print(unbound, depth + 1);
    return;
  }
  const [module, name] = need(unbound.children[0]).children;
  const standard = p.nesting === 0 && node.children.length === 2 && module?.kind === "Module" &&
    module.text === "Swift" && name?.kind === "Identifier";
  const sugar = standard ? `${node.kind}${name.text}${args.length}` : "";
  switch (sugar) {
    case "BoundGenericEnumOptional1":
    case "BoundGenericEnumImplicitlyUnwrappedOptional1":
      inParentheses(p, args[0], depth);
      p.say(name.text === "Optional" ? "?" : "!");
      return;
    case "BoundGenericStructureArray1":
    case "BoundGenericStructureDictionary2":
      p.say("[");
      p.children(list, depth, " : ");
      p.say("]");
      return;
  }
  p.print(unbound, depth + 1);
  p.say("<");
  p.children(list, depth, ", ");
  p.say(">");
}

const existentials = [
  "ExistentialMetatype",
  "ProtocolList",
  "ProtocolListWithClass",
  "ProtocolListWithAnyObject",
];

function metatype(p: Printer, { children }: Node, depth: number): void {
  if (children.length === 2) {
    p.print(children[0], depth + 1);
    p.say(" ");
  }
  const type = need(children.at(-1)?.children[0]);
  inParentheses(p, type, depth);
  p.say(existentials.includes(type.kind) ? ".Protocol" : ".Type");
}

/** The name of a generic parameter: letters for its index, and the depth of its list. */
function parameterName(depth: number, index: number): string {
  let name = "";
  do name += String.fromCharCode(0x41 + index % 26); while ((index = Math.floor(index / 26)) > 0);
  return depth === 0 ? name : name + depth;
}

/** Maximum number of parameters at one depth. Only damaged names have more. */
const mostParameters = 128;

function signature(p: Printer, { children }: Node, depth: number): void {
  const counts = children.filter(({ kind }) => kind === "DependentGenericParamCount");
  const marks = children.filter(({ kind }) => /Param(Pack|Value)Marker$/.test(kind));
  // Swift's own demangler exchanges the two numbers of a marked parameter; so does this.
  const marked = (kind: string, level: number, index: number) =>
    marks.some((mark) => {
      const [first, second] = need(need(mark.children[0]).children[0]).children;
      return mark.kind === kind && first?.index === index && second?.index === level;
    });
  p.say("<");
  for (const [level, count] of counts.entries()) {
    if (level > 0) p.say("><");
    for (let index = 0; index < number(count); index++) {
      if (index > 0) p.say(", ");
      if (index >= mostParameters) {
        p.say("...");
        break;
      }
      if (marked("DependentGenericParamPackMarker", level, index)) p.say("each ");
      if (marked("DependentGenericParamValueMarker", level, index)) p.say("let ");
      p.say(parameterName(level, index));
    }
  }
  const required = children.slice(counts.length + marks.length);
  if (required.length > 0 && p.withRequirements) {
    p.say(" where ");
    for (const [index, requirement] of required.entries()) {
      if (index > 0) p.say(", ");
      p.print(requirement, depth + 1);
    }
  }
  p.say(">");
}

function inverse(p: Printer, { children: [type, which] }: Node, depth: number): void {
  p.print(type, depth + 1);
  const bit = number(which);
  p.say(": ~Swift.", ["Copyable", "Escapable"][bit] ?? `<bit ${bit}>`);
}

function layoutRequirement(p: Printer, { children }: Node, depth: number): void {
  const [type, layout, ...numbers] = children;
  p.print(type, depth + 1);
  p.say(": ", layoutNames[need(layout?.text)] ?? fail());
  if (numbers.length > 0) p.say("(", numbers.map(number).join(", "), ")");
}

function protocols(p: Printer, list: Node | undefined, depth: number): number {
  const types = need(need(list).children[0]);
  p.children(types, depth, " & ");
  return types.children.length;
}

function reabstraction(words: string, types: number): Print {
  return (p, { children }, depth) => {
    const parts = children.slice(-types);
    if (parts.length < types) fail();
    if (p.simplified && types === 2) {
      p.say("thunk for ");
      p.print(parts[1], depth + 1);
      return;
    }
    p.say(words);
    if (children.length > types) {
      p.print(children[0], depth + 1);
      p.say(" ");
    }
    p.say("from ");
    p.print(parts[types - 1], depth + 1);
    p.say(" to ");
    p.print(parts[types - 2], depth + 1);
    if (types === 2) return;
    p.say(" self ");
    p.print(parts[0], depth + 1);
  };
}

function partialApply(words: string): Print {
  return (p, node, depth) => {
    p.say(p.simplified ? "partial apply" : words);
    if (node.children.length === 0) return;
    p.say(" for ");
    p.children(node, depth);
  };
}

function resumePartial(words: string): Print {
  return (p, { children: [index] }) => {
    if (!p.simplified) p.say("(", number(index), ") ", words, " resume partial function for ");
  };
}

function keyPathAccessor(words: string): Print {
  return (p, { children }, depth) => {
    p.say("key path ", words);
    p.print(children[0], depth + 1);
    p.say(" : ");
    for (const child of children.slice(1)) {
      if (child.kind === "IsSerialized") p.say(", ");
      p.print(child, depth + 1);
    }
  };
}

function keyPathOperator(words: string): Print {
  return (p, node, depth) => {
    p.say("key path index ", words, " operator for ");
    const generic = childOf(node, "DependentGenericSignature");
    if (generic) p.print(generic, depth + 1);
    p.say("(");
    const types = node.children.filter(({ kind }) => kind === "Type");
    for (const [index, type] of types.entries()) {
      if (index > 0) p.say(", ");
      p.print(type, depth + 1);
    }
    p.say(")");
  };
}

const errorFlags = ["", " nonzero on error", " zero on error"];

function completionHandler(words: string): Print {
  return (p, { children: [type, result, flag, generic] }, depth) => {
    p.say(words, "@objc completion handler block implementation for ");
    if (generic) p.print(generic, depth + 1);
    p.print(type, depth + 1);
    p.say(" with result type ");
    p.print(result, depth + 1);
    p.say(errorFlags[number(flag)] ?? " <invalid error flag>");
  };
}

function once(words: string): Print {
  return (p, { children: [, list] }, depth) => {
    p.say("one-time initialization ", words, " for ");
    p.print(list, depth + 1);
  };
}

function conformance(words: string): Print {
  return (p, { children: [from, to, index] }, depth) => {
    p.say(words);
    if (need(index).index !== null) p.say("#", number(index), " ");
    p.print(from, depth + 1);
    p.say(" to ");
    p.print(to, depth + 1);
  };
}

/** A list in brackets, unless it is empty; with `single`, unless it has one element. */
function bracketed(single: boolean): Print {
  return (p, node, depth) => {
    const brackets = node.children.length !== (single ? 1 : 0);
    if (brackets) p.say("(");
    p.children(node, depth, ", ");
    if (brackets) p.say(")");
  };
}

/** Bytes as a C string. */
function quoted(text: string): string {
  const escapes: Record<string, string> = {
    "\\": "\\\\",
    "\t": "\\t",
    "\n": "\\n",
    "\r": "\\r",
    '"': '\\"',
    "\0": "\\0",
  };
  // deno-lint-ignore no-control-regex
  const inner = text.replace(/[\\"\x00-\x1f\x7f-\xff]/g, (character) =>
    escapes[character] ??
      `\\x${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`);
  return `"${inner}"`;
}

const full = (print: Print): Print => (p, node, depth, asContext) =>
  p.simplified ? undefined : print(p, node, depth, asContext);

/** By kind of node. */
export const printers: Readonly<Record<string, Print>> = {
  ...each(
    "Class Structure Enum Protocol TypeAlias OtherNominalType GenericTypeParamDecl",
    declaration,
  ),
  ...each(
    `FunctionType UncurriedFunctionType NoEscapeFunctionType AutoClosureType
    EscapingAutoClosureType ThinFunctionType CFunctionPointer ObjCBlock EscapingObjCBlock`,
    (p, node, depth) => printFunctionType(p, null, node, depth),
  ),
  ...each(
    `BoundGenericClass BoundGenericStructure BoundGenericEnum BoundGenericProtocol
    BoundGenericOtherNominalType BoundGenericTypeAlias`,
    boundGeneric,
  ),
  ...each("Function BoundGenericFunction", entity("function", { named: true })),
  ...each(Object.keys(specializationNames).join(" "), printSpecialization),
  ...each("DependentGenericSignature DependentPseudogenericSignature", signature),
  ...each("ImplParameter ImplResult", printImplValue),
  ...each("AutoDiffFunction AutoDiffDerivativeVTableThunk", printDerivative),
  ...Object.fromEntries(
    Object.entries(accessorNames).map(([kind, name]) => [kind, accessor(name)]),
  ),
  Variable: entity("colon", { named: true }),
  Subscript: entity("function", { name: "subscript" }),
  Macro: entity((_p, node) => node.children.length === 3 ? "colon" : "function", { named: true }),
  ExplicitClosure: closure("closure #"),
  ImplicitClosure: closure("implicit closure #"),
  Initializer: only("variable initialization expression"),
  PropertyWrapperBackingInitializer: only("property wrapper backing initializer"),
  PropertyWrappedFieldInitAccessor: only("property wrapped field init accessor"),
  PropertyWrapperInitFromProjectedValue: only("property wrapper init from projected value"),
  DefaultArgumentInitializer: entity("none", (node) => ({
    extra: "default argument ",
    index: number(node.children[1]),
  })),
  Allocator: ofClass("function", "__allocating_init", "init"),
  Constructor: entity("function", (node) => ({ named: node.children.length > 2, extra: "init" })),
  Destructor: only("deinit"),
  Deallocator: ofClass("none", "__deallocating_deinit", "deinit"),
  IsolatedDeallocator: ofClass("none", "__isolated_deallocating_deinit", "deinit"),
  IVarInitializer: only("__ivar_initializer"),
  IVarDestroyer: only("__ivar_destroyer"),
  AccessorAttachedMacroExpansion: attachedMacro("accessor"),
  MemberAttributeAttachedMacroExpansion: attachedMacro("memberAttribute"),
  MemberAttachedMacroExpansion: attachedMacro("member"),
  PeerAttachedMacroExpansion: attachedMacro("peer"),
  ConformanceAttachedMacroExpansion: attachedMacro("conformance"),
  ExtensionAttachedMacroExpansion: attachedMacro("extension"),
  PreambleAttachedMacroExpansion: attachedMacro("preamble"),
  BodyAttachedMacroExpansion: attachedMacro("body"),
  FreestandingMacroExpansion: numberedMacro("freestanding macro expansion #"),
  MacroExpansionUniqueName: numberedMacro("unique name #"),
  MacroExpansionLoc(p, { children }, depth) {
    for (const [index, words] of ["module ", " file ", " line ", " column "].entries()) {
      p.say(words);
      p.print(children[index], depth + 1);
    }
  },
  Suffix: full((p, { text }) => p.say(" with unmangled suffix ", quoted(need(text)))),
  Module: full((p, { text }) => p.say(need(text))),
  LocalDeclName(p, { children: [index, name] }, depth) {
    p.print(name, depth + 1);
    p.say(" #", number(index) + 1);
  },
  PrivateDeclName(p, { children: [discriminator, name] }, depth) {
    if (p.simplified) {
      if (name) p.print(name, depth + 1);
      return;
    }
    p.say("(");
    if (name) {
      p.print(name, depth + 1);
      p.say(" ");
    }
    p.say("in ", need(discriminator.text), ")");
  },
  AnonymousContext: full((p, { children: [name, context, args] }, depth) => {
    p.print(context, depth + 1);
    p.say(".(unknown context at ");
    p.print(name, depth + 1);
    p.say(")");
    if (!args || args.children.length === 0) return;
    p.say("<");
    p.print(args, depth + 1);
    p.say(">");
  }),
  Extension(p, { children: [module, type, generic] }, depth) {
    if (!p.simplified) {
      p.say("(extension in ");
      p.print(module, depth + 1, true);
      p.say("):");
    }
    p.print(type, depth + 1);
    if (generic) p.print(generic, depth + 1);
  },
  TypeMangling(p, { children: [first, second] }, depth) {
    if (need(first).kind !== "LabelList") p.print(first, depth + 1);
    else printFunctionType(p, first, need(need(second).children[0]), depth);
  },
  ArgumentTuple: (p, node, depth) => printParameters(p, null, node, depth),
  DifferentiableFunctionType(p, node) {
    printDifferentiability(p, node);
    p.say(" ");
  },
  ImplDifferentiabilityKind: printDifferentiability,
  TupleElement(p, node, depth) {
    const label = childOf(node, "TupleElementName");
    if (label) p.say(need(label.text), ": ");
    p.print(need(childOf(node, "Type")), depth + 1);
    if (childOf(node, "VariadicMarker")) p.say("...");
  },
  PackElement(p, { children: [type, level] }, depth) {
    p.say("/* level: ", number(level), " */ each ");
    p.print(type, depth + 1);
  },
  Directness: (p, { index }) => p.say(index === 0 ? "direct " : "indirect "),
  GenericSpecializationParam(p, { children }, depth) {
    for (const [index, child] of children.entries()) {
      if (index > 0) p.say(index === 1 ? " with " : " and ");
      p.print(child, depth + 1);
    }
  },
  FunctionSignatureSpecializationParamPayload: printPayload,
  FunctionSignatureSpecializationParamKind: printFact,
  PartialApplyForwarder: partialApply("partial apply forwarder"),
  PartialApplyObjCForwarder: partialApply("partial apply ObjC forwarder"),
  KeyPathGetterThunkHelper: keyPathAccessor("getter for "),
  KeyPathSetterThunkHelper: keyPathAccessor("setter for "),
  KeyPathUnappliedMethodThunkHelper: keyPathAccessor("unapplied method "),
  KeyPathAppliedMethodThunkHelper: keyPathAccessor("applied method "),
  KeyPathEqualsThunkHelper: keyPathOperator("equality"),
  KeyPathHashThunkHelper: keyPathOperator("hash"),
  ReabstractionThunk: reabstraction("reabstraction thunk ", 2),
  ReabstractionThunkHelper: reabstraction("reabstraction thunk helper ", 2),
  ReabstractionThunkHelperWithSelf: reabstraction("reabstraction thunk ", 3),
  AutoDiffSelfReorderingReabstractionThunk: printSelfReordering,
  AutoDiffSubsetParametersThunk: printSubset,
  AutoDiffFunctionKind: (p, { text }) =>
    p.say(
      { f: "forward-mode derivative", r: "reverse-mode derivative", d: "differential" }[text!] ??
        "pullback",
    ),
  DifferentiabilityWitness: printWitness,
  IndexSubset: (p, { text }) =>
    p.say("{", [...need(text)].flatMap((letter, at) => letter === "S" ? [at] : []).join(", "), "}"),
  ValueWitness(p, { children: [name, type] }, depth) {
    p.say(need(name.text), p.simplified ? " for " : " value witness for ");
    p.print(type, depth + 1);
  },
  Metatype: metatype,
  ExistentialMetatype(p, node, depth) {
    p.children(node, depth, " ");
    p.say(".Type");
  },
  ProtocolList(p, node, depth) {
    if (protocols(p, node, depth) === 0) p.say("Any");
  },
  ProtocolListWithClass(p, { children: [list, superclass] }, depth) {
    p.print(superclass, depth + 1);
    p.say(" & ");
    protocols(p, list, depth);
  },
  ProtocolListWithAnyObject(p, { children: [list] }, depth) {
    if (protocols(p, list, depth) > 0) p.say(" & ");
    p.say("Swift.AnyObject");
  },
  ProtocolConformance(p, { children: [type, protocol, module, behavior] }, depth) {
    if (behavior) {
      p.say("property behavior storage of ");
      p.print(module, depth + 1);
      p.say(" in ");
      p.print(type, depth + 1);
      p.say(" : ");
      p.print(protocol, depth + 1);
      return;
    }
    p.print(type, depth + 1);
    if (p.simplified) return;
    p.say(" : ");
    p.print(protocol, depth + 1);
    p.say(" in ");
    p.print(module, depth + 1);
  },
  ImplFunctionConvention: (p, node) => printImplConvention(p, node),
  ImplFunctionType: printImplFunctionType,
  DependentGenericInverseConformanceRequirement: inverse,
  DependentGenericLayoutRequirement: layoutRequirement,
  DependentGenericParamType: (p, { children: [level, index] }) =>
    p.say(parameterName(number(level), number(index))),
  DependentGenericType(p, { children: [generic, type] }, depth) {
    p.print(generic, depth + 1);
    if (needsSpace(need(type))) p.say(" ");
    p.print(type, depth + 1);
  },
  DependentAssociatedTypeRef(p, { children: [name, protocol] }, depth) {
    if (protocol) {
      p.print(protocol, depth + 1);
      p.say(".");
    }
    p.print(name, depth + 1);
  },
  SILBoxTypeWithLayout(p, { children: [layout, generic, args] }, depth) {
    if (generic) {
      p.print(generic, depth + 1);
      p.say(" ");
    }
    p.print(layout, depth + 1);
    if (!args) return;
    p.say(" <");
    p.children(args, depth, ", ");
    p.say(">");
  },
  SILBoxLayout(p, node, depth) {
    p.say(node.children.length > 0 ? "{ " : "{");
    p.children(node, depth, ", ");
    p.say(" }");
  },
  AnyProtocolConformanceList: bracketed(false),
  GlobalVariableOnceDeclList: bracketed(true),
  ConcreteProtocolConformance(p, { children: [type, reference, conditions] }, depth) {
    p.say("concrete protocol conformance ");
    p.print(type, depth + 1);
    p.say(" to ");
    p.print(reference, depth + 1);
    if (!conditions || conditions.children.length === 0) return;
    p.say(" with conditional requirements: ");
    p.print(conditions, depth + 1);
  },
  DependentProtocolConformanceAssociated: conformance("dependent associated protocol conformance "),
  DependentProtocolConformanceInherited: conformance("dependent inherited protocol conformance "),
  DependentProtocolConformanceRoot: conformance("dependent root protocol conformance "),
  SugaredOptional(p, { children: [type] }, depth) {
    inParentheses(p, need(type), depth);
    p.say("?");
  },
  GlobalVariableOnceFunction: once("function"),
  GlobalVariableOnceToken: once("token"),
  ObjCAsyncCompletionHandlerImpl: completionHandler(""),
  CheckedObjCAsyncCompletionHandlerImpl: completionHandler("checked "),
  AsyncAwaitResumePartialFunction: resumePartial("await"),
  AsyncSuspendResumePartialFunction: resumePartial("suspend"),
  ExtendedExistentialTypeShape(p, { children }, depth) {
    const before = p.withRequirements;
    p.withRequirements = true;
    p.say("existential shape for ");
    if (children.length === 2) {
      p.print(children[0], depth + 1);
      p.say(" ");
    }
    p.say("any ");
    p.print(children.at(-1), depth + 1);
    p.withRequirements = before;
  },
};
