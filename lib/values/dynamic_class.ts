/** The class of a C++ object, by its table of virtual functions: what LLDB shows as a pointer's dynamic type and
 * gdb with `set print object on`. Itanium C++ ABI, sections 2.5 and 5.1.4. */
import { demangle } from "../symbols/walking.ts";
import { unsignedOf } from "./scalars.ts";
import type { Type, ValueContext } from "./model.ts";
import { canonical, isRecord } from "./types.ts";

/** Maximum nesting of bases that are looked at. */
const MAX_BASES = 32;
/** Maximum number of bytes between an object and the whole one that it is in. */
const MAX_OFFSET = 1n << 31n;

/** A class, and where an object of it is. */
export interface DynamicClass {
  readonly type: Type;
  readonly address: bigint;
}

/** The class of the whole object that is at an address, where that is another one than the declared class;
 * `null` where it is not, or not known. */
export function dynamicClass(
  address: bigint,
  declared: Type,
  context: ValueContext,
): DynamicClass | null {
  const type = canonical(declared);
  if (!isRecord(type) || !isPolymorphic(type, 0)) return null;
  // The pointer to the table is the first thing in an object.
  const table = wordAt(context, address);
  if (table === undefined) return null;
  const at = table & context.addressMask;
  const name = className(context.symbolAt(at)?.name ?? "");
  if (name === null || name === type.name) return null;
  const word = BigInt(context.pointerSize);
  // Two words before the functions is the distance to the whole object.
  const distance = wordAt(context, at - 2n * word);
  if (distance === undefined) return null;
  const offset = BigInt.asIntN(Number(8n * word), distance);
  if (offset > 0n || offset < -MAX_OFFSET) return null;
  for (const spelling of spellings(name)) {
    const found = context.findType(spelling, at);
    if (found === null || found.isIncomplete) continue;
    return derives(found, type, 0) ? { type: found, address: address + offset } : null;
  }
  return null;
}

function wordAt({ memory, pointerSize }: ValueContext, address: bigint): bigint | undefined {
  const bytes = memory.readUpTo(address, pointerSize);
  return bytes.length < pointerSize ? undefined : unsignedOf(bytes);
}

/** Whether objects of a class begin with a pointer to a table: they have virtual functions, or virtual bases. */
function isPolymorphic({ members = [] }: Type, depth: number): boolean {
  return depth < MAX_BASES &&
    members.some((member) =>
      member.artificial && member.name.startsWith("_vptr") ||
      member.isBase &&
        (member.locate !== undefined || isPolymorphic(canonical(member.type), depth + 1))
    );
}

function derives({ members = [] }: Type, base: Type, depth: number): boolean {
  return depth < MAX_BASES && members.some(({ isBase, type }) => {
    const own = canonical(type);
    return isBase && (own === base || own.name === base.name || derives(own, base, depth + 1));
  });
}

/** The class that a symbol is the table of; `null` for another symbol. */
function className(symbol: string): string | null {
  const mangled = /^_{1,2}ZTV(.+)$/.exec(symbol)?.[1];
  if (mangled === undefined) return null;
  const plain = plainName(mangled);
  if (plain !== null) return plain;
  const text = demangle(`_Z${mangled}`);
  return text.startsWith("_Z") ? null : text;
}

/** A mangled name that is made of names alone: `N8geometry6CircleE`, `6Circle`. */
function plainName(mangled: string): string | null {
  const inner = /^N(\d.*)E$/.exec(mangled)?.[1] ?? mangled;
  const parts: string[] = [];
  for (let at = 0; at < inner.length;) {
    const digits = /^\d+/.exec(inner.slice(at, at + 6))?.[0];
    if (digits === undefined) return null;
    const start = at + digits.length;
    at = start + Number(digits);
    const part = inner.slice(start, at);
    if (at > inner.length || !/^\w+$/.test(part) || part.startsWith("_GLOBAL_")) return null;
    parts.push(part);
  }
  return parts.length === 0 ? null : parts.join("::");
}

/** A class's name as compilers write it into debug information: with spaces between closing brackets, and GCC's
 * long words for integers. A class in a function has its own name alone. */
function* spellings(name: string): Generator<string> {
  const own = name.replace(/^.*\)(?: const)?::(?=[^:]*$)/s, "");
  yield own;
  if (!own.includes("<")) return;
  const spaced = own.replaceAll(/>(?=>)/g, "> ");
  yield spaced;
  const values = spaced.replaceAll(/\b(\d+)u?l{0,2}\b/g, "$1");
  yield values;
  yield values.replaceAll(/\bunsigned (long|short)\b/g, "$1 unsigned int")
    .replaceAll(/\b(long|short)\b(?! unsigned)/g, "$1 int");
}
