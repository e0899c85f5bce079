/** What is told of the exception or signal itself: its codes, the access, and where nothing says more, its kind. */

import { decodeException, decodeGuard, signalOf, subtypeName } from "../codes.ts";
import { faultAddress, isSentAgain, NEAR_NULL, register } from "../fault.ts";
import { imageOf, isBaseLibrary, isSystemFrame, titleOf } from "../images.ts";
import { textAt } from "../json.ts";
import {
  bareName,
  heapDamage,
  type KnowledgeRow,
  known,
  knownFrame,
  knownTriage,
} from "../knowledge/mod.ts";
import { isNearest } from "../nearest.ts";
import type { CrashReport, ReportException, ReportFrame } from "../report.ts";
import {
  classifyAddress,
  describeAddress,
  isExecuted,
  noObjectWords,
  passedObject,
  registerText,
  strangeRegisters,
} from "./address.ts";
import {
  accessOf,
  accessWords,
  checkWords,
  cpuOf,
  isCheck,
  isOtherTrap,
  isSwift,
  jumpedToText,
  refusedWords,
  trapWords,
  untranslated,
} from "./cpu.ts";
import { crashedTitle } from "./crashed.ts";
import { isCopying, lengthWords, wrongLength } from "./copying.ts";
import { freedWord } from "./freed.ts";
import {
  alignmentWords,
  authenticationOf,
  divisorWords,
  protectionWords,
  refusedKind,
} from "./instruction.ts";
import { activityOf } from "./hang.ts";
import { eventRow } from "./kinds.ts";
import { shortName } from "./names.ts";
import { isOwnKill } from "./signalled.ts";
import {
  abortsAfter,
  endedBy,
  frameTitle,
  functionOf,
  interrupted,
  isRecorderFrame,
  isShallow,
  isTrampoline,
  ownHandler,
  withoutImage,
} from "./stack.ts";
import { handlerThrows } from "./language.ts";
import { type Crash, type Story, unsaidReason } from "./story.ts";
import { shortStringWords } from "./swift_text.ts";
import {
  decidesNothing,
  isBadJump,
  isOfOtherThread,
  isSentSignal,
  lacksSender,
  onlyWaits,
} from "./telling.ts";
import { frameNumber, sentence, threadWords } from "./words.ts";

/** Tells the codes of exceptions that have their own layout: EXC_RESOURCE and EXC_GUARD.
 *
 * @returns whether they could be decoded
 */
export function tellCodes({ report, ended }: Crash, story: Story): boolean {
  const { exception } = report;
  const { happened } = story;
  if (
    ended === null && /Code Signature Invalid/.test(exception?.signal ?? "") && !isBadJump(report)
  ) {
    const isPage = exception?.type === "EXC_BAD_ACCESS";
    story.add(known("signal", `Code Signature Invalid${isPage ? " of a page" : ""}`));
    const sender = senderWords(report);
    if (sender !== null) story.tell(sender);
  }
  const decoded = exception === null ? null : decodedWords(report, exception);
  if (decoded === null && exception?.type === "EXC_RESOURCE" && exception.subtype !== null) {
    if (exception.message !== null) {
      happened.unshift(sentence(`${exception.subtype}: ${resourceWords(exception.message)}`));
    }
    const event = resourceEvents.get(/^[A-Z_]+/i.exec(exception.subtype)?.[0] ?? "") ?? "";
    story.add(eventRow(report, event));
  }
  if (exception?.type === "EXC_RESOURCE" && isNotFatal(exception)) {
    story.tell("The system only took note of it: the process went on, and nothing crashed.");
  }
  const guarded = decoded === null && exception?.type === "EXC_GUARD" ? guardWords(report) : null;
  if (guarded !== null && !happened.some((text) => text.includes(exception!.message ?? guarded))) {
    story.tell(sentence(guarded));
    const value = /\bguarded with 0x([0-9a-f]{1,16})\b/i.exec(guarded)?.[1];
    const guard = value === undefined
      ? null
      : known("guard", `0x${BigInt(`0x${value}`).toString(16)}`);
    if (guard !== null) story.add(guard, `The guard is ${guard.meaning}.`);
  }
  if (decoded !== null) {
    story.tell(sentence(decoded));
    const guard = exception!.type === "EXC_GUARD"
      ? known("guard", `0x${(exception!.codes[1] ?? 0n).toString(16)}`)
      : null;
    if (guard !== null) story.add(guard, `The guard is ${guard.meaning}.`);
    if (/^GUARD_TYPE_FD, file descriptor 0: CLOSE\b/.test(decoded)) {
      story.rows.push(known("address", "close of descriptor 0")!);
    }
  }
  return decoded !== null;
}

/** Tells the subtype, the address and the access of an exception of the process's own. */
export function tellAccess(crash: Crash, story: Story): void {
  const { report, outside, crashed } = crash;
  const { exception } = report;
  const { rows } = story;
  if (exception === null || outside) return;
  if (isSentAgain(report)) {
    story.add(known("signal", "sent again")!);
    const [, trampoline, earlier] = report.crashedThread?.frames ?? [];
    if (earlier !== undefined && titleOf(trampoline) === "libsystem_platform.dylib") {
      story.tell(`What the earlier signal interrupted is ${frameNumber(report, earlier)}.`);
    }
    return;
  }
  const address = faultAddress(report);
  const subtype = subtypeName(exception, report.arch);
  if (subtype !== null && interruptsAbort(report)) {
    story.tell(
      `${subtype}${
        address === null ? "" : ` at 0x${address.toString(16)}`
      }, which the report has too, is most likely of an earlier exception: what the signal interrupted here is abort() itself.`,
    );
    return;
  }
  const found = untranslated(report);
  // Under Rosetta a message tells which check it was, and a function that it was one.
  const rosetta = found?.row.key === "EXC_BAD_INSTRUCTION Rosetta" && (isStopped(crash, story))
    ? null
    : found;
  if (rosetta !== null) story.add(rosetta.row, rosetta.text);
  // Reporters that print the number by the names of EXC_BAD_ACCESS do so for all exceptions.
  const isAccess = exception.type === "EXC_BAD_ACCESS" || signalOf(exception.type) !== null ||
    exception.type === null;
  const checked = subtype === "EXC_ARM_PAC_FAIL" ? authenticationOf(report) : null;
  const row = subtype === null || rosetta !== null || (!isAccess && subtype.startsWith("KERN_"))
    ? null
    : checked !== null
    ? known("subtype", `${subtype} of ${checked.of}`)
    : subtypeRow(report, subtype, address);
  if (row !== null) {
    const at = address === null ? "" : ` at 0x${address.toString(16)}`;
    const text = `${subtype}${at}: ${row.meaning}.`;
    const isTrap = row.key === "EXC_I386_INVOP" ||
      (/^(?:ILL_ILLOPC|TRAP_BRKPT)$/.test(row.key) &&
        isSwiftFrame(crash.stack[crash.reading.first]));
    if (isTrap || (row.key === "EXC_I386_BPT" && rows.length > 0)) {
      // The kind of the exception, or of a check, says it.
    } else if (
      // That an object's class is not aligned is a symptom: the function says more.
      !(row.key === "EXC_ARM_DA_ALIGN" && rows.some(({ role }) => role === "top")) &&
      (address === null || tellsCause(row))
    ) story.add(row, text);
    else story.tell(text);
    const isProtection = /^(?:EXC_I386_GPFLT|SEGV_NOOP)(?: of 32 bits)?$/.test(row.key) &&
      address === null;
    const aligned = isProtection ? alignmentWords(report) : null;
    const strange = !isProtection
      ? null
      : aligned ?? protectionWords(report, registerText) ?? strangeRegisters(report);
    if (strange !== null) story.tell(strange);
    const told = aligned === null ? -1 : rows.indexOf(row);
    if (told >= 0) rows[told] = { ...row, causes: [] };
    if (checked !== null) story.tell(checked.words);
  }
  // What a run-time crashes itself by says nothing.
  const isOnPurpose =
    rows.some(({ kind, key, meaning, role, needs }) =>
      kind === "frame" && (role === undefined || role === "vague") && needs === "any" &&
      meaning !== heapDamage && !key.startsWith("runtime.sigpanic")
    ) || address === 0n && rows.some(crashesByNull);
  if (address !== null && isOnPurpose && address < CRASHED_BY) {
    story.tell("The address is of no meaning: it is what the function crashes by.");
    const line = crashLine(report, rows);
    if (line !== null) story.tell(line);
  } else if (address !== null) {
    const { kind, words } = classifyAddress(report, address);
    const told = words.length === 0 && rows.length === 0 ? describeAddress(report, address) : words;
    for (const text of told.slice(0, 3)) story.tell(`The address: ${text}.`);
    const probed = kind === "stack" ? probedFunction(crash) : null;
    if (probed !== null) {
      story.tell(
        `It was the check for the local variables of ${probed}, which take more than a page, that met the end of the stack.`,
      );
    }
    // A page that the kernel could not deliver has nothing to do with what the address looks like.
    const length = kind === "null" || kind === "nothing" ? null : wrongLength(report);
    if (length !== null) story.tell(lengthWords(length));
    const isFew = kind === "stack" && isShallow(crash.stack);
    const isElsewhere = isOfOtherThread(report, crash.stack);
    if (isElsewhere) {
      story.tell(
        "The stack is of a thread that waited in a call of the kernel, whose instruction accesses nothing: it is not that of the access.",
      );
    }
    const causes = isElsewhere || (row !== null && isUndelivered(row)) ? null : known(
      "address",
      length !== null ? "length" : isFew ? "stack of few frames" : probed === null ? kind : "probe",
    );
    // Where the address is no pointer at all, that it is not aligned either says nothing.
    const isSymptom = kind !== "unknown" && rows.length === 1 &&
      /^(?:BUS_ADR(?:ALN(?: aligned)?|ERR)|EXC_ARM_DA_ALIGN)(?: of code)?$/.test(rows[0].key);
    // The registers of a handler that ended the process are not of the access that filled a stack.
    if (causes !== null && (isSymptom || isFew || kind === "filled" || length !== null)) {
      rows.unshift(causes);
    } else if (
      causes !== null &&
      rows.every(({ role, key }) => role === "top" || key === "while executing native code")
    ) rows.push(causes);
  }
  // That it is a trap says nothing where the check is known.
  const access =
    exception.type === "EXC_CRASH" || (exception.type === "EXC_BREAKPOINT" && rows.length > 0) ||
      rows.some(({ role, kind }) => role === undefined && kind === "frame")
      ? null
      : trapWords(crashed) ?? checkWords(report) ??
        divisorWords(report) ??
        (address === null && register(crashed, "esr") === null
          ? null
          : accessWords(accessOf(report), isCopying(report)));
  if (access !== null) story.tell(access);
  const refused = rosetta === null ? refusedWords(report) : null;
  if (refused !== null) story.tell(refused);
  if (refused !== null && jumpedToText(report)) story.rows.push(known("address", "execute")!);
  if (row !== null && isUndelivered(row)) tellTriage(report, story);
  tellFreed(report, story);
  tellNoObject(report, story);
}

/** Messages by which libraries say that they stop a process on purpose. */
const stopping =
  /\bAPI M(?:ISUSE|isuse)\b|\bBUG IN (?:CLIENT OF |LIB)|[Aa]ssertion|[Ff]atal error|Precondition failed|CHECK failed|panicked at|Terminating app/;

/** Whether what was told is that the process was stopped on purpose: by a message, or by a function that does so. */
function isStopped({ report }: Crash, { rows, happened }: Story): boolean {
  return happened.some((text) => text.includes("It says: ") && stopping.test(text)) ||
    report.information.some((text) => stopping.test(text)) ||
    rows.some(({ kind, role, causes, isCause, needs }) =>
      kind === "message" && (causes.length > 0 || isCause === true) ||
      kind === "frame" && (role === undefined || role === "vague") && needs !== "access"
    );
}

/** The function that asks for so much of the stack that the compiler has it checked first; `null` for other stacks. libpthread,
 * src/pthread_asm.s: ___chkstk_darwin. */
function probedFunction({ stack, reading: { first } }: Crash): string | null {
  const caller = stack[first + 1];
  return caller !== undefined && /^_{0,3}chkstk_darwin/.test(stack[first].symbol ?? "")
    ? frameTitle(caller)
    : null;
}

/** Tells that the memory was freed, where a register shows it, and what the message was sent to. */
function tellFreed(report: CrashReport, story: Story): void {
  const word = freedWord(report);
  if (word === null) return;
  const { happened, rows } = story;
  const at = happened.findIndex((text) => invalidObject.test(text));
  const receiver = at < 0 ? null : register(report.crashedThread, "x0", "rdi", "r0");
  const where = receiver === null
    ? "What it went by"
    : `The object was at 0x${receiver.toString(16)}; what was read from it as its class`;
  happened.push(
    `${where} (${word.register}: 0x${word.value.toString(16)}) is ${word.what}: the ${
      at < 0 ? "memory" : "object"
    } was ${word.isSure ? "freed before" : "freed before, almost certainly"}.`,
  );
  if (at >= 0 && word.isSure) {
    happened[at] = happened[at].replace(invalidObject, ", one that was deallocated before.");
  }
  if (at < 0) rows.unshift(known("address", "freed")!);
}

/** Tells that what was used as an object never was one, where its address shows it. */
function tellNoObject(report: CrashReport, { happened, rows }: Story): void {
  const at = happened.findIndex((text) => invalidObject.test(text));
  const object = at < 0 ? null : passedObject(report);
  const why = object === null ? null : noObjectWords(report, object);
  if (object === null || why === null) return;
  happened[at] = happened[at].replace(
    invalidObject,
    `: 0x${object.toString(16)} cannot be an object's address, ${why}.`,
  );
  if (freedWord(report) !== null) return;
  const row = known("address", "no object")!;
  for (const [index, each] of rows.entries()) {
    if (each.causes.includes("memory damage in the object")) {
      rows[index] = { ...each, causes: row.causes, next: row.next };
    }
  }
}

/** How it is told that an object is not valid. */
const invalidObject = /, (?:usually|most likely) one that was already deallocated\./;

/** What the registers of ARM say of a crash of Mozilla's, which stores the number of its line to null; the result of the call
 * that failed is still in the first register. */
function crashLine({ crashedThread }: CrashReport, rows: readonly KnowledgeRow[]): string | null {
  if (!rows.some(crashesByNull)) return null;
  const [result, base, line] = ["x0", "x8", "x9"].map((name) => register(crashedThread, name));
  if (base !== 0n || line === null || line === 0n || line > MAX_LINE) return null;
  const error = result === 22n
    ? "EINVAL"
    : result === 11n
    ? "EDEADLK"
    : result === 1n
    ? "EPERM"
    : null;
  return `By the registers it is line ${line} of its source (x9)${
    error === null ? "" : `, and the call that failed returned ${result}, ${error} (x0)`
  }.`;
}

/** Longest source that is taken for one. */
const MAX_LINE = 20_000n;

/** Alignment that no access needs more than: that of a pair of registers, or of a vector. */
const ALIGNED = 16n;

/** The row of a subtype, by the CPU and what its kernel says by it. */
function subtypeRow(
  report: CrashReport,
  subtype: string,
  address: bigint | null,
): KnowledgeRow | null {
  const isAligned = address !== null && address % ALIGNED === 0n;
  const isCode = address !== null && isExecuted(report, address);
  return (report.arch === "i386" ? known("subtype", `${subtype} of 32 bits`) : null) ??
    (isAligned ? known("subtype", `${subtype} aligned`) : null) ??
    (isCode ? known("subtype", `${subtype} of code`) : null) ??
    known("subtype", subtype, cpuOf(report));
}

/** Whether a row is of functions that crash themselves by null. */
function crashesByNull({ needs }: KnowledgeRow): boolean {
  return needs === "null";
}

/** Functions that crash on purpose access null, or an address that marks what did it. */
const CRASHED_BY = 0x1000n;

/** Whether the kernel could not deliver a page that is mapped: it notes why. */
function isUndelivered({ key }: KnowledgeRow): boolean {
  return /^(?:KERN_MEMORY_(?:ERROR|FAILURE)|FS pagein error: \*)$/.test(key);
}

/** Lines of `Kernel Triage` that are read. */
const MAX_TRIAGE = 20;

/** What the kernel noted of a process's memory and files, the first note first. */
function triageOf(report: CrashReport): readonly string[] {
  const text = report.body === null ? null : textAt(report.body, "ktriageinfo");
  const lines = text?.split("\n") ??
    report.sections.find(({ name }) => name === "Kernel Triage")?.lines ?? [];
  return lines.slice(0, MAX_TRIAGE).map((line) => line.trim()).filter((line) => line !== "");
}

/** Tells the kernel's notes where a process ended itself and nothing says why: they are all that a report may have. */
export function tellNotes(report: CrashReport, story: Story): void {
  const [note] = triageOf(report);
  if (note === undefined || !/shortage|failed|failure/.test(note)) return;
  story.tell(
    `The kernel noted of the process (Kernel Triage): ${note}. That need not have led to its end.`,
  );
}

/** Tells what the kernel noted about a page that it could not deliver. */
function tellTriage(report: CrashReport, story: Story): void {
  const rows = triageOf(report).map(knownTriage).filter((row) => row !== null);
  // The kernel notes the first reason first.
  for (const row of [...new Set(rows)].slice(0, 2)) story.add(row);
  const found = story.rows.findIndex(({ kind, causes }) => kind === "triage" && causes.length > 0);
  // It says more than the kind of address.
  if (found > 0) story.rows.unshift(...story.rows.splice(found, 1));
}

/** Tells that it was a handler of signals that met the trap, as one of a run-time's does to end the process: what the
 * signal was for is further out. */
export function tellOwnTrap(crash: Crash, story: Story): void {
  const { report, outside, stack, reading } = crash;
  const { exception } = report;
  const handler = stack.slice(0, reading.first).findLast(({ symbol }) =>
    symbol !== null && /signal_?handler/i.test(symbol)
  );
  const failed = stack[reading.first];
  if (outside || handler === undefined || failed === undefined || exception === null) return;
  if (!/^EXC_B(?:AD_INSTRUCTION|REAKPOINT)$/.test(exception.type ?? "")) return;
  // Where the handler called something that ends the process, or records, its own function is not innermost.
  if (abortsAfter(exception) || isRecorderFrame(stack[0])) return;
  if (titleOf(stack[0]) !== titleOf(handler) || isSystemFrame(stack[0])) return;
  const row = known("exception", "a trap in a handler of signals")!;
  const owner = knownFrame(handler.symbol!)?.signalHandlerOf;
  story.add(
    row,
    `${
      owner === undefined
        ? `A handler of signals in the process (${shortName(handler.symbol!)})`
        : `${owner}'s own handler of signals`
    } ended the process by a trap instruction, after it had got a signal: no check failed there. What the signal was for was met in ${
      interruptedPlace(crash)
    }.`,
  );
  const said = debuggerFault(report, failed);
  if (said === null) {
    story.tell("Which signal it was, and its address, are not in the report.");
    return;
  }
  story.tell(said.text);
  if (said.isNull) story.rows.unshift(known("address", "null")!);
}

/** The innermost frame that a signal interrupted, in words. On Intel CPUs the system's walk often has no code there, but a 0 or a
 * return address of -1: then the next frame called what was interrupted. */
function interruptedPlace({ report, stack, reading: { first } }: Crash): string {
  const frame = stack[first];
  const isNowhere = (frame: ReportFrame | undefined): boolean =>
    frame !== undefined && imageOf(frame) === null && frame.symbol === null &&
    (frame.address === 0n || frame.address === 0xffff_ffffn);
  const caller = isNowhere(frame) ? stack[first + 1] ?? frame : frame;
  const isLost = caller !== frame || isNowhere(stack[first - 1]);
  return `${frameTitle(caller)} (${frameNumber(report, caller)})${
    isLost ? " or what it called" : ""
  }`;
}

/** Tells that it was a handler of signals of the program's own that called abort(): what the signal interrupted is no more
 * than that, where the report does not name a fault. */
export function tellOwnAbort(crash: Crash, story: Story): void {
  const { report, outside, uncaught, stack } = crash;
  const { exception } = report;
  if (outside || uncaught !== null || (exception !== null && abortsAfter(exception))) return;
  const ended = endedBy(report);
  const isAbort = ended === "abort" ||
    (exception === null &&
      stack.slice(0, ownHandler(stack)?.at ?? crash.reading.first).some(({ symbol }) =>
        symbol !== null && /^_{0,2}abort$/.test(symbol)
      ));
  if (!isAbort || story.rows.some(({ causes }) => causes.length > 0)) return;
  const owner = handlerOwner(crash);
  const failed = stack[crash.reading.first];
  // Another abort() is no fault.
  const isFault = failed?.symbol == null || !sends.test(failed.symbol);
  if (owner !== null && handlesFaults.has(owner) && failed !== undefined && isFault) {
    // It got the signal of abort() itself: why that was called is further out.
    if (/^_{0,2}(?:(?:pthread_)?kill|raise|abort)\b/.test(failed.symbol ?? "")) return;
    story.add(
      known("exception", "an abort in a run-time's handler of signals")!,
      `${owner}'s own handler of signals ended the process by abort()${
        ownLog(owner)
      }. What the signal was for was met in ${interruptedPlace(crash)}.`,
    );
    story.tell("The signal's name is not in the report.");
    return;
  }
  // Of other signals it lets the default action follow.
  if (owner === "Rust") {
    return story.add(known("exception", "an abort in Rust's handler of signals")!);
  }
  const passed = passedOn(crash);
  if (passed !== null && failed !== undefined) {
    story.add(
      known("exception", "an abort in a handler of signals")!,
      `A handler of signals in the process (${passed.by}), to which Mono's passed the signal on, ended it by abort(). ${
        passed.of === null
          ? "Which signal it had got is not in the report; it interrupted"
          : `By the name of Mono's it was that of ${passed.of}, in`
      } ${interruptedPlace(crash)}.`,
    );
    return;
  }
  const handler = ownHandler(stack);
  if (handler === null) return;
  const frame = stack[handler.at];
  const inner = stack[handler.interrupted];
  const name = functionOf(frame, null);
  story.add(
    known("exception", "an abort in a handler of signals")!,
    `A handler of signals in the process (${name === null ? "" : `${shortName(name)}, `}${
      frameNumber(report, frame)
    }) ended it by abort(). Which signal it had got is not in the report.`,
  );
  // What is behind a trampoline may be no frame.
  if (imageOf(inner) === null && inner.symbol === null) return;
  const where = `${frameTitle(inner)} (${frameNumber(report, inner)})`;
  story.tell(
    handler.isWaiting
      ? `The thread waited when the signal came, in ${where}: it was no fault of what this thread did, but a signal that was sent.`
      : `The signal interrupted ${where}: ${
        handler.isForFaults
          ? "by the handler's name it was most likely that of a fault, which was there."
          : "only if it was that of a fault, the fault was there."
      }`,
  );
}

/** What Mono's handlers are for, by their names; Mono, mono/mini/mini-posix.c: mono_runtime_posix_install_handlers. */
const ofMono: Readonly<Record<string, string>> = {
  segv: "a bad access",
  ill: "an invalid instruction",
  fpe: "an error of arithmetic",
};

/** What called abort() where Mono's handler of a signal passed it on to one that the program had set before, and what the
 * signal was for; `null` for other stacks. */
function passedOn(crash: Crash): { readonly by: string; readonly of: string | null } | null {
  const by = abortedBy(crash);
  if (by === null) return null;
  for (const { symbol } of crash.stack.slice(0, crash.reading.first)) {
    const kind = /^mono_sig(segv|ill|fpe)_signal_handler/.exec(symbol ?? "")?.[1];
    if (kind !== undefined) return { by, of: ofMono[kind] };
  }
  // It is called by the handlers of all signals.
  const isChained = crash.stack.slice(0, crash.reading.first).some(({ symbol }) =>
    symbol === "mono_chain_signal"
  );
  return isChained ? { by, of: null } : null;
}

/** Run-times whose handlers end a process for signals of faults alone. */
const handlesFaults: ReadonlySet<string> = new Set(["The Java virtual machine", "Mono", "Ruby"]);

/** Where what a run-time's handler of signals found is. */
function ownLog(owner: string): string {
  return owner.startsWith("The Java")
    ? ": its log (hs_err_pid) has the stack of Java's functions too"
    : owner === "Mono"
    ? ": what it wrote on stderr has the stack of managed methods too"
    : "";
}

/** What LLDB's lines in the same text say of the fault in a function. */
function debuggerFault(
  report: CrashReport,
  { symbol }: ReportFrame,
): { readonly text: string; readonly isNull: boolean } | null {
  const lines = report.text.slice(0, 1 << 17).matchAll(
    /, stop reason = (EXC_BAD_ACCESS \([^()\n]{1,80}\))[ \t]{0,8}\r?\n[ \t>*]{0,12}frame #0: [^`\n]{1,200}`([^`\n(]{1,200})(?:\(([^()\n]{0,400})\))?/g,
  );
  for (const [, fault, name, list = ""] of lines) {
    if (symbol === null || shortName(name.trim()) !== shortName(symbol)) continue;
    const nulls = [...list.matchAll(/(?:^|, )(\w{1,60})=0x0{1,16}(?![0-9a-f])/g)].map((
      [, argument],
    ) => argument);
    const address = /\baddress=(0x[0-9a-f]{1,16})\b/.exec(fault)?.[1];
    return {
      text: `LLDB's lines in the text have the fault: ${fault} in ${shortName(symbol)}${
        nulls.length === 0
          ? ""
          : `, where ${nulls.join(", ")} ${nulls.length === 1 ? "is" : "are"} null`
      }.`,
      isNull: address !== undefined && BigInt(address) < NEAR_NULL,
    };
  }
  return null;
}

/** Tells what kind of exception it was, where nothing said more.
 *
 * @param isDecoded whether the exception's codes were told
 */
export function tellKind(crash: Crash, isDecoded: boolean, story: Story): void {
  const { report, outside, uncaught, crashed, stack } = crash;
  const { exception } = report;
  const { happened, rows } = story;
  const signal = raisedSignal(report) ?? signalOf(exception?.signal ?? null) ??
    signalOf(exception?.type ?? null);
  const isGuard = exception?.type === "EXC_GUARD";
  const whole = outside && happened.length > 0 && !isGuard
    ? null
    : kindRow(crash, signal, happened);
  // What a library says of a trap of its own is why; the usual causes of such a trap are none.
  const kind = whole !== null &&
      /^(?:EXC_B(?:AD_INSTRUCTION|REAKPOINT)|SIG(?:ILL|TRAP|ABRT))\b/.test(whole.key) &&
      happened.some((text) => text.startsWith("It says: ") && stopping.test(text))
    ? { ...whole, causes: [], next: "" }
    : whole;
  const thrower = handlerThrows(stack);
  if (thrower > 0) {
    const { symbol } = stack[thrower - 2];
    story.tell(
      `The handler of the signal${
        symbol === null ? "" : ` (${withoutImage(symbol)})`
      } then raised an exception: it came of the signal and is not the cause.`,
    );
  } else if (exception !== null && (abortsAfter(exception) || isAbortedTwice(crash))) {
    // A copy may end before the trampoline.
    const owner = handlerOwner(crash) ??
      (stack.length < CUT_HANDLER ? ownerIn(stack) : null) ??
      // The virtual machine names its threads so: OpenJDK, os_bsd.cpp: set_native_thread_name.
      (stack.length === 0 && crashedTitle(report)?.startsWith("Java: ") === true
        ? "The Java virtual machine"
        : null);
    const by = abortedBy(crash);
    story.tell(
      owner !== null
        ? `${owner}'s own handler of the signal then ended the process${ownLog(owner)}.`
        : by !== null
        ? `A handler of the signal in the process (${by}) then called abort()${
          isAbortedTwice(crash) ? " again" : ""
        }.`
        : `The report names ${exception.type} and SIGABRT, as when a handler in the process calls abort() ` +
          "after the exception.",
    );
  }
  const simulated = outside && isGuard && kind?.key.includes(" GUARD_TYPE_") === true
    ? rows.findIndex(({ key }) => key.startsWith("SIMULATED"))
    : -1;
  if (
    !outside && crashed !== null && rows.length === 0 && happened.length === 0 && signal !== null &&
    !onlyWaits(report, stack) && isSentSignal(report, stack)
  ) {
    const sender = senderWords(report);
    story.tell(
      `${signal} ended the process, and the report has no fault (the exception's codes are 0): ${
        isOwnEnd(report)
          ? "the process sent the signal to itself, as a handler does that raises an earlier one again"
          : "most likely the signal was sent, by another process or by a handler that raised an earlier one again"
      }. The stack is where ${
        threadWords({ index: crashed.index, name: crashedTitle(report), queue: null })
      } was then; nothing on it raised the signal.${sender === null ? "" : ` ${sender}`}`,
    );
  } else if (
    !outside && crashed !== null && rows.length === 0 && happened.length === 0 && signal !== null &&
    decidesNothing(report, stack)
  ) {
    story.tell(
      `${signal} ended the process while thread ${crashed.index} was ${
        activityOf(crashed).words
      }: nothing on its stack raised it.${
        /^SIG(?:SEGV|BUS)$/.test(signal) && faultAddress(report) === null
          ? " What was accessed is not in the report."
          : ""
      }`,
    );
  } else if (kind === null) {
    // Nothing else is known of it.
    if (exception?.type === "EXC_CRASH" && signal !== null && rows.length + happened.length === 0) {
      const sender = senderWords(report);
      story.tell(`${signal} ended the process.${sender === null ? "" : ` ${sender}`}`);
    }
  } else if (simulated >= 0) {
    // What was done to the guard says more than that the process went on.
    story.tell(kind.meaning);
    rows.splice(simulated, 1, { ...rows[simulated], next: "" }, kind);
  } else if (rows.length === 0 || rows.every(({ kind }) => kind === "address")) {
    // The subtype says it better.
    if (kind.key !== "EXC_BAD_ACCESS" || happened.length === 0) {
      happened.unshift(`${kind.meaning}${unsaid(kind, report, happened)}`);
    }
    // What a program jumped to is no function.
    rows.push(jumpedToText(report) ? { ...kind, next: "" } : kind);
  } else if (
    !isDecoded && kind.kind === "exception" && kind.next === "" && kind.causes.length === 0
  ) rows.push(kind);

  // Of a trap without a message only the function tells.
  if (
    !outside && uncaught === null && isCheck(report) &&
    !rows.some(({ key }) => key === "a trap in a handler of signals") &&
    // A message that is quoted names it, also one that nothing is known of.
    !happened.some((text) => /authentication|sanitizer: |debugtrap|^It says: /.test(text)) &&
    rows.every(({ kind }) => kind === "exception" || kind === "signal" || kind === "subtype")
  ) {
    story.tell(
      exception?.type === "EXC_BREAKPOINT" && cpuOf(report) === "intel" &&
        !rows.some(({ meaning }) => meaning.startsWith("A check of "))
        // int3 is no check's trap of the compiler.
        ? "Whether a check failed, and which, is not in the report."
        : checkByName(stack[crash.reading.first]) ?? "Which check failed is not in the report.",
    );
    const text = shortStringWords(report);
    if (text !== null) story.tell(text);
  }
  // The bytes that would tell ud2 from another instruction are seldom there.
  if (
    !isCheck(report) && kind !== null && kind === rows[0] &&
    kind.cpu !== "arm" && kind.cpu !== "powerpc" && kind.key === "EXC_BAD_INSTRUCTION"
  ) {
    story.tell("Whether a check failed, and which, is not in the report.");
  }
}

/** A function's name in capitals, behind that of the part that it is of, which says what is wrong. Others of the kind tell of a
 * call that is made: `__CFRUNLOOP_IS_CALLING_OUT_TO_A_BLOCK__`. */
const checkName =
  /^_{0,4}(?:[A-Za-z]\w{0,60}?__)?((?=\w{0,100}(?:^|_)(?:NIL|NULL|NOT|MUST|CANNOT|INVALID|FAILED|FAILURE|MISSING|UNEXPECTED|UNSUPPORTED|ILLEGAL|WITHOUT|BUG|VIOLATION|MISMATCH|CORRUPT|CORRUPTED|WRONG)(?:_|$))[A-Z][A-Z0-9]{0,40}(?:_{1,3}[A-Z0-9]{1,40}){2,20})_{0,4}$/;

/** Which check failed, by the name of the function of the system that executed the trap; `null` for other names. */
function checkByName(frame: ReportFrame | undefined): string | null {
  if (frame === undefined || !isSystemFrame(frame)) return null;
  const name = checkName.exec(frame.symbol?.slice(0, 300) ?? "")?.[1];
  return name === undefined
    ? null
    : `The function is named for what it found or checked: ${
      name.replace(/_+/g, " ").trim().toLowerCase()
    }.`;
}

/** Frames that a stack has fewer of which ends within the handler of a signal. */
const CUT_HANDLER = 10;

/** The run-time or program whose handler ended the process, by the functions before those that the signal interrupted; `null`
 * where they do not tell. */
function handlerOwner({ stack, reading }: Crash): string | null {
  return ownerIn(stack.slice(0, reading.first));
}

function ownerIn(frames: readonly ReportFrame[]): string | null {
  for (const { symbol } of frames) {
    const owner = symbol === null ? undefined : knownFrame(symbol)?.signalHandlerOf;
    if (owner !== undefined) return owner;
  }
  return null;
}

/** What called abort() in the handler of a signal: a function, or the image of one without a name; `null` where no handler is
 * on the stack, or none that did. */
function abortedBy({ stack, reading }: Crash): string | null {
  const at = stack.slice(0, reading.first).findIndex(({ symbol }) => symbol === "abort");
  const caller = at < 0 ? undefined : stack[at + 1];
  if (caller === undefined || isTrampoline(caller) || at + 1 >= reading.first) return null;
  const symbol = functionOf(caller, stack[at]);
  if (symbol !== null) return shortName(symbol);
  return imageOf(caller) === null ? null : titleOf(caller);
}

/** Whether a handler of the signal that abort() raised called abort() itself, and nothing of the system did for it. */
function isAbortedTwice(crash: Crash): boolean {
  const { report, stack } = crash;
  const at = interrupted(stack);
  const caller = stack[stack.slice(0, at).findIndex(({ symbol }) => symbol === "abort") + 1];
  return endedBy(report) === "abort" && at > 0 && abortedBy(crash) !== null &&
    !isSystemFrame(caller) &&
    stack.slice(at, at + 3).some(({ symbol }) => symbol === "abort");
}

/** Whether a report has the codes of an access beside the signal of abort(), and a stack on which that signal interrupted
 * abort(): what is left of an exception that was handled before is no access of this stack. */
function interruptsAbort({ exception, crashedThread }: CrashReport): boolean {
  const stack = crashedThread?.frames ?? [];
  const at = exception === null || !abortsAfter(exception) ? 0 : interrupted(stack);
  return at > 0 && stack.slice(at, at + 4).some(({ symbol }) => symbol === "abort") &&
    !stack.slice(at).some(isTrampoline);
}

/** Whether the report names the process itself as the one that ended it. */
function isOwnEnd({ termination, process }: CrashReport): boolean {
  return process.pid !== null && termination?.byPid === process.pid;
}

/** Which other process sent a signal; `null` where the report does not say. */
function senderWords({ termination, process }: CrashReport): string | null {
  const pid = termination?.byPid ?? null;
  return pid === null || process.pid === null || pid === process.pid
    ? null
    : `It was ${termination!.byProcess} [${pid}] that sent the signal.`;
}

/** What a report lacks of a signal that says nothing itself. */
function unsaid(
  { kind, key }: KnowledgeRow,
  report: CrashReport,
  happened: readonly string[],
): string {
  if (kind !== "signal") return "";
  if (/^SIG(?:SEGV|BUS)$/.test(key)) {
    if (faultAddress(report) !== null) return "";
    return sentItself(report) ?? " The report does not have the address.";
  }
  if (/^SIG(?:KILL|TERM|QUIT|ABRT of another process)$/.test(key)) {
    const sender = senderWords(report);
    if (sender !== null) return ` ${sender}`;
    return key === "SIGKILL" && happened.length === 0
      ? " The report says neither by whom nor why."
      : "";
  }
  return /^SIGABRT(?: within a call)?$/.test(key) &&
      !happened.some((text) => text.includes("It says: "))
    ? ` ${unsaidReason}`
    : "";
}

/** Functions that send a signal to their own process. */
const sends = /^_{0,2}((?:pthread_)?kill|raise)$/;

/** Tells that a process sent a signal to itself, where the thread that ended is within the call that does; `null` for
 * others. */
function sentItself({ crashedThread, exception }: CrashReport): string | null {
  const name = sends.exec(crashedThread?.frames[0]?.symbol ?? "")?.[1];
  if (name === undefined || exception?.type !== "EXC_CRASH") return null;
  const isLost = lacksSender(crashedThread!.frames)
    ? ` The function that called ${name}() is not on the stack.`
    : "";
  return ` The process sent the signal to itself, by ${name}(): on purpose, or as a handler does that raises a signal again, of which the fault is not in the report.${isLost}`;
}

/** Libraries that all others are built on, and that stop a process by a trap where they are used wrongly. */
const checksCallers =
  /^lib(?:dispatch|system_(?:malloc|platform|pthread|trace)|xpc|swift_Concurrency)\.dylib$|^(?:com\.apple\.)?(?:Core)?Foundation$/;

/** The exceptions of trap instructions that signals stand for. */
const trapped: ReadonlyMap<string, string> = new Map([
  ["SIGTRAP", "EXC_BREAKPOINT"],
  ["SIGILL", "EXC_BAD_INSTRUCTION"],
]);

/** The row that only describes the kind of exception. */
function kindRow(
  { report, stack, reading }: Crash,
  signal: string | null,
  happened: readonly string[],
): KnowledgeRow | null {
  const { exception } = report;
  if (exception === null) return null;
  const cpu = cpuOf(report);
  if (exception.type === null) return signal === null ? null : known("signal", signal, cpu);
  const variants = [
    ...guardVariants(report, exception),
    exception.subtype?.split(",", 1)[0] ?? null,
    isNoCheck(report, exception)
      ? null
      : isSwiftRuntime(stack[reading.first])
      ? "in libswiftCore"
      : isSwiftFrame(stack[reading.first])
      ? "in Swift"
      : null,
    cpu !== "arm" && isRust(stack[reading.first]) && refusedKind(report) !== "other"
      ? "in Rust"
      : null,
  ];
  // A reporter in the process may name the signal alone that the trap was turned into.
  const type = trapped.get(exception.type) ?? exception.type;
  const own = variants.map((word) => word === null ? null : known("exception", `${type} ${word}`))
    .find((row) => row !== null) ?? known("exception", exception.type, cpu);
  if (exception.type !== "EXC_CRASH" && own !== null) {
    // What a signal interrupted did not meet what its handler met then.
    const isHandlers = stack.slice(0, reading.first).some(isTrampoline);
    const frame = isHandlers ? report.crashedThread?.frames[0] ?? stack[0] : stack[reading.first];
    if (own.key !== "EXC_BREAKPOINT" || frame === undefined || !isSystemFrame(frame)) return own;
    const title = titleOf(frame);
    const executed = `${
      title.replace(/^com\.apple\./, "")
    }, a library of the system, executed a trap instruction`;
    if (isHandlers) {
      const meaning = `${executed} while a handler of a signal ran.`;
      return { ...own, meaning, causes: [], next: "" };
    }
    return (isBaseLibrary(title) && !checksCallers.test(title)) || title === "runtime" ||
        title === report.process.name
      ? own
      : {
        ...own,
        meaning: `${executed}, as a check of it does that failed.`,
        next:
          "See what the first frame of yours asked of it; its message may be in the system's log.",
      };
  }
  if (signal === null) return null;
  const row = isSentByItself(report)
    ? known("signal", "sent by itself")
    : sendsOther(report, signal)
    ? { ...known("signal", "sent by itself")!, meaning: `The process sent ${signal} to itself.` }
    : isOwnKill(report)
    ? known("signal", "SIGKILL of itself")
    : signal === "SIGABRT" && isSentByAnother(report, stack)
    ? known("signal", "SIGABRT of another process")
    : signal === "SIGABRT" && isWithinCall(report)
    ? known("signal", "SIGABRT within a call")
    : known("signal", signal, cpu);
  // A message says more than what usually leads to the signal.
  const isSaid = happened.some((text) => text.startsWith("It says: "));
  return isSaid && row !== null ? { ...row, causes: [], next: "" } : row;
}

/** The type of a violated guard with what was done to it, and the type alone: `GUARD_TYPE_FD CLOSE`. */
function guardVariants(report: CrashReport, exception: ReportException): string[] {
  if (exception.type !== "EXC_GUARD") return [];
  // The system's own words begin with what was done: `CLOSE on file descriptor 14 (guarded with 0x8fd4dbfade2dead)`.
  const words = decodedWords(report, exception) ?? guardWords(report) ?? "";
  const match = /^(GUARD_TYPE_\w{1,20})(?:(?:,[^:]{1,80})?: ([A-Z_]{2,40})\b)?/.exec(words);
  if (match === null) return [];
  // Newer ones name it at the end: `offset=0x10f819000, flavor=0x00000001 (DEALLOC_GAP)`.
  const flavor = match[2] ?? /\bflavor=0x[0-9a-f]{1,16} \(([A-Z_]{2,40})\)/.exec(words)?.[1];
  return flavor === undefined ? [match[1]] : [`${match[1]} ${flavor}`, match[1]];
}

/** Whether the instruction that the CPU met is not the trap of a check: Swift's is brk 1, ARM's of 32 bits is one that the
 * kernel makes a breakpoint of, and Intel's is ud2. */
function isNoCheck(report: CrashReport, { type }: ReportException): boolean {
  return isOtherTrap(report.crashedThread) || refusedKind(report) === "other" ||
    type === "EXC_BAD_INSTRUCTION" && cpuOf(report) === "arm";
}

/** Whether a frame is of Swift's own library, without a name: what traps there is called by the program. */
function isSwiftRuntime(frame: ReportFrame | undefined): boolean {
  if (frame === undefined || functionOf(frame, null) !== null) return false;
  return titleOf(frame) === "libswiftCore.dylib";
}

/** Whether a function is Rust's, by the hash that its name ends with. */
function isRust(frame: ReportFrame | undefined): boolean {
  return /::h[0-9a-f]{16}$/.test(frame?.symbol ?? "");
}

/** Whether a trap is of Swift's code: a function of Swift, or its run-time without names. */
function isSwiftFrame(frame: ReportFrame | undefined): boolean {
  if (frame === undefined) return false;
  const symbol = functionOf(frame, null);
  if (symbol !== null) return isSwift(bareName(symbol));
  return /^libswift(?:Core|Foundation)\.dylib$/.test(titleOf(frame));
}

/** What is known of a violated guard whose codes the report does not have: a message, or the termination's
 * code, which is that of the exception. */
function guardWords({ exception, termination }: CrashReport): string | null {
  const message = exception?.message?.trim() ?? "";
  if (message !== "") {
    return exception?.subtype == null ? message : `${exception.subtype}: ${message}`;
  }
  return termination?.namespace === "GUARD" && termination.code !== null
    ? decodeGuard([termination.code])
    : null;
}

/** The codes of an EXC_RESOURCE or EXC_GUARD in words. Some systems write other numbers as a guard's codes, and
 * have its codes as those of the termination. */
function decodedWords({ termination }: CrashReport, exception: ReportException): string | null {
  const words = decodeException(exception);
  return words?.startsWith("GUARD_TYPE_NONE") === true && termination?.namespace === "GUARD" &&
      termination.code !== null
    ? decodeGuard([termination.code])
    : words;
}

/** The signal that a process raised itself, where it ended by another: after abort_with_reason() the kernel ends it by
 * SIGKILL. */
function raisedSignal({ exception, termination }: CrashReport): string | null {
  return /^SIGKILL\b/.test(exception?.signal ?? "") && termination?.namespace === "SIGNAL" &&
      termination.code === 6n
    ? "SIGABRT"
    : null;
}

/** Whether another process sent a signal, by what ended the process and by its stack. */
function isSentByAnother(
  { termination, process }: CrashReport,
  stack: readonly ReportFrame[],
): boolean {
  const pid = termination?.byPid ?? null;
  return pid !== null && process.pid !== null && pid !== process.pid &&
    termination!.byProcess !== process.name &&
    !stack.some(({ symbol }) => /^_{0,2}(?:abort|pthread_kill|kill)\b/.test(symbol ?? ""));
}

/** Whether the crashed thread was in a call of the kernel by which no process ends itself. */
function isWithinCall({ crashedThread }: CrashReport): boolean {
  const top = crashedThread?.frames[0];
  return top !== undefined && top.symbol !== null && top.index === 0 && !isNearest(top) &&
    titleOf(top) === "libsystem_kernel.dylib" && !ends.test(top.symbol);
}

/** Functions of the kernel's library by which processes end themselves, or that their frames may be told as. */
const ends = /kill|abort|terminate|raise|exit|sigreturn|payload|reason|^0x|^<redacted>/i;

/** Whether a signal of a fault comes from a call such as raise(), without any exception of the CPU. */
function isSentByItself({ exception, crashedThread }: CrashReport): boolean {
  if (exception?.type !== "EXC_CRASH") return false;
  if (!/^SIG(?:SEGV|BUS|ILL|TRAP|FPE)\b/.test(exception.signal ?? "")) return false;
  const frames = crashedThread?.frames ?? [];
  return /^_{0,2}(?:pthread_)?kill$/.test(frames[0]?.symbol ?? "") &&
    frames.slice(1, 4).some(({ symbol }) => /^(?:raise|kill|pthread_kill)$/.test(symbol ?? "")) &&
    !frames.some(isTrampoline);
}

/** Signals that are of no access to memory, and that a process sends to itself on purpose. */
const notOfAccess = /^SIG(?:ILL|TRAP|FPE|SYS|EMT|QUIT|TERM|HUP|INT|USR[12]|ALRM|XCPU|PIPE)$/;

/** Whether the crashed thread was in the call by which its process sent itself such a signal. */
function sendsOther(
  { exception, crashedThread, termination, process }: CrashReport,
  signal: string,
): boolean {
  const frames = crashedThread?.frames ?? [];
  const pid = termination?.byPid ?? null;
  return exception?.type === "EXC_CRASH" && exception.codes.every((code) => code === 0n) &&
    notOfAccess.test(signal) && (pid === null || process.pid === null || pid === process.pid) &&
    /^_{0,2}(?:pthread_)?kill$/.test(frames[0]?.symbol ?? "") && !frames.some(isTrampoline) &&
    !lacksSender(frames);
}

/** The system's words for a limit, in a sentence: `(Limit 50%) Observed 52% over 180 secs`. */
function resourceWords(message: string): string {
  const memory = /^\(Limit (\d{1,9}) MB\) Crossed High Water Mark$/.exec(message.trim())?.[1];
  if (memory !== undefined) {
    return `the process used more memory than its limit of ${memory} MB; the thread that met the limit need not be what used it`;
  }
  const match = /^\(Limit (\d{1,9})(%|\/sec)\) Observed (\d{1,9})(?:%|\/sec) over (\d{1,9}) secs$/
    .exec(
      message.trim(),
    );
  if (match === null) return message;
  const [, limit, unit, observed, seconds] = match;
  return unit === "%"
    ? `the process used ${observed}% of a CPU over ${seconds} s, where ${limit}% is the limit`
    : `the process woke the CPU ${observed} times a second over ${seconds} s, where ${limit} is the limit`;
}

/** Whether the system says that it did not end a process: ReportCrash's note. */
function isNotFatal({ note, message }: ReportException): boolean {
  return [note, message].some((text) => text !== null && /\bNON-FATAL\b|NOT a crash/.test(text));
}

/** Rows of subtypes that are causes in themselves, not just kinds of access. */
function tellsCause({ key, isCause }: KnowledgeRow): boolean {
  return isCause === true || key === "KERN_CODESIGN_ERROR" || key.startsWith("BUS_") ||
    key.startsWith("FPE_") ||
    key.startsWith("EXC_ARM_");
}

/** Events by the subtype of an EXC_RESOURCE. */
const resourceEvents: ReadonlyMap<string, string> = new Map([
  ["CPU", "cpu usage"],
  ["CPU_FATAL", "cpu usage"],
  ["WAKEUPS", "wakeups"],
  ["MEMORY", "memory"],
  ["IO", "disk writes"],
]);
