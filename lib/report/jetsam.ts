/** Whether a report is about processes that the kernel ended for memory: such reports have no threads. */

import { arrayAt, isObject, numberAt, objectAt, textAt } from "./json.ts";
import type { CrashReport } from "./report.ts";

/** Whether a report lists processes that the kernel ended for memory. */
export function isJetsam({ bugType, body }: Pick<CrashReport, "bugType" | "body">): boolean {
  if (bugType === "298") return true;
  return body !== null && (textAt(body, "largestProcess") !== null ||
    // Stackshots have no zones in it.
    textAt(objectAt(body, "memoryStatus") ?? undefined, "largestZone") !== null ||
    arrayAt(body, "processes").some((process) =>
      isObject(process) && numberAt(process, "rpages") !== null
    ));
}

/** The line of the largest process. */
export function largestOf(text: string): RegExpExecArray | null {
  return /^[ \t]{0,20}Largest process:[ \t]{1,20}(\S.{0,80})$/m.exec(text);
}

/** Whether a report is the text that iOS wrote before its JetsamEvent reports were JSON. */
export function isLowMemory(
  { text, threads, exception, body }: Pick<CrashReport, "text" | "threads" | "exception" | "body">,
): boolean {
  return threads.length === 0 && exception === null && body === null &&
    largestOf(text) !== null && /^[ \t]{0,20}Free pages:/m.test(text);
}
