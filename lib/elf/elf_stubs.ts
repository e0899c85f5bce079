/** The stubs of an ELF image's procedure linkage table, by the relocations that the dynamic linker makes for
 * them: the n-th entry belongs to the n-th relocation (the processors' supplements to the System V ABI). */

import type { RawText } from "../escape.ts";
import type { ElfImage } from "./elf_image.ts";
import { SECTION, textAt } from "./elf_file.ts";

/** Maximum size of a table that is read. */
const MAX_TABLE = 1 << 26;
/** Bytes of the first entry, which calls the linker, and of each further one, by `EM_*`. */
const shapes: Readonly<Record<number, readonly [first: number, entry: number]>> = {
  3: [16, 16],
  40: [20, 12],
  62: [16, 16],
  183: [32, 16],
};

/** The functions that stubs jump to, by the stubs' addresses in the target. */
export function elfStubs(image: ElfImage): ReadonlyMap<bigint, RawText> {
  const names = new Map<bigint, RawText>();
  const { elf, file, slide } = image;
  const shape = elf === null ? undefined : shapes[elf.machine];
  if (elf === null || file === null || shape === undefined) return names;
  const read = (index: number): Uint8Array => {
    const section = elf.sections[index];
    return section === undefined || section.size > MAX_TABLE || section.type === SECTION.NOBITS
      ? new Uint8Array()
      : file.read(section.fileOffset, section.size);
  };
  const named = (name: string) => elf.sections.findIndex((section) => section.name === name);
  const added = named(".rela.plt");
  const relocations = added >= 0 ? added : named(".rel.plt");
  const symbols = elf.sections[relocations]?.link ?? -1;
  const strings = read(elf.sections[symbols]?.link ?? -1);
  const wide = elf.pointerSize === 8;
  const size = (wide ? 16 : 8) + (added >= 0 ? elf.pointerSize : 0);
  const table = view(read(relocations));
  const symbolTable = view(read(symbols));
  const count = Math.floor(table.byteLength / size);
  // With control-flow enforcement the calls go to a second table, which has no first entry of its own.
  const second = elf.sections[named(".plt.sec")];
  const plt = second ?? elf.sections[named(".plt")];
  const start = second === undefined ? shape[0] : 0;
  if (plt === undefined || plt.size !== start + count * shape[1]) return names;
  for (let at = 0; at < count; at++) {
    const symbol = wide
      ? table.getUint32(at * size + 12, true)
      : table.getUint32(at * size + 4, true) >>> 8;
    const entry = symbol * (wide ? 24 : 16);
    if (symbol === 0 || entry + 4 > symbolTable.byteLength) continue;
    const name = textAt(strings, symbolTable.getUint32(entry, true));
    if (name !== "") names.set(plt.vmAddress + slide + BigInt(start + at * shape[1]), name);
  }
  return names;
}

function view({ buffer, byteOffset, length }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, length);
}
