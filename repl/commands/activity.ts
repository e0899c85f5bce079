/** What threads do over some time. */
import { UserError } from "../errors.ts";
import type { Question } from "../view/activity.ts";
import { type Command, command, optional } from "./command.ts";

/** A number of seconds.
 *
 * @throws UserError for anything else
 */
export function secondsOf(text: string | undefined, usual: number): number {
  if (text === undefined) return usual;
  const value = Number(text);
  if (/^\d*\.?\d+$/.test(text) && value > 0 && value <= 3600) return value;
  throw new UserError(`${text} is not a number of seconds, up to 3600`, 2);
}

function watching(name: Question, help: string, details: readonly string[] = []): Command {
  const timed = name === "top" || name === "hang" || name === "compare";
  return command({
    name,
    group: "threads",
    arguments: timed ? [optional("seconds", "text")] : [],
    help,
    details,
    example: timed ? `${name} 2` : name,
    async run({ session }, [given]) {
      const { answer, usualSeconds } = await import("../view/activity.ts");
      const controller = new AbortController();
      session.interrupt = () => controller.abort();
      const { lines } = await answer(name, session.target, {
        seconds: secondsOf(given, usualSeconds[name]),
        style: session.style,
        columns: session.ui.size().columns,
        signal: controller.signal,
      });
      return lines;
    },
  });
}

/** Commands about what threads do over some time. */
export const activity: readonly Command[] = [
  watching("top", "the stacks that use the processors, by their share of the time"),
  watching("hang", "the threads that make no progress: those that wait, and those that loop"),
  watching("compare", "what each thread did between two looks", [
    "= the same place, ~ moved or ran, + new, - gone.",
  ]),
  watching("census", "how many threads have which stack"),
  watching("deadlock", "which thread waits for a lock that which other one holds", [
    "The target is paused for this. Holders are read from pthread mutexes, unfair locks and the",
    "queues of dispatch_sync, in 64-bit programs.",
  ]),
];
