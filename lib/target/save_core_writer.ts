/** The file side of saving a core. */
import type { Files, FileSink } from "../file_system.ts";
import { createNamed } from "../named_sink.ts";

/** A file that is written from start to end, at once or when it is committed. */
export class CoreWriter implements Disposable {
  /** Whether what is added is kept in memory until the commit. Kept bytes are not copied and must not be
   * changed. */
  keeping = true;
  /** Bytes so far, holes included. */
  length = 0;
  readonly #sink: FileSink;
  /** In the file's order: bytes to write, or a number of bytes to skip. */
  readonly #kept: (Uint8Array | number)[] = [];

  /** Starts a file.
   *
   * @param path that it gets when it is committed
   * @throws Error when it cannot be made there
   */
  constructor(files: Files, path: string) {
    this.#sink = createNamed(files, path);
  }

  /** Adds bytes. */
  write(bytes: Uint8Array): void {
    this.#add(bytes);
    this.length += bytes.length;
  }

  /** Adds zeros as a hole, which uses no disk space. */
  skip(bytes: number): void {
    this.#add(bytes);
    this.length += bytes;
  }

  #add(part: Uint8Array | number): void {
    if (this.keeping) this.#kept.push(part);
    else this.#put(part);
  }

  #put(part: Uint8Array | number): void {
    if (typeof part === "number") this.#sink.skip(part);
    else this.#sink.write(part);
  }

  /** Writes what is kept, and gives the file its name. */
  commit(): void {
    for (const part of this.#kept) this.#put(part);
    this.#sink.commit();
  }

  /** Removes what was written, unless it was committed. */
  [Symbol.dispose](): void {
    this.#sink[Symbol.dispose]();
  }
}
