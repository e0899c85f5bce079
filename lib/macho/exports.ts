/** The export trie (`LC_DYLD_EXPORTS_TRIE`, or the export part of `LC_DYLD_INFO`): the names that
 * other images can bind to, as a prefix tree. A node is a ULEB128 size of its terminal part, that
 * part, a byte with the number of children, and for each child a NUL-terminated edge and the ULEB128
 * offset of its node. */

import { EXPORT_SYMBOL_FLAGS } from "./constants.ts";
import { StringPool, type StringTable } from "./strings.ts";
import { UlebReader } from "./uleb.ts";

/** The exported symbols that have an address in the image, as columns. */
export interface Exports {
  readonly count: number;
  /** Into `names`. */
  readonly nameOffsets: Uint32Array;
  readonly names: StringTable;
  /** Bytes from the Mach-O header. */
  readonly offsets: Float64Array;
  /** `EXPORT_SYMBOL_FLAGS_*`. */
  readonly flags: Uint32Array;
  /** `false` when a part of the trie was damaged and left out. */
  readonly complete: boolean;
}

/** How much text the names of a trie may come to, and its edges be scanned, beside its size: far
 * above what prefix sharing saves in real images, and a bound for hostile ones. */
const MAX_EXPANSION = 64;
/** Bytes of a name: more is damage. */
const MAX_NAME = 1 << 16;

/** Reads the trie. Each node is visited once, so cycles and shared nodes cost nothing; absolute
 * and re-exported symbols, which have no address here, are left out.
 *
 * @param bytes of the trie
 */
export function parseExports(bytes: Uint8Array): Exports {
  const nameOffsets: number[] = [];
  const offsets: number[] = [];
  const flagsList: number[] = [];
  const pool = new StringPool();
  const limit = bytes.length * MAX_EXPANSION + 4096;
  let scanned = 0;
  const visited = new Uint8Array(bytes.length);
  const reader = new UlebReader(bytes);
  let complete = true;

  /** The name on the way from the root to the current node. */
  let name = new Uint8Array(256);
  // The nodes to visit, last first: their place, their edge, and how long the name is before it.
  const nodes: number[] = [0];
  const edgeStarts: number[] = [0];
  const edgeEnds: number[] = [0];
  const prefixes: number[] = [0];
  while (nodes.length > 0) {
    const node = nodes.pop()!;
    const edgeStart = edgeStarts.pop()!;
    const edgeEnd = edgeEnds.pop()!;
    const prefix = prefixes.pop()!;
    if (node >= bytes.length || visited[node] === 1) {
      // An empty trie is no damage.
      complete &&= bytes.length === 0;
      continue;
    }
    visited[node] = 1;
    const length = prefix + edgeEnd - edgeStart;
    if (length > name.length) {
      const grown = new Uint8Array(length * 2);
      grown.set(name);
      name = grown;
    }
    name.set(bytes.subarray(edgeStart, edgeEnd), prefix);

    reader.position = node;
    const terminalSize = reader.next();
    if (!(terminalSize <= bytes.length - reader.position)) {
      complete = false;
      continue;
    }
    const children = reader.position + terminalSize;
    if (terminalSize > 0) {
      const flags = reader.next();
      const kind = flags & EXPORT_SYMBOL_FLAGS.KIND_MASK;
      if (
        (flags & EXPORT_SYMBOL_FLAGS.REEXPORT) === 0 && kind !== EXPORT_SYMBOL_FLAGS.KIND_ABSOLUTE
      ) {
        const offset = reader.next();
        if (Number.isNaN(offset)) {
          complete = false;
        } else {
          nameOffsets.push(pool.add(name.subarray(0, length)));
          offsets.push(offset);
          flagsList.push(flags);
        }
      }
    }
    if (pool.length > limit || scanned > limit) {
      complete = false;
      break;
    }
    let position = children + 1;
    for (let child = bytes[children] ?? 0; child > 0; child--) {
      const end = bytes.indexOf(0, position);
      scanned += (end < 0 ? bytes.length : end) - position + 1;
      reader.position = end + 1;
      const childNode = end < 0 ? NaN : reader.next();
      if (Number.isNaN(childNode) || length + end - position > MAX_NAME) {
        complete = false;
        break;
      }
      nodes.push(childNode);
      edgeStarts.push(position);
      edgeEnds.push(end);
      prefixes.push(length);
      position = reader.position;
    }
  }
  return {
    count: offsets.length,
    nameOffsets: Uint32Array.from(nameOffsets),
    names: pool.table(),
    offsets: Float64Array.from(offsets),
    flags: Uint32Array.from(flagsList),
    complete,
  };
}
