import type { CrashWatch } from "../../ffi/crash.ts";
import type { Target } from "../../mod.ts";

/** A target, and what has to end with it. */
export interface Opened extends Disposable {
  readonly target: Pick<Target, keyof Target>;
  /** How the process ended, in words; `undefined` while it runs, and where that is not known. */
  ended?(): Promise<string | undefined>;
  /** The wait for the crash of a program that was launched. */
  readonly crash?: CrashWatch | undefined;
  /** Leaves SIGINT, SIGTERM and SIGHUP to the caller, where they would end this process for the target's sake,
   * until the result is disposed. */
  takeSignals?(): Disposable;
  /** Lets a launched program outlive machpause; there for one that would end with it. */
  keep?(): void;
}

/** Holds a target until the result is disposed.
 *
 * @param after runs when the target has been let go
 */
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
