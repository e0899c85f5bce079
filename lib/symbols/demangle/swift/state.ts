/** The state of demangling. A name is a sequence of operators, each of which pops nodes off a stack
 * and pushes one. */

import { contexts, fail, need, type Node } from "./node.ts";
import { Reader } from "./reader.ts";

/** Maximum size of the stack. */
const deepest = 1 << 16;

/** What a reference to something in the image stands for; `null` where that is not known. The kind is the
 * control character that begins it (docs/ABI/Mangling.rst, "Symbolic references"). */
export type SymbolicResolver = (kind: number, address: bigint) => Node | null;

/** Digits of the address in a reference. */
export const symbolicDigits = 16;

/** The name, the stack, and the substitutions. */
export class State extends Reader {
  /** Nodes that are not yet part of another. */
  readonly stack: Node[] = [];
  /** The nodes that `A` and an index refer to. */
  readonly substitutions: Node[] = [];
  /** Words of identifiers, to which later identifiers refer by letter. */
  readonly words: string[] = [];

  /** @param oldLabels whether argument labels are part of types (`_T0`)
   * @param resolve gives what references in names of reflection metadata stand for */
  constructor(
    name: string,
    readonly oldLabels: boolean,
    readonly resolve: SymbolicResolver | null = null,
  ) {
    super(name);
  }

  /** Pushes a node. */
  push(node: Node): void {
    if (this.stack.length >= deepest) fail();
    this.spend(1);
    this.stack.push(node);
  }

  /** Pops a node, if it is of `kind`, or of one of these kinds. */
  pop(kind?: string | ReadonlySet<string>): Node | null {
    const top = this.stack.at(-1);
    if (
      top === undefined ||
      (typeof kind === "string" ? top.kind !== kind : kind !== undefined && !kind.has(top.kind))
    ) return null;
    this.stack.pop();
    return top;
  }

  /** Adds the node to the substitutions. */
  substitutable(node: Node): Node {
    this.substitutions.push(node);
    return node;
  }

  /** Pops a type, and returns its child. */
  popTypeChild(): Node {
    const type = need(this.pop("Type"));
    return type.children.length === 1 ? type.children[0] : fail();
  }

  /** Pops an entity: a context, or a type. */
  popEntity(): Node | null {
    return this.pop("Type") ?? this.pop(contexts);
  }

  /** Pops a module. */
  popModule(): Node | null {
    const name = this.pop("Identifier");
    return name ? this.renamed(name, "Module") : this.pop("Module");
  }

  /** Pops a context. */
  popContext(): Node | null {
    const module = this.popModule();
    if (module) return module;
    const type = this.pop("Type");
    if (!type) return this.pop(contexts);
    return type.children.length === 1 && contexts.has(type.children[0].kind)
      ? type.children[0]
      : fail();
  }

  /** Pops a list. A mark is below the first element of a list; an empty list is a mark of its own.
   */
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

  /** Pops consecutive types. */
  popTypes(): Node[] {
    const list: Node[] = [];
    for (let type; (type = this.pop("Type"));) list.push(type);
    return list.reverse();
  }

  /** Pops a list of types. */
  popTypeList(): Node {
    return this.list("TypeList", this.popList(() => this.pop("Type")));
  }

  /** Pops a generic signature, if there is one. */
  popSignature(): Node | null {
    return this.pop("DependentGenericSignature");
  }

  /** `type` under `signature`, if there is one. */
  generic(signature: Node | null, type: Node | null): Node | null {
    return signature ? this.type(this.node("DependentGenericType", signature, type)) : type;
  }

  /** Reads an index into a node. */
  numberNode(): Node {
    return this.leaf("Number", this.number());
  }
}
