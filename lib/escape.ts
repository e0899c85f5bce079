/** Text that a terminal can be trusted with, and text that it cannot. */

/** Text that came from a target or from a file: it may hold control characters, and must pass
 * {@linkcode escape} before it is shown. The brand is optional: any string may stand for raw text, and
 * raw text for any string but {@linkcode SafeText}. */
export type RawText = string & { readonly __raw?: true };

/** Text without control characters. Only {@linkcode escape}, {@linkcode safe} and what writes digits make
 * it, and only it may be written to a terminal. */
export type SafeText = string & { readonly __safe: true };

/** What a terminal would act on instead of showing: C0 and C1 controls, DEL, the bidirectional
 * controls of Unicode (UAX #9), zero-width and line separators, and unpaired surrogates. */
const unsafe =
  // deno-lint-ignore no-control-regex
  /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** What is not printable ASCII: it takes the slower look. */
const unusual = /[^ -~]/;
const unusualInLines = /[^ -~\n\t]/;

/** Makes text that came from a target safe to print: every control character becomes a visible
 * escape.
 *
 * @example
 * ```ts
 * import { escapeText } from "@machpause/machpause";
 *
 * console.log(escapeText("\x1b[2Jworker")); // \x1b[2Jworker, in letters
 * ```
 */
export function escape(text: string): SafeText {
  // Nearly all text is printable ASCII.
  if (!unusual.test(text)) return text as SafeText;
  return text.replace(unsafe, escaped) as SafeText;
}

function escaped(character: string): string {
  const code = character.charCodeAt(0);
  return code < 0x100
    ? `\\x${code.toString(16).padStart(2, "0")}`
    : `\\u{${code.toString(16).padStart(4, "0")}}`;
}

/** Makes text of several lines safe to print: as {@linkcode escape}, but line feeds and tabs stay. */
export function escapeLines(text: string): SafeText {
  if (!unusualInLines.test(text)) return text as SafeText;
  return text.replace(
    unsafe,
    (character) => character === "\n" || character === "\t" ? character : escaped(character),
  ) as SafeText;
}

/** The lines of a text as one: with `; ` between them, without the blanks around line ends. */
export function joinLines(text: string): string {
  if (!/[\r\n]/.test(text)) return text;
  // One pattern for line ends and blanks would take quadratic time for many blanks.
  const lines = text.split(/[\r\n]+/);
  const last = lines.length - 1;
  return lines.map((line, index) =>
    index === 0 ? line.trimEnd() : index === last ? line.trimStart() : line.trim()
  ).filter((line, index) => line !== "" || index === 0 || index === last).join("; ");
}

/** Writes a value as JSON that is safe to print. It is the same value: what `JSON.stringify` leaves raw
 * though a terminal may act on it (DEL, C1, bidirectional and invisible characters) is written as
 * `\\u…`.
 *
 * @param value that `JSON.stringify` takes
 */
export function safeJson(value: unknown): SafeText {
  const text = JSON.stringify(value);
  if (!unusual.test(text)) return text as SafeText;
  return text.replace(
    unsafe,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  ) as SafeText;
}

/** What a {@linkcode safe} template takes: text that is safe, and what cannot hold a control character. */
export type SafeValue = SafeText | number | bigint | boolean;

/** A template whose own words are the program's and whose values are safe. Anything else does not
 * compile: escape it first.
 *
 * @example
 * ```ts
 * import { escape, safe } from "./escape.ts";
 *
 * const name = "worker\x07";
 * console.log(safe`thread ${1} "${escape(name)}"`);
 * ```
 */
export function safe(words: TemplateStringsArray, ...values: SafeValue[]): SafeText {
  let text = words[0];
  for (let at = 0; at < values.length; at++) text += values[at] + words[at + 1];
  return text as SafeText;
}
