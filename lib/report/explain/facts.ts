/** What a report proves, by which causes and advice are excluded. */

import { archs } from "../../arch/mod.ts";
import { faultAddress, NEAR_NULL } from "../fault.ts";
import { imageFinder, isSystemFrame, titleOf } from "../images.ts";
import { excludedCauses, type Exclusion, type ReportFact } from "../knowledge/mod.ts";
import { isNearest } from "../nearest.ts";
import { once } from "../remember.ts";
import type { CrashReport } from "../report.ts";
import { type AddressClass, classifyAddress, isExecuted } from "./address.ts";
import { crashedIndex } from "./crashed.ts";
import { accessOf, cpuOf, refusedWords } from "./cpu.ts";
import { freedWord } from "./freed.ts";
import { authenticationOf, divisorWords, faultingThread, usedFor } from "./instruction.ts";
import { isMobile } from "./platform.ts";
import { recursion } from "./recursion.ts";
import { regionWords } from "./region.ts";
import { interrupted, isShallow, isUnnamed, readStack } from "./stack.ts";

type Facts = ReadonlySet<ReportFact>;

/** Classes of addresses that no memory ever had. */
const noPointers: ReadonlySet<AddressClass> = new Set(["text", "noncanonical"]);

/** Characters of a report in which a line of the console is looked for. */
const MAX_SEARCHED = 1 << 16;

/** Most causes that are told. */
const MAX_CAUSES = 3;

/** The causes that a report does not exclude, the usual ones first. */
export function possibleCauses(
  report: CrashReport,
  causes: readonly string[],
  happened: readonly string[],
): string[] {
  if (causes.length === 0) return [];
  const isExcluded = exclusionOf(report, happened);
  const isUnfit = (cause: string): boolean =>
    excludedCauses.some((row) => row.words.test(cause) && isExcluded(row));
  return causes.filter((cause) => !isUnfit(cause)).slice(0, MAX_CAUSES);
}

/** What tells whether a report excludes what a row is of. It is asked where the words are there: few facts are looked for.
 *
 * @param happened what was told
 * @param more what is known besides
 */
export function exclusionOf(
  report: CrashReport,
  happened: readonly string[],
  more: readonly ReportFact[] = [],
): (row: Exclusion) => boolean {
  let said: readonly ReportFact[] | null = null;
  return ({ by }) =>
    by.some((fact) => {
      said ??= [...saidFacts(report, happened), ...more];
      return said.includes(fact) || proves(report, fact);
    });
}

/** What the facts that were looked for in a report turned out to be. */
const looked = once((_report: CrashReport) => new Map<ReportFact, boolean>());

/** Whether a report proves a fact by its exception, its registers, its stacks and its images. */
function proves(report: CrashReport, fact: ReportFact): boolean {
  const known = looked(report);
  let isProved = known.get(fact);
  if (isProved === undefined) {
    isProved = proofs[fact]?.(report) ?? accessFacts(report).has(fact);
    known.set(fact, isProved);
  }
  return isProved;
}

/** How the facts are proved that are not of the access. */
const proofs: Partial<Readonly<Record<ReportFact, (report: CrashReport) => boolean>>> = {
  "powerpc": isPowerPc,
  "32 bits": (report) =>
    report.arch !== null ? archs[report.arch].pointerSize === 4 : isPowerPc(report),
  "mobile": isMobile,
  "mac": (report) => !isMobile(report) && /^(?:macOS|(?:Mac )?OS X)\b/.test(report.osVersion ?? ""),
  "apple silicon": (report) => cpuOf(report) === "arm",
  "data key": (report) => report.exception !== null && authenticationOf(report)?.of === "data",
  "divisor": (report) => divisorWords(report) !== null,
  "zeros": (report) => refusedWords(report)?.endsWith(": no code, but zeros.") === true,
  "system register": (report) =>
    /: m(?:rs|sr), a (?:read|write) of /.test(refusedWords(report) ?? ""),
  "frames repeat": (report) => recursion(report)?.full === true,
  // A handler of the signal has frames of its own.
  "few frames": (report) => isShallow(faultingThread(report)?.frames ?? []),
  // A copy may have one stack alone.
  "one thread": ({ threads, images, unread, format, exception }) =>
    threads.length === 1 && images.length > 0 && unread.length === 0 &&
    (format === "ips" || format === "crash") && exception !== null,
  "zombies named": ({ text }) =>
    text.slice(0, MAX_SEARCHED).includes("message sent to deallocated instance"),
  "enough memory": ({ panic, text }) => panic !== null && enough.test(text.slice(0, MAX_SEARCHED)),
  "freed": (report) => freedWord(report) !== null,
  "no objects": (report) => !usesObjects(report),
  "system's object": destroysSystems,
  "zombies": ({ text }) => {
    const head = text.slice(0, MAX_SEARCHED);
    // Searching for the word first is faster: nearly no text has it.
    return head.includes("NSZombieEnabled") &&
      /\bNSZombieEnabled["\s]{0,3}[=:]\s{0,2}"?(?:YES|1)\b/.test(head);
  },
  "sanitizer": ({ images }) => images.some(({ name }) => name.startsWith("libclang_rt.asan_")),
};

function isPowerPc(report: CrashReport): boolean {
  return cpuOf(report) === "powerpc" || /^(?:PPC|PowerPC)\b/i.test(report.codeType ?? "");
}

/** What a panic's message says of memory where neither limit was near. */
const enough =
  /Compressor Info: [0-4]?\d% of compressed pages limit \(OK\) and [0-4]?\d% of segments limit \(OK\)/;

/** What the access proves. */
const accessFacts: (report: CrashReport) => Facts = once((report) => {
  const facts = new Set<ReportFact>();
  const address = faultAddress(report);
  if (address === null) return facts;
  const access = accessOf(report);
  const isJump = isExecuted(report, address);
  if (isJump) facts.add("jump");
  else if (access === "read" || access === "write") facts.add(access);
  if (!isJump && (access !== null || isInFunction(report))) facts.add("no jump");
  const { kind } = classifyAddress(report, address);
  const use = usedFor(report, address);
  if (use !== null && use.value >= NEAR_NULL) facts.add("based");
  if (address === 0n) facts.add("null");
  facts.add(address < NEAR_NULL ? "near null" : "far from null");
  if (address > 0n && address < NEAR_NULL) facts.add("behind null");
  if (!isJump && imageFinder(report.images)(address) !== null) facts.add("of an image");
  if (kind === "number" || (address >= NEAR_NULL && facts.has("based"))) facts.add("not null");
  if (address === 0xffff_ffff_ffff_ffffn || address === 0xffff_ffffn) facts.add("-1");
  if (noPointers.has(kind)) facts.add("no pointer");
  if (kind === "signed" && isOfConstants(report, address)) facts.add("constant");
  const { type, words } = regionWords(report, address);
  if (type === null) return facts;
  if (/^(?:mapped file|__TEXT)\b/.test(type) || / of (?:\/|\.{3})\S/.test(words ?? "")) {
    facts.add("of a file");
  } else if (/^(?:VM_ALLOCATE|MALLOC|Stack|STACK)|JIT/.test(type)) facts.add("made memory");
  return facts;
});

/** Whether the innermost frame is of a function by its name: none was jumped to that is not there. Of a thread that a report
 * calls the one that is reported it is on the deciding stack. */
function isInFunction(report: CrashReport): boolean {
  const stack = report.crashedThread?.frames ??
    (crashedIndex(report) === null ? report.decidingStack : []);
  const [frame] = stack;
  return frame !== undefined && interrupted(stack) === 0 && !isUnnamed(frame) &&
    !isNearest(frame) && !/^\?*$/.test(titleOf(frame));
}

/** Whether what a signed pointer is to is code or constants of an image. */
function isOfConstants(report: CrashReport, address: bigint): boolean {
  const { type } = regionWords(report, address);
  if (type !== null) return /^__(?:TEXT|AUTH_CONST|DATA_CONST|OBJC_CONST)\b/.test(type);
  const image = imageFinder(report.images)(address & archs.arm64.addressMask);
  return image !== null && image.path !== null;
}

/** Frames of a stack by which it is told what kind of object was used. */
const INNERMOST = 4;

/** Functions of Objective-C, and those that work on its objects. */
const usesObject =
  /^[-+]\[|^_*(?:\d{1,3}[-+]\[|objc_|swift_(?:unknownObject|bridgeObject)|NS[A-Z]|CF[A-Z])/;

/** Whether objects of Objective-C were used where a process ended, which alone leave zombies. */
function usesObjects({ decidingStack }: CrashReport): boolean {
  const { first, handled } = readStack(decidingStack);
  const begin = Math.max(first, handled);
  return decidingStack.slice(begin, begin + INNERMOST).some((frame) =>
    usesObject.test(frame.symbol ?? "") ||
    /^libobjc\.|^(?:com\.apple\.)?(?:Core)?Foundation$/.test(titleOf(frame))
  );
}

/** Whether the innermost object that was being destroyed is of the system, as all that was called for it. */
function destroysSystems({ decidingStack }: CrashReport): boolean {
  const inner = decidingStack.slice(readStack(decidingStack).first);
  const at = inner.findIndex(({ symbol }) => symbol !== null && /::~\w/.test(symbol));
  return at >= 0 && inner.slice(0, at + 1).every(isSystemFrame);
}

/** What malloc's blocks begin at multiples of; malloc(3). */
const BLOCK = 16n;

/** What was told proves: of a message that an object got, of an index, and of a block that was freed. */
function saidFacts(report: CrashReport, happened: readonly string[]): ReportFact[] {
  const facts: ReportFact[] = [];
  for (const text of happened) {
    const block = /\berror for object (0x[0-9a-f]{1,16}):/.exec(text)?.[1];
    if (block !== undefined && BigInt(block) % BLOCK !== 0n) facts.push("no block");
    if (block !== undefined && imageFinder(report.images)(BigInt(block)) !== null) {
      facts.push("static block");
    }
    if (lasting.test(text)) facts.push("lasting object");
    if (/\bbounds \[0 \.\. \d{1,18}\]/.test(text)) facts.push("elements");
  }
  return facts;
}

/** Classes whose only objects last as long as the process, tagged pointers, and messages to classes. */
const lasting =
  /(?:[-+]\[(?:__NSCFBoolean|__NSCFConstantString|__NSConstantString|NSNull|_?_?NSPlaceholder\w{1,40}|_?NSZero(?:Data|Array)|__NSArray0|__NSDictionary0|__NSSet0|NSTaggedPointerString|__NSTaggedDate) |\+\[\w{1,80} )[\w:%@.]{1,200}\]: (?:unrecognized selector|selector not recognized)/;
