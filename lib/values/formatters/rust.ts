/** Rust's strings, slices, vectors and enums, by the members that rustc describes (1.60 to 1.95). The
 * layouts are not stable; what has other members is shown as it is. */

import { damaged, type Formatter, type Synthetic, type Type, type Value } from "../model.ts";
import { canonical, isRecord } from "../types.ts";
import {
  elements,
  integer,
  member,
  noChildren,
  optionalMember,
  pointed,
  pointer,
  sizeSummary,
  templateType,
  textOf,
} from "./reading.ts";
import { utf8At } from "./strings.ts";

/** Maximum nesting of the structs around a pointer: `RawVec`, `Unique`, `NonNull`. */
const MAX_WRAPPERS = 8;
/** Maximum number of a variant's fields in a summary. */
const MAX_FIELDS = 8;

/** The pointer in `RawVec { inner: RawVecInner { ptr: Unique { pointer: NonNull { pointer } } } }`, and in
 * the same with fewer structs around it. */
function buffer(value: Value): Value {
  let at = value;
  for (let depth = 0; depth < MAX_WRAPPERS && isRecord(canonical(at.type)); depth++) {
    at = optionalMember(at, "inner", "ptr", "pointer", "data_ptr") ??
      damaged(`${at.type.name} has no pointer`);
  }
  return at;
}

function slice(value: Value): Synthetic {
  return pointed(value, member(value, "data_ptr"), integer(member(value, "length")));
}

function vector(value: Value): Synthetic {
  const type = templateType(value.type, 0);
  const start = pointer(buffer(member(value, "buf")));
  return elements(value, start, integer(member(value, "len")), type);
}

/** `Some(5)`, `Point { x: 1, y: 2 }`, `None`. */
function variantText(value: Value): string | null {
  const { variantPart } = canonical(value.type);
  const names = new Set(
    variantPart?.variants.flatMap(({ members }) => members.map(({ name }) => name)),
  );
  const chosen = value.raw.children(0, MAX_FIELDS).find(({ name }) => names.has(name));
  if (chosen === undefined) return null;
  const fields = value.at(chosen.address ?? 0n, chosen.type).children(0, MAX_FIELDS + 1);
  if (chosen.address === null || fields.length === 0) return chosen.name;
  const isTuple = fields.every(({ name }) => /^__\d+$/.test(name));
  const texts = fields.slice(0, MAX_FIELDS).map((field) =>
    isTuple ? textOf(field) : `${field.name}: ${textOf(field)}`
  );
  if (fields.length > MAX_FIELDS) texts.push("...");
  return isTuple ? `${chosen.name}(${texts.join(", ")})` : `${chosen.name} { ${texts.join(", ")} }`;
}

const languages = ["rust"] as const;

const slices = /^(?:&(?:mut )?\[.*\]|(?:alloc::boxed::)?Box<\[.*\](?:, .*)?>)$/s;

/** The formatters of Rust's types. */
export const rustFormatters: readonly Formatter[] = [
  {
    name: "Rust &str",
    languages,
    type: /&(?:mut )?str|(?:alloc::boxed::)?Box<str(?:, .*)?>/,
    summary: (value) =>
      utf8At(value, pointer(member(value, "data_ptr")), integer(member(value, "length"))),
    children: noChildren,
  },
  {
    name: "Rust String",
    languages,
    type: "alloc::string::String",
    summary(value) {
      const vec = member(value, "vec");
      return utf8At(value, pointer(buffer(member(vec, "buf"))), integer(member(vec, "len")));
    },
    children: noChildren,
  },
  {
    name: "Rust Vec",
    languages,
    type: /alloc::vec::Vec<.*>/,
    summary: (value) => sizeSummary(vector(value)),
    children: vector,
  },
  {
    name: "Rust slice",
    languages,
    // A reference to an array is a pointer alone.
    type: (type) => isRecord(canonical(type)) && slices.test(type.name),
    summary: (value) => sizeSummary(slice(value)),
    children: slice,
  },
  {
    name: "Rust enum",
    languages,
    type: (type: Type) => type.variantPart != null,
    summary: variantText,
  },
];
