/** `__TEXT,__unwind_info`: the compact unwind encoding of each function, found by reading only the
 * part of the section that leads to it.
 *
 * The section, as `<mach-o/compact_unwind_encoding.h>` lays it out, is a table in two levels. The
 * first-level index splits the functions into pages and ends with a sentinel that only says where
 * the last function ends. A page lists functions in rising order, each with its encoding: a
 * regular page in full, a compressed page with a distance from the page's first function and an
 * index into the encodings that all pages share, followed by those of the page alone. Personality
 * functions and language-specific data areas, which exceptions need, are not read. */

const VERSION = 1;
const HEADER_SIZE = 28;
/** An index entry: function offset, page, language-specific data areas. */
const INDEX_ENTRY_SIZE = 12;
const PAGE_REGULAR = 2;
const PAGE_COMPRESSED = 3;

/** A function, or a part of one, and how it is unwound. Offsets are bytes from the image's load
 * address. */
export interface UnwindEntry {
  /** The `compact_unwind_encoding_t`; 0 where the linker had none. */
  readonly encoding: number;
  /** Where the encoding starts to apply. */
  readonly functionStart: number;
  /** Where it stops to apply: the next entry's start. */
  readonly functionEnd: number;
}

/** The encodings that all compressed pages share. */
interface CommonEncodings {
  /** Offset in the section. */
  readonly offset: number;
  /** The index of a page's first own encoding. */
  readonly count: number;
  readonly readable: number;
}

/** A second-level page that has been checked. */
interface Page {
  /** Offset of the first entry in the section. */
  readonly entries: number;
  /** Bytes from entry to entry: 8 on a regular page, 4 on a compressed one. */
  readonly stride: 4 | 8;
  /** Number of sound entries. */
  readonly count: number;
  /** The function offset that a compressed page's distances are from. */
  readonly base: number;
  /** Where the last sound entry ends. */
  readonly end: number;
  /** Offset of the page's own encodings in the section. */
  readonly encodings: number;
  readonly encodingCount: number;
}

/** The unwind information of one image.
 *
 * @example
 * ```ts
 * import { UnwindInfo } from "./unwind_info.ts";
 *
 * const info = UnwindInfo.parse(new Uint8Array(), console.warn); // too short: a warning
 * console.log(info.encodingAt(0x1000)); // null
 * ```
 */
export class UnwindInfo {
  readonly #view: DataView;
  readonly #warn: (message: string) => void;
  readonly #common: CommonEncodings;
  /** Where each page's functions begin, and the sentinel. */
  readonly #starts: Uint32Array;
  /** Where each page is in the section, and the sentinel's 0. */
  readonly #pageOffsets: Uint32Array;
  /** Pages that have been checked; `null` is one that cannot be used. */
  readonly #pages: (Page | null | undefined)[] = [];

  private constructor(
    view: DataView,
    warn: (message: string) => void,
    common: CommonEncodings,
    starts: Uint32Array,
    pageOffsets: Uint32Array,
  ) {
    this.#view = view;
    this.#warn = warn;
    this.#common = common;
    this.#starts = starts;
    this.#pageOffsets = pageOffsets;
  }

  /** Reads the header and the first-level index. Pages are read when they are first needed.
   *
   * @param bytes of the section; kept, not copied
   * @param warn told of damage, now and when a damaged page is come upon; what is sound still
   * answers
   */
  static parse(bytes: Uint8Array, warn: (message: string) => void): UnwindInfo {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const none = new Uint32Array();
    const empty = (): UnwindInfo =>
      new UnwindInfo(view, warn, { offset: 0, count: 0, readable: 0 }, none, none);
    if (bytes.length < HEADER_SIZE) {
      warn(`unwind info: a header of ${HEADER_SIZE} bytes in ${bytes.length}`);
      return empty();
    }
    const version = view.getUint32(0, true);
    if (version !== VERSION) {
      warn(`unwind info: version ${version}, not ${VERSION}`);
      return empty();
    }
    const array = (what: string, field: number, size: number) => {
      const offset = view.getUint32(field, true);
      const count = view.getUint32(field + 4, true);
      const fitting = Math.max(0, Math.floor((bytes.length - offset) / size));
      if (count > fitting) warn(`unwind info: ${fitting} of ${count} ${what} are there`);
      return { offset, count, fitting: Math.min(count, fitting) };
    };
    const common = array("common encodings", 4, 4);
    const index = array("index entries", 20, INDEX_ENTRY_SIZE);
    const starts = new Uint32Array(index.fitting);
    const pageOffsets = new Uint32Array(index.fitting);
    let count = 0;
    while (count < index.fitting) {
      const at = index.offset + count * INDEX_ENTRY_SIZE;
      starts[count] = view.getUint32(at, true);
      pageOffsets[count] = view.getUint32(at + 4, true);
      if (count > 0 && starts[count] < starts[count - 1]) {
        warn(`unwind info: index entry ${count} lies before the one that it follows`);
        break;
      }
      count++;
      // Even where the count is wrong, the sentinel has no page.
      if (index.fitting < index.count && pageOffsets[count - 1] === 0) break;
    }
    return new UnwindInfo(
      view,
      warn,
      // With an impossible count the common encodings are unusable, but the indexes of those after
      // them stay right.
      { ...common, readable: common.fitting === common.count ? common.count : 0 },
      starts.subarray(0, count),
      pageOffsets.subarray(0, count),
    );
  }

  /** The entry that holds an offset, by binary search.
   *
   * @param functionOffset of any instruction, in bytes from the image's load address
   * @returns `null` where no entry is, or it is damaged
   */
  encodingAt(functionOffset: number): UnwindEntry | null {
    const starts = this.#starts;
    const last = starts.length - 1;
    if (last < 1 || !(functionOffset >= starts[0] && functionOffset < starts[last])) return null;
    let low = 0;
    let high = last;
    while (high - low > 1) {
      const middle = (low + high) >>> 1;
      if (starts[middle] <= functionOffset) low = middle;
      else high = middle;
    }
    const page = this.#page(low);
    if (page === null || functionOffset >= page.end || page.count === 0) return null;
    low = 0;
    high = page.count;
    while (high - low > 1) {
      const middle = (low + high) >>> 1;
      if (this.#start(page, middle) <= functionOffset) low = middle;
      else high = middle;
    }
    return functionOffset < this.#start(page, low) ? null : this.#entry(page, low);
  }

  /** All sound entries, rising. */
  *entries(): IterableIterator<UnwindEntry> {
    // In a damaged section many index entries may share a page, which would make it endless.
    let left = Math.floor(this.#view.byteLength / 4);
    for (let index = 0; index < this.#starts.length - 1; index++) {
      const page = this.#page(index);
      if (page === null) continue;
      for (let slot = 0; slot < page.count; slot++) {
        if (left-- === 0) {
          this.#warn("unwind info: more entries than the section has room for");
          return;
        }
        const entry = this.#entry(page, slot);
        if (entry !== null) yield entry;
      }
    }
  }

  #page(index: number): Page | null {
    const known = this.#pages[index];
    return known === undefined ? this.#pages[index] = this.#checkPage(index) : known;
  }

  /** Checks a page once, so that searches in it need no checks. */
  #checkPage(index: number): Page | null {
    const view = this.#view;
    const size = view.byteLength;
    const offset = this.#pageOffsets[index];
    const kind = offset + 8 <= size ? view.getUint32(offset, true) : undefined;
    const compressed = kind === PAGE_COMPRESSED;
    if (!compressed && kind !== PAGE_REGULAR || compressed && offset + 12 > size) {
      this.#warn(`unwind info: there is no page at 0x${offset.toString(16)}`);
      return null;
    }
    const warn = (problem: string): void =>
      this.#warn(`unwind info: the page at 0x${offset.toString(16)}: ${problem}`);
    const array = (what: string, field: number, stride: number) => {
      const at = offset + view.getUint16(offset + field, true);
      const count = view.getUint16(offset + field + 2, true);
      const fitting = Math.max(0, Math.floor((size - at) / stride));
      if (count > fitting) warn(`${fitting} of ${count} ${what} are there`);
      return { at, count: Math.min(count, fitting), cut: count > fitting };
    };
    const stride = compressed ? 4 : 8;
    const entries = array("entries", 4, stride);
    const encodings = compressed ? array("encodings", 8, 4) : { at: 0, count: 0 };
    const base = this.#starts[index];
    const page = {
      entries: entries.at,
      stride,
      count: entries.count,
      base,
      end: this.#starts[index + 1],
      encodings: encodings.at,
      encodingCount: encodings.count,
    } as const;

    let previous = base;
    let sound = 0;
    let strange = 0;
    for (; sound < page.count; sound++) {
      const start = this.#start(page, sound);
      if (start < previous || start >= page.end) break;
      previous = start;
      if (this.#encoding(page, sound) === undefined) strange++;
    }
    if (strange > 0) warn(`${strange} entries have encodings that are not there`);
    if (sound < page.count) warn(`entry ${sound} is out of order`);
    if (sound === page.count && !entries.cut) return page;
    // The end of the last entry before the damage is not known, so it only ends the one before it.
    return { ...page, count: Math.max(0, sound - 1), end: previous };
  }

  #start(page: Page, slot: number): number {
    const at = page.entries + slot * page.stride;
    const word = this.#view.getUint32(at, true);
    return page.stride === 8 ? word : page.base + (word & 0xff_ffff);
  }

  #encoding(page: Page, slot: number): number | undefined {
    const view = this.#view;
    const at = page.entries + slot * page.stride;
    if (page.stride === 8) return view.getUint32(at + 4, true);
    const index = view.getUint8(at + 3);
    const { offset, count, readable } = this.#common;
    if (index < readable) return view.getUint32(offset + index * 4, true);
    const own = index - count;
    return own >= 0 && own < page.encodingCount
      ? view.getUint32(page.encodings + own * 4, true)
      : undefined;
  }

  #entry(page: Page, slot: number): UnwindEntry | null {
    const encoding = this.#encoding(page, slot);
    if (encoding === undefined) return null;
    const next = slot + 1;
    return {
      encoding,
      functionStart: this.#start(page, slot),
      functionEnd: next < page.count ? this.#start(page, next) : page.end,
    };
  }
}
