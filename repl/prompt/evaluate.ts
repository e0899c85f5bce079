/** Runs TypeScript typed at the prompt, and shows what came of it. */
import { escape, safe, type SafeText } from "../../lib/escape.ts";
import { hex } from "../../lib/hex.ts";
import { checkStop, shared } from "../edit/interrupt.ts";
import {
  CodeError,
  importer,
  IncompleteError,
  type Runnable,
  stopper,
  transform,
} from "./transform.ts";

export { IncompleteError };

/** A place in typed code. */
export interface CodePlace {
  /** From 1. */
  readonly line: number;
  /** From 1. */
  readonly column: number;
  /** The text of the line. */
  readonly text: string;
}

/** The sources that ran and their transformed code, by their names in stack traces. */
const typed = new Map<string, { readonly source: string; readonly runnable: Runnable }>();

/** The number of sources that are kept, for the traces of errors that come later. */
const maxRemembered = 100;

let count = 0;

/** A stack trace's frame of typed code. */
const userFrame = /\b(prompt-\d+)(?:, <anonymous>)?:(\d+):(\d+)/;

/** Removes the prompt's own frames from an error's trace. */
function trimStack(error: unknown): void {
  if (!(error instanceof Error) || typeof error.stack !== "string") return;
  const lines = error.stack.split("\n");
  const last = lines.findLastIndex((line) => userFrame.test(line));
  const own = lines.findIndex((line) => line.includes(import.meta.url));
  const end = last >= 0 ? last + 1 : own;
  if (end > 0) error.stack = lines.slice(0, end).join("\n");
}

/** `import()` as in a script in the working directory. */
function importHere(specifier: unknown, options?: ImportCallOptions): Promise<unknown> {
  const text = String(specifier);
  const base = `file://${Deno.cwd().split("/").map(encodeURIComponent).join("/")}/`;
  return import(/^\.{0,2}\//.test(text) ? new URL(text, base).href : text, options);
}

/** The globals that transformed code calls. */
const helpers = {
  [importer]: importHere,
  [stopper.memory]: shared,
  [stopper.check]: checkStop,
};

/** Whether code can be run as it is; otherwise more lines are needed. Wrong code is complete: more lines
 * would not help it. */
export async function isComplete(source: string): Promise<boolean> {
  try {
    await transform(source);
  } catch (error) {
    return !(error instanceof IncompleteError);
  }
  return true;
}

/** Runs code in the global scope.
 *
 * @returns the value of its last expression, awaited
 * @throws IncompleteError when more lines are needed
 */
export async function evaluate(source: string): Promise<unknown> {
  const runnable = await transform(source);
  const name = `prompt-${++count}`;
  typed.set(name, { source, runnable });
  typed.delete(`prompt-${count - maxRemembered}`);
  for (const [name, value] of Object.entries(helpers)) {
    Object.defineProperty(globalThis, name, { value, configurable: true });
  }
  // Declarations of an indirect eval are the global scope's.
  try {
    return await (0, eval)(`${runnable.code}\n//# sourceURL=${name}`);
  } catch (error) {
    trimStack(error);
    throw error;
  }
}

/** Whether code that gave nothing should say so: it ends in an expression that was asked for its value. */
export async function asksForValue(source: string): Promise<boolean> {
  const { lastExpression } = await import("./transform.ts");
  const kind = await lastExpression(source);
  return kind !== undefined && !/^(?:Assignment|Unary:void|Update|Call:console)/.test(kind);
}

/** Where in typed code an error comes from; `null` where it does not. */
export function placeOf(error: unknown, source: string): CodePlace | null {
  if (error instanceof CodeError) {
    const text = source.split("\n")[error.line - 1];
    return text === undefined ? null : { line: error.line, column: error.column, text };
  }
  if (!(error instanceof Error) || typeof error.stack !== "string") return null;
  const match = userFrame.exec(error.stack);
  const known = match === null ? undefined : typed.get(match[1]);
  if (match === null || known === undefined) return null;
  const { source: code, runnable } = known;
  const lines = runnable.code.split("\n").slice(0, Number(match[2]) - 1);
  const start = lines.reduce((sum, { length }) => sum + length + 1, 0);
  const before = code.slice(0, runnable.sourceIndex(start + Number(match[3]) - 1)).split("\n");
  const text = code.split("\n")[before.length - 1];
  return { line: before.length, column: before.at(-1)!.length + 1, text };
}

/** The lines of a value as the prompt shows it: a big address in hexadecimal too, a long array cut. All
 * of it is escaped, since strings anywhere in it may be a target's. */
export function show(value: unknown): SafeText[] {
  if (typeof value === "bigint" && value > 9n) {
    return [safe`${value}n  ${hex(value)}`];
  }
  return Deno.inspect(value, { colors: false, depth: 3, strAbbreviateSize: 1000 })
    .split("\n").map(escape);
}
