import type { CoreSegment } from "../macho/cores.ts";
import {
  type ByteSource,
  fillFrom,
  type Span,
  stretchAt,
  type Stretches,
  stretches,
} from "../macho/walking.ts";
import type { ReadInto } from "./memory.ts";

/** `VM_PROT_WRITE`. */
const write = 2;

/** Where the bytes of a range of addresses are. */
type Content =
  /** In the core, from this offset on, which is that of the segment's address. */
  | { readonly kind: "file"; readonly address: bigint; readonly offset: number }
  /** Nowhere: they are zero. */
  | { readonly kind: "zero" }
  /** Not in the core: zero, unless a binary has them. */
  | { readonly kind: "absent"; readonly orZero: boolean }
  /** Missing: they should be in the core, which was cut short. */
  | { readonly kind: "lost" };

type Piece = Span<Content>;

/** As {@linkcode ReadInto}; `isUnwritten` where the core has a segment without bytes, as for memory that nobody
 * wrote to. Elsewhere what can be written may be anything. */
export type ReadBinary = (address: bigint, into: Uint8Array, isUnwritten: boolean) => number;

/** The memory in a core, by address, read from the file as needed. Segments overlap only when something
 * is damaged. Then the one that begins last holds the address. */
export class CoreMemory {
  /** Reads what is not in the core: the binaries on the disk. */
  fallback: ReadBinary = () => 0;
  readonly #source: ByteSource;
  /** `null` where no segment is. */
  readonly #stretches: Stretches<Content>;
  readonly #limit: bigint;

  /** @param pointerSize bytes, which bound the address space */
  constructor(source: ByteSource, segments: readonly CoreSegment[], pointerSize: 4 | 8) {
    this.#source = source;
    this.#limit = 1n << BigInt(pointerSize * 8);
    const pieces = segments.flatMap((segment) => piecesOf(segment, source.size, this.#limit));
    this.#stretches = stretches(pieces);
  }

  /** Whether the core itself has the byte at `address`. */
  has(address: bigint): boolean {
    const content = this.#stretches.values[stretchAt(this.#stretches, address)] ?? null;
    return content?.kind === "file" || content?.kind === "zero";
  }

  /** Fills `into` from `address`; returns how many bytes could be read. */
  readonly readInto: ReadInto = (address, into) => {
    let done = 0;
    while (done < into.length) {
      const at = address + BigInt(done);
      if (at < 0n || at >= this.#limit) break;
      const index = stretchAt(this.#stretches, at);
      const end = index + 1 < this.#stretches.starts.length
        ? this.#stretches.starts[index + 1]
        : this.#limit;
      const room = end - at;
      const left = into.length - done;
      const length = room < BigInt(left) ? Number(room) : left;
      const got = this.#read(
        at,
        into.subarray(done, done + length),
        this.#stretches.values[index] ?? null,
      );
      done += got;
      if (got < length) break;
    }
    return done;
  };

  #read(address: bigint, into: Uint8Array, content: Content | null): number {
    if (content?.kind === "file") {
      const offset = content.offset + Number(address - content.address);
      return fillFrom(this.#source, offset, into);
    }
    if (content?.kind === "zero") {
      into.fill(0);
      return into.length;
    }
    const got = this.fallback(address, into, content?.kind === "absent");
    if (got === into.length || content?.kind !== "absent" || !content.orZero) return got;
    into.fill(0, got);
    return into.length;
  }
}

/** The parts of a segment. */
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
    if (at < next) pieces.push({ start: at, end: next, value: content });
    if (at < next) at = next;
  };
  const available = Math.max(0, Math.min(fileSize, sourceSize - fileOffset));
  upTo(available, { kind: "file", address, offset: fileOffset });
  upTo(fileSize, { kind: "lost" });
  const content: Content = fileSize > 0
    ? { kind: "zero" }
    : { kind: "absent", orZero: (initialProtection & write) !== 0 };
  if (at < end) pieces.push({ start: at, end, value: content });
  return pieces;
}
