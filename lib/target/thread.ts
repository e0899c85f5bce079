import { type Arch, register, Registers } from "../arch/mod.ts";
import { escape, type RawText } from "../escape.ts";
import type { ThreadException } from "./core_exception.ts";
import type { DispatchQueue, DispatchReader, QosClass } from "./dispatch.ts";
import { Backtrace, type VariableOrigin } from "./frame.ts";
import type { CapturedThread } from "./kernel.ts";
import type { ReadInto } from "./memory.ts";
import type { DebugProvider, Resolver, Symbolizer } from "../symbols/walking.ts";
import { unwind, type UnwindImages, type UnwindOptions } from "../unwind/mod.ts";

/** What a thread was doing when it was captured: `TH_STATE_*` of `<mach/thread_info.h>`. */
export type RunState = "running" | "stopped" | "waiting" | "uninterruptible" | "halted";

const runStates: readonly RunState[] = [
  "running",
  "stopped",
  "waiting",
  "uninterruptible",
  "halted",
];

/** Resolves code addresses, and has what unwinding needs: a `Symbolizer`, or what stands for the present one
 * of a target. */
export type CodeResolver = Resolver & UnwindImages;

/** Resolves in the images as they are at one stop.
 *
 * @param refresh asked where an address is in no image: gives a symbolizer of more images, or `null`
 * when there are none
 * @param generated asked where an address is in none of those either: knows code that was made at run time
 */
export function resolverOf(
  debug: DebugProvider,
  images: Symbolizer,
  refresh: () => Symbolizer | null,
  generated?: Resolver,
): CodeResolver {
  let symbols = images;
  const isRefreshed = (): boolean => {
    const more = refresh();
    symbols = more ?? symbols;
    return more !== null;
  };
  return {
    imageAt: (address) =>
      symbols.imageAt(address) ?? (isRefreshed() ? symbols.imageAt(address) : null),
    resolve(address) {
      let info = symbols.resolve(address);
      if (info.image === null && isRefreshed()) info = symbols.resolve(address);
      return info.image === null && generated !== undefined ? generated.resolve(address) : info;
    },
    debugSection: (image, name) => debug.debugSection(image, name),
    get debugGeneration() {
      return debug.generation;
    },
  };
}

/** Suspends and resumes single threads, and writes their registers. */
export interface ThreadControl {
  /** `thread_suspend`. */
  suspend(id: bigint): void;
  /** `thread_resume`. */
  resume(id: bigint): void;
  /** Returns the complete new state. */
  setRegister(id: bigint, name: string, value: bigint): Uint8Array;
}

/** What the threads of one capture have in common. */
export interface ThreadContext {
  /** The target's architecture. */
  readonly arch: Arch;
  /** Looks up code addresses. */
  readonly resolver: CodeResolver;
  /** Reads the part of a stack that was not captured; `undefined` when the target runs. */
  readonly readInto: ReadInto | undefined;
  /** What variables are read from; without it frames have none. */
  readonly variables?: Pick<VariableOrigin, "memory" | "debug" | "isRunning" | "lookup" | "copied">;
  /** `undefined` where threads cannot be controlled: in this process. */
  readonly control: ThreadControl | undefined;
  /** Reads the queues of the capture's threads. */
  readonly dispatch?: DispatchReader;
  /** A thread's {@linkcode Thread.handle}, where the capture has none. */
  readonly handleOf?: (id: bigint) => bigint;
}

/** A thread, as it was when it was captured.
 *
 * @example
 * ```ts
 * import { attach } from "@machpause/machpause";
 *
 * using target = attach("MyApp");
 * for (const thread of target.threads) {
 *   console.log(thread.name, thread.state, thread.cpuUsage, `${thread.registers}`);
 * }
 * ```
 */
export class Thread {
  /** Its number; 0 is the main thread. */
  readonly index: number;
  /** Its last exception, where that is known, which is in cores; otherwise `null`. The JSON form leaves
   * it out. */
  readonly exception: ThreadException | null;
  readonly #captured: CapturedThread;
  readonly #context: ThreadContext;
  #state: Uint8Array;
  #registers: Registers | undefined;
  /** How often it was suspended by this object, less how often it was resumed. */
  #suspensions = 0;

  /** A thread of a capture.
   *
   * @param captured what is known of it
   * @ignore
   */
  constructor(
    context: ThreadContext,
    index: number,
    captured: CapturedThread,
    exception: ThreadException | null = null,
  ) {
    this.#context = context;
    this.#captured = captured;
    this.#state = captured.state;
    this.index = index;
    this.exception = exception;
  }

  /** Its identifier, unique in the system. */
  get id(): bigint {
    return this.#captured.info.id;
  }

  /** The address of its thread-specific data; 0 when that is not known.
   *
   * @ignore
   */
  get handle(): bigint {
    const { id, handle } = this.#captured.info;
    return handle || (this.#context.handleOf?.(id) ?? 0n);
  }

  /** The name that the target gave it; empty when it has none. */
  get name(): RawText {
    return this.#captured.info.name || (this.#context.dispatch?.of(this.#captured).name ?? "");
  }

  /** The dispatch queue whose work it runs; `null` when there is none, or it cannot be read. Of a snapshot,
   * the queue is that of its moment, where the stack that was copied has the pointer to it; labels are read
   * when the first thread of the snapshot is asked for its queue. */
  get queue(): DispatchQueue | null {
    return this.#context.dispatch?.of(this.#captured).queue ?? null;
  }

  /** The quality-of-service class that it runs with; `null` when it has none, or that is not known. */
  get qos(): QosClass | null {
    return this.#context.dispatch?.of(this.#captured).qos ?? null;
  }

  /** What it was doing when it was captured. */
  get state(): RunState {
    return runStates[this.#captured.info.runState - 1] ?? "stopped";
  }

  /** Share of one CPU, from 0 to 1. */
  get cpuUsage(): number {
    return this.#captured.info.cpuUsage / 1000;
  }

  /** Time in user space, in nanoseconds. */
  get userTime(): bigint {
    return this.#captured.info.userTime;
  }

  /** Time in the kernel, in nanoseconds. */
  get systemTime(): bigint {
    return this.#captured.info.systemTime;
  }

  /** How often it alone was suspended when it was captured, and by this object since. A pause of the target does not
   * count. */
  get suspendCount(): number {
    return Math.max(0, this.#captured.info.suspendCount + this.#suspensions);
  }

  /** Its current scheduling priority. */
  get priority(): number {
    return this.#captured.info.priority;
  }

  /** All registers; empty when the state could not be read. */
  get registers(): Registers {
    return this.#registers ??= this.#state.length === 0
      ? new Registers(new Map())
      : Registers.fromState(this.#context.arch, this.#state);
  }

  /** Unwinds the stack. It never throws for what the target's memory holds. */
  backtrace(options: UnwindOptions = {}): Backtrace {
    const { arch, resolver, readInto } = this.#context;
    const { stackAddress, stack, stackEnd } = this.#captured;
    const input = { arch, images: resolver, state: this.#state };
    const unwound = unwind({ ...input, stackAddress, stack, stackEnd, readInto }, options);
    const { variables } = this.#context;
    // deno-lint-ignore no-this-alias -- the getter below has a `this` of its own
    const thread = this;
    const origin = variables && {
      ...variables,
      ...{ stack, stackAddress },
      // Over the wire it is asked for, so only when a variable needs it.
      get threadHandle() {
        return thread.handle;
      },
      ...(this.#context.control === undefined ? {} : {
        setRegister: (name: string, value: bigint) => this.setRegister(name, value),
      }),
      imageAt: (address: bigint) => resolver.imageAt(address),
    };
    return new Backtrace(arch, resolver, unwound, origin);
  }

  #control(): ThreadControl {
    const { control } = this.#context;
    if (control === undefined) {
      throw new TypeError("threads of this process cannot be suspended one by one: use snapshot()");
    }
    return control;
  }

  /** `thread_suspend`: it stays stopped, even while the rest of the target runs, until {@linkcode
   * resume} was called as often or the target is disposed. */
  suspend(): void {
    this.#control().suspend(this.id);
    this.#suspensions++;
  }

  /** `thread_resume`.
   *
   * @throws MachError when it was not suspended by {@linkcode suspend}
   */
  resume(): void {
    this.#control().resume(this.id);
    this.#suspensions--;
  }

  /** Writes a register of a paused target's thread.
   *
   * @throws RangeError when there is none of that name, or the value does not fit into it
   */
  setRegister(name: string, value: bigint): void {
    const bits = 8 * register(this.#context.arch.threadState, name).size;
    if (BigInt.asUintN(bits, value) !== value && BigInt.asIntN(bits, value) !== value) {
      throw new RangeError(`${name} has ${bits} bits: ${value} does not fit`);
    }
    this.#state = this.#control().setRegister(this.id, name, value);
    this.#registers = undefined;
  }

  /** As in `thread 3 "worker" waiting`; control characters are escaped. */
  toString(): string {
    const name = this.name === "" ? "" : ` "${escape(this.name)}"`;
    return `thread ${this.index}${name} ${this.state}`;
  }

  /** As {@linkcode toString}. */
  [Symbol.for("Deno.customInspect")](): string {
    return this.toString();
  }

  /** The form of `bt --json`, without the frames. */
  toJSON(): Record<string, unknown> {
    const { queue } = this;
    return {
      index: this.index,
      id: Number(this.id),
      name: this.name === "" ? null : this.name,
      state: this.state,
      cpuUsage: this.cpuUsage,
      queue: queue === null || queue.label === "" ? null : queue.label,
      queueSerial: queue?.serialNumber == null ? null : Number(queue.serialNumber),
      queueKind: queue?.kind ?? null,
      queueTargets: queue?.targets ?? [],
      qos: this.qos,
    };
  }
}
