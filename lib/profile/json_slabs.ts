/** JsonSlabs: JSON in which arrays of numbers, and large parts, lie apart in binary. The Firefox Profiler saves and
 * opens its processed profiles as such files (`.jslb`).
 *
 * A file has a magic number, and in 32-bit little-endian numbers a version, the number of slabs and the index of
 * the root; then for each slab its type, where it begins and its length in bytes. An object
 * `{"$s": INDEX}` in JSON stands for a slab. Source: the reader in npm's
 * `@firefox-devtools/profiler-cli`. */

import { FormatError } from "../errors.ts";
import { isRecord, type JsonRecord } from "./json.ts";

const MAGIC = [0xdc, 0xdf, 0x4a, 0x53, 0x4c, 0x42, 0x01, 0x00];
const VERSION = 1;
const HEAD = 20;
const ENTRY = 12;

/** The type of a slab that is JSON. */
const JSON_TYPE = 10;

/** Numbers of all slabs that are read: they take more memory than in the file. */
const MAX_NUMBERS = 1 << 26;

/** Bytes of an element of each type of slab that holds numbers, and how one is read. */
const types: readonly (readonly [size: number, read: (view: DataView, at: number) => number])[] = [
  [1, (view, at) => view.getInt8(at)],
  [1, (view, at) => view.getUint8(at)],
  [2, (view, at) => view.getInt16(at, true)],
  [2, (view, at) => view.getUint16(at, true)],
  [4, (view, at) => view.getInt32(at, true)],
  [4, (view, at) => view.getUint32(at, true)],
  [4, (view, at) => view.getFloat32(at, true)],
  [8, (view, at) => view.getFloat64(at, true)],
  [8, (view, at) => Number(view.getBigInt64(at, true))],
  [8, (view, at) => Number(view.getBigUint64(at, true))],
];

/** Whether bytes are a JsonSlabs file. */
export function isJsonSlabs(bytes: Uint8Array): boolean {
  return MAGIC.every((byte, at) => bytes[at] === byte);
}

/** The document of a file, with its numbers in ordinary arrays.
 *
 * @param name for errors
 * @throws FormatError when it is damaged
 */
export function readJsonSlabs(bytes: Uint8Array, name: string): unknown {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const wrong = (at: number, expected: string) => new FormatError(name, at, expected);
  if (bytes.length < HEAD) throw wrong(0, `the ${HEAD} bytes that JsonSlabs begins with`);
  if (view.getUint32(8, true) !== VERSION) throw wrong(8, `version ${VERSION} of JsonSlabs`);
  const count = view.getUint32(12, true);
  if (count > (bytes.length - HEAD) / ENTRY) throw wrong(12, "the number of slabs of this file");
  /** Those that were read. */
  const known = new Map<number, unknown>();
  /** JSON whose placeholders are not replaced yet. */
  const left: unknown[] = [];
  let [numbers, text] = [0, 0];

  const slab = (index: unknown): unknown => {
    if (typeof index !== "number" || !Number.isInteger(index) || index < 0 || index >= count) {
      throw wrong(0, `a slab below ${count}`);
    }
    if (known.has(index)) return known.get(index);
    const entry = HEAD + index * ENTRY;
    const type = view.getUint32(entry, true);
    const start = view.getUint32(entry + 4, true);
    const length = view.getUint32(entry + 8, true);
    if (start + length > bytes.length) throw wrong(entry, "a slab inside the file");
    let value: unknown;
    if (type === JSON_TYPE) {
      // Slabs of a damaged file may lie on each other.
      if ((text += length) > bytes.length) throw wrong(entry, "slabs that do not overlap");
      try {
        value = JSON.parse(new TextDecoder().decode(bytes.subarray(start, start + length)));
      } catch (error) {
        throw wrong(
          start,
          `JSON (${error instanceof Error ? error.message.slice(0, 200) : error})`,
        );
      }
      // A placeholder alone would lead from slab to slab.
      if (isPlaceholder(value)) throw wrong(start, "JSON that is not a placeholder itself");
      left.push(value);
    } else {
      const [size, read] = types[type] ?? [];
      if (size === undefined || read === undefined) throw wrong(entry, "a known type of slab");
      if (length % size !== 0) throw wrong(entry, `a slab of elements of ${size} bytes`);
      if ((numbers += length / size) > MAX_NUMBERS) {
        throw wrong(entry, `at most ${MAX_NUMBERS} numbers`);
      }
      value = Array.from({ length: length / size }, (_, at) => read(view, start + at * size));
    }
    known.set(index, value);
    return value;
  };

  const root = slab(view.getUint32(16, true));
  // A list, for JSON may be deeper than the call stack allows.
  for (let value = left.pop(); value !== undefined; value = left.pop()) {
    if (typeof value !== "object" || value === null) continue;
    const members = value as Record<string, unknown>;
    for (const [key, member] of Object.entries(members)) {
      if (typeof member !== "object" || member === null) continue;
      if (isPlaceholder(member)) {
        Object.defineProperty(members, key, { value: slab(member.$s) });
      } else left.push(member);
    }
  }
  return root;
}

function isPlaceholder(value: unknown): value is JsonRecord {
  return isRecord(value) && Object.hasOwn(value, "$s") && Object.keys(value).length === 1;
}
