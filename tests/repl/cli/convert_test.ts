/** `machpause convert` and `machpause profile` */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import {
  ProfileBuilder,
  readProfile,
  SampleState,
  totalWeight,
  writeProfile,
} from "../../../lib/profile/api.ts";
import { profileOfReport, readReport } from "../../../lib/report/mod.ts";
import { threadSums } from "../../../repl/cli/profile/show.ts";
import { knownProfile } from "../../lib/profile/known_profile.ts";
import { encodeKcdata } from "../../lib/stackshot/kcdata_encoder.ts";
import { shot } from "../../lib/stackshot/shot.ts";
import { compileHelper, Terminal, visible } from "../terminal.ts";

const program = new URL("../../../repl/main.ts", import.meta.url).pathname;
const sample = new URL("../../fixtures/reports/sample.txt", import.meta.url).pathname;

async function machpause(...args: string[]) {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", program, ...args],
    env: { NO_COLOR: "1" },
  }).output();
  const decoder = new TextDecoder();
  return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr), bytes: stdout };
}

/** Holds a folder for the length of a test. */
async function inFolder(body: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    await body(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("what sample prints is converted, by the output's ending", async () => {
  await inFolder(async (folder) => {
    const out = `${folder}/ledger.json.gz`;
    const { code, stdout, stderr } = await machpause("convert", sample, "-o", out);
    assertEquals(code, 0, stderr);
    assertStringIncludes(
      stdout,
      "ledger.json.gz: 5,086 samples of 2 threads, in 3 stacks, in the firefox format",
    );
    assertStringIncludes(stderr, "1 place in Ledger without a name; --symbols FOLDER");
    const profile = await readProfile(await Deno.readFile(out), out);
    assertEquals(totalWeight(profile), 2 * 2543);
    // And from there on.
    const next = await machpause("convert", out, "--format", "collapsed");
    assertEquals(next.code, 0, next.stderr);
    const lines = next.stdout.trimEnd().split("\n");
    assertEquals(lines.length, 3);
    const text = await machpause("convert", out, "-o", `${folder}/again.sample.txt`);
    assertEquals(text.code, 0, text.stderr);
    const again = profileOfReport(
      readReport(await Deno.readTextFile(`${folder}/again.sample.txt`), "again"),
    );
    assertEquals([totalWeight(again), again.interval], [2 * 2543, 1]);
    assertEquals(again.threads.map(({ id }) => id), [777001n, 777002n]);
    assertEquals(
      lines[0],
      "[main thread queue=com.apple.main-thread tid=777001];start;main (main.c:12);" +
        "-[Book sum (all)] (Book.m:40);Ledger + 0x1230 1500",
    );
  });
});

Deno.test("-o -: standard output, as without -o; what needs a file refuses it", async () => {
  await inFolder(async (folder) => {
    const plain = await machpause("convert", sample, "-f", "collapsed");
    const named = await machpause("convert", sample, "-f", "collapsed", "-o", "-");
    assertEquals([named.code, named.stderr], [0, ""]);
    assertEquals(named.stdout, plain.stdout);
    const page = await machpause("view", sample, "-o", "-");
    assertEquals([page.code, page.stdout.startsWith("<!doctype html>")], [0, true], page.stderr);
    const report = await machpause("crash", sample, "--out", "-");
    assertEquals([report.code, report.stdout], [0, await Deno.readTextFile(sample)]);
    const index = await machpause("index", folder, "-o", "-");
    assertEquals([index.code, index.stdout], [2, ""]);
    assertMatch(index.stderr, /a symbol table file is not written to standard output/);
  });
});

Deno.test({
  name: "profile: on a narrow screen functions keep their names",
  ignore: Deno.build.os === "windows",
  fn: () =>
    inFolder(async (folder) => {
      const builder = new ProfileBuilder({ product: "wide" });
      const thread = builder.thread({ process: builder.process(), isMain: true });
      const image = builder.image({ name: "wide" });
      const names = [
        "first",
        `ns::second<${"std::basic_string<char>, ".repeat(9)}int>(${"long, ".repeat(9)}int)`,
      ];
      for (const name of names) {
        const of = builder.function(name, { image, file: `/src/${"deep/".repeat(20)}wide.cpp` });
        builder.sample(thread, builder.stack(-1, builder.frame(of, { line: 4 })), 0);
      }
      const path = `${folder}/wide.json.gz`;
      await Deno.writeFile(path, await writeProfile(builder.finish(), { format: "firefox" }));
      const helper = await compileHelper(folder);
      for (const look of ["", "--tree"]) {
        const line = `stty cols 60; exec "$0" run -A ${program} profile ${path} ${look}`;
        await using terminal = await Terminal.start(helper, "sh", ["-c", line, Deno.execPath()], {
          NO_COLOR: "1",
        });
        assertEquals(await terminal.end(), 0);
        const shown = visible(terminal.raw);
        assert(shown.split("\n").every((line) => line.length <= 60), shown);
        assertMatch(shown, / first {2}wide {2}wide\.cpp$/m);
        assertMatch(shown, / ns::second<…>\(…\)(?: {2}wide)?$/m);
      }
    }),
});

Deno.test("profiles and stackshots are opened as what they are", async () => {
  await inFolder(async (folder) => {
    const known = knownProfile();
    const zipped = `${folder}/known.gz`;
    await Deno.writeFile(zipped, await writeProfile(known, { format: "firefox" }));
    const shown = await machpause(zipped);
    assertEquals(shown.code, 0, shown.stderr);
    assertMatch(shown.stdout, /^demo: pid 4242, arm64, macOS 14\.5 \(23F79\), 2023-11-14T22:13:20/);
    assertMatch(shown.stdout, /^200 samples of 2 threads, in 150 stacks, every 10 ms, 3 lost$/m);
    // By its CPU time: 9.9 ms of every 10.
    assertMatch(
      shown.stdout,
      /^0 +100 +50\.0 % +99\.0 % +main thread \(com\.apple\.main-thread\)$/m,
    );
    assertMatch(shown.stdout, /^60 +30\.0 % +60 +30\.0 % +burn_sixty {2}demo {2}\/src\/demo\.c$/m);

    const tree = await machpause("profile", zipped, "--tree", "--thread", "0");
    assertMatch(tree.stdout, /^ *100\.0 % +100 {2}main .*\n +60\.0 % +60 {3}burn_sixty/m);
    const json = JSON.parse((await machpause("profile", zipped, "--json")).stdout);
    assertEquals([json.total, json.threads.length, json.lost], [200, 2, 3]);
    assertEquals(json.functions[0].name, "libsystem_kernel.dylib + 0x1234");

    assertEquals(json.tree, undefined);
    // The same rows as the text's, and a thread by its name.
    const main = ["--thread", "main thread (com.apple.main-thread)"];
    for (const look of ["--tree", "--inverted"]) {
      const lines = (await machpause("profile", zipped, look, ...main)).stdout.trimEnd().split(
        "\n",
      );
      const { stdout } = await machpause("profile", zipped, look, ...main, "--json");
      const rows = JSON.parse(stdout).tree.map((
        { depth, name, total }: { depth: number; name: string; total: number },
      ) => `${total}  ${" ".repeat(depth)}${name}`);
      assertEquals(lines.length - 3, rows.length);
      for (const [at, row] of rows.entries()) assertStringIncludes(lines[at + 3], row);
    }
    const folded = await machpause("profile", folder);
    assertEquals([folded.code, folded.stderr], [1, `machpause: ${folder} is a folder\n`]);
    const none = await machpause("profile", zipped, "--thread", "none");
    assertEquals([none.code, none.stderr], [
      1,
      "machpause: there is no thread none: they are 0 to 1\n",
    ]);

    const stackshot = `${folder}/shot.kcdata`;
    await Deno.writeFile(stackshot, encodeKcdata(shot));
    const out = `${folder}/shot.pb.gz`;
    const converted = await machpause("convert", stackshot, "--pid", "501", "-o", out);
    assertEquals(converted.code, 0, converted.stderr);
    const profile = await readProfile(await Deno.readFile(out), out);
    assertEquals(profile.threads.map(({ name }) => name), ["main", "worker"]);
  });
});

Deno.test("a thread that was ready, and had no CPU, was not on one", () => {
  const builder = new ProfileBuilder({ interval: 10 });
  const process = builder.process({ name: "demo" });
  const state = SampleState.onCPU;
  // Four of the six samples were due while others had the CPU.
  const starved = builder.thread({ process });
  builder.sample(starved, -1, 0, { state, cpu: 10_000 });
  builder.sample(starved, -1, 50, { state, cpu: 5000, weight: 5 });
  // Samples that were lost: more CPU time than the samples stand for.
  const behind = builder.thread({ process });
  builder.sample(behind, -1, 0, { state, cpu: 10_000 });
  builder.sample(behind, -1, 40, { state, cpu: 40_000 });
  // Without CPU times there are the states.
  const untimed = builder.thread({ process });
  builder.sample(untimed, -1, 0, { state });
  builder.sample(untimed, -1, 10, { state: SampleState.offCPU, cpu: 0, weight: 3 });
  const profile = builder.finish();
  assertEquals([0, 1, 2].map((thread) => threadSums(profile, thread)), [
    { weight: 6, onCPU: 1.5, known: 6 },
    { weight: 2, onCPU: 2, known: 2 },
    { weight: 4, onCPU: 1, known: 4 },
  ]);
});

Deno.test("what cannot be converted is said in one line", async () => {
  await inFolder(async (folder) => {
    const cases: [args: string[], code: number, reason: string][] = [
      [[sample], 2, "convert to what?"],
      [[sample, "-o", `${folder}/x.txt`], 2, "no ending of a format"],
      [["/nowhere", "-o", `${folder}/x.json`], 1, "there is no file /nowhere"],
      [[program, "-o", `${folder}/x.json`], 1, "expected a profile of"],
      [[sample, sample, "-o", `${folder}/x.json`], 1, "only stackshots are read by the series"],
    ];
    for (const [args, code, reason] of cases) {
      const done = await machpause("convert", ...args);
      assertEquals(done.code, code, done.stderr);
      assertEquals(done.stderr.trimEnd().split("\n").length, 1, done.stderr);
      assertStringIncludes(done.stderr, reason);
    }
    assert([...Deno.readDirSync(folder)].length === 0, "nothing half-written stays");
  });
});

Deno.test("a file that cannot be written is named, with the reason, and nothing of it stays", async () => {
  await inFolder(async (folder) => {
    const path = `${folder}/a.speedscope.json`;
    // A limit on the size of files, whose signal is ignored, fails as a full disk does.
    const command = [Deno.execPath(), "run", "-A", program, "convert", sample, "-o", path].join(
      " ",
    );
    const { code, stderr } = await new Deno.Command("bash", {
      args: ["-c", `trap '' XFSZ; ulimit -f 0; exec ${command}`],
    }).output();
    assertEquals(
      [code, new TextDecoder().decode(stderr).trim()],
      [
        1,
        `machpause: cannot write ${path}: a file there cannot be so large; what was written of it has been removed`,
      ],
    );
    assertEquals([...Deno.readDirSync(folder)], []);
  });
});
