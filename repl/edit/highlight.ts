/** The kinds of what is typed, for colours: commands, and the words of TypeScript. */

/** A kind, as one character for each code unit of the text: `c` a command's name, `k` a keyword, `s` a
 * string, `n` a number, `r` a register, `q` a comment; a blank for all else. */
export type Kinds = string;

const keyword =
  "as|async|await|break|case|catch|class|const|continue|default|delete|do|else|enum|export|extends|false|finally|for|from|function|if|import|in|instanceof|interface|let|new|null|of|return|static|super|switch|this|throw|true|try|type|typeof|undefined|using|var|void|while|yield";

const tokens = new RegExp(
  [
    /(?<q>\/\/.*|\/\*[^]*?(?:\*\/|$))/,
    /(?<s>"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?|`(?:\\.|[^`\\])*`?)/,
    /(?<r>\$\w+)/,
    /(?<n>\b(?:0[xX][\da-fA-F_]+|\d[\d_]*(?:\.\d+)?(?:[eE][-+]?\d+)?)n?\b)/,
    new RegExp(`(?<k>(?<![.\\w$])(?:${keyword})(?![\\w$]))`),
  ].map(({ source }) => source).join("|"),
  "g",
);

/** The kinds of a text's characters.
 *
 * @param command the length of the command's name that it begins with; 0 for code
 */
export function highlight(text: string, command: number): Kinds {
  const kinds = Array.from({ length: text.length }, () => " ");
  for (const { index, 0: token, groups } of text.matchAll(tokens)) {
    const [kind] = Object.entries(groups!).find(([, value]) => value !== undefined)!;
    // The words of a command are no keywords.
    if (command === 0 || kind !== "k") kinds.fill(kind, index, index + token.length);
  }
  const start = text.length - text.trimStart().length;
  return kinds.fill("c", start, command === 0 ? start : start + command).join("");
}
