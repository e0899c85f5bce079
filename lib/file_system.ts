/** Files, as the library uses them. `ffi/` implements this over the system; a test or another runtime
 * may bring its own. */
import type { ByteSource } from "./macho/mod.ts";

/** A file open for reading, until it is disposed. */
export interface OpenFile extends ByteSource, Disposable {
  /** Modification time, in whole seconds since 1970, where the system has one. */
  readonly modified?: number;
}

/** A file that is written from start to end. It appears under its name when it is committed. Disposing
 * it uncommitted removes what was written, so a half-written file is never left behind. */
export interface FileSink extends Disposable {
  /** Bytes so far, holes included. */
  readonly length: number;
  /** Appends bytes. */
  write(bytes: Uint8Array): void;
  /** Appends `length` zero bytes as a hole, which uses no disk space. */
  skip(length: number): void;
  /** Gives the file its name. */
  commit(): void;
}

/** Reading, writing and listing files. */
export interface Files {
  /** Opens a plain file for reading.
   *
   * @throws FileError when it does not exist, may not be read, or is no plain file
   */
  open(path: string): OpenFile;
  /** Starts writing `path`. Until the commit, the bytes are in a temporary file beside it.
   *
   * @param mode permissions, which the umask narrows; the owner's alone when left out
   */
  create(path: string, mode?: number): FileSink;
  /** The paths of all plain files at and below `path`, links to files and to dSYMs among them. Folders that
   * cannot be listed are left out. */
  walk(path: string): Iterable<string>;
}

/** The files of a system, and its index of dSYMs where it has one. */
export interface FileSystem {
  /** Files by path. */
  readonly files: Files;
  /** Returns the paths of dSYMs, or of folders with them, that have one of the UUIDs. On macOS this asks
   * Spotlight. */
  readonly locate?: ((uuids: readonly string[]) => readonly string[]) | undefined;
}
