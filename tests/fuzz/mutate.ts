/** Damages files: what a bad disk, a broken tool or an attacker makes of them. */
import type { Random } from "./random.ts";

/** Numbers at the edges of what fields can hold. */
const numbers = [
  ...[0n, 1n, 2n, 4n, 8n, 0x7fn, 0x80n, 0xffn, 0x7fffn, 0x8000n, 0xffffn],
  ...[0x7fff_ffffn, 0x8000_0000n, 0xffff_ffffn, 1n << 50n, (1n << 63n) - 1n, (1n << 64n) - 1n],
];

/** Text at the edges of what readers of text expect. */
const texts = [
  ...["\0", "\x1b[2J", "\x7f", "\x9b31m", "\u202e", "\ufeff", "\ud800", "__proto__", "constructor"],
  ...[
    "toString",
    '"',
    "\\",
    "{",
    "[",
    "}",
    "]",
    "`",
    "${",
    "0x",
    "-1",
    "1e999",
    "99999999999999999999",
  ],
  ...["\r\n", "\r\r\n", "\n\n", "\t", " ".repeat(5000), "a".repeat(5000), "(".repeat(3000), "😀"],
];

function concat(...parts: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/** Puts a number over what is at a random place. */
function overwrite(random: Random, bytes: Uint8Array): Uint8Array {
  const size = random.pick([1, 2, 4, 8]);
  if (bytes.length < size) return bytes;
  const at = random.below(bytes.length - size + 1) & (random.below(4) === 0 ? ~0 : -size);
  const value = random.below(4) === 0 ? BigInt(random.word()) : random.pick(numbers);
  for (let index = 0; index < size; index++) {
    bytes[at + index] = Number(value >> BigInt(8 * index) & 0xffn);
  }
  return bytes;
}

type Mutation = (random: Random, bytes: Uint8Array, other: Uint8Array) => Uint8Array;

const binary: readonly Mutation[] = [
  (random, bytes) => {
    if (bytes.length > 0) bytes[random.below(bytes.length)] ^= 1 << random.below(8);
    return bytes;
  },
  overwrite,
  // Headers decide most: they are hit as often as all the rest.
  (random, bytes) => {
    overwrite(random, bytes.subarray(0, Math.min(bytes.length, 4096)));
    return bytes;
  },
  (random, bytes) => bytes.subarray(0, random.below(bytes.length + 1)),
  (random, bytes) => {
    const [from, to] = [random.below(bytes.length + 1), random.below(bytes.length + 1)];
    const length = random.below(Math.min(512, bytes.length + 1));
    bytes.copyWithin(to, from, from + length);
    return bytes;
  },
  (random, bytes) => {
    const at = random.below(bytes.length + 1);
    return concat(bytes.subarray(0, at), bytes.subarray(at + random.below(64)));
  },
  (random, bytes, other) => {
    const [from, at] = [random.below(other.length + 1), random.below(bytes.length + 1)];
    return concat(
      bytes.subarray(0, at),
      other.subarray(from, from + random.below(256)),
      bytes.subarray(at),
    );
  },
];

const encoder = new TextEncoder();

const text: readonly Mutation[] = [
  (random, bytes) => {
    const at = random.below(bytes.length + 1);
    return concat(
      bytes.subarray(0, at),
      encoder.encode(random.pick(texts)),
      bytes.subarray(at + random.below(8)),
    );
  },
  // A line twice, or many times.
  (random, bytes) => {
    const start = bytes.indexOf(0x0a, random.below(bytes.length + 1)) + 1;
    const end = bytes.indexOf(0x0a, start) + 1;
    if (start === 0 || end === 0) return bytes;
    const copies = Array<Uint8Array>(random.pick([1, 2, 50])).fill(bytes.subarray(start, end));
    return concat(bytes.subarray(0, end), ...copies, bytes.subarray(end));
  },
  // A line less.
  (random, bytes) => {
    const start = bytes.indexOf(0x0a, random.below(bytes.length + 1)) + 1;
    const end = bytes.indexOf(0x0a, start) + 1;
    return end === 0 ? bytes : concat(bytes.subarray(0, start), bytes.subarray(end));
  },
];

/** A damaged copy of a file.
 *
 * @param kind of the file
 * @param seeds whole files; one of them is damaged
 */
export function mutate(
  random: Random,
  kind: "binary" | "text",
  seeds: readonly Uint8Array[],
): Uint8Array {
  const mutations = kind === "text" ? [...text, ...text, ...binary] : binary;
  let bytes: Uint8Array = random.pick(seeds).slice();
  for (let left = 1 + random.below(random.pick([1, 4, 16])); left > 0; left--) {
    bytes = random.pick(mutations)(random, bytes, random.pick(seeds));
  }
  return bytes;
}
