/** TypeScript typed at a prompt, as JavaScript that runs in the global scope: types stripped, `await`
 * at the top, `import` statements, and variables that stay and may be declared again. */
import { type Node, parse } from "acorn";
import { cells } from "../edit/interrupt.ts";

/** The code is incomplete: more lines are needed. */
export class IncompleteError extends SyntaxError {}

/** A syntax error and its place. */
export class CodeError extends SyntaxError {
  /** The name under which errors are shown. */
  override readonly name = "SyntaxError";
  /** From 1; 0 when not known. */
  readonly line: number;
  /** From 1. */
  readonly column: number;

  constructor(message: string, line: number, column: number) {
    super(message);
    this.line = line;
    this.column = column;
  }
}

/** JavaScript made of typed code. */
export interface Runnable {
  readonly code: string;
  /** The index into the typed code for an index into `code`. */
  sourceIndex(index: number): number;
}

/** The global function that transformed code calls instead of `import()`. It resolves paths against the
 * working directory. */
export const importer = "__machpause_import";

/** The globals by which transformed code looks in each loop and function whether it is to stop: the shared
 * memory, and the function that throws. */
export const stopper = { memory: "__machpause_shared", check: "__machpause_check" } as const;

/** A plain read: it takes 4 ns, `Atomics.load` 20. V8 does not move it out of a loop. */
const check = `${stopper.memory}[${cells.stop}]&&${stopper.check}()`;

/** A node of the syntax tree, whose fields depend on its type. */
// deno-lint-ignore no-explicit-any
type Tree = Node & Record<string, any>;

type Parsed = { readonly tree: Tree } | { readonly error: SyntaxError & { pos: number } };

function tryParse(code: string): Parsed {
  try {
    const tree = parse(code, {
      ecmaVersion: "latest",
      sourceType: "module",
      allowAwaitOutsideFunction: true,
      allowReserved: true,
      checkPrivateFields: true,
    });
    return { tree };
  } catch (error) {
    if (error instanceof SyntaxError && "pos" in error) {
      return { error: error as SyntaxError & { pos: number } };
    }
    throw error;
  }
}

/** Code without its types; `undefined` where it cannot be parsed. The stripper is loaded only for code
 * that is not JavaScript: it takes longer than everything else here. */
async function strip(code: string): Promise<string | undefined> {
  const { stripTypeScriptTypes } = await import("node:module");
  for (const mode of ["strip", "transform"] as const) {
    try {
      return stripTypeScriptTypes(code, { mode });
    } catch {
      continue;
    }
  }
  return undefined;
}

/** Whether brackets, a template or a comment are left open, or an operator waits for its operand. */
function isOpen(code: string): boolean {
  const open: string[] = [];
  const closing: Readonly<Record<string, string>> = { "(": ")", "[": "]", "{": "}" };
  const tokens =
    /\/\/.*|\/\*[^]*?(?:\*\/|($))|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|[()[\]{}`]|\$\{|\\./g;
  for (let match; (match = tokens.exec(code)) !== null;) {
    const [token, unfinished] = match;
    if (unfinished !== undefined) return true;
    if (open.at(-1) === "`") {
      if (token === "`") open.pop();
      else if (token === "${") open.push("}");
      // A string or a comment inside a template is its text.
      else if (token.length > 1 && token[0] !== "\\") tokens.lastIndex = match.index + 1;
    } else if (token === "`") open.push("`");
    else if (token in closing) open.push(closing[token]);
    else if (token === "${") open.push("}");
    else if (/^[)\]}]$/.test(token) && open.pop() !== token) return false;
  }
  return open.length > 0 || /(?:[=+*,&|?:<.([{-]|=>)\s*$/.test(code);
}

/** The syntax tree of typed code, and the JavaScript that it is of.
 *
 * @throws IncompleteError when more lines are needed
 * @throws CodeError for a syntax error
 */
async function read(source: string): Promise<{ code: string; tree: Tree }> {
  // Code that begins with a brace is an object where it can be one, otherwise a block.
  if (/^\s*\{/.test(source)) {
    const code = `(${source.trimEnd().replace(/;+$/, "")}\n)`;
    const object = tryParse(code);
    if ("tree" in object) return { code, tree: object.tree };
  }
  const plain = tryParse(source);
  if ("tree" in plain) return { code: source, tree: plain.tree };
  const atEnd = (error: { pos: number; message: string }, code: string) =>
    error.pos >= code.trimEnd().length || /^Unterminated (?:template|comment)/.test(error.message);
  if (atEnd(plain.error, source)) throw new IncompleteError(plain.error.message);
  const stripped = await strip(source);
  if (stripped !== undefined) {
    const typed = tryParse(stripped);
    if ("tree" in typed) return { code: stripped, tree: typed.tree };
    if (atEnd(typed.error, stripped)) throw new IncompleteError(typed.error.message);
  }
  if (isOpen(source)) throw new IncompleteError(plain.error.message);
  const message = plain.error.message.replace(/ \(\d+:\d+\)$/, "");
  const before = source.slice(0, plain.error.pos).split("\n");
  throw new CodeError(message, before.length, before.at(-1)!.length + 1);
}

/** A replacement in the code. */
interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Makes the replacements.
 *
 * @param opened the number of characters in `code` before the typed code
 * @param head goes before the result
 */
function apply(
  code: string,
  edits: readonly Edit[],
  opened: number,
  head = "",
  tail = "",
): Runnable {
  const sorted = edits.toSorted((a, b) => a.start - b.start || a.end - b.end);
  let result = head;
  let at = 0;
  for (const { start, end, text } of sorted) {
    result += code.slice(at, start) + text;
    at = end;
  }
  return {
    code: result + code.slice(at) + tail,
    sourceIndex(index) {
      let shift = head.length;
      for (const { start, end, text } of sorted) {
        const from = start + shift;
        if (index < from) break;
        // Inside a replacement: where that begins.
        if (index < from + text.length) return Math.max(0, start - opened);
        shift += text.length - (end - start);
      }
      return Math.max(0, index - shift - opened);
    },
  };
}

/** Calls `visit` for a node and the nodes below it, unless `visit` returns `false` for their parent. */
function walk(node: Tree, visit: (node: Tree) => boolean): void {
  if (!visit(node)) return;
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) {
      if (child !== null && typeof child === "object" && typeof child.type === "string") {
        walk(child, visit);
      }
    }
  }
}

const loops = new Set([
  "DoWhileStatement",
  "ForInStatement",
  "ForOfStatement",
  "ForStatement",
  "WhileStatement",
]);

const functions = new Set(["FunctionDeclaration", "FunctionExpression", "ArrowFunctionExpression"]);

/** The names that a pattern binds. */
function boundNames(pattern: Tree): string[] {
  switch (pattern.type) {
    case "Identifier":
      return [pattern.name];
    case "ObjectPattern":
      return pattern.properties.flatMap((property: Tree) =>
        boundNames(property.type === "Property" ? property.value : property.argument)
      );
    case "ArrayPattern":
      return pattern.elements.flatMap((element: Tree | null) =>
        element === null ? [] : boundNames(element)
      );
    case "AssignmentPattern":
      return boundNames(pattern.left);
    case "RestElement":
      return boundNames(pattern.argument);
    default:
      return [];
  }
}

/** An `import` statement as a call that does the same. */
function importText({ source, specifiers }: Tree, names: string[]): string {
  const module = `await ${importer}(${source.raw})`;
  if (specifiers.length === 0) return `${module};`;
  const parts: string[] = [];
  for (const { type, local, imported } of specifiers) {
    names.push(local.name);
    if (type === "ImportNamespaceSpecifier") parts.push(`${local.name} = __module;`);
    else {
      const name = type === "ImportDefaultSpecifier" ? "default" : imported.name ?? imported.value;
      parts.push(`${local.name} = __module[${JSON.stringify(name)}];`);
    }
  }
  return `{ const __module = ${module}; ${parts.join(" ")} }`;
}

/** The deepest nesting of brackets that is parsed. Deno's parser ends the whole process, not the parse,
 * from about a thousand levels on; hand-written code has some tens. */
const MAX_DEPTH = 400;
/** The most operators of one statement that are parsed, for the same reason. */
const MAX_CHAIN = 1000;

/** Whether code may be nested too deeply to be parsed. Brackets and operators in strings count too. */
function isTooDeep(source: string): boolean {
  let brackets = 0;
  let operators = 0;
  for (const character of source) {
    if ("([{".includes(character)) brackets++;
    else if (")]}".includes(character)) brackets--;
    else if ("!~+-*/%=&|^<?:.".includes(character)) operators++;
    else if (character === ";" || character === "\n") operators = 0;
    if (brackets > MAX_DEPTH || operators > MAX_CHAIN) return true;
  }
  return source.split("await").length > MAX_CHAIN;
}

/** Makes a loop or a function look whether it is to stop. */
function addCheck(body: Tree, edits: Edit[]): void {
  if (body.type === "BlockStatement") {
    // A directive has to stay first.
    const last = body.body.findLast((node: Tree) => node.directive !== undefined);
    const start = last === undefined ? body.start + 1 : last.end;
    edits.push({ start, end: start, text: last === undefined ? `${check};` : `;${check};` });
  } else if (/Statement|Declaration/.test(body.type)) {
    edits.push({ start: body.start, end: body.start, text: `{${check};` });
    edits.push({ start: body.end, end: body.end, text: "}" });
  } else {
    edits.push({ start: body.start, end: body.start, text: `(${check},` });
    edits.push({ start: body.end, end: body.end, text: ")" });
  }
}

/** The kind of the expression that code ends with; `undefined` where it ends with another statement.
 * `Call:console` is a call of the console's. */
export async function lastExpression(source: string): Promise<string | undefined> {
  const { tree } = await read(source);
  const last: Tree | undefined = tree.body.at(-1);
  if (last?.type !== "ExpressionStatement") return undefined;
  const { expression } = last;
  const kind = expression.type.replace(/Expression$/, "");
  if (kind === "Unary") return `Unary:${expression.operator}`;
  return kind === "Call" && expression.callee.object?.name === "console" ? "Call:console" : kind;
}

/** Transforms typed code. The value of the result is that of the last expression.
 *
 * @throws IncompleteError when more lines are needed
 * @throws CodeError for a syntax error
 */
export async function transform(source: string): Promise<Runnable> {
  try {
    if (!isTooDeep(source)) return await rewrite(source);
  } catch (error) {
    // acorn and the walks over its tree recurse.
    if (!(error instanceof RangeError)) throw error;
  }
  throw new CodeError("the code is nested too deeply", 0, 1);
}

async function rewrite(source: string): Promise<Runnable> {
  const { code, tree } = await read(source);
  const opened = code.length - source.length === 3 && code[0] === "(" ? 1 : 0;
  const edits: Edit[] = [];
  let asynchronous = false;
  walk(tree, (node) => {
    if (node.type === "ImportExpression") {
      edits.push({ start: node.start, end: node.start + "import".length, text: importer });
    } else if (loops.has(node.type) || functions.has(node.type)) addCheck(node.body, edits);
    return true;
  });
  walk(tree, (node) => {
    asynchronous ||= node.type === "AwaitExpression" || node.type === "ImportDeclaration" ||
      node.type === "ForOfStatement" && node.await || node.kind === "await using";
    return !functions.has(node.type);
  });
  const body: readonly Tree[] = tree.body;
  if (!asynchronous) {
    for (const node of body) {
      if (node.type === "VariableDeclaration" && node.kind !== "var") {
        // As wide as what it replaces, so that columns in errors stay correct.
        const end = node.start + node.kind.length;
        edits.push({ start: node.start, end, text: "var".padEnd(node.kind.length) });
      } else if (node.type === "ClassDeclaration") {
        edits.push({ start: node.start, end: node.start, text: `var ${node.id.name} = ` });
        edits.push({ start: node.end, end: node.end, text: ";" });
      }
    }
    return apply(code, edits, opened);
  }
  const names: string[] = [];
  let hoisted = "";
  for (const node of body) {
    if (node.type === "VariableDeclaration") {
      const first = node.declarations[0];
      edits.push({ start: node.start, end: first.start, text: "void (" });
      for (const { id, init, end } of node.declarations) {
        names.push(...boundNames(id));
        if (init === null) edits.push({ start: end, end, text: " = undefined" });
      }
      const { end } = node.declarations.at(-1);
      edits.push({ start: end, end, text: ")" });
    } else if (node.type === "FunctionDeclaration") {
      hoisted += `globalThis.${node.id.name} = ${node.id.name}; `;
    } else if (node.type === "ClassDeclaration") {
      names.push(node.id.name);
      edits.push({ start: node.start, end: node.start, text: `${node.id.name} = ` });
      edits.push({ start: node.end, end: node.end, text: ";" });
    } else if (node.type === "ImportDeclaration") {
      edits.push({ start: node.start, end: node.end, text: importText(node, names) });
    }
  }
  const last = body.at(-1);
  if (last?.type === "ExpressionStatement") {
    edits.push({ start: last.start, end: last.start, text: "return (" });
    edits.push({ start: last.expression.end, end: last.expression.end, text: "\n)" });
  }
  const declared = names.length === 0 ? "" : `var ${names.join(", ")}; `;
  const head = `${declared}(async () => { ${hoisted}`;
  return apply(code, edits, opened, head, "\n})()");
}
