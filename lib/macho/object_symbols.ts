/** The symbols of an object file (`MH_OBJECT`), by name. */

import type { ByteSource } from "./bytes.ts";
import { LC, NLIST } from "./constants.ts";
import { Image } from "./image.ts";
import { cString } from "./strings.ts";
import { nlistSize } from "./symtab.ts";

/** The offsets of an object file's symbols in it, by name with underscore. If several
 * symbols have one name, the first that is in a section counts.
 *
 * @throws FormatError when the file is not a Mach-O file
 */
export function objectAddresses(bytes: ByteSource): Map<string, number> {
  const addresses = new Map<string, number>();
  const { loadCommands, pointerSize } = Image.fromSource(bytes);
  const symtab = loadCommands.find(({ command }) => command === LC.SYMTAB);
  if (symtab === undefined || symtab.size < 24) return addresses;
  const [symbolsOffset, count, stringsOffset, stringsSize] = words(bytes.read(symtab.offset, 24))
    .subarray(2);
  const size = nlistSize(pointerSize);
  const room = Math.max(0, Math.min(count, Math.floor((bytes.size - symbolsOffset) / size)));
  const table = words(bytes.read(symbolsOffset, room * size));
  const strings = bytes.read(
    stringsOffset,
    Math.max(0, Math.min(stringsSize, bytes.size - stringsOffset)),
  );
  const stride = size / 4;
  for (let at = 0; at + stride <= table.length; at += stride) {
    const fields = table[at + 1];
    if ((fields & NLIST.N_STAB) !== 0 || (fields & 0xff00) === 0) continue;
    const start = table[at];
    if (start >= strings.length) continue;
    const name = cString(strings.subarray(start));
    const high = pointerSize === 8 ? table[at + 3] : 0;
    if (!addresses.has(name)) addresses.set(name, table[at + 2] + high * 2 ** 32);
  }
  return addresses;
}

/** Both the file and every supported host are little-endian; only the alignment may differ. */
function words(bytes: Uint8Array): Uint32Array {
  const aligned = bytes.byteOffset % 4 === 0 ? bytes : bytes.slice();
  return new Uint32Array(aligned.buffer, aligned.byteOffset, aligned.length >>> 2);
}
