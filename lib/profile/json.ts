/** JSON of profiles: what is read is checked, and what is written may be larger than a string. */

import { FormatError } from "../errors.ts";

/** A JSON object. */
export type JsonRecord = { readonly [name: string]: unknown };

/** Whether a value is an object, and no array. */
export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A JSON document that is read, with the file's name for errors. */
export class JsonFile {
  /** Name for errors. */
  readonly name: string;
  /** The document. */
  readonly root: JsonRecord;

  constructor(name: string, root: JsonRecord) {
    this.name = name;
    this.root = root;
  }

  /** The error of a document that lacks something. */
  error(expected: string): FormatError {
    return new FormatError(this.name, 0, expected);
  }

  /** An object, which `what` names. */
  record(value: unknown, what: string): JsonRecord {
    if (!isRecord(value)) throw this.error(`${what}, an object`);
    return value;
  }

  /** An array, which `what` names. */
  array(value: unknown, what: string): readonly unknown[] {
    if (!Array.isArray(value)) throw this.error(`${what}, an array`);
    return value;
  }

  /** An index below `length`, which `what` names. */
  index(value: unknown, length: number, what: string): number {
    const index = typeof value === "number" ? value : NaN;
    if (!Number.isInteger(index) || index < 0 || index >= length) {
      throw this.error(`${what}, an index below ${length}`);
    }
    return index;
  }
}

/** A text that is not empty; `null` for all else. */
export function textOf(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

/** A number that 64 bits hold; `other` for all else. */
export function numberOf(value: unknown, other: number): number {
  return typeof value === "number" && Math.abs(value) < 2 ** 63 ? value : other;
}

/** A line or a column: an integer from 1 to 2^31; 0 for all else. */
export function lineOf(value: unknown): number {
  const line = typeof value === "string" ? Number(value) : value;
  return typeof line === "number" && Number.isInteger(line) && line > 0 && line < 2 ** 31
    ? line
    : 0;
}

/** An unsigned integer, as a number or as digits; `null` for all else. */
export function integerOf(value: unknown): bigint | null {
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) return BigInt(value);
  if (typeof value === "string" && /^(?:\d{1,20}|0x[0-9a-fA-F]{1,16})$/.test(value)) {
    return BigInt.asUintN(64, BigInt(value));
  }
  return null;
}

/** Entries of a column that are written at once. */
const PIECE = 1 << 14;

/** A value as JSON, in pieces. Columns of numbers are arrays; what is not a number in them is `null`. */
export function* jsonPieces(value: unknown): Generator<string> {
  if (ArrayBuffer.isView(value) || Array.isArray(value)) {
    const list = value as readonly unknown[];
    yield "[";
    for (let at = 0; at < list.length; at += PIECE) {
      const piece = JSON.stringify(Array.from(list.slice(at, at + PIECE))).slice(1, -1);
      yield at === 0 ? piece : `,${piece}`;
    }
    yield "]";
  } else if (isRecord(value)) {
    let separator = "{";
    for (const [name, member] of Object.entries(value)) {
      if (member === undefined) continue;
      yield `${separator}${JSON.stringify(name)}:`;
      yield* jsonPieces(member);
      separator = ",";
    }
    yield separator === "{" ? "{}" : "}";
  } else {
    yield JSON.stringify(value);
  }
}
