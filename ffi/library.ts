/** Finds the native files.
 *
 * A package from a registry has no files on disk that the system could load. So its native files are
 * embedded in modules, compressed, and are written once to a cache directory.
 *
 * The files are native code that runs with this process's rights. So the directory must belong to the
 * user and be writable by nobody else. Then only the user can change a file between the check and the
 * load. The SHA-256 of a file is checked at every load. The name of a file's directory is its hash, and
 * a file gets its name when it is complete. So several processes and several versions can write at
 * once. A damaged file is replaced, not overwritten: processes that have it mapped keep the old one.
 */
import { cacheDirectory } from "./user_folders.ts";
import { files } from "./files.ts";
import { libraries, type Prebuilt } from "./prebuilt/manifest.ts";
import { sha256 } from "./sha256.ts";
import type { ArchName } from "../lib/arch/mod.ts";

/** The Deno flags that this module needs, for messages. */
const flags = "--allow-ffi --allow-read --allow-write --allow-env --allow-sys=uid (or -A)";

/** The embedded library for this machine. */
const ownKey = Deno.build.os === "darwin" ? "darwin" : `linux-${Deno.build.arch}`;

/** {@linkcode sha256} by WebCrypto, which is ten times as fast but asynchronous. */
async function sha256Of(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
}

/** Runs `action`. An error about missing permissions stays one, and names the flags. */
function permitted<T>(action: () => T): T {
  try {
    return action();
  } catch (error) {
    throw withFlags(error);
  }
}

function withFlags(error: unknown): unknown {
  // What import() throws for a module that may not be read is a TypeError.
  const isRefused = error instanceof Deno.errors.NotCapable ||
    (error instanceof TypeError && /^Requires \w+ access/.test(error.message));
  if (!isRefused) return error;
  const text = `a live process is reached through a native library: run deno with ${flags}`;
  return new Deno.errors.NotCapable(text, { cause: error });
}

function isGranted(descriptor: Deno.PermissionDescriptor): boolean {
  return Deno.permissions.querySync(descriptor).state === "granted";
}

/** An environment variable, if it can be read without a permission prompt. */
function grantedVariable(variable: string): string | undefined {
  if (!isGranted({ name: "env", variable })) return undefined;
  return Deno.env.get(variable) || undefined;
}

function refuse(directory: string, why: string): never {
  throw new Error(
    `${directory} ${why}: native code is not loaded from there. Remove it, or name a library ` +
      "with MACHPAUSE_LIBRARY",
  );
}

/** Checks that only the user can create files in the directory. */
function checkDirectory(directory: string): void {
  const info = Deno.lstatSync(directory);
  if (info.isSymlink) refuse(directory, "is a symbolic link");
  if (!info.isDirectory) refuse(directory, "is not a directory");
  if (info.uid !== Deno.uid()) refuse(directory, "belongs to another user");
  if ((info.mode! & 0o022) !== 0) refuse(directory, "can be written by other users");
}

/** The directory of a file. It is named by the hash, so that the file has the name that stacks show. */
function directoryOf(prebuilt: Prebuilt): string {
  return `${cacheDirectory()}/${prebuilt.sha256.slice(0, 16)}`;
}

function checkDirectories(prebuilt: Prebuilt): void {
  checkDirectory(cacheDirectory());
  checkDirectory(directoryOf(prebuilt));
}

/** The path of a file in the cache; `undefined` without one of the right size. */
function findCached(prebuilt: Prebuilt): string | undefined {
  try {
    checkDirectories(prebuilt);
    const path = `${directoryOf(prebuilt)}/${prebuilt.file}`;
    // A link could lead outside the directory.
    const info = Deno.lstatSync(path);
    return info.isFile && info.size === prebuilt.size ? path : undefined;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

/** The same, with the hash checked. */
function checkCached(prebuilt: Prebuilt): string | undefined {
  const path = findCached(prebuilt);
  return path !== undefined && sha256(Deno.readFileSync(path)) === prebuilt.sha256
    ? path
    : undefined;
}

/** As {@linkcode checkCached}, for those who can wait. */
async function checkCachedSoon(prebuilt: Prebuilt): Promise<string | undefined> {
  const path = permitted(() => findCached(prebuilt));
  return path !== undefined && await sha256Of(Deno.readFileSync(path)) === prebuilt.sha256
    ? path
    : undefined;
}

/** Writes the file to the cache and returns its path. */
function install(prebuilt: Prebuilt, bytes: Uint8Array): string {
  if (sha256(bytes) !== prebuilt.sha256) throw damaged(prebuilt);
  const directory = directoryOf(prebuilt);
  makeDirectory(directory);
  checkDirectories(prebuilt);
  const path = `${directory}/${prebuilt.file}`;
  writeWhole(path, bytes);
  return path;
}

function damaged(prebuilt: Prebuilt): Error {
  return new Error(`the embedded ${prebuilt.file} is damaged: get the package again`);
}

function makeDirectory(directory: string): void {
  try {
    Deno.mkdirSync(directory, { recursive: true, mode: 0o700 });
  } catch (error) {
    if (!(error instanceof Deno.errors.PermissionDenied)) throw error;
    throw new Error(
      `${directory} cannot be made, and the native library has to be written there: set HOME or ` +
        "XDG_CACHE_HOME to a directory of yours",
      { cause: error },
    );
  }
}

/** Writes a complete file in place of an old one. A link is removed: it could lead outside the directory. */
function writeWhole(path: string, bytes: Uint8Array): void {
  try {
    if (Deno.lstatSync(path).isSymlink) Deno.removeSync(path);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  using sink = files.create(path, 0o700);
  sink.write(bytes);
  sink.commit();
}

function prebuiltOf(key: string): Prebuilt {
  const prebuilt = Object.hasOwn(libraries, key) ? libraries[key] : undefined;
  if (prebuilt === undefined) {
    throw new Error(
      `machpause has no native file for ${key}: on macOS and Linux, x86_64 and arm64, it does; ` +
        "elsewhere cores and reports can be looked at",
    );
  }
  return prebuilt;
}

/** Imports with literal names, so that registries and Deno's cache find the modules. */
const modules: Readonly<Record<string, () => Promise<{ readonly default: string }>>> = {
  "darwin": () => import("./prebuilt/darwin.ts"),
  "preload": () => import("./prebuilt/preload.ts"),
  "demo": () => import("./prebuilt/demo.ts"),
  "linux-x86_64": () => import("./prebuilt/linux-x86_64.ts"),
  "linux-aarch64": () => import("./prebuilt/linux-aarch64.ts"),
  "loader-x86_64": () => import("./prebuilt/loader-x86_64.ts"),
  "loader-i386": () => import("./prebuilt/loader-i386.ts"),
  "loader-arm64": () => import("./prebuilt/loader-arm64.ts"),
  "loader-armv7": () => import("./prebuilt/loader-armv7.ts"),
};

/** Decompresses an embedded file. */
async function embedded(key: string): Promise<Uint8Array<ArrayBuffer>> {
  const { default: text } = await modules[key]().catch((error) => {
    throw withFlags(error);
  });
  const compressed = Uint8Array.fromBase64(text);
  const stream = new Blob([compressed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Whether the cache seems to have this machine's library. Never prompts for a permission. */
function seemsCached(): boolean {
  const mayLook = isGranted({ name: "read" }) && isGranted({ name: "env" }) &&
    isGranted({ name: "sys", kind: "uid" });
  try {
    return mayLook && findCached(libraries[ownKey]) !== undefined;
  } catch {
    // libraryPath() reports the error when the library is needed.
    return false;
  }
}

/** This machine's embedded library, if it is not in the cache. It is loaded here because
 * {@linkcode libraryPath} is synchronous. If the cache has it there is no `await`: a worker loses
 * messages that arrive while its modules wait. */
const ownLibrary = Object.hasOwn(libraries, ownKey) && !seemsCached()
  ? await embedded(ownKey)
  : undefined;

/** The path of the cached library once {@linkcode prepareLibrary} has checked it. */
let prepared: string | undefined;

/** Checks the cached library ahead of {@linkcode libraryPath}, which cannot wait and is slower for it. Where
 * that is not possible, it does nothing. */
export async function prepareLibrary(): Promise<void> {
  if (seemsCached()) prepared = await checkCachedSoon(libraries[ownKey]);
}

/** The path of the native library: `library`, or the environment variable `MACHPAUSE_LIBRARY`, or the
 * embedded library, which is written to the cache directory if needed.
 *
 * @param library a path to use instead
 * @throws Error when the cache directory is not safe, or a permission is missing
 */
export function libraryPath(library?: string): string {
  const given = library ?? grantedVariable("MACHPAUSE_LIBRARY");
  if (given !== undefined) return given;
  const prebuilt = prebuiltOf(ownKey);
  return permitted(() => {
    const path = prepared ?? checkCached(prebuilt);
    // Every load has a check of its own.
    prepared = undefined;
    if (path !== undefined) return path;
    if (ownLibrary !== undefined) return install(prebuilt, ownLibrary);
    const wrong = findCached(prebuilt);
    if (wrong !== undefined) Deno.removeSync(wrong);
    throw new Error(
      `${
        directoryOf(prebuilt)
      }/${prebuilt.file} was damaged, and has been removed: start again to ` +
        "have it back",
    );
  });
}

/** The path of the program that runs Mach-O programs on Linux, in the same cache.
 *
 * @param arch of the programs
 */
export function loaderPath(arch: ArchName): Promise<string> {
  return embeddedPath(`loader-${arch}`);
}

/** The path of the library that launched programs hand over their task port with, from the same cache. */
export function preloadPath(): Promise<string> {
  return embeddedPath("preload");
}

/** The programs that `demo` shows. */
export const demoPrograms = ["demo", "deadlock"] as const;

/** The path of a program that `demo` shows, written with its library and their dSYMs to the same cache.
 * Made by `tools/build/demo.ts`. */
export async function demoPath(
  program: typeof demoPrograms[number] = "demo",
): Promise<string> {
  const prebuilt = prebuiltOf("demo");
  const bytes = Deno.readFileSync(await embeddedPath("demo"));
  const end = bytes.indexOf("\n".charCodeAt(0));
  const list: { path: string; size: number }[] = JSON.parse(
    new TextDecoder().decode(bytes.subarray(0, end)),
  );
  return permitted(() => {
    const directory = directoryOf(prebuilt);
    let at = end + 1;
    for (const { path, size } of list) {
      const contents = bytes.subarray(at, at += size);
      const file = `${directory}/${path}`;
      makeDirectory(file.slice(0, file.lastIndexOf("/")));
      checkDirectories(prebuilt);
      if (!holds(file, contents)) writeWhole(file, contents);
    }
    return `${directory}/${program}`;
  });
}

/** Whether a file has these bytes. */
function holds(path: string, bytes: Uint8Array): boolean {
  try {
    if (!Deno.lstatSync(path).isFile) return false;
    const found = Deno.readFileSync(path);
    let same = found.length === bytes.length ? 0 : -1;
    while (same >= 0 && same < bytes.length && found[same] === bytes[same]) same++;
    return same === bytes.length;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

async function embeddedPath(key: string): Promise<string> {
  const prebuilt = prebuiltOf(key);
  const path = await checkCachedSoon(prebuilt);
  if (path !== undefined) return path;
  const bytes = await embedded(key);
  return permitted(() => install(prebuilt, bytes));
}
