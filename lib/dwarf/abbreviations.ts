/** Abbreviations, compiled to plans for skipping entries and reading some of their attributes. DWARF 5,
 * section 7.5.3. */
import { FormatError } from "../errors.ts";
import { lebEnd, slebAt, ulebAt } from "../leb128.ts";
import type { Budget } from "./budget.ts";
import { AT, FORM, TAG } from "./constants.ts";
import type { DwarfSection } from "./sections.ts";

/** The version of a unit and the sizes of its numbers, in bytes. */
export interface Widths {
  /** The version of DWARF, 2 to 5. */
  readonly version: number;
  /** Size of an address. */
  readonly addressSize: 4 | 8;
  /** Size of an offset into a section: 8 in 64-bit DWARF. */
  readonly offsetSize: 4 | 8;
}

/** The attributes that a walk over a unit reads, by the slot that receives the value. */
export const SLOT = {
  low_pc: 0,
  high_pc: 1,
  ranges: 2,
  name: 3,
  linkage_name: 4,
  specification: 5,
  abstract_origin: 6,
  call_file: 7,
  call_line: 8,
  call_column: 9,
  sibling: 10,
} as const;
/** Number of slots. */
export const SLOTS = 11;

const slots: ReadonlyMap<number, number> = new Map([
  [AT.low_pc, SLOT.low_pc],
  [AT.high_pc, SLOT.high_pc],
  [AT.ranges, SLOT.ranges],
  [AT.name, SLOT.name],
  [AT.linkage_name, SLOT.linkage_name],
  [AT.MIPS_linkage_name, SLOT.linkage_name],
  [AT.specification, SLOT.specification],
  [AT.abstract_origin, SLOT.abstract_origin],
  [AT.call_file, SLOT.call_file],
  [AT.call_line, SLOT.call_line],
  [AT.call_column, SLOT.call_column],
]);

/** How the walk treats an entry. */
export const KIND = {
  /** Skip it. */
  skip: 0,
  /** Skip it and its children, where it has `DW_AT_sibling`. */
  jump: 1,
  /** Outside of functions the same. */
  class: 2,
  subprogram: 3,
  inlined: 4,
} as const;

/** The steps of a plan: skip an attribute of variable length, or read a value. The number of bytes to skip
 * next follows each step. */
export const STEP = {
  end: 0,
  /** A LEB128 number. */
  leb: 1,
  /** A block with its length as a LEB128 number. */
  block: 2,
  block1: 3,
  block2: 4,
  block4: 5,
  string: 6,
  /** `DW_FORM_indirect`: the form is in the entry. */
  indirect: 7,
  /** A value to read: its form and constant follow. The slot is in the step's upper bits. */
  take: 8,
  /** A value to read, of one byte. */
  take1: 9,
  take2: 10,
  take4: 11,
  /** An 8-byte address to read. */
  take_address: 12,
} as const;

/** Entries that contain no code, and whose children contain none. */
const codeless: readonly number[] = [
  ...[TAG.array_type, TAG.enumeration_type, TAG.subroutine_type],
  ...[0x48, /* call_site */ 0x4109 /* GNU_call_site */],
];
/** Entries that contain code only within functions: GCC has a local class's functions, and those of lambdas, in the
 * class. */
const classes: readonly number[] = [TAG.class_type, TAG.structure_type, TAG.union_type];

/** One attribute of an abbreviation. */
export interface AttributeSpec {
  /** `DW_AT_*`. */
  readonly attribute: number;
  /** `DW_FORM_*`. */
  readonly form: number;
  /** The value of `DW_FORM_implicit_const`; 0 for other forms. */
  readonly constant: number;
}

/** One abbreviation. */
export interface Abbreviation {
  /** `DW_TAG_*`. */
  readonly tag: number;
  readonly hasChildren: boolean;
  readonly attributes: readonly AttributeSpec[];
}

/** The size of a form's value in bytes; -1 if it varies, -2 for an unknown form. */
export function formSize(form: number, { version, addressSize, offsetSize }: Widths): number {
  switch (form) {
    case FORM.flag_present:
    case FORM.implicit_const:
      return 0;
    case FORM.data1:
    case FORM.ref1:
    case FORM.flag:
    case FORM.strx1:
    case FORM.addrx1:
      return 1;
    case FORM.data2:
    case FORM.ref2:
    case FORM.strx2:
    case FORM.addrx2:
      return 2;
    case FORM.strx3:
    case FORM.addrx3:
      return 3;
    case FORM.data4:
    case FORM.ref4:
    case FORM.ref_sup4:
    case FORM.strx4:
    case FORM.addrx4:
      return 4;
    case FORM.data8:
    case FORM.ref8:
    case FORM.ref_sup8:
    case FORM.ref_sig8:
      return 8;
    case FORM.data16:
      return 16;
    case FORM.addr:
      return addressSize;
    case FORM.ref_addr:
      return version <= 2 ? addressSize : offsetSize;
    case FORM.strp:
    case FORM.sec_offset:
    case FORM.line_strp:
    case FORM.strp_sup:
    case FORM.GNU_ref_alt:
    case FORM.GNU_strp_alt:
      return offsetSize;
    default:
      return varyingStep(form) === undefined ? -2 : -1;
  }
}

/** The step that skips a form of variable length; `undefined` for other forms. */
export function varyingStep(form: number): number | undefined {
  switch (form) {
    case FORM.sdata:
    case FORM.udata:
    case FORM.ref_udata:
    case FORM.strx:
    case FORM.addrx:
    case FORM.loclistx:
    case FORM.rnglistx:
    case FORM.GNU_addr_index:
    case FORM.GNU_str_index:
      return STEP.leb;
    case FORM.block:
    case FORM.exprloc:
      return STEP.block;
    case FORM.block1:
      return STEP.block1;
    case FORM.block2:
      return STEP.block2;
    case FORM.block4:
      return STEP.block4;
    case FORM.string:
      return STEP.string;
    case FORM.indirect:
      return STEP.indirect;
  }
}

/** Codes below this, or below four times the number of abbreviations, are array indexes. */
const DENSE = 1024;
/** Maximum number of abbreviations. More is damage. */
const MAX_ABBREVIATIONS = 1 << 20;

/** The abbreviations of a unit, compiled for its widths. */
export class AbbreviationTable {
  /** Abbreviation number by code; 0 for none. */
  readonly dense: Uint32Array;
  readonly #sparse: ReadonlyMap<number, number>;
  /** By code: the size of the attributes plus 1, for entries that are skipped and have a fixed size; 0 for
   * others. */
  readonly plain: Uint32Array;
  /** {@linkcode KIND} by number, plus 16 for entries with children. */
  readonly kinds: Uint8Array;
  /** By number: the start of its plan in {@linkcode steps}. A plan begins with a number of bytes to skip. */
  readonly plans: Uint32Array;
  readonly steps: Int32Array;
  /** By number: the forms of the values to read, by slot. */
  readonly forms: readonly Uint16Array[];
  readonly #abbreviations: readonly Abbreviation[];

  constructor(byCode: ReadonlyMap<number, Abbreviation>, widths: Widths) {
    const count = byCode.size;
    const limit = Math.max(DENSE, count * 4);
    let highest = 0;
    for (const code of byCode.keys()) if (code <= limit && code > highest) highest = code;
    this.dense = new Uint32Array(highest + 1);
    this.plain = new Uint32Array(highest + 1);
    this.kinds = new Uint8Array(count + 1);
    this.plans = new Uint32Array(count + 1);
    const sparse = new Map<number, number>();
    const steps: number[] = [];
    const forms: Uint16Array[] = [noForms];
    let number = 0;
    for (const [code, abbreviation] of byCode) {
      number++;
      if (code <= highest) this.dense[code] = number;
      else sparse.set(code, number);
      const kind = kindOf(abbreviation);
      this.kinds[number] = kind | (abbreviation.hasChildren ? 16 : 0);
      this.plans[number] = steps.length;
      forms.push(compile(abbreviation, kind, widths, steps));
      const fixed = steps.length === this.plans[number] + 2;
      if (fixed && code > 0 && code <= highest && this.kinds[number] === KIND.skip) {
        this.plain[code] = 1 + steps[this.plans[number]];
      }
    }
    this.#sparse = sparse;
    this.forms = forms;
    this.steps = Int32Array.from(steps);
    this.#abbreviations = [...byCode.values()];
  }

  /** Approximate memory use, in bytes. */
  get weight(): number {
    return this.dense.length * 8 + this.steps.length * 20 + 1024;
  }

  /** The abbreviation number of a code; 0 for none. */
  number(code: number): number {
    return code < this.dense.length ? this.dense[code] : this.#sparse.get(code) ?? 0;
  }

  /** The abbreviation of a code. */
  get(code: number): Abbreviation | undefined {
    return this.#abbreviations[this.number(code) - 1];
  }
}

const noForms = new Uint16Array(SLOTS);

function kindOf({ tag, hasChildren, attributes }: Abbreviation): number {
  if (tag === TAG.subprogram) return KIND.subprogram;
  if (tag === TAG.inlined_subroutine) return KIND.inlined;
  const jumps = hasChildren && attributes.some(({ attribute }) => attribute === AT.sibling);
  if (jumps && codeless.includes(tag)) return KIND.jump;
  return jumps && classes.includes(tag) ? KIND.class : KIND.skip;
}

function compile(
  { attributes }: Abbreviation,
  kind: number,
  widths: Widths,
  steps: number[],
): Uint16Array {
  let fixed = 0;
  let forms = noForms;
  for (const { attribute, form, constant } of attributes) {
    const slot = kind === KIND.skip
      ? undefined
      : kind === KIND.jump || kind === KIND.class
      ? attribute === AT.sibling ? SLOT.sibling : undefined
      : slots.get(attribute);
    if (slot !== undefined) {
      const step = takingStep(form, widths);
      steps.push(fixed, step | slot << 4);
      if (step === STEP.take) steps.push(form, constant);
      if (forms === noForms) forms = new Uint16Array(SLOTS);
      forms[slot] = form;
      fixed = 0;
      continue;
    }
    const size = formSize(form, widths);
    if (size >= 0) {
      fixed += size;
    } else {
      steps.push(fixed, varyingStep(form)!);
      fixed = 0;
    }
  }
  steps.push(fixed, STEP.end);
  return forms;
}

/** The step that reads a value of a form. Common forms have steps of their own. */
function takingStep(form: number, widths: Widths): number {
  switch (form) {
    case FORM.data1:
    case FORM.ref1:
      return STEP.take1;
    case FORM.data2:
    case FORM.ref2:
      return STEP.take2;
    case FORM.data4:
    case FORM.ref4:
      return STEP.take4;
    case FORM.strp:
    case FORM.sec_offset:
      return widths.offsetSize === 4 ? STEP.take4 : STEP.take;
    case FORM.ref_addr:
      return formSize(form, widths) === 4 ? STEP.take4 : STEP.take;
    case FORM.addr:
      return widths.addressSize === 8 ? STEP.take_address : STEP.take;
    default:
      return STEP.take;
  }
}

/** Size of the first read of a table, in bytes. It grows until the table ends. */
const FIRST_READ = 1 << 12;

/** Reads the table at an offset of `.debug_abbrev`.
 *
 * @throws {FormatError} when the table is damaged or has an unknown form: entries with an unknown form
 * cannot be skipped
 */
export function readAbbreviations(
  section: DwarfSection,
  offset: number,
  widths: Widths,
  budget: Budget,
): AbbreviationTable {
  for (let length = FIRST_READ;; length *= 4) {
    const bytes = section.read(offset, length);
    const parsed = parse(bytes, section.name, offset, widths);
    budget.spend(parsed?.size ?? bytes.length, section.name, offset);
    if (parsed !== null) return new AbbreviationTable(parsed.table, widths);
    if (bytes.length < length) throw new FormatError(section.name, offset, "a table that ends");
  }
}

/** Parses a table; `null` if the bytes end before the table does. */
function parse(
  bytes: Uint8Array,
  name: string,
  offset: number,
  widths: Widths,
): { readonly table: Map<number, Abbreviation>; readonly size: number } | null {
  const table = new Map<number, Abbreviation>();
  let at = 0;
  const uleb = (): number => {
    const value = ulebAt(bytes, at);
    at = lebEnd(bytes, at);
    return value;
  };
  while (at < bytes.length) {
    const start = at;
    const code = uleb();
    if (code === 0) return { table, size: at };
    const tag = uleb();
    const hasChildren = bytes[at++] === 1;
    const attributes: AttributeSpec[] = [];
    for (;;) {
      const attribute = uleb();
      const form = uleb();
      let constant = 0;
      if (form === FORM.implicit_const) {
        constant = slebAt(bytes, at);
        at = lebEnd(bytes, at);
      }
      if (at > bytes.length) return null;
      if (attribute === 0 && form === 0) break;
      if (formSize(form, widths) === -2) {
        throw new FormatError(name, offset + start, `known forms, not 0x${form.toString(16)}`);
      }
      attributes.push({ attribute, form, constant });
    }
    // The first of equal codes wins.
    if (!table.has(code)) table.set(code, { tag, hasChildren, attributes });
    if (table.size > MAX_ABBREVIATIONS) {
      throw new FormatError(name, offset, `at most ${MAX_ABBREVIATIONS} abbreviations`);
    }
  }
  return null;
}
