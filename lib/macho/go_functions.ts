/** The functions of a Go program, from the table that Go's runtime unwinds its own stacks with:
 * `__gopclntab`, whose layout is that of `runtime.pcHeader` and `runtime._func`, and before Go 1.16
 * of "Go 1.2 Runtime Symbol Information". It survives stripping, and Go's linker writes no
 * `LC_FUNCTION_STARTS`. */

import { FormatError, MemoryReadError } from "../errors.ts";
import type { ImageSource } from "./source.ts";
import { StringTable } from "./strings.ts";
import type { Section, Segment } from "./types.ts";

/** The first word: what changed the layout. */
const MAGIC = { GO_1_2: 0xfffffffb, GO_1_16: 0xfffffffa, GO_1_18: 0xfffffff0, GO_1_20: 0xfffffff1 };

const SECTION = "__gopclntab";
/** Maximum size of the section. More is damage: the largest programs have a tenth. */
const MAX_SIZE = 1 << 28;
/** The magic number, two zeros, the instruction's size and the pointer's; then words. */
const PREFIX = 8;
const MAX_WORDS = 8;

/** The functions, in ascending order. */
export interface GoFunctions {
  /** Bytes from the load address. */
  readonly starts: Float64Array;
  /** Where the last function ends. */
  readonly end: number;
  /** Reads the names. */
  names(): GoNames;
}

/** The names of {@linkcode GoFunctions}. */
export interface GoNames {
  /** Into `names`, one for each function. */
  readonly offsets: Uint32Array;
  readonly names: StringTable;
}

/** What the reader needs of an image. */
interface GoImage {
  readonly pointerSize: 4 | 8;
  readonly loadAddress: bigint;
  readonly segments: readonly Segment[];
}

/** Where the parts of a table are, in bytes from its start, and how wide their numbers are. */
interface Layout {
  readonly count: number;
  /** The linked or slid address that the functions' offsets count from; `null` where they have
   * addresses. 0 where the linker left it out, as of Go 1.26. */
  readonly textStart: bigint | null;
  readonly functions: number;
  /** What the offsets of the functions' descriptions count from. */
  readonly descriptions: number;
  readonly names: number;
  readonly namesEnd: number;
}

/** Reads where the functions are; `null` for an image without a table, or whose table does not tell.
 *
 * @param source of the image's bytes
 * @param onlyCode whether all of `__text` is Go's; C code may come before it otherwise
 */
export function readGoFunctions(
  image: GoImage,
  source: ImageSource,
  onlyCode: boolean,
): GoFunctions | null {
  const sections = image.segments.flatMap(({ sections }) => sections);
  const section = sections.find(({ name }) => name === SECTION);
  const text = sections.find((s) => s.name === "__text" && s.segmentName === "__TEXT");
  if (section === undefined || text === undefined || section.size > MAX_SIZE) return null;
  const word = image.pointerSize;
  const head = Math.min(section.size, PREFIX + MAX_WORDS * word);
  const layout = readLayout(view(source.read(section.address, head)), word, section.size);
  const { count, textStart, functions } = layout;
  if (textStart === 0n && !onlyCode) return null;
  // Two numbers for each function, and where the last one ends.
  const width = textStart === null ? word : 4;
  const size = (2 * count + 1) * width;
  if (count === 0 || functions + size > section.size) {
    throw new FormatError(SECTION, PREFIX, `${count} functions`);
  }
  const table = view(source.read(section.address + BigInt(functions), size));
  const number = (index: number): number =>
    width === 8 ? Number(table.getBigUint64(index * 8, true)) : table.getUint32(index * 4, true);
  const origin = textStart === null
    ? originOf(BigInt(number(0)), text, image.loadAddress)
    : Number(text.address - image.loadAddress) +
      (textStart === 0n ? 0 : intoText(textStart, text));
  const starts = new Float64Array(count);
  for (let index = 0; index < count; index++) starts[index] = number(2 * index) + origin;
  const end = number(2 * count) + origin;
  const first = Number(text.address - image.loadAddress);
  const damagedAt = (index: number): FormatError =>
    new FormatError(SECTION, functions + 2 * index * width, "ascending functions of __text");
  for (let index = 0; index < count; index++) {
    if (starts[index] >= (starts[index + 1] ?? end)) throw damagedAt(index);
  }
  if (starts[0] < first) throw damagedAt(0);
  if (end > first + text.size) throw damagedAt(count);
  return { starts, end, names: () => readNames(section, source, layout, number, width, word) };
}

function readLayout(header: DataView, word: 4 | 8, size: number): Layout {
  if (header.byteLength < PREFIX + MAX_WORDS * word) {
    throw new FormatError(SECTION, size, "a header");
  }
  const magic = header.getUint32(0, true);
  if (header.getUint8(7) !== word) throw new FormatError(SECTION, 7, `${word}`);
  const at = (index: number): number => {
    const offset = PREFIX + index * word;
    return word === 8 ? Number(header.getBigUint64(offset, true)) : header.getUint32(offset, true);
  };
  const count = at(0);
  if (magic === MAGIC.GO_1_2) {
    // All offsets count from the table's start.
    const functions = PREFIX + word;
    return { count, textStart: null, functions, descriptions: 0, names: 0, namesEnd: size };
  }
  const isRelative = magic === MAGIC.GO_1_18 || magic === MAGIC.GO_1_20;
  if (!isRelative && magic !== MAGIC.GO_1_16) {
    throw new FormatError(SECTION, 0, "a known version");
  }
  const first = isRelative ? 3 : 2;
  const [names, units, , , functions] = [0, 1, 2, 3, 4].map((index) => at(first + index));
  return {
    count,
    textStart: isRelative ? BigInt(at(2)) : null,
    functions,
    descriptions: functions,
    names,
    namesEnd: Math.min(size, units),
  };
}

/** What to add to an address in the table, so that it counts from the load address. */
function originOf(address: bigint, text: Section, loadAddress: bigint): number {
  return Number(text.address - loadAddress) + intoText(address, text) - Number(address);
}

/** Bytes from the start of `__text` to an address, which dyld has slid or not. */
function intoText(address: bigint, text: Section): number {
  for (const start of [text.address, text.vmAddress]) {
    if (address >= start && address < start + BigInt(text.size)) return Number(address - start);
  }
  throw new FormatError(SECTION, PREFIX, "functions of __text");
}

function readNames(
  section: Section,
  source: ImageSource,
  layout: Layout,
  number: (index: number) => number,
  width: 4 | 8,
  word: 4 | 8,
): GoNames {
  const { count, descriptions, names, namesEnd } = layout;
  if (descriptions > section.size || names > namesEnd) {
    throw new FormatError(SECTION, PREFIX, "names inside");
  }
  const start = section.address + BigInt(descriptions);
  const table = view(source.read(start, section.size - descriptions));
  // A description begins with the function's address or offset.
  const skipped = layout.textStart === null ? word : width;
  const offsets = new Uint32Array(count);
  for (let index = 0; index < count; index++) {
    const at = number(2 * index + 1) + skipped;
    if (at + 4 > table.byteLength) {
      throw new FormatError(SECTION, descriptions + at, "a function's description");
    }
    offsets[index] = table.getUint32(at, true);
  }
  // Parts of a large table are read later, outside of any error handler.
  const read = (offset: number, size: number): Uint8Array | null => {
    const length = Math.min(size, namesEnd - names - offset);
    try {
      return source.read(section.address + BigInt(names + offset), length);
    } catch (error) {
      if (error instanceof MemoryReadError) return null;
      throw error;
    }
  };
  return { offsets, names: new StringTable(0, namesEnd - names, read) };
}

function view(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
