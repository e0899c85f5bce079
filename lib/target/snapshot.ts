import type { LoadedImage } from "../macho/mod.ts";
import type { Target } from "./target.ts";
import type { Thread } from "./thread.ts";

/** Every thread's registers and stack at one moment. Its threads can be unwound at leisure: the
 * target runs.
 *
 * @example
 * ```ts
 * import { attachSelf } from "@machpause/machpause";
 *
 * console.log(attachSelf().snapshot().mainThread.backtrace().join("\n"));
 * ```
 */
export class Snapshot {
  /** What it is of. */
  readonly target: Target;
  /** The main thread first. */
  readonly threads: readonly Thread[];
  /** As they were then. */
  readonly images: readonly LoadedImage[];
  /** How long the target was stopped. */
  readonly stoppedMicroseconds: number;

  /** What was captured of a target.
   *
   * @param threads the main thread first
   * @ignore
   */
  constructor(
    target: Target,
    threads: readonly Thread[],
    images: readonly LoadedImage[],
    stoppedMicroseconds: number,
  ) {
    this.target = target;
    this.threads = threads;
    this.images = images;
    this.stoppedMicroseconds = stoppedMicroseconds;
  }

  /** The thread that the process began with. */
  get mainThread(): Thread {
    return this.threads[0];
  }

  /** On one line. */
  toString(): string {
    return `${this.target}: ${this.threads.length} threads, stopped for ${this.stoppedMicroseconds} µs`;
  }

  /** As {@linkcode toString}. */
  [Symbol.for("Deno.customInspect")](): string {
    return this.toString();
  }

  /** The form of `bt --json`. */
  toJSON(): Record<string, unknown> {
    return {
      target: this.target.toJSON(),
      pausedMicroseconds: this.stoppedMicroseconds,
      images: this.images,
      threads: this.threads.map((thread) => {
        const frames = thread.backtrace();
        return { ...thread.toJSON(), frames, stopped: frames.stopped };
      }),
    };
  }
}
