/** The stacks of programs of Linux's distributions, which nobody here wrote, held against gdb's. */
import { assert, assertEquals } from "@std/assert";
import { attach, type Frame, type Target } from "../../mod.ts";
import { demangle } from "../../lib/symbols/mod.ts";
import { processorTime } from "../processor_time.ts";

/** A program that waits for input, or for nothing. */
interface Subject {
  /** For the test's name. */
  readonly name: string;
  /** The command; `undefined` when it is not on this machine. */
  command(directory: string): Promise<readonly string[] | undefined>;
  /** The least number of threads that it has when it is ready. */
  readonly threads?: number;
}

async function succeeds(...[command, ...args]: string[]): Promise<boolean> {
  try {
    const { success } = await new Deno.Command(command, { args, stdout: "null", stderr: "null" })
      .output();
    return success;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

async function find(program: string): Promise<string | undefined> {
  const { stdout } = await new Deno.Command("sh", { args: ["-c", `command -v ${program}`] })
    .output();
  return new TextDecoder().decode(stdout).trim() || undefined;
}

/** A program that waits for its input. */
function waiting(program: string, args: readonly string[], threads?: number): Subject {
  return {
    name: program,
    threads,
    command: async () => {
      const path = await find(program);
      return path === undefined ? undefined : [path, ...args];
    },
  };
}

const python = `
import threading, time
def inner(n): time.sleep(1000) if n else threading.Event().wait()
for i in range(3): threading.Thread(target=lambda: sorted([i, 2], key=inner)).start()
`;
const goProgram = `package main
import ("time"; "os"; "sync")
func wait(n int) { if n > 0 { wait(n - 1) } else { time.Sleep(time.Hour) } }
func main() {
  var m sync.Mutex
  for i := 0; i < 4; i++ { go wait(i) }
  m.Lock(); go m.Lock()
  os.Stdin.Read(make([]byte, 1))
}
`;
const cxxProgram = `#include <algorithm>
#include <thread>
#include <unistd.h>
#include <vector>
namespace app {
struct Base { virtual void run(int) = 0; virtual ~Base() = default; };
template <class T> struct Job : Base { T value; void run(int n) override { if (n) run(n - 1); else pause(); } };
}
int main() {
  std::vector<std::thread> all;
  for (int i = 0; i < 3; i++) all.emplace_back([i] { app::Job<long> job; job.run(i); });
  std::vector<int> one{1};
  std::for_each(one.begin(), one.end(), [](int) { app::Job<char> job; job.run(3); });
}
`;

const signalProgram = `#include <signal.h>
#include <unistd.h>
static void handle(int signal) { for (;;) sleep(1000); }
__attribute__((noinline)) static int work(int n) { raise(SIGUSR1); return n + 1; }
int main(void) { signal(SIGUSR1, handle); return work(getpid()); }
`;

const subjects: readonly Subject[] = [
  waiting("/usr/bin/python3", ["-c", python], 4),
  waiting("node", ["-e", "setTimeout(() => {}, 1e9)"], 5),
  waiting("perl", ["-e", "sub f { sleep 1000 } f()"]),
  waiting("bash", ["--norc"]),
  waiting("sqlite3", []),
  waiting("sleep", ["1000"]),
  waiting("dash", []),
  // Rust; Debian strips it.
  waiting("rg", ["x", "-"]),
  waiting("gdb", ["-nx", "-q"]),
  {
    name: "postgres",
    command: async (directory) => {
      const found = await find("/usr/lib/postgresql/*/bin/postgres");
      if (found === undefined || !await succeeds("id", "postgres")) return undefined;
      const data = `${directory}/data`;
      await Deno.chmod(directory, 0o777);
      const as = ["runuser", "-u", "postgres", "--"];
      assert(await succeeds(...as, found.replace(/postgres$/, "initdb"), "-D", data, "-N"));
      return [...as, found, "-D", data, "-k", directory, "-c", "listen_addresses="];
    },
  },
  {
    name: "a Go program",
    command: async (directory) => {
      await Deno.writeTextFile(`${directory}/main.go`, goProgram);
      const built = `${directory}/program`;
      return await succeeds("go", "build", "-o", built, `${directory}/main.go`)
        ? [built]
        : undefined;
    },
  },
  {
    name: "a signal's handler without frame pointers",
    command: async (directory) => {
      await Deno.writeTextFile(`${directory}/signal.c`, signalProgram);
      const built = `${directory}/handler`;
      return await succeeds(
          "cc",
          "-O1",
          "-fomit-frame-pointer",
          "-o",
          built,
          `${directory}/signal.c`,
        )
        ? [built]
        : undefined;
    },
  },
  {
    name: "a C++ program without frame pointers",
    threads: 4,
    command: async (directory) => {
      await Deno.writeTextFile(`${directory}/main.cpp`, cxxProgram);
      const built = `${directory}/program`;
      const flags = ["-g", "-O2", "-gz", "-fomit-frame-pointer", "-pthread"];
      return await succeeds("c++", ...flags, "-o", built, `${directory}/main.cpp`)
        ? [built]
        : undefined;
    },
  },
];

/** A frame as gdb has it. */
interface GdbFrame {
  readonly address: bigint;
  readonly name: string | null;
}

const script = `
import gdb
gdb.execute("set backtrace past-main on")
for thread in gdb.selected_inferior().threads():
  thread.switch()
  frame = gdb.newest_frame()
  while frame is not None and frame.is_valid():
    if frame.type() not in (gdb.INLINE_FRAME, gdb.TAILCALL_FRAME):
      name = "<signal>" if frame.type() == gdb.SIGTRAMP_FRAME else frame.name() or ""
      print("FRAME", thread.ptid[1], hex(frame.pc()), name)
    frame = frame.older()
`;

/** The frames of each thread by gdb, without those that have no stack: inlined calls, and callers that it
 * infers from tail calls. */
async function gdbStacks(pid: number, directory: string): Promise<Map<number, GdbFrame[]>> {
  await Deno.writeTextFile(`${directory}/stacks.py`, script);
  const settings = [
    "set debuginfod enabled off",
    "set auto-load off",
    `source ${directory}/stacks.py`,
  ];
  const { stdout } = await new Deno.Command("gdb", {
    args: [
      "-nx",
      "-batch",
      "-iex",
      settings[1],
      "-iex",
      settings[0],
      "-p",
      `${pid}`,
      "-ex",
      settings[2],
    ],
    stderr: "null",
  }).output();
  const stacks = new Map<number, GdbFrame[]>();
  for (const line of new TextDecoder().decode(stdout).split("\n")) {
    const match = /^FRAME (\d+) (0x[0-9a-f]+) (.*)$/.exec(line);
    // Where Go's stacks end, gdb shows a caller at 0.
    if (match === null || BigInt(match[2]) === 0n) continue;
    const [, thread, address, name] = match;
    const frames = stacks.get(Number(thread)) ?? [];
    frames.push({ address: BigInt(address), name: name || null });
    stacks.set(Number(thread), frames);
  }
  return stacks;
}

/** A name without what the two tools write differently: parameters, arguments of templates, versions. */
function bare(name: string): string {
  return name.replace(/<.*>/g, "").replace(/\(.*$/, "").replace(/[@.].*$/, "").replace(
    /^.*[ :]/,
    "",
  );
}

/** Whether a frame has gdb's name, or is in a function that the image knows by that name too. */
function isNamed(target: Target, frame: Frame, name: string): boolean {
  const own = [frame.function, frame.symbol?.name];
  if (own.some((text) => text != null && bare(demangle(text)) === bare(name))) return true;
  // The separate debug information, which has more names, is looked for at the first question for it.
  void frame.source;
  const start = frame.symbol?.address;
  return target.lookup(name).some(({ symbol }) => symbol.address === start);
}

/** The state of a process: S when it sleeps, T when it is stopped. */
function stateOf(pid: number): { state: string; threads: number } {
  const status = Deno.readTextFileSync(`/proc/${pid}/status`);
  return {
    state: /^State:\s+(\S)/m.exec(status)![1],
    threads: Number(/^Threads:\s+(\d+)/m.exec(status)![1]),
  };
}

/** The process that a wrapper such as runuser started. */
function innermost(pid: number): number {
  const children = Deno.readTextFileSync(`/proc/${pid}/task/${pid}/children`).trim();
  return /runuser/.test(Deno.readTextFileSync(`/proc/${pid}/comm`)) && children !== ""
    ? innermost(Number(children.split(" ")[0]))
    : pid;
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 20));
}

const hasGdb = await succeeds("gdb", "--version");

for (const subject of subjects) {
  const directory = await Deno.makeTempDir();
  const command = hasGdb ? await subject.command(directory) : undefined;
  Deno.test({
    name: `${subject.name}: frames and names are gdb's`,
    ignore: command === undefined,
    async fn() {
      const [program, ...args] = command!;
      const child = new Deno.Command(program, {
        args,
        stdin: "piped",
        stdout: "null",
        stderr: "null",
      }).spawn();
      let pid = child.pid;
      try {
        let quiet = 0;
        await until(() => {
          pid = innermost(child.pid);
          const { state, threads } = stateOf(pid);
          quiet = state === "S" && threads >= (subject.threads ?? 1) ? quiet + 1 : 0;
          return quiet > 20;
        });
        // Neither tool is to see the program at another moment.
        Deno.kill(pid, "SIGSTOP");
        await until(() => stateOf(pid).state === "T");
        const expected = await gdbStacks(pid, directory);
        assert(expected.size >= (subject.threads ?? 1), "gdb found no threads");
        using target = await attach(pid);
        const { threads } = target.snapshot();
        assertEquals(threads.length, expected.size);
        for (const thread of threads) {
          const frames = thread.backtrace({ limit: 200 }).activations;
          const theirs = expected.get(Number(thread.id))!;
          const hex = (address: bigint): string => address.toString(16);
          assertEquals(
            frames.map(({ address }) => hex(address)),
            theirs.map(({ address }) => hex(address)),
            `thread ${thread.id}: ${theirs.map(({ name }) => name).join(" < ")}`,
          );
          for (const [index, { name }] of theirs.entries()) {
            if (name === null) continue;
            const frame = frames[index];
            if (name === "<signal>") {
              assertEquals(`${frame}`.endsWith(" [signal]"), true, `${frame}`);
              continue;
            }
            assert(
              isNamed(target, frame, name),
              `frame ${index}: gdb says ${name}, here it is ${frame.function}, ${frame.symbol?.name}`,
            );
          }
        }
      } finally {
        Deno.kill(pid, "SIGKILL");
        await child.stdin.close();
        child.kill("SIGKILL");
        await child.status;
        await Deno.remove(directory, { recursive: true });
      }
    },
  });
}

const recursion = `#include <unistd.h>
static int deep(int n) {
  volatile char buf[64];
  buf[0] = n;
  if (n == 0) return pause();
  return deep(n - 1) + buf[0];
}
int main() { return deep(1500); }
`;

Deno.test("a recursion's variables are read in a time that grows with its depth", async () => {
  const directory = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(`${directory}/deep.c`, recursion);
    const program = `${directory}/deep`;
    assert(await succeeds("cc", "-g", "-O0", `${directory}/deep.c`, "-o", program));
    const child = new Deno.Command(program).spawn();
    try {
      await new Promise((resolve) => setTimeout(resolve, 500));
      using target = attach(child.pid);
      using _pause = target.pause();
      const measure = (limit: number): number => {
        const [thread] = target.threads;
        const frames = [...thread.backtrace({ limit })].filter((frame) =>
          frame.function === "deep"
        );
        const before = processorTime();
        frames.forEach((frame, index) => {
          assertEquals([frame.locals.n, frame.locals.buf[0]], [index, (index << 24) >> 24]);
          assert(frame.registers.get("rbx") !== undefined || Deno.build.arch !== "x86_64");
        });
        return processorTime() - before;
      };
      measure(1500);
      // In turn, so that what else runs here meets both. A square would make it 87 times.
      const few: number[] = [], all: number[] = [];
      for (let turn = 0; turn < 4; turn++) few.push(measure(150)), all.push(measure(1400));
      const [least, most] = [Math.min(...few), Math.min(...all)];
      assert(most < 40 * least, `${least} and ${most} ms`);
    } finally {
      child.kill("SIGKILL");
      await child.status;
    }
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
});
