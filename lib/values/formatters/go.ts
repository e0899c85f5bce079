/** Go's strings, slices, maps and interfaces, by the structures that its compiler describes
 * (`runtime/string.go`, `slice.go`, `map.go`, `runtime2.go`). */

import { damaged, type Formatter, type Synthetic, type Type, type Value } from "../model.ts";
import { unsignedOf } from "../scalars.ts";
import { canonical, isRecord } from "../types.ts";
import {
  bytesAt,
  countOf,
  integer,
  member,
  noChildren,
  optionalMember,
  pointed,
  pointer,
  pointerAt,
  sizeSummary,
  unsignedAt,
} from "./reading.ts";
import { utf8At } from "./strings.ts";

function hasMembers(type: Type, ...names: string[]): boolean {
  const { members } = canonical(type);
  return members !== undefined && isRecord(canonical(type)) &&
    names.every((name) => members.some((member) => member.name === name));
}

function slice(value: Value): Synthetic {
  const length = integer(member(value, "len"));
  if (length > integer(member(value, "cap"))) damaged("its length exceeds its capacity");
  return pointed(value, member(value, "array"), length);
}

/** The concrete type, from the name of the itab: `go:itab.*os.File,io.Writer`, with a dot until Go 1.19. */
function concreteType(value: Value): string | null {
  const table = optionalMember(value, "tab", "_type");
  if (table === null) return null;
  const name = value.context.symbolAt(pointer(table))?.name ?? "";
  const itab = /^_?go[.:]itab\.(.*),[^,]*$/.exec(name);
  if (itab !== null) return itab[1];
  if (table.name !== "_type") return null;
  const own = /^_?type[.:](.*)$/.exec(name)?.[1] ?? null;
  // The linker gives all types one symbol, or none.
  return own === null || own === "*" ? runtimeName(value, pointer(table)) : own;
}

/** Maximum length of a type's name, in bytes. */
const MAX_NAME = 1 << 10;

/** Where the runtime's types begin, from which it counts their names; `null` where that is not known. */
function typesStart(value: Value): bigint | null {
  const { context } = value;
  const [data] = context.addressesOf("runtime.firstmoduledata");
  const members = data === undefined ? undefined : context.findType("runtime.moduledata")?.members;
  const types = members?.find(({ name }) => name === "types");
  return types === undefined ? null : pointerAt(value, data + BigInt(types.offset));
}

/** The name that the runtime has of a type: `abi.Type` of Go's `internal/abi/type.go`, whose names have a length of base
 * 128 since 1.17. */
function runtimeName(value: Value, type: bigint): string | null {
  const { pointerSize } = value.context;
  const start = typesStart(value);
  if (start === null || type < start) return null;
  const flags = unsignedAt(value, type + BigInt(2 * pointerSize + 4), 1);
  const name = start + unsignedAt(value, type + BigInt(4 * pointerSize + 8), 4);
  const [, low, high] = bytesAt(value, name, 3);
  const length = low < 0x80 ? low : (low & 0x7f) | (high & 0x7f) << 7;
  if (length === 0 || length > MAX_NAME || high >= 0x80 && low >= 0x80) return null;
  const bytes = bytesAt(value, name + (low < 0x80 ? 2n : 3n), length);
  const text = new TextDecoder().decode(bytes);
  // tflagExtraStar: the name is shared with that of the pointer.
  return (flags & 2n) !== 0n && text.startsWith("*") ? text.slice(1) : text;
}

const languages = ["go"] as const;

/** The formatters of Go's types. */
export const goFormatters: readonly Formatter[] = [
  {
    name: "Go string",
    languages,
    type: (type) => isRecord(type) && hasMembers(type, "str", "len"),
    summary: (value) => utf8At(value, pointer(member(value, "str")), integer(member(value, "len"))),
    children: noChildren,
  },
  {
    name: "Go slice",
    languages,
    type: (type) => isRecord(type) && hasMembers(type, "array", "len", "cap"),
    summary: (value) => `len=${slice(value).count} cap=${integer(member(value, "cap"))}`,
    children: slice,
  },
  {
    name: "Go map",
    languages,
    type: /map\[.*\].*/,
    summary(value) {
      if (value.integer === 0n) return "nil";
      const header = value.raw.deref() ?? value.raw;
      const count = optionalMember(header, "count", "used");
      return count === null ? null : sizeSummary({
        count: countOf(integer(count)),
        at: () => header,
      });
    },
  },
  {
    name: "Go func",
    languages,
    type: ({ kind }) => kind === "function",
    // A value is a pointer to a closure, which begins with the address of its code.
    summary(value) {
      const { pointerSize, addressMask } = value.context;
      const bytes = value.bytes(pointerSize);
      if (bytes.length < pointerSize) return null;
      const closure = unsignedOf(bytes) & addressMask;
      if (closure === 0n) return "nil";
      const code = pointerAt(value, closure);
      return value.context.symbolAt(code)?.name ?? `0x${code.toString(16)}`;
    },
  },
  {
    name: "Go interface",
    languages,
    type: (type) =>
      isRecord(type) && (hasMembers(type, "tab", "data") || hasMembers(type, "_type", "data")),
    summary(value) {
      const table = member(value, "tab", "_type");
      if (pointer(table) === 0n) return "nil";
      const data = pointer(member(value, "data"));
      const type = concreteType(value);
      return `${type ?? "interface"} at 0x${data.toString(16)}`;
    },
    children: (value) => pointer(member(value, "tab", "_type")) === 0n ? noChildren() : null,
  },
];
