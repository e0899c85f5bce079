/** Expressions as trees, with C's precedence. */
import type { Type } from "../model.ts";
import { arrayOf, pointerTo, referenceTo } from "../declarators.ts";
import { builtIn, isFixed, typeWords } from "./c_types.ts";
import { ExpressionError, type Token, tokenize } from "./tokens.ts";

/** Maximum nesting of the parts of an expression. */
const MAX_DEPTH = 64;
/** Maximum number of elements of an array that a type names. */
const MAX_ELEMENTS = 1 << 20;

/** A part of an expression, and where it is in the text. */
export type Node =
  & (
    | {
      readonly kind: "number" | "character" | "string" | "name" | "register";
      readonly text: string;
    }
    | { readonly kind: "boolean"; readonly value: boolean }
    | { readonly kind: "null" }
    | { readonly kind: "prefix"; readonly operator: string; readonly of: Node }
    | {
      readonly kind: "binary";
      readonly operator: string;
      readonly left: Node;
      readonly right: Node;
    }
    | {
      readonly kind: "conditional";
      readonly condition: Node;
      readonly yes: Node;
      readonly no: Node;
    }
    | {
      readonly kind: "member";
      readonly of: Node;
      readonly operator: string;
      readonly name: string;
    }
    | {
      readonly kind: "element";
      readonly of: Node;
      readonly index: Node;
      /** The numbers of `x[2-5]`, which are bits where `x` is a number. */
      readonly bits: readonly [Node, Node] | null;
    }
    | {
      readonly kind: "cast";
      readonly type: Type;
      readonly of: Node;
      /** Whether a pointer stays as it is: `reinterpret_cast`. */
      readonly isOfBits?: boolean;
    }
    | { readonly kind: "type-size"; readonly type: Type }
    | { readonly kind: "size"; readonly of: Node }
  )
  & { readonly at: number };

/** What a parser has to know of the program: which names are types. */
export interface TypeNames {
  readonly pointerSize: 4 | 8;
  /** The type with a name; `null` where there is none, or a variable has it.
   *
   * @param isTagged whether `struct` or the like is before it, so that it can be nothing else
   */
  typeNamed(name: string, isTagged: boolean): Type | null;
}

/** The precedence of the binary operators, from `||` up. */
const precedence: Readonly<Record<string, number>> = Object.assign(Object.create(null), {
  ...{ "||": 1, "&&": 2, "|": 3, "^": 4, "&": 5, "==": 6, "!=": 6 },
  ...{ "<": 7, ">": 7, "<=": 7, ">=": 7, "<<": 8, ">>": 8 },
  // As in gdb, below arithmetic.
  "@": 9,
  ...{ "+": 10, "-": 10, "*": 11, "/": 11, "%": 11 },
});

const writing = new Set([
  ...["=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "++", "--"],
]);

/** The tree of an expression.
 *
 * @throws ExpressionError when it is none, or would call or write something
 */
export function parseExpression(text: string, names: TypeNames): Node {
  return new Parser(text, names).parse();
}

class Parser {
  readonly #tokens: readonly Token[];
  readonly #names: TypeNames;
  #next = 0;
  #depth = 0;

  constructor(text: string, names: TypeNames) {
    this.#tokens = tokenize(text);
    this.#names = names;
  }

  parse(): Node {
    const node = this.#expression();
    const { kind, text } = this.#peek();
    if (kind !== "end") {
      if (writing.has(text)) this.#refuseWriting();
      this.#fail(`${text} is not expected here`);
    }
    return node;
  }

  #peek(ahead = 0): Token {
    return this.#tokens[Math.min(this.#next + ahead, this.#tokens.length - 1)];
  }

  #take(): Token {
    const token = this.#peek();
    this.#next++;
    return token;
  }

  #is(text: string): boolean {
    const token = this.#peek();
    return token.text === text && token.kind !== "character" && token.kind !== "string" &&
      token.kind !== "end";
  }

  #accept(text: string): boolean {
    if (!this.#is(text)) return false;
    this.#next++;
    return true;
  }

  #expect(text: string): void {
    if (this.#accept(text)) return;
    const { text: found } = this.#peek();
    this.#fail(
      found === "" ? `${text} is missing at the end` : `${text} is expected before ${found}`,
    );
  }

  #fail(message: string, at: number = this.#peek().at): never {
    throw new ExpressionError(message, at);
  }

  #refuseWriting(): never {
    return this.#fail("an expression writes nothing: `variable write` does");
  }

  #refuseCall(what: string, at: number): never {
    return this.#fail(`${what} would call a function: nothing is called in the target`, at);
  }

  #nested<T>(parse: () => T): T {
    if (++this.#depth > MAX_DEPTH) this.#fail(`it is nested more than ${MAX_DEPTH} levels`);
    try {
      return parse();
    } finally {
      this.#depth--;
    }
  }

  #expression(): Node {
    return this.#nested(() => {
      const condition = this.#binary(1);
      const { at } = this.#peek();
      if (!this.#accept("?")) return condition;
      const yes = this.#expression();
      this.#expect(":");
      return { kind: "conditional", condition, yes, no: this.#expression(), at };
    });
  }

  #binary(least: number): Node {
    let left = this.#unary();
    for (;;) {
      const { text: operator, kind, at } = this.#peek();
      const level = kind === "operator" ? precedence[operator] : undefined;
      if (level === undefined || level < least) return left;
      this.#next++;
      const right = this.#nested(() => this.#binary(level + 1));
      left = { kind: "binary", operator, left, right, at };
    }
  }

  #unary(): Node {
    return this.#nested(() => {
      const { text, kind, at } = this.#peek();
      if (kind === "operator") {
        if (writing.has(text)) this.#refuseWriting();
        if (["*", "&", "-", "+", "!", "~"].includes(text)) {
          this.#next++;
          return { kind: "prefix", operator: text, of: this.#unary(), at };
        }
        if (text === "&&") this.#fail("there is no address of an address");
        if (text === "(") {
          const type = this.#castType();
          if (type !== null) return { kind: "cast", type, of: this.#unary(), at };
        }
      }
      if (kind === "name" && text === "sizeof") {
        this.#next++;
        const type = this.#is("(") ? this.#castType() : null;
        return type !== null
          ? { kind: "type-size", type, at }
          : { kind: "size", of: this.#unary(), at };
      }
      return this.#postfix(this.#primary());
    });
  }

  #postfix(start: Node): Node {
    let node = start;
    for (;;) {
      const { text, kind, at } = this.#peek();
      // Elements of tuples, `pair.0`, are read as the fraction of a number.
      if (kind === "number" && /^(?:\.\d+)+$/.test(text)) {
        this.#next++;
        for (const name of text.slice(1).split(".")) {
          node = { kind: "member", of: node, operator: ".", name, at };
        }
        continue;
      }
      if (kind !== "operator") return node;
      if (text === "." || text === "->") {
        this.#next++;
        const name = this.#memberName();
        if (this.#is("(")) this.#refuseCall(`${name}(…)`, at);
        node = { kind: "member", of: node, operator: text, name, at };
      } else if (text === "[") {
        this.#next++;
        const bits = this.#bitRange();
        const index = this.#expression();
        this.#expect("]");
        node = { kind: "element", of: node, index, bits, at };
      } else if (text === "(") {
        this.#refuseCall("this", at);
      } else if (text === "++" || text === "--") {
        this.#refuseWriting();
      } else {
        return node;
      }
    }
  }

  /** The numbers of `2-5]`, where that is all that follows. */
  #bitRange(): readonly [Node, Node] | null {
    const [first, operator, last, end] = [0, 1, 2, 3].map((ahead) => this.#peek(ahead));
    const isRange = first.kind === "number" && operator.kind === "operator" &&
      operator.text === "-" && last.kind === "number" && end.text === "]";
    if (!isRange) return null;
    return [
      { kind: "number", text: first.text, at: first.at },
      { kind: "number", text: last.text, at: last.at },
    ];
  }

  /** A member's name; a base's may be qualified. */
  #memberName(): string {
    const { kind, text, at } = this.#take();
    // Elements of tuples and Rust's tuples: `pair.0`.
    if (kind !== "name" && !(kind === "number" && /^\d+$/.test(text))) {
      this.#fail("a member's name is expected", at);
    }
    return this.#qualified(text);
  }

  /** A name with those after `::`. */
  #qualified(first: string): string {
    let name = first;
    while (this.#is("::") && this.#peek(1).kind === "name") {
      name += `::${(this.#next++, this.#take().text)}`;
    }
    return name;
  }

  #primary(): Node {
    const { kind, text, at } = this.#take();
    switch (kind) {
      case "number":
      case "character":
      case "string":
        return { kind, text, at };
      case "register":
        return { kind, text: text.slice(1), at };
      case "name":
        return this.#named(text, at);
      case "end":
        return this.#fail(
          at === 0 ? "an expression is expected" : "the expression ends too early",
          at,
        );
    }
    if (text === "(") {
      const node = this.#expression();
      if (this.#is(",")) this.#fail("the comma operator is not known");
      this.#expect(")");
      return node;
    }
    if (text === "::" && this.#peek().kind === "name") {
      return this.#named(`::${this.#take().text}`, at);
    }
    return this.#fail(`${text} is not expected here`, at);
  }

  #named(first: string, at: number): Node {
    switch (first) {
      case "true":
      case "YES":
        return { kind: "boolean", value: true, at };
      case "false":
      case "NO":
        return { kind: "boolean", value: false, at };
      case "nullptr":
      case "NULL":
      case "nil":
        return { kind: "null", at };
      case "static_cast":
      case "reinterpret_cast":
      case "const_cast":
        return this.#namedCast(at, first !== "static_cast");
      case "dynamic_cast":
        return this.#fail("a dynamic cast would call the program's runtime", at);
    }
    const name = this.#qualified(first);
    if (this.#is("(")) {
      const type = builtIn([name], this.#names.pointerSize);
      if (type === null || !(typeWords.has(name) || isFixed(name))) {
        this.#refuseCall(`${name}(…)`, at);
      }
      this.#next++;
      const of = this.#expression();
      this.#expect(")");
      return { kind: "cast", type, of, at };
    }
    return { kind: "name", text: name, at };
  }

  #namedCast(at: number, isOfBits: boolean): Node {
    this.#expect("<");
    const type = this.#type() ?? this.#fail("a type is expected");
    this.#expect(">");
    this.#expect("(");
    const of = this.#expression();
    this.#expect(")");
    return { kind: "cast", type, of, at, isOfBits };
  }

  /** The type of `(type)`; `null` where the parenthesis holds something else. */
  #castType(): Type | null {
    const start = this.#next;
    this.#next++;
    const type = this.#type();
    if (type !== null && this.#accept(")")) return type;
    this.#next = start;
    return null;
  }

  /** A type; `null` where none is written. */
  #type(): Type | null {
    const { kind, text, at } = this.#peek();
    if (kind !== "name") return null;
    const { pointerSize } = this.#names;
    const words: string[] = [];
    let isTagged = false;
    while (this.#peek().kind === "name" && typeWords.has(this.#peek().text)) {
      const word = this.#take().text;
      if (["struct", "class", "union", "enum"].includes(word)) isTagged = true;
      else if (word !== "const" && word !== "volatile") words.push(word);
    }
    let type: Type | null;
    if (words.length > 0) {
      type = builtIn(words, pointerSize) ?? this.#fail("no such type", at);
    } else if (isFixed(this.#peek().text)) {
      type = builtIn([this.#take().text], pointerSize);
    } else {
      type = this.#userType(isTagged);
    }
    if (type === null) {
      if (isTagged) this.#fail(`no type ${text} is known`, at);
      return null;
    }
    for (;;) {
      if (this.#accept("*")) type = pointerTo(type, pointerSize);
      else if (this.#accept("&") || this.#accept("&&")) type = referenceTo(type, pointerSize);
      else if (this.#is("const") || this.#is("volatile")) this.#next++;
      else if (this.#is("(") && this.#peek(1).text === "*") return this.#pointerTo(type);
      else return this.#arrays(type);
    }
  }

  /** The type of `int (*)[3]`, after the first type. */
  #pointerTo(type: Type): Type {
    const { pointerSize } = this.#names;
    const start = this.#next++;
    let count = 0;
    while (this.#accept("*")) count++;
    if (!this.#accept(")") || !this.#is("[")) {
      this.#next = start;
      return type;
    }
    let pointer = this.#arrays(type);
    for (; count > 0; count--) pointer = pointerTo(pointer, pointerSize);
    return pointer;
  }

  /** The type of the arrays that are written behind one: `int[2][3]`. */
  #arrays(type: Type): Type {
    if (!this.#is("[") || this.#peek(1).kind !== "number" || this.#peek(2).text !== "]") {
      return type;
    }
    const [, { text, at }] = [this.#take(), this.#take(), this.#take()];
    const count = Number(text);
    if (!(count >= 0 && count <= MAX_ELEMENTS)) this.#fail(`${text} is no length`, at);
    return arrayOf(this.#nested(() => this.#arrays(type)), count);
  }

  /** A type of the program: a name that is no variable's, with its template's arguments. */
  #userType(isTagged: boolean): Type | null {
    if (this.#peek().kind !== "name") return null;
    const start = this.#next;
    let name = this.#take().text;
    for (;;) {
      if (this.#is("::") && this.#peek(1).kind === "name") {
        this.#next++;
        name += `::${this.#take().text}`;
      } else if (this.#is("<")) {
        const inner = this.#templateArguments();
        if (inner === null) break;
        name += inner;
      } else {
        break;
      }
    }
    // What follows tells a cast from a variable in parentheses.
    const mayBeType = isTagged || [")", "*", "&", "const", ">", "["].some((sign) => this.#is(sign));
    const type = mayBeType ? this.#names.typeNamed(name, isTagged) : null;
    if (type === null) this.#next = start;
    return type;
  }

  /** `<int, std::pair<a, b> >` as the compiler writes it; `null` where `<` compares. */
  #templateArguments(): string | null {
    const start = this.#next;
    let depth = 0;
    let text = "";
    for (; this.#peek().kind !== "end"; this.#next++) {
      const { text: part, kind } = this.#peek();
      const previous = text.at(-1) ?? "";
      if (part === "<") depth++;
      if (part === ">") depth--;
      if (part === ">>") depth -= 2;
      if (!/^[\w:<>,*&]+$/.test(part) || depth < 0) break;
      if (part === ",") text += ", ";
      else if (part.startsWith(">")) {
        text += (previous === ">" ? " " : "") + (part === ">>" ? "> >" : ">");
      } else {text += (/\w/.test(previous) && kind === "name") || (part === "*" && previous !== "*")
          ? ` ${part}`
          : part;}
      if (depth === 0) {
        this.#next++;
        return text;
      }
    }
    this.#next = start;
    return null;
  }
}
