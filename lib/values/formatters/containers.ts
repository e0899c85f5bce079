/** The containers and other vocabulary types of C++'s standard library, whichever library's they are: what is shown
 * of each family. Where a library keeps what is its {@linkcode Layout}. */

import { damaged, type Formatter, type Synthetic, type Type, type Value } from "../model.ts";
import { shortTypeName } from "../type_names.ts";
import { canonical } from "../types.ts";
import {
  allocated,
  countOf,
  elements,
  formatted,
  named,
  noChildren,
  pair,
  pointer,
  sizeOf,
  sizeSummary,
  templateType,
  textOf,
  unsignedAt,
} from "./reading.ts";
import { stringAt } from "./strings.ts";

/** Elements that follow each other in memory. */
export interface Stretch {
  readonly start: bigint;
  readonly count: bigint;
}

/** Where one library keeps the contents of its types. Each function throws DamagedValue for what cannot be. */
export interface Layout {
  /** The library's name, as in `libc++`. */
  readonly name: string;
  /** The namespaces of its types, as a regular expression. */
  readonly namespaces: string;
  /** The text of a `basic_string`. */
  string(value: Value): string;
  /** The characters of a `basic_string_view`. */
  view(value: Value): Stretch;
  /** The first and the end address of a `vector`. */
  vector(value: Value): readonly [start: bigint, end: bigint];
  /** The elements of a `vector<bool>`: the number is one of bits. */
  bits(value: Value): Stretch;
  /** The member of an `array` that has the elements; `null` without elements. */
  array(value: Value): Value | null;
  /** The elements of a `deque`, a `list`, a `forward_list`. */
  deque(value: Value): Synthetic;
  list(value: Value): Synthetic;
  forwardList(value: Value): Synthetic;
  /** The elements of a `map` or `set`, and their type. */
  tree(value: Value, type: Type): Synthetic;
  /** The same of an `unordered_map` or `unordered_set`. */
  table(value: Value, type: Type): Synthetic;
  /** The elements of a `tuple`. */
  tuple(value: Value): readonly Value[];
  /** What an `optional` holds; `null` for nothing. */
  optional(value: Value): Value | null;
  /** What a `variant` holds: the index of its type, and where it is; `null` for nothing. */
  variant(value: Value): { readonly index: bigint; readonly address: bigint } | null;
  /** The pointer in a `unique_ptr`, and in a `shared_ptr` or `weak_ptr`. */
  unique(value: Value): Value;
  shared(value: Value): Value;
  /** The counts of a `shared_ptr`; `null` without any. */
  counts(value: Value): { readonly strong: bigint; readonly weak: bigint } | null;
  /** What an `atomic` holds. */
  atomic(value: Value): Value;
  /** The summary of a `function`. */
  callee(value: Value): string | null;
}

/** The formatters of a library. */
export function containerFormatters(layout: Layout): Formatter[] {
  const { name: library, namespaces } = layout;
  const type = (name: string, parameters = "<.*>") =>
    new RegExp(`${namespaces}${name}${parameters}`, "s");
  const of = (name: string, parts: Omit<Formatter, "name">): Formatter => ({
    name: `${library} std::${name}`,
    ...parts,
  });
  /** Elements: their number, and they themselves. */
  const container = (
    name: string,
    pattern: RegExp,
    children: (value: Value) => Synthetic,
  ): Formatter =>
    of(name, {
      type: pattern,
      children,
      summary: (value) => sizeSummary(children(value)),
    });
  return [
    of("string", {
      type: type("basic_string"),
      summary: (value) => layout.string(value),
      children: noChildren,
    }),
    of("pair", { type: type("pair"), children: pair }),
    of("string_view", {
      type: type("basic_string_view"),
      summary(value) {
        const { start, count } = layout.view(value);
        return stringAt(value, start, countOf(count), templateType(value.type, 0));
      },
      children: noChildren,
    }),
    container("vector<bool>", type("vector", "<bool, .*>"), (value) => bits(value, layout)),
    container("vector", type("vector"), (value) => between(value, ...layout.vector(value))),
    container("array", type("array"), (value) => {
      const held = layout.array(value);
      return {
        count: held === null ? 0 : canonical(held.type).count ?? 0,
        at: (index) => formatted(value, held!.raw.child(`[${index}]`)!, `[${index}]`),
      };
    }),
    container("deque", type("deque"), (value) => layout.deque(value)),
    container("list", type("list"), (value) => layout.list(value)),
    container("forward_list", type("forward_list"), (value) => layout.forwardList(value)),
    container(
      "map",
      type("(?:multi)?map"),
      (value) => layout.tree(value, allocated(value.type, 3)),
    ),
    container(
      "set",
      type("(?:multi)?set"),
      (value) => layout.tree(value, templateType(value.type, 0)),
    ),
    container(
      "unordered_map",
      type("unordered_(?:multi)?map"),
      (value) => layout.table(value, allocated(value.type, 4)),
    ),
    container(
      "unordered_set",
      type("unordered_(?:multi)?set"),
      (value) => layout.table(value, templateType(value.type, 0)),
    ),
    container("tuple", type("tuple"), (value) => {
      const held = layout.tuple(value);
      return {
        count: held.length,
        at: (index) => formatted(value, held[index], `[${index}]`),
      };
    }),
    of("optional", {
      type: type("optional"),
      summary: (value) => `Has Value=${layout.optional(value) !== null}`,
      children(value) {
        const held = layout.optional(value);
        return named(held === null ? [] : [["Value", formatted(value, held, "Value")]]);
      },
    }),
    of("variant", {
      type: type("variant"),
      summary(value) {
        const held = alternative(value, layout);
        return held === null ? "No Value" : `Active Type = ${shortTypeName(held.type.name)}`;
      },
      children(value) {
        const held = alternative(value, layout);
        return named(held === null ? [] : [["Value", held]]);
      },
    }),
    of("unique_ptr", {
      type: type("unique_ptr"),
      summary: (value) => pointerSummary(value, layout.unique(value)),
      children: (value) => pointerChildren(value, layout.unique(value)),
    }),
    of("shared_ptr", {
      type: type("(?:shared|weak)_ptr"),
      summary(value) {
        const counts = layout.counts(value);
        const text = pointerSummary(value, layout.shared(value));
        return counts === null ? text : `${text} strong=${counts.strong} weak=${counts.weak}`;
      },
      children: (value) => pointerChildren(value, layout.shared(value)),
    }),
    of("atomic", {
      type: type("atomic"),
      summary: (value) => textOf(formatted(value, layout.atomic(value), value.name)),
      children: noChildren,
    }),
    of("function", {
      type: type("function"),
      summary: (value) => layout.callee(value),
      children: noChildren,
    }),
  ];
}

function between(value: Value, start: bigint, end: bigint): Synthetic {
  const type = templateType(value.type, 0);
  const size = BigInt(sizeOf(type));
  if (end < start || (end - start) % size !== 0n) damaged("it ends before it begins");
  return elements(value, start, (end - start) / size, type);
}

function bits(value: Value, layout: Layout): Synthetic {
  const { start, count } = layout.bits(value);
  const type = templateType(value.type, 0);
  if (count > 0n) unsignedAt(value, start + (count - 1n) / 8n, 1);
  return {
    count: countOf(count),
    at(index) {
      const byte = unsignedAt(value, start + BigInt(index >> 3), 1);
      return value.make(`[${index}]`, type, Uint8Array.of(Number(byte) >> (index & 7) & 1));
    },
  };
}

/** Every alternative of a variant begins where its union does. */
function alternative(value: Value, layout: Layout): Value | null {
  const held = layout.variant(value);
  if (held === null) return null;
  const types = (canonical(value.type).templateArguments ?? []).flatMap(({ type }) => type ?? []);
  const { index, address } = held;
  return index < 0n || index >= BigInt(types.length)
    ? damaged(`its index is ${index}`)
    : value.at(address, types[Number(index)], "Value");
}

function pointee(value: Value, held: Value): Value | null {
  // The class that the object is of, as a pointer to it shows.
  const whole = held.dynamic ?? held;
  const { target } = canonical(whole.type);
  const address = pointer(whole);
  return target == null || address === 0n || canonical(target).size === null
    ? null
    : value.at(address, target, "object");
}

function pointerSummary(value: Value, held: Value): string {
  const address = pointer(held);
  if (address === 0n) return "nullptr";
  const object = pointee(value, held);
  const text = object === null ? null : object.summary ?? object.text;
  return text ?? `ptr = 0x${address.toString(16).padStart(value.context.pointerSize * 2, "0")}`;
}

function pointerChildren(value: Value, held: Value): Synthetic {
  const object = pointee(value, held);
  const own = formatted(value, held, "pointer");
  return named(object === null ? [["pointer", own]] : [["pointer", own], ["object", object]]);
}
