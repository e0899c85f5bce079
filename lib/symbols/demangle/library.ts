/** The library's WebAssembly module, with a bound on its memory: a name of 200 letters can stand for
 * gigabytes of text. */

/** The text of a name; something else when it is no name. */
export type Library = (name: string) => string;

/** What the module exports. */
interface Exports {
  readonly memory: WebAssembly.Memory;
  __wbindgen_start(): void;
  __wbindgen_malloc(size: number, align: number): number;
  __wbindgen_free(at: number, size: number, align: number): void;
  demangle_any(at: number, size: number): [at: number, size: number];
}

/** Pages of 64 KiB that the module may have; it begins with 17. */
const mostPages = 256;

const memorySection = 5;

/** Begins the module anew when a name was too much for it. */
export function instantiate(bytes: Uint8Array): Library {
  const module = new WebAssembly.Module(limited(bytes));
  const encoder = new TextEncoder(), decoder = new TextDecoder();
  let wasm: Exports | null = null;
  return (name) => {
    wasm ??= start(module);
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

function start(module: WebAssembly.Module): Exports {
  const imports = { "./index_bg.js": { __wbindgen_init_externref_table: () => {} } };
  const wasm = new WebAssembly.Instance(module, imports).exports as unknown as Exports;
  wasm.__wbindgen_start();
  return wasm;
}

/** The module with a maximum in its memory section (WebAssembly core specification, 5.5.8), which has
 * none. */
function limited(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  for (let at = 8; at < bytes.length;) {
    const start = at, id = bytes[at++];
    let size = 0;
    for (let shift = 0, byte = 0x80; byte >= 0x80; shift += 7) {
      byte = bytes[at++];
      size |= (byte & 0x7f) << shift;
    }
    if (id === memorySection && size === 3 && bytes[at + 1] === 0) {
      const memory = [id, 5, 1, 1, bytes[at + 2], mostPages & 0x7f | 0x80, mostPages >> 7];
      const result = new Uint8Array(bytes.length + 2);
      result.set(bytes.subarray(0, start));
      result.set(memory, start);
      result.set(bytes.subarray(at + size), start + memory.length);
      return result;
    }
    at += size;
  }
  throw new RangeError("gecko-profiler-demangle has another memory than is known");
}
