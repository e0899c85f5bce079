/** Rust names: `_R…` (RFC 2603) and the older `_ZN…17h…E`, which ends in a hash. */

import type { DemangleAny } from "../bounded_wasm.ts";
import type { Demangler } from "../demangle.ts";

/** The older mangling: a C++ name whose last part is `h` and a hash of 64 bits. */
const older = /^_ZN.*17h([0-9a-f]{16})E/;

/** The demangler of Rust names. The full style keeps the hash. */
export function rustDemangler(demangleAny: DemangleAny): Demangler {
  return (name, style) => {
    const hash = older.exec(name)?.[1];
    if (hash === undefined && !/^_R[A-Z0-9]/.test(name)) return null;
    const text = demangleAny(name);
    if (text === name || text === name.slice(1)) return null;
    return style === "full" && hash !== undefined ? `${text}::h${hash}` : text;
  };
}
