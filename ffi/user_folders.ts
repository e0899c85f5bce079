/** Folders of the user in which machpause creates files. */

/** What the folders depend on. Tests pass their own. */
export interface FolderSystem {
  /** As `Deno.build.os` names it. */
  readonly os: string;
  /** The effective user. */
  readonly user: number | null;
  /** An environment variable. */
  variable(name: string): string | undefined;
  /** The owner of a file; `undefined` if there is none. */
  ownerOf(path: string): number | undefined;
}

const thisSystem: FolderSystem = {
  os: Deno.build.os,
  get user() {
    return Deno.uid();
  },
  variable: (name) => Deno.env.get(name),
  ownerOf(path) {
    try {
      return Deno.statSync(path).uid ?? undefined;
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return undefined;
      throw error;
    }
  },
};

/** A folder that belongs to the current user; it need not exist.
 *
 * `sudo` on macOS, and `sudo -E`, keep the user's `HOME`. Files that root creates there would lock the
 * user out, and root must not load the user's files. So root uses its own home directory unless the
 * folder in the environment belongs to root.
 *
 * @param named an environment variable of the XDG Base Directory Specification; it must hold an
 * absolute path
 * @param below the folder in the home directory, if the variable is not set
 * @returns `undefined` if neither the variable nor `HOME` is set
 */
function ownFolder(
  named: string | undefined,
  below: string,
  system: FolderSystem,
): string | undefined {
  const folder = named === undefined ? "" : system.variable(named) ?? "";
  const home = system.variable("HOME") ?? "";
  const path = folder.startsWith("/")
    ? folder
    : home.startsWith("/")
    ? `${home}/${below}`
    : undefined;
  if (system.user !== 0 || (path !== undefined && !isOthers(path, system))) return path;
  return `${system.os === "darwin" ? "/var/root" : "/root"}/${below}`;
}

/** Whether a folder, or its nearest existing parent, belongs to a user other than root. */
function isOthers(path: string, { ownerOf }: FolderSystem): boolean {
  for (let at = path; at !== ""; at = at.slice(0, at.lastIndexOf("/"))) {
    const owner = ownerOf(at);
    if (owner !== undefined) return owner !== 0;
  }
  return false;
}

/** The user's cache directory for machpause; it need not exist.
 *
 * @throws Error if neither `HOME` nor `XDG_CACHE_HOME` is set
 */
export function cacheDirectory(system: FolderSystem = thisSystem): string {
  const folder = system.os === "darwin"
    ? ownFolder(undefined, "Library/Caches", system)
    : ownFolder("XDG_CACHE_HOME", ".cache", system);
  if (folder === undefined) {
    throw new Error("HOME is not set: there is no cache directory to write the native library to");
  }
  return `${folder}/machpause`;
}

/** The user's folder for what machpause remembers between sessions; `undefined` if neither `HOME` nor
 * `XDG_STATE_HOME` is set. */
export function stateDirectory(system: FolderSystem = thisSystem): string | undefined {
  const folder = ownFolder("XDG_STATE_HOME", ".local/state", system);
  return folder && `${folder}/machpause`;
}
