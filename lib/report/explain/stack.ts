/** The parts that frames play on a crashed stack: raising, telling what happened, deciding whose it is. */

import { imageOf, imageTitle, isSystemImage } from "../images.ts";
import { type KnowledgeRow, known, knownFrame } from "../knowledge/mod.ts";
import type { ReportFrame } from "../report.ts";

/** A frame's function for lookups; `null` when it has no name, or only that of the next function: a return
 * address at a function's first byte follows a call that does not return. */
export function functionOf(frame: ReportFrame, previous: ReportFrame | null): string | null {
  const { symbol } = frame;
  if (symbol === null || symbol === "<redacted>") return null;
  const isReturn = previous !== null && previous.symbol !== "_sigtramp" && !frame.inlined;
  return isReturn && frame.offset === 0 ? null : symbol;
}

/** The message in the name of an inlined frame with which compilers mark traps: `Swift runtime failure:
 * arithmetic overflow`, `__clang_trap_msg$libc++$…`; `null` for other names. */
export function trapMessage(symbol: string): string | null {
  if (symbol.startsWith("Swift runtime failure: ")) return symbol.slice(23);
  if (symbol.startsWith("__clang_trap_msg$")) return symbol.slice(17).replaceAll("$", ": ");
  return / assertion .{1,300} failed\b/.test(symbol.slice(0, 600)) ? symbol : null;
}

/** Whose code a frame is, as far as names tell. */
export type FrameOwner = "program" | "runtime" | "system" | "unknown";

/** Tells whose code a frame is: the system's, a language run-time's, or the program's. */
export function frameOwner(frame: ReportFrame, symbol: string | null): FrameOwner {
  const image = imageOf(frame);
  if (image === null) return "unknown";
  if (known("library", imageTitle(image)) !== null) return "runtime";
  if (isSystemImage(image)) return "system";
  const raised = symbol !== null && (knownFrame(symbol) !== null || trapMessage(symbol) !== null);
  return raised ? "runtime" : "program";
}

/** A stack, as far as explanations need it. */
export interface StackReading {
  /** Index of the first frame that is neither the system's nor a run-time's; -1 when there is none. */
  readonly deciding: number;
  /** Rows of the frames before it, innermost first. */
  readonly rows: readonly { readonly row: KnowledgeRow; readonly index: number }[];
}

/** Frames of a stack without any code of the program, in which rows are looked for. */
const SYSTEM_DEPTH = 16;

/** Looks for the deciding frame and for known functions before it. */
export function readStack(stack: readonly ReportFrame[]): StackReading {
  const rows: { row: KnowledgeRow; index: number }[] = [];
  let deciding = -1;
  let runtime = -1;
  /** After `_sigtramp` come the frames that the signal interrupted. */
  let innermost = true;
  for (let index = 0; index < stack.length && deciding < 0; index++) {
    const frame = stack[index];
    const symbol = functionOf(frame, stack[index - 1] ?? null);
    const owner = frameOwner(frame, symbol);
    if (owner === "program") deciding = index;
    if (owner === "runtime" && runtime < 0 && !isSystemImage(imageOf(frame)!)) runtime = index;
    if (owner === "program" || (index >= SYSTEM_DEPTH && owner === "system")) continue;
    const row = symbol === null ? null : knownFrame(symbol);
    if (row !== null && (row.role !== "top" || innermost)) rows.push({ row, index });
    innermost = symbol === "_sigtramp" || (innermost && row?.role === "raise");
  }
  // Rows deep in a stack that has no code of the program tell nothing of its top.
  const near = deciding < 0 ? rows.filter(({ index }) => index < SYSTEM_DEPTH) : rows;
  return { deciding: deciding < 0 ? runtime : deciding, rows: near };
}
