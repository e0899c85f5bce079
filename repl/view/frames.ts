/** The frames that are shown of a thread. */
import type { Frame, StopReason, Thread } from "../../mod.ts";

/** The frames of a thread as they are shown, inlined calls among them. */
export interface ShownFrames {
  readonly frames: readonly Frame[];
  readonly stopped: StopReason;
}

/** The frames of a thread.
 *
 * @param limit maximum number
 * @param scan whether the stack is scanned where nothing else finds a caller
 */
export function shownFrames(thread: Thread, limit?: number, scan = false): ShownFrames {
  return walkFrames(thread, limit, scan)();
}

/** Unwinds a thread's stack and reads its symbols. The function that it returns reads the debug
 * information; meanwhile the target may run. */
export function walkFrames(thread: Thread, limit?: number, scan = false): () => ShownFrames {
  const walked = thread.backtrace(limit === undefined ? { scan } : { limit, scan });
  for (const frame of walked.activations) void frame.symbol;
  return () => {
    const { stopped } = walked;
    return limit === undefined || walked.length <= limit
      ? { frames: [...walked], stopped }
      : { frames: walked.slice(0, limit), stopped: "limit" };
  };
}
