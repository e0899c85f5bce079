/** The text being typed, and the cursor in it. */

/** A surrogate counts too: letters and emoji beyond the first plane. */
const wordCharacter = /[\p{L}\p{N}_$\ud800-\udfff]/u;

/** A state to go back to. */
interface State {
  readonly text: string;
  readonly cursor: number;
}

/** Maximum number of steps to undo. */
const maxUndo = 200;

/** The text being edited; it may have several lines. */
export class EditBuffer {
  text = "";
  /** An index into `text`, never inside a surrogate pair. */
  cursor = 0;
  /** The text that `yank` inserts. */
  #killed = "";
  readonly #undo: State[] = [];

  /** Replaces the text; the cursor goes to its end. */
  set(text: string): void {
    this.#remember();
    this.text = text;
    this.cursor = text.length;
  }

  /** Empties the text and forgets its states. */
  reset(): void {
    this.text = "";
    this.cursor = 0;
    this.#undo.length = 0;
  }

  /** Inserts text at the cursor. */
  insert(text: string): void {
    this.replace(this.cursor, this.cursor, text);
  }

  /** Replaces the text from `start` to `end`; the cursor goes after what is inserted. */
  replace(start: number, end: number, text: string): void {
    this.#remember();
    this.text = this.text.slice(0, start) + text + this.text.slice(end);
    this.cursor = start + text.length;
  }

  /** Cuts the text between the cursor and `end`. */
  kill(end: number): void {
    const [from, to] = end < this.cursor ? [end, this.cursor] : [this.cursor, end];
    if (from === to) return;
    this.#killed = this.text.slice(from, to);
    this.replace(from, to, "");
  }

  /** Inserts the text that was cut last. */
  yank(): void {
    this.insert(this.#killed);
  }

  /** Undoes the last change. */
  undo(): void {
    const state = this.#undo.pop();
    if (state === undefined) return;
    this.text = state.text;
    this.cursor = state.cursor;
  }

  #remember(): void {
    const last = this.#undo.at(-1);
    if (last?.text === this.text) return;
    this.#undo.push({ text: this.text, cursor: this.cursor });
    if (this.#undo.length > maxUndo) this.#undo.shift();
  }

  /** The start of the character before the cursor. */
  get before(): number {
    const pair = /[\ud800-\udbff][\udc00-\udfff]$/.test(this.text.slice(0, this.cursor));
    return Math.max(0, this.cursor - (pair ? 2 : 1));
  }

  /** The end of the character at the cursor. */
  get after(): number {
    const pair = /^[\ud800-\udbff][\udc00-\udfff]/.test(this.text.slice(this.cursor));
    return Math.min(this.text.length, this.cursor + (pair ? 2 : 1));
  }

  /** Where the word before the cursor begins. */
  get wordStart(): number {
    let at = this.cursor;
    while (at > 0 && !wordCharacter.test(this.text[at - 1])) at--;
    while (at > 0 && wordCharacter.test(this.text[at - 1])) at--;
    return at;
  }

  /** Where the word after the cursor ends. */
  get wordEnd(): number {
    let at = this.cursor;
    while (at < this.text.length && !wordCharacter.test(this.text[at])) at++;
    while (at < this.text.length && wordCharacter.test(this.text[at])) at++;
    return at;
  }

  /** Where the blank-separated word before the cursor begins. */
  get blankStart(): number {
    return this.text.slice(0, this.cursor).replace(/\S*\s*$/, "").length;
  }

  /** Where the cursor's line begins. */
  get lineStart(): number {
    return this.text.lastIndexOf("\n", this.cursor - 1) + 1;
  }

  /** Where the cursor's line ends. */
  get lineEnd(): number {
    const end = this.text.indexOf("\n", this.cursor);
    return end < 0 ? this.text.length : end;
  }

  /** Moves to the line above or below.
   *
   * @returns whether there was one
   */
  moveLine(direction: -1 | 1): boolean {
    const column = this.cursor - this.lineStart;
    if (direction < 0 ? this.lineStart === 0 : this.lineEnd === this.text.length) return false;
    this.cursor = direction < 0 ? this.lineStart - 1 : this.lineEnd + 1;
    this.cursor = Math.min(this.lineStart + column, this.lineEnd);
    return true;
  }
}
