import * as api from "../../mod.ts";

/** Puts the API into the global scope. The names are defined, not assigned: an assignment to a global that
 * cannot be written would be lost. */
export function exposeApi(): void {
  for (const [name, value] of Object.entries(api)) {
    Object.defineProperty(globalThis, name, { value, writable: true, configurable: true });
  }
}
