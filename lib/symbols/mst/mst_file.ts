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

/** The description of the image in a symbol table file. */
export interface MstInfo {
  /** Upper case, `8-4-4-4-12`; `null` if the image had none. */
  readonly uuid: string | null;
  /** The image's architecture. */
  readonly arch: ArchName;
  /** `CPU_SUBTYPE_*`. */
  readonly cpuSubtype: number;
  /** The linked address of `__TEXT`. */
  readonly imageBase: bigint;
  /** Size of `__TEXT` in bytes; 0 if unknown. */
  readonly textSize: number;
  /** The image's name; empty if unknown. */
  readonly name: RawText;
  /** Number of functions with code of their own and of symbols. */
  readonly functionCount: number;
}

/** Opens a symbol table file. Only its header is read now; lookups read the rest on demand.
 *
 * @param source kept until the file is disposed, and disposed with it if it is disposable
 * @throws {FormatError} when it is not a symbol table file, has another version, is truncated, or its header
 * is damaged
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

/** A symbol table file: functions, lines and inlined calls of an image. {@linkcode openMst} makes it.
 *
 * @example
 * ```ts
 * import { files } from "@machpause/machpause";
 * import { openMst } from "@machpause/machpause/symbols";
 *
 * using file = openMst(files.open("MyApp.mst"));
 * file.verify(); // reads all of it
 * console.log(file.uuid, file.functionAt(0x4b38)?.name);
 * ```
 */
export class MstFile implements DebugInfo {
  /** The file's path. */
  readonly path: RawText;
  /** The UUID of the image; `null` if it had none. */
  readonly uuid: string | null;
  /** The image's architecture. */
  readonly arch: ArchName;
  /** The image that it describes. */
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

  /** There is none in a table. */
  dwarfAt(): null {
    return null;
  }

  /** There is none in a table. */
  dwarf(): [] {
    return [];
  }

  /** See {@linkcode openMst}. */
  static open(source: ByteSource & Partial<Disposable>): MstFile {
    const { name, size } = source;
    let bytes = source.read(0, Math.min(HEADER_READ, size));
    const needed = headerSizeIn(bytes, name);
    if (needed > bytes.length) bytes = source.read(0, Math.min(needed, size));
    return new MstFile(source, parseHeader(bytes, name, size));
  }

  /** The damage found so far. */
  get warnings(): readonly string[] {
    return [...this.#warnings];
  }

  /** The functions at an offset, innermost first; empty if none is known or the file is damaged, which is then
   * in `warnings`.
   *
   * @param offset offset from the image's base, the address of `__TEXT`
   */
  framesAt(offset: number): readonly SourceFrame[] {
    return this.#guarded(() => this.#lookup.framesAt(offset)) ?? [];
  }

  /** The function at an offset, ignoring inlined calls; `null` if none is known. */
  functionAt(offset: number): MstFunction | null {
    return this.#guarded(() => this.#lookup.functionAt(offset));
  }

  /** Checks the whole file: the checksums, and all that lookups read.
   *
   * @throws {FormatError} at the first damage
   */
  verify(): void {
    for (const _ of this.verifying());
  }

  /** {@linkcode MstFile.verify} in steps of a few milliseconds.
   *
   * @param sample number of pieces to check, without checksums; all of the file when left out
   * @throws {FormatError} at the first damage
   */
  *verifying(sample?: number): Generator<void> {
    for (let block = 0; sample === undefined && block < this.#map.count; block++) {
      this.#blocks.read(block);
      if (block % VERIFIED === 0) yield;
    }
    yield* this.#lookup.verify(sample);
  }

  /** Disposes the source, if it is disposable. */
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

/** Number of blocks that are checked per step. */
const VERIFIED = 256;

/** Maximum number of warnings. */
const MAX_WARNINGS = 16;

/** The public part of a header. */
export function infoOf(header: MstHeader): MstInfo {
  const { uuid, arch, cpuSubtype, imageBase, textSize, name, functionCount } = header;
  return { uuid, arch: arch.name, cpuSubtype, imageBase, textSize, name, functionCount };
}

/** The name of a symbol table file in a symbol folder: `<UUID>-<arch>.mst`.
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
