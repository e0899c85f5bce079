/** What all threads are doing, on one screen. */
import { escape } from "../../lib/escape.ts";
import { isSystemPath } from "../../lib/symbols/system_image.ts";
import type { Frame, Thread } from "../../mod.ts";
import { cut, textWidth } from "../edit/width.ts";
import { shownFrames } from "./frames.ts";
import type { Style } from "./style.ts";

/** From this share of a CPU on, a thread that runs is said to spin. Others may want the CPU too. */
const spinning = 0.25;

/** How much of a CPU a thread uses, from 0 to 1. */
export type Usage = (thread: Thread) => number;

/** Threads whose stacks are the same, frame by frame. */
export interface StackGroup {
  /** By index. */
  readonly threads: readonly Thread[];
  readonly frames: readonly Frame[];
}

/** Groups threads by their stacks. The group of the main thread is first, then the busiest. */
export function groupStacks(
  threads: readonly Thread[],
  usage: Usage = (thread) => thread.cpuUsage,
): StackGroup[] {
  const groups = new Map<string, { threads: Thread[]; frames: readonly Frame[] }>();
  for (const thread of threads) {
    const { frames } = shownFrames(thread);
    const key = frames.map(({ address, inlined }) => `${address.toString(16)}${inlined ? "i" : ""}`)
      .join();
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { threads: [thread], frames });
    else group.threads.push(thread);
  }
  const [main] = threads;
  const busiest = (group: StackGroup) =>
    Math.max(
      ...group.threads.map((thread) => busyness(thread, usage)),
    );
  return [...groups.values()].sort((a, b) =>
    Number(b.threads.includes(main)) - Number(a.threads.includes(main)) ||
    busiest(b) - busiest(a) || b.threads.length - a.threads.length ||
    a.threads[0].index - b.threads[0].index
  );
}

/** The share of a CPU, of a thread that is on one; little differences say nothing. */
function busyness(thread: Thread, usage: Usage): number {
  const share = usage(thread);
  return thread.state === "running" && share >= spinning ? share : 0;
}

/** The innermost frame that is the program's own; the innermost where none is. */
export function interestingFrame(frames: readonly Frame[]): Frame | undefined {
  return frames.find(({ image, symbol }) =>
    image !== null && symbol !== null && !isSystemPath(image.path)
  ) ?? frames.find(({ symbol }) => symbol !== null) ?? frames[0];
}

/** As in `1, 3-5`. */
export function indexRanges(threads: readonly Thread[]): string {
  const ranges: [first: number, last: number][] = [];
  for (const { index } of threads) {
    const last = ranges.at(-1);
    if (last?.[1] === index - 1) last[1] = index;
    else ranges.push([index, index]);
  }
  return ranges.map(([first, last]) => first === last ? `${first}` : `${first}-${last}`).join(", ");
}

/** What a group is called: its threads' names, where they differ only the first. */
function groupName({ threads }: StackGroup): string {
  const names = [...new Set(threads.map(({ name }) => name).filter((name) => name !== ""))];
  if (names.length === 0) return "";
  return `"${escape(names[0])}"${names.length > 1 ? " …" : ""}`;
}

/** The states of a group's threads, the first one's first. */
function groupState({ threads }: StackGroup): string {
  const states = [...new Set(threads.map(({ state }) => state))];
  return states.length === 1 ? states[0] : `${states[0]} …`;
}

function placeText(frame: Frame | undefined): string {
  if (frame === undefined) return "no frames";
  const image = frame.image === null ? "" : `  ${escape(frame.image.name)}`;
  return `${frame.describe(undefined, true)}${image}`;
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
): string[] {
  const groups = groupStacks(threads, usage);
  const cells = groups.map((group) => ({
    group,
    mark: selected !== undefined && group.threads.includes(selected) ? "*" : " ",
    which: cut(indexRanges(group.threads), 12),
    name: cut(groupName(group), Math.max(6, Math.min(28, columns - 24))),
    state: groupState(group),
    cpu: `${Math.round(100 * Math.max(...group.threads.map(usage)))}%`,
  }));
  const width = (pick: (cell: typeof cells[number]) => string) =>
    Math.max(0, ...cells.map((cell) => textWidth(pick(cell))));
  const pad = (text: string, columns: number) => text + " ".repeat(columns - textWidth(text));
  const widths = {
    which: width(({ which }) => which),
    name: width(({ name }) => name),
    state: width(({ state }) => state),
    cpu: width(({ cpu }) => cpu),
  };
  const before = 2 + widths.which + (widths.name > 0 ? 2 + widths.name : 0) + 2 + widths.state +
    2 + widths.cpu + 2;
  // On a narrow screen what they are doing goes below.
  const narrow = before + 24 > columns;
  const room = Math.max(3, Math.floor((rows - 4) / (narrow ? 2 : 1)));
  const shown = cells.length > room ? cells.slice(0, room - 1) : cells;
  const lines = shown.map(({ group, mark, which, name, state, cpu }) => {
    const busy = group.threads.some((thread) => busyness(thread, usage) > 0);
    const many = group.threads.length > 1 ? `${group.threads.length} threads: ` : "";
    const what = `${busy ? "spinning: " : ""}${many}${placeText(interestingFrame(group.frames))}`;
    const head = [
      `${mark} ${style("heading", which.padStart(widths.which))}`,
      ...(widths.name > 0 ? [style("name", pad(name, widths.name))] : []),
      busy ? style("running", pad(state, widths.state)) : pad(state, widths.state),
      cpu.padStart(widths.cpu),
    ].join("  ");
    const text = cut(what, narrow ? columns - 6 : columns - before);
    const coloured = busy ? style("running", text) : text;
    return narrow ? [head, `      ${coloured}`] : [`${head}  ${coloured}`];
  });
  const left = groups.slice(shown.length).flatMap(({ threads }) => threads).length;
  if (left > 0) {
    lines.push([style("quiet", `  (${left} more threads: \`bt all --unique\` shows every stack)`)]);
  }
  return lines.flat();
}
