/** The indirect symbol table (`LC_DYSYMTAB`): the symbol of each stub and symbol pointer. A
 * section's `reserved1` is the index of its first entry. */

import type { RawText } from "../escape.ts";
import type { FieldValue } from "./command_fields.ts";
import { SECTION_TYPE } from "./constants.ts";
import { rawText } from "./strings.ts";
import type { SymbolList } from "./symbol_list.ts";

/** One stub or symbol pointer. */
export interface IndirectSymbol {
  /** Such as `__DATA`. */
  readonly segment: RawText;
  /** Such as `__got`. */
  readonly section: RawText;
  /** The address of the stub or pointer, as linked. */
  readonly address: bigint;
  /** The index in the symbol table; `null` where `mark` says why. */
  readonly index: number | null;
  /** The symbol's name; `null` where there is none. */
  readonly symbol: RawText | null;
  /** For a local or absolute symbol whose name was stripped. */
  readonly mark: "local" | "absolute" | "local absolute" | null;
}

const LOCAL = 0x80000000;
const ABSOLUTE = 0x40000000;

/** `S_NON_LAZY_SYMBOL_POINTERS`, `S_LAZY_SYMBOL_POINTERS`, `S_SYMBOL_STUBS`,
 * `S_LAZY_DYLIB_SYMBOL_POINTERS`, `S_THREAD_LOCAL_VARIABLE_POINTERS`. */
const POINTER_TYPES: readonly number[] = [0x6, 0x7, 0x10, 0x14];
const STUBS = 0x8;

/** Linkers let a few sections share entries, fewer than this. */
const MAX_SHARED = 16;

/** Reads the table, section by section.
 *
 * @param table its bytes
 * @param sections the fields of all sections, in the file's order
 * @param symbols that the entries refer to
 */
export function readIndirectSymbols(
  table: Uint8Array,
  sections: readonly Readonly<Record<string, FieldValue>>[],
  pointerSize: 4 | 8,
  symbols: SymbolList | null,
): IndirectSymbol[] {
  const view = new DataView(table.buffer, table.byteOffset, table.byteLength);
  const available = Math.floor(table.length / 4);
  const found: IndirectSymbol[] = [];
  for (const section of sections) {
    const type = Number(section.flags ?? 0) & SECTION_TYPE.MASK;
    // `reserved2` is the size of a stub.
    const stride = type === STUBS
      ? Number(section.reserved2 ?? 0)
      : POINTER_TYPES.includes(type)
      ? pointerSize
      : 0;
    if (stride === 0) continue;
    const first = Number(section.reserved1 ?? 0);
    const count = Math.min(Math.floor(Number(section.size ?? 0) / stride), available - first);
    const address = BigInt((section.addr ?? 0) as number | bigint);
    for (let entry = 0; entry < count && found.length < available * MAX_SHARED; entry++) {
      const value = view.getUint32(4 * (first + entry), true);
      const mark = marks[((value & LOCAL) === 0 ? 0 : 1) + ((value & ABSOLUTE) === 0 ? 0 : 2)];
      const index = mark === null && value < (symbols?.count ?? 0) ? value : null;
      found.push({
        segment: String(section.segname ?? ""),
        section: String(section.sectname ?? ""),
        address: address + BigInt(entry * stride),
        index,
        symbol: index === null ? null : rawText(symbols!.nameBytes(index)),
        mark,
      });
    }
  }
  return found;
}

const marks = [null, "local", "absolute", "local absolute"] as const;
