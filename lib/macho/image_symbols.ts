/** The symbols of one image, from all sources in its file: all symbols, sorted, or those near one
 * address. */

import { FormatError, MemoryReadError } from "../errors.ts";
import type { RawText } from "../escape.ts";
import { CPU_TYPE, FILE_TYPE } from "./constants.ts";
import { exportsStartingWith, findExport, parseExports, type ReadTrie } from "./exports.ts";
import { type FunctionStarts, type Offsets, parseFunctionStarts } from "./function_starts.ts";
import { type GoFunctions, readGoFunctions } from "./go_functions.ts";
import type { FileRange, ParsedCommands, SymtabCommand } from "./load_commands.ts";
import type { NameSearch } from "./name_search.ts";
import { NumberSet } from "./number_set.ts";
import { type ObjcImage, readObjcMethods } from "./objc.ts";
import type { ImageSource } from "./source.ts";
import { rawText, StringTable } from "./strings.ts";
import {
  lowerBound,
  MAX_SYMBOLS,
  type NameColumns,
  type NamesFound,
  namesStartingWith,
  RANK,
  type SectionSpan,
  type SymbolColumns,
  SymbolTable,
  TableSymbol,
} from "./symbol_table.ts";
import { NlistAddresses, Nlists, nlistSize, type ReadNlists } from "./symtab.ts";
import type { ImageSymbol, SymbolMatch } from "./types.ts";

/** After this many functions have been looked up one by one, all symbols are sorted. */
const MAX_NEAR = 64;
/** The same for an image of the dyld shared cache: sorting would read the names of all exports. */
const MAX_NEAR_IN_CACHE = 1 << 14;
/** Maximum number of ranges to scan the symbol table for; for more it is sorted. */
const MAX_SCANS = 16;
/** Maximum length of a name. A longer one is damage. */
const MAX_NAME = 1 << 16;
/** String tables up to this size are read at once, even for a single name. Larger ones are read by
 * pages, which are kept for all images that share the table. */
const SMALL = 1 << 18;
const NAME_PAGE = 1 << 12;

const none = new Float64Array();

/** The image that the symbols belong to. */
export interface SymbolsOwner extends ObjcImage {
  /** Whether the image is in the dyld shared cache: its `__LINKEDIT` is that of all images there,
   * and its local symbols are stripped. */
  readonly inSharedCache: boolean;
  /** `mach_header.filetype`. */
  readonly fileType: number;
  /** Receives damage, one line each. */
  readonly warnings: string[];
}

/** The symbols of one function, and the offset of its end. */
interface Near {
  readonly table: SymbolTable;
  readonly end: number;
}

/** Reads the symbols of an image at first use. */
export class ImageSymbols {
  readonly #image: SymbolsOwner;
  readonly #linkedAddress: bigint;
  readonly #source: ImageSource;
  readonly #commands: ParsedCommands;
  readonly #isArm: boolean;
  readonly #sections: readonly SectionSpan[];
  #all: SymbolTable | undefined;
  /** The names of the symbol table, if they were needed before all symbols were read. */
  #named: NameColumns | null | undefined;
  /** The symbols that the symbol table lacks, for an image of the shared cache. */
  #unnamed: SymbolTable | undefined;
  /** The symbols that were stripped from an image of the shared cache. */
  #locals: SymbolColumns | undefined;
  // The symbol table, until all symbols are sorted.
  #nlists: Nlists | null | undefined;
  /** The addresses of a large one, for single functions. */
  #addresses: NlistAddresses | undefined;
  #functionStarts: FunctionStarts | undefined;
  /** The starts of Thumb functions; kept, for nameless ones. */
  #thumbStarts: Offsets = none;
  #go: GoFunctions | null | undefined;
  #names: StringTable | undefined;
  /** Single functions by their starts; `null` where all symbols are needed. */
  readonly #near = new Map<number, Near | null>();
  /** Ranges that were scanned for. */
  #scans = 0;

  /** @param linkedAddress address that the Mach-O header was linked for */
  constructor(
    image: SymbolsOwner,
    linkedAddress: bigint,
    source: ImageSource,
    commands: ParsedCommands,
  ) {
    this.#image = image;
    this.#linkedAddress = linkedAddress;
    this.#source = source;
    this.#commands = commands;
    this.#isArm = image.cpuType === CPU_TYPE.ARM;
    const sections = image.segments.flatMap(({ sections }) => sections);
    this.#sections = sections.map(({ vmAddress, size }) => {
      const start = Number(vmAddress - linkedAddress);
      return { start, end: start + size };
    });
  }

  /** Whether the image says where each of its functions begins. */
  get hasFunctionStarts(): boolean {
    return this.#commands.functionStarts !== null || this.#goFunctions() !== null;
  }

  /** All symbols, sorted at first use. */
  get all(): SymbolTable {
    if (this.#all === undefined) {
      this.#all = this.#readAll();
      this.#nlists =
        this.#addresses =
        this.#names =
        this.#functionStarts =
        this.#named =
          undefined;
      this.#near.clear();
    }
    return this.#all;
  }

  /** Names that begin with `prefix`, from the symbol table only, where there is one.
   *
   * @param limit maximum number of names
   */
  startingWith(prefix: string, limit: number): NamesFound {
    if (this.#all === undefined && this.#image.inSharedCache) {
      return this.#exportsStartingWith(prefix, limit);
    }
    if (this.#all === undefined) {
      this.#named ??= this.#guard("the symbol table", () => this.#readNamed()) ?? null;
      if (this.#named !== null) return namesStartingWith([this.#named], prefix, limit);
    }
    return this.all.startingWith(prefix, limit);
  }

  /** The symbol that contains the byte at `offset` from the load address; `null` when none is
   * known.
   *
   * A first backtrace needs some dozens of symbols. A scan of the symbol table for each is much
   * cheaper than sorting it and reading the exports. */
  symbolAt(offset: number): SymbolMatch | null {
    const table = this.#all ?? this.#tableNear(offset) ??
      (this.#image.inSharedCache && this.#hasNlists() ? this.#unnamedTable() : this.all);
    return table.symbolAt(offset);
  }

  /** Whether the function at an offset from the load address is Thumb code. Only the function starts
   * say that of one without a name; `null` where there is neither. */
  isThumb(offset: number): boolean | null {
    const match = this.symbolAt(offset);
    if (match === null || match.symbol !== null) return match?.symbol?.thumb ?? null;
    const start = offset - match.offset;
    return this.#thumbStarts[lowerBound(this.#thumbStarts, start)] === start;
  }

  /** Whether there is a symbol table, and its names can be read. Cores lack them for images of the shared
   * cache; they have the exports. */
  #hasNlists(): boolean {
    return this.#nlists !== null &&
      (this.#guard("the symbol table", () => this.#readNlists()) ?? null) !== null;
  }

  /** The symbols that begin at offsets from `start` up to, not including, `end`, ascending. For a few
   * ranges of a dSYM, whose only symbols are those of its symbol table, these are not sorted. */
  *between(start: number, end: number): Generator<ImageSymbol> {
    const isScanned = this.#all === undefined && this.#scans++ < MAX_SCANS &&
      this.#image.fileType === FILE_TYPE.MH_DSYM;
    yield* (isScanned ? this.#scan(start, end) : this.all).between(start, end);
  }

  #scan(start: number, end: number): SymbolTable {
    const { offsets } = this.#functionStarts ??= this.#readFunctionStarts();
    const nlists = this.#guard("the symbol table", () => this.#readNlists());
    const columns = nlists?.between(start, end, this.#isArm);
    return this.#table(
      columns === undefined ? [] : [{ ...columns, names: this.#nameTable() }],
      offsets.subarray(lowerBound(offsets, start), lowerBound(offsets, end)),
      this.#sections,
    );
  }

  /** The symbols with exactly this name, with or without the leading underscore. In an image of the
   * shared cache only exported ones are found; {@linkcode search} finds the others. */
  find(name: string): ImageSymbol[] {
    if (this.#all !== undefined || !this.#image.inSharedCache) return this.all.find(name);
    const exported = this.#findExport(name) ?? this.#findExport(`_${name}`);
    return exported === null ? [] : [exported];
  }

  /** The symbols with the name that is searched for, which an image of the shared cache does not
   * export.
   *
   * @param search shared by all images of a target
   */
  search(search: NameSearch): ImageSymbol[] {
    const { symtab } = this.#commands;
    if (this.#all !== undefined || !this.#image.inSharedCache) return [];
    const methods = search.isObjcMethod || this.#locals !== undefined
      ? this.#unnamedTable().find(search.name)
      : [];
    const address = symtab && this.#source.addressOf(symtab.stringsOffset);
    if (symtab === null || address === null) return methods;
    const strings = search.offsets(address, symtab.stringsSize, this.#source);
    if (strings.size === 0) return methods;
    const columns = this.#guard("the symbol table", () => this.#readNlists())
      ?.between(-Infinity, Infinity, this.#isArm);
    // Many images are searched, and few of them are needed again.
    this.#nlists = undefined;
    const found: ImageSymbol[] = [];
    for (let row = 0; row < (columns?.count ?? 0); row++) {
      if (!strings.has(columns!.nameOffsets[row])) continue;
      const name = this.#nameTable().at(columns!.nameOffsets[row]);
      if (name !== search.name && name !== `_${search.name}`) continue;
      found.push(this.#symbolNamed(name, columns!.offsets[row], columns!.thumb[row] === 1));
    }
    return [...found, ...methods];
  }

  /** Runs a search in the export trie, of which only what the search passes is read. */
  #searchExports<T>(search: (read: ReadTrie, size: number) => T): T | undefined {
    const trie = this.#commands.exportTrie;
    if (trie === null) return undefined;
    const read: ReadTrie = (at, size) =>
      this.#source.readShared({ offset: trie.offset + at, size });
    return this.#guard("the export trie", () => search(read, trie.size));
  }

  #exportsStartingWith(prefix: string, limit: number): NamesFound {
    const names = new Set<RawText>();
    for (const underscore of ["", "_"]) {
      const text = new TextEncoder().encode(underscore + prefix);
      // One more tells that there are more.
      const found = this.#searchExports((read, size) =>
        exportsStartingWith(read, size, text, limit + 1)
      );
      for (const name of found ?? []) names.add(name.slice(underscore.length) as RawText);
    }
    return { names: [...names].slice(0, limit), more: Math.max(0, names.size - limit) };
  }

  /** Adds the symbols that the shared cache's builder stripped from the image. */
  addLocals(columns: SymbolColumns): void {
    this.#locals = columns;
    this.#unnamed = undefined;
  }

  #findExport(name: string): ImageSymbol | null {
    const text = new TextEncoder().encode(name);
    const offset = this.#searchExports((read, size) => findExport(read, size, text)) ?? null;
    if (offset === null) return null;
    const even = this.#isArm ? offset - offset % 2 : offset;
    return this.#symbolNamed(rawText(new TextEncoder().encode(name)), even, even !== offset);
  }

  /** An external symbol by its name and offset. */
  #symbolNamed(name: RawText, offset: number, thumb: boolean): ImageSymbol {
    const known = this.symbolAt(offset)?.symbol;
    if (known?.rawName === name) return known;
    // An alias, or a name that the symbol table lacks.
    const address = this.#image.loadAddress + BigInt(offset);
    return new TableSymbol(name, address, known?.size ?? 0, true, thumb);
  }

  /** Function starts, and the local symbols or else the Objective-C methods: the local functions of
   * an image of the shared cache, whose local symbols are stripped. */
  #unnamedTable(): SymbolTable {
    if (this.#unnamed === undefined) {
      const columns = this.#locals ??
        this.#guard("the Objective-C metadata", () => this.#readObjc());
      const { offsets } = this.#functionStarts ??= this.#readFunctionStarts();
      this.#unnamed = this.#table(columns ? [columns] : [], offsets, this.#sections);
    }
    return this.#unnamed;
  }

  /** The symbols of the function at an offset, if the symbol table has a name for the function's
   * start. In that case other sources are not needed. Otherwise `null`. */
  #tableNear(offset: number): SymbolTable | null {
    const { offsets, complete } = this.#functionStarts ??= this.#readFunctionStarts();
    const index = lowerBound(offsets, offset + 1) - 1;
    if (index < 0 || !complete) return null;
    const start = offsets[index];
    let near = this.#near.get(start);
    if (near === undefined) {
      const most = this.#image.inSharedCache ? MAX_NEAR_IN_CACHE : MAX_NEAR;
      near = this.#near.size < most ? this.#readNear(offsets, index, offset) : null;
      this.#near.set(start, near);
    }
    // Another section follows the last function of a section.
    return near !== null && offset < near.end ? near.table : null;
  }

  #readNear(functionStarts: Offsets, index: number, offset: number): Near | null {
    const start = functionStarts[index];
    const sections = this.#sections.filter(({ start, end }) => offset >= start && offset < end);
    if (sections.length !== 1 || start < sections[0].start) return null;
    const end = Math.min(functionStarts[index + 1] ?? Infinity, sections[0].end);
    const columns = this.#guard("the symbol table", () => this.#nlistsBetween(start, end));
    if (!columns || columns.count === 0) return null;
    const table = this.#table([{ ...columns, names: this.#nameTable() }], Float64Array.of(start), [
      { start: sections[0].start, end },
    ]);
    return table.symbolAt(start)?.symbol ? { table, end } : null;
  }

  #readAll(): SymbolTable {
    const columns: SymbolColumns[] = [];
    const nlists = this.#guard("the symbol table", () => this.#readNlistColumns());
    if (nlists) columns.push(nlists);
    const exported = this.#guard("the exports", () => this.#readExports(nlists ?? null));
    if (exported) columns.push(exported);
    // Objective-C methods are ordinary local symbols, unless those were stripped.
    if (!(nlists && hasObjcMethods(nlists))) {
      const methods = this.#guard("the Objective-C metadata", () => this.#readObjc());
      if (methods) columns.push(methods);
    }
    const go = this.#guard("the table of Go's functions", () => this.#readGo(nlists ?? null));
    if (go) columns.push(go);
    if (columns.reduce((sum, { count }) => sum + count, 0) > MAX_SYMBOLS) {
      this.#image.warnings.push(`more than ${MAX_SYMBOLS} symbols: the rest is left out`);
    }
    const { offsets } = this.#functionStarts ?? this.#readFunctionStarts();
    return this.#table(columns, offsets, this.#sections);
  }

  #table(
    columns: readonly SymbolColumns[],
    functionStarts: Offsets,
    sections: readonly SectionSpan[],
  ): SymbolTable {
    const { loadAddress } = this.#image;
    return new SymbolTable({ loadAddress, columns, functionStarts, sections });
  }

  /** Runs one part of the reading. A failure affects that part only. */
  #guard<T>(part: string, read: () => T): T | undefined {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof MemoryReadError) && !(error instanceof FormatError)) throw error;
      this.#image.warnings.push(`${part} cannot be read: ${error.message}`);
      return undefined;
    }
  }

  /** A range of `__LINKEDIT`, with a warning when it is incomplete. */
  #readLinkedit(part: string, range: FileRange | null): Uint8Array | null {
    if (range === null || range.size === 0) return null;
    const bytes = this.#source.readLinkedit(range);
    if ((bytes?.length ?? 0) < range.size) {
      this.#image.warnings.push(`${part}: ${bytes?.length ?? 0} of ${range.size} bytes are there`);
    }
    return bytes;
  }

  /** The entries of `LC_SYMTAB` at the offsets of one function. */
  #nlistsBetween(start: number, end: number): Omit<SymbolColumns, "names"> | null {
    const { symtab } = this.#commands;
    if (symtab === null || this.#nlists === null) return null;
    const { pointerSize } = this.#image;
    const size = nlistSize(pointerSize);
    if (this.#nlists === undefined && symtab.symbolCount * size > SMALL) {
      this.#addresses ??= this.#readAddresses(symtab, pointerSize);
      const columns = this.#addresses?.between(start, end, this.#isArm) ?? null;
      if (columns !== null) return columns;
    }
    return this.#readNlists()?.between(start, end, this.#isArm) ?? null;
  }

  /** The addresses in a symbol table; `undefined` where the table is cut short or has no believable size. */
  #readAddresses(
    { symbolsOffset, symbolCount, stringsSize }: SymtabCommand,
    pointerSize: 4 | 8,
  ): NlistAddresses | undefined {
    const size = nlistSize(pointerSize);
    const read: ReadNlists = (row, count, into) => {
      const range = { offset: symbolsOffset + row * size, size: count * size };
      return this.#source.readLinkedit(range, into) ?? into.subarray(0, 0);
    };
    // A read that failed is not repeated.
    this.#nlists = null;
    const isWhole = symbolCount <= MAX_SYMBOLS &&
      read(symbolCount - 1, 1, new Uint8Array(size)).length === size;
    const addresses = isWhole
      ? new NlistAddresses(read, symbolCount, pointerSize, this.#linkedAddress, stringsSize)
      : undefined;
    this.#nlists = undefined;
    return addresses;
  }

  /** The entries of `LC_SYMTAB`. */
  #readNlists(): Nlists | null {
    if (this.#nlists !== undefined) return this.#nlists;
    const { symtab } = this.#commands;
    if (symtab === null) return this.#nlists = null;
    const { pointerSize } = this.#image;
    // A read that failed is not repeated.
    this.#nlists = null;
    const bytes = this.#readLinkedit("the symbol table", {
      offset: symtab.symbolsOffset,
      size: symtab.symbolCount * nlistSize(pointerSize),
    });
    if (bytes === null) return null;
    return this.#nlists = new Nlists(bytes, pointerSize, this.#linkedAddress, symtab.stringsSize);
  }

  /** The defined symbols of `LC_SYMTAB`. */
  #readNlistColumns(): SymbolColumns | null {
    const nlists = this.#readNlists();
    const columns = nlists?.between(-Infinity, Infinity, this.#isArm);
    if (columns === undefined || columns.count === 0) return null;
    let first = Infinity;
    let last = 0;
    for (let row = 0; row < columns.count; row++) {
      const offset = columns.nameOffsets[row];
      if (offset < first) first = offset;
      if (offset > last) last = offset;
    }
    const { stringsSize } = this.#commands.symtab!;
    const names = this.#names?.isWhole
      ? this.#names
      : new StringTable(first, Math.min(stringsSize, last + MAX_NAME), this.#readNames);
    return { ...columns, names };
  }

  /** All names of the symbol table. */
  #readNamed(): NameColumns | null {
    const nameOffsets = this.#readNlists()?.nameOffsets();
    if (nameOffsets === undefined || nameOffsets.length === 0) return null;
    const names = new StringTable(0, this.#commands.symtab!.stringsSize, this.#readNames);
    return { count: nameOffsets.length, nameOffsets, names };
  }

  /** The names of the symbol table, read in parts, for a few names. */
  #nameTable(): StringTable {
    const { stringsSize } = this.#commands.symtab!;
    return this.#names ??= stringsSize <= SMALL
      ? new StringTable(0, stringsSize, this.#readNames)
      : new StringTable(0, stringsSize, this.#readPage, { atOnce: 0, chunk: NAME_PAGE, keep: 1 });
  }

  readonly #readPage = (offset: number, size: number): Uint8Array | null => {
    const range = { offset: this.#commands.symtab!.stringsOffset + offset, size };
    const page = this.#guard("the string table", () => this.#source.readShared(range)) ?? null;
    // Symbols without names would hide the exports.
    if (page === null && this.#image.inSharedCache) this.#nlists = null;
    return page;
  };

  // Parts of a large table are read later, outside of any error handler.
  readonly #readNames = (offset: number, size: number): Uint8Array | null => {
    const range = { offset: this.#commands.symtab!.stringsOffset + offset, size };
    const read = () => this.#readLinkedit("the string table", range);
    return this.#guard("the string table", read) ?? null;
  };

  /** Exported symbols at addresses where the symbol table has no external one. */
  #readExports(nlists: SymbolColumns | null): SymbolColumns | null {
    const bytes = this.#readLinkedit("the export trie", this.#commands.exportTrie);
    if (bytes === null) return null;
    const known = new NumberSet(nlists?.count ?? 0);
    for (let row = 0; row < (nlists?.count ?? 0); row++) {
      if (nlists!.ranks[row] === RANK.EXTERNAL) known.add(nlists!.offsets[row]);
    }
    const even = (offset: number): number => this.#isArm ? offset - offset % 2 : offset;
    const trie = parseExports(bytes, (offset) => known.has(even(offset)));
    if (!trie.complete) this.#image.warnings.push("a part of the export trie is damaged");
    const { count, nameOffsets, names } = trie;
    const offsets = trie.offsets.map(even);
    const thumb = Uint8Array.from(trie.offsets, (offset) => offset - even(offset));
    const ranks = new Uint8Array(count).fill(RANK.EXPORT);
    return { count, offsets, ranks, thumb, nameOffsets, names };
  }

  /** The methods in the Objective-C metadata. */
  #readObjc(): SymbolColumns | null {
    const methods = readObjcMethods(this.#image, this.#source, this.#chainedFixups());
    if (methods === null) return null;
    const { count, nameOffsets, names } = methods;
    const offsets = new Float64Array(count);
    const thumb = new Uint8Array(count);
    for (let row = 0; row < count; row++) {
      const offset = Number(methods.addresses[row] - this.#image.loadAddress);
      thumb[row] = this.#isArm ? Math.abs(offset % 2) : 0;
      offsets[row] = offset - thumb[row];
    }
    const ranks = new Uint8Array(count).fill(RANK.OBJC);
    return { count, offsets, thumb, nameOffsets, names, ranks };
  }

  /** The functions in a Go program's own table. */
  #goFunctions(): GoFunctions | null {
    if (this.#go === undefined) {
      const onlyCode = this.#commands.functionStarts === null;
      this.#go = this.#guard(
        "the table of Go's functions",
        () => readGoFunctions(this.#image, this.#source, onlyCode),
      ) ?? null;
    }
    return this.#go;
  }

  /** The names of Go's functions where the symbol table has none. */
  #readGo(nlists: SymbolColumns | null): SymbolColumns | null {
    const go = this.#goFunctions();
    if (go === null) return null;
    const known = new NumberSet(nlists?.count ?? 0);
    for (let row = 0; row < (nlists?.count ?? 0); row++) known.add(nlists!.offsets[row]);
    const unknown = (offset: number): boolean => !known.has(offset);
    if (!go.starts.some(unknown)) return null;
    const { names, offsets } = go.names();
    const starts = go.starts.filter(unknown);
    const nameOffsets = offsets.filter((_, index) => unknown(go.starts[index]));
    const count = starts.length;
    const ranks = new Uint8Array(count).fill(RANK.LOCAL);
    return { count, offsets: starts, ranks, thumb: new Uint8Array(count), nameOffsets, names };
  }

  /** The payload of `LC_DYLD_CHAINED_FIXUPS`; needed while pointers are links of chains. */
  #chainedFixups(): Uint8Array | null {
    const range = this.#commands.chainedFixups;
    return this.#source.relocated || range === null ? null : this.#source.readLinkedit(range);
  }

  #readFunctionStarts(): FunctionStarts {
    const part = "the function starts";
    if (this.#commands.functionStarts === null) {
      const go = this.#goFunctions();
      if (go === null) return { offsets: none, complete: false };
      // C code may follow, about whose functions nothing is known.
      const offsets = new Float64Array(go.starts.length + 1);
      offsets.set(go.starts);
      offsets[go.starts.length] = go.end;
      return { offsets, complete: true };
    }
    const bytes = this.#guard(part, () => this.#readLinkedit(part, this.#commands.functionStarts));
    if (!bytes) return { offsets: none, complete: false };
    // Kernels have code in other segments than __TEXT, too.
    const limit = Math.max(
      ...this.#image.segments.map(({ vmAddress, size }) =>
        Number(vmAddress - this.#linkedAddress) + size
      ),
    );
    const { offsets, complete } = parseFunctionStarts(bytes, limit);
    if (!complete) {
      this.#image.warnings.push("the function starts are damaged: some are left out");
    }
    if (this.#isArm) {
      this.#thumbStarts = offsets.filter((offset) => offset % 2 === 1);
      for (const starts of [offsets, this.#thumbStarts]) {
        for (let index = 0; index < starts.length; index++) starts[index] -= starts[index] % 2;
      }
    }
    return { offsets, complete };
  }
}

/** Whether one of the local symbols is an Objective-C method. */
function hasObjcMethods({ count, ranks, names, nameOffsets }: SymbolColumns): boolean {
  for (let row = 0; row < count; row++) {
    if (ranks[row] !== RANK.LOCAL) continue;
    const prefix = names.prefixAt(nameOffsets[row]) & 0xffff;
    // `-[` and `+[`.
    if (prefix === 0x5b2d || prefix === 0x5b2b) return true;
  }
  return false;
}
