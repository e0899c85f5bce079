/** What dyld does to an image's pointers when it loads it, whichever way the linker wrote it down. */

import type { RawText } from "../escape.ts";
import type { Segment } from "./types.ts";

/** One pointer that dyld sets. */
export interface Fixup {
  /** `rebase`: the image's own address, moved by the slide. The others name a symbol of another
   * image: bound at load, bound to the first definition of all images, bound when first called. */
  readonly kind: "rebase" | "bind" | "weak-bind" | "lazy-bind";
  /** Of the pointer; `null` for a weak bind that only says that this image has a strong definition. */
  readonly segment: string | null;
  /** Of the pointer; `null` where it is in none. */
  readonly section: string | null;
  /** Of the pointer, as linked. */
  readonly address: bigint | null;
  /** `pointer`, `text-absolute`, `text-pcrel`, or that of chains, such as `ptr64-offset`. */
  readonly type: string;
  /** A rebase's target as linked, where the fixup says it; else `null`. */
  readonly target: bigint | null;
  /** Added to a bound symbol's address; `null` for rebases. */
  readonly addend: bigint | null;
  /** The dylib in which to look: from 1; 0 the image itself, -1 the main executable, -2 all images
   * (flat), -3 all images, weakly; `null` for rebases. */
  readonly ordinal: number | null;
  /** `null` for rebases. */
  readonly symbol: RawText | null;
  /** Whether the symbol may be missing. */
  readonly weakImport: boolean;
  /** How an arm64e pointer is signed; else `null`. */
  readonly auth: PointerAuth | null;
}

/** The signing of an arm64e pointer. */
export interface PointerAuth {
  /** Instruction or data, A or B. */
  readonly key: "IA" | "IB" | "DA" | "DB";
  /** Of 16 bits. */
  readonly diversity: number;
  /** Whether the pointer's own address is mixed in. */
  readonly addressDiversity: boolean;
}

/** Where in an image a fixup is. */
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

/** The name of the dylib that an ordinal means, as `dyld_info` prints it: a dylib's last component up
 * to the first dot, or `this-image`, `main-executable`, `flat-namespace`, `weak`.
 *
 * @param dylibs the image's, in the order of its load commands
 */
export function ordinalName(ordinal: number, dylibs: readonly { readonly name: string }[]): string {
  const special = ["this-image", "main-executable", "flat-namespace", "weak"][-ordinal];
  if (special !== undefined) return special;
  const path = dylibs[ordinal - 1]?.name;
  return path === undefined
    ? `dylib ${ordinal}`
    : path.slice(path.lastIndexOf("/") + 1).replace(/\..*$/, "");
}
