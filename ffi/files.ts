/** {@linkcode Files} over the system. */
import { folderOf, type Paths, placeOf } from "../lib/file_place.ts";
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

/** Begins to write a file, which appears whole or not at all. */
function create(path: string, mode = 0o600): FileSink {
  const place = placeOf(path, paths);
  if (!place.replaced) return writeThrough(place.path);
  removeLeftovers(folderOf(place.path));
  return unnamed(place.path, mode) ?? partial(place.path, mode);
}

const paths: Paths = {
  kind(path, follow) {
    try {
      const info = follow ? Deno.statSync(path) : Deno.lstatSync(path);
      if (info.isFile) return "file";
      if (info.isDirectory) return "folder";
      if (info.isSymlink) return "link";
      if (info.isBlockDevice) return "block device";
      if (info.isCharDevice) return "character device";
      return info.isFifo ? "FIFO" : "socket";
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return undefined;
      throw error;
    }
  },
  readLink: (path) => Deno.readLinkSync(path),
  realPath: (path) => Deno.realPathSync(path),
};

/** Node's file system, for what Deno's has no name for. Loaded when a file is written: it takes longer to
 * load than most of what a file is written for. */
function nodeFs(): typeof import("node:fs") {
  return process.getBuiltinModule("node:fs") as typeof import("node:fs");
}

const zeros = new Uint8Array(64 << 10);

/** Writes to a device or a FIFO as it is. */
function writeThrough(path: string): FileSink {
  const file = openThrough(path);
  let length = 0;
  let open = true;
  const close = () => {
    if (open) file.close();
    open = false;
  };
  const write = (bytes: Uint8Array) => {
    for (let at = 0; at < bytes.length;) at += file.writeSync(bytes.subarray(at));
    length += bytes.length;
  };
  return {
    get length() {
      return length;
    },
    write,
    skip(bytes) {
      for (let left = bytes; left > 0; left -= zeros.length) write(zeros.subarray(0, left));
    },
    commit: close,
    [Symbol.dispose]: close,
  };
}

/** Opens a device or a FIFO. Opening a FIFO waits for a reader, and nothing else of this process would go
 * on meanwhile: so it is asked first whether there is one. */
function openThrough(path: string): Deno.FsFile {
  const fs = nodeFs();
  const { O_WRONLY, O_NONBLOCK } = fs.constants;
  let descriptor: number;
  try {
    descriptor = fs.openSync(path, O_WRONLY | O_NONBLOCK);
  } catch (cause) {
    if (codeOf(cause) !== "ENXIO") throw cause;
    throw new Error(`${path}: nobody reads from it`, { cause });
  }
  // Open until then: a reader leaves with the last writer.
  try {
    return Deno.openSync(path, { write: true });
  } finally {
    fs.closeSync(descriptor);
  }
}

function codeOf(error: unknown): unknown {
  return (error as { code?: unknown } | null)?.code;
}

/** How a file that is being written gets its name, or none. */
interface Naming {
  commit(): void;
  abandon(): void;
}

/** What of a file a sink uses. */
interface Output {
  /** Writes some of the bytes at an offset; returns how many. */
  write(bytes: Uint8Array, offset: number): number;
  truncate(length: number): void;
  close(): void;
}

/** A sink over a file that has no name yet, or not its own. */
function sinkOver(file: Output, naming: Naming): FileSink {
  let length = 0;
  let open = true;
  return {
    get length() {
      return length;
    },
    write(bytes) {
      for (let at = 0; at < bytes.length;) {
        at += file.write(bytes.subarray(at), length + at);
      }
      length += bytes.length;
    },
    skip(bytes) {
      length += bytes;
    },
    commit() {
      file.truncate(length);
      open = false;
      try {
        naming.commit();
      } finally {
        file.close();
      }
    },
    [Symbol.dispose]() {
      if (!open) return;
      open = false;
      try {
        naming.abandon();
      } finally {
        file.close();
      }
    },
  };
}

/** Gives a file its name, in the place of the file that has it. What else has taken the name since stays. */
function renameOver(from: string, to: string): void {
  try {
    const kind = paths.kind(to, false);
    if (kind !== undefined && kind !== "file") {
      throw new Error(`${to} has become a ${kind} meanwhile`);
    }
    Deno.renameSync(from, to);
  } catch (error) {
    Deno.removeSync(from);
    throw error;
  }
}

/** The name of an unfinished file: whose it is, and that it may be removed when that process is gone. */
function partialName(path: string): string {
  return `${path}.${Deno.pid}.${crypto.randomUUID().slice(0, 8)}.partial`;
}

/** What {@linkcode partialName} makes: the pid. */
const partialNames = /\.(\d+)\.[0-9a-f]{8}\.partial$/;

/** A file that has a name of its own until it is committed. It is locked for as long as it is written. */
function partial(path: string, mode: number): FileSink {
  const temporary = partialName(path);
  const file = Deno.openSync(temporary, { write: true, createNew: true, mode });
  try {
    file.lockSync(true);
  } catch {
    // Not every file system has locks; without them nobody removes it for us.
  }
  let position = 0;
  const output: Output = {
    write(bytes, offset) {
      if (offset !== position) file.seekSync(offset, Deno.SeekMode.Start);
      const written = file.writeSync(bytes);
      position = offset + written;
      return written;
    },
    truncate: (length) => file.truncateSync(length),
    close: () => file.close(),
  };
  return sinkOver(output, {
    commit: () => renameOver(temporary, path),
    abandon: () => Deno.removeSync(temporary),
  });
}

/** The folders in which this process has removed leftovers. */
const swept = new Set<string>();

/** How old an unfinished file is, in milliseconds, before its lock tells whether it is being written: a
 * process takes the lock after it has made the file. */
const lockedAfter = 10_000;

/** Removes the unfinished files of processes that were killed. */
function removeLeftovers(folder: string): void {
  if (swept.has(folder)) return;
  swept.add(folder);
  try {
    for (const { name, isFile } of Deno.readDirSync(folder)) {
      const pid = isFile ? partialNames.exec(name)?.[1] : undefined;
      if (pid !== undefined) removeLeftover(`${folder}/${name}`, Number(pid));
    }
  } catch {
    // A folder may be writable and yet not readable.
  }
}

function removeLeftover(path: string, pid: number): void {
  try {
    using file = Deno.openSync(path);
    if (!file.tryLockSync(true)) return;
    const { mtime } = file.statSync();
    const isNew = Date.now() - (mtime?.getTime() ?? 0) < lockedAfter;
    if (isNew && mayLive(pid)) return;
    Deno.removeSync(path);
  } catch {
    // Somebody else's, or gone already.
  }
}

function mayLive(pid: number): boolean {
  if (Deno.build.os !== "linux") return true;
  return paths.kind(`/proc/${pid}`, false) !== undefined;
}

/** `O_TMPFILE` of `<asm-generic/fcntl.h>`, and `O_RDWR`. */
const O_TMPFILE = 0o20200000;
const O_RDWR = 2;
/** `<fcntl.h>` */
const AT_FDCWD = -100;
const AT_SYMLINK_FOLLOW = 0x400;

/** Gives what `/proc` calls `from` the name `to`; false where that is taken, or cannot be. */
type Link = (from: string, to: string) => boolean;

/** `linkat`, which Deno cannot be told to follow links with; `null` where it is not to be had. */
let link: Link | null | undefined;

function findLink(): Link | null {
  if (Deno.build.os !== "linux") return null;
  if (Deno.permissions.querySync({ name: "ffi" }).state !== "granted") return null;
  const parameters = ["i32", "buffer", "i32", "buffer", "i32"] as const;
  try {
    const { symbols } = Deno.dlopen("libc.so.6", { linkat: { parameters, result: "i32" } });
    const text = new TextEncoder();
    const name = (path: string) => text.encode(`${path}\0`);
    return (from, to) =>
      symbols.linkat(AT_FDCWD, name(from), AT_FDCWD, name(to), AT_SYMLINK_FOLLOW) === 0;
  } catch {
    // Another C library.
    return null;
  }
}

/** A file that has no name until it is committed, so that nothing is left of it when this process is
 * killed; `undefined` where there is no such thing. */
function unnamed(path: string, mode: number): FileSink | undefined {
  link ??= findLink();
  if (link === null) return undefined;
  const fs = nodeFs();
  let descriptor: number;
  try {
    descriptor = fs.openSync(folderOf(path), O_TMPFILE | O_RDWR, mode);
  } catch {
    // NFS has none. Where the folder is missing, partial() says so.
    return undefined;
  }
  const output: Output = {
    write: (bytes, offset) => fs.writeSync(descriptor, bytes, 0, bytes.length, offset),
    truncate: (length) => fs.ftruncateSync(descriptor, length),
    close: () => fs.closeSync(descriptor),
  };
  const named = link;
  return sinkOver(output, {
    commit: () => nameUnnamed(`/proc/self/fd/${descriptor}`, path, named),
    abandon() {},
  });
}

function nameUnnamed(self: string, path: string, link: Link): void {
  if (paths.kind(path, false) === undefined && link(self, path)) return;
  const temporary = partialName(path);
  if (!link(self, temporary)) throw new Error(`${path} could not be given its name`);
  renameOver(temporary, path);
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
