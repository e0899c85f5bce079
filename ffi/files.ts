/** {@linkcode Files} over the system. */
import type { Files, FileSink, OpenFile } from "../lib/target/mod.ts";
import { closeSync, fstatSync, ftruncateSync, openSync, readSync, writeSync } from "node:fs";

/** Files by `pread` and `pwrite`: nothing is read that was not asked for. */
export const files: Files = { open, create, walk };

function open(path: string): OpenFile {
  const descriptor = openSync(path, "r");
  let size: number;
  try {
    const info = fstatSync(descriptor);
    if (!info.isFile()) throw new Error(`${path} is not a plain file`);
    size = info.size;
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
  return {
    name: path,
    size,
    read(offset, length) {
      const wanted = Math.max(0, Math.min(length, size - offset));
      const bytes = new Uint8Array(wanted);
      let at = 0;
      while (at < wanted) {
        const got = readSync(descriptor, bytes, at, wanted - at, offset + at);
        if (got === 0) break; // it was cut short meanwhile
        at += got;
      }
      return bytes.subarray(0, at);
    },
    [Symbol.dispose]: () => closeSync(descriptor),
  };
}

function create(path: string): FileSink {
  const temporary = `${path}.${crypto.randomUUID().slice(0, 8)}.partial`;
  const descriptor = openSync(temporary, "wx", 0o600);
  let length = 0;
  let open = true;
  const close = () => {
    open = false;
    closeSync(descriptor);
  };
  return {
    get length() {
      return length;
    },
    write(bytes) {
      let at = 0;
      while (at < bytes.length) {
        at += writeSync(descriptor, bytes, at, bytes.length - at, length + at);
      }
      length += bytes.length;
    },
    skip(bytes) {
      length += bytes;
    },
    commit() {
      ftruncateSync(descriptor, length);
      close();
      try {
        Deno.renameSync(temporary, path);
      } catch (error) {
        Deno.removeSync(temporary);
        throw error;
      }
    },
    [Symbol.dispose]() {
      if (!open) return;
      close();
      Deno.removeSync(temporary);
    },
  };
}

function* walk(path: string): Iterable<string> {
  let entries: Iterable<Deno.DirEntry>;
  try {
    if (Deno.statSync(path).isFile) {
      yield path;
      return;
    }
    entries = [...Deno.readDirSync(path)].sort((a, b) => a.name < b.name ? -1 : 1);
  } catch {
    return;
  }
  for (const entry of entries) {
    if (entry.isFile) yield `${path}/${entry.name}`;
    else if (entry.isDirectory) yield* walk(`${path}/${entry.name}`);
  }
}
