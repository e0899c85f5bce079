/** One function for the manglings of Swift, C++ and Rust, with a bounded cache. The demanglers
 * themselves are brought by `mod.ts`: this file is loaded at every start, they are not. */

import type { RawText } from "../../escape.ts";

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

let swift: Demangler | null = null;
let library: () => Demangler | null = () => null;

/** Sets the demanglers.
 *
 * @param swiftDemangler of Swift's names
 * @param libraryDemangler gives that of C++ and Rust names; called with each such name, and may
 * answer `null` */
export function useDemanglers(
  swiftDemangler: Demangler,
  libraryDemangler: () => Demangler | null,
): void {
  swift = swiftDemangler;
  library = libraryDemangler;
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
  let text: string | null;
  if (swiftName.test(name)) {
    if (swift === null) return name;
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
