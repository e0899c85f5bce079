import { type Arch, Registers } from "../arch/mod.ts";
import { escape } from "../escape.ts";
import type { ThreadException } from "./core_exception.ts";
import type { Backtrace } from "./frame.ts";
import type { CapturedThread } from "./kernel.ts";
import type { ReadInto } from "./memory.ts";
import type { Resolver, Symbolizer } from "../symbols/walking.ts";

/** What a thread was doing when it was captured: `TH_STATE_*` of `<mach/thread_info.h>`.
 *
 * @example
 * ```ts
 * import { attach, type RunState } from "@machpause/machpause";
 *
 * using target = await attach("MyApp");
 * const count = (state: RunState) => target.threads.filter((each) => each.state === state).length;
 * console.log(`${count("running")} running, ${count("waiting")} waiting`);
 * ```
 */
export type RunState = "running" | "stopped" | "waiting" | "uninterruptible" | "halted";

const runStates: readonly RunState[] = [
  "running",
  "stopped",
  "waiting",
  "uninterruptible",
  "halted",
];

/** How to walk a stack.
 *
 * @example
 * ```ts
 * import { attach, type BacktraceOptions } from "@machpause/machpause";
 *
 * const options: BacktraceOptions = { limit: 20, scan: true };
 * using target = await attach("MyApp");
 * console.log(target.threads[0].backtrace(options).join("\n"));
 * ```
 */
export interface BacktraceOptions {
  /** At most so many frames; without it as many as there are. */
  readonly limit?: number;
  /** Where no other way leads on, look up the stack for what might be a return address. Frames found
   * so, and those after them, may be wrong; their `via` is `scan`. */
  readonly scan?: boolean;
}

/** Resolves code addresses, and finds the debug information that unwinding may need. */
export type CodeResolver = Resolver & Partial<Pick<Symbolizer, "debugSection">>;

/** What a walk starts from.
 *
 * @example
 * ```ts
 * import { attach, walk, type WalkInput } from "@machpause/machpause";
 *
 * using target = await attach("MyApp");
 * declare const captured: Pick<WalkInput, "state" | "stackAddress" | "stack" | "stackEnd">;
 * const input: WalkInput = { ...captured, arch: target.arch, resolver: target, readInto: undefined };
 * console.log(walk(input, {}).join("\n"));
 * ```
 */
export interface WalkInput {
  /** Of the thread. */
  readonly arch: Arch;
  /** Tells what code addresses mean. */
  readonly resolver: CodeResolver;
  /** The thread state, in the architecture's flavor; empty when it could not be had. */
  readonly state: Uint8Array;
  /** The address of the first of `stack`'s bytes. */
  readonly stackAddress: bigint;
  /** The captured part of the stack. */
  readonly stack: Uint8Array;
  /** The upper bound of the stack; 0 when not known. */
  readonly stackEnd: bigint;
  /** Reads what of the stack was not captured; `undefined` when that can no longer be had. */
  readonly readInto: ReadInto | undefined;
}

/** Walks a stack. `lib/unwind` has it.
 *
 * @example
 * ```ts
 * import { type Services, type Walk, walk } from "@machpause/machpause";
 *
 * const atMost: Walk = (input, options) => walk(input, { limit: 100, ...options });
 * declare const services: Services;
 * const limited: Services = { ...services, walk: atMost };
 * ```
 */
export type Walk = (input: WalkInput, options: BacktraceOptions) => Backtrace;

/** Suspends and resumes a single thread, writes its registers.
 *
 * @example
 * ```ts
 * import { type ThreadControl } from "@machpause/machpause";
 *
 * declare const control: ThreadControl; // of a paused target
 * control.setRegister(0x26b9n, "rax", 0n);
 * ```
 */
export interface ThreadControl {
  /** `thread_suspend`. */
  suspend(id: bigint): void;
  /** `thread_resume`. */
  resume(id: bigint): void;
  /** Returns the whole new state. */
  setRegister(id: bigint, name: string, value: bigint): Uint8Array;
}

/** What the threads of one capture have in common.
 *
 * @example
 * ```ts
 * import { type CapturedThread, Thread, type ThreadContext } from "@machpause/machpause";
 *
 * declare const context: ThreadContext;
 * declare const captured: CapturedThread[];
 * const threads = captured.map((each, index) => new Thread(context, index, each));
 * console.log(threads.join("\n"));
 * ```
 */
export interface ThreadContext {
  /** Of the target. */
  readonly arch: Arch;
  /** Tells what code addresses mean. */
  readonly resolver: CodeResolver;
  /** Steps from frame to frame. */
  readonly walk: Walk;
  /** Reads what of a stack was not captured; `undefined` when that can no longer be had. */
  readonly readInto: ReadInto | undefined;
  /** `undefined` where threads cannot be controlled: in this very process. */
  readonly control: ThreadControl | undefined;
}

/** A thread as it was when it was captured.
 *
 * @example
 * ```ts
 * import { attach } from "@machpause/machpause";
 *
 * using target = await attach("MyApp");
 * for (const thread of target.threads) {
 *   console.log(thread.name, thread.state, thread.cpuUsage, `${thread.registers}`);
 * }
 * ```
 */
export class Thread {
  /** 0 is the main thread. */
  readonly index: number;
  /** Its last exception, where that is known: in cores. Not in the JSON form. */
  readonly exception: ThreadException | null;
  readonly #captured: CapturedThread;
  readonly #context: ThreadContext;
  #state: Uint8Array;
  #registers: Registers | undefined;

  /** A thread of a capture.
   *
   * @param captured what is known of it
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

  /** System-wide unique. */
  get id(): bigint {
    return this.#captured.info.id;
  }

  /** As the target set it, and not safe to print raw; empty when it has none. */
  get name(): string {
    return this.#captured.info.name;
  }

  /** What it was doing when it was captured. */
  get state(): RunState {
    return runStates[this.#captured.info.runState - 1] ?? "stopped";
  }

  /** From 0 to 1, of one CPU. */
  get cpuUsage(): number {
    return this.#captured.info.cpuUsage / 1000;
  }

  /** Nanoseconds. */
  get userTime(): bigint {
    return this.#captured.info.userTime;
  }

  /** Nanoseconds. */
  get systemTime(): bigint {
    return this.#captured.info.systemTime;
  }

  /** How often it is suspended by itself. A pause of the whole target is not in it. */
  get suspendCount(): number {
    return this.#captured.info.suspendCount;
  }

  /** Its current one. */
  get priority(): number {
    return this.#captured.info.priority;
  }

  /** All registers; none when the state could not be had. */
  get registers(): Registers {
    return this.#registers ??= this.#state.length === 0
      ? new Registers(new Map())
      : Registers.fromState(this.#context.arch, this.#state);
  }

  /** Walks the stack. Never throws for what the target's memory holds. */
  backtrace(options: BacktraceOptions = {}): Backtrace {
    const { arch, resolver, readInto, walk } = this.#context;
    const { stackAddress, stack, stackEnd } = this.#captured;
    return walk(
      { arch, resolver, state: this.#state, stackAddress, stack, stackEnd, readInto },
      options,
    );
  }

  #control(): ThreadControl {
    const { control } = this.#context;
    if (control === undefined) {
      throw new TypeError("threads of this process cannot be suspended one by one: use snapshot()");
    }
    return control;
  }

  /** `thread_suspend`: it stays stopped, also while the rest of the target runs, until as many
   * calls of {@linkcode resume} or until the target is disposed. */
  suspend(): void {
    this.#control().suspend(this.id);
  }

  /** `thread_resume`.
   *
   * @throws MachError when it was not suspended by {@linkcode suspend}
   */
  resume(): void {
    this.#control().resume(this.id);
  }

  /** Writes a register of a paused target's thread.
   *
   * @throws RangeError when there is none of that name
   */
  setRegister(name: string, value: bigint): void {
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
    return {
      index: this.index,
      id: Number(this.id),
      name: this.name === "" ? null : this.name,
      state: this.state,
      cpuUsage: this.cpuUsage,
    };
  }
}
