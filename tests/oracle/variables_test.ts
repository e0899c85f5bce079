/** Every variable of every frame, by name, type and value, against LLDB's `frame variable` on the same core:
 * programs in C, C++ and Objective-C at all levels of optimization, for every architecture. */
import { assert, assertEquals } from "@std/assert";
import type { ArchName } from "../../lib/arch/mod.ts";
import { canonical } from "../../lib/values/mod.ts";
import { openCore, type Value, type Variable } from "../../mod.ts";
import { type Build, build, coreOf } from "./variables/programs.ts";

/** A value as both show it. */
interface Shown {
  readonly name: string | null;
  readonly type: string;
  readonly value: string | null;
  readonly error: string | null;
  readonly children?: readonly Shown[];
  readonly line?: number;
}

interface ShownFrame {
  readonly pc: number;
  readonly function: string | null;
  readonly variables: readonly Shown[];
}

const dump = new URL("./variables/dump.py", import.meta.url).pathname;
const maxChildren = 6;

/** What LLDB shows of a core's threads. */
async function lldb(core: string, program: string, whole = false): Promise<ShownFrame[][]> {
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
  piece: "LLDB takes a part of a register for an address",
} as const;

/** Why a difference is right; `undefined` when it is not. */
function reasonOf(theirs: Shown, own: Shown): keyof typeof reasons | undefined {
  if (own.error === "optimized out" && theirs.error === null) return "pieces";
  if (/^register (?:xmm|st|v|s|d)\d+ is not known/.test(own.error ?? "")) return "vector";
  if (theirs.name === theirs.type && own.error !== null && theirs.value === null) return "virtual";
  if (/^unreadable at/.test(own.error ?? "") && theirs.value === null) return "aggregate";
  if (/^read memory from 0x/.test(theirs.error ?? "") && own.error === null) return "piece";
  if (theirs.type.includes("(^)") && theirs.value === null) return "block";
}

/** Brings the names of types together where only the writing differs: LLDB writes C's `_Bool` and `restrict`
 * as C++ does, says where a type without a name is declared, and leaves `const` out of the types of methods. */
function normal(type: string): string {
  return type.replace(/\b_Bool\b/g, "bool").replace(/\b__restrict\b/g, "restrict")
    .replace(/decltype\(nullptr\)/g, "std::nullptr_t")
    .replace(
      /(?:\w+(?:\([^()]*\))?::|\((?:anonymous|unnamed) \w+(?: at [^)]*)?\)::)*\((?:anonymous|unnamed) (\w+)(?: at [^)]*)?\)/g,
      "(unnamed $1)",
    )
    .replace(/(::\*\)\(.*\)) const$/, "$1");
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

interface Tally {
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

function compareFrames(
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

async function compareBuild(options: Build, tally: Tally): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    const path = await build(options, folder);
    const corePath = `${folder}/core`;
    await Deno.writeFile(corePath, await coreOf(path, options.arch, 8));
    const theirs = await lldb(corePath, path);
    using core = openCore(corePath);
    assertEquals(core.threads.length, theirs.length);
    core.threads.forEach((thread, index) => {
      const frames = [...thread.backtrace({ limit: 1 })];
      const { arch, source, optimization, dwarf } = options;
      const where = `${arch} ${source} ${optimization} dwarf${dwarf} ${
        frames[0].address.toString(16)
      }`;
      compareFrames(theirs[index], frames.map(({ variables }) => variables), where, tally);
    });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** LLVM 13's linker, the last one for armv7, fails on classes of Objective-C. */
const programs: Readonly<Record<ArchName, readonly string[]>> = {
  x86_64: ["types.c", "types.cpp", "types.m"],
  arm64: ["types.c", "types.cpp", "types.m"],
  i386: ["types.c", "types.cpp", "types.m"],
  armv7: ["types.c", "types.cpp"],
};

for (const [arch, sources] of Object.entries(programs) as [ArchName, string[]][]) {
  for (const source of sources) {
    Deno.test(`the variables of ${source} for ${arch} are those of LLDB, name by name and value by value`, async () => {
      const tally: Tally = { compared: 0, differences: [], explained: new Map() };
      const only = Deno.env.get("MACHPAUSE_ORACLE_BUILDS")?.split(",");
      for (const optimization of ["-O0", "-O1", "-O2", "-Os"]) {
        for (const dwarf of [4, 5] as const) {
          if (only !== undefined && !only.includes(`${optimization}${dwarf}`)) continue;
          await compareBuild({ arch, source, optimization, dwarf }, tally);
        }
      }
      console.log(
        `${tally.compared} values of ${arch} ${source}; ${JSON.stringify([...tally.explained])}`,
      );
      const different = new Set(
        tally.differences.map((text) => text.replace(/ [0-9a-f]{8} /, " ")),
      );
      assertEquals([...different].slice(0, 60), []);
      assert(tally.compared > 0);
    });
  }
}
