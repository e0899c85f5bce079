/** Stackshots as text. Everything that they can have a say in is escaped here. */
import { archs } from "../../lib/arch/mod.ts";
import { escape } from "../../lib/escape.ts";
import type { Backtrace, Frame, Stackshot, StackshotTask, StackshotThread } from "../../mod.ts";
import { frameColumns, frameLine } from "./render.ts";
import type { Style } from "./style.ts";

/** What is shown of a stackshot. */
export interface StackshotView {
  /** Frames of each stack at most. */
  readonly limit?: number;
  /** How functions' names are shown; demangled, when left out. */
  readonly name?: (mangled: string) => string;
}

const changes = { new: "new", changed: "changed", named: "unchanged", kept: "unchanged" } as const;

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? "" : "s"}`;
}

/** Nanoseconds, in the unit that suits them. */
function duration(nanoseconds: bigint): string {
  const seconds = Number(nanoseconds) / 1e9;
  return seconds >= 1
    ? `${seconds.toFixed(2)} s`
    : seconds >= 0.001
    ? `${(seconds * 1e3).toFixed(1)} ms`
    : `${Math.round(seconds * 1e6)} µs`;
}

function memorySize(bytes: bigint): string {
  return bytes < 1n << 20n ? `${bytes >> 10n} KiB` : `${bytes >> 20n} MiB`;
}

/** What the stackshot says of itself. */
export function headerLines(stackshot: Stackshot, style: Style): string[] {
  const { data } = stackshot;
  const lines = [style("heading", `${stackshot}`)];
  const about: string[] = [];
  if (stackshot.date !== null) about.push(`taken ${stackshot.date.toISOString()}`);
  if (data.layout !== null) about.push(`a trace buffer as OS X ${data.layout} has it`);
  if (data.since !== null) about.push(`what has changed since 0x${data.since.toString(16)}`);
  if (data.osBuild !== null) about.push(`build ${escape(data.osBuild)}`);
  if (about.length > 0) lines.push(about.join(", "));
  if (data.osVersion !== null) lines.push(escape(data.osVersion));
  const took = data.details.stackshot_duration?.stackshot_duration;
  if (typeof took === "bigint") {
    const { numer, denom } = data.timebase;
    lines.push(`all CPUs stopped for ${duration(took * BigInt(numer) / BigInt(denom))}`);
  }
  return lines;
}

/** Whose task it is, how much of what it has, and what its flags say. */
function taskHeader(task: StackshotTask, style: Style): string {
  const { data } = task;
  const parts = [style("name", `${task}`), count(task.threads.length, "thread")];
  if (data.exiting) parts.push("exiting");
  if (data.suspendCount > 0) parts.push(style("warning", `suspended ${data.suspendCount}×`));
  if (data.size !== null && data.size > 0n) parts.push(`${memorySize(data.size)} resident`);
  parts.push(...task.flags.filter((flag) => flag !== "terminated"));
  if (data.change !== null) parts.push(style("quiet", `(${changes[data.change]})`));
  return parts.join("  ");
}

/** As in `thread 0  "main"  id 0x201  waiting  main  cpu 125 µs user, 1 µs system  priority 47`. */
function threadHeader(thread: StackshotThread, style: Style): string {
  const { data } = thread;
  const parts = [style("heading", `thread ${thread.index}`)];
  if (thread.name !== "") parts.push(style("name", `"${escape(thread.name)}"`));
  parts.push(`id 0x${thread.id.toString(16)}`);
  parts.push(thread.state === "running" ? style("running", thread.state) : thread.state);
  parts.push(...thread.flags);
  if (data.userTime + data.systemTime > 0n) {
    parts.push(`cpu ${duration(data.userTime)} user, ${duration(data.systemTime)} system`);
  }
  if (data.priority !== 0 || data.basePriority !== 0) {
    const base = data.basePriority === data.priority ? "" : ` (base ${data.basePriority})`;
    parts.push(`priority ${data.priority}${base}`);
  }
  if (data.queueLabel !== "") parts.push(`queue ${style("name", escape(data.queueLabel))}`);
  if (data.change !== null) {
    // What did not run again was not walked again.
    const before = data.change === "new" ? "" : ", frames from before";
    parts.push(style("quiet", `(${changes[data.change]}${before})`));
  }
  return parts.join("  ");
}

/** The most digits that a frame's address takes: 32-bit stacks have fewer. */
function pointerSize(task: StackshotTask): number {
  if (task.arch !== null) return archs[task.arch].pointerSize;
  return task.threads.some(({ data }) => data.user64 || data.kernel64) ? 8 : 4;
}

function expanded(backtraces: readonly Backtrace[]): Frame[] {
  const frames: Frame[] = [];
  for (const backtrace of backtraces) {
    for (const frame of backtrace) frames.push(...frame.expand(frames.length));
  }
  return frames;
}

/** A thread: what it is, what it waits for, where it is in the kernel and in user space. */
export function threadLines(
  task: StackshotTask,
  thread: StackshotThread,
  style: Style,
  { limit, name }: StackshotView,
): string[] {
  const lines = [threadHeader(thread, style)];
  const say = (text: string) => lines.push("  " + text);
  if (thread.waiting !== null) {
    say(style("warning", `waits for ${escape(thread.waiting)}`));
    if (thread.turnstile !== null) say(`  ${thread.turnstile}`);
  }
  const kernel = thread.kernelBacktrace(limit);
  const user = thread.backtrace(limit);
  const inKernel = expanded([kernel]).length;
  const frames = expanded([kernel, user]);
  const asynchronous = thread.asyncBacktrace(limit);
  const columns = frameColumns([...frames, ...asynchronous]);
  const size = pointerSize(task);
  const ending = (backtrace: Backtrace, where: string) => {
    if (backtrace.stopped === "limit") say(style("quiet", "(limit: more frames follow)"));
    if (backtrace.stopped === "unreadable") {
      say(style("quiet", `(unreadable: the ${where} stack is not in memory further up)`));
    }
  };
  for (const [index, frame] of frames.entries()) {
    if (index === inKernel && index > 0) ending(kernel, "kernel");
    const wide = index < inKernel && thread.data.kernel64 ? 8 : size;
    const line = frameLine(frame, wide, columns, style, name);
    say(index < inKernel ? `${line}${style("quiet", " [kernel]")}` : line);
  }
  ending(user.length > 0 ? user : kernel, user.length > 0 ? "user" : "kernel");
  const { continuation } = thread;
  if (continuation !== null && kernel.length === 0) {
    const place = continuation.describe(name);
    say(style(
      "quiet",
      `goes on in the kernel at 0x${continuation.address.toString(16)}` +
        (place === "" ? "" : `, ${place}`),
    ));
  }
  if (asynchronous.length > 0) {
    say(style("quiet", "called asynchronously from"));
    for (const frame of asynchronous) say(frameLine(frame, size, columns, style, name));
  }
  if (frames.length === 0 && continuation === null) say(style("quiet", "no frames"));
  return lines;
}

/** The names of all functions that are shown of a task. Not safe to print raw. */
export function functionNames(task: StackshotTask, { limit }: StackshotView): Set<string> {
  const names = new Set<string>();
  for (const thread of task.threads) {
    const frames = expanded([
      thread.kernelBacktrace(limit),
      thread.backtrace(limit),
      thread.asyncBacktrace(limit),
    ]);
    for (const frame of frames) if (frame.function !== null) names.add(frame.function);
  }
  return names;
}

/** A task with its threads, an empty line before each. */
export function taskLines(task: StackshotTask, style: Style, view: StackshotView): string[] {
  const lines = [taskHeader(task, style)];
  for (const thread of task.threads) lines.push("", ...threadLines(task, thread, style, view));
  return lines;
}
