/** `machpause view`. The page itself: `tests/repl/page/`. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { main } from "../../../repl/main.ts";
import { ProfileBuilder } from "../../../lib/profile/mod.ts";
import { readProfile, writeProfile } from "../../../lib/profile/formats.ts";
import { encodeKcdata } from "../../lib/stackshot/kcdata_encoder.ts";
import { shot } from "../../lib/stackshot/shot.ts";
import { canLaunch } from "../../machine.ts";

const root = new URL("../../../", import.meta.url).pathname;
const program = `${root}repl/main.ts`;
const inlines = `${root}tests/fixtures/inlines/x86_64`;

/** Runs a command here, and gathers what it complains about. */
async function run(...args: string[]): Promise<{ code: number | undefined; stderr: string }> {
  let stderr = "";
  const { stdout: { writeSync: out }, stderr: { writeSync: errors } } = Deno;
  Deno.stdout.writeSync = (bytes) => bytes.length;
  Deno.stderr.writeSync = (bytes) => {
    stderr += new TextDecoder().decode(bytes);
    return bytes.length;
  };
  try {
    const code = await main(args);
    return { code, stderr };
  } finally {
    Deno.stdout.writeSync = out;
    Deno.stderr.writeSync = errors;
  }
}

const view = (...args: string[]) => run("view", ...args);

// deno-lint-ignore no-explicit-any
function dataOf(path: string): any {
  return JSON.parse(/id="data">(.*?)<\/script>/s.exec(Deno.readTextFileSync(path))![1]);
}

/** Starts a viewer; returns the address that it prints. */
async function start(...args: string[]): Promise<{ url: string; stop(): Promise<number> }> {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", program, "view", "--no-open", ...args],
    stdout: "piped",
  }).spawn();
  let text = "";
  for await (const piece of child.stdout.pipeThrough(new TextDecoderStream())) {
    if ((text += piece).includes("\n")) break;
  }
  return {
    url: text.slice(0, text.indexOf("\n")),
    stop: async () => {
      child.kill("SIGINT");
      return (await child.status).code;
    },
  };
}

async function withFolder(body: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    await body(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** A profile without symbols: its function's name is its address, as before symbolication. */
async function unsymbolicated(): Promise<Uint8Array> {
  const builder = new ProfileBuilder({ interval: 1, product: "inlines" });
  const process = builder.process({ name: "inlines", pid: 7 });
  const image = builder.image({
    name: "inlines",
    path: "/x/inlines",
    uuid: "4C4C44E3-5555-3144-A15B-6FD47115AD9A",
    address: 0x1_0000_0000n,
    size: 0x4000n,
  });
  const address = 0x1_0000_061cn;
  const frame = builder.frame(builder.function(null, { image, address }), { address });
  const thread = builder.thread({ process, id: 1n, name: "main", isMain: true });
  for (let row = 0; row < 10; row++) builder.sample(thread, builder.stack(-1, frame), row);
  return await writeProfile(builder.finish(), { format: "firefox" });
}

Deno.test({
  name: "a live process: every thread, states and locals, in one file",
  ignore: !canLaunch,
  fn: () =>
    withFolder(async (folder) => {
      const { code, stderr } = await view("demo", "-o", `${folder}/demo.html`);
      assertEquals(code, 0, stderr);
      const data = dataOf(`${folder}/demo.html`);
      assertEquals([data.moment, data.title, data.threads.length], [true, "demo", 7]);
      assert(data.threads.some(({ name }: { name: string }) => name.endsWith("demo.lock")));
      assert(data.threads.every(({ state }: { state: string }) => state !== ""));
      assertStringIncludes(JSON.stringify(data.threads[0].locals), '"microseconds","int","5000"');
      assertStringIncludes(data.strings.join("\n"), "wait_for_event");
    }),
});

Deno.test("reports and profiles are told by their content", () =>
  withFolder(async (folder) => {
    const out = `${folder}/page.html`;
    const report = await view(`${root}tests/fixtures/reports/macos309.ips`, "-o", out);
    assertEquals(report.code, 0, report.stderr);
    const crash = dataOf(out);
    assertEquals([crash.title, crash.moment], ["Orchard", true]);
    assertEquals(crash.threads.map(({ mark }: { mark: string }) => mark), ["", "crashed"]);
    assertStringIncludes(crash.subtitle, "EXC_BREAKPOINT");
    assertStringIncludes(crash.notes.join("\n"), "optional was nil");
    assertStringIncludes(crash.notes.join("\n"), "\nPossible cause: a forced unwrap");
    const nameless = await view(`${root}tests/fixtures/reports/stackshot288.ips`, "-o", out);
    assertEquals(nameless.code, 0, nameless.stderr);
    assertEquals(dataOf(out).title, "stackshot288.ips");

    const sampled = await view(`${root}tests/fixtures/reports/sample.txt`, "-o", out);
    assertEquals(sampled.code, 0, sampled.stderr);
    const counts = dataOf(out);
    assertEquals([counts.moment, counts.timed], [false, false]);
    assert(counts.threads.length > 0);

    await Deno.writeFile(`${folder}/shot`, encodeKcdata(shot));
    const stackshot = await view(`${folder}/shot`, "-o", out);
    assertEquals(stackshot.code, 0, stackshot.stderr);
    const tasks = dataOf(out);
    assertEquals([tasks.moment, tasks.threads.length], [true, 4]);
    assert(tasks.threads.every(({ about }: { about: string }) => about.includes(" · ")));

    const odd = `${folder}/no ending`;
    await Deno.writeFile(odd, await unsymbolicated());
    assertEquals((await view(odd, "-o", out)).code, 0);
    const profile = dataOf(out);
    assertEquals([profile.moment, profile.timed, profile.threads[0].samples.stack.length], [
      false,
      true,
      10,
    ]);
    assertEquals(profile.strings[profile.functions.name[0]], "inlines + 0x61c");
  }));

Deno.test("a library of reports: each group is a stack that weighs as many reports", () =>
  withFolder(async (folder) => {
    const library = `${folder}/crashes.sqlite`;
    const reports = `${root}tests/fixtures/reports`;
    await Deno.copyFile(`${reports}/macos309.ips`, `${folder}/one.ips`);
    const text = await Deno.readTextFile(`${reports}/macos309.ips`);
    await Deno.writeTextFile(`${folder}/two.ips`, `${text}\n`);
    await Deno.copyFile(`${reports}/ios32.crash`, `${folder}/three.crash`);
    assertEquals((await run("collect", folder, "--into", library)).code, 0);
    const out = `${folder}/page.html`;
    const { code, stderr } = await view(library, "-o", out);
    assertEquals(code, 0, stderr);
    const data = dataOf(out);
    assertEquals(data.subtitle, "3 reports in 2 groups");
    const [first, second] = data.threads;
    assertMatch(first.name, /^2× EXC_BREAKPOINT SIGTRAP ← Orchard/);
    assertMatch(second.name, /^1× EXC_BAD_ACCESS/);
    assertEquals([first.samples.weight, second.samples.weight], [[2], [1]]);
    assertStringIncludes(first.about, "devices Mac14,2 (2×)");
    assertEquals(data.words, { one: "group", many: "groups", weight: "Reports" });
  }));

Deno.test("what cannot be shown, and options that exclude each other, end with one sentence", async () => {
  const lines: readonly (readonly [number, RegExp, ...string[]])[] = [
    [1, /is no core, no report/, `${root}README.md`, "-o", "/tmp/none.html"],
    [1, /has no stacks/, `${inlines}/inlines`, "-o", "/tmp/none.html"],
    [1, /there is no file/, `${root}none.json`, "-o", "/tmp/none.html"],
    [1, /is a folder/, root, "-o", "/tmp/none.html"],
    [2, /exclude each other/, "demo", "--page", "--firefox"],
    [2, /does not go with/, "demo", "-o", "x", "--speedscope"],
  ];
  for (const [code, message, ...args] of lines) {
    const result = await view(...args);
    assertEquals(result.code, code, result.stderr);
    assertMatch(result.stderr, message);
    assertEquals(result.stderr.trimEnd().split("\n").length, 1);
  }
});

Deno.test("--firefox: the Profiler's address names our profile and symbol server, which it may read", () =>
  withFolder(async (folder) => {
    await Deno.writeFile(`${folder}/app.json.gz`, await unsymbolicated());
    const { url, stop } = await start(`${folder}/app.json.gz`, "--firefox", "--symbols", inlines);
    try {
      // As samply writes it, which profiler-cli looks for.
      const [, profileUrl, server] =
        /^https:\/\/profiler\.firefox\.com\/from-url\/(\S+)\/\?symbolServer=(\S+)$/.exec(url)!
          .map(decodeURIComponent);
      const response = await fetch(profileUrl);
      assertEquals(response.headers.get("access-control-allow-origin"), "*");
      const profile = await readProfile(new Uint8Array(await response.arrayBuffer()), profileUrl);
      assertEquals(profile.threads[0].samples.length, 10);
      const asked = await fetch(`${server}/symbolicate/v5`, {
        method: "POST",
        body: JSON.stringify({
          memoryMap: [["inlines", "4C4C44E355553144A15B6FD47115AD9A0"]],
          stacks: [[[0, 0x61c]]],
        }),
      });
      const { results: [{ stacks: [[frame]] }] } = await asked.json();
      assertEquals([frame.function, frame.inlines.length], ["outer", 2]);
    } finally {
      assertEquals(await stop(), 0);
    }
  }));
