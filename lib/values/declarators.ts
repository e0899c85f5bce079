/** Types as C writes them, from the inside out: `int (*inner)[4]`. */
import type { RawText } from "../escape.ts";
import { swiftTypeName, swiftTypeTree } from "../symbols/walking.ts";
import type { Type } from "./model.ts";
import { canonical, swiftMangling, unqualified, voidType } from "./types.ts";

/** Maximum number of types in each other that a name is made of. */
const MAX_NAME_DEPTH = 64;
/** Maximum length of a name. */
export const MAX_NAME = 1 << 14;

/** A type, and what else its name is made of. */
export interface DeclaredType extends Type {
  /** The name that it was given, qualified; `null` when it has none. */
  readonly ownName?: RawText | null;
  /** Of a struct or the like: what stands for a name where it has none. */
  readonly anonymousName?: RawText;
  /** Whether it points to a block of Objective-C. */
  readonly isBlock?: boolean;
  /** Whether a function takes more than its parameters. */
  readonly isVariadic?: boolean;
  /** Of a method: whether its object is `const`. */
  readonly isConst?: boolean;
  /** Whether a function is declared with its parameters; left out where that is not known. */
  readonly isPrototyped?: boolean;
}

/** A pointer to a type, as the language would make it. */
export function pointerTo(target: Type, pointerSize: 4 | 8): Type {
  const name = declare(target, nested(target, "*"), 0);
  return { kind: "pointer", name, size: pointerSize, language: target.language, target };
}

/** A reference to a type. */
export function referenceTo(target: Type, pointerSize: 4 | 8): Type {
  const name = declare(target, nested(target, "&"), 0);
  return { kind: "reference", name, size: pointerSize, language: target.language, target };
}

/** An array of a type. */
export function arrayOf(target: Type, count: number): Type {
  const element = canonical(target).size;
  return {
    kind: "array",
    name: declare(target, `[${count}]`, 0),
    size: element === null ? null : element * count,
    language: target.language,
    target,
    count,
  };
}

/** The name of a type, as its language writes it. */
export function nameOf(type: DeclaredType): RawText {
  const name = swiftName(type) ?? declare(type, "", 0);
  return name.length > MAX_NAME ? `${name.slice(0, MAX_NAME)}…` : name;
}

/** The name of a Swift type by its mangled name, as LLDB shows it; `null` of others. What `let` declares has a
 * constant type in debug information, and none in Swift. */
function swiftName(type: Type): RawText | null {
  if (type.language !== "swift") return null;
  const own = unqualified(type);
  if (own !== type) return own.name;
  const mangled = swiftMangling(type);
  const tree = mangled === undefined ? null : swiftTypeTree(mangled);
  return tree === null ? null : swiftTypeName(tree);
}

/** Writes a declaration of `inner` with a type as C does: `int (*inner)[4]`. */
function declare(type: DeclaredType, inner: string, depth: number): RawText {
  if (depth > MAX_NAME_DEPTH) return `…${inner}`;
  const next = depth + 1;
  const { target = null } = type;
  switch (type.kind) {
    case "pointer": {
      const own = type.ownName ?? null;
      if (own !== null) return named(own, inner);
      const sign = type.isBlock ? "^" : "*";
      return declare(target ?? voidType, nested(target, joined(sign, inner)), next);
    }
    case "reference":
      return declare(target ?? voidType, nested(target, joined("&", inner)), next);
    case "rvalue-reference":
      return declare(target ?? voidType, nested(target, joined("&&", inner)), next);
    case "member-pointer": {
      const where = `${type.containing?.name ?? ""}::*`;
      return declare(target ?? voidType, nested(target, joined(where, inner)), next);
    }
    case "array": {
      if (type.isVector) {
        const element = declare(target ?? voidType, "", next);
        return named(
          `${element} __attribute__((ext_vector_type(${type.count ?? ""})))`,
          inner,
        );
      }
      return declare(target ?? voidType, `${inner}[${type.count ?? ""}]`, next);
    }
    case "function": {
      const parameters = (type.parameters ?? []).map(({ name }) => name);
      if (type.isPrototyped !== undefined) {
        if (type.isVariadic) parameters.push("...");
        else if (parameters.length === 0 && (type.language === "c" || type.language === "objc")) {
          parameters.push("void");
        }
        if (!type.isPrototyped) parameters.length = 0;
      }
      const after = type.isConst ? " const" : "";
      return declare(target ?? voidType, `${inner}(${parameters.join(", ")})${after}`, next);
    }
    case "const":
    case "volatile":
    case "restrict": {
      const held = target ?? voidType;
      // C's arrays have the qualifiers of their elements.
      if (held.kind === "array" && held.target != null && !held.isVector) {
        const element: Type = held.target.kind === type.kind
          ? held.target
          : { kind: type.kind, name: "", size: null, language: held.language, target: held.target };
        return declare(element, `${inner}[${held.count ?? ""}]`, next);
      }
      const isSuffix = held.kind === "pointer" || held.kind === "reference" ||
        held.kind === "member-pointer" || isQualified(held);
      if (isSuffix && startsAtPointer(held)) {
        return declare(held, joined(type.kind, inner), next);
      }
      return `${type.kind} ${declare(held, inner, next)}`;
    }
    case "atomic":
      return named(`_Atomic(${declare(target ?? voidType, "", next)})`, inner);
    default: {
      const own = type.ownName ?? type.anonymousName ?? type.name;
      return named(own, inner);
    }
  }
}

function isQualified({ kind }: Type): boolean {
  return kind === "const" || kind === "volatile" || kind === "restrict";
}

/** Whether a type is a pointer behind its qualifiers: those are written after the star. */
function startsAtPointer(type: Type): boolean {
  let at: Type | null = type;
  for (let step = 0; at !== null && isQualified(at) && step < MAX_NAME_DEPTH; step++) {
    at = at.target ?? null;
  }
  return at !== null && (at.kind === "pointer" || at.kind === "member-pointer");
}

/** What points to a function or an array is in parentheses. */
function nested(target: Type | null, inner: string): string {
  let at = target;
  for (let step = 0; at !== null && isQualified(at) && step < MAX_NAME_DEPTH; step++) {
    at = at.target ?? null;
  }
  return at !== null && (at.kind === "function" || at.kind === "array" && !at.isVector)
    ? `(${inner})`
    : inner;
}

function joined(sign: string, inner: string): string {
  return inner === "" || inner.startsWith("[") || inner.startsWith("(") || !/[\w]$/.test(sign)
    ? sign + inner
    : `${sign} ${inner}`;
}

function named(name: RawText, inner: string): RawText {
  return inner === "" ? name : inner.startsWith("[") ? name + inner : `${name} ${inner}`;
}
