/** C++ and Rust names, by the library that the Firefox profiler demangles with: the Rust crates
 * cpp_demangle and rustc-demangle as WebAssembly. It is loaded with the first name that needs it. */

import { type Demangler, needsLibrary, useDemangler } from "./mod.ts";
import { cppDemangler } from "./cpp/names.ts";
import { instantiate, type Library } from "./library.ts";
import { rustDemangler } from "./rust/names.ts";

const file = "gecko-profiler-demangle/index_bg.wasm";

let loaded: Demangler | null = null;
let tried = false;

useDemangler(() => {
  if (!tried) {
    tried = true;
    loaded = loadNow();
  }
  return loaded;
});

/** Loads what C++ and Rust names are demangled with, some 20 ms once. `demangle` does so too, with the
 * first such name; only where the library is not a file must this be called before.
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
  if (loaded !== null || (names !== undefined && !Array.from(names).some(needsLibrary))) return;
  loaded = loadNow() ?? adapt((await import("gecko-profiler-demangle")).demangle_any);
}

/** Loads it from its file, with a bound on its memory; without a bound where reading files would have
 * to be asked for. `null` where there is no file. */
function loadNow(): Demangler | null {
  try {
    // deno-lint-ignore no-process-global
    const { createRequire } = process.getBuiltinModule("node:module");
    const { url } = import.meta;
    const require = createRequire(url.startsWith("file:") ? url : "file:///");
    const path = require.resolve(file);
    if (!mayRead(path)) return adapt(require("gecko-profiler-demangle").demangle_any);
    // deno-lint-ignore no-process-global
    const { readFileSync } = process.getBuiltinModule("node:fs");
    return adapt(instantiate(readFileSync(path)));
  } catch {
    return null;
  }
}

/** What Deno has of `Deno`, and Node.js has not. */
interface Permissions {
  readonly Deno?: {
    readonly permissions: { querySync(asked: { name: "read"; path: string }): { state: string } };
  };
}

function mayRead(path: string): boolean {
  const asked = (globalThis as unknown as Permissions).Deno?.permissions
    .querySync({ name: "read", path });
  return asked === undefined || asked.state === "granted";
}

function adapt(library: Library): Demangler {
  const cpp = cppDemangler(library), rust = rustDemangler(library);
  return { demangle: (name, style) => rust.demangle(name, style) ?? cpp.demangle(name, style) };
}
