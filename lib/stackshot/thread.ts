/** A thread of a stackshot, and its frames. */
import { type Arch, Registers } from "../arch/mod.ts";
import { escape } from "../escape.ts";
import { hex, hexBytes } from "../hex.ts";
import type { Resolver } from "../symbols/mod.ts";
import type { StopReason } from "../unwind/mod.ts";
import { Backtrace, type Frame, type RunState } from "../target/mod.ts";
import type { Change, RawFrame, ThreadData } from "./data.ts";
import type { KcItem } from "./kcdata.ts";
import { runState, threadFlagWords, truncated } from "./words.ts";

/** The code that a thread's frames are in. */
export interface StackshotCode {
  /** The architecture of the code. */
  readonly arch: Arch;
  /** Looks up its addresses. */
  readonly resolver: Resolver;
}

const noRegisters = new Registers(new Map());

/** The frames that the kernel found, from frame record to frame record. */
function backtraceOf(
  frames: readonly RawFrame[],
  { arch, resolver }: StackshotCode,
  mask: bigint,
  stopped: StopReason,
  limit: number,
): Backtrace {
  const count = Math.min(frames.length, limit);
  const addresses = frames.map(({ address }) => address & mask);
  return new Backtrace(arch, resolver, {
    frames: frames.slice(0, count).map(({ frame }, index) => ({
      address: addresses[index],
      sp: 0,
      fp: frame ?? 0n,
      returnAddress: addresses[index + 1] ?? 0n,
      foundBy: index === 0 ? "context" : "frame-pointer",
      exact: index === 0,
      row: null,
    })),
    stopped: count < frames.length ? "limit" : stopped,
    registersOf: () => noRegisters,
  });
}

/** An item of unknown type: its name, and its first bytes in hexadecimal. */
export function unknownJson({ type, description, data }: KcItem): Record<string, unknown> {
  return {
    type: `0x${type.toString(16)}`,
    description,
    size: data.length,
    bytes: hexBytes(data.subarray(0, 64)),
  };
}

/** A thread of a stackshot.
 *
 * The kernel walked its frames by frame records.
 *
 * @example
 * ```ts
 * import { openStackshot } from "@machpause/machpause";
 *
 * using stackshot = await openStackshot("hang.kcdata", { symbols: ["./symbols"] });
 * const [thread] = stackshot.tasks[0].threads;
 * console.log(`${thread}\n${thread.kernelBacktrace()}\n${thread.backtrace()}`);
 * ```
 */
export class StackshotThread {
  /** Index in its task, in the kernel's order. */
  readonly index: number;
  /** Its decoded data. */
  readonly data: ThreadData;
  /** What it waits for, in words; `null` when not recorded. Not safe to print raw. */
  readonly waiting: string | null;
  /** The target of its priority inheritance, in words; `null` when not known. */
  readonly turnstile: string | null;
  readonly #user: StackshotCode;
  readonly #kernel: StackshotCode;

  /** A thread.
   *
   * @param words about its waiting
   * @ignore
   */
  constructor(
    index: number,
    data: ThreadData,
    words: { readonly waiting: string | null; readonly turnstile: string | null },
    user: StackshotCode,
    kernel: StackshotCode,
  ) {
    this.index = index;
    this.data = data;
    this.#user = user;
    this.#kernel = kernel;
    this.waiting = words.waiting;
    this.turnstile = words.turnstile;
  }

  /** System-wide unique. */
  get id(): bigint {
    return this.data.id;
  }

  /** Name set by the program; empty when it has none. Not safe to print raw. */
  get name(): string {
    return this.data.name;
  }

  /** Run state. */
  get state(): RunState {
    return runState(this.data.state);
  }

  /** Its other flags, in words. */
  get flags(): readonly string[] {
    return threadFlagWords(this.data.flags, this.data.state);
  }

  /** Where its data comes from in a delta stackshot; `null` when the stackshot is not a delta. */
  get change(): Change | null {
    return this.data.change;
  }

  #stopped(which: bigint): StopReason {
    // Older kernels use one flag for both stacks.
    const { flags } = this.data;
    const one = truncated.kernel | truncated.user;
    return (flags & which) !== 0n || ((flags & truncated.any) !== 0n && (flags & one) === 0n)
      ? "unreadable"
      : "null-record";
  }

  /** The frames in the kernel, innermost first; none when it was in user space. Their addresses, and
   * those of the kernel's images, are from before the kernel's slide.
   *
   * @param limit at most so many
   */
  kernelBacktrace(limit = Infinity): Backtrace {
    const { kernelFrames } = this.data;
    const stopped = this.#stopped(truncated.kernel);
    return backtraceOf(kernelFrames, this.#kernel, allBits, stopped, limit);
  }

  /** The frames in user space, innermost first.
   *
   * @param limit at most so many
   */
  backtrace(limit = Infinity): Backtrace {
    const { arch } = this.#user;
    const stopped = this.#stopped(truncated.user);
    return backtraceOf(this.data.userFrames, this.#user, arch.addressMask, stopped, limit);
  }

  /** Swift's asynchronous callers; none when there are none.
   *
   * @param limit at most so many
   */
  asyncBacktrace(limit = Infinity): Backtrace {
    const { addressMask } = this.#user.arch;
    return backtraceOf(this.data.asyncFrames, this.#user, addressMask, "null-record", limit);
  }

  /** The continuation of a thread without a kernel stack, as a frame; `null` when it has a stack. */
  get continuation(): Frame | null {
    const { continuation } = this.data;
    return continuation === 0n
      ? null
      : backtraceOf([{ address: continuation, frame: null }], this.#kernel, allBits, "limit", 1)
        .activations[0];
  }

  /** As in `thread 3 "worker" waiting`; control characters are escaped. */
  toString(): string {
    const name = this.name === "" ? "" : ` "${escape(this.name)}"`;
    return `thread ${this.index}${name} ${this.state}`;
  }

  /** The form of `stackshot --json`: that of `bt --json`, with frames in the kernel before those in
   * user space, and more fields.
   *
   * @param limit frames of each stack at most
   */
  toJSON(limit?: number | string): Record<string, unknown> {
    const most = typeof limit === "number" ? limit : Infinity;
    const { data } = this;
    const kernel = this.kernelBacktrace(most);
    const user = this.backtrace(most);
    const frames: Record<string, unknown>[] = [];
    for (const [backtrace, isKernel] of [[kernel, true], [user, false]] as const) {
      for (const frame of backtrace.activations) {
        for (const shown of frame.expand(frames.length)) {
          frames.push({ ...shown.toJSON(), kernel: isKernel });
        }
      }
    }
    const cpu = data.details.stackshot_cpu_times;
    return {
      index: this.index,
      id: Number(data.id),
      name: data.name === "" ? null : data.name,
      state: this.state,
      cpuUsage: null,
      userNanoseconds: Number(data.userTime),
      systemNanoseconds: Number(data.systemTime),
      runnableMicroseconds: cpu?.runnable_usec === undefined ? null : Number(cpu.runnable_usec),
      basePriority: data.basePriority,
      priority: data.priority,
      qos: data.qos,
      flags: this.flags,
      queue: data.queueLabel === "" ? null : data.queueLabel,
      queueSerial: data.queueSerial === 0n ? null : Number(data.queueSerial),
      waitEvent: data.waitEvent === 0n ? null : hex(data.waitEvent),
      waiting: this.waiting,
      turnstile: this.turnstile,
      continuation: this.continuation?.toJSON() ?? null,
      change: data.change,
      unknown: data.unknown.map(unknownJson),
      frames,
      asyncFrames: this.asyncBacktrace(most).activations.map((frame) => frame.toJSON()),
      asyncStart: data.asyncStart,
      stopped: user.activations.length > 0 ? user.stopped : kernel.stopped,
    };
  }
}

const allBits = (1n << 64n) - 1n;
/** Values in JSON form; 64-bit numbers become numbers where those are exact. */
export function plain(value: unknown): unknown {
  if (typeof value === "bigint") {
    return value <= BigInt(Number.MAX_SAFE_INTEGER) && value >= 0n ? Number(value) : hex(value);
  }
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, plain(inner)]));
}
