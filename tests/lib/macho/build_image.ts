/** Builds small Mach-O images byte by byte, from a description of what is to be in them. The file
 * mirrors memory: what belongs at an address is as far from the file's start as the address is from
 * `__TEXT`'s. */

import { MemoryReadError } from "../../../lib/errors.ts";
import { CPU_TYPE, FILE_TYPE, LC, MAGIC, type MemoryReader } from "../../../lib/macho/mod.ts";

/** A section, and so its segment. */
export interface SectionSpec {
  readonly segment: string;
  readonly name: string;
  /** Bytes from `__TEXT`'s start. */
  readonly offset: number;
  readonly size: number;
  readonly data?: Uint8Array;
}

/** One `nlist`. */
export interface SymbolSpec {
  readonly name: string;
  /** Bytes from `__TEXT`'s start. */
  readonly offset: number;
  /** `n_type`: 0x0f external, 0x0e local, both in a section. */
  readonly type: number;
  /** From 1. */
  readonly section?: number;
  readonly description?: number;
}

/** One symbol of the export trie. */
export interface ExportSpec {
  readonly name: string;
  readonly offset: number;
  readonly flags?: number;
}

export interface ImageSpec {
  readonly cpuType?: number;
  readonly fileType?: number;
  readonly flags?: number;
  readonly is64?: boolean;
  /** Where `__TEXT` is linked. */
  readonly address?: bigint;
  readonly sections?: readonly SectionSpec[];
  readonly symbols?: readonly SymbolSpec[];
  /** Ascending, from `__TEXT`'s start. */
  readonly functionStarts?: readonly number[];
  readonly exports?: readonly ExportSpec[];
  /** In place of a trie made from `exports`. */
  readonly trie?: Uint8Array;
  readonly uuid?: Uint8Array;
  readonly dylibs?: readonly string[];
}

/** Where `__LINKEDIT` begins; all else lies before. */
export const LINKEDIT_OFFSET = 0x4000;
const PAGE = 0x1000;

class Writer {
  readonly bytes: number[] = [];
  constructor(readonly is64: boolean) {}
  u8(value: number): this {
    this.bytes.push(value & 0xff);
    return this;
  }
  u16(value: number): this {
    return this.u8(value).u8(value >>> 8);
  }
  u32(value: number): this {
    return this.u16(value & 0xffff).u16(value >>> 16);
  }
  u64(value: bigint): this {
    return this.u32(Number(value & 0xffffffffn)).u32(Number((value >> 32n) & 0xffffffffn));
  }
  word(value: bigint | number): this {
    return this.is64 ? this.u64(BigInt(value)) : this.u32(Number(value) >>> 0);
  }
  text(value: string, size?: number): this {
    const bytes = new TextEncoder().encode(value);
    for (const byte of bytes) this.u8(byte);
    for (let index = bytes.length; index < (size ?? 0); index++) this.u8(0);
    return this;
  }
  raw(bytes: Iterable<number>): this {
    for (const byte of bytes) this.u8(byte);
    return this;
  }
}

/** ULEB128. */
export function uleb(value: number): number[] {
  const bytes: number[] = [];
  do {
    const rest = Math.floor(value / 128);
    bytes.push((value % 128) | (rest > 0 ? 0x80 : 0));
    value = rest;
  } while (value > 0);
  return bytes;
}

/** A trie in which the root has one child for each symbol: valid, if not small. */
export function buildTrie(symbols: readonly ExportSpec[]): Uint8Array {
  const terminals = symbols.map(({ offset, flags = 0 }) => [...uleb(flags), ...uleb(offset)]);
  const text = new TextEncoder();
  // Offsets are padded to four bytes each so that the root's size does not depend on them.
  const edges = symbols.map(({ name }) => [...text.encode(name), 0]);
  let at = 2 + edges.reduce((sum, edge) => sum + edge.length + 4, 0);
  const root: number[] = [0, symbols.length];
  const nodes: number[] = [];
  symbols.forEach((_, index) => {
    const padded = [at & 0x7f, (at >> 7) & 0x7f, (at >> 14) & 0x7f].map((byte) => byte | 0x80);
    root.push(...edges[index], ...padded, 0);
    const node = [...uleb(terminals[index].length), ...terminals[index], 0];
    nodes.push(...node);
    at += node.length;
  });
  return Uint8Array.from([...root, ...nodes]);
}

/** The bytes of the image. */
export function buildImage(spec: ImageSpec): Uint8Array<ArrayBuffer> {
  const is64 = spec.is64 ?? true;
  const base = spec.address ?? (is64 ? 0x100000000n : 0x4000n);
  const sections = spec.sections ?? [
    { segment: "__TEXT", name: "__text", offset: 0x1000, size: 0x1000 },
  ];
  const names = [...new Set(sections.map(({ segment }) => segment))];

  const linkedit = new Writer(is64);
  const place = (bytes: Iterable<number>): { offset: number; size: number } => {
    while (linkedit.bytes.length % 8 !== 0) linkedit.u8(0);
    const offset = LINKEDIT_OFFSET + linkedit.bytes.length;
    linkedit.raw(bytes);
    return { offset, size: LINKEDIT_OFFSET + linkedit.bytes.length - offset };
  };
  const strings = new Writer(is64).u8(0x20).u8(0);
  const nlists = new Writer(is64);
  for (const { name, offset, type, section = 1, description = 0 } of spec.symbols ?? []) {
    nlists.u32(strings.bytes.length).u8(type).u8(section).u16(description)
      .word(base + BigInt(offset));
    strings.text(name).u8(0);
  }
  const symbolRange = place(nlists.bytes);
  const stringRange = place(strings.bytes);
  let previous = 0;
  const deltas = (spec.functionStarts ?? []).flatMap((start) => {
    const delta = uleb(start - previous);
    previous = start;
    return delta;
  });
  const startsRange = place(spec.functionStarts ? [...deltas, 0] : []);
  const trieRange = place(spec.trie ?? (spec.exports ? buildTrie(spec.exports) : []));

  const commands: number[][] = [];
  const segment = (name: string, offset: number, size: number, of: readonly SectionSpec[]) => {
    const writer = new Writer(is64);
    const commandSize = is64 ? 72 + 80 * of.length : 56 + 68 * of.length;
    writer.u32(is64 ? LC.SEGMENT_64 : LC.SEGMENT).u32(commandSize).text(name, 16)
      .word(base + BigInt(offset)).word(size).word(offset).word(size)
      .u32(5).u32(5).u32(of.length).u32(0);
    for (const section of of) {
      writer.text(section.name, 16).text(section.segment, 16)
        .word(base + BigInt(section.offset)).word(section.size)
        .u32(section.offset).u32(4).u32(0).u32(0).u32(0x80000400).u32(0).u32(0);
      if (is64) writer.u32(0);
    }
    commands.push(writer.bytes);
  };
  names.forEach((name) => {
    const of = sections.filter((section) => section.segment === name);
    const start = name === "__TEXT" ? 0 : Math.floor(of[0].offset / PAGE) * PAGE;
    const end = Math.ceil(Math.max(...of.map(({ offset, size }) => offset + size)) / PAGE) * PAGE;
    segment(name, start, end - start, of);
  });
  segment("__LINKEDIT", LINKEDIT_OFFSET, linkedit.bytes.length, []);
  const command = (kind: number, body: (writer: Writer) => void): void => {
    const writer = new Writer(is64);
    body(writer);
    while (writer.bytes.length % 8 !== 0) writer.u8(0);
    commands.push(new Writer(is64).u32(kind).u32(writer.bytes.length + 8).raw(writer.bytes).bytes);
  };
  if (spec.symbols) {
    command(LC.SYMTAB, (writer) => {
      writer.u32(symbolRange.offset).u32(spec.symbols!.length);
      writer.u32(stringRange.offset).u32(stringRange.size);
    });
  }
  if (spec.functionStarts) {
    const { offset, size } = startsRange;
    command(LC.FUNCTION_STARTS, (writer) => writer.u32(offset).u32(size));
  }
  if (spec.exports || spec.trie) {
    const { offset, size } = trieRange;
    command(LC.DYLD_EXPORTS_TRIE, (writer) => writer.u32(offset).u32(size));
  }
  if (spec.uuid) command(LC.UUID, (writer) => writer.raw(spec.uuid!));
  for (const name of spec.dylibs ?? []) {
    command(LC.LOAD_DYLIB, (writer) => writer.u32(24).u32(0).u32(0).u32(0).text(name).u8(0));
  }

  const header = new Writer(is64).u32(is64 ? MAGIC.MH_MAGIC_64 : MAGIC.MH_MAGIC)
    .u32(spec.cpuType ?? (is64 ? CPU_TYPE.X86_64 : CPU_TYPE.I386)).u32(3)
    .u32(spec.fileType ?? FILE_TYPE.MH_DYLIB).u32(commands.length)
    .u32(commands.reduce((sum, { length }) => sum + length, 0)).u32(spec.flags ?? 0);
  if (is64) header.u32(0);
  const bytes = new Uint8Array(LINKEDIT_OFFSET + linkedit.bytes.length);
  bytes.set(header.bytes);
  bytes.set(commands.flat(), header.bytes.length);
  for (const { offset, data } of sections) if (data) bytes.set(data, offset);
  bytes.set(linkedit.bytes, LINKEDIT_OFFSET);
  return bytes;
}

/** Memory made of pieces, which counts how it is read. */
export class FakeMemory implements MemoryReader {
  readonly reads: { address: bigint; length: number }[] = [];
  readonly #pieces: { address: bigint; bytes: Uint8Array }[] = [];

  map(address: bigint, bytes: Uint8Array): this {
    this.#pieces.push({ address, bytes });
    return this;
  }

  read(address: bigint, length: number): Uint8Array {
    this.reads.push({ address, length });
    for (const piece of this.#pieces) {
      const offset = address - piece.address;
      if (offset < 0n || offset + BigInt(length) > BigInt(piece.bytes.length)) continue;
      return piece.bytes.slice(Number(offset), Number(offset) + length);
    }
    throw new MemoryReadError(address, length);
  }
}
