/** What a terminal would act on instead of showing: C0 and C1 controls, DEL, the bidirectional
 * controls of Unicode (UAX #9), zero-width and line separators, and unpaired surrogates. */
const unsafe =
  // deno-lint-ignore no-control-regex
  /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** What is not printable ASCII: it takes the slower look. */
const unusual = /[^ -~]/;

/** Makes text that came from a target safe to print: every control character becomes a visible
 * escape.
 *
 * @example
 * ```ts
 * import { escape } from "./escape.ts";
 *
 * console.log(escape("\x1b[2Jworker")); // \x1b[2Jworker, in letters
 * ```
 */
export function escape(text: string): string {
  // Nearly all of it is this.
  if (!unusual.test(text)) return text;
  return text.replace(unsafe, (character) => {
    const code = character.charCodeAt(0);
    return code < 0x100
      ? `\\x${code.toString(16).padStart(2, "0")}`
      : `\\u{${code.toString(16).padStart(4, "0")}}`;
  });
}
