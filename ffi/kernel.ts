/** {@linkcode MachKernel} over the native library. */
import { AttachError, MachError, TargetGoneError } from "../lib/errors.ts";
import type { AddressRange } from "../lib/macho/walking.ts";
import type {
  Capture,
  CaptureOptions,
  DyldInfo,
  MachKernel,
  OwnImage,
  Region,
  Sampling,
  SamplingOptions,
  ThreadInfo,
} from "../lib/target/kernel.ts";
import { headerSize, readHeader, readString, readThreadInfo, readThreads } from "./capture.ts";
import { libraryPath } from "./library.ts";
import { type Native, openNative } from "./native.ts";
import {
  architectureRefusal,
  exceptionPortRefusal,
  type ProcessInfo,
  type RefusalFacts,
  refusalOf,
  setStateRefusal,
  stackshotRemedy,
  stopRefusalOf,
} from "./remedy.ts";
import { statusField } from "./procfs.ts";
import { startSampling } from "./sampling.ts";
import { findSignedCopy } from "./signed_copy.ts";
import { type Watchdog, watchdogOf } from "./watchdog.ts";

/** The `kern_return_t` values that are handled here. */
const kern = {
  success: 0,
  noSpace: 3,
  invalidArgument: 4,
  failure: 5,
  resourceShortage: 6,
  noAccess: 8,
  terminated: 37,
  operationTimedOut: 49,
  invalidDest: 0x10000003,
} as const;

/** `MACH_PORT_DEAD` of `<mach/port.h>`. */
const deadPort = 0xffff_ffff;

/** The calls that attach to a thread on Linux. */
const attaching: ReadonlySet<string> = new Set([
  "thread_suspend",
  "thread_get_state",
  "thread_set_state",
]);

/** How to open the kernel's native side. */
export interface KernelOptions {
  /** The path of the library to use instead of the embedded one. */
  readonly library?: string;
}

/** What to capture in a stackshot. */
export interface StackshotRequest {
  /** Only this process. Default: all. */
  readonly pid?: number;
  /** A `mach_absolute_time`: capture only what has changed since then. */
  readonly since?: bigint;
}

/** A crash, as the kernel tells it: `mp_crash` of `shim/machpause.h`. */
export interface CrashRecord {
  readonly threadId: bigint;
  /** The low 20 bits of the exception's first code. */
  readonly code: bigint;
  /** Its second code: of `EXC_BAD_ACCESS` the address. */
  readonly subcode: bigint;
  /** `EXC_*`; 0 for a signal that was sent, as by `abort()`. */
  readonly exception: number;
  /** Darwin's number. */
  readonly signal: number;
  /** For {@linkcode NativeKernel.crashPass}. */
  readonly reply: number;
}

/** A {@linkcode MachKernel} that counts its calls and takes stackshots. */
export interface NativeKernel extends MachKernel {
  /** How many calls into the library were made. */
  readonly calls: number;
  /** Ends this process when its event loop hangs and it is asked to end. */
  readonly watchdog: Watchdog;
  /** The name of a process, not safe to print raw; `null` if there is no such process. */
  processName(pid: number): string | null;
  /** What the system tells every caller about a process; `undefined` if there is none. */
  processInfo(pid: number): ProcessInfo | undefined;
  /** This process's entitlements, an XML property list; `undefined` if unknown. */
  ownEntitlements(): string | undefined;
  /** Whether the login session has a screen, so that the system can show a password dialog. */
  hasScreen(): boolean;
  /** Registers a name to which launched programs send their task ports.
   *
   * @returns the port for {@linkcode NativeKernel.launchAccept}
   * @throws MachError if the name cannot be registered
   */
  launchOpen(name: string): number;
  /** Polls for the task port of a process. Once it has arrived, {@linkcode taskForPid} returns it. The
   * process waits until {@linkcode launchContinue} is called with the result. */
  launchAccept(port: number, pid: number): number | undefined;
  /** Lets the process start. */
  launchContinue(reply: number): void;
  /** Releases the name. */
  launchClose(port: number): void;
  /** Has the kernel tell when a task crashes, before it dies of it.
   *
   * @returns a port for {@linkcode NativeKernel.crashPoll}, to be closed
   */
  crashOpen(task: number): number;
  /** The crash that was told since the last call; `undefined` for none. */
  crashPoll(port: number): CrashRecord | undefined;
  /** Lets a process die of its crash, whose reply this is. */
  crashPass(reply: number): void;
  /** Waits for crashes no longer. */
  crashClose(port: number): void;
  /** `stackshot_capture_with_config`, or the system call of older kernels: the kernel's bytes, kcdata or
   * a trace buffer.
   *
   * @throws MachError if it is not permitted or not supported
   */
  stackshot(request?: StackshotRequest): Uint8Array;
}

/** Opens the native library.
 *
 * @example
 * ```ts
 * import { openKernel } from "./mod.ts";
 *
 * const kernel = openKernel();
 * const task = kernel.taskForPid(4242);
 * const token = kernel.taskSuspend(task);
 * kernel.taskResume(token);
 * kernel.portRelease(task);
 * ```
 *
 * @throws Error with a remedy when it cannot be loaded
 */
export function openKernel(options: KernelOptions = {}): NativeKernel {
  return new Shim(openNative(libraryPath(options.library)));
}

/** A kernel over an open native library, as if on another machine. For tests.
 *
 * @param arch as `Deno.build.arch` names it
 */
export function kernelOver(native: Native, system: "darwin" | "linux", arch: string): NativeKernel {
  return new Shim(native, system, arch);
}

/** Whether Developer Mode is on. If it is, members of the group `_developer` are not asked for a
 * password. */
export function developerMode(): boolean | undefined {
  try {
    const { stdout } = new Deno.Command("/usr/sbin/DevToolsSecurity", {
      args: ["-status"],
      stdin: "null",
      stderr: "null",
    }).outputSync();
    const [, state] = /\b(enabled|disabled)\b/.exec(new TextDecoder().decode(stdout)) ?? [];
    return state === undefined ? undefined : state === "enabled";
  } catch {
    return undefined;
  }
}

/** `sizeof(mp_vm_region_info)`, and where its path starts. */
const regionSize = 1072;
const regionPath = 48;

/** `MP_REGION_PATHS`. */
const withPaths = 1;

/** Number of regions per call: half a megabyte. */
const regionBatch = 512;

/** How many ranges are requested at once. */
const rangeBatch = 4096;

/** Initial buffer size for snapshots: a hundred threads with a few pages of stack each. */
const firstSnapshotCapacity = 2 << 20;

/** Maximum number of attempts at a snapshot, when the target's stacks and threads keep growing. */
const snapshotTries = 8;

/** Initial buffer size for stackshots: a whole system's has several megabytes. */
const firstStackshotCapacity = 16 << 20;
/** Maximum buffer size: `SANE_TRACEBUF_SIZE` of the kernels that have a limit. */
const mostStackshotCapacity = 256 << 20;

/** `STACKSHOT_*` of `osfmk/kern/debug.h`: dispatch queues, images of tasks and the kernel, memory,
 * kcdata, fetching of pages for stacks and images, the shared cache's layout, wait information, thread
 * groups, coalitions. */
const stackshotFlags = 0x1n | 0x2n | 0x4n | 0x8n | 0x1_0000n | 0x2_0000n | 0x8_0000n | 0x20_0000n |
  0x100_0000n | 0x200_0000n | 0x400_0000n;
/** `STACKSHOT_COLLECT_DELTA_SNAPSHOT`. */
const stackshotDelta = 0x4_0000n;

class Shim implements NativeKernel {
  readonly system: "darwin" | "linux";
  readonly #arch: string;
  readonly #native: Native;
  /** Buffers for results of one or two words, and for names and paths. */
  readonly #word = new Uint32Array(1);
  readonly #long = new BigUint64Array(1);
  readonly #text = new Uint8Array(4096);
  readonly #record = new Uint8Array(128);
  readonly #recordView = new DataView(this.#record.buffer);
  /** Allocated at first use; grows as needed. */
  #snapshot = new Uint8Array(0);
  #regions = new Uint8Array(0);
  #threads = new Uint32Array(64);
  /** Pids of task ports, for messages. */
  readonly #pids = new Map<number, number>();
  /** Task ports of launched processes, by pid. */
  readonly #launched = new Map<number, number>();
  /** Tasks and threads whose registers must not be written, with the reason. */
  readonly #guarded = new Map<number, string>();
  #calls = 0;
  #watchdog: Watchdog | undefined;

  constructor(
    native: Native,
    system: "darwin" | "linux" = Deno.build.os === "darwin" ? "darwin" : "linux",
    arch: string = Deno.build.arch,
  ) {
    this.#native = native;
    this.system = system;
    this.#arch = arch;
  }

  get watchdog(): Watchdog {
    return this.#watchdog ??= watchdogOf(this.#native);
  }

  get calls(): number {
    return this.#calls;
  }

  /** Counts the calls. */
  get #shim(): Native {
    this.#calls++;
    return this.#native;
  }

  #nameOf(port: number): string {
    const pid = this.#pids.get(port);
    return pid === undefined
      ? `the task or thread with the port 0x${port.toString(16)}`
      : `pid ${pid}`;
  }

  #check(call: string, code: number, port: number): void {
    if (code !== kern.success) throw this.#error(call, code, port);
  }

  #error(call: string, code: number, port: number): Error {
    const pid = this.#pids.get(port);
    // Which of these codes the kernel returns depends on when the process exited.
    const gone = code === kern.invalidDest || code === kern.terminated ||
      (code === kern.invalidArgument && pid !== undefined && !this.#exists(pid)) ||
      this.#isBeingTakenApart(call, code, port);
    if (gone) {
      const how = this.#whyReplaced(pid);
      return new TargetGoneError(this.#nameOf(port), how, how !== undefined);
    }
    const whole = call === "task_suspend2" || call === "mp_snapshot";
    if (code === kern.operationTimedOut) {
      const text = whole
        ? "its threads could not be stopped in time, as while it calls exec: try again"
        : "the thread waits in the kernel and cannot be stopped now";
      return new MachError(call, code, text);
    }
    // On Linux a task or a thread is attached to when it is suspended.
    if (code === kern.failure && this.system === "linux") {
      const process = whole ? pid : attaching.has(call) ? this.#processOf(port) : undefined;
      if (process !== undefined) {
        return new AttachError(call, code, stopRefusalOf(process, this.#facts()));
      }
    }
    if (code === kern.resourceShortage) {
      const text = "this process is out of file descriptors, or of memory: `ulimit -n` shows how " +
        "many descriptors it may have";
      return new MachError(call, code, text);
    }
    return new MachError(call, code);
  }

  /** XNU makes another task of a process that calls `exec`, and ends the first one (`kern_exec.c`,
   * `proc_exec_switch_task()`). A process that dies says so before its task ends (`kern_exit.c`,
   * `exit1_internal()`).
   *
   * @param pid of a task that is gone
   * @returns what is there instead, in words; `undefined` for nothing
   */
  #whyReplaced(pid: number | undefined): string | undefined {
    if (this.system !== "darwin" || pid === undefined) return undefined;
    const info = this.processInfo(pid);
    if (info === undefined || info.isExiting) return undefined;
    return `it has started another program by exec, or its pid is another process's by now: ` +
      `attach to pid ${pid} again`;
  }

  /** Whether XNU is taking the task or thread of a port apart, while its process is still listed. Calls then
   * return `KERN_FAILURE` (`task.c`, `place_task_hold()`), or `KERN_INVALID_ARGUMENT`, since the port stands
   * for nothing any more (`ipc_tt.c`, `ipc_task_disable()`, `ipc_thread_disable()`). Both codes have other
   * meanings too; a call that cannot fail otherwise tells. */
  #isBeingTakenApart(call: string, code: number, port: number): boolean {
    if (this.system !== "darwin" || (code !== kern.failure && code !== kern.invalidArgument)) {
      return false;
    }
    // A thread may have the name that a task's port had.
    const probe = call.startsWith("thread_")
      ? this.#shim.mp_thread_info_get(port, this.#record)
      : this.#pids.has(port)
      ? this.#shim.mp_task_dyld_info(port, this.#record)
      : kern.success;
    return probe !== kern.success;
  }

  /** The process of a thread, on Linux; `undefined` where it has ended. */
  #processOf(thread: number): number | undefined {
    if (this.#shim.mp_thread_info_get(thread, this.#record) !== kern.success) return undefined;
    const pid = Number(statusField(Number(this.#recordView.getBigUint64(0, true)), "Tgid"));
    return pid > 0 ? pid : undefined;
  }

  #exists(pid: number): boolean {
    return this.#shim.mp_proc_info_get(pid, this.#record) === kern.success;
  }

  taskSelf(): number {
    this.#check("mach_task_self", this.#shim.mp_task_self(this.#word), 0);
    this.#pids.set(this.#word[0], Deno.pid);
    return this.#word[0];
  }

  taskForPid(pid: number): number {
    const launched = this.#launched.get(pid);
    if (launched !== undefined) {
      if (this.#shim.mp_port_retain(launched) === kern.success) {
        return this.#admit(launched, pid);
      }
      // The process has exited; its pid may be another process's now.
      this.#launched.delete(pid);
      this.portRelease(launched);
    }
    const code = this.#shim.mp_task_for_pid(pid, this.#word);
    // XNU gives no port, and no error, of a process that ends meanwhile (kern_proc.c, task_for_pid()).
    const none = this.#word[0] === 0 || this.#word[0] === deadPort;
    if (code === kern.failure || (code === kern.success && none)) {
      throw new AttachError("task_for_pid", kern.failure, refusalOf(pid, this.#facts()));
    }
    this.#check("task_for_pid", code, 0);
    return this.#admit(this.#word[0], pid);
  }

  /** Checks that the process of a new task port can be read from here. */
  #admit(task: number, pid: number): number {
    this.#pids.set(task, pid);
    this.#guarded.delete(task);
    if (this.system !== "darwin") return task;
    const info = this.processInfo(pid);
    if (info === undefined) return task; // it has exited: the next call reports that
    const refusal = architectureRefusal(pid, info, this.processInfo(Deno.pid), this.#arch);
    if (refusal !== undefined) {
      this.portRelease(task);
      throw new AttachError("task_for_pid", kern.failure, refusal);
    }
    const guard = setStateRefusal(info, this.#entitlementsOf(pid));
    if (guard !== undefined) this.#guarded.set(task, guard);
    return task;
  }

  #facts(): RefusalFacts {
    return {
      system: this.system,
      pid: Deno.pid,
      user: Deno.uid() ?? 0,
      processInfo: (pid) => this.processInfo(pid),
      processName: (pid) => this.processName(pid),
      ownEntitlements: () => this.ownEntitlements(),
      hasScreen: () => this.hasScreen(),
      developerMode,
      signedCopy: () => findSignedCopy()?.path,
    };
  }

  ownEntitlements(): string | undefined {
    return this.#entitlementsOf(Deno.pid);
  }

  #entitlementsOf(pid: number): string | undefined {
    let text = new Uint8Array(4096);
    for (;;) {
      const code = this.#shim.mp_proc_entitlements(pid, text, text.length, this.#word);
      const size = this.#word[0];
      if (code === kern.success) return new TextDecoder().decode(text.subarray(0, size));
      if (code !== kern.noSpace) return undefined;
      // The call needs room for the blob's header too.
      text = new Uint8Array(size + 8);
    }
  }

  hasScreen(): boolean {
    const code = this.#shim.mp_session_flags(this.#word);
    // If unknown, do not blame the session.
    return code !== kern.success || (this.#word[0] & 1) !== 0; // MP_SESSION_GRAPHIC
  }

  portRelease(port: number): void {
    this.#guarded.delete(port);
    this.#check("mach_port_deallocate", this.#shim.mp_port_release(port), port);
  }

  portCount(): number {
    this.#check("mach_port_names", this.#shim.mp_port_count(this.#word), 0);
    return this.#word[0];
  }

  taskThreads(task: number): Uint32Array {
    for (;;) {
      const threads = this.#threads;
      const code = this.#shim.mp_task_threads(task, threads, threads.length, this.#word);
      const count = this.#word[0];
      if (code !== kern.noSpace) {
        this.#check("task_threads", code, task);
        const guard = this.#guarded.get(task);
        if (guard !== undefined) {
          for (let index = 0; index < count; index++) this.#guarded.set(threads[index], guard);
        }
        return threads.slice(0, count);
      }
      this.#threads = new Uint32Array(count + count / 4 + 16);
    }
  }

  taskSuspend(task: number): number {
    this.#check("task_suspend2", this.#shim.mp_task_suspend(task, this.#word), task);
    return this.#word[0];
  }

  taskResume(token: number): void {
    this.#check("task_resume2", this.#shim.mp_task_resume(token), token);
  }

  threadSuspend(thread: number): void {
    this.#check("thread_suspend", this.#shim.mp_thread_suspend(thread), thread);
  }

  threadResume(thread: number): void {
    this.#check("thread_resume", this.#shim.mp_thread_resume(thread), thread);
  }

  threadGetState(thread: number, flavor: number, size: number): Uint8Array {
    const state = new Uint8Array(size);
    this.#word[0] = size >>> 2;
    const code = this.#shim.mp_thread_get_state(thread, flavor, state, this.#word);
    this.#check("thread_get_state", code, thread);
    return state;
  }

  threadSetState(thread: number, flavor: number, state: Uint8Array): void {
    const guard = this.#guarded.get(thread);
    if (guard !== undefined) throw new MachError("thread_set_state", kern.noAccess, guard);
    // The FFI needs an aligned buffer of its own.
    const words = state.slice();
    const code = this.#shim.mp_thread_set_state(thread, flavor, words, words.length >>> 2);
    this.#check("thread_set_state", code, thread);
  }

  threadInfo(thread: number): ThreadInfo {
    this.#check("thread_info", this.#shim.mp_thread_info_get(thread, this.#record), thread);
    return readThreadInfo(this.#record, this.#recordView, 0);
  }

  vmRead(task: number, address: bigint, into: Uint8Array): number {
    if (into.length === 0) return 0;
    this.#long[0] = 0n;
    const code = this.#shim.mp_vm_read_overwrite(
      task,
      address,
      BigInt(into.length),
      into as Uint8Array<ArrayBuffer>,
      this.#long,
    );
    if (code === kern.success) return into.length;
    const error = this.#error("mach_vm_read_overwrite", code, task);
    if (error instanceof TargetGoneError) throw error;
    return Number(this.#long[0]);
  }

  vmWrite(task: number, address: bigint, bytes: Uint8Array): void {
    const code = this.#shim.mp_vm_write(
      task,
      address,
      bytes as Uint8Array<ArrayBuffer>,
      BigInt(bytes.length),
    );
    this.#check("mach_vm_write", code, task);
  }

  vmPresent(task: number, address: bigint, size: bigint): AddressRange[] {
    const ranges: AddressRange[] = [];
    const bytes = new BigUint64Array(2 * rangeBatch);
    const end = address + size;
    for (let next = address; next < end; next = this.#long[0]) {
      const code = this.#shim.mp_vm_present(
        task,
        next,
        end - next,
        bytes,
        rangeBatch,
        this.#word,
        this.#long,
      );
      this.#check("mach_vm_page_range_query", code, task);
      for (let index = 0; index < this.#word[0]; index++) {
        const start = bytes[2 * index];
        ranges.push({ start, end: start + bytes[2 * index + 1] });
      }
    }
    return ranges;
  }

  vmRegions(task: number, address: bigint, limit: number, paths: boolean): Region[] {
    const regions: Region[] = [];
    const batch = Math.min(limit, regionBatch);
    if (this.#regions.length < batch * regionSize) {
      this.#regions = new Uint8Array(batch * regionSize);
    }
    const bytes = this.#regions;
    const view = new DataView(bytes.buffer);
    let next = address;
    while (regions.length < limit) {
      const capacity = Math.min(batch, limit - regions.length);
      const flags = paths ? withPaths : 0;
      const code = this.#shim.mp_vm_region(task, next, flags, bytes, capacity, this.#word);
      this.#check("mach_vm_region_recurse", code, task);
      const count = this.#word[0];
      for (let index = 0; index < count; index++) {
        regions.push(readRegion(bytes, view, index * regionSize));
      }
      if (count < capacity) break;
      const last = regions[regions.length - 1];
      next = last.address + last.size;
      if (next > 0xffff_ffff_ffff_ffffn) break;
    }
    return regions;
  }

  taskDyldInfo(task: number): DyldInfo {
    this.#check("task_info", this.#shim.mp_task_dyld_info(task, this.#record), task);
    const view = this.#recordView;
    return {
      address: view.getBigUint64(0, true),
      size: view.getBigUint64(8, true),
      is64: view.getInt32(16, true) === 1,
      cpuType: view.getInt32(20, true),
      pid: view.getInt32(24, true),
    };
  }

  ownImages(): OwnImage[] {
    const images: OwnImage[] = [];
    this.#check("_dyld_image_count", this.#shim.mp_dyld_image_count(this.#word), 0);
    const count = this.#word[0];
    const text = this.#text;
    for (let index = 0; index < count; index++) {
      // Another thread may have unloaded an image meanwhile: the list is then shorter.
      if (this.#shim.mp_dyld_get_image_header(index, this.#long) !== kern.success) break;
      const header = this.#long[0];
      if (this.#shim.mp_dyld_get_image_name(index, text, text.length) !== kern.success) break;
      if (this.#shim.mp_dyld_get_image_vmaddr_slide(index, this.#long) !== kern.success) break;
      images.push({ header, name: readString(text), slide: BigInt.asIntN(64, this.#long[0]) });
    }
    return images;
  }

  processes(): { readonly pid: number; readonly name: string }[] {
    let pids = new Int32Array(1024);
    for (;;) {
      const code = this.#shim.mp_proc_listpids(pids, pids.length, this.#word);
      if (code !== kern.noSpace) {
        this.#check("proc_listallpids", code, 0);
        break;
      }
      pids = new Int32Array(this.#word[0] + 64);
    }
    const processes: { pid: number; name: string }[] = [];
    for (const pid of pids.subarray(0, this.#word[0])) {
      // The process may have exited since.
      const name = this.processName(pid);
      if (name !== null) processes.push({ pid, name });
    }
    return processes;
  }

  processName(pid: number): string | null {
    const name = this.#text;
    const code = this.#shim.mp_proc_name(pid, name, name.length);
    return code === kern.success ? readString(name) : null;
  }

  processInfo(pid: number): ProcessInfo | undefined {
    if (!this.#exists(pid)) return undefined;
    const view = this.#recordView;
    const flags = view.getUint32(8, true);
    return {
      parent: view.getInt32(4, true),
      traced: (flags & 1) !== 0, // MP_PROC_*
      hasExecuted: (flags & 16) !== 0,
      stopped: (flags & 32) !== 0,
      isExiting: (flags & 64) !== 0,
      changedUser: (flags & 2) !== 0,
      translated: (flags & 4) !== 0,
      users: [view.getUint32(12, true), view.getUint32(16, true), view.getUint32(20, true)],
      cpuType: view.getInt32(24, true),
      cpuSubtype: view.getInt32(28, true),
      signatureFlags: (flags & 8) === 0 ? undefined : view.getUint32(32, true),
    };
  }

  launchOpen(name: string): number {
    for (const [pid, task] of this.#launched) {
      if (this.#exists(pid)) continue;
      this.#launched.delete(pid);
      this.portRelease(task);
    }
    const code = this.#shim.mp_launch_open(new TextEncoder().encode(`${name}\0`), this.#word);
    this.#check("bootstrap_register2", code, 0);
    return this.#word[0];
  }

  launchAccept(port: number, pid: number): number | undefined {
    const task = new Uint32Array(1);
    const code = this.#shim.mp_launch_accept(port, pid, 0, task, this.#word);
    if (code === kern.operationTimedOut) return undefined;
    this.#check("mach_msg", code, 0);
    this.#launched.set(pid, task[0]);
    return this.#word[0];
  }

  launchContinue(reply: number): void {
    // A failure means that the process has exited: the next call on its task reports that.
    this.#shim.mp_launch_continue(reply);
  }

  launchClose(port: number): void {
    this.#check("mach_port_mod_refs", this.#shim.mp_launch_close(port), port);
  }

  crashOpen(task: number): number {
    const pid = this.#pids.get(task);
    const refusal = this.system === "darwin" && pid !== undefined
      ? exceptionPortRefusal(this.#entitlementsOf(pid))
      : undefined;
    if (refusal !== undefined) {
      throw new MachError("task_set_exception_ports", kern.noAccess, refusal);
    }
    const code = this.#shim.mp_crash_open(task, this.#word);
    this.#check("task_set_exception_ports", code, task);
    return this.#word[0];
  }

  crashPoll(port: number): CrashRecord | undefined {
    const record = new DataView(new ArrayBuffer(40)); // mp_crash
    const code = this.#shim.mp_crash_poll(port, record.buffer);
    if (code === kern.operationTimedOut) return undefined;
    this.#check("mach_msg", code, 0);
    return {
      threadId: record.getBigUint64(0, true),
      code: record.getBigInt64(8, true),
      subcode: record.getBigUint64(16, true),
      exception: record.getInt32(24, true),
      signal: record.getInt32(28, true),
      reply: record.getUint32(32, true),
    };
  }

  crashPass(reply: number): void {
    // A failure means that the process was killed meanwhile.
    this.#shim.mp_crash_pass(reply);
  }

  crashClose(port: number): void {
    this.#check("mach_port_mod_refs", this.#shim.mp_crash_close(port), 0);
  }

  processPath(pid: number): string {
    const path = this.#text;
    const code = this.#shim.mp_proc_pidpath(pid, path, path.length);
    if (code === kern.failure && !this.#exists(pid)) throw new TargetGoneError(`pid ${pid}`);
    this.#check("proc_pidpath", code, 0);
    return readString(path);
  }

  snapshot(task: number, options: CaptureOptions): Capture {
    const { flavor, maxStack, keepSuspended, stateSize } = options;
    const token = keepSuspended ? this.#word : null;
    let earlier = 0;
    for (let tries = 1;; tries++) {
      const buffer = this.#snapshotBuffer();
      const code = this.#shim.mp_snapshot(
        task,
        flavor,
        BigInt(maxStack),
        buffer,
        BigInt(buffer.length),
        token,
      );
      this.#check("mp_snapshot", code, task);
      const held = keepSuspended ? this.#word[0] : undefined;
      const now = performance.now();
      const { stopped } = readHeader(new DataView(buffer.buffer));
      if (this.#isComplete(buffer, tries)) {
        const capture = this.#decode(buffer, stateSize, held, now);
        // The target felt every one of the stops.
        return { ...capture, stoppedNanoseconds: earlier + stopped };
      }
      earlier += stopped;
      // Start over with the target running, so that the run states are right.
      if (held !== undefined) this.taskResume(held);
    }
  }

  snapshotSelf({ stateSize, maxStack }: Pick<CaptureOptions, "stateSize" | "maxStack">): Capture {
    for (let tries = 1;; tries++) {
      const buffer = this.#snapshotBuffer();
      const code = this.#shim.mp_snapshot_self(BigInt(maxStack), buffer, BigInt(buffer.length));
      this.#check("mp_snapshot_self", code, 0);
      const now = performance.now();
      if (this.#isComplete(buffer, tries)) return this.#decode(buffer, stateSize, undefined, now);
    }
  }

  sample(task: number, options: SamplingOptions): Sampling {
    return startSampling(this.#shim, task, options, (code) => this.#error("mp_sample", code, task));
  }

  stackshot({ pid = -1, since = 0n }: StackshotRequest = {}): Uint8Array {
    const flags = stackshotFlags | (since === 0n ? 0n : stackshotDelta);
    let capacity = firstStackshotCapacity;
    for (;;) {
      const buffer = new Uint8Array(capacity);
      const code = this.#shim.mp_stackshot(
        pid,
        flags,
        since,
        buffer,
        BigInt(capacity),
        this.#long,
        this.#word,
      );
      const size = Number(this.#long[0]);
      if (code === kern.success) return buffer.subarray(0, size);
      if (code === kern.noSpace && capacity < mostStackshotCapacity) {
        // The next call takes a new stackshot.
        capacity = Math.min(Math.max(size + size / 4, capacity * 2), mostStackshotCapacity);
        continue;
      }
      // MP_STACKSHOT_TRACE_BUFFER
      const call = this.#word[0] === 2 ? "stack_snapshot" : "stackshot_capture_with_config";
      throw new MachError(call, code, stackshotRemedy(code, pid));
    }
  }

  #snapshotBuffer(): Uint8Array<ArrayBuffer> {
    if (this.#snapshot.length === 0) this.#snapshot = new Uint8Array(firstSnapshotCapacity);
    return this.#snapshot as Uint8Array<ArrayBuffer>;
  }

  /** Whether the snapshot is complete, or this was the last attempt. If not, enlarges the buffer. */
  #isComplete(buffer: Uint8Array, tries: number): boolean {
    const { needed } = readHeader(new DataView(buffer.buffer));
    if (needed <= buffer.length || tries === snapshotTries) return true;
    this.#snapshot = new Uint8Array(needed + needed / 4);
    return false;
  }

  #decode(
    buffer: Uint8Array,
    stateSize: number,
    token: number | undefined,
    now: number,
  ): Capture {
    const header = readHeader(new DataView(buffer.buffer));
    try {
      // Copied, because the next snapshot reuses the buffer.
      const bytes = buffer.slice(0, Math.max(header.used, headerSize));
      const threads = readThreads(bytes, header, stateSize);
      const stoppedSince = now - header.stopped / 1e6;
      return { stoppedNanoseconds: header.stopped, stoppedSince, threads, token };
    } catch (error) {
      if (token !== undefined) this.taskResume(token);
      throw error;
    }
  }
}

function readRegion(bytes: Uint8Array, view: DataView, at: number): Region {
  const path = at + regionPath;
  const length = view.getUint32(at + 44, true);
  return {
    address: view.getBigUint64(at, true),
    size: view.getBigUint64(at + 8, true),
    offset: view.getBigUint64(at + 16, true),
    protection: view.getUint32(at + 24, true),
    maxProtection: view.getUint32(at + 28, true),
    userTag: view.getUint32(at + 32, true),
    shareMode: view.getUint32(at + 36, true),
    depth: view.getUint32(at + 40, true),
    path: length === 0 ? "" : readString(bytes.subarray(path, path + length)),
  };
}
