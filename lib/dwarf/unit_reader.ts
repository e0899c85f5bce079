/** Reads units into tables. */
import { FormatError } from "../errors.ts";
import type { RawText } from "../escape.ts";
import { lebEnd, ulebAt } from "../leb128.ts";
import { type AbbreviationTable, readAbbreviations } from "./abbreviations.ts";
import { Addresses } from "./addresses.ts";
import type { Budget } from "./budget.ts";
import { Chunks } from "./chunks.ts";
import { AT } from "./constants.ts";
import { EntryIndex } from "./entry_index.ts";
import { FileTable, lineLength, readLineHeader } from "./line_header.ts";
import { LineRows } from "./line_program.ts";
import { RangeLists, type Ranges } from "./range_lists.ts";
import { type DwarfSection, type DwarfSections, Window } from "./sections.ts";
import { StringReader } from "./string_reader.ts";
import {
  addUnitRanges,
  directString,
  hasCode,
  readUnitContext,
  type UnitContext,
} from "./unit_context.ts";
import type { DwarfUnit } from "./unit_header.ts";
import type { UnitLines, UnitScopes, UnitTable } from "./unit_table.ts";
import { Walk } from "./unit_walk.ts";
import {
  makeValues,
  packString,
  readValue,
  referenceTarget,
  STRING,
  stringRef,
  SUPPLEMENTARY,
} from "./values.ts";

/** Maximum memory of the abbreviations kept, in bytes. */
const MAX_ABBREVIATIONS = 32 << 20;
/** Maximum length of a chain of references to a name. */
const MAX_ORIGINS = 16;
/** Size of the first read for a unit's first entry, in bytes. */
const FIRST_READ = 1 << 10;
/** Size of the first read for an entry of another unit, in bytes. */
const ENTRY_READ = 1 << 8;
/** Number of scopes per call: see `unit_walk.ts`. */
const STRETCH = 1 << 10;
/** Maximum number of entries of other units whose names are kept. */
const MAX_ENTRIES = 1 << 16;

/** What a unit is read for: each counts on its own in the budget. */
const PURPOSE = { entries: 0, ranges: 1, lines: 2 } as const;
const PURPOSES = 3;

/** The names of an entry, packed by `packString`, and the entry that has them otherwise. */
interface EntryNames {
  readonly name: number;
  readonly linkage: number;
  readonly origin: number;
}

/** The functions of a unit's scopes. */
interface Functions {
  // Packed by `packString`, by function number.
  readonly names: number[];
  readonly linkages: number[];
  readonly scopes: Uint32Array;
  /** By index in the columns of the walk: the function's number plus 1. */
  readonly numbers: Uint32Array;
  /** The same by offset in `.debug_info`, for entries of other units. */
  readonly others: Map<number, number>;
}

const noNames: EntryNames = { name: STRING.none, linkage: STRING.none, origin: -1 };

/** The linked file of a split one. */
export interface LinkedUnits {
  readonly reader: UnitReader;
  /** Its unit with an ID. */
  readonly skeleton: (id: bigint) => UnitContext | null;
}

/** Reads the units of one image, one at a time. */
export class UnitReader {
  readonly addresses: Addresses;
  readonly lists: RangeLists;
  readonly sections: DwarfSections;
  readonly #info: DwarfSection;
  readonly #line: DwarfSection;
  readonly #strings: StringReader;
  readonly #offsets: Window;
  readonly #supplementary: UnitReader | undefined;
  readonly #linked: LinkedUnits | undefined;
  readonly #entries: Chunks;
  /** The values of an entry of another unit. */
  readonly #entryValues = makeValues(nameSlots.length + 1);
  readonly #walk: Walk;
  readonly #rows = new LineRows();
  readonly #abbreviations = new Map<string, AbbreviationTable>();
  #abbreviationWeight = 0;
  readonly #names = new Map<number, EntryNames>();
  readonly #budget: Budget;
  readonly #warn: (text: string) => void;
  readonly #unitAt: (offset: number) => DwarfUnit | null;
  // Buffers for a unit's entries and lines.
  #infoBytes: Uint8Array = new Uint8Array();
  #lineBytes: Uint8Array = new Uint8Array();
  readonly #entryIndex = new EntryIndex();

  /**
   * @param base the address of offset 0
   * @param unitAt the unit that contains an offset of `.debug_info`
   * @param supplementary reads the supplementary file
   * @param linked of a split file: the units of the linked one
   */
  constructor(
    sections: DwarfSections,
    base: bigint,
    unitAt: (offset: number) => DwarfUnit | null,
    warn: (text: string) => void,
    supplementary?: UnitReader,
    linked?: LinkedUnits,
  ) {
    this.sections = sections;
    this.#linked = linked;
    this.#supplementary = supplementary;
    this.#budget = sections.budget;
    this.#unitAt = unitAt;
    this.#warn = warn;
    this.#info = sections.get("info");
    this.#line = sections.get("line");
    this.addresses = new Addresses(sections, base);
    this.lists = new RangeLists(sections, this.addresses);
    this.#strings = new StringReader(sections, supplementary && supplementary.#strings);
    this.#offsets = new Window(sections.get("str_offsets"));
    this.#entries = new Chunks(this.#info);
    this.#walk = new Walk(this.addresses, this.lists);
  }

  /** Reads a unit's first entry.
   *
   * @throws {FormatError} when it is damaged
   */
  context(unit: DwarfUnit): UnitContext {
    const table = this.#table(unit);
    const bytes = this.#info.take(unit.offset, Math.min(FIRST_READ, unit.size));
    try {
      return this.#readContext(bytes, unit, table);
    } catch (error) {
      if (!(error instanceof FormatError) || bytes.length === unit.size) throw error;
      const all = this.#info.take(unit.offset, unit.size);
      return this.#readContext(all, unit, table);
    }
  }

  #readContext(bytes: Uint8Array, unit: DwarfUnit, table: AbbreviationTable): UnitContext {
    return readUnitContext(bytes, unit, table, this.addresses, this.#linked?.skeleton);
  }

  /** The text of a packed string of a unit's entry; `null` if there is none. */
  text(ref: number, unit: UnitContext): string | null {
    return this.#strings.at(directString(ref, unit, this.#offsets));
  }

  /** Adds the code ranges of a unit's first entry.
   *
   * @throws {FormatError} when it is damaged
   */
  ranges(unit: DwarfUnit, into: Ranges): void {
    this.#begin(unit, PURPOSE.ranges);
    const context = this.context(unit);
    if (hasCode(context)) addUnitRanges(context, this.addresses, this.lists, into);
  }

  /** Reads a whole unit. The columns are reused for the next one.
   *
   * @throws {FormatError} when its entries are damaged; damaged lines are left out with a warning
   */
  read(unit: DwarfUnit): UnitTable {
    const budget = this.#budget;
    const context = this.#walkOver(unit);
    const functions = this.#resolve(context);
    const files = this.#linesOf(context, this.#rows);
    const strings = this.#strings;
    const text = (ref: number) => strings.at(directString(ref, context, this.#offsets));
    const { names, linkages, scopes } = functions;
    return {
      unit: unit.offset,
      name: text(context.name),
      directory: text(context.directory) ?? this.#linkedDirectory(context),
      language: context.language,
      ...this.#scopes(),
      scopeFunction: scopes,
      ...columnsOf(this.#rows),
      functionCount: names.length,
      functionName: (number) => strings.at(this.#nameRef(names[number], "name")),
      linkageName: (number) => strings.at(this.#nameRef(linkages[number], "linkage")),
      symbolName: (number) => {
        const name = strings.bytesAt(this.#nameRef(linkages[number], "linkage")) ??
          strings.bytesAt(this.#nameRef(names[number], "name"));
        if (name !== null) budget.spend(name.end - name.start, "__debug_str", 0);
        return name;
      },
      file: (number) => files?.path(number) ?? null,
    };
  }

  /** Reads the functions and inlined calls of a unit. The columns are reused for the next one.
   *
   * @throws {FormatError} when its entries are damaged
   */
  scopes(unit: DwarfUnit): UnitScopes & {
    /** Offsets in `.debug_info` of the entries that have the names. */
    readonly scopeEntry: Float64Array;
  } {
    this.#walkOver(unit);
    return { unit: unit.offset, ...this.#scopes(), scopeEntry: this.#walk.scopeEntry };
  }

  /** Reads the lines of a unit, into columns of their own; damaged ones are left out with a warning.
   *
   * @throws {FormatError} when its first entry is damaged
   */
  lines(unit: DwarfUnit): UnitLines {
    this.#begin(unit, PURPOSE.lines);
    const rows = new LineRows();
    const files = this.#linesOf(this.context(unit), rows);
    return { ...columnsOf(rows), file: (number) => files?.path(number) ?? null };
  }

  /** The linkage name of the function of an entry, or else its name; empty if it has neither.
   *
   * @param place offset in `.debug_info`
   * @param unit that is asked first for the entry
   */
  functionNameAt(place: number, unit: DwarfUnit): RawText {
    const text = (kind: "name" | "linkage") => this.#strings.at(this.#follow(place, kind, unit));
    return text("linkage") ?? text("name") ?? "";
  }

  #begin(unit: DwarfUnit, purpose: number): void {
    this.#budget.begin(PURPOSES * unit.offset + purpose, unit.size);
  }

  /** Walks over the entries of a unit. */
  #walkOver(unit: DwarfUnit): UnitContext {
    this.#begin(unit, PURPOSE.entries);
    this.#budget.spend(unit.size, "__debug_info", unit.offset);
    if (this.#infoBytes.length < unit.size) this.#infoBytes = room(unit.size);
    const bytes = this.#info.take(unit.offset, unit.size, this.#infoBytes);
    const context = this.#readContext(bytes, unit, this.#table(unit));
    this.#walk.run(bytes, context);
    return context;
  }

  /** The columns of the last walk. */
  #scopes(): Omit<UnitScopes, "unit"> {
    const walk = this.#walk;
    return {
      scopeCount: walk.scopeCount,
      scopeParent: walk.scopeParent,
      scopePlace: walk.scopePlace,
      scopeCallFile: walk.scopeCallFile,
      scopeCallLine: walk.scopeCallLine,
      scopeCallColumn: walk.scopeCallColumn,
      scopeRanges: walk.scopeRanges,
      rangeCount: walk.ranges.count,
      rangeLow: walk.ranges.low,
      rangeHigh: walk.ranges.high,
    };
  }

  /** Resolves a reference to an entry of another unit to the place of its name. */
  #nameRef(ref: number | undefined, kind: "name" | "linkage"): number {
    if (ref === undefined) return STRING.none;
    return ref >= 0 && ref % 8 === STRING.entry ? this.#follow(Math.floor(ref / 8), kind) : ref;
  }

  #table(unit: DwarfUnit): AbbreviationTable {
    const { abbreviations, version, addressSize, offsetSize } = unit;
    const key = `${abbreviations} ${version > 2} ${addressSize} ${offsetSize}`;
    let table = this.#abbreviations.get(key);
    if (table === undefined) {
      table = readAbbreviations(this.sections.get("abbrev"), abbreviations, unit, this.#budget);
      this.#abbreviationWeight += table.weight;
      if (this.#abbreviationWeight > MAX_ABBREVIATIONS) {
        this.#abbreviations.clear();
        this.#abbreviationWeight = table.weight;
      }
      this.#abbreviations.set(key, table);
    }
    return table;
  }

  #linkedDirectory({ skeleton }: UnitContext): string | null {
    return skeleton && (this.#linked?.reader.text(skeleton.directory, skeleton) ?? null);
  }

  /** Reads the lines of a unit. Those of a split unit are in the linked file. */
  #linesOf(unit: UnitContext, rows: LineRows): FileTable | null {
    const { skeleton } = unit;
    const linked = this.#linked?.reader;
    if (skeleton === null || linked === undefined) return this.#readLines(unit, rows);
    linked.#begin(skeleton, PURPOSE.lines);
    return linked.#readLines(skeleton, rows);
  }

  /** Reads the lines of a unit; `null` if it has none. */
  #readLines(unit: UnitContext, rows: LineRows): FileTable | null {
    rows.clear();
    if (unit.lines < 0) return null;
    let files: FileTable | null = null;
    try {
      const length = lineLength(this.#line, unit.lines);
      this.#budget.spend(length, "__debug_line", unit.lines);
      if (this.#lineBytes.length < length) this.#lineBytes = room(length);
      const bytes = this.#line.take(unit.lines, length, this.#lineBytes);
      const { header, tables } = readLineHeader(bytes, unit.lines, unit);
      const table = new FileTable(
        bytes,
        tables,
        header,
        unit,
        this.#strings,
        this.#offsets,
        this.#budget,
      );
      files = table;
      rows.onDefine = (name, directory) => table.define(name, directory);
      rows.run(bytes, header, this.addresses);
    } catch (error) {
      if (!(error instanceof FormatError)) throw error;
      this.#warn(`lines of the unit at 0x${unit.offset.toString(16)} cut short: ${error.message}`);
    }
    rows.sort();
    return files;
  }

  /** Numbers the functions of the scopes and finds their names. */
  #resolve(unit: UnitContext): Functions {
    const walk = this.#walk;
    const { functionCount, functionEntry, scopeCount } = walk;
    this.#entryIndex.build(functionEntry, functionCount);
    const functions: Functions = {
      names: [],
      linkages: [],
      scopes: new Uint32Array(scopeCount),
      numbers: new Uint32Array(functionCount),
      others: new Map(),
    };
    for (let scope = 0; scope < scopeCount; scope += STRETCH) {
      this.#number(unit, functions, scope, Math.min(scopeCount, scope + STRETCH));
    }
    return functions;
  }

  /** Numbers the functions of scopes from `first` up to, not including, `end`. */
  #number(unit: UnitContext, functions: Functions, first: number, end: number): void {
    const { names, linkages, scopes, numbers, others } = functions;
    const { scopeEntry, functionName, functionLinkage } = this.#walk;
    for (let scope = first; scope < end; scope++) {
      const place = scopeEntry[scope];
      const index = this.#entryIndex.find(place - unit.offset);
      const known = index < 0 ? others.get(place) ?? 0 : numbers[index];
      if (known !== 0) {
        scopes[scope] = known - 1;
        continue;
      }
      scopes[scope] = names.length;
      if (index < 0) others.set(place, names.length + 1);
      else numbers[index] = names.length + 1;
      names.push(this.#nameOf(place, index, functionName, unit));
      linkages.push(this.#nameOf(place, index, functionLinkage, unit));
    }
  }

  /** A function's name from the entries of its unit, or a reference to an entry of another unit. */
  #nameOf(place: number, index: number, column: Float64Array, unit: UnitContext): number {
    for (let step = 0; step < MAX_ORIGINS; step++) {
      if (index < 0) return packString(STRING.entry, place);
      if (column[index] !== STRING.none) return directString(column[index], unit, this.#offsets);
      place = this.#walk.functionOrigin[index];
      if (place < 0) break;
      index = this.#entryIndex.find(place - unit.offset);
    }
    return STRING.none;
  }

  /** The name of an entry, or of an entry that it refers to. */
  #follow(place: number, kind: "name" | "linkage", first?: DwarfUnit): number {
    for (let step = 0; step < MAX_ORIGINS && place >= 0; step++) {
      const names = this.#entryNames(place, first);
      if (names[kind] !== STRING.none) return names[kind];
      place = names.origin;
    }
    return STRING.none;
  }

  /** @param first unit that is asked first for the entry */
  #entryNames(place: number, first?: DwarfUnit): EntryNames {
    let names = this.#names.get(place);
    if (names === undefined) {
      try {
        names = this.#readEntry(place, first);
      } catch (error) {
        if (!(error instanceof FormatError)) throw error;
        names = noNames;
      }
      if (this.#names.size >= MAX_ENTRIES) this.#names.clear();
      this.#names.set(place, names);
    }
    return names;
  }

  /** The names of an entry, as they are known in the file that this one supplements. */
  #supplied(place: number): EntryNames {
    const { name, linkage, origin } = this.#entryNames(place);
    const placed = (ref: number) => ref === STRING.none ? ref : ref + SUPPLEMENTARY * 8;
    return {
      name: placed(name),
      linkage: placed(linkage),
      origin: origin < 0 ? origin : origin + SUPPLEMENTARY,
    };
  }

  /** Reads an entry of any unit. */
  #readEntry(place: number, first?: DwarfUnit): EntryNames {
    if (place >= SUPPLEMENTARY) {
      const other = this.#supplementary;
      return other === undefined ? noNames : other.#supplied(place - SUPPLEMENTARY);
    }
    const isInFirst = first !== undefined && place >= first.offset &&
      place < first.offset + first.size;
    const unit = isInFirst ? first : this.#unitAt(place);
    if (unit === null || place < unit.offset + unit.entries) return noNames;
    const table = this.#table(unit);
    const rest = unit.offset + unit.size - place;
    for (let length = ENTRY_READ;; length *= 16) {
      const wanted = Math.min(length, rest);
      const bytes = this.#entries.at(place, wanted);
      if (bytes.length < wanted) return noNames;
      const abbreviation = table.get(ulebAt(bytes, 0));
      if (abbreviation === undefined) return noNames;
      const values = this.#entryValues;
      values.forms.fill(0);
      let at = lebEnd(bytes, 0);
      for (const { attribute, form, constant } of abbreviation.attributes) {
        const slot = nameSlots.indexOf(attribute) + 1;
        at = readValue(bytes, at, form, constant, unit, values, slot);
      }
      if (!(at <= wanted)) {
        if (wanted === rest) return noNames;
        continue;
      }
      const { forms, low } = values;
      // The place of an inline string counts from the entry's start.
      const ref = (slot: number): number => {
        const packed = stringRef(forms[slot], low[slot], place);
        return packed < 0 || packed % 8 < STRING.index
          ? packed
          : directString(packed, this.context(unit), this.#offsets);
      };
      const origin = referenceTarget(forms[4], low[4], unit.offset);
      return {
        name: ref(1),
        linkage: forms[2] === 0 ? ref(5) : ref(2),
        origin: origin >= 0 ? origin : referenceTarget(forms[3], low[3], unit.offset),
      };
    }
  }
}

const nameSlots: readonly number[] = [
  ...[AT.name, AT.linkage_name, AT.specification, AT.abstract_origin, AT.MIPS_linkage_name],
];

/** The columns of lines that were read. */
function columnsOf(rows: LineRows): Omit<UnitLines, "file"> {
  return {
    sequenceCount: rows.sequenceCount,
    sequenceRows: rows.sequenceRows,
    sequenceHigh: rows.sequenceHigh,
    rowCount: rows.count,
    rowOffset: rows.offset,
    rowFile: rows.file,
    rowLine: rows.line,
    rowColumn: rows.column,
  };
}

/** A buffer with reserve, so that a slightly larger unit does not need a new one. */
function room(size: number): Uint8Array {
  return new Uint8Array(size + (size >> 3) + 64);
}
