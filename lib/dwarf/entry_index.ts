/** Number of entries per call: see `unit_walk.ts`. */
const STRETCH = 1 << 10;

/** A hash table from the offsets of entries to their indexes. */
export class EntryIndex {
  #entries: Int32Array = new Int32Array();
  /** By hash: an index plus 1; 0 for none. */
  #slots = new Uint32Array(64);
  #mask = 63;

  /** Replaces the contents.
   *
   * @param entries distinct offsets; kept until the next call
   */
  build(entries: Int32Array, count: number): void {
    let size = 64;
    while (size < count * 2) size *= 2;
    if (this.#slots.length < size) this.#slots = new Uint32Array(size);
    else this.#slots.fill(0, 0, size);
    this.#mask = size - 1;
    this.#entries = entries;
    for (let at = 0; at < count; at += STRETCH) this.#insert(at, Math.min(count, at + STRETCH));
  }

  /** The index of an entry; -1 if it is not in the table.
   *
   * @param entry any integer
   */
  find(entry: number): number {
    const slots = this.#slots;
    const entries = this.#entries;
    const mask = this.#mask;
    let slot = (Math.imul(entry, 0x9e3779b1) >>> 9) & mask;
    for (let held = slots[slot]; held !== 0; held = slots[slot]) {
      if (entries[held - 1] === entry) return held - 1;
      slot = (slot + 1) & mask;
    }
    return -1;
  }

  #insert(first: number, end: number): void {
    const slots = this.#slots;
    const entries = this.#entries;
    const mask = this.#mask;
    for (let index = first; index < end; index++) {
      let slot = (Math.imul(entries[index], 0x9e3779b1) >>> 9) & mask;
      while (slots[slot] !== 0) slot = (slot + 1) & mask;
      slots[slot] = index + 1;
    }
  }
}
