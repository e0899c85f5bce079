/** Stopping code that keeps this thread busy. A thread that is not, the keyboard's, sets a flag in shared
 * memory; code that is typed at the prompt looks at it in every loop and function. V8 itself can be told to
 * terminate code only through its inspector, which Deno offers as a network service alone. */

/** The cells of the shared memory. */
export const cells = {
  /** The number of the run that is going on; 0 between runs. */
  run: 0,
  /** Not 0 when code is to stop. */
  stop: 1,
  /** The last run in which Ctrl-C was pressed. */
  interrupted: 4,
  /** How many Ctrl-C and Ctrl-\ the main thread has seen. */
  heard: 2,
  /** The pid of a process that must not outlive this one; 0 for none. */
  child: 3,
  /** How many reads of the keyboard the main thread has dealt with. */
  taken: 5,
} as const;

/** The shared memory. */
export const shared: Int32Array<SharedArrayBuffer> = new Int32Array(
  new SharedArrayBuffer(4 * Object.keys(cells).length),
);

/** The code was stopped by Ctrl-C. */
export class InterruptedError extends Error {
  override readonly name = "InterruptedError";

  constructor() {
    super("interrupted");
  }
}

/** Lets code run again. */
export function clearStop(): void {
  Atomics.store(shared, cells.stop, 0);
}

/** @throws InterruptedError when Ctrl-C was pressed */
export function checkStop(): void {
  if (Atomics.load(shared, cells.stop) !== 0) throw new InterruptedError();
}
