/** Layout of text that is safe to print: joining, padding, cutting. Each keeps safe text safe. Only
 * this file, `lib/escape.ts` and `lib/hex.ts` say so to the compiler. */
import type { SafeText } from "../../lib/escape.ts";
import { cut as cutText, textWidth } from "../edit/width.ts";

/** Puts texts together. */
export function join(texts: readonly SafeText[], separator = ""): SafeText {
  return texts.join(separator) as SafeText;
}

/** A whole number with its thousands separated: `1,234`. */
export function grouped(number: number): SafeText {
  // `toLocaleString` takes milliseconds for its first number.
  return `${number}`.replace(/\B(?<!\.\d*)(?=(?:\d{3})+(?:\.|$))/g, ",") as SafeText;
}

/** A number of things: `1 thread`, `1,234 threads`. */
export function count(number: number, noun: string): SafeText {
  return `${grouped(number)} ${noun}${number === 1 ? "" : "s"}` as SafeText;
}

/** Lines as one text, each ended by a line feed. */
export function lines(texts: readonly SafeText[]): SafeText {
  return (texts.length === 0 ? "" : `${texts.join("\n")}\n`) as SafeText;
}

/** The lines of one text. */
export function splitLines(text: SafeText): SafeText[] {
  return text.split("\n") as SafeText[];
}

/** Indents lines. */
export function indented(texts: readonly SafeText[], columns = 2): SafeText[] {
  const indent = " ".repeat(columns);
  return texts.map((text) => indent + text as SafeText);
}

/** Spaces, none for less than one. */
export function spaces(columns: number): SafeText {
  return " ".repeat(Math.max(0, columns)) as SafeText;
}

/** Text repeated. */
export function repeated(text: SafeText, times: number): SafeText {
  return text.repeat(times) as SafeText;
}

/** Text in a column of a given width, to the left. */
export function padEnd(text: SafeText, columns: number): SafeText {
  const missing = columns - textWidth(text);
  return missing > 0 ? text + " ".repeat(missing) as SafeText : text;
}

/** Text in a column of a given width, to the right. */
export function padStart(text: SafeText, columns: number): SafeText {
  const missing = columns - textWidth(text);
  return missing > 0 ? " ".repeat(missing) + text as SafeText : text;
}

/** Lines as one, with a blank between two. */
export function onOneLine(texts: readonly SafeText[]): SafeText {
  return texts.map((text) => text.trim()).join(" ") as SafeText;
}

/** Text from a place on. */
export function from(text: SafeText, start: number): SafeText {
  return text.slice(start) as SafeText;
}

/** Text without blanks at its end. */
export function trimEnd(text: SafeText): SafeText {
  return text.trimEnd() as SafeText;
}

/** The distance of a terminal's tab stops. */
const TAB = 8;

/** Text with blanks up to the next tab stop for each tab. */
function untabbed(text: SafeText): SafeText {
  const [first, ...others] = text.split("\t");
  return others.reduce(
    (before, part) => before + " ".repeat(TAB - textWidth(before) % TAB) + part,
    first,
  ) as SafeText;
}

/** A line as several that are at most as wide as the screen: broken at blanks, those after the first
 * indented. A word that is wider is left to the terminal. Colours have no width. */
export function wrapped(text: SafeText, columns: number): SafeText[] {
  if (columns !== Infinity && text.includes("\t")) text = untabbed(text);
  if (textWidth(text) <= columns) return [text];
  const indent = " ".repeat(Math.min(/^ */.exec(text)![0].length + 2, Math.floor(columns / 4)));
  const found: string[] = [];
  let line = "";
  let width = 0;
  // deno-lint-ignore no-control-regex
  for (const [piece, blanks, word] of text.matchAll(/( +)|((?:\x1b\[[\d;]*m|[^ \x1b])+)|[^]/g)) {
    const wide = blanks?.length ?? textWidth(withoutColours(piece));
    if (word !== undefined && width + wide > columns && line.trim() !== "") {
      found.push(line.trimEnd());
      line = indent;
      width = indent.length;
    } else if (blanks !== undefined && line === indent && found.length > 0) continue;
    line += piece;
    width += wide;
  }
  if (line.trim() !== "") found.push(line.trimEnd());
  return found as SafeText[];
}

/** A text without its colours, which have no width. */
export function withoutColours(text: string): SafeText {
  // deno-lint-ignore no-control-regex
  return text.replace(/\x1b\[[\d;]*m/g, "") as SafeText;
}

/** The rows of a terminal that a line takes. */
function rowCount(text: SafeText, columns: number): number {
  return Math.max(1, Math.ceil(textWidth(untabbed(withoutColours(text))) / columns));
}

/** How many lines fill a screen, less one row; at least one.
 *
 * @param first the line to begin at
 */
export function screenful(
  lines: readonly SafeText[],
  first: number,
  { columns, rows }: { readonly columns: number; readonly rows: number },
): number {
  let left = rows - 1;
  let count = 0;
  while (first + count < lines.length) {
    left -= rowCount(lines[first + count], columns);
    if (left < 0) break;
    count++;
  }
  return Math.max(1, count);
}

/** Text without its last character. */
export function withoutLast(text: SafeText): SafeText {
  return text.slice(0, -1) as SafeText;
}

/** Text cut to a width; `…` stands for what is missing. */
export function cut(text: SafeText, columns: number): SafeText {
  return cutText(text, columns) as SafeText;
}

/** Text cut at its front: the end of a path says most. */
export function cutFront(text: SafeText, columns: number): SafeText {
  if (textWidth(text) <= columns) return text;
  const characters = [...text];
  while (characters.length > 0 && textWidth(characters.join("")) > columns - 1) characters.shift();
  return `…${characters.join("")}` as SafeText;
}

/** The lines of a table whose cells are safe to print. */
export function tableText(table: { toString(): string }): SafeText[] {
  return table.toString().split("\n").map((line) => line.trimEnd() as SafeText);
}
