/** The walk over all entries of a unit, for its functions and inlined calls. Most of the time for reading
 * debug information is spent here. */
import { FormatError } from "../errors.ts";
import { lebEnd, ulebAt } from "../leb128.ts";
import { KIND, SLOT, SLOTS, STEP, varyingStep } from "./abbreviations.ts";
import type { Addresses } from "./addresses.ts";
import { FORM } from "./constants.ts";
import type { RangeLists } from "./range_lists.ts";
import { Ranges } from "./range_lists.ts";
import { addRanges, type UnitContext } from "./unit_context.ts";
import { makeValues, readValue, referenceTarget, stringRef } from "./values.ts";
import { u32At } from "./words.ts";

/** Maximum nesting of entries. More is damage. */
const MAX_DEPTH = 1 << 16;
/** Bytes of a unit per call. V8 compiles a function that is called often once. It compiles a loop over a whole
 * unit several times, in the middle of the first units, each time without the paths not taken so far. */
const STRETCH = 1 << 10;
/** Unknown, in a column. */
const UNKNOWN = 0xffffffff;
/** In place of a scope: outside of functions. */
const NO_SCOPE = -1;
/** In place of a scope: in a function without code of its own, such as one that was inlined everywhere. */
const CODELESS = -2;

/** The result of the walk, in columns that are reused for the next unit. */
export class Walk {
  /** Number of functions, including declarations, by ascending offset. */
  functionCount = 0;
  /** Offset of the entry in the unit. */
  functionEntry: Int32Array = new Int32Array(1024);
  // Packed by `packString`.
  functionName: Float64Array = new Float64Array(1024);
  functionLinkage: Float64Array = new Float64Array(1024);
  /** Offset in `.debug_info` of the entry with the names, if this has none; -1 if there is no such entry. */
  functionOrigin: Float64Array = new Float64Array(1024);

  scopeCount = 0;
  scopeParent: Int32Array = new Int32Array(1024);
  /** Offset of the function's entry in `.debug_info`. */
  scopeEntry: Float64Array = new Float64Array(1024);
  /** Offset in the unit of the entry that has the ranges. */
  scopePlace: Uint32Array = new Uint32Array(1024);
  scopeCallFile: Uint32Array = new Uint32Array(1024);
  scopeCallLine: Uint32Array = new Uint32Array(1024);
  scopeCallColumn: Uint32Array = new Uint32Array(1024);
  scopeRanges: Uint32Array = new Uint32Array(1024);
  readonly ranges: Ranges = new Ranges();

  readonly #addresses: Addresses;
  readonly #lists: RangeLists;
  readonly #values = makeValues(SLOTS);
  /** The innermost scope at each depth. */
  #enclosing = new Int32Array(256);
  /** The current depth. */
  #depth = 0;

  constructor(addresses: Addresses, lists: RangeLists) {
    this.#addresses = addresses;
    this.#lists = lists;
  }

  /** Walks over a unit.
   *
   * @param bytes the unit
   * @throws {FormatError} when it is damaged
   */
  run(bytes: Uint8Array, unit: UnitContext): void {
    this.functionCount = 0;
    this.scopeCount = 0;
    this.ranges.count = 0;
    this.#depth = 0;
    this.#enclosing[0] = NO_SCOPE;
    const { size } = unit;
    let at = unit.entries;
    while (at < size) at = this.#stretch(bytes, unit, at, Math.min(size, at + STRETCH));
    if (at > size) throw damage(unit, size, "a whole entry");
    if (this.scopeCount === this.scopeRanges.length) this.#growScopes();
    this.scopeRanges[this.scopeCount] = this.ranges.count;
  }

  /** Walks over the entries that begin before `limit`.
   *
   * @returns the offset of the next entry; the unit's size after the last
   */
  #stretch(bytes: Uint8Array, unit: UnitContext, at: number, limit: number): number {
    const values = this.#values;
    const { low, high } = values;
    const { dense, plain, kinds, plans, steps, forms } = unit.table;
    const { size } = unit;
    const codes = dense.length;
    let enclosing = this.#enclosing;
    let depth = this.#depth;
    while (at < limit) {
      const entry = at;
      let code = bytes[at++];
      if (code >= 0x80) {
        const next = bytes[at++];
        if (next < 0x80) code = (code & 0x7f) | (next << 7);
        else {
          code = ulebAt(bytes, entry);
          at = lebEnd(bytes, entry);
        }
      }
      // Most entries, such as parameters and variables, are skipped here.
      if (code < codes) {
        const length = plain[code];
        if (length !== 0) {
          at += length - 1;
          continue;
        }
      }
      if (code === 0) {
        if (--depth <= 0) return size;
        continue;
      }
      const number = code < codes ? dense[code] : unit.table.number(code);
      if (number === 0) throw damage(unit, entry, `an entry with an abbreviation, not ${code}`);
      let plan = plans[number];
      at += steps[plan++];
      values.forms = forms[number];
      for (let step = steps[plan++]; step !== STEP.end; step = steps[plan++]) {
        const slot = step >> 4;
        const way = step & 15;
        if (way === STEP.take4) {
          low[slot] = u32At(bytes, at);
          at += 4;
        } else if (way === STEP.take1) {
          low[slot] = bytes[at++];
        } else if (way === STEP.take2) {
          low[slot] = bytes[at] | (bytes[at + 1] << 8);
          at += 2;
        } else if (way === STEP.take_address) {
          low[slot] = u32At(bytes, at);
          high[slot] = u32At(bytes, at + 4);
          at += 8;
        } else if (way === STEP.take) {
          const form = steps[plan++];
          // The form is in the entry: it must not change the abbreviation.
          if (form === FORM.indirect) values.forms = values.forms.slice();
          at = readValue(bytes, at, form, steps[plan++], unit, values, slot);
        } else if (step === STEP.block) {
          const length = bytes[at++];
          if (length < 0x80) at += length;
          else at = lebEnd(bytes, at - 1) + ulebAt(bytes, at - 1);
        } else {
          at = pass(bytes, at, step, unit);
        }
        at += steps[plan++];
      }
      // True for NaN too.
      if (!(at <= size)) throw damage(unit, entry, "a whole entry");
      const kind = kinds[number];
      if (kind === KIND.skip) continue;
      let scope = enclosing[depth];
      const action = kind & 15;
      if (action >= KIND.subprogram) {
        scope = this.#add(unit, entry, action, scope);
      } else if (action === KIND.jump || action === KIND.class && scope === NO_SCOPE) {
        const sibling = referenceTarget(values.forms[SLOT.sibling], low[SLOT.sibling], 0);
        // Forward only, so that the walk ends.
        if (sibling > at && sibling <= size) {
          at = sibling;
          continue;
        }
      }
      if (kind >= 16) {
        if (++depth === enclosing.length) {
          if (depth > MAX_DEPTH) throw damage(unit, entry, "entries less deep in each other");
          this.#enclosing = new Int32Array(depth * 2);
          this.#enclosing.set(enclosing);
          enclosing = this.#enclosing;
        }
        enclosing[depth] = scope;
      } else if (depth === 0) return size;
    }
    this.#depth = depth;
    return at;
  }

  /** Adds a function or an inlined call; returns the scope of its children. */
  #add(unit: UnitContext, entry: number, kind: number, parent: number): number {
    const values = this.#values;
    const { forms, low } = values;
    const place = unit.offset + entry;
    const origin = referenceTarget(
      forms[SLOT.abstract_origin],
      low[SLOT.abstract_origin],
      unit.offset,
    );
    // An inlined call has the names of its function; without one it may have its own.
    if (kind === KIND.subprogram || origin < 0) {
      const specification = referenceTarget(
        forms[SLOT.specification],
        low[SLOT.specification],
        unit.offset,
      );
      const at = this.functionCount;
      if (at === this.functionEntry.length) this.#growFunctions();
      this.functionEntry[at] = entry;
      this.functionName[at] = stringRef(forms[SLOT.name], low[SLOT.name], unit.offset);
      this.functionLinkage[at] = stringRef(
        forms[SLOT.linkage_name],
        low[SLOT.linkage_name],
        unit.offset,
      );
      this.functionOrigin[at] = origin >= 0 ? origin : specification;
      this.functionCount = at + 1;
    }
    const first = this.ranges.count;
    // Most functions of C++ are declarations.
    const given = (forms[SLOT.low_pc] !== 0 || forms[SLOT.ranges] !== 0) && addRanges(
      values,
      SLOT.low_pc,
      SLOT.high_pc,
      SLOT.ranges,
      unit,
      this.#addresses,
      this.#lists,
      this.ranges,
    );
    const inlined = kind === KIND.inlined;
    // A declaration, or code that the linker removed. A call inside a function counts even without code:
    // calls inlined into it may have some.
    if ((!given || this.ranges.count === first) && (!inlined || parent < 0)) return CODELESS;
    const scope = this.scopeCount;
    if (scope === this.scopeParent.length) this.#growScopes();
    this.scopeParent[scope] = inlined ? Math.max(NO_SCOPE, parent) : NO_SCOPE;
    this.scopeEntry[scope] = origin >= 0 ? origin : place;
    this.scopePlace[scope] = entry;
    this.scopeCallFile[scope] = inlined && forms[SLOT.call_file] !== 0
      ? low[SLOT.call_file]
      : UNKNOWN;
    this.scopeCallLine[scope] = inlined && forms[SLOT.call_line] !== 0 ? low[SLOT.call_line] : 0;
    this.scopeCallColumn[scope] = inlined && forms[SLOT.call_column] !== 0
      ? low[SLOT.call_column]
      : 0;
    this.scopeRanges[scope] = first;
    this.scopeCount = scope + 1;
    return scope;
  }

  #growFunctions(): void {
    const length = this.functionEntry.length * 2;
    this.functionEntry = grown(this.functionEntry, new Int32Array(length));
    this.functionName = grown(this.functionName, new Float64Array(length));
    this.functionLinkage = grown(this.functionLinkage, new Float64Array(length));
    this.functionOrigin = grown(this.functionOrigin, new Float64Array(length));
  }

  #growScopes(): void {
    const length = this.scopeParent.length * 2;
    this.scopeParent = grown(this.scopeParent, new Int32Array(length));
    this.scopeEntry = grown(this.scopeEntry, new Float64Array(length));
    this.scopePlace = grown(this.scopePlace, new Uint32Array(length));
    this.scopeCallFile = grown(this.scopeCallFile, new Uint32Array(length));
    this.scopeCallLine = grown(this.scopeCallLine, new Uint32Array(length));
    this.scopeCallColumn = grown(this.scopeCallColumn, new Uint32Array(length));
    this.scopeRanges = grown(this.scopeRanges, new Uint32Array(length));
  }
}

/** Copies a column to a larger one. */
export function grown<T extends Float64Array | Uint32Array | Int32Array>(column: T, larger: T): T {
  larger.set(column);
  return larger;
}

function damage(unit: UnitContext, entry: number, expected: string): FormatError {
  return new FormatError("__debug_info", unit.offset + entry, expected);
}

/** Skips an attribute with one of the rare steps; returns its end, NaN for an unknown form. */
function pass(bytes: Uint8Array, at: number, step: number, unit: UnitContext): number {
  switch (step) {
    case STEP.leb:
      return lebEnd(bytes, at);
    case STEP.block:
      return lebEnd(bytes, at) + ulebAt(bytes, at);
    case STEP.block1:
      return at + 1 + bytes[at];
    case STEP.block2:
      return at + 2 + (bytes[at] | (bytes[at + 1] << 8));
    case STEP.block4:
      return at + 4 + u32At(bytes, at);
    case STEP.string:
      while (bytes[at++] > 0);
      return at;
    default: {
      // DW_FORM_indirect: the form is here.
      const form = ulebAt(bytes, at);
      at = lebEnd(bytes, at);
      if (form === FORM.indirect || form === FORM.implicit_const) return NaN;
      const varying = varyingStep(form);
      if (varying !== undefined) return pass(bytes, at, varying, unit);
      return readValue(bytes, at, form, 0, unit, scratch, 0);
    }
  }
}

const scratch = makeValues(1);
