import type { Arch } from "../arch/mod.ts";
import type { CfaRule, RegisterRule, UnwindRow } from "../dwarf/mod.ts";

/** Describes a row, as in `CFA = rsp + 16; rip = [CFA - 8]; rbp = [CFA - 16]`.
 *
 * @example
 * ```ts
 * import { x86_64 } from "../arch/mod.ts";
 * import { describeRow } from "./describe.ts";
 *
 * console.log(describeRow(x86_64, {
 *   cfa: { kind: "register", register: 7, offset: 8 },
 *   registers: new Map([[16, { kind: "offset", offset: -8 }]]),
 *   returnAddress: 16,
 *   signalFrame: false,
 * })); // CFA = rsp + 8; rip = [CFA - 8]
 * ```
 */
export function describeRow(arch: Arch, row: UnwindRow): string {
  const parts = [`CFA = ${cfa(arch, row.cfa)}`];
  for (const [number, rule] of row.registers) {
    parts.push(`${registerName(arch, number)} = ${value(arch, rule)}`);
  }
  if (!row.registers.has(row.returnAddress)) {
    parts.push(`returns to ${registerName(arch, row.returnAddress)}`);
  }
  if (row.signalFrame) parts.push("interrupted by a signal");
  return parts.join("; ");
}

function registerName(arch: Arch, number: number): string {
  return arch.threadState.registers.find(({ dwarf }) => dwarf === number)?.name ?? `r#${number}`;
}

function plus(base: string, offset: number): string {
  return offset === 0 ? base : `${base} ${offset < 0 ? "-" : "+"} ${Math.abs(offset)}`;
}

function cfa(arch: Arch, rule: CfaRule): string {
  return rule.kind === "expression"
    ? "an expression"
    : plus(registerName(arch, rule.register), rule.offset);
}

function value(arch: Arch, rule: RegisterRule): string {
  switch (rule.kind) {
    case "undefined":
      return "lost";
    case "same":
      return "unchanged";
    case "offset":
      return `[${plus("CFA", rule.offset)}]`;
    case "value-offset":
      return plus("CFA", rule.offset);
    case "register":
      return registerName(arch, rule.register);
    case "expression":
      return "[an expression]";
    case "value-expression":
      return "an expression";
  }
}
