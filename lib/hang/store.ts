/** Hangs on disk: a folder for each signature, in a ring of bounded size. Every file appears whole or not at all. */
import type { RawText } from "../escape.ts";
import { type Hang, severities, type Severity } from "./hang.ts";
import { readHang } from "./report.ts";

/** A folder with folders of files, as the store needs it. */
export interface Folder {
  /** The folders in it, each with its files and their sizes in bytes. */
  list(): readonly FolderEntry[];
  /** A file's text; `null` when there is none. */
  read(path: string): string | null;
  /** Writes a file, with the folder that it is in. It appears whole or not at all.
   *
   * @throws Error the system's, as when the disk is full
   */
  write(path: string, text: string): void;
  /** Removes a folder with its files. */
  remove(name: string): void;
}

/** A folder of a {@linkcode Folder}. */
export interface FolderEntry {
  readonly name: string;
  readonly files: readonly { readonly name: string; readonly size: number }[];
}

/** What `counts.json` says of the hangs with one signature. */
export interface HangCounts {
  /** Of the signature. */
  readonly id: string;
  readonly parts: readonly RawText[];
  readonly count: number;
  /** When the first and the last began. */
  readonly first: string;
  readonly last: string;
  /** The longest, which is the one in `hang.json`, and its severity. */
  readonly milliseconds: number;
  readonly severity: Severity;
  /** All of them together, in milliseconds. */
  readonly total: number;
  /** The latest, at most {@linkcode MAX_TIMES}: when each began, and how long it lasted. */
  readonly times: readonly (readonly [began: string, milliseconds: number])[];
}

/** Maximum number of {@linkcode HangCounts.times}. */
const MAX_TIMES = 100;

/** The bounds of a {@linkcode HangStore}. */
export interface StoreOptions {
  /** Maximum size of all files, in bytes. Default: 64 MiB. */
  readonly maxSize?: number;
  /** Maximum number of signatures. Default: 200. */
  readonly maxCount?: number;
  /** Further files of an entry, made of the longest hang. */
  readonly render?: (hang: Hang, counts: HangCounts) => Readonly<Record<string, string>>;
  /** Gets what went wrong. The store goes on. */
  readonly problem?: (message: string) => void;
}

export const defaultMaxSize = 64 << 20;
export const defaultMaxCount = 200;

interface Entry {
  readonly folder: string;
  /** Of the hang that is kept. */
  readonly kind: Hang["kind"];
  counts: HangCounts;
  readonly sizes: Map<string, number>;
}

/** The hangs of one folder. What is there from earlier is continued. */
export class HangStore {
  readonly #folder: Folder;
  readonly #options: StoreOptions;
  readonly #entries = new Map<string, Entry>();
  /** The hang that was added last, and how long it was: it is added again as it goes on. */
  #open: { readonly id: string; readonly began: string; readonly milliseconds: number } | undefined;
  #told: string | undefined;

  constructor(folder: Folder, options: StoreOptions = {}) {
    this.#folder = folder;
    this.#options = options;
    for (const { name, files } of folder.list()) {
      const loaded = this.#load(name);
      if (loaded === null) continue;
      const sizes = new Map(files.map(({ name, size }) => [name, size]));
      this.#entries.set(loaded.counts.id, { folder: name, ...loaded, sizes });
    }
    this.#shrink();
  }

  /** Number of signatures. */
  get count(): number {
    return this.#entries.size;
  }

  /** Bytes of all files. */
  get size(): number {
    return [...this.#entries.values()].reduce((sum, entry) => sum + sizeOf(entry), 0);
  }

  /** The counts of all signatures, the last one first. */
  get counts(): readonly HangCounts[] {
    return [...this.#entries.values()].map(({ counts }) => counts)
      .sort((a, b) => a.last < b.last ? 1 : -1);
  }

  /** What an earlier watch left. A folder that is none of a hang is let alone. */
  #load(name: string): Pick<Entry, "counts" | "kind"> | null {
    if (!/^\d{8}T\d{6}Z-[0-9a-f]{16}$/.test(name)) return null;
    try {
      const text = this.#folder.read(`${name}/hang.json`);
      if (text === null) return null;
      const hang = readHang(text, name);
      const counts = JSON.parse(this.#folder.read(`${name}/counts.json`) ?? "null");
      const isCounts = typeof counts === "object" && counts !== null &&
        counts.id === hang.signature.id && Number.isSafeInteger(counts.count) &&
        Array.isArray(counts.times) && typeof counts.first === "string" &&
        typeof counts.last === "string" && Number.isFinite(counts.total) &&
        Number.isFinite(counts.milliseconds) && severities.includes(counts.severity);
      return { kind: hang.kind, counts: isCounts ? counts : firstCounts(hang) };
    } catch {
      return null;
    }
  }

  /** From which length on a hang is kept whole, in milliseconds: one that is not longer than the one that is kept is
   * counted. */
  wholeFrom(hang: Hang): number {
    return this.#entries.get(this.#idOf(hang))?.counts.milliseconds ?? 0;
  }

  /** Adds a hang, or what has become of the last one.
   *
   * @returns the entry's folder and counts; `undefined` when it could not be written, or there is no room for it
   */
  add(hang: Hang): { readonly folder: string; readonly counts: HangCounts } | undefined {
    const open = this.#open;
    const isSame = open !== undefined && open.began === hang.began &&
      this.#entries.has(open.id);
    if (!isSame) return this.#put(hang, this.#idOf(hang), undefined);
    // A hang that goes on may look different by and by; it stays where it was counted first.
    const first = this.#entries.get(open.id)!;
    if (hang.ended === null || first.counts.count > 1) return this.#put(hang, open.id, open);
    // When it was found, few looks told what it is. All of them do now.
    const id = this.#idOf(hang, open.id);
    if (id === open.id) return this.#put(hang, id, open);
    const added = this.#put(hang, id, undefined);
    if (added === undefined) return undefined;
    this.#entries.delete(open.id);
    this.#remove(first.folder);
    return added;
  }

  /** The entry that a hang belongs to: that of its signature, or one that is busy one call further in or out. At
   * how many looks a loop is found in what it calls depends on chance; where a thread waits does not.
   *
   * @param besides an entry that is not meant
   */
  #idOf({ kind, signature: { id, parts } }: Hang, besides?: string): string {
    if (this.#entries.has(id) || kind !== "busy") return id;
    const [, ...names] = parts;
    for (const [known, entry] of this.#entries) {
      if (known === besides || entry.kind !== "busy") continue;
      if (isNear(names, entry.counts.parts.slice(1))) return known;
    }
    return id;
  }

  /** @param open the hang as it was added before */
  #put(
    hang: Hang,
    id: string,
    open: { readonly milliseconds: number } | undefined,
  ): { readonly folder: string; readonly counts: HangCounts } | undefined {
    const known = this.#entries.get(id);
    const isSame = open !== undefined;
    const more = hang.milliseconds - (open?.milliseconds ?? 0);
    const counts = known === undefined ? firstCounts(hang) : addedTo(known.counts, hang, {
      isSame,
      more,
    });
    const folder = known?.folder ??
      `${hang.began.replace(/[-:]|\.\d+/g, "")}-${hang.signature.id}`;
    const sizes = known?.sizes ?? new Map<string, number>();
    const isLongest = known === undefined ||
      hang.isBrief !== true && hang.milliseconds >= known.counts.milliseconds;
    const written = id === hang.signature.id
      ? hang
      : { ...hang, signature: { id, parts: counts.parts } };
    try {
      // The counts come last: without them the hang alone tells.
      if (isLongest) {
        this.#write(folder, sizes, "hang.json", `${JSON.stringify(written)}\n`);
        const more = this.#options.render?.(written, counts) ?? {};
        for (const [name, text] of Object.entries(more)) this.#write(folder, sizes, name, text);
      }
      // One of many like it is counted when it has ended.
      if (hang.ended !== null || !hang.isBrief) {
        this.#write(folder, sizes, "counts.json", `${JSON.stringify(counts)}\n`);
      }
      this.#told = undefined;
    } catch (error) {
      const text = `${folder} was not written: ${error instanceof Error ? error.message : error}`;
      if (this.#told !== hang.signature.id) this.#options.problem?.(text);
      this.#told = hang.signature.id;
      if (known === undefined) this.#remove(folder);
      return undefined;
    }
    this.#open = { id, began: hang.began, milliseconds: hang.milliseconds };
    const kind = known === undefined || isLongest ? hang.kind : known.kind;
    this.#entries.set(id, { folder, kind, counts, sizes });
    this.#shrink();
    // Where all others are more severe, it is the one that goes.
    return this.#entries.has(id) ? { folder, counts } : undefined;
  }

  #write(folder: string, sizes: Map<string, number>, name: string, text: string): void {
    this.#folder.write(`${folder}/${name}`, text);
    sizes.set(name, new TextEncoder().encode(text).length);
  }

  /** Removes the least severe entries, of those the ones that were not seen for the longest time. */
  #shrink(): void {
    const { maxSize = defaultMaxSize, maxCount = defaultMaxCount } = this.#options;
    let size = this.size;
    if (size <= maxSize && this.count <= maxCount) return;
    const order = [...this.#entries].sort(([, { counts: a }], [, { counts: b }]) =>
      severities.indexOf(a.severity) - severities.indexOf(b.severity) || (a.last < b.last ? -1 : 1)
    );
    for (const [id, entry] of order) {
      if (size <= maxSize && this.count <= maxCount) return;
      size -= sizeOf(entry);
      this.#entries.delete(id);
      this.#remove(entry.folder);
    }
  }

  #remove(name: string): void {
    try {
      this.#folder.remove(name);
    } catch (error) {
      this.#options.problem?.(
        `${name} was not removed: ${error instanceof Error ? error.message : error}`,
      );
    }
  }
}

/** Whether functions, innermost first, are those of another list but for one call further in. */
function isNear(a: readonly RawText[], b: readonly RawText[]): boolean {
  return isShifted(a, b) || isShifted(b, a);
}

function isShifted(inner: readonly RawText[], outer: readonly RawText[]): boolean {
  const common = inner.slice(1);
  return common.length > 0 && common.every((name, at) => name === outer[at]);
}

function sizeOf({ sizes }: Entry): number {
  let sum = 0;
  for (const size of sizes.values()) sum += size;
  return sum;
}

function firstCounts(hang: Hang): HangCounts {
  const { signature: { id, parts }, began, milliseconds, severity } = hang;
  return {
    id,
    parts,
    count: 1,
    first: began,
    last: began,
    milliseconds,
    severity,
    total: milliseconds,
    times: [[began, milliseconds]],
  };
}

function addedTo(
  counts: HangCounts,
  { began, milliseconds, severity, isBrief = false }: Hang,
  { isSame, more }: { readonly isSame: boolean; readonly more: number },
): HangCounts {
  const times = isSame ? counts.times.slice(0, -1) : counts.times.slice(1 - MAX_TIMES);
  const isLonger = !isBrief && milliseconds > counts.milliseconds;
  return {
    ...counts,
    count: counts.count + (isSame ? 0 : 1),
    first: began < counts.first ? began : counts.first,
    last: began > counts.last ? began : counts.last,
    milliseconds: isLonger ? milliseconds : counts.milliseconds,
    severity: isLonger ? severity : counts.severity,
    total: counts.total + more,
    times: [...times, [began, milliseconds]],
  };
}
