/** What the prompt is at: data and state. It knows nothing of what uses it. */
import type {
  CoreTarget,
  Crash,
  Frame,
  ImageSymbol,
  LiveTarget,
  Pause,
  Thread,
} from "../../mod.ts";
import { type Standstill, standstill } from "../../ffi/procfs.ts";
import type { RemoteError, RemoteTarget } from "../../ffi/remote.ts";
import { TargetGoneError } from "../../lib/errors.ts";
import { escape, safe, type SafeText } from "../../lib/escape.ts";
import { hex } from "../../lib/hex.ts";
import { History } from "../edit/history.ts";
import { UserError } from "../errors.ts";
import type { Layout } from "../view/layout.ts";
import { explain, printLines, write } from "../view/output.ts";
import type { Style } from "../view/style.ts";
import { held, type Opened } from "./opened.ts";
import { nobody, type Ui } from "./ui.ts";

/** Minimum run, in milliseconds, for per-thread CPU figures. */
const minRun = 50;

/** The state of a prompt: its target, whether that is paused, the selected thread and frame. */
export class Session implements Disposable {
  style: Style;
  /** The screen, and the user at it. */
  ui: Ui = nobody;
  /** Prints the output of the user's code. */
  out: (text: SafeText, complains: boolean) => void = (text, complains) =>
    write(complains ? Deno.stderr : Deno.stdout, text);
  /** Whether changes are made without asking. */
  assumeYes = false;
  /** What was typed, in this session and before. */
  history: History = new History();
  /** What was typed in this session. */
  readonly typed: string[] = [];
  /** Where folders of sources are now. */
  readonly sourceMap: [from: string, to: string][] = [];
  /** The lines of a source file that were listed last, which `source` goes on from. */
  listed: {
    readonly file: string;
    readonly first: number;
    readonly last: number;
    readonly isEnd: boolean;
  } | undefined;
  /** The layouts that were declared. */
  readonly structs: Map<string, Layout> = new Map();
  /** Set by `quit`. */
  ended = false;
  /** The exit code that was given to `quit`. */
  exitCode: number | undefined;
  /** Stops the command that is running; `undefined` for one that cannot be stopped. */
  interrupt: (() => void) | undefined;
  #opened: Opened | undefined;
  #pause: Pause | undefined;
  #gone = false;
  #crash: Crash | undefined;
  #threads: readonly Thread[] | undefined;
  /** The selected thread's id, which keeps its meaning from one pause to the next. */
  #thread: bigint | undefined;
  #frame = 0;
  #frames: readonly Frame[] | undefined;
  /** When the target was last resumed, and each thread's CPU time then. */
  #resumed: { readonly at: number; readonly used: ReadonlyMap<bigint, bigint> } | undefined;
  /** How long it ran between the last two pauses, in milliseconds. */
  #ran = 0;
  /** The target's warnings that were reported. */
  readonly #said = new Set<string>();
  #demangle: ((name: string) => string) | undefined;

  constructor(style: Style) {
    this.style = style;
  }

  /** The target, if there is one. */
  get maybeTarget(): Opened["target"] | undefined {
    return this.#opened?.target;
  }

  /** The target.
   *
   * @throws UserError when there is none
   */
  get target(): Opened["target"] {
    if (this.#opened !== undefined) return this.#opened.target;
    throw new UserError(
      this.#gone
        ? "the target is gone: `attach <pid|name>` to another one"
        : "no target: `attach <pid|name>`, `launch <program>`, `core <file>`, `demo` or `self` " +
          "gets one",
    );
  }

  /** The target, if it is a core. */
  get core(): CoreTarget | undefined {
    const target = this.maybeTarget;
    return target?.kind === "core" ? target as CoreTarget : undefined;
  }

  /** The target as a title: name, pid and architecture. */
  get title(): SafeText {
    return escape(`${this.target}`);
  }

  /** The size of an address, in bytes. */
  get pointerSize(): number {
    return this.target.arch.pointerSize;
  }

  /** The target's warnings since the last call. */
  newWarnings(): string[] {
    const news = this.target.warnings.filter((text) => !this.#said.has(text));
    for (const text of news) this.#said.add(text);
    return news;
  }

  /** Takes a target; lets the one before go. */
  open(opened: Opened): void {
    this.close();
    this.#opened = opened;
    this.#gone = false;
  }

  /** Takes a target that the user's code made. */
  adopt(target: Opened["target"]): void {
    if (target !== this.maybeTarget) this.open(held(target));
  }

  /** Whether letting the target go ends it: it was launched from here. */
  get endsTarget(): boolean {
    return this.#opened?.keep !== undefined;
  }

  /** Lets the target go. What was launched from here ends.
   *
   * @param keep whether that runs on, too
   */
  close(keep = false): void {
    if (keep) this.#opened?.keep?.();
    const opened = this.#opened;
    const pause = this.#pause;
    this.#opened = undefined;
    this.#pause = undefined;
    this.#crash = undefined;
    this.#thread = undefined;
    this.#resumed = undefined;
    this.#said.clear();
    this.forget();
    try {
      // A target that is only lent to the session would stay paused.
      if (opened !== undefined) pause?.resume();
    } finally {
      opened?.[Symbol.dispose]();
    }
  }

  /** Loads the demangler, with which `demangle` works. */
  async loadDemangler(): Promise<void> {
    if (this.#demangle !== undefined) return;
    const { demangle, loadDemangler } = await import("../../lib/symbols/demangle/mod.ts");
    // From a file it loads by itself when it is needed.
    if (!import.meta.url.startsWith("file:")) await loadDemangler();
    this.#demangle = demangle;
  }

  /** Runs what shows names, in its result or its error; once more with the demangler where it met a mangled one
   * without. */
  async withNames<T>(show: () => T): Promise<T> {
    if (this.#demangle !== undefined) return show();
    const { missedNames } = await import("../../lib/symbols/walking.ts");
    try {
      const shown = show();
      if (!missedNames()) return shown;
    } catch (error) {
      if (!missedNames()) throw error;
    }
    await this.loadDemangler();
    return show();
  }

  /** The readable form of a mangled name, once the demangler is loaded. */
  demangle(name: string): string {
    return this.#demangle?.(name) ?? name;
  }

  /** A symbol and an offset: `spin_inner + 4`. */
  place(symbol: ImageSymbol, offset: number): SafeText {
    const name = escape(this.demangle(symbol.name));
    return offset === 0 ? name : safe`${name} + ${offset}`;
  }

  /** What is at an address; `undefined` where nothing is known. */
  describe(address: bigint): SafeText | undefined {
    const { image, symbol, offset } = this.target.resolve(address);
    if (image === null) return undefined;
    return symbol === null
      ? safe`${escape(image.name)} + ${hex(offset)}`
      : this.place(symbol, offset);
  }

  /** Prints above the line being typed. */
  readonly show = (text: SafeText): void => this.out(text, false);

  /** Prints at once, before a command is done. */
  say(lines: readonly SafeText[]): void {
    printLines(lines);
  }

  [Symbol.dispose](): void {
    this.close();
  }

  /** Lets the target go when an error says that it is gone, or that its stub is. What was read in a pause stays
   * to be looked at until the pause ends.
   *
   * @returns the error, and how the target ended where that is known
   */
  async notice(error: unknown): Promise<SafeText> {
    const opened = this.#opened;
    if (opened === undefined) return explain(error);
    const { title } = this;
    if (isCutOff(error) && !opened.target.paused) {
      this.close();
      this.#gone = true;
      return safe`${title} cannot be asked any more: ${explain(error)}`;
    }
    // What is gone may be another target, or one thread.
    if (!(error instanceof TargetGoneError) || this.#isThere()) return explain(error);
    // A process that goes on as another program can be attached to.
    this.close(error.isReplaced);
    this.#gone = true;
    const how = error.how ?? await opened.ended?.();
    return how === undefined ? explain(error) : safe`${title} has ended: ${escape(how)}`;
  }

  #isThere(): boolean {
    try {
      this.checkAlive();
      return true;
    } catch {
      return false;
    }
  }

  /** Checks that a live target still exists.
   *
   * @throws TargetGoneError when it does not
   */
  checkAlive(): void {
    const target = this.maybeTarget;
    if (target?.kind === "live") void (target as LiveTarget).initialized;
    if (target?.kind === "remote") (target as RemoteTarget).attend();
  }

  /** The crash at which the target stopped; `undefined` for none. */
  get crash(): Crash | undefined {
    return this.#crash;
  }

  /** Stops at a crash of the target that was not seen yet, at the thread that crashed.
   *
   * @returns whether there was one
   */
  attendCrash(): boolean {
    if (this.#crash !== undefined) return false;
    const crash = this.#opened?.crash?.poll();
    if (crash === undefined) return false;
    this.pause();
    this.#crash = crash;
    this.#thread = crash.threadId;
    this.forget();
    return true;
  }

  /** What keeps the target from running that is not paused from here: a signal that stopped it, or another debugger. */
  get standstill(): Standstill | undefined {
    const { pid, kind, paused } = this.target;
    const found = kind !== "live" || paused || pid === null ? undefined : standstill(pid);
    // Each stop of a program that was launched is ours for a moment: it may be its crash.
    return found?.tracer === Deno.pid ? undefined : found;
  }

  /** The target's state: `paused`, `crashed`, `running`, `core`, `self`, `gone`; `stopped` by a signal and `held` by another
   * debugger; empty without a target. */
  get state(): string {
    if (this.#gone) return "gone";
    const target = this.maybeTarget;
    if (target === undefined) return "";
    if (target.kind !== "live" && target.kind !== "remote") return target.kind;
    if (!target.paused) {
      const { standstill } = this;
      return standstill === undefined ? "running" : standstill.tracer === null ? "stopped" : "held";
    }
    return this.#crash === undefined ? "paused" : "crashed";
  }

  /** Whether the target is paused, or what else keeps it from running. */
  get stateText(): SafeText {
    const { standstill, target } = this;
    if (standstill === undefined) return target.paused ? safe`paused` : safe`running`;
    return standstill.tracer === null
      ? safe`stopped by a signal (\`kill -CONT ${target.pid!}\` lets it run on)`
      : safe`held by pid ${standstill.tracer}, which debugs it`;
  }

  /** Pauses the target, unless it is. */
  pause(): void {
    if (this.target.paused) return;
    this.#pause = this.target.pause();
    this.#ran = this.#resumed === undefined ? 0 : performance.now() - this.#resumed.at;
    this.forget();
  }

  /** The share of a CPU that a thread used since the target was last resumed; what the system says
   * where that was less than {@linkcode minRun} ago, or never. */
  cpuUsage(thread: Thread): number {
    const before = this.#resumed?.used.get(thread.id);
    if (before === undefined || this.#ran < minRun) return thread.cpuUsage;
    const used = Number(thread.userTime + thread.systemTime - before) / 1e6;
    return Math.min(1, Math.max(0, used / this.#ran));
  }

  /** Ends the prompt's own pause. */
  resume(): void {
    if (this.core !== undefined) throw new UserError("a core does not run");
    if (!this.target.paused) throw new UserError("the target is running");
    const pause = this.#pause;
    const used = this.target.threads.map((thread): [bigint, bigint] => [
      thread.id,
      thread.userTime + thread.systemTime,
    ]);
    this.#resumed = { at: performance.now(), used: new Map(used) };
    this.#pause = undefined;
    this.forget();
    if (this.#crash !== undefined) this.#opened?.crash?.pass();
    this.#crash = undefined;
    pause?.resume();
    if (this.target.paused) {
      throw new UserError("still paused, by a pause that your own code holds: dispose of that one");
    }
  }

  /** Forgets what was captured, and which frame was selected. */
  forget(): void {
    this.#threads = undefined;
    this.#frames = undefined;
    this.#frame = 0;
    this.listed = undefined;
  }

  /** Whether threads are known without stopping the target. */
  get captured(): boolean {
    const target = this.maybeTarget;
    return target !== undefined &&
      (target.paused || target.kind === "core" || this.#threads !== undefined);
  }

  /** Reads the selected thread's frames again: its registers or its stack were written. */
  reselect(): void {
    this.#frames = undefined;
    if (!this.captured) return;
    this.#frame = Math.min(this.#frame, Math.max(0, this.frames.length - 1));
  }

  /** The threads of the pause; of a running target those captured last, or now if `fresh`. */
  threads(fresh = false): readonly Thread[] {
    const target = this.target;
    if (target.paused) return target.threads;
    if (fresh) this.forget();
    return this.#threads ??= target.threads;
  }

  /** The selected thread; the first one where none is selected, or the selected one has ended, which is said.
   *
   * @throws UserError when there are none, as in a damaged core
   */
  get thread(): Thread {
    const threads = this.threads();
    if (threads.length === 0) throw new UserError("there are no threads");
    const selected = threads.find(({ id }) => id === this.#thread);
    if (selected === undefined && this.#thread !== undefined) {
      this.#thread = undefined;
      this.#frame = 0;
      this.#frames = undefined;
      const { index } = threads[0];
      this.out(safe`machpause: the selected thread has ended: thread ${index} is selected\n`, true);
    }
    return selected ?? threads[0];
  }

  /** The selected thread; `undefined` where there are none. */
  get maybeThread(): Thread | undefined {
    return this.threads().length === 0 ? undefined : this.thread;
  }

  /** Selects a thread by its number.
   *
   * @throws UserError when there is none of that number
   */
  selectThread(index: number): void {
    this.#thread = this.threadOf(index).id;
    this.listed = undefined;
    this.#frame = 0;
    this.#frames = undefined;
  }

  /** A thread by its number.
   *
   * @throws UserError when there is none of that number
   */
  threadOf(index: number): Thread {
    const threads = this.threads();
    const thread = threads.find((thread) => thread.index === index);
    if (thread !== undefined) return thread;
    throw new UserError(
      `no thread ${index}: \`threads\` lists the ${threads.length} there are, from 0 on`,
    );
  }

  /** The selected thread's frames, inlined calls among them. */
  get frames(): readonly Frame[] {
    return this.#frames ??= [...this.thread.backtrace()];
  }

  /** The selected frame.
   *
   * @throws UserError when the thread has none
   */
  get frame(): Frame {
    const frame = this.frames[this.#frame];
    if (frame === undefined) throw new UserError("this thread has no frames");
    return frame;
  }

  /** The selected frame's number. */
  get frameIndex(): number {
    return this.#frame;
  }

  /** Selects a frame by its number.
   *
   * @throws UserError when there is none of that number
   */
  selectFrame(index: number): void {
    const count = this.frames.length;
    if (index < 0) throw new UserError("this is the innermost frame");
    if (index >= count) throw new UserError(`no frame ${index}: the outermost is ${count - 1}`);
    this.#frame = index;
    this.listed = undefined;
  }
}

/** Whether the connection to a stub is lost. The class itself is loaded with the first stub. */
function isCutOff(error: unknown): boolean {
  return error instanceof Error && error.name === "RemoteError" &&
    (error as RemoteError).failure !== "refused";
}
