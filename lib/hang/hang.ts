/** What a hang is, as plain data: the form of `hang.json`, which is documented in README.md of this folder. */
import type { RawText } from "../escape.ts";

/** The form's name and version, in each file. */
export const HANG_FORMAT = "machpause-hang";
/** The form's version. */
export const HANG_VERSION = 1;

/** How long a hang is. */
export type Severity = "micro" | "hang" | "severe";

/** From this length on, in milliseconds. Apple's Instruments calls hangs below 500 ms micro hangs and
 * reports them from 250 ms on (WWDC23 10248, "Analyze hangs with Instruments"); 2 s is where watchdogs of
 * others (sentry-cocoa's) report an app hang, and Xcode's organizer a severe one. */
export const severityFrom: Readonly<Record<Severity, number>> = {
  micro: 250,
  hang: 500,
  severe: 2000,
};

/** The severity of a length.
 *
 * @example
 * ```ts
 * import { severityOf } from "@machpause/machpause/hang";
 *
 * console.log(severityOf(300), severityOf(3000)); // micro severe
 * ```
 */
export function severityOf(milliseconds: number): Severity {
  if (milliseconds >= severityFrom.severe) return "severe";
  return milliseconds >= severityFrom.hang ? "hang" : "micro";
}

/** Severities, the least first. */
export const severities: readonly Severity[] = ["micro", "hang", "severe"];

/** A frame, as `bt --json` has it. */
export interface HangFrame {
  /** Number in the stack. */
  readonly index: number;
  /** `"0x…"`. */
  readonly address: string;
  /** Name of the image; `null` when none holds the address. */
  readonly image: RawText | null;
  /** Function, as the linker knows it; `null` when not known. */
  readonly symbol: RawText | null;
  /** Bytes from the function's start; `null` when not known. */
  readonly offset: number | null;
  /** Source file; `null` when not known. */
  readonly file: RawText | null;
  /** From 1; `null` when not known. */
  readonly line: number | null;
  /** From 1; `null` when not known. */
  readonly column: number | null;
  /** Whether it is inlined into the next. */
  readonly inlined: boolean;
  /** How it was found. */
  readonly via: string;
  /** As `bt --locals --json` has them, when they were asked for. */
  readonly variables?: unknown;
}

/** A thread when the hang was found, as `bt --json` has it. */
export interface HangThread {
  /** Its number; 0 is the main thread. */
  readonly index: number;
  /** Its identifier. */
  readonly id: number;
  /** `null` when it has none. */
  readonly name: RawText | null;
  /** Such as `waiting`. */
  readonly state: string;
  /** The dispatch queue that it serves; `null` when there is none. */
  readonly queue: RawText | null;
  /** What it waits for, in words; `null` when it runs or that is not known. */
  readonly waiting: string | null;
  /** Innermost first. */
  readonly frames: readonly HangFrame[];
  /** Why the walk ended. */
  readonly stopped: string;
}

/** An image that frames are in. */
export interface HangImage {
  /** The file's name. */
  readonly name: RawText;
  /** Empty when not known. */
  readonly path: RawText;
  /** `null` when it has none. */
  readonly uuid: string | null;
  /** `"0x…"`. */
  readonly loadAddress: string;
  /** Bytes of its code; 0 when not known. */
  readonly size: number;
}

/** One thread that waits for another. */
export interface HangWait {
  /** Index of the one that waits. */
  readonly thread: number;
  /** Index of the one that it waits for. */
  readonly for: number;
  /** Through what: `pthread mutex`, `os_unfair_lock`, `dispatch queue`. */
  readonly through: string;
}

/** Looks in a row that found the same. */
export interface HangLook {
  /** Milliseconds from the hang's beginning to the first of these looks. */
  readonly at: number;
  /** The number of looks. */
  readonly looks: number;
  /** Whether the thread was on a processor or wanted one. */
  readonly running: boolean;
  /** Processor time that the thread had used by the last of these looks, in milliseconds since the
   * hang's first look. */
  readonly cpu: number;
  /** Index in {@linkcode Hang.stacks}; `null` when the stack was not kept. */
  readonly stack: number | null;
}

/** A hang. */
export interface Hang {
  /** What it is. */
  readonly format: typeof HANG_FORMAT;
  /** The form's version. */
  readonly version: typeof HANG_VERSION;
  /** Tells the hangs of one watch apart: a hang that lasts is given out again as it goes on. */
  readonly serial: number;
  /** The same for the same hang in another process. */
  readonly signature: {
    /** 16 hexadecimal digits. */
    readonly id: string;
    /** `hang`, then frames, innermost first. */
    readonly parts: readonly RawText[];
  };
  /** By its length. */
  readonly severity: Severity;
  /** As in `bt --json`. */
  readonly target: {
    readonly kind: string;
    readonly pid: number | null;
    readonly name: RawText;
    readonly arch: string;
  };
  /** The thread that hung: index in {@linkcode Hang.threads}. */
  readonly thread: number;
  /** `blocked`: it waited nearly all the time. `busy`: it ran. `deadlock`: it is in a circle of threads that
   * wait for each other, or waits for one that is. `trigger`: the user's condition held. */
  readonly kind: "blocked" | "busy" | "deadlock" | "trigger";
  /** When it began, as in `2026-11-22T09:15:03.120Z`. */
  readonly began: string;
  /** How long it lasted so far, in milliseconds: the middle of the two bounds. */
  readonly milliseconds: number;
  /** From the first look that found it to the last. */
  readonly atLeast: number;
  /** From the last look before it to the first after it; `null` where there is none. */
  readonly atMost: number | null;
  /** How it ended; `null` while it goes on. */
  readonly ended: "idle" | "gone" | "unwatched" | null;
  /** The limit that it exceeded, in milliseconds. */
  readonly limit: number;
  /** Between two looks, in milliseconds. */
  readonly period: number;
  /** How long the whole target was stopped for the capture, in microseconds. */
  readonly stoppedMicroseconds: number;
  /** What the looks found, in their order. */
  readonly looks: readonly HangLook[];
  /** The stacks of the thread that hung, innermost frame first. */
  readonly stacks: readonly (readonly HangFrame[])[];
  /** Every thread, when the limit was exceeded. */
  readonly threads: readonly HangThread[];
  /** Whether {@linkcode threads} has the one that hung alone, since `captureFrom` asked for no more. No file has such a
   * hang. */
  readonly isBrief?: boolean;
  /** Who waits for whom, when the limit was exceeded. */
  readonly waits: readonly HangWait[];
  /** Circles of threads that wait for each other, by index. */
  readonly deadlocks: readonly (readonly number[])[];
  /** Those that frames are in. */
  readonly images: readonly HangImage[];
}
