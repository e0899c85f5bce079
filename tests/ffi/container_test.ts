/** A process with a file system of its own: its paths are those of other files here. */
import { assert, assertEquals } from "@std/assert";
import { attach } from "../../ffi/processes.ts";
import { onLinux } from "../machine.ts";

/** Whether something may be mounted in a new namespace here: as root, mostly not inside of a container. */
function mayMount(): boolean {
  const args = ["-m", "mount", "--bind", "/tmp", "/tmp"];
  return new Deno.Command("unshare", { args, stderr: "null" }).outputSync().success;
}

Deno.test({
  name: "a process in a container has the names of its own files",
  ignore: !onLinux || !mayMount(),
  async fn() {
    const folder = await Deno.makeTempDir();
    try {
      await Deno.writeTextFile(
        `${folder}/wait.c`,
        `#include <unistd.h>
        __attribute__((noinline)) void NAME(void) { write(1, "x", 1); for (;;) pause(); }
        int main(void) { NAME(); return 0; }`,
      );
      for (const [name, file] of [["inside_wait", "inside"], ["outside_wait", "app"]]) {
        const args = ["-g", `-DNAME=${name}`, "wait.c", "-o", file];
        const { success } = await new Deno.Command("cc", { args, cwd: folder }).output();
        assert(success);
      }
      const script = 'mount --bind "$1/inside" "$1/app" && exec "$1/app"';
      const child = new Deno.Command("unshare", {
        args: ["-m", "sh", "-c", script, "sh", folder],
        stdout: "piped",
      }).spawn();
      try {
        await child.stdout.getReader().read();
        using target = attach(child.pid);
        const [thread] = target.snapshot().threads;
        const names = [...thread.backtrace()].map((frame) => frame.function);
        assertEquals(names.filter((name) => name?.includes("side_wait")), ["inside_wait"]);
      } finally {
        child.kill("SIGKILL");
        await child.status;
      }
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
});
