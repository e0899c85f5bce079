/** Reads addresses: one that was typed, or the words of a text. Many of them are kept as numbers: a
 * string for each would fill the heap. */

/** Parses an address: `0x…`, hexadecimal digits with a letter among them, or decimal digits;
 * `undefined` for other text, and for more than 64 bits. */
export function parseAddress(text: string): bigint | undefined {
  const digits = /^0x([\da-f]+)$/i.exec(text)?.[1];
  const value = digits !== undefined
    ? BigInt(`0x${digits}`)
    : /^\d+$/.test(text)
    ? BigInt(text)
    : /^[\da-f]+$/i.test(text)
    ? BigInt(`0x${text}`)
    : undefined;
  return value !== undefined && value < 1n << 64n ? value : undefined;
}
/** The words of a text, in order. */
export interface Words {
  readonly count: number;
  /** The words that are addresses. */
  readonly addresses: BigUint64Array;
  /** The index of the word of each address. */
  readonly indices: Uint32Array;
  /** The other words, by index. */
  readonly others: ReadonlyMap<number, string>;
}

/** The value of a hexadecimal digit; -1 for another character. */
function digit(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x61 + 10 : -1;
}

/** A space, or a control character from TAB to CR. */
function isBlank(byte: number): boolean {
  return byte === 0x20 || (byte >= 0x09 && byte <= 0x0d);
}

/** Splits a text into words at blanks and line ends. */
export function readWords(text: Uint8Array): Words {
  const decoder = new TextDecoder();
  // A word begins at every second byte at most.
  const most = (text.length >> 1) + 1;
  const halves = new Uint32Array(2 * most);
  const indices = new Uint32Array(most);
  const others = new Map<number, string>();
  let count = 0;
  let addresses = 0;
  let at = 0;
  const add = (low: number, high: number): void => {
    halves[2 * addresses] = low;
    halves[2 * addresses + 1] = high;
    indices[addresses++] = count;
  };
  for (;;) {
    while (at < text.length && isBlank(text[at])) at++;
    if (at >= text.length) break;
    const start = at;
    let low = 0;
    let high = 0;
    let plain = text[at] === 0x30 && text[at + 1] === 0x78;
    if (plain) at += 2;
    for (; at < text.length && !isBlank(text[at]); at++) {
      const value = plain ? digit(text[at]) : -1;
      if (value < 0) plain = false;
      high = (high << 4) | (low >>> 28);
      low = (low << 4) | value;
    }
    const digits = at - start - 2;
    if (plain && digits > 0 && digits <= 16) add(low, high);
    else {
      const word = decoder.decode(text.subarray(start, at));
      const address = parseAddress(word);
      if (address === undefined) others.set(count, word);
      else add(Number(address & 0xffff_ffffn), Number(address >> 32n));
    }
    count++;
  }
  const pairs = halves.subarray(0, 2 * addresses);
  return {
    count,
    // Little-endian, as every supported system is.
    addresses: new BigUint64Array(pairs.buffer, 0, addresses),
    indices: indices.subarray(0, addresses),
    others,
  };
}
