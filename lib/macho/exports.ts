/** The export trie (`LC_DYLD_EXPORTS_TRIE`, or the export part of `LC_DYLD_INFO`): the names that
 * other images can bind to, as a prefix tree. A node is the ULEB128 size of its terminal part,
 * that part, a byte with the number of children, and for each child a NUL-terminated edge and the
 * ULEB128 offset of its node. */

import type { RawText } from "../escape.ts";
import { UlebReader } from "../leb128.ts";
import { EXPORT_SYMBOL_FLAGS } from "./constants.ts";
import { rawText, StringPool, type StringTable } from "./strings.ts";

/** Exported symbols with an address in the image, as columns. */
export interface Exports {
  readonly count: number;
  /** Into `names`. */
  readonly nameOffsets: Uint32Array;
  readonly names: StringTable;
  /** Bytes from the Mach-O header. */
  readonly offsets: Float64Array;
  /** `EXPORT_SYMBOL_FLAGS_*`. */
  readonly flags: Uint32Array;
  /** `false` when damaged parts were left out. */
  readonly complete: boolean;
}

/** Limits the text of all names, and the bytes of edges scanned, to this many times the trie's
 * size: far more than prefix sharing saves in real images. */
const MAX_EXPANSION = 64;
/** Maximum length of a name, in bytes. A longer one is damage. */
const MAX_NAME = 1 << 16;
/** Read size of a search for one name, in bytes. A node has a few hundred bytes. */
const SEARCH_WINDOW = 1024;

const none = new Uint8Array();

/** Reads the symbols that have an address in the image. Absolute and re-exported ones are left out.
 *
 * @param bytes of the trie
 * @param isKnown whether the symbols at an offset are to be left out
 */
export function parseExports(
  bytes: Uint8Array,
  isKnown: (offset: number) => boolean = () => false,
): Exports {
  const nameOffsets: number[] = [];
  const offsets: number[] = [];
  const flagsList: number[] = [];
  const pool = new StringPool();
  let complete = true;
  const walked = walkTrie(bytes, (buffer, length, reader) => {
    const flags = reader.next();
    const kind = flags & EXPORT_SYMBOL_FLAGS.KIND_MASK;
    if (
      (flags & EXPORT_SYMBOL_FLAGS.REEXPORT) !== 0 || kind === EXPORT_SYMBOL_FLAGS.KIND_ABSOLUTE
    ) return;
    const offset = reader.next();
    if (Number.isNaN(offset)) {
      complete = false;
      return;
    }
    if (isKnown(offset)) return;
    nameOffsets.push(pool.add(buffer, length));
    offsets.push(offset);
    flagsList.push(flags);
  });
  return {
    count: offsets.length,
    nameOffsets: Uint32Array.from(nameOffsets),
    names: pool.table(),
    offsets: Float64Array.from(offsets),
    flags: Uint32Array.from(flagsList),
    complete: complete && walked,
  };
}

/** One exported name. */
export interface ExportEntry {
  /** With the leading underscore. */
  readonly name: RawText;
  /** The kind of symbol; `other` for an unknown kind. */
  readonly kind: "regular" | "thread-local" | "absolute" | "other";
  /** Whether a definition in another image may replace it. */
  readonly weak: boolean;
  /** Bytes from the Mach-O header, or the value of an absolute symbol; `null` for a re-export. */
  readonly value: bigint | null;
  /** The function that chooses the implementation, in bytes from the Mach-O header, where `value`
   * is a stub; otherwise `null`. */
  readonly resolver: bigint | null;
  /** For a re-export, the dylib (counted from 1) and the name there; otherwise `null`. */
  readonly reexport: { readonly ordinal: number; readonly name: RawText } | null;
}

const kinds = ["regular", "thread-local", "absolute", "other"] as const;

/** Reads the whole trie, in its order.
 *
 * @param bytes of the trie
 */
export function readExports(
  bytes: Uint8Array,
): { readonly entries: ExportEntry[]; readonly complete: boolean } {
  const entries: ExportEntry[] = [];
  let complete = true;
  const walked = walkTrie(bytes, (buffer, length, reader, end) => {
    const flags = reader.next();
    const entry = {
      name: rawText(buffer.subarray(0, length)),
      kind: kinds[flags & EXPORT_SYMBOL_FLAGS.KIND_MASK] ?? "other",
      weak: (flags & EXPORT_SYMBOL_FLAGS.WEAK_DEFINITION) !== 0,
      value: null,
      resolver: null,
      reexport: null,
    };
    if ((flags & EXPORT_SYMBOL_FLAGS.REEXPORT) !== 0) {
      const ordinal = reader.next();
      const rest = bytes.subarray(reader.position, end);
      const nul = rest.indexOf(0);
      if (Number.isNaN(ordinal) || nul < 0) {
        complete = false;
        return;
      }
      const name = nul === 0 ? entry.name : rawText(rest.subarray(0, nul));
      entries.push({ ...entry, reexport: { ordinal, name } });
      return;
    }
    const value = reader.nextBig();
    const resolver = (flags & EXPORT_SYMBOL_FLAGS.STUB_AND_RESOLVER) === 0
      ? null
      : reader.nextBig();
    if (Number.isNaN(flags) || value === undefined || resolver === undefined) {
      complete = false;
      return;
    }
    entries.push({ ...entry, value, resolver });
  });
  return { entries, complete: complete && walked };
}

/** Returns the bytes at an offset in a trie, at least one; `null` where there are none. */
export type ReadTrie = (offset: number, length: number) => Uint8Array | null;

/** An edge of a trie's node. */
interface Edge {
  readonly text: Uint8Array;
  /** The offset of the child. */
  readonly node: number;
}

/** A node of a trie. */
interface Node {
  /** The offset of its terminal part; 0 when no name ends here. */
  readonly terminal: number;
  readonly edges: readonly Edge[];
}

/** A trie of which only the nodes that a search passes are read. */
class LazyTrie {
  readonly #read: ReadTrie;
  readonly #size: number;
  #window: Uint8Array = none;
  #start = 0;
  #at = 0;

  constructor(read: ReadTrie, size: number) {
    this.#read = read;
    this.#size = size;
  }

  /** The next byte; -1 at the end. */
  #byte(): number {
    const at = this.#at++;
    if (at < this.#start || at >= this.#start + this.#window.length) {
      const length = Math.min(SEARCH_WINDOW, this.#size - at);
      this.#window = length > 0 ? this.#read(at, length) ?? none : none;
      this.#start = at;
    }
    return this.#window[at - this.#start] ?? -1;
  }

  /** The next number; `NaN` when it does not end, or does not fit 2^53. */
  #uleb(): number {
    let value = 0;
    for (let scale = 1; scale < 2 ** 53; scale *= 128) {
      const byte = this.#byte();
      if (byte < 0) break;
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
    }
    return NaN;
  }

  /** Reads a node; `null` when it is damaged. */
  node(offset: number): Node | null {
    this.#at = offset;
    const size = this.#uleb();
    if (Number.isNaN(size)) return null;
    const terminal = size === 0 ? 0 : this.#at;
    this.#at += size;
    const edges: Edge[] = [];
    for (let left = this.#byte(); left > 0; left--) {
      const text: number[] = [];
      let byte = this.#byte();
      for (; byte > 0; byte = this.#byte()) {
        if (text.push(byte) > MAX_NAME) return null;
      }
      const node = this.#uleb();
      // An edge without text would let a damaged trie go in circles.
      if (byte < 0 || Number.isNaN(node) || text.length === 0) return null;
      edges.push({ text: Uint8Array.from(text), node });
    }
    return { terminal, edges };
  }

  /** Bytes from the Mach-O header to what a terminal part names; `null` when that is absolute or
   * re-exported. */
  offsetAt(terminal: number): number | null {
    this.#at = terminal;
    const flags = this.#uleb();
    if (
      (flags & EXPORT_SYMBOL_FLAGS.REEXPORT) !== 0 ||
      (flags & EXPORT_SYMBOL_FLAGS.KIND_MASK) === EXPORT_SYMBOL_FLAGS.KIND_ABSOLUTE
    ) return null;
    const offset = this.#uleb();
    return Number.isNaN(offset) ? null : offset;
  }

  /** Goes from the root along `text`, to its end or to the end of an edge beyond it.
   *
   * @returns the node and the text that leads to it; `null` when no name begins so
   */
  descend(text: Uint8Array): { readonly node: Node; readonly text: Uint8Array } | null {
    let node = this.node(0);
    let done = 0;
    const passed: Edge[] = [];
    while (node !== null && done < text.length) {
      const edge = node.edges.find(({ text: part }) =>
        part.every((byte, at) => done + at >= text.length || byte === text[done + at])
      );
      if (edge === undefined) return null;
      passed.push(edge);
      done += edge.text.length;
      node = this.node(edge.node);
    }
    return node && { node, text: join(passed.map(({ text }) => text)) };
  }
}

function join(parts: readonly Uint8Array[]): Uint8Array {
  const joined = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}

/** Finds one name in a trie.
 *
 * @param size of the trie in bytes
 * @param name with its leading underscore
 * @returns bytes from the Mach-O header; `null` when the name is missing, absolute or re-exported,
 * or the trie is damaged */
export function findExport(read: ReadTrie, size: number, name: Uint8Array): number | null {
  const trie = new LazyTrie(read, size);
  const found = trie.descend(name);
  if (found === null || found.text.length !== name.length || found.node.terminal === 0) return null;
  return trie.offsetAt(found.node.terminal);
}

/** The names in a trie that begin with `prefix`; of a damaged trie those that can be read.
 *
 * @param size of the trie in bytes
 * @param limit maximum number of names
 */
export function exportsStartingWith(
  read: ReadTrie,
  size: number,
  prefix: Uint8Array,
  limit: number,
): RawText[] {
  const trie = new LazyTrie(read, size);
  const start = trie.descend(prefix);
  const names: RawText[] = [];
  const pending = start === null ? [] : [start];
  // A damaged trie may share nodes; no name is longer than MAX_NAME, and no more nodes than bytes.
  for (let nodes = 0; pending.length > 0 && names.length < limit && nodes < size; nodes++) {
    const { node, text } = pending.pop()!;
    if (node.terminal > 0) names.push(rawText(text));
    for (const edge of [...node.edges].reverse()) {
      const child = text.length + edge.text.length < MAX_NAME ? trie.node(edge.node) : null;
      if (child !== null) pending.push({ node: child, text: join([text, edge.text]) });
    }
  }
  return names;
}

/** Visits the trie's symbols in its order. Each node is visited once, which makes cycles and shared
 * nodes harmless.
 *
 * @param visit receives a buffer that begins with the name and is valid during the call only, the
 * length of the name, a reader at the flags, and the end of the terminal part
 * @returns `false` when damaged parts were left out
 */
function walkTrie(
  bytes: Uint8Array,
  visit: (buffer: Uint8Array, length: number, reader: UlebReader, end: number) => void,
): boolean {
  const limit = bytes.length * MAX_EXPANSION + 4096;
  let scanned = 0;
  let text = 0;
  const visited = new Uint8Array(bytes.length);
  const reader = new UlebReader(bytes);
  let complete = true;

  /** The edges from the root to the current node. */
  const name = new Uint8Array(MAX_NAME);
  // The nodes on that path: where the next child is read, how many are left, and the length of the
  // name.
  const positions: number[] = [];
  const lefts: number[] = [];
  const lengths: number[] = [];
  let top = -1;
  const enter = (node: number, length: number): void => {
    if (node >= bytes.length || visited[node] === 1) {
      // An empty trie is valid.
      complete &&= bytes.length === 0;
      return;
    }
    visited[node] = 1;
    reader.position = node;
    const terminalSize = reader.next();
    if (!(terminalSize <= bytes.length - reader.position)) {
      complete = false;
      return;
    }
    const children = reader.position + terminalSize;
    if (terminalSize > 0) {
      text += length;
      visit(name, length, reader, children);
    }
    const count = children < bytes.length ? bytes[children] : 0;
    if (count === 0) return;
    top++;
    positions[top] = children + 1;
    lefts[top] = count;
    lengths[top] = length;
  };

  enter(0, 0);
  while (top >= 0) {
    if (text > limit || scanned > limit) return false;
    if (lefts[top] === 0) {
      top--;
      continue;
    }
    lefts[top]--;
    const start = positions[top];
    let position = start;
    let length = lengths[top];
    let byte = -1;
    while (position < bytes.length && (byte = bytes[position++]) !== 0 && length < MAX_NAME) {
      name[length++] = byte;
    }
    scanned += position - start;
    reader.position = position;
    const node = byte === 0 ? reader.next() : NaN;
    if (Number.isNaN(node)) {
      complete = false;
      lefts[top] = 0;
      continue;
    }
    positions[top] = reader.position;
    enter(node, length);
  }
  return complete;
}
