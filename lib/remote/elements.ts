/** The elements of the small XML documents that stubs send: target descriptions and lists of threads and
 * libraries. */

/** One start tag. */
export interface Element {
  /** Its name, without a namespace's prefix. */
  readonly name: string;
  /** Its attributes, with references replaced. */
  readonly attributes: ReadonlyMap<string, string>;
  /** The text right after it. */
  readonly text: string;
}

const tag = /<(?:[\w-]+:)?([A-Za-z][\w.-]*)((?:\s+[\w.:-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*\/?>/y;
const attribute = /([\w.:-]+)\s*=\s*(?:"([^"<]*)"|'([^'<]*)')/g;

/** Reads all start tags, in the document's order. What is no tag is skipped. */
export function* elements(document: string): Generator<Element> {
  for (let at = 0; (at = document.indexOf("<", at)) >= 0;) {
    const end = skipped(document, at);
    if (end !== undefined) {
      at = end;
      continue;
    }
    tag.lastIndex = at;
    const found = tag.exec(document);
    if (found === null) {
      at++;
      continue;
    }
    at = tag.lastIndex;
    const next = document.indexOf("<", at);
    const attributes = new Map<string, string>();
    for (const [, name, double, single] of found[2].matchAll(attribute)) {
      attributes.set(name, unquoted(double ?? single));
    }
    const text = unquoted(document.slice(at, next < 0 ? document.length : next).trim());
    yield { name: found[1], attributes, text };
  }
}

/** The end of a comment, declaration or end tag at `at`; `undefined` where there is none. */
function skipped(document: string, at: number): number | undefined {
  const ends = document.startsWith("<!--", at)
    ? "-->"
    : /^<[?!/]/.test(document.slice(at, at + 2))
    ? ">"
    : undefined;
  if (ends === undefined) return undefined;
  const end = document.indexOf(ends, at + 2);
  return end < 0 ? document.length : end + ends.length;
}

const references: ReadonlyMap<string, string> = new Map([
  ["lt", "<"],
  ["gt", ">"],
  ["amp", "&"],
  ["quot", '"'],
  ["apos", "'"],
]);

function unquoted(text: string): string {
  if (!text.includes("&")) return text;
  return text.replace(/&(?:#(\d{1,7})|#x([\da-fA-F]{1,6})|(\w+));/g, (all, decimal, hex, name) => {
    if (name !== undefined) return references.get(name) ?? all;
    const code = decimal === undefined ? parseInt(hex, 16) : Number(decimal);
    return code <= 0x10ffff ? String.fromCodePoint(code) : all;
  });
}
