/** Source frames as columns: workers send them faster than objects. */
import type { SourceFrame } from "../../dwarf/mod.ts";
import type { RawText } from "../../escape.ts";

/** The frames of many offsets. */
export interface PackedFrames {
  /** Functions and paths. */
  readonly strings: readonly RawText[];
  /** Number of frames per offset. */
  readonly counts: Uint32Array<ArrayBuffer>;
  /** Five per frame: the index of the function's string, that of the path or 2^32 - 1, line, column, and
   * 1 for an inlined call. */
  readonly fields: Uint32Array<ArrayBuffer>;
}

const NONE = 0xffffffff;
const FIELDS = 5;

/** Converts frames to columns. */
export function packFrames(list: readonly (readonly SourceFrame[])[]): PackedFrames {
  const numbers = new Map<RawText, number>();
  const number = (text: RawText): number => {
    let known = numbers.get(text);
    if (known === undefined) numbers.set(text, known = numbers.size);
    return known;
  };
  const counts = Uint32Array.from(list, ({ length }) => length);
  const fields = new Uint32Array(FIELDS * counts.reduce((sum, count) => sum + count, 0));
  let at = 0;
  for (const frames of list) {
    for (const { function: name, location, inlined } of frames) {
      fields[at] = number(name);
      fields[at + 1] = location === null ? NONE : number(location.file);
      fields[at + 2] = location?.line ?? 0;
      fields[at + 3] = location?.column ?? 0;
      fields[at + 4] = inlined ? 1 : 0;
      at += FIELDS;
    }
  }
  return { strings: [...numbers.keys()], counts, fields };
}

/** Converts columns to frames. */
export function unpackFrames({ strings, counts, fields }: PackedFrames): SourceFrame[][] {
  let at = 0;
  return Array.from(counts, (count) =>
    Array.from({ length: count }, () => {
      const [name, file, line, column, inlined] = fields.subarray(at, at += FIELDS);
      return {
        function: strings[name],
        location: file === NONE ? null : { file: strings[file], line, column },
        inlined: inlined === 1,
      };
    }));
}
