/** kcdata, XNU's container format for nested structures: `osfmk/kern/kcdata.h`. */
import { FormatError } from "../errors.ts";
import type { StackshotBudget } from "./budget.ts";
import { type Field, type Layout, readStruct, sizes, type Struct, text } from "./layout.ts";
import {
  kc,
  layouts,
  magics,
  oldElementSizes,
  oldSizes,
  texts,
  types as itemTypes,
} from "./types.ts";

/** One item. */
export interface KcItem {
  /** Type of the item; for an array, of each element. */
  readonly type: number;
  /** Offset in the buffer, in bytes. */
  readonly offset: number;
  /** Payload without its padding. */
  readonly data: Uint8Array;
  /** Number of elements of an array; `null` for other items. */
  readonly count: number | null;
  /** Name of a self-describing value; `null` for other items. Not safe to print raw. */
  readonly description: string | null;
}

/** A container and its content. */
export interface KcContainer {
  /** Container type, such as task. */
  readonly type: number;
  /** Identifier of the task or thread that it describes. */
  readonly id: bigint;
  /** Offset of its beginning in the buffer, in bytes. */
  readonly offset: number;
  /** Items directly in it. */
  readonly items: readonly KcItem[];
  /** Containers directly in it. */
  readonly containers: readonly KcContainer[];
}

/** One buffer. */
export interface KcBuffer {
  /** The first word. */
  readonly magic: number;
  /** Top-level items and containers. */
  readonly root: KcContainer;
  /** Structures that the buffer defines itself, by item type. */
  readonly definitions: ReadonlyMap<number, Layout>;
  /** Offset where a following buffer would begin. */
  readonly end: number;
}

/** Maximum nesting; kernels use far less. */
const MAX_DEPTH = 32;
const HEADER = 16;
const DESCRIPTION = 32;
/** `kcdata_subtype_descriptor`, and the header before a type's descriptors. */
const SUBTYPE = 40;
const DEFINITION = 40;
/** Maximum number of fields in a type definition. */
const MAX_FIELDS = 256;

/** `kctype_subtype_t`, from 1. */
const subtypes: readonly Field["kind"][] = [
  "char",
  "i8",
  "u8",
  "i16",
  "u16",
  "i32",
  "u32",
  "i64",
  "u64",
];

interface OpenContainer extends KcContainer {
  readonly items: KcItem[];
  readonly containers: OpenContainer[];
}

/** Whether bytes begin a buffer of this kind.
 *
 * @param offset of the buffer
 */
export function magicAt(bytes: Uint8Array, offset = 0): number | null {
  if (bytes.length < offset + HEADER) return null;
  const magic = new DataView(bytes.buffer, bytes.byteOffset + offset, 4).getUint32(0, true);
  return Object.values(magics).some((known) => known === magic) ? magic : null;
}

/** Reads one buffer. A damaged item is skipped with a warning.
 *
 * @param name of the file, for errors
 * @param offset of the buffer
 * @throws FormatError when none begins there
 */
export function readKcdata(
  bytes: Uint8Array,
  name: string,
  warn: (text: string) => void,
  budget: StackshotBudget,
  offset = 0,
): KcBuffer {
  const magic = magicAt(bytes, offset);
  if (magic === null) throw new FormatError(name, offset, "the start of a kcdata buffer");
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const root: OpenContainer = { type: 0, id: 0n, offset, items: [], containers: [] };
  const open = [root];
  const definitions = new Map<number, Layout>();
  const at0x = (at: number) => `at offset 0x${at.toString(16)}`;
  let at = offset + HEADER + view.getUint32(offset + 4, true);
  for (;;) {
    if (at + HEADER > bytes.length) {
      warn(`the buffer ends without an end mark ${at0x(Math.min(at, bytes.length))}`);
      at = bytes.length;
      break;
    }
    const type = view.getUint32(at, true);
    const size = view.getUint32(at + 4, true);
    const flags = view.getBigUint64(at + 8, true);
    if (type === 0 && size === 0) {
      warn(`the buffer has no end mark: zeroes ${at0x(at)}`);
      at = bytes.length;
      break;
    }
    if (size > bytes.length - at - HEADER) {
      warn(`the item of type 0x${type.toString(16)} ${at0x(at)} is cut short`);
      at = bytes.length;
      break;
    }
    if (!budget.tryItems(1)) {
      warn(`there are more items than a file of this size has; those ${at0x(at)} are left out`);
      at = bytes.length;
      break;
    }
    const data = bytes.subarray(at + HEADER, at + HEADER + size);
    const inside = open[open.length - 1];
    const next = at + HEADER + size;
    if (type === kc.end) {
      at = next;
      break;
    }
    if (type === kc.containerBegin) {
      if (size < 4) warn(`the container ${at0x(at)} has no type`);
      if (open.length > MAX_DEPTH) {
        warn(`containers are nested too deep ${at0x(at)}`);
        at = bytes.length;
        break;
      }
      const container: OpenContainer = {
        type: size < 4 ? 0 : view.getUint32(at + HEADER, true),
        id: flags,
        offset: at,
        items: [],
        containers: [],
      };
      inside.containers.push(container);
      open.push(container);
    } else if (type === kc.containerEnd) {
      const depth = open.findLastIndex((container, index) => index > 0 && container.id === flags);
      if (depth < 0) warn(`a container ends that did not begin ${at0x(at)}`);
      else {
        if (depth < open.length - 1) warn(`a container does not end where it should ${at0x(at)}`);
        open.length = depth;
      }
    } else {
      const item = readItem(type, flags, data, at);
      if (typeof item === "string") warn(`${item} ${at0x(at)}`);
      else if (item.type === kc.typeDefinition) {
        const definition = readDefinition(item.data);
        if (definition === null) warn(`the description of a type is damaged ${at0x(at)}`);
        else definitions.set(...definition);
      } else inside.items.push(item);
    }
    at = next;
  }
  if (open.length > 1) {
    warn(
      open.length === 2 ? "a container does not end" : `${open.length - 1} containers do not end`,
    );
  }
  return { magic, root, definitions, end: at };
}

/** The item, or the error. */
function readItem(type: number, flags: bigint, data: Uint8Array, offset: number): KcItem | string {
  if (type === kc.array || (type & ~0xf) === kc.arrayPad0) {
    const elementType = Number(flags >> 32n);
    const count = Number(flags & 0xffff_ffffn);
    const what = `the array of ${count} elements of type 0x${elementType.toString(16)}`;
    if (count === 0) {
      return { type: elementType, offset, data: data.subarray(0, 0), count, description: null };
    }
    let length: number;
    if (type === kc.array) {
      const size = oldElementSizes.get(elementType);
      if (size === undefined) return `${what} does not say how large they are`;
      length = size * count;
    } else {
      length = data.length - (type & 0xf);
    }
    if (length < 0 || length > data.length || length % count !== 0) {
      return `${what} has ${data.length} bytes`;
    }
    return {
      type: elementType,
      offset,
      data: data.subarray(0, length),
      count,
      description: null,
    };
  }
  const old = oldSizes.get(type);
  const unpadded = (flags & 0x8fn) === 0n && old?.[1] === data.length
    ? old[0]
    : data.length - Number(flags & 0xfn);
  if (unpadded < 0) return `the item of type 0x${type.toString(16)} has more padding than bytes`;
  data = data.subarray(0, unpadded);
  if (type < kc.stringDesc || type > kc.bindataDesc) {
    return { type, offset, data, count: null, description: null };
  }
  if (data.length < DESCRIPTION) return "a value that names itself has no name";
  const description = text(data.subarray(0, DESCRIPTION));
  return { type, offset, data: data.subarray(DESCRIPTION), count: null, description };
}

/** `kcdata_type_definition`. */
function readDefinition(data: Uint8Array): [number, Layout] | null {
  if (data.length < DEFINITION) return null;
  const view = new DataView(data.buffer, data.byteOffset, data.length);
  const count = view.getUint32(4, true);
  if (count > MAX_FIELDS || count > (data.length - DEFINITION) / SUBTYPE) return null;
  const fields: Field[] = [];
  let size = 0;
  for (let at = DEFINITION; fields.length < count; at += SUBTYPE) {
    const kind = subtypes[data[at + 1] - 1];
    if (kind === undefined) return null;
    const packed = view.getUint32(at + 4, true);
    const isArray = (data[at] & 1) !== 0;
    const offset = view.getUint16(at + 2, true);
    const elements = isArray ? packed >>> 16 : 1;
    fields.push({ name: text(data.subarray(at + 8, at + SUBTYPE)), kind, offset, count: elements });
    size = Math.max(size, offset + sizes[kind] * elements);
  }
  return [view.getUint32(0, true), { name: text(data.subarray(8, DEFINITION)), size, fields }];
}

/** The number in a self-describing item; `null` when it is another item or truncated. */
export function describedNumber({ type, data }: KcItem): bigint | null {
  const view = new DataView(data.buffer, data.byteOffset, data.length);
  switch (type) {
    case kc.uint32Desc:
      return data.length < 4 ? null : BigInt(view.getUint32(0, true));
    case kc.uint64Desc:
      return data.length < 8 ? null : view.getBigUint64(0, true);
    case kc.int32Desc:
      return data.length < 4 ? null : BigInt(view.getInt32(0, true));
    case kc.int64Desc:
      return data.length < 8 ? null : view.getBigInt64(0, true);
    default:
      return null;
  }
}

/** The elements of an array; an item that is not an array is its own only element. */
export function elements({ data, count }: KcItem): Uint8Array[] {
  if (count === null) return [data];
  if (count === 0) return [];
  const size = data.length / count;
  // Elements of size 0 carry nothing.
  if (size === 0) return [];
  return Array.from(
    { length: count },
    (_, index) => data.subarray(index * size, (index + 1) * size),
  );
}

/** The structures of an item, one for each element.
 *
 * @param definitions the buffer's own definitions for types without a built-in layout
 */
export function structs(item: KcItem, definitions?: ReadonlyMap<number, Layout>): Struct[] {
  const layout = layouts.get(item.type) ?? definitions?.get(item.type);
  if (layout === undefined) return [];
  // A far longer element than its layout is damage.
  const { count, data } = item;
  if (count !== null && data.length / count < layout.size / 4) return [];
  return elements(item).map((bytes) => readStruct(layout, bytes));
}

/** An item's name: from the header, from the item itself, or from the buffer's type definition. */
export function itemName(
  { type, description }: KcItem,
  definitions?: ReadonlyMap<number, Layout>,
): string | null {
  return description ?? layouts.get(type)?.name ?? texts.get(type) ??
    definitions?.get(type)?.name ??
    Object.entries(itemTypes).find(([, number]) => number === type)?.[0] ?? null;
}
