/** C++ and Rust names, by the library that the Firefox profiler demangles with: the Rust crates
 * cpp_demangle and rustc-demangle as WebAssembly. It is loaded with the first name that needs it. */

import { type Demangler, needsLibrary, useDemangler } from "../lib/symbols/demangle/mod.ts";

interface Library {
  demangle_any(name: string): string;
}

let loaded: Demangler | null = null;
let tried = false;

function adapt(library: Library): Demangler {
  return {
    demangle(name, _style) {
      const text = library.demangle_any(name);
      return text === name ? null : text;
    },
  };
}

/** Loads what C++ and Rust names are demangled with, a few milliseconds once, so that `demangle` knows
 * them. `demangle` itself can load it only where this module is a file, not from a registry.
 *
 * @example
 * ```ts
 * import { demangle, loadDemangler } from "@machpause/machpause";
 *
 * await loadDemangler();
 * console.log(demangle("_ZN3foo3barEi")); // foo::bar(int)
 * ```
 * @param names when given, it is loaded only if one of them needs it
 */
export async function loadDemangler(names?: Iterable<string>): Promise<void> {
  if (loaded !== null) return;
  if (names !== undefined && !some(names, needsLibrary)) return;
  loaded = adapt(await import("gecko-profiler-demangle") as Library);
}

function some(names: Iterable<string>, test: (name: string) => boolean): boolean {
  for (const name of names) if (test(name)) return true;
  return false;
}

useDemangler(() => {
  if (loaded !== null || tried || !import.meta.url.startsWith("file:")) return loaded;
  tried = true;
  try {
    // deno-lint-ignore no-process-global
    const { createRequire } = process.getBuiltinModule("node:module");
    loaded = adapt(createRequire(import.meta.url)("gecko-profiler-demangle") as Library);
  } catch { /* loadDemangler can */ }
  return loaded;
});
