/** The page of a hang: every thread when the limit was exceeded, who waits for whom, and what was seen of
 * the thread over the whole hang. */
import {
  describeHang,
  type Hang,
  type HangCounts,
  threadTitle,
  waitLines,
} from "../../lib/hang/mod.ts";
import { dateText, type PageHead, pageOfStacks, type PageTrack, type Readable } from "./data.ts";
import type { StacksJson } from "./data.ts";
import { pageHtml } from "./write.ts";

/** A hang as what {@linkcode pageOfStacks} takes. */
export interface HangParts {
  readonly tasks: readonly StacksJson[];
  readonly head: PageHead;
  readonly tracks: readonly PageTrack[];
}

/** A hang in the parts of a page.
 *
 * @param facts further ones, such as how often it came
 */
export function hangParts(
  hang: Hang,
  facts: readonly (readonly [string, string])[] = [],
): HangParts {
  const { target, threads, looks, stacks, period, began, milliseconds } = hang;
  const title = threadTitle(hang, hang.thread);
  // Its threads and images have the form of `bt --json`.
  const task = hang as unknown as StacksJson;
  return {
    tasks: [{
      ...task,
      threads: task.threads.map((thread, index) => ({ ...thread, hung: index === hang.thread })),
    }],
    head: {
      title: target.name,
      subtitle: describeHang(hang),
      facts: [
        ["Thread", title],
        ["Lasted", `${milliseconds} ms`],
        ["Began", dateText(Date.parse(began))],
        ["Pid", `${target.pid ?? ""}`],
        ["Architecture", target.arch],
        ["Threads", `${threads.length}`],
        ["Signature", hang.signature.id],
        ...facts,
      ],
      notes: waitLines(hang),
    },
    tracks: [{
      name: title,
      about: "",
      interval: period,
      looks: looks.flatMap(({ at, looks: count, running, stack }, index) => {
        const frames = (stack === null ? undefined : stacks[stack]) ?? [];
        // Looks that found the same are written once.
        const step = ((looks[index + 1]?.at ?? at + count * period) - at) / Math.max(1, count);
        return Array.from(
          { length: Math.min(count, MAX_LOOKS) },
          (_, row) => ({ at: at + row * step, running, frames }),
        );
      }),
    }],
  };
}

/** Maximum number of looks in a row that are drawn one by one. */
const MAX_LOOKS = 10_000;

/** The page of a hang that came so often. */
export function hangHtml(hang: Hang, counts: HangCounts, readable: Readable): string {
  const { tasks, head, tracks } = hangParts(hang, [
    ["Times", `${counts.count}, first ${counts.first}`],
  ]);
  return pageHtml(pageOfStacks(tasks, head, readable, { tracks }));
}
