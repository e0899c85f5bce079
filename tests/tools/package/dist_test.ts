/** The portable library, built for Node and for Deno without an import map, and used there. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import project from "../../../deno.json" with { type: "json" };
import { procFields } from "../../../ffi/procfs.ts";
import { openCore } from "../../../mod.ts";
import { buildDist } from "../../../tools/dist.ts";
import { buildCore, coreFile, recordedParts } from "../../lib/target/core_builder.ts";
import { hasX86Loader } from "../../machine.ts";
import { compileHelper, Terminal } from "../../repl/terminal.ts";

const fixtures = new URL("../../../examples/demo/", import.meta.url).pathname;

/** Opens a core and symbolicates it. */
function script(library: string, output: string): string {
  return `import { openCore, openImage } from ${JSON.stringify(library)};
const [core, symbols] = ${output};
const target = openCore(core, { symbols: [symbols] });
const file = openImage(symbols + "/demo");
console.log(JSON.stringify({
  image: file.images.map(({ arch, kind }) => [arch, kind]),
  threads: target.threads.map((thread) => thread.backtrace().map((frame) => String(frame))),
}));
`;
}

async function run(
  command: string,
  args: string[],
  options: Deno.CommandOptions = {},
): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(command, { args, ...options })
    .output();
  const [text, errors] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
  if (!success) throw new Error(`${command} ${args.join(" ")}:\n${text}${errors}`);
  return text;
}

async function output(command: string, ...args: string[]): Promise<unknown> {
  return JSON.parse(await run(command, args));
}

/** How many threads of a stopped job were in a read of its terminal: one could get what the shell is to. */
function stoppedReaders(shell: number): number {
  let count = 0;
  for (const { name: pid } of Deno.readDirSync("/proc")) {
    const [state, , , session] = procFields(Number(pid)) ?? [];
    if (state !== "T" || Number(session) !== shell) continue;
    for (const { name: thread } of Deno.readDirSync(`/proc/${pid}/task`)) {
      const [call, file] = Deno.readTextFileSync(`/proc/${pid}/task/${thread}/syscall`).split(" ");
      // x86_64's read(): the loader runs on no other machine.
      if (call !== "0") continue;
      if (Deno.readLinkSync(`/proc/${pid}/fd/${Number(file)}`).startsWith("/dev/pts/")) count++;
    }
  }
  return count;
}

/** Ctrl-Z under npx stops the whole job, and `fg` brings it back. */
async function suspendUnderNpx(directory: string, user: string): Promise<void> {
  const helper = await compileHelper(directory);
  await using terminal = await Terminal.start(helper, "bash", ["--norc", "--noprofile", "-i"], {
    PS1: "SHELL$ ",
    NO_COLOR: "1",
  });
  await terminal.until("SHELL$ ");
  await terminal.enter(`cd '${user}'`, "SHELL$ ");
  await terminal.enter("npx --no-install machpause demo", "paused) > ");
  await terminal.type("6 * ");
  await terminal.until("6 * ");
  await terminal.type("\x1a");
  await terminal.until("(demo stays paused while machpause is suspended)");
  await terminal.until("Stopped");
  await terminal.until("SHELL$ ");
  assertEquals(stoppedReaders(terminal.pid), 0);
  await terminal.enter("fg", "> 6 * ");
  await terminal.enter("7", /\n42\r\n/);
  await terminal.until("paused) > ");
  await terminal.enter("quit", "SHELL$ ");
}

Deno.test("the npm package and denoify's distribution open a core and symbolicate it", async () => {
  const directory = await Deno.makeTempDir();
  const symbols = `${fixtures}arm64`;
  try {
    await buildDist(`${directory}/dist`);
    using file = await coreFile(buildCore(recordedParts("arm64")));
    using core = openCore(file.path, { symbols: [symbols] });
    const expected = core.threads.map((thread) => thread.backtrace().map((frame) => `${frame}`));
    assertStringIncludes(expected.flat().join("\\n"), "lock_acquire");

    const { dependencies, optionalDependencies } = JSON.parse(
      await Deno.readTextFile(`${directory}/dist/npm/package.json`),
    );
    // What only the tests import, no user installs.
    assertEquals(Object.keys(dependencies).sort(), [
      "@alexaltea/capstone-js",
      "acorn",
      "cli-table3",
      "fflate",
      "gecko-profiler-demangle",
      "speedscope",
    ]);
    assertEquals(Object.keys(optionalDependencies), ["deno"]);
    const user = `${directory}/user`;
    await Deno.mkdir(user);
    const tarball = await run("npm", ["pack", "--silent", "--pack-destination", user], {
      cwd: `${directory}/dist/npm`,
    });
    await run("npm", ["install", "--silent", "--no-package-lock", `./${tarball.trim()}`], {
      cwd: user,
    });
    await Deno.writeTextFile(
      `${user}/main.mjs`,
      script("@machpause/machpause", "process.argv.slice(2)"),
    );
    await Deno.writeTextFile(
      `${directory}/main.ts`,
      script("./dist/deno/mod.ts", "Deno.args"),
    );
    const arguments_ = [file.path, symbols];
    const ofNode = await output("node", `${directory}/user/main.mjs`, ...arguments_);
    const ofDeno = await output(
      Deno.execPath(),
      "run",
      "--no-config",
      "--allow-read",
      "--check",
      `${directory}/main.ts`,
      ...arguments_,
    );
    for (const answer of [ofNode, ofDeno]) {
      assertEquals((answer as { threads: string[][] }).threads, expected);
      assertEquals((answer as { image: string[][] }).image[0][0], "arm64");
    }

    // Under Deno the package has what JSR's has, by the same names.
    const names = Object.keys(project.exports).map((name) =>
      `@machpause/machpause${name.slice(1)}`
    );
    const exported = `const names = ${JSON.stringify(names)};
      const faces = await Promise.all(names.map((name) => import(name)));
      console.log(JSON.stringify(faces.map((face) => Object.keys(face).sort())));`;
    await Deno.writeTextFile(`${user}/names.mjs`, exported);
    assertEquals(
      await output(`${user}/node_modules/.bin/deno`, "run", "-A", `${user}/names.mjs`),
      await Promise.all(
        Object.values(project.exports).map(async (path) =>
          Object.keys(await import(`../../../${path}`)).sort()
        ),
      ),
    );

    // Node has what needs no process: each of its entries can be loaded, whatever its age.
    const { exports: entries } = JSON.parse(
      await Deno.readTextFile(`${directory}/dist/npm/package.json`),
    ) as { exports: Record<string, Record<string, string>> };
    const portable = Object.keys(entries).filter((name) => "default" in entries[name]);
    assert(portable.includes("./report"));
    const counts = `const counts = {};
      for (const name of ${JSON.stringify(portable)}) {
        counts[name] = Object.keys(await import("@machpause/machpause" + name.slice(1))).length;
      }
      console.log(JSON.stringify(counts));`;
    await Deno.writeTextFile(`${user}/portable.mjs`, counts);
    const counted = await output("node", `${user}/portable.mjs`) as Record<string, number>;
    for (const name of portable) assert(counted[name] > 0, name);

    // The program, under the Deno that npm installed.
    const machpause = (...args: string[]) =>
      run("npx", ["machpause", ...args], { cwd: user, env: { NO_COLOR: "1" } });
    assertStringIncludes(await machpause("demangle", "$s4main3fooyySiF"), "foo(_:)");
    assertStringIncludes(await machpause("demangle", "_ZN3foo3barEv"), "foo::bar()");
    assertStringIncludes(await machpause("bt", `core:${file.path}`, "--symbols", symbols), "lock_");
    if (hasX86Loader) {
      assertStringIncludes(await machpause("bt", "demo"), "account_update + 13 at workers.c:52:9");
      const code = ["threads.length", "disassemble main"].flatMap((line) => ["-e", line]);
      assertStringIncludes(await machpause("demo", ...code), "push");
      assertStringIncludes(
        await machpause("demo", "-e", "l demo.c:85"),
        "relay_out(relay_back, 1)",
      );
      await suspendUnderNpx(directory, user);
    }
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
});
