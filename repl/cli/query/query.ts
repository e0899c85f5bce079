/** `machpause query`: SQL over a library of reports, which cannot be changed by it. */
import { openDatabase } from "../../../ffi/sqlite.ts";
import { escape, escapeLines, safe, safeJson, type SafeText } from "../../../lib/escape.ts";
import { ReportLibrary, type SqlValue, tables } from "../../../lib/collect/mod.ts";
import { UserError } from "../../errors.ts";
import { exists } from "../../prompt/open.ts";
import { print, printBytes, printLines, terminalSize } from "../../view/output.ts";
import { styleFor } from "../../view/style.ts";
import { tableLines } from "../../view/table.ts";
import { join } from "../../view/text.ts";

/** Maximum number of rows of a table that is laid out. */
const MAX_ROWS = 10_000;

/** How the answer is printed. */
export interface QueryOptions {
  readonly json?: boolean;
  readonly csv?: boolean;
  readonly dump?: boolean;
}

/** Runs the command. */
export async function query(
  file: string,
  sql: string | undefined,
  { json = false, csv = false, dump = false }: QueryOptions,
): Promise<number> {
  if ([json, csv, dump].filter(Boolean).length > 1) {
    throw new UserError("one of --json, --csv and --dump", 2);
  }
  if (dump && sql !== undefined) throw new UserError("--dump prints everything: without SQL", 2);
  if (!exists(file)) throw new UserError(`there is no file ${file}`);
  using database = await openDatabase(file, { isReadOnly: true });
  const library = new ReportLibrary(database, file, { isReadOnly: true });
  if (dump) {
    let text = "";
    for (const statement of library.dump()) {
      text += statement;
      if (text.length < 1 << 16) continue;
      printDump(text);
      text = "";
    }
    printDump(text);
    return 0;
  }
  if (sql === undefined) {
    schema(library);
    return 0;
  }
  if (isBlank(sql)) throw new UserError("there is no SQL statement", 2);
  try {
    const statement = database.prepare(sql);
    checkWhole(sql, statement.sourceSQL);
    const rows = statement.all();
    if (json) printAll(rows.map((row) => safe`${safeJson(plain(row))}\n`));
    else if (!csv) await printTable(rows);
    else if (rows.length > 0) {
      printAll([csvLine(Object.keys(rows[0])), ...rows.map((row) => csvLine(Object.values(row)))]);
    }
  } catch (error) {
    if (error instanceof UserError) throw error;
    throw new UserError(error instanceof Error ? error.message : `${error}`);
  }
  return 0;
}

/** Whether there is nothing but space, comments and semicolons in a text. */
function isBlank(sql: string): boolean {
  return /^(?:[\s;]|--[^\n]*|\/\*(?:(?!\*\/)[^])*(?:\*\/|$))*$/.test(sql);
}

/** SQLite prepares the first of several statements.
 *
 * @param prepared the one that was
 * @throws UserError when there is another one
 */
function checkWhole(sql: string, prepared: string): void {
  const rest = sql.slice(prepared.length);
  if (isBlank(rest)) return;
  throw new UserError(`one statement at a time: nothing was run, because of \`${rest.trim()}\``, 2);
}

/** A dump is for a program: texts are as they are, unless a terminal would get them. */
function printDump(text: string): void {
  if (Deno.stdout.isTerminal()) print(escapeLines(text));
  else printBytes(new TextEncoder().encode(text));
}

function plain(row: Readonly<Record<string, SqlValue>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(row).map((
      [name, value],
    ) => [name, typeof value === "bigint" ? `${value}` : value]),
  );
}

/** A line of RFC 4180, with escapes in place of what a terminal would act on. */
function csvLine(values: readonly SqlValue[]): SafeText {
  const cells = values.map((value): SafeText => {
    const text = escape(shown(value));
    return /[",]/.test(text) ? safe`"${escape(text.replaceAll('"', '""'))}"` : text;
  });
  return safe`${join(cells, ",")}\r\n`;
}

function shown(value: SqlValue): string {
  return value === null ? "" : value instanceof Uint8Array ? `${value.length} bytes` : `${value}`;
}

/** Prints lines that have their ends, many at a time. */
function printAll(all: readonly SafeText[]): void {
  const some = 1000;
  for (let at = 0; at < all.length; at += some) print(join(all.slice(at, at + some), ""));
}

async function printTable(rows: readonly Readonly<Record<string, SqlValue>>[]): Promise<void> {
  const header = rows.length === 0 ? undefined : Object.keys(rows[0]).map(escape);
  const cells = rows.slice(0, MAX_ROWS).map((row) =>
    Object.values(row).map((value) => escape(shown(value)))
  );
  if (header === undefined) {
    print(safe`no rows\n`);
    return;
  }
  const columns = Deno.stdout.isTerminal() ? terminalSize().columns : Infinity;
  printLines(await tableLines({ size: () => ({ columns }) }, header, cells));
  if (rows.length > MAX_ROWS) print(safe`the first ${MAX_ROWS} rows; --json and --csv print all\n`);
}

/** Says what there is to ask for. */
function schema(library: ReportLibrary): void {
  const style = styleFor(Deno.stdout);
  const { reports, signatures, failed } = library.counts;
  printLines([
    safe`${reports} reports, ${signatures} signatures, ${failed} files that were not read`,
    ...tables.flatMap(({ name, help, key, columns }) => [
      safe``,
      safe`${style("heading", escape(name))}: ${escape(help)}; key: ${escape(key.join(", "))}`,
      ...columns.map(({ name, type, optional, help }) =>
        safe`  ${style("name", escape(name.padEnd(12)))}  ${escape(type.padEnd(7))}  ${
          escape(help)
        }${optional ? safe`; or NULL` : safe``}`
      ),
    ]),
    safe``,
    safe`${
      style("heading", safe`groups`)
    }: a row for each signature: signature, title, times, reports,`,
    safe`  first_at, last_at, versions, models`,
    safe``,
    safe`For example:`,
    safe`  SELECT title, times, last_at FROM groups ORDER BY times DESC LIMIT 10`,
    safe`  SELECT version, COUNT(*) FROM reports WHERE kind = 'crash' GROUP BY version`,
    safe`  SELECT DISTINCT image, uuid FROM missing`,
  ]);
}
