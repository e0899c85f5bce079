/** The names of processes, from the kernel that attaches to them: Tab after `attach`, and waiting for one. */
import { assert, assertEquals, assertRejects } from "@std/assert";
import { UserError } from "../../../repl/errors.ts";
import { complete } from "../../../repl/prompt/completion.ts";
import { openStarted } from "../../../repl/prompt/processes.ts";
import { Session } from "../../../repl/prompt/session.ts";
import { plain } from "../../../repl/view/style.ts";
import { onLinux } from "../../machine.ts";

Deno.test({
  name: "process names are completed, long ones whole; pids and names with spaces are not",
  ignore: Deno.build.os === "windows",
  async fn() {
    const directory = await Deno.makeTempDir();
    const long = `machpause-test-${crypto.randomUUID()}`;
    const children: Deno.ChildProcess[] = [];
    try {
      for (const name of [long, `${long} with a space`]) {
        await Deno.copyFile("/bin/sleep", `${directory}/${name}`);
        children.push(new Deno.Command(`${directory}/${name}`, { args: ["60"] }).spawn());
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
      const session = new Session(plain);
      const at = async (line: string) => await complete(session, line, line.length);
      const { candidates, suffix } = await at(`attach ${long.slice(0, 30)}`);
      assertEquals([candidates, suffix], [[long], " "]);
      assertEquals((await at("attach 12")).candidates, []);
      assert((await at("attach ")).candidates.includes(long));
    } finally {
      for (const child of children) {
        child.kill();
        await child.status;
      }
      await Deno.remove(directory, { recursive: true });
    }
  },
});

Deno.test({
  name: "a program that is waited for is the next one of its name, and not one that runs already",
  ignore: !onLinux,
  async fn() {
    const directory = await Deno.makeTempDir();
    const name = `w${crypto.randomUUID().slice(0, 8)}`;
    const children: Deno.ChildProcess[] = [];
    const begin = (...args: string[]) => {
      const child = new Deno.Command(`${directory}/${name}`, { args }).spawn();
      children.push(child);
      return child;
    };
    try {
      await Deno.copyFile("/bin/sleep", `${directory}/${name}`);
      const before = begin("60");
      const said: string[] = [];
      let started: Deno.ChildProcess | undefined;
      using opened = await openStarted(`./build/${name}`, {
        say(text) {
          said.push(`${text}`);
          // The line is there once it looks.
          if (said.length === 2) started = begin("60");
        },
      });
      assertEquals(opened?.target.pid, started!.pid);
      assertEquals(said, [
        `waiting for ${name} to be started; Ctrl-C ends the wait`,
        `(pid ${before.pid} has that name already, and is not meant)`,
      ]);
      const signal = AbortSignal.timeout(30);
      assertEquals(await openStarted("no-such-program", { signal, say() {} }), undefined);
      for (const wrong of ["12", "pid:12", "demo", "core:x", ""]) {
        const { exitCode } = await assertRejects(() => openStarted(wrong, { say() {} }), UserError);
        assertEquals(exitCode, 2);
      }
    } finally {
      for (const child of children) {
        child.kill("SIGKILL");
        await child.status;
      }
      await Deno.remove(directory, { recursive: true });
    }
  },
});
