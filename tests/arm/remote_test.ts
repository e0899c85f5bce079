/** Looks over the wire at programs that gdbserver holds in the emulated machine, whose ports are forwarded:
 * for arm64 and for ARMv7, of Linux and Mach-O ones under the loader. `deno task test:arm` runs this. */
import { assert, assertEquals } from "@std/assert";
import { attachRemote, type RemoteTarget } from "../../ffi/remote.ts";
import { openCore, type Thread } from "../../mod.ts";
import { chains, ownFrames } from "../lib/target/demo.ts";

/** Where the stubs are and which pids they hold, by the programs' names. */
const stubs = new Map(
  (Deno.env.get("MACHPAUSE_ARM_STUBS") ?? "").split(" ").filter((text) => text !== "")
    .map((text) => text.split("="))
    .map(([name, port, pid]) => [name, { place: `127.0.0.1:${port}`, pid: Number(pid) }]),
);
const ignore = stubs.size === 0;
const masks = { arm64: 0xffff_ffff_ffffn, armv7: 0xffff_fffen } as const;

function assertChains(target: RemoteTarget, threads: readonly Thread[]): void {
  assertEquals(threads.length, chains.size);
  for (const thread of threads) {
    const name = chains.has(`${thread.name}`) ? `${thread.name}` : "main";
    const { own, contiguous } = ownFrames(thread);
    assertEquals(own, chains.get(name), `${target}: ${name}`);
    assert(contiguous);
  }
}

for (const arch of ["arm64", "armv7"] as const) {
  Deno.test(
    { name: `${arch}: a Mach-O program in the machine, over the wire`, ignore },
    async () => {
      const { place, pid } = stubs.get(`demo-${arch}`)!;
      const file = await Deno.makeTempFile();
      try {
        {
          using target = await attachRemote(place);
          assertEquals([target.arch.name, target.pid, target.name], [arch, pid, "demo"]);
          assertEquals(target.arch.addressMask, masks[arch]);
          assertChains(target, target.snapshot().threads);
          using _pause = target.pause();
          assertChains(target, target.threads);
          await target.saveCore(file);
        }
        using core = openCore(file);
        assertEquals(core.threads.length, chains.size);
        assertEquals(ownFrames(core.threads[0]).own, chains.get("main"));
      } finally {
        await Deno.remove(file);
      }
    },
  );

  Deno.test(
    { name: `${arch}: a program of Linux in the machine, over the wire`, ignore },
    async () => {
      const { place, pid } = stubs.get(`waits-${arch}`)!;
      using target = await attachRemote(place);
      assertEquals([target.arch.name, target.pid], [arch, pid]);
      assertEquals(target.arch.addressMask, masks[arch]);
      const { threads } = target.snapshot();
      assertEquals(threads.map(({ name }) => `${name}`), [`waits-${arch}`, "first", "second"]);
      const [{ symbol }] = target.lookup("thread_pointers");
      const pointers = threads.map((_, index) =>
        target.memory.readU64(symbol.address + 8n * BigInt(index))
      );
      // Of a 32-bit program gdbserver for arm64 describes the register, which is 0.
      const expected = arch === "arm64" ? pointers : [0n, 0n, 0n];
      assertEquals(threads.map(({ handle }) => handle), expected);
      // Its file is not here: the names come through the stub.
      // Debian's C library for ARMv7 has ARM's own unwind tables alone.
      const found = threads.flatMap((thread) => thread.backtrace().map(({ foundBy }) => foundBy));
      assertEquals(found.includes("exception-index"), arch === "armv7", `${found}`);
      for (const thread of threads.slice(1)) {
        const names = thread.backtrace().map(({ symbol }) => `${symbol?.name ?? ""}`);
        const own = ["wait_here", "middle", "middle", "middle", "middle", "outer"];
        assertEquals(
          names.slice(names.indexOf("wait_here")).slice(0, own.length),
          own,
          thread.name,
        );
      }
    },
  );
}
