/** What was started to end with this process ends with it, however that ends. */
import { assertEquals, assertMatch } from "@std/assert";
import { endChild, killWithUs } from "../../ffi/launch.ts";
import { launch } from "../../ffi/processes.ts";
import { delay, until } from "./program.ts";

const root = new URL("../../", import.meta.url).pathname;

function lives(pid: number): boolean {
  const { success } = new Deno.Command("kill", { args: ["-0", `${pid}`], stderr: "null" })
    .outputSync();
  return success && !/^State:\tZ/m.test(status(pid));
}

function status(pid: number): string {
  try {
    return Deno.readTextFileSync(`/proc/${pid}/status`);
  } catch {
    return "";
  }
}

/** Runs a script that prints a pid and waits, kills it, and returns the pid. */
async function killed(source: string): Promise<number> {
  const folder = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(
      `${folder}/script.ts`,
      `${source}\nawait new Promise((resolve) => setTimeout(resolve, 60_000));`,
    );
    const child = new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--no-lock", `${folder}/script.ts`],
      stdout: "piped",
    }).spawn();
    const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    while (!text.includes("\n")) {
      const { value, done } = await reader.read();
      if (done) throw new Error("the script ended");
      text += value;
    }
    await reader.cancel();
    const pid = Number(text);
    assertEquals(lives(pid), true);
    child.kill("SIGKILL");
    await child.status;
    return pid;
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

const imports = `
  import { killWithUs } from "${root}ffi/launch.ts";
  import { demoPath } from "${root}ffi/library.ts";
  import { launch } from "${root}ffi/processes.ts";
`;

for (
  const [what, source] of [
    ["the demo", `const { pid } = await launch(await demoPath(), [], { killOnExit: true });`],
    [
      "a paused demo",
      `const target = await launch(await demoPath(), [], { killOnExit: true });
     const { pid } = target;
     target.pause();`,
    ],
    [
      "any program",
      `const { pid } = new Deno.Command("sleep", { args: ["60"] }).spawn();
     killWithUs(pid);`,
    ],
  ] as const
) {
  Deno.test(`${what} ends with a debugger that is killed`, async () => {
    const pid = await killed(`${imports}\n${source}\nconsole.log(pid);`);
    await until(() => !lives(pid), "its end");
  });
}

Deno.test("a program that was launched lives on otherwise", async () => {
  const pid = await killed(
    `${imports}\nconsole.log((await launch(await demoPath())).pid);`,
  );
  await delay(300);
  assertEquals(lives(pid), true);
  Deno.kill(pid, "SIGKILL");
});

Deno.test({
  name: "a name without a folder is a program of the working directory",
  ignore: Deno.build.os !== "linux",
  async fn() {
    const folder = await Deno.makeTempDir();
    const before = Deno.cwd();
    try {
      await Deno.copyFile("/bin/sleep", `${folder}/sleeper`);
      Deno.chdir(folder);
      using target = await launch("sleeper", ["60"], { output: "null" });
      try {
        assertEquals(target.name, "sleeper");
        using pause = target.pause();
        assertMatch(`${pause}`, /^paused for \d+ µs$/);
        pause.resume();
        assertMatch(`${pause}`, /^a pause of \d+ µs$/);
      } finally {
        target.kill();
      }
    } finally {
      Deno.chdir(before);
      await Deno.remove(folder, { recursive: true });
    }
  },
});

Deno.test("what is no longer to end with this process stays", async () => {
  const child = new Deno.Command("sleep", { args: ["60"] }).spawn();
  killWithUs(child.pid)[Symbol.dispose]();
  await delay(300);
  assertEquals(lives(child.pid), true);
  child.kill("SIGKILL");
  await child.status;
});

Deno.test({
  name: "a child is killed; one that has ended by itself is not",
  async fn() {
    const child = new Deno.Command("sleep", { args: ["600"] }).spawn();
    endChild(child);
    assertEquals((await child.status).signal, "SIGKILL");
    endChild(child);
  },
});
