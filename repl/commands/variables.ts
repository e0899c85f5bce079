/** What the commands about variables do. It is loaded with the first of them. */
import { escape, safe, safeJson, type SafeText } from "../../lib/escape.ts";
import { canonical, type Value } from "../../lib/values/reading.ts";
import type { Variable } from "../../mod.ts";
import { UserError } from "../errors.ts";
import type { globalOptions, Values, variableOptions } from "../options.ts";
import type { Session } from "../prompt/session.ts";
import { isWritten, valueJson, variableJson, variableLines } from "../view/variables.ts";
import { noVariables, shownAs, valueOf } from "./expressions.ts";
import { confirmed, integer } from "./values.ts";

/** Levels of members that are shown of each variable, as LLDB does. */
const DEPTH = 16;

/** The variables of the selected frame, or the named ones. */
export function showVariables(
  session: Session,
  paths: readonly string[],
  options: Values<typeof variableOptions>,
): SafeText[] {
  const { args, locals, depth = DEPTH, ptrDepth, count, raw, showDeclaration, json } = options;
  const { frame, style } = session;
  const limits = count === undefined ? {} : { arrayValues: count };
  const { format } = options;
  const bare = <T extends Value>(value: T): Value => {
    const plain = raw ? value.raw : value;
    return format === undefined ? plain : shownAs(plain, format, session);
  };
  if (paths.length > 0) {
    const named = paths.flatMap((path) => elementPaths(session, path));
    const found = named.map((path) => bare(elementsOf(session, path, count)));
    const how = { depth, pointers: ptrDepth ?? 1 };
    return json
      ? [safeJson(found.map((value) => valueJson(value, how)))]
      : found.flatMap((value, index) => variableLines(value, style, how, named[index]));
  }
  const how = { depth, pointers: ptrDepth ?? 0 };
  const shown = frame.readVariables(limits).filter((variable) =>
    isWritten(variable) && (args === locals || (variable.kind === "argument") === (args ?? false))
  );
  if (json) return [safeJson(shown.map((variable) => variableJson(variable, how)))];
  if (shown.length === 0) {
    return [frame.variables.length > 0 ? safe`there are none` : escape(noVariables(session))];
  }
  // The order of LLDB: the outermost block first.
  const outermost = [...shown].sort((a, b) => a.depth - b.depth);
  return outermost.flatMap((variable) => {
    const [head, ...rest] = variableLines(bare(variable), style, how);
    return showDeclaration ? [safe`${placeOf(variable)}${head}`, ...rest] : [head, ...rest];
  });
}

/** The value of a path. As in LLDB, of a pointer whose number of elements is given it is an array of these. */
function elementsOf(session: Session, path: string, count: number | undefined): Value {
  if (count === undefined) return valueOf(session, path);
  const value = valueOf(session, path, { arrayValues: count });
  return canonical(value.type).kind === "pointer"
    ? valueOf(session, `*(${path})@${count}`, { arrayValues: count })
    : value;
}

/** Maximum number of elements that a range names. */
const MAX_RANGE = 4096;

/** The elements that `list[2-5]` names, as in LLDB. Of an integer, these are bits: the path stays. */
function elementPaths(session: Session, path: string): string[] {
  const match = /^(.*)\[(\d+)-(\d+)\]$/s.exec(path);
  if (match === null) return [path];
  const [, list, ...ends] = match;
  const { kind } = canonical(valueOf(session, list).type);
  if (kind === "base" || kind === "enum") return [path];
  const [first, last] = ends.map(Number).sort((a, b) => a - b);
  if (last - first >= MAX_RANGE) throw new UserError(`at most ${MAX_RANGE} elements are shown`);
  return Array.from({ length: last - first + 1 }, (_, index) => `${list}[${first + index}]`);
}

/** Maximum number of global variables that are shown. */
const MAX_GLOBALS = 4096;

/** The variables outside of functions: the named ones of all images, or all of one. */
export function showGlobals(
  session: Session,
  names: readonly string[],
  { image: name, depth = DEPTH, ptrDepth, raw, json }: Values<typeof globalOptions>,
): SafeText[] {
  const { style, target } = session;
  const image = target.images.find((image) => image.name === name);
  if (name !== undefined && image === undefined) {
    throw new UserError(`no image is named ${name}: see \`images\``);
  }
  const found: Variable[] = [];
  for (const wanted of names.length > 0 ? names : [undefined]) {
    const of = names.length > 0 ? image : image ?? target.images[0];
    const before = found.length;
    for (const variable of target.globals(of, wanted, session.maybeThread)) {
      found.push(variable);
      if (found.length >= MAX_GLOBALS) break;
    }
    if (wanted !== undefined && found.length === before) {
      // As in gdb, a part of the name does.
      for (const variable of target.globals(of ?? target.images[0])) {
        if (variable.name.includes(wanted)) found.push(variable);
        if (found.length >= MAX_GLOBALS) break;
      }
    }
    if (wanted !== undefined && found.length === before) {
      throw new UserError(`no debug information tells of a global variable ${wanted}`);
    }
  }
  const how = { depth, pointers: ptrDepth ?? (names.length > 0 ? 1 : 0) };
  if (json) return [safeJson(found.map((variable) => variableJson(variable, how)))];
  if (found.length === 0) return [safe`no debug information tells of any`];
  const lines = found.flatMap((variable) =>
    variableLines(raw ? variable.raw : variable, style, how)
  );
  return found.length < MAX_GLOBALS ? lines : [...lines, safe`… and more: name one`];
}

function placeOf({ declaration }: Variable): SafeText {
  if (declaration === null) return safe``;
  const { file, line } = declaration;
  return safe`${escape(file.slice(file.lastIndexOf("/") + 1))}:${line}: `;
}

/** Maximum number of members that completion offers. */
const MAX_CANDIDATES = 256;

/** The variables of the selected frame and the members of its method's object, or the members of what `word`
 * names, that it may go on with. */
export function variablePaths(session: Session, word: string): readonly string[] {
  const { frame } = session;
  const [, path, separator] = /^(.*)(\.|->)[\w$]*$/.exec(word) ?? [];
  try {
    const members = (value: Value) =>
      value.children(0, MAX_CANDIDATES).map(({ name }) => name)
        .filter((name) => /^[\w$]+$/.test(name));
    if (path !== undefined) {
      return members(valueOf(session, path)).map((name) => path + separator + name);
    }
    const object = word === ""
      ? undefined
      : frame.variables.find(({ name }) => name === "this" || name === "self");
    const names = frame.variables.map(({ name }) => name);
    return [...new Set([...names, ...object === undefined ? [] : members(object)])];
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return [];
  }
}

/** Writes a number to a variable of the selected frame. */
export async function writeVariable(
  session: Session,
  path: string,
  text: string,
  yes: boolean | undefined,
): Promise<SafeText[]> {
  const value = valueOf(session, path);
  const next = numberOf(value, text);
  if (value.unavailable !== null) throw new UserError(`${path}: ${value.unavailable}`);
  const before = value.text;
  if (before === null) throw new UserError(`${path} is no number: write one of its members`);
  const change = safe`${escape(path)}: ${escape(before)} -> ${escape(text)}`;
  if (!await confirmed(session, yes, safe`${change}: write it?`)) {
    return [safe`nothing was written`];
  }
  try {
    value.write(next);
  } catch (error) {
    if (!(error instanceof TypeError || error instanceof RangeError)) throw error;
    throw new UserError(error.message);
  }
  session.reselect();
  return [change];
}

function numberOf(value: Value, text: string): number | bigint | boolean {
  const type = canonical(value.type);
  const named = type.enumerators?.find(({ name }) => name === text);
  if (named !== undefined) return named.value;
  if (text === "true" || text === "false") return text === "true";
  if (type.encoding === "float" && Number.isFinite(Number(text))) return Number(text);
  const number = integer(text.replace(/^-/, ""));
  if (number === undefined || number === null) {
    throw new UserError(`${text} is no number for a ${value.type.name}`);
  }
  return text.startsWith("-") ? -number : number;
}
