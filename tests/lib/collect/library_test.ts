/** The tables: what they hold, what may be added again, and what hostile reports do to them. */
import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { openDatabase } from "../../../ffi/sqlite.ts";
import {
  createStatements,
  type FileRecord,
  readRecord,
  RECORD_FORMAT,
  RECORD_VERSION,
  ReportLibrary,
  type ReportRecord,
  reportsIn,
  type SqlDatabase,
  tables,
} from "../../../lib/collect/mod.ts";
import { ReportGroups, summarizeReport } from "../../../lib/report/api.ts";
import { readReports } from "../../../lib/report/mod.ts";

const fixtures = new URL("../../fixtures/reports/", import.meta.url);
const options = {
  symbols: { find: () => null },
  demangle: (name: string) => name,
  attribution: () => ({}),
};

/** What the sqlite3 of another author says: the rows of a query, cells between bars. */
async function sqlite3(file: string, sql: string): Promise<string> {
  const { code, stdout, stderr } = await new Deno.Command("sqlite3", { args: [file, sql] })
    .output();
  assertEquals([code, new TextDecoder().decode(stderr)], [0, ""]);
  return new TextDecoder().decode(stdout).trimEnd();
}

function fileRecord(path: string, reports: readonly ReportRecord[], hash: string): FileRecord {
  return {
    format: RECORD_FORMAT,
    formatVersion: RECORD_VERSION,
    path,
    size: 1,
    modified: 1,
    hash: hash.padStart(64, "0"),
    error: null,
    reports,
  };
}

const base: ReportRecord = {
  kind: "crash",
  signature: { id: "0123456789abcdef", parts: ["EXC_CRASH SIGABRT", "MyApp main"] },
  occurredAt: "2026-01-02T03:04:05.000Z",
  times: 1,
  durationMs: null,
  program: "MyApp",
  identifier: null,
  version: "1.0",
  model: "Mac14,2",
  os: "macOS 14.3",
  arch: "arm64",
  exception: "EXC_CRASH SIGABRT",
  verdict: "the program",
  incident: null,
  frames: [{ address: "0x1000", image: "MyApp", symbol: "main", file: "main.c", line: 3 }],
  missing: [],
};

function dumpOf(library: ReportLibrary): string {
  return [...library.dump()].join("");
}

/** Runs a dump in an empty database. */
async function loaded(dump: string): Promise<SqlDatabase> {
  const database = await openDatabase(":memory:");
  database.exec(dump);
  return database;
}

Deno.test("the groups of a library are those of the reports", async () => {
  using database = await openDatabase(":memory:");
  const library = new ReportLibrary(database, "library");
  const groups = new ReportGroups();
  let number = 0;
  const kinds: Record<string, string> = {};
  for (const { name } of Deno.readDirSync(fixtures)) {
    const bytes = Deno.readFileSync(new URL(name, fixtures));
    const reports = reportsIn(bytes, name, null, options);
    kinds[name] = reports[0].kind;
    library.add([fileRecord(name, reports, `${++number}`)]);
    for (const report of readReports(bytes, name)) groups.add(summarizeReport(report, options));
  }
  const comparable = (all: Iterable<{ readonly id: string }>) =>
    [...all].map((group) => ({ ...group, id: group.id })).sort((a, b) => a.id < b.id ? -1 : 1);
  assertEquals(comparable(library.groups()), comparable(groups.sorted));
  assertEquals(
    [kinds["macos309.ips"], kinds["sample.txt"], kinds["stackshot288.ips"]],
    ["crash", "sample", "stackshot"],
  );
});

Deno.test("the same content counts once; what knows more replaces what knew less; hangs are counted on", async () => {
  using database = await openDatabase(":memory:");
  const library = new ReportLibrary(database, "library");
  const lacking = {
    ...base,
    missing: [{ uuid: "4C4C44B5-5555-3144-A1F5-3D9A0A2B6C3D", image: "MyApp" }],
  };
  assertEquals(library.add([fileRecord("a", [lacking], "a")]), ["new"]);
  assertEquals(
    library.add([fileRecord("a", [lacking], "a"), fileRecord("copy of a", [lacking], "a")]),
    [
      "known",
      "known",
    ],
  );
  assertEquals([...library.missing], ["4C4C44B5-5555-3144-A1F5-3D9A0A2B6C3D"]);
  assertEquals(library.filesWithout(lacking.missing[0].uuid), ["a", "copy of a"]);
  const named = {
    ...base,
    signature: { id: "f".repeat(16), parts: ["EXC_CRASH SIGABRT", "MyApp run"] },
  };
  assertEquals(library.add([fileRecord("a", [named], "a")]), ["changed"]);
  assertEquals([...library.groups()].map(({ id, count }) => [id, count]), [["f".repeat(16), 1]]);
  // Somebody who lacks the symbols does not undo it.
  assertEquals(library.add([fileRecord("a", [lacking], "a")]), ["known"]);
  assertEquals([...library.missing], []);
  // Another crash under the same name is another; a hang's new counts replace the old ones.
  library.add([fileRecord("a", [base], "b")]);
  assertEquals(library.counts.reports, 2);
  const hang = { ...base, kind: "hang", durationMs: 700 };
  library.add([fileRecord("h/hang.json", [{ ...hang, times: 2 }], "c")]);
  library.add([fileRecord("h/hang.json", [{ ...hang, times: 5 }], "d")]);
  assertEquals(library.counts.reports, 3);
  assertEquals([...library.groups()][0].count, 6);
  assertEquals(
    [...library.stacks()].map(({ kind, times, frames }) => [kind, times, frames.length]),
    [
      ["crash", 1, 1],
      ["crash", 1, 1],
      ["hang", 5, 1],
    ],
  );
});

Deno.test("a transaction that fails leaves nothing", async () => {
  using database = await openDatabase(":memory:");
  const library = new ReportLibrary(database, "library");
  library.add([fileRecord("a", [base], "a")]);
  const before = dumpOf(library);
  const broken = { ...base, verdict: null as unknown as string };
  assertThrows(() => library.add([fileRecord("b", [base], "b"), fileRecord("c", [broken], "c")]));
  assertEquals(dumpOf(library), before);
});

Deno.test("a full database: SQLite's own reason, and what was complete stays", async () => {
  using database = await openDatabase(":memory:");
  const library = new ReportLibrary(database, "library");
  library.add([fileRecord("/first", [base], "1")]);
  // SQLite's limit fails as a full disk does: it has ended the transaction before the error is seen.
  const pages = Object.values(database.prepare("PRAGMA page_count").get()!)[0];
  database.exec(`PRAGMA max_page_count = ${pages}`);
  const frames = Array.from(
    { length: 500 },
    (_, at) => ({ ...base.frames[0], address: `0x${at}` }),
  );
  assertThrows(
    () => library.add([fileRecord("/second", [{ ...base, frames }], "2")]),
    Error,
    "database or disk is full",
  );
  assertEquals(library.counts, { reports: 1, signatures: 1, failed: 0 });
});

Deno.test("hostile texts stay texts, in the tables and in the dump", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const file = `${folder}/library.sqlite`;
    const hostile = `'); DROP TABLE reports; -- \x1b[2J"\\'' \u202e\n;`;
    using database = await openDatabase(file);
    const library = new ReportLibrary(database, file);
    const report = {
      ...base,
      program: hostile,
      signature: { id: "a".repeat(16), parts: [hostile] },
    };
    library.add([fileRecord(hostile, [report], "a")]);
    const dump = dumpOf(library);
    using copy = await loaded(dump);
    assertEquals(copy.prepare("SELECT program FROM reports").get()?.program, hostile);
    assertEquals(dumpOf(new ReportLibrary(copy, "copy")), dump);
    // As another program reads it.
    const script = `${folder}/dump.sql`;
    await Deno.writeTextFile(script, dump);
    await sqlite3(`${folder}/other.sqlite`, `.read ${script}`);
    const tell = "SELECT COUNT(*), hex(program) FROM reports; PRAGMA integrity_check";
    const [row, check] = (await sqlite3(`${folder}/other.sqlite`, tell)).split("\n");
    const hex = Array.from(
      new TextEncoder().encode(hostile),
      (byte) => byte.toString(16).padStart(2, "0"),
    ).join("").toUpperCase();
    assertEquals([row, check], [`1|${hex}`, "ok"]);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("NUL, half characters and endless texts never get in", async () => {
  const text = (await Deno.readTextFile(new URL("ios104.crash", fixtures)))
    .replace("Weather Station", `a\0c\r${"x".repeat(5000)}`);
  const [report] = reportsIn(new TextEncoder().encode(text), "long.crash", null, options);
  const line = JSON.stringify(fileRecord("long.crash", [report], "a"));
  assert(line.length < 20_000);
  assertEquals(readRecord(line, "lines", 0).reports, [report]);
  for (
    const change of [
      (record: FileRecord) => ({ ...record, format: "other" }),
      (record: FileRecord) => ({ ...record, formatVersion: 2 }),
      (record: FileRecord) => ({ ...record, hash: "a'b" }),
      (record: FileRecord) => ({ ...record, size: -1 }),
      (record: FileRecord) => ({ ...record, path: "a\0b" }),
      (record: FileRecord) => ({ ...record, reports: [{ ...report, verdict: 3 }] }),
      (record: FileRecord) => ({ ...record, reports: [{ ...report, program: "\ud800" }] }),
      (record: FileRecord) => ({ ...record, reports: [{ ...report, program: "x".repeat(3000) }] }),
      (record: FileRecord) => ({ ...record, reports: [{ ...report, occurredAt: "soon" }] }),
      (record: FileRecord) => ({ ...record, reports: [{ ...report, frames: [{}] }] }),
      (record: FileRecord) => ({ ...record, reports: [null] }),
      () => null,
      () => [],
    ]
  ) {
    const changed = JSON.stringify(change(JSON.parse(line)));
    assertThrows(() => readRecord(changed, "lines", 0), Error, "expected");
  }
  assertThrows(() => readRecord("{", "lines", 0), Error, "expected a line of JSON");
});

Deno.test("a read-only connection answers, and can do nothing else", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const file = `${folder}/library.sqlite`;
    {
      using database = await openDatabase(file);
      new ReportLibrary(database, file).add([fileRecord("a", [base], "a")]);
    }
    using database = await openDatabase(file, { isReadOnly: true });
    assertEquals(database.prepare("SELECT upper(program) AS p FROM reports").all()[0].p, "MYAPP");
    for (
      const sql of [
        "DELETE FROM reports",
        "UPDATE reports SET kind = 'x'",
        "DROP TABLE reports",
        `ATTACH '${folder}/other.sqlite' AS other`,
        `VACUUM INTO '${folder}/other.sqlite'`,
        "PRAGMA journal_mode = DELETE",
      ]
    ) assertThrows(() => database.prepare(sql).all(), Error, "authoriz", sql);
    await Deno.writeTextFile(`${folder}/none`, "x".repeat(2000));
    await assertRejects(
      () => openDatabase(`${folder}/none`, { isReadOnly: true }),
      Error,
      "is no SQLite",
    );
    assertEquals([...Deno.readDirSync(folder)].some(({ name }) => name === "other.sqlite"), false);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("other databases and other versions are refused; an empty one is made", async () => {
  using other = await openDatabase(":memory:");
  other.exec("CREATE TABLE mine (value TEXT)");
  assertThrows(() => new ReportLibrary(other, "mine.sqlite"), Error, "collect");
  using library = await openDatabase(":memory:");
  void new ReportLibrary(library, "library");
  library.exec("UPDATE library SET value = '99'");
  assertThrows(() => new ReportLibrary(library, "library"), Error, "not 99");
});

Deno.test("every table and column has a sentence, and every name is plain SQL", () => {
  for (const { name, help, key, columns } of tables) {
    assert(help !== "" && key.every((part) => columns.some((column) => column.name === part)));
    for (const column of columns) assert(/^[a-z_]+$/.test(column.name) && column.help !== "", name);
  }
  assert(createStatements().every((statement) => !statement.includes("\\n")));
});

Deno.test("README.md has every table and column", async () => {
  const text = await Deno.readTextFile(new URL("../../../lib/collect/README.md", import.meta.url));
  const rows = text.replace(/ +/g, " ");
  for (const { name, help, columns } of tables) {
    assert(text.includes(`### \`${name}\`: ${help}`), name);
    for (const column of columns) {
      const line = `| \`${column.name}\` | ${column.type} | ${column.help}`;
      assert(rows.includes(line), line);
    }
  }
});
