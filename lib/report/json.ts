/** JSON for reports: reads integers beyond 2^53 exactly, and truncated documents as far as they go. */

/** Any JSON value. Integers that a number cannot hold are bigints. */
export type JsonValue =
  | null
  | boolean
  | number
  | bigint
  | string
  | readonly JsonValue[]
  | JsonObject;

/** A JSON object. */
export interface JsonObject {
  /** A member. */
  readonly [key: string]: JsonValue;
}

/** Result of {@linkcode parseJson}. */
export interface ParsedJson {
  /** The value as far as it could be read; `undefined` when nothing could. */
  readonly value: JsonValue | undefined;
  /** Offset after the last character that was read. */
  readonly end: number;
  /** Offset of the first error and what was expected there; `null` when the JSON is valid. */
  readonly damage: { readonly offset: number; readonly expected: string } | null;
  /** Places of the objects that describe frames: those with an `imageOffset`. */
  readonly spans: ReadonlyMap<JsonObject, readonly [start: number, end: number]>;
}

/** Maximum nesting; deeper is treated as damage. MetricKit nests each of up to 512 frames in its callee's
 * list. */
const MAX_DEPTH = 1040;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Reads one JSON value.
 *
 * @param from offset to start at; leading white space is skipped
 */
export function parseJson(text: string, from = 0): ParsedJson {
  let at = from;
  let damage: { offset: number; expected: string } | null = null;
  const spans = new Map<JsonObject, readonly [number, number]>();

  const fail = (expected: string): void => {
    damage ??= { offset: at, expected };
  };
  const skip = (): number => {
    // Kept apart in loops: what several functions share is slow to change.
    let next = at;
    let code = text.charCodeAt(next);
    while (code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09) {
      code = text.charCodeAt(++next);
    }
    at = next;
    return code;
  };
  const string = (): string => {
    const start = ++at;
    let end = text.indexOf('"', start);
    let escaped = false;
    while (end > 0 && text.charCodeAt(end - 1) === BACKSLASH) {
      escaped = true;
      let slashes = 0;
      while (text.charCodeAt(end - 1 - slashes) === BACKSLASH && end - slashes > start) slashes++;
      if (slashes % 2 === 0) break;
      end = text.indexOf('"', end + 1);
    }
    if (end < 0) {
      const rest = text.slice(start);
      at = text.length;
      fail("the end of a string");
      return unescape(rest);
    }
    at = end + 1;
    const raw = text.slice(start, end);
    return escaped || raw.includes("\\") ? unescape(raw) : raw;
  };
  const number = (): number | bigint | undefined => {
    const start = at;
    let end = text.charCodeAt(start) === 0x2d ? start + 1 : start;
    let integral = true;
    for (;; end++) {
      const code = text.charCodeAt(end);
      if (code >= 0x30 && code <= 0x39) continue;
      if (code === 0x2e || code === 0x65 || code === 0x45 || code === 0x2b || code === 0x2d) {
        integral = false;
        continue;
      }
      break;
    }
    at = end;
    // BigInt() takes quadratic time; no number in a report is this long.
    if (at - start > 400) return undefined;
    const raw = text.slice(start, at);
    const value = Number(raw);
    if (raw === "" || Number.isNaN(value)) return undefined;
    return integral && !Number.isSafeInteger(value) ? BigInt(raw) : value;
  };
  const word = (letters: string): boolean => {
    if (!text.startsWith(letters, at)) return false;
    at += letters.length;
    return true;
  };
  const value = (depth: number): JsonValue | undefined => {
    const code = skip();
    if (code === QUOTE) return string();
    if (code === 0x7b) return object(depth);
    if (code === 0x5b) return array(depth);
    if (code === 0x2d || (code >= 0x30 && code <= 0x39)) {
      const found = number();
      if (found === undefined) fail("a number");
      return found;
    }
    if (word("true")) return true;
    if (word("false")) return false;
    if (word("null")) return null;
    fail("a value");
    return undefined;
  };
  const object = (depth: number): JsonObject => {
    const start = at++;
    const result: Record<string, JsonValue> = {};
    if (depth >= MAX_DEPTH) fail("less nesting");
    let isFrame = false;
    for (let first = true; damage === null; first = false) {
      let code = skip();
      if (code === 0x7d) {
        at++;
        break;
      }
      if (!first) {
        if (code !== 0x2c) {
          fail("a comma or a closing brace");
          break;
        }
        at++;
        code = skip();
        // Trailing commas are accepted.
        if (code === 0x7d) continue;
      }
      if (code !== QUOTE) {
        fail("a name in quotes");
        break;
      }
      const key = string();
      if (damage !== null) break;
      if (skip() !== 0x3a) {
        fail("a colon");
        break;
      }
      at++;
      const member = value(depth + 1);
      if (member === undefined) break;
      if (key === "imageOffset") isFrame = true;
      if (key === "__proto__") {
        // It may be there more than once; as for any other name, the last one counts.
        Object.defineProperty(result, key, {
          ...{ value: member, enumerable: true, configurable: true, writable: true },
        });
      } else {
        result[key] = member;
      }
    }
    if (isFrame && damage === null) spans.set(result, [start, at]);
    return result;
  };
  const array = (depth: number): JsonValue[] => {
    at++;
    const result: JsonValue[] = [];
    if (depth >= MAX_DEPTH) fail("less nesting");
    for (let first = true; damage === null; first = false) {
      const code = skip();
      if (code === 0x5d) {
        at++;
        break;
      }
      if (!first) {
        if (code !== 0x2c) {
          fail("a comma or a closing bracket");
          break;
        }
        at++;
        if (skip() === 0x5d) continue;
      }
      const element = value(depth + 1);
      if (element === undefined) break;
      result.push(element);
    }
    return result;
  };

  const found = value(0);
  return { value: found, end: at, damage, spans };
}

const escapes: Readonly<Record<string, string>> = {
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
};

/** Resolves escapes in a string; invalid escapes keep their character. */
function unescape(raw: string): string {
  return raw.replace(
    /\\(?:u([0-9a-fA-F]{4})|(.))/gs,
    (_match, hex, letter) =>
      hex !== undefined ? String.fromCharCode(parseInt(hex, 16)) : escapes[letter] ?? letter,
  );
}

/** Writes a value as JSON; bigints become integers. */
export function stringifyJson(value: JsonValue, indent = 0, separator = ":"): string {
  if (typeof value === "bigint") return value.toString();
  if (typeof value === "string") return JSON.stringify(value);
  if (value === null || typeof value !== "object") return JSON.stringify(value) ?? "null";
  const inner = indent > 0 ? indent - 1 : 0;
  const [open, close, gap] = indent > 0 ? ["\n", "\n", ",\n"] : ["", "", ","];
  if (Array.isArray(value)) {
    const items = value.map((item) => stringifyJson(item, inner, separator));
    return items.length === 0 ? "[]" : `[${open}${items.join(gap)}${close}]`;
  }
  const members = Object.entries(value).map(([key, member]) =>
    `${JSON.stringify(key)}${separator}${stringifyJson(member, inner, separator)}`
  );
  return members.length === 0 ? "{}" : `{${open}${members.join(gap)}${close}}`;
}

/** An object member; `null` when absent or of another type. */
export function objectAt(object: JsonValue | undefined, key: string): JsonObject | null {
  const value = memberAt(object, key);
  return isObject(value) ? value : null;
}

/** An array member; empty when absent or of another type. */
export function arrayAt(object: JsonValue | undefined, key: string): readonly JsonValue[] {
  const value = memberAt(object, key);
  return Array.isArray(value) ? value : [];
}

/** A string or number member as text; `null` when absent, empty or of another type. */
export function textAt(object: JsonValue | undefined, key: string): string | null {
  const value = memberAt(object, key);
  if (typeof value === "string") return value === "" ? null : value;
  return typeof value === "number" || typeof value === "bigint" ? String(value) : null;
}

/** A safe integer member; `null` when absent or anything else. */
export function numberAt(object: JsonValue | undefined, key: string): number | null {
  const value = memberAt(object, key);
  return typeof value === "number" && Number.isSafeInteger(value) ? value : null;
}

/** An integer member, or a string with one; `null` when absent or anything else. */
export function bigintAt(object: JsonValue | undefined, key: string): bigint | null {
  return toBigint(memberAt(object, key));
}

/** An unsigned 64-bit integer from a number, a bigint or text; `null` for anything else. */
export function toBigint(value: JsonValue | undefined): bigint | null {
  if (typeof value === "bigint") return BigInt.asUintN(64, value);
  if (typeof value === "number") {
    return Number.isSafeInteger(value) ? BigInt.asUintN(64, BigInt(value)) : null;
  }
  if (typeof value !== "string" || !/^(?:0[xX][0-9a-fA-F]{1,16}|[0-9]{1,20})$/.test(value)) {
    return null;
  }
  return BigInt.asUintN(64, BigInt(value));
}

function memberAt(object: JsonValue | undefined, key: string): JsonValue | undefined {
  return isObject(object) && Object.hasOwn(object, key) ? object[key] : undefined;
}

/** Whether a value is an object and not an array. */
export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
