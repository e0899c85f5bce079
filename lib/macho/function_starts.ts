/** `LC_FUNCTION_STARTS`: the start of every function, as ULEB128 deltas from the start of `__TEXT`,
 * terminated by a zero. Linkers keep it when symbols are stripped. */

import { UlebReader } from "../leb128.ts";

/** The result of {@linkcode parseFunctionStarts}. */
export interface FunctionStarts {
  /** Bytes from the start of `__TEXT`, ascending. The lowest bit is set for Thumb functions. */
  readonly offsets: Float64Array;
  /** `false` when the list ends inside a number or exceeds `limit`. */
  readonly complete: boolean;
}

/** Reads the list.
 *
 * @param bytes of the command's payload
 * @param limit size of the image; an offset at or beyond it is damage and ends the list
 */
export function parseFunctionStarts(bytes: Uint8Array, limit: number): FunctionStarts {
  // Each start takes at least one byte, so the payload bounds the array.
  const offsets = new Float64Array(bytes.length);
  const reader = new UlebReader(bytes);
  let count = 0;
  let offset = 0;
  let complete = true;
  while (reader.position < bytes.length) {
    const delta = reader.next();
    if (delta === 0) break;
    offset += delta;
    // Also false when `delta` is NaN.
    if (!(offset < limit)) {
      complete = false;
      break;
    }
    offsets[count++] = offset;
  }
  return { offsets: offsets.slice(0, count), complete };
}
