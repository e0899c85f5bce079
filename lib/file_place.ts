/** Where the bytes go that are written to a path: output must not destroy what it finds there. */

/** What is at a path. */
export type FileKind =
  | "file"
  | "folder"
  | "link"
  | "block device"
  | "character device"
  | "FIFO"
  | "socket";

/** What is asked of a file system. */
export interface Paths {
  /** What is at a path; `undefined` for nothing.
   *
   * @param follow whether a link counts as what it leads to
   */
  kind(path: string, follow: boolean): FileKind | undefined;
  /** What a link says. */
  readLink(path: string): string;
  /** The path without links. */
  realPath(path: string): string;
}

/** Where output goes. */
export interface Place {
  /** That of `path` which is not a link. */
  readonly path: string;
  /** Whether a finished file may take this name. A device and a FIFO are written to instead. */
  readonly replaced: boolean;
}

/** As many links in a row as Linux follows. */
const maxLinks = 40;

/** Where output to `path` goes: a link is kept, and what it leads to is written; so are character devices
 * and FIFOs.
 *
 * @throws Error with `code` `EISDIR` for a folder; for a block device, on which it would destroy what is
 * stored, and for a socket
 */
export function placeOf(path: string, paths: Paths): Place {
  const kind = paths.kind(path, true);
  switch (kind) {
    case "file":
      try {
        return { path: paths.realPath(path), replaced: true };
      } catch {
        // What a process has open may have no name any more: /dev/stdout.
        return { path, replaced: false };
      }
    case "character device":
    case "FIFO":
      return { path, replaced: false };
    case undefined:
      return { path: endOfLinks(path, paths), replaced: true };
    case "folder":
      throw Object.assign(new Error(`${path} is a folder`), { code: "EISDIR" });
    default:
      throw new Error(`${path} is a ${kind}, which nothing is written to`);
  }
}

/** The path that a chain of links leads to, where nothing is. */
function endOfLinks(path: string, paths: Paths): string {
  let at = path;
  for (let links = 0; paths.kind(at, false) === "link"; links++) {
    if (links === maxLinks) throw new Error(`${path} leads through too many links`);
    const to = paths.readLink(at);
    at = to.startsWith("/") ? to : `${folderOf(at)}/${to}`;
  }
  return at;
}

/** The folder of a path, as a path. */
export function folderOf(path: string): string {
  const slash = path.lastIndexOf("/");
  return slash < 0 ? "." : path.slice(0, slash) || "/";
}
