/** Prints specializations. */

import { fail, need, type Node } from "./node.ts";
import { specializationNames, specializedNames } from "./phrases.ts";
import type { Printer } from "./printer.ts";
import { demangleSwift } from "./swift.ts";
import { specialized } from "./tables.ts";

/** Prints the text before the specialized symbol. */
export function printSpecialization(p: Printer, node: Node, depth: number): void {
  if (p.simplified) {
    if (!p.saidSpecialized) p.say("specialized ");
    p.saidSpecialized = true;
    return;
  }
  if (node.children[0]?.kind === "RepresentationChanged") {
    p.say("representation changed of ");
    return;
  }
  const prefix = node.kind.startsWith("GenericPartial") ? "Signature = " : "";
  p.say(specializationNames[node.kind], " <");
  let argument = 0, between = "";
  for (const child of node.children) {
    if (child.kind === "SpecializationPassID" || child.kind === "DroppedArgument") continue;
    if (child.kind === "IsSerialized") {
      p.say(between);
      p.print(child, depth + 1);
      between = ", ";
      continue;
    }
    if (child.children.length > 0) {
      p.say(between, prefix);
      between = ", ";
      if (child.kind === "FunctionSignatureSpecializationParam") {
        p.say("Arg[", argument, "] = ");
        printParameter(p, child, depth);
      } else if (child.kind === "FunctionSignatureSpecializationReturn") {
        p.say("Return = ");
        printParameter(p, child, depth);
      } else {
        p.print(child, depth + 1);
      }
    }
    argument++;
  }
  p.say("> of ");
}

const isFact = ({ kind }: Node) =>
  kind === "FunctionSignatureSpecializationParamKind" ||
  kind === "FunctionSignatureSpecializationParamPayload";

/** Prints all facts about a parameter. In `node` the facts come first; the types and names that
 * they refer to come after. */
function printParameter(p: Printer, node: Node, depth: number): void {
  const { children } = node;
  const operands = children.filter((child) => !isFact(child));
  for (let at = 0; at < children.length;) {
    const { index } = children[at];
    if (index === null) return;
    const bracketed = (...parts: (() => void)[]) => {
      p.say("[");
      p.print(children[at++], depth + 1);
      for (const part of parts) part();
      p.say("]");
    };
    const own = () => void p.print(children[at++], depth + 1);
    const operand = () => printOperand(p, operands.shift(), index, depth);
    switch (index) {
      case specialized.function:
      case specialized.global: {
        // In the old mangling the name is the next child, not an operand.
        const old = operands.length === 0;
        if (old && children.length === at + 1) return;
        bracketed(() => p.say(" : "), old ? own : operand);
        break;
      }
      case specialized.struct:
        bracketed(() => p.say(" : "), operand);
        break;
      case specialized.integer:
      case specialized.float:
        bracketed(() => p.say(" : "), own);
        break;
      case specialized.string: {
        const old = operands.length === 0;
        const quote = () => p.say("'");
        bracketed(() => p.say(" : "), own, quote, old ? own : operand, quote);
        break;
      }
      case specialized.keyPath:
        bracketed(
          () => p.say(" : "),
          operand,
          () => p.say("<"),
          operand,
          () => p.say(","),
          operand,
          () => p.say(">"),
        );
        break;
      case specialized.closure:
        bracketed(() => p.say(" : "), own, () => {
          p.say(", Argument Types : [");
          for (let between = ""; children[at]?.kind === "Type"; at++) {
            p.say(between);
            p.print(children[at], depth + 1);
            between = children[at + 1]?.text === null ? "" : ", ";
          }
          // Swift's own demangler leaves out the closing bracket.
        });
        break;
      case specialized.previousClosure:
        bracketed(() => p.say(" "), own);
        break;
      default:
        own();
    }
  }
}

function printOperand(p: Printer, node: Node | undefined, index: number, depth: number): void {
  if (node === undefined) return;
  if (index === specialized.function || index === specialized.global) {
    p.say(demangled(p, need(node.text)));
  } else if (index === specialized.string && node.text?.startsWith("_")) {
    p.say(node.text.slice(1));
  } else {
    p.print(node, depth + 1);
  }
}

/** Maximum nesting of names. */
const deepest = 8;

/** Prints a name that is part of another name. */
function demangled(p: Printer, name: string): string {
  return p.nesting < deepest ? demangleSwift(name, "full", p.nesting + 1) ?? name : name;
}

/** Prints a constant, a name or a number. */
export function printPayload(p: Printer, { text, index }: Node): void {
  p.say(text === null ? need(index) : demangled(p, text));
}

const flagNames: readonly (readonly [flag: number, name: string])[] = [
  [specialized.existentialToGeneric, "Existential To Protocol Constrained Generic"],
  [specialized.dead, "Dead"],
  [specialized.ownedToGuaranteed, "Owned To Guaranteed"],
  [specialized.guaranteedToOwned, "Guaranteed To Owned"],
  [specialized.exploded, "Exploded"],
];

/** Prints what a parameter was specialized by. */
export function printFact(p: Printer, { index }: Node): void {
  const value = need(index);
  const set = flagNames.filter(([flag]) => (value & flag) !== 0).map(([, name]) => name);
  p.say(set.length > 0 ? set.join(" and ") : specializedNames[value] ?? fail());
}
