/** Static libraries (`.a`): `<ar.h>`. Each member follows a header of 60 characters. Long names
 * stand before the member's bytes (BSD, `#1/length`) or in a member of their own (GNU, `//`). */

import { FormatError } from "../errors.ts";
import type { RawText } from "../escape.ts";
import { hex } from "../hex.ts";
import type { ByteSource } from "./bytes.ts";
import { cString, rawText } from "./strings.ts";

/** One member of an archive. */
export interface ArchiveMember {
  readonly name: RawText;
  /** Modification time, in seconds since 1970; 0 when unknown. */
  readonly modified: number;
  /** The offset of the contents, in bytes from the start of the archive. */
  readonly offset: number;
  /** Bytes. */
  readonly size: number;
}

const MAGIC = "!<arch>\n";
const HEADER_SIZE = 60;
/** Maximum length of a name. A longer one is damage. */
const MAX_NAME = 4096;
/** Maximum number of members. More are damage. */
const MAX_MEMBERS = 1 << 20;
/** Maximum size of the table of long names. A larger one is damage. */
const MAX_NAMES = 1 << 24;

/** Number of bytes that {@linkcode isArchive} needs. */
export const ARCHIVE_MAGIC_SIZE = MAGIC.length;

/** Whether a file that begins with `bytes` is an archive. */
export function isArchive(bytes: Uint8Array): boolean {
  return rawText(bytes.subarray(0, MAGIC.length)) === MAGIC;
}

/** The members of an archive, without its tables of symbols (`__.SYMDEF`, `/`) and names (`//`).
 * Only headers are read.
 *
 * @param source of the archive alone
 * @param warn reports damage, one line each; the members before it are kept
 * @throws {FormatError} when the source is not an archive
 */
export function readArchive(
  source: ByteSource,
  warn: (message: string) => void,
): ArchiveMember[] {
  if (!isArchive(source.read(0, MAGIC.length))) {
    throw new FormatError(source.name, 0, "an archive's magic, !<arch>");
  }
  const members: ArchiveMember[] = [];
  let longNames = new Uint8Array();
  let at = MAGIC.length;
  for (let count = 0; at < source.size && count < MAX_MEMBERS; count++) {
    const header = rawText(source.read(at, HEADER_SIZE));
    const size = /^\d+ *$/.test(header.slice(48, 58)) ? Number(header.slice(48, 58)) : NaN;
    if (header.slice(58) !== "`\n" || Number.isNaN(size)) {
      warn(`at offset ${hex(at)}: no header of an archive's member`);
      break;
    }
    const start = at + HEADER_SIZE;
    const end = start + size;
    if (end > source.size) {
      warn(
        `at offset ${hex(at)}: a member of ${size} bytes; ` +
          `${source.size - start} are there`,
      );
    }
    const field = header.slice(0, 16).trimEnd();
    const bsd = /^#1\/(\d+)$/.exec(field);
    const gnu = /^\/(\d+)$/.exec(field);
    let name: string;
    let skip = 0;
    if (bsd !== null) {
      skip = Number(bsd[1]);
      if (skip > Math.min(size, MAX_NAME)) {
        warn(`at offset ${hex(at)}: a member's name of ${skip} bytes`);
        skip = Math.min(size, MAX_NAME);
      }
      name = cString(source.read(start, skip));
    } else if (gnu !== null) {
      const from = Number(gnu[1]);
      const rest = longNames.subarray(from, from + MAX_NAME);
      const newline = rest.indexOf(0x0a);
      name = rawText(newline < 0 ? rest : rest.subarray(0, newline)).replace(/\/$/, "");
    } else {
      name = field.length > 1 && field !== "//" ? field.replace(/\/$/, "") : field;
    }
    if (field === "//") {
      if (size <= MAX_NAMES) longNames = source.read(start, size).slice();
      else warn(`at offset ${hex(at)}: a table of names of ${size} bytes`);
    } else if (field !== "/" && field !== "/SYM64/" && !/^__\.SYMDEF/.test(name)) {
      const inside = Math.min(end, source.size) - (start + skip);
      if (inside > 0) {
        const modified = Number(/^\d+/.exec(header.slice(16, 28))?.[0] ?? 0);
        members.push({ name: name as RawText, modified, offset: start + skip, size: inside });
      }
    }
    // Members begin at even offsets.
    at = end + (end % 2);
  }
  return members;
}
