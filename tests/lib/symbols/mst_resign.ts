/** Checksums of symbol table files. */
import { xxh32 } from "../../../lib/symbols/mst/xxh32.ts";

const BLOCK = 16384;

/** Gives a damaged table the checksums that it would have if somebody had meant it. A file that is too
 * damaged to have any stays as it is.
 *
 * @param bytes of a file of so few blocks that one block has the checksums of all
 */
export function resignMst(bytes: Uint8Array): void {
  if (bytes.length < 256) return;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const size = view.getUint32(12, true);
  const start = view.getUint32(72, true);
  const data = bytes.subarray(Math.min(start, bytes.length));
  const blocks = Math.ceil(data.length / BLOCK);
  if (size < 204 || size + 4 * blocks > bytes.length) return;
  for (let block = 0; block < blocks; block++) {
    const sum = xxh32(data.subarray(block * BLOCK, (block + 1) * BLOCK), block);
    view.setUint32(size + 4 * block, sum, true);
  }
  view.setUint32(200, xxh32(bytes.subarray(size, size + 4 * blocks), 0), true);
  view.setUint32(size - 4, xxh32(bytes.subarray(0, size - 4)), true);
}
