/** The containers of libc++, in its layouts since 2015: with and without compressed pairs (LLVM 19 and 20
 * replaced them), strings in both orders and with or without bit fields (LLVM 15). Members are found by
 * their names in the debug information (LLVM `libcxx/include`). */

import { damaged, type Formatter, type Synthetic, type Type, type Value } from "../model.ts";
import { shortTypeName } from "../type_names.ts";
import { canonical, isRecord } from "../types.ts";
import {
  aligned,
  alignmentOf,
  allocated,
  countOf,
  elements,
  formatted,
  integer,
  member,
  named,
  noChildren,
  nodes,
  optionalMember,
  pair,
  pointer,
  pointerAt,
  sizeOf,
  sizeSummary,
  templateType,
  textOf,
  unsignedAt,
} from "./reading.ts";
import { literal, stringAt } from "./strings.ts";

/** Names in the inline namespaces: `std::__1`, Android's `std::__ndk1`, and others. */
function standard(name: string, parameters = "<.*>"): RegExp {
  return new RegExp(`std::__(?!debug|cxx)\\w+::${name}${parameters}`, "s");
}

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

function between(value: Value, from: string, to: string): Synthetic {
  const type = templateType(value.type, 0);
  const start = pointer(member(value, from));
  const end = pointer(member(value, to));
  const size = BigInt(sizeOf(type));
  if (end < start || (end - start) % size !== 0n) damaged("it ends before it begins");
  return elements(value, start, (end - start) / size, type);
}

function bits(value: Value): Synthetic {
  const count = integer(first(member(value, "__size_")));
  const start = pointer(member(value, "__begin_"));
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

/** `forward_list` has no size: it is walked. */
function forwardList(value: Value): Synthetic {
  const type = templateType(value.type, 0);
  const { pointerSize } = value.context;
  const head = first(member(value, "__before_begin_"));
  const start = pointer(member(head, "__next_"));
  let count = 0n;
  const seen = new Set<bigint>();
  for (let node = start; node !== 0n; node = pointerAt(value, node), count++) {
    if (seen.has(node)) damaged(`it loops after ${count} elements`);
    if (seen.size >= 1 << 12) break;
    seen.add(node);
  }
  const offset = aligned(pointerSize, alignmentOf(type, pointerSize));
  return nodes(value, count, start, (node) => pointerAt(value, node), offset, type);
}

/** A red-black tree: a node is left, right, parent, colour, value. */
function tree(value: Value, type: Type): Synthetic {
  const { pointerSize } = value.context;
  const word = BigInt(pointerSize);
  const root = member(value, "__tree_");
  const count = integer(first(member(root, "__pair3_", "__size_")));
  const begin = pointer(member(root, "__begin_node_"));
  const offset = aligned(3 * pointerSize + 1, alignmentOf(type, pointerSize));
  const left = (node: bigint) => pointerAt(value, node);
  const right = (node: bigint) => pointerAt(value, node + word);
  const parent = (node: bigint) => pointerAt(value, node + 2n * word);
  const next = (node: bigint): bigint => {
    let at = right(node);
    // No path is longer than twice the logarithm of the count.
    for (let depth = 0; depth < 128; depth++) {
      if (at !== 0n) {
        const below = left(at);
        if (below === 0n) return at;
        at = below;
        continue;
      }
      let child = node;
      for (let up = 0; up < 128; up++) {
        const above = parent(child);
        if (above === 0n) return 0n;
        if (left(above) === child) return above;
        child = above;
      }
      break;
    }
    return damaged("its nodes are no tree");
  };
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

function tuple(value: Value): Synthetic {
  const base = member(value, "__base_", "base_");
  const leaves = (canonical(base.type).members ?? []).filter(({ isBase }) => isBase);
  return {
    count: leaves.length,
    at(index) {
      const leaf = base.raw.children(0, leaves.length + 1)[index];
      const held = optionalMember(leaf, "__value_", "value");
      // An empty type is the leaf's base.
      return formatted(value, held ?? leaf, `[${index}]`);
    },
  };
}

function variantParts(value: Value): { index: bigint; held: Value | null } {
  const impl = member(value, "__impl_", "__impl");
  const index = integer(member(impl, "__index"));
  const types = templateTypes(value.type);
  if (index < 0n || index >= BigInt(types.length)) {
    const { size } = canonical(member(impl, "__index").type);
    // variant_npos is all ones.
    const none = index === -1n || index === (1n << BigInt((size ?? 4) * 8)) - 1n;
    return none ? { index: -1n, held: null } : damaged(`its index is ${index}`);
  }
  const data = member(impl, "__data");
  // Every alternative begins where the union does.
  return { index, held: value.at(data.address ?? 0n, types[Number(index)], "Value") };
}

/** The arguments of a pack. */
function templateTypes(type: Type): Type[] {
  return (canonical(type).templateArguments ?? []).flatMap((argument) => argument.type ?? []);
}

function sharedCounts(value: Value): string {
  const control = pointer(member(value, "__cntrl_"));
  if (control === 0n) return "";
  const { pointerSize } = value.context;
  // __shared_count and __shared_weak_count: a virtual table, then both counts less 1.
  const word = BigInt(pointerSize);
  const bits = pointerSize * 8;
  const strong = BigInt.asIntN(bits, unsignedAt(value, control + word, pointerSize)) + 1n;
  const weak = BigInt.asIntN(bits, unsignedAt(value, control + 2n * word, pointerSize)) + 1n;
  return ` strong=${strong} weak=${weak}`;
}

function pointee(value: Value, held: Value): Value | null {
  const target = canonical(held.type).target;
  const address = pointer(held);
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

/** A formatter of elements: their number, and they themselves. */
function container(
  name: string,
  type: RegExp,
  children: (value: Value) => Synthetic,
): Formatter {
  return { name, type, children, summary: (value) => sizeSummary(children(value)) };
}

/** Of libc++. */
export const libcxxFormatters: readonly Formatter[] = [
  {
    name: "libc++ std::string",
    type: standard("basic_string"),
    summary: stringSummary,
    children: noChildren,
  },
  { name: "libc++ std::pair", type: standard("pair"), children: pair },
  {
    name: "libc++ std::string_view",
    type: standard("basic_string_view"),
    summary(value) {
      const count = countOf(integer(member(value, "__size_", "__size")));
      const at = pointer(member(value, "__data_", "__data"));
      return stringAt(value, at, count, templateType(value.type, 0));
    },
    children: noChildren,
  },
  container("libc++ std::vector<bool>", standard("vector", "<bool, .*>"), bits),
  container(
    "libc++ std::vector",
    standard("vector"),
    (value) => between(value, "__begin_", "__end_"),
  ),
  container("libc++ std::array", standard("array"), (value) => {
    const held = member(value, "__elems_");
    const count = canonical(held.type).count ?? 0;
    return {
      count,
      at: (index) => formatted(value, held.raw.child(`[${index}]`)!, `[${index}]`),
    };
  }),
  container("libc++ std::span", standard("span"), (value) => {
    const extent = optionalMember(value, "__size_", "__size");
    const fixed = canonical(value.type).templateArguments?.[1]?.value ?? null;
    const count = extent !== null ? integer(extent) : fixed ?? damaged("it has no size");
    const start = pointer(member(value, "__data_", "__data"));
    return elements(value, start, count, templateType(value.type, 0));
  }),
  container("libc++ std::initializer_list", /std::initializer_list<.*>/s, (value) => {
    const count = integer(member(value, "__size_", "_M_len"));
    const start = pointer(member(value, "__begin_", "_M_array"));
    return elements(value, start, count, templateType(value.type, 0));
  }),
  container("libc++ std::deque", standard("deque"), deque),
  container("libc++ std::list", standard("list"), list),
  container("libc++ std::forward_list", standard("forward_list"), forwardList),
  container(
    "libc++ std::map",
    standard("(?:multi)?map"),
    (value) => tree(value, allocated(value.type, 3)),
  ),
  container(
    "libc++ std::set",
    standard("(?:multi)?set"),
    (value) => tree(value, templateType(value.type, 0)),
  ),
  container(
    "libc++ std::unordered_map",
    standard("unordered_(?:multi)?map"),
    (value) => table(value, allocated(value.type, 4)),
  ),
  container(
    "libc++ std::unordered_set",
    standard("unordered_(?:multi)?set"),
    (value) => table(value, templateType(value.type, 0)),
  ),
  container("libc++ std::tuple", standard("tuple"), tuple),
  {
    name: "libc++ std::optional",
    type: standard("optional"),
    summary: (value) =>
      `Has Value=${integer(member(value, "__engaged_")) !== 0n ? "true" : "false"}`,
    children(value) {
      if (integer(member(value, "__engaged_")) === 0n) return named([]);
      const held = formatted(value, member(value, "__val_"), "Value");
      return named([["Value", held]]);
    },
  },
  {
    name: "libc++ std::variant",
    type: standard("variant"),
    summary(value) {
      const { held } = variantParts(value);
      return held === null ? "No Value" : `Active Type = ${shortTypeName(held.type.name)}`;
    },
    children(value) {
      const { held } = variantParts(value);
      return named(held === null ? [] : [["Value", held]]);
    },
  },
  {
    name: "libc++ std::unique_ptr",
    type: standard("unique_ptr"),
    summary: (value) => pointerSummary(value, first(member(value, "__ptr_"))),
    children: (value) => pointerChildren(value, first(member(value, "__ptr_"))),
  },
  {
    name: "libc++ std::shared_ptr",
    type: standard("(?:shared|weak)_ptr"),
    summary: (value) => `${pointerSummary(value, member(value, "__ptr_"))}${sharedCounts(value)}`,
    children: (value) => pointerChildren(value, member(value, "__ptr_")),
  },
  {
    name: "libc++ std::atomic",
    type: standard("atomic"),
    summary: (value) =>
      textOf(formatted(value, member(member(value, "__a_"), "__a_value"), value.name)),
    children: noChildren,
  },
  {
    name: "libc++ std::function",
    type: standard("function"),
    summary(value) {
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
    },
    children: noChildren,
  },
];
