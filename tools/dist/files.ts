/** {@linkcode Files} over Node's file system. */
import { randomUUID } from "node:crypto";
import * as fs from "node:fs";
import type { Files, FileSink, OpenFile } from "../../lib/file_system.ts";

/** Files by place: nothing is read that was not asked for.
 *
 * @example
 * ```ts
 * import { files } from "@machpause/machpause";
 * import { openMst } from "@machpause/machpause/symbols";
 *
 * using file = openMst(files.open("MyApp.mst"));
 * console.log(file.info.functionCount);
 * ```
 */
export const files: Files = { open, create, walk };

function open(path: string): OpenFile {
  // Opening a pipe would wait for somebody to write into it.
  const stat = fs.statSync(path);
  if (!stat.isFile()) throw new Error(`${path} is not a plain file`);
  const size = stat.size;
  const file = fs.openSync(path, "r");
  return {
    name: path,
    size,
    read(offset, length) {
      const wanted = Math.max(0, Math.min(length, size - offset));
      const bytes = new Uint8Array(wanted);
      let at = 0;
      while (at < wanted) {
        const got = fs.readSync(file, bytes, at, wanted - at, offset + at);
        if (got === 0) break; // it was cut short meanwhile
        at += got;
      }
      return bytes.subarray(0, at);
    },
    [Symbol.dispose]: () => fs.closeSync(file),
  };
}

function create(path: string): FileSink {
  const temporary = `${path}.${randomUUID().slice(0, 8)}.partial`;
  const file = fs.openSync(temporary, "wx", 0o600);
  let length = 0;
  let open = true;
  const close = () => {
    open = false;
    fs.closeSync(file);
  };
  return {
    get length() {
      return length;
    },
    write(bytes) {
      for (let at = 0; at < bytes.length;) {
        at += fs.writeSync(file, bytes, at, bytes.length - at, length + at);
      }
      length += bytes.length;
    },
    skip(bytes) {
      length += bytes;
    },
    commit() {
      fs.ftruncateSync(file, length);
      close();
      try {
        fs.renameSync(temporary, path);
      } catch (error) {
        fs.rmSync(temporary);
        throw error;
      }
    },
    [Symbol.dispose]() {
      if (!open) return;
      close();
      fs.rmSync(temporary);
    },
  };
}

function* walk(path: string): Iterable<string> {
  let entries: fs.Dirent[];
  try {
    if (fs.statSync(path).isFile()) {
      yield path;
      return;
    }
    entries = fs.readdirSync(path, { withFileTypes: true })
      .sort((a, b) => a.name < b.name ? -1 : 1);
  } catch {
    return;
  }
  for (const entry of entries) {
    if (entry.isFile()) yield `${path}/${entry.name}`;
    else if (entry.isDirectory()) yield* walk(`${path}/${entry.name}`);
  }
}
