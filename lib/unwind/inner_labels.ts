/** Labels inside of functions. Assemblers may write a symbol for each label, and linkers then take it
 * for a function and list it among the function starts; neither tells them apart. A label is part of
 * the code that leads to it: by a branch, or because execution goes on from there. Compilers branch to
 * other functions too, but only when their own frame is gone, so that both readings agree. */

import type { CodeImage } from "../macho/walking.ts";
import type { InstructionSet } from "./instruction_set.ts";

/** The code from one symbol, or function start, to the next. */
export interface Extent {
  readonly start: bigint;
  /** `null` where it is not known. */
  readonly end: bigint | null;
}

/** The code of a symbol, and where that leads to. All are offsets from the image's load address. */
interface Part {
  readonly start: number;
  readonly end: number;
  readonly targets: readonly number[];
}

/** Maximum number of symbols that are looked at on either side of a label. */
const maxSymbols = 16;
/** Maximum size of the code of a function with labels, in bytes. */
const maxSize = 0x1_0000;

/** Finds the functions that labels of one image are in. */
export class InnerLabels {
  readonly #image: CodeImage;
  readonly #code: Pick<InstructionSet, "exits" | "beginsFunction">;
  readonly #isDescribed: (address: bigint) => boolean;
  readonly #byStart = new Map<number, Part | null>();
  readonly #byEnd = new Map<number, Part | null>();
  /** Where functions begin, by the labels in them. */
  readonly #starts = new Map<number, number>();

  /** @param isDescribed whether unwind information tells of the code at an address */
  constructor(
    image: CodeImage,
    code: Pick<InstructionSet, "exits" | "beginsFunction">,
    isDescribed: (address: bigint) => boolean,
  ) {
    this.#image = image;
    this.#code = code;
    this.#isDescribed = isDescribed;
  }

  /** The function that the code of a symbol is in: that code itself, or more. */
  functionOf(extent: Extent): Extent {
    const { loadAddress } = this.#image;
    const start = Number(extent.start - loadAddress);
    const own = extent.end === null ? null : this.#partFrom(start);
    if (own === null) return extent;
    const first = this.#startOf(start);
    let last = own.end;
    for (let count = 0; count < maxSymbols && last - first < maxSize; count++) {
      const next = this.#partFrom(last);
      if (next === null || this.#startOf(last) !== first) break;
      last = next.end;
    }
    return first === start && last === own.end
      ? extent
      : { start: loadAddress + BigInt(first), end: loadAddress + BigInt(last) };
  }

  /** Where the function begins that a label is in. */
  #startOf(label: number): number {
    let start = this.#starts.get(label);
    if (start === undefined) {
      start = label;
      for (;;) {
        const before = this.#firstOf(start);
        if (before === start || label - before > maxSize) break;
        start = before;
      }
      this.#starts.set(label, start);
    }
    return start;
  }

  /** The first of those parts near a label that lead to it, themselves or through others. */
  #firstOf(label: number): number {
    const others: Part[] = [];
    for (let at = label; others.length < maxSymbols;) {
      const part = this.#partTo(at);
      if (part === null) break;
      others.push(part);
      at = part.start;
    }
    let at = this.#partFrom(label)?.end;
    for (let count = 0; at !== undefined && count < maxSymbols; count++) {
      const part = this.#partFrom(at);
      if (part === null) break;
      others.push(part);
      at = part.end;
    }
    const leading = new Set([label]);
    let first = label;
    for (let found = 0; found !== leading.size;) {
      found = leading.size;
      for (const { start, targets } of others) {
        if (targets.length === 0 || !targets.some((target) => leading.has(target))) continue;
        leading.add(start);
        if (start < first && this.#mayBegin(start)) first = start;
      }
    }
    return first;
  }

  /** Whether a function with labels may begin at an offset: data between functions looks like code. */
  #mayBegin(start: number): boolean {
    const image = this.#image;
    const { beginsFunction } = this.#code;
    return beginsFunction === undefined ||
      beginsFunction((at, length) => image.read(at, length), image.loadAddress + BigInt(start));
  }

  /** The part that begins at an offset. */
  #partFrom(start: number): Part | null {
    const known = this.#byStart.get(start);
    return known === undefined ? this.#partAt(start) : known;
  }

  /** The part that ends at an offset. */
  #partTo(end: number): Part | null {
    let part = this.#byEnd.get(end);
    if (part === undefined) {
      part = this.#partAt(end - 1);
      this.#byEnd.set(end, part);
    }
    return part;
  }

  /** The part that holds an offset; `null` where unwind information describes the code, or nothing
   * tells where it begins and ends, or where it is Thumb code. */
  #partAt(offset: number): Part | null {
    const image = this.#image;
    const address = image.loadAddress + BigInt(offset);
    const section = image.sectionAt(address);
    const match = section && image.symbolAt(address);
    if (match === null || match.size === null || image.isThumb(address) === true) return null;
    const start = offset - match.offset;
    let part = this.#byStart.get(start);
    if (part === undefined) {
      const { size } = match;
      const code = address - BigInt(match.offset);
      part = code < section!.address || size > maxSize || this.#isDescribed(code) ? null : {
        start,
        end: start + size,
        targets: this.#code.exits((at, length) => image.read(at, length), code, size)
          .map((at) => start + at),
      };
      this.#byStart.set(start, part);
    }
    return part;
  }
}
