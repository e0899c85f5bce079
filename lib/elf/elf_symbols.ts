/** The symbols of an ELF file, sorted by address. */

import type { RawText } from "../escape.ts";
import { hex } from "../hex.ts";
import type { ImageSymbol, SymbolMatch } from "../macho/walking.ts";
import { textAt } from "./elf_file.ts";

// st_info: the type in the low half, the binding in the high half.
const STT_NOTYPE = 0;
const STT_OBJECT = 1;
const STT_FUNC = 2;
const STT_GNU_IFUNC = 10;
const STB_LOCAL = 0;
const STB_WEAK = 2;
const SHN_UNDEF = 0;
const SHN_LORESERVE = 0xff00;
/** Maximum number of symbols. A larger number is damage. */
const MAX_SYMBOLS = 2 ** 23;
/** How many earlier symbols may be looked at for one that holds an address: assembler code has labels
 * inside functions. */
const MAX_NESTED = 64;

/** After this many lookups the symbols are sorted. */
const MAX_SCANS = 64;

/** A symbol table and its strings. */
export interface ElfSymbolSection {
  /** `Elf32_Sym` or `Elf64_Sym` entries. */
  readonly entries: Uint8Array;
  readonly names: Uint8Array;
}

/** The symbols of one image, from all of its tables. */
export class ElfSymbols {
  readonly #slide: bigint;
  readonly #tables: readonly ElfSymbolSection[];
  // One row for each symbol: in the tables' order at first, then by address.
  #addresses: Float64Array;
  #sizes: Float64Array;
  #infos: Uint8Array;
  #thumb: Uint8Array;
  /** In the table's names; the table is in {@linkcode #tableOf}. */
  #names: Uint32Array;
  #tableOf: Uint8Array;
  #isSorted = false;
  /** Symbols that were looked up one by one. */
  #scans = 0;
  readonly #symbols = new Map<number, ElfSymbol>();

  /** @param isArm whether the lowest bit of a function's address says that it is Thumb code */
  constructor(
    tables: readonly ElfSymbolSection[],
    pointerSize: 4 | 8,
    slide: bigint,
    isArm: boolean,
  ) {
    this.#slide = slide;
    this.#tables = tables;
    const entrySize = pointerSize === 8 ? 24 : 16;
    let total = 0;
    for (const { entries } of tables) total += Math.floor(entries.length / entrySize);
    total = Math.min(total, MAX_SYMBOLS);
    const addresses = new Float64Array(total);
    const sizes = new Float64Array(total);
    const infos = new Uint8Array(total);
    const thumb = new Uint8Array(total);
    const names = new Uint32Array(total);
    const tableOf = new Uint8Array(total);
    let count = 0;
    for (const [table, { entries, names: strings }] of tables.entries()) {
      const view = new DataView(entries.buffer, entries.byteOffset, entries.length);
      for (let at = 0; at + entrySize <= entries.length && count < total; at += entrySize) {
        const is64 = pointerSize === 8;
        const section = view.getUint16(at + (is64 ? 6 : 14), true);
        const info = view.getUint8(at + (is64 ? 4 : 12));
        const type = info & 15;
        const isPlace = section !== SHN_UNDEF && section < SHN_LORESERVE;
        if (!isPlace || !(type <= STT_FUNC || type === STT_GNU_IFUNC)) continue;
        const name = view.getUint32(at, true);
        // Local names of the assembler that begin with $ say what code is (`$x`, `$t`, `$d`).
        if (name >= strings.length || strings[name] === 0 || strings[name] === 0x24) continue;
        const value = is64 ? wordAt(view, at + 8) : view.getUint32(at + 4, true);
        const isThumb = isArm && type === STT_FUNC && value % 2 === 1;
        addresses[count] = isThumb ? value - 1 : value;
        sizes[count] = is64 ? wordAt(view, at + 16) : view.getUint32(at + 8, true);
        infos[count] = info;
        thumb[count] = isThumb ? 1 : 0;
        names[count] = name;
        tableOf[count] = table;
        count++;
      }
    }
    this.#addresses = addresses.subarray(0, count);
    this.#sizes = sizes.subarray(0, count);
    this.#infos = infos.subarray(0, count);
    this.#thumb = thumb.subarray(0, count);
    this.#names = names.subarray(0, count);
    this.#tableOf = tableOf.subarray(0, count);
  }

  #sort(): void {
    if (this.#isSorted) return;
    this.#isSorted = true;
    this.#symbols.clear();
    const addresses = this.#addresses;
    const order = Uint32Array.from(addresses, (_, index) => index);
    order.sort((a, b) => addresses[a] - addresses[b] || a - b);
    const sorted = <T extends Float64Array | Uint8Array | Uint32Array>(column: T): T => {
      const into = column.slice() as T;
      for (let index = 0; index < order.length; index++) into[index] = column[order[index]];
      return into;
    };
    this.#addresses = sorted(addresses);
    this.#sizes = sorted(this.#sizes);
    this.#infos = sorted(this.#infos);
    this.#thumb = sorted(this.#thumb);
    this.#names = sorted(this.#names);
    this.#tableOf = sorted(this.#tableOf);
  }

  /** The symbol that holds the byte at an address as linked; `null` when none does.
   *
   * A symbol with a size ends there. One without, as assembler code has, goes on to the next. Of several
   * the one that begins last is taken, and of those that begin together the one that people know: a
   * function before data, the name with the fewest underscores, a global before a local one. */
  symbolAt(address: number): SymbolMatch | null {
    if (!this.#isSorted && this.#scans++ < MAX_SCANS) return this.#scan(address);
    this.#sort();
    const addresses = this.#addresses;
    let low = 0;
    let high = addresses.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (addresses[middle] <= address) low = middle + 1;
      else high = middle;
    }
    const last = low - 1;
    for (let at = last; at >= 0 && at > last - MAX_NESTED;) {
      const start = addresses[at];
      let best = -1;
      for (; at >= 0 && addresses[at] === start; at--) {
        if (!this.#holds(at, address, addresses[last])) continue;
        if (best < 0 || this.#compare(at, best) < 0) best = at;
      }
      if (best < 0) continue;
      const symbol = this.#symbol(best);
      return { symbol, offset: address - start, size: symbol.size };
    }
    return null;
  }

  /** {@linkcode symbolAt} without sorting: a first backtrace needs a few names only. */
  #scan(address: number): SymbolMatch | null {
    const addresses = this.#addresses;
    let last = -1;
    for (let index = 0; index < addresses.length; index++) {
      if (addresses[index] <= address && addresses[index] > last) last = addresses[index];
    }
    let best = -1;
    for (let index = 0; index < addresses.length; index++) {
      const start = addresses[index];
      if (start > address || (best >= 0 && start < addresses[best])) continue;
      if (!this.#holds(index, address, last)) continue;
      const isBetter = best < 0 || start > addresses[best] || this.#compare(index, best) < 0;
      if (isBetter) best = index;
    }
    if (best < 0) return null;
    const symbol = this.#symbol(best);
    return { symbol, offset: address - addresses[best], size: symbol.size };
  }

  /** The symbols of that name. */
  find(name: string): ImageSymbol[] {
    this.#sort();
    const wanted = new TextEncoder().encode(name);
    const found: ImageSymbol[] = [];
    for (let index = 0; index < this.#names.length; index++) {
      const { names } = this.#tables[this.#tableOf[index]];
      const at = this.#names[index];
      if (names[at + wanted.length] !== 0) continue;
      let same = 0;
      while (same < wanted.length && names[at + same] === wanted[same]) same++;
      const isKnown = found.some(({ address }) => address === this.#addressOf(index));
      if (same === wanted.length && !isKnown) found.push(this.#symbol(index));
    }
    return found;
  }

  /** All symbols, by address. */
  *[Symbol.iterator](): IterableIterator<ImageSymbol> {
    this.#sort();
    for (let index = 0; index < this.#addresses.length; index++) yield this.#symbol(index);
  }

  /** @param last where the last symbol before the address begins */
  #holds(index: number, address: number, last: number): boolean {
    const size = this.#sizes[index];
    return size > 0 ? address < this.#addresses[index] + size : this.#addresses[index] === last;
  }

  /** Below 0 when the symbol at `a` is to be shown in place of the one at `b`. */
  #compare(a: number, b: number): number {
    const kind = (index: number): number => {
      const type = this.#infos[index] & 15;
      return type === STT_NOTYPE ? 2 : type === STT_OBJECT ? 1 : 0;
    };
    const binding = (index: number): number => {
      const value = this.#infos[index] >> 4;
      return value === STB_LOCAL ? 2 : value === STB_WEAK ? 1 : 0;
    };
    const [left, right] = [this.#symbol(a).name, this.#symbol(b).name];
    return kind(a) - kind(b) || underscores(left) - underscores(right) ||
      binding(a) - binding(b) || (left < right ? -1 : 1);
  }

  /** Where the first symbol after an address begins; the address itself when there is none. */
  #next(address: number): number {
    let next = Infinity;
    for (const start of this.#addresses) if (start > address && start < next) next = start;
    return next === Infinity ? address : next;
  }

  #addressOf(index: number): bigint {
    return BigInt(this.#addresses[index]) + this.#slide;
  }

  #symbol(index: number): ElfSymbol {
    let symbol = this.#symbols.get(index);
    if (symbol === undefined) {
      const start = this.#addresses[index];
      const size = this.#sizes[index] || this.#next(start) - start;
      symbol = new ElfSymbol(
        textAt(this.#tables[this.#tableOf[index]].names, this.#names[index]),
        this.#addressOf(index),
        size,
        this.#infos[index] >> 4 !== STB_LOCAL,
        this.#thumb[index] === 1,
      );
      this.#symbols.set(index, symbol);
    }
    return symbol;
  }
}

/** A 64-bit value; exact up to 2^53. */
function wordAt(view: DataView, at: number): number {
  return view.getUint32(at, true) + view.getUint32(at + 4, true) * 2 ** 32;
}

function underscores(name: string): number {
  // The mangled names of C++ and Rust begin with one.
  return /^_*/.exec(name)![0].length - (/^_[ZR]/.test(name) ? 1 : 0);
}

/** One symbol. ELF names have no underscore of the compiler's. */
class ElfSymbol implements ImageSymbol {
  constructor(
    readonly name: RawText,
    readonly address: bigint,
    readonly size: number,
    readonly external: boolean,
    readonly thumb: boolean,
  ) {}

  get rawName(): RawText {
    return this.name;
  }

  toString(): string {
    return this.name;
  }

  toJSON(): unknown {
    const { name, rawName, size, external, thumb } = this;
    return { name, rawName, address: hex(this.address), size, external, thumb };
  }
}
