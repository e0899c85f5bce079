/** Rust's strings, slices, collections, counted pointers, cells and enums, by the members that rustc describes (1.60 to 1.95). The
 * layouts are not stable; what has other members is shown as it is. */

import { damaged, type Formatter, type Synthetic, type Type, type Value } from "../model.ts";
import { canonical, isRecord } from "../types.ts";
import {
  bytesAt,
  countOf,
  elements,
  formatted,
  integer,
  member,
  named,
  noChildren,
  optionalMember,
  pointed,
  pointer,
  sizeOf,
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

/** The number or value in the structs around it: `Cell`, `UnsafeCell`, an atomic one. */
function innermost(value: Value): Value {
  let at = value;
  for (let depth = 0; depth < MAX_WRAPPERS && isRecord(canonical(at.type)); depth++) {
    at = optionalMember(at, "value", "v", "__0") ?? damaged(`${at.type.name} has no value`);
  }
  return at;
}

/** The elements of a ring. Before Rust 1.67 it had no length. */
function ring(value: Value): Synthetic | null {
  const [length, head, buf] = ["len", "head", "buf"].map((name) => optionalMember(value, name));
  if (length === null || head === null || buf === null) return null;
  const type = templateType(value.type, 0);
  const start = pointer(buffer(buf));
  const first = integer(head);
  const room = integer(innermost(member(optionalMember(buf, "inner") ?? buf, "cap")));
  const size = BigInt(sizeOf(type));
  if (integer(length) > room) damaged(`${integer(length)} elements in the room of ${room}`);
  return {
    count: countOf(integer(length)),
    at: (index) => value.at(start + (first + BigInt(index)) % room * size, type, `[${index}]`),
  };
}

/** Maximum number of a table's places that are looked at. */
const MAX_PLACES = 1 << 20;

/** The elements of hashbrown's table. They are before its control bytes, the last one first; the top bit of
 * a control byte is clear where there is one. */
function table(
  value: Value,
  raw: Value,
  show: (element: Value, index: number) => Value,
): Synthetic {
  const inner = member(raw, "table");
  const type = templateType(raw.type, 0);
  const size = BigInt(sizeOf(type));
  const control = pointer(member(member(inner, "ctrl"), "pointer"));
  const places = integer(member(inner, "bucket_mask")) + 1n;
  const count = countOf(integer(member(inner, "items")));
  if (places > MAX_PLACES) damaged(`only ${MAX_PLACES} places are looked at`);
  let full: number[] | undefined;
  return {
    count,
    at(index) {
      full ??= [...bytesAt(value, control, Number(places)).entries()]
        .flatMap(([place, byte]) => byte < 0x80 ? [place] : []);
      const place = full[index] ?? damaged(`it has ${full.length} of ${count} elements`);
      return show(value.at(control - BigInt(place + 1) * size, type, `[${index}]`), index);
    },
  };
}

function map(value: Value): Synthetic {
  return table(value, member(member(value, "base"), "table"), (element) => element);
}

function set(value: Value): Synthetic {
  const raw = member(member(member(value, "base"), "map"), "table");
  return table(
    value,
    raw,
    (element, index) => formatted(value, member(element, "__0"), `[${index}]`),
  );
}

/** What an `Rc` or `Arc` leads to; `null` where it is a slice or a trait's object. */
function shared(value: Value): Value | null {
  const held = optionalMember(member(value, "ptr"), "pointer");
  return held === null || isRecord(canonical(held.type)) ? null : held.deref();
}

/** What a `Cell` or `RefCell` holds. */
function inCell(value: Value): Value {
  return formatted(value, member(member(value, "value"), "value"), "value");
}

/** The counts of both kinds. All strong ones together are one weak one. */
function counts(value: Value): string | null {
  const target = shared(value);
  if (target === null) return null;
  const [strong, weak] = ["strong", "weak"].map((name) => integer(innermost(member(target, name))));
  return `strong=${strong} weak=${weak - 1n}`;
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
    name: "Rust VecDeque",
    languages,
    type: /alloc::collections::vec_deque::VecDeque<.*>/,
    summary: (value) => sizeSummary(ring(value)),
    children: ring,
  },
  {
    name: "Rust HashMap",
    languages,
    type: /std::collections::hash::map::HashMap<.*>/,
    summary: (value) => sizeSummary(map(value)),
    children: map,
  },
  {
    name: "Rust HashSet",
    languages,
    type: /std::collections::hash::set::HashSet<.*>/,
    summary: (value) => sizeSummary(set(value)),
    children: set,
  },
  {
    name: "Rust Rc",
    languages,
    type: /alloc::(?:rc::Rc|sync::Arc)<.*>/,
    summary: counts,
    children(value) {
      const target = shared(value);
      return target === null
        ? null
        : named([["value", formatted(value, member(target, "value", "data"), "value")]]);
    },
  },
  {
    name: "Rust Cell",
    languages,
    type: /core::cell::Cell<.*>/,
    summary: (value) => isRecord(canonical(inCell(value).type)) ? null : textOf(inCell(value)),
    children: (value) =>
      isRecord(canonical(inCell(value).type)) ? named([["value", inCell(value)]]) : noChildren(),
  },
  {
    name: "Rust RefCell",
    languages,
    type: /core::cell::RefCell<.*>/,
    children: (value) =>
      named([
        ["value", inCell(value)],
        ["borrow", innermost(member(value, "borrow"))],
      ]),
  },
  {
    name: "Rust enum",
    languages,
    type: (type: Type) => type.variantPart != null,
    summary: variantText,
  },
];
