/** One function for the manglings of Swift, C++ and Rust, with a bounded cache. The demanglers
 * themselves are brought by `mod.ts`: this file is loaded at every start, they are not. */

import type { RawText } from "../../escape.ts";
import type { Node } from "./swift/node.ts";
import type { SymbolicResolver } from "./swift/state.ts";

/** How much of a mangled name is shown. `simplified`: Swift as LLDB and crash reports show it, with
 * argument labels, without modules, types and specializations; C++ with its parameters, as LLDB
 * and atos show it; Rust without its hash. `full`: Swift as `swift-demangle` prints it; C++ the
 * same as `simplified`; Rust with the hash of the older mangling. */
export type DemangleStyle = "simplified" | "full";

/** Demangles the names of one language, or of several: `name` has no Mach-O underscore; the result
 * is `null` for another language's name, and for a damaged one. */
export type Demangler = (name: string, style: DemangleStyle) => string | null;

/** Maximum length of a name, in characters. Longer ones are left mangled. */
const maxName = 1 << 16;

/** Maximum length of a text, in characters: damaged names can stand for far more. */
const maxText = 1 << 18;

/** Maximum size of the cache, in characters of names and texts. */
const maxCached = 1 << 23;

const cache: Record<DemangleStyle, Map<string, string>> = {
  simplified: new Map(),
  full: new Map(),
};
let cachedCharacters = 0;

/** Swift's prefixes, of which C also uses `_T`. */
const swiftName = /^_{0,2}(?:\$[sSe]|T[^_])|^@__swiftmacro_/;

/** What reads Swift's types from their mangled names. */
export interface SwiftTypes {
  /** The tree of a mangled type; `null` for what is none. */
  tree(name: string, resolve?: SymbolicResolver | null): Node | null;
  /** The name of a type as LLDB shows it. */
  name(tree: Node): string | null;
  /** The mangled name of a declaration, without arguments of generics; `null` where it has none. */
  declaration(tree: Node): string | null;
}

let swift: Demangler | null = null;
let swiftTypes: SwiftTypes | null = null;
/** Whether a name was left mangled since the demanglers were not there. */
let isMissed = false;
let library: () => Demangler | null = () => null;

/** Sets the demanglers.
 *
 * @param swiftDemangler of Swift's names
 * @param libraryDemangler gives that of C++ and Rust names; called with each such name, and may
 * answer `null`
 * @param types reads Swift's types */
export function useDemanglers(
  swiftDemangler: Demangler,
  libraryDemangler: () => Demangler | null,
  types: SwiftTypes,
): void {
  swift = swiftDemangler;
  swiftTypes = types;
  library = libraryDemangler;
}

/** Whether the demanglers are there. */
export function hasDemanglers(): boolean {
  return swift !== null;
}

/** The tree of a mangled Swift type; `null` for what is none, and before the demanglers are there. */
export function swiftTypeTree(name: string, resolve: SymbolicResolver | null = null): Node | null {
  isMissed ||= swiftTypes === null;
  return swiftTypes?.tree(name, resolve) ?? null;
}

/** The name of a Swift type as LLDB shows it: without the standard library's module and what is private. */
export function swiftTypeName(tree: Node): string | null {
  return swiftTypes?.name(tree) ?? null;
}

/** The mangled name of a declaration, without arguments of generics; `null` where it has none. */
export function swiftDeclarationName(tree: Node): string | null {
  return swiftTypes?.declaration(tree) ?? null;
}

/** Whether {@linkcode demangle} was asked for a mangled name before there were demanglers, since this was asked
 * last. */
export function missedNames(): boolean {
  const missed = isMissed;
  isMissed = false;
  return missed;
}

/** Whether a name in Swift's old mangling is more likely a C name: `TSize` is not `Int` with a
 * suffix. */
function isLikelyC(name: string, swift: Demangler): boolean {
  return /^_T[^0]/.test(name) &&
    /with unmangled suffix "[^.]/.test(swift(name, "full") ?? "");
}

/** Whether `name` looks like a C++ name (`_Z`, and `___Z` of blocks) or a Rust name (`_R`, and the
 * older `_ZN…17h…E`), with or without Mach-O's underscore. */
export function needsLibrary(name: string): boolean {
  return /^_{1,4}Z|^_{1,2}R[A-Z0-9]/.test(name);
}

/** Whether `name` looks like a mangled Swift, C++ or Rust name. */
export function isMangled(name: string): boolean {
  return swiftName.test(name) || needsLibrary(name);
}

/** The readable text of a mangled Swift, C++ or Rust name, with or without Mach-O's underscore.
 * Other names, Objective-C's among them, and damaged names are returned unchanged. The result is
 * raw text: a name can hold any character.
 *
 * C++ and Rust names need a library. It is loaded with the first such name where it is a file;
 * elsewhere call `loadDemangler` first.
 *
 * @example
 * ```ts
 * import { demangle } from "@machpause/machpause";
 *
 * demangle("$s4main3fooyySiF"); // foo(_:)
 * demangle("$s4main3fooyySiF", "full"); // main.foo(Swift.Int) -> ()
 * ```
 */
export function demangle(name: string, style: DemangleStyle = "simplified"): RawText {
  const known = cache[style].get(name);
  if (known !== undefined) return known;
  if (name.length > maxName) return name;
  if (swift === null) {
    isMissed ||= isMangled(name);
    return name;
  }
  let text: string | null;
  if (swiftName.test(name)) {
    const plain = /^__[$T]/.test(name) ? name.slice(1) : name;
    text = isLikelyC(plain, swift) ? null : swift(plain, style);
  } else if (needsLibrary(name)) {
    const demangler = library();
    if (demangler === null) return name;
    text = demangler(/^__[ZR]/.test(name) ? name.slice(1) : name, style);
  } else {
    return name;
  }
  if (text === null || text.length > maxText) text = name;
  cachedCharacters += name.length + text.length;
  if (cachedCharacters > maxCached) {
    for (const names of Object.values(cache)) names.clear();
    cachedCharacters = name.length + text.length;
  }
  cache[style].set(name, text);
  return text;
}

/** A readable name without what stands between brackets of one kind, at its outermost level. */
function without(name: string, open: string, close: string): string {
  const operator = open === "(" ? /\boperator\s*$/ : /\boperator\s*[-<]?$/;
  let depth = 0;
  let kept = "";
  for (let at = 0; at < name.length; at++) {
    const character = name[at];
    // Neither operators nor arrows are brackets.
    const isBracket = depth > 0 && name[at - 1] !== "-" ||
      depth === 0 && !operator.test(kept.slice(-12));
    if (character === open && isBracket) depth++;
    else if (character === close && depth > 0 && isBracket) depth--;
    else if (depth === 0) kept += character;
  }
  return kept;
}

/** A readable name in the form in which two are compared: without blanks that mean nothing. */
function normal(name: string): string {
  return name.replace(/\s+/g, " ").replace(/ ?([<>(),*&:]) ?/g, "$1").trim();
}

/** `Pool<i32>::spin` for Rust's `<Pool<i32>>::spin` and `<Pool<i32> as Job>::spin`. */
function unwrapped(name: string): string {
  if (name[0] !== "<") return name;
  let depth = 0;
  for (let at = 0; at < name.length; at++) {
    if (name[at] === "<") depth++;
    else if (name[at] === ">" && name[at - 1] !== "-" && --depth === 0) {
      return name.slice(1, at).replace(/ as .*$/, "") + name.slice(at + 1);
    }
  }
  return name;
}

/** What follows a function's parameters. */
const qualifiers = /(?: ?(?:\bconst|\bvolatile|&&?|->.*))+$/;

/** The ways in which people write a function's name. */
interface NameForms {
  readonly whole: string;
  /** Without parameters. */
  readonly bare: string;
  /** Without parameters, template arguments and return type. */
  readonly plain: string;
}

const formsKnown = new Map<string, NameForms>();

function formsOf(readable: string): NameForms {
  const known = formsKnown.get(readable);
  if (known !== undefined) return known;
  const whole = normal(readable);
  const scopeless = unwrapped(readable).replaceAll("(anonymous namespace)::", "");
  const bare = normal(
    without(scopeless, "(", ")").replace(qualifiers, ""),
  );
  const plain = without(bare, "<", ">").replace(/^.* (?=[\w$~:.]+$)/, "");
  const forms = { whole, bare, plain };
  if (formsKnown.size > 4096) formsKnown.clear();
  formsKnown.set(readable, forms);
  return forms;
}

/** A readable name without parameters, template arguments and return type: `app::Box::get`. */
export function plainName(readable: string): string {
  return formsOf(readable).plain;
}

/** Whether a readable name is what somebody means who writes `wanted`: the whole name, or its end from a
 * scope on (`push_back`, `vector::push_back`), with or without parameters and template arguments. A selector
 * alone means every Objective-C method of that name.
 *
 * @param readable as {@linkcode demangle} gives it
 */
export function isNamed(readable: string, wanted: string): boolean {
  const objc = /^[-+]\[(\S+) (\S+)\]$/.exec(readable);
  if (objc !== null) {
    const [, owner, selector] = objc;
    const type = owner.replace(/\(.*\)$/, "");
    return [selector, `${owner} ${selector}`, `${type} ${selector}`, `[${type} ${selector}]`]
      .includes(wanted);
  }
  const want = formsOf(wanted);
  const name = formsOf(readable);
  const ends = (name: string, wanted: string) =>
    name === wanted ||
    name.endsWith(wanted) && /[:.]/.test(name[name.length - wanted.length - 1] ?? "");
  if (wanted.includes("(") && !/operator\s?\(\)$/.test(wanted)) {
    return ends(name.whole, want.whole);
  }
  return ends(name.bare, want.whole) || ends(name.plain, want.whole);
}

/** A part of the mangled forms of every function that is named so: identifiers are spelt out in them.
 * `undefined` where there is none. */
export function mangledPart(wanted: string): string | undefined {
  // An operator has a code of its own: what it is of is looked for.
  const bare = without(without(wanted, "(", ")").replace(qualifiers, ""), "<", ">")
    .replace(/(?:::)?\boperator.*$/, "");
  if (bare === "" && wanted !== "") return "";
  return /[A-Za-z_$][\w$]*(?=[^\w$]*$)/.exec(bare)?.[0];
}

/** Whether a symbol may be of a function with the given {@linkcode mangledPart}. Swift's mangling spells a
 * word that occurs again as a reference to it, after a zero. */
export function mayContain(symbol: string, part: string): boolean {
  return symbol.includes(part) || /^_?\$[sS].*\d*0[a-zA-Z]/.test(symbol);
}
