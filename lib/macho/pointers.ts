/** Pointers in an image's data: final values in memory; links of chains or unslid addresses in a
 * file. */

import { CPU_TYPE } from "./constants.ts";

/** The bits of an arm64 address. Those above are a pointer authentication code or a tag. */
const ARM64_ADDRESS = (1n << 47n) - 1n;

/** `DYLD_CHAINED_PTR_*` of `<mach-o/fixup-chains.h>`: the encodings of a pointer and its link in a
 * word. */
const FORMAT = {
  ARM64E: 1,
  PTR_64: 2,
  PTR_32: 3,
  PTR_64_OFFSET: 6,
  ARM64E_KERNEL: 7,
  ARM64E_USERLAND: 9,
  ARM64E_USERLAND24: 12,
} as const;

/** What a decoder needs of an image. */
interface PointerImage {
  readonly cpuType: number;
  readonly pointerSize: 4 | 8;
  readonly loadAddress: bigint;
  readonly slide: bigint;
}

/** Returns a function from a stored pointer to the slid address that it stands for; 0 for a null
 * pointer and for one to another image.
 *
 * @param image that contains the pointers
 * @param relocated whether dyld has put the final values in place
 * @param chainedFixups payload of `LC_DYLD_CHAINED_FIXUPS`, when the image has one
 */
export function pointerDecoder(
  image: PointerImage,
  relocated: boolean,
  chainedFixups: Uint8Array | null,
): (raw: bigint) => bigint {
  const { loadAddress, slide } = image;
  if (relocated) {
    return image.cpuType === CPU_TYPE.ARM64 ? (raw) => raw & ARM64_ADDRESS : (raw) => raw;
  }
  const bits = image.pointerSize * 8;
  const slid = (address: bigint): bigint =>
    address === 0n ? 0n : BigInt.asUintN(bits, address + slide);
  const format = chainedFixups === null ? 0 : pointerFormat(chainedFixups);
  switch (format) {
    case FORMAT.PTR_64:
    case FORMAT.PTR_64_OFFSET: {
      // target:36 high8:8 reserved:7 next:12 bind:1
      const target = (raw: bigint): bigint => raw & 0xfffffffffn;
      return format === FORMAT.PTR_64
        ? (raw) => raw >> 63n === 1n ? 0n : slid(target(raw))
        : (raw) => raw === 0n || raw >> 63n === 1n ? 0n : loadAddress + target(raw);
    }
    case FORMAT.PTR_32:
      // target:26 next:5 bind:1
      return (raw) => raw >> 31n === 1n ? 0n : slid(raw & 0x3ffffffn);
    case FORMAT.ARM64E:
    case FORMAT.ARM64E_KERNEL:
    case FORMAT.ARM64E_USERLAND:
    case FORMAT.ARM64E_USERLAND24:
      // The top bits are auth and bind. An authenticated target is a 32-bit offset, another one
      // has 43 bits.
      return (raw) => {
        if (raw === 0n || ((raw >> 62n) & 1n) === 1n) return 0n;
        if (raw >> 63n === 1n) return loadAddress + (raw & 0xffffffffn);
        const target = raw & 0x7ffffffffffn;
        return format === FORMAT.ARM64E ? slid(target) : loadAddress + target;
      };
    default:
      return slid;
  }
}

/** The format of the first segment with chains; all segments of an image have the same.
 * `dyld_chained_fixups_header.starts_offset` leads to `dyld_chained_starts_in_image`, which leads
 * to `dyld_chained_starts_in_segment`. */
function pointerFormat(fixups: Uint8Array): number {
  const view = new DataView(fixups.buffer, fixups.byteOffset, fixups.byteLength);
  if (fixups.length < 8) return 0;
  const starts = view.getUint32(4, true);
  if (starts + 4 > fixups.length) return 0;
  const count = Math.min(
    view.getUint32(starts, true),
    Math.floor((fixups.length - starts - 4) / 4),
  );
  for (let index = 0; index < count; index++) {
    const offset = view.getUint32(starts + 4 + 4 * index, true);
    if (offset === 0 || starts + offset + 8 > fixups.length) continue;
    return view.getUint16(starts + offset + 6, true);
  }
  return 0;
}
