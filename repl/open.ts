/** From what a person calls a target to the target. */
import type { Target } from "../mod.ts";
import { UserError } from "./errors.ts";

/** A target, and what else has to end with it. */
export interface Opened extends Disposable {
  readonly target: Pick<Target, keyof Target>;
}

/** Holds a target until it is disposed. */
export function held(target: Pick<Target, keyof Target>, after?: () => void): Opened {
  return {
    target,
    [Symbol.dispose]() {
      try {
        target[Symbol.dispose]();
      } finally {
        after?.();
      }
    },
  };
}

/** Opens `demo`, `self`, `pid:N`, a bare pid, or a process name.
 *
 * @throws UserError when `spec` is none of these
 */
export async function openTarget(spec: string): Promise<Opened> {
  if (spec === "demo") return await (await import("./demo.ts")).openDemo();
  if (spec.startsWith("core:")) {
    throw new UserError("cores cannot be opened yet: name a pid, a process, `demo` or `self`", 2);
  }
  const { attach, self } = await import("../mod.ts");
  if (spec === "self") return held(self());
  const pid = /^(?:pid:)?(\d+)$/.exec(spec)?.[1];
  if (pid === undefined && spec.startsWith("pid:")) {
    throw new UserError(`${spec} is not a pid: write it as in pid:123`, 2);
  }
  return held(await attach(pid === undefined ? spec : Number(pid)));
}
