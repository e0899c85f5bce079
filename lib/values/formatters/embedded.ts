/** Type summaries that a program brings along for LLDB, in a section `__lldbsummaries`: records of a type's
 * name and a summary string (LLDB `source/DataFormatters/FormatterSection.cpp`,
 * `docs/use/variable.md`). They are a foreign program's text: each is bounded, and their patterns are matched
 * without regular expressions. */

import { log } from "../../log.ts";
import type { Formatter, Type, Value } from "../model.ts";
import { textOf } from "./reading.ts";

/** A record of the section. */
export interface EmbeddedSummary {
  /** A type's name, or a regular expression that begins with `^`. */
  readonly type: string;
  readonly summary: string;
}

/** Maximum size of the section that is read, and of one record. */
export const MAX_SECTION = 1 << 20;
const MAX_RECORD = 1 << 14;
const MAX_RECORDS = 4096;
/** Maximum length of a summary. */
const MAX_SUMMARY = 1024;
/** Maximum number of members that one summary goes through, and of braces in braces. */
const MAX_STEPS = 256;
const MAX_NESTING = 8;

/** The records of a section. A damaged one ends it. */
export function parseSummaries(bytes: Uint8Array): EmbeddedSummary[] {
  const decoder = new TextDecoder();
  let at = 0;
  const uleb = (limit: number): number | undefined => {
    let value = 0;
    for (let shift = 0; shift < 28 && at < limit; shift += 7) {
      const byte = bytes[at++];
      value |= (byte & 0x7f) << shift;
      if ((byte & 0x80) === 0) return value;
    }
    return undefined;
  };
  const text = (limit: number): string | undefined => {
    const length = uleb(limit);
    if (length === undefined || at + length > limit) return undefined;
    const part = bytes.subarray(at, at += length);
    const end = part.indexOf(0);
    return decoder.decode(end < 0 ? part : part.subarray(0, end));
  };
  const found: EmbeddedSummary[] = [];
  while (found.length < MAX_RECORDS) {
    while (bytes[at] === 0) at++;
    if (at >= bytes.length) break;
    const version = uleb(bytes.length);
    const size = uleb(bytes.length);
    if (version === undefined || size === undefined || size > MAX_RECORD) break;
    const end = at + size;
    if (end > bytes.length) break;
    const type = version === 1 ? text(end) : undefined;
    const summary = type === undefined ? undefined : text(end);
    if (type && summary) found.push({ type, summary });
    at = end;
  }
  return found;
}

/** Formatters of the records whose strings are understood. */
export function embeddedFormatters(records: readonly EmbeddedSummary[]): Formatter[] {
  return records.flatMap(({ type, summary }): Formatter[] => {
    const matches = typePattern(type);
    if (matches === null || !isUnderstood(summary)) {
      log.symbols?.(`an embedded summary for ${type} is not understood`);
      return [];
    }
    return [{
      name: `embedded ${type}`,
      type: ({ name }: Type) => matches(name),
      summary: (value) => new Summary(value, summary).text(),
    }];
  });
}

/** Whether a name is of a type: equal, or by a pattern of plain text with `.+` and `.*`; `null` for another
 * regular expression. */
function typePattern(type: string): ((name: string) => boolean) | null {
  if (!type.startsWith("^")) return (name) => name === type;
  const isWhole = type.endsWith("$");
  const body = type.slice(1, isWhole ? -1 : undefined).replaceAll("\\", "");
  const parts = body.split(/\.[+*]/);
  if (parts.length > 8 || parts.some((part) => /[.+*?()[\]{}|^$]/.test(part))) return null;
  return (name) => {
    if (!name.startsWith(parts[0])) return false;
    let at = parts[0].length;
    for (let index = 1; index < parts.length; index++) {
      const isLast = index === parts.length - 1;
      const next = isLast && isWhole
        ? name.length - parts[index].length
        : name.indexOf(parts[index], at);
      if (next < at || !name.startsWith(parts[index], next)) return false;
      at = next + parts[index].length;
    }
    return !isWhole || at === name.length;
  };
}

/** `${var…}`, `${*var…}`, `${svar…}`: a path of members and elements, and a format. */
const variable = /^\$\{(\*?)s?var((?:(?:\.|->)[A-Za-z_$][\w$]*|\[\d+\])*)(?:%(#|[xducsS@]))?\}/;

function isUnderstood(summary: string): boolean {
  if (summary.length > MAX_SUMMARY) return false;
  for (let at = summary.indexOf("${"); at >= 0; at = summary.indexOf("${", at + 2)) {
    if (summary[at - 1] !== "\\" && !variable.test(summary.slice(at))) return false;
  }
  return true;
}

/** Writes the summary of one value. */
class Summary {
  readonly #value: Value;
  readonly #format: string;
  #at = 0;
  #steps = 0;

  constructor(value: Value, format: string) {
    this.#value = value;
    this.#format = format;
  }

  /** `null` where a part cannot be had. */
  text(): string | null {
    const text = this.#part(0);
    return text === null ? null : text.slice(0, MAX_SUMMARY);
  }

  /** Up to the end, or the brace that ends the part. What is in braces is left out where it cannot be had. */
  #part(nesting: number): string | null {
    let text: string | null = "";
    while (this.#at < this.#format.length) {
      const rest = this.#format.slice(this.#at);
      const match = variable.exec(rest);
      if (match !== null) {
        this.#at += match[0].length;
        const shown: string | null = this.#shown(match[1] === "*", match[2], match[3]);
        text = text === null || shown === null ? null : text + shown;
        continue;
      }
      const character = rest[0];
      this.#at++;
      if (character === "}" && nesting > 0) return text;
      if (character === "{" && nesting < MAX_NESTING) {
        const inner: string | null = this.#part(nesting + 1);
        text = text === null ? null : text + (inner ?? "");
      } else if (character === "\\") {
        text = text === null ? null : text + (this.#format[this.#at++] ?? "");
      } else {
        text = text === null ? null : text + character;
      }
    }
    return text;
  }

  #shown(isPointee: boolean, path: string, format: string | undefined): string | null {
    let value: Value | null = this.#value;
    for (const [part] of path.matchAll(/[A-Za-z_$][\w$]*|\[\d+\]/g)) {
      if (++this.#steps > MAX_STEPS) return null;
      value = value.raw.child(part) ?? value.child(part);
      if (value === null) return null;
    }
    if (isPointee) value = value.deref();
    if (value === null || value.unavailable !== null) return null;
    const { integer } = value;
    switch (format) {
      case "#":
        return String(value.childCount);
      case "x":
        return integer === null ? null : `0x${BigInt.asUintN(64, integer).toString(16)}`;
      case "d":
        return integer === null ? null : integer.toString();
      case "u":
        return integer === null ? null : BigInt.asUintN(64, integer).toString();
      case "c":
        return integer === null ? null : String.fromCodePoint(Number(integer & 0xffn));
    }
    // The value itself has this summary: what is shown of it is its own text.
    return value === this.#value ? value.text : textOf(this.#owned(value));
  }

  /** A member, formatted as the value it is of. */
  #owned(value: Value): Value {
    return value.address === null ? value : this.#value.at(value.address, value.type, value.name);
  }
}
