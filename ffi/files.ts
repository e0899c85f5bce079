/** {@linkcode Files} over the system. */
import { FileError, fileErrorOf } from "../lib/errors.ts";
import { folderOf, type Paths, placeOf } from "../lib/file_place.ts";
import type { Files, FileSink, OpenFile } from "../lib/file_system.ts";

/** The system's files, for what asks for {@linkcode Files}. Of each only what is asked for is read.
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
  told(path, () => Deno.statSync(path));
}

function told<T>(path: string, ask: () => T): T {
  try {
    return ask();
  } catch (error) {
    throw fileErrorOf(path, error);
  }
}

function open(path: string): OpenFile {
  // Opening a FIFO would wait for a writer.
  const { isFile, isDirectory, size, mtime } = told(path, () => Deno.statSync(path));
  if (!isFile) throw new FileError(path, isDirectory ? "folder" : "special");
  const file = told(path, () => Deno.openSync(path));
  let isOpen = true;
  return {
    name: path,
    size,
    modified: Math.floor((mtime?.getTime() ?? 0) / 1000),
    read(offset, length, into) {
      if (!isOpen) throw new TypeError(`${path} was closed`);
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
    [Symbol.dispose]() {
      if (isOpen) file.close();
      isOpen = false;
    },
  };
}

/** Starts a file that appears when it is complete, or never. */
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

/** Node's file system, for open flags that Deno's lacks. Loaded when needed: that takes 20 ms. */
function nodeFs(): typeof import("node:fs") {
  return process.getBuiltinModule("node:fs") as typeof import("node:fs");
}

const zeros = new Uint8Array(64 << 10);

/** Writes to a device or a FIFO. */
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

/** Opens a device or a FIFO. Opening a FIFO waits for a reader and would block this process, so this first
 * tests whether there is one. */
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
  // It stays open until then: a reader sees the end of the FIFO when the last writer closes it.
  try {
    return Deno.openSync(path, { write: true });
  } finally {
    fs.closeSync(descriptor);
  }
}

function codeOf(error: unknown): unknown {
  return (error as { code?: unknown } | null)?.code;
}

/** What happens to an unfinished file in the end. */
interface Naming {
  commit(): void;
  abandon(): void;
}

/** A file that a sink writes. */
interface Output {
  /** Writes some of the bytes at an offset; returns how many. */
  write(bytes: Uint8Array, offset: number): number;
  truncate(length: number): void;
  close(): void;
}

/** A sink over a file that has a temporary name, or none. */
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

/** Renames a file, replacing another file. Anything else that has that name by now is kept. */
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

/** A name for an unfinished file, with the pid of its writer. */
function partialName(path: string): string {
  return `${path}.${Deno.pid}.${crypto.randomUUID().slice(0, 8)}.partial`;
}

/** The names that {@linkcode partialName} makes. Group 1 is the pid. */
const partialNames = /\.(\d+)\.[0-9a-f]{8}\.partial$/;

/** A file with a temporary name. It is locked while it is written, which shows that its writer is alive. */
function partial(path: string, mode: number): FileSink {
  const temporary = partialName(path);
  const file = Deno.openSync(temporary, { write: true, createNew: true, mode });
  try {
    file.lockSync(true);
  } catch {
    // Not every file system has locks. Without one, another process does not remove the file either.
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

/** The folders that this process has cleaned. */
const swept = new Set<string>();

/** Age in milliseconds from which a missing lock means that nobody writes the file. A writer takes the lock
 * just after it has created the file. */
const lockedAfter = 10_000;

/** Removes unfinished files whose writers were killed. */
function removeLeftovers(folder: string): void {
  if (swept.has(folder)) return;
  swept.add(folder);
  try {
    for (const { name, isFile } of Deno.readDirSync(folder)) {
      const pid = isFile ? partialNames.exec(name)?.[1] : undefined;
      if (pid !== undefined) removeLeftover(`${folder}/${name}`, Number(pid));
    }
  } catch {
    // A folder can be writable but not readable.
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
    // It belongs to another user, or is gone.
  }
}

function mayLive(pid: number): boolean {
  if (Deno.build.os !== "linux") return true;
  return paths.kind(`/proc/${pid}`, false) !== undefined;
}

/** `<asm-generic/fcntl.h>`; `O_DIRECTORY`, a part of `O_TMPFILE`, has a number of its own on arm64. */
const O_TMPFILE = 0o20000000 | (Deno.build.arch === "aarch64" ? 0o40000 : 0o200000);
const O_RDWR = 2;
const O_CLOEXEC = 0o2000000;
/** `<fcntl.h>` */
const AT_FDCWD = -100;
const AT_SYMLINK_FOLLOW = 0x400;

/** What Deno lacks: `open` with `O_TMPFILE`, and a `linkat` that follows links. `node:fs` has the first, but
 * takes 20 ms to load. */
const libcSymbols = {
  open: { parameters: ["buffer", "i32", "i32"], result: "i32" },
  pwrite: { parameters: ["i32", "buffer", "usize", "i64"], result: "isize" },
  ftruncate: { parameters: ["i32", "i64"], result: "i32" },
  close: { parameters: ["i32"], result: "i32" },
  linkat: { parameters: ["i32", "buffer", "i32", "buffer", "i32"], result: "i32" },
  __errno_location: { parameters: [], result: "pointer" },
} as const satisfies Deno.ForeignLibraryInterface;

type Libc = Deno.DynamicLibrary<typeof libcSymbols>["symbols"];

/** The C library; `null` if unavailable. */
let libc: Libc | null | undefined;

function findLibc(): Libc | null {
  if (Deno.build.os !== "linux") return null;
  if (Deno.permissions.querySync({ name: "ffi" }).state !== "granted") return null;
  try {
    return Deno.dlopen("libc.so.6", libcSymbols).symbols;
  } catch {
    // Not glibc.
    return null;
  }
}

/** The reason why the last call failed. */
function lastError({ __errno_location }: Libc): Error {
  const number = new Deno.UnsafePointerView(__errno_location()!).getInt32();
  const library = Deno.dlopen("libc.so.6", {
    strerror: { parameters: ["i32"], result: "pointer" },
  });
  const text = Deno.UnsafePointerView.getCString(library.symbols.strerror(number)!);
  const { getSystemErrorName } = process.getBuiltinModule("node:util");
  const code = getSystemErrorName(-number);
  return Object.assign(new Error(`${text} (os error ${number})`), { code });
}

/** A string as C takes it. */
function cString(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(`${text}\0`);
}

/** A file without a name until the commit. If this process is killed nothing is left of it. `undefined` if
 * the system or the file system has no such files. */
function unnamed(path: string, mode: number): FileSink | undefined {
  const functions = libc ??= findLibc();
  if (functions === null) return undefined;
  const { open, pwrite, ftruncate, close, linkat } = functions;
  const descriptor = open(cString(folderOf(path)), O_TMPFILE | O_RDWR | O_CLOEXEC, mode);
  // As on NFS. If the folder does not exist, partial() fails with the error.
  if (descriptor < 0) return undefined;
  const output: Output = {
    write(bytes, offset) {
      const written = Number(pwrite(descriptor, bytes, BigInt(bytes.length), BigInt(offset)));
      if (written <= 0) throw lastError(functions);
      return written;
    },
    truncate(length) {
      if (ftruncate(descriptor, BigInt(length)) !== 0) throw lastError(functions);
    },
    close: () => void close(descriptor),
  };
  const self = cString(`/proc/self/fd/${descriptor}`);
  const link: Link = (to) => linkat(AT_FDCWD, self, AT_FDCWD, cString(to), AT_SYMLINK_FOLLOW) === 0;
  return sinkOver(output, { commit: () => nameUnnamed(path, link), abandon() {} });
}

/** Links the file to a name. `false` on failure, as when the name is taken. */
type Link = (to: string) => boolean;

function nameUnnamed(path: string, link: Link): void {
  if (paths.kind(path, false) === undefined && link(path)) return;
  const temporary = partialName(path);
  if (!link(temporary)) throw new Error(`${path} could not be given its name`);
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
    // Of links, those to files and to dSYMs are followed: one to a folder may lead anywhere, or back here.
    else if (entry.isSymlink) yield* linked(`${path}/${entry.name}`);
  }
}

function* linked(path: string): Iterable<string> {
  try {
    const { isFile } = Deno.statSync(path);
    if (!isFile && !path.endsWith(".dSYM")) return;
  } catch {
    return;
  }
  yield* walk(path);
}
