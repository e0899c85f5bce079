/** The trace buffer of `stack_snapshot`, which kernels from Mac OS X 10.6 to OS X 10.11 filled:
 * `osfmk/kern/debug.h` and `kdp_stackshot()` of XNU 1504 to 3248.
 *
 * A task structure is followed by its image list, then by its threads; a thread structure by the
 * dispatch queue's serial number, kernel frames and user frames. The buffer does not record the system
 * version, and the layouts differ by version: the layout that decodes to the end is the right one. */
import { FormatError } from "../errors.ts";
import type { LoadInfo, RawFrame, StackshotData, TaskData, ThreadData } from "./data.ts";
import { formatUuid } from "../hex.ts";
import { big, type Layout, layout, num, readStruct, str, type Struct } from "./layout.ts";
import { collector } from "./warnings.ts";

const TASK = 0xdecafbad;
const THREAD = 0xfeedface;
const MEMORY = 0xabcddcba;
const MEMORY_AND_IO = 0xbfcabcde;
const MICRO = 0x31c54011;

/** Bits of `ss_flags`. */
const user64 = 1n;
const kernel64 = 2n;
const hasDispatchSerial = 4n;
const terminated = 8n;

const io = "u64 disk_reads_count; u64 disk_reads_size; u64 disk_writes_count; " +
  "u64 disk_writes_size; u64[4] io_priority_count; u64[4] io_priority_size; u64 paging_count; " +
  "u64 paging_size; u64 non_paging_count; u64 non_paging_size; u64 data_count; u64 data_size; " +
  "u64 metadata_count; u64 metadata_size";
const threadHead = "u32 snapshot_magic; u32 nkern_frames; u32 nuser_frames; u64 wait_event; " +
  "u64 continuation; u64 thread_id";
const threadTimes = `${threadHead}; u64 user_time; u64 system_time; i32 state`;
const threadPriorities =
  `${threadTimes}; i32 priority; i32 sched_pri; i32 sched_flags; u8 ss_flags`;
const threadTail = `${io}; u64 voucher_identifier; u64 total_syscalls; char[64] pth_name`;
const faults = "i32 suspend_count; i32 task_size; i32 faults; i32 pageins; i32 cow_faults";
const taskTimes = "u64 user_time_in_terminated_threads; u64 system_time_in_terminated_threads";
const taskUnique = `u32 snapshot_magic; i32 pid; u64 uniqueid; ${taskTimes}; ` +
  `uuid shared_cache_identifier; u64 shared_cache_slide; u32 nloadinfos; ${faults}; u32 ss_flags`;
const throttles = "u32 was_throttled; u32 did_throttle; u32 latency_qos";
const memory = "u32 snapshot_magic; u32 free_pages; u32 active_pages; u32 inactive_pages; " +
  "u32 purgeable_pages; u32 wired_pages; u32 speculative_pages; u32 throttled_pages";
const pressure = "i32 busy_buffer_count; u32 pages_wanted; u32 pages_reclaimed; " +
  "u8 pages_wanted_reclaimed_valid";

/** The structure layouts of one system version. */
export interface System {
  /** Such as `10.9`. */
  readonly name: string;
  readonly task: Layout;
  readonly thread: Layout;
  /** Layout of the memory information. */
  readonly memory: Layout | null;
}

function system(name: string, task: string, thread: string, memory: string | null): System {
  return {
    name,
    task: layout("task_snapshot", task),
    thread: layout("thread_snapshot", thread),
    memory: memory === null ? null : layout("mem_and_io_snapshot", memory),
  };
}

const task107 = `u32 snapshot_magic; i32 pid; u32 nloadinfos; ${taskTimes}; ${faults}; ` +
  "u8 ss_flags; char[17] p_comm";
const task1010 =
  `${taskUnique}; u64 p_start_sec; u64 p_start_usec; char[17] p_comm; ${throttles}; ` +
  `${io}; u32 donating_pid_count`;
const memory109 = `${memory}; u32 filebacked_pages; u32 compressions; u32 decompressions; ` +
  `u32 compressor_size; ${pressure}`;

/** Newest first. */
export const systems: readonly System[] = [
  system(
    "10.11",
    task1010,
    `${threadPriorities}; u8 ts_qos; u8 ts_rqos; u8 ts_rqos_override; u8 io_tier; ` +
      `u8[3] reserved; ${threadTail}`,
    memory109,
  ),
  system(
    "10.10",
    task1010,
    `${threadPriorities}; u8 ts_qos; u8 io_tier; ${threadTail}`,
    memory109,
  ),
  system("10.9", `${taskUnique}; char[17] p_comm; ${throttles}`, threadPriorities, memory109),
  system(
    "10.8",
    task107,
    `${threadTimes}; i32 sched_pri; i32 sched_flags; u8 ss_flags`,
    `${memory}; ${pressure}`,
  ),
  system("10.7", task107, `${threadTimes}; u8 ss_flags`, memory),
  system(
    "10.6",
    "u32 snapshot_magic; i32 pid; u32 nloadinfos; u8 ss_flags; char[17] p_comm",
    `${threadHead}; i32 state; u8 ss_flags`,
    null,
  ),
];

const micro = layout(
  "micro_snapshot",
  "u32 snapshot_magic; u32 ms_cpu; u64 ms_time; u64 ms_time_microsecs; u8 ms_flags; " +
    "u16 ms_opaque_flags",
);

interface Task {
  readonly struct: Struct;
  readonly loadInfos: LoadInfo[];
  readonly donatingPids: number[];
  readonly threads: ThreadData[];
}

interface Attempt {
  readonly system: System;
  readonly tasks: Task[];
  readonly details: Record<string, Struct>;
  /** Offset it reached. */
  end: number;
  /** Why it stopped; `undefined` at the end of the bytes. */
  problem: string | undefined;
}

/** Whether bytes begin like a trace buffer. */
export function isTraceBuffer(bytes: Uint8Array): boolean {
  if (bytes.length < 4) return false;
  const magic = new DataView(bytes.buffer, bytes.byteOffset, 4).getUint32(0, true);
  return magic === TASK || magic === MEMORY || magic === MEMORY_AND_IO || magic === MICRO;
}

/** Decodes a trace buffer.
 *
 * @param name of the file, for errors
 * @throws FormatError when it is not a trace buffer
 */
export function decodeTraceBuffer(bytes: Uint8Array, name: string): StackshotData {
  if (!isTraceBuffer(bytes)) throw new FormatError(name, 0, "a trace buffer's first snapshot");
  const attempts = systems.map((system) => attempt(system, bytes));
  // A layout that ends exactly at the end wins over one that also accepts trailing zeroes.
  const score = ({ end, problem }: Attempt): number =>
    end === bytes.length && problem === undefined ? Infinity : end;
  const best = attempts.reduce((best, next) => score(next) > score(best) ? next : best);
  if (best.tasks.length === 0) throw new FormatError(name, best.end, "a whole task snapshot");
  const warnings: string[] = [];
  const warn = collector(warnings);
  if (best.problem !== undefined) {
    warn(`${best.problem} at offset 0x${best.end.toString(16)}: what follows is left out`);
  }
  return {
    form: "trace-buffer",
    source: name,
    layout: best.system.name,
    absoluteTime: null,
    time: null,
    timebase: { numer: 1, denom: 1 },
    since: null,
    osVersion: null,
    osBuild: null,
    bootArgs: null,
    pageSize: null,
    numbers: {},
    sharedCache: null,
    sharedCacheLayout: [],
    portLabels: new Map(),
    threadGroups: [],
    coalitions: [],
    tasks: best.tasks.map(taskData),
    namedTasks: [],
    details: best.details,
    unknown: [],
    unknownContainers: [],
    warnings,
  };
}

function attempt(system: System, bytes: Uint8Array): Attempt {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const result: Attempt = { system, tasks: [], details: {}, end: 0, problem: undefined };
  let at = 0;
  const magicHere = (offset: number): number | null =>
    offset + 4 > bytes.length ? null : view.getUint32(offset, true);
  const isMagic = (magic: number | null): boolean => magic === TASK || magic === THREAD;
  /** Reads a structure; `null` when it is truncated. */
  const take = (layout: Layout): Struct | null => {
    if (layout.size > bytes.length - at) return null;
    const struct = readStruct(layout, bytes.subarray(at, at + layout.size));
    at += layout.size;
    return struct;
  };
  const stop = (problem: string | undefined): Attempt => {
    result.problem = problem;
    return result;
  };
  for (;;) {
    result.end = at;
    const magic = magicHere(at);
    // Buffers are often larger than their content.
    if (magic === null || magic === 0) {
      return stop(at === bytes.length || magic === 0 ? undefined : "a snapshot is cut short");
    }
    if (magic === MEMORY || magic === MEMORY_AND_IO) {
      if (system.memory === null || (magic === MEMORY) !== (system.name === "10.7")) {
        return stop("there is no such snapshot of memory");
      }
      const struct = take(system.memory);
      if (struct === null) return stop("the snapshot of memory is cut short");
      result.details.mem_and_io_snapshot = struct;
    } else if (magic === MICRO) {
      const struct = take(micro);
      if (struct === null) return stop("a microstackshot is cut short");
      result.details.micro_snapshot ??= struct;
    } else if (magic === TASK) {
      const struct = take(system.task);
      if (struct === null) return stop("a task snapshot is cut short");
      const wide = (big(struct, "ss_flags") & (user64 | kernel64)) !== 0n;
      const count = num(struct, "nloadinfos");
      const donating = num(struct, "donating_pid_count") * 4;
      const fits = (size: number): boolean => at + size * count + donating <= bytes.length;
      const goesOn = (size: number): boolean => {
        const next = at + size * count + donating;
        return next === bytes.length || magicHere(next) === 0 || isMagic(magicHere(next));
      };
      let size = wide ? 24 : 20;
      // Kernel images have the kernel's pointer size, which its task need not record.
      if (count > 0 && !goesOn(size) && goesOn(44 - size)) size = 44 - size;
      if (!fits(size)) return stop(`the task snapshot has no room for its ${count} images`);
      const loadInfos: LoadInfo[] = [];
      for (let index = 0; index < count; index++, at += size) {
        const address = size === 24
          ? view.getBigUint64(at, true)
          : BigInt(view.getUint32(at, true));
        loadInfos.push({ address, uuid: formatUuid(bytes.subarray(at + size - 16, at + size)) });
      }
      const donatingPids: number[] = [];
      for (const end = at + donating; at < end; at += 4) donatingPids.push(view.getInt32(at, true));
      result.tasks.push({ struct, loadInfos, donatingPids, threads: [] });
    } else if (magic === THREAD) {
      const task = result.tasks.at(-1);
      if (task === undefined) return stop("a thread belongs to no task");
      const struct = take(system.thread);
      if (struct === null) return stop("a thread snapshot is cut short");
      const flags = big(struct, "ss_flags");
      let serial = 0n;
      if ((flags & hasDispatchSerial) !== 0n) {
        if (at + 8 > bytes.length) return stop("a thread's dispatch queue is cut short");
        serial = view.getBigUint64(at, true);
        at += 8;
      }
      const frames = (count: number, wide: boolean): RawFrame[] | null => {
        const width = wide ? 8 : 4;
        if (count * width * 2 > bytes.length - at) return null;
        const read = (offset: number) =>
          wide ? view.getBigUint64(offset, true) : BigInt(view.getUint32(offset, true));
        const list: RawFrame[] = [];
        for (; list.length < count; at += width * 2) {
          list.push({ address: read(at), frame: read(at + width) });
        }
        return list;
      };
      const kernelFrames = frames(num(struct, "nkern_frames"), (flags & kernel64) !== 0n);
      const userFrames = kernelFrames &&
        frames(num(struct, "nuser_frames"), (flags & user64) !== 0n);
      if (kernelFrames === null || userFrames === null) {
        return stop("a thread has more frames than there are bytes");
      }
      task.threads.push(threadData(struct, serial, kernelFrames, userFrames));
    } else {
      return stop(`there is no snapshot with the mark 0x${magic.toString(16)}`);
    }
  }
}

function threadData(
  struct: Struct,
  queueSerial: bigint,
  kernelFrames: RawFrame[],
  userFrames: RawFrame[],
): ThreadData {
  const flags = big(struct, "ss_flags");
  return {
    id: big(struct, "thread_id"),
    name: str(struct, "pth_name"),
    queueLabel: "",
    queueSerial,
    state: num(struct, "state"),
    flags,
    waitEvent: big(struct, "wait_event"),
    continuation: big(struct, "continuation"),
    userTime: big(struct, "user_time"),
    systemTime: big(struct, "system_time"),
    basePriority: num(struct, "priority"),
    priority: num(struct, "sched_pri"),
    qos: num(struct, "ts_qos"),
    kernelFrames,
    userFrames,
    kernel64: (flags & kernel64) !== 0n,
    user64: (flags & user64) !== 0n,
    asyncFrames: [],
    asyncStart: null,
    change: null,
    details: { thread_snapshot: struct },
    unknown: [],
  };
}

function taskData({ struct, loadInfos, donatingPids, threads }: Task): TaskData {
  const flags = big(struct, "ss_flags");
  const cache = str(struct, "shared_cache_identifier");
  const slide = big(struct, "shared_cache_slide");
  const isNull = /^[0-]*$/.test(cache);
  return {
    pid: num(struct, "pid"),
    uniqueId: big(struct, "uniqueid"),
    name: str(struct, "p_comm"),
    flags,
    exiting: (flags & terminated) !== 0n,
    cpuType: null,
    suspendCount: num(struct, "suspend_count"),
    // In pages of unknown size.
    size: null,
    loadInfos,
    textExec: [],
    kernelCache: null,
    sharedCache: isNull ? null : { uuid: cache, slide, base: 0n },
    waits: [],
    turnstiles: [],
    donatingPids,
    pageTables: [],
    threads,
    namedThreads: [],
    change: null,
    details: { task_snapshot: struct },
    unknown: [],
  };
}
