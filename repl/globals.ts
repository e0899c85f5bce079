/** What code typed at the prompt finds in the global scope. */
import { Target } from "../mod.ts";
import { exposeApi } from "./api.ts";
import { defineCommand } from "./commands/mod.ts";
import type { Session } from "./session.ts";

/** Puts the API, the target and what is selected of it into the global scope, for code to use. */
export function exposeGlobals(session: Session): void {
  exposeApi();
  const getters: Readonly<Record<string, () => unknown>> = {
    target: () => session.maybeTarget,
    threads: () => session.threads(),
    thread: () => session.thread,
    frame: () => session.frame,
  };
  for (const [name, get] of Object.entries(getters)) {
    const set = name === "target"
      ? (value: unknown) => {
        if (!(value instanceof Target)) throw new TypeError("a target is what attach() gives");
        session.adopt(value);
      }
      : undefined;
    Object.defineProperty(globalThis, name, { get, set, configurable: true, enumerable: false });
  }
  for (const [name, value] of Object.entries({ defineCommand })) {
    Object.defineProperty(globalThis, name, { value, writable: true, configurable: true });
  }
}
