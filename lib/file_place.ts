/** Decides where output to a path goes, so that it does not destroy a device or a link. */

/** What is at a path. */
export type FileKind =
  | "file"
  | "folder"
  | "link"
  | "block device"
  | "character device"
  | "FIFO"
  | "socket";

/** The file system calls that this needs. */
export interface Paths {
  /** What is at a path; `undefined` if nothing.
   *
   * @param follow whether to follow links
   */
  kind(path: string, follow: boolean): FileKind | undefined;
  /** The target of a link. */
  readLink(path: string): string;
  /** The path with all links resolved. */
  realPath(path: string): string;
}

/** Where output goes. */
export interface Place {
  /** The path to write. It is not a link. */
  readonly path: string;
  /** Whether a new file replaces what is there. Otherwise the device or FIFO is opened and written. */
  readonly replaced: boolean;
}

/** The limit of Linux for links in a row. */
const maxLinks = 40;

/** Decides where output to `path` goes. Links are followed and kept. Character devices and FIFOs are
 * written.
 *
 * @throws Error for a folder, with `code` `EISDIR`; for a block device, whose contents it would destroy;
 * for a socket
 */
export function placeOf(path: string, paths: Paths): Place {
  const kind = paths.kind(path, true);
  switch (kind) {
    case "file":
      try {
        return { path: paths.realPath(path), replaced: true };
      } catch {
        // The file behind /dev/stdout may have no name any more.
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

/** The path at the end of links that lead to nothing. */
function endOfLinks(path: string, paths: Paths): string {
  let at = path;
  for (let links = 0; paths.kind(at, false) === "link"; links++) {
    if (links === maxLinks) throw new Error(`${path} leads through too many links`);
    const to = paths.readLink(at);
    at = to.startsWith("/") ? to : `${folderOf(at)}/${to}`;
  }
  return at;
}

/** The path of the folder that contains a path. */
export function folderOf(path: string): string {
  const slash = path.lastIndexOf("/");
  return slash < 0 ? "." : path.slice(0, slash) || "/";
}
