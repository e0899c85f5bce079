import * as api from "../../mod.ts";

/** Puts the API into the global scope. By definition, not by assignment: `self` is there already, and
 * assigning to it does nothing. */
export function exposeApi(): void {
  for (const [name, value] of Object.entries(api)) {
    Object.defineProperty(globalThis, name, { value, writable: true, configurable: true });
  }
}
