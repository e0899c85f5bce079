/** `machpause collect` and `query`: files become rows, once, whatever happens meanwhile. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { openDatabase } from "../../../ffi/sqlite.ts";
import { hangFolder } from "../../../ffi/hang_folder.ts";
import { ReportLibrary } from "../../../lib/collect/mod.ts";
import { type Hang, HangStore } from "../../../lib/hang/mod.ts";
import { until } from "../../ffi/program.ts";
import { root } from "../terminal.ts";

const program = new URL("repl/main.ts", root).pathname;
const reports = new URL("tests/fixtures/reports/", root).pathname;
const inlines = new URL("tests/fixtures/inlines/arm64", root).pathname;
const deno = ["run", "-A", program];

async function machpause(...args: string[]) {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [...deno, ...args],
    stdin: "null",
    env: { NO_COLOR: "1" },
  }).output();
  const decoder = new TextDecoder();
  return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}

async function inFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    await work(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Rows of a library, asked in this process: starting the program takes longer. */
async function rows(file: string, sql: string): Promise<unknown[]> {
  using database = await openDatabase(file, { isReadOnly: true });
  return database.prepare(sql).all().map((row) => ({ ...row }));
}

/** Everything in a library. */
async function dumpOf(file: string): Promise<string> {
  using database = await openDatabase(file, { isReadOnly: true });
  return [...new ReportLibrary(database, file, { isReadOnly: true }).dump()].join("");
}

/** Reports that differ in a line. */
async function many(folder: string, count: number): Promise<void> {
  await Deno.mkdir(folder);
  const text = await Deno.readTextFile(`${reports}ios104.crash`);
  for (let number = 0; number < count; number++) {
    const name = `${folder}/${`${number}`.padStart(5, "0")}.crash`;
    await Deno.writeTextFile(name, text.replace(/^Incident Identifier: .*/m, `$&${number}`));
  }
}

const collected = (text: string) => {
  const { new: added, changed, known, unchanged, failed, reports } = JSON.parse(text);
  return [added, changed, known, unchanged, failed, reports];
};

Deno.test("collect: what is new, once; copies, changes, damage; grouped as crash --group does", async () => {
  await inFolder(async (folder) => {
    const [from, into] = [`${folder}/reports`, `${folder}/crashes.sqlite`];
    await Deno.mkdir(from);
    for (const name of ["ios104.crash", "ios109.ips", "macos309.ips", "sample.txt"]) {
      await Deno.copyFile(`${reports}${name}`, `${from}/${name}`);
    }
    const first = await machpause("collect", from, "--into", into, "--json");
    assertEquals([first.code, first.stderr, collected(first.stdout)], [0, "", [4, 0, 0, 0, 0, 4]]);
    await Deno.copyFile(`${from}/ios109.ips`, `${from}/copy.ips`);
    await Deno.writeTextFile(`${from}/notes.txt`, "this is none\x1b[2J");
    const second = await machpause("collect", from, "--into", into, "--json");
    assertEquals(collected(second.stdout), [0, 0, 1, 4, 1, 4]);
    assertMatch(second.stderr, /^machpause: warning: [^\n]*notes\.txt[^\n]*\n$/);
    // What only may be a report is told in one line.
    for (const name of ["x", "y"]) await Deno.writeTextFile(`${from}/${name}.json`, "{}");
    const third = await machpause("collect", from, "--into", into, "--json");
    assertEquals(
      third.stderr,
      `machpause: warning: ${from}/x.json and ${from}/y.json are no reports\n`,
    );
    const left = [...Deno.readDirSync(folder)].map(({ name }) => name).sort();
    assertEquals(left, ["crashes.sqlite", "reports"]);
    const grouped = await machpause("crash", into, "--group", "--json");
    const groups = grouped.stdout.trim().split("\n").map((line) => JSON.parse(line));
    assertEquals(groups.map(({ count }) => count), [1, 1, 1, 1]);

    const asked = await machpause(
      "query",
      into,
      "SELECT program, times FROM reports ORDER BY 1",
      "--csv",
    );
    assertMatch(asked.stdout, /^program,times\r\n/);
    assertStringIncludes(asked.stdout, "Weather Station,1\r\n");
    const bare = await machpause(into);
    assertStringIncludes(bare.stdout, "signature_parts: the parts of a signature");
    const { code, stdout, stderr } = await machpause("query", into, "DELETE FROM reports");
    assertEquals([code, stdout, stderr], [1, "", "machpause: not authorized\n"]);
    const dump = await machpause("query", into, "--dump");
    assertEquals(dump.stdout, await dumpOf(into));
  });
});

Deno.test("collect: a killed one leaves what was complete, and the next one the rest; by parts it is the same", async () => {
  await inFolder(async (folder) => {
    const from = `${folder}/reports`;
    await many(from, 90);
    const [killed, whole, merged] = ["killed", "whole", "merged"].map((name) =>
      `${folder}/${name}.sqlite`
    );
    const child = new Deno.Command(Deno.execPath(), {
      args: [...deno, "collect", from, "--into", killed],
      stdout: "null",
      stderr: "null",
    }).spawn();
    let ended = false;
    const status = child.status.then(() => ended = true);
    await until(() => {
      try {
        return ended || Deno.statSync(`${killed}-wal`).size > 40_000;
      } catch {
        return ended;
      }
    }, "it writes");
    if (!ended) child.kill("SIGKILL");
    await status;
    {
      using database = await openDatabase(killed);
      const check = database.prepare("PRAGMA integrity_check").get();
      assertEquals(Object.values(check!), ["ok"]);
      const torn =
        "SELECT COUNT(*) AS count FROM files WHERE hash NOT IN (SELECT hash FROM reports)";
      assertEquals(Number(database.prepare(torn).get()?.count), 0);
    }
    await machpause("collect", from, "--into", killed);
    await machpause("collect", from, "--into", whole);
    // As `--help` shows it.
    const line = `find ${from} -type f | parallel -X -n 50 ` +
      `${Deno.execPath()} ${deno.join(" ")} collect --jsonl > ${folder}/part.jsonl`;
    const parallel = await new Deno.Command("sh", { args: ["-c", line], stdin: "null" }).output();
    assertEquals(parallel.code, 0);
    // Parts may come in any order, and twice.
    const part = `${folder}/part.jsonl`;
    const parts = await machpause("collect", part, part, "--into", merged);
    assertEquals([parts.code, parts.stderr], [0, ""]);
    const dumps = await Promise.all([killed, whole, merged].map(dumpOf));
    assert(dumps[1].length > 30_000);
    assertEquals(dumps.map((dump) => dump === dumps[1]), [true, true, true]);
  });
});

Deno.test("collect: reports are named again when the symbols have come; hangs are counted on", async () => {
  await inFolder(async (folder) => {
    const into = `${folder}/crashes.sqlite`;
    const image = await machpause("image", `${inlines}/inlines`, "--json", "--symbols");
    const { images: [{ uuid, symbols }] } = JSON.parse(image.stdout);
    const { value } = symbols.find(({ name }: { name: string }) => name === "_helper_twice");
    const address = 0x100c40000 + Number(BigInt(value) - 0x1_0000_0000n) + 4;
    const text = (await Deno.readTextFile(`${reports}ios104.crash`))
      .replace("8c1d2e3f4a5b6c7d8e9f0a1b2c3d4e5f", uuid.replaceAll("-", "").toLowerCase())
      .replace(/Last Exception Backtrace:\n[^)]*\)\n/, "")
      .replace(
        "0x0000000100c44e10 0x100c40000 + 19984",
        `0x${address.toString(16).padStart(16, "0")} 0x100c40000 + ${address - 0x100c40000}`,
      );
    await Deno.writeTextFile(`${folder}/helper.crash`, text);
    const base: Hang = {
      format: "machpause-hang",
      version: 1,
      serial: 1,
      signature: { id: "0".repeat(16), parts: ["hang", "MyApp load"] },
      severity: "hang",
      target: { kind: "live", pid: 1, name: "MyApp", arch: "arm64" },
      thread: 0,
      kind: "blocked",
      began: "2026-01-02T03:04:05.000Z",
      milliseconds: 700,
      atLeast: 680,
      atMost: 720,
      ended: "idle",
      limit: 250,
      period: 40,
      stoppedMicroseconds: 100,
      looks: [{ at: 0, looks: 17, running: false, cpu: 0, stack: 0 }],
      stacks: [[{
        index: 0,
        address: "0x100001000",
        image: "MyApp",
        symbol: "load",
        offset: 4,
        file: null,
        line: null,
        column: null,
        inlined: false,
        via: "context",
      }]],
      threads: [],
      waits: [],
      deadlocks: [],
      images: [{
        name: "MyApp",
        path: "/Applications/MyApp",
        uuid: null,
        loadAddress: "0x100000000",
        size: 65536,
      }],
    };
    const store = new HangStore(hangFolder(`${folder}/hangs`));
    store.add(base);
    const collect = async (...more: string[]) =>
      collected((await machpause("collect", folder, "--into", into, "--json", ...more)).stdout);
    assertEquals(await collect(), [2, 0, 0, 0, 0, 2]);
    const frames = "SELECT symbol FROM frames WHERE symbol LIKE 'helper%'";
    assertEquals(await rows(into, frames), []);
    assertEquals(await collect("--symbols", inlines), [0, 1, 0, 1, 0, 2]);
    assertEquals((await rows(into, frames))[0], { symbol: "helper_twice" });
    const hang = "SELECT times, duration_ms, occurred_at FROM reports WHERE kind = 'hang'";
    const first = { times: 1, duration_ms: 700, occurred_at: base.began };
    assertEquals(await rows(into, hang), [first]);
    const asked = await machpause("query", into, hang, "--json");
    assertEquals(JSON.parse(asked.stdout), first);
    const later = "2026-01-02T04:00:00.000Z";
    store.add({ ...base, began: later, milliseconds: 900 });
    await collect();
    assertEquals(await rows(into, hang), [{ times: 2, duration_ms: 900, occurred_at: later }]);
  });
});

Deno.test("collect and query: a wrong command line is said in a line", async () => {
  for (
    const [args, code, reason] of [
      [["collect", "x", "--into", "y", "--jsonl"], 2, /not both/],
      [["query", "/nonexistent.sqlite"], 1, /there is no file/],
    ] as const
  ) {
    const { code: exit, stdout, stderr } = await machpause(...args);
    assertEquals([args, exit, stdout], [args, code, ""]);
    assertMatch(stderr, /^machpause: [^\n]+\n$/);
    assertMatch(stderr, reason);
  }
});

Deno.test("collect: a name that is no file's fails, and the others are collected; query: one statement", async () => {
  await inFolder(async (folder) => {
    const into = `${folder}/crashes.sqlite`;
    const report = `${reports}ios104.crash`;
    const { code, stdout, stderr } = await machpause("collect", report, "nope", "--into", into);
    assertEquals([code, stderr], [1, "machpause: warning: there is no file nope\n"]);
    assertStringIncludes(stdout, "1 new file, 1 not read");
    const lines = await machpause("collect", "nope", "--jsonl");
    assertEquals([lines.code, lines.stderr], [1, "machpause: there is no file nope\n"]);
    // What is behind the first statement is not left out without a word.
    const sql = "SELECT COUNT(*) AS n FROM reports";
    const whole = await machpause("query", into, `${sql}; -- and nothing more\n;`, "--json");
    assertEquals([whole.code, whole.stdout], [0, '{"n":1}\n'], whole.stderr);
    for (
      const [text, reason] of [[`${sql}; SELECT 2`, /`SELECT 2`/], ["-- none", /no SQL/]] as const
    ) {
      const two = await machpause("query", into, text, "--json");
      assertEquals([two.code, two.stdout], [2, ""]);
      assertMatch(two.stderr, reason);
    }
  });
});

Deno.test("collect: a file that cannot be written is named, and an empty one does not stay", async () => {
  await inFolder(async (folder) => {
    const into = `${folder}/crashes.sqlite`;
    // A limit on the size of files, whose signal is ignored, fails as a full disk does.
    const line = [Deno.execPath(), ...deno, "collect", reports, "--into", into].join(" ");
    const { code, stderr } = await new Deno.Command("bash", {
      args: ["-c", `trap '' XFSZ; ulimit -f 64; exec ${line}`],
    }).output();
    const text = new TextDecoder().decode(stderr);
    assertEquals(code, 1, text);
    assertStringIncludes(text, `machpause: cannot write ${into}: `);
    assertEquals([...Deno.readDirSync(folder)], []);
  });
});
