/** Numbers, bytes and UUIDs as hexadecimal text. Digits are safe to print without a look at them. */
import type { SafeText } from "./escape.ts";

/** A number as `0x…`, a negative one as `-0x…`.
 *
 * @param digits their minimum count; padded with zeros
 *
 * @example
 * ```ts
 * import { hex } from "./hex.ts";
 *
 * console.log(hex(0x1000n), hex(10, 4)); // 0x1000 0x000a
 * ```
 */
export function hex(value: bigint | number, digits = 0): SafeText {
  return (value < 0
    ? `-0x${(-value).toString(16).padStart(digits, "0")}`
    : `0x${value.toString(16).padStart(digits, "0")}`) as SafeText;
}

/** Bytes as two lower-case digits each.
 *
 * @param separator between two bytes
 *
 * @example
 * ```ts
 * import { hexBytes } from "./hex.ts";
 *
 * console.log(hexBytes(new Uint8Array([1, 0xab]))); // 01ab
 * ```
 */
export function hexBytes(bytes: Uint8Array, separator: "" | " " = ""): SafeText {
  // `Uint8Array.prototype.toHex` is younger than the Node versions that the library supports.
  const digits = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0"));
  return digits.join(separator) as SafeText;
}

/** A UUID as Apple's tools print it.
 *
 * @param bytes 16 of them
 *
 * @example
 * ```ts
 * import { formatUuid } from "./hex.ts";
 *
 * console.log(formatUuid(new Uint8Array(16))); // 00000000-0000-0000-0000-000000000000
 * ```
 */
export function formatUuid(bytes: Uint8Array): SafeText {
  const digits = hexBytes(bytes).toUpperCase();
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5") as SafeText;
}

/** The identifier that Breakpad's tools make of an ELF file's build ID, in the form of a UUID: its first 16 bytes,
 * whose first three fields are taken for little-endian numbers (Breakpad,
 * `src/common/linux/file_id.cc`).
 *
 * @param id any number of bytes: it is cut, or filled up with zeros
 *
 * @example
 * ```ts
 * import { debugIdOf } from "./hex.ts";
 *
 * console.log(debugIdOf(new Uint8Array([1, 2, 3, 4]))); // 04030201-0000-0000-0000-000000000000
 * ```
 */
export function debugIdOf(id: Uint8Array): SafeText {
  const order = [3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15];
  return formatUuid(Uint8Array.from(order, (at) => id[at] ?? 0));
}

/** The 16 bytes of a UUID: the reverse of {@linkcode formatUuid}. Zeros for `null`.
 *
 * @example
 * ```ts
 * import { uuidBytes } from "./hex.ts";
 *
 * console.log(uuidBytes("4C4C44B5-5555-3144-A1F5-3D9A0A2B6C3D").length); // 16
 * ```
 */
export function uuidBytes(uuid: string | null): Uint8Array {
  const pairs = uuid?.replaceAll("-", "").match(/../g) ?? [];
  const bytes = new Uint8Array(16);
  bytes.set(pairs.slice(0, 16).map((pair) => Number.parseInt(pair, 16)));
  return bytes;
}
