/** The layout of values in memory: scalars by name, and structs as C declares them. */
import { UserError } from "../errors.ts";

/** A type. */
export interface Layout {
  /** Its name for people. */
  readonly name: string;
  /** Size in bytes; 0 for `cstring`, which has none. */
  readonly size: number;
  readonly alignment: number;
  readonly kind:
    | "unsigned"
    | "signed"
    | "float"
    | "pointer"
    | "char"
    | "cstring"
    | "array"
    | "struct";
  /** An array's elements. */
  readonly element?: Layout;
  /** Number of an array's elements. */
  readonly count?: number;
  /** A struct's fields. */
  readonly fields?: readonly Field[];
}

/** A part of a struct. */
export interface Field {
  readonly name: string;
  /** Bytes from the struct's start. */
  readonly offset: number;
  readonly layout: Layout;
}

/** Maximum size of a type, in bytes. */
const maxSize = 1 << 20;

function scalar(name: string, kind: Layout["kind"], size: number): Layout {
  return { name, kind, size, alignment: Math.max(1, size) };
}

/** C's names, in Apple's data models ILP32 and LP64. */
const cNames: ReadonlyMap<string, string> = new Map([
  ["bool", "u8"],
  ["_Bool", "u8"],
  ["char", "char"],
  ["signed char", "i8"],
  ["unsigned char", "u8"],
  ["short", "i16"],
  ["unsigned short", "u16"],
  ["int", "i32"],
  ["signed int", "i32"],
  ["unsigned", "u32"],
  ["unsigned int", "u32"],
  ["long", "long"],
  ["unsigned long", "ulong"],
  ["long long", "i64"],
  ["unsigned long long", "u64"],
  ["float", "f32"],
  ["double", "f64"],
  ["size_t", "ulong"],
  ["ssize_t", "long"],
  ["intptr_t", "long"],
  ["uintptr_t", "ulong"],
  ["ptr", "pointer"],
  ["string", "cstring"],
  ["byte", "u8"],
]);

/** The known types: scalars, and declared structs. */
export class Layouts {
  readonly #pointerSize: 4 | 8;
  readonly #i386: boolean;
  readonly #structs: Map<string, Layout>;

  /** @param arch defines the size of pointers and the alignment
   * @param structs the declared ones; declaring adds to it */
  constructor(
    arch: { readonly pointerSize: 4 | 8; readonly name: string },
    structs: Map<string, Layout> = new Map(),
  ) {
    this.#pointerSize = arch.pointerSize;
    this.#i386 = arch.name === "i386";
    this.#structs = structs;
  }

  /** A type by its name.
   *
   * @throws UserError for an unknown name
   */
  named(text: string): Layout {
    const name = text.trim().replace(/\s+/g, " ").replace(/^(?:const|volatile) /, "");
    const array = /^(.*?)\s*\[\s*(\d+)\s*\]$/.exec(name);
    if (array !== null) return arrayOf(this.named(array[1]), Number(array[2]));
    if (name.endsWith("*")) return { ...scalar("pointer", "pointer", this.#pointerSize), name };
    const struct = this.#structs.get(name.replace(/^struct /, ""));
    if (struct !== undefined) return struct;
    const sized = /^(u?)int(8|16|32|64)_t$/.exec(name);
    const known = sized === null
      ? cNames.get(name) ?? name
      : `${sized[1] === "" ? "i" : "u"}${sized[2]}`;
    const plain = /^([uif])(8|16|32|64)$/.exec(known);
    const size = plain === null ? 0 : Number(plain[2]) / 8;
    if (plain !== null && (plain[1] !== "f" || size >= 4)) {
      const kind =
        ({ u: "unsigned", i: "signed", f: "float" } as const)[plain[1] as "u" | "i" | "f"];
      const layout = scalar(known, kind, size);
      // The i386 ABI aligns eight bytes at four, inside structs.
      return this.#i386 && size === 8 ? { ...layout, alignment: 4 } : layout;
    }
    if (known === "char") return scalar("char", "char", 1);
    if (known === "long") return scalar("long", "signed", this.#pointerSize);
    if (known === "ulong") return scalar("unsigned long", "unsigned", this.#pointerSize);
    if (known === "pointer") return scalar("pointer", "pointer", this.#pointerSize);
    if (known === "cstring") return scalar("cstring", "cstring", 0);
    const structs = [...this.#structs.keys()].join(", ");
    throw new UserError(
      `${text} is not a type: there are u8…u64, i8…i64, f32, f64, pointer, char, cstring` +
        `${structs === "" ? "" : `, ${structs}`}; \`struct\` declares more`,
    );
  }

  /** A type by its name, or as a struct in braces.
   *
   * @throws UserError for text that is no type
   */
  parse(text: string): Layout {
    return text.trim().startsWith("{") ? this.#body("struct", text.trim()) : this.named(text);
  }

  /** Declares a struct, as in `Node { u32 count; Node *next; char name[16]; }`.
   *
   * @throws UserError for text that is no declaration
   */
  declare(text: string): Layout {
    const match = /^\s*(?:struct\s+)?(\w+)\s*(\{[^]*\})\s*;?\s*$/.exec(text);
    if (match === null) {
      throw new UserError("declare it as in `struct Node { u32 count; Node *next; }`");
    }
    const layout = this.#body(match[1], match[2]);
    this.#structs.set(match[1], layout);
    return layout;
  }

  #body(name: string, text: string): Layout {
    const inside = /^\{([^{}]*)\}$/.exec(text)?.[1];
    if (inside === undefined) {
      throw new UserError("declare the inner struct by itself first");
    }
    const fields: Field[] = [];
    let size = 0;
    let alignment = 1;
    for (const part of inside.split(/[;\n]/)) {
      const declaration = part.replace(/\/\/.*/, "").trim();
      if (declaration === "") continue;
      const match = /^(.*[\s*])(\w+)\s*((?:\[\s*\d+\s*\]\s*)*)$/.exec(declaration);
      if (match === null) {
        throw new UserError(`${declaration} is not a field: write its type and its name`);
      }
      const lengths = [...match[3].matchAll(/\d+/g)].map(([text]) => Number(text));
      let layout = this.named(match[1]);
      if (layout.kind === "cstring") {
        throw new UserError("a cstring cannot be a field: write `char *` or `char name[16]`");
      }
      for (const count of lengths.reverse()) layout = arrayOf(layout, count);
      size = Math.ceil(size / layout.alignment) * layout.alignment;
      fields.push({ name: match[2], offset: size, layout });
      size += layout.size;
      alignment = Math.max(alignment, layout.alignment);
    }
    if (fields.length === 0) throw new UserError("a struct without fields");
    size = Math.ceil(size / alignment) * alignment;
    if (size > maxSize) throw new UserError(`a struct of at most ${maxSize} bytes`);
    return { name, kind: "struct", size, alignment, fields };
  }
}

function arrayOf(element: Layout, count: number): Layout {
  if (element.kind === "cstring") {
    throw new UserError("an array of cstrings has no size");
  }
  const size = element.size * count;
  if (size > maxSize) throw new UserError(`an array of at most ${maxSize} bytes`);
  return {
    name: `${element.name}[${count}]`,
    kind: "array",
    size,
    alignment: element.alignment,
    element,
    count,
  };
}

/** Encodes a value, little-endian.
 *
 * @throws UserError for text that is no value of the type, or does not fit
 */
export function encode(layout: Layout, text: string): Uint8Array {
  const bytes = new Uint8Array(layout.size);
  const view = new DataView(bytes.buffer);
  if (layout.kind === "float") {
    const value = Number(text);
    if (text.trim() === "" || Number.isNaN(value) && text !== "NaN") {
      throw new UserError(`${text} is not a number`);
    }
    if (layout.size === 4) view.setFloat32(0, value, true);
    else view.setFloat64(0, value, true);
    return bytes;
  }
  if (layout.kind === "array" || layout.kind === "struct" || layout.kind === "cstring") {
    throw new UserError(`a ${layout.name} cannot be written as one value`);
  }
  const match = /^(-?)(0x[\da-f]+|0b[01]+|0o[0-7]+|\d+)$/i.exec(text);
  if (match === null) throw new UserError(`${text} is not a whole number`);
  const value = match[1] === "-" ? -BigInt(match[2]) : BigInt(match[2]);
  const bits = BigInt(8 * layout.size);
  if (value < -(1n << (bits - 1n)) || value >= 1n << bits) {
    throw new UserError(`${text} does not fit a ${layout.name}`);
  }
  const unsigned = BigInt.asUintN(Number(bits), value);
  for (let at = 0; at < layout.size; at++) bytes[at] = Number((unsigned >> BigInt(8 * at)) & 0xffn);
  return bytes;
}
