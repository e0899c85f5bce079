/** Values as text on one line. */

import type { RawText } from "../escape.ts";
import type { Value } from "./model.ts";
import { canonical, isRecord, isReference } from "./types.ts";

/** Maximum length of a line, in characters. */
const MAX_LINE = 1 << 12;

/** As in `(Point) p = {x = 1, y = 2}`. */
export function inlineText(value: Value): RawText {
  return `(${value.type.name}) ${value.name} = ${contentText(value, value.context.limits.depth)}`;
}

/** Why there is nothing to show of a value; of a reference, of what it is to. `null` when there is. */
export function absence(value: Value): string | null {
  const { unavailable } = value;
  const isAlias = unavailable === null && isReference(canonical(value.type).kind);
  return isAlias ? value.deref()?.unavailable ?? null : unavailable;
}

/** A value without members: of a class that is only declared where it is used, they are not known. */
export function emptyText({ type }: Value): string {
  return canonical(type).isIncomplete ? "<incomplete type>" : "{}";
}

/** A value without its name and type: `3`, `{x = 1, y = 2}`, `0x… "text"`, `<optimized out>`.
 *
 * @param depth levels of members that are written; beyond it there is `{…}`
 */
export function contentText(value: Value, depth: number): RawText {
  const { text, summary } = value;
  const unavailable = absence(value);
  if (unavailable !== null) return `<${unavailable}>`;
  const isAlias = isReference(canonical(value.type).kind);
  const target = isAlias ? value.deref() : null;
  if (target !== null && !isRecord(canonical(target.type))) return contentText(target, depth);
  const own = [isAlias ? null : text, summary].filter((part) => part !== null).join(" ");
  if (text !== null && !isAlias) return own;
  const { childCount } = value;
  if (childCount === 0) return own === "" ? emptyText(value) : own;
  if (depth <= 0) return own === "" ? "{…}" : own;
  const children = value.children();
  const parts: string[] = [];
  let length = 0;
  for (const child of children) {
    const label = /^\[\d+\]$/.test(child.name) || child.name === "" ? "" : `${child.name} = `;
    const part = label + contentText(child, depth - 1);
    length += part.length;
    if (length > MAX_LINE) break;
    parts.push(part);
  }
  if (parts.length < childCount) parts.push("…");
  return `${own === "" ? "" : `${own} `}{${parts.join(", ")}}`;
}
