/** Compares what we show over the wire with LLDB's own client at the same stub: the same threads, registers
 * and frames. */
import { assert, assertEquals } from "@std/assert";
import { attachRemote } from "../../ffi/remote.ts";
import { findStub } from "../../ffi/stubs.ts";
import type { Frame, Target } from "../../mod.ts";
import { startElf } from "../../tools/bench/crowd.ts";
import { LatencyProxy } from "../lib/remote/latency_proxy.ts";
import { startDemo } from "../lib/target/demo.ts";
import { run } from "./run.ts";

/** A thread, as both show it. */
interface Shown {
  readonly id: string;
  readonly name: string;
  readonly registers: Readonly<Record<string, string>>;
  readonly frames: readonly string[];
}

const settings = [
  `settings set thread-format "thread \${thread.id} \${thread.name}\\n"`,
  `settings set thread-stop-format "thread \${thread.id} \${thread.name}\\n"`,
  `settings set frame-format "frame \${frame.pc}{ \${module.file.basename}}{ \${function.name}}\\n"`,
];

/** A program whose threads all wait, so that two stops find them where they are. Frame records alone lead
 * through it: of ELF files we read no unwind information, and both debuggers follow those. */
const source = `
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static volatile int n;
__attribute__((noinline)) void wait_here(void) { n++; for (;;) __asm__ volatile("" ::: "memory"); }
__attribute__((noinline)) void middle(void) { wait_here(); n++; }
static void *outer(void *p) { middle(); n++; return p; }
int main(void) {
  for (int i = 0; i < 3; i++) {
    pthread_t thread;
    char name[16];
    snprintf(name, sizeof name, "worker %d", i);
    pthread_create(&thread, 0, outer, 0);
    pthread_setname_np(thread, name);
  }
  puts("ready");
  fflush(stdout);
  middle();
}
`;

/** Starts a stub for one client; it has exited when that has let go. */
async function stubFor(pid: number): Promise<number> {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr;
  listener.close();
  new Deno.Command(await findStub("lldb-server", pid), {
    args: ["gdbserver", "--attach", `${pid}`, `127.0.0.1:${port}`],
    stdout: "null",
    stderr: "null",
  }).spawn();
  const mark = `:${port.toString(16).toUpperCase().padStart(4, "0")} 00000000:0000 0A`;
  while (!Deno.readTextFileSync("/proc/net/tcp").includes(mark)) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return port;
}

/** What LLDB shows of a process. */
async function lldb(pid: number, threads: number, arch: string): Promise<Shown[]> {
  const port = await stubFor(pid);
  const script = await Deno.makeTempFile();
  try {
    const lines = [...settings, `settings set target.default-arch ${arch}`];
    lines.push(`gdb-remote 127.0.0.1:${port}`, "bt all");
    for (let thread = 1; thread <= threads; thread++) {
      lines.push(`thread select ${thread}`, "register read -s 0");
    }
    await Deno.writeTextFile(script, [...lines, "detach"].join("\n"));
    const { stdout } = await new Deno.Command("lldb-19", { args: ["-x", "-b", "-s", script] })
      .output();
    const [head, ...perThread] = new TextDecoder().decode(stdout).split(/^\(lldb\) register read/m);
    const backtraces = head.split(/^\(lldb\) bt all$/m)[1].split(/^\(lldb\)/m)[0]
      .split(/^[* ] *thread /m).slice(1);
    assertEquals(backtraces.length, perThread.length);
    return backtraces.map((text, index) => {
      const [, id, name] = /^(\S+) (.*)/.exec(text)!;
      const registers = [...perThread[index].matchAll(/^ *(\w+) = (0x[\da-f]+)/gm)];
      return {
        id: `${BigInt(id)}`,
        name,
        registers: Object.fromEntries(
          registers.map(([, name, value]) => [name, `${BigInt(value)}`]),
        ),
        frames: [...text.matchAll(/frame (0x[\da-f]+)/g)].map(([, pc]) => `${BigInt(pc)}`),
      };
    });
  } finally {
    await Deno.remove(script);
  }
}

function ours(target: Target): Shown[] {
  return target.snapshot().threads.map((thread) => ({
    id: `${thread.id}`,
    name: thread.name,
    registers: Object.fromEntries(
      [...thread.registers].map(({ name, value }) => [name, `${value}`]),
    ),
    frames: thread.backtrace().activations.map(({ address }: Frame) => `${address}`),
  }));
}

Deno.test("lldb-server: threads, names, registers and frames are those that LLDB's client shows", async () => {
  const folder = await Deno.makeTempDir();
  await Deno.writeTextFile(`${folder}/waits.c`, source);
  const flags = ["-O1", "-fno-omit-frame-pointer", "-mno-omit-leaf-frame-pointer"];
  const own = ["-fno-optimize-sibling-calls", "-o", "waits", "waits.c", "-pthread"];
  await run("clang-19", [...flags, ...own], folder);
  const child = new Deno.Command(`${folder}/waits`, { stdout: "piped" }).spawn();
  try {
    const reader = child.stdout.getReader();
    await reader.read();
    reader.releaseLock();
    const port = await stubFor(child.pid);
    let found: Shown[];
    {
      using target = await attachRemote(`127.0.0.1:${port}`);
      found = ours(target);
    }
    const expected = await lldb(child.pid, found.length, "x86_64");
    assertEquals(found.length, 4);
    for (const [index, { id, name, registers, frames }] of expected.entries()) {
      assertEquals([found[index].id, found[index].name], [id, name]);
      for (const [register, value] of Object.entries(found[index].registers)) {
        assertEquals(value, registers[register], `${name}: ${register}`);
      }
      // The outermost frames are the C library's, whose caller LLDB finds by its unwind information.
      const own = frames.slice(0, 3);
      assertEquals(found[index].frames.slice(0, own.length), own, name);
    }
  } finally {
    child.kill("SIGKILL");
    await child.stdout.cancel();
    await child.status;
    await Deno.remove(folder, { recursive: true });
  }
});

/** Asserts that what two clients show of the demo is the same. */
function assertSame(found: readonly Shown[], expected: readonly Shown[]): void {
  assertEquals(
    found.map(({ id, name }) => [id, name]),
    expected.map(({ id, name }) => [id, name]),
  );
  // Some of its threads run: those that wait have not moved.
  for (const [index, { frames, registers }] of expected.entries()) {
    if (["demo.spin", "demo.leaf"].includes(found[index].name)) continue;
    assertEquals(found[index].frames[0], frames[0], found[index].name);
    for (const [register, value] of Object.entries(found[index].registers)) {
      // The kernel notes in it how the system call is to be restarted: each stop changes it.
      if (!/^[er]ax$/.test(register) && registers[register] !== undefined) {
        assertEquals(value, registers[register], `${found[index].name}: ${register}`);
      }
    }
  }
}

for (const arch of ["x86_64", "i386"]) {
  Deno.test(`${arch}: of a Mach-O program LLDB's client shows the same threads and registers`, async () => {
    using live = await startDemo(arch);
    try {
      // The main thread wakes every 5 ms, and may be found awake by one of the two.
      for (let attempt = 1;; attempt++) {
        const port = await stubFor(live.pid);
        let found: Shown[];
        {
          using target = await attachRemote(`127.0.0.1:${port}`);
          found = ours(target);
        }
        const expected = await lldb(live.pid, found.length, arch);
        try {
          assertSame(found, expected);
          return;
        } catch (error) {
          if (attempt === 4) throw error;
        }
      }
    } finally {
      live.kill();
    }
  });
}

/** What `bt` of a process costs a client, counted between it and its stub. */
async function costOf(
  pid: number,
  command: (port: number) => [string, ...string[]],
): Promise<{ text: string; packets: number; roundTrips: number }> {
  using proxy = new LatencyProxy(await stubFor(pid), 0);
  const [program, ...args] = command(proxy.port);
  const { stdout } = await new Deno.Command(program, {
    args,
    stdin: "null",
    stderr: "null",
    env: { NO_COLOR: "1" },
  }).output();
  const { packets, roundTrips } = proxy;
  return { text: new TextDecoder().decode(stdout), packets, roundTrips };
}

Deno.test("101 threads cost a fraction of the round trips that LLDB's client needs", async () => {
  const crowd = await startElf();
  try {
    const ours = await costOf(crowd.pid, (port) => {
      const main = new URL("../../repl/main.ts", import.meta.url).pathname;
      const args = ["run", "-A", "--no-check", main, "bt", `remote:127.0.0.1:${port}`];
      return [Deno.execPath(), ...args];
    });
    const lldbs = await costOf(crowd.pid, (port) => {
      return ["lldb-19", "-x", "-b", "-o", `gdb-remote 127.0.0.1:${port}`]
        .concat("-o", "bt all", "-o", "detach") as [string, ...string[]];
    });
    assertEquals(ours.text.match(/^thread \d+/gm)?.length, 101);
    assertEquals(lldbs.text.match(/^[* ] *thread #\d+/gm)!.length >= 101, true);
    const said = JSON.stringify(
      [ours, lldbs].map(({ packets, roundTrips }) => ({ packets, roundTrips })),
    );
    assert(ours.roundTrips <= 40, said);
    assert(ours.roundTrips * 5 <= lldbs.roundTrips, said);
    assert(ours.packets <= lldbs.packets, said);
  } finally {
    crowd.kill();
  }
});

/** A program and a library with a variable of which each thread has its own. */
const ownVariables = {
  "library.c": "__thread long in_library = 3; long *slot(void) { return &in_library; }",
  "program.c": `
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
long *slot(void);
__thread long in_program = 7;
static pthread_barrier_t all;
static void *work(void *number) {
  in_program = (long)number;
  *slot() = 10 * (long)number;
  pthread_barrier_wait(&all);
  for (;;) pause();
}
int main(void) {
  pthread_barrier_init(&all, 0, 4);
  for (long number = 1; number < 4; number++) {
    pthread_t thread;
    pthread_create(&thread, 0, work, (void *)number);
  }
  pthread_barrier_wait(&all);
  puts("ready");
  fflush(stdout);
  for (;;) pause();
}
`,
};

/** Where gdb has a variable, by the identifiers of the threads. gdbserver finds it by libthread_db. */
async function gdbAddresses(program: string, pid: number, name: string) {
  const { stdout } = await new Deno.Command("gdb", {
    args: ["-nx", "-batch", "-ex", "set sysroot /", "-ex", "set debuginfod enabled off"].concat(
      ...["-ex", `target remote | gdbserver --once --attach - ${pid}`],
      ...["-ex", `thread apply all print &${name}`, "-ex", "detach", program],
    ),
  }).output();
  const found = new TextDecoder().decode(stdout)
    .matchAll(/^Thread \d+ \(Thread \d+\.(\d+)[^\n]*\n\$\d+ = [^\n]*(0x[\da-f]+)/gm);
  return new Map([...found].map(([, id, address]) => [BigInt(id), BigInt(address)]));
}

Deno.test("variables of each thread's own are where gdb has them over gdbserver", async () => {
  const folder = await Deno.makeTempDir();
  const compile = (...args: string[]) => run("clang-19", ["-g", ...args], folder);
  for (const [name, text] of Object.entries(ownVariables)) {
    await Deno.writeTextFile(`${folder}/${name}`, text);
  }
  await compile("-shared", "-fPIC", "-o", "libown.so", "library.c");
  await compile("-o", "program", "program.c", "-pthread", "-L.", "-lown", "-Wl,-rpath,$ORIGIN");
  const child = new Deno.Command(`${folder}/program`, { cwd: folder, stdout: "piped" }).spawn();
  try {
    const reader = child.stdout.getReader();
    await reader.read();
    reader.releaseLock();
    for (const name of ["in_program", "in_library"]) {
      const expected = await gdbAddresses(`${folder}/program`, child.pid, name);
      assertEquals(expected.size, 4);
      for (const via of ["gdbserver", "lldb-server"] as const) {
        using target = await attachRemote({ via, pid: child.pid });
        // Of a snapshot, the threads' pointers are asked for later.
        const { threads } = target.snapshot();
        const found = threads.map((thread) => {
          const [variable] = target.globals(undefined, name, thread);
          return [thread.id, variable.address] as const;
        });
        assertEquals(new Map(found), expected, `${via}: ${name}`);
      }
    }
  } finally {
    child.kill("SIGKILL");
    await child.stdout.cancel();
    await child.status;
    await Deno.remove(folder, { recursive: true });
  }
});
