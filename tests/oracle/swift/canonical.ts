/** Values as `values.py`'s programs print them by Mirror. */

import type { Value } from "../../../lib/values/mod.ts";

/** One line: `{x=1, y="two"}`, `[1, 2]`, `name(payload)`, `nil`. */
export function canonicalText(value: Value, depth = 0): string {
  if (depth > 12) return "deep";
  if (value.unavailable !== null) return `<${value.unavailable}>`;
  const { text, summary } = value;
  if (text !== null) return text;
  if (summary?.startsWith('"')) return summary;
  const inner = (child: Value) => canonicalText(child, depth + 1);
  const children = value.children(0, 1 << 10);
  if (summary?.startsWith("size=")) {
    const isHashed = children.every(({ type }) => type.name === "entry");
    if (!isHashed || children.length === 0) {
      const items = children.map(inner);
      return `[${(/^Set</.test(value.type.name) ? items.sort() : items).join(", ")}]`;
    }
    const items = children.map((child) => child.children().map(inner).join(": "));
    return `[${items.sort().join(", ")}]`;
  }
  if (children.length === 1 && children[0].name === summary) {
    return `${summary}(${inner(children[0])})`;
  }
  // A case without anything, a number in an existential; an address or a type's name is followed by fields.
  if (children.length === 0 && summary !== null && !/\.|^0x/.test(summary)) return summary;
  if (children.length === 0 && /^-?\d+\.\d+$/.test(summary ?? "")) return summary!;
  const fields = (of: readonly Value[]): string[] =>
    of.flatMap((child) =>
      child.type.kind === "class"
        ? fields(child.children(0, 1 << 10))
        : [`${child.name}=${inner(child)}`]
    );
  return `{${fields(children).join(", ")}}`;
}

/** What a program printed: the text and the layout of each variable. */
export function truthOf(printed: string): Map<string, { text: string; layout: string }> {
  const found = new Map<string, { text: string; layout: string }>();
  for (const [, kind, name, rest] of printed.matchAll(/^(value|layout) (\w+) (.*)$/gm)) {
    const truth = found.get(name) ?? { text: "", layout: "" };
    // Swift writes whole numbers of floating point with a zero.
    if (kind === "value") truth.text = rest.replaceAll(/(\d)\.0\b/g, "$1");
    else truth.layout = rest;
    found.set(name, truth);
  }
  return found;
}
