/** `machpause stackshot` */
import { assert, assertEquals, assertFalse, assertMatch, assertStringIncludes } from "@std/assert";
import { Image } from "../../../lib/macho/mod.ts";
import { readStackshot, Stackshot } from "../../../lib/stackshot/mod.ts";
import { Symbolizer } from "../../../lib/symbols/mod.ts";
import { headerLines, taskLines } from "../../../repl/view/stackshot.ts";
import { plain } from "../../../repl/view/style.ts";
import { encodeDelta, encodeKcdata } from "../../lib/stackshot/kcdata_encoder.ts";
import { type Shot, shot, type Task } from "../../lib/stackshot/shot.ts";
import { encodeTrace } from "../../lib/stackshot/trace_encoder.ts";
import { onLinux } from "../../machine.ts";

const program = new URL("../../../repl/main.ts", import.meta.url).pathname;
const fixtures = new URL("../../../examples/demo/x86_64", import.meta.url).pathname;
const hostile = "\x1b[2J\u202ename";

async function machpause(...args: string[]) {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", program, "stackshot", ...args],
  }).output();
  const decoder = new TextDecoder();
  return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}

/** Holds a file for the length of a test. */
async function withFile(
  bytes: Uint8Array,
  body: (path: string) => Promise<void>,
): Promise<void> {
  const path = await Deno.makeTempFile();
  try {
    await Deno.writeFile(path, bytes);
    await body(path);
  } finally {
    await Deno.remove(path);
  }
}

const demo = Image.fromFile(await Deno.readFile(`${fixtures}/demo`), "demo");
const base = 0x1_0a00_0000n;
/** Of the demo's function, slid. */
function at(name: string, offset: number): bigint {
  return demo.findSymbols(name)[0].address - demo.loadAddress + base + BigInt(offset);
}

/** The demo, as a kernel might have found it. */
const demoTask: Task = {
  pid: 4242,
  uniqueId: 0x4242n,
  name: hostile,
  cpuType: 0x01000007,
  images: [{ uuid: demo.uuid!, address: base }],
  waits: [{ waiter: 0x11n, owner: 0x12n, context: 0xbeefn, type: 0x0b }],
  threads: [
    {
      id: 0x11n,
      name: hostile,
      queue: hostile,
      kernel: [{ lr: 0xffffff8000400000n, fp: 0xffffff8100000000n }],
      user: [
        { lr: at("wait_for_event", 4), fp: 0x7ff0n },
        { lr: at("park", 12), fp: 0x8000n },
        { lr: at("main", 99), fp: 0n },
      ],
    },
    { id: 0x12n, flags: 0x8080, user: [{ lr: at("worker_spin", 8), fp: 0n }] },
  ],
};
const demoShot: Shot = {
  osVersion: "Darwin Kernel Version 20.0.0: root:xnu-7195/RELEASE_X86_64",
  portLabels: [{ id: 1, name: hostile }],
  tasks: [...shot.tasks, demoTask],
};

Deno.test("a stackshot is symbolicated by UUID; what threads wait for is said in words", async () => {
  await withFile(encodeKcdata(demoShot), async (path) => {
    const { code, stdout, stderr } = await machpause(path, "--symbols", fixtures, "--pid", "4242");
    assertEquals({ code, stderr }, { code: 0, stderr: "" });
    const [head, taken] = stdout.split("\n");
    assertEquals(head, "stackshot of 4 tasks, 6 threads");
    assertEquals(taken, "taken 2023-11-14T22:15:23.456Z");
    assertFalse(stdout.includes("Worker"));
    // deno-lint-ignore no-control-regex
    assertFalse(/[\x00-\x09\x0b-\x1f\x7f\u202e]/.test(stdout));
    assertStringIncludes(stdout, "\\x1b[2J\\u{202e}name (pid 4242, x86_64)  2 threads  3 MiB");
    assertStringIncludes(stdout, "waits for pthread mutex 0xbeef owned by thread 0x12\n");
    assertMatch(stdout, /0 {2}\?\?\? {3}0xffffff8000400000 \[kernel\]\n/);
    assertMatch(stdout, /1 {2}demo {2}0x000000010a[0-9a-f]{6} {2}wait_for_event \+ 4( at |\n)/);
    assertMatch(stdout, /2 {2}demo {2}0x000000010a[0-9a-f]{6} {2}park \+ 12( at |\n)/);
    assertMatch(stdout, /3 {2}demo {2}0x000000010a[0-9a-f]{6} {2}main \+ 99( at |\n)/);
    assertMatch(stdout, /worker_spin \+ 8.*\n {2}\(unreadable: the user stack is not in memory/);
  });
});

Deno.test("a stackshot in text is one for crash", async () => {
  const text = '{"bug_type":"288","os_version":"iPhone OS 17.1"}\n' +
    '{"processByPid":{"7":{"procname":"baked","threadById":{"3":{}}}}}';
  await withFile(new TextEncoder().encode(text), async (path) => {
    const { code, stdout, stderr } = await machpause(path);
    assertEquals([code, stdout], [1, ""]);
    assertStringIncludes(
      stderr,
      `${path} is a report in text, not kcdata: machpause crash ${path}`,
    );
  });
  await withFile(new TextEncoder().encode("nothing"), async (path) => {
    assertStringIncludes((await machpause(path)).stderr, "expected the start of a kcdata buffer");
  });
});

Deno.test("stackshot --json has the threads and frames of bt --json, task by task", async () => {
  await withFile(encodeKcdata(demoShot), async (path) => {
    const { code, stdout } = await machpause(path, "--json", "--limit", "2", "--symbols", fixtures);
    assertEquals(code, 0);
    const { tasks, form, osVersion, warnings } = JSON.parse(stdout);
    assertEquals([form, osVersion, warnings], ["kcdata", demoShot.osVersion, []]);
    assertEquals(tasks.length, 4);
    const task = tasks[3];
    assertEquals(task.target, { kind: "stackshot", pid: 4242, name: hostile, arch: "x86_64" });
    assertEquals(
      task.images.map(({ name, uuid }: { name: string; uuid: string }) => [name, uuid]),
      [
        ["demo", demo.uuid],
      ],
    );
    const [first] = task.threads;
    assertEquals([first.id, first.name, first.state, first.stopped], [
      0x11,
      hostile,
      "waiting",
      "limit",
    ]);
    assertEquals(first.waiting, "pthread mutex 0xbeef owned by thread 0x12");
    assertEquals(
      first.frames.map((
        { symbol, kernel }: { symbol: string; kernel: boolean },
      ) => [symbol, kernel]),
      [[null, true], ["wait_for_event", false], ["park", false]],
    );
  });
});

Deno.test("a trace buffer and a delta stackshot from the command line", async () => {
  await withFile(encodeTrace("10.9", demoShot), async (path) => {
    const { code, stdout } = await machpause(path, "--symbols", fixtures);
    assertEquals(code, 0);
    assertStringIncludes(stdout, "in the trace buffer format of OS X 10.9");
    assertMatch(stdout, /demo {2}0x000000010a[0-9a-f]{6} {2}wait_for_event \+ 4/);
  });
  await withFile(encodeKcdata(shot), (whole) =>
    withFile(encodeDelta(shot), async (delta) => {
      const { code, stdout } = await machpause(delta, "--base", whole);
      assertEquals(code, 0);
      assertStringIncludes(stdout, "what has changed since 0x123456789abc");
      assertStringIncludes(stdout, "(changed, frames from before)");
      assertStringIncludes(stdout, "(new)");
    }));
});

Deno.test("what cannot be shown, and why: one line", async () => {
  const missing = await machpause("/no/such/file");
  assertEquals([missing.code, missing.stdout], [1, ""]);
  assertEquals(missing.stderr, "machpause: there is no file /no/such/file\n");
  const none = await machpause(program);
  assertEquals(none.code, 1);
  assertMatch(none.stderr, /^machpause: .*main\.ts: at offset 0x0: expected .*\n$/);
  await withFile(encodeKcdata(shot), async (path) => {
    const other = await machpause(path, "--pid", "77");
    assertEquals(other.stderr, "machpause: the stackshot has no process with the pid 77\n");
    assertEquals((await machpause(path, "--limit", "0")).code, 2);
    const cut = new Uint8Array(await Deno.readFile(path)).subarray(0, 1200);
    await Deno.writeFile(path, cut);
    const damaged = await machpause(path);
    assertEquals(damaged.code, 0);
    assertMatch(damaged.stderr, /^machpause: warning: .*(cut short|without an end mark)/);
  });
  if (onLinux) {
    const live = await machpause("1");
    assertEquals(live.code, 1);
    assertMatch(live.stderr, /KERN_NOT_SUPPORTED \(46\); stackshots are taken by Darwin's kernel/);
  }
});

Deno.test("damaged stackshots print nothing that a terminal would act on", async () => {
  const bytes = encodeKcdata({ ...demoShot, osVersion: hostile });
  const symbols = (images: ConstructorParameters<typeof Symbolizer>[0]) => new Symbolizer(images);
  let state = 7;
  for (let index = 0; index < 300; index++) {
    const changed = bytes.slice();
    for (let count = 0; count < 20; count++) {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      // Not the mark at the start.
      changed[16 + state % (changed.length - 16)] = state >>> 24;
    }
    const stackshot = new Stackshot(await readStackshot(changed, "damaged"), { symbols });
    const lines = headerLines(stackshot, plain);
    for (const task of stackshot.tasks) lines.push(...taskLines(task, plain, {}));
    // deno-lint-ignore no-control-regex
    assert(!/[\x00-\x1f\x7f-\x9f\u202e]/.test(lines.join("")), `mutation ${index}`);
  }
});
