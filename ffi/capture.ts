/** Decodes the result of `mp_snapshot`: `mp_snapshot_header` and `mp_snapshot_thread` of
 * `shim/machpause.h`. All supported systems are little-endian. */
import type { CapturedThread, ThreadInfo } from "../lib/target/kernel.ts";

/** `sizeof(mp_thread_info)`. */
export const threadInfoSize = 128;

/** `sizeof(mp_snapshot_header)`. */
export const headerSize = 40;

/** `mp_snapshot_header` */
export interface Header {
  /** Nanoseconds. */
  readonly stopped: number;
  /** Bytes. */
  readonly used: number;
  /** Size in bytes of a buffer that would hold everything. */
  readonly needed: number;
  readonly threadCount: number;
  readonly threadSize: number;
}

/** Reads the header.
 *
 * @param view of the whole buffer
 */
export function readHeader(view: DataView): Header {
  return {
    stopped: Number(view.getBigUint64(0, true)),
    used: Number(view.getBigUint64(8, true)),
    needed: Number(view.getBigUint64(16, true)),
    threadCount: view.getUint32(24, true),
    threadSize: view.getUint32(32, true),
  };
}

const decoder = new TextDecoder();

/** Decodes a C string, or all of `bytes` without a terminator. */
export function readString(bytes: Uint8Array): string {
  const end = bytes.indexOf(0);
  return decoder.decode(end < 0 ? bytes : bytes.subarray(0, end));
}

/** Reads an `mp_thread_info`. */
export function readThreadInfo(bytes: Uint8Array, view: DataView, offset: number): ThreadInfo {
  return {
    id: view.getBigUint64(offset, true),
    handle: view.getBigUint64(offset + 8, true),
    dispatchQueueAddress: view.getBigUint64(offset + 16, true),
    userTime: view.getBigUint64(offset + 24, true),
    systemTime: view.getBigUint64(offset + 32, true),
    cpuUsage: view.getUint32(offset + 40, true),
    runState: view.getUint32(offset + 44, true),
    flags: view.getUint32(offset + 48, true),
    suspendCount: view.getInt32(offset + 52, true),
    priority: view.getInt32(offset + 56, true),
    name: readString(bytes.subarray(offset + 64, offset + threadInfoSize)),
  };
}

const nothing = new Uint8Array(0);

/** Decodes the thread records. Threads that ended before anything was read of them are left out.
 *
 * @param bytes the used part of the buffer. The results' states and stacks are views of it
 * @param stateSize size of a thread state in bytes
 */
export function readThreads(
  bytes: Uint8Array,
  { threadCount, threadSize }: Header,
  stateSize: number,
): CapturedThread[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const threads: CapturedThread[] = [];
  for (let index = 0; index < threadCount; index++) {
    const record = headerSize + index * threadSize;
    const stackSize = Number(view.getBigUint64(record + 136, true));
    const stackOffset = Number(view.getBigUint64(record + 152, true));
    const infoResult = view.getInt32(record + 160, true);
    const stateResult = view.getInt32(record + 164, true);
    if (infoResult !== 0 && stateResult !== 0) continue;
    const state = record + 176;
    threads.push({
      info: readThreadInfo(bytes, view, record),
      state: stateResult === 0 ? bytes.subarray(state, state + stateSize) : nothing,
      stateResult,
      stackAddress: view.getBigUint64(record + 128, true),
      stack: bytes.subarray(stackOffset, stackOffset + stackSize),
      stackEnd: view.getBigUint64(record + 144, true),
    });
  }
  return threads;
}
