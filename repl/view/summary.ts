/** All threads, those with equal stacks together: on one screen, or with their stacks. */
import { escape, safe, type SafeText } from "../../lib/escape.ts";
import {
  groupStacks,
  interestingFrame,
  isSpinning,
  type StackGroup,
  type Usage,
} from "../../lib/target/stacks.ts";
import type { Frame, Thread } from "../../mod.ts";
import { maxWidth } from "../edit/width.ts";
import { allShownFrames, FrameBudget, type ShownFrames, shownFrames } from "./frames.ts";
import { backtraceLines, type FrameDetail, placeText, queueText } from "./render.ts";
import type { Style } from "./style.ts";
import { count, cut, join, padEnd, padStart } from "./text.ts";

/** Every thread's backtrace, threads with equal stacks together. */
export function uniqueBacktracesLines(
  threads: readonly Thread[],
  pointerSize: number,
  style: Style,
  limit?: number,
  shown: readonly ShownFrames[] = allShownFrames(threads, limit),
  name?: (mangled: string) => string,
  width = Infinity,
  detail?: FrameDetail,
): SafeText[] {
  const stacks = new Map(threads.map((thread, index) => [thread, shown[index]]));
  const groups = groupStacks(threads, { frames: (thread) => stacks.get(thread)!.frames });
  return groups.flatMap(({ threads }, index) => {
    const stack = stacks.get(threads[0]);
    const lines = backtraceLines(threads[0], pointerSize, style, limit, stack, name, width, detail);
    if (threads.length > 1) {
      lines[0] = style(
        "heading",
        safe`${count(threads.length, "thread")}: ${indexRanges(threads)}`,
      );
    }
    return index === 0 ? lines : [safe``, ...lines];
  });
}

/** Threads by the dispatch queue that they serve, each group under its queue; those without one last.
 *
 * @param show the lines of a group's threads
 */
export function queueGroupsLines<T extends Thread>(
  threads: readonly T[],
  style: Style,
  show: (group: readonly T[]) => readonly SafeText[],
): SafeText[] {
  const groups = new Map<bigint | null, T[]>();
  for (const thread of threads) {
    const key = thread.queue?.address ?? null;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [thread]);
    else group.push(thread);
  }
  const none = groups.get(null);
  groups.delete(null);
  const shown = [...groups.values(), ...(none === undefined ? [] : [none])];
  return shown.flatMap((group, index) => {
    const { queue } = group[0];
    const name = queue === null ? safe`no queue` : queueText(queue);
    const targets = (queue?.targets ?? []).map((label) => safe` -> "${escape(label)}"`);
    const heading = safe`${name}${join(targets, "")}: ${count(group.length, "thread")}`;
    const lines = [style("heading", heading), safe``, ...show(group)];
    return index === 0 ? lines : [safe``, ...lines];
  });
}

/** The threads' indices, as in `1, 3-5`. */
export function indexRanges(threads: readonly Thread[]): SafeText {
  const ranges: [first: number, last: number][] = [];
  for (const { index } of threads) {
    const last = ranges.at(-1);
    if (last?.[1] === index - 1) last[1] = index;
    else ranges.push([index, index]);
  }
  return join(
    ranges.map(([first, last]) => first === last ? safe`${first}` : safe`${first}-${last}`),
    ", ",
  );
}

/** A group's name: the first of its threads' names. */
function groupName({ threads }: StackGroup): SafeText {
  const names = [...new Set(threads.map(({ name }) => name).filter((name) => name !== ""))];
  if (names.length === 0) return safe``;
  return safe`"${escape(names[0])}"${names.length > 1 ? safe` …` : safe``}`;
}

/** The states of a group's threads, the first thread's first. */
function groupState({ threads }: StackGroup): SafeText {
  const stateOf = ({ state, suspendCount }: Thread) => suspendCount > 0 ? "suspended" : state;
  const states = [...new Set(threads.map(stateOf))];
  return safe`${escape(states[0])}${states.length === 1 ? safe`` : safe` …`}`;
}

/** The most that a thread of a group uses; empty where all are stopped and nobody says what they have used. */
function groupUsage({ threads }: StackGroup, usage: Usage): SafeText {
  const most = threads.reduce((most, thread) => Math.max(most, usage(thread)), 0);
  if (most === 0 && threads.every(({ state }) => state === "stopped")) return safe``;
  return safe`${Math.round(100 * most)}%`;
}

/** The function keeps what room there is; the image is cut before it. */
function placeAndImage(frame: Frame | undefined, width: number): SafeText {
  if (frame === undefined) return safe`no frames`;
  const image = frame.image === null ? safe`` : safe`  ${escape(frame.image.name)}`;
  return safe`${placeText(frame, width)}${image}`;
}

/** A line for each group of threads, as many as the screen has room for.
 *
 * @param selected the selected thread
 */
export function summaryLines(
  threads: readonly Thread[],
  selected: Thread | undefined,
  { columns, rows }: { readonly columns: number; readonly rows: number },
  style: Style,
  usage: Usage = (thread) => thread.cpuUsage,
): SafeText[] {
  const budget = new FrameBudget();
  const frames = (thread: Thread) => shownFrames(thread, undefined, false, budget).frames;
  const groups = groupStacks(threads, { frames, usage });
  const cells = groups.map((group) => ({
    group,
    mark: selected !== undefined && group.threads.includes(selected) ? safe`*` : safe` `,
    which: cut(indexRanges(group.threads), 12),
    name: cut(groupName(group), Math.max(6, Math.min(28, columns - 24))),
    state: groupState(group),
    cpu: groupUsage(group, usage),
  }));
  const width = (pick: (cell: typeof cells[number]) => string) => maxWidth(cells.map(pick));
  const widths = {
    which: width(({ which }) => which),
    name: width(({ name }) => name),
    state: width(({ state }) => state),
    cpu: width(({ cpu }) => cpu),
  };
  const used = 2 + widths.which + (widths.name > 0 ? 2 + widths.name : 0) + 2 + widths.state +
    2 + widths.cpu + 2;
  // On a narrow screen what they are doing goes on a second line.
  const narrow = used + 24 > columns;
  const room = Math.max(3, Math.floor((rows - 4) / (narrow ? 2 : 1)));
  const shown = cells.length > room ? cells.slice(0, room - 1) : cells;
  const lines = shown.flatMap(({ group, mark, which, name, state, cpu }) => {
    const spins = group.threads.some((thread) => isSpinning(thread, usage));
    const before = safe`${spins ? safe`spinning: ` : safe``}${
      group.threads.length > 1 ? safe`${count(group.threads.length, "thread")}: ` : safe``
    }`;
    const room = (narrow ? columns - 6 : columns - used) - before.length;
    const what = safe`${before}${placeAndImage(interestingFrame(group.frames), room)}`;
    const head = join([
      safe`${mark} ${style("heading", padStart(which, widths.which))}`,
      ...(widths.name > 0 ? [style("name", padEnd(name, widths.name))] : []),
      spins ? style("running", padEnd(state, widths.state)) : padEnd(state, widths.state),
      padStart(cpu, widths.cpu),
    ], "  ");
    const text = cut(what, narrow ? columns - 6 : columns - used);
    const coloured = spins ? style("running", text) : text;
    return narrow ? [head, safe`      ${coloured}`] : [safe`${head}  ${coloured}`];
  });
  const left = groups.slice(shown.length).flatMap(({ threads }) => threads).length;
  if (left > 0) {
    lines.push(
      style("quiet", safe`  (${left} more threads: \`bt all --unique\` shows all stacks)`),
    );
  }
  return lines;
}
