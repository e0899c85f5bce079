/** Finds and replaces addresses in text. */

const zero = 0x30;
const x = 0x78;
/** Length of `0x` and the digits of 64 bits. */
const MAX_ADDRESS = 18;

function isHexadecimal(byte: number): boolean {
  return (byte >= 0x30 && byte <= 0x39) || (byte >= 0x41 && byte <= 0x46) ||
    (byte >= 0x61 && byte <= 0x66);
}

function isWord(byte: number): boolean {
  return isHexadecimal(byte) || (byte >= 0x41 && byte <= 0x5a) || (byte >= 0x61 && byte <= 0x7a) ||
    byte === 0x5f;
}

/** An address in a text. */
export interface Found {
  /** Offset of its `0x`. */
  readonly start: number;
  /** Offset after its last digit. */
  readonly end: number;
  readonly address: bigint;
}

/** The addresses in a text: `0x` and up to 16 digits, as separate words. */
export function findAddresses(text: Uint8Array): Found[] {
  const found: Found[] = [];
  for (let at = text.indexOf(x); at >= 0; at = text.indexOf(x, at + 1)) {
    const start = at - 1;
    if (text[start] !== zero || (start > 0 && isWord(text[start - 1]))) continue;
    let end = at + 1;
    let address = 0n;
    while (end < text.length && end - start <= MAX_ADDRESS && isHexadecimal(text[end])) end++;
    if (end === at + 1 || end - start > MAX_ADDRESS) continue;
    if (end < text.length && isWord(text[end])) continue;
    address = BigInt(`0x${String.fromCharCode(...text.subarray(at + 1, end))}`);
    found.push({ start, end, address });
  }
  return found;
}

/** The length of a text without an address at its end that may continue. */
export function completeLength(text: Uint8Array): number {
  let start = text.length;
  while (start > 0 && text.length - start <= MAX_ADDRESS && isWord(text[start - 1])) start--;
  return text.length - start > MAX_ADDRESS ? text.length : start;
}

/** The text with the addresses replaced; without a replacement an address stays. */
export function replace(
  text: Uint8Array,
  found: readonly Found[],
  replacements: readonly (string | null)[],
): Uint8Array[] {
  const encoder = new TextEncoder();
  const pieces: Uint8Array[] = [];
  let from = 0;
  found.forEach(({ start, end }, index) => {
    const replacement = replacements[index];
    if (replacement === null) return;
    pieces.push(text.subarray(from, start), encoder.encode(replacement));
    from = end;
  });
  pieces.push(text.subarray(from));
  return pieces;
}
