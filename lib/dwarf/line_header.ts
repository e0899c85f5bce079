/** The header of a unit's line table. DWARF 5, section 6.2.4, and the same section of versions 2 to 4. */
import { FormatError } from "../errors.ts";
import type { Budget } from "./budget.ts";
import { lebEnd, ulebAt } from "../leb128.ts";
import type { Widths } from "./abbreviations.ts";
import { FORM, LNCT } from "./constants.ts";
import type { DwarfSection } from "./sections.ts";
import type { Window } from "./sections.ts";
import type { StringReader } from "./string_reader.ts";
import { directString, type UnitContext } from "./unit_context.ts";
import { makeValues, packString, readValue, STRING, stringRef } from "./values.ts";
import { u32At, u64At } from "./words.ts";

/** The header of a line table. Offsets count from the start of the table. */
export interface LineHeader {
  readonly version: number;
  readonly addressSize: 4 | 8;
  readonly offsetSize: 4 | 8;
  /** Offset of the table in `.debug_line`. */
  readonly offset: number;
  /** Offset of the program. */
  readonly program: number;
  readonly end: number;
  readonly minimumLength: number;
  /** Operations per instruction: more than 1 for VLIW. */
  readonly maximumOperations: number;
  readonly lineBase: number;
  readonly lineRange: number;
  readonly opcodeBase: number;
  /** Number of operands of each standard opcode, from opcode 1. */
  readonly operands: Uint8Array;
}

/** The length of the line table at an offset, including the length field. */
export function lineLength(section: DwarfSection, offset: number): number {
  const bytes = section.read(offset, 12);
  const wide = u32At(bytes, 0) === 0xffffffff;
  const length = wide ? 12 + u64At(bytes, 4) : 4 + u32At(bytes, 0);
  if (bytes.length < 12 || length > section.size - offset) {
    throw new FormatError(section.name, offset, `lines of up to ${section.size - offset} bytes`);
  }
  return length;
}

/** Reads the header.
 *
 * @param bytes the whole line table
 * @param unit the unit that it belongs to
 * @throws {FormatError} when it is damaged
 */
export function readLineHeader(
  bytes: Uint8Array,
  offset: number,
  unit: Widths,
): { header: LineHeader; tables: number } {
  const damage = (expected: string) => new FormatError("__debug_line", offset, expected);
  const offsetSize = u32At(bytes, 0) === 0xffffffff ? 8 : 4;
  let at = offsetSize === 8 ? 12 : 4;
  const version = bytes[at] | (bytes[at + 1] << 8);
  if (version < 2 || version > 5) throw damage(`lines of DWARF 2 to 5, not ${version}`);
  at += 2;
  let { addressSize } = unit;
  if (version >= 5) {
    if (bytes[at] !== 4 && bytes[at] !== 8) throw damage("addresses of 4 or 8 bytes");
    addressSize = bytes[at] as 4 | 8;
    at += 2;
  }
  const length = offsetSize === 8 ? u64At(bytes, at) : u32At(bytes, at);
  at += offsetSize;
  const program = at + length;
  if (!(program <= bytes.length)) throw damage("a header within its lines");
  const minimumLength = bytes[at++];
  const maximumOperations = version >= 4 ? Math.max(1, bytes[at++]) : 1;
  at++; // default_is_stmt
  const lineBase = (bytes[at++] << 24) >> 24;
  const lineRange = bytes[at++];
  const opcodeBase = bytes[at++];
  const operands = bytes.slice(at, at + Math.max(0, opcodeBase - 1));
  at += operands.length;
  if (!(at <= program) || opcodeBase === 0) throw damage("a whole header");
  return {
    header: {
      ...{ version, addressSize, offsetSize, offset, program, end: bytes.length },
      ...{ minimumLength, maximumOperations, lineBase, lineRange, opcodeBase, operands },
    },
    tables: at,
  };
}

/** Directories and files by number. Paths are joined at first use. */
export class FileTable {
  readonly #strings: StringReader;
  readonly #budget: Budget;
  /** A copy of the header, for its strings. */
  readonly #header: Uint8Array;
  /** `DW_AT_comp_dir`. */
  readonly #directory: string | null;
  readonly #version: number;
  /** Packed by `packString`, or strings of the header itself. */
  readonly #directories: (number | string)[] = [];
  readonly #files: { readonly name: number | string; readonly directory: number }[] = [];
  readonly #paths = new Map<number, string | null>();

  /** Reads the tables.
   *
   * @param bytes the line table
   * @param at offset of the directories and files
   * @throws {FormatError} when they are damaged
   */
  constructor(
    bytes: Uint8Array,
    at: number,
    header: LineHeader,
    unit: UnitContext,
    strings: StringReader,
    offsets: Window,
    budget: Budget,
  ) {
    this.#strings = strings;
    this.#budget = budget;
    this.#header = bytes.slice(0, header.program);
    this.#directory = strings.at(directString(unit.directory, unit, offsets));
    this.#version = header.version;
    if (header.version >= 5) this.#readTables(bytes, at, header, unit, offsets);
    else this.#readLists(bytes, at, header);
  }

  /** The path of a file, joined as `llvm-symbolizer` does; `null` if there is no such file.
   *
   * @throws {FormatError} when the paths take too much memory
   */
  path(number: number): string | null {
    let path = this.#paths.get(number);
    if (path === undefined) {
      path = this.#join(number);
      if (path !== null) this.#budget.spend(path.length, "__debug_line", 0);
      this.#paths.set(number, path);
    }
    return path;
  }

  /** Adds a file defined by the program. */
  define(name: string, directory: number): void {
    this.#files.push({ name, directory });
  }

  #join(number: number): string | null {
    const first = this.#version >= 5 ? 0 : 1;
    const file = this.#files[number - first];
    if (file === undefined) return null;
    const name = this.#text(file.name);
    if (name === null || isAbsolute(name)) return name;
    const entry = this.#directories[file.directory - first];
    const directory = entry === undefined ? "" : this.#text(entry) ?? "";
    // Directory 0 of DWARF 5 is that of the unit.
    const inside = (this.#version < 5 || file.directory !== 0) && !isAbsolute(directory);
    return joined(joined(inside ? this.#directory ?? "" : "", directory), name);
  }

  #text(string: number | string): string | null {
    if (typeof string === "string") return string;
    if (string < 0 || string % 8 !== HEADER) return this.#strings.at(string);
    const start = Math.floor(string / 8);
    const end = this.#header.indexOf(0, start);
    return decoder.decode(this.#header.subarray(start, end < 0 ? this.#header.length : end));
  }

  /** Versions 2 to 4: zero-terminated names up to an empty one. */
  #readLists(bytes: Uint8Array, at: number, header: LineHeader): void {
    const limit = header.program;
    const damage = () =>
      new FormatError(
        "__debug_line",
        header.offset + at,
        "lists of directories and files that end",
      );
    /** -1 for the empty name. */
    const name = (): number => {
      const start = at;
      const end = bytes.indexOf(0, at);
      if (end < 0 || end >= limit) throw damage();
      at = end + 1;
      return end === start ? -1 : packString(HEADER, start);
    };
    const uleb = (): number => {
      const value = ulebAt(bytes, at);
      at = lebEnd(bytes, at);
      return value;
    };
    for (let text = name(); text >= 0; text = name()) this.#directories.push(text);
    for (let text = name(); text >= 0; text = name()) {
      const directory = uleb();
      uleb(); // time
      uleb(); // length
      this.#files.push({ name: text, directory });
      if (at > limit) throw damage();
    }
  }

  /** Version 5: tables that describe their own columns. */
  #readTables(
    bytes: Uint8Array,
    at: number,
    header: LineHeader,
    unit: UnitContext,
    offsets: Window,
  ): void {
    const values = makeValues(3);
    const widths = { ...header, version: 5 };
    const damage = (expected: string) =>
      new FormatError("__debug_line", header.offset + at, expected);
    const uleb = (): number => {
      const value = ulebAt(bytes, at);
      at = lebEnd(bytes, at);
      return value;
    };
    const text = (): number => {
      const [form] = values.forms;
      const [value] = values.low;
      if (form === FORM.string) return packString(HEADER, value);
      const ref = stringRef(form, value, 0);
      return ref === STRING.none ? packString(7, 0) : directString(ref, unit, offsets);
    };
    for (const table of ["directories", "files"]) {
      const formats: { readonly slot: number; readonly form: number }[] = [];
      const count = bytes[at++];
      for (let index = 0; index < count; index++) {
        const content = uleb();
        const slot = content === LNCT.path ? 0 : content === LNCT.directory_index ? 1 : 2;
        formats.push({ slot, form: uleb() });
      }
      const entries = uleb();
      // An entry takes at least a byte: otherwise there could be any number of them.
      if (!(entries <= header.program - at)) throw damage(`${table} within the header`);
      this.#budget.spend(entries * count, "__debug_line", header.offset);
      for (let index = 0; index < entries; index++) {
        values.forms.fill(0);
        values.low.fill(0);
        for (const { slot, form } of formats) {
          at = readValue(bytes, at, form, 0, widths, values, slot);
        }
        if (!(at <= header.program)) throw damage(`all ${table}`);
        if (table === "directories") this.#directories.push(text());
        else this.#files.push({ name: text(), directory: values.low[1] });
      }
    }
  }
}

const decoder = new TextDecoder();

/** The kind of packed strings that are in the header itself, besides those of `STRING`. */
const HEADER = 6;

function isAbsolute(path: string): boolean {
  return path.startsWith("/") || /^(?:[A-Za-z]:)?[\\/]/.test(path);
}

/** Joins as LLVM's `sys::path::append` does, without resolving `..`. */
function joined(folder: string, name: string): string {
  if (folder === "") return name;
  if (name === "") return folder;
  if (folder.endsWith("/")) return folder + name.replace(/^\/+/, "");
  return name.startsWith("/") ? folder + name : `${folder}/${name}`;
}
