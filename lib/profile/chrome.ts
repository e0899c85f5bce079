/** Profiles of Chrome: the trace event format with V8's CPU profiles in it, and `.cpuprofile` files.
 *
 * A thread is written as a `Profile` event and a `ProfileChunk` with its call tree, samples and the time
 * between them, since that is what all viewers of traces take for samples: Chrome's DevTools, Perfetto
 * (`legacy_v8_cpu_profile_tracker.cc`), the Firefox Profiler and speedscope. A sample lasts until the next
 * one; where a thread was not sampled, `(idle)` is. Addresses, images and inlined calls are not in the
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
  const start = (profile.startTime ?? 0) * 1000;
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
    const { nodes, samples, timeDeltas, extra } = timeline(profile, thread, counter);
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
  const put = (node: number, time: number, row: number): void => {
    ids.push(node);
    timeDeltas.push(Math.round((time - before) * 1000) / 1000);
    before = time;
    weight.push(row < 0 ? 0 : samples.weight[row]);
    cpu.push(row < 0 || Number.isNaN(samples.cpu[row]) ? null : samples.cpu[row]);
    state.push(row < 0 ? SampleState.unknown : samples.state[row]);
  };
  for (let row = 0; row < samples.length; row++) {
    const time = samples.time[row] * 1000;
    put(samples.stack[row] < 0 ? idle : nodeOf(samples.stack[row]), time, row);
    const end = time + Math.max(0, samples.weight[row]) * unit;
    const next = row + 1 < samples.length ? samples.time[row + 1] * 1000 : Infinity;
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
  };
  return { nodes, samples: ids, timeDeltas, extra };
}

/** Whether a document is a CPU profile. */
export function isCpuProfile(root: JsonRecord): boolean {
  return Array.isArray(root.nodes) && Array.isArray(root.samples) && Array.isArray(root.timeDeltas);
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
  const startTime = numberOf(root.startTime, 0);
  const draft: Draft = {
    pid: 0,
    tid: 0,
    startTime,
    endTime: typeof root.endTime === "number" ? root.endTime : null,
    nodes: file.array(root.nodes, "nodes") as unknown[],
    samples: file.array(root.samples, "samples") as unknown[],
    timeDeltas: file.array(root.timeDeltas, "timeDeltas") as unknown[],
    extra: null,
  };
  readDraft(file, builder, thread, draft, startTime);
  return builder.finish();
}

/** Reads the CPU profiles in a trace.
 *
 * @throws FormatError when it is damaged or has none
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
    const pid = numberOf(value.pid, 0);
    const tid = numberOf(value.tid, 0);
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
  if (drafts.size === 0) {
    throw file.error("a trace with CPU profiles in it: events called Profile or CpuProfile");
  }
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
  let time = draft.startTime;
  for (const [row, id] of draft.samples.entries()) {
    // The first is from the start to the first sample, the others between two. V8 may write negative ones.
    time += numberOf(draft.timeDeltas[row], 0);
    const found = stackOf.get(id as number);
    if (found === undefined) throw file.error(`samples[${row}], the identifier of a node`);
    const isLast = row + 1 === draft.samples.length;
    const length = isLast
      ? draft.endTime === null ? 0 : Math.max(0, draft.endTime - time)
      : Math.max(0, numberOf(draft.timeDeltas[row + 1], 0));
    const weight = weights === null ? length : numberOf(weights[row], 0);
    if (weights !== null && weight === 0) continue;
    const state = weights !== null
      ? states[row]
      : found.isIdle
      ? SampleState.offCPU
      : SampleState.unknown;
    builder.sample(thread, found.isIdle ? -1 : found.stack, (time - start) / 1000, {
      weight,
      cpu: numberOf(cpus[row], NaN),
      state: state === SampleState.onCPU || state === SampleState.offCPU
        ? state
        : SampleState.unknown,
    });
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
