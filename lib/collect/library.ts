/** A library of reports in an SQL database. */
import { FormatError } from "../errors.ts";
import type { RawText } from "../escape.ts";
import { CountedGroup, type ReportGroup } from "../report/mod.ts";
import type { FileRecord, FrameRecord, ReportRecord } from "./record.ts";
import { type Column, createStatements, SCHEMA_VERSION, tables } from "./schema.ts";

/** A value of a column. */
export type SqlValue = string | number | bigint | null | Uint8Array;

/** A row by the names of its columns. */
export type SqlRow = Readonly<Record<string, SqlValue>>;

/** A prepared statement, as `node:sqlite` has it. */
export interface SqlStatement {
  /** The text that it was made of: of several statements, the first. */
  readonly sourceSQL: string;
  run(...values: SqlValue[]): unknown;
  get(...values: SqlValue[]): SqlRow | undefined;
  all(...values: SqlValue[]): SqlRow[];
  /** Deno's ends without a word where the database reports an error. */
  iterate(...values: SqlValue[]): Iterable<SqlRow>;
}

/** A database, as `node:sqlite` has it. */
export interface SqlDatabase extends Disposable {
  exec(sql: string): void;
  prepare(sql: string): SqlStatement;
}

/** A stack of a library, and how often it occurred. */
export interface LibraryStack {
  readonly kind: string;
  readonly program: RawText | null;
  readonly times: number;
  readonly frames: readonly FrameRecord[];
}

/** What adding a file did. */
export type Added = "new" | "changed" | "known" | "failed";

/** Maximum number of versions, devices, systems and verdicts that a group tells apart, as `crash --group` has it. */
const MAX_KINDS = 32;

/** The reports that were collected. Each change is a transaction: a process that is killed leaves the ones that
 * were complete. */
export class ReportLibrary {
  readonly #database: SqlDatabase;
  readonly #statements = new Map<string, SqlStatement>();

  /** Opens the tables, and makes them in an empty database that may be written.
   *
   * @param name for errors
   * @throws FormatError when the database is another one, or of another version
   */
  constructor(
    database: SqlDatabase,
    name: string,
    options: { readonly isReadOnly?: boolean } = {},
  ) {
    this.#database = database;
    const exists = (table: string): boolean =>
      this.#prepared("SELECT 1 FROM sqlite_master WHERE name = ?").get(table) !== undefined;
    if (!exists("library")) {
      const isEmpty = this.#prepared("SELECT 1 FROM sqlite_master LIMIT 1").get() === undefined;
      if (!isEmpty || options.isReadOnly) {
        throw new FormatError(name, 0, "a library that `machpause collect` made");
      }
      this.#transaction(() => {
        // Another process may have been faster.
        if (exists("library")) return;
        for (const statement of createStatements()) database.exec(statement);
        this.#prepared("INSERT INTO library (name, value) VALUES (?, ?)")
          .run("schema", `${SCHEMA_VERSION}`);
      });
    }
    const version = this.#prepared("SELECT value FROM library WHERE name = 'schema'").get()?.value;
    if (version !== `${SCHEMA_VERSION}`) {
      throw new FormatError(name, 0, `a library of version ${SCHEMA_VERSION}, not ${version}`);
    }
  }

  #prepared(sql: string): SqlStatement {
    let statement = this.#statements.get(sql);
    if (statement === undefined) this.#statements.set(sql, statement = this.#database.prepare(sql));
    return statement;
  }

  #transaction<Result>(work: () => Result): Result {
    this.#database.exec("BEGIN IMMEDIATE");
    try {
      const result = work();
      this.#database.exec("COMMIT");
      return result;
    } catch (error) {
      try {
        this.#database.exec("ROLLBACK");
      } catch {
        // SQLite has done so itself, as when the disk is full.
      }
      throw error;
    }
  }

  /** Whether a file is known as it is. */
  has(path: string, size: number, modified: number): boolean {
    const row = this.#prepared("SELECT size, modified FROM files WHERE path = ?").get(path);
    return row !== undefined && Number(row.size) === size && Number(row.modified) === modified;
  }

  /** The images without symbols, by UUID. */
  get missing(): ReadonlySet<string> {
    const rows = this.#prepared("SELECT DISTINCT uuid FROM missing").all();
    return new Set(rows.map(({ uuid }) => `${uuid}`));
  }

  /** The files whose reports lack the symbols of an image. */
  filesWithout(uuid: string): string[] {
    const rows = this.#prepared(
      "SELECT DISTINCT files.path AS path FROM missing JOIN files ON files.hash = missing.hash " +
        "WHERE missing.uuid = ?",
    ).all(uuid);
    return rows.map(({ path }) => `${path}`);
  }

  /** Adds files, all of them or, when it fails, none. What is there already is only replaced by what knows more. */
  add(records: readonly FileRecord[]): Added[] {
    return this.#transaction(() => records.map((record) => this.#add(record)));
  }

  #add(record: FileRecord): Added {
    const { path, size, modified, hash, error, reports } = record;
    const before = this.#prepared("SELECT hash FROM files WHERE path = ?").get(path);
    this.#prepared("DELETE FROM files WHERE path = ?").run(path);
    this.#prepared("INSERT INTO files (path, size, modified, hash, error) VALUES (?, ?, ?, ?, ?)")
      .run(path, size, modified, hash, error);
    if (error !== null) return "failed";
    // A hang's file is written again with each hang; a crash report that takes another's name is another.
    if (
      before !== undefined && before.hash !== hash && reports.every(({ kind }) => kind === "hang")
    ) {
      this.#forgetHang(`${before.hash}`);
    }
    const lacking = this.#prepared("SELECT COUNT(*) AS count FROM missing WHERE hash = ?");
    const known = this.#prepared("SELECT COUNT(*) AS count FROM reports WHERE hash = ?").get(hash);
    const isKnown = Number(known?.count) > 0;
    const lacks = reports.reduce((sum, { missing }) => sum + missing.length, 0);
    if (isKnown && Number(lacking.get(hash)?.count) <= lacks) return "known";
    if (isKnown) this.#remove(hash);
    for (const [item, report] of reports.entries()) this.#insert(hash, item, report);
    return isKnown ? "changed" : "new";
  }

  #forgetHang(hash: string): void {
    const isUsed = this.#prepared("SELECT 1 FROM files WHERE hash = ?").get(hash) !== undefined;
    const row = this.#prepared(
      "SELECT MIN(kind) AS least, MAX(kind) AS most FROM reports WHERE hash = ?",
    )
      .get(hash);
    if (!isUsed && row?.least === "hang" && row.most === "hang") this.#remove(hash);
  }

  #remove(hash: string): void {
    for (const table of ["missing", "frames", "reports"]) {
      this.#prepared(`DELETE FROM ${table} WHERE hash = ?`).run(hash);
    }
  }

  #insert(hash: string, item: number, report: ReportRecord): void {
    const { signature: { id, parts }, frames, missing } = report;
    if (this.#prepared("SELECT 1 FROM signatures WHERE id = ?").get(id) === undefined) {
      this.#row("signatures", [id, parts.join(" ← ")]);
      for (const [place, part] of parts.entries()) this.#row("signature_parts", [id, place, part]);
    }
    this.#row("reports", [
      hash,
      item,
      report.kind,
      id,
      report.occurredAt,
      report.times,
      report.durationMs,
      report.program,
      report.identifier,
      report.version,
      report.model,
      report.os,
      report.arch,
      report.exception,
      report.verdict,
      report.incident,
    ]);
    for (const [depth, { address, image, symbol, file, line }] of frames.entries()) {
      this.#row("frames", [hash, item, depth, address, image, symbol, file, line]);
    }
    for (const { uuid, image } of missing) this.#row("missing", [hash, item, uuid, image]);
  }

  /** Inserts a row, with the values in the order of the table's columns. */
  #row(name: string, values: SqlValue[]): void {
    const { columns } = tables.find((table) => table.name === name)!;
    const names = columns.map(({ name }) => name).join(", ");
    this.#prepared(`INSERT INTO ${name} (${names}) VALUES (${columns.map(() => "?").join(", ")})`)
      .run(...values);
  }

  /** Number of reports, and of files without any. */
  get counts(): { readonly reports: number; readonly signatures: number; readonly failed: number } {
    const count = (sql: string): number => Number(this.#prepared(sql).get()?.count);
    return {
      reports: count("SELECT COUNT(*) AS count FROM reports"),
      signatures: count("SELECT COUNT(DISTINCT signature) AS count FROM reports"),
      failed: count("SELECT COUNT(*) AS count FROM files WHERE error IS NOT NULL"),
    };
  }

  /** The groups of reports, the largest first, as `ReportGroups` has them. */
  *groups(): Generator<ReportGroup> {
    const parts = this.#prepared(
      "SELECT part FROM signature_parts WHERE signature = ? ORDER BY place",
    );
    const example = this.#prepared(
      "SELECT files.path AS path FROM reports JOIN files ON files.hash = reports.hash " +
        "WHERE signature = ? ORDER BY path LIMIT 1",
    );
    const count = (column: string, id: string, counts: Map<string, number>): void => {
      const rows = this.#prepared(
        `SELECT ${column} AS name, SUM(times) AS count FROM reports WHERE signature = ? ` +
          `AND ${column} IS NOT NULL GROUP BY ${column} ORDER BY count DESC, name`,
      ).all(id);
      for (const { name, count } of rows) {
        const key = counts.size < MAX_KINDS ? `${name}` : "others";
        counts.set(key, (counts.get(key) ?? 0) + Number(count));
      }
    };
    const rows = this.#prepared("SELECT * FROM groups ORDER BY times DESC, signature").all();
    for (const { signature, times, first_at, last_at } of rows) {
      const id = `${signature}`;
      const time = (value: SqlValue) => value === null ? null : Date.parse(`${value}`);
      const group = new CountedGroup(
        id,
        parts.all(id).map(({ part }) => `${part}`),
        `${example.get(id)?.path ?? "(its file is gone)"}`,
      );
      group.count = Number(times);
      group.first = time(first_at);
      group.last = time(last_at);
      count("version", id, group.versions);
      count("model", id, group.models);
      count("os", id, group.systems);
      count("verdict", id, group.verdicts);
      yield group;
    }
  }

  /** The stack of the latest report of a signature, innermost frame first. */
  stackOf(signature: string): FrameRecord[] {
    const latest = this.#prepared(
      "SELECT hash, item FROM reports WHERE signature = ? " +
        "ORDER BY occurred_at DESC, hash, item LIMIT 1",
    ).get(signature);
    return latest === undefined ? [] : this.#frames(latest.hash, latest.item);
  }

  #frames(hash: SqlValue, item: SqlValue): FrameRecord[] {
    const text = (value: SqlValue): RawText | null => value === null ? null : `${value}`;
    const rows = this.#prepared(
      "SELECT address, image, symbol, file, line FROM frames WHERE hash = ? AND item = ? " +
        "ORDER BY depth",
    ).all(hash, item);
    return rows.map(({ address, image, symbol, file, line }) => ({
      address: `${address}`,
      image: text(image),
      symbol: text(symbol),
      file: text(file),
      line: line === null ? null : Number(line),
    }));
  }

  /** For each signature and program one of the stacks, innermost frame first, and how often it occurred. */
  *stacks(): Generator<LibraryStack> {
    const rows = this.#prepared(
      "SELECT kind, program, signature, SUM(times) AS times, MIN(hash) AS hash FROM reports " +
        "GROUP BY kind, program, signature ORDER BY kind, program, times DESC, signature",
    ).all();
    const item = this.#prepared(
      "SELECT MIN(item) AS item FROM reports WHERE hash = ? AND signature = ?",
    );
    for (const { kind, program, signature, times, hash } of rows) {
      const first = item.get(hash, signature)?.item ?? 0;
      yield {
        kind: `${kind}`,
        program: program === null ? null : `${program}`,
        times: Number(times),
        frames: this.#frames(hash, first),
      };
    }
  }

  /** The whole library as standard SQL, a statement a line or, for tables, over some: what PostgreSQL and others
   * load. */
  *dump(): Generator<string> {
    yield "BEGIN;\n";
    for (const statement of createStatements()) yield `${statement};\n`;
    for (const { name, key, columns } of tables) {
      const names = columns.map(({ name }) => name).join(", ");
      const rows = this.#prepared(`SELECT ${names} FROM ${name} ORDER BY ${key.join(", ")}`)
        .iterate();
      let left = Number(this.#prepared(`SELECT COUNT(*) AS count FROM ${name}`).get()?.count);
      for (const row of rows) {
        const values = columns.map((column) => literal(column, row[column.name])).join(", ");
        yield `INSERT INTO ${name} (${names}) VALUES (${values});\n`;
        left--;
      }
      if (left !== 0) throw new Error(`${left} rows of ${name} could not be read`);
    }
    yield "COMMIT;\n";
  }
}

/** A value as standard SQL writes it. Backslashes mean nothing in it. */
function literal({ type }: Column, value: SqlValue): string {
  if (value === null) return "NULL";
  if (type === "integer") return `${BigInt(value as number)}`;
  return `'${String(value).replaceAll("'", "''").replaceAll("\0", "\ufffd")}'`;
}
