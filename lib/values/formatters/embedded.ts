/** Formatters that a program brings along for LLDB: summary strings in a section `__lldbsummaries`, programs
 * in `__lldbformatters` (LLDB `source/DataFormatters/FormatterSection.cpp`, `docs/use/variable.md`,
 * `docs/resources/formatterbytecode.md`). They are a foreign program's: each is bounded, and their patterns are
 * matched without regular expressions. */

import { log } from "../../log.ts";
import { damaged, type Formatter, type Synthetic, type Type, type Value } from "../model.ts";
import { type Item, run } from "./bytecode.ts";
import { countOf, formatted, noChildren, textOf } from "./reading.ts";

/** A record of `__lldbsummaries`. */
export interface EmbeddedSummary {
  /** A type's name, or a regular expression that begins with `^`. */
  readonly type: string;
  readonly summary: string;
}

/** A record of `__lldbformatters`. */
export interface EmbeddedPrograms {
  /** As of {@linkcode EmbeddedSummary}. */
  readonly type: string;
  /** `lldb::TypeOptions`. */
  readonly flags: number;
  /** By signature. */
  readonly programs: ReadonlyMap<number, Uint8Array>;
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

/** Reads the parts of a record. What is cut ends it. */
class Record {
  readonly #bytes: Uint8Array;
  at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.at >= this.#bytes.length;
  }

  /** A number of at most 28 bits; `undefined` for anything else. */
  uleb(): number | undefined {
    let value = 0;
    for (let shift = 0; shift < 28 && !this.isAtEnd; shift += 7) {
      const byte = this.#bytes[this.at++];
      value |= (byte & 0x7f) << shift;
      if ((byte & 0x80) === 0) return value;
    }
    return undefined;
  }

  /** Bytes after their number. */
  counted(): Uint8Array | undefined {
    const length = this.uleb();
    const start = this.at;
    if (length === undefined || length > this.#bytes.length - start) return undefined;
    return this.#bytes.subarray(start, this.at = start + length);
  }

  /** Text, up to a zero in it. */
  text(): string | undefined {
    const part = this.counted();
    const end = part?.indexOf(0) ?? -1;
    return part && new TextDecoder().decode(end < 0 ? part : part.subarray(0, end));
  }

  /** One byte. */
  byte(): number | undefined {
    return this.isAtEnd ? undefined : this.#bytes[this.at++];
  }

  /** Skips the zeros between two records. */
  skipPadding(): void {
    while (this.#bytes[this.at] === 0) this.at++;
  }
}

/** The records of a section, with the types that they are for. A damaged one ends it; those of other versions
 * are passed over. */
function* recordsOf(bytes: Uint8Array): Generator<readonly [type: string, record: Record]> {
  const section = new Record(bytes);
  for (let count = 0; count < MAX_RECORDS; count++) {
    section.skipPadding();
    if (section.isAtEnd) return;
    const version = section.uleb();
    const body = section.counted();
    if (version === undefined || body === undefined || body.length > MAX_RECORD) return;
    if (version !== 1) continue;
    const record = new Record(body);
    const type = record.text();
    if (type) yield [type, record];
  }
}

/** The summaries in a section `__lldbsummaries`. */
export function parseSummaries(bytes: Uint8Array): EmbeddedSummary[] {
  return [...recordsOf(bytes)].flatMap(([type, record]) => {
    const summary = record.text();
    return summary ? [{ type, summary }] : [];
  });
}

/** The programs in a section `__lldbformatters`. */
export function parsePrograms(bytes: Uint8Array): EmbeddedPrograms[] {
  return [...recordsOf(bytes)].flatMap(([type, record]) => {
    const flags = record.uleb();
    const programs = new Map<number, Uint8Array>();
    while (!record.isAtEnd) {
      const signature = record.byte();
      const program = record.counted();
      if (signature === undefined || program === undefined) return [];
      programs.set(signature, program);
    }
    return flags === undefined || programs.size === 0 ? [] : [{ type, flags, programs }];
  });
}

/** Formatters of the records that are understood, the programs before the summaries; one for each type. */
export function embeddedFormatters(
  summaries: readonly EmbeddedSummary[],
  programs: readonly EmbeddedPrograms[] = [],
): Formatter[] {
  const found = new Map<string, Formatter>();
  const add = (type: string, parts: Pick<Formatter, "summary" | "children">) => {
    const matches = typePattern(type);
    if (matches === null) {
      return log.symbols?.(`an embedded formatter for ${type} is not understood`);
    }
    const known = found.get(type);
    found.set(type, {
      name: `embedded ${type}`,
      type: ({ name }: Type) => matches(name),
      ...parts,
      ...(known?.summary === undefined ? {} : { summary: known.summary }),
      ...(known?.children === undefined ? {} : { children: known.children }),
    });
  };
  for (const record of programs) add(record.type, programmed(record));
  for (const { type, summary } of summaries) {
    if (isUnderstood(summary)) {
      add(type, { summary: (value) => new Summary(value, summary).text() });
    } else log.symbols?.(`an embedded summary for ${type} is not understood`);
  }
  return [...found.values()];
}

/** The signatures of programs. */
const SIGNATURE = {
  ...{ summary: 0, init: 1, get_num_children: 2, get_child_at_index: 4, update: 6 },
} as const;
/** `eTypeOptionHideChildren` of `lldb-enumerations.h`. */
const HIDE_CHILDREN = 1 << 3;

/** What the programs of a record do. */
function programmed(
  { flags, programs }: EmbeddedPrograms,
): Pick<Formatter, "summary" | "children"> {
  const summary = programs.get(SIGNATURE.summary);
  const count = programs.get(SIGNATURE.get_num_children);
  const at = programs.get(SIGNATURE.get_child_at_index);
  // Its own formatter is not asked again for the value itself.
  const object = (value: Value): Item => ({ kind: "object", value: value.raw });
  const made = (value: Value): Synthetic => {
    let stack: readonly Item[] = [object(value)];
    for (const signature of [SIGNATURE.init, SIGNATURE.update]) {
      const program = programs.get(signature);
      if (program !== undefined) stack = run(program, value, stack);
    }
    const result = run(count!, value, stack).at(-1);
    if (typeof result?.value !== "bigint") return damaged("an embedded formatter counts nothing");
    return {
      count: countOf(result.value),
      at(index) {
        const child = run(at!, value, [...stack, { kind: "uint", value: BigInt(index) }]).at(-1);
        return child?.kind === "object" && child.value !== null
          ? formatted(value, child.value, child.value.name)
          : damaged("an embedded formatter gives no value");
      },
    };
  };
  return {
    ...(summary === undefined ? {} : {
      summary(value) {
        const result = run(summary, value, [object(value)]).at(-1);
        return result?.kind === "string"
          ? result.value
          : damaged("an embedded formatter gives no text");
      },
    }),
    ...(count !== undefined && at !== undefined
      ? { children: made }
      : summary !== undefined && (flags & HIDE_CHILDREN) !== 0
      ? { children: noChildren }
      : {}),
  };
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
