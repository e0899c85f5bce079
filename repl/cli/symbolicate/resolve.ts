/** What `symbolicate` resolves addresses with. */
import type { AddressInfo, MissingSymbols } from "../../../lib/symbols/mod.ts";

/** Resolves addresses. */
export interface Source extends Disposable {
  /** The images looked up whose debug information is missing. */
  readonly missing: readonly MissingSymbols[];
  /** Added to an address as it was given. */
  readonly base: bigint;
  /** Resolves addresses, some at a time, in an order of its own.
   *
   * @param prepare called and awaited before `tell` gets some of the answers
   * @param tell gets the index of an address and what is known about it
   */
  each(
    addresses: BigUint64Array,
    prepare: (known: readonly AddressInfo[]) => Promise<void>,
    tell: (index: number, known: AddressInfo) => void,
  ): Promise<void>;
}
