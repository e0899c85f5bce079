/** The words and signs of expressions. */

/** Maximum length of an expression. */
const MAX_LENGTH = 4096;

/** An expression that is wrong, or whose value cannot be had. */
export class ExpressionError extends Error {
  /** The class name, set here so that minifying keeps it. */
  override readonly name: string = "ExpressionError";
  /** Where in the text, in UTF-16 units. */
  readonly position: number;

  /** At a place of the text. */
  constructor(message: string, position: number) {
    super(message);
    this.position = position;
  }
}

/** A word or sign. */
export interface Token {
  readonly kind: "name" | "number" | "character" | "string" | "operator" | "register" | "end";
  readonly text: string;
  readonly at: number;
}

/** Longest first. */
const operators = [
  ...["<<=", ">>=", "...", "->*"],
  ...["->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "+=", "-=", "*=", "/="],
  ...["%=", "&=", "|=", "^=", "::"],
  ...[
    "+",
    "-",
    "*",
    "/",
    "%",
    "&",
    "|",
    "^",
    "!",
    "~",
    "<",
    ">",
    "=",
    "?",
    ":",
    ".",
    ",",
    "(",
    ")",
  ],
  ...["[", "]", "@"],
];

/** The tokens of a text, the last one of kind `end`.
 *
 * @throws ExpressionError at a character that belongs to none
 */
export function tokenize(text: string): Token[] {
  if (text.length > MAX_LENGTH) {
    throw new ExpressionError(`an expression has at most ${MAX_LENGTH} characters`, MAX_LENGTH);
  }
  const tokens: Token[] = [];
  const pattern =
    /\s+|(?<name>[\p{L}_][\p{L}\p{N}_$]*)|(?<register>\$\w+)|(?<number>(?:\d|\.\d)(?:[eEpP][+-]|[\w.'])*)|(?<character>'(?:\\.[0-9a-fA-F]*|[^'\\])')|(?<string>"(?:\\.|[^"\\])*")/uy;
  for (let at = 0; at < text.length;) {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (match === null) {
      const operator = operators.find((operator) => text.startsWith(operator, at));
      if (operator === undefined) {
        const character = String.fromCodePoint(text.codePointAt(at)!);
        throw new ExpressionError(`${character} is not expected here`, at);
      }
      tokens.push({ kind: "operator", text: operator, at });
      at += operator.length;
      continue;
    }
    for (const [kind, part] of Object.entries(match.groups ?? {})) {
      if (part !== undefined) tokens.push({ kind: kind as Token["kind"], text: part, at });
    }
    at = pattern.lastIndex;
  }
  tokens.push({ kind: "end", text: "", at: text.length });
  return tokens;
}
