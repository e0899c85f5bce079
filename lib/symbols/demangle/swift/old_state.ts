/** What demangling an old name works on. */

import { fail, type Node } from "./node.ts";
import { decodePunycode } from "./punycode.ts";
import { Reader } from "./reader.ts";
import { foreignModules, oldStandardTypes, operatorName } from "./tables.ts";

/** How deep productions can be in each other. */
const deepest = 384;

const operatorKinds: Readonly<Record<string, string>> = {
  p: "PrefixOperator",
  P: "PostfixOperator",
  i: "InfixOperator",
};

/** The name being read and what can be substituted. */
export class OldState extends Reader {
  /** What `S` and an index stand for. */
  readonly substitutions: Node[] = [];
  #depth = 0;

  /** Reads on one level deeper. */
  nested<T>(read: (s: OldState) => T): T {
    if (++this.#depth > deepest) fail();
    const value = read(this);
    this.#depth--;
    return value;
  }

  /** Makes the node one that can be substituted. */
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

  /** Reads an identifier; `X` before it means punycode, `o` an operator.
   *
   * @param kind of the node; operators have their own
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

  /** Reads what a substitution stands for, after its `S`. */
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
