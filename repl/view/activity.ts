/** What threads do over some time, as lines and as JSON. */
import { escape, safe, type SafeText } from "../../lib/escape.ts";
import { standstill } from "../../ffi/procfs.ts";
import {
  type BusyStack,
  busyStacks,
  byShare,
  type Change,
  compareLooks,
  crowds,
  type Look,
  lookAt,
  ownFunctions,
  type Running,
  stuckThreads,
  threadNames,
} from "../../lib/target/activity.ts";
import { isInWait, waitingOf } from "../../lib/hang/idle.ts";
import { deadlocks, type ThreadWait, threadWaits } from "../../lib/target/locks.ts";
import { interestingFrame, isOfLibrary } from "../../lib/target/stacks.ts";
import type { LiveTarget, StackNode, Target, Thread } from "../../mod.ts";
import { UserError } from "../errors.ts";
import type { Style } from "./style.ts";
import { elide } from "./short_name.ts";
import { count, cut, join, padEnd, padStart, wrapped } from "./text.ts";

/** What is needed of a target. */
type Watched = Pick<Target, keyof Target>;

/** How an answer is made. */
export interface WatchOptions {
  /** How long the target is looked at. */
  readonly seconds: number;
  readonly style: Style;
  /** Of the screen. */
  readonly columns: number;
  readonly signal: AbortSignal;
}

/** An answer, for people and for programs. */
export interface Answer {
  readonly lines: SafeText[];
  readonly json: unknown;
}

/** What can be asked. */
export type Question = "top" | "hang" | "compare" | "census" | "deadlock";

/** How long each question looks, in seconds; 0 for a single look. */
export const usualSeconds: Readonly<Record<Question, number>> = {
  top: 1,
  hang: 1,
  compare: 0.5,
  census: 0,
  deadlock: 0,
};

/** How often `top` looks, in milliseconds. */
const topInterval = 10;
/** Stacks that ran less are not shown. */
const leastShare = 0.05;

/** Functions as `leaf ← caller ×200 ← …`. */
function chain(
  functions: readonly string[],
  columns: number,
  name: (raw: string) => string,
): SafeText {
  if (functions.length === 0) return safe`no names`;
  const parts: { readonly name: string; times: number }[] = [];
  for (const raw of functions) {
    const last = parts.at(-1);
    if (last?.name === raw) last.times++;
    else parts.push({ name: raw, times: 1 });
  }
  const shown = parts.map(({ name: raw, times }) => {
    const text = escape(columns === Infinity ? name(raw) : elide(elide(name(raw), "<"), "("));
    return times === 1 ? text : safe`${text} ×${times}`;
  });
  return cut(join(shown, " ← "), columns);
}

/** Sleeps, unless it was given up. */
function wait(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, milliseconds);
    function done() {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    }
    signal.addEventListener("abort", done);
    if (signal.aborted) done();
  });
}

/** @param before the look before; none for the first */
function snapshotOf(target: Watched, before?: Look): Look {
  const { threads } = target.kind === "core" ? target : target.snapshot();
  return lookAt(threads, running(target, before));
}

/** How threads that run are told. */
function running(target: Watched, before: Look = new Map()): Running {
  return { ...target.kind === "remote" ? { before } : {}, waits: isInWait };
}

/** @throws UserError for a target that does not run */
function checkRuns(target: Watched, what: Question): void {
  if (target.kind === "core") {
    throw new UserError(`a core does not run: \`${what}\` needs a process`);
  }
  if (target.paused) throw new UserError(`the target is paused: \`resume\` it, then \`${what}\``);
  const { kind, pid } = target;
  if (kind !== "live" || pid === null || standstill(pid)?.tracer !== null) return;
  throw new UserError(
    `the target is stopped by a signal: \`kill -CONT ${pid}\` lets it run on, then \`${what}\``,
  );
}

/** The stacks on the processors, by samples of a process of this machine: they tell a thread that runs from one that only
 * wants to, as one does on a busy machine that a look has woken. */
async function sampledStacks(
  target: LiveTarget,
  { seconds, signal }: Pick<WatchOptions, "seconds" | "signal">,
): Promise<{ readonly found: readonly BusyStack[]; readonly looks: number }> {
  const names = threadNames(target.snapshot().threads);
  const counts = new Map<string, { name: string; functions: readonly string[]; weight: number }>();
  const keys = new Map<StackNode | null, readonly string[]>();
  let looks = 0;
  const rate = 1000 / topInterval;
  for await (const { threads } of target.samples({ rate, duration: seconds, signal })) {
    looks++;
    for (const thread of threads) {
      const { id, stack, weight, isMain } = thread;
      let functions = keys.get(stack);
      if (functions === undefined) {
        keys.set(stack, functions = ownFunctions([...thread.backtrace()]));
      }
      const key = `${id}\n${functions.join("\n")}`;
      const known = counts.get(key);
      if (known !== undefined) known.weight += weight;
      else {
        const name = names.get(id) ?? (isMain ? "main" : thread.name || `thread with id ${id}`);
        counts.set(key, { name, functions, weight });
      }
    }
  }
  const found = [...counts.values()].map(({ name, functions, weight }) => ({
    name,
    functions,
    share: weight / Math.max(1, looks),
  }));
  return { found: found.sort(byShare), looks };
}

/** Answers a question about a target.
 *
 * @throws UserError for one that is about time, where the target does not run
 */
export async function answer(
  what: Question,
  target: Watched,
  options: WatchOptions,
): Promise<Answer> {
  const { demangle } = await import("../../lib/symbols/walking.ts");
  const { seconds, style, columns, signal } = options;
  if (what === "deadlock") return deadlockAnswer(target, style, columns);
  if (what === "census") {
    const found = crowds(snapshotOf(target));
    return {
      json: found,
      lines: found.flatMap(({ names, functions }) => {
        const some = names.slice(0, 3).map(escape);
        const more = names.length > 3 ? safe`, …` : safe``;
        const head = safe`${count(names.length, "thread")}: ${join(some, ", ")}${more}`;
        return [
          style("heading", cut(head, columns)),
          safe`  ${chain(functions, columns - 2, demangle)}`,
        ];
      }),
    };
  }
  checkRuns(target, what);
  if (what === "top") {
    const { found: all, looks } = target.kind === "live"
      ? await sampledStacks(target as LiveTarget, options)
      : await lookedAtStacks(target, options);
    const found = all.filter(({ share }) => share >= leastShare);
    const width = found.reduce((most, { name }) => Math.max(most, escape(name).length), 0);
    const rows = found.map(({ name, functions, share }) => {
      const percent = padStart(safe`${Math.round(100 * share)}%`, 4);
      const room = columns - width - 8;
      return safe`${style("running", percent)}  ${style("name", padEnd(escape(name), width))}  ${
        chain(functions, room, demangle)
      }`;
    });
    return {
      json: found,
      lines: rows.length > 0 ? rows : [safe`nothing ran in ${looks} looks`],
    };
  }
  const before = snapshotOf(target);
  const began = performance.now();
  await wait(seconds * 1000, signal);
  const milliseconds = performance.now() - began;
  if (what === "compare") {
    const after = snapshotOf(target, before);
    const changes = compareLooks(before, after, milliseconds);
    return {
      json: changes.map(changeJson),
      lines: changes.map((change) => changeLine(change, changes, columns, demangle)),
    };
  }
  const { after, waits, circles, isMainIdle } = lookAndWaits(target, before);
  const nameOf = ({ id, index }: Thread): string => after.get(id)?.name ?? `thread ${index}`;
  const locked = new Set(circles.flat().map(({ id }) => id));
  const waitedFor = new Map(waits.map(({ thread, holder }) => [thread.id, nameOf(holder)]));
  const stuck = stuckThreads(before, after, new Set(waitedFor.keys()), milliseconds);
  const lines = stuck.map(({ thread: { id, name, functions }, how }) => {
    const other = how === "waits" ? waitedFor.get(id) : undefined;
    const does = how === "loops"
      ? style("warning", safe`loops`)
      : how === "suspended"
      ? safe`is suspended`
      : other === undefined
      ? safe`waits`
      : safe`waits for ${escape(other)}`;
    const who = safe`${style("name", escape(name))}: ${does} in `;
    // What waits, waits by way of its language's library.
    const own = how !== "loops" ? functions.findIndex((raw) => !isOfLibrary(raw)) : 0;
    const room = Math.max(20, columns - name.length - does.length - 6);
    return safe`${who}${chain(functions.slice(Math.max(0, own)), room, demangle)}`;
  });
  const loops = stuck.filter(({ how }) => how === "loops").length;
  const suspended = stuck.filter(({ how }) => how === "suspended").length;
  const suspendedText = suspended === 0 ? safe`` : safe`, ${count(suspended, "thread")} suspended`;
  const isMainStuck = stuck.some(({ thread }) => thread.isMain);
  const stays = [...after.values()].some(({ id, isMain, callers }) =>
    isMain && before.get(id)?.callers === callers
  );
  const main = isMainStuck
    ? safe`makes no progress`
    : stays && !isMainIdle
    ? safe`waits, perhaps for work`
    : safe`is not stuck`;
  const sum = stuck.length === 0
    ? safe`every thread made progress, or is the main thread in its run loop`
    : safe`${count(loops, "thread")} in a loop, ${
      count(stuck.length - loops - suspended, "thread")
    } waiting${suspendedText}; the main thread ${main}`;
  return {
    json: stuck.map(({ thread: { id, name, functions }, how }) => ({
      name,
      how,
      functions,
      deadlocked: locked.has(id),
      for: how === "waits" ? waitedFor.get(id) ?? null : null,
    })),
    lines: [...lines, ...circleLines(circles, nameOf, style), style("heading", sum)],
  };
}

/** The stacks that were found running by looks at all threads. */
async function lookedAtStacks(
  target: Watched,
  { seconds, signal }: Pick<WatchOptions, "seconds" | "signal">,
): Promise<{ readonly found: readonly BusyStack[]; readonly looks: number }> {
  const looks = [snapshotOf(target)];
  const end = performance.now() + seconds * 1000;
  while (performance.now() < end && !signal.aborted) {
    await wait(topInterval, signal);
    looks.push(snapshotOf(target, looks.at(-1)));
  }
  // The first one over the wire tells of none that it runs.
  if (target.kind === "remote") looks.shift();
  return { found: busyStacks(looks), looks: looks.length };
}

function changeJson({ kind, before, after }: Change) {
  const { name } = (after ?? before)!;
  return { name, kind, before: before?.functions ?? null, after: after?.functions ?? null };
}

function changeLine(
  { kind, before, after }: Change,
  all: readonly Change[],
  columns: number,
  name: (raw: string) => string,
): SafeText {
  const nameOf = ({ before, after }: Change) => escape((after ?? before)!.name);
  const width = all.reduce((most, change) => Math.max(most, nameOf(change).length), 0);
  const signs = { new: safe`+`, gone: safe`-`, moved: safe`~`, runs: safe`~`, same: safe`=` };
  const first = (functions: readonly string[] | undefined) => escape(name(functions?.[0] ?? "?"));
  const what = kind === "moved"
    ? safe`${first(before?.functions)} → ${first(after?.functions)}`
    : kind === "runs"
    ? safe`${first(after?.functions)}, at another instruction`
    : first((after ?? before)?.functions);
  const who = padEnd(nameOf({ kind, before, after }), width);
  return cut(safe`${signs[kind]} ${who}  ${what}`, columns);
}

/** Stops a target. A core, and a target that is paused, stand still by themselves. */
function stopped(target: Watched): Disposable | undefined {
  const isRunning = (target.kind === "live" || target.kind === "remote") && !target.paused;
  return isRunning ? target.pause() : undefined;
}

/** What the threads do, which wait for others, and whether the main thread is known to wait for work, in one stop: on Linux a stop wakes a thread, which
 * is found waiting again only after it has run. */
function lookAndWaits(
  target: Watched,
  before: Look,
): { after: Look; waits: ThreadWait[]; circles: Thread[][]; isMainIdle: boolean } {
  const pause = stopped(target);
  const { threads } = target;
  let waits: ThreadWait[];
  let after: Look | undefined;
  try {
    waits = threadWaits(target, threads);
    // Over the wire nothing can be read later.
    if (target.kind === "remote") after = lookAt(threads, running(target, before));
  } finally {
    pause?.[Symbol.dispose]();
  }
  after ??= lookAt(threads, running(target, before));
  const main = threads.find(({ index }) => index === 0);
  const isMainIdle = main !== undefined && waitingOf(main).isIdle;
  return { after, waits, circles: deadlocks(waits), isMainIdle };
}

function circleLines(
  circles: readonly (readonly Thread[])[],
  nameOf: (thread: Thread) => string,
  style: Style,
): SafeText[] {
  return circles.map((circle) => {
    const names = [...circle, circle[0]].map((thread) => escape(nameOf(thread)));
    return style("warning", safe`DEADLOCK: ${join(names, " → ")}`);
  });
}

function deadlockAnswer(target: Watched, style: Style, columns: number): Answer {
  using _pause = stopped(target);
  const { threads } = target;
  const waits = threadWaits(target, threads);
  const circles = deadlocks(waits);
  const named = threadNames(threads);
  const nameOf = ({ id }: Thread): string => named.get(id)!;
  const describe = (thread: Thread): SafeText => {
    const doing = interestingFrame([...thread.backtrace()]);
    const place = doing === undefined ? safe`unknown code` : doing.describe(undefined, true);
    return safe`${escape(nameOf(thread))}, in ${place}`;
  };
  return {
    json: {
      waits: waits.map(({ thread, holder }) => ({
        thread: nameOf(thread),
        for: nameOf(holder),
      })),
      deadlocks: circles.map((circle) => circle.map(nameOf)),
    },
    lines: [
      ...waits.flatMap(({ thread, holder }) =>
        wrapped(safe`${describe(thread)}, waits for ${escape(nameOf(holder))}`, columns)
      ),
      ...circleLines(circles, nameOf, style),
      ...circles.length > 0
        ? []
        : [style("heading", safe`no deadlock: no thread waits for itself through others`)],
      // Locks are not on the stacks.
      ...target.kind === "core" && waits.length === 0
        ? [safe`the core may not have the locks: \`savecore --style dirty\` keeps them`]
        : [],
    ],
  };
}
