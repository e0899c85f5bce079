/** The shape of the table of what run-times, engines and tools print when a process ends. */

import { baseName } from "../images.ts";
import { parseSource } from "./crash_lines.ts";

/** A frame, as far as a run-time prints it. */
export interface ConsoleFrame {
  readonly address: bigint;
  readonly imageName: string | null;
  readonly symbol: string | null;
  readonly file: string | null;
  readonly line: number | null;
}

/** What a run-time prints. */
export interface Console {
  /** The line that says what happened; its first group is the message. Without one no line says it. */
  readonly said: RegExp;
  /** Another line that must be there, if the first one is not distinctive. */
  readonly needs?: RegExp;
  /** A frame's line; `null` for others. `next` is the line after it. */
  frame(line: string, next: string): ConsoleFrame | null;
  /** Another line that tells: its first group, whole without one. */
  readonly also?: RegExp;
  /** What others of the lines have as their first group, which is told behind the message: every match. */
  readonly each?: RegExp;
  /** The line whose first group is the thread's name. */
  readonly thread?: RegExp;
  /** What is written before that line's group. */
  readonly title?: string;
  /** A line before the frames that count, where others may come before it. */
  readonly begins?: RegExp;
  /** Whether it says little, so that any stack beside it says more. */
  readonly isAlone?: boolean;
  /** Whether the other line only adds to the message, and is told behind it. */
  readonly isAfter?: boolean;
  /** Whether the outermost frame is the first. */
  readonly isReversed?: boolean;
  /** Functions that only take the stack: one that has nothing else tells nothing. */
  readonly takes?: RegExp;
  /** A line after the frames of the stack that tells, where others follow. */
  readonly ends?: RegExp;
  /** Whether the line's words are the reason by which the system ends a process. */
  readonly isTermination?: boolean;
  /** Whether the line's words are a debugger's reason for a stop. */
  readonly isStop?: boolean;
  /** Who printed the line, which is written before it where its own words do not tell. */
  readonly teller?: string;
  /** Whether the frames up to the kernel's trampoline are the handler's that prints them, and tell nothing. */
  readonly hasHandler?: boolean;
  /** What else is in a text of another kind, which says more. */
  readonly unless?: RegExp;
  /** The title of the stack that called the one before it, where that is only the run-time's own. */
  readonly calledBy?: RegExp;
}

/** Makes a frame of what is told of it. */
export function frameOf(
  symbol: string | null,
  place: string | null = null,
  address: string | null = null,
  image: string | null = null,
): ConsoleFrame {
  const source = place === null ? null : parseSource(place);
  return {
    address: address === null ? 0n : BigInt(address),
    imageName: image === null ? null : baseName(image),
    symbol,
    file: source?.file ?? null,
    line: source?.line ?? null,
  };
}

/** Where a run-time names no file, the name that stands for its own code. */
export const standardLibrary = "standard library";

/** Folders of Go's standard library: Go, src. */
export const goFolders: ReadonlySet<string> = new Set(
  ("archive bufio builtin bytes cmp compress container context crypto database debug embed encoding errors expvar flag fmt " +
    "go hash html image index internal io iter log maps math mime net os path plugin reflect regexp runtime slices sort " +
    "strconv strings structs sync syscall testing text time unicode unique unsafe vendor weak")
    .split(" "),
);
