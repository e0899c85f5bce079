/** Expressions over the program's variables, for `print`, `x` and `watch`. It is loaded with the first. */
import { escape, type RawText, safe, safeJson, type SafeText } from "../../lib/escape.ts";
import { hex } from "../../lib/hex.ts";
import { demangle } from "../../lib/symbols/walking.ts";
import { isSystemPath } from "../../lib/symbols/system_image.ts";
import { contextAt } from "../../lib/target/variables.ts";
import {
  canonical,
  evaluate,
  ExpressionError,
  type ExpressionScope,
  isCString,
  isPath,
  isQuadFloat,
  isRecord,
  type Limits,
  namedIn,
  PlacedValue,
  type Type,
  unsignedOf,
  type Value,
  type ValueContext,
  voidType,
} from "../../lib/values/reading.ts";
import { UserError } from "../errors.ts";
import { sessionGlobals } from "../prompt/global_names.ts";
import type { Session } from "../prompt/session.ts";
import { printLines } from "../view/output.ts";
import { onOneLine } from "../view/text.ts";
import { valueJson, variableLines, withoutParameters } from "../view/variables.ts";
import { editDistance } from "./table.ts";
import { registerName, registerNamed } from "./values.ts";

/** Maximum number of frames whose units are searched for a variable. */
const MAX_UNITS = 8;

/** How much of a value is shown. */
const shown = { depth: 16, pointers: 1 };

/** What the names of expressions stand for in the selected frame. */
export class FrameScope implements ExpressionScope {
  readonly context: ValueContext;
  readonly #session: Session;
  readonly #limits: Partial<Limits> | undefined;

  /** @param limits how much of its values is shown */
  constructor(session: Session, limits?: Partial<Limits>) {
    this.#session = session;
    this.#limits = limits;
    const { target } = session;
    const frame = session.frames[session.frameIndex];
    const own = frame?.variables.at(0)?.context ?? contextAt(target, frame?.lookupAddress);
    const context = limits === undefined ? own : own.limited(limits);
    const around = enclosing(frame?.function ?? "");
    const found = new Map<string, Type | null>();
    const nearby = new Map<string, Type | null>();
    this.context = {
      ...context,
      findType(name, near) {
        if (near === undefined) {
          let type = nearby.get(name);
          if (type === undefined) nearby.set(name, type = typeNearby(session, name));
          if (type !== null) return type;
        }
        for (const space of [...around, ...context.namespaces?.() ?? []]) {
          const type = context.findType(`${space}::${name}`);
          if (type !== null) return type;
        }
        let type = context.findType(name, near) ?? found.get(name);
        if (type === undefined) found.set(name, type = typeOfCallers(session, name));
        return type;
      },
    };
  }

  /** A variable of the frame or a global one; without debug information, what a symbol names. */
  variable(name: string): Value | null {
    return this.local(name) ?? this.#global(name);
  }

  local(name: string): Value | null {
    const { frames, frameIndex } = this.#session;
    const frame = frames[frameIndex];
    const variables = this.#limits === undefined
      ? frame?.variables
      : frame?.readVariables(this.#limits);
    return variables?.find((variable) => variable.name === name) ?? null;
  }

  /** What a bare name stands for: a variable, or a member of the object whose method the frame is in. */
  named(name: string): Value | null {
    return namedIn(this, name);
  }

  register(name: string): Value | null {
    const value = registerNamed(this.#session, name);
    if (value === undefined) return null;
    const { pointerSize } = this.context;
    const bytes = new Uint8Array(pointerSize);
    for (let at = 0; at < pointerSize; at++) bytes[at] = Number(value >> BigInt(8 * at) & 0xffn);
    const type: Type = {
      kind: "base",
      name: "unsigned long",
      size: pointerSize,
      encoding: "unsigned",
      language: "c",
    };
    return new PlacedValue(this.context, `$${name}`, type, {
      kind: "register",
      register: name,
      bytes,
    });
  }

  #global(name: string): Value | null {
    const near = this.#nearGlobal(name);
    if (near !== null) return near;
    const { target } = this.#session;
    // A class's name is also that of its constructors and of its table of functions: the class is meant.
    const found = target.lookup(name).find(({ symbol }) => !isOfClass(symbol.name, name));
    if (found === undefined) return name.includes("::") ? this.#qualified(name) : null;
    const { symbol, image } = found;
    for (const variable of target.globals(image, name, this.#session.maybeThread)) return variable;
    // A symbol without a type, such as a function: it has an address.
    const type: Type = { kind: "function", name: "void", size: null, language: "other" };
    return new PlacedValue(this.context, name, type, { kind: "memory", address: symbol.address });
  }

  /** A variable that is compiled with the function, or with its callers: a pause mostly finds a thread in a
   * system's function. Others of that name, and what libraries call so, come after it. */
  #nearGlobal(name: string): Value | null {
    const { target, frames, frameIndex, maybeThread } = this.#session;
    for (const { lookupAddress } of frames.slice(frameIndex, frameIndex + MAX_UNITS)) {
      const context = contextAt(target, lookupAddress, maybeThread?.handle);
      const found = context.findGlobal?.(name) ?? null;
      if (found !== null) return found;
    }
    return null;
  }

  /** A variable without a symbol of that name: static ones of C's functions, by `function::name`. */
  #qualified(name: string): Value | null {
    const { target, frames, frameIndex, maybeThread } = this.#session;
    const address = frames[frameIndex]?.lookupAddress;
    const image = address === undefined ? null : target.imageAt(address);
    if (image === null) return null;
    for (const variable of target.globals(image, name, maybeThread)) return variable;
    return null;
  }
}

/** Whether what has the name of a class belongs to it: a constructor, which is named as the class that it is in, or
 * what the compiler makes for it (Itanium C++ ABI, 5.1.4.1: `_ZTV`, `_ZTI`, `_ZTS`, `_ZTT`). */
function isOfClass(symbol: RawText, name: string): boolean {
  if (/^_{0,2}ZT[VIST]/.test(symbol)) return true;
  const last = name.slice(name.lastIndexOf(":") + 1);
  const space = enclosing(symbol)[0];
  return space !== undefined && (space === last || space.endsWith(`::${last}`));
}

/** What the code of the selected frame, of its callers or of the program means by a type's name: a pause mostly finds
 * a thread in a system's function, whose library has types of the same names. `null` where none of them does. */
function typeNearby({ target, frames, frameIndex }: Session, name: string): Type | null {
  const near = frames.slice(frameIndex, frameIndex + MAX_UNITS);
  for (const frame of near) {
    const context = contextAt(target, frame.lookupAddress);
    const spaces = [...enclosing(frame.function ?? ""), ...context.namespaces?.() ?? []];
    for (const written of [...spaces.map((space) => `${space}::${name}`), name]) {
      const type = context.findUnitType?.(written) ?? null;
      if (type !== null) return type;
    }
  }
  for (const { image, symbol } of target.lookup("main")) {
    if (image === near[0]?.image) continue;
    const type = contextAt(target, symbol.address).findType(name);
    if (type !== null) return type;
  }
  return null;
}

/** A type that the selected frame does not know by this name: a pause mostly finds a thread in a system's function.
 * It is looked for where the thread's callers are, in their namespaces too, and in the program. */
function typeOfCallers({ target, frames }: Session, name: string): Type | null {
  const seen = new Set<string>();
  const spaces = new Set(frames.flatMap((frame) => enclosing(frame.function ?? "")));
  const places = [
    ...frames.map(({ image, lookupAddress }) => ({ image, address: lookupAddress })),
    ...target.lookup("main").map(({ image, symbol }) => ({ image, address: symbol.address })),
  ];
  for (const { image, address } of places) {
    if (image === null || seen.has(image.path)) continue;
    seen.add(image.path);
    const context = contextAt(target, address);
    for (const written of [name, ...[...spaces].map((space) => `${space}::${name}`)]) {
      const type = context.findType(written);
      if (type !== null) return type;
    }
  }
  return null;
}

/** The namespaces and classes that a function is in, the innermost first. */
export function enclosing(symbol: RawText): string[] {
  const name = withoutParameters(demangle(symbol));
  const found: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at < name.length; at++) {
    if ("<(".includes(name[at])) depth++;
    else if (">)".includes(name[at])) depth--;
    else if (depth > 0) continue;
    // Before a blank is the type that the function returns.
    else if (name[at] === " ") [start, found.length] = [at + 1, 0];
    else if (name.startsWith("::", at)) found.unshift(name.slice(start, at++));
  }
  return found;
}

/** The type that is written, or that an expression has.
 *
 * @throws UserError where it is neither
 */
export function typeNamed(session: Session, text: string): Type {
  try {
    const { type } = evaluate(text, new FrameScope(session));
    if (type.kind !== "function" || type.name !== "void") return type;
    throw new UserError(`the type of ${text} is not known: \`lookup ${text}\` says what it is`);
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    const type = typeWritten(session, text);
    if (type !== null) return type;
    throw new UserError(
      /^(?:(?:struct|class|union|enum)\s+)?[\w$:]+(?:<[^;]*>(?:::[\w$:]+)?)?[\s*&]*$/.test(text)
        ? `no debug information tells of a type ${text}, and it is no variable of this frame`
        : explained(session, text, error),
    );
  }
}

/** The type that is written as in a cast; `null` where it is none. */
function typeWritten(session: Session, text: string): Type | null {
  const type = new FrameScope(session).context.findType(text);
  if (type !== null) return type;
  try {
    return evaluate(`(${text} *)0`, new FrameScope(session)).type.target ?? voidType;
  } catch (error) {
    if (error instanceof ExpressionError) return null;
    throw error;
  }
}

/** The value of an expression in the selected frame.
 *
 * @throws UserError when it has none
 */
export function valueOf(session: Session, text: string, limits?: Partial<Limits>): Value {
  if (isQualifiedGo(session, text)) return new FrameScope(session, limits).variable(text.trim())!;
  try {
    return evaluate(text, new FrameScope(session, limits));
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    throw new UserError(explained(session, text, error));
  }
}

/** The name that TypeScript did not know, where code begins with it. */
function firstUnknown(code: string, error: unknown): string | undefined {
  const message = error instanceof ReferenceError ? error.message : "";
  const name = /^([\w$]+) is not defined$/.exec(message)?.[1];
  return name !== undefined && firstName(code) === name ? name : undefined;
}

/** Whether code that TypeScript does not know a name of begins with a constant of the program: an enumerator, or a
 * static one of a class. */
export function isConstant(session: Session, code: string, error: unknown): boolean {
  const name = firstUnknown(code, error);
  if (name === undefined || session.maybeTarget === undefined) return false;
  return (new FrameScope(session).context.findConstant?.(name) ?? null) !== null;
}

/** What is said of code that TypeScript does not know a name of; `undefined` where the program has nothing to
 * do with it. */
export function unknownName(session: Session, code: string, error: unknown): string | undefined {
  const name = firstUnknown(code, error);
  if (name === undefined) return undefined;
  if (session.maybeTarget === undefined) {
    return session.state === "gone"
      ? `${name} is not defined, and the target is gone: \`attach <pid|name>\` to another one`
      : undefined;
  }
  const { variables } = session.frames[session.frameIndex] ?? { variables: [] };
  if (code.slice(code.indexOf(name) + name.length).trimStart().startsWith("(")) {
    return `${name}(…) would call a function: nothing is called in the target`;
  }
  const names = [...new Set(variables.map((variable) => variable.name))];
  if (names.includes(name)) {
    return `${name} is a variable of the program, and this is no expression of C: ` +
      `in TypeScript it is frame.locals.${name}`;
  }
  if (new FrameScope(session).named(name) !== null) {
    const numbered = /\[\s*["']/.test(code)
      ? `: elements have numbers, as in \`p ${name}[0]\``
      : "";
    return `${name} is a variable of the program, and this is no expression of C${numbered}`;
  }
  return absentVariable(session, name);
}

/** What is said of a variable that the selected frame has not: who has it, the near name, or what there is. */
export function absentVariable(session: Session, name: string): string {
  const { variables } = session.frames[session.frameIndex] ?? { variables: [] };
  const names = [...new Set(variables.map((variable) => variable.name))];
  const caller = callerWith(session, name);
  if (names.length === 0 || caller !== undefined) {
    return `there is no variable ${name} in this frame: ${caller ?? noVariables(session)}`;
  }
  const near = names.filter((known) => editDistance(known.toLowerCase(), name.toLowerCase()) <= 2);
  return `there is no variable ${name} in this frame: ` +
    (near.length > 0 ? `did you mean ${near.slice(0, 3).join(" or ")}?` : listed(session, names));
}

/** Maximum number of callers that are looked at for variables. */
const MAX_CALLERS = 32;

/** Says which caller in the program's own code has a variable of this name; `undefined` where none has. */
function callerWith({ frames, frameIndex }: Session, name: string): string | undefined {
  const start = frameIndex + 1;
  const caller = frames.slice(start, start + MAX_CALLERS)
    .findIndex(({ isSystem, variables }) =>
      !isSystem && variables.some((variable) => variable.name === name)
    );
  return caller < 0
    ? undefined
    : `\`frame ${start + caller}\`, ${
      demangle(frames[start + caller].function ?? "its caller")
    }, has one`;
}

/** Says that debug information tells of no variables in the selected frame, and which caller of the program's own has
 * some: a pause mostly finds a thread in a system's function. */
export function noVariables(session: Session): string {
  const { frame: { image }, target } = session;
  const [reason] = target.missingSymbols.find(({ path }) => path === image?.path)?.reasons ?? [];
  const why = reason === undefined ? "" : `; of ${image!.name}, ${reason}`;
  const none = `no debug information tells of any${why}`;
  const caller = ownCaller(session);
  return caller === undefined ? none : `${none}; ${caller}, has some`;
}

/** The next caller of the program's own that has variables. */
function ownCaller({ frames, frameIndex }: Session): string | undefined {
  const start = frameIndex + 1;
  const caller = frames.slice(start, start + MAX_CALLERS)
    .findIndex(({ isSystem, variables }) => !isSystem && variables.length > 0);
  return caller < 0
    ? undefined
    : `\`frame ${start + caller}\`, ${demangle(frames[start + caller].function ?? "its caller")}`;
}

/** Some names of the selected frame's variables; in a system's function, who else has some. */
function listed(session: Session, names: readonly string[]): string {
  const shown = names.slice(0, 12).join(", ");
  const own = session.frame.isSystem ? ownCaller(session) : undefined;
  const others = own === undefined ? "" : `; ${own}, has others`;
  return `it has ${shown}${names.length > 12 ? ` and ${names.length - 12} more` : ""}${others}`;
}

/** What is wrong, and where in a longer text. */
function explained(
  session: Session,
  text: string,
  { message, position }: ExpressionError,
): string {
  const unknown = /^there is no variable ([\w$:]+)$/.exec(message)?.[1];
  if (unknown !== undefined) {
    const { variables } = session.frames[session.frameIndex] ?? { variables: [] };
    const names = [...new Set(variables.map((variable) => variable.name))];
    return `there is no variable ${unknown} in this frame: ` +
      (callerWith(session, unknown) ??
        (names.length === 0 ? noVariables(session) : listed(session, names)));
  }
  const rest = text.slice(position).trim();
  return position === 0 || rest === "" || message.includes(rest)
    ? message
    : `${message}, at \`${rest.length > 40 ? `${rest.slice(0, 40)}…` : rest}\``;
}

/** The first name in an expression; `undefined` where it has none. */
function firstName(text: string): string | undefined {
  const words = text.match(
    /'(?:\\.|[^'\\])*'|(?:\d|\.\d)(?:[eEpP][+-]|[\w.'])*|\$?[\p{L}_][\p{L}\p{N}_$]*(?:::[\p{L}_][\p{L}\p{N}_$]*)*/gu,
  );
  return words?.find((word) => !/^['\d.]/.test(word) && word !== "sizeof");
}

/** Whether code is a calculation with C's numbers and characters alone, as `10/4`, `'A' + 1`, `1u << 31`: of
 * what both languages know, C's rules count. */
function isOfNumbers(text: string): boolean {
  const number =
    /0[xX][\da-fA-F]+[uUlL]*|0[bB][01]+[uUlL]*|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?[uUlLfF]*|'(?:\\.[\da-fA-F]*|[^'\\])'/g;
  const rest = text.replaceAll(number, "0");
  // What is not at its end goes on in the next line, as TypeScript.
  return /^[\d \t()+\-*\/%&|^~<>=!?:]*[\d)]$/.test(rest.trimEnd()) &&
    /\d/.test(rest) && !/\*\*|===|!==|>>>|0\s+0|\n/.test(rest);
}

/** What only TypeScript has. */
const typescript = /["`;{}]|=>|===|!==|\?\?|\?\.|\b(?:await|new|const|let|function|typeof)\b/;

/** Whether code is about the program rather than TypeScript: its first name is a variable of the selected
 * frame or a global one of the program, or it begins as only an expression of C does. */
export function isOfProgram(session: Session, text: string): boolean {
  if (session.maybeTarget === undefined || typescript.test(text)) return false;
  if (isOfNumbers(text)) return true;
  if (
    /^[&*]|[\w)\]]\s*->\s*[A-Za-z_]|^(?:static|reinterpret|const|dynamic)_cast\s*<|^[-+~!\s]*\(+(?:(?:const|struct|class|union|enum|unsigned|signed|void|char|short|int|long|float|double|bool)\b|\w+(?:::\w+)*\s*(?:\*+|&{1,2})\s*\))/
      .test(text)
  ) return true;
  // A cast to a type that is named.
  if (/^\(\s*[A-Za-z_][\w:]*\s*\)\s*(?!(?:as|in|instanceof|of|satisfies)\b)[\w'~]/.test(text)) {
    return true;
  }
  const name = firstName(text);
  if (name?.startsWith("$")) return isOfRegisters(session, text);
  // The object of a method. TypeScript's own at the prompt is of no use.
  if (/^\s*(?:self|this)\s*(?:\.|$)/.test(text)) return true;
  // A type's size, and what belongs to a type or a namespace, are no TypeScript.
  if (/^sizeof\b/.test(text)) return true;
  if (name === undefined) return false;
  if (name.includes("::")) return true;
  if (isQualifiedGo(session, text)) return true;
  const value = new FrameScope(session).named(name);
  // The system's libraries have many short names. One of the prompt's own comes before them.
  const ofPrompt = name in globalThis || (sessionGlobals as readonly string[]).includes(name);
  return value !== null && !(ofPrompt && isOfSystem(session, value));
}

/** Whether it is a global name of Go with its package, such as `main.counter`, and the frame has no variable that
 * the package's name means. */
function isQualifiedGo(session: Session, text: string): boolean {
  const name = /^\s*(\w+)\.[\w.]+\s*$/.exec(text)?.[1];
  return name !== undefined && new FrameScope(session).named(name) === null &&
    session.target.lookup(text.trim()).length > 0;
}

/** Whether code is arithmetic over registers of the selected frame. With numbers of C, TypeScript would refuse it:
 * there they are bigints. */
function isOfRegisters(session: Session, text: string): boolean {
  const words = text.match(/[$\w.]+/g) ?? [];
  return !/[^\s$\w()+\-*\/%&|^~<>=!]/.test(text) &&
    words.every((word) =>
      /^(?:\d+|0x[\da-f]+|0b[01]+)$/i.test(word) ||
      word.startsWith("$") && isRegister(session, word.slice(1))
    );
}

/** Whether a name is a register's, which a caller's frame may have lost. */
function isRegister(session: Session, name: string): boolean {
  const innermost = session.frames[0]?.registers;
  return registerNamed(session, name) !== undefined ||
    innermost?.get(registerName(session.target.arch, name)) !== undefined;
}

function isOfSystem(session: Session, { address }: Value): boolean {
  const image = address === null ? null : session.target.imageAt(address);
  return image !== null && isSystemPath(image.path);
}

/** Whether an address is written with a variable that leads to it: one of the selected frame, a global pointer or
 * array, or `&` and a global one: sums are those of C. The name of other global variables means their own
 * address, as it does without debug information. */
export function isOfVariable(session: Session, text: string): boolean {
  const name = firstName(text);
  if (name === undefined) return false;
  const { variables } = session.frames[session.frameIndex] ?? { variables: [] };
  if (variables.some((variable) => variable.name === name)) return true;
  const value = new FrameScope(session).variable(name);
  if (value === null) return false;
  const { kind } = canonical(value.type);
  return kind === "pointer" || kind === "array" || kind !== "function" && /^\s*&/.test(text);
}

/** The formats of `p/x`, as in gdb and LLDB. */
const formats = "x d u o t c a f s";

/** The letter of a format by its letter or LLDB's word: `z`, which gdb fills with zeros, is `x`, which always is.
 *
 * @throws UserError where there is none
 */
export async function formatLetter(text: string): Promise<string> {
  const { wordFormats } = await import("../view/memory_format.ts");
  const count = /^\d+/.exec(text)?.[0];
  const letter = text === "z" ? "x" : wordFormats[text] ?? text;
  if (formats.split(" ").includes(letter)) return letter;
  throw new UserError(
    count === undefined
      ? `there is no format ${text}: there are ${formats}`
      : `a count goes with memory: \`x/${text} <address>\`, or \`p list@${count}\``,
  );
}

/** An expression without the option `--json`, which may stand before or after it. After an operator these are
 * minus signs. */
export function withoutJson(text: string): string {
  return text.replace(/^--json\s+(?=\S)/, "").replace(/(?<=[\w)\]'"])\s+--json\s*$/, "");
}

/** What `print` shows of an expression.
 *
 * @param format a letter of {@linkcode formats}
 */
export function printed(
  session: Session,
  text: string,
  { format, json = false }: { readonly format?: string; readonly json?: boolean } = {},
): readonly SafeText[] {
  const plain = valueOf(session, text);
  const { kind } = canonical(plain.type);
  const { address } = plain;
  // A string is shown as one anyway.
  const isText = format === "s" && isCString(plain.type);
  const value = format === undefined || isText ? plain : shownAs(plain, format, session);
  if (!json && format === undefined && isOfRegisters(session, text)) {
    const line = registerLine(session, text, plain);
    if (line !== undefined) return [line];
  }
  // What is no variable has been computed: where it points to was not asked for.
  const how = value.name === "" ? { ...shown, pointers: 0 } : shown;
  // What a result points to has no name either.
  const name = isPath(text) ? text.trim() : value.name.replace(/^[*&]+$/, "");
  if (json) return [safeJson({ ...valueJson(value, how), name })];
  if (kind === "function" && address !== null) {
    const where = hex(address, 2 * session.pointerSize);
    const what = session.describe(address);
    if (what !== undefined) return [safe`${where} ${what}`];
    // Data of an image without debug information.
    const of = session.target.lookup(name)[0]?.image.name;
    const from = of === undefined ? "" : ` of ${of}`;
    return [safe`${where} ${escape(`${name}${from}: its type is not known`)}`];
  }
  return variableLines(value, session.style, how, name);
}

/** A register, and what is computed of some: an address of code or of the stack as a pointer, other numbers in both
 * bases. */
function registerLine(session: Session, text: string, { name, type, integer }: Value) {
  if (integer === null || type.name !== "unsigned long") return undefined;
  const { pc, sp, fp, lr } = session.target.arch;
  const is = (...roles: readonly ({ readonly name: string } | null | undefined)[]) =>
    [pc.name, "pc", ...roles.map((role) => role?.name)].includes(name.slice(1));
  const label = name.startsWith("$") && isPath(text) ? safe`${escape(name)} = ` : safe``;
  const kind = (written: string) => session.style("quiet", safe`(${escape(written)})`);
  const address = hex(integer, 2 * session.pointerSize);
  if (label === "") return safe`${kind(type.name)} ${integer}  ${hex(integer)}`;
  if (is(lr) || name === "$lr") {
    const what = session.describe(integer);
    const line = safe`${kind("void (*)()")} ${label}${address}`;
    return what === undefined ? line : safe`${line} ${what}`;
  }
  if (is(sp, fp) || name === "$sp" || name === "$fp") {
    return safe`${kind("void *")} ${label}${address}`;
  }
  return safe`${kind(type.name)} ${label}${integer}  ${hex(integer)}`;
}

/** A value whose numbers, and those of its members, are written in a format. */
export function shownAs(value: Value, format: string, session: Session): Value {
  return new Proxy(value, {
    get(of, key) {
      if (key === "text") return formatted(of, format, session) ?? of.text;
      if (key === "scalar") return null;
      if (key === "summary") return isRecord(canonical(of.type)) ? of.summary : null;
      if (key === "children") {
        return (start?: number, end?: number) =>
          of.children(start, end).map((child) => shownAs(child, format, session));
      }
      return Reflect.get(of, key, of);
    },
  });
}

/** A number as text; `null` for what is none. */
function formatted(value: Value, format: string, session: Session): string | null {
  const whole = value.integer ?? integerBits(value);
  if (whole === null) return null;
  const size = value.bits?.size ?? 8 * (canonical(value.type).size ?? 8);
  const unsigned = BigInt.asUintN(size, whole);
  switch (format) {
    case "x":
      return `0x${unsigned.toString(16).padStart(Math.ceil(size / 4), "0")}`;
    case "d":
      return BigInt.asIntN(size, whole).toString();
    case "u":
      return unsigned.toString();
    case "o":
      return `0${unsigned.toString(8)}`;
    case "t":
      return `0b${unsigned.toString(2).padStart(size, "0")}`;
    case "c": {
      const code = Number(unsigned);
      return code >= 32 && code < 127
        ? `'${String.fromCharCode(code)}'`
        : `'\\x${code.toString(16)}'`;
    }
    case "a":
      return `0x${unsigned.toString(16)} ${session.describe(unsigned) ?? ""}`.trim();
    case "f":
      return floating(value, unsigned);
    case "s":
      return value.context.memory.readUpTo(unsigned, 1).length === 0 ? null : JSON.stringify(
        session.target.memory.readCString(unsigned, value.context.limits.stringLength),
      );
  }
  return null;
}

/** The bits of a floating-point number. Of Intel's extended ones the bytes after the tenth mean nothing. */
function integerBits(value: Value): bigint | null {
  const bytes = value.bytes(16);
  const { kind, encoding, name } = canonical(value.type);
  if (kind !== "base" || encoding !== "float" || bytes.length === 0) return null;
  const isLong = bytes.length > 8 && !isQuadFloat(value.context.arch, name);
  return unsignedOf(isLong ? bytes.subarray(0, 10) : bytes);
}

function floating(value: Value, bits: bigint): string | null {
  const view = new DataView(new ArrayBuffer(8));
  view.setBigUint64(0, bits);
  const { size } = canonical(value.type);
  return size === 8 ? `${view.getFloat64(0)}` : size === 4 ? `${view.getFloat32(4)}` : null;
}

/** The address that an expression means: of a pointer or an array what it leads to, of a number itself; of
 * another variable its own. */
export function addressIn(session: Session, text: string): bigint {
  const value = valueOf(session, text);
  const { kind } = canonical(value.type);
  if (kind === "base" || kind === "pointer" || kind === "enum") {
    const address = value.integer;
    if (address !== null) return address & value.context.addressMask;
  }
  if (value.address !== null) return value.address;
  throw new UserError(`${text} is in no memory: ${value.unavailable ?? "it is a result"}`);
}

/** A value on one line. */
function valueLine(session: Session, text: string, json: boolean): SafeText {
  const value = valueOf(session, text);
  const how = { depth: 1, pointers: 1 };
  const name = isPath(text) ? text.trim() : value.name;
  if (json) return safeJson({ ...valueJson(value, how), name });
  return onOneLine(variableLines(value, session.style, how, name));
}

/** Prints an expression's value again and again: each look is one short stop of a running target.
 *
 * @param options the time between two looks, and their number: until Ctrl-C when left out
 */
export async function watch(
  session: Session,
  text: string,
  { seconds, count = Infinity, json = false }: {
    readonly seconds: number;
    readonly count?: number;
    readonly json?: boolean;
  },
): Promise<readonly SafeText[]> {
  const { target } = session;
  if (target.paused || target.kind === "core") {
    const line = valueLine(session, text, json);
    if (json) return [line];
    const why = target.kind === "core" ? "a core does not run" : "the target is paused";
    return [safe`${line}  ${session.style("quiet", safe`(${escape(why)})`)}`];
  }
  let isOver = false;
  let wake = () => {};
  session.interrupt = () => {
    isOver = true;
    wake();
  };
  for (let look = 0; look < count && !isOver; look++) {
    if (look > 0) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, 1000 * seconds);
      wake = resolve;
      await promise;
      clearTimeout(timer);
      if (isOver) break;
    }
    session.threads(true);
    printLines([valueLine(session, text, json)]);
  }
  return [];
}
