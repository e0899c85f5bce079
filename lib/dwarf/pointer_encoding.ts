/** The encoded pointers of `__eh_frame`: a byte gives the format and the base. Linux Standard Base, "DWARF
 * Exception Header Encoding". */
import type { Cursor } from "./cursor.ts";

/** The low four bits: the format. */
export const FORMAT = {
  absptr: 0x00,
  uleb128: 0x01,
  udata2: 0x02,
  udata4: 0x03,
  udata8: 0x04,
  signed: 0x08,
  sleb128: 0x09,
  sdata2: 0x0a,
  sdata4: 0x0b,
  sdata8: 0x0c,
} as const;

/** The next three bits: the base. */
export const APPLICATION = {
  absolute: 0x00,
  pcrel: 0x10,
  textrel: 0x20,
  datarel: 0x30,
  funcrel: 0x40,
  aligned: 0x50,
} as const;

/** Indirect: the pointer's address is stored. */
export const INDIRECT = 0x80;
/** There is no pointer. */
export const OMIT = 0xff;

/** The bases of pointers. Addresses are numbers relative to the section's address: small and exact wherever
 * the section is. */
export interface PointerBases {
  /** The section's address. */
  readonly origin: bigint;
  /** Added to absolute pointers, which are stored as linked. */
  readonly slide: bigint;
  /** Base of `textrel`; unknown in most images. */
  readonly text: bigint | undefined;
  /** Base of `datarel`; unknown in most images. */
  readonly data: bigint | undefined;
}

/** Skips a pointer.
 *
 * @param size size of a pointer, in bytes
 */
export function skipPointer(
  cursor: Cursor,
  encoding: number,
  size: number,
  bases: PointerBases,
): void {
  if (encoding === OMIT) return;
  if ((encoding & 0x70) === APPLICATION.aligned) alignTo(cursor, size, bases);
  readValue(cursor, encoding & 0x0f, size);
}

/** Reads a length: a pointer without a base. */
export function readLength(cursor: Cursor, encoding: number, size: number): number {
  const start = cursor.position;
  const length = Number(readValue(cursor, encoding & 0x0f, size));
  if (length < 0) throw cursor.damage("a length that is not negative", start);
  return length;
}

/** Reads an address of code.
 *
 * @param size size of a pointer, in bytes
 * @param func base of `funcrel`: the function's start
 * @returns an offset from the section's address; `NaN` for the addresses -1 and -2, which linkers use for
 * removed code
 */
export function readCodeAddress(
  cursor: Cursor,
  encoding: number,
  size: 4 | 8,
  bases: PointerBases,
  func?: number,
): number {
  const position = cursor.position;
  // The encoding of nearly all compilers.
  if (encoding === (APPLICATION.pcrel | FORMAT.sdata4)) {
    return wrap(position + cursor.i32(), size, bases);
  }
  if (encoding === OMIT || (encoding & INDIRECT) !== 0) {
    throw cursor.damage("a code address that is stored in place");
  }
  const application = encoding & 0x70;
  if (application === APPLICATION.aligned) alignTo(cursor, size, bases);
  const value = readValue(cursor, encoding & 0x0f, size);
  if (application === APPLICATION.pcrel) return wrap(position + distance(value), size, bases);
  if (application === APPLICATION.funcrel) {
    if (func === undefined) throw cursor.damage("a function to count from", position);
    return wrap(func + distance(value), size, bases);
  }
  const base = absoluteBase(cursor, application, bases, position);
  if (application === APPLICATION.absolute) {
    const unsigned = BigInt.asUintN(size * 8, BigInt(value));
    if (unsigned >= (1n << BigInt(size * 8)) - 2n) return NaN;
  }
  const address = BigInt.asUintN(size * 8, base + BigInt(value));
  return Number(address - bases.origin);
}

function absoluteBase(
  cursor: Cursor,
  application: number,
  bases: PointerBases,
  position: number,
): bigint {
  switch (application) {
    case APPLICATION.absolute:
    case APPLICATION.aligned:
      return bases.slide;
    case APPLICATION.textrel:
      if (bases.text !== undefined) return bases.text;
      break;
    case APPLICATION.datarel:
      if (bases.data !== undefined) return bases.data;
  }
  throw cursor.damage("a pointer whose base is known", position);
}

/** A signed distance, even from an unsigned format: addresses wrap around. */
function distance(value: number | bigint): number {
  return typeof value === "number" ? value : Number(BigInt.asIntN(64, value));
}

/** Wraps an offset if addresses have 32 bits. With 64 bits nothing is far enough away to wrap. */
function wrap(offset: number, size: 4 | 8, bases: PointerBases): number {
  if (size === 8) return offset;
  const origin = Number(bases.origin);
  return ((origin + offset) >>> 0) - origin;
}

function alignTo(cursor: Cursor, size: number, bases: PointerBases): void {
  const address = Number(bases.origin & 7n) + cursor.position;
  cursor.skip((size - address % size) % size);
}

function readValue(cursor: Cursor, format: number, size: number): number | bigint {
  switch (format) {
    case FORMAT.absptr:
      return size === 8 ? cursor.u64() : cursor.u32();
    case FORMAT.signed:
      return size === 8 ? cursor.i64() : cursor.i32();
    case FORMAT.uleb128:
      return cursor.ulebBig();
    case FORMAT.sleb128:
      return cursor.slebBig();
    case FORMAT.udata2:
      return cursor.u16();
    case FORMAT.sdata2:
      return cursor.i16();
    case FORMAT.udata4:
      return cursor.u32();
    case FORMAT.sdata4:
      return cursor.i32();
    case FORMAT.udata8:
      return cursor.u64();
    case FORMAT.sdata8:
      return cursor.i64();
  }
  throw cursor.damage(`a known pointer format, not 0x${format.toString(16)}`);
}
