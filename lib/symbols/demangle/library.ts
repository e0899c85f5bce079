/** C++ and Rust names, by the library that the Firefox profiler demangles with: the Rust crates
 * cpp_demangle and rustc-demangle as WebAssembly. It is loaded with the first name that needs it.
 */

import { log } from "../../log.ts";
import { boundedDemangler, type DemangleAny } from "./bounded_wasm.ts";
import { cppDemangler } from "./cpp/demangle.ts";
import { type Demangler, needsLibrary } from "./demangle.ts";
import { rustDemangler } from "./rust/demangle.ts";

/** The demangler; `null` when it could not be loaded, `undefined` before the first attempt. */
let loaded: Demangler | null | undefined;

/** The demangler of C++ and Rust names, loaded with the first call; `null` where the library is not
 * a file and {@linkcode loadDemangler} has not been called. */
export function libraryDemangler(): Demangler | null {
  if (loaded === undefined) loaded = loadFile();
  return loaded;
}

/** Loads what C++ and Rust names are demangled with, about 20 ms once. `demangle` does this with
 * the first such name where machpause and its packages are files; where they are not, as in a
 * program that imports machpause over HTTP, call this first.
 *
 * @example
 * ```ts
 * import { demangle, loadDemangler } from "@machpause/machpause";
 *
 * await loadDemangler();
 * console.log(demangle("_ZN3foo3barEi")); // foo::bar(int)
 * ```
 * @param names when given, the library is loaded only if one of them needs it
 */
export async function loadDemangler(names?: Iterable<string>): Promise<void> {
  if (names !== undefined && !Array.from(names).some(needsLibrary)) return;
  if (libraryDemangler() !== null) return;
  loaded = adapt((await import("gecko-profiler-demangle")).demangle_any);
}

/** Loads the library from its file, with a limit on its memory; without a limit where Deno would
 * have to ask for the permission to read. `null` where there is no such file. */
function loadFile(): Demangler | null {
  try {
    // deno-lint-ignore no-process-global
    const { createRequire } = process.getBuiltinModule("node:module");
    const { url } = import.meta;
    const require = createRequire(url.startsWith("file:") ? url : "file:///");
    const path = require.resolve("gecko-profiler-demangle/index_bg.wasm");
    log.symbols?.(`demangles C++ and Rust names by ${path}`);
    if (!mayRead(path)) return adapt(require("gecko-profiler-demangle").demangle_any);
    // deno-lint-ignore no-process-global
    const { readFileSync } = process.getBuiltinModule("node:fs");
    return adapt(boundedDemangler(readFileSync(path)));
  } catch (error) {
    log.symbols?.(`C++ and Rust names stay mangled: ${error}`);
    return null;
  }
}

/** What Deno's global object has, and that of Node.js lacks. */
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

function adapt(demangleAny: DemangleAny): Demangler {
  const cpp = cppDemangler(demangleAny), rust = rustDemangler(demangleAny);
  return (name, style) => rust(name, style) ?? cpp(name, style);
}
