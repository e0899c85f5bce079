/** The WebAssembly module of `gecko-profiler-demangle`, with a limit on its memory: a name of 200
 * letters can stand for gigabytes of text. */

import { lebEnd, ulebAt } from "../../leb128.ts";

/** The text of a name; another string, such as the name itself, when it is not mangled. */
export type DemangleAny = (name: string) => string;

/** What the module exports, by wasm-bindgen. */
interface Exports {
  readonly memory: WebAssembly.Memory;
  __wbindgen_start(): void;
  __wbindgen_malloc(size: number, align: number): number;
  __wbindgen_free(at: number, size: number, align: number): void;
  demangle_any(at: number, size: number): [at: number, size: number];
}

/** Maximum memory, in pages of 64 KiB. The module starts with 17. */
const maxPages = 256;

/** The memory section's number: WebAssembly core specification, 5.5.2. */
const memorySection = 5;

/** Compiles the module. It is instantiated with the first name, and again after a name that was too
 * much for it.
 *
 * @throws RangeError when the module's memory is not declared as expected
 */
export function boundedDemangler(bytes: Uint8Array): DemangleAny {
  const module = new WebAssembly.Module(withMemoryLimit(bytes));
  const encoder = new TextEncoder(), decoder = new TextDecoder();
  let wasm: Exports | null = null;
  return (name) => {
    wasm ??= instantiate(module);
    try {
      const letters = encoder.encode(name);
      const at = wasm.__wbindgen_malloc(letters.length, 1);
      new Uint8Array(wasm.memory.buffer).set(letters, at);
      const [text, size] = wasm.demangle_any(at, letters.length);
      const result = decoder.decode(new Uint8Array(wasm.memory.buffer, text, size));
      wasm.__wbindgen_free(text, size, 1);
      return result;
    } catch {
      wasm = null;
      return name;
    }
  };
}

function instantiate(module: WebAssembly.Module): Exports {
  const imports = { "./index_bg.js": { __wbindgen_init_externref_table: () => {} } };
  const wasm = new WebAssembly.Instance(module, imports).exports as unknown as Exports;
  wasm.__wbindgen_start();
  return wasm;
}

/** The module with a maximum in its memory section (WebAssembly core specification, 5.5.8). */
function withMemoryLimit(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  for (let at = 8; at < bytes.length;) {
    const start = at;
    const id = bytes[at];
    const end = lebEnd(bytes, at + 1);
    const size = ulebAt(bytes, at + 1);
    at = end;
    if (id === memorySection && size === 3 && bytes[at + 1] === 0) {
      const memory = [id, 5, 1, 1, bytes[at + 2], maxPages & 0x7f | 0x80, maxPages >> 7];
      const result = new Uint8Array(bytes.length + 2);
      result.set(bytes.subarray(0, start));
      result.set(memory, start);
      result.set(bytes.subarray(at + size), start + memory.length);
      return result;
    }
    at += size;
  }
  throw new RangeError("gecko-profiler-demangle: its memory is not declared as expected");
}
