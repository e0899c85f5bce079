/** `LC_FUNCTION_STARTS`: where every function begins, as ULEB128 deltas from `__TEXT`'s start, ended
 * by a zero. Linkers keep it when symbols are stripped. */

import { UlebReader } from "../leb128.ts";

/** What {@linkcode parseFunctionStarts} found. */
export interface FunctionStarts {
  /** Bytes from the start of `__TEXT`, rising. The lowest bit is set on Thumb functions. */
  readonly offsets: Float64Array;
  /** `false` when the list broke off in the middle of a number or ran past `limit`. */
  readonly complete: boolean;
}

/** Reads the list.
 *
 * @param bytes of the command's payload
 * @param limit offsets at and beyond it are no code of this image, and end the list
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
