/** Address expressions: numbers, registers and symbols, with C's integer operators between them. */
import type { ImageSymbol } from "../../mod.ts";
import { UserError } from "../errors.ts";
import type { Session } from "../prompt/session.ts";
import { editDistance } from "./table.ts";
import { integer, registerNamed } from "./values.ts";

/** The binary operators by precedence, the weakest first, as in C. */
const levels: readonly Readonly<Record<string, (a: bigint, b: bigint) => bigint>>[] = [
  { "|": (a, b) => a | b },
  { "^": (a, b) => a ^ b },
  { "&": (a, b) => a & b },
  { "<<": (a, b) => a << b, ">>": (a, b) => a >> b },
  { "+": (a, b) => a + b, "-": (a, b) => a - b },
  { "*": (a, b) => a * b, "/": (a, b) => a / b, "%": (a, b) => a % b },
];

/** The value of an address expression, such as `$sp + 8`, `$rax*2`, `&symbol` and `main+16`.
 *
 * @throws UserError where it is not one
 */
export function addressOf(session: Session, text: string): bigint {
  // Names may hold what are operators elsewhere: `-[View draw]`, `operator+`.
  const value = operand(session, text.trim()) ?? new Expression(session, text).value();
  return BigInt.asUintN(8 * session.pointerSize, value);
}

/** The same; of an expression over variables, where it leads: a pointer where it points.
 *
 * @throws UserError where it is neither
 */
export async function placeOf(session: Session, text: string): Promise<bigint> {
  // Numbers and registers alone need no debug information.
  if (!/(?<![\w$])[a-z_]/i.test(text)) return addressOf(session, text);
  const { addressIn, isOfProgram, isOfVariable } = await import("./expressions.ts");
  if (isOfVariable(session, text)) return addressIn(session, text);
  try {
    return addressOf(session, text);
  } catch (error) {
    if (!(error instanceof UserError) || !isOfProgram(session, text)) throw error;
    return addressIn(session, text);
  }
}

/** The value of a number, a register or a symbol. */
function operand(session: Session, text: string): bigint | undefined {
  const value = integer(text) ?? registerNamed(session, text.replace(/^\$/, ""));
  return value ?? symbolAddress(session, text);
}

/** The address of a symbol, by its own name or by that of its function.
 *
 * @throws UserError where several functions have the name
 */
function symbolAddress(session: Session, name: string): bigint | undefined {
  const found = session.target.lookup(name);
  const [first] = found;
  if (first === undefined) return undefined;
  // If several images have a symbol with exactly this name, the first one's is meant.
  if (first.symbol.name === name || first.symbol.rawName === name) return first.symbol.address;
  const names = new Map(found.map(({ symbol }) => [symbol.address, session.demangle(symbol.name)]));
  if (names.size === 1) return first.symbol.address;
  const listed = [...names.values()].slice(0, 6).map((text) => `\`${text}\``).join(", ");
  const more = names.size > 6 ? ` and ${names.size - 6} more` : "";
  throw new UserError(`${names.size} functions are named ${name}: ${listed}${more}`);
}

/** The number of symbols whose names are compared with a misspelt one. */
const MAX_COMPARED = 50_000;

/** What is said of names that are nearly the given one: `: did you mean main?`. */
export function near(session: Session, name: string): string {
  const wanted = name.toLowerCase();
  const found = new Map<string, number>();
  let left = MAX_COMPARED;
  for (const image of session.target.images) {
    if ((image as { inSharedCache?: boolean }).inSharedCache) continue;
    const { symbols } = image as { symbols?: Iterable<ImageSymbol> };
    for (const symbol of symbols ?? []) {
      if (left-- <= 0) break;
      // Mangled names are compared by their last identifier.
      const readable = session.demangle(symbol.name);
      const base = readable === symbol.name ? readable : /[\w$~]+(?=[^\w$~]*$)/.exec(
        readable.replace(/\(.*$/s, "").replace(/<.*>/s, ""),
      )?.[0] ?? readable;
      if (Math.abs(base.length - wanted.length) > 2) continue;
      const distance = editDistance(base.toLowerCase(), wanted);
      if (distance <= Math.max(1, Math.floor(wanted.length / 4))) found.set(base, distance);
    }
  }
  const names = [...found].sort((a, b) => a[1] - b[1]).slice(0, 3).map(([name]) => `\`${name}\``);
  return names.length === 0 ? "" : `: did you mean ${names.join(" or ")}?`;
}

/** A recursive-descent parser that evaluates as it goes. */
class Expression {
  readonly #session: Session;
  readonly #text: string;
  #at = 0;

  constructor(session: Session, text: string) {
    this.#session = session;
    this.#text = text;
  }

  /** The value of the whole text. */
  value(): bigint {
    const value = this.#binary(0);
    if (this.#next(/$/y) === undefined) throw this.#wrong();
    return value;
  }

  #binary(level: number): bigint {
    if (level === levels.length) return this.#unary();
    const operators = levels[level];
    let left = this.#binary(level + 1);
    for (;;) {
      const start = this.#at;
      const operator = this.#next(/<<|>>|[-+*\/%&|^]/y);
      if (operator === undefined || !(operator in operators)) {
        this.#at = start;
        return left;
      }
      const right = this.#binary(level + 1);
      if (right === 0n && /[\/%]/.test(operator)) throw new UserError("division by zero");
      if (operator.length === 2 && (right < 0n || right > 64n)) {
        throw new UserError(`a shift by ${right} bits: 0 to 64 are possible`);
      }
      left = operators[operator](left, right);
    }
  }

  #unary(): bigint {
    const sign = this.#next(/[-+](?!\[)|~/y);
    if (sign !== undefined) {
      const value = this.#unary();
      return sign === "-" ? -value : sign === "~" ? ~value : value;
    }
    if (this.#next(/\(/y) !== undefined) {
      const value = this.#binary(0);
      if (this.#next(/\)/y) === undefined) throw this.#wrong();
      return value;
    }
    const isSymbol = this.#next(/&/y) !== undefined;
    // A method of Objective-C; or a name, with the parameters that C++ writes after it.
    const name = this.#next(/[-+]\[[^\]]*\]|[\w$.:@~]+(?:\([^()]*\))?(?: const)?/y);
    if (name === undefined) throw this.#wrong();
    const value = isSymbol ? symbolAddress(this.#session, name) : operand(this.#session, name);
    if (value !== undefined) return value;
    const what = isSymbol
      ? `no symbol is named ${name}`
      : `${name} is no number, no register and no symbol`;
    throw new UserError(`${what}${near(this.#session, name)}`);
  }

  /** Takes what matches next, after blanks. */
  #next(pattern: RegExp): string | undefined {
    while (/\s/.test(this.#text[this.#at] ?? "")) this.#at++;
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    if (found !== undefined) this.#at += found.length;
    return found;
  }

  #wrong(): UserError {
    const left = this.#text.slice(this.#at).trim();
    return new UserError(
      left === ""
        ? `${this.#text} is not complete: an address is expected at its end`
        : `${this.#text} is no address: ${left} was not expected`,
    );
  }
}
