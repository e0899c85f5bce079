/** Reads the characters of a mangled name and makes nodes, within limits. */

import { fail, type Node } from "./node.ts";

/** Limit per name, for nodes, their children and identifiers' characters together. */
const allowance = 1 << 19;

const decoder = new TextDecoder();

/** A position in a mangled name. Lengths in a name count UTF-8 bytes, so a name that is not ASCII
 * is kept as a string of its bytes. */
export class Reader {
  /** The next character's index. */
  pos = 0;
  readonly #text: string;
  readonly #bytes: boolean;
  #left = allowance;

  /** @param name without the Mach-O underscore */
  constructor(name: string) {
    // deno-lint-ignore no-control-regex
    this.#bytes = /[^\x00-\x7f]/.test(name);
    this.#text = this.#bytes
      ? Array.from(new TextEncoder().encode(name), (byte) => String.fromCharCode(byte)).join("")
      : name;
  }

  /** Whether the end is reached. */
  get ended(): boolean {
    return this.pos >= this.#text.length;
  }

  /** The next character, or `""`. */
  peek(): string {
    return this.#text.charAt(this.pos);
  }

  /** Takes the next character; `""` at the end. */
  next(): string {
    return this.#text.charAt(this.pos++);
  }

  /** Takes `expected` if it comes next. */
  accept(expected: string): boolean {
    if (!this.#text.startsWith(expected, this.pos)) return false;
    this.pos += expected.length;
    return true;
  }

  /** Takes `count` bytes, as text. */
  take(count: number): string {
    if (count > this.#text.length - this.pos) fail();
    this.spend(count);
    const slice = this.#text.slice(this.pos, this.pos += count);
    return this.#bytes
      ? decoder.decode(Uint8Array.from(slice, (character) => character.charCodeAt(0)))
      : slice;
  }

  /** Takes the rest, byte by byte. */
  rest(): string {
    const slice = this.#text.slice(this.pos);
    this.pos = this.#text.length;
    return slice;
  }

  /** Takes a decimal number, at most 2^31 - 1; `null` when none is next. */
  natural(): number | null {
    const start = this.pos;
    let value = 0;
    for (let digit; (digit = this.peek()) >= "0" && digit <= "9"; this.pos++) {
      value = Math.min(value * 10 + Number(digit), 0x7fff_ffff);
    }
    return this.pos === start ? null : value;
  }

  /** Takes an index: `_` is 0, `0_` is 1, and so on. */
  number(): number {
    if (this.accept("_")) return 0;
    const value = this.natural();
    return value !== null && this.accept("_") ? value + 1 : fail();
  }

  /** Fails when the name exceeds its limit. */
  spend(amount: number): void {
    if ((this.#left -= amount) < 0) fail();
  }

  /** A node with children, all of which must exist. */
  node(kind: string, ...children: (Node | null | undefined)[]): Node {
    this.spend(children.length + 1);
    for (const child of children) if (!child) fail();
    return { kind, text: null, index: null, children: children as Node[] };
  }

  /** A node with a list of children. */
  list(kind: string, children: Node[]): Node {
    this.spend(children.length + 1);
    return { kind, text: null, index: null, children };
  }

  /** A node with text or an index. */
  leaf(kind: string, value: string | number): Node {
    this.spend(1);
    return typeof value === "string"
      ? { kind, text: value, index: null, children: [] }
      : { kind, text: null, index: value, children: [] };
  }

  /** A type. */
  type(child: Node | null | undefined): Node {
    return this.node("Type", child);
  }

  /** The same node with another kind. */
  renamed(node: Node, kind: string): Node {
    this.spend(node.children.length + 1);
    return { ...node, kind, children: [...node.children] };
  }

  /** A declaration of the standard library. */
  standard(kind: string, name: string): Node {
    return this.node(kind, this.leaf("Module", "Swift"), this.leaf("Identifier", name));
  }

  /** A generic parameter, by the depth of its list and its place there. */
  parameter(depth: number, index: number): Node {
    return this.node(
      "DependentGenericParamType",
      this.leaf("Index", depth),
      this.leaf("Index", index),
    );
  }
}
