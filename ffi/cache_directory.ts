/** The directory of machpause's native files. */

/** What the directory depends on. Tests pass their own. */
export interface CacheSystem {
  /** As `Deno.build.os` names it. */
  readonly os: string;
  /** The effective user. */
  readonly user: number | null;
  /** `HOME`. */
  readonly home: string | undefined;
  /** `XDG_CACHE_HOME`. */
  readonly caches: string | undefined;
  /** The owner of a file; `undefined` if there is none. */
  ownerOf(path: string): number | undefined;
}

const thisSystem: CacheSystem = {
  os: Deno.build.os,
  get user() {
    return Deno.uid();
  },
  get home() {
    return Deno.env.get("HOME");
  },
  get caches() {
    return Deno.env.get("XDG_CACHE_HOME");
  },
  ownerOf(path) {
    try {
      return Deno.statSync(path).uid ?? undefined;
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return undefined;
      throw error;
    }
  },
};

/** The user's cache directory for machpause; it need not exist.
 *
 * `sudo` on macOS, and `sudo -E`, keep the user's `HOME`. Files that root creates there would lock the
 * user out, and root must not load the user's files. So root uses its own directory unless the directory
 * in the environment belongs to root.
 *
 * @throws Error if neither `HOME` nor `XDG_CACHE_HOME` is set
 */
export function cacheDirectory(system: CacheSystem = thisSystem): string {
  const { os, user, home = "", caches = "" } = system;
  const below = os === "darwin" ? "Library/Caches" : ".cache";
  // The XDG Base Directory Specification has relative paths ignored.
  const base = os !== "darwin" && caches.startsWith("/")
    ? caches
    : home.startsWith("/")
    ? `${home}/${below}`
    : undefined;
  if (user === 0 && (base === undefined || isOthers(base, system))) {
    return `${os === "darwin" ? "/var/root" : "/root"}/${below}/machpause`;
  }
  if (base === undefined) {
    throw new Error("HOME is not set: there is no cache directory to write the native library to");
  }
  return `${base}/machpause`;
}

/** Whether a directory, or its nearest existing parent, belongs to a user other than root. */
function isOthers(path: string, { ownerOf }: CacheSystem): boolean {
  for (let at = path; at !== ""; at = at.slice(0, at.lastIndexOf("/"))) {
    const owner = ownerOf(at);
    if (owner !== undefined) return owner !== 0;
  }
  return false;
}
