/** The frames that are shown of a thread. */
import type { Frame, StopReason, Thread } from "../mod.ts";

/** The frames of a thread as they are shown, inlined calls among them.
 *
 * @param limit so many at most
 */
export function shownFrames(
  thread: Thread,
  limit?: number,
): { frames: readonly Frame[]; stopped: StopReason } {
  const walked = thread.backtrace(limit === undefined ? {} : { limit });
  const { expanded } = walked;
  return limit === undefined || expanded.length <= limit
    ? { frames: expanded, stopped: walked.stopped }
    : { frames: expanded.slice(0, limit), stopped: "limit" };
}
