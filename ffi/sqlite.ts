/** SQLite, by `node:sqlite` of Deno 2.2 and later and of Node 22.5 and later. */
import type { SqlDatabase } from "../lib/collect/mod.ts";

/** How long a writer waits for another one, in milliseconds. */
const PATIENCE = 30_000;

/** Opens a database.
 *
 * @param isReadOnly whether nothing in it may change; other files cannot be opened through it either
 * @throws Error when this runtime has no SQLite, or the file is none of its databases
 */
export async function openDatabase(
  path: string,
  { isReadOnly = false }: { readonly isReadOnly?: boolean } = {},
): Promise<SqlDatabase> {
  let sqlite: typeof import("node:sqlite");
  try {
    sqlite = await import("node:sqlite");
  } catch (cause) {
    throw new Error("this needs SQLite, which Deno has from 2.2 on and Node from 22.5 on", {
      cause,
    });
  }
  const database = new sqlite.DatabaseSync(
    path,
    {
      readOnly: isReadOnly,
      timeout: PATIENCE,
    } as ConstructorParameters<typeof sqlite.DatabaseSync>[1],
  );
  try {
    // A file that is no database fails at its first use.
    if (isReadOnly) database.exec("PRAGMA query_only = 1; SELECT 1 FROM sqlite_master");
    else {
      // A commit survives the end of this process; only the power's failure may cost the last ones.
      database.exec(
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; SELECT 1 FROM sqlite_master",
      );
    }
    if (isReadOnly) allowQuestions(database, (sqlite.constants ?? {}) as Record<string, number>);
  } catch (cause) {
    database.close();
    throw cause instanceof Error && /not a database/.test(cause.message)
      ? new Error(`${path} is no SQLite database`, { cause })
      : cause;
  }
  const close = () => {
    try {
      // One file is left, which is also read where nothing may be written. Other writers prevent that.
      if (!isReadOnly) database.exec("PRAGMA busy_timeout = 0; PRAGMA journal_mode = DELETE");
    } catch {
      // It stays in write-ahead mode.
    } finally {
      database.close();
    }
  };
  return Object.assign(database, {
    [Symbol.dispose]: close,
  }) as unknown as SqlDatabase;
}

/** Lets a connection read tables and call functions, and do nothing else: not even attach another file. */
function allowQuestions(database: unknown, constants: Record<string, number>): void {
  const {
    SQLITE_SELECT,
    SQLITE_READ,
    SQLITE_FUNCTION,
    SQLITE_RECURSIVE,
    SQLITE_OK,
    SQLITE_DENY,
  } = constants;
  const allowed = new Set([SQLITE_SELECT, SQLITE_READ, SQLITE_FUNCTION, SQLITE_RECURSIVE]);
  // Node has it from 24.10 on. Without it the connection is read-only all the same.
  (database as { setAuthorizer?(decide: (action: number) => number): void })
    .setAuthorizer?.((action) => allowed.has(action) ? SQLITE_OK : SQLITE_DENY);
}
