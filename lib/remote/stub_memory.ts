/** The memory of a stub's target, and its regions. */
import { hexBytes } from "../hex.ts";
import type { Connection } from "./connection.ts";
import { bytesOf, fieldsOf, numberOf, textOfDigits } from "./hexadecimal.ts";
import { joined, textOf } from "./packet.ts";

const pageSize = 4096n;

/** A range of memory to read. */
export interface Wanted {
  readonly address: bigint;
  readonly length: number;
}

/** One region of the target's memory, as `qMemoryRegionInfo` tells it. */
export interface StubRegion {
  readonly start: bigint;
  readonly end: bigint;
  /** `VM_PROT_*`; `undefined` where nothing is mapped. */
  readonly protection: number | undefined;
  readonly path: string;
  readonly isStack: boolean;
}

/** How a stub sends memory. */
export interface MemoryManners {
  /** Bytes to ask for at once. */
  readonly readSize: number;
  /** Bytes to send at once. */
  readonly writeSize: number;
  /** `x` as LLDB's stubs know it, with data alone, or as gdb's, with a `b` before; digits without it. */
  readonly binary: "data" | "b" | undefined;
}

/** Reads and writes the target's memory, in as few round trips as possible. The target must be stopped. */
export class StubMemory {
  readonly #connection: Connection;
  readonly #readSize: number;
  readonly #writeSize: number;
  readonly #binary: "data" | "b" | undefined;

  constructor(connection: Connection, { readSize, writeSize, binary }: MemoryManners) {
    this.#connection = connection;
    this.#readSize = readSize;
    this.#writeSize = writeSize;
    this.#binary = binary;
  }

  /** Reads ranges. Each result ends before the first byte that could not be read, as far as the stub tells. */
  read(ranges: readonly Wanted[]): Uint8Array[] {
    const pieces = ranges.flatMap(({ address, length }, index) =>
      cut(address, length, this.#readSize, index)
    );
    const done = this.#readPieces(pieces);
    // A piece of several pages fails as a whole when one of them does.
    const again = pieces.flatMap((piece, nth) =>
      done[nth].length === 0 && piece.length > Number(pageSize) ? [nth] : []
    );
    if (again.length > 0) {
      const pages = again.flatMap((nth) => cut(pieces[nth].address, pieces[nth].length, 1, nth));
      const read = this.#readPieces(pages);
      for (const nth of again) {
        const parts: Uint8Array[] = [];
        for (const [at, page] of pages.entries()) {
          if (page.owner !== nth) continue;
          parts.push(read[at]);
          if (read[at].length < page.length) break;
        }
        done[nth] = joined(parts);
      }
    }
    const results = ranges.map((): Uint8Array[] => []);
    const ended = new Set<number>();
    for (const [nth, { owner, length }] of pieces.entries()) {
      if (ended.has(owner)) continue;
      results[owner].push(done[nth]);
      if (done[nth].length < length) ended.add(owner);
    }
    return results.map((parts) => parts.length === 1 ? parts[0] : joined(parts));
  }

  #readPieces(pieces: readonly Piece[]): Uint8Array[] {
    const letter = this.#binary === undefined ? "m" : "x";
    const replies = this.#connection.requestAll(
      pieces.map(({ address, length }) =>
        // Three bytes of data can look like an error.
        `${length <= 3 ? "m" : letter}${address.toString(16)},${length.toString(16)}`
      ),
    );
    return replies.map((reply, index) => {
      const { length } = pieces[index];
      const bytes = length <= 3 || this.#binary === undefined
        ? isError(reply) ? undefined : bytesOf(textOf(reply))
        : this.#binary === "b"
        ? reply[0] === 0x62 ? reply.subarray(1) : undefined
        : isError(reply)
        ? undefined
        : reply;
      return (bytes ?? new Uint8Array(0)).subarray(0, length);
    });
  }

  /** Writes all of `bytes`.
   *
   * @returns whether all of it was written
   */
  write(address: bigint, bytes: Uint8Array): boolean {
    const requests: string[] = [];
    for (const { address: at, length } of cut(address, bytes.length, this.#writeSize, 0)) {
      const from = Number(at - address);
      const digits = hexBytes(bytes.subarray(from, from + length));
      requests.push(`M${at.toString(16)},${length.toString(16)}:${digits}`);
    }
    return this.#connection.requestAll(requests).every((reply) => textOf(reply) === "OK");
  }

  /** The regions that hold addresses, or the free space around them; `undefined` where the stub does not
   * say. */
  regionsAt(addresses: readonly bigint[]): (StubRegion | undefined)[] {
    const requests = addresses.map((address) => `qMemoryRegionInfo:${address.toString(16)}`);
    return this.#connection.requestAll(requests).map((reply, index) => {
      const fields = fieldsOf(textOf(reply));
      const start = numberOf(fields.get("start"));
      const size = numberOf(fields.get("size"));
      if (start === undefined || size === undefined) return undefined;
      const end = start + size;
      if (end <= addresses[index]) return undefined;
      const permissions = fields.get("permissions");
      return {
        start,
        end,
        protection: permissions === undefined ? undefined : protectionOf(permissions),
        path: textOfDigits(fields.get("name") ?? "") ?? "",
        isStack: /\bstack\b/.test(fields.get("type") ?? ""),
      };
    });
  }
}

/** Part of a range, which does not cross the end of what one packet holds. */
interface Piece extends Wanted {
  readonly owner: number;
}

/** Cuts a range at page boundaries into pieces of at most `size` bytes, or of one page. */
function cut(address: bigint, length: number, size: number, owner: number): Piece[] {
  const pieces: Piece[] = [];
  const pages = Math.max(1, Math.floor(size / Number(pageSize)));
  for (let at = 0; at < length;) {
    const from = address + BigInt(at);
    const toPage = Number(pageSize - from % pageSize);
    const most = size > 1 && size < Number(pageSize)
      ? Math.min(size, toPage)
      : toPage + (pages - 1) * Number(pageSize);
    const piece = Math.min(most, length - at);
    pieces.push({ address: from, length: piece, owner });
    at += piece;
  }
  return pieces;
}

/** `E` and two digits, with a text after it where the stub sends any. */
function isError(reply: Uint8Array): boolean {
  return reply.length === 0 ||
    (reply[0] === 0x45 && reply.length === 3 && /^E[\da-fA-F]{2}$/.test(textOf(reply)));
}

function protectionOf(permissions: string): number {
  return (permissions.includes("r") ? 1 : 0) | (permissions.includes("w") ? 2 : 0) |
    (permissions.includes("x") ? 4 : 0);
}
