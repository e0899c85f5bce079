/** What was typed before, in this session and in earlier ones. */
import { files } from "../../ffi/files.ts";
import { stateDirectory } from "../../ffi/user_folders.ts";
import { MAX_SIZE, readPlainFile } from "../input.ts";

/** Maximum number of entries. The file is shortened when it has twice as many. */
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

  /** All entries, the latest last. They are read when first used: the prompt does not wait for them. */
  get entries(): readonly string[] {
    return this.#entries ??= this.#load();
  }

  /** Adds what was typed, unless it is blank or equal to the last entry. The file is written at once, so
   * that it survives a kill. */
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

  /** The index of the latest entry before `index` that contains `query`; -1 when there is none. */
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
      text = new TextDecoder().decode(readPlainFile(this.#path, MAX_SIZE.commands));
    } catch {
      return [];
    }
    const entries: string[] = [];
    for (const line of text.split("\n")) {
      // Two sessions may have written at once: a torn line is left out.
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

  /** Writes the whole file. Failure is ignored: the prompt works without a history file. */
  #create(text: string): void {
    try {
      Deno.mkdirSync(this.#path!.slice(0, this.#path!.lastIndexOf("/")), { recursive: true });
      using sink = files.create(this.#path!);
      sink.write(new TextEncoder().encode(text));
      sink.commit();
    } catch {
      return;
    }
  }
}

/** Where the history is kept: `machpause/history` in `$XDG_STATE_HOME` or `~/.local/state`;
 * `undefined` where there is no such place. */
export function historyPath(): string | undefined {
  const folder = stateDirectory();
  return folder && `${folder}/history`;
}
