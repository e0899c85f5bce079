/** What code typed at the prompt finds in the global scope. */
import { Target } from "../../mod.ts";
import { archs } from "../../lib/arch/mod.ts";
import { defineCommand } from "../commands/mod.ts";
import { registerNamed } from "../commands/values.ts";
import { UserError } from "../errors.ts";
import { exposeApi } from "./api.ts";
import { tameConsole } from "./console.ts";
import type { sessionGlobals } from "./global_names.ts";
import type { Session } from "./session.ts";

/** `$pc`, `$rax` and the other registers of all architectures. */
const registerGlobals: ReadonlySet<string> = new Set(
  Object.values(archs).flatMap(({ threadState }) => [
    ...threadState.registers.map(({ name }) => `$${name}`),
    ...["$pc", "$sp", "$fp", "$lr"],
  ]),
);

/** The value of a register in the selected frame.
 *
 * @throws UserError where the target has no such register
 */
function registerValue(session: Session, name: string): bigint | undefined {
  const { arch } = session.target;
  const roles: readonly string[] = ["pc", "sp", "fp", ...arch.lr === null ? [] : ["lr"]];
  const known = roles.includes(name) ||
    arch.threadState.registers.some((register) => register.name === name);
  if (!known) throw new UserError(`${arch.name} has no register ${name}`);
  return registerNamed(session, name);
}

/** Puts the API, the session's target, threads, thread and frame, and what an embedding program adds
 * into the global scope.
 *
 * @returns takes all of it out again
 */
export function exposeGlobals(
  session: Session,
  context: Readonly<Record<string, unknown>>,
): () => void {
  const before = Object.getOwnPropertyDescriptors(globalThis) as Record<string, PropertyDescriptor>;
  exposeApi();
  const getters: Readonly<Record<typeof sessionGlobals[number], () => unknown>> = {
    target: () => session.maybeTarget,
    threads: () => session.threads(),
    thread: () => session.thread,
    frame: () => session.frame,
  };
  for (const [name, get] of Object.entries(getters)) {
    const set = name === "target"
      ? (value: unknown) => {
        if (!(value instanceof Target)) throw new TypeError("a target is what attach() returns");
        session.adopt(value);
      }
      : undefined;
    Object.defineProperty(globalThis, name, { get, set, configurable: true, enumerable: false });
  }
  for (const name of registerGlobals) {
    Object.defineProperty(globalThis, name, {
      get: () => registerValue(session, name.slice(1)),
      // A variable of the user's with such a name replaces it from then on.
      set: (value: unknown) =>
        void Object.defineProperty(globalThis, name, {
          value,
          writable: true,
          configurable: true,
          enumerable: false,
        }),
      configurable: true,
      enumerable: false,
    });
  }
  for (const [name, value] of Object.entries({ defineCommand, ...context })) {
    Object.defineProperty(globalThis, name, { value, writable: true, configurable: true });
  }
  const restoreConsole = tameConsole((text, complains) => session.out(text, complains));
  return () => {
    restoreConsole();
    for (const name of Object.getOwnPropertyNames(globalThis)) {
      if (!Object.getOwnPropertyDescriptor(globalThis, name)!.configurable) continue;
      const descriptor = before[name];
      if (descriptor === undefined) delete (globalThis as Record<string, unknown>)[name];
      else if (descriptor.configurable) Object.defineProperty(globalThis, name, descriptor);
    }
  };
}
