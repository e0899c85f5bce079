/** Tells a thread that waits for work, as in a run loop, from one that is stuck. */
import type { ReportFrame } from "../report/mod.ts";
import { isIdle, waitOf } from "../report/mod.ts";
import type { Frame, Thread } from "../target/mod.ts";

/** A function that does nothing but wait for work, or for somebody to type: what it waits in says nothing. */
interface IdleFunction {
  readonly name: string;
  readonly source: string;
}

/** Looked for among the innermost frames of a thread that does not run, before the waits of
 * `lib/report/knowledge/`. No function that calls others back belongs here. */
export const idleFunctions: readonly IdleFunction[] = [
  { name: "rl_getc", source: "GNU readline, input.c: waits for a key" },
  { name: "rl_read_key", source: "GNU readline, input.c: waits for a key" },
  { name: "runtime.mPark", source: "Go, runtime/proc.go: a thread without work" },
  { name: "runtime.stopm", source: "Go, runtime/proc.go: a thread without work" },
];

const idleNames: ReadonlySet<string> = new Set(idleFunctions.map(({ name }) => name));

/** Frames that are looked at: deeper ones say whose work it is, not what it waits in. */
const DEPTH = 12;

/** The frames of a report, as far as waits need them. Lines are not read: that takes debug information. */
function waitFrames(frames: readonly Frame[]): ReportFrame[] {
  return frames.map(({ address, image, symbol, offset }, index): ReportFrame => ({
    index,
    address,
    image: image === null ? null : {
      name: image.name,
      path: image.path === "" ? null : image.path,
      uuid: image.uuid,
      arch: null,
      base: image.loadAddress,
      size: 0n,
      version: null,
      identifier: null,
      marked: false,
    },
    imageName: image?.name ?? null,
    symbol: symbol === null ? null : plainName(symbol.name),
    offset,
    file: null,
    line: null,
    column: null,
    inlined: false,
    span: null,
  }));
}

/** A symbol without its version, and without what glibc's own callers call it by. */
function plainName(name: string): string {
  return name.replace(/@.*$/, "").replace(/^__GI_(?=.)/, "");
}

/** What a thread waits in. */
export interface Waiting {
  /** In words, such as `waiting for an event`; `null` when it runs, or that is not known. */
  readonly what: string | null;
  /** Whether it has nothing to do. */
  readonly isIdle: boolean;
}

/** Tells what a thread waits in, from its innermost frames.
 *
 * @param frames innermost first
 * @param own functions of the program that only wait for work
 */
export function waitingIn(
  frames: readonly ReportFrame[],
  own: ReadonlySet<string> = idleNames,
): Waiting {
  const near = frames.slice(0, DEPTH);
  const waits = ({ symbol }: ReportFrame) =>
    symbol !== null && (idleNames.has(symbol) || own.has(symbol));
  if (near.some(waits)) return { what: "waiting for work", isIdle: true };
  const row = waitOf(near);
  return { what: row?.meaning ?? null, isIdle: isIdle(row) };
}

/** What a captured thread waits in. */
export function waitingOf(thread: Thread, own?: ReadonlySet<string>): Waiting {
  if (thread.state === "running") return { what: null, isIdle: false };
  return waitingIn(waitFrames(thread.backtrace({ limit: DEPTH }).activations), own);
}
