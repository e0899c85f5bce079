/** The trace buffer of `stack_snapshot`, byte by byte, as each system wrote it: the structures of
 * `osfmk/kern/debug.h` and the order of `kdp_stackshot()`, of XNU 1504, 1699, 2050, 2422, 2782 and
 * 3248. */
import { Bytes } from "./bytes.ts";
import type { Frame, Shot, Task, Thread } from "./shot.ts";

export const systems = ["10.6", "10.7", "10.8", "10.9", "10.10", "10.11"] as const;
export type System = typeof systems[number];

const from = (system: System, first: System) => systems.indexOf(system) >= systems.indexOf(first);

function threadSnapshot(system: System, thread: Thread, flags: number): Bytes {
  const bytes = new Bytes()
    .u32(0xfeedface, thread.kernel?.length ?? 0, thread.user?.length ?? 0)
    .u64(thread.waitEvent ?? 0, thread.continuation ?? 0, thread.id);
  if (from(system, "10.7")) bytes.u64(thread.userTime ?? 0, thread.systemTime ?? 0);
  bytes.u32(thread.state ?? 1);
  if (from(system, "10.9")) bytes.u32(31);
  if (from(system, "10.8")) bytes.u32(47, 2);
  bytes.u8(flags);
  if (from(system, "10.10")) {
    if (from(system, "10.11")) bytes.u8(4, 5, 0, 1, 0, 0, 0);
    else bytes.u8(4, 1);
    // I/O statistics: 4 counters, 4 by priority twice, 8 counters.
    for (let index = 0; index < 20; index++) bytes.u64(index);
    bytes.u64(0x1234, 77).text(thread.name ?? "", 64);
  }
  return bytes;
}

function taskSnapshot(system: System, task: Task): Bytes {
  const bytes = new Bytes().u32(0xdecafbad, task.pid);
  const count = task.images?.length ?? 0;
  const flags = task.flags ?? 1;
  if (from(system, "10.9")) {
    bytes.u64(task.uniqueId, 5000, 6000);
    if (task.sharedCache === undefined) bytes.zeroes(24);
    else bytes.uuid(task.sharedCache.uuid).u64(task.sharedCache.slide);
    bytes.u32(count, task.suspendCount ?? 0, 300, 100, 20, 3, flags);
    if (from(system, "10.10")) bytes.u64(1_400_000_000, 17);
    bytes.text(task.name, 17).u32(0, 0, 0);
    if (from(system, "10.10")) {
      for (let index = 0; index < 20; index++) bytes.u64(index);
      bytes.u32(task.donating?.length ?? 0);
    }
    return bytes;
  }
  bytes.u32(count);
  if (from(system, "10.7")) bytes.u64(5000, 6000).u32(task.suspendCount ?? 0, 300, 100, 20, 3);
  return bytes.u8(flags & 0xff).text(task.name, 17);
}

function memorySnapshot(system: System): Bytes {
  const bytes = new Bytes();
  if (!from(system, "10.7")) return bytes;
  bytes.u32(system === "10.7" ? 0xabcddcba : 0xbfcabcde, 1, 2, 3, 4, 5, 6, 7);
  if (from(system, "10.9")) bytes.u32(8, 9, 10, 11);
  if (from(system, "10.8")) bytes.u32(12, 13, 14).u8(1);
  return bytes;
}

/** A trace buffer.
 *
 * @param withMemory begins with the machine's memory, as `STACKSHOT_GET_GLOBAL_MEM_STATS` asks
 */
export function encodeTrace(
  system: System,
  shot: Pick<Shot, "tasks">,
  withMemory = false,
): Uint8Array<ArrayBuffer> {
  const bytes = new Bytes();
  if (withMemory) bytes.bytes(memorySnapshot(system).done());
  for (const task of shot.tasks) {
    bytes.bytes(taskSnapshot(system, task).done());
    for (const { uuid, address } of task.images ?? []) {
      if (task.images32 === true) bytes.u32(Number(address));
      else bytes.u64(address);
      bytes.uuid(uuid);
    }
    if (from(system, "10.10")) bytes.u32(...task.donating ?? []);
    for (const thread of task.threads) {
      const user = (thread.user?.length ?? 0) > 0 && thread.user32 !== true ? 1 : 0;
      const kernel = (thread.kernel?.length ?? 0) > 0 && thread.kernel32 !== true ? 2 : 0;
      const serial = thread.queueSerial === undefined ? 0 : 4;
      bytes.bytes(threadSnapshot(system, thread, user | kernel | serial).done());
      if (thread.queueSerial !== undefined) bytes.u64(thread.queueSerial);
      const write = (frames: readonly Frame[], is32: boolean) => {
        for (const { lr, fp } of frames) {
          if (is32) bytes.u32(Number(lr), Number(fp));
          else bytes.u64(lr, fp);
        }
      };
      write(thread.kernel ?? [], thread.kernel32 === true);
      write(thread.user ?? [], thread.user32 === true);
    }
  }
  return bytes.done();
}
