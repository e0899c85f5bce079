/** Kernel structures: packed, little-endian, fields in order. */

import { formatUuid } from "../hex.ts";

/** One field of a {@linkcode Layout}. */
export interface Field {
  /** Name in the header. */
  readonly name: string;
  /** `char` is text up to its NUL, `uuid` sixteen bytes shown as text. */
  readonly kind: "u8" | "i8" | "u16" | "i16" | "u32" | "i32" | "u64" | "i64" | "char" | "uuid";
  /** Bytes from the structure's start. */
  readonly offset: number;
  /** Number of elements; 1 for a field that is not an array. */
  readonly count: number;
}

/** A structure. */
export interface Layout {
  /** Name in the header. */
  readonly name: string;
  /** Bytes of all fields. */
  readonly size: number;
  readonly fields: readonly Field[];
}

/** The value of a field. 64-bit numbers are `bigint`; text is not safe to print raw. */
export type Value = number | bigint | string | readonly (number | bigint)[];

/** A structure's fields by name. Fields beyond the available bytes are omitted. */
export type Struct = Readonly<Record<string, Value | undefined>>;

/** Bytes of one field of a kind. */
export const sizes: Readonly<Record<Field["kind"], number>> = {
  u8: 1,
  i8: 1,
  u16: 2,
  i16: 2,
  u32: 4,
  i32: 4,
  u64: 8,
  i64: 8,
  char: 1,
  uuid: 16,
};

/** Makes a layout from a field list such as `u64 ths_thread_id; char[32] ts_p_comm`. */
export function layout(name: string, fields: string): Layout {
  let offset = 0;
  const list = fields.split(";").map((text) => {
    const [, kind, count, field] = /^\s*(\w+?)(?:\[(\d+)\])?\s+(\w+)\s*$/.exec(text)!;
    const made: Field = {
      name: field,
      kind: kind as Field["kind"],
      offset,
      count: count === undefined ? 1 : Number(count),
    };
    offset += sizes[made.kind] * made.count;
    return made;
  });
  return { name, size: offset, fields: list };
}

const decoder = new TextDecoder();

/** Text up to its NUL. */
export function text(bytes: Uint8Array): string {
  const end = bytes.indexOf(0);
  return decoder.decode(end < 0 ? bytes : bytes.subarray(0, end));
}

function number(view: DataView, kind: Field["kind"], at: number): number | bigint {
  switch (kind) {
    case "i8":
      return view.getInt8(at);
    case "u16":
      return view.getUint16(at, true);
    case "i16":
      return view.getInt16(at, true);
    case "u32":
      return view.getUint32(at, true);
    case "i32":
      return view.getInt32(at, true);
    case "u64":
      return view.getBigUint64(at, true);
    case "i64":
      return view.getBigInt64(at, true);
    default:
      return view.getUint8(at);
  }
}

/** Reads a structure. It may be an older, shorter or a newer, longer version of the layout. */
export function readStruct({ fields }: Layout, bytes: Uint8Array): Struct {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  // Field names may come from the stackshot itself.
  const struct: Record<string, Value> = Object.create(null);
  for (const { name, kind, offset, count } of fields) {
    const size = sizes[kind];
    if (offset + (kind === "char" ? 1 : size * count) > bytes.length) continue;
    if (kind === "char") struct[name] = text(bytes.subarray(offset, offset + count));
    else if (kind === "uuid") struct[name] = formatUuid(bytes.subarray(offset, offset + 16));
    else if (count === 1) struct[name] = number(view, kind, offset);
    else {
      struct[name] = Array.from(
        { length: count },
        (_, index) => number(view, kind, offset + index * size),
      );
    }
  }
  return struct;
}

/** A field as a number; 0 when it is absent. */
export function num(struct: Struct, name: string): number {
  const value = struct[name];
  return typeof value === "number" ? value : typeof value === "bigint" ? Number(value) : 0;
}

/** A field as a 64-bit number; 0 when it is absent. */
export function big(struct: Struct, name: string): bigint {
  const value = struct[name];
  return typeof value === "bigint" ? value : typeof value === "number" ? BigInt(value) : 0n;
}

/** A field as text; empty when it is absent. */
export function str(struct: Struct, name: string): string {
  const value = struct[name];
  return typeof value === "string" ? value : "";
}
