/** The table of formatters. */

import type { Formatter, Formatters, Type } from "./model.ts";
import { aliases } from "./types.ts";

/** Formatters in the order in which they are tried: those added last first, then the built-in ones.
 *
 * @example
 * ```ts
 * import { FormatterTable } from "@machpause/machpause/values";
 *
 * const table = new FormatterTable();
 * table.add({ name: "Point", type: "Point", summary: (value) => value.child("x")?.text ?? null });
 * ```
 */
export class FormatterTable implements Formatters {
  readonly #builtIn: readonly Formatter[];
  #added: readonly Formatter[] = [];
  #known = new WeakMap<Type, Formatter | null>();

  /** A table of formatters.
   *
   * @param builtIn formatters that come after those that are added
   */
  constructor(builtIn: readonly Formatter[] = []) {
    this.#builtIn = builtIn;
  }

  /** All, in the order in which they are tried. */
  get all(): readonly Formatter[] {
    return [...this.#added, ...this.#builtIn];
  }

  /** Adds a formatter before all others. It replaces an added one of the same name. */
  add(formatter: Formatter): void {
    this.#added = [formatter, ...this.#added.filter(({ name }) => name !== formatter.name)];
    this.#known = new WeakMap();
  }

  /** Removes an added formatter; returns whether there was one. */
  remove(name: string): boolean {
    const left = this.#added.filter((formatter) => formatter.name !== name);
    const found = left.length < this.#added.length;
    this.#added = left;
    this.#known = new WeakMap();
    return found;
  }

  /** The formatter of a type: of the type itself, then of what its qualifiers and typedefs stand for. */
  find(type: Type): Formatter | null {
    let found = this.#known.get(type);
    if (found === undefined) {
      found = this.#find(type);
      this.#known.set(type, found);
    }
    return found;
  }

  #find(type: Type): Formatter | null {
    for (const alias of aliases(type)) {
      for (const formatter of this.all) {
        if (speaks(formatter, alias) && matches(formatter, alias)) return formatter;
      }
    }
    return null;
  }
}

function speaks({ languages }: Formatter, { language }: Type): boolean {
  return languages === undefined || languages.includes(language);
}

function matches({ type: pattern }: Formatter, type: Type): boolean {
  if (typeof pattern === "function") return pattern(type);
  if (typeof pattern === "string") return pattern === type.name;
  pattern.lastIndex = 0;
  const match = pattern.exec(type.name);
  return match !== null && match[0].length === type.name.length;
}
