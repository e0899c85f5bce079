/** A report in a few sentences: what happened, whose code it was, and what to check. */

import { demangle } from "../../symbols/demangle/demangle.ts";
import { decodeException, decodeGuard, subtypeName } from "../codes.ts";
import { faultAddress, regionInfo, register } from "../fault.ts";
import { imageOf, imageTitle, isSystemFrame, isSystemImage } from "../images.ts";
import { textAt } from "../json.ts";
import {
  bareName,
  callTime,
  type KnowledgeRow,
  known,
  knownFrame,
  knownMessage,
  knownTermination,
} from "../knowledge/mod.ts";
import {
  type CrashReport,
  noFrame,
  type ReportException,
  type ReportFrame,
  type ReportImage,
  type ReportThread,
} from "../report.ts";
import {
  classifyAddress,
  crashedIndex,
  crashedTitle,
  describeAddress,
  textOnStack,
} from "./address.ts";
import { isSystemProgram } from "./attribution.ts";
import { activityOf, blockerOf, busyThread, isIdleStack, mainThread, waitOf } from "./hang.ts";
import {
  eventOf,
  explainEvent,
  explainJetsam,
  explainLowMemory,
  explainPanic,
  explainStackshot,
  isJetsam,
  processUses,
} from "./kinds.ts";
import { type UncaughtException, uncaughtException } from "./language.ts";
import { callPath } from "./path.ts";
import {
  abortsAfter,
  contextOf,
  type EndedBy,
  endedBy,
  entryOf,
  frameOwner,
  functionOf,
  isNearest,
  readStack,
  tells,
  trapMessage,
} from "./stack.ts";
import {
  absentFrom,
  decidesNothing,
  isBadJump,
  isPrivacyAbort,
  isTreeCut,
  lacksCrashed,
  tellingStack,
} from "./telling.ts";

/** What a report means. The texts quote the report, so they are not safe to print raw. */
export interface Explanation {
  /** One line: what crashed, and how. */
  readonly headline: string;
  /** What happened, in sentences, the most specific first. */
  readonly happened: readonly string[];
  /** The crashed thread, or the main thread of a report about a hang; `null` when there is none. */
  readonly thread: ReportThread | null;
  /** The innermost frame of the program's own code on the stack that shows what happened; `null` when there
   * is none, or when no stack shows it. */
  readonly firstOwn: ReportFrame | null;
  /** The functions that led there, outermost first, as far as they have names: the program's, then what the
   * innermost of them called; `…` for those that are left out. Empty when no stack shows it. */
  readonly path: readonly string[];
  /** Usual causes, the most likely first. */
  readonly causes: readonly string[];
  /** What to do, in order. */
  readonly check: readonly string[];
  /** The rows of the knowledge table that this is based on. */
  readonly rows: readonly KnowledgeRow[];
}

/** Explains a report.
 *
 * @param mine whether an image is the reader's own; by default those that are not the system's
 *
 * @example
 * ```ts
 * import { explainReport, readReport } from "@machpause/machpause/report";
 *
 * const report = readReport(await Deno.readFile("MyApp.ips"), "MyApp.ips");
 * const { headline, happened, check } = explainReport(report);
 * console.log(headline, happened, check);
 * ```
 */
export function explainReport(
  report: CrashReport,
  mine: (image: ReportImage) => boolean = (image) => !isSystemImage(image),
): Explanation {
  if (report.panic !== null) {
    const { headline, happened, rows } = explainPanic(report);
    return finished(report, headline, happened, rows, null, null);
  }
  if (isJetsam(report)) {
    const { headline, happened, rows } = explainJetsam(report);
    return finished(report, headline, happened, rows, null, null);
  }
  const memory = explainLowMemory(report);
  if (memory !== null) {
    return finished(report, memory.headline, memory.happened, memory.rows, null, null);
  }
  const event = eventOf(report);
  if (event !== null) {
    const { headline, happened, rows } = explainEvent(report, event);
    return explainedStacks(report, headline, happened, rows, mine);
  }
  const kind = report.bugType === null ? null : known("report", report.bugType);
  if (kind !== null || isStackshot(report)) {
    const reason = reasonOf(report);
    // One is also taken where a watchdog ends a process.
    const ended = terminationRow(report);
    if (ended !== null && ended.kind === "termination" && !ended.key.endsWith("0xbaaaaaad")) {
      const code = ended.key.slice(ended.key.indexOf(":") + 1);
      const told = [
        `A stackshot of the whole system, taken when a process was ended (${code}): ${
          sentence(ended.meaning)
        }`,
        ...(reason === null ? [] : [`It says: ${reason}`]),
      ];
      return finished(report, "stackshot", told, [ended], null, null);
    }
    const { headline, happened, rows } = explainStackshot(report, reason);
    const code = report.exception?.codes[0] ?? 0xbaaaaaadn;
    const own = code > 0xffffn && code !== 0xbaaaaaadn
      ? [`Its exception code is 0x${code.toString(16)}.`]
      : [];
    return finished(report, headline, [...happened, ...own], rows, null, null);
  }
  if (report.format === "sample" || report.format === "spindump") {
    const title = `${report.format}, ${count(report.threads.length, "thread")}`;
    return explainedStacks(report, title, [], [], mine);
  }
  return explainCrash(report, mine);
}

function isStackshot(report: CrashReport): boolean {
  return report.exception?.codes.includes(0xbaaaaaadn) === true && report.exception.type === null;
}

/** Why a stackshot was taken; `null` when it does not say. */
function reasonOf(report: CrashReport): string | null {
  return report.fields.find(({ name }) => /^reason$/i.test(name))?.value ??
    (report.body === null ? null : textAt(report.body, "reason"));
}

/** Samples, spindumps, hangs and resource reports: what their stacks show. */
function explainedStacks(
  report: CrashReport,
  title: string,
  story: readonly string[],
  rows: readonly KnowledgeRow[],
  mine: (image: ReportImage) => boolean,
): Explanation {
  const happened = [...story];
  const processes = new Set(report.threads.map(({ process }) => process));
  const uses = processes.size > 1 ? processUses(report.text) : [];
  if (processes.size > 1) {
    const names = [...processes].filter((name) => name !== null).map((name) =>
      name.replace(/ \[\d{1,9}\].*$/, "")
    );
    const most = names.slice(0, 12).join(", ");
    happened.push(
      `The report has ${processes.size} processes${
        most === "" ? "" : ` (${most}${names.length > 12 ? ", …" : ""})`
      }.`,
    );
    if (uses.length > 0) {
      const times = uses.slice(0, 3).map(({ title, seconds }) => `${title} ${seconds} s`).join(
        ", ",
      );
      happened.push(`Most CPU time while it was sampled: ${times}.`);
    }
  } else happened.push(...usage(report));
  const busiest = uses[0]?.title;
  const owned = report.threads.filter(({ process }) => process === busiest);
  const thread = owned.length > 0 ? busyThread(owned) : mainThread(report);
  let stack: readonly ReportFrame[] = [];
  if (thread !== null && (report.threads.length > 0)) {
    const { words, busiest } = activityOf(thread);
    const main = thread.name === "heaviest stack" ? "The heaviest stack" : "The main thread";
    const title = processes.size <= 1 || thread.process === null
      ? main
      : `In ${thread.process}, ${
        mainThread({ threads: owned }) === thread ? "the main thread" : `thread ${thread.index}`
      }`;
    const isCut = isTreeCut(report, thread);
    // Of what was called last nothing says that it took the time.
    if (!stateOnly(rows)) {
      happened.push(
        isCut ? `${title}: ${words.replace(/^mostly in /, "called ")}.` : `${title}: ${words}.`,
      );
    }
    const blocker = blockerOf(report, thread);
    if (blocker !== null) {
      happened.push(`It was ${blocker.words}.`);
      if (blocker.thread !== null) {
        const { index, id, queue } = blocker.thread;
        const on = queue === null ? "" : `, on the queue "${queue}"`;
        happened.push(
          `Thread ${index} (0x${id!.toString(16)})${on}: ${activityOf(blocker.thread).words}.`,
        );
      }
    }
    if (isCut) {
      happened.push("The copy ends within its call tree: what it called further is not known.");
    } else stack = busiest;
  }
  // Without a stack none shows it.
  const shown = report.threads.length > 0
    ? rows
    : rows.map((row) => row.next.includes("heaviest stack") ? { ...row, next: "" } : row);
  return finished(
    report,
    title,
    happened,
    shown,
    thread,
    ownFrame(stack, mine),
    callPath(stack, 0),
  );
}

/** What a spindump says of its process: how long it did not answer, and how much it computed. */
function usage({ format, fields }: CrashReport): string[] {
  if (format !== "spindump") return [];
  const words: string[] = [];
  const silent = fields.find(({ name, value }) =>
    name === "Note" && value.startsWith("Unresponsive for")
  );
  if (silent !== undefined) words.push(sentence(silent.value));
  const computed = /^[\d.]{1,12}s/.exec(fields.find(({ name }) => name === "CPU Time")?.value ?? "")
    ?.[0];
  if (silent !== undefined && computed !== undefined) {
    words.push(`CPU time while it was sampled: ${computed}.`);
  }
  return words;
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

/** The crashed thread; the only one, where a copy has lost the rest and its title. */
function crashedThread(report: CrashReport): ReportThread | null {
  const { crashedThread, threads } = report;
  if (crashedThread !== null || lacksCrashed(report)) return crashedThread;
  const stated = crashedIndex(report);
  return threads.length === 1 && (stated === null || stated === threads[0].index)
    ? threads[0]
    : null;
}

/** Events whose stacks only show the state at that moment. */
function stateOnly(rows: readonly KnowledgeRow[]): boolean {
  return rows.some(({ key }) => key === "sleep wake failure");
}

function explainCrash(
  report: CrashReport,
  mine: (image: ReportImage) => boolean,
): Explanation {
  const { exception, termination } = report;
  const crashed = crashedThread(report);
  const happened: string[] = [];
  const rows: KnowledgeRow[] = [];
  /** Rows that only describe the kind of exception, for reports that say nothing better. */
  const general: KnowledgeRow[] = [];
  const add = (row: KnowledgeRow | null, text?: string): void => {
    if (row === null || rows.includes(row)) return;
    if (row.meaning === "") {
      if (text !== undefined) happened.push(text);
      return;
    }
    if (rows.some(({ meaning }) => meaning === row.meaning)) return;
    rows.push(row);
    if ((text ?? row.meaning) !== "") happened.push(text ?? row.meaning);
  };
  const cpu = report.arch === null ? undefined : report.arch.startsWith("arm") ? "arm" : "intel";

  const texts = [...messages(report), ...inlinedMessages(report)];
  const ended = terminationRow(report);
  const simulated = texts.some((text) => text.includes("SIMULATED (this is NOT a crash)"));
  // What ended the process from outside says why; the stacks only show that moment.
  const outside = ended !== null && termination?.namespace !== "DYLD" || simulated;
  const uncaught = outside ? null : uncaughtException(report, texts);
  const stack = uncaught !== null && uncaught.stack.length > 0
    ? uncaught.stack
    : tellingStack(report);
  const reading = readStack(stack);

  if (ended !== null) {
    const reason = (termination?.namespace === "DYLD"
      ? texts.find((text) =>
        /Library not loaded|Symbol not found/.test(text)
      )
      : undefined) ?? termination?.reasons[0];
    // The reason says why the library is not loaded, which the code does not.
    const why = termination?.namespace === "DYLD" && texts.length > 0
      ? knownMessage([...termination.reasons, ...texts].join("\n"))
      : null;
    if (why !== null && why.key !== "Library not loaded") add(why);
    else add(ended, sentence(ended.meaning));
    if (reason !== undefined) happened.push(`It says: ${reason}`);
    const share = watchdogWords(termination?.reasons.join(" ") ?? "");
    if (share !== null) happened.push(share);
  }
  const forked = texts.find((text) => text.includes("crashed on child side of fork"));
  if (forked !== undefined) add(knownMessage(forked));
  if (uncaught !== null) {
    const { language, name, reason } = uncaught;
    const what = name === null ? "" : `: ${name}`;
    const why = reason === null ? "" : `${what === "" ? ":" : ","} ${reason}`;
    const isSaid = report.information.some((text) => !dull.test(text) && text.trim() !== "");
    const known = reason !== null || isSaid
      ? ""
      : name === null
      ? "; the report does not have its reason"
      : "; its reason is not in the report";
    const { isLost } = uncaught;
    happened.push(sentence(`${articles[language]} exception was not caught${what}${why}${known}`));
    // The reason says more than the name.
    for (const text of [reason, name]) {
      const row = text === null || rows.length > 0
        ? null
        : unrecognizedRow(text) ?? conditionRow(text) ?? knownMessage(text);
      if (row !== null) add(row);
    }
    if (rows.length === 0) {
      const throwers = reading.rows.filter(({ row }) => row.role === undefined);
      // The function that asserted says more than that it did.
      const thrower = throwers.find(({ row }) => !row.key.startsWith("-[NSAssertionHandler")) ??
        throwers[0];
      if (thrower !== undefined) add(thrower.row);
    }
    const paths = /key value observers/.test(reason ?? "") ? observedPaths(report.text) : [];
    if (paths.length > 0) happened.push(`Observed key paths: ${paths.join(", ")}.`);
    const from = stack.findIndex((frame, at) => {
      const symbol = functionOf(frame, stack[at - 1] ?? null);
      return symbol === null ? frameOwner(frame, null) !== "system" : !raising(symbol);
    });
    const raiser = stack[from];
    if (isLost) {
      happened.push("The stack that raised it is not in the report.");
    } else if (
      // The last frame of a copy may be cut off within its name.
      raiser !== undefined && (raiser.symbol !== null || imageOf(raiser) !== null) &&
      from !== reading.deciding && from < stack.length - 1 &&
      (reason === null || saysPlace(raiser)) && uncaught.stack.length > 0
    ) {
      happened.push(`It was raised in ${frameTitle(raiser)}.`);
      const aside = offMainThread(report, raiser);
      if (aside !== null) add(aside);
    } else if (from >= 0 && from === reading.deciding && uncaught.stack.length > 0) {
      // Without names only the framework is known that raised it.
      const by = stack.slice(0, from).findLast((frame) => {
        const image = imageOf(frame);
        return frame.symbol === null && image !== null && !baseLibraries.test(imageTitle(image));
      });
      if (by !== undefined) happened.push(`It was raised by ${imageTitle(imageOf(by)!)}.`);
    }
    if (rows.length === 0) {
      const row = uncaughtRow(language);
      rows.push(
        reason === null && !isSaid ? row : {
          ...row,
          next: "See the reason, and what of yours on the exception's backtrace led to it.",
        },
      );
    }
  }
  let plain = 0;
  for (const text of texts) {
    if (uncaught !== null && sameReason(text, uncaught)) continue;
    // Already quoted with the termination.
    if (happened.some((told) => told === `It says: ${text}`)) continue;
    const row = unrecognizedRow(text) ?? conditionRow(text) ?? knownMessage(text);
    if (row !== null) {
      add(row, row.meaning === "" ? `It says: ${text}` : `${row.meaning} It says: ${text}`);
    } else if (
      report.information.some((line) => line === text) && !dull.test(text) && plain++ < MAX_PLAIN
    ) {
      happened.push(`It says: ${text}`);
    }
  }
  if (
    ended === null && termination !== null && namesAReason(termination.namespace) &&
    !isBadJump(report) &&
    // The exception says more.
    !(termination.namespace === "GUARD" && exception?.type === "EXC_GUARD")
  ) {
    const row = known("namespace", termination.namespace!.toUpperCase());
    if (!rows.some(({ kind }) => kind === "message")) add(row);
    const [reason] = termination.reasons;
    if (reason !== undefined && !happened.some((text) => text.includes(reason))) {
      happened.push(`It says: ${reason}`);
    }
  }
  if (!outside && uncaught === null) {
    // An access that only ran into a full stack says nothing of the object in hand.
    const fault = faultAddress(report);
    const isOverflow = fault !== null && classifyAddress(report, fault).kind === "stack" ||
      recursion(report)?.full === true;
    const ended = endedBy(report);
    // Where the memory itself is at fault, what used it is not.
    const isMedium = exception !== null &&
      /^KERN_(?:CODESIGN|MEMORY)_ERROR$/.test(subtypeName(exception, report.arch) ?? "");
    const found = reading.rows.find(({ row }) =>
      (row.role === undefined || (row.role === "top" && !isOverflow && !isMedium)) &&
      tells(row, ended)
    ) ?? reading.rows.findLast(({ row }) =>
      row.role === "vague" && ended !== "access"
    );
    const nameless = ended === "access" && isNamelessRuntime(stack[reading.first])
      ? known("frame", "libobjc without names")
      : null;
    const context = ended === "abort" ? null : contextOf(stack, reading.first);
    const contextRow = context === null ? null : known("frame", contextKeys[context]);
    const isBetter = found === undefined || found.row.role === "top" ||
      found.row.key.startsWith("_dispatch_assert_queue_fail");
    const telling = contextRow !== null && isBetter
      ? { row: contextRow, index: reading.first }
      : specialOf(report, stack, found?.index ?? reading.first, ended) ??
        (nameless === null ? found : { row: nameless, index: reading.first });
    const told = rows.some(({ kind, key, causes }) =>
      kind !== "frame" && causes.length > 0 && !key.startsWith("AddressSanitizer: SEGV")
    ) ||
      (telling?.row.role === "vague" && rows.length > 0);
    const vague = telling === undefined || telling.row.role === "vague";
    const framework = vague ? frameworkRow(stack, exception?.type ?? null) : null;
    if (telling !== undefined && !told && framework === null) {
      const { row } = telling;
      const isSilent = row.key === "abort" && happened.length === 0;
      add(row, isSilent ? `${row.meaning} The report does not say why.` : undefined);
    }
    if (framework !== null && !told) {
      add(framework.row, `${framework.row.meaning} It is ${framework.name}.`);
    }
  }
  const deep = outside ? null : recursion(report);
  if (deep !== null) {
    happened.unshift(deep.text);
    if (deep.full) rows.unshift(known("address", "stack")!);
  }
  if (ended === null && /Code Signature Invalid/.test(exception?.signal ?? "")) {
    add(known("signal", "Code Signature Invalid"));
  }
  const decoded = exception === null ? null : decodedWords(report, exception);
  if (decoded === null && exception?.type === "EXC_RESOURCE" && exception.subtype !== null) {
    const message = exception.message === null ? "" : `: ${exception.message}`;
    happened.unshift(sentence(`${exception.subtype}${message}`));
    const event = known(
      "event",
      resourceEvents.get(/^[A-Z_]+/i.exec(exception.subtype)?.[0] ?? "") ?? "",
    );
    if (event !== null) add(event);
  }
  const guarded = decoded === null && exception?.type === "EXC_GUARD" ? guardWords(report) : null;
  if (guarded !== null && !happened.some((text) => text.includes(exception!.message ?? guarded))) {
    happened.push(sentence(guarded));
  }
  if (decoded !== null) {
    happened.push(sentence(decoded));
    const guard = exception!.type === "EXC_GUARD"
      ? known("guard", `0x${(exception!.codes[1] ?? 0n).toString(16)}`)
      : null;
    if (guard !== null) add(guard, `The guard is ${guard.meaning}.`);
  }

  const signal = raisedSignal(report) ?? signalOf(exception?.signal ?? null) ??
    signalOf(exception?.type ?? null);
  const address = outside ? null : faultAddress(report);
  if (exception !== null && !outside) {
    const subtype = subtypeName(exception, report.arch);
    const rosetta = untranslated(report);
    if (rosetta !== null) add(rosetta.row, rosetta.text);
    // Reporters that print the number by the names of EXC_BAD_ACCESS do so for all exceptions.
    const isAccess = exception.type === "EXC_BAD_ACCESS" || signalOf(exception.type) !== null ||
      exception.type === null;
    const row = subtype === null || rosetta !== null || (!isAccess && subtype.startsWith("KERN_"))
      ? null
      : known("subtype", subtype);
    if (row !== null) {
      const at = address === null ? "" : ` at 0x${address.toString(16)}`;
      const text = `${subtype}${at}: ${row.meaning}.`;
      if (row.key.startsWith("EXC_I386_") && row.key !== "EXC_I386_GPFLT" && rows.length > 0) {
        // The trap of a check that was told already.
      } else if (address === null || tellsCause(row)) add(row, text);
      else happened.push(text);
    }
    if (address !== null) {
      const { kind, words } = classifyAddress(report, address);
      const told = words.length === 0 && rows.length === 0
        ? describeAddress(report, address)
        : words;
      for (const text of told.slice(0, 3)) happened.push(`The address: ${text}.`);
      const causes = known("address", kind);
      // Where the address is no pointer at all, that it is not aligned either says nothing.
      const isSymptom = kind !== "unknown" && rows.length === 1 &&
        /^(?:BUS_ADRALN|EXC_ARM_DA_ALIGN)$/.test(rows[0].key);
      if (causes !== null && isSymptom) rows.unshift(causes);
      else if (causes !== null && rows.every(({ role }) => role === "top")) rows.push(causes);
    }
    // That it is a trap says nothing where the check is known.
    const access =
      exception.type === "EXC_CRASH" || (exception.type === "EXC_BREAKPOINT" && rows.length > 0) ||
        rows.some(({ role, kind }) => role === undefined && kind === "frame")
        ? null
        : accessWords(crashed) ?? pageAccess(report);
    if (access !== null) happened.push(access);
    if (exception.type != null) {
      const own = (exception.subtype === null
        ? null
        : known("exception", `${exception.type} ${exception.subtype.split(",", 1)[0]}`)) ??
        known("exception", exception.type, cpu);
      if (exception.type === "EXC_CRASH" || own === null) {
        if (signal !== null) {
          const row = isSentByItself(report)
            ? known("signal", "sent by itself")
            : known("signal", signal, cpu);
          // A message says more than what usually leads to the signal.
          const isSaid = happened.some((text) =>
            text.startsWith("It says: ")
          );
          push(general, isSaid && row !== null ? { ...row, causes: [], next: "" } : row);
        }
      } else push(general, own);
    } else if (signal !== null) {
      push(general, known("signal", signal, cpu));
    }
  }
  if (exception !== null && abortsAfter(exception)) {
    happened.push(
      `The report names ${exception.type} and SIGABRT, as when a handler in the process calls abort() ` +
        "after the exception.",
    );
  }
  if (
    !outside && crashed !== null && rows.length === 0 && happened.length === 0 && signal !== null &&
    decidesNothing(report, stack)
  ) {
    happened.push(
      `${signal} ended the process while thread ${crashed.index} was ${
        activityOf(crashed).words
      }: nothing on its stack raised it.`,
    );
  } else if (rows.length === 0 || rows.every(({ kind }) => kind === "address")) {
    for (const row of general) {
      // The subtype says it better.
      if (row.key !== "EXC_BAD_ACCESS" || happened.length === 0) happened.unshift(row.meaning);
      rows.push(row);
    }
  } else if (decoded === null) {
    for (const row of general) {
      if (row.kind === "exception" && row.causes.length === 0) rows.push(row);
    }
  }

  // Of a trap without a message only the function tells.
  if (
    !outside && uncaught === null && isCheck(report) &&
    !happened.some((text) => text.includes("authentication")) &&
    rows.every(({ kind }) => kind === "exception" || kind === "signal" || kind === "subtype")
  ) {
    happened.push("Which check failed is not in the report.");
  }
  if (exception === null && happened.length === 0) {
    const trap = pageFault(report) ?? interruption(reading.first);
    if (trap !== null) happened.push(trap);
  }
  const isBare = crashed !== null && crashed.frames.length === 0 && crashed.registers.length > 0;
  const absent = lacksCrashed(report) ? crashedIndex(report) : null;
  const title = crashedTitle(report);
  if (absent !== null) {
    const name = title === null ? "" : ` "${title}"`;
    if (happened.length === 0) happened.push(emptyWords(report));
    happened.push(
      outside
        ? `The stack of thread ${absent}${name} is not in the report.`
        : `Thread ${absent}${name} crashed; its stack is not in the report.`,
    );
  } else if ((lacksCrashed(report) || isBare) && report.threads.length > 0) {
    happened.push("The crashed thread is not in the report.");
  }
  const outer = report.threads.find(({ frames }) => (frames[0]?.index ?? 0) > MANY)?.frames[0];
  if ((lacksCrashed(report) || isBare) && outer !== undefined) {
    happened.push(
      `The frames of a stack whose end is there are numbered from ${outer.index} on: so deep a stack is most likely recursion that does not end.`,
    );
  }
  const idle = outside && isIdleStack(stack);
  const shown = crashed ??
    (exception === null && report.threads.length > 0 && !lacksCrashed(report)
      ? mainThread(report)
      : null);
  const written = outside || crashed === null ? null : textOnStack(crashed.frames);
  if (written !== null) {
    happened.push(
      `The stack was overwritten: in place of a return address is the text "${written}".`,
    );
    if (
      exception !== null && rows.every(({ kind, key }) => kind === "address" && key !== "beside")
    ) {
      rows.unshift(known("address", "beside")!);
    }
  }
  const destroyed = outside || uncaught !== null
    ? null
    : destroyedWords(stack, exception?.type ?? null);
  if (destroyed !== null) {
    happened.push(destroyed);
    if (
      exception !== null &&
      rows.every(({ kind }) =>
        kind === "address" || kind === "exception" || kind === "signal" || kind === "subtype"
      )
    ) {
      rows.unshift(known("address", "destroyed")!);
    }
  }
  const privacy = !outside && isPrivacyAbort(stack, reading.first)
    ? known("namespace", "TCC")
    : null;
  if (privacy !== null && !rows.some(({ meaning }) => meaning.includes("private data"))) {
    happened.push(privacy.meaning);
    rows.unshift(privacy);
  }
  const unnamed = outside || rows.some(({ kind }) => kind !== "signal" && kind !== "frame")
    ? null
    : unnamedTermination(report, stack);
  if (unnamed !== null) happened.push(unnamed);
  const began = outside ? null : queueRow(crashed);
  if (began !== null && began.next !== "") {
    if (rows.every(({ kind, key }) => kind === "message" && key === "uncaught exception")) {
      rows.splice(0, rows.length, began);
    }
  }
  const when = outside ? null : occasionOf(stack.slice(reading.first), crashed);
  if (when !== null && happened.length > 0) happened.push(`It was ${when}.`);
  if (report.text.includes("Backtrace not available")) {
    // Without a stack nothing says what the address was for.
    const at = rows.findIndex(({ kind, key }) => kind === "address" && key === "unknown");
    if (at >= 0) rows.splice(at, 1);
    if (report.process.name === "launchd" && /^\?/.test(report.process.version ?? "")) {
      happened.push(
        "It still has launchd's name: it ended while its own program was loaded; which one that was is not in the report.",
      );
    }
    happened.push(
      "The system could not walk the stack: the process ended before or while its program was loaded, or its stack is damaged.",
    );
  }
  if (outside && shown !== null && shown.frames.length > 0) {
    happened.push(`Thread ${shown.index} at that moment: ${activityOf(shown).words}.`);
  }
  const driver = outside || uncaught !== null ? null : graphicsDriver(stack, reading.first);
  if (driver !== null) {
    if (happened.length === 0) happened.push(emptyWords(report));
    happened.push(`It was in the graphics driver (${driver}).`);
  }
  if (forked !== undefined) {
    // What else is said is what the child met because of it.
    for (const [at, row] of rows.entries()) {
      if (at > 0 && row.kind === "message") rows[at] = { ...row, next: "" };
    }
  }
  const named = shown === crashed && shown !== null && shown.name === null && shown.queue === null
    ? { ...shown, name: title as ReportThread["name"] }
    : shown;
  const isBlank = idle || decidesNothing(report, stack);
  const own = isBlank ? null : ownFrame(stack, mine);
  if (!outside && own === null && isSystemProgram(report) && absentFrom(stack) === "thrower") {
    happened.push("The program itself is one of the system's.");
  }
  const isWaiting = exception === null && rows.length === 0 && waitOf(stack) !== null;
  const path = isBlank || isWaiting
    ? []
    : callPath(stack, Math.max(reading.first, reading.handled));
  return finished(report, crashHeadline(report, uncaught), happened, rows, named, own, path);
}

/** Whether a frame is of the Objective-C run-time, whose functions have no names in reports of iOS: the commonest are
 * those that send a message to an object, retain or release it. */
function isNamelessRuntime(frame: ReportFrame | undefined): boolean {
  if (frame === undefined || frame.symbol !== null && frame.symbol !== "<redacted>") return false;
  const image = imageOf(frame);
  return image !== null && /^libobjc\.A\.dylib$/.test(imageTitle(image));
}

/** Images of graphics drivers. */
const drivers =
  /^(?:com\.apple\.(?:driver\.)?)?(?:AMDMTL|AMDRadeon|ATIRadeon|AppleIntel\w{1,40}(?:GL|MTL)|GeForce(?:GL|MTL|X)|AGXMetal|AppleParavirtGPU)/;
/** Frames after the first in which a driver is looked for. */
const DRIVER_DEPTH = 6;

/** The graphics driver that the innermost functions are of; `null` for other stacks. */
function graphicsDriver(stack: readonly ReportFrame[], first: number): string | null {
  for (const frame of stack.slice(first, first + DRIVER_DEPTH)) {
    const image = imageOf(frame);
    if (image === null || !isSystemFrame(frame)) return null;
    const title = imageTitle(image);
    if (drivers.test(title)) return title;
    if (!/^lib(?:system|objc|dispatch|GPUSupport)|GLEngine$/.test(title)) return null;
  }
  return null;
}

function push(rows: KnowledgeRow[], row: KnowledgeRow | null): void {
  if (row !== null) rows.push(row);
}

/** Rows of subtypes that are causes in themselves, not just kinds of access. */
function tellsCause({ key }: KnowledgeRow): boolean {
  return key === "KERN_CODESIGN_ERROR" || key.startsWith("BUS_") || key.startsWith("FPE_") ||
    key === "KERN_MEMORY_ERROR" || key.startsWith("EXC_ARM_");
}

function signalOf(text: string | null): string | null {
  return /^SIG[A-Z]+/.exec(text ?? "")?.[0] ?? null;
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

/** Whether a signal of a fault comes from a call such as raise(), without any exception of the CPU. */
function isSentByItself({ exception, crashedThread }: CrashReport): boolean {
  if (exception?.type !== "EXC_CRASH") return false;
  if (!/^SIG(?:SEGV|BUS|ILL|TRAP|FPE)\b/.test(exception.signal ?? "")) return false;
  const frames = crashedThread?.frames ?? [];
  return /^_{0,2}(?:pthread_)?kill$/.test(frames[0]?.symbol ?? "") &&
    frames.slice(1, 4).some(({ symbol }) => /^(?:raise|kill|pthread_kill)$/.test(symbol ?? "")) &&
    !frames.some(({ symbol }) => symbol === "_sigtramp");
}

/** Whether a report is of a time or a CPU for which there is no Swift: before OS X 10.9 and iOS 7, on PowerPC, or in the
 * form of Mac OS X 10.0 to 10.4, which has the number of an exception after its name. */
function isBeforeSwift({ osVersion, arch, text }: CrashReport): boolean {
  if (/swift/i.test(text)) return false;
  return /^(?:PPC|PowerPC)/i.test(arch ?? "") ||
    /^(?:Mac )?OS X(?: Version)? 10\.[0-8](?!\d)|^iPhone OS [1-6]\./.test(osVersion ?? "") ||
    /\bEXC_[A-Z_]{3,30} \(0x000\d\)/.test(text);
}

/** The row for the time of a report. */
function rowOfTime(row: KnowledgeRow, report: CrashReport): KnowledgeRow {
  return row.causes.some((cause) => cause.includes("in Swift")) && isBeforeSwift(report)
    ? known(row.kind, `${row.key} before Swift`) ?? row
    : row;
}

/** The row for a condition on a number or a coordinate: nil does not fail it. */
function conditionRow(text: string): KnowledgeRow | null {
  const condition = /Invalid parameter not satisfying: (.{1,300})/.exec(text)?.[1] ?? "";
  return /[<>]|\b(?:fabs|isnan|isfinite|isinf)\(|CG\w{3,20}IsN|NAN\b|INFINITY\b/.test(
      condition.replaceAll("->", "."),
    )
    ? known("message", "condition on a number")
    : null;
}

function namesAReason(namespace: string | null): boolean {
  return namespace !== null && namespace.toUpperCase() !== "SIGNAL";
}

/** What the images of a stack without names tell that ended in abort(): an exception that was not caught goes from
 * the C library through that of C++ and, if it is Objective-C's, through libobjc. */
function unnamedTermination(
  { exception }: CrashReport,
  stack: readonly ReportFrame[],
): string | null {
  if (signalOf(exception?.signal ?? null) !== "SIGABRT") return null;
  const near = stack.slice(0, 12);
  const titles = near.map((frame) => {
    const image = imageOf(frame);
    return frame.symbol !== null || image === null ? "" : imageTitle(image);
  });
  const abi = titles.findIndex((title) => /^lib(?:c\+\+abi|stdc\+\+)\./.test(title));
  if (abi < 1 || !titles.slice(0, abi).every((title) => /^lib[Ss]ystem/.test(title))) return null;
  const objc = titles.slice(abi).some((title) => title.startsWith("libobjc."));
  return `Its way through ${titles[abi]}${
    objc ? " and libobjc" : ""
  } is that of an exception that was not caught, most likely; the stack has no names.`;
}

/** Rows of contexts. */
const contextKeys = {
  pool: "an autorelease pool's release",
  format: "an argument of a format",
  isolation: "swift_task_isCurrentExecutor",
} as const;

/** The row of a function by what it was passed: NULL, or by a trap that the function itself has. */
function specialOf(
  report: CrashReport,
  stack: readonly ReportFrame[],
  index: number,
  ended: EndedBy,
): { row: KnowledgeRow; index: number } | undefined {
  const symbol = stack[index] === undefined
    ? null
    : functionOf(stack[index], stack[index - 1] ?? null);
  if (symbol?.startsWith("QMessageLogger::fatal") === true) {
    const starts = stack.slice(index, index + 6).some(({ symbol }) =>
      symbol !== null && /^(?:QGuiApplicationPrivate::createPlatformIntegration|init_platform)\b/
        .test(symbol)
    );
    return starts ? { row: known("frame", "init_platform fatal")!, index } : undefined;
  }
  if (symbol === null || ended === "abort") return undefined;
  const fault = faultAddress(report);
  const word = ended === "trap" || (ended === null && /\.cold\.\d/.test(symbol))
    ? "stopped"
    : fault !== null && fault < NULL_USED
    ? "null"
    : null;
  const key = `${bareName(symbol)} ${word}`;
  const row = word === null ? null : known("frame", key);
  // A prefix of another row is not meant.
  return row?.key === key ? { row, index } : undefined;
}

/** What is read of an object that is null is at these addresses. */
const NULL_USED = 0x40n;

/** Frames in which an occasion is looked for. */
const OCCASION_DEPTH = 256;

/** When it was, by the innermost functions of the system that call a program at a known time: the occasion, and the one
 * that it was part of. Without any, what runs the thread's work. */
function occasionOf(stack: readonly ReportFrame[], thread: ReportThread | null): string | null {
  const found: string[] = [];
  let origin: KnowledgeRow | null = null;
  for (let at = 0; at < stack.length && at < OCCASION_DEPTH && found.length < 2; at++) {
    const symbol = functionOf(stack[at], null);
    if (symbol === null) continue;
    const time = callTime(symbol);
    if (time.occasion === null) {
      if (origin === null || isQueue(origin)) origin = outerOrigin(origin, time.origin);
    } else if (!found.includes(time.occasion.meaning)) found.push(time.occasion.meaning);
  }
  const named = queueRow(thread)?.meaning ?? null;
  if (found.length === 0 && named !== null) return named;
  if (origin !== null && (found.length === 0 || (found.length < 2 && !isQueue(origin)))) {
    const label = isQueue(origin) ? thread?.queue ?? null : null;
    found.push(label === null ? origin.meaning : `in a block on the queue ${label}`);
  }
  if (found.length === 0) return null;
  const words = found.join(", ");
  // The initializers of a library that main() had loaded.
  return words.includes(beforeMain) && stack.some(({ symbol }) => loads.test(symbol ?? ""))
    ? words.replace(beforeMain, "while a library was loaded, ")
    : words;
}

/** How what dyld and the Objective-C run-time do at the start is told. */
const beforeMain = "before main(), ";
/** Functions that load libraries later, and what is never on a stack before main(). */
const loads =
  /^(?:dlopen\w{0,30}|(?:dyld4::APIs::)?dlopen\b.{0,80}|main|_?CFBundleDlfcnLoadBundle|_CFBundleLoadExecutable\w{0,40}|-\[NSBundle load\w*:?\])$/;

/** The row of a thread's queue. */
function queueRow(thread: ReportThread | null): KnowledgeRow | null {
  const queue = thread?.queue ?? thread?.name ?? null;
  return queue === null ? null : known("occasion", `queue ${queue}`);
}

/** Of two origins the one that says more. */
function outerOrigin(inner: KnowledgeRow | null, outer: KnowledgeRow | null): KnowledgeRow | null {
  return inner === null || (outer !== null && !isQueue(outer)) ? outer : inner;
}

/** Whether an origin is only that some dispatch queue ran a block. */
function isQueue({ key }: KnowledgeRow): boolean {
  return key.startsWith("_dispatch_") && !key.startsWith("_dispatch_main_");
}

/** Frames in which a destructor is looked for. */
const DESTROYING = 3;

/** What a stack tells that is within a C++ destructor; `null` for other stacks. Names of exported functions that are
 * only the nearest have large offsets, or none. */
function destroyedWords(stack: readonly ReportFrame[], type: string | null): string | null {
  if (type !== null && !/^(?:EXC_BAD_ACCESS|SIGSEGV|SIGBUS)$/.test(type)) return null;
  const { first } = readStack(stack);
  for (const [at, frame] of stack.slice(first, first + DESTROYING).entries()) {
    const symbol = functionOf(frame, stack[first + at - 1] ?? null);
    if (frameOwner(frame, symbol) === "system") return null;
    if (symbol === null || frame.offset === null || frame.offset > 4096) continue;
    const name = /(?:^|[\s:>])(~\w{1,200})\(/.exec(symbol.slice(0, 600))?.[1];
    if (name !== undefined) return `It was while an object was destroyed, in ${frameTitle(frame)}.`;
  }
  return null;
}

/** The row for an exception of the user interface that another thread than the main thread raised. */
function offMainThread(report: CrashReport, raiser: ReportFrame): KnowledgeRow | null {
  const image = imageOf(raiser);
  const thread = report.crashedThread;
  if (image === null || thread === null || thread.index === 0) return null;
  if (thread.queue === "com.apple.main-thread" || thread.name === "com.apple.main-thread") {
    return null;
  }
  return /^(?:com\.apple\.)?(?:UIKit|UIKitCore|AppKit)$/.test(imageTitle(image))
    ? known("message", "user interface off the main thread")
    : null;
}

/** Whether the process waited or worked, by what a watchdog measured: `exhausted real (wall clock) time allowance of
 * 10.00 seconds … Elapsed application CPU time (seconds): 0.177`. */
function watchdogWords(reason: string): string | null {
  const text = reason.slice(0, 4000);
  const allowed = /exhausted (real \(wall clock\)|CPU) time allowance of ([\d.]{1,12}) seconds/
    .exec(text);
  if (allowed === null) return null;
  if (allowed[1] === "CPU") {
    return `It computed for the ${
      allowed[2]
    } s of CPU time that were allowed: it worked and did not wait.`;
  }
  const used = /Elapsed application CPU time \(seconds\): ([\d.]{1,12})/.exec(text)?.[1];
  const seconds = Number(allowed[2]);
  if (used === undefined || !(seconds > 0)) return null;
  const share = Number(used) / seconds;
  const words = share < 0.25
    ? ": it mostly waited"
    : share > 0.75
    ? ": it worked and did not wait"
    : "";
  return `Of the ${allowed[2]} s that were allowed it computed for ${used} s${words}.`;
}

/** Objective-C classes of the system. */
const systemClass =
  /^_{0,2}(?:NS|CF|UI|CA|CL|AV|MK|SK|WK|PH|MTL|OS_|SwiftNative|__Swift|Swift|Web(?:View|Frame|Script)|(?:PDF|SCN|GK|UN|MP|QL|HK|EK|CB|CN|NE|LA|SF|CI|CT|DOM)[A-Z])/;

/** The row for a message about an unrecognized selector, by whose the class is; `null` for other messages. */
function unrecognizedRow(text: string): KnowledgeRow | null {
  if (!text.includes("unrecognized selector")) return null;
  const match =
    /([-+])\[([\w.$]{1,200})(?:\([\w ]{1,80}\))? [\w:.$]{1,300}\]: unrecognized selector/.exec(
      text,
    );
  if (match === null) return null;
  const [, kind, name] = match;
  return kind === "+"
    ? known("message", "unrecognized selector of a class method")
    : systemClass.test(name)
    ? null
    : known("message", "unrecognized selector of a class of the program");
}

/** Whether the fault was in memory that the process filled itself, by the region that the report names. */
function isOwnMemory(report: CrashReport): boolean {
  const info = regionInfo(report);
  return info !== null &&
    /^\s*-{2,3}>\s*(?:VM_ALLOCATE|JS JIT|MALLOC|Memory Tag|VM_MEMORY)/m.test(info);
}

/** The row for a termination code, in the termination itself or in the exception's codes. */
function terminationRow(report: CrashReport): KnowledgeRow | null {
  const row = isBadJump(report) ? null : terminationCode(report);
  // Older systems have one code for all that took too long.
  const isTask = row?.key === "*:0x8badf00d" &&
    [...report.information, ...report.termination?.reasons ?? [], reasonOf(report) ?? ""].some((
      text,
    ) =>
      /beyond permitted time|permittedBackgroundDuration|failed to (?:suspend|resume) in time/.test(
        text,
      )
    );
  return isTask ? known("termination", "ASSERTIOND:0x8badf00d") : row;
}

/** The row for the code. */
function terminationCode(report: CrashReport): KnowledgeRow | null {
  const { termination, exception } = report;
  if (termination?.code != null && namesAReason(termination.namespace)) {
    const row = knownTermination(termination.namespace, termination.code);
    if (row?.key === "CODESIGNING:0x2" && isOwnMemory(report)) {
      return known("termination", "CODESIGNING:0x2 anonymous");
    }
    if (row !== null) return row;
  }
  for (const code of exception?.codes ?? []) {
    const row = code > 0xffffn ? knownTermination(null, code) : null;
    if (row !== null) return row;
  }
  return null;
}

const articles = {
  "Objective-C": "An Objective-C",
  "C++": "A C++",
  "Objective-C or C++": "An Objective-C or C++",
} as const;

const uncaughtRows: Readonly<Record<string, KnowledgeRow>> = {
  "Objective-C": {
    kind: "message",
    key: "uncaught exception",
    meaning: "An Objective-C exception was not caught.",
    causes: [],
    next:
      "Read the exception's reason, in the report or the console; the first frame of yours on its backtrace raised it.",
    source: 'Apple, "Addressing language exception crashes"',
  },
  "C++": {
    kind: "message",
    key: "uncaught C++ exception",
    meaning: "A C++ exception was not caught.",
    causes: [
      "a missing catch",
      "an exception that leaves a noexcept function, a destructor or a thread",
    ],
    next: "Find out what was thrown: see the frames after __cxa_throw, or break on __cxa_throw.",
    source: 'Apple, "Addressing language exception crashes"',
  },
};

function uncaughtRow(language: keyof typeof articles): KnowledgeRow {
  return uncaughtRows[language === "C++" ? "C++" : "Objective-C"];
}

/** Whether a message only repeats an exception that was already told. */
function sameReason(
  text: string,
  { name, reason }: { name: string | null; reason: string | null },
): boolean {
  return /uncaught (?:foreign )?exception|^Fatal Exception: |^N\d{1,2}[A-Za-z]\w*E$/.test(text) ||
    (reason !== null && (text.includes(reason) || reason.includes(text))) ||
    (name !== null && text === name);
}

/** The run-time or framework in whose code a process ended itself, where its functions have no names. */
function frameworkRow(
  stack: readonly ReportFrame[],
  type: string | null,
): { row: KnowledgeRow; name: string } | null {
  if (type === "EXC_BAD_ACCESS" || type === "SIGSEGV" || type === "SIGBUS") return null;
  for (const [at, frame] of stack.slice(0, SHALLOW).entries()) {
    const image = imageOf(frame);
    if (image === null) return null;
    const name = imageTitle(image);
    const row = known("library", name);
    if (row !== null) return row.causes.length === 0 ? null : { row, name };
    const symbol = functionOf(frame, stack[at - 1] ?? null);
    if (!isSystemFrame(frame) || (symbol !== null && knownFrame(symbol) === null)) return null;
  }
  return null;
}

/** Frames that raising a signal takes. */
const SHALLOW = 8;

/** Events by the subtype of an EXC_RESOURCE. */
const resourceEvents: ReadonlyMap<string, string> = new Map([
  ["CPU", "cpu usage"],
  ["CPU_FATAL", "cpu usage"],
  ["WAKEUPS", "wakeups"],
  ["MEMORY", "memory"],
  ["IO", "disk writes"],
]);

/** Most messages that are quoted without being understood. */
const MAX_PLAIN = 4;

/** Messages that tell nothing that other fields do not tell. */
const dull =
  /^(?:abort\(\) c\w*$|`{3}|dyld: launch|dyld: in dladdr|Dyld Version: |\[\.\.\.|objc\[\d+\]: garbage collection|dyld\d? mode|dyld4 config|Abort Cause \d+|\(|\)|#|EXC_CORPSE_NOTIFY|Possibly stale failure hints|\s*\d{1,3}:? .{1,300} \(in [\w. +-]{1,80}\)$|\d: Calling block provided|ProductBuildVersion|UserInfo: |Open FDs|\d\.\s{0,4}(?:\\x09)?Program arguments: |[\w ]{1,30}:$|Performing @selector|Analyzing process|Enabled by|CoreSimulator|Attempting to present|[\s|]*$|[})'\]]{1,4}$|\.{3}$|BUG IN CLIENT OF LIBMALLOC$|[\w.]+\.dylib$)/;

/** Messages that compilers leave as names of inlined frames: Swift's, and those of Clang's traps, such as
 * libc++'s hardening checks. */
function inlinedMessages({ crashedThread }: CrashReport): string[] {
  const list: string[] = [];
  for (const { symbol } of crashedThread?.frames.slice(0, 4) ?? []) {
    const message = symbol === null ? null : trapMessage(symbol);
    if (message !== null) list.push(message);
  }
  return list;
}

/** Lines that go on with the dynamic linker's message. */
const ofLoader = /^(?:Referenced\s{1,4}from:|Reason:|Expected in:|Did find:|in |\/|'\/)/;

/** Everything that was left in words. */
function messages(report: CrashReport): string[] {
  const list: string[] = [];
  const add = (text: string | null): void => {
    if (text === null || text.trim() === "" || list.includes(text)) return;
    const last = list.at(-1);
    if (
      last !== undefined && /Library not loaded|Symbol not found/.test(last) && ofLoader.test(text)
    ) {
      list[list.length - 1] = `${last} ${text}`;
    } else list.push(text);
  };
  for (const text of report.information) add(text);
  if (report.body === null && report.exception === null) {
    // Cr4shed's, of processes that were ended without an exception.
    add(report.fields.find(({ name }) => name === "Reason")?.value ?? null);
  }
  add(report.exception?.message ?? null);
  add(report.exception?.note ?? null);
  for (const reason of report.termination?.reasons ?? []) add(reason);
  return list.slice(0, 50);
}

function raising(symbol: string): boolean {
  if (symbol.startsWith("-[NSAssertionHandler handleFailureIn")) return true;
  const { rows } = readStack([{ ...nowhere, symbol: symbol as ReportFrame["symbol"] }]);
  const role = rows[0]?.row.role;
  return role === "raise" || role === "vague";
}

const nowhere: ReportFrame = {
  ...noFrame,
  imageName: "libobjc.A.dylib" as ReportFrame["imageName"],
};

/** Libraries whose functions raise exceptions for others. */
const baseLibraries = /^(?:com\.apple\.)?(?:Core)?Foundation$|^lib(?:objc|c\+\+|system|dispatch)/;

/** Key paths in a list of observers. */
function observedPaths(text: string): string[] {
  const list = text.slice(0, 1 << 16).matchAll(
    /<NSKeyValueObservance .{1,120}?Key path: ([\w.]{1,100})/g,
  );
  return unique([...list].slice(0, 8).map(([, path]) => path));
}

/** Whether the function that raised an exception says more than its reason: those of the base libraries name
 * themselves in it. */
function saysPlace(raiser: ReportFrame): boolean {
  const image = imageOf(raiser);
  return image !== null &&
    !baseLibraries.test(imageTitle(image)) &&
    !/doesNotRecognizeSelector|<redacted>/.test(raiser.symbol ?? "<redacted>") &&
    isSystemFrame(raiser);
}

function frameTitle(frame: ReportFrame): string {
  const image = imageOf(frame);
  const name = frame.symbol === null || isNearest(frame)
    ? `0x${frame.address.toString(16)}`
    : demangle(frame.symbol).replace(/\+ \d{1,12} (?=\()/, "")
      .replace(/ ?\(?\.cold\.\d{1,3}\)?$/, "");
  return `${name}${image === null ? "" : ` (${imageTitle(image)})`}`;
}

/** The deciding frame of a stack, where its image is one of `mine`. */
function ownFrame(
  stack: readonly ReportFrame[],
  mine: (image: ReportImage) => boolean,
): ReportFrame | null {
  const { deciding } = readStack(stack);
  const isMine = (frame: ReportFrame): boolean => {
    const image = imageOf(frame);
    return image !== null && mine(image as ReportImage);
  };
  if (deciding >= 0 && isMine(stack[deciding])) return stack[deciding];
  return stack.slice(0, entryOf(stack)).find(isMine) ?? null;
}

function sentence(text: string): string {
  const begun = text.slice(0, 1).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(begun) ? begun : `${begun}.`;
}

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? "" : "s"}`;
}

function crashHeadline(
  { exception, termination }: CrashReport,
  uncaught: UncaughtException | null,
): string {
  const what = exception?.type != null
    ? `${exception.type}${exception.signal === null ? "" : ` (${exception.signal})`}`
    : exception?.signal != null
    ? exception.signal
    : uncaught !== null
    ? `uncaught exception${uncaught.name === null ? "" : ` ${uncaught.name}`}`
    : "exception not in the report";
  const by = termination?.namespace == null || termination.namespace === "SIGNAL"
    ? ""
    : `, ended by ${termination.namespace}` +
      (termination.code === null ? "" : ` 0x${termination.code.toString(16)}`);
  return `${what}${by}`;
}

function finished(
  report: CrashReport,
  what: string,
  happened: readonly string[],
  rows: readonly KnowledgeRow[],
  thread: ReportThread | null,
  firstOwn: ReportFrame | null,
  path: readonly string[] = [],
): Explanation {
  const { process, model, osVersion } = report;
  const said = happened.length > 0 ? happened : [emptyWords(report)];
  const on = [model, osVersion, isUnderRosetta(report) ? "under Rosetta" : null]
    .filter((text) => text !== null).join(", ");
  const version = process.version === null || /^\?\?\?/.test(process.version)
    ? ""
    : ` ${process.version}`;
  const who = process.name === null ? "" : `${process.name}${version}: `;
  const causes: string[] = [];
  const check: string[] = [];
  for (const given of rows) {
    const row = rowOfTime(given, report);
    // The first row that has causes is the most specific.
    if (causes.length === 0) causes.push(...row.causes);
    const next = fitting(row.next, thread, firstOwn);
    if (next !== "" && !check.includes(next)) check.push(next);
  }
  return {
    headline: `${who}${what}${on === "" ? "" : `, on ${on}`}`,
    happened: unique(said.map(withReadableNames)),
    thread,
    firstOwn,
    path,
    causes,
    check: [...check.slice(0, 2), ...symbolAdvice(firstOwn)],
    rows,
  };
}

/** Mangled names of Swift, C++ and Rust in a text. */
const mangled = /(?<![\w$])_{0,2}(?:_ZT?[NKSV\d]|\$[sSe]\d|T(?:t[CVOP]|F|0)\w)[\w$.]{3,1000}/g;

/** A text whose mangled names are readable. */
function withReadableNames(text: string): string {
  return text.length > 1 << 16 || !/_Z|\$[sSe]\d|_T/.test(text)
    ? text
    : text.replace(mangled, (name) => demangle(name));
}

/** What to do where the deciding function of the program has no name. */
function symbolAdvice(own: ReportFrame | null): string[] {
  if (own === null || (own.symbol !== null && !isNearest(own))) return [];
  const image = imageOf(own);
  return image === null || imageTitle(image).startsWith("<") ? [] : [
    `Symbolicate the report with the dSYM of ${
      imageTitle(image)
    }: its functions have no names here.`,
  ];
}

/** Advice that speaks of functions on a stack, as far as the report has one. */
function fitting(next: string, thread: ReportThread | null, own: ReportFrame | null): string {
  if (own !== null || next === "") return next;
  if (thread === null || thread.frames.length === 0) return ofStack.test(next) ? "" : next;
  return next.replace("; the first frame of yours on its backtrace raised it", "")
    .replace(/the first frame of yours/, "the calling function")
    .replace(/^The first frame of yours/, "The calling function");
}

/** Advice that only a stack can be held against. */
const ofStack =
  /\bthe function that trapped|function at the top|the top frame|first frame of yours|the calling frame|^See the (?:caller|frames|function)/;

/** What a report is that says nothing of what happened. */
function emptyWords({ threads, exception, images, process, bugType, body }: CrashReport): string {
  if (threads.length === 0 && exception === null && body !== null && bugType !== null) {
    return `A report of Apple's kind ${bugType}, which has neither an exception nor a stack.`;
  }
  if (threads.length === 0 && exception === null && images.length > 0 && process.name === null) {
    return "Only the end of the report is there: what happened was cut off.";
  }
  if (threads.length === 0 && exception === null && images.length > 0) {
    return "The report names neither an exception nor a stack.";
  }
  if (threads.length === 0 && exception !== null) return "The report only names the exception.";
  if (threads.length === 0) {
    return "Only the header of the report is there: what happened was cut off.";
  }
  return "The report has stacks, but does not say what happened.";
}

function unique(texts: readonly string[]): string[] {
  return [...new Set(texts)];
}

/** `ESR_ELx.EC` of a `brk` instruction. */
const breakpointClass = 0x3cn;
/** Numbers of `brk` instructions: LLVM's trap, and failed pointer authentication with each key
 * (LLVM's `AArch64PointerAuth`). */
const breakpoints: Readonly<Record<number, string>> = {
  0x1: "It is brk 1, the compiler's trap: a failed Swift check or __builtin_trap().",
  0xc470: "It is brk 0xc470: a pointer's authentication failed (key IA).",
  0xc471: "It is brk 0xc471: a pointer's authentication failed (key IB).",
  0xc472: "It is brk 0xc472: a pointer's authentication failed (key DA).",
  0xc473: "It is brk 0xc473: a pointer's authentication failed (key DB).",
};

/** What the CPU reports about the access. */
function accessWords(thread: ReportThread | null): string | null {
  const esr = register(thread, "esr");
  if (esr === null) {
    // PowerPC's data storage exception; XNU, osfmk/ppc/proc_reg.h.
    const dsisr = register(thread, "dsisr");
    if (dsisr === null || (dsisr & 0x4800_0000n) === 0n) return null;
    return (dsisr & 0x0200_0000n) !== 0n ? "It was a write." : "It was a read.";
  }
  const kind = (esr >> 26n) & 0x3fn;
  if (kind === breakpointClass) return breakpoints[Number(esr & 0xffffn)] ?? null;
  // Data aborts say whether it was a write.
  if (kind === 0x24n || kind === 0x25n) {
    return (esr & 0x40n) !== 0n ? "It was a write." : "It was a read.";
  }
  return null;
}

/** Whether the trap of a failed check ended a process, by its exception or instruction. */
function isCheck(report: CrashReport): boolean {
  const { exception, crashedThread } = report;
  if (exception === null) return false;
  if (exception.type === "EXC_BREAKPOINT") return /SIGTRAP/.test(exception.signal ?? "SIGTRAP");
  return exception.type === "EXC_BAD_INSTRUCTION" &&
    (instructionAt(report) === 0x0f || isSwift(crashedThread?.frames[0]?.symbol ?? ""));
}

/** Whether a name is one of Swift's functions: `Type.method(label:)`, mangled or not. */
function isSwift(symbol: string): boolean {
  return /^_?\$s|^_T|\((?:\w+:)*\)$/.test(symbol) && /^[\w$]|^@objc /.test(symbol) &&
    (symbol.includes(".") || symbol.startsWith("_"));
}

/** What a stack tells on which a signal handler ran, where a copy has no exception. */
function interruption(first: number): string | null {
  return first === 0
    ? null
    : "A signal was handled; the frames after _sigtramp are those that it interrupted.";
}

/** What the registers say of the CPU's exception, where a copy has no more. */
function pageFault(report: CrashReport): string | null {
  return armFault(report.crashedThread) ?? intelFault(report);
}

/** By ARM's exception syndrome: `esr: 0x92000007 (Data Abort) byte read Translation fault`. */
function armFault(thread: ReportThread | null): string | null {
  const syndrome = thread?.registers.find(({ name }) => name === "esr");
  if (syndrome === undefined) return null;
  const access = accessWords(thread);
  const kind = (syndrome.value >> 26n) & 0x3fn;
  if (kind === breakpointClass) {
    return `The CPU met a trap instruction.${access === null ? "" : ` ${access}`}`;
  }
  const address = register(thread, "far");
  if (access === null || address === null) return null;
  return syndrome.note === null
    ? `The CPU met a data abort at 0x${address.toString(16)}. ${access}`
    : `The CPU met an exception at 0x${address.toString(16)}: ${syndrome.note}.`;
}

/** Whether a page fault of an Intel CPU was a read or a write, where the words and the error code's bit 1 agree; Intel,
 * Software Developer's Manual, volume 3, "Interrupt 14". */
function pageAccess({ fields }: CrashReport): string | null {
  if (fields.find(({ name }) => name === "Trap Number")?.value.trim() !== "14") return null;
  const error = fields.find(({ name }) => name === "Error Code")?.value ?? "";
  const match = /^0x([0-9a-f]{1,8}) \(.{1,40} user data (read|write)\)/.exec(error);
  if (match === null) return null;
  const isWrite = (parseInt(match[1], 16) & 2) !== 0;
  return isWrite !== (match[2] === "write") ? null : isWrite ? "It was a write." : "It was a read.";
}

/** By what the lines after the registers of an Intel CPU say of a page fault. */
function intelFault({ fields, crashedThread }: CrashReport): string | null {
  const trap = fields.find(({ name }) => name === "Trap Number")?.value;
  const words = /\(([a-z ]{4,80})\)/.exec(
    fields.find(({ name }) => name === "Error Code")?.value ?? "",
  )?.[1];
  const address = register(crashedThread, "cr2");
  if (trap !== "14" || words === undefined || address === null) return null;
  return `The CPU met a page fault at 0x${address.toString(16)}: ${words}.`;
}

/** An instruction that the CPU does not have: by the bytes at the program counter, where the report has
 * them; under Rosetta it is likely. */
function untranslated(report: CrashReport): { row: KnowledgeRow; text: string } | null {
  const { exception } = report;
  if (exception?.type !== "EXC_BAD_INSTRUCTION") return null;
  const translated = isUnderRosetta(report);
  const byte = instructionAt(report);
  if (byte === 0xc4 || byte === 0xc5 || byte === 0x62) {
    const row = known(
      "exception",
      translated ? "EXC_BAD_INSTRUCTION Rosetta" : "EXC_BAD_INSTRUCTION AVX",
    )!;
    return {
      row,
      text: "The instruction is a vector instruction (AVX), which is not supported here.",
    };
  }
  if (!translated || byte === 0x0f) return null;
  const row = known("exception", "EXC_BAD_INSTRUCTION Rosetta")!;
  return { row, text: row.meaning };
}

/** Whether a process of Intel's code ran on Apple silicon. */
function isUnderRosetta({ codeType, body }: CrashReport): boolean {
  return /Translated/i.test(codeType ?? "") || body?.translated === true;
}

/** The first byte of the instruction at the program counter, from `Thread 0 instruction stream`:
 * `48 8b [c5]fc …` marks it. */
function instructionAt(report: CrashReport): number | null {
  const section = report.sections.find(({ name }) => /instruction stream/i.test(name));
  const marked = /\[([0-9a-f]{2})\]/.exec(section?.lines.join("\n").slice(0, 4000) ?? "")?.[1];
  return marked === undefined ? null : parseInt(marked, 16);
}

/** Stacks of threads that do not recurse without end are not so deep. */
const MANY = 20_000;
/** From this many frames on, a function that repeats is taken for endless recursion. */
const MIN_RECURSION = 400;
/** The same for a fault at the stack pointer, where reporters cut stacks. */
const MIN_REPEATS = 12;

/** A stack with the same functions again and again: one that overflowed, with a fault at its end or one whose
 * place a copy without registers does not show, or one that is only long. */
function recursion(report: CrashReport): { text: string; full: boolean } | null {
  const frames = report.crashedThread?.frames ?? [];
  if (frames.length < MIN_REPEATS) return null;
  const counts = new Map<string, { frame: ReportFrame; count: number }>();
  for (const frame of frames) {
    const key = frame.symbol ?? `0x${frame.address.toString(16)}`;
    const entry = counts.get(key);
    if (entry === undefined) counts.set(key, { frame, count: 1 });
    else entry.count++;
  }
  const most = [...counts.values()].sort((a, b) => b.count - a.count)[0];
  if (most.count < MIN_REPEATS || most.count < frames.length / 10) return null;
  const address = faultAddress(report);
  const sp = register(report.crashedThread, "sp", "rsp", "esp");
  const near = address !== null && sp !== null && address < sp + 0x1000n &&
    address + 0x20000n > sp;
  const guard = address !== null && classifyAddress(report, address).kind === "stack";
  if (frames.length < MIN_RECURSION && !near && !guard) return null;
  const name = most.frame.symbol ?? `code at 0x${most.frame.address.toString(16)}`;
  const often = `${name} is on it ${most.count} times in ${frames.length} frames`;
  // Deep recursion alone need not be what ended the process.
  const isElsewhere = sp !== null || endedBy(report) !== "access";
  return near || guard || !isElsewhere
    ? { text: `The stack overflowed: ${often}, recursion that does not end.`, full: true }
    : { text: `The stack is deep: ${often}.`, full: false };
}
