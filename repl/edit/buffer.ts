/** The text being typed, and the cursor in it. */

/** Half of a character beyond the first plane counts too: letters and emoji. */
const wordCharacter = /[\p{L}\p{N}_$\ud800-\udfff]/u;

/** What is kept to undo. */
interface State {
  readonly text: string;
  readonly cursor: number;
}

/** More steps than anybody undoes. */
const maxUndo = 200;

/** Text under edit. It may have several lines. */
export class EditBuffer {
  text = "";
  /** An index into `text`, never inside a surrogate pair. */
  cursor = 0;
  /** What was cut last, for `yank`. */
  #killed = "";
  readonly #undo: State[] = [];

  /** Replaces everything; the cursor goes to the end. */
  set(text: string): void {
    this.#remember();
    this.text = text;
    this.cursor = text.length;
  }

  /** Empty, with nothing to undo. */
  reset(): void {
    this.text = "";
    this.cursor = 0;
    this.#undo.length = 0;
  }

  /** Puts text where the cursor is. */
  insert(text: string): void {
    this.replace(this.cursor, this.cursor, text);
  }

  /** Puts text in the place of what is from `start` to `end`; the cursor goes after it. */
  replace(start: number, end: number, text: string): void {
    this.#remember();
    this.text = this.text.slice(0, start) + text + this.text.slice(end);
    this.cursor = start + text.length;
  }

  /** Cuts from the cursor to `end`, or from `end` to the cursor. */
  kill(end: number): void {
    const [from, to] = end < this.cursor ? [end, this.cursor] : [this.cursor, end];
    if (from === to) return;
    this.#killed = this.text.slice(from, to);
    this.replace(from, to, "");
  }

  /** Puts back what was cut last. */
  yank(): void {
    this.insert(this.#killed);
  }

  /** Takes back the last change. */
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

  /** Where what is between blanks and ends at the cursor begins. */
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
