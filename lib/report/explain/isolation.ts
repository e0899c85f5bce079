/** Who ran code of an actor where the actor's executor does not: Swift, stdlib/public/Concurrency/Actor.cpp,
 * swift_task_isCurrentExecutor, and docs of the isolation of closures, SE-0423. */

import { titleOf } from "../images.ts";
import { known, wrongExecutor } from "../knowledge/mod.ts";
import type { ReportFrame } from "../report.ts";
import { isMainThread } from "./hang.ts";
import { readableName } from "./names.ts";
import { frameOwner, functionOf, isUnnamed } from "./stack.ts";
import type { Crash, Story } from "./story.ts";
import { sentence, threadWords } from "./words.ts";

/** Functions by which code asks whether it runs where it must. */
const asks =
  /^_?(?:swift_task_(?:checkIsolated|isCurrentExecutor|reportUnexpectedExecutor)|checkExpectedExecutor|_?dispatch_assert_queue|swift_Concurrency_fatalError|SerialExecutor\.checkIsolated|(?:closure #1 \(.{0,100}\) .{0,100} in )?assertionFailure)|(?:^|\b(?:static )?(?:MainActor|GlobalActor|Actor)\.)(?:assumeIsolated|preconditionIsolated)\b/;
/** Those of them that the program calls in so many words. */
const asserts = /\b(?:assumeIsolated|preconditionIsolated)\b/;
/** Functions that only stand between a caller and what it calls. */
const between = /\bthunk for |^reabstraction thunk|^partial apply|^@objc |^<deduplicated_symbol>$/;
/** Functions that begin the work of a Swift task. */
const beginsTask =
  /^(?:swift::)?(?:completeTask|runJobInEstablishedExecutorContext|swift_job_run)|^swift_task_/;

/** Frames in which those functions are looked for. */
const DEPTH = 16;

/** Tells whose function an actor's check stopped, who had called it, and on which thread; chooses the causes by that: only
 * what a library of the system called back is a callback. */
export function tellIsolation({ crashed, stack, reading }: Crash, story: Story): void {
  const row = story.rows.findIndex(({ meaning }) => meaning === wrongExecutor);
  if (row < 0 || crashed === null) return;
  const near = stack.slice(reading.first, reading.first + DEPTH);
  const last = near.findLastIndex(({ symbol }) => asks.test(nameOf(symbol)));
  const from = reading.first + last + 1;
  const entered = stack[from];
  if (last < 0 || entered === undefined || isUnnamed(entered) || isOfSystem(entered)) return;
  const isAsserted = near.some(({ symbol }) => asserts.test(nameOf(symbol)));
  const outer = stack.slice(from + 1);
  const caller = outer.find(({ symbol }) => symbol === null || !between.test(nameOf(symbol)));
  const isBack = caller !== undefined && isOfSystem(caller);
  const isCalled = caller !== undefined && !isBack && !isUnnamed(caller) &&
    !beginsTask.test(nameOf(caller.symbol));
  const key = isAsserted
    ? "an isolation that the program asserts off its actor"
    : isBack && !isMainThread(crashed)
    ? null
    : /^protocol witness for /.test(nameOf(entered.symbol))
    ? "an isolated witness called off its actor"
    : "an isolated function called off its actor";
  if (key !== null) {
    const { causes, next } = known("message", key)!;
    story.rows[row] = { ...story.rows[row], causes, next };
  }
  const by = isCalled || isBack ? `, called by ${placed(caller!)}` : "";
  story.tell(
    sentence(
      `${isAsserted ? "It was asserted in" : "The check is that at the beginning of"} ${
        placed(entered)
      }${by}, on ${threadWords(crashed)}`,
    ),
  );
}

function nameOf(symbol: string | null): string {
  return symbol === null ? "" : readableName(symbol);
}

/** Whether a library of the system called the program; what runs tasks only goes on with them. */
function isOfSystem(frame: ReportFrame): boolean {
  const symbol = functionOf(frame, null);
  return frameOwner(frame, symbol) === "system" ||
    /^lib(?:dispatch|system_|swiftDispatch)/.test(titleOf(frame));
}

/** A function with its image, and its place in the source. */
function placed(frame: ReportFrame): string {
  const title = titleOf(frame);
  const isWritten = frame.file !== null && frame.line !== null && !frame.file.includes("<compiler");
  const where = [
    ...title === "" ? [] : [title],
    ...isWritten ? [`${frame.file!.split("/").at(-1)}:${frame.line}`] : [],
  ].join(", ");
  const name = frame.symbol === null || isUnnamed(frame)
    ? `0x${frame.address.toString(16)}`
    : nameOf(frame.symbol);
  return where === "" ? name : `${name} (${where})`;
}
