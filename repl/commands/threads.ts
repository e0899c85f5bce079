/** Pausing and resuming; threads and their stacks. */
import { MachError } from "../../lib/errors.ts";
import { escape, safe, safeJson, type SafeText } from "../../lib/escape.ts";
import type { Thread } from "../../mod.ts";
import { UserError } from "../errors.ts";
import { btOptions } from "../options.ts";
import type { Session } from "../prompt/session.ts";
import { FrameBudget, shownFrames } from "../view/frames.ts";
import { backtraceLines, exceptionLines, threadHeader } from "../view/render.ts";
import { count, indented } from "../view/text.ts";
import { type Command, command, optional } from "./command.ts";
import { selectedFrame } from "./frames.ts";
import { warningLines } from "./target.ts";
import { wholeNumber } from "./values.ts";

/** How many threads there are, and what each one is doing. */
async function summary(session: Session): Promise<SafeText[]> {
  const { summaryLines } = await import("../view/summary.ts");
  const threads = session.threads();
  const total = count(threads.length, "thread");
  const selected = threads.length > 0 ? session.thread : undefined;
  return [
    session.target.paused ? safe`paused: ${total}` : total,
    ...summaryLines(
      threads,
      selected,
      session.ui.size(),
      session.style,
      (thread) => session.cpuUsage(thread),
    ),
  ];
}

/** Commands for pausing and for threads. */
export const threads: readonly Command[] = [
  command({
    name: "pause",
    aliases: ["interrupt", "process interrupt", "halt"],
    group: "threads",
    help: "stop every thread, and show what each one is doing",
    details: ["Ctrl-C does the same at an empty prompt while the target runs."],
    example: "pause",
    async run({ session }) {
      const { core } = session;
      if (core !== undefined) throw new UserError("a core does not run: it needs no pause");
      if (session.target.kind === "self") {
        throw new UserError("machpause does not pause itself: `summary` and `bt` work without it");
      }
      session.pause();
      return [...await summary(session), ...warningLines(session)];
    },
  }),
  command({
    name: "resume",
    aliases: ["continue", "c", "cont", "process continue"],
    group: "threads",
    changes: true,
    help: "let the target run",
    example: "resume",
    async run({ session }) {
      const held = session.target.paused ? session.threads().filter(isSuspended) : [];
      session.resume();
      if (held.length === 0) return [];
      const { indexRanges } = await import("../view/summary.ts");
      const which = safe`${count(held.length, "thread")} (${indexRanges(held)})`;
      const [{ index }] = held;
      return [
        held.length === 1
          ? safe`${which} stays suspended: \`thread resume ${index}\` ends that`
          : safe`${which} stay suspended: \`thread resume all\` ends that`,
      ];
    },
  }),
  command({
    name: "summary",
    aliases: ["stacks"],
    group: "threads",
    help: "what each thread is doing, on one screen; equal stacks together",
    example: "summary",
    run({ session }) {
      session.threads(true);
      return summary(session);
    },
  }),
  command({
    name: "threads",
    aliases: ["thread list", "info threads"],
    group: "threads",
    help: "list the threads; of a running target, those of this moment",
    example: "threads",
    run({ session }) {
      const threads = session.threads(true);
      return threads.map((thread) => {
        const header = threadHeader(thread, session.style);
        return thread === session.thread ? safe`* ${header}` : safe`  ${header}`;
      });
    },
  }),
  command({
    name: "thread",
    aliases: ["thread select", "thread info", "t"],
    group: "threads",
    arguments: [optional("N", "thread")],
    help: "select thread N; without N, show the selected one",
    details: [
      "A thread's name does for N.",
      "`threads` lists them, `thread suspend N` and `thread resume N` hold one and let it run.",
    ],
    example: "thread 2",
    async run({ session }, [which]) {
      if (which !== undefined) session.selectThread(await oneOf(session, which));
      const { style, thread } = session;
      const lines = [threadHeader(thread, style), ...indented(exceptionLines(thread, style))];
      return session.frames.length === 0 ? lines : [...lines, ...indented(selectedFrame(session))];
    },
  }),
  command({
    name: "thread suspend",
    aliases: ["suspend"],
    group: "threads",
    arguments: [optional("N", "thread")],
    changes: true,
    help: "suspend one thread: it stays where it is while the others run",
    details: [
      "A thread's name does for N; without it, the selected one. `thread resume` ends it, and so do `detach`,",
      "`quit` and whatever else ends machpause, but for a SIGKILL on macOS. What the thread holds, such as",
      "a lock, stays held: others may come to wait for it.",
    ],
    example: "thread suspend 2",
    run({ session }, [which]) {
      return oneByOne(session, which, (thread) => {
        thread.suspend();
        const rest = session.target.paused
          ? safe`it will not run with the others`
          : safe`the others run on`;
        return safe`${titled(thread)} is suspended: ${rest}`;
      });
    },
  }),
  command({
    name: "thread resume",
    group: "threads",
    arguments: [optional("N|all", "thread")],
    changes: true,
    help: "let a thread run that was suspended alone",
    details: [
      "A thread's name does for N; without it, the selected one. `all`: all that are suspended.",
    ],
    example: "thread resume all",
    run({ session }, [which]) {
      if (which === "all") {
        const held = heldThreads(session);
        if (held.length === 0) throw new UserError("no thread is suspended alone");
        return held.map((thread) => released(session, thread));
      }
      return oneByOne(session, which, (thread) => {
        if (!isSuspended(thread)) throw new UserError(`${titled(thread)} is not suspended alone`);
        return released(session, thread);
      });
    },
  }),
  command({
    name: "bt",
    aliases: [
      "backtrace",
      "thread backtrace",
      "where",
      "info stack",
      { name: "thread apply all bt", args: ["all"] },
      { name: "t a a bt", args: ["all"] },
      { name: "bt full", args: ["--args", "--locals"] },
      { name: "thread backtrace unique", args: ["all", "--unique"] },
    ],
    group: "threads",
    arguments: [optional("N|all", "thread")],
    options: btOptions,
    details: [
      "A thread's name does for N. `bt 5` is thread 5. Five frames, which LLDB and gdb mean by that, are `bt --limit 5`.",
      "`bt -3` shows the outermost three, as in gdb.",
      "On a terminal names are shortened, and a recursion is shown once: --full shows all.",
    ],
    help: "backtrace of the selected thread, of thread N, or of all",
    example: "bt all --unique",
    async run({ session }, [which], options) {
      const { unique, by, limit, outermost, scan, demangle, full, args, locals, json } = options;
      session.threads(true);
      const chosen = which === "all" || (unique || by !== undefined) && which === undefined
        ? session.threads()
        : which === undefined
        ? [session.thread]
        : threadsNamed(session, which);
      const budget = new FrameBudget();
      const framesOf = (thread: Thread) => {
        const shown = shownFrames(thread, limit, scan, budget);
        return outermost === undefined
          ? shown
          : { ...shown, frames: shown.frames.slice(-outermost) };
      };
      if (json) {
        const [{ threadsJson }, { frameVariablesJson }] = await Promise.all([
          import("../view/json.ts"),
          import("../view/variables.ts"),
        ]);
        const shown = chosen.map(framesOf);
        const more = args || locals ? frameVariablesJson({ args, locals }) : undefined;
        return [safeJson(threadsJson(session.target, chosen, limit, shown, more))];
      }
      const detail = args || locals
        ? (await import("../view/variables.ts")).frameDetail({ args, locals }, session.style)
        : undefined;
      const name = demangle === false ? (raw: string) => raw : undefined;
      const { pointerSize, style, ui } = session;
      const width = full ? Infinity : ui.size().columns;
      const linesOf = (thread: Thread) => {
        const shown = framesOf(thread);
        return backtraceLines(thread, pointerSize, style, limit, shown, name, width, detail);
      };
      const spaced = (blocks: readonly (readonly SafeText[])[]) =>
        blocks.flatMap((lines, index) => index === 0 ? lines : [safe``, ...lines]);
      if (by !== undefined) {
        const { queueGroupsLines } = await import("../view/summary.ts");
        const lines = queueGroupsLines(
          chosen,
          session.style,
          (group) => spaced(group.map(linesOf)),
        );
        return [...lines, ...warningLines(session)];
      }
      const blocks = unique ? await uniqueBlocks(session, chosen, linesOf) : chosen.map(linesOf);
      return [...spaced(blocks), ...warningLines(session)];
    },
  }),
];

/** Whether a thread is suspended alone. */
function isSuspended({ suspendCount }: Thread): boolean {
  return suspendCount > 0;
}

/** A thread as one calls it. */
function titled({ index, name }: Thread): SafeText {
  return name === "" ? safe`thread ${index}` : safe`thread ${index} "${escape(name)}"`;
}

/** The threads as they are now, to be suspended or resumed one by one.
 *
 * @throws UserError where the target does not run
 */
function liveThreads(session: Session): readonly Thread[] {
  const { kind } = session.target;
  if (kind === "core") {
    throw new UserError("a core does not run: none of its threads can be suspended");
  }
  if (kind === "self") {
    throw new UserError("machpause does not suspend its own threads: `snapshot()` looks at them");
  }
  return session.threads(true);
}

function heldThreads(session: Session): readonly Thread[] {
  return liveThreads(session).filter(isSuspended);
}

/** Does something with each thread that a word means, or with the selected one. */
function oneByOne(
  session: Session,
  which: string | undefined,
  act: (thread: Thread) => SafeText,
): readonly SafeText[] {
  liveThreads(session);
  return (which === undefined ? [session.thread] : threadsNamed(session, which, false)).map(act);
}

/** Ends all suspensions of a thread, and says so. */
function released(session: Session, thread: Thread): SafeText {
  while (isSuspended(thread)) {
    try {
      thread.resume();
    } catch (error) {
      // On macOS anybody may suspend a thread.
      if (!(error instanceof MachError) || error.call !== "thread_resume") throw error;
      throw new UserError(`${titled(thread)} was suspended by another program`);
    }
  }
  return safe`${titled(thread)} ${
    session.target.paused ? safe`will run with the others` : safe`runs`
  }`;
}

/** The number of the one thread that a word means: its number or its name.
 *
 * @throws UserError where it is none's, or several have that name
 */
async function oneOf(session: Session, word: string): Promise<number> {
  // A number may have a base.
  if (/^[-\d]/.test(word)) return wholeNumber(word, "a thread's number");
  const named = threadsNamed(session, word, false);
  if (named.length === 1) return named[0].index;
  const { indexRanges } = await import("../view/summary.ts");
  throw new UserError(`${named.length} threads are named ${word}: ${indexRanges(named)}`);
}

/** The threads that a word means: a number, a thread's name, or the target's for all of them.
 *
 * @param isStack whether it is about their stacks
 * @throws UserError where it is none of these
 */
function threadsNamed(session: Session, word: string, isStack = true): readonly Thread[] {
  const threads = session.threads();
  if (/^\d+$/.test(word)) {
    if (!isStack) return [session.threadOf(Number(word))];
    const found = threads.find(({ index }) => index === Number(word));
    if (found !== undefined) return [found];
    throw new UserError(
      `no thread ${word}: \`threads\` lists the ${threads.length} there are; ` +
        `\`bt --limit ${word}\` shows so many frames`,
    );
  }
  // The main thread often has the process's name.
  if (isStack && word === session.target.name) return threads;
  const named = threads.filter(({ name }) => name === word);
  if (named.length > 0) return named;
  throw new UserError(
    `${word} is no thread: give a number or a name of \`threads\`${isStack ? ", or `all`" : ""}`,
  );
}

/** The backtraces of threads with equal stacks once, under a heading that counts the threads. */
async function uniqueBlocks(
  session: Session,
  chosen: readonly Thread[],
  linesOf: (thread: Thread) => readonly SafeText[],
): Promise<(readonly SafeText[])[]> {
  const [{ groupStacks }, { indexRanges }] = await Promise.all([
    import("../../lib/target/stacks.ts"),
    import("../view/summary.ts"),
  ]);
  const budget = new FrameBudget();
  const frames = (thread: Thread) => shownFrames(thread, undefined, false, budget).frames;
  return groupStacks(chosen, { frames }).map(({ threads }) => {
    const lines = linesOf(threads[0]);
    if (threads.length === 1) return lines;
    const heading = safe`${threads.length} threads: ${indexRanges(threads)}`;
    return [session.style("heading", heading), ...lines.slice(1)];
  });
}
