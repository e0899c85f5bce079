/** Bytes by offset: a file, of which only what is asked for is read. */

/** Something with bytes that can be read from any place. */
export interface ByteSource {
  /** For messages: the file's path. Not safe to print raw. */
  readonly name: string;
  /** Bytes. */
  readonly size: number;
  /** The bytes at `offset`: fewer than `length` only where the file ends. */
  read(offset: number, length: number): Uint8Array;
}

/** Bytes that are in memory already, as a {@linkcode ByteSource}.
 *
 * @example
 * ```ts
 * import { bytesSource } from "./mod.ts";
 *
 * console.log(bytesSource(new Uint8Array([1, 2, 3]), "three").read(1, 9)); // Uint8Array [2, 3]
 * ```
 */
export function bytesSource(bytes: Uint8Array, name: string): ByteSource {
  return {
    name,
    size: bytes.length,
    read: (offset, length) => bytes.subarray(offset, offset + length),
  };
}
