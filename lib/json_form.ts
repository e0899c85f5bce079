/** The form of plain objects in JSON, which has no bigints. */
import { hex } from "./hex.ts";

/** Gives a result the form that `JSON.stringify` asks for. It is none of its members: a copy lacks it. */
export function withJson<T extends object>(result: T, form: (result: T) => unknown): T {
  return Object.defineProperty(result, "toJSON", { value: () => form(result), configurable: true });
}

/** Has `JSON.stringify` write the bigints among an object's members as `"0x…"`. */
export function withHex<T extends object>(result: T): T {
  return withJson(result, (all) =>
    Object.fromEntries(
      Object.entries(all).map(([name, value]) => [
        name,
        typeof value === "bigint" ? hex(value) : value,
      ]),
    ));
}
