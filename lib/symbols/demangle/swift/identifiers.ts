/** Identifiers, local and private names, operators, and substitutions. */

import { declNames, fail, need, type Node } from "./node.ts";
import { decodePunycode } from "./punycode.ts";
import type { State } from "./state.ts";
import { foreignModules, operatorName, standardTypes } from "./tables.ts";

/** Maximum repetition of a substitution by one letter. */
const mostRepeats = 2048;

/** Maximum number of remembered words. */
const mostWords = 26;

function letterIndex(character: string): number {
  return character.charCodeAt(0) - (character >= "a" ? 0x61 : 0x41);
}

/** A number of characters and the characters. With `0` before the number, letters around the
 * characters repeat words; with `00`, the characters are punycode. */
export function identifier(s: State): Node {
  let repeats = false, punycode = false;
  if (s.accept("0")) {
    if (s.accept("0")) punycode = true;
    else repeats = true;
  }
  let text = "";
  do {
    while (repeats && /^[a-zA-Z]$/.test(s.peek())) {
      const letter = s.next();
      repeats = letter >= "a";
      const word = need(s.words[letterIndex(letter)]);
      s.spend(word.length);
      text += word;
    }
    if (s.accept("0")) break;
    const length = s.natural() || fail();
    if (punycode) {
      s.accept("_");
      text = need(decodePunycode(s.take(length)));
    } else {
      const characters = s.take(length);
      rememberWords(s.words, characters);
      text += characters;
    }
  } while (repeats);
  return text === "" ? fail() : s.substitutable(s.leaf("Identifier", text));
}

/** A word begins at a letter, or at an upper-case letter after a lower-case one; it also ends at
 * `_`. */
function rememberWords(words: string[], characters: string): void {
  let start = -1, previous = "";
  for (let at = 0; at <= characters.length && words.length < mostWords; at++) {
    const character = characters.charAt(at);
    const upper = character >= "A" && character <= "Z";
    const ends = character === "" || character === "_" ||
      (upper && !(previous >= "A" && previous <= "Z"));
    if (start >= 0 && ends) {
      if (at - start >= 2) words.push(characters.slice(start, at));
      start = -1;
    }
    if (start < 0 && character !== "" && !/[0-9_]/.test(character)) start = at;
    previous = character;
  }
}

/** `o`: the identifier before it is an operator. */
export function operatorIdentifier(s: State): Node {
  const name = need(operatorName(need(s.pop("Identifier")?.text)));
  const kinds: Record<string, string> = {
    i: "InfixOperator",
    p: "PrefixOperator",
    P: "PostfixOperator",
  };
  return s.leaf(need(kinds[s.next()]), name);
}

/** `L`: names that are private to a file, local to a function, or related to another name. */
export function localIdentifier(s: State): Node {
  if (s.accept("L")) {
    const discriminator = s.pop("Identifier");
    return s.node("PrivateDeclName", discriminator, s.pop(declNames));
  }
  if (s.accept("l")) return s.node("PrivateDeclName", s.pop("Identifier"));
  if (/^[a-jA-J]$/.test(s.peek())) {
    return s.node("RelatedEntityDeclName", s.leaf("Identifier", s.next()), s.pop());
  }
  return s.node("LocalDeclName", s.numberNode(), s.pop(declNames));
}

/** `A`: one or more substitutions: lower-case letters before the last one, numbers before a letter
 * that repeats, or indices from 26. */
export function substitutions(s: State): Node {
  for (let repeats: number | null = null;;) {
    const character = s.next();
    if (/^[a-zA-Z]$/.test(character)) {
      const node = repeated(s, need(s.substitutions[letterIndex(character)]), repeats);
      if (character < "a") return node;
      s.push(node);
      repeats = null;
    } else if (character === "_") {
      return need(s.substitutions[(repeats ?? -1) + 27]);
    } else {
      s.pos--;
      repeats = need(s.natural());
    }
  }
}

/** Pushes the node one time less than it is repeated, and returns it. */
function repeated(s: State, node: Node, times: number | null): Node {
  if (times !== null && times > mostRepeats) fail();
  for (let left = times ?? 1; left > 1; left--) s.push(node);
  return node;
}

/** `S`: types of the standard library, and modules with a short form. */
export function standardSubstitution(s: State): Node {
  const next = s.peek();
  if (next in foreignModules) return s.leaf("Module", foreignModules[s.next()]);
  if (s.accept("g")) {
    const wrapped = s.node("TypeList", s.pop("Type"));
    const optional = s.type(s.standard("Enum", "Optional"));
    return s.substitutable(s.type(s.node("BoundGenericEnum", optional, wrapped)));
  }
  const times = s.natural();
  const [kind, name] = need(standardTypes[(s.accept("c") ? "c" : "") + s.next()]);
  return repeated(s, s.type(s.standard(kind, name)), times);
}
