/** The region of memory that an address is in, and those beside it, by what the report has of them. */

import { NEAR_NULL, regionInfo } from "../fault.ts";
import type { CrashReport } from "../report.ts";
import { crashedIndex } from "./crashed.ts";
import { sizeWords } from "./words.ts";

/** Up to this far after a heap's region an access is taken for one past the end of its last block. */
const OVERRUN = 0x1000n;
/** User space has no larger gaps: reports print negative distances as large ones. */
const MAX_GAP = 1n << 48n;

/** Whether no memory can be at an address, by its upper bits: Intel's 64-bit CPUs. */
export function isNonCanonical({ arch }: CrashReport, address: bigint): boolean {
  const upper = address >> 47n;
  return arch === "x86_64" && upper !== 0n && upper !== 0x1ffffn;
}

/** What `VM Region Info` says about a region. */
export interface RegionWords {
  readonly words: string | null;
  /** Type of the region at the address; `null` when it is in none. */
  readonly type: string | null;
  /** Whether it is the guard of the crashed thread's stack, as far as the report says. */
  readonly guard: boolean;
  /** Number of the thread whose stack it guards, if another one crashed. */
  readonly other: number | null;
  /** Number of the crashed thread, if its stack ends at the address. */
  readonly beside: number | null;
  readonly kind: "overrun" | "beside" | "readonly" | "unknown";
  /** Whether code may run in the region, or its protection is not in the report. */
  readonly executable: boolean;
}

/** What `VM Region Info` says about the region at the address. */
export function regionWords(report: CrashReport, address: bigint): RegionWords {
  // Of an address that is not canonical the kernel looks up the lower bits.
  const info = isNonCanonical(report, address) ? null : regionInfo(report);
  const nothing: RegionWords = {
    words: null,
    type: null,
    guard: false,
    other: null,
    beside: null,
    kind: "unknown",
    executable: false,
  };
  if (info === null) return nothing;
  const arrow = info.split("\n").find((line) => /^\s*-{2,4}>\s*\S/.test(line)) ?? "";
  const kind = arrow.replace(/^\s*-{2,4}>\s*/, "").trim();
  if (/is not in any region/.test(info) || /^(?:GAP OF|UNUSED SPACE)/i.test(kind)) {
    const after = distance(/Bytes after previous region:\s*(\d{1,20})/.exec(info)?.[1]);
    const before = distance(/Bytes before following region:\s*(\d{1,20})/.exec(info)?.[1]);
    const heap = after !== null && after < OVERRUN ? heapBefore(info) : null;
    if (heap !== null) {
      const words = `it is ${after} bytes after the end of a heap region (${heap})`;
      return { ...nothing, words, kind: "overrun" };
    }
    const stack = after !== null && after <= OVERRUN ? stackBefore(info) : null;
    if (stack !== null) {
      const words = `it is just past the upper end of the stack of thread ${stack}`;
      const crashed = report.crashedThread?.index ?? crashedIndex(report);
      return stack === crashed
        ? { ...nothing, words, beside: stack, kind: "beside" }
        : { ...nothing, words: `${words}, which is not the one that crashed` };
    }
    // Of null and what is near it all processes have nothing.
    if (after === null && address < NEAR_NULL) return nothing;
    const near = [
      after === null ? "" : `${sizeWords(after)} after the one before`,
      before === null ? "" : `${sizeWords(before)} before the next`,
    ].filter((text) => text !== "").join(", ");
    const type = regionBefore(info);
    const behind = after === null || type === null ? "" : `; the one before is ${type}`;
    const words = `it is in no region of the process${near === "" ? "" : `: ${near}`}${behind}`;
    return { ...nothing, words };
  }
  const range = /\b([0-9a-f]{6,16})-[0-9a-f]{6,16}\b/.exec(kind.slice(0, 200));
  // A copy that lost the empty line of the place before a region has the arrow at the region.
  if (range !== null && address < BigInt(`0x${range[1]}`)) {
    return { ...nothing, words: "it is in no region of the process" };
  }
  // Without its line the report only has the region's bounds.
  if (kind === "") {
    // Older systems mark the place between two regions by nothing behind the arrow.
    return /^[ \t]{0,80}-{2,4}>\s*\n.{0,100} [0-9a-f]{6,16}-[0-9a-f]{6,16}\b/m.test(info)
      ? { ...nothing, words: "it is in no region of the process" }
      : nothing;
  }
  const type = /^(\S.*?)\s+[0-9a-f]{6,16}-[0-9a-f]{6,16}\b/.exec(kind.slice(0, 200))?.[1] ?? kind;
  // Address space that is only set aside is no memory.
  if (/\(reserved\)$/.test(type)) {
    return { ...nothing, words: "it is in no region of the process" };
  }
  const isGuard = /^stack guard/i.test(kind);
  const owner = isGuard
    ? /(?:stack guard |\.{3})for thread (\d{1,9})\b/.exec(kind)?.[1]
    : undefined;
  const crashed = report.crashedThread?.index ?? crashedIndex(report);
  const other = owner === undefined || crashed === null || Number(owner) === crashed
    ? null
    : Number(owner);
  const protection = /\s([r-][w-][x-])\/[r-][w-][x-]/.exec(kind)?.[1];
  // `SM=COW  /usr/lib/dyld`, `SM=COW  ...ryLogger.dylib`
  const file = /\bSM=[A-Z]{2,4}\s{1,20}((?:\/|\.{3})[^=]{1,200})$/.exec(kind)?.[1].trim();
  return {
    words: `it is in a region of type ${type}` +
      (protection === undefined ? "" : `, protection ${protection}`) +
      (file === undefined || isGuard || file.includes(" thread ") ? "" : `, of ${file}`),
    type,
    guard: isGuard ? other === null : isBelowStack(info, type, protection, crashed),
    other,
    beside: other !== null && stackEndsAt(info, address) === crashed ? crashed : null,
    kind: protection?.startsWith("r-") === true ? "readonly" : "unknown",
    executable: protection === undefined || protection.endsWith("x"),
  };
}

/** Whether a protected region ends where the crashed thread's stack begins: the system's guard, or one that a run-time made. */
function isBelowStack(
  info: string,
  type: string,
  protection: string | undefined,
  crashed: number | null,
): boolean {
  const isMade = protection === "---" || (/^Stack\b/i.test(type) && protection?.[1] !== "w");
  const stack = isMade ? stackAfter(info) : null;
  return stack !== null && crashed !== null && (stack.thread ?? crashed) === crashed;
}

/** The stack that follows the region of the address without a gap; `null` where none does. */
export function stackAfter(
  info: string,
): { thread: number | null; start: bigint; end: bigint } | null {
  const lines = info.split("\n");
  const at = lines.findIndex((line) => /^\s*-{2,4}>/.test(line));
  const end = /[0-9a-f]{6,16}-([0-9a-f]{6,16})\b/.exec((lines[at] ?? "").slice(0, 200))?.[1];
  const next = /^\s*Stack\s+([0-9a-f]{6,16})-([0-9a-f]{6,16})\s(?:.{0,80}?\bthread (\d{1,9})\b)?/i
    .exec((lines[at + 1] ?? "").slice(0, 200));
  if (end === undefined || next === null) return null;
  const start = BigInt(`0x${next[1]}`);
  return start === BigInt(`0x${end}`)
    ? {
      thread: next[3] === undefined ? null : Number(next[3]),
      start,
      end: BigInt(`0x${next[2]}`),
    }
    : null;
}

/** Number of the thread whose stack's region ends at an address: `Stack 16fe44000-16fecc000 … thread 10`. */
function stackEndsAt(info: string, address: bigint): number | null {
  for (const line of info.split("\n")) {
    const match = /^\s*Stack\s+[0-9a-f]{6,16}-([0-9a-f]{6,16})\s.{0,80}?\bthread (\d{1,9})\b/
      .exec(line.slice(0, 200));
    if (match !== null && BigInt(`0x${match[1]}`) === address) return Number(match[2]);
  }
  return null;
}

/** The line of the region before the address, or of the gap that it is in; empty when there is none. */
function lineBefore(info: string): string {
  const lines = info.split("\n");
  const at = lines.findIndex((line) => /^\s*-{2,4}>/.test(line));
  return (lines[at - 1] ?? "").slice(0, 200);
}

/** Number of the thread whose stack is the region before the address: `Stack 7ff7b2cd7000-7ff7b34d7000 … thread 0`. */
function stackBefore(info: string): number | null {
  const digits = /^\s*Stack\s.{0,160}?\bthread (\d{1,9})\b/i.exec(lineBefore(info))?.[1];
  return digits === undefined ? null : Number(digits);
}

/** The type of the region before the address; `null` when there is none. */
function regionBefore(info: string): string | null {
  return /^\s*([A-Z_]\S*(?: \S+){0,4}?)\s+[0-9a-f]{6,16}-[0-9a-f]{6,16}\b/.exec(lineBefore(info))
    ?.[1] ?? null;
}

/** The type of the region before the address, if it is one of malloc's large blocks. */
function heapBefore(info: string): string | null {
  return /^\s*(MALLOC_(?:LARGE|MEDIUM|SMALL|TINY)\w*|MALLOC guard page)\b/i.exec(lineBefore(info))
    ?.[1] ?? null;
}

function distance(digits: string | undefined): bigint | null {
  const value = digits === undefined ? null : BigInt(digits);
  return value === null || value > MAX_GAP ? null : value;
}
