// deno-lint-ignore-file no-control-regex -- the first bytes of files have such characters
/** What a file is in which no report was found. */
import { FormatError } from "../../../lib/errors.ts";
import { InputError, STANDARD_INPUT } from "../../input.ts";

/** A file that could be read and has no report. */
export class NoReportError extends InputError {}

/** The first bytes of a file that are looked at. */
const HEAD = 512;

/** Kinds of files by their first bytes, and what is said of them; FILE stands for the name. */
const kinds: readonly (readonly [RegExp, string])[] = [
  [/^\s{0,511}$/, "is empty"],
  [/^PK(?:\x03\x04|\x05\x06)/, "is a zip archive: unpack it first"],
  [/^\x1f\x8b/, "is compressed: unpack it first, with gunzip"],
  [/^BZh[1-9]/, "is compressed: unpack it first, with bunzip2"],
  [/^\xfd7zXZ\0/, "is compressed: unpack it first, with unxz"],
  [/^(?:7z\xbc\xaf\x27\x1c|Rar!\x1a\x07|.{257}ustar)/s, "is an archive: unpack it first"],
  [
    /^(?:\x89PNG\r\n|\xff\xd8\xff|GIF8[79]a|II\*\0|MM\0\*|.{4}ftyp(?:heic|heix|mif1|avif)|RIFF.{4}WEBP)/s,
    "is a picture: only the text of a report can be read",
  ],
  [/^%PDF-/, "is a PDF: copy the report's text out of it"],
  // `mach_header.filetype`; `MH_CORE` is 4.
  [/^[\xce\xcf]\xfa\xed\xfe.{8}\x04\0\0\0/s, "is a core: `machpause core FILE` opens it"],
  // A Java class has the magic of a universal file, and more than its number of architectures behind it.
  [
    /^(?:[\xce\xcf]\xfa\xed\xfe|\xca\xfe\xba[\xbe\xbf]\0\0\0[\x01-\x1f])/,
    "is a program or library, no report of it: `machpause image FILE` shows it",
  ],
  [/^\x7fELF/, "is an ELF file, no report"],
  [
    /^SQLite format 3\0/,
    "is a database: `machpause crash FILE --group` shows one that `collect` made",
  ],
  // `KCDATA_BUFFER_BEGIN_*` of osfmk/kern/kcdata.h.
  [
    /^(?:\x07\x58\xa2\x59|\x9a\xa5\x17\xde|\x57\xf1\xad\xde|\x9f\xc0\x21\x1e)/,
    "is a stackshot: `machpause stackshot FILE` shows it",
  ],
];

/** Reads what is in a file; of one that has no report, says what it is.
 *
 * @param name the file's, or {@linkcode STANDARD_INPUT}
 * @throws NoReportError for what is no report
 */
export function reportsOf<Reports>(bytes: Uint8Array, name: string, read: () => Reports): Reports {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    // What says where the damage is knows more.
    if (error.offset !== 0) throw new NoReportError(error.message);
    const head = String.fromCharCode(...bytes.subarray(0, HEAD));
    const words = kinds.find(([pattern]) => pattern.test(head))?.[1] ??
      `cannot be read as a report: expected ${error.expected}`;
    const file = name === STANDARD_INPUT ? "FILE" : name;
    throw new NoReportError(`${name} ${words.replace("FILE", () => file)}`);
  }
}
