/** Bytes by offset: a file, of which only what is asked for is read. */

/** Something with bytes that can be read from any place.
 *
 * @example
 * ```ts
 * import { type ByteSource, MachOFile } from "@machpause/machpause";
 *
 * const bytes = await Deno.readFile("demo");
 * const source: ByteSource = {
 *   name: "demo",
 *   size: bytes.length,
 *   read: (offset, length) => bytes.subarray(offset, offset + length),
 * };
 * console.log(new MachOFile(source).images[0].arch);
 * ```
 */
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

/** A part of a source, as a source of its own: it ends where the part or the whole does.
 *
 * @param offset of the part, in bytes
 * @param size of the part, in bytes
 */
export function part(source: ByteSource, offset: number, size: number): ByteSource {
  const length = Math.max(0, Math.min(size, source.size - offset));
  return {
    name: source.name,
    size: length,
    read: (at, wanted) =>
      at >= length || wanted <= 0
        ? new Uint8Array()
        : source.read(offset + at, Math.min(wanted, length - at)),
  };
}
