/** Stacks that overflowed. */

import { subtypeName } from "../codes.ts";
import { faultAddress, stackPointer } from "../fault.ts";
import { imageOf } from "../images.ts";
import { isNearest } from "../nearest.ts";
import { once } from "../remember.ts";
import type { CrashReport, ReportFrame } from "../report.ts";
import { classifyAddress, isExecuted } from "./address.ts";
import { faultingThread } from "./instruction.ts";
import { endedBy, frameOwner, functionOf, isUnnamed, reachesBase } from "./stack.ts";
import { frameNumber } from "./words.ts";

/** Stacks of threads that do not recurse too deep are not so deep. */
export const MANY = 20_000;
/** From this many frames on, a function that repeats is taken for what filled the stack. */
const MIN_RECURSION = 400;

/** The same for a fault at the stack pointer, where reporters cut stacks. */
const MIN_REPEATS = 12;

/** Frames that are left out, from which on they are what filled a stack. */
export const MIN_LEFT = 100;

/** No stack is below this address. */
const LOW = 0x10000n;

/** Classes of addresses that the end of a stack can have. */
const isAnywhere = /^(?:unknown|protected|protected elsewhere|stack area)$/;

/** What is told of a deep stack, and whether it is sure that it was full. */
export interface DeepStack {
  readonly text: string;
  readonly full: boolean;
  /** Whether a frame's function is one of those that repeat: any other only was in hand when the stack was full. */
  readonly repeats: (frame: ReportFrame) => boolean;
}

/** A stack with the same functions again and again: one that overflowed, with a fault at its end or one whose
 * place a copy without registers does not show, or one that is only long. */
export const recursion: (report: CrashReport) => DeepStack | null = once((report) => {
  const frames = report.crashedThread?.frames ?? [];
  if (frames.length < MIN_REPEATS) return null;
  if (frames.length < MIN_RECURSION && faultAddress(report) === null) return null;
  const counts = new Map<string, { frame: ReportFrame; count: number }>();
  for (const frame of frames) {
    const key = nameOf(frame);
    const entry = counts.get(key);
    if (entry === undefined) counts.set(key, { frame, count: 1 });
    else entry.count++;
  }
  // Of those that are as often, the innermost.
  let most = { frame: frames[0], count: 0 };
  for (const entry of counts.values()) if (entry.count > most.count) most = entry;
  if (most.count < MIN_REPEATS || most.count < frames.length / 10) return null;
  const address = faultAddress(report);
  const sp = stackPointer(faultingThread(report));
  const near = address !== null && sp !== null && address < sp + 0x1000n &&
    address + 0x20000n > sp && !isExecuted(report, address);
  const kind = address === null ? null : classifyAddress(report, address).kind;
  const guard = kind === "stack" || kind === "filled";
  if (frames.length < MIN_RECURSION && !near && !guard) return null;
  const last = frames.at(-1)!;
  const often = `${nameOf(most.frame)} is on it ${most.count} times in ${
    last.index >= frames.length + MIN_LEFT
      ? `the ${frames.length} frames that are there of ${last.index + 1}`
      : `${frames.length} frames`
  }`;
  const repeats = (frame: ReportFrame): boolean =>
    (counts.get(nameOf(frame))?.count ?? 0) * 2 > most.count;
  const cut = frames.length >= MIN_RECURSION && repeats(last)
    ? ` The report's list of frames ends within it, at ${
      frameNumber(report, last)
    }: what began it is not there.`
    : "";
  // Deep recursion alone need not be what ended the process; the end of a stack is nowhere near null.
  const isElsewhere = sp !== null || endedBy(report) !== "access" ||
    (address !== null && address < LOW) || cut === "" && isUnmapped(report) ||
    !isAnywhere.test(kind ?? "unknown");
  return near || guard || !isElsewhere
    ? {
      text: `The stack ${
        near || guard ? "overflowed" : "most likely overflowed"
      } by recursion: ${often}.${cut}`,
      full: true,
      repeats,
    }
    : { text: `The stack is deep: ${often}.${cut}`, full: false, repeats };
});

/** Whether nothing was mapped at an access: the end of a stack is protected. */
function isUnmapped({ exception, arch }: CrashReport): boolean {
  return exception !== null &&
    /^(?:KERN_INVALID_ADDRESS|SEGV_MAPERR)$/.test(subtypeName(exception, arch) ?? "");
}

/** Frames that a stack which overflowed lacks in a report, or that are in no image there. */
export interface Hidden {
  /** Numbers of the frames that are left out; `null` where none are. */
  readonly left: { readonly first: number; readonly last: number } | null;
  /** Whether the frames next to them, or most of the stack, are in no image, as what a run-time compiles. */
  readonly isCompiled: boolean;
}

/** What filled a stack that overflowed, where the frames that are there do not repeat but others are left out or have neither
 * names nor images; `null` for other stacks. */
export const hiddenRecursion: (report: CrashReport) => Hidden | null = once((report) => {
  const frames = report.crashedThread?.frames ?? [];
  const address = faultAddress(report);
  if (frames.length < 2 || address === null || endedBy(report) !== "access") return null;
  const at = frames.findIndex((frame, index) =>
    index > 0 && frame.index - frames[index - 1].index > MIN_LEFT
  );
  const isBare = (frame: ReportFrame | undefined): boolean =>
    frame !== undefined && frame.symbol === null && imageOf(frame) === null;
  const bare = frames.filter(isBare).length;
  const isCompiled = bare >= MIN_LEFT && bare * 2 > frames.length;
  if (at <= 0 && !isCompiled) return null;
  if (classifyAddress(report, address).kind !== "stack" || recursion(report) !== null) return null;
  if (at > 0) {
    const left = { first: frames[at - 1].index + 1, last: frames[at].index - 1 };
    return { left, isCompiled: isBare(frames[at - 1]) && isBare(frames[at]) };
  }
  return { left: null, isCompiled };
});

/** What is told of it. */
export function hiddenWords({ left, isCompiled }: Hidden, frames: readonly ReportFrame[]): string {
  const what = isCompiled ? ", in code of no image, as what a run-time compiles" : "";
  return left === null
    ? `The stack overflowed, most likely by recursion${what}: most of its ${frames.length} frames here are nameless.`
    : `The stack has ${
      frames.at(-1)!.index + 1
    } frames, of which the report leaves out ${left.first} to ${left.last}: most likely recursion that is there${what}; the innermost frames were only in hand when the stack was full.`;
}

/** Times that a function has to be on the part of a full stack that a copy has, to be taken for what filled it. */
const MIN_AGAIN = 3;

/** The function of the program that is most often on the part of a full stack that a copy has, and how often; `null` where none
 * is there again, or the stack is whole or told of otherwise. */
export function partialRecursion(
  report: CrashReport,
): { readonly frame: ReportFrame; readonly count: number } | null {
  const frames = report.crashedThread?.frames ?? [];
  // A return address in the function that made the call is enough where the copy has no other.
  const isAll = frames.length > 1 && frames[0].symbol !== null && !frames[0].inlined &&
    frames.every((frame) => nameOf(frame) === nameOf(frames[0]));
  if ((frames.length < MIN_AGAIN && !isAll) || reachesBase(frames)) return null;
  if (!overflows(report) || recursion(report) !== null) return null;
  const found = frames.filter((frame) =>
    frameOwner(frame, functionOf(frame, null)) === "program" && !clearsStack(frame)
  )
    .map((frame) => ({
      frame,
      count: frames.filter((other) => nameOf(other) === nameOf(frame)).length,
    }));
  const [most] = found.sort((a, b) => b.count - a.count);
  return most === undefined || (most.count < MIN_AGAIN && !isAll) ? null : most;
}

/** Whether a function calls itself on purpose, to clear what is beyond the stack's end: the Boehm collector's. */
function clearsStack({ symbol }: ReportFrame): boolean {
  return symbol?.startsWith("GC_clear_stack") === true;
}

/** The frames of the crashed thread that are one call again and again, where the access was at or near the end of a stack;
 * `null` for others. */
export function sameCall(
  report: CrashReport,
): { readonly first: ReportFrame; readonly last: ReportFrame } | null {
  const frames = report.crashedThread?.frames ?? [];
  const address = endedBy(report) === "access" ? faultAddress(report) : null;
  if (address === null || !/^(?:stack|stack area)$/.test(classifyAddress(report, address).kind)) {
    return null;
  }
  for (let at = 1; at + MIN_AGAIN <= frames.length; at++) {
    const first = frames[at];
    let end = at + 1;
    while (frames[end]?.address === first.address && !frames[end].inlined) end++;
    if (
      end - at >= MIN_AGAIN && first.address !== 0n && !first.inlined && !clearsStack(first)
    ) {
      return { first, last: frames[end - 1] };
    }
  }
  return null;
}

/** Whether the access that ended a process was one beyond the end of its stack: it says nothing of what was in hand. */
export const overflows: (report: CrashReport) => boolean = once((report) => {
  if (endedBy(report) !== "access") return false;
  const address = faultAddress(report);
  return address !== null && classifyAddress(report, address).kind === "stack" ||
    recursion(report)?.full === true;
});

function nameOf(frame: ReportFrame): string {
  return frame.symbol === null || isUnnamed(frame) || isNearest(frame)
    ? `code at 0x${frame.address.toString(16)}`
    : frame.symbol;
}
