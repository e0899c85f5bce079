/** What demangling works on: a name is a sequence of operators, each of which takes nodes off a
 * stack and puts one on it. */

import { contexts, fail, need, type Node } from "./node.ts";
import { Reader } from "./reader.ts";

/** More nodes than a name can use at once. */
const deepest = 1 << 16;

/** The name being read, the stack, and what can be substituted. */
export class State extends Reader {
  /** Made and not yet used. */
  readonly stack: Node[] = [];
  /** What `A` and an index stand for. */
  readonly substitutions: Node[] = [];
  /** Words of identifiers, which later identifiers repeat by letter. */
  readonly words: string[] = [];

  /** @param oldLabels whether argument labels are part of the types (`_T0`) */
  constructor(name: string, readonly oldLabels: boolean) {
    super(name);
  }

  /** Puts a node on the stack. */
  push(node: Node): void {
    if (this.stack.length >= deepest) fail();
    this.spend(1);
    this.stack.push(node);
  }

  /** Takes the top of the stack, if it is of `kind` or of one of these kinds. */
  pop(kind?: string | ReadonlySet<string>): Node | null {
    const top = this.stack.at(-1);
    if (
      top === undefined ||
      (typeof kind === "string" ? top.kind !== kind : kind !== undefined && !kind.has(top.kind))
    ) return null;
    this.stack.pop();
    return top;
  }

  /** Makes the node one that can be substituted. */
  substitutable(node: Node): Node {
    this.substitutions.push(node);
    return node;
  }

  /** Takes the child of a type. */
  popTypeChild(): Node {
    const type = need(this.pop("Type"));
    return type.children.length === 1 ? type.children[0] : fail();
  }

  /** Takes an entity: something that others can be in, or a type. */
  popEntity(): Node | null {
    return this.pop("Type") ?? this.pop(contexts);
  }

  /** Takes a module. */
  popModule(): Node | null {
    const name = this.pop("Identifier");
    return name ? this.renamed(name, "Module") : this.pop("Module");
  }

  /** Takes what something is in. */
  popContext(): Node | null {
    const module = this.popModule();
    if (module) return module;
    const type = this.pop("Type");
    if (!type) return this.pop(contexts);
    return type.children.length === 1 && contexts.has(type.children[0].kind)
      ? type.children[0]
      : fail();
  }

  /** Takes a list, whose first element has a mark below it; a list without elements is a mark of
   * its own. */
  popList(element: () => Node | null): Node[] {
    if (this.pop("EmptyList")) return [];
    const list: Node[] = [];
    let first;
    do {
      first = this.pop("FirstElementMarker");
      list.push(need(element()));
    } while (!first);
    return list.reverse();
  }

  /** Takes types that are next to each other. */
  popTypes(): Node[] {
    const list: Node[] = [];
    for (let type; (type = this.pop("Type"));) list.push(type);
    return list.reverse();
  }

  /** Takes a list of types. */
  popTypeList(): Node {
    return this.list("TypeList", this.popList(() => this.pop("Type")));
  }

  /** Takes a generic signature, where there is one. */
  popSignature(): Node | null {
    return this.pop("DependentGenericSignature");
  }

  /** `type` under `signature`, where there is one. */
  generic(signature: Node | null, type: Node | null): Node | null {
    return signature ? this.type(this.node("DependentGenericType", signature, type)) : type;
  }

  /** Reads an index into a node. */
  numberNode(): Node {
    return this.leaf("Number", this.number());
  }
}
