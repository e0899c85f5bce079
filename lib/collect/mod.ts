/** A library of what went wrong: reports and hangs as rows of SQL tables.
 *
 * @module
 */
export {
  type Added,
  type LibraryStack,
  ReportLibrary,
  type SqlDatabase,
  type SqlRow,
  type SqlStatement,
  type SqlValue,
} from "./library.ts";
export {
  type FileRecord,
  readRecord,
  RECORD_FORMAT,
  RECORD_VERSION,
  type ReportRecord,
  reportsIn,
} from "./record.ts";
export {
  type Column,
  createStatements,
  groupsView,
  SCHEMA_VERSION,
  type Table,
  tables,
} from "./schema.ts";
