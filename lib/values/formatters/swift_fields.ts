/** The fields of Swift's own structs, classes and enums by the reflection metadata in the image: debug information has
 * their names and sizes alone. A type's descriptor is found by its symbol, and leads to its field descriptor
 * (Swift `include/swift/ABI/Metadata.h`, `include/swift/RemoteInspection/Records.h`). Fields follow each other,
 * each at its alignment (`docs/ABI/TypeLayout.rst`). */

import type { Member, Type, Value } from "../model.ts";
import { aligned, bytesAt, unsignedAt } from "./reading.ts";

/** Maximum number of fields, of types in each other, and length of a name. */
const MAX_FIELDS = 1 << 10;
const MAX_DEPTH = 8;
const MAX_NAME = 256;

/** `ContextDescriptorKind`. */
const CONTEXT = { class: 16, struct: 17, enum: 18 } as const;
/** Bytes of a class's object before its fields: the metadata and the reference counts. */
const OBJECT_HEADER = 16;

/** A type by its code, where it is one of the standard library's. */
export type KnownType = (code: string) => Type | undefined;

/** What a nominal type consists of. */
export interface SwiftFields {
  readonly kind: "struct" | "class" | "enum";
  /** Those whose place is known: up to the first one of an unknown type. */
  readonly members: readonly Member[];
  readonly isWhole: boolean;
  /** Of a struct: its size and alignment. */
  readonly size: number;
  readonly alignment: number;
  /** Of an enum: its cases, and whether none of them holds anything. */
  readonly cases: readonly string[];
  readonly isPlain: boolean;
}

/** The fields of the type with a code, such as `4main5PointV`; `null` where the image does not say.
 *
 * @throws DamagedValue when the metadata cannot be read
 */
export function fieldsOf(value: Value, code: string, known: KnownType): SwiftFields | null {
  const { context } = value;
  const symbol = `$s${code}Mn`;
  const [descriptor] = [...context.addressesOf(`_${symbol}`), ...context.addressesOf(symbol)];
  return descriptor === undefined ? null : read(value, descriptor, known, 0);
}

/** The address that a 32-bit distance leads to; `null` for none. */
function relative(value: Value, at: bigint): bigint | null {
  const distance = BigInt.asIntN(32, unsignedAt(value, at, 4));
  return distance === 0n ? null : at + distance;
}

function text(value: Value, address: bigint): string {
  const bytes = value.context.memory.readUpTo(address, MAX_NAME);
  const end = bytes.indexOf(0);
  return new TextDecoder().decode(end < 0 ? bytes : bytes.subarray(0, end));
}

function read(
  value: Value,
  descriptor: bigint,
  known: KnownType,
  depth: number,
): SwiftFields | null {
  const context = Number(unsignedAt(value, descriptor, 4) & 31n);
  // Flags, parent, name, access function, fields.
  const fields = relative(value, descriptor + 16n);
  const kind = context === CONTEXT.class
    ? "class"
    : context === CONTEXT.struct
    ? "struct"
    : context === CONTEXT.enum
    ? "enum"
    : null;
  if (kind === null || fields === null || depth > MAX_DEPTH) return null;
  // The type's name, the superclass's, the kind and the size of a record in 16 bits each, their number.
  const recordSize = BigInt(unsignedAt(value, fields + 10n, 2));
  const count = Number(unsignedAt(value, fields + 12n, 4));
  if (recordSize < 12n || count > MAX_FIELDS) return null;
  // Where the fields of a superclass end is not said here.
  if (kind === "class" && relative(value, fields + 4n) !== null) return null;
  const members: Member[] = [];
  const cases: string[] = [];
  let isPlain = true;
  let isWhole = true;
  let size = kind === "class" ? OBJECT_HEADER : 0;
  let alignment = 1;
  for (let index = 0n; index < BigInt(count); index++) {
    const record = fields + 16n + index * recordSize;
    const typeName = relative(value, record + 4n);
    const nameAt = relative(value, record + 8n);
    const name = nameAt === null ? "" : text(value, nameAt);
    if (kind === "enum") {
      cases.push(name);
      if (typeName !== null) isPlain = false;
      continue;
    }
    const type = typeName === null ? null : fieldType(value, typeName, known, depth);
    if (type === null) {
      isWhole = false;
      break;
    }
    size = aligned(size, type.alignment);
    members.push({ name, type: type.type, offset: size, isBase: false, artificial: false });
    size += type.type.size!;
    alignment = Math.max(alignment, type.alignment);
  }
  return { kind, members, isWhole, size, alignment, cases, isPlain };
}

/** The type of a field: one of the standard library's, or one that the image describes too. */
function fieldType(
  value: Value,
  at: bigint,
  known: KnownType,
  depth: number,
): { readonly type: Type; readonly alignment: number } | null {
  const { pointerSize } = value.context;
  const [first] = bytesAt(value, at, 1);
  // 1: the distance to a descriptor follows, and ends the name where it is all of it.
  if (first !== 1) {
    const type = known(text(value, at));
    return type === undefined
      ? null
      : { type, alignment: Math.min(type.size ?? 1, pointerSize) || 1 };
  }
  const descriptor = relative(value, at + 1n);
  if (descriptor === null || unsignedAt(value, at + 5n, 1) !== 0n) return null;
  const inner = read(value, descriptor, known, depth + 1);
  if (inner === null) return null;
  const nameAt = relative(value, descriptor + 8n);
  const symbol = value.context.symbolAt(descriptor);
  const code = symbol?.offset === 0 ? /^_?(\$s.*)Mn$/.exec(symbol.name)?.[1] : undefined;
  const name = code ?? (nameAt === null ? "" : text(value, nameAt));
  const made = (size: number, members: readonly Member[]): Type => ({
    ...{ kind: "struct", name, size, language: "swift", members },
  });
  switch (inner.kind) {
    case "class":
      return { type: made(pointerSize, []), alignment: pointerSize };
    case "struct":
      return inner.isWhole
        ? { type: made(inner.size, inner.members), alignment: inner.alignment }
        : null;
    case "enum":
      // A case is a byte, where there are not too many of them; what others hold decides of their size.
      return inner.isPlain && inner.cases.length <= 256
        ? { type: made(inner.cases.length > 1 ? 1 : 0, []), alignment: 1 }
        : null;
  }
}
