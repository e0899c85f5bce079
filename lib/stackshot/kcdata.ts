/** kcdata, the form in which XNU hands out nested structures: `osfmk/kern/kcdata.h`. */
import { FormatError } from "../errors.ts";
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

/** One item.
 *
 * @example
 * ```ts
 * import { openStackshot } from "@machpause/machpause";
 *
 * using stackshot = await openStackshot("hang.kcdata");
 * for (const { type, offset, data } of stackshot.data.unknown) {
 *   console.log(`type ${type} at ${offset}: ${data.length} bytes`);
 * }
 * ```
 */
export interface KcItem {
  /** Of the item; of each element when it is an array. */
  readonly type: number;
  /** Where it is in the buffer, in bytes. */
  readonly offset: number;
  /** Without the padding behind it. */
  readonly data: Uint8Array;
  /** How many elements an array has; `null` for what is no array. */
  readonly count: number | null;
  /** What stands before a value that names itself; `null` for other items. Not safe to print raw. */
  readonly description: string | null;
}

/** A container, and all that is in it.
 *
 * @example
 * ```ts
 * import { openStackshot } from "@machpause/machpause";
 *
 * using stackshot = await openStackshot("hang.kcdata");
 * for (const { type, id, items } of stackshot.data.unknownContainers) {
 *   console.log(`container ${type} of ${id}: ${items.length} items`);
 * }
 * ```
 */
export interface KcContainer {
  /** Such as that of a task. */
  readonly type: number;
  /** What it is about: a task's unique identifier, a thread's. */
  readonly id: bigint;
  /** Where it begins in the buffer, in bytes. */
  readonly offset: number;
  /** What is directly in it. */
  readonly items: readonly KcItem[];
  /** Those directly in it. */
  readonly containers: readonly KcContainer[];
}

/** One buffer. */
export interface KcBuffer {
  /** What it begins with. */
  readonly magic: number;
  /** What is in no container, and the containers. */
  readonly root: KcContainer;
  /** Structures that the buffer itself describes, by item type. */
  readonly definitions: ReadonlyMap<number, Layout>;
  /** Where the next buffer would begin. */
  readonly end: number;
}

/** No kernel nests so deep. */
const MAX_DEPTH = 32;
const HEADER = 16;
const DESCRIPTION = 32;
/** `kcdata_subtype_descriptor`, and what stands before a type's. */
const SUBTYPE = 40;
const DEFINITION = 40;
/** No structure has so many. */
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

/** Reads one buffer. What is damaged costs itself, with a warning.
 *
 * @param name of the file, for errors
 * @param offset of the buffer
 * @throws FormatError when none begins there
 */
export function readKcdata(
  bytes: Uint8Array,
  name: string,
  warn: (text: string) => void,
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

/** The item, or what is wrong with it. */
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

/** The number of an item that names itself; `null` when it is none, or cut short. */
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

/** The elements of an array; an item that is none is its only element. */
export function elements({ data, count }: KcItem): Uint8Array[] {
  if (count === null) return [data];
  if (count === 0) return [];
  const size = data.length / count;
  // What has no bytes has nothing to say, however often.
  if (size === 0) return [];
  return Array.from(
    { length: count },
    (_, index) => data.subarray(index * size, (index + 1) * size),
  );
}

/** The structures of an item, one for each element.
 *
 * @param definitions that the buffer brings for types that are not known here
 */
export function structs(item: KcItem, definitions?: ReadonlyMap<number, Layout>): Struct[] {
  const layout = layouts.get(item.type) ?? definitions?.get(item.type);
  if (layout === undefined) return [];
  // No structure has grown so much; elements without end are damage.
  const { count, data } = item;
  if (count !== null && data.length / count < layout.size / 4) return [];
  return elements(item).map((bytes) => readStruct(layout, bytes));
}

/** What an item is called: by the header, by itself, or by the buffer's own description. */
export function itemName(
  { type, description }: KcItem,
  definitions?: ReadonlyMap<number, Layout>,
): string | null {
  return description ?? layouts.get(type)?.name ?? texts.get(type) ??
    definitions?.get(type)?.name ??
    Object.entries(itemTypes).find(([, number]) => number === type)?.[0] ?? null;
}
