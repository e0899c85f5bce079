/** Profiles of Chrome: traces in the trace event format, and `.cpuprofile` files.
 *
 * Of a trace V8's CPU profiles are read, else its samples, else its durations: what was open at a time is
 * a stack.
 *
 * A thread is written as a `Profile` event and a `ProfileChunk` with its call tree, samples and the time
 * between them, since that is what all viewers of traces take for samples: Chrome's DevTools, Perfetto
 * (`legacy_v8_cpu_profile_tracker.cc`), the Firefox Profiler and speedscope. A sample lasts until the next
 * one; where a thread was not sampled, `(idle)` is. DevTools shows the threads that have an event with a
 * duration, so each thread has one over all of its samples. Addresses, images and inlined calls are not in the
 * format: inlined calls are frames as others. A member called `machpause`, which others ignore, has each
 * sample's weight, CPU time and state.
 *
 * Sources: `js_protocol.json` of V8 (`Profiler.Profile`), the document "Trace Event Format". */

import { ProfileBuilder } from "./builder.ts";
import { integerOf, isRecord, type JsonFile, jsonPieces, type JsonRecord } from "./json.ts";
import { lineOf, numberOf, textOf } from "./json.ts";
import { functionName, type Profile, type ProfileThread, SampleState } from "./model.ts";
import { MAX_DEPTH, nanosecondsIn, threadTitle } from "./titles.ts";

const CATEGORY = "disabled-by-default-v8.cpu_profiler";

/** A node of a call tree. */
interface Node {
  readonly id: number;
  readonly parent?: number;
  readonly callFrame: {
    readonly functionName: string;
    readonly scriptId: number;
    readonly url: string;
    readonly lineNumber: number;
    readonly columnNumber: number;
  };
}

/** The identifiers of nodes, which are used once in a file: the Firefox Profiler has one table of frames
 * for all threads. */
interface NodeCounter {
  last: number;
}

/** Writes a profile as JSON, in pieces. */
export function* writeChrome(profile: Profile): Generator<string> {
  // DevTools takes 0 for no time.
  const start = (profile.startTime ?? 0) * 1000 || 2;
  const counter: NodeCounter = { last: 0 };
  yield '{"traceEvents":[\n';
  let separator = "";
  for (const [index, { name, pid }] of profile.processes.entries()) {
    yield separator;
    yield* jsonPieces({
      ...place(pid ?? index, pid ?? index),
      name: "process_name",
      cat: "__metadata",
      ph: "M",
      args: { name: name ?? `process ${index}` },
    });
    separator = ",\n";
  }
  for (const [index, thread] of profile.threads.entries()) {
    const pid = profile.processes[thread.process].pid ?? thread.process;
    // Identifiers of threads are numbers here, and repeat where a worker has served several queues.
    const tid = thread.isMain ? pid : index + 1 + (index + 1 >= pid ? 1 : 0);
    const at = place(pid, tid);
    const id = `0x${(index + 1).toString(16)}`;
    yield separator;
    yield* jsonPieces({
      ...at,
      name: "thread_name",
      cat: "__metadata",
      ph: "M",
      args: { name: threadTitle(thread) },
    });
    const { nodes, samples, timeDeltas, extra, end } = timeline(profile, thread, counter);
    yield separator;
    yield* jsonPieces({
      ...at,
      name: "samples",
      cat: "machpause",
      ph: "X",
      // What begins first is outside.
      ts: start - 1,
      dur: end + 2,
      args: {},
    });
    yield separator;
    yield* jsonPieces({
      ...at,
      name: "Profile",
      cat: CATEGORY,
      ph: "P",
      id,
      ts: start,
      args: { data: { startTime: start } },
    });
    yield separator;
    yield* jsonPieces({
      ...at,
      name: "ProfileChunk",
      cat: CATEGORY,
      ph: "P",
      id,
      ts: start,
      args: { data: { cpuProfile: { nodes, samples }, timeDeltas, machpause: extra } },
    });
  }
  yield '\n],"displayTimeUnit":"ms","metadata":';
  yield* jsonPieces({
    source: "machpause",
    product: profile.product,
    arch: profile.arch,
    os: profile.os,
    startTime: profile.startTime,
    interval: profile.interval,
    unit: profile.unit,
    aggregated: profile.aggregated,
    lost: profile.lost,
  });
  yield "}\n";
}

function place(pid: number, tid: number) {
  return { pid, tid, ts: 0 };
}

/** A thread's call tree, and its samples with the time between them in microseconds. */
function timeline(profile: Profile, thread: ProfileThread, counter: NodeCounter) {
  const { stacks, frames, functions, strings } = profile;
  const { samples } = thread;
  const nodes: Node[] = [];
  const add = (name: string, parent?: number, url = "", line = 0, column = 0): number => {
    const id = ++counter.last;
    nodes.push({
      id,
      ...parent === undefined ? {} : { parent },
      // Lines and columns begin at 0; -1 is none.
      callFrame: {
        functionName: name,
        scriptId: 0,
        url,
        lineNumber: line - 1,
        columnNumber: column - 1,
      },
    });
    return id;
  };
  const root = add("(root)");
  const idle = add("(idle)", root);
  const nodeOfStack = new Map<number, number>();
  const nodeByPlace = new Map<string, number>();
  const nodeOf = (stack: number): number => {
    const missing: number[] = [];
    let at = stack;
    while (at >= 0 && !nodeOfStack.has(at)) {
      missing.push(at);
      at = stacks.prefix[at];
    }
    let node = at < 0 ? root : nodeOfStack.get(at)!;
    for (const next of missing.reverse()) {
      const frame = stacks.frame[next];
      const of = frames.function[frame];
      const [line, column] = [frames.line[frame], frames.column[frame]];
      const key = `${node} ${of} ${line} ${column}`;
      let found = nodeByPlace.get(key);
      if (found === undefined) {
        const file = functions.file[of];
        const url = file < 0 ? "" : strings[file];
        found = add(functionName(profile, of), node, url, line, column);
        nodeByPlace.set(key, found);
      }
      nodeOfStack.set(next, node = found);
    }
    return node;
  };
  const nanoseconds = nanosecondsIn(profile.unit);
  // A count lasts as long as an interval; a millisecond where that is not known.
  const unit = nanoseconds === null ? (profile.interval || 1) * 1000 : nanoseconds / 1000;
  const ids: number[] = [];
  const timeDeltas: number[] = [];
  const weight: number[] = [];
  const cpu: (number | null)[] = [];
  const state: number[] = [];
  let before = 0;
  const moved: number[] = [];
  const put = (node: number, time: number, row: number): void => {
    moved.push(row < 0 ? 0 : Math.round((samples.time[row] * 1000 - time) * 1000) / 1000);
    ids.push(node);
    timeDeltas.push(Math.round((time - before) * 1000) / 1000);
    before = time;
    weight.push(row < 0 ? 0 : samples.weight[row]);
    cpu.push(row < 0 || Number.isNaN(samples.cpu[row]) ? null : samples.cpu[row]);
    state.push(row < 0 ? SampleState.unknown : samples.state[row]);
  };
  // A recorded wait is two samples: when it began, and when it was last seen, with the weight of all but the
  // first.
  const waited = (row: number): number => {
    if (row === 0 || row >= samples.length) return 0;
    const { stack, state, time, weight } = samples;
    const isWait = state[row] === SampleState.offCPU && state[row - 1] === SampleState.offCPU &&
      stack[row] === stack[row - 1] && weight[row - 1] === 1;
    const passed = (time[row] - time[row - 1]) * 1000;
    // Samples may have been lost meanwhile.
    return isWait && passed <= 1.1 * (weight[row] + 1) * unit ? passed : 0;
  };
  const timeOf = (row: number) => row < samples.length ? samples.time[row] * 1000 : Infinity;
  // A sample that stands for several is the last of those of a thread that waited for a CPU: where the next one
  // leaves no room for them, they come before it.
  const beginOf = (row: number, end: number): number => {
    const time = timeOf(row);
    const length = (samples.weight[row] ?? 0) * unit;
    if (length <= unit || waited(row) > 0 || timeOf(row + 1) - time >= 0.75 * length) return time;
    return Math.min(time, Math.max(end, time - (length - unit)));
  };
  let end = 0;
  for (let row = 0; row < samples.length; row++) {
    const time = beginOf(row, end);
    put(samples.stack[row] < 0 ? idle : nodeOf(samples.stack[row]), time, row);
    const gone = waited(row);
    const units = Math.max(0, samples.weight[row]) + (gone > 0 ? 1 : 0);
    end = time + Math.max(0, units * unit - gone);
    if (waited(row + 1) > 0) continue;
    const next = beginOf(row + 1, end);
    // A sample that is late by half an interval is late; one that is later was not taken.
    if (next - end > (end - time) / 2) put(idle, end, -1);
  }
  const { name, id, queue, isMain } = thread;
  const extra = {
    thread: { name, id: id === null ? null : `${id}`, queue, isMain },
    process: profile.processes[thread.process].name,
    pid: profile.processes[thread.process].pid,
    weight,
    cpu,
    state,
    ...moved.every((time) => time === 0) ? {} : { moved },
  };
  return { nodes, samples: ids, timeDeltas, extra, end };
}

/** Whether a document is a CPU profile: a list of nodes, or as Node wrote it until version 11, a tree. */
export function isCpuProfile(root: JsonRecord): boolean {
  return Array.isArray(root.samples) &&
    (Array.isArray(root.nodes) && Array.isArray(root.timeDeltas) ||
      isRecord(root.head) && Array.isArray(root.timestamps));
}

/** Whether a document is a trace. */
export function isChromeTrace(root: JsonRecord): boolean {
  return Array.isArray(root.traceEvents);
}

/** Whether an array is one of trace events. */
export function isTraceEvents(events: readonly unknown[]): boolean {
  return events.length > 0 &&
    events.slice(0, 5).every((event) => isRecord(event) && typeof event.ph === "string");
}

/** A CPU profile as it is put together from its chunks. */
interface Draft {
  readonly pid: number;
  readonly tid: number;
  startTime: number;
  endTime: number | null;
  nodes: unknown[];
  samples: unknown[];
  timeDeltas: unknown[];
  extra: JsonRecord | null;
}

/** Reads a `.cpuprofile`.
 *
 * @throws FormatError when it is damaged
 */
export function readCpuProfile(file: JsonFile): Profile {
  const { root } = file;
  const builder = new ProfileBuilder({ unit: "microseconds" });
  const process = builder.process();
  const thread = builder.thread({ process, isMain: true });
  const isTree = isRecord(root.head);
  // A tree has times of samples, and begins and ends in seconds.
  const times = isTree ? file.array(root.timestamps, "timestamps") : [];
  const startTime = isTree ? numberOf(times[0], 0) : numberOf(root.startTime, 0);
  const draft: Draft = {
    pid: 0,
    tid: 0,
    startTime,
    endTime: !isTree && typeof root.endTime === "number" ? root.endTime : null,
    nodes: isTree ? listed(root.head) : file.array(root.nodes, "nodes") as unknown[],
    samples: file.array(root.samples, "samples") as unknown[],
    timeDeltas: isTree
      ? times.map((time, row) => row === 0 ? 0 : numberOf(time, 0) - numberOf(times[row - 1], 0))
      : file.array(root.timeDeltas, "timeDeltas") as unknown[],
    extra: null,
  };
  readDraft(file, builder, thread, draft, startTime);
  return builder.finish();
}

/** The nodes of a tree as a list. Iterative: it may be deeper than the call stack allows. */
function listed(head: unknown): unknown[] {
  const nodes: unknown[] = [];
  const left: { readonly node: unknown; readonly parent?: unknown }[] = [{ node: head }];
  for (let item = left.pop(); item !== undefined; item = left.pop()) {
    const { node, parent } = item;
    if (!isRecord(node)) continue;
    const { id, children, functionName, url, lineNumber } = node;
    // Lines begin at 1 here.
    const line = numberOf(lineNumber, 0) - 1;
    nodes.push({ id, parent, callFrame: { functionName, url, lineNumber: line } });
    if (!Array.isArray(children)) continue;
    for (const child of children) left.push({ node: child, parent: id });
  }
  return nodes;
}

/** Reads a trace.
 *
 * @throws FormatError when it is damaged or has no stacks
 */
export function readChromeTrace(file: JsonFile, events: readonly unknown[]): Profile {
  const drafts = new Map<string, Draft>();
  const threadNames = new Map<string, string>();
  const processNames = new Map<number, string>();
  const append = (to: unknown[], more: unknown): void => {
    if (Array.isArray(more)) { for (const value of more) to.push(value); }
  };
  for (const value of events) {
    if (!isRecord(value)) continue;
    const pid = numeric(value.pid) || 0;
    const tid = numeric(value.tid) || 0;
    const args = isRecord(value.args) ? value.args : null;
    if (value.name === "thread_name") {
      threadNames.set(`${pid}:${tid}`, textOf(args?.name) ?? "");
    } else if (value.name === "process_name") {
      processNames.set(pid, textOf(args?.name) ?? "");
    }
    const isProfile = value.name === "Profile" || value.name === "CpuProfile";
    if (!isProfile && value.name !== "ProfileChunk") continue;
    if (!isRecord(args?.data)) continue;
    const { data } = args;
    const key = `${pid}:${textOf(value.id) ?? tid}`;
    let draft = drafts.get(key);
    if (draft === undefined) {
      draft = {
        pid,
        tid,
        startTime: 0,
        endTime: null,
        nodes: [],
        samples: [],
        timeDeltas: [],
        extra: null,
      };
      drafts.set(key, draft);
    }
    const profile = isRecord(data.cpuProfile) ? data.cpuProfile : null;
    draft.startTime = numberOf(data.startTime ?? profile?.startTime, draft.startTime);
    if (typeof (data.endTime ?? profile?.endTime) === "number") {
      draft.endTime = (data.endTime ?? profile?.endTime) as number;
    }
    append(draft.nodes, profile?.nodes);
    append(draft.samples, profile?.samples);
    append(draft.timeDeltas, data.timeDeltas ?? profile?.timeDeltas);
    if (isRecord(data.machpause)) draft.extra = data.machpause;
  }
  if (drafts.size === 0) return readEvents(file, events, { threadNames, processNames });
  const own = isRecord(file.root.metadata) && file.root.metadata.source === "machpause"
    ? file.root.metadata
    : null;
  const unit = own?.unit;
  let start = Infinity;
  for (const { startTime } of drafts.values()) start = Math.min(start, startTime);
  const builder = new ProfileBuilder({
    unit:
      unit === "samples" || unit === "bytes" || unit === "nanoseconds" || unit === "milliseconds"
        ? unit
        : "microseconds",
    product: textOf(own?.product),
    arch: textOf(own?.arch),
    os: textOf(own?.os),
    startTime: typeof own?.startTime === "number" ? own.startTime : null,
    interval: Math.max(0, numberOf(own?.interval, 0)),
    aggregated: own?.aggregated === true,
    lost: Math.max(0, Math.floor(numberOf(own?.lost, 0))),
  });
  const processes = new Map<string, number>();
  for (const draft of drafts.values()) {
    // Only what this program wrote counts weights in the unit of the file.
    const extra = own === null ? null : draft.extra;
    const said = isRecord(extra?.thread) ? extra.thread : null;
    const name = extra === null ? processNames.get(draft.pid) ?? null : textOf(extra.process);
    const pid = extra === null ? draft.pid : extra.pid;
    const key = `${pid}\0${name}`;
    let process = processes.get(key);
    if (process === undefined) {
      process = builder.process({ name, pid: typeof pid === "number" ? pid : null });
      processes.set(key, process);
    }
    const threadName = textOf(threadNames.get(`${draft.pid}:${draft.tid}`));
    const thread = builder.thread({
      process,
      id: said === null ? BigInt(Math.max(0, Math.floor(draft.tid))) : integerOf(said.id),
      name: said === null ? threadName : textOf(said.name),
      queue: textOf(said?.queue),
      isMain: said === null ? draft.pid === draft.tid : said.isMain === true,
    });
    readDraft(file, builder, thread, { ...draft, extra }, start);
  }
  return builder.finish();
}

/** What metadata events say. */
interface Names {
  /** By process and thread, as `1:2`. */
  readonly threadNames: ReadonlyMap<string, string>;
  readonly processNames: ReadonlyMap<number, string>;
}

/** A number, which some writers put in quotes. */
function numeric(value: unknown): number {
  return typeof value === "string" && value !== "" ? Number(value) : numberOf(value, NaN);
}

/** The threads of a trace without CPU profiles. */
class TraceThreads {
  readonly builder = new ProfileBuilder({ unit: "microseconds" });
  readonly #names: Names;
  readonly #processes = new Map<number, number>();
  readonly #threads = new Map<string, number>();

  constructor(names: Names) {
    this.#names = names;
  }

  /** The row of the thread that an event is of. */
  row(pid: number, tid: number): number {
    const key = `${pid}:${tid}`;
    let row = this.#threads.get(key);
    if (row !== undefined) return row;
    let process = this.#processes.get(pid);
    if (process === undefined) {
      process = this.builder.process({ name: textOf(this.#names.processNames.get(pid)), pid });
      this.#processes.set(pid, process);
    }
    row = this.builder.thread({
      process,
      id: integerOf(tid),
      name: textOf(this.#names.threadNames.get(key)),
      isMain: pid === tid,
    });
    this.#threads.set(key, row);
    return row;
  }
}

/** An event with a beginning, an end, or both. */
interface Duration {
  readonly name: string;
  readonly at: number;
  /** `Infinity` for one whose end is another event, -1 for that end. */
  readonly length: number;
}

/** Reads a trace's samples, or else its durations. */
function readEvents(file: JsonFile, events: readonly unknown[], names: Names): Profile {
  const threads = new TraceThreads(names);
  const { samples, stackFrames } = file.root;
  if (Array.isArray(samples) && samples.length > 0 && isRecord(stackFrames)) {
    readTraceSamples(samples, stackFrames, threads);
    return threads.builder.finish();
  }
  const byThread = new Map<number, Duration[]>();
  for (const event of events) {
    if (!isRecord(event)) continue;
    const { ph } = event;
    if (ph !== "B" && ph !== "E" && ph !== "X") continue;
    const [pid, tid, at] = [numeric(event.pid), numeric(event.tid), numeric(event.ts)];
    if (Number.isNaN(at)) continue;
    const row = threads.row(pid || 0, tid || 0);
    let list = byThread.get(row);
    if (list === undefined) byThread.set(row, list = []);
    const length = ph === "X" ? Math.max(0, numeric(event.dur ?? event.tdur) || 0) : Infinity;
    const name = textOf(event.name) ?? "(unnamed)";
    list.push({ name, at, length: ph === "E" ? -1 : length });
  }
  if (byThread.size === 0) {
    throw file.error("a trace with CPU profiles, samples or durations in it");
  }
  let start = Infinity;
  for (const list of byThread.values()) for (const { at } of list) start = Math.min(start, at);
  for (const [row, list] of byThread) addDurations(threads.builder, row, list, start);
  return threads.builder.finish();
}

/** Adds a sample for each time in which the same events were open. */
function addDurations(
  builder: ProfileBuilder,
  row: number,
  events: Duration[],
  start: number,
): void {
  // Of those that begin together, the longer one is outside.
  events.sort((one, other) =>
    one.at - other.at ||
    (one.length >= 0 && other.length >= 0 && other.length !== one.length
      ? other.length - one.length
      : 0)
  );
  const open: { readonly name: string; readonly end: number; readonly stack: number }[] = [];
  let now = events[0].at;
  const until = (time: number): void => {
    const stack = open[Math.min(open.length, MAX_DEPTH) - 1]?.stack ?? -1;
    if (time > now && stack >= 0) {
      builder.sample(row, stack, (now - start) / 1000, { weight: time - now });
    }
    now = Math.max(now, time);
  };
  const closeUntil = (time: number): void => {
    for (let last = open.at(-1); last !== undefined && last.end <= time; last = open.at(-1)) {
      until(last.end);
      open.pop();
    }
  };
  /** The last end without a beginning. */
  let orphan: Duration | null = null;
  for (const event of events) {
    const { name, at, length } = event;
    closeUntil(at);
    until(at);
    if (length < 0) {
      const found = open.findLastIndex((event) => event.name === name);
      if (found >= 0) open.length = found;
      else orphan = event;
      continue;
    }
    // An event without duration may be written with its end first.
    if (length === Infinity && orphan?.name === name && orphan.at === at) {
      orphan = null;
      continue;
    }
    const above = open.at(-1)?.stack ?? -1;
    const stack = open.length < MAX_DEPTH
      ? builder.stack(above, builder.frame(builder.function(name)))
      : above;
    open.push({ name, end: at + length, stack });
  }
  closeUntil(Number.MAX_VALUE);
}

/** Adds the samples of a trace: each lasts until the next of its thread. */
function readTraceSamples(
  samples: readonly unknown[],
  frames: JsonRecord,
  threads: TraceThreads,
): void {
  const { builder } = threads;
  const made = new Map<string, number>();
  const stackOf = (id: string): number => {
    const path: string[] = [];
    let at: string | null = id;
    while (at !== null && !made.has(at) && path.length < MAX_DEPTH && Object.hasOwn(frames, at)) {
      path.push(at);
      const frame: unknown = frames[at];
      const parent: unknown = isRecord(frame) ? frame.parent : null;
      at = typeof parent === "number" || typeof parent === "string" ? `${parent}` : null;
    }
    let stack = at === null ? -1 : made.get(at) ?? -1;
    for (const next of path.reverse()) {
      const frame = isRecord(frames[next]) ? frames[next] : {};
      const of = builder.function(textOf(frame.name) ?? "(anonymous)");
      stack = builder.stack(stack, builder.frame(of, { line: lineOf(frame.line) }));
      made.set(next, stack);
    }
    return stack;
  };
  const byThread = new Map<number, { readonly at: number; readonly stack: number }[]>();
  let start = Infinity;
  for (const sample of samples) {
    if (!isRecord(sample)) continue;
    const at = numeric(sample.ts);
    if (Number.isNaN(at)) continue;
    start = Math.min(start, at);
    const row = threads.row(numeric(sample.pid) || 0, numeric(sample.tid) || 0);
    let list = byThread.get(row);
    if (list === undefined) byThread.set(row, list = []);
    list.push({ at, stack: stackOf(`${sample.sf}`) });
  }
  for (const [row, list] of byThread) {
    list.sort((one, other) => one.at - other.at);
    for (const [index, { at, stack }] of list.entries()) {
      const weight = (list[index + 1]?.at ?? at) - at;
      builder.sample(row, stack, (at - start) / 1000, { weight });
    }
  }
}

/** Adds the samples of a CPU profile. */
function readDraft(
  file: JsonFile,
  builder: ProfileBuilder,
  thread: number,
  draft: Draft,
  start: number,
): void {
  const stackOf = readNodes(file, builder, draft);
  const weights = Array.isArray(draft.extra?.weight) ? draft.extra.weight : null;
  const cpus = Array.isArray(draft.extra?.cpu) ? draft.extra.cpu : [];
  const states = Array.isArray(draft.extra?.state) ? draft.extra.state : [];
  const moved = Array.isArray(draft.extra?.moved) ? draft.extra.moved : [];
  let time = draft.startTime;
  for (const [row, id] of draft.samples.entries()) {
    // The first is from the start to the first sample, the others between two. V8 may write negative ones.
    time += numberOf(draft.timeDeltas[row], 0);
    // Traces that begin in the middle of a profile lack nodes.
    const found = stackOf.get(id as number) ?? { stack: -1, isIdle: false };
    const isLast = row + 1 === draft.samples.length;
    // How long the last one lasted is not known: not longer than the others on average.
    const length = isLast
      ? Math.min(
        Math.max(0, (draft.endTime ?? time) - time),
        Math.max(0, time - draft.startTime) / draft.samples.length,
      )
      : Math.max(0, numberOf(draft.timeDeltas[row + 1], 0));
    const weight = weights === null ? length : numberOf(weights[row], 0);
    if (weights !== null && weight === 0) continue;
    const state = weights !== null
      ? states[row]
      : found.isIdle
      ? SampleState.offCPU
      : SampleState.unknown;
    builder.sample(
      thread,
      found.isIdle ? -1 : found.stack,
      (time + numberOf(moved[row], 0) - start) / 1000,
      {
        weight,
        cpu: numberOf(cpus[row], NaN),
        state: state === SampleState.onCPU || state === SampleState.offCPU
          ? state
          : SampleState.unknown,
      },
    );
  }
}

/** The stacks of a call tree's nodes, by identifier. */
function readNodes(
  file: JsonFile,
  builder: ProfileBuilder,
  draft: Draft,
): Map<number, { readonly stack: number; readonly isIdle: boolean }> {
  const parents = new Map<number, number>();
  const nodes = new Map<number, JsonRecord>();
  for (const [index, value] of draft.nodes.entries()) {
    const node = file.record(value, `nodes[${index}]`);
    const id = numberOf(node.id, NaN);
    if (Number.isNaN(id)) throw file.error(`nodes[${index}].id, a number`);
    nodes.set(id, node);
    if (typeof node.parent === "number") parents.set(id, node.parent);
    if (Array.isArray(node.children)) {
      for (const child of node.children) if (typeof child === "number") parents.set(child, id);
    }
  }
  const made = new Map<number, { stack: number; depth: number; isIdle: boolean }>();
  for (const id of nodes.keys()) {
    // From the node up to one that is known, and back; a circle ends at the node it began with.
    const path: number[] = [];
    const seen = new Set<number>();
    let at: number | undefined = id;
    while (at !== undefined && nodes.has(at) && !made.has(at) && !seen.has(at)) {
      seen.add(at);
      path.push(at);
      at = parents.get(at);
    }
    let above = at === undefined ? undefined : made.get(at);
    for (const next of path.reverse()) {
      const frame = file.record(nodes.get(next)!.callFrame, "nodes[].callFrame");
      const name = textOf(frame.functionName);
      const stack = above?.stack ?? -1;
      const depth = above?.depth ?? 0;
      const isIdle = name === "(idle)";
      // These stand for no function.
      const isLeft = stack < 0 && (name === "(root)" || isIdle) || depth >= MAX_DEPTH;
      above = {
        stack: isLeft ? stack : builder.stack(stack, frameOf(builder, frame, name, draft.extra)),
        depth: isLeft ? depth : depth + 1,
        isIdle,
      };
      made.set(next, above);
    }
  }
  return made;
}

function frameOf(
  builder: ProfileBuilder,
  frame: JsonRecord,
  name: string | null,
  extra: JsonRecord | null,
): number {
  const line = lineOf(numberOf(frame.lineNumber, -1) + 1);
  const column = lineOf(numberOf(frame.columnNumber, -1) + 1);
  const file = textOf(frame.url);
  const own = name ?? "(anonymous)";
  // V8 says where the function begins, this program where it was.
  return extra === null
    ? builder.frame(builder.function(own, { file, line }))
    : builder.frame(builder.function(own, { file }), { line, column });
}
