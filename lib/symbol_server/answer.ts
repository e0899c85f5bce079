/** What is at an offset of a module, in the form that all responses share. */

import { demangle, loadDemangler } from "../symbols/mod.ts";
import type { Module } from "./modules.ts";

/** A function that was inlined. */
export interface Inlined {
  readonly function: string;
  readonly file?: string;
  readonly line?: number;
}

/** A function at an offset, names mangled. */
export interface Answer {
  /** The function that has the code of its own. */
  readonly function: string;
  /** Bytes from the function's start. */
  readonly functionOffset: number;
  /** Bytes; `null` when not known. */
  readonly functionSize: number | null;
  readonly file?: string;
  readonly line?: number;
  /** Innermost first. */
  readonly inlines: readonly Inlined[];
}

/** What is at an offset; `null` when nothing is known. */
export function answerAt(module: Module, offset: number): Answer | null {
  const { symbol, frames, functionStart, image } = module.at(offset);
  // A line without a function is that of what lies between functions.
  const isNamed = symbol !== null || frames.some((frame) => frame.function !== "");
  if (image === null || (!isNamed && functionStart === null)) return null;
  const start = functionStart === null ? null : Number(functionStart - module.base);
  const outer = frames.at(-1);
  // samply's name of a function without one.
  const name = outer?.function || symbol?.name || `fun_${(start ?? offset).toString(16)}`;
  return {
    function: name,
    functionOffset: start === null ? 0 : offset - start,
    functionSize: module.sizeAt(offset),
    ...place(outer),
    inlines: frames.slice(0, -1).map((frame) => ({ function: frame.function, ...place(frame) })),
  };
}

function place(
  frame: { readonly location: { readonly file: string; readonly line: number } | null } | undefined,
): { readonly file?: string; readonly line?: number } {
  if (!frame?.location) return {};
  const { file, line } = frame.location;
  return line > 0 ? { file, line } : { file };
}

/** Makes the names of answers readable. */
export async function readable(answers: Iterable<Answer | null>): Promise<(raw: string) => string> {
  const names = function* () {
    for (const answer of answers) {
      if (answer === null) continue;
      yield answer.function;
      for (const { function: name } of answer.inlines) yield name;
    }
  };
  await loadDemangler(names());
  return demangle;
}
