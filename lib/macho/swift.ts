/** Swift types: the nominal type descriptors in `__swift5_types` and `__swift5_protos`. Each refers
 * to its parent, which gives the full name `module.Outer.Type`. The layout is that of
 * `TargetContextDescriptor` in Swift's `ABI/Metadata.h`. */

import { MemoryReadError } from "../errors.ts";
import type { RawText } from "../escape.ts";
import type { ImageSource } from "./source.ts";
import { rawText } from "./strings.ts";
import type { Segment } from "./types.ts";

/** A type that the image defines. */
export interface SwiftType {
  /** Such as `module.Outer.Type`. */
  readonly name: RawText;
  /** The kind of type. */
  readonly kind: "class" | "struct" | "enum" | "protocol" | "other";
  /** The descriptor's address, as linked. */
  readonly address: bigint;
}

/** `ContextDescriptorKind`: the low five bits of a descriptor's flags. */
const KIND = {
  MODULE: 0,
  EXTENSION: 1,
  ANONYMOUS: 2,
  PROTOCOL: 3,
  CLASS: 16,
  STRUCT: 17,
  ENUM: 18,
} as const;

const kindNames: Readonly<Record<number, SwiftType["kind"]>> = {
  [KIND.PROTOCOL]: "protocol",
  [KIND.CLASS]: "class",
  [KIND.STRUCT]: "struct",
  [KIND.ENUM]: "enum",
};

/** Maximum number of types. More are damage. */
const MAX_TYPES = 1 << 18;
const MAX_DEPTH = 32;
const MAX_NAME = 1024;
/** Maximum length of all names together. */
const MAX_TEXT = 1 << 25;

/** What the reader needs of an image. */
export interface SwiftImage {
  readonly pointerSize: 4 | 8;
  readonly segments: readonly Segment[];
  readonly source: ImageSource;
  /** The address that a stored pointer stands for; 0 for one to another image. */
  decode(raw: bigint): bigint;
  /** The symbol that dyld binds the pointer at an address to. */
  boundSymbol(address: bigint): string | null;
  /** Reports damage, one line each. */
  warn(message: string): void;
}

/** The types and protocols that the image defines, in its order. */
export function readSwiftTypes(image: SwiftImage): SwiftType[] {
  const reader = new SwiftReader(image);
  const types: SwiftType[] = [];
  let damaged = 0;
  let text = 0;
  for (const { sections } of image.segments) {
    for (const { name, address, size } of sections) {
      if (name !== "__swift5_types" && name !== "__swift5_protos") continue;
      const count = Math.min(Math.floor(size / 4), MAX_TYPES - types.length);
      for (let index = 0; index < count && text < MAX_TEXT && damaged < 64; index++) {
        try {
          const descriptor = reader.relative(address + BigInt(4 * index));
          if (descriptor === 0n) continue;
          const type = reader.type(descriptor);
          text += type.name.length;
          types.push(type);
        } catch (error) {
          if (!(error instanceof MemoryReadError)) throw error;
          damaged++;
        }
      }
    }
  }
  if (damaged > 0) image.warn(`${damaged} Swift types cannot be read`);
  return types;
}

class SwiftReader {
  readonly #image: SwiftImage;
  readonly #names = new Map<bigint, string | null>();

  constructor(image: SwiftImage) {
    this.#image = image;
  }

  /** The address that the 32-bit distance at `address` leads to; 0 when it is in another image. If
   * the lowest bit is set, the distance leads to a pointer to the address. */
  relative(address: bigint): bigint {
    const distance = this.#i32(address);
    if (distance === 0) return 0n;
    const target = address + BigInt(distance & ~1);
    return (distance & 1) === 0 ? target : this.#pointer(target);
  }

  /** The address that the 32-bit distance at `address` leads to, where the lowest bit is part of
   * the distance, as for strings. */
  #direct(address: bigint): bigint {
    return address + BigInt(this.#i32(address));
  }

  type(descriptor: bigint): SwiftType {
    return {
      name: this.#name(descriptor, 0) ?? "",
      kind: kindNames[this.#i32(descriptor) & 31] ?? "other",
      address: descriptor,
    };
  }

  /** The full name of a context; `null` for one that adds none. */
  #name(descriptor: bigint, depth: number): string | null {
    const known = this.#names.get(descriptor);
    if (known !== undefined) return known;
    if (depth > MAX_DEPTH) throw new MemoryReadError(descriptor, 12);
    const kind = this.#i32(descriptor) & 31;
    const parent = this.#parent(descriptor + 4n, depth);
    // The name follows flags and parent. Anonymous contexts and extensions have none.
    const own = kind === KIND.ANONYMOUS || kind === KIND.EXTENSION
      ? null
      : this.#string(this.#direct(descriptor + 8n));
    const name = own === null ? parent : parent === null ? own : `${parent}.${own}`;
    this.#names.set(descriptor, name);
    return name;
  }

  #parent(at: bigint, depth: number): string | null {
    const distance = this.#i32(at);
    if (distance === 0) return null;
    const parent = this.relative(at);
    if (parent !== 0n) return this.#name(parent, depth + 1);
    const symbol = this.#image.boundSymbol(at + BigInt(distance & ~1));
    return symbol === null ? null : contextName(symbol);
  }

  #string(address: bigint): RawText {
    // The name may be the last item in its segment.
    for (let length = 64; length <= MAX_NAME; length *= 4) {
      let bytes: Uint8Array;
      try {
        bytes = this.#image.source.read(address, length);
      } catch (error) {
        if (!(error instanceof MemoryReadError)) throw error;
        bytes = this.#image.source.read(address, this.#room(address, length));
      }
      const end = bytes.indexOf(0);
      if (end >= 0) return rawText(bytes.subarray(0, end));
    }
    throw new MemoryReadError(address, MAX_NAME);
  }

  /** Number of bytes of the file that follow `address` in its segment, at most `most`. */
  #room(address: bigint, most: number): number {
    for (const { address: start, fileSize } of this.#image.segments) {
      const end = start + BigInt(fileSize);
      if (address >= start && address < end) return Math.min(most, Number(end - address));
    }
    throw new MemoryReadError(address, 1);
  }

  #i32(address: bigint): number {
    const bytes = this.#image.source.read(address, 4);
    return new DataView(bytes.buffer, bytes.byteOffset, 4).getInt32(0, true);
  }

  #pointer(address: bigint): bigint {
    const size = this.#image.pointerSize;
    const bytes = this.#image.source.read(address, size);
    const view = new DataView(bytes.buffer, bytes.byteOffset, size);
    return this.#image.decode(
      size === 8 ? view.getBigUint64(0, true) : BigInt(view.getUint32(0, true)),
    );
  }
}

/** The name of a context in another image, from the mangled symbol of its descriptor. Modules and
 * plain nominal types are read (`_$s`, then `So` for C and Objective-C, `s` for the standard
 * library, or a length and a name, …); others keep their symbol. */
function contextName(symbol: string): string {
  let rest = /^_?\$s(.*?)(?:M[Xnp]M?|Mn|Mp)$/.exec(symbol)?.[1];
  if (rest === undefined) return symbol;
  const parts: string[] = [];
  if (rest.startsWith("So")) {
    parts.push("__C");
    rest = rest.slice(2);
  } else if (rest.startsWith("s")) {
    parts.push("Swift");
    rest = rest.slice(1);
  }
  for (let match; (match = /^(\d+)/.exec(rest));) {
    const end = match[0].length + Number(match[0]);
    if (end > rest.length) return symbol;
    parts.push(rest.slice(match[0].length, end));
    // One letter after a type's name says its kind.
    rest = rest.slice(end).replace(/^[CVOP]/, "");
  }
  return rest === "" && parts.length > 0 ? parts.join(".") : symbol;
}
