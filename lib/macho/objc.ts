/** Objective-C metadata: the methods of an image's classes and categories, named as compilers name
 * their symbols: `-[Class method]`, `+[Class(Category) method]`. Metadata survives stripping. The
 * structures are those of the Objective-C 2 runtime's `objc-runtime-new.h`: `class_t`,
 * `class_ro_t`, `class_rw_t`, `category_t`, `method_list_t`. */

import { MemoryReadError } from "../errors.ts";
import type { RawText } from "../escape.ts";
import { pointerDecoder } from "./pointers.ts";
import type { ImageSource } from "./source.ts";
import { rawText, StringPool, type StringTable } from "./strings.ts";
import type { Segment } from "./types.ts";

/** A class or a category, and the place of its methods in the columns of {@linkcode ObjcMethods}.
 */
export interface ObjcClass {
  /** The name of the class. */
  readonly name: RawText;
  /** The name of the category; `null` for a class. */
  readonly category: RawText | null;
  /** `null` for a root class, for a category, and when unknown. */
  readonly superclass: RawText | null;
  /** The address of the `class_t` or `category_t`, with the slide. */
  readonly address: bigint;
  /** Index of the first method. */
  readonly firstMethod: number;
  readonly methodCount: number;
}

/** The methods, as columns. */
export interface ObjcMethods {
  readonly count: number;
  /** Addresses of the implementations: slid, with the Thumb bit as in the metadata. */
  readonly addresses: readonly bigint[];
  /** Into `names`. */
  readonly nameOffsets: Uint32Array;
  readonly names: StringTable;
  /** In the image's order, categories last. */
  readonly classes: readonly ObjcClass[];
}

/** What the reader needs of an image. */
export interface ObjcImage {
  readonly cpuType: number;
  readonly pointerSize: 4 | 8;
  readonly loadAddress: bigint;
  readonly slide: bigint;
  readonly segments: readonly Segment[];
  readonly warnings: string[];
  contains(address: bigint): boolean;
}

/** Metadata is read in blocks of this many bytes: one read serves many small structures. */
const BLOCK = 1 << 14;
/** Limits for the metadata of one image. More is damage. */
const MAX_CLASSES = 1 << 17;
const MAX_METHODS = 1 << 20;
const MAX_TEXT = 1 << 26;
/** Size of all names for each byte of the image, and in any case. Names repeat their class's: images have less than
 * 1. */
const TEXT_RATIO = 8;
const SMALL_TEXT = 1 << 20;
const MAX_METHODS_OF_LIST = 1 << 16;
const MAX_NAME = 4096;
/** After this many unreadable entries the metadata is given up. */
const MAX_DAMAGED = 64;

/** `RO_REALIZED` and `RW_REALIZED`: the class's data is a `class_rw_t` of the running program. */
const RW_REALIZED = 0x80000000;
/** `method_list_t.entsizeAndFlags`. */
const SMALL_METHODS = 0x80000000;
const DIRECT_SELECTORS = 0x40000000;
const ENTRY_SIZE_MASK = 0xfffc;

/** Reads the metadata; `null` when the image has none.
 *
 * @param image whose sections are searched
 * @param source of its bytes
 * @param chainedFixups payload of `LC_DYLD_CHAINED_FIXUPS`, while pointers are links of chains
 * @param boundSymbol the symbol that dyld will bind the pointer at an address to, if known; it
 * names the classes of other images */
export function readObjcMethods(
  image: ObjcImage,
  source: ImageSource,
  chainedFixups: Uint8Array | null,
  boundSymbol: (address: bigint) => string | null = () => null,
): ObjcMethods | null {
  const lists = image.segments.flatMap(({ sections }) => sections);
  const classLists = lists.filter(({ name }) => name === "__objc_classlist");
  const categoryLists = lists.filter(({ name }) => name === "__objc_catlist");
  if (classLists.length + categoryLists.length === 0) return null;
  const reader = new ObjcReader(image, source, chainedFixups, boundSymbol);
  for (const { address, size } of classLists) {
    reader.each(address, size, (pointer) => reader.class(pointer));
  }
  for (const { address, size } of categoryLists) {
    reader.each(address, size, (pointer) => reader.category(pointer));
  }
  return reader.methods();
}

class ObjcReader {
  readonly #image: ObjcImage;
  readonly #source: ImageSource;
  readonly #word: number;
  readonly #decode: (raw: bigint) => bigint;
  readonly #boundSymbol: (address: bigint) => string | null;
  readonly #classes: ObjcClass[] = [];
  readonly #blocks = new Map<bigint, DataView | null>();
  readonly #addresses: bigint[] = [];
  readonly #nameOffsets: number[] = [];
  readonly #pool = new StringPool();
  readonly #encoder = new TextEncoder();
  /** By address. */
  readonly #strings = new Map<bigint, string>();
  /** Number of bytes of all strings read: they may overlap. */
  #text = 0;
  /** Maximum size of all names, made or read, in bytes. */
  readonly #maxText: number;
  #damaged = 0;
  /** Number of method entries visited, used or not: lists may share their bytes. */
  #visited = 0;

  constructor(
    image: ObjcImage,
    source: ImageSource,
    chainedFixups: Uint8Array | null,
    boundSymbol: (address: bigint) => string | null,
  ) {
    this.#image = image;
    this.#boundSymbol = boundSymbol;
    this.#source = source;
    this.#word = image.pointerSize;
    const size = image.segments.reduce((sum, { fileSize }) => sum + fileSize, 0);
    this.#maxText = Math.min(MAX_TEXT, TEXT_RATIO * size + SMALL_TEXT);
    this.#decode = pointerDecoder(image, source.relocated, chainedFixups);
  }

  /** Calls `visit` with each pointer of a list. Damage affects single entries only. */
  each(address: bigint, size: number, visit: (pointer: bigint) => void): void {
    const count = Math.min(Math.floor(size / this.#word), MAX_CLASSES);
    for (let index = 0; index < count; index++) {
      if (this.#damaged >= MAX_DAMAGED || this.#exhausted) return;
      try {
        const pointer = this.#pointer(address + BigInt(index * this.#word));
        if (pointer !== 0n) visit(pointer);
      } catch (error) {
        if (!(error instanceof MemoryReadError)) throw error;
        this.#damaged++;
      }
    }
  }

  /** The methods of a `class_t`, and of the metaclass that its `isa` names. */
  class(address: bigint): void {
    const data = this.#classData(address);
    const name = this.#className(data);
    const superclass = this.#classAt(address + BigInt(this.#word));
    this.#owner({ name, category: null, superclass, address }, () => {
      this.#methodList(this.#pointer(this.#baseMethods(data)), "-", name);
      const metaclass = this.#pointer(address);
      if (metaclass === 0n) return;
      this.#methodList(this.#pointer(this.#baseMethods(this.#classData(metaclass))), "+", name);
    });
  }

  /** The methods of a `category_t`: name, class, instance methods, class methods. */
  category(address: bigint): void {
    const word = BigInt(this.#word);
    // The class may be in another image. Its name is unknown without the image's binds.
    const className = this.#classAt(address + word);
    if (className === null) return;
    const category = this.#string(this.#pointer(address));
    const name = `${className}(${category})`;
    this.#owner({ name: className, category, superclass: null, address }, () => {
      this.#methodList(this.#pointer(address + 2n * word), "-", name);
      this.#methodList(this.#pointer(address + 3n * word), "+", name);
    });
  }

  /** Adds a class and the methods that `read` finds, even when damage ends it early. */
  #owner(owner: Omit<ObjcClass, "firstMethod" | "methodCount">, read: () => void): void {
    const firstMethod = this.#addresses.length;
    try {
      read();
    } finally {
      const methodCount = this.#addresses.length - firstMethod;
      this.#classes.push({ ...owner, firstMethod, methodCount });
    }
  }

  /** The name of the class that the pointer at `address` leads to; `null` for none, and when
   * unknown. */
  #classAt(address: bigint): string | null {
    const pointer = this.#pointer(address);
    if (pointer !== 0n) return this.#className(this.#classData(pointer));
    return this.#boundSymbol(address)?.replace(/^_OBJC_CLASS_\$_/, "") ?? null;
  }

  /** Whether a limit has been reached. */
  get #exhausted(): boolean {
    return this.#visited >= MAX_METHODS || this.#classes.length >= MAX_CLASSES ||
      this.#pool.length + this.#text >= this.#maxText;
  }

  /** All methods found. */
  methods(): ObjcMethods {
    if (this.#exhausted) {
      this.#image.warnings.push("too much Objective-C metadata: some is left out");
    }
    if (this.#damaged > 0) {
      this.#image.warnings.push(
        `${this.#damaged} Objective-C classes or categories cannot be read`,
      );
    }
    return {
      count: this.#addresses.length,
      addresses: this.#addresses,
      nameOffsets: Uint32Array.from(this.#nameOffsets),
      names: this.#pool.table(),
      classes: this.#classes,
    };
  }

  /** The `class_ro_t` of a `class_t`. A running program has put a `class_rw_t` in between, which
   * refers to it directly or through a `class_rw_ext_t` (lowest bit set). */
  #classData(address: bigint): bigint {
    const word = BigInt(this.#word);
    // `bits` follows isa, superclass, and two words of cache. Its low bits are flags, and in
    // 64-bit programs the high ones too.
    const mask = this.#word === 8 ? 0x7ffffffffff8n : 0xfffffffcn;
    const data = this.#pointer(address + 4n * word) & mask;
    if ((this.#u32(data) & RW_REALIZED) === 0) return data;
    const readOnly = this.#pointer(data + 8n);
    return (readOnly & 1n) === 0n ? readOnly : this.#pointer(readOnly & ~1n);
  }

  /** `class_ro_t.name`: after flags, start, size (and padding) and `ivarLayout`. */
  #className(data: bigint): string {
    return this.#string(this.#pointer(data + (this.#word === 8 ? 24n : 16n)));
  }

  /** The address of `class_ro_t.baseMethods`, after the name. */
  #baseMethods(data: bigint): bigint {
    return data + (this.#word === 8 ? 32n : 20n);
  }

  #methodList(address: bigint, kind: "-" | "+", className: string): void {
    if (address === 0n) return;
    // Lists of lists, in the shared cache, have the lowest bit set. They contain no selectors.
    if ((address & 1n) !== 0n) return;
    const flags = this.#u32(address);
    const entrySize = flags & ENTRY_SIZE_MASK;
    const count = this.#u32(address + 4n);
    const small = (flags & SMALL_METHODS) !== 0;
    // Direct selectors, in the shared cache, are relative to a base that is unknown here.
    if (small && (flags & DIRECT_SELECTORS) !== 0) return;
    const expected = small ? 12 : 3 * this.#word;
    if (entrySize !== expected || count > MAX_METHODS_OF_LIST) {
      throw new MemoryReadError(address, 8);
    }
    const word = BigInt(this.#word);
    for (let index = 0; index < count; index++) {
      if (this.#exhausted) return;
      this.#visited++;
      const entry = address + 8n + BigInt(index * entrySize);
      // Small methods: three 32-bit distances, to the selector reference, the types, and the
      // implementation.
      const selector = small
        ? this.#pointer(entry + BigInt(this.#i32(entry)))
        : this.#pointer(entry);
      const implementation = small
        ? entry + 8n + BigInt(this.#i32(entry + 8n))
        : this.#pointer(entry + 2n * word);
      if (!this.#image.contains(implementation)) continue;
      const name = `${kind}[${className} ${this.#string(selector)}]`;
      this.#nameOffsets.push(this.#pool.add(this.#encoder.encode(name)));
      this.#addresses.push(implementation);
    }
  }

  /** The bytes at `address`, from blocks that are read once each. */
  #view(address: bigint, length: number): { view: DataView; at: number } {
    const start = address & ~BigInt(BLOCK - 1);
    const at = Number(address - start);
    let block = at + length > BLOCK ? null : this.#blocks.get(start);
    if (block === undefined) {
      try {
        block = toView(this.#source.read(start, BLOCK));
      } catch (error) {
        if (!(error instanceof MemoryReadError)) throw error;
        // The segment may begin or end inside the block.
        block = null;
      }
      this.#blocks.set(start, block);
    }
    if (block !== null) return { view: block, at };
    return { view: toView(this.#source.read(address, length)), at: 0 };
  }

  #u32(address: bigint): number {
    const { view, at } = this.#view(address, 4);
    return view.getUint32(at, true);
  }

  #i32(address: bigint): number {
    return this.#u32(address) | 0;
  }

  #pointer(address: bigint): bigint {
    const { view, at } = this.#view(address, this.#word);
    return this.#decode(
      this.#word === 8 ? view.getBigUint64(at, true) : BigInt(view.getUint32(at, true)),
    );
  }

  /** The NUL-terminated text at `address`. Any number of classes and methods may share one. */
  #string(address: bigint): string {
    let text = this.#strings.get(address);
    if (text === undefined) {
      text = this.#readString(address);
      this.#strings.set(address, text);
    }
    return text;
  }

  #readString(address: bigint): string {
    const bytes: number[] = [];
    while (bytes.length < MAX_NAME) {
      const { view, at } = this.#view(address + BigInt(bytes.length), 1);
      const byte = view.getUint8(at);
      if (byte === 0) {
        this.#text += bytes.length;
        return rawText(Uint8Array.from(bytes));
      }
      bytes.push(byte);
    }
    throw new MemoryReadError(address, MAX_NAME);
  }
}

function toView(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
