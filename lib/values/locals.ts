/** Values as ordinary TypeScript values: `locals.account.balance`, `locals.list[3]`. */

import { jsonOf } from "./json.ts";
import type { Value } from "./model.ts";
import { canonical, isPointer, isRecord } from "./types.ts";

/** Number of names that an error lists. */
const MAX_NAMES = 12;

/** Property of an object that gives its {@linkcode Value}. */
export const valueOf: unique symbol = Symbol("value");

// The program's names come before those of the objects here, as `length` and `address`, but for `toJSON`: by that name
// `JSON.stringify` asks each object for what it is to write. A variable or member of that name is in `frame.variables`.

/** A value as TypeScript has it: a number, bigint or boolean; the name of an enumerator; `undefined` where there
 * is none; else an object whose properties are the members or elements. */
export function plain(value: Value): unknown {
  if (value.unavailable !== null) return undefined;
  const type = canonical(value.type);
  const { scalar } = value;
  switch (type.kind) {
    case "base":
    case "unspecified":
      return scalar ?? value.text ?? undefined;
    case "enum":
      return type.enumerators?.some(({ name }) => name === value.text)
        ? value.text
        : scalar ?? undefined;
  }
  return new Proxy(shownAs(() => `${value}`), new ValueHandler(value));
}

/** What a proxy stands before: Deno asks it, not the proxy, how it is shown. */
function shownAs(text: () => string): object {
  return Object.create(null, {
    [Symbol.for("Deno.customInspect")]: { value: text, configurable: true },
  });
}

/** Makes an object of the values with names, the first of each name. */
export function named(values: readonly Value[], what: string): Record<string, unknown> {
  const byName = new Map<string, Value>();
  for (const value of values) if (!byName.has(value.name)) byName.set(value.name, value);
  const text = () => [...byName.values()].map(String).join("\n");
  return new Proxy(shownAs(text), new NamesHandler(byName, what)) as Record<string, unknown>;
}

/** The value behind what {@linkcode plain} gave; `null` for a number or text. */
export function valueBehind(held: unknown): Value | null {
  return typeof held === "object" && held !== null
    ? (held as { [valueOf]?: Value })[valueOf] ?? null
    : null;
}

/** Properties that JavaScript itself asks for, of any object. */
const asked: ReadonlySet<string> = new Set([
  "then",
  "constructor",
  "$$typeof",
  "nodeType",
]);

function unknownName(name: string, names: readonly string[], what: string): TypeError {
  const near = names.find((known) => known.toLowerCase() === name.toLowerCase());
  const shown = names.slice(0, MAX_NAMES).join(", ");
  const more = names.length > MAX_NAMES ? `, and ${names.length - MAX_NAMES} more` : "";
  return new TypeError(
    `there is no ${name} ${what}${near === undefined ? "" : `: do you mean ${near}?`}` +
      (near !== undefined ? "" : names.length === 0 ? ": it has none" : `: it has ${shown}${more}`),
  );
}

/** The variables of a frame. */
class NamesHandler implements ProxyHandler<object> {
  readonly #values: ReadonlyMap<string, Value>;
  readonly #what: string;

  constructor(values: ReadonlyMap<string, Value>, what: string) {
    this.#values = values;
    this.#what = what;
  }

  get(_: object, key: string | symbol): unknown {
    if (typeof key === "symbol") return undefined;
    if (key === "toJSON") {
      return () => Object.fromEntries([...this.#values].map(([name, it]) => [name, jsonOf(it)]));
    }
    const value = this.#values.get(key);
    if (value !== undefined) return plain(value);
    // A script asks frames that have no such variable: `f.locals.account?.id`.
    return undefined;
  }

  set(_: object, key: string | symbol, written: unknown): boolean {
    const value = typeof key === "string" ? this.#values.get(key) : undefined;
    if (value === undefined) throw unknownName(String(key), [...this.#values.keys()], this.#what);
    write(value, written);
    return true;
  }

  has(_: object, key: string | symbol): boolean {
    return typeof key === "string" && this.#values.has(key);
  }

  ownKeys(): string[] {
    return [...this.#values.keys()];
  }

  getOwnPropertyDescriptor(target: object, key: string | symbol): PropertyDescriptor | undefined {
    return this.has(target, key)
      ? { value: this.get(target, key), enumerable: true, configurable: true, writable: true }
      : undefined;
  }
}

function write(value: Value, written: unknown): void {
  if (typeof written === "number" || typeof written === "bigint" || typeof written === "boolean") {
    value.write(written);
    return;
  }
  const { enumerators } = canonical(value.type);
  const named = enumerators?.find(({ name }) => name === written);
  if (named === undefined) {
    throw new TypeError(`${value.name} takes a number, not ${typeof written}`);
  }
  value.write(named.value);
}

/** A struct, an array, a container or a pointer. */
class ValueHandler implements ProxyHandler<object> {
  readonly #value: Value;

  constructor(value: Value) {
    this.#value = value;
  }

  get #isList(): boolean {
    const value = this.#value;
    const { kind } = canonical(value.type);
    return kind === "array" ||
      (!isRecord(canonical(value.type)) || value.summary !== null) && value.childCount > 0 &&
        value.children(0, 1)[0]?.name === "[0]";
  }

  get #names(): string[] {
    return this.#value.children(0, 1 << 12).map(({ name }) => name.replace(/^\[(\d+)\]$/, "$1"));
  }

  #child(key: string): Value | null {
    return this.#value.child(/^\d+$/.test(key) ? `[${key}]` : key);
  }

  get(_: object, key: string | symbol): unknown {
    const value = this.#value;
    if (key === valueOf) return value;
    if (key === Symbol.toPrimitive) {
      return (hint: string) =>
        hint === "string" || value.integer === null
          ? value.summary ?? value.text ?? `${value}`
          : value.integer;
    }
    if (key === Symbol.iterator) return () => this.#iterate();
    if (typeof key === "symbol") return undefined;
    if (key === "toJSON") return () => jsonOf(value);
    const child = this.#child(key);
    if (child !== null) return plain(child);
    switch (key) {
      case "deref":
        if (isPointer(canonical(value.type))) return () => this.#deref();
        break;
      case "address":
        return value.address;
      case "pointer":
        if (isPointer(canonical(value.type))) return value.integer;
        break;
      case "length":
        if (this.#isList) return value.childCount;
        break;
      case "toString":
        return () => `${value}`;
    }
    if (asked.has(key) || this.#isList) return undefined;
    throw unknownName(key, this.#names, `in ${value.name === "" ? value.type.name : value.name}`);
  }

  *#iterate(): Generator<unknown> {
    const value = this.#value;
    const count = value.childCount;
    for (let index = 0; index < count; index++) {
      const [child] = value.children(index, index + 1);
      if (child === undefined) return;
      yield plain(child);
    }
  }

  #deref(): unknown {
    const value = this.#value;
    const target = value.deref();
    if (target === null) throw new TypeError(`${value.name} points to nothing of a known type`);
    if (target.unavailable !== null) throw new TypeError(`${value.name}: ${target.unavailable}`);
    return plain(target);
  }

  set(_: object, key: string | symbol, written: unknown): boolean {
    const child = typeof key === "string" ? this.#child(key) : null;
    if (child === null) throw unknownName(String(key), this.#names, `in ${this.#value.name}`);
    write(child, written);
    return true;
  }

  has(_: object, key: string | symbol): boolean {
    return typeof key === "string" && this.#child(key) !== null;
  }

  ownKeys(): string[] {
    return [...new Set(this.#names.filter((name) => name !== ""))];
  }

  getOwnPropertyDescriptor(target: object, key: string | symbol): PropertyDescriptor | undefined {
    if (typeof key !== "string" || !this.has(target, key)) return undefined;
    return { value: this.get(target, key), enumerable: true, configurable: true, writable: true };
  }
}
