/** Looking at one thread: what is held, and let go, on both systems, whenever the target dies. */
import { assert, assertEquals } from "@std/assert";
import { TargetGoneError } from "../../../lib/errors.ts";
import type { FileSystem } from "../../../lib/file_system.ts";
import { LiveTarget } from "../../../lib/target/walking.ts";
import { FakeKernel } from "./fake_kernel.ts";

const noFiles: FileSystem = {
  files: {
    open: (path) => {
      throw new Deno.errors.NotFound(path);
    },
    create: () => {
      throw new Error("nothing is written");
    },
    walk: () => [],
  },
};

for (const system of ["darwin", "linux"] as const) {
  Deno.test(`${system}: a look stops what outlives no debugger, reads, and lets go`, async () => {
    const kernel = new FakeKernel();
    kernel.system = system;
    const [region] = kernel.vmRegions(0, 0n, 1);
    kernel.vmRegions = () => {
      kernel.log.push("vmRegions");
      return [region];
    };
    using target = new LiveTarget(kernel, noFiles, { pid: 7, name: "fake" });
    const probe = await target.probe("worker");
    assert(probe !== undefined);
    const from = kernel.log.length;
    const thread = probe.look();
    assertEquals([thread.index, thread.name, thread.registers.get("rip")], [1, "worker", 0x4001n]);
    const [stop, resume] = system === "darwin"
      ? ["taskSuspend", "taskResume"]
      : ["threadSuspend", "threadResume"];
    const calls = kernel.log.slice(from).filter((call) => call !== "taskDyldInfo");
    assertEquals(calls, ["threadInfo", stop, "threadGetState", "vmRegions", "vmRead", resume]);
    // The stack's region is known now.
    const again = kernel.log.length;
    probe.look();
    assertEquals(kernel.log.slice(again).filter((call) => call === "vmRegions"), []);
    assertEquals([kernel.tokens.size, kernel.threadSuspensions.size], [0, 0]);
    probe[Symbol.dispose]();
    probe[Symbol.dispose]();
    assertEquals(kernel.ports.size, 1);
  });

  Deno.test(`${system}: a target that dies at any call of a look leaves nothing held`, async () => {
    for (let call = 0; call < 8; call++) {
      const kernel = new FakeKernel();
      kernel.system = system;
      {
        using target = new LiveTarget(kernel, noFiles, { pid: 7, name: "fake" });
        using probe = (await target.probe())!;
        kernel.diesAt = kernel.log.length + call;
        try {
          probe.look();
        } catch (error) {
          assert(error instanceof TargetGoneError, `${error}`);
        }
      }
      assertEquals([call, kernel.ports.size, kernel.tokens.size], [call, 0, 0]);
    }
  });
}

Deno.test("a thread is found by its id: another may end between the snapshot and the list", async () => {
  const kernel = new FakeKernel();
  const { taskThreads } = kernel;
  kernel.taskThreads = (task) => {
    const [first, ...others] = taskThreads.call(kernel, task);
    kernel.portRelease(first);
    return Uint32Array.from(others);
  };
  using target = new LiveTarget(kernel, noFiles, { pid: 7, name: "fake" });
  using probe = await target.probe("worker");
  assertEquals(probe!.info().name, "worker");
});

Deno.test("a thread that is not there holds no port", async () => {
  const kernel = new FakeKernel();
  using target = new LiveTarget(kernel, noFiles, { pid: 7, name: "fake" });
  assertEquals(await target.probe("nobody"), undefined);
  assertEquals(kernel.ports.size, 1);
});
