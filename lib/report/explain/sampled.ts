/** Samples, spindumps, hangs and resource reports: what their stacks show. */

import { type KnowledgeRow, known } from "../knowledge/mod.ts";
import {
  type CrashReport,
  fieldValue,
  isSample,
  type ReportFrame,
  type ReportImage,
  type ReportThread,
} from "../report.ts";
import { type Explanation, finished, silence, stateOnly } from "./explanation.ts";
import {
  activityOf,
  begunBefore,
  blockerOf,
  busyThread,
  isMainThread,
  mainThread,
  sampledThread,
  trunkOf,
  waitOf,
  waitsForThread,
} from "./hang.ts";
import { cutTree, gaps, treeText } from "../read/call_tree.ts";
import { flushLines, headOf } from "../text.ts";
import { processUses, samplerTime, silentProcesses } from "./kinds.ts";
import { occasionOf } from "./occasion.ts";
import { shortName } from "./names.ts";
import { callPath } from "./path.ts";
import { peerOf } from "./peers.ts";
import { isOfProcess } from "./program.ts";
import { frameTitle, isTrampoline, ownFrame } from "./stack.ts";
import { isLinking, isTreeCut, isUnstarted } from "./telling.ts";
import { afterTrees, mayBeCut } from "./tree_end.ts";
import { capitalized, sentence, threadWords } from "./words.ts";

/** What spindump notes of processes that had as many threads as libdispatch makes. */
function limitWords({ text, format }: CrashReport): string[] {
  const found = format !== "spindump"
    ? null
    : /^Processes reached dispatch thread (soft|hard) limit \((\d{1,5})\): (\S.{0,400})$/m.exec(
      headOf(text),
    );
  return found === null ? [] : [
    `By spindump's note libdispatch had as many threads as it makes (its ${found[1]} limit of ${
      found[2]
    }) in ${
      found[3].replace(/ \[unique pid \d{1,12}\]/g, "")
    }: while work on its queues waits for something, more does not begin.`,
  ];
}

/** Samples, spindumps, hangs and resource reports: what their stacks show. */
export function explainSampled(
  report: CrashReport,
  title: string,
  story: readonly string[],
  rows: readonly KnowledgeRow[],
  mine: (image: ReportImage) => boolean,
): Explanation {
  const happened = [...story];
  const processes = new Set(report.threads.map(({ process }) => process));
  const text = processes.size > 1 ? flushLines(treeText(report.text)) : "";
  const uses = processUses(text);
  const silent = silentProcesses(text);
  if (processes.size > 1) {
    const names = [...processes].filter((name) => name !== null).map((name) =>
      name.replace(/ \[\d{1,9}\].*$/, "")
    );
    const most = names.slice(0, 12);
    const count = Math.max(processes.size, countProcesses(text));
    happened.push(
      `The ${isPiece(report) ? "copy" : "report"} has ${count} processes${
        most.length === 0 ? "" : ` (${most.join(", ")}${count > most.length ? ", …" : ""})`
      }.`,
    );
    if (uses.length > 0) {
      const times = uses.slice(0, 3).map(({ title, seconds }) => `${title} ${seconds} s`).join(
        ", ",
      );
      const taker = samplerTime(text);
      happened.push(
        `${isPiece(report) ? "Of those in the copy, most" : "Most"} CPU time while it was sampled${
          taker === null ? "" : `, beside spindump's own ${taker} s`
        }: ${times}.`,
      );
    }
  } else happened.push(...usage(report));
  if (silent.length > 0) {
    const named = silent.slice(0, 6).map(({ title, note }) =>
      note === "" ? title : `${title} (${note})`
    );
    happened.push(`Unresponsive: ${named.join(", ")}${silent.length > 6 ? ", …" : ""}.`);
  }
  happened.push(...limitWords(report));
  if (isOfNone(report, processes, text, silent.length)) {
    happened.push("It was taken of the whole system, and notes no process that did not answer.");
  }
  // The process that the samples were asked for, where they have all; else the one that did not answer.
  const target = targetOf(report, processes) ??
    (silent.length === 1 && processes.has(silent[0].title) ? silent[0].title : null);
  // The kernel works for the others.
  const busiest = target ?? uses.find(({ title }) => !title.startsWith("kernel_task ["))?.title;
  const owned = report.threads.filter(({ process }) => process === busiest);
  const thread = target !== null
    ? mainThread({ threads: owned })
    : owned.length > 0
    ? busyThread(owned)
    : mainThread(report);
  // The trees were left out, and the list behind them was not.
  if (report.threads.length === 0) {
    happened.push(...report.information.map((text) => `${text}.`));
  }
  let stack: readonly ReportFrame[] = [];
  /** What called the last function of a copy that ends within its call tree. */
  let path: readonly ReportFrame[] | null = null;
  let about = thread;
  const filled: KnowledgeRow[] = [];
  const hasTrees = isSample(report);
  const isMissing = hasTrees && thread !== null && thread.tree.length === 0 &&
    thread.frames.length === 0;
  if (isMissing) {
    about = null;
    happened.push("Its stacks were cut off.");
  } else if (thread !== null && (report.threads.length > 0)) {
    const { words, busiest, idle } = activityOf(thread);
    const main = thread.name === "heaviest stack"
      ? `The heaviest stack${
        isOfWorker(thread)
          ? ", of a thread that is not the main one"
          : isMainThread(thread)
          ? " of the main thread"
          : ""
      }`
      : isOfMain(thread, report)
      ? "The main thread"
      : capitalized(threadWords(thread));
    const used = target === null ? undefined : uses.find(({ title }) => title === target);
    const computed = used === undefined ? "" : `, which computed for ${used.seconds} s`;
    const title = processes.size <= 1 || thread.process === null
      ? main
      : `In ${thread.process}${computed}, ${
        mainThread({ threads: owned }) === thread && isOfMain(thread, report)
          ? "the main thread"
          : `thread ${thread.index}`
      }`;
    const isCut = isTreeCut(report, thread);
    // Of what was called last nothing says that it took the time.
    if (isCut) {
      const trunk = trunkOf(thread);
      path = trunk;
      const last = trunk[0];
      const own = ownFrame(trunk, mine);
      if (last !== undefined) {
        happened.push(
          `${title}: called ${frameTitle(last)}${shareOfSteps(report, thread)}${
            own === null || own === last ? "" : `, which began with a call by ${frameTitle(own)}`
          }.`,
        );
      }
    } else if (!stateOnly(rows)) {
      const all = stepsOf(report, thread);
      // Its own samples are not all of them.
      const single = all === null || samplesOf(thread) > 1
        ? null
        : /^(?:mostly )?(\S.*?)(?:: 1 of 1 samples \(100%\)| in 1 of 1 samples \(100%\)(.*))$/
          .exec(words);
      happened.push(
        single !== null
          ? `The stack of one of the ${all} samples: ${single[1]}${single[2] ?? ""}.`
          : `${title}: ${words}${
            all === null ? "" : `; it has ${samplesOf(thread)} of the ${all} samples`
          }.`,
      );
    }
    if (report.warnings.includes(gaps)) {
      happened.push(
        "Lines of the call trees are left out of this copy: what is told of a function may be of what it called.",
      );
    }
    const occasion = idle || isCut || stateOnly(rows) ? null : occasionOf(trunkOf(thread), thread);
    if (occasion !== null) happened.push(`All of it was ${occasion}.`);
    const pause = isCut ? null : javaPause(thread, processes.size <= 1 ? report.threads : owned);
    if (pause !== null) {
      happened.push(pause.words);
      if (pause.isFull) filled.push(known("event", "full collections of Java")!);
    }
    const blocker = blockerOf(report, thread);
    if (processes.size <= 1 && (idle || waitsForThread(thread)) && blocker?.thread == null) {
      happened.push(...others(report, thread));
    }
    const again = begunBefore(busiest);
    if (blocker === null && again !== null) {
      happened.push(
        `${
          frameTitle(again)
        } is on its stack twice: further out it had begun, when a run loop that ran within it called it again. Most likely the thread itself holds the mutex, and waits without end.`,
      );
    } else if (blocker === null && isLock(waitOf(busiest))) {
      happened.push(
        report.threads.length === 1 && report.format === "sample" && lacksEnd(report)
          ? interruptedBy(busiest) === null
            ? "The copy need not have all threads: which one holds it is not known."
            : `It waited in the handler of a signal, which interrupted ${
              interruptedBy(busiest)
            }: if that held the lock, the thread waits for itself.`
          : report.threads.length === 1 && report.format === "sample"
          ? interruptedBy(busiest) === null
            ? "The report has no other thread that could hold it."
            : `It waited in the handler of a signal, which interrupted ${
              interruptedBy(busiest)
            }; the report has no other thread that could hold the lock: most likely the thread waits for itself.`
          : "The report does not say which thread holds it.",
      );
    }
    const own = processes.size <= 1 ? report.threads : owned;
    const peer = blocker === null && thread === mainThread({ threads: own }) ? peerOf(own) : null;
    if (peer !== null) happened.push(peer.words);
    if (blocker !== null) {
      happened.push(
        `It was ${blocker.words}${
          blocker.words.endsWith(" for this thread")
            ? ": it holds that itself, so that it waits without end"
            : ""
        }.`,
      );
      if (blocker.thread !== null) {
        const { index, id, queue } = blocker.thread;
        const on = queue === null ? "" : `, on the queue "${queue}"`;
        happened.push(
          `Thread ${index} (0x${id!.toString(16)})${on}: ${activityOf(blocker.thread).words}.`,
        );
      }
    }
    if (!isCut && owned.length <= 1 && isUnstarted(busiest)) {
      happened.push(
        "It stands at its first instruction: neither the dynamic linker nor any code of the program has run. The system holds it where it was started, as while its signature is checked or it is looked at for malware, or it was started suspended; which of these the report does not say. See what the system's log has of amfid and syspolicyd.",
      );
    }
    if (!isCut && owned.length <= 1 && isLinking(busiest)) {
      happened.push(
        "That is the dynamic linker (dyld), which starts the program: no code of the program had run. The report does not say what keeps it there.",
      );
    }
    if (!isCut && mayBeCut(report, thread)) {
      happened.push(
        "Nothing follows that stack in the copy: what it called further may be cut off.",
      );
    }
    if (isCut) {
      happened.push("The copy ends within its call tree: what it called further is not known.");
    } else {
      const sampled = processes.size <= 1 && thread === mainThread(report)
        ? sampledThread(report)
        : thread;
      about = sampled === null || isTreeCut(report, sampled) ? thread : sampled;
      stack = about === thread || about === null ? busiest : activityOf(about).busiest;
      const time = about === thread || about === null ? null : occasionOf(trunkOf(about), about);
      if (time !== null) happened.push(`All of that thread's samples were taken ${time}.`);
    }
  }
  const awaited = stack.length === 0 || about === null ? null : waitOf(stack);
  const isAll = awaited !== null && awaited.causes.length > 0 &&
    activityOf(about!).samples * 10 >= samplesOf(about!) * 9;
  if (stateOnly(rows)) return finished(report, title, happened, rows, null, null);
  return finished(
    report,
    title,
    happened,
    isAll ? [...rows, ...filled, awaited] : [...rows, ...filled],
    // One stack, of which everything is told: the samples have others.
    about === null || stack.length === 0 ? about : { ...about, frames: stack },
    ownFrame(stack, mine),
    callPath(path ?? stack, 0, (frame) => isOfProcess(frame, report)),
  );
}

/** What a thread waits for that Java's virtual machine has stopped, as while it collects garbage; `null` for others. OpenJDK,
 * src/hotspot/share/runtime/safepoint.cpp: SafepointSynchronize::block. */
function javaPause(
  thread: ReportThread,
  threads: readonly ReportThread[],
): { readonly words: string; readonly isFull: boolean } | null {
  const { busiest, samples } = activityOf(thread);
  if (samples * 2 < samplesOf(thread)) return null;
  if (!busiest.some(({ symbol }) => symbol?.startsWith("SafepointSynchronize::block") === true)) {
    return null;
  }
  const collects = threads.find((other) =>
    other !== thread && trunkOf(other).some(({ symbol }) => ofCollection.test(symbol ?? ""))
  );
  const isAsking = busiest.some(({ symbol }) => /^CollectedHeap::\w*allocat/.test(symbol ?? ""));
  const isFull = collects !== undefined &&
    trunkOf(collects).some(({ symbol }) => ofWholeHeap.test(symbol ?? "")) &&
    samplesOf(collects) >= samplesOf(thread);
  const words = `In most of them Java's virtual machine had stopped it at a safepoint${
    isAsking ? ", where it asked for memory for an object" : ""
  }${
    collects === undefined
      ? ""
      : `, while thread ${collects.index} collected garbage${isFull ? " in all of its heap" : ""}`
  }.`;
  return { words, isFull };
}

/** What collects all of the heap, as when a collection of the young objects did not free enough. */
const ofWholeHeap =
  /^(?:PSParallelCompact|PSMarkSweep|GenMarkSweep|G1MarkSweep|G1FullCollector)::|^G1CollectedHeap::do_full_collection\b/;

/** What Java's virtual machine has its own thread do to collect garbage: OpenJDK, src/hotspot/share/gc. */
const ofCollection =
  /^VM_(?:ParallelGC|G1|GenCollect|CollectFor|GC_|CMS|Shenandoah|X|Z)\w{0,60}::doit|^VM_GC_Operation\b/;

/** Whether a wait is for a lock. */
function isLock(row: KnowledgeRow | null): boolean {
  const reason = row?.waitReason;
  return reason === "mutex" || reason === "rwlock" || reason === "lock";
}

/** The process that a spindump of several was asked for, by its header; `null` where that names none. */
function targetOf(
  { process, format }: CrashReport,
  processes: ReadonlySet<string | null>,
): string | null {
  if (
    format !== "spindump" || processes.size < 2 || process.name === null || process.pid === null
  ) {
    return null;
  }
  const title = `${process.name} [${process.pid}]`;
  return processes.has(title) ? title : null;
}

/** Whether a spindump, whose header is there, names no process or event that it was taken for, and no process that did not
 * answer: spindump(8). */
function isOfNone(
  report: CrashReport,
  processes: ReadonlySet<string | null>,
  text: string,
  silent: number,
): boolean {
  return report.format === "spindump" && processes.size > 1 && silent === 0 &&
    report.process.name === null && report.bugType === null &&
    /^Steps: {2,20}\d/m.test(text) && !/^(?:Event|Command|Reason): /m.test(text);
}

/** How many processes a spindump has: of some no thread was sampled. */
function countProcesses(text: string): number {
  return text.match(/^Process: /gm)?.length ?? 0;
}

/** Most threads beside an idle main thread that are looked at. */
const MAX_OTHERS = 200;

/** What the other threads did while the main thread had nothing to do: idle as well, or which were not. */
function others(report: CrashReport, main: ReportThread): string[] {
  const isCut = lacksEnd(report);
  // What a thread did whose tree is cut is not known.
  const rest = report.threads.filter((thread) => thread !== main && !isTreeCut(report, thread))
    .slice(0, MAX_OTHERS);
  if (rest.length === 0) return [];
  const waits = rest.map((thread) => ({ thread, activity: activityOf(thread) }));
  // A few samples, as of a thread that began or ended, tell nothing.
  const least = main.tree.reduce((sum, { count }) => sum + count, 0) / 20;
  const busy = waits.filter(({ activity }) =>
    activity.samples >= least && activity.busiest.length > 0 && !isWait(activity.busiest)
  )
    .sort((a, b) => b.activity.samples - a.activity.samples);
  if (busy.length === 0) {
    const there = isCut ? " that the copy has" : "";
    return [`The other thread${rest.length === 1 ? "" : "s"}${there} waited as well.`];
  }
  const named = busy.slice(0, 2).map(({ thread, activity }) => {
    return sentence(`${threadWords(thread)} did not only wait: ${activity.words}.`);
  });
  return busy.length > 2 ? [...named, `${busy.length - 2} more threads did not only wait.`] : named;
}

/** Whether a stack waits: one in the file system may as well work. */
function isWait(stack: readonly ReportFrame[]): boolean {
  const row = waitOf(stack);
  return row !== null && row.waitReason !== "files";
}

/** Whether a stack begins as that of a thread that the process made, not as that of main(). */
function isOfWorker({ tree, frames }: ReportThread): boolean {
  const symbol = tree[0]?.frame.symbol ?? frames.at(-1)?.symbol ?? "";
  return /^_?(?:thread_start|start_wqthread|pthread_start|pthread_wqthread)$/.test(symbol);
}

/** Whether a thread is its process's main one, as far as the report tells: another one may work for the main queue. Without a
 * header it need not be the first one of its process. */
function isOfMain(thread: ReportThread, { fields }: CrashReport): boolean {
  if (isOfWorker(thread)) return false;
  if (isMainThread(thread)) return true;
  if (thread.name !== null || thread.queue !== null) return false;
  const begin = thread.tree[0]?.frame.symbol ?? thread.frames.at(-1)?.symbol ?? "";
  return fields.length > 0 || /^_?(?:start|_?dyld_start|main)$/.test(begin);
}

/** Whether a copy of a `sample` lacks what stands before or behind its trees, so that it need not have all threads. */
function lacksEnd({ format, text }: CrashReport): boolean {
  return format === "sample" &&
    (!/^[ \t>]{0,12}Call graph:/m.test(text) || !afterTrees.test(text));
}

/** Whether a copy of a sample or spindump lacks the head, which says of what and how long it was taken. */
export function isHeadless({ format, text }: CrashReport): boolean {
  const head = format === "sample"
    ? /^\W{0,9}(?:Analysis of sampling|Sampling process) /m
    : /^\W{0,9}(?:Event|Duration|Duration Sampled|Steps|Data Source|Reason): /m;
  return !head.test(text.slice(0, 1 << 16));
}

/** Whether a spindump lacks its head, or ends within a stack: it had more processes. */
function isPiece(report: CrashReport): boolean {
  return report.date === null || isHeadless(report) || report.warnings.includes(cutTree);
}

/** What a spindump says of its process: how long it did not answer, and how much it computed. */
function usage(report: CrashReport): string[] {
  const words: string[] = [];
  const silent = silence(report);
  if (silent !== null) words.push(silent);
  const computed = /^[\d.]{1,12}s/.exec(fieldValue(report, "cpu time") ?? "")?.[0];
  if (silent !== null && computed !== undefined) {
    words.push(`CPU time while it was sampled: ${computed}.`);
  }
  const large = largeFootprint(report);
  return large === null ? words : [...words, large];
}

/** From this many gigabytes on a process's memory is told. */
const LARGE = 8;

/** Tells a memory footprint that is very large; `null` for others. */
function largeFootprint(report: CrashReport): string | null {
  const gigabytes = (...names: string[]): number => {
    const match = /^([\d.]{1,12}) ?G/.exec(fieldValue(report, ...names) ?? "");
    return match === null ? 0 : Number(match[1]);
  };
  const used = gigabytes("physical footprint", "footprint");
  const most = gigabytes("physical footprint (peak)");
  if (used < LARGE) {
    return most < LARGE
      ? null
      : `Its memory footprint had been ${most} GB${used > 0 ? `, and was ${used} GB then` : ""}.`;
  }
  const machine = gigabytes("memory size");
  return machine > 0 && used > machine
    ? `Its memory footprint was ${used} GB, more than the ${machine} GB of the machine: that alone may make it and the system slow, as memory is compressed and paged.`
    : `Its memory footprint was ${used} GB${
      machine > 0 ? `, on a machine with ${machine} GB` : ""
    }.`;
}

/** The function that a signal interrupted whose handler runs on a stack; `null` for others. */
function interruptedBy(stack: readonly ReportFrame[]): string | null {
  const at = stack.findIndex(isTrampoline);
  const symbol = at < 0 ? null : stack[at + 1]?.symbol ?? null;
  return symbol === null ? null : shortName(symbol);
}

/** What a report of samples has of each process: spindump(8). */
const samplesOfProgram =
  /^Powerstats for: {1,8}(\S.{0,100}?) \[\d{1,9}\].{0,40}\n(?:.{0,500}\n){0,24}?Num samples: {1,8}(\d{1,9}) \(\d{1,3}%\)/gm;

/** How many samples the report has, where its heaviest stack has only some of them; `null` for others. */
function stepsOf(report: CrashReport, thread: ReportThread): number | null {
  if (thread.name !== "heaviest stack") return null;
  // The steps are those of all processes.
  const own = [...report.text.matchAll(samplesOfProgram)].filter(([, name]) =>
    name === report.process.name
  );
  const count = own.length === 1
    ? own[0][2]
    : /^\d{1,9}/.exec(fieldValue(report, "steps") ?? "")?.[0];
  const steps = Number(count ?? 0);
  return steps > samplesOf(thread) ? steps : null;
}

/** How many of a report's samples have the beginning of a heaviest stack that was cut off. */
function shareOfSteps(report: CrashReport, thread: ReportThread): string {
  const steps = stepsOf(report, thread);
  return steps === null ? "" : ` in ${samplesOf(thread)} of ${steps} samples`;
}

function samplesOf({ tree }: ReportThread): number {
  return tree.reduce((sum, { count }) => sum + count, 0);
}
