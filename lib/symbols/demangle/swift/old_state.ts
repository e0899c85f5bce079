/** The state of demangling an old name. */

import { fail, type Node } from "./node.ts";
import { decodePunycode } from "./punycode.ts";
import { Reader } from "./reader.ts";
import { foreignModules, oldStandardTypes, operatorName } from "./tables.ts";

/** Maximum nesting of productions. */
const deepest = 384;

const operatorKinds: Readonly<Record<string, string>> = {
  p: "PrefixOperator",
  P: "PostfixOperator",
  i: "InfixOperator",
};

/** The name, and its substitutions. */
export class OldState extends Reader {
  /** The nodes that `S` and an index refer to. */
  readonly substitutions: Node[] = [];
  #depth = 0;

  /** Reads at one more level of nesting. */
  nested<T>(read: (s: OldState) => T): T {
    if (++this.#depth > deepest) fail();
    const value = read(this);
    this.#depth--;
    return value;
  }

  /** Adds the node to the substitutions. */
  substitutable(node: Node): Node {
    this.substitutions.push(node);
    return node;
  }

  /** Reads a list up to `_`. */
  until(read: (s: OldState) => Node): Node[] {
    const list: Node[] = [];
    while (!this.accept("_")) list.push(read(this));
    return list;
  }

  /** Reads an identifier; after `X` it is punycode, after `o` an operator.
   *
   * @param kind of the node; operators have their own kinds
   */
  identifier(kind?: string): Node {
    const punycode = this.accept("X");
    const operator = this.accept("o");
    if (operator) {
      if (kind !== undefined) fail();
      kind = operatorKinds[this.next()] ?? fail();
    }
    const length = this.natural();
    if (!length) fail();
    let text: string | null = this.take(length);
    if (punycode) text = decodePunycode(text);
    if (operator && text) text = operatorName(text);
    return this.leaf(kind ?? "Identifier", text || fail());
  }

  /** Reads a substitution after its `S`. */
  substitution(): Node {
    const letter = this.peek();
    if (letter === "") fail();
    if (letter in foreignModules) return this.leaf("Module", foreignModules[this.next()]);
    if (letter in oldStandardTypes) return this.standard(...oldStandardTypes[this.next()]);
    return this.substitutions[this.number()] ?? fail();
  }

  /** Reads a module. */
  module(): Node {
    if (this.accept("s")) return this.leaf("Module", "Swift");
    if (!this.accept("S")) return this.substitutable(this.identifier("Module"));
    const node = this.substitution();
    return node.kind === "Module" ? node : fail();
  }
}
