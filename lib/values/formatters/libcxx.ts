/** The containers of libc++, in its layouts since 2015: with and without compressed pairs (LLVM 19 and 20
 * replaced them), strings in both orders and with or without bit fields (LLVM 15). Members are found by
 * their names in the debug information (LLVM `libcxx/include`). */

import { damaged, type Formatter, type Synthetic, type Type, type Value } from "../model.ts";
import { canonical, isRecord } from "../types.ts";
import { containerFormatters, type Layout } from "./containers.ts";
import {
  aligned,
  alignmentOf,
  countOf,
  elements,
  integer,
  member,
  nextInTree,
  nodes,
  optionalMember,
  pointer,
  pointerAt,
  sizeOf,
  sizeSummary,
  templateType,
  unsignedAt,
  walked,
} from "./reading.ts";
import { literal, stringAt } from "./strings.ts";

/** The first of a compressed pair: `__compressed_pair_elem` has `__value_`, before 2017 `__first_`; and a
 * member that is none. */
function first(value: Value): Value {
  if (!isRecord(canonical(value.type))) return value;
  return optionalMember(value, "__value_", "__first_") ?? value;
}

/** `basic_string`: where its characters are, and their number.
 *
 * The short form has the size in a byte whose other bit says that it is short: the lowest one, or, in the
 * alternate layout (`_LIBCPP_ABI_ALTERNATE_STRING_LAYOUT`, Apple's arm64), the highest. */
function stringParts(value: Value): { address: bigint | null; bytes: Uint8Array; length: bigint } {
  const rep = optionalMember(value, "__rep_") ?? first(member(value, "__r_"));
  const long = member(rep, "__l");
  const short = member(rep, "__s");
  const isAlternate = canonical(long.type).members?.find(({ name }) => name !== "")?.name ===
    "__data_";
  const isLong = optionalMember(short, "__is_long_");
  const size = integer(member(short, "__size_"));
  const isShort = isLong !== null
    ? integer(isLong) === 0n
    : (size & (isAlternate ? 0x80n : 1n)) === 0n;
  if (!isShort) {
    return {
      address: pointer(member(long, "__data_")),
      bytes: new Uint8Array(),
      length: integer(member(long, "__size_")),
    };
  }
  const data = member(short, "__data_");
  const length = isLong !== null || isAlternate ? size : size >> 1n;
  if (length > BigInt(canonical(data.type).count ?? 0)) {
    damaged(`${length} characters where ${canonical(data.type).count} fit`);
  }
  return { address: data.address, bytes: data.bytes(), length };
}

function stringSummary(value: Value): string {
  const { address, bytes, length } = stringParts(value);
  const character = templateType(value.type, 0);
  const count = countOf(length);
  if (address !== null) return stringAt(value, address, count, character);
  return literal(bytes.subarray(0, count * sizeOf(character)), character);
}

function deque(value: Value): Synthetic {
  const type = templateType(value.type, 0);
  const size = sizeOf(type);
  const count = countOf(integer(first(member(value, "__size_"))));
  const start = integer(member(value, "__start_"));
  const map = pointer(member(member(value, "__map_"), "__begin_"));
  // __deque_block_size
  const block = BigInt(size < 256 ? Math.floor(4096 / size) : 16);
  const word = BigInt(value.context.pointerSize);
  return {
    count,
    at(index) {
      const at = start + BigInt(index);
      const base = pointerAt(value, map + at / block * word);
      return value.at(base + at % block * BigInt(size), type, `[${index}]`);
    },
  };
}

function list(value: Value): Synthetic {
  const type = templateType(value.type, 0);
  const { pointerSize } = value.context;
  const end = member(value, "__end_");
  const count = integer(first(member(value, "__size_alloc_", "__size_")));
  const offset = aligned(2 * pointerSize, alignmentOf(type, pointerSize));
  const start = pointer(member(end, "__next_"));
  // A node is the previous one's address, then the next one's.
  const next = (node: bigint) => {
    const to = pointerAt(value, node + BigInt(pointerSize));
    return to === end.address ? 0n : to;
  };
  return nodes(value, count, start === end.address ? 0n : start, next, offset, type);
}

function forwardList(value: Value): Synthetic {
  const type = templateType(value.type, 0);
  const { pointerSize } = value.context;
  const start = pointer(member(first(member(value, "__before_begin_")), "__next_"));
  const next = (node: bigint) => pointerAt(value, node);
  const offset = aligned(pointerSize, alignmentOf(type, pointerSize));
  return nodes(value, walked(start, 0n, next), start, next, offset, type);
}

/** A red-black tree: a node is left, right, parent, colour, value. */
function tree(value: Value, type: Type): Synthetic {
  const { pointerSize } = value.context;
  const word = BigInt(pointerSize);
  const root = member(value, "__tree_");
  const count = integer(first(member(root, "__pair3_", "__size_")));
  const begin = pointer(member(root, "__begin_node_"));
  const offset = aligned(3 * pointerSize + 1, alignmentOf(type, pointerSize));
  const next = nextInTree({
    left: (node) => pointerAt(value, node),
    right: (node) => pointerAt(value, node + word),
    parent: (node) => pointerAt(value, node + 2n * word),
    end: 0n,
  });
  return nodes(value, count, begin, next, offset, type);
}

function table(value: Value, type: Type): Synthetic {
  const { pointerSize } = value.context;
  const root = member(value, "__table_");
  const head = first(member(root, "__p1_", "__first_node_"));
  const count = integer(first(member(root, "__p2_", "__size_")));
  const start = pointer(member(head, "__next_"));
  const offset = aligned(2 * pointerSize, alignmentOf(type, pointerSize));
  return nodes(value, count, start, (node) => pointerAt(value, node), offset, type);
}

function tuple(value: Value): Value[] {
  const base = member(value, "__base_", "base_");
  const leaves = (canonical(base.type).members ?? []).filter(({ isBase }) => isBase);
  return base.raw.children(0, leaves.length).map((leaf) =>
    // An empty type is the leaf's base.
    optionalMember(leaf, "__value_", "value") ?? leaf
  );
}

function variant(value: Value): { index: bigint; address: bigint } | null {
  const impl = member(value, "__impl_", "__impl");
  const held = member(impl, "__index");
  const index = integer(held);
  // variant_npos is all ones.
  const none = (1n << BigInt(8 * (canonical(held.type).size ?? 4))) - 1n;
  if (index === -1n || index === none) return null;
  return { index, address: member(impl, "__data").address ?? 0n };
}

function counts(value: Value): { strong: bigint; weak: bigint } | null {
  const control = pointer(member(value, "__cntrl_"));
  if (control === 0n) return null;
  const { pointerSize } = value.context;
  // __shared_count and __shared_weak_count: a virtual table, then both counts less 1.
  const word = BigInt(pointerSize);
  const bits = pointerSize * 8;
  const strong = BigInt.asIntN(bits, unsignedAt(value, control + word, pointerSize)) + 1n;
  const weak = BigInt.asIntN(bits, unsignedAt(value, control + 2n * word, pointerSize)) + 1n;
  return { strong, weak };
}

function callee(value: Value): string | null {
  const holder = member(value, "__f_");
  const callee = pointer(
    isRecord(canonical(holder.type)) ? member(holder, "__f_", "__invoker_") : holder,
  );
  if (callee === 0n) return "empty";
  // __func: a virtual table, then what is called.
  const { symbolAt } = value.context;
  const called = symbolAt(pointerAt(value, callee + BigInt(value.context.pointerSize)));
  if (called?.offset === 0) return `Function = ${called.name}`;
  return symbolAt(pointerAt(value, callee))?.name ?? null;
}

const layout: Layout = {
  name: "libc++",
  // The inline namespaces: `std::__1`, Android's `std::__ndk1`, and others.
  namespaces: "std::__(?!debug|cxx)\\w+::",
  string: stringSummary,
  view: (value) => ({
    start: pointer(member(value, "__data_", "__data")),
    count: integer(member(value, "__size_", "__size")),
  }),
  vector: (value) => [pointer(member(value, "__begin_")), pointer(member(value, "__end_"))],
  bits: (value) => ({
    start: pointer(member(value, "__begin_")),
    count: integer(first(member(value, "__size_"))),
  }),
  array: (value) => member(value, "__elems_"),
  deque,
  list,
  forwardList,
  tree,
  table,
  tuple,
  optional: (value) => integer(member(value, "__engaged_")) === 0n ? null : member(value, "__val_"),
  variant,
  unique: (value) => first(member(value, "__ptr_")),
  shared: (value) => member(value, "__ptr_"),
  counts,
  atomic: (value) => member(member(value, "__a_"), "__a_value"),
  callee,
};

/** Elements of a number that is not in a container. */
function stretch(
  name: string,
  type: RegExp,
  of: (value: Value) => { readonly start: bigint; readonly count: bigint },
): Formatter {
  const children = (value: Value) => {
    const { start, count } = of(value);
    return elements(value, start, count, templateType(value.type, 0));
  };
  return { name, type, children, summary: (value) => sizeSummary(children(value)) };
}

/** The formatters of libc++'s types. */
export const libcxxFormatters: readonly Formatter[] = [
  ...containerFormatters(layout),
  stretch("libc++ std::span", /std::__(?!debug|cxx)\w+::span<.*>/s, (value) => {
    const extent = optionalMember(value, "__size_", "__size");
    const fixed = canonical(value.type).templateArguments?.[1]?.value ?? null;
    return {
      start: pointer(member(value, "__data_", "__data")),
      count: extent !== null ? integer(extent) : fixed ?? damaged("it has no size"),
    };
  }),
  // It is in no inline namespace, so both libraries' have this name.
  stretch("std::initializer_list", /std::initializer_list<.*>/s, (value) => ({
    start: pointer(member(value, "__begin_", "_M_array")),
    count: integer(member(value, "__size_", "_M_len")),
  })),
];
