import { archs, writeRegister } from "../../../lib/arch/mod.ts";
import { MachError, TargetGoneError } from "../../../lib/errors.ts";
import type { AddressRange } from "../../../lib/macho/mod.ts";
import type {
  Capture,
  CaptureOptions,
  DyldInfo,
  MachKernel,
  OwnImage,
  Region,
  Sampling,
  ThreadInfo,
} from "../../../lib/target/mod.ts";

const taskPort = 0x103;

/** A kernel of one x86_64 task in arrays, which counts what is held and can die at any call. */
export class FakeKernel implements MachKernel {
  system: "darwin" | "linux" = "darwin";
  /** The bytes at `memoryAddress`. */
  memory = new Uint8Array(0x4000);
  memoryAddress = 0x10_0000n;
  dyldInfoAddress = 0n;
  /** What the system says; 0 where it does not. */
  cpuType = archs.x86_64.cpuType;
  threadNames = ["main", "worker"];
  /** User references by port name. */
  readonly ports = new Map<number, number>();
  /** Suspensions of the task that are outstanding. */
  readonly tokens = new Set<number>();
  readonly threadSuspensions = new Map<number, number>();
  readonly states = new Map<number, Uint8Array>();
  /** Every call, in order. */
  readonly log: string[] = [];
  /** The call, counted from 0, at which the task dies; none when infinite. */
  diesAt = Infinity;
  #dead = false;
  #nextToken = 0x1000;

  #enter(call: string): void {
    if (this.log.length >= this.diesAt) this.#dead = true;
    this.log.push(call);
    if (this.#dead) throw new TargetGoneError("pid 7");
  }

  #hold(port: number): number {
    this.ports.set(port, (this.ports.get(port) ?? 0) + 1);
    return port;
  }

  taskSelf(): number {
    return 1;
  }

  taskForPid(_pid: number): number {
    this.#enter("taskForPid");
    return this.#hold(taskPort);
  }

  portRelease(port: number): void {
    const left = (this.ports.get(port) ?? 0) - 1;
    if (left < 0) throw new MachError("mach_port_deallocate", 15);
    if (left === 0) this.ports.delete(port);
    else this.ports.set(port, left);
  }

  portCount(): number {
    return this.ports.size;
  }

  taskThreads(_task: number): Uint32Array {
    this.#enter("taskThreads");
    return Uint32Array.from(this.threadNames, (_, index) => this.#hold(0x200 + index));
  }

  taskSuspend(_task: number): number {
    this.#enter("taskSuspend");
    return this.#suspend();
  }

  #suspend(): number {
    const token = this.#nextToken++;
    this.tokens.add(token);
    return token;
  }

  taskResume(token: number): void {
    if (!this.tokens.delete(token)) throw new MachError("task_resume2", 4);
    this.#enter("taskResume");
  }

  threadSuspend(thread: number): void {
    this.#enter("threadSuspend");
    this.threadSuspensions.set(thread, (this.threadSuspensions.get(thread) ?? 0) + 1);
  }

  threadResume(thread: number): void {
    this.#enter("threadResume");
    const count = this.threadSuspensions.get(thread) ?? 0;
    if (count === 0) throw new MachError("thread_resume", 5);
    if (count === 1) this.threadSuspensions.delete(thread);
    else this.threadSuspensions.set(thread, count - 1);
  }

  #state(index: number): Uint8Array {
    let state = this.states.get(index);
    if (state === undefined) {
      const { threadState, pc, sp, fp } = archs.x86_64;
      state = new Uint8Array(threadState.size);
      writeRegister(state, pc, 0x4000n + BigInt(index));
      writeRegister(state, sp, this.memoryAddress + 0x3000n);
      writeRegister(state, fp, this.memoryAddress + 0x3010n);
      this.states.set(index, state);
    }
    return state;
  }

  threadGetState(thread: number, _flavor: number, _size: number): Uint8Array {
    this.#enter("threadGetState");
    return this.#state(thread - 0x200).slice();
  }

  threadSetState(thread: number, _flavor: number, state: Uint8Array): void {
    this.#enter("threadSetState");
    this.#state(thread - 0x200).set(state);
  }

  #info(index: number): ThreadInfo {
    return {
      id: BigInt(100 + index),
      handle: 0n,
      dispatchQueueAddress: 0n,
      userTime: 0n,
      systemTime: 0n,
      cpuUsage: 500,
      runState: 3,
      flags: 0,
      suspendCount: this.threadSuspensions.get(0x200 + index) ?? 0,
      priority: 31,
      name: this.threadNames[index],
    };
  }

  threadInfo(thread: number): ThreadInfo {
    this.#enter("threadInfo");
    return this.#info(thread - 0x200);
  }

  vmRead(_task: number, address: bigint, into: Uint8Array): number {
    this.#enter("vmRead");
    const start = address - this.memoryAddress;
    if (start < 0n || start >= BigInt(this.memory.length)) return 0;
    const part = this.memory.subarray(Number(start), Number(start) + into.length);
    into.set(part);
    return part.length;
  }

  vmWrite(_task: number, address: bigint, bytes: Uint8Array): void {
    this.#enter("vmWrite");
    this.memory.set(bytes, Number(address - this.memoryAddress));
  }

  vmRegions(_task: number, address: bigint, _limit: number): Region[] {
    this.#enter("vmRegions");
    if (address > this.memoryAddress) return [];
    return [{
      address: this.memoryAddress,
      size: BigInt(this.memory.length),
      offset: 0n,
      protection: 3,
      maxProtection: 7,
      userTag: 30,
      shareMode: 2,
      depth: 0,
      path: "",
    }];
  }

  vmPresent(_task: number, address: bigint, size: bigint): AddressRange[] {
    this.#enter("vmPresent");
    return [{ start: address, end: address + size }];
  }

  taskDyldInfo(_task: number): DyldInfo {
    this.#enter("taskDyldInfo");
    return {
      address: this.dyldInfoAddress,
      size: 200n,
      is64: true,
      cpuType: this.cpuType,
      pid: 7,
    };
  }

  ownImages(): OwnImage[] {
    return [];
  }

  processes(): { pid: number; name: string }[] {
    return [{ pid: 7, name: "fake" }];
  }

  processPath(): string {
    return "/fake";
  }

  snapshot(_task: number, options: CaptureOptions): Capture {
    this.#enter("snapshot");
    return {
      stoppedNanoseconds: 1_234_000,
      stoppedSince: performance.now() - 1.234,
      threads: this.threadNames.map((_, index) => ({
        info: this.#info(index),
        state: this.#state(index).slice(),
        stackAddress: this.memoryAddress + 0x3000n,
        stack: this.memory.slice(0x3000),
        stackEnd: this.memoryAddress + 0x4000n,
      })),
      token: options.keepSuspended ? this.#suspend() : undefined,
    };
  }

  sample(): Sampling {
    throw new MachError("mp_sample", 46);
  }

  snapshotSelf(): Capture {
    return {
      stoppedNanoseconds: 0,
      stoppedSince: performance.now(),
      threads: [],
      token: undefined,
    };
  }
}
