import { assert, assertEquals, assertFalse, assertMatch, assertStringIncludes } from "@std/assert";
import { standstill } from "../../../ffi/procfs.ts";
import { root, untilGone } from "../terminal.ts";

const program = new URL("repl/main.ts", root).pathname;
const decoder = new TextDecoder();

/** The demo runs where there is a compiler for it, or a loader. */
const demo = Deno.build.os === "darwin" || Deno.build.arch === "x86_64";

interface Ended {
  code: number;
  stdout: string;
  stderr: string;
}

async function machpause(args: string[], input = "", directory?: string): Promise<Ended> {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", program, ...args],
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
    ...(directory === undefined ? {} : { cwd: directory }),
  }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(input)).catch(() => {});
  await writer.close().catch(() => {});
  const { code, stdout, stderr } = await child.output();
  return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}

Deno.test("--help names every command, and no other", async () => {
  const { code, stdout, stderr } = await machpause(["--help"]);
  assertEquals({ code, stderr }, { code: 0, stderr: "" });
  const named = stdout.split("Commands:")[1].match(/^ {2}[a-z-]+/gm)?.map((name) => name.trim());
  const all = [
    "attach",
    "gdb-remote",
    "launch",
    "core",
    "self",
    "demo",
    "run",
    "bt",
    "snapshot",
    "savecore",
    "record",
    "sample",
    "top",
    "hang",
    "compare",
    "census",
    "deadlock",
    "watch",
    "image",
    "crash",
    "collect",
    "query",
    "index",
    "symbolicate",
    "stackshot",
    "profile",
    "convert",
    "demangle",
    "view",
    "serve",
    "doctor",
    "completions",
  ];
  assertEquals(named, Deno.build.os === "darwin" ? [...all, "setup"] : all);
  assertFalse(stdout.includes("\x1b"));
  assertMatch((await machpause(["--version"])).stdout, /\d+\.\d+\.\d+/);
});

Deno.test("a wrong command line: exit code 2, one line", async () => {
  for (
    const args of [
      ["nosuch"],
      ["bt"],
      ["bt", "self", "more"],
      ["bt", "self", "--nosuch"],
      ["bt", "self", "--limit", "x"],
      ["bt", "self", "--limit", "0"],
      ["bt", "pid:x"],
      ["bt", "core:"],
      // An argument has no dashes.
      ["sample", "self", "abc"],
      ["symbolicate", "0x1000"],
      ["run"],
    ]
  ) {
    const { code, stdout, stderr } = await machpause(args);
    assertEquals({ args, code, stdout }, { args, code: 2, stdout: "" });
    assertMatch(stderr, /^machpause: (?!--seconds)[^\n]+\n$/, args.join(" "));
    // What the command line lacks is in its own help.
    const [, hint] = /see `machpause (.*)--help`/.exec(stderr) ?? [];
    if (hint !== undefined && hint !== "") assertEquals(hint, `${args[0]} `);
  }
});

Deno.test("options of the prompt before the subcommand, or the process, are its options", async () => {
  const pid = `${Deno.pid}`;
  for (const words of [["attach", pid], [pid]]) {
    const { code, stdout, stderr } = await machpause(["--color", "never", "-e", "1 + 1", ...words]);
    assertEquals({ code, stdout, stderr }, { code: 0, stdout: "2\n", stderr: "" });
  }
  const { code, stderr } = await machpause(["-e", "bt", "doctor"]);
  assertEquals([code, stderr], [2, "machpause: `machpause doctor` has no option -e\n"]);
});

Deno.test("work that fails: exit code 1, one line with the reason", async () => {
  const cases: [args: string[], reason: string][] = [
    [["bt", "core:nosuch"], "there is no file nosuch"],
    [["core", "nosuch"], "there is no file nosuch"],
    [["core", program], "expected a Mach-O magic number"],
    [["core", program, "--symbols", "nosuch"], "there is no folder nosuch"],
    [["bt", "self", "--symbols", "nosuch"], "there is no folder nosuch"],
    [["bt", "no-such-process-name"], "no process is named"],
    [["bt", "pid:999999999"], ""],
    [["attach", "no-such-process-name"], "no process is named"],
    [["run", "no-such-script.ts"], "there is no script no-such-script.ts"],
    [["launch", "/no/such/program"], "there is no program /no/such/program"],
    [["bt", "\x1b[2J\u202e"], String.raw`[2J\u{202e}`],
  ];
  for (const [args, reason] of cases) {
    const { code, stdout, stderr } = await machpause(args);
    assertEquals({ args, code, stdout }, { args, code: 1, stdout: "" });
    assertMatch(stderr, /^machpause: [^\n]+\n$/);
    assertStringIncludes(stderr, reason);
    assertFalse(stderr.includes("\x1b"));
  }
});

const stdKeys = ["target", "pausedMicroseconds", "images", "threads"];

Deno.test("bt and snapshot of this very program", async () => {
  for (const command of ["bt", "snapshot"]) {
    const json = await machpause([command, "self", "--json"]);
    assertEquals({ code: json.code, stderr: json.stderr }, { code: 0, stderr: "" });
    assertEquals(json.stdout.split("\n").length, 2);
    const { target, threads, pausedMicroseconds, ...rest } = JSON.parse(json.stdout);
    assertEquals(target.kind, "self");
    assert(Number.isInteger(pausedMicroseconds));
    assertEquals(["target", "pausedMicroseconds", ...Object.keys(rest), "threads"], stdKeys);
    assert(threads.length > 1);
    const text = await machpause([command, "self", "--limit", "1"]);
    assertEquals(text.code, 0);
    assertMatch(text.stdout, /^thread 0 {2}/m);
    assertFalse(/^ +1 {2}/m.test(text.stdout));
  }
});

Deno.test({
  name: "bt --by queue of the demo: each queue with the threads that serve it",
  ignore: !demo,
  async fn() {
    const { code, stdout } = await machpause(["bt", "demo", "--by", "queue"]);
    assertEquals(code, 0);
    const root = `-> "com.apple.root.default-qos.overcommit"`;
    assertEquals(stdout.split("\n").filter((line) => /^(?:no )?queue/.test(line)), [
      `queue "com.apple.main-thread" (serial) ${root}: 1 thread`,
      `queue "com.example.accounts" (serial) ${root}: 1 thread`,
      `queue "com.example.orders" (serial) ${root}: 1 thread`,
      `queue "com.apple.root.default-qos" (concurrent): 1 thread`,
      "no queue: 3 threads",
    ]);
    assertMatch(
      stdout,
      /^thread 1 {2}"demo.lock" {2}queue "com.example.accounts" \(serial\) {2}id /m,
    );
    const json = await machpause(["bt", "demo", "--by", "queue", "--json"]);
    assertEquals([json.code, json.stdout], [2, ""]);
    const other = await machpause(["bt", "demo", "--by", "weight"]);
    assertEquals(other.code, 2);
  },
});

Deno.test({
  name: "bt of the demo: every worker in its function, by name",
  ignore: !demo,
  async fn() {
    const { code, stdout, stderr } = await machpause(["bt", "demo", "--json"]);
    assertEquals({ code, stderr }, { code: 0, stderr: "" });
    const { target, images, threads, pausedMicroseconds } = JSON.parse(stdout);
    assertEquals(target.kind, "live");
    assertEquals(target.name, "demo");
    assert(pausedMicroseconds > 0);
    for (const { name, path, uuid, loadAddress, slide } of images) {
      assertEquals([typeof name, typeof path], ["string", "string"]);
      assertMatch(loadAddress, /^0x[\da-f]+$/);
      assertMatch(slide, /^-?0x[\da-f]+$/);
      assert(uuid === null || /^[\dA-F]{8}-/.test(uuid));
    }
    const chain = (thread: { frames: { symbol: string | null }[] }) =>
      thread.frames.flatMap(({ symbol }) => symbol ?? []);
    const lock = threads.find(({ name }: { name: string }) => name === "demo.lock");
    assertEquals(chain(lock).filter((name) => /lock|account/.test(name)).slice(-3), [
      "lock_acquire",
      "account_update",
      "worker_lock",
    ]);
    const deep = threads.find(({ name }: { name: string }) => name === "demo.deep");
    assertEquals(chain(deep).filter((name) => name === "descend").length, 200);
    for (const thread of threads) {
      assertEquals(Object.keys(thread), [
        "index",
        "id",
        "name",
        "state",
        "cpuUsage",
        "queue",
        "queueSerial",
        "queueKind",
        "queueTargets",
        "qos",
        "frames",
        "stopped",
      ]);
      for (const frame of thread.frames) {
        assertEquals(Object.keys(frame), [
          "index",
          "address",
          "image",
          "symbol",
          "offset",
          "file",
          "line",
          "column",
          "inlined",
          "via",
        ]);
      }
    }
  },
});

Deno.test({
  name: "demo without a terminal prints the stacks, exits 0, and leaves no process behind",
  ignore: !demo,
  async fn() {
    const { code, stdout, stderr } = await machpause(["demo"]);
    assertEquals({ code, stderr }, { code: 0, stderr: "" });
    for (const name of ["spin_inner", "leaf_count", "queue_wait", "relay_again", "run_loop"]) {
      assertStringIncludes(stdout, name);
    }
    const pid = Number(/^demo \(pid (\d+), /.exec(stdout)![1]);
    await untilGone(pid);
  },
});

Deno.test({
  name: "commands from a pipe, at a launched program that outlives the session with --keep",
  ignore: !demo || Deno.build.os !== "linux",
  async fn() {
    const path = new URL("examples/demo/x86_64/demo", root).pathname;
    // Into files: the launched program keeps what it inherits open.
    const directory = await Deno.makeTempDir();
    const script = '"$0" run -A "$1" launch --keep "$2" >"$3/out" 2>"$3/err"';
    const child = new Deno.Command("sh", {
      args: ["-c", script, Deno.execPath(), program, path, directory],
      stdin: "piped",
    }).spawn();
    const writer = child.stdin.getWriter();
    await writer.write(new TextEncoder().encode("pause\ntarget.pid\nlookup descend\nquit\n"));
    await writer.close();
    const { code } = await child.status;
    const stdout = await Deno.readTextFile(`${directory}/out`);
    const stderr = await Deno.readTextFile(`${directory}/err`);
    await Deno.remove(directory, { recursive: true });
    const pid = Number(/^\d+$/m.exec(stdout)?.[0]);
    try {
      assertEquals({ code, stderr }, { code: 0, stderr: "" });
      assertMatch(stdout, /libworkers\.dylib {2}descend {2}\d+ bytes/);
      const status = await Deno.readTextFile(`/proc/${pid}/status`);
      assertMatch(status, /^TracerPid:\t0$/m);
      assertFalse(/^State:\t[tTZ]/m.test(status));
    } finally {
      Deno.kill(pid, "SIGKILL");
    }
  },
});

Deno.test("a reader that goes away ends the program quietly", async () => {
  const { stdout, stderr, code } = await new Deno.Command("sh", {
    args: ["-c", `"$0" run -A "$1" bt self | head -n 1; exit 0`, Deno.execPath(), program],
    stdout: "piped",
    stderr: "piped",
  }).output();
  assertEquals({ code, stderr: decoder.decode(stderr) }, { code: 0, stderr: "" });
  assertMatch(decoder.decode(stdout), /^[^\n]+ threads, [^\n]+\n$/);
});

Deno.test({
  name: "top, hang, compare, census and deadlock of the demo, as their examples say",
  ignore: !demo,
  async fn() {
    const cases: readonly [args: string[], lines: RegExp[]][] = [
      [["hang", "demo"], [
        /^demo\.lock: waits for main in lock_acquire ← account_update ← worker_lock$/m,
        /^demo\.spin: loops in spin_inner/m,
        /^2 threads in a loop, 4 threads waiting; the main thread waits, perhaps for work$/m,
      ]],
      [["top", "demo", "--seconds", "0.5"], [/^ *\d+% {2}demo\.spin {2,}spin_inner ← spin_outer/m]],
      [["compare", "demo"], [/^= demo\.queue {2}queue_wait$/m, /^~ demo\.leaf {3}leaf_count/m]],
      [["census", "demo"], [
        /^1 thread: demo\.deep\n {2}deep_bottom ← descend ×\d+ ← worker_deep$/m,
      ]],
      [["deadlock", "demo"], [
        /^demo\.lock, in lock_acquire .*, waits for main$/m,
        /^no deadlock: /m,
      ]],
      [["hang", "demo:deadlock", "--seconds", "0.1"], [
        /^main: waits for deadlock\.ship in take_orders ← bill ← main$/m,
        /^DEADLOCK: main → deadlock\.ship → main$/m,
        /the main thread makes no progress$/m,
      ]],
      [["deadlock", "demo:deadlock"], [/^DEADLOCK: main → deadlock\.ship → main$/m]],
    ];
    for (const [args, lines] of cases) {
      const { code, stdout, stderr } = await machpause(args);
      assertEquals([code, stderr], [0, ""]);
      for (const line of lines) assertMatch(stdout, line);
    }
    const { stdout } = await machpause(["deadlock", "demo", "--json"]);
    assertEquals(JSON.parse(stdout).deadlock, {
      waits: [{ thread: "demo.lock", for: "main" }],
      deadlocks: [],
    });
  },
});

Deno.test({
  name:
    "a process that a signal has stopped waits for nothing: top, hang, compare and record say so",
  ignore: Deno.build.os !== "linux",
  async fn() {
    const sleeper = new Deno.Command("sleep", { args: ["600"] }).spawn();
    const file = await Deno.makeTempFile({ suffix: ".json.gz" });
    try {
      Deno.kill(sleeper.pid, "SIGSTOP");
      while (standstill(sleeper.pid) === undefined) {
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      const pid = `${sleeper.pid}`;
      for (const command of ["top", "hang", "compare"]) {
        const { code, stdout, stderr } = await machpause([command, pid, "--seconds", "0.1"]);
        assertEquals([code, stdout], [1, ""], command);
        assertEquals(
          stderr,
          "machpause: the target is stopped by a signal: " +
            `\`kill -CONT ${pid}\` lets it run on, then \`${command}\`\n`,
        );
      }
      const recorded = await machpause(["record", pid, "-d", "0.2", "-o", file]);
      assertMatch(
        recorded.stdout,
        /: 0 stacks .*: the process is stopped by a signal; `kill -CONT/,
      );
    } finally {
      sleeper.kill("SIGKILL");
      await sleeper.status;
      await Deno.remove(file);
    }
  },
});

Deno.test({
  name: "code without frame pointers: no frame is made of what its frame pointer holds",
  ignore: Deno.build.os !== "linux",
  async fn() {
    const directory = await Deno.makeTempDir();
    try {
      // rbp holds an address on the stack whose two words are neither a record nor a return address.
      await Deno.writeTextFile(
        `${directory}/odd.c`,
        `int main(void) {
           volatile unsigned long words[4] = {16, 0x3736736e, 0, 0};
           register unsigned long base __asm__("rbp") = (unsigned long)words;
           __asm__ volatile("1: pause; jmp 1b" : : "r"(base), "m"(words));
         }`,
      );
      const cc = await new Deno.Command("cc", {
        args: ["-O1", "-fomit-frame-pointer", "-o", `${directory}/odd`, `${directory}/odd.c`],
      }).output();
      assertEquals(cc.code, 0, decoder.decode(cc.stderr));
      const child = new Deno.Command(`${directory}/odd`).spawn();
      try {
        const { stdout } = await machpause(["bt", `${child.pid}`]);
        assertMatch(stdout, /^ {2}0 {2}odd /m);
        assertFalse(stdout.includes("3736736e"), stdout);
      } finally {
        child.kill("SIGKILL");
        await child.status;
      }
    } finally {
      await Deno.remove(directory, { recursive: true });
    }
  },
});
