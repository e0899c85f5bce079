/** {@linkcode Files} over the system. */
import type { Files, FileSink, OpenFile } from "../lib/file_system.ts";

/** Files by place: nothing is read that was not asked for. */
export const files: Files = { open, create, walk };

function open(path: string): OpenFile {
  // Opening a pipe would wait for somebody to write into it.
  const { isFile, size, mtime } = Deno.statSync(path);
  if (!isFile) throw new Error(`${path} is not a plain file`);
  const file = Deno.openSync(path);
  return {
    name: path,
    size,
    modified: Math.floor((mtime?.getTime() ?? 0) / 1000),
    read(offset, length, into) {
      const wanted = Math.max(0, Math.min(length, size - offset));
      const bytes = into?.subarray(0, wanted) ?? new Uint8Array(wanted);
      if (wanted > 0) file.seekSync(offset, Deno.SeekMode.Start);
      let at = 0;
      while (at < wanted) {
        const got = file.readSync(bytes.subarray(at));
        if (got === null || got === 0) break; // it was cut short meanwhile
        at += got;
      }
      return bytes.subarray(0, at);
    },
    [Symbol.dispose]: () => file.close(),
  };
}

function create(path: string, mode = 0o600): FileSink {
  const temporary = `${path}.${crypto.randomUUID().slice(0, 8)}.partial`;
  const file = Deno.openSync(temporary, { write: true, createNew: true, mode });
  let length = 0;
  let open = true;
  const close = () => {
    open = false;
    file.close();
  };
  return {
    get length() {
      return length;
    },
    write(bytes) {
      for (let at = 0; at < bytes.length;) at += file.writeSync(bytes.subarray(at));
      length += bytes.length;
    },
    skip(bytes) {
      length += bytes;
      file.seekSync(length, Deno.SeekMode.Start);
    },
    commit() {
      file.truncateSync(length);
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
