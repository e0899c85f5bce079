import type { ByteSource, CoreSegment } from "../macho/mod.ts";
import type { ReadInto } from "./memory.ts";

/** `VM_PROT_WRITE`. */
const write = 2;

/** Where the bytes of a stretch of addresses are. */
type Content =
  /** In the core, from this offset for the stretch's segment's address. */
  | { readonly kind: "file"; readonly address: bigint; readonly offset: number }
  /** Nowhere: they are zero. */
  | { readonly kind: "zero" }
  /** Not in the core; zero where nobody else has them, if there may be any. */
  | { readonly kind: "absent"; readonly orZero: boolean }
  /** They should be in the core, which was cut short. */
  | { readonly kind: "lost" };

interface Piece {
  readonly start: bigint;
  readonly end: bigint;
  readonly content: Content;
}

/** The memory that a core holds, by address, read from the file as it is asked for.
 *
 * Where segments overlap, which only damage makes them do, the one that begins last holds the
 * address. */
export class CoreMemory {
  /** Asked for what is not in the core: the binaries on the disk. */
  fallback: ReadInto = () => 0;
  readonly #source: ByteSource;
  /** Where each stretch begins, rising; it ends where the next begins. */
  readonly #starts: BigUint64Array;
  /** Of each stretch; `null` where no segment is. */
  readonly #contents: readonly (Content | null)[];
  readonly #limit: bigint;

  /** @param pointerSize bytes, which bound the address space */
  constructor(source: ByteSource, segments: readonly CoreSegment[], pointerSize: 4 | 8) {
    this.#source = source;
    this.#limit = 1n << BigInt(pointerSize * 8);
    const pieces = segments.flatMap((segment) => piecesOf(segment, source.size, this.#limit));
    const { starts, contents } = flatten(pieces);
    this.#starts = BigUint64Array.from(starts);
    this.#contents = contents;
  }

  /** The stretch that holds `address`; -1 before the first. */
  #indexOf(address: bigint): number {
    const starts = this.#starts;
    let low = 0;
    let high = starts.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (starts[middle] <= address) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  /** Whether the core has the byte at `address`, in itself. */
  has(address: bigint): boolean {
    const content = this.#contents[this.#indexOf(address)] ?? null;
    return content?.kind === "file" || content?.kind === "zero";
  }

  /** Fills `into` from `address`; returns how many bytes could be read. */
  readonly readInto: ReadInto = (address, into) => {
    let done = 0;
    while (done < into.length) {
      const at = address + BigInt(done);
      if (at < 0n || at >= this.#limit) break;
      const index = this.#indexOf(at);
      const end = index + 1 < this.#starts.length ? this.#starts[index + 1] : this.#limit;
      const room = end - at;
      const left = into.length - done;
      const length = room < BigInt(left) ? Number(room) : left;
      const got = this.#read(at, into.subarray(done, done + length), this.#contents[index] ?? null);
      done += got;
      if (got < length) break;
    }
    return done;
  };

  #read(address: bigint, into: Uint8Array, content: Content | null): number {
    if (content?.kind === "file") {
      const offset = content.offset + Number(address - content.address);
      const bytes = this.#source.read(offset, into.length);
      into.set(bytes);
      return bytes.length;
    }
    if (content?.kind === "zero") {
      into.fill(0);
      return into.length;
    }
    const got = this.fallback(address, into);
    if (got === into.length || content?.kind !== "absent" || !content.orZero) return got;
    into.fill(0, got);
    return into.length;
  }
}

/** What is where in a segment. */
function piecesOf(
  { address, size, fileOffset, fileSize, initialProtection }: CoreSegment,
  sourceSize: number,
  limit: bigint,
): Piece[] {
  const pieces: Piece[] = [];
  const end = address + size < limit ? address + size : limit;
  let at = address;
  const upTo = (bytes: number, content: Content): void => {
    const next = address + BigInt(bytes) < end ? address + BigInt(bytes) : end;
    if (at < next) pieces.push({ start: at, end: next, content });
    if (at < next) at = next;
  };
  const available = Math.max(0, Math.min(fileSize, sourceSize - fileOffset));
  upTo(available, { kind: "file", address, offset: fileOffset });
  upTo(fileSize, { kind: "lost" });
  const content: Content = fileSize > 0
    ? { kind: "zero" }
    : { kind: "absent", orZero: (initialProtection & write) !== 0 };
  if (at < end) pieces.push({ start: at, end, content });
  return pieces;
}

/** Cuts pieces that may overlap into stretches that do not: one sweep over their bounds, with those
 * that are open kept in the order in which they are preferred. */
function flatten(
  pieces: Piece[],
): { starts: bigint[]; contents: (Content | null)[] } {
  const starts: bigint[] = [];
  const contents: (Content | null)[] = [];
  const mark = (start: bigint, content: Content | null): void => {
    if (starts.at(-1) === start) {
      contents[contents.length - 1] = content;
    } else {
      starts.push(start);
      contents.push(content);
    }
  };
  const open: Piece[] = [];
  /** Closes what ends up to `address`; what lies under it comes to light again. */
  const closeUntil = (address: bigint): void => {
    while (open.length > 0 && open.at(-1)!.end <= address) {
      const { end } = open.pop()!;
      while (open.length > 0 && open.at(-1)!.end <= end) open.pop();
      mark(end, open.at(-1)?.content ?? null);
    }
  };
  // Of equal starts the longer one first: the shorter is preferred. The sort is stable.
  pieces.sort((a, b) => compare(a.start, b.start) || compare(b.end, a.end));
  for (const piece of pieces) {
    closeUntil(piece.start);
    mark(piece.start, piece.content);
    open.push(piece);
  }
  closeUntil(1n << 64n);
  // An end of 2^64 would wrap to 0; nothing is beyond it anyway.
  if (starts.at(-1) === 1n << 64n) {
    starts.pop();
    contents.pop();
  }
  return { starts, contents };
}

function compare(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
