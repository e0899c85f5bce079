/** The containers of GCC's libstdc++ (`libstdc++-v3/include/bits`), with both of its strings. */

import { damaged, type Formatter, type Synthetic, type Type, type Value } from "../model.ts";
import { shortTypeName } from "../type_names.ts";
import { canonical } from "../types.ts";
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
import { stringAt } from "./strings.ts";

/** Names with and without the namespaces of the newer ABI and of the debug mode. */
function standard(name: string, parameters = "<.*>"): RegExp {
  return new RegExp(`std::(?:__cxx11::|__debug::|__cxx1998::)?${name}${parameters}`, "s");
}

function container(
  name: string,
  type: RegExp,
  children: (value: Value) => Synthetic,
): Formatter {
  return { name, type, children, summary: (value) => sizeSummary(children(value)) };
}

function stringSummary(value: Value): string {
  const at = pointer(member(member(value, "_M_dataplus"), "_M_p"));
  const { pointerSize } = value.context;
  const size = optionalMember(value, "_M_string_length");
  // The older string has its length before the characters: _Rep of cow_string.h.
  const length = size !== null
    ? integer(size)
    : unsignedAt(value, at - BigInt(3 * pointerSize), pointerSize);
  return stringAt(value, at, countOf(length), templateType(value.type, 0));
}

function vector(value: Value): Synthetic {
  const type = templateType(value.type, 0);
  const impl = member(value, "_M_impl");
  const start = pointer(member(impl, "_M_start"));
  const end = pointer(member(impl, "_M_finish"));
  const size = BigInt(sizeOf(type));
  if (end < start || (end - start) % size !== 0n) damaged("it ends before it begins");
  return elements(value, start, (end - start) / size, type);
}

function bits(value: Value): Synthetic {
  const type = templateType(value.type, 0);
  const impl = member(value, "_M_impl");
  const [start, finish] = [member(impl, "_M_start"), member(impl, "_M_finish")];
  const from = pointer(member(start, "_M_p"));
  const to = pointer(member(finish, "_M_p"));
  const count = (to - from) * 8n + integer(member(finish, "_M_offset")) -
    integer(member(start, "_M_offset"));
  if (count > 0n) unsignedAt(value, from + (count - 1n) / 8n, 1);
  return {
    count: countOf(count),
    at(index) {
      const byte = unsignedAt(value, from + BigInt(index >> 3), 1);
      return value.make(`[${index}]`, type, Uint8Array.of(Number(byte) >> (index & 7) & 1));
    },
  };
}

function deque(value: Value): Synthetic {
  const type = templateType(value.type, 0);
  const size = BigInt(sizeOf(type));
  const impl = member(value, "_M_impl");
  const [start, finish] = [member(impl, "_M_start"), member(impl, "_M_finish")];
  const word = BigInt(value.context.pointerSize);
  const at = (iterator: Value, name: string) => pointer(member(iterator, name));
  // __deque_buf_size
  const block = size < 512n ? 512n / size : 1n;
  const before = (at(start, "_M_cur") - at(start, "_M_first")) / size;
  const blocks = (at(finish, "_M_node") - at(start, "_M_node")) / word;
  const count = blocks * block - before + (at(finish, "_M_cur") - at(finish, "_M_first")) / size;
  const map = at(start, "_M_node");
  return {
    count: countOf(count),
    at(index) {
      const place = before + BigInt(index);
      const base = pointerAt(value, map + place / block * word);
      return value.at(base + place % block * size, type, `[${index}]`);
    },
  };
}

function list(value: Value): Synthetic {
  const type = templateType(value.type, 0);
  const { pointerSize } = value.context;
  const head = member(member(value, "_M_impl"), "_M_node");
  const start = pointer(member(head, "_M_next"));
  const next = (node: bigint) => {
    const to = pointerAt(value, node);
    return to === head.address ? 0n : to;
  };
  const offset = aligned(2 * pointerSize, alignmentOf(type, pointerSize));
  const size = optionalMember(head, "_M_size", "_M_data");
  const count = size !== null ? integer(size) : walked(start, head.address, next);
  return nodes(value, count, start === head.address ? 0n : start, next, offset, type);
}

/** The number of nodes up to an end, of those that have no count. */
function walked(start: bigint, end: bigint | null, next: (node: bigint) => bigint): bigint {
  const seen = new Set<bigint>();
  for (let node = start; node !== 0n && node !== end; node = next(node)) {
    if (seen.has(node)) damaged(`it loops after ${seen.size} elements`);
    if (seen.size >= 1 << 12) break;
    seen.add(node);
  }
  return BigInt(seen.size);
}

function forwardList(value: Value): Synthetic {
  const type = templateType(value.type, 0);
  const { pointerSize } = value.context;
  const start = pointer(member(member(member(value, "_M_impl"), "_M_head"), "_M_next"));
  const next = (node: bigint) => pointerAt(value, node);
  const offset = aligned(pointerSize, alignmentOf(type, pointerSize));
  return nodes(value, walked(start, 0n, next), start, next, offset, type);
}

/** A red-black tree: a node is colour, parent, left, right, value. */
function tree(value: Value, type: Type): Synthetic {
  const { pointerSize } = value.context;
  const word = BigInt(pointerSize);
  const impl = member(member(value, "_M_t"), "_M_impl");
  const header = member(impl, "_M_header").address ?? damaged("it is in no memory");
  const count = integer(member(impl, "_M_node_count"));
  const left = (node: bigint) => pointerAt(value, node + 2n * word);
  const right = (node: bigint) => pointerAt(value, node + 3n * word);
  const next = (node: bigint): bigint => {
    let at = right(node);
    for (let depth = 0; at !== 0n && depth < 128; depth++) {
      const below = left(at);
      if (below === 0n) return at;
      at = below;
    }
    let child = node;
    for (let up = 0; at === 0n && up < 128; up++) {
      const above = pointerAt(value, child + word);
      if (above === header || above === 0n) return 0n;
      if (left(above) === child) return above;
      child = above;
    }
    return damaged("its nodes are no tree");
  };
  const offset = aligned(4 * pointerSize, alignmentOf(type, pointerSize));
  return nodes(value, count, left(header), next, offset, type);
}

function table(value: Value, type: Type): Synthetic {
  const { pointerSize } = value.context;
  const root = member(value, "_M_h");
  const start = pointer(member(member(root, "_M_before_begin"), "_M_nxt"));
  const count = integer(member(root, "_M_element_count"));
  const offset = aligned(pointerSize, alignmentOf(type, pointerSize));
  return nodes(value, count, start, (node) => pointerAt(value, node), offset, type);
}

/** The element of a tuple: `_Head_base<index, …>` somewhere in the chain of its bases. */
function tupleElement(value: Value, index: number): Value | null {
  let at: Value | null = value.raw;
  for (let depth = 0; at !== null && depth < 128; depth++) {
    const bases: Value[] = at.raw.children(0, 4).filter((child) =>
      /^std::_(?:Head_base|Tuple_impl)</.test(child.name)
    );
    const wanted = new RegExp(`^std::_Head_base<${index}[UL]*,`);
    const head = bases.find(({ name }) => wanted.test(name));
    if (head !== undefined) return optionalMember(head, "_M_head_impl") ?? head;
    at = bases.find(({ name }) => name.startsWith("std::_Tuple_impl<")) ?? null;
  }
  return null;
}

function tuple(value: Value): Synthetic {
  const count = (canonical(value.type).templateArguments ?? []).length;
  return {
    count,
    at(index) {
      const element = tupleElement(value, index) ?? damaged(`it has no element ${index}`);
      return formatted(value, element, `[${index}]`);
    },
  };
}

function optionalPart(value: Value): Value | null {
  const payload = member(value, "_M_payload");
  if (integer(member(payload, "_M_engaged")) === 0n) return null;
  return member(member(payload, "_M_payload"), "_M_value");
}

function variantPart(value: Value): Value | null {
  const held = member(value, "_M_index");
  const index = integer(held);
  const types = (canonical(value.type).templateArguments ?? []).flatMap(({ type }) => type ?? []);
  if (index === (1n << BigInt(sizeOf(held.type) * 8)) - 1n) return null;
  if (index >= BigInt(types.length)) damaged(`its index is ${index}`);
  return value.at(member(value, "_M_u").address ?? 0n, types[Number(index)], "Value");
}

function uniquePointer(value: Value): Value {
  const held = member(value, "_M_t");
  const inner = optionalMember(held, "_M_t") ?? held;
  return tupleElement(inner, 0) ?? damaged("it has no pointer");
}

function object(value: Value, held: Value): Value | null {
  const { target } = canonical(held.type);
  const address = pointer(held);
  return target == null || address === 0n || canonical(target).size === null
    ? null
    : value.at(address, target, "object");
}

function pointerSummary(value: Value, held: Value): string {
  const address = pointer(held);
  if (address === 0n) return "nullptr";
  const pointee = object(value, held);
  const text = pointee === null ? null : pointee.summary ?? pointee.text;
  return text ?? `ptr = 0x${address.toString(16).padStart(value.context.pointerSize * 2, "0")}`;
}

function pointerChildren(value: Value, held: Value): Synthetic {
  const pointee = object(value, held);
  const own = formatted(value, held, "pointer");
  return named(pointee === null ? [["pointer", own]] : [["pointer", own], ["object", pointee]]);
}

function sharedCounts(value: Value): string {
  const control = pointer(member(member(value, "_M_refcount"), "_M_pi"));
  if (control === 0n) return "";
  // _Sp_counted_base: a virtual table, then both counts; while the object lives it counts as weak.
  const at = control + BigInt(value.context.pointerSize);
  const strong = unsignedAt(value, at, 4);
  const weak = unsignedAt(value, at + 4n, 4);
  return ` strong=${strong} weak=${weak - (strong > 0n ? 1n : 0n)}`;
}

/** Of libstdc++. */
export const libstdcxxFormatters: readonly Formatter[] = [
  {
    name: "libstdc++ std::string",
    type: standard("basic_string"),
    summary: stringSummary,
    children: noChildren,
  },
  { name: "libstdc++ std::pair", type: standard("pair"), children: pair },
  {
    name: "libstdc++ std::string_view",
    type: standard("basic_string_view"),
    summary: (value) =>
      stringAt(
        value,
        pointer(member(value, "_M_str")),
        countOf(integer(member(value, "_M_len"))),
        templateType(value.type, 0),
      ),
    children: noChildren,
  },
  container("libstdc++ std::vector<bool>", standard("vector", "<bool, .*>"), bits),
  container("libstdc++ std::vector", standard("vector"), vector),
  container("libstdc++ std::array", standard("array"), (value) => {
    const held = optionalMember(value, "_M_elems");
    const count = held === null ? 0 : canonical(held.type).count ?? 0;
    return {
      count,
      at: (index) => formatted(value, held!.raw.child(`[${index}]`)!, `[${index}]`),
    };
  }),
  container("libstdc++ std::deque", standard("deque"), deque),
  container("libstdc++ std::list", standard("list"), list),
  container("libstdc++ std::forward_list", standard("forward_list"), forwardList),
  container(
    "libstdc++ std::map",
    standard("(?:multi)?map"),
    (value) => tree(value, allocated(value.type, 3)),
  ),
  container(
    "libstdc++ std::set",
    standard("(?:multi)?set"),
    (value) => tree(value, templateType(value.type, 0)),
  ),
  container(
    "libstdc++ std::unordered_map",
    standard("unordered_(?:multi)?map"),
    (value) => table(value, allocated(value.type, 4)),
  ),
  container(
    "libstdc++ std::unordered_set",
    standard("unordered_(?:multi)?set"),
    (value) => table(value, templateType(value.type, 0)),
  ),
  container("libstdc++ std::tuple", standard("tuple"), tuple),
  {
    name: "libstdc++ std::optional",
    type: standard("optional"),
    summary: (value) => `Has Value=${optionalPart(value) !== null}`,
    children(value) {
      const held = optionalPart(value);
      return named(held === null ? [] : [["Value", formatted(value, held, "Value")]]);
    },
  },
  {
    name: "libstdc++ std::variant",
    type: standard("variant"),
    summary(value) {
      const held = variantPart(value);
      return held === null ? "No Value" : `Active Type = ${shortTypeName(held.type.name)}`;
    },
    children(value) {
      const held = variantPart(value);
      return named(held === null ? [] : [["Value", held]]);
    },
  },
  {
    name: "libstdc++ std::unique_ptr",
    type: standard("unique_ptr"),
    summary: (value) => pointerSummary(value, uniquePointer(value)),
    children: (value) => pointerChildren(value, uniquePointer(value)),
  },
  {
    name: "libstdc++ std::shared_ptr",
    type: standard("(?:shared|weak)_ptr"),
    summary: (value) => `${pointerSummary(value, member(value, "_M_ptr"))}${sharedCounts(value)}`,
    children: (value) => pointerChildren(value, member(value, "_M_ptr")),
  },
  {
    name: "libstdc++ std::atomic",
    type: standard("atomic"),
    summary: (value) => textOf(formatted(value, member(value, "_M_i", "_M_base"), value.name)),
    children: noChildren,
  },
  {
    name: "libstdc++ std::function",
    type: standard("function"),
    summary(value) {
      const invoker = pointer(member(value, "_M_invoker"));
      if (pointer(member(value, "_M_manager")) === 0n || invoker === 0n) return "empty";
      return value.context.symbolAt(invoker)?.name ?? null;
    },
    children: noChildren,
  },
];
