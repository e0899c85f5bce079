/** The call-frame information of an image: one section, indexed by address. */
import { FormatError } from "../errors.ts";
import {
  type Cie,
  type Entry,
  type FrameSectionKind,
  readCie,
  readEntry,
  readFde,
} from "./cfi_entries.ts";
import {
  type InitialState,
  type ProgramContext,
  type RowTable,
  runCie,
  runFde,
} from "./cfi_program.ts";
import { FdeColumns, scanPlainFdes } from "./cfi_scan.ts";
import { Cursor } from "./cursor.ts";
import type { PointerBases } from "./pointer_encoding.ts";
import type { FrameTable } from "./frame_table.ts";
import { RangeIndex } from "./range_index.ts";
import type { UnwindRow } from "./row.ts";

/** Maximum number of warnings per section. */
const MAX_WARNINGS = 32;
/** Maximum number of rows and rules kept in total. A function has some dozens. */
const MAX_WEIGHT = 1 << 20;

/** Options of {@linkcode CallFrameInfo.parse}. */
export interface CallFrameOptions {
  /** The section's address. If it is slid, function addresses are slid too. */
  readonly address: bigint;
  /** Size of a pointer, in bytes. */
  readonly pointerSize: 4 | 8;
  /** `__TEXT,__eh_frame` or `__DWARF,__debug_frame`. */
  readonly kind: "eh_frame" | "debug_frame";
  /** Added to addresses that are stored as linked: all of those in `debug_frame`. Default: 0. */
  readonly slide?: bigint;
  /** Base of `DW_EH_PE_textrel`; Mach-O images have none. */
  readonly textAddress?: bigint;
  /** Base of `DW_EH_PE_datarel`; Mach-O images have none. */
  readonly dataAddress?: bigint;
  /** Whether registers 4 and 5 are swapped, as in `__eh_frame` of i386 on Darwin, where ebp is 4 and esp is
   * 5. Rows always have the standard numbers. */
  readonly swapEspEbp?: boolean;
  /** Leads to FDEs without an index. It is believed about addresses that no FDE describes. */
  readonly table?: FrameTable;
  /** Receives a line for each damaged part that is left out. */
  readonly warn: (text: string) => void;
}

/** The range of code that one FDE describes. */
export interface FrameDescription {
  /** The function's first address. */
  readonly start: bigint;
  /** The address after its last. */
  readonly end: bigint;
  /** Offset of the FDE in the section. */
  readonly offset: number;
}

/** A row and the address from which it applies, up to the next row or the end of the function. */
export interface AddressedRow {
  /** The first address. */
  readonly address: bigint;
  /** `null` if the information is damaged or has no rule for the CFA. */
  readonly row: UnwindRow | null;
}

/** The range of code of the FDE at `offset`. All are relative to the section's address. */
interface FdeRange {
  readonly start: number;
  readonly end: number;
  readonly offset: number;
}

interface ParsedCie {
  readonly cie: Cie;
  readonly initial: InitialState;
}

/** The call-frame information of one section: how to find the caller, for every address that it describes.
 * DWARF 2 to 5. The index of all functions is built in one pass; the rows of a function are read at first
 * use.
 *
 * A damaged FDE is left out with a warning. If its program is damaged, the rows before the damage are kept.
 *
 * @example
 * ```ts
 * import { CallFrameInfo } from "./mod.ts";
 *
 * const section = await Deno.readFile("eh_frame.bin");
 * const info = CallFrameInfo.parse(section, {
 *   address: 0x100003f00n,
 *   pointerSize: 8,
 *   kind: "eh_frame",
 *   warn: console.warn,
 * });
 * console.log(info.rowAt(0x100001234n)?.cfa); // { kind: "register", register: 7, offset: 16 }
 * ```
 */
export class CallFrameInfo {
  readonly #section: Cursor;
  readonly #kind: FrameSectionKind;
  readonly #pointerSize: 4 | 8;
  readonly #context: ProgramContext;
  readonly #bases: PointerBases;
  readonly #table: FrameTable | undefined;
  readonly #warn: (text: string) => void;
  /** CIEs by offset; `null` for a damaged one. */
  readonly #cies = new Map<number, ParsedCie | null>();
  /** Code ranges with the offsets of their FDEs, built at first use. */
  #ranges: RangeIndex | undefined;
  readonly #rowTables = new Map<number, RowTable>();
  #weight = 0;
  #warnings = 0;

  private constructor(bytes: Uint8Array, options: CallFrameOptions) {
    this.#section = new Cursor(bytes, `__${options.kind}`);
    this.#kind = options.kind;
    this.#pointerSize = options.pointerSize;
    this.#bases = {
      origin: options.address,
      slide: options.slide ?? 0n,
      text: options.textAddress,
      data: options.dataAddress,
    };
    this.#context = {
      section: this.#section,
      bases: this.#bases,
      swapEspEbp: options.swapEspEbp ?? false,
    };
    this.#table = options.table;
    this.#warn = options.warn;
  }

  /** Opens a section. Nothing is read yet.
   *
   * @param bytes the whole section, at most 4 GB; kept, not copied
   */
  static parse(bytes: Uint8Array, options: CallFrameOptions): CallFrameInfo {
    return new CallFrameInfo(bytes, options);
  }

  /** Number of functions described. */
  get size(): number {
    return this.#index.size;
  }

  /** The functions described, by ascending address. */
  get fdes(): Iterable<FrameDescription> {
    return this.#descriptions();
  }

  /** The function that contains `pc`; `null` if none is described there. If two do, the one that begins later. */
  fdeAt(pc: bigint): FrameDescription | null {
    const range = this.#find(Number(pc - this.#bases.origin));
    return range && this.#description(range);
  }

  /** How to find the caller of a frame at `pc`; `null` if unknown. For a frame that called another, `pc` is
   * the return address minus one.
   *
   * @param fde offset of the FDE in the section, if known: if it is right, no index is needed
   */
  rowAt(pc: bigint, fde?: number): UnwindRow | null {
    const offset = Number(pc - this.#bases.origin);
    const range = (fde === undefined ? null : this.#described(fde, offset)) ?? this.#find(offset);
    if (range === null) return null;
    const { starts, rows } = this.#rowsOf(range.offset);
    let low = 0;
    let high = starts.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (starts[middle] <= offset) low = middle + 1;
      else high = middle;
    }
    return low === 0 ? null : rows[low - 1] ?? null;
  }

  /** The range of the function at `pc`, as offsets from `base`; `null` if no FDE describes it. */
  rangeAt(pc: bigint, base: bigint): { readonly start: number; readonly end: number } | null {
    const range = this.#find(Number(pc - this.#bases.origin));
    if (range === null) return null;
    const origin = Number(this.#bases.origin - base);
    return { start: origin + range.start, end: origin + range.end };
  }

  /** All rows of a function, by ascending address, including any beyond its end. */
  rows(fde: FrameDescription): AddressedRow[] {
    const { starts, rows } = this.#rowsOf(fde.offset);
    return starts.map((start, index) => ({
      address: this.#address(start),
      row: rows[index] ?? null,
    }));
  }

  get #index(): RangeIndex {
    return this.#ranges ??= this.#buildIndex();
  }

  /** The FDE that describes the byte at `offset` from the section; `null` if none does. */
  #find(offset: number): FdeRange | null {
    if (this.#table !== undefined) {
      const fde = this.#table.fdeAt(offset);
      return fde === undefined ? null : this.#described(fde, offset);
    }
    const place = this.#index.find(offset);
    return place < 0 ? null : this.#rangeOf(place);
  }

  /** The FDE at `fde`; `null` if it does not describe the byte at `offset`. */
  #described(fde: number, offset: number): FdeRange | null {
    if (!(fde >= 0 && fde < this.#section.end)) return null;
    try {
      const entry = readEntry(this.#section.at(fde, this.#section.end), this.#kind);
      if (entry === undefined || entry.cie === null) return null;
      const { cie } = this.#cie(entry.cie);
      const { start, end } = readFde(this.#section.at(entry.body, entry.end), cie, this.#bases);
      return offset >= start && offset < end ? { start, end, offset: fde } : null;
    } catch (error) {
      if (!(error instanceof FormatError)) throw error;
      return null;
    }
  }

  *#descriptions(): Generator<FrameDescription> {
    for (let place = 0; place < this.#index.size; place++) {
      yield this.#description(this.#rangeOf(place));
    }
  }

  #rangeOf(place: number): FdeRange {
    const index = this.#index;
    return { start: index.start(place), end: index.end(place), offset: index.value(place) };
  }

  #description({ start, end, offset }: FdeRange): FrameDescription {
    return { start: this.#address(start), end: this.#address(end), offset };
  }

  #address(offset: number): bigint {
    return this.#bases.origin + BigInt(offset);
  }

  #buildIndex(): RangeIndex {
    const cursor = this.#section.at(0, this.#section.end);
    const reader = this.#section.at(0, 0);
    const { bytes } = this.#section;
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const columns = new FdeColumns(bytes.length);
    while (cursor.position < cursor.end) {
      const offset = cursor.position;
      const entry = this.#entry(cursor);
      if (entry === null) break;
      if (entry === undefined || entry.cie === null) continue;
      reader.position = entry.body;
      reader.end = entry.end;
      try {
        const { cie } = this.#cie(entry.cie);
        const { start, end } = readFde(reader, cie, this.#bases);
        // Functions that the linker removed, or without code, contain no address.
        if (Number.isNaN(start) || end === start) continue;
        if (!Number.isSafeInteger(start) || !Number.isSafeInteger(end)) {
          throw reader.damage("a range of code within 2^53 bytes of the section", entry.body);
        }
        columns.add(start, end, offset);
        cursor.position = scanPlainFdes(view, entry.end, this.#kind, cie, this.#bases, columns);
      } catch (error) {
        this.#report(`FDE at 0x${offset.toString(16)} left out`, error);
      }
    }
    const { starts, ends, offsets, count } = columns;
    return new RangeIndex(starts.slice(0, count), ends.slice(0, count), offsets.slice(0, count));
  }

  /** The next entry; `undefined` for an empty one, `null` if no further entry can be found. */
  #entry(cursor: Cursor): Entry | undefined | null {
    const offset = cursor.position;
    try {
      return readEntry(cursor, this.#kind);
    } catch (error) {
      this.#report(`all from 0x${offset.toString(16)} on left out`, error);
      return null;
    }
  }

  #cie(offset: number): ParsedCie {
    let parsed = this.#cies.get(offset);
    if (parsed === undefined) {
      parsed = this.#parseCie(offset);
      this.#cies.set(offset, parsed);
    }
    if (parsed === null) throw this.#section.damage("a CIE", offset);
    return parsed;
  }

  #parseCie(offset: number): ParsedCie | null {
    const section = this.#section;
    // An FDE may point anywhere.
    if (!(offset >= 0 && offset < section.end)) return null;
    try {
      const entry = readEntry(section.at(offset, section.end), this.#kind);
      if (entry?.cie !== null) return null;
      const cie = readCie(section, entry, this.#kind, this.#pointerSize, this.#bases);
      return { cie, initial: runCie(this.#context, cie) };
    } catch (error) {
      this.#report(`CIE at 0x${offset.toString(16)} left out`, error);
      return null;
    }
  }

  /** @param offset offset of the FDE */
  #rowsOf(offset: number): RowTable {
    let table = this.#rowTables.get(offset);
    if (table === undefined) {
      table = this.#run(offset);
      this.#weight += table.weight + 1;
      if (this.#weight > MAX_WEIGHT) {
        this.#rowTables.clear();
        this.#weight = table.weight + 1;
      }
      this.#rowTables.set(offset, table);
    }
    return table;
  }

  #run(offset: number): RowTable {
    try {
      const entry = readEntry(this.#section.at(offset, this.#section.end), this.#kind);
      if (entry === undefined || entry.cie === null) throw this.#section.damage("an FDE", offset);
      const { cie, initial } = this.#cie(entry.cie);
      const fde = readFde(this.#section.at(entry.body, entry.end), cie, this.#bases);
      const table = runFde(this.#context, cie, initial, fde, entry.end);
      if (table.error !== undefined) {
        this.#report(`FDE at 0x${offset.toString(16)} cut short`, table.error);
      }
      return table;
    } catch (error) {
      this.#report(`FDE at 0x${offset.toString(16)} left out`, error);
      return { starts: [], rows: [], error, weight: 0 };
    }
  }

  #report(what: string, error: unknown): void {
    if (!(error instanceof FormatError)) throw error;
    this.#warnings++;
    if (this.#warnings <= MAX_WARNINGS) this.#warn(`${what}: ${error.message}`);
    if (this.#warnings === MAX_WARNINGS) this.#warn(`${error.file}: no more warnings of this kind`);
  }
}
