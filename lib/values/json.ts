/** Values as what JSON can hold: `JSON.stringify(frame.locals)`. */

import type { Value } from "./model.ts";
import { contentText } from "./text.ts";
import { canonical, isPointer, isRecord, isReference } from "./types.ts";

/** Levels of members that are written; what is deeper is text. */
const MAX_DEPTH = 16;

/** Number of members and elements of one value that are written, and of all together. */
const MAX_CHILDREN = 1 << 12;
const MAX_VALUES = 1 << 16;

/** Text in quotes, as formatters show strings: `"a"`, `@"a"`, `u8"a"`. */
const string = /^(?:@|L|u8|u|U)?(".*)$/s;

/** A value for JSON: a number where that is exact, else text; the name of an enumerator; a string's text; the
 * address of a pointer as text, and `null` for one that is null; arrays, and objects of members.
 * What there is no value of is `{ unavailable: "optimized out" }`. Pointers are not followed: they lead
 * anywhere, and back. */
export function jsonOf(value: Value): unknown {
  return new JsonWriter().write(value, MAX_DEPTH, true);
}

class JsonWriter {
  #left = MAX_VALUES;

  /** @param follows whether what a reference is to is written: of a variable, not of a member */
  write(value: Value, depth: number, follows = false): unknown {
    this.#left--;
    const { unavailable, scalar, text, summary } = value;
    if (unavailable !== null) return { unavailable };
    const type = canonical(value.type);
    const target = follows && isReference(type.kind) ? value.deref() : null;
    if (target !== null) return this.write(target, depth);
    if (isPointer(type)) {
      return value.integer === 0n ? null : textOf(summary) ?? text;
    }
    if (type.kind === "base" || type.kind === "enum" || type.kind === "unspecified") {
      const isNamed = type.enumerators?.some(({ name }) => name === text) ?? false;
      const isExact = typeof scalar === "boolean" ||
        typeof scalar === "number" && Number.isFinite(scalar);
      return isExact && !isNamed ? scalar : text;
    }
    if (text !== null) return text;
    const content = textOf(summary);
    if (content !== null) return content;
    const { childCount } = value;
    if (childCount === 0 && summary !== null) return /^(?:size=)?0\b/.test(summary) ? [] : summary;
    if (childCount > 0 && (depth <= 0 || this.#left <= 0)) return contentText(value, 0);
    return this.#children(value, depth - 1, type.kind === "array");
  }

  #children(value: Value, depth: number, isArray: boolean): unknown {
    const children = value.children(0, Math.min(value.childCount, MAX_CHILDREN));
    const isMade = !isRecord(canonical(value.type)) || value.summary !== null;
    if (isArray || isMade && children[0]?.name === "[0]") {
      return children.map((child) => this.write(child, depth));
    }
    const members: Record<string, unknown> = Object.create(null);
    for (const child of children) {
      const content = this.write(child, depth);
      // Members of an anonymous one are the value's own.
      if (child.name !== "") members[child.name] ??= content;
      else if (typeof content === "object" && content !== null) {
        for (const [name, inner] of Object.entries(content)) members[name] ??= inner;
      }
    }
    return members;
  }
}

/** The text of a string, from how it is shown; `null` for what is no string. One that is cut, or has escapes
 * that JSON has not, stays as it is shown, with its quotes. */
function textOf(summary: string | null): string | null {
  if (summary === null) return null;
  const shown = string.exec(summary);
  if (shown === null) return null;
  try {
    return JSON.parse(shown[1]);
  } catch {
    return summary;
  }
}
