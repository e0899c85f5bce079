/** The changes that dyld makes to an image's pointers when it loads it, in either encoding. */

import type { RawText } from "../escape.ts";
import type { Segment } from "./types.ts";

/** A pointer that dyld sets. */
export interface Fixup {
  /** `rebase`: an address in the image itself, moved by the slide. The others name a symbol of
   * another image. `bind` is done at load, `weak-bind` takes the first definition of all images,
   * `lazy-bind` is done at the first call. */
  readonly kind: "rebase" | "bind" | "weak-bind" | "lazy-bind";
  /** The pointer's segment; `null` for a weak bind that only declares a strong definition in this image.
   */
  readonly segment: RawText | null;
  /** The pointer's section; `null` for none. */
  readonly section: RawText | null;
  /** The pointer's address, as linked. */
  readonly address: bigint | null;
  /** `pointer`, `text-absolute`, `text-pcrel`, or a format of chains, such as `ptr64-offset`. */
  readonly type: string;
  /** The target of a rebase, as linked, where the fixup contains it; otherwise `null`. */
  readonly target: bigint | null;
  /** Added to a bound symbol's address; `null` for rebases. */
  readonly addend: bigint | null;
  /** The dylib to search: from 1; 0 the image itself, -1 the main executable, -2 all images (flat),
   * -3 all images, weakly; `null` for rebases. */
  readonly ordinal: number | null;
  /** `null` for rebases. */
  readonly symbol: RawText | null;
  /** Whether the symbol may be missing. */
  readonly weakImport: boolean;
  /** The signing of an arm64e pointer; otherwise `null`. */
  readonly auth: PointerAuth | null;
}

/** The signing of an arm64e pointer. */
export interface PointerAuth {
  /** Instruction or data, A or B. */
  readonly key: "IA" | "IB" | "DA" | "DB";
  /** 16 bits. */
  readonly diversity: number;
  /** Whether the pointer's own address is part of the signature. */
  readonly addressDiversity: boolean;
}

/** The segment and section of a fixup. */
export function placeOf(
  segments: readonly Segment[],
  segment: Segment | undefined,
  address: bigint,
): { segment: string | null; section: string | null } {
  const holder = segment ??
    segments.find((each) =>
      address >= each.vmAddress && address < each.vmAddress + BigInt(each.size)
    );
  const section = holder?.sections.find(({ vmAddress, size }) =>
    address >= vmAddress && address < vmAddress + BigInt(size)
  );
  return { segment: holder?.name ?? null, section: section?.name ?? null };
}

/** The name of a dylib ordinal, as `dyld_info` prints it: the dylib's last path component up to the
 * first dot, or `this-image`, `main-executable`, `flat-namespace`, `weak`.
 *
 * @param dylibs of the image, in the order of its load commands
 */
export function ordinalName(ordinal: number, dylibs: readonly { readonly name: string }[]): string {
  const special = ["this-image", "main-executable", "flat-namespace", "weak"][-ordinal];
  if (special !== undefined) return special;
  const path = dylibs[ordinal - 1]?.name;
  return path === undefined
    ? `dylib ${ordinal}`
    : path.slice(path.lastIndexOf("/") + 1).replace(/\..*$/, "");
}
