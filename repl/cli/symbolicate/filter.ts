/** Text in which addresses are replaced by what is at them. */

const zero = 0x30;
const x = 0x78;
/** `0x` and the digits of 64 bits. */
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
  /** Where its `0x` is. */
  readonly start: number;
  /** One beyond its last digit. */
  readonly end: number;
  readonly address: bigint;
}

/** The addresses in a text: `0x` and up to 16 digits, apart from other words. */
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

/** How much of a text can be answered already: all, but for an address at its end that may go on. */
export function completeLength(text: Uint8Array): number {
  let start = text.length;
  while (start > 0 && text.length - start <= MAX_ADDRESS && isWord(text[start - 1])) start--;
  return text.length - start > MAX_ADDRESS ? text.length : start;
}

/** The text with each of `found` replaced; where there is no replacement it stays. */
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
