/** Opens what the user names as a target. */
import type { CoreTarget } from "../../mod.ts";
import { FormatError } from "../../lib/errors.ts";
import { fileError, UserError } from "../errors.ts";
import { held, type Opened } from "./opened.ts";

export { held, type Opened } from "./opened.ts";

/** The address of a stub. */
const stubPlace = /^(?:remote:|gdb-remote:|connect:\/\/|tcp:\/\/)/;

/** Opens `demo`, `demo:deadlock`, `self`, `core:FILE`, `remote:HOST:PORT`, `pid:N`, a bare pid, or a process name.
 *
 * @param symbols folders with debug information, and with the binaries of a core's images
 * @param via the stub to start for a process, instead of attaching to it
 * @throws UserError when `spec` is none of these
 */
export async function openTarget(
  spec: string,
  symbols: readonly string[] = [],
  via?: string,
): Promise<Opened> {
  if (stubPlace.test(spec) || via !== undefined) {
    checkFolders(symbols);
    return await (await import("./remote.ts")).openRemote(spec, symbols, via);
  }
  if (/^demo(?=:|$)/.test(spec)) {
    return await (await import("./demo.ts")).openDemo(spec.slice("demo:".length) || "demo");
  }
  if (spec.startsWith("core:")) return held(await openCoreFile(spec.slice(5), symbols));
  checkFolders(symbols);
  const { attach, attachSelf, howEnded, prepareLibrary } = await import("../../ffi/processes.ts");
  await prepareLibrary();
  const pid = /^(?:pid:)?(\d+)$/.exec(spec)?.[1];
  if (spec === "self" || Number(pid) === Deno.pid) return held(attachSelf({ symbols }));
  if (pid === undefined && /^(?:pid:|-\d+$)/.test(spec)) {
    throw new UserError(`${spec} is not a pid: write it as in pid:123`, 2);
  }
  const target = attach(pid === undefined ? spec : Number(pid), { symbols });
  return { ...held(target), ended: () => howEnded(target) };
}

/** Checks that the folders of `--symbols` exist: a misspelt one would show only as missing names.
 *
 * @throws UserError for one that does not
 */
export function checkFolders(folders: readonly string[]): void {
  for (const folder of folders) {
    if (!exists(folder)) {
      throw new UserError(`there is no folder ${folder} to look for symbols in`);
    }
  }
}

/** Whether there is a file or a folder at a path. */
export function exists(path: string): boolean {
  try {
    Deno.statSync(path);
    return true;
  } catch {
    return false;
  }
}

/** Whether a path is a folder. */
export function isFolder(path: string): boolean {
  try {
    return Deno.statSync(path).isDirectory;
  } catch {
    return false;
  }
}

/** Opens a core file.
 *
 * @param symbols folders with the binaries of its images
 * @throws UserError when there is no such file, or it may not be read
 */
export async function openCoreFile(
  file: string,
  symbols: readonly string[],
): Promise<CoreTarget> {
  if (file === "") throw new UserError("open which core? Its path goes after `core:`", 2);
  checkFolders(symbols);
  const [{ CoreTarget }, { fileSystem }] = await Promise.all([
    import("../../lib/target/cores.ts"),
    import("../../ffi/file_system.ts"),
  ]);
  try {
    return new CoreTarget(fileSystem.files.open(file), fileSystem, { symbols });
  } catch (error) {
    if (!(error instanceof FormatError)) throw fileError(error, file);
    const told = await (await import("../cli/opens.ts")).otherKind(file, "core", "core");
    throw told === undefined ? error : new UserError(told);
  }
}
