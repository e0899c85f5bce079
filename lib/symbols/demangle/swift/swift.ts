/** Swift names, in all of Swift's manglings. */

import type { DemangleStyle } from "../demangle.ts";
import { demangleTree } from "./demangle.ts";
import type { Node } from "./node.ts";
import { demangleOldTree } from "./old.ts";
import { printTree } from "./printer.ts";
import { mangledDeclaration } from "./remangle.ts";
import type { SymbolicResolver } from "./state.ts";

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

/** The tree of a type: of a name with `$s`, or of one in reflection metadata, which has no prefix, and in which
 * references are a control character and 16 hexadecimal digits of an address. `null` for a damaged name.
 *
 * @param name without Mach-O's underscore
 */
export function swiftTypeTree(name: string, resolve: SymbolicResolver | null = null): Node | null {
  try {
    const [start] = prefix.exec(name) ?? [""];
    const tree = demangleTree(name.slice(start.length), start === "_T0", resolve);
    const [top] = tree.children;
    if (tree.children.length !== 1 || top.kind === "Suffix") return null;
    return top.kind === "TypeMangling" ? top.children.at(-1) ?? null : top;
  } catch {
    return null;
  }
}

/** The name of a type as LLDB shows it: without the standard library's module and what is private. */
export function swiftTypeName(tree: Node): string | null {
  try {
    return printTree(tree, "full", 0)
      .replaceAll(/(?<![\w.])Swift\./g, "")
      .replaceAll(/\(([^\s()]+) in [^\s()]+\)/g, "$1");
  } catch {
    return null;
  }
}

/** The mangled name of a declaration, without arguments of generics; `null` where it has none. */
export function swiftDeclarationName(tree: Node): string | null {
  try {
    return `$s${mangledDeclaration(tree)}`;
  } catch {
    return null;
  }
}
