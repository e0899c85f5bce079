/** A file system in memory, which counts what is asked of it. */
import { bytesSource } from "../../../lib/macho/mod.ts";
import type { Files } from "../../../lib/file_system.ts";

const root = new URL("../../../", import.meta.url).pathname;

/** Reads a file of the checkout. */
export function fixture(path: string): Uint8Array {
  return Deno.readFileSync(`${root}${path}`);
}

/** Files by path. */
export class FileTree implements Files {
  /** Paths that were asked for, whether they are there or not. */
  readonly asked: string[] = [];
  /** How many are open. */
  opened = 0;
  readonly #files: Map<string, { bytes: Uint8Array; modified: number }>;

  constructor(files: Readonly<Record<string, Uint8Array | string>>, modified = 0) {
    this.#files = new Map(
      Object.entries(files).map(([path, content]) => [
        path,
        { bytes: typeof content === "string" ? fixture(content) : content, modified },
      ]),
    );
  }

  open(path: string) {
    this.asked.push(path);
    const file = this.#files.get(path);
    if (file === undefined) throw new Error(`there is no ${path}`);
    this.opened++;
    return {
      ...bytesSource(file.bytes, path),
      modified: file.modified,
      [Symbol.dispose]: () => {
        this.opened--;
      },
    };
  }

  create(): never {
    throw new Error("nothing is written");
  }

  *walk(path: string): Iterable<string> {
    this.asked.push(path);
    for (const known of this.#files.keys()) {
      if (known === path || known.startsWith(`${path}/`)) yield known;
    }
  }
}
