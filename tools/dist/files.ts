/** {@linkcode Files} over Node's file system. */
import { randomUUID } from "node:crypto";
import * as fs from "node:fs";
import { FileError, fileErrorOf } from "../../lib/errors.ts";
import { type Paths, placeOf } from "../../lib/file_place.ts";
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

/** Throws where a path has neither a file nor a folder.
 *
 * @throws FileError
 */
export function checkPath(path: string): void {
  told(path, () => fs.statSync(path));
}

function told<T>(path: string, ask: () => T): T {
  try {
    return ask();
  } catch (error) {
    throw fileErrorOf(path, error);
  }
}

function open(path: string): OpenFile {
  // Opening a pipe would wait for somebody to write into it.
  const stat = told(path, () => fs.statSync(path));
  if (!stat.isFile()) throw new FileError(path, stat.isDirectory() ? "folder" : "special");
  const size = stat.size;
  const file = told(path, () => fs.openSync(path, "r"));
  // A closed descriptor's number may come to be another file's.
  let isOpen = true;
  return {
    name: path,
    size,
    read(offset, length) {
      if (!isOpen) throw new TypeError(`${path} was closed`);
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
    [Symbol.dispose]() {
      if (isOpen) fs.closeSync(file);
      isOpen = false;
    },
  };
}

const paths: Paths = {
  kind(path, follow) {
    const info = (follow ? fs.statSync : fs.lstatSync)(path, { throwIfNoEntry: false });
    if (info === undefined) return undefined;
    if (info.isFile()) return "file";
    if (info.isDirectory()) return "folder";
    if (info.isSymbolicLink()) return "link";
    if (info.isBlockDevice()) return "block device";
    if (info.isCharacterDevice()) return "character device";
    return info.isFIFO() ? "FIFO" : "socket";
  },
  readLink: (path) => fs.readlinkSync(path),
  realPath: (path) => fs.realpathSync(path),
};

function create(path: string, mode = 0o600): FileSink {
  const place = placeOf(path, paths);
  const temporary = place.replaced
    ? `${place.path}.${process.pid}.${randomUUID().slice(0, 8)}.partial`
    : undefined;
  const file = temporary === undefined
    ? fs.openSync(place.path, fs.constants.O_WRONLY)
    : fs.openSync(temporary, "wx", mode);
  let length = 0;
  let open = true;
  const close = () => {
    open = false;
    fs.closeSync(file);
  };
  const remove = () => {
    if (temporary !== undefined) fs.rmSync(temporary);
  };
  const write = (bytes: Uint8Array) => {
    for (let at = 0; at < bytes.length;) {
      const position = temporary === undefined ? null : length + at;
      at += fs.writeSync(file, bytes, at, bytes.length - at, position);
    }
    length += bytes.length;
  };
  return {
    get length() {
      return length;
    },
    write,
    skip(bytes) {
      if (temporary !== undefined) {
        length += bytes;
        return;
      }
      const zeros = new Uint8Array(64 << 10);
      for (let left = bytes; left > 0; left -= zeros.length) write(zeros.subarray(0, left));
    },
    commit() {
      if (temporary !== undefined) fs.ftruncateSync(file, length);
      close();
      try {
        if (temporary !== undefined) fs.renameSync(temporary, place.path);
      } catch (error) {
        remove();
        throw error;
      }
    },
    [Symbol.dispose]() {
      if (!open) return;
      close();
      remove();
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
