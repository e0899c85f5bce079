/** The numbers in bytes, and their text. */

import { unsignedOf } from "../dwarf/words.ts";
import type { RawText } from "../escape.ts";
import type { Encoding, Type } from "./model.ts";

export { unsignedOf };

/** An integer as a number where that is exact. */
export function exact(value: bigint): number | bigint {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

/** Whether integers of an encoding are negative when their top bit is set. */
export function isSigned(encoding: Encoding | undefined): boolean {
  return encoding === "signed" || encoding === "signed-char";
}

/** A floating-point number of 2, 4, 8, 10, 12 or 16 bytes; `null` for another size. The longer ones are
 * Intel's 80-bit numbers, in which the integer bit is explicit, or IEEE 754's of 128 bits.
 *
 * @param isQuad whether 16 bytes are of 128 bits
 */
export function floatOf(bytes: Uint8Array, isQuad = false): number | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  switch (bytes.length) {
    case 2:
      return halfOf(view.getUint16(0, true));
    case 4:
      return view.getFloat32(0, true);
    case 8:
      return view.getFloat64(0, true);
    case 10:
    case 12:
    case 16: {
      const { sign, special, mantissa, power } = longOf(bytes, isQuad);
      if (special !== null) return sign * special;
      // In two steps: the powers of two that a number here can have end before those of the long ones.
      const half = Math.trunc(power / 2);
      return sign * Number(mantissa) * 2 ** half * 2 ** (power - half);
    }
  }
  return null;
}

/** Whether floating-point numbers of 16 bytes are of 128 bits: those of Intel's processors are of 80, but for the types
 * that are named so. */
export function isQuadFloat(arch: string | undefined, name: RawText): boolean {
  return arch === "arm64" || arch === "armv7" || /float128|^f128$|kind=16/i.test(name);
}

/** A number that is longer than those here: `sign` times `mantissa` times two to the `power`. */
interface LongFloat {
  readonly sign: 1 | -1;
  /** NaN or Infinity in place of the rest. */
  readonly special: number | null;
  readonly mantissa: bigint;
  readonly power: number;
}

function longOf(bytes: Uint8Array, isQuad: boolean): LongFloat {
  const whole = unsignedOf(bytes.subarray(0, isQuad ? 16 : 10));
  const bits = isQuad ? 112n : 64n;
  const sign = whole >> bits + 15n & 1n ? -1 : 1;
  const exponent = Number(whole >> bits & 0x7fffn);
  const held = BigInt.asUintN(Number(bits), whole);
  const power = Math.max(1, exponent) - 16383 - (isQuad ? 112 : 63);
  const mantissa = isQuad && exponent !== 0 ? held | 1n << bits : held;
  // Since the 80387, a number without its integer bit is none.
  const isNone = !isQuad && exponent !== 0 && held >> 63n === 0n;
  const fraction = isQuad ? held : BigInt.asUintN(63, held);
  const special = isNone ? NaN : exponent !== 0x7fff ? null : fraction === 0n ? Infinity : NaN;
  return { sign, special, mantissa, power };
}

/** A half-precision number of IEEE 754. */
function halfOf(bits: number): number {
  const sign = (bits & 0x8000) !== 0 ? -1 : 1;
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 0x3ff;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction === 0 ? sign * Infinity : NaN;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

/** A floating-point number in the shortest decimal digits that give it back, at most as many as its type
 * holds. As LLDB writes them: plain digits where the exponent is small. */
export function floatText(value: number, size: number): RawText {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value < 0 ? "-Inf" : "+Inf";
  if (value === 0) return Object.is(value, -0) ? "-0" : "0";
  const digits = size === 2
    ? shortest(value, 5, (number) => number === value)
    : size === 4
    ? shortest(value, 9, (number) => Math.fround(number) === value)
    : String(value);
  return digits;
}

/** Digits of numbers of 80 and of 128 bits that are shown: as many as always give them back. */
const EXTENDED_DIGITS = 21;
const QUAD_DIGITS = 36;

/** The text of a number of 80 or 128 bits. Its range is far larger than that of numbers here. */
export function longFloatText(bytes: Uint8Array, isQuad = false): RawText {
  const { sign: factor, special, mantissa, power } = longOf(bytes, isQuad);
  if (special !== null || mantissa === 0n) return floatText(factor * (special ?? 0), 8);
  const most = isQuad ? QUAD_DIGITS : EXTENDED_DIGITS;
  // The decimal exponent is this or one more.
  let exponent = Math.floor((power + mantissa.toString(2).length - 1) * Math.log10(2));
  let digits = wholeDigits(mantissa, power, most - 1 - exponent);
  if (digits.length > most) digits = wholeDigits(mantissa, power, most - 1 - ++exponent);
  const all = digits.replace(/0+$/, "");
  const sign = factor < 0 ? "-" : "";
  if (exponent >= -5 && exponent < most) {
    if (exponent < 0) return `${sign}0.${"0".repeat(-exponent - 1)}${all}`;
    const whole = all.slice(0, exponent + 1).padEnd(exponent + 1, "0");
    const fraction = all.slice(exponent + 1);
    return sign + whole + (fraction === "" ? "" : `.${fraction}`);
  }
  const fraction = all.length > 1 ? `.${all.slice(1)}` : "";
  return `${sign}${all[0]}${fraction}e${exponent < 0 ? "" : "+"}${exponent}`;
}

/** The digits of a number times ten to a power, rounded. */
function wholeDigits(mantissa: bigint, power: number, scale: number): string {
  const up = mantissa * (power > 0 ? 1n << BigInt(power) : 1n) * 10n ** BigInt(Math.max(0, scale));
  const down = (power < 0 ? 1n << BigInt(-power) : 1n) * 10n ** BigInt(Math.max(0, -scale));
  return ((up + down / 2n) / down).toString();
}

/** The fewest digits that give a number back. */
function shortest(value: number, most: number, isSame: (number: number) => boolean): string {
  for (let digits = 1; digits < most; digits++) {
    const text = value.toPrecision(digits);
    if (isSame(Number(text))) return String(Number(text));
  }
  return String(Number(value.toPrecision(most)));
}

/** The escapes of C for control characters. */
const escapes: ReadonlyMap<number, string> = new Map([
  [0, "\\0"],
  [7, "\\a"],
  [8, "\\b"],
  [9, "\\t"],
  [10, "\\n"],
  [11, "\\v"],
  [12, "\\f"],
  [13, "\\r"],
  [27, "\\e"],
  [92, "\\\\"],
]);

/** A character as C writes it in single quotes. What is no character is written in hexadecimal.
 *
 * @param size bytes of a unit: 1, 2 or 4
 */
export function characterText(code: number, size: number): string {
  const known = escapes.get(code);
  if (known !== undefined) return known;
  const isControl = code < 0x20 || (code >= 0x7f && code < 0xa0);
  const isSurrogate = code >= 0xd800 && code < 0xe000;
  return isControl || isSurrogate || code > 0x10ffff || (size === 1 && code > 0x7f)
    ? hexadecimalEscape(code, size)
    : String.fromCodePoint(code);
}

/** A character as C writes it in double quotes. */
export function stringCharacterText(code: number, size: number): string {
  return code === 34 ? '\\"' : characterText(code, size);
}

export function hexadecimalEscape(code: number, size: number): string {
  const digits = code < 0x100 ? 2 : size * 2;
  const letter = digits === 2 ? "x" : size === 2 ? "u" : "U";
  return `\\${letter}${code.toString(16).padStart(digits, "0")}`;
}

/** The characters of a string as C writes them between quotes. */
export function quoted(text: string, prefix = ""): RawText {
  let out = `${prefix}"`;
  for (const character of text) out += stringCharacterText(character.codePointAt(0)!, 4);
  return `${out}"`;
}

/** The numbers of Swift's standard library by their names: the encoding and the bytes, 0 for those of a pointer. */
const swiftNumbers: Readonly<Record<string, readonly [mangled: string, Encoding, number]>> = {
  Int: ["Si", "signed", 0],
  UInt: ["Su", "unsigned", 0],
  Int8: ["s4Int8V", "signed", 1],
  Int16: ["s5Int16V", "signed", 2],
  Int32: ["s5Int32V", "signed", 4],
  Int64: ["s5Int64V", "signed", 8],
  UInt8: ["s5UInt8V", "unsigned", 1],
  UInt16: ["s6UInt16V", "unsigned", 2],
  UInt32: ["s6UInt32V", "unsigned", 4],
  UInt64: ["s6UInt64V", "unsigned", 8],
  Bool: ["Sb", "boolean", 1],
  Double: ["Sd", "float", 8],
  Float: ["Sf", "float", 4],
};

const swiftMangled = new Map(
  Object.entries(swiftNumbers).map(([name, [mangled]]) => [mangled, name]),
);

/** The base type that a number of Swift's standard library is, by its name or its mangled name; `null` of others. */
export function swiftNumber(name: string, pointerSize: number): Type | null {
  const own = swiftMangled.get(/^\$s(.+?)D?$/.exec(name)?.[1] ?? "") ?? name;
  if (!Object.hasOwn(swiftNumbers, own)) return null;
  const [, encoding, size] = swiftNumbers[own];
  return { kind: "base", name: own, encoding, size: size || pointerSize, language: "swift" };
}
