/** The symbols of one image, sorted once into typed arrays: the symbol at an address is one binary
 * search. Names stay bytes until they are needed. */

import type { RawText } from "../escape.ts";
import { hex } from "../hex.ts";
import type { Offsets } from "./function_starts.ts";
import { sortByWord } from "./radix.ts";
import type { StringTable } from "./strings.ts";
import { compareBytes } from "./strings.ts";
import type { ImageSymbol, SymbolMatch } from "./types.ts";

/** The source of a symbol. The lower rank wins at the same address. Two bits. */
export const RANK = {
  /** External, from the symbol table. */
  EXTERNAL: 0,
  /** Local, from the symbol table. */
  LOCAL: 1,
  /** From the export trie, if the symbol table has no external one. */
  EXPORT: 2,
  /** From Objective-C metadata. */
  OBJC: 3,
} as const;

/** Symbols of one source, as columns. */
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

/** A section, in bytes from the load address. */
export interface SectionSpan {
  readonly start: number;
  readonly end: number;
}

/** The input of a {@linkcode SymbolTable}. */
export interface SymbolTableInput {
  readonly loadAddress: bigint;
  /** At most {@linkcode MAX_SYMBOLS} symbols together. */
  readonly columns: readonly SymbolColumns[];
  /** Ascending; see `LC_FUNCTION_STARTS`. */
  readonly functionStarts: Offsets;
  readonly sections: readonly SectionSpan[];
}

/** Maximum number of symbols in the index. No image has more, and damage must not cost memory. */
export const MAX_SYMBOLS = 2 ** 23;
/** Offsets of symbols are below this, in either direction: 256 GiB. */
const OFFSET_BIAS = 2 ** 38;

/** In `#entries`: the start of a nameless function, and the start of a gap. */
const NAMELESS = -1;
const NOTHING = -2;

/** `<re`: the dyld shared cache has `<redacted>` in place of the names of local symbols. */
const REDACTED_PREFIX = 0x3c | (0x72 << 8) | (0x65 << 16);
const REDACTED = new TextEncoder().encode("<redacted>");

/** One symbol. */
export class TableSymbol implements ImageSymbol {
  readonly name: string;
  /** @ignore */
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

/** The symbols of an image, from {@linkcode Image.symbols}.
 *
 * @example
 * ```ts
 * import { Image } from "@machpause/machpause/macho";
 *
 * const { symbols } = Image.fromFile(await Deno.readFile("demo"), "demo");
 * console.log(symbols.count, symbols.symbolAt(0x720)?.symbol?.name);
 * ```
 */
export class SymbolTable {
  readonly #loadAddress: bigint;
  readonly #columns: readonly SymbolColumns[];
  /** First number of each of `#columns`: symbol `n` of column `c` has the number `#firsts[c] + n`.
   */
  readonly #firsts: readonly number[];
  /** The numbers of all named symbols, by offset, rank and name. */
  readonly #order: Uint32Array;
  /** The offset of each symbol in `#order`. */
  readonly #orderOffsets: Float64Array;
  /** Starts of symbols, nameless functions and gaps; ascending. */
  readonly #starts: Float64Array;
  /** What begins there: an index into `#order`, or `NAMELESS`, or `NOTHING`. */
  readonly #entries: Int32Array;
  readonly #symbols = new Map<number, ImageSymbol>();

  /** Sorts the symbols and builds the index.
   *
   * @ignore
   */
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

  /** Number of symbols with a name and an address. */
  get count(): number {
    return this.#order.length;
  }

  /** Number of places in the index: symbols, nameless functions and gaps. */
  get indexSize(): number {
    return this.#starts.length;
  }

  /** The symbol that contains the byte at `offset` from the load address; `null` when none is
   * known. */
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
    const start = starts[low - 1];
    const size = symbol?.size ?? (low < starts.length ? starts[low] - start : null);
    return { symbol, offset: offset - start, size };
  }

  /** The symbols with exactly this name, with or without the leading underscore, in address order.
   * Exact matches come first. */
  find(name: string): ImageSymbol[] {
    const exact: ImageSymbol[] = [];
    const underscored: ImageSymbol[] = [];
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

  /** All symbols by address; of several at one address the preferred one comes first. */
  *[Symbol.iterator](): IterableIterator<ImageSymbol> {
    for (let index = 0; index < this.#order.length; index++) yield this.#symbol(index);
  }

  /** The column of symbol `number`. */
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

  /** The symbols that begin at offsets from `start` up to, not including, `end`, ascending: of several at
   * one offset the preferred one. */
  *between(start: number, end: number): Generator<ImageSymbol> {
    for (let at = lowerBound(this.#starts, start); this.#starts[at] < end; at++) {
      const entry = this.#entries[at];
      if (entry >= 0) yield this.#symbol(entry, at);
    }
  }

  /** The symbol at `index` of `#order`. */
  #symbol(index: number, start = this.#startOf(index)): ImageSymbol {
    const known = this.#symbols.get(index);
    if (known !== undefined) return known;
    const number = this.#order[index];
    const column = this.#column(number);
    const { names, nameOffsets, ranks, thumb } = this.#columns[column];
    const row = number - this.#firsts[column];
    const offset = this.#orderOffsets[index];
    // An end follows the last start, unless there are no sections.
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

  /** The index in `#starts` of the address of symbol `index` of `#order`; -1 when it is in no
   * section. */
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

  /** Whether a symbol has a real name. */
  #isNamed(column: SymbolColumns, row: number): boolean {
    const prefix = column.names.prefixAt(column.nameOffsets[row]);
    if ((prefix & 0xff) === 0) return false;
    return prefix !== REDACTED_PREFIX ||
      !column.names.equals(column.nameOffsets[row], REDACTED);
  }

  /** Sorts all symbols by offset, rank and name. Names are compared only where the rest is equal.
   */
  #sort(limit: number): { order: Uint32Array; offsets: Float64Array } {
    // For each symbol, the lower 30 bits of its offset with its rank, then the bits above.
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

/** The columns that name lookups need. */
export type NameColumns = Pick<SymbolColumns, "count" | "nameOffsets" | "names">;

/** Some of the names that match. */
export interface NamesFound {
  /** Without the leading underscore, if they match only without it. */
  readonly names: readonly RawText[];
  /** Number of further matches. */
  readonly more: number;
}

/** The names that begin with `prefix`, with or without their leading underscore, for completion.
 * Nothing is sorted.
 *
 * @param limit maximum number of names
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

/** Merges symbols, function starts and section bounds into one ascending list of starts. For a
 * function whose start is in the symbol table, other sources are ignored.
 *
 * @param symbols offsets of the sorted symbols
 * @param isTabled whether a symbol is in the symbol table
 */
function buildIndex(
  symbols: Float64Array,
  isTabled: (index: number) => boolean,
  functionStarts: Offsets,
  sections: readonly SectionSpan[],
): { starts: Float64Array; entries: Int32Array } {
  const spans = sections.filter(({ start, end }) => start < end)
    .sort((a, b) => a.start - b.start || a.end - b.end);
  // Each symbol and function start begins one item; each section may begin and end a gap.
  const starts = new Float64Array(symbols.length + functionStarts.length + 2 * spans.length + 1);
  const entries = new Int32Array(starts.length);
  let count = 0;
  const add = (offset: number, entry: number): void => {
    starts[count] = offset;
    entries[count++] = entry;
  };
  let symbol = lowerBound(symbols, 0);
  // The header, before the first section, belongs to `__mh_execute_header` and similar symbols.
  if (symbol < symbols.length && symbols[symbol] === 0 && (spans[0]?.start ?? 0) > 0) {
    add(0, symbol);
    add(spans[0].start, NOTHING);
  }
  let previousEnd = -Infinity;
  for (const span of spans) {
    // Overlapping sections are damage. The first keeps its bytes.
    const start = Math.max(span.start, previousEnd);
    if (start >= span.end) continue;
    previousEnd = span.end;
    symbol = lowerBound(symbols, start);
    let functionStart = lowerBound(functionStarts, start);
    // The end of the previous section may be the start of this one.
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
      // The first of several symbols at one address is preferred.
      while (symbols[symbol] === next) symbol++;
      while (functionStarts[functionStart] === next) functionStart++;
    }
    add(span.end, NOTHING);
  }
  return { starts: starts.slice(0, count), entries: entries.slice(0, count) };
}

/** The index of the first of `values` that is not below `value`. */
export function lowerBound(values: Offsets, value: number): number {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (values[middle] < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
