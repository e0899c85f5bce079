/** Go's strings, slices, maps and interfaces, by the structures that its compiler describes
 * (`runtime/string.go`, `slice.go`, `map.go`, `runtime2.go`). */

import { damaged, type Formatter, type Synthetic, type Type, type Value } from "../model.ts";
import { canonical, isRecord } from "../types.ts";
import {
  countOf,
  integer,
  member,
  noChildren,
  optionalMember,
  pointed,
  pointer,
  sizeSummary,
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
  return itab?.[1] ?? /^_?type[.:](.*)$/.exec(name)?.[1] ?? null;
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
