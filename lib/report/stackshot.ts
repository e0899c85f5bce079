/** The stackshot that a report is, or has in it. */

import { type JsonObject, objectAt } from "./json.ts";

/** The stackshot in a report's JSON, by its table of processes: the report itself, or a part of it, as watchdogd's report of a
 * service has it; `null` for others. */
export function stackshotIn(body: JsonObject | null): JsonObject | null {
  if (body === null) return null;
  const inner = objectAt(body, "stackshot");
  return [body, inner].find((each) => each !== null && objectAt(each, "processByPid") !== null) ??
    null;
}
