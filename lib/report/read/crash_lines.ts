/** The lines of a crash text that have columns: frames, binary images, registers. All parsing takes
 * linear time. */

import { normalUuid } from "../images.ts";
import type { ReportImage, ReportRegister } from "../drafts.ts";

/** The last column of a frame. */
export interface Place {
  /** Function; `null` when not named. */
  readonly symbol: string | null;
  /** The number after the plus sign; `null` without one. */
  readonly offset: number | null;
  /** The image's load address, when it is in place of a symbol. */
  readonly base: bigint | null;
  /** The image in `(in Image)`. */
  readonly image: string | null;
  readonly file: string | null;
  readonly line: number | null;
  readonly column: number | null;
  readonly inlined: boolean;
}

/** A last column that says nothing. */
export const noPlace: Place = {
  symbol: null,
  offset: null,
  base: null,
  image: null,
  file: null,
  line: null,
  column: null,
  inlined: false,
};

/** A line such as `3   MyApp   0x0000000100008f3c main + 44 (main.m:12)`. */
export interface FrameLine extends Place {
  readonly index: number;
  readonly imageName: string | null;
  readonly address: bigint;
  /** Start of the last column. */
  readonly placeAt: number;
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x09 || code === 0xa0;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

function isHexDigit(code: number): boolean {
  return isDigit(code) || (code >= 0x41 && code <= 0x46) || (code >= 0x61 && code <= 0x66);
}

function isX(code: number): boolean {
  return code === 0x78 || code === 0x58;
}

/** Offset after a run of white space. */
function skipSpace(line: string, at: number): number {
  while (isSpace(line.charCodeAt(at))) at++;
  return at;
}

/** Offset after a `0x…` number of at most 16 digits at `at`; `at` when there is none. */
function hexEnd(line: string, at: number): number {
  if (line.charCodeAt(at) !== 0x30 || !isX(line.charCodeAt(at + 1))) return at;
  let end = at + 2;
  while (isHexDigit(line.charCodeAt(end))) end++;
  return end === at + 2 || end > at + 18 ? at : end;
}

/** Parses decimal digits; `null` when the text has other characters or too many digits. */
function toNumber(text: string): number | null {
  if (text.length === 0 || text.length > 15) return null;
  for (let at = 0; at < text.length; at++) if (!isDigit(text.charCodeAt(at))) return null;
  return Number(text);
}

/** Whether an address ends here: at white space, or where a copy lost that before a function's name that no number has:
 * its underscore, Swift's `$s`, or the begin of a method. */
function endsAddress(line: string, start: number, end: number): boolean {
  if (end === line.length || isSpace(line.charCodeAt(end))) return true;
  if (end - start < 10) return false;
  const first = line[end];
  const second = line[end + 1];
  return first === "_" || (first === "$" && (second === "s" || second === "S")) ||
    ((first === "-" || first === "+") && second === "[");
}

/** Finds the address of a frame line: a `0x…` between white space, after the tab if there is one. */
function findAddress(line: string, from: number): readonly [start: number, end: number] | null {
  const tab = line.indexOf("\t", from);
  if (tab >= 0) {
    const start = skipSpace(line, tab);
    const end = hexEnd(line, start);
    if (end > start && endsAddress(line, start, end)) return [start, end];
  }
  for (let at = line.indexOf("0", from); at >= 0; at = line.indexOf("0", at + 1)) {
    if (at > from && !isSpace(line.charCodeAt(at - 1))) continue;
    const end = hexEnd(line, at);
    if (end > at && endsAddress(line, at, end)) return [at, end];
  }
  return null;
}

/** A null program counter, which iOS writes as 18 zeroes without `0x`, and OS X for PowerPC as 10. */
function bareAddress(line: string, from: number): readonly [start: number, end: number] | null {
  const at = line.indexOf("00000000", from);
  if (at <= from || !isSpace(line.charCodeAt(at - 1))) return null;
  let end = at;
  while (line.charCodeAt(end) === 0x30) end++;
  return isSpace(line.charCodeAt(end)) && end - at <= 18 && line.startsWith(" 0 + 0", end)
    ? [at, end]
    : null;
}

/** Reads a frame line; `null` when it is another line. */
export function parseFrameLine(line: string): FrameLine | null {
  const first = skipSpace(line, 0);
  let at = first;
  while (isDigit(line.charCodeAt(at))) at++;
  if (at === first || at > first + 9 || !isSpace(line.charCodeAt(at))) return null;
  const index = Number(line.slice(first, at));
  const nameAt = skipSpace(line, at);
  const found = findAddress(line, nameAt) ?? bareAddress(line, nameAt);
  if (found === null) return null;
  const [start, end] = found;
  // Breakpad's `Foundation + 0x282ad` has no address. libsymbolicate marks what is not Apple's.
  let name = line.slice(nameAt, start).trim();
  if (name.endsWith(" +")) name = name.slice(0, -2);
  if (name.startsWith("+ ")) name = name.slice(2);
  // A line of registers, of a kernel's backtrace or of images that was cut: `0  x7: 0x…`, `0 : 0x…`, `00 - 0x…`.
  if (/^(?:(?:[a-z]{1,4}\d{0,2})?:|-)$/.test(name)) return null;
  const placeAt = skipSpace(line, end);
  const place = parsePlace(line.slice(placeAt));
  // Measure's: the image's address, then the frame's without 0x, with its offset in a function that is not named.
  const isSwapped = place.base !== null && place.symbol === null &&
    isHexDigit(line.charCodeAt(placeAt + 2)) &&
    place.base > BigInt(line.slice(start, end)) && !isX(line.charCodeAt(placeAt + 1));
  if (isSwapped) {
    return {
      ...place,
      index,
      imageName: name,
      address: place.base!,
      placeAt,
      base: BigInt(line.slice(start, end)),
      offset: null,
    };
  }
  return {
    index,
    imageName: name === "" || name === "???" || (name[0] === "<" && !placeholder.test(name))
      ? null
      : name,
    address: line.charCodeAt(start + 1) === 0x30 ? 0n : BigInt(line.slice(start, end)),
    placeAt,
    symbol: place.symbol,
    offset: place.offset,
    base: place.base,
    image: place.image,
    file: place.file,
    line: place.line,
    column: place.column,
    inlined: place.inlined,
  };
}

/** A frame without its address: `0  MyApp  -[Controller show] + 44 (Controller.m:12)`. */
const bareFrame =
  /^\s{0,8}(\d{1,4})\s{1,20}(\S{2,100})(?:\s{1,60}([^\s0].{0,2000} \+ \d{1,9}.{0,300})|[\t ]{0,60}\t[\t ]{0,60}([^\s0].{0,2000} \([^()]{1,200}:\d{1,7}\))|\s{1,60}([-+]\[[^\]\t]{3,300}\](?: \([^()]{1,200}:\d{1,7}\))?))$/;

/** Reads a frame line that has no address; `null` when it is another line. */
export function parseBareFrame(line: string): FrameLine | null {
  const match = line.length > 2500 ? null : bareFrame.exec(line);
  if (match === null) return parseColumns(line);
  const text = match[3] ?? match[4] ?? match[5];
  // Columns of addresses are another layout.
  if (/^[0-9a-fA-F]{8,16}\s/.test(text)) return null;
  const place = parsePlace(text);
  const isPlaced = place.offset !== null || place.line !== null || match[5] !== undefined;
  if (place.symbol === null || !isPlaced) return null;
  return {
    ...place,
    index: Number(match[1]),
    imageName: match[2],
    address: 0n,
    placeAt: line.length - text.length,
  };
}

/** What is left of a frame between others: its image alone, or with its function and the place of that in the source. */
const looseFrame =
  /^\s{0,8}(\d{1,4})(?:\s{2,20}([A-Za-z][\w.+-]{1,100})|\s{1,20}(\S{2,100})\s{1,60}([A-Za-z_$][\w.:$<>~]{1,300}(?:\(.{0,300}\))? \([^()]{1,200}:\d{1,7}\)))\s*$/;

/** Reads what is left of a frame between others; `null` when it is another line. */
export function parseLooseFrame(line: string): FrameLine | null {
  const match = line.length > 1000 ? null : looseFrame.exec(line);
  if (match === null) return null;
  return {
    ...(match[4] === undefined ? noPlace : parsePlace(match[4])),
    index: Number(match[1]),
    imageName: match[2] ?? match[3],
    address: 0n,
    placeAt: line.length - (match[4]?.length ?? 0),
  };
}

/** A frame of columns without addresses and offsets: `0  libdispatch.dylib    _dispatch_sync_f_slow`, `4  Hex
 * + 58940`. */
const columns =
  /^\s{0,8}(\d{1,3})\s{1,8}([A-Za-z][\w.+-]{1,80}) {2,60}(?:\+ ?\d{1,12}\b|([-+]\[\w.{0,300}\]|[A-Za-z_$][\w.:$<>~]{1,300}(?:\(.{0,300}\))?)|\(Missing\))\s{0,40}(?:<-.{0,80})?$/;

function parseColumns(line: string): FrameLine | null {
  const match = line.length > 1000 ? null : columns.exec(line);
  if (match === null) return null;
  return {
    index: Number(match[1]),
    imageName: match[2],
    address: 0n,
    placeAt: line.length,
    ...noPlace,
    symbol: match[3] ?? null,
  };
}

/** A frame of a function's name alone: `0  objc_msgSend + 16`, `1  closure #1 in Shop.sell(item:)`. */
const nameOnly =
  /^\s{0,8}(\d{1,3})\s{1,8}(closure #\d{1,3} in .{1,300}|[-+]\[\w.{0,300}\]|(?:@objc |static |specialized |partial apply for )?[A-Za-z_$~][\w.:$<>~]{0,200}(?:\(.{0,300}\)(?: const)?)?)(?: \+ (\d{1,9}))?\s*$/;
/** What is a function's name for sure, and no image's. */
const surelyFunction = /[()[\]]|::|^[a-z_]\w*_\w+$|^main$/;

/** Reads a frame that has nothing but the name of its function; `null` when it is another line.
 *
 * @param isSure whether frames before it were such
 */
export function parseNameOnly(line: string, isSure: boolean): FrameLine | null {
  const match = line.length > 700 ? null : nameOnly.exec(line);
  if (match === null || !(isSure || surelyFunction.test(match[2]))) return null;
  return {
    index: Number(match[1]),
    imageName: null,
    address: 0n,
    placeAt: line.length,
    ...noPlace,
    symbol: match[2],
    offset: match[3] === undefined ? null : Number(match[3]),
  };
}

const inlinedMark = "[inlined]";

/** Reads the part of a frame line after the address. */
export function parsePlace(text: string): Place {
  let rest = text.trim();
  let inlined = false;
  let image: string | null = null;
  let file: string | null = null;
  let line: number | null = null;
  let column: number | null = null;
  // A copy that ends within the place: whether the number counts from the function or the image is lost. Here and below,
  // searching for a word first is faster: there are thousands of frames.
  const hasParenthesis = rest.includes("(");
  const cut = hasParenthesis && !rest.endsWith(")")
    ? / \+ \d{1,12} \([^()\s]{0,200}$/.exec(rest.slice(0, 2400))
    : null;
  if (cut !== null) rest = rest.slice(0, cut.index);
  if (rest.endsWith(inlinedMark)) {
    inlined = true;
    rest = rest.slice(0, -inlinedMark.length).trimEnd();
  }
  // `-[A b] (in Image) (File.m:12) + 3400`: the number is from the start of the image.
  if (!rest.endsWith(")") && rest.includes(" (in ")) {
    rest = /^(.{1,2000}? \(in [^()]{1,200}\) \([^()]{1,300}:\d{1,9}\)) \+ \d{1,12}$/.exec(
      rest.slice(0, 2600),
    )?.[1] ?? rest;
  }
  // `(in Image)`, then `(file:line)`.
  for (let turn = 0; turn < 2 && rest.endsWith(")"); turn++) {
    const open = openingAt(rest);
    if (open < 0) break;
    const inside = rest.slice(open + 1, -1);
    const before = rest.slice(0, open).trimEnd();
    if (inside.startsWith("in ")) {
      image = inside.slice(3);
      rest = before;
      break;
    }
    if (file !== null) break;
    const source = parseSource(inside);
    if (source !== null) {
      if (source.file !== startFile) ({ file, line, column } = source);
    } else if (rest.startsWith("(Missing") || rest.includes("UUID ")) break;
    else if (inside === ":-1") {
      // A place that has no line.
    } else if (
      inside !== "" && (endsWithOffset(before) ||
        // After a service's columns.
        (inCode.test(inside) && rest.slice(0, open).endsWith("  ")))
    ) file = inside;
    else break;
    rest = before;
  }
  // Cr4shed's, where it has no name.
  if (rest === "// (null)") rest = "";
  // `main (in Image)+ 36`, of a tool that puts atos' answer in place of a name.
  const joined = hasParenthesis && rest.includes(")+ ")
    ? /^(.{1,2000}?) \(in ([^()]{1,200})\)\+ (\d{1,12})$/.exec(rest.slice(0, 2400))
    : null;
  if (joined !== null) {
    image = joined[2];
    rest = `${joined[1]} + ${joined[3]}`;
  }
  // `in F (in Image) + 12`, as atos and handlers of exceptions write it.
  const within = rest.startsWith("in ")
    ? /^in (.{1,2000}?) ?\(in ([^()]{1,200})\)(?: \+ \d{1,12})?$/.exec(rest.slice(0, 2400))
    : null;
  if (within !== null) {
    image = within[2];
    const end = rest.lastIndexOf(" + ");
    rest = `${within[1]}${end > within[0].lastIndexOf(")") ? rest.slice(end) : ""}`;
  }
  // Markdown took two underscores for the begin of bold text.
  if (rest.startsWith("**")) rest = `__${rest.slice(2).replace("**", "__")}`;
  let symbol: string | null = rest === "" ? null : rest;
  let offset: number | null = null;
  let base: bigint | null = null;
  // An address without 0x is no name.
  if (/^[0-9a-f]{16} \+ \d{1,12}$/.test(rest)) rest = `0x${rest}`;
  // Cr4shed's, where the part of a name before its first space is before the image's address.
  const own = rest.includes("/")
    ? / (0x[0-9a-fA-F]{4,16} \+ 0x[0-9a-fA-F]{1,12}\s{1,40}\/\/ \S)/.exec(rest)
    : null;
  if (own !== null && /^[\w$]{0,40}[-+]\[/.test(rest)) rest = rest.slice(own.index + 1);
  // Other reporters keep the image's address and add the name.
  if (rest.startsWith("0x")) {
    const named = addedName(rest, line === null ? file : null);
    if (named !== null) return { ...named, image, inlined };
  }
  const plus = rest.lastIndexOf(" + ");
  if (plus >= 0) {
    offset = offsetOf(rest.slice(plus + 3).trimStart());
    if (offset !== null) symbol = rest.slice(0, plus);
  } else if (rest.length > 2 && rest.endsWith(" +")) symbol = rest.slice(0, -2);
  if (symbol !== null) {
    const end = hexEnd(symbol, 0);
    // What Crashlytics writes where it has no symbols, in several languages.
    if (/^\((?:null|Missing|.{0,40}UUID .{0,40})\)?$/.test(symbol)) symbol = null;
    // The image's UUID, where the system's own description of a stack has no name.
    else if (offset !== null && /^[0-9A-F]{8}(?:-[0-9A-F]{4}){3}-[0-9A-F]{12}$/.test(symbol)) {
      symbol = null;
    } else if (symbol === "<unknown>" || symbol === "???" || (symbol === "0" && offset !== null)) {
      symbol = null;
    } else if (end > 0 && end === symbol.length) {
      base = BigInt(symbol);
      symbol = null;
    }
  }
  return { symbol, offset, base, image, file, line, column, inlined };
}

/** The place in libsymbolicate's `0x1ce7f8000 + 164884 // abort` and in KSCrash's
 * `0xee000 + 33224 (main + 164)`, whose parenthesis was taken for a file; `null` for others. */
function addedName(
  text: string,
  parenthesis: string | null,
): Omit<Place, "image" | "inlined"> | null {
  const comment = text.indexOf("// ");
  const name = comment > 0 ? text.slice(comment + 3).trim() : parenthesis;
  if (name === null) return null;
  const end = hexEnd(text, 0);
  const at = name.lastIndexOf(" + ");
  const offset = at < 0 ? null : offsetOf(name.slice(at + 3));
  const symbol = name === "(null)" ? null : offset === null ? name : name.slice(0, at);
  // libsymbolicate's, where a function has no name.
  const isBare = symbol !== null && /^0x[0-9a-fA-F]{1,16}$/.test(symbol);
  return {
    symbol: isBare ? null : symbol,
    offset: isBare ? null : offset,
    base: end === 0 ? null : BigInt(text.slice(0, end)),
    file: null,
    line: null,
    column: null,
  };
}

/** A decimal or hexadecimal offset; `null` when it is neither. */
function offsetOf(text: string): number | null {
  return /^0x[0-9a-fA-F]{1,12}$/.test(text) ? Number(text) : toNumber(text);
}

/** Offset of the parenthesis, after white space, that the last character closes; -1 when there is none.
 * File names may contain parentheses. */
function openingAt(text: string): number {
  let depth = 0;
  for (let at = text.length - 1; at > 0; at--) {
    const code = text.charCodeAt(at);
    if (code === 0x29) depth++;
    else if (code === 0x28 && --depth === 0) return isSpace(text.charCodeAt(at - 1)) ? at : -1;
  }
  return -1;
}

function endsWithOffset(text: string): boolean {
  const plus = text.lastIndexOf(" + ");
  return plus >= 0 && offsetOf(text.slice(plus + 3)) !== null;
}

/** A source file without a line, and what compilers write for one. */
const inCode = /^(?:<compiler-generated>|[\w+-]{1,120}\.(?:swift|mm?|c|cc|cpp))$/;

/** What people put in place of their program's name: `<OwnApp>`. */
const placeholder = /^<(?!(?:redacted|unknown|null|missing|private|anonymous)>)[A-Za-z]\w{0,40}>$/i;

/** The file of the object that old programs start with: systems of its time took any function without lines of its own for
 * one of it. Apple, Csu: crt.c. */
const startFile = "crt.c";

/** Reads `file:line` or `file:line:column`. */
export function parseSource(
  text: string,
): { file: string; line: number; column: number | null } | null {
  const last = text.lastIndexOf(":");
  if (last <= 0) return null;
  const number = toNumber(text.slice(last + 1));
  if (number === null) return null;
  const before = text.lastIndexOf(":", last - 1);
  const line = before > 0 ? toNumber(text.slice(before + 1, last)) : null;
  return line === null
    ? { file: text.slice(0, last), line: number, column: null }
    : { file: text.slice(0, before), line, column: number };
}

/** Architecture names in image lines. */
const cpuNames = /^(?:arm\w*|i386|x86_64h?|ppc\w*|\?\?\?)$/;

/** Reads a line such as `0x100494000 - 0x100887fff +MyApp arm64  <uuid> /path` or
 * `0x1000 - 0x2fff com.example.lib (1.0 - 2) <UUID> /path`; `null` when it is another line. */
export function parseImageLine(line: string): ReportImage | null {
  const start = skipSpace(line, 0);
  const startEnd = hexEnd(line, start);
  if (startEnd === start) return null;
  const dash = skipSpace(line, startEnd);
  if (line.charCodeAt(dash) !== 0x2d) return null;
  const end = skipSpace(line, dash + 1);
  let endEnd = hexEnd(line, end);
  const open = endEnd === end && line.startsWith("???", end);
  if (open) endEnd = end + 3;
  if (endEnd === end) return null;
  const base = BigInt(line.slice(start, startEnd));
  const last = open ? base : BigInt(line.slice(end, endEnd));
  let rest = line.slice(endEnd).trim();
  // The only part of a text that has brackets may be the list of images.
  if (rest.includes("&") && rest.includes("&lt;")) {
    rest = rest.replace("&lt;", "<").replace("&gt;", ">");
  }
  const marked = rest.startsWith("+");
  if (marked) rest = rest.slice(1).trimStart();

  let uuid: string | null = null;
  let path = "";
  let head = rest;
  for (let at = rest.indexOf("<"); at >= 0; at = rest.indexOf("<", at + 1)) {
    const close = rest.indexOf(">", at);
    if (close < 0) {
      // A copy that ends within the UUID.
      if (/^[\dA-Fa-f-]{0,36}$/.test(rest.slice(at + 1))) head = rest.slice(0, at).trimEnd();
      break;
    }
    const inside = rest.slice(at + 1, close);
    if (inside.length === BUILD_ID && buildId.test(inside)) uuid = inside;
    else {
      if (close - at !== 33 && close - at !== 37) continue;
      uuid = normalUuid(inside);
      // One of zeroes is none, but it stands in the place of one.
      if (uuid === null && !looksLikeUuid(inside)) continue;
    }
    head = rest.slice(0, at).trimEnd();
    path = rest.slice(close + 1).trim();
    break;
  }
  if (head === rest) {
    // Without a UUID the path starts at the first slash after white space; before Mac OS X 10.5 that is a tab.
    const slash = rest.search(/[ \t]\//);
    if (slash >= 0) {
      head = rest.slice(0, slash).trimEnd();
      path = rest.slice(slash + 1).trim();
    }
  }
  let version: string | null = null;
  let arch: string | null = null;
  if (head.endsWith(")")) {
    // A program without an identifier has nothing before its version.
    const opening = head[0] === "(" && /^\([^()]{0,100}\)$/.test(head) ? 0 : openingAt(head);
    if (opening >= 0) {
      version = head.slice(opening + 1, -1);
      head = head.slice(0, opening).trimEnd();
    }
  }
  const space = Math.max(head.lastIndexOf(" "), head.lastIndexOf("\t"));
  if (space > 0) {
    const word = head.slice(space + 1);
    if (cpuNames.test(word)) {
      if (word !== "???") arch = word;
      head = head.slice(0, space).trimEnd();
    } else if (version !== null && /^\d[\d.]{0,40}$/.test(word)) {
      // `1.2 (34)`, as spindump has it.
      version = `${word} (${version})`;
      head = head.slice(0, space).trimEnd();
    } else if (/^\d[\w.]{0,40}$/.test(word) && isIdentifier(head.slice(0, space))) {
      // `org.example.lib 2.3`, `org.example.lib 2.4a0 (2.4alpha1)`: before Mac OS X 10.5.
      version = version === null ? word : `${word} (${version})`;
      head = head.slice(0, space);
    }
  }
  // An entry for the whole address space stands for "no image".
  const none = base === 0n && last === 0xffff_ffff_ffff_ffffn;
  const file = path.slice(path.lastIndexOf("/") + 1);
  return {
    name: head === "" ? file === "" ? "???" : file : head,
    path: path === "" || path === "???" ? null : path,
    uuid,
    arch,
    base,
    size: none || last < base || open ? 0n : last - base + 1n,
    version: version === "*" ? null : version,
    identifier: isIdentifier(head) && head !== file ? head : null,
    marked,
  };
}

/** What an ELF file has in place of a UUID, as linkers make it. */
const buildId = /^[0-9a-f]{40}$/;
const BUILD_ID = 40;

function looksLikeUuid(text: string): boolean {
  return /^[0-9a-fA-F]{32}$|^[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/.test(text);
}

/** Whether a name is a bundle identifier: three parts or more without spaces. */
function isIdentifier(name: string): boolean {
  return name.length < 256 && !name.endsWith(".dylib") && /^[\w-]+(?:\.[\w-]+){2,}$/.test(name);
}

/** Reads the registers in a line, with the remarks after them. */
export function parseRegisters(line: string): ReportRegister[] {
  const registers: ReportRegister[] = [];
  const pattern = /([A-Za-z][A-Za-z0-9_]{0,15}):[ \t]{0,20}0x([0-9a-fA-F]{1,16})(?![0-9a-fA-F])/g;
  let match = pattern.exec(line);
  while (match !== null) {
    const end = pattern.lastIndex;
    const next = pattern.exec(line);
    const between = line.slice(end, next?.index ?? line.length).trim();
    registers.push({
      name: match[1],
      value: BigInt(`0x${match[2]}`),
      note: between === "" ? null : between,
    });
    match = next;
  }
  return registers;
}
