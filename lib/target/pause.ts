/** Keeps a target from running while it lives.
 *
 * @example
 * ```ts
 * import { attach } from "@machpause/machpause";
 *
 * using target = attach("MyApp");
 * {
 *   using _pause = target.pause();
 *   for (const thread of target.threads) console.log(thread.backtrace().join("\n"));
 * } // runs again from here on
 * ```
 */
export class Pause implements Disposable {
  #release: (() => void) | undefined;
  readonly #began: number;
  #microseconds: number | undefined;

  /** A pause that holds until it is resumed.
   *
   * @param release is called once
   * @param began when the target was asked to stop, by `performance.now()`
   * @ignore
   */
  constructor(release: () => void, began: number = performance.now()) {
    this.#release = release;
    this.#began = began;
  }

  /** How long it has lasted, or lasted: from before the first thread was asked to stop until the last
   * one ran again. */
  get pausedMicroseconds(): number {
    return this.#microseconds ?? Math.round((performance.now() - this.#began) * 1000);
  }

  /** Whether it still holds the target. */
  get active(): boolean {
    return this.#release !== undefined;
  }

  /** As in `paused for 1093 µs`. */
  toString(): string {
    return `${this.active ? "paused for" : "a pause of"} ${this.pausedMicroseconds} µs`;
  }

  /** As {@linkcode toString}. */
  [Symbol.for("Deno.customInspect")](): string {
    return this.toString();
  }

  /** Ends this pause. The target runs when no other pause holds it. A second call does nothing. */
  resume(): void {
    const release = this.#release;
    if (release === undefined) return;
    this.#release = undefined;
    try {
      release();
    } finally {
      this.#microseconds = this.pausedMicroseconds;
    }
  }

  /** Ends this pause. */
  [Symbol.dispose](): void {
    this.resume();
  }
}
