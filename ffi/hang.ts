/** Hangs: a thread is watched from outside, and each time it makes its user wait, everything is captured.
 *
 * @example
 * ```ts
 * import { attach } from "@machpause/machpause";
 * import { hangs } from "@machpause/machpause/hang";
 *
 * using target = attach("MyApp");
 * for await (const { milliseconds, signature } of hangs(target)) {
 *   console.log(milliseconds, signature.parts);
 * }
 * ```
 *
 * @module
 */
import { type Hang, type HangOptions, hangs as watch } from "../lib/hang/api.ts";
import type { LiveTarget } from "../lib/target/walking.ts";
import { procGlance } from "./glance.ts";

export {
  type Glance,
  type GlanceAt,
  type Hang,
  type HANG_FORMAT,
  type HANG_VERSION,
  type HangClock,
  type HangFrame,
  type HangImage,
  type HangLook,
  type HangOptions,
  type HangThread,
  type HangWait,
  readHang,
  reportOfHang,
  severities,
  type Severity,
  severityFrom,
  severityOf,
  systemClock,
  type TriggerLook,
} from "../lib/hang/api.ts";
export { deadlocks, type ThreadWait, threadWaits } from "../lib/target/locks.ts";

/** Watches a thread of a running target, and gives each hang when it exceeds the limit, as it goes on (each
 * time it is twice as long) and when it has ended. Ends when the target ends or the signal is aborted.
 *
 * A hang is told from the looks alone. Two that have less than a look's period between them are one, and a
 * thread that is busy in short pieces is told when every look finds it busy. The looks are uneven, so that
 * a thread that works in step with them is not.
 *
 * @example
 * ```ts
 * import { attach } from "@machpause/machpause";
 * import { hangs } from "@machpause/machpause/hang";
 *
 * using target = attach("MyApp");
 * for await (const hang of hangs(target, { limit: 500 })) {
 *   console.log(hang.began, hang.milliseconds, hang.signature.parts.join(" ← "));
 * }
 * ```
 * @throws RangeError for a rate or a limit that cannot be kept, or when no thread has that name
 */
export async function* hangs(
  target: LiveTarget,
  options: HangOptions = {},
): AsyncGenerator<Hang, void, undefined> {
  using glance = procGlance(target.arch.name);
  yield* watch(target, { ...glance === undefined ? {} : { glance }, ...options });
}
