/** Names of types as people write them. */

import type { RawText } from "../escape.ts";

/** Maximum length of a name that is shortened, and of nested template arguments in it. */
const MAX_LENGTH = 1 << 14;
const MAX_DEPTH = 64;

/** Arguments of the standard library's templates that are almost always the default ones. */
const defaults = /^std::(?:allocator|char_traits|less|hash|equal_to|default_delete)</;

/** The names that `basic_string` and `basic_string_view` go by. */
const characters: Readonly<Record<string, string>> = {
  char: "",
  wchar_t: "w",
  char8_t: "u8",
  char16_t: "u16",
  char32_t: "u32",
};

/** A C++ type's name without the library's inline namespaces and default template arguments:
 * `std::vector<std::string>` for `std::__1::vector<std::__1::basic_string<char, …>, …>`. */
export function shortTypeName(name: RawText): RawText {
  if (!name.includes("std::") || name.length > MAX_LENGTH) return name;
  const plain = name.replaceAll(/\bstd::__(?!debug)\w+::/g, "std::");
  return short(plain, 0);
}

/** Shortens the arguments of each template, innermost first. */
function short(name: string, depth: number): string {
  if (depth > MAX_DEPTH) return name;
  let text = "";
  for (let at = 0; at < name.length;) {
    const open = name.indexOf("<", at);
    if (open < 0) return text + name.slice(at);
    const parts = argumentsAt(name, open);
    if (parts === null) return text + name.slice(at);
    const head = text + name.slice(at, open);
    text = head + written(head, parts.arguments.map((part) => short(part.trim(), depth + 1)));
    at = parts.end;
    text = renamed(text);
  }
  return text;
}

/** `basic_string<char>` is `string`. */
function renamed(text: string): string {
  return text.replace(
    /std::basic_(string|string_view)<(\w+)>$/,
    (whole, what: string, character: string) =>
      Object.hasOwn(characters, character) ? `std::${characters[character]}${what}` : whole,
  );
}

/** Template arguments without the last ones that are defaults. */
function written(head: string, parts: readonly string[]): string {
  let count = parts.length;
  if (/\bstd::\w+$/.test(head)) {
    while (count > 1 && defaults.test(parts[count - 1])) count--;
  }
  return `<${parts.slice(0, count).join(", ")}>`;
}

/** The arguments of the template whose `<` is at `open`, and where they end; `null` where they do not. */
function argumentsAt(
  name: string,
  open: number,
): { readonly arguments: readonly string[]; readonly end: number } | null {
  const parts: string[] = [];
  let depth = 0;
  let start = open + 1;
  for (let at = open; at < name.length; at++) {
    const character = name[at];
    if (character === "<" || character === "(" || character === "[") depth++;
    else if (character === ")" || character === "]") depth--;
    else if (character === ">" && name[at - 1] !== "-") {
      if (--depth === 0) {
        parts.push(name.slice(start, at));
        return { arguments: parts, end: at + 1 };
      }
    } else if (character === "," && depth === 1) {
      parts.push(name.slice(start, at));
      start = at + 1;
    }
  }
  return null;
}
