/** Watches a thread from outside, and tells each time it hangs.
 *
 * A look costs a few microseconds: the system tells whether the thread runs, how much it ran, and on Linux
 * where it waits. Only when that leaves open what the thread does, it is stopped for its registers and its
 * stack, and where it waited is remembered. */
import { until } from "../clock.ts";
import { AttachError, MachError, TargetGoneError } from "../errors.ts";
import { demangle, loadDemangler } from "../symbols/demangle/mod.ts";
import { deadlocks, threadWaits } from "../target/locks.ts";
import type { FollowOptions, Frame, LiveTarget, SnapshotOptions, Thread } from "../target/mod.ts";
import type { ThreadProbe } from "../target/probe.ts";
import {
  type Hang,
  HANG_FORMAT,
  HANG_VERSION,
  type HangFrame,
  type HangThread,
  severityOf,
} from "./hang.ts";
import { waitingOf } from "./idle.ts";
import { hangImages, hangSignature } from "./report.ts";
import { commonStack, Timeline } from "./timeline.ts";

/** Time, as a watch needs it. */
export interface HangClock {
  /** Milliseconds, rising evenly. */
  now(): number;
  /** Milliseconds since 1970. */
  date(): number;
  /** Waits until `now()` is `time`, or the signal is aborted. */
  until(time: number, signal?: AbortSignal): Promise<void>;
}

/** What the system tells of a thread without a stop. */
export interface Glance {
  /** Whether it is on a processor or wants one. */
  readonly running: boolean;
  /** Processor time so far, in nanoseconds. */
  readonly ran: number;
  /** Where it waits: equal while it stays there. `null` when not known. */
  readonly place: string | null;
  /** Its stack pointer there; `null` or left out when not known. */
  readonly stackPointer?: bigint | null;
  /** Whether the system call that it waits in is one for events: `epoll_wait`, `poll` and their like. It counts where
   * the functions on the stack say nothing, as in a program that has its C library in itself. */
  readonly isForEvents?: boolean;
}

/** Glances at a thread; `undefined` when it has ended. */
export type GlanceAt = (pid: number, thread: bigint) => Glance | undefined;

/** What a condition of one's own may ask, at each look. */
export interface TriggerLook {
  /** What is watched. */
  readonly target: LiveTarget;
  /** The watched thread as it is now. The first use stops it for a moment. */
  readonly thread: Thread;
  /** How long it has not been idle, in milliseconds. */
  readonly milliseconds: number;
  /** Whether it is on a processor or wants one. */
  readonly running: boolean;
}

/** How {@linkcode hangs} watches. */
export interface HangOptions {
  /** A hang is longer than this, in milliseconds. Default: 250. */
  readonly limit?: number;
  /** Looks a second, from 20 to 50. Default: 20. */
  readonly rate?: number;
  /** Name of the thread. Default: the main thread. */
  readonly thread?: string;
  /** Functions of the program that only wait for work. */
  readonly idle?: readonly string[];
  /** A condition of one's own: when it begins to hold, that is told as a hang is. */
  readonly trigger?: (look: TriggerLook) => unknown;
  /** Adds to the frames of the threads, such as their variables. */
  readonly more?: (frame: Frame) => Record<string, unknown>;
  /** Copies what the variables of all frames lead to, for `more`, in the stop of the capture. */
  readonly follow?: FollowOptions;
  /** From which length on a hang of a busy thread is captured, in milliseconds. It is asked when the hang exceeds the
   * limit, with the thread that hung alone. One that ends before is {@linkcode Hang.isBrief}. Default: all are
   * captured. */
  readonly captureFrom?: (hang: Hang) => number;
  /** Ends the watch. */
  readonly signal?: AbortSignal;
  /** Called when the watch begins: the rate and the limit can be kept, and there is such a thread. */
  readonly onStart?: () => void;
  /** Gets what went wrong, where the watch goes on. */
  readonly problem?: (message: string) => void;
  /** Default: the system's. */
  readonly clock?: HangClock;
  /** Default: by `thread_info`. */
  readonly glance?: GlanceAt;
  /** From 0 to 1; makes the looks uneven. Default: `Math.random`. */
  readonly random?: () => number;
}

/** {@linkcode HangOptions.limit} when left out. */
export const defaultLimit = 250;
/** {@linkcode HangOptions.rate} when left out. */
export const defaultRate = 20;
/** Most periods between two looks. */
const MOST_PERIODS = 1.25;
const leastRate = 20;
const mostRate = 50;

const nothing: readonly Hang[] = [];

/** Maximum number of frames of a thread that are written. */
const MAX_FRAMES = 512;
/** Places where the thread is known to be idle. */
const MAX_PLACES = 64;

/** The clock of this process. */
export const systemClock: HangClock = {
  now: () => performance.now(),
  date: () => performance.timeOrigin + performance.now(),
  until,
};

/** A hang that goes on, or has just ended. */
interface Candidate {
  readonly timeline: Timeline;
  /** The last look before, if any, and the first of it. */
  readonly before: number | undefined;
  readonly first: number;
  last: number;
  readonly firstRan: number;
  lastRan: number;
  /** Of the looks, those that found it running. */
  running: number;
  looks: number;
  /** As it was looked at last with its stack. */
  thread: Thread | null;
  captured: Captured | undefined;
  /** From this length on it is captured; `undefined` before it exceeded the limit. */
  captureFrom: number | undefined;
  /** From this length on it is told again. */
  next: number;
}

/** What was captured of the threads. */
interface Captured {
  readonly serial: number;
  /** Whether it is the thread that hung alone. */
  readonly isBrief?: boolean;
  readonly began: string;
  readonly byTrigger: boolean;
  readonly stoppedMicroseconds: number;
  readonly thread: number;
  readonly threads: HangThread[];
  readonly waits: Hang["waits"];
  readonly deadlocks: Hang["deadlocks"];
  readonly images: Hang["images"];
}

/** Watches a thread of a running target, and gives each hang when it exceeds the limit, as it goes on (each
 * time it is twice as long) and when it has ended. Ends when the target ends or the signal is aborted.
 *
 * A hang is told from the looks alone. Two that have less than a look's period between them are one, and a
 * thread that is busy in short pieces is told when every look finds it busy. The looks are uneven, so that
 * a thread that works in step with them is not.
 *
 * @throws RangeError for a rate or a limit that cannot be kept, or when no thread has that name
 */
export async function* hangs(
  target: LiveTarget,
  options: HangOptions = {},
): AsyncGenerator<Hang, void, undefined> {
  const { limit = defaultLimit, rate = defaultRate, signal, clock = systemClock } = options;
  if (!(rate >= leastRate && rate <= mostRate)) {
    throw new RangeError(`${rate} looks a second: from ${leastRate} to ${mostRate} are possible`);
  }
  if (!(limit >= 2000 / rate)) {
    throw new RangeError(
      `a limit of ${limit} ms takes more than ${rate} looks a second: ` +
        `two looks have to fit, so it is ${Math.ceil(2000 / rate)} ms at least`,
    );
  }
  const probe = await target.probe(options.thread);
  if (probe === undefined) throw new RangeError(`${target} has no thread named ${options.thread}`);
  options.onStart?.();
  using watch = new Watch(target, probe, { ...options, limit, rate });
  await watch.warm();
  const { random = Math.random } = options;
  const period = 1000 / rate;
  while (!signal?.aborted && !watch.isGone) {
    for (const hang of watch.look()) yield hang;
    // Between three quarters and five quarters of a period.
    const next = clock.now() + period * (MOST_PERIODS - 0.5 + random() / 2);
    await clock.until(next, signal);
  }
  const last = watch.end(watch.isGone ? "gone" : "unwatched");
  if (last !== undefined) yield last;
}

class Watch implements Disposable {
  readonly #target: LiveTarget;
  readonly #probe: ThreadProbe;
  readonly #options: HangOptions & { readonly limit: number; readonly rate: number };
  readonly #clock: HangClock;
  readonly #glanceAt: () => Glance | undefined;
  readonly #idle: ReadonlySet<string>;
  readonly #places = new Set<string>();
  #before: {
    readonly at: number;
    readonly glance: Glance;
    readonly isIdle: boolean;
    readonly hasLeft: boolean;
  } | undefined;
  /** The last look that found it idle. */
  #lastIdle: number | undefined;
  #hang: Candidate | undefined;
  #serial = 0;
  #triggered = false;
  #told: string | undefined;
  isGone = false;

  constructor(
    target: LiveTarget,
    probe: ThreadProbe,
    options: HangOptions & { readonly limit: number; readonly rate: number },
  ) {
    this.#target = target;
    this.#probe = probe;
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#idle = new Set(options.idle ?? []);
    const { glance } = options;
    const id = glance === undefined ? 0n : probe.info().id;
    this.#glanceAt = glance === undefined ? () => glanceBy(probe) : () => glance(target.pid, id);
  }

  /** Reads symbols and unwind information before they are needed in a hurry. */
  async warm(): Promise<void> {
    // Where it is a file it is loaded with the first name that needs it, which most programs do not have.
    if (!import.meta.url.startsWith("file:")) await loadDemangler();
    try {
      const { threads } = this.#target.snapshot(this.#copying());
      for (const { frames } of this.#read(threads, this.#options.more)) void frames.length;
    } catch (error) {
      if (error instanceof TargetGoneError) this.isGone = true;
      // Another debugger may have it for a moment: it is read when it is needed, then.
      else if (!(error instanceof MachError)) throw error;
    }
  }

  /** What a capture copies besides the stacks. Debug information of functions that have not been seen before
   * is read while the hang goes on. */
  #copying(): SnapshotOptions {
    const { follow, limit } = this.#options;
    return follow === undefined ? {} : { follow: { preparation: limit, ...follow } };
  }

  /** One look; gives what there is to tell. */
  look(): readonly Hang[] {
    const at = this.#clock.now();
    try {
      const glance = this.#glanceAt();
      if (glance === undefined) {
        this.isGone = true;
        return nothing;
      }
      const { isIdle, thread, hasLeft = false } = this.#judge(glance);
      this.#before = { at, glance, isIdle, hasLeft };
      const hang = isIdle ? this.#idleAt(at) : this.#busyAt(at, glance, thread);
      const moment = this.#options.trigger && this.#trigger(at, glance);
      if (hang === undefined && moment === undefined) return nothing;
      return [hang, moment].filter((found) => found !== undefined);
    } catch (error) {
      if (error instanceof TargetGoneError) this.isGone = true;
      // A stop may fail for a moment, as while the target calls `exec`: the next look is another.
      else if (error instanceof AttachError && error.reason !== "other") this.#say(error.remedy);
      else if (error instanceof MachError) this.#say(error.message);
      else throw error;
      return nothing;
    }
  }

  /** Says what went wrong, once as long as it stays the same. */
  #say(text: string): void {
    if (text !== this.#told) this.#options.problem?.(text);
    this.#told = text;
  }

  /** Tells the hang that goes on when the watch ends. */
  end(how: "gone" | "unwatched"): Hang | undefined {
    const hang = this.#hang;
    this.#hang = undefined;
    return hang?.captured && this.#plain(hang, hang.captured, how, undefined);
  }

  #judge(glance: Glance): Found {
    const last = this.#before;
    // What runs is not idle now. Most of what runs waits again at the next look: only then it is stopped.
    if (glance.running) {
      return { isIdle: false, thread: this.#hang === undefined ? null : this.#probe.look() };
    }
    // Where the place is known, it tells. Processor time does not: a stop by a look wakes the thread on Linux.
    const stays = last !== undefined && !last.glance.running && !last.hasLeft &&
      last.glance.place === glance.place &&
      (glance.place !== null || last.glance.ran === glance.ran);
    if (stays) return { isIdle: last.isIdle, thread: null };
    if (glance.place !== null && this.#places.has(glance.place)) {
      return { isIdle: true, thread: null };
    }
    const thread = this.#probe.look();
    const { stackPointer } = glance;
    // Between the glance and the stop it went on: what it does now says nothing of the place.
    if (stackPointer != null && stackPointer !== thread.registers.get(this.#target.arch.sp.name)) {
      return { isIdle: false, thread, hasLeft: true };
    }
    const place = glance.place ?? placeOf(thread);
    if (this.#places.has(place)) return { isIdle: true, thread: null };
    const { what, isIdle: isKnown } = waitingOf(thread, this.#idle);
    const isIdle = isKnown || what === null && glance.isForEvents === true;
    if (isIdle) {
      if (this.#places.size >= MAX_PLACES) this.#places.clear();
      this.#places.add(place);
    }
    return { isIdle, thread };
  }

  #idleAt(at: number): Hang | undefined {
    const hang = this.#hang;
    this.#hang = undefined;
    this.#lastIdle = at;
    return hang?.captured && this.#plain(hang, hang.captured, "idle", at);
  }

  #busyAt(at: number, { running, ran }: Glance, thread: Thread | null): Hang | undefined {
    const look = { at, running, ran, thread };
    const hang = this.#hang ??= {
      timeline: new Timeline(look),
      before: this.#lastIdle,
      first: at,
      last: at,
      firstRan: ran,
      lastRan: ran,
      running: 0,
      looks: 0,
      thread,
      captured: undefined,
      captureFrom: undefined,
      next: 0,
    };
    if (hang.looks > 0) hang.timeline.add(look);
    hang.thread = thread ?? hang.thread;
    hang.last = at;
    hang.lastRan = ran;
    hang.looks++;
    if (running) hang.running++;
    const length = at - beginOf(hang);
    if (length < this.#options.limit) return undefined;
    const brief = hang.captureFrom === undefined ? this.#meet(hang) : undefined;
    // It may end after this look.
    const most = length + MOST_PERIODS / 2 * 1000 / this.#options.rate;
    const { serial, isBrief = false } = hang.captured ?? {};
    if (hang.captured === undefined || isBrief && most >= hang.captureFrom!) {
      hang.captured = this.#capture(hang, false, serial);
    } else if (brief !== undefined) {
      hang.next = 2 * length;
      return brief;
    } else if (length < hang.next) return undefined;
    else if (!isBrief && hang.captured.deadlocks.length === 0) {
      // What began as a wait may have become a deadlock.
      const again = this.#capture(hang, false, hang.captured.serial);
      if (again.deadlocks.length > 0) hang.captured = again;
    }
    hang.next = 2 * length;
    return this.#plain(hang, hang.captured, null, undefined);
  }

  #trigger(at: number, { running, ran }: Glance): Hang | undefined {
    const { trigger } = this.#options;
    const probe = this.#probe;
    let thread: Thread | undefined;
    let holds = false;
    try {
      holds = Boolean(
        trigger?.({
          target: this.#target,
          get thread() {
            return thread ??= probe.look();
          },
          milliseconds: this.#hang === undefined ? 0 : at - beginOf(this.#hang),
          running,
        }),
      );
      this.#told = undefined;
    } catch (error) {
      if (error instanceof TargetGoneError || error instanceof MachError) throw error;
      this.#say(`the trigger failed: ${error instanceof Error ? error.message : error}`);
    }
    const begins = holds && !this.#triggered;
    this.#triggered = holds;
    if (!begins) return undefined;
    const look = { at, running, ran, thread: thread ?? probe.look() };
    const moment: Candidate = {
      timeline: new Timeline(look),
      before: at,
      first: at,
      last: at,
      firstRan: ran,
      lastRan: ran,
      running: running ? 1 : 0,
      looks: 1,
      thread: look.thread,
      captured: undefined,
      captureFrom: undefined,
      next: 0,
    };
    return this.#plain(moment, this.#capture(moment, true), "idle", at);
  }

  /** A hang that has exceeded the limit, with its own thread alone; `undefined` where all are to be captured. */
  #meet(hang: Candidate): Hang | undefined {
    const { captureFrom } = this.#options;
    hang.captureFrom = 0;
    const { thread } = hang;
    // Of a thread that waits, the others tell what for.
    if (captureFrom === undefined || thread === null || hang.running * 2 < hang.looks) {
      return undefined;
    }
    hang.captured = {
      serial: ++this.#serial,
      isBrief: true,
      began: this.#dateOf(hang),
      byTrigger: false,
      stoppedMicroseconds: 0,
      thread: 0,
      threads: this.#read([thread]),
      waits: [],
      deadlocks: [],
      images: hangImages(this.#target),
    };
    const brief = this.#plain(hang, hang.captured, null, undefined);
    hang.captureFrom = captureFrom(brief);
    return brief;
  }

  /** When a hang began. */
  #dateOf(hang: Candidate): string {
    return new Date(this.#clock.date() - (this.#clock.now() - beginOf(hang))).toISOString();
  }

  /** Captures every thread, and who waits for whom, in one stop. */
  #capture(hang: Candidate, byTrigger: boolean, serial = ++this.#serial): Captured {
    const began = hang.captured?.began ?? this.#dateOf(hang);
    const target = this.#target;
    let waits: ReturnType<typeof threadWaits> = [];
    const { threads, stoppedMicroseconds } = target.snapshot({
      ...this.#copying(),
      whileStopped(threads) {
        waits = threadWaits(target, threads);
      },
    });
    const { id } = this.#probe.info();
    return {
      serial,
      began,
      byTrigger,
      stoppedMicroseconds,
      thread: Math.max(0, threads.findIndex((thread) => thread.id === id)),
      threads: this.#read(threads, this.#options.more),
      waits: waits.map(({ thread, holder, through }) => ({
        thread: thread.index,
        for: holder.index,
        through,
      })),
      deadlocks: deadlocks(waits)
        .map((circle) => circle.map(({ index }) => index)),
      images: hangImages(target),
    };
  }

  #read(threads: readonly Thread[], more?: HangOptions["more"]): HangThread[] {
    return threads.map((thread) => {
      const frames = thread.backtrace({ limit: MAX_FRAMES });
      const { index, id, name, state, queue } = thread;
      return {
        index,
        id: Number(id),
        name: name === "" ? null : name,
        state,
        queue: queue === null || queue.label === "" ? null : queue.label,
        waiting: standstillWords(thread) ?? waitingOf(thread, this.#idle).what,
        frames: frames.map((frame) => ({ ...plainFrame(frame), ...more?.(frame) })),
        stopped: frames.stopped,
      };
    });
  }

  #plain(
    hang: Candidate,
    captured: Captured,
    ended: Hang["ended"],
    after: number | undefined,
  ): Hang {
    const { limit, rate } = this.#options;
    const { looks, stacks } = hang.timeline.plain(plainFrame);
    const begin = beginOf(hang);
    const end = after === undefined ? hang.last : (hang.last + after) / 2;
    const milliseconds = Math.max(0, Math.round(end - begin));
    const { thread, threads, waits, byTrigger } = captured;
    const isWaitingFor = (from: number, seen: readonly number[] = []): boolean =>
      captured.deadlocks.some((circle) => circle.includes(from)) ||
      waits.some((wait) =>
        wait.thread === from && !seen.includes(from) && isWaitingFor(wait.for, [...seen, from])
      );
    const hung = {
      format: HANG_FORMAT,
      version: HANG_VERSION,
      serial: captured.serial,
      severity: severityOf(milliseconds),
      target: this.#target.toJSON() as unknown as Hang["target"],
      thread,
      kind: isWaitingFor(thread)
        ? "deadlock"
        : byTrigger
        ? "trigger"
        : hang.running * 2 >= hang.looks
        ? "busy"
        : "blocked",
      began: captured.began,
      milliseconds,
      atLeast: Math.round(hang.last - hang.first),
      atMost: after === undefined || hang.before === undefined
        ? null
        : Math.round(after - hang.before),
      ended,
      limit,
      period: Math.round(1000 / rate),
      stoppedMicroseconds: captured.stoppedMicroseconds,
      looks,
      stacks,
      threads,
      waits,
      deadlocks: captured.deadlocks,
      ...captured.isBrief ? { isBrief: true } : {},
    } as const;
    const images = usedImages(captured.images, [...stacks, ...threads.map(({ frames }) => frames)]);
    const common = commonStack(looks, stacks);
    return { ...hung, signature: hangSignature({ ...hung, images }, common, demangle), images };
  }

  [Symbol.dispose](): void {
    this.#probe[Symbol.dispose]();
  }
}

/** What a look found. `thread` is `null` when its stack is known from the look before. */
interface Found {
  readonly isIdle: boolean;
  readonly thread: Thread | null;
  /** Whether the thread was elsewhere by the time of the stop. */
  readonly hasLeft?: boolean;
}

/** When a hang began: between the last look before it and its first. */
function beginOf({ before, first }: Candidate): number {
  return before === undefined ? first : (before + first) / 2;
}

/** Glances by `thread_info`. */
function glanceBy(probe: ThreadProbe): Glance {
  const { runState, userTime, systemTime } = probe.info();
  // TH_STATE_RUNNING
  return { running: runState === 1, ran: Number(userTime + systemTime), place: null };
}

/** Registers that are equal where a thread waits again for the same. */
function placeOf({ registers }: Thread): string {
  return ["pc", "rip", "eip", "sp", "rsp", "esp", "fp", "rbp", "ebp", "lr"].map((name) =>
    registers.get(name)?.toString(16) ?? ""
  ).join();
}

function plainFrame(frame: Frame): HangFrame {
  return frame.toJSON() as unknown as HangFrame;
}

/** The images that frames are in. */
function usedImages(
  images: Hang["images"],
  stacks: readonly (readonly HangFrame[])[],
): Hang["images"] {
  const used = new Set(stacks.flatMap((frames) => frames.map(({ image }) => image)));
  return images.filter(({ name }) => used.has(name));
}

/** Why a thread stands still that does not wait. Linux tells it; on Darwin such a thread has the state of a wait. */
function standstillWords({ state, suspendCount }: Thread): string | null {
  if (suspendCount > 0) return "suspended by this program";
  return state === "stopped" ? "stopped by a signal or a debugger" : null;
}
