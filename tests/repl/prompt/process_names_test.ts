/** Tab after `attach`: the names of processes, from the kernel that attaches to them. */
import { assert, assertEquals } from "@std/assert";
import { complete } from "../../../repl/prompt/completion.ts";
import { Session } from "../../../repl/prompt/session.ts";
import { plain } from "../../../repl/view/style.ts";

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
