/** The functions, inlined calls and blocks around an address, and the variables declared in them. */

import { AT, type Entry, type EntryReader, type Ranges, TAG } from "../dwarf/variables.ts";
import { guarded } from "./dwarf_types.ts";

/** A function, a call inlined into it, or a block of it. */
export interface Scope {
  readonly kind: "function" | "inlined" | "block";
  readonly entry: Entry;
  /** `null` for all of the scope around it. */
  readonly ranges: Ranges | null;
  readonly parent: Scope | null;
  readonly children: Scope[];
  /** Variables and parameters, in their order. */
  readonly variables: Entry[];
}

/** A function as its entries describe it. */
export interface FunctionScopes {
  readonly root: Scope;
  /** All inlined calls, outer ones before those in them. */
  readonly inlined: readonly Scope[];
  /** The calls that it makes. */
  readonly calls: readonly Entry[];
}

/** Maximum number of scopes, variables and calls of one function. */
const MAX_PARTS = 1 << 16;
/** Maximum number of functions kept for an image. */
const MAX_FUNCTIONS = 1 << 10;

/** Reads the scopes of an image's functions, and keeps them. */
export class ScopeReader {
  readonly #entries: EntryReader;
  readonly #known = new Map<number, FunctionScopes | null>();

  constructor(entries: EntryReader) {
    this.#entries = entries;
  }

  /** The scopes of the function whose entry is at a place; `null` when they cannot be read. */
  at(place: number): FunctionScopes | null {
    let found = this.#known.get(place);
    if (found === undefined) {
      found = guarded(() => this.#read(place), null);
      if (this.#known.size >= MAX_FUNCTIONS) this.#known.clear();
      this.#known.set(place, found);
    }
    return found;
  }

  #read(place: number): FunctionScopes | null {
    const entry = this.#entries.at(place);
    if (entry === null) return null;
    const make = (kind: Scope["kind"], entry: Entry, parent: Scope | null): Scope => ({
      kind,
      entry,
      ranges: guarded(() => entry.ranges, null),
      parent,
      children: [],
      variables: [],
    });
    const root = make("function", entry, null);
    /** The scope of the entries at each depth; `null` below what has no variables of the function. */
    const open: Scope[] = [root, root];
    const inlined: Scope[] = [];
    const calls: Entry[] = [];
    let count = 0;
    const isScope = ({ tag }: Entry) => tag === TAG.lexical_block || tag === TAG.inlined_subroutine;
    for (const [child, depth] of this.#entries.walk(entry, isScope)) {
      const around = open[depth] ?? root;
      if (++count > MAX_PARTS) break;
      switch (child.tag) {
        case TAG.formal_parameter:
        case TAG.variable:
        case TAG.constant:
          around.variables.push(child);
          break;
        case TAG.call_site:
        case TAG.GNU_call_site:
          calls.push(child);
          break;
        case TAG.lexical_block:
        case TAG.inlined_subroutine: {
          const kind = child.tag === TAG.lexical_block ? "block" : "inlined";
          const scope = make(kind, child, around);
          around.children.push(scope);
          if (kind === "inlined") inlined.push(scope);
          open[depth + 1] = scope;
        }
      }
    }
    return { root, inlined, calls };
  }
}

/** Whether a scope has code at an offset. */
export function holds({ ranges }: Scope, offset: number): boolean {
  if (ranges === null) return false;
  for (let index = 0; index < ranges.count; index++) {
    if (ranges.low[index] <= offset && offset < ranges.high[index]) return true;
  }
  return false;
}

/** The blocks of a function or an inlined call around an offset, innermost first, and the scope itself last.
 *
 * @param level 0 for the innermost inlined call at the offset, 1 for what it is inlined into, and so on;
 * the function itself is the last; -1 for the function
 */
export function blocksAt(
  { root, inlined }: FunctionScopes,
  offset: number,
  level: number,
): Scope[] {
  const innermost = inlined.findLast((scope) => holds(scope, offset)) ?? root;
  // The chain of calls, innermost first, with the scope in each that holds the next inner one.
  const chain: { readonly scope: Scope; readonly from: Scope }[] = [];
  let from = deepest(innermost, offset);
  for (let scope: Scope | null = from; scope !== null; scope = scope.parent) {
    if (scope.kind === "block") continue;
    chain.push({ scope, from });
    from = scope.parent ?? scope;
  }
  const chosen = level < 0 ? chain.at(-1) : chain[Math.min(level, chain.length - 1)];
  const blocks: Scope[] = [];
  if (chosen === undefined) return blocks;
  for (let scope: Scope | null = chosen.from; scope !== null; scope = scope.parent) {
    blocks.push(scope);
    if (scope === chosen.scope) break;
  }
  return blocks;
}

/** The innermost block of a scope that holds an offset. */
function deepest(scope: Scope, offset: number): Scope {
  const inner = scope.children.findLast((child) => child.kind === "block" && holds(child, offset));
  return inner === undefined ? scope : deepest(inner, offset);
}

/** The entry that describes a variable, a function or a call abstractly: its origin, or itself. */
export function originOf(entry: Entry): Entry {
  let at = entry;
  for (let step = 0; step < 16; step++) {
    const next = guarded(
      () => at.referenced(AT.abstract_origin) ?? at.referenced(AT.specification),
      null,
    );
    if (next === null) return at;
    at = next;
  }
  return at;
}
