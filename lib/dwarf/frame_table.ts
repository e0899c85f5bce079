/** The binary search table of `.eh_frame_hdr`, which linkers of ELF files write: it leads from an address to
 * its FDE, so that `.eh_frame` needs no index. Linux Standard Base, "The .eh_frame_hdr section". */
import { APPLICATION, FORMAT } from "./pointer_encoding.ts";

/** Bytes before the table: four of versions and encodings, the pointer to `.eh_frame`, the number of FDEs. */
const HEAD = 12;
/** Bytes of an entry: a function's start and its FDE, both relative to this section. */
const ENTRY = 8;

/** The table of one `.eh_frame_hdr`. */
export interface FrameTable {
  /** The offset in `.eh_frame` of the last FDE that begins at or before an address; `undefined` where there
   * is none.
   *
   * @param offset of the address, from the start of `.eh_frame` */
  fdeAt(offset: number): number | undefined;
}

/** Opens the table of a section; `null` when it is for another section, or is not encoded as linkers do and
 * libgcc expects (`unwind-dw2-fde-dip.c`).
 *
 * @param distance from the start of `.eh_frame` to the start of this section
 */
export function openFrameTable(bytes: Uint8Array, distance: number): FrameTable | null {
  if (bytes.length < HEAD) return null;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const usual = [
    1, // version
    APPLICATION.pcrel | FORMAT.sdata4,
    FORMAT.udata4,
    APPLICATION.datarel | FORMAT.sdata4,
  ];
  if (usual.some((byte, at) => view.getUint8(at) !== byte)) return null;
  if (view.getInt32(4, true) + 4 !== -distance) return null;
  const count = view.getUint32(8, true);
  if (count === 0 || count > Math.floor((bytes.length - HEAD) / ENTRY)) return null;
  return {
    fdeAt(offset) {
      const wanted = offset - distance;
      let low = 0;
      let high = count;
      while (low < high) {
        const middle = (low + high) >>> 1;
        if (view.getInt32(HEAD + middle * ENTRY, true) <= wanted) low = middle + 1;
        else high = middle;
      }
      return low === 0 ? undefined : view.getInt32(HEAD + (low - 1) * ENTRY + 4, true) + distance;
    },
  };
}
