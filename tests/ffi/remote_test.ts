/** Real stubs, which nobody here wrote: lldb-server and gdbserver of this machine's packages. */
import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import {
  attachRemote,
  RemoteError,
  type RemoteTarget,
  type StubName,
  stubNames,
} from "../../ffi/remote.ts";
import { findStub } from "../../ffi/stubs.ts";
import { MemoryReadError, openCore, TargetGoneError } from "../../mod.ts";
import { addressOf, chains, ownFrames, progress, startDemo } from "../lib/target/demo.ts";
import { builds, canLaunch, onLinux, onMac } from "../machine.ts";

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
  return /\) (\w)/.exec(Deno.readTextFileSync(`/proc/${pid}/stat`))![1];
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
          const file = await Deno.makeTempFile();
          {
            using _pause = target.pause();
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
