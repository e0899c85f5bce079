/** The same recorded task behind stubs of different manners: always the same threads, registers and
 * frames as over the kernel itself. */
import { assert, assertEquals, assertThrows } from "@std/assert";
import { files } from "../../../ffi/mod.ts";
import { LiveTarget, MemoryReadError, type Target } from "../../../mod.ts";
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
