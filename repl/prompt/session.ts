import type {
  CoreTarget,
  Frame,
  LiveTarget,
  Pause,
  Symbol as ImageSymbol,
  Thread,
} from "../../mod.ts";
import { TargetGoneError } from "../../lib/errors.ts";
import { escape } from "../../lib/escape.ts";
import { History } from "../edit/history.ts";
import { UserError } from "../errors.ts";
import type { Layout } from "../view/layout.ts";
import { held, type Opened } from "./open.ts";
import { printLines, write } from "../view/output.ts";
import type { Style } from "../view/style.ts";
import { nobody, type Ui } from "./ui.ts";

/** Of a shorter run it cannot be told what threads did in it: in milliseconds. */
const shortRun = 50;

/** What the prompt is at: a target, whether it is paused, the selected thread and frame. */
export class Session implements Disposable {
  style: Style;
  /** Who is before the screen. */
  ui: Ui = nobody;
  /** Prints what the user's code says, which has been made safe. */
  out: (text: string, complains: boolean) => void = (text, complains) =>
    write(complains ? Deno.stderr : Deno.stdout, text);
  /** Changes need not be asked for. */
  assumeYes = false;
  /** What was typed, in this session and before. */
  history: History = new History();
  /** What was typed in this session. */
  readonly typed: string[] = [];
  /** Where folders of sources are now. */
  readonly sourceMap: [from: string, to: string][] = [];
  /** Layouts that were declared. */
  readonly structs: Map<string, Layout> = new Map();
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
  /** When the target was let run, and how much each thread had used of a CPU then. */
  #resumed: { readonly at: number; readonly used: ReadonlyMap<bigint, bigint> } | undefined;
  /** How long it then ran, in milliseconds. */
  #ran = 0;
  /** Warnings of the target that were said. */
  readonly #said = new Set<string>();
  #demangle: ((name: string) => string) | undefined;
  readonly #context: Readonly<Record<string, unknown>>;
  #ready: Promise<void> | undefined;
  #hide: (() => void) | undefined;

  /** @param context what an embedding program adds to the global scope */
  constructor(style: Style, context: Readonly<Record<string, unknown>> = {}) {
    this.style = style;
    this.#context = context;
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
    const pause = this.#pause;
    this.#opened = undefined;
    this.#pause = undefined;
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

  /** Puts the API and what the session is at into the global scope, once. */
  ready(): Promise<void> {
    return this.#ready ??= import("./globals.ts").then(({ exposeGlobals }) => {
      this.#hide = exposeGlobals(this, this.#context);
    });
  }

  /** Leaves the global scope as it was. */
  hide(): void {
    this.#hide?.();
    this.#hide = undefined;
    this.#ready = undefined;
  }

  /** Loads what makes mangled names readable. */
  async loadDemangler(): Promise<void> {
    if (this.#demangle !== undefined) return;
    const { demangle, loadDemangler } = await import("../../mod.ts");
    // From a file it loads by itself when it is needed.
    if (!import.meta.url.startsWith("file:")) await loadDemangler();
    this.#demangle = demangle;
  }

  /** A readable name of a mangled one; not safe to print raw. */
  demangle(name: string): string {
    return this.#demangle?.(name) ?? name;
  }

  /** A symbol and an offset as text, safe to print. */
  place(symbol: ImageSymbol, offset: number): string {
    const name = escape(this.demangle(symbol.name));
    return offset === 0 ? name : `${name} + ${offset}`;
  }

  /** What is at an address, as text that is safe to print; `undefined` where nothing is known. */
  describe(address: bigint): string | undefined {
    const { image, symbol, offset } = this.target.resolve(address);
    if (image === null) return undefined;
    return symbol === null
      ? `${escape(image.name)} + 0x${offset.toString(16)}`
      : this.place(symbol, offset);
  }

  /** Prints at once, before a command is done. */
  say(lines: readonly string[]): void {
    printLines(lines);
  }

  /** Runs TypeScript; its value as lines. */
  async evaluate(code: string): Promise<readonly string[]> {
    const { evaluateLines } = await import("./interpreter.ts");
    return await evaluateLines(this, code);
  }

  /** A value as lines; a string as it is, but safe. */
  async shown(value: unknown): Promise<readonly string[]> {
    if (value === undefined) return [];
    if (typeof value === "string") return value.split("\n").map(escape);
    const { show } = await import("./evaluate.ts");
    return show(value).split("\n");
  }

  /** Runs a file: a module, or lines as they are typed. */
  async load(file: string): Promise<readonly string[]> {
    const { loadFile } = await import("./interpreter.ts");
    return await loadFile(this, file);
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

  /** Asks a target that runs for a sign of life, so that the prompt says what is so.
   *
   * @throws TargetGoneError when there is none
   */
  checkAlive(): void {
    const target = this.maybeTarget as Partial<LiveTarget> | undefined;
    if (target?.kind === "live" && !target.paused) void target.initialized;
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
    this.#ran = this.#resumed === undefined ? 0 : performance.now() - this.#resumed.at;
    this.forget();
  }

  /** The share of a CPU that a thread of the pause used since the target was last resumed; what the
   * system says, where it was not or only just. */
  cpuUsage(thread: Thread): number {
    const before = this.#resumed?.used.get(thread.id);
    if (before === undefined || this.#ran < shortRun) return thread.cpuUsage;
    const used = Number(thread.userTime + thread.systemTime - before) / 1e6;
    return Math.min(1, Math.max(0, used / this.#ran));
  }

  /** Ends the prompt's own pause. */
  resume(): void {
    if (this.core !== undefined) throw new UserError("nothing runs in a core: it stays as it is");
    if (!this.target.paused) throw new UserError("the target is running");
    const pause = this.#pause;
    const used = this.target.threads.map((thread): [bigint, bigint] => [
      thread.id,
      thread.userTime + thread.systemTime,
    ]);
    this.#resumed = { at: performance.now(), used: new Map(used) };
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

  /** Whether threads are known without stopping the target. */
  get captured(): boolean {
    const target = this.maybeTarget;
    return target !== undefined &&
      (target.paused || target.kind === "core" || this.#threads !== undefined);
  }

  /** Looks anew at the selected thread: its registers or its stack were written. */
  reselect(): void {
    this.#frames = undefined;
    if (!this.captured) return;
    this.#frame = Math.min(this.#frame, Math.max(0, this.frames.length - 1));
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
  }
}
