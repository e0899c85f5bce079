/** Characters and strings of C: pointers to characters and arrays of them, in UTF-8, UTF-16 and UTF-32. */

import type { Formatter, Type, Value } from "../model.ts";
import { hexadecimalEscape, stringCharacterText } from "../scalars.ts";
import { canonical, characterName, isCharacter } from "../types.ts";
import { bytesAt, countOf } from "./reading.ts";

/** The prefix of a literal of the type. */
export function prefixOf(type: Type): string {
  const name = characterName(type);
  const { size } = canonical(type);
  if (name === "wchar_t") return "L";
  if (name === "char8_t") return "u8";
  return size === 2 ? "u" : size === 4 ? "U" : "";
}

/** Characters as a literal of C without its quotes. What is not of the encoding is in hexadecimal.
 *
 * @param width bytes of a unit: 1, 2 or 4
 */
export function escapedText(bytes: Uint8Array, width: number): string {
  return width === 1 ? escaped8(bytes) : escapedWide(bytes, width);
}

const decoder = new TextDecoder("utf-8", { fatal: true });

function escaped8(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length;) {
    const byte = bytes[at];
    if (byte < 0x80) {
      text += stringCharacterText(byte, 1);
      at++;
      continue;
    }
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc2 ? 2 : 1;
    let character: string | undefined;
    try {
      if (length > 1) character = decoder.decode(bytes.subarray(at, at + length));
    } catch {
      // No character starts here.
    }
    text += character === undefined
      ? hexadecimalEscape(byte, 1)
      : stringCharacterText(character.codePointAt(0)!, 4);
    at += character === undefined ? 1 : length;
  }
  return text;
}

function escapedWide(bytes: Uint8Array, width: number): string {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let text = "";
  for (let at = 0; at + width <= bytes.length; at += width) {
    let code = width === 2 ? view.getUint16(at, true) : view.getUint32(at, true);
    if (width === 2 && code >> 10 === 0x36 && at + 4 <= bytes.length) {
      const low = view.getUint16(at + 2, true);
      if (low >> 10 === 0x37) {
        code = 0x10000 + ((code & 0x3ff) << 10) + (low & 0x3ff);
        at += 2;
      }
    }
    text += stringCharacterText(code, width);
  }
  return text;
}

/** A string of a known length, as a literal. One that is longer than the limit ends in `...`.
 *
 * @param length in units
 * @throws DamagedValue when it cannot be read
 */
export function stringAt(value: Value, address: bigint, length: number, type: Type): string {
  const width = canonical(type).size ?? 1;
  const most = value.context.limits.stringLength;
  const shown = Math.min(length, most);
  const bytes = shown === 0 ? new Uint8Array() : bytesAt(value, address, shown * width);
  return literal(bytes, type, length > most);
}

/** A string of UTF-8 as Rust, Go and Swift have it: an address and a number of bytes. One that is longer than the
 * limit ends in `...`.
 *
 * @throws DamagedValue when it cannot be read
 */
export function utf8At(value: Value, address: bigint, length: bigint): string {
  const count = countOf(length);
  const shown = Math.min(count, value.context.limits.stringLength);
  const bytes = shown === 0 ? new Uint8Array() : bytesAt(value, address, shown);
  return `"${escapedText(bytes, 1)}"${count > shown ? "..." : ""}`;
}

/** Characters as a literal. */
export function literal(bytes: Uint8Array, type: Type, isCut = false): string {
  const text = escapedText(bytes, canonical(type).size ?? 1);
  return `${prefixOf(type)}"${text}"${isCut ? "..." : ""}`;
}

/** A string that ends in a zero; `null` where its first character cannot be read. */
export function terminatedAt(value: Value, address: bigint, type: Type): string | null {
  const width = canonical(type).size ?? 1;
  const most = value.context.limits.stringLength;
  const bytes = value.context.memory.readUpTo(address, (most + 1) * width);
  if (bytes.length < width) return null;
  const end = zeroIn(bytes, width);
  const units = end < 0 ? Math.min(most, Math.floor(bytes.length / width)) : end;
  return literal(bytes.subarray(0, units * width), type, end < 0);
}

/** The index of the first unit that is zero; -1 without one. */
function zeroIn(bytes: Uint8Array, width: number): number {
  for (let at = 0; at + width <= bytes.length; at += width) {
    if (bytes.subarray(at, at + width).every((byte) => byte === 0)) return at / width;
  }
  return -1;
}

/** The length without the zeros at the end. */
function lengthWithoutZeros(bytes: Uint8Array): number {
  let length = bytes.length;
  while (length > 0 && bytes[length - 1] === 0) length--;
  return length;
}

/** Whether values of a type are C's strings: pointers to characters, and arrays of them. */
export function isCString(type: Type): boolean {
  return pointsToCharacter(type) || isCharacterArray(type);
}

function pointsToCharacter(type: Type): boolean {
  const { kind, target } = canonical(type);
  return kind === "pointer" && target != null && isCharacter(target);
}

function isCharacterArray(type: Type): boolean {
  const { kind, target } = canonical(type);
  return kind === "array" && target != null && isCharacter(target);
}

/** The formatters of C's strings. */
export const stringFormatters: readonly Formatter[] = [
  {
    name: "C string",
    type: (type) => type.kind === "pointer" && pointsToCharacter(type),
    summary(value) {
      const address = value.integer;
      const { target } = canonical(value.type);
      return address === null || address === 0n
        ? null
        : terminatedAt(value, address & value.context.addressMask, target!);
    },
  },
  {
    name: "array of characters",
    type: (type) => type.kind === "array" && isCharacterArray(type),
    summary(value) {
      const { target } = canonical(value.type);
      const width = canonical(target!).size ?? 1;
      const most = value.context.limits.stringLength;
      const bytes = value.bytes((most + 1) * width);
      // An array of bytes need not be a string: like LLDB and gdb, only the zeros at its end are left out.
      const zero = zeroIn(bytes, width);
      const end = width === 1 ? lengthWithoutZeros(bytes) : zero < 0 ? bytes.length / width : zero;
      return literal(bytes.subarray(0, Math.min(end, most) * width), target!, end > most);
    },
  },
];
