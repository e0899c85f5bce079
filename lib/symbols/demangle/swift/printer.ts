/** The text of a tree. The text of each kind of node is in the tables of phrases.ts and in
 * printers.ts; this file holds the output. */

import type { DemangleStyle } from "../demangle.ts";
import { fail, need, type Node } from "./node.ts";
import { alone, aloneInFull, around, before, beforeAll, lists, patterns } from "./phrases.ts";
import { printers } from "./printers.ts";

/** Maximum depth of printed nodes. Deeper ones are printed as too complex. */
const deepest = 512;

/** Maximum number of printed nodes: substitutions can turn few nodes into many. */
const most = 1 << 16;

/** Maximum length of a text. */
const longest = 1 << 18;

/** The output of a name. */
export class Printer {
  /** The text so far. */
  text = "";
  /** Whether `specialized` was printed, which happens once. */
  saidSpecialized = false;
  /** Whether generic signatures include their requirements. */
  withRequirements: boolean;
  #left = most;

  /** @param simplified whether to print for a frame in a debugger: without modules, types, and
   * labels of thunks
   * @param nesting number of names that this name is part of; such parts are printed without `?`
   * and `[]`, as by Swift */
  constructor(readonly simplified: boolean, readonly nesting: number) {
    this.withRequirements = !simplified;
  }

  /** Appends text. */
  say(...parts: (string | number)[]): void {
    for (const part of parts) this.text += part;
    if (this.text.length > longest) fail();
  }

  /** Prints a node.
   *
   * @param asContext whether the node is the context of what comes next; its own context may then
   * be left for later, and is returned */
  print(node: Node | undefined, depth: number, asContext = false): Node | null {
    if (node === undefined || --this.#left < 0) fail();
    if (depth > deepest) {
      this.say("<<too complex>>");
      return null;
    }
    const { kind } = node;
    const printer = printers[kind];
    if (printer !== undefined) return printer(this, node, depth, asContext) ?? null;
    this.#phrase(node, kind, depth);
    return null;
  }

  #phrase(node: Node, kind: string, depth: number): void {
    if (kind in before) {
      this.say(before[kind]);
      this.print(node.children[0], depth + 1);
    } else if (kind in around) {
      const own = `${need(node.text ?? node.index)}`;
      const pattern = around[kind];
      const at = pattern.lastIndexOf("#");
      this.say(pattern.slice(0, at), own, pattern.slice(at + 1));
    } else if (kind in patterns) {
      for (const part of patterns[kind].split(/(\d)/)) {
        if (/^\d$/.test(part)) this.print(node.children[Number(part)], depth + 1);
        else this.say(part);
      }
    } else if (kind in lists) {
      const [start, between, end] = lists[kind];
      this.say(start);
      this.children(node, depth, between);
      this.say(end);
    } else if (kind in beforeAll) {
      this.say(beforeAll[kind]);
      this.children(node, depth);
    } else if (kind in alone) {
      this.say(alone[kind]);
    } else if (kind in aloneInFull) {
      if (!this.simplified) this.say(aloneInFull[kind]);
    } else {
      fail();
    }
  }

  /** Prints children, with text between them. */
  children({ children }: Node, depth: number, between = ""): void {
    for (const [index, child] of children.entries()) {
      if (index > 0) this.say(between);
      this.print(child, depth + 1);
    }
  }
}

/** The text of a tree.
 *
 * @throws `damaged` when it is not the tree of a name
 */
export function printTree(tree: Node, style: DemangleStyle, nesting: number): string {
  const printer = new Printer(style === "simplified", nesting);
  printer.print(tree, 0);
  return printer.text;
}
