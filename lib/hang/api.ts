/** What users of hangs need; `ffi/hang.ts` is the face.
 *
 * @module
 */
export {
  type Hang,
  HANG_FORMAT,
  HANG_VERSION,
  type HangFrame,
  type HangImage,
  type HangLook,
  type HangThread,
  type HangWait,
  severities,
  type Severity,
  severityFrom,
  severityOf,
} from "./hang.ts";
export { readHang, reportOfHang } from "./report.ts";
export {
  defaultLimit,
  defaultRate,
  type Glance,
  type GlanceAt,
  type HangClock,
  type HangOptions,
  hangs,
  systemClock,
  type TriggerLook,
} from "./watch.ts";
