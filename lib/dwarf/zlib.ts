/** Synchronous decompression of zlib data (RFC 1950): built into Node and Deno, by a package in browsers. Also of
 * zstd's (RFC 8878), where that is built in. */
import { FormatError } from "../errors.ts";

/** Decompresses to at most `length` bytes; throws an `Error` otherwise. */
type Inflate = (input: Uint8Array, length: number) => Uint8Array;

/** `node:zlib`, with what its newer versions have. */
type Zlib = typeof import("node:zlib") & {
  zstdDecompressSync?(input: Uint8Array, options: { readonly maxOutputLength: number }): Uint8Array;
};

/** Maximum ratio of the Deflate format. A larger result is impossible. */
const MAX_RATIO = 1032;
/** Bytes of input per call of the package, so that too long a result stops it early. */
const PIECE = 1 << 14;

let inflater: Inflate | undefined;

/** Loads the decompression of compressed DWARF sections. Only browsers need it, before they open such a file.
 *
 * @example
 * ```ts
 * import { openSymbolizer } from "@machpause/machpause";
 * import { loadInflate } from "@machpause/machpause/symbols";
 *
 * await loadInflate();
 * using symbolizer = openSymbolizer([{ path: "MyApp.dSYM" }]);
 * ```
 */
export async function loadInflate(): Promise<void> {
  inflater ??= builtIn() ?? await packaged();
}

/** Decompresses zlib data of known length.
 *
 * @param input zlib data, from its header
 * @param length length of the result, in bytes
 * @param name for errors
 * @throws {FormatError} when it is not zlib data or has another length
 */
export function inflate(input: Uint8Array, length: number, name: string): Uint8Array {
  const [method, flags] = input;
  if ((method & 15) !== 8 || (flags & 0x20) !== 0 || ((method << 8) | flags) % 31 !== 0) {
    throw new FormatError(name, 0, "a zlib header");
  }
  // True for NaN too.
  if (!(length <= input.length * MAX_RATIO)) {
    throw new FormatError(name, 0, `data of ${length} bytes when decompressed`);
  }
  inflater ??= builtIn();
  if (inflater === undefined) throw new FormatError(name, 0, "loadInflate() to have been awaited");
  return decompress(inflater, input, length, name, "zlib");
}

/** Decompresses zstd data of known length. Node has it from version 22.15 on.
 *
 * @param length length of the result, in bytes
 * @param name for errors
 * @throws {FormatError} when it is not zstd data or has another length, or where nothing decompresses it
 */
export function decompressZstd(input: Uint8Array, length: number, name: string): Uint8Array {
  const zstdDecompressSync = zlibModule()?.zstdDecompressSync;
  if (zstdDecompressSync === undefined) {
    throw new FormatError(name, 0, "zlib: zstd is not decompressed by this run-time");
  }
  const read = (input: Uint8Array, length: number) =>
    bytesOf(zstdDecompressSync(input, { maxOutputLength: Math.max(1, length) }));
  return decompress(read, input, length, name, "zstd");
}

function decompress(
  read: Inflate,
  input: Uint8Array,
  length: number,
  name: string,
  format: string,
): Uint8Array {
  let output: Uint8Array;
  try {
    output = read(input, length);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new FormatError(name, 0, `${length} bytes of ${format} data (${reason})`);
  }
  if (output.length !== length) {
    throw new FormatError(name, 0, `${length} decompressed bytes, not ${output.length}`);
  }
  return output;
}

/** `node:zlib`, loaded at first use: an import would load it at every start. */
function zlibModule(): Zlib | undefined {
  const { process } = globalThis as {
    process?: { getBuiltinModule?(name: "node:zlib"): Zlib | undefined };
  };
  return process?.getBuiltinModule?.("node:zlib");
}

function builtIn(): Inflate | undefined {
  const zlib = zlibModule();
  return zlib &&
    ((input, length) => bytesOf(zlib.inflateSync(input, { maxOutputLength: Math.max(1, length) })));
}

/** Node's buffer as plain bytes. */
function bytesOf({ buffer, byteOffset, byteLength }: Uint8Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

async function packaged(): Promise<Inflate> {
  const { Unzlib } = await import("fflate");
  return (input, length) => {
    const output = new Uint8Array(length);
    let at = 0;
    let isWhole = false;
    const stream = new Unzlib((bytes, last) => {
      if (bytes.length > length - at) throw new RangeError("it goes on");
      output.set(bytes, at);
      at += bytes.length;
      isWhole = last;
    });
    for (let from = 0; from < input.length; from += PIECE) {
      stream.push(input.subarray(from, from + PIECE), from + PIECE >= input.length);
    }
    if (!isWhole) throw new RangeError("it is cut short");
    return output.subarray(0, at);
  };
}
