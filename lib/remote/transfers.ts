/** What a stub sends in pieces: objects by `qXfer`, and files of its machine by `vFile`. */
import type { Connection } from "./connection.ts";
import { RemoteError } from "./error.ts";
import { digitsOfText, numberOf } from "./hexadecimal.ts";
import { joined, textOf } from "./packet.ts";

/** Maximum size of one object read by `qXfer`, in bytes. */
const maxObject = 16 << 20;
/** Maximum number of pieces of such an object. */
const maxPieces = 4096;
/** Maximum size of a file that symbols are read from, in bytes. */
const maxFile = 1n << 40n;

/** A file of the stub's machine, as it numbers it. */
export interface StubFile {
  readonly descriptor: string;
  /** In bytes. */
  readonly size: number;
}

/** A part of a file. */
export interface FilePart {
  readonly offset: number;
  readonly length: number;
}

/** Reads objects and files, in as few round trips as possible. */
export class Transfers {
  readonly #connection: Connection;
  readonly #readSize: number;
  /** The files that were opened. */
  readonly #openFiles: string[] = [];

  /** @param readSize bytes to ask for at once */
  constructor(connection: Connection, readSize: number) {
    this.#connection = connection;
    this.#readSize = readSize;
  }

  /** An object that `qXfer` reads; `null` where the stub has none. */
  object(object: string, annex = ""): Uint8Array | null {
    const parts: Uint8Array[] = [];
    let length = 0;
    // Escapes can double the size of what is asked for.
    const size = this.#readSize;
    for (let piece = 0; piece < maxPieces; piece++) {
      const range = `${length.toString(16)},${size.toString(16)}`;
      const reply = this.#connection.requestBytes(`qXfer:${object}:read:${annex}:${range}`);
      const kind = reply[0];
      const isLast = kind === 0x6c; // l
      if (!isLast && kind !== 0x6d) break; // m
      parts.push(reply.subarray(1));
      length += reply.length - 1;
      if (isLast) return joined(parts);
      if (reply.length === 1 || length > maxObject) {
        throw new RemoteError("refused", `the stub's ${object} does not end`);
      }
    }
    return null;
  }

  /** A file of the stub's machine that stays open until the stub is disposed; `null` where it cannot be
   * opened, or its size is not told. */
  openFile(path: string): StubFile | null {
    const descriptor = this.#openDescriptor(path);
    if (descriptor === null) return null;
    this.#openFiles.push(descriptor);
    const [stat, size] = this.#connection.requestAll([
      `vFile:fstat:${descriptor}`,
      `vFile:size:${digitsOfText(path)}`,
    ]);
    const told = sizeInStat(stat) ?? numberOf(/^F([\da-fA-F]+)$/.exec(textOf(size))?.[1]);
    return told === undefined || told > maxFile ? null : { descriptor, size: Number(told) };
  }

  #openDescriptor(path: string): string | null {
    const opened = this.#connection.request(`vFile:open:${digitsOfText(path)},0,0`);
    return /^F([\da-fA-F]{1,8})(?:;|$)/.exec(opened)?.[1] ?? null;
  }

  /** Reads parts of a file, in as few round trips as possible. Each result ends before the first byte that
   * could not be read. */
  readFileParts({ descriptor }: StubFile, parts: readonly FilePart[]): Uint8Array[] {
    const results = parts.map(({ length }) => new Uint8Array(length));
    const done = parts.map(() => 0);
    let open = parts.flatMap(({ length }, part) => length > 0 ? [part] : []);
    // A stub sends less than it was asked for when escapes make its packet too long.
    for (let round = 0; open.length > 0 && round < maxPieces; round++) {
      const asked = open.flatMap((part) => {
        const pieces: { part: number; at: number; length: number }[] = [];
        for (let at = done[part]; at < parts[part].length; at += this.#readSize) {
          pieces.push({ part, at, length: Math.min(this.#readSize, parts[part].length - at) });
        }
        return pieces;
      });
      const replies = this.#connection.requestAll(asked.map(({ part, at, length }) => {
        const range = `${length.toString(16)},${(parts[part].offset + at).toString(16)}`;
        return `vFile:pread:${descriptor},${range}`;
      }));
      const moved = new Set<number>();
      for (const [index, { part, at, length }] of asked.entries()) {
        const data = contentsOf(replies[index])?.subarray(0, length) ?? new Uint8Array(0);
        // The rest of a short piece is asked for again.
        if (at !== done[part] || data.length === 0) continue;
        results[part].set(data, at);
        done[part] += data.length;
        moved.add(part);
      }
      open = open.filter((part) => moved.has(part) && done[part] < parts[part].length);
    }
    return results.map((bytes, part) => bytes.subarray(0, done[part]));
  }

  /** A file of the stub's machine whose size nobody tells, as those of `/proc`; `null` where it cannot be
   * read.
   *
   * @param limit bytes at most
   */
  readFile(path: string, limit: number): Uint8Array | null {
    const descriptor = this.#openDescriptor(path);
    if (descriptor === null) return null;
    const parts: Uint8Array[] = [];
    let length = 0;
    while (length < limit) {
      const range = `${this.#readSize.toString(16)},${length.toString(16)}`;
      const part = contentsOf(
        this.#connection.requestBytes(`vFile:pread:${descriptor},${range}`),
      );
      if (part === undefined || part.length === 0) break;
      parts.push(part);
      length += part.length;
    }
    this.#connection.request(`vFile:close:${descriptor}`);
    return parts.length === 0 ? null : joined(parts);
  }

  /** Closes what was opened: a stub that goes on serving clients would keep it. */
  close(): void {
    this.#connection.requestAll(this.#openFiles.map((file) => `vFile:close:${file}`));
    this.#openFiles.length = 0;
  }
}

/** The data of a reply to `vFile`: `F`, a number, a semicolon, and the data. */
function contentsOf(reply: Uint8Array): Uint8Array | undefined {
  const semicolon = reply.indexOf(0x3b);
  return reply[0] !== 0x46 || semicolon < 0 ? undefined : reply.subarray(semicolon + 1);
}

/** The size in the reply to `vFile:fstat`, whose structure is in gdb's manual ("struct stat"). */
function sizeInStat(reply: Uint8Array): bigint | undefined {
  const stat = contentsOf(reply);
  if (stat === undefined || stat.length < 64) return undefined;
  return new DataView(stat.buffer, stat.byteOffset, stat.length).getBigUint64(28);
}
