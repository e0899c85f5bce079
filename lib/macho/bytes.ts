/** Random access to bytes: only what is needed is read from a file. */

/** Bytes that can be read from any offset.
 *
 * @example
 * ```ts
 * import { type ByteSource, MachOFile } from "@machpause/machpause/macho";
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
  /** The file's path, for messages. */
  readonly name: string;
  /** Bytes. */
  readonly size: number;
  /** The bytes at `offset`; fewer than `length` only at the end of the file.
   *
   * @param into at least `length` bytes: an implementation may fill it and return a part of it
   */
  read(offset: number, length: number, into?: Uint8Array): Uint8Array;
}

/** Bytes in memory as a {@linkcode ByteSource}.
 *
 * @example
 * ```ts
 * import { bytesSource } from "@machpause/machpause/macho";
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

/** A part of a source as its own source. It ends where the part ends, or where the whole does.
 *
 * @param offset of the part, in bytes
 * @param size of the part, in bytes
 */
export function part(source: ByteSource, offset: number, size: number): ByteSource {
  const length = Math.max(0, Math.min(size, source.size - offset));
  return {
    name: source.name,
    size: length,
    read: (at, wanted, into) =>
      at >= length || wanted <= 0
        ? new Uint8Array()
        : source.read(offset + at, Math.min(wanted, length - at), into),
  };
}

/** Fills an array from an offset on.
 *
 * @returns number of bytes; fewer than the array has only at the end of the source
 */
export function fillFrom(source: ByteSource, offset: number, into: Uint8Array): number {
  const bytes = source.read(offset, into.length, into);
  const isFilled = bytes.buffer === into.buffer && bytes.byteOffset === into.byteOffset;
  if (!isFilled) into.set(bytes);
  return bytes.length;
}
