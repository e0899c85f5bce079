/** The region of memory that an address is in, and those beside it, by what the report has of them. */

import { NEAR_NULL, regionInfo } from "../fault.ts";
import type { CrashReport } from "../report.ts";
import { crashedIndex } from "./crashed.ts";
import { sizeWords } from "./words.ts";

/** Up to this far after a heap's region an access is taken for one past the end of its last block. */
const OVERRUN = 0x1000n;
/** How near a region is that an address is told by. */
const NEAR = 0x4000n;
/** More than this no function has on its stack, mostly. */
const LARGE_FRAME = 0x100_0000n;
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
  /** Whether its memory may be read, written and run, as far as the region goes. */
  readonly isOpen: boolean;
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
    isOpen: false,
  };
  if (info === null) {
    return isBehindMain(report, address) ? stackWords(report, 0, nothing) : nothing;
  }
  const arrow = info.split("\n").find((line) => /^\s*-{2,4}>\s*\S/.test(line)) ?? "";
  const kind = arrow.replace(/^\s*-{2,4}>\s*/, "").trim();
  if (/is not in any region/.test(info) || /^(?:GAP OF|UNUSED SPACE)/i.test(kind)) {
    return gapWords(report, address, info, nothing);
  }
  const range = /\b([0-9a-f]{6,16})-([0-9a-f]{6,16})\b/.exec(kind.slice(0, 200));
  // What is above all regions is shown with the last of them; ARM's pointers may have more in their upper bits.
  if (range !== null && report.arch !== "arm64" && address >= BigInt(`0x${range[2]}`)) {
    return { ...nothing, words: "it is in no region of the process" };
  }
  // A copy that lost the empty line of the place before a region has the arrow at the region.
  if (range !== null && address < BigInt(`0x${range[1]}`)) {
    return gapWords(report, address, info, nothing);
  }
  // Without its line the report only has the region's bounds.
  if (kind === "") {
    // Older systems mark the place between two regions by nothing behind the arrow.
    return /^[ \t]{0,80}-{2,4}>\s*\n.{0,100} [0-9a-f]{6,16}-[0-9a-f]{6,16}\b/m.test(info)
      ? gapWords(report, address, info, nothing)
      : { ...nothing, words: boundsWords(address, info) };
  }
  const type = /^(\S.*?)\s+[0-9a-f]{6,16}-[0-9a-f]{6,16}\b/.exec(kind.slice(0, 200))?.[1] ?? kind;
  // Address space that is only set aside is no memory.
  if (isSetAside(type)) {
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
    isOpen: protection === "rwx",
  };
}

/** What the first line says of the region's bounds: `0x1008 is in 0x1000-0x2000;`. */
function boundsWords(address: bigint, info: string): string | null {
  const bounds = /\bis in 0x([0-9a-f]{4,16})-0x([0-9a-f]{4,16});/i.exec(info.slice(0, 200));
  if (bounds === null) return null;
  const [start, end] = [BigInt(`0x${bounds[1]}`), BigInt(`0x${bounds[2]}`)];
  if (address < start || address >= end) return null;
  const place = address === start ? "at" : `${sizeWords(address - start)} after`;
  return `it is ${place} the start of a region of ${sizeWords(end - start)}`;
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

/** A region beside an address that is in none. */
interface Neighbour {
  readonly type: string;
  readonly start: bigint;
  readonly end: bigint;
  /** Whether nothing may be done with its memory: a guard. */
  readonly isClosed: boolean;
  /** Number of the thread whose stack it is; `null` where the report does not tell. */
  readonly thread: number | null;
}

function neighbour(line: string | undefined): Neighbour | null {
  const text = (line ?? "").replace(/^\s*-{2,4}>/, "").slice(0, 200);
  const match =
    /^\s*([A-Za-z_]\S*(?: \S+){0,4}?)\s+([0-9a-f]{6,16})-([0-9a-f]{6,16})\b(?:.{0,80}?\bthread (\d{1,9})\b)?/
      .exec(text);
  if (match === null) return null;
  const [, type, start, end, thread] = match;
  return {
    ...{ type, start: BigInt(`0x${start}`), end: BigInt(`0x${end}`) },
    isClosed: /\s---\/[r-][w-][x-]/.test(text),
    thread: thread === undefined ? null : Number(thread),
  };
}

/** The region before an address that is in none, and the one behind it, by their lines. */
function neighbours(
  info: string,
  address: bigint,
): { before: Neighbour | null; behind: Neighbour | null } {
  const lines = info.split("\n");
  const at = lines.findIndex((line) => /^\s*-{2,4}>/.test(line));
  const before = at < 0 ? null : neighbour(lines[at - 1]);
  const behind = at < 0 ? null : neighbour(lines[at]) ?? neighbour(lines[at + 1]);
  return {
    before: before !== null && before.end <= address ? before : null,
    behind: behind !== null && behind.start > address ? behind : null,
  };
}

/** Where the main thread's stack of a 32-bit process ends; XNU, osfmk/mach/i386/vm_param.h: VM_USRSTACK32, and
 * osfmk/mach/ppc/vm_param.h. */
const MAIN_STACK_END = 0xc000_0000n;

/** What is told of an address in no region: how far from one it is, where that is near. */
function gapWords(
  report: CrashReport,
  address: bigint,
  info: string,
  nothing: RegionWords,
): RegionWords {
  const words = "it is in no region of the process";
  // Of null and what is near it all processes have nothing.
  if (address < NEAR_NULL) return nothing;
  const { before, behind } = neighbours(info, address);
  // The report counts from the region's last byte.
  const counted = distance(/Bytes after previous region:\s*([1-9]\d{0,19})/.exec(info)?.[1]);
  const after = before !== null ? address - before.end : counted === null ? null : counted - 1n;
  const until = behind !== null
    ? behind.start - address
    : distance(/Bytes before following region:\s*(\d{1,20})/.exec(info)?.[1]);
  const past = after === 0n ? "just behind" : `${sizeWords(after ?? 0n)} behind`;
  if (
    before !== null && after !== null && after < OVERRUN && isHeap(before) &&
    !isSetAside(before.type)
  ) {
    return {
      ...nothing,
      words: `it is ${past} the end of a heap region (${before.type})`,
      kind: "overrun",
    };
  }
  if (before !== null && after !== null && after < OVERRUN && isStack(before)) {
    const isMain = before.end === MAIN_STACK_END && isBehindMain(report, address);
    return stackWords(report, before.thread ?? (isMain ? 0 : null), nothing);
  }
  const near = [
    after === null || after >= NEAR || isSetAside(before?.type)
      ? ""
      : `${past} the end of ${before === null ? "the one before" : before.type}`,
    until === null || until >= NEAR || isSetAside(behind?.type)
      ? ""
      : `${sizeWords(until)} before ${behind === null ? "the next" : behind.type}`,
  ].filter((text) => text !== "").join(" and ");
  return { ...nothing, words: `${words}${near === "" ? "" : `: ${near}`}` };
}

/** Whether an address is just behind the main thread's stack, where that has a place of its own. */
function isBehindMain({ codeType, arch }: CrashReport, address: bigint): boolean {
  return address >= MAIN_STACK_END && address - MAIN_STACK_END < OVERRUN &&
    (arch === "i386" || (arch === null && /^PPC(?! ?64)/.test(codeType ?? "")));
}

/** What is told of an address just behind a thread's stack; the number is `null` where the report does not tell whose. */
function stackWords(
  report: CrashReport,
  thread: number | null,
  nothing: RegionWords,
): RegionWords {
  const past = "it is just past the upper end of";
  if (thread === null) return { ...nothing, words: `${past} a thread's stack` };
  const words = `${past} the stack of thread ${thread}`;
  return thread === (report.crashedThread?.index ?? crashedIndex(report))
    ? { ...nothing, words, beside: thread, kind: "beside" }
    : { ...nothing, words: `${words}, which is not the one that crashed` };
}

/** Whether a region is address space that is only set aside. */
function isSetAside(type = ""): boolean {
  return /\(reserved\)$/.test(type);
}

function isHeap({ type }: Neighbour): boolean {
  return /^(?:MALLOC_(?:LARGE|MEDIUM|SMALL|TINY)|MALLOC guard page\b)/i.test(type);
}

function isStack({ type, isClosed }: Neighbour): boolean {
  return !isClosed && /^Stack\b(?! guard)/i.test(type);
}

/** Whether an address that is in no region is so little below a stack that it may be past that stack's lower end, or the
 * report does not tell. */
export function mayEndStack(report: CrashReport, address: bigint): boolean {
  const info = isNonCanonical(report, address) ? null : regionInfo(report);
  if (info === null) return true;
  const { behind } = neighbours(info, address);
  return behind !== null && isStack(behind) && behind.start - address < LARGE_FRAME;
}

function distance(digits: string | undefined): bigint | null {
  const value = digits === undefined ? null : BigInt(digits);
  return value === null || value > MAX_GAP ? null : value;
}
