/** Stackshots as text. */
import { archs } from "../../lib/arch/mod.ts";
import { escape, safe, type SafeText } from "../../lib/escape.ts";
import { hex } from "../../lib/hex.ts";
import type { Backtrace, Frame, Stackshot } from "../../mod.ts";
import type { StackshotTask, StackshotThread } from "../../lib/stackshot/mod.ts";
import { frameColumns, frameLine } from "./render.ts";
import type { Style } from "./style.ts";
import { count, join } from "./text.ts";

/** What to show of a stackshot. */
export interface StackshotView {
  /** Maximum number of frames per stack. */
  readonly limit?: number;
  /** Makes a function's name readable. Default: demangles it. */
  readonly name?: (mangled: string) => string;
}

const changes = { new: "new", changed: "changed", named: "unchanged", kept: "unchanged" } as const;

/** A duration in a unit that fits it. */
function duration(nanoseconds: bigint): SafeText {
  const seconds = Number(nanoseconds) / 1e9;
  return seconds >= 1
    ? escape(`${seconds.toFixed(2)} s`)
    : seconds >= 0.001
    ? escape(`${(seconds * 1e3).toFixed(1)} ms`)
    : safe`${Math.round(seconds * 1e6)} µs`;
}

function memorySize(bytes: bigint): SafeText {
  return bytes < 1n << 20n ? safe`${bytes >> 10n} KiB` : safe`${bytes >> 20n} MiB`;
}

/** When and where the stackshot was taken. */
export function headerLines(stackshot: Stackshot, style: Style): SafeText[] {
  const { data } = stackshot;
  const lines = [style("heading", escape(`${stackshot}`))];
  const about: SafeText[] = [];
  if (stackshot.date !== null) about.push(safe`taken ${escape(stackshot.date.toISOString())}`);
  if (data.layout !== null) {
    about.push(safe`in the trace buffer format of OS X ${escape(data.layout)}`);
  }
  if (data.since !== null) about.push(safe`what has changed since ${hex(data.since)}`);
  if (data.osBuild !== null) about.push(safe`build ${escape(data.osBuild)}`);
  if (about.length > 0) lines.push(join(about, ", "));
  if (data.osVersion !== null) lines.push(escape(data.osVersion));
  const took = data.details.stackshot_duration?.stackshot_duration;
  if (typeof took === "bigint") {
    const { numer, denom } = data.timebase;
    lines.push(safe`all CPUs stopped for ${duration(took * BigInt(numer) / BigInt(denom))}`);
  }
  return lines;
}

/** A task's name, the number of its threads, its memory and its flags. */
function taskHeader(task: StackshotTask, style: Style): SafeText {
  const { data } = task;
  const parts = [style("name", escape(`${task}`)), count(task.threads.length, "thread")];
  if (data.exiting) parts.push(safe`exiting`);
  if (data.suspendCount > 0) parts.push(style("warning", safe`suspended ${data.suspendCount}×`));
  if (data.size !== null && data.size > 0n) parts.push(safe`${memorySize(data.size)} resident`);
  parts.push(...task.flags.filter((flag) => flag !== "terminated").map(escape));
  if (data.change !== null) parts.push(style("quiet", safe`(${escape(changes[data.change])})`));
  return join(parts, "  ");
}

/** A thread, as in `thread 0  "main"  id 0x201  waiting  main  cpu 125 µs user, 1 µs system  priority 47`. */
function threadHeader(thread: StackshotThread, style: Style): SafeText {
  const { data } = thread;
  const state = escape(thread.state);
  const parts = [style("heading", safe`thread ${thread.index}`)];
  if (thread.name !== "") parts.push(style("name", safe`"${escape(thread.name)}"`));
  parts.push(safe`id ${hex(thread.id)}`);
  parts.push(thread.state === "running" ? style("running", state) : state);
  parts.push(...thread.flags.map(escape));
  if (data.userTime + data.systemTime > 0n) {
    parts.push(safe`cpu ${duration(data.userTime)} user, ${duration(data.systemTime)} system`);
  }
  if (data.priority !== 0 || data.basePriority !== 0) {
    const base = data.basePriority === data.priority ? safe`` : safe` (base ${data.basePriority})`;
    parts.push(safe`priority ${data.priority}${base}`);
  }
  if (data.queueLabel !== "") parts.push(safe`queue ${style("name", escape(data.queueLabel))}`);
  if (data.change !== null) {
    // A thread that did not run was not unwound again.
    const before = data.change === "new" ? safe`` : safe`, frames from before`;
    parts.push(style("quiet", safe`(${escape(changes[data.change])}${before})`));
  }
  return join(parts, "  ");
}

/** The size of the widest address, in bytes. */
function pointerSize(task: StackshotTask): number {
  if (task.arch !== null) return archs[task.arch].pointerSize;
  return task.threads.some(({ data }) => data.user64 || data.kernel64) ? 8 : 4;
}

function expanded(backtraces: readonly Backtrace[]): Frame[] {
  const frames: Frame[] = [];
  for (const backtrace of backtraces) {
    for (const activation of backtrace.activations) {
      for (const frame of activation.expand(frames.length)) frames.push(frame);
    }
  }
  return frames;
}

/** A thread: what it is, what it waits for, where it is in the kernel and in user space. */
export function threadLines(
  task: StackshotTask,
  thread: StackshotThread,
  style: Style,
  { limit, name }: StackshotView,
): SafeText[] {
  const lines = [threadHeader(thread, style)];
  const say = (text: SafeText) => lines.push(safe`  ${text}`);
  if (thread.waiting !== null) {
    say(style("warning", safe`waits for ${escape(thread.waiting)}`));
    if (thread.turnstile !== null) say(safe`  ${escape(`${thread.turnstile}`)}`);
  }
  const kernel = thread.kernelBacktrace(limit);
  const user = thread.backtrace(limit);
  const inKernel = expanded([kernel]).length;
  const frames = expanded([kernel, user]);
  const asynchronous = thread.asyncBacktrace(limit).activations;
  const columns = frameColumns([...frames, ...asynchronous]);
  const size = pointerSize(task);
  const ending = (backtrace: Backtrace, where: SafeText) => {
    if (backtrace.stopped === "limit") say(style("quiet", safe`(limit: more frames follow)`));
    if (backtrace.stopped === "unreadable") {
      say(style("quiet", safe`(unreadable: the ${where} stack is not in memory further up)`));
    }
  };
  for (const [index, frame] of frames.entries()) {
    if (index === inKernel && index > 0) ending(kernel, safe`kernel`);
    const wide = index < inKernel && thread.data.kernel64 ? 8 : size;
    const line = frameLine(frame, wide, columns, style, name);
    say(index < inKernel ? safe`${line}${style("quiet", safe` [kernel]`)}` : line);
  }
  if (user.activations.length > 0) ending(user, safe`user`);
  else ending(kernel, safe`kernel`);
  const { continuation } = thread;
  if (continuation !== null && inKernel === 0) {
    const place = continuation.describe(name);
    const where = place === "" ? safe`` : safe`, ${place}`;
    const address = hex(continuation.address);
    say(style("quiet", safe`continues in the kernel at ${address}${where}`));
  }
  if (asynchronous.length > 0) {
    say(style("quiet", safe`called asynchronously from`));
    for (const frame of asynchronous) say(frameLine(frame, size, columns, style, name));
  }
  if (frames.length === 0 && continuation === null) say(style("quiet", safe`no frames`));
  return lines;
}

/** The names of all functions that {@linkcode taskLines} shows. */
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
export function taskLines(task: StackshotTask, style: Style, view: StackshotView): SafeText[] {
  const lines = [taskHeader(task, style)];
  for (const thread of task.threads) lines.push(safe``, ...threadLines(task, thread, style, view));
  return lines;
}
