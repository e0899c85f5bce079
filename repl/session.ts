import type { CoreTarget, Frame, Pause, Thread } from "../mod.ts";
import { TargetGoneError } from "../lib/errors.ts";
import { UserError } from "./errors.ts";
import { held, type Opened } from "./open.ts";
import type { Style } from "./style.ts";

/** What the prompt is at: a target, whether it is paused, the selected thread and frame. */
export class Session implements Disposable {
  readonly style: Style;
  /** Set by `quit`. */
  ended = false;
  /** Gives up what runs at the prompt; `undefined` where it can only be left to itself. */
  interrupt: (() => void) | undefined;
  #opened: Opened | undefined;
  #pause: Pause | undefined;
  #gone = false;
  #threads: readonly Thread[] | undefined;
  /** The selected thread's id: it keeps its meaning from one pause to the next. */
  #thread: bigint | undefined;
  #frame = 0;
  #frames: readonly Frame[] | undefined;
  /** Warnings of the target that were said. */
  readonly #said = new Set<string>();

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

  /** The target's warnings that were not asked for before. */
  newWarnings(): string[] {
    const news = this.target.warnings.filter((text) => !this.#said.has(text));
    for (const text of news) this.#said.add(text);
    return news;
  }

  /** Lets the target before go, and takes this one. */
  open(opened: Opened): void {
    this.close();
    this.#opened = opened;
    this.#gone = false;
  }

  /** Takes a target that the user's code made. */
  adopt(target: Opened["target"]): void {
    if (target !== this.maybeTarget) this.open(held(target));
  }

  /** Lets the target go; it runs. */
  close(): void {
    const opened = this.#opened;
    this.#opened = undefined;
    this.#pause = undefined;
    this.#thread = undefined;
    this.#said.clear();
    this.forget();
    opened?.[Symbol.dispose]();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  /** Looks at an error for what it says about the target: one that is gone is let go. */
  notice(error: unknown): void {
    if (!(error instanceof TargetGoneError)) return;
    this.close();
    this.#gone = true;
  }

  /** As in `(machpause demo paused) > `, without what needs escaping. */
  get state(): string {
    if (this.#gone) return "gone";
    const target = this.maybeTarget;
    if (target === undefined) return "";
    if (target.kind !== "live") return target.kind;
    return target.paused ? "paused" : "running";
  }

  /** Pauses the target, unless it is. */
  pause(): void {
    if (this.target.paused) return;
    this.#pause = this.target.pause();
    this.forget();
  }

  /** Ends the prompt's own pause. */
  resume(): void {
    if (this.core !== undefined) throw new UserError("nothing runs in a core: it stays as it is");
    if (!this.target.paused) throw new UserError("the target is running");
    const pause = this.#pause;
    this.#pause = undefined;
    this.forget();
    pause?.resume();
    if (this.target.paused) {
      throw new UserError("still paused, by a pause that your own code took: dispose that");
    }
  }

  /** Forgets what was captured, and with it which frame was selected. */
  forget(): void {
    this.#threads = undefined;
    this.#frames = undefined;
    this.#frame = 0;
  }

  /** The threads of the pause. Of a target that runs: those captured last, or now if `fresh`. */
  threads(fresh = false): readonly Thread[] {
    const target = this.target;
    if (target.paused) return target.threads;
    if (fresh) this.forget();
    return this.#threads ??= target.threads;
  }

  /** The selected thread; the first where none is, or the selected one has ended.
   *
   * @throws UserError when there are none, as in a damaged core
   */
  get thread(): Thread {
    const threads = this.threads();
    if (threads.length === 0) throw new UserError("there are no threads");
    return threads.find(({ id }) => id === this.#thread) ?? threads[0];
  }

  /** Selects a thread by its number.
   *
   * @throws UserError when there is none of that number
   */
  selectThread(index: number): void {
    this.#thread = this.threadOf(index).id;
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
    throw new UserError(`no thread ${index}: \`threads\` lists the ${threads.length} there are`);
  }

  /** The selected thread's frames, inlined calls among them. */
  get frames(): readonly Frame[] {
    return this.#frames ??= this.thread.backtrace().expanded;
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

  /** Selects a frame by its number.
   *
   * @throws UserError when there is none of that number
   */
  selectFrame(index: number): void {
    const count = this.frames.length;
    if (index < 0) throw new UserError("this is the innermost frame");
    if (index >= count) throw new UserError(`no frame ${index}: the outermost is ${count - 1}`);
    this.#frame = index;
  }
}
