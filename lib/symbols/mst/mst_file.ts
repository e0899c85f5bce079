/** A symbol table file as debug information. */

import type { RawText } from "../../escape.ts";
import type { ArchName } from "../../arch/mod.ts";
import { FormatError } from "../../errors.ts";
import type { ByteSource } from "../../macho/mod.ts";
import type { SourceFrame } from "../../dwarf/mod.ts";
import type { DebugInfo } from "../debug_info.ts";
import { BlockMap, LocalBlocks } from "./blocks.ts";
import { HEADER_READ, headerSizeIn, type MstHeader, parseHeader } from "./layout.ts";
import { type MstFunction, MstLookup } from "./lookup.ts";

/** What a symbol table file says of itself. */
export interface MstInfo {
  /** Upper case, `8-4-4-4-12`; `null` when the image had none. */
  readonly uuid: string | null;
  /** The image's architecture. */
  readonly arch: ArchName;
  /** `CPU_SUBTYPE_*`. */
  readonly cpuSubtype: number;
  /** The `__TEXT` segment's address that the image was linked for. */
  readonly imageBase: bigint;
  /** Bytes of the `__TEXT` segment; 0 when not known. */
  readonly textSize: number;
  /** The image's name; empty when not known. Not safe to print raw. */
  readonly name: string;
  /** Functions that have code of their own, and symbols. */
  readonly functionCount: number;
}

/** Opens a symbol table file. Its header is read, and nothing else until something is looked up.
 *
 * @param source kept until the file is disposed, and disposed with it when it can be
 * @throws {FormatError} when it is no symbol table file, of another version, cut short, or its header
 * damaged
 *
 * @example
 * ```ts
 * import { openMst } from "@machpause/machpause/symbols";
 *
 * const name = "4C4C44B5-5555-3144-A1F5-3D9A0A2B6C3D-arm64.mst";
 * const bytes = await Deno.readFile(name);
 * const read = (offset: number, length: number) => bytes.subarray(offset, offset + length);
 * using file = openMst({ name, size: bytes.length, read });
 * for (const { function: name, location } of file.framesAt(0x4b38)) console.log(name, location);
 * ```
 */
export function openMst(source: ByteSource & Partial<Disposable>): MstFile {
  return MstFile.open(source);
}

/** A symbol table file: functions, lines and inlined calls of one image. Got from
 * {@linkcode openMst}.
 *
 * @example
 * ```ts
 * import { type Files, openMst } from "@machpause/machpause/symbols";
 *
 * declare const files: Files; // the file system
 * using file = openMst(files.open("MyApp.mst"));
 * file.verify(); // reads all of it
 * console.log(file.uuid, file.functionAt(0x4b38)?.name);
 * ```
 */
export class MstFile implements DebugInfo {
  /** The file. */
  readonly path: RawText;
  /** Of the image it belongs to; `null` when it does not say. */
  readonly uuid: string | null;
  /** The image's architecture. */
  readonly arch: ArchName;
  /** What it says of itself. */
  readonly info: MstInfo;
  readonly #source: ByteSource & Partial<Disposable>;
  readonly #map: BlockMap;
  readonly #blocks: LocalBlocks;
  readonly #lookup: MstLookup;
  readonly #warnings = new Set<string>();

  private constructor(source: ByteSource & Partial<Disposable>, header: MstHeader) {
    this.path = source.name;
    this.info = infoOf(header);
    this.uuid = header.uuid;
    this.arch = header.arch.name;
    this.#source = source;
    this.#map = new BlockMap(header, source.name);
    this.#blocks = new LocalBlocks(this.#map, source);
    this.#lookup = new MstLookup(header, this.#blocks, source.name);
  }

  /** See {@linkcode openMst}. */
  static open(source: ByteSource & Partial<Disposable>): MstFile {
    const { name, size } = source;
    let bytes = source.read(0, Math.min(HEADER_READ, size));
    const needed = headerSizeIn(bytes, name);
    if (needed > bytes.length) bytes = source.read(0, Math.min(needed, size));
    return new MstFile(source, parseHeader(bytes, name, size));
  }

  /** What was found damaged so far, in words. */
  get warnings(): readonly string[] {
    return [...this.#warnings];
  }

  /** The functions at an offset, innermost first; empty when none is known, and where the file is
   * damaged, which `warnings` then says.
   *
   * @param offset bytes from the image's base, its `__TEXT` segment's address
   */
  framesAt(offset: number): readonly SourceFrame[] {
    return this.#guarded(() => this.#lookup.framesAt(offset)) ?? [];
  }

  /** The function whose code is at an offset, and not what is inlined in it; `null` when none is
   * known. */
  functionAt(offset: number): MstFunction | null {
    return this.#guarded(() => this.#lookup.functionAt(offset));
  }

  /** Reads all of the file: against its checksums, and as lookups would.
   *
   * @throws {FormatError} at the first damaged place
   */
  verify(): void {
    for (const _ of this.verifying());
  }

  /** {@linkcode MstFile.verify}, in steps of some milliseconds.
   *
   * @param step every which piece is read, 1 for all
   * @throws {FormatError} at the first damaged place
   */
  *verifying(step = 1): Generator<void> {
    for (let block = 0; step === 1 && block < this.#map.count; block++) {
      this.#blocks.read(block);
      if (block % VERIFIED === 0) yield;
    }
    yield* this.#lookup.verify(step);
  }

  /** Closes the source, when it can be. */
  [Symbol.dispose](): void {
    this.#source[Symbol.dispose]?.();
  }

  #guarded<T>(look: () => T): T | null {
    try {
      return look();
    } catch (error) {
      if (!(error instanceof FormatError)) throw error;
      if (this.#warnings.size < MAX_WARNINGS) this.#warnings.add(error.message);
      return null;
    }
  }
}

/** Blocks that are verified at a time. */
const VERIFIED = 256;

/** A file damaged all over says so once and again. */
const MAX_WARNINGS = 16;

/** The public part of a header. */
export function infoOf(header: MstHeader): MstInfo {
  const { uuid, arch, cpuSubtype, imageBase, textSize, name, functionCount } = header;
  return { uuid, arch: arch.name, cpuSubtype, imageBase, textSize, name, functionCount };
}

/** The name of a symbol table file in a folder of them: `<UUID>-<arch>.mst`.
 *
 * @example
 * ```ts
 * import { mstName } from "@machpause/machpause/symbols";
 *
 * mstName("4C4C44B5-5555-3144-A1F5-3D9A0A2B6C3D", "arm64");
 * // 4C4C44B5-5555-3144-A1F5-3D9A0A2B6C3D-arm64.mst
 * ```
 */
export function mstName(uuid: string, arch: ArchName): string {
  return `${uuid}-${arch}.mst`;
}
