/** Files, as the library needs them; `ffi/` has them over the system. */
import type { ByteSource } from "../macho/mod.ts";

/** A file open for reading, until it is disposed.
 *
 * @example
 * ```ts
 * import { type Files, type OpenFile } from "@machpause/machpause";
 *
 * declare const files: Files; // the file system
 * using file: OpenFile = files.open("MyApp.core");
 * console.log(file.size, file.read(0, 4)); // Uint8Array(4) [ 207, 250, 237, 254 ]
 * ```
 */
export interface OpenFile extends ByteSource, Disposable {
  /** When it was written, in whole seconds since 1970, where the system says. */
  readonly modified?: number;
}

/** A file being written from its start to its end. It appears under its name when it is committed,
 * whole, and not at all when it is not: disposing it uncommitted removes what was written.
 *
 * @example
 * ```ts
 * import { type Files, type FileSink } from "@machpause/machpause";
 *
 * declare const files: Files; // the file system
 * using sink: FileSink = files.create("zeros");
 * sink.write(new TextEncoder().encode("one page:"));
 * sink.skip(4096);
 * sink.commit(); // without this there is no file
 * ```
 */
export interface FileSink extends Disposable {
  /** Bytes so far, holes included. */
  readonly length: number;
  /** Adds bytes. */
  write(bytes: Uint8Array): void;
  /** Adds `length` zero bytes, which take no room on the disk. */
  skip(length: number): void;
  /** Gives the file its name. */
  commit(): void;
}

/** The file system.
 *
 * @example
 * ```ts
 * import { type Files } from "@machpause/machpause";
 *
 * declare const files: Files; // the file system
 * for (const path of files.walk("./symbols")) {
 *   using file = files.open(path);
 *   console.log(path, file.size);
 * }
 * ```
 */
export interface Files {
  /** Opens a plain file for reading.
   *
   * @throws Error the system's, when there is none or it may not be read
   */
  open(path: string): OpenFile;
  /** Begins to write `path`, beside which a temporary file stands until it is committed. */
  create(path: string): FileSink;
  /** The paths of all plain files at and below `path`; of those that cannot be listed, none. */
  walk(path: string): Iterable<string>;
}
