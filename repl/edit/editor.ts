/** The line editor: keys in, lines out. It is our own because Deno's `node:repl` has no search of the
 * history, no editing of several lines and no bracketed paste, and takes long to load. */
import { escape, safe, type SafeText } from "../../lib/escape.ts";
import { EditBuffer } from "./buffer.ts";
import type { History } from "./history.ts";
import type { Key } from "./keys.ts";
import { drawable, layout, Screen, visiblePart } from "./screen.ts";
import { cut as cutSafe, join, padEnd, trimEnd } from "../view/text.ts";
import { cut, maxWidth, textWidth } from "./width.ts";

/** The possible completions at the cursor. */
export interface Completion {
  /** Where the text that is completed begins. */
  readonly start: number;
  /** Each replaces the text from `start` on. */
  readonly candidates: readonly string[];
  /** The number of candidates that were left out. */
  readonly more?: number;
  /** Follows a single candidate, such as a blank. */
  readonly suffix?: string;
}

/** How the reading of a line ended. */
export type Answer =
  | { readonly kind: "line"; readonly text: string }
  | {
    readonly kind: "interrupt";
    readonly empty: boolean;
    /** Whether Ctrl-C was the first key. */
    readonly first: boolean;
  }
  | { readonly kind: "end" };

/** What the editor needs of its surroundings. */
export interface EditorOptions {
  write(text: SafeText): void;
  size(): { readonly columns: number; readonly rows: number };
  readonly history: History;
  /** The completions at the cursor. */
  complete(text: string, cursor: number): Promise<Completion>;
  /** Whether Enter ends the input; otherwise it begins another line. */
  isComplete(text: string): Promise<boolean>;
  /** Colours text of a kind: `p` is the prompt; the others are those of `highlight`. */
  style?(kind: string, text: SafeText): SafeText;
  /** The kinds of a text's characters, one character for each. */
  highlight?(text: string): string;
  /** The terminal's answer to a question about its colours. */
  answered?(text: string): void;
  /** Ctrl-Z. */
  suspend(): void;
  /** Ctrl-C while no line is being read. */
  interrupt(): void;
  /** Ctrl-\\. */
  quit(): void;
}

/** How one line is read. */
interface Reading {
  prompt: SafeText;
  /** One line without completion and history. */
  readonly plain: boolean;
  readonly resolve: (answer: Answer) => void;
  /** What is chosen from below the line. */
  readonly list?: PickList;
  /** Receives the first key. */
  readonly key?: (name: string) => void;
}

/** Lines of which one is chosen, by typing parts of it. */
interface PickList {
  readonly lines: readonly SafeText[];
  /** The indices of those that fit what is typed, the best first. */
  fitting: readonly number[];
  /** Index in `fitting`. */
  at: number;
}

/** How well a line fits what is typed, whose characters must all occur in order; `undefined` where they do
 * not. Lower is better: characters that follow each other, early ones. */
function unfitness(line: string, query: string): number | undefined {
  const text = line.toLowerCase();
  const whole = text.indexOf(query);
  if (whole >= 0) return whole / 1000;
  let at = -1;
  let gaps = 1;
  for (const character of query) {
    const next = text.indexOf(character, at + 1);
    if (next < 0) return undefined;
    if (next !== at + 1) gaps++;
    at = next;
  }
  return gaps + at / 1000;
}

/** A search in the history. */
interface Search {
  query: string;
  /** The entry found; -1 when none was. */
  index: number;
  /** The text before the search. */
  readonly text: string;
}

/** The candidates that were listed, through which further Tabs go. */
interface Cycle {
  readonly candidates: readonly string[];
  /** The position of the candidate that is in the line. */
  readonly start: number;
  end: number;
  /** The candidate's index; -1 before the first one. */
  at: number;
}

/** The prompt of further lines. */
const more = "| ";

/** A line editor on a terminal in raw mode. */
export class LineEditor {
  readonly #options: EditorOptions;
  readonly #buffer = new EditBuffer();
  readonly #screen: Screen;
  /** What was typed ahead. */
  readonly #keys: Key[] = [];
  #reading: Reading | undefined;
  #search: Search | undefined;
  /** The index of the history's entry that is shown; the history's length for the line being typed. */
  #entry = 0;
  /** The line being typed, while the history is browsed. */
  #typed = "";
  /** The candidates that further Tabs go through. */
  #cycle: Cycle | undefined;
  #pumping = false;
  #ended = false;
  /** Whether a key was pressed since the reading began. */
  #touched = false;
  /** Whether the next Tab lists the candidates: the last one had nothing to insert. */
  #listNext = false;

  constructor(options: EditorOptions) {
    this.#options = options;
    this.#screen = new Screen((text) => options.write(text));
  }

  /** Reads until Enter, Ctrl-C or Ctrl-D.
   *
   * @param plain whether it is one line, without completion and history
   */
  read(prompt: SafeText, plain = false): Promise<Answer> {
    const { promise, resolve } = Promise.withResolvers<Answer>();
    this.#reading = { prompt, plain, resolve };
    this.#buffer.reset();
    this.#search = undefined;
    this.#entry = -1;
    this.#cycle = undefined;
    this.#touched = false;
    this.#draw();
    if (this.#ended && this.#keys.length === 0) this.#answer({ kind: "end" });
    else this.#pump();
    return promise;
  }

  /** Has one of some lines chosen, by typing parts of it and by Up and Down.
   *
   * @returns its index; `undefined` when none was
   */
  async pick(prompt: SafeText, lines: readonly SafeText[]): Promise<number | undefined> {
    const { promise, resolve } = Promise.withResolvers<Answer>();
    const list: PickList = { lines, fitting: lines.map((_, index) => index), at: 0 };
    this.#reading = { prompt, plain: true, resolve, list };
    this.#buffer.reset();
    this.#search = undefined;
    this.#draw();
    if (this.#ended && this.#keys.length === 0) this.#answer({ kind: "end" });
    else this.#pump();
    return (await promise).kind === "line" ? list.fitting[list.at] : undefined;
  }

  /** Waits for one key; Ctrl-C and the end of the input are `ctrl-c`.
   *
   * @param prompt is shown meanwhile
   */
  async key(prompt: SafeText): Promise<string> {
    const { promise, resolve } = Promise.withResolvers<Answer>();
    let pressed = "ctrl-c";
    this.#reading = { prompt, plain: true, resolve, key: (name) => pressed = name };
    this.#buffer.reset();
    this.#search = undefined;
    this.#draw();
    if (this.#ended && this.#keys.length === 0) this.#answer({ kind: "end" });
    else this.#pump();
    await promise;
    return pressed;
  }

  /** Takes a character as if it had been typed next. */
  unread(text: string): void {
    this.#keys.unshift({ name: "text", text });
  }

  /** Forgets blanks that were typed ahead: they were meant for what was shown by screenfuls. */
  skipBlanks(): void {
    while (this.#keys[0]?.name === "text" && /^ +$/.test(this.#keys[0].text)) this.#keys.shift();
  }

  /** Whether something was typed ahead. */
  get hasKeys(): boolean {
    return this.#keys.length > 0;
  }

  /** Handles a key while something is chosen.
   *
   * @returns whether the key does nothing else
   */
  #pressInList(key: Key, list: PickList): boolean {
    const steps: Readonly<Record<string, number>> = {
      "up": -1,
      "ctrl-p": -1,
      "shift-tab": -1,
      "down": 1,
      "ctrl-n": 1,
      "tab": 1,
    };
    const step = steps[key.name];
    if (step === undefined) return false;
    const count = list.fitting.length;
    if (count > 0) list.at = (list.at + step + count) % count;
    return true;
  }

  #filter(list: PickList): void {
    const query = this.#buffer.text.trim().toLowerCase();
    list.fitting = list.lines.map((line, index) => ({ index, value: unfitness(line, query) }))
      .filter(({ value }) => value !== undefined)
      .sort((a, b) => a.value! - b.value! || a.index - b.index).map(({ index }) => index);
    list.at = 0;
  }

  /** Takes keys that were typed. */
  feed(keys: readonly Key[]): void {
    for (const key of keys) {
      if (key.name === "ctrl-backslash") this.#options.quit();
      else if (key.name === "answer") this.#options.answered?.(key.text);
      else if (this.#reading === undefined && key.name === "ctrl-c") {
        // What was typed ahead was meant to follow what is interrupted.
        this.#keys.length = 0;
        this.#options.interrupt();
      } else if (this.#reading === undefined && key.name === "ctrl-z") this.#options.suspend();
      else this.#keys.push(key);
    }
    this.#pump();
  }

  /** Ends the input: the terminal is gone. */
  end(): void {
    this.#ended = true;
    if (!this.#pumping && this.#keys.length === 0) this.#answer({ kind: "end" });
  }

  /** Changes the prompt of the line being edited. */
  set prompt(text: SafeText) {
    if (this.#reading === undefined || this.#reading.plain) return;
    this.#reading.prompt = text;
    this.#draw();
  }

  /** Whether the terminal is gone. */
  get ended(): boolean {
    return this.#ended;
  }

  /** Prints above the line that is being edited. */
  above(print: () => void): void {
    const reading = this.#reading !== undefined;
    if (reading) this.#screen.erase();
    print();
    if (reading) this.#draw();
  }

  /** Draws again.
   *
   * @param below whether below what another program has written; otherwise in place, as the terminal
   * has another size
   */
  redraw(below = false): void {
    if (this.#reading === undefined) return;
    if (below) this.#screen.forget();
    else this.#screen.erase(this.#options.size().columns);
    this.#draw();
  }

  #draw(): void {
    const reading = this.#reading;
    if (reading === undefined) return;
    const { columns, rows } = this.#options.size();
    let prompt: string = reading.prompt;
    let { text, cursor } = this.#buffer;
    if (this.#search !== undefined) {
      const { query, index } = this.#search;
      prompt = `(${index < 0 && query !== "" ? "no " : ""}history: ${query}) `;
      text = index < 0 ? this.#search.text : this.#options.history.entries[index];
      cursor = Math.max(0, text.indexOf(query));
    }
    // A prompt that leaves no room for input is cut at its front; a question is not.
    const room = Math.max(2, columns - 20);
    if (!reading.plain && textWidth(prompt) > room) prompt = `…${prompt.slice(-room + 1)}`;
    const kinds = reading.plain ? "" : this.#options.highlight?.(text) ?? "";
    const shown = layout({ prompt, more, text: drawable(text), kinds, cursor, columns });
    const { list } = reading;
    if (list !== undefined) {
      const room = Math.max(1, rows - 3);
      const first = Math.max(0, list.at - room + 1);
      const listed = list.fitting.slice(first, first + room).map((index, at) =>
        cut(`${first + at === list.at ? "> " : "  "}${list.lines[index]}`, columns - 1)
      );
      const kinds = listed.map((line, at) =>
        (first + at === list.at ? "c" : " ").repeat(line.length)
      );
      this.#screen.draw({
        ...shown,
        rows: [...shown.rows, ...listed],
        kinds: [...shown.kinds ?? [], ...kinds],
      }, this.#options.style);
      return;
    }
    this.#screen.draw(visiblePart(shown, rows), this.#options.style);
  }

  async #pump(): Promise<void> {
    if (this.#pumping) return;
    this.#pumping = true;
    try {
      while (this.#reading !== undefined && this.#keys.length > 0) {
        const key = this.#keys.shift()!;
        try {
          await this.#press(key);
        } catch (error) {
          // A failed completion completes nothing.
          if (!(error instanceof Error)) throw error;
        }
        if (this.#keys.length === 0) this.#draw();
      }
    } finally {
      this.#pumping = false;
    }
    if (this.#ended && this.#keys.length === 0) this.#answer({ kind: "end" });
  }

  /** Ends the reading. */
  #answer(answer: Answer): void {
    const reading = this.#reading;
    if (reading === undefined) return;
    this.#search = undefined;
    this.#buffer.cursor = this.#buffer.text.length;
    // A list is removed from the screen.
    const stays = reading.list === undefined && reading.key === undefined;
    if (stays) this.#draw();
    else this.#screen.erase();
    this.#reading = undefined;
    if (stays) this.#screen.leave();
    if (answer.kind === "line" && !reading.plain) this.#options.history.add(answer.text);
    reading.resolve(answer);
  }

  async #press(key: Key): Promise<void> {
    const touched = this.#touched;
    this.#touched = true;
    const { key: take } = this.#reading!;
    if (take !== undefined) {
      if (key.name === "ctrl-z") return this.#options.suspend();
      // Keys that are pressed fast come together.
      const [first, ...others] = key.text;
      if (key.name === "text" && others.length > 0) {
        this.#keys.unshift({ name: "text", text: others.join("") });
      }
      take(key.name === "text" ? first : key.name);
      return this.#answer({ kind: "line", text: "" });
    }
    if (this.#search !== undefined && this.#pressInSearch(key)) return;
    const listing = this.#listNext;
    this.#listNext = false;
    if (this.#cycle !== undefined && (key.name === "tab" || key.name === "shift-tab")) {
      return this.#goThrough(this.#cycle, key.name === "tab" ? 1 : -1);
    }
    this.#cycle = undefined;
    const buffer = this.#buffer;
    const list = this.#reading!.list;
    if (list !== undefined && this.#pressInList(key, list)) return;
    const edit = edits[key.name];
    if (edit !== undefined || key.name === "text") {
      if (edit === undefined) buffer.insert(key.text);
      else edit(buffer);
      if (list !== undefined) this.#filter(list);
      return;
    }
    switch (key.name) {
      case "paste":
        // What is pasted does not run until Enter is pressed.
        return buffer.insert(
          this.#reading!.plain ? key.text.split("\n", 1)[0] : key.text.replace(/\n$/, ""),
        );
      case "enter":
        if (this.#reading!.plain || await this.#isComplete()) {
          return this.#answer({ kind: "line", text: buffer.text });
        }
        buffer.cursor = buffer.text.length;
        return buffer.insert("\n");
      case "alt-enter":
        return buffer.insert("\n");
      case "tab":
        return await this.#complete(listing);
      case "ctrl-c":
        return this.#answer({
          kind: "interrupt",
          empty: buffer.text.trim() === "",
          first: !touched,
        });
      case "ctrl-d":
        if (buffer.text === "") return this.#answer({ kind: "end" });
        return buffer.replace(buffer.cursor, buffer.after, "");
      case "ctrl-l":
        this.#options.write(safe`\x1b[H\x1b[2J`);
        return this.#screen.forget();
      case "ctrl-r":
        if (this.#reading!.plain) return;
        this.#search = { query: "", index: -1, text: buffer.text };
        return;
      case "ctrl-z":
        return this.#options.suspend();
      case "up":
      case "ctrl-p":
        if (!buffer.moveLine(-1)) this.#browse(-1);
        return;
      case "down":
      case "ctrl-n":
        if (!buffer.moveLine(1)) this.#browse(1);
        return;
    }
  }

  async #isComplete(): Promise<boolean> {
    return await this.#options.isComplete(this.#buffer.text);
  }

  /** Shows an older or a newer entry of the history: of those that begin with what was typed, where some do. */
  #browse(direction: -1 | 1): void {
    if (this.#reading!.plain) return;
    const { entries } = this.#options.history;
    if (this.#entry < 0) this.#entry = entries.length;
    if (this.#entry === entries.length) this.#typed = this.#buffer.text;
    const typed = this.#typed;
    const known = typed.trim() !== "" && entries.some((entry) => entry.startsWith(typed));
    const fits = (entry: string) =>
      !known || entry.startsWith(typed) && entry !== this.#buffer.text;
    let next = this.#entry + direction;
    while (next >= 0 && next < entries.length && !fits(entries[next])) next += direction;
    if (next < 0 || next > entries.length) return;
    this.#entry = next;
    this.#buffer.set(entries[next] ?? this.#typed);
  }

  /** Puts the next candidate in the place of the last one. */
  #goThrough(cycle: Cycle, direction: -1 | 1): void {
    const { candidates, start } = cycle;
    const count = candidates.length;
    cycle.at = (cycle.at + direction + count + (cycle.at < 0 && direction < 0 ? 1 : 0)) % count;
    const next = candidates[cycle.at];
    this.#buffer.replace(start, cycle.end, next);
    cycle.end = start + next.length;
  }

  /** Handles a key while the history is searched.
   *
   * @returns whether the key does nothing else
   */
  #pressInSearch(key: Key): boolean {
    const search = this.#search!;
    const { history } = this.#options;
    const find = (query: string, before: number) => {
      search.query = query;
      const found = query === "" ? -1 : history.search(query, before);
      // The last match stays where there is no older one.
      if (found >= 0 || !history.entries[search.index]?.includes(query)) search.index = found;
    };
    switch (key.name) {
      case "text":
        find(search.query + key.text, search.index < 0 ? Infinity : search.index + 1);
        return true;
      case "paste":
        find(search.query + key.text.split("\n", 1)[0], Infinity);
        return true;
      case "backspace":
        search.index = -1;
        find([...search.query].slice(0, -1).join(""), Infinity);
        return true;
      case "ctrl-r":
        if (search.query !== "") find(search.query, search.index < 0 ? Infinity : search.index);
        return true;
      case "ctrl-c":
      case "ctrl-g":
        this.#search = undefined;
        return true;
      default:
        // Any other key takes the match and acts on it.
        this.#search = undefined;
        if (search.index >= 0) this.#buffer.set(history.entries[search.index]);
        return key.name === "escape";
    }
  }

  async #complete(listing: boolean): Promise<void> {
    if (this.#reading!.plain) return;
    const buffer = this.#buffer;
    const { text, cursor } = buffer;
    // Tab at the beginning of a further line indents it.
    if (text.slice(0, cursor).trim() === "" && text.includes("\n")) return buffer.insert("  ");
    const { start, candidates, more = 0, suffix = "" } = await this.#options.complete(text, cursor);
    if (candidates.length === 0) return;
    const known = text.slice(start, cursor);
    const common = commonPrefix(candidates);
    if (candidates.length === 1 && more === 0) {
      const [only] = candidates;
      // The path continues after a folder.
      const after = cursor === text.length && !only.endsWith("/") ? suffix : "";
      return buffer.replace(start, cursor, only + after);
    }
    if (common.length > known.length) {
      buffer.replace(start, cursor, common);
      this.#listNext = true;
      return;
    }
    if (!listing && candidates.length > 20) {
      // A list that fills the screen needs a second Tab.
      this.#listNext = true;
      return;
    }
    this.#cycle = { start, end: cursor, candidates, at: -1 };
    const lines = this.#listed(candidates, more);
    this.above(() => {
      for (const line of lines) this.#options.write(safe`${line}\n`);
    });
  }

  /** Candidates in columns, up to a screenful. */
  #listed(candidates: readonly string[], more: number): SafeText[] {
    const { columns, rows } = this.#options.size();
    const names = candidates.map((name) => cutSafe(escape(name), columns - 1));
    const width = Math.min(columns, maxWidth(names) + 2);
    const perRow = Math.max(1, Math.floor(columns / width));
    const shown = names.slice(0, perRow * Math.max(1, rows - 4));
    const lines: SafeText[] = [];
    const height = Math.ceil(shown.length / perRow);
    for (let row = 0; row < height; row++) {
      const cells = shown.filter((_, at) => at % height === row);
      lines.push(trimEnd(join(cells.map((cell) => padEnd(cell, width)))));
    }
    const left = candidates.length - shown.length + more;
    if (left > 0) lines.push(safe`(${left} more)`);
    return lines;
  }
}

/** The longest common prefix. */
function commonPrefix(texts: readonly string[]): string {
  let [prefix] = texts;
  for (const text of texts) {
    while (!text.startsWith(prefix)) prefix = prefix.slice(0, -1);
  }
  return prefix;
}

/** The keys that change the text or move in it, as in emacs and shells. */
const edits: Readonly<Record<string, ((buffer: EditBuffer) => void) | undefined>> = {
  "left": (buffer) => void (buffer.cursor = buffer.before),
  "ctrl-b": (buffer) => void (buffer.cursor = buffer.before),
  "right": (buffer) => void (buffer.cursor = buffer.after),
  "ctrl-f": (buffer) => void (buffer.cursor = buffer.after),
  "word-left": (buffer) => void (buffer.cursor = buffer.wordStart),
  "alt-b": (buffer) => void (buffer.cursor = buffer.wordStart),
  "word-right": (buffer) => void (buffer.cursor = buffer.wordEnd),
  "alt-f": (buffer) => void (buffer.cursor = buffer.wordEnd),
  "home": (buffer) => void (buffer.cursor = buffer.lineStart),
  "ctrl-a": (buffer) => void (buffer.cursor = buffer.lineStart),
  "end": (buffer) => void (buffer.cursor = buffer.lineEnd),
  "ctrl-e": (buffer) => void (buffer.cursor = buffer.lineEnd),
  "backspace": (buffer) => buffer.replace(buffer.before, buffer.cursor, ""),
  "delete": (buffer) => buffer.replace(buffer.cursor, buffer.after, ""),
  "alt-backspace": (buffer) => buffer.kill(buffer.wordStart),
  "alt-d": (buffer) => buffer.kill(buffer.wordEnd),
  "ctrl-w": (buffer) => buffer.kill(buffer.blankStart),
  "ctrl-u": (buffer) => buffer.kill(buffer.lineStart),
  "ctrl-k": (buffer) => buffer.kill(buffer.lineEnd),
  "ctrl-y": (buffer) => buffer.yank(),
  "undo": (buffer) => buffer.undo(),
};
