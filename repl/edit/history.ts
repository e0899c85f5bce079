/** What was typed before, in this session and in earlier ones. */

/** So many entries are kept; the file is shortened when it has twice as many. */
const maxEntries = 5000;

/** The lines typed so far, the latest last. With a file they outlive the session: one JSON string a
 * line, since an entry may have several lines. */
export class History {
  readonly #path: string | undefined;
  #entries: string[] | undefined;

  /** @param path of the file; without one nothing is kept */
  constructor(path?: string) {
    this.#path = path;
  }

  /** All entries, the latest last. Read when first asked for: the prompt does not wait for them. */
  get entries(): readonly string[] {
    return this.#entries ??= this.#load();
  }

  /** Adds what was typed, unless it is blank or the same as the last; at once, so that a session that
   * is killed has its history too. */
  add(text: string): void {
    if (text.trim() === "" || text === this.entries.at(-1)) return;
    this.#entries!.push(text);
    if (this.#path === undefined) return;
    try {
      Deno.writeTextFileSync(this.#path, JSON.stringify(text) + "\n", {
        append: true,
        mode: 0o600,
      });
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) return;
      this.#create(JSON.stringify(text) + "\n");
    }
  }

  /** The latest entry before `index` with `query` in it; -1 when there is none. */
  search(query: string, index: number): number {
    for (let at = Math.min(index, this.entries.length) - 1; at >= 0; at--) {
      if (this.entries[at].includes(query)) return at;
    }
    return -1;
  }

  #load(): string[] {
    if (this.#path === undefined) return [];
    let text: string;
    try {
      text = Deno.readTextFileSync(this.#path);
    } catch {
      return [];
    }
    const entries: string[] = [];
    for (const line of text.split("\n")) {
      // Two sessions may have written at once; a line that got torn is left out.
      if (!/^".*"$/.test(line)) continue;
      try {
        entries.push(JSON.parse(line));
      } catch {
        continue;
      }
    }
    if (entries.length > 2 * maxEntries) {
      entries.splice(0, entries.length - maxEntries);
      this.#create(entries.map((entry) => JSON.stringify(entry) + "\n").join(""));
    }
    return entries.slice(-maxEntries);
  }

  /** Writes the whole file. A history that cannot be kept is no reason to disturb. */
  #create(text: string): void {
    try {
      Deno.mkdirSync(this.#path!.slice(0, this.#path!.lastIndexOf("/")), { recursive: true });
      Deno.writeTextFileSync(this.#path!, text, { mode: 0o600 });
    } catch {
      return;
    }
  }
}

/** Where the history is kept: `machpause/history` in `$XDG_STATE_HOME` or `~/.local/state`;
 * `undefined` where there is no such place. */
export function historyPath(): string | undefined {
  const home = Deno.env.get("HOME");
  const state = Deno.env.get("XDG_STATE_HOME") || (home && `${home}/.local/state`);
  return state ? `${state}/machpause/history` : undefined;
}
