import { assertEquals, assertMatch, assertThrows } from "@std/assert";
import { AttachError } from "../../lib/errors.ts";
import { attach } from "../../ffi/processes.ts";
import { openKernel } from "../../ffi/mod.ts";
import { refusalOf } from "../../ffi/remedy.ts";
import { onLinux } from "../machine.ts";

Deno.test("a pid that cannot be one is refused before the system is asked", () => {
  for (const pid of ["99999999999999999999", 2 ** 31, -1, 1.5, NaN]) {
    const { reason } = assertThrows(() => attach(pid), AttachError, "cannot be a pid");
    assertEquals(reason, "invalid");
  }
});

Deno.test("what cannot be attached to says what it is: no process, no name, this process", () => {
  const refused = (target: number | string) => {
    const { name, reason, remedy } = assertThrows(() => attach(target), AttachError);
    return [name, reason, remedy];
  };
  const none = 0x3fff_fff0;
  assertEquals(refused(none), ["AttachError", "gone", `there is no process with the pid ${none}`]);
  assertEquals(refused("no-such-process"), [
    "AttachError",
    "gone",
    'no process is named "no-such-process"',
  ]);
  assertEquals(refused(0), ["AttachError", "kernel", "pid 0 is the kernel: it has no program"]);
  const own = `pid ${Deno.pid} is this process, which cannot stop itself: attachSelf() takes ` +
    "snapshots";
  assertEquals(refused(Deno.pid), ["AttachError", "self", own]);
});

Deno.test({
  name: "Linux: what is not permitted is told from what is not there",
  ignore: !onLinux,
  async fn() {
    const kernel = openKernel();
    const refusal = (pid: number, user: number) =>
      refusalOf(pid, {
        system: "linux",
        pid: Deno.pid,
        user,
        processInfo: (pid) => kernel.processInfo(pid),
        processName: (pid) => kernel.processName(pid),
        ownEntitlements: () => undefined,
        hasScreen: () => false,
        developerMode: () => undefined,
        signedCopy: () => undefined,
      });
    const child = new Deno.Command("sleep", { args: ["60"] }).spawn();
    try {
      const other = refusal(child.pid, 65533);
      assertEquals(other.reason, "user");
      assertMatch(other.text, /belongs to another user \(\d+, and you are 65533\): run as root/);
    } finally {
      child.kill("SIGKILL");
      await child.status;
    }
    assertEquals(refusal(child.pid, 65533).reason, "gone");
  },
});
