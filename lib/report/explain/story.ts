/** A crash as it is read, and what is told of it. */

import type { KnowledgeRow } from "../knowledge/mod.ts";
import type { CrashReport, ReportFrame, ReportThread } from "../report.ts";
import type { UncaughtException } from "./language.ts";
import type { Peer } from "./peers.ts";
import type { DeepStack } from "./recursion.ts";
import type { StackReading } from "./stack.ts";

/** What the parts of an explanation are worked out from. */
export interface Crash {
  readonly report: CrashReport;
  /** The crashed thread; `null` when it is not in the report. */
  readonly crashed: ReportThread | null;
  /** Everything that was left in words. */
  readonly texts: readonly string[];
  /** The row of the code by which the process was ended; `null` when there is none. */
  readonly ended: KnowledgeRow | null;
  /** Whether something outside of the process ended it: it says why, and the stacks only show that moment. */
  readonly outside: boolean;
  readonly uncaught: UncaughtException | null;
  /** The thread for which a main thread that did not answer may have waited; `null` for others. */
  readonly peer: Peer | null;
  /** A deep stack; `null` for others, and where the stacks only show a moment. */
  readonly deep: DeepStack | null;
  /** The stack that shows what happened. */
  readonly stack: readonly ReportFrame[];
  readonly reading: StackReading;
}

/** The end of a sentence about a process that ended itself, where nothing that was read says why. */
export const unsaidReason = "The report does not say why.";

/** What was found so far, the most specific first. */
export class Story {
  readonly happened: string[] = [];
  readonly rows: KnowledgeRow[] = [];

  /** Whether it was told that none of the program's code ran. */
  get neverRan(): boolean {
    return this.rows.some(({ neverRan }) => neverRan === true);
  }

  tell(text: string): void {
    this.happened.push(text);
  }

  /** Adds a row and its meaning, once.
   *
   * @param text what is told instead of its meaning
   */
  add(row: KnowledgeRow | null, text?: string): void {
    const { rows, happened } = this;
    if (row === null || rows.includes(row)) return;
    if (row.meaning === "") {
      if (text !== undefined) happened.push(text);
      return;
    }
    if (rows.some(({ meaning }) => meaning === row.meaning)) return;
    rows.push(row);
    if ((text ?? row.meaning) !== "") happened.push(text ?? row.meaning);
  }
}
