import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { isRoot, onLinux } from "../../machine.ts";
import { attributeReport, explainReport, readReport } from "../../../lib/report/mod.ts";
import { explanationLines } from "../../../repl/view/crash_show.ts";
import { root } from "../terminal.ts";
import { hostile, raw } from "../fake_target.ts";

const program = new URL("repl/main.ts", root).pathname;
const reports = new URL("tests/fixtures/reports/", root).pathname;
const inlines = new URL("tests/fixtures/inlines/arm64", root).pathname;

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

async function crash(...args: string[]): Promise<Ended> {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", program, "crash", ...args],
    stdin: "null",
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

Deno.test("the report first, then the explanation, which is what a terminal shows last", async () => {
  const { code, stdout, stderr } = await crash(`${reports}macos309.ips`);
  assertEquals({ code, stderr }, { code: 0, stderr: "" });
  const at = stdout.lastIndexOf("\n\nOrchard 3.1");
  const [report, explanation] = [stdout.slice(0, at), stdout.slice(at + 2)];
  assertMatch(explanation, /^Orchard 3\.1 \(310\): EXC_BREAKPOINT \(SIGTRAP\)/);
  for (
    const part of [
      "What happened\n  A Swift optional was nil",
      'Where\n  thread 1 "果樹園 worker"',
      "Whose\n  the program (Orchard)",
      "What to check\n  Unwrap with if let",
    ]
  ) assertStringIncludes(explanation, part);
  const missing = report.indexOf("\n\nSymbols that are missing\n  Orchard 2F4B6D80");
  const text = report.slice(0, missing);
  assertStringIncludes(text, "Thread 1 Crashed:\n0   Orchard ");
  assert(text.startsWith("Incident Identifier:") && text.endsWith("EOF"), text.slice(-40));
});

Deno.test("where: a thread's queue is not its name", () => {
  const where = (name: string): string => {
    const text =
      `Process: Shop [7]\n${name}\nThread 0 Crashed:\n0   Shop   0x0000000100000000 draw + 20\n`;
    const report = readReport(text, "x");
    return explanationLines(
      explainReport(report),
      { report, attribution: attributeReport(report), missing: [] },
      (_, text) => text,
    ).join("\n");
  };
  assertStringIncludes(
    where("Thread 0 name:   Dispatch queue: com.apple.main-thread"),
    "thread 0 (the main thread), in Shop",
  );
  assertStringIncludes(
    where("Thread 0 name:   Dispatch queue: org.shop.db"),
    'thread 0, on the queue "org.shop.db", in Shop',
  );
  assertStringIncludes(where("Thread 0 name:   baker"), 'thread 0 "baker", in Shop');
});

Deno.test("whose: a function without a name is told by its caller; an abort of malloc stays open", () => {
  const whose = (...frames: string[]): string => {
    const lines = frames.map((line, at) => `${at}  MyApp   0x00000001000${at}000 ${line}`);
    const report = readReport(`Thread 0 Crashed:\n${lines.join("\n")}\n`, "x");
    const attribution = attributeReport(report);
    const shown = explanationLines(
      explainReport(report),
      { report, attribution, missing: [] },
      (_, text) => text,
    );
    return shown.join("\n");
  };
  assertStringIncludes(
    whose("0x100000000 + 4096", "draw + 20", "main + 80"),
    "(frame 0), called by draw",
  );
  const stopped = whose("abort + 4", "malloc_report + 20", "drop + 80", "main + 80");
  // A copy without its list of images names them in its frames.
  assertStringIncludes(stopped, "thread 0, in MyApp abort (frame 0)");
  assertStringIncludes(stopped, "may have freed it wrongly");
  assertStringIncludes(stopped, "it was found in MyApp drop");
  assertStringIncludes(
    whose("abort + 4", "Shop::assertFailed() + 20", "Shop::draw() + 80", "main + 80"),
    "Shop::assertFailed() (frame 1), called by Shop::draw()",
  );
});

/** What is shown of a report. */
function shownOf(text: string): string {
  const report = readReport(text, "x");
  const attribution = attributeReport(report);
  const parts = { report, attribution, missing: [] };
  return explanationLines(explainReport(report), parts, (_, text) => text).join("\n");
}

Deno.test("frames are numbered with the stack that they are of; where the exception was raised; when", () => {
  const text = (lines: string): string =>
    `Process: Shop [7]
Path: /Applications/Shop.app/Contents/MacOS/Shop
Version: 2.1 (9)
Date/Time: 2031-02-03 04:05:06.789 +0100
Exception Type: EXC_CRASH (SIGABRT)
Crashed Thread: 0

${lines}Thread 0 Crashed:
0   libsystem_kernel.dylib  0x0000000180001000 __pthread_kill + 8
1   libsystem_c.dylib       0x0000000180002000 abort + 180
2   libc++abi.dylib         0x0000000180003000 abort_message + 132
3   libobjc.A.dylib         0x0000000180004000 _objc_terminate() + 144
4   Shop                    0x0000000100004000 main + 80

`;
  const shown = shownOf(text(`Last Exception Backtrace:
0   CoreFoundation          0x0000000180010000 __exceptionPreprocess + 164
1   libobjc.A.dylib         0x0000000180011000 objc_exception_throw + 60
2   CoreFoundation          0x0000000180012000 -[__NSArrayM objectAtIndex:] + 1
3   Shop                    0x0000000100003000 -[Cart take:] + 44
4   Shop                    0x0000000100004000 main + 80

`));
  const of = "of the last exception backtrace)";
  assertStringIncludes(shown, "EXC_CRASH (SIGABRT)\nDate: 2031-02-03 04:05:06 +0100\n");
  assertStringIncludes(
    shown,
    `thread 0; the exception was raised in CoreFoundation -[__NSArrayM objectAtIndex:] (frame 2 ${of}`,
  );
  assertStringIncludes(shown, `(Shop): -[Cart take:] (frame 3 ${of}`);
  assertMatch(
    shown,
    /What to check\n[^\n]*-\[Cart take:\] \(frame 3 of the last exception backtrace\)/,
  );
  assert(!/\(frame \d+\)| backtrace\) on its backtrace/.test(shown), shown);
  // What has no name may have raised it.
  const nameless = shownOf(text(`Last Exception Backtrace:
0   CoreFoundation          0x0000000180010000 0x180000000 + 65536
1   libobjc.A.dylib         0x0000000180011000 objc_exception_throw + 60
2   CoreFoundation          0x0000000180012000 0x180000000 + 73728
3   Shop                    0x0000000100003000 -[Cart take:] + 44

`));
  assertStringIncludes(nameless, "__pthread_kill (frame 0)\n");
  // Without another stack the number is enough.
  const alone = shownOf(text(""));
  assertStringIncludes(alone, "__pthread_kill (frame 0)\n");
});

Deno.test("the place is shown also where it decides", () => {
  const shown = shownOf(`Process: Shop [7]
Path: /Applications/Shop.app/Contents/MacOS/Shop
Date/Time: 1970-01-18 04:05:06 +0100
Exception Type: EXC_BAD_ACCESS (SIGSEGV)
Exception Codes: KERN_INVALID_ADDRESS at 0x0

Thread 0 Crashed:
0   Shop   0x0000000100003000 -[Cart take:] (Cart.m:12)
1   Shop   0x0000000100004000 main + 80
`);
  assertStringIncludes(shown, "thread 0, in Shop -[Cart take:] at Cart.m:12 (frame 0)");
  assertStringIncludes(shown, "the faulting instruction in -[Cart take:] uses, and why");
  // A clock that was not set.
  assert(!shown.includes("Date:"), shown);
});

Deno.test("symbols that are missing: the reader's own first, and how they are given", async () => {
  const file = `${reports}macos309.ips`;
  const { stdout } = await crash(file);
  const [, missing] = /\n\nSymbols that are missing\n( {2}Orchard [^]*?)\n\n/.exec(stdout)!;
  assertStringIncludes(missing, "--symbols PATH names the dSYM of Orchard, or a folder with it");
  assert(!missing.includes("1 frame, 1 of them"), missing);
  // Nobody has those of Apple's own programs.
  const text = (await Deno.readTextFile(file)).replaceAll(
    /"name"\s*:\s*"Orchard"/g,
    '"name":"com.apple.Orchard"',
  );
  const folder = await Deno.makeTempDir();
  await Deno.writeTextFile(`${folder}/apple.ips`, text);
  const apples = (await crash(`${folder}/apple.ips`)).stdout;
  await Deno.remove(folder, { recursive: true });
  assertMatch(apples, /\n {2}com\.apple\.Orchard /);
  assert(!apples.includes("names the dSYM of"), apples);
  const other = await crash(file, "--symbols", "tests");
  assertEquals(other.code, 0);
  assertMatch(
    other.stderr,
    /^machpause: warning: \S+: no symbols of Orchard \(2F4B6D80-\S+\) in tests\n/,
  );
});

Deno.test("whose: a function that is far from the fault is only told to be on the stack", () => {
  const frames = [
    "libobjc.A.dylib objc_msgSend + 8",
    "AppKit -[NSView one] + 8",
    "AppKit -[NSView two] + 8",
    "Shop -[Cart reload] + 8",
    "Shop main + 8",
    "dyld start + 8",
  ];
  const shown = (text: string): string => {
    const report = readReport(text, "x");
    const attribution = attributeReport(report);
    return explanationLines(
      explainReport(report),
      { report, attribution, missing: [] },
      (_, text) => text,
    )
      .join("\n");
  };
  const of = (from: number, to = frames.length): string =>
    shown(
      "Process: Shop [1]\nPath: /Applications/Shop.app/Contents/MacOS/Shop\n" +
        "Exception Type: EXC_BAD_ACCESS (SIGSEGV)\nException Codes: KERN_INVALID_ADDRESS at 0x18\n\n" +
        `Thread 0 Crashed:\n${
          frames.slice(from, to).map((line, at) => {
            const [image, ...name] = line.split(" ");
            return `${at} ${image}   0x000000010000${at}000 ${name.join(" ")}`;
          }).join("\n")
        }\n`,
    );
  assertStringIncludes(
    of(0),
    "Whose\n  not decided; on the stack is the program (Shop): -[Cart reload] (frame 3)",
  );
  assertStringIncludes(of(2), "Whose\n  points to the program (Shop): -[Cart reload] (frame 1)");
  // Where nothing else is known to check, and the function is evidence.
  const trap = "Process: Shop [1]\nPath: /Applications/Shop.app/Contents/MacOS/Shop\n" +
    "Exception Type: EXC_CRASH (SIGABRT)\n\nThread 0 Crashed:\n" +
    "0 libsystem_kernel.dylib   0x0000000100000000 __pthread_kill + 8\n" +
    "1 libsystem_c.dylib   0x0000000100001000 abort + 100\n" +
    "2 Shop   0x0000000100002000 weigh(int) + 8 (scale.cc:12)\n";
  const start = "What to check\n  Start at weigh(int) (scale.cc:12), frame 2.";
  assert(shown(`${trap}3 Shop   0x0000000100003000 main + 8\n`).endsWith(start));
  assert(!of(0).includes("Start at"), of(0));
  const head = "Process: Shop [1]\nPath: /Applications/Shop.app/Contents/MacOS/Shop\n" +
    "Exception Type: EXC_BAD_ACCESS (SIGSEGV)\nException Codes: KERN_INVALID_ADDRESS at 0x18\n\nThread 0 Crashed:\n";
  // What the compiler set aside of a function is told by the function's name.
  assertStringIncludes(
    shown(`${head}0 Shop   0x0000000100001000 lower(char const*) (.cold.1) + 8\n`),
    "(Shop): lower(char const*) (frame 0)",
  );
  assertStringIncludes(
    shown(
      `${head}0 libjvm.dylib   0x0000000100001000 Handles::allocate() + 8\n` +
        "1 libswt-cocoa.jnilib   0x0000000100002000 Java_org_eclipse_swt_internal_cocoa_OS_NewGlobalRef + 8\n" +
        "2 ???   0x0000000100003000 ???\n",
    ),
    "called by libswt-cocoa.jnilib; code in no image led to that",
  );
});

Deno.test("--json: the threads and images of bt --json, and the report's own fields", async () => {
  const { code, stdout } = await crash("--json", `${reports}ios104.crash`, `${reports}ios32.crash`);
  assertEquals(code, 0);
  const [first, second] = stdout.trim().split("\n").map((line) => JSON.parse(line));
  assertEquals([first.target.name, second.target.arch], ["Weather Station", "armv7"]);
  assertEquals(first.crashedThread, 0);
  assertEquals(first.threads[0].frames[2], {
    index: 2,
    address: "0x183147d0c",
    image: "libsystem_c.dylib",
    symbol: "abort",
    offset: 140,
    file: null,
    line: null,
    column: null,
    inlined: false,
    via: null,
  });
  const keys = ["name", "path", "uuid", "loadAddress", "slide"];
  assertEquals(Object.keys(first.images[0]).slice(0, 5), keys);
  assertEquals(first.threads[0].registers.pc, "0x1831d92ec");
  assertEquals(first.exception.type, "EXC_CRASH");
  assertEquals(first.attribution.deciding.index, 3);
  assertEquals(first.missing[0].name, "Weather Station");
  assertMatch(first.signature.id, /^[0-9a-f]{16}$/);
});

Deno.test("--text and --ips convert each to the other, --out writes the file", async () => {
  await inFolder(async (folder) => {
    const ips = `${folder}/a.ips`;
    const text = `${folder}/b.crash`;
    assertEquals((await crash(`${reports}ios32.crash`, "--ips", "--out", ips)).code, 0);
    assertEquals((await crash(ips, "--text", "--out", text)).code, 0);
    const [before, after] = await Promise.all(
      [`${reports}ios32.crash`, text].map(async (file) =>
        JSON.parse((await crash("--json", file)).stdout)
      ),
    );
    assertEquals(after.threads, before.threads);
    assertEquals(after.images, before.images);
    assertEquals(after.exception, before.exception);
    // A report that has the form already stays as it is.
    const same = await crash(`${reports}macos12.crash`, "--text");
    assertEquals(same.stdout, await Deno.readTextFile(`${reports}macos12.crash`));
    assertEquals([...Deno.readDirSync(folder)].length, 2);
  });
});

/** A report with a frame in the fixture's static library. */
async function helperReport(): Promise<string> {
  const image = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", program, "image", `${inlines}/inlines`, "--json", "--symbols"],
  }).output();
  const { images: [{ uuid, symbols }] } = JSON.parse(new TextDecoder().decode(image.stdout));
  const { value } = symbols.find(({ name }: { name: string }) => name === "_helper_twice");
  const offset = Number(BigInt(value) - 0x1_0000_0000n) + 4;
  const text = await Deno.readTextFile(`${reports}ios104.crash`);
  return text.replace("8c1d2e3f4a5b6c7d8e9f0a1b2c3d4e5f", uuid.replaceAll("-", "").toLowerCase())
    .replace(/Last Exception Backtrace:\n[^)]*\)\n/, "")
    .replace(
      "0x0000000100c44e10 0x100c40000 + 19984",
      `0x${(0x100c40000 + offset).toString(16).padStart(16, "0")} 0x100c40000 + ${offset}`,
    );
}

Deno.test("--symbols names frames; whose crash it is, by archive, by begin and end", async () => {
  await inFolder(async (folder) => {
    const file = `${folder}/helper.crash`;
    await Deno.writeTextFile(file, await helperReport());
    const plain = await crash(file, "--symbols", inlines);
    assertEquals(plain.stderr, "");
    assertStringIncludes(plain.stdout, "helper_twice + 4");
    assertStringIncludes(plain.stdout, "the program (libhelper.a)");
    const mine = await crash(file, "--symbols", inlines, "--mine", "helper");
    assertStringIncludes(mine.stdout, "the library asked for (libhelper.a)");
    const begin = await crash(
      ...[file, "--symbols", inlines, "--mine", "sdk", "--begin", "helper_twice"],
      ...["--end", "0x1000005c8"],
    );
    assertStringIncludes(begin.stdout, "by its place between begin and end");
    const wrong = await crash(file, "--begin", "nosuch", "--end", "0x10");
    assertEquals(wrong.code, 1);
    assertStringIncludes(wrong.stderr, "there is no symbol nosuch");
  });
});

Deno.test("--group: counts, times, versions and devices; a damaged file is a warning", async () => {
  await inFolder(async (folder) => {
    const text = await Deno.readTextFile(`${reports}ios32.crash`);
    for (let index = 0; index < 80; index++) {
      const one = text.replace("2014-11-02", `2014-11-${String(1 + index % 20).padStart(2, "0")}`)
        .replace("iPhone4,1", index % 4 === 0 ? "iPad2,1" : "iPhone4,1")
        .replace("roll:on:", index % 10 === 0 ? "stop:" : "roll:on:");
      await Deno.writeTextFile(`${folder}/${index}.crash`, one);
    }
    await Deno.writeTextFile(`${folder}/damaged.crash`, "no report");
    await Deno.writeTextFile(`${folder}/README.md`, "not read");
    const { code, stdout, stderr } = await crash(folder, "--group", "--json");
    // As without --group: what was not read is a failure.
    assertEquals(code, 1);
    const damaged = `${folder}/damaged.crash cannot be read as a report: expected a crash report`;
    assertStringIncludes(stderr, `machpause: warning: ${damaged}`);
    assertEquals(stderr.trim().split("\n").length, 1);
    const groups = stdout.trim().split("\n").map((line) => JSON.parse(line));
    assertEquals(groups.map(({ count, parts }) => [count, parts.at(-1)]), [
      [72, "Pocket Golf -[Ball roll:on:]"],
      [8, "Pocket Golf -[Ball stop:]"],
    ]);
    assertEquals(groups[0].first, "2014-11-02T17:01:22.990Z");
    assertEquals(groups[0].last, "2014-11-20T17:01:22.990Z");
    assertEquals(groups[0].models, [
      { name: "iPhone4,1", count: 56 },
      { name: "iPad2,1", count: 16 },
    ]);
    const table = await crash(folder, "--group");
    assertMatch(table.stdout, /^72× {2}EXC_BAD_ACCESS SIGSEGV {2}2014-11-02 to 2014-11-20/);
    assertStringIncludes(table.stdout, "80 reports, 2 signatures, 1 not read");
    assertStringIncludes(table.stdout, "The 16 digits are a signature");
    assert(!table.stdout.includes("The largest"), table.stdout);
  });
});

Deno.test("a form that cannot hold a report is refused, and the next report is written", async () => {
  const { code, stdout, stderr } = await crash(
    `${reports}sample.txt`,
    `${reports}macos12.crash`,
    "--text",
  );
  assertEquals(code, 1);
  assertMatch(
    stderr,
    /^machpause: .*sample\.txt: crash text has no place for a call tree with its counts\n$/,
  );
  assertStringIncludes(stdout, "Notes Keeper");
});

Deno.test("--group: every report of a file counts; of many groups the largest are named again at the end", async () => {
  await inFolder(async (folder) => {
    const text = await Deno.readTextFile(`${reports}ios32.crash`);
    const named = (name: string) => text.replace("roll:on:", `${name}:`);
    const names = "abcdefghijk".split("");
    await Deno.writeTextFile(`${folder}/one.crash`, names.map(named).join("\n"));
    await Deno.writeTextFile(`${folder}/two.crash`, named("c"));
    const each = await crash(folder, "--json");
    const { stdout } = await crash(folder, "--group");
    assertEquals(each.stdout.trim().split("\n").length, 12);
    assertMatch(
      stdout,
      /\n\nThe largest\n {2}2× {2}[0-9a-f]{16} {2}EXC_BAD_ACCESS SIGSEGV, .+ ← Pocket Golf -\[Ball c:\]\n\n/,
    );
    assertStringIncludes(stdout, "\n12 reports, 11 signatures\n");
  });
});

Deno.test("what a report holds is never printed raw", async () => {
  await inFolder(async (folder) => {
    const file = `${folder}/hostile.crash`;
    const text = (await Deno.readTextFile(`${reports}macos12.crash`))
      .replaceAll("Notes Keeper", `Notes${hostile.replace(/[\r\n]/g, "")}`)
      .replace("-[NotesController reload]", `-[Notes${hostile.replace(/[\r\n]/g, "")}]`);
    await Deno.writeTextFile(file, text);
    for (const args of [[], ["--json"], ["--group"], ["--group", "--json"]]) {
      const { stdout, stderr } = await crash(file, ...args);
      // Tabs are a report's columns.
      assert(!raw.test(stdout.replaceAll("\t", " ")), args.join());
      assert(!raw.test(stderr), args.join());
    }
  });
});

Deno.test("wrong command lines and files that are not there", async () => {
  for (
    const args of [
      [],
      ["a", "--json", "--text"],
      ["a", "--begin", "b"],
      ["a", "b", "--text", "--out", "c"],
      ["a", "--group", "--ips"],
      ["a", "--group", "--brief"],
      ["a", "--brief", "--text"],
      ["a", "--brief", "--out", "c"],
      ["a", "--args"],
      ["-", "--group"],
    ]
  ) {
    const { code, stdout, stderr } = await crash(...args);
    assertEquals({ args, code, stdout }, { args, code: 2, stdout: "" });
    assertMatch(stderr, /^machpause: [^\n]+\n$/);
  }
  const { code, stdout, stderr } = await crash("nosuch", `${reports}ios32.crash`, "--json");
  assertEquals([code, stderr], [1, "machpause: there is no file nosuch\n"]);
  assertEquals(JSON.parse(stdout).target.name, "Pocket Golf");
});

/** Runs the command with text on standard input. */
async function crashOf(input: string, ...args: string[]): Promise<Ended> {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", program, "crash", ...args],
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(input));
  await writer.close();
  const { code, stdout, stderr } = await child.output();
  const decoder = new TextDecoder();
  return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}

Deno.test("- is standard input; --brief is the explanation alone", async () => {
  const text = await Deno.readTextFile(`${reports}macos12.crash`);
  const [whole, piped] = await Promise.all([
    crash(`${reports}macos12.crash`),
    crashOf(text, "-", "--brief"),
  ]);
  assertEquals([piped.code, piped.stderr], [0, ""]);
  assert(whole.stdout.endsWith(`\n\n${piped.stdout}`), piped.stdout);
  assert(piped.stdout.includes("What happened") && !piped.stdout.includes("Binary Images:"));
  const none = await crashOf("", "-");
  assertEquals(none, { code: 1, stdout: "", stderr: "machpause: standard input is empty\n" });
  const { code, stderr } = await crash();
  assertEquals(code, 2);
  assertStringIncludes(stderr, "or - for standard input");
});

Deno.test("a folder: .json and .txt are tried, what is none is told once; a title for each of several", async () => {
  await inFolder(async (folder) => {
    await Deno.copyFile(`${reports}macos309.ips`, `${folder}/a.json`);
    const one = await crash(folder, "--brief");
    assertEquals([one.code, one.stderr], [0, ""]);
    assert(!one.stdout.includes("== ") && one.stdout.includes("\nOrchard 3.1 (310)"), one.stdout);
    await Deno.copyFile(`${reports}macos12.crash`, `${folder}/b.crash`);
    for (const name of ["c", "d", "e"]) await Deno.writeTextFile(`${folder}/${name}.json`, "{}");
    await Deno.writeTextFile(`${folder}/notes.txt`, "buy bread");
    const stray = `machpause: warning: ${
      ["c", "d", "e"].map((name) => `${folder}/${name}.json`).join(", ")
    } and 1 more are no reports\n`;
    const { code, stdout, stderr } = await crash(folder, "--brief");
    assertEquals([code, stderr], [0, stray]);
    assertEquals(stdout.match(/^== .*/gm), [`== ${folder}/a.json ==`, `== ${folder}/b.crash ==`]);
    const grouped = await crash(folder, "--group");
    assertEquals([grouped.code, grouped.stderr], [0, stray]);
    assertStringIncludes(grouped.stdout, "2 reports, 2 signatures\n");
    const named = await crash(`${folder}/c.json`, `${folder}/b.crash`);
    assertEquals(named.code, 1);
    assertStringIncludes(named.stderr, `${folder}/c.json cannot be read as a report: expected`);
    // Two reports in one file.
    const text = await Deno.readTextFile(`${folder}/b.crash`);
    const both = await crashOf(
      `${text}\n${text.replace(/^Process: .*/m, "Process: Other [7]")}`,
      "-",
    );
    assertEquals(both.stdout.match(/^== .*/gm), [
      "== standard input (1 of 2) ==",
      "== standard input (2 of 2) ==",
    ]);
  });
});

Deno.test("what is no report is told by its kind, a folder without reports by its name", async () => {
  await inFolder(async (folder) => {
    const files: Readonly<Record<string, readonly [head: string, words: string]>> = {
      "a.ips": ["", "is empty"],
      "b.ips": ["PK\x03\x04\x14\0", "is a zip archive"],
      "c.ips": ["\x1f\x8b\x08\0", "is compressed"],
      "d.ips": ["\x89PNG\r\n\x1a\n\0\0\0\x0d", "is a picture"],
      "e.ips": ["\xcf\xfa\xed\xfe\x0c\0\0\x01\0\0\0\0\x02\0\0\0", "is a program or library"],
      "f.ips": ["\xcf\xfa\xed\xfe\x0c\0\0\x01\0\0\0\0\x04\0\0\0", "is a core"],
      "g.ips": ["\x57\xf1\xad\xde\0\0\0\0\0\0\0\0\0\0\0\0", "is a stackshot"],
      "h.ips": ["buy bread", "cannot be read as a report: expected a crash report"],
    };
    for (const [name, [head]] of Object.entries(files)) {
      await Deno.writeFile(`${folder}/${name}`, Uint8Array.from(head, (at) => at.charCodeAt(0)));
    }
    const { code, stdout, stderr } = await crash(folder);
    assertEquals([code, stdout], [1, ""]);
    const told = stderr.trim().split("\n");
    assertEquals(told.length, Object.keys(files).length);
    for (const [at, [name, [, words]]] of Object.entries(files).entries()) {
      assertStringIncludes(told[at], `machpause: ${folder}/${name} ${words}`);
    }
    await Deno.mkdir(`${folder}/none`);
    await Deno.writeTextFile(`${folder}/none/a.zip`, "PK");
    const none = `no reports in ${folder}/none\n`;
    for (const args of [[], ["--group"]]) {
      const { code, stderr } = await crash(`${folder}/none`, ...args);
      assertEquals(code, 1);
      assert(stderr.endsWith(none), stderr);
    }
  });
});

Deno.test("--out goes by the ending and says so; --text has line feeds; --mine that nothing has", async () => {
  await inFolder(async (folder) => {
    const file = `${folder}/a.crash`;
    const text = await Deno.readTextFile(`${reports}macos12.crash`);
    await Deno.writeTextFile(file, text.replaceAll("\n", "\r\n"));
    assertEquals((await crash(file, "--text")).stdout, text);
    for (
      const [ending, form] of [["ips", "as .ips"], ["json", "as JSON"], ["txt", "in its own form"]]
    ) {
      const out = `${folder}/x.${ending}`;
      const { code, stdout } = await crash(file, "--out", out);
      assertEquals([code, stdout], [0, `${out}: the report, ${form}\n`]);
    }
    assertMatch(await Deno.readTextFile(`${folder}/x.ips`), /^\{.*"bug_type":.*\}\n\{/);
    assertEquals(
      JSON.parse(await Deno.readTextFile(`${folder}/x.json`)).target.name,
      "Notes Keeper",
    );
    assertEquals((await crash(`${folder}/x.ips`, "--out", `${folder}/y.crash`)).code, 0);
    assertMatch(await Deno.readTextFile(`${folder}/y.crash`), /^Process: +Notes Keeper /m);
    const nowhere = await crash(file, "--out", `${folder}/no/x.ips`);
    assertEquals([nowhere.code, nowhere.stderr], [
      1,
      `machpause: cannot write ${folder}/no/x.ips: there is no such folder\n`,
    ]);
    const [other, own] = await Promise.all(
      ["Sentry", "Notes Keeper"].map((name) => crash(file, "--brief", "--mine", name)),
    );
    assertStringIncludes(other.stderr, "warning: --mine Sentry: no image has that name");
    assertEquals([other.code, own.stderr], [0, ""]);
    const [none, some] = await Promise.all(
      ["Sentry", "Notes Keeper"].map((name) => crash(file, "--group", "--mine", name)),
    );
    assertEquals(
      none.stderr,
      "machpause: warning: --mine Sentry: it decides none of the reports\n",
    );
    assertEquals([none.code, some.stderr], [0, ""]);
  });
});

Deno.test({
  name: "--group: a folder that may not be read is said, the others are read",
  ignore: !isRoot,
  async fn() {
    await inFolder(async (folder) => {
      await Deno.chmod(folder, 0o777);
      for (const [name, mode] of [["a", 0o755], ["secret", 0o700]] as const) {
        await Deno.mkdir(`${folder}/${name}`);
        await Deno.copyFile(`${reports}macos12.crash`, `${folder}/${name}/one.crash`);
        await Deno.chmod(`${folder}/${name}/one.crash`, 0o644);
        await Deno.chmod(`${folder}/${name}`, mode);
      }
      const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
        args: ["run", "-A", "--no-lock", program, "crash", "--group", `${folder}/`],
        uid: 65534,
        gid: 65534,
        env: { HOME: folder, DENO_DIR: `${folder}/deno`, NO_COLOR: "1" },
      }).output();
      const text = new TextDecoder();
      assertStringIncludes(text.decode(stdout), "1 report, 1 signature, 1 not read");
      assertStringIncludes(text.decode(stderr), `${folder}/secret may not be read`);
      assertStringIncludes(text.decode(stdout), `for one: ${folder}/a/one.crash`);
      assertEquals(code, 1);
    });
  },
});

Deno.test({
  name: "--via: a report of a process that a stub reads",
  ignore: !onLinux || !isRoot,
  async fn() {
    const child = new Deno.Command("sleep", { args: ["100"] }).spawn();
    try {
      const { code, stdout, stderr } = await crash("--via", "gdbserver", "--text", `${child.pid}`);
      assertEquals({ code, stderr }, { code: 0, stderr: "" });
      assertMatch(stdout, new RegExp(`^Process: +sleep \\[${child.pid}\\]$`, "m"));
      assertMatch(stdout, /^Thread 0:\n0 +libc/m);
    } finally {
      child.kill("SIGKILL");
      await child.status;
    }
    const both = await crash("--via", "gdbserver", "--group", "reports");
    assertEquals([both.code, both.stdout], [2, ""]);
  },
});
