/** What the text of a crash report is read into, before it is a report. */

import { translated } from "./crash_header.ts";
import type { CrashStop } from "./debugger.ts";
import { MAX_UNREAD, MAX_UNREAD_LENGTH, ofReporter } from "./titles.ts";
import type { ReportException, ReportImage, ReportRegister } from "../drafts.ts";
import type { JsonObject } from "../json.ts";
import type { FrameSpan } from "../report.ts";
import { Lines } from "../text.ts";

/** Maximum number of warnings. */
const MAX_WARNINGS = 50;

/** What a frame's line says. Its image is found when all images are known. */
export interface DraftFrame {
  index: number;
  address: bigint;
  imageName: string | null;
  symbol: string | null;
  offset: number | null;
  base: bigint | null;
  file: string | null;
  line: number | null;
  column: number | null;
  inlined: boolean;
  span: FrameSpan | null;
}

/** A thread, as far as it was read. */
export interface DraftThread {
  index: number;
  isNumbered?: false;
  name: string | null;
  queue: string | null;
  crashed: boolean;
  frames: DraftFrame[];
  registers: ReportRegister[];
  flavor: string | null;
}

/** What the next lines are of: `lines` is a section whose frames do not belong to a thread, `outside` what is behind a closed code block. */
export type Collecting =
  | "header"
  | "section"
  | "lines"
  | "thread"
  | "exception"
  | "registers"
  | "images"
  | "outside";

/** What was read of a crash report until now. */
export class CrashDraft {
  readonly file: string;
  readonly lines: Lines;
  readonly text: string;
  readonly json: JsonObject | null;
  readonly fields: { name: string; value: string }[] = [];
  readonly sections: { name: string; lines: string[] }[] = [];
  readonly threads: DraftThread[] = [];
  readonly images: ReportImage[] = [];
  readonly warnings: string[];
  readonly unread: string[] = [];
  /** Names from `Thread 0 name:` lines, which precede their thread. */
  readonly names = new Map<number, { name: string | null; queue: string | null }>();
  /** The name and reason of an exception in the line before a stack without a title. */
  lead: { readonly name: string; readonly reason: string } | null = null;
  /** Identifiers from `Thread 0 id:` lines, which `crash --text` writes. */
  readonly ids = new Map<number, bigint>();
  /** Processes from `Thread 0 process:` lines, which it writes, too. */
  readonly processes = new Map<number, string>();
  /** Backtrace of the exception; `null` before one began. */
  exception: DraftFrame[] | null = null;
  /** Backtraces of exceptions before the last one that began. */
  readonly exceptions: DraftFrame[][] = [];
  collecting: Collecting = "header";
  /** The thread that frames and registers are of. */
  thread: DraftThread | null = null;
  /** The last line that was none of a stack: it may be a title that is not understood. */
  loose = "";
  /** Whether the line before is empty. */
  afterBlank = true;
  /** Whether the header says which exception it was. */
  hasException = false;
  /** Number of stacks without a title. */
  untitledThreads = 0;
  /** What a debugger stopped at, in its order. */
  readonly stops: { thread: DraftThread; exception: ReportException | null }[] = [];
  /** The last thread whose title has no number. */
  unnumbered: DraftThread | null = null;
  /** Threads whose titles were not understood. */
  readonly guessed = new Set<DraftThread>();
  /** What lines outside of the report's sections say of the end. */
  readonly remarks: string[] = [];
  /** What a log before the report said of another run of the same program: how many remarks, and its backtraces. */
  earlier: { readonly remarks: number; readonly exceptions: number } | null = null;
  /** The title of a Crashlytics exception whose reason has not come yet. */
  fatal: string | null = null;
  /** The exception that Crashlytics names in a line of its own. */
  raised: ReportException | null = null;

  constructor(
    file: string,
    text: string,
    from: number,
    header: JsonObject | null,
    warnings: string[],
    to: number,
  ) {
    this.warnings = warnings;
    this.file = file;
    this.text = text;
    this.json = header;
    this.lines = new Lines(text, from, to);
  }

  /** Adds a warning, once. */
  warn(text: string): void {
    if (this.warnings.length < MAX_WARNINGS && !this.warnings.includes(text)) {
      this.warnings.push(text);
    }
  }

  /** Takes a debugger's word for why the process stopped, where the report itself does not say it. */
  stopped({ exception, message }: CrashStop): void {
    if (this.hasException) return;
    if (exception !== null) this.raised = exception;
    if (message !== null && !this.remarks.includes(message)) this.remarks.push(message);
  }

  /** Keeps a line that was not understood. */
  leave(line: string): void {
    if (
      this.unread.length < MAX_UNREAD && line.length <= MAX_UNREAD_LENGTH && !ofReporter.test(line)
    ) this.unread.push(line);
  }

  /** Whether the exception's backtrace is still that of an earlier run. */
  get isEarliers(): boolean {
    const count = this.exceptions.length + (this.exception === null ? 0 : 1);
    return this.earlier !== null && count === this.earlier.exceptions;
  }

  /** Whether a copy begins inside of a stack. */
  isPiece(): boolean {
    // What is left of a frame's line has a colon as well, in the name of its function.
    return this.fields.every(({ name }) => /[([<]/.test(name)) && this.threads.length === 0 &&
      this.exception === null;
  }

  /** Begins a thread whose title was not understood. */
  untitled(): DraftFrame[] {
    const [named] = this.names.keys();
    if (named !== undefined && this.threads.length === 0 && this.names.size === 1) {
      // Only the line with its name was copied: it does not say whether it crashed.
      this.begin({ index: named, name: null, queue: null, crashed: false });
      return this.thread!.frames;
    }
    this.untitledThreads++;
    const [, name, reason] =
      /^(?:\*{1,3} ?)?([A-Z]\w{2,80}Exception): (\S.{0,2000})$/.exec(this.loose) ??
        [];
    if (name !== undefined && this.threads.length === 0) this.lead = { name, reason };
    const loose = this.loose.replace(logPrefix, "");
    const title =
      /^`{3}|^\W*$|^(?:critical|error|warning|notice):\s*$|^(?:back ?trace|stack ?trace|call ?stack(?: ?(?:symbols|info|trace))?)[:= ]{0,4}[([]$|^User Info: |^\W{0,8}(?:(?:native|full) )?(?:stack ?trace|back ?trace):?\W{0,4}$/i
          .test(loose)
        ? ""
        : this.loose.slice(0, 200);
    if (/^Call stack:?$/i.test(title) && this.threads.length === 0) {
      // Cr4shed's, with the thread in the header.
      const field = (name: string): string | null =>
        this.fields.find((entry) => entry.name.toLowerCase() === name)?.value ?? null;
      const index = /^\d{1,6}/.exec(field("triggered by thread") ?? "")?.[0];
      const named = nameAndQueue((field("thread name") ?? "").replace(/^\(null\)$/, ""));
      const queue = field("thread dispatch label")?.replace(/^\(null\)$/, "") ?? "";
      this.begin({
        index: Number(index ?? 0),
        ...named,
        queue: named.queue ?? (queue === "" ? null : queue),
        crashed: true,
      });
      return this.thread!.frames;
    }
    const number = (/\bthread\D{0,12}(\d{1,6})/i.exec(title) ??
      // A log's line begins with its date.
      /^#?(\d{1,6})\b(?!-\d\d-)/.exec(title))?.[1];
    this.warn(
      title === ""
        ? "a backtrace has no title"
        : `a backtrace's title is not understood: ${title.slice(0, 80)}`,
    );
    this.begin({
      index: number === undefined ? this.threads.length : Number(number),
      // Prose before a stack is no name.
      name: number === undefined && /^[A-Za-z]\S{0,60}(?: \S{1,40}){0,4}$/.test(title) &&
          !/\b(?:stack ?trace|back ?trace|call stack|nativeStack)\b/i.test(title)
        ? title.replace(/[:：]+$/, "")
        : null,
      queue: null,
      // The name of what wrote the report is no word of it.
      crashed: translated.crashed.test(
        title.replace(/ReportCrash|CrashReport\w*|crash_?log/gi, ""),
      ),
    });
    this.guessed.add(this.thread!);
    if (number === undefined) this.unnumbered = this.thread;
    return this.thread!.frames;
  }

  /** Begins the backtrace of an exception. Some texts have the same one twice, with addresses and with names. */
  beginException(): void {
    if (this.exception !== null && this.exception.length > 0) {
      this.exceptions.push(this.exception);
      this.exception = null;
    }
    this.exception ??= [];
    this.collecting = "exception";
  }

  /** Begins a thread. */
  begin(thread: Pick<DraftThread, "index" | "name" | "queue" | "crashed">): void {
    const named = this.names.get(thread.index);
    this.names.delete(thread.index);
    const last = this.threads.at(-1);
    // Xcode's `Thread 1: EXC_BAD_ACCESS` and `Thread 1 Queue : com.apple.main-thread` are two titles of one.
    const before = last !== undefined && last.index === thread.index && last.frames.length === 0 &&
        last.registers.length === 0
      ? this.threads.pop()
      : undefined;
    this.thread = {
      ...thread,
      name: thread.name ?? named?.name ?? before?.name ?? null,
      queue: thread.queue ?? named?.queue ?? before?.queue ?? null,
      crashed: thread.crashed || before?.crashed === true,
      frames: [],
      registers: [],
      flavor: null,
    };
    this.threads.push(this.thread);
    this.collecting = "thread";
  }

  /** Whether the section is one of Apple's reports, which keeps its lines. */
  get isOfReport(): boolean {
    return /^(?:Application Specific|Dyld Error|VM Region|Kernel Triage|External Modification|Filtered)/
      .test(
        this.sections.at(-1)?.name ?? "",
      );
  }
}

/** Reads a thread's name, its queue's label, or both. */
export function nameAndQueue(text: string): { name: string | null; queue: string | null } {
  const match = /(?:^|\s)Dispatch queue:/i.exec(text);
  const name = (match === null ? text : text.slice(0, match.index)).trim()
    // A copy that ends within the title.
    .replace(/^Dispatch queue$/i, "");
  const queue = match === null ? "" : text.slice(match.index + match[0].length).trim();
  return { name: name === "" ? null : name, queue: queue === "" ? null : queue };
}

/** What Foundation puts before what a process logs. */
export const logPrefix =
  /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3,6}(?:[+-]\d{4})? \S{1,100}\[\d{1,9}:[0-9a-f]{1,9}\] /;

/** Whether a backtrace has only addresses. */
export function isNameless(frames: readonly DraftFrame[]): boolean {
  return frames.every(({ symbol, imageName }) => symbol === null && imageName === null);
}
