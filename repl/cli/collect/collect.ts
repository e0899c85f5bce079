/** `machpause collect`: files of reports become rows. */
import { files as system } from "../../../ffi/files.ts";
import { openDatabase } from "../../../ffi/sqlite.ts";
import { escape, safe, safeJson } from "../../../lib/escape.ts";
import { type FileRecord, readRecord, ReportLibrary } from "../../../lib/collect/mod.ts";
import { SymbolFiles } from "../../../lib/symbols/walking.ts";
import { runWorkers } from "../../../lib/workers.ts";
import { fileError, UserError } from "../../errors.ts";
import type { Values } from "../../options.ts";
import { checkFolders } from "../../prompt/open.ts";
import { complain, print } from "../../view/output.ts";
import { checkFile } from "../../view/output_file.ts";
import { count } from "../../view/text.ts";
import { isTried, reportFiles, strayWords } from "../report_files.ts";
import { Collector, type CollectorOptions, fileState } from "./collector.ts";
import type { collectOptions } from "./options.ts";

/** From this number of files on, workers are worth their start. */
const FEW = 64;
/** Files that a worker gets at a time, and that one transaction has. */
const BATCH = 32;
const MAX_WORKERS = 4;
/** Maximum length of a line of `--jsonl`. */
const MAX_LINE = 256 << 20;

/** What was done with the files. */
interface Done {
  new: number;
  changed: number;
  known: number;
  unchanged: number;
  failed: number;
}

/** Runs the command. */
export async function collect(
  paths: readonly string[],
  { into, jsonl = false, symbols, mine, localBinaries, json = false }: Values<
    typeof collectOptions
  >,
): Promise<number> {
  if (into === undefined && !jsonl) {
    throw new UserError("collect into which file? Name it with --into, or print with --jsonl", 2);
  }
  checkFile(into, "a library of reports");
  if (into !== undefined && jsonl) throw new UserError("--into or --jsonl, not both", 2);
  if (jsonl && json) throw new UserError("--jsonl or --json, not both", 2);
  checkFolders(symbols ?? []);
  const options: CollectorOptions = {
    ...symbols === undefined ? {} : { symbols },
    ...mine === undefined ? {} : { mine },
    ...localBinaries === undefined ? {} : { localBinaries },
  };
  const done: Done = { new: 0, changed: 0, known: 0, unchanged: 0, failed: 0 };
  if (into === undefined) {
    let isAbsent = false;
    await readAll(filesAt(paths, done), options, (records) => {
      for (const record of records) {
        print(safe`${safeJson(record)}\n`);
        if (!isUnread(record) || !paths.includes(record.path)) continue;
        isAbsent = true;
        complain(escape(record.error!));
      }
    });
    return isAbsent ? 1 : 0;
  }
  const isNew = !exists(into);
  let kept = 0;
  try {
    return await collectInto(into, paths, { options, done, json, keep: (files) => kept += files });
  } catch (error) {
    if (isNew && kept === 0) removeDatabase(into);
    throw isOfDatabase(error) ? cannotWrite(into, error.message, kept) : error;
  }
}

/** Collects into a library, which is complete as far as it goes at any time.
 *
 * @param keep called with the number of files whose reports are in the library from then on
 */
async function collectInto(
  into: string,
  paths: readonly string[],
  { options, done, json, keep }: {
    readonly options: CollectorOptions;
    readonly done: Done;
    readonly json: boolean;
    readonly keep: (files: number) => void;
  },
): Promise<number> {
  const { symbols } = options;
  using database = await openDatabase(into);
  const library = new ReportLibrary(database, into);
  const strays: string[] = [];
  // What was named is not there, as after a typing error.
  let isAbsent = false;
  const take = (records: readonly FileRecord[]): void => {
    const added = library.add(records);
    keep(records.length);
    for (const [at, how] of added.entries()) {
      done[how]++;
      const { error, path } = records[at];
      if (error === null) continue;
      if (isUnread(records[at])) isAbsent ||= paths.includes(path);
      if (!isUnread(records[at]) && isTried(path, paths)) strays.push(path);
      else complain(safe`warning: ${escape(error)}`);
    }
  };
  // Files whose symbols have come are read again.
  const again = new Set<string>();
  if (symbols !== undefined) {
    const found = new SymbolFiles(system, symbols);
    for (const uuid of library.missing) {
      if (found.find(uuid).length === 0) continue;
      for (const path of library.filesWithout(uuid)) again.add(path);
    }
  }
  const isNew = (path: string): boolean => {
    try {
      const { size, modified } = fileState(path);
      if (again.has(path) || !library.has(path, size, modified)) return true;
      done.unchanged++;
      return false;
    } catch {
      return true; // Reading it says why.
    }
  };
  await readAll(
    function* () {
      const seen = new Set<string>();
      for (const path of filesAt(paths, done)) {
        seen.add(path);
        if (isRecords(path) || isNew(path)) yield path;
      }
      for (const path of again) if (!seen.has(path) && exists(path)) yield path;
    }(),
    options,
    take,
  );
  if (strays.length > 0) complain(safe`warning: ${strayWords(strays)}`);
  const { reports, signatures } = library.counts;
  if (json) print(safe`${safeJson({ ...done, reports, signatures })}\n`);
  else {
    const more = ([
      [done.changed, "changed"],
      [done.known, "known by another name"],
      [done.unchanged, "unchanged"],
      [done.failed, "not read"],
    ] as const).filter(([number]) => number > 0).map(([number, what]) => `, ${number} ${what}`);
    print(
      safe`${count(done.new, "new file")}${escape(more.join(""))}; ${escape(into)} has ${
        count(reports, "report")
      }, ${count(signatures, "signature")}\n`,
    );
  }
  return reports === 0 || isAbsent ? 1 : 0;
}

/** Whether a file could not even be read: one that was has its hash. */
function isUnread({ error, hash }: FileRecord): boolean {
  return error !== null && /^0+$/.test(hash);
}

function isOfDatabase(error: unknown): error is Error {
  return error instanceof Error && "code" in error && error.code === "ERR_SQLITE_ERROR";
}

function cannotWrite(into: string, reason: string, kept: number): UserError {
  const rest = kept === 0
    ? ""
    : `; ${kept} files are in it, and the same command goes on with the rest`;
  return new UserError(`cannot write ${into}: ${reason}${rest}`);
}

/** Removes a database in which nothing is, with the files that SQLite has beside it. */
function removeDatabase(path: string): void {
  for (const suffix of ["", "-wal", "-shm", "-journal"]) {
    try {
      Deno.removeSync(`${path}${suffix}`);
    } catch {
      // Not all of them are there.
    }
  }
}

function exists(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}

/** Whether a path is of what `--jsonl` printed; `-` is standard input. */
function isRecords(path: string): boolean {
  return path === "-" || path.endsWith(".jsonl");
}

/** The reports at some paths; folders that cannot be listed are told and counted. */
function filesAt(paths: readonly string[], done: Done): Generator<string> {
  return reportFiles(paths, "hang.json", (why) => {
    done.failed++;
    complain(safe`warning: ${why}`);
  });
}

/** Reads files, many of them by several workers. */
async function readAll(
  paths: Iterable<string>,
  options: CollectorOptions,
  take: (records: readonly FileRecord[]) => void,
): Promise<void> {
  const iterator = paths[Symbol.iterator]();
  const records: string[] = [];
  const batch = (size: number): string[] => {
    const list: string[] = [];
    while (list.length < size) {
      const { value, done } = iterator.next();
      if (done) break;
      if (isRecords(value)) records.push(value);
      else list.push(value);
    }
    return list;
  };
  const first = batch(FEW);
  if (first.length < FEW) {
    if (first.length > 0) {
      using collector = await Collector.open(options);
      const found: FileRecord[] = [];
      for (const path of first) found.push(await collector.collect(path));
      take(found);
    }
  } else {
    await runWorkers<readonly string[], readonly FileRecord[]>({
      start: () => new Worker(new URL("./collect_worker.ts", import.meta.url), { type: "module" }),
      opening: options,
      tasks: function* () {
        for (let at = 0; at < FEW; at += BATCH) yield first.slice(at, at + BATCH);
        for (let list; (list = batch(BATCH)).length > 0;) yield list;
      }(),
      workers: Math.max(1, Math.min(MAX_WORKERS, navigator.hardwareConcurrency)),
      take,
    });
  }
  for (const path of records) await readRecords(path, take);
}

/** Reads what `--jsonl` printed, some lines at a time. */
async function readRecords(
  path: string,
  take: (records: readonly FileRecord[]) => void,
): Promise<void> {
  let stream: ReadableStream<Uint8Array<ArrayBuffer>>;
  try {
    stream = path === "-" ? Deno.stdin.readable : (await Deno.open(path)).readable;
  } catch (error) {
    throw fileError(error, path);
  }
  let rest = "";
  let number = 0;
  let records: FileRecord[] = [];
  const line = (text: string): void => {
    number++;
    if (text.trim() !== "") records.push(readRecord(text, `${path}, line ${number}`, 0));
    if (records.length < 8 * BATCH) return;
    take(records);
    records = [];
  };
  for await (const text of stream.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split("\n");
    rest = lines.pop()!;
    if (rest.length > MAX_LINE) throw new UserError(`${path}: line ${number + 1} is too long`);
    for (const each of lines) line(each);
  }
  line(rest);
  if (records.length > 0) take(records);
}
