/** Merging a delta stackshot with the one it is based on. */
import type { StackshotData, TaskData, ThreadData } from "./data.ts";

/** Completes a delta stackshot with the stackshot that it is based on.
 *
 * A delta has full data for threads that ran, changed fields for others, and only a listing for the
 * rest. What the earlier stackshot has and the delta does not mention has ended.
 */
export function mergeDelta(base: StackshotData, delta: StackshotData): StackshotData {
  const before = new Map(base.tasks.map((task) => [task.uniqueId, task]));
  const warnings = [...delta.warnings];
  const tasks = delta.tasks.map((task) => {
    const old = before.get(task.uniqueId);
    before.delete(task.uniqueId);
    if (old === undefined) {
      if (task.change !== "new") {
        warnings.push(`task 0x${task.uniqueId.toString(16)} is not in the stackshot before`);
      }
      return task;
    }
    return mergeTask(old, task);
  });
  const named = new Set(delta.namedTasks);
  const asked = BigInt.asIntN(32, delta.numbers.stackshot_in_pid ?? -1n);
  for (const task of before.values()) {
    const spokenOf = asked === -1n || asked === BigInt(task.pid);
    if (named.has(task.uniqueId) || !spokenOf) {
      tasks.push({
        ...task,
        change: "kept",
        threads: task.threads.map((thread) => ({ ...thread, change: "kept" })),
      });
    }
  }
  return {
    ...base,
    ...delta,
    // Recorded only in the full stackshot.
    timebase: base.timebase,
    osVersion: delta.osVersion ?? base.osVersion,
    osBuild: delta.osBuild ?? base.osBuild,
    bootArgs: delta.bootArgs ?? base.bootArgs,
    pageSize: delta.pageSize ?? base.pageSize,
    sharedCache: delta.sharedCache ?? base.sharedCache,
    sharedCacheLayout: longer(delta.sharedCacheLayout, base.sharedCacheLayout),
    portLabels: new Map([...base.portLabels, ...delta.portLabels]),
    threadGroups: longer(delta.threadGroups, base.threadGroups),
    coalitions: longer(delta.coalitions, base.coalitions),
    tasks,
    details: delta.details,
    warnings,
  };
}

/** The delta's value, or else the earlier one. */
function longer<T>(delta: readonly T[], base: readonly T[]): readonly T[] {
  return delta.length > 0 ? delta : base;
}

function mergeTask(old: TaskData, task: TaskData): TaskData {
  const before = new Map(old.threads.map((thread) => [thread.id, thread]));
  const threads = task.threads.map((thread) => mergeThread(before.get(thread.id), thread));
  const seen = new Set(threads.map(({ id }) => id));
  for (const id of task.namedThreads) {
    const thread = before.get(id);
    if (thread !== undefined && !seen.has(id)) threads.push({ ...thread, change: "named" });
  }
  // A delta lists every thread of a task it reports, and none of a task it only lists.
  if (task.change === "named" && threads.length === 0) {
    for (const thread of old.threads) threads.push({ ...thread, change: "kept" });
  }
  const common = {
    ...task,
    pid: task.pid === -1 ? old.pid : task.pid,
    name: task.name === "" ? old.name : task.name,
    cpuType: task.cpuType ?? old.cpuType,
    size: task.size ?? old.size,
    flags: task.change === "named" ? old.flags : task.flags,
    suspendCount: task.change === "named" ? old.suspendCount : task.suspendCount,
    loadInfos: longer(task.loadInfos, old.loadInfos),
    textExec: longer(task.textExec, old.textExec),
    kernelCache: task.kernelCache ?? old.kernelCache,
    sharedCache: task.sharedCache ?? old.sharedCache,
    threads,
    details: { ...old.details, ...task.details },
  };
  return common;
}

function mergeThread(old: ThreadData | undefined, thread: ThreadData): ThreadData {
  if (old === undefined || thread.change !== "changed") return thread;
  const { state, flags, basePriority, priority, qos, change, details } = thread;
  return {
    ...old,
    state,
    flags,
    basePriority,
    priority,
    qos,
    change,
    details: { ...old.details, ...details },
  };
}
