/** Names of functions shortened to the width of a screen, as Instruments shortens them: arguments of
 * templates and generics first, then parameters, then the middle. */
import { cut, textWidth } from "../edit/width.ts";

/** What is kept between the brackets: it names a scope. */
const scopes =
  /^(?:anonymous namespace|anonymous|unknown context at \S{1,40}|extension in [\w.]{1,80})$/;

const closing: Readonly<Record<string, string>> = { "<": ">", "(": ")" };

/** The index of the bracket that closes the one at `start`; -1 where none does. */
function matching(text: string, start: number): number {
  let angles = 0;
  let rounds = 0;
  for (let at = start; at < text.length; at++) {
    const character = text[at];
    if (character === "(") rounds++;
    else if (character === ")") rounds--;
    else if (character === "<") angles++;
    // The arrow of a function's type is no bracket.
    else if (character === ">" && text[at - 1] !== "-") angles--;
    if (rounds < 0 || angles < 0) return -1;
    if (rounds === 0 && angles === 0) return at;
  }
  return -1;
}

/** A name with `…` for what is between brackets.
 *
 * @param bracket `<` for the arguments of templates, `(` for parameters
 */
export function elide(name: string, bracket: "<" | "("): string {
  // Objective-C's methods have neither.
  if (/^[-+]\[/.test(name)) return name;
  let short = "";
  for (let at = 0; at < name.length; at++) {
    const character = name[at];
    const isOperator = (bracket === "<" ? /\boperator<?$/ : /\boperator$/).test(short.slice(-12));
    // `<Type as Trait>::method` of Rust begins with what it is of.
    if (character !== bracket || isOperator || short === "" && bracket === "<") {
      short += character;
      continue;
    }
    const end = matching(name, at);
    const inside = name.slice(at + 1, end);
    if (end < 0 || inside === "" || scopes.test(inside)) short += character;
    else {
      short += `${bracket}…${closing[bracket]}`;
      at = end;
    }
  }
  return short;
}

/** A name of at most the given width, as much of it as fits. */
export function shortName(name: string, columns: number): string {
  if (textWidth(name) <= columns) return name;
  const untyped = elide(name, "<");
  if (textWidth(untyped) <= columns) return untyped;
  const bare = elide(untyped, "(");
  if (textWidth(bare) <= columns) return bare;
  // Then the marks of what was left out, and the outer scopes: the function's own name says most.
  const plain = bare.replaceAll("(…)", "").replaceAll("<…>", "");
  if (textWidth(plain) <= columns) return plain;
  for (let at = plain.indexOf("::"); at >= 0; at = plain.indexOf("::", at + 2)) {
    const inner = `…${plain.slice(at + 2)}`;
    if (/^…[\w~]/.test(inner) && !/^[^<(]*[>)]/.test(inner) && textWidth(inner) <= columns) {
      return inner;
    }
  }
  const room = Math.max(1, columns - 1);
  const tail = [...bare].slice(-Math.ceil(room * 2 / 3)).join("");
  return cut(bare, Math.max(1, columns - textWidth(tail))) + tail;
}
