/** A report's text: lossless decoding of its bytes, its lines, and edits of it. */

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const encoder = new TextEncoder();

/** Invalid bytes are decoded as unpaired surrogates: byte 0x80 as U+DC80. */
const STRAY = 0xdc00;

/** Characters of a report in which its header is. */
const HEADER = 1 << 14;

/** The beginning of a report's text, with its header. */
export function headOf(text: string): string {
  return text.slice(0, HEADER);
}

/** Decodes UTF-8. An invalid byte becomes an unpaired surrogate, U+DC80 to U+DCFF, which
 * {@linkcode encodeReport} turns back into that byte. */
export function decodeReport(bytes: Uint8Array): string {
  const [first, second] = bytes;
  // UTF-16, as Windows saves texts: by its mark, or by the zeroes between ASCII letters.
  if (
    first === 0xff && second === 0xfe || first > 0 && second === 0 && bytes[2] > 0 && bytes[3] === 0
  ) {
    return new TextDecoder("utf-16le").decode(bytes);
  }
  if (
    first === 0xfe && second === 0xff || first === 0 && second > 0 && bytes[2] === 0 && bytes[3] > 0
  ) {
    return new TextDecoder("utf-16be").decode(bytes);
  }
  try {
    return utf8.decode(bytes);
  } catch {
    return decodeStray(bytes);
  }
}

/** Bytes at a file's beginning that are looked at, and so many of them that no text has. */
const SAMPLED = 1024;
const MANY_CONTROLS = 16;

/** Whether bytes are no text: programs, archives and pictures have control characters from the beginning on. Zeroes do not
 * count, which UTF-16 has, and what a disk lost. */
export function isBinary(bytes: Uint8Array): boolean {
  let controls = 0;
  for (const byte of bytes.subarray(0, SAMPLED)) {
    // From backspace to carriage return, and escape.
    if (byte > 0 && byte < 0x20 && (byte < 0x08 || byte > 0x0d) && byte !== 0x1b) controls++;
  }
  return controls >= MANY_CONTROLS;
}

/** Length of the UTF-8 sequence at `at`; 0 when it is invalid. */
function sequenceLength(bytes: Uint8Array, at: number): number {
  const first = bytes[at];
  const length = first < 0x80
    ? 1
    : first >= 0xc2 && first < 0xe0
    ? 2
    : first >= 0xe0 && first < 0xf0
    ? 3
    : first >= 0xf0 && first < 0xf5
    ? 4
    : 0;
  if (length === 0 || at + length > bytes.length) return 0;
  for (let index = 1; index < length; index++) {
    if ((bytes[at + index] & 0xc0) !== 0x80) return 0;
  }
  // Overlong forms, surrogates, and values above U+10FFFF.
  const second = bytes[at + 1];
  if (first === 0xe0 && second < 0xa0 || first === 0xed && second > 0x9f) return 0;
  if (first === 0xf0 && second < 0x90 || first === 0xf4 && second > 0x8f) return 0;
  return length;
}

/** Code units that are made a string at once. */
const CHUNK = 1 << 13;

function decodeStray(bytes: Uint8Array): string {
  const units = new Uint16Array(CHUNK + 2);
  const parts: string[] = [];
  let count = 0;
  for (let at = 0; at < bytes.length;) {
    const length = sequenceLength(bytes, at);
    if (length <= 1) {
      units[count++] = length === 0 ? STRAY + bytes[at] : bytes[at];
      at++;
    } else {
      let code = bytes[at] & (0x7f >> length);
      for (const end = at++ + length; at < end; at++) code = code << 6 | (bytes[at] & 0x3f);
      if (code > 0xffff) {
        units[count++] = 0xd7c0 + (code >> 10);
        units[count++] = 0xdc00 | (code & 0x3ff);
      } else units[count++] = code;
    }
    if (count >= CHUNK || at >= bytes.length) {
      parts.push(String.fromCharCode(...units.subarray(0, count)));
      count = 0;
    }
  }
  return parts.join("");
}

/** Encodes a report's text as UTF-8. Bytes that were no UTF-8 when it was read become what they were.
 *
 * @example
 * ```ts
 * import { encodeReport, readReport, writeReport } from "@machpause/machpause/report";
 *
 * const report = readReport(await Deno.readFile("MyApp.ips"), "MyApp.ips");
 * await Deno.writeFile("MyApp.crash", encodeReport(writeReport(report, "crash")));
 * ```
 */
export function encodeReport(text: string): Uint8Array {
  if (text.isWellFormed()) return encoder.encode(text);
  const bytes = new Uint8Array(text.length * 3);
  let length = 0;
  for (const character of text) {
    const code = character.charCodeAt(0);
    if (character.length === 1 && code >= STRAY + 0x80 && code <= STRAY + 0xff) {
      bytes[length++] = code - STRAY;
    } else {
      length += encoder.encodeInto(character, bytes.subarray(length)).written;
    }
  }
  return bytes.slice(0, length);
}

/** The lines of a text, by offsets. `\n`, `\r\n` and a lone `\r` each end a line. */
export class Lines {
  /** The text. */
  readonly text: string;
  readonly #starts: number[] = [];
  readonly #ends: number[] = [];

  /** Splits `text` from `from` up to `to`. */
  constructor(text: string, from = 0, to: number = text.length) {
    this.text = text;
    let start = from;
    let carriage = nextOr(text, "\r", from, to);
    while (start < to) {
      const feed = nextOr(text, "\n", start, to);
      // Lone carriage returns before the line feed.
      while (carriage < feed - 1 && carriage < to) {
        this.#add(start, carriage);
        start = carriage + 1;
        carriage = nextOr(text, "\r", start, to);
      }
      if (carriage === feed - 1 && feed < to) {
        this.#add(start, carriage);
        carriage = nextOr(text, "\r", feed + 1, to);
      } else if (carriage < to && carriage < feed) {
        this.#add(start, carriage);
        start = carriage + 1;
        carriage = nextOr(text, "\r", start, to);
        continue;
      } else {
        this.#add(start, feed);
      }
      start = feed + 1;
    }
  }

  #add(start: number, end: number): void {
    this.#starts.push(start);
    this.#ends.push(end);
  }

  /** Number of lines. */
  get length(): number {
    return this.#starts.length;
  }

  /** Start of line `index`. */
  start(index: number): number {
    return this.#starts[index];
  }

  /** End of line `index`, before its line ending. */
  end(index: number): number {
    return this.#ends[index];
  }

  /** Line `index` without its line ending. */
  line(index: number): string {
    return this.text.slice(this.#starts[index], this.#ends[index]);
  }
}

/** Offset of the next `what`; `to` when there is none before it. */
function nextOr(text: string, what: string, from: number, to: number): number {
  const found = text.indexOf(what, from);
  return found < 0 || found > to ? to : found;
}

/** Offset of the first line that is not indented and that a sticky pattern matches; -1 without one. In texts of call trees,
 * where nearly all lines are indented, this is far faster than to search. */
export function searchFlush(text: string, pattern: RegExp, from = 0): number {
  for (let at = from; at < text.length;) {
    if (text.charCodeAt(at) > 0x20) {
      pattern.lastIndex = at;
      if (pattern.test(text)) return at;
    }
    const feed = text.indexOf("\n", at);
    if (feed < 0) break;
    at = feed + 1;
  }
  return -1;
}

/** The lines of a text that are not indented. */
export function flushLines(text: string): string {
  const lines: string[] = [];
  for (let at = 0; at < text.length;) {
    const feed = text.indexOf("\n", at);
    const end = feed < 0 ? text.length : feed;
    if (text.charCodeAt(at) > 0x20) lines.push(text.slice(at, end));
    at = end + 1;
  }
  return lines.join("\n");
}

/** A text's line ending, taken from its first line. */
export function lineEnding(text: string): string {
  const feed = text.indexOf("\n");
  if (feed < 0) return text.includes("\r") ? "\r" : "\n";
  return text[feed - 1] === "\r" ? "\r\n" : "\n";
}

/** A replacement in a text; `start` equal to `end` inserts. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Applies edits to a text.
 *
 * @param edits without overlaps; those at the same offset apply in their order
 */
export function edited(text: string, edits: readonly Edit[]): string {
  const parts: string[] = [];
  let at = 0;
  for (const edit of [...edits].sort((a, b) => a.start - b.start)) {
    if (edit.start < at) continue;
    parts.push(text.slice(at, edit.start), edit.text);
    at = edit.end;
  }
  parts.push(text.slice(at));
  return parts.join("");
}
