/** The functions that stubs jump to, from the image's file where it exists. */
import type { RawText } from "../../lib/escape.ts";
import { ElfImage } from "../../lib/elf/mod.ts";
import { elfStubs } from "../../lib/elf/elf_stubs.ts";
import { type LoadedImage, openImage } from "../../mod.ts";

/** Names by address, read once per image. */
const known = new WeakMap<LoadedImage, ReadonlyMap<bigint, RawText>>();

function read(image: LoadedImage): ReadonlyMap<bigint, RawText> {
  if (image instanceof ElfImage) return elfStubs(image);
  const names = new Map<bigint, RawText>();
  try {
    using file = openImage(image.path);
    const slice = file.images.find((slice) =>
      image.uuid !== null && slice.image.uuid === image.uuid
    );
    for (const { address, symbol } of slice?.indirectSymbols() ?? []) {
      if (symbol !== null) names.set(address + image.slide, symbol.replace(/^_/, "") as RawText);
    }
  } catch {
    // Without the file, no names.
  }
  return names;
}

/** The symbol of a stub or a symbol pointer; `undefined` where that is not known. */
export function stubTarget(image: LoadedImage, address: bigint): RawText | undefined {
  let names = known.get(image);
  if (names === undefined) known.set(image, names = read(image));
  return names.get(address);
}
