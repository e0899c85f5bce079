/** Locks that a library of the system has in its own objects: what libplatform finds wrong with them is not what the
 * program locked. */

import { isSystemFrame, titleOf } from "../images.ts";
import { known } from "../knowledge/mod.ts";
import type { ReportFrame } from "../report.ts";
import { frameTitle, functionOf } from "./stack.ts";
import type { Crash, Story } from "./story.ts";

/** Rows of locks that are used wrongly, by whoever locks or unlocks. */
const unlocked = /^(?:Unlock of an os_unfair_lock |_os_unfair_lock_unowned_abort)/;
const again = /^(?:Trying to recursively lock an os_unfair_lock|_?os_unfair_lock_recursive_abort)/;

/** Messages of malloc, which it stops the process by. */
const ofHeap = /^(?:A freed block was |A pointer was freed |malloc )/;

/** The row for a library's own lock that was unlocked. */
export const ownLock = "lock of a library's own";

/** Functions that lock and unlock for whoever calls them. */
const forOthers = /lock|mutex|synchron|objc_sync|semaphore/i;

/** Gives the causes of a library's own lock where it is one that took or gave it up. */
export function tellLock({ stack, reading }: Crash, story: Story): void {
  const { rows } = story;
  // malloc that stops for its damaged heap holds its lock: the handler of the signal asks it for memory then.
  const met = rows.findIndex((row) => again.test(row.key));
  if (met > 0 && rows.slice(0, met).some(({ meaning }) => ofHeap.test(meaning))) {
    rows[met] = { ...rows[met], causes: [], next: "" };
    return;
  }
  const key = rows.some((row) => unlocked.test(row.key))
    ? ownLock
    : rows.some((row) => again.test(row.key))
    ? "lock of a library's own, again"
    : null;
  const frame = key === null ? null : userOf(stack, reading.first);
  if (key === null || frame === null) return;
  const row = known("message", key)!;
  for (const [at, other] of rows.entries()) {
    if (unlocked.test(other.key) || again.test(other.key)) {
      rows[at] = { ...other, causes: row.causes, next: row.next };
    }
  }
  story.tell(
    `What ${key === ownLock ? "unlocked" : "locked"} it was ${frameTitle(frame)}. ${row.meaning}`,
  );
}

/** The function of the system that used a lock for itself; `null` where it did so for the program, or its name is not known. */
function userOf(stack: readonly ReportFrame[], first: number): ReportFrame | null {
  for (let at = first; at < stack.length; at++) {
    const frame = stack[at];
    if (!isSystemFrame(frame)) return null;
    if (/^libsystem_(?:platform|pthread|kernel)\.dylib$/.test(titleOf(frame))) continue;
    const symbol = functionOf(frame, stack[at - 1] ?? null);
    if (symbol === null) return null;
    if (!forOthers.test(symbol)) return frame;
  }
  return null;
}
