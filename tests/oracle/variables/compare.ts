/** Compares the variables of frames with LLDB's, by name, type and value. */
import { canonical } from "../../../lib/values/mod.ts";
import type { Value, Variable } from "../../../mod.ts";

/** A value as both show it. */
interface Shown {
  readonly name: string | null;
  readonly type: string;
  readonly value: string | null;
  readonly error: string | null;
  readonly children?: readonly Shown[];
  readonly line?: number;
}

/** A frame as both show it. */
export interface ShownFrame {
  readonly pc: number;
  readonly function: string | null;
  readonly variables: readonly Shown[];
}

const dump = new URL("./dump.py", import.meta.url).pathname;
const maxChildren = 6;

/** What LLDB shows of a core's threads.
 *
 * @param whole whether of all frames, and not of the innermost activation alone
 */
export async function lldb(core: string, program: string, whole = false): Promise<ShownFrame[][]> {
  const output = `${core}.json`;
  const { stdout, stderr } = await new Deno.Command("lldb-19", {
    args: [
      "-x",
      "-b",
      ...["-o", `command script import ${dump}`],
      ...[
        "-o",
        `script dump.dump("${core}", "${output}", "${program}", ${whole ? "True" : "False"})`,
      ],
    ],
  }).output();
  try {
    return JSON.parse(await Deno.readTextFile(output));
  } catch {
    throw new Error(new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr));
  }
}

function shown(value: Value, depth: number): Shown {
  const isPointer = canonical(value.type).kind === "pointer";
  return {
    name: value.name,
    type: value.type.name,
    value: value.text,
    error: value.unavailable,
    ...(depth > 0 && !isPointer
      ? { children: value.children(0, maxChildren).map((child) => shown(child, depth - 1)) }
      : {}),
  };
}

function ours(variable: Variable): Shown {
  return { ...shown(variable.raw, 3), line: variable.declaration?.line ?? 0 };
}

/** Differences that are right, each with its reason. */
const reasons = {
  pieces: "LLDB fills pieces that were optimized away with zeros; we say that they are unknown",
  vector: "LLDB says that vector registers that a core does not have are zero",
  virtual: "the made-up memory has no tables of virtual bases",
  block: "LLDB has no value for pointers to blocks",
  aggregate: "LLDB tells only of the members that they are unreadable",
  kept: "LLDB takes registers for kept by code that it knows nothing of",
  length: "LLDB shows an array whose length was optimized away as one without elements",
  piece: "LLDB takes a part of a register for an address",
} as const;

/** Why a difference is right; `undefined` when it is not. */
function reasonOf(theirs: Shown, own: Shown): keyof typeof reasons | undefined {
  if (own.error === "optimized out" && theirs.error === null) return "pieces";
  if (/^register (?:xmm|st|v|s|d)\d+ is not known/.test(own.error ?? "")) return "vector";
  if (theirs.name === theirs.type && own.error !== null && theirs.value === null) return "virtual";
  if (/^unreadable at/.test(own.error ?? "") && theirs.value === null) return "aggregate";
  if (own.error === "its length is not known" && (theirs.children ?? []).length === 0) {
    return "length";
  }
  if (/^read memory from 0x/.test(theirs.error ?? "") && own.error === null) return "piece";
  if (/^register x(?:19|2\d) is not known in/.test(own.error ?? "")) return "kept";
  if (theirs.type.includes("(^)") && theirs.value === null) return "block";
}

/** Brings the names of types together where only the writing differs: LLDB writes C's `_Bool` and `restrict`
 * as C++ does, says where a type without a name is declared, and leaves `const` out of the types of methods
 * and of elements without a name. */
function normal(type: string): string {
  return type.replace(/\b_Bool\b/g, "bool").replace(/\b__restrict\b/g, "restrict")
    .replace(/decltype\(nullptr\)/g, "std::nullptr_t")
    .replace(
      /(?:\w+(?:\([^()]*\))?::|\((?:anonymous|unnamed) \w+(?: at [^)]*)?\)::)*\((?:anonymous|unnamed) (\w+)(?: at [^)]*)?\)/g,
      "(unnamed $1)",
    )
    .replace(/(::\*\)\(.*\)) const$/, "$1").replace(/^const (?=\(unnamed \w+\)$)/, "");
}

/** A type without its qualifiers. */
function canonicalName(type: string): string {
  return type.replace(/\b(?:const|volatile) /g, "");
}

/** Whether two numbers are the same: LLDB writes some with more digits, and complex ones with six. */
function isSameNumber(theirs: string, own: string, type: string): boolean {
  if (type === "float") return Math.fround(Number(theirs)) === Math.fround(Number(own));
  const numbers = (text: string) => text.replace(/i$/, "").split(/ \+ /).map(Number);
  const [a, b] = [numbers(theirs), numbers(own)];
  const digits = a.length > 1 ? 1e-5 : 1e-16;
  return a.length === b.length &&
    a.every((value, index) =>
      Object.is(value, b[index]) ||
      type.endsWith("float") && Math.fround(value) === Math.fround(b[index]) ||
      Math.abs(value - b[index]) <= Math.abs(value) * digits
    );
}

/** What was compared. */
export interface Tally {
  compared: number;
  differences: string[];
  explained: Map<string, number>;
}

function compareValue(theirs: Shown, own: Shown, path: string, tally: Tally): void {
  tally.compared++;
  const differ = (what: string, theirs: unknown, own: unknown) =>
    tally.differences.push(
      `${path}: ${what}: LLDB ${JSON.stringify(theirs)}, ours ${JSON.stringify(own)}`,
    );
  if (normal(theirs.type) !== normal(own.type)) differ("type", theirs.type, own.type);
  if (theirs.error !== null && own.error !== null) return;
  const reason = reasonOf(theirs, own);
  if (reason !== undefined) {
    tally.explained.set(reason, (tally.explained.get(reason) ?? 0) + 1);
    return;
  }
  if ((theirs.error === null) !== (own.error === null)) {
    differ("availability", theirs.error ?? theirs.value, own.error ?? own.value);
    return;
  }
  const values = [theirs.value ?? "", own.value ?? ""] as const;
  if (values[0] !== values[1] && !isSameNumber(...values, canonicalName(theirs.type))) {
    differ("value", theirs.value, own.value);
  }
  // LLDB makes members of the gaps between bit fields.
  const isGap = ({ name, type }: Shown) => !name && !normal(type).includes("(unnamed");
  const [a, b] = [(theirs.children ?? []).filter((child) => !isGap(child)), own.children ?? []];
  if (b.length === 0 && a.length > 0 && /&$/.test(theirs.type)) {
    tally.explained.set("aggregate", (tally.explained.get("aggregate") ?? 0) + 1);
    return;
  }
  if (a.length !== b.length) {
    differ("children", a.map(({ name }) => name), b.map(({ name }) => name));
    return;
  }
  a.forEach((child, index) => {
    if ((child.name ?? "") !== (b[index].name ?? "")) {
      differ("child's name", child.name, b[index].name);
    }
    compareValue(child, b[index], `${path}.${child.name}`, tally);
  });
}

/** Compares the frames of a thread. */
export function compareFrames(
  theirs: readonly ShownFrame[],
  own: readonly (readonly Variable[])[],
  where: string,
  tally: Tally,
) {
  theirs.forEach(({ variables, function: name }, index) => {
    const key = ({ name, line }: Shown) => `${name} ${line}`;
    const left = [...own[index] ?? []].map(ours);
    for (const variable of variables) {
      // LLDB lists parameters without a name too.
      if (variable.name === null) continue;
      const at = left.findIndex((candidate) => key(candidate) === key(variable));
      const path = `${where} ${name} ${variable.name}`;
      if (at < 0) {
        tally.differences.push(`${path}: only LLDB has it`);
        continue;
      }
      compareValue(variable, left.splice(at, 1)[0], path, tally);
    }
    for (const { name: variable } of left) {
      tally.differences.push(`${where} ${name} ${variable}: only we have it`);
    }
  });
}
