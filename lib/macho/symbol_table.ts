/** The symbols of one image, sorted once into typed arrays, so that the symbol of an address is one
 * binary search. Names stay bytes until somebody asks for them. */

import type { RawText } from "../escape.ts";
import { hex } from "../hex.ts";
import { sortByWord } from "./radix.ts";
import type { StringTable } from "./strings.ts";
import { compareBytes } from "./strings.ts";
import type { Symbol as SymbolShape, SymbolMatch } from "./types.ts";

/** Where a symbol comes from; of two at the same address the lower is preferred. Two bits. */
export const RANK = {
  /** External, from the symbol table. */
  EXTERNAL: 0,
  /** Local, from the symbol table. */
  LOCAL: 1,
  /** From the export trie, where the symbol table has no external one. */
  EXPORT: 2,
  /** From Objective-C metadata. */
  OBJC: 3,
} as const;

/** Symbols of one origin, as columns. */
export interface SymbolColumns {
  readonly count: number;
  /** Bytes from the load address, without the Thumb bit. */
  readonly offsets: Float64Array;
  /** {@linkcode RANK} of each. */
  readonly ranks: Uint8Array;
  /** 1 for Thumb code. */
  readonly thumb: Uint8Array;
  /** Into `names`. */
  readonly nameOffsets: Uint32Array;
  readonly names: StringTable;
}

/** A section's place, in bytes from the load address. */
export interface SectionSpan {
  readonly start: number;
  readonly end: number;
}

/** What a {@linkcode SymbolTable} is made from. */
export interface SymbolTableInput {
  readonly loadAddress: bigint;
  /** With at most {@linkcode MAX_SYMBOLS} symbols together. */
  readonly columns: readonly SymbolColumns[];
  /** Rising; see `LC_FUNCTION_STARTS`. */
  readonly functionStarts: Float64Array;
  readonly sections: readonly SectionSpan[];
}

/** At most so many symbols are indexed: no image has more, and damage must not cost memory. */
export const MAX_SYMBOLS = 2 ** 23;
/** Offsets of symbols are below this, in either direction: a quarter of a terabyte. */
const OFFSET_BIAS = 2 ** 38;

/** In `#entries`: a function start without a name, and a stretch about which nothing is known. */
const NAMELESS = -1;
const NOTHING = -2;

/** What the dyld shared cache has in place of the names of local symbols: `<re`. */
const REDACTED_PREFIX = 0x3c | (0x72 << 8) | (0x65 << 16);
const REDACTED = new TextEncoder().encode("<redacted>");

/** One symbol, as the public interface has it. */
export class TableSymbol implements SymbolShape {
  readonly name: string;
  constructor(
    readonly rawName: string,
    readonly address: bigint,
    readonly size: number,
    readonly external: boolean,
    readonly thumb: boolean,
  ) {
    this.name = rawName.startsWith("_") ? rawName.slice(1) : rawName;
  }

  toString(): string {
    return this.name;
  }

  toJSON(): unknown {
    const { name, rawName, size, external, thumb } = this;
    return { name, rawName, address: hex(this.address), size, external, thumb };
  }

  [Symbol.for("Deno.customInspect")](): string {
    return `Symbol(${this.name} ${hex(this.address)}+${this.size})`;
  }
}

/** The symbols of an image. Got from {@linkcode Image.symbols}.
 *
 * @example
 * ```ts
 * import { Image } from "@machpause/machpause";
 *
 * const { symbols } = Image.fromFile(await Deno.readFile("demo"), "demo");
 * console.log(symbols.count, symbols.symbolAt(0x720)?.symbol?.name);
 * ```
 */
export class SymbolTable {
  readonly #loadAddress: bigint;
  readonly #columns: readonly SymbolColumns[];
  /** The first sorted-out number of each of `#columns`: symbol `n` of column `c` is `#firsts[c] + n`. */
  readonly #firsts: readonly number[];
  /** All symbols with a name, by offset, rank and name: numbers as `#firsts` has them. */
  readonly #order: Uint32Array;
  /** The offset of each of `#order`. */
  readonly #orderOffsets: Float64Array;
  /** Where something begins: a symbol, a nameless function, or a stretch of nothing. Rising. */
  readonly #starts: Float64Array;
  /** What begins there: an index into `#order`, or one of the negative marks. */
  readonly #entries: Int32Array;
  readonly #symbols = new Map<number, SymbolShape>();

  /** Sorts the symbols and builds the index. */
  constructor(input: SymbolTableInput) {
    this.#loadAddress = input.loadAddress;
    this.#columns = input.columns;
    const firsts: number[] = [];
    let total = 0;
    for (const { count } of input.columns) {
      firsts.push(total);
      total += count;
    }
    this.#firsts = firsts;
    const { order, offsets } = this.#sort(Math.min(total, MAX_SYMBOLS));
    this.#order = order;
    this.#orderOffsets = offsets;
    const { starts, entries } = buildIndex(
      offsets,
      (index) => this.#rank(order[index]) <= RANK.LOCAL,
      input.functionStarts,
      input.sections,
    );
    this.#starts = starts;
    this.#entries = entries;
  }

  /** How many symbols have a name and an address. */
  get count(): number {
    return this.#order.length;
  }

  /** How many places the index of addresses has: symbols, nameless functions and gaps. */
  get indexSize(): number {
    return this.#starts.length;
  }

  /** The symbol that holds the byte at `offset` from the load address; `null` when nothing is known
   * about it. */
  symbolAt(offset: number): SymbolMatch | null {
    const starts = this.#starts;
    let low = 0;
    let high = starts.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (starts[middle] <= offset) low = middle + 1;
      else high = middle;
    }
    if (low === 0) return null;
    const entry = this.#entries[low - 1];
    if (entry === NOTHING) return null;
    const symbol = entry === NAMELESS ? null : this.#symbol(entry, low - 1);
    return { symbol, offset: offset - starts[low - 1] };
  }

  /** The symbols of exactly that name, with or without the leading underscore, in address order.
   * A name as the table has it comes before one that lacks its underscore. */
  find(name: string): SymbolShape[] {
    const exact: SymbolShape[] = [];
    const underscored: SymbolShape[] = [];
    const raw = new TextEncoder().encode(name);
    const prefixed = new TextEncoder().encode(`_${name}`);
    for (let index = 0; index < this.#order.length; index++) {
      const number = this.#order[index];
      const column = this.#column(number);
      const { names, nameOffsets } = this.#columns[column];
      const nameOffset = nameOffsets[number - this.#firsts[column]];
      if (names.equals(nameOffset, raw)) exact.push(this.#symbol(index));
      else if (names.equals(nameOffset, prefixed)) underscored.push(this.#symbol(index));
    }
    return [...exact, ...underscored];
  }

  /** See {@linkcode namesStartingWith}. */
  startingWith(prefix: string, limit: number): NamesFound {
    return namesStartingWith(this.#columns, prefix, limit);
  }

  /** All symbols by address; of those at the same address the preferred one first. */
  *[Symbol.iterator](): IterableIterator<SymbolShape> {
    for (let index = 0; index < this.#order.length; index++) yield this.#symbol(index);
  }

  /** The column that holds symbol `number`. */
  #column(number: number): number {
    let column = this.#firsts.length - 1;
    while (this.#firsts[column] > number) column--;
    return column;
  }

  #rank(number: number): number {
    const column = this.#column(number);
    return this.#columns[column].ranks[number - this.#firsts[column]];
  }

  #nameBytes(number: number): Uint8Array {
    const column = this.#column(number);
    const { names, nameOffsets } = this.#columns[column];
    return names.bytesAt(nameOffsets[number - this.#firsts[column]]);
  }

  /** The symbol at `index` of `#order`. */
  #symbol(index: number, start = this.#startOf(index)): SymbolShape {
    const known = this.#symbols.get(index);
    if (known !== undefined) return known;
    const number = this.#order[index];
    const column = this.#column(number);
    const { names, nameOffsets, ranks, thumb } = this.#columns[column];
    const row = number - this.#firsts[column];
    const offset = this.#orderOffsets[index];
    // The last start is always an end, unless there are no sections to end.
    const end = start >= 0 && start + 1 < this.#starts.length ? this.#starts[start + 1] : offset;
    const symbol = new TableSymbol(
      names.at(nameOffsets[row]),
      this.#loadAddress + BigInt(offset),
      end - offset,
      ranks[row] === RANK.EXTERNAL || ranks[row] === RANK.EXPORT,
      thumb[row] === 1,
    );
    this.#symbols.set(index, symbol);
    return symbol;
  }

  /** Where in `#starts` the address of `index` of `#order` is; -1 when it is in no section. */
  #startOf(index: number): number {
    const offset = this.#orderOffsets[index];
    const starts = this.#starts;
    let low = 0;
    let high = starts.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (starts[middle] < offset) low = middle + 1;
      else high = middle;
    }
    return starts[low] === offset && this.#entries[low] >= 0 ? low : -1;
  }

  /** Whether a symbol's name says something. */
  #isNamed(column: SymbolColumns, row: number): boolean {
    const prefix = column.names.prefixAt(column.nameOffsets[row]);
    if ((prefix & 0xff) === 0) return false;
    return prefix !== REDACTED_PREFIX ||
      !column.names.equals(column.nameOffsets[row], REDACTED);
  }

  /** Sorts all symbols by offset, rank and name; names are compared only where the rest is equal. */
  #sort(limit: number): { order: Uint32Array; offsets: Float64Array } {
    // Of each symbol the offset's lower 30 bits and the rank, then the bits above.
    const keys = new Uint32Array(2 * limit);
    const numbers = new Uint32Array(limit);
    let count = 0;
    let number = 0;
    for (const column of this.#columns) {
      const { offsets, ranks } = column;
      for (let row = 0; row < column.count && number < limit; row++, number++) {
        const biased = offsets[row] + OFFSET_BIAS;
        if (!(biased >= 0 && biased < 2 * OFFSET_BIAS) || !this.#isNamed(column, row)) continue;
        const high = Math.floor(biased / 2 ** 30);
        keys[2 * number] = ((biased - high * 2 ** 30) << 2) | ranks[row];
        keys[2 * number + 1] = high;
        numbers[count++] = number;
      }
    }
    const order = numbers.subarray(0, count);
    sortByWord(order, keys, 2, 0);
    sortByWord(order, keys, 2, 1);
    const offsets = new Float64Array(count);
    let start = 0;
    for (let index = 0; index < count; index++) {
      const [low, high] = [keys[2 * order[index]], keys[2 * order[index] + 1]];
      offsets[index] = high * 2 ** 30 + (low >>> 2) - OFFSET_BIAS;
      const next = 2 * order[index + 1];
      if (index + 1 < count && keys[next] === low && keys[next + 1] === high) continue;
      if (index > start) this.#sortByName(order.subarray(start, index + 1));
      start = index + 1;
    }
    return { order, offsets };
  }

  #sortByName(numbers: Uint32Array): void {
    const named = Array.from(numbers, (number) => ({ number, name: this.#nameBytes(number) }));
    named.sort((a, b) => compareBytes(a.name, b.name) || a.number - b.number);
    named.forEach(({ number }, index) => numbers[index] = number);
  }
}

/** The part of {@linkcode SymbolColumns} that names are found by. */
export type NameColumns = Pick<SymbolColumns, "count" | "nameOffsets" | "names">;

/** Some of the names that were looked for. */
export interface NamesFound {
  /** Without their leading underscore where they were found without it. */
  readonly names: readonly RawText[];
  /** How many more there are. */
  readonly more: number;
}

/** The names that begin with `prefix`, with or without their leading underscore, for whoever types one.
 * Nothing has to be sorted for it.
 *
 * @param limit so many names at most
 */
export function namesStartingWith(
  columns: readonly NameColumns[],
  prefix: string,
  limit: number,
): NamesFound {
  const raw = new TextEncoder().encode(prefix);
  const found = new Set<string>();
  let more = 0;
  for (const { count, names, nameOffsets } of columns) {
    for (let row = 0; row < count; row++) {
      const kind = names.startsWith(nameOffsets[row], raw);
      if (kind === 0) continue;
      const name = found.size < limit ? names.at(nameOffsets[row]) : "";
      if (name === "") more++;
      else found.add(kind === 2 ? name.slice(1) : name);
    }
  }
  return { names: [...found], more };
}

/** Joins symbols, function starts and section bounds into one rising list of where each thing begins.
 * Of a function that the symbol table names where it starts, other sources have nothing to say.
 *
 * @param symbols the offsets of the sorted symbols
 * @param isTabled whether one of them is in the symbol table
 */
function buildIndex(
  symbols: Float64Array,
  isTabled: (index: number) => boolean,
  functionStarts: Float64Array,
  sections: readonly SectionSpan[],
): { starts: Float64Array; entries: Int32Array } {
  const spans = sections.filter(({ start, end }) => start < end)
    .sort((a, b) => a.start - b.start || a.end - b.end);
  // Each symbol and function start begins one thing; each section may begin and end a gap.
  const starts = new Float64Array(symbols.length + functionStarts.length + 2 * spans.length + 1);
  const entries = new Int32Array(starts.length);
  let count = 0;
  const add = (offset: number, entry: number): void => {
    starts[count] = offset;
    entries[count++] = entry;
  };
  let symbol = lowerBound(symbols, 0);
  // What lies in the header, before the first section, belongs to `__mh_execute_header` and its like.
  if (symbol < symbols.length && symbols[symbol] === 0 && (spans[0]?.start ?? 0) > 0) {
    add(0, symbol);
    add(spans[0].start, NOTHING);
  }
  let previousEnd = -Infinity;
  for (const span of spans) {
    // Overlapping sections are damage: the first keeps its bytes.
    const start = Math.max(span.start, previousEnd);
    if (start >= span.end) continue;
    previousEnd = span.end;
    symbol = lowerBound(symbols, start);
    let functionStart = lowerBound(functionStarts, start);
    // The end mark of the section before may be this section's start.
    if (count > 0 && starts[count - 1] === start) count--;
    add(start, NOTHING);
    let told = false;
    for (;;) {
      const nextSymbol = symbols[symbol] ?? Infinity;
      const nextFunction = functionStarts[functionStart] ?? Infinity;
      const next = Math.min(nextSymbol, nextFunction);
      if (next >= span.end) break;
      const tabled = nextSymbol === next && isTabled(symbol);
      if (nextFunction === next) told = tabled;
      if (!told || tabled) {
        if (starts[count - 1] === next) count--;
        add(next, nextSymbol === next ? symbol : NAMELESS);
      }
      // Of several symbols at one address the first is the preferred one.
      while (symbols[symbol] === next) symbol++;
      while (functionStarts[functionStart] === next) functionStart++;
    }
    add(span.end, NOTHING);
  }
  return { starts: starts.slice(0, count), entries: entries.slice(0, count) };
}

/** The index of the first of `values` that is not below `value`. */
export function lowerBound(values: Float64Array, value: number): number {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (values[middle] < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
