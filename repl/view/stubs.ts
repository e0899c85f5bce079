/** The functions that stubs jump to, by the image's file where that is here. */
import { type LoadedImage, openImage } from "../../mod.ts";

/** Names by address; of each image once. */
const known = new WeakMap<LoadedImage, ReadonlyMap<bigint, string>>();

function read(image: LoadedImage): ReadonlyMap<bigint, string> {
  const names = new Map<bigint, string>();
  try {
    using file = openImage(image.path);
    const slice = file.images.find((slice) =>
      image.uuid !== null && slice.image.uuid === image.uuid
    );
    for (const { address, symbol } of slice?.indirectSymbols() ?? []) {
      if (symbol !== null) names.set(address + image.slide, symbol.replace(/^_/, ""));
    }
  } catch {
    // Without the file there are no names.
  }
  return names;
}

/** The symbol that a stub or a symbol pointer is for; `undefined` where that is not known. Not safe to
 * print raw. */
export function stubTarget(image: LoadedImage, address: bigint): string | undefined {
  let names = known.get(image);
  if (names === undefined) known.set(image, names = read(image));
  return names.get(address);
}
