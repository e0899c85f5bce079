/** The width of text on a terminal. */

/** Characters without a width of their own: combining marks, joiners, variation selectors. */
const joining = /^[\p{Mn}\p{Me}\u200d\ufe00-\ufe0f]$/u;

/** The ranges that take two columns: East Asian Wide and Fullwidth of UAX #11, and emoji. */
const wide: readonly (readonly [first: number, last: number])[] = [
  [0x1100, 0x115f],
  [0x2e80, 0x303e],
  [0x3041, 0xa4cf],
  [0xa960, 0xa97f],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe30, 0xfe6f],
  [0xff00, 0xff60],
  [0xffe0, 0xffe6],
  [0x1f300, 0x1f64f],
  [0x1f680, 0x1f6ff],
  [0x1f900, 0x1faff],
  [0x20000, 0x3fffd],
];

/** The columns of one character. */
export function charWidth(character: string): number {
  const code = character.codePointAt(0)!;
  if (code < 0x300) return 1;
  if (joining.test(character)) return 0;
  return code >= 0x1100 && wide.some(([first, last]) => code >= first && code <= last) ? 2 : 1;
}

/** The columns of some text without control characters. */
export function textWidth(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  let width = 0;
  for (const character of text) width += charWidth(character);
  return width;
}

/** The columns of the widest of some texts; 0 when there are none. */
export function maxWidth(texts: readonly string[]): number {
  return texts.reduce((most, text) => Math.max(most, textWidth(text)), 0);
}

/** Text cut to a width; `…` at its end stands for what is missing. */
export function cut(text: string, columns: number): string {
  if (textWidth(text) <= columns) return text;
  let width = 0;
  let kept = "";
  for (const character of text) {
    width += charWidth(character);
    if (width > columns - 1) break;
    kept += character;
  }
  return columns > 0 ? `${kept}…` : "";
}
