/** Questions about types. */

import type { RawText } from "../escape.ts";
import type { Type } from "./model.ts";

/** Maximum length of a chain of typedefs and qualifiers. More is damage. */
const MAX_CHAIN = 64;

/** The type `void`. */
export const voidType: Type = { kind: "void", name: "void", size: null, language: "other" };

/** Stands for a type whose entry cannot be read. */
export const damagedType: Type = {
  kind: "unspecified",
  name: "<damaged>",
  size: null,
  language: "other",
};

/** Whether a type is another one with a name or qualifiers: a typedef, `const`, `volatile`. */
export function isAlias({ kind }: Type): boolean {
  return kind === "typedef" || isQualifier(kind);
}

function isQualifier(kind: Type["kind"]): boolean {
  return kind === "const" || kind === "volatile" || kind === "restrict" || kind === "atomic";
}

/** The type that typedefs and qualifiers stand for.
 *
 * @example
 * ```ts
 * import { openCore } from "@machpause/machpause";
 * import { canonical } from "@machpause/machpause/values";
 *
 * using core = openCore("MyApp.core");
 * const [variable] = core.threads[0].backtrace()[0].variables;
 * console.log(canonical(variable.type).name);
 * ```
 */
export function canonical(type: Type): Type {
  let at = type;
  for (let step = 0; isAlias(at) && step < MAX_CHAIN; step++) at = at.target ?? voidType;
  return isAlias(at) ? voidType : at;
}

/** The type without qualifiers; typedefs stay. */
export function unqualified(type: Type): Type {
  let at = type;
  for (let step = 0; isQualifier(at.kind) && step < MAX_CHAIN; step++) at = at.target ?? voidType;
  return at;
}

/** The type, and each that its qualifiers and typedefs stand for, outermost first. */
export function* aliases(type: Type): Generator<Type> {
  let at = type;
  for (let step = 0; step < MAX_CHAIN; step++) {
    yield at;
    if (!isAlias(at)) return;
    at = at.target ?? voidType;
  }
}

/** The mangled name of a Swift type. Since Swift 6 debug information has a generic type as a struct without a name,
 * whose one member has no name either, and a type with the mangled name. */
export function swiftMangling(type: Type): RawText | undefined {
  // Of other languages' types nothing is read for it: their members may be searched in all units.
  if (type.language !== "swift") return undefined;
  const { kind, linkageName } = type;
  const members = linkageName === undefined && kind === "struct" ? type.members : undefined;
  const isWrapper = members?.length === 1 && members[0].name === "";
  const mangled = isWrapper ? members[0].type.linkageName : linkageName;
  return mangled?.startsWith("$s") ? mangled : undefined;
}

/** Whether values of it have members. */
export function isRecord({ kind }: Type): boolean {
  return kind === "struct" || kind === "class" || kind === "union";
}

/** Whether it is a pointer or a reference. */
export function isPointer({ kind }: Type): boolean {
  return kind === "pointer" || isReference(kind);
}

/** Whether it is a reference of C++. */
export function isReference(kind: Type["kind"]): boolean {
  return kind === "reference" || kind === "rvalue-reference";
}

/** Characters that are typedefs of numbers in C, and types of their own in C++. */
const characterNames: ReadonlySet<string> = new Set(["wchar_t", "char8_t", "char16_t", "char32_t"]);

/** The name of a type of characters, of the width of its size, in UTF-8, UTF-16 or UTF-32; `null` for another. */
export function characterName(type: Type): RawText | null {
  const base = canonical(type);
  // The size of a struct takes its definition.
  if (base.kind !== "base") return null;
  for (const { kind, name } of aliases(type)) {
    if (!isQualifier(kind) && characterNames.has(name)) return name;
  }
  const { encoding, name, size } = base;
  const isByte = (encoding === "signed-char" || encoding === "unsigned-char") && size === 1;
  return encoding === "utf" || isByte ? name : null;
}

/** Whether it is a character. */
export function isCharacter(type: Type): boolean {
  return characterName(type) !== null;
}
