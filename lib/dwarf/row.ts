/** A row of call-frame information: how to find a frame's caller in a range of addresses. The terms are those
 * of the DWARF standard, section 6.4; registers have DWARF numbers. */

/** The rule for the canonical frame address: the caller's stack pointer at the call. */
export type CfaRule =
  | { readonly kind: "register"; readonly register: number; readonly offset: number }
  | { readonly kind: "expression"; readonly bytes: Uint8Array };

/** The rule for a register's value in the caller.
 *
 * - `undefined`: lost; for the return address it means the outermost frame
 * - `same`: still in the register
 * - `offset`: in memory, at the CFA plus `offset` bytes
 * - `value-offset`: the CFA plus `offset` itself
 * - `register`: in another register
 * - `expression`: in memory, at the address that the expression computes from the CFA on its stack
 * - `value-expression`: the result of the expression
 */
export type RegisterRule =
  | { readonly kind: "undefined" }
  | { readonly kind: "same" }
  | { readonly kind: "offset"; readonly offset: number }
  | { readonly kind: "value-offset"; readonly offset: number }
  | { readonly kind: "register"; readonly register: number }
  | { readonly kind: "expression"; readonly bytes: Uint8Array }
  | { readonly kind: "value-expression"; readonly bytes: Uint8Array };

/** How to find the caller of a frame in a range of addresses. */
export interface UnwindRow {
  /** The canonical frame address. */
  readonly cfa: CfaRule;
  /** Rules by register. A register without a rule keeps its value if it is callee-saved, and is lost otherwise. */
  readonly registers: ReadonlyMap<number, RegisterRule>;
  /** The column whose rule gives the return address: a register, or a number that is no register's. */
  readonly returnAddress: number;
  /** Whether the caller was interrupted instead of calling: its address is exact. */
  readonly signalFrame: boolean;
}
