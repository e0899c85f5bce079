/** From the tree of a type's declaration back to its mangled name (Swift `lib/Demangling/Remangler.cpp`,
 * `include/swift/Demangling/ManglingUtils.h`), to find its symbols. */

import { fail, need, type Node } from "./node.ts";
import { standardTypes } from "./tables.ts";

const letters: Readonly<Record<string, string>> = {
  Structure: "V",
  Class: "C",
  Enum: "O",
  Protocol: "P",
  TypeAlias: "a",
};

/** The short names of the standard library's declarations. */
const short = new Map(
  Object.entries(standardTypes).map(([code, [kind, name]]) => [`${kind} ${name}`, `S${code}`]),
);

/** Maximum number of remembered words. */
const mostWords = 26;
/** Maximum nesting of declarations. */
const deepest = 64;

/** The mangled name of the declaration of a nominal type, without a prefix; arguments of generics are left
 * out, as in the names of descriptors.
 *
 * @throws `damaged` for declarations that names are not made of here: local ones, and those that are not ASCII
 */
export function mangledDeclaration(node: Node): string {
  return entity(node, [], 0);
}

function entity(node: Node, words: string[], depth: number): string {
  if (depth > deepest) fail();
  const part = (child: Node | undefined) => entity(need(child), words, depth + 1);
  const [first, second] = node.children;
  switch (node.kind) {
    case "Type":
    case "BoundGenericStructure":
    case "BoundGenericClass":
    case "BoundGenericEnum":
      return part(first);
    case "Module":
      return moduleName(need(node.text), words);
    case "Extension":
      return part(second) + part(first) + "E";
    case "PrivateDeclName":
      return (second === undefined ? "" : part(second)) + part(first) +
        (second === undefined ? "Ll" : "LL");
    case "Identifier":
      return identifier(need(node.text), words);
  }
  const letter = letters[node.kind] ?? fail();
  if (first?.kind === "Module" && first.text === "Swift" && second?.kind === "Identifier") {
    const known = short.get(`${node.kind} ${second.text}`);
    if (known !== undefined) return known;
  }
  return part(first) + part(second) + letter;
}

function moduleName(name: string, words: string[]): string {
  if (name === "Swift") return "s";
  if (name === "__C") return "So";
  if (name === "__C_Synthesized") return "SC";
  return identifier(name, words);
}

/** An identifier; words that were in the name before are letters. */
function identifier(text: string, words: string[]): string {
  if (text === "" || /[^\x21-\x7e]/.test(text)) fail();
  const repeated: { readonly at: number; readonly word: number }[] = [];
  let start = -1;
  for (let at = 0; at <= text.length; at++) {
    const character = text.charAt(at);
    const isUpper = (letter: string) => letter >= "A" && letter <= "Z";
    const ends = character === "" || character === "_" ||
      isUpper(character) && !isUpper(text.charAt(at - 1));
    if (start >= 0 && ends) {
      const word = text.slice(start, at);
      const known = words.indexOf(word);
      if (known >= 0) repeated.push({ at: start, word: known });
      else if (word.length >= 2 && words.length < mostWords) words.push(word);
      start = -1;
    }
    if (start < 0 && character !== "" && !/[0-9_]/.test(character)) start = at;
  }
  let mangled = repeated.length > 0 ? "0" : "";
  let at = 0;
  const plain = (end: number) => {
    if (at < end) mangled += `${end - at}${text.slice(at, end)}`;
    at = end;
  };
  repeated.forEach(({ at: place, word }, index) => {
    plain(place);
    at += words[word].length;
    const isLast = index === repeated.length - 1;
    mangled += String.fromCharCode((isLast ? 0x41 : 0x61) + word);
    if (isLast && at === text.length) mangled += "0";
  });
  plain(text.length);
  return mangled;
}
