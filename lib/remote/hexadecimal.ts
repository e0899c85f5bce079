/** Hexadecimal bytes and numbers in packets. */
import { hexBytes } from "../hex.ts";

/** Decodes pairs of digits; `undefined` where something else is among them. `xx` is a byte that is not
 * known: 0. */
export function bytesOf(text: string): Uint8Array | undefined {
  if (text.length % 2 !== 0 || !/^[\da-fA-Fx]*$/.test(text)) return undefined;
  const bytes = new Uint8Array(text.length / 2);
  for (let at = 0; at < bytes.length; at++) {
    bytes[at] = Number.parseInt(text.slice(at * 2, at * 2 + 2), 16) || 0;
  }
  return bytes;
}

/** Text as its bytes' digits. */
export function digitsOfText(text: string): string {
  return hexBytes(new TextEncoder().encode(text));
}

/** Text of which the bytes' digits were sent; `undefined` for other digits. */
export function textOfDigits(digits: string): string | undefined {
  const bytes = bytesOf(digits);
  return bytes === undefined ? undefined : new TextDecoder().decode(bytes);
}

/** A number of at most 64 bits, without a prefix; `undefined` for other text. */
export function numberOf(text: string | undefined): bigint | undefined {
  return text !== undefined && /^[\da-fA-F]{1,16}$/.test(text) ? BigInt(`0x${text}`) : undefined;
}

/** Values that were sent as `key:value;key:value;`, the first of each key. */
export function fieldsOf(text: string): Map<string, string> {
  const fields = new Map<string, string>();
  for (const part of text.split(";")) {
    const colon = part.indexOf(":");
    if (colon <= 0) continue;
    const key = part.slice(0, colon);
    if (!fields.has(key)) fields.set(key, part.slice(colon + 1));
  }
  return fields;
}

/** A thread id: `TID` or `pPID.TID`; `undefined` for other text, and for "all" and "any". */
export function threadIdOf(text: string | undefined): bigint | undefined {
  return numberOf(
    text === undefined ? undefined : /^p[\da-fA-F]+\.([\da-fA-F]+)$/.exec(text)?.[1] ?? text,
  );
}
