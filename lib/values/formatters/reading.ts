/** What formatters read values with. They look at `value.raw`, whose members are those of the type; the
 * children they make are of the value itself, so that they are formatted too. */

import {
  damaged,
  type Member,
  type Synthetic,
  type Type,
  UnreadableValue,
  type Value,
} from "../model.ts";
import { unsignedOf } from "../scalars.ts";
import { canonical, isRecord } from "../types.ts";

/** Maximum number of elements of a container. More is damage: the memory of no machine holds them. */
const MAX_COUNT = 2n ** 48n;
/** Maximum number of nodes that are followed in a list, tree or table. */
export const MAX_NODES = 1 << 16;

/** A member by the first of some names that it has, in the value's bases and anonymous members too.
 *
 * @throws DamagedValue when it has none
 */
export function member(value: Value, ...names: string[]): Value {
  return optionalMember(value, ...names) ?? damaged(`it has no ${names[0]}`);
}

/** {@linkcode member}, or `null`. */
export function optionalMember(value: Value, ...names: string[]): Value | null {
  for (const name of names) {
    const found = value.raw.child(name);
    if (found !== null) return found;
  }
  return null;
}

/** A number of a value.
 *
 * @throws DamagedValue when it cannot be read
 */
export function integer(value: Value): bigint {
  const { integer, unavailable } = value;
  if (integer === null && unavailable !== null) throw new UnreadableValue(unavailable);
  return integer ?? damaged(`${value.name} is no number`);
}

/** A pointer without authentication. */
export function pointer(value: Value): bigint {
  return integer(value) & value.context.addressMask;
}

/** The pointer that is in memory at an address. */
export function pointerAt(value: Value, address: bigint): bigint {
  return unsignedAt(value, address, value.context.pointerSize) & value.context.addressMask;
}

/** A little-endian number in memory.
 *
 * @throws DamagedValue when it cannot be read
 */
export function unsignedAt(value: Value, address: bigint, size: number): bigint {
  return unsignedOf(bytesAt(value, address, size));
}

/** Bytes in memory.
 *
 * @throws DamagedValue when they cannot be read
 */
export function bytesAt(value: Value, address: bigint, size: number): Uint8Array {
  const bytes = value.context.memory.readUpTo(address, size);
  return bytes.length < size ? unreadable(address) : bytes;
}

/** Ends a formatter: there is nothing to be read at an address. */
export function unreadable(address: bigint): never {
  throw new UnreadableValue(`unreadable at 0x${address.toString(16)}`);
}

/** The number of elements, checked. */
export function countOf(count: bigint): number {
  return count < 0n || count > MAX_COUNT ? damaged(`${count} elements`) : Number(count);
}

/** The bytes of a type's value.
 *
 * @throws DamagedValue when they are not known
 */
export function sizeOf(type: Type): number {
  const { size } = canonical(type);
  return size === null || size <= 0 ? damaged(`the size of ${type.name} is not known`) : size;
}

/** The type that is a template's argument.
 *
 * @throws DamagedValue when it is not known
 */
export function templateType(type: Type, index: number): Type {
  return canonical(type).templateArguments?.[index]?.type ??
    damaged(`${type.name} does not tell its template's arguments`);
}

/** What the allocator of a container is for: the type of the elements. GCC tells it of the base of
 * `std::allocator` alone. */
export function allocated(type: Type, index: number): Type {
  const allocator = canonical(templateType(type, index));
  const [base] = allocator.members ?? [];
  const told = allocator.templateArguments?.length
    ? allocator
    : base?.isBase
    ? base.type
    : allocator;
  return templateType(told, 0);
}

/** The alignment of a type, as the ABI has it for its members. */
export function alignmentOf(type: Type, pointerSize: number, depth = 0): number {
  const { kind, size, target, members = [] } = canonical(type);
  if (depth > 16) return pointerSize;
  if (kind === "array") return target ? alignmentOf(target, pointerSize, depth + 1) : 1;
  if (!isRecord({ kind } as Type)) return Math.min(Math.max(1, size ?? 1), 16);
  return members.reduce(
    (most, { type }: Member) => Math.max(most, alignmentOf(type, pointerSize, depth + 1)),
    1,
  );
}

/** Rounds up to a multiple of the alignment. */
export function aligned(offset: number, alignment: number): number {
  return Math.ceil(offset / alignment) * alignment;
}

/** Elements one after another in memory. */
export function elements(value: Value, start: bigint, count: bigint, type: Type): Synthetic {
  const size = sizeOf(type);
  const number = countOf(count);
  if (number > 0) {
    bytesAt(value, start, 1);
    bytesAt(value, start + BigInt(number) * BigInt(size) - 1n, 1);
  }
  return {
    count: number,
    at: (index) => value.at(start + BigInt(index) * BigInt(size), type, `[${index}]`),
  };
}

/** Elements that a pointer leads to, of the type that it points to.
 *
 * @throws DamagedValue when that is not known
 */
export function pointed(value: Value, held: Value, count: bigint): Synthetic {
  const type = canonical(held.type).target ?? damaged("its elements have no type");
  return elements(value, pointer(held), count, type);
}

/** Elements in nodes that lead to each other.
 *
 * @param first the first node's address
 * @param next the address of the node after one; called once for each
 * @param offset of the element in a node
 */
export function nodes(
  value: Value,
  count: bigint,
  first: bigint,
  next: (node: bigint) => bigint,
  offset: number,
  type: Type,
): Synthetic {
  const number = countOf(count);
  const known: bigint[] = [];
  const seen = new Set<bigint>();
  const at = (index: number): bigint => {
    if (index >= MAX_NODES) damaged(`only ${MAX_NODES} elements are followed`);
    while (known.length <= index) {
      const last = known.at(-1);
      const node = last === undefined ? first : next(last);
      if (node === 0n) damaged(`it ends after ${known.length} of ${number} elements`);
      if (seen.has(node)) damaged(`it loops after ${known.length} of ${number} elements`);
      seen.add(node);
      known.push(node);
    }
    return known[index];
  };
  return {
    count: number,
    at: (index) => value.at(at(index) + BigInt(offset), type, `[${index}]`),
  };
}

/** Number of nodes that are counted where a list does not say how many it has. */
const MAX_WALKED = 1 << 12;

/** The number of nodes up to an end, of a list that does not say it.
 *
 * @throws DamagedValue when it loops
 */
export function walked(start: bigint, end: bigint | null, next: (node: bigint) => bigint): bigint {
  const seen = new Set<bigint>();
  for (let node = start; node !== 0n && node !== end; node = next(node)) {
    if (seen.has(node)) damaged(`it loops after ${seen.size} elements`);
    if (seen.size >= MAX_WALKED) break;
    seen.add(node);
  }
  return BigInt(seen.size);
}

/** The links of a tree's nodes. */
export interface TreeLinks {
  left(node: bigint): bigint;
  right(node: bigint): bigint;
  parent(node: bigint): bigint;
  /** The parent of the root. */
  readonly end: bigint;
}

/** No path of a red-black tree is longer than twice the logarithm of its count. */
const MAX_PATH = 128;

/** The node after one in a tree; 0 after the last.
 *
 * @throws DamagedValue when the links are those of no tree
 */
export function nextInTree({ left, right, parent, end }: TreeLinks): (node: bigint) => bigint {
  return (node) => {
    let at = right(node);
    if (at !== 0n) {
      for (let depth = 0; depth < MAX_PATH; depth++) {
        const below = left(at);
        if (below === 0n) return at;
        at = below;
      }
    } else {
      for (let child = node, up = 0; up < MAX_PATH; up++) {
        const above = parent(child);
        if (above === end || above === 0n) return 0n;
        if (left(above) === child) return above;
        child = above;
      }
    }
    return damaged("its nodes are no tree");
  };
}

/** Children with names. */
export function named(values: readonly (readonly [name: string, value: Value])[]): Synthetic {
  return {
    count: values.length,
    names: values.map(([name]) => name),
    at: (index) => renamed(values[index][1], values[index][0]),
  };
}

/** The same value with another name. */
export function renamed(value: Value, name: string): Value {
  const { address } = value;
  if (address !== null && value.bits === null) return value.at(address, value.type, name);
  return value.make(name, value.type, value.bytes());
}

/** A member that {@linkcode member} found, formatted as the value it is of. */
export function formatted(owner: Value, found: Value, name: string): Value {
  return found.address === null
    ? owner.make(name, found.type, found.bytes())
    : owner.at(found.address, found.type, name);
}

/** No children: of what a summary says everything about. */
export function noChildren(): Synthetic {
  return named([]);
}

/** The children of a pair. */
export function pair(value: Value): Synthetic {
  return named(
    ["first", "second"].map((name) => [name, formatted(value, member(value, name), name)] as const),
  );
}

/** `size=3`. */
export function sizeSummary(made: Synthetic | null): string | null {
  return made === null ? null : `size=${made.count}`;
}

/** The text of a value, as in a line: its summary, else its own. */
export function textOf(value: Value): string {
  return value.summary ?? value.text ?? value.unavailable ?? "{...}";
}
