/** `LC_FUNCTION_STARTS`: the start of every function, as ULEB128 deltas from the start of `__TEXT`,
 * terminated by a zero. Linkers keep it when symbols are stripped. */

import { UlebReader } from "../leb128.ts";

/** Offsets from the start of `__TEXT`. */
export type Offsets = Uint32Array | Float64Array;

/** The result of {@linkcode parseFunctionStarts}. */
export interface FunctionStarts {
  /** Bytes from the start of `__TEXT`, ascending. The lowest bit is set for Thumb functions. */
  readonly offsets: Offsets;
  /** `false` when the list ends inside a number or exceeds `limit`. */
  readonly complete: boolean;
}

/** Number of starts per call. V8 compiles a function that is called often once. */
const STRETCH = 1 << 10;

/** Reads the list.
 *
 * @param bytes of the command's payload
 * @param limit size of the image; an offset at or beyond it is damage and ends the list
 */
export function parseFunctionStarts(bytes: Uint8Array, limit: number): FunctionStarts {
  const room = (count: number): Offsets =>
    limit <= 2 ** 32 ? new Uint32Array(count) : new Float64Array(count);
  // Most take two bytes, and each at least one, so the payload bounds the array.
  let offsets = room(Math.min(bytes.length, (bytes.length >> 1) + 64));
  const reader = new UlebReader(bytes);
  const state = { count: 0, offset: 0 };
  for (;;) {
    const end = Math.min(offsets.length, state.count + STRETCH);
    const complete = readStretch(bytes, reader, limit, offsets, end, state);
    if (complete !== null) return { offsets: offsets.subarray(0, state.count), complete };
    if (state.count < offsets.length) continue;
    const larger = room(Math.min(bytes.length, 2 * offsets.length));
    larger.set(offsets);
    offsets = larger;
  }
}

/** Reads starts up to number `end`.
 *
 * @returns at the end of the list whether it is complete, otherwise `null`
 */
function readStretch(
  bytes: Uint8Array,
  reader: UlebReader,
  limit: number,
  offsets: Offsets,
  end: number,
  state: { count: number; offset: number },
): boolean | null {
  let { count, offset } = state;
  let at = reader.position;
  let complete: boolean | null = null;
  while (complete === null) {
    if (at >= bytes.length) {
      complete = true;
      break;
    }
    if (count === end) break;
    let delta = bytes[at];
    if (delta < 0x80) at++;
    else if (bytes[at + 1] < 0x80) {
      delta = delta & 0x7f | bytes[at + 1] << 7;
      at += 2;
    } else {
      reader.position = at;
      delta = reader.next();
      at = reader.position;
    }
    if (delta === 0) complete = true;
    else if (!(offset + delta < limit)) complete = false; // also when `delta` is NaN
    else offsets[count++] = offset += delta;
  }
  reader.position = at;
  state.count = count;
  state.offset = offset;
  return complete;
}
