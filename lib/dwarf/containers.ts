/** The entries that others are declared in: entries do not name their parents. */
import { FormatError } from "../errors.ts";
import { lebEnd, ulebAt } from "../leb128.ts";
import { type AbbreviationTable, formSize } from "./abbreviations.ts";
import { TAG } from "./constants.ts";
import type { UnitContext } from "./unit_context.ts";
import { makeValues, readValue } from "./values.ts";

/** Maximum nesting of entries. More is damage. */
const MAX_DEPTH = 1 << 12;

const containing: ReadonlySet<number> = new Set([
  ...[TAG.namespace, TAG.structure_type, TAG.class_type, TAG.union_type, TAG.interface_type],
  ...[TAG.subprogram, TAG.enumeration_type, TAG.inlined_subroutine, TAG.lexical_block],
]);

const scratch = makeValues(1);

/** The namespaces, classes and functions of a unit that contain other entries. */
export class Containers {
  /** Offsets in `.debug_info`, ascending. */
  readonly #starts: number[] = [];
  readonly #ends: number[] = [];
  /** Index of the container around each; -1 for none. */
  readonly #parents: number[] = [];
  readonly #tags: number[] = [];

  /** Walks over a unit.
   *
   * @param bytes the unit
   * @throws {FormatError} when it is damaged
   */
  constructor(bytes: Uint8Array, unit: UnitContext) {
    const { table, offset, size } = unit;
    const sizes = new Map<number, number>();
    /** The container of the entries at each depth. */
    const open: number[] = [-1];
    let at = unit.entries;
    while (at < size) {
      const start = at;
      const code = ulebAt(bytes, at);
      at = lebEnd(bytes, at);
      if (code === 0) {
        const ended = open.pop();
        if (open.length <= 1) return;
        if (ended !== undefined && ended >= 0 && ended !== open.at(-1)) {
          this.#ends[ended] = offset + at;
        }
        continue;
      }
      const abbreviation = table.get(code);
      if (abbreviation === undefined) throw damage(offset + start, "an entry with an abbreviation");
      let fixed = sizes.get(code);
      if (fixed === undefined) sizes.set(code, fixed = fixedSize(table, code, unit));
      if (fixed >= 0) at += fixed;
      else {
        for (const { form, constant } of abbreviation.attributes) {
          at = readValue(bytes, at, form, constant, unit, scratch, 0);
        }
      }
      if (!(at <= size)) throw damage(offset + start, "a whole entry");
      if (!abbreviation.hasChildren) {
        if (open.length === 1) return;
        continue;
      }
      let container = open[open.length - 1];
      if (containing.has(abbreviation.tag)) {
        this.#parents.push(container);
        container = this.#starts.push(offset + start) - 1;
        this.#ends.push(offset + size);
        this.#tags.push(abbreviation.tag);
      }
      if (open.push(container) > MAX_DEPTH) {
        throw damage(offset + start, "entries less deep in each other");
      }
    }
  }

  /** The containers of an entry, innermost first. */
  of(place: number): { readonly place: number; readonly tag: number }[] {
    let low = 0;
    let high = this.#starts.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#starts[middle] < place) low = middle + 1;
      else high = middle;
    }
    const found: { place: number; tag: number }[] = [];
    for (let index = low - 1; index >= 0; index = this.#parents[index]) {
      if (place < this.#ends[index]) {
        found.push({ place: this.#starts[index], tag: this.#tags[index] });
      }
    }
    return found;
  }
}

/** The size of an entry's values; -1 if it varies. */
function fixedSize(table: AbbreviationTable, code: number, unit: UnitContext): number {
  let sum = 0;
  for (const { form } of table.get(code)?.attributes ?? []) {
    const size = formSize(form, unit);
    if (size < 0) return -1;
    sum += size;
  }
  return sum;
}

function damage(place: number, expected: string): FormatError {
  return new FormatError("__debug_info", place, expected);
}
