/** Pausing and resuming; threads and their stacks. */
import { safe, safeJson, type SafeText } from "../../lib/escape.ts";
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
    run({ session }) {
      session.resume();
      return [];
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
    example: "thread 2",
    run({ session }, [number]) {
      if (number !== undefined) session.selectThread(wholeNumber(number, "a thread's number"));
      const { style, thread } = session;
      const lines = [threadHeader(thread, style), ...indented(exceptionLines(thread, style))];
      return session.frames.length === 0 ? lines : [...lines, ...indented(selectedFrame(session))];
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

/** The threads that a word means: a number, a thread's name, or the target's for all of them.
 *
 * @throws UserError where it is none of these
 */
function threadsNamed(session: Session, word: string): readonly Thread[] {
  const threads = session.threads();
  if (/^\d+$/.test(word)) {
    const found = threads.find(({ index }) => index === Number(word));
    if (found !== undefined) return [found];
    throw new UserError(
      `no thread ${word}: \`threads\` lists the ${threads.length} there are; ` +
        `\`bt --limit ${word}\` shows so many frames`,
    );
  }
  if (word === session.target.name) return threads;
  const named = threads.filter(({ name }) => name === word);
  if (named.length > 0) return named;
  throw new UserError(`${word} is no thread: give a number or a name of \`threads\`, or \`all\``);
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
