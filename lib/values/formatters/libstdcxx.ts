/** The containers of GCC's libstdc++ (`libstdc++-v3/include/bits`), with both of its strings. */

import { demangle } from "../../symbols/walking.ts";
import { damaged, type Formatter, type Synthetic, type Type, type Value } from "../model.ts";
import { canonical } from "../types.ts";
import { containerFormatters } from "./containers.ts";
import {
  aligned,
  alignmentOf,
  countOf,
  integer,
  member,
  nextInTree,
  nodes,
  optionalMember,
  pointer,
  pointerAt,
  sizeOf,
  templateType,
  unsignedAt,
  walked,
} from "./reading.ts";
import { stringAt } from "./strings.ts";

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

function vector(value: Value): [bigint, bigint] {
  const impl = member(value, "_M_impl");
  return [pointer(member(impl, "_M_start")), pointer(member(impl, "_M_finish"))];
}

function bits(value: Value): { start: bigint; count: bigint } {
  const impl = member(value, "_M_impl");
  const [start, finish] = [member(impl, "_M_start"), member(impl, "_M_finish")];
  const from = pointer(member(start, "_M_p"));
  const to = pointer(member(finish, "_M_p"));
  const count = (to - from) * 8n + integer(member(finish, "_M_offset")) -
    integer(member(start, "_M_offset"));
  return { start: from, count };
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
  const next = nextInTree({
    left,
    right: (node) => pointerAt(value, node + 3n * word),
    parent: (node) => pointerAt(value, node + word),
    end: header,
  });
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

/** Maximum number of elements of a tuple. */
const MAX_TUPLE = 128;

/** The element of a tuple: `_Head_base<index, …>` somewhere in the chain of its bases. */
function tupleElement(value: Value, index: number): Value | null {
  let at: Value | null = value.raw;
  for (let depth = 0; at !== null && depth < MAX_TUPLE; depth++) {
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

/** As many elements as there are bases: GCC leaves the arguments of some tuples out of debug information. */
function tuple(value: Value): Value[] {
  const told = (canonical(value.type).templateArguments ?? []).length;
  const found: Value[] = [];
  while (found.length < MAX_TUPLE) {
    const element = tupleElement(value, found.length);
    if (element === null) break;
    found.push(element);
  }
  return found.length < Math.min(told, MAX_TUPLE)
    ? damaged(`it has no element ${found.length}`)
    : found;
}

function optional(value: Value): Value | null {
  const payload = member(value, "_M_payload");
  if (integer(member(payload, "_M_engaged")) === 0n) return null;
  return member(member(payload, "_M_payload"), "_M_value");
}

function variant(value: Value): { index: bigint; address: bigint } | null {
  const held = member(value, "_M_index");
  const index = integer(held);
  if (index === (1n << BigInt(sizeOf(held.type) * 8)) - 1n) return null;
  return { index, address: member(value, "_M_u").address ?? 0n };
}

function uniquePointer(value: Value): Value {
  const held = member(value, "_M_t");
  const inner = optionalMember(held, "_M_t") ?? held;
  return tupleElement(inner, 0) ?? damaged("it has no pointer");
}

function counts(value: Value): { strong: bigint; weak: bigint } | null {
  const control = pointer(member(member(value, "_M_refcount"), "_M_pi"));
  if (control === 0n) return null;
  // _Sp_counted_base: a virtual table, then both counts; while the object lives it counts as weak.
  const at = control + BigInt(value.context.pointerSize);
  const strong = unsignedAt(value, at, 4);
  const weak = unsignedAt(value, at + 4n, 4);
  return { strong, weak: weak - (strong > 0n ? 1n : 0n) };
}

function callee(value: Value): string | null {
  const invoker = pointer(member(value, "_M_invoker"));
  if (pointer(member(value, "_M_manager")) === 0n || invoker === 0n) return "empty";
  const name = value.context.symbolAt(invoker)?.name;
  return name === undefined ? null : demangle(name);
}

/** The formatters of libstdc++'s types. */
export const libstdcxxFormatters: readonly Formatter[] = containerFormatters({
  name: "libstdc++",
  // With and without the namespaces of the newer ABI and of the debug mode.
  namespaces: "std::(?:__cxx11::|__debug::|__cxx1998::)?",
  string: stringSummary,
  view: (value) => ({
    start: pointer(member(value, "_M_str")),
    count: integer(member(value, "_M_len")),
  }),
  vector,
  bits,
  array: (value) => optionalMember(value, "_M_elems"),
  deque,
  list,
  forwardList,
  tree,
  table,
  tuple,
  optional,
  variant,
  unique: uniquePointer,
  shared: (value) => member(value, "_M_ptr"),
  counts,
  atomic: (value) => member(value, "_M_i", "_M_base"),
  callee,
});
