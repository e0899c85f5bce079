import { assert, assertFalse } from "@std/assert";
import { Watch } from "./watch.ts";

/** Looks at a process so often, or until it is stuck, without waiting in between. */
function looked(watch: Watch, times: number): boolean {
  for (let look = 0; look < times; look++) {
    if (watch.stuck()) return true;
  }
  return false;
}

function start(code: string): Deno.ChildProcess {
  return new Deno.Command("sh", { args: ["-c", code], stdout: "null" }).spawn();
}

async function end(child: Deno.ChildProcess): Promise<void> {
  child.kill("SIGKILL");
  await child.status;
}

if (Deno.build.os === "linux") {
  Deno.test("a process that sleeps, and one that is stopped, are stuck after many looks", async () => {
    const child = start("exec sleep 100");
    const watch = new Watch(child.pid);
    child.kill("SIGSTOP");
    try {
      assertFalse(looked(watch, 100));
      // On a busy machine it takes a while to stop.
      assert(looked(watch, 100_000));
    } finally {
      await end(child);
    }
  });

  Deno.test("a process that is waiting for a processor is not", async () => {
    const child = start("while :; do :; done");
    const watch = new Watch(child.pid);
    try {
      // Before its program is read in from the disk, it is waiting for that.
      assertFalse(looked(watch, 9000));
    } finally {
      await end(child);
    }
  });
}
