/** The symbols of an ELF file. */

import type { RawText } from "../escape.ts";
import { hex } from "../hex.ts";
import {
  type ByteSource,
  type ImageSymbol,
  lowerBound,
  type NamesFound,
  type SymbolMatch,
} from "../macho/walking.ts";
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
/** How many earlier starts of symbols may be looked at for one that holds an address: assembler code has
 * labels inside functions. */
const MAX_NESTED = 64;

/** Maximum number of answers remembered. */
const MAX_ANSWERS = 1 << 12;
/** Bytes of the names that are read together, while few are needed. A smaller table is read at once. */
const NAMES_READ = 1 << 18;
/** Maximum length of a name. */
const MAX_NAME = 1 << 16;

/** A symbol table and its strings. */
export interface ElfSymbolSection {
  /** `Elf32_Sym` or `Elf64_Sym` entries. */
  readonly entries: Uint8Array;
  /** The strings, which are read when they are needed. */
  readonly names: ByteSource;
  /** Where the file's sections end, as linked, by their indices. A symbol without a size ends there at the
   * latest. */
  readonly ends?: readonly number[];
}

/** Where the fields of an entry are, in words of 32 bits. Type and section share a word in both. */
interface EntryLayout {
  readonly words: number;
  readonly info: number;
  readonly value: number;
  readonly size: number;
}

const layouts: Readonly<Record<4 | 8, EntryLayout>> = {
  4: { words: 4, info: 3, value: 1, size: 2 },
  8: { words: 6, info: 1, value: 2, size: 4 },
};

/** The symbols of one table. A symbol is known by the index of its entry. */
export class ElfSymbols {
  readonly #slide: bigint;
  readonly #names: Names;
  readonly #ends: readonly number[];
  readonly #words: Uint32Array;
  readonly #layout: EntryLayout;
  readonly #isWide: boolean;
  readonly #isArm: boolean;
  readonly #count: number;
  /** One number for each entry, its start and its index, in order. */
  #keys: Float64Array | undefined;
  /** What a start is multiplied by in a key: the lower bits are the entry's index. */
  readonly #scale: number;
  /** By address as linked: unwinding and naming ask about the same ones. */
  readonly #answers = new Map<number, SymbolMatch | null>();
  readonly #symbols = new Map<number, ElfSymbol>();

  /** @param isArm whether the lowest bit of a function's address says that it is Thumb code */
  constructor(
    { entries, names, ends = [] }: ElfSymbolSection,
    pointerSize: 4 | 8,
    slide: bigint,
    isArm: boolean,
  ) {
    this.#slide = slide;
    this.#names = new Names(names);
    this.#ends = ends;
    this.#layout = layouts[pointerSize];
    this.#isWide = pointerSize === 8;
    this.#isArm = isArm;
    const { buffer, byteOffset, length } = isAligned(entries) ? entries : entries.slice();
    this.#words = new Uint32Array(buffer, byteOffset, length >>> 2);
    this.#count = Math.min(Math.floor(this.#words.length / this.#layout.words), MAX_SYMBOLS);
    this.#scale = 2 ** Math.ceil(Math.log2(this.#count + 1));
  }

  /** The symbol that holds the byte at an address as linked; `null` when none does.
   *
   * A symbol with a size ends there. One without, as assembler code has, goes on to the next. Of several
   * the one with a size that begins last is taken, and of those that begin together the one that people know: a
   * function before data, the name with the fewest underscores, a global before a local one. */
  symbolAt(address: number): SymbolMatch | null {
    let match = this.#answers.get(address);
    if (match === undefined) {
      match = this.#lookUp(address);
      if (this.#answers.size >= MAX_ANSWERS) this.#answers.clear();
      this.#answers.set(address, match);
    }
    return match;
  }

  #lookUp(address: number): SymbolMatch | null {
    const keys = this.#sortedKeys();
    const scale = this.#scale;
    let last = -1;
    let label: SymbolMatch | null = null;
    let at = lowerBound(keys, (address + 1) * scale) - 1;
    for (let tried = 0; at >= 0 && tried < MAX_NESTED; tried++) {
      const start = Math.floor(keys[at] / scale);
      let best = -1;
      for (; at >= 0 && keys[at] >= start * scale; at--) {
        const entry = keys[at] % scale;
        if (!this.#isPlace(entry)) continue;
        if (last < 0) last = start;
        const size = this.#sizeOf(entry);
        const isOutside = size > 0
          ? address >= start + size
          : start !== last || address >= this.#endOf(entry);
        if (isOutside) continue;
        if (best < 0 || this.#compare(entry, best) < 0) best = entry;
      }
      if (best < 0) continue;
      const symbol = this.#symbol(best);
      const match = { symbol, offset: address - start, size: symbol.size };
      // A label inside a function is not the function: gdb, too, prefers what has a size.
      if (this.#sizeOf(best) > 0) return match;
      label = match;
    }
    return label;
  }

  /** Numbers alone are sorted natively: a first backtrace, which needs a few names, takes a tenth of the
   * time that an order of one's own would take. */
  #sortedKeys(): Float64Array {
    if (this.#keys !== undefined) return this.#keys;
    const { words: stride, value } = this.#layout;
    const words = this.#words;
    const scale = this.#scale;
    const keys = new Float64Array(this.#count);
    let high = 0;
    for (let entry = 0, at = value; entry < keys.length; entry++, at += stride) {
      keys[entry] = words[at] * scale + entry;
      high |= words[at + 1];
    }
    // The word behind a 32-bit value is another field.
    if (this.#isArm || (this.#isWide && high !== 0)) {
      for (let entry = 0; entry < keys.length; entry++) {
        keys[entry] = this.#start(entry) * scale + entry;
      }
    }
    keys.sort();
    // Beyond this, where no image reaches, the numbers are not exact.
    return this.#keys = keys.subarray(0, lowerBound(keys, Number.MAX_SAFE_INTEGER));
  }

  /** Names that begin with a prefix, each once, in the table's order. */
  startingWith(prefix: string, limit: number): NamesFound {
    const wanted = new TextEncoder().encode(prefix);
    const bytes = this.#names.readAll();
    const names = new Set<string>();
    let more = 0;
    for (let entry = 0; entry < this.#count; entry++) {
      const at = this.#words[entry * this.#layout.words];
      let same = 0;
      while (same < wanted.length && bytes[at + same] === wanted[same]) same++;
      if (same < wanted.length || !this.#isPlace(entry)) continue;
      const name = textAt(bytes, at);
      if (names.has(name)) continue;
      if (names.size < limit) names.add(name);
      else more++;
    }
    return { names: [...names], more };
  }

  /** The symbols of that name. */
  find(name: string): ImageSymbol[] {
    const wanted = new TextEncoder().encode(name);
    const names = this.#names.readAll();
    const byAddress = new Map<number, ElfSymbol>();
    for (let entry = 0; entry < this.#count; entry++) {
      const at = this.#words[entry * this.#layout.words];
      if (names[at + wanted.length] !== 0) continue;
      let same = 0;
      while (same < wanted.length && names[at + same] === wanted[same]) same++;
      if (same < wanted.length || !this.#isPlace(entry)) continue;
      const start = this.#start(entry);
      if (!byAddress.has(start)) byAddress.set(start, this.#symbol(entry));
    }
    return [...byAddress].sort(([a], [b]) => a - b).map(([, symbol]) => symbol);
  }

  /** All symbols, by address. */
  *[Symbol.iterator](): IterableIterator<ImageSymbol> {
    this.#names.readAll();
    for (const key of this.#sortedKeys()) {
      const entry = key % this.#scale;
      if (this.#isPlace(entry)) yield this.#symbol(entry);
    }
  }

  /** Whether an entry names a place in the image. */
  #isPlace(entry: number): boolean {
    const { words, info } = this.#layout;
    const word = this.#words[entry * words + info];
    const type = word & 15;
    const section = word >>> 16;
    if (section === SHN_UNDEF || section >= SHN_LORESERVE) return false;
    if (!(type <= STT_FUNC || type === STT_GNU_IFUNC)) return false;
    const first = this.#names.byteAt(this.#words[entry * words]);
    // Local names of ARM's assemblers that begin with $ say what code is (`$x`, `$t`, `$d`). Swift's begin so
    // too, but are functions and data.
    const isMapping = first === 0x24 && type === STT_NOTYPE && ((word >> 4) & 15) === STB_LOCAL;
    return first !== 0 && !isMapping;
  }

  #info(entry: number): number {
    return this.#words[entry * this.#layout.words + this.#layout.info] & 0xff;
  }

  #wordAt(entry: number, field: number): number {
    const at = entry * this.#layout.words + field;
    // Exact up to 2^53.
    return this.#words[at] + (this.#isWide ? this.#words[at + 1] * HIGH_WORD : 0);
  }

  #isThumb(entry: number): boolean {
    return this.#isArm && (this.#info(entry) & 15) === STT_FUNC &&
      this.#wordAt(entry, this.#layout.value) % 2 === 1;
  }

  #start(entry: number): number {
    return this.#wordAt(entry, this.#layout.value) - (this.#isThumb(entry) ? 1 : 0);
  }

  #sizeOf(entry: number): number {
    return this.#wordAt(entry, this.#layout.size);
  }

  /** Where an entry's section ends. */
  #endOf(entry: number): number {
    const { words, info } = this.#layout;
    return this.#ends[this.#words[entry * words + info] >>> 16] ?? Infinity;
  }

  /** Below 0 when the symbol at `a` is to be shown in place of the one at `b`. */
  #compare(a: number, b: number): number {
    const kind = (entry: number): number => {
      const type = this.#info(entry) & 15;
      return type === STT_NOTYPE ? 2 : type === STT_OBJECT ? 1 : 0;
    };
    const binding = (entry: number): number => {
      const value = this.#info(entry) >> 4;
      return value === STB_LOCAL ? 2 : value === STB_WEAK ? 1 : 0;
    };
    const [left, right] = [this.#symbol(a).name, this.#symbol(b).name];
    return kind(a) - kind(b) || underscores(left) - underscores(right) ||
      binding(a) - binding(b) || (left < right ? -1 : 1);
  }

  /** Where the first symbol after an address begins; the address itself when there is none. */
  #next(address: number): number {
    const keys = this.#sortedKeys();
    for (let at = lowerBound(keys, (address + 1) * this.#scale); at < keys.length; at++) {
      const entry = keys[at] % this.#scale;
      if (this.#isPlace(entry)) return this.#start(entry);
    }
    return address;
  }

  #symbol(entry: number): ElfSymbol {
    let symbol = this.#symbols.get(entry);
    if (symbol === undefined) {
      const start = this.#start(entry);
      symbol = new ElfSymbol(
        this.#names.textAt(this.#words[entry * this.#layout.words]),
        BigInt(start) + this.#slide,
        this.#sizeOf(entry) ||
          Math.max(0, Math.min(this.#next(start), this.#endOf(entry)) - start),
        this.#info(entry) >> 4 !== STB_LOCAL,
        this.#isThumb(entry),
      );
      this.#symbols.set(entry, symbol);
    }
    return symbol;
  }
}

const HIGH_WORD = 2 ** 32;

/** Whether words can be read from these bytes in place. */
function isAligned({ byteOffset }: Uint8Array): boolean {
  return byteOffset % 4 === 0;
}

/** A string table. Its bytes are read around those that are asked for, until all are needed. */
class Names {
  readonly #source: ByteSource;
  #bytes: Uint8Array = new Uint8Array();
  /** Offset of {@linkcode #bytes} in the table. */
  #start = 0;
  #isWhole = false;

  constructor(source: ByteSource) {
    this.#source = source;
  }

  /** The byte at an offset; 0 beyond the end. */
  byteAt(offset: number): number {
    return this.#has(offset) ? this.#bytes[offset - this.#start] : 0;
  }

  /** The text at an offset, up to a zero byte. */
  textAt(offset: number): RawText {
    if (!this.#has(offset)) return "";
    const at = offset - this.#start;
    const isComplete = this.#isWhole || this.#bytes.indexOf(0, at) >= 0;
    return isComplete ? textAt(this.#bytes, at) : textAt(this.#source.read(offset, MAX_NAME), 0);
  }

  /** The whole table. */
  readAll(): Uint8Array {
    if (!this.#isWhole) {
      this.#isWhole = true;
      this.#start = 0;
      this.#bytes = this.#source.read(0, this.#source.size);
    }
    return this.#bytes;
  }

  #has(offset: number): boolean {
    const at = offset - this.#start;
    if (at >= 0 && at < this.#bytes.length) return true;
    if (this.#isWhole || offset >= this.#source.size) return false;
    this.#isWhole = this.#source.size <= NAMES_READ;
    this.#start = this.#isWhole ? 0 : offset;
    this.#bytes = this.#source.read(this.#start, NAMES_READ);
    return offset - this.#start < this.#bytes.length;
  }
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
