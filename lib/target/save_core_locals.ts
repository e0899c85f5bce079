/** The memory that the variables of all frames take: what they are in, and what they lead to. */
import type { AddressRange } from "../macho/walking.ts";
import { canonical, isPointer, isRecord, type Value } from "../values/mod.ts";
import type { Thread } from "./thread.ts";
import { recordReads } from "./variables.ts";

/** Maximum number of values that are looked at. */
const MAX_VALUES = 1 << 18;
/** Elements of an array or container that are looked at. */
const MAX_ELEMENTS = 256;
/** Nesting of members. */
const MAX_NESTING = 16;

/** How far variables are followed. */
export interface LocalsOptions {
  /** Levels of pointers. */
  readonly levels: number;
  /** Maximum number of bytes. */
  readonly bytes: number;
}

/** The memory that the variables of all frames take, by their types and formatters.
 *
 * @returns the ranges, and whether they are all
 */
export function localsMemory(
  threads: readonly Thread[],
  { levels, bytes }: LocalsOptions,
): { readonly ranges: readonly AddressRange[]; readonly isWhole: boolean } {
  let values = 0;
  const seen = new Set<string>();
  const { ranges, isWhole } = recordReads(bytes, (isFull) => {
    const visit = (value: Value, level: number, nesting: number): void => {
      if (++values > MAX_VALUES || isFull() || nesting > MAX_NESTING) return;
      const { address } = value;
      const type = canonical(value.type);
      if (address !== null && isRecord(type)) {
        // Lists lead back to where they began.
        const key = `${address} ${type.name} ${level}`;
        if (seen.has(key)) return;
        seen.add(key);
      }
      if (value.unavailable !== null) return;
      void value.bytes();
      void value.summary;
      if (isPointer(type)) {
        if (level <= 0) return;
        const target = value.deref();
        if (target !== null) visit(target, level - 1, 0);
        return;
      }
      for (const shown of new Set([value, value.raw])) {
        for (const child of shown.children(0, MAX_ELEMENTS)) visit(child, level, nesting + 1);
      }
    };
    for (const thread of threads) {
      for (const frame of thread.backtrace({ limit: 1000 })) {
        for (const variable of frame.variables) visit(variable, levels, 0);
      }
    }
  });
  return { ranges, isWhole: isWhole && values <= MAX_VALUES };
}
