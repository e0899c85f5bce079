/** Specializations in the old mangling, where they come before the specialized symbol. */

import { fail, need, type Node } from "./node.ts";
import { oldConformance } from "./old.ts";
import type { OldState } from "./old_state.ts";
import { demangleOldType } from "./old_types.ts";
import { specialized } from "./tables.ts";

/** After `_TTS`. */
export function oldSpecialization(s: OldState): Node {
  const generic = s.accept("g")
    ? "GenericSpecialization"
    : s.accept("r")
    ? "GenericSpecializationNotReAbstracted"
    : null;
  if (!generic && !s.accept("f")) fail();
  const node = s.node(generic ?? "FunctionSignatureSpecialization");
  if (s.accept("q")) node.children.push(s.node("IsSerialized"));
  const pass = s.next();
  node.children.push(s.leaf("SpecializationPassID", /^\d$/.test(pass) ? Number(pass) : fail()));
  node.children.push(...s.until(generic ? typeArgument : parameter));
  return node;
}

function typeArgument(s: OldState): Node {
  const type = demangleOldType(s);
  return s.node("GenericSpecializationParam", type, ...s.until(oldConformance));
}

function fact(s: OldState, value: number): Node {
  return s.leaf("FunctionSignatureSpecializationParamKind", value);
}

function payload(s: OldState, text: string | null): Node {
  return s.leaf("FunctionSignatureSpecializationParamPayload", need(text));
}

const plain: Readonly<Record<string, number>> = {
  i_: specialized.boxToValue,
  k_: specialized.boxToStack,
  r_: specialized.inoutToOut,
};

const flags: Readonly<Record<string, number>> = {
  d: specialized.dead,
  g: specialized.ownedToGuaranteed,
  o: specialized.guaranteedToOwned,
  s: specialized.exploded,
};

function parameter(s: OldState): Node {
  return s.list("FunctionSignatureSpecializationParam", facts(s));
}

function facts(s: OldState): Node[] {
  if (s.accept("n_")) return [];
  if (s.accept("cp")) return constant(s);
  if (s.accept("cl")) {
    const name = s.identifier();
    return [fact(s, specialized.closure), payload(s, name.text), ...s.until(demangleOldType)];
  }
  for (const [letters, value] of Object.entries(plain)) {
    if (s.accept(letters)) return [fact(s, value)];
  }
  let all = 0;
  for (const [letter, flag] of Object.entries(flags)) if (s.accept(letter)) all |= flag;
  return all !== 0 && s.accept("_") ? [fact(s, all)] : fail();
}

function constant(s: OldState): Node[] {
  const named = s.accept("fr") ? specialized.function : s.accept("g") ? specialized.global : null;
  if (named !== null) {
    const name = s.identifier();
    return s.accept("_") ? [fact(s, named), payload(s, name.text)] : fail();
  }
  const counted = s.accept("i") ? specialized.integer : s.accept("fl") ? specialized.float : null;
  if (counted !== null) {
    let text = "";
    while (!s.accept("_")) text += s.next() || fail();
    return [fact(s, counted), payload(s, text)];
  }
  if (!s.accept("se")) fail();
  const encoding = s.accept("0") ? "u8" : s.accept("1") ? "u16" : fail();
  if (!s.accept("v")) fail();
  const text = s.identifier();
  return s.accept("_")
    ? [fact(s, specialized.string), payload(s, encoding), payload(s, text.text)]
    : fail();
}
