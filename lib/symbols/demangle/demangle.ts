/** One entrance for the manglings of Swift, C++ and Rust, with a bounded cache. */

/** How much of what a name says is shown. `simplified`: Swift as LLDB and crash reports show it, with
 * argument labels, without modules, types and specializations; C++ with its parameters, as LLDB and atos
 * show it; Rust without hash. `full`: Swift as `swift-demangle` prints it, C++ the same, Rust with the
 * hash that the older mangling has.
 *
 * @example
 * ```ts
 * import { demangle, type DemangleStyle } from "@machpause/machpause";
 *
 * const styles: DemangleStyle[] = ["simplified", "full"];
 * for (const style of styles) console.log(demangle("$s4main3fooyySiF", style));
 * ```
 */
export type DemangleStyle = "simplified" | "full";

/** Something that demangles the names of some languages. */
export interface Demangler {
  /** The text of `name`, which has no Mach-O underscore; `null` when it is no name of its. */
  demangle(name: string, style: DemangleStyle): string | null;
}

/** The longest name that is looked at. */
const longest = 1 << 16;

/** The longest text that is shown in a name's place: damaged names can stand for far more. */
const longestText = 1 << 18;

/** How many characters of names and texts are kept. */
const capacity = 1 << 23;

const kept: Record<DemangleStyle, Map<string, string>> = {
  simplified: new Map(),
  full: new Map(),
};
let keptCharacters = 0;

/** Swift's prefixes, of which `_T` is also C's to use. */
const swiftName = /^_{0,2}(?:\$[sSe]|T[^_])|^@__swiftmacro_/;

let swift: Demangler | null = null;

/** Gives the demangler of Swift names, of which much is to be loaded. */
export function useSwift(demangler: Demangler): void {
  swift = demangler;
}

/** Whether a name of Swift's old mangling is rather C's: `TSize` is no `Int` with something after it. */
function mayBeOthers(name: string, swift: Demangler): boolean {
  return /^_T[^0]/.test(name) &&
    /with unmangled suffix "[^.]/.test(swift.demangle(name, "full") ?? "");
}

let library: (() => Demangler | null) | null = null;

/** Gives the demangler of C++ and Rust names.
 *
 * @param provider is called with the first such name, and again with the next while it answers `null`
 */
export function useDemangler(provider: () => Demangler | null): void {
  library = provider;
}

/** Whether `name` looks like one that the library is for: C++ (`_Z`, and `___Z` of blocks) or Rust
 * (`_R`, and its older `_ZN…17h…E`), with or without Mach-O's underscore. */
export function needsLibrary(name: string): boolean {
  return /^_{1,4}Z|^_{1,2}R[A-Z0-9]/.test(name);
}

/** Whether `name` looks mangled, as Swift, C++ or Rust do it. */
export function isMangled(name: string): boolean {
  return swiftName.test(name) || needsLibrary(name);
}

/** The readable text of a mangled Swift, C++ or Rust name, with or without Mach-O's underscore. What
 * is no mangled name, Objective-C's names too, comes back unchanged, and so does a damaged one. Not
 * safe to print raw: a name can hold any character.
 *
 * C++ and Rust need a library that is loaded with the first such name, where it is a file; elsewhere
 * `loadDemangler` must have been called.
 *
 * @example
 * ```ts
 * import { demangle } from "@machpause/machpause";
 *
 * demangle("$s4main3fooyySiF"); // foo(_:)
 * demangle("$s4main3fooyySiF", "full"); // main.foo(Swift.Int) -> ()
 * ```
 */
export function demangle(name: string, style: DemangleStyle = "simplified"): string {
  const cache = kept[style];
  const known = cache.get(name);
  if (known !== undefined) return known;
  if (name.length > longest) return name;
  let text: string | null;
  if (swiftName.test(name)) {
    if (swift === null) return name;
    const plain = /^__[$T]/.test(name) ? name.slice(1) : name;
    text = mayBeOthers(plain, swift) ? null : swift.demangle(plain, style);
  } else if (needsLibrary(name)) {
    const demangler = library?.() ?? null;
    if (demangler === null) return name;
    text = demangler.demangle(/^__[ZR]/.test(name) ? name.slice(1) : name, style);
  } else {
    return name;
  }
  if (text === null || text.length > longestText) text = name;
  keptCharacters += name.length + text.length;
  if (keptCharacters > capacity) {
    for (const names of Object.values(kept)) names.clear();
    keptCharacters = 0;
  }
  cache.set(name, text);
  return text;
}
