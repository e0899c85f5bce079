/** The same recorded task behind stubs of different manners: always the same threads, registers and
 * frames as over the kernel itself. */
import { assert, assertEquals, assertThrows } from "@std/assert";
import { files } from "../../../ffi/mod.ts";
import { LiveTarget, MemoryReadError, type Target, TargetGoneError } from "../../../mod.ts";
import { RemoteTarget } from "../../../lib/remote/mod.ts";
import { recordedKernel } from "../target/memory_kernel.ts";
import { type Manners, ScriptedStub } from "./scripted_stub.ts";

const system = { files };

/** What a target shows. */
function shown(target: Target) {
  return target.snapshot().threads.map((thread) => ({
    name: thread.name,
    registers: thread.registers.toJSON(),
    frames: thread.backtrace().map((frame) => `${frame}`),
  }));
}

/** What a stub of these manners lets know of the expected: to debugserver the loader is no image, and qemu
 * tells nothing of any, so that only the innermost frame is sure. */
function known(manners: Manners, expected: ReturnType<typeof shown>): ReturnType<typeof shown> {
  if (manners === "gdbserver") return expected;
  return expected.map((thread) => ({
    ...thread,
    frames: thread.frames.slice(0, manners === "qemu" ? 1 : undefined).map((frame) =>
      manners === "qemu" || frame.includes("macho-loader")
        ? frame.replace(/^(\d+) {2}.*? {2}(0x[\da-f]+) {2}.*$/, "$1  ???  $2  ")
        : frame
    ),
  }));
}

for (const name of ["arm64", "armv7"] as const) {
  const kernel = recordedKernel(name);
  // The tests run when this block has ended.
  const live = new LiveTarget(kernel, system, { pid: 1001, name: "demo" });
  const expected = shown(live);
  for (const manners of ["debugserver", "gdbserver", "qemu"] as Manners[]) {
    Deno.test(`${name}: ${manners}'s packets give the same threads, registers and frames`, () => {
      const stub = new ScriptedStub(manners, name);
      {
        using target = new RemoteTarget(stub, system);
        assertEquals(target.arch.name, name);
        assert(stub.deeds.running, "it runs once it was attached to");
        const found = shown(target);
        if (manners === "qemu") { for (const { frames } of found) frames.length = 1; }
        assertEquals(found, known(manners, expected));
        assert(stub.deeds.running);
        {
          using _pause = target.pause();
          assert(!stub.deeds.running);
          using _nested = target.pause();
          assertEquals(target.threads.length, expected.length);
          const pc = target.threads[0].registers.get("pc")!;
          assertEquals(target.memory.read(pc & ~1n, 4), live.memory.read(pc & ~1n, 4));
          assertThrows(() => target.memory.read(8n, 4), MemoryReadError);
        }
        assert(stub.deeds.running);
        assertThrows(() => target.kill(), TypeError);
      }
      assert(stub.deeds.detached && stub.closed && !stub.deeds.killed);
    });
  }
}

for (const manners of ["debugserver", "gdbserver"] as const) {
  Deno.test(`arm64: ${manners} tells how many bits an address has`, () => {
    // An iPhone's, Linux's with large addresses, and none that can be.
    for (const [told, bits] of [[39, 39], [52, 52], [70, manners === "debugserver" ? 47 : 48]]) {
      const stub = new ScriptedStub(manners, "arm64");
      stub.addressBits = manners === "gdbserver" && told > 55 ? 0 : told;
      using target = new RemoteTarget(stub, system);
      assertEquals(target.arch.addressMask, (1n << BigInt(bits)) - 1n);
      assertEquals(target.snapshot().threads.length, 7);
    }
  });
}

Deno.test("armv7: threads at address 0 are shown", () => {
  const stub = new ScriptedStub("gdbserver", "armv7");
  stub.atZero = true;
  using target = new RemoteTarget(stub, system);
  for (const thread of target.snapshot().threads) {
    assertEquals(thread.backtrace()[0].address, 0n);
  }
});

Deno.test("a target that was killed has no memory, one that was disposed of none either", () => {
  for (const manners of ["debugserver", "gdbserver", "qemu"] as Manners[]) {
    const target = new RemoteTarget(new ScriptedStub(manners, "arm64"), system, { launched: true });
    const address = target.images[0]?.loadAddress ?? 0x1000n;
    const [killed, late] = [target.snapshot(), target.snapshot()].map(({ threads }) => threads[0]);
    target.kill();
    assertThrows(() => target.memory.read(address, 4), TargetGoneError, "killed from here");
    assert(`${killed.backtrace()}`.startsWith("0  "));
    target[Symbol.dispose]();
    assertThrows(() => target.memory.read(address, 4), TypeError, "was disposed");
    // What was not looked up before is not known; the stack is.
    assertEquals(late.backtrace().length, killed.backtrace().length);
    assert(`${late.backtrace()}`.startsWith("0  "));
  }
});

/** What a client sends for a target of so many threads: until it is attached, and for all backtraces. Lists
 * of threads that are sent in pieces count once. */
function sent(manners: Manners, threads: number): { trips: number; requests: number }[] {
  const stub = new ScriptedStub(manners, "arm64", threads);
  let [trips, requests] = [0, 0];
  const since = () => {
    const pieces =
      stub.deeds.requests.filter((text) => text.startsWith("qXfer:threads:read")).length;
    const all = { trips: stub.deeds.sends - pieces, requests: stub.deeds.requests.length - pieces };
    const more = { trips: all.trips - trips, requests: all.requests - requests };
    ({ trips, requests } = all);
    return more;
  };
  using target = new RemoteTarget(stub, system);
  const attached = since();
  const shownFrames = target.snapshot().threads.flatMap((thread) => thread.backtrace().map(String));
  assert(shownFrames.length > threads);
  return [attached, since()];
}

// How many requests there are for each thread: its region; its selection, registers and stop.
for (const [manners, attach, each] of [["debugserver", 0, 1], ["gdbserver", 1, 3]] as const) {
  Deno.test(`${manners}: 101 threads take the round trips of seven`, () => {
    const [few, many] = [sent(manners, 7), sent(manners, 101)];
    assertEquals(many.map(({ trips }) => trips), few.map(({ trips }) => trips));
    const more = many.map(({ requests }, at) => requests - few[at].requests);
    assertEquals(more, [94 * attach, 94 * each]);
  });
}
