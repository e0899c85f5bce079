/** Waiting for a time of this process's clock. */

/** Waits until a time of `performance.now()`, or until the signal is aborted. */
export function until(time: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", done);
      resolve();
    };
    // A timer takes whole milliseconds and cuts the rest off.
    const timer = setTimeout(done, Math.max(0, Math.ceil(time - performance.now())));
    signal?.addEventListener("abort", done);
    if (signal?.aborted) done();
  });
}

let cell: Int32Array<SharedArrayBuffer> | undefined;

/** Waits for some milliseconds. Unlike a timer this does not keep the event loop from ending, and takes nothing but the
 * engine: of Deno, the first timer loads what implements those of Node.js, which takes 5 ms of a processor. */
export async function pause(milliseconds: number): Promise<void> {
  cell ??= new Int32Array(new SharedArrayBuffer(4));
  await Atomics.waitAsync(cell, 0, 0, milliseconds).value;
}
