/** What `llvm-dwarfdump` prints of call-frame information, and our rows in the same words. */
import type { UnwindRow } from "../../lib/dwarf/mod.ts";

/** By FDE offset. */
export type PrintedFdes = Map<number, PrintedFde>;

export interface PrintedFde {
  readonly start: number;
  readonly end: number;
  /** By address: `CFA=RSP+8: RBP=[CFA-16], RIP=[CFA-8]`, names made numbers, in their order. */
  readonly rows: Map<number, string>;
}

/** Runs `llvm-dwarfdump-19` on one architecture's image.
 *
 * @param bits of an address: it adds to those of 32 bits without wrapping around
 */
export async function dwarfdump(
  path: string,
  bits: number,
): Promise<Record<string, PrintedFdes>> {
  const { stdout, stderr } = await new Deno.Command("llvm-dwarfdump-19", {
    args: ["--eh-frame", path],
  }).output();
  const errors = new TextDecoder().decode(stderr);
  if (errors !== "") throw new Error(errors);
  const sections: Record<string, PrintedFdes> = {};
  let fdes: PrintedFdes = new Map();
  let fde: PrintedFde | undefined;
  for (const line of new TextDecoder().decode(stdout).split("\n")) {
    const section = /^\.(\w+) contents:/.exec(line);
    if (section !== null) sections[section[1]] = fdes = new Map();
    const entry =
      /^([0-9a-f]+) [0-9a-f]+ [0-9a-f]+ (CIE|FDE)(?:.* pc=([0-9a-f]+)\.\.\.([0-9a-f]+))?/
        .exec(line);
    if (entry !== null) {
      const [, offset, kind, start, end] = entry;
      fde = { start: parseAddress(start, bits), end: parseAddress(end, bits), rows: new Map() };
      if (kind === "FDE") fdes.set(parseInt(offset, 16), fde);
    }
    const row = /^ {2}0x([0-9a-f]+): (CFA=.*)$/.exec(line);
    // Of rows at one address the last is the one that holds.
    if (row !== null) fde?.rows.set(parseAddress(row[1], bits), normalize(row[2]));
  }
  return sections;
}

function parseAddress(text: string | undefined, bits: number): number {
  return Number(BigInt.asUintN(bits, BigInt(`0x${text ?? 0}`)));
}

/** Whether LLVM names registers of one kind so, and the DWARF number of its first. */
const families: readonly (readonly [pattern: RegExp, first: number])[] = [
  [/^[WXR](\d+)$/, 0],
  [/^B(\d+)$/, 64],
  [/^D(\d+)$/, 256],
  [/^XMM(\d+)$/, 17],
  [/^ST(\d+)$/, 11],
  [/^reg(\d+)$/, 0],
];

const names: Readonly<Record<string, number>> = {
  ...numbered("RAX RDX RCX RBX RSI RDI RBP RSP", 0),
  ...numbered("EAX ECX EDX EBX ESP EBP ESI EDI EIP", 0),
  ...numbered("WSP", 31),
  ...numbered("SP LR PC", 13),
  RIP: 16,
  EFLAGS: 9,
};

function numbered(list: string, first: number): Record<string, number> {
  return Object.fromEntries(list.split(" ").map((name, index) => [name, first + index]));
}

function registerNumber(name: string): number {
  if (name in names) return names[name];
  for (const [pattern, first] of families) {
    const match = pattern.exec(name);
    if (match !== null) return first + Number(match[1]);
  }
  throw new Error(`a register that the test does not know: ${name}`);
}

function normalize(text: string): string {
  const [, cfa, rules = ""] = /^CFA=(.*?)(?:: (.*))?$/.exec(text)!;
  const registers = new Map<number, string>();
  // Expressions have commas of their own: a rule begins with a name and an equals sign.
  for (const rule of rules.split(/, (?=\w+=)/).filter(Boolean)) {
    const [, name, value] = /^(\w+)=(.*)$/.exec(rule)!;
    // Whether the return address is signed: no register, and no concern of ours.
    if (name !== "reg34") registers.set(registerNumber(name), normalizeValue(value));
  }
  return format(normalizeValue(cfa), registers);
}

function normalizeValue(value: string): string {
  if (value.includes("DW_OP")) {
    return value.replace(/(DW_OP_breg\d+) \w+/g, "$1");
  }
  // Registers by name; CFA, undefined and same stay.
  return value.replace(/^\w+/, (name) => words.has(name) ? name : `r${registerNumber(name)}`)
    .replace(/\+0$/, "");
}

const words = new Set(["CFA", "undefined", "same", "unspecified"]);

function format(cfa: string, registers: ReadonlyMap<number, string>): string {
  const rules = [...registers].sort(([a], [b]) => a - b).map(([n, rule]) => ` r${n}=${rule}`);
  return `CFA=${cfa}:${rules.join("")}`;
}

/** A row as {@linkcode dwarfdump} gives it. */
export function formatRow(row: UnwindRow): string {
  const { cfa } = row;
  const registers = new Map<number, string>();
  for (const [number, rule] of row.registers) {
    switch (rule.kind) {
      case "undefined":
      case "same":
        registers.set(number, rule.kind);
        break;
      case "offset":
        registers.set(number, `[CFA${signed(rule.offset)}]`);
        break;
      case "value-offset":
        registers.set(number, `CFA${signed(rule.offset)}`);
        break;
      case "register":
        registers.set(number, `r${rule.register}`);
        break;
      case "expression":
        registers.set(number, `[${formatExpression(rule.bytes)}]`);
        break;
      case "value-expression":
        registers.set(number, formatExpression(rule.bytes));
    }
  }
  const text = cfa.kind === "register"
    ? `r${cfa.register}${signed(cfa.offset)}`
    : formatExpression(cfa.bytes);
  return format(text, registers);
}

function signed(offset: number): string {
  return offset === 0 ? "" : offset > 0 ? `+${offset}` : `${offset}`;
}

/** The operations that the tests' expressions have. Their operands are one byte long. */
function formatExpression(bytes: Uint8Array): string {
  const operations: string[] = [];
  for (let index = 0; index < bytes.length; index++) {
    const op = bytes[index];
    if (op === 0x06) operations.push("DW_OP_deref");
    else if (op === 0x23) operations.push(`DW_OP_plus_uconst 0x${bytes[++index].toString(16)}`);
    else if (op >= 0x70 && op <= 0x8f) {
      const offset = (bytes[++index] << 25) >> 25;
      operations.push(`DW_OP_breg${op - 0x70}${offset < 0 ? "" : "+"}${offset}`);
    } else throw new Error(`an operation that the test does not know: 0x${op.toString(16)}`);
  }
  return operations.join(", ");
}
