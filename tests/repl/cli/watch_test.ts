/** `machpause watch` and `hangs()` on real processes. */
import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { standstill } from "../../../ffi/procfs.ts";
import { attach, launch } from "../../../mod.ts";
import { type Hang, hangs, readHang, systemClock } from "../../../ffi/hang.ts";
import { reportFiles } from "../../../repl/cli/report_files.ts";
import { readViewed } from "../../../repl/cli/view/read.ts";
import { UserError } from "../../../repl/errors.ts";
import { frameVariablesJson, type variableJson } from "../../../repl/view/variables.ts";
import { onLinux, ownArch, runs } from "../../machine.ts";
import { buildDirectory, until } from "../../ffi/program.ts";

const program = new URL("../../../repl/main.ts", import.meta.url).pathname;
const ignore = !onLinux;

/** Milliseconds for which a main thread could have run and had no processor: `Documentation/scheduler/sched-stats.rst`. */
function waitedForProcessor(pid: number): number {
  return Number(Deno.readTextFileSync(`/proc/${pid}/schedstat`).split(" ")[1]) / 1e6;
}

/** A child with its lines. */
class Lines implements AsyncDisposable {
  readonly child: Deno.ChildProcess;
  readonly lines: string[] = [];
  #ended = false;
  readonly #read: Promise<void>;

  constructor(command: string, args: string[]) {
    const child = new Deno.Command(command, {
      args,
      stdin: "piped",
      stdout: "piped",
      stderr: "null",
    }).spawn();
    this.child = child;
    this.#read = (async () => {
      let rest = "";
      for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
        const parts = (rest + text).split("\n");
        rest = parts.pop()!;
        this.lines.push(...parts);
      }
      this.#ended = true;
    })();
  }

  /** The first line that something is found in. */
  async line<Found>(find: (line: string) => Found | undefined, what: string): Promise<Found> {
    let found: Found | undefined;
    await until(() => {
      for (const line of this.lines) found ??= find(line);
      return found !== undefined || this.#ended;
    }, what);
    assert(found !== undefined, `${what}: ${this.lines.join("\n")}`);
    return found;
  }

  kill(signal: Deno.Signal = "SIGKILL"): void {
    this.child.kill(signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      this.child.kill("SIGKILL");
    } catch {
      // It has ended.
    }
    await this.child.status;
    await this.#read;
    await this.child.stdin.close().catch(() => {});
  }
}

async function blocks(...args: string[]): Promise<Lines> {
  const lines = new Lines(`${await buildDirectory()}/blocks`, args);
  await lines.line((line) => line === "1" || undefined, "the program starts");
  return lines;
}

interface Block {
  readonly how: string;
  readonly begin: number;
  readonly length: number;
}

Deno.test({
  name: "every block longer than the limit is found, none shorter, as long as the program says",
  ignore,
  async fn() {
    const count = 4;
    for (let tries = 1;; tries++) {
      await using child = await blocks("known", `${count}`);
      using target = attach(child.child.pid);
      const controller = new AbortController();
      const times: number[] = [];
      const found: Hang[] = [];
      const clock = {
        ...systemClock,
        until(time: number, signal?: AbortSignal) {
          times.push(systemClock.date());
          if (child.lines.length > count) controller.abort();
          return systemClock.until(time, signal);
        },
      };
      for await (const hang of hangs(target, { signal: controller.signal, clock })) {
        if (hang.ended === "idle") found.push(hang);
      }
      const gap = times.reduce(
        (most, time, at) => Math.max(most, time - (times[at - 1] ?? time)),
        0,
      );
      const all = child.lines.slice(1).map((line): Block => {
        const [how, begin, length] = line.split(" ");
        return { how, begin: Number(begin), length: Number(length) };
      });
      // What happens before the first look is not seen, and what is between two looks may be missed: on a busy
      // machine they are far apart.
      const seen = all.filter(({ begin }) => begin > times[0]);
      if ((gap > 100 || seen.length < count) && tries < 3) continue;
      const long = seen.filter(({ length }) => length > 250 + gap);
      if (gap > 100) {
        // Blocks that no look lies between are one hang. They are in one all the same.
        const isIn = ({ begin, length }: Block) =>
          found.some(({ began, milliseconds }) => {
            const from = Date.parse(began) - gap;
            return from <= begin && begin + length <= from + milliseconds + 2 * gap;
          });
        assertEquals(long.filter((block) => !isIn(block)), []);
        return;
      }
      assertEquals(found.map(({ kind }) => kind), long.map(({ how }) => how));
      for (const [at, hang] of found.entries()) {
        const { begin, length } = long[at];
        // The two clocks are read at different moments.
        assert(hang.atLeast <= length + 2 && hang.atMost! >= length - 2, `${at}: ${length}`);
        assert(Math.abs(hang.milliseconds - length) <= gap + 2, `${hang.milliseconds}: ${length}`);
        assert(Math.abs(Date.parse(hang.began) - begin) <= gap + 2);
        const own = hang.kind === "busy" ? "compute" : "load";
        assert(
          hang.signature.parts.some((part) => part.endsWith(` ${own}`)),
          `${hang.signature.parts}`,
        );
      }
      return;
    }
  },
});

Deno.test({
  name: "a Mach-O program's deadlock is named as one, with both who wait",
  ignore: !runs(ownArch),
  async fn() {
    const path = new URL(`../../../examples/demo/${ownArch}/deadlock`, import.meta.url).pathname;
    using target = await launch(path, [], { output: "null" });
    try {
      const options = { more: frameVariablesJson({ locals: true }, 1), follow: { levels: 1 } };
      for await (const hang of hangs(target, options)) {
        // On a busy machine the worker may not have begun to wait at the first capture.
        if (hang.kind === "blocked" && hang.milliseconds < 60_000) continue;
        assertEquals([hang.kind, hang.ended, hang.deadlocks], ["deadlock", null, [[0, 1]]]);
        const through = "pthread mutex";
        assertEquals(hang.waits, [{ thread: 0, for: 1, through }, { thread: 1, for: 0, through }]);
        const waits = ["take_orders", "take_accounts"];
        for (const [thread, name] of waits.entries()) {
          const own = hang.threads[thread].frames.filter(({ image }) => image === "deadlock");
          assertEquals(own[0].symbol, name);
        }
        // All of it is of the stop: argv, what it points to, and the text there.
        const main = hang.threads[0].frames.find(({ symbol }) => symbol === "main");
        const variables = main!.variables as ReturnType<typeof variableJson>[];
        const argv = variables.find(({ name }) => name === "argv")!;
        const [first] = argv.children as typeof variables;
        assertEquals([argv.later, first.later, first.summary], [false, false, `"${path}"`]);
        break;
      }
    } finally {
      target.kill();
    }
  },
});

Deno.test({
  name: "what begins as a wait and becomes a deadlock is named as one, as the same hang",
  ignore,
  async fn() {
    await using child = await blocks("late");
    using target = attach(child.child.pid);
    const kinds = new Set<string>();
    for await (const hang of hangs(target, { limit: 100 })) {
      assertEquals([hang.serial, hang.ended], [1, null]);
      kinds.add(hang.kind);
      if (hang.kind === "deadlock") {
        assertEquals(hang.deadlocks, [[0, 1]]);
        break;
      }
      assert(hang.milliseconds < 60_000, [...kinds].join());
    }
  },
});

Deno.test({
  name: "real programs with nothing to do do not hang",
  ignore,
  async fn() {
    const programs: [command: string, ...args: string[]][] = [
      [
        "python3",
        "-c",
        "import asyncio\nprint(1, flush=True)\nasync def f():\n while 1: await asyncio.sleep(.02)\nasyncio.run(f())",
      ],
      [
        "python3",
        "-c",
        "import select\nprint(1, flush=True)\nwhile 1: select.select([], [], [], .03)",
      ],
      ["node", "-e", "console.log(1); setInterval(() => {}, 20)"],
      ["bash", "-c", "echo 1; read -t 100 line"],
    ];
    await Promise.all(programs.map(async ([command, ...args]) => {
      await using child = new Lines(command, args);
      await child.line((line) => line === "1" || undefined, `${command} starts`);
      using target = attach(child.child.pid);
      const controller = new AbortController();
      let idleFrom = 0;
      const clock = {
        ...systemClock,
        until(time: number, signal?: AbortSignal) {
          idleFrom ||= systemClock.now();
          if (systemClock.now() - idleFrom > 700) controller.abort();
          return systemClock.until(time, signal);
        },
      };
      const starved = waitedForProcessor(child.child.pid);
      for await (const hang of hangs(target, { signal: controller.signal, clock, limit: 400 })) {
        // A program that does not get a processor for so long has something to do.
        if (hang.kind === "busy" && waitedForProcessor(child.child.pid) - starved > 200) break;
        throw new Error(`${command}: ${hang.kind} in ${hang.signature.parts.join(" ← ")}`);
      }
    }));
  },
});

Deno.test({
  name:
    "watch: a deadlock is named, the target's restart is seen, and kill -9 leaves everything whole",
  ignore,
  async fn() {
    const folder = await Deno.makeTempDir();
    const name = `mpblocks${Deno.pid % 100000}`;
    const own = `${folder}/${name}`;
    await Deno.copyFile(`${await buildDirectory()}/blocks`, own);
    const save = `${folder}/hangs`;
    const start = async (mode: string) => {
      const lines = new Lines(own, [mode]);
      await lines.line((line) => line === "1" || undefined, "the program starts");
      return lines;
    };
    const watch = (...args: string[]) =>
      new Lines(Deno.execPath(), [
        "run",
        "-A",
        program,
        "watch",
        name,
        "--json",
        "--save",
        save,
        ...args,
      ]);
    interface Event extends Hang {
      readonly event: string;
      readonly count: number;
      readonly folder: string;
    }
    const told = (event: string, pid: number) => (line: string): Event | undefined => {
      const found: Event = JSON.parse(line);
      return found.event === event && found.target.pid === pid ? found : undefined;
    };
    try {
      let first: Event;
      {
        await using target = await start("deadlock");
        const { pid } = target.child;
        await using recorder = watch();
        first = await recorder.line(told("hang", pid), "the deadlock is told");
        assertEquals([first.kind, first.deadlocks, first.count], ["deadlock", [[0, 1]], 1]);
        assertEquals(first.signature.parts.slice(0, 2), ["hang", `${name} take`]);
        const refused = await new Deno.Command(Deno.execPath(), {
          args: ["run", "-A", program, "watch", name, "--save", save],
        }).output();
        assertEquals(refused.code, 1);
        assertMatch(new TextDecoder().decode(refused.stderr), /another watch writes to .*hangs/);
        target.kill();
        await recorder.line(told("gone", pid), "its end is told");
        await using again = await start("deadlock");
        const second = await recorder.line(told("hang", again.child.pid), "it is found again");
        assertEquals([second.count, second.folder], [2, first.folder]);
        recorder.kill();
        await recorder.child.status;
        const status = () => Deno.readTextFileSync(`/proc/${again.child.pid}/status`);
        await until(() => /^TracerPid:\t0$/m.test(status()), "nobody traces it");
        assertMatch(status(), /^State:\tS/m);
      }
      const read = (file: string) => Deno.readTextFileSync(`${first.folder}/${file}`);
      assertEquals(readHang(read("hang.json"), "hang.json").kind, "deadlock");
      assertEquals(JSON.parse(read("counts.json")).count, 2);
      assertMatch(read("hang.html"), /^<!doctype html>[^]*take/i);
      assertMatch(read("hang.txt"), /^DEADLOCK: main → worker → main$/m);
      // The folder's reports, without what is none; and what `view` would show of it.
      assertEquals([...reportFiles([save], "hang.txt", () => {})], [`${first.folder}/hang.txt`]);
      await assertRejects(
        () => readViewed([save], {}),
        UserError,
        `${save} has 1 hang: name one; the last is ${first.folder}`,
      );
      const [, page] = /id="data">(.*?)<\/script>/s.exec(read("hang.html"))!;
      const { threads, timeline, notes } = JSON.parse(page);
      assertEquals(threads.map(({ mark }: { mark: string }) => mark), ["hung", ""]);
      assertEquals(notes.at(-1), "DEADLOCK: main → worker → main");
      assert(timeline[0].samples.state.every((state: number) => state === 2));
      // Ctrl-C ends it in order, and the lock went with the one that was killed.
      await using idle = await start("idle");
      await using last = watch();
      await last.line(told("start", idle.child.pid), "it starts");
      last.kill("SIGINT");
      assertEquals((await last.child.status).code, 0);
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
});

Deno.test({
  name: "watch: a process that a signal has stopped is told as that, not as one that waits",
  ignore,
  async fn() {
    const sleeper = new Deno.Command("sleep", { args: ["600"] }).spawn();
    try {
      Deno.kill(sleeper.pid, "SIGSTOP");
      while (standstill(sleeper.pid) === undefined) {
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      using target = attach(sleeper.pid);
      for await (const hang of hangs(target)) {
        assertEquals(hang.threads[hang.thread].waiting, "stopped by a signal or a debugger");
        break;
      }
    } finally {
      sleeper.kill("SIGKILL");
      await sleeper.status;
    }
  },
});

Deno.test("watch: what cannot be watched is said in a line", async () => {
  for (
    const [args, code, reason] of [
      [["self"], 2, /processes of this machine/],
      [["demo", "--hang", "soon"], 2, /--hang soon: a time/],
      [["demo", "--trigger", "((("], 2, /--trigger \(\(\(: /],
      [["demo", "--rate", "100"], 2, /100 looks a second: from 20 to 50/],
      [["demo", "--thread", "nobody"], 2, /has no thread named nobody/],
    ] as const
  ) {
    const output = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", program, "watch", ...args],
      cwd: await buildDirectory(),
    }).output();
    const stderr = new TextDecoder().decode(output.stderr);
    // It does not say first that it watches.
    assertEquals([args, output.code, output.stdout.length], [args, code, 0]);
    assertMatch(stderr, /^machpause: [^\n]+\n$/);
    assertMatch(stderr, reason);
  }
});
