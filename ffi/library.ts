/** Where the native files come from.
 *
 * A package from a registry has no files on disk that the system could load, so its native files
 * are embedded in modules, compressed, and written out once to a cache directory.
 *
 * What is loaded is native code with this process's rights, so the directory must be the user's own
 * and nobody else's to write: it is refused otherwise. That is also what makes checking a file and
 * then loading it by name sound: between the two only the user could change it. The SHA-256 of the
 * file is checked at every load. A file appears under its name whole, by renaming, and its
 * directory is named by its hash, so several processes and several versions can write at once; whichever is last
 * put the same bytes there. A file that is not what it should be is replaced in the same way, which
 * leaves processes that have the old one mapped alone.
 */
// Named in full: a script elsewhere that imports a checkout has no import map for it.
// deno-lint-ignore no-import-prefix
import { sha256 as digest } from "npm:@noble/hashes@^2.4.0/sha2.js";
import { cacheDirectory } from "./user_folders.ts";
import { files } from "./files.ts";
import { libraries, type Prebuilt } from "./prebuilt/manifest.ts";

/** Deno's flags for what is done here, for messages. */
const flags = "--allow-ffi --allow-read --allow-write --allow-env --allow-sys=uid (or -A)";

/** The embedded library for this machine. */
const ownKey = Deno.build.os === "darwin" ? "darwin" : `linux-${Deno.build.arch}`;

/** In hexadecimal. WebCrypto's would have to be waited for, and `node:crypto` takes longer to load than
 * all of machpause. */
function sha256(bytes: Uint8Array): string {
  return digest(bytes).toHex();
}

/** Runs `action`; where Deno's permissions stop it, says which flags it takes. */
function permitted<T>(action: () => T): T {
  try {
    return action();
  } catch (error) {
    if (!(error instanceof Deno.errors.NotCapable)) throw error;
    throw new Error(`a live process is reached through a native library: run deno with ${flags}`, {
      cause: error,
    });
  }
}

function isGranted(descriptor: Deno.PermissionDescriptor): boolean {
  return Deno.permissions.querySync(descriptor).state === "granted";
}

/** The environment variable, where it may be read without asking anybody. */
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

/** Makes sure that nobody but the user can put files into the directory. */
function checkDirectory(directory: string): void {
  const info = Deno.lstatSync(directory);
  if (info.isSymlink) refuse(directory, "is a symbolic link");
  if (!info.isDirectory) refuse(directory, "is not a directory");
  if (info.uid !== Deno.uid()) refuse(directory, "belongs to another user");
  if ((info.mode! & 0o022) !== 0) refuse(directory, "can be written by other users");
}

/** The directory of one file, named by its hash: the file keeps the name that stacks show. */
function directoryOf(prebuilt: Prebuilt): string {
  return `${cacheDirectory()}/${prebuilt.sha256.slice(0, 16)}`;
}

function checkDirectories(prebuilt: Prebuilt): void {
  checkDirectory(cacheDirectory());
  checkDirectory(directoryOf(prebuilt));
}

/** The path of the file in the cache, where there is one of the right size. */
function findCached(prebuilt: Prebuilt): string | undefined {
  try {
    checkDirectories(prebuilt);
    const path = `${directoryOf(prebuilt)}/${prebuilt.file}`;
    // A link could lead out of the directory.
    const info = Deno.lstatSync(path);
    return info.isFile && info.size === prebuilt.size ? path : undefined;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

/** The same, where the file is right. */
function checkCached(prebuilt: Prebuilt): string | undefined {
  const path = findCached(prebuilt);
  return path !== undefined && sha256(Deno.readFileSync(path)) === prebuilt.sha256
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

/** Writes a file that appears whole, in place of what is there: a link could lead out of the directory. */
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

/** Each by name, so that a registry and Deno's own cache know what belongs to the package. */
const modules: Readonly<Record<string, () => Promise<{ readonly default: string }>>> = {
  "darwin": () => import("./prebuilt/darwin.ts"),
  "preload": () => import("./prebuilt/preload.ts"),
  "demo": () => import("./prebuilt/demo.ts"),
  "linux-x86_64": () => import("./prebuilt/linux-x86_64.ts"),
  "linux-aarch64": () => import("./prebuilt/linux-aarch64.ts"),
  "loader-x86_64": () => import("./prebuilt/loader-x86_64.ts"),
  "loader-i386": () => import("./prebuilt/loader-i386.ts"),
};

/** The embedded file. */
async function embedded(key: string): Promise<Uint8Array> {
  const compressed = Uint8Array.fromBase64((await modules[key]()).default);
  const stream = new Blob([compressed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Whether the cache seems to have this machine's library, as far as may be seen without asking. */
function seemsCached(): boolean {
  const mayLook = isGranted({ name: "read" }) && isGranted({ name: "env" }) &&
    isGranted({ name: "sys", kind: "uid" });
  try {
    return mayLook && findCached(libraries[ownKey]) !== undefined;
  } catch {
    // libraryPath() says what is wrong, to somebody who asked for the library.
    return false;
  }
}

/** This machine's embedded library, where it will have to be written: {@linkcode libraryPath} cannot
 * wait for it. Nothing is waited for here when the cache has it, for a worker loses the messages
 * that come while its modules wait. */
const ownLibrary = Object.hasOwn(libraries, ownKey) && !seemsCached()
  ? await embedded(ownKey)
  : undefined;

/** The path of the native library: the one that is asked for, the one that the environment variable
 * `MACHPAUSE_LIBRARY` names, or the embedded one, written to the cache directory where it is not
 * there yet.
 *
 * @param library the path of one to use instead
 * @throws Error when the cache directory is not safe, or a permission is missing
 */
export function libraryPath(library?: string): string {
  const given = library ?? grantedVariable("MACHPAUSE_LIBRARY");
  if (given !== undefined) return given;
  const prebuilt = prebuiltOf(ownKey);
  return permitted(() => {
    const path = checkCached(prebuilt);
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

/** The path of the program that runs Mach-O programs on Linux, from the same cache.
 *
 * @param arch what it runs
 */
export function loaderPath(arch: "i386" | "x86_64"): Promise<string> {
  return embeddedPath(`loader-${arch}`);
}

/** The path of the library that launched programs hand over their task port with, from the same cache. */
export function preloadPath(): Promise<string> {
  return embeddedPath("preload");
}

/** The path of the program that `demo` shows, written with its library and their dSYMs to the same cache.
 * Made by `tools/build/demo.ts`. */
export async function demoPath(): Promise<string> {
  const prebuilt = prebuiltOf("demo");
  const bytes = await embedded("demo");
  if (sha256(bytes) !== prebuilt.sha256) throw damaged(prebuilt);
  const end = bytes.indexOf("\n".charCodeAt(0));
  const list: { path: string; size: number }[] = JSON.parse(
    new TextDecoder().decode(bytes.subarray(0, end)),
  );
  const directory = directoryOf(prebuilt);
  permitted(() => {
    let at = end + 1;
    for (const { path, size } of list) {
      const contents = bytes.subarray(at, at += size);
      const file = `${directory}/${path}`;
      makeDirectory(file.slice(0, file.lastIndexOf("/")));
      checkDirectories(prebuilt);
      if (!holds(file, contents)) writeWhole(file, contents);
    }
  });
  return `${directory}/${list[0].path}`;
}

/** Whether a file is there with these bytes. */
function holds(path: string, bytes: Uint8Array): boolean {
  try {
    if (!Deno.lstatSync(path).isFile) return false;
    const found = Deno.readFileSync(path);
    return found.length === bytes.length && found.every((byte, at) => byte === bytes[at]);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

async function embeddedPath(key: string): Promise<string> {
  const prebuilt = prebuiltOf(key);
  const path = permitted(() => checkCached(prebuilt));
  if (path !== undefined) return path;
  const bytes = await embedded(key);
  return permitted(() => install(prebuilt, bytes));
}
