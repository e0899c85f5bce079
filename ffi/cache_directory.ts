/** Where machpause keeps its native files. */

/** What decides where. */
export interface CacheSystem {
  /** As `Deno.build.os` names it. */
  readonly os: string;
  /** The effective user. */
  readonly user: number | null;
  /** `HOME`. */
  readonly home: string | undefined;
  /** `XDG_CACHE_HOME`. */
  readonly caches: string | undefined;
  /** Who owns a file; `undefined` where there is none. */
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
 * `sudo` on macOS, and `sudo -E`, leave `HOME` as it was. What root wrote there would be root's, and the
 * user locked out of it; what the user wrote there root may not trust. So root has a directory of its own
 * wherever the one named is not root's.
 *
 * @throws Error where neither `HOME` nor `XDG_CACHE_HOME` names one
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

/** Whether a directory, or the one it would be made in, is another user's than root. */
function isOthers(path: string, { ownerOf }: CacheSystem): boolean {
  for (let at = path; at !== ""; at = at.slice(0, at.lastIndexOf("/"))) {
    const owner = ownerOf(at);
    if (owner !== undefined) return owner !== 0;
  }
  return false;
}
