import * as api from "../../mod.ts";

/** Puts the API into the global scope. The names are defined and not assigned, since the global `self`
 * cannot be assigned to. */
export function exposeApi(): void {
  for (const [name, value] of Object.entries(api)) {
    Object.defineProperty(globalThis, name, { value, writable: true, configurable: true });
  }
}
