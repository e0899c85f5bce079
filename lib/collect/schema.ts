/** The tables of a library of reports, as data: what SQLite gets, what a dump has, and what people read come from
 * here. The statements are standard SQL. */

/** A column. */
export interface Column {
  readonly name: string;
  readonly type: "text" | "integer";
  /** Whether it may be NULL. */
  readonly optional?: true;
  readonly help: string;
}

/** A table. */
export interface Table {
  readonly name: string;
  readonly help: string;
  /** Columns of the primary key. */
  readonly key: readonly string[];
  readonly columns: readonly Column[];
  /** Columns with an index each. */
  readonly indexes?: readonly string[];
}

/** Rises with every change of the tables. */
export const SCHEMA_VERSION = 1;

const text = (name: string, help: string): Column => ({ name, type: "text", help });
const integer = (name: string, help: string): Column => ({ name, type: "integer", help });
const optional = (column: Column): Column => ({ ...column, optional: true });

/** The content's hash and the number in the file: the key of a report. */
const key = [
  text("hash", "SHA-256 of the file's content, in hexadecimal"),
  integer("item", "number of the report in the file, from 0"),
];

/** All tables. */
export const tables: readonly Table[] = [
  {
    name: "library",
    help: "about these tables",
    key: ["name"],
    columns: [
      text("name", "`schema`"),
      text("value", `the version of the tables, ${SCHEMA_VERSION}`),
    ],
  },
  {
    name: "files",
    help: "each file that was collected; files with the same content have the same reports",
    key: ["path"],
    columns: [
      text("path", "as it was found"),
      integer("size", "bytes"),
      integer("modified", "milliseconds since 1970"),
      text("hash", "SHA-256 of the content, in hexadecimal"),
      optional(text("error", "why it has no reports")),
    ],
    indexes: ["hash"],
  },
  {
    name: "reports",
    help: "each report",
    key: ["hash", "item"],
    columns: [
      ...key,
      text("kind", "crash, hang, resource, jetsam, panic, sample or stackshot"),
      text("signature", "of what went wrong: key of signatures"),
      optional(text("occurred_at", "ISO 8601, UTC; of a hang, the last time")),
      integer("times", "how often it occurred: 1, but for hangs"),
      optional(integer("duration_ms", "of a hang, the longest")),
      optional(text("program", "name of the process")),
      optional(text("identifier", "of the program's bundle")),
      optional(text("version", "of the program")),
      optional(text("model", "of the device")),
      optional(text("os", "the system's version")),
      optional(text("arch", "of the program's code")),
      optional(text("exception", "its type and signal")),
      text("verdict", "whose code it was, and the library in parentheses"),
      optional(text("incident", "identifier that the reporter gave it")),
    ],
    indexes: ["signature", "occurred_at"],
  },
  {
    name: "frames",
    help: "the stack that shows what happened, at most 16 frames",
    key: ["hash", "item", "depth"],
    columns: [
      ...key,
      integer("depth", "0 is the innermost"),
      text("address", "as in 0x1000"),
      optional(text("image", "its file's name")),
      optional(text("symbol", "function, as people read it")),
      optional(text("file", "source file")),
      optional(integer("line", "from 1")),
    ],
  },
  {
    name: "missing",
    help: "images without symbols that frames of the report are in; they are looked for again",
    key: ["hash", "item", "uuid"],
    columns: [
      ...key,
      text("uuid", "of the image"),
      text("image", "its file's name"),
    ],
    indexes: ["uuid"],
  },
  {
    name: "signatures",
    help: "what went wrong: the same for the same problem in other builds and on other devices",
    key: ["id"],
    columns: [text("id", "16 hexadecimal digits"), text("title", "its parts on one line")],
  },
  {
    name: "signature_parts",
    help: "the parts of a signature",
    key: ["signature", "place"],
    columns: [
      text("signature", "key of signatures"),
      integer("place", "from 0: the exception, then frames, innermost first"),
      text("part", "an exception, or an image and a function"),
    ],
  },
];

/** The view with a row for each signature. */
export const groupsView = `CREATE VIEW groups AS
  SELECT reports.signature AS signature, signatures.title AS title, SUM(times) AS times,
    COUNT(*) AS reports, MIN(occurred_at) AS first_at, MAX(occurred_at) AS last_at,
    COUNT(DISTINCT version) AS versions, COUNT(DISTINCT model) AS models
  FROM reports JOIN signatures ON signatures.id = reports.signature
  GROUP BY reports.signature, signatures.title`;

const types = { text: "TEXT", integer: "BIGINT" } as const;

/** The statements that make the tables. */
export function createStatements(): string[] {
  return [
    ...tables.flatMap(({ name, key, columns, indexes = [] }) => [
      `CREATE TABLE ${name} (\n${
        columns.map((column) =>
          `  ${column.name} ${types[column.type]}${column.optional ? "" : " NOT NULL"}`
        ).join(",\n")
      },\n  PRIMARY KEY (${key.join(", ")})\n)`,
      ...indexes.map((column) => `CREATE INDEX ${name}_${column} ON ${name} (${column})`),
    ]),
    groupsView,
  ];
}
