/** Names of functions as they are shown: readable, and short. */

import { demangle } from "../../symbols/demangle/demangle.ts";
import { oncePerText } from "../remember.ts";
import { withoutImage } from "./stack.ts";

/** From this length on, a name is cut. */
const MAX_NAME = 72;

/** A name without what makes it long: parameters of C++, long template arguments. */
export const shortName: (symbol: string) => string = oncePerText((symbol) => {
  let name: string = withoutPrefixes(readableName(symbol)).replace(
    /^protocol witness for (.{1,300}) in conformance (.{1,200})$/,
    "$1 of $2",
  );
  if (name.startsWith("-[") || name.startsWith("+[")) return cut(name);
  name = withoutDefaults(withoutRustCode(name.slice(0, MAX_SCANNED)))
    .replace(/ ?\(?\.(?:cold\.|omp_outlined\.?)[.\d]{0,12}\)?$/, "")
    .replace(/ \[clone [^\]]{1,80}\]$/, "")
    .replace(/ \+ 0x[0-9a-f]{1,8}$/, "");
  const isCxx = name.includes("::");
  if (isCxx || name.includes("*") || /\((?:void|int|char|unsigned|const)\b/.test(name)) {
    name = withoutParameters(name);
  }
  // The function's own name is at the end: what it is a member of makes room for it.
  if (name.length > MAX_NAME) name = withoutArguments(name);
  if (name.length > MAX_NAME && isCxx) name = withoutResult(name);
  if (name.length > 2 * MAX_NAME && isCxx) name = withoutScopes(name);
  return cut(name);
});

/** A name without what compilers and reporters put before it. */
export const withoutPrefixes: (symbol: string) => string = oncePerText((symbol) =>
  symbol.replace(/\+ \d{1,12} (?=\()/, "").replace(
    /^(?:(?:@objc|@nonobjc|merged|specialized|partial apply(?: for)?|\[inlined\]|\/\/) ){1,3}/,
    "",
  )
);

/** A function's name without its mangling, without the image that some reporters write after it, and without the hash
 * that Unity's compiler puts after a method's name. */
export function readableName(symbol: string): string {
  return demangle(withoutImage(symbol)).replace(/_m[0-9A-F]{40}(?=$|_gshared|_inline)/, "");
}

/** Characters of a name that are looked at: those of C++ templates grow long. */
const MAX_SCANNED = 1 << 16;

/** The next position after brackets that begin at one; the text's length when they do not end. */
function endOfBrackets(text: string, from: number): number {
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    const character = text[at];
    if (character === "<" || character === "(" || character === "{" || character === "[") depth++;
    else if (character === ")" || character === "}" || character === "]") depth--;
    else if (character === ">" && text[at - 1] !== "-") depth--;
    if (depth === 0) return at + 1;
  }
  return text.length;
}

/** The signs of an operator's name at a position; none for other names. */
function operatorAt(text: string, at: number): string {
  if (!text.startsWith("operator", at) || /\w/.test(text[at - 1] ?? "")) return "";
  return /^operator(?:<=>|<<=?|>>=?|->\*?|[<>]=?|\(\))/.exec(text.slice(at, at + 16))?.[0] ?? "";
}

/** The parts of a name outside of brackets, and those in them. */
function* partsOf(name: string): Generator<{ text: string; at: number; isBracket: boolean }> {
  let from = 0;
  for (let at = 0; at < name.length;) {
    const operator = name[at] === "o" ? operatorAt(name, at) : "";
    if (operator !== "") {
      at += operator.length;
      continue;
    }
    if (name[at] !== "<" && name[at] !== "(" && name[at] !== "{") {
      at++;
      continue;
    }
    if (at > from) yield { text: name.slice(from, at), at: from, isBracket: false };
    const end = endOfBrackets(name, at);
    yield { text: name.slice(at, end), at, isBracket: true };
    from = at = end;
  }
  if (from < name.length) yield { text: name.slice(from), at: from, isBracket: false };
}

/** A name of C++ without its parameters, which may be cut off. */
function withoutParameters(name: string): string {
  let begin = -1;
  for (const { text, at, isBracket } of partsOf(name)) {
    if (isBracket) {
      const isType = name.slice(Math.max(0, at - 8), at) === "decltype";
      if (text[0] === "(" && at > 0 && !isLabels(text) && !isType) begin = at;
    } else if (begin >= 0 && !/^(?: const| volatile| noexcept|&){1,4}$/.test(text)) begin = -1;
  }
  return begin <= 0 ? name : name.slice(0, begin);
}

/** A name with `<…>` for its outermost template arguments, and `(…)` for the parameters of functions that it is within,
 * such as a lambda's. */
function withoutArguments(name: string): string {
  let short = "";
  for (const { text, at, isBracket } of partsOf(name)) {
    if (!isBracket || text[0] === "{") short += text;
    else if (text[0] === "<") short += short === "" ? text : "<…>";
    else {
      const isScope = name.startsWith("::", at + text.length) && text.length > 2 && !isLabels(text);
      short += isScope || text.length > MAX_NAME ? "(…)" : text;
    }
  }
  return short;
}

/** A name of a C++ template without the type of its result, which stands before it. */
function withoutResult(name: string): string {
  if (/^(?:non-virtual|virtual|\w+ (?:variable|table|for)\b|vtable|invocation)/.test(name)) {
    return name;
  }
  let from = 0;
  for (const { text, at, isBracket } of partsOf(name)) {
    if (isBracket) continue;
    const space = text.lastIndexOf(" ");
    const isMark = /^ ?(?:const|volatile|&)|\boperator /.test(text);
    if (space >= 0 && !isMark) from = at + space + 1;
  }
  return name.slice(from);
}

/** A name without its outermost scopes, as far as it is too long. */
function withoutScopes(name: string): string {
  let from = 0;
  for (const { text, at, isBracket } of partsOf(name)) {
    if (isBracket) continue;
    for (let colons = text.indexOf("::"); colons >= 0; colons = text.indexOf("::", colons + 2)) {
      if (name.length - from + 3 <= 2 * MAX_NAME) {
        return from === 0 ? name : `…::${name.slice(from)}`;
      }
      from = at + colons + 2;
    }
  }
  return from === 0 || from >= name.length ? name : `…::${name.slice(from)}`;
}

/** A name of the C++ library without tags and the arguments that all its templates have. */
function withoutDefaults(name: string): string {
  return !name.includes("std::") ? name : name.replace(/\[abi:\w{1,20}\]/g, "")
    .replace(/, std::(?:__1::)?(?:default_delete|allocator)<[^<>]{1,200}> ?(?=>)/g, "");
}

/** A name of Rust's older mangling whose parts only were made readable: without its hash and codes. */
export function withoutRustCode(name: string): string {
  if (!/::h[0-9a-f]{16}$|\$(?:LT|u[0-9a-f]{2})\$/.test(name)) return name;
  return name.replace(/::h[0-9a-f]{16}$/, "").replace(/(^|::)_(?=\$)/g, "$1")
    .replace(
      /\$(LT|GT|RF|BP|C|LP|RP|u[0-9a-f]{2})\$/g,
      (_, code: string) => rustCodes.get(code) ?? String.fromCharCode(parseInt(code.slice(1), 16)),
    )
    .replace(/\.\./g, "::");
}

/** Codes of Rust's older mangling: rustc, compiler/rustc_symbol_mangling/src/legacy.rs. */
const rustCodes: ReadonlyMap<string, string> = new Map([
  ["LT", "<"],
  ["GT", ">"],
  ["RF", "&"],
  ["BP", "*"],
  ["C", ","],
  ["LP", "("],
  ["RP", ")"],
]);

/** Whether parentheses hold Swift's argument labels: `(_:at:)`, or what belongs to a C++ name. */
function isLabels(text: string): boolean {
  return /^\((?:\w+:)+\)$/.test(text) || text === "(anonymous namespace)";
}

function cut(name: string): string {
  return name.length > 2 * MAX_NAME ? `${name.slice(0, 2 * MAX_NAME)}…` : name;
}
