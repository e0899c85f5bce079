/** Where the last stack of a call tree ends, of which a copy may have lost a part. */

import { titleOf } from "../images.ts";
import type { CrashReport, ReportThread } from "../report.ts";
import { samplesOf, trunkOf } from "./hang.ts";

/** What `sample` prints after its call trees. */
export const afterTrees =
  /^[ \t>]{0,12}(?:Total number in stack|Sort by top of stack|Binary Images)/m;

/** Whether the last stack of a copy of a `sample` ends in a function that may have called another one: nothing follows it. */
export function mayBeCut(report: CrashReport, thread: ReportThread): boolean {
  return report.format === "sample" && thread === report.threads.at(-1) &&
    endsInMost(thread) && !endsInKernel(thread) && !afterTrees.test(report.text);
}

/** Whether the last function of a call tree, of which a copy may have lost what it called, has most of the samples. */
export function endsInMost(thread: ReportThread): boolean {
  let last = thread.tree.at(-1);
  while (last !== undefined && last.children.length > 0) last = last.children.at(-1);
  return last === undefined || last.count * 2 > samplesOf(thread);
}

/** Whether all samples of a thread end in a call of the kernel, which is the innermost function that a call tree has of a
 * process. */
export function endsInKernel(thread: ReportThread): boolean {
  const last = trunkOf(thread)[0];
  return last !== undefined && last.symbol !== null && titleOf(last).startsWith("libsystem_kernel");
}
