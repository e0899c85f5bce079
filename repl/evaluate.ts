/** TypeScript typed at the prompt: types stripped, `await` allowed at the top, variables that stay
 * and may be declared again. */
import { stripTypeScriptTypes } from "node:module";
import { Script } from "node:vm";
import { escape } from "../lib/escape.ts";

/** The code ends before it is complete: more lines are to come. */
export class IncompleteError extends SyntaxError {}

/** What V8 says of code that ends too early. */
const incomplete =
  /^(?:Unexpected end of input|Unterminated template literal|missing \) after argument list)/;

function compile(code: string): Script | SyntaxError {
  try {
    return new Script(code, { filename: "prompt" });
  } catch (error) {
    if (error instanceof SyntaxError) return error;
    throw error;
  }
}

/** Without the types; the very code where it cannot be parsed, so that V8 says what is wrong. */
function strip(code: string): string {
  try {
    return stripTypeScriptTypes(code);
  } catch {
    return code;
  }
}

/** Declarations at the start of a line, as `var`: those stay, and can be made again. */
function loosen(code: string): string {
  return code.replace(/^(?:let|const)(?=\s+[\w$[{])/gm, "var");
}

/** The names that {@linkcode loosen}ed code declares. */
function declaredNames(code: string): string[] {
  const names: string[] = [];
  for (const [, pattern] of code.matchAll(/^var\s+([\w$]+|\{[^}]*\}|\[[^\]]*\])\s*=/gm)) {
    // In `{ a: b = 1 }` it is b that is declared.
    for (const [, name] of pattern.matchAll(/([\w$]+)\s*(?=[,}\]=]|$)/g)) names.push(name);
  }
  return names;
}

/** The script that runs some code: the first form of it that compiles. */
function prepare(source: string): Script {
  const code = loosen(strip(source)).trim().replace(/;+$/, "");
  const forms: string[] = [];
  // What begins with a brace is meant as an object, unless only a block makes sense of it.
  if (code.startsWith("{")) forms.push(`(${code}\n)`);
  if (/\bawait\b/.test(code) && !/^(?:async\s+)?function\b|^class\b/.test(code)) {
    forms.push(`(async () => (${code}\n))()`);
    const keep = declaredNames(code).join(", ");
    forms.push(`(async () => { ${code}\n; Object.assign(globalThis, { ${keep} }); })()`);
  }
  forms.push(code);
  let failure: SyntaxError | undefined;
  for (const form of forms) {
    const script = compile(form);
    if (!(script instanceof SyntaxError)) return script;
    failure = script;
  }
  throw incomplete.test(failure!.message) ? new IncompleteError(failure!.message) : failure;
}

/** Runs code in the global scope; the value of its last expression, awaited.
 *
 * @throws IncompleteError when more lines are to come
 */
export async function evaluate(source: string): Promise<unknown> {
  return await prepare(source).runInThisContext();
}

/** A value as the prompt prints it. Strings in it may be a target's, so everything is escaped. */
export function show(value: unknown): string {
  return Deno.inspect(value, { colors: false, depth: 3, strAbbreviateSize: 1000 })
    .split("\n").map(escape).join("\n");
}
