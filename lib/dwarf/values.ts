/** Attribute values. DWARF 5, section 7.5.6. */
import { lebEnd, slebAt, ulebAt } from "../leb128.ts";
import type { Widths } from "./abbreviations.ts";
import { FORM } from "./constants.ts";
import { u32At, u64At } from "./words.ts";

/** Attribute values by slot. */
export interface Values {
  /** A number, the lower 32 bits of an address, or the offset of an inline string in the bytes. */
  readonly low: Float64Array;
  /** The upper 32 bits of an address. */
  readonly high: Float64Array;
  /** `DW_FORM_*`; 0 if there is no value. */
  forms: Uint16Array;
}

/** Makes `count` empty slots. */
export function makeValues(count: number): Values {
  return {
    low: new Float64Array(count),
    high: new Float64Array(count),
    forms: new Uint16Array(count),
  };
}

/** Reads a value into its slot; returns the offset of the next one, unchecked: it may be beyond the bytes. */
export function readValue(
  bytes: Uint8Array,
  at: number,
  form: number,
  constant: number,
  widths: Widths,
  values: Values,
  slot: number,
): number {
  let value = 0;
  switch (form) {
    case FORM.flag_present:
      value = 1;
      break;
    case FORM.implicit_const:
      value = constant;
      break;
    case FORM.data1:
    case FORM.ref1:
    case FORM.flag:
    case FORM.strx1:
    case FORM.addrx1:
      value = bytes[at++];
      break;
    case FORM.data2:
    case FORM.ref2:
    case FORM.strx2:
    case FORM.addrx2:
      value = bytes[at] | (bytes[at + 1] << 8);
      at += 2;
      break;
    case FORM.strx3:
    case FORM.addrx3:
      value = bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16);
      at += 3;
      break;
    case FORM.data4:
    case FORM.ref4:
    case FORM.ref_sup4:
    case FORM.strx4:
    case FORM.addrx4:
      value = u32At(bytes, at);
      at += 4;
      break;
    case FORM.data8:
    case FORM.ref8:
    case FORM.ref_sup8:
    case FORM.ref_sig8:
      value = u64At(bytes, at);
      at += 8;
      break;
    case FORM.addr:
      value = u32At(bytes, at);
      values.high[slot] = widths.addressSize === 8 ? u32At(bytes, at + 4) : 0;
      at += widths.addressSize;
      break;
    case FORM.ref_addr: {
      const size = widths.version <= 2 ? widths.addressSize : widths.offsetSize;
      value = size === 8 ? u64At(bytes, at) : u32At(bytes, at);
      at += size;
      break;
    }
    case FORM.strp:
    case FORM.sec_offset:
    case FORM.line_strp:
    case FORM.strp_sup:
    case FORM.GNU_ref_alt:
    case FORM.GNU_strp_alt:
      value = widths.offsetSize === 8 ? u64At(bytes, at) : u32At(bytes, at);
      at += widths.offsetSize;
      break;
    case FORM.udata:
    case FORM.ref_udata:
    case FORM.strx:
    case FORM.addrx:
    case FORM.loclistx:
    case FORM.rnglistx:
    case FORM.GNU_addr_index:
    case FORM.GNU_str_index:
      value = ulebAt(bytes, at);
      at = lebEnd(bytes, at);
      break;
    case FORM.sdata:
      value = slebAt(bytes, at);
      at = lebEnd(bytes, at);
      break;
    case FORM.string:
      value = at;
      while (bytes[at++] > 0);
      break;
    case FORM.data16:
      at += 16;
      break;
    case FORM.block1:
      at += 1 + bytes[at];
      break;
    case FORM.block2:
      at += 2 + (bytes[at] | (bytes[at + 1] << 8));
      break;
    case FORM.block4:
      at += 4 + u32At(bytes, at);
      break;
    case FORM.block:
    case FORM.exprloc:
      at = lebEnd(bytes, at) + ulebAt(bytes, at);
      break;
    case FORM.indirect: {
      const actual = ulebAt(bytes, at);
      at = lebEnd(bytes, at);
      // A second indirection, or a constant that is only in abbreviations, is damage.
      if (actual === FORM.indirect || actual === FORM.implicit_const) return Infinity;
      return readValue(bytes, at, actual, 0, widths, values, slot);
    }
    default:
      return Infinity;
  }
  values.low[slot] = value;
  values.forms[slot] = form;
  return at;
}

/** Whether a form is an address. */
export function isAddress(form: number): boolean {
  return form === FORM.addr || isAddressIndex(form);
}

/** Whether a form is an index into `.debug_addr`. */
export function isAddressIndex(form: number): boolean {
  return form === FORM.addrx || (form >= FORM.addrx1 && form <= FORM.addrx4) ||
    form === FORM.GNU_addr_index;
}

/** Added to places in the supplementary file, whose entries and strings several files share (DWARF 5, section
 * 7.3.6; dwz). No section is that large. */
export const SUPPLEMENTARY: number = 2 ** 44;

/** The target of a reference in `.debug_info`; at {@linkcode SUPPLEMENTARY} or above for one into the
 * supplementary file, -1 for one to a type unit. */
export function referenceTarget(form: number, value: number, unit: number): number {
  switch (form) {
    case FORM.ref1:
    case FORM.ref2:
    case FORM.ref4:
    case FORM.ref8:
    case FORM.ref_udata:
      return unit + value;
    case FORM.ref_addr:
      return value;
    case FORM.ref_sup4:
    case FORM.ref_sup8:
    case FORM.GNU_ref_alt:
      return value < SUPPLEMENTARY ? SUPPLEMENTARY + value : -1;
    default:
      return -1;
  }
}

/** Kinds of packed strings: a string's section and place as one number, for columns. */
export const STRING = {
  none: -1,
  str: 0,
  line_str: 1,
  info: 2,
  /** The name of another entry, by its offset in `.debug_info`. */
  entry: 3,
  index: 4,
  gnu_index: 5,
} as const;

/** Packs a string's section, one of {@linkcode STRING}, and its place. */
export function packString(section: number, place: number): number {
  return place * 8 + section;
}

/** Packs the string of a value; `STRING.none` if it is no string.
 *
 * @param base offset in `.debug_info` of the bytes that the value was read from
 */
export function stringRef(form: number, value: number, base: number): number {
  switch (form) {
    case FORM.strp:
      return packString(STRING.str, value);
    case FORM.line_strp:
      return packString(STRING.line_str, value);
    case FORM.string:
      return packString(STRING.info, base + value);
    case FORM.strx:
    case FORM.strx1:
    case FORM.strx2:
    case FORM.strx3:
    case FORM.strx4:
      return packString(STRING.index, value);
    case FORM.GNU_str_index:
      return packString(STRING.gnu_index, value);
    case FORM.strp_sup:
    case FORM.GNU_strp_alt:
      return value < SUPPLEMENTARY ? packString(STRING.str, SUPPLEMENTARY + value) : STRING.none;
    default:
      return STRING.none;
  }
}
