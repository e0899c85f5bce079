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
