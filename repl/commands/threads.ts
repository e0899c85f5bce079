/** Stopping and going on; threads and their stacks. */
import { UserError } from "../errors.ts";
import type { Thread } from "../../mod.ts";
import { shownFrames } from "../view/frames.ts";
import { backtraceLines, exceptionLines, threadHeader } from "../view/render.ts";
import type { Session } from "../prompt/session.ts";
import { parseOptions, pointerSize, wholeNumber } from "./arguments.ts";
import type { Family } from "./command.ts";
import { selectedFrame } from "./frames.ts";
import { warningLines } from "./target.ts";

/** How many threads there are, and what each one is doing. */
async function summary(session: Session): Promise<string[]> {
  const { summaryLines } = await import("../view/summary.ts");
  const threads = session.threads();
  const count = threads.length === 1 ? "1 thread" : `${threads.length} threads`;
  const state = session.target.paused ? "paused: " : "";
  const selected = threads.length > 0 ? session.thread : undefined;
  return [
    `${state}${count}`,
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
export const threads: Family = {
  title: "Pausing and threads",
  commands: [
    {
      name: "pause",
      aliases: ["interrupt", "process interrupt", "halt"],
      usage: "",
      help: "stop every thread, and show what each one is doing",
      details: ["Ctrl-C does the same, at an empty prompt while the target runs."],
      example: "pause",
      async run(session) {
        const { core } = session;
        if (core !== undefined) throw new UserError("a core does not run: it is as good as paused");
        if (session.target.kind === "self") {
          throw new UserError(
            "machpause does not pause itself: `summary` and `bt` look all the same",
          );
        }
        session.pause();
        return [...await summary(session), ...warningLines(session)];
      },
    },
    {
      name: "resume",
      aliases: ["continue", "c", "cont", "process continue"],
      usage: "",
      help: "let the target run on",
      example: "resume",
      run(session) {
        session.resume();
        return [];
      },
    },
    {
      name: "summary",
      aliases: ["stacks"],
      usage: "",
      help: "what each thread is doing, on one screen; equal stacks together",
      example: "summary",
      run(session) {
        session.threads(true);
        return summary(session);
      },
    },
    {
      name: "threads",
      aliases: ["thread list", "info threads"],
      usage: "",
      help: "list the threads; of a target that runs, as they are now",
      example: "threads",
      run(session) {
        const threads = session.threads(true);
        return threads.map((thread) =>
          (thread === session.thread ? "* " : "  ") + threadHeader(thread, session.style)
        );
      },
    },
    {
      name: "thread",
      aliases: ["thread select", "thread info", "t"],
      usage: "[N]",
      help: "select thread N; without N, show the selected one",
      example: "thread 2",
      takes: ["thread"],
      run(session, [number]) {
        if (number !== undefined) session.selectThread(wholeNumber(number, "a thread's number"));
        const lines: string[] = [threadHeader(session.thread, session.style)];
        for (const line of exceptionLines(session.thread, session.style)) lines.push("  " + line);
        if (session.frames.length === 0) return lines;
        return [...lines, ...selectedFrame(session).map((line) => "  " + line)];
      },
    },
    {
      name: "bt",
      aliases: [
        "backtrace",
        "thread backtrace",
        "where",
        "info stack",
        { name: "thread apply all bt", args: ["all"] },
        { name: "thread backtrace unique", args: ["all", "--unique"] },
      ],
      usage: "[N|all] [--unique] [--count N] [--scan]",
      help: "backtrace of the selected thread, of thread N, or of all",
      details: [
        "--unique  threads with the same stack are shown once, together",
        "--count   at most so many frames of each",
        "--scan    where nothing else finds a caller, guess: scan the stack for one",
      ],
      example: "bt all --unique",
      takes: ["thread"],
      options: ["--unique", "--count", "--scan"],
      async run(session, args) {
        const { options, rest: [which] } = parseOptions(
          args,
          { unique: "switch", count: "value", scan: "switch" },
          { u: "unique", c: "count" },
        );
        session.threads(true);
        const size = pointerSize(session);
        const limit = options.count === undefined
          ? undefined
          : wholeNumber(options.count, "a count of frames");
        const scan = options.scan !== undefined;
        const linesOf = (thread: Thread): string[] => {
          const shown = shownFrames(thread, limit, scan);
          return backtraceLines(thread, size, session.style, limit, shown);
        };
        if (options.unique !== undefined) {
          const [{ groupStacks }, { indexRanges }] = await Promise.all([
            import("../../lib/target/stacks.ts"),
            import("../view/summary.ts"),
          ]);
          const lines: string[] = [];
          for (const { threads } of groupStacks(session.threads())) {
            if (lines.length > 0) lines.push("");
            const [first, ...others] = linesOf(threads[0]);
            lines.push(
              threads.length === 1
                ? first
                : session.style("heading", `${threads.length} threads: ${indexRanges(threads)}`),
              ...others,
            );
          }
          return [...lines, ...warningLines(session)];
        }
        if (which === "all") {
          const lines = session.threads().flatMap((thread, index) =>
            index === 0 ? linesOf(thread) : ["", ...linesOf(thread)]
          );
          return [...lines, ...warningLines(session)];
        }
        const thread = which === undefined
          ? session.thread
          : session.threadOf(wholeNumber(which, "a thread's number"));
        return [...linesOf(thread), ...warningLines(session)];
      },
    },
  ],
};
