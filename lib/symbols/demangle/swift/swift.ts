/** Swift names, in all of Swift's manglings. */

import type { DemangleStyle } from "../demangle.ts";
import { demangleTree } from "./demangle.ts";
import type { Node } from "./node.ts";
import { demangleOldTree } from "./old.ts";
import { printTree } from "./printer.ts";

/** `_T0`: Swift 4; `$S`: 4.2; `$s`: since 5; `$e`: embedded; the last: files of expanded macros. */
const prefix = /^(?:_T0|_?\$[sSe]|@__swiftmacro_)/;

/** The tree of a name. Throws for a damaged one. */
function treeOf(name: string): Node | null {
  if (/^_Tt/.test(name)) return demangleOldTree(name);
  const [start] = prefix.exec(name) ?? [""];
  if (start !== "") return demangleTree(name.slice(start.length), start === "_T0");
  return name.startsWith("_T") ? demangleOldTree(name) : null;
}

/** The text of a Swift name; `null` for other names and for damaged ones.
 *
 * @param name without Mach-O's underscore
 * @param nesting number of names that this one is part of
 */
export function demangleSwift(name: string, style: DemangleStyle, nesting = 0): string | null {
  try {
    const tree = treeOf(name);
    return tree === null ? null : printTree(tree, style, nesting) || null;
  } catch {
    // A damaged name can also give a tree that lacks nodes the printer needs.
    return null;
  }
}
