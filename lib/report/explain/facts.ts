/** What a report proves, by which causes and advice are excluded. */

import { archs } from "../../arch/mod.ts";
import { faultAddress, NEAR_NULL } from "../fault.ts";
import { imageFinder, titleOf } from "../images.ts";
import {
  excludedAdvice,
  excludedCauses,
  type Exclusion,
  type ReportFact,
} from "../knowledge/mod.ts";
import { isNearest } from "../nearest.ts";
import { once } from "../remember.ts";
import type { CrashReport } from "../report.ts";
import { type AddressClass, classifyAddress, isExecuted } from "./address.ts";
import { accessOf, cpuOf, refusedWords } from "./cpu.ts";
import { authenticationOf, usedFor } from "./instruction.ts";
import { isMobile } from "./platform.ts";
import { recursion } from "./recursion.ts";
import { regionWords } from "./region.ts";
import { innermost, interrupted, isUnnamed } from "./stack.ts";

type Facts = ReadonlySet<ReportFact>;

/** Classes of addresses that no memory ever had. */
const noPointers: ReadonlySet<AddressClass> = new Set(["text", "noncanonical"]);

/** Most causes that are told. */
const MAX_CAUSES = 3;

/** The causes that a report does not exclude, the usual ones first. */
export function possibleCauses(
  report: CrashReport,
  causes: readonly string[],
  happened: readonly string[],
): string[] {
  const unfit = excludedBy(excludedCauses, report, happened);
  return causes.filter((cause) => !unfit.some((words) => words.test(cause))).slice(0, MAX_CAUSES);
}

/** The words of advice that a report excludes. */
export function excludedClauses(report: CrashReport, happened: readonly string[]): RegExp[] {
  return excludedBy(excludedAdvice, report, happened);
}

function excludedBy(
  table: readonly Exclusion[],
  report: CrashReport,
  happened: readonly string[],
): RegExp[] {
  const proved = [...factsOf(report), ...saidFacts(happened)];
  return table.filter(({ by }) => by.some((fact) => proved.includes(fact)))
    .map(({ words }) => words);
}

/** What a report proves by its exception, its registers, its stacks and its images. */
export const factsOf: (report: CrashReport) => Facts = once((report) => {
  const facts = new Set<ReportFact>();
  const { exception, images, threads, unread, osVersion, format, arch, codeType } = report;
  addAccess(report, facts);
  const cpu = cpuOf(report);
  const isPower = cpu === "powerpc" || /^(?:PPC|PowerPC)\b/i.test(codeType ?? "");
  if (isPower) facts.add("powerpc");
  if (arch !== null ? archs[arch].pointerSize === 4 : isPower) facts.add("32 bits");
  if (isMobile(report)) facts.add("mobile");
  else if (/^(?:mac|Mac )OS\b/.test(osVersion ?? "")) facts.add("mac");
  if (cpu === "arm") facts.add("apple silicon");
  if (exception !== null && authenticationOf(report)?.of === "data") facts.add("data key");
  const refused = refusedWords(report) ?? "";
  if (refused.endsWith(": no code, but zeros.")) facts.add("zeros");
  if (/: m(?:rs|sr), a (?:read|write) of /.test(refused)) facts.add("system register");
  if (recursion(report)?.full === true) facts.add("frames repeat");
  // A copy may have one stack alone.
  if (
    threads.length === 1 && images.length > 0 && unread.length === 0 &&
    (format === "ips" || format === "crash") && exception !== null
  ) facts.add("one thread");
  if (/\bNSZombieEnabled["\s]{0,3}[=:]\s{0,2}"?(?:YES|1)\b/.test(report.text.slice(0, 1 << 16))) {
    facts.add("zombies");
  }
  if (images.some(({ name }) => /^libclang_rt\.asan_/.test(name))) facts.add("sanitizer");
  return facts;
});

/** What the access proves. */
function addAccess(report: CrashReport, facts: Set<ReportFact>): void {
  const address = faultAddress(report);
  if (address === null) return;
  const access = accessOf(report);
  const isJump = isExecuted(report, address);
  if (isJump) facts.add("jump");
  else if (access === "read" || access === "write") facts.add(access);
  if (!isJump && (access !== null || isInFunction(report))) facts.add("no jump");
  const { kind } = classifyAddress(report, address);
  const use = usedFor(report, address);
  if (use !== null && use.value >= NEAR_NULL) facts.add("based");
  if (address === 0n) facts.add("null");
  if (address < NEAR_NULL) facts.add("near null");
  if (kind === "number" || (address >= NEAR_NULL && facts.has("based"))) facts.add("not null");
  if (address === 0xffff_ffff_ffff_ffffn || address === 0xffff_ffffn) facts.add("-1");
  if (noPointers.has(kind)) facts.add("no pointer");
  if (kind === "signed" && isOfConstants(report, address)) facts.add("constant");
  const { type, words } = regionWords(report, address);
  if (type === null) return;
  if (/^(?:mapped file|__TEXT)\b/.test(type) || / of (?:\/|\.{3})\S/.test(words ?? "")) {
    facts.add("of a file");
  } else if (/^(?:VM_ALLOCATE|MALLOC|Stack|STACK)|JIT/.test(type)) facts.add("made memory");
}

/** Whether the innermost frame is of a function by its name: none was jumped to that is not there. */
function isInFunction({ crashedThread: thread }: CrashReport): boolean {
  const frame = innermost(thread);
  return frame !== undefined && interrupted(thread!.frames) === 0 && !isUnnamed(frame) &&
    !isNearest(frame) && !/^\?*$/.test(titleOf(frame));
}

/** Whether what a signed pointer is to is code or constants of an image. */
function isOfConstants(report: CrashReport, address: bigint): boolean {
  const { type } = regionWords(report, address);
  if (type !== null) return /^__(?:TEXT|AUTH_CONST|DATA_CONST|OBJC_CONST)\b/.test(type);
  const image = imageFinder(report.images)(address & archs.arm64.addressMask);
  return image !== null && image.path !== null;
}

/** What was told proves: of a message that an object got, and of an index. */
function saidFacts(happened: readonly string[]): ReportFact[] {
  const facts: ReportFact[] = [];
  for (const text of happened) {
    if (lasting.test(text)) facts.push("lasting object");
    if (/\bbounds \[0 \.\. \d{1,18}\]/.test(text)) facts.push("elements");
  }
  return facts;
}

/** Classes whose only objects last as long as the process, tagged pointers, and messages to classes. */
const lasting =
  /(?:[-+]\[(?:__NSCFBoolean|__NSCFConstantString|__NSConstantString|NSNull|_?_?NSPlaceholder\w{1,40}|_?NSZero(?:Data|Array)|__NSArray0|__NSDictionary0|__NSSet0|NSTaggedPointerString|__NSTaggedDate) |\+\[\w{1,80} )[\w:%@.]{1,200}\]: (?:unrecognized selector|selector not recognized)/;
