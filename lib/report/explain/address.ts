/** A faulting address in words. */

import { archs } from "../../arch/mod.ts";
import { subtypeName } from "../codes.ts";
import { regionInfo, register } from "../fault.ts";
import { imageFinder } from "../images.ts";
import type { CrashReport } from "../report.ts";

/** Addresses below this are taken for a member of an object at null. */
const NEAR_NULL = 0x10000n;
/** Maximum distance from the stack pointer of an access that overflows the stack. */
const NEAR_STACK = 0x20000n;
/** Size of a 64-bit program's `__PAGEZERO`. */
const PAGE_ZERO = 0x1_0000_0000n;

/** Fill patterns of malloc's debugging options: malloc(3). */
const fillings: readonly (readonly [bigint, string])[] = [
  [0x5555_5555_5555_5555n, "what malloc writes over freed memory (MallocScribble)"],
  [0xaaaa_aaaa_aaaa_aaaan, "what malloc fills new memory with (MallocPreScribble)"],
  [0xdead_beefn, "what some write over freed memory"],
];

/** Describes an address as far as the report tells, in sentences without a full stop, the most specific
 * first. */
export function describeAddress(report: CrashReport, address: bigint): string[] {
  const thread = report.crashedThread;
  const wide = report.arch === null || archs[report.arch].pointerSize === 8;
  const lines: string[] = [];
  const region = regionWords(report);
  const top = wide ? 1n << 64n : 1n << 32n;
  const sp = register(thread, "sp", "rsp", "esp");
  const hex = `0x${address.toString(16)}`;

  if (address < NEAR_NULL) {
    lines.push(
      address === 0n
        ? "it is null"
        : `it is null plus ${address}: a member ${address} bytes into an object that is not there`,
    );
  } else if (top - address < NEAR_NULL) {
    lines.push(`it is null minus ${top - address}: something before an object that is not there`);
  } else if (wide && address < PAGE_ZERO && report.arch !== null) {
    lines.push("it is below 4 GB, where 64-bit programs have nothing: a number, not a pointer");
  }
  for (const [filling, words] of fillings) {
    const difference = address - filling;
    if (difference > -0x1000n && difference < 0x1000n) lines.push(`it is ${words}`);
  }
  if (region.guard) lines.push("it is in a stack's guard page: the stack is full");
  else if (sp !== null && nearStack(address, sp)) {
    const frames = thread?.frames.length ?? 0;
    lines.push(
      `it is ${address < sp ? `${sp - address} bytes below` : `${address - sp} bytes above`} ` +
        "the stack pointer" + (frames > 400 ? `, after ${frames} frames: the stack is full` : ""),
    );
  }
  for (const line of pointerWords(report, address)) lines.push(line);
  const text = asText(address);
  if (text !== null) lines.push(`its bytes are the text "${text}": a pointer overwritten by text`);
  if (address === register(thread, "pc", "rip", "eip")) {
    lines.push("it is where the program was to execute: a call through a bad function pointer");
  }
  const image = imageFinder(report.images)(address);
  if (image !== null) {
    lines.push(
      `it is in ${image.name}, 0x${(address - image.base).toString(16)} bytes from its start`,
    );
  }
  if (region.words !== null) lines.push(region.words);
  if (lines.length === 0) lines.push(`nothing in the report says what ${hex} was`);
  return lines;
}

function nearStack(address: bigint, sp: bigint): boolean {
  const distance = address < sp ? sp - address : address - sp;
  return distance < NEAR_STACK && sp !== 0n;
}

/** Tagged, signed and non-canonical pointers. */
function pointerWords(report: CrashReport, address: bigint): string[] {
  const lines: string[] = [];
  const { arch, exception } = report;
  const said = /pointer authentication/i.test(exception?.subtype ?? "") ||
    (exception !== null && subtypeName(exception, arch) === "EXC_ARM_PAC_FAIL");
  if (arch === "arm64") {
    const stripped = address & archs.arm64.addressMask;
    const upper = address >> 47n;
    // A failed authentication sets bits 61 and 62 to 01 or 10.
    const failed = upper === 0x4000n || upper === 0x8000n;
    if (said || failed) {
      const where = stripped === address ? "" : `; the pointer was 0x${stripped.toString(16)}`;
      lines.push(`a pointer's authentication failed${where}`);
    } else if (address >> 63n === 1n && -address + (1n << 64n) > NEAR_NULL) {
      lines.push(
        "its uppermost bit is set: an Objective-C tagged pointer used as an address, or damage",
      );
    } else if (upper !== 0n) {
      lines.push(
        `it has bits that no address has: a signed pointer used as it is, or damage; ` +
          `without them it is 0x${stripped.toString(16)}`,
      );
    }
  } else if (arch === "x86_64") {
    const upper = address >> 47n;
    if (upper !== 0n && upper !== 0x1ffffn) {
      lines.push(
        "it is not canonical: no x86-64 address has these upper bits; data, not a pointer",
      );
    } else if ((address & 1n) === 1n && upper === 0n && address > PAGE_ZERO) {
      lines.push("its lowest bit is set, as in Objective-C's tagged pointers on Intel");
    }
    if (exception !== null && subtypeName(exception, arch) === "EXC_I386_GPFLT" && address === 0n) {
      lines.push("the CPU does not report the address of a general protection fault");
    }
  }
  return lines;
}

/** The address as ASCII text; `null` when it is not. */
function asText(address: bigint): string | null {
  let text = "";
  for (let rest = address; rest > 0n; rest >>= 8n) {
    const code = Number(rest & 0xffn);
    if (code < 0x20 || code > 0x7e) return null;
    text += String.fromCharCode(code);
  }
  return text.length >= 6 ? text : null;
}

function regionWords(report: CrashReport): { words: string | null; guard: boolean } {
  const info = regionInfo(report);
  if (info === null) return { words: null, guard: false };
  const arrow = info.split("\n").find((line) => /^\s*-{2,3}>\s*\S/.test(line)) ?? "";
  const kind = arrow.replace(/^\s*-{2,3}>\s*/, "").trim();
  const guard = /^stack guard/i.test(kind);
  if (/is not in any region/.test(info) || /^(?:GAP OF|UNUSED SPACE)/i.test(kind) || kind === "") {
    const after = /Bytes after previous region:\s*(\d{1,20})/.exec(info)?.[1];
    const before = /Bytes before following region:\s*(\d{1,20})/.exec(info)?.[1];
    const near = [
      after === undefined ? "" : `${after} bytes after the one before`,
      before === undefined ? "" : `${before} bytes before the next`,
    ].filter((text) => text !== "").join(", ");
    return {
      words: `it is in no region of the process${
        near === "" ? "" : `: ${near}`
      }; freed, or never there`,
      guard,
    };
  }
  const type = /^(\S.*?)\s+[0-9a-f]{6,16}-[0-9a-f]{6,16}\b/.exec(kind.slice(0, 200))?.[1] ?? kind;
  const protection = /\b([r-][w-][x-])\/[r-][w-][x-]/.exec(kind)?.[1];
  return {
    words: `it is in a region of type ${type}` +
      (protection === undefined ? "" : `, protection ${protection}`),
    guard,
  };
}
