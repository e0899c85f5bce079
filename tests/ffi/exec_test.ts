/** A process that starts a program of another architecture, by `exec`. */
import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { attach, TargetGoneError } from "../../mod.ts";
import { held } from "../../repl/prompt/opened.ts";
import { Session } from "../../repl/prompt/session.ts";
import { plain } from "../../repl/view/style.ts";
import { onLinux } from "../machine.ts";
import { buildDirectory, until } from "./program.ts";

Deno.test({
  name:
    "a process that has become one of another architecture is said to have, and shows no stacks",
  ignore: !onLinux,
  async fn() {
    const program = `${await buildDirectory()}/registers32`;
    const child = new Deno.Command("/bin/sh", {
      args: ["-c", 'kill -STOP $$; exec "$0"', program],
      stdout: "null",
    }).spawn();
    const read = (file: string) => Deno.readTextFileSync(`/proc/${child.pid}/${file}`);
    try {
      await until(() => /^State:\tT/m.test(read("status")), "the shell's stop");
      using target = attach(child.pid);
      const { name } = target.arch;
      assert(target.snapshot().threads[0].backtrace().length > 0);
      Deno.kill(child.pid, "SIGCONT");
      await until(() => read("cmdline").startsWith(program), "the exec");
      const known = attach(child.pid);
      const other = known.arch.name;
      assertEquals([name, other], name === "arm64" ? ["arm64", "armv7"] : ["x86_64", "i386"]);
      known[Symbol.dispose]();
      const text =
        `it has started a program for ${other} by exec: attach to pid ${child.pid} again`;
      for (
        const look of [
          () => target.snapshot(),
          () => target.pause(),
          () => target.threads,
          () => target.images,
          () => target.lookup("main"),
        ]
      ) {
        const { how, isReplaced } = assertThrows(look, TargetGoneError);
        assertEquals([how, isReplaced], [text, true]);
      }
      await assertRejects(() => target.record({ duration: 0.1 }), TargetGoneError, text);
      assertEquals(target.warnings, [text]);
      // The prompt lets it go, once, and the process runs on.
      const session = new Session(plain);
      let kept: boolean | undefined;
      session.open({
        ...held(target),
        keep: () => void (kept = true),
        ended: () => Promise.resolve("it exited or was killed"),
      });
      const error = assertThrows(() => session.checkAlive(), TargetGoneError);
      assertEquals(
        `${await session.notice(error)}`,
        `sh (pid ${child.pid}, ${name}) has ended: ${text}`,
      );
      assertEquals([session.state, kept], ["gone", true]);
      assert(read("cmdline").startsWith(program));
    } finally {
      child.kill("SIGKILL");
      await child.status;
    }
  },
});
