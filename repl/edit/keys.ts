/** Decodes what a terminal sends into keys. */

/** A key, or a piece of text. */
export interface Key {
  /** `text`, `paste`, `answer` to a question of the terminal's, or the key's name: `enter`, `ctrl-a`, `alt-b`, `word-left`… */
  readonly name: string;
  /** What was typed or pasted; empty for keys. */
  readonly text: string;
}

/** The final character of `ESC [ … x` and `ESC O x`, as xterm sends them. */
const finals: Readonly<Record<string, string>> = {
  A: "up",
  B: "down",
  C: "right",
  D: "left",
  F: "end",
  H: "home",
  P: "f1",
  Z: "shift-tab",
};

/** The number of `ESC [ n ~`, as VT220 and rxvt send it. */
const tildes: Readonly<Record<string, string>> = {
  "1": "home",
  "3": "delete",
  "4": "end",
  "5": "page-up",
  "6": "page-down",
  "7": "home",
  "8": "end",
};

/** The control characters that are keys with names. */
const controls: Readonly<Record<string, string>> = {
  "\r": "enter",
  "\n": "enter",
  "\t": "tab",
  "\x7f": "backspace",
  "\b": "backspace",
  "\x1c": "ctrl-backslash",
  "\x1f": "undo",
};

const pasteStart = "\x1b[200~";
const pasteEnd = "\x1b[201~";

const none = "";

/** Splits the stream of a terminal's input into keys. Sequences and pastes may come in parts. */
export class KeyReader {
  #pending = "";

  /** Whether a sequence is incomplete; so is a lone Escape key. */
  get waiting(): boolean {
    return this.#pending !== "" && !this.#pending.startsWith(pasteStart);
  }

  /** Takes input; the keys that are complete now.
   *
   * @param final whether nothing follows soon, so that a pending Escape is the key
   */
  read(input: string, final = false): Key[] {
    let rest = this.#pending + input;
    const keys: Key[] = [];
    while (rest !== "") {
      const taken = this.#take(rest, final);
      if (taken === undefined) break;
      const [key, length] = taken;
      if (key !== undefined) keys.push(key);
      rest = rest.slice(length);
    }
    this.#pending = rest;
    return keys;
  }

  /** The first key of `text` and its length; `undefined` when it is incomplete. */
  #take(text: string, final: boolean): [Key | undefined, number] | undefined {
    if (text.startsWith(pasteStart)) {
      const end = text.indexOf(pasteEnd);
      if (end < 0) return undefined;
      const pasted = text.slice(pasteStart.length, end).replace(/\r\n?/g, "\n");
      return [{ name: "paste", text: pasted }, end + pasteEnd.length];
    }
    if (text[0] === "\x1b") return escapeSequence(text, final);
    // deno-lint-ignore no-control-regex
    const plain = /^[^\x00-\x1f\x7f]+/.exec(text)?.[0];
    if (plain !== undefined) return [{ name: "text", text: plain }, plain.length];
    const code = text.charCodeAt(0);
    const name = controls[text[0]] ??
      (code === 0 ? "ctrl-space" : `ctrl-${String.fromCharCode(code + 0x60)}`);
    return [{ name, text: none }, 1];
  }
}

function escapeSequence(text: string, final: boolean): [Key | undefined, number] | undefined {
  // The answer to an OSC question, ended by BEL or ST.
  // deno-lint-ignore no-control-regex
  const answer = /^\x1b\](\d+;[^\x07\x1b]{0,200})(?:\x07|\x1b\\)/.exec(text);
  if (answer !== null) return [{ name: "answer", text: answer[1] }, answer[0].length];
  // deno-lint-ignore no-control-regex
  if (!final && /^\x1b\](?:\d+(?:;[^\x07\x1b]{0,200}\x1b?)?)?$/.test(text)) return undefined;
  // deno-lint-ignore no-control-regex
  const csi = /^\x1b(?:\[([\d;?<]*)([A-Za-z~])|O([A-Z]))/.exec(text);
  if (csi !== null) {
    const [whole, parameters = "", letter, ss3] = csi;
    const [number, modifier = "1"] = parameters.split(";");
    const name = letter === "~" ? tildes[number] : finals[ss3 ?? letter];
    if (name === undefined) return [undefined, whole.length];
    // The modifier is 1 + the sum of 1 (Shift), 2 (Alt) and 4 (Control).
    const jump = (name === "left" || name === "right") && Number(modifier) >= 3;
    return [{ name: jump ? `word-${name}` : name, text: none }, whole.length];
  }
  // deno-lint-ignore no-control-regex
  if (!final && /^\x1b(?:\[[\d;?<]*|O)?$/.test(text)) return undefined;
  if (text.length > 1 && text[1] !== "\x1b" && text[1] !== "[" && text[1] !== "O") {
    const character = String.fromCodePoint(text.codePointAt(1)!);
    const name = controls[character] ?? character.toLowerCase();
    return [{ name: `alt-${name}`, text: none }, 1 + character.length];
  }
  return [{ name: "escape", text: none }, 1];
}
