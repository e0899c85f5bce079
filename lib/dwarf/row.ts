/** One row of call-frame information: how to find a frame's caller at some range of addresses. The
 * words are those of the DWARF standard, section 6.4; registers go by their DWARF numbers. */

/** Where the canonical frame address is: the caller's stack pointer at the call. */
export type CfaRule =
  | { readonly kind: "register"; readonly register: number; readonly offset: number }
  | { readonly kind: "expression"; readonly bytes: Uint8Array };

/** Where a register's value in the caller is.
 *
 * - `undefined`: nowhere; in the row of a return address it means the outermost frame
 * - `same`: still in the register
 * - `offset`: in memory, at the CFA plus `offset` bytes
 * - `value-offset`: it is the CFA plus `offset` itself
 * - `register`: in another register
 * - `expression`: in memory, at the address that the expression computes, the CFA on its stack
 * - `value-expression`: it is what the expression computes
 */
export type RegisterRule =
  | { readonly kind: "undefined" }
  | { readonly kind: "same" }
  | { readonly kind: "offset"; readonly offset: number }
  | { readonly kind: "value-offset"; readonly offset: number }
  | { readonly kind: "register"; readonly register: number }
  | { readonly kind: "expression"; readonly bytes: Uint8Array }
  | { readonly kind: "value-expression"; readonly bytes: Uint8Array };

/** How to find the caller of a frame that is at one of a range of addresses. */
export interface UnwindRow {
  /** The canonical frame address. */
  readonly cfa: CfaRule;
  /** Registers that have no rule keep their value if the callee must save them, and are lost
   * otherwise. */
  readonly registers: ReadonlyMap<number, RegisterRule>;
  /** The register, or the column that stands for none, whose rule gives the return address. */
  readonly returnAddress: number;
  /** Whether the caller was interrupted rather than calling: its address is looked up as it is. */
  readonly signalFrame: boolean;
}
