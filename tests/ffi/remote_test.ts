/** Real stubs, which nobody here wrote: lldb-server and gdbserver of this machine's packages. */
import { assert, assertEquals, assertMatch, assertRejects, assertThrows } from "@std/assert";
import {
  attachRemote,
  launchRemote,
  RemoteError,
  RemoteTarget,
  type StubName,
  stubNames,
} from "../../ffi/remote.ts";
import { fileSystem } from "../../ffi/file_system.ts";
import { procFields } from "../../ffi/procfs.ts";
import { findStub, startStub } from "../../ffi/stubs.ts";
import { functionName, SampleState } from "../../lib/profile/mod.ts";
import type { FileSystem, OpenFile } from "../../lib/file_system.ts";
import {
  attach,
  MachError,
  MemoryReadError,
  openCore,
  type Target,
  TargetGoneError,
} from "../../mod.ts";
import { answer } from "../../repl/view/activity.ts";
import { plain } from "../../repl/view/style.ts";
import { addressOf, chains, ownFrames, progress, startDemo } from "../lib/target/demo.ts";
import { builds, canLaunch, onLinux, onMac, ownBuild } from "../machine.ts";

/** The stubs that may be here, and those that are not: `.ci/packages` has Linux's. */
const stubs = stubNames.filter((name) => onMac === (name === "debugserver"));
const absent: StubName[] = [];
for (const name of stubs) {
  try {
    await findStub(name, Deno.pid);
  } catch (error) {
    if (!(error instanceof RemoteError)) throw error;
    absent.push(name);
  }
}

/** A register that the demo's main thread can lose for a moment. */
const scratchRegisters: Readonly<Record<string, string>> = {
  ...{ x86_64: "r15", i386: "edi", arm64: "x20", armv7: "r4" },
};

/** What `/proc` says a process does: `t` is stopped by a tracer. */
function stateOf(pid: number): string {
  return procFields(pid)![0];
}

async function until(done: () => boolean, what: string): Promise<void> {
  for (let attempt = 0; !done(); attempt++) {
    assert(attempt < 3000, what);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

function assertChains(target: RemoteTarget): void {
  const { threads } = target.snapshot();
  assertEquals(threads.length, chains.size);
  for (const thread of threads) {
    const name = thread.name === "demo" || thread.name === "" ? "main" : thread.name;
    const { own, contiguous } = ownFrames(thread);
    assertEquals(own, chains.get(name), name);
    assert(contiguous);
  }
}

for (const via of stubs) {
  const isAbsent = absent.includes(via);
  Deno.test(
    { name: `${via}: the demo over the wire is the demo`, ignore: !canLaunch || isAbsent },
    async () => {
      for (const build of builds.filter((build) => build in scratchRegisters)) {
        using live = await startDemo(build);
        try {
          const counters = progress(live);
          using target = await attachRemote({ via, pid: live.pid });
          assertEquals([target.kind, target.pid, target.name], ["remote", live.pid, "demo"]);
          assertEquals(target.arch.name, build);
          assertEquals(
            target.images.map(({ path, uuid, loadAddress }) => [path, uuid, loadAddress]),
            live.images.map(({ path, uuid, loadAddress }) => [path, uuid, loadAddress]),
          );
          assertChains(target);
          // What pointers lead to is copied before it runs again.
          const { followed, threads } = target.snapshot({
            follow: { levels: 1, milliseconds: 60_000 },
          });
          assertEquals(followed?.isWhole, true);
          const spin = threads.find(({ name }) => name === "demo.spin");
          const counter = spin?.backtrace()[0].variables.find(({ name }) => name === "turns")
            ?.deref();
          assertEquals(counter?.isLater ?? false, false);
          const [[, innermost]] = chains.get("demo.spin")!;
          // On a busy machine it may get no processor between all looks of a recording.
          let hasRun = false;
          for (let attempt = 0; attempt < 20 && !hasRun; attempt++) {
            const profile = await target.record({ rate: 10, duration: 0.5, offCpu: true });
            assertEquals(profile.threads.length, chains.size);
            for (const { name, samples } of profile.threads) {
              // Each look has every thread, or is counted as lost.
              const looks = samples.weight.reduce((sum, weight) => sum + weight, 0);
              assertEquals(looks + profile.lost, 5, `${name}`);
              if (name !== "demo.spin") continue;
              hasRun = samples.state.includes(SampleState.onCPU);
              const [stack] = samples.stack;
              const leaf = profile.frames.function[profile.stacks.frame[stack]];
              assertEquals(functionName(profile, leaf), innermost);
            }
          }
          assert(hasRun);
          // What loops is told from what waits, though the protocol tells neither.
          const options = { seconds: 0.3, columns: Infinity, signal: new AbortController().signal };
          const does = new Map<string, string>();
          for (let attempt = 0; attempt < 20 && does.get("demo.spin") !== "loops"; attempt++) {
            const { json } = await answer("hang", target, { ...options, style: plain });
            const found = json as { name: string; how: string }[];
            for (const { name, how } of found) does.set(name, how);
          }
          assertEquals([does.get("demo.spin"), does.get("demo.lock")], ["loops", "waits"]);
          const file = await Deno.makeTempFile();
          {
            using _pause = target.pause();
            await assertRejects(() => target.record({ duration: 0.1 }), TypeError, "resume()");
            assertEquals(target.threads.map(({ id }) => id).length, chains.size);
            assertEquals(stateOf(live.pid), "t");
            assertChains(target);
            const ready = addressOf(live, "demo_ready");
            assertEquals(target.memory.readU32(ready), 1);
            target.memory.write(ready, Uint8Array.of(7));
            assertEquals(target.memory.readU32(ready), 7);
            target.memory.write(ready, Uint8Array.of(1));
            assertThrows(() => target.memory.read(16n, 4), MemoryReadError);
            const [thread] = target.threads;
            const scratch = scratchRegisters[build];
            const value = thread.registers.get(scratch)!;
            thread.setRegister(scratch, 0x1234n);
            assertEquals(target.threads[0].registers.get(scratch), 0x1234n);
            thread.setRegister(scratch, value);
            assert(target.regions().length > 5);
            await target.saveCore(file);
          }
          using core = openCore(file);
          assertEquals(core.threads.length, chains.size);
          assertEquals(ownFrames(core.threads[0]).own, chains.get("main"));
          await Deno.remove(file);
          target[Symbol.dispose]();
          // It runs on, for nobody.
          await until(
            () => progress(live).some((count, index) => count > counters[index]),
            "it runs",
          );
        } finally {
          live.kill();
        }
      }
    },
  );

  Deno.test(
    { name: `${via}: signals reach a target that runs`, ignore: !onLinux || isAbsent },
    async () => {
      // Its own children end all the time too: SIGCHLD.
      const script = "trap 'echo hit' USR1; while :; do sleep 0.02; done";
      const child = new Deno.Command("sh", { args: ["-c", script], stdout: "piped" }).spawn();
      const reader = child.stdout.getReader();
      try {
        using target = await attachRemote({ via, pid: child.pid });
        for (let time = 0; time < 3; time++) {
          child.kill("SIGUSR1");
          const { value } = await reader.read();
          assertEquals(new TextDecoder().decode(value).split("\n")[0], "hit");
          assert(target.snapshot().threads.length === 1);
        }
        child.kill("SIGKILL");
        await until(() => {
          try {
            target.attend();
            return false;
          } catch (error) {
            assert(error instanceof TargetGoneError || error instanceof RemoteError);
            return true;
          }
        }, "its end is told");
        assertThrows(() => target.snapshot());
      } finally {
        await reader.cancel();
        await child.status;
      }
    },
  );
}

for (const via of stubs) {
  Deno.test({
    name: `${via}: a suspended thread stands still while the others run`,
    ignore: !canLaunch || absent.includes(via),
  }, async () => {
    using live = await startDemo(ownBuild);
    try {
      using target = await attachRemote({ via, pid: live.pid });
      // The counters of demo.spin and demo.leaf.
      const moves = async (index: number): Promise<void> => {
        const before = progress(live)[index];
        await until(() => progress(live)[index] > before, `counter ${index} moves`);
      };
      const [spin, leaf] = [1, 2];
      const thread = target.snapshot().threads.find(({ name }) => name === "demo.spin")!;
      thread.suspend();
      thread.suspend();
      const stood = progress(live)[spin];
      for (let round = 0; round < 3; round++) {
        await moves(leaf);
        // A look stops and resumes the others.
        const { threads } = target.snapshot();
        assertEquals(threads.length, chains.size);
        assertEquals(threads.find(({ id }) => id === thread.id)!.suspendCount, 2);
        assertEquals(progress(live)[spin], stood);
      }
      thread.resume();
      {
        using _pause = target.pause();
      }
      await moves(leaf);
      assertEquals(progress(live)[spin], stood);
      thread.resume();
      await moves(spin);
      assertThrows(() => thread.resume(), MachError);
      // All of them: the target stands still, and runs on when it is let go.
      const { threads } = target.snapshot();
      for (const each of threads) each.suspend();
      const before = progress(live);
      assertEquals(target.snapshot().threads.length, chains.size);
      assertEquals(progress(live), before);
      threads.find(({ name }) => name === "demo.leaf")!.resume();
      await moves(leaf);
      assertEquals(progress(live)[spin], before[spin]);
      target[Symbol.dispose]();
      await moves(spin);
    } finally {
      live.kill();
    }
  });
}

for (const via of stubs) {
  Deno.test({
    name: `${via}: a program is launched, prints, and ends as it is told`,
    ignore: !onLinux || absent.includes(via),
  }, async () => {
    const start = async (script: string) => {
      let printed = "";
      const target = await launchRemote("/bin/sh", ["-c", script, "sh", "a b", "c'd"], {
        via,
        onOutput: (bytes) => printed += new TextDecoder().decode(bytes),
      });
      return { target, printed: () => printed.replaceAll("\r", "").split("\n").sort().join(" ") };
    };
    const gone = (pid: number) => {
      try {
        return /^[ZX]$/.test(stateOf(pid));
      } catch {
        return true;
      }
    };
    {
      const { target, printed } = await start('echo "$1|$2"; echo err >&2; exec sleep 1000');
      await until(() => printed() === " a b|c'd err", "its output");
      const pid = target.pid!;
      assertEquals([target.name, target.snapshot().threads.length], ["sh", 1]);
      target.kill();
      assertThrows(() => target.snapshot(), TargetGoneError);
      await until(() => gone(pid), "it is killed");
      target[Symbol.dispose]();
    }
    {
      const { target } = await start("exit 3");
      await until(() => target.ended !== undefined, "its end");
      assertEquals(target.ended, "it exited with code 3");
      target[Symbol.dispose]();
    }
    {
      const { target } = await start("exec sleep 1000");
      const pid = target.pid!;
      await until(() => Deno.readTextFileSync(`/proc/${pid}/stat`).includes("(sleep)"), "exec");
      target[Symbol.dispose]();
      await until(() => stateOf(pid) === "S", "it runs on");
      Deno.kill(pid, "SIGKILL");
    }
    {
      // Held, it has done nothing until it is sampled.
      let printed = "";
      using target = await launchRemote("/bin/sh", ["-c", "echo begun; exec sleep 1000"], {
        ...{ via, hold: true },
        onOutput: (bytes) => printed += new TextDecoder().decode(bytes),
      });
      assertEquals([stateOf(target.pid!), printed], ["t", ""]);
      const profile = await target.record({ rate: 50, duration: 0.1, offCpu: true });
      assertEquals(profile.threads.length, 1);
      await until(() => printed.trim() === "begun", "it runs");
      target.kill();
    }
    await assertRejects(() => launchRemote("/nowhere", [], { via }), Deno.errors.NotFound);
    await assertRejects(() => launchRemote("/etc/passwd", [], { via, onOutput() {} }), RemoteError);
  });
}

/** A program of Linux that waits below functions without frame records, whose names only the file has. */
const waits = `
#include <stdio.h>
#include <time.h>
static volatile int n;
static __attribute__((noinline)) void doze(long s) {
  struct timespec time = {s, 0};
  while (nanosleep(&time, 0)) n++;
}
static __attribute__((noinline)) void below(int depth) {
  if (depth > 0) below(depth - 1); else doze(1000);
  n++;
}
int main(void) { puts("ready"); fflush(stdout); below(3); return n; }
`;

for (const via of stubs) {
  Deno.test({
    name: `${via}: a program of Linux has the frames and names that a live attach has`,
    ignore: !onLinux || absent.includes(via),
  }, async () => {
    const folder = await Deno.makeTempDir();
    await Deno.writeTextFile(`${folder}/waits.c`, waits);
    const flags = ["-O2", "-fomit-frame-pointer", "-fno-optimize-sibling-calls", "-Wl,--build-id"];
    const { success } = await new Deno.Command("cc", {
      args: [...flags, "-o", `${folder}/waits`, `${folder}/waits.c`],
    }).output();
    assert(success);
    const child = new Deno.Command(`${folder}/waits`, { stdout: "piped" }).spawn();
    const reader = child.stdout.getReader();
    await reader.read();
    try {
      const shown = (target: Target) =>
        target.snapshot().threads[0].backtrace().activations.map(({ address, symbol }) =>
          `0x${address.toString(16)} ${symbol?.name}`
        );
      let expected: string[] = [];
      {
        using live = attach(child.pid);
        await until(() => {
          // On a busy machine it may be found on its way into the call.
          if (stateOf(child.pid) !== "S") return false;
          expected = shown(live);
          return /nanosleep/.test(expected[0]);
        }, "it waits");
      }
      // Compilers add `.constprop.0` and the like.
      const names = expected.map((line) => line.split(/[ .]/)[1]);
      const within = [names.indexOf("doze"), names.indexOf("main") + 1] as const;
      assertEquals(names.slice(...within), ["doze", "below", "below", "below", "below", "main"]);
      {
        using target = await attachRemote({ via, pid: child.pid });
        assertEquals(shown(target), expected);
      }
      // Without its files here, or with another one at its path, they are read through the stub.
      for (const open of [lacks, (): OpenFile => fileSystem.files.open(Deno.execPath())]) {
        const system: FileSystem = { files: { ...fileSystem.files, open } };
        const { socket, end } = await startStub(via, child.pid, 10_000);
        using _stub = { [Symbol.dispose]: end };
        using target = new RemoteTarget(socket, system);
        const [addresses, all] = [0, 1].map((part) =>
          shown(target).map((line) => line.split(" ")[part])
        );
        assertEquals(addresses, expected.map((line) => line.split(" ")[0]));
        assertEquals(
          all.slice(...within),
          expected.slice(...within).map((line) => line.split(" ")[1]),
        );
      }
    } finally {
      await reader.cancel();
      child.kill("SIGKILL");
      await child.status;
      await Deno.remove(folder, { recursive: true });
    }
  });
}

function lacks(path: string): never {
  throw new Deno.errors.NotFound(path);
}

for (
  const [via, args] of [
    ["lldb-server", (port: number) => ["gdbserver", `127.0.0.1:${port}`]],
    ["gdbserver", (port: number) => ["--multi", `127.0.0.1:${port}`]],
  ] as const
) {
  Deno.test({
    name: `${via}: one that holds no process attaches to the one that is named`,
    ignore: !onLinux || absent.includes(via),
  }, async () => {
    const child = new Deno.Command("sleep", { args: ["1000"] }).spawn();
    const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const { port } = listener.addr;
    listener.close();
    const places = [`127.0.0.1:${port}/${child.pid}`, `127.0.0.1:${port}`];
    try {
      for (const [index, place] of places.entries()) {
        const stub = new Deno.Command(await findStub(via), {
          args: args(port),
          stdout: "null",
          stderr: "null",
        }).spawn();
        const listens = new RegExp(`:${port.toString(16).toUpperCase().padStart(4, "0")} .* 0A `);
        await until(() => listens.test(Deno.readTextFileSync("/proc/net/tcp")), "the stub listens");
        try {
          if (index === 1) {
            await assertRejects(() => attachRemote(place), RemoteError, "holds no process");
            continue;
          }
          // gdbserver goes on to the next client, and stays in the mode of the one before.
          for (let client = 0; client < (via === "gdbserver" ? 2 : 1); client++) {
            using target = await attachRemote(place);
            assertEquals([target.pid, target.name], [child.pid, "sleep"]);
            assertEquals(target.snapshot().threads.length, 1);
            await until(() => stateOf(child.pid) === "S", "it runs on");
          }
          if (via === "gdbserver") {
            await assertRejects(() => attachRemote(places[1]), RemoteError, "holds no process");
          }
        } finally {
          stub.kill("SIGKILL");
          await stub.status;
        }
      }
      await until(() => stateOf(child.pid) === "S", "it runs on");
    } finally {
      child.kill("SIGKILL");
      await child.status;
    }
  });
}

/** A program that pauses a target over the wire and waits. */
const pauser = `
import { attachRemote } from ${
  JSON.stringify(new URL("../../ffi/remote.ts", import.meta.url).href)
};
const target = await attachRemote(Deno.args[0]);
target.pause();
console.log("paused");
await new Promise((resolve) => setTimeout(resolve, 600_000));
`;

for (
  const [name, args] of [
    [
      "lldb-server",
      (pid: number, port: number) => ["gdbserver", "--attach", `${pid}`, `127.0.0.1:${port}`],
    ],
    // Without --once it keeps the target stopped when it loses the connection.
    ["gdbserver", (pid: number, port: number) => ["--attach", `127.0.0.1:${port}`, `${pid}`]],
  ] as const
) {
  Deno.test({
    name: `${name}: a target runs on when the process that paused it is killed`,
    ignore: !onLinux || absent.includes(name),
  }, async () => {
    const target = new Deno.Command("sleep", { args: ["1000"] }).spawn();
    using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const { port } = listener.addr;
    listener.close();
    const stub = new Deno.Command(await findStub(name, target.pid), {
      args: args(target.pid, port),
      stdout: "null",
      stderr: "null",
    }).spawn();
    const script = await Deno.makeTempFile({ suffix: ".ts" });
    await Deno.writeTextFile(script, pauser);
    try {
      await until(() => stateOf(target.pid) === "t", "the stub attaches");
      const child = new Deno.Command(Deno.execPath(), {
        args: ["run", "-A", "--no-check", script, `127.0.0.1:${port}`],
        stdout: "piped",
      }).spawn();
      const reader = child.stdout.getReader();
      assertEquals(new TextDecoder().decode((await reader.read()).value), "paused\n");
      assertEquals(stateOf(target.pid), "t");
      child.kill("SIGKILL");
      await reader.cancel();
      await child.status;
      await until(() => stateOf(target.pid) === "S", "it runs on");
    } finally {
      try {
        stub.kill("SIGKILL");
      } catch {
        // It has exited.
      }
      await stub.status;
      target.kill("SIGKILL");
      await target.status;
      await Deno.remove(script);
    }
  });
}

Deno.test("places of another type are refused, and stubs that nobody knows", async () => {
  for (const place of [undefined, {}, { via: "lldb", pid: 1 }, { via: "gdbserver" }]) {
    await assertRejects(() => attachRemote(place as unknown as string), TypeError, "HOST:PORT");
  }
  const launchAny = launchRemote as unknown as (...given: unknown[]) => Promise<unknown>;
  await assertRejects(() => launchAny("/bin/true", []), TypeError, "{ via }");
  await assertRejects(() => launchAny("/bin/true", "-x", { via: "gdbserver" }), TypeError);
});

Deno.test("what does not listen, and a pid that is none, are refused with a reason", async () => {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr;
  listener.close();
  const refused = async (place: Parameters<typeof attachRemote>[0]) =>
    (await assertRejects(() => attachRemote(place), RemoteError)).failure;
  assertEquals(await refused(`127.0.0.1:${port}`), "connect");
  assertEquals(await refused("nowhere"), "connect");
  assertEquals(await refused("host.invalid:1"), "connect");
  for (const via of stubs.filter((name) => !absent.includes(name))) {
    assertEquals(await refused({ via, pid: 0x3fff_fff0 }), "connect");
  }
});

Deno.test("a debugserver that is slow to let its target go is not killed, and the target with it", async () => {
  const folder = await Deno.makeTempDir();
  const before = Deno.env.get("LLDB_DEBUGSERVER_PATH");
  const script = `${folder}/slow`;
  await Deno.writeTextFile(
    `${folder}/slow.ts`,
    `const [hostname, port] = Deno.args[2].split(":");
await Deno.connect({ hostname, port: Number(port) });
Deno.writeTextFileSync("${folder}/pid", \`\${Deno.pid}\`);
setTimeout(() => {}, 60_000);
`,
  );
  await Deno.writeTextFile(
    script,
    `#!/bin/sh\nexec "${Deno.execPath()}" run -A --no-config "${folder}/slow.ts" "$@"\n`,
  );
  await Deno.chmod(script, 0o700);
  Deno.env.set("LLDB_DEBUGSERVER_PATH", script);
  try {
    const { socket, end } = await startStub("debugserver", 77, 30_000);
    let pid = "";
    for (let tries = 0; tries < 500 && pid === ""; tries++) {
      pid = await Deno.readTextFile(`${folder}/pid`).catch(() => "");
      if (pid === "") await new Promise((resolve) => setTimeout(resolve, 10));
    }
    end();
    socket[Symbol.dispose]();
    await new Promise((resolve) => setTimeout(resolve, 2500));
    // It is still there.
    Deno.kill(Number(pid), "SIGKILL");
  } finally {
    if (before === undefined) Deno.env.delete("LLDB_DEBUGSERVER_PATH");
    else Deno.env.set("LLDB_DEBUGSERVER_PATH", before);
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("LLDB's stubs run in a session of their own: a Ctrl-C must not end them, and the target with them", async () => {
  const script = await Deno.makeTempFile();
  const before = Deno.env.get("LLDB_DEBUGSERVER_PATH");
  await Deno.writeTextFile(script, '#!/bin/sh\necho "$*" >&2\nexit 1\n');
  await Deno.chmod(script, 0o700);
  Deno.env.set("LLDB_DEBUGSERVER_PATH", script);
  try {
    const told = async (name: StubName, what: Parameters<typeof startStub>[1]) =>
      (await assertRejects(() => startStub(name, what, 10_000), RemoteError)).message;
    const program = { command: ["/bin/true", "-x"], onOutput: () => {} };
    const connect = String.raw`127\.0\.0\.1:\d+`;
    for (
      const [name, what, args] of [
        ["debugserver", 77, `--setsid -R ${connect} --attach=77`],
        ["debugserver", program, `--setsid -R ${connect} -- /bin/true -x`],
        ["lldb-server", 77, `gdbserver --setsid --attach 77 --reverse-connect ${connect}`],
        ["lldb-server", program, `gdbserver --setsid --reverse-connect ${connect} -- /bin/true -x`],
      ] as const
    ) {
      assertMatch(await told(name, what), new RegExp(`: ${args}$`));
    }
  } finally {
    if (before === undefined) Deno.env.delete("LLDB_DEBUGSERVER_PATH");
    else Deno.env.set("LLDB_DEBUGSERVER_PATH", before);
    await Deno.remove(script);
  }
});
