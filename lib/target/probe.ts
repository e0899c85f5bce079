/** One thread of a live target, looked at while the others run on. */
import { type Arch, readRegister } from "../arch/mod.ts";
import type { CapturedThread, MachKernel, ThreadInfo } from "./kernel.ts";
import type { Thread } from "./thread.ts";

/** Maximum number of bytes read of the stack. */
const MAX_STACK = 256 << 10;
/** What a leaf function may use below the stack pointer: the ABIs of x86_64 and of Apple's arm64. */
const RED_ZONE = 128n;

/** What a {@linkcode ThreadProbe} is made of. */
export interface ProbeOrigin {
  readonly kernel: MachKernel;
  readonly task: number;
  /** The thread's port, which the probe releases. */
  readonly port: number;
  readonly arch: Arch;
  /** Makes the thread of a capture. */
  readonly thread: (captured: CapturedThread) => Thread;
}

/** Holds the port of one thread. */
export class ThreadProbe implements Disposable {
  readonly #origin: ProbeOrigin;
  readonly #stack = { start: 0n, end: 0n };
  #isOpen = true;

  constructor(origin: ProbeOrigin) {
    this.#origin = origin;
  }

  /** What the system tells of the thread. Nothing is stopped.
   *
   * @throws TargetGoneError when the thread has ended
   */
  info(): ThreadInfo {
    return this.#origin.kernel.threadInfo(this.#origin.port);
  }

  /** Copies the thread's registers and stack in one short stop.
   *
   * On Linux this thread alone is stopped. On Darwin the suspension of a single thread outlives a
   * debugger that is killed, and that of a task does not: there the whole task is stopped.
   *
   * @throws TargetGoneError when the thread has ended
   */
  look(): Thread {
    const { kernel, task, port, arch } = this.#origin;
    const info = this.info();
    const { threadState } = arch;
    const isLinux = kernel.system === "linux";
    let token = 0;
    let captured: CapturedThread;
    if (isLinux) kernel.threadSuspend(port);
    else token = kernel.taskSuspend(task);
    try {
      const state = kernel.threadGetState(port, threadState.number, threadState.size);
      const sp = readRegister(state, arch.sp);
      const from = sp > RED_ZONE ? sp - RED_ZONE : sp;
      const end = this.#stackEnd(sp);
      const wanted = Math.max(0, Math.min(MAX_STACK, Number(end - from)));
      const stack = new Uint8Array(wanted);
      const got = wanted === 0 ? 0 : kernel.vmRead(task, from, stack);
      captured = {
        info,
        state,
        stackAddress: from,
        stack: stack.subarray(0, got),
        stackEnd: end,
      };
    } finally {
      if (isLinux) kernel.threadResume(port);
      else kernel.taskResume(token);
    }
    // The list of images is compared here, which may take many reads.
    return this.#origin.thread(captured);
  }

  /** The end of the stack's region, which stays where it is as long as the stack pointer is in it. */
  #stackEnd(sp: bigint): bigint {
    const { kernel, task } = this.#origin;
    if (sp < this.#stack.start || sp >= this.#stack.end) {
      const [region] = kernel.vmRegions(task, sp, 1, false);
      if (region === undefined || region.address > sp) return sp;
      this.#stack.start = region.address;
      this.#stack.end = region.address + region.size;
    }
    return this.#stack.end;
  }

  [Symbol.dispose](): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#origin.kernel.portRelease(this.#origin.port);
  }
}
