/** A fast loop that indexes the FDEs that nearly all sections consist of. */
import type { Cie, FrameSectionKind } from "./cfi_entries.ts";
import { APPLICATION, FORMAT, type PointerBases } from "./pointer_encoding.ts";

/** Code ranges in columns, as an index is built. */
export class FdeColumns {
  /** Relative to the section's address. */
  readonly starts: Float64Array;
  readonly ends: Float64Array;
  /** Offsets of the FDEs in the section. */
  readonly offsets: Uint32Array;
  /** Number of ranges. */
  count = 0;

  /** @param size size of the section: an FDE has at least its length and its CIE pointer */
  constructor(size: number) {
    const most = Math.ceil(size / 8);
    this.starts = new Float64Array(most);
    this.ends = new Float64Array(most);
    this.offsets = new Uint32Array(most);
  }

  add(start: number, end: number, offset: number): void {
    const { count } = this;
    this.starts[count] = start;
    this.ends[count] = end;
    this.offsets[count] = offset;
    this.count = count + 1;
  }
}

const HIGH_WORD = 2 ** 32;

/** Reads FDEs of one CIE while they are plain: with a 32-bit length, without segments, and with 64-bit
 * addresses, absolute or relative to their own place in four or eight bytes.
 *
 * @param offset offset of the first entry
 * @returns the offset of the first entry that is not plain, is damaged, or belongs to another CIE: the
 * general reader continues there
 */
export function scanPlainFdes(
  view: DataView,
  offset: number,
  kind: FrameSectionKind,
  cie: Cie,
  bases: PointerBases,
  columns: FdeColumns,
): number {
  const { encoding } = cie;
  const short = encoding === (APPLICATION.pcrel | FORMAT.sdata4);
  const relative = short || encoding === APPLICATION.pcrel;
  if (cie.addressSize !== 8 || cie.segmentSize !== 0) return offset;
  if (!relative && encoding !== APPLICATION.absolute) return offset;
  const zero = BigInt.asIntN(64, relative ? 0n : bases.origin - bases.slide);
  const zeroHigh = Number(zero >> 32n);
  const zeroLow = Number(zero & 0xffff_ffffn);
  // Length, CIE pointer, address and size, and the length of the augmentation data.
  const least = (short ? 12 : 20) + (cie.sized ? 1 : 0);
  for (const limit = view.byteLength - 4 - least; offset <= limit;) {
    const length = view.getUint32(offset, true);
    if (length < least || length > view.byteLength - 4 - offset) break;
    const pointer = view.getUint32(offset + 4, true);
    const target = kind === "eh_frame" ? offset + 4 - pointer : pointer;
    if (target !== cie.offset) break;
    const field = offset + 8;
    let start: number;
    let size: number;
    if (short) {
      start = field + view.getInt32(field, true);
      size = view.getInt32(field + 4, true);
    } else {
      const high = view.getInt32(field + 4, true);
      // Far away, or the mark that linkers leave for removed code.
      if (!relative && high === -1) break;
      start = (high - zeroHigh) * HIGH_WORD + (view.getUint32(field, true) - zeroLow);
      if (relative) start += field;
      size = view.getInt32(field + 12, true) * HIGH_WORD + view.getUint32(field + 8, true);
    }
    if (size <= 0 || !Number.isSafeInteger(start) || !Number.isSafeInteger(start + size)) break;
    columns.add(start, start + size, offset);
    offset += 4 + length;
  }
  return offset;
}
