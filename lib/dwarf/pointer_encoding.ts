/** The pointers of `__eh_frame`: a byte says in which format one is, and what it counts from. From
 * the Linux Standard Base, "DWARF Exception Header Encoding". */
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

/** The next three: what the pointer counts from. */
export const APPLICATION = {
  absolute: 0x00,
  pcrel: 0x10,
  textrel: 0x20,
  datarel: 0x30,
  funcrel: 0x40,
  aligned: 0x50,
} as const;

/** The pointer is where the pointer is. */
export const INDIRECT = 0x80;
/** There is no pointer. */
export const OMIT = 0xff;

/** What pointers count from. Addresses here are numbers: bytes from the section's own address, so
 * that they stay exact, and small, wherever the section is. */
export interface PointerBases {
  /** The section's address. */
  readonly origin: bigint;
  /** Added to absolute pointers: they are as the image was linked. */
  readonly slide: bigint;
  /** Of `textrel`; unknown in most images. */
  readonly text: bigint | undefined;
  /** Of `datarel`; unknown in most images. */
  readonly data: bigint | undefined;
}

/** Takes over one pointer of no interest.
 *
 * @param size of a pointer, in bytes
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

/** Reads a length: a pointer without anything that it counts from. */
export function readLength(cursor: Cursor, encoding: number, size: number): number {
  const start = cursor.position;
  const length = Number(readValue(cursor, encoding & 0x0f, size));
  if (length < 0) throw cursor.damage("a length that is not negative", start);
  return length;
}

/** Reads the address of some code.
 *
 * @param size of a pointer, in bytes
 * @param func of `funcrel`: where the function begins
 * @returns bytes from the section's address; `NaN` for the address -1 or -2, which linkers give to
 * what they left out
 */
export function readCodeAddress(
  cursor: Cursor,
  encoding: number,
  size: 4 | 8,
  bases: PointerBases,
  func?: number,
): number {
  const position = cursor.position;
  // The one that nearly all compilers write.
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

/** A distance, also where the format has no sign: addresses wrap around. */
function distance(value: number | bigint): number {
  return typeof value === "number" ? value : Number(BigInt.asIntN(64, value));
}

/** An offset whose address has 32 bits if addresses do. Those of 64 need no cutting: nothing is that
 * far away. */
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
