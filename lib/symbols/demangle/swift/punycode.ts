/** Punycode (RFC 3492) in Swift's variant: the digits are a-z and A-J, the delimiter is `_`, and
 * ASCII characters that symbols may not contain are moved up to U+D800. */

const base = 36;
const highest = 0x10ffff;
const moved = 0xd800;

/** Maximum length: insertion takes quadratic time, and no identifier is this long. */
const longest = 4096;

function digit(character: number): number {
  if (character >= 0x61 && character <= 0x7a) return character - 0x61;
  if (character >= 0x41 && character <= 0x4a) return character - 0x41 + 26;
  return -1;
}

function adapt(delta: number, count: number, first: boolean): number {
  delta = Math.floor(delta / (first ? 700 : 2));
  delta += Math.floor(delta / count);
  let k = 0;
  for (; delta > 455; k += base) delta = Math.floor(delta / 35);
  return k + Math.floor(base * delta / (delta + 38));
}

/** The decoded text; `null` when `encoded` is not punycode. */
export function decodePunycode(encoded: string): string | null {
  if (encoded.length > longest) return null;
  const delimiter = encoded.lastIndexOf("_");
  const points: number[] = [];
  for (let at = 0; at < delimiter; at++) points.push(encoded.charCodeAt(at));
  let point = 128, position = 0, bias = 72;
  for (let at = delimiter + 1; at < encoded.length;) {
    const before = position;
    for (let k = base, weight = 1;; k += base) {
      const value = at < encoded.length ? digit(encoded.charCodeAt(at++)) : -1;
      if (value < 0) return null;
      position += value * weight;
      const threshold = Math.min(Math.max(k - bias, 1), 26);
      if (value < threshold) break;
      weight *= base - threshold;
      if (position > 0x7fff_ffff || weight > 0x7fff_ffff) return null;
    }
    const count = points.length + 1;
    bias = adapt(position - before, count, before === 0);
    point += Math.floor(position / count);
    if (point > highest) return null;
    position %= count;
    points.splice(position++, 0, point);
  }
  let text = "";
  for (const value of points) {
    if (value >= moved && value < moved + 0x80) text += String.fromCharCode(value - moved);
    else if (value >= 0xd880 && value < 0xe000) return null;
    else text += String.fromCodePoint(value);
  }
  return text;
}
