/** Long work on the main thread that signals can end. */
import type { DwarfUnit } from "../../dwarf/mod.ts";

/** The event loop runs this often, in milliseconds: a signal must be able to end the work. */
const PAUSE = 100;
/** The size of the largest unit that the main thread reads: it takes about half a second, in which no signal is
 * heard. */
const MAX_UNIT = 16 << 20;

/** Whether the main thread may read a unit; others are for a worker. */
export function isSmall({ size }: DwarfUnit): boolean {
  return size <= MAX_UNIT;
}

/** Makes a function that lets the event loop run now and then, and throws when the work was aborted. */
export function pauses(signal: AbortSignal | undefined): () => Promise<void> {
  let last = performance.now();
  return async () => {
    if (performance.now() - last < PAUSE) return;
    await new Promise((resolve) => setTimeout(resolve));
    signal?.throwIfAborted();
    last = performance.now();
  };
}
